// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Heaps that fall into a bin and roll: every step is solved to 1e-6 m/s. Interior points that aim at ever smaller gaps
// are stuck where their path turns back, as in one of these steps.
// Cubes lie on each other's faces, with more corners than are needed and gaps of 1e-9 m that contradict each other by
// 1e-7 m/s: proximal points stayed there for ever (3 of these 640 steps were not solved to 1e-8 m/s).
#include "support/mechanism.h"
#include "support/random.h"
#include "support/scene.h"
#include "support/test.h"

enum { HEAP_SIDE = 3, HEAP_COUNT = 30, HEAP_CUBES = 45, HEAP_STEPS = 160 };

// A cube of 0.076 m, turned at random.
static void heap_cube(mechanism *m, pawl_vec3 at, uint64_t *seed)
{
    const double half = 0.038;
    pawl_body_def def = pawl_body_def_default();
    def.mass = 0.44;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = def.mass * half * half / 1.5;
    def.pose.position = at;
    pawl_vec3 turn = random_vec(seed, 2.0);
    def.pose.orientation = quat_exp(v3(turn.z, turn.y, turn.x)); // as in the heaps that were stuck
    scene_shape(m, mechanism_body(m, &def), PAWL_SHAPE_BOX, v3(half, half, half), v3(0, 0, 0), 0.5,
                0.0);
}

// Spheres of 0.1 m or cubes between four thick walls, layer on layer, nowhere exactly above each other.
static void heap_drop(mechanism *m, pawl_shape_kind kind, int count, uint64_t *seed)
{
    double pitch = kind == PAWL_SHAPE_SPHERE ? 0.12 : 0.14;
    double half = 0.5 * pitch * HEAP_SIDE, thick = 0.2;
    scene_floor(m, 0.5, 0.0, 0.0);
    for (int side = -1; side <= 1; side += 2) {
        scene_shape(m, PAWL_WORLD, PAWL_SHAPE_BOX, v3(thick, 2.0, 2.0),
                    v3(side * (half + thick), 0, 0), 0.5, 0.0);
        scene_shape(m, PAWL_WORLD, PAWL_SHAPE_BOX, v3(2.0, thick, 2.0),
                    v3(0, side * (half + thick), 0), 0.5, 0.0);
    }
    for (int i = 0; i < count; ++i) {
        double x = pitch * (i % HEAP_SIDE + 0.5) - half,
               y = pitch * (i / HEAP_SIDE % HEAP_SIDE + 0.5);
        pawl_vec3 at = {x + random_in(seed, -0.01, 0.01), y - half + random_in(seed, -0.01, 0.01),
                        pitch * (i / (HEAP_SIDE * HEAP_SIDE) + 0.5)};
        if (kind == PAWL_SHAPE_SPHERE) {
            (void)scene_sphere(m, 1.0, 0.05, at, v3(0, 0, 0), 0.5, 0.0);
        } else {
            heap_cube(m, at, seed);
        }
    }
}

static int heap_open(pawl_shape_kind kind, int count, double tolerance, uint64_t seed,
                     int *contacts)
{
    mechanism m;
    int open = 0;
    heap_drop(&m, kind, count, &seed);
    pawl_settings settings = pawl_settings_default();
    settings.dt = 5e-3;
    settings.solver.tolerance = tolerance;
    mechanism_start(&m, &settings);
    for (int k = 0; k < HEAP_STEPS; ++k) {
        pawl_step_report report;
        CHECK_OK(pawl_sim_step(m.sim, &report));
        open += report.outcome != PAWL_CONVERGED;
        *contacts = report.contacts > *contacts ? report.contacts : *contacts;
    }
    mechanism_end(&m);
    return open;
}

TEST(heaps_of_rolling_spheres_are_solved_in_every_step)
{
    int open = 0, contacts = 0;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        open += heap_open(PAWL_SHAPE_SPHERE, HEAP_COUNT, 1e-6, seed, &contacts);
    }
    print_message("%d of %d steps not solved\n", open, 4 * HEAP_STEPS);
    CHECK(contacts > 2 * HEAP_COUNT);
    CHECK(open == 0);
}

TEST(heaps_of_cubes_are_solved_to_the_default_tolerance)
{
    int open = 0, contacts = 0;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        open += heap_open(PAWL_SHAPE_BOX, HEAP_CUBES, 1e-8, 10 + seed, &contacts);
    }
    print_message("%d of %d steps not solved\n", open, 4 * HEAP_STEPS);
    CHECK(contacts > 2 * HEAP_CUBES);
    CHECK(open <= 1);
}
