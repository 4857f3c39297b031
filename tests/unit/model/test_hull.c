// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Convex hulls against what defines them: every point inside, every vertex a point, the surface
// closed (Euler), and volumes and moments against closed forms and a sum over brute-force faces.
#include "model/hull.h"
#include "pawl/model.h"
#include "support/random.h"
#include "support/test.h"

static void hull_check(const convex_hull *h, const pawl_vec3 *points, int count, double tolerance)
{
    CHECK_INT(h->vertex_count - h->edge_count + h->face_count, 2);
    for (int f = 0; f < h->face_count; ++f) {
        CHECK_NEAR(v3_norm(h->normals[f]), 1.0, 1e-14);
        for (int i = 0; i < count; ++i) {
            CHECK(v3_dot(h->normals[f], points[i]) <= h->offsets[f] + tolerance);
        }
        for (int k = h->face_start[f]; k < h->face_start[f + 1]; ++k) {
            double below = h->offsets[f] - v3_dot(h->normals[f], h->vertices[h->loops[k]]);
            CHECK_NEAR(below, 0.0, tolerance);
        }
    }
    for (int v = 0; v < h->vertex_count; ++v) {
        bool given = false;
        for (int i = 0; i < count; ++i) {
            pawl_vec3 d = v3_sub(points[i], h->vertices[v]);
            given = given || v3_dot(d, d) == 0.0;
        }
        CHECK(given);
    }
    for (int e = 0; e < h->edge_count; ++e) { // each edge lies on both its faces, which differ
        CHECK(h->edges[e].face[0] != h->edges[e].face[1]);
        for (int k = 0; k < 4; ++k) {
            int f = h->edges[e].face[k / 2], v = h->edges[e].vertex[k % 2];
            CHECK_NEAR(v3_dot(h->normals[f], h->vertices[v]), h->offsets[f], tolerance);
        }
    }
}

TEST(hulls_of_random_points_hold_them_all)
{
    test_env t;
    test_env_init(&t);
    uint64_t seed = 8;
    enum { HULL_MAX = 400 };
    pawl_vec3 points[HULL_MAX];
    for (int trial = 0; trial < 200; ++trial) {
        int count = 4 + random_index(&seed, trial % 20 == 0 ? HULL_MAX - 3 : 30);
        for (int i = 0; i < count; ++i) {
            points[i] = random_vec(&seed, 1.0);
            if (trial % 3 == 1) { // on a sphere: all are vertices
                points[i] = v3_scale(1.0 / v3_norm(points[i]), points[i]);
            } else if (trial % 3 == 2) { // on a coarse grid: many copies and coplanar points
                points[i] =
                    v3(rint(2.0 * points[i].x), rint(2.0 * points[i].y), rint(2.0 * points[i].z));
            }
        }
        convex_hull *h;
        pawl_status status = pawl_hull_create(&t.env, "random", points, count, &h);
        if (trial % 3 == 2 && status == PAWL_BAD_ARGUMENT) {
            CHECK(count < 12); // few points of a grid may lie in a plane
            continue;
        }
        CHECK_OK(status);
        hull_check(h, points, count, 1e-8);
        if (trial % 3 == 1) {
            CHECK_INT(h->vertex_count, count);
        }
        pawl_hull_destroy(&t.env, h);
    }
    CHECK_NO_LEAK(&t);
}

TEST(coplanar_points_make_one_face)
{
    test_env t;
    test_env_init(&t);
    pawl_vec3 points[8 * 27];
    int count = 0;
    pawl_mat3 turn = quat_matrix(quat_exp(v3(0.3, -0.7, 1.1)));
    for (int i = 0; i < 6 * 6 * 6; ++i) { // a solid grid: 8 corners, 6 faces of many points
        pawl_vec3 p = v3(0.4 * (i % 6), 0.2 * (i / 6 % 6), 0.6 * (i / 36));
        points[count++] = m3_mul(&turn, p);
    }
    convex_hull *h;
    CHECK_OK(pawl_hull_create(&t.env, "grid", points, count, &h));
    CHECK_INT(h->vertex_count, 8);
    CHECK_INT(h->face_count, 6);
    CHECK_INT(h->edge_count, 12);
    double volume, s[6];
    pawl_vec3 centre;
    pawl_hull_moments(h, &volume, &centre, s);
    CHECK_NEAR(volume, 2.0 * 1.0 * 3.0, 1e-12);
    CHECK_NEAR3(centre, m3_mul(&turn, v3(1.0, 0.5, 1.5)), 1e-12);
    pawl_mat3 own = {{{0.5 * 4.0, 0, 0}, {0, 0.5 * 1.0, 0}, {0, 0, 0.5 * 9.0}}}; // V l^2 / 12
    pawl_mat3 expected = m3_congruence(&turn, &own);
    const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int k = 0; k < 6; ++k) {
        CHECK_NEAR(s[k], expected.m[at[k][0]][at[k][1]], 1e-12);
    }
    pawl_hull_destroy(&t.env, h);
    CHECK_NO_LEAK(&t);
}

// The builder's mass of a box given as points is that of the box.
TEST(a_body_of_points_weighs_what_its_hull_does)
{
    test_env t;
    test_env_init(&t);
    pawl_vec3 corners[8];
    for (int i = 0; i < 8; ++i) {
        corners[i] = v3(i & 1 ? 0.1 : -0.1, i & 2 ? 0.2 : -0.2, i & 4 ? 0.3 : -0.3);
    }
    pawl_body_info got[2];
    for (int as_hull = 0; as_hull < 2; ++as_hull) {
        pawl_builder *b;
        pawl_model *m;
        CHECK_OK(pawl_builder_create(&t.env, "masses", &b));
        pawl_body_def body = pawl_body_def_default();
        body.density = 800.0;
        CHECK_OK(pawl_builder_add_body(b, &body, NULL));
        pawl_shape_def shape = pawl_shape_def_default();
        shape.kind = as_hull ? PAWL_SHAPE_HULL : PAWL_SHAPE_BOX;
        shape.size = v3(0.1, 0.2, 0.3);
        shape.points = corners;
        shape.point_count = 8;
        shape.frame = (pawl_pose){v3(1, 2, 3), quat_exp(v3(0.4, 0.5, 0.6))};
        CHECK_OK(pawl_builder_add_shape(b, pawl_builder_body_at(b, 0), &shape, NULL));
        CHECK_OK(pawl_builder_compile(b, &m));
        got[as_hull] = pawl_model_body(m, pawl_model_body_at(m, 0));
        pawl_shape_def kept = pawl_model_shape(m, pawl_model_shape_at(m, 0)).def;
        CHECK_INT(kept.point_count, as_hull ? 8 : 0);
        CHECK(!as_hull || kept.points[7].z == 0.3);
        pawl_builder_destroy(b);
        pawl_model_destroy(m);
    }
    CHECK_NEAR(got[1].mass, got[0].mass, 1e-12);
    CHECK_NEAR3(got[1].com, got[0].com, 1e-12);
    for (int k = 0; k < 6; ++k) {
        CHECK_NEAR(got[1].inertia[k], got[0].inertia[k], 1e-12);
    }
    CHECK_NO_LEAK(&t);
}

static pawl_status hull_make_faces(const pawl_env *env, void *points)
{
    pawl_hull_faces *faces;
    pawl_status status = pawl_hull_faces_create(env, points, 8, &faces);
    pawl_hull_faces_destroy(env, faces);
    return status;
}

// A box: six faces of four corners. Its volume is a third of the sum of the faces' areas times
// their distances from a point within (the divergence theorem), with areas by the shoelace formula.
TEST(the_faces_of_a_hull_enclose_it)
{
    test_env t;
    test_env_init(&t);
    pawl_mat3 turn = quat_matrix(quat_exp(v3(0.4, 0.1, -2.0)));
    pawl_vec3 points[8];
    for (int i = 0; i < 8; ++i) {
        pawl_vec3 p = v3(i & 1 ? 0.5 : -0.5, i & 2 ? 1.0 : -1.0, i & 4 ? 1.5 : -1.5);
        points[i] = v3_add(m3_mul(&turn, p), v3(3, 4, 5));
    }
    pawl_hull_faces *faces;
    CHECK_OK(pawl_hull_faces_create(&t.env, points, 8, &faces));
    CHECK_INT(faces->count, 6);
    double volume = 0.0;
    for (int f = 0; f < faces->count; ++f) {
        int first = faces->start[f], count = faces->start[f + 1] - first;
        CHECK_INT(count, 4);
        pawl_vec3 area = v3(0, 0, 0);
        for (int k = 0; k < count; ++k) {
            area = v3_axpy(
                area, 0.5,
                v3_cross(faces->corners[first + k], faces->corners[first + (k + 1) % count]));
        }
        CHECK_NEAR3(v3_scale(1.0 / v3_norm(area), area), faces->normals[f], 1e-12); // outward
        volume += v3_dot(area, v3_sub(faces->corners[first], v3(3, 4, 5))) / 3.0;
    }
    CHECK_NEAR(volume, 6.0, 1e-12);
    pawl_hull_faces_destroy(&t.env, faces);
    CHECK_STATUS(pawl_hull_faces_create(&t.env, points, 3, &faces), PAWL_BAD_ARGUMENT);
    CHECK(faces == NULL);
    CHECK(CHECK_SURVIVES_NO_MEMORY(hull_make_faces, points) > 2);
    CHECK_NO_LEAK(&t);
}

TEST(points_that_make_no_solid_are_refused)
{
    test_env t;
    test_env_init(&t);
    convex_hull *h;
    pawl_vec3 p[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.5, 0.5, 0}, {2, 1, 1e-14}};
    CHECK_STATUS(pawl_hull_create(&t.env, "flat", p, 6, &h), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&t, "'flat'");
    CHECK_STATUS(pawl_hull_create(&t.env, "few", p, 3, &h), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&t, "3 points");
    CHECK_STATUS(pawl_hull_create(&t.env, "none", NULL, 5, &h), PAWL_BAD_ARGUMENT);
    p[4] = v3(0, NAN, 1);
    CHECK_STATUS(pawl_hull_create(&t.env, "nan", p, 6, &h), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&t, "point 4");
    for (int i = 0; i < 6; ++i) {
        p[i] = v3(i, 2 * i, 3 * i);
    }
    CHECK_STATUS(pawl_hull_create(&t.env, "line", p, 6, &h), PAWL_BAD_ARGUMENT);
    CHECK_NO_LEAK(&t);
}

TEST(a_hull_that_gets_no_memory_leaves_none)
{
    pawl_vec3 p[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    for (int64_t fail = 1; fail < 10; ++fail) {
        test_env t;
        test_env_init(&t);
        t.fail_at = fail;
        convex_hull *h;
        pawl_status status = pawl_hull_create(&t.env, "poor", p, 5, &h);
        CHECK(status == PAWL_OK || (status == PAWL_NO_MEMORY && h == NULL));
        pawl_hull_destroy(&t.env, h);
        CHECK_NO_LEAK(&t);
    }
}
