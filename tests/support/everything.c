// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Each joint kind carries a body of its own, 1 m from the next; a four-bar linkage has redundant
// rows; the rest hangs on these. Numbers are exact in binary where that is natural, and no function
// of the C library takes part, so that the model and its motion have the same bits everywhere.
#include "support/everything.h"

#include "base/env.h"
#include "math/vec.h"
#include "support/test.h"

typedef struct everything {
    pawl_builder *b;
    int slot; // how many metres along y are taken
} everything;

static pawl_body_def everything_body(const everything *e)
{
    pawl_body_def def = pawl_body_def_default();
    def.mass = 1.0;
    def.com = v3(0.0, 0.0, -0.25);
    def.inertia[0] = 0.03125;
    def.inertia[1] = 0.0390625;
    def.inertia[2] = 0.015625;
    def.inertia[3] = 0.001953125;
    def.pose.position = v3(0.0, (double)e->slot, 0.0);
    return def;
}

// A body on a joint to the world at its own origin, with coordinates as `c` says.
static pawl_status everything_joint(everything *e, pawl_joint_kind kind, const char *name,
                                    pawl_coordinate_def c, pawl_joint_id *joint)
{
    pawl_joint_def def = pawl_joint_def_default();
    pawl_body_def body = everything_body(e);
    def.name = name;
    def.kind = kind;
    def.pitch = 0.125;
    PAWL_TRY(pawl_builder_add_body(e->b, &body, &def.follower));
    pawl_vec3 at = body.pose.position;
    pawl_builder_place_joint(e->b, &def, at, v3(1.0, 0.0, 0.0), v3(0.0, 1.0, 0.0));
    if (kind == PAWL_JOINT_DISTANCE) {
        def.base_frame.position.z += 0.5;
    }
    if (c.lower < c.upper) {
        def.coordinate[0] = c;
    }
    ++e->slot;
    return pawl_builder_add_joint(e->b, &def, joint);
}

static pawl_status everything_joints(everything *e)
{
    const pawl_coordinate_def none = {0};
    const pawl_coordinate_def bounded = {.lower = -0.25, .upper = 0.25};
    const pawl_coordinate_def soft = {.lower = -INFINITY,
                                      .upper = INFINITY,
                                      .stiffness = 50.0,
                                      .rest = 0.125,
                                      .damping = 0.5,
                                      .friction = 0.25};
    pawl_coordinate_def geared = soft;
    geared.armature = 0.0625;
    PAWL_TRY(everything_joint(e, PAWL_JOINT_FIXED, "fixed", none, NULL));
    PAWL_TRY(everything_joint(e, PAWL_JOINT_REVOLUTE, "revolute", geared, NULL));
    PAWL_TRY(everything_joint(e, PAWL_JOINT_PRISMATIC, "prismatic", bounded, NULL));
    PAWL_TRY(everything_joint(e, PAWL_JOINT_CYLINDRICAL, "cylindrical", bounded, NULL));
    PAWL_TRY(everything_joint(e, PAWL_JOINT_UNIVERSAL, "universal", soft, NULL));
    PAWL_TRY(everything_joint(e, PAWL_JOINT_SPHERICAL, "spherical", none, NULL));
    PAWL_TRY(everything_joint(e, PAWL_JOINT_PLANAR, "planar", bounded, NULL));
    PAWL_TRY(everything_joint(e, PAWL_JOINT_CARTESIAN, "cartesian", geared, NULL));
    PAWL_TRY(everything_joint(e, PAWL_JOINT_GIMBAL, "gimbal", none, NULL));
    PAWL_TRY(everything_joint(e, PAWL_JOINT_FREE, "free", soft, NULL));
    PAWL_TRY(everything_joint(e, PAWL_JOINT_SCREW, "screw", geared, NULL));
    PAWL_TRY(everything_joint(e, PAWL_JOINT_DISTANCE, "distance", none, NULL));
    PAWL_TRY(everything_joint(e, PAWL_JOINT_POINT_ON_LINE, "point-on-line", bounded, NULL));
    return everything_joint(e, PAWL_JOINT_POINT_ON_PLANE, "point-on-plane", bounded, NULL);
}

// A parallelogram in the plane of x and z: five rows in each of four hinges, three redundant.
static pawl_status everything_loop(everything *e)
{
    pawl_vec3 pins[4] = {{0, 0, 0}, {0, 0, -0.5}, {1, 0, -0.5}, {1, 0, 0}};
    pawl_body_id body[3];
    for (int i = 0; i < 3; ++i) {
        pawl_body_def def = everything_body(e);
        def.com = v3(0, 0, 0);
        def.pose.position = v3_scale(0.5, v3_add(pins[i], pins[i + 1]));
        def.pose.position.y = (double)e->slot;
        PAWL_TRY(pawl_builder_add_body(e->b, &def, &body[i]));
    }
    for (int i = 0; i < 4; ++i) {
        pawl_joint_def def = pawl_joint_def_default();
        def.kind = PAWL_JOINT_REVOLUTE;
        def.base = i == 0 ? PAWL_WORLD : body[i - 1];
        def.follower = i == 3 ? body[2] : body[i];
        if (i == 3) {
            def.base = PAWL_WORLD;
        }
        pawl_vec3 at = pins[i];
        at.y = (double)e->slot;
        pawl_builder_place_joint(e->b, &def, at, v3(0, 1, 0), v3(1, 0, 0));
        def.coordinate[0].friction = i == 1 ? 0.0625 : 0.0;
        PAWL_TRY(pawl_builder_add_joint(e->b, &def, NULL));
    }
    ++e->slot;
    return PAWL_OK;
}

// Two geared wheels, one driven; a wheel that follows a table; a motor of exact speed.
static pawl_status everything_drives(everything *e)
{
    const pawl_coordinate_def none = {0};
    static const double times[4] = {0.0, 0.25, 0.5, 1.0}, places[4] = {0.0, 0.5, -0.25, 1.0};
    pawl_signal table = {.kind = PAWL_SIGNAL_TABLE,
                         .interpolation = PAWL_CUBIC,
                         .count = 4,
                         .times = times,
                         .values = places};
    pawl_signal wave = {.kind = PAWL_SIGNAL_SINUSOID, .amplitude = 2.0, .frequency = 4.0};
    pawl_gear_def gear = pawl_gear_def_default();
    PAWL_TRY(everything_joint(e, PAWL_JOINT_REVOLUTE, "wheel-a", none, &gear.joint));
    PAWL_TRY(everything_joint(e, PAWL_JOINT_REVOLUTE, "wheel-b", none, &gear.source_joint));
    gear.ratio = -2.0;
    PAWL_TRY(pawl_builder_add_gear(e->b, &gear, NULL));
    pawl_actuator_def actuator = pawl_actuator_def_default();
    actuator.joint = gear.source_joint;
    actuator.target = wave;
    actuator.effort = 1.5;
    PAWL_TRY(pawl_builder_add_actuator(e->b, &actuator, NULL));
    pawl_motion_def motion = pawl_motion_def_default();
    PAWL_TRY(everything_joint(e, PAWL_JOINT_REVOLUTE, "cam", none, &motion.joint));
    motion.target = table;
    PAWL_TRY(pawl_builder_add_motion(e->b, &motion, NULL));
    PAWL_TRY(everything_joint(e, PAWL_JOINT_REVOLUTE, "spindle", none, &actuator.joint));
    actuator.kind = PAWL_ACTUATOR_VELOCITY;
    actuator.damping = INFINITY;
    actuator.effort = INFINITY;
    actuator.target = pawl_signal_constant(20.0);
    PAWL_TRY(pawl_builder_add_actuator(e->b, &actuator, NULL));
    PAWL_TRY(everything_joint(e, PAWL_JOINT_PRISMATIC, "ram", none, &actuator.joint));
    actuator.kind = PAWL_ACTUATOR_POSITION;
    actuator.stiffness = 1e5;
    actuator.damping = 100.0;
    actuator.effort = 40.0;
    actuator.target = wave;
    return pawl_builder_add_actuator(e->b, &actuator, NULL);
}

// A driven stage with a pendulum on it, point masses on a rod and springs, an applied force.
static pawl_status everything_rest(everything *e)
{
    pawl_body_def stage = pawl_body_def_default();
    stage.kind = PAWL_BODY_KINEMATIC;
    stage.pose.position = v3(0, (double)e->slot, 0);
    stage.motion[0] =
        (pawl_signal){.kind = PAWL_SIGNAL_SINUSOID, .amplitude = 0.125, .frequency = 8.0};
    pawl_body_def bob = everything_body(e);
    bob.linear_damping = 0.25;
    bob.angular_damping = 0.03125;
    bob.twist.angular = v3(1.0, 2.0, 30.0);
    pawl_joint_def joint = pawl_joint_def_default();
    joint.kind = PAWL_JOINT_SPHERICAL;
    PAWL_TRY(pawl_builder_add_body(e->b, &stage, &joint.base));
    PAWL_TRY(pawl_builder_add_body(e->b, &bob, &joint.follower));
    PAWL_TRY(pawl_builder_add_joint(e->b, &joint, NULL));
    pawl_force_def force = pawl_force_def_default();
    force.body = joint.follower;
    force.point = v3(0, 0, -0.5);
    force.in_body_axes = true;
    force.force[1] = (pawl_signal){
        .kind = PAWL_SIGNAL_SINUSOID, .value = 0.5, .amplitude = 1.0, .frequency = 16.0};
    force.torque[2] = pawl_signal_constant(0.0625);
    PAWL_TRY(pawl_builder_add_force(e->b, &force, NULL));
    ++e->slot;

    pawl_body_def point = pawl_body_def_default();
    point.kind = PAWL_BODY_POINT;
    point.mass = 0.5;
    point.gravity_scale = 0.5;
    joint = pawl_joint_def_default();
    joint.kind = PAWL_JOINT_DISTANCE;
    point.pose.position = v3(0, (double)e->slot, 0);
    PAWL_TRY(pawl_builder_add_body(e->b, &point, &joint.base));
    point.pose.position.x = 0.75;
    PAWL_TRY(pawl_builder_add_body(e->b, &point, &joint.follower));
    PAWL_TRY(pawl_builder_add_joint(e->b, &joint, NULL));
    pawl_spring_def spring = pawl_spring_def_default();
    spring.body_b = joint.base;
    spring.point_a = v3(0, (double)e->slot, 0.5);
    spring.stiffness = 64.0;
    spring.damping = 0.25;
    PAWL_TRY(pawl_builder_add_spring(e->b, &spring, NULL));
    spring.body_a = joint.follower;
    spring.body_b = PAWL_WORLD;
    spring.point_a = v3(0, 0, 0);
    spring.point_b = v3(0.75, (double)e->slot, 0.5);
    spring.rest_length = 0.25;
    PAWL_TRY(pawl_builder_add_spring(e->b, &spring, NULL));
    ++e->slot;

    pawl_body_def ball = pawl_body_def_default();
    ball.density = 1024.0;
    ball.pose.position = v3(0, (double)e->slot, 0);
    pawl_body_id body;
    PAWL_TRY(pawl_builder_add_body(e->b, &ball, &body));
    const pawl_vec3 corners[] = {{0, 0, 0}, {0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.25}};
    for (int kind = 0; kind < PAWL_SHAPE_HEIGHTFIELD; ++kind) {
        pawl_shape_def shape = pawl_shape_def_default();
        shape.kind = (pawl_shape_kind)kind;
        shape.frame.position.x = 0.125 * kind;
        shape.mask = 0; // mass without contact: this model is about joints
        if (kind == PAWL_SHAPE_HULL) {
            shape.points = corners;
            shape.point_count = (int)(sizeof corners / sizeof corners[0]);
        }
        bool fixed = kind == PAWL_SHAPE_PLANE || kind == PAWL_SHAPE_HULL;
        PAWL_TRY(pawl_builder_add_shape(e->b, fixed ? PAWL_WORLD : body, &shape, NULL));
    }
    return PAWL_OK;
}

pawl_status everything_build(const pawl_env *env, pawl_model **out)
{
    *out = NULL;
    everything e = {0};
    PAWL_TRY(pawl_builder_create(env, "everything", &e.b));
    pawl_status status = everything_joints(&e);
    status = status == PAWL_OK ? everything_loop(&e) : status;
    status = status == PAWL_OK ? everything_drives(&e) : status;
    status = status == PAWL_OK ? everything_rest(&e) : status;
    status = status == PAWL_OK ? pawl_builder_compile(e.b, out) : status;
    pawl_builder_destroy(e.b);
    return status;
}
