// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A gap that is negative at the end of a step has a root within it. A gap that is not negative may have two: the
// shapes passed through each other. The gap is therefore sampled so densely that the thinner of the two shapes cannot
// pass between two samples, at most LOCATE_SAMPLES times. lit (7.2), (7.3). Times tau are counted from the beginning
// of the path [s], gaps are in m or rad. Poses between both ends are those of motion_path.c, a quadratic in time.
#include "step/common/locate.h"
#include "math/brent.h"
#include "rows/measure.h"

enum { LOCATE_SAMPLES = 64, LOCATE_HALVINGS = 40, LOCATE_THIRDS = 60 };

// Where in (0, h] a gap goes through zero from above. `at_once` where it is never above zero before: then
// where it begins to fall.
typedef struct locate_root {
    double tau;
    bool at_once;
} locate_root;

// Where a gap that is nowhere above zero between low and high is largest.
static double locate_top(brent_function gap, void *user, double low, double high)
{
    for (int k = 0; k < LOCATE_THIRDS; ++k) {
        double third = (high - low) / 3.0, left = low + third, right = high - third;
        if (gap(left, user) < gap(right, user)) {
            low = left;
        } else {
            high = right;
        }
    }
    return low;
}

// The first time at which a gap goes below -tolerance. Sampled first: a gap may dip and rise again within a step, and
// a sign at the end alone would miss that.
static bool locate_first(brent_function gap, void *user, double h, int samples, double tolerance,
                         locate_root *out)
{
    double low = 0.0, high = 0.0, above = 0.0, below = 0.0;
    bool found = false, has_low = false;
    for (int i = 1; i <= samples && !found; ++i) {
        high = i < samples ? h * i / samples : h;
        below = gap(high, user);
        if (below < -tolerance && !has_low) {
            above = gap(low, user);
        }
        // A pair that overlaps at the start and separates is not a collision.
        found = below < -tolerance && (above >= -tolerance || below < above - tolerance);
        if (!found) {
            low = high, above = below, has_low = true;
        }
    }
    if (!found) {
        return false;
    }
    // A contact that has just opened, or is closed up to rounding, must rise before it can fall.
    double rise = high - low, end = high;
    for (int k = 0; !(above > 0.0) && k < LOCATE_HALVINGS; ++k) {
        rise *= 0.5;
        above = gap(low + rise, user);
        if (above > 0.0) {
            low += rise;
        } else if (above < -tolerance) {
            high = low + rise;
            below = above;
        }
    }
    if (above > 0.0) {
        *out = (locate_root){pawl_brent(gap, user, low, above, high, below, 1e-15 * h).x, false};
    } else {
        *out = (locate_root){locate_top(gap, user, low, end), true};
    }
    return true;
}

// ---- Shapes -------------------------------------------------------------------------------------

typedef struct locate_pair {
    const motion_path *path;
    const locate_scope *scope;
    finder_pair pair;
    int body[2];
    double margin;
} locate_pair;

// `known` is sorted: ids of contacts that last, whose gap hovers about 0 and is no event.
static bool locate_is_known(const locate_scope *s, double id)
{
    int low = 0, high = s->known_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (s->known[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < s->known_count && s->known[low] == id;
}

// The least gap of the points that are not known to be closed; `margin` where there are none.
static double locate_least_gap(const locate_scope *s, finder_pair pair, const body_state *bodies,
                               double margin)
{
    pawl_contact points[FINDER_POINTS];
    int count = pawl_contact_finder_points(s->finder, pair, bodies, margin, points);
    double least = margin;
    for (int k = 0; k < count; ++k) {
        if (!locate_is_known(s, points[k].id) && !pawl_is_soft(&points[k].soft)) {
            least = fmin(least, points[k].gap);
        }
    }
    return least;
}

// The gap of a pair at tau; writes the poses of its two bodies alone.
static double locate_pair_gap(double tau, void *user)
{
    const locate_pair *p = user;
    for (int side = 0; side < 2; ++side) {
        if (p->body[side] >= 0) {
            p->scope->bodies[p->body[side]] = pawl_motion_body(p->path, p->body[side], tau);
        }
    }
    return locate_least_gap(p->scope, p->pair, p->scope->bodies, p->margin);
}

static bool locate_pair_root(const motion_path *path, const locate_scope *s, finder_pair pair,
                             locate_root *out)
{
    const contact_finder *f = s->finder;
    double thickness = pawl_contact_finder_thickness(f, pair);
    // how far any point of one can have moved, as the other sees it
    double travel = path->h * fmax(pawl_contact_finder_approach(f, pair, path->from),
                                   pawl_contact_finder_approach(f, pair, path->to));
    // Two looks for each thickness that the shapes can pass.
    double samples = fmin(ceil(2.0 * travel / thickness), LOCATE_SAMPLES);
    locate_pair p = {.path = path,
                     .scope = s,
                     .pair = pair,
                     .body = {pawl_contact_finder_body(f, pair.item_a),
                              pawl_contact_finder_body(f, pair.item_b)},
                     .margin = 2.0 * travel + s->tolerance};
    return locate_first(locate_pair_gap, &p, path->h, samples > 1.0 ? (int)samples : 1,
                        s->tolerance, out);
}

// ---- Limits -------------------------------------------------------------------------------------

// A joint coordinate over the step: the cubic through its values and rates at both ends. Its error is of
// fourth order, which the step's is not.
typedef struct locate_limit {
    double h, from, to, from_rate, to_rate; // gaps and their rates
} locate_limit;

static double locate_limit_gap(double tau, void *user)
{
    const locate_limit *l = user;
    double x = tau / l->h, y = 1.0 - x;
    return y * y * ((1.0 + 2.0 * x) * l->from + x * l->h * l->from_rate) +
           x * x * ((1.0 + 2.0 * y) * l->to - y * l->h * l->to_rate);
}

// Gap and its rate at one end, positive: opening.
static void locate_limit_end(const pawl_state *s, const row_info *info, double *gap, double *rate)
{
    double position[6], rates[6];
    pawl_state_joint(s, model_joint_id(s->model, info->owner), position, rates);
    *gap = pawl_limit_gap_at(s->model, info, position[info->part]);
    *rate = info->sign * rates[info->part];
}

static bool locate_limit_root(const pawl_state *from, const pawl_state *to, double h,
                              const locate_scope *s, int candidate, locate_root *out)
{
    const row_info *info = &s->assembly->candidates[candidate];
    locate_limit l = {.h = h};
    locate_limit_end(to, info, &l.to, &l.to_rate);
    locate_limit_end(from, info, &l.from, &l.from_rate);
    // A gap that turns within the step may be negative in between: two looks are enough for a parabola.
    return locate_first(locate_limit_gap, &l, h, 4, s->tolerance, out);
}

// ---- Both ---------------------------------------------------------------------------------------

// All pairs that were near at the end of the motion, then all limits. The earliest wins; of equal times the first
// pair, so that the order does not depend on rounding.
bool pawl_locate_gap_root(const motion_path *path, const pawl_state *from, const pawl_state *to,
                          const locate_scope *s, gap_root *out)
{
    bool found = false;
    locate_root root;
    int pairs = s->finder == NULL ? 0 : pawl_contact_finder_pair_count(s->finder);
    for (int k = 0; k < pairs; ++k) {
        finder_pair pair = pawl_contact_finder_pair(s->finder, k);
        if (locate_pair_root(path, s, pair, &root) && (!found || root.tau < out->tau)) {
            *out = (gap_root){.tau = root.tau,
                              .at_once = root.at_once,
                              .shape_a = pawl_contact_finder_shape(s->finder, pair.item_a),
                              .shape_b = pawl_contact_finder_shape(s->finder, pair.item_b),
                              .joint = -1,
                              .coordinate = -1,
                              .limit = -1,
                              .pair = pair};
            found = true;
        }
    }
    for (int k = 0; k < s->assembly->candidate_count; ++k) {
        if (s->closed[k] || !pawl_assembly_limit_is_hard(s->assembly, k)) {
            continue;
        }
        if (locate_limit_root(from, to, path->h, s, k, &root) && (!found || root.tau < out->tau)) {
            const row_info *info = &s->assembly->candidates[k];
            *out = (gap_root){.tau = root.tau,
                              .at_once = root.at_once,
                              .shape_a = -1,
                              .shape_b = -1,
                              .joint = info->owner,
                              .coordinate = info->part,
                              .limit = k};
            found = true;
        }
    }
    return found;
}

// The gap of the pair or limit that was found, in another state: to correct the time of the event by secants.
double pawl_gap_at_root(const locate_scope *s, const gap_root *m, const pawl_state *state)
{
    if (m->limit < 0) {
        const double far = 1.0; // [m]
        return locate_least_gap(s, m->pair, state->bodies, far);
    }
    double gap, rate;
    locate_limit_end(state, &s->assembly->candidates[m->limit], &gap, &rate);
    return gap;
}
