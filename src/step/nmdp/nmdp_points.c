// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Contact points: where they are, which forces they can exert there, and what those do to G.
#include "step/nmdp/nmdp.h"
#include <string.h>

pawl_contact_frame pawl_nmdp_point_frame(const nmdp_point *p, pawl_vec3 position,
                                         const pawl_mat3 *rotation)
{
    pawl_mat3 axes = m3_product(rotation, &p->axes);
    pawl_contact_frame out = {.position = v3_add(position, m3_mul(rotation, p->anchor))};
    memcpy(out.rotation, axes.m, sizeof out.rotation);
    return out;
}

static bool points_any(const double *v, int count)
{
    for (int i = 0; i < count; ++i) {
        if (v[i] != 0.0) {
            return true;
        }
    }
    return false;
}

void pawl_nmdp_place(nmdp *s, const double *theta, bool derivatives)
{
    memcpy(s->config.theta, theta, (size_t)s->n * sizeof *theta);
    pawl_reduced_place(s->motion, &s->config, s->stage.end);
    for (int i = 0; i < s->points; ++i) {
        nmdp_point *p = &s->point[i];
        s->frame[i] =
            pawl_nmdp_point_frame(p, s->motion->position[p->link], &s->motion->rotation[p->link]);
        bool slopes = derivatives && p->first_order;
        pawl_wrench_set_vertices(s->set, i, &s->frame[i], s->v + p->first_number,
                                 slopes ? s->dv + 6 * p->first_number : NULL);
        p->touching = points_any(s->v + p->first_number, p->vertex_count * p->component_count);
    }
}

void pawl_nmdp_point_wrench(const nmdp *s, int point, const double *w, double f[6])
{
    const nmdp_point *p = &s->point[point];
    memset(f, 0, 6 * sizeof *f);
    for (int i = 0; i < p->vertex_count; ++i) {
        const double *v = s->v + p->first_number + i * p->component_count;
        for (int c = 0; c < p->component_count; ++c) {
            f[c] += w[p->first_weight + i] * v[c];
        }
    }
}

// Minus the derivative of the wrench by the frame's pose.
static void points_slope(const nmdp *s, const nmdp_point *p, const double *w, double slope[6][6])
{
    memset(slope, 0, 36 * sizeof(double));
    for (int i = 0; i < p->vertex_count; ++i) {
        const double *dv = s->dv + 6 * (p->first_number + i * p->component_count);
        for (int c = 0; c < p->component_count; ++c) {
            for (int k = 0; k < 6; ++k) {
                slope[c][k] -= w[p->first_weight + i] * dv[6 * c + k];
            }
        }
    }
}

void pawl_nmdp_add_contacts(nmdp *s, const double *w, bool derivatives)
{
    for (int i = 0; i < s->points; ++i) {
        const nmdp_point *p = &s->point[i];
        if (!p->touching) {
            continue;
        }
        double f[6], slope[6][6];
        pawl_nmdp_point_wrench(s, i, w, f);
        bool slopes = derivatives && p->first_order;
        if (slopes) {
            points_slope(s, p, w, slope);
        }
        pawl_tree_load_add(&s->load, p->link, s->frame[i].position, v3(-f[0], -f[1], -f[2]),
                           v3(-f[3], -f[4], -f[5]), slopes ? slope : NULL);
    }
}

static void points_column(nmdp *s, int point, const double *v, double *column)
{
    const nmdp_point *p = &s->point[point];
    bool wrench = p->component_count == 6;
    pawl_vec3 moment = wrench ? v3(-v[3], -v[4], -v[5]) : v3(0.0, 0.0, 0.0);
    memset(column, 0, (size_t)s->n * sizeof *column);
    pawl_reduced_add_wrench(s->motion, p->link, s->frame[point].position, v3(-v[0], -v[1], -v[2]),
                            moment, column);
}

void pawl_nmdp_columns(nmdp *s)
{
    s->used_count = s->group_count = 0;
    for (int i = 0; i < s->points; ++i) {
        if (!s->point[i].touching) {
            continue;
        }
        s->group_begin[s->group_count++] = s->used_count;
        for (int k = 0; k < s->point[i].vertex_count; ++k) {
            s->used[s->used_count++] = s->point[i].first_weight + k;
        }
    }
    s->group_begin[s->group_count] = s->used_count;
    int column = 0;
    for (int i = 0; i < s->points; ++i) {
        const nmdp_point *p = &s->point[i];
        for (int k = 0; p->touching && k < p->vertex_count; ++k, ++column) {
            points_column(s, i, s->v + p->first_number + k * p->component_count, s->step);
            for (int r = 0; r < s->n; ++r) {
                s->B[(size_t)r * (size_t)s->used_count + (size_t)column] = s->step[r];
            }
        }
    }
}

// A force on the surface of the cone is made of two neighbouring vertices at most; more of them mean that it
// is inside, and sticks.
static pawl_contact_mode points_mode(const nmdp *s, const nmdp_point *p)
{
    int used = 0;
    for (int k = 0; k < p->vertex_count; ++k) {
        used += s->w[p->first_weight + k] > 0.0 ? 1 : 0;
    }
    if (used == 0) {
        return PAWL_CONTACT_OPEN;
    }
    return used > 2 ? PAWL_CONTACT_STICK : PAWL_CONTACT_SLIP;
}

void pawl_nmdp_keep_contacts(nmdp *s)
{
    s->info_count = 0;
    for (int i = 0; i < s->points; ++i) {
        const nmdp_point *p = &s->point[i];
        if (!p->touching) {
            continue;
        }
        double f[6];
        pawl_nmdp_point_wrench(s, i, s->w, f);
        pawl_wrench_touch touch = pawl_wrench_set_touch(s->set, i, &s->frame[i]);
        pawl_vec3 force = v3(f[0], f[1], f[2]), arm = touch.lever;
        s->info[s->info_count++] =
            (pawl_contact_info){.body_a = PAWL_WORLD,
                                .body_b = model_body_id(s->model, p->body),
                                .position = v3_add(s->frame[i].position, arm),
                                .normal = touch.normal,
                                .gap = touch.gap,
                                .force = force,
                                .moment = v3_sub(v3(f[3], f[4], f[5]), v3_cross(arm, force)),
                                .mode = points_mode(s, p)};
    }
}
