// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// M^-1 JT in maximal coordinates, with the inertias of the bodies and the damping of the step. D = J M^-1 JT is never
// formed here. MJ holds (M^-1 JT)T row by row in the layout of J, so that impulses are applied by sums over blocks,
// and an entry of D is a product of a row of J with one of MJ. inverse_mass and inverse_inertia already contain the
// damping of the step (assembly.c).
#include "math/lanes.h"
#include "rows/assembly.h"
#include "rows/row_build.h"
#include "rows/row_set.h"

// Up to four rows at a time.
PAWL_KERNEL_PART void body_metric_scale_rows(const double *row, int count, double s,
                                             const pawl_mat3 *inertia, double turn, double *out)
{
    lanes j[6] = {0}, w[3];
    lanes_columns6(row, count, j);
    for (int i = 0; i < 3; ++i) {
        const double *m = inertia->m[i];
        w[i] = LANES_ALL(m[0]) * j[3] + LANES_ALL(m[1]) * j[4] + LANES_ALL(m[2]) * j[5];
        w[i] = LANES_ALL(turn) * w[i];
        j[i] = LANES_ALL(s) * j[i];
    }
    lanes head[4] = {j[0], j[1], j[2], w[0]}, tail[4] = {j[2], w[0], w[1], w[2]};
    lanes_transpose(head);
    lanes_transpose(tail);
    for (int r = 0; r < count; ++r) { // columns 0 to 3 and 2 to 5
        LANES_STORE(out + 6 * r, head[r]);
        LANES_STORE(out + 6 * r + 2, tail[r]);
    }
}

// The inverse inertia of point masses is 0, so the effect of a row on their orientation vanishes here and in D.
PAWL_KERNEL static void body_metric_run_scale(pawl_assembly *a, const row_block *b)
{
    for (int k = 0; k < b->body_count; ++k) {
        int body = b->body[k];
        double s = a->inverse_mass[body];
        const pawl_mat3 *inertia = &a->inverse_inertia[body];
        for (int r = 0; r < b->rows.dim; r += 4) {
            int count = b->rows.dim - r < 4 ? b->rows.dim - r : 4;
            body_metric_scale_rows(a->J + b->jacobian[k] + 6 * r, count, s, inertia,
                                   a->inertia_scale, a->MJ + b->jacobian[k] + 6 * r);
        }
    }
}

static void body_metric_scale_block(row_metric *metric, pawl_assembly *a, const row_block *b)
{
    (void)metric;
    body_metric_run_scale(a, b);
}

static double body_metric_diagonal(const row_metric *metric, const pawl_assembly *a,
                                   const row_block *b, int r)
{
    (void)metric;
    double sum = 0.0;
    for (int k = 0; k < b->body_count; ++k) {
        const double *row = pawl_row_jacobian(a, b, k, r), *scaled = a->MJ + b->jacobian[k] + 6 * r;
        for (int i = 0; i < 6; ++i) {
            sum += row[i] * scaled[i];
        }
    }
    return sum;
}

static void body_metric_add_impulses(row_metric *metric, const pawl_assembly *a,
                                     const double *lambda, double *u)
{
    (void)metric;
    row_set all = pawl_row_set_all(a);
    pawl_row_set_add_impulses(&all, lambda, u);
}

// Spin rows have no linear part: entries 3 to 5 are all there is to turn.
static void body_metric_turn_pair(row_metric *metric, pawl_assembly *a, int row, double c, double s)
{
    (void)metric;
    const row_block *first = pawl_bounded_block(a, row), *second = pawl_bounded_block(a, row + 1);
    for (int k = 0; k < first->body_count; ++k) {
        for (int i = 3; i < 6; ++i) {
            pawl_turn_pair(a->MJ + first->jacobian[k] + i, a->MJ + second->jacobian[k] + i, c, s);
        }
    }
}

static const row_metric_ops body_metric_ops = {
    .scale_block = body_metric_scale_block,
    .diagonal = body_metric_diagonal,
    .add_impulses = body_metric_add_impulses,
    .turn_pair = body_metric_turn_pair,
};
row_metric pawl_body_metric = {&body_metric_ops};
