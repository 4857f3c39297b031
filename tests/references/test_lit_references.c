// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// lit in smooth motion, against answers that pawl did not compute: its order, what its linearizations make
// of a stiff machine, and the passive four-bar of long runs.
#include "support/reference_check.h"
#include "support/test.h"

#include <math.h>

TEST(lit_comes_closer_to_every_reference_with_order_two)
{
    static const reference_expectation expected[] = {
        {"A01 pendulum", NULL, 2.0, 1.1e-7},
        {"A02 four-bars, N = 2", NULL, 2.0, 1.7e-7},
        {"A04 Bricard", NULL, 2.0, 2.4e-8},
        {"A05 governor, stiff", "s", 2.0, 1.1e-7},
        {"A05 governor, stiff", "rod_angle_below_horizontal", 2.0, 4.5e-8},
        {"C1 slider-crank", NULL, 2.0, 3.4e-6}, // of 14 rad
        {"C2 car axis", NULL, 2.0, 8.5e-7},
        {"D1 Dzhanibekov", "omega_body", 2.0, 1.1e-6},
        {"D1 Dzhanibekov", "quaternion_wxyz", 2.0, 1e-7},
        {"D2 heavy top", NULL, 2.0, 1.4e-7},
        {"D3 Furuta", NULL, 2.0, 3.3e-8},
    };
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; ++k) {
        reference_check(PAWL_STEPPER_LIT, &expected[k]);
    }
}

TEST(lit_s_damped_variant_comes_closer_with_order_two)
{
    static const reference_expectation expected[] = {
        {"A01 pendulum", NULL, 2.0, 3.6e-7},
        {"A02 four-bars, N = 2", NULL, 2.0, 6.5e-7},
        {"A04 Bricard", NULL, 2.0, 1.35e-8},
        {"A05 governor, stiff", "s", 2.0, 7.1e-7},
        {"C1 slider-crank", NULL, 2.0, 1.05e-5}, // of 14 rad
        {"C2 car axis", NULL, 2.0, 4.1e-7},
        {"D1 Dzhanibekov", "omega_body", 2.0, 2.5e-6},
        {"D1 Dzhanibekov", "quaternion_wxyz", 2.0, 1.8e-7},
        {"D2 heavy top", NULL, 2.0, 1.05e-6},
        {"D3 Furuta", NULL, 2.0, 3.5e-7},
    };
    pawl_settings settings = reference_settings(PAWL_STEPPER_LIT, 1e-3);
    settings.lit.variant = PAWL_LIT_SDIRK2;
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; ++k) {
        reference_check_at(&settings, 1.0, &expected[k]);
    }
}

// Without A04: rows that depend on each other contradict each other at a midpoint off the joints. The
// governor's stiff springs are still coming into line: its order is above two.
TEST(lit_as_published_comes_closer_with_order_two)
{
    static const reference_expectation expected[] = {
        {"A01 pendulum", NULL, 2.0, 3.3e-7},     {"A02 four-bars, N = 2", NULL, 2.0, 6.1e-7},
        {"A05 governor, stiff", "s", 0.0, 8e-6}, {"C1 slider-crank", NULL, 2.0, 1.2e-5},
        {"C2 car axis", NULL, 2.0, 8.6e-7},      {"D2 heavy top", NULL, 2.0, 2.9e-6},
        {"D3 Furuta", NULL, 2.0, 3.3e-7},
    };
    pawl_settings settings = reference_settings(PAWL_STEPPER_LIT, 1e-3);
    settings.lit.variant = PAWL_LIT_PAPER;
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; ++k) {
        reference_check_at(&settings, 1.0, &expected[k]);
    }
}

// Rows that hold on the mean of both ends do no work: without projection energy is that of the start.
TEST(lit_s_rows_alone_do_no_work)
{
    static const char *const names[] = {"A01 pendulum", "A02 four-bars, N = 2"}; // no gyroscopes
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        const reference_case *c = reference_find(names[k], NULL);
        pawl_settings settings = reference_settings(PAWL_STEPPER_LIT, c->dt);
        settings.project = false;
        reference_series series;
        CHECK(reference_series_load(c, c->horizon, &series));
        reference_run run = reference_run_case(c, &series, &settings);
        CHECK_OK(run.status);
        print_message("%s, lit without projection: energy drift %.1e, closure %.1e m\n", c->name,
                      pawl_verdict_energy_error(&run.verdict), run.verdict.closure.position);
        CHECK(pawl_verdict_energy_error(&run.verdict) <= 1e-13);
        reference_run_free(&run);
        reference_series_free(&series);
    }
}

// Ten seconds of the stiff governor at a millisecond: what each linearization makes of it.
TEST(lit_s_linearizations_on_the_stiff_governor)
{
    static const struct {
        pawl_lit_variant variant;
        double s, rod; // bounds [m, rad]
    } rows[] = {{PAWL_LIT_PAPER, 5.7e-3, 6.1e-3},
                {PAWL_LIT_MIDPOINT, 3.5e-6, 2.7e-6},
                {PAWL_LIT_SDIRK2, 2.6e-5, 3.6e-5}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        pawl_settings settings = reference_settings(PAWL_STEPPER_LIT, 1e-3);
        settings.lit.variant = rows[k].variant;
        double error[2];
        for (int i = 0; i < 2; ++i) {
            const reference_case *c =
                reference_find("A05 governor, stiff", i == 0 ? "s" : "rod_angle_below_horizontal");
            reference_series series;
            CHECK(reference_series_load(c, 10.0, &series));
            reference_run run = reference_run_case(c, &series, &settings);
            CHECK_OK(run.status);
            error[i] = reference_error(c, &series, &run);
            reference_run_free(&run);
            reference_series_free(&series);
        }
        print_message("A05, 10 s at 1 ms, lit variant %d: %.2e m in s, %.2e rad\n",
                      (int)rows[k].variant, error[0], error[1]);
        CHECK(error[0] <= rows[k].s);
        CHECK(error[1] <= rows[k].rod);
    }
}

enum { LIT_REFERENCES_SAMPLES = 2000 }; // every 2.5 ms of 5 s
typedef struct lit_references_fourbar {
    double crank[LIT_REFERENCES_SAMPLES]; // angles [rad]
    pawl_verdict verdict;
} lit_references_fourbar;

static void lit_references_run_fourbar(const pawl_settings *settings, lit_references_fourbar *out)
{
    pawl_env env = reference_env();
    pawl_model *model = reference_load_model(&env, "models/lit/fourbar-passive.sdf");
    CHECK(model != NULL);
    pawl_sim *sim = NULL;
    CHECK_OK(pawl_sim_create(&env, model, settings, &sim));
    out->verdict = pawl_verdict_begin(pawl_sim_state(sim));
    int every = (int)lround(2.5e-3 / settings->dt);
    for (int k = 1; k <= LIT_REFERENCES_SAMPLES * every; ++k) {
        pawl_step_report report;
        CHECK_OK(pawl_sim_step(sim, &report));
        pawl_verdict_add(&out->verdict, &report);
        if (k % every == 0) {
            double q[6];
            pawl_state_joint(pawl_sim_state(sim), pawl_model_find_joint(model, "A"), q, NULL);
            out->crank[k / every - 1] = q[0];
        }
    }
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
}

// Five seconds at 2.5 ms, beside a converged solution of another stepper: the largest error on the way. At the
// end alone the crank nearly stands, and the error is many times less.
TEST(lit_follows_the_passive_four_bar)
{
    static lit_references_fourbar exact, got;
    pawl_settings settings = reference_settings(PAWL_STEPPER_RATTLE, 1.25e-3);
    settings.rattle.order = 4;
    lit_references_run_fourbar(&settings, &exact);
    settings = reference_settings(PAWL_STEPPER_LIT, 2.5e-3);
    lit_references_run_fourbar(&settings, &got);
    double worst = 0.0, energy_error = pawl_verdict_energy_error(&got.verdict);
    for (int k = 0; k < LIT_REFERENCES_SAMPLES; ++k) {
        worst = fmax(worst, fabs(got.crank[k] - exact.crank[k]));
    }
    int last = LIT_REFERENCES_SAMPLES - 1;
    print_message(
        "passive four-bar, 5 s at 2.5 ms: crank off by %.1e rad at most, %.1e at the end, energy "
        "error %.4f %%, closure %.1e m\n",
        worst, fabs(got.crank[last] - exact.crank[last]), 100.0 * energy_error,
        got.verdict.closure.position);
    CHECK(worst <= 3e-3);
    CHECK(energy_error <= 1e-4); // of the energy turned over, which is less than the largest energy
    CHECK(got.verdict.closure.position <= 1e-11);
    CHECK_INT(got.verdict.not_converged, 0);
}
