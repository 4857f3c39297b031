// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// G(theta, w) = inertia - contacts - other forces, and the projection onto G = 0 by Newton's method
// (NMDP eqs. 9 and 11), damped by backtracking on |G|: without it the stiff contacts of large steps send
// some iterations astray. With nmdp.gradient=zeroth the derivatives of the contact vertices are left out.
#include "linalg/lu.h"
#include "step/nmdp/nmdp.h"
#include <string.h>

enum { PROJECT_ITERATIONS = 60, PROJECT_HALVINGS = 30, PROJECT_PATIENCE = 8 };

// The largest absolute value; infinite where one is not finite, so that comparisons with NaN never decide.
static double project_norm(const double *x, int n)
{
    double largest = 0.0;
    for (int i = 0; i < n; ++i) {
        largest = isfinite(x[i]) ? fmax(largest, fabs(x[i])) : INFINITY;
    }
    return largest;
}

// Returns the largest entry of G; infinite where it is not finite.
double pawl_nmdp_balance(nmdp *s, const double *theta, const double *w, double *G, double *matrix)
{
    bool slopes = matrix != NULL && s->settings->nmdp.gradient == PAWL_NMDP_FIRST;
    memset(G, 0, (size_t)s->n * sizeof *G);
    if (matrix != NULL) {
        memset(matrix, 0, (size_t)s->n * (size_t)s->n * sizeof *matrix);
    }
    pawl_nmdp_place(s, theta, slopes);
    pawl_tree_load_clear(&s->load);
    pawl_nmdp_add_inertia(s, theta, G, matrix);
    pawl_nmdp_add_forces(s, theta, G, matrix);
    pawl_nmdp_add_contacts(s, w, slopes, matrix);
    pawl_tree_load_gather(&s->load, G, matrix);
    pawl_nmdp_add_friction(s, w, G);
    pawl_nmdp_prescribe(s, theta, G, matrix);
    return project_norm(G, s->n);
}

// 1e-8 is less than rounding leaves for very short steps, where dG/dtheta is large.
double pawl_nmdp_tolerance(const nmdp *s, const double *matrix, const double *theta)
{
    double slope = project_norm(matrix, s->n * s->n), size = project_norm(theta, s->n);
    return fmax(1e-8, 1e-14 * slope * fmax(1.0, size));
}

// theta is start and result; s->G and s->matrix belong to the result. False: no convergence, and theta is of no
// use. Lengths of steps fall by 1.5 until |G| falls.
bool pawl_nmdp_project(nmdp *s, const double *w, double *theta)
{
    size_t bytes = (size_t)s->n * sizeof *theta;
    double size = pawl_nmdp_balance(s, theta, w, s->G, s->matrix), last = INFINITY;
    for (int k = 0; k < PROJECT_ITERATIONS; ++k) {
        double tolerance = pawl_nmdp_tolerance(s, s->matrix, theta);
        if (!isfinite(size)) {
            return false;
        }
        if (size <= tolerance) {
            s->counts.residual = fmax(s->counts.residual, size / tolerance);
            return true;
        }
        if (k % PROJECT_PATIENCE == 0) { // what creeps gets nowhere in time
            if (size > 0.1 * last) {
                return false;
            }
            last = size;
        }
        ++s->counts.newton;
        memcpy(s->factor, s->matrix, (size_t)s->n * bytes);
        if (!pawl_lu_factor(s->factor, s->n, s->pivot)) {
            return false;
        }
        memcpy(s->direction, s->G, bytes);
        pawl_lu_solve(s->factor, s->n, s->pivot, s->direction);
        double length = 1.0, reached = INFINITY;
        memcpy(s->start, theta, bytes);
        for (int halving = 0; halving < PROJECT_HALVINGS; ++halving, length /= 1.5) {
            for (int i = 0; i < s->n; ++i) {
                theta[i] = s->start[i] - length * s->direction[i];
            }
            reached = pawl_nmdp_balance(s, theta, w, s->G, s->matrix);
            if (reached < size) {
                break;
            }
        }
        if (!(reached < size)) {
            return false;
        }
        size = reached;
    }
    return false;
}
