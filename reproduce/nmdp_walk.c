// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Figure 5 of [pan-hauser-2020]: how far a robot walks with each method and step.
#include "nmdp_setup.h"

#include <math.h>
#include <stdlib.h>

enum { WALK_STEPS = 6 };
typedef struct walk_steps {
    int count;
    double dt[WALK_STEPS];
} walk_steps;

static const walk_steps walk_all[NMDP_METHOD_COUNT] = {
    [NMDP_NE_MDP] = {6, {0.001, 0.002, 0.003, 0.005, 0.007, 0.01}},
    [NMDP_NE_PGM] = {5, {0.005, 0.01, 0.02, 0.03, 0.05}},
    [NMDP_NE_ZOPGM] = {4, {0.01, 0.02, 0.03, 0.05}},
    [NMDP_PBD_PGM] = {5, {0.005, 0.01, 0.02, 0.03, 0.05}},
    [NMDP_PBD_ZOPGM] = {4, {0.01, 0.02, 0.03, 0.05}},
    [NMDP_MDP_STABLE] = {5, {0.005, 0.01, 0.02, 0.03, 0.05}},
    [NMDP_NE_ORDER_2] = {5, {0.005, 0.01, 0.02, 0.03, 0.05}},
};
static const walk_steps walk_quick[NMDP_METHOD_COUNT] = {
    [NMDP_NE_MDP] = {2, {0.005, 0.01}},    [NMDP_NE_PGM] = {3, {0.01, 0.02, 0.05}},
    [NMDP_NE_ZOPGM] = {1, {0.05}},         [NMDP_PBD_PGM] = {3, {0.01, 0.02, 0.05}},
    [NMDP_PBD_ZOPGM] = {1, {0.05}},        [NMDP_MDP_STABLE] = {2, {0.02, 0.05}},
    [NMDP_NE_ORDER_2] = {2, {0.02, 0.05}},
};
static const double walk_speed =
    0.2; // that the gait has after its first second, half of it before [m/s]

typedef struct walk_runs {
    walk_steps steps[NMDP_METHOD_COUNT];
    nmdp_result result[NMDP_METHOD_COUNT][WALK_STEPS];
    nmdp_result reference;
} walk_runs;

static pawl_status walk_run_all(experiment_run *run, const nmdp_task *task, walk_runs *r)
{
    const walk_steps *steps = run->quick ? walk_quick : walk_all;
    double fine = run->quick ? 0.005 : 0.001;
    for (int m = 0; m < NMDP_METHOD_COUNT; ++m) {
        r->steps[m] = steps[m];
        nmdp_expect(run, task, steps[m].dt, steps[m].count);
    }
    nmdp_expect(run, task, &fine, 1);
    for (int m = 0; m < NMDP_METHOD_COUNT; ++m) {
        EXPERIMENT_TRY(
            nmdp_sweep(run, task, (nmdp_method)m, steps[m].dt, steps[m].count, r->result[m]));
    }
    return nmdp_simulate(run, task, NMDP_NE_ORDER_2, fine, &r->reference);
}

static void walk_row(pawl_study *study, const char *name, const nmdp_result *r)
{
    bool there = r->end != NMDP_EXPLODES;
    pawl_study_add_words(study, name);
    pawl_study_add_number(study, 1e3 * r->dt);
    pawl_study_add_words(study, nmdp_end_name(r->end));
    pawl_study_add_number(study, there ? r->x[NMDP_SAMPLES - 1] : NAN);
    pawl_study_add_number(study, there ? r->tilt : NAN);
    pawl_study_add_number(study, r->iterations);
    pawl_study_add_number(study, (double)r->cut_frames);
    pawl_study_add_number(study, there ? 1e3 * r->depth : NAN);
    pawl_study_add_number(study, r->seconds);
}

// The sentences of "Consistent Prediction" about the walk. The paper's runs are at 1 to 5 ms (NE-MDP) and 30 to 50 ms.
// "Much better" is half the spread.
static void walk_sentences(pawl_study *study, const walk_runs *r)
{
    double spread[NMDP_PAPER_METHODS], bent = 0.0;
    for (int m = 0; m < NMDP_PAPER_METHODS; ++m) {
        const walk_steps *steps = &r->steps[m];
        int first = 0, last = steps->count;
        while (m != NMDP_NE_MDP && first < last - 1 && steps->dt[first] < 0.0299) {
            ++first;
        }
        while (m == NMDP_NE_MDP && last > 1 && steps->dt[last - 1] > 0.0051) {
            --last;
        }
        spread[m] = nmdp_spread(&r->result[m][first], last - first, nmdp_x_of);
        for (int k = first; k < last && m != NMDP_NE_MDP; ++k) {
            double off = nmdp_line_error(&r->result[m][k]);
            bent = isnan(off) ? INFINITY : fmax(bent, off);
        }
    }
    nmdp_claim(study, "%", 100.0 * bent, PAWL_AT_MOST, 10.0,
               "\"the groundtruth walking distance is a linear function of time\": largest "
               "deviation of the "
               "NMDP variants from a line");
    for (int m = NMDP_NE_PGM; m <= NMDP_NE_ZOPGM; ++m) {
        nmdp_claim(study, NULL, spread[m] / spread[NMDP_NE_MDP], PAWL_AT_MOST, 0.5,
                   "\"The consistency of NE-(ZO)NMDP are much better\": spread of %s over NE-MDP's",
                   nmdp_method_name((nmdp_method)m));
        int pbd = m - NMDP_NE_PGM + NMDP_PBD_PGM;
        nmdp_claim(study, NULL, spread[pbd] / spread[m], PAWL_AT_MOST, 1.0,
                   "\"... and that of PBD-(ZO)NMDP are the best\": spread of %s over %s's",
                   nmdp_method_name((nmdp_method)pbd), nmdp_method_name((nmdp_method)m));
    }
}

// Order 2 is there to be nearer to dt -> 0 than order 1, at every step of both: over the whole walk, because the distance at
// one moment passes through the right value between steps that are wrong in opposite ways.
static void walk_orders(pawl_study *study, const walk_runs *r)
{
    const walk_steps *two = &r->steps[NMDP_NE_ORDER_2], *one = &r->steps[NMDP_NE_PGM];
    for (int k = 0; k < two->count; ++k) {
        for (int j = 0; j < one->count; ++j) {
            if (one->dt[j] == two->dt[k]) {
                nmdp_claim(study, NULL,
                           nmdp_path_error(&r->result[NMDP_NE_ORDER_2][k], &r->reference) /
                               nmdp_path_error(&r->result[NMDP_NE_PGM][j], &r->reference),
                           PAWL_AT_MOST, 1.0,
                           "order 2 over order 1 at %g ms: distance of the torso from dt → 0, mean "
                           "over the walk",
                           1e3 * two->dt[k]);
            }
        }
    }
}

static void walk_show(pawl_study *study, const nmdp_task *task, const walk_runs *r)
{
    static const pawl_study_column columns[] = {
        {.name = "method", .words = true},
        {.name = "dt", .unit = "ms", .style = PAWL_NUMBER_GENERAL, .digits = 3},
        {.name = "robot", .words = true},
        {.name = "distance", .unit = "m", .style = PAWL_NUMBER_FIXED, .digits = 2},
        {.name = "tilt", .unit = "rad", .style = PAWL_NUMBER_FIXED, .digits = 3},
        {.name = "iterations", .style = PAWL_NUMBER_FIXED, .digits = 1},
        {.name = "cut", .style = PAWL_NUMBER_FIXED, .digits = 0},
        {.name = "depth", .unit = "mm", .style = PAWL_NUMBER_FIXED, .digits = 1},
        {.name = "took", .unit = "s", .style = PAWL_NUMBER_FIXED, .digits = 2},
    };
    static const char *const titles[] = {"Figure 5 (a): distance, NE-MDP",
                                         "Figure 5 (b): NE-NMDP-PGM", "Figure 5 (c): NE-NMDP-ZOPGM",
                                         "Figure 5 (d): PBD-NMDP-PGM",
                                         "Figure 5 (e): PBD-NMDP-ZOPGM"};
    pawl_study_add_paragraph(
        study,
        "Robosimian trots: diagonal pairs of feet in turn, half a second up and half a second "
        "down, 0.4 m a stride over the ground. The paper's figure has no numbers, and its gait "
        "is not published; ours is meant to go 0.2 m/s.");
    pawl_study_add_table(
        study, "The walk with every method and step",
        "Distance of the torso at the end, its largest tilt, outer iterations a frame, "
        "frames that Algorithm 2 divided, and how deep a foot sank.",
        columns, (int)(sizeof columns / sizeof columns[0]));
    for (int m = 0; m < NMDP_METHOD_COUNT; ++m) {
        for (int k = 0; k < r->steps[m].count; ++k) {
            walk_row(study, nmdp_method_name((nmdp_method)m), &r->result[m][k]);
        }
    }
    walk_row(study, "dt → 0 (order 2)", &r->reference);
    for (int m = 0; m < NMDP_PAPER_METHODS; ++m) {
        nmdp_plot(study, titles[m], "m", r->result[m], r->steps[m].count, &r->reference, nmdp_x_of);
    }
    double meant = walk_speed * (task->end - 0.5), least = INFINITY, cut = 0.0;
    for (int m = NMDP_NE_PGM; m <= NMDP_PBD_PGM; m += NMDP_PBD_PGM - NMDP_NE_PGM) {
        for (int k = 0; k < r->steps[m].count; ++k) {
            bool stands = r->result[m][k].end == NMDP_STANDS;
            least = fmin(least, stands ? r->result[m][k].x[NMDP_SAMPLES - 1] / meant : -INFINITY);
            cut += (double)r->result[m][k].cut_frames;
        }
    }
    pawl_study_add_claim(study, "fraction of the intended distance, both PGM, at least", NULL,
                         least, PAWL_AT_LEAST, 0.5);
    pawl_study_add_claim(study, "frames of both PGM that were divided", NULL, cut, PAWL_EQUAL, 0.0);
    if (nmdp_is_whole(task)) {
        walk_sentences(study, r);
    }
    walk_orders(study, r);
}

static pawl_status walk_run(experiment_run *run, pawl_study *study)
{
    nmdp_task task = {NMDP_ROBOSIMIAN, NMDP_WALK, run->quick ? 2.0 : 10.0, false};
    walk_runs *runs = calloc(1, sizeof *runs);
    if (runs == NULL) {
        return PAWL_NO_MEMORY;
    }
    pawl_status status = walk_run_all(run, &task, runs);
    if (status == PAWL_OK) {
        walk_show(study, &task, runs);
    }
    free(runs);
    return status;
}

const experiment experiment_nmdp_walk = {
    .name = "nmdp-walk",
    .summary = "A robot walks: distance with steps of 1 to 50 ms",
    .source = NMDP_SOURCE ". Figure 5",
    .run = walk_run,
};
