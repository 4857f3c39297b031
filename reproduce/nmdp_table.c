// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Table I of [pan-hauser-2020]: how much trajectories differ between steps. The paper defines neither its gaits nor
// its measure nor its sets of steps; here the measure is the standard deviation over the runs at each moment,
// mean over time, of series on one grid, and the sets of steps are printed.
#include "nmdp_setup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TABLE_ROWS = 4, TABLE_METHODS = 3, TABLE_STEPS = 5 };
typedef struct table_steps {
    int count;
    double dt[TABLE_STEPS];
} table_steps;

static const nmdp_method table_methods[TABLE_METHODS] = {NMDP_NE_MDP, NMDP_PBD_PGM, NMDP_NE_PGM};
typedef struct table_row {
    const char *name;
    nmdp_robot robot;
    nmdp_motion motion;
    double paper[TABLE_METHODS], measured[TABLE_METHODS];
} table_row;
static const table_row table_rows[TABLE_ROWS] = {
    {"Robosimian-Walk-Dist", NMDP_ROBOSIMIAN, NMDP_WALK, {0.72, 0.25, 0.10}, {0.134, 0.194, 0.178}},
    {"Robosimian-Jump-Height",
     NMDP_ROBOSIMIAN,
     NMDP_JUMP,
     {0.26, 0.01, 0.02},
     {0.042, 0.011, 0.008}},
    {"Spider-Walk-Dist", NMDP_SPIDER, NMDP_WALK, {0.09, 0.09, 0.10}, {NAN, NAN, NAN}},
    {"Spider-Jump-Height", NMDP_SPIDER, NMDP_JUMP, {0.13, 0.04, 0.05}, {NAN, NAN, NAN}},
};
// NE-MDP stands with small steps alone.
static const table_steps table_small = {5, {0.001, 0.002, 0.003, 0.004, 0.005}};
static const table_steps table_large = {5, {0.03, 0.035, 0.04, 0.045, 0.05}};
static const table_steps table_small_quick = {2, {0.004, 0.005}};
static const table_steps table_large_quick = {3, {0.03, 0.04, 0.05}};

// The paper's gaits are not published: the walking rows with three of ours.
enum { TABLE_GAITS = 3 };
static const nmdp_motion table_gaits[TABLE_GAITS] = {NMDP_WALK, NMDP_WALK_SLOW, NMDP_WALK_LOW};
static const char *const table_gait_names[TABLE_GAITS] = {"as above", "half as fast",
                                                          "low, half strides"};

typedef struct table_work {
    nmdp_result result[TABLE_STEPS], reference;
    double spread[TABLE_ROWS][TABLE_METHODS], off[TABLE_ROWS][TABLE_METHODS];
    double gait[NMDP_ROBOT_COUNT][TABLE_GAITS][TABLE_METHODS]; // spread of the distance
} table_work;

static void table_show_gaits(pawl_study *study, const table_work *w)
{
    static const pawl_study_column columns[] = {
        {.name = "robot", .words = true},
        {.name = "gait", .words = true},
        {.name = "NE-MDP", .style = PAWL_NUMBER_FIXED, .digits = 3},
        {.name = "PBD-NMDP", .style = PAWL_NUMBER_FIXED, .digits = 3},
        {.name = "NE-NMDP", .style = PAWL_NUMBER_FIXED, .digits = 3},
        {.name = "PBD over MDP", .style = PAWL_NUMBER_FIXED, .digits = 2},
        {.name = "NE over MDP", .style = PAWL_NUMBER_FIXED, .digits = 2},
    };
    static const char *const robots[] = {"Robosimian", "Spider"};
    pawl_study_add_table(study, "The walking rows depend on the gait",
                         "The same measure for other gaits of ours; the paper's are not published.",
                         columns, (int)(sizeof columns / sizeof columns[0]));
    for (int robot = 0; robot < NMDP_ROBOT_COUNT; ++robot) {
        double low = INFINITY, high = 0.0;
        for (int g = 0; g < TABLE_GAITS; ++g) {
            const double *spread = w->gait[robot][g];
            pawl_study_add_words(study, robots[robot]);
            pawl_study_add_words(study, table_gait_names[g]);
            for (int m = 0; m < TABLE_METHODS; ++m) {
                pawl_study_add_number(study, spread[m]);
            }
            pawl_study_add_number(study, spread[1] / spread[0]);
            pawl_study_add_number(study, spread[2] / spread[0]);
            low = fmin(low, spread[2] / spread[0]);
            high = fmax(high, spread[2] / spread[0]);
        }
        nmdp_claim(
            study, NULL, high / low, PAWL_AT_LEAST, 2.0,
            "%s-Walk-Dist depends on the gait: NE-NMDP over NE-MDP, largest over smallest of %d "
            "gaits",
            robots[robot], (int)TABLE_GAITS);
    }
}

static void table_show(pawl_study *study, const table_work *w, const table_steps *small,
                       const table_steps *large)
{
    static const pawl_study_column columns[] = {
        {.name = "quantity [m]", .words = true},
        {.name = "NE-MDP", .style = PAWL_NUMBER_FIXED, .digits = 3},
        {.name = "paper", .style = PAWL_NUMBER_FIXED, .digits = 2},
        {.name = "measured", .style = PAWL_NUMBER_FIXED, .digits = 3},
        {.name = "PBD-NMDP", .style = PAWL_NUMBER_FIXED, .digits = 3},
        {.name = "paper", .style = PAWL_NUMBER_FIXED, .digits = 2},
        {.name = "measured", .style = PAWL_NUMBER_FIXED, .digits = 3},
        {.name = "NE-NMDP", .style = PAWL_NUMBER_FIXED, .digits = 3},
        {.name = "paper", .style = PAWL_NUMBER_FIXED, .digits = 2},
        {.name = "measured", .style = PAWL_NUMBER_FIXED, .digits = 3},
    };
    char note[400], one[80], two[80];
    snprintf(note, sizeof note,
             "Standard deviation over the runs at each moment, mean over time. NE-MDP with %s, the "
             "others "
             "with %s. Measured: with an independent implementation, and a gait of its own.",
             nmdp_steps_text(small->dt, small->count, one, sizeof one),
             nmdp_steps_text(large->dt, large->count, two, sizeof two));
    pawl_study_add_table(study, "Table I", note, columns,
                         (int)(sizeof columns / sizeof columns[0]));
    for (int i = 0; i < TABLE_ROWS; ++i) {
        pawl_study_add_words(study, table_rows[i].name);
        for (int m = 0; m < TABLE_METHODS; ++m) {
            pawl_study_add_number(study, w->spread[i][m]);
            pawl_study_add_number(study, table_rows[i].paper[m]);
            pawl_study_add_number(study, table_rows[i].measured[m]);
        }
    }
    static const pawl_study_column against[] = {
        {.name = "quantity [m]", .words = true},
        {.name = "NE-MDP", .style = PAWL_NUMBER_FIXED, .digits = 3},
        {.name = "PBD-NMDP", .style = PAWL_NUMBER_FIXED, .digits = 3},
        {.name = "NE-NMDP", .style = PAWL_NUMBER_FIXED, .digits = 3},
    };
    pawl_study_add_table(
        study, "Consistent is not accurate: distance from dt → 0",
        "Mean over time and runs of the distance from the run of order 2 with a step of "
        "1 ms (quick: 5 ms); of Robosimian it falls in a late jump.",
        against, 4);
    for (int i = 0; i < TABLE_ROWS; ++i) {
        pawl_study_add_words(study, table_rows[i].name);
        for (int m = 0; m < TABLE_METHODS; ++m) {
            pawl_study_add_number(study, w->off[i][m]);
        }
    }
    pawl_study_add_claim(study, "Robosimian-Jump-Height with PBD-NMDP", "m", w->spread[1][1],
                         PAWL_AT_MOST, 0.02);
    pawl_study_add_claim(study, "Robosimian-Jump-Height with NE-NMDP", "m", w->spread[1][2],
                         PAWL_AT_MOST, 0.02);
    // Every cell: within a factor of two of the paper, whose measure is not defined.
    for (int i = 0; i < TABLE_ROWS; ++i) {
        for (int m = 0; m < TABLE_METHODS; ++m) {
            double off = w->spread[i][m] / table_rows[i].paper[m];
            nmdp_claim(study, NULL, fmax(off, 1.0 / off), PAWL_AT_MOST, 2.0,
                       "%s with %s: factor to the paper's %.2f m", table_rows[i].name,
                       nmdp_method_name(table_methods[m]), table_rows[i].paper[m]);
        }
    }
    // The order of every row as the paper has it, against its first method.
    for (int i = 0; i < TABLE_ROWS; ++i) {
        for (int m = 1; m < TABLE_METHODS; ++m) {
            if (table_rows[i].paper[m] == table_rows[i].paper[0]) {
                continue;
            }
            char name[120];
            snprintf(name, sizeof name, "%s: spread of %s over that of %s, as in the paper",
                     table_rows[i].name, nmdp_method_name(table_methods[m]),
                     nmdp_method_name(table_methods[0]));
            bool less = table_rows[i].paper[m] < table_rows[i].paper[0];
            pawl_study_add_claim(study, name, NULL, w->spread[i][m] / w->spread[i][0],
                                 less ? PAWL_AT_MOST : PAWL_AT_LEAST, 1.0);
        }
    }
}

// Mean distance of runs from a reference.
static double table_off(const nmdp_result *results, int count, const nmdp_result *reference,
                        const double *(*series)(const nmdp_result *result))
{
    double sum = 0.0;
    int runs = 0;
    for (int k = 0; k < count; ++k) {
        if (results[k].end != NMDP_EXPLODES && reference->end != NMDP_EXPLODES) {
            ++runs;
            for (int i = 0; i < NMDP_SAMPLES; ++i) {
                sum += fabs(series(&results[k])[i] - series(reference)[i]) / NMDP_SAMPLES;
            }
        }
    }
    return runs > 0 ? sum / runs : NAN;
}

static pawl_status table_run_all(experiment_run *run, pawl_study *study, table_work *w)
{
    const table_steps *small = run->quick ? &table_small_quick : &table_small;
    const table_steps *large = run->quick ? &table_large_quick : &table_large;
    double fine = run->quick ? 0.005 : 0.001;
    nmdp_task task = {.end = run->quick ? 2.0 : 10.0};
    for (int i = 0; i < TABLE_ROWS + NMDP_ROBOT_COUNT * (TABLE_GAITS - 1); ++i) {
        nmdp_expect(run, &task, small->dt, small->count);
        nmdp_expect(run, &task, large->dt, large->count);
        nmdp_expect(run, &task, large->dt, large->count);
        nmdp_expect(run, &task, &fine, 1);
    }
    for (int i = 0; i < TABLE_ROWS; ++i) {
        task.robot = table_rows[i].robot;
        task.motion = table_rows[i].motion;
        const double *(*series)(const nmdp_result *) =
            task.motion == NMDP_WALK ? nmdp_x_of : nmdp_height_of;
        EXPERIMENT_TRY(nmdp_simulate(run, &task, NMDP_NE_ORDER_2, fine, &w->reference));
        for (int m = 0; m < TABLE_METHODS; ++m) {
            const table_steps *steps = table_methods[m] == NMDP_NE_MDP ? small : large;
            EXPERIMENT_TRY(
                nmdp_sweep(run, &task, table_methods[m], steps->dt, steps->count, w->result));
            w->spread[i][m] = nmdp_spread(w->result, steps->count, series);
            w->off[i][m] = table_off(w->result, steps->count, &w->reference, series);
            char title[100];
            snprintf(title, sizeof title, "%s, %s", table_rows[i].name,
                     nmdp_method_name(table_methods[m]));
            nmdp_plot(study, title, "m", w->result, steps->count, &w->reference, series);
        }
    }
    for (int robot = 0; robot < NMDP_ROBOT_COUNT; ++robot) {
        for (int g = 0; g < TABLE_GAITS; ++g) {
            nmdp_task walk = {(nmdp_robot)robot, table_gaits[g], task.end, false};
            for (int m = 0; m < TABLE_METHODS; ++m) {
                const table_steps *steps = table_methods[m] == NMDP_NE_MDP ? small : large;
                if (g == 0) {
                    w->gait[robot][g][m] = w->spread[2 * robot][m];
                    continue;
                }
                EXPERIMENT_TRY(
                    nmdp_sweep(run, &walk, table_methods[m], steps->dt, steps->count, w->result));
                w->gait[robot][g][m] = nmdp_spread(w->result, steps->count, nmdp_x_of);
            }
        }
    }
    table_show(study, w, small, large);
    table_show_gaits(study, w);
    return PAWL_OK;
}

static pawl_status table_run(experiment_run *run, pawl_study *study)
{
    table_work *work = calloc(1, sizeof *work);
    if (work == NULL) {
        return PAWL_NO_MEMORY;
    }
    pawl_status status = table_run_all(run, study, work);
    free(work);
    return status;
}

const experiment experiment_nmdp_table = {
    .name = "nmdp-table1",
    .summary = "Robots walk and jump: how much trajectories differ between steps",
    .source = NMDP_SOURCE ". Table I",
    .run = table_run,
};
