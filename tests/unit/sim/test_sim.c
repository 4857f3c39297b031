// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The simulation as a whole: assembly of the start, steps that cannot be done, settings, and
// dense against sparse.
#include "math/rotation.h"
#include "pawl/check.h"
#include "support/everything.h"
#include "support/mechanism.h"
#include "support/random.h"

#include <stdio.h>
#include <string.h>

// A four-bar linkage in the x-z plane: crank, coupler and rocker from (0,0) over `pins`; hinges
// along y. Each body is turned and moved a little off its place when `off` is not zero.
static void sim_fourbar(mechanism *m, const pawl_vec3 pins[4], double off, uint64_t seed)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -9.81));
    pawl_body_id body[3];
    pawl_pose at[3];
    static const char *const names[] = {"crank", "coupler", "rocker"};
    for (int i = 0; i < 3; ++i) {
        pawl_body_def def = pawl_body_def_default();
        def.name = names[i];
        def.mass = 1.0;
        def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.02;
        at[i] = pawl_pose_identity();
        at[i].position = v3_scale(0.5, v3_add(pins[i], pins[i + 1]));
        def.pose = at[i];
        def.pose.position = v3_add(def.pose.position, random_vec(&seed, off));
        def.pose.orientation = quat_exp(random_vec(&seed, 2.0 * off));
        body[i] = mechanism_body(m, &def);
    }
    static const char *const hinges[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; ++i) {
        pawl_joint_def def = pawl_joint_def_default();
        def.name = hinges[i];
        def.kind = PAWL_JOINT_REVOLUTE;
        def.base = i == 0 || i == 3 ? PAWL_WORLD : body[i - 1];
        def.follower = i == 3 ? body[2] : body[i];
        pawl_pose joint = {pins[i], pawl_quat_from_axes(v3(0, 1, 0), v3(1, 0, 0))};
        def.base_frame = joint;
        if (pawl_body_index(def.base) >= 0) {
            def.base_frame =
                pawl_pose_compose(pawl_pose_inverse(at[pawl_body_index(def.base)]), joint);
        }
        def.follower_frame =
            pawl_pose_compose(pawl_pose_inverse(at[pawl_body_index(def.follower)]), joint);
        mechanism_joint(m, &def);
    }
}

static const pawl_vec3 sim_pins[4] = {{0, 0, 0}, {0.1, 0, 0.4}, {1.0, 0, 0.6}, {1.2, 0, 0}};

// Geometry: joints that meet are left where they are, to the last bit.
TEST(joints_that_meet_are_left_alone)
{
    mechanism m;
    sim_fourbar(&m, sim_pins, 0.0, 1);
    pawl_settings settings = pawl_settings_default();
    mechanism_start(&m, &settings);
    CHECK_INT(m.t.messages[PAWL_LOG_NOTE], 0);
    CHECK_NEAR3(pawl_state_pose(mechanism_state(&m), pawl_model_body_at(m.model, 0)).position,
                v3(0.05, 0, 0.2), 0.0);
    mechanism_end(&m);
}

// Geometry: after assembly all hinges are closed, and the note says which was open.
TEST(joints_that_do_not_meet_are_brought_together)
{
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        mechanism m;
        sim_fourbar(&m, sim_pins, 0.05, seed);
        pawl_settings settings = pawl_settings_default();
        mechanism_start(&m, &settings);
        CHECK_INT(m.t.messages[PAWL_LOG_NOTE], 1);
        CHECK_MESSAGE(&m.t, "were open at the start");
        pawl_closure closure = pawl_state_closure(mechanism_state(&m));
        CHECK_NEAR(closure.position, 0.0, 1e-9);
        CHECK_NEAR(closure.rotation, 0.0, 1e-9);
        mechanism_run(&m, 50);
        CHECK_NEAR(m.verdict.closure.position, 0.0, 1e-9);
        mechanism_end(&m);
    }
}

// Geometry: a rocker that is 3 m too far away cannot be reached by links of 1 m.
TEST(joints_that_cannot_meet_are_refused_with_the_worst_named)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_id body = mechanism_solid(&m, 1.0, v3(0.5, 0, 0), v3(0.02, 0.02, 0.02));
    pawl_joint_def def =
        mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE, PAWL_WORLD, body, v3(0, 0, 0), v3(0, 1, 0));
    def.name = "near";
    mechanism_joint(&m, &def);
    def = mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE, PAWL_WORLD, body, v3(1, 0, 0), v3(0, 1, 0));
    def.name = "far";
    def.base_frame.position.x += 3.0;
    mechanism_joint(&m, &def);
    mechanism_compile(&m);
    pawl_settings settings = pawl_settings_default();
    pawl_sim *sim = (pawl_sim *)(void *)&m;
    CHECK_STATUS(pawl_sim_create(&m.t.env, m.model, &settings, &sim), PAWL_NOT_ASSEMBLED);
    CHECK(sim == NULL);
    CHECK(strstr(m.t.last_message, "'near'") != NULL || strstr(m.t.last_message, "'far'") != NULL);
    CHECK_MESSAGE(&m.t, "mechanism"); // the model
    pawl_check *check;
    CHECK_STATUS(pawl_check_model(&m.t.env, m.model, &check), PAWL_NOT_ASSEMBLED);
    CHECK_NEAR(check->start.position, 3.0, 1e-12);
    CHECK_INT(pawl_joint_index(check->start.worst_joint), 1);
    pawl_check_destroy(check);
    mechanism_end(&m);
}

// Conservation: velocities that the joints forbid are projected in the metric of the masses.
// A point mass on a rod keeps its tangential velocity and loses the radial one.
TEST(start_velocities_that_the_joints_forbid_are_projected)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_def def = pawl_body_def_default();
    def.kind = PAWL_BODY_POINT;
    def.mass = 1.0;
    def.pose.position = v3(1, 0, 0);
    def.twist.linear = v3(2, 3, 0);
    pawl_joint_def rod = pawl_joint_def_default();
    rod.kind = PAWL_JOINT_DISTANCE;
    rod.follower = mechanism_body(&m, &def);
    mechanism_joint(&m, &rod);
    pawl_settings settings = pawl_settings_default();
    mechanism_start(&m, &settings);
    CHECK_MESSAGE(&m.t, "velocities violated the joints");
    CHECK_NEAR3(pawl_state_twist(mechanism_state(&m), pawl_model_body_at(m.model, 0)).linear,
                v3(0, 3, 0), 1e-12);
    mechanism_end(&m);
}

// A force that no double can follow: the step is refused, the body named, the state kept.
TEST(a_step_that_would_not_be_finite_is_refused_and_changes_nothing)
{
    for (int size = 0; size < 3; ++size) {
        mechanism m;
        mechanism_begin(&m);
        mechanism_solid(&m, 1.0, v3(1, 0, 0), v3(0.1, 0.1, 0.1));
        pawl_body_def def = pawl_body_def_default();
        def.name = "victim";
        def.mass = 1e-3;
        def.inertia[0] = def.inertia[1] = def.inertia[2] = 1e-3;
        pawl_force_def force = pawl_force_def_default();
        force.body = mechanism_body(&m, &def);
        double big = size == 0 ? 1e308 : size == 1 ? 1e200 : 1e160; // v, v^2, work overflow
        force.force[0] = pawl_signal_constant(big);
        force.torque[1] = pawl_signal_constant(size == 0 ? 1e308 : 0.0);
        mechanism_force(&m, &force);
        pawl_settings settings = pawl_settings_default();
        settings.dt = 1.0;
        mechanism_start(&m, &settings);
        uint64_t hash = pawl_state_hash(mechanism_state(&m));
        for (int repeat = 0; repeat < 2; ++repeat) {
            CHECK_STATUS(pawl_sim_step(m.sim, NULL), PAWL_NOT_FINITE);
            CHECK(pawl_state_hash(mechanism_state(&m)) == hash);
            CHECK_INT(pawl_state_step(mechanism_state(&m)), 0);
        }
        if (size == 0) {
            CHECK_MESSAGE(&m.t, "'victim'");
        }
        mechanism_end(&m);
    }
}

static double sim_nan_later(void *user, double t)
{
    (void)user;
    return t > 0.0045 ? NAN : 1.0;
}

// A callback that fails after some steps: the run stops there, with the last good state.
TEST(a_callback_that_turns_into_nan_stops_the_run_where_it_was)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_force_def force = pawl_force_def_default();
    force.body = mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(0.1, 0.1, 0.1));
    force.force[2] = (pawl_signal){.kind = PAWL_SIGNAL_CALLBACK, .callback = sim_nan_later};
    mechanism_force(&m, &force);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    mechanism_run(&m, 4);
    uint64_t hash = pawl_state_hash(mechanism_state(&m));
    CHECK_STATUS(pawl_sim_step(m.sim, NULL), PAWL_NOT_FINITE);
    CHECK_MESSAGE(&m.t, "force on body 'body0'");
    CHECK(pawl_state_hash(mechanism_state(&m)) == hash);
    CHECK_NEAR(pawl_state_twist(mechanism_state(&m), pawl_model_body_at(m.model, 0)).linear.z, 4e-3,
               1e-15);
    mechanism_end(&m);
}

// By definition: time goes on from the state's own, whatever step the run before had.
TEST(a_state_taken_over_with_another_step_keeps_its_time)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_id body = mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(0.1, 0.1, 0.1));
    pawl_motion_def motion = pawl_motion_def_default();
    motion.joint = mechanism_world_joint(&m, PAWL_JOINT_PRISMATIC, body, v3(0, 0, 0), v3(1, 0, 0));
    motion.target = (pawl_signal){.kind = PAWL_SIGNAL_SINUSOID, .amplitude = 1.0, .frequency = 1.0};
    mechanism_motion(&m, &motion);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    mechanism_run(&m, 100);
    settings.dt = 7e-3;
    pawl_sim *slow;
    CHECK_OK(pawl_sim_create(&m.t.env, m.model, &settings, &slow));
    CHECK_OK(pawl_sim_set_state(slow, mechanism_state(&m)));
    for (int i = 1; i <= 50; ++i) {
        CHECK_OK(pawl_sim_step(slow, NULL));
        double t = 0.1 + 7e-3 * i, q[6];
        CHECK_NEAR(pawl_state_time(pawl_sim_state(slow)), t, 1e-14);
        pawl_state_joint(pawl_sim_state(slow), pawl_model_joint_at(pawl_sim_model(slow), 0), q,
                         NULL);
        CHECK_NEAR(q[0], sin(t), 1e-11);
    }
    CHECK_INT(pawl_state_step(pawl_sim_state(slow)), 150);
    pawl_sim_destroy(slow);
    mechanism_end(&m);
}

// Steps two sims of one model side by side and compares where they end.
static void check_same_motion(const pawl_settings settings[2], double tolerance)
{
    test_env t;
    test_env_init(&t);
    pawl_model *model;
    CHECK_OK(everything_build(&t.env, &model));
    pawl_sim *sims[2];
    for (int k = 0; k < 2; ++k) {
        CHECK_OK(pawl_sim_create(&t.env, model, &settings[k], &sims[k]));
    }
    for (int i = 0; i < 250; ++i) {
        CHECK_OK(pawl_sim_step(sims[0], NULL));
        CHECK_OK(pawl_sim_step(sims[1], NULL));
    }
    for (int i = 0; i < pawl_model_body_count(model); ++i) {
        pawl_pose a = pawl_state_pose(pawl_sim_state(sims[0]), pawl_model_body_at(model, i));
        pawl_pose b = pawl_state_pose(pawl_sim_state(sims[1]), pawl_model_body_at(model, i));
        CHECK_NEAR3(a.position, b.position, tolerance);
        CHECK_NEAR(a.orientation.w, b.orientation.w, tolerance);
        CHECK_NEAR(a.orientation.x, b.orientation.x, tolerance);
    }
    pawl_sim_destroy(sims[0]);
    pawl_sim_destroy(sims[1]);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}

// Dense and sparse factor the same matrix in other orders: rounding, grown by 0.5 s of a motion
// that is not chaotic.
TEST(dense_and_sparse_give_the_same_motion)
{
    for (int s = 0; s < MECHANISM_STEPPERS; ++s) {
        pawl_settings settings[2];
        settings[0] = settings[1] = mechanism_settings(2e-3, (pawl_stepper_kind)s);
        settings[0].delassus = PAWL_DELASSUS_DENSE;
        settings[1].delassus = PAWL_DELASSUS_SPARSE;
        check_same_motion(settings, 1e-9);
    }
}

// The two solvers solve one problem: within the tolerance asked for, step by step.
TEST(the_solvers_give_the_same_motion)
{
    pawl_settings settings[2];
    settings[0] = mechanism_settings(2e-3, PAWL_STEPPER_EULER);
    settings[0].solver.tolerance = 1e-11;
    settings[0].solver.max_iterations = 10000;
    settings[1] = settings[0];
    settings[0].solver.kind = PAWL_SOLVER_DIRECT;
    settings[1].solver.kind = PAWL_SOLVER_PGS_NCP;
    check_same_motion(settings, 1e-8); // 250 steps of 1e-11, not chaotic
}

// Everything together, for a while: every step converges, joints stay closed, energy is accounted
// for.
TEST(a_model_with_everything_runs_clean)
{
    for (int s = 0; s < MECHANISM_STEPPERS; ++s) {
        test_env t;
        test_env_init(&t);
        pawl_model *model;
        CHECK_OK(everything_build(&t.env, &model));
        double balance[2];
        for (int k = 0; k < 2; ++k) {
            double dt = k == 0 ? 1e-3 : 5e-4;
            pawl_settings settings = mechanism_settings(dt, (pawl_stepper_kind)s);
            pawl_sim *sim;
            CHECK_OK(pawl_sim_create(&t.env, model, &settings, &sim));
            pawl_verdict verdict = pawl_verdict_begin(pawl_sim_state(sim));
            for (int i = 0; i < (int)rint(0.5 / dt); ++i) {
                pawl_step_report report;
                CHECK_OK(pawl_sim_step(sim, &report));
                pawl_verdict_add(&verdict, &report);
            }
            CHECK_INT(verdict.not_converged, 0);
            CHECK_NEAR(verdict.closure.position, 0.0, 1e-10);
            CHECK_NEAR(verdict.closure.rotation, 0.0, 1e-10);
            balance[k] = verdict.balance_max;
            pawl_sim_destroy(sim);
        }
        CHECK(balance[1] < 0.65 * balance[0]); // order dt at least
        pawl_model_destroy(model);
        CHECK_NO_LEAK(&t);
    }
}

TEST(every_setting_reads_back_what_was_set)
{
    pawl_settings settings = pawl_settings_default();
    test_env t;
    test_env_init(&t);
    CHECK_OK(pawl_settings_check(&t.env, &settings));
    static const char *const pairs[][2] = {{"dt", "0.0125"},
                                           {"stepper", "moreau"},
                                           {"solver", "pgs-ncp"},
                                           {"delassus", "sparse"},
                                           {"formulation", "reduced"},
                                           {"reduced.base", "euler"},
                                           {"project", "off"},
                                           {"erp.joint", "0.25"},
                                           {"erp.limit", "0"},
                                           {"erp.contact", "0.75"},
                                           {"contact.margin", "0.002"},
                                           {"contact.max_push", "3"},
                                           {"limit.max_push", "4"},
                                           {"contact.restitution_threshold", "0.5"},
                                           {"contact.friction_rule", "mean"},
                                           {"contact.reduce", "hull"},
                                           {"contact.reduce_max", "5"},
                                           {"contact.restitution_rule", "product"},
                                           {"solver.tolerance", "1e-12"},
                                           {"solver.max_iterations", "77"},
                                           {"solver.exact_joints", "off"},
                                           {"solver.warm_start", "off"},
                                           {"solver.islands", "off"},
                                           {"threads", "3"},
                                           {"solver.regularization", "1e-10"},
                                           {"solver.precondition", "off"},
                                           {"admm.rho", "0.5"},
                                           {"admm.eta", "1e-06"},
                                           {"admm.relaxation", "1.25"},
                                           {"admm.accelerate", "off"},
                                           {"solver.relaxation", "1.25"},
                                           {"solver.relaxation_min", "0.5"},
                                           {"solver.relaxation_decay", "0.75"},
                                           {"solver.warm_start_scale", "0.5"},
                                           {"soft.joint", "0.01"},
                                           {"soft.limit", "0.02"},
                                           {"soft.contact", "0.03"},
                                           {"soft.damping_ratio", "0.5"},
                                           {"soft.d0", "0.8"},
                                           {"soft.dw", "0.99"},
                                           {"soft.width", "0.01"},
                                           {"soft.midpoint", "0.4"},
                                           {"soft.power", "3"},
                                           {"soft.friction", "on"},
                                           {"lemke.sides", "6"},
                                           {"lemke.rounds", "3"},
                                           {"lit.variant", "paper"},
                                           {"lit.scheme", "1"},
                                           {"lit.eps_a", "1e-05"},
                                           {"lit.eps_b", "2"},
                                           {"lit.linearized_constraints", "on"},
                                           {"loop.tolerance", "1e-05"},
                                           {"sleep.time", "0.5"},
                                           {"sleep.speed", "1e-05"},
                                           {"rattle.order", "4"},
                                           {"lit.events", "collisions"},
                                           {"contact.impact", "routh"},
                                           {"contact.impact_friction", "0.75"},
                                           {"nmdp.dynamics", "pbd"},
                                           {"nmdp.gradient", "zeroth"},
                                           {"nmdp.energy", "total"},
                                           {"nmdp.order", "2"},
                                           {"nmdp.tolerance", "1e-08"},
                                           {"nmdp.max_iterations", "50"},
                                           {"nmdp.halvings", "3"},
                                           {"nmdp.beta_min", "0.001"},
                                           {"nmdp.push_out", "0.25"},
                                           {"nmdp.part_energy", "0.01"},
                                           {"nmdp.stiffness", "1e+06"},
                                           {"mdp.pd", "stable"},
                                           {"solver.budget", "40"},
                                           {"solver.budget_newton", "3"},
                                           {"mjcf.soft", "on"},
                                           {"contact.allowed_depth", "0.0001"},
                                           {"solver.variant", "paper"},
                                           {"nmdp.bodies", "off"},
                                           {"nmdp.limit_stiffness", "1e+03"},
                                           {"verdict.closure", "0.01"},
                                           {"verdict.closure_rotation", "inf"},
                                           {"verdict.passage", "0.05"},
                                           {"verdict.imbalance", "0.001"},
                                           {"verdict.dissipation", "0.1"},
                                           {"verdict.divided", "12"},
                                           {"verdict.limit", "0.02"},
                                           {"verdict.penetration", "0.5"},
                                           {"verdict.energy", "0"},
                                           {"verdict.work", "0.25"},
                                           {"verdict.coulomb", "0.001"}};
    int count = (int)(sizeof pairs / sizeof pairs[0]);
    CHECK_INT(pawl_setting_count(), count);
    for (int i = 0; i < count; ++i) {
        CHECK_OK(pawl_settings_set(&t.env, &settings, pairs[i][0], pairs[i][1]));
        int at = 0;
        while (strcmp(pawl_setting(at).key, pairs[i][0]) != 0) {
            ++at;
            CHECK(at < count);
        }
        char text[64];
        pawl_settings_get(&settings, at, text, sizeof text);
        CHECK_TEXT(text, pairs[i][1]);
        CHECK(pawl_setting(at).help[0] != '\0' && pawl_setting(at).range[0] != '\0');
    }
    CHECK_OK(pawl_settings_check(&t.env, &settings));
    CHECK_NEAR(settings.dt, 0.0125, 0.0);
    CHECK_INT(settings.stepper, PAWL_STEPPER_MOREAU);
    CHECK(!settings.project && !settings.solver.warm_start && !settings.solver.exact_joints);
    CHECK(pawl_setting(-1).key == NULL && pawl_setting(count).key == NULL);
    CHECK(pawl_stepper_name(PAWL_STEPPER_COUNT) == NULL);
}

TEST(bad_settings_are_refused_with_what_was_expected)
{
    static const char *const bad[][2] = {{"dt", "0"},
                                         {"dt", "-1"},
                                         {"dt", "nan"},
                                         {"dt", "2"},
                                         {"dt", "1e-3x"},
                                         {"dt", ""},
                                         {"stepper", "leapfrog"},
                                         {"solver", ""},
                                         {"delassus", "both"},
                                         {"project", "yes"},
                                         {"erp.joint", "1.5"},
                                         {"erp.limit", "-0.1"},
                                         {"solver.max_iterations", "0"},
                                         {"solver.max_iterations", "3.5"},
                                         {"solver.tolerance", "inf"},
                                         {"solver.regularization", "0"}};
    test_env t;
    test_env_init(&t);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        pawl_settings settings = pawl_settings_default(), before = settings;
        CHECK_STATUS(pawl_settings_set(&t.env, &settings, bad[i][0], bad[i][1]), PAWL_BAD_ARGUMENT);
        CHECK_MESSAGE(&t, bad[i][0]);
        CHECK_MESSAGE(&t, "expected");
        CHECK(memcmp(&settings, &before, sizeof settings) == 0);
    }
    pawl_settings settings = pawl_settings_default();
    CHECK_STATUS(pawl_settings_set(&t.env, &settings, "speed", "1"), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&t, "no setting 'speed'");
    mechanism m;
    mechanism_begin(&m);
    mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(0.1, 0.1, 0.1));
    mechanism_compile(&m);
    pawl_sim *sim;
    settings.dt = NAN;
    CHECK_STATUS(pawl_sim_create(&m.t.env, m.model, &settings, &sim), PAWL_BAD_ARGUMENT);
    CHECK(sim == NULL);
    settings = pawl_settings_default();
    settings.solver.kind = PAWL_SOLVER_COUNT;
    CHECK_STATUS(pawl_sim_create(&m.t.env, m.model, &settings, &sim), PAWL_BAD_ARGUMENT);
    settings = pawl_settings_default();
    settings.stepper = (pawl_stepper_kind)-1;
    CHECK_STATUS(pawl_settings_check(&m.t.env, &settings), PAWL_BAD_ARGUMENT);
    mechanism_end(&m);
}

// By hand: maxima over the steps, energy relative to its scale.
TEST(a_verdict_keeps_the_worst_of_all_steps)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_def def = pawl_body_def_default();
    def.mass = 2.0;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.1;
    def.twist.linear = v3(1, 0, 0);
    mechanism_body(&m, &def);
    pawl_settings settings = pawl_settings_default();
    mechanism_start(&m, &settings);
    pawl_verdict v = pawl_verdict_begin(mechanism_state(&m));
    CHECK_NEAR(v.energy_initial, 1.0, 1e-15);
    pawl_step_report r = {.iterations = 3, .energy = {.kinetic = 4.0, .balance = -0.5}};
    r.closure = (pawl_closure){.position = 1e-3, .worst_joint = {5, 0}};
    r.residual.natural_scaled = 1e-9;
    pawl_verdict_add(&v, &r);
    r = (pawl_step_report){.iterations = 1, .outcome = PAWL_STALLED, .energy = {.kinetic = 2.0}};
    r.closure = (pawl_closure){
        .rotation = 1e-4, .worst_joint = {3, 0}, .limit = 0.1, .worst_limit = {4, 0}};
    pawl_verdict_add(&v, &r);
    CHECK_INT(v.steps, 2);
    CHECK_INT(v.not_converged, 1);
    CHECK_INT(v.iterations_sum, 4);
    CHECK_INT(v.iterations_max, 3);
    CHECK_INT(pawl_joint_index(v.closure.worst_joint), 4);
    CHECK_INT(pawl_joint_index(v.closure.worst_limit), 3);
    CHECK_NEAR(v.closure.position, 1e-3, 0.0);
    CHECK_NEAR(v.closure.rotation, 1e-4, 0.0);
    CHECK_NEAR(v.residual.natural_scaled, 1e-9, 0.0);
    CHECK_NEAR(v.energy_final, 2.0, 0.0);
    CHECK_NEAR(pawl_verdict_energy_error(&v), 0.125, 1e-15); // 0.5 of 4
    mechanism_end(&m);
}
