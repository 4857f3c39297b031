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
// u (6 x bodies) += M^-1 force, one spatial force for each body.
void pawl_bodies_push(int count, const double *inverse_mass, const pawl_mat3 *inverse_inertia,
                      const double *force, double *u);
// Adds the kinetic energies of all bodies but kinematic ones to *kinetic, and of their weights to *weight [J]. `factor`
// (bodies) is of their masses, 0 where it is 1.
void pawl_bodies_energies(const pawl_model *model, const body_state *bodies, const double *factor,
                          pawl_vec3 gravity, double *kinetic, double *weight);
// Whether gyroscopic torques change the spin of each body by no more than that share of it within a time h; `rotation`
// (bodies) at these poses. Never of models with kinematic bodies.
bool pawl_bodies_spin_freely(const pawl_model *model, const body_state *bodies,
                             const pawl_mat3 *rotation, double h, double share);
// Rotation matrices (bodies).
void pawl_bodies_rotate(const pawl_model *model, const body_state *bodies, pawl_mat3 *rotation);
// The same, and inverse inertias in world axes of rigid bodies; others keep what they have.
void pawl_bodies_turn_inertias(const pawl_model *model, const body_state *bodies,
                               pawl_mat3 *rotation, pawl_mat3 *inverse_inertia);
