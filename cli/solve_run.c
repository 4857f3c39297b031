// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A time limit is enforced by solving in a separate process: solvers do not read the clock, so their results do not
// depend on it.
#include "solve_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pawl/io.h"
#include "timing.h"

bool solve_problem_open(console *con, const char *path, solve_start start, solve_problem *out)
{
    *out = (solve_problem){0};
    int errors = con->error_count;
    pawl_status status = pawl_fclib_read(&con->env, path, &out->problem);
    if (status == PAWL_OK) {
        int contacts = pawl_contact_problem_count(out->problem);
        size_t rows = 3 * (size_t)contacts;
        bool found = start == SOLVE_FROM_ZERO;
        out->start = calloc(rows, sizeof *out->start);
        out->r = calloc(rows, sizeof *out->r);
        if (out->start == NULL || out->r == NULL) {
            status = PAWL_NO_MEMORY;
        } else if (start != SOLVE_FROM_ZERO) {
            status = pawl_fclib_read_answer(&con->env, path, start == SOLVE_FROM_GUESS ? 1 : 0,
                                            contacts, out->start, &found);
        }
        if (status == PAWL_OK && !found) {
            console_note(con, "'%s' has no %s: starting from zero", path,
                         start == SOLVE_FROM_GUESS ? "guess" : "solution");
        }
    }
    if (status != PAWL_OK) {
        console_explain(con, errors, status, path);
        solve_problem_close(out);
    }
    return status == PAWL_OK;
}

void solve_problem_close(solve_problem *problem)
{
    pawl_contact_problem_destroy(problem->problem);
    free(problem->start);
    free(problem->r);
    *problem = (solve_problem){0};
}

static pawl_status solve_here(solve_problem *p, const pawl_settings *settings, solve_result *out)
{
    memcpy(p->r, p->start, 3 * (size_t)out->contacts * sizeof *p->r);
    double begun = timing_processor();
    pawl_status status = pawl_contact_problem_solve(p->problem, settings, p->r, &out->result);
    out->seconds = timing_processor() - begun;
    return status;
}

// In the child: ends when its processor time is used up, else writes the result and ends.
static _Noreturn void solve_child(solve_problem *p, const pawl_settings *settings, double limit,
                                  int pipe_end, solve_result *out)
{
    struct itimerval timer = {.it_value = {.tv_sec = (time_t)limit}};
    timer.it_value.tv_usec = (suseconds_t)(1e6 * (limit - (double)timer.it_value.tv_sec)) + 1;
    setitimer(ITIMER_PROF, &timer, NULL); // SIGPROF ends the process
    bool done = solve_here(p, settings, out) == PAWL_OK &&
                write(pipe_end, out, sizeof *out) == (ssize_t)sizeof *out;
    _exit(done ? EXIT_SUCCESS : EXIT_FAILURE);
}

static bool solve_in_child(console *con, solve_problem *p, const pawl_settings *settings,
                           double limit, solve_result *out)
{
    int ends[2];
    if (pipe(ends) != 0) {
        console_error(con, "cannot keep a time limit: %s", strerror(errno));
        return false;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        solve_child(p, settings, limit, ends[1], out);
    }
    close(ends[1]);
    solve_result answer = *out;
    bool got = child > 0 && read(ends[0], &answer, sizeof answer) == (ssize_t)sizeof answer;
    close(ends[0]);
    int status = 0;
    bool waited = child > 0 && waitpid(child, &status, 0) == child;
    if (got) {
        *out = answer;
        return true;
    }
    if (waited && WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) {
        out->stopped = true;
        out->seconds = limit;
        return true;
    }
    console_error(con, "the solver ended without a result");
    return false;
}

bool solve_problem_run(console *con, solve_problem *p, const pawl_settings *settings,
                       double time_limit, solve_result *out)
{
    *out = (solve_result){.contacts = pawl_contact_problem_count(p->problem),
                          .solver = (int)settings->solver.kind};
    if (time_limit > 0.0) {
        return solve_in_child(con, p, settings, time_limit, out);
    }
    int errors = con->error_count;
    pawl_status status = solve_here(p, settings, out);
    if (status != PAWL_OK) {
        console_explain(con, errors, status, pawl_solver_name(out->solver));
    }
    return status == PAWL_OK;
}

void solve_show(console *con, const char *problem, const char *solver)
{
    const char *terminal = getenv("TERM");
    if (!con->quiet && isatty(STDERR_FILENO) == 1 && terminal != NULL &&
        strcmp(terminal, "dumb") != 0) {
        fprintf(stderr, "\r%.60s: %s ...\033[K", problem, solver);
        con->bar_shown = true;
    }
}

void solve_hide(console *con)
{
    if (con->bar_shown) {
        fputs("\r\033[K", stderr);
        con->bar_shown = false;
    }
}
