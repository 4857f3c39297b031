// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Convex parts of meshes. The solids are unions of boxes in random positions, for which inside and outside are known in closed
// form: points of the solid lie in a part, points further outside than the tolerance in none, and polyhedra with few inner
// edges are cut exactly there.
#include "math/rotation.h"
#include "read/mesh_parts.h"
#include "support/mesh_solids.h"
#include "support/random.h"
#include "support/test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct solid_box {
    pawl_vec3 at, half;
} solid_box;

typedef struct parts_case {
    test_env t;
    xml_reader reader;
    triangle_mesh mesh;
    mesh_solid *solid;
    const mesh_parts *parts;
    pawl_pose pose; // of the boxes
    double size;
} parts_case;

static void parts_case_begin(parts_case *c)
{
    *c = (parts_case){.solid = calloc(1, sizeof(mesh_solid)), .pose = pawl_pose_identity()};
    CHECK(c->solid != NULL);
    test_env_init(&c->t);
    xml_reader_begin(&c->reader, &c->t.env, false);
}

static void parts_case_make(parts_case *c)
{
    mesh_solid *s = c->solid;
    pawl_vec3 low = v3(1e9, 1e9, 1e9), high = v3(-1e9, -1e9, -1e9);
    for (int i = 0; i < s->point_count; ++i) {
        pawl_vec3 p = s->points[i] = pawl_pose_apply(c->pose, s->points[i]);
        low = v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    c->size = v3_norm(v3_sub(high, low));
    c->mesh = (triangle_mesh){
        .vertices = s->points, .vertex_count = s->point_count, .triangle_count = s->triangle_count};
    c->mesh.triangles =
        xml_alloc(&c->reader, (size_t)s->triangle_count * sizeof *c->mesh.triangles);
    memcpy(c->mesh.triangles, s->triangles, (size_t)s->triangle_count * sizeof *c->mesh.triangles);
    CHECK_OK(mesh_parts_make(&c->reader, &c->mesh, &c->parts));
}

static void parts_case_end(parts_case *c)
{
    xml_reader_end(&c->reader);
    free(c->solid);
    CHECK_NO_LEAK(&c->t);
}

// How far a point is outside of a hull: the largest distance in front of a face.
static double parts_outside(parts_case *c, int part, pawl_vec3 p)
{
    pawl_hull_faces *faces;
    double far = -INFINITY;
    CHECK_OK(pawl_hull_faces_create(&c->t.env, c->parts->hulls[part].points,
                                    c->parts->hulls[part].count, &faces));
    for (int f = 0; f < faces->count; ++f) {
        far = fmax(far, v3_dot(faces->normals[f], v3_sub(p, faces->corners[faces->start[f]])));
    }
    pawl_hull_faces_destroy(&c->t.env, faces);
    return far;
}

static double parts_union_outside(parts_case *c, pawl_vec3 p)
{
    double far = INFINITY;
    for (int i = 0; i < c->parts->count; ++i) {
        far = fmin(far, parts_outside(c, i, p));
    }
    return far;
}

static double parts_volume(parts_case *c)
{
    double sum = 0.0;
    for (int i = 0; i < c->parts->count; ++i) {
        pawl_hull_faces *faces;
        CHECK_OK(pawl_hull_faces_create(&c->t.env, c->parts->hulls[i].points,
                                        c->parts->hulls[i].count, &faces));
        for (int f = 0; f < faces->count; ++f) {
            pawl_vec3 a = faces->corners[faces->start[f]];
            for (int k = faces->start[f] + 2; k < faces->start[f + 1]; ++k) {
                sum += v3_dot(a, v3_cross(faces->corners[k - 1], faces->corners[k])) / 6.0;
            }
        }
        pawl_hull_faces_destroy(&c->t.env, faces);
    }
    return sum;
}

static pawl_pose parts_random_pose(uint64_t *random)
{
    pawl_vec3 turn =
        v3(random_in(random, -2, 2), random_in(random, -2, 2), random_in(random, -2, 2));
    return (pawl_pose){v3(random_in(random, -3, 3), random_in(random, -3, 3), 0.5), quat_exp(turn)};
}

// An L has one inner edge: two parts, and their volumes are those of the L, however it is turned.
TEST(an_L_is_cut_into_two_at_its_inner_edge)
{
    static const double L[6][2] = {{0.4, 0.4}, {0.4, 2}, {0, 2}, {0, 0}, {3, 0}, {3, 0.4}};
    uint64_t random = 7;
    for (int k = 0; k < 10; ++k) {
        parts_case c;
        parts_case_begin(&c);
        solid_add_prism(c.solid, L, 6, 0.0, 1.0);
        c.pose = parts_random_pose(&random);
        parts_case_make(&c);
        CHECK(c.parts->count == 2);
        CHECK_NEAR(parts_volume(&c), 0.4 * 2 + 2.6 * 0.4, 1e-6);
        CHECK(c.parts->concavity < 1e-6);
        parts_case_end(&c);
    }
}

TEST(a_convex_mesh_is_one_part)
{
    parts_case c;
    parts_case_begin(&c);
    solid_add_box(c.solid, v3(1, 2, 3), v3(0.5, 0.2, 0.3), 6);
    parts_case_make(&c);
    CHECK(c.parts->count == 1);
    CHECK_NEAR(parts_volume(&c), 8 * 0.5 * 0.2 * 0.3, 1e-9);
    const mesh_parts *again;
    CHECK_OK(mesh_parts_make(&c.reader, &c.mesh, &again));
    CHECK(again == c.parts); // made once
    parts_case_end(&c);
}

// Crosses, stairs, tables and the like: a long box in the middle and others that stick into it.
TEST(parts_cover_the_solid_and_no_more_than_the_tolerance)
{
    uint64_t random = 11;
    for (int k = 0; k < 12; ++k) {
        parts_case c;
        solid_box boxes[5];
        int count = 2 + k % 4;
        parts_case_begin(&c);
        for (int i = 0; i < count; ++i) {
            boxes[i] = (solid_box){v3(random_in(&random, -1, 1), random_in(&random, -0.2, 0.2),
                                      random_in(&random, -0.5, 0.5)),
                                   v3(random_in(&random, 0.1, 0.4), random_in(&random, 0.2, 1),
                                      random_in(&random, 0.1, 0.6))};
            solid_add_box(c.solid, boxes[i].at, boxes[i].half, 1);
        }
        c.pose = k % 2 == 0 ? pawl_pose_identity() : parts_random_pose(&random);
        parts_case_make(&c);
        CHECK(c.parts->count >= 1);
        CHECK(c.parts->concavity <= 0.0101 * c.size || c.parts->count >= 30);
        int far = 0;
        for (int i = 0; i < 400; ++i) {
            pawl_vec3 p = v3(random_in(&random, -1.6, 1.6), random_in(&random, -1.4, 1.4),
                             random_in(&random, -1.3, 1.3));
            double outside = INFINITY; // of the boxes, to their faces, edges or corners
            for (int b = 0; b < count; ++b) {
                pawl_vec3 d = v3_sub(p, boxes[b].at), h = boxes[b].half;
                pawl_vec3 e = v3(fmax(fabs(d.x) - h.x, 0), fmax(fabs(d.y) - h.y, 0),
                                 fmax(fabs(d.z) - h.z, 0));
                outside = fmin(outside, v3_norm(e));
            }
            double of_parts = parts_union_outside(&c, pawl_pose_apply(c.pose, p));
            if (outside == 0.0) {
                CHECK(of_parts <= 2e-3 * c.size); // hulls leave out what sticks out by less
            } else if (outside > 2.0 * c.parts->concavity + 0.012 * c.size) {
                far += of_parts <= 0.0 ? 1 : 0;
            }
        }
        CHECK(far == 0);
        parts_case_end(&c);
    }
}
