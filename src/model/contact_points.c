// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Points by which a shape touches the ground. Exact for spheres, capsules, boxes and hulls on a
// plane, because the deepest point of those is always one of them; rims and ellipsoids are sampled.
#include "model/contact_points.h"
#include "math/trig.h"
#include "model/hull.h"

enum { CONTACT_POINTS_RIM = 8 };

static pawl_status contact_points_room(const pawl_env *env, int count, contact_point_list *out)
{
    if (count == 0) {
        return PAWL_OK;
    }
    out->positions = pawl_alloc(env, (size_t)count * sizeof *out->positions);
    if (out->positions == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for %d contact points", count);
    }
    out->count = count;
    return PAWL_OK;
}

void pawl_contact_points_free(const pawl_env *env, contact_point_list *list)
{
    pawl_free(env, list->positions, (size_t)list->count * sizeof *list->positions);
    *list = (contact_point_list){0};
}

static pawl_status contact_points_of_hull(const pawl_env *env, const pawl_shape_def *shape,
                                          contact_point_list *out)
{
    convex_hull *hull;
    PAWL_TRY(pawl_hull_create(env, shape->name, shape->points, shape->point_count, &hull));
    pawl_status status = contact_points_room(env, hull->vertex_count, out);
    for (int i = 0; i < out->count; ++i) {
        out->positions[i] = hull->vertices[i];
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
