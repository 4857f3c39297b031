// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The step of `mdp` (NMDP's baseline NE-MDP, eq. 3 with the sign of C corrected): inertia, Coriolis forces and
// contact vertices at the beginning of the step, so that the coordinates at its end are linear in the weights,
//   H (theta - theta_ - h theta'_)/h^2 + C - tau - JT v w = 0,   K = 1/2 sum |J (theta - theta_)|^2/h^2,
// and one quadratic program finds them. With mdp.pd=explicit, as published, controllers, springs and dampers are
// evaluated at the beginning of the step, which is unstable with large steps; with mdp.pd=stable those of joints act
// at its end, so that H becomes H + h D + h^2 P.
#include "step/mdp/linear_step.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "tree/articulated.h"
#include <string.h>

static const double linear_shift = 1e-8; // of weights that nothing else decides [m^2/s^2]

// G without contacts where nothing accelerates, at theta; and dG/dtheta in matrix.
// theta becomes the free motion theta_ + h theta'_, about which everything is linear.
static void linear_pose(nmdp *s, double h, double *theta)
{
    size_t n = (size_t)s->n, bytes = n * sizeof(double);
    bool stable = s->settings->mdp.pd == PAWL_MDP_STABLE;
    memset(s->G, 0, bytes);
    memset(s->matrix, 0, n * bytes);
    memset(s->acceleration, 0, bytes);
    // Forces use the rate (X - X^)/h, which is that of the beginning of the step at either end.
    for (int i = 0; i < s->numbers; ++i) {
        s->stage.place.theta[i] = s->begin.theta[i] - h * s->begin_rate.theta[i];
    }
    for (int k = 0; k < s->n; ++k) {
        theta[k] = s->begin.theta[k] + h * s->begin_rate.theta[k];
        s->stage.place.theta[k] = stable ? s->begin.theta[k] : s->stage.place.theta[k];
    }
    pawl_tree_load_clear(&s->load);
    pawl_nmdp_guess_saturation(s, stable ? theta : s->begin.theta);
    pawl_nmdp_add_forces(s, stable ? theta : s->begin.theta, s->G, stable ? s->matrix : NULL);
    pawl_tree_load_gather(&s->load, s->G, NULL);
    pawl_reduced_move(s->motion, s->begin_rate.theta);
    pawl_reduced_inverse_dynamics(s->motion, s->acceleration, s->step);
    pawl_reduced_inertia_dense(s->motion, s->inertia);
    for (size_t k = 0; k < n; ++k) {
        s->G[k] += s->step[k];
        for (size_t j = 0; j < n; ++j) {
            s->matrix[k * n + j] += s->inertia[k * n + j] / (h * h);
        }
    }
    pawl_nmdp_add_armature(s, NULL, NULL, s->matrix);
}

// A bound of how far contact points are from where the best weights would take them over the step: the
// duality gap of the program over its simplices, K(x) - K(x*) <= gap, and half the square of the
// difference of velocities is at most that. s->g is still dK/dw at x = 0.
static double linear_left(const nmdp *s)
{
    double gap = 0.0;
    for (int g = 0; g < s->group_count; ++g) {
        double least = 0.0; // the empty corner of the simplex
        for (int i = s->group_begin[g]; i < s->group_begin[g + 1]; ++i) {
            const double *row = s->Q + (size_t)i * (size_t)s->used_count;
            double slope = s->g[i] + pawl_dot(row, s->x, s->used_count) + linear_shift * s->x[i];
            gap += slope * s->x[i];
            least = fmin(least, slope);
        }
        gap -= least;
    }
    return s->stage.h * sqrt(2.0 * fmax(gap, 0.0));
}

// w of the touching points, and theta with their forces.
static bool linear_choose(nmdp *s, double *theta)
{
    for (int i = 0; i < s->points; ++i) {
        bool all = s->settings->nmdp.energy == PAWL_NMDP_ENERGY_CONTACT;
        s->point[i].counted = all;
        for (int k = 0; k < s->points && !all; ++k) { // links count with all their points
            bool touches = s->point[k].touching && s->point[k].link == s->point[i].link;
            s->point[i].counted = s->point[i].counted || touches;
        }
    }
    pawl_nmdp_energy(s, s->begin.theta, s->gradient, s->hessian);
    for (int k = 0; k < s->n; ++k) {
        s->step[k] = theta[k] - s->begin.theta[k];
    }
    for (int k = 0; k < s->n; ++k) {
        s->gradient[k] += pawl_dot(s->hessian + (size_t)k * (size_t)s->n, s->step, s->n);
    }
    pawl_nmdp_pose_program(s);
    int m = s->used_count;
    for (int i = 0; i < m; ++i) {
        s->x[i] = s->w[s->used[i]];
    }
    simplex_qp_problem problem = {.n = m,
                                  .group_count = s->group_count,
                                  .group_begin = s->group_begin,
                                  .Q = s->Q,
                                  .c = s->g,
                                  .shift = linear_shift};
    simplex_qp_result result = pawl_simplex_qp_solve(&s->qp, &problem, true, s->x);
    s->counts.qp += result.iterations;
    s->counts.left = linear_left(s);
    s->counts.gap = 0.5 * (s->counts.left / s->stage.h) * (s->counts.left / s->stage.h);
    memset(s->w, 0, (size_t)s->weights * sizeof *s->w);
    for (int i = 0; i < m; ++i) {
        s->w[s->used[i]] = s->x[i];
    }
    for (int k = 0; k < s->n; ++k) {
        theta[k] += pawl_dot(s->slope + (size_t)k * (size_t)m, s->x, m);
    }
    return result.solved;
}

// One Newton step on the free motion from the start, then one quadratic program for the weights of the contact
// forces: everything is linearized where the step begins, so it is explicit in the geometry and needs steps that are
// small against it.
bool pawl_linear_step(nmdp *s, pawl_state *state, double end)
{
    double h = end - state->time;
    s->counts = (nmdp_counts){.outer = 1, .newton = 1, .parts = 1};
    pawl_nmdp_read_state(s, state);
    s->stage.h = h;
    s->stage.end = s->stage.target_time = state->time;
    pawl_nmdp_read_targets(s);
    memcpy(s->stage.place.theta, s->begin.theta, (size_t)s->numbers * sizeof(double));
    memcpy(s->stage.rate.theta, s->begin_rate.theta, (size_t)s->numbers * sizeof(double));
    pawl_nmdp_aim(s);
    pawl_nmdp_place(s, s->begin.theta, false);
    linear_pose(s, h, s->theta);
    memcpy(s->factor, s->matrix, (size_t)s->n * (size_t)s->n * sizeof *s->factor);
    if (!pawl_lu_factor(s->factor, s->n, s->pivot)) {
        return false;
    }
    pawl_lu_solve(s->factor, s->n, s->pivot, s->G);
    for (int k = 0; k < s->n; ++k) {
        s->theta[k] -= s->G[k];
    }
    memcpy(s->stage.place.theta, s->begin.theta, (size_t)s->numbers * sizeof(double));
    for (int k = 0; k < s->n * s->n; ++k) { // K's own masses are those of this step
        s->metric[k] = s->matrix[k] / pawl_nmdp_mass(s);
    }
    if (!pawl_nmdp_columns(s) || !linear_choose(s, s->theta)) {
        return false;
    }
    if (s->settings->mdp.pd == PAWL_MDP_STABLE) { // efforts as they have become
        pawl_nmdp_guess_saturation(s, s->theta);
        pawl_nmdp_add_forces(s, s->theta, s->G, NULL);
    }
    pawl_nmdp_keep_contacts(s);
    memcpy(s->config.theta, s->theta, (size_t)s->n * sizeof *s->theta);
    pawl_reduced_place(s->motion, &s->config, end);
    pawl_nmdp_read_place(s, &s->now);
    for (int i = 0; i < s->numbers; ++i) {
        s->now_rate.theta[i] = (s->now.theta[i] - s->begin.theta[i]) / h;
    }
    pawl_nmdp_count_work(s, 1.0, state->work);
    pawl_nmdp_count_loss(s, state->work);
    s->counts.limit_correction = pawl_nmdp_limit_correction(s);
    memcpy(s->begin_rate.theta, s->now_rate.theta, (size_t)s->numbers * sizeof(double));
    pawl_reduced_recentre(s->tree, &s->config, s->begin_rate.theta);
    pawl_nmdp_write_state(s, state);
    return true;
}
