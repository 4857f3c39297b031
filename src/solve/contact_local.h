// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// One contact alone: impulses for a 3 x 3 Delassus block and the velocity without them.
#pragma once

// Signorini and Coulomb exactly: separation, sticking, or slip opposite to the velocity. D (row-major,
// symmetric positive definite; tangent, tangent, normal), v the velocity at lambda = 0.
void pawl_contact_exact(const double D[9], const double v[3], double mu, double lambda[3]);
// One projected step of loops Alg. 5 (NCP projector) from lambda, with z = D lambda + v.
void pawl_contact_ncp_step(const double D[9], const double z[3], double mu, double lambda[3]);
