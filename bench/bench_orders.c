// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The convergence of each stepper to reference solutions: the error at dt, dt/2, dt/4 and dt/8, over the short time
// in which it is small and over the whole series; then the effect of projection on closure, and the remaining energy.
// tests/references asserts a shorter form of this. Run it in the source folder.
#include "runner.h"
#include "support/reference.h"

#include <math.h>
#include <stdio.h>

enum { ORDERS_STEPS = 4 };

// A stepper of maximal coordinates, with its order or variant where that is a setting.
typedef struct orders_method {
    const char *name;
    pawl_stepper_kind stepper;
    int rattle_order;
    pawl_lit_variant lit_variant;
} orders_method;
static const orders_method orders_methods[] = {
    {"euler", PAWL_STEPPER_EULER, 2, PAWL_LIT_MIDPOINT},
    {"moreau", PAWL_STEPPER_MOREAU, 2, PAWL_LIT_MIDPOINT},
    {"lit", PAWL_STEPPER_LIT, 2, PAWL_LIT_MIDPOINT},
    {"paper", PAWL_STEPPER_LIT, 2, PAWL_LIT_PAPER},
    {"sdirk2", PAWL_STEPPER_LIT, 2, PAWL_LIT_SDIRK2},
    {"rattle2", PAWL_STEPPER_RATTLE, 2, PAWL_LIT_MIDPOINT},
    {"rattle4", PAWL_STEPPER_RATTLE, 4, PAWL_LIT_MIDPOINT},
};
enum { ORDERS_METHODS = sizeof orders_methods / sizeof orders_methods[0] };

static pawl_settings orders_settings(const orders_method *method, double dt)
{
    pawl_settings settings = pawl_settings_default();
    settings.stepper = method->stepper;
    settings.rattle.order = method->rattle_order;
    settings.lit.variant = method->lit_variant;
    settings.dt = dt;
    settings.project = true;
    return settings;
}

static int orders_row(const reference_case *c, const orders_method *method, double horizon,
                      json_t *rows)
{
    reference_series series;
    if (!reference_series_load(c, horizon, &series)) {
        return 1;
    }
    reference_run runs[ORDERS_STEPS];
    double errors[ORDERS_STEPS];
    int failed = 0;
    json_t *got = json_array();
    printf("%-21s %-29s %-7s %5.3g s ", c->name, c->what, method->name, horizon);
    for (int k = 0; k < ORDERS_STEPS; ++k) {
        pawl_settings settings = orders_settings(method, c->dt / (double)(1 << k));
        runs[k] = reference_run_case(c, &series, &settings);
        errors[k] = reference_error(c, &series, &runs[k]);
        failed += runs[k].status != PAWL_OK ? 1 : 0;
        printf(" %8.2e", errors[k]);
        json_array_append_new(got, bench_number(errors[k]));
    }
    json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:f, s:f, s:o}", //
                                          "reference", c->name,             //
                                          "quantity", c->what,              //
                                          "stepper", method->name,          //
                                          "time", horizon,                  //
                                          "dt", c->dt,                      //
                                          "errors", got));
    const reference_run *last = &runs[ORDERS_STEPS - 1];
    printf("  %5.2f %5.2f %5.2f  %8.2e  %8.1e  %5.1f\n", reference_order(errors[0], errors[1]),
           reference_order(errors[1], errors[2]), reference_order(errors[2], errors[3]),
           reference_extrapolated_error(c, &series, &runs[ORDERS_STEPS - 2], last),
           fmax(last->verdict.closure.position, last->verdict.closure.rotation),
           last->verdict.steps > 0 ? 1e6 * last->wall / (double)last->verdict.steps : 0.0);
    fflush(stdout);
    for (int k = 0; k < ORDERS_STEPS; ++k) {
        reference_run_free(&runs[k]);
    }
    reference_series_free(&series);
    return failed;
}

static int orders_table(const bench_options *options, bool full, json_t *rows)
{
    printf("%s\n", full ? "Whole series" : "Short horizon");
    printf("%-21s %-29s %-7s %7s  %8s %8s %8s %8s  %17s  %8s  %8s  %5s\n", "reference", "quantity",
           "stepper", "time", "dt", "dt/2", "dt/4", "dt/8", "orders", "extrapol", "closure", "us");
    int failed = 0;
    for (int i = 0; i < reference_case_count; ++i) {
        const reference_case *c = &reference_cases[i];
        if (!bench_wanted(options, c->name)) {
            continue;
        }
        for (int k = 0; k < ORDERS_METHODS; ++k) {
            failed += orders_row(c, &orders_methods[k], full ? c->full_horizon : c->horizon, rows);
        }
    }
    printf("\n");
    return failed;
}

static int orders_closure(const bench_options *options, const char *path, double duration,
                          bool project, json_t *rows)
{
    if (!bench_wanted(options, path)) {
        return 0;
    }
    pawl_env env = reference_env();
    pawl_model *model = reference_load_model(&env, path);
    if (model == NULL) {
        return 1;
    }
    int failed = 0;
    double before = 0.0;
    for (int k = 0; k < ORDERS_STEPS - 1; ++k) {
        pawl_settings settings = orders_settings(&orders_methods[0], 1e-3 / (double)(1 << k));
        settings.project = project;
        settings.erp.joint = project ? settings.erp.joint : 0.0;
        pawl_verdict verdict = {0};
        pawl_status status = reference_run_model(&env, model, &settings, duration, &verdict);
        failed += status != PAWL_OK ? 1 : 0;
        printf("%-34s %4g s  dt %.2e  project %-3s  closure %.2e m %.2e rad  energy %+.3f %%", path,
               duration, settings.dt, project ? "on" : "off", verdict.closure.position,
               verdict.closure.rotation,
               100.0 * (verdict.energy_final - verdict.energy_initial) /
                   fmax(pawl_verdict_turnover(&verdict), 1e-300));
        if (!project && k > 0) {
            printf("  order %.2f", reference_order(before, verdict.closure.position));
        }
        printf("%s\n", status != PAWL_OK ? "  FAILED" : "");
        json_array_append_new(rows, json_pack("{s:s, s:f, s:f, s:b, s:o, s:o}",                   //
                                              "model", path,                                      //
                                              "time", duration,                                   //
                                              "dt", settings.dt,                                  //
                                              "project", (int)project,                            //
                                              "position", bench_number(verdict.closure.position), //
                                              "rotation", bench_number(verdict.closure.rotation)));
        fflush(stdout);
        before = verdict.closure.position;
    }
    pawl_model_destroy(model);
    return failed;
}

// The passive four-bar is compared at every step of the coarsest run: at its end alone the crank nearly
// stands, and errors of time do not show.
enum { ORDERS_SAMPLES = 2000 };
static const double orders_sample_time = 2.5e-3;

// Crank angles of the passive four-bar over 5 s, at those times. False where a step fails.
static bool orders_crank(const pawl_env *env, const pawl_model *model,
                         const pawl_settings *settings, double angles[ORDERS_SAMPLES],
                         pawl_verdict *verdict, double *us)
{
    pawl_sim *sim = NULL;
    if (pawl_sim_create(env, model, settings, &sim) != PAWL_OK) {
        return false;
    }
    *verdict = pawl_verdict_begin(pawl_sim_state(sim));
    int every = (int)lround(orders_sample_time / settings->dt), steps = ORDERS_SAMPLES * every;
    pawl_joint_id crank = pawl_model_find_joint(model, "A");
    double begin = bench_cpu_time();
    bool done = true;
    for (int k = 1; k <= steps && done; ++k) {
        pawl_step_report report;
        done = pawl_sim_step(sim, &report) == PAWL_OK;
        if (done) {
            double angle[6];
            pawl_verdict_add(verdict, &report);
            pawl_state_joint(pawl_sim_state(sim), crank, angle, NULL);
            angles[(k - 1) / every] = angle[0]; // the last of each is kept
        }
    }
    *us = 1e6 * (bench_cpu_time() - begin) / steps;
    pawl_sim_destroy(sim);
    return done;
}

static double orders_largest(const double *a, const double *b, int count)
{
    double largest = 0.0;
    for (int i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(a[i] - b[i]));
    }
    return largest;
}

// All steppers on a machine without a published answer: against rattle of order four at a sixteenth of the
// step, which tests/unit/step/test_rattle.c compares with the crank's own equation of motion.
static int orders_fourbar(const bench_options *options, json_t *rows)
{
    static const char path[] = "models/lit/fourbar-passive.sdf";
    const double dt = orders_sample_time;
    if (!bench_wanted(options, path)) {
        return 0;
    }
    pawl_env env = reference_env();
    pawl_model *model = reference_load_model(&env, path);
    if (model == NULL) {
        return 1;
    }
    int failed = 0;
    pawl_verdict verdict;
    double us;
    pawl_settings settings = orders_settings(&orders_methods[ORDERS_METHODS - 1], dt / 16.0);
    static double exact[ORDERS_SAMPLES], angles[ORDERS_SAMPLES];
    failed += orders_crank(&env, model, &settings, exact, &verdict, &us) ? 0 : 1;
    printf(
        "\n%s, 5 s: largest error of the crank angle at dt = 2.5 ms, dt/2, dt/4 [rad], and at the "
        "end of the first; at dt: energy error, closure, time\n",
        path);
    for (int k = 0; k < ORDERS_METHODS; ++k) {
        json_t *got = json_array();
        double energy_error = 0.0, closure = 0.0, cost = 0.0, at_end = 0.0;
        printf("%-8s", orders_methods[k].name);
        for (int i = 0; i < 3; ++i) {
            settings = orders_settings(&orders_methods[k], dt / (double)(1 << i));
            bool done = orders_crank(&env, model, &settings, angles, &verdict, &us);
            double error = done ? orders_largest(angles, exact, ORDERS_SAMPLES) : NAN;
            failed += done ? 0 : 1;
            int last = ORDERS_SAMPLES - 1;
            at_end = i == 0 ? fabs(angles[last] - exact[last]) : at_end;
            energy_error = i == 0 ? pawl_verdict_energy_error(&verdict) : energy_error;
            closure = i == 0 ? verdict.closure.position : closure;
            cost = i == 0 ? us : cost;
            printf(" %8.2e", error);
            json_array_append_new(got, bench_number(error));
        }
        printf("  %8.2e  %8.2e  %8.1e m  %6.1f us\n", at_end, energy_error, closure, cost);
        fflush(stdout);
        json_array_append_new(rows, json_pack("{s:s, s:o, s:o, s:o, s:f}",                      //
                                              "stepper", orders_methods[k].name, "errors", got, //
                                              "energy_error", bench_number(energy_error),       //
                                              "closure", bench_number(closure), "us", cost));
    }
    pawl_model_destroy(model);
    return failed;
}

int main(int argument_count, char **arguments)
{
    bench_options options =
        bench_parse("bench_orders", "errors against trusted answers", argument_count, arguments);
    json_t *shorts = json_array(), *wholes = json_array(), *closures = json_array();
    int failed = orders_table(&options, false, shorts);
    if (!options.quick) {
        failed += orders_table(&options, true, wholes);
    }
    const struct {
        const char *path;
        double duration;
        bool project;
    } runs[] = {
        {"models/primitives/fourbar-fixed.sdf", 10.0, true},
        {"models/primitives/fourbar-fixed.sdf", 10.0, false},
        {"models/quickstart.sdf", 5.0, true},
        {"models/classics/A02-N2.sdf", 10.0, true},
        {"models/classics/A02-N10.sdf", options.quick ? 2.0 : 10.0, true},
        {"models/classics/A02-N40.sdf", options.quick ? 2.0 : 10.0, true},
    };
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; ++i) {
        failed +=
            orders_closure(&options, runs[i].path, runs[i].duration, runs[i].project, closures);
    }
    json_t *fourbar = json_array();
    failed += orders_fourbar(&options, fourbar);
    json_t *root = json_pack("{s:s, s:o, s:o, s:o, s:o}", "pawl", pawl_version(), "short", shorts,
                             "whole", wholes, "closure", closures, "fourbar", fourbar);
    return !bench_write_json(&options, root) ? 2 : failed == 0 ? 0 : 1;
}
