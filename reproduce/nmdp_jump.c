// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Figures 3 and 4 of [pan-hauser-2020]: the torso's tilt and height while Robosimian jumps five times in 10 s, with
// five methods and steps from 1 to 50 ms. Besides its curves the paper prints only two numbers: NE-MDP is stable up
// to 7 ms, the others from 5 to 50 ms. The columns "measured" were measured with an independent implementation on the
// same robot.
#include "nmdp_setup.h"

#include <math.h>
#include <stdlib.h>

enum { JUMP_STEPS = 9 };

// Steps of each method, and those of a quick look [s].
typedef struct jump_steps {
    int count;
    double dt[JUMP_STEPS];
} jump_steps;
static const jump_steps jump_all[NMDP_METHOD_COUNT] = {
    [NMDP_NE_MDP] = {9, {0.001, 0.002, 0.005, 0.007, 0.01, 0.012, 0.015, 0.02, 0.05}},
    [NMDP_NE_PGM] = {7, {0.001, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05}},
    [NMDP_NE_ZOPGM] = {5, {0.005, 0.01, 0.02, 0.03, 0.05}},
    [NMDP_PBD_PGM] = {7, {0.001, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05}},
    [NMDP_PBD_ZOPGM] = {5, {0.005, 0.01, 0.02, 0.03, 0.05}},
    [NMDP_MDP_STABLE] = {5, {0.005, 0.01, 0.02, 0.03, 0.05}},
    [NMDP_NE_ORDER_2] = {5, {0.005, 0.01, 0.02, 0.03, 0.05}},
};
static const jump_steps jump_quick[NMDP_METHOD_COUNT] = {
    [NMDP_NE_MDP] = {3, {0.005, 0.01, 0.02}}, [NMDP_NE_PGM] = {3, {0.005, 0.02, 0.05}},
    [NMDP_NE_ZOPGM] = {2, {0.02, 0.05}},      [NMDP_PBD_PGM] = {3, {0.005, 0.02, 0.05}},
    [NMDP_PBD_ZOPGM] = {2, {0.02, 0.05}},     [NMDP_MDP_STABLE] = {2, {0.02, 0.05}},
    [NMDP_NE_ORDER_2] = {2, {0.02, 0.05}},
};

// What the independent implementation measured; 0: not.
typedef struct jump_measured {
    nmdp_method method;
    double dt, highest, tilt, iterations;
} jump_measured;
static const jump_measured jump_table[] = {
    {NMDP_NE_PGM, 0.001, 1.35, 0, 0},        {NMDP_NE_PGM, 0.005, 1.26, 0.094, 2.3},
    {NMDP_NE_PGM, 0.01, 1.15, 0, 0},         {NMDP_NE_PGM, 0.015, 0, 0.003, 0},
    {NMDP_NE_PGM, 0.02, 1.08, 0.003, 4.2},   {NMDP_NE_PGM, 0.03, 1.03, 0.003, 0},
    {NMDP_NE_PGM, 0.05, 0.96, 0.003, 6.8},   {NMDP_PBD_PGM, 0.001, 1.35, 0, 0},
    {NMDP_PBD_PGM, 0.005, 1.26, 0.033, 2.1}, {NMDP_PBD_PGM, 0.01, 1.17, 0, 0},
    {NMDP_PBD_PGM, 0.015, 0, 0.003, 0},      {NMDP_PBD_PGM, 0.02, 1.09, 0.003, 0},
    {NMDP_PBD_PGM, 0.03, 1.04, 0.003, 0},    {NMDP_PBD_PGM, 0.05, 1.00, 0.003, 6.4},
    {NMDP_NE_ZOPGM, 0.02, 0, 0.0015, 17},    {NMDP_NE_ZOPGM, 0.05, 0, 0.0015, 35},
    {NMDP_PBD_ZOPGM, 0.02, 0, 0.0015, 17},   {NMDP_PBD_ZOPGM, 0.05, 0, 0.0015, 39},
};
static const double jump_limit_height = 1.35; // as dt goes to 0

static double jump_or_none(double value)
{
    return value > 0.0 ? value : NAN;
}

static jump_measured jump_find(nmdp_method method, double dt)
{
    for (size_t i = 0; i < sizeof jump_table / sizeof jump_table[0]; ++i) {
        if (jump_table[i].method == method && jump_table[i].dt == dt) {
            return jump_table[i];
        }
    }
    return (jump_measured){0};
}

// All runs of an experiment.
typedef struct jump_runs {
    jump_steps steps[NMDP_METHOD_COUNT];
    nmdp_result result[NMDP_METHOD_COUNT][JUMP_STEPS];
    nmdp_result reference;         // of second order, with a small step
    nmdp_result cubic[JUMP_STEPS]; // NE-NMDP-PGM, joints from rest to rest between keys
    int cubic_count;
    nmdp_result stiff[4]; // both PGM at 20 and 50 ms on stiff contacts
} jump_runs;

static const double jump_stiff_steps[2] = {0.02, 0.05};

static pawl_status jump_run_stiff(experiment_run *run, double end, nmdp_result stiff[4])
{
    nmdp_task task = {NMDP_ROBOSIMIAN, NMDP_JUMP, end, true};
    EXPERIMENT_TRY(nmdp_sweep(run, &task, NMDP_NE_PGM, jump_stiff_steps, 2, stiff));
    return nmdp_sweep(run, &task, NMDP_PBD_PGM, jump_stiff_steps, 2, stiff + 2);
}

static pawl_status jump_run_all(experiment_run *run, jump_runs *r)
{
    const jump_steps *steps = run->quick ? jump_quick : jump_all;
    nmdp_task task = {NMDP_ROBOSIMIAN, NMDP_JUMP, run->quick ? 2.0 : 10.0, false};
    nmdp_task cubic = {NMDP_ROBOSIMIAN, NMDP_JUMP_CUBIC, task.end, false};
    double fine = run->quick ? 0.002 : 0.0005;
    for (int m = 0; m < NMDP_METHOD_COUNT; ++m) {
        r->steps[m] = steps[m];
        nmdp_expect(run, &task, steps[m].dt, steps[m].count);
    }
    nmdp_expect(run, &task, &fine, 1);
    nmdp_expect(run, &cubic, steps[NMDP_NE_PGM].dt, steps[NMDP_NE_PGM].count);
    nmdp_expect(run, &task, jump_stiff_steps, 2);
    nmdp_expect(run, &task, jump_stiff_steps, 2);
    for (int m = 0; m < NMDP_METHOD_COUNT; ++m) {
        EXPERIMENT_TRY(
            nmdp_sweep(run, &task, (nmdp_method)m, steps[m].dt, steps[m].count, r->result[m]));
    }
    EXPERIMENT_TRY(nmdp_simulate(run, &task, NMDP_NE_ORDER_2, fine, &r->reference));
    EXPERIMENT_TRY(jump_run_stiff(run, task.end, r->stiff));
    r->cubic_count = steps[NMDP_NE_PGM].count;
    return nmdp_sweep(run, &cubic, NMDP_NE_PGM, steps[NMDP_NE_PGM].dt, r->cubic_count, r->cubic);
}

// --- what both show ---------------------------------------------------------------------------------

static void jump_row(pawl_study *study, const char *name, const nmdp_result *r, jump_measured m)
{
    pawl_study_add_words(study, name);
    pawl_study_add_number(study, 1e3 * r->dt);
    pawl_study_add_words(study, nmdp_end_name(r->end));
    bool there = r->end != NMDP_EXPLODES;
    pawl_study_add_number(study, there ? r->highest : NAN);
    pawl_study_add_number(study, jump_or_none(m.highest));
    pawl_study_add_number(study, there ? r->first_peak : NAN);
    pawl_study_add_number(study, there ? r->tilt : NAN);
    pawl_study_add_number(study, jump_or_none(m.tilt));
    pawl_study_add_number(study, r->iterations);
    pawl_study_add_number(study, jump_or_none(m.iterations));
    pawl_study_add_number(study, (double)r->cut_frames);
    pawl_study_add_number(study, there ? 1e3 * r->depth : NAN);
    pawl_study_add_number(study, r->seconds);
}

static void jump_table_of(pawl_study *study, const jump_runs *r)
{
    static const pawl_study_column columns[] = {
        {.name = "method", .words = true},
        {.name = "dt", .unit = "ms", .style = PAWL_NUMBER_GENERAL, .digits = 3},
        {.name = "robot", .words = true},
        {.name = "highest", .unit = "m", .style = PAWL_NUMBER_FIXED, .digits = 2},
        {.name = "measured", .unit = "m", .style = PAWL_NUMBER_FIXED, .digits = 2},
        {.name = "first", .unit = "m", .style = PAWL_NUMBER_FIXED, .digits = 2},
        {.name = "tilt", .unit = "rad", .style = PAWL_NUMBER_FIXED, .digits = 4},
        {.name = "measured", .unit = "rad", .style = PAWL_NUMBER_FIXED, .digits = 4},
        {.name = "iterations", .style = PAWL_NUMBER_FIXED, .digits = 1},
        {.name = "measured", .style = PAWL_NUMBER_FIXED, .digits = 1},
        {.name = "cut", .style = PAWL_NUMBER_FIXED, .digits = 0},
        {.name = "depth", .unit = "mm", .style = PAWL_NUMBER_FIXED, .digits = 1},
        {.name = "took", .unit = "s", .style = PAWL_NUMBER_FIXED, .digits = 2},
    };
    pawl_study_add_table(study, "The jump with every method and step",
                         "Highest torso above the ground in all jumps and in the first one, its "
                         "largest tilt, outer iterations "
                         "a frame, frames that "
                         "Algorithm 2 divided, and how deep a foot sank. Beside them what an "
                         "independent implementation "
                         "measured (tilts of 0.003 and 0.0015 are upper bounds). ZOPGM runs on "
                         "softer ground, 1e6 d^2 "
                         "instead of 1e8 d^3.",
                         columns, (int)(sizeof columns / sizeof columns[0]));
    for (int m = 0; m < NMDP_METHOD_COUNT; ++m) {
        for (int k = 0; k < r->steps[m].count; ++k) {
            const nmdp_result *one = &r->result[m][k];
            jump_row(study, nmdp_method_name((nmdp_method)m), one,
                     jump_find((nmdp_method)m, one->dt));
        }
    }
    for (int k = 0; k < r->cubic_count; ++k) {
        jump_row(study, "NE-NMDP-PGM, cubic", &r->cubic[k], (jump_measured){0});
    }
    jump_row(study, "dt → 0 (order 2)", &r->reference,
             (jump_measured){.highest = jump_limit_height});
}

static void jump_paragraphs(pawl_study *study)
{
    pawl_study_add_paragraph(
        study,
        "Robosimian, kept in a plane, crouches, kicks and lands every two seconds; servos (P 1000, "
        "D 1) follow the targets. Its joints go straight from key to key: with the cubic from rest "
        "to "
        "rest that the data sheet names the kick is 1.5 times as fast and the jump 0.4 m higher "
        "(rows "
        "\"cubic\"), and the measured figures, which all other rows come near, were not made with "
        "it. Consistent is not accurate: implicit Euler takes the more out of a jump the longer "
        "the "
        "step is, so the limit of small steps stands beside it all.");
}

// The largest step with which a method, with that and all smaller ones, does not explode [s].
static double jump_stable(const jump_runs *r, nmdp_method m)
{
    double stable = 0.0;
    for (int k = 0; k < r->steps[m].count && r->result[m][k].end != NMDP_EXPLODES; ++k) {
        stable = r->steps[m].dt[k];
    }
    return stable;
}

static double jump_falls(const jump_runs *r, nmdp_method m)
{
    int falls = 0;
    for (int k = 0; k < r->steps[m].count; ++k) {
        falls += r->result[m][k].end == NMDP_FALLS;
    }
    return (double)falls;
}

static double jump_worst_tilt(const jump_runs *r, nmdp_method m, double from)
{
    double worst = 0.0;
    for (int k = 0; k < r->steps[m].count; ++k) {
        if (r->steps[m].dt[k] >= from) {
            worst =
                fmax(worst, r->result[m][k].end == NMDP_EXPLODES ? INFINITY : r->result[m][k].tilt);
        }
    }
    return worst;
}

static const nmdp_result *jump_at(const jump_runs *r, nmdp_method m, double dt)
{
    for (int k = 0; k < r->steps[m].count; ++k) {
        if (r->steps[m].dt[k] == dt) {
            return &r->result[m][k];
        }
    }
    return NULL;
}

static void jump_plots(pawl_study *study, const jump_runs *r, const char *const titles[],
                       const char *unit, const nmdp_result *reference,
                       const double *(*series)(const nmdp_result *result))
{
    for (int m = 0; m < NMDP_PAPER_METHODS; ++m) {
        nmdp_plot(study, titles[m], unit, r->result[m], r->steps[m].count, reference, series);
    }
}

// --- nmdp-tilt --------------------------------------------------------------------------------------

static void jump_stability_table(pawl_study *study, const jump_runs *r)
{
    static const pawl_study_column columns[] = {
        {.name = "method", .words = true},
        {.name = "stable up to", .unit = "ms", .style = PAWL_NUMBER_GENERAL, .digits = 3},
        {.name = "paper", .unit = "ms", .style = PAWL_NUMBER_GENERAL, .digits = 3},
        {.name = "falls", .style = PAWL_NUMBER_FIXED, .digits = 0},
        {.name = "of", .style = PAWL_NUMBER_FIXED, .digits = 0},
        {.name = "measured", .words = true},
    };
    static const double paper[NMDP_METHOD_COUNT] = {7, 50, 50, 50, 50, NAN, NAN};
    static const char *const measured[NMDP_METHOD_COUNT] = {
        "10; falls at 12 to 15, explodes from 20 on",
        "50",
        "50 with Algorithm 2",
        "50",
        "50 with Algorithm 2",
        "50",
        "-"};
    pawl_study_add_table(
        study, "Stability",
        "The largest of the steps tried with which, and with all smaller ones, it does "
        "not explode; and with how many of them the robot falls on its side. Nothing "
        "balances it: with steps so small that they damp nothing it may fall with any "
        "method.",
        columns, (int)(sizeof columns / sizeof columns[0]));
    for (int m = 0; m < NMDP_METHOD_COUNT; ++m) {
        pawl_study_add_words(study, nmdp_method_name((nmdp_method)m));
        pawl_study_add_number(study, 1e3 * jump_stable(r, (nmdp_method)m));
        pawl_study_add_number(study, paper[m]);
        pawl_study_add_number(study, jump_falls(r, (nmdp_method)m));
        pawl_study_add_number(study, (double)r->steps[m].count);
        pawl_study_add_words(study, measured[m]);
    }
}

// The sentences of "Stability Under Large Timestep Sizes", one after the other. "Severe" and "relatively small" are a
// factor of three between the largest tilts.
static void jump_tilt_sentences(pawl_study *study, const jump_runs *r)
{
    const jump_steps *mdp = &r->steps[NMDP_NE_MDP];
    double beyond = 0.0, cut = 0.0, zeroth_cut = 0.0, tilt[NMDP_METHOD_COUNT], tried = 0.0;
    for (int k = 0; k < mdp->count; ++k) {
        tried = mdp->dt[k] < 0.0075 ? mdp->dt[k] : tried; // 7 ms; a quick look has 5
        beyond += mdp->dt[k] > 0.0075 && r->result[NMDP_NE_MDP][k].end != NMDP_EXPLODES;
    }
    for (int m = 0; m < NMDP_PAPER_METHODS; ++m) {
        bool zeroth = m == NMDP_NE_ZOPGM || m == NMDP_PBD_ZOPGM, first = m == NMDP_NE_MDP;
        tilt[m] = nmdp_worst_tilt(r->result[m], r->steps[m].count, first ? 0.0 : 0.0049,
                                  first ? 0.0075 : 0.05);
        for (int k = 0; k < r->steps[m].count; ++k) {
            bool small = r->steps[m].dt[k] < 0.0049;
            zeroth_cut += zeroth ? (double)r->result[m][k].cut_frames : 0.0;
            cut += zeroth || first || small ? 0.0 : (double)r->result[m][k].cut_frames;
        }
    }
    nmdp_claim(study, "ms", 1e3 * jump_stable(r, NMDP_NE_MDP), PAWL_AT_LEAST, 1e3 * tried,
               "\"NE-MDP is only stable when dt <= 7 ms\": stable up to");
    nmdp_claim(study, NULL, beyond, PAWL_EQUAL, 0.0,
               "\"... explodes under larger dt\": steps above 7 ms that do not");
    nmdp_claim(study, NULL, tilt[NMDP_NE_MDP] / tilt[NMDP_NE_PGM], PAWL_AT_LEAST, 3.0,
               "\"Even when dt <= 7 ms, the tilt angle suffers from severe oscillations\": largest "
               "tilt of "
               "NE-MDP over NE-NMDP-PGM's");
    for (int m = NMDP_NE_ZOPGM; m < NMDP_PAPER_METHODS; ++m) {
        nmdp_claim(study, NULL, tilt[NMDP_NE_MDP] / tilt[m], PAWL_AT_LEAST, 3.0,
                   "\"the oscillations are consistently small\": largest tilt of NE-MDP over %s's",
                   nmdp_method_name((nmdp_method)m));
    }
    nmdp_claim(study, NULL, cut, PAWL_EQUAL, 0.0,
               "\"Algorithm 2 is never needed\" by PGM from 5 to 50 ms: frames that were divided");
    nmdp_claim(study, NULL, zeroth_cut, PAWL_AT_LEAST, 1.0,
               "\"divergence happens in the zero-order case\": frames that were divided");
    nmdp_claim(study, NULL, tilt[NMDP_NE_ZOPGM] / tilt[NMDP_NE_PGM], PAWL_AT_LEAST, 1.0,
               "\"larger tilt angle oscillation in Figure 3 (c)\": largest tilt, ZOPGM over PGM");
    nmdp_claim(study, NULL, tilt[NMDP_PBD_ZOPGM] / tilt[NMDP_PBD_PGM], PAWL_AT_LEAST, 1.0,
               "\"... and (e)\": largest tilt, ZOPGM over PGM");
}

static void jump_tilt_show(pawl_study *study, const jump_runs *r)
{
    static const char *const titles[] = {
        "Figure 3 (a): tilt, NE-MDP", "Figure 3 (b): NE-NMDP-PGM", "Figure 3 (c): NE-NMDP-ZOPGM",
        "Figure 3 (d): PBD-NMDP-PGM", "Figure 3 (e): PBD-NMDP-ZOPGM"};
    jump_paragraphs(study);
    jump_stability_table(study, r);
    jump_table_of(study, r);
    jump_plots(study, r, titles, "rad", NULL, nmdp_angle_of);
    for (int m = NMDP_NE_PGM; m <= NMDP_PBD_ZOPGM; ++m) {
        static const char *const claims[] = {[NMDP_NE_PGM] = "NE-NMDP-PGM is stable up to",
                                             [NMDP_NE_ZOPGM] = "NE-NMDP-ZOPGM is stable up to",
                                             [NMDP_PBD_PGM] = "PBD-NMDP-PGM is stable up to",
                                             [NMDP_PBD_ZOPGM] = "PBD-NMDP-ZOPGM is stable up to"};
        pawl_study_add_claim(study, claims[m], "ms", 1e3 * jump_stable(r, (nmdp_method)m),
                             PAWL_AT_LEAST, 50.0);
    }
    jump_tilt_sentences(study, r);
    pawl_study_add_claim(study, "tilt of NE-NMDP-PGM from 15 ms on", "rad",
                         jump_worst_tilt(r, NMDP_NE_PGM, 0.015), PAWL_AT_MOST, 0.003);
    pawl_study_add_claim(study, "tilt of PBD-NMDP-PGM from 15 ms on", "rad",
                         jump_worst_tilt(r, NMDP_PBD_PGM, 0.015), PAWL_AT_MOST, 0.003);
    pawl_study_add_claim(study, "steps with which the robot falls, NE-NMDP-PGM and PBD-NMDP-PGM",
                         NULL, jump_falls(r, NMDP_NE_PGM) + jump_falls(r, NMDP_PBD_PGM), PAWL_EQUAL,
                         0.0);
    double cut = 0.0;
    for (int m = NMDP_NE_PGM; m <= NMDP_PBD_PGM; m += NMDP_PBD_PGM - NMDP_NE_PGM) {
        cut += (double)(jump_at(r, (nmdp_method)m, 0.02)->cut_frames +
                        jump_at(r, (nmdp_method)m, 0.05)->cut_frames);
    }
    pawl_study_add_claim(study, "frames of both PGM that were divided, at 20 and 50 ms", NULL, cut,
                         PAWL_EQUAL, 0.0);
    double stiff = 0.0, fallen = 0.0;
    for (int k = 0; k < 4; ++k) {
        stiff += (double)r->stiff[k].cut_frames;
        fallen += r->stiff[k].end != NMDP_STANDS ? 1.0 : 0.0;
    }
    pawl_study_add_claim(study, "the same on contacts of 1e10 d^3", NULL, stiff, PAWL_EQUAL, 0.0);
    pawl_study_add_claim(study, "of those four runs, runs in which the robot falls", NULL, fallen,
                         PAWL_EQUAL, 0.0);
}

// --- nmdp-height ------------------------------------------------------------------------------------

// Largest relative distance from what was measured.
static double jump_worst_height(const jump_runs *r, nmdp_method m)
{
    double worst = 0.0;
    for (int k = 0; k < r->steps[m].count; ++k) {
        double measured = jump_find(m, r->steps[m].dt[k]).highest;
        if (measured > 0.0) {
            worst = fmax(worst, fabs(r->result[m][k].highest / measured - 1.0));
        }
    }
    return worst;
}

// The sentences of "Consistent Prediction" about the jump. Periodic: what changes from jump to jump is a tenth of the
// range, and less.
static void jump_height_sentences(pawl_study *study, const jump_runs *r)
{
    double spread[NMDP_PAPER_METHODS], worst = 0.0;
    int jumps = 0;
    const nmdp_result *middle = jump_at(r, NMDP_NE_PGM, 0.02);
    if (middle->time[middle->samples - 1] < 9.99) {
        return; // a quick look has one jump
    }
    for (int i = 1; i + 1 < middle->samples; ++i) {
        double high = 0.5 * (middle->highest + 0.8);
        jumps += middle->height[i - 1] < high && middle->height[i] >= high;
    }
    nmdp_claim(study, NULL, (double)jumps, PAWL_EQUAL, 5.0,
               "\"5 repeated jumping behaviors\": jumps of NE-NMDP-PGM at 20 ms");
    for (int m = 0; m < NMDP_PAPER_METHODS; ++m) {
        const jump_steps *steps = &r->steps[m];
        int first = 0, last = steps->count;
        while (m != NMDP_NE_MDP && steps->dt[first] < 0.0049) {
            ++first;
        }
        while (m == NMDP_NE_MDP && steps->dt[last - 1] > 0.0075) {
            --last;
        }
        spread[m] = nmdp_spread(&r->result[m][first], last - first, nmdp_height_of);
        for (int k = first; k < last && m != NMDP_NE_MDP; ++k) {
            double off = nmdp_period_error(&r->result[m][k], 2.0, nmdp_height_of);
            worst = isnan(off) ? INFINITY : fmax(worst, off);
        }
    }
    nmdp_claim(
        study, "%", 100.0 * worst, PAWL_AT_MOST, 10.0,
        "\"all four NMDP variants can consistently predict a periodic function\" from 5 to 50 ms: "
        "largest change from jump to jump");
    for (int m = NMDP_NE_PGM; m < NMDP_PAPER_METHODS; ++m) {
        nmdp_claim(
            study, NULL, spread[NMDP_NE_MDP] / spread[m], PAWL_AT_LEAST, 1.0,
            "\"With dt <= 7 ms, the trajectories generated by NE-MDP are suffering from relatively "
            "large variations\": spread of NE-MDP over %s's",
            nmdp_method_name((nmdp_method)m));
    }
}

static void jump_height_show(pawl_study *study, const jump_runs *r)
{
    static const char *const titles[] = {"Figure 4 (a): height of the torso, NE-MDP",
                                         "Figure 4 (b): NE-NMDP-PGM", "Figure 4 (c): NE-NMDP-ZOPGM",
                                         "Figure 4 (d): PBD-NMDP-PGM",
                                         "Figure 4 (e): PBD-NMDP-ZOPGM"};
    jump_paragraphs(study);
    jump_table_of(study, r);
    jump_plots(study, r, titles, "m", &r->reference, nmdp_height_of);
    nmdp_plot(study, "Beyond the paper: NE-NMDP of order 2", "m", r->result[NMDP_NE_ORDER_2],
              r->steps[NMDP_NE_ORDER_2].count, &r->reference, nmdp_height_of);
    pawl_study_add_claim(study, "NE-NMDP-PGM: highest torso off what was measured, at most", "%",
                         100.0 * jump_worst_height(r, NMDP_NE_PGM), PAWL_AT_MOST, 10.0);
    pawl_study_add_claim(study, "PBD-NMDP-PGM: highest torso off what was measured, at most", "%",
                         100.0 * jump_worst_height(r, NMDP_PBD_PGM), PAWL_AT_MOST, 10.0);
    jump_height_sentences(study, r);
    // Of the first jump: with small steps later ones begin tilted, each run in its own way.
    double limit = r->reference.first_peak;
    double second = fabs(jump_at(r, NMDP_NE_ORDER_2, 0.02)->first_peak - limit);
    double first = fabs(jump_at(r, NMDP_NE_PGM, 0.005)->first_peak - limit);
    pawl_study_add_claim(study, "first peak of dt → 0 off what was measured", "%",
                         100.0 * fabs(limit / jump_limit_height - 1.0), PAWL_AT_MOST, 10.0);
    pawl_study_add_claim(study,
                         "order 2 at 20 ms: first peak off that of dt → 0, against "
                         "order 1 at 5 ms",
                         "m", second, PAWL_AT_MOST, first);
    for (int k = 0; k < r->steps[NMDP_NE_ORDER_2].count; ++k) {
        const nmdp_result *two = &r->result[NMDP_NE_ORDER_2][k];
        const nmdp_result *one = jump_at(r, NMDP_NE_PGM, two->dt);
        nmdp_claim(study, NULL, fabs(two->first_peak - limit) / fabs(one->first_peak - limit),
                   PAWL_AT_MOST, 1.0,
                   "order 2 over order 1 at %g ms: first peak off that of dt → 0", 1e3 * two->dt);
    }
}

static pawl_status jump_run(experiment_run *run, pawl_study *study,
                            void (*show)(pawl_study *study, const jump_runs *runs))
{
    jump_runs *runs = calloc(1, sizeof *runs);
    if (runs == NULL) {
        return PAWL_NO_MEMORY;
    }
    pawl_status status = jump_run_all(run, runs);
    if (status == PAWL_OK) {
        show(study, runs);
    }
    free(runs);
    return status;
}

static pawl_status jump_run_tilt(experiment_run *run, pawl_study *study)
{
    return jump_run(run, study, jump_tilt_show);
}

static pawl_status jump_run_height(experiment_run *run, pawl_study *study)
{
    return jump_run(run, study, jump_height_show);
}

const experiment experiment_nmdp_tilt = {
    .name = "nmdp-tilt",
    .summary = "A robot jumps: tilt of its torso and steps with which it stands",
    .source = NMDP_SOURCE ". Figure 3",
    .run = jump_run_tilt,
};

const experiment experiment_nmdp_height = {
    .name = "nmdp-height",
    .summary = "A robot jumps: height of its torso with steps of 1 to 50 ms",
    .source = NMDP_SOURCE ". Figure 4",
    .run = jump_run_height,
};
