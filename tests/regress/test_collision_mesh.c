// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A collision shape that cannot be read is an error with file and line: leaving it out silently let bodies
// fall through the floor. The expected answers are those of docs/model-files.md.
#include "pawl/io.h"
#include "pawl/sim.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#define INERTIAL "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>"
#define URDF_INERTIAL                                                                              \
    "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"        \
    "</inertial>"

// %s: visual or collision, and its geometry; each stands on its own line.
static const char sdf_text[] =
    "<sdf version='1.10'><model name='m'><link name='a'>" INERTIAL "</inertial>\n"
    "<%s name='s'><geometry>\n%s</geometry></%s>\n"
    "<collision name='b'><geometry><box><size>1 1 1</size></box></geometry></collision>"
    "</link></model></sdf>";
static const char urdf_text[] =
    "<robot name='m'><link name='a'>" URDF_INERTIAL "\n"
    "<%s name='s'><geometry>\n%s</geometry></%s>\n"
    "<collision name='b'><geometry><box size='1 1 1'/></geometry></collision>"
    "</link></robot>";

static pawl_status mesh_parse(test_env *t, const char *format, const char *kind,
                              const char *geometry, bool lenient, pawl_model **model)
{
    char text[2048];
    snprintf(text, sizeof text, format, kind, geometry, kind);
    test_env_init(t);
    pawl_load_options options = pawl_load_options_default();
    options.lenient = lenient;
    return pawl_model_parse(&t->env, "text.xml", text, strlen(text), &options, model);
}

static const struct {
    const char *format, *geometry, *said;
} mesh_cases[] = {{sdf_text, "<mesh><uri>a.stl</uri></mesh>",
                   "text.xml:3: mesh 'a.stl' of the collision of 'a' is not there; tried a.stl;"},
                  {sdf_text, "<heightmap><uri>a.png</uri></heightmap>",
                   "text.xml:3: collision shape <heightmap> is not supported"},
                  {sdf_text, "<polyline><point>0 0</point></polyline>",
                   "text.xml:3: collision shape <polyline> is not supported"},
                  {urdf_text, "<mesh filename='package://a/b.dae' scale='1 1 1'/>",
                   "text.xml:3: mesh 'package://a/b.dae' of the collision of 'a' is not there"}};
enum { MESH_CASES = sizeof mesh_cases / sizeof mesh_cases[0] };

TEST(a_collision_shape_that_cannot_be_read_is_an_error_with_file_and_line)
{
    for (int k = 0; k < MESH_CASES; ++k) {
        test_env t;
        pawl_model *model = NULL;
        CHECK_STATUS(mesh_parse(&t, mesh_cases[k].format, "collision", mesh_cases[k].geometry,
                                false, &model),
                     PAWL_UNSUPPORTED);
        CHECK(model == NULL);
        CHECK_MESSAGE(&t, mesh_cases[k].said);
        CHECK_NO_LEAK(&t);
    }
}

// The other shapes stay, and one warning has the number of those that are gone.
TEST(a_lenient_reader_leaves_collision_meshes_out_and_warns_with_their_number)
{
    for (int k = 0; k < MESH_CASES; ++k) {
        test_env t;
        pawl_model *model;
        CHECK_OK(mesh_parse(&t, mesh_cases[k].format, "collision", mesh_cases[k].geometry, true,
                            &model));
        CHECK_INT(pawl_model_shape_count(model), 1);
        CHECK_INT(t.messages[PAWL_LOG_WARNING], 1);
        CHECK_MESSAGE(&t, "text.xml:3: 1 collision shape is not supported and left out");
        pawl_model_destroy(model);
        CHECK_NO_LEAK(&t);
    }
}

TEST(a_visual_mesh_is_a_note_and_no_more)
{
    for (int k = 0; k < MESH_CASES; ++k) {
        for (int lenient = 0; lenient < 2; ++lenient) {
            test_env t;
            pawl_model *model;
            CHECK_OK(mesh_parse(&t, mesh_cases[k].format, "visual", mesh_cases[k].geometry,
                                lenient == 1, &model));
            CHECK_INT(t.messages[PAWL_LOG_WARNING] + t.messages[PAWL_LOG_ERROR], 0);
            CHECK_INT(pawl_model_shape_count(model), 1);
            pawl_model_destroy(model);
            CHECK_NO_LEAK(&t);
        }
    }
}
