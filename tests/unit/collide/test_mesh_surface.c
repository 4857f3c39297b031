// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Surfaces of triangles: boxes made of triangles against boxes that are boxes, floors of triangles against planes, and
// properties of solids by closed forms. The other shape's answer comes from code that knows no triangles.
#include "collide/mesh_surface.h"
#include "pawl/model.h"
#include "support/mesh_solids.h"
#include "support/random.h"
#include "support/test.h"
#include <stdlib.h>

static tri_mesh *mesh_of(test_env *t, const mesh_solid *s)
{
    tri_mesh *mesh = NULL;
    CHECK_OK(pawl_tri_mesh_create(&t->env, "mesh", s->points, s->point_count, s->triangles,
                                  s->triangle_count, &mesh));
    return mesh;
}

static placed_shape mesh_shape(const tri_mesh *mesh, pawl_pose pose, int key)
{
    return (placed_shape){.kind = PAWL_SHAPE_MESH,
                          .position = pose.position,
                          .axes = quat_matrix(pose.orientation),
                          .hull = mesh->hull,
                          .mesh = mesh,
                          .key = key};
}

static placed_shape mesh_primitive(pawl_shape_kind kind, pawl_vec3 size, pawl_pose pose, int key)
{
    pawl_shape_def def = pawl_shape_def_default();
    def.kind = kind;
    def.size = size;
    return pawl_shape_place(&def, NULL, pose, key);
}

static mesh_solid *mesh_solid_new(void)
{
    return calloc(1, sizeof(mesh_solid));
}

// The least gap of all points, and how many there are.
static double mesh_least(const contact_manifold *m, int count, int *points, pawl_vec3 *normal)
{
    double least = INFINITY;
    *points = 0;
    for (int k = 0; k < count; ++k) {
        for (int i = 0; i < m[k].count; ++i, ++*points) {
            if (m[k].point[i].gap < least) {
                least = m[k].point[i].gap;
                *normal = m[k].normal;
            }
        }
    }
    return least;
}

// Closed forms: volume, centre and second moments of a box and of an angle profile; winding is mended.
TEST(moments_of_solids_are_exact)
{
    test_env t;
    test_env_init(&t);
    mesh_solid *s = mesh_solid_new();
    solid_add_box(s, v3(1, 2, 3), v3(0.5, 1, 1.5), 3);
    for (int inverted = 0; inverted < 2; ++inverted) {
        tri_mesh *m = mesh_of(&t, s);
        CHECK(m->closed);
        CHECK_INT(m->triangle_count, 108);
        CHECK_NEAR(m->volume, 6.0, 1e-13);
        CHECK_NEAR(m->centre.z, 3.0, 1e-13);
        CHECK_NEAR(m->second[0], 6.0 * 0.25 / 3.0, 1e-12);
        CHECK_NEAR(m->second[2], 6.0 * 2.25 / 3.0, 1e-12);
        CHECK_NEAR(m->second[3], 0.0, 1e-12);
        CHECK(v3_dot(m->triangles[0].normal,
                     v3_sub(m->vertices[m->triangles[0].v[0]].at, m->centre)) > 0.0);
        pawl_tri_mesh_destroy(&t.env, m);
        for (int i = 0; i < s->triangle_count; ++i) {
            int swap = s->triangles[3 * i];
            s->triangles[3 * i] = s->triangles[3 * i + 1];
            s->triangles[3 * i + 1] = swap;
        }
    }
    // an L of three unit squares, 2 high, whose ends are fans about its inner corner
    const double angle[6][2] = {{1, 1}, {1, 2}, {0, 2}, {0, 0}, {2, 0}, {2, 1}};
    s->point_count = s->triangle_count = 0;
    solid_add_prism(s, angle, 6, -1, 1);
    tri_mesh *m = mesh_of(&t, s);
    CHECK(m->closed);
    CHECK_NEAR(m->volume, 6.0, 1e-12);
    CHECK_NEAR(m->centre.x, 2.5 / 3.0, 1e-12);
    CHECK(m->hull != NULL);
    pawl_tri_mesh_destroy(&t.env, m);
    free(s);
    CHECK_NO_LEAK(&t);
}

// Brute force: the nearest point of all triangles, the side by the shape's definition.
TEST(the_nearest_point_and_its_side)
{
    test_env t;
    test_env_init(&t);
    mesh_solid *s = mesh_solid_new();
    const double angle[6][2] = {{1, 1}, {1, 2}, {0, 2}, {0, 0}, {2, 0}, {2, 1}};
    solid_add_prism(s, angle, 6, -1, 1);
    tri_mesh *m = mesh_of(&t, s);
    uint64_t seed = 3;
    for (int k = 0; k < 3000; ++k) {
        pawl_vec3 p = v3_add(v3(1, 1, 0), random_vec(&seed, 1.6));
        bool inside =
            fabs(p.z) < 1 && p.x > 0 && p.y > 0 && p.x < 2 && p.y < 2 && !(p.x > 1 && p.y > 1);
        mesh_nearest near = pawl_tri_mesh_nearest(m, p);
        CHECK(near.inside == inside);
        CHECK_NEAR(v3_norm(v3_sub(p, near.at)), near.distance, 1e-12);
        // the L is the union of two boxes: outside of both the nearer one counts
        const double boxes[2][4] = {{0, 1, 0, 2}, {0, 2, 0, 1}};
        double least = INFINITY;
        for (int b = 0; b < 2 && !inside; ++b) {
            double x = p.x - clamp_to(p.x, boxes[b][0], boxes[b][1]);
            double y = p.y - clamp_to(p.y, boxes[b][2], boxes[b][3]);
            double z = p.z - clamp_to(p.z, -1.0, 1.0);
            least = fmin(least, sqrt(x * x + y * y + z * z));
        }
        if (!inside) {
            CHECK_NEAR(near.distance, least, 1e-12);
        }
    }
    pawl_tri_mesh_destroy(&t.env, m);
    free(s);
    CHECK_NO_LEAK(&t);
}

// A box of triangles touches like the box: the same distance, and when they overlap a little the same depth.
TEST(a_box_of_triangles_touches_as_the_box_does)
{
    test_env t;
    test_env_init(&t);
    mesh_solid *s = mesh_solid_new();
    pawl_vec3 size = v3(0.6, 0.9, 0.4);
    solid_add_box(s, v3(0, 0, 0), size, 3);
    tri_mesh *mesh = mesh_of(&t, s);
    static const pawl_shape_kind kinds[] = {PAWL_SHAPE_SPHERE,    PAWL_SHAPE_CAPSULE,
                                            PAWL_SHAPE_BOX,       PAWL_SHAPE_CYLINDER,
                                            PAWL_SHAPE_ELLIPSOID, PAWL_SHAPE_PLANE};
    uint64_t seed = 11;
    int touched = 0;
    static contact_manifold out[MANIFOLDS_A_PAIR], exact[MANIFOLDS_A_PAIR];
    for (int k = 0; k < 3000; ++k) {
        pawl_shape_kind kind = kinds[k % 6];
        pawl_pose at = random_pose(&seed, 0.8);
        placed_shape triangles = mesh_shape(mesh, at, 1);
        placed_shape solid = mesh_primitive(PAWL_SHAPE_BOX, size, at, 1);
        pawl_vec3 e =
            v3(random_in(&seed, 0.2, 0.5), random_in(&seed, 0.2, 0.5), random_in(&seed, 0.2, 0.5));
        placed_shape other = mesh_primitive(kind, e, random_pose(&seed, 0.8), 0);
        const double margin = 0.1;
        int n = pawl_collide_shapes(&other, &solid, margin, exact, MANIFOLDS_A_PAIR), points;
        pawl_vec3 normal = {0, 0, 0}, right = {0, 0, 0};
        double wanted = mesh_least(exact, n, &points, &right);
        if (wanted < -0.01) {
            continue; // so deep the nearest face of the other is a matter of taste
        }
        n = pawl_collide_shapes(&other, &triangles, margin, out, MANIFOLDS_A_PAIR);
        double got = mesh_least(out, n, &points, &normal);
        if (!(wanted <= margin)) {
            CHECK(!(got < margin - 1e-9));
            continue;
        }
        ++touched;
        CHECK(points > 0);
        // inside, each point is as deep as the face that it is nearest to says
        CHECK_NEAR(got, wanted, wanted < 0.0 ? 0.3 * -wanted : 1e-9);
        CHECK(v3_dot(normal, right) > 0.9);
    }
    CHECK(touched > 150);
    pawl_tri_mesh_destroy(&t.env, mesh);
    free(s);
    CHECK_NO_LEAK(&t);
}

// Two boxes of triangles against two boxes.
TEST(boxes_of_triangles_touch_each_other_as_boxes_do)
{
    test_env t;
    test_env_init(&t);
    mesh_solid *s = mesh_solid_new();
    pawl_vec3 size = v3(0.5, 0.7, 0.4);
    solid_add_box(s, v3(0, 0, 0), size, 3);
    tri_mesh *mesh = mesh_of(&t, s);
    CHECK(!mesh->convex); // too many corners: by its triangles
    uint64_t seed = 21;
    int touched = 0;
    static contact_manifold out[MANIFOLDS_A_PAIR], exact[MANIFOLDS_A_PAIR];
    for (int k = 0; k < 1500; ++k) {
        pawl_pose p = random_pose(&seed, 1.0), q = random_pose(&seed, 1.0);
        placed_shape a = mesh_shape(mesh, p, 0), b = mesh_shape(mesh, q, 1);
        placed_shape c = mesh_primitive(PAWL_SHAPE_BOX, size, p, 0);
        placed_shape d = mesh_primitive(PAWL_SHAPE_BOX, size, q, 1);
        const double margin = 0.1;
        int points, n = pawl_collide_shapes(&c, &d, margin, exact, MANIFOLDS_A_PAIR);
        pawl_vec3 normal = {0, 0, 0}, right = {0, 0, 0};
        double wanted = mesh_least(exact, n, &points, &right);
        n = pawl_collide_shapes(&a, &b, margin, out, MANIFOLDS_A_PAIR);
        double got = mesh_least(out, n, &points, &normal);
        if (!(wanted <= margin)) {
            CHECK(!(got < margin - 1e-9));
        } else if (wanted > 0.0) {
            ++touched;
            CHECK_NEAR(got, wanted, 1e-9);
            CHECK(v3_dot(normal, right) > 0.999);
        } else if (wanted > -0.01) {
            ++touched;
            CHECK(got < 0.0 && v3_dot(normal, right) > 0.7);
        }
    }
    CHECK(touched > 100);
    pawl_tri_mesh_destroy(&t.env, mesh);
    free(s);
    CHECK_NO_LEAK(&t);
}

// A flat floor of triangles gives a box the four points that a plane gives, wherever inner edges are.
TEST(a_floor_of_triangles_touches_as_a_plane_does)
{
    test_env t;
    test_env_init(&t);
    mesh_solid *s = mesh_solid_new();
    solid_add_quad(s, v3(-5, -5, 0), v3(5, -5, 0), v3(5, 5, 0), v3(-5, 5, 0), 40);
    tri_mesh *mesh = mesh_of(&t, s);
    CHECK(!mesh->closed);
    uint64_t seed = 8;
    static contact_manifold out[MANIFOLDS_A_PAIR], exact[MANIFOLDS_A_PAIR];
    for (int k = 0; k < 300; ++k) {
        pawl_pose pose = {v3(random_in(&seed, -3, 3), random_in(&seed, -3, 3),
                             0.3 + random_in(&seed, -1e-4, 1e-4)),
                          quat_exp(v3(0, 0, random_in(&seed, 0, 6)))};
        placed_shape box = mesh_primitive(PAWL_SHAPE_BOX, v3(0.5, 0.4, 0.3), pose, 0);
        placed_shape floor = mesh_shape(mesh, pawl_pose_identity(), 1);
        placed_shape plane = mesh_primitive(PAWL_SHAPE_PLANE, v3(1, 1, 1), pawl_pose_identity(), 1);
        int points, same;
        pawl_vec3 normal = {0, 0, 0};
        int n = pawl_collide_shapes(&box, &floor, 1e-3, out, MANIFOLDS_A_PAIR);
        double got = mesh_least(out, n, &points, &normal);
        CHECK_INT(n, 1);
        CHECK_NEAR(normal.z, -1.0, 1e-14);
        n = pawl_collide_shapes(&box, &plane, 1e-3, exact, MANIFOLDS_A_PAIR);
        CHECK_NEAR(got, mesh_least(exact, n, &same, &normal), 1e-12);
        CHECK_INT(points, same);
        for (int i = 0; i < points; ++i) { // by their names
            int j = 0;
            while (j < same && exact[0].point[j].feature != out[0].point[i].feature) {
                ++j;
            }
            CHECK(j < same);
            CHECK_NEAR(v3_norm(v3_sub(out[0].point[i].position, exact[0].point[j].position)), 0.0,
                       1e-12);
        }
    }
    pawl_tri_mesh_destroy(&t.env, mesh);
    free(s);
    CHECK_NO_LEAK(&t);
}

TEST(lists_that_are_no_mesh_are_refused)
{
    test_env t;
    test_env_init(&t);
    pawl_vec3 p[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int good[3] = {0, 1, 2}, beyond[3] = {0, 1, 4}, flat[3] = {0, 1, 1};
    tri_mesh *m;
    CHECK_STATUS(pawl_tri_mesh_create(&t.env, "m", p, 4, beyond, 1, &m), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&t, "names point 4");
    CHECK_STATUS(pawl_tri_mesh_create(&t.env, "m", p, 4, flat, 1, &m), PAWL_BAD_ARGUMENT);
    CHECK_STATUS(pawl_tri_mesh_create(&t.env, "m", p, 4, good, 0, &m), PAWL_BAD_ARGUMENT);
    CHECK_STATUS(pawl_tri_mesh_create(&t.env, "m", NULL, 4, good, 1, &m), PAWL_BAD_ARGUMENT);
    p[1].x = NAN;
    CHECK_STATUS(pawl_tri_mesh_create(&t.env, "m", p, 4, good, 1, &m), PAWL_BAD_ARGUMENT);
    CHECK_NO_LEAK(&t);
}
