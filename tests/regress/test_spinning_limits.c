// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Limits of joints whose bodies turn fast together. A limit stops the rate about the axis as it is placed in a step; until the next
// one the axis turns by h w, and h w^2 of the bodies' spin becomes rate about it again. Limits that were
// corrected at a bounded speed alone then only slowed joints down: a biped's neck went 0.86 rad beyond. What a limit
// leaves is of the order of one step's turn squared, however long it is pressed.
#include "support/random.h"
#include "support/scene.h"

#include <math.h>

enum { SPIN_BODIES = 4, SPIN_DRAWS = 12 };

// Bodies in a row, with hinges in random directions that servos press against their limits; light and heavy ones
// between each other, the whole turning at w.
static void spin_chain(mechanism *m, uint64_t *seed, double w, pawl_joint_id *joints)
{
    mechanism_begin(m);
    pawl_vec3 spin = random_vec(seed, 1.0);
    spin = v3_scale(w / v3_norm(spin), spin);
    pawl_body_id bodies[SPIN_BODIES];
    for (int k = 0; k < SPIN_BODIES; ++k) {
        pawl_body_def def = pawl_body_def_default();
        def.mass = pow(10.0, random_in(seed, -1.0, 1.0));
        double inertia = def.mass * random_in(seed, 1e-3, 4e-3);
        def.inertia[0] = inertia;
        def.inertia[1] = inertia * random_in(seed, 0.8, 1.2);
        def.inertia[2] = inertia * random_in(seed, 0.8, 1.2);
        def.pose.position = v3(0.1 * k, 0.0, 0.0);
        def.twist = (pawl_twist){v3_cross(spin, def.pose.position), spin};
        bodies[k] = mechanism_body(m, &def);
    }
    for (int k = 0; k + 1 < SPIN_BODIES; ++k) {
        pawl_vec3 axis = random_vec(seed, 1.0);
        pawl_joint_def def =
            mechanism_joint_def(m, PAWL_JOINT_REVOLUTE, bodies[k], bodies[k + 1],
                                v3(0.1 * k + 0.05, 0.0, 0.0), v3_scale(1.0 / v3_norm(axis), axis));
        def.coordinate[0].lower = -0.3;
        def.coordinate[0].upper = 0.3;
        joints[k] = mechanism_joint(m, &def);
        pawl_actuator_def servo = pawl_actuator_def_default();
        servo.kind = PAWL_ACTUATOR_POSITION;
        servo.joint = joints[k];
        servo.stiffness = 10.0;
        servo.damping = 0.2;
        servo.target = (pawl_signal){.kind = PAWL_SIGNAL_CONSTANT,
                                     .value = random_in(seed, 0.0, 1.0) < 0.5 ? -1.0 : 1.0};
        mechanism_actuator(m, &servo);
    }
}

// The largest violation over 0.3 s.
static double spin_beyond(uint64_t seed, double w, double h, pawl_stepper_kind stepper)
{
    mechanism m;
    pawl_joint_id joints[SPIN_BODIES];
    spin_chain(&m, &seed, w, joints);
    pawl_settings settings = mechanism_settings(h, stepper);
    mechanism_start(&m, &settings);
    double worst = 0.0;
    for (int i = 0; i < (int)(0.3 / h + 0.5); ++i) {
        CHECK_STATUS(pawl_sim_step(m.sim, &m.report), PAWL_OK);
        for (int k = 0; k + 1 < SPIN_BODIES; ++k) {
            worst = fmax(worst, fabs(mechanism_position(&m, joints[k], 0)) - 0.3);
        }
    }
    mechanism_end(&m);
    return worst;
}

TEST(limits_hold_what_turns_fast)
{
    static const pawl_stepper_kind steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU};
    for (int s = 0; s < 2; ++s) {
        double most = 0.0;
        for (int k = 0; k < SPIN_DRAWS; ++k) {
            uint64_t seed = UINT64_C(7919) * (uint64_t)k + 5;
            double w = pow(10.0, random_in(&seed, 1.0, 2.0)), h = k % 2 ? 1e-3 : 5e-4;
            double turn = h * w, beyond = spin_beyond(seed, w, h, steppers[s]);
            // Servos alone bring the joints to some 30 rad/s, which turn the axes as well.
            double share = beyond / (turn * turn + pow(h * 30.0, 2.0));
            most = fmax(most, share);
            CHECK(share < 1.0);
        }
        print_message("%s: at most %.2f of a turn squared\n", pawl_stepper_name((int)steppers[s]),
                      most);
    }
}
