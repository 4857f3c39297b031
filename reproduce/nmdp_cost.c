// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Figure 6 of [pan-hauser-2020]: frames a second and outer iterations of every method at 50 ms over the four motions
// (two robots walk and jump), and outer iterations against the step. NE-MDP is unstable with such a step, as in the
// paper: its time is that of the frames until then, and of the variant with implicit controllers.
#include "nmdp_setup.h"

#include <math.h>
#include <stdlib.h>

enum { COST_STEPS = 6, COST_TASKS = 4 };
static const double cost_steps[COST_STEPS] = {0.005, 0.01, 0.02, 0.03, 0.04, 0.05};
static const double cost_steps_quick[] = {0.02, 0.05};

typedef struct cost_sum {
    double frames, seconds, iterations, cut, not_converged;
    int most;        // iterations of a frame
    double smallest; // step that Algorithm 2 came down to [s]; 0: no frame
    double by_iterations[NMDP_BINS], by_rate[NMDP_BINS];
} cost_sum;

typedef struct cost_runs {
    int count;
    const double *dt;
    nmdp_result result;
    nmdp_result jump[NMDP_METHOD_COUNT]; // Robosimian's, at the last step
    cost_sum sum[NMDP_METHOD_COUNT][COST_STEPS];
} cost_runs;

static nmdp_task cost_task(int i, double end)
{
    return (nmdp_task){i < 2 ? NMDP_ROBOSIMIAN : NMDP_SPIDER, i % 2 == 0 ? NMDP_WALK : NMDP_JUMP,
                       end, false};
}

static bool cost_wanted(const experiment_run *run, nmdp_method m, double dt)
{
    bool zeroth = m == NMDP_NE_ZOPGM || m == NMDP_PBD_ZOPGM;
    return !zeroth || dt >= (run->quick ? 0.05 : 0.01); // small steps take long and show nothing
}

static pawl_status cost_run_all(experiment_run *run, cost_runs *r)
{
    double end = run->quick ? 1.0 : 10.0;
    int tasks = run->quick ? 2 : COST_TASKS; // quick: Robosimian alone
    for (int pass = 0; pass < 2; ++pass) {   // first the work is counted
        for (int m = 0; m < NMDP_METHOD_COUNT; ++m) {
            for (int k = 0; k < r->count; ++k) {
                for (int i = 0; i < tasks && cost_wanted(run, (nmdp_method)m, r->dt[k]); ++i) {
                    nmdp_task task = cost_task(i, end);
                    if (pass == 0) {
                        nmdp_expect(run, &task, &r->dt[k], 1);
                        continue;
                    }
                    nmdp_result *one = &r->result;
                    EXPERIMENT_TRY(nmdp_simulate(run, &task, (nmdp_method)m, r->dt[k], one));
                    cost_sum *sum = &r->sum[m][k];
                    sum->frames += (double)one->frames;
                    sum->seconds += one->seconds;
                    sum->iterations +=
                        one->frames > 0 ? one->iterations * (double)one->frames : 0.0;
                    sum->cut += (double)one->cut_frames;
                    sum->not_converged += (double)one->not_converged;
                    sum->smallest = sum->smallest > 0.0 ? fmin(sum->smallest, one->smallest_part)
                                                        : one->smallest_part;
                    if (i == 1 && k == r->count - 1) {
                        r->jump[m] = *one;
                    }
                    sum->most = one->iterations_max > sum->most ? one->iterations_max : sum->most;
                    for (int b = 0; b < NMDP_BINS; ++b) {
                        sum->by_iterations[b] += one->by_iterations[b];
                        sum->by_rate[b] += one->by_rate[b];
                    }
                }
            }
        }
    }
    return PAWL_OK;
}

static double cost_mean(const cost_sum *sum)
{
    return sum->frames > 0.0 ? sum->iterations / sum->frames : NAN;
}

// Shares of the frames at the last step, for the paper's methods.
static void cost_histogram(pawl_study *study, const cost_runs *r, bool rates)
{
    static const pawl_study_plot plots[2] = {{.title = "Figure 6 (b): frames by outer iterations",
                                              .note = "59 stands for more as well",
                                              .x_name = "outer iterations",
                                              .unit = "%",
                                              .zero = true},
                                             {.title = "Figure 6 (a): frames by their rate",
                                              .x_name = "frames a second",
                                              .unit = "%",
                                              .x_log = true,
                                              .zero = true}};
    pawl_study_add_plot(study, &plots[rates]);
    for (int m = 0; m < NMDP_METHOD_COUNT; ++m) {
        const cost_sum *sum = &r->sum[m][r->count - 1];
        double x[NMDP_BINS], y[NMDP_BINS];
        for (int b = 0; b < NMDP_BINS; ++b) {
            x[b] = rates ? pow(10.0, (b + 0.5) / 10.0) : b;
            y[b] = 100.0 * (rates ? sum->by_rate[b] : sum->by_iterations[b]) / sum->frames;
        }
        pawl_study_add_curve(study, &(pawl_study_curve){.label = nmdp_method_name((nmdp_method)m),
                                                        .count = NMDP_BINS,
                                                        .x = x,
                                                        .y = y});
    }
}

// The step that Algorithm 2 chose, against time, in Robosimian's jump.
static void cost_plot_parts(pawl_study *study, const cost_runs *r)
{
    pawl_study_add_plot(study,
                        &(pawl_study_plot){.title = "Figure 6 (d): step chosen by Algorithm 2",
                                           .note = "Robosimian jumps, 50 ms",
                                           .unit = "s",
                                           .zero = true});
    for (int m = NMDP_NE_PGM; m <= NMDP_PBD_ZOPGM; ++m) {
        pawl_study_add_curve(study, &(pawl_study_curve){.label = nmdp_method_name((nmdp_method)m),
                                                        .count = r->jump[m].samples,
                                                        .x = r->jump[m].time,
                                                        .y = r->jump[m].part});
    }
}

// The sentences of "Computational Cost". "About one order" is within half a decade of ten, "not significant" half a decade.
static void cost_sentences(pawl_study *study, const cost_runs *r)
{
    int last = r->count - 1;
    double time[NMDP_METHOD_COUNT], fastest = INFINITY;
    for (int m = 0; m < NMDP_METHOD_COUNT; ++m) {
        time[m] = r->sum[m][last].seconds / r->sum[m][last].frames;
        fastest = m == NMDP_MDP_STABLE || m == NMDP_NE_MDP ? fastest : fmin(fastest, time[m]);
    }
    nmdp_claim(study, NULL, fastest / time[NMDP_MDP_STABLE], PAWL_AT_LEAST, 1.0,
               "\"MDP is the most efficient\": time of a frame of the fastest NMDP over MDP's");
    for (int m = NMDP_NE_PGM; m <= NMDP_PBD_PGM; m += NMDP_PBD_PGM - NMDP_NE_PGM) {
        const char *pgm = nmdp_method_name((nmdp_method)m);
        const char *zopgm = nmdp_method_name((nmdp_method)(m + 1));
        double slower = time[m + 1] / time[m];
        double more = cost_mean(&r->sum[m + 1][last]) / cost_mean(&r->sum[m][last]);
        nmdp_claim(
            study, NULL, time[m] / time[NMDP_MDP_STABLE], PAWL_AT_MOST, sqrt(10.0),
            "\"FOPGM does not incur a significant sacrifice in framerate\": time of a frame of %s "
            "over MDP's",
            pgm);
        nmdp_claim(study, NULL, slower, PAWL_AT_LEAST, 2.0,
                   "\"ZOPGM is significantly slower\": time of a frame of %s over %s's", zopgm,
                   pgm);
        nmdp_claim(
            study, NULL, slower, PAWL_AT_MOST, 10.0 * sqrt(10.0),
            "\"approximately one order of magnitude slower\": time of a frame of %s over %s's",
            zopgm, pgm);
        nmdp_claim(study, NULL, more, PAWL_AT_LEAST, sqrt(10.0),
                   "\"...\" in outer iterations: %s over %s, at least", zopgm, pgm);
        nmdp_claim(study, NULL, more, PAWL_AT_MOST, 10.0 * sqrt(10.0),
                   "\"...\" in outer iterations: %s over %s, at most", zopgm, pgm);
        nmdp_claim(study, "ms", 1e3 * r->sum[m][last].smallest, PAWL_EQUAL, 50.0,
                   "\"At dt = 50 ms, PGM is always convergent\": smallest step of %s", pgm);
        nmdp_claim(study, "ms", 1e3 * r->sum[m + 1][last].smallest, PAWL_EQUAL, 25.0,
                   "\"ZOPGM ... needs to get down to 25 ms\": smallest step of %s", zopgm);
    }
}

static void cost_show(pawl_study *study, const cost_runs *r)
{
    static const pawl_study_column columns[] = {
        {.name = "method", .words = true},
        {.name = "frames", .style = PAWL_NUMBER_FIXED, .digits = 0},
        {.name = "frames a second", .style = PAWL_NUMBER_GENERAL, .digits = 3},
        {.name = "time to mdp's", .style = PAWL_NUMBER_FIXED, .digits = 1},
        {.name = "iterations", .style = PAWL_NUMBER_FIXED, .digits = 1},
        {.name = "at most", .style = PAWL_NUMBER_FIXED, .digits = 0},
        {.name = "cut", .style = PAWL_NUMBER_FIXED, .digits = 0},
    };
    int last = r->count - 1;
    const cost_sum *base = &r->sum[NMDP_MDP_STABLE][last];
    double base_time = base->seconds / base->frames;
    pawl_study_add_paragraph(
        study,
        "All frames of the four motions together, in time of this processor, one thread. The "
        "paper gives histograms without numbers: MDP fastest with one quadratic program, PGM not "
        "much slower, ZOPGM about ten times slower; at 50 ms PGM always converges, and ZOPGM "
        "goes down to 25 ms at some moments. Ratios are to mdp with implicit controllers.");
    pawl_study_add_table(
        study, "Figure 6 (a, b, d): cost at 50 ms",
        "Frames a second of computing, time of a frame over that of mdp, outer iterations "
        "a frame, and frames that Algorithm 2 divided.",
        columns, (int)(sizeof columns / sizeof columns[0]));
    for (int m = 0; m < NMDP_METHOD_COUNT; ++m) {
        const cost_sum *s = &r->sum[m][last];
        pawl_study_add_words(study, nmdp_method_name((nmdp_method)m));
        pawl_study_add_number(study, s->frames);
        pawl_study_add_number(study, s->frames / s->seconds);
        pawl_study_add_number(study, s->seconds / s->frames / base_time);
        pawl_study_add_number(study, cost_mean(s));
        pawl_study_add_number(study, (double)s->most);
        pawl_study_add_number(study, s->cut);
    }
    cost_histogram(study, r, true);
    cost_histogram(study, r, false);
    pawl_study_add_plot(study, &(pawl_study_plot){.title = "Figure 6 (c): outer iterations a frame",
                                                  .x_name = "dt",
                                                  .x_unit = "s",
                                                  .log = true,
                                                  .dots = true});
    for (int m = NMDP_NE_PGM; m <= NMDP_PBD_ZOPGM; ++m) {
        double x[COST_STEPS], y[COST_STEPS];
        int count = 0;
        for (int k = 0; k < r->count; ++k) {
            if (r->sum[m][k].frames > 0.0) {
                x[count] = r->dt[k];
                y[count++] = cost_mean(&r->sum[m][k]);
            }
        }
        if (count < 2) { // a quick look has one step of ZOPGM
            continue;
        }
        pawl_study_add_curve(
            study, &(pawl_study_curve){
                       .label = nmdp_method_name((nmdp_method)m), .count = count, .x = x, .y = y});
    }
    double first = cost_mean(&r->sum[NMDP_NE_PGM][last]);
    pawl_study_add_claim(study, "NE-NMDP-PGM at 50 ms: outer iterations a frame", NULL, first,
                         PAWL_AT_MOST, 6.8);
    pawl_study_add_claim(study, "PBD-NMDP-PGM at 50 ms: outer iterations a frame", NULL,
                         cost_mean(&r->sum[NMDP_PBD_PGM][last]), PAWL_AT_MOST, 6.8);
    cost_plot_parts(study, r);
    cost_sentences(study, r);
    pawl_study_add_claim(study, "frames of both PGM that were divided at 50 ms", NULL,
                         r->sum[NMDP_NE_PGM][last].cut + r->sum[NMDP_PBD_PGM][last].cut, PAWL_EQUAL,
                         0.0);
}

static pawl_status cost_run(experiment_run *run, pawl_study *study)
{
    cost_runs *runs = calloc(1, sizeof *runs);
    if (runs == NULL) {
        return PAWL_NO_MEMORY;
    }
    runs->count = run->quick ? 2 : COST_STEPS;
    runs->dt = run->quick ? cost_steps_quick : cost_steps;
    pawl_status status = cost_run_all(run, runs);
    if (status == PAWL_OK) {
        cost_show(study, runs);
    }
    free(runs);
    return status;
}

const experiment experiment_nmdp_cost = {
    .name = "nmdp-cost",
    .summary = "Robots walk and jump: frames a second and outer iterations",
    .source = NMDP_SOURCE ". Figure 6",
    .run = cost_run,
};
