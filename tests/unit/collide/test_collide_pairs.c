// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Every pair of shapes in many random poses, judged by support heights and containment tests written
// here and nowhere else. For unit n let f(n) be the gap along n: f never exceeds the signed distance.
// So a normal with f(n) = gap together with two points, one in each shape, that are `gap` apart
// along n prove the distance of shapes that are apart. When they overlap, f(n) = gap proves that the
// shapes part when moved by -gap along n, and a search over directions looks for a shorter way.
//
// PAWL_COLLIDE_POSES sets the number of poses a pair (2000; 100000 takes some minutes), and
// PAWL_COLLIDE_REPORT=1 prints the worst errors and the time of each pair.
#include "collide/manifold.h"
#include "support/random.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { JUDGE_POINTS = 14, JUDGE_PLANES = 200, JUDGE_SAMPLES = 200, JUDGE_KINDS = 7 };

static const pawl_shape_kind judge_kinds[JUDGE_KINDS] = {
    PAWL_SHAPE_SPHERE,    PAWL_SHAPE_CAPSULE, PAWL_SHAPE_BOX,  PAWL_SHAPE_CYLINDER,
    PAWL_SHAPE_ELLIPSOID, PAWL_SHAPE_HULL,    PAWL_SHAPE_PLANE};
static const char *const judge_names[JUDGE_KINDS] = {"sphere",    "capsule", "box",  "cylinder",
                                                     "ellipsoid", "hull",    "plane"};

// A shape with what the judge needs: the raw points of a hull, and all planes through three of them
// with the others on one side, found by trying.
typedef struct judged_shape {
    placed_shape placed;
    pawl_vec3 points[JUDGE_POINTS];
    int plane_count;
    pawl_vec3 plane_normal[JUDGE_PLANES];
    double plane_offset[JUDGE_PLANES];
} judged_shape;

typedef struct judge_hulls {
    test_env t;
    int count;
    convex_hull *hull[8];
    judged_shape shape[8];
} judge_hulls;

static void judge_find_planes(judged_shape *s)
{
    s->plane_count = 0;
    for (int i = 0; i < JUDGE_POINTS; ++i) {
        for (int j = i + 1; j < JUDGE_POINTS; ++j) {
            for (int k = j + 1; k < JUDGE_POINTS; ++k) {
                pawl_vec3 n = v3_cross(v3_sub(s->points[j], s->points[i]),
                                       v3_sub(s->points[k], s->points[i]));
                if (v3_norm(n) < 1e-9) {
                    continue;
                }
                n = v3_scale(1.0 / v3_norm(n), n);
                double high = -INFINITY, low = INFINITY, at = v3_dot(n, s->points[i]);
                for (int l = 0; l < JUDGE_POINTS; ++l) {
                    double along = v3_dot(n, s->points[l]) - at;
                    high = along > high ? along : high;
                    low = along < low ? along : low;
                }
                if (high > 1e-9 && low < -1e-9) {
                    continue;
                }
                double sign = high <= 1e-9 ? 1.0 : -1.0;
                if (s->plane_count < JUDGE_PLANES) {
                    s->plane_normal[s->plane_count] = v3_scale(sign, n);
                    s->plane_offset[s->plane_count++] = sign * at;
                }
            }
        }
    }
}

// Hulls of random points, and of the corners of a box with points on its faces.
static void judge_make_hulls(judge_hulls *h, uint64_t *seed)
{
    test_env_init(&h->t);
    h->count = 8;
    for (int i = 0; i < h->count; ++i) {
        judged_shape *s = &h->shape[i];
        for (int k = 0; k < JUDGE_POINTS; ++k) {
            pawl_vec3 p = random_vec(seed, 1.0);
            if (i % 2 == 0) { // a box, with the rest on its faces
                p.x = k < 8 ? (k & 1 ? 0.5 : -0.5) : 0.5;
                p.y = k < 8 ? (k & 2 ? 0.4 : -0.4) : 0.4 * p.y;
                p.z = k < 8 ? (k & 4 ? 0.7 : -0.7) : 0.7 * p.z;
            }
            s->points[k] = p;
        }
        CHECK_OK(pawl_hull_create(&h->t.env, "judged", s->points, JUDGE_POINTS, &h->hull[i]));
        judge_find_planes(s);
    }
}
static void judge_free_hulls(judge_hulls *h)
{
    for (int i = 0; i < h->count; ++i) {
        pawl_hull_destroy(&h->t.env, h->hull[i]);
    }
    CHECK_NO_LEAK(&h->t);
}

static pawl_quat judge_turn(uint64_t *seed)
{
    // mostly any turn; often axes along axes, exactly or nearly, where ties and kinks are
    double any = random_in(seed, 0.0, 1.0);
    pawl_quat q = quat_exp(random_vec(seed, 3.0));
    if (any < 0.4) {
        static const double tiny[6] = {0.0, 0.0, 1e-14, 1e-9, 1e-6, 1e-3};
        static const double quarter = 0.78539816339744830962;
        q = quat_exp(random_vec(seed, tiny[random_index(seed, 6)]));
        for (int k = 0; k < 3; ++k) {
            double angle = quarter * random_index(seed, 5);
            q = quat_mul(
                q, quat_exp(v3(k == 0 ? angle : 0.0, k == 1 ? angle : 0.0, k == 2 ? angle : 0.0)));
        }
    }
    return q;
}

static void judge_make(judge_hulls *hulls, pawl_shape_kind kind, int key, uint64_t *seed,
                       judged_shape *out)
{
    pawl_shape_def def = pawl_shape_def_default();
    def.kind = kind;
    def.size = v3(random_in(seed, 0.2, 1.2), random_in(seed, 0.2, 1.2), random_in(seed, 0.2, 1.2));
    if (random_in(seed, 0.0, 1.0) < 0.2) {
        def.size = v3(0.5, 0.5, 0.5);
    }
    int h = random_index(seed, hulls->count);
    if (kind == PAWL_SHAPE_HULL) {
        *out = hulls->shape[h];
    }
    pawl_pose frame = {v3(0, 0, 0), judge_turn(seed)};
    out->placed =
        pawl_shape_place(&def, kind == PAWL_SHAPE_HULL ? hulls->hull[h] : NULL, frame, key);
}

// The height of a shape along a unit vector.
static double judge_height(const judged_shape *s, pawl_vec3 n)
{
    const placed_shape *p = &s->placed;
    double x = v3_dot(m3_column(&p->axes, 0), n), y = v3_dot(m3_column(&p->axes, 1), n);
    double z = v3_dot(m3_column(&p->axes, 2), n), at = v3_dot(p->position, n);
    pawl_vec3 e = p->size;
    switch (p->kind) {
    case PAWL_SHAPE_SPHERE:
        return at + e.x;
    case PAWL_SHAPE_CAPSULE:
        return at + e.x + e.z * fabs(z);
    case PAWL_SHAPE_BOX:
        return at + e.x * fabs(x) + e.y * fabs(y) + e.z * fabs(z);
    case PAWL_SHAPE_CYLINDER:
        return at + e.x * hypot(x, y) + e.z * fabs(z);
    case PAWL_SHAPE_ELLIPSOID:
        return at + sqrt(e.x * e.x * x * x + e.y * e.y * y * y + e.z * e.z * z * z);
    case PAWL_SHAPE_HULL: {
        double best = -INFINITY;
        for (int i = 0; i < JUDGE_POINTS; ++i) {
            double h = x * s->points[i].x + y * s->points[i].y + z * s->points[i].z;
            best = h > best ? h : best;
        }
        return at + best;
    }
    default: // a half space is bounded along its own normal only
        return z > 1.0 - 1e-12 ? at : INFINITY;
    }
}

static double judge_gap(const judged_shape *a, const judged_shape *b, pawl_vec3 n)
{
    return -judge_height(a, n) - judge_height(b, v3_scale(-1.0, n));
}

// How far a point is outside a shape, 0 inside. First order for ellipsoids.
static double judge_outside(const judged_shape *s, pawl_vec3 world)
{
    const placed_shape *p = &s->placed;
    pawl_vec3 c = m3_tmul(&p->axes, v3_sub(world, p->position)), e = p->size;
    double along = fmax(fabs(c.z) - e.z, 0.0), across = hypot(c.x, c.y), out = 0.0;
    switch (p->kind) {
    case PAWL_SHAPE_SPHERE:
        return fmax(v3_norm(c) - e.x, 0.0);
    case PAWL_SHAPE_CAPSULE:
        return fmax(hypot(along, across) - e.x, 0.0);
    case PAWL_SHAPE_BOX:
        return v3_norm(v3(fmax(fabs(c.x) - e.x, 0.0), fmax(fabs(c.y) - e.y, 0.0), along));
    case PAWL_SHAPE_CYLINDER:
        return hypot(along, fmax(across - e.x, 0.0));
    case PAWL_SHAPE_ELLIPSOID: {
        pawl_vec3 q = v3(c.x / e.x, c.y / e.y, c.z / e.z);
        double level = v3_norm(q);
        pawl_vec3 slope = v3(q.x / e.x, q.y / e.y, q.z / e.z);
        return level > 1.0 ? (level - 1.0) * level / v3_norm(slope) : 0.0;
    }
    case PAWL_SHAPE_HULL:
        for (int i = 0; i < s->plane_count; ++i) {
            out = fmax(out, v3_dot(s->plane_normal[i], c) - s->plane_offset[i]);
        }
        return out;
    default:
        return fmax(c.z, 0.0);
    }
}

static void judge_try(const judged_shape *a, const judged_shape *b, pawl_vec3 n, double *best,
                      pawl_vec3 *at)
{
    double length = v3_norm(n);
    if (length > 1e-9) {
        n = v3_scale(1.0 / length, n);
        double gap = judge_gap(a, b, n);
        if (gap > *best) {
            *best = gap;
            *at = n;
        }
    }
}

// Normals of faces and directions of edges of a shape; used in both signs.
static int judge_specials(const judged_shape *s, pawl_vec3 normals[], pawl_vec3 edges[],
                          int *edge_count)
{
    const placed_shape *p = &s->placed;
    int n = 0;
    *edge_count = 0;
    if (p->kind == PAWL_SHAPE_HULL) {
        for (int i = 0; i < s->plane_count && n < 64; ++i) {
            normals[n++] = m3_mul(&p->axes, s->plane_normal[i]);
        }
        for (int i = 0; i < JUDGE_POINTS && *edge_count < 100; ++i) {
            for (int j = i + 1; j < JUDGE_POINTS && *edge_count < 100; ++j) {
                edges[(*edge_count)++] = m3_mul(&p->axes, v3_sub(s->points[i], s->points[j]));
            }
        }
        return n;
    }
    for (int k = 0; k < 3; ++k) {
        normals[n++] = m3_column(&p->axes, k);
        edges[(*edge_count)++] = m3_column(&p->axes, k);
    }
    return n;
}

// The largest gap along any direction that a search finds.
static double judge_search(const judged_shape *a, const judged_shape *b, uint64_t *seed)
{
    double best = -INFINITY;
    pawl_vec3 at = v3(0, 0, 1), normals[2][64], edges[2][100];
    int edge_count[2];
    for (int side = 0; side < 2; ++side) {
        int count = judge_specials(side ? b : a, normals[side], edges[side], &edge_count[side]);
        for (int i = 0; i < count; ++i) {
            judge_try(a, b, normals[side][i], &best, &at);
            judge_try(a, b, v3_scale(-1.0, normals[side][i]), &best, &at);
        }
    }
    for (int i = 0; i < edge_count[0]; ++i) {
        for (int j = 0; j < edge_count[1]; ++j) {
            pawl_vec3 n = v3_cross(edges[0][i], edges[1][j]);
            judge_try(a, b, n, &best, &at);
            judge_try(a, b, v3_scale(-1.0, n), &best, &at);
        }
    }
    pawl_vec3 start[3] = {at, at, at};
    double score[3] = {best, -INFINITY, -INFINITY};
    for (int i = 0; i < JUDGE_SAMPLES; ++i) { // evenly over the sphere
        double z = 1.0 - (2.0 * i + 1.0) / JUDGE_SAMPLES, r = sqrt(1.0 - z * z);
        double angle = 2.39996322972865332 * i;
        pawl_vec3 n = v3(r * cos(angle), r * sin(angle), z);
        double gap = judge_gap(a, b, n);
        int worst = score[1] < score[2] ? 1 : 2;
        if (gap > score[worst]) {
            score[worst] = gap;
            start[worst] = n;
        }
    }
    for (int s = 0; s < 3; ++s) {
        double gap = score[s];
        pawl_vec3 n = start[s];
        for (double step = 0.2; step > 1e-7; step *= 0.8) {
            for (int k = 0; k < 4; ++k) {
                judge_try(a, b, v3_add(n, random_vec(seed, step)), &gap, &n);
            }
        }
        best = gap > best ? gap : best;
    }
    return best;
}

typedef struct judge_errors {
    double height;  // |f(n) - gap|
    double outside; // of the deepest point's two ends
    double others;  // of the other points' ends
    double beaten;  // by how much a search found a better direction
    double seconds;
    int hits, overlaps;
} judge_errors;

static int judge_poses(int normally)
{
    const char *text = getenv("PAWL_COLLIDE_POSES");
    int given = text != NULL ? atoi(text) : 0;
    return given > 0 ? given : normally;
}

static double judge_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int judge_deepest(const contact_manifold *m)
{
    int deepest = 0;
    for (int i = 1; i < m->count; ++i) {
        deepest = m->point[i].gap < m->point[deepest].gap ? i : deepest;
    }
    return deepest;
}

static bool judge_analytic(pawl_shape_kind a, pawl_shape_kind b)
{
    bool plane = a == PAWL_SHAPE_PLANE || b == PAWL_SHAPE_PLANE;
    bool round_a = a == PAWL_SHAPE_SPHERE || a == PAWL_SHAPE_CAPSULE || a == PAWL_SHAPE_BOX;
    bool round_b = b == PAWL_SHAPE_SPHERE || b == PAWL_SHAPE_CAPSULE || b == PAWL_SHAPE_BOX;
    return plane || (round_a && round_b) || a == PAWL_SHAPE_SPHERE || b == PAWL_SHAPE_SPHERE;
}

static void judge_place(const judged_shape *a, judged_shape *b, uint64_t *seed)
{
    pawl_vec3 u = v3(0, 0, 0);
    while (v3_norm(u) < 0.1) {
        u = random_vec(seed, 1.0);
    }
    if (random_in(seed, 0.0, 1.0) < 0.3) { // along an axis of a shape: faces meet
        const placed_shape *by = random_index(seed, 2) ? &a->placed : &b->placed;
        u = m3_column(&by->axes, random_index(seed, 3));
    }
    if (b->placed.kind == PAWL_SHAPE_PLANE) {
        u = v3_scale(-1.0, m3_column(&b->placed.axes, 2));
    }
    u = v3_scale(1.0 / v3_norm(u), u);
    static const double near[6] = {1e-3, 1e-6, 1e-9, 1e-12, 0.0, -1e-9};
    double gap = random_in(seed, -0.5, 0.15);
    if (random_in(seed, 0.0, 1.0) < 0.3) {
        gap = near[random_index(seed, 6)];
    }
    b->placed.position = v3(0, 0, 0);
    double reach = judge_height(a, u) + judge_height(b, v3_scale(-1.0, u));
    b->placed.position = v3_scale(reach + gap, u);
    if (random_in(seed, 0.0, 1.0) < 0.3) { // aside: corners and edges meet
        b->placed.position = v3_add(b->placed.position, random_vec(seed, 0.5));
    }
    if (random_in(seed, 0.0, 1.0) < 0.02 && b->placed.kind != PAWL_SHAPE_PLANE) {
        b->placed.position = v3(0, 0, 0); // one inside the other
    }
}

static void judge_pair(judge_hulls *hulls, int ka, int kb, uint64_t *seed, judge_errors *errors)
{
    const double margin = 0.1;
    judged_shape a, b;
    judge_make(hulls, judge_kinds[ka], 3, seed, &a);
    judge_make(hulls, judge_kinds[kb], 7, seed, &b);
    judge_place(&a, &b, seed);
    contact_manifold m;
    double begin = judge_clock();
    pawl_collide_pair(&a.placed, &b.placed, margin, &m);
    errors->seconds += judge_clock() - begin;
    CHECK(m.count >= 0 && m.count <= MANIFOLD_POINTS);
    if (m.count == 0) { // a direction that shows a gap above the margin proves it
        pawl_collide_pair(&a.placed, &b.placed, 10.0, &m);
        CHECK(judge_gap(&a, &b, m.normal) > margin - 1e-12);
        return;
    }
    ++errors->hits;
    CHECK_NEAR(v3_norm(m.normal), 1.0, 1e-12);
    int deepest = judge_deepest(&m);
    double gap = m.point[deepest].gap;
    double height = fabs(judge_gap(&a, &b, m.normal) - gap);
    errors->height = fmax(errors->height, height);
    for (int i = 0; i < m.count; ++i) {
        const contact_point *p = &m.point[i];
        CHECK(p->gap <= margin);
        CHECK(v3_finite(p->position));
        CHECK(i == 0 || p->feature >= m.point[i - 1].feature);
        pawl_vec3 on_a = v3_axpy(p->position, -0.5 * p->gap, m.normal);
        pawl_vec3 on_b = v3_axpy(p->position, 0.5 * p->gap, m.normal);
        double out = fmax(judge_outside(&a, on_a), judge_outside(&b, on_b));
        double *worst = i == deepest ? &errors->outside : &errors->others;
        *worst = fmax(*worst, out);
    }
    if (gap < 0.0 && kb + 1 < JUDGE_KINDS) {
        ++errors->overlaps;
        double beaten = judge_search(&a, &b, seed) - gap;
        errors->beaten = fmax(errors->beaten, beaten);
    }
    contact_manifold back;
    pawl_collide_pair(&b.placed, &a.placed, margin, &back);
    CHECK_INT(back.count, m.count);
    CHECK_NEAR3(back.normal, v3_scale(-1.0, m.normal), 0.0);
    for (int i = 0; i < m.count; ++i) {
        CHECK_NEAR3(back.point[i].position, m.point[i].position, 0.0);
        CHECK_NEAR(back.point[i].gap, m.point[i].gap, 0.0);
        CHECK_INT(back.point[i].feature, m.point[i].feature);
    }
}

TEST(every_pair_has_the_exact_gap_normal_and_points_in_random_poses)
{
    uint64_t seed = 11;
    judge_hulls hulls;
    judge_make_hulls(&hulls, &seed);
    int poses = judge_poses(2000);
    for (int ka = 0; ka < JUDGE_KINDS; ++ka) {
        for (int kb = ka; kb < JUDGE_KINDS; ++kb) {
            if (ka == JUDGE_KINDS - 1) {
                continue;
            }
            judge_errors errors = {0};
            for (int i = 0; i < poses; ++i) {
                judge_pair(&hulls, ka, kb, &seed, &errors);
            }
            double tolerance = judge_analytic(judge_kinds[ka], judge_kinds[kb]) ? 1e-9 : 1e-6;
            if (getenv("PAWL_COLLIDE_REPORT") != NULL) {
                printf("%-10s %-10s hits %6d overlaps %6d  gap %.1e  point %.1e (%.1e)  "
                       "beaten %.1e  %.2f us\n",
                       judge_names[ka], judge_names[kb], errors.hits, errors.overlaps,
                       errors.height, errors.outside, errors.others, errors.beaten,
                       1e6 * errors.seconds / poses);
            }
            CHECK_NEAR(errors.height, 0.0, tolerance);
            CHECK_NEAR(errors.outside, 0.0, tolerance);
            // the other points of nearly parallel lines lie between the two
            CHECK_NEAR(errors.others, 0.0, 1e-3);
            CHECK_NEAR(errors.beaten, 0.0, tolerance);
        }
    }
    judge_free_hulls(&hulls);
}
