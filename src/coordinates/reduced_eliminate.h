// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Elimination of the free rows over the coordinates of a tree.
//
// A row w of a spring, damper, armature or drive on a coordinate k that the tree has as a column acts on it alone:
//   theta_k' + c lambda + v = 0,   c > 0   its compliance.
// Its impulse -(theta_k' + v) / c makes it an inertia 1/c on that column: H' = H + E c^-1 ET, and the row is
// eliminated. The remaining rows g are those of loops, gears and springs between points. With Y' of H'
// (reduced_form.h)
//   A = Y'_g Y'_gT + R_g
// is dense and small; pivots of redundant rows are dropped. Limits and contacts b have
//   S = Y'_b Y'_bT + R_b - ZT Z,   Z = Delta^-1/2 L^-1 Y'_g Y'_bT.
// Generalized velocities are z with |z|^2 / 2 the kinetic energy of H', theta' = B' d'^-1/2 z. docs/reduced.md section 6.
#pragma once
#include "coordinates/reduced_form.h"

typedef struct reduced_eliminator {
    const pawl_assembly *a;
    reduced_form *form;
    int *column;               // (free rows) the column that the row may be an inertia of; -1: none
    bool *worn;                // (free rows) it is one
    int *row;                  // (free rows) the rows g
    int count;                 // of them
    bool stiff;                // H' is not H
    bool exact;                // the factor needs no refinement
    bool dropped;              // it has no rows that repeat others
    int64_t filled;            // matrix_key of the problem whose bounded rows are in Y; 0: none
    articulated_factor factor; // of H'
    double *added;             // (nv) c^-1
    double *Y;                 // (max rows x nv) rows g and, after condensing, those of b
    int *end;                  // (max rows) columns from there on are 0
    double *A, *inverse;       // (free rows x free rows), (free rows)
    double *diagonal, *size;   // (free rows)
    double *tau, *z, *rate;    // (nv)
    double *right, *compliance; // (free rows)
    double *half;               // (max bounded x free rows)
} reduced_eliminator;

reduced_eliminator pawl_reduced_eliminator_layout(const pawl_assembly *a, reduced_form *form,
                                                  pawl_carver *mem);
// Which rows may be inertias; after the layout.
void pawl_reduced_eliminator_plan(reduced_eliminator *e);
// The factor of the free rows with these compliances. `expected` pivots are dropped and nothing is shifted where
// that number of rows repeat others (expected >= 0) and the rest is far from singular; else `shift` times the rows'
// `size` (free rows; NULL: their diagonals) is added. Returns how many pivots were dropped.
int pawl_reduced_eliminator_factor(reduced_eliminator *e, const double *compliance,
                                   const double *size, double shift, int expected);
// x (free rows) = (D + R)^-1 x.
void pawl_reduced_eliminator_solve(reduced_eliminator *e, double *x);
// S (m x m) of the rows that are not free, R included. `size` (m) is their own D + R.
void pawl_reduced_eliminator_condense(reduced_eliminator *e, const pawl_problem *p, double *S,
                                      double *size);
// v (m) of those rows without impulses of their own.
void pawl_reduced_eliminator_velocity(reduced_eliminator *e, const pawl_problem *p, double *lambda,
                                      double *v);
// Impulses of the free rows from those of the others in lambda.
void pawl_reduced_eliminator_recover(reduced_eliminator *e, const pawl_problem *p, double *lambda);
