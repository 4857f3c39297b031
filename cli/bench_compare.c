// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Regressions are found by instruction counts (callgrind), iterations and residuals, none of which depends on the
// load of the machine. Seconds are not compared.
#include "bench_compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMPARE_PER_CATEGORY = 2, COMPARE_SHOWN = 12 };
static const double compare_slower = 1.02; // instructions: a regression beyond this
static const double compare_accuracy = 1e-6;

// ---- Counting ------------------------------------------------------------------------------------

// "pawl solve" under callgrind, collecting in the solver alone; -1 where that fails.
static double compare_callgrind(const char *program, const char *samples_path, int sample,
                                const bench_entry *entry, const bench_options *options)
{
    char kind[40], command[4096];
    snprintf(kind, sizeof kind, "%s", entry->name);
    kind[strcspn(kind, "/")] = '\0';
    int length = snprintf(command, sizeof command,
                          "valgrind --tool=callgrind --callgrind-out-file=/dev/null "
                          "--toggle-collect=pawl_sample_solver_run '%s' solve '%s' --sample %d "
                          "--solver %s --set solver.variant=%s --tol %.17g --max-iterations %d "
                          "--quiet 2>&1 >/dev/null",
                          program, samples_path, sample, kind, entry->paper ? "paper" : "own",
                          options->tolerance, options->max_iterations);
    if (length >= (int)sizeof command || strchr(program, '\'') != NULL ||
        strchr(samples_path, '\'') != NULL) {
        return -1.0;
    }
    FILE *pipe = popen(command, "r");
    char line[512];
    double count = -1.0;
    while (pipe != NULL && fgets(line, sizeof line, pipe) != NULL) {
        const char *found = strstr(line, "Collected :");
        count = found != NULL ? strtod(found + strlen("Collected :"), NULL) : count;
    }
    if (pipe != NULL) {
        (void)pclose(pipe);
    }
    return count;
}

// The first samples of each category: `chosen` has room for some of each.
static int compare_choose(const bench_data *d, int *chosen)
{
    int count = 0;
    for (int c = 0; c < PAWL_SAMPLE_CATEGORY_COUNT; ++c) {
        int taken = 0, members = 0, step;
        for (int i = 0; i < d->sample_count; ++i) {
            members += bench_is_done(d, i) && (int)d->samples[i].properties.category == c ? 1 : 0;
        }
        step = members / COMPARE_PER_CATEGORY > 0 ? members / COMPARE_PER_CATEGORY : 1;
        for (int i = 0, k = 0; i < d->sample_count && taken < COMPARE_PER_CATEGORY; ++i) {
            if (bench_is_done(d, i) && (int)d->samples[i].properties.category == c &&
                k++ % step == 0) {
                chosen[count++] = i;
                ++taken;
            }
        }
    }
    return count;
}

bool bench_count_instructions(console *con, const char *samples_path, bench_data *d)
{
    char program[1024];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0 || system("valgrind --version >/dev/null 2>&1") != 0) {
        console_error(con, "--count needs valgrind");
        return false;
    }
    program[length] = '\0';
    int chosen[COMPARE_PER_CATEGORY * PAWL_SAMPLE_CATEGORY_COUNT];
    int samples = compare_choose(d, chosen);
    free(d->counts);
    d->counts = calloc((size_t)(samples * d->entries.count) + 1, sizeof *d->counts);
    d->count_count = 0;
    for (int k = 0; k < samples && d->counts != NULL; ++k) {
        for (int e = 0; e < d->entries.count; ++e) {
            if (bench_cell_at(d, chosen[k], e)->done != 1) {
                continue;
            }
            double count = compare_callgrind(program, samples_path, chosen[k], &d->entries.list[e],
                                             &d->options);
            if (count >= 0.0) {
                d->counts[d->count_count++] = (bench_count){chosen[k], e, count};
            }
        }
        console_note(con, "instructions: %d of %d samples", k + 1, samples);
    }
    return d->counts != NULL;
}

// ---- Comparing -----------------------------------------------------------------------------------

static int compare_entry(const bench_data *d, const char *name)
{
    for (int e = 0; e < d->entries.count; ++e) {
        if (strcmp(d->entries.list[e].name, name) == 0) {
            return e;
        }
    }
    return -1;
}

static int compare_sample(const bench_data *d, const bench_sample *s, int near)
{
    for (int k = 0; k < d->sample_count; ++k) { // mostly at the same place
        int i = (near + k) % d->sample_count;
        const bench_sample *x = &d->samples[i];
        if (x->step == s->step && x->rows == s->rows && strcmp(x->system, s->system) == 0 &&
            strcmp(x->scenario, s->scenario) == 0) {
            return i;
        }
    }
    return -1;
}

typedef struct compare_sum {
    int both, lost, won;          // samples in both; solved before and not now, and the reverse
    double iterations, logarithm; // sums: of log ratios
    int counted;
    double instructions, worst; // sum of log ratios; the worst ratio
} compare_sum;

static void compare_cells(const bench_data *old, const bench_data *fresh, int from, int to,
                          compare_sum *sum)
{
    for (int i = 0; i < fresh->sample_count; ++i) {
        int k = compare_sample(old, &fresh->samples[i], i);
        if (k < 0) {
            continue;
        }
        const bench_cell *a = bench_cell_at(old, k, from), *b = bench_cell_at(fresh, i, to);
        if (a->done != 1 || b->done != 1) {
            continue;
        }
        bool before = a->scaled <= compare_accuracy, now = b->scaled <= compare_accuracy;
        sum->both += 1;
        sum->lost += before && !now ? 1 : 0;
        sum->won += now && !before ? 1 : 0;
        sum->logarithm += log((b->iterations + 1.0) / (a->iterations + 1.0));
    }
}

static void compare_counts(const bench_data *old, const bench_data *fresh, int from, int to,
                           compare_sum *sum)
{
    for (int x = 0; x < fresh->count_count; ++x) {
        const bench_count *b = &fresh->counts[x];
        for (int y = 0; y < old->count_count && b->entry == to; ++y) {
            const bench_count *a = &old->counts[y];
            const bench_sample *s = &old->samples[a->sample], *t = &fresh->samples[b->sample];
            if (a->entry == from && s->step == t->step && s->rows == t->rows &&
                strcmp(s->system, t->system) == 0 && strcmp(s->scenario, t->scenario) == 0 &&
                a->instructions > 0.0) {
                double ratio = b->instructions / a->instructions;
                sum->counted += 1;
                sum->instructions += log(ratio);
                sum->worst = fmax(sum->worst, ratio);
            }
        }
    }
}

int bench_compare(const bench_data *old, const bench_data *fresh)
{
    int regressions = 0;
    printf("%-22s %8s %6s %6s %11s %13s %7s %6s\n", "solver", "samples", "lost", "won",
           "iterations", "instructions", "worst", "on");
    for (int e = 0; e < fresh->entries.count; ++e) {
        int from = compare_entry(old, fresh->entries.list[e].name);
        if (from < 0) {
            printf("%-22s new\n", fresh->entries.list[e].name);
            continue;
        }
        compare_sum sum = {0};
        compare_cells(old, fresh, from, e, &sum);
        compare_counts(old, fresh, from, e, &sum);
        double iterations = sum.both > 0 ? exp(sum.logarithm / sum.both) : NAN;
        double ratio = sum.counted > 0 ? exp(sum.instructions / sum.counted) : NAN;
        bool worse = sum.lost > sum.won || ratio > compare_slower;
        regressions += worse ? 1 : 0;
        printf("%-22s %8d %6d %6d %11.3f %13.3f %7.3f %6d%s\n", fresh->entries.list[e].name,
               sum.both, sum.lost, sum.won, iterations, ratio, sum.counted > 0 ? sum.worst : NAN,
               sum.counted, worse ? "  REGRESSION" : "");
    }
    printf("\nlost, won: samples solved to %g before and not now, and the reverse. Ratios are new "
           "/ old, geometric means.\n",
           compare_accuracy);
    if (old->count_count == 0 || fresh->count_count == 0) {
        printf("No instructions are compared: run both with --count (valgrind).\n");
    }
    return regressions;
}
