// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Poses, rotations and inertias of all bodies, four at a time.
#pragma once
#include "model/state.h"

// Poses `to` after a time tau at twists u (6 x bodies) from poses `from`; velocities in `to` stay. Kinematic bodies
// move by their twists like others.
void pawl_bodies_move(const pawl_model *model, const body_state *from, const double *u, double tau,
                      body_state *to);
// Rotation matrices (bodies).
void pawl_bodies_rotate(const pawl_model *model, const body_state *bodies, pawl_mat3 *rotation);
// The same, and inverse inertias in world axes of rigid bodies; others keep what they have.
void pawl_bodies_turn_inertias(const pawl_model *model, const body_state *bodies,
                               pawl_mat3 *rotation, pawl_mat3 *inverse_inertia);
