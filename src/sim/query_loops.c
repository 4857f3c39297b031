// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Inverse dynamics with loops. The joints outside the tree are rows L v = 0, and L a + L' v = 0 must hold for the
// accelerations. Then M a + c = tau + LT y for any y: the smallest tau has no component in the row space of L. An
// orthonormal basis of that space is computed by Gram-Schmidt, applied twice; rows whose new component is less than
// loop.tolerance of their length are redundant and dropped, as in the solver.
//
// L' v is a central difference of L v along v with theta'' = 0, which is exact to about 1e-9.
#include "sim/query.h"
#include <string.h>

static const double loops_difference = 1e-5; // of the fastest coordinate [rad or m]
static const double loops_allowed = 1e-6;    // residual of the loops, relative to their terms

// Places the rows where the tree is and writes their rates for the rates of the tree.
static void loops_rates(pawl_query *q, const reduced_config *config, double time, double *out)
{
    pawl_reduced_place(q->motion, config, time);
    pawl_reduced_move(q->motion, q->rate);
    pawl_reduced_write_bodies(q->motion, true, q->bodies);
    pawl_assembly_place(q->rows, q->bodies, q->coordinates, time, 0.0);
    pawl_assembly_build_closure(q->rows);
    for (int i = 0; i < q->live.of->body_count; ++i) {
        const body_state *b = &q->bodies[i];
        const double u[6] = {b->v.x, b->v.y, b->v.z, b->w.x, b->w.y, b->w.z};
        memcpy(q->twists + 6 * i, u, sizeof u);
    }
    pawl_assembly_row_velocity(q->rows, q->twists, out);
}

// L' v into `ahead`. Leaves motion and rows placed at the state.
static void loops_bias(pawl_query *q)
{
    int nv = q->tree->column_count;
    double fastest = 0.0;
    for (int k = 0; k < nv; ++k) {
        fastest = max_of(fastest, fabs(q->rate[k]));
    }
    double step = fastest > 0.0 ? loops_difference / fastest : 0.0;
    for (int side = 0; side < 2 && step > 0.0; ++side) {
        double t = side == 0 ? step : -step;
        pawl_reduced_config_copy(q->tree, &q->config, &q->moved);
        for (int k = 0; k < nv; ++k) {
            q->moved.theta[k] += t * q->rate[k];
        }
        loops_rates(q, &q->moved, q->time + t, side == 0 ? q->ahead : q->behind);
    }
    for (int r = 0; r < q->rows->free_rows && step > 0.0; ++r) {
        q->ahead[r] = (q->ahead[r] - q->behind[r]) / (2.0 * step);
    }
    loops_rates(q, &q->config, q->time, q->behind);
    if (step == 0.0) {
        memset(q->ahead, 0, (size_t)q->rows->free_rows * sizeof *q->ahead);
    }
}

// Row r of block b as a row over the velocities of the tree.
static void loops_row(pawl_query *q, const row_block *b, int r, double *out)
{
    int nv = q->tree->column_count;
    memset(out, 0, (size_t)nv * sizeof *out);
    for (int s = 0; s < b->body_count; ++s) {
        const double *g = q->rows->J + b->jacobian[s] + 6 * r;
        pawl_reduced_jacobian(q->motion, q->tree->link_of_body[b->body[s]], q->bodies[b->body[s]].r,
                              q->jacobian);
        for (int i = 0; i < 6; ++i) {
            for (int k = 0; k < nv; ++k) {
                out[k] += g[i] * q->jacobian[i * nv + k];
            }
        }
    }
}

static double loops_dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; ++k) {
        sum += a[k] * b[k];
    }
    return sum;
}

// Whether the accelerations keep row r, whose Jacobian is `row`.
// Accelerations that open a loop belong to no motion, and no force would produce them: refused, with the joint.
static pawl_status loops_check(const pawl_query *q, int r, const double *row,
                               const double *acceleration)
{
    int nv = q->tree->column_count;
    double miss = q->ahead[r], scale = fabs(q->ahead[r]);
    for (int k = 0; k < nv; ++k) {
        miss += row[k] * acceleration[k];
        scale += fabs(row[k] * acceleration[k]);
    }
    if (fabs(miss) <= loops_allowed * (1.0 + scale)) {
        return PAWL_OK;
    }
    return PAWL_FAIL(&q->env, PAWL_BAD_ARGUMENT,
                     "accelerations that open joint '%s' of a loop at %.3g m/s^2 or rad/s^2; "
                     "expected accelerations that all loops allow",
                     q->live.of->joints[q->rows->rows[r].owner].name, miss);
}

// tau (nv) loses its part in the row space of L. q->loop (rows x nv) gets the orthonormal basis, as far as rows
// are independent. The second pass of Gram-Schmidt removes what rounding of the first has left.
pawl_status pawl_query_close_loops(pawl_query *q, const double *acceleration, double *tau)
{
    int nv = q->tree->column_count, count = 0;
    double tolerance = max_of(pawl_settings_default().loop.tolerance, 1e-12);
    loops_bias(q);
    for (int k = 0; k < q->rows->free_blocks; ++k) {
        const row_block *b = &q->rows->blocks[k];
        for (int i = 0; i < b->rows.dim; ++i) {
            int r = b->rows.first_row + i;
            const row_info *info = &q->rows->rows[r];
            if (info->coordinate >= 0 || (info->family->traits & ROW_IS_HARD) == 0) {
                continue; // springs and drives are forces, not loops
            }
            double *row = q->loop + (size_t)count * (size_t)nv;
            loops_row(q, b, i, row);
            PAWL_TRY(loops_check(q, r, row, acceleration));
            double length = sqrt(loops_dot(row, row, nv));
            for (int pass = 0; pass < 2; ++pass) {
                for (int j = 0; j < count; ++j) {
                    const double *e = q->loop + (size_t)j * (size_t)nv;
                    double part = loops_dot(e, row, nv);
                    for (int c = 0; c < nv; ++c) {
                        row[c] -= part * e[c];
                    }
                }
            }
            double left = sqrt(loops_dot(row, row, nv));
            if (left > tolerance * length) {
                for (int c = 0; c < nv; ++c) {
                    row[c] /= left;
                }
                ++count;
            }
        }
    }
    for (int j = 0; j < count; ++j) {
        const double *e = q->loop + (size_t)j * (size_t)nv;
        double part = loops_dot(e, tau, nv);
        for (int c = 0; c < nv; ++c) {
            tau[c] -= part * e[c];
        }
    }
    return PAWL_OK;
}
