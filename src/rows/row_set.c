// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Products with the Jacobian of a set of rows: v = J u, and u += M^-1 JT lambda. The set is a whole
// assembly or one island.
#include "rows/row_set.h"
#include "base/kernel.h"
#include "linalg/by_size.h"

row_set pawl_row_set_all(const pawl_assembly *a)
{
    return (row_set){a, &a->problem, a->blocks, a->model->body_count, NULL};
}

// w += M^-1 JT x of one body of a block, whose twist is read and written once
PAWL_KERNEL_PART void row_set_push(const double *restrict row, int dim, const double *restrict x,
                                   double *restrict w)
{
    double sum[6] = {0}; // kept in registers over the rows
    for (int r = 0; r < dim; ++r) {
        for (int c = 0; c < 6; ++c) {
            sum[c] += x[r] * row[6 * r + c];
        }
    }
    for (int c = 0; c < 6; ++c) {
        w[c] += sum[c];
    }
}

// out += J w of one body of a block
PAWL_KERNEL_PART void row_set_rate(const double *restrict row, int dim, const double *restrict w,
                                   double *restrict out)
{
    for (int r = 0; r < dim; ++r, row += 6) {
        // Two sums of three are two chains of additions, which processors do side by side. The order is part of the
        // bits of every run.
        out[r] += (row[0] * w[0] + row[1] * w[1] + row[2] * w[2]) +
                  (row[3] * w[3] + row[4] * w[4] + row[5] * w[5]);
    }
}

// Blocks run in the order of the problem. Sums of floating point depend on it, so it is the same for every solver
// and thread.
PAWL_KERNEL static void row_set_run_impulses(const row_set *s, const double *rows,
                                             const double *lambda, double *u)
{
    for (int k = 0; k < s->problem->block_count; ++k) {
        const row_block *b = &s->blocks[k];
        const double *x = lambda + b->rows.first_row;
        for (int i = 0; i < b->body_count; ++i) {
            PAWL_BY_SIZE(b->rows.dim, row_set_push(rows + b->jacobian[i], N, x, u + 6 * b->body[i]))
        }
    }
}

void pawl_row_set_add_impulses(const row_set *s, const double *lambda, double *u)
{
    row_set_run_impulses(s, s->a->MJ, lambda, u);
}

void pawl_row_set_add_forces(const row_set *s, const double *lambda, double *force)
{
    row_set_run_impulses(s, s->a->J, lambda, force);
}

PAWL_KERNEL static void row_set_run_velocity(const row_set *s, const double *u, double *v)
{
    const double *J = s->a->J;
    for (int k = 0; k < s->problem->block_count; ++k) {
        const row_block *b = &s->blocks[k];
        double *out = v + b->rows.first_row;
        for (int r = 0; r < b->rows.dim; ++r) {
            out[r] = 0.0;
        }
        for (int i = 0; i < b->body_count; ++i) {
            PAWL_BY_SIZE(b->rows.dim, row_set_rate(J + b->jacobian[i], N, u + 6 * b->body[i], out))
        }
    }
}

// v (rows of the problem) is overwritten; rows of blocks without bodies get 0.
void pawl_row_set_velocity(const row_set *s, const double *u, double *v)
{
    row_set_run_velocity(s, u, v);
}
