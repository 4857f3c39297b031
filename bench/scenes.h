// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The mechanisms that the benchmark gives to every engine, described once as neutral data: bodies
// about their centres of mass, hinges by world point and axis. An adapter turns this into its
// engine's own model, so all engines simulate the same thing from the same start.
#pragma once
#include "pawl/base.h"

#define BENCH_WORLD (-1)

/// A rigid body without shape: the scenes have no contact, so no engine pays for collisions.
typedef struct bench_body {
    pawl_pose pose;    ///< of the centre of mass and the principal axes
    pawl_twist twist;  ///< of the centre of mass, world axes
    double mass;       ///< [kg]
    pawl_vec3 inertia; ///< principal moments about the body's x, y, z [kg m^2]
} bench_body;

typedef struct bench_hinge {
    int base, follower;       ///< the base may be BENCH_WORLD
    pawl_vec3 point;          ///< in the world, at the start
    pawl_vec3 axis;           ///< unit vector in the world, at the start
    pawl_vec3 base_point;     ///< the same point in the base's and in the follower's axes, from
    pawl_vec3 follower_point; ///< their centres: what closure is measured between
} bench_hinge;

typedef struct bench_scene {
    char name[32];
    pawl_vec3 gravity;
    int body_count, hinge_count;
    bench_body *bodies;
    bench_hinge *hinges;
    double shortest; ///< rod [m]: a hinge that opens further has come apart
    double swing;    ///< what energy errors are measured by [J]: the scene's potential at the start
                     ///< above its lowest position (four-bar: above the ground line). E itself will
                     ///< not do: the chain's is 0.
} bench_scene;

/// S4: a four-bar linkage whose crank and rocker start askew, at rest.
bench_scene *bench_scene_four_bar(void);
/// S5: `links` links of 0.1 m and 0.1 kg, held at one end, released horizontally.
bench_scene *bench_scene_chain(int links);
/// S8: the IFToMM N-four-bar, `windows` parallelograms of 1 m, 1 kg rods, upright at 1 m/s.
bench_scene *bench_scene_ladder(int windows);
void bench_scene_destroy(bench_scene *scene);
