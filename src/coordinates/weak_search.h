// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Finding the weak space of a mechanism (weak_space.h): its loops, which of them hold redundant rows, and what
// no single loop holds.
#pragma once
#include "coordinates/maximal/free_factor.h"
#include "problem/weak_space.h"

// Of the rows of `a` where it is placed, over the operator d of all of them; `factor` (NULL: none) tells
// the mechanisms apart. Singular values below `tolerance` are weak. Without loops there is no space: NULL.
pawl_status pawl_weak_search(const pawl_env *env, const pawl_assembly *a, pawl_delassus *d,
                             const free_factor *factor, double tolerance, weak_space **out);
