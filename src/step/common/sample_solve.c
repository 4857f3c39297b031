// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A solver of the table on a sample, judged like a step. Every call factors again: a benchmark times the work of a
// step in which everything has moved, with the structure of the factors known as in a simulation.
#include "base/carver.h"
#include "base/guard.h"
#include "linalg/dense.h"
#include "math/vec.h"
#include "problem/natural.h"
#include "step/common/sample.h"
#include <math.h>
#include <string.h>

typedef struct sample_watcher {
    problem_watch base; // first, so that a problem_watch * is also one of these
    pawl_sample_watch call;
    void *user;
    int iterations;
    double *v, *weight; // (rows)
} sample_watcher;

struct pawl_sample_solver {
    pawl_env env;
    const pawl_sample *sample;
    pawl_settings settings;
    sample_rows rows;
    pawl_delassus *delassus;
    pawl_solver *solver;
    sample_watcher watcher;
    double *v, *weight; // (rows)
    size_t scratch_bytes;
    double mass; // of all bodies
};

static void sample_see(problem_watch *base, const pawl_problem *p, const double *lambda)
{
    sample_watcher *w = (sample_watcher *)base;
    pawl_problem_velocity(p, lambda, w->v);
    pawl_residual residual = pawl_problem_judge(p, lambda, w->v, w->weight);
    w->call(w->user, ++w->iterations, &residual);
}

static solver_def sample_def(const pawl_sample_data *d, const pawl_settings *settings)
{
    solver_def def = pawl_solver_def_of(settings);
    def.max_rows = d->row_count;
    def.max_blocks = d->block_count;
    def.max_contacts = d->contact_count;
    def.max_bounded = d->row_count - d->free_row_count - 3 * d->contact_count;
    def.max_block_dim = 1;
    for (int k = 0; k < d->block_count; ++k) {
        int dim = d->block_rows[k];
        def.max_block_dim = dim > def.max_block_dim ? dim : def.max_block_dim;
    }
    return def;
}

static pawl_status sample_solver_parts(pawl_sample_solver *s)
{
    const pawl_sample_data *d = &s->sample->data;
    const pawl_env *env = &s->env;
    PAWL_TRY(pawl_sample_rows_create(env, d, &s->rows));
    PAWL_TRY(pawl_delassus_create(env, &s->rows.assembly, s->settings.delassus, &s->delassus));
    s->rows.assembly.problem.delassus = s->delassus;
    solver_def def = sample_def(d, &s->settings);
    PAWL_TRY(pawl_solver_create(env, &def, &s->solver));
    if (d->contact_count > 0 && !s->solver->ops->contacts) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "solver '%s' does not solve contacts",
                         s->solver->ops->name);
    }
    size_t rows = (size_t)d->row_count;
    s->scratch_bytes = 4 * rows * sizeof *s->v;
    s->v = pawl_alloc(env, s->scratch_bytes);
    if (s->v == NULL && rows > 0) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for a sample of %zu rows", rows);
    }
    s->weight = s->v + rows;
    s->watcher = (sample_watcher){
        .base = {sample_see}, .v = s->weight + rows, .weight = s->weight + 2 * rows};
    for (int i = 0; i < d->body_count; ++i) {
        s->mass += d->mass[i];
    }
    return PAWL_OK;
}

pawl_status pawl_sample_solver_create(const pawl_env *env, const pawl_sample *sample,
                                      const pawl_settings *settings, pawl_sample_solver **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, out);
    *out = NULL;
    PAWL_NEED(env, sample);
    PAWL_NEED(env, settings);
    PAWL_NEED_STAMP(env, settings, PAWL_STAMP_SETTINGS, "pawl_settings_default");
    pawl_sample_solver *s = pawl_alloc(env, sizeof *s);
    if (s == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for a solver");
    }
    s->env = *env;
    s->sample = sample;
    s->settings = *settings;
    pawl_status status = sample_solver_parts(s);
    if (status != PAWL_OK) {
        pawl_sample_solver_destroy(s);
        return status;
    }
    *out = s;
    return PAWL_OK;
}

void pawl_sample_solver_destroy(pawl_sample_solver *s)
{
    if (s == NULL) {
        return;
    }
    pawl_env env = s->env;
    pawl_solver_destroy(s->solver);
    pawl_delassus_destroy(s->delassus);
    pawl_sample_rows_destroy(&env, &s->rows);
    pawl_free(&env, s->v, s->scratch_bytes);
    pawl_free(&env, s, sizeof *s);
}

// Position errors at the end of the step to first order: gap + reach times the rate, which is v without bias and
// compliance.
static double sample_penetration(const pawl_sample_data *d, const double *lambda, const double *v)
{
    double worst = 0.0;
    for (int i = 0; i < d->row_count; ++i) {
        if (isnan(d->gap[i])) {
            continue;
        }
        double rate = v[i] - d->bias[i] - d->compliance[i] * lambda[i];
        double end = d->gap[i] + d->reach * rate;
        worst = worst_of(worst, d->kind[i] == PAWL_SAMPLE_JOINT ? fabs(end) : max_of(0.0, -end));
    }
    return worst;
}

// As steps decide: solvers of another law are judged by what is left of their own problem.
static void sample_judge(pawl_sample_solver *s, const pawl_problem *p, const double *lambda,
                         const solver_report *solved, pawl_sample_result *out)
{
    const pawl_solver_ops *ops = s->solver->ops;
    pawl_problem_velocity(p, lambda, s->v);
    out->residual = pawl_problem_judge(p, lambda, s->v, s->weight);
    out->own_residual = out->residual.natural_scaled;
    if (p->contact_count > 0 && ops->relaxed) {
        out->own_residual = pawl_problem_natural_relaxed(p, lambda, s->v, s->weight);
    } else if (p->contact_count > 0 && ops->own_law != NULL) {
        out->own_residual =
            worst_of(solved->own_residual, pawl_problem_natural_bounds(p, lambda, s->v, s->weight));
    }
    out->outcome = out->own_residual <= s->settings.solver.tolerance ? PAWL_CONVERGED
                   : solved->outcome == PAWL_CONVERGED               ? PAWL_STALLED
                                                                     : solved->outcome;
    out->penetration = sample_penetration(&s->sample->data, lambda, s->v);
    double energy = 0.0;
    for (int i = 0; i < p->row_count; ++i) {
        energy += 0.5 * lambda[i] * (s->v[i] + p->v_f[i]);
    }
    out->energy = energy;
}

pawl_status pawl_sample_solver_run(pawl_sample_solver *s, const double *v_f,
                                   pawl_sample_watch watch, void *user, double *lambda,
                                   pawl_sample_result *result)
{
    PAWL_NEED(NULL, s);
    PAWL_NEED(&s->env, lambda);
    PAWL_NEED(&s->env, result);
    pawl_assembly *a = &s->rows.assembly;
    pawl_problem *p = &a->problem;
    for (int i = 0; i < p->row_count; ++i) {
        if (!isfinite(lambda[i]) || (v_f != NULL && !isfinite(v_f[i]))) {
            return PAWL_FAIL(&s->env, PAWL_BAD_ARGUMENT, "row %d of the start is not finite", i);
        }
    }
    p->v_f = v_f != NULL ? v_f : s->sample->data.v_f;
    p->factor_key += 1; // nothing of the last call serves again
    p->watch = NULL;
    if (watch != NULL) {
        s->watcher.call = watch;
        s->watcher.user = user;
        s->watcher.iterations = 0;
        p->watch = &s->watcher.base;
    }
    s->delassus->factored = 0;
    solver_report solved = {.outcome = PAWL_CONVERGED};
    if (p->row_count > 0) {
        pawl_problem_admit(p, lambda);
        pawl_solver_solve(s->solver, p, pawl_solver_goal(s->solver), lambda, &solved);
    }
    p->watch = NULL;
    *result = (pawl_sample_result){.method = solved.method,
                                   .iterations = solved.iterations,
                                   .factorizations = solved.factorizations};
    sample_judge(s, p, lambda, &solved, result);
    p->v_f = s->sample->data.v_f;
    return PAWL_OK;
}

double pawl_sample_solver_distance(pawl_sample_solver *s, const double *a, const double *b)
{
    if (s == NULL || a == NULL || b == NULL || !(s->mass > 0.0)) {
        return NAN;
    }
    const pawl_problem *p = &s->rows.assembly.problem;
    for (int i = 0; i < p->row_count; ++i) {
        s->weight[i] = a[i] - b[i];
    }
    s->delassus->ops->apply(s->delassus, s->weight, s->v);
    return sqrt(max_of(0.0, pawl_dot(s->weight, s->v, p->row_count)) / s->mass);
}
