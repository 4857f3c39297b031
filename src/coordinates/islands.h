// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Islands: groups of bodies that no row of the problem connects. D has no entries between rows of two islands, so
// each is a separate problem: a small one is solved exactly even in a large scene, a solved one needs no more
// iterations, and several threads can solve several at a time.
//
// Fixed bodies connect nothing. Islands are numbered by their first bodies. Within an island rows keep their order,
// except that free rows are ordered by mechanism (free_factor.h): all of this depends only on the problem.
#pragma once
#include "coordinates/free_factor.h"
#include "coordinates/shifted_factor.h"
#include "rows/row_set.h"

typedef problem_part island_part; // of the factor of the free rows

typedef struct island {
    pawl_problem problem; // its operator is for pawl_delassus_bind() to set
    row_set rows;         // bodies that can move, no others
    double *lambda;       // (rows) impulses
    int part_count;
    const island_part *parts;
    shifted_structure *structure; // kept for whatever island has its first body
} island;

typedef struct island_list island_list;
// `factor` of the free rows of a; NULL where there is none.
pawl_status pawl_island_list_create(const pawl_env *env, const pawl_assembly *a,
                                    const free_factor *factor, island_list **out);
void pawl_island_list_destroy(island_list *list);

// As many islands as there can be with rows that move something.
int pawl_island_list_most(const island_list *list);
// The number of islands of the problem that the assembly holds.
int pawl_island_list_find(island_list *list);
// After finding: writes their problems, with the impulses lambda of all rows, and collects those again.
void pawl_island_list_split(island_list *list, const double *lambda);
island *pawl_island_list_item(island_list *list, int index);
void pawl_island_list_collect(const island_list *list, double *lambda);
