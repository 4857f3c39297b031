// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// One midpoint step (midpoint_step.c), or, if only joints and gravity act, one that costs half as much
// (smooth_step.c). If a body is so fast that it would be inside or behind another one before rows are placed, the
// step is an euler step, with rows at its start.
#include "step/common/moreau_step.h"
#include "step/common/euler_step.h"
#include "step/common/midpoint_step.h"
#include "step/common/smooth_step.h"
#include "step/common/stiff_springs.h"

// Whether a shape would be so deep in another one before the rows are placed that their direction is undetermined: by
// half the thickness of the thinner one. The rows of one step hold until those of the next, so that this is a matter
// of what starts fast, or was struck.
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
    int count = pawl_contact_finder_find(c->finder, s->bodies, c->settings->contact.margin, time);
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

void pawl_moreau_step(step_context *c, pawl_state *s, pawl_step_report *report)
{
    double h = c->settings->dt;
    if (pawl_smooth_step(c, s, h, pawl_step_end(s, h), report)) {
        return;
    }
    if (moreau_leaps(c, s, h) || pawl_stiff_springs_outrun(c, s, h)) {
        pawl_euler_step_instead(c, s, report);
        return;
    }
    pawl_midpoint_step(c, s, h, s->time, pawl_step_end(s, h), report);
}
