// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The model with the inputs of a state (pawl/input.h) in place of its own numbers.
//
// Steppers, rows and contacts read only a model. A simulation passes this copy, which it updates before each step:
// every stepper supports every input without any code for it, with the same arithmetic as for a model built with
// those numbers. Bodies, joints and signals are shared with the model itself; actuators, forces, shapes and bodies
// are copies, made when the first input needs them.
#pragma once
#include "model/state.h"

typedef struct live_model {
    pawl_model model; // as steps read it
    const pawl_model *of;
    bool changed; // it differs from `of`
    pawl_env env;
    pawl_actuator_def *actuators; // (actuators); NULL until they are needed, like the next three
    pawl_force_def *forces;       // (forces + bodies)
    pawl_shape_info *shapes;      // (shapes)
    model_body *bodies;           // (bodies)
} live_model;

void pawl_live_begin(live_model *live, const pawl_env *env, const pawl_model *model);
void pawl_live_end(live_model *live);
// Takes over the inputs of a state. Needs memory for the first input of a kind alone.
pawl_status pawl_live_follow(live_model *live, const pawl_state *s);
