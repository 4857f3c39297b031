// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Moves a part of a mechanism so that one joint has given coordinates and rates, all other joints of the spanning
// tree keep theirs, and loops open.
#pragma once
#include "model/state.h"

// Whether it could be moved; the log says why not.
pawl_status pawl_joint_can_move(const pawl_env *env, const pawl_model *m, int joint);
