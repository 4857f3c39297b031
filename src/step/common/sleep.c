// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Undisturbed bodies at rest sleep. A group is a set of bodies that contacts and joints connect; it falls asleep when
// all of its bodies have been slower than sleep.speed for sleep.time, in solved steps. Then their twists are 0 (the
// kinetic energy, at most m speed^2 / 2, counts as work of contacts), contacts between them are not searched, and the
// state keeps their impulses. A step wakes a group before any body moves, so that a sleeping body never acts as a
// fixed one:
// - a body that is awake, or a moving kinematic body, comes within reach of it (a contact is found);
// - an input that concerns it has changed since the last step: wrench, mass, gravity, friction, gains, targets;
// - a pose or a twist of the state was set from outside, or the settings have changed: then all wake. All decisions
// depend on the state: a run that is resumed, or has more threads, has the same bits.
//
// Bodies of mechanisms (joints with rows, springs, limits or drives) sleep only when all bodies do: their rows are
// planned once and factored together. A step then changes only the time.
#include "step/common/sleep.h"
#include "base/carver.h"
#include "base/env.h"
#include "collide/contact.h"
#include <math.h>
#include <string.h>

static bool sleep_constant(const pawl_signal *signal, int count)
{
    bool constant = true;
    for (int i = 0; i < count; ++i) {
        constant = constant && signal[i].kind == PAWL_SIGNAL_CONSTANT;
    }
    return constant;
}

// A free joint that nothing acts on connects nothing.
static bool sleep_joint_binds(const model_joint *j)
{
    bool binds = j->kind != PAWL_JOINT_FREE;
    for (int c = 0; c < j->coordinate_count; ++c) {
        const pawl_coordinate_def *d = &j->coordinate[c];
        binds = binds || d->stiffness != 0.0 || d->damping != 0.0 || d->armature != 0.0 ||
                d->friction != 0.0 || isfinite(d->lower) || isfinite(d->upper);
    }
    return binds;
}

static void sleep_bind(sleep_memory *m, int body)
{
    if (body >= 0) {
        m->bound[body] = true;
    }
}

static void sleep_bind_joint(sleep_memory *m, const pawl_model *model, pawl_joint_id joint)
{
    const model_joint *j = &model->joints[pawl_joint_index(joint)];
    sleep_bind(m, j->base);
    sleep_bind(m, j->follower);
}

// What the model says once and for all: which bodies belong to mechanisms, and what changes with time.
static void sleep_read_model(sleep_memory *m, const pawl_model *model, bool tree)
{
    m->all_may = true;
    for (int i = 0; i < model->body_count; ++i) {
        m->bound[i] = tree;
    }
    for (int i = 0; i < model->joint_count; ++i) {
        if (sleep_joint_binds(&model->joints[i])) {
            sleep_bind(m, model->joints[i].base);
            sleep_bind(m, model->joints[i].follower);
        }
    }
    for (int i = 0; i < model->spring_count; ++i) {
        sleep_bind(m, pawl_body_index(model->springs[i].body_a));
        sleep_bind(m, pawl_body_index(model->springs[i].body_b));
    }
    for (int i = 0; i < model->actuator_count; ++i) {
        sleep_bind_joint(m, model, model->actuators[i].joint);
        m->all_may = m->all_may && sleep_constant(&model->actuators[i].target, 1);
    }
    for (int i = 0; i < model->motion_count; ++i) {
        sleep_bind_joint(m, model, model->motions[i].joint);
        m->all_may = m->all_may && sleep_constant(&model->motions[i].target, 1);
    }
    for (int i = 0; i < model->force_count; ++i) {
        const pawl_force_def *d = &model->forces[i];
        int body = pawl_body_index(d->body);
        if (body >= 0 && !(sleep_constant(d->force, 3) && sleep_constant(d->torque, 3))) {
            m->restless[body] = true;
        }
    }
}

static void sleep_layout(sleep_memory *m, int bodies, pawl_carver *mem)
{
    m->still = PAWL_CARVE(mem, bool, bodies);
    m->bound = PAWL_CARVE(mem, bool, bodies);
    m->restless = PAWL_CARVE(mem, bool, bodies);
    m->rests = PAWL_CARVE(mem, bool, bodies);
    m->group = PAWL_CARVE(mem, int, bodies);
}

pawl_status pawl_sleep_create(const pawl_env *env, const pawl_model *model,
                              const pawl_settings *settings, double key, bool tree,
                              sleep_memory *out)
{
    *out = (sleep_memory){0};
    if (settings->sleep.time == 0.0 || model->body_count == 0) {
        return PAWL_OK;
    }
    pawl_carver need = {0};
    sleep_layout(out, model->body_count, &need);
    pawl_carver mem = {.base = pawl_alloc(env, need.used), .capacity = need.used};
    if (mem.base == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the sleep of %d bodies",
                         model->body_count);
    }
    sleep_layout(out, model->body_count, &mem);
    out->bytes = need.used;
    out->key = key;
    out->steps = ceil(settings->sleep.time / settings->dt);
    out->speed = settings->sleep.speed;
    sleep_read_model(out, model, tree);
    return PAWL_OK;
}

void pawl_sleep_destroy(const pawl_env *env, sleep_memory *m)
{
    pawl_free(env, m->still, m->bytes);
    *m = (sleep_memory){0};
}

static bool sleep_same_pose(const pawl_pose *a, const pawl_pose *b)
{
    return a->position.x == b->position.x && a->position.y == b->position.y &&
           a->position.z == b->position.z && a->orientation.w == b->orientation.w &&
           a->orientation.x == b->orientation.x && a->orientation.y == b->orientation.y &&
           a->orientation.z == b->orientation.z;
}

// Whether a kinematic body stays where it is at both ends and in the middle of the step, and had no twist.
static bool sleep_kinematic_stays(const model_body *b, const body_state *x, double begin,
                                  double end)
{
    if (v3_max_abs(x->v) != 0.0 || v3_max_abs(x->w) != 0.0) {
        return false;
    }
    pawl_pose here = {x->r, x->q},
              at[3] = {pawl_kinematic_pose(b, begin), pawl_kinematic_pose(b, 0.5 * (begin + end)),
                       pawl_kinematic_pose(b, end)};
    return sleep_same_pose(&here, &at[0]) && sleep_same_pose(&here, &at[1]) &&
           sleep_same_pose(&here, &at[2]);
}

static void sleep_remember_inputs(const pawl_model *model, pawl_state *s)
{
    state_sleep sleep = pawl_state_sleep(s);
    if (pawl_state_has_inputs(s) || sleep.inputs[0] != 0.0 || sleep.masses[0] != 0.0) {
        memcpy(sleep.inputs, s->inputs,
               (size_t)pawl_state_input_numbers(model) * sizeof *s->inputs);
        memcpy(sleep.masses, s->masses, (size_t)(1 + model->body_count) * sizeof *s->masses);
    }
}

static bool sleep_differ(const double *a, const double *b, int count)
{
    bool differ = false;
    for (int i = 0; i < count; ++i) {
        differ = differ || a[i] != b[i];
    }
    return differ;
}

static bool sleep_inputs_changed(const pawl_model *model, const pawl_state *s)
{
    state_sleep sleep = pawl_state_sleep(s);
    return (pawl_state_has_inputs(s) || sleep.inputs[0] != 0.0 || sleep.masses[0] != 0.0) &&
           (sleep_differ(sleep.inputs, s->inputs, pawl_state_input_numbers(model)) ||
            sleep_differ(sleep.masses, s->masses, 1 + model->body_count));
}

static void sleep_wake_all(const pawl_model *model, pawl_state *s)
{
    memset(pawl_state_sleep(s).body, 0, (size_t)model->body_count * sizeof(double));
}

// All of the group of a body. Groups are known by their number alone, which a saved state may have any of.
static int sleep_wake(const pawl_model *model, pawl_state *s, int body)
{
    double *word = pawl_state_sleep(s).body;
    int woken = 0;
    double group = body >= 0 ? word[body] : 0.0;
    for (int i = 0; i < model->body_count && group < 0.0; ++i) {
        if (word[i] == group) {
            word[i] = 0.0;
            ++woken;
        }
    }
    return woken;
}

// Gravity and friction concern all; the others the bodies that they act on.
static void sleep_follow_inputs(const pawl_model *model, pawl_state *s)
{
    state_sleep sleep = pawl_state_sleep(s);
    state_inputs now = pawl_state_inputs(s);
    int common = (int)(now.actuators - s->inputs);
    // The first number counts inputs of all kinds.
    if (sleep_differ(sleep.inputs + 1, s->inputs + 1, common - 1)) {
        sleep_wake_all(model, s);
        return;
    }
    for (int i = 0; i < model->actuator_count; ++i) {
        int at = common + INPUT_ACTUATOR * i;
        if (sleep_differ(sleep.inputs + at, s->inputs + at, INPUT_ACTUATOR)) {
            const model_joint *j = &model->joints[pawl_joint_index(model->actuators[i].joint)];
            sleep_wake(model, s, j->base);
            sleep_wake(model, s, j->follower);
        }
    }
    int wrenches = (int)(now.wrenches - s->inputs);
    for (int i = 0; i < model->body_count; ++i) {
        int at = wrenches + INPUT_BODY * i;
        if (sleep_differ(sleep.inputs + at, s->inputs + at, INPUT_BODY) ||
            sleep.masses[1 + i] != s->masses[1 + i]) {
            sleep_wake(model, s, i);
        }
    }
}

bool pawl_sleep_is_deep(const sleep_memory *m, const pawl_model *model, const pawl_state *s,
                        double end)
{
    if (m->still == NULL || s->sleep[0] != m->key || !m->all_may) {
        return false;
    }
    const double *word = pawl_state_sleep(s).body;
    for (int i = 0; i < model->body_count; ++i) {
        const model_body *b = &model->bodies[i];
        if (b->kind == PAWL_BODY_KINEMATIC ? !sleep_kinematic_stays(b, &s->bodies[i], s->time, end)
                                           : !(word[i] < 0.0)) {
            return false;
        }
    }
    return !sleep_inputs_changed(model, s);
}

// A mechanism is awake as long as anything is.
static void sleep_wake_bound(const sleep_memory *m, const pawl_model *model, pawl_state *s)
{
    double *word = pawl_state_sleep(s).body;
    for (int i = 0; i < model->body_count; ++i) {
        if (m->bound[i] && word[i] < 0.0) {
            sleep_wake(model, s, i);
        }
    }
}

void pawl_sleep_begin(sleep_memory *m, const pawl_model *model, pawl_state *s, double end)
{
    if (m->still == NULL) {
        s->sleep[0] = 0.0;
        return;
    }
    double *word = pawl_state_sleep(s).body;
    if (s->sleep[0] != m->key) {
        s->sleep[0] = m->key;
        sleep_wake_all(model, s);
    } else if (sleep_inputs_changed(model, s)) {
        sleep_follow_inputs(model, s);
    }
    sleep_remember_inputs(model, s);
    sleep_wake_bound(m, model, s);
    m->asleep = 0;
    for (int i = 0; i < model->body_count; ++i) {
        const model_body *b = &model->bodies[i];
        bool kinematic = b->kind == PAWL_BODY_KINEMATIC;
        m->still[i] =
            kinematic ? sleep_kinematic_stays(b, &s->bodies[i], s->time, end) : word[i] < 0.0;
        m->asleep += !kinematic && m->still[i];
    }
}

int pawl_sleep_touch(sleep_memory *m, pawl_state *s, const pawl_contact *contacts, int count)
{
    const double *word = pawl_state_sleep(s).body;
    int woken = 0;
    for (int k = 0; k < count && m->asleep > 0; ++k) {
        int a = contacts[k].body_a, b = contacts[k].body_b;
        if (a >= 0 && b >= 0 && m->still[a] != m->still[b]) {
            woken += sleep_wake(s->model, s, m->still[a] ? a : b);
        }
    }
    for (int i = 0; i < s->model->body_count && woken > 0; ++i) {
        bool kinematic = s->model->bodies[i].kind == PAWL_BODY_KINEMATIC;
        m->still[i] = m->still[i] && (kinematic || word[i] < 0.0);
    }
    m->asleep -= woken;
    return woken;
}

// ---- groups -----------------------------------------------------------------------------------------

// The first body of the group; paths are halved on the way.
static int sleep_find(int *group, int i)
{
    while (group[i] != i) {
        group[i] = group[group[i]];
        i = group[i];
    }
    return i;
}

static bool sleep_moves(const pawl_model *model, int body)
{
    return body >= 0 && model->bodies[body].kind != PAWL_BODY_KINEMATIC;
}

static void sleep_join(const pawl_model *model, int *group, int a, int b)
{
    if (sleep_moves(model, a) && sleep_moves(model, b)) {
        int p = sleep_find(group, a), q = sleep_find(group, b);
        group[p > q ? p : q] = p > q ? q : p;
    }
}

// Groups of bodies that contacts of this step, joints or springs connect. Gears connect bodies of joints, which are
// bound as those are.
static void sleep_find_groups(sleep_memory *m, const pawl_model *model, const pawl_assembly *a)
{
    for (int i = 0; i < model->body_count; ++i) {
        m->group[i] = i;
    }
    for (int i = 0; i < model->joint_count; ++i) {
        sleep_join(model, m->group, model->joints[i].base, model->joints[i].follower);
    }
    for (int i = 0; i < model->spring_count; ++i) {
        sleep_join(model, m->group, pawl_body_index(model->springs[i].body_a),
                   pawl_body_index(model->springs[i].body_b));
    }
    for (int k = 0; k < a->contact_count; ++k) {
        sleep_join(model, m->group, a->contacts[k].body_a, a->contacts[k].body_b);
    }
}

// One more step at rest, or none. Bodies in contact with a moving kinematic body do not rest.
static void sleep_count(sleep_memory *m, const pawl_model *model, pawl_state *s,
                        const pawl_assembly *a, bool settled)
{
    double *word = pawl_state_sleep(s).body;
    for (int i = 0; i < model->body_count; ++i) {
        const body_state *x = &s->bodies[i];
        if (m->still[i] || !sleep_moves(model, i)) {
            continue;
        }
        double speed = v3_norm(x->v) + model->bodies[i].size * v3_norm(x->w);
        bool rests = settled && !m->restless[i] && speed <= m->speed;
        word[i] = rests ? fmin(word[i] + 1.0, m->steps) : 0.0;
    }
    for (int k = 0; k < a->contact_count; ++k) {
        int body[2] = {a->contacts[k].body_a, a->contacts[k].body_b};
        for (int side = 0; side < 2; ++side) {
            int own = body[side], other = body[1 - side];
            if (own >= 0 && other >= 0 && !sleep_moves(model, other) && !m->still[other]) {
                word[own] = 0.0;
            }
        }
    }
}

// The kinetic energy of a body that falls asleep counts as work of its contacts.
static void sleep_stop(const pawl_model *model, pawl_state *s, int i)
{
    body_state *x = &s->bodies[i];
    const model_body *b = &model->bodies[i];
    pawl_vec3 w = pawl_quat_rotate(quat_conj(x->q), x->w);
    s->work[WORK_CONTACTS] -=
        0.5 * b->mass * v3_dot(x->v, x->v) + 0.5 * v3_dot(w, m3_mul(&b->inertia, w));
    x->v = x->w = v3(0.0, 0.0, 0.0);
}

bool pawl_sleep_end(sleep_memory *m, const pawl_model *model, pawl_state *s, const pawl_assembly *a,
                    bool settled)
{
    if (m->still == NULL) {
        return false;
    }
    double *word = pawl_state_sleep(s).body;
    sleep_count(m, model, s, a, settled);
    bool ready = false, all = m->all_may;
    for (int i = 0; i < model->body_count; ++i) {
        bool waits = sleep_moves(model, i) && !m->still[i];
        ready = ready || (waits && word[i] >= m->steps);
        all = all && (!waits || word[i] >= m->steps) && (m->still[i] || sleep_moves(model, i));
    }
    if (!ready) {
        return false;
    }
    sleep_find_groups(m, model, a);
    for (int i = 0; i < model->body_count; ++i) {
        m->rests[i] = true;
    }
    for (int i = 0; i < model->body_count; ++i) {
        bool rests = word[i] >= m->steps && (all || !m->bound[i]);
        if (sleep_moves(model, i) && !m->still[i] && !rests) {
            m->rests[sleep_find(m->group, i)] = false;
        }
    }
    int fallen = 0;
    for (int i = 0; i < model->body_count; ++i) {
        int first = sleep_find(m->group, i);
        if (sleep_moves(model, i) && !m->still[i] && m->rests[first]) {
            word[i] = -1.0 - first;
            sleep_stop(model, s, i);
            ++fallen;
        }
    }
    m->asleep += fallen;
    return fallen > 0;
}

bool pawl_sleep_keeps(const sleep_memory *m, const pawl_model *model, double id)
{
    int shape[2];
    pawl_contact_shapes(id, &shape[0], &shape[1]);
    bool keeps = true;
    for (int side = 0; side < 2; ++side) {
        int body = shape[side] < model->shape_count
                       ? pawl_body_index(model->shapes[shape[side]].body)
                       : PAWL_WORLD_INDEX;
        keeps = keeps && (body < 0 || m->still[body]);
    }
    return keeps;
}
