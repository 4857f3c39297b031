// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reactions of redundant joints were the rounding of a single solve, multiplied by the inverse of the
// regularization, in exact files, too: hundreds of times the load.
#include "math/rotation.h"
#include "pawl/io.h"
#include "support/dense_reference.h"
#include "support/linkage_motion.h"
#include "support/linkage_zoo.h"
#include "support/mechanism.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Of all forces that hold the mechanism, those of least norm in the metric of the rows, by a dense
// pseudo-inverse, at the start and at rest; the largest force of a joint in *out.
static void loops_least_norm(const pawl_model *model, const pawl_state *state, double *out)
{
    static double J[DENSE_MAX * DENSE_MAX], A[DENSE_MAX * DENSE_MAX], b[DENSE_MAX], x[DENSE_MAX];
    int n = 0, bodies = pawl_model_body_count(model), columns = 6 * bodies;
    memset(J, 0, sizeof J);
    for (int k = 0; k < pawl_model_joint_count(model); ++k) {
        pawl_joint_info j = pawl_model_joint(model, pawl_model_joint_at(model, k));
        pawl_pose base =
            pawl_body_is_world(j.base) ? pawl_pose_identity() : pawl_state_pose(state, j.base);
        pawl_quat frame = pawl_pose_compose(base, j.base_frame).orientation;
        pawl_vec3 point =
            pawl_pose_compose(pawl_state_pose(state, j.follower), j.follower_frame).position;
        for (int row = 0; row < 5; ++row, ++n) { // x, y, z; about y, about z
            int along = row < 3 ? row : row - 2;
            pawl_vec3 d = pawl_quat_rotate(frame, v3(along == 0, along == 1, along == 2));
            for (int side = 0; side < 2; ++side) {
                pawl_body_id body = side == 0 ? j.follower : j.base;
                if (pawl_body_is_world(body)) {
                    continue;
                }
                pawl_vec3 centre =
                    pawl_pose_apply(pawl_state_pose(state, body), pawl_model_body(model, body).com);
                pawl_vec3 s = v3_scale(side == 0 ? 1.0 : -1.0, d);
                pawl_vec3 turn = row < 3 ? v3_cross(v3_sub(point, centre), s) : s;
                double *to = J + n * columns + 6 * pawl_body_index(body);
                if (row < 3) {
                    to[0] = s.x, to[1] = s.y, to[2] = s.z;
                }
                to[3] = turn.x, to[4] = turn.y, to[5] = turn.z;
            }
        }
    }
    CHECK(n <= DENSE_MAX && columns <= DENSE_MAX);
    // A = J M^-1 JT; at rest the rows would accelerate by J g, which the forces undo
    pawl_vec3 g = pawl_model_gravity(model);
    for (int i = 0; i < n; ++i) {
        b[i] = 0.0;
        for (int c = 0; c < n; ++c) {
            A[i * n + c] = 0.0;
        }
        for (int body = 0; body < bodies; ++body) {
            pawl_body_info info = pawl_model_body(model, pawl_model_body_at(model, body));
            pawl_mat3 turn = quat_matrix(
                pawl_state_pose(state, pawl_model_body_at(pawl_state_model(state), body))
                    .orientation);
            pawl_mat3 own = m3_from_six(info.inertia), inertia = m3_congruence(&turn, &own);
            pawl_mat3 inverse = m3_inverse(&inertia);
            const double *p = J + i * columns + 6 * body;
            b[i] -= p[0] * g.x + p[1] * g.y + p[2] * g.z;
            pawl_vec3 w = m3_mul(&inverse, v3(p[3], p[4], p[5]));
            for (int c = 0; c < n; ++c) {
                const double *q = J + c * columns + 6 * body;
                A[i * n + c] += (p[0] * q[0] + p[1] * q[1] + p[2] * q[2]) / info.mass + w.x * q[3] +
                                w.y * q[4] + w.z * q[5];
            }
        }
    }
    static double scaled[DENSE_MAX * DENSE_MAX];
    for (int i = 0; i < n; ++i) {
        for (int c = 0; c < n; ++c) {
            scaled[i * n + c] = A[i * n + c] / sqrt(A[i * n + i] * A[c * n + c]);
        }
        b[i] /= sqrt(A[i * n + i]);
    }
    dense_pseudo_solve(scaled, n, 1e-9, b, x);
    *out = 0.0;
    for (int i = 0; i < n; i += 5) {
        double force = 0.0;
        for (int c = 0; c < 3; ++c) {
            force = hypot(force, x[i + c] / sqrt(A[(i + c) * (n + 1)]));
        }
        *out = fmax(*out, force);
    }
}

// Pseudo-inverse of the exact mechanism; files of any digits must share the load alike.
TEST(reactions_are_those_of_least_norm)
{
    static void (*const make[])(linkage *) = {zoo_four_bar, zoo_bennett, zoo_bricard, zoo_sarrus};
    for (size_t k = 0; k < sizeof make / sizeof make[0]; ++k) {
        linkage l;
        test_env t;
        test_env_init(&t);
        make[k](&l);
        char *text = linkage_sdf(&l, LINKAGE_EXACT);
        pawl_load_options options = pawl_load_options_default();
        pawl_model *model;
        pawl_state *state;
        double expected;
        CHECK_OK(pawl_model_parse(&t.env, l.name, text, strlen(text), &options, &model));
        CHECK_OK(pawl_state_create(&t.env, model, &state));
        loops_least_norm(model, state, &expected);
        pawl_state_destroy(state);
        pawl_model_destroy(model);
        free(text);
        CHECK_NO_LEAK(&t);
        for (int digits = 4; digits <= 17; digits = digits == 9 ? 17 : digits + 1) {
            for (int stepper = 0; stepper < MECHANISM_STEPPERS; ++stepper) {
                pawl_settings settings = mechanism_settings(1e-5, (pawl_stepper_kind)stepper);
                linkage_motion m = linkage_run(&l, digits, &settings, 1e-5, 1e-5);
                CHECK_OK(m.status);
                CHECK_NEAR(m.force_max / expected, 1.0, 2e-3 + 100.0 * pow(10.0, -digits));
                linkage_motion_end(&m);
            }
        }
    }
}

// Largest reaction over a run of a model of the project, by any stepper.
static double loops_file_force(const char *path, pawl_stepper_kind stepper)
{
    test_env t;
    test_env_init(&t);
    pawl_load_options options = pawl_load_options_default();
    pawl_settings settings = mechanism_settings(2e-3, stepper);
    pawl_model *model;
    pawl_sim *sim;
    double worst = 0.0;
    CHECK_OK(pawl_model_load(&t.env, path, &options, &model));
    CHECK_OK(pawl_sim_create(&t.env, model, &settings, &sim));
    for (int k = 0; k < 500; ++k) {
        CHECK_OK(pawl_sim_step(sim, NULL));
        for (int j = 0; j < pawl_model_joint_count(model); ++j) {
            pawl_vec3 f, moment;
            pawl_sim_joint_reaction(sim, pawl_model_joint_at(pawl_sim_model(sim), j), &f, &moment);
            worst = fmax(worst, v3_norm(f));
        }
    }
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
    return worst;
}

// Forces of least norm are bounded by the load; those found were a single solve's rounding, 152 N.
TEST(reactions_of_an_exact_loop_do_not_depend_on_the_stepper)
{
    double right = loops_file_force("models/classics/A04-bricard.sdf", PAWL_STEPPER_MOREAU);
    CHECK(right <= 30.5);
    for (int stepper = 0; stepper < MECHANISM_STEPPERS; ++stepper) {
        double force =
            loops_file_force("models/classics/A04-bricard.sdf", (pawl_stepper_kind)stepper);
        CHECK_NEAR(force / right, 1.0, 0.01);
    }
    linkage l;
    zoo_bennett(&l);
    double bennett[MECHANISM_STEPPERS];
    for (int stepper = 0; stepper < MECHANISM_STEPPERS; ++stepper) {
        pawl_settings settings = mechanism_settings(2e-3, (pawl_stepper_kind)stepper);
        linkage_motion m = linkage_run(&l, LINKAGE_EXACT, &settings, 1.0, 0.1);
        bennett[stepper] = m.force_max;
        linkage_motion_end(&m);
        CHECK_NEAR(bennett[stepper] / bennett[0], 1.0, 0.01);
    }
}

// The reaction of every joint after so many steps, by somebody who asked after each step from `first` on; the
// hash of the state then.
static uint64_t loops_ask(const char *path, pawl_stepper_kind stepper, int first, int steps,
                          pawl_vec3 *force)
{
    test_env t;
    test_env_init(&t);
    pawl_load_options options = pawl_load_options_default();
    pawl_settings settings = mechanism_settings(2e-3, stepper);
    pawl_model *model;
    pawl_sim *sim;
    CHECK_OK(pawl_model_load(&t.env, path, &options, &model));
    CHECK_OK(pawl_sim_create(&t.env, model, &settings, &sim));
    for (int k = 1; k <= steps; ++k) {
        CHECK_OK(pawl_sim_step(sim, NULL));
        for (int j = 0; j < pawl_model_joint_count(model) && k >= first; ++j) {
            pawl_vec3 moment;
            CHECK_OK(pawl_sim_joint_reaction(sim, pawl_model_joint_at(pawl_sim_model(sim), j),
                                             &force[j], &moment));
        }
    }
    uint64_t hash = pawl_state_hash(pawl_sim_state(sim));
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
    return hash;
}

// Steps leave it to who asks to make reactions least-norm. Whether it is the first question or one of many makes
// no difference to the answer, nor does it to the motion, before or after.
TEST(asking_for_reactions_changes_neither_them_nor_the_motion)
{
    static const char *const path[] = {"models/classics/A04-bricard.sdf",
                                       "models/primitives/fourbar-fixed.sdf",
                                       "models/primitives/fourbar-dropped.sdf"};
    enum { JOINTS = 16, STEPS = 60 };
    for (size_t i = 0; i < sizeof path / sizeof path[0]; ++i) {
        for (int stepper = 0; stepper < MECHANISM_STEPPERS; ++stepper) {
            pawl_vec3 always[JOINTS] = {{0}}, late[JOINTS] = {{0}}, once[JOINTS] = {{0}};
            uint64_t hash = loops_ask(path[i], (pawl_stepper_kind)stepper, 1, STEPS, always);
            CHECK(loops_ask(path[i], (pawl_stepper_kind)stepper, STEPS, STEPS, late) == hash);
            CHECK(loops_ask(path[i], (pawl_stepper_kind)stepper, STEPS / 2, STEPS, once) == hash);
            CHECK(loops_ask(path[i], (pawl_stepper_kind)stepper, STEPS + 1, STEPS, once) == hash);
            double size = 0.0;
            for (int j = 0; j < JOINTS; ++j) {
                size = fmax(size, v3_norm(always[j]));
            }
            for (int j = 0; j < JOINTS; ++j) {
                CHECK_NEAR(v3_norm(v3_sub(late[j], always[j])), 0.0, 1e-9 * size);
            }
        }
    }
}
