// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Gauss-Seidel sweeps over the blocks of a problem (Algorithm 5 of [tsounis-loops]): each block is
// solved for the newest impulses of the others. Free blocks use their factor, bounded rows are
// clamped, contacts use the local solver of the method.
#include "solve/sweep.h"
#include "linalg/cone.h"
#include "linalg/dense.h"
#include "math/vec.h"
#include "problem/natural.h"
#include "solve/contact_local.h"
#include "solve/contact_nb.h"
#include <string.h>

// PROX: a contact's step shrinks where its residual grows from one sweep to the next, and recovers
// where it falls.
static const double sweep_prox_shrink = 0.9, sweep_prox_grow = 1.2;
static const double sweep_prox_least = 0.05, sweep_prox_most = 1.0; // of the NCP projector's step

// factors: (max_blocks x dim x dim). change: the change of one block and behind it a copy of its velocity. memory: two
// numbers a block, for PROX.
sweeper pawl_sweeper_layout(int max_rows, int max_blocks, int max_block_dim, pawl_carver *mem)
{
    size_t dim = (size_t)max_block_dim;
    return (sweeper){.factors = PAWL_CARVE(mem, double, dim *dim *(size_t)max_blocks),
                     .inverse_d = PAWL_CARVE(mem, double, max_rows),
                     .change = PAWL_CARVE(mem, double, 2 * max_block_dim),
                     .memory = PAWL_CARVE(mem, double, 2 * max_blocks),
                     .dim = max_block_dim};
}

// Contacts are the last blocks of a problem.
static int sweep_contact_of(const pawl_problem *p, int block)
{
    return block - (p->block_count - p->contact_count); // negative: none
}

// Factors of the diagonal blocks; of contacts the block itself.
// `inverse_d` of a bounded row is 1 / (D_ii + R_i), or 0 where nothing moves it, since a 1 x 1 factor is its inverse.
// A contact keeps its 3 x 3 block unfactored because the local laws need its entries.
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
        if (sweep_contact_of(p, k) < 0) {
            pawl_ldl_factor(f, b.dim, b.dim, 1e-12, NULL, s->inverse_d + b.first_row);
        }
        s->memory[2 * k] = 1.0;
        s->memory[2 * k + 1] = INFINITY;
    }
    s->relaxation = 1.0;
    s->literal = false;
    s->descent = s->work = 0.0;
    p->delassus->ops->sweep_begin(p->delassus, lambda);
}

// memory: the share of the NCP projector's step, and the residual that the last sweep found.
static void sweep_prox(const double D[9], const double z[3], double mu, double memory[2],
                       double x[3])
{
    double r[2], old[3] = {x[0], x[1], x[2]}, residual = 0.0;
    pawl_contact_ncp_lengths(D, r);
    r[0] *= memory[0];
    r[1] *= memory[0];
    pawl_contact_prox_step(r, z, mu, x);
    for (int k = 0; k < 3; ++k) { // in units of velocity, whatever the step
        residual = max_of(residual, r[k / 2] > 0.0 ? fabs(x[k] - old[k]) / r[k / 2] : 0.0);
    }
    double fraction = memory[0] * (residual > memory[1] ? sweep_prox_shrink : sweep_prox_grow);
    memory[0] = fmin(fmax(fraction, sweep_prox_least), sweep_prox_most);
    memory[1] = residual;
}

// A contact's new impulse x, for its velocity z with the old one.
// z contains what the old x did; the steps (NCP, CCP, PROX) start from z, the exact laws from v without x.
static void sweep_project(sweep_local local, const double D[9], const double z[3], double mu,
                          double memory[2], double x[3])
{
    double v[3]; // the velocity if this contact did nothing
    for (int r = 0; r < 3; ++r) {
        v[r] = z[r] - (D[3 * r] * x[0] + D[3 * r + 1] * x[1] + D[3 * r + 2] * x[2]);
    }
    switch (local) {
    case SWEEP_NCP_STEP:
        pawl_contact_ncp_step(D, z, mu, x);
        break;
    case SWEEP_CCP_STEP:
        pawl_contact_ccp_step(D, z, mu, x);
        break;
    case SWEEP_PROX:
        sweep_prox(D, z, mu, memory, x);
        break;
    case SWEEP_NB_QUARTIC:
        pawl_contact_nb(D, v, 0.0, mu, CONTACT_NB_QUARTIC, x);
        break;
    case SWEEP_NB_BISECTION:
        pawl_contact_nb(D, v, 0.0, mu, CONTACT_NB_BISECTION, x);
        break;
    case SWEEP_NB_DE_SAXCE:
        pawl_contact_nb(D, v, mu * sqrt(z[0] * z[0] + z[1] * z[1]), mu, CONTACT_NB_BISECTION, x);
        break;
    case SWEEP_EXACT:
        pawl_contact_exact(D, v, mu, x);
        break;
    }
}

static bool sweep_is_step(sweep_local local)
{
    return local == SWEEP_NCP_STEP || local == SWEEP_CCP_STEP;
}

// Algorithms 2 and 3 of [tsounis-loops] as printed. CCP: with De Saxce's term, as its Table I has it, and a step of
// 3 / tr D, which may be too long. NCP: the tangents' step is one over the smaller of their diagonal entries.
static void sweep_project_literally(sweep_local local, const double D[9], const double z[3],
                                    double mu, double x[3])
{
    if (local == SWEEP_NCP_STEP) {
        double least = fmin(D[0], D[4]);
        const double r[2] = {least > 0.0 ? 1.0 / least : 0.0, D[8] > 0.0 ? 1.0 / D[8] : 0.0};
        pawl_contact_prox_step(r, z, mu, x);
        return;
    }
    double trace = D[0] + D[4] + D[8], step = trace > 0.0 ? 3.0 / trace : 0.0;
    x[0] -= step * z[0];
    x[1] -= step * z[1];
    x[2] -= step * (z[2] + mu * sqrt(z[0] * z[0] + z[1] * z[1]));
    pawl_cone_project(x, mu);
}

// The change dx of a contact's impulse x, which holds its velocity on entry; returns the change
// without relaxation in units of velocity.
// descent sums dx . (z + D dx / 2), the change of the quadratic lambda^T D lambda / 2 + lambda^T v_f. With friction
// there is no such function to minimize, but solvers that stop by energy need how much a sweep changed it, and `work`
// is the size against which rounding counts.
static double sweep_contact(sweeper *s, sweep_local local, const double D[9], double mu,
                            double memory[2], const double x[3], double dx[3])
{
    double z[3] = {dx[0], dx[1], dx[2]}, fresh[3] = {x[0], x[1], x[2]}, worst = 0.0;
    if (s->literal && sweep_is_step(local)) {
        sweep_project_literally(local, D, z, mu, fresh);
    } else {
        sweep_project(local, D, z, mu, memory, fresh);
    }
    for (int r = 0; r < 3; ++r) {
        worst = max_of(worst, D[4 * r] * fabs(fresh[r] - x[r]));
    }
    if (s->relaxation != 1.0) { // beyond 1 it leaves the cone, and below it may not yet be in it
        for (int r = 0; r < 3; ++r) {
            fresh[r] = x[r] + s->relaxation * (fresh[r] - x[r]);
        }
        if (!s->literal) {
            pawl_cone_project(fresh, mu);
        }
    }
    for (int r = 0; r < 3; ++r) {
        dx[r] = fresh[r] - x[r];
    }
    for (int r = 0; r < 3; ++r) {
        double response = D[3 * r] * dx[0] + D[3 * r + 1] * dx[1] + D[3 * r + 2] * dx[2];
        s->descent += dx[r] * (z[r] + 0.5 * response);
        s->work += dx[r] != 0.0 ? fabs(x[r] * z[r]) : 0.0;
    }
    return worst;
}

// The same for a block of free rows, with the factor f.
static double sweep_free(sweeper *s, const double *f, const double *inverse_d, int dim, double *dx)
{
    double worst = 0.0, work = 0.0, *v = dx + s->dim;
    for (int r = 0; r < dim; ++r) {
        worst = max_of(worst, fabs(dx[r]));
        v[r] = dx[r];
        dx[r] = -dx[r];
    }
    pawl_ldl_solve(f, dim, dim, inverse_d, dx);
    for (int r = 0; r < dim; ++r) {
        dx[r] *= s->relaxation;
        work += v[r] * dx[r];
    }
    s->descent += (1.0 - 0.5 * s->relaxation) * work; // D dx = -omega v
    return worst;
}

// And for a bounded row. A row that nothing moves goes where its velocity pushes it.
static double sweep_bounded(sweeper *s, double lower, double upper, double inverse_d, double x,
                            double *dx)
{
    double v = *dx;
    double wanted = inverse_d > 0.0              ? x - v * inverse_d
                    : v > 0.0 && isfinite(lower) ? lower
                    : v < 0.0 && isfinite(upper) ? upper
                                                 : x;
    wanted = fmin(fmax(wanted, lower), upper);
    double worst = inverse_d > 0.0 ? fabs(wanted - x) / inverse_d : 0.0;
    wanted = fmin(fmax(x + s->relaxation * (wanted - x), lower), upper);
    *dx = wanted - x;
    s->descent += *dx * (v + (inverse_d > 0.0 ? 0.5 * *dx / inverse_d : 0.0));
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

// One sweep over all blocks; returns the largest velocity found wanting.
// The order is that of the blocks: joints, bounded rows, contacts. Later blocks see the new impulses of earlier ones
// at once, through sweep_add, which keeps the velocities of the operator up to date.
double pawl_sweep(sweeper *s, const pawl_problem *p, sweep_local local, double *lambda)
{
    int dim = s->dim;
    pawl_delassus *d = p->delassus;
    double worst = 0.0;
    s->descent = s->work = 0.0;
    for (int k = 0; k < p->block_count; ++k) {
        problem_block b = p->blocks[k];
        int i = b.first_row, contact = sweep_contact_of(p, k);
        double *x = lambda + i, *dx = s->change, found;
        const double *f = s->factors + k * dim * dim;
        sweep_velocity(p, k, lambda, dx);
        if (contact >= 0) {
            found = sweep_contact(s, local, f, p->friction[contact], s->memory + 2 * k, x, dx);
        } else if (k < p->free_block_count) {
            found = sweep_free(s, f, s->inverse_d + i, b.dim, dx);
        } else {
            found = sweep_bounded(s, p->lower[i], p->upper[i], s->inverse_d[i], x[0], dx);
        }
        worst = max_of(worst, found);
        for (int r = 0; r < b.dim; ++r) {
            x[r] += dx[r];
        }
        d->ops->sweep_add(d, k, dx);
    }
    pawl_problem_show(p, lambda);
    return worst;
}

static double sweep_measure_contact(sweep_measure measure, const double *x, const double *v,
                                    double mu, double weight)
{
    return measure == SWEEP_NATURAL           ? pawl_natural_contact(x, v, mu, weight)
           : measure == SWEEP_NATURAL_RELAXED ? pawl_natural_relaxed(x, v, mu, weight)
                                              : 0.0;
}

// The natural map, or its counterpart of the relaxation, from the velocities that the operator keeps for the sweep:
// no product with D is needed. `weight` (rows) scales impulses to velocities.
double pawl_sweep_measure(sweeper *s, const pawl_problem *p, sweep_measure measure,
                          const double *weight, const double *lambda)
{
    double worst = 0.0, *v = s->change;
    for (int k = 0; k < p->block_count; ++k) {
        problem_block b = p->blocks[k];
        int i = b.first_row, contact = sweep_contact_of(p, k);
        sweep_velocity(p, k, lambda, v);
        if (contact >= 0) {
            worst = max_of(worst, sweep_measure_contact(measure, lambda + i, v,
                                                        p->friction[contact], weight[i]));
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

void pawl_sweep_velocities(const pawl_problem *p, const double *lambda, double *v)
{
    for (int k = 0; k < p->block_count; ++k) {
        sweep_velocity(p, k, lambda, v + p->blocks[k].first_row);
    }
}
