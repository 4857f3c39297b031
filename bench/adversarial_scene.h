// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Scenes that nobody would build on purpose, from a seed: overlaps, mass ratios to 1e12, sizes from 1e-6 to 1e6 m,
// steps from 1e-9 to 1 s, inputs that contradict each other.
#pragma once
#include "pawl/sim.h"

enum { ADVERSARIAL_NAME = 160 };
typedef struct adversarial_scene {
    char name[ADVERSARIAL_NAME]; ///< what it is, for people
    pawl_model *model;           ///< NULL where the builder refused it
    pawl_settings settings;
    int steps;
} adversarial_scene;

/// The same seed and index give the same scene. The model is the caller's to destroy.
void adversarial_scene_make(const pawl_env *env, uint64_t seed, int index, adversarial_scene *out);
