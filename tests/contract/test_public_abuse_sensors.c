// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// As test_public_abuse.c, for sensors.
#include "math/vec.h"
#include "pawl/pawl.h"
#include "support/abuse.h"
#include "support/everything.h"
#include "support/mechanism.h"
#include <math.h>

TEST(sensors_of_what_is_not_there)
{
    mechanism m;
    mechanism_begin(&m);
    CHECK_OK(everything_build(&m.t.env, &m.model));
    pawl_settings settings = pawl_settings_default();
    mechanism_start(&m, &settings);
    pawl_pose frame = pawl_pose_identity();
    pawl_imu imu;
    pawl_vec3 force, torque;
    EACH_ID(id)
    {
        CHECK_BAD(pawl_sim_imu(m.sim, bad_body(id), frame, &imu));
        CHECK_BAD(pawl_sim_force_torque(m.sim, bad_joint(id), &force, &torque));
    }
    pawl_body_id body = pawl_model_body_at(m.model, 0);
    pawl_joint_id joint = pawl_model_joint_at(m.model, 0);
    CHECK_BAD(pawl_sim_imu(NULL, body, frame, &imu));
    CHECK_BAD(pawl_sim_imu(m.sim, body, frame, NULL));
    CHECK_BAD(pawl_sim_imu(m.sim, PAWL_WORLD, frame, &imu));
    CHECK_BAD(pawl_sim_imu(m.sim, body, (pawl_pose){{0, 0, 0}, {0, 0, 0, 0}}, &imu));
    EACH_NUMBER(x)
    {
        CHECK_BAD(pawl_sim_imu(m.sim, body, (pawl_pose){{x, 0, 0}, {1, 0, 0, 0}}, &imu));
        CHECK_BAD(pawl_sim_imu(m.sim, body, (pawl_pose){{0, 0, 0}, {x, 0, 0, 0}}, &imu));
    }
    CHECK_BAD(pawl_sim_force_torque(NULL, joint, &force, &torque));
    CHECK_BAD(pawl_sim_force_torque(m.sim, joint, NULL, &torque));
    CHECK_BAD(pawl_sim_force_torque(m.sim, joint, &force, NULL));
    mechanism_end(&m);
}

static pawl_status abuse_make_scanner(const pawl_env *env, void *model)
{
    pawl_scanner *scanner;
    pawl_status status = pawl_scanner_create(env, model, &scanner);
    pawl_scanner_destroy(status == PAWL_OK ? scanner : NULL);
    return status;
}

TEST(scanners_that_are_none)
{
    mechanism m, other;
    mechanism_throw(&other);
    pawl_settings settings = pawl_settings_default();
    mechanism_start(&other, &settings);
    mechanism_begin(&m);
    CHECK_OK(everything_build(&m.t.env, &m.model));
    pawl_scanner *scanner = NULL;
    CHECK_BAD(pawl_scanner_create(NULL, m.model, &scanner));
    CHECK_BAD(pawl_scanner_create(&m.t.env, NULL, &scanner));
    CHECK_BAD(pawl_scanner_create(&m.t.env, m.model, NULL));
    CHECK_OK(pawl_scanner_create(&m.t.env, m.model, &scanner));
    CHECK_BAD(pawl_scanner_place(NULL, pawl_sim_state(other.sim)));
    CHECK_BAD(pawl_scanner_place(scanner, NULL));
    CHECK_BAD(pawl_scanner_place(scanner, pawl_sim_state(other.sim)));
    pawl_body_id none = {0};
    pawl_ray_hit hit;
    pawl_vec3 zero = {0, 0, 0}, up = {0, 0, 1};
    CHECK_BAD(pawl_scanner_cast(NULL, zero, up, 1.0, none, &hit));
    CHECK_BAD(pawl_scanner_cast(scanner, zero, up, 1.0, none, NULL));
    CHECK_BAD(pawl_scanner_cast(scanner, zero, zero, 1.0, none, &hit));
    CHECK_BAD(pawl_scanner_cast(scanner, zero, up, -1.0, none, &hit));
    CHECK_BAD(pawl_scanner_cast(scanner, zero, up, NAN, none, &hit));
    EACH_NUMBER(x)
    {
        CHECK_BAD(pawl_scanner_cast(scanner, v3(x, 0, 0), up, 1.0, none, &hit));
        CHECK_BAD(pawl_scanner_cast(scanner, zero, v3(x, 0, 1), 1.0, none, &hit));
    }
#ifndef PAWL_ASSERT_IDS
    CHECK_BAD(pawl_scanner_cast(scanner, zero, up, 1.0, bad_body(7777), &hit));
#endif
    CHECK_OK(pawl_scanner_cast(scanner, zero, up, INFINITY, PAWL_WORLD, &hit));
    pawl_scanner_destroy(scanner);
    pawl_scanner_destroy(NULL);
    CHECK(CHECK_SURVIVES_NO_MEMORY(abuse_make_scanner, m.model) > 2);
    mechanism_end(&m);
    mechanism_end(&other);
}
