// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A sparse matrix that is built entry by entry.
#pragma once
#include "base/array.h"
#include "pawl/contact_problem.h"

typedef struct triplet_list {
    pawl_array row, column, value;
} triplet_list;

// False when memory is out.
bool pawl_triplet_list_add(const pawl_env *env, triplet_list *list, int row, int column,
                           double value);
// Valid until the next entry is added.
pawl_triplets pawl_triplet_list_matrix(const triplet_list *list, int rows, int columns);
void pawl_triplet_list_free(const pawl_env *env, triplet_list *list);
