// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Impacts: velocities jump at constant poses. The law of contact.impact applies to every stepper (docs/impacts.md);
// lit solves impacts at located instants ([potra-2006] section 7.3, 7.4), the others at the poses of their rows.
#pragma once
#include "step/common/impact_path.h"
#include "step/common/step.h"

// What impacts work with; sized once. Arrays by row follow the rows of the impact problem.
struct impact_memory {
    pawl_contact *contacts; // (max contacts) that take part
    int *source;            // (max contacts) their places in the finder's list
    double *bounce;         // (max contacts) restitution of each, 0 where it is too slow
    double *allowed;        // (max contacts) closing speed left to each: its gap closes in the step
    double *rate;           // (max rows) before the impact, joints held
    double *total;          // (max rows) impulses
    double *after;          // (max rows) velocities that belong to them
    double *plastic, *plastic_after; // (max rows) the same with no restitution
    double *given;                   // (max rows) e times the normal impulses of the compression
    double *open; // (max rows) speeds of opening that the search of Poisson's law asks for
    double *excess, *before; // (max rows) of that search
    int *root;               // (bodies) the group of each: bodies that joints and contacts connect
    int *units;              // (max rows) rows of normals of one group
    bool *unsolved;          // (bodies) groups that the law's own method did not solve
    bool *bounces;           // (max contacts) whether it closes fast and has restitution
    double *half;            // (6 x bodies) what half of the step's forces do to the twists
    double *impulse;         // (3 x max contacts) of this step's impacts, by the finder's list
    bool struck;             // the step had impacts
    impact_path *path;
};
// `units`: contacts and limits of one group that there shall be room for.
impact_memory *pawl_impact_layout(const pawl_model *model, const pawl_assembly *a, int units,
                                  pawl_carver *mem);

typedef struct impact_request {
    double time;  // [s]
    double reach; // contacts and limits with gaps up to this take part [m or rad]
    bool plastic; // nothing bounces
} impact_request;

// Solves the impact of all that touches at the poses of s and gives s the twists after it. Work and
// reactions are accounted for, events logged, the report's figures made worse where the solver's were.
// False when there are more contacts than room (context.out.contact_demand): the step must be given up.
bool pawl_impact(step_context *c, pawl_state *s, const impact_request *request,
                 pawl_step_report *report);
// For steps that do not locate impacts: whether something touches within w->reach that closes faster than
// contact.restitution_threshold and that the step's own problem would not resolve by the law; if so, the impact
// of all that touches. The assembly is placed at s, its contacts are those of the finder, and so they are after it.
bool pawl_impact_in_step(step_context *c, pawl_state *s, const step_weights *w,
                         pawl_step_report *report);
// The same for steps of length h from s that find their contacts later (lit, where it locates nothing). False:
// no room.
bool pawl_impact_ahead(step_context *c, pawl_state *s, double h, pawl_step_report *report);
// Velocity of a contact's second body against its first along the normal, and across it.
double pawl_contact_opening(const pawl_contact *contact, const body_state *bodies);
pawl_vec3 pawl_contact_slip(const pawl_contact *contact, const body_state *bodies);

// --- parts (impact_laws.c, impact_groups.c)

typedef struct impact_scope {
    double fastest; // closing speed [m/s or rad/s]
    double time;    // [s]
} impact_scope;
// Row of the normal of contact k of the impact problem.
static inline int pawl_impact_normal(const step_context *c, int k)
{
    return pawl_problem_contact_row(&c->assembly->problem, k) + 2;
}
// The law of the settings on the problem as it is built, with no gain of energy: impulses of contacts and
// limits to memory.total, twists after them to u.next.
void pawl_impact_resolve(step_context *c, const impact_scope *scope, pawl_step_report *report);

// Groups of what can act on each other at once. Sets memory.root; the limits and contacts of group `body`
// (a body that is its own root) to memory.units, rows of limits first. Returns their number.
void pawl_impact_group(step_context *c);
int pawl_impact_group_units(step_context *c, int body, int *limits);
// The dense problem of the group whose units were just listed: S with joints eliminated, friction.
void pawl_impact_condense(step_context *c, int limits, int units);
// Rows of memory.path and back: `to` of group rows from `from` of problem rows, or the other way round.
void pawl_impact_take(const step_context *c, const double *from, double *to);
void pawl_impact_put(const step_context *c, const double *from, double *to);
// Velocities of limits and contacts before the impact, joints held, to memory.rate.
void pawl_impact_rates(step_context *c);
