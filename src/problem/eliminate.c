// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Solves with the free rows of a problem: one factor, refinement, and conjugate residuals where refinement is slow.
// The header explains the choice of these three.
//
// With half solves available, the rest takes one solve in two halves, y = Delta^-1/2 L^-1 v_f before and
//   lambda_f = -L^-T Delta^-1/2 (y + Z lambda_b)
// after the bounded rows are solved, v_b' = v_b - ZT y between.
//
// Three ways to condense a problem to its bounded rows, S = (D + R)_bb - D_bf (D + R)_ff^-1 D_fb:
//   halves: with an exact factor L Delta LT of the free rows, S = (D + R)_bb - ZT Z with
//     Z = Delta^-1/2 L^-1 D_fb. It costs half a solve per bounded row and is symmetric by
//     construction.
//   bodies: the same with half solves of the bodies that bounded rows act on, where these are few.
//   columns: one refined solve per bounded row. It is for redundant rows, where no factor is exact,
//     and where memory is short.
#include "problem/eliminate.h"
#include "base/kernel.h"
#include "linalg/dense.h"
#include "math/vec.h"
#include "problem/weak_space.h"
#include <math.h>
#include <string.h>

enum { ELIMINATE_MAX_ITERATIONS = 60, ELIMINATE_PATIENCE = 6, ELIMINATE_HALF = 1 << 17 };
enum { ELIMINATE_AT_ONCE = 3 }; // columns of a contact
static const double eliminate_exact = 1e-13;
static const double eliminate_still = 1e-11;     // of a row's own D: less is rounding
static const double eliminate_contraction = 0.1; // below it refinement is as good as any method
static const double eliminate_floor = 1e-16;     // [m/s or m]: nobody asks for less
// Steps along z: the shift over the least pivot that is no rounding, tenfold.
static const double eliminate_most = 1e4;
// Impulses on bodies of little inertia are answered by large velocities before joints take them back: of those no
// fraction is small enough, and refinement continues down to this [m/s], or to rounding.
static const double eliminate_tight = 1e-12; // accuracies from which on this holds
static const double eliminate_wanted = 1e-10;
static const double eliminate_rounding = 2e-15;

eliminator pawl_eliminator_layout(int max_rows, int max_condensed, pawl_carver *mem)
{
    eliminator e = {0};
    size_t all = (size_t)max_condensed * (size_t)max_rows;
    e.half_size = all < ELIMINATE_HALF ? all : ELIMINATE_HALF;
    e.half = PAWL_CARVE(mem, double, e.half_size);
    e.columns = PAWL_CARVE(mem, double, max_condensed > 0 ? 3 * max_rows : 0);
    e.runs = PAWL_CARVE(mem, problem_block, max_condensed > 0 ? max_rows : 0);
    e.residual = PAWL_CARVE(mem, double, max_rows);
    e.step = PAWL_CARVE(mem, double, max_rows);
    e.product = PAWL_CARVE(mem, double, max_rows);
    e.right = PAWL_CARVE(mem, double, max_rows);
    e.conditioned = PAWL_CARVE(mem, double, max_rows);
    e.direction = PAWL_CARVE(mem, double, max_rows);
    e.image = PAWL_CARVE(mem, double, max_rows);
    e.kept = PAWL_CARVE(mem, double, max_rows);
    e.forward = PAWL_CARVE(mem, double, max_condensed > 0 ? max_rows : 0);
    return e;
}

// The key identifies the free part of D + R. Key 0 means unknown, so it is always factored again.
void pawl_eliminate_factor(const pawl_problem *p, double regularization)
{
    pawl_delassus *d = p->delassus;
    if (d->factored != p->factor_key && d->ops->recall != NULL) {
        d->ops->recall(d, p->factor_key);
    }
    if (d->factored != p->factor_key || p->factor_key == 0) {
        double shift = d->maybe_singular ? regularization : 0.0;
        d->ops->factor(d, p->compliance,
                       pawl_is_weak(p) ? fmax(shift, d->weak.space->shift) : shift);
        d->factored = p->factor_key;
    }
    if (pawl_is_weak(p)) {
        pawl_weak_follow(p);
    }
}

bool pawl_eliminate_is_exact(const pawl_problem *p)
{
    const pawl_delassus *d = p->delassus;
    return d->halves && !pawl_is_weak(p) && (!d->maybe_singular || d->dropped) &&
           p->factor_key != 0 && d->factored == p->factor_key;
}

static double eliminate_norm(const double *x, int n)
{
    double norm = 0.0;
    for (int i = 0; i < n; ++i) {
        norm = max_of(norm, fabs(x[i]));
    }
    return norm;
}

// y = (D + R) x over the free rows, without its weak part; x has all rows, the bounded ones zero.
static void eliminate_apply(const pawl_problem *p, const double *x, double *y)
{
    p->delassus->ops->apply(p->delassus, x, y);
    for (int i = 0; i < p->free_row_count; ++i) {
        y[i] += p->compliance[i] * x[i];
    }
    if (pawl_is_weak(p)) {
        pawl_weak_velocities(p, y);
    }
}

// x <- P^-1 x, in what is not weak.
static void eliminate_condition(const pawl_problem *p, double *x)
{
    p->delassus->ops->solve(p->delassus, x);
    if (pawl_is_weak(p)) {
        pawl_weak_impulses(p, x);
    }
}

// Conjugate residuals from the residual r, with z = P^-1 r and Az at hand, after refinement has added
// such a z to x `iterations` times. Returns the number of iterations, those included.
//
// The preconditioned method keeps z = P^-1 r by the recursion z -= length P^-1 A d, which saves a
// solve. A residual that no impulse can remove gives a z in the null space of A, the same in every
// iteration. The counters in_x and in_direction say how many times x and d contain it, so that it
// can be subtracted once at the end. If x contains z more than eliminate_most times, it is rounding: the residual of
// the recursion vanishes, but that of x, which has grown beyond all bounds, does not. Nor is there more to be met where
// ELIMINATE_PATIENCE iterations bring no smaller residual.
static int eliminate_residuals(eliminator *e, const pawl_problem *p, double target, int iterations,
                               double *x)
{
    int n = p->free_row_count;
    size_t bytes = (size_t)n * sizeof(double);
    double *r = e->residual, *z = e->step, *Az = e->product;
    double *d = e->direction, *Ad = e->image, *PAd = e->conditioned;
    memcpy(d, z, bytes);
    memcpy(Ad, Az, bytes);
    // How often x and d contain z's part in the null space, which no iteration changes.
    double in_x = (double)iterations, in_direction = 1.0;
    double zAz = pawl_dot(z, Az, n), best = INFINITY;
    double *kept = e->kept;
    memcpy(kept, x, bytes);
    double in_kept = in_x;
    bool unmet = false;
    int kept_at = iterations;
    while (iterations < ELIMINATE_MAX_ITERATIONS && iterations - kept_at < ELIMINATE_PATIENCE) {
        memcpy(PAd, Ad, bytes);
        eliminate_condition(p, PAd);
        double size = pawl_dot(Ad, PAd, n);
        if (!(zAz > 0.0 && size > 0.0)) {
            break;
        }
        double length = zAz / size;
        if (!(fabs(in_x + length * in_direction) <= eliminate_most)) {
            unmet = true;
            break;
        }
        for (int i = 0; i < n; ++i) {
            x[i] += length * d[i];
            r[i] -= length * Ad[i];
            z[i] -= length * PAd[i];
        }
        in_x += length * in_direction;
        ++iterations;
        double norm = eliminate_norm(r, n);
        if (norm <= target) {
            return iterations;
        }
        eliminate_apply(p, z, Az);
        // A z is the part of the residual that can still be removed; the rest is along the null space, and so is z.
        double open = eliminate_norm(Az, n);
        unmet = open <= 1e-3 * norm;
        if (norm < best) {
            best = norm;
            kept_at = iterations;
            in_kept = in_x;
            memcpy(kept, x, bytes);
        }
        if (open <= target && unmet) {
            break;
        }
        double zAz_next = pawl_dot(z, Az, n), beta = zAz_next / zAz;
        zAz = zAz_next;
        in_direction = 1.0 + beta * in_direction;
        for (int i = 0; i < n; ++i) {
            d[i] = z[i] + beta * d[i];
            Ad[i] = Az[i] + beta * Ad[i];
        }
    }
    // Rounding has the last word; the best so far is the answer, less what it has of the null space.
    for (int i = 0; i < n; ++i) {
        x[i] = kept[i] - (unmet ? in_kept * z[i] : 0.0);
    }
    return iterations;
}

// x contains the right side and becomes the result of one solve without a check.
static void eliminate_once(const pawl_problem *p, double *x)
{
    if (pawl_is_weak(p)) {
        pawl_weak_velocities(p, x);
    }
    eliminate_condition(p, x);
}

// Refinement first: it costs one product and one solve each time, like an iteration of conjugate
// residuals, but needs no memory of directions. It is left as soon as one correction would not
// reduce the residual tenfold; that correction is then not applied, and its z and A z start the
// conjugate residuals.
int pawl_eliminate_solve(eliminator *e, const pawl_problem *p, const double *b, double accuracy,
                         double *x)
{
    int n = p->free_row_count;
    size_t bytes = (size_t)n * sizeof(double);
    double *r = e->residual, *z = e->step, *Az = e->product;
    e->has_product = false;
    if (accuracy >= 1.0) {
        memcpy(x, b, bytes);
        eliminate_once(p, x);
        return 1;
    }
    memcpy(r, b, bytes);
    if (pawl_is_weak(p)) {
        pawl_weak_velocities(p, r);
    }
    double norm = eliminate_norm(r, n);
    double target = fmax(accuracy * norm, eliminate_floor);
    if (accuracy <= eliminate_tight) {
        target = fmin(target, fmax(eliminate_wanted, eliminate_rounding * norm));
    }
    memset(x, 0, bytes);
    memset(z, 0, (size_t)p->row_count * sizeof *z); // bounded rows stay at zero
    int iterations = 0;
    while (norm > target && iterations < ELIMINATE_MAX_ITERATIONS) {
        memcpy(z, r, bytes);
        eliminate_condition(p, z);
        eliminate_apply(p, z, Az);
        double next = 0.0;
        for (int i = 0; i < n; ++i) {
            next = max_of(next, fabs(r[i] - Az[i]));
        }
        if (!(next <= target || next <= eliminate_contraction * norm)) {
            return eliminate_residuals(e, p, target, iterations, x);
        }
        for (int i = 0; i < n; ++i) {
            x[i] += z[i];
            r[i] -= Az[i];
        }
        ++iterations;
        norm = next;
    }
    e->has_product = iterations == 1; // x is z
    return iterations;
}

// Whether S can be made from half solves: the factor is exact, and there is room.
static bool eliminate_by_halves(const eliminator *e, const pawl_problem *p)
{
    size_t n = (size_t)p->free_row_count, m = (size_t)p->row_count - n;
    const pawl_delassus *d = p->delassus;
    bool exact = !d->maybe_singular || d->dropped;
    return n > 0 && exact && d->halves && d->ops->columns != NULL && n * m <= e->half_size;
}

// Whether the operator can do it: its factor is exact and belongs to these rows.
static bool eliminate_directly(const pawl_problem *p)
{
    const pawl_delassus *d = p->delassus;
    return d->ops->condense != NULL && d->direct && pawl_eliminate_is_exact(p);
}

// out += z . y for three columns z that lie n apart, with y read once. The order is that of pawl_dot().
PAWL_KERNEL_PART void eliminate_dot3(const double *z, int n, const double *y, int count,
                                     double out[3])
{
    const double *z1 = z + n, *z2 = z1 + n;
    lanes sum0 = LANES_ALL(0.0), sum1 = sum0, sum2 = sum0;
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        lanes part = LANES_LOAD(y + i);
        sum0 += LANES_LOAD(z + i) * part;
        sum1 += LANES_LOAD(z1 + i) * part;
        sum2 += LANES_LOAD(z2 + i) * part;
    }
    double first[3] = {sum0[0], sum1[0], sum2[0]};
    for (; i < count; ++i) {
        first[0] += z[i] * y[i];
        first[1] += z1[i] * y[i];
        first[2] += z2[i] * y[i];
    }
    out[0] += (first[0] + sum0[1]) + (sum0[2] + sum0[3]);
    out[1] += (first[1] + sum1[1]) + (sum1[2] + sum1[3]);
    out[2] += (first[2] + sum2[1]) + (sum2[2] + sum2[3]);
}

// out = z . y over runs of rows, for `count` columns z that lie n apart; at least one of z and y is zero elsewhere.
PAWL_KERNEL_PART void eliminate_dot_runs(const double *z, int n, int count, const double *y,
                                         const problem_block *runs, int run_count, double *out)
{
    for (int c = 0; c < count; ++c) {
        out[c] = 0.0;
    }
    for (int k = 0; k < run_count; ++k) {
        const double *from = z + runs[k].first_row, *by = y + runs[k].first_row;
        if (count == ELIMINATE_AT_ONCE) {
            eliminate_dot3(from, n, by, runs[k].dim, out);
            continue;
        }
        for (int c = 0; c < count; ++c) {
            out[c] += pawl_dot(from + c * n, by, runs[k].dim);
        }
    }
}

// Half solves of the columns z (dim x n) of a block. Returns the number of runs of rows in which they are not zero.
// Sparse columns are worth it only where the runs, with some overhead each, are shorter than the
// whole column.
static int eliminate_half_columns(eliminator *e, const pawl_problem *p, int block, double *z)
{
    int n = p->free_row_count, dim = p->blocks[block].dim;
    pawl_delassus *d = p->delassus;
    const int run_cost = 8; // of products over a run, in rows
    if (d->ops->half_columns != NULL) {
        int count = d->ops->half_columns(d, block, z, n, e->runs), cost = 0;
        for (int k = 0; k < count; ++k) {
            cost += e->runs[k].dim + run_cost;
        }
        if (cost < n) {
            return count;
        }
    } else {
        for (int c = 0; c < dim; ++c) {
            d->ops->half_solve(d, z + (size_t)c * (size_t)n);
        }
    }
    e->runs[0] = (problem_block){0, n};
    return 1;
}

// S = D_bb + R - ZT Z, Z the half solves of D_fb. Two columns meet where the paths of their bodies to the root of the
// elimination tree do.
PAWL_KERNEL static void eliminate_halves(eliminator *e, const pawl_problem *p, double *S)
{
    int n = p->free_row_count, rows = p->row_count, m = rows - n;
    for (int k = p->free_block_count; k < p->block_count; ++k) {
        problem_block b = p->blocks[k];
        double *first = e->half + (size_t)(b.first_row - n) * (size_t)n;
        p->delassus->ops->columns(p->delassus, k, e->columns);
        for (int c = 0; c < b.dim; ++c) {
            memcpy(first + (size_t)c * (size_t)n, e->columns + (size_t)c * (size_t)rows,
                   (size_t)n * sizeof *first);
        }
        int runs = eliminate_half_columns(e, p, k, first);
        for (int c = 0; c < b.dim; c += ELIMINATE_AT_ONCE) {
            int count = b.dim - c < ELIMINATE_AT_ONCE ? b.dim - c : ELIMINATE_AT_ONCE;
            int i = b.first_row + c - n;
            for (int j = 0; j < i + count; ++j) {
                double product[ELIMINATE_AT_ONCE];
                eliminate_dot_runs(e->half + (size_t)i * (size_t)n, n, count,
                                   e->half + (size_t)j * (size_t)n, e->runs, runs, product);
                for (int q = j > i ? j - i : 0; q < count; ++q) {
                    double s = e->columns[(size_t)(c + q) * (size_t)rows + (size_t)(n + j)];
                    S[(size_t)(i + q) * (size_t)m + (size_t)j] = s - product[q];
                    S[(size_t)j * (size_t)m + (size_t)(i + q)] = s - product[q];
                }
            }
            for (int q = 0; q < count; ++q) {
                double *diagonal = S + (size_t)(i + q) * (size_t)(m + 1);
                double own = *diagonal + p->compliance[n + i + q];
                double alone = e->columns[(size_t)(c + q) * (size_t)rows + (size_t)(n + i + q)];
                bool still = own <= eliminate_still * (alone + p->compliance[n + i + q]);
                *diagonal = still ? 0.0 : own;
            }
        }
    }
}

// The same with six columns a body, where that takes fewer.
static bool eliminate_by_bodies(eliminator *e, const pawl_problem *p, double *S)
{
    pawl_delassus *d = p->delassus;
    return d->ops->condense_bodies != NULL &&
           d->ops->condense_bodies(d, eliminate_still, e->half, e->half_size, e->runs, S, e->Y,
                                   &e->rank);
}

// S column by column, exact where rows depend on each other, too.
//
// `still`: a diagonal entry of S that is rounding of the row's own D is set to 0, which marks the
// row as immobile.
static void eliminate_columns(eliminator *e, const pawl_problem *p, double *lambda, double *S,
                              double *v)
{
    int n = p->free_row_count, rows = p->row_count, m = rows - n;
    pawl_delassus *d = p->delassus;
    double accuracy = d->maybe_singular ? eliminate_exact : 1.0; // a forest's factor is exact
    // S e_b: velocities of the bounded rows when b gets a unit impulse and the free rows keep still
    for (int b = 0; b < m; ++b) {
        double *column = v; // scratch until the end
        memset(lambda, 0, (size_t)rows * sizeof *lambda);
        lambda[n + b] = 1.0;
        d->ops->apply(d, lambda, e->product);
        for (int i = 0; i < n; ++i) {
            e->right[i] = -e->product[i];
        }
        for (int i = 0; i < m; ++i) {
            column[i] = e->product[n + i];
        }
        pawl_eliminate_solve(e, p, e->right, accuracy, lambda);
        lambda[n + b] = 0.0;
        d->ops->apply(d, lambda, e->product);
        for (int i = 0; i < m; ++i) {
            S[(size_t)i * (size_t)m + (size_t)b] = column[i] + e->product[n + i];
        }
        double *own = &S[(size_t)b * (size_t)(m + 1)];
        *own += p->compliance[n + b];
        if (*own <= eliminate_still * (column[b] + p->compliance[n + b])) {
            *own = 0.0;
        }
    }
}

void pawl_eliminate_condense(eliminator *e, const pawl_problem *p, double *lambda, double *S,
                             double *v)
{
    int m = p->row_count - p->free_row_count;
    e->halves_of = ELIMINATE_NO_HALVES;
    e->rank = -1;
    if (eliminate_directly(p)) {
        p->delassus->ops->condense(p->delassus, p, S, v);
    } else if (eliminate_by_halves(e, p)) {
        e->halves_of = ELIMINATE_BODIES;
        if (!eliminate_by_bodies(e, p, S)) {
            eliminate_halves(e, p, S);
            e->halves_of = ELIMINATE_ROWS;
        }
    } else {
        eliminate_columns(e, p, lambda, S, v);
    }
    // A row that the free rows hold still (friction of a driven joint) leaves noise of either sign.
    for (int b = 0; b < m; ++b) {
        for (int i = 0; i < m && S[(size_t)b * (size_t)(m + 1)] == 0.0; ++i) {
            S[(size_t)i * (size_t)m + (size_t)b] = 0.0;
            S[(size_t)b * (size_t)m + (size_t)i] = 0.0;
        }
    }
}

// Whether half solves of this problem are available, so that a solve can be done in two halves.
static bool eliminate_has_halves(const eliminator *e, const pawl_problem *p)
{
    return e->halves_of != ELIMINATE_NO_HALVES && p->delassus->ops->back_solve != NULL &&
           pawl_eliminate_is_exact(p);
}

// v (m) -= ZT y, columns n apart.
PAWL_KERNEL static void eliminate_answers(const double *Z, const double *y, int n, int m, double *v)
{
    for (int i = 0; i < m; ++i, Z += n) {
        v[i] -= pawl_dot(Z, y, n);
    }
}

// x (n) += Z lambda (m).
PAWL_KERNEL static void eliminate_push(const double *Z, int n, int m, const double *lambda,
                                       double *x)
{
    for (int i = 0; i < m; ++i, Z += n) {
        lanes by = LANES_ALL(lambda[i]);
        int r = 0;
        for (; r + 4 <= n; r += 4) {
            lanes sum = LANES_LOAD(x + r);
            sum += LANES_LOAD(Z + r) * by;
            LANES_STORE(x + r, sum);
        }
        for (; r < n; ++r) {
            x[r] += Z[r] * lambda[i];
        }
    }
}

// With q for the v_f of the problem: q_b - D_bf (D + R)_ff^-1 q_f. The free rows act, the others
// have no impulse.
void pawl_eliminate_velocity(eliminator *e, const pawl_problem *p, double *lambda, double *v)
{
    int n = p->free_row_count, rows = p->row_count, m = rows - n;
    pawl_delassus *d = p->delassus;
    if (eliminate_directly(p)) {
        d->ops->condensed_velocity(d, p, lambda, v);
        return;
    }
    e->has_forward = false;
    if (eliminate_has_halves(e, p)) {
        memcpy(e->forward, p->v_f, (size_t)n * sizeof *v);
        d->ops->half_solve(d, e->forward);
        e->has_forward = true;
        memcpy(v, p->v_f + n, (size_t)m * sizeof *v);
        if (e->halves_of == ELIMINATE_BODIES) {
            d->ops->bodies_velocity(d, e->half, e->forward, v);
        } else {
            eliminate_answers(e->half, e->forward, n, m, v);
        }
        return;
    }
    memset(lambda, 0, (size_t)rows * sizeof *lambda);
    for (int i = 0; i < n; ++i) {
        e->right[i] = -p->v_f[i];
    }
    pawl_eliminate_solve(e, p, e->right, eliminate_exact, lambda);
    if (!e->has_product) {
        d->ops->apply(d, lambda, e->product);
    }
    for (int i = 0; i < m; ++i) {
        v[i] = e->product[n + i] + p->v_f[n + i];
    }
}

// lambda_f = -(D + R)_ff^-1 (v_f + D_fb lambda_b). With accuracy 1 the right side is built in
// lambda itself.
int pawl_eliminate_recover(eliminator *e, const pawl_problem *p, double accuracy, double *lambda)
{
    int n = p->free_row_count, rows = p->row_count;
    pawl_delassus *d = p->delassus;
    if (eliminate_directly(p)) {
        d->ops->recover(d, p, lambda);
        return 1;
    }
    double *b = accuracy >= 1.0 ? lambda : e->right;
    if (rows > n) {
        memset(lambda, 0, (size_t)n * sizeof *lambda);
        d->ops->apply(d, lambda, e->product);
        for (int i = 0; i < n; ++i) {
            b[i] = -(p->v_f[i] + e->product[i]);
        }
    } else {
        for (int i = 0; i < n; ++i) {
            b[i] = -p->v_f[i];
        }
    }
    if (accuracy >= 1.0) {
        eliminate_once(p, lambda);
        return 1;
    }
    return pawl_eliminate_solve(e, p, b, accuracy, lambda);
}

// The largest residual of the free rows, v_f + (D + R) lambda, which is left negated in e->right.
static double eliminate_open(eliminator *e, const pawl_problem *p, const double *lambda)
{
    double open = 0.0;
    p->delassus->ops->apply(p->delassus, lambda, e->product);
    for (int i = 0; i < p->free_row_count; ++i) {
        e->right[i] = -(p->v_f[i] + e->product[i] + p->compliance[i] * lambda[i]);
        open = max_of(open, fabs(e->right[i]));
    }
    return open;
}

// Looked at like any other solve, and refined once; where that is not enough, the other way is.
int pawl_eliminate_complete(eliminator *e, const pawl_problem *p, double accuracy, double *lambda)
{
    pawl_delassus *d = p->delassus;
    if (!e->has_forward) {
        return pawl_eliminate_recover(e, p, accuracy, lambda);
    }
    e->has_forward = false;
    int n = p->free_row_count, m = p->row_count - n;
    if (e->halves_of == ELIMINATE_BODIES) {
        d->ops->bodies_impulses(d, e->half, lambda, e->forward);
    } else {
        eliminate_push(e->half, n, m, lambda + n, e->forward);
    }
    d->ops->back_solve(d, e->forward);
    for (int i = 0; i < n; ++i) {
        lambda[i] = -e->forward[i];
    }
    double target = fmax(accuracy * eliminate_norm(p->v_f, n), eliminate_floor);
    int solves = 1;
    for (double open; (open = eliminate_open(e, p, lambda)) > target; ++solves) {
        if (solves > 1 || !(open <= eliminate_wanted)) {
            return pawl_eliminate_recover(e, p, accuracy, lambda);
        }
        d->ops->solve(d, e->right);
        for (int i = 0; i < n; ++i) {
            lambda[i] += e->right[i];
        }
    }
    return solves;
}
