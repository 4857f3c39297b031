// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "support/contact_tree.h"
#include "support/random.h"

void contact_tree_build(mechanism *m, uint64_t *seed)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0.3, -0.2, -9.81));
    pawl_shape_def floor = pawl_shape_def_default();
    floor.kind = PAWL_SHAPE_PLANE;
    CHECK_OK(pawl_builder_add_shape(m->builder, PAWL_WORLD, &floor, NULL));
    const pawl_joint_kind kinds[] = {PAWL_JOINT_UNIVERSAL, PAWL_JOINT_SPHERICAL, PAWL_JOINT_SCREW,
                                     PAWL_JOINT_PRISMATIC, PAWL_JOINT_REVOLUTE};
    pawl_body_id body[6];
    for (int i = 0; i < 6; ++i) {
        pawl_body_def def = pawl_body_def_default();
        def.mass = random_in(seed, 1.0, 3.0);
        def.com = random_vec(seed, 0.1);
        random_inertia(seed, def.mass, 0.3, def.inertia);
        def.pose = (pawl_pose){v3(0.3 * i, random_in(seed, -0.1, 0.1), 0.25), random_quat(seed)};
        def.pose.orientation = i == 0 ? (pawl_quat){.w = 1.0} : def.pose.orientation;
        def.linear_damping = i == 2 ? 0.7 : 0.0;
        def.angular_damping = i == 3 ? 0.4 : 0.0;
        body[i] = mechanism_body(m, &def);
        if (i == 0) {
            pawl_shape_def box = pawl_shape_def_default();
            box.kind = PAWL_SHAPE_BOX;
            box.size = v3(0.3, 0.2, 0.25);
            CHECK_OK(pawl_builder_add_shape(m->builder, body[i], &box, NULL));
            continue;
        }
        pawl_joint_def joint =
            mechanism_joint_def(m, kinds[i - 1], body[i == 5 ? 1 : i - 1], body[i],
                                v3(0.3 * i - 0.15, 0.0, 0.25), random_vec(seed, 1.0));
        joint.pitch = 0.05;
        joint.coordinate[0].stiffness = i == 4 ? 50.0 : 0.0;
        joint.coordinate[0].rest = 0.1;
        joint.coordinate[0].damping = i == 4 || i == 1 ? 2.0 : 0.0;
        joint.coordinate[0].armature = i == 5 ? 0.3 : 0.0;
        pawl_joint_id index = mechanism_joint(m, &joint);
        if (i != 2) {
            pawl_actuator_def servo = pawl_actuator_def_default();
            servo.kind = i == 3 ? PAWL_ACTUATOR_VELOCITY : PAWL_ACTUATOR_POSITION;
            servo.joint = index;
            servo.stiffness = 100.0;
            servo.damping = 1.0;
            servo.target = pawl_signal_constant(0.2);
            mechanism_actuator(m, &servo);
        }
    }
    for (int k = 0; k < 2; ++k) {
        pawl_spring_def spring = pawl_spring_def_default();
        spring.body_a = k == 0 ? PAWL_WORLD : body[0];
        spring.body_b = body[4 - k];
        spring.point_a = random_vec(seed, 0.5);
        spring.point_b = random_vec(seed, 0.2);
        spring.stiffness = 40.0;
        spring.damping = 3.0;
        spring.rest_length = k == 0 ? 0.0 : 0.4;
        mechanism_spring(m, &spring);
    }
    pawl_force_def force = pawl_force_def_default();
    force.body = body[3];
    force.point = v3(0.1, 0.2, 0.0);
    force.in_body_axes = true;
    force.force[0] = pawl_signal_constant(4.0);
    force.torque[1] = pawl_signal_constant(2.0);
    mechanism_force(m, &force);
    mechanism_compile(m);
}
