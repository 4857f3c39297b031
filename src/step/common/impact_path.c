// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The relative velocities v of all contacts change by dv = S dp, the normal impulses p_n grow monotonically,
// and friction has at every instant the direction of the slip at that instant,
//   dp_t = -mu dp_n v_t / |v_t|   where it slips,   |dp_t| <= mu dp_n   where v_t = 0 stays.
// One contact: p_n itself is the parameter (Routh, Keller). Several contacts: each is a spring of the same stiffness,
// in the rigid limit of elastic shapes. The rates dp_n/dt = f are then proportional to the root of the work stored by
// each (Liu, Zhao, Brogliato 2008), waves propagate through rows of bodies, and redundant contacts are loaded
// equally. The stiffness cancels.
//
// Stored work: dE = -v_n dp_n while v_n < 0 (compression), dE = -v_n dp_n / e^2 after it. `energetic` ends a contact
// where E = 0: e^2 of the work of the compression has been returned, and friction only dissipates. `routh` ends it
// where e times the impulse of the compression has been returned.
//
// In an increment the normal impulses are given, so that friction is a convex problem (minimum of a quadratic over
// disks), with the slip at the middle of the increment: second order, and the work of an increment, dp . (v + v')/2,
// is that of exactly this slip, never positive. If the slip ends within an increment, the slip at its end, which is
// zero, is used. Increments end where a contact changes from compression to decompression and where it ends; they are
// shortened if the slip turns by more than a few degrees. Rows of a group: limits first, one row each, then three a
// contact (t, o, n). S (n x n) is symmetric and has the joints eliminated (impact_groups.c). p->rate are the
// velocities at the present point of the path, p->next those after a trial, p->v and p->after those before and after
// the whole impact.
#include "step/common/impact_path.h"
#include "math/trig.h"
#include <math.h>
#include <string.h>

enum {
    PATH_INCREMENTS = 4000,
    PATH_SWEEPS = 100,
    PATH_RETURN_SWEEPS = 5000,
    PATH_LEAP = 100,
    PATH_ROOTS = 60
};
static const double path_rest = 1e-12; // of the fastest closing: slower is rest
static const double path_creep = 1e-4; // of it: slip below does not count as turning
static const double path_settled =
    1e-11; // of impulses or velocities: changes of a sweep that end it
static const double path_exact =
    1e-13; // of the fastest closing, or of what was stored: at an event
static const double path_turn =
    0.99875; // cosine of the angle that slip may turn by in an increment
static const double path_part =
    1.0 / 64.0; // of the shortest period: an increment of several contacts
static const double path_least = 1.0 / 65536.0; // of an increment: it is not cut further
static const double path_stop = 1.0 / 1024.0;   // of an increment: the one in which slip ends
static const double path_still = 1e-14;         // of the largest S_nn: what cannot be moved

impact_path *pawl_impact_path_layout(int max_units, pawl_carver *mem)
{
    int max_rows = 3 * max_units;
    impact_path *out = PAWL_CARVE(mem, impact_path, 1);
    impact_path p = {.max_units = max_units, .S = PAWL_CARVE(mem, double, max_rows *max_rows)};
    double **rows[] = {&p.v, &p.lambda, &p.after, &p.rate, &p.step, &p.next, &p.kept};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        *rows[i] = PAWL_CARVE(mem, double, max_rows);
    }
    double **units[] = {&p.mu,       &p.e,           &p.allowed,  &p.energy,
                        &p.due,      &p.energy_peak, &p.due_peak, &p.energy_next,
                        &p.due_next, &p.mark,        &p.mark_low};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i) {
        *units[i] = PAWL_CARVE(mem, double, max_units);
    }
    p.inside = PAWL_CARVE(mem, bool, max_units);
    p.slope = PAWL_CARVE(mem, double, 2 * max_units);
    p.factor = PAWL_CARVE(mem, double, max_rows *max_rows);
    p.active = PAWL_CARVE(mem, bool, max_units);
    p.list = PAWL_CARVE(mem, int, max_rows);
    if (out != NULL) {
        *out = p;
    }
    return out;
}

// Entry (i, j) of S [1/kg and its kin].
static double path_s(const impact_path *p, int i, int j)
{
    return p->S[i * pawl_impact_path_rows(p) + j];
}

// Normal velocity of a unit, less the closing that is left to it.
static double path_opening(const impact_path *p, const double *v, int unit)
{
    return v[pawl_impact_path_normal(p, unit)] + p->allowed[unit];
}

// v += S e_row impulse.
static void path_add(const impact_path *p, int row, double impulse, double *v)
{
    int n = pawl_impact_path_rows(p);
    const double *column = p->S + (size_t)row * (size_t)n; // S is symmetric
    for (int i = 0; i < n && impulse != 0.0; ++i) {
        v[i] += column[i] * impulse;
    }
}

// The t of |t| <= r with the least t.A t/2 + c.t, A = [a b; b d]: friction of one contact. True: inside.
// A is symmetric and positive semidefinite; in its axes the problem is that of two numbers. `low` is kept away
// from 0 because tangents of a mechanism may depend on each other.
static bool path_disk(double a, double b, double d, const double c[2], double r, double t[2])
{
    double mean = 0.5 * (a + d), half = 0.5 * (a - d), root = sqrt(half * half + b * b);
    double high = mean + root, low = fmax(mean - root, 1e-14 * high);
    t[0] = t[1] = 0.0;
    if (!(high > 0.0 && r > 0.0)) {
        return false;
    }
    // Axes of A: c = g0 (cx, sx) + g1 (-sx, cx).
    double twice = root > 0.0 ? half / root : 1.0; // cosine of twice the angle of the first axis
    double cx = sqrt(0.5 * (1.0 + twice)), sx = copysign(sqrt(fmax(0.5 * (1.0 - twice), 0.0)), b);
    double g[2] = {cx * c[0] + sx * c[1], -sx * c[0] + cx * c[1]};
    double x = g[0] / high, y = g[1] / low;
    bool inside = x * x + y * y <= r * r;
    // |t| of (A + k)t = -c falls with k. Newton on 1/|t|, which is nearly linear, from the left (More).
    double k = 0.0;
    for (int i = 0; i < PATH_ROOTS && !inside; ++i) {
        x = g[0] / (high + k);
        y = g[1] / (low + k);
        double size = sqrt(x * x + y * y);
        double slope = (x * x / (high + k) + y * y / (low + k)) / (size * size);
        double change = (size / r - 1.0) / slope;
        k += change;
        if (!(fabs(change) > 1e-15 * (k + high))) {
            break;
        }
    }
    if (!inside) {
        double size = sqrt(x * x + y * y);
        x *= r / size;
        y *= r / size;
    }
    t[0] = -(cx * x - sx * y);
    t[1] = -(sx * x + cx * y);
    return inside;
}

// Friction of contact k of a trial, at v + theta S step. Returns its change.
// theta is 1/2 for the slip at the middle of the increment and 1 for that at its end. Changes are measured as
// velocities, |by| sqrt(S_ii), so that rows with different inertia compare.
static double path_rub(const impact_path *p, int unit, double theta, double *after, bool *inside)
{
    int r = pawl_impact_path_normal(p, unit) - 2;
    double a = path_s(p, r, r), b = path_s(p, r, r + 1), d = path_s(p, r + 1, r + 1);
    double c[2], t[2], change = 0.0;
    for (int i = 0; i < 2; ++i) { // slip without its own friction
        double own = path_s(p, r + i, r) * p->step[r] + path_s(p, r + i, r + 1) * p->step[r + 1];
        c[i] = p->rate[r + i] + theta * (after[r + i] - p->rate[r + i] - own);
    }
    *inside = path_disk(theta * a, theta * b, theta * d, c, p->mu[unit] * p->step[r + 2], t);
    for (int i = 0; i < 2; ++i) {
        double by = t[i] - p->step[r + i];
        p->step[r + i] = t[i];
        path_add(p, r + i, by, after);
        change = fmax(change, fabs(by) * sqrt(path_s(p, r + i, r + i)));
    }
    return change;
}

// Friction of all contacts of a trial whose normal impulses stand in p->step; p->next: velocities after
// it. Returns whether some contact sticks.
static bool path_friction(impact_path *p, double theta)
{
    int n = pawl_impact_path_rows(p), rubbing = 0;
    memcpy(p->next, p->rate, (size_t)n * sizeof *p->next);
    double size = 0.0;
    for (int u = 0; u < p->limits + p->contacts; ++u) {
        int r = pawl_impact_path_normal(p, u);
        path_add(p, r, p->step[r], p->next);
        size = fmax(size, p->step[r] * sqrt(path_s(p, r, r)));
        if (u >= p->limits) {
            for (int i = 0; i < 2; ++i) { // as it leaned in the last increment
                p->step[r - 2 + i] = p->slope[2 * u + i] * p->step[r];
                path_add(p, r - 2 + i, p->step[r - 2 + i], p->next);
            }
            rubbing += p->mu[u] > 0.0 && p->step[r] > 0.0;
        }
    }
    bool sticks = false;
    for (int k = 0; k < PATH_SWEEPS && rubbing > 0; ++k) {
        double change = 0.0;
        sticks = false;
        for (int u = p->limits; u < p->limits + p->contacts; ++u) {
            bool inside = false;
            if (p->mu[u] > 0.0 && p->step[pawl_impact_path_normal(p, u)] > 0.0) {
                change = fmax(change, path_rub(p, u, theta, p->next, &inside));
            }
            p->inside[u] = inside;
            sticks = sticks || inside;
        }
        if (rubbing == 1 || !(change > path_settled * size)) {
            break;
        }
    }
    return sticks;
}

// The least cosine of an angle by which the slip of a contact turns in a trial, of slips faster than `rest`. Slip
// that ends in sticking does not turn; slip that is reversed does, however slow it is then.
static double path_most_turn(const impact_path *p, double rest)
{
    double least = 1.0;
    for (int u = p->limits; u < p->limits + p->contacts; ++u) {
        int r = pawl_impact_path_normal(p, u) - 2;
        const double *a = p->rate + r, *b = p->next + r;
        double na = sqrt(a[0] * a[0] + a[1] * a[1]), nb = sqrt(b[0] * b[0] + b[1] * b[1]);
        bool rubs = p->mu[u] > 0.0 && p->step[r + 2] > 0.0 && !p->inside[u];
        if (rubs && na > rest && nb > 0.0) {
            least = fmin(least, (a[0] * b[0] + a[1] * b[1]) / (na * nb));
        }
    }
    return least;
}

// Whether a lone contact can stick where its slip has just ended: the friction that holds it, -A^-1 S_tn p_n, is
// in its cone.
static bool path_can_stick(const impact_path *p, int unit)
{
    int r = pawl_impact_path_normal(p, unit) - 2;
    double a = path_s(p, r, r), b = path_s(p, r, r + 1), d = path_s(p, r + 1, r + 1);
    double x = path_s(p, r, r + 2), y = path_s(p, r + 1, r + 2), det = a * d - b * b;
    double t0 = (d * x - b * y) / det, t1 = (a * y - b * x) / det;
    return t0 * t0 + t1 * t1 <= p->mu[unit] * p->mu[unit];
}

// Whether a trial of a lone contact, of this share of its length, is short enough for the end of its slip. Over
// a long one the mean of friction before and after that looks like sticking, whether or not it sticks.
static bool path_ends_slip(const impact_path *p, int lone, double fraction, double rest)
{
    if (lone < p->limits || !p->inside[lone] || p->mu[lone] == 0.0) {
        return true;
    }
    const double *slip = p->rate + pawl_impact_path_normal(p, lone) - 2;
    bool slid = sqrt(slip[0] * slip[0] + slip[1] * slip[1]) > rest;
    return !slid || fraction <= (path_can_stick(p, lone) ? path_stop : path_least);
}

// ---- Rates and stored work -------------------------------------------------------------------

// dp_n/dt of a unit: sqrt(2 E) in compression. In decompression by impulses, what a linear spring that
// returns its impulse has left: a quarter of a cosine over the impulse.
static double path_force(const impact_path *p, int unit, bool opening)
{
    if (opening && p->law == PATH_KINETIC) {
        double left = p->due_peak[unit] > 0.0 ? p->due[unit] / p->due_peak[unit] : 0.0;
        return sqrt(fmax(2.0 * p->energy_peak[unit] * left * (2.0 - left), 0.0));
    }
    return sqrt(2.0 * p->energy[unit]);
}

// Whether a unit has still something to return.
static bool path_stores(const impact_path *p, int unit)
{
    return p->law == PATH_KINETIC ? p->due[unit] > 0.0 : p->energy[unit] > 0.0;
}

// Between bodies that cannot move S_nn is 0: no impulse would ever open such a unit.
static bool path_moves(const impact_path *p, int unit, double largest)
{
    int r = pawl_impact_path_normal(p, unit);
    return path_s(p, r, r) > path_still * largest;
}

// Normal impulses of a trial of length t: a time, or of a lone unit the impulse itself.
// For energies, f' = -k w with k = 1, or 1/e^2 in decompression, and w constant over the trial: dp_n is the area
// below a straight line. A contact with friction takes part by its normal impulse here, and path_friction() adds
// the rest.
static void path_press(impact_path *p, int lone, double t, const bool *active)
{
    memset(p->step, 0, (size_t)pawl_impact_path_rows(p) * sizeof *p->step);
    for (int u = 0; u < p->limits + p->contacts; ++u) {
        if (!active[u]) {
            continue;
        }
        double w = path_opening(p, p->rate, u), f, give;
        bool opening = w >= 0.0;
        if (u == lone) {
            give = t;
        } else if (opening && p->law == PATH_KINETIC) {
            // The mean over the increment, as if the slope of f stayed what it is.
            double peak = p->due_peak[u], left = peak > 0.0 ? p->due[u] / peak : 0.0;
            double turn = peak > 0.0 ? t * sqrt(2.0 * p->energy_peak[u]) / peak : 2.0;
            double sine = 1.0 - left, cosine = sqrt(fmax(left * (2.0 - left), 0.0));
            double st = pawl_sin(turn), ct = pawl_cos(turn);
            bool ends = turn > 1.5 || !(cosine * ct > sine * st); // past a quarter of the turn
            give = peak * ((ends ? 1.0 : sine * ct + cosine * st) - sine);
        } else {
            double stiffness = opening ? 1.0 / (p->e[u] * p->e[u]) : 1.0;
            f = path_force(p, u, opening);
            double end = f - t * stiffness * w;
            // A force that falls to zero within the increment acts until then.
            give = end >= 0.0 ? 0.5 * t * (f + end) : 0.5 * f * f / (stiffness * w);
        }
        p->step[pawl_impact_path_normal(p, u)] = give;
    }
}

// What is stored after a trial, and the event functions: positive beyond an event.
static void path_store(impact_path *p, int lone, const bool *active, double fastest)
{
    for (int u = 0; u < p->limits + p->contacts; ++u) {
        int r = pawl_impact_path_normal(p, u);
        double before = path_opening(p, p->rate, u), after = path_opening(p, p->next, u);
        double work = -0.5 * (before + after) * p->step[r], e = p->e[u];
        p->energy_next[u] = p->energy[u];
        p->due_next[u] = p->due[u];
        p->mark[u] = -1.0;
        if (!active[u]) { // others may press it
            p->mark[u] = lone >= 0 ? -after / fastest - 2.0 * path_rest : -1.0;
            continue;
        }
        if (before < 0.0) {
            p->energy_next[u] += work;
            p->due_next[u] += e * p->step[r];
            p->mark[u] = after / fastest;
        } else if (p->law == PATH_KINETIC) {
            p->due_next[u] -= p->step[r];
            p->mark[u] = -p->due_next[u] / p->due_peak[u];
        } else {
            p->energy_next[u] += work / (e * e);
            p->mark[u] = -p->energy_next[u] / p->energy_peak[u];
        }
    }
}

// A trial of length t. True: it is short enough for how the slip turns.
static bool path_try(impact_path *p, int lone, double t, const bool *active, double fastest)
{
    path_press(p, lone, t, active);
    bool sticks = path_friction(p, 0.5);
    double rest = path_creep * fastest;
    if (sticks || path_most_turn(p, rest) < 0.0) {
        path_friction(p, 1.0);
    }
    path_store(p, lone, active, fastest);
    return path_most_turn(p, rest) >= path_turn;
}

// Where the first event lies between `low` without one, whose functions stand in mark_low, and `high`, whose
// functions stand in mark.
static double path_interpolate(const impact_path *p, double low, double high)
{
    double first = high;
    for (int u = 0; u < p->limits + p->contacts; ++u) {
        if (p->mark[u] > 0.0) {
            double fraction = -p->mark_low[u] / (p->mark[u] - p->mark_low[u]);
            first = fmin(first, low + fmin(fmax(fraction, 0.0), 1.0) * (high - low));
        }
    }
    return first;
}

// Above 0: some unit is beyond its event.
static double path_worst(const double *mark, int units)
{
    double worst = -INFINITY;
    for (int u = 0; u < units; ++u) {
        worst = fmax(worst, mark[u]);
    }
    return worst;
}

// Shortens a trial of length t until no event lies before its end. Returns its length; 0: an event is at the
// very beginning.
// A mixture of false position and bisection, because event functions have kinks where friction changes.
static double path_locate(impact_path *p, int lone, double t, const bool *active, double fastest)
{
    int units = p->limits + p->contacts;
    if (path_worst(p->mark, units) <= path_exact) {
        return t;
    }
    double low = 0.0, high = t;
    for (int u = 0; u < units; ++u) { // the functions of an increment of no length
        double w = path_opening(p, p->rate, u);
        bool stores = w >= 0.0 && active[u];
        double left =
            p->law == PATH_KINETIC ? p->due[u] / p->due_peak[u] : p->energy[u] / p->energy_peak[u];
        p->mark_low[u] = stores ? -left : active[u] ? w / fastest : -w / fastest - 2.0 * path_rest;
    }
    for (int k = 0; k < PATH_ROOTS; ++k) {
        double guess = path_interpolate(p, low, high);
        // Bisection now and then, for functions that are far from linear.
        double next = k % 4 == 3 ? 0.5 * (low + high) : guess;
        path_try(p, lone, next, active, fastest);
        double worst = path_worst(p->mark, units);
        if (worst > path_exact) {
            high = next;
        } else {
            low = next;
            memcpy(p->mark_low, p->mark, (size_t)units * sizeof *p->mark);
            if (worst > -path_exact) {
                return low;
            }
        }
        if (!(high - low > 1e-15 * t)) {
            break;
        }
        if (worst <= path_exact) { // functions beyond the event again
            path_try(p, lone, high, active, fastest);
        }
    }
    path_try(p, lone, low, active, fastest);
    return low;
}

// ---- Increments ---------------------------------------------------------------------------------

// The trial becomes the state. The direction of friction is kept as the first guess of the next increment.
static void path_accept(impact_path *p)
{
    int n = pawl_impact_path_rows(p);
    size_t units = (size_t)(p->limits + p->contacts);
    for (int i = 0; i < n; ++i) {
        p->lambda[i] += p->step[i];
        p->rate[i] = p->next[i];
    }
    for (int u = p->limits; u < p->limits + p->contacts; ++u) {
        const double *x = p->step + pawl_impact_path_normal(p, u) - 2;
        for (int i = 0; i < 2 && x[2] > 0.0; ++i) {
            p->slope[2 * u + i] = x[i] / x[2];
        }
    }
    memcpy(p->energy, p->energy_next, units * sizeof *p->energy);
    memcpy(p->due, p->due_next, units * sizeof *p->due);
}

// Between increments: peaks of what is stored, by which decompression is measured, and rounding taken out of
// what an event has just made zero.
static void path_settle(impact_path *p, double fastest)
{
    for (int u = 0; u < p->limits + p->contacts; ++u) {
        double w = path_opening(p, p->rate, u);
        if (w < 0.0 && w >= -path_rest * fastest) {
            p->rate[pawl_impact_path_normal(p, u)] -= w;
            w = 0.0;
        }
        if (w < 0.0) {
            if (p->energy_peak[u] > 0.0) { // compressed again
                double f = path_force(p, u, true);
                p->energy[u] = p->law == PATH_KINETIC ? 0.5 * f * f : fmax(p->energy[u], 0.0);
                p->energy_peak[u] = p->due_peak[u] = 0.0;
            }
            continue;
        }
        p->energy_peak[u] = fmax(p->energy_peak[u], p->energy[u]);
        p->due_peak[u] = fmax(p->due_peak[u], p->due[u]);
        double left =
            p->law == PATH_KINETIC ? p->due[u] / p->due_peak[u] : p->energy[u] / p->energy_peak[u];
        if (!(left > 2.0 * path_exact) || p->e[u] == 0.0) {
            p->energy[u] = p->due[u] = 0.0;
        }
    }
}

// Which units act. Returns their number, and the only one's index in *lone (-1: there are several).
static int path_active(const impact_path *p, double fastest, double largest, bool *active,
                       int *lone)
{
    int count = 0;
    *lone = -1;
    for (int u = 0; u < p->limits + p->contacts; ++u) {
        double w = path_opening(p, p->rate, u);
        active[u] = path_moves(p, u, largest) &&
                    (w < -path_rest * fastest || (w >= 0.0 && path_stores(p, u)));
        *lone = active[u] ? u : *lone;
        count += active[u];
    }
    *lone = count == 1 ? *lone : -1;
    return count;
}

// The longest increment: of a lone unit to where its phase ends if nothing turns, else a part of the
// shortest period.
// For several units the stiffnesses are 1, so that the frequencies are roots of the eigenvalues of S_nn, which the
// largest sum of a row bounds.
static double path_length(const impact_path *p, int lone, const bool *active)
{
    if (lone >= 0) {
        int r = pawl_impact_path_normal(p, lone);
        double w = path_opening(p, p->rate, lone), s = path_s(p, r, r), e = p->e[lone];
        if (w < 0.0) {
            return -w / s;
        }
        return p->law == PATH_KINETIC ? p->due[lone]
                                      : (sqrt(w * w + 2.0 * s * e * e * p->energy[lone]) - w) / s;
    }
    double square = 0.0;
    for (int u = 0; u < p->limits + p->contacts; ++u) {
        double sum = 0.0;
        for (int o = 0; o < p->limits + p->contacts && active[u]; ++o) {
            int i = pawl_impact_path_normal(p, u), j = pawl_impact_path_normal(p, o);
            sum += active[o] ? fabs(path_s(p, i, j)) : 0.0;
        }
        square = fmax(square, sum);
    }
    return 6.283185307179586 * path_part / sqrt(square);
}

// The scale of velocities of this impact [m/s].
static double path_fastest(const impact_path *p, const double *v)
{
    double fastest = 0.0;
    for (int u = 0; u < p->limits + p->contacts; ++u) {
        fastest = fmax(fastest, -path_opening(p, v, u));
    }
    return fastest;
}

// The scale of S: the lightest unit's.
static double path_largest(const impact_path *p)
{
    double largest = 0.0;
    for (int u = 0; u < p->limits + p->contacts; ++u) {
        int r = pawl_impact_path_normal(p, u);
        largest = fmax(largest, path_s(p, r, r));
    }
    return largest;
}

// Work of all impulses at the mean of the velocities before and after, the change of kinetic energy [J].
double pawl_impact_path_work(const impact_path *p)
{
    double work = 0.0;
    for (int i = 0; i < pawl_impact_path_rows(p); ++i) {
        work += 0.5 * p->lambda[i] * (p->v[i] + p->after[i]);
    }
    return work;
}

// ---- Poisson's decompression --------------------------------------------------------------------

// Opening of a contact that gets the normal impulse y and friction at the slip after it; c (3): velocities
// without impulses of its own. Its friction to t.
static double path_answer(const impact_path *p, int unit, const double c[3], double y, double t[2])
{
    int r = pawl_impact_path_normal(p, unit) - 2;
    double slip[2] = {c[0] + path_s(p, r, r + 2) * y, c[1] + path_s(p, r + 1, r + 2) * y};
    path_disk(path_s(p, r, r), path_s(p, r, r + 1), path_s(p, r + 1, r + 1), slip, p->mu[unit] * y,
              t);
    return c[2] + path_s(p, r + 2, r) * t[0] + path_s(p, r + 2, r + 1) * t[1] +
           path_s(p, r + 2, r + 2) * y + p->allowed[unit];
}

// The y >= due for which the contact opens with `level`, between two that do and do not. False: none up to `most`.
static bool path_bracket(const impact_path *p, int unit, const double c[3], double level,
                         double most, double *y, double t[2])
{
    int r = pawl_impact_path_normal(p, unit);
    double low = p->due[unit], s = path_s(p, r, r);
    double open = path_answer(p, unit, c, low, t) - level, high = low, above = open;
    for (int k = 0; k < PATH_ROOTS && above < 0.0 && high <= most; ++k) {
        low = high;
        open = above;
        high += fmax(-open / s, high);
        above = path_answer(p, unit, c, high, t) - level;
    }
    bool found = above >= 0.0;
    for (int k = 0; k < PATH_ROOTS && found && high - low > 1e-16 * high; ++k) {
        double fraction = k % 3 == 2 ? 0.5 : open / (open - above);
        double at, mid = low + fraction * (high - low);
        at = path_answer(p, unit, c, mid, t) - level;
        *(at < 0.0 ? &low : &high) = mid;
        *(at < 0.0 ? &open : &above) = at;
    }
    path_answer(p, unit, c, high, t);
    *y = high;
    return found;
}

// The least y >= due for which it does not close. Its opening speed finally increases with y, because friction ends
// the slip; before that it may fall. In a wedge between links of one mechanism S has no full rank, and friction that
// ends the slip ends the closing with it, to rounding. False: whatever y is, it closes (a wedge that shall bounce).
static bool path_hold(const impact_path *p, int unit, const double c[3], double *y, double t[2])
{
    const double rounding = 1e-12, large = 1e8; // of the velocities
    int r = pawl_impact_path_normal(p, unit);
    double s = path_s(p, r, r);
    *y = p->due[unit];
    if (path_answer(p, unit, c, *y, t) >= 0.0 || !(s > 0.0)) {
        return true;
    }
    double size = fabs(c[0]) + fabs(c[1]) + fabs(c[2]) + fabs(p->allowed[unit]) + s * *y;
    return path_bracket(p, unit, c, 0.0, large * size / s, y, t) ||
           path_bracket(p, unit, c, -rounding * size, large * size / s, y, t);
}

// One unit of a sweep. False: it has no answer.
// Gauss-Seidel: c are the velocities without the unit's own impulses, and the unit is then solved exactly against
// them.
static bool path_sweep_unit(impact_path *p, int unit)
{
    int rows = unit < p->limits ? 1 : 3, first = pawl_impact_path_normal(p, unit) - (rows - 1);
    double c[3], x[3];
    for (int i = 0; i < rows; ++i) {
        c[i] = p->after[first + i];
        for (int j = 0; j < rows; ++j) {
            c[i] -= path_s(p, first + i, first + j) * p->lambda[first + j];
        }
    }
    if (rows == 1) {
        double s = path_s(p, first, first);
        x[0] = s > 0.0 ? fmax(p->due[unit], -(c[0] + p->allowed[unit]) / s) : p->due[unit];
    } else {
        if (!path_hold(p, unit, c, &x[2], x)) {
            return false;
        }
    }
    for (int i = 0; i < rows; ++i) {
        double by = x[i] - p->lambda[first + i];
        p->lambda[first + i] = x[i];
        path_add(p, first + i, by, p->after);
    }
    return true;
}

// Rows of equations as things stand: tangents of contacts that rub, v_t + k t = 0 with k = 0 where they stick and
// |v_t|/|t| where they slip; normals and limits that get more than they are due, v_n = 0. Returns
// their number, their places in p->list, k in p->next.
static int path_tied_rows(const impact_path *p)
{
    int count = 0;
    for (int u = 0; u < p->limits + p->contacts; ++u) {
        int r = pawl_impact_path_normal(p, u);
        const double *x = p->lambda + r, *v = p->after + r;
        if (u >= p->limits && p->mu[u] * x[0] > 0.0) {
            double size = sqrt(x[-2] * x[-2] + x[-1] * x[-1]);
            bool slips = size >= (1.0 - 1e-12) * p->mu[u] * x[0];
            double k = slips ? sqrt(v[-2] * v[-2] + v[-1] * v[-1]) / size : 0.0;
            for (int i = r - 2; i < r; ++i) {
                p->list[count++] = i;
                p->next[i] = k;
            }
        }
        if (x[0] > p->due[u]) {
            p->list[count++] = r;
            p->next[r] = 0.0;
        }
    }
    return count;
}

// p->step = -(S + K)^-1 (v + K lambda) over the listed rows by Cholesky; dependent rows get nothing.
static void path_solve_rows(impact_path *p, int count)
{
    double *L = p->factor, *x = p->step;
    for (int i = 0; i < count; ++i) {
        int row = p->list[i];
        for (int j = 0; j <= i; ++j) {
            double sum = path_s(p, row, p->list[j]) + (i == j ? p->next[row] : 0.0);
            for (int k = 0; k < j; ++k) {
                sum -= L[i * count + k] * L[j * count + k];
            }
            double pivot = L[j * count + j];
            L[i * count + j] = j < i ? (pivot > 0.0 ? sum / pivot : 0.0)
                                     : (sum > 1e-11 * path_s(p, row, row) ? sqrt(sum) : 0.0);
        }
        double sum = -p->after[row] - p->next[row] * p->lambda[row];
        for (int unit = 0; unit < p->limits + p->contacts; ++unit) {
            sum -= pawl_impact_path_normal(p, unit) == row ? p->allowed[unit] : 0.0;
        }
        for (int k = 0; k < i; ++k) {
            sum -= L[i * count + k] * x[k];
        }
        x[i] = L[i * count + i] > 0.0 ? sum / L[i * count + i] : 0.0;
    }
    for (int i = count - 1; i >= 0; --i) {
        for (int k = i + 1; k < count; ++k) {
            x[i] -= L[k * count + i] * x[k];
        }
        x[i] = L[i * count + i] > 0.0 ? x[i] / L[i * count + i] : 0.0;
    }
}

// How much of the step p->rate a unit takes before it starts to slip, or gets less than it is due.
static double path_room(const impact_path *p, int unit)
{
    int r = pawl_impact_path_normal(p, unit);
    const double *x = p->lambda + r, *d = p->rate + r;
    double room = d[0] < 0.0 ? fmin(1.0, (x[0] - p->due[unit]) / -d[0]) : 1.0;
    if (unit < p->limits || !(p->mu[unit] * x[0] > 0.0) || p->next[r - 1] > 0.0) {
        return room; // sweeps put those that slip back on their circles
    }
    for (int k = 0; k < PATH_ROOTS; ++k) { // the cone is convex: halving finds a point inside
        double t0 = x[-2] + room * d[-2], t1 = x[-1] + room * d[-1];
        double bound = p->mu[unit] * (x[0] + room * d[0]);
        if (t0 * t0 + t1 * t1 <= bound * bound) {
            return room;
        }
        room *= 0.5;
    }
    return 0.0;
}

// Contacts of very oblong bodies act on each other so strongly that sweeps creep. The equations as they stand are
// then solved at once, as far as none that sticks leaves its cone; sweeps decide again who slips.
static void path_leap(impact_path *p)
{
    int n = pawl_impact_path_rows(p), count = path_tied_rows(p);
    double fraction = 1.0;
    path_solve_rows(p, count);
    memset(p->rate, 0, (size_t)n * sizeof *p->rate);
    for (int i = 0; i < count; ++i) {
        p->rate[p->list[i]] = p->step[i];
    }
    for (int u = 0; u < p->limits + p->contacts; ++u) {
        fraction = fmin(fraction, path_room(p, u));
    }
    for (int i = 0; i < count; ++i) {
        double by = fraction * p->step[i];
        p->lambda[p->list[i]] += by;
        path_add(p, p->list[i], by, p->after);
    }
}

// Sweeps over all units from velocities p->after, whose impulses are p->lambda, to
// 0 <= v_n _|_ lambda_n - due >= 0, until velocities stay: friction of redundant contacts may still wander.
static bool path_sweep(impact_path *p)
{
    int n = pawl_impact_path_rows(p);
    double size = 0.0;
    for (int i = 0; i < n; ++i) {
        size = fmax(size, fabs(p->v[i]));
    }
    for (int k = 0; k < PATH_RETURN_SWEEPS; ++k) {
        double change = 0.0;
        memcpy(p->next, p->after, (size_t)n * sizeof *p->next);
        for (int u = 0; u < p->limits + p->contacts; ++u) {
            if (!path_sweep_unit(p, u)) {
                return false;
            }
        }
        for (int i = 0; i < n; ++i) {
            change = fmax(change, fabs(p->after[i] - p->next[i]));
            size = fmax(size, fabs(p->after[i]));
        }
        if (!(change > path_settled * size)) {
            return true;
        }
        if (k % PATH_LEAP == PATH_LEAP - 1) {
            path_leap(p);
        }
    }
    return false;
}

// From velocities p->v: each unit gets at least p->due of normal impulse, and more where it would close (lit
// (7.7)-(7.9), with friction). False: the sweeps did not settle.
bool pawl_impact_path_return(impact_path *p)
{
    int n = pawl_impact_path_rows(p);
    memset(p->lambda, 0, (size_t)n * sizeof *p->lambda);
    memcpy(p->after, p->v, (size_t)n * sizeof *p->after);
    return path_sweep(p);
}

// ---- The path -----------------------------------------------------------------------------------

// Whether all that is left is a tail: bodies that rock to and fro between plastic contacts, ever slower,
// or bounces whose work is nothing beside that of the impact.
static bool path_is_tail(const impact_path *p, double fastest, double stored)
{
    // The bound is wider if every contact is plastic: then the rest of the impact only loses energy, and is solved as
    // one plastic impact.
    bool plastic = true;
    for (int u = 0; u < p->limits + p->contacts; ++u) {
        plastic = plastic && p->e[u] == 0.0;
    }
    for (int u = 0; u < p->limits + p->contacts; ++u) {
        bool slow = path_opening(p, p->rate, u) >= -(plastic ? 0.05 : 1e-3) * fastest;
        bool empty = p->e[u] == 0.0 || !path_stores(p, u) || p->energy[u] <= 1e-9 * stored;
        if (!slow || !empty) {
            return false;
        }
    }
    return true;
}

// The tail at once: nothing more is stored, what would close is stopped, with friction.
static bool path_end(impact_path *p)
{
    int n = pawl_impact_path_rows(p), units = p->limits + p->contacts;
    memcpy(p->kept, p->lambda, (size_t)n * sizeof *p->kept);
    memset(p->lambda, 0, (size_t)n * sizeof *p->lambda);
    memset(p->due, 0, (size_t)units * sizeof *p->due);
    memcpy(p->after, p->rate, (size_t)n * sizeof *p->after);
    bool done = path_sweep(p);
    for (int i = 0; i < n; ++i) {
        p->lambda[i] += p->kept[i];
    }
    return done;
}

// Whether a trial of all that opens has moved nothing: contacts between links of one mechanism that friction has
// wedged. What they have stored stays locked in them; the rigid bodies rest.
static bool path_is_wedged(const impact_path *p, double fastest)
{
    double change = 0.0;
    for (int u = 0; u < p->limits + p->contacts; ++u) {
        if (p->active[u] && path_opening(p, p->rate, u) < 0.0) {
            return false;
        }
    }
    for (int i = 0; i < pawl_impact_path_rows(p); ++i) {
        change = fmax(change, fabs(p->next[i] - p->rate[i]));
    }
    return change <= path_rest * fastest;
}

// The loop: who acts, how long an increment may be, a trial, halved while the slip turns too far, shortened to the
// first event, accepted. The length grows again by doubling. False: PATH_INCREMENTS were not enough.
bool pawl_impact_path_follow(impact_path *p)
{
    int n = pawl_impact_path_rows(p), units = p->limits + p->contacts;
    bool *active = p->active;
    double *clear[] = {p->energy, p->due, p->energy_peak, p->due_peak};
    for (size_t i = 0; i < sizeof clear / sizeof clear[0]; ++i) {
        memset(clear[i], 0, (size_t)units * sizeof *clear[i]);
    }
    memset(p->slope, 0, (size_t)(2 * units) * sizeof *p->slope);
    memset(p->lambda, 0, (size_t)n * sizeof *p->lambda);
    memcpy(p->rate, p->v, (size_t)n * sizeof *p->rate);
    // `fraction` is the part of the longest increment that the last trial was cut to.
    double fastest = path_fastest(p, p->v), largest = path_largest(p), fraction = 1.0, stored = 0.0;
    for (int k = 0; k < PATH_INCREMENTS; ++k) {
        int lone;
        path_settle(p, fastest);
        if (path_active(p, fastest, largest, active, &lone) == 0) {
            memcpy(p->after, p->rate, (size_t)n * sizeof *p->after);
            return true;
        }
        for (int u = 0; u < units; ++u) {
            stored = fmax(stored, p->energy[u]);
        }
        if (lone < 0 && path_is_tail(p, fastest, stored)) {
            return path_end(p);
        }
        double t = path_length(p, lone, active) * fraction;
        while (!(path_try(p, lone, t, active, fastest) &&
                 path_ends_slip(p, lone, fraction, path_creep * fastest)) &&
               fraction > path_least) {
            fraction *= 0.5;
            t *= 0.5;
        }
        double taken = path_locate(p, lone, t, active, fastest);
        if (taken > 1e-6 * t && path_is_wedged(p, fastest)) {
            for (int u = 0; u < units; ++u) {
                p->energy[u] = active[u] ? 0.0 : p->energy[u];
                p->due[u] = active[u] ? 0.0 : p->due[u];
            }
            continue;
        }
        path_accept(p);
        fraction = fmin(2.0 * fraction, 1.0);
    }
    return false;
}
