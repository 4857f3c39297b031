// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// moreau: Moreau's midpoint rule (loops, end of III-A). Drift by u- for half a step, rows there,
// then drift by u+ for the other half; springs and dampers by the trapezoidal rule.
//
// What starts so fast that it would be inside or behind something before rows are placed does its first step as
// euler does, with rows where it is.
//
// With `project` each half drift follows the constraints reversibly (drift.c), so that the step is
// symmetric in time: second order, no secular energy drift. Without it J u+ = 0 at the midpoint is
// all that holds the joints, which leaves a velocity error of order h at the end of each step:
// first order, and second only where there are no joints.
#include "step/push_out.h"

void pawl_moreau_part(step_context *c, pawl_state *s, double h, double begin, double end,
                      pawl_step_report *report)
{
    step_weights w = pawl_step_weights(c, s);
    double middle = begin + 0.5 * h;
    w.h = h;
    w.begin = begin;
    w.end = end;
    w.theta = 0.5;
    w.ahead = w.behind = 0.25;
    w.place_time = w.target_time[0] = w.target_time[1] = middle;
    w.carried = w.carries = 0.5 * h;
    w.gyroscope_corrections = 4;
    c->damping_time = w.theta * w.h;
    c->assembly->body_theta = w.theta;
    c->assembly->bends_theta = true;
    int projections = pawl_drift(c, s, 0.5 * h, middle);
    pawl_velocity_step(c, s, &w, report);
    if (c->contact_demand != 0) {
        return;
    }
    report->projections = projections + pawl_drift(c, s, 0.5 * h, end);
    report->projections += pawl_push_out_apply(c, s, end, report);
}

// Whether something would go so deep into something else before the rows are placed that these no longer know which
// way is out: by half the thickness of the thinner one. The rows of one step hold until those of the next, so
// that this is a matter of what starts fast, or was struck.
static bool moreau_leaps(step_context *c, const pawl_state *s, double h)
{
    const pawl_model *m = c->model;
    double time = 0.5 * h, far = 0.0;
    for (int i = 0; i < m->body_count && c->finder != NULL; ++i) {
        const body_state *b = &s->bodies[i];
        far = max_of(far, time * (v3_norm(b->v) + m->bodies[i].size * v3_norm(b->w)));
    }
    if (c->finder == NULL || !(far >= pawl_contact_finder_thinnest(c->finder))) {
        return false;
    }
    pawl_phase_enter(&c->clock, PAWL_PHASE_COLLIDE);
    int count = pawl_contact_finder_find(c->finder, s->bodies, c->settings->contact_margin, time);
    pawl_phase_enter(&c->clock, PAWL_PHASE_MOVE);
    const pawl_contact *contacts = pawl_contact_finder_contacts(c->finder);
    count = count <= pawl_contact_finder_capacity(c->finder) ? count : 0;
    for (int k = 0; k < count; ++k) {
        const pawl_contact *in = &contacts[k];
        const int body[2] = {in->body_a, in->body_b};
        double gap = in->gap;
        for (int side = 0; side < 2; ++side) {
            if (body[side] >= 0) {
                const body_state *b = &s->bodies[body[side]];
                pawl_vec3 lever = v3_sub(in->position, b->r);
                double rate = v3_dot(in->normal, v3_add(b->v, v3_cross(b->w, lever)));
                gap += (side == 0 ? -time : time) * rate;
            }
        }
        if (gap < -fmin(pawl_contact_finder_half_thickness(c->finder, in->shape_a),
                        pawl_contact_finder_half_thickness(c->finder, in->shape_b))) {
            return true;
        }
    }
    return false;
}

static void moreau_advance(step_context *c, pawl_state *s, pawl_step_report *report)
{
    double h = c->settings->dt;
    if (moreau_leaps(c, s, h)) {
        c->kept = false; // placed for another damping
        pawl_euler_ops.advance(c, s, report);
        c->kept = false;
        return;
    }
    pawl_moreau_part(c, s, h, s->time, pawl_step_end(s, h), report);
}

const pawl_stepper_ops pawl_moreau_ops = {
    .name = "moreau",
    .summary = "Moreau's midpoint: second order with project=on, first order without",
    .advance = moreau_advance,
    .reduces = true,
};
