// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// One contact alone: impulses for a 3 x 3 Delassus block and the velocity without them.
#pragma once
#include "pawl/base.h"

// Whether joints hold the contact, so that no impulse changes its normal velocity.
bool pawl_contact_is_blocked(const double D[9]);
// S = D_TT - D_TN D_NT / D_NN (xx, xy, yy): D of the tangent while the normal velocity is kept. Where
// rows depend on each other (a contact on a hinged body) it is singular; a share of the trace that
// rounding would hide keeps its inverse defined.
void pawl_contact_tangent(const double D[9], double S[3]);

// Signorini and Coulomb exactly: separation, sticking, or slip opposite to the velocity. D (row-major,
// symmetric positive definite; tangent, tangent, normal), v the velocity at lambda = 0.
void pawl_contact_exact(const double D[9], const double v[3], double mu, double lambda[3]);
// One projected step each from lambda, with z = D lambda + v (and De Saxce's correction, if wanted).
// Loops Alg. 2: the nearest point of the cone to a step of 3 / tr D, or of 1.5 / |D| where that is
// shorter: with an eigenvalue above two thirds of the trace 3 / tr D never settles, not even alone. Its
// fixed points solve the convex relaxation (CCP), in which a sliding contact lifts off with mu |v_T|.
void pawl_contact_ccp_step(const double D[9], const double z[3], double mu, double lambda[3]);
// Loops Alg. 3: normal, then tangent. Its fixed points obey Signorini and Coulomb.
void pawl_contact_ncp_step(const double D[9], const double z[3], double mu, double lambda[3]);
// The same with steps r[0] for the tangent and r[1] for the normal (PROX).
void pawl_contact_prox_step(const double r[2], const double z[3], double mu, double lambda[3]);
// The steps of the NCP projector: 1 / the larger eigenvalue of D_TT, 1 / D_NN; 0 where D is.
void pawl_contact_ncp_lengths(const double D[9], double r[2]);
