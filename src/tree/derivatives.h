// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Exact derivatives by the local coordinates theta and by theta', in the chart and at the place of the
// motion, which need not be the chart's centre. Matrices are (nv x nv) row by row: row k is differentiated,
// column j is what by. Entries between columns that are not on one way to the root are 0.
#pragma once
#include "tree/articulated.h"

// Of tau = inverse dynamics, after pawl_reduced_inverse_dynamics() with the same acceleration and pushes:
// by theta and by theta'. By theta'' it is the inertia. Pushes keep their direction in the world and act on
// the centre of mass, wherever it goes. Either output may be NULL.
void pawl_reduced_dynamics_derivatives(reduced_motion *motion, const link_force *external,
                                       double *by_theta, double *by_rate);
// matrix += d tau/dtheta + (d tau/dtheta')/h + H/h^2, the derivative of inverse dynamics where rates are differences of
// coordinates over h, and accelerations differences of rates: of a stage of an implicit method. After
// pawl_reduced_inverse_dynamics(), without pushes.
void pawl_reduced_stage_derivative(reduced_motion *motion, double h, double *matrix);
// out += scale d(JT w)/dtheta of a wrench that stays the same in the world while its point moves with the
// link. Along the link's way to the root alone.
void pawl_reduced_add_wrench_derivative(const reduced_motion *motion, int link, pawl_vec3 point,
                                        pawl_vec3 force, pawl_vec3 moment, double scale,
                                        double *out);
// Of the kinetic energy (needs move): by theta and by theta', the generalized momentum. Either may be NULL.
void pawl_reduced_kinetic_gradient(reduced_motion *motion, double *by_theta, double *by_rate);
// Of the potential energy of gravity.
void pawl_reduced_potential_gradient(reduced_motion *motion, double *by_theta);
// Velocity of a link's point that is at `point` now, its derivative by theta (3 x nv; by theta' it is the
// Jacobian), and its acceleration for the last theta'' (pawl_reduced_accelerate; 0 gives the bias).
pawl_vec3 pawl_reduced_point_velocity(const reduced_motion *motion, int link, pawl_vec3 point);
void pawl_reduced_point_velocity_derivative(const reduced_motion *motion, int link, pawl_vec3 point,
                                            double *by_theta);
pawl_vec3 pawl_reduced_point_acceleration(const reduced_motion *motion, int link, pawl_vec3 point);
