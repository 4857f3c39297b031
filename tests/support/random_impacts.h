// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Random frictional impacts without gravity: what a law of impact must survive. Restitution from 0 to 1 and
// friction from 0 to 2, both with their ends; masses and inertias that shapes alone would not have.
#pragma once
#include "pawl/sim.h"
#include <stdint.h>

typedef enum random_impact_kind {
    RANDOM_IMPACT_BODY = 0, // one body of any shape on a plane
    RANDOM_IMPACT_FLAT,     // one box, on a face, an edge or a corner: several contacts at once
    RANDOM_IMPACT_HEAP,     // balls that touch each other and a plane
    RANDOM_IMPACT_TREE,     // a free chain of links on revolute, spherical and fixed joints
    RANDOM_IMPACT_LOOP,     // a free closed loop of four links, planar: redundant rows
    RANDOM_IMPACT_KINDS
} random_impact_kind;
const char *random_impact_name(random_impact_kind kind);

// The model of impact `index` of a kind; the same for the same arguments.
pawl_status random_impact_model(const pawl_env *env, random_impact_kind kind, uint64_t index,
                                pawl_model **out);

// Runs the model until something has touched and a few steps more.
typedef struct random_impact_figures {
    double gain; // largest work of impacts in a step, of the kinetic energy before it
    double
        work; // largest work of all contacts and limits in a step, corrections of overlaps included, of the
    // kinetic energy at the start: bodies that came to rest have none to compare with
    int impacts;        // steps in which there were impacts
    int capped, fallen; // events
    int open;           // steps that did not converge
    double penetration; // [m]
} random_impact_figures;
pawl_status random_impact_run(const pawl_env *env, const pawl_model *model,
                              const pawl_settings *settings, random_impact_figures *out);
