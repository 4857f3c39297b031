// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A solver that is made once and solves many problems.
#include "pawl/pawl.h"
#include "support/random_contacts.h"
#include "support/test.h"
#include <math.h>
#include <string.h>

static pawl_contact_problem *solver_problem(test_env *t, uint64_t *seed, int *rows)
{
    static random_contacts c;
    static random_entries e;
    random_contacts_make(&c, seed, 0.0, -1);
    pawl_contact_problem_def def = {.contact_count = c.contacts,
                                    .W = random_entries_of(&e, c.W, c.rows, c.rows),
                                    .q = c.q,
                                    .friction = c.friction};
    pawl_contact_problem *p;
    CHECK_OK(pawl_contact_problem_create(&t->env, &def, &p));
    *rows = c.rows;
    return p;
}

// The answers of a fresh solver for each problem, to the last bit: nothing of the problems before is left. The second
// time around no memory is asked for.
TEST(one_solver_gives_the_answers_of_many)
{
    enum { PROBLEMS = 6 };
    for (int kind = 0; kind < PAWL_SOLVER_COUNT; ++kind) {
        if (!pawl_solver_takes_contacts(kind)) {
            continue;
        }
        test_env t;
        test_env_init(&t);
        CHECK_INT(pawl_solver_find_kind(pawl_solver_name(kind)), kind);
        pawl_contact_solver_def def = pawl_contact_solver_def_default();
        def.kind = (pawl_solver_kind)kind;
        def.max_contacts = RANDOM_CONTACTS;
        def.max_iterations = 2000;
        pawl_contact_solver *solver;
        CHECK_OK(pawl_contact_solver_create(&t.env, &def, &solver));
        uint64_t seed = 7;
        for (int i = 0; i < PROBLEMS; ++i) {
            int rows;
            pawl_contact_problem *p = solver_problem(&t, &seed, &rows);
            pawl_settings settings = pawl_settings_default();
            settings.solver.kind = def.kind;
            settings.solver.tolerance = def.tolerance;
            settings.solver.max_iterations = def.max_iterations;
            double r[RANDOM_ROWS] = {0}, fresh[RANDOM_ROWS] = {0}, again[RANDOM_ROWS] = {0};
            pawl_contact_result result;
            pawl_contact_solver_report report;
            CHECK_OK(pawl_contact_problem_solve(p, &settings, fresh, &result));
            CHECK_OK(pawl_contact_solver_solve(solver, p, r, &report));
            CHECK(memcmp(r, fresh, (size_t)rows * sizeof *r) == 0);
            CHECK_INT(report.result.outcome, result.outcome);
            CHECK_INT(report.result.iterations, result.iterations);
            int64_t calls = t.calls;
            CHECK_OK(pawl_contact_solver_solve(solver, p, again, NULL));
            CHECK_INT(t.calls, calls);
            CHECK(memcmp(r, again, (size_t)rows * sizeof *r) == 0);
            pawl_contact_problem_destroy(p);
        }
        pawl_contact_solver_destroy(solver);
        CHECK_NO_LEAK(&t);
    }
}

// The closed form of a body of unit mass that slides at 1 m/s while it is pressed on the plane at 2 m/s: Coulomb's
// impulses are (-mu r_N, 0, 2) and u = (1 - 2 mu, 0, 0). The convex relaxation makes sliding contacts separate at
// mu |u_T|: with mu = 0.25 it has r_N and u_T from  u_N = mu u_T, r_T = -mu r_N:
//   1 - mu r_N = u_T,  -2 + r_N = mu u_T   ->  u_T = (1 - 2 mu)/(1 + mu^2).
// Its own residual is met, that of Coulomb's law is not.
TEST(a_report_has_the_residual_of_both_laws)
{
    test_env t;
    test_env_init(&t);
    int i[] = {0, 1, 2};
    double w[] = {1, 1, 1}, q[] = {1, 0, -2}, mu = 0.25;
    pawl_contact_problem_def problem = {
        .contact_count = 1, .W = {3, 3, 3, i, i, w}, .q = q, .friction = &mu};
    pawl_contact_problem *p;
    CHECK_OK(pawl_contact_problem_create(&t.env, &problem, &p));
    const pawl_solver_kind kinds[] = {PAWL_SOLVER_NSGS, PAWL_SOLVER_PGS_CCP, PAWL_SOLVER_ADMM_CCP};
    for (int k = 0; k < 3; ++k) {
        pawl_contact_solver_def def = pawl_contact_solver_def_default();
        def.kind = kinds[k];
        def.tolerance = 1e-9;
        pawl_contact_solver *solver;
        CHECK_OK(pawl_contact_solver_create(&t.env, &def, &solver));
        double r[3] = {0}, u[3];
        pawl_contact_solver_report report;
        CHECK_OK(pawl_contact_solver_solve(solver, p, r, &report));
        CHECK_OK(pawl_contact_problem_velocity(p, r, u));
        double slip = k == 0 ? 1.0 - 2.0 * mu : (1.0 - 2.0 * mu) / (1.0 + mu * mu);
        CHECK_NEAR(u[0], slip, 1e-7);
        CHECK_NEAR(u[2], k == 0 ? 0.0 : mu * slip, 1e-7);
        CHECK_NEAR(report.own_residual, 0.0, 1e-7);
        CHECK(k == 0
                  ? report.result.outcome == PAWL_CONVERGED && report.own_outcome == PAWL_CONVERGED
                  : report.result.errors.scaled > 0.01);
        pawl_contact_solver_destroy(solver);
    }
    pawl_contact_problem_destroy(p);
    CHECK_NO_LEAK(&t);
}

static pawl_status solver_make(const pawl_env *env, void *argument)
{
    (void)argument;
    pawl_contact_solver_def def = pawl_contact_solver_def_default();
    def.max_contacts = 5;
    pawl_contact_solver *solver;
    pawl_status status = pawl_contact_solver_create(env, &def, &solver);
    pawl_contact_solver_destroy(solver);
    return status;
}

TEST(a_solver_survives_running_out_of_memory)
{
    CHECK(CHECK_SURVIVES_NO_MEMORY(solver_make, NULL) >= 2);
}
