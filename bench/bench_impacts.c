// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Random frictional impacts under every law of impact and every stepper that collides: does any of them add
// energy? 5000 by default: single bodies of every shape, boxes on faces and edges, heaps, trees and closed
// loops; restitution 0 to 1, friction 0 to 2. docs/impacts.md quotes the table.
#include "options.h"
#include "support/random_impacts.h"

#include <math.h>
#include <stdio.h>

#include "pawl/base.h"

typedef struct impacts_column {
    const char *name;
    pawl_stepper_kind stepper;
    pawl_formulation formulation;
} impacts_column;
static const impacts_column impacts_columns[] = {
    {"euler", PAWL_STEPPER_EULER, PAWL_FORMULATION_MAXIMAL},
    {"moreau", PAWL_STEPPER_MOREAU, PAWL_FORMULATION_MAXIMAL},
    {"lit", PAWL_STEPPER_LIT, PAWL_FORMULATION_MAXIMAL},
    {"rattle", PAWL_STEPPER_RATTLE, PAWL_FORMULATION_MAXIMAL},
    {"euler reduced", PAWL_STEPPER_EULER, PAWL_FORMULATION_REDUCED},
    {"moreau reduced", PAWL_STEPPER_MOREAU, PAWL_FORMULATION_REDUCED},
    {"lit reduced", PAWL_STEPPER_LIT, PAWL_FORMULATION_REDUCED},
};
enum { IMPACTS_COLUMNS = sizeof impacts_columns / sizeof impacts_columns[0] };
static const char *const impacts_laws[PAWL_IMPACT_LAW_COUNT] = {"poisson", "newton", "energetic",
                                                                "routh"};

typedef struct impacts_sum {
    double gain, work; // largest, of the kinetic energy before
    int steps, capped, fallen, open, failed;
    random_impact_kind kind; // of the largest
    int index;
} impacts_sum;

static void impacts_add(impacts_sum *sum, const random_impact_figures *one, random_impact_kind kind,
                        int index)
{
    if (one->gain > sum->gain) {
        sum->gain = one->gain;
        sum->kind = kind;
        sum->index = index;
    }
    sum->work = fmax(sum->work, one->work);
    sum->steps += one->impacts;
    sum->capped += one->capped;
    sum->fallen += one->fallen;
    sum->open += one->open;
}

int main(int argc, char **argv)
{
    bench_options options = bench_parse(
        "bench_impacts", "energy of random frictional impacts by law and stepper", argc, argv);
    int count = options.quick ? 100 : 5000, worse = 0;
    const uint64_t first = UINT64_C(1000003) * options.seed; // seed 0: scenes 0 to count - 1
    pawl_env env = pawl_env_default();
    json_t *figures = json_array();
    printf("pawl %s: %d random frictional impacts, seed %llu, dt 1 ms, no gravity\n",
           pawl_version(), count, (unsigned long long)options.seed);
    printf(
        "  gain       largest work of the impacts in a step, of the kinetic energy before it\n"
        "  all work   of all contacts and limits, corrections of overlaps included, of the kinetic "
        "energy at the start\n"
        "  steps      in which there were impacts; capped: in which restitution was lowered for "
        "it;\n"
        "  fallback   in which another law stood in; open: that missed the solver's tolerance\n\n");
    printf("%-15s %-10s %10s %10s %8s %8s %9s %6s %7s  %s\n", "stepper", "law", "gain", "all work",
           "steps", "capped", "fallback", "open", "failed", "largest at");
    for (int c = 0; c < IMPACTS_COLUMNS; ++c) {
        for (int law = 0; law < PAWL_IMPACT_LAW_COUNT; ++law) {
            impacts_sum sum = {.gain = -INFINITY, .work = -INFINITY};
            pawl_settings settings = pawl_settings_default();
            settings.stepper = impacts_columns[c].stepper;
            settings.formulation = impacts_columns[c].formulation;
            settings.contact.impact = (pawl_impact_law)law;
            if (!bench_wanted(&options, impacts_columns[c].name)) {
                continue;
            }
            for (int k = 0; k < count; ++k) {
                random_impact_kind kind = (random_impact_kind)(k % RANDOM_IMPACT_KINDS);
                random_impact_figures one;
                pawl_model *model;
                bench_progress(k, count, impacts_columns[c].name, impacts_laws[law]);
                if (random_impact_model(&env, kind, first + (uint64_t)k, &model) != PAWL_OK) {
                    ++sum.failed;
                    continue;
                }
                if (random_impact_run(&env, model, &settings, &one) == PAWL_OK) {
                    impacts_add(&sum, &one, kind, k);
                } else {
                    ++sum.failed;
                }
                pawl_model_destroy(model);
            }
            bool gains = !(sum.gain <= 1e-12) || sum.failed > 0;
            worse += gains;
            printf("%-15s %-10s %10.2e %10.2e %8d %8d %9d %6d %7d  %s %d%s\n",
                   impacts_columns[c].name, impacts_laws[law], sum.gain, sum.work, sum.steps,
                   sum.capped, sum.fallen, sum.open, sum.failed, random_impact_name(sum.kind),
                   sum.index, gains ? "  ADDS" : "");
            fflush(stdout);
            json_array_append_new(
                figures, json_pack("{s:s, s:s, s:o, s:i, s:i, s:i, s:i, s:i}", "stepper",
                                   impacts_columns[c].name, "law", impacts_laws[law], "gain",
                                   bench_number(sum.gain), "steps", sum.steps, "capped", sum.capped,
                                   "fallback", sum.fallen, "open", sum.open, "failed", sum.failed));
        }
    }
    bool written = bench_write_json(&options, figures);
    return worse == 0 && written ? 0 : 1;
}
