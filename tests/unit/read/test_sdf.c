// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The SDFormat reader: what a text means, checked against numbers worked out by hand from the
// SDFormat specification, and against the same model made with the builder.
#include "model/model.h"
#include "pawl/io.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "<sdf version='1.10' xmlns:pawl='urn:pawl:sdf'>"
#define INERTIAL                                                                                   \
    "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz></inertia></inertial>"
#define LINK(name, content) "<link name='" name "'>" INERTIAL content "</link>"
#define HALF_PI "1.5707963267948966"

static test_env sdf_env;

static pawl_status sdf_parse(const char *text, bool lenient, pawl_model **model)
{
    pawl_load_options options = pawl_load_options_default();
    options.lenient = lenient;
    test_env_init(&sdf_env);
    return pawl_model_parse(&sdf_env.env, "text.sdf", text, strlen(text), &options, model);
}

static pawl_model *sdf_load(const char *text)
{
    pawl_model *model;
    CHECK_OK(sdf_parse(text, false, &model));
    return model;
}

static void sdf_done(pawl_model *model)
{
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&sdf_env);
}

static void sdf_refused(const char *text, pawl_status status, const char *message)
{
    pawl_model *model;
    CHECK_STATUS(sdf_parse(text, false, &model), status);
    CHECK(model == NULL);
    CHECK_MESSAGE(&sdf_env, message);
    CHECK_NO_LEAK(&sdf_env);
}

static const model_joint *sdf_joint(const pawl_model *model, const char *name)
{
    pawl_joint_id index = pawl_model_find_joint(model, name);
    CHECK(index.index1 != 0);
    return &model->joints[pawl_joint_index(index)];
}

static const model_body *sdf_body(const pawl_model *model, const char *name)
{
    pawl_body_id index = pawl_model_find_body(model, name);
    CHECK(index.index1 != 0);
    return &model->bodies[pawl_body_index(index)];
}

static pawl_vec3 sdf_axis(pawl_pose frame, double x, double y, double z)
{
    return pawl_quat_rotate(frame.orientation, v3(x, y, z));
}

// --- structure ---------------------------------------------------------------------------------

TEST(a_lone_model_keeps_its_names_and_has_earth_gravity)
{
    pawl_model *m = sdf_load(HEAD "<model name='one'>" LINK("a", "") "</model></sdf>");
    CHECK_TEXT(pawl_model_name(m), "one");
    CHECK_INT(pawl_model_body_count(m), 1);
    CHECK_TEXT(pawl_model_body(m, pawl_model_body_at(m, 0)).name, "a");
    CHECK_NEAR3(pawl_model_gravity(m), v3(0, 0, -9.81), 0.0);
    CHECK_NEAR(pawl_model_mass(m), 2.0, 0.0);
    sdf_done(m);
}

// As ODE and DART have it; SDFormat's default, z for both, is no universal joint.
TEST(a_universal_joint_without_axes_turns_about_x_and_y)
{
    pawl_model *m = sdf_load(HEAD "<model name='one'>" LINK("a", "")
                                 LINK("b", "") "<joint name='j' type='universal'><parent>a</parent>"
                                               "<child>b</child></joint></model></sdf>");
    CHECK_INT(m->joints[0].kind, PAWL_JOINT_UNIVERSAL);
    CHECK_NEAR3(sdf_axis(m->joints[0].base_frame, 1, 0, 0), v3(1, 0, 0), 1e-15);
    CHECK_NEAR3(sdf_axis(m->joints[0].follower_frame, 0, 1, 0), v3(0, 1, 0), 1e-15);
    sdf_done(m);
}

TEST(a_world_states_gravity_and_a_lone_model_in_it_lends_no_prefix)
{
    pawl_model *m = sdf_load(HEAD "<world name='w'><gravity>1 2 3</gravity><model name='one'>" LINK(
        "a", "") "</model></world></sdf>");
    CHECK_TEXT(pawl_model_name(m), "one");
    CHECK_TEXT(pawl_model_body(m, pawl_model_body_at(m, 0)).name, "a");
    CHECK_NEAR3(pawl_model_gravity(m), v3(1, 2, 3), 0.0);
    sdf_done(m);
    m = sdf_load(HEAD "<world name='w'><model name='one'>" LINK("a", "") "</model></world></sdf>");
    CHECK_NEAR3(pawl_model_gravity(m), v3(0, 0, -9.8), 0.0); // SDFormat's own default
    sdf_done(m);
}

TEST(several_models_and_nested_ones_have_names_joined_by_colons)
{
    pawl_model *m = sdf_load(
        HEAD
        "<world name='w'><gravity>0 0 0</gravity>"
        "<model name='one'>" LINK("a", "") "<model name='in'><pose>0 0 1 0 0 0</pose>" LINK(
            "b",
            "") "</model>"
                "<joint name='j' type='pawl:fixed'><parent>a</parent><child>in::b</child></joint>"
                "</model>"
                "<model name='two'><pose>5 0 0 0 0 0</pose>" LINK(
                    "a", "") "</model>"
                             "<joint name='tie' type='ball'><parent>one::in::b</parent>"
                             "<child>two::a</child></joint></world></sdf>");
    CHECK_TEXT(pawl_model_name(m), "w");
    CHECK_INT(pawl_model_body_count(m), 3);
    CHECK_NEAR3(sdf_body(m, "one::in::b")->start_pose.position, v3(0, 0, 1), 0.0);
    CHECK_NEAR3(sdf_joint(m, "tie")->base_frame.position, v3(5, 0, -1), 0.0);
    CHECK_INT(sdf_joint(m, "one::j")->base, pawl_body_index(pawl_model_find_body(m, "one::a")));
    sdf_done(m);
}

// --- frames ------------------------------------------------------------------------------------

// By hand: the model is turned by 90 degrees about z at (1, 0, 0), so that its x is the world's y.
TEST(poses_are_resolved_through_models_links_joints_and_frames)
{
    pawl_model *m =
        sdf_load(HEAD "<model name='m'><pose>1 0 0 0 0 " HALF_PI
                      "</pose>" LINK("late", "<pose relative_to='hinge'>0 0 3 0 0 0</pose>")
                          LINK("base", "<pose>2 0 0 0 0 0"
                                       "</pose>")
                              LINK("on", "<pose relative_to='mark'>0 1 0 0 0 0</pose>") //
                 "<frame name='mark' attached_to='base'><pose>0 0 5 0 0 0</pose></frame>"
                 "<joint name='hinge' type='revolute'><pose relative_to='base'>1 0 0 0 0 0</pose>"
                 "<parent>base</parent><child>late</child><axis><xyz>0 0 1</xyz></axis></joint>"
                 "<joint name='w' type='fixed'><parent>world</parent><child>mark</child></joint>"
                 "</model></sdf>");
    CHECK_NEAR3(sdf_body(m, "base")->start_pose.position, v3(1, 2, 0), 1e-15);
    CHECK_NEAR3(sdf_body(m, "late")->start_pose.position, v3(1, 3, 3), 1e-15);
    CHECK_NEAR3(sdf_body(m, "on")->start_pose.position, v3(0, 2, 5), 1e-15);
    const model_joint *hinge = sdf_joint(m, "hinge");
    CHECK_NEAR3(hinge->base_frame.position, v3(1, 0, 0), 1e-15);
    CHECK_NEAR3(hinge->follower_frame.position, v3(0, 0, -3), 1e-15);
    // A joint may name a frame: it holds the link the frame is attached to, at the frame.
    const model_joint *w = sdf_joint(m, "w");
    CHECK_INT(w->follower, pawl_body_index(pawl_model_find_body(m, "base")));
    CHECK_NEAR3(w->base_frame.position, v3(1, 2, 5), 1e-15);
    CHECK_NEAR3(w->follower_frame.position, v3(0, 0, 5), 1e-15);
    sdf_done(m);
}

TEST(a_pose_may_be_in_degrees_or_hold_a_quaternion)
{
    pawl_model *m = sdf_load(
        HEAD "<model name='m'>" LINK("d", "<pose degrees='true'>0 0 0 0 0 90</pose>")
            LINK("q", "<pose rotation_format='quat_xyzw'>1 2 3 0 0 2 2</pose>") "</model></sdf>");
    pawl_pose d = sdf_body(m, "d")->start_pose, q = sdf_body(m, "q")->start_pose;
    CHECK_NEAR3(sdf_axis(d, 1, 0, 0), v3(0, 1, 0), 1e-15);
    CHECK_NEAR3(sdf_axis(q, 1, 0, 0), v3(0, 1, 0), 1e-15); // normalized: 90 degrees about z
    CHECK_NEAR3(q.position, v3(1, 2, 3), 0.0);
    sdf_done(m);
}

TEST(poses_that_depend_on_themselves_are_refused_with_the_chain)
{
    sdf_refused(HEAD "<model name='m'>" LINK("a", "<pose relative_to='b'/>")
                    LINK("b", "<pose relative_to='c'/>")
                        LINK("c", "<pose relative_to='a'/>") "</model></sdf>",
                PAWL_BAD_FILE, "'a' -> 'b' -> 'c' -> 'a'");
    sdf_refused(HEAD "<model name='m'>" LINK("a", "") //
                "<frame name='f' attached_to='g'><pose relative_to='a'/></frame>"
                "<frame name='g' attached_to='f'><pose relative_to='a'/></frame>"
                "<joint name='j' type='fixed'><parent>world</parent><child>f</child></joint>"
                "</model></sdf>",
                PAWL_BAD_FILE, "attached to itself");
}

// The stack must not grow with the chain: this one would need 100 MB of it.
// Two links of 1 kg and 1 kg m^2 on fixed joints, 1 m along x and then 1 m along y of it: by Steiner the three together have
// their centre at (2/3, 1/3) and xx 3 + 2/3, yy 3 + 2/3, xy -1/3 kg m^2. The arm on the last one moves as without lumping.
TEST(links_on_fixed_joints_are_lumped_and_move_as_before)
{
#define LUMP_LINK(name, pose)                                                                      \
    "<link name='" name "'><pose>" pose "</pose><inertial><mass>1</mass><inertia><ixx>1</ixx>"     \
    "<iyy>1</iyy><izz>1</izz></inertia></inertial><collision name='c'><geometry><sphere><radius>"  \
    "0.1</radius></sphere></geometry></collision></link>"
#define LUMP_JOINT(name, type, parent, child, more)                                                \
    "<joint name='" name "' type='" type "'><parent>" parent "</parent><child>" child              \
    "</child>" more "</joint>"
    static const char text[] = "<sdf version='1.10'><model name='m'>" LUMP_LINK(
        "base", "0 0 0 0 0 0") LUMP_LINK("tip", "1 0 0 0 0 1.5707963267948966")
        LUMP_LINK("tool", "1 1 0 0 0 0.3") LUMP_LINK("arm", "1 2 0 0 0 0")
            LUMP_JOINT("a", "fixed", "base", "tip", "") LUMP_JOINT("b", "fixed", "tip", "tool", "")
                LUMP_JOINT("c", "revolute", "tool", "arm", "<axis><xyz>1 0 0</xyz></axis>") //
        "<frame name='grip' attached_to='tool'><pose>0 0 1 0 0 0</pose></frame></model></sdf>";
    pawl_pose end[2];
    for (int lump = 0; lump < 2; ++lump) {
        pawl_load_options options = pawl_load_options_default();
        pawl_settings settings = pawl_settings_default();
        pawl_model *m;
        pawl_sim *sim;
        options.keep_fixed = lump == 0;
        test_env_init(&sdf_env);
        CHECK_OK(pawl_model_parse(&sdf_env.env, "text.sdf", text, strlen(text), &options, &m));
        CHECK_INT(pawl_model_body_count(m), lump == 1 ? 2 : 4);
        CHECK_INT(pawl_model_joint_count(m), lump == 1 ? 1 : 3);
        pawl_frame grip = pawl_model_find_frame(m, "grip"), tool = pawl_model_find_frame(m, "tool");
        if (lump == 1) {
            pawl_body_info base = pawl_model_body(m, pawl_model_find_body(m, "base"));
            CHECK_NEAR3(base.com, ((pawl_vec3){2.0 / 3.0, 1.0 / 3.0, 0.0}), 1e-15);
            const double expected[6] = {11.0 / 3.0, 11.0 / 3.0, 13.0 / 3.0, -1.0 / 3.0, 0.0, 0.0};
            for (int i = 0; i < 6; ++i) {
                CHECK_NEAR(base.inertia[i], expected[i], 1e-14);
            }
            CHECK_INT(base.shape_count, 3);
            CHECK(pawl_body_same(grip.body, pawl_model_find_body(m, "base")));
            CHECK_NEAR3(grip.pose.position, ((pawl_vec3){1.0, 1.0, 1.0}), 1e-15);
        }
        CHECK_TEXT(tool.name, "tool");
        CHECK_OK(pawl_sim_create(&sdf_env.env, m, &settings, &sim));
        for (int i = 0; i < 100; ++i) {
            CHECK_OK(pawl_sim_step(sim, NULL));
        }
        pawl_pose at = pawl_state_pose(pawl_sim_state(sim), tool.body);
        end[lump] = pawl_pose_compose(at, tool.pose);
        pawl_sim_destroy(sim);
        sdf_done(m);
    }
    CHECK_NEAR3(end[0].position, end[1].position, 1e-10);
    CHECK_NEAR(end[0].orientation.x, end[1].orientation.x, 1e-10);
}

// What says in a file that a link is to stay a body: a joint of type pawl:fixed, a sensor of its force, links that touch.
TEST(links_on_fixed_joints_stay_bodies_where_the_file_says_so)
{
#define KEPT_PAIR(model, type, more)                                                               \
    "<sdf version='1.10' xmlns:pawl='urn:pawl:sdf'><model name='m'>" model LUMP_LINK(              \
        "a", "0 0 0 0 0 0") LUMP_LINK("b", "1 0 0 0 0 0")                                          \
        LUMP_JOINT("j", type, "a", "b", more) "</model></sdf>"
    static const struct {
        const char *text;
        int bodies;
    } cases[] = {
        {KEPT_PAIR("", "fixed", ""), 1},
        {KEPT_PAIR("", "pawl:fixed", ""), 2},
        {KEPT_PAIR("", "fixed", "<sensor name='ft' type='force_torque'/>"), 2},
        {KEPT_PAIR("<self_collide>true</self_collide>", "fixed", ""), 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        pawl_model *m = sdf_load(cases[i].text);
        CHECK_INT(pawl_model_body_count(m), cases[i].bodies);
        CHECK_INT(pawl_model_joint_count(m), cases[i].bodies - 1);
        sdf_done(m);
    }
}

// libsdformat reads both: it keeps the second axis to itself, and holds still what cannot move.
TEST(what_others_read_with_a_warning_is_read)
{
    pawl_model *m = sdf_load(
        HEAD "<world name='w'><model name='crate'>" LINK("base", "<kinematic>true</kinematic>")
            LINK("lid", "") "<joint name='foundation' "
                            "type='fixed'><parent>world</parent><child>base</child></joint>"
                            "<joint name='hinge' "
                            "type='revolute'><parent>base</parent><child>lid</child><axis><xyz>0 1 "
                            "0</xyz></axis><axis2><xyz>1 0 "
                            "0</xyz><limit><lower>-1</lower><upper>1</upper></limit>"
                            "</axis2></joint></model><frame name='spot'><pose>0 0 3 0 0 "
                            "0</pose></frame></world></sdf>");
    CHECK_INT(pawl_model_joint_count(m), 1);
    CHECK(isinf(sdf_joint(m, "hinge")->coordinate[0].upper));
    CHECK_INT(sdf_env.messages[PAWL_LOG_WARNING], 2); // one for each
    CHECK_NEAR3(pawl_model_find_frame(m, "spot").pose.position, v3(0, 0, 3), 0.0);
    sdf_done(m);
}

TEST(a_very_long_chain_of_frames_is_resolved)
{
    enum { COUNT = 100000, ROOM = 80 };
    char *text = malloc((size_t)COUNT * ROOM + 2000);
    CHECK(text != NULL);
    int at = sprintf(text, HEAD "<model name='m'>" LINK("a", "<pose relative_to='f0'/>"));
    for (int i = 0; i < COUNT; ++i) {
        at += sprintf(text + at, "<frame name='f%d'><pose", i);
        if (i + 1 < COUNT) {
            at += sprintf(text + at, " relative_to='f%d'", i + 1);
        }
        at += sprintf(text + at, ">0 0 1 0 0 0</pose></frame>");
    }
    sprintf(text + at, "</model></sdf>");
    pawl_model *m = sdf_load(text);
    CHECK_NEAR3(sdf_body(m, "a")->start_pose.position, v3(0, 0, COUNT), 0.0);
    sdf_done(m);
    free(text);
}

// --- links -------------------------------------------------------------------------------------

// By hand: turning by 90 degrees about z swaps xx and yy, and xy changes its sign.
TEST(inertia_is_turned_from_its_own_axes_into_the_links)
{
    pawl_model *m = sdf_load(
        HEAD
        "<model name='m'><link name='a'><pose>0 0 7 0 0 0</pose><inertial><mass>3</mass>"
        "<pose>1 2 3 0 0 " HALF_PI "</pose><inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz>"
        "<ixy>0.1</ixy><ixz>0.2</ixz><iyz>0.3</iyz></inertia></inertial></link></model></sdf>");
    pawl_body_info a = pawl_model_body(m, pawl_model_body_at(m, 0));
    static const double expected[6] = {2.0, 1.0, 2.5, -0.1, -0.3, 0.2};
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR(a.inertia[i], expected[i], 1e-15);
    }
    CHECK_NEAR(a.mass, 3.0, 0.0);
    CHECK_NEAR3(a.com, v3(1, 2, 3), 0.0);
    CHECK_NEAR3(sdf_body(m, "a")->start_pose.position, v3(1, 2, 10), 0.0);
    sdf_done(m);
}

// Closed form: a box of 0.2 x 0.4 x 0.6 m weighs 0.048 m^3 times its density.
TEST(mass_may_come_from_collision_shapes_and_a_density)
{
    static const char *const spellings[] = {
        "<inertial auto='true'><density>500</density></inertial>",
        "<inertial auto='true'/>",
        "<pawl:density>500</pawl:density>",
    };
    static const double density[] = {500.0, 1000.0, 500.0};
    for (int i = 0; i < 3; ++i) {
        char text[1000];
        snprintf(text, sizeof text,
                 HEAD
                 "<model name='m'><link name='a'>%s<collision name='c'><pose>0 0 1 0 0 0</pose>"
                 "<geometry><box><size>0.2 0.4 0.6</size></box></geometry></collision>"
                 "<visual name='v'><geometry><sphere><radius>9</radius></sphere></geometry>"
                 "</visual></link></model></sdf>",
                 spellings[i]);
        pawl_model *m = sdf_load(text);
        pawl_body_info a = pawl_model_body(m, pawl_model_body_at(m, 0));
        double mass = 0.048 * density[i];
        CHECK_NEAR(a.mass, mass, 1e-12);
        CHECK_NEAR3(a.com, v3(0, 0, 1), 1e-12);
        CHECK_NEAR(a.inertia[0], mass / 12.0 * (0.16 + 0.36), 1e-12);
        CHECK_INT(sdf_env.messages[PAWL_LOG_WARNING], 0);
        sdf_done(m);
    }
}

TEST(shapes_are_read_with_half_sizes_frames_and_colours)
{
    pawl_model *m = sdf_load(
        HEAD
        "<model name='m'><link name='a'><pose>9 9 9 1 1 1</pose>" INERTIAL
        "<visual name='box'><pose>1 2 3 0 0 0</pose><geometry><box><size>2 4 6</size></box>"
        "</geometry><material><diffuse>0.25 0.5 1 0.75</diffuse></material></visual>"
        "<visual name='cylinder'><geometry><cylinder><radius>2</radius><length>4</length>"
        "</cylinder></geometry></visual>"
        "<visual name='capsule'><geometry><capsule><radius>2</radius><length>4</length></capsule>"
        "</geometry></visual>"
        "<visual name='ellipsoid'><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid></geometry>"
        "</visual>"
        "<collision name='sphere'><geometry><sphere><radius>3</radius></sphere></geometry>"
        "</collision>"
        "<collision name='plane'><geometry><plane><normal>0 3 0</normal></plane></geometry>"
        "</collision></link></model></sdf>");
    CHECK_INT(pawl_model_shape_count(m), 6);
    static const struct {
        pawl_shape_kind kind;
        double size[3];
        bool visual;
    } expected[6] = {
        {PAWL_SHAPE_BOX, {1, 2, 3}, true},     {PAWL_SHAPE_CYLINDER, {2, 0, 2}, true},
        {PAWL_SHAPE_CAPSULE, {2, 0, 2}, true}, {PAWL_SHAPE_ELLIPSOID, {1, 2, 3}, true},
        {PAWL_SHAPE_SPHERE, {3, 0, 0}, false}, {PAWL_SHAPE_PLANE, {0, 0, 0}, false},
    };
    static const unsigned used[6] = {7, 5, 5, 7, 1, 0}; // which sizes mean something
    for (int i = 0; i < 6; ++i) {
        pawl_shape_def s = pawl_model_shape(m, pawl_model_shape_at(m, i)).def;
        const double size[3] = {s.size.x, s.size.y, s.size.z};
        CHECK_INT(s.kind, expected[i].kind);
        CHECK(s.visual_only == expected[i].visual);
        for (int k = 0; k < 3; ++k) {
            CHECK((used[i] >> k & 1u) == 0 || size[k] == expected[i].size[k]);
        }
    }
    pawl_shape_def box = pawl_model_shape(m, pawl_model_shape_at(m, 0)).def,
                   plane = pawl_model_shape(m, pawl_model_shape_at(m, 5)).def;
    CHECK_TEXT(box.name, "box");
    CHECK_NEAR3(box.frame.position, v3(1, 2, 3), 1e-14);
    CHECK(box.rgba[0] == 0.25f && box.rgba[1] == 0.5f && box.rgba[2] == 1.0f &&
          box.rgba[3] == 0.75f);
    CHECK_NEAR3(sdf_axis(plane.frame, 0, 0, 1), v3(0, 1, 0), 1e-15); // its z is the normal
    sdf_done(m);
}

TEST(links_take_the_extensions)
{
    pawl_model *m = sdf_load(
        HEAD "<model name='m'>" LINK("a", "<gravity>false</gravity>"
                                          "<pawl:twist>1 2 3 4 5 6</pawl:twist>"
                                          "<pawl:linear_damping>0.5</pawl:linear_damping>"
                                          "<pawl:angular_damping>0.25</pawl:angular_damping>")
            LINK("b", "<pawl:gravity_scale>-2</pawl:gravity_scale><pawl:kind>point</pawl:kind>")
                LINK("c", "<pawl:kinematic><pawl:z><pawl:sinusoid offset='1' amplitude='2' "
                          "frequency='3' phase='4'/></pawl:z><pawl:rx><pawl:table "
                          "interpolation='cubic'>0 1 2 5</pawl:table></pawl:rx></pawl:kinematic>")
                    LINK("d", "<kinematic>true</kinematic>") "</model></sdf>");
    const model_body *a = sdf_body(m, "a"), *b = sdf_body(m, "b"), *c = sdf_body(m, "c");
    CHECK_NEAR(a->gravity_scale, 0.0, 0.0);
    CHECK_NEAR3(a->start_twist.linear, v3(1, 2, 3), 0.0);
    CHECK_NEAR3(a->start_twist.angular, v3(4, 5, 6), 0.0);
    CHECK_NEAR(a->linear_damping, 0.5, 0.0);
    CHECK_NEAR(a->angular_damping, 0.25, 0.0);
    CHECK_INT(b->kind, PAWL_BODY_POINT);
    CHECK_NEAR(b->gravity_scale, -2.0, 0.0);
    CHECK_INT(c->kind, PAWL_BODY_KINEMATIC);
    CHECK_INT(sdf_body(m, "d")->kind, PAWL_BODY_KINEMATIC);
    CHECK_NEAR(pawl_signal_value(&c->motion[2], 0.5), 1.0 + 2.0 * sin(5.5), 1e-14);
    CHECK_NEAR(pawl_signal_value(&c->motion[3], 2.0), 5.0, 0.0);
    CHECK_INT(c->motion[3].interpolation, PAWL_CUBIC);
    CHECK_INT(c->motion[3].count, 2);
    sdf_done(m);
}

TEST(a_static_model_stands_still_and_its_inner_joints_are_left_out)
{
    pawl_model *m = sdf_load(
        HEAD "<world name='w'><gravity>0 0 -1</gravity><model name='s'><static>true</static>" LINK(
            "a", "")
            LINK("b", "") "<joint name='j' type='fixed'><parent>a</parent><child>b</child>"
                          "</joint></model><model name='f'>" LINK(
                              "c", "") "<joint name='k' "
                                       "type='ball'><parent>world</parent><child>c</child></joint>"
                                       "</model></world></sdf>");
    CHECK_INT(sdf_body(m, "s::a")->kind, PAWL_BODY_KINEMATIC);
    CHECK_INT(pawl_model_joint_count(m), 1);
    CHECK_INT(sdf_env.messages[PAWL_LOG_WARNING], 1);
    sdf_done(m);
}

// A floor is no body: nothing in the file asks for one.
TEST(what_stands_still_and_holds_no_joint_is_part_of_the_world)
{
    pawl_model *m = sdf_load(
        HEAD "<world name='w'><gravity>0 0 -1</gravity><model name='f'>" LINK(
            "c",
            "") "</model>"
                "<model name='s'><static>true</static><pose>1 2 3 0 0 0</pose>" LINK(
                    "floor", "<pose>10 0 0 0 0 0</pose><collision name='ground'><pose>0 20 0 0 0 0"
                             "</pose><geometry><plane><normal>0 0 1</normal></plane></geometry>"
                             "</collision>")
                    LINK("lift", "<pawl:kinematic><pawl:z><pawl:constant>1</pawl:constant></pawl:z>"
                                 "</pawl:kinematic>") "</model>"
                                                      "<pawl:spring body_a='s::floor' point_a='0 0 "
                                                      "4' body_b='f::c' stiffness='5'/>"
                                                      "</world></sdf>");
    CHECK_TEXT(pawl_model_name(m), "f"); // the only one that moves: its names have no prefix
    CHECK_INT(pawl_body_index(pawl_model_find_body(m, "c")), 0);
    CHECK_INT(pawl_model_body_count(m), 2);
    CHECK_INT(pawl_body_index(pawl_model_find_body(m, "s::floor")), -2);
    CHECK_INT(sdf_body(m, "s::lift")->kind, PAWL_BODY_KINEMATIC);
    CHECK_INT(pawl_model_shape_count(m), 1);
    pawl_shape_info ground = pawl_model_shape(m, pawl_model_shape_at(m, 0));
    CHECK_INT(pawl_body_index(ground.body), PAWL_WORLD_INDEX);
    CHECK_INT(ground.def.kind, PAWL_SHAPE_PLANE);
    CHECK_NEAR3(ground.def.frame.position, v3(11, 22, 3), 1e-15);
    pawl_spring_def spring = pawl_model_spring(m, pawl_model_spring_at(m, 0));
    CHECK_INT(pawl_body_index(spring.body_a), PAWL_WORLD_INDEX);
    CHECK_NEAR3(spring.point_a, v3(11, 2, 7), 1e-15);
    sdf_done(m);
}

// --- materials -----------------------------------------------------------------------------------

#define COLLISION(content)                                                                         \
    HEAD "<model name='m'>" LINK("a",                                                              \
                                 "<collision name='c'><geometry><sphere><radius>1</radius>"        \
                                 "</sphere></geometry>" content "</collision>") "</model></sdf>"
#define FRICTION(content) COLLISION("<surface><friction>" content "</friction></surface>")

TEST(surfaces_have_friction_and_restitution)
{
    static const struct {
        const char *text;
        double friction, restitution;
        int notes;
    } rows[] = {
        {COLLISION(""), 0.5, 0.0, 0}, // pawl's own, not SDFormat's: nothing was stated
        {FRICTION(""), 0.5, 0.0, 0},
        {FRICTION("<ode/>"), 1.0, 0.0, 0}, // SDFormat's default
        {FRICTION("<ode><mu>0.3</mu><mu2>0.3</mu2><fdir1>1 0 0</fdir1></ode>"), 0.3, 0.0, 0},
        {FRICTION("<ode><mu>0.3</mu><mu2>0.2</mu2></ode>"), 0.3, 0.0, 1},
        {FRICTION("<ode><mu>0.3</mu><slip1>0</slip1><slip2>1</slip2></ode>"), 0.3, 0.0, 1},
        {FRICTION("<bullet><friction>0.7</friction><friction2>1</friction2></bullet>"), 0.7, 0.0,
         0},
        {COLLISION("<surface><bounce><restitution_coefficient>0.8</restitution_coefficient>"
                   "</bounce></surface>"),
         0.5, 0.8, 0},
        {COLLISION("<surface><bounce><restitution_coefficient>1</restitution_coefficient>"
                   "<threshold>0.1</threshold></bounce><contact><ode><kp>1e9</kp></ode></contact>"
                   "</surface>"),
         0.5, 1.0, 1},
        {COLLISION("<pawl:friction>0</pawl:friction><pawl:restitution>0.25</pawl:restitution>"),
         0.0, 0.25, 0},
        {COLLISION("<surface><friction><ode><mu>3</mu></ode></friction><bounce>"
                   "<restitution_coefficient>0.5</restitution_coefficient></bounce></surface>"
                   "<pawl:friction>4</pawl:friction>"),
         4.0, 0.5, 0},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        pawl_model *m = sdf_load(rows[k].text);
        pawl_shape_def def = pawl_model_shape(m, pawl_model_shape_at(m, 0)).def;
        CHECK_NEAR(def.friction, rows[k].friction, 0.0);
        CHECK_NEAR(def.restitution, rows[k].restitution, 0.0);
        CHECK(!def.visual_only);
        CHECK_INT(sdf_env.messages[PAWL_LOG_NOTE], rows[k].notes);
        CHECK_INT(sdf_env.messages[PAWL_LOG_WARNING], 0);
        sdf_done(m);
    }
}

// Gazebo's documentation: a torque of 3 pi / 16 * patch radius * coefficient * normal force.
TEST(torsional_and_rolling_friction_are_lengths)
{
    static const double patch = 3.0 * 3.14159265358979323846 / 16.0;
#define TORSIONAL(content) FRICTION("<torsional>" content "</torsional>")
    const struct {
        const char *text;
        double torsional, rolling;
        int notes, warnings;
    } rows[] = {
        {TORSIONAL(""), 0.0, 0.0, 0, 0}, // the default patch has no size
        {TORSIONAL("<coefficient>0.5</coefficient><patch_radius>0.02</patch_radius>"),
         patch * 0.5 * 0.02, 0.0, 0, 0},
        {TORSIONAL("<patch_radius>0.02</patch_radius><use_patch_radius>1</use_patch_radius>"
                   "<surface_radius>3</surface_radius><ode><slip>0</slip></ode>"),
         patch * 0.02, 0.0, 0, 0},
        {TORSIONAL("<patch_radius>0.02</patch_radius><ode><slip>1</slip></ode>"), patch * 0.02, 0.0,
         1, 0},
        {TORSIONAL("<patch_radius>0.02</patch_radius><use_patch_radius>false</use_patch_radius>"
                   "<surface_radius>0.5</surface_radius>"),
         0.0, 0.0, 0, 1}, // needs the depth of a soft contact
        {FRICTION("<bullet><rolling_friction>0.01</rolling_friction></bullet>"), 0.0, 0.01, 1, 0},
        {FRICTION("<bullet/>"), 0.0, 0.0, 0, 0},
        {FRICTION("<ode/><bullet><rolling_friction>1</rolling_friction></bullet>"), 0.0, 0.0, 0, 0},
        {COLLISION("<surface><friction><torsional><patch_radius>1</patch_radius></torsional>"
                   "</friction></surface><pawl:torsional_friction>0.003</pawl:torsional_friction>"
                   "<pawl:rolling_friction>0.004</pawl:rolling_friction>"),
         0.003, 0.004, 0, 0},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        pawl_model *m = sdf_load(rows[k].text);
        pawl_shape_def def = pawl_model_shape(m, pawl_model_shape_at(m, 0)).def;
        CHECK_NEAR(def.torsional_friction, rows[k].torsional, 1e-17);
        CHECK_NEAR(def.rolling_friction, rows[k].rolling, 0.0);
        CHECK_INT(sdf_env.messages[PAWL_LOG_NOTE], rows[k].notes);
        CHECK_INT(sdf_env.messages[PAWL_LOG_WARNING], rows[k].warnings);
        sdf_done(m);
    }
}

TEST(a_hull_is_read_with_its_points)
{
    pawl_model *m =
        sdf_load(HEAD "<model name='m'><link name='a'><pawl:density>3</pawl:density>"
                      "<collision name='c'><geometry><pawl:hull>0 0 0  1 0 0\n 0 2 0 "
                      "<!-- the tip --> 0 0 3</pawl:hull></geometry></collision>"
                      "<visual name='v'><geometry><pawl:hull>0 0 0 1 0 0 0 1 0 0 0 1 1 1 1"
                      "</pawl:hull></geometry></visual></link></model></sdf>");
    pawl_shape_def def = pawl_model_shape(m, pawl_model_shape_at(m, 0)).def,
                   drawn = pawl_model_shape(m, pawl_model_shape_at(m, 1)).def;
    CHECK_INT(def.kind, PAWL_SHAPE_HULL);
    CHECK_INT(def.point_count, 4);
    CHECK_NEAR3(def.points[2], v3(0, 2, 0), 0.0);
    CHECK_NEAR3(def.points[3], v3(0, 0, 3), 0.0);
    CHECK(!def.visual_only && drawn.visual_only);
    CHECK_INT(drawn.point_count, 5);
    // A tetrahedron: a sixth of the box that its edges span.
    CHECK_NEAR(pawl_model_body(m, pawl_model_body_at(m, 0)).mass, 3.0 * 1.0 * 2.0 * 3.0 / 6.0,
               1e-14);
    CHECK_NEAR3(pawl_model_body(m, pawl_model_body_at(m, 0)).com, v3(0.25, 0.5, 0.75), 1e-15);
    sdf_done(m);
}

TEST(a_collision_has_the_colour_of_its_link)
{
    static const char *const geometry = "<geometry><sphere><radius>1</radius></sphere></geometry>";
    char text[1024];
    snprintf(text, sizeof text,
             HEAD "<model name='m'>" LINK("a", "<collision name='c'>%s</collision><visual name='v'>"
                                               "%s<material><diffuse>1 0.5 0 1</diffuse></material>"
                                               "</visual>") "</model></sdf>",
             geometry, geometry);
    pawl_model *m = sdf_load(text);
    pawl_shape_def def = pawl_model_shape(m, pawl_model_shape_at(m, 0)).def;
    CHECK(!def.visual_only && def.rgba[0] == 1.0f && def.rgba[1] == 0.5f && def.rgba[2] == 0.0f);
    sdf_done(m);
}

TEST(materials_that_cannot_be_are_refused)
{
    sdf_refused(FRICTION("<ode><mu>inf</mu></ode>"), PAWL_BAD_FILE, "mu");
    sdf_refused(COLLISION("<pawl:friction>nan</pawl:friction>"), PAWL_BAD_FILE, "pawl:friction");
    sdf_refused(COLLISION("<pawl:restitution>-0.1</pawl:restitution>"), PAWL_BAD_FILE,
                "pawl:restitution");
    sdf_refused(COLLISION("<pawl:restitution>1.1</pawl:restitution>"), PAWL_BAD_FILE,
                "shape 'c' was refused");
    sdf_refused(COLLISION("<pawl:rolling_friction>-1</pawl:rolling_friction>"), PAWL_BAD_FILE,
                "pawl:rolling_friction: got '-1', expected a finite number >= 0");
    sdf_refused(COLLISION("<pawl:torsional_friction>inf</pawl:torsional_friction>"), PAWL_BAD_FILE,
                "pawl:torsional_friction: got 'inf'");
    sdf_refused(COLLISION("<pawl:frictoin>1</pawl:frictoin>"), PAWL_UNSUPPORTED, "pawl:friction");
}

// --- joints ------------------------------------------------------------------------------------

#define JOINT(type, content)                                                                       \
    HEAD "<model name='m'>" LINK("a", "<pose>1 0 0 0 0 0</pose>") LINK(                            \
        "b", "<pose>3 0 0 0 0 " HALF_PI "</pose>") "<joint name='j' type='" type                   \
                                                   "'><parent>a</parent><child>b</child>" content  \
                                                   "</joint></model></sdf>"

TEST(every_joint_type_has_its_kind)
{
    static const struct {
        const char *type, *content;
        pawl_joint_kind kind;
    } table[] = {
        {"revolute", "<axis><xyz>0 0 1</xyz></axis>", PAWL_JOINT_REVOLUTE},
        {"continuous", "<axis><xyz>0 0 1</xyz></axis>", PAWL_JOINT_REVOLUTE},
        {"prismatic", "<axis><xyz>0 0 1</xyz></axis>", PAWL_JOINT_PRISMATIC},
        {"pawl:fixed", "", PAWL_JOINT_FIXED},
        {"ball", "", PAWL_JOINT_SPHERICAL},
        {"universal", "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>",
         PAWL_JOINT_UNIVERSAL},
        {"revolute2", "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>",
         PAWL_JOINT_UNIVERSAL},
        {"screw", "<axis><xyz>0 0 1</xyz></axis><screw_thread_pitch>0.1</screw_thread_pitch>",
         PAWL_JOINT_SCREW},
        {"pawl:revolute", "<axis><xyz>0 0 1</xyz></axis>", PAWL_JOINT_REVOLUTE},
        {"pawl:cylindrical", "<axis><xyz>0 0 1</xyz></axis>", PAWL_JOINT_CYLINDRICAL},
        {"pawl:spherical", "", PAWL_JOINT_SPHERICAL},
        {"pawl:planar", "<axis><xyz>0 0 1</xyz></axis>", PAWL_JOINT_PLANAR},
        {"pawl:cartesian", "", PAWL_JOINT_CARTESIAN},
        {"pawl:gimbal", "", PAWL_JOINT_GIMBAL},
        {"pawl:free", "", PAWL_JOINT_FREE},
        {"pawl:distance", "<pawl:parent_pose>0 0 1 0 0 0</pawl:parent_pose>", PAWL_JOINT_DISTANCE},
        {"pawl:point-on-line", "", PAWL_JOINT_POINT_ON_LINE},
        {"pawl:point-on-plane", "", PAWL_JOINT_POINT_ON_PLANE},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
        char text[2000];
        snprintf(text, sizeof text, JOINT("%s", "%s"), table[i].type, table[i].content);
        pawl_model *m = sdf_load(text);
        CHECK_INT(sdf_joint(m, "j")->kind, table[i].kind);
        CHECK_INT(sdf_env.messages[PAWL_LOG_WARNING], 0);
        sdf_done(m);
    }
}

// By hand: b is turned by 90 degrees about z, so its own x axis points along a's and the world's y.
TEST(the_joint_frames_x_is_the_axis_and_both_frames_meet)
{
    pawl_model *m =
        sdf_load(JOINT("revolute", "<pose>0 1 0 0 0 0</pose><axis><xyz>2 0 0</xyz></axis>"));
    const model_joint *j = sdf_joint(m, "j");
    CHECK_NEAR3(j->follower_frame.position, v3(0, 1, 0), 1e-15);
    CHECK_NEAR3(j->base_frame.position, v3(1, 0, 0), 1e-15); // b's y is -x: at x = 2 in the world
    CHECK_NEAR3(sdf_axis(j->follower_frame, 1, 0, 0), v3(1, 0, 0), 1e-15);
    CHECK_NEAR3(sdf_axis(j->base_frame, 1, 0, 0), v3(0, 1, 0), 1e-15);
    sdf_done(m);
    m = sdf_load(JOINT("revolute", "<axis><xyz expressed_in='a'>1 0 0</xyz></axis>"));
    j = sdf_joint(m, "j");
    CHECK_NEAR3(sdf_axis(j->base_frame, 1, 0, 0), v3(1, 0, 0), 1e-15);
    CHECK_NEAR3(sdf_axis(j->follower_frame, 1, 0, 0), v3(0, -1, 0), 1e-15);
    sdf_done(m);
    m = sdf_load(
        JOINT("universal", "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>1 0 0</xyz></axis2>"));
    j = sdf_joint(m, "j");
    CHECK_NEAR3(sdf_axis(j->follower_frame, 1, 0, 0), v3(0, 0, 1), 1e-15);
    CHECK_NEAR3(sdf_axis(j->follower_frame, 0, 1, 0), v3(1, 0, 0), 1e-15);
    sdf_done(m);
    sdf_refused(JOINT("universal", "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 1 1</xyz></axis2>"),
                PAWL_BAD_FILE, "meet at 45 degrees");
}

TEST(the_parents_side_may_be_stated_by_itself)
{
    pawl_model *m = sdf_load(
        JOINT("ball", "<pose>0 1 0 0 0 0</pose><pawl:parent_pose>0 0 4 0 0 0</pawl:parent_pose>"));
    const model_joint *j = sdf_joint(m, "j");
    CHECK_NEAR3(j->follower_frame.position, v3(0, 1, 0), 1e-15);
    CHECK_NEAR3(j->base_frame.position, v3(0, 0, 4), 1e-15);
    sdf_done(m);
    m = sdf_load(JOINT("pawl:distance", "<pawl:parent_pose>0 0 4 0 0 0</pawl:parent_pose>"
                                        "<pawl:length>7</pawl:length>"));
    CHECK_NEAR(sdf_joint(m, "j")->length, 7.0, 0.0);
    sdf_done(m);
    sdf_refused(JOINT("pawl:distance", ""), PAWL_BAD_FILE, "<pawl:parent_pose>");
}

TEST(limits_springs_and_friction_are_read)
{
    pawl_model *m = sdf_load(JOINT(
        "prismatic",
        "<axis><xyz>0 0 "
        "1</xyz><limit><lower>-2</lower><upper>inf</upper><effort>11</effort></limit>"
        "<dynamics><damping>3</damping><friction>4</friction><spring_reference>5</spring_reference>"
        "<spring_stiffness>6</spring_stiffness></dynamics></axis><pawl:armature>7</"
        "pawl:armature>"));
    pawl_coordinate_def c = sdf_joint(m, "j")->coordinate[0];
    CHECK(c.lower == -2.0 && c.upper == INFINITY && c.damping == 3.0 && c.friction == 4.0 &&
          c.rest == 5.0 && c.stiffness == 6.0 && c.armature == 7.0);
    sdf_done(m);
    m = sdf_load(JOINT("revolute", "<axis><xyz>0 0 1</xyz><limit><lower>-1e16</lower>"
                                   "<upper>1e16</upper></limit></axis>"));
    c = sdf_joint(m, "j")->coordinate[0];
    CHECK(c.lower == -INFINITY && c.upper == INFINITY);
    sdf_done(m);
    m = sdf_load(JOINT("pawl:cylindrical",
                       "<axis><xyz>0 0 1</xyz></axis>"
                       "<pawl:coordinate index='1' lower='-1' upper='2' stiffness='3' rest='4' "
                       "damping='5' armature='6' friction='7' slack='8'/>"
                       "<pawl:coordinate><pawl:index>0</pawl:index><pawl:lower>-8</pawl:lower>"
                       "</pawl:coordinate>"));
    c = sdf_joint(m, "j")->coordinate[1];
    CHECK(c.lower == -1.0 && c.upper == 2.0 && c.stiffness == 3.0 && c.rest == 4.0 &&
          c.damping == 5.0 && c.armature == 6.0 && c.friction == 7.0 && c.slack == 8.0);
    CHECK(sdf_joint(m, "j")->coordinate[0].lower == -8.0);
    sdf_done(m);
    sdf_refused(JOINT("pawl:cylindrical", "<axis><xyz>0 0 1</xyz><limit><lower>0</lower></limit>"
                                          "</axis>"),
                PAWL_BAD_FILE, "<pawl:coordinate");
}

// SDFormat: screw_thread_pitch is metres a turn; thread_pitch = -2 pi / screw_thread_pitch.
TEST(screws_have_a_pitch_in_metres_a_radian)
{
    static const char *const spellings[] = {
        "<screw_thread_pitch>0.5</screw_thread_pitch>",
        "<thread_pitch>-12.566370614359172</thread_pitch>",
        "<screw_thread_pitch>0.5</screw_thread_pitch><thread_pitch>3</thread_pitch>",
        "<pawl:pitch>0.07957747154594767</pawl:pitch>",
    };
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; ++i) {
        char text[2000];
        snprintf(text, sizeof text, JOINT("screw", "<axis><xyz>0 0 1</xyz></axis>%s"),
                 spellings[i]);
        pawl_model *m = sdf_load(text);
        CHECK_NEAR(sdf_joint(m, "j")->pitch, 0.5 / (2.0 * acos(-1.0)), 1e-15);
        sdf_done(m);
    }
}

// --- couplings ---------------------------------------------------------------------------------

#define TWO_WHEELS(content)                                                                        \
    HEAD "<model name='m'>" LINK("frame", "") LINK("a", "<pose>1 0 0 0 0 0</pose>") LINK(          \
        "b", "<pose>2 0 0 0 0 0</pose>") "<joint name='ja' "                                       \
                                         "type='revolute'><parent>frame</parent><child>a</child>"  \
                                         "<axis><xyz>0 0 "                                         \
                                         "1</xyz><limit><effort>9</effort></limit></axis></joint>" \
                                         "<joint name='jb' "                                       \
                                         "type='revolute'><parent>b</parent><child>frame</child>"  \
                                         "<axis><xyz>0 0 1</xyz>%s</axis></joint>" content         \
                                         "</model></sdf>"

// SDFormat: theta_b = -ratio theta_a, both seen from the frame. jb counts from b to the frame, so its
// angle is -theta_b = ratio theta_a.
TEST(a_gearbox_becomes_a_gear_between_the_two_hinges)
{
    char text[3000];
    snprintf(text, sizeof text,
             TWO_WHEELS("<joint name='g' type='gearbox'><parent>a</parent><child>b</child>"
                        "<gearbox_ratio>3</gearbox_ratio><gearbox_reference_body>frame"
                        "</gearbox_reference_body><axis><xyz>0 0 1</xyz></axis>"
                        "<axis2><xyz>0 0 1</xyz></axis2></joint>"),
             "");
    pawl_model *m = sdf_load(text);
    const model_joint *g = sdf_joint(m, "g");
    CHECK_INT(g->kind, PAWL_JOINT_GEAR);
    CHECK_INT(pawl_joint_index(g->gear.joint), pawl_joint_index(pawl_model_find_joint(m, "jb")));
    CHECK_INT(pawl_joint_index(g->gear.source_joint),
              pawl_joint_index(pawl_model_find_joint(m, "ja")));
    CHECK_NEAR(g->gear.ratio, 3.0, 0.0);
    sdf_done(m);
    snprintf(text, sizeof text,
             TWO_WHEELS("<joint name='g' type='gearbox'><parent>a</parent><child>b</child>"
                        "<gearbox_ratio>3</gearbox_ratio><gearbox_reference_body>b"
                        "</gearbox_reference_body><axis><xyz>0 0 1</xyz></axis>"
                        "<axis2><xyz>0 0 1</xyz></axis2></joint>"),
             "");
    sdf_refused(text, PAWL_UNSUPPORTED, "no revolute joint joins its reference body 'b' and 'a'");
}

// SDFormat: q = multiplier (q_source - reference) + offset.
TEST(a_mimic_axis_becomes_a_gear)
{
    char text[3000];
    snprintf(text, sizeof text, TWO_WHEELS(""),
             "<mimic joint='ja'><multiplier>2</multiplier><offset>5</offset>"
             "<reference>0.5</reference></mimic>");
    pawl_model *m = sdf_load(text);
    const model_joint *g = sdf_joint(m, "jb::mimic");
    CHECK_INT(pawl_joint_index(g->gear.source_joint),
              pawl_joint_index(pawl_model_find_joint(m, "ja")));
    CHECK_NEAR(g->gear.ratio, 2.0, 0.0);
    CHECK_NEAR(g->gear.offset, 4.0, 0.0);
    sdf_done(m);
}

TEST(gears_springs_actuators_motions_and_forces_are_read)
{
    char text[5000];
    snprintf(
        text, sizeof text,
        TWO_WHEELS(
            "<pawl:gear name='g' joint='jb' source_joint='ja' ratio='2' offset='1'/>"
            "<pawl:spring name='s' body_a='world' point_a='1 2 3' body_b='a' point_b='4 5 6' "
            "stiffness='7' rest_length='8' damping='9'/>"
            "<pawl:actuator name='p' joint='ja' type='position' stiffness='100' damping='2'>"
            "<pawl:sinusoid amplitude='1' frequency='2'/></pawl:actuator>"
            "<pawl:actuator type='velocity'><pawl:joint>jb</pawl:joint><pawl:damping>inf"
            "</pawl:damping><pawl:effort>3</pawl:effort><pawl:target><pawl:constant>4"
            "</pawl:constant></pawl:target></pawl:actuator>"
            "<pawl:motion name='mo' joint='jb'><pawl:table>0 0 1 2 3 4</pawl:table></pawl:motion>"
            "<pawl:force name='f' body='b' point='1 0 0' axes='body'><pawl:fy><pawl:constant>5"
            "</pawl:constant></pawl:fy><pawl:tz><pawl:constant>6</pawl:constant></pawl:tz>"
            "</pawl:force>"),
        "");
    pawl_model *m = sdf_load(text);
    pawl_joint_id ja = pawl_model_find_joint(m, "ja");
    pawl_joint_id jb = pawl_model_find_joint(m, "jb");
    const pawl_gear_def *g = &sdf_joint(m, "g")->gear;
    CHECK(pawl_joint_same(g->joint, jb) && pawl_joint_same(g->source_joint, ja) &&
          g->ratio == 2.0 && g->offset == 1.0);
    pawl_spring_def s = m->springs[0];
    CHECK_TEXT(s.name, "s");
    CHECK(pawl_body_is_world(s.body_a) && pawl_body_same(s.body_b, pawl_model_find_body(m, "a")));
    CHECK_NEAR3(s.point_a, v3(1, 2, 3), 0.0);
    CHECK_NEAR3(s.point_b, v3(4, 5, 6), 0.0);
    CHECK(s.stiffness == 7.0 && s.rest_length == 8.0 && s.damping == 9.0);
    const pawl_actuator_def *p = &m->actuators[0], *v = &m->actuators[1];
    CHECK(p->kind == PAWL_ACTUATOR_POSITION && pawl_joint_same(p->joint, ja) &&
          p->stiffness == 100.0 && p->damping == 2.0);
    CHECK_NEAR(p->effort, 9.0, 0.0); // of the joint's own limit
    CHECK_NEAR(pawl_signal_value(&p->target, 1.0), sin(2.0), 1e-15);
    CHECK(v->kind == PAWL_ACTUATOR_VELOCITY && pawl_joint_same(v->joint, jb) && isinf(v->damping) &&
          v->effort == 3.0 && v->target.value == 4.0);
    CHECK(pawl_joint_same(m->motions[0].joint, jb));
    CHECK_NEAR(pawl_signal_value(&m->motions[0].target, 2.0), 3.0, 1e-15);
    const pawl_force_def *f = &m->forces[0];
    CHECK(pawl_body_same(f->body, pawl_model_find_body(m, "b")) && f->in_body_axes &&
          f->force[1].value == 5.0 && f->torque[2].value == 6.0 && f->force[0].value == 0.0);
    CHECK_NEAR3(f->point, v3(1, 0, 0), 0.0);
    sdf_done(m);
}

// Independent: the same mechanism through the builder has the same hash, which covers all that
// shapes its motion.
TEST(a_file_and_the_builder_make_the_same_model)
{
    pawl_model *m = sdf_load(
        HEAD "<world name='w'><gravity>0 0 -9.81</gravity><model name='m'>"
             "<link name='rod'><pose>0 0 1 0 0 0</pose><inertial><pose>0.5 0 0 0 0 0</pose>"
             "<mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.2</izz></inertia>"
             "</inertial></link>"
             "<joint name='pivot' type='revolute'><parent>world</parent><child>rod</child>"
             "<axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>2</upper></limit></axis></joint>"
             "</model></world></sdf>");
    pawl_builder *b;
    pawl_model *built;
    CHECK_OK(pawl_builder_create(&sdf_env.env, "m", &b));
    pawl_body_def body = pawl_body_def_default();
    body.name = "rod";
    body.pose.position = v3(0, 0, 1);
    body.mass = 2.0;
    body.com = v3(0.5, 0, 0);
    body.inertia[0] = 0.1;
    body.inertia[1] = body.inertia[2] = 0.2;
    pawl_joint_def joint = pawl_joint_def_default();
    CHECK_OK(pawl_builder_add_body(b, &body, &joint.follower));
    joint.name = "pivot";
    joint.kind = PAWL_JOINT_REVOLUTE;
    joint.coordinate[0].lower = -1.0;
    joint.coordinate[0].upper = 2.0;
    pawl_builder_place_joint(b, &joint, v3(0, 0, 1), v3(0, 1, 0), v3(0, 0, 0));
    CHECK_OK(pawl_builder_add_joint(b, &joint, NULL));
    CHECK_OK(pawl_builder_compile(b, &built));
    CHECK(pawl_model_hash(m) == pawl_model_hash(built));
    pawl_model_destroy(built);
    pawl_builder_destroy(b);
    sdf_done(m);
}

// --- what is not understood --------------------------------------------------------------------

TEST(unknown_elements_are_warned_of_once_with_their_line)
{
    pawl_model *m = sdf_load(HEAD "\n<model name='m'>" LINK("a", "\n<masss>3</masss>")
                                 LINK("b", "\n<masss/><plugin name='x'/>") "</model></sdf>");
    CHECK_INT(sdf_env.messages[PAWL_LOG_WARNING], 2); // masss once, plugin once
    CHECK_INT(sdf_env.messages[PAWL_LOG_ERROR], 0);
    sdf_done(m);
    m = sdf_load(HEAD "\n<model name='m'>" LINK("a", "\n<colision/>") "</model></sdf>");
    CHECK_MESSAGE(&sdf_env, "text.sdf:3: element <colision> is not understood and ignored; did you "
                            "mean 'collision'?");
    sdf_done(m);
}

TEST(what_changes_the_physics_is_an_error_unless_lenient)
{
    static const char text[] =
        HEAD "<model name='m'><link name='a'><inertial auto='true'/><collision name='c'><geometry>"
             "<box><size>1 1 1</size></box></geometry></collision><collision name='d'><geometry>"
             "<mesh><uri>x.dae</uri></mesh></geometry></collision></link></model></sdf>";
    sdf_refused(text, PAWL_UNSUPPORTED, "of the collision of 'a' is not there");
    pawl_model *m;
    CHECK_OK(sdf_parse(text, true, &m));
    CHECK(sdf_env.messages[PAWL_LOG_WARNING] >= 1);
    sdf_done(m);
    // A slip in our own namespace would silently change the model.
    sdf_refused(HEAD "<model name='m'>" LINK("a", "<pawl:twits>0</pawl:twits>") "</model></sdf>",
                PAWL_UNSUPPORTED, "did you mean 'pawl:twist'?");
}

TEST(comments_and_cdata_may_stand_between_numbers)
{
    pawl_model *m = sdf_load(
        HEAD "<model name='m'>" LINK("a", "<pose>0.5 <!-- y --> 2e-1\n"
                                          "\t.25 0 <![CDATA[0]]> -0</pose>") "</model></sdf>");
    CHECK_NEAR3(sdf_body(m, "a")->start_pose.position, v3(0.5, 0.2, 0.25), 0.0);
    sdf_done(m);
}

// --- memory ------------------------------------------------------------------------------------

static pawl_status sdf_make(const pawl_env *env, void *text)
{
    pawl_model *m;
    pawl_status status = pawl_model_parse(env, "text.sdf", text, strlen(text), NULL, &m);
    pawl_model_destroy(m);
    return status;
}

TEST(reading_survives_every_failing_allocation)
{
    static char text[] =
        HEAD "<world name='w'><gravity>0 0 -1</gravity><model name='m'>" LINK("a", "")
            LINK("b", "<visual "
                      "name='v'><geometry><sphere><radius>1</radius></sphere></geometry></"
                      "visual>") "<frame name='f'/><joint name='j' "
                                 "type='revolute'><parent>world</parent><child>a</child>"
                                 "<axis><xyz>0 0 1</xyz></axis></joint><joint name='k' "
                                 "type='revolute'><parent>a</parent>"
                                 "<child>b</child><axis><xyz>0 0 1</xyz><mimic "
                                 "joint='j'/></axis></joint>"
                                 "<pawl:motion joint='j'><pawl:table>0 0 1 "
                                 "1</pawl:table></pawl:motion>"
                                 "<pawl:actuator name='p' type='force' "
                                 "joint='k'/></model></world></sdf>";
    CHECK(CHECK_SURVIVES_NO_MEMORY(sdf_make, text) > 10);
}
