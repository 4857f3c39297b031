// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The velocity space (problem/velocity_space.h) of rows in maximal coordinates: one node per moving body.
#pragma once
#include "problem/velocity_space.h"
#include "rows/row_set.h"

typedef struct maximal_space maximal_space;
// With room for all rows that `a` can have.
pawl_status pawl_maximal_space_create(const pawl_env *env, const pawl_assembly *a,
                                      maximal_space **out);
void pawl_maximal_space_destroy(maximal_space *m); // NULL is fine
// The space of `rows` as they are placed, with the factor that `lu` keeps for them (made where it is NULL). NULL
// when memory is out. Memory only grows.
velocity_space *pawl_maximal_space_find(maximal_space *m, const row_set *rows, block_lu **lu);
