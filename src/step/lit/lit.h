// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// lit, the linearly implicit trapezoidal method (Potra, Anitescu, Gavrea, Trinkle): the smooth step, used by the
// search for events. docs/steppers/lit.md has the derivation.
#pragma once
#include "step/common/position_update.h"
#include "step/common/velocity_update.h"

typedef struct lit_memory lit_memory;
typedef struct lit_event_memory lit_event_memory;

// What a (sub-)step holds: contacts and limits that are closed at its start (7.1). All memory is the
// context's.
typedef struct lit_active {
    int count;
    pawl_contact
        *contacts; // (max contacts) as they are at the start, sorted by id; those that are `held`
                   // last, the others close faster than contact.restitution_threshold
    bool *limits;  // (candidates of the assembly) limits that last
    bool closing;  // some contact or limit within reach of (7.1) closes fast
} lit_active;

// One (sub-)step: its interval, and what is known of it.
typedef struct lit_phase {
    double begin, h, end; // [s]; end - begin may differ from h by rounding
    const lit_active *active;
    bool
        after_impact; // velocities have jumped at `begin`: nothing of the last step's contacts counts
    bool catch_all;   // contacts and limits that are not held are stopped as euler would stop them;
                      // else only what is held is assembled at all
} lit_phase;

// The active set at the poses and twists of s for a step of length h: gaps of at most
// max(lit.eps_a, lit.eps_b h^3). False where there are more contacts than there is room for
// (context.contact_demand is set): the step must be given up.
bool pawl_lit_active(step_context *c, const pawl_state *s, double h, lit_active *out);

// Advances s from phase->begin by phase->h, without looking for events: one constraint problem (two
// with lit.variant=sdirk2). Poses, twists, work, impulses and the report are those of a step; s->time is the
// caller's. The context's reactions are added to. Nothing is done when context.contact_demand is set.
void pawl_lit_move(step_context *c, pawl_state *s, const lit_phase *phase,
                   pawl_step_report *report);

// --- parts, for the files of this stepper

// Contacts, limits and friction losses that a step found to hold, and that are projected as joints are.
typedef struct lit_closed_rows {
    int count;
    closed_row *rows;    // (candidates + max contacts) candidates first
    double *ids;         // (max contacts) of its contacts
    pawl_contact *found; // (max contacts) the same at the end of the step
} lit_closed_rows;

struct lit_memory {                     // what this stepper keeps beside the context; sized once
    body_state *start;                  // (bodies) where the step began
    body_state *first, *second, *about; // (bodies) of sdirk2: V1, U2 in the axes of the start; V1
    lit_active active;                  // for lit_advance
    pawl_contact *placed;               // (max contacts) contacts of the problem
    double *residual;                   // (free rows) configuration errors at the start
    lit_closed_rows closed_rows;
    double *scratch; // (6 x max rows) of the projection
    // lit.variant=paper: Jacobians of the free rows in body axes at the start and to both sides of it, the
    // coordinates there (free rows), and the explicit part of k~ (6 x bodies).
    double *paper_rows, *paper_ahead, *paper_behind, *paper_values, *paper_impulse;
    lit_event_memory *events;
};
lit_memory *pawl_lit_layout(const pawl_model *model, const pawl_assembly *a, pawl_carver *mem);
static inline lit_memory *lit_of(const step_context *c)
{
    return c->own.sized;
}
// Where a piece of the step began.
static inline pawl_state *lit_substep_start(const step_context *c)
{
    return c->own.lasting;
}

// Weights that all variants share: gravity, forces and targets over the phase.
step_weights pawl_lit_weights(const step_context *c, const pawl_state *s, const lit_phase *phase);
// Places the rows at the poses of s at time t, and sets the contacts of the problem: those that the
// phase holds, where they are now. False: out of room.
bool pawl_lit_place(step_context *c, pawl_state *s, const lit_phase *phase, double t);
// Poses `start` moved along their twists for a time tau, brought back onto the joints by at most two
// Newton steps with the factor at the start where `along`; twists keep their body axes.
void pawl_lit_predict(step_context *c, pawl_state *s, const body_state *start, double tau, double t,
                      bool along);
// Rotates an angular velocity with its body from one attitude to another.
pawl_vec3 pawl_lit_rotate_with_body(pawl_quat from, pawl_quat to, pawl_vec3 w);

// lit.variant=paper. From the assembly at the start: its soft rows, and the explicit impulse. At the
// middle: the soft rows as they were at the start. Once the free motion is there: the explicit impulse.
void pawl_lit_paper_begin(step_context *c, pawl_state *s, const step_weights *w);
void pawl_lit_paper_place(step_context *c);
void pawl_lit_paper_add_impulse(step_context *c);

// lit.variant=sdirk2, from lit->start and the factor there up to the poses and twists at its end, which are
// not projected yet.
void pawl_lit_sdirk_move(step_context *c, pawl_state *s, const lit_phase *phase,
                         pawl_step_report *report);

// Which rows of the problem just solved hold.
void pawl_lit_find_closed_rows(step_context *c);
// Brings s, at time t, back onto joints and grips: poses, then twists. Returns the iterations.
int pawl_lit_settle(step_context *c, pawl_state *s, double t);
