// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A scene in pawl, for the comparisons and for what is asked of pawl alone.
#pragma once
#include "pawl/pawl.h"
#include "scenes.h"

typedef struct bench_world {
    pawl_env env; ///< the model and the sim keep its address
    pawl_model *model;
    pawl_sim *sim;
} bench_world;

/// NULL, after saying why on stderr, where pawl refuses the scene.
bench_world *bench_world_create(const bench_scene *scene, const pawl_settings *settings);
void bench_world_destroy(bench_world *world); ///< NULL is fine
/// Centre-of-mass poses and twists, in the scene's order of bodies.
void bench_world_read(const bench_world *world, pawl_pose *poses, pawl_twist *twists);
