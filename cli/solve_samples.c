// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// One row of a table for each sample and solver, judged as steps of a simulation are: by the scaled natural map of the law
// that the solver follows. The residuals of Coulomb's law are in the JSON, with their history by iteration on
// request.
#include "solve_samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "timing.h"

typedef struct samples_work {
    console *con;
    const solve_samples_request *request;
    FILE *to;
    json_t *samples;
    int *solved, *tried; // by solver
    double *seconds;
} samples_work;

static json_t *samples_json_residual(const pawl_residual *r)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "primal", json_out_number(r->primal), "dual",
                     json_out_number(r->dual), "complementarity",
                     json_out_number(r->complementarity), "natural", json_out_number(r->natural),
                     "natural_scaled", json_out_number(r->natural_scaled));
}

// [iteration, primal, dual, complementarity, natural, natural_scaled]
static void samples_watch(void *user, int iteration, const pawl_residual *r)
{
    json_array_append_new(
        user, json_pack("[i, o, o, o, o, o]", iteration, json_out_number(r->primal),
                        json_out_number(r->dual), json_out_number(r->complementarity),
                        json_out_number(r->natural), json_out_number(r->natural_scaled)));
}

static json_t *samples_json_result(int kind, const pawl_sample_result *r, double seconds,
                                   json_t *history)
{
    static const char *const outcomes[] = {"converged", "iteration limit", "stalled"};
    json_t *out = json_pack(
        "{s:o, s:b, s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o}", //
        "solver", json_out_text(pawl_solver_name(kind)), "solved", r->outcome == PAWL_CONVERGED,
        "outcome", outcomes[r->outcome], "iterations", r->iterations, "factorizations",
        r->factorizations, "seconds", json_out_number(seconds), "residual",
        samples_json_residual(&r->residual), "own_residual", json_out_number(r->own_residual),
        "penetration", json_out_number(r->penetration), "energy", json_out_number(r->energy));
    if (history != NULL) {
        json_object_set(out, "history", history);
    }
    return out;
}

static json_t *samples_json_properties(const pawl_sample_properties *p)
{
    return json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o}", //
                     "category", pawl_sample_category_name((int)p->category), "bodies", p->bodies,
                     "joint_rows", p->joint_rows, "limit_rows", p->limit_rows, "rank", p->rank,
                     "joint_rank", p->joint_rank, "hyperstaticity", p->hyperstaticity,
                     "joint_density", json_out_number(p->joint_density), "contact_density",
                     json_out_number(p->contact_density), "density", json_out_number(p->density),
                     "condition", json_out_number(p->condition), "mass_ratio",
                     json_out_number(p->mass_ratio));
}

static void samples_row(const samples_work *w, int index, const pawl_sample_data *d, int kind,
                        const pawl_sample_result *r, double seconds)
{
    fprintf(w->to, "%6d %-14s %-9s %5d %8d  %-13s %10d %10.3f  %8.1e %8.1e  %s\n", index, d->system,
            d->scenario, d->row_count, d->contact_count, pawl_solver_name(kind), r->iterations,
            1e3 * seconds, r->residual.natural_scaled, r->own_residual,
            r->outcome == PAWL_CONVERGED ? "yes" : "no");
}

static pawl_status samples_solve(samples_work *w, const pawl_sample *sample, int index, int k,
                                 json_t *results)
{
    const solve_samples_request *q = w->request;
    const pawl_sample_data *d = pawl_sample_get(sample);
    pawl_settings settings = q->settings;
    settings.solver.kind = (pawl_solver_kind)q->kinds[k];
    if (d->contact_count > 0 && !pawl_solver_takes_contacts(q->kinds[k])) {
        return PAWL_OK;
    }
    pawl_sample_solver *solver = NULL;
    double *lambda = calloc((size_t)d->row_count + 1, sizeof *lambda);
    json_t *history = q->history ? json_array() : NULL;
    pawl_status status = lambda == NULL
                             ? PAWL_NO_MEMORY
                             : pawl_sample_solver_create(&w->con->env, sample, &settings, &solver);
    pawl_sample_result result;
    if (status == PAWL_OK) {
        memcpy(lambda, d->start, q->warm ? (size_t)d->row_count * sizeof *lambda : 0);
        double begun = timing_processor();
        status = pawl_sample_solver_run(solver, NULL, q->history ? samples_watch : NULL, history,
                                        lambda, &result);
        double seconds = timing_processor() - begun;
        if (status == PAWL_OK) {
            w->tried[k] += 1;
            w->solved[k] += result.outcome == PAWL_CONVERGED ? 1 : 0;
            w->seconds[k] += seconds;
            samples_row(w, index, d, q->kinds[k], &result, seconds);
            json_array_append_new(results,
                                  samples_json_result(q->kinds[k], &result, seconds, history));
        }
    }
    json_decref(history);
    pawl_sample_solver_destroy(solver);
    free(lambda);
    return status;
}

static pawl_status samples_one(samples_work *w, pawl_sample_file *file, int index)
{
    pawl_sample *sample = NULL;
    pawl_sample_properties properties;
    pawl_status status = pawl_sample_file_read(file, index, &sample);
    status = status == PAWL_OK ? pawl_sample_measure(&w->con->env, sample, &properties) : status;
    json_t *results = json_array();
    for (int k = 0; k < w->request->kind_count && status == PAWL_OK; ++k) {
        status = samples_solve(w, sample, index, k, results);
    }
    if (status == PAWL_OK) {
        const pawl_sample_data *d = pawl_sample_get(sample);
        json_array_append_new(w->samples,
                              json_pack("{s:i, s:o, s:o, s:I, s:o, s:i, s:i, s:o, s:O}", "index",
                                        index, "system", json_out_text(d->system), "scenario",
                                        json_out_text(d->scenario), "step", (json_int_t)d->step,
                                        "time", json_out_number(d->time), "rows", d->row_count,
                                        "contacts", d->contact_count, "properties",
                                        samples_json_properties(&properties), "results", results));
    }
    json_decref(results);
    pawl_sample_destroy(sample);
    return status;
}

static pawl_status samples_all(samples_work *w, pawl_sample_file *file)
{
    int count = pawl_sample_file_count(file), first = w->request->sample;
    if (first >= count) {
        console_error(w->con, "--sample %d, expected 0 to %d: '%s' has %d samples", first,
                      count - 1, w->request->path, count);
        return PAWL_BAD_ARGUMENT;
    }
    fprintf(w->to, "%6s %-14s %-9s %5s %8s  %-13s %10s %10s  %8s %8s  %s\n", "sample", "system",
            "scenario", "rows", "contacts", "solver", "iterations", "time [ms]", "residual", "own",
            "solved");
    pawl_status status = PAWL_OK;
    for (int i = first < 0 ? 0 : first; i < (first < 0 ? count : first + 1) && status == PAWL_OK;
         ++i) {
        status = samples_one(w, file, i);
    }
    return status;
}

int solve_samples(console *con, const solve_samples_request *q)
{
    size_t kinds = (size_t)q->kind_count;
    samples_work w = {.con = con,
                      .request = q,
                      .to = output_text(q->json_path),
                      .samples = json_array(),
                      .solved = calloc(kinds, sizeof(int)),
                      .tried = calloc(kinds, sizeof(int)),
                      .seconds = calloc(kinds, sizeof(double))};
    pawl_sample_file *file = NULL;
    int errors = con->error_count, unsolved = 0;
    pawl_status status = PAWL_NO_MEMORY;
    if (w.solved != NULL && w.tried != NULL && w.seconds != NULL) {
        status = pawl_sample_file_open(&con->env, q->path, &file);
        status = status == PAWL_OK ? samples_all(&w, file) : status;
    }
    if (status != PAWL_OK) {
        console_explain(con, errors, status, q->path);
    }
    fputc('\n', w.to);
    for (int k = 0; k < q->kind_count && status == PAWL_OK; ++k) {
        unsolved += w.tried[k] - w.solved[k];
        fprintf(w.to, "%-13s solved %d of %d at %g in %.3f s\n", pawl_solver_name(q->kinds[k]),
                w.solved[k], w.tried[k], q->settings.solver.tolerance, w.seconds[k]);
    }
    json_t *root =
        json_pack("{s:s, s:i, s:o, s:i, s:o}", "format", "pawl solve samples", "version", 1,
                  "tolerance", json_out_number(q->settings.solver.tolerance), "max_iterations",
                  q->settings.solver.max_iterations, "samples", w.samples);
    bool written = true;
    if (q->json_path != NULL && status == PAWL_OK) {
        written = json_out_write(con, q->json_path, root);
    } else {
        json_decref(root);
    }
    pawl_sample_file_close(file);
    free(w.solved);
    free(w.tried);
    free(w.seconds);
    return status != PAWL_OK || !written ? EXIT_BAD_INPUT : unsolved > 0 ? EXIT_NOT_MET : EXIT_DONE;
}
