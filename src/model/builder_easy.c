// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The most common bodies, joints and actuators in one call each. The defs offer all other options.
#include "base/guard.h"
#include "model/builder.h"

// One body with one shape at its origin; mass and inertia follow from the density [kg/m^3].
pawl_status pawl_builder_add_solid(pawl_builder *b, const char *name, pawl_shape_kind kind,
                                   pawl_vec3 position, pawl_vec3 size, double density,
                                   pawl_body_id *out)
{
    PAWL_NEED(NULL, b);
    if (!(density > 0.0)) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT,
                         "solid '%s': got a density of %g kg/m^3, expected more than 0",
                         name != NULL ? name : "", density);
    }
    pawl_body_def body = pawl_body_def_default();
    body.name = name;
    body.pose.position = position;
    body.density = density;
    pawl_shape_def shape = pawl_shape_def_default();
    shape.kind = kind;
    shape.size = size;
    // All or nothing: the shape is added first, because it can be taken back, and gets its body at the end.
    uint64_t before = b->tag;
    pawl_body_id index;
    pawl_shape_id added;
    PAWL_TRY(pawl_builder_add_shape(b, PAWL_WORLD, &shape, &added));
    pawl_status status = pawl_builder_add_body(b, &body, &index);
    if (status != PAWL_OK) {
        --b->shapes.count;
        --b->tags[ID_SHAPE].count;
        b->tag = before;
        return status;
    }
    PAWL_ITEM(b->shapes, pawl_shape_info, pawl_shape_index(added)).body = index;
    if (out != NULL) {
        *out = index;
    }
    return PAWL_OK;
}

// point [m] and axis are in the world at the start pose; both frames of the joint follow from them.
pawl_status pawl_builder_connect(pawl_builder *b, const char *name, pawl_joint_kind kind,
                                 pawl_body_id base, pawl_body_id follower, pawl_vec3 point,
                                 pawl_vec3 axis, pawl_joint_id *out)
{
    PAWL_NEED(NULL, b);
    pawl_joint_def joint = pawl_joint_def_default();
    joint.name = name;
    joint.kind = kind;
    joint.base = base;
    joint.follower = follower;
    PAWL_TRY(pawl_builder_place_joint(b, &joint, point, axis, (pawl_vec3){0, 0, 0}));
    return pawl_builder_add_joint(b, &joint, out);
}

// A force or torque source; effort [N or N m] is its largest magnitude.
pawl_status pawl_builder_add_motor(pawl_builder *b, pawl_joint_id joint, double effort,
                                   pawl_actuator_id *out)
{
    PAWL_NEED(NULL, b);
    pawl_actuator_def motor = pawl_actuator_def_default();
    motor.kind = PAWL_ACTUATOR_FORCE;
    motor.joint = joint;
    motor.effort = effort;
    return pawl_builder_add_actuator(b, &motor, out);
}
