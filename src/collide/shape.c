// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Shapes by their support functions h(d) = max x . d over the points x of the shape: all that GJK and the searches
// for normals need. The support point is the gradient of h; its second derivative is the curvature that makes Newton
// steps on curved shapes converge quadratically; at its kinks (normals of faces, directions across edges) h has no
// derivative, and extremes are tried there one by one. Spheres and capsules are points and segments with a radius,
// which the pairs add to distances: exact, and round sides need no iteration.
#include "collide/shape.h"
#include "model/tri_mesh.h"

placed_shape pawl_shape_place(const pawl_shape_def *def, const convex_hull *hull, pawl_pose frame,
                              int key)
{
    return (placed_shape){.kind = def->kind,
                          .size = def->size,
                          .position = frame.position,
                          .axes = quat_matrix(frame.orientation),
                          .hull = hull,
                          .key = key};
}

pawl_status pawl_shape_build(const pawl_env *env, const pawl_shape_def *def, pawl_pose frame,
                             int key, placed_shape *out)
{
    convex_hull *hull = NULL;
    tri_mesh *mesh = NULL;
    *out = pawl_shape_place(def, NULL, frame, key);
    if (def->kind == PAWL_SHAPE_HULL) {
        PAWL_TRY(pawl_hull_create(env, def->name, def->points, def->point_count, &hull));
    } else if (def->kind == PAWL_SHAPE_MESH) {
        PAWL_TRY(pawl_tri_mesh_create(env, def->name, def->points, def->point_count, def->triangles,
                                      def->triangle_count, &mesh));
        hull = mesh->hull;
    }
    out->hull = hull;
    out->mesh = mesh;
    return PAWL_OK;
}

void pawl_shape_unbuild(const pawl_env *env, placed_shape *s)
{
    if (s->mesh != NULL) { // which has the hull
        pawl_tri_mesh_destroy(env, (tri_mesh *)(uintptr_t)s->mesh);
    } else {
        pawl_hull_destroy(env, (convex_hull *)(uintptr_t)s->hull);
    }
}

double pawl_shape_radius(const placed_shape *s)
{
    return s->kind == PAWL_SHAPE_SPHERE || s->kind == PAWL_SHAPE_CAPSULE ? s->size.x : 0.0;
}

// Without the radius of spheres and capsules. A component of zero takes a side by its sign bit (copysign), not both.
static pawl_vec3 shape_local_support(const placed_shape *s, pawl_vec3 d)
{
    pawl_vec3 e = s->size;
    switch (s->kind) {
    case PAWL_SHAPE_BOX:
        return v3(copysign(e.x, d.x), copysign(e.y, d.y), copysign(e.z, d.z));
    case PAWL_SHAPE_CAPSULE:
        return v3(0.0, 0.0, copysign(e.z, d.z));
    case PAWL_SHAPE_CYLINDER: {
        double across = sqrt(d.x * d.x + d.y * d.y);
        double scale = across > 0.0 ? e.x / across : 0.0;
        return v3(scale * d.x, scale * d.y, copysign(e.z, d.z));
    }
    case PAWL_SHAPE_ELLIPSOID: {
        pawl_vec3 stretched = v3(e.x * d.x, e.y * d.y, e.z * d.z);
        double length = v3_norm(stretched);
        double scale = length > 0.0 ? 1.0 / length : 0.0;
        return v3(scale * e.x * stretched.x, scale * e.y * stretched.y, scale * e.z * stretched.z);
    }
    case PAWL_SHAPE_MESH:
    case PAWL_SHAPE_HULL: {
        int best = 0;
        double farthest = -INFINITY;
        for (int i = 0; i < s->hull->vertex_count; ++i) {
            double along = v3_dot(s->hull->vertices[i], d);
            if (along > farthest) {
                farthest = along;
                best = i;
            }
        }
        return s->hull->vertices[best];
    }
    case PAWL_SHAPE_SPHERE:
    case PAWL_SHAPE_PLANE:
    case PAWL_SHAPE_HEIGHTFIELD:
    case PAWL_SHAPE_COUNT:
        break;
    }
    return v3(0.0, 0.0, 0.0);
}

// Directions need not be unit vectors.
pawl_vec3 pawl_shape_support(const placed_shape *s, pawl_vec3 direction)
{
    return shape_to_world(s, shape_local_support(s, shape_to_local(s, direction)));
}

// Adds the second derivative of h at a unit direction to H. Boxes, hulls, capsules and spheres (without their
// radius) have none away from kinks.
void pawl_shape_add_curvature(const placed_shape *s, pawl_vec3 direction, pawl_mat3 *H)
{
    pawl_vec3 d = shape_to_local(s, direction);
    pawl_mat3 local = {{{0.0}}};
    if (s->kind == PAWL_SHAPE_CYLINDER) {
        // h = r |d_xy| + l |d_z|; the second term is linear away from its kink.
        double across = sqrt(d.x * d.x + d.y * d.y);
        if (!(across > 0.0)) {
            return;
        }
        double tx = -d.y / across, ty = d.x / across, k = s->size.x / across;
        local = (pawl_mat3){{{k * tx * tx, k * tx * ty, 0.0}, {k * tx * ty, k * ty * ty, 0.0}}};
    } else if (s->kind == PAWL_SHAPE_ELLIPSOID) {
        // h = sqrt(d Q d): Q / h - (Q d)(Q d)^T / h^3
        double q[3] = {s->size.x * s->size.x, s->size.y * s->size.y, s->size.z * s->size.z};
        double g[3] = {q[0] * d.x, q[1] * d.y, q[2] * d.z};
        double h = sqrt(g[0] * d.x + g[1] * d.y + g[2] * d.z);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                local.m[i][j] = ((i == j ? q[i] : 0.0) - g[i] * g[j] / (h * h)) / h;
            }
        }
    } else {
        return;
    }
    pawl_mat3 world = m3_congruence(&s->axes, &local);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            H->m[i][j] += world.m[i][j];
        }
    }
}

// About the origin of the shape's frame.
double pawl_shape_bounding_radius(const placed_shape *s)
{
    pawl_vec3 e = s->size;
    switch (s->kind) {
    case PAWL_SHAPE_SPHERE:
        return e.x;
    case PAWL_SHAPE_BOX:
        return v3_norm(e);
    case PAWL_SHAPE_CYLINDER:
        return sqrt(e.x * e.x + e.z * e.z);
    case PAWL_SHAPE_CAPSULE:
        return e.x + e.z;
    case PAWL_SHAPE_ELLIPSOID:
        return max_of(e.x, max_of(e.y, e.z));
    case PAWL_SHAPE_HULL:
        return s->hull->radius;
    case PAWL_SHAPE_MESH:
        return s->mesh->radius;
    case PAWL_SHAPE_PLANE:
    case PAWL_SHAPE_HEIGHTFIELD:
    case PAWL_SHAPE_COUNT:
        break;
    }
    return INFINITY;
}

// The radius of a ball that fits inside: what passes more than this deep has nearly passed through.
double pawl_shape_inner_radius(const placed_shape *s)
{
    pawl_vec3 e = s->size;
    switch (s->kind) {
    case PAWL_SHAPE_SPHERE:
    case PAWL_SHAPE_CAPSULE:
        return e.x;
    case PAWL_SHAPE_CYLINDER:
        return fmin(e.x, e.z);
    case PAWL_SHAPE_BOX:
    case PAWL_SHAPE_ELLIPSOID:
        return fmin(e.x, fmin(e.y, e.z));
    case PAWL_SHAPE_HULL: {
        double inner = INFINITY;
        for (int f = 0; f < s->hull->face_count; ++f) {
            double off = s->hull->offsets[f] - v3_dot(s->hull->normals[f], s->hull->centre);
            inner = fmin(inner, off);
        }
        return inner;
    }
    case PAWL_SHAPE_PLANE:
    case PAWL_SHAPE_HEIGHTFIELD:
    case PAWL_SHAPE_MESH: // its centre may be outside
    case PAWL_SHAPE_COUNT:
        break;
    }
    return INFINITY;
}

// Size for tolerances [m]. Planes and heightfields have none of their own: 0, so that the other shape decides.
double pawl_shape_scale(const placed_shape *s)
{
    return isfinite(pawl_shape_bounding_radius(s)) ? pawl_shape_bounding_radius(s) : 0.0;
}

// The box around the turned box of the mesh: its hull may leave out corners of fine meshes.
static void shape_mesh_bounds(const placed_shape *s, double *low, double *high)
{
    const mesh_node *root = &s->mesh->nodes[0];
    pawl_vec3 half = v3_scale(0.5, v3_sub(root->high, root->low));
    pawl_vec3 middle = shape_to_world(s, v3_add(root->low, half));
    for (int k = 0; k < 3; ++k) {
        double wide = fabs(s->axes.m[k][0]) * half.x + fabs(s->axes.m[k][1]) * half.y +
                      fabs(s->axes.m[k][2]) * half.z;
        low[k] = v3_get(middle, k) - wide;
        high[k] = v3_get(middle, k) + wide;
    }
}

void pawl_shape_bounds(const placed_shape *s, pawl_vec3 *low, pawl_vec3 *high)
{
    double r = pawl_shape_radius(s);
    double *lo = &low->x, *hi = &high->x;
    if (s->kind == PAWL_SHAPE_MESH) {
        shape_mesh_bounds(s, lo, hi);
        return;
    }
    for (int k = 0; k < 3; ++k) {
        // the k-th world axis seen from the shape
        pawl_vec3 d = v3(s->axes.m[k][0], s->axes.m[k][1], s->axes.m[k][2]);
        pawl_vec3 up = shape_local_support(s, d);
        pawl_vec3 down = shape_local_support(s, v3_scale(-1.0, d));
        double centre = v3_get(s->position, k);
        hi[k] = centre + v3_dot(d, up) + r;
        lo[k] = centre + v3_dot(d, down) - r;
    }
}

static void shape_kink_face(const placed_shape *s, pawl_vec3 local, shape_kinks *out)
{
    if (out->face_count < SHAPE_KINK_FACES) {
        out->face[out->face_count++] = m3_mul(&s->axes, local);
    }
}
static void shape_kink_edge(const placed_shape *s, pawl_vec3 local, shape_kinks *out)
{
    if (out->edge_count < SHAPE_KINK_EDGES) {
        out->edge[out->edge_count++] = m3_mul(&s->axes, local);
    }
}

// Of many candidates the nearest few: puts one in if it is among them. Returns the new count.
static int shape_rank(double distance, pawl_vec3 kink, double *distances, pawl_vec3 *kinks,
                      int count, int room)
{
    int at = count;
    while (at > 0 && distances[at - 1] > distance) {
        if (at < room) {
            distances[at] = distances[at - 1];
            kinks[at] = kinks[at - 1];
        }
        --at;
    }
    if (at == room) {
        return count;
    }
    distances[at] = distance;
    kinks[at] = kink;
    return count < room ? count + 1 : count;
}

// A face whose normal is within `tolerance` of d; an edge both ends of which are nearly as far along d as the support
// point, relative to its length.
static void shape_hull_kinks(const placed_shape *s, pawl_vec3 d, double tolerance, shape_kinks *out)
{
    const convex_hull *hull = s->hull;
    double face_off[SHAPE_KINK_FACES], edge_off[SHAPE_KINK_EDGES];
    for (int f = 0; f < hull->face_count; ++f) {
        double off = v3_norm(v3_cross(hull->normals[f], d));
        if (v3_dot(hull->normals[f], d) > 0.0 && off < tolerance) {
            out->face_count = shape_rank(off, hull->normals[f], face_off, out->face,
                                         out->face_count, SHAPE_KINK_FACES);
        }
    }
    double top = v3_dot(shape_local_support(s, d), d);
    for (int e = 0; e < hull->edge_count; ++e) {
        pawl_vec3 p = hull->vertices[hull->edges[e].vertex[0]];
        pawl_vec3 q = hull->vertices[hull->edges[e].vertex[1]];
        pawl_vec3 pq = v3_sub(q, p);
        double length = v3_norm(pq);
        double off = max_of(top - v3_dot(p, d), top - v3_dot(q, d)) / length;
        if (off < tolerance) {
            out->edge_count = shape_rank(off, v3_scale(1.0 / length, pq), edge_off, out->edge,
                                         out->edge_count, SHAPE_KINK_EDGES);
        }
    }
    for (int i = 0; i < out->face_count; ++i) {
        out->face[i] = m3_mul(&s->axes, out->face[i]);
    }
    for (int i = 0; i < out->edge_count; ++i) {
        out->edge[i] = m3_mul(&s->axes, out->edge[i]);
    }
}

// Faces and edges of the shape that a direction is within `tolerance` [rad] of, as directions in the world:
// outward normals of faces, and edges along their length.
void pawl_shape_kinks(const placed_shape *s, pawl_vec3 direction, double tolerance,
                      shape_kinks *out)
{
    out->face_count = out->edge_count = 0;
    pawl_vec3 d = shape_to_local(s, direction);
    double c[3] = {d.x, d.y, d.z};
    switch (s->kind) {
    case PAWL_SHAPE_BOX:
        for (int k = 0; k < 3; ++k) {
            double unit[3] = {0.0, 0.0, 0.0};
            if (fabs(c[k]) < tolerance) {
                unit[k] = 1.0;
                shape_kink_edge(s, v3(unit[0], unit[1], unit[2]), out);
            } else if (fabs(c[(k + 1) % 3]) < tolerance && fabs(c[(k + 2) % 3]) < tolerance) {
                unit[k] = copysign(1.0, c[k]);
                shape_kink_face(s, v3(unit[0], unit[1], unit[2]), out);
            }
        }
        break;
    case PAWL_SHAPE_CAPSULE:
        if (fabs(d.z) < tolerance) {
            shape_kink_edge(s, v3(0.0, 0.0, 1.0), out);
        }
        break;
    case PAWL_SHAPE_CYLINDER:
        if (fabs(d.z) < tolerance) {
            shape_kink_edge(s, v3(0.0, 0.0, 1.0), out);
        } else if (sqrt(d.x * d.x + d.y * d.y) < tolerance) {
            shape_kink_face(s, v3(0.0, 0.0, copysign(1.0, d.z)), out);
        }
        break;
    case PAWL_SHAPE_MESH:
    case PAWL_SHAPE_HULL:
        shape_hull_kinks(s, d, tolerance, out);
        break;
    case PAWL_SHAPE_SPHERE:
    case PAWL_SHAPE_ELLIPSOID:
    case PAWL_SHAPE_PLANE:
    case PAWL_SHAPE_HEIGHTFIELD:
    case PAWL_SHAPE_COUNT:
        break;
    }
}

void pawl_tangents(pawl_vec3 n, pawl_vec3 *t1, pawl_vec3 *t2)
{
    // Duff et al., "Building an orthonormal basis, revisited": no branch but the sign.
    double sign = copysign(1.0, n.z);
    double a = -1.0 / (sign + n.z);
    double b = n.x * n.y * a;
    *t1 = v3(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x);
    *t2 = v3(b, sign + n.y * n.y * a, -n.y);
}
