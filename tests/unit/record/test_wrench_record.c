// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Heightfields and contact points in recordings: written as they are, drawn, and refused when the
// numbers in a file cannot be.
#include "pawl/io.h"
#include "support/hdf5_values.h"
#include "support/test.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char field_text[] =
    "<sdf version='1.10' xmlns:pawl='urn:pawl:sdf'><model name='m'><link name='a'><pose>0.5 0.25 1 "
    "0 "
    "0 0</pose><inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>"
    "</inertial><visual name='v'><geometry><sphere><radius>1</radius></sphere></geometry></visual>"
    "</link><pawl:wrench_model name='w' kind='patch'/>"
    "<pawl:contact_point body='a' position='0 0 -0.5' radius='0.125' model='w'/>"
    "<pawl:heightfield position='0 0 -0.25' x_count='3' y_count='2' dx='0.5' dy='0.25'>"
    "<pawl:heights>1 2 3 4 5 6</pawl:heights></pawl:heightfield></model></sdf>";

static void record_field(const pawl_env *env, const char *path)
{
    pawl_model *model;
    pawl_sim *sim;
    pawl_recorder *recorder;
    pawl_settings settings = pawl_settings_default();
    pawl_recorder_options options = pawl_recorder_options_default();
    CHECK_OK(pawl_model_parse(env, "m.sdf", field_text, strlen(field_text), NULL, &model));
    CHECK_OK(pawl_sim_create(env, model, &settings, &sim));
    pawl_verdict verdict = pawl_verdict_begin(pawl_sim_state(sim));
    (void)unlink(path);
    CHECK_OK(pawl_recorder_create(env, path, sim, &options, &recorder));
    CHECK_OK(pawl_recorder_add(recorder, NULL, &verdict));
    for (int i = 0; i < 50; ++i) {
        pawl_step_report report;
        CHECK_OK(pawl_sim_step(sim, &report));
        CHECK_OK(pawl_recorder_add(recorder, &report, &verdict));
    }
    CHECK_OK(pawl_recorder_close(recorder));
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
}

TEST(heightfields_and_points_are_recorded_and_drawn)
{
    test_env t;
    test_env_init(&t);
    char path[256], page[256];
    test_path("field.h5", path, sizeof path);
    test_path("field.html", page, sizeof page);
    record_field(&t.env, path);
    double size[2], form[9], heights[6], link[2], point[8];
    hdf5_exchange(path, "/model/field_size", size, false);
    hdf5_exchange(path, "/model/field_form", form, false);
    hdf5_exchange(path, "/model/field_heights", heights, false);
    hdf5_exchange(path, "/model/contact_point_link", link, false);
    hdf5_exchange(path, "/model/contact_point_form", point, false);
    CHECK(size[0] == 3.0 && size[1] == 2.0);
    CHECK(form[2] == -0.25 && form[3] == 1.0 && form[7] == 0.5 && form[8] == 0.25);
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR(heights[i], i + 1.0, 0.0);
    }
    CHECK(link[0] == 0.0 && link[1] == (double)PAWL_WRENCH_PATCH);
    CHECK(point[2] == -0.5 && point[7] == 0.125);
    CHECK_OK(pawl_report_write(&t.env, path, page));
    FILE *f = fopen(page, "rb");
    CHECK(f != NULL);
    static char text[4 << 20];
    size_t length = fread(text, 1, sizeof text - 1, f);
    text[length] = '\0';
    fclose(f);
    CHECK(strstr(text, "\"columns\":3,\"rows\":2") != NULL);
    CHECK_NO_LEAK(&t);
}

TEST(heightfields_that_cannot_be_are_refused)
{
    test_env t;
    test_env_init(&t);
    char path[256], page[256];
    test_path("bad-field.h5", path, sizeof path);
    test_path("bad-field.html", page, sizeof page);
    static const struct {
        const char *set;
        int at;
        double value;
        const char *message; // NULL: fine
    } rows[] = {{"/model/field_size", 0, 3.0, NULL},
                {"/model/field_size", 0, 1.0, "field_size"},
                {"/model/field_size", 0, -3.0, "field_size"},
                {"/model/field_size", 0, 4.0, "field_heights"},
                {"/model/field_size", 1, 2e9, "field_size"},
                {"/model/field_form", 7, 0.0, "field_form"},
                {"/model/field_form", 3, (double)NAN, "field_form"},
                {"/model/field_heights", 5, (double)INFINITY, "field_heights"}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        double values[9];
        record_field(&t.env, path);
        hdf5_exchange(path, rows[k].set, values, false);
        values[rows[k].at] = rows[k].value;
        hdf5_exchange(path, rows[k].set, values, true);
        CHECK_STATUS(pawl_report_write(&t.env, path, page),
                     rows[k].message == NULL ? PAWL_OK : PAWL_BAD_FILE);
        if (rows[k].message != NULL) {
            CHECK_MESSAGE(&t, rows[k].message);
        }
    }
    CHECK_NO_LEAK(&t);
}
