// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A solver runs three times on a sample, always from zero: watched, for its history and to find the structure of its factors;
// timed, repeatedly if that is short, with the shortest time used; and on some samples with v_f changed by 1e-6, for
// the sensitivity of the solution. The solutions do not depend on the clock, so results are the same for any number
// of threads and ranks.
#include "bench_matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pawl/solve.h"
#include "setting_args.h"
#include "timing.h"

static const double matrix_again = 2e-3;  // shorter solves are timed once more [s]
static const double matrix_change = 1e-6; // of v_f, relative
enum { MATRIX_MOST_TIMES = 3 };

// ---- Entries -------------------------------------------------------------------------------------

static bool entries_add(bench_entries *out, int kind, bool paper)
{
    for (int i = 0; i < out->count; ++i) {
        if (out->list[i].kind == kind && out->list[i].paper == paper) {
            return true;
        }
    }
    if (out->count == BENCH_MAX_ENTRIES) {
        return false;
    }
    bench_entry *e = &out->list[out->count++];
    *e = (bench_entry){.kind = kind, .paper = paper};
    snprintf(e->name, sizeof e->name, "%s%s", pawl_solver_name(kind), paper ? "/paper" : "");
    return true;
}

static bool entries_add_all(bench_entries *out, bool own, bool published)
{
    bool done = true;
    for (int kind = 0; pawl_solver_name(kind) != NULL; ++kind) {
        done = done && (!own || entries_add(out, kind, false));
    }
    for (int kind = 0; pawl_solver_name(kind) != NULL; ++kind) {
        done =
            done && (!published || !pawl_solver_is_published(kind) || entries_add(out, kind, true));
    }
    return done;
}

bool bench_entries_read(console *con, const char *words, bench_entries *out)
{
    char word[64];
    out->count = 0;
    while (setting_args_next_word(&words, word, sizeof word)) {
        bool all = strcmp(word, "all") == 0;
        if (all || strcmp(word, "own") == 0 || strcmp(word, "published") == 0) {
            (void)entries_add_all(out, all || word[0] == 'o', all || word[0] == 'p');
            continue;
        }
        char *slash = strchr(word, '/');
        bool paper = slash != NULL && strcmp(slash, "/paper") == 0;
        if (paper) {
            *slash = '\0';
        }
        int kind = pawl_solver_find_kind(word);
        if (kind < 0 || (paper && !pawl_solver_is_published(kind))) {
            console_error(con,
                          "--solvers: got '%s%s', expected all, own, published, or names of 'pawl "
                          "list solvers', with /paper for a published one",
                          word, paper ? "/paper" : "");
            return false;
        }
        (void)entries_add(out, kind, paper);
    }
    if (out->count == 0) {
        console_error(con, "--solvers names none");
    }
    return out->count > 0;
}

pawl_settings bench_entry_settings(const bench_entry *entry, const bench_options *options)
{
    pawl_settings settings = pawl_settings_default();
    settings.solver.kind = (pawl_solver_kind)entry->kind;
    settings.solver.variant = entry->paper ? PAWL_VARIANT_PAPER : PAWL_VARIANT_OWN;
    settings.solver.tolerance = options->tolerance;
    settings.solver.max_iterations = options->max_iterations;
    return settings;
}

// ---- One cell ------------------------------------------------------------------------------------

static void matrix_watch(void *user, int iteration, const pawl_residual *residual)
{
    bench_cell *cell = user;
    double level = 0.1;
    for (int k = 0; k < BENCH_DECADES; ++k, level *= 0.1) {
        if (cell->reach[k] == 0 && residual->natural_scaled <= level) {
            cell->reach[k] = iteration;
        }
    }
}

// An iteration may be within an accuracy that the answer is not (recovered joints add to it), or the history may have
// none of them (Newton, pivoting): the answer decides, with all iterations.
static void matrix_settle_history(bench_cell *cell, int watched)
{
    double level = 0.1;
    for (int k = 0; k < BENCH_DECADES; ++k, level *= 0.1) {
        if (cell->scaled <= level && cell->reach[k] == 0) {
            cell->reach[k] = cell->iterations > 0 ? cell->iterations : 1;
        }
        if (watched > 0 && cell->reach[k] > cell->iterations) {
            cell->reach[k] = cell->iterations;
        }
    }
}

static void matrix_take(bench_cell *cell, const pawl_sample_result *r)
{
    cell->done = 1;
    cell->outcome = (int)r->outcome;
    cell->iterations = r->iterations;
    cell->factorizations = r->factorizations;
    cell->primal = r->residual.primal;
    cell->dual = r->residual.dual;
    cell->complementarity = r->residual.complementarity;
    cell->natural = r->residual.natural;
    cell->scaled = r->residual.natural_scaled;
    cell->own = r->own_residual;
    cell->penetration = r->penetration;
}

typedef struct matrix_work {
    double *lambda, *again, *v_f, *before; // (rows)
} matrix_work;

// v_f changed by 1e-6 of its largest entry, up and down in a fixed pattern; returns the size of the change.
static double matrix_perturb(const pawl_sample_data *d, double *v_f)
{
    double most = 0.0;
    for (int i = 0; i < d->row_count; ++i) {
        most = fmax(most, fabs(d->v_f[i]));
    }
    double change = matrix_change * (most > 0.0 ? most : 1.0);
    for (int i = 0; i < d->row_count; ++i) {
        // Joints stay as they are: a redundant loop has no answer to a change of its own.
        bool kept = d->kind[i] == PAWL_SAMPLE_JOINT;
        v_f[i] = d->v_f[i] + (kept ? 0.0 : ((i * 7 + 3) % 5 - 2) * 0.5 * change);
    }
    return change;
}

static pawl_status matrix_time(pawl_sample_solver *solver, const pawl_sample_data *d,
                               double *lambda, bench_cell *cell)
{
    pawl_status status = PAWL_OK;
    cell->seconds = INFINITY;
    for (int k = 0; k < MATRIX_MOST_TIMES && status == PAWL_OK; ++k) {
        pawl_sample_result result;
        memset(lambda, 0, (size_t)d->row_count * sizeof *lambda);
        double begun = timing_processor();
        status = pawl_sample_solver_run(solver, NULL, NULL, NULL, lambda, &result);
        double seconds = timing_processor() - begun;
        cell->seconds = fmin(cell->seconds, seconds);
        if (seconds > matrix_again) {
            break;
        }
    }
    return status;
}

// Whether two samples are successive steps with the same rows.
static bool matrix_is_successive(const pawl_sample_data *a, const pawl_sample_data *b)
{
    return strcmp(a->system, b->system) == 0 && strcmp(a->scenario, b->scenario) == 0 &&
           a->step + 1 == b->step && a->row_count == b->row_count &&
           a->contact_count == b->contact_count && a->block_count == b->block_count &&
           memcmp(a->kind, b->kind, (size_t)a->row_count * sizeof *a->kind) == 0;
}

// The change of the solutions from one step to the next, which appears as a jerk.
static pawl_status matrix_jump(const pawl_env *env, const pawl_sample *before,
                               const pawl_settings *settings, pawl_sample_solver *solver,
                               const double *lambda, double *scratch, double *jump)
{
    pawl_sample_solver *other = NULL;
    pawl_sample_result result;
    pawl_status status = pawl_sample_solver_create(env, before, settings, &other);
    if (status == PAWL_OK) {
        memset(scratch, 0, (size_t)pawl_sample_get(before)->row_count * sizeof *scratch);
        status = pawl_sample_solver_run(other, NULL, NULL, NULL, scratch, &result);
    }
    if (status == PAWL_OK) {
        *jump = pawl_sample_solver_distance(solver, lambda, scratch);
    }
    pawl_sample_solver_destroy(other);
    return status;
}

static pawl_status matrix_measure(const pawl_env *env, const pawl_sample *sample,
                                  const pawl_sample *before, bool perturb,
                                  const pawl_settings *settings, pawl_sample_solver *solver,
                                  matrix_work *w, bench_cell *cell)
{
    const pawl_sample_data *d = pawl_sample_get(sample);
    size_t bytes = (size_t)d->row_count * sizeof *w->lambda;
    pawl_sample_result result;
    memset(w->lambda, 0, bytes);
    pawl_status status =
        pawl_sample_solver_run(solver, NULL, matrix_watch, cell, w->lambda, &result);
    if (status != PAWL_OK) {
        return status;
    }
    int watched = cell->reach[0];
    matrix_take(cell, &result);
    matrix_settle_history(cell, watched);
    status = matrix_time(solver, d, w->again, cell);
    if (status == PAWL_OK && perturb) {
        double change = matrix_perturb(d, w->v_f);
        memset(w->again, 0, bytes);
        status = pawl_sample_solver_run(solver, w->v_f, NULL, NULL, w->again, &result);
        cell->sensitivity = pawl_sample_solver_distance(solver, w->lambda, w->again) / change;
    }
    if (status == PAWL_OK && perturb && before != NULL &&
        matrix_is_successive(pawl_sample_get(before), d)) {
        status = matrix_jump(env, before, settings, solver, w->lambda, w->before, &cell->jump);
    }
    return status;
}

static pawl_status matrix_cell(const pawl_env *env, const pawl_sample *sample,
                               const pawl_sample *before, bool perturb, const bench_entry *entry,
                               const bench_options *options, matrix_work *w, bench_cell *cell)
{
    const pawl_sample_data *d = pawl_sample_get(sample);
    pawl_settings settings = bench_entry_settings(entry, options);
    *cell = (bench_cell){.done = 2, .seconds = NAN, .sensitivity = NAN, .jump = NAN};
    if (d->contact_count > 0 && !pawl_solver_takes_contacts(entry->kind)) {
        return PAWL_OK;
    }
    pawl_sample_solver *solver = NULL;
    pawl_status status = pawl_sample_solver_create(env, sample, &settings, &solver);
    if (status == PAWL_OK) {
        status = matrix_measure(env, sample, before, perturb, &settings, solver, w, cell);
    }
    pawl_sample_solver_destroy(solver);
    return status;
}

pawl_status bench_solve_sample(const pawl_env *env, const pawl_sample *sample,
                               const pawl_sample *before, bool perturb,
                               const bench_entries *entries, const bench_options *options,
                               bench_cell *row)
{
    size_t rows = (size_t)pawl_sample_get(sample)->row_count;
    double *block = calloc(4 * rows + 1, sizeof *block);
    if (block == NULL) {
        return PAWL_NO_MEMORY;
    }
    matrix_work w = {block, block + rows, block + 2 * rows, block + 3 * rows};
    pawl_status status = PAWL_OK;
    for (int i = 0; i < entries->count && status == PAWL_OK; ++i) {
        status = matrix_cell(env, sample, before, perturb, &entries->list[i], options, &w, &row[i]);
    }
    free(block);
    return status;
}

double bench_time_to(const bench_cell *cell, int decade)
{
    int reach = cell->done == 1 ? cell->reach[decade - 1] : 0;
    if (reach == 0) {
        return INFINITY;
    }
    return cell->seconds * (cell->iterations > 0 ? (double)reach / cell->iterations : 1.0);
}
