// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "solve/sweep.h"
#include "linalg/dense.h"
#include "math/vec.h"
#include "problem/natural.h"
#include "solve/contact_local.h"

sweeper pawl_sweeper_layout(int max_rows, int max_blocks, int max_block_dim, pawl_carver *mem)
{
    size_t dim = (size_t)max_block_dim;
    return (sweeper){.factors = PAWL_CARVE(mem, double, dim *dim *(size_t)max_blocks),
                     .inverse_d = PAWL_CARVE(mem, double, max_rows),
                     .change = PAWL_CARVE(mem, double, max_block_dim),
                     .dim = max_block_dim};
}

static bool sweep_is_contact(const pawl_problem *p, int block)
{
    return block >= p->block_count - p->contact_count;
}

// Factors of the diagonal blocks; of contacts the block itself.
void pawl_sweep_begin(sweeper *s, const pawl_problem *p, const double *lambda)
{
    int dim = s->dim;
    for (int k = 0; k < p->block_count; ++k) {
        problem_block b = p->blocks[k];
        double *f = s->factors + k * dim * dim;
        p->delassus->ops->block(p->delassus, k, f);
        for (int r = 0; r < b.dim; ++r) {
            f[r * b.dim + r] += p->compliance[b.first_row + r];
        }
        if (!sweep_is_contact(p, k)) {
            pawl_ldl_factor(f, b.dim, b.dim, 1e-12, NULL, s->inverse_d + b.first_row);
        }
    }
    p->delassus->ops->sweep_begin(p->delassus, lambda);
}

// The change of a contact's impulse x for its velocity v; returns it in units of velocity.
static double sweep_contact(sweep_local local, const double D[9], const double v[3], double mu,
                            const double x[3], double dx[3])
{
    double fresh[3] = {x[0], x[1], x[2]}, worst = 0.0;
    if (local == SWEEP_NCP_STEP) {
        pawl_contact_ncp_step(D, v, mu, fresh);
    } else {
        double without[3]; // the velocity if this contact did nothing
        for (int r = 0; r < 3; ++r) {
            without[r] = v[r] - (D[3 * r] * x[0] + D[3 * r + 1] * x[1] + D[3 * r + 2] * x[2]);
        }
        pawl_contact_exact(D, without, mu, fresh);
    }
    for (int r = 0; r < 3; ++r) {
        dx[r] = fresh[r] - x[r];
        worst = max_of(worst, D[4 * r] * fabs(dx[r]));
    }
    return worst;
}

// v of block k, for the newest impulses.
static void sweep_velocity(const pawl_problem *p, int k, const double *lambda, double *v)
{
    problem_block b = p->blocks[k];
    p->delassus->ops->sweep_velocity(p->delassus, k, v);
    for (int r = b.first_row; r < b.first_row + b.dim; ++r) {
        v[r - b.first_row] += p->compliance[r] * lambda[r] + p->v_f[r];
    }
}

// A bounded row's change, for its velocity v; returns it in units of velocity. A row that nothing
// moves goes where v pushes it.
static double sweep_bounded(double lower, double upper, double inverse_d, double v, double x,
                            double *dx)
{
    double wanted = inverse_d > 0.0              ? x - v * inverse_d
                    : v > 0.0 && isfinite(lower) ? lower
                    : v < 0.0 && isfinite(upper) ? upper
                                                 : x;
    wanted = fmin(fmax(wanted, lower), upper);
    *dx = wanted - x;
    return inverse_d > 0.0 ? fabs(*dx) / inverse_d : 0.0;
}

// One sweep over all blocks; returns the largest velocity found wanting.
double pawl_sweep(sweeper *s, const pawl_problem *p, sweep_local local, double *lambda)
{
    int dim = s->dim;
    pawl_delassus *d = p->delassus;
    double worst = 0.0;
    for (int k = 0; k < p->block_count; ++k) {
        problem_block b = p->blocks[k];
        double *x = lambda + b.first_row, *dx = s->change;
        const double *f = s->factors + k * dim * dim;
        const double *inverse_d = s->inverse_d + b.first_row;
        sweep_velocity(p, k, lambda, dx);
        if (sweep_is_contact(p, k)) {
            int contact = k - (p->block_count - p->contact_count);
            double v[3] = {dx[0], dx[1], dx[2]};
            worst = max_of(worst, sweep_contact(local, f, v, p->friction[contact], x, dx));
        } else if (k < p->free_block_count) {
            for (int r = 0; r < b.dim; ++r) {
                worst = max_of(worst, fabs(dx[r]));
                dx[r] = -dx[r];
            }
            pawl_ldl_solve(f, b.dim, b.dim, inverse_d, dx);
        } else {
            worst = max_of(worst, sweep_bounded(p->lower[b.first_row], p->upper[b.first_row],
                                                inverse_d[0], dx[0], x[0], dx));
        }
        for (int r = 0; r < b.dim; ++r) {
            x[r] += dx[r];
        }
        d->ops->sweep_add(d, k, dx);
    }
    return worst;
}

double pawl_sweep_natural(sweeper *s, const pawl_problem *p, const double *weight,
                          const double *lambda)
{
    double worst = 0.0, *v = s->change;
    for (int k = 0; k < p->block_count; ++k) {
        problem_block b = p->blocks[k];
        int i = b.first_row;
        sweep_velocity(p, k, lambda, v);
        if (sweep_is_contact(p, k)) {
            int contact = k - (p->block_count - p->contact_count);
            worst =
                max_of(worst, pawl_natural_contact(lambda + i, v, p->friction[contact], weight[i]));
        } else if (k >= p->free_block_count) {
            worst = max_of(
                worst, pawl_natural_bounded(lambda[i], v[0], p->lower[i], p->upper[i], weight[i]));
        } else {
            for (int r = 0; r < b.dim; ++r) {
                worst = max_of(worst, fabs(v[r]));
            }
        }
    }
    return worst;
}
