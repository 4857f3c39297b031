// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Meshes: the formats, hulls, and mass properties. The expected answers are closed forms of boxes and tetrahedra, and for
// hulls a brute-force search over all vertices.
#include "pawl/io.h"
#include "read/mesh.h"
#include "support/random.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double box_corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {0, 2, 0},
                                        {0, 0, 3}, {1, 0, 3}, {1, 2, 3}, {0, 2, 3}};
static const int box_triangle[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7},
                                        {0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5},
                                        {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};

typedef struct mesh_case {
    test_env t;
    xml_reader reader;
    triangle_mesh mesh;
    char why[MESH_WHY];
} mesh_case;

static void mesh_case_begin(mesh_case *c)
{
    *c = (mesh_case){0};
    test_env_init(&c->t);
    xml_reader_begin(&c->reader, &c->t.env, false);
}

static void mesh_case_end(mesh_case *c)
{
    xml_reader_end(&c->reader);
    CHECK_NO_LEAK(&c->t);
}

static pawl_status mesh_case_parse(mesh_case *c, const char *ending, const char *data, size_t size)
{
    return mesh_parse(&c->reader, ending, data, size, &c->mesh, c->why);
}

// A box of 1 x 2 x 3 m with a corner at the origin.
static void check_box(mesh_case *c)
{
    mesh_moments m;
    CHECK_INT(c->mesh.triangle_count, 12);
    CHECK_OK(mesh_moments_of(&c->reader, &c->mesh, MESH_EXACT, &m));
    CHECK(m.watertight);
    CHECK_NEAR(m.volume, 6.0, 1e-12);
    CHECK_NEAR3(m.centre, ((pawl_vec3){0.5, 1.0, 1.5}), 1e-12);
    const double expected[6] = {6.0 * 1.0 / 12.0, 6.0 * 4.0 / 12.0, 6.0 * 9.0 / 12.0, 0, 0, 0};
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR(m.second[i], expected[i], 1e-11);
    }
    mesh_hull hull;
    CHECK_OK(mesh_hull_make(&c->reader, c->mesh.vertices, c->mesh.vertex_count, &hull));
    CHECK_INT(hull.count, 8);
    CHECK_NEAR(hull.error, 0.0, 1e-12);
}

TEST(a_box_is_the_same_from_every_format)
{
    static char text[4096], binary[84 + 50 * 12 + 1], msh[16 + 8 * 12 + 12 * 12 + 1];
    mesh_case c;
    size_t n = (size_t)snprintf(text, sizeof text, "solid box\n");
    uint32_t count = 12;
    memcpy(binary, "solid but binary", 16); // as some programs write it
    memcpy(binary + 80, &count, 4);
    for (int t = 0; t < 12; ++t) {
        float v[12] = {0};
        n += (size_t)snprintf(text + n, sizeof text - n, "facet normal 0 0 0\nouter loop\n");
        for (int k = 0; k < 3; ++k) {
            const double *p = box_corner[box_triangle[t][k]];
            n += (size_t)snprintf(text + n, sizeof text - n, "vertex %g %g %g\n", p[0], p[1], p[2]);
            for (int a = 0; a < 3; ++a) {
                v[3 + 3 * k + a] = (float)p[a];
            }
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "endloop\nendfacet\n");
        memcpy(binary + 84 + 50 * t, v, sizeof v);
    }
    mesh_case_begin(&c);
    CHECK_OK(mesh_case_parse(&c, "stl", text, n));
    check_box(&c);
    CHECK_OK(mesh_case_parse(&c, "stl", binary, sizeof binary - 1));
    check_box(&c);

    static const char obj[] =
        "# quads, one with negative indices\nv 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\n"
        "v 0 0 3\nv 1 0 3\nv 1 2 3\nv 0 2 3\nvn 0 0 1\n"
        "f 1 4 3 2\nf 5/1/1 6/2/1 7//1 8\nf -8 -7 -3 -4\nf 2 3 7 6\n"
        "f 3 4 8 7\nf 4 1 5 8\n";
    CHECK_OK(mesh_case_parse(&c, "obj", obj, sizeof obj - 1));
    check_box(&c);

    const int32_t counts[4] = {8, 0, 0, 12};
    memcpy(msh, counts, sizeof counts);
    for (int i = 0; i < 8; ++i) {
        float v[3] = {(float)box_corner[i][0], (float)box_corner[i][1], (float)box_corner[i][2]};
        memcpy(msh + 16 + 12 * i, v, sizeof v);
    }
    memcpy(msh + 16 + 8 * 12, box_triangle, sizeof box_triangle);
    CHECK_OK(mesh_case_parse(&c, "msh", msh, sizeof msh - 1));
    check_box(&c);
    mesh_case_end(&c);
}

// Damaged bytes are refused with a reason, whatever was cut off.
TEST(a_mesh_that_is_cut_short_is_refused)
{
    static char binary[84 + 50 + 1];
    uint32_t count = 2;
    memcpy(binary + 80, &count, 4);
    mesh_case c;
    mesh_case_begin(&c);
    CHECK_STATUS(mesh_case_parse(&c, "stl", binary, 84 + 50), PAWL_BAD_FILE);
    CHECK(strstr(c.why, "cut short") != NULL);
    static const char pointer[] = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n";
    static const char *const endings[] = {"stl", "obj", "msh"};
    for (int k = 0; k < 3; ++k) { // what a clone without the large files has in their place
        CHECK_STATUS(mesh_case_parse(&c, endings[k], pointer, sizeof pointer - 1), PAWL_BAD_FILE);
        CHECK(strstr(c.why, "git lfs pull") != NULL);
        CHECK_STATUS(mesh_case_parse(&c, endings[k], "", 0), PAWL_BAD_FILE);
        CHECK(strstr(c.why, "empty") != NULL);
    }
    CHECK_STATUS(mesh_case_parse(&c, "obj", "v 0 0 0\nf 1 2 3\n", 16), PAWL_BAD_FILE);
    CHECK(strstr(c.why, "vertex 2") != NULL);
    const int32_t counts[5] = {1000000, 0, 0, 1, 0};
    CHECK_STATUS(mesh_case_parse(&c, "msh", (const char *)counts, 16), PAWL_BAD_FILE);
    CHECK_STATUS(mesh_case_parse(&c, "doc", "", 0), PAWL_BAD_FILE);
    mesh_case_end(&c);
}

// A tetrahedron 0 a b c has the volume |a b c|/6 and the centre (a+b+c)/4; its second moments about the centre are
// V/20 (sum of p p^T - s s^T / 4) over its four corners, s being their sum.
TEST(moments_of_a_random_tetrahedron_are_those_of_the_closed_form)
{
    static const mesh_triangle faces[4] = {{{0, 2, 1}}, {{0, 1, 3}}, {{1, 2, 3}}, {{0, 3, 2}}};
    uint64_t seed = 7;
    for (int round = 0; round < 50; ++round) {
        mesh_case c;
        pawl_vec3 p[4], sum = {0, 0, 0};
        mesh_case_begin(&c);
        for (int i = 0; i < 4; ++i) {
            p[i] = (pawl_vec3){random_in(&seed, -1, 1), random_in(&seed, -1, 1),
                               random_in(&seed, 4, 6)};
            sum = (pawl_vec3){sum.x + p[i].x, sum.y + p[i].y, sum.z + p[i].z};
        }
        const double e[3][3] = {{p[1].x - p[0].x, p[1].y - p[0].y, p[1].z - p[0].z},
                                {p[2].x - p[0].x, p[2].y - p[0].y, p[2].z - p[0].z},
                                {p[3].x - p[0].x, p[3].y - p[0].y, p[3].z - p[0].z}};
        double volume = (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                         e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                         e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
                        6.0;
        c.mesh = (triangle_mesh){.vertex_count = 4,
                                 .triangle_count = 4,
                                 .vertices = p,
                                 .triangles = (mesh_triangle *)faces};
        mesh_moments m, legacy;
        CHECK_OK(mesh_moments_of(&c.reader, &c.mesh, MESH_EXACT, &m));
        CHECK_OK(mesh_moments_of(&c.reader, &c.mesh, MESH_LEGACY, &legacy));
        CHECK(m.watertight);
        CHECK_NEAR(m.volume, volume, 1e-13);
        CHECK_NEAR(legacy.volume, fabs(volume), 1e-13);
        CHECK_NEAR3(m.centre, ((pawl_vec3){sum.x / 4, sum.y / 4, sum.z / 4}), 1e-9);
        double xx = 0.0, xz = 0.0;
        for (int i = 0; i < 4; ++i) {
            xx += p[i].x * p[i].x;
            xz += p[i].x * p[i].z;
        }
        CHECK_NEAR(m.second[0], volume / 20.0 * (xx - sum.x * sum.x / 4.0), 1e-12);
        CHECK_NEAR(m.second[4], volume / 20.0 * (xz - sum.x * sum.z / 4.0), 1e-12);
        mesh_case_end(&c);
    }
}

TEST(an_open_mesh_is_not_watertight)
{
    mesh_case c;
    mesh_case_begin(&c);
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n";
    CHECK_OK(mesh_case_parse(&c, "obj", obj, sizeof obj - 1));
    mesh_moments m;
    CHECK_OK(mesh_moments_of(&c.reader, &c.mesh, MESH_EXACT, &m));
    CHECK(!m.watertight);
    mesh_case_end(&c);
}

// Brute force: in random directions the hull's vertices reach as far as all vertices, to within what it says it is off.
TEST(a_hull_of_few_vertices_reaches_as_far_as_it_says)
{
    enum { COUNT = 5000 };
    static pawl_vec3 p[COUNT];
    uint64_t seed = 3;
    for (int round = 0; round < 4; ++round) {
        mesh_case c;
        mesh_case_begin(&c);
        for (int i = 0; i < COUNT; ++i) {
            double v[3], norm = 0.0;
            for (int k = 0; k < 3; ++k) {
                v[k] = random_in(&seed, -1, 1);
                norm += v[k] * v[k];
            }
            double r = round % 2 == 0 ? 1.0 / sqrt(norm) : 1.0; // a ball, a cube
            p[i] = (pawl_vec3){r * v[0], 0.5 * r * v[1], (round < 2 ? 1.0 : 0.01) * r * v[2]};
        }
        mesh_hull hull;
        CHECK_OK(mesh_hull_make(&c.reader, p, COUNT, &hull));
        CHECK(hull.count >= 8 && hull.count <= MESH_HULL_VERTICES);
        CHECK(hull.error < 0.06); // 128 points on a unit ball leave caps 3 cm high
        for (int d = 0; d < 200; ++d) {
            double n[3], norm = 0.0, all = -INFINITY, few = -INFINITY;
            for (int k = 0; k < 3; ++k) {
                n[k] = random_in(&seed, -1, 1);
                norm += n[k] * n[k];
            }
            norm = sqrt(norm);
            for (int i = 0; i < COUNT; ++i) {
                all = fmax(all, (n[0] * p[i].x + n[1] * p[i].y + n[2] * p[i].z) / norm);
            }
            for (int i = 0; i < hull.count; ++i) {
                const pawl_vec3 *q = &hull.points[i];
                few = fmax(few, (n[0] * q->x + n[1] * q->y + n[2] * q->z) / norm);
            }
            CHECK(few <= all && few >= all - hull.error - 1e-6);
        }
        mesh_case_end(&c);
    }
}

// Archimedes: the lattice has 4 n^2 + 2 points on a ball of radius 1, of which every one is a corner; the polyhedron is closed,
// its volume falls short of the ball's by a part of order 1/n^2 that shrinks fourfold as n doubles. A box has the
// volume of its sides, however many points are on its faces and inside, and far from the origin too.
TEST(a_whole_hull_has_all_corners_and_the_volume_of_the_solid)
{
    enum { MOST = 6000 };
    static pawl_vec3 p[MOST];
    double lack[2];
    for (int round = 0; round < 2; ++round) {
        mesh_case c;
        triangle_mesh hull;
        mesh_moments m;
        int count = 0, n = round == 0 ? 10 : 20;
        mesh_case_begin(&c);
        for (int i = -n; i <= n; ++i) {
            for (int k = -n; k <= n; ++k) {
                int rest = n - abs(i) - abs(k);
                for (int sign = -1; sign <= 1 && rest >= 0; sign += 2) {
                    if (rest > 0 || sign > 0) {
                        double r = sqrt((double)(i * i + k * k + rest * rest));
                        p[count++] = (pawl_vec3){i / r, k / r, sign * rest / r};
                    }
                }
            }
        }
        CHECK_OK(mesh_whole_hull(&c.reader, p, count, &hull));
        CHECK_INT(hull.vertex_count, 4 * n * n + 2);
        CHECK_INT(hull.triangle_count, 2 * hull.vertex_count - 4); // Euler
        CHECK_OK(mesh_moments_of(&c.reader, &hull, MESH_EXACT, &m));
        CHECK(m.watertight && m.volume > 0.0);
        lack[round] = 4.0 / 3.0 * 3.14159265358979323846 - m.volume;
        mesh_case_end(&c);
    }
    CHECK(lack[0] > 3.5 * lack[1] && lack[0] < 4.5 * lack[1]);
    uint64_t seed = 5;
    for (int round = 0; round < 2; ++round) {
        mesh_case c;
        triangle_mesh hull;
        mesh_moments m;
        pawl_vec3 o = {round * 100.0, -round * 50.0, round * 20.0};
        mesh_case_begin(&c);
        for (int i = 0; i < 3000; ++i) {
            double v[3] = {random_in(&seed, 0, 1), random_in(&seed, 0, 2), random_in(&seed, 0, 3)};
            if (i < 1500) { // on a face, the first eight on the corners
                v[i % 3] = i / 3 % 2 == 0 ? 0.0 : 1.0 + i % 3;
            }
            for (int k = 0; k < 3 && i < 8; ++k) {
                v[k] = (i >> k & 1) == 0 ? 0.0 : 1.0 + k;
            }
            p[i] = (pawl_vec3){o.x + v[0], o.y + v[1], o.z + v[2]};
        }
        CHECK_OK(mesh_whole_hull(&c.reader, p, 3000, &hull));
        CHECK_OK(mesh_moments_of(&c.reader, &hull, MESH_EXACT, &m));
        CHECK(m.watertight);
        CHECK_NEAR(m.volume, 6.0, 1e-9);
        CHECK_NEAR(m.second[0], 6.0 / 12.0, 1e-9);
        CHECK_OK(mesh_whole_hull(&c.reader, p, 3, &hull)); // flat
        CHECK_INT(hull.triangle_count, 0);
        mesh_case_end(&c);
    }
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    fputs(text, file);
    fclose(file);
}

static const char cube_obj[] = "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\n"
                               "v 1 1 1\nv -1 1 1\nf 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\n"
                               "f 3 4 8 7\nf 4 1 5 8\n";

static pawl_status load_robot(test_env *t, const char *uri, const char *search, pawl_model **model)
{
    char path[512], text[1024];
    snprintf(text, sizeof text,
             "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
             "izz='1'/></inertial><collision><geometry><mesh filename='%s' scale='0.5 1 2'/>"
             "</geometry></collision></link></robot>",
             uri);
    test_path("robot.urdf", path, sizeof path);
    write_file(path, text);
    pawl_load_options options = pawl_load_options_default();
    options.search_path = search;
    return pawl_model_load(&t->env, path, &options, model);
}

TEST(meshes_are_found_by_every_kind_of_uri_and_scaled)
{
    char mesh[512], folder[512], absolute[600], package[600];
    test_path("cube.obj", mesh, sizeof mesh);
    write_file(mesh, cube_obj);
    snprintf(folder, sizeof folder, "%s", mesh);
    *strrchr(folder, '/') = '\0';
    snprintf(absolute, sizeof absolute, "file://%s", mesh);
    snprintf(package, sizeof package, "package://%s/cube.obj", strrchr(folder, '/') + 1);
    const char *const uris[] = {"cube.obj",
                                absolute,
                                absolute + 7,
                                package,
                                "package://renamed/cube.obj",
                                "model://renamed/cube.obj"};
    for (size_t i = 0; i < sizeof uris / sizeof uris[0]; ++i) {
        test_env t;
        pawl_model *model;
        test_env_init(&t);
        CHECK_OK(load_robot(&t, uris[i], NULL, &model));
        pawl_shape_def shape = pawl_model_shape(model, pawl_model_shape_at(model, 0)).def;
        CHECK_INT(shape.kind, PAWL_SHAPE_HULL);
        CHECK_INT(shape.point_count, 8);
        for (int k = 0; k < 8; ++k) {
            CHECK_NEAR(fabs(shape.points[k].x), 0.5, 1e-15);
            CHECK_NEAR(fabs(shape.points[k].y), 1.0, 1e-15);
            CHECK_NEAR(fabs(shape.points[k].z), 2.0, 1e-15);
        }
        CHECK_MESSAGE(&t, "collision mesh touches as its convex hull: a");
        pawl_model_destroy(model);
        CHECK_NO_LEAK(&t);
    }
}

TEST(files_outside_of_the_search_path_are_not_read)
{
    test_env t;
    pawl_model *model;
    test_env_init(&t);
    CHECK_STATUS(load_robot(&t, "/usr/share/common-licenses/GPL-3", NULL, &model),
                 PAWL_UNSUPPORTED);
    CHECK_STATUS(load_robot(&t, "../../../../../../../../../../etc/passwd", NULL, &model),
                 PAWL_UNSUPPORTED);
    CHECK_MESSAGE(&t, "outside of the search path");
    CHECK_STATUS(load_robot(&t, "http://example.com/a.stl", NULL, &model), PAWL_UNSUPPORTED);
    CHECK_STATUS(load_robot(&t, "package://nowhere/a.stl", "/usr/share", &model), PAWL_UNSUPPORTED);
    CHECK_MESSAGE(&t, "/usr/share/nowhere/a.stl");
    CHECK_NO_LEAK(&t);
}
