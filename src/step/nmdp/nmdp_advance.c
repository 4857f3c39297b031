// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Algorithm 2 of NMDP: a step that does not converge is cut in halves, each half again if need be. In
// units of the shortest part allowed, a part that begins at p is at most as long as the lowest bit of p
// says, which is what the recursion of the paper comes to; every part that is taken moves p on, every one
// that fails is halved, so it ends.
//
// All parts are done with their own length h and the rates at their beginning, so nothing is assumed about
// the length of the last one (the paper divides by dt where alpha dt is meant).
//
// nmdp.order=2 is the SDIRK method of two stages and order 2 (Alexander 1977), g = 1 - 1/sqrt 2, which is
// L-stable: the first stage is implicit Euler over g h from X, V and gives X1, V1 and A1 = (V1 - V)/(g h);
// the second one begins at X^ = X + (1 - g) h V1, V^ = V + (1 - g) h A1. Its quadrature extrapolates A1 by
// a factor of 2.4, which must not be done with an impact: a part in which a contact acts that did not
// touch before, or that closed, is done by implicit Euler instead. There are few of them, so the order
// stays.
#include "step/nmdp/nmdp.h"
#include <string.h>

enum { ADVANCE_MAX_HALVINGS = 30 };
static const double advance_g = 0.29289321881345254; // 1 - 1/sqrt 2

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

// Targets of actuators and applied forces are read at the beginning of the part.
bool pawl_nmdp_euler_stage(nmdp *s, double h, double begin, double end)
{
    advance_copy(s, &s->begin, &s->stage.place);
    advance_copy(s, &s->begin_rate, &s->stage.rate);
    memcpy(s->theta, s->begin.theta, (size_t)s->n * sizeof *s->theta);
    return advance_stage(s, h, end, begin);
}

// How fast a contact point came towards the ground when the part began [m/s]; a point that did not touch
// then comes at any speed.
static double advance_approach(const nmdp *s, int i)
{
    const nmdp_point *p = &s->point[i];
    const nmdp_body *x = &s->begin.bodies[p->link], *u = &s->begin_rate.bodies[p->link];
    nmdp_view view = pawl_nmdp_view_in(s, i, s->begin.bodies);
    pawl_wrench_touch touch = pawl_wrench_set_touch(s->set, i, &view.frame);
    if (!(touch.gap <= 0.0)) {
        return INFINITY;
    }
    pawl_vec3 velocity = v3_add(u->r, m3_mul(&u->R, p->anchor));
    if (p->pair) {
        const nmdp_body *y = &s->begin.bodies[p->other_link];
        const nmdp_body *v = &s->begin_rate.bodies[p->other_link];
        pawl_vec3 at = v3_add(x->r, m3_mul(&x->R, p->anchor));
        pawl_vec3 own = m3_mul(&v->R, m3_tmul(&y->R, v3_sub(at, y->r)));
        velocity = v3_sub(velocity, v3_add(v->r, own));
    }
    return -v3_dot(m3_mul(&view.axes, touch.normal), velocity);
}

// Limits are springs that stiffen from nothing: what runs against one, or comes back, has an impact as well.
static bool advance_meets_limit(const nmdp *s)
{
    for (int k = 0; k < s->n; ++k) {
        const pawl_coordinate_def *d = pawl_nmdp_coordinate(s, k);
        double slope;
        if (d != NULL && (pawl_nmdp_limit_force(s, d, s->theta[k], &slope) != 0.0 ||
                          pawl_nmdp_limit_force(s, d, s->begin.theta[k], &slope) != 0.0)) {
            return true;
        }
    }
    return pawl_nmdp_loops_meet_limit(s);
}

// Whether all contacts that act have been acting, as far as can be seen.
static bool advance_is_smooth(const nmdp *s, double h)
{
    double slow = 1e-3 + 2.0 * h * v3_norm(s->model->gravity);
    if (advance_meets_limit(s)) {
        return false;
    }
    for (int i = 0; i < s->points; ++i) {
        double f[6];
        pawl_nmdp_point_wrench(s, i, s->w, f);
        bool acts = f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0;
        if (s->point[i].touching && acts && advance_approach(s, i) > slow) {
            return false;
        }
    }
    return true;
}

// False: a stage failed or something struck, and the caller does the part again by implicit Euler.
static bool advance_sdirk(nmdp *s, double h, double begin, double end)
{
    double short_h = advance_g * h, rest = (1.0 - advance_g) * h;
    advance_copy(s, &s->begin, &s->stage.place);
    advance_copy(s, &s->begin_rate, &s->stage.rate);
    memcpy(s->theta, s->begin.theta, (size_t)s->n * sizeof *s->theta);
    if (!advance_stage(s, short_h, begin + short_h, begin + short_h) || !advance_is_smooth(s, h)) {
        return false;
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
    bool reached = advance_stage(s, short_h, end, end) && advance_is_smooth(s, h);
    s->stage.extrapolated = false;
    if (!reached) {
        return false;
    }
    pawl_nmdp_count_work(s, 1.0, s->work);
    return true;
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

// One part, of order 2 where that is set and possible. s->work has its work.
static bool advance_part(nmdp *s, double begin, double end)
{
    double h = end - begin;
    advance_keep(s);
    memset(s->work, 0, sizeof s->work);
    if (s->settings->nmdp.order == 2) {
        nmdp_counts counts = s->counts;
        if (advance_sdirk(s, h, begin, end)) {
            return true;
        }
        counts.outer = s->counts.outer, counts.newton = s->counts.newton; // work is work
        counts.qp = s->counts.qp, counts.rejected = s->counts.rejected;
        s->counts = counts;
        memset(s->work, 0, sizeof s->work);
        advance_restore(s);
    }
    if (!pawl_nmdp_euler_stage(s, h, begin, end)) {
        return false;
    }
    pawl_nmdp_count_work(s, 1.0, s->work);
    pawl_nmdp_count_loss(s, s->work);
    return true;
}

// The end of a part is the beginning of the next, in the chart about it.
static void advance_accept(nmdp *s, double *work)
{
    for (int k = 0; k < WORK_COUNT; ++k) {
        work[k] += s->work[k];
    }
    pawl_nmdp_keep_contacts(s);
    advance_copy(s, &s->now_rate, &s->begin_rate);
    pawl_reduced_recentre(s->tree, &s->config, s->begin_rate.theta);
    pawl_reduced_place(s->motion, &s->config, s->stage.end);
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
// `done`, so that parts stay aligned to halves, quarters and so on.
bool pawl_nmdp_advance(nmdp *s, pawl_state *state, double end)
{
    int halvings = s->settings->nmdp.halvings;
    PAWL_ASSERT(halvings >= 0 && halvings <= ADVANCE_MAX_HALVINGS);
    int64_t whole = (int64_t)1 << halvings, done = 0, length = whole;
    double begin = state->time, step = (end - begin) / (double)whole;
    s->counts = (nmdp_counts){0};
    pawl_nmdp_read_state(s, state);
    while (done < whole) {
        double from = begin + step * (double)done;
        double to = done + length == whole ? end : begin + step * (double)(done + length);
        if (advance_part(s, from, to)) {
            advance_accept(s, state->work);
            ++s->counts.parts;
            done += length;
            length = done & -done;
            continue;
        }
        advance_restore(s);
        length /= 2;
        ++s->counts.cuts;
        if (length == 0) {
            return false;
        }
    }
    pawl_nmdp_write_state(s, state);
    return true;
}
