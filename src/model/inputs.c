// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Inputs at run time (pawl/input.h), as numbers of the state.
//
// Numbers that are not set are 0, and the first one is the count of those that are set. A state without inputs is
// therefore recognized by one number, and is copied and hashed as if it had no inputs, with the hash of versions of
// pawl without inputs. A value is preceded by a 1 that means "set", because 0 is a valid value.
#include "base/guard.h"
#include "model/state.h"
#include <string.h>

// Layout: the count, gravity (flag, 3), friction (flag, 1), then shapes (flag, 1), actuators (flag,
// target, flag, 3 gains) and wrenches (6, without a flag: a wrench of zeros is none).
int pawl_state_input_numbers(const pawl_model *m)
{
    return INPUT_FIRST_SHAPE + INPUT_SHAPE * m->shape_count + INPUT_ACTUATOR * m->actuator_count +
           INPUT_BODY * m->body_count;
}

state_inputs pawl_state_inputs(const pawl_state *s)
{
    const pawl_model *m = s->model;
    double *shapes = s->inputs + INPUT_FIRST_SHAPE;
    double *actuators = shapes + INPUT_SHAPE * m->shape_count;
    return (state_inputs){.count = s->inputs,
                          .gravity = s->inputs + INPUT_GRAVITY,
                          .friction = s->inputs + INPUT_FRICTION,
                          .shapes = shapes,
                          .actuators = actuators,
                          .wrenches = actuators + INPUT_ACTUATOR * m->actuator_count};
}

bool pawl_state_has_inputs(const pawl_state *s)
{
    return s->inputs[0] != 0.0 || s->masses[0] != 0.0;
}

// One flag and its values; false where they are none.
typedef struct input_reader {
    double (*number)(const void *user, int i);
    const void *user;
    int at;
    double count; // of inputs that were set
    bool good;
} input_reader;

// Values behind a flag of 0 must be 0: equal inputs then have equal bits, and equal hashes.
static bool input_read_flag(input_reader *r, double *values, int count)
{
    double flag = r->number(r->user, r->at);
    bool set = flag == 1.0;
    r->good = r->good && (set || flag == 0.0);
    for (int i = 0; i < count; ++i) {
        values[i] = r->number(r->user, r->at + 1 + i);
        r->good = r->good && (set || values[i] == 0.0);
    }
    r->at += 1 + count;
    r->count += flag;
    return set;
}

static const char *input_gains_fault(const pawl_actuator_def *d, const pawl_gains *g);

// Judges the numbers of a saved state before they are taken over: flags, ranges, and the count.
bool pawl_input_numbers_good(const pawl_model *m, double (*number)(const void *user, int i),
                             const void *user)
{
    input_reader r = {number, user, INPUT_GRAVITY, 0.0, true};
    double x[6];
    input_read_flag(&r, x, 3);
    for (int i = -1; i < m->shape_count; ++i) { // that of all, then of each
        r.good = (!input_read_flag(&r, x, 1) || x[0] >= 0.0) && r.good;
    }
    for (int i = 0; i < m->actuator_count; ++i) {
        const pawl_actuator_def *d = &m->actuators[i];
        input_read_flag(&r, x, 1);
        if (input_read_flag(&r, x, 3)) {
            pawl_gains gains = {x[0], isinf(d->damping) ? d->damping : x[1],
                                isinf(d->effort) ? d->effort : x[2]};
            r.good = r.good && input_gains_fault(d, &gains) == NULL;
        }
    }
    for (int i = 0; i < m->body_count; ++i, r.at += INPUT_BODY) {
        bool acts = false;
        for (int k = 0; k < INPUT_BODY; ++k) {
            acts = acts || number(user, r.at + k) != 0.0;
        }
        r.count += acts ? 1.0 : 0.0;
    }
    return r.good && number(user, 0) == r.count;
}

// Writes a flag and its values, all 0 where `values` is NULL, and keeps count.
static void input_put(pawl_state *s, double *at, const double *values, int count)
{
    s->inputs[0] += (values != NULL ? 1.0 : 0.0) - at[0];
    at[0] = values != NULL ? 1.0 : 0.0;
    for (int i = 0; i < count; ++i) {
        at[1 + i] = values != NULL ? values[i] : 0.0;
    }
}

static pawl_status input_refuse_number(const pawl_state *s, const char *what, double value,
                                       const char *expected)
{
    return PAWL_FAIL(&s->env, PAWL_BAD_ARGUMENT, "%s of '%s': got %g, expected %s", what,
                     s->model->name, value, expected);
}

// ---- actuators ------------------------------------------------------------------------------------

static double *input_actuator(const pawl_state *s, int actuator)
{
    return pawl_state_inputs(s).actuators + INPUT_ACTUATOR * actuator;
}

pawl_status pawl_state_set_target(pawl_state *s, pawl_actuator_id id, double target)
{
    PAWL_NEED(NULL, s);
    int actuator = PAWL_INDEX(&s->env, &s->model->ids[ID_ACTUATOR], id);
    if (actuator < 0) {
        return PAWL_BAD_ARGUMENT;
    }
    if (!isfinite(target)) {
        return input_refuse_number(s, "the target of an actuator", target, "a finite number");
    }
    input_put(s, input_actuator(s, actuator), &target, 1);
    return PAWL_OK;
}

pawl_status pawl_state_clear_target(pawl_state *s, pawl_actuator_id id)
{
    PAWL_NEED(NULL, s);
    int actuator = PAWL_INDEX(&s->env, &s->model->ids[ID_ACTUATOR], id);
    if (actuator < 0) {
        return PAWL_BAD_ARGUMENT;
    }
    input_put(s, input_actuator(s, actuator), NULL, 1);
    return PAWL_OK;
}

double pawl_state_target(const pawl_state *s, pawl_actuator_id id)
{
    int actuator = s == NULL ? -1 : PAWL_INDEX(&s->env, &s->model->ids[ID_ACTUATOR], id);
    if (actuator < 0) {
        return NAN;
    }
    const double *at = input_actuator(s, actuator);
    return at[0] != 0.0 ? at[1] : pawl_signal_value(&s->model->actuators[actuator].target, s->time);
}

// Why these gains cannot be used by rows that were planned for the model's; NULL: they can.
//
// Infinite damping is a hard row and an infinite effort means no bounds: a change of either would
// change the kind of row, and rows are planned when a simulation is created. The same holds for
// gains of 0, which have no row.
static const char *input_gains_fault(const pawl_actuator_def *d, const pawl_gains *g)
{
    if (!(g->stiffness >= 0.0 && g->damping >= 0.0 && g->effort >= 0.0)) {
        return "numbers that are not negative";
    }
    if (isinf(g->stiffness)) {
        return "a finite stiffness";
    }
    if ((isinf(g->damping) != 0) != (isinf(d->damping) != 0) ||
        (isinf(g->effort) != 0) != (isinf(d->effort) != 0)) {
        return "damping and effort that are infinite where the model's are, and only there";
    }
    bool position = d->kind == PAWL_ACTUATOR_POSITION, velocity = d->kind == PAWL_ACTUATOR_VELOCITY;
    bool acts = position ? g->stiffness > 0.0 || g->damping > 0.0 : !velocity || g->damping > 0.0;
    bool acted = position ? d->stiffness > 0.0 || d->damping > 0.0 : !velocity || d->damping > 0.0;
    return !acts    ? "a gain above 0"
           : !acted ? "an actuator with a gain above 0 in its model"
                    : NULL;
}

pawl_status pawl_state_set_gains(pawl_state *s, pawl_actuator_id id, const pawl_gains *gains)
{
    PAWL_NEED(NULL, s);
    PAWL_NEED(&s->env, gains);
    int actuator = PAWL_INDEX(&s->env, &s->model->ids[ID_ACTUATOR], id);
    if (actuator < 0) {
        return PAWL_BAD_ARGUMENT;
    }
    const pawl_actuator_def *d = &s->model->actuators[actuator];
    const char *expected = input_gains_fault(d, gains);
    if (expected != NULL) {
        return PAWL_FAIL(
            &s->env, PAWL_BAD_ARGUMENT,
            "gains of the actuator of joint '%s': got stiffness %g, damping %g, effort "
            "%g, expected %s",
            s->model->joints[pawl_joint_index(d->joint)].name, gains->stiffness, gains->damping,
            gains->effort, expected);
    }
    // A saved state has only finite numbers: infinite values come from the model.
    const double values[3] = {gains->stiffness, isinf(gains->damping) ? 0.0 : gains->damping,
                              isinf(gains->effort) ? 0.0 : gains->effort};
    input_put(s, input_actuator(s, actuator) + 2, values, 3);
    return PAWL_OK;
}

pawl_status pawl_state_clear_gains(pawl_state *s, pawl_actuator_id id)
{
    PAWL_NEED(NULL, s);
    int actuator = PAWL_INDEX(&s->env, &s->model->ids[ID_ACTUATOR], id);
    if (actuator < 0) {
        return PAWL_BAD_ARGUMENT;
    }
    input_put(s, input_actuator(s, actuator) + 2, NULL, 3);
    return PAWL_OK;
}

pawl_gains pawl_state_gains(const pawl_state *s, pawl_actuator_id id)
{
    int actuator = s == NULL ? -1 : PAWL_INDEX(&s->env, &s->model->ids[ID_ACTUATOR], id);
    if (actuator < 0) {
        return (pawl_gains){NAN, NAN, NAN};
    }
    const pawl_actuator_def *d = &s->model->actuators[actuator];
    const double *at = input_actuator(s, actuator) + 2;
    if (at[0] == 0.0) {
        return (pawl_gains){d->stiffness, d->damping, d->effort};
    }
    return (pawl_gains){at[1], isinf(d->damping) ? d->damping : at[2],
                        isinf(d->effort) ? d->effort : at[3]};
}

// ---- wrenches -------------------------------------------------------------------------------------

static double *input_wrench(const pawl_state *s, int body)
{
    return pawl_state_inputs(s).wrenches + INPUT_BODY * body;
}

static bool input_wrench_acts(const double *w)
{
    return w[0] != 0.0 || w[1] != 0.0 || w[2] != 0.0 || w[3] != 0.0 || w[4] != 0.0 || w[5] != 0.0;
}

pawl_status pawl_state_set_wrench(pawl_state *s, pawl_body_id id, pawl_vec3 force, pawl_vec3 torque)
{
    PAWL_NEED(NULL, s);
    int body = PAWL_INDEX(&s->env, &s->model->ids[ID_BODY], id);
    if (body < 0) {
        return PAWL_BAD_ARGUMENT;
    }
    if (!v3_finite(force) || !v3_finite(torque)) {
        return PAWL_FAIL(&s->env, PAWL_BAD_ARGUMENT,
                         "wrench on body '%s': got (%g %g %g) N, (%g %g %g) N m, expected finite "
                         "numbers",
                         s->model->bodies[body].name, force.x, force.y, force.z, torque.x, torque.y,
                         torque.z);
    }
    double *at = input_wrench(s, body);
    double before = input_wrench_acts(at) ? 1.0 : 0.0;
    const double values[INPUT_BODY] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
    for (int i = 0; i < INPUT_BODY; ++i) {
        at[i] = values[i] + 0.0; // -0 becomes 0: nothing is set where all is 0
    }
    s->inputs[0] += (input_wrench_acts(at) ? 1.0 : 0.0) - before;
    return PAWL_OK;
}

// The moment is taken about the centre of mass at the present pose. The wrench stays constant in
// world axes until it is set again; it does not follow the point.
pawl_status pawl_state_add_force(pawl_state *s, pawl_body_id id, pawl_vec3 force,
                                 pawl_vec3 world_point)
{
    PAWL_NEED(NULL, s);
    int body = PAWL_INDEX(&s->env, &s->model->ids[ID_BODY], id);
    if (body < 0) {
        return PAWL_BAD_ARGUMENT;
    }
    const double *at = input_wrench(s, body);
    pawl_vec3 moment = v3_cross(v3_sub(world_point, s->bodies[body].r), force);
    return pawl_state_set_wrench(s, id, v3_add(v3(at[0], at[1], at[2]), force),
                                 v3_add(v3(at[3], at[4], at[5]), moment));
}

pawl_status pawl_state_wrench(const pawl_state *s, pawl_body_id id, pawl_vec3 *force,
                              pawl_vec3 *torque)
{
    PAWL_NEED(NULL, s);
    int body = PAWL_INDEX(&s->env, &s->model->ids[ID_BODY], id);
    if (body < 0) {
        return PAWL_BAD_ARGUMENT;
    }
    const double *at = input_wrench(s, body);
    if (force != NULL) {
        *force = v3(at[0], at[1], at[2]);
    }
    if (torque != NULL) {
        *torque = v3(at[3], at[4], at[5]);
    }
    return PAWL_OK;
}

// ---- gravity --------------------------------------------------------------------------------------

pawl_vec3 pawl_state_gravity(const pawl_state *s)
{
    if (s == NULL) {
        return (pawl_vec3){NAN, NAN, NAN};
    }
    const double *at = pawl_state_inputs(s).gravity;
    return at[0] != 0.0 ? v3(at[1], at[2], at[3]) : s->model->gravity;
}

// Potential energy of weight, as pawl_state_energy() has it [J].
// Negative work of the weight from the world's origin.
static double input_potential(const pawl_state *s, pawl_vec3 gravity)
{
    double energy = 0.0;
    for (int i = 0; i < s->model->body_count; ++i) {
        const model_body *b = &s->model->bodies[i];
        double mass = b->mass * pawl_state_mass_factor(s, i);
        energy -= mass * b->gravity_scale * v3_dot(gravity, s->bodies[i].r);
    }
    return energy;
}

// A change of gravity changes the potential energy at once. Counting it as work of applied forces
// keeps the energy balance (docs/math.md section 6).
static void input_change_gravity(pawl_state *s, const double *values)
{
    double before = input_potential(s, pawl_state_gravity(s));
    input_put(s, pawl_state_inputs(s).gravity, values, 3);
    s->work[WORK_FORCES] += input_potential(s, pawl_state_gravity(s)) - before;
}

pawl_status pawl_state_set_gravity(pawl_state *s, pawl_vec3 gravity)
{
    PAWL_NEED(NULL, s);
    if (!v3_finite(gravity)) {
        return PAWL_FAIL(&s->env, PAWL_BAD_ARGUMENT,
                         "gravity of '%s': got (%g %g %g), expected finite numbers", s->model->name,
                         gravity.x, gravity.y, gravity.z);
    }
    input_change_gravity(s, (const double[3]){gravity.x, gravity.y, gravity.z});
    return PAWL_OK;
}

pawl_status pawl_state_clear_gravity(pawl_state *s)
{
    PAWL_NEED(NULL, s);
    input_change_gravity(s, NULL);
    return PAWL_OK;
}

// ---- friction -------------------------------------------------------------------------------------

// A factor of 1 is none.
//
// It is stored as not set, so that setting and clearing give the same state.
static pawl_status input_scale(pawl_state *s, double *at, double scale)
{
    if (!(scale >= 0.0) || isinf(scale)) {
        return input_refuse_number(s, "the friction factor", scale, "a finite number of 0 or more");
    }
    input_put(s, at, scale != 1.0 ? &scale : NULL, 1);
    return PAWL_OK;
}

static double input_scale_of(const double *at)
{
    return at[0] != 0.0 ? at[1] : 1.0;
}

pawl_status pawl_state_set_friction_scale(pawl_state *s, double scale)
{
    PAWL_NEED(NULL, s);
    return input_scale(s, pawl_state_inputs(s).friction, scale);
}

double pawl_state_friction_scale(const pawl_state *s)
{
    return s != NULL ? input_scale_of(pawl_state_inputs(s).friction) : NAN;
}

pawl_status pawl_state_set_shape_friction_scale(pawl_state *s, pawl_shape_id id, double scale)
{
    PAWL_NEED(NULL, s);
    int shape = PAWL_INDEX(&s->env, &s->model->ids[ID_SHAPE], id);
    if (shape < 0) {
        return PAWL_BAD_ARGUMENT;
    }
    return input_scale(s, pawl_state_inputs(s).shapes + INPUT_SHAPE * shape, scale);
}

double pawl_state_shape_friction_scale(const pawl_state *s, pawl_shape_id id)
{
    int shape = s == NULL ? -1 : PAWL_INDEX(&s->env, &s->model->ids[ID_SHAPE], id);
    if (shape < 0) {
        return NAN;
    }
    return input_scale_of(pawl_state_inputs(s).shapes + INPUT_SHAPE * shape);
}

// ---- masses ---------------------------------------------------------------------------------------

// Kinetic energy of one body, and its potential energy in gravity [J].
static double input_body_energy(const pawl_state *s, int body)
{
    const model_body *b = &s->model->bodies[body];
    const body_state *x = &s->bodies[body];
    pawl_mat3 r = quat_matrix(x->q);
    pawl_vec3 w = m3_tmul(&r, x->w), gravity = pawl_state_gravity(s);
    double energy = 0.5 * b->mass * v3_dot(x->v, x->v) + 0.5 * v3_dot(w, m3_mul(&b->inertia, w)) -
                    b->mass * b->gravity_scale * v3_dot(gravity, x->r);
    return pawl_state_mass_factor(s, body) * energy;
}

// A change of mass changes energies at once. As with gravity, that counts as work of applied forces. A factor of 1 is
// stored as none. The rows contain masses, so they are placed again.
static void input_change_mass(pawl_state *s, int body, double factor)
{
    double before = input_body_energy(s, body), *at = &s->masses[1 + body];
    s->masses[0] += (factor != 1.0 ? 1.0 : 0.0) - (*at != 0.0 ? 1.0 : 0.0);
    *at = factor != 1.0 ? factor : 0.0;
    s->work[WORK_FORCES] += input_body_energy(s, body) - before;
    s->moved = true;
}

pawl_status pawl_state_set_mass_scale(pawl_state *s, pawl_body_id id, double scale)
{
    PAWL_NEED(NULL, s);
    int body = PAWL_INDEX(&s->env, &s->model->ids[ID_BODY], id);
    if (body < 0) {
        return PAWL_BAD_ARGUMENT;
    }
    if (!(scale > 0.0) || isinf(scale)) {
        return input_refuse_number(s, "the factor of a mass", scale, "a finite number above 0");
    }
    input_change_mass(s, body, scale);
    return PAWL_OK;
}

double pawl_state_mass_scale(const pawl_state *s, pawl_body_id id)
{
    int body = s == NULL ? -1 : PAWL_INDEX(&s->env, &s->model->ids[ID_BODY], id);
    return body < 0 ? NAN : pawl_state_mass_factor(s, body);
}

bool pawl_mass_numbers_good(const pawl_model *m, double (*number)(const void *user, int i),
                            const void *user)
{
    double count = 0.0;
    bool good = true;
    for (int i = 0; i < m->body_count; ++i) {
        double factor = number(user, 1 + i);
        good = good && factor >= 0.0 && factor != 1.0;
        count += factor != 0.0 ? 1.0 : 0.0;
    }
    return good && number(user, 0) == count;
}

// ---- all ------------------------------------------------------------------------------------------

pawl_status pawl_state_clear_inputs(pawl_state *s)
{
    PAWL_NEED(NULL, s);
    if (pawl_state_has_inputs(s)) {
        for (int i = 0; i < s->model->body_count; ++i) { // their work is counted, as gravity's
            input_change_mass(s, i, 1.0);
        }
        input_change_gravity(s, NULL);
        memset(s->inputs, 0, (size_t)pawl_state_input_numbers(s->model) * sizeof *s->inputs);
    }
    return PAWL_OK;
}

int pawl_state_input_count(const pawl_state *s)
{
    return s != NULL ? (int)(s->inputs[0] + s->masses[0]) : 0;
}
