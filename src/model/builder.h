// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What a builder holds until it is compiled. Names and tables live in the builder's own pool.
#pragma once
#include "base/array.h"
#include "base/name_table.h"
#include "model/model.h"

struct pawl_builder {
    pawl_env env;
    const char *name;
    pawl_vec3 gravity;
    pawl_array bodies;    // pawl_body_def
    pawl_array shapes;    // pawl_shape_info
    pawl_array joints;    // pawl_joint_def; a gear's is in gears under the same index
    pawl_array gears;     // pawl_gear_def, one for each joint
    pawl_array actuators; // pawl_actuator_def
    pawl_array motions;   // pawl_motion_def
    pawl_array forces;    // pawl_force_def
    pawl_array springs;   // pawl_spring_def
    name_table names;     // of bodies and joints
    pawl_array pool;      // builder_block
};
