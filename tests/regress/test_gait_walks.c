// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The robots of models/robots walk by their gait files with nmdp at 20 ms, on flat ground and up a slope of 10 degrees: most of
// the way that the gait is meant to go, straight, upright, on top of the ground. Distances are those of the
// gaits' own numbers.
#include "math/rotation.h"
#include "pawl/io.h"
#include "pawl/sim.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>

typedef struct gait {
    const char *robot, *base, *motion;
    double speed, time; // [m/s], [s]
} gait;

static void gait_walks(const gait *g, double slope)
{
    test_env t;
    test_env_init(&t);
    char model_path[80], motion_path[80];
    snprintf(model_path, sizeof model_path, "models/robots/%s.urdf", g->robot);
    snprintf(motion_path, sizeof motion_path, "models/robots/motions/%s-%s.motion", g->robot,
             g->motion);
    pawl_load_options options = pawl_load_options_default();
    options.motion_path = motion_path;
    options.ground =
        (pawl_ground_option){.put = true, .under = true, .slope = slope, .friction = 0.8};
    pawl_model *model;
    pawl_sim *sim;
    CHECK_OK(pawl_model_load(&t.env, model_path, &options, &model));
    pawl_settings settings = pawl_settings_default();
    settings.dt = 0.02;
    settings.nmdp.stiffness = 1e10;
    CHECK_OK(pawl_settings_set(&t.env, &settings, "stepper", "nmdp"));
    CHECK_OK(pawl_sim_create(&t.env, model, &settings, &sim));
    pawl_body_id base = pawl_model_find_body(model, g->base);
    pawl_pose start = pawl_state_pose(pawl_sim_state(sim), base), now = start;
    for (int k = 0; k < (int)(g->time / settings.dt); ++k) {
        pawl_step_report report;
        CHECK_OK(pawl_sim_step(sim, &report));
        now = pawl_state_pose(pawl_sim_state(sim), base);
        CHECK(report.penetration < 0.015);
        // Against the start, in which it stands upright on the ground.
        pawl_quat turn = quat_mul(now.orientation, quat_conj(start.orientation));
        CHECK(v3_norm(quat_log(turn)) < 0.15);
    }
    pawl_vec3 way = v3_sub(now.position, start.position);
    double along = way.x * cos(slope) + way.z * sin(slope);
    CHECK(along > 0.75 * g->speed * g->time && along < 1.3 * g->speed * g->time);
    CHECK(fabs(way.y) < 0.1);
    CHECK(fabs(way.z * cos(slope) - way.x * sin(slope)) < 0.03);
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}

TEST(the_quadruped_crawls_and_climbs)
{
    static const gait crawl = {"quadruped", "base", "crawl", 0.2 / 3.0, 9.5};
    gait_walks(&crawl, 0.0);
    gait_walks(&crawl, 0.1745);
}

TEST(the_biped_walks_and_climbs)
{
    static const gait walk = {"biped", "pelvis", "walk", 0.2 / 3.6, 8.7};
    gait_walks(&walk, 0.0);
    gait_walks(&walk, 0.1745);
}

TEST(the_hexapod_walks_and_climbs)
{
    static const gait tripod = {"hexapod", "body", "tripod", 0.1, 4.5};
    gait_walks(&tripod, 0.0);
    gait_walks(&tripod, 0.1745);
}
