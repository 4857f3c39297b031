// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Finding the weak space of a mechanism (weak_space.h): its loops, those with redundant rows, and the part that
// belongs to no single loop.
#pragma once
#include "coordinates/coordinates.h"
#include "problem/weak_space.h"

// Of the rows of `c` where they are placed. Singular values below `tolerance` are weak. Without loops there is no space: NULL.
pawl_status pawl_weak_search(const pawl_env *env, const coordinates *c, double tolerance,
                             weak_space **out);
