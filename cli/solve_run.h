// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// One problem of a file, solved by one solver, if asked for within a limit of processor time.
#pragma once
#include "console.h"
#include "pawl/contact_problem.h"

typedef enum solve_start { SOLVE_FROM_ZERO, SOLVE_FROM_GUESS, SOLVE_FROM_SOLUTION } solve_start;

typedef struct solve_problem {
    pawl_contact_problem *problem;
    double *start, *r; ///< (3 x contacts)
} solve_problem;

typedef struct solve_result {
    int contacts, solver;
    bool stopped; ///< by the time limit: nothing but the time is known
    double seconds;
    pawl_contact_result result;
} solve_result;

/// False when the file cannot be used; the message has been printed.
bool solve_problem_open(console *con, const char *path, solve_start start, solve_problem *out);
void solve_problem_close(solve_problem *problem);
/// `time_limit` in seconds of processor time, 0 for none. False when it could not be tried; the message
/// has been printed.
bool solve_problem_run(console *con, solve_problem *problem, const pawl_settings *settings,
                       double time_limit, solve_result *out);

/// What is worked on, in the last line of a terminal; and away again.
void solve_show(console *con, const char *problem, const char *solver);
void solve_hide(console *con);
