// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Scene S7 of the comparison with other engines: stacks and walls that must stand, with default
// settings. By statics nothing moves, and the ground carries the weight. bench_standing has what takes
// minutes: the wall of 100.
#include "support/scene.h"

#include <math.h>

enum { STANDING_BODIES = 25 };

static void standing_stack(mechanism *m, int height)
{
    scene_floor(m, 0.5, 0.0, 0.0);
    for (int k = 0; k < height; ++k) {
        scene_box_at(m, 1.0, v3(0.2, 0.2, 0.2), v3(0, 0, 0.1 * (2 * k + 1)), 0.5);
    }
}

// Bricks 2 mm apart, every other row shifted by a quarter of one.
static void standing_wall(mechanism *m, int rows)
{
    scene_floor(m, 0.5, 0.0, 0.0);
    for (int k = 0; k < rows * rows; ++k) {
        int row = k / rows;
        double x = 0.202 * (k % rows + 0.25 * (row % 2));
        scene_box_at(m, 1.0, v3(0.2, 0.1, 0.1), v3(x, 0, 0.05 * (2 * row + 1)), 0.5);
    }
}

// Runs for the given time; every step converges, and the contact points stay the ones they were.
static void standing_check(mechanism *m, const char *name, double dt, double duration)
{
    pawl_settings settings = scene_settings(dt);
    mechanism_start(m, &settings);
    int bodies = pawl_model_body_count(m->model);
    pawl_vec3 start[STANDING_BODIES];
    CHECK(bodies <= STANDING_BODIES);
    for (int i = 0; i < bodies; ++i) {
        start[i] = scene_position(m, pawl_model_body_at(m->model, i));
    }
    mechanism_step(m);
    int points = pawl_sim_contact_count(m->sim);
    mechanism_run(m, (int)rint(duration / dt) - 1);
    double moved = 0.0, speed = 0.0, weight = 0.0;
    for (int i = 0; i < bodies; ++i) {
        moved = fmax(moved,
                     v3_norm(v3_sub(scene_position(m, pawl_model_body_at(m->model, i)), start[i])));
        speed = fmax(speed, v3_norm(scene_velocity(m, pawl_model_body_at(m->model, i))));
        weight +=
            scene_force(m, PAWL_WORLD, pawl_model_body_at(m->model, i)).z / (SCENE_G * bodies);
    }
    print_message("%s, dt %g s, %g s: moved %.1e m, speed %.1e m/s, penetration %.1e m, weight off "
                  "by %.1e; %d points, %.1f iterations a step, at most %d\n",
                  name, dt, duration, moved, speed, m->verdict.penetration, weight - 1.0,
                  m->verdict.contacts_max,
                  (double)m->verdict.iterations_sum / (double)m->verdict.steps,
                  m->verdict.iterations_max);
    CHECK_INT(m->verdict.not_converged, 0);
    CHECK_INT(m->verdict.contacts_max, points);
    CHECK_INT(m->report.contacts, points);
    CHECK(moved < 1e-6);
    CHECK(speed < 1e-6);
    CHECK(m->verdict.penetration < 1e-8); // 100 steps of the tolerance, at the largest dt
    CHECK_NEAR(weight, 1.0, 1e-5);
    mechanism_end(m);
}

TEST(a_stack_of_ten_stands_for_ten_seconds_at_any_step)
{
    static const double dts[] = {1e-3, 5e-3, 1e-2};
    for (int i = 0; i < 3; ++i) {
        mechanism m;
        standing_stack(&m, 10);
        standing_check(&m, "stack of ten", dts[i], 10.0);
    }
}

TEST(a_wall_stands)
{
    mechanism m;
    standing_wall(&m, 5);
    standing_check(&m, "wall of 25", 1e-2, 10.0);
    standing_wall(&m, 5);
    standing_check(&m, "wall of 25", 1e-3, 1.0);
}
