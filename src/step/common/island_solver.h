// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Solves the islands of a problem one by one or, with threads, large ones by all of them and several small ones at a
// time. Each is solved only from its own problem and warm start, so that the result does not depend on the number of
// threads.
#pragma once
#include "coordinates/delassus.h"
#include "solve/solver_ops.h"

typedef struct island_solver island_solver;
// `solver` and `whole` are those of all rows, `team` the threads (NULL: the caller alone); all must outlive it. NULL in *out where islands are not
// wanted, or where there can only be one.
pawl_status pawl_island_solver_create(const pawl_env *env, const pawl_settings *settings,
                                      const pawl_assembly *a, pawl_delassus *whole,
                                      pawl_solver *solver, thread_pool *team, island_solver **out);
void pawl_island_solver_destroy(island_solver *s); // NULL is fine
// lambda: warm start in, answer out. `twists` (6 x bodies) before the step, which say how far that start is trusted
// (trusted_start.h); NULL: as far as the solver does. Returns the number of islands; below 2 nothing was done, and the
// problem is for `solver`. The report has the worst outcome, the heaviest method, the most iterations and the sum
// of factorizations.
int pawl_island_solver_solve(island_solver *s, solver_goal goal, const double *twists,
                             double *lambda, solver_report *report);
