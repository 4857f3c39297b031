// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Free motion of bodies that conserves their angular momentum, for steppers that require this.
#pragma once
#include "model/state.h"

// A free body's orientation q and world-axes spin w after a time tau, which may be negative. Keeps
// the angular momentum in world axes but for rounding, is reversible and symplectic, and exact for
// bodies with two equal principal moments; else of second order.
void pawl_free_turn(const model_body *body, double tau, pawl_quat *q, pawl_vec3 *w);
// Moves all bodies freely by their own twists for a time tau that ends at t; kinematic ones get pose
// and twist of t.
void pawl_advance_freely(const pawl_model *m, body_state *bodies, double tau, double t);
