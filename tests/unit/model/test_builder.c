// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What the builder refuses, how it says so, and what a compiled model then knows.
#include "math/rotation.h"
#include "pawl/model.h"
#include "support/abuse.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct builder_case {
    test_env t;
    pawl_builder *builder;
    pawl_body_id arm, hand; // two good bodies
    pawl_joint_id hinge;    // a revolute joint between them
} builder_case;

static pawl_body_def builder_body(const char *name)
{
    pawl_body_def def = pawl_body_def_default();
    def.name = name;
    def.mass = 1.0;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.1;
    return def;
}

// A body of another model.
static pawl_body_id builder_stranger(void)
{
    return bad_body(1);
}

static void builder_begin(builder_case *c)
{
    test_env_init(&c->t);
    CHECK_OK(pawl_builder_create(&c->t.env, "bench", &c->builder));
    pawl_body_def arm = builder_body("arm"), hand = builder_body("hand");
    CHECK_OK(pawl_builder_add_body(c->builder, &arm, &c->arm));
    CHECK_OK(pawl_builder_add_body(c->builder, &hand, &c->hand));
    pawl_joint_def hinge = pawl_joint_def_default();
    hinge.name = "hinge";
    hinge.kind = PAWL_JOINT_REVOLUTE;
    hinge.base = c->arm;
    hinge.follower = c->hand;
    CHECK_OK(pawl_builder_add_joint(c->builder, &hinge, &c->hinge));
}

// Whatever was refused before, the good part must still compile.
static void builder_end(builder_case *c)
{
    pawl_model *model;
    CHECK_OK(pawl_builder_compile(c->builder, &model));
    CHECK_INT(pawl_model_body_count(model), 2);
    CHECK_INT(pawl_model_joint_count(model), 1);
    CHECK_INT(pawl_model_actuator_count(model), 0);
    CHECK_INT(pawl_model_spring_count(model), 0);
    CHECK_INT(pawl_model_shape_count(model), 0);
    pawl_model_destroy(model);
    pawl_builder_destroy(c->builder);
    CHECK_NO_LEAK(&c->t);
}

#define CHECK_REFUSED(c, call, part)                                                               \
    do {                                                                                           \
        int errors_ = (c)->t.messages[PAWL_LOG_ERROR];                                             \
        CHECK_STATUS((call), PAWL_BAD_ARGUMENT);                                                   \
        CHECK_MESSAGE(&(c)->t, part);                                                              \
        CHECK_INT((c)->t.messages[PAWL_LOG_ERROR], errors_ + 1);                                   \
    } while (0)

TEST(bad_bodies_are_refused_by_name)
{
    builder_case c;
    builder_begin(&c);
#define BAD_BODY(change, part)                                                                     \
    do {                                                                                           \
        pawl_body_def def = builder_body("lump");                                                  \
        change;                                                                                    \
        CHECK_REFUSED(&c, pawl_builder_add_body(c.builder, &def, NULL), part);                     \
        CHECK_MESSAGE(&c.t, def.name);                                                             \
    } while (0)
    BAD_BODY(def.name = "arm", "exists already");
    BAD_BODY(def.mass = 0.0, "mass is 0 kg, must be above 0");
    BAD_BODY(def.mass = -2.0, "mass is -2 kg");
    BAD_BODY(def.mass = NAN, "mass is");
    BAD_BODY(def.mass = INFINITY, "mass is inf");
    BAD_BODY(def.density = -1.0, "density is -1");
    BAD_BODY(def.density = NAN, "density is");
    BAD_BODY(def.kind = (pawl_body_kind)9, "no kind 9");
    BAD_BODY(def.kind = (pawl_body_kind)-1, "no kind -1");
    BAD_BODY(def.pose.position.x = NAN, "pose");
    BAD_BODY(def.pose.orientation = (pawl_quat){0}, "quaternion not zero");
    BAD_BODY(def.twist.angular.z = INFINITY, "twist");
    BAD_BODY(def.com.y = NAN, "centre of mass");
    BAD_BODY(def.inertia[3] = NAN, "inertia is not finite");
    BAD_BODY(def.gravity_scale = NAN, "gravity scale");
    BAD_BODY(def.linear_damping = -0.5, "damping -0.5");
    BAD_BODY(def.angular_damping = INFINITY, "damping 0 and inf");
    BAD_BODY(def.motion[2].kind = (pawl_signal_kind)8, "no signal of kind 8");
    BAD_BODY(def.motion[0].value = NAN, "non-finite");
    builder_end(&c);
}

TEST(bad_shapes_are_refused_by_name)
{
    builder_case c;
    builder_begin(&c);
#define BAD_SHAPE(body, change, part)                                                              \
    do {                                                                                           \
        pawl_shape_def def = pawl_shape_def_default();                                             \
        def.name = "skin";                                                                         \
        change;                                                                                    \
        CHECK_REFUSED(&c, pawl_builder_add_shape(c.builder, body, &def, NULL), part);              \
    } while (0)
    BAD_SHAPE(builder_stranger(), (void)0, "no body of this model");
    BAD_SHAPE(((pawl_body_id){0, 0}), (void)0, "no body of this model");
    BAD_SHAPE(c.arm, def.kind = PAWL_SHAPE_COUNT, "'skin': no kind");
    BAD_SHAPE(c.arm, def.size.x = 0.0, "'skin': size 0 is 0 m");
    BAD_SHAPE(c.arm, def.size.x = NAN, "'skin': size 0");
    BAD_SHAPE(c.arm, (def.kind = PAWL_SHAPE_BOX, def.size.y = -1.0), "'skin': size 1 is -1");
    BAD_SHAPE(c.arm, (def.kind = PAWL_SHAPE_CAPSULE, def.size.z = INFINITY),
              "'skin': size 2 is inf");
    BAD_SHAPE(c.arm, def.frame.position.z = NAN, "'skin': its frame");
    builder_end(&c);
}

TEST(bad_joints_are_refused_by_name)
{
    builder_case c;
    builder_begin(&c);
#define BAD_JOINT(change, part)                                                                    \
    do {                                                                                           \
        pawl_joint_def def = pawl_joint_def_default();                                             \
        def.name = "pin";                                                                          \
        def.kind = PAWL_JOINT_REVOLUTE;                                                            \
        def.base = c.arm;                                                                          \
        def.follower = c.hand;                                                                     \
        change;                                                                                    \
        CHECK_REFUSED(&c, pawl_builder_add_joint(c.builder, &def, NULL), part);                    \
        CHECK_MESSAGE(&c.t, def.name);                                                             \
    } while (0)
    BAD_JOINT(def.name = "hinge", "exists already");
    BAD_JOINT(def.kind = PAWL_JOINT_KIND_COUNT, "kind");
    BAD_JOINT(def.kind = PAWL_JOINT_GEAR, "kind");
    BAD_JOINT(def.follower = PAWL_WORLD, "only the base may be the world");
    BAD_JOINT(def.follower = builder_stranger(), "two different bodies");
    BAD_JOINT(def.base = builder_stranger(), "two different bodies");
    BAD_JOINT(memset(&def.base, 0, sizeof def.base), "two different bodies");
    BAD_JOINT(def.base = c.hand, "two different bodies");
    BAD_JOINT(def.base_frame.position.x = NAN, "frames");
    BAD_JOINT(def.follower_frame.orientation = (pawl_quat){0}, "frames");
    BAD_JOINT((def.kind = PAWL_JOINT_SCREW, def.pitch = NAN), "pitch");
    BAD_JOINT((def.kind = PAWL_JOINT_DISTANCE, def.length = 0.0), "length is 0 m");
    BAD_JOINT((def.kind = PAWL_JOINT_DISTANCE, def.length = NAN), "length");
    BAD_JOINT((def.kind = PAWL_JOINT_DISTANCE, def.length = INFINITY), "length");
    BAD_JOINT((def.coordinate[0].lower = 1.0, def.coordinate[0].upper = 0.5), "are 1 and 0.5");
    BAD_JOINT(def.coordinate[0].lower = NAN, "limits of coordinate 0");
    BAD_JOINT(def.coordinate[0].lower = INFINITY, "limits of coordinate 0");
    BAD_JOINT(def.coordinate[0].stiffness = -1.0, "stiffness of coordinate 0 is -1");
    BAD_JOINT(def.coordinate[0].damping = INFINITY, "damping of coordinate 0 is inf");
    BAD_JOINT(def.coordinate[0].armature = NAN, "armature of coordinate 0");
    BAD_JOINT(def.coordinate[0].friction = -0.1, "friction of coordinate 0 is -0.1");
    BAD_JOINT(def.coordinate[0].rest = NAN, "rest of coordinate 0");
    builder_end(&c);
}

TEST(bad_gears_actuators_and_motions_are_refused_by_name)
{
    builder_case c;
    builder_begin(&c);
#define BAD_GEAR(change, part)                                                                     \
    do {                                                                                           \
        pawl_gear_def def = pawl_gear_def_default();                                               \
        def.name = "mesh";                                                                         \
        def.joint = def.source_joint = c.hinge;                                                    \
        change;                                                                                    \
        CHECK_REFUSED(&c, pawl_builder_add_gear(c.builder, &def, NULL), part);                     \
        CHECK_MESSAGE(&c.t, def.name);                                                             \
    } while (0)
    BAD_GEAR((void)0, "couples a coordinate with itself");
    BAD_GEAR(def.joint = bad_joint(4), "names a joint that is not there");
    BAD_GEAR(def.source_joint.index1 = 0, "names a joint that is not there");
    BAD_GEAR(def.coordinate = 1, "coordinate 1 of joint 'hinge', a revolute joint, which has 1");
    BAD_GEAR(def.name = "hinge", "exists already");
#define BAD_ACTUATOR(change, part)                                                                 \
    do {                                                                                           \
        pawl_actuator_def def = pawl_actuator_def_default();                                       \
        def.name = "motor";                                                                        \
        def.joint = c.hinge;                                                                       \
        change;                                                                                    \
        CHECK_REFUSED(&c, pawl_builder_add_actuator(c.builder, &def, NULL), part);                 \
        CHECK_MESSAGE(&c.t, "motor");                                                              \
    } while (0)
    BAD_ACTUATOR(def.joint = bad_joint(1), "names a joint that is not there");
    BAD_ACTUATOR(def.coordinate = -1, "coordinate -1");
    BAD_ACTUATOR(def.kind = (pawl_actuator_kind)7, "no kind 7");
    BAD_ACTUATOR(def.stiffness = -1.0, "stiffness -1");
    BAD_ACTUATOR(def.stiffness = INFINITY, "stiffness inf");
    BAD_ACTUATOR(def.damping = NAN, "damping");
    BAD_ACTUATOR((def.kind = PAWL_ACTUATOR_POSITION, def.damping = INFINITY), "damping inf");
    BAD_ACTUATOR(def.effort = -1.0, "effort -1");
    BAD_ACTUATOR(def.effort = NAN, "effort");
    BAD_ACTUATOR(def.target.kind = PAWL_SIGNAL_CALLBACK, "without callback");
    const double times[3] = {0.0, 1.0, 1.0}, values[3] = {0.0, NAN, 1.0};
    BAD_ACTUATOR(def.target = ((pawl_signal){
                     .kind = PAWL_SIGNAL_TABLE, .count = 3, .times = times, .values = times}),
                 "table point 2 is (1, 1)");
    BAD_ACTUATOR(def.target = ((pawl_signal){
                     .kind = PAWL_SIGNAL_TABLE, .count = 2, .times = times, .values = values}),
                 "table point 1");
    BAD_ACTUATOR(def.target = ((pawl_signal){
                     .kind = PAWL_SIGNAL_TABLE, .count = 1, .times = times, .values = times}),
                 "1 points, at least 2");
    BAD_ACTUATOR(def.target = ((pawl_signal){.kind = PAWL_SIGNAL_TABLE,
                                             .count = 2,
                                             .interpolation = (pawl_interpolation)5,
                                             .times = times,
                                             .values = times}),
                 "interpolation");
    pawl_motion_def motion = pawl_motion_def_default();
    motion.name = "crank";
    CHECK_REFUSED(&c, pawl_builder_add_motion(c.builder, &motion, NULL), "'crank' names a joint");
    builder_end(&c);
}

TEST(a_coordinate_has_one_motion_at_most)
{
    builder_case c;
    builder_begin(&c);
    pawl_motion_def def = pawl_motion_def_default();
    def.name = "first";
    def.joint = c.hinge;
    CHECK_OK(pawl_builder_add_motion(c.builder, &def, NULL));
    def.name = "second";
    CHECK_REFUSED(&c, pawl_builder_add_motion(c.builder, &def, NULL),
                  "'second' drives the same coordinate as motion 'first'");
    builder_end(&c);
}

TEST(bad_forces_and_springs_are_refused_by_name)
{
    builder_case c;
    builder_begin(&c);
#define BAD_FORCE(change, part)                                                                    \
    do {                                                                                           \
        pawl_force_def def = pawl_force_def_default();                                             \
        def.name = "push";                                                                         \
        def.body = c.arm;                                                                          \
        change;                                                                                    \
        CHECK_REFUSED(&c, pawl_builder_add_force(c.builder, &def, NULL), part);                    \
        CHECK_MESSAGE(&c.t, "push");                                                               \
    } while (0)
    BAD_FORCE(def.body = PAWL_WORLD, "no body of this model");
    BAD_FORCE(def.body = builder_stranger(), "no body of this model");
    BAD_FORCE(def.point.x = NAN, "point that is not finite");
    BAD_FORCE(def.torque[1].value = INFINITY, "non-finite");
#define BAD_SPRING(change, part)                                                                   \
    do {                                                                                           \
        pawl_spring_def def = pawl_spring_def_default();                                           \
        def.name = "coil";                                                                         \
        def.body_b = c.arm;                                                                        \
        change;                                                                                    \
        CHECK_REFUSED(&c, pawl_builder_add_spring(c.builder, &def, NULL), part);                   \
        CHECK_MESSAGE(&c.t, "coil");                                                               \
    } while (0)
    BAD_SPRING(def.body_b = PAWL_WORLD, "two different bodies");
    BAD_SPRING(def.body_a = c.arm, "two different bodies");
    BAD_SPRING(def.body_a = builder_stranger(), "two different bodies");
    BAD_SPRING(def.point_a.z = NAN, "finite points");
    BAD_SPRING(def.stiffness = -3.0, "stiffness -3");
    BAD_SPRING(def.damping = NAN, "damping");
    BAD_SPRING(def.rest_length = -1.0, "rest length -1");
    builder_end(&c);
}

// Compiling checks what only the whole shows.
#define CHECK_NOT_COMPILED(builder, t, part)                                                       \
    do {                                                                                           \
        pawl_model *model_ = (pawl_model *)(void *)(builder);                                      \
        CHECK_STATUS(pawl_builder_compile((builder), &model_), PAWL_BAD_ARGUMENT);                 \
        CHECK(model_ == NULL);                                                                     \
        CHECK_MESSAGE((t), part);                                                                  \
        pawl_builder_destroy(builder);                                                             \
        CHECK_NO_LEAK(t);                                                                          \
    } while (0)

TEST(models_without_sense_are_not_compiled)
{
    builder_case c;
    test_env_init(&c.t);
    CHECK_OK(pawl_builder_create(&c.t.env, "empty", &c.builder));
    pawl_builder_destroy(c.builder);

    builder_begin(&c);
    pawl_builder_set_gravity(c.builder, v3(0, NAN, 0));
    CHECK_NOT_COMPILED(c.builder, &c.t, "gravity");

    builder_begin(&c);
    pawl_body_def def = builder_body("shapeless");
    def.density = 1000.0;
    def.mass = 0.0;
    CHECK_OK(pawl_builder_add_body(c.builder, &def, NULL));
    CHECK_NOT_COMPILED(c.builder, &c.t, "'shapeless' has a density but no shape");

    builder_begin(&c);
    def = builder_body("flat");
    def.inertia[2] = 0.0;
    CHECK_OK(pawl_builder_add_body(c.builder, &def, NULL));
    CHECK_NOT_COMPILED(c.builder, &c.t, "'flat'");

    builder_begin(&c);
    def = builder_body("skew");
    def.inertia[3] = 0.2; // larger than the diagonal: one moment is negative
    CHECK_OK(pawl_builder_add_body(c.builder, &def, NULL));
    CHECK_NOT_COMPILED(c.builder, &c.t, "'skew': inertia");

    builder_begin(&c);
    def = builder_body("stage");
    def.kind = PAWL_BODY_KINEMATIC;
    pawl_joint_def joint = pawl_joint_def_default();
    joint.name = "bolt";
    CHECK_OK(pawl_builder_add_body(c.builder, &def, &joint.follower));
    CHECK_OK(pawl_builder_add_joint(c.builder, &joint, NULL));
    CHECK_NOT_COMPILED(c.builder, &c.t, "'bolt' connects two bodies that cannot move");

    builder_begin(&c);
    pawl_spring_def spring = pawl_spring_def_default();
    spring.name = "coil";
    CHECK_OK(pawl_builder_add_body(c.builder, &def, &spring.body_b));
    CHECK_OK(pawl_builder_add_spring(c.builder, &spring, NULL));
    CHECK_NOT_COMPILED(c.builder, &c.t, "'coil' connects two bodies that cannot move");

    builder_begin(&c);
    joint = pawl_joint_def_default();
    joint.name = "rod";
    joint.kind = PAWL_JOINT_DISTANCE;
    joint.base = c.arm;
    joint.follower = c.hand;
    CHECK_OK(pawl_builder_add_joint(c.builder, &joint, NULL));
    CHECK_NOT_COMPILED(c.builder, &c.t, "'rod': its anchors coincide");
}

TEST(point_masses_take_no_joint_that_turns_them)
{
    static const struct {
        pawl_joint_kind kind;
        bool as_follower, as_base;
    } rows[] = {
        {PAWL_JOINT_FIXED, false, false},        {PAWL_JOINT_REVOLUTE, false, false},
        {PAWL_JOINT_PRISMATIC, false, false},    {PAWL_JOINT_UNIVERSAL, false, false},
        {PAWL_JOINT_SPHERICAL, true, true},      {PAWL_JOINT_DISTANCE, true, true},
        {PAWL_JOINT_POINT_ON_LINE, true, false}, {PAWL_JOINT_POINT_ON_PLANE, true, false},
        {PAWL_JOINT_FREE, true, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        for (int side = 0; side < 2; ++side) {
            builder_case c;
            builder_begin(&c);
            pawl_body_def def = builder_body("bead");
            def.kind = PAWL_BODY_POINT;
            pawl_body_id bead;
            CHECK_OK(pawl_builder_add_body(c.builder, &def, &bead));
            pawl_joint_def joint = pawl_joint_def_default();
            joint.name = "string";
            joint.kind = rows[i].kind;
            joint.length = 1.0;
            joint.base = side == 0 ? c.arm : bead;
            joint.follower = side == 0 ? bead : c.arm;
            CHECK_OK(pawl_builder_add_joint(c.builder, &joint, NULL));
            pawl_model *model;
            if (side == 0 ? rows[i].as_follower : rows[i].as_base) {
                CHECK_OK(pawl_builder_compile(c.builder, &model));
                pawl_model_destroy(model);
            } else {
                CHECK_STATUS(pawl_builder_compile(c.builder, &model), PAWL_BAD_ARGUMENT);
                CHECK_MESSAGE(&c.t, "'string'");
                CHECK_MESSAGE(&c.t, "'bead' is a point mass");
            }
            pawl_builder_destroy(c.builder);
            CHECK_NO_LEAK(&c.t);
        }
    }
    // off its centre, or on an angle of it
    builder_case c;
    builder_begin(&c);
    pawl_body_def def = builder_body("bead");
    def.kind = PAWL_BODY_POINT;
    pawl_joint_def joint = pawl_joint_def_default();
    joint.name = "string";
    joint.kind = PAWL_JOINT_SPHERICAL;
    CHECK_OK(pawl_builder_add_body(c.builder, &def, &joint.follower));
    joint.follower_frame.position.x = 0.25;
    CHECK_OK(pawl_builder_add_joint(c.builder, &joint, NULL));
    CHECK_NOT_COMPILED(c.builder, &c.t, "anchored 0.25 m off the centre of point mass 'bead'");
    builder_begin(&c);
    CHECK_OK(pawl_builder_add_body(c.builder, &def, &joint.follower));
    joint.follower_frame.position.x = 0.0;
    joint.coordinate[1].stiffness = 2.0;
    CHECK_OK(pawl_builder_add_joint(c.builder, &joint, NULL));
    CHECK_NOT_COMPILED(c.builder, &c.t, "acts on an angle of joint 'string'");
}

TEST(a_model_reports_what_was_built)
{
    builder_case c;
    builder_begin(&c);
    pawl_body_def bead = builder_body("bead"), stage = builder_body("stage");
    bead.kind = PAWL_BODY_POINT;
    bead.mass = 3.0;
    stage.kind = PAWL_BODY_KINEMATIC;
    pawl_body_id index;
    CHECK_OK(pawl_builder_add_body(c.builder, &bead, NULL));
    CHECK_OK(pawl_builder_add_body(c.builder, &stage, &index));
    CHECK_INT(pawl_body_index(index), 3);
    pawl_shape_def shape = pawl_shape_def_default();
    shape.name = "ball";
    CHECK_OK(pawl_builder_add_shape(c.builder, c.hand, &shape, NULL));
    shape.name = "floor";
    shape.kind = PAWL_SHAPE_PLANE;
    CHECK_OK(pawl_builder_add_shape(c.builder, PAWL_WORLD, &shape, NULL));
    shape.name = "box";
    shape.kind = PAWL_SHAPE_BOX;
    CHECK_OK(pawl_builder_add_shape(c.builder, c.arm, &shape, NULL));
    pawl_motion_def motion = pawl_motion_def_default();
    motion.joint = c.hinge;
    CHECK_OK(pawl_builder_add_motion(c.builder, &motion, NULL));
    pawl_builder_set_name(c.builder, "bench two");
    pawl_model *m;
    CHECK_OK(pawl_builder_compile(c.builder, &m));
    CHECK_TEXT(pawl_model_name(m), "bench two");
    CHECK_INT(pawl_model_row_count(m), 6);       // five of the hinge, one motion
    CHECK_INT(pawl_model_velocity_count(m), 15); // 6 + 6 + 3 + 0
    CHECK_NEAR(pawl_model_mass(m), 5.0, 1e-15);
    CHECK_NEAR3(pawl_model_gravity(m), v3(0, 0, -9.81), 0.0);
    CHECK_INT(pawl_body_index(pawl_model_find_body(m, "bead")), 2);
    CHECK_INT(pawl_body_index(pawl_model_find_body(m, "nobody")), -2);
    CHECK_INT(pawl_joint_index(pawl_model_find_joint(m, "hinge")), 0);
    CHECK_INT(pawl_joint_index(pawl_model_find_joint(m, "none")), -1);
    CHECK_INT(pawl_body_index(pawl_builder_find_body(c.builder, "nobody")), -2);
    CHECK_INT(pawl_joint_index(pawl_builder_find_joint(c.builder, "none")), -1);
    pawl_joint_info joint = pawl_model_joint(m, pawl_model_joint_at(m, 0));
    CHECK_TEXT(joint.name, "hinge");
    CHECK_INT(joint.row_count, 5);
    CHECK_INT(joint.coordinate_count, 1);
    CHECK_INT(pawl_model_shape_count(m), 3); // sorted: the world's, the arm's, the hand's
    CHECK_TEXT(pawl_model_shape(m, pawl_model_shape_at(m, 0)).def.name, "floor");
    CHECK_TEXT(pawl_model_shape(m, pawl_model_shape_at(m, 1)).def.name, "box");
    CHECK(pawl_body_same(pawl_model_shape(m, pawl_model_shape_at(m, 2)).body, c.hand));
    pawl_body_info hand = pawl_model_body(m, c.hand);
    CHECK_INT(hand.first_shape, 2);
    CHECK_INT(hand.shape_count, 1);
    pawl_model_destroy(m);
    pawl_builder_destroy(c.builder);
    CHECK_NO_LEAK(&c.t);
}

// Names that are made up must not collide with given ones.
TEST(things_without_a_name_get_one_of_their_own)
{
    builder_case c;
    builder_begin(&c);
    pawl_body_def def = builder_body("body3");
    CHECK_OK(pawl_builder_add_body(c.builder, &def, NULL));
    def.name = NULL;
    CHECK_OK(pawl_builder_add_body(c.builder, &def, NULL)); // the fourth: "body3" would be natural
    pawl_joint_def joint = pawl_joint_def_default();
    joint.name = "joint2";
    joint.follower = pawl_builder_body_at(c.builder, 2);
    CHECK_OK(pawl_builder_add_joint(c.builder, &joint, NULL));
    joint.name = "";
    joint.follower = pawl_builder_body_at(c.builder, 3);
    CHECK_OK(pawl_builder_add_joint(c.builder, &joint, NULL));
    pawl_model *m;
    CHECK_OK(pawl_builder_compile(c.builder, &m));
    CHECK(strcmp(pawl_model_body(m, pawl_model_body_at(m, 2)).name,
                 pawl_model_body(m, pawl_model_body_at(m, 3)).name) != 0);
    CHECK(strcmp(pawl_model_joint(m, pawl_model_joint_at(m, 1)).name,
                 pawl_model_joint(m, pawl_model_joint_at(m, 2)).name) != 0);
    pawl_model_destroy(m);
    pawl_builder_destroy(c.builder);
    CHECK_NO_LEAK(&c.t);
}

TEST(pairs_of_bodies_can_be_kept_from_touching)
{
    builder_case c;
    builder_begin(&c);
    const int bad[][2] = {{0, 0}, {-1, -1}, {0, 2}, {-2, 0}, {1000, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        CHECK_STATUS(pawl_builder_exclude(c.builder, pawl_builder_body_at(c.builder, bad[i][0]),
                                          pawl_builder_body_at(c.builder, bad[i][1])),
                     PAWL_BAD_ARGUMENT);
        CHECK_MESSAGE(&c.t, "two different bodies of this model");
    }
    pawl_model *none, *m, *other;
    CHECK_OK(pawl_builder_compile(c.builder, &none));
    CHECK_INT(pawl_model_exclusion_count(none), 0);
    CHECK_OK(pawl_builder_exclude(c.builder, c.hand, c.arm));
    CHECK_OK(pawl_builder_compile(c.builder, &m));
    CHECK_INT(pawl_model_exclusion_count(m), 1);
    CHECK(pawl_model_hash(m) != pawl_model_hash(none));
    pawl_model_destroy(none);
    // Neither the order of two pairs, nor that of a pair, nor saying it twice makes a difference.
    CHECK_OK(pawl_builder_exclude(c.builder, c.arm, PAWL_WORLD));
    CHECK_OK(pawl_builder_exclude(c.builder, c.arm, c.hand));
    CHECK_OK(pawl_builder_exclude(c.builder, PAWL_WORLD, c.arm));
    CHECK_OK(pawl_builder_compile(c.builder, &other));
    CHECK_INT(pawl_model_exclusion_count(other), 2);
    pawl_body_pair first = pawl_model_exclusion(other, 0), second = pawl_model_exclusion(other, 1);
    CHECK(pawl_body_is_world(first.a) && pawl_body_same(first.b, c.arm) &&
          pawl_body_same(second.a, c.arm) && pawl_body_same(second.b, c.hand));
    CHECK(pawl_model_hash(m) != pawl_model_hash(other));
    pawl_model_destroy(m);
    pawl_model_destroy(other);
    builder_end(&c);
}

// The memory of a model is measured with its shapes in one order and filled in another. Hulls of
// different sizes once led to different sums.
TEST(shapes_may_be_added_in_any_order_of_their_bodies)
{
    const pawl_vec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    for (int order = 0; order < 6; ++order) {
        builder_case c;
        builder_begin(&c);
        const int orders[6][3] = {{0, 1, -1}, {0, -1, 1}, {1, 0, -1},
                                  {1, -1, 0}, {-1, 0, 1}, {-1, 1, 0}};
        static const char *const names[3] = {"a", "a name that is longer than the other two",
                                             "xyz"};
        for (int k = 0; k < 3; ++k) {
            int index = orders[order][k];
            pawl_body_id body = index < 0 ? PAWL_WORLD : pawl_builder_body_at(c.builder, index);
            pawl_shape_def shape = pawl_shape_def_default();
            shape.name = names[index + 1];
            shape.kind = index == 0 ? PAWL_SHAPE_SPHERE : PAWL_SHAPE_HULL;
            shape.points = points;
            shape.point_count = 5 + (index < 0 ? -1 : 0);
            CHECK_OK(pawl_builder_add_shape(c.builder, body, &shape, NULL));
        }
        pawl_model *m;
        CHECK_OK(pawl_builder_compile(c.builder, &m));
        for (int s = 0; s < 3; ++s) {
            pawl_shape_info info = pawl_model_shape(m, pawl_model_shape_at(m, s));
            CHECK_INT(pawl_body_index(info.body), s - 1);
            CHECK_TEXT(info.def.name, names[s]);
            CHECK_INT(info.def.point_count, s == 0 ? 4 : s == 1 ? 0 : 5);
        }
        CHECK_NEAR3(pawl_model_shape(m, pawl_model_shape_at(m, 2)).def.points[4], points[4], 0.0);
        pawl_model_destroy(m);
        pawl_builder_destroy(c.builder);
        CHECK_NO_LEAK(&c.t);
    }
}

// By definition: it is the same model if and only if all that shapes its motion is the same.
TEST(the_hash_sees_all_that_shapes_the_motion)
{
    uint64_t seen[24];
    int count = 0;
    for (int change = 0; change < 24; ++change) {
        builder_case c;
        builder_begin(&c);
        pawl_body_def body = builder_body("third");
        pawl_joint_def joint = pawl_joint_def_default();
        joint.name = "slide";
        joint.kind = PAWL_JOINT_CYLINDRICAL;
        joint.base = c.hand;
        pawl_actuator_def actuator = pawl_actuator_def_default();
        actuator.joint = c.hinge;
        actuator.kind = PAWL_ACTUATOR_POSITION;
        actuator.stiffness = 1.0;
        pawl_spring_def spring = pawl_spring_def_default();
        spring.body_b = c.arm;
        spring.stiffness = 5.0;
        pawl_force_def force = pawl_force_def_default();
        force.body = c.arm;
        const double times[2] = {0.0, 1.0};
        double values[2] = {0.0, 2.0};
        force.force[0] =
            (pawl_signal){.kind = PAWL_SIGNAL_TABLE, .count = 2, .times = times, .values = values};
        pawl_vec3 gravity = v3(0, 0, -9.81);
        switch (change) {
        case 1:
            body.mass = 1.5;
            break;
        case 2:
            body.com.x = 0.1;
            break;
        case 3:
            body.inertia[4] = 0.01;
            break;
        case 4:
            body.pose.position.y = 1.0;
            break;
        case 5:
            body.twist.angular.x = 1.0;
            break;
        case 6:
            body.gravity_scale = 0.5;
            break;
        case 7:
            body.linear_damping = 0.5;
            break;
        case 8:
            body.kind = PAWL_BODY_KINEMATIC;
            break;
        case 9:
            joint.kind = PAWL_JOINT_PRISMATIC;
            break;
        case 10:
            joint.base_frame.position.z = 0.1;
            break;
        case 11:
            joint.coordinate[0].upper = 0.1;
            break;
        case 12:
            joint.coordinate[1].friction = 0.1;
            break;
        case 13:
            joint.base = c.arm;
            break;
        case 14:
            actuator.stiffness = 2.0;
            break;
        case 15:
            actuator.target = pawl_signal_constant(1.0);
            break;
        case 16:
            actuator.effort = 3.0;
            break;
        case 17:
            spring.rest_length = 0.5;
            break;
        case 18:
            spring.point_a.x = 0.5;
            break;
        case 19:
            values[1] = 3.0;
            break;
        case 20:
            force.in_body_axes = true;
            break;
        case 21:
            gravity.z = -1.6;
            break;
        case 22:
            joint.coordinate[0].armature = 0.1;
            break;
        case 23:
            joint.coordinate[0].rest = 0.1;
            break;
        default:
            break;
        }
        pawl_builder_set_gravity(c.builder, gravity);
        CHECK_OK(pawl_builder_add_body(c.builder, &body, &joint.follower));
        CHECK_OK(pawl_builder_add_joint(c.builder, &joint, NULL));
        CHECK_OK(pawl_builder_add_actuator(c.builder, &actuator, NULL));
        CHECK_OK(pawl_builder_add_spring(c.builder, &spring, NULL));
        CHECK_OK(pawl_builder_add_force(c.builder, &force, NULL));
        pawl_model *m, *twin;
        CHECK_OK(pawl_builder_compile(c.builder, &m));
        CHECK_OK(pawl_builder_compile(c.builder, &twin));
        CHECK(pawl_model_hash(m) == pawl_model_hash(twin));
        seen[count] = pawl_model_hash(m);
        for (int i = 0; i < count; ++i) {
            CHECK(seen[i] != seen[count]);
        }
        ++count;
        pawl_model_destroy(m);
        pawl_model_destroy(twin);
        pawl_builder_destroy(c.builder);
        CHECK_NO_LEAK(&c.t);
    }
}

// The model keeps copies: what the caller does with its names and tables afterwards is its own.
TEST(the_builder_and_the_model_keep_copies_of_names_and_tables)
{
    builder_case c;
    builder_begin(&c);
    char name[] = "lever";
    double times[2] = {0.0, 1.0}, values[2] = {3.0, 4.0};
    pawl_body_def def = builder_body(name);
    def.kind = PAWL_BODY_KINEMATIC;
    def.motion[0] =
        (pawl_signal){.kind = PAWL_SIGNAL_TABLE, .count = 2, .times = times, .values = values};
    CHECK_OK(pawl_builder_add_body(c.builder, &def, NULL));
    memset(name, 'x', 5);
    times[1] = values[1] = NAN;
    pawl_model *m;
    CHECK_OK(pawl_builder_compile(c.builder, &m));
    pawl_builder_destroy(c.builder);
    CHECK_TEXT(pawl_model_body(m, pawl_model_body_at(m, 2)).name, "lever");
    pawl_model_destroy(m);
    CHECK_NO_LEAK(&c.t);
}

// Closed form: the joint's origin is where it was asked for, on both sides, whatever the poses.
TEST(a_placed_joint_is_assembled)
{
    builder_case c;
    test_env_init(&c.t);
    CHECK_OK(pawl_builder_create(&c.t.env, NULL, &c.builder));
    pawl_body_def a = builder_body("a"), b = builder_body("b");
    a.pose = (pawl_pose){v3(1, 2, 3), pawl_quat_from_rpy(0.3, -0.4, 1.0)};
    b.pose = (pawl_pose){v3(-1, 0.5, 2), pawl_quat_from_rpy(1.3, 0.4, -2.0)};
    pawl_joint_def def = pawl_joint_def_default();
    CHECK_OK(pawl_builder_add_body(c.builder, &a, &def.base));
    CHECK_OK(pawl_builder_add_body(c.builder, &b, &def.follower));
    pawl_vec3 point = v3(0.2, 0.7, -0.1), axis = v3(1, 1, 0.5);
    pawl_builder_place_joint(c.builder, &def, point, axis, v3(0, 0, 0));
    pawl_pose base = pawl_pose_compose(a.pose, def.base_frame);
    pawl_pose follower = pawl_pose_compose(b.pose, def.follower_frame);
    CHECK_NEAR3(base.position, point, 1e-15);
    CHECK_NEAR3(follower.position, point, 1e-15);
    pawl_vec3 x = v3_scale(1.0 / v3_norm(axis), axis);
    CHECK_NEAR3(pawl_quat_rotate(base.orientation, v3(1, 0, 0)), x, 1e-15);
    CHECK_NEAR3(pawl_quat_rotate(base.orientation, v3(0, 1, 0)),
                pawl_quat_rotate(follower.orientation, v3(0, 1, 0)), 2e-15);
    pawl_builder_destroy(c.builder);
    CHECK_NO_LEAK(&c.t);
}
