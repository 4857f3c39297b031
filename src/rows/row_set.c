// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Products with the Jacobian of a set of rows: v = J u, and u += M^-1 JT lambda. The set is a whole
// assembly or one island.
#include "rows/row_set.h"

row_set pawl_row_set_all(const pawl_assembly *a)
{
    return (row_set){a, &a->problem, a->blocks, a->model->body_count, NULL};
}

// u += M^-1 JT lambda, block by block. The loop over rows is inside that over bodies: each body's twist is read and
// written once a block.
void pawl_row_set_add_impulses(const row_set *s, const double *lambda, double *u)
{
    for (int k = 0; k < s->problem->block_count; ++k) {
        const row_block *b = &s->blocks[k];
        const double *x = lambda + b->rows.first_row;
        for (int i = 0; i < b->body_count; ++i) {
            const double *row = s->a->MJ + b->jacobian[i];
            double sum[6] = {0}; // kept in registers over the rows
            for (int r = 0; r < b->rows.dim; ++r, row += 6) {
                for (int c = 0; c < 6; ++c) {
                    sum[c] += x[r] * row[c];
                }
            }
            double *w = u + 6 * b->body[i];
            for (int c = 0; c < 6; ++c) {
                w[c] += sum[c];
            }
        }
    }
}

void pawl_row_set_velocity(const row_set *s, const double *u, double *v)
{
    for (int k = 0; k < s->problem->block_count; ++k) {
        const row_block *b = &s->blocks[k];
        double *out = v + b->rows.first_row;
        for (int r = 0; r < b->rows.dim; ++r) {
            out[r] = 0.0;
        }
        for (int i = 0; i < b->body_count; ++i) {
            const double *w = u + 6 * b->body[i];
            const double *row = s->a->J + b->jacobian[i];
            for (int r = 0; r < b->rows.dim; ++r, row += 6) {
                // Two sums of three are two chains of additions, which processors do side by side. The order is part
                // of the bits of every run.
                out[r] += (row[0] * w[0] + row[1] * w[1] + row[2] * w[2]) +
                          (row[3] * w[3] + row[4] * w[4] + row[5] * w[5]);
            }
        }
    }
}
