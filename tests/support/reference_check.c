// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "support/reference_check.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

pawl_settings reference_settings(pawl_stepper_kind stepper, double dt)
{
    pawl_settings settings = pawl_settings_default();
    settings.stepper = stepper;
    settings.dt = dt;
    settings.project = true;
    return settings;
}

const reference_case *reference_find(const char *name, const char *series)
{
    for (int k = 0; k < reference_case_count; ++k) {
        const reference_case *c = &reference_cases[k];
        if (strcmp(c->name, name) == 0 && (series == NULL || strcmp(c->series, series) == 0)) {
            return c;
        }
    }
    fail_msg("no reference case \"%s\"", name);
    return NULL;
}

void reference_check_at(const pawl_settings *base, double coarser,
                        const reference_expectation *expected)
{
    const reference_case *c = reference_find(expected->name, expected->series);
    double dt = c->dt * coarser;
    reference_series series;
    CHECK(reference_series_load(c, c->horizon, &series));
    CHECK(series.count > 2);
    reference_run runs[REFERENCE_STEPS];
    double errors[REFERENCE_STEPS];
    for (int k = 0; k < REFERENCE_STEPS; ++k) {
        pawl_settings settings = *base;
        settings.dt = dt / (double)(1 << k);
        runs[k] = reference_run_case(c, &series, &settings);
        CHECK_OK(runs[k].status);
        CHECK_INT(runs[k].verdict.not_converged, 0);
        CHECK(runs[k].verdict.closure.position <= 1e-10);
        CHECK(runs[k].verdict.closure.rotation <= 1e-10);
        errors[k] = reference_error(c, &series, &runs[k]);
    }
    double order = reference_order(errors[1], errors[2]);
    double left = reference_extrapolated_error(c, &series, &runs[1], &runs[2]);
    print_message("%-22s %-30s %-7s dt %.0e: %.2e %.2e %.2e  order %.2f  extrapolated %.1e\n",
                  c->name, c->what, pawl_stepper_name((int)base->stepper), dt, errors[0], errors[1],
                  errors[2], order, left);
    CHECK(errors[2] <= expected->error);
    if (expected->order == 0.0) {
        CHECK(order >= 0.9);
    } else {
        CHECK_NEAR(order, expected->order, 0.3);
    }
    if (expected->order == 1.0) {
        CHECK(left <= 0.3 * errors[2]);
    }
    for (int k = 0; k < REFERENCE_STEPS; ++k) {
        reference_run_free(&runs[k]);
    }
    reference_series_free(&series);
}

void reference_check(pawl_stepper_kind stepper, const reference_expectation *expected)
{
    pawl_settings settings = reference_settings(stepper, 1e-3);
    reference_check_at(&settings, 1.0, expected);
}
