// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Algorithm 2 of NMDP: a step that does not converge is halved, recursively if necessary. In units of the shortest
// allowed part, a part that begins at p is at most as long as the lowest set bit of p, which is equivalent to the
// recursion of the paper. Every accepted part increases p and every failed part is halved, so the algorithm
// terminates.
//
// All parts use their own length h and the rates at their beginning, so the length of the previous part does not
// matter (the paper divides by dt where alpha dt is meant).
//
// nmdp.order=2 is the SDIRK method of two stages and order 2 (Alexander 1977), g = 1 - 1/sqrt 2, which is
// L-stable: the first stage is implicit Euler over g h from X, V and gives X1, V1 and A1 = (V1 - V)/(g h);
// the second one begins at X^ = X + (1 - g) h V1, V^ = V + (1 - g) h A1 = V + 2.4 (V1 - V). Two things must not
// happen with a contact that closes:
//  - its closing velocity c falls to less than 1 - 1/2.4 of itself in the first stage: V^ would bounce;
//  - the second stage stops it with a small fraction of the force that is possible in X^: it stopped long before the
//  extrapolated position X^, and would remain too deep.
// In both cases only the first stage is kept, which is an implicit Euler step over g h, and the rest of the part
// starts there. Impacts therefore cost one more stage and an error of order h^2 each; compression and sliding, in
// which forces are smooth, are of second order. (Whole Euler steps at every touch, as earlier versions had, dissipate
// like order 1 in a sixth of the steps of a trot, at any step size.)
#include "step/nmdp/nmdp.h"
#include <string.h>

enum { ADVANCE_MAX_HALVINGS = 30 };
static const double advance_g = 0.29289321881345254; // 1 - 1/sqrt 2
static const double advance_least_part = 0.0625;     // of a step, by two stages
static const double advance_least_divided =
    0.1; // of a step: shorter ones end where their descent does
static const double advance_least_force = 0.25; // of what stops a contact, over what could

// out = x + a y
static void advance_combine(const nmdp *s, const nmdp_moment *x, double a, const nmdp_moment *y,
                            nmdp_moment *out)
{
    for (int i = 0; i < s->numbers; ++i) {
        out->theta[i] = x->theta[i] + a * y->theta[i];
    }
}

static void advance_copy(const nmdp *s, const nmdp_moment *from, nmdp_moment *to)
{
    memcpy(to->theta, from->theta, (size_t)s->numbers * sizeof *to->theta);
}

// Solves the stage that is set, from s->theta and s->w; X and V go to s->now, s->now_rate.
static bool advance_stage(nmdp *s, double h, double end, double target_time)
{
    s->stage.h = h;
    s->stage.end = end;
    s->stage.target_time = target_time;
    s->divisible = s->settings->nmdp.halvings > 0 && h > advance_least_divided * s->settings->dt;
    pawl_nmdp_read_targets(s);
    nmdp_outcome outcome = pawl_nmdp_descend(s);
    if (outcome == NMDP_FAILED) {
        return false;
    }
    s->counts.limited += outcome == NMDP_LIMIT ? 1 : 0;
    pawl_nmdp_read_place(s, &s->now);
    for (int i = 0; i < s->numbers; ++i) {
        s->now_rate.theta[i] = (s->now.theta[i] - s->stage.place.theta[i]) / h;
    }
    return true;
}

// From begin, begin_rate and w over h to `end`.
bool pawl_nmdp_euler_stage(nmdp *s, double h, double target_time, double end)
{
    advance_copy(s, &s->begin, &s->stage.place);
    advance_copy(s, &s->begin_rate, &s->stage.rate);
    memcpy(s->theta, s->begin.theta, (size_t)s->n * sizeof *s->theta);
    return advance_stage(s, h, end, target_time);
}

// The approach speed of a contact point, with links at the configuration `at` with these rates [m/s].
static double advance_closing(const nmdp *s, int i, const nmdp_moment *at, const nmdp_moment *rate)
{
    const nmdp_point *p = &s->point[i];
    const nmdp_body *x = &at->bodies[p->link], *u = &rate->bodies[p->link];
    nmdp_view view = pawl_nmdp_view_in(s, i, at->bodies);
    pawl_wrench_touch touch = pawl_wrench_set_touch(s->set, i, &view.frame);
    pawl_vec3 velocity = v3_add(u->r, m3_mul(&u->R, p->anchor));
    if (p->pair) {
        const nmdp_body *y = &at->bodies[p->other_link], *v = &rate->bodies[p->other_link];
        pawl_vec3 where = v3_add(x->r, m3_mul(&x->R, p->anchor));
        pawl_vec3 own = m3_mul(&v->R, m3_tmul(&y->R, v3_sub(where, y->r)));
        velocity = v3_sub(velocity, v3_add(v->r, own));
    }
    return -v3_dot(m3_mul(&view.axes, touch.normal), velocity);
}

// Limits are springs that stiffen from nothing: what runs against one, or comes back, has an impact as well.
static bool advance_meets_limit(const nmdp *s)
{
    for (int k = 0; k < s->n; ++k) {
        const pawl_coordinate_def *d = pawl_nmdp_coordinate(s, k);
        if (d != NULL && (fmin(s->theta[k], s->begin.theta[k]) < d->lower ||
                          fmax(s->theta[k], s->begin.theta[k]) > d->upper)) {
            return true;
        }
    }
    return pawl_nmdp_loops_meet_limit(s);
}

// What a part began with, to begin again.
static void advance_keep(nmdp *s)
{
    memcpy(s->kept_w, s->w, (size_t)s->weights * sizeof *s->w);
}
static void advance_restore(nmdp *s)
{
    memcpy(s->w, s->kept_w, (size_t)s->weights * sizeof *s->w);
}

static bool advance_acts(const nmdp *s, int i)
{
    double f[6];
    pawl_nmdp_point_wrench(s, i, s->w, f);
    return s->point[i].touching && (f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0);
}

// Closing velocities up to this are those of bodies at rest, which gravity and motors move to and fro [m/s].
static double advance_slow(const nmdp *s, double h)
{
    return 1e-3 + h * v3_norm(s->model->gravity);
}

// After the first stage: whether V^ lets no contact bounce.
static bool advance_may_extrapolate(const nmdp *s, double h)
{
    double slow = advance_slow(s, h);
    for (int i = 0; i < s->points; ++i) {
        if (!advance_acts(s, i)) {
            continue;
        }
        double before = advance_closing(s, i, &s->now, &s->begin_rate);
        double after = advance_closing(s, i, &s->now, &s->now_rate);
        if (before > slow && after < (1.0 - advance_g / (1.0 - advance_g)) * before) {
            return false;
        }
    }
    return true;
}

// After the second stage: whether the contacts that it stopped are at the right position.
static bool advance_stopped_in_time(const nmdp *s, double h)
{
    double slow = advance_slow(s, h);
    for (int i = 0; i < s->points; ++i) {
        const nmdp_point *p = &s->point[i];
        if (!advance_acts(s, i) || advance_closing(s, i, &s->now, &s->begin_rate) < slow) {
            continue;
        }
        double used = 0.0;
        for (int k = 0; k < p->vertex_count; ++k) {
            used += s->w[p->first_weight + k];
        }
        nmdp_view view = pawl_nmdp_view_in(s, i, s->stage.place.bodies);
        if (used < advance_least_force && pawl_wrench_set_touch(s->set, i, &view.frame).gap < 0.0) {
            return false;
        }
    }
    return true;
}

// A part by implicit Euler; the work of s->now goes to s->work.
static void advance_count_euler(nmdp *s)
{
    pawl_nmdp_count_work(s, 1.0, s->work);
    pawl_nmdp_count_loss(s, s->work);
}

// Both stages, or the first one alone; `reached` gets the time at its end. False: a stage failed or met a limit, and the
// part is done by implicit Euler.
static bool advance_sdirk(nmdp *s, double begin, double end, double *reached)
{
    double h = end - begin, short_h = advance_g * h, rest = (1.0 - advance_g) * h;
    double middle = begin + short_h;
    *reached = middle;
    if (!pawl_nmdp_euler_stage(s, short_h, middle, middle) || advance_meets_limit(s)) {
        return false;
    }
    if (!advance_may_extrapolate(s, h)) {
        advance_count_euler(s);
        return true;
    }
    // (1 - g) h V1 of the way are done with the forces of this stage, g h V2 with those of the next.
    pawl_nmdp_count_work(s, rest / short_h, s->work);
    advance_copy(s, &s->now_rate, &s->first_rate);
    advance_combine(s, &s->begin, rest, &s->first_rate, &s->stage.place);
    s->stage.extrapolated = true;
    for (int i = 0; i < s->numbers; ++i) {
        double a = (s->first_rate.theta[i] - s->begin_rate.theta[i]) / short_h;
        s->stage.rate.theta[i] = s->begin_rate.theta[i] + rest * a;
    }
    bool done = advance_stage(s, short_h, end, end);
    bool limit = done && advance_meets_limit(s), good = done && advance_stopped_in_time(s, h);
    s->stage.extrapolated = false;
    if (limit) {
        return false;
    }
    if (good) {
        pawl_nmdp_count_work(s, 1.0, s->work);
        *reached = end;
        return true;
    }
    memset(s->work, 0, sizeof s->work);
    advance_restore(s);
    if (!pawl_nmdp_euler_stage(s, short_h, middle, middle)) {
        return false;
    }
    advance_count_euler(s);
    return true;
}

// One part, of order 2 where that is set and possible, as far as `reached`; s->work has its work. Parts shorter than
// `least` use implicit Euler: several impacts in one step must not divide it without end.
static bool advance_part(nmdp *s, double begin, double end, double least, double *reached)
{
    advance_keep(s);
    memset(s->work, 0, sizeof s->work);
    if (s->settings->nmdp.order == 2 && end - begin > least) {
        nmdp_counts counts = s->counts;
        if (advance_sdirk(s, begin, end, reached)) {
            return true;
        }
        counts.outer = s->counts.outer, counts.newton = s->counts.newton; // work is work
        counts.qp = s->counts.qp, counts.rejected = s->counts.rejected;
        s->counts = counts;
        memset(s->work, 0, sizeof s->work);
        advance_restore(s);
    }
    *reached = end;
    if (!pawl_nmdp_euler_stage(s, end - begin, begin, end)) {
        return false;
    }
    advance_count_euler(s);
    bool judged = s->divisible && s->settings->nmdp.part_energy < INFINITY &&
                  s->settings->nmdp.order == 1 && !nmdp_in_space(s);
    return !judged || pawl_nmdp_explains(s, s->kinetic);
}

// The end of a part is the beginning of the next, in the chart about it.
static void advance_accept(nmdp *s, double *work)
{
    for (int k = 0; k < WORK_COUNT; ++k) {
        work[k] += s->work[k];
    }
    s->kinetic = pawl_nmdp_kinetic(s, s->now_rate.theta);
    s->counts.limit_correction += pawl_nmdp_limit_correction(s);
    pawl_nmdp_keep_contacts(s);
    advance_copy(s, &s->now_rate, &s->begin_rate);
    pawl_reduced_recentre(s->tree, &s->config, s->begin_rate.theta);
    if (s->tree->ball_count > 0) { // only their columns depend on the chart
        pawl_reduced_place(s->motion, &s->config, s->stage.end);
    }
    pawl_nmdp_read_place(s, &s->begin);
    for (int i = 0; i < s->points; ++i) { // what no longer touches begins anew when it does
        const nmdp_point *p = &s->point[i];
        for (int k = 0; k < p->vertex_count && !p->touching; ++k) {
            s->w[p->first_weight + k] = 0.0;
        }
    }
    pawl_nmdp_keep_spent(s, s->w);
}

// `done` and `length` are in units of the shortest part. After a part the next may be as long as the lowest bit of
// `done`, so that parts stay aligned to halves, quarters and so on. A part that was done in part (order 2) goes on
// from there to the same end.
bool pawl_nmdp_advance(nmdp *s, pawl_state *state, double end)
{
    int halvings = s->settings->nmdp.halvings;
    PAWL_ASSERT(halvings >= 0 && halvings <= ADVANCE_MAX_HALVINGS);
    int64_t whole = (int64_t)1 << halvings, done = 0, length = whole;
    double begin = state->time, step = (end - begin) / (double)whole;
    double from = begin, least = advance_least_part * (end - begin);
    s->counts = (nmdp_counts){0};
    pawl_nmdp_read_state(s, state);
    while (done < whole) {
        double to = done + length == whole ? end : begin + step * (double)(done + length);
        double reached;
        if (advance_part(s, from, to, least, &reached)) {
            advance_accept(s, state->work);
            from = reached;
            if (from >= to) {
                ++s->counts.parts;
                done += length;
                length = done & -done;
            }
            continue;
        }
        advance_restore(s);
        ++s->counts.cuts;
        do { // the half of it in which it stands, until that ends earlier
            length /= 2;
            done += begin + step * (double)(done + length) <= from ? length : 0;
        } while (length > 0 && begin + step * (double)(done + length) >= to);
        if (length == 0) {
            return false;
        }
    }
    pawl_nmdp_write_state(s, state);
    return true;
}
