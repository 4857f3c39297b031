// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Cords around balls and cylinders against closed forms of shortest paths and against finite differences. MuJoCo's lengths
// are compared in tests/peers/test_mujoco_files.py.
#include "model/cord_path.h"
#include "support/random.h"
#include "support/test.h"
#include <math.h>

// Around a ball: both tangents and the rest of the angle between the ends.
static double cord_around_ball(pawl_vec3 a, pawl_vec3 b, double r)
{
    pawl_vec3 d = v3_sub(b, a);
    double t = fmin(fmax(-v3_dot(a, d) / v3_dot(d, d), 0.0), 1.0);
    double la = v3_norm(a), lb = v3_norm(b);
    if (la < r || lb < r || v3_norm(v3_axpy(a, t, d)) > r) {
        return v3_norm(d);
    }
    double angle = acos(v3_dot(a, b) / (la * lb)) - acos(r / la) - acos(r / lb);
    return sqrt(la * la - r * r) + sqrt(lb * lb - r * r) + r * angle;
}

TEST(a_cord_takes_the_shortest_way_around_a_ball_or_cylinder)
{
    uint64_t rng = 11;
    int wrapped = 0;
    for (int k = 0; k < 5000; ++k) {
        pawl_vec3 a = random_vec(&rng, 1.0), b = random_vec(&rng, 1.0), c = random_vec(&rng, 0.3);
        double r = random_in(&rng, 0.05, 0.6);
        pawl_wrap wrap = {.kind = PAWL_WRAP_SPHERE, .radius = r};
        wrap.frame = (pawl_pose){c, {1.0, 0.0, 0.0, 0.0}};
        double expected = cord_around_ball(v3_sub(a, c), v3_sub(b, c), r);
        CHECK_NEAR(pawl_wrap_length(&wrap, a, b), expected, 1e-12);
        wrapped += expected > v3_norm(v3_sub(b, a)) + 1e-9 ? 1 : 0;
        // a cylinder along z: the flat path, unrolled with the rise
        wrap.kind = PAWL_WRAP_CYLINDER;
        pawl_vec3 p = v3(a.x - c.x, a.y - c.y, 0.0), q = v3(b.x - c.x, b.y - c.y, 0.0);
        double flat = cord_around_ball(p, q, r), rise = b.z - a.z;
        CHECK_NEAR(pawl_wrap_length(&wrap, a, b), sqrt(flat * flat + rise * rise), 1e-12);
    }
    CHECK(wrapped > 500);
}

// With a side point outside of a cylinder the cord never passes behind it as seen from there. Angles are counted from the
// half-line away from the side point, which the cord does not cross: it sweeps their difference, as tangents and an arc
// where that is more than the two angles of the tangents, else as a straight line.
TEST(a_cord_with_a_side_point_does_not_pass_behind_the_cylinder)
{
    const double turn = 2.0 * acos(-1.0);
    uint64_t rng = 13;
    int wrapped = 0, far_around = 0;
    for (int k = 0; k < 5000; ++k) {
        pawl_vec3 end[2], side = v3_scale(2.0, random_vec(&rng, 1.0));
        double r = random_in(&rng, 0.05, 0.6), size[2], tangent[2], angle[2];
        bool outside = hypot(side.x, side.y) > r;
        for (int i = 0; i < 2; ++i) {
            end[i] = random_vec(&rng, 1.0);
            end[i].z = 0.0;
            size[i] = v3_norm(end[i]);
            outside = outside && size[i] > r;
            tangent[i] = outside ? acos(r / size[i]) : 0.0;
            angle[i] = atan2(end[i].y, end[i].x) - atan2(-side.y, -side.x);
            angle[i] -= turn * floor(angle[i] / turn);
        }
        if (!outside) {
            continue;
        }
        double sweep = fabs(angle[1] - angle[0]), arc = sweep - tangent[0] - tangent[1];
        double expected =
            arc > 0.0 ? sqrt(size[0] * size[0] - r * r) + sqrt(size[1] * size[1] - r * r) + r * arc
                      : v3_norm(v3_sub(end[1], end[0]));
        pawl_wrap wrap = {.kind = PAWL_WRAP_CYLINDER, .radius = r, .sided = true, .side = side};
        wrap.frame = pawl_pose_identity();
        CHECK_NEAR(pawl_wrap_length(&wrap, end[0], end[1]), expected, 1e-12);
        wrapped += arc > 0.0 ? 1 : 0;
        far_around += sweep > 0.5 * turn ? 1 : 0;
    }
    CHECK(wrapped > 500 && far_around > 200);
}

// Where the way round does not change, the direction at the end is the gradient.
TEST(the_direction_at_the_end_is_the_gradient_of_the_length)
{
    uint64_t rng = 12;
    for (int k = 0; k < 3000; ++k) {
        pawl_wrap wrap = {.kind = k % 2 == 0 ? PAWL_WRAP_SPHERE : PAWL_WRAP_CYLINDER,
                          .radius = random_in(&rng, 0.05, 0.5)};
        wrap.frame = (pawl_pose){random_vec(&rng, 0.3), random_quat(&rng)};
        wrap.sided = k % 3 == 0;
        wrap.side = v3_add(wrap.frame.position, random_vec(&rng, 0.3));
        pawl_vec3 end = random_vec(&rng, 1.0), direction, other;
        model_wrap w = pawl_wrap_in_joint(&wrap, pawl_pose_identity());
        double length = pawl_cord_length(&w, end, &direction), step = 1e-6;
        CHECK_NEAR(v3_norm(direction), 1.0, 1e-9);
        for (int i = 0; i < 3; ++i) {
            pawl_vec3 e = v3(i == 0, i == 1, i == 2);
            double more = pawl_cord_length(&w, v3_axpy(end, step, e), &other);
            double less = pawl_cord_length(&w, v3_axpy(end, -step, e), &other);
            if (fabs(more - length) < 10.0 * step && fabs(less - length) < 10.0 * step) {
                CHECK_NEAR((more - less) / (2.0 * step), v3_dot(direction, e), 1e-4);
            }
        }
    }
}
