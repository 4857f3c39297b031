// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The dual active set method of Goldfarb and Idnani (Mathematical Programming 27, 1983). It moves through points that
// are optimal for the constraints added so far and adds the most violated one each time. It therefore needs no
// feasible start and cannot cycle, because the objective increases with each added constraint. J and R are theirs: J
// JT = (Q + shift 1)^-1, JT N = (R; 0).
//
// A guess of the active set is tried first (simplex_qp_settle). If that fails, the guess is used as the active set,
// and constraints with negative multipliers are removed before the iteration starts.
//
// A singular Q with too small a shift is solved by proximal rounds: the shift is increased, and its effect is
// compensated by moving its centre from 0 to the last solution.
#include "linalg/simplex_qp.h"
#include "linalg/dense.h"
#include <math.h>
#include <string.h>

enum { SIMPLEX_QP_ROUNDS = 8 };
static const double simplex_qp_violation = 1e-13; // of 1, the size of a simplex
static const double simplex_qp_dependent = 1e-11; // share of a normal that is new
static const double simplex_qp_least_pivot =
    1e-5; // of its diagonal entry: less loses digits of the sums
static const double simplex_qp_least_shift = 1e-9; // of the largest diagonal entry

// Constraints are numbered: 0 .. n - 1 are x_i >= 0, n + g is 1 - (sum of x over group g) >= 0.
simplex_qp pawl_simplex_qp_layout(int capacity, int max_groups, pawl_carver *mem)
{
    size_t n = (size_t)capacity;
    return (simplex_qp){.capacity = capacity,
                        .max_groups = max_groups,
                        .JT = PAWL_CARVE(mem, double, n *n),
                        .R = PAWL_CARVE(mem, double, n *n),
                        .factor = PAWL_CARVE(mem, double, n *n),
                        .d = PAWL_CARVE(mem, double, n),
                        .step = PAWL_CARVE(mem, double, n),
                        .dual = PAWL_CARVE(mem, double, n),
                        .u = PAWL_CARVE(mem, double, n),
                        .work = PAWL_CARVE(mem, double, n),
                        .c = PAWL_CARVE(mem, double, n),
                        .active = PAWL_CARVE(mem, int, n),
                        .is_active = PAWL_CARVE(mem, bool, n + (size_t)max_groups)};
}

static double *simplex_qp_row(double *matrix, int n, int i)
{
    return matrix + (size_t)i * (size_t)n;
}

// The least shift with which a singular Q can be factored safely.
static double simplex_qp_floor(const simplex_qp_problem *p)
{
    double largest = 0.0;
    for (int i = 0; i < p->n; ++i) {
        largest = fmax(largest, p->Q[(size_t)i * (size_t)p->n + (size_t)i]);
    }
    return largest > 0.0 ? simplex_qp_least_shift * largest : 1.0;
}

// L, then J = L^-T: row k of JT = L^-1.
static bool simplex_qp_factor(simplex_qp *s, const simplex_qp_problem *p, double shift)
{
    int n = p->n;
    for (int i = 0; i < n; ++i) {
        double *Li = simplex_qp_row(s->factor, n, i);
        for (int j = 0; j <= i; ++j) {
            double *Lj = simplex_qp_row(s->factor, n, j);
            double sum = p->Q[(size_t)i * (size_t)n + (size_t)j] + (i == j ? shift : 0.0);
            sum -= pawl_dot(Li, Lj, j);
            if (i == j) {
                // Rounding may leave less than the shift of a semidefinite Q.
                Li[i] = sqrt(fmax(sum, 0.5 * shift));
            } else {
                Li[j] = sum / Lj[j];
            }
        }
        if (!(Li[i] > 0.0 && isfinite(Li[i]))) {
            return false;
        }
    }
    memset(s->JT, 0, (size_t)n * (size_t)n * sizeof *s->JT);
    for (int i = 0; i < n; ++i) { // L_ii row_i = e_i - sum of L_ik row_k
        const double *Li = simplex_qp_row(s->factor, n, i);
        double *row = simplex_qp_row(s->JT, n, i);
        for (int k = 0; k < i; ++k) {
            pawl_axpy(-Li[k], simplex_qp_row(s->JT, n, k), row, k + 1);
        }
        for (int k = 0; k < i; ++k) {
            row[k] /= Li[i];
        }
        row[i] = 1.0 / Li[i];
    }
    return true;
}

// n_p . x - b_p: negative where constraint p is violated.
static double simplex_qp_slack(const simplex_qp_problem *p, int constraint, const double *x)
{
    if (constraint < p->n) {
        return x[constraint];
    }
    double sum = 0.0;
    int g = constraint - p->n;
    for (int i = p->group_begin[g]; i < p->group_begin[g + 1]; ++i) {
        sum += x[i];
    }
    return 1.0 - sum;
}

// d = JT n_p
// The normal of x_i >= 0 is e_i. That of a group is -1 on its members.
static void simplex_qp_normal(simplex_qp *s, const simplex_qp_problem *p, int constraint)
{
    int n = p->n, g = constraint - n;
    for (int k = 0; k < n; ++k) {
        const double *row = simplex_qp_row(s->JT, n, k);
        double sum = 0.0;
        for (int i = g < 0 ? 0 : p->group_begin[g]; g >= 0 && i < p->group_begin[g + 1]; ++i) {
            sum -= row[i];
        }
        s->d[k] = g < 0 ? row[constraint] : sum;
    }
}

// Turns two rows by the rotation (c, s).
static void simplex_qp_turn(double *a, double *b, int n, double c, double sine)
{
    for (int i = 0; i < n; ++i) {
        double x = a[i], y = b[i];
        a[i] = c * x + sine * y;
        b[i] = c * y - sine * x;
    }
}

// d is JT n of the constraint that becomes the q-th: rotations leave nothing below its q-th entry.
static void simplex_qp_add(simplex_qp *s, int n, int q, int constraint)
{
    for (int k = n - 1; k > q; --k) {
        if (s->d[k] == 0.0) {
            continue;
        }
        double length = sqrt(s->d[k - 1] * s->d[k - 1] + s->d[k] * s->d[k]);
        double c = s->d[k - 1] / length, sine = s->d[k] / length;
        s->d[k - 1] = length;
        s->d[k] = 0.0;
        simplex_qp_turn(simplex_qp_row(s->JT, n, k - 1), simplex_qp_row(s->JT, n, k), n, c, sine);
    }
    for (int k = 0; k <= q; ++k) {
        simplex_qp_row(s->R, n, k)[q] = s->d[k];
    }
    s->active[q] = constraint;
    s->is_active[constraint] = true;
}

// The k-th of q active constraints leaves.
// R without its column k has one entry below the diagonal in each later column. Rotations of
// neighbouring rows remove them, and the same rotations of the rows of JT keep JT N = (R; 0).
static void simplex_qp_drop(simplex_qp *s, int n, int q, int k)
{
    s->is_active[s->active[k]] = false;
    for (int j = k; j + 1 < q; ++j) {
        s->active[j] = s->active[j + 1];
        s->u[j] = s->u[j + 1];
        for (int i = 0; i <= j + 1; ++i) {
            double *row = simplex_qp_row(s->R, n, i);
            row[j] = row[j + 1];
        }
    }
    for (int j = k; j + 1 < q; ++j) { // R is Hessenberg from column k on
        double *upper = simplex_qp_row(s->R, n, j), *lower = simplex_qp_row(s->R, n, j + 1);
        double length = sqrt(upper[j] * upper[j] + lower[j] * lower[j]);
        double c = length > 0.0 ? upper[j] / length : 1.0;
        double sine = length > 0.0 ? lower[j] / length : 0.0;
        upper[j] = length;
        lower[j] = 0.0;
        simplex_qp_turn(upper + j + 1, lower + j + 1, q - j - 2, c, sine);
        simplex_qp_turn(simplex_qp_row(s->JT, n, j), simplex_qp_row(s->JT, n, j + 1), n, c, sine);
    }
}

// y = R^-1 y over the first q
static void simplex_qp_back(simplex_qp *s, int n, int q, double *y)
{
    for (int i = q - 1; i >= 0; --i) {
        const double *row = simplex_qp_row(s->R, n, i);
        y[i] = (y[i] - pawl_dot(row + i + 1, y + i + 1, q - i - 1)) / row[i];
    }
}

// out = J y over the columns from q on
static void simplex_qp_combine(simplex_qp *s, int n, int q, const double *y, double *out)
{
    memset(out, 0, (size_t)n * sizeof *out);
    for (int k = q; k < n; ++k) {
        pawl_axpy(y[k], simplex_qp_row(s->JT, n, k), out, n);
    }
}

// x and u with the q active constraints as equations: x = J1 R^-T b - J2 J2T c,
// R u = R^-T b + J1T c.
static void simplex_qp_satisfy(simplex_qp *s, const simplex_qp_problem *p, int q, double *x)
{
    int n = p->n;
    double *y = s->work;
    for (int i = 0; i < q; ++i) {
        double b = s->active[i] < n ? 0.0 : -1.0;
        for (int k = 0; k < i; ++k) {
            b -= simplex_qp_row(s->R, n, k)[i] * y[k];
        }
        y[i] = b / simplex_qp_row(s->R, n, i)[i];
    }
    for (int k = 0; k < n; ++k) {
        s->d[k] = pawl_dot(simplex_qp_row(s->JT, n, k), s->c, n);
    }
    for (int k = 0; k < q; ++k) {
        s->u[k] = y[k] + s->d[k];
    }
    for (int k = q; k < n; ++k) {
        y[k] = -s->d[k];
    }
    simplex_qp_back(s, n, q, s->u);
    simplex_qp_combine(s, n, 0, y, x);
}

// d[0 .. q) is the part of the normal that the active constraints span, d[q .. n) what is new in
// it. Without this test a dependent normal would put rounding on the diagonal of R.
static bool simplex_qp_is_new(const simplex_qp *s, int n, int q)
{
    double all = pawl_dot(s->d, s->d, n), rest = pawl_dot(s->d + q, s->d + q, n - q);
    return rest > simplex_qp_dependent * simplex_qp_dependent * all;
}

static int simplex_qp_least(const double *u, int q)
{
    int least = 0;
    for (int k = 1; k < q; ++k) {
        least = u[k] < u[least] ? k : least;
    }
    return least;
}

// The active set that x suggests, without what would pull. Returns its size.
static int simplex_qp_guess(simplex_qp *s, const simplex_qp_problem *p, double *x)
{
    int n = p->n, q = 0;
    for (int constraint = 0; constraint < n + p->group_count; ++constraint) {
        if (simplex_qp_slack(p, constraint, x) > simplex_qp_violation || q == n) {
            continue;
        }
        simplex_qp_normal(s, p, constraint);
        if (simplex_qp_is_new(s, n, q)) {
            simplex_qp_add(s, n, q++, constraint);
        }
    }
    simplex_qp_satisfy(s, p, q, x);
    while (q > 0) {
        int least = simplex_qp_least(s->u, q);
        if (s->u[least] >= 0.0) {
            break;
        }
        simplex_qp_drop(s, n, q--, least);
        simplex_qp_satisfy(s, p, q, x);
    }
    return q;
}

// The most violated constraint, -1 for none.
static int simplex_qp_entering(const simplex_qp *s, const simplex_qp_problem *p, const double *x)
{
    int worst = -1;
    double least = -simplex_qp_violation;
    for (int constraint = 0; constraint < p->n + p->group_count; ++constraint) {
        double slack = s->is_active[constraint] ? 0.0 : simplex_qp_slack(p, constraint, x);
        if (slack < least) {
            least = slack;
            worst = constraint;
        }
    }
    return worst;
}

// Lets a violated constraint enter; others leave on the way as their multipliers reach zero. Returns
// the new size of the active set, -1 where nothing gives way (by rounding alone: a simplex is never
// empty).
// The step t is the shorter of two: `full` makes the new constraint hold, `partial` is where the
// first multiplier of an active one reaches zero. After a partial step that constraint leaves and
// the directions are computed again. A normal that depends on the active ones allows no step of x:
// only the multipliers change, until one of them leaves.
static int simplex_qp_enter(simplex_qp *s, const simplex_qp_problem *p, int q, int constraint,
                            double *x)
{
    int n = p->n;
    double multiplier = 0.0;
    for (;;) {
        simplex_qp_normal(s, p, constraint);
        bool fresh = q < n && simplex_qp_is_new(s, n, q);
        memcpy(s->dual, s->d, (size_t)q * sizeof *s->dual);
        simplex_qp_back(s, n, q, s->dual);
        double partial = INFINITY, full = INFINITY;
        int leaves = -1;
        for (int k = 0; k < q; ++k) {
            if (s->dual[k] > 0.0 && s->u[k] / s->dual[k] < partial) {
                partial = fmax(0.0, s->u[k]) / s->dual[k];
                leaves = k;
            }
        }
        if (fresh) {
            simplex_qp_combine(s, n, q, s->d, s->step);
            double slope = pawl_dot(s->d + q, s->d + q, n - q);
            full = fmax(0.0, -simplex_qp_slack(p, constraint, x)) / slope;
        }
        double t = fmin(partial, full);
        if (!isfinite(t)) {
            return -1;
        }
        for (int k = 0; k < q; ++k) {
            s->u[k] -= t * s->dual[k];
        }
        multiplier += t;
        if (fresh) {
            for (int i = 0; i < n; ++i) {
                x[i] += t * s->step[i];
            }
        }
        if (full <= partial) {
            simplex_qp_add(s, n, q, constraint);
            s->u[q] = multiplier;
            return q + 1;
        }
        simplex_qp_drop(s, n, q--, leaves);
    }
}

// Bounds hold to the last bit; a group that rounding left above 1 is scaled back.
static void simplex_qp_clip(const simplex_qp *s, const simplex_qp_problem *p, double *x)
{
    for (int i = 0; i < p->n; ++i) {
        x[i] = s->is_active[i] ? 0.0 : fmax(0.0, x[i]);
    }
    for (int g = 0; g < p->group_count; ++g) {
        double sum = 1.0 - simplex_qp_slack(p, p->n + g, x);
        for (int i = p->group_begin[g]; i < p->group_begin[g + 1] && sum > 1.0; ++i) {
            x[i] /= sum;
        }
    }
}

// ---- a good guess ------------------------------------------------------------------------------

// y = L^-1 y, L (q x q) with rows n apart
static void simplex_qp_half(const double *L, int n, int q, double *y)
{
    for (int i = 0; i < q; ++i) {
        const double *row = L + (size_t)i * (size_t)n;
        y[i] = (y[i] - pawl_dot(row, y, i)) / row[i];
    }
}

// y = L^-T y
static void simplex_qp_half_back(const double *L, int n, int q, double *y)
{
    for (int i = q - 1; i >= 0; --i) {
        const double *row = L + (size_t)i * (size_t)n;
        y[i] /= row[i];
        pawl_axpy(-y[i], row, y, i);
    }
}

// Lower triangle of A (q x q), rows n apart.
static bool simplex_qp_cholesky(double *A, int n, int q)
{
    for (int i = 0; i < q; ++i) {
        double *row = simplex_qp_row(A, n, i), diagonal = row[i];
        for (int j = 0; j < i; ++j) {
            const double *above = simplex_qp_row(A, n, j);
            row[j] = (row[j] - pawl_dot(row, above, j)) / above[j];
        }
        double pivot = diagonal - pawl_dot(row, row, i);
        if (!(pivot > simplex_qp_least_pivot * diagonal && isfinite(pivot))) {
            return false;
        }
        row[i] = sqrt(pivot);
    }
    return true;
}

// The free variables are active[0 .. q), in rising order; groups in is_active sum to 1. `step` gets the variables, `dual`
// the multipliers of these groups in turn, from L LT = Q + shift 1 of the free ones, Z = L^-1 E of the sums:
//   ZT Z dual = ZT y - 1,   LT step = y - Z dual,   y = -L^-1 c.
static bool simplex_qp_solve_free(simplex_qp *s, const simplex_qp_problem *p, double shift, int q)
{
    int n = p->n, sums = 0;
    for (int i = 0; i < q; ++i) {
        const double *from = p->Q + (size_t)s->active[i] * (size_t)n;
        double *row = simplex_qp_row(s->factor, n, i);
        for (int j = 0; j <= i; ++j) {
            row[j] = from[s->active[j]] + (i == j ? shift : 0.0);
        }
        s->step[i] = -s->c[s->active[i]];
    }
    if (!simplex_qp_cholesky(s->factor, n, q)) {
        return false;
    }
    simplex_qp_half(s->factor, n, q, s->step);
    for (int g = 0, i = 0; g < p->group_count; ++g) {
        double *z = simplex_qp_row(s->JT, n, sums);
        if (!s->is_active[n + g]) {
            continue;
        }
        memset(z, 0, (size_t)q * sizeof *z);
        for (; i < q && s->active[i] < p->group_begin[g]; ++i) {
        }
        for (; i < q && s->active[i] < p->group_begin[g + 1]; ++i) {
            z[i] = 1.0;
        }
        simplex_qp_half(s->factor, n, q, z);
        double *row = simplex_qp_row(s->R, n, sums);
        for (int k = 0; k <= sums; ++k) {
            row[k] = pawl_dot(z, simplex_qp_row(s->JT, n, k), q);
        }
        s->dual[sums++] = pawl_dot(z, s->step, q) - 1.0;
    }
    if (!simplex_qp_cholesky(s->R, n, sums)) {
        return false;
    }
    simplex_qp_half(s->R, n, sums, s->dual);
    simplex_qp_half_back(s->R, n, sums, s->dual);
    for (int k = 0; k < sums; ++k) {
        pawl_axpy(-s->dual[k], simplex_qp_row(s->JT, n, k), s->step, q);
    }
    simplex_qp_half_back(s->factor, n, q, s->step);
    return true;
}

// The free variables of the set, in rising order; a sum without any is none. Returns how many.
static int simplex_qp_list_free(simplex_qp *s, const simplex_qp_problem *p)
{
    int q = 0;
    for (int i = 0; i < p->n; ++i) {
        if (!s->is_active[i]) {
            s->active[q++] = i;
        }
    }
    for (int g = 0, i = 0; g < p->group_count; ++g) {
        for (; i < q && s->active[i] < p->group_begin[g]; ++i) {
        }
        bool any = i < q && s->active[i] < p->group_begin[g + 1];
        s->is_active[p->n + g] = s->is_active[p->n + g] && any;
    }
    return q;
}

// All constraints that contradict the set change sides at once. False: nothing does. The point is in `work`.
static bool simplex_qp_exchange(simplex_qp *s, const simplex_qp_problem *p)
{
    int n = p->n, sums = 0;
    bool changed = false;
    double largest = 0.0;
    for (int i = 0; i < n; ++i) {
        largest = fmax(largest, fabs(s->c[i]));
    }
    for (int g = 0; g < p->group_count; ++g) {
        bool full = s->is_active[n + g];
        double multiplier = full ? s->dual[sums++] : 0.0;
        for (int i = p->group_begin[g]; i < p->group_begin[g + 1]; ++i) {
            bool bound = s->is_active[i];
            double slope =
                bound ? s->c[i] + multiplier + pawl_dot(p->Q + (size_t)i * (size_t)n, s->work, n)
                      : 0.0;
            s->is_active[i] = bound ? slope >= -simplex_qp_violation * largest
                                    : s->work[i] < -simplex_qp_violation;
            changed = changed || s->is_active[i] != bound;
        }
        s->is_active[n + g] =
            full ? multiplier >= 0.0 : simplex_qp_slack(p, n + g, s->work) < -simplex_qp_violation;
        changed = changed || s->is_active[n + g] != full;
    }
    return changed;
}

// The primal-dual active set method (Hintermueller, Ito and Kunisch 2002): solves with the guess as equations and
// exchanges what contradicts it. From a good guess it ends in a round or two that cost the cube of the number of free
// variables alone; it may also cycle, and is given up then.
static bool simplex_qp_settle(simplex_qp *s, const simplex_qp_problem *p, double shift, double *x,
                              int *iterations)
{
    int n = p->n;
    for (int c = 0; c < n + p->group_count; ++c) {
        s->is_active[c] = simplex_qp_slack(p, c, x) <= simplex_qp_violation;
    }
    for (int round = 0; round < SIMPLEX_QP_ROUNDS; ++round) {
        int q = simplex_qp_list_free(s, p);
        if (!simplex_qp_solve_free(s, p, shift, q)) {
            return false;
        }
        memset(s->work, 0, (size_t)n * sizeof *s->work);
        for (int i = 0; i < q; ++i) {
            s->work[s->active[i]] = s->step[i];
        }
        if (!simplex_qp_exchange(s, p)) {
            memcpy(x, s->work, (size_t)n * sizeof *x);
            return true;
        }
        ++*iterations;
    }
    return false;
}

// Minimizes with the linear term s->c. Counts its iterations; false where they ran out.
static bool simplex_qp_walk(simplex_qp *s, const simplex_qp_problem *p, double shift, bool warm,
                            double *x, int *iterations)
{
    int n = p->n, q = 0, limit = *iterations + 20 * (n + p->group_count) + 20;
    // A guess of the set is of little use if Q is singular.
    if (warm && p->shift >= shift && simplex_qp_settle(s, p, shift, x, iterations)) {
        return true;
    }
    if (!simplex_qp_factor(s, p, shift)) {
        return false;
    }
    memset(s->is_active, 0, (size_t)(n + p->group_count) * sizeof *s->is_active);
    if (warm) {
        q = simplex_qp_guess(s, p, x);
    } else {
        simplex_qp_satisfy(s, p, 0, x);
    }
    for (; *iterations < limit; ++*iterations) {
        int constraint = simplex_qp_entering(s, p, x);
        if (constraint < 0) {
            simplex_qp_satisfy(s, p, q, x); // what the walk piled up of rounding is gone
            return true;
        }
        q = simplex_qp_enter(s, p, q, constraint, x);
        if (q < 0) {
            return false;
        }
    }
    return false;
}

// Proximal rounds: with the centre at the last x the term extra/2 |x - centre|^2 vanishes in the
// limit. Its linear part is -extra centre . x. `extra` is at most 1e-9 of the largest diagonal
// entry as a rule, hence few rounds.
simplex_qp_result pawl_simplex_qp_solve(simplex_qp *s, const simplex_qp_problem *p, bool warm,
                                        double *x)
{
    PAWL_ASSERT(p->n <= s->capacity && p->group_count <= s->max_groups);
    double floor = simplex_qp_floor(p), extra = fmax(0.0, floor - p->shift);
    int rounds = extra > 0.0 ? 4 : 1;
    simplex_qp_result result = {true, 0};
    memcpy(s->c, p->c, (size_t)p->n * sizeof *s->c);
    for (int k = 0; k < rounds && result.solved; ++k) {
        result.solved =
            simplex_qp_walk(s, p, p->shift + extra, warm || k > 0, x, &result.iterations);
        simplex_qp_clip(s, p, x);
        for (int i = 0; i < p->n; ++i) {
            s->c[i] = p->c[i] - extra * x[i];
        }
    }
    return result;
}
