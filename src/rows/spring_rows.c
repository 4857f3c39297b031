// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A spring and damper between two points: one row along the line between them or, with rest length 0, three rows
// along the world's axes, which act equally in all directions. Signs: t = point of b less point of a, a positive
// stretch pulls the points together. A spring too stiff for the step is bent: docs/math.md section 3, "Springs too
// stiff for the step".
#include "rows/families.h"
#include "rows/row_build.h"

// With rest length 0 the length |t| has no gradient at t = 0, where such a spring rests. The three components of t
// have one everywhere, and k t is the same force.
static void spring_plan(row_plan *p)
{
    const pawl_model *m = p->model;
    for (int i = 0; i < m->spring_count; ++i) {
        const pawl_spring_def *s = &m->springs[i];
        int first = p->rows, body[2], count = 0;
        if (s->stiffness == 0.0 && s->damping == 0.0) {
            continue;
        }
        for (int k = 0; k < (s->rest_length > 0.0 ? 1 : 3); ++k) {
            pawl_row_plan_row(p, (row_info){&pawl_spring_rows_family, i, k, -1,
                                            p->slots.springs + 3 * i + k, 1.0});
        }
        const int pair[2] = {pawl_body_index(s->body_a), pawl_body_index(s->body_b)};
        for (int k = 0; k < 2; ++k) {
            if (pair[k] >= 0) {
                body[count++] = pair[k];
            }
        }
        pawl_row_plan_block(p, &pawl_spring_rows_family, first, -1, body, count);
    }
}

// The rows' values go to the residual: the spring's length, or its three components.
static void spring_place(pawl_assembly *a, const row_block *b)
{
    const pawl_model *m = a->model;
    const pawl_spring_def *s = &m->springs[a->rows[b->rows.first_row].owner];
    const int body[2] = {pawl_body_index(s->body_a), pawl_body_index(s->body_b)};
    const pawl_vec3 given[2] = {s->point_a, s->point_b};
    pawl_vec3 lever[2] = {{0}}, point[2];
    for (int k = 0; k < 2; ++k) {
        point[k] = given[k];
        if (body[k] >= 0) {
            lever[k] = m3_mul(&a->rotation[body[k]], v3_sub(given[k], m->bodies[body[k]].com));
            point[k] = v3_add(a->bodies[body[k]].r, lever[k]);
        }
    }
    pawl_vec3 t = v3_sub(point[1], point[0]);
    pawl_vec3 axis[3] = {v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1)};
    double value[3] = {t.x, t.y, t.z};
    if (b->rows.dim == 1) {
        value[0] = v3_norm(t);
        if (value[0] > 1e-9 * s->rest_length) { // else it has no direction: push along x
            axis[0] = v3_scale(1.0 / value[0], t);
        }
    }
    for (int r = 0; r < b->rows.dim; ++r) {
        a->residual[b->rows.first_row + r] = value[r];
        for (int k = 0; k < 2; ++k) {
            int slot = body[k] < 0 ? -1 : pawl_row_slot(b, body[k]);
            if (slot >= 0) {
                // The row is the rate of the length, e . (v_b - v_a): a positive impulse drives the points apart.
                double sign = k == 0 ? -1.0 : 1.0;
                pawl_vec3 e = v3_scale(sign, axis[r]);
                pawl_vec3 c = v3_cross(lever[k], e);
                double *row = pawl_row_jacobian(a, b, slot, r);
                row[0] = e.x, row[1] = e.y, row[2] = e.z;
                row[3] = c.x, row[4] = c.y, row[5] = c.z;
            }
        }
    }
}

// Whether a row is one of a spring between two points.
bool pawl_row_is_point_spring(const row_info *info)
{
    return info->family == &pawl_spring_rows_family;
}

// A spring or damper that the step is too long for is bent: a fraction of it acts on all of the rate after the step,
// and on where that leads to in a full step (step/common/stiff_springs.c).
static void spring_bend(pawl_assembly *a, const row_block *b, int row, const row_law *law,
                        const step_weights *w)
{
    // (h w)^2 of a vibration and h w of a decay from which on a step is too long to show anything of them.
    const double unseen = 100.0;
    double h = w->h;
    double D = a->metric->ops->diagonal(a->metric, a, b, row - b->rows.first_row);
    double fast = D * max_of(h * h * law->stiffness, h * law->damping);
    bool joined = false; // moves in ways of its own, and is heavier than it is alone
    for (int k = 0; k < b->body_count; ++k) {
        joined = joined || a->body_is_joined[b->body[k]];
    }
    a->bend[row] = !joined && fast > unseen ? 1.0 - unseen / fast : 0.0;
    if (a->bend[row] > 0.0) {
        double theta = w->theta + a->bend[row] * (1.0 - w->theta);
        double ahead = w->ahead + a->bend[row] * (1.0 - w->ahead);
        // The compliance of the bent mixture of both rules: theta and ahead go linearly to 1, implicit Euler. The
        // bias follows in stiff_springs.c, which iterates.
        a->compliance[row] = 1.0 / (h * (theta * law->damping + h * ahead * law->stiffness));
        ++a->bent;
    }
}

static row_law spring_law(const pawl_model *m, const row_info *info, double t)
{
    (void)t;
    const pawl_spring_def *s = &m->springs[info->owner];
    return (row_law){.stiffness = s->stiffness, .damping = s->damping, .rest = s->rest_length};
}

static void spring_fill(pawl_assembly *a, const row_block *b, int r, const step_weights *w,
                        row_rates rate, bool persistent)
{
    (void)persistent;
    row_law law = spring_law(a->model, &a->rows[r], 0.0);
    pawl_row_spring(a, r, w, a->residual[r] - law.rest, rate, &law);
    if (w->after_time != 0.0) {
        spring_bend(a, b, r, &law, w);
    }
}

const row_family pawl_spring_rows_family = {
    .name = "spring",
    .traits = ROW_STORES_ENERGY,
    .work_kind = WORK_DAMPERS,
    .plan_blocks = spring_plan,
    .place = spring_place,
    .fill = spring_fill,
    .law = spring_law,
};
