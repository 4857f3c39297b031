// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// When things meet within a step, against closed forms: parabolas, straight lines and turning corners.
#include "math/trig.h"
#include "sim/sim.h"
#include "step/common/locate.h"
#include "support/random.h"
#include "support/scene.h"

#include <math.h>

enum { LOCATE_BODIES = 2, LOCATE_KNOWN = 16 };
static const double locate_tolerance = 1e-10;

// The two ends of a step of the mechanism, and the search between them.
typedef struct locate_case {
    pawl_state *from, *to;
    double h;
    double known[LOCATE_KNOWN];
    int known_count;
} locate_case;

static void locate_begin(mechanism *m, locate_case *c, double h)
{
    pawl_settings settings = mechanism_settings(h, PAWL_STEPPER_EULER);
    mechanism_start(m, &settings);
    *c = (locate_case){.h = h};
    CHECK_OK(pawl_state_create(&m->t.env, m->model, &c->from));
    CHECK_OK(pawl_state_create(&m->t.env, m->model, &c->to));
    pawl_state_copy(c->from, mechanism_state(m));
    pawl_state_copy(c->to, c->from);
}

static void locate_end(mechanism *m, locate_case *c)
{
    pawl_state_destroy(c->from);
    pawl_state_destroy(c->to);
    mechanism_end(m);
}

// Moves a body by the trapezoidal rule with constant accelerations, the turning one in body axes.
static void locate_move(locate_case *c, int body, pawl_vec3 a, pawl_vec3 turning)
{
    const body_state *x = &c->from->bodies[body];
    body_state *y = &c->to->bodies[body];
    y->v = v3_axpy(x->v, c->h, a);
    y->r = v3_axpy(x->r, 0.5 * c->h, v3_add(x->v, y->v));
    pawl_vec3 W = pawl_quat_rotate(quat_conj(x->q), x->w), Z = v3_axpy(W, c->h, turning);
    y->q = quat_mul(x->q, quat_exp(v3_scale(0.5 * c->h, v3_add(W, Z))));
    y->w = pawl_quat_rotate(y->q, Z);
}

static bool locate_find(mechanism *m, const locate_case *c, gap_root *out)
{
    step_context *k = &m->sim->context;
    body_state bodies[LOCATE_BODIES];
    if (k->finder != NULL) {
        CHECK(pawl_contact_finder_find(k->finder, c->to->bodies, 0.0, c->h) >= 0);
    }
    bool closed[16] = {false};
    motion_path path = {m->model, c->from->bodies, c->to->bodies, 0.0, c->h};
    locate_scope scope = {.finder = k->finder,
                          .known = c->known,
                          .known_count = c->known_count,
                          .assembly = k->assembly,
                          .closed = closed,
                          .tolerance = locate_tolerance,
                          .bodies = bodies};
    return pawl_locate_gap_root(&path, c->from, c->to, &scope, out);
}

// z + v tau - g tau^2 / 2 = r
TEST(a_falling_ball_hits_the_floor_on_its_parabola)
{
    uint64_t seed = 11;
    for (int i = 0; i < 200; ++i) {
        double r = random_in(&seed, 0.01, 0.2), h = random_in(&seed, 0.002, 0.1);
        double v = random_in(&seed, -8.0, -0.5), fraction = random_in(&seed, 0.05, 0.95);
        double tau = fraction * h, z = r - v * tau + 0.5 * SCENE_G * tau * tau;
        mechanism m;
        scene_floor(&m, 0.5, 0.0, 0.0);
        pawl_body_id ball = scene_sphere(&m, 1.0, r, v3(0.3, 0.1, z), v3(1.0, 2.0, v), 0.5, 0.0);
        locate_case c;
        locate_begin(&m, &c, h);
        locate_move(&c, pawl_body_index(ball), v3(0, 0, -SCENE_G), v3(0, 0, 0));
        gap_root hit;
        CHECK(locate_find(&m, &c, &hit));
        CHECK(!hit.at_once);
        CHECK_NEAR(hit.tau, tau, 1e-12);
        CHECK_INT(hit.shape_a, 0);
        CHECK_INT(hit.shape_b, 1);
        CHECK_INT(hit.joint, -1);
        locate_end(&m, &c);
    }
}

// v tau = g tau^2 / 2: what leaves the floor lies on it but for rounding, and comes back.
TEST(a_ball_that_leaves_the_floor_comes_back_later)
{
    for (int i = 0; i < 20; ++i) {
        double v = 0.4 * pow(0.7, i), tau = 2.0 * v / SCENE_G, below = i % 2 == 0 ? 0.0 : -1e-17;
        mechanism m;
        scene_floor(&m, 0.5, 0.0, 0.0);
        pawl_body_id ball =
            scene_sphere(&m, 1.0, 0.1, v3(0, 0, 0.1 + below), v3(0, 0, v), 0.5, 0.0);
        locate_case c;
        locate_begin(&m, &c, 0.1);
        locate_move(&c, pawl_body_index(ball), v3(0, 0, -SCENE_G), v3(0, 0, 0));
        gap_root hit;
        CHECK(locate_find(&m, &c, &hit));
        CHECK(!hit.at_once);
        CHECK_NEAR(hit.tau, tau, 1e-14 + 1e-16 / v);
        locate_end(&m, &c);
    }
}

TEST(what_never_rises_is_closed_at_once)
{
    mechanism m;
    scene_floor(&m, 0.5, 0.0, 0.0);
    pawl_body_id ball = scene_sphere(&m, 1.0, 0.1, v3(0, 0, 0.1), v3(0, 0, 0), 0.5, 0.0);
    locate_case c;
    locate_begin(&m, &c, 0.1);
    locate_move(&c, pawl_body_index(ball), v3(0, 0, -SCENE_G), v3(0, 0, 0));
    gap_root hit;
    CHECK(locate_find(&m, &c, &hit));
    CHECK(hit.at_once);
    CHECK(hit.tau == 0.0);
    // unless the contact is known
    pawl_contact points[FINDER_POINTS];
    finder_pair pair = pawl_contact_finder_pair(m.sim->context.finder, 0);
    int count =
        pawl_contact_finder_points(m.sim->context.finder, pair, c.from->bodies, 1.0, points);
    CHECK_INT(count, 1);
    c.known[c.known_count++] = points[0].id;
    CHECK(!locate_find(&m, &c, &hit));
    locate_end(&m, &c);
}

// |d + v tau| = r1 + r2 for a straight way.
TEST(two_flying_spheres_touch_where_their_distance_says)
{
    uint64_t seed = 5;
    int got_count = 0;
    for (int i = 0; i < 300; ++i) {
        double ra = random_in(&seed, 0.05, 0.2), rb = random_in(&seed, 0.05, 0.2), h = 0.05;
        pawl_vec3 p = random_vec(&seed, 0.6), w = random_vec(&seed, 5.0);
        pawl_vec3 v = v3_axpy(random_vec(&seed, 3.0), random_in(&seed, -30.0, 2.0), p);
        double a = v3_dot(v, v), b = v3_dot(p, v), k = v3_dot(p, p) - (ra + rb) * (ra + rb);
        double root = b * b - a * k, tau = root > 0.0 ? (-b - sqrt(root)) / a : -1.0;
        double deepest = root > 0.0 ? ra + rb - sqrt(v3_dot(p, p) - b * b / a) : 0.0;
        if (k < 0.01 || (root > 0.0 && deepest < 0.6 * fmin(ra, rb))) {
            continue; // inside already, or a graze that may pass between two looks
        }
        mechanism m;
        mechanism_begin(&m);
        pawl_body_id one = scene_sphere(&m, 1.0, ra, v3(0, 0, 0), w, 0.5, 0.0);
        pawl_body_id two = scene_sphere(&m, 2.0, rb, p, v3_add(v, w), 0.5, 0.0);
        locate_case c;
        locate_begin(&m, &c, h);
        locate_move(&c, pawl_body_index(one), v3(0, 0, 0), v3(3, 2, 1));
        locate_move(&c, pawl_body_index(two), v3(0, 0, 0), v3(0, 0, 0));
        gap_root hit;
        bool expected = tau > 0.0 && tau < h;
        CHECK(locate_find(&m, &c, &hit) == expected);
        if (expected) {
            CHECK_NEAR(hit.tau, tau, 1e-13);
            ++got_count;
        }
        locate_end(&m, &c);
    }
    CHECK(got_count > 20);
}

// A box turns about a horizontal edge direction while it falls: its lowest corner is at
// z - d cos(angle0 + w tau), solved here by halving.
TEST(the_corner_of_a_turning_box_hits_the_floor)
{
    uint64_t seed = 3;
    for (int i = 0; i < 100; ++i) {
        double h = 0.02, a = random_in(&seed, 0.1, 0.3), b = random_in(&seed, 0.1, 0.3);
        double tilt = random_in(&seed, 0.2, 0.6), w = random_in(&seed, -15.0, 15.0);
        double v = random_in(&seed, -6.0, -4.0), z = 0.02 + sqrt(a * a + b * b);
        mechanism m;
        scene_floor(&m, 0.5, 0.0, 0.0);
        pawl_body_def def = pawl_body_def_default();
        def.mass = 1.0;
        def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.1;
        def.pose = (pawl_pose){v3(0, 0, z), quat_exp(v3(0, tilt, 0))};
        def.twist = (pawl_twist){v3(0, 0, v), v3(0, w, 0)};
        pawl_body_id box = mechanism_body(&m, &def);
        scene_shape(&m, box, PAWL_SHAPE_BOX, v3(a, 0.15, b), v3(0, 0, 0), 0.5, 0.0);
        locate_case c;
        locate_begin(&m, &c, h);
        locate_move(&c, pawl_body_index(box), v3(0, 0, -SCENE_G), v3(0, 0, 0));
        double low = 0.0, high = h;
        for (int k = 0; k < 80; ++k) {
            double t = 0.5 * (low + high), angle = tilt + w * t;
            double lowest =
                z + v * t - 0.5 * SCENE_G * t * t - a * fabs(sin(angle)) - b * fabs(cos(angle));
            low = lowest > 0.0 ? t : low;
            high = lowest > 0.0 ? high : t;
        }
        gap_root hit;
        bool expected = high < h;
        CHECK(locate_find(&m, &c, &hit) == expected);
        if (expected) {
            CHECK_NEAR(hit.tau, low, 1e-12);
        }
        locate_end(&m, &c);
    }
}

// Half way through a plate that is thinner than the way of a step is long.
TEST(a_bullet_hits_the_plate_it_would_pass_through)
{
    mechanism m;
    mechanism_begin(&m);
    scene_shape(&m, PAWL_WORLD, PAWL_SHAPE_BOX, v3(1, 1, 0.05), v3(0, 0, 0), 0.5, 0.0);
    pawl_body_id bullet = scene_sphere(&m, 1.0, 0.05, v3(0, 0, 0.5), v3(0, 0, -100.0), 0.5, 0.0);
    locate_case c;
    locate_begin(&m, &c, 0.01);
    locate_move(&c, pawl_body_index(bullet), v3(0, 0, 0), v3(0, 0, 0));
    gap_root hit;
    CHECK(locate_find(&m, &c, &hit));
    CHECK_NEAR(hit.tau, 0.004, 1e-14);
    locate_end(&m, &c);
}

// A slider with limits, pushed: x + v tau + a tau^2 / 2 = limit.
TEST(a_limit_is_reached_on_the_coordinates_parabola)
{
    for (int side = 0; side < 2; ++side) {
        double sign = side == 0 ? 1.0 : -1.0;
        mechanism m;
        mechanism_begin(&m);
        pawl_body_def body = pawl_body_def_default();
        body.mass = 1.0;
        body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.1;
        body.twist.linear = v3(2.0 * sign, 0, 0);
        pawl_body_id slider = mechanism_body(&m, &body);
        pawl_joint_def def = mechanism_joint_def(&m, PAWL_JOINT_PRISMATIC, PAWL_WORLD, slider,
                                                 v3(0, 0, 0), v3(1, 0, 0));
        def.coordinate[0].lower = -0.01;
        def.coordinate[0].upper = 0.01;
        pawl_joint_id joint = mechanism_joint(&m, &def);
        locate_case c;
        locate_begin(&m, &c, 0.01);
        locate_move(&c, pawl_body_index(slider), v3(-30.0 * sign, 0, 0), v3(0, 0, 0));
        gap_root hit;
        CHECK(locate_find(&m, &c, &hit));
        CHECK_NEAR(hit.tau, (2.0 - sqrt(4.0 - 2.0 * 30.0 * 0.01)) / 30.0, 1e-14);
        CHECK_INT(hit.joint, pawl_joint_index(joint));
        CHECK_INT(hit.coordinate, 0);
        CHECK_INT(hit.shape_a, -1);
        locate_end(&m, &c);
    }
}

// Both ends of the path are the states themselves, the middle is the trapezoidal rule's own, and what a
// projection added at the end is met as well.
TEST(the_path_meets_both_ends_and_the_rule_in_between)
{
    uint64_t seed = 9;
    mechanism m;
    mechanism_begin(&m);
    pawl_body_id body = mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(0.1, 0.2, 0.3));
    locate_case c;
    locate_begin(&m, &c, 0.03);
    for (int i = 0; i < 50; ++i) {
        body_state *x = &c.from->bodies[pawl_body_index(body)];
        *x = (body_state){random_vec(&seed, 1.0), random_quat(&seed), random_vec(&seed, 5.0),
                          random_vec(&seed, i < 25 ? 20.0 : 400.0)};
        locate_move(&c, pawl_body_index(body), random_vec(&seed, 10.0), random_vec(&seed, 50.0));
        const body_state *y = &c.to->bodies[pawl_body_index(body)];
        motion_path path = {m.model, c.from->bodies, c.to->bodies, 0.0, c.h};
        body_state at = pawl_motion_body(&path, pawl_body_index(body), 0.0);
        CHECK_NEAR3(at.r, x->r, 1e-14);
        CHECK_NEAR3(at.w, x->w, 1e-11);
        at = pawl_motion_body(&path, pawl_body_index(body), c.h);
        CHECK_NEAR3(at.r, y->r, 1e-14);
        CHECK_NEAR3(at.v, y->v, 1e-13);
        CHECK_NEAR3(at.w, y->w, 1e-11);
        CHECK_NEAR(fabs(quat_mul(quat_conj(at.q), y->q).w), 1.0, 1e-13);
        pawl_vec3 W = pawl_quat_rotate(quat_conj(x->q), x->w);
        pawl_vec3 Z = pawl_quat_rotate(quat_conj(y->q), y->w), mid = v3_scale(0.5, v3_add(W, Z));
        pawl_quat half = quat_mul(x->q, quat_exp(v3_scale(0.25 * c.h, v3_add(W, mid))));
        at = pawl_motion_body(&path, pawl_body_index(body), 0.5 * c.h);
        CHECK_NEAR(fabs(quat_mul(quat_conj(at.q), half).w), 1.0, 1e-13);
        CHECK_NEAR3(at.w, pawl_quat_rotate(half, mid), 1e-10);
    }
    locate_end(&m, &c);
}
