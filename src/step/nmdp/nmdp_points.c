// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Contact points: their positions, their possible forces, and the contribution of these to G. NMDP eq. 5: the force
// of a point is a combination of vertices, f = sum of w_i v_i with w >= 0 and sum of w <= 1. The vertices depend on
// the pose of the point at the end of the stage. G has forces with a minus sign: G = inertia - JT f - ...
#include "step/nmdp/nmdp.h"
#include "wrench/wrench_set.h"
#include <string.h>

// `position` is the centre of mass of the link, `rotation` its axes.
static pawl_contact_frame points_frame(const nmdp_point *p, pawl_vec3 position,
                                       const pawl_mat3 *rotation)
{
    pawl_mat3 axes = m3_product(rotation, &p->axes);
    pawl_contact_frame out = {.position = v3_add(position, m3_mul(rotation, p->anchor))};
    memcpy(out.rotation, axes.m, sizeof out.rotation);
    return out;
}

// As another body with its centre of mass at r and axes R sees it; NULL: the world.
static nmdp_view points_view(const nmdp_point *p, nmdp_body own, const nmdp_body *other)
{
    nmdp_view view = {.rotation = own.R,
                      .axes = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}}};
    if (other == NULL) {
        view.frame = points_frame(p, own.r, &own.R);
    } else {
        view.axes = other->R;
        const pawl_mat3 one = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
        pawl_mat3 back = m3_product_transposed(&one, &other->R);
        own.r = v3_add(m3_mul(&back, v3_sub(own.r, other->r)), p->other_com);
        view.rotation = m3_product(&back, &own.R);
        view.frame = points_frame(p, own.r, &view.rotation);
    }
    return view;
}

// In poses `bodies` (links), for instance those that the stage began with.
nmdp_view pawl_nmdp_view_in(const nmdp *s, int point, const nmdp_body *bodies)
{
    const nmdp_point *p = &s->point[point];
    const nmdp_body *ground = s->ground_moved ? &s->ground : NULL;
    return points_view(p, bodies[p->link], p->pair ? &bodies[p->other_link] : ground);
}

// Where the links are placed now: by the last pawl_reduced_place().
nmdp_view pawl_nmdp_view_now(const nmdp *s, int point)
{
    const nmdp_point *p = &s->point[point];
    nmdp_body own = {s->motion->position[p->link], s->motion->rotation[p->link]}, other = own;
    if (p->pair) {
        other = (nmdp_body){s->motion->position[p->other_link], s->motion->rotation[p->other_link]};
        return points_view(p, own, &other);
    }
    return points_view(p, own, s->ground_moved ? &s->ground : NULL);
}

// Vectors that another body sees, in world axes: v of three, or dv, three by six coordinates.
static void points_turn(const pawl_mat3 *R, double *v, int stride)
{
    pawl_vec3 x = m3_mul(R, v3(v[0], v[stride], v[2 * stride]));
    v[0] = x.x, v[stride] = x.y, v[2 * stride] = x.z;
}

// Each vector v is turned once. Of a derivative both sides are turned: its three components (columns, stride 6),
// and the coordinates by which it is taken (rows), which are those of the frame in the other body's axes.
static void points_to_world(const nmdp_point *p, const pawl_mat3 *R, double *v, double *dv)
{
    for (int i = 0; i < p->vertex_count * p->component_count; i += 3) {
        points_turn(R, v + i, 1);
        for (int c = 0; c < 6 && dv != NULL; ++c) {
            points_turn(R, dv + 6 * i + c, 6);
        }
        for (int r = 0; r < 6 && dv != NULL; ++r) { // by the position, and by the turn
            points_turn(R, dv + 6 * (i + r / 2) + 3 * (r % 2), 1);
        }
    }
}

// Points that lie on a surface up to rounding have forces of 1e-40 N, whose program is singular to any scale.
static bool points_push(const nmdp_point *p, const double *v)
{
    const double least = 1e-15; // [N or N m]
    for (int i = 0; i < p->vertex_count * p->component_count; ++i) {
        if (!(fabs(v[i]) < least)) {
            return true;
        }
    }
    return false;
}

// The vertices of a point where the links are placed; false where none can push.
// Far pairs are left out before their vertices are computed: most pairs are far most of the time.
static bool points_evaluate(nmdp *s, int i, bool derivatives)
{
    const nmdp_point *p = &s->point[i];
    bool slopes = derivatives && p->first_order;
    double *v = s->v + p->first_number, *dv = slopes ? s->dv + 6 * p->first_number : NULL;
    if (!p->pair && !s->ground_moved) {
        return pawl_wrench_set_push(s->set, i, &s->frame[i], v, dv) && points_push(p, v);
    }
    if (p->pair) {
        int other = p->other_link;
        pawl_vec3 off = v3_sub(s->frame[i].position, s->motion->position[other]);
        pawl_vec3 seen = v3_add(m3_tmul(&s->motion->rotation[other], off), p->other_com);
        if (pawl_wrench_set_is_far(s->set, i, seen)) {
            return false;
        }
    }
    nmdp_view view = pawl_nmdp_view_now(s, i);
    if (!pawl_wrench_set_push(s->set, i, &view.frame, v, dv) || !points_push(p, v)) {
        return false;
    }
    points_to_world(p, &view.axes, v, dv);
    return true;
}

// Places all links at theta and evaluates the vertices of all points there; derivatives only where they are
// wanted, because they cost several times as much.
void pawl_nmdp_place(nmdp *s, const double *theta, bool derivatives)
{
    memcpy(s->config.theta, theta, (size_t)s->n * sizeof *theta);
    pawl_reduced_place(s->motion, &s->config, s->stage.end);
    for (int i = 0; i < s->points; ++i) {
        nmdp_point *p = &s->point[i];
        const pawl_mat3 *R = &s->motion->rotation[p->link];
        if (p->pair) { // its vertices are those that the other body sees
            s->frame[i].position = v3_add(s->motion->position[p->link], m3_mul(R, p->anchor));
        } else {
            s->frame[i] = points_frame(p, s->motion->position[p->link], R);
        }
        p->touching = points_evaluate(s, i, derivatives);
    }
}

// f (6): force [N] and moment [N m] on the point's own body, world axes. Points with three components have no
// moment.
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

// The other body of a pair gets the opposite wrench at the same point. Its derivative couples two branches of the
// tree, which the load of one link cannot hold, and goes to the matrix at once.
void pawl_nmdp_add_contacts(nmdp *s, const double *w, bool derivatives, double *matrix)
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
        if (p->pair) {
            const double F[6] = {-f[0], -f[1], -f[2], -f[3], -f[4], -f[5]};
            pawl_nmdp_add_relative(s, p->link, p->other_link, s->frame[i].position, F,
                                   slopes ? slope : NULL, matrix);
            continue;
        }
        pawl_tree_load_add(&s->load, p->link, s->frame[i].position, v3(-f[0], -f[1], -f[2]),
                           v3(-f[3], -f[4], -f[5]), slopes ? slope : NULL);
    }
}

// -JT v of the vertices of a point, the derivatives of G by their weights, into B from this column on. `sign` is -1 for
// the other body of a pair. Contacts do not move prescribed coordinates.
static void points_columns(nmdp *s, int point, int link, double sign, int first)
{
    const nmdp_point *p = &s->point[point];
    pawl_vec3 none = v3(0.0, 0.0, 0.0);
    pawl_vec3 arm = v3_sub(s->frame[point].position, s->motion->origin[link]);
    for (int i = 0; i < p->vertex_count; ++i) {
        const double *v = s->v + p->first_number + i * p->component_count;
        pawl_vec3 force = v3_scale(-sign, v3(v[0], v[1], v[2]));
        pawl_vec3 moment = p->component_count == 6 ? v3_scale(-sign, v3(v[3], v[4], v[5])) : none;
        spatial load = sp_force_from(arm, force, moment);
        for (int k = s->tree->links[link].last_column; k >= 0; k = s->tree->columns[k].parent) {
            if (s->motion_of[k] < 0) {
                s->B[(size_t)k * (size_t)s->used_count + (size_t)(first + i)] +=
                    sp_dot(s->motion->S[k], load);
            }
        }
    }
}

// Groups are the points that touch, then the coordinates with dry friction: over each of them the sum of weights
// is at most 1. B is (nv x used_count), row by row.
bool pawl_nmdp_columns(nmdp *s)
{
    int weights = 2 * s->friction_count, groups = s->friction_count;
    for (int i = 0; i < s->points; ++i) {
        weights += s->point[i].touching ? s->point[i].vertex_count : 0;
        groups += s->point[i].touching ? 1 : 0;
    }
    s->used_count = s->group_count = 0;
    if (!pawl_nmdp_reserve(s, weights, groups)) {
        return false;
    }
    for (int i = 0; i < s->points; ++i) {
        if (!s->point[i].touching) {
            continue;
        }
        s->group_begin[s->group_count++] = s->used_count;
        for (int k = 0; k < s->point[i].vertex_count; ++k) {
            s->used[s->used_count++] = s->point[i].first_weight + k;
        }
    }
    int friction = s->used_count;
    for (int i = 0; i < s->friction_count; ++i) {
        s->group_begin[s->group_count++] = s->used_count;
        s->used[s->used_count++] = s->first_friction + 2 * i;
        s->used[s->used_count++] = s->first_friction + 2 * i + 1;
    }
    s->group_begin[s->group_count] = s->used_count;
    memset(s->B, 0, (size_t)s->n * (size_t)s->used_count * sizeof *s->B);
    int column = 0;
    for (int i = 0; i < s->points; ++i) {
        const nmdp_point *p = &s->point[i];
        if (!p->touching) {
            continue;
        }
        points_columns(s, i, p->link, 1.0, column);
        if (p->pair) {
            points_columns(s, i, p->other_link, -1.0, column);
        }
        column += p->vertex_count;
    }
    pawl_nmdp_friction_columns(s, friction);
    return true;
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

// The report has the normal from a to b, where b is the point's own body; the moment is moved from the frame's
// origin to where the force acts.
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
        nmdp_view view = pawl_nmdp_view_now(s, i);
        pawl_wrench_touch touch = pawl_wrench_set_touch(s->set, i, &view.frame);
        pawl_vec3 force = v3(f[0], f[1], f[2]), arm = m3_mul(&view.axes, touch.lever);
        s->info[s->info_count++] = (pawl_contact_info){
            .body_a = p->pair ? model_body_id(s->model, p->other_body) : PAWL_WORLD,
            .body_b = model_body_id(s->model, p->body),
            .position = v3_add(s->frame[i].position, arm),
            .normal = m3_mul(&view.axes, touch.normal),
            .gap = touch.gap,
            .force = force,
            .moment = v3_sub(v3(f[3], f[4], f[5]), v3_cross(arm, force)),
            .mode = points_mode(s, p)};
    }
}
