// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The instant of a collision within a step: the earliest root of the gaps along the motion between its two ends
// ([potra-2006] section 7.2). Gaps are those of the collision layer, of any pair of shapes, and of the limits of
// joint coordinates.
#pragma once
#include "rows/assembly.h"
#include "step/common/motion_path.h"

typedef struct locate_scope {
    const contact_finder *finder; // after find() at the end of the motion; NULL: nothing can touch
    const double *known;          // ids of contacts that count as closed already, ascending
    int known_count;
    const pawl_assembly *assembly; // for its limits
    const bool *closed;            // (candidates) limits that count as closed already
    double tolerance;              // gaps above -tolerance are none [m or rad]
    body_state *bodies;            // (body_count) scratch
} locate_scope;

typedef struct gap_root {
    double tau;            // after the begin of the motion [s]
    bool at_once;          // it never opened: closed from tau on, as far as rounding can tell
    int shape_a, shape_b;  // of the model; -1 for a limit
    int joint, coordinate; // -1 for shapes
    int limit;             // candidate of the assembly; -1 for shapes
    finder_pair pair;      // for shapes
} gap_root;

// The earliest meeting of what is not known to be closed; false for none. Ties go to the first pair.
bool pawl_locate_gap_root(const motion_path *path, const pawl_state *from, const pawl_state *to,
                          const locate_scope *scope, gap_root *out);
// The gap of a meeting's pair or limit, known points left out, for other poses.
double pawl_gap_at_root(const locate_scope *scope, const gap_root *m, const pawl_state *s);
