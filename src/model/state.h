// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The state as the engine writes it. Poses and twists of bodies are those of their centres of mass.
#pragma once
#include "model/model.h"
#include "pawl/input.h"

typedef struct body_state {
    pawl_vec3 r; // centre of mass [m]
    pawl_quat q; // body axes to world axes
    pawl_vec3 v; // of the centre of mass [m/s]
    pawl_vec3 w; // world axes [rad/s]
} body_state;

// What put energy in or took it out [J].
enum {
    WORK_ACTUATORS,
    WORK_DAMPERS,
    WORK_FRICTION,
    WORK_MOTION,
    WORK_FORCES,
    WORK_LIMITS,
    WORK_CONTACTS,
    WORK_COUNT
};

// Impulses are kept by identity, not by row, because rows come and go. Each constraint that a
// model can ever pose owns one slot.
typedef struct impulse_slots {
    int joints;    // model->row_count: joint rows, then motion rows
    int softs;     // one a coordinate: spring, damper and armature together
    int springs;   // three a spring
    int actuators; // one an actuator
    int frictions; // one a coordinate
    int lowers;    // one a coordinate
    int uppers;    // one a coordinate
    int count;     // the first index after all
} impulse_slots;
impulse_slots pawl_impulse_slots(const pawl_model *model); // each field: the first index

// Contacts that a state can remember; those beyond start cold. Each has its id, its three impulses and,
// in models with torsional or rolling friction, the angular impulse of those (world axes).
int pawl_contact_memory(const pawl_model *model);
int pawl_contact_width(const pawl_model *model); // numbers of each

// What a stepper carries from step to step besides, all 0 where none does: mdp and nmdp.
typedef struct state_memory {
    double *beta;    // proximal weight; 0: nothing is remembered
    double *rates;   // (12 x bodies) of the centre of mass and of the axes (3 x 3)
    double *weights; // (weight_count) of the contact points; those beyond start from 0
    int weight_count;
} state_memory;
struct pawl_state;
state_memory pawl_state_memory(const struct pawl_state *s);

// Where the step before began, for lit.variant=paper with lit.scheme=1, which looks for the end of sliding
// within that step as well (section 7.5 of its paper).
typedef struct state_before {
    double *step;       // the state's own number of steps where it is known; else it is not
    double *time;       // when it began [s]
    body_state *bodies; // (bodies) at that time
} state_before;
state_before pawl_state_before(const struct pawl_state *s);
bool pawl_state_knows_before(const struct pawl_state *s);

// How the impulses of joints change from step to step (step/common/smooth_step.c): a guess at those of the next step.
// Backward differences over the last steps, by slot: (STATE_TREND_LEVELS x model->row_count) each.
enum { STATE_TREND_LEVELS = 5 };
typedef struct state_trend {
    double *step;  // the state's own number of steps where it is known; else it is not
    double *count; // levels that are known
    double *twice; // for how many steps yet rows in the middle of a step get a factor of their own
    double *
        first; // of what the impulse at the start of a step differs by from that at the end of the step before
    double *second; // of the impulse in the middle of a step
} state_trend;
state_trend pawl_state_trend(const struct pawl_state *s);
int pawl_state_trend_levels(const struct pawl_state *s); // that are known

// Who sleeps (step/common/sleep.c). Inputs and masses are those of the last step: a change wakes whom it concerns.
typedef struct state_sleep {
    double *key; // of the settings that the rest belongs to; 0 where nothing is known
    double *
        body; // (bodies) steps that it has rested; below 0: asleep, the same number for all of a group
    double *inputs; // (pawl_state_input_numbers())
    double *masses; // (1 + bodies)
} state_sleep;
state_sleep pawl_state_sleep(const struct pawl_state *s);

// Inputs at run time, see inputs.c: a flag before each value, all 0 where nothing is set.
enum {
    INPUT_GRAVITY = 1,  // after the number of inputs that are set: flag, x, y, z
    INPUT_FRICTION = 5, // flag, factor
    INPUT_FIRST_SHAPE = 7,
    INPUT_SHAPE = 2,    // flag, factor
    INPUT_ACTUATOR = 6, // flag, target; flag, stiffness, damping, effort
    INPUT_BODY = 6      // force, torque: no flag, 0 is none
};
typedef struct state_inputs {
    double *count, *gravity, *friction;
    double *shapes;    // (INPUT_SHAPE x shapes)
    double *actuators; // (INPUT_ACTUATOR x actuators)
    double *wrenches;  // (INPUT_BODY x bodies)
} state_inputs;
int pawl_state_input_numbers(const pawl_model *model);
state_inputs pawl_state_inputs(const struct pawl_state *s);
bool pawl_state_has_inputs(const struct pawl_state *s);
// Whether saved numbers are inputs that the functions of pawl/input.h could have set.
bool pawl_input_numbers_good(const pawl_model *model, double (*number)(const void *user, int i),
                             const void *user);
// The same of saved factors of masses.
bool pawl_mass_numbers_good(const pawl_model *model, double (*number)(const void *user, int i),
                            const void *user);

// Overlaps that the start began with and that are not pushed out yet (step/common/overlap.c), by ascending pairs of shapes. Those
// beyond the room are not known.
typedef struct state_overlap {
    double id;    // of a contact of the pair
    double depth; // the least so far, over half the thickness of the thinner shape
} state_overlap;
typedef struct state_overlaps {
    state_overlap *pair;
    int count, room;
} state_overlaps;
state_overlaps pawl_state_overlaps(const struct pawl_state *s);

enum { PAWL_STATE_WEAK_WORDS = 3 }; // numbers of each cluster of loops

struct pawl_state {
    pawl_env env;
    const pawl_model *model;
    size_t bytes;
    double time;
    int64_t step;
    double energy_start; // kinetic + gravity + springs when time was 0
    double work[WORK_COUNT];
    body_state *bodies;  // (body_count)
    double *coordinates; // last value of each joint coordinate, turns counted (coordinate_count)
    double *impulses;    // warm starts, by slot
    double *contacts;    // warm starts of contacts: count, then pawl_contact_width() numbers each
    double *memory;      // see pawl_state_memory()
    double *before;      // see pawl_state_before()
    double *weak; // how many clusters of loops have words here, then of each how many vectors are
                  // weak, the next singular value and how fast it changes (weak_zone.c): a position
                  // close to a singular one remembers how it got there
    double *inputs;   // see pawl_state_inputs()
    double *masses;   // how many factors are set, then that of each body; 0: not set (1 + bodies)
    double *trend;    // see pawl_state_trend()
    double *sleep;    // see pawl_state_sleep()
    double *overlaps; // how many, then these: see pawl_state_overlaps()
    bool moved;     // poses or twists were changed from outside since a step was taken; never saved
    bool edited;    // likewise, by a caller who gave or took energy that no work accounts for yet
    double balance; // pawl_energy.balance after the last step, 0 before the first; never saved
};
bool pawl_state_is_finite(const pawl_state *s); // every number of it
// Factor of the mass and inertia of a body (pawl_state_set_mass_scale()); 1 unless set.
static inline double pawl_state_mass_factor(const pawl_state *s, int body)
{
    double factor = s->masses[1 + body];
    return factor != 0.0 ? factor : 1.0;
}
// The memory of steppers belongs to another motion: poses or twists were set from outside. All bodies are awake.
static inline void pawl_state_forget(pawl_state *s)
{
    s->memory[0] = s->before[0] = s->trend[0] = s->sleep[0] = 0.0;
}
// Exchanges the numbers of two states of one model.
void pawl_bodies_copy(body_state *to, const body_state *from, int count);
void pawl_state_exchange(pawl_state *a, pawl_state *b);
// All but the inputs, of which the two have their own.
void pawl_state_copy_motion(pawl_state *to, const pawl_state *from);
// States in memory of the caller, for many of one model in a row: the bytes of one, a multiple of a cache line,
// and the model's start (joints that begin elsewhere included) in such a block, which is all 0 before.
size_t pawl_state_bytes(const pawl_model *model);
pawl_status pawl_state_begin(const pawl_env *env, const pawl_model *model, void *block,
                             pawl_state **out);
