// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Islands are groups of bodies that no row connects. Each is solved from its own problem and warm start, by any
// thread, and writes only its own rows: the bits do not depend on the thread or on the number of threads. Each worker
// has a Delassus operator of its own and a solver; the first worker's is that of all rows. An island's problem uses
// the Jacobians of the whole assembly, and parts of the factor that was made for all free rows.
#include "step/common/island_solver.h"
#include "step/common/trusted_start.h"

// Contacts from which an island is solved by all threads together.
enum { ISLAND_LARGE = 256 };

typedef struct island_worker {
    pawl_solver *solver;
    pawl_delassus *delassus;
} island_worker;

struct island_solver {
    pawl_env env;
    const pawl_assembly *a;
    pawl_delassus *whole;
    island_list *list;
    thread_pool *team; // NULL for one thread
    int worker_count;
    island_worker *workers;      // the first has the solver of all rows
    solver_report *reports;      // (bodies + 1) by island
    int *several, several_count; // (bodies + 1) islands that are solved several at a time
    solver_goal goal;            // of the solve at work
    const double *twists;        // likewise
};

// Whether there is more than one group of bodies that free rows leave apart.
static bool island_solver_wanted(const pawl_settings *settings, const island_list *list)
{
    return settings->solver.islands && pawl_island_list_most(list) > 1;
}

// Memory of workers comes from the team's allocator, which threads may share.
static pawl_status island_solver_create_workers(island_solver *s, pawl_solver *solver)
{
    pawl_env env = s->env;
    if (s->team != NULL) {
        env = pawl_thread_pool_env(s->team);
    }
    s->workers[0].solver = solver;
    for (int i = 0; i < s->worker_count; ++i) {
        PAWL_TRY(pawl_delassus_create_part(&env, s->whole, &s->workers[i].delassus));
        if (i > 0) {
            PAWL_TRY(pawl_solver_create(&env, &solver->def, &s->workers[i].solver));
        }
    }
    return PAWL_OK;
}

static pawl_status island_solver_create_all(island_solver *s, const pawl_settings *settings,
                                            pawl_solver *solver)
{
    PAWL_TRY(pawl_island_list_create(&s->env, s->a, pawl_delassus_free_factor(s->whole), &s->list));
    if (!island_solver_wanted(settings, s->list)) {
        return PAWL_OK;
    }
    s->worker_count = s->team != NULL ? settings->threads : 1;
    s->workers = pawl_alloc(&s->env, (size_t)s->worker_count * sizeof *s->workers);
    s->reports = pawl_alloc(&s->env, (size_t)(s->a->model->body_count + 1) * sizeof *s->reports);
    s->several = pawl_alloc(&s->env, (size_t)(s->a->model->body_count + 1) * sizeof *s->several);
    if (s->workers == NULL || s->reports == NULL || s->several == NULL) {
        return PAWL_FAIL(&s->env, PAWL_NO_MEMORY, "no memory for islands");
    }
    return island_solver_create_workers(s, solver);
}

// *out stays NULL, with PAWL_OK, where islands are off or the model can have one island only: then the caller
// solves everything at once.
pawl_status pawl_island_solver_create(const pawl_env *env, const pawl_settings *settings,
                                      const pawl_assembly *a, pawl_delassus *whole,
                                      pawl_solver *solver, thread_pool *team, island_solver **out)
{
    *out = NULL;
    island_solver *s = pawl_alloc(env, sizeof *s);
    if (s == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for islands");
    }
    s->env = *env;
    s->a = a;
    s->whole = whole;
    s->team = team;
    pawl_status status = island_solver_create_all(s, settings, solver);
    if (status != PAWL_OK || s->worker_count == 0) {
        pawl_island_solver_destroy(s);
        return status;
    }
    *out = s;
    return PAWL_OK;
}

// NULL is fine, and so is a solver that was only partly created.
void pawl_island_solver_destroy(island_solver *s)
{
    if (s == NULL) {
        return;
    }
    pawl_env env = s->env;
    for (int i = 0; s->workers != NULL && i < s->worker_count; ++i) {
        pawl_delassus_destroy(s->workers[i].delassus);
        if (i > 0) {
            pawl_solver_destroy(s->workers[i].solver);
        }
    }
    pawl_island_list_destroy(s->list); // its memory may be the team's
    pawl_free(&env, s->workers, (size_t)s->worker_count * sizeof *s->workers);
    pawl_free(&env, s->reports, (size_t)(s->a->model->body_count + 1) * sizeof *s->reports);
    pawl_free(&env, s->several, (size_t)(s->a->model->body_count + 1) * sizeof *s->several);
    pawl_free(&env, s, sizeof *s);
}

// Reads the shared problem and writes to its island's lambda and report alone.
static void island_solver_one(island_solver *s, const island_worker *w, int index)
{
    island *own = pawl_island_list_item(s->list, index);
    pawl_delassus_bind(w->delassus, own);
    s->reports[index] = (solver_report){.outcome = PAWL_CONVERGED};
    solver_goal goal = s->goal;
    goal.start = s->twists != NULL ? pawl_trusted_start(&own->rows, s->twists) : 0.0;
    pawl_solver_solve(w->solver, &own->problem, goal, own->lambda, &s->reports[index]);
}

static void island_solver_task(void *user, int worker, int item)
{
    island_solver *s = user;
    island_solver_one(s, &s->workers[worker], s->several[item]);
}

// Large islands by all threads, one after the other, and then the others by one thread each.
static void island_solver_share(island_solver *s, int count)
{
    pawl_delassus *first = s->workers[0].delassus;
    first->team = s->team;
    s->several_count = 0;
    for (int i = 0; i < count; ++i) {
        if (pawl_island_list_item(s->list, i)->problem.contact_count >= ISLAND_LARGE) {
            island_solver_one(s, &s->workers[0], i);
        } else {
            s->several[s->several_count++] = i;
        }
    }
    first->team = NULL;
    if (s->several_count > 0) {
        pawl_thread_pool_run(s->team, s->several_count, island_solver_task, s);
    }
}

// The worst outcome and the most iterations count; factorizations are summed. The order is that of islands, not of
// threads.
static void island_solver_gather(const island_solver *s, int count, solver_report *report)
{
    *report = s->reports[0];
    for (int i = 1; i < count; ++i) {
        const solver_report *own = &s->reports[i];
        report->outcome = own->outcome > report->outcome ? own->outcome : report->outcome;
        report->method = own->method > report->method ? own->method : report->method;
        report->iterations =
            own->iterations > report->iterations ? own->iterations : report->iterations;
        report->factorizations += own->factorizations;
        report->own_residual = worst_of(report->own_residual, own->own_residual);
    }
}

// Returns the number of islands. Below 2 nothing was solved and lambda is as it was.
int pawl_island_solver_solve(island_solver *s, solver_goal goal, const double *twists,
                             double *lambda, solver_report *report)
{
    int count = pawl_island_list_find(s->list);
    if (s->whole->weak.space != NULL && pawl_delassus_free_factor(s->whole) == NULL) {
        return 1; // weak rows are known by the mechanisms of the factor
    }
    if (count < 2) {
        return count;
    }
    pawl_island_list_split(s->list, lambda);
    pawl_delassus_prepare_parts(s->whole, s->a->problem.factor_key);
    s->goal = goal;
    s->twists = twists;
    if (s->team != NULL) {
        island_solver_share(s, count);
    } else {
        for (int i = 0; i < count; ++i) {
            island_solver_one(s, &s->workers[0], i);
        }
    }
    pawl_island_list_collect(s->list, lambda);
    island_solver_gather(s, count, report);
    return count;
}
