// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Where included models stand: placement frames and merged models, by hand-computed places; and mistakes of files that are
// read as meant.
#include "pawl/io.h"
#include "pawl/state.h"
#include "support/test.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define INERTIAL                                                                                   \
    "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz></inertia></inertial>"

enum { PLACES_PATH = 600 };

static pawl_model *places_load(test_env *t, const char *text)
{
    char inner[PLACES_PATH], outer[PLACES_PATH];
    test_env_init(t);
    test_path("part.sdf", inner, sizeof inner);
    test_path("world.sdf", outer, sizeof outer);
    FILE *file = fopen(inner, "w");
    fputs(
        "<sdf version='1.9'><model name='part'><link name='base'><pose>1 0 0 0 0 0</pose>" INERTIAL
        "</link><link name='tip'><pose>1 2 0 0 0 1.5707963267948966</pose>" INERTIAL
        "</link><frame name='grip' attached_to='tip'><pose>0.5 0 0 0 0 0</pose></frame></model>"
        "</sdf>",
        file);
    fclose(file);
    file = fopen(outer, "w");
    fputs(text, file);
    fclose(file);
    pawl_model *model = NULL;
    CHECK_OK(pawl_model_load(&t->env, outer, NULL, &model));
    return model;
}

static pawl_vec3 places_of(const pawl_model *m, test_env *t, const char *body)
{
    pawl_state *state;
    CHECK_OK(pawl_state_create(&t->env, m, &state));
    pawl_vec3 p = pawl_state_pose(state, pawl_model_find_body(m, body)).position;
    pawl_state_destroy(state);
    return p;
}

// The grip is 0.5 m beyond the tip along the tip's x, which is the model's y: at (1, 2.5) of the model. Put at (0, 0, 3)
// without a turn of its own, the grip's axes are the world's: the model is turned by -90 degrees, its base at (1, 0) less
// (1, 2.5), turned: (-2.5, 0).
TEST(a_placement_frame_is_where_the_pose_is)
{
    test_env t;
    pawl_model *m = places_load(
        &t,
        "<sdf version='1.9'><world name='w'><gravity>0 0 0</gravity><include><uri>part.sdf</uri>"
        "<placement_frame>grip</placement_frame><pose>0 0 3 0 0 0</pose></include></world></sdf>");
    pawl_vec3 base = {-2.5, 0.0, 3.0}, tip = {-0.5, 0.0, 3.0};
    CHECK_NEAR3(places_of(m, &t, "base"), base, 1e-12);
    CHECK_NEAR3(places_of(m, &t, "tip"), tip, 1e-12);
    pawl_model_destroy(m);
    CHECK_NO_LEAK(&t);
}

// A merged model turned by 90 degrees about z at (5, 0, 0): its base at (1, 0) comes to (5, 1), its tip at (1, 2) to (3, 1).
// The joint of the outer model refers to its links by their names.
TEST(a_merged_model_keeps_its_pose)
{
    test_env t;
    pawl_model *m = places_load(
        &t,
        "<sdf version='1.9'><model name='whole'><link name='own'>" INERTIAL
        "</link><include merge='true'><uri>part.sdf</uri><pose>5 0 0 0 0 1.5707963267948966</pose>"
        "</include><joint name='j' type='ball'><parent>own</parent><child>base</child></joint>"
        "</model></sdf>");
    pawl_vec3 base = {5.0, 1.0, 0.0}, tip = {3.0, 1.0, 0.0};
    CHECK_NEAR3(places_of(m, &t, "base"), base, 1e-12);
    CHECK_NEAR3(places_of(m, &t, "tip"), tip, 1e-12);
    pawl_model_destroy(m);
    CHECK_NO_LEAK(&t);
}

static void places_read(const char *name, const char *text, const char *warned)
{
    test_env t;
    pawl_model *model = NULL;
    test_env_init(&t);
    CHECK_OK(pawl_model_parse(&t.env, name, text, strlen(text), NULL, &model));
    CHECK_MESSAGE(&t, warned);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}

TEST(mistakes_of_many_files_are_read_as_meant)
{
#define SDF(content) "<sdf version='1.6'><model name='m'>" content "</model></sdf>"
    places_read(
        "m.sdf",
        SDF("<link name='a'><pose>1 2 3 0 0 0</pose><pose>0 0 0 0 0 0</pose>" INERTIAL "</link>"),
        "occurs twice: the first counts");
    places_read("m.sdf", SDF("<link name='a'><pose>1 2 3 0 0 0 7</pose>" INERTIAL "</link>"),
                "more numbers than expected");
    places_read(
        "m.sdf",
        SDF("<link name='a'>" INERTIAL "</link><link name='b'>" INERTIAL
            "</link><joint name='b' type='ball'><parent>a</parent><child>b</child></joint>"),
        "NAME_joint");
    places_read("m.sdf", SDF("<link name='a'>" INERTIAL "<visual name='v'/></link>"),
                "without <geometry>");
    places_read(
        "m.urdf",
        "<robot name='r'><link name='a'><inertial><mass value='2.'/></inertial></link></robot>",
        "a mass but no inertia");
    places_read(
        "m.urdf",
        "<robot name='r'><link name='a'><inertial><mass value='2'/><inertia ixx='1' iyy='1' "
        "izz='1'/></inertial></link><link name='b'><inertial><mass value='2'/><inertia ixx='1'"
        " iyy='1' izz='1'/></inertial></link><joint name='j' type='revolute'><parent link='a'"
        "/><child link='b'/><limit lower='-1.57.' upper='1' effort='1' velocity='1'/></joint>"
        "</robot>",
        "marks behind a number");
}

// Moments (-4, 6, 1): random valid tensors with the same axes are no nearer than the repaired one; the sum of squares of
// the repair is the least that any triple of second moments gives.
TEST(a_repaired_inertia_is_the_nearest_valid_one)
{
    static const char text[] = "<robot name='r'><link name='a'><inertial><mass value='2'/><inertia "
                               "ixx='-4' iyy='6' izz='1'/>"
                               "</inertial></link></robot>";
    test_env t;
    pawl_model *model = NULL;
    pawl_load_options options = pawl_load_options_default();
    test_env_init(&t);
    CHECK_STATUS(pawl_model_parse(&t.env, "m.urdf", text, strlen(text), &options, &model),
                 PAWL_BAD_FILE);
    CHECK_MESSAGE(&t, "--repair inertia");
    options.repair_inertia = true;
    CHECK_OK(pawl_model_parse(&t.env, "m.urdf", text, strlen(text), &options, &model));
    pawl_body_info b = pawl_model_body(model, pawl_model_body_at(model, 0));
    const double given[3] = {-4.0, 6.0, 1.0};
    double distance = 0.0, least = INFINITY;
    for (int k = 0; k < 3; ++k) {
        distance += (b.inertia[k] - given[k]) * (b.inertia[k] - given[k]);
    }
    for (int i = 0; i <= 100; ++i) { // second moments on a grid of 0.05
        for (int j = 0; j <= 100; ++j) {
            for (int k = 0; k <= 100; ++k) {
                double s[3] = {0.05 * i, 0.05 * j, 0.05 * k}, sum = s[0] + s[1] + s[2], off = 0.0;
                for (int c = 0; c < 3; ++c) {
                    off += (sum - s[c] - given[c]) * (sum - s[c] - given[c]);
                }
                least = fmin(least, off);
            }
        }
    }
    CHECK_NEAR(distance, least, 1e-3);
    CHECK(distance < least + 1e-4);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}
