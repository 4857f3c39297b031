// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Adhesion actuators against closed forms: a box of the weight W below a ceiling, pressed against it with the force F, has
// the contact force F - W there and falls where F < W; on a wall friction bears it up to mu F; and the box that
// another box holds in the air pulls that one back: adhesion is an internal force.
#include "math/rotation.h"
#include "support/mechanism.h"

static const double stick_g = 10.0, stick_mass = 2.0, stick_half = 0.1, stick_friction = 0.5;
static const pawl_stepper_kind stick_steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU,
                                                   PAWL_STEPPER_LIT};
enum { STICK_STEPPERS = sizeof stick_steppers / sizeof stick_steppers[0] };

static void stick_shape(mechanism *m, pawl_body_id body, pawl_vec3 size, pawl_vec3 at)
{
    pawl_shape_def shape = pawl_shape_def_default();
    shape.kind = PAWL_SHAPE_BOX;
    shape.size = size;
    shape.frame.position = at;
    shape.friction = stick_friction;
    CHECK_OK(pawl_builder_add_shape(m->builder, body, &shape, NULL));
}

// A box at the height z with a free joint, whose adhesion has that force.
static pawl_actuator_id stick_box(mechanism *m, double z, double force)
{
    pawl_body_def def = pawl_body_def_default();
    def.mass = stick_mass;
    def.inertia[0] = def.inertia[1] = def.inertia[2] =
        stick_mass * 2.0 / 3.0 * stick_half * stick_half;
    def.pose.position = v3(0, 0, z);
    pawl_joint_def free = pawl_joint_def_default();
    free.kind = PAWL_JOINT_FREE;
    free.follower = mechanism_body(m, &def);
    stick_shape(m, free.follower, v3(stick_half, stick_half, stick_half), v3(0, 0, 0));
    pawl_actuator_def glue = pawl_actuator_def_default();
    glue.kind = PAWL_ACTUATOR_ADHESION;
    glue.joint = mechanism_joint(m, &free);
    glue.target = pawl_signal_constant(force);
    return mechanism_actuator(m, &glue);
}

// Below a slab whose underside is at 0, gravity along `down`.
static pawl_actuator_id stick_to_slab(mechanism *m, pawl_vec3 down, double z, double force)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3_scale(stick_g, down));
    stick_shape(m, PAWL_WORLD, v3(2, 2, 0.5), v3(0, 0, 0.5));
    return stick_box(m, z, force);
}

static pawl_vec3 stick_contact_force(const mechanism *m)
{
    pawl_vec3 sum = v3(0, 0, 0);
    for (int k = 0; k < pawl_sim_contact_count(m->sim); ++k) {
        pawl_contact_info c = pawl_sim_contact(m->sim, k);
        double sign = pawl_body_is_world(c.body_a) ? 1.0 : -1.0;
        sum = v3_axpy(sum, sign, c.force);
    }
    return sum;
}

static pawl_pose stick_pose(const mechanism *m, int body)
{
    return pawl_state_pose(mechanism_state(m), pawl_model_body_at(m->model, body));
}

static pawl_twist stick_twist(const mechanism *m, int body)
{
    return pawl_state_twist(mechanism_state(m), pawl_model_body_at(m->model, body));
}

TEST(a_ceiling_holds_what_sticks_to_it_with_more_than_its_weight)
{
    for (int s = 0; s < STICK_STEPPERS; ++s) {
        mechanism m;
        pawl_actuator_id glue = stick_to_slab(&m, v3(0, 0, -1), -stick_half, 35.0);
        pawl_settings settings = mechanism_settings(1e-3, stick_steppers[s]);
        mechanism_start(&m, &settings);
        mechanism_run(&m, 200);
        pawl_vec3 force = stick_contact_force(&m);
        CHECK_NEAR(force.z, -(35.0 - stick_mass * stick_g), 1e-6);
        CHECK_NEAR(pawl_sim_actuator_effort(m.sim, glue), 35.0, 0.0);
        CHECK_NEAR(stick_pose(&m, 0).position.z, -stick_half, 1e-9);
        CHECK_NEAR(mechanism_energy(&m).balance, 0.0, 1e-9);
        mechanism_end(&m);
    }
}

// It falls, freely once it is farther away than contact.margin; a force that is not there does no work.
TEST(less_than_the_weight_lets_it_fall)
{
    for (int s = 0; s < STICK_STEPPERS; ++s) {
        mechanism m;
        pawl_actuator_id glue = stick_to_slab(&m, v3(0, 0, -1), -stick_half, 19.0);
        pawl_settings settings = mechanism_settings(1e-3, stick_steppers[s]);
        mechanism_start(&m, &settings);
        mechanism_run(&m, 300);
        // Its work: down to the margin. lit locates when a contact opens, and has it no longer.
        bool located = settings.stepper == PAWL_STEPPER_LIT;
        double pull = located ? 0.0 : 19.0 * settings.contact.margin;
        double fall = -stick_half - stick_pose(&m, 0).position.z;
        double speed = stick_twist(&m, 0).linear.z;
        CHECK(fall > 0.2);
        double first_order = 0.6 * stick_mass * stick_g * fabs(speed) * settings.dt; // of euler
        CHECK_NEAR(0.5 * stick_mass * speed * speed, stick_mass * stick_g * fall - pull,
                   0.1 * pull + first_order + 1e-3);
        CHECK_NEAR(mechanism_energy(&m).work_actuators, -pull, 0.1 * pull + 1e-3);
        CHECK_NEAR(mechanism_energy(&m).balance, 0.0, 0.05 * pull + first_order + 1e-9);
        CHECK_NEAR(pawl_sim_actuator_effort(m.sim, glue), 0.0, 0.0);
        mechanism_end(&m);
    }
}

TEST(on_a_wall_friction_has_the_normal_force_of_the_adhesion)
{
    for (int s = 0; s < STICK_STEPPERS; ++s) {
        for (int slips = 0; slips < 2; ++slips) {
            double weight = stick_mass * stick_g, press = weight / stick_friction;
            press *= slips ? 0.8 : 1.2;
            mechanism m;
            stick_to_slab(&m, v3(1, 0, 0), -stick_half, press);
            pawl_settings settings = mechanism_settings(1e-3, stick_steppers[s]);
            mechanism_start(&m, &settings);
            mechanism_run(&m, 200);
            double t = mechanism_time(&m);
            double speed = slips ? (stick_g - stick_friction * press / stick_mass) * t : 0.0;
            CHECK_NEAR(stick_twist(&m, 0).linear.x, speed, 1e-6);
            CHECK_NEAR(stick_contact_force(&m).z, -press, 1e-4);
            mechanism_end(&m);
        }
    }
}

TEST(bodies_that_stick_to_each_other_in_the_air_stay_where_they_are)
{
    for (int s = 0; s < STICK_STEPPERS; ++s) {
        mechanism m;
        mechanism_begin(&m);
        pawl_builder_set_gravity(m.builder, v3(0, 0, 0));
        stick_box(&m, 0.0, 50.0);
        stick_box(&m, 2.0 * stick_half, 0.0);
        pawl_settings settings = mechanism_settings(1e-3, stick_steppers[s]);
        mechanism_start(&m, &settings);
        mechanism_run(&m, 100);
        for (int i = 0; i < 2; ++i) {
            CHECK_NEAR(stick_pose(&m, i).position.z, 2.0 * stick_half * i, 1e-9);
            CHECK_NEAR(stick_twist(&m, i).linear.z, 0.0, 1e-9);
        }
        mechanism_end(&m);
    }
}
