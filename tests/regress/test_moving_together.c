// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What bodies have in common in their motion makes no contacts and no work. Margins and the search for
// collisions took the absolute speed: a robot at 20 m/s had 126 contacts among its own links, and lit took
// 80 times as long a step. The answers come from the same scene at rest: the laws of motion do not change
// with the velocity of the frame.
#include "collide/contact.h"
#include "sim/sim.h"
#include "support/random.h"
#include "support/scene.h"

#include <math.h>

enum { CROWD = 24 };
static const pawl_stepper_kind crowd_steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU,
                                                   PAWL_STEPPER_LIT, PAWL_STEPPER_RATTLE};
enum { CROWD_STEPPERS = sizeof crowd_steppers / sizeof crowd_steppers[0] };

typedef struct crowd_count {
    int pairs, contacts;
    int64_t events;
} crowd_count;

// Bodies of all shapes a few centimetres apart, half of them in hinged pairs, moving as one rigid body: at
// velocity v, and with spin w about the origin. No gravity.
static crowd_count crowd_run(pawl_stepper_kind stepper, pawl_vec3 v, pawl_vec3 w)
{
    uint64_t seed = 3;
    mechanism m;
    mechanism_begin(&m);
    for (int k = 0; k < CROWD; ++k) {
        pawl_body_def def = pawl_body_def_default();
        def.mass = 1.0;
        def.inertia[0] = def.inertia[1] = def.inertia[2] = 1e-3;
        def.pose.position = v3(0.25 * (k % 4), 0.25 * (k / 4 % 3), 0.25 * (k / 12));
        def.pose.orientation = random_quat(&seed);
        def.twist = (pawl_twist){v3_add(v, v3_cross(w, def.pose.position)), w};
        pawl_body_id body = mechanism_body(&m, &def);
        pawl_shape_kind kind = (pawl_shape_kind)(k % PAWL_SHAPE_PLANE);
        scene_shape(&m, body, kind, v3(0.05, 0.05, 0.05), v3(0, 0, 0), 0.5, 0.0);
        if (k % 4 == 1) {
            pawl_joint_def joint =
                mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE, pawl_builder_body_at(m.builder, k - 1),
                                    body, def.pose.position, v3(0, 0, 1));
            mechanism_joint(&m, &joint);
        }
    }
    pawl_settings settings = scene_settings(0.01);
    settings.stepper = stepper;
    mechanism_start(&m, &settings);
    crowd_count out = {0, 0, 0};
    for (int step = 0; step < 5; ++step) {
        scene_step(&m);
        int pairs = pawl_contact_finder_pair_count(m.sim->context.finder);
        out.pairs = pairs > out.pairs ? pairs : out.pairs;
        int contacts = pawl_sim_contact_count(m.sim);
        out.contacts = contacts > out.contacts ? contacts : out.contacts;
    }
    out.events = m.verdict.tunnelled;
    mechanism_end(&m);
    return out;
}

TEST(bodies_that_move_together_have_no_contacts_whatever_their_speed)
{
    pawl_vec3 none = v3(0, 0, 0);
    for (int s = 0; s < CROWD_STEPPERS; ++s) {
        crowd_count still = crowd_run(crowd_steppers[s], none, none);
        CHECK_INT(still.contacts, 0);
        static const double speeds[] = {0.5, 20.0, 300.0};
        for (int k = 0; k < 3; ++k) {
            pawl_vec3 v = v3_scale(speeds[k], v3(0.6, 0.64, 0.48));
            crowd_count moving = crowd_run(crowd_steppers[s], v, none);
            CHECK_INT(moving.contacts, 0);
            CHECK_INT(moving.pairs, still.pairs);
            CHECK_INT(moving.events, 0);
        }
        // turning together is no approach, either: within rounding, for the steps bend the paths
        crowd_count turning = crowd_run(crowd_steppers[s], none, v3(0, 0, 2.0));
        CHECK_INT(turning.contacts, 0);
    }
}

// Galileo: two bodies that meet, seen from frames of any velocity, have the same contacts at the same time.
TEST(a_collision_is_the_same_in_a_moving_frame)
{
    for (int s = 0; s < CROWD_STEPPERS; ++s) {
        for (int round = 0; round < 3; ++round) {
            static const pawl_vec3 frames[] = {{0, 0, 0}, {200, 0, 0}, {-30, 40, 120}};
            int contacts[60] = {0};
            pawl_vec3 apart[60];
            int touched = 0;
            for (int f = 0; f < 3; ++f) {
                mechanism m;
                mechanism_begin(&m);
                pawl_vec3 v = frames[f];
                scene_sphere(&m, 1.0, 0.1, v3(0, 0, 0), v3_add(v, v3(3.0 + 40.0 * round, 0.2, 0)),
                             0.3, 0.0);
                pawl_body_id other = scene_sphere(&m, 5.0, 0.05, v3(0.4, 0.02, 0.01), v, 0.3, 0.0);
                pawl_settings settings = scene_settings(5e-3);
                settings.stepper = crowd_steppers[s];
                mechanism_start(&m, &settings);
                bool touches = false;
                for (int step = 0; step < 60; ++step) {
                    scene_step(&m);
                    pawl_vec3 d = v3_sub(scene_position(&m, other),
                                         scene_position(&m, pawl_model_body_at(m.model, 0)));
                    int count = pawl_sim_contact_count(m.sim);
                    if (f == 0) {
                        contacts[step] = count;
                        apart[step] = d;
                    }
                    touches = touches || m.report.contacts > 0;
                    CHECK_INT(count, contacts[step]);
                    CHECK_NEAR3(d, apart[step], 1e-6);
                }
                touched += touches;
                mechanism_end(&m);
            }
            CHECK_INT(touched, 3); // nothing passed unseen
        }
    }
}
