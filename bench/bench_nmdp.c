// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The steppers of maximal dissipation against closed forms (nmdp_cases.c): every variant at 1 to 50 ms.
// tools/nmdp_instructions counts the cost of a step.
#include "nmdp_cases.h"
#include "options.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct nmdp_variant {
    const char *name;
    pawl_stepper_kind stepper;
    pawl_nmdp_dynamics dynamics;
    pawl_nmdp_gradient gradient;
    int order;
    pawl_mdp_pd pd;
} nmdp_variant;

static const nmdp_variant nmdp_variants[] = {
    {"ne", PAWL_STEPPER_NMDP, PAWL_NMDP_NE, PAWL_NMDP_FIRST, 1, PAWL_MDP_STABLE},
    {"ne zeroth", PAWL_STEPPER_NMDP, PAWL_NMDP_NE, PAWL_NMDP_ZEROTH, 1, PAWL_MDP_STABLE},
    {"ne order 2", PAWL_STEPPER_NMDP, PAWL_NMDP_NE, PAWL_NMDP_FIRST, 2, PAWL_MDP_STABLE},
    {"pbd", PAWL_STEPPER_NMDP, PAWL_NMDP_PBD, PAWL_NMDP_FIRST, 1, PAWL_MDP_STABLE},
    {"pbd zeroth", PAWL_STEPPER_NMDP, PAWL_NMDP_PBD, PAWL_NMDP_ZEROTH, 1, PAWL_MDP_STABLE},
    {"pbd-rigid", PAWL_STEPPER_NMDP, PAWL_NMDP_PBD_RIGID, PAWL_NMDP_FIRST, 1, PAWL_MDP_STABLE},
    {"mdp", PAWL_STEPPER_MDP, PAWL_NMDP_NE, PAWL_NMDP_FIRST, 1, PAWL_MDP_STABLE},
    {"mdp explicit", PAWL_STEPPER_MDP, PAWL_NMDP_NE, PAWL_NMDP_FIRST, 1, PAWL_MDP_EXPLICIT},
};
enum { NMDP_VARIANTS = sizeof nmdp_variants / sizeof *nmdp_variants };
static const double nmdp_dts[] = {1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2};
enum { NMDP_DTS = sizeof nmdp_dts / sizeof *nmdp_dts };

static void nmdp_print_row(const nmdp_case *c, const nmdp_variant *v, json_t *rows)
{
    double deepest = 0.0;
    json_t *errors = json_array();
    printf("  %-13s", v->name);
    for (int d = 0; d < NMDP_DTS; ++d) {
        pawl_settings settings = pawl_settings_default();
        settings.dt = nmdp_dts[d];
        settings.stepper = v->stepper;
        settings.nmdp.dynamics = v->dynamics;
        settings.nmdp.gradient = v->gradient;
        settings.nmdp.order = v->order;
        settings.mdp.pd = v->pd;
        double depth = 0.0, error = c->run(&settings, &depth);
        deepest = fmax(deepest, depth);
        json_array_append_new(errors, bench_number(error));
        if (isfinite(error)) {
            printf(" %9.1e", error);
        } else {
            printf(" %9s", "failed");
        }
        fflush(stdout);
    }
    printf("  %7.1f mm\n", 1e3 * deepest);
    json_array_append_new(rows, json_pack("{s:s, s:s, s:o, s:f}", "case", c->name, "variant",
                                          v->name, "errors", errors, "deepest", deepest));
}

int main(int count, char **arguments)
{
    bench_options options = bench_parse(
        "bench_nmdp", "mdp and nmdp against closed forms, 1 to 50 ms.", count, arguments);
    json_t *rows = json_array();
    for (int i = 0; i < nmdp_case_count; ++i) {
        const nmdp_case *c = &nmdp_cases[i];
        if (!bench_wanted(&options, c->name)) {
            continue;
        }
        printf("%s: %s\n  %-13s", c->name, c->measured, "step [ms]");
        for (int d = 0; d < NMDP_DTS; ++d) {
            printf(" %9g", 1e3 * nmdp_dts[d]);
        }
        printf("  deepest\n");
        for (int v = 0; v < NMDP_VARIANTS; ++v) {
            if (options.engine == NULL || strstr(nmdp_variants[v].name, options.engine) != NULL) {
                nmdp_print_row(c, &nmdp_variants[v], rows);
            }
        }
    }
    return bench_write_json(&options, json_pack("{s:o}", "rows", rows)) ? 0 : 1;
}
