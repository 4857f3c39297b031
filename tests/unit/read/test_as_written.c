// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Files as people and their exporters write them: read as they are meant, with one message. What is meant is what
// docs/model-files.md says.
#include "pawl/io.h"
#include "pawl/state.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#define SDF "<sdf version='1.6'><model name='m'>"
#define END "</model></sdf>"
#define MASS                                                                                       \
    "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
#define LINK(name) "<link name='" name "'>" MASS "</link>"
#define URDF_MASS(m, i)                                                                            \
    "<inertial><mass value='" m "'/><inertia ixx='" i "' iyy='" i "' izz='" i "'/></inertial>"
#define URDF_LINK(name) "<link name='" name "'>" URDF_MASS("1", "1") "</link>"
#define URDF_JOINT(name, type, parent, child, rest)                                                \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>"  \
    "<axis xyz='0 1 0'/>" rest "</joint>"

static const struct {
    const char *text, *said;
    int bodies, joints;
} written[] = {
    {"<!-- a -- b --->\n<?xml version='1.0'?>\n" SDF LINK("a") END, "XML declaration", 1, 0},
    {SDF LINK("a::b") END, "'::'", 1, 0},
    {SDF LINK("world")
         LINK("a") "<joint name='j' type='ball'><parent>world</parent><child>a</child>"
                   "</joint>" END,
     "called 'world'", 2, 1},
    {SDF "<link name='world'/>" LINK("a") "<joint name='j' type='revolute'><parent>world</parent>"
                                          "<child>a</child></joint>" END,
     "0 0 1", 1, 1},
    {SDF "<link name='a'><inertial><mass>0</mass></inertial></link>" LINK(
         "b") "<joint name='j' type='ball'><parent>a</parent><child>b</child><axis><dynamics>"
              "<damping>1</damping></dynamics></axis></joint>" END,
     "of a ball joint is ignored", 2, 1},
    {SDF "<link name='a'><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>0</iyy><izz>1</izz>"
         "</inertia></inertial></link>" END,
     "principal moment of inertia of 0", 1, 0},
    {SDF LINK("a") "<link name='b'><pose frame='a'>1 0 0 0 0 0</pose>" MASS "</link>" END, "", 2,
     0},
    {"<sdf version='1.6'><world name='w'><include><uri>model://sun</uri></include><include>"
     "<uri>model://ground_plane</uri></include><model name='m'>" LINK("a") "</model></world></sdf>",
     "gravity", 1, 0},
    {"<sdf version='1.6'><model name='m'><static>true</static>" LINK("a") END, "", 0, 0},
    {"<robot name='r'>" URDF_LINK("a") URDF_JOINT("j", "revolute", "world", "a", "") "</robot>",
     "has no limits", 1, 1},
    {"<robot name='r'>" URDF_LINK("a") URDF_LINK("b") URDF_JOINT(
         "j", "revolute", "a", "b", "<limit lower='1' upper='-1' effort='-1'/>") "</robot>",
     "stands for no limits", 2, 1},
    {"<robot name='r'>" URDF_LINK("a") "<link name='b'/>" URDF_LINK("c") URDF_JOINT(
         "j", "continuous", "a", "b", "") URDF_JOINT("k", "continuous", "b", "c", "") "</robot>",
     "a millionth of what hangs on it", 3, 2},
    {"<robot name='r'><link name='a'/>" URDF_LINK("b")
         URDF_JOINT("j", "continuous", "a", "b", "") "</robot>",
     "part of the world", 1, 1},
    {"<robot name='r'><link name='a'>" URDF_MASS("2", "0") "</link></robot>", "ball of water", 1,
     0},
    {"<robot name='r'><link name='a'>" URDF_MASS(
         "2",
         "1") "<collision><geometry><sphere radius='0'/></geometry></collision></link></robot>",
     "size 0", 1, 0},
};

static char written_said[8192]; // all messages of a file

static void written_log(void *user, pawl_log_level level, const char *message)
{
    (void)user;
    (void)level;
    size_t used = strlen(written_said);
    snprintf(written_said + used, sizeof written_said - used, "%s\n", message);
}

TEST(files_are_read_as_they_are_meant)
{
    for (size_t i = 0; i < sizeof written / sizeof written[0]; ++i) {
        test_env t;
        pawl_model *model;
        test_env_init(&t);
        t.env.log = written_log;
        written_said[0] = '\0';
        CHECK_OK(pawl_model_parse(&t.env, "text", written[i].text, strlen(written[i].text), NULL,
                                  &model));
        CHECK_INT(pawl_model_body_count(model), written[i].bodies);
        CHECK_INT(pawl_model_joint_count(model), written[i].joints);
        CHECK(strstr(written_said, written[i].said) != NULL);
        pawl_model_destroy(model);
        CHECK_NO_LEAK(&t);
    }
}

TEST(a_xacro_file_is_named_as_such)
{
    static const char text[] = "<robot xmlns:xacro='http://ros.org/wiki/xacro' name='r'>"
                               "<xacro:property name='a' value='1'/></robot>";
    test_env t;
    pawl_model *model;
    test_env_init(&t);
    CHECK_STATUS(pawl_model_parse(&t.env, "text", text, sizeof text - 1, NULL, &model),
                 PAWL_BAD_FILE);
    CHECK_MESSAGE(&t, "this is a xacro file");
    CHECK_NO_LEAK(&t);
}

// A frame given by the old attribute is where relative_to would have it.
TEST(the_frame_attribute_of_old_files_is_relative_to)
{
    static const char text[] =
        SDF "<link name='a'><pose>0 0 5 0 0 0</pose>" MASS
            "</link><link name='b'><pose frame='a'>1 0 0 0 0 0</pose>" MASS "</link>" END;
    test_env t;
    pawl_model *model;
    pawl_state *state;
    test_env_init(&t);
    CHECK_OK(pawl_model_parse(&t.env, "text", text, sizeof text - 1, NULL, &model));
    CHECK_OK(pawl_state_create(&t.env, model, &state));
    CHECK_NEAR3(pawl_state_pose(state, pawl_model_find_body(model, "b")).position,
                ((pawl_vec3){1.0, 0.0, 5.0}), 1e-15);
    pawl_state_destroy(state);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}
