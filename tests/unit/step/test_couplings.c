// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Armature, gears, screws, prescribed motions and driven bodies, against closed forms.
#include "math/rotation.h"
#include "support/mechanism.h"

// A wheel about x in the world with moment of inertia I; returns the joint.
static pawl_joint_id coupling_wheel(mechanism *m, double inertia, double y)
{
    pawl_body_id body = mechanism_solid(m, 1.0, v3(0, y, 0), v3(inertia, inertia, inertia));
    return mechanism_world_joint(m, PAWL_JOINT_REVOLUTE, body, v3(0, y, 0), v3(1, 0, 0));
}

static void coupling_drive(mechanism *m, pawl_joint_id joint, double effort)
{
    pawl_actuator_def def = pawl_actuator_def_default();
    def.joint = joint;
    def.target = pawl_signal_constant(effort);
    mechanism_actuator(m, &def);
}

// Closed form: alpha = torque / (I + armature).
TEST(armature_adds_to_the_inertia_of_its_coordinate)
{
    for (int s = 0; s < MECHANISM_STEPPERS; ++s) {
        mechanism m;
        mechanism_begin(&m);
        pawl_body_id body = mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(0.2, 0.2, 0.2));
        pawl_joint_def joint = mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE, PAWL_WORLD, body,
                                                   v3(0, 0, 0), v3(1, 0, 0));
        joint.coordinate[0].armature = 0.3;
        pawl_joint_id index = mechanism_joint(&m, &joint);
        coupling_drive(&m, index, 2.0);
        pawl_settings settings = mechanism_settings(1e-2, (pawl_stepper_kind)s);
        mechanism_start(&m, &settings);
        mechanism_run(&m, 100);
        CHECK_NEAR(mechanism_rate(&m, index, 0), 4.0, 1e-12);
        pawl_energy e = mechanism_energy(&m);
        CHECK_NEAR(e.kinetic, 0.5 * 0.5 * 16.0, 1e-11); // the rotor's included
        CHECK_NEAR(e.balance, 0.0, 1e-12 * e.kinetic);
        mechanism_end(&m);
    }
}

// Closed form: q1 = r q2 + c, (I1 r^2 + I2) q2'' = r T1 + T2; both are kept over many turns.
TEST(a_gear_keeps_its_ratio_and_adds_the_inertias_it_couples)
{
    for (int s = 0; s < MECHANISM_STEPPERS; ++s) {
        // rattle refuses to do without projection
        for (int project = s == PAWL_STEPPER_RATTLE ? 1 : 0; project < 2; ++project) {
            mechanism m;
            mechanism_begin(&m);
            pawl_joint_id driven = coupling_wheel(&m, 0.2, 0.0);
            pawl_joint_id source = coupling_wheel(&m, 0.5, 1.0);
            pawl_gear_def gear = pawl_gear_def_default();
            gear.joint = driven;
            gear.source_joint = source;
            gear.ratio = -3.0;
            mechanism_gear(&m, &gear);
            coupling_drive(&m, driven, 1.0);
            coupling_drive(&m, source, 10.0);
            pawl_settings settings = mechanism_settings(1e-2, (pawl_stepper_kind)s);
            settings.project = project == 1;
            mechanism_start(&m, &settings);
            double alpha = (-3.0 * 1.0 + 10.0) / (0.2 * 9.0 + 0.5);
            for (int i = 0; i < 500; ++i) {
                mechanism_step(&m);
                double t = mechanism_time(&m);
                CHECK_NEAR(mechanism_rate(&m, source, 0), alpha * t, 1e-11 * (1.0 + t));
                CHECK_NEAR(mechanism_position(&m, driven, 0),
                           -3.0 * mechanism_position(&m, source, 0), 1e-10);
            }
            CHECK(mechanism_position(&m, driven, 0) < -50.0);
            CHECK_NEAR(mechanism_energy(&m).balance, 0.0, 1e-11 * mechanism_energy(&m).kinetic);
            mechanism_end(&m);
        }
    }
}

// Assembly: an offset at the start is met by turning the wheels, weighed by their inertias.
TEST(a_gear_with_an_offset_is_assembled)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_joint_id source = coupling_wheel(&m, 0.5, 1.0);
    pawl_joint_id driven = coupling_wheel(&m, 0.2, 0.0);
    pawl_gear_def gear = pawl_gear_def_default();
    gear.joint = driven;
    gear.source_joint = source;
    gear.ratio = 2.0;
    gear.offset = 0.4;
    mechanism_gear(&m, &gear);
    pawl_settings settings = mechanism_settings(1e-2, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    // least sum of I q^2 with q1 - 2 q2 = 0.4: q1 = 0.4 I2 / (I2 + 4 I1), q2 = -2 (I1/I2) q1
    double q1 = 0.4 * 0.5 / (0.5 + 4.0 * 0.2);
    CHECK_NEAR(mechanism_position(&m, driven, 0), q1, 1e-9);
    CHECK_NEAR(mechanism_position(&m, source, 0), -2.0 * 0.2 / 0.5 * q1, 1e-9);
    mechanism_end(&m);
}

// Closed form: on a screw of pitch p a torque T turns (I + m p^2) alpha = T and moves x = p phi;
// under gravity along the axis, T = -m g p.
TEST(a_screw_turns_displacement_into_angle)
{
    for (int s = 0; s < MECHANISM_STEPPERS; ++s) {
        // rattle refuses to do without projection
        for (int project = s == PAWL_STEPPER_RATTLE ? 1 : 0; project < 2; ++project) {
            mechanism m;
            mechanism_begin(&m);
            pawl_builder_set_gravity(m.builder, v3(0, 0, -9.81));
            pawl_body_id body = mechanism_solid(&m, 2.0, v3(0, 0, 0), v3(0.05, 0.05, 0.05));
            pawl_joint_def joint = mechanism_joint_def(&m, PAWL_JOINT_SCREW, PAWL_WORLD, body,
                                                       v3(0, 0, 0), v3(0, 0, 1));
            joint.pitch = 0.1;
            pawl_joint_id index = mechanism_joint(&m, &joint);
            pawl_settings settings = mechanism_settings(1e-2, (pawl_stepper_kind)s);
            settings.project = project == 1;
            mechanism_start(&m, &settings);
            double alpha = -2.0 * 9.81 * 0.1 / (0.05 + 2.0 * 0.01);
            for (int i = 0; i < 100; ++i) {
                mechanism_step(&m);
                double t = mechanism_time(&m);
                CHECK_NEAR(mechanism_rate(&m, index, 0), alpha * t, 1e-11 * (1.0 + t));
                CHECK_NEAR(pawl_state_pose(mechanism_state(&m), body).position.z,
                           0.1 * mechanism_position(&m, index, 0), 1e-11);
            }
            CHECK(mechanism_position(&m, index, 0) < -12.0); // two turns
            mechanism_end(&m);
        }
    }
}

// By definition: the coordinate is the function of time, at every step, whatever pulls. Only moreau
// without projection cannot: half of its drift is done before the motion has a say, which is worth
// h^2 f'' / 2 a step and taken back by erp.joint of it a step.
TEST(a_prescribed_joint_motion_is_followed_exactly)
{
    for (int s = 0; s < MECHANISM_STEPPERS; ++s) {
        // rattle refuses to do without projection
        for (int project = s == PAWL_STEPPER_RATTLE ? 1 : 0; project < 2; ++project) {
            mechanism m;
            mechanism_begin(&m);
            pawl_builder_set_gravity(m.builder, v3(0, 0, -9.81));
            pawl_body_id body = mechanism_solid(&m, 2.0, v3(0, 0.4, 0), v3(0.05, 0.05, 0.05));
            pawl_joint_id joint =
                mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, body, v3(0, 0, 0), v3(1, 0, 0));
            pawl_motion_def motion = pawl_motion_def_default();
            motion.joint = joint;
            motion.target =
                (pawl_signal){.kind = PAWL_SIGNAL_SINUSOID, .amplitude = 5.0, .frequency = 2.0};
            mechanism_motion(&m, &motion);
            pawl_settings settings = mechanism_settings(1e-3, (pawl_stepper_kind)s);
            settings.project = project == 1;
            mechanism_start(&m, &settings);
            for (int i = 0; i < 1000; ++i) {
                mechanism_step(&m);
                double t = mechanism_time(&m);
                bool loose = s == PAWL_STEPPER_MOREAU && project == 0;
                CHECK_NEAR(mechanism_position(&m, joint, 0), 5.0 * sin(2.0 * t),
                           loose ? 1e-6 * 20.0 / settings.erp.joint : 1e-11);
                // without projection the rate is the mean over the step: order h
                CHECK_NEAR(mechanism_rate(&m, joint, 0), 10.0 * cos(2.0 * t),
                           project == 1 ? 1e-9 : 0.02);
            }
            pawl_energy e = mechanism_energy(&m);
            // the drive alone changes the energy: order h of what it moves
            CHECK_NEAR(e.work_motion, e.kinetic + e.gravity - m.verdict.energy_initial, 0.3);
            mechanism_end(&m);
        }
    }
}

// By definition, again; and a body bolted to the driven one goes with it.
TEST(a_kinematic_body_is_followed_exactly_with_what_is_bolted_to_it)
{
    for (int s = 0; s < MECHANISM_STEPPERS; ++s) {
        mechanism m;
        mechanism_begin(&m);
        pawl_body_def stage = pawl_body_def_default();
        stage.kind = PAWL_BODY_KINEMATIC;
        stage.motion[0] =
            (pawl_signal){.kind = PAWL_SIGNAL_SINUSOID, .amplitude = 0.5, .frequency = 3.0};
        stage.motion[5] =
            (pawl_signal){.kind = PAWL_SIGNAL_SINUSOID, .amplitude = 1.0, .frequency = 2.0};
        pawl_body_id base = mechanism_body(&m, &stage);
        pawl_body_def load = pawl_body_def_default();
        load.mass = 2.0;
        load.inertia[0] = load.inertia[1] = load.inertia[2] = 0.1;
        load.pose.position = v3(0, 0.3, 0);
        pawl_body_id body = mechanism_body(&m, &load);
        pawl_joint_def joint =
            mechanism_joint_def(&m, PAWL_JOINT_FIXED, base, body, v3(0, 0.3, 0), v3(1, 0, 0));
        mechanism_joint(&m, &joint);
        pawl_settings settings = mechanism_settings(1e-3, (pawl_stepper_kind)s);
        mechanism_start(&m, &settings);
        for (int i = 0; i < 1000; ++i) {
            mechanism_step(&m);
            double t = mechanism_time(&m), angle = sin(2.0 * t);
            pawl_pose pose = pawl_state_pose(mechanism_state(&m), base);
            CHECK_NEAR3(pose.position, v3(0.5 * sin(3.0 * t), 0, 0), 1e-15);
            CHECK_NEAR(pose.orientation.w, cos(0.5 * angle), 1e-15);
            CHECK_NEAR(pose.orientation.z, sin(0.5 * angle), 1e-15);
            pawl_vec3 expected = v3(0.5 * sin(3.0 * t) - 0.3 * sin(angle), 0.3 * cos(angle), 0.0);
            CHECK_NEAR3(pawl_state_pose(mechanism_state(&m), body).position, expected, 1e-11);
        }
        CHECK(fabs(m.verdict.balance_max) < 0.02);
        mechanism_end(&m);
    }
}

// Conservation: a pair of bodies joined by a hinge, floating freely and driven against each other.
// Round bodies without projection: every impulse is an equal and opposite pair, so both momenta
// stay to rounding. For others the inertia turns within the step and leaves an error of order h.
TEST(a_floating_pair_keeps_its_momentum)
{
    static const pawl_joint_kind kinds[] = {PAWL_JOINT_REVOLUTE,    PAWL_JOINT_UNIVERSAL,
                                            PAWL_JOINT_SPHERICAL,   PAWL_JOINT_FIXED,
                                            PAWL_JOINT_CYLINDRICAL, PAWL_JOINT_DISTANCE};
    for (int k = 0; k < 6; ++k) {
        for (int round = 0; round < 2; ++round) {
            double drift[2];
            for (int fine = 0; fine < 2; ++fine) {
                mechanism m;
                mechanism_begin(&m);
                pawl_body_def def = pawl_body_def_default();
                def.mass = 1.0;
                def.inertia[0] = 0.1;
                def.inertia[1] = round ? 0.1 : 0.15;
                def.inertia[2] = round ? 0.1 : 0.08;
                def.twist.linear = v3(0.3, -0.2, 0.1);
                def.twist.angular = v3(1.0, 2.0, -0.5);
                pawl_body_id a = mechanism_body(&m, &def);
                def.mass = 2.5;
                def.pose.position = v3(0.7, 0.2, 0.1);
                pawl_body_id b = mechanism_body(&m, &def);
                pawl_joint_def joint =
                    mechanism_joint_def(&m, kinds[k], a, b, v3(0.3, 0.1, 0.2), v3(0.2, 1, 0.1));
                if (kinds[k] == PAWL_JOINT_DISTANCE) {
                    joint.follower_frame.position.x += 0.5;
                }
                if (kinds[k] == PAWL_JOINT_REVOLUTE) {
                    joint.coordinate[0].stiffness = 3.0;
                    joint.coordinate[0].rest = 1.0;
                    joint.coordinate[0].damping = 0.1;
                    joint.coordinate[0].friction = 0.05;
                }
                mechanism_joint(&m, &joint);
                double dt = fine ? 5e-4 : 1e-3;
                pawl_settings settings = mechanism_settings(dt, PAWL_STEPPER_EULER);
                settings.project = !round;
                mechanism_start(&m, &settings);
                pawl_vec3 p = mechanism_momentum(&m), L = mechanism_angular_momentum(&m);
                mechanism_run(&m, (int)rint(1.0 / dt));
                CHECK_NEAR3(mechanism_momentum(&m), p, 1e-12);
                drift[fine] = v3_norm(v3_sub(mechanism_angular_momentum(&m), L));
                if (round) {
                    CHECK_NEAR(drift[fine], 0.0, 1e-12);
                }
                CHECK(m.verdict.balance_max < 0.05 * pawl_verdict_turnover(&m.verdict));
                mechanism_end(&m);
            }
            if (!round) {
                CHECK(drift[1] < 0.6 * drift[0] || drift[1] < 1e-12);
            }
        }
    }
}
