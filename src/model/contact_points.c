// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Points by which a shape touches the ground. Exact for spheres, capsules, boxes and hulls on a
// plane, because the deepest point of those is always one of them; rims, ellipsoids and hulls of many corners are
// sampled.
#include "model/contact_points.h"
#include "math/trig.h"
#include "model/hull.h"

enum { CONTACT_POINTS_RIM = 8, CONTACT_POINTS_HULL = 32, CONTACT_POINTS_EXTREME = 14 };

static pawl_status contact_points_room(const pawl_env *env, int count, contact_point_list *out)
{
    if (count == 0) {
        return PAWL_OK;
    }
    out->positions = pawl_alloc(env, (size_t)count * sizeof *out->positions);
    if (out->positions == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for %d contact points", count);
    }
    out->count = out->room = count;
    return PAWL_OK;
}

void pawl_contact_points_free(const pawl_env *env, contact_point_list *list)
{
    pawl_free(env, list->positions, (size_t)list->room * sizeof *list->positions);
    *list = (contact_point_list){0};
}

// The corner of a hull that is farthest in a direction: the first of those that are equally far.
static pawl_vec3 contact_points_farthest(const convex_hull *hull, pawl_vec3 direction)
{
    int far = 0;
    for (int i = 1; i < hull->vertex_count; ++i) {
        if (v3_dot(hull->vertices[i], direction) > v3_dot(hull->vertices[far], direction)) {
            far = i;
        }
    }
    return hull->vertices[far];
}

// Hulls of meshes have hundreds of corners, a foot of a hundred touches with thirty, and a step costs the cube of
// that. Such a hull touches by those that are farthest along the axes of its frame and between them.
static void contact_points_thin(const convex_hull *hull, contact_point_list *out)
{
    int kept = 0;
    for (int i = 0; i < CONTACT_POINTS_EXTREME; ++i) {
        double side = i & 1 ? 1.0 : -1.0;
        int axis = (i - 8) / 2;
        pawl_vec3 direction = i < 8 ? v3(side, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0)
                                    : v3(axis == 0 ? side : 0.0, axis == 1 ? side : 0.0,
                                         axis == 2 ? side : 0.0);
        pawl_vec3 corner = contact_points_farthest(hull, direction);
        bool known = false;
        for (int k = 0; k < kept; ++k) {
            known = known || v3_norm(v3_sub(corner, out->positions[k])) == 0.0;
        }
        if (!known) {
            out->positions[kept++] = corner;
        }
    }
    out->count = kept;
}

static pawl_status contact_points_of_hull(const pawl_env *env, const pawl_shape_def *shape,
                                          contact_point_list *out)
{
    convex_hull *hull;
    PAWL_TRY(pawl_hull_create(env, shape->name, shape->points, shape->point_count, &hull));
    bool many = hull->vertex_count > CONTACT_POINTS_HULL;
    int room = many ? CONTACT_POINTS_EXTREME : hull->vertex_count;
    pawl_status status = contact_points_room(env, room, out);
    for (int i = 0; i < out->count && !many; ++i) {
        out->positions[i] = hull->vertices[i];
    }
    if (status == PAWL_OK && many) {
        contact_points_thin(hull, out);
    }
    pawl_hull_destroy(env, hull);
    return status;
}

static void contact_points_fill(const pawl_shape_def *shape, contact_point_list *out)
{
    pawl_vec3 s = shape->size;
    for (int i = 0; i < out->count; ++i) {
        pawl_vec3 corner = v3(i & 1 ? s.x : -s.x, i & 2 ? s.y : -s.y, i & 4 ? s.z : -s.z);
        double end = i & 1 ? s.z : -s.z;
        double sine, cosine;
        pawl_sincos(0.25 * 3.14159265358979323846 * (double)(i / 2), &sine, &cosine);
        switch (shape->kind) {
        case PAWL_SHAPE_BOX:
            out->positions[i] = corner;
            break;
        case PAWL_SHAPE_CAPSULE:
            out->positions[i] = v3(0.0, 0.0, end);
            break;
        case PAWL_SHAPE_CYLINDER:
            out->positions[i] = v3(s.x * cosine, s.x * sine, end);
            break;
        case PAWL_SHAPE_ELLIPSOID:
            if (i < 8) {
                out->positions[i] = v3_scale(sqrt(1.0 / 3.0), corner);
            } else {
                double sign = i & 1 ? 1.0 : -1.0;
                int axis = (i - 8) / 2;
                out->positions[i] = v3(axis == 0 ? sign * s.x : 0.0, axis == 1 ? sign * s.y : 0.0,
                                       axis == 2 ? sign * s.z : 0.0);
            }
            break;
        default: // a sphere's centre; hulls have theirs
            break;
        }
    }
}

pawl_status pawl_contact_points_of_shape(const pawl_env *env, const pawl_shape_def *shape,
                                         contact_point_list *out)
{
    static const int counts[PAWL_SHAPE_COUNT] = {[PAWL_SHAPE_SPHERE] = 1,
                                                 [PAWL_SHAPE_BOX] = 8,
                                                 [PAWL_SHAPE_CYLINDER] = 2 * CONTACT_POINTS_RIM,
                                                 [PAWL_SHAPE_CAPSULE] = 2,
                                                 [PAWL_SHAPE_ELLIPSOID] = 14};
    *out = (contact_point_list){0};
    if (shape->kind == PAWL_SHAPE_HULL) {
        PAWL_TRY(contact_points_of_hull(env, shape, out));
    } else {
        PAWL_TRY(contact_points_room(env, counts[shape->kind], out));
        contact_points_fill(shape, out);
    }
    if (shape->kind == PAWL_SHAPE_SPHERE || shape->kind == PAWL_SHAPE_CAPSULE) {
        out->radius = shape->size.x;
    }
    for (int i = 0; i < out->count; ++i) {
        out->positions[i] = pawl_pose_apply(shape->frame, out->positions[i]);
    }
    return PAWL_OK;
}
