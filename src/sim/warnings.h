// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The list of warnings that pawl_check_model() returns, and the rules that fill it: one function per rule, one file
// per topic, one row in the table of warnings.c.
#pragma once
#include "base/array.h"
#include "pawl/check.h"
#include "sim/sim.h"

typedef struct warning_list {
    const pawl_env *env;
    pawl_array items; // pawl_warning; the texts are copies
} warning_list;

// Adds a warning. `where` is made by `pawl_warning_body` and its like, or any text.
pawl_status pawl_warning_add(warning_list *list, pawl_warning_kind kind, const char *where,
                             const char *advice, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void pawl_warnings_free(warning_list *list);

enum { WARNING_WHERE_SIZE = 256 };
typedef struct warning_where {
    char text[WARNING_WHERE_SIZE];
} warning_where;
// "body 'x'", "joint 'x'", or two of them with "and" between; names too long are cut.
warning_where pawl_warning_body(const pawl_model *model, int body);
warning_where pawl_warning_joint(const pawl_model *model, int joint);
warning_where pawl_warning_joints(const pawl_model *model, int a, int b);

// All rules. `sim` stands at the model's start, assembled as far as that is possible.
pawl_status pawl_warnings_find(pawl_sim *sim, warning_list *list);

// A rule looks at the model and at sim->state, changes nothing that lasts, and adds what it finds.
typedef pawl_status warning_rule(pawl_sim *sim, warning_list *list);
warning_rule pawl_warn_length, pawl_warn_mass, pawl_warn_degrees; // warn_units.c
warning_rule pawl_warn_inertia;                                   // warn_inertia.c
warning_rule pawl_warn_locked, pawl_warn_coaxial;                 // warn_joints.c
warning_rule pawl_warn_redundant;                                 // warn_loops.c
warning_rule pawl_warn_falls;                                     // warn_falls.c
warning_rule pawl_warn_motion_limits, pawl_warn_motion_conflict;  // warn_motions.c
warning_rule pawl_warn_overlaps, pawl_warn_beyond_limits;         // warn_start.c
