// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What a builder holds until it is compiled. Names and tables live in the builder's own pool.
#pragma once
#include "base/array.h"
#include "base/name_table.h"
#include "model/model.h"

// Pairs of bodies as numbers that sort like (a, b) with a < b; the world is the smallest.
static inline uint64_t pawl_exclusion_key(int a, int b)
{
    uint64_t low = (uint64_t)((a < b ? a : b) + 1), high = (uint64_t)((a < b ? b : a) + 1);
    return low << 32 | high;
}

static inline pawl_body_pair pawl_exclusion_pair(uint64_t key)
{
    return (pawl_body_pair){(int)(key >> 32) - 1, (int)(key & UINT32_MAX) - 1};
}

struct pawl_builder {
    pawl_env env;
    const char *name;
    pawl_vec3 gravity;
    pawl_softness soft[PAWL_SOFT_KIND_COUNT]; // of constraints that say nothing of their own
    pawl_array bodies;                        // pawl_body_def
    pawl_array shapes;                        // pawl_shape_info
    pawl_array joints;    // pawl_joint_def; a gear's is in gears under the same index
    pawl_array gears;     // pawl_gear_def, one for each joint
    pawl_array actuators; // pawl_actuator_def
    pawl_array motions;   // pawl_motion_def
    pawl_array forces;    // pawl_force_def
    pawl_array springs;   // pawl_spring_def
    pawl_array excluded;  // uint64_t, see pawl_exclusion_key()
    name_table names;     // of bodies and joints
    pawl_array pool;      // builder_block
};
