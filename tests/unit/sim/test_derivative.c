// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Derivatives of a step against central differences of steps, over random states of chains, loops and a robot that stands on the ground.
// The difference of two states that were perturbed and assembled is itself measured, so that the comparison is along motions that
// the joints allow: what is compared is  dF * dx  with  (F(x+) - F(x-)) / 2 eps.
#include "math/rotation.h"
#include "math/vec.h"
#include "model/state.h"
#include "pawl/io.h"
#include "pawl/pawl.h"
#include "pawl/view.h"
#include "support/random.h"
#include "support/test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct derivative_case {
    test_env t;
    pawl_model *model;
    pawl_settings settings;
    pawl_derivative *d;
    pawl_sim *sim;
    int n; // 6 x bodies
} derivative_case;

static void case_begin(derivative_case *c, const char *path, pawl_stepper_kind stepper, double dt)
{
    test_env_init(&c->t);
    pawl_load_options options = pawl_load_options_default();
    CHECK_OK(pawl_model_load(&c->t.env, path, &options, &c->model));
    c->settings = pawl_settings_default();
    c->settings.stepper = stepper;
    c->settings.dt = dt;
    c->settings.solver.tolerance = 1e-11;
    c->n = 6 * pawl_model_body_count(c->model);
    CHECK_OK(pawl_derivative_create(&c->t.env, c->model, &c->settings, &c->d));
    CHECK_OK(pawl_sim_create(&c->t.env, c->model, &c->settings, &c->sim));
}

static void case_end(derivative_case *c)
{
    pawl_derivative_destroy(c->d);
    pawl_sim_destroy(c->sim);
    pawl_model_destroy(c->model);
    CHECK_NO_LEAK(&c->t);
}

// x (+) by * change, brought together again.
static void case_perturb(derivative_case *c, const pawl_state *x, const double *change, double by,
                         pawl_state *out)
{
    pawl_state_copy(out, x);
    for (int i = 0; i < c->n / 6; ++i) {
        const double *q = change + 6 * i, *u = change + c->n + 6 * i;
        body_state *b = &out->bodies[i];
        b->r = v3_axpy(b->r, by, v3(q[0], q[1], q[2]));
        b->q = quat_mul(quat_exp(v3(by * q[3], by * q[4], by * q[5])), b->q);
        b->v = v3_axpy(b->v, by, v3(u[0], u[1], u[2]));
        b->w = v3_axpy(b->w, by, v3(u[3], u[4], u[5]));
    }
    CHECK_OK(pawl_sim_set_state(c->sim, out));
    if (pawl_model_joint_count(c->model) > 0) {
        CHECK_OK(pawl_sim_assemble(c->sim, NULL, NULL));
    }
    pawl_state_copy(out, pawl_sim_state(c->sim));
}

// (b (-) a) / size, 2 n numbers.
static void case_difference(const derivative_case *c, const pawl_state *a, const pawl_state *b,
                            double size, double *out)
{
    for (int i = 0; i < c->n / 6; ++i) {
        const body_state *x = &a->bodies[i], *y = &b->bodies[i];
        pawl_vec3 r = v3_sub(y->r, x->r), t = quat_log(quat_mul(y->q, quat_conj(x->q)));
        pawl_vec3 v = v3_sub(y->v, x->v), w = v3_sub(y->w, x->w);
        const double q[6] = {r.x, r.y, r.z, t.x, t.y, t.z}, u[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
        for (int k = 0; k < 6; ++k) {
            out[6 * i + k] = q[k] / size;
            out[c->n + 6 * i + k] = u[k] / size;
        }
    }
}

static void case_step(derivative_case *c, pawl_state *s)
{
    CHECK_OK(pawl_sim_set_state(c->sim, s));
    CHECK_OK(pawl_sim_step(c->sim, NULL));
    pawl_state_copy(s, pawl_sim_state(c->sim));
}

typedef struct derivative_error {
    double worst; // relative to the largest number of the kind (poses, twists)
    int states;
} derivative_error;

// Changes of poses by inputs within one step are too small against the tolerance of position updates to be differenced: of those the twists
// alone, from which the poses follow.
static void error_add(derivative_error *e, int n, const double *got, const double *expected,
                      bool input)
{
    for (int half = input ? 1 : 0; half < 2; ++half) {
        double size = input ? 1e-6 : 1e-9, off = 0.0; // a wrench may act where nothing can move
        for (int i = half * n; i < (half + 1) * n; ++i) {
            size = fmax(size, fabs(expected[i]));
            off = fmax(off, fabs(got[i] - expected[i]));
        }
        e->worst = worst_of(e->worst, off / size);
    }
    ++e->states;
}

// Along one random change of the state x, which compute() was called for.
static void case_check_state(derivative_case *c, const pawl_state *x, uint64_t *seed, double eps,
                             bool poses, derivative_error *e)
{
    int n = c->n;
    pawl_state *plus, *minus;
    CHECK_OK(pawl_state_create(&c->t.env, c->model, &plus));
    CHECK_OK(pawl_state_create(&c->t.env, c->model, &minus));
    double *change = calloc((size_t)(8 * n), sizeof *change), *dx = change + 2 * n,
           *expected = dx + 2 * n, *got = expected + 2 * n;
    for (int i = poses ? 0 : n; i < 2 * n; ++i) {
        change[i] = random_in(seed, -1.0, 1.0);
    }
    case_perturb(c, x, change, eps, plus);
    case_perturb(c, x, change, -eps, minus);
    case_difference(c, minus, plus, 2.0 * eps, dx);
    case_step(c, plus);
    case_step(c, minus);
    case_difference(c, minus, plus, 2.0 * eps, expected);
    const double *by_pose = pawl_derivative_matrix(c->d, PAWL_DERIVATIVE_POSE);
    const double *by_twist = pawl_derivative_matrix(c->d, PAWL_DERIVATIVE_TWIST);
    for (int r = 0; r < 2 * n; ++r) {
        for (int j = 0; j < n; ++j) {
            got[r] += by_pose[r * n + j] * dx[j] + by_twist[r * n + j] * dx[n + j];
        }
    }
    error_add(e, n, got, expected, false);
    free(change);
    pawl_state_destroy(plus);
    pawl_state_destroy(minus);
}

// By one parameter, set by `set` to its value and a little more or less.
typedef void (*case_set)(pawl_state *s, int i, double by);

static void case_check_input(derivative_case *c, const pawl_state *x, pawl_derivative_input input,
                             int i, case_set set, double eps, derivative_error *e)
{
    int n = c->n, width = pawl_derivative_width(c->d, input);
    pawl_state *side[2];
    double *expected = calloc((size_t)(4 * n), sizeof *expected), *got = expected + 2 * n;
    for (int k = 0; k < 2; ++k) {
        CHECK_OK(pawl_state_create(&c->t.env, c->model, &side[k]));
        pawl_state_copy(side[k], x);
        set(side[k], i, k == 0 ? -eps : eps);
        case_step(c, side[k]);
    }
    case_difference(c, side[0], side[1], 2.0 * eps, expected);
    for (int r = 0; r < 2 * n; ++r) {
        got[r] = pawl_derivative_matrix(c->d, input)[r * width + i];
    }
    error_add(e, n, got, expected, true);
    free(expected);
    pawl_state_destroy(side[0]);
    pawl_state_destroy(side[1]);
}

static void set_target(pawl_state *s, int i, double by)
{
    pawl_actuator_id id = pawl_model_actuator_at(pawl_state_model(s), i);
    CHECK_OK(pawl_state_set_target(s, id, pawl_state_target(s, id) + by));
}

static void set_wrench(pawl_state *s, int i, double by)
{
    double w[6] = {0};
    w[i % 6] = by;
    CHECK_OK(pawl_state_set_wrench(s, pawl_model_body_at(pawl_state_model(s), i / 6),
                                   v3(w[0], w[1], w[2]), v3(w[3], w[4], w[5])));
}

static void set_gravity(pawl_state *s, int i, double by)
{
    pawl_vec3 g = pawl_state_gravity(s);
    double *x[3] = {&g.x, &g.y, &g.z};
    *x[i] += by;
    CHECK_OK(pawl_state_set_gravity(s, g));
}

static void set_mass(pawl_state *s, int i, double by)
{
    pawl_body_id id = pawl_model_body_at(pawl_state_model(s), i);
    CHECK_OK(pawl_state_set_mass_scale(s, id, pawl_state_mass_scale(s, id) + by));
}

static void set_friction(pawl_state *s, int i, double by)
{
    (void)i;
    CHECK_OK(pawl_state_set_friction_scale(s, pawl_state_friction_scale(s) + by));
}

// A random state: a random change of the start, then some steps with random targets.
static pawl_state *case_state(derivative_case *c, uint64_t *seed, double size, double speed,
                              int steps)
{
    pawl_state *x;
    CHECK_OK(pawl_state_create(&c->t.env, c->model, &x));
    pawl_state_copy(x, pawl_sim_state(c->sim));
    double *change = calloc((size_t)(2 * c->n), sizeof *change);
    for (int i = 0; i < 2 * c->n; ++i) {
        change[i] = i < c->n ? random_in(seed, -size, size) : random_in(seed, -speed, speed);
    }
    case_perturb(c, x, change, 1.0, x);
    for (int i = 0; i < pawl_model_actuator_count(c->model); ++i) {
        CHECK_OK(pawl_state_set_target(pawl_sim_edit_state(c->sim),
                                       pawl_model_actuator_at(c->model, i),
                                       random_in(seed, -0.2, 0.2)));
    }
    for (int k = 0; k < steps; ++k) {
        CHECK_OK(pawl_sim_step(c->sim, NULL));
    }
    pawl_state_copy(x, pawl_sim_state(c->sim));
    free(change);
    return x;
}

static void check_free(const char *path, pawl_stepper_kind stepper, double dt, double limit)
{
    derivative_case c;
    uint64_t seed = 77;
    derivative_error state = {0}, input = {0};
    case_begin(&c, path, stepper, dt);
    pawl_state *start;
    CHECK_OK(pawl_state_create(&c.t.env, c.model, &start));
    pawl_state_copy(start, pawl_sim_state(c.sim));
    for (int k = 0; k < 4; ++k) {
        CHECK_OK(pawl_sim_set_state(c.sim, start));
        pawl_state *x = case_state(&c, &seed, 0.05, 1.0, 3 + k);
        CHECK_OK(pawl_derivative_compute(c.d, x));
        case_check_state(&c, x, &seed, 1e-5, true, &state);
        for (int i = 0; i < pawl_model_actuator_count(c.model) && i < 2; ++i) {
            case_check_input(&c, x, PAWL_DERIVATIVE_TARGET, i, set_target, 1e-3, &input);
        }
        case_check_input(&c, x, PAWL_DERIVATIVE_WRENCH, random_index(&seed, c.n), set_wrench, 1e-2,
                         &input);
        case_check_input(&c, x, PAWL_DERIVATIVE_GRAVITY, 2, set_gravity, 1e-2, &input);
        case_check_input(&c, x, PAWL_DERIVATIVE_MASS, random_index(&seed, c.n / 6), set_mass, 1e-3,
                         &input);
        pawl_state_destroy(x);
    }
    printf("%s %s: state %.2g, inputs %.2g\n", path, pawl_stepper_name((int)stepper), state.worst,
           input.worst);
    CHECK(state.worst <= limit);
    CHECK(input.worst <= limit);
    pawl_state_destroy(start);
    case_end(&c);
}

TEST(derivatives_of_chains_and_loops_are_those_of_differences)
{
    for (int stepper = 0; stepper < 2; ++stepper) {
        check_free("models/classics/A02-N2.sdf", (pawl_stepper_kind)stepper, 1e-3, 2e-6);
        check_free("models/primitives/fourbar-free.sdf", (pawl_stepper_kind)stepper, 1e-3, 2e-6);
        check_free("models/suite/arm7.sdf", (pawl_stepper_kind)stepper, 1e-3, 2e-6);
        // It spins: gyroscopic torques are differentiated at their fixed point, which a step approaches in a few iterations.
        check_free("models/classics/A05-governor.sdf", (pawl_stepper_kind)stepper, 1e-3, 1e-3);
    }
}

// Rotors keep their speed while rows turn with the bodies (src/step/common/rotors.c).
TEST(derivatives_with_geared_joints_are_those_of_differences)
{
    char path[512];
    FILE *file = fopen(test_path("geared.xml", path, sizeof path), "w");
    CHECK(file != NULL);
    fputs(
        "<mujoco><worldbody><body><joint axis='0 1 0.3' armature='0.1'/>"
        "<geom type='box' size='0.2 0.03 0.03' pos='0.2 0 0' mass='1'/>"
        "<body pos='0.4 0 0'><joint type='slide' axis='1 0.2 0' armature='0.7' stiffness='30'/>"
        "<geom type='box' size='0.05 0.07 0.1' mass='0.5'/><body pos='0.1 0 0'>"
        "<joint axis='0 1 1' armature='0.02'/><geom type='box' size='0.1 0.02 0.02' pos='0.1 0 0' "
        "mass='0.4'/></body></body></body></worldbody></mujoco>",
        file);
    fclose(file);
    for (int stepper = 0; stepper < 2; ++stepper) {
        check_free(path, (pawl_stepper_kind)stepper, 1e-3, 2e-6);
    }
}

// A robot on four feet that stick, or slide on ice. Gaps of contacts that last are some 1e-8 m, and the bias of a gap has a kink at 0: differences
// of poses must be shorter than that, and where feet slide differences of twists alone are taken.
static void check_standing(pawl_stepper_kind stepper, bool ice, double limit)
{
    derivative_case c;
    uint64_t seed = 5;
    derivative_error state = {0}, target = {0}, friction = {0}, other = {0};
    case_begin(&c, "models/suite/quadruped.sdf", stepper, 2e-3);
    CHECK_OK(pawl_state_set_friction_scale(pawl_sim_edit_state(c.sim), ice ? 0.02 : 1.0));
    pawl_state *start;
    CHECK_OK(pawl_state_create(&c.t.env, c.model, &start));
    pawl_state_copy(start, pawl_sim_state(c.sim));
    for (int k = 0; k < 3; ++k) {
        CHECK_OK(pawl_sim_set_state(c.sim, start));
        pawl_state *x = case_state(&c, &seed, 0.0, 0.0, 40 + 10 * k);
        CHECK_OK(pawl_derivative_compute(c.d, x));
        CHECK(pawl_derivative_margin(c.d) > 1e-3);
        if (!ice ||
            stepper == PAWL_STEPPER_EULER) { // moreau moves by half a step before it looks at gaps
            case_check_state(&c, x, &seed, ice ? 1e-5 : 1e-8, !ice, &state);
        }
        case_check_input(&c, x, PAWL_DERIVATIVE_TARGET, random_index(&seed, 12), set_target, 1e-5,
                         &target);
        case_check_input(&c, x, PAWL_DERIVATIVE_WRENCH, 0, set_wrench, 1e-2, &other);
        case_check_input(&c, x, PAWL_DERIVATIVE_MASS, 0, set_mass, 1e-4, &other);
        if (ice) {
            case_check_input(&c, x, PAWL_DERIVATIVE_FRICTION, 0, set_friction, 1e-5, &friction);
        }
        pawl_state_destroy(x);
    }
    printf("quadruped %s %s: state %.2g, target %.2g, friction %.2g, others %.2g\n",
           pawl_stepper_name((int)stepper), ice ? "slides" : "sticks", state.worst, target.worst,
           friction.worst, other.worst);
    CHECK(state.worst <= limit && target.worst <= limit);
    CHECK(friction.worst <= limit && other.worst <= limit);
    pawl_state_destroy(start);
    case_end(&c);
}

TEST(derivatives_with_contacts_that_stick_or_slide)
{
    for (int stepper = 0; stepper < 2; ++stepper) {
        check_standing((pawl_stepper_kind)stepper, false, 1e-5);
        check_standing((pawl_stepper_kind)stepper, true, 1e-5);
    }
}

// Loops and contacts at once: the walker of the suite on its feet.
TEST(derivatives_of_a_walker_with_loops_and_contacts)
{
    derivative_case c;
    uint64_t seed = 9;
    derivative_error state = {0}, target = {0};
    case_begin(&c, "models/suite/walker31.sdf", PAWL_STEPPER_MOREAU, 1e-3);
    pawl_state *x = case_state(&c, &seed, 0.0, 0.0, 5);
    CHECK_OK(pawl_derivative_compute(c.d, x));
    case_check_state(&c, x, &seed, 1e-7, false, &state);
    case_check_input(&c, x, PAWL_DERIVATIVE_TARGET, 3, set_target, 1e-4, &target);
    printf("walker31: state %.2g, target %.2g, margin %.2g\n", state.worst, target.worst,
           pawl_derivative_margin(c.d));
    CHECK(state.worst <= 1e-4 && target.worst <= 1e-4);
    pawl_state_destroy(x);
    case_end(&c);
}

// Impacts, and steppers of another kind, are refused with a reason. A ball falls and bounces: the steps of its flight are differentiated, those
// of its impacts are not.
TEST(what_cannot_be_differentiated_is_refused)
{
    derivative_case c;
    case_begin(&c, "models/classics/D8-bouncing-ball.sdf", PAWL_STEPPER_MOREAU, 1e-3);
    int refused = 0, done = 0;
    for (int k = 0; k < 1500 && refused == 0; ++k) {
        pawl_status status = pawl_derivative_compute(c.d, pawl_sim_state(c.sim));
        refused += status == PAWL_UNSUPPORTED;
        done += status == PAWL_OK;
        if (refused == 0) {
            CHECK_OK(pawl_sim_step(c.sim, NULL));
        }
    }
    CHECK_INT(refused, 1);
    CHECK(done > 100);
    CHECK_MESSAGE(&c.t, "which is not differentiated");
    CHECK(pawl_derivative_matrix(c.d, PAWL_DERIVATIVE_POSE) == NULL);
    CHECK(pawl_derivative_state(c.d) == NULL);
    pawl_derivative *none;
    pawl_settings settings = pawl_settings_default();
    settings.stepper = PAWL_STEPPER_LIT;
    CHECK_STATUS(pawl_derivative_create(&c.t.env, c.model, &settings, &none), PAWL_UNSUPPORTED);
    settings.stepper = PAWL_STEPPER_MOREAU;
    settings.formulation = PAWL_FORMULATION_REDUCED;
    CHECK_STATUS(pawl_derivative_create(&c.t.env, c.model, &settings, &none), PAWL_UNSUPPORTED);
    CHECK(none == NULL);
    case_end(&c);
}
