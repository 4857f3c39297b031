// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The URDF reader: what a text means, checked against numbers worked out by hand from the URDF
// specification.
#include "model/model.h"
#include "pawl/io.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEAD "<robot name='r' xmlns:pawl='urn:pawl:sdf'>"
#define INERTIAL                                                                                   \
    "<inertial><mass value='2'/><inertia ixx='1' iyy='2' izz='2.5' ixy='0' ixz='0' iyz='0'/>"      \
    "</inertial>"
#define LINK(name, content) "<link name='" name "'>" INERTIAL content "</link>"
#define FRAME(name) "<link name='" name "'/>"
#define JOINT(name, type, parent, child, content)                                                  \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child        \
    "'/>" content "</joint>"
#define LIMIT "<limit lower='-1' upper='2' effort='30' velocity='4'/>"

static test_env urdf_env;

static pawl_status urdf_parse(const char *text, pawl_model **model)
{
    test_env_init(&urdf_env);
    return pawl_model_parse(&urdf_env.env, "text.urdf", text, strlen(text), NULL, model);
}

static pawl_model *urdf_load(const char *text)
{
    pawl_model *model;
    CHECK_OK(urdf_parse(text, &model));
    return model;
}

static void urdf_done(pawl_model *model)
{
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&urdf_env);
}

static void urdf_refused(const char *text, const char *message)
{
    pawl_model *model;
    CHECK_STATUS(urdf_parse(text, &model), PAWL_BAD_FILE);
    CHECK(model == NULL);
    CHECK_MESSAGE(&urdf_env, message);
    CHECK_NO_LEAK(&urdf_env);
}

static const model_joint *urdf_joint(const pawl_model *model, const char *name)
{
    pawl_joint_id index = pawl_model_find_joint(model, name);
    CHECK(index.index1 != 0);
    return &model->joints[pawl_joint_index(index)];
}

static const model_body *urdf_body(const pawl_model *model, const char *name)
{
    pawl_body_id index = pawl_model_find_body(model, name);
    CHECK(index.index1 != 0);
    return &model->bodies[pawl_body_index(index)];
}

static pawl_vec3 urdf_axis(pawl_pose frame, double x, double y, double z)
{
    return pawl_quat_rotate(frame.orientation, v3(x, y, z));
}

TEST(a_root_called_world_is_the_world_and_another_floats)
{
    pawl_model *m = urdf_load(HEAD FRAME("world") LINK("a", "") //
                              JOINT("j", "fixed", "world", "a", "") "</robot>");
    CHECK_TEXT(pawl_model_name(m), "r");
    CHECK_INT(pawl_model_body_count(m), 1);
    CHECK_INT(urdf_joint(m, "j")->base, PAWL_WORLD_INDEX);
    CHECK_NEAR3(pawl_model_gravity(m), v3(0, 0, -9.81), 0.0);
    urdf_done(m);
    m = urdf_load(HEAD "<pawl:gravity>0 0 -1</pawl:gravity>" LINK("a", "") "</robot>");
    CHECK_INT(pawl_model_joint_count(m), 0);
    CHECK_INT(pawl_model_velocity_count(m), 6);
    CHECK_NEAR3(pawl_model_gravity(m), v3(0, 0, -1), 0.0);
    urdf_done(m);
}

// By hand: j1 turns by 90 degrees about z, so that b's x is the world's y.
TEST(the_tree_gives_poses_frames_and_limits)
{
    pawl_model *m = urdf_load(HEAD FRAME("world") LINK("b", "") LINK("c", "") //
                              JOINT("j2", "prismatic", "b", "c",
                                    "<origin xyz='1 0 0'/><axis xyz='0 0 2'/>" LIMIT
                                    "<dynamics damping='5' friction='6'/>")
                                  JOINT("j1", "continuous", "world", "b",
                                        "<origin xyz='0 0 3' rpy='0 0 1.5707963267948966'/><axis "
                                        "xyz='0 1 0'/>") "</robot>");
    CHECK_NEAR3(urdf_body(m, "b")->start_pose.position, v3(0, 0, 3), 1e-15);
    CHECK_NEAR3(urdf_body(m, "c")->start_pose.position, v3(0, 1, 3), 1e-15);
    const model_joint *j1 = urdf_joint(m, "j1"), *j2 = urdf_joint(m, "j2");
    CHECK_INT(j1->kind, PAWL_JOINT_REVOLUTE);
    CHECK_NEAR3(j1->base_frame.position, v3(0, 0, 3), 1e-15);
    CHECK_NEAR3(urdf_axis(j1->base_frame, 1, 0, 0), v3(-1, 0, 0), 1e-15);
    CHECK_NEAR3(urdf_axis(j1->follower_frame, 1, 0, 0), v3(0, 1, 0), 1e-15);
    CHECK(j1->coordinate[0].lower == -INFINITY && j1->coordinate[0].upper == INFINITY);
    CHECK_INT(j2->kind, PAWL_JOINT_PRISMATIC);
    CHECK_NEAR3(j2->base_frame.position, v3(1, 0, 0), 1e-15);
    CHECK_NEAR3(j2->follower_frame.position, v3(0, 0, 0), 1e-15);
    CHECK_NEAR3(urdf_axis(j2->base_frame, 1, 0, 0), v3(0, 0, 1), 1e-15);
    pawl_coordinate_def c = j2->coordinate[0];
    CHECK(c.lower == -1.0 && c.upper == 2.0 && c.damping == 5.0 && c.friction == 6.0);
    urdf_done(m);
}

TEST(floating_and_planar_joints_and_those_of_pawl_are_read)
{
    pawl_model *m = urdf_load(HEAD FRAME("world") LINK("a", "") LINK("b", "") LINK("c", "") //
                              JOINT("free", "floating", "world", "a", "<origin xyz='1 2 3'/>")
                                  JOINT("flat", "planar", "a", "b", "<axis xyz='0 0 1'/>")
                                      JOINT("ball", "pawl:spherical", "b", "c",
                                            "<pawl:coordinate index='2' damping='3'/>") "</robot>");
    CHECK_INT(urdf_joint(m, "free")->kind, PAWL_JOINT_FREE);
    CHECK_NEAR3(urdf_axis(urdf_joint(m, "free")->base_frame, 0, 1, 0), v3(0, 1, 0), 0.0);
    CHECK_INT(urdf_joint(m, "flat")->kind, PAWL_JOINT_PLANAR);
    CHECK_NEAR3(urdf_axis(urdf_joint(m, "flat")->base_frame, 1, 0, 0), v3(0, 0, 1), 1e-15);
    CHECK_INT(urdf_joint(m, "ball")->kind, PAWL_JOINT_SPHERICAL);
    CHECK_NEAR(urdf_joint(m, "ball")->coordinate[2].damping, 3.0, 0.0);
    urdf_done(m);
}

// URDF: position = multiplier * other position + offset.
TEST(a_mimic_joint_becomes_a_gear)
{
    pawl_model *m = urdf_load(
        HEAD LINK("a", "") LINK("b", "") LINK("c", "") //
        JOINT("j", "revolute", "a", "b", LIMIT "<mimic joint='k' multiplier='-2' offset='0.5'/>")
            JOINT("k", "revolute", "a", "c", LIMIT) "</robot>");
    const model_joint *g = urdf_joint(m, "j::mimic");
    CHECK_INT(g->kind, PAWL_JOINT_GEAR);
    CHECK_INT(pawl_joint_index(g->gear.joint), pawl_joint_index(pawl_model_find_joint(m, "j")));
    CHECK_INT(pawl_joint_index(g->gear.source_joint),
              pawl_joint_index(pawl_model_find_joint(m, "k")));
    CHECK(g->gear.ratio == -2.0 && g->gear.offset == 0.5);
    urdf_done(m);
}

TEST(inertia_and_shapes_are_read_in_their_own_frames)
{
    pawl_model *m = urdf_load(
        HEAD "<material name='blue'><color rgba='0 0 1 0.5'/></material>"
             "<link name='a'><inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/>"
             "<mass value='3'/><inertia ixx='1' iyy='2' izz='2.5' ixy='0.1' ixz='0.2' iyz='0.3'/>"
             "</inertial><visual><origin xyz='4 5 6'/><geometry><box size='2 4 6'/></geometry>"
             "<material name='blue'/></visual><collision name='c'><geometry><cylinder radius='1' "
             "length='4'/></geometry></collision></link></robot>");
    pawl_body_info a = pawl_model_body(m, pawl_model_body_at(m, 0));
    static const double expected[6] = {2.0, 1.0, 2.5, -0.1, -0.3, 0.2};
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR(a.inertia[i], expected[i], 1e-15);
    }
    CHECK_NEAR3(a.com, v3(1, 2, 3), 0.0);
    pawl_shape_def box = pawl_model_shape(m, pawl_model_shape_at(m, 0)).def,
                   cylinder = pawl_model_shape(m, pawl_model_shape_at(m, 1)).def;
    CHECK(box.kind == PAWL_SHAPE_BOX && box.visual_only && box.rgba[2] == 1.0f &&
          box.rgba[3] == 0.5f);
    CHECK_NEAR3(box.size, v3(1, 2, 3), 0.0);
    CHECK_NEAR3(box.frame.position, v3(4, 5, 6), 0.0);
    CHECK(cylinder.kind == PAWL_SHAPE_CYLINDER && !cylinder.visual_only && cylinder.size.x == 1.0 &&
          cylinder.size.z == 2.0);
    urdf_done(m);
}

TEST(collisions_say_what_they_are_made_of)
{
    pawl_model *m = urdf_load(
        HEAD LINK("a", "<collision><geometry><sphere radius='1'/></geometry></collision>"
                       "<collision><geometry><sphere radius='1'/></geometry>"
                       "<pawl:friction>0.9</pawl:friction><pawl:restitution>0.3</pawl:restitution>"
                       "</collision>") "</robot>");
    pawl_shape_def plain = pawl_model_shape(m, pawl_model_shape_at(m, 0)).def,
                   made = pawl_model_shape(m, pawl_model_shape_at(m, 1)).def;
    CHECK(plain.friction == 0.5 && plain.restitution == 0.0);
    CHECK(made.friction == 0.9 && made.restitution == 0.3);
    urdf_done(m);
    urdf_refused(HEAD LINK("a", "<collision><geometry><sphere radius='1'/></geometry>"
                                "<pawl:friction>-1</pawl:friction></collision>") "</robot>",
                 "pawl:friction");
}

TEST(hulls_filters_and_exclusions_are_those_of_sdf)
{
    pawl_model *m = urdf_load(HEAD LINK(
        "a", "<collision><origin xyz='0 0 1'/><geometry><pawl:hull>0 0 0 1 0 0 0 1 0 0 0 1"
             "</pawl:hull></geometry><pawl:group>6</pawl:group><pawl:mask>0xFF</pawl:mask>"
             "<pawl:torsional_friction>0.01</pawl:torsional_friction>"
             "<pawl:rolling_friction>0.02</pawl:rolling_friction></collision>") LINK("b", "")
                                  JOINT("j", "floating", "a", "b", "") FRAME("tip")
                                      JOINT("k", "fixed", "b", "tip",
                                            "") "<pawl:exclude body_a='a' body_b='tip'/></robot>");
    pawl_shape_def def = pawl_model_shape(m, pawl_model_shape_at(m, 0)).def;
    CHECK_INT(def.kind, PAWL_SHAPE_HULL);
    CHECK_INT(def.point_count, 4);
    CHECK_NEAR3(def.frame.position, v3(0, 0, 1), 0.0);
    CHECK(def.group == 6 && def.mask == 255);
    CHECK(def.torsional_friction == 0.01 && def.rolling_friction == 0.02);
    CHECK_INT(pawl_model_exclusion_count(m), 1);
    pawl_body_pair pair = pawl_model_exclusion(m, 0);
    CHECK(pawl_body_index(pair.a) == 0 && pawl_body_index(pair.b) == 1); // the tip is part of b
    CHECK_INT(urdf_env.messages[PAWL_LOG_WARNING], 0);
    urdf_done(m);
    urdf_refused(HEAD LINK("a", "") "<pawl:exclude body_a='a' body_b='q'/></robot>",
                 "text.urdf:1: <exclude>: no link is called 'q'");
    urdf_refused(HEAD LINK("a", "<visual><geometry><pawl:hull>0 0 0 1 0 0 0 1 0 0 0</pawl:hull>"
                                "</geometry></visual>") "</robot>",
                 "got a hull of 11 numbers");
}

// By hand: the tool is 1 m along a's x, its tip another 2 m along y: a's body carries both.
TEST(links_without_mass_are_merged_into_what_they_are_fixed_to)
{
    pawl_model *m = urdf_load(
        HEAD FRAME("root") LINK("a", "")
            FRAME("tool") "<link name='tip'><visual><geometry><sphere "
                          "radius='0.1'/></geometry></visual></link>" LINK("b", "")
                              JOINT("r", "fixed", "root", "a", "<origin xyz='0 0 5'/>")
                                  JOINT("t", "fixed", "a", "tool", "<origin xyz='1 0 0'/>")
                                      JOINT("u", "fixed", "tool", "tip", "<origin xyz='0 2 0'/>")
                                          JOINT("j", "continuous", "tip", "b",
                                                "<axis xyz='0 0 1'/>") "</robot>");
    CHECK_INT(pawl_model_body_count(m), 2);
    CHECK_INT(pawl_model_joint_count(m), 1);
    CHECK_NEAR3(urdf_joint(m, "j")->base_frame.position, v3(1, 2, 0), 1e-15);
    CHECK_INT(urdf_joint(m, "j")->base, pawl_body_index(pawl_model_find_body(m, "a")));
    CHECK_INT(pawl_body_index(pawl_model_shape(m, pawl_model_shape_at(m, 0)).body),
              pawl_body_index(pawl_model_find_body(m, "a")));
    CHECK_NEAR3(pawl_model_shape(m, pawl_model_shape_at(m, 0)).def.frame.position, v3(1, 2, 0),
                1e-15);
    CHECK_NEAR3(urdf_body(m, "a")->start_pose.position, v3(0, 0, 5), 0.0);
    urdf_done(m);
    m = urdf_load(HEAD LINK("a", "") FRAME("x") JOINT("j", "continuous", "a", "x", "") "</robot>");
    CHECK_INT(pawl_model_body_count(m), 1); // nothing hangs on the joint
    CHECK_INT(pawl_model_joint_count(m), 0);
    urdf_done(m);
    m = urdf_load(HEAD FRAME("x") "</robot>");
    CHECK_INT(pawl_model_body_count(m), 0); // part of the world
    urdf_done(m);
}

// A four-bar that URDF cannot express: bars of 1 m along x, up, and back; the loop closes at (0, 1).
TEST(a_loop_closes_where_the_tree_leaves_off)
{
#define FOURBAR(loop)                                                                              \
    HEAD FRAME("world") LINK("a", "") LINK("b", "") LINK("c", "")                                  \
        JOINT("ja", "continuous", "world", "a", "<axis xyz='0 0 1'/>")                             \
            JOINT("jb", "continuous", "a", "b", "<origin xyz='1 0 0'/><axis xyz='0 0 1'/>")        \
                JOINT("jc", "continuous", "b", "c", "<origin xyz='0 1 0'/><axis xyz='0 0 1'/>")    \
                    loop "</robot>"
    static const char *const loops[] = {
        FOURBAR("<pawl:loop name='l' type='revolute' parent='world' child='c' "
                "child_origin='-1 0 0 0 0 0' axis='0 0 1'/>"),
        FOURBAR("<pawl:loop name='l' type='revolute' parent='world' child='c'>"
                "<pawl:parent_origin xyz='0 1 0'/><pawl:axis xyz='0 0 1'/></pawl:loop>"),
        FOURBAR("<pawl:loop name='l' type='revolute' parent='world' child='c' axis='0 0 1' "
                "parent_origin='0 1 0 0 0 0' child_origin='-1 0 0 0 0 0'/>"),
    };
    for (int i = 0; i < 3; ++i) {
        pawl_model *m = urdf_load(loops[i]);
        const model_joint *l = urdf_joint(m, "l");
        CHECK_INT(pawl_model_row_count(m), 20);
        CHECK_INT(l->base, PAWL_WORLD_INDEX);
        CHECK_NEAR3(l->base_frame.position, v3(0, 1, 0), 1e-15);
        CHECK_NEAR3(l->follower_frame.position, v3(-1, 0, 0), 1e-15);
        CHECK_NEAR3(urdf_axis(l->base_frame, 1, 0, 0), v3(0, 0, 1), 1e-15);
        urdf_done(m);
    }
    urdf_refused(FOURBAR("<pawl:loop name='l' type='revolute' parent='c' child='world'/>"),
                 "the child is the world");
    urdf_refused(FOURBAR("<pawl:loop name='l' type='revolute' parent='c' child='c'/>"),
                 "connects 'c' with itself");
    urdf_refused(FOURBAR("<pawl:loop name='jc' type='revolute' parent='a' child='c'/>"),
                 "a second joint is called 'jc'");
    urdf_refused(FOURBAR("<pawl:loop name='l' type='hinge' parent='a' child='c'/>"),
                 "got type 'hinge'");
}

TEST(actuators_take_the_effort_limit_of_their_joint)
{
    pawl_model *m = urdf_load(HEAD LINK("a", "") LINK("b", "") JOINT(
        "j", "revolute", "a", "b",
        LIMIT) "<pawl:actuator joint='j' type='position' stiffness='1'/>"
               "<pawl:spring body_a='a' body_b='world' point_b='0 0 1' stiffness='2'/></robot>");
    CHECK_NEAR(m->actuators[0].effort, 30.0, 0.0);
    CHECK_INT(pawl_body_index(m->springs[0].body_b), PAWL_WORLD_INDEX);
    urdf_done(m);
}

TEST(what_is_not_a_tree_is_refused)
{
    urdf_refused(HEAD LINK("a", "") LINK("b", "") //
                 JOINT("j", "fixed", "a", "b", "") JOINT("k", "fixed", "b", "a", "") "</robot>",
                 "form a cycle");
    urdf_refused(HEAD LINK("r", "") LINK("a", "") LINK("b", "") //
                 JOINT("j", "fixed", "a", "b", "") JOINT("k", "fixed", "b", "a", "") "</robot>",
                 "2 links cannot be reached from the root 'r'");
    urdf_refused(HEAD LINK("a", "") LINK("b", "") LINK("c", "") //
                 JOINT("j", "fixed", "a", "c", "") JOINT("k", "fixed", "b", "c", "") "</robot>",
                 "link 'c' is the child of joint 'j' and of joint 'k'");
    urdf_refused(HEAD "</robot>", "has no <link>");
}

TEST(messages_name_the_line_and_what_was_expected)
{
    urdf_refused(HEAD "\n" LINK("left_arm", "") LINK("b", "") "\n" //
                 JOINT("j", "fixed", "left_arn", "b", "") "</robot>",
                 "text.urdf:3: <parent>: no link is called 'left_arn'; did you mean 'left_arm'?");
    urdf_refused(HEAD LINK("a", "") LINK("b", "") //
                 JOINT("j", "continuous", "a", "b", "<axis xyz='0 0 0'/>") "</robot>",
                 "non-zero length");
    urdf_refused(HEAD LINK("a", "") LINK("b", "") JOINT("j", "revolve", "a", "b", "") "</robot>",
                 "did you mean 'revolute'?");
    urdf_refused(HEAD "<link name='a'><inertial><mass value='-1'/></inertial></link></robot>",
                 "value: got '-1', expected a finite number > 0");
    urdf_refused(HEAD "<link name='a'><inertial/></link></robot>", "has no <mass>");
    urdf_refused(HEAD LINK("a", "") LINK("a", "") "</robot>", "a second link is called 'a'");
}

// Steiner by hand: two equal links of 2 kg, 1 m apart along x, weigh 4 kg between them; about y and z comes 2 x 2 kg (0.5 m)^2. A link
// without mass that carries one with is that one; what says how a link or a joint behaves keeps it apart.
TEST(links_on_fixed_joints_are_lumped_unless_they_are_kept)
{
    static const char text[] =
        HEAD LINK("base", "") LINK("tip", "") FRAME("wrist") LINK("tool", "")           //
        LINK("damped", "<pawl:linear_damping>1</pawl:linear_damping>") LINK("soft", "") //
        JOINT("a", "fixed", "base", "tip", "<origin xyz='1 0 0'/>")                     //
        JOINT("b", "revolute", "tip", "wrist", LIMIT)                                   //
        JOINT("c", "fixed", "wrist", "tool",
              "<origin xyz='0 3 0' rpy='0 0 1.5707963267948966'/>")             //
        JOINT("d", "fixed", "tool", "damped", "")                               //
        JOINT("e", "fixed", "tool", "soft", "<pawl:soft time_constant='0.1'/>") //
        "<pawl:force name='f' body='tip' point='0 1 0'><pawl:fz><pawl:constant>1</pawl:constant>"
        "</pawl:fz></pawl:force>"
        "<pawl:spring body_a='base' body_b='tip' stiffness='5' rest_length='1'/>"
        "<pawl:exclude body_a='base' body_b='tip'/></robot>";
    for (int lump = 0; lump < 2; ++lump) {
        pawl_load_options options = pawl_load_options_default();
        pawl_model *m;
        options.keep_fixed = lump == 0;
        test_env_init(&urdf_env);
        CHECK_OK(pawl_model_parse(&urdf_env.env, "text.urdf", text, strlen(text), &options, &m));
        CHECK_INT(pawl_model_body_count(m), lump == 1 ? 4 : 6);
        CHECK_INT(pawl_model_spring_count(m), lump == 1 ? 0 : 1); // within one body it does nothing
        CHECK_INT(pawl_model_joint_count(m), lump == 1 ? 3 : 5);
        CHECK_NEAR(pawl_model_mass(m), 10.0 + (lump == 1 ? 0.0 : 6e-6), 1e-12);
        if (lump == 1) {
            pawl_body_info base = pawl_model_body(m, pawl_model_find_body(m, "base"));
            const double expected[6] = {2.0, 5.0, 6.0, 0.0, 0.0, 0.0};
            CHECK_NEAR(base.mass, 4.0, 1e-15);
            CHECK_NEAR3(base.com, ((pawl_vec3){0.5, 0.0, 0.0}), 1e-15);
            pawl_body_info wrist = pawl_model_body(m, pawl_model_find_body(m, "wrist"));
            const double turned[6] = {2.0, 1.0, 2.5, 0.0, 0.0, 0.0};
            CHECK_NEAR(wrist.mass, 2.0, 1e-15);
            CHECK_NEAR3(wrist.com, ((pawl_vec3){0.0, 3.0, 0.0}), 1e-15);
            for (int i = 0; i < 6; ++i) {
                CHECK_NEAR(base.inertia[i], expected[i], 1e-14);
                CHECK_NEAR(wrist.inertia[i], turned[i], 1e-14);
            }
            pawl_frame tool = pawl_model_find_frame(m, "tool");
            CHECK_TEXT(tool.name, "tool");
            CHECK(pawl_body_same(tool.body, pawl_model_find_body(m, "wrist")));
            CHECK_NEAR3(tool.pose.position, ((pawl_vec3){0.0, 3.0, 0.0}), 1e-15);
            CHECK(pawl_model_find_frame(m, "no such").name == NULL);
            CHECK_NEAR3(m->forces[0].point, ((pawl_vec3){1.0, 1.0, 0.0}), 1e-15);
            CHECK(pawl_model_find_body(m, "damped").index1 != 0);
            CHECK(pawl_model_find_joint(m, "e").index1 != 0);
        }
        urdf_done(m);
    }
}

// What says in a file that a link is to stay a body: Gazebo's elements, a joint of type pawl:fixed, contacts within the robot.
TEST(links_on_fixed_joints_stay_bodies_where_the_file_says_so)
{
#define PAIR(type, more)                                                                           \
    HEAD LINK("a", "") LINK("b", "") JOINT("j", type, "a", "b", "") more "</robot>"
#define GAZEBO(content) "<gazebo reference='j'>" content "</gazebo>"
    static const struct {
        const char *text;
        int bodies;
    } cases[] = {
        {PAIR("fixed", ""), 1},
        {PAIR("fixed", GAZEBO("<mu1>1</mu1>")), 1},
        {PAIR("fixed", GAZEBO("<preserveFixedJoint>false</preserveFixedJoint>")), 1},
        {PAIR("fixed", GAZEBO("<preserveFixedJoint>true</preserveFixedJoint>")), 2},
        {PAIR("fixed", GAZEBO("<disableFixedJointLumping>true</disableFixedJointLumping>")), 2},
        {PAIR("fixed", "<pawl:self_collide>true</pawl:self_collide>"), 2},
        {PAIR("pawl:fixed", ""), 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        pawl_model *m = urdf_load(cases[i].text);
        CHECK_INT(pawl_model_body_count(m), cases[i].bodies);
        CHECK_INT(pawl_model_joint_count(m), cases[i].bodies - 1);
        CHECK_NEAR(pawl_model_mass(m), 4.0, 0.0);
        urdf_done(m);
    }
}

// Two inertias that no body has, fixed to a frame which moves: together they are one, of 4 kg.
TEST(what_is_lumped_with_a_frame_that_moves_is_its_mass)
{
    pawl_model *m = urdf_load(
        HEAD LINK("base", "") FRAME("wrist") LINK("more", "") //
        "<link name='l'><inertial><mass value='2'/><inertia ixx='1' iyy='2' izz='-0.5'/>"
        "</inertial></link><link name='k'><inertial><mass value='2'/><inertia ixx='2' iyy='-0.1' "
        "izz='2.5'/></inertial></link>"                                                      //
        JOINT("b", "revolute", "base", "wrist", LIMIT) JOINT("c", "fixed", "wrist", "k", "") //
        JOINT("e", "fixed", "wrist", "l", "")                                                //
        JOINT("d", "revolute", "l", "more", LIMIT "<origin xyz='0 1 0'/>") "</robot>");
    const double expected[6] = {3.0, 1.9, 2.0, 0.0, 0.0, 0.0};
    CHECK_INT(pawl_model_body_count(m), 3);
    pawl_body_info wrist = pawl_model_body(m, pawl_model_find_body(m, "wrist"));
    CHECK_NEAR(wrist.mass, 4.0, 0.0);
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR(wrist.inertia[i], expected[i], 1e-14);
    }
    urdf_done(m);
}

static pawl_status urdf_make(const pawl_env *env, void *text)
{
    pawl_model *m;
    pawl_status status = pawl_model_parse(env, "text.urdf", text, strlen(text), NULL, &m);
    pawl_model_destroy(m);
    return status;
}

TEST(reading_survives_every_failing_allocation)
{
    static char text[] = FOURBAR("<pawl:loop name='l' type='revolute' parent='world' child='c' "
                                 "child_origin='-1 0 0 0 0 0' axis='0 0 1'/>"
                                 "<material name='m'/><pawl:motion joint='ja'><pawl:constant>1"
                                 "</pawl:constant></pawl:motion>");
    CHECK(CHECK_SURVIVES_NO_MEMORY(urdf_make, text) > 10);
}
