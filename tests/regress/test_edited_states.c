// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Bodies that a caller moves or pushes between steps. What that gives or takes was taken for an error of the run, so that
// every run with velocities of its own failed its verdict, and one that lost all of them in the first step passed.
#include "pawl/verdict.h"
#include "pawl/view.h"
#include "support/scene.h"

#include <math.h>

static const pawl_stepper_kind edited_steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU,
                                                    PAWL_STEPPER_LIT, PAWL_STEPPER_RATTLE};
enum { EDITED_STEPPERS = sizeof edited_steppers / sizeof *edited_steppers };

// A rod on a hinge with a spring, about the y axis.
static pawl_joint_id edited_begin(mechanism *m, double stiffness, double dt,
                                  pawl_stepper_kind stepper)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -9.81));
    pawl_body_def body = pawl_body_def_default();
    body.mass = 0.5;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.02;
    body.pose.position = v3(0.4, 0, 0);
    pawl_body_id rod = mechanism_body(m, &body);
    pawl_joint_def joint =
        mechanism_joint_def(m, PAWL_JOINT_REVOLUTE, PAWL_WORLD, rod, v3(0, 0, 0), v3(0, 1, 0));
    joint.coordinate[0].stiffness = stiffness;
    pawl_joint_id id = mechanism_joint(m, &joint);
    pawl_settings settings = mechanism_settings(dt, stepper);
    mechanism_start(m, &settings);
    return id;
}

// Work of applied forces is what the kinetic energy of the push is: 1/2 (I + m r^2) w^2.
TEST(a_push_between_steps_is_work_of_applied_forces)
{
    for (int k = 0; k < EDITED_STEPPERS; ++k) {
        mechanism m;
        pawl_joint_id joint = edited_begin(&m, 0.0, 1e-3, edited_steppers[k]);
        double angle = 0.0, rate = 3.0, given = 0.5 * (0.02 + 0.5 * 0.16) * 9.0;
        pawl_verdict verdict = pawl_verdict_begin(pawl_sim_state(m.sim));
        CHECK_OK(pawl_state_set_joint(pawl_sim_edit_state(m.sim), joint, &angle, &rate));
        for (int step = 0; step < 100; ++step) {
            mechanism_step(&m);
            pawl_verdict_add(&verdict, &m.report);
        }
        CHECK_NEAR(m.report.energy.work_forces, given, 1e-12);
        // half of it is taken again, where the rod is now
        pawl_energy e = m.report.energy;
        CHECK_OK(pawl_state_joint(pawl_sim_state(m.sim), joint, &angle, &rate));
        double slower = rate * sqrt(0.5), kinetic = e.kinetic;
        CHECK_OK(pawl_state_set_joint(pawl_sim_edit_state(m.sim), joint, &angle, &slower));
        for (int step = 0; step < 100; ++step) {
            mechanism_step(&m);
            pawl_verdict_add(&verdict, &m.report);
        }
        CHECK_NEAR(m.report.energy.work_forces, given - 0.5 * kinetic, 1e-9);
        CHECK_NEAR(pawl_verdict_energy_error(&verdict), 0.0, 1e-2);
        mechanism_end(&m);
    }
}

// A spring that no step shows the vibrations of takes all of the push: that is an error of the run, and was not seen.
TEST(what_a_stiff_spring_takes_of_a_push_is_an_error_of_the_run)
{
    static const double stiffness[] = {1e8, 1e11, 1e15};
    for (int k = 0; k < 3; ++k) {
        mechanism m;
        pawl_joint_id joint = edited_begin(&m, stiffness[k], 1e-2, PAWL_STEPPER_EULER);
        double angle = 0.0, rate = 3.0;
        pawl_verdict verdict = pawl_verdict_begin(pawl_sim_state(m.sim));
        CHECK_OK(pawl_state_set_joint(pawl_sim_edit_state(m.sim), joint, &angle, &rate));
        for (int step = 0; step < 20; ++step) {
            mechanism_step(&m);
            pawl_verdict_add(&verdict, &m.report);
        }
        CHECK(m.report.energy.kinetic < 1e-3); // it was 0.45 J
        CHECK(pawl_verdict_energy_error(&verdict) > 0.5);
        mechanism_end(&m);
    }
}
