// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// G(theta, w) = inertia - contacts - other forces, and the projection onto G = 0 by Newton's method
// (NMDP eqs. 9 and 11), damped by backtracking on |G|: without it some iterations diverge because of the stiff
// contacts of large steps. With nmdp.gradient=zeroth the derivatives of the contact vertices are omitted.
#include "linalg/lu.h"
#include "step/nmdp/nmdp.h"
#include <string.h>

enum { PROJECT_ITERATIONS = 60, PROJECT_HALVINGS = 30, PROJECT_PATIENCE = 8 };
enum { PROJECT_ROUNDS = 30, PROJECT_TOGETHER = 8 }; // of the modes of actuators
// |G| must fall by this factor with the derivative of an earlier iterate. Without derivatives of vertices a new matrix
// is hardly a better one.
static const double project_gain = 0.1, project_zeroth_gain = 0.8;

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
    bool slopes = matrix != NULL && s->settings->nmdp.gradient == PAWL_NMDP_FIRST && !s->rigid;
    memset(G, 0, (size_t)s->n * sizeof *G);
    if (matrix != NULL) {
        memset(matrix, 0, (size_t)s->n * (size_t)s->n * sizeof *matrix);
    }
    pawl_nmdp_place(s, theta, slopes);
    pawl_tree_load_clear(&s->load);
    pawl_nmdp_add_inertia(s, theta, G, matrix);
    pawl_nmdp_add_forces(s, theta, G, matrix);
    pawl_nmdp_add_contacts(s, w, slopes, matrix);
    pawl_nmdp_add_loops(s, theta, G, matrix);
    pawl_tree_load_gather(&s->load, G, matrix);
    pawl_nmdp_add_friction(s, w, G);
    pawl_nmdp_prescribe(s, theta, G, matrix);
    return fmax(project_norm(G, s->n), pawl_nmdp_loop_error(s));
}

// 1e-8 is less than rounding leaves for very short steps, where dG/dtheta is large.
static double project_tolerance(double slope, const double *theta, int n)
{
    return fmax(1e-8, 1e-14 * slope * fmax(1.0, project_norm(theta, n)));
}

double pawl_nmdp_tolerance(const nmdp *s, const double *matrix, const double *theta)
{
    return project_tolerance(project_norm(matrix, s->n * s->n), theta, s->n);
}

bool pawl_nmdp_factor(nmdp *s)
{
    pawl_nmdp_border(s);
    s->factor_size = project_norm(s->matrix, s->n * s->n);
    s->factored = pawl_lu_factor(s->factor, s->n + s->row_count, s->pivot);
    ++s->counts.newton;
    return s->factored;
}

// The step of Newton's method from where G was evaluated last, with the factor at hand.
void pawl_nmdp_newton_direction(nmdp *s)
{
    memcpy(s->direction, s->G, (size_t)s->n * sizeof *s->direction);
    pawl_nmdp_loop_right(s, s->direction + s->n);
    pawl_lu_solve(s->factor, s->n + s->row_count, s->pivot, s->direction);
}

static void project_keep(nmdp *s, const double *theta)
{
    memcpy(s->start, theta, (size_t)s->n * sizeof *theta);
    memcpy(s->start_lambda, s->lambda, (size_t)s->loop_rows * sizeof *s->lambda);
}

// theta = start - length direction, with the multipliers of loops.
static void project_step(nmdp *s, double length, double *theta)
{
    for (int i = 0; i < s->n; ++i) {
        theta[i] = s->start[i] - length * s->direction[i];
    }
    for (int i = 0; i < s->row_count; ++i) {
        int row = s->chosen[i];
        s->lambda[row] = s->start_lambda[row] - length * s->direction[s->n + i];
    }
}

void pawl_nmdp_newton_step(nmdp *s, double *theta)
{
    project_keep(s, theta);
    project_step(s, 1.0, theta);
}

// And |G| there.
static double project_move(nmdp *s, const double *w, double length, double *theta)
{
    project_step(s, length, theta);
    return pawl_nmdp_balance(s, theta, w, s->G, NULL);
}

// One iteration from |G| = size at theta; s->G belongs to it. Returns |G| at the new theta, or infinity: no step makes
// it less. The factor of an earlier iterate is good enough while G falls fast: that costs a fraction of a new one.
// `ended`: a projection on the way is near enough, and nothing was evaluated at the new theta. What such steps leave is
// a fraction `rate` of their length.
static double project_iterate(nmdp *s, const double *w, double size, double *theta, double rate,
                              bool *ended)
{
    size_t bytes = (size_t)s->n * sizeof *theta;
    bool zeroth = s->settings->nmdp.gradient == PAWL_NMDP_ZEROTH;
    double fast = zeroth ? project_zeroth_gain : project_gain;
    project_keep(s, theta);
    if (s->factored) {
        pawl_nmdp_newton_direction(s);
        if (s->unplaced && s->loose > 0.0 && rate * project_norm(s->direction, s->n) <= s->loose) {
            project_step(s, 1.0, theta);
            *ended = true;
            return size; // of before
        }
        double reached = project_move(s, w, 1.0, theta);
        if (reached <= fast * size) {
            return reached;
        }
        if (!(reached < size)) {
            memcpy(theta, s->start, bytes);
            memcpy(s->lambda, s->start_lambda, (size_t)s->loop_rows * sizeof *s->lambda);
        }
        project_keep(s, theta);
    }
    size = pawl_nmdp_balance(s, theta, w, s->G, s->matrix);
    if (!isfinite(size) || !pawl_nmdp_factor(s)) {
        return INFINITY;
    }
    pawl_nmdp_newton_direction(s);
    double length = 1.0;
    for (int halving = 0; halving < PROJECT_HALVINGS; ++halving, length /= 1.5) {
        double reached = project_move(s, w, length, theta);
        if (reached < size) {
            // A step that had to be cut says that the derivative changes: it is computed again.
            s->factored = halving == 0 || zeroth;
            return reached;
        }
    }
    return INFINITY;
}

// G and its derivative where the stage begins: without contacts both are known from the masses of K.
static double project_first(nmdp *s, const double *theta, const double *w)
{
    if (!s->free_known) {
        return pawl_nmdp_balance(s, theta, w, s->G, s->matrix);
    }
    s->free_known = false;
    memcpy(s->G, s->free_G, (size_t)s->n * sizeof *s->G);
    pawl_tree_load_clear(&s->load);
    pawl_nmdp_add_contacts(s, w, s->settings->nmdp.gradient == PAWL_NMDP_FIRST, s->matrix);
    pawl_tree_load_gather(&s->load, s->G, s->matrix);
    pawl_nmdp_add_friction(s, w, s->G);
    return fmax(project_norm(s->G, s->n), pawl_nmdp_loop_error(s));
}

// With the modes of actuators as they are.
static bool project_newton(nmdp *s, const double *w, double *theta)
{
    double size =
        s->factored ? pawl_nmdp_balance(s, theta, w, s->G, NULL) : project_first(s, theta, w);
    double last = INFINITY, rate = project_gain, before = INFINITY;
    bool ended = false;
    if (!isfinite(size) || (!s->factored && !pawl_nmdp_factor(s))) {
        return false;
    }
    for (int k = 0; k < PROJECT_ITERATIONS; ++k) {
        double tolerance = project_tolerance(s->factor_size, theta, s->n);
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
        size = project_iterate(s, w, size, theta, rate, &ended);
        double length = project_norm(s->direction, s->n);
        s->first_correction = k == 0 ? length : s->first_correction;
        if (!isfinite(size) || ended) {
            return ended;
        }
        rate = fmax(project_gain, length / before);
        before = length;
        if (s->loose > 0.0 && length <= s->loose) {
            return true;
        }
    }
    return false;
}

// The moment of pbd's I on a rotated link decreases beyond 90 degrees and is zero at 180: G = 0 has roots at which
// links are turned over, with an unexplained gain of energy. There I and the forces of joints are not convex without
// the contacts, which may hold anything. A step so long that the true root is like that, too, is divided (Algorithm
// 2). The links are placed at theta.
static bool project_is_least(nmdp *s, const double *theta)
{
    if (!nmdp_in_space(s) || pawl_nmdp_links_hold(s)) {
        return true;
    }
    size_t n = (size_t)s->n;
    memset(s->start, 0, n * sizeof *s->start); // G of these alone, not needed
    memset(s->matrix, 0, n * n * sizeof *s->matrix);
    pawl_tree_load_clear(&s->load);
    pawl_nmdp_add_inertia(s, theta, s->start, s->matrix);
    pawl_nmdp_add_forces(s, theta, s->start, s->matrix);
    pawl_tree_load_gather(&s->load, s->start, s->matrix);
    pawl_nmdp_prescribe(s, theta, s->start, s->matrix);
    return pawl_nmdp_is_definite(s->matrix, s->n);
}

// theta is start and result; s->G belongs to the result. False: no convergence, and theta is of no use. Where the
// solution contradicts the modes of actuators, they are corrected, first all at once and then one by one.
bool pawl_nmdp_project(nmdp *s, const double *w, double *theta)
{
    for (int round = 0; round < PROJECT_ROUNDS; ++round) {
        if (!project_newton(s, w, theta)) {
            return false;
        }
        if (pawl_nmdp_update_saturation(s, theta, round >= PROJECT_TOGETHER) == 0) {
            return project_is_least(s, theta);
        }
        s->factored = false;
    }
    return false;
}
