// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The nonlinear-block projector of one contact (loops Alg. 4): separation, sticking, or the point of
// least energy among the impulses that stop the approach.
#pragma once

// How the least point of the slip conic is found. Both find the same one.
typedef enum contact_nb_search {
    CONTACT_NB_QUARTIC,  // all stationary points, roots of a quartic in tan(phi / 2)
    CONTACT_NB_BISECTION // halving the arc of directions on which the derivative changes its sign
} contact_nb_search;

// D (row-major, symmetric positive semidefinite; tangent, tangent, normal), v the velocity at
// lambda = 0, s >= 0 De Saxce's correction of the normal velocity (0 for none).
//   open   v_N >= 0:                        0
//   stick  -D^-1 v inside the cone K:       that
//   slip   else: the minimum of 1/2 l' D l + l' (v + (0, 0, s)) over K and n . (D l + v) = 0
// For s = 0 the minimum lies on the conic, the boundary of this section of K. With s it may lie inside,
// on the way to a solution; where s = mu |v_T| at the minimum itself, it is Coulomb's slip.
void pawl_contact_nb(const double D[9], const double v[3], double s, double mu,
                     contact_nb_search search, double lambda[3]);
