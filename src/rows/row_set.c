// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Products with the Jacobian of a set of rows: v = J u, and u += M^-1 JT lambda. The set is a whole
// assembly or one island.
#include "rows/row_set.h"
#include "linalg/by_size.h"
#include "math/lanes.h"

row_set pawl_row_set_all(const pawl_assembly *a)
{
    return (row_set){a, &a->problem, a->blocks, a->model->body_count, NULL};
}

// w += M^-1 JT x of one body of a block, whose twist is read and written once
PAWL_KERNEL_PART void row_set_push(const double *restrict row, int dim, const double *restrict x,
                                   double *restrict w)
{
    lanes low = LANES_ALL(0.0), tail = low; // columns 0 to 3 and 2 to 5
    PAWL_UNROLL
    for (int r = 0; r < dim; ++r, row += 6) {
        lanes impulse = LANES_ALL(x[r]);
        low += impulse * LANES_LOAD(row);
        tail += impulse * LANES_LOAD(row + 2);
    }
    low += LANES_LOAD(w);
    w[4] += tail[2];
    w[5] += tail[3];
    LANES_STORE(w, low);
}

PAWL_KERNEL_PART void row_set_push_all(const row_block *b, const double *rows, int dim,
                                       const double *x, double *u)
{
    for (int i = 0; i < b->body_count; ++i) {
        row_set_push(rows + b->jacobian[i], dim, x, u + 6 * b->body[i]);
    }
}

// out = J w of one body of a block, or with `add` out += J w. Two sums of three are two chains of additions, which
// processors do side by side. The order is part of the bits of every run.
PAWL_KERNEL_PART void row_set_rate(const double *restrict row, int dim, const double *restrict w,
                                   bool add, double *restrict out)
{
    for (int v = 0; v < dim; v += 4) {
        lanes c[6] = {0}, rate = LANES_ALL(0.0);
        int count = dim - v < 4 ? dim - v : 4;
        lanes_columns6(row + 6 * v, count, c);
        if (add) {
            lanes_load_first(out + v, count, &rate);
        }
        rate += (c[0] * LANES_ALL(w[0]) + c[1] * LANES_ALL(w[1]) + c[2] * LANES_ALL(w[2])) +
                (c[3] * LANES_ALL(w[3]) + c[4] * LANES_ALL(w[4]) + c[5] * LANES_ALL(w[5]));
        lanes_store_first(out + v, count, &rate);
    }
}

PAWL_KERNEL_PART void row_set_rate_all(const row_block *b, const double *J, int dim,
                                       const double *u, double *out)
{
    for (int i = 0; i < b->body_count; ++i) {
        row_set_rate(J + b->jacobian[i], dim, u + 6 * b->body[i], i > 0, out);
    }
}

// Blocks run in the order of the problem, or of a list. Sums of floating point depend on it, so it is the same for every
// solver and thread.
PAWL_KERNEL static void row_set_run_impulses(const row_block *blocks, int count, const int *list,
                                             const double *rows, const double *lambda, double *u)
{
    for (int k = 0; k < count; ++k) {
        const row_block *b = &blocks[list == NULL ? k : list[k]];
        const double *x = lambda + b->rows.first_row;
        PAWL_BY_SIZE(b->rows.dim, row_set_push_all(b, rows, N, x, u))
    }
}

void pawl_row_set_add_impulses(const row_set *s, const double *lambda, double *u)
{
    row_set_run_impulses(s->blocks, s->problem->block_count, NULL, s->a->MJ, lambda, u);
}

void pawl_row_set_add_loose_forces(const pawl_assembly *a, const double *lambda, double *force)
{
    row_set_run_impulses(a->blocks, a->loose_count, a->loose, a->J, lambda, force);
}

PAWL_KERNEL static void row_set_run_velocity(const row_block *blocks, int count, const int *list,
                                             const double *J, const double *u, double *v)
{
    for (int k = 0; k < count; ++k) {
        const row_block *b = &blocks[list == NULL ? k : list[k]];
        double *out = v + b->rows.first_row;
        for (int r = 0; r < b->rows.dim && b->body_count == 0; ++r) {
            out[r] = 0.0;
        }
        PAWL_BY_SIZE(b->rows.dim, row_set_rate_all(b, J, N, u, out))
    }
}

// v (rows of the problem) is overwritten; rows of blocks without bodies get 0.
void pawl_row_set_velocity(const row_set *s, const double *u, double *v)
{
    row_set_run_velocity(s->blocks, s->problem->block_count, NULL, s->a->J, u, v);
}

void pawl_row_set_loose_velocity(const pawl_assembly *a, const double *u, double *v)
{
    row_set_run_velocity(a->blocks, a->loose_count, a->loose, a->J, u, v);
}
