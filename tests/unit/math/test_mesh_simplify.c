// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Surfaces with fewer triangles for drawing: how many are left, and how far they are from the surface they stand for.
#include "math/mesh_simplify.h"
#include "math/vec.h"
#include "support/test.h"
#include <math.h>
#include <stdlib.h>

typedef struct soup { // triangles with corners of their own, as STL files have them
    int count;
    pawl_vec3 *points;
    int *corners;
} soup;

static void soup_add(soup *s, pawl_vec3 a, pawl_vec3 b, pawl_vec3 c)
{
    const pawl_vec3 p[3] = {a, b, c};
    for (int k = 0; k < 3; ++k) {
        s->points[3 * s->count + k] = p[k];
        s->corners[3 * s->count + k] = 3 * s->count + k;
    }
    s->count += 1;
}

static soup soup_make(int capacity)
{
    return (soup){0, malloc(3 * (size_t)capacity * sizeof(pawl_vec3)),
                  malloc(3 * (size_t)capacity * sizeof(int))};
}

static void soup_free(soup *s)
{
    free(s->points);
    free(s->corners);
}

static pawl_vec3 ball_point(int i, int j, int n)
{
    const double pi = 3.14159265358979323846;
    double a = 2.0 * pi * (i % n) / n, b = pi * j / n - 0.5 * pi;
    return v3(cos(b) * cos(a), cos(b) * sin(a), sin(b));
}

static soup soup_ball(int n)
{
    soup s = soup_make(2 * n * n);
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            soup_add(&s, ball_point(i, j, n), ball_point(i + 1, j, n), ball_point(i, j + 1, n));
            soup_add(&s, ball_point(i + 1, j, n), ball_point(i + 1, j + 1, n),
                     ball_point(i, j + 1, n));
        }
    }
    return s;
}

static soup soup_box(void)
{
    static const int face[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                   {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    soup s = soup_make(16);
    for (int f = 0; f < 6; ++f) {
        pawl_vec3 p[4];
        for (int k = 0; k < 4; ++k) {
            int c = face[f][k];
            p[k] = v3(c & 1 ? 1.0 : -1.0, c & 2 ? 2.0 : -2.0, c & 4 ? 3.0 : -3.0);
        }
        soup_add(&s, p[0], p[1], p[2]);
        soup_add(&s, p[0], p[2], p[3]);
    }
    return s;
}

static drawn_mesh simplified(const soup *s, int most)
{
    test_env t;
    test_env_init(&t);
    drawn_mesh out;
    CHECK_STATUS(
        pawl_mesh_simplify(&t.env, s->points, 3 * s->count, s->corners, s->count, most, &out),
        PAWL_OK);
    drawn_mesh copy = out;
    copy.points = malloc(((size_t)out.point_count + 1) * sizeof *copy.points);
    copy.triangles = malloc((3 * (size_t)out.triangle_count + 1) * sizeof *copy.triangles);
    for (int i = 0; i < out.point_count; ++i) {
        copy.points[i] = out.points[i];
    }
    for (int i = 0; i < 3 * out.triangle_count; ++i) {
        CHECK(out.triangles[i] >= 0 && out.triangles[i] < out.point_count);
        copy.triangles[i] = out.triangles[i];
    }
    pawl_drawn_mesh_free(&t.env, &out);
    CHECK_NO_LEAK(&t);
    return copy;
}

static void copy_free(drawn_mesh *m)
{
    free(m->points);
    free(m->triangles);
}

// A box has 8 corners, however often a file repeats them.
TEST(corners_at_one_place_become_one_and_all_else_stays)
{
    soup s = soup_box();
    soup_add(&s, v3(1, 2, 3), v3(1, 2, 3), v3(-1, 2, 3)); // no area
    drawn_mesh m = simplified(&s, 12);
    CHECK(m.point_count == 8 && m.triangle_count == 12);
    for (int i = 0; i < 8; ++i) {
        CHECK(fabs(m.points[i].x) == 1.0 && fabs(m.points[i].y) == 2.0 &&
              fabs(m.points[i].z) == 3.0);
    }
    copy_free(&m);
    soup_free(&s);
}

// Points of a ball of radius 1 that stand for a cell of width w lie at most w from it. The area of a closed surface near a
// ball is near 4 pi.
TEST(a_ball_of_twenty_thousand_triangles_stays_a_ball_with_fewer)
{
    soup s = soup_ball(100);
    for (int most = 200; most <= 12800; most *= 4) {
        drawn_mesh m = simplified(&s, most);
        double area = 0.0, width = 4.0 / sqrt(most);
        CHECK(m.triangle_count <= most && m.triangle_count > most / 8);
        for (int i = 0; i < m.point_count; ++i) {
            CHECK_NEAR(v3_norm(m.points[i]), 1.0, 0.5 * width);
        }
        for (int t = 0; t < m.triangle_count; ++t) {
            pawl_vec3 o = m.points[m.triangles[3 * t]];
            pawl_vec3 n = v3_cross(v3_sub(m.points[m.triangles[3 * t + 1]], o),
                                   v3_sub(m.points[m.triangles[3 * t + 2]], o));
            area += 0.5 * v3_norm(n);
        }
        CHECK_NEAR(area, 12.566370614359172, 12.6 * width);
        copy_free(&m);
    }
    soup_free(&s);
}

// Edges of machined parts are where planes meet: corners of a box with finely divided faces stay where they are.
TEST(a_finely_divided_box_keeps_its_edges)
{
    enum { N = 24 };
    soup s = soup_make(2 * 6 * N * N);
    for (int f = 0; f < 6; ++f) {
        for (int i = 0; i < N; ++i) {
            for (int j = 0; j < N; ++j) {
                pawl_vec3 p[4];
                for (int k = 0; k < 4; ++k) {
                    double u = 2.0 * (i + (k == 1 || k == 2)) / N - 1.0;
                    double v = 2.0 * (j + (k >= 2)) / N - 1.0, w = f % 2 == 0 ? 1.0 : -1.0;
                    p[k] = f / 2 == 0 ? v3(w, u, v) : f / 2 == 1 ? v3(u, w, v) : v3(u, v, w);
                }
                soup_add(&s, p[0], p[1], p[2]);
                soup_add(&s, p[0], p[2], p[3]);
            }
        }
    }
    drawn_mesh m = simplified(&s, 700);
    CHECK(m.triangle_count <= 700);
    for (int c = 0; c < 8; ++c) {
        pawl_vec3 corner = v3(c & 1 ? 1.0 : -1.0, c & 2 ? 1.0 : -1.0, c & 4 ? 1.0 : -1.0);
        double nearest = INFINITY;
        for (int i = 0; i < m.point_count; ++i) {
            nearest = fmin(nearest, v3_norm(v3_sub(m.points[i], corner)));
        }
        CHECK_NEAR(nearest, 0.0, 2e-3);
    }
    copy_free(&m);
    soup_free(&s);
}

static pawl_status make_one(const pawl_env *env, void *argument)
{
    const soup *s = argument;
    drawn_mesh out;
    pawl_status status =
        pawl_mesh_simplify(env, s->points, 3 * s->count, s->corners, s->count, 100, &out);
    pawl_drawn_mesh_free(env, &out);
    return status;
}

TEST(without_memory_nothing_is_made_and_nothing_leaks)
{
    soup s = soup_ball(20);
    CHECK_SURVIVES_NO_MEMORY(make_one, &s);
    soup_free(&s);
}
