// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl against answers it did not compute. A stepper of order p must come closer to the answer by
// 2^p when its step is halved; for order one, 2 x(h/2) - x(h) must come closer by far than
// either, which no mere coincidence of error sizes does. bench/bench_orders prints the same
// figures for more steps and longer times.
#include "support/mechanism.h"
#include "support/reference_check.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

TEST(euler_comes_closer_to_every_reference_with_order_one)
{
    static const reference_expectation expected[] = {
        {"A01 pendulum", NULL, 1.0, 6e-4},
        // Symplectic Euler is a symmetric step but for half a kick at either end, and upright, where
        // this one starts, a kick does nothing: what is left is between the orders.
        {"A02 four-bars, N = 2", NULL, 0.0, 7e-7},
        {"A04 Bricard", NULL, 1.0, 1.8e-4},
        {"A05 governor, stiff", NULL, 1.0, 3e-4},
        {"C1 slider-crank", NULL, 1.0, 2.3e-3}, // of 14 rad
        {"C2 car axis", NULL, 1.0, 1e-3},
        // Without torque, the rates do not feel the attitude, and their own step is of order two.
        {"D1 Dzhanibekov", "omega_body", 2.0, 1.4e-6},
        {"D1 Dzhanibekov", "quaternion_wxyz", 1.0, 1.6e-4},
        {"D2 heavy top", NULL, 1.0, 2.6e-4},
        {"D3 Furuta", NULL, 1.0, 7e-4},
    };
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; ++k) {
        reference_check(PAWL_STEPPER_EULER, &expected[k]);
    }
}

// With reversible drifts the midpoint rule is symmetric in time, joints and spinning bodies included.
TEST(moreau_comes_closer_to_every_reference_with_order_two)
{
    static const reference_expectation expected[] = {
        {"A01 pendulum", NULL, 2.0, 1.4e-7},
        {"A02 four-bars, N = 2", NULL, 2.0, 2.1e-7},
        {"A04 Bricard", NULL, 2.0, 3e-8},
        {"A05 governor, stiff", NULL, 2.0, 1.3e-7},
        {"C1 slider-crank", NULL, 2.0, 4.3e-6}, // of 14 rad
        {"C2 car axis", NULL, 2.0, 1.1e-6},
        {"D1 Dzhanibekov", "omega_body", 2.0, 1.4e-6},
        {"D1 Dzhanibekov", "quaternion_wxyz", 2.0, 1.3e-7},
        {"D2 heavy top", NULL, 2.0, 1.7e-7},
        {"D3 Furuta", NULL, 2.0, 4e-8},
    };
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; ++k) {
        reference_check(PAWL_STEPPER_MOREAU, &expected[k]);
    }
}

TEST(rattle_comes_closer_to_smooth_references_with_order_two)
{
    static const reference_expectation expected[] = {
        {"A01 pendulum", NULL, 2.0, 7e-7},
        {"A02 four-bars, N = 2", NULL, 2.0, 7e-7},
        {"A04 Bricard", NULL, 2.0, 5e-8},
        {"C1 slider-crank", NULL, 2.0, 1.6e-5}, // of 14 rad
        {"C2 car axis", NULL, 2.0, 6e-7},
        {"D1 Dzhanibekov", "omega_body", 2.0, 1.8e-7},
        {"D1 Dzhanibekov", "quaternion_wxyz", 2.0, 1.6e-8},
        {"D2 heavy top", NULL, 2.0, 3.1e-6},
        {"D3 Furuta", NULL, 2.0, 5.4e-7},
    };
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; ++k) {
        reference_check(PAWL_STEPPER_RATTLE, &expected[k]);
    }
}

// Steps are long, or the error would be that of the answers.
TEST(rattle_comes_closer_to_smooth_references_with_order_four)
{
    static const struct {
        double coarser;
        reference_expectation expectation;
    } expected[] = {
        {10.0, {"A01 pendulum", NULL, 4.0, 3.2e-10}},
        {10.0, {"A02 four-bars, N = 2", NULL, 4.0, 8e-10}},
        {10.0, {"A04 Bricard", NULL, 4.0, 4e-12}},
        {1.0, {"C1 slider-crank", NULL, 4.0, 3e-11}}, // of 14 rad
        {1.0, {"C2 car axis", NULL, 4.0, 3e-13}},
        {10.0, {"D1 Dzhanibekov", "quaternion_wxyz", 4.0, 3.3e-12}},
        {2.5, {"D2 heavy top", NULL, 4.0, 1.5e-10}},
    };
    pawl_settings settings = reference_settings(PAWL_STEPPER_RATTLE, 1e-3);
    settings.rattle.order = 4;
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; ++k) {
        reference_check_at(&settings, expected[k].coarser, &expected[k].expectation);
    }
}

// Explicit springs of 8e5 N/m and 4e4 N s/m would need steps of some microseconds.
TEST(the_stiff_governor_is_stable_at_one_millisecond)
{
    const reference_case *c = reference_find("A05 governor, stiff", NULL);
    for (int stepper = 0; stepper < MECHANISM_STEPPERS; ++stepper) {
        pawl_settings settings = reference_settings((pawl_stepper_kind)stepper, 1e-3);
        reference_series series;
        CHECK(reference_series_load(c, 10.0, &series));
        reference_run run = reference_run_case(c, &series, &settings);
        CHECK_OK(run.status);
        double error = reference_error(c, &series, &run);
        print_message("A05, 10 s at 1 ms, %s: error in s %.2e m, energy %.4f J of %.4f J\n",
                      pawl_stepper_name(stepper), error, run.verdict.energy_final,
                      run.verdict.energy_initial);
        CHECK(error <= (stepper == PAWL_STEPPER_EULER ? 4e-3 : 4e-5)); // of 0.243 m
        for (int k = 0; k < run.count; ++k) {
            CHECK(run.values[k] > 0.45 && run.values[k] < 0.80);
        }
        reference_run_free(&run);
        reference_series_free(&series);
    }
}

TEST(a_fast_spinning_free_body_keeps_its_energy)
{
    const reference_case *c = reference_find("D1 Dzhanibekov", "omega_body");
    for (int stepper = 0; stepper < MECHANISM_STEPPERS; ++stepper) {
        pawl_settings settings = reference_settings((pawl_stepper_kind)stepper, 1e-3);
        reference_series series;
        CHECK(reference_series_load(c, 30.0, &series));
        reference_run run = reference_run_case(c, &series, &settings);
        CHECK_OK(run.status);
        double energy_error = pawl_verdict_energy_error(&run.verdict);
        print_message("D1, 30 s at 1 ms, %s: energy drift %.2e, error in the rates %.2e rad/s\n",
                      pawl_stepper_name(stepper), energy_error, reference_error(c, &series, &run));
        CHECK_NEAR(run.verdict.energy_initial, 25.0002, 1e-12);
        CHECK(energy_error <= 1e-3);
        reference_run_free(&run);
        reference_series_free(&series);
    }
}

// The tension of a pendulum's rod that starts from the horizontal is 3 m g cos(angle).
TEST(the_pendulum_s_rod_carries_the_reference_s_tension)
{
    pawl_env env = reference_env();
    pawl_model *model = reference_load_model(&env, "models/classics/A01-pendulum.sdf");
    CHECK(model != NULL);
    pawl_settings settings = reference_settings(PAWL_STEPPER_EULER, 1e-4);
    pawl_sim *sim = NULL;
    CHECK_OK(pawl_sim_create(&env, model, &settings, &sim));
    double worst = 0.0, largest = 0.0;
    for (int k = 0; k < 20000; ++k) {
        CHECK_OK(pawl_sim_step(sim, NULL));
        pawl_vec3 force, torque;
        pawl_sim_joint_reaction(sim, pawl_model_joint_at(pawl_sim_model(sim), 0), &force, &torque);
        double tension = sqrt(force.x * force.x + force.y * force.y + force.z * force.z);
        double cosine =
            -pawl_state_pose(pawl_sim_state(sim), pawl_model_body_at(pawl_sim_model(sim), 0))
                 .position.z;
        worst = fmax(worst, fabs(tension - fabs(29.43 * cosine)));
        largest = fmax(largest, tension);
    }
    print_message("A01 at 0.1 ms: largest tension %.4f N of 29.43 N, worst difference %.1e N\n",
                  largest, worst);
    CHECK_NEAR(largest, 29.43, 0.05);
    CHECK(worst <= 0.05);
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
}

// Power in is power stored: 1/2 I(theta) theta'^2 = 0.1 theta (the reference's energy identity).
TEST(the_slider_crank_gains_what_its_motor_gives)
{
    pawl_env env = reference_env();
    pawl_model *model = reference_load_model(&env, "models/classics/C1-slider-crank.sdf");
    CHECK(model != NULL);
    pawl_settings settings = reference_settings(PAWL_STEPPER_EULER, 1e-4);
    pawl_sim *sim = NULL;
    CHECK_OK(pawl_sim_create(&env, model, &settings, &sim));
    for (int k = 0; k < 10000; ++k) {
        CHECK_OK(pawl_sim_step(sim, NULL));
    }
    const pawl_state *state = pawl_sim_state(sim);
    double theta[6];
    pawl_state_joint(state, pawl_model_find_joint(model, "axle"), theta, NULL);
    pawl_energy energy = pawl_state_energy(state);
    CHECK_NEAR(energy.work_actuators, 0.1 * theta[0], 1e-3 * energy.work_actuators);
    CHECK_NEAR(energy.kinetic, 0.1 * theta[0], 0.04 * energy.kinetic);
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
}

// The road that moves as told puts energy in; what it puts in must be in the books, projection or
// not, up to the step's order.
TEST(the_car_axis_s_energy_balances_as_the_step_shrinks)
{
    pawl_env env = reference_env();
    pawl_model *model = reference_load_model(&env, "models/classics/C2-car-axis.sdf");
    CHECK(model != NULL);
    for (int stepper = 0; stepper < MECHANISM_STEPPERS; ++stepper) {
        double balance[2];
        for (int k = 0; k < 2; ++k) {
            pawl_settings settings =
                reference_settings((pawl_stepper_kind)stepper, 1e-4 / (double)(1 << k));
            pawl_verdict verdict;
            CHECK_OK(reference_run_model(&env, model, &settings, 0.5, &verdict));
            balance[k] = verdict.balance_max;
        }
        double order = reference_order(balance[0], balance[1]);
        print_message("C2, 0.5 s, %s: books off by %.2e J, %.2e J at half the step, order %.2f\n",
                      pawl_stepper_name(stepper), balance[0], balance[1], order);
        CHECK_NEAR(order, stepper == PAWL_STEPPER_EULER ? 1.0 : 2.0, 0.2);
    }
    pawl_model_destroy(model);
}

static double references_closure(const char *path, double duration)
{
    pawl_env env = reference_env();
    pawl_model *model = reference_load_model(&env, path);
    CHECK(model != NULL);
    pawl_settings settings = reference_settings(PAWL_STEPPER_EULER, 1e-3);
    pawl_verdict verdict;
    CHECK_OK(reference_run_model(&env, model, &settings, duration, &verdict));
    print_message("%s, %g s at 1 ms: closure %.1e m, %.1e rad, energy %.4f of %.4f J\n", path,
                  duration, verdict.closure.position, verdict.closure.rotation,
                  verdict.energy_final, verdict.energy_initial);
    CHECK_INT(verdict.not_converged, 0);
    pawl_model_destroy(model);
    return fmax(verdict.closure.position, verdict.closure.rotation);
}

// Largest difference between the angles of the cranks A0 .. AN of a row of N four-bars: zero on the
// parallelogram branch, which the reference stays on.
static double references_spread(const pawl_state *state, const pawl_model *model, int n)
{
    double first[6], spread = 0.0;
    pawl_state_joint(state, pawl_model_find_joint(model, "A0"), first, NULL);
    for (int k = 1; k <= n; ++k) {
        char name[16];
        double angle[6];
        snprintf(name, sizeof name, "A%d", k);
        pawl_state_joint(state, pawl_model_find_joint(model, name), angle, NULL);
        spread = fmax(spread, fabs(angle[0] - first[0]));
    }
    return spread;
}

// From upright, the rods lie flat after 0.71 s and 1.23 s, and again a turn of 1.94 s later.
TEST(rows_of_four_bars_pass_their_singular_positions)
{
    static const struct {
        const char *path;
        int n;
        double duration;
    } rows[] = {{"models/classics/A02-N2.sdf", 2, 10.0},
                {"models/classics/A02-N10.sdf", 10, 5.0},
                {"models/classics/A02-N40.sdf", 40, 3.0}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        pawl_env env = reference_env();
        pawl_model *model = reference_load_model(&env, rows[k].path);
        CHECK(model != NULL);
        pawl_settings settings = reference_settings(PAWL_STEPPER_EULER, 1e-3);
        pawl_sim *sim = NULL;
        CHECK_OK(pawl_sim_create(&env, model, &settings, &sim));
        pawl_verdict verdict = pawl_verdict_begin(pawl_sim_state(sim));
        double spread = 0.0;
        int64_t steps = llround(rows[k].duration / settings.dt);
        for (int64_t i = 0; i < steps; ++i) {
            pawl_step_report report;
            CHECK_OK(pawl_sim_step(sim, &report));
            pawl_verdict_add(&verdict, &report);
            spread = fmax(spread, references_spread(pawl_sim_state(sim), model, rows[k].n));
        }
        print_message("N = %2d, %g s at 1 ms: closure %.1e m, %.1e rad, cranks apart %.1e rad\n",
                      rows[k].n, rows[k].duration, verdict.closure.position,
                      verdict.closure.rotation, spread);
        CHECK_INT(verdict.not_converged, 0);
        CHECK(verdict.closure.position <= 1e-10);
        CHECK(verdict.closure.rotation <= 1e-10);
        CHECK(spread <= 1e-6);
        pawl_sim_destroy(sim);
        pawl_model_destroy(model);
    }
}

TEST(projection_keeps_the_four_bar_closed)
{
    CHECK(references_closure("models/primitives/fourbar-fixed.sdf", 10.0) <= 1e-10);
    CHECK(references_closure("models/quickstart.sdf", 5.0) <= 1e-10);
}

TEST(without_projection_the_four_bar_s_drift_falls_with_the_step)
{
    pawl_env env = reference_env();
    pawl_model *model = reference_load_model(&env, "models/primitives/fourbar-fixed.sdf");
    CHECK(model != NULL);
    double energy_error[REFERENCE_STEPS];
    for (int k = 0; k < REFERENCE_STEPS; ++k) {
        pawl_settings settings = reference_settings(PAWL_STEPPER_EULER, 1e-3 / (double)(1 << k));
        settings.project = false;
        settings.erp.joint = 0.0;
        pawl_verdict verdict;
        CHECK_OK(reference_run_model(&env, model, &settings, 2.0, &verdict));
        energy_error[k] = verdict.closure.position;
    }
    double order = reference_order(energy_error[1], energy_error[2]);
    print_message("fourbar-fixed, 2 s without projection: drift %.2e %.2e %.2e m, order %.2f\n",
                  energy_error[0], energy_error[1], energy_error[2], order);
    CHECK_NEAR(order, 1.0, 0.2);
    pawl_model_destroy(model);
}

// At 10 ms the last links of a falling chain turn by more than a radian a step. Nobody promises
// accuracy there, but the chain must hold together and nothing may explode. What euler gains there depends on the last
// bit: with steps of 9.8 to 10.2 ms it is 7 to 29 % of the energy turned over, before and after a change of rounding
// alone, so the limit is half of it.
TEST(chains_hold_together_at_ten_milliseconds)
{
    static const struct {
        const char *path;
        double duration;
    } chains[] = {{"models/classics/chain-10.sdf", 5.0},
                  {"models/classics/chain-100.sdf", 2.0},
                  {"models/classics/chain-1000.sdf", 1.0}};
    for (size_t k = 0; k < sizeof chains / sizeof chains[0]; ++k) {
        pawl_env env = reference_env();
        pawl_model *model = reference_load_model(&env, chains[k].path);
        CHECK(model != NULL);
        pawl_settings settings = reference_settings(PAWL_STEPPER_EULER, 1e-2);
        pawl_verdict verdict;
        CHECK_OK(reference_run_model(&env, model, &settings, chains[k].duration, &verdict));
        print_message("%s, %g s at 10 ms: closure %.1e m, energy %.3f J from %.3f J\n",
                      chains[k].path, chains[k].duration, verdict.closure.position,
                      verdict.energy_final, verdict.energy_initial);
        CHECK_INT(verdict.not_converged, 0);
        CHECK(verdict.closure.position <= 1e-10);
        CHECK(verdict.energy_final - verdict.energy_initial <=
              0.5 * pawl_verdict_turnover(&verdict));
        pawl_model_destroy(model);
    }
}

// The gallery: every kind of joint holds, and the books balance to the step's order.
TEST(every_joint_of_the_gallery_moves_and_holds)
{
    for (int kind = 0; kind < PAWL_JOINT_KIND_COUNT; ++kind) {
        char path[128];
        snprintf(path, sizeof path, "models/joints/%s.sdf",
                 pawl_joint_kind_name((pawl_joint_kind)kind));
        pawl_env env = reference_env();
        pawl_model *model = reference_load_model(&env, path);
        CHECK(model != NULL);
        bool seen = false;
        for (int k = 0; k < pawl_model_joint_count(model); ++k) {
            seen = seen || pawl_model_joint(model, pawl_model_joint_at(model, k)).kind ==
                               (pawl_joint_kind)kind;
        }
        CHECK(seen);
        pawl_settings settings = reference_settings(PAWL_STEPPER_EULER, 1e-3);
        pawl_sim *sim = NULL;
        CHECK_OK(pawl_sim_create(&env, model, &settings, &sim));
        pawl_pose start =
            pawl_state_pose(pawl_sim_state(sim), pawl_model_body_at(pawl_sim_model(sim), 0));
        pawl_verdict verdict = pawl_verdict_begin(pawl_sim_state(sim));
        double moved = 0.0;
        for (int k = 0; k < 3000; ++k) {
            pawl_step_report report;
            CHECK_OK(pawl_sim_step(sim, &report));
            pawl_verdict_add(&verdict, &report);
            pawl_pose now =
                pawl_state_pose(pawl_sim_state(sim), pawl_model_body_at(pawl_sim_model(sim), 0));
            pawl_quat a = start.orientation, b = now.orientation;
            double cosine = fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z);
            moved = fmax(moved, 2.0 * acos(fmin(cosine, 1.0)));
            moved = fmax(moved, fabs(now.position.x - start.position.x));
            moved = fmax(moved, fabs(now.position.y - start.position.y));
            moved = fmax(moved, fabs(now.position.z - start.position.z));
        }
        print_message("%-16s closure %.1e m %.1e rad, limits %.1e, balance %.1e J, moved %.2f\n",
                      pawl_joint_kind_name((pawl_joint_kind)kind), verdict.closure.position,
                      verdict.closure.rotation, verdict.closure.limit, verdict.balance_max, moved);
        CHECK_INT(verdict.not_converged, 0);
        CHECK(verdict.closure.position <= 1e-10);
        CHECK(verdict.closure.rotation <= 1e-10);
        CHECK(moved > 0.05);
        pawl_sim_destroy(sim);
        pawl_model_destroy(model);
    }
}
