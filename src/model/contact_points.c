// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Contact points of shapes. They are exact on a plane, because the deepest point of a shape is always one of them, or
// of their cores. A cylinder rolls over its two rims; eight points on each rim support a standing cylinder and recede
// when it rolls. Hulls with many corners are sampled.
#include "model/contact_points.h"
#include "math/trig.h"
#include "model/tri_mesh.h"

enum {
    CONTACT_POINTS_RIM = 8,
    CONTACT_POINTS_CYLINDER = 2 * CONTACT_POINTS_RIM + 2,
    CONTACT_POINTS_HULL = 32,   // corners of a hull that all count
    CONTACT_POINTS_EXTREME = 14 // of those with more
};
static const double contact_points_lean = 0.5; // of the radius

// A shape without points, such as a plane, gets an empty list.
static pawl_status contact_points_room(const pawl_env *env, int count, contact_point_list *out)
{
    if (count == 0) {
        return PAWL_OK;
    }
    out->points = pawl_alloc(env, (size_t)count * sizeof *out->points);
    if (out->points == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for %d contact points", count);
    }
    out->count = count;
    return PAWL_OK;
}

void pawl_contact_points_free(const pawl_env *env, contact_point_list *list)
{
    pawl_free(env, list->points, (size_t)list->count * sizeof *list->points);
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

// Hulls of meshes have hundreds of corners: a foot of two hundred touches with thirty, and a step costs the cube of
// that. Such a hull touches by those corners that are farthest along the axes of its frame and between them.
static int contact_points_extreme(const convex_hull *hull, pawl_vec3 *out)
{
    int kept = 0;
    for (int i = 0; i < CONTACT_POINTS_EXTREME; ++i) {
        double side = i & 1 ? 1.0 : -1.0;
        int axis = (i - 8) / 2;
        pawl_vec3 direction = v3(side, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0);
        if (i >= 8) {
            direction = v3(axis == 0 ? side : 0.0, axis == 1 ? side : 0.0, axis == 2 ? side : 0.0);
        }
        pawl_vec3 corner = contact_points_farthest(hull, direction);
        bool known = false;
        for (int k = 0; k < kept; ++k) {
            known = known || v3_norm(v3_sub(corner, out[k])) == 0.0;
        }
        if (!known) {
            out[kept++] = corner;
        }
    }
    return kept;
}

// Of a mesh those of the hull around it: what is in a hollow touches no ground that is flat.
static pawl_status contact_points_of_hull(const pawl_env *env, const pawl_shape_def *shape,
                                          contact_point_list *out)
{
    convex_hull *hull;
    pawl_vec3 extreme[CONTACT_POINTS_EXTREME];
    tri_mesh *mesh = NULL;
    if (shape->kind == PAWL_SHAPE_MESH) {
        PAWL_TRY(pawl_tri_mesh_create(env, shape->name, shape->points, shape->point_count,
                                      shape->triangles, shape->triangle_count, &mesh));
        hull = mesh->hull;
    } else {
        PAWL_TRY(pawl_hull_create(env, shape->name, shape->points, shape->point_count, &hull));
    }
    bool many = hull->vertex_count > CONTACT_POINTS_HULL;
    int count = many ? contact_points_extreme(hull, extreme) : hull->vertex_count;
    pawl_status status = contact_points_room(env, count, out);
    for (int i = 0; i < out->count; ++i) {
        out->points[i].position = many ? extreme[i] : hull->vertices[i];
    }
    if (mesh != NULL) {
        pawl_tri_mesh_destroy(env, mesh); // with its hull
    } else {
        pawl_hull_destroy(env, hull);
    }
    return status;
}

// Points of a cylinder: of its rims, then the rims themselves.
static contact_point_form contact_points_cylinder(pawl_vec3 s, int i)
{
    double end = i & 1 ? s.z : -s.z, sine, cosine;
    if (i >= 2 * CONTACT_POINTS_RIM) {
        return (contact_point_form){.position = {0.0, 0.0, end}, .core = {s.x, s.x, 0.0}};
    }
    pawl_sincos(0.25 * 3.14159265358979323846 * (double)(i / 2), &sine, &cosine);
    return (contact_point_form){.position = {s.x * cosine, s.x * sine, end},
                                .lean = contact_points_lean * s.x};
}

static void contact_points_fill(const pawl_shape_def *shape, contact_point_list *out)
{
    pawl_vec3 s = shape->size;
    for (int i = 0; i < out->count; ++i) {
        contact_point_form *p = &out->points[i];
        *p = (contact_point_form){.lean = 0.0}; // a sphere's centre
        switch (shape->kind) {
        case PAWL_SHAPE_BOX:
            p->position = v3(i & 1 ? s.x : -s.x, i & 2 ? s.y : -s.y, i & 4 ? s.z : -s.z);
            break;
        case PAWL_SHAPE_CAPSULE:
            p->position = v3(0.0, 0.0, i & 1 ? s.z : -s.z);
            break;
        case PAWL_SHAPE_CYLINDER:
            *p = contact_points_cylinder(s, i);
            break;
        case PAWL_SHAPE_ELLIPSOID:
            p->core = s;
            break;
        default: // hulls have theirs
            break;
        }
    }
}

// Positions are in the body's frame [m]. Round shapes have a radius about their points, ellipsoids
// and rims a core.
pawl_status pawl_contact_points_of_shape(const pawl_env *env, const pawl_shape_def *shape,
                                         contact_point_list *out)
{
    static const int counts[PAWL_SHAPE_COUNT] = {[PAWL_SHAPE_SPHERE] = 1,
                                                 [PAWL_SHAPE_BOX] = 8,
                                                 [PAWL_SHAPE_CYLINDER] = CONTACT_POINTS_CYLINDER,
                                                 [PAWL_SHAPE_CAPSULE] = 2,
                                                 [PAWL_SHAPE_ELLIPSOID] = 1};
    *out = (contact_point_list){0};
    if (shape->kind == PAWL_SHAPE_HULL || shape->kind == PAWL_SHAPE_MESH) {
        PAWL_TRY(contact_points_of_hull(env, shape, out));
    } else {
        PAWL_TRY(contact_points_room(env, counts[shape->kind], out));
        contact_points_fill(shape, out);
    }
    if (shape->kind == PAWL_SHAPE_SPHERE || shape->kind == PAWL_SHAPE_CAPSULE) {
        out->radius = shape->size.x;
    }
    for (int i = 0; i < out->count; ++i) {
        out->points[i].position = pawl_pose_apply(shape->frame, out->points[i].position);
    }
    return PAWL_OK;
}
