// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Writing models: angles that read back the same rotation, names that a format does not take, missing memory. That files move
// as their models is tested by tests/cli/test_convert.py.
#include "pawl/io.h"
#include "support/random.h"
#include "support/test.h"
#include "write/model_writer.h"
#include <string.h>

// The rotation itself is the answer: R(rpy(q)) = R(q), also where the pitch is a right angle or nearly so.
TEST(roll_pitch_and_yaw_are_exact_everywhere)
{
    uint64_t seed = 20260;
    const double half_pi = 1.5707963267948966;
    for (int i = 0; i < 3000; ++i) {
        double near[4] = {0.0, 1e-12, 1e-8, 1e-4}, rpy[3];
        double pitch = i % 2 == 0 ? random_in(&seed, -half_pi, half_pi)
                                  : (i % 4 == 1 ? 1.0 : -1.0) * (half_pi - near[(i / 4) % 4]);
        pawl_quat q =
            pawl_quat_from_rpy(random_in(&seed, -3.0, 3.0), pitch, random_in(&seed, -3.0, 3.0));
        write_rpy(q, rpy);
        pawl_mat3 a = quat_matrix(q), b = quat_matrix(pawl_quat_from_rpy(rpy[0], rpy[1], rpy[2]));
        for (int k = 0; k < 9; ++k) {
            CHECK_NEAR(a.m[k / 3][k % 3], b.m[k / 3][k % 3], 4e-15);
        }
    }
}

typedef struct write_case {
    const pawl_model *model;
    pawl_file_format format;
    char path[512];
} write_case;

static pawl_status write_make(const pawl_env *env, void *argument)
{
    const write_case *c = argument;
    return pawl_model_write(env, c->model, c->format, c->path, NULL);
}

TEST(every_format_survives_missing_memory)
{
    test_env t;
    test_env_init(&t);
    pawl_model *model;
    CHECK_OK(pawl_model_load(&t.env, "models/primitives/fourbar-fixed.sdf", NULL, &model));
    for (int f = PAWL_FILE_SDF; f < PAWL_FILE_FORMAT_COUNT; ++f) {
        write_case c = {.model = model, .format = (pawl_file_format)f};
        test_path("written.xml", c.path, sizeof c.path);
        CHECK(CHECK_SURVIVES_NO_MEMORY(write_make, &c) > 5);
    }
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}

// A model with one name for a body and a joint, and '::' in it: SDFormat has one list of names, and '::' leads into models.
TEST(names_are_changed_where_the_format_asks_for_it)
{
    static const char text[] =
        "<mujoco><worldbody><body name='a::b'><joint name='a::b'/><geom size='.1'/>"
        "</body></worldbody></mujoco>";
    test_env t;
    static pawl_write_report report;
    char path[512];
    pawl_model *model, *back;
    test_env_init(&t);
    CHECK_OK(pawl_model_parse(&t.env, "m.xml", text, sizeof text - 1, NULL, &model));
    CHECK_OK(pawl_model_write(&t.env, model, PAWL_FILE_SDF,
                              test_path("names.sdf", path, sizeof path), &report));
    CHECK_INT(report.count, 1);
    CHECK(!report.losses[0].motion && report.losses[0].count == 2);
    CHECK_OK(pawl_model_load(&t.env, path, NULL, &back));
    CHECK(!pawl_body_is_none(pawl_model_find_body(back, "a.b")));
    CHECK(!pawl_joint_is_none(pawl_model_find_joint(back, "a.b_joint")));
    pawl_model_destroy(back);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}
