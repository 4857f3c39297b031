// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Derivatives of steps against central differences of the same steps, solved to 1e-11 with the input
// changed: with contacts that stick, slide and have just been met, balls included.
#include "pawl/io.h"
#include "pawl/sensitivity.h"
#include "step/nmdp/nmdp.h"
#include "support/contact_tree.h"
#include "support/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 24 };

typedef struct outcome {
    double theta[COLUMNS], rate[COLUMNS]; // in the chart of the start
} outcome;

// One step from coordinates and velocities (of balls in their own axes), in a chart that stays the same.
static outcome sense_step(nmdp *s, const double *theta, const double *velocity, double time)
{
    double rate[COLUMNS];
    outcome out;
    pawl_reduced_ball_rate(s->tree, theta, velocity, rate);
    memset(s->w, 0, (size_t)s->weights * sizeof *s->w);
    s->beta = s->settings->nmdp.beta_min;
    pawl_nmdp_keep_spent(s, NULL); // nothing is remembered
    pawl_nmdp_begin(s, theta, rate, time);
    CHECK(pawl_nmdp_euler_stage(s, s->settings->dt, time, time + s->settings->dt));
    memcpy(out.theta, s->theta, (size_t)s->n * sizeof *s->theta);
    memcpy(out.rate, s->now_rate.theta, (size_t)s->n * sizeof *s->theta);
    return out;
}

// The difference of two ends: of balls a turn in their own axes, and angular velocities in these.
static void sense_difference(const nmdp *s, const outcome *a, const outcome *b, double scale,
                             double *out)
{
    double wa[COLUMNS], wb[COLUMNS];
    pawl_reduced_ball_velocity(s->tree, a->theta, a->rate, wa);
    pawl_reduced_ball_velocity(s->tree, b->theta, b->rate, wb);
    for (int k = 0; k < s->n; ++k) {
        out[k] = scale * (a->theta[k] - b->theta[k]);
        out[s->n + k] = scale * (wa[k] - wb[k]);
    }
    for (int i = 0; i < s->tree->ball_count; ++i) {
        int f = s->tree->ball_column[i];
        pawl_quat qa = quat_exp(v3(a->theta[f], a->theta[f + 1], a->theta[f + 2]));
        pawl_quat qb = quat_exp(v3(b->theta[f], b->theta[f + 1], b->theta[f + 2]));
        pawl_vec3 turn = quat_log(quat_mul(quat_conj(qb), qa));
        out[f] = scale * turn.x, out[f + 1] = scale * turn.y, out[f + 2] = scale * turn.z;
    }
}

typedef struct sense_case {
    mechanism m;
    pawl_settings settings;
    pawl_sensitivity *d;
    nmdp *s;
    pawl_state *state;
    double theta[COLUMNS], velocity[COLUMNS];
    double time; // of the start [s]
} sense_case;

// From the start of the model, with the first body that low and that fast.
static void sense_begin(sense_case *c, double down, pawl_twist twist, pawl_nmdp_dynamics dynamics)
{
    uint64_t seed = 4;
    c->time = 0.0;
    contact_tree_build(&c->m, &seed);
    c->settings = mechanism_settings(5e-3, PAWL_STEPPER_NMDP);
    c->settings.nmdp.stiffness = 1e6;
    c->settings.nmdp.tolerance = 1e-11;
    c->settings.nmdp.beta_min = 1e-6;
    c->settings.nmdp.max_iterations = 20000;
    c->settings.nmdp.dynamics = dynamics;
    CHECK_OK(pawl_sensitivity_create(&c->m.t.env, c->m.model, &c->settings, &c->d));
    CHECK_OK(pawl_nmdp_create(&c->m.t.env, c->m.model, &c->settings, &c->s));
    CHECK_OK(pawl_state_create(&c->m.t.env, c->m.model, &c->state));
    for (int i = 0; i < c->m.model->body_count; ++i) {
        pawl_pose pose =
            pawl_state_pose(c->state, pawl_model_body_at(pawl_state_model(c->state), i));
        pose.position.z -= down;
        pawl_state_set_pose(c->state, pawl_model_body_at(pawl_state_model(c->state), i), pose);
        pawl_state_set_twist(c->state, pawl_model_body_at(pawl_state_model(c->state), i),
                             (pawl_twist){.linear = twist.linear});
    }
    int64_t calls = c->m.t.calls;
    CHECK_OK(pawl_sensitivity_compute(c->d, c->state));
    CHECK_INT(c->m.t.calls, calls);
    pawl_nmdp_read_state(c->s, c->state);
    memcpy(c->theta, c->s->begin.theta, (size_t)c->s->n * sizeof(double));
    memcpy(c->velocity, c->s->begin_rate.theta, (size_t)c->s->n * sizeof(double));
}

static void sense_end(sense_case *c)
{
    pawl_state_destroy(c->state);
    pawl_nmdp_destroy(c->s);
    pawl_sensitivity_destroy(c->d);
    mechanism_end(&c->m);
}

static void sense_compare(const sense_case *c, pawl_sensitivity_input input, int column,
                          const double *expected, double tolerance, double noise)
{
    int inputs = pawl_sensitivity_input_count(c->d, input), rows = 2 * c->s->n;
    const double *matrix = pawl_sensitivity_matrix(c->d, input);
    double size = 0.0;
    for (int k = 0; k < rows; ++k) {
        size = fmax(size, fabs(expected[k]));
    }
    for (int k = 0; k < rows; ++k) {
        CHECK_NEAR(matrix[k * inputs + column], expected[k], tolerance * size + noise);
    }
}

// Of robots that stand, a step ends when it moves by less than its tolerance (or 1e-11, by rounding), which with a contraction of 0.8 is a
// fourth of its error; rates are coordinates over dt. Differences over 2 d have that much noise.
//
// Where a weight is about to vanish (a robot that stands symmetrically) the two sides of a difference differ, and there is
// no derivative to compare with; such columns are counted, and may be one in twenty.
static void sense_check_columns(sense_case *c, double d, double tolerance, bool stands)
{
    double noise = 4.0 * fmax(c->settings.nmdp.tolerance, 1e-11) / (d * c->settings.dt);
    outcome here = sense_step(c->s, c->theta, c->velocity, c->time);
    int kinks = 0;
    for (int input = PAWL_BY_POSITION; input <= PAWL_BY_RATE; ++input) {
        double *x = input == PAWL_BY_POSITION ? c->theta : c->velocity;
        for (int j = 0; j < c->s->n; ++j) {
            double at = x[j], expected[2 * COLUMNS], side[2][2 * COLUMNS], bend = 0.0, size = 0.0;
            x[j] = at + d;
            outcome more = sense_step(c->s, c->theta, c->velocity, c->time);
            x[j] = at - d;
            outcome less = sense_step(c->s, c->theta, c->velocity, c->time);
            x[j] = at;
            sense_difference(c->s, &more, &less, 0.5 / d, expected);
            sense_difference(c->s, &more, &here, 1.0 / d, side[0]);
            sense_difference(c->s, &here, &less, 1.0 / d, side[1]);
            for (int k = 0; k < 2 * c->s->n; ++k) {
                bend = fmax(bend, fabs(side[0][k] - side[1][k]));
                size = fmax(size, fabs(expected[k]));
            }
            if (stands && bend > 2.0 * noise + 1e-3 * size) {
                ++kinks;
                continue;
            }
            sense_compare(c, (pawl_sensitivity_input)input, j, expected, tolerance,
                          stands ? noise : 0.0);
        }
    }
    CHECK(20 * kinks <= 2 * c->s->n);
}

// Away from such places, where steps converge fast: every column, with the tolerance alone.
static void sense_check_state(sense_case *c, double d, double tolerance)
{
    sense_check_columns(c, d, tolerance, false);
}

// In the air nothing but the dynamics is differentiated.
TEST(free_motion_has_the_derivatives_of_differences)
{
    for (int k = 0; k < 2; ++k) {
        sense_case c;
        sense_begin(&c, -1.0, (pawl_twist){.linear = {0.5, 0.2, 0.1}},
                    k == 0 ? PAWL_NMDP_NE : PAWL_NMDP_PBD);
        CHECK_INT(c.s->used_count, 0);
        sense_check_state(&c, 1e-4, 1e-6);
        sense_end(&c);
    }
}

// Deep in the ground and at rest: contacts hold what moves.
TEST(sticking_contacts_have_the_derivatives_of_differences)
{
    sense_case c;
    sense_begin(&c, 0.04, (pawl_twist){0}, PAWL_NMDP_NE);
    CHECK(pawl_sensitivity_coordinate_count(c.d) == c.s->n);
    // Steps end 1e-11 from where they would, which over 2 d and a step of 5 ms is 1e-9/d; with d^2 from the third derivative
    // the sum is least near here.
    sense_check_state(&c, 1e-4, 1e-4);
    CHECK(c.s->used_count > 0);
    sense_end(&c);
}

// Fast along the ground: weights at the ends of their polytopes.
TEST(sliding_contacts_have_the_derivatives_of_differences)
{
    for (int k = 0; k < 2; ++k) {
        sense_case c;
        sense_begin(&c, 0.02, (pawl_twist){.linear = {1.5, 0.3, -0.2}},
                    k == 0 ? PAWL_NMDP_NE : PAWL_NMDP_PBD);
        sense_check_state(&c, 1e-5, 1e-4);
        CHECK(c.s->used_count > 0);
        sense_end(&c);
    }
}

// A box on a planar joint with a driven arm slides over two declared contact points; `x` changes what is
// differentiated by: force on the box along x, target of the arm, stiffness and friction of the points, height and tilt of
// the ground.
enum {
    RIG_FORCE,
    RIG_TARGET,
    RIG_STIFFNESS,
    RIG_FRICTION,
    RIG_LIFT,
    RIG_TILT,
    RIG_INPUTS,
    RIG_COORDINATES = 4
};

static void rig_build(mechanism *m, const double x[RIG_INPUTS])
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -9.81));
    pawl_shape_def floor = pawl_shape_def_default();
    floor.kind = PAWL_SHAPE_PLANE;
    floor.frame.position = v3(0, 0, x[RIG_LIFT]);
    floor.frame.orientation = quat_exp(v3(0, x[RIG_TILT], 0));
    CHECK_OK(pawl_builder_add_shape(m->builder, PAWL_WORLD, &floor, NULL));
    pawl_body_id box = mechanism_solid(m, 4.0, v3(0, 0, 0.08), v3(0.1, 0.1, 0.1));
    pawl_body_id arm = mechanism_solid(m, 1.0, v3(0.3, 0, 0.3), v3(0.02, 0.02, 0.02));
    pawl_joint_def base =
        mechanism_joint_def(m, PAWL_JOINT_PLANAR, PAWL_WORLD, box, v3(0, 0, 0.08), v3(0, 1, 0));
    mechanism_joint(m, &base);
    pawl_joint_def hinge =
        mechanism_joint_def(m, PAWL_JOINT_REVOLUTE, box, arm, v3(0.1, 0, 0.2), v3(0, 1, 0));
    pawl_joint_id joint = mechanism_joint(m, &hinge);
    pawl_actuator_def servo = pawl_actuator_def_default();
    servo.kind = PAWL_ACTUATOR_POSITION;
    servo.joint = joint;
    servo.stiffness = 200.0;
    servo.damping = 2.0;
    servo.target = pawl_signal_constant(x[RIG_TARGET]);
    mechanism_actuator(m, &servo);
    pawl_force_def force = pawl_force_def_default();
    force.body = box;
    force.force[0] = pawl_signal_constant(x[RIG_FORCE]);
    mechanism_force(m, &force);
    pawl_wrench_model_def law = pawl_wrench_model_def_default(PAWL_WRENCH_COULOMB);
    law.stiffness = x[RIG_STIFFNESS];
    law.friction = x[RIG_FRICTION];
    int model;
    CHECK_OK(pawl_builder_add_wrench_model(m->builder, &law, &model));
    for (int i = 0; i < 2; ++i) {
        pawl_contact_point_def point = pawl_contact_point_def_default();
        point.body = box;
        point.frame.position = v3(i == 0 ? -0.2 : 0.2, 0, -0.1);
        point.wrench_model = model;
        CHECK_OK(pawl_builder_add_contact_point(m->builder, &point, NULL));
    }
    mechanism_compile(m);
}

static void rig_start(pawl_state *state)
{
    for (int i = 0; i < 2; ++i) {
        pawl_state_set_twist(state, pawl_model_body_at(pawl_state_model(state), i),
                             (pawl_twist){.linear = v3(1.0, 0, -0.1)});
    }
}

// Coordinates and rates after one step, by the simulation itself.
static void rig_step(const double x[RIG_INPUTS], const pawl_settings *settings,
                     double out[2 * RIG_COORDINATES])
{
    mechanism m;
    rig_build(&m, x);
    mechanism_start(&m, settings);
    pawl_state *state;
    CHECK_OK(pawl_state_create(&m.t.env, m.model, &state));
    rig_start(state);
    CHECK_OK(pawl_sim_set_state(m.sim, state));
    pawl_state_destroy(state);
    mechanism_step(&m);
    pawl_state_joint(mechanism_state(&m), pawl_model_joint_at(m.model, 0), out,
                     out + RIG_COORDINATES);
    pawl_state_joint(mechanism_state(&m), pawl_model_joint_at(m.model, 1), out + 3,
                     out + RIG_COORDINATES + 3);
    mechanism_end(&m);
}

// Row k of the derivative by one of the inputs. World x is a coordinate of the planar joint, with a sign; both points change
// together.
static double rig_derivative(const pawl_sensitivity *s, int input, int k, const double *end)
{
    int along = fabs(end[0]) > fabs(end[1]) ? 0 : 1;
    double sign = end[along] > 0.0 ? 1.0 : -1.0;
    int number = input == RIG_STIFFNESS ? PAWL_WRENCH_STIFFNESS : PAWL_WRENCH_FRICTION;
    const double *row =
        pawl_sensitivity_matrix(s, PAWL_BY_CONTACT) + k * 2 * PAWL_WRENCH_NUMBER_COUNT;
    const double *ground = pawl_sensitivity_matrix(s, PAWL_BY_GROUND) + k * 6;
    return input == RIG_FORCE
               ? sign * pawl_sensitivity_matrix(s, PAWL_BY_FORCE)[k * RIG_COORDINATES + along]
           : input == RIG_TARGET ? pawl_sensitivity_matrix(s, PAWL_BY_TARGET)[k]
           : input == RIG_LIFT   ? ground[2]
           : input == RIG_TILT   ? ground[4]
                                 : row[number] + row[PAWL_WRENCH_NUMBER_COUNT + number];
}

TEST(forces_targets_contacts_and_ground_have_the_derivatives_of_differences)
{
    double x[RIG_INPUTS] = {3.0, 0.2, 2e6, 0.6, 0.0, 0.0};
    const double d[RIG_INPUTS] = {1e-2, 1e-4, 20.0, 1e-5, 1e-6, 1e-6};
    pawl_settings settings = mechanism_settings(1e-2, PAWL_STEPPER_NMDP);
    settings.nmdp.part_energy = INFINITY; // a divided step has no derivatives
    settings.nmdp.tolerance = 1e-12;
    settings.nmdp.beta_min = 1e-6;
    settings.nmdp.max_iterations = 20000;
    mechanism m;
    rig_build(&m, x);
    pawl_sensitivity *s;
    pawl_state *state;
    CHECK_OK(pawl_sensitivity_create(&m.t.env, m.model, &settings, &s));
    CHECK_OK(pawl_state_create(&m.t.env, m.model, &state));
    rig_start(state);
    CHECK_OK(pawl_sensitivity_compute(s, state));
    CHECK_INT(pawl_sensitivity_coordinate_count(s), RIG_COORDINATES);
    double position[RIG_COORDINATES], rate[RIG_COORDINATES], end[2 * RIG_COORDINATES];
    pawl_sensitivity_end(s, position, rate);
    rig_step(x, &settings, end);
    for (int input = 0; input < RIG_INPUTS; ++input) {
        double more[2 * RIG_COORDINATES], less[2 * RIG_COORDINATES], at = x[input];
        x[input] = at + d[input];
        rig_step(x, &settings, more);
        x[input] = at - d[input];
        rig_step(x, &settings, less);
        x[input] = at;
        double size = 0.0, got[2 * RIG_COORDINATES];
        for (int k = 0; k < 2 * RIG_COORDINATES; ++k) {
            more[k] = 0.5 * (more[k] - less[k]) / d[input];
            size = fmax(size, fabs(more[k]));
            got[k] = rig_derivative(s, input, k, end);
        }
        CHECK(size > 0.0);
        for (int k = 0; k < 2 * RIG_COORDINATES; ++k) {
            CHECK_NEAR(got[k], more[k], 1e-5 * size);
        }
    }
    for (int k = 0; k < RIG_COORDINATES; ++k) {
        CHECK_NEAR(position[k], end[k], 1e-10);
        CHECK_NEAR(rate[k], end[RIG_COORDINATES + k], 1e-8);
    }
    pawl_state_destroy(state);
    pawl_sensitivity_destroy(s);
    mechanism_end(&m);
}

// The robots of models/robots as they stand after half a second, their soles and feet with more forces than the motion
// needs: derivatives by positions and rates against differences of steps.
TEST(standing_robots_have_the_derivatives_of_differences)
{
    const char *const robots[] = {"quadruped", "biped", "hexapod"};
    for (int r = 0; r < 3; ++r) {
        sense_case c = {0};
        test_env t;
        test_env_init(&t);
        char path[80], motion[80];
        snprintf(path, sizeof path, "models/robots/%s.urdf", robots[r]);
        snprintf(motion, sizeof motion, "models/robots/motions/%s-stand.motion", robots[r]);
        pawl_load_options options = pawl_load_options_default();
        options.motion_path = motion;
        options.ground = (pawl_ground_option){.put = true, .under = true, .friction = 0.8};
        CHECK_OK(pawl_model_load(&t.env, path, &options, &c.m.model));
        c.settings = mechanism_settings(0.02, PAWL_STEPPER_NMDP);
        c.settings.nmdp.tolerance = 1e-12;
        c.settings.nmdp.beta_min = 1e-6;
        c.settings.nmdp.max_iterations = 20000;
        pawl_sim *sim;
        CHECK_OK(pawl_sim_create(&t.env, c.m.model, &c.settings, &sim));
        for (int i = 0; i < 25; ++i) {
            CHECK_OK(pawl_sim_step(sim, NULL));
        }
        CHECK_OK(pawl_sensitivity_create(&t.env, c.m.model, &c.settings, &c.d));
        CHECK_OK(pawl_nmdp_create(&t.env, c.m.model, &c.settings, &c.s));
        CHECK_OK(pawl_sensitivity_compute(c.d, pawl_sim_state(sim)));
        pawl_nmdp_read_state(c.s, pawl_sim_state(sim));
        memcpy(c.theta, c.s->begin.theta, (size_t)c.s->n * sizeof(double));
        memcpy(c.velocity, c.s->begin_rate.theta, (size_t)c.s->n * sizeof(double));
        c.time = pawl_state_time(pawl_sim_state(sim));
        sense_check_columns(&c, 1e-5, 1e-4, true);
        CHECK(c.s->used_count > 0);
        pawl_nmdp_destroy(c.s);
        pawl_sensitivity_destroy(c.d);
        pawl_sim_destroy(sim);
        pawl_model_destroy(c.m.model);
        CHECK_NO_LEAK(&t);
    }
}
