// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Limbs: forward kinematics against the simulation, inverse kinematics against forward kinematics.
#include "math/rotation.h"
#include "pawl/io.h"
#include "pawl/limb.h"
#include "pawl/sim.h"
#include "support/random.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

enum { LIMB_TEST_MAX = 16 };

static pawl_model *limb_load(test_env *t, const char *path)
{
    pawl_model *model;
    CHECK_OK(pawl_model_load(&t->env, path, NULL, &model));
    return model;
}

// The limb's coordinates in a state.
static void limb_coordinates(const pawl_limb *limb, const pawl_state *state, double *q)
{
    for (int i = 0; i < pawl_limb_coordinate_count(limb); ++i) {
        pawl_limb_coordinate of = pawl_limb_coordinate_at(limb, i);
        double joint[6];
        pawl_state_joint(state, of.joint, joint, NULL);
        q[i] = joint[of.coordinate];
    }
}

// A simulation moves bodies by their twists and measures coordinates from their poses; the limb goes
// the other way. The two differ by the closure of the joints alone.
static void limb_agrees(const char *path, const char *root_name, const char *tip_name,
                        uint64_t seed)
{
    test_env t;
    test_env_init(&t);
    pawl_model *model = limb_load(&t, path);
    pawl_body_id root = root_name == NULL ? PAWL_WORLD : pawl_model_find_body(model, root_name);
    pawl_body_id tip = pawl_model_find_body(model, tip_name);
    pawl_vec3 point = random_vec(&seed, 0.5);
    pawl_limb *limb;
    CHECK_OK(pawl_limb_create(&t.env, model, root, tip, point, &limb));
    pawl_settings settings = pawl_settings_default();
    settings.dt = 2e-3;
    pawl_sim *sim;
    CHECK_OK(pawl_sim_create(&t.env, model, &settings, &sim));
    double q[LIMB_TEST_MAX];
    for (int k = 0; k < 200; ++k) {
        if (k % 20 == 0) {
            const pawl_state *s = pawl_sim_state(sim);
            limb_coordinates(limb, s, q);
            pawl_vec3 at = pawl_pose_apply(pawl_state_pose(s, tip), point);
            pawl_pose from =
                pawl_body_is_world(root) ? pawl_pose_identity() : pawl_state_pose(s, root);
            at = pawl_pose_apply(pawl_pose_inverse(from), at);
            CHECK_NEAR3(pawl_limb_tip(limb, q, NULL), at, 1e-10);
        }
        CHECK_OK(pawl_sim_step(sim, NULL));
    }
    pawl_sim_destroy(sim);
    pawl_limb_destroy(limb);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}

TEST(a_limb_of_any_kind_of_joint_is_where_the_simulation_has_it)
{
    limb_agrees("models/joints/revolute.sdf", NULL, "bar", 1);
    limb_agrees("models/joints/prismatic.sdf", NULL, "block", 2);
    limb_agrees("models/joints/screw.sdf", NULL, "nut", 3);
    limb_agrees("models/joints/cylindrical.sdf", NULL, "sleeve", 4);
    limb_agrees("models/joints/universal.sdf", NULL, "bar", 5);
    limb_agrees("models/joints/planar.sdf", NULL, "plate", 6);
    limb_agrees("models/joints/cartesian.sdf", NULL, "block", 7);
    limb_agrees("models/joints/gimbal.sdf", NULL, "bar", 8);
}

TEST(the_legs_of_the_robots_are_where_the_simulation_has_them)
{
    limb_agrees("models/nmdp/robosimian-planar.sdf", "torso", "leg2", 11);
    limb_agrees("models/nmdp/robosimian-full.sdf", "torso", "foot3", 12);
    limb_agrees("models/nmdp/spider-planar.sdf", "torso", "lower1", 13);
    limb_agrees("models/nmdp/spider-planar.sdf", NULL, "lower4", 14);
}

// By central differences.
TEST(the_jacobian_is_the_derivative_of_the_tip)
{
    static const char *const cases[][2] = {{"models/nmdp/robosimian-full.sdf", "foot2"},
                                           {"models/joints/screw.sdf", "nut"},
                                           {"models/joints/gimbal.sdf", "bar"},
                                           {"models/joints/planar.sdf", "plate"}};
    uint64_t seed = 77;
    for (int c = 0; c < 4; ++c) {
        test_env t;
        test_env_init(&t);
        pawl_model *model = limb_load(&t, cases[c][0]);
        pawl_limb *limb;
        pawl_body_id root = c == 0 ? pawl_model_find_body(model, "torso") : PAWL_WORLD;
        CHECK_OK(pawl_limb_create(&t.env, model, root, pawl_model_find_body(model, cases[c][1]),
                                  random_vec(&seed, 0.5), &limb));
        int n = pawl_limb_coordinate_count(limb);
        double q[LIMB_TEST_MAX], jacobian[3 * LIMB_TEST_MAX];
        for (int i = 0; i < n; ++i) {
            q[i] = random_in(&seed, -1.5, 1.5);
        }
        (void)pawl_limb_tip(limb, q, jacobian);
        const double h = 1e-5;
        for (int i = 0; i < n; ++i) {
            double middle = q[i];
            q[i] = middle + h;
            pawl_vec3 ahead = pawl_limb_tip(limb, q, NULL);
            q[i] = middle - h;
            pawl_vec3 behind = pawl_limb_tip(limb, q, NULL);
            q[i] = middle;
            pawl_vec3 rate = v3_scale(0.5 / h, v3_sub(ahead, behind));
            CHECK_NEAR3(v3(jacobian[3 * i], jacobian[3 * i + 1], jacobian[3 * i + 2]), rate, 1e-9);
        }
        pawl_limb_destroy(limb);
        pawl_model_destroy(model);
        CHECK_NO_LEAK(&t);
    }
}

typedef struct limb_case {
    test_env t;
    pawl_model *model;
    pawl_limb *limb;
    int count;
    double rest[LIMB_TEST_MAX], q[LIMB_TEST_MAX];
} limb_case;

static void limb_case_begin(limb_case *c, const char *path, const char *tip, pawl_vec3 point)
{
    test_env_init(&c->t);
    c->model = limb_load(&c->t, path);
    CHECK_OK(pawl_limb_create(&c->t.env, c->model, pawl_model_find_body(c->model, "torso"),
                              pawl_model_find_body(c->model, tip), point, &c->limb));
    c->count = pawl_limb_coordinate_count(c->limb);
    pawl_state *state;
    CHECK_OK(pawl_state_create(&c->t.env, c->model, &state));
    limb_coordinates(c->limb, state, c->rest);
    memcpy(c->q, c->rest, sizeof c->q);
    pawl_state_destroy(state);
}

static void limb_case_end(limb_case *c)
{
    pawl_limb_destroy(c->limb);
    pawl_model_destroy(c->model);
    CHECK_NO_LEAK(&c->t);
}

static void limb_check_limits(const limb_case *c)
{
    for (int i = 0; i < c->count; ++i) {
        pawl_limb_coordinate of = pawl_limb_coordinate_at(c->limb, i);
        CHECK(c->q[i] >= of.lower && c->q[i] <= of.upper);
    }
}

// Targets are made by forward kinematics of poses near rest, so that each can be reached.
TEST(what_can_be_reached_is_reached_within_the_limits_and_without_memory)
{
    static const char *const cases[][2] = {{"models/nmdp/robosimian-planar.sdf", "leg4"},
                                           {"models/nmdp/robosimian-full.sdf", "foot1"},
                                           {"models/nmdp/spider-planar.sdf", "lower3"}};
    uint64_t seed = 5;
    for (int k = 0; k < 3; ++k) {
        limb_case c;
        limb_case_begin(&c, cases[k][0], cases[k][1], v3(0.3, 0.05, 0.02));
        int64_t calls = c.t.calls;
        for (int trial = 0; trial < 200; ++trial) {
            double goal[LIMB_TEST_MAX];
            for (int i = 0; i < c.count; ++i) {
                goal[i] = c.rest[i] + random_in(&seed, -0.7, 0.7);
            }
            pawl_vec3 target = pawl_limb_tip(c.limb, goal, NULL);
            double left = pawl_limb_reach(c.limb, target, c.rest, c.q);
            CHECK(left < 1e-11);
            CHECK_NEAR3(pawl_limb_tip(c.limb, c.q, NULL), target, 1e-11);
            limb_check_limits(&c);
        }
        CHECK_INT(c.t.calls, calls);
        limb_case_end(&c);
    }
}

// Robosimian's leg has three joints for two directions of its plane. Scanned by brute force: the lower
// leg's inclination is given, the other two angles follow by the law of cosines.
TEST(of_all_poses_of_a_redundant_leg_the_nearest_to_rest_is_found)
{
    const double span = 0.2865, lower = 0.3425, pi = 3.141592653589793;
    limb_case c;
    limb_case_begin(&c, "models/nmdp/robosimian-planar.sdf", "leg1", v3(lower, -0.117, 0));
    CHECK_NEAR(c.rest[0], -0.45 * pi, 1e-12);
    CHECK_NEAR(c.rest[1], 0.5 * pi, 1e-12);
    CHECK_NEAR(c.rest[2], -0.55 * pi, 1e-12);
    pawl_vec3 foot = pawl_limb_tip(c.limb, c.rest, NULL);
    CHECK_NEAR3(foot,
                v3(0.29326 + span * (cos(0.45 * pi) + cos(0.05 * pi)), -0.2094 - 3 * 0.117,
                   -0.20853 - span * (sin(0.45 * pi) - sin(0.05 * pi)) - lower),
                1e-12);
    const double lifts[] = {0.2, -0.2, 0.35, -0.1};
    for (int k = 0; k < 4; ++k) {
        pawl_vec3 target = v3_add(foot, v3(0.05 * k, 0.0, lifts[k]));
        CHECK(pawl_limb_reach(c.limb, target, c.rest, c.q) < 1e-11);
        double found = 0.0, best = INFINITY;
        for (int i = 0; i < 3; ++i) {
            found += (c.q[i] - c.rest[i]) * (c.q[i] - c.rest[i]);
        }
        for (int n = 0; n <= 200000; ++n) {
            double angle = -pi / 2 + (n - 100000) * 1.5e-5;
            double x = target.x - 0.29326 - lower * cos(angle);
            double z = target.z + 0.20853 - lower * sin(angle);
            double far = sqrt(x * x + z * z);
            if (far < 2 * span) {
                double thigh = atan2(z, x) - acos(0.5 * far / span);
                double shank = atan2(z, x) + acos(0.5 * far / span);
                double d[3] = {thigh - c.rest[0], shank - thigh - c.rest[1],
                               angle - shank - c.rest[2]};
                best = fmin(best, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            }
        }
        CHECK_NEAR(found, best, 1e-8);
        // The way there does not matter.
        double again[3] = {c.rest[0] + 0.3, c.rest[1] - 0.2, c.rest[2] - 0.2};
        CHECK(pawl_limb_reach(c.limb, target, c.rest, again) < 1e-11);
        for (int i = 0; i < 3; ++i) {
            CHECK_NEAR(again[i], c.q[i], 1e-8);
        }
    }
    limb_case_end(&c);
}

// A stretched leg is 0.9155 m long from the hip, which is at (0.29326, -0.2094, -0.20853).
TEST(what_cannot_be_reached_leaves_its_distance)
{
    limb_case c;
    limb_case_begin(&c, "models/nmdp/robosimian-planar.sdf", "leg1", v3(0.3425, -0.117, 0));
    pawl_vec3 below = v3(0.29326, -0.5604, -0.20853 - 1.1155);
    CHECK_NEAR(pawl_limb_reach(c.limb, below, c.rest, c.q), 0.2, 1e-6);
    memcpy(c.q, c.rest, sizeof c.q);
    pawl_vec3 aside = v3_add(pawl_limb_tip(c.limb, c.rest, NULL), v3(0, 0.03, 0));
    CHECK_NEAR(pawl_limb_reach(c.limb, aside, c.rest, c.q), 0.03, 1e-6);
    limb_check_limits(&c);
    limb_case_end(&c);
}

TEST(a_limb_needs_a_chain_of_joints_that_can_be_set)
{
    test_env t;
    test_env_init(&t);
    pawl_limb *limb;
    pawl_vec3 here = v3(0, 0, 0);
    pawl_model *model = limb_load(&t, "models/nmdp/spider-planar.sdf");
    CHECK_STATUS(pawl_limb_create(&t.env, model, pawl_model_body_at(model, 2),
                                  pawl_model_body_at(model, 4), here, &limb),
                 PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&t, "no chain of joints leads from body 'lower1' to body 'lower2'");
    CHECK(limb == NULL);
    CHECK_OK(pawl_limb_create(&t.env, model, pawl_model_body_at(model, 3),
                              pawl_model_body_at(model, 3), v3(1, 2, 3),
                              &limb)); // of no joint at all
    CHECK_INT(pawl_limb_coordinate_count(limb), 0);
    CHECK_NEAR3(pawl_limb_tip(limb, NULL, NULL), v3(1, 2, 3), 0.0);
    CHECK_NEAR(pawl_limb_reach(limb, v3(1, 2, 4), NULL, NULL), 1.0, 1e-15);
    pawl_limb_destroy(limb);
    pawl_model_destroy(model);
    model = limb_load(&t, "models/joints/spherical.sdf");
    CHECK_STATUS(
        pawl_limb_create(&t.env, model, PAWL_WORLD, pawl_model_body_at(model, 0), here, &limb),
        PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&t, "is spherical");
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}

static pawl_status limb_make(const pawl_env *env, void *model)
{
    pawl_limb *limb;
    pawl_status status = pawl_limb_create(env, model, pawl_model_body_at(model, 0),
                                          pawl_model_body_at(model, 2), v3(0, 0, 0), &limb);
    pawl_limb_destroy(limb);
    return status;
}

TEST(a_limb_survives_a_lack_of_memory)
{
    test_env t;
    test_env_init(&t);
    pawl_model *model = limb_load(&t, "models/nmdp/spider-planar.sdf");
    CHECK_INT(CHECK_SURVIVES_NO_MEMORY(limb_make, model), 1);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}
