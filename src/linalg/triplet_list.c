// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Collects entries (row, column, value) of a sparse matrix one by one, for readers and builders.
#include "linalg/triplet_list.h"

bool pawl_triplet_list_add(const pawl_env *env, triplet_list *list, int row, int column,
                           double value)
{
    int *i = pawl_array_push(env, &list->row, sizeof *i);
    int *j = pawl_array_push(env, &list->column, sizeof *j);
    double *x = pawl_array_push(env, &list->value, sizeof *x);
    if (i == NULL || j == NULL || x == NULL) {
        return false;
    }
    *i = row;
    *j = column;
    *x = value;
    return true;
}

// A view: it is valid until the list changes.
pawl_triplets pawl_triplet_list_matrix(const triplet_list *list, int rows, int columns)
{
    return (pawl_triplets){rows,           columns,           list->row.count,
                           list->row.data, list->column.data, list->value.data};
}

void pawl_triplet_list_free(const pawl_env *env, triplet_list *list)
{
    pawl_array_free(env, &list->row);
    pawl_array_free(env, &list->column);
    pawl_array_free(env, &list->value);
    *list = (triplet_list){0};
}
