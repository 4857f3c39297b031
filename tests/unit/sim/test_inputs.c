// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Inputs at run time. A model with an input set moves, to the last bit, like a model that was built with that number:
// this is checked for every stepper and both formulations, so that no stepper can forget one.
#include "math/vec.h"
#include "model/state.h"
#include "support/mechanism.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct input_case {
    pawl_stepper_kind stepper;
    pawl_formulation formulation;
} input_case;
static const input_case input_cases[] = {
    {PAWL_STEPPER_EULER, PAWL_FORMULATION_MAXIMAL},
    {PAWL_STEPPER_EULER, PAWL_FORMULATION_REDUCED},
    {PAWL_STEPPER_MOREAU, PAWL_FORMULATION_MAXIMAL},
    {PAWL_STEPPER_MOREAU, PAWL_FORMULATION_REDUCED},
    {PAWL_STEPPER_LIT, PAWL_FORMULATION_MAXIMAL},
    {PAWL_STEPPER_LIT, PAWL_FORMULATION_REDUCED},
    {PAWL_STEPPER_RATTLE, PAWL_FORMULATION_MAXIMAL},
    {PAWL_STEPPER_MDP, PAWL_FORMULATION_REDUCED},
    {PAWL_STEPPER_NMDP, PAWL_FORMULATION_REDUCED},
};
enum { INPUT_CASES = sizeof input_cases / sizeof input_cases[0] };

static pawl_settings input_settings(input_case c, double dt)
{
    pawl_settings s = mechanism_settings(dt, c.stepper);
    s.formulation = c.formulation;
    return s;
}

// An arm of three links on a slider, with an actuator of each kind. `built`: with the numbers that inputs would set.
typedef struct input_arm {
    pawl_body_id slider, link[3];
    pawl_joint_id hinge[3];
    pawl_actuator_id push, hold, spin;
} input_arm;

static const pawl_vec3 input_gravity = {0.5, -1.0, -3.7};
static const pawl_vec3 input_force = {1.5, -0.5, 2.0}, input_torque = {0.02, 0.3, -0.05};
static const pawl_gains input_hold = {35.0, 1.5, 4.0}, input_spin = {0.0, 0.4, INFINITY};

static pawl_actuator_id input_actuator(mechanism *m, pawl_actuator_kind kind, pawl_joint_id joint,
                                       double target, pawl_gains gains)
{
    pawl_actuator_def d = pawl_actuator_def_default();
    d.kind = kind;
    d.joint = joint;
    d.target = pawl_signal_constant(target);
    d.stiffness = gains.stiffness;
    d.damping = gains.damping;
    d.effort = gains.effort;
    return mechanism_actuator(m, &d);
}

static input_arm input_build(mechanism *m, bool built)
{
    input_arm a;
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, built ? input_gravity : v3(0, 0, -9.81));
    a.slider = mechanism_solid(m, 2.0, v3(0, 0, 0), v3(0.1, 0.2, 0.3));
    pawl_joint_id rail =
        mechanism_world_joint(m, PAWL_JOINT_PRISMATIC, a.slider, v3(0, 0, 0), v3(1, 0, 0));
    pawl_body_id base = a.slider;
    for (int i = 0; i < 3; ++i) {
        a.link[i] = mechanism_solid(m, 0.7 + 0.2 * i, v3(0.2 + 0.4 * i, 0, 0),
                                    v3(0.004, 0.02 + 0.01 * i, 0.03));
        pawl_vec3 axis = i == 1 ? v3(0, 0, 1) : v3(0, 1, 0);
        pawl_joint_def d =
            mechanism_joint_def(m, PAWL_JOINT_REVOLUTE, base, a.link[i], v3(0.4 * i, 0, 0), axis);
        d.coordinate[0].damping = 0.05;
        a.hinge[i] = mechanism_joint(m, &d);
        base = a.link[i];
    }
    pawl_gains none = {0, 0, INFINITY}, soft = {20.0, 0.5, 6.0}, drag = {0, 0.2, INFINITY};
    a.push = input_actuator(m, PAWL_ACTUATOR_FORCE, rail, built ? 3.0 : -1.0, none);
    a.hold = input_actuator(m, PAWL_ACTUATOR_POSITION, a.hinge[0], built ? 0.8 : -0.3,
                            built ? input_hold : soft);
    a.spin = input_actuator(m, PAWL_ACTUATOR_VELOCITY, a.hinge[1], built ? 1.2 : 0.0,
                            built ? input_spin : drag);
    if (built) {
        pawl_force_def f = pawl_force_def_default();
        f.body = a.link[2];
        f.force[0] = pawl_signal_constant(input_force.x);
        f.force[1] = pawl_signal_constant(input_force.y);
        f.force[2] = pawl_signal_constant(input_force.z);
        f.torque[0] = pawl_signal_constant(input_torque.x);
        f.torque[1] = pawl_signal_constant(input_torque.y);
        f.torque[2] = pawl_signal_constant(input_torque.z);
        mechanism_force(m, &f);
    }
    return a;
}

static void input_set_all(pawl_state *s, const input_arm *a)
{
    CHECK_OK(pawl_state_set_gravity(s, input_gravity));
    CHECK_OK(pawl_state_set_target(s, a->push, 3.0));
    CHECK_OK(pawl_state_set_target(s, a->hold, 0.8));
    CHECK_OK(pawl_state_set_target(s, a->spin, 1.2));
    CHECK_OK(pawl_state_set_gains(s, a->hold, &input_hold));
    CHECK_OK(pawl_state_set_gains(s, a->spin, &input_spin));
    CHECK_OK(pawl_state_set_wrench(s, a->link[2], input_force, input_torque));
}

static void input_check_same_motion(const mechanism *a, const mechanism *b)
{
    const pawl_state *s = mechanism_state(a), *t = mechanism_state(b);
    for (int i = 0; i < pawl_model_body_count(a->model); ++i) {
        pawl_pose p = pawl_state_pose(s, pawl_model_body_at(pawl_state_model(s), i)),
                  q = pawl_state_pose(t, pawl_model_body_at(pawl_state_model(t), i));
        pawl_twist u = pawl_state_twist(s, pawl_model_body_at(pawl_state_model(s), i)),
                   v = pawl_state_twist(t, pawl_model_body_at(pawl_state_model(t), i));
        CHECK(memcmp(&p, &q, sizeof p) == 0);
        CHECK(memcmp(&u, &v, sizeof u) == 0);
    }
}

// The bits of a model that has the numbers from the start; its energy balance is no worse.
TEST(every_stepper_obeys_inputs_as_if_the_model_had_been_built_with_them)
{
    for (int k = 0; k < INPUT_CASES; ++k) {
        pawl_settings settings = input_settings(input_cases[k], 2e-3);
        mechanism with, built;
        input_arm a = input_build(&with, false);
        input_build(&built, true);
        mechanism_start(&with, &settings);
        mechanism_start(&built, &settings);
        input_set_all(pawl_sim_edit_state(with.sim), &a);
        CHECK_INT(pawl_state_input_count(mechanism_state(&with)), 7);
        mechanism_run(&with, 150);
        mechanism_run(&built, 150);
        input_check_same_motion(&with, &built);
        pawl_energy e = mechanism_energy(&with), f = mechanism_energy(&built);
        CHECK_NEAR(e.work_actuators, f.work_actuators, 1e-12 * (1.0 + fabs(f.work_actuators)));
        CHECK_NEAR(e.balance, f.balance, 1e-11);
        for (int i = 0; i < 3; ++i) {
            CHECK_NEAR(pawl_sim_actuator_effort(with.sim, pawl_model_actuator_at(with.model, i)),
                       pawl_sim_actuator_effort(built.sim, pawl_model_actuator_at(built.model, i)),
                       0.0);
        }
        mechanism_end(&with);
        mechanism_end(&built);
    }
}

// Cleared inputs leave nothing behind: the motion and the hash of a run that never had any. Nothing is allocated
// by setting inputs again, and a step that met its inputs before allocates nothing either.
TEST(inputs_that_are_cleared_leave_nothing_behind)
{
    for (int k = 0; k < INPUT_CASES; ++k) {
        pawl_settings settings = input_settings(input_cases[k], 2e-3);
        mechanism with, plain;
        input_arm a = input_build(&with, false);
        input_build(&plain, false);
        mechanism_start(&with, &settings);
        mechanism_start(&plain, &settings);
        pawl_state *start;
        CHECK_OK(pawl_state_create(&with.t.env, with.model, &start));
        CHECK_OK(pawl_state_copy(start, mechanism_state(&with)));
        input_set_all(pawl_sim_edit_state(with.sim), &a);
        CHECK(pawl_state_hash(mechanism_state(&with)) != pawl_state_hash(start));
        mechanism_run(&with, 3);
        int64_t calls = with.t.calls;
        input_set_all(pawl_sim_edit_state(with.sim), &a);
        mechanism_run(&with, 3);
        CHECK_INT(with.t.calls, calls);
        CHECK_OK(pawl_state_clear_inputs(pawl_sim_edit_state(with.sim)));
        CHECK_INT(pawl_state_input_count(mechanism_state(&with)), 0);
        mechanism_run(&with, 1);
        CHECK_OK(pawl_sim_set_state(with.sim, start));
        mechanism_run(&with, 60);
        mechanism_run(&plain, 60);
        CHECK(pawl_state_hash(mechanism_state(&with)) == pawl_state_hash(mechanism_state(&plain)));
        pawl_state_destroy(start);
        mechanism_end(&with);
        mechanism_end(&plain);
    }
}

// A controller that changes its inputs in every step, once in one piece and once saved and loaded in the middle.
static void input_control(mechanism *m, const input_arm *a, int step)
{
    pawl_state *s = pawl_sim_edit_state(m->sim);
    double angle = mechanism_position(m, a->hinge[0], 0), rate = mechanism_rate(m, a->hinge[2], 0);
    CHECK_OK(pawl_state_set_target(s, a->push, -4.0 * angle));
    CHECK_OK(pawl_state_set_target(s, a->hold, 0.3 * sin(0.05 * step)));
    CHECK_OK(pawl_state_set_wrench(s, a->link[2], v3(-rate, 0, 0.1), v3(0, 0.01 * rate, 0)));
    if (step == 20 || step == 300) {
        CHECK_OK(pawl_state_set_gravity(s, v3(0, 1, step == 20 ? -5 : 12)));
        CHECK_OK(pawl_state_set_gains(s, a->hold, &input_hold));
    }
}

TEST(a_controlled_run_resumes_from_a_saved_state_with_the_same_bits)
{
    for (int k = 0; k < INPUT_CASES; ++k) {
        pawl_settings settings = input_settings(input_cases[k], 2e-3);
        mechanism whole, parts;
        input_arm a = input_build(&whole, false);
        input_build(&parts, false);
        mechanism_start(&whole, &settings);
        mechanism_start(&parts, &settings);
        for (int step = 0; step < 60; ++step) {
            input_control(&whole, &a, step);
            mechanism_run(&whole, 1);
            input_control(&parts, &a, step);
            if (step == 33) { // with the inputs of this step
                mechanism_resume(&parts, &settings);
            }
            mechanism_run(&parts, 1);
        }
        CHECK(pawl_state_hash(mechanism_state(&whole)) == pawl_state_hash(mechanism_state(&parts)));
        mechanism_end(&whole);
        mechanism_end(&parts);
    }
}

// The same 0.2 s in `refine` times as many steps; the energy that nothing explains, over the energy turned over.
static double input_balance_error(input_case c, int refine)
{
    pawl_settings settings = input_settings(c, 5e-4 / refine);
    mechanism m;
    input_arm a = input_build(&m, false);
    mechanism_start(&m, &settings);
    for (int step = 0; step < 400 * refine; ++step) {
        if (step % refine == 0) {
            input_control(&m, &a, step / refine);
        }
        mechanism_run(&m, 1);
    }
    pawl_energy e = mechanism_energy(&m);
    CHECK(fabs(e.work_forces) > 1.0);
    CHECK(fabs(e.work_actuators) > 0.05);
    double error = pawl_verdict_energy_error(&m.verdict);
    mechanism_end(&m);
    return error;
}

// What inputs do is in the balance: the error goes with the step, by the order of the stepper or faster. A balance
// that forgot a jump of gravity, or the work of a wrench, would be off by more than 1 % however short the step.
TEST(the_energy_balance_counts_what_inputs_do)
{
    for (int k = 0; k < INPUT_CASES; ++k) {
        double coarse = input_balance_error(input_cases[k], 1);
        double fine = input_balance_error(input_cases[k], 4);
        CHECK(coarse < 1e-2);
        CHECK(fine < 1e-6 || fine < 0.3 * coarse); // 1/4 by the first order
    }
}

// Newton: a free body of 2 kg under a force at a point off its centre, for one step of euler from rest.
TEST(a_force_at_a_point_of_the_world_turns_and_moves_a_body)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_def d = pawl_body_def_default();
    d.mass = 2.0;
    d.com = v3(0.1, 0, 0);
    d.pose.position = v3(1, 2, 3);
    d.inertia[0] = d.inertia[1] = d.inertia[2] = 0.5;
    pawl_body_id body = mechanism_body(&m, &d);
    pawl_settings settings = mechanism_settings(0.01, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    pawl_state *s = pawl_sim_edit_state(m.sim);
    CHECK_OK(pawl_state_add_force(s, body, v3(0, 0, 4), v3(1.6, 2, 3)));
    CHECK_OK(pawl_state_add_force(s, body, v3(1, 0, 0), v3(1.1, 2, 3)));
    pawl_vec3 force, torque;
    CHECK_OK(pawl_state_wrench(s, body, &force, &torque));
    CHECK_NEAR(force.x, 1.0, 0.0);
    CHECK_NEAR(force.z, 4.0, 0.0);
    CHECK_NEAR(torque.y, -2.0, 1e-15);
    mechanism_run(&m, 1);
    pawl_twist u = pawl_state_twist(mechanism_state(&m), body);
    CHECK_NEAR(u.angular.y, -0.01 * 2.0 / 0.5, 1e-15);
    // The origin is 0.1 m behind the centre: v_o = v_c + w x (o - c), which turned by 4e-4 rad.
    CHECK_NEAR(u.linear.x, 0.01 * 1.0 / 2.0, 2e-6);
    CHECK_NEAR(u.linear.z, 0.01 * 4.0 / 2.0 - 0.04 * 0.1, 2e-6);
    mechanism_end(&m);
}

// ---- friction -------------------------------------------------------------------------------------

// A cube of 1 kg on a floor, pulled by 4 N. `all`, `own`: factors for the coefficients that the model has.
static void input_cube(mechanism *m, double all, double own)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -10));
    pawl_body_id cube = mechanism_solid(m, 1.0, v3(0, 0, 0.0999), v3(0.01, 0.01, 0.01));
    pawl_shape_def box = pawl_shape_def_default();
    box.kind = PAWL_SHAPE_BOX;
    box.size = v3(0.1, 0.1, 0.1);
    box.friction = 0.8 * (all * own);
    box.torsional_friction = 0.02 * (all * own);
    CHECK_OK(pawl_builder_add_shape(m->builder, cube, &box, NULL));
    pawl_shape_def floor = pawl_shape_def_default();
    floor.kind = PAWL_SHAPE_PLANE;
    floor.friction = 0.8 * all;
    CHECK_OK(pawl_builder_add_shape(m->builder, PAWL_WORLD, &floor, NULL));
    pawl_force_def f = pawl_force_def_default();
    f.body = cube;
    f.force[0] = pawl_signal_constant(4.0);
    f.torque[2] = pawl_signal_constant(0.05);
    mechanism_force(m, &f);
}

// Again a model built so, by every stepper that knows contacts of shapes; and Coulomb: 4 N against mu 10 N.
TEST(friction_factors_act_as_if_the_shapes_had_that_friction)
{
    const double scales[][2] = {{0.25, 1.0}, {0.0, 1.0}, {1.0, 0.25}, {0.5, 3.0}};
    for (int k = 0; k < INPUT_CASES; ++k) {
        for (size_t i = 0; i < sizeof scales / sizeof scales[0]; ++i) {
            if (input_cases[k].stepper >= PAWL_STEPPER_MDP && scales[i][1] != 1.0) {
                continue; // the world's factor of 1 has no meaning there
            }
            pawl_settings settings = input_settings(input_cases[k], 1e-3);
            mechanism with, built;
            input_cube(&with, 1.0, 1.0);
            input_cube(&built, scales[i][0], scales[i][1]);
            mechanism_start(&with, &settings);
            mechanism_start(&built, &settings);
            pawl_state *s = pawl_sim_edit_state(with.sim);
            CHECK_OK(pawl_state_set_friction_scale(s, scales[i][0]));
            pawl_shape_id cube = pawl_model_shape_at(
                with.model,
                pawl_model_body(with.model, pawl_model_body_at(with.model, 0)).first_shape);
            CHECK_OK(pawl_state_set_shape_friction_scale(s, cube, scales[i][1]));
            for (int step = 0; step < 100; ++step) {
                CHECK_OK(pawl_sim_step(with.sim, NULL));
                CHECK_OK(pawl_sim_step(built.sim, NULL));
            }
            input_check_same_motion(&with, &built);
            if (scales[i][0] * sqrt(scales[i][1]) < 0.5) {
                CHECK(pawl_state_twist(mechanism_state(&with), pawl_model_body_at(with.model, 0))
                          .linear.x > 0.1);
            }
            mechanism_end(&with);
            mechanism_end(&built);
        }
    }
}

// ---- what cannot be set ---------------------------------------------------------------------------

TEST(gains_that_the_planned_rows_cannot_have_are_refused)
{
    mechanism m;
    input_arm a = input_build(&m, false);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
    mechanism_start(&m, &settings);
    pawl_state *s = pawl_sim_edit_state(m.sim);
    uint64_t hash = pawl_state_hash(s);
    const pawl_gains bad[] = {{10, 1, INFINITY}, {10, INFINITY, 4}, {0, 0, 4},  {-1, 1, 4},
                              {INFINITY, 1, 4},  {10, NAN, 4},      {10, 1, -4}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        CHECK_STATUS(pawl_state_set_gains(s, a.hold, &bad[i]), PAWL_BAD_ARGUMENT);
        CHECK_MESSAGE(&m.t, "expected");
    }
    CHECK_STATUS(pawl_state_set_gains(s, a.spin, &(pawl_gains){0, 0, INFINITY}), PAWL_BAD_ARGUMENT);
    CHECK_STATUS(pawl_state_set_friction_scale(s, -1e-9), PAWL_BAD_ARGUMENT);
    CHECK(pawl_state_hash(s) == hash);
    pawl_gains g = pawl_state_gains(s, a.hold);
    CHECK_NEAR(g.stiffness, 20.0, 0.0);
    CHECK_NEAR(g.effort, 6.0, 0.0);
    CHECK(isinf(pawl_state_gains(s, a.spin).effort));
    mechanism_end(&m);
}

static double input_number(const void *numbers, int i)
{
    return ((const double *)numbers)[i];
}

// A state from bytes has inputs that could have been set, or is refused: the check sum can be made to fit.
TEST(saved_inputs_that_cannot_be_set_are_refused)
{
    mechanism m;
    input_arm a = input_build(&m, false);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
    mechanism_start(&m, &settings);
    input_set_all(pawl_sim_edit_state(m.sim), &a);
    size_t size = pawl_state_size(mechanism_state(&m));
    unsigned char *bytes = malloc(size);
    CHECK(bytes != NULL);
    CHECK_OK(pawl_state_save(mechanism_state(&m), bytes));
    pawl_state *s;
    CHECK_OK(pawl_state_create(&m.t.env, m.model, &s));
    CHECK_OK(pawl_state_load(&m.t.env, s, bytes, size));
    CHECK(pawl_state_hash(s) == pawl_state_hash(mechanism_state(&m)));
    CHECK_NEAR(pawl_state_target(s, a.hold), 0.8, 0.0);
    CHECK_NEAR(pawl_state_gravity(s).z, -3.7, 0.0);
    // Flags that are neither 0 nor 1, values without a flag, a wrong count: each number of the inputs by itself.
    CHECK(pawl_input_numbers_good(m.model, input_number, s->inputs));
    int numbers = pawl_state_input_numbers(m.model), refused = 0;
    for (int i = 0; i < numbers; ++i) {
        double kept = s->inputs[i];
        s->inputs[i] = kept == 0.0 ? 0.5 : kept == 1.0 ? 2.0 : -kept;
        refused += pawl_input_numbers_good(m.model, input_number, s->inputs) ? 0 : 1;
        s->inputs[i] = kept;
    }
    // All but values that may have either sign: 3 of gravity, 3 targets, 6 of the one wrench that is set; and 2
    // gains that the velocity actuator does not use.
    CHECK(refused >= numbers - 14);
    free(bytes);
    pawl_state_destroy(s);
    mechanism_end(&m);
}

// Running out of memory in the first step with an input: a status, and the state as it was.
TEST(a_first_input_without_memory_is_a_status)
{
    mechanism m;
    input_arm a = input_build(&m, false);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
    mechanism_start(&m, &settings);
    input_set_all(pawl_sim_edit_state(m.sim), &a);
    uint64_t hash = pawl_state_hash(mechanism_state(&m));
    for (int n = 1; n <= 2; ++n) {
        m.t.fail_at = m.t.calls + n;
        CHECK_STATUS(pawl_sim_step(m.sim, NULL), PAWL_NO_MEMORY);
        CHECK(pawl_state_hash(mechanism_state(&m)) == hash);
    }
    m.t.fail_at = 0;
    mechanism_run(&m, 2);
    mechanism_end(&m);
}
