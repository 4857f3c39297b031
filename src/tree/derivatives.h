// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Exact derivatives of inverse dynamics by the local coordinates theta and by theta', in the chart and at the
// configuration of the motion, which need not be the chart's centre. Matrices are (nv x nv) row by row: entry (k, j)
// is the derivative of component k with respect to coordinate j. Entries between columns that are not on one path to
// the root are 0.
#pragma once
#include "tree/articulated.h"

// matrix += d tau/dtheta + (d tau/dtheta')/h + H/h^2, the derivative of inverse dynamics where rates are differences of
// coordinates over h, and accelerations differences of rates: of a stage of an implicit method. After
// pawl_reduced_inverse_dynamics(), without pushes.
void pawl_reduced_stage_derivative(reduced_motion *motion, double h, double *matrix);
