// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The data of the parts of a step. Each struct has one owner, which lays it out and writes to it:
//   the references                     the simulator; nobody changes them within a step
//   velocity_update                    velocity_update.c and its parts
//   position_update                    position_update.c, reduced_position.c, project.c
//   position_correction, impact_memory     position_correction.c, impact.c
//   step_results                       whoever finds a result; the simulator reads them after the step
//   sleep_memory                       sleep.c
//   stepper_memory                     the stepper that runs; nobody else looks into it (stepper_ops.h)
// Scratch arrays come from the arena and are released before the function returns.
#pragma once
#include "base/arena.h"
#include "coordinates/coordinates.h"
#include "pawl/contact.h"
#include "pawl/report.h"
#include "pawl/settings.h"
#include "problem/eliminate.h"
#include "solve/contact_capture.h"
#include "solve/solver_ops.h"
#include "step/common/event_log.h"
#include "step/common/island_solver.h"
#include "step/common/phase_clock.h"
#include "step/common/sample.h"
#include "step/common/sleep.h"

// The velocity update, next = free + M^-1 JT lambda, at the poses where the rows are placed. Twists are
// (6 x bodies): linear, angular.
typedef struct velocity_update {
    double *start, *free, *next; // twists before it, without the rows, after it
    double *own;      // free twists of bodies without any joint: `free`, but in reduced coordinates
    double *applied;  // (6 x bodies) impulses of applied forces
    double *driven;   // (6 x bodies) of these and of force actuators
    double *lambda;   // (max rows) impulses of the rows
    double *rate;     // (max rows) J next, once it was judged
    double *velocity; // (max rows) v = J next + bias + R lambda, which is judged
    double damping_time;   // implicit part of body damping [s], part of every placement
    bool straight_springs; // stiff springs did not settle (stiff_springs.c)
    double work_given;     // by all that may give energy, in the last update [J]
    double fraction; // length of the sub-step in steps; states remember impulses of whole steps
} velocity_update;
void pawl_velocity_update_layout(velocity_update *u, const coordinates *k, pawl_carver *mem);

// Impulses of joints in the last step that are not yet those of least norm, by the placements at which they acted
// (least_reactions.c).
enum { DEFERRED_REACTIONS = 6 };
typedef struct deferred_reactions {
    bool allowed; // by the stepper
    int count;
    struct deferred_reaction {
        int64_t placement; // of the assembly
        body_state *from;  // (bodies) the poses of that placement
        double time;       // likewise [s]
        double *lambda;    // (max rows) sum of the impulses of hard rows
    } item[DEFERRED_REACTIONS];
} deferred_reactions;

// The position update: bodies move along their twists and the constraints.
typedef struct position_update {
    body_state *from;   // (bodies) where it began
    double *consistent; // (6 x bodies) twists that satisfy the rows where an exact one begins
    double *rotor;      // (free rows) of armatures: the rates at which rotors turn while poses move
    double *turned;     // (free rows) their coordinates where it began
    bool turning;       // the rates at the end are still to be brought to those of the twists
    bool light_bodies;  // masses differ so much that a shifted factor does not see some of them
    bool passes;        // the poses that it leads to are within a step: no state has them
    bool exact;         // keeps angular momentum and iterates to the last digit (rattle)
    bool least_norm;    // rows are redundant and all satisfied: reactions are those of least norm
    deferred_reactions deferred;
} position_update;
void pawl_position_update_layout(position_update *p, const pawl_assembly *a, pawl_carver *mem);

typedef struct position_correction { // see position_correction.h
    double *twist;                   // (6 x bodies) at which poses are corrected
    double *lambda;                  // (max rows)
    double *compliance;              // (max rows)
    double *friction;                // (max contacts) none
    double time;                     // for how long; 0: nothing is to be corrected
    double of_contacts;              // the contacts' part of it
} position_correction;
void pawl_correction_layout(position_correction *p, const pawl_assembly *a, pawl_carver *mem);

// Results of a step for those who ask after it.
typedef struct step_results {
    int contact_count;           // of the last step that was taken
    pawl_contact_info *contacts; // (max contacts)
    double *effort;              // (actuators) [N or N m]
    double *reaction;            // (slots) impulses, those of position updates included
    event_log events;
    int island_count;      // of the last solve
    int position_failures; // position updates that left joints open
    double settled; // how far bodies were moved to close loops again after a singular position [m]
    bool failed;    // the step has no solution: the state before it is kept
    int contact_demand; // contacts that were found beyond the capacity (-1: memory is out); unless
                        // 0 the step must be done again
    int impact_demand;  // units of an impact's group beyond the room for its path; likewise
    contact_capture capture; // the problem of the last step, where it is wanted
    sample_capture sample;   // the same with all rows (sample.h)
    pawl_status captured;    // how that went
} step_results;
void pawl_step_results_layout(step_results *out, const pawl_assembly *a, pawl_carver *mem);

typedef struct impact_memory impact_memory; // impact.h

typedef struct stepper_memory { // NULL where it has none
    void *lasting;              // as long as the simulation
    void *sized;                // by the room for contacts; made anew when that grows
} stepper_memory;

typedef struct step_context {
    // References.
    const pawl_env *env;
    const pawl_model *model;
    const pawl_settings *settings;
    coordinates *coordinates;
    pawl_assembly *assembly; // the rows of the coordinates
    pawl_solver *solver;
    island_solver *islands; // NULL where all rows are solved together
    contact_finder *finder; // NULL where nothing can touch
    eliminator *closure;    // for projections
    // Memory, by owner.
    velocity_update u;
    position_update position;
    position_correction correction;
    impact_memory *impact; // NULL without rows
    step_results out;
    stepper_memory own;
    sleep_memory sleep; // of the simulator; still == NULL where no body ever sleeps
    phase_clock clock;
    pawl_arena scratch;
    bool placed; // the assembly is placed at the state already
    // Called, where not NULL, by a velocity update when its problem is solved (sim/derivative.c); s has the twists before it.
    void (*probe)(void *user, const struct step_context *c, const pawl_state *s,
                  const step_weights *w, bool struck);
    void *probe_user;
} step_context;

// Bytes of scratch that the parts above take together at most.
size_t pawl_step_scratch_bytes(const pawl_assembly *a);
// Scratch of a function: so many twists of all bodies, or numbers for all rows.
static inline double *pawl_take_twists(step_context *c)
{
    return PAWL_TAKE(&c->scratch, double, 6 * c->model->body_count);
}
static inline double *pawl_take_rows(step_context *c)
{
    return PAWL_TAKE(&c->scratch, double, c->assembly->max_rows);
}

// Whether a body is left out of the step: it sleeps.
static inline bool pawl_sleeps(const step_context *c, int body)
{
    return c->sleep.asleep > 0 && c->sleep.still[body];
}

// Adds an impulse of a row to the reactions, where it has a place there.
static inline void pawl_add_reaction(step_context *c, int row, double impulse)
{
    int slot = c->assembly->rows[row].slot;
    if (slot >= 0) {
        c->out.reaction[slot] += impulse;
    }
}

// When a step of length dt from s ends: a multiple of dt, so that rounding does not add up, unless s
// comes from a run with another step.
double pawl_step_end(const pawl_state *s, double dt);
// What all steppers share of the weights.
step_weights pawl_step_weights(const step_context *c, const pawl_state *s);
