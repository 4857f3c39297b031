// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Two meshes against each other: prisms over polygons that are not convex, in random poses, aligned ones among them. The
// right answer comes from convex pieces of the same solids, by code that knows no triangles.
#include "collide/mesh_surface.h"
#include "pawl/model.h"
#include "support/random.h"
#include "support/test.h"
#include <stdio.h>
#include <stdlib.h>

enum { FORM_CORNERS = 12, FORM_PIECES = 5 };
typedef struct form_plan {
    const char *name;
    int corner_count, piece_count, piece_corners;
    double half; // of its height
    double corner[FORM_CORNERS][2];
    int piece[FORM_PIECES][6]; // convex, counter-clockwise; they cover the polygon
} form_plan;
static const form_plan form_plans[] = {
    {"hook",
     8,
     3,
     4,
     0.15,
     {{-0.5, -0.5},
      {0.5, -0.5},
      {0.5, 0.5},
      {0.25, 0.5},
      {0.25, -0.2},
      {-0.25, -0.2},
      {-0.25, 0.5},
      {-0.5, 0.5}},
     {{0, 1, 4, 5}, {1, 2, 3, 4}, {0, 5, 6, 7}}},
    {"angle",
     6,
     2,
     4,
     0.1,
     {{-0.5, -0.5}, {0.5, -0.5}, {0.5, -0.3}, {-0.3, -0.3}, {-0.3, 0.5}, {-0.5, 0.5}},
     {{0, 1, 2, 3}, {0, 3, 4, 5}}},
    {"star", 10, 5, 4, 0.12, {{0, 0}}, {{0}}}, // made below
    {"plate", 4, 1, 4, 0.03, {{-0.5, -0.4}, {0.5, -0.4}, {0.5, 0.4}, {-0.5, 0.4}}, {{0, 1, 2, 3}}},
    {"zigzag",
     8,
     3,
     4,
     0.2,
     {{-0.5, -0.3},
      {0, -0.1},
      {0.2, -0.4},
      {0.5, 0.2},
      {0.4, 0.4},
      {0.15, -0.1},
      {0.05, 0.2},
      {-0.5, 0.0}},
     {{0, 1, 6, 7}, {1, 2, 5, 6}, {2, 3, 4, 5}}},
};
enum { FORMS = sizeof form_plans / sizeof form_plans[0] };

typedef struct form {
    tri_mesh *mesh;
    int piece_count;
    convex_hull *piece[FORM_PIECES];
} form;

static double form_turn(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// Triangles of a polygon by cutting off ears; their number is its corners less two.
static void form_ears(double (*xy)[2], int count, int (*out)[3])
{
    int left[FORM_CORNERS], found = 0;
    for (int k = 0; k < count; ++k) {
        left[k] = k;
    }
    for (int n = count; n > 2; --n) {
        for (int k = 0; k < n; ++k) {
            int a = left[(k + n - 1) % n], b = left[k], c = left[(k + 1) % n];
            bool ear = form_turn(xy[a], xy[b], xy[c]) > 0.0;
            for (int i = 0; i < n && ear; ++i) {
                const double *p = xy[left[i]];
                ear = left[i] == a || left[i] == b || left[i] == c ||
                      form_turn(xy[a], xy[b], p) < 0.0 || form_turn(xy[b], xy[c], p) < 0.0 ||
                      form_turn(xy[c], xy[a], p) < 0.0;
            }
            if (ear) {
                out[found][0] = a, out[found][1] = b, out[found++][2] = c;
                for (int i = k; i + 1 < n; ++i) {
                    left[i] = left[i + 1];
                }
                break;
            }
        }
    }
}

// A plan stretched by `x`, `y` and `z`.
static form form_make(test_env *t, const form_plan *plan, double x, double y, double z)
{
    double xy[FORM_CORNERS][2];
    int ears[FORM_CORNERS][3], triangles[3 * 4 * FORM_CORNERS], count = plan->corner_count, n = 0;
    bool star = plan->corner[1][0] == plan->corner[0][0] && plan->corner[1][1] == 0.0;
    pawl_vec3 points[2 * FORM_CORNERS + 2];
    for (int k = 0; k < count; ++k) {
        double angle = 3.14159265358979323846 * k / 5.0, r = k % 2 == 0 ? 0.5 : 0.22;
        xy[k][0] = x * (star ? r * cos(angle) : plan->corner[k][0]);
        xy[k][1] = y * (star ? r * sin(angle) : plan->corner[k][1]);
        points[k] = v3(xy[k][0], xy[k][1], -z * plan->half);
        points[k + count] = v3(xy[k][0], xy[k][1], z * plan->half);
        int next = (k + 1) % count, side[6] = {k, next, next + count, k, next + count, k + count};
        for (int i = 0; i < 6; ++i) {
            triangles[n++] = side[i];
        }
    }
    form_ears(xy, count, ears);
    for (int k = 0; k + 2 < count; ++k) {
        int end[6] = {ears[k][0],         ears[k][2],         ears[k][1],
                      ears[k][0] + count, ears[k][1] + count, ears[k][2] + count};
        for (int i = 0; i < 6; ++i) {
            triangles[n++] = end[i];
        }
    }
    form f = {.piece_count = plan->piece_count};
    CHECK_OK(
        pawl_tri_mesh_create(&t->env, plan->name, points, 2 * count, triangles, n / 3, &f.mesh));
    CHECK(f.mesh->closed);
    points[2 * count] = v3(0, 0, -z * plan->half);
    points[2 * count + 1] = v3(0, 0, z * plan->half);
    for (int p = 0; p < plan->piece_count; ++p) {
        pawl_vec3 corner[12];
        for (int k = 0; k < 4; ++k) {
            // a kite of the star: its middle, a tip and the notches beside that
            int kite = k == 0 ? -1 : (2 * p + k - 2 + count) % count;
            int at = star ? kite : plan->piece[p][k];
            corner[k] = points[at < 0 ? 2 * count : at];
            corner[k + 4] = points[at < 0 ? 2 * count + 1 : at + count];
        }
        CHECK_OK(pawl_hull_create(&t->env, plan->name, corner, 8, &f.piece[p]));
    }
    return f;
}

static void form_free(test_env *t, form *f)
{
    pawl_tri_mesh_destroy(&t->env, f->mesh);
    for (int p = 0; p < f->piece_count; ++p) {
        pawl_hull_destroy(&t->env, f->piece[p]);
    }
}

static placed_shape form_place(const form *f, pawl_pose pose, int piece, int key)
{
    placed_shape s = {.kind = piece < 0 ? PAWL_SHAPE_MESH : PAWL_SHAPE_HULL,
                      .position = pose.position,
                      .axes = quat_matrix(pose.orientation),
                      .hull = piece < 0 ? f->mesh->hull : f->piece[piece],
                      .mesh = piece < 0 ? f->mesh : NULL,
                      .key = key};
    return s;
}

// The least gap of all pieces: their distance, or minus the largest depth of a pair of them.
static double form_gap(const form *a, pawl_pose p, const form *b, pawl_pose q, double margin)
{
    double least = INFINITY;
    for (int i = 0; i < a->piece_count; ++i) {
        for (int j = 0; j < b->piece_count; ++j) {
            placed_shape x = form_place(a, p, i, i), y = form_place(b, q, j, j + 10);
            contact_manifold m;
            pawl_collide_pair(&x, &y, margin, &m);
            for (int k = 0; k < m.count; ++k) {
                least = fmin(least, m.point[k].gap);
            }
        }
    }
    return least;
}

static double form_mesh_gap(const form *a, pawl_pose p, const form *b, pawl_pose q, double margin,
                            pawl_vec3 *normal)
{
    static contact_manifold out[MANIFOLDS_A_PAIR];
    placed_shape x = form_place(a, p, -1, 0), y = form_place(b, q, -1, 1);
    int count = pawl_collide_shapes(&x, &y, margin, out, MANIFOLDS_A_PAIR);
    double least = INFINITY;
    for (int k = 0; k < count; ++k) {
        for (int i = 0; i < out[k].count; ++i) {
            if (out[k].point[i].gap < least) {
                least = out[k].point[i].gap;
                *normal = out[k].normal;
            }
        }
    }
    return least;
}

// Any turn, or one with an axis along an axis, or about one of them as well.
static pawl_quat form_turned(uint64_t *seed)
{
    const double right = 1.57079632679489661923;
    pawl_quat turn = random_quat(seed);
    int kind = random_index(seed, 3);
    if (kind == 0) {
        return turn;
    }
    turn = quat_exp(v3(right * random_index(seed, 4), 0, 0));
    turn = quat_mul(quat_exp(v3(0, right * random_index(seed, 4), 0)), turn);
    double last = kind == 1 ? random_in(seed, 0, 6) : right * random_index(seed, 4);
    return quat_mul(quat_exp(v3(0, 0, last)), turn);
}

// Comes in along a random line until the gap of the pieces is `wanted`; false where the line passes by.
static bool form_approach(const form *a, pawl_pose p, const form *b, pawl_pose *q, uint64_t *seed,
                          double wanted)
{
    pawl_vec3 from = random_vec(seed, 1.0), aim = random_vec(seed, 0.3);
    from = v3_scale(3.0, v3_unit_or(from, v3(1, 0, 0)));
    double far = 1.0, near = 1.0;
    const double step = 0.005;
    do { // the first touch, in steps that pass over nothing
        far = near;
        near -= step;
        q->position = v3_axpy(aim, near, from);
        if (near < 0.0) {
            return false;
        }
    } while (!(form_gap(a, p, b, *q, 0.1) < wanted));
    for (int k = 0; k < 40; ++k) {
        double middle = 0.5 * (far + near);
        q->position = v3_axpy(aim, middle, from);
        *(form_gap(a, p, b, *q, 0.1) < wanted ? &near : &far) = middle;
    }
    q->position = v3_axpy(aim, near, from);
    return fabs(form_gap(a, p, b, *q, 0.1) - wanted) < 0.1 * fabs(wanted);
}

// Pushes the second out along the deepest point's normal again and again; the gap that is left.
static double form_push(const form *a, pawl_pose p, const form *b, pawl_pose q)
{
    for (int k = 0; k < 20; ++k) {
        pawl_vec3 n = {0, 0, 0};
        double got = form_mesh_gap(a, p, b, q, 0.1, &n);
        if (!(got < 0.0)) {
            break;
        }
        q.position = v3_axpy(q.position, -got, n);
    }
    return form_gap(a, p, b, q, 0.1);
}

typedef struct form_tally {
    int pairs, missed, shallow, deep, astray;
} form_tally;

// One pair whose depth is between 1e-6 and 10^deepest m.
static void form_judge(uint64_t seed, double deepest, form_tally *tally)
{
    test_env t;
    test_env_init(&t);
    uint64_t start = seed;
    form f[2];
    for (int k = 0; k < 2; ++k) {
        const form_plan *plan = &form_plans[random_index(&seed, FORMS)];
        double x = random_in(&seed, 0.7, 1.4), y = random_in(&seed, 0.7, 1.4);
        double z = random_in(&seed, 0.7, 1.4);
        f[k] = form_make(&t, plan, x, y, z);
    }
    pawl_pose p = {v3(0, 0, 0), form_turned(&seed)};
    pawl_pose q = {v3(0, 0, 0), form_turned(&seed)};
    double wanted = -pow(10.0, random_in(&seed, -6.0, deepest));
    if (form_approach(&f[0], p, &f[1], &q, &seed, wanted)) {
        pawl_vec3 n = {0, 0, 0};
        double right = form_gap(&f[0], p, &f[1], q, 0.1);
        double got = form_mesh_gap(&f[0], p, &f[1], q, 0.1, &n);
        double after = form_push(&f[0], p, &f[1], q);
        ++tally->pairs;
        bool missed = !(got < 0.0), shallow = !missed && got > 0.3 * right;
        bool deep = got < 3.0 * right, astray = !missed && after < 0.1 * right;
        tally->missed += missed;
        tally->shallow += shallow;
        tally->deep += deep;
        tally->astray += astray;
        if ((missed || shallow || deep || astray) && getenv("PAWL_COLLIDE_REPORT") != NULL) {
            printf("seed %llu %s: right %.3e got %.3e after %.3e n (%.3f %.3f %.3f)\n",
                   (unsigned long long)start,
                   missed    ? "missed"
                   : shallow ? "shallow"
                   : deep    ? "deep"
                             : "astray",
                   right, got, after, n.x, n.y, n.z);
        }
    }
    for (int k = 0; k < 2; ++k) {
        form_free(&t, &f[k]);
    }
    CHECK_NO_LEAK(&t);
}

static form_tally form_judge_many(double deepest)
{
    form_tally tally = {0};
    const char *wanted = getenv("PAWL_COLLIDE_COUNT");
    int count = wanted != NULL ? atoi(wanted) : 400;
    for (int k = 0; k < count; ++k) {
        form_judge((uint64_t)(k + 1) * 7919, deepest, &tally);
    }
    if (getenv("PAWL_COLLIDE_REPORT") != NULL) {
        printf("%d pairs: missed %d, too shallow %d, too deep %d, led astray %d\n", tally.pairs,
               tally.missed, tally.shallow, tally.deep, tally.astray);
    }
    CHECK(tally.pairs > count / 3);
    return tally;
}

// Faces that lie on each other are among them: ridges that cross in such a plane are as deep as the overlap, not as
// wide as the solids. Where corners have come past each other in thin parts, nearest faces do not tell the way out of
// the whole overlap: one in 2500 pairs is less deep than a third of what it is.
TEST(overlaps_are_found_about_as_deep_as_they_are)
{
    form_tally tally = form_judge_many(-2.0);
    CHECK_INT(tally.missed, 0);
    CHECK_INT(tally.deep, 0);
    CHECK(tally.shallow <= 1 + tally.pairs / 1000);
    CHECK(tally.astray <= 1 + tally.pairs / 1000);
}

// As deep as the thinner ones are thick.
TEST(deep_overlaps_are_pushed_out)
{
    form_tally tally = form_judge_many(-1.3);
    CHECK_INT(tally.missed, 0);
    CHECK_INT(tally.deep, 0);
    CHECK(tally.shallow <= 1 + tally.pairs / 300);
    CHECK(tally.astray <= 1 + tally.pairs / 300);
}

// Closed form: one prism lies on another by 1e-10 to 1e-5 m too low, turned and shifted at random.
TEST(prisms_that_lie_on_each_other_are_as_deep_as_they_are_low)
{
    test_env t;
    test_env_init(&t);
    uint64_t seed = 5;
    int touching = 0;
    for (int k = 0; k < 300; ++k) {
        const form_plan *plan[2] = {&form_plans[random_index(&seed, FORMS)],
                                    &form_plans[random_index(&seed, FORMS)]};
        form f[2] = {form_make(&t, plan[0], 1, 1, 1), form_make(&t, plan[1], 1, 1, 1)};
        pawl_pose p = pawl_pose_identity(), q = p;
        double depth = pow(10.0, random_in(&seed, -10.0, -5.0));
        q.orientation = quat_exp(v3(0, 0, random_in(&seed, 0, 6)));
        q.position.x = random_in(&seed, -0.7, 0.7);
        q.position.y = random_in(&seed, -0.7, 0.7);
        q.position.z = plan[0]->half + plan[1]->half - depth;
        pawl_vec3 n = {0, 0, 0};
        double right = form_gap(&f[0], p, &f[1], q, 0.01);
        double got = form_mesh_gap(&f[0], p, &f[1], q, 0.01, &n);
        if (right <= -0.99 * depth) {
            ++touching;
            CHECK_NEAR(got, right, 1e-14 + 1e-6 * depth);
            CHECK(n.z > 0.999);
        }
        form_free(&t, &f[0]);
        form_free(&t, &f[1]);
    }
    CHECK(touching > 100);
    CHECK_NO_LEAK(&t);
}

// Any list of triangles: open, folded, with triangles that cross, slivers, corners that nearly coincide, edges of three
// triangles. All in a cube of 1 m, at sizes of 1 mm to 1 m.
static tri_mesh *form_soup(test_env *t, uint64_t *seed)
{
    enum { POINTS = 24, TRIANGLES = 40 };
    pawl_vec3 points[POINTS];
    int corners[3 * TRIANGLES];
    double size = pow(10.0, random_in(seed, -3.0, 0.0));
    for (int k = 0; k < POINTS; ++k) {
        points[k] = random_vec(seed, size);
        int other = random_index(seed, POINTS), kind = random_index(seed, 4);
        if (kind == 0 && other < k) { // on or close to another
            points[k] = v3_axpy(points[other], pow(10.0, random_in(seed, -12.0, -3.0)), points[k]);
        } else if (kind == 1) {
            points[k].z = 0.0;
        }
    }
    for (int k = 0; k < 3 * TRIANGLES; ++k) {
        corners[k] = random_index(seed, POINTS);
    }
    tri_mesh *m = NULL;
    CHECK_OK(pawl_tri_mesh_create(&t->env, "soup", points, POINTS, corners, TRIANGLES, &m));
    return m;
}

static void form_check_points(const contact_manifold *m, int count, double margin)
{
    for (int k = 0; k < count; ++k) {
        CHECK_NEAR(v3_norm(m[k].normal), 1.0, 1e-9);
        for (int i = 0; i < m[k].count; ++i) {
            const contact_point *p = &m[k].point[i];
            CHECK(v3_finite(p->position) && isfinite(p->gap));
            CHECK(p->gap <= margin * (1.0 + 1e-9));
            CHECK(p->gap >= -4.0 && v3_norm(p->position) < 10.0);
        }
    }
}

// Every shape against meshes that are no solids: points are finite, within the margin and near the shapes, and the
// same for (a, b) and (b, a).
TEST(any_triangles_touch_every_shape)
{
    test_env t;
    test_env_init(&t);
    uint64_t seed = 17;
    static contact_manifold out[MANIFOLDS_A_PAIR], back[MANIFOLDS_A_PAIR];
    static const pawl_shape_kind kinds[] = {
        PAWL_SHAPE_SPHERE,    PAWL_SHAPE_CAPSULE, PAWL_SHAPE_BOX, PAWL_SHAPE_CYLINDER,
        PAWL_SHAPE_ELLIPSOID, PAWL_SHAPE_PLANE,   PAWL_SHAPE_MESH};
    int touched = 0;
    for (int k = 0; k < 1400; ++k) {
        tri_mesh *m = form_soup(&t, &seed), *other = form_soup(&t, &seed);
        pawl_pose p = random_pose(&seed, 0.3), q = random_pose(&seed, 0.3);
        placed_shape a = {.kind = PAWL_SHAPE_MESH,
                          .position = p.position,
                          .axes = quat_matrix(p.orientation),
                          .hull = m->hull,
                          .mesh = m,
                          .key = 1};
        pawl_shape_def def = pawl_shape_def_default();
        def.kind = kinds[k % 7];
        double x = random_in(&seed, 0.05, 0.5), y = random_in(&seed, 0.05, 0.5);
        def.size = v3(x, y, random_in(&seed, 0.05, 0.5));
        placed_shape b = a;
        if (def.kind == PAWL_SHAPE_MESH) {
            b.position = q.position;
            b.axes = quat_matrix(q.orientation);
            b.mesh = other;
            b.hull = other->hull;
            b.key = 2;
        } else {
            b = pawl_shape_place(&def, NULL, q, 2);
        }
        const double margin = 0.05;
        int count = pawl_collide_shapes(&a, &b, margin, out, MANIFOLDS_A_PAIR);
        int again = pawl_collide_shapes(&b, &a, margin, back, MANIFOLDS_A_PAIR);
        form_check_points(out, count, margin);
        CHECK_INT(again, count);
        for (int i = 0; i < count; ++i) {
            CHECK_INT(back[i].count, out[i].count);
            CHECK(v3_max_abs(v3_add(back[i].normal, out[i].normal)) == 0.0);
            for (int j = 0; j < out[i].count; ++j) {
                CHECK(back[i].point[j].gap == out[i].point[j].gap);
                CHECK_INT((int)back[i].point[j].feature, (int)out[i].point[j].feature);
            }
        }
        touched += count > 0;
        pawl_tri_mesh_destroy(&t.env, m);
        pawl_tri_mesh_destroy(&t.env, other);
    }
    CHECK(touched > 500);
    CHECK_NO_LEAK(&t);
}
