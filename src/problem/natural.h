// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The residual of the judge and of the solvers' stopping tests: the natural map lambda - P(lambda - v), with impulses
// in units of velocity.
#pragma once
#include "problem/problem.h"

// diag(D + R), the mean of its three for each row of a contact.
void pawl_problem_weights(const pawl_problem *p, double *weight);
// The same of bounded rows and contacts alone; the other entries stay.
void pawl_problem_bounded_weights(const pawl_problem *p, double *weight);
// Nearest impulses within bounds and cones, in place.
void pawl_problem_admit(const pawl_problem *p, double *lambda);
// v = (D + R) lambda + v_f
void pawl_problem_velocity(const pawl_problem *p, const double *lambda, double *v);
// Largest entry of the scaled natural map over all rows, for velocities v of impulses lambda.
double pawl_problem_natural(const pawl_problem *p, const double *lambda, const double *v,
                            const double *weight);
// The same without contacts: of the rows that have no cone.
double pawl_problem_natural_bounds(const pawl_problem *p, const double *lambda, const double *v,
                                   const double *weight);
// The same as the first for the convex relaxation of friction.
double pawl_problem_natural_relaxed(const pawl_problem *p, const double *lambda, const double *v,
                                    const double *weight);
// Of one bounded row (a weight of zero: nothing moves it), and of one contact.
double pawl_natural_bounded(double lambda, double v, double lower, double upper, double weight);
double pawl_natural_contact(const double lambda[3], const double v[3], double mu, double weight);
// The same entry by entry, with its signs.
void pawl_natural_contact_map(const double lambda[3], const double v[3], double mu, double weight,
                              double out[3]);
// Of one contact of the convex relaxation (CCP), loops (164): solvers of that stop by it.
double pawl_natural_relaxed(const double lambda[3], const double v[3], double mu, double weight);
