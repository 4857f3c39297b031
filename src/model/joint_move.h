// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Moves a part of a mechanism so that one joint has given coordinates and rates, all other joints of the spanning
// tree keep theirs, and loops open.
#pragma once
#include "model/state.h"

// Whether it could be moved; the log says why not.
pawl_status pawl_joint_can_move(const pawl_env *env, const pawl_model *m, int joint);
// Writes poses and twists of the bodies that hang on the joint. `rate` may be NULL: at rest. Refuses joints that
// close a loop, have no coordinates for every direction that they leave free, or would move a kinematic body.
pawl_status pawl_joint_move(const pawl_env *env, const pawl_model *m, body_state *bodies, int joint,
                            const double *position, const double *rate);
