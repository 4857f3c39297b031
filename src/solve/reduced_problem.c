// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "solve/reduced_problem.h"
#include <string.h>

static const double reduced_accuracy = 1e-12; // of the free rows' impulses

reduced_problem pawl_reduced_problem_layout(int max_rows, int capacity, pawl_carver *mem)
{
    reduced_problem r = {.eliminate = pawl_eliminator_layout(max_rows, capacity, mem)};
    r.matrix = pawl_dense_delassus_layout(capacity, mem);
    r.blocks = PAWL_CARVE(mem, problem_block, capacity);
    r.v_f = PAWL_CARVE(mem, double, capacity);
    r.zero = PAWL_CARVE(mem, double, capacity);
    r.lambda = PAWL_CARVE(mem, double, capacity);
    return r;
}

void pawl_reduced_problem_pose(reduced_problem *r, const pawl_problem *p, double regularization,
                               double *lambda)
{
    int n = p->free_row_count, m = p->row_count - n;
    int blocks = p->block_count - p->free_block_count;
    for (int k = 0; k < blocks; ++k) {
        problem_block b = p->blocks[p->free_block_count + k];
        r->blocks[k] = (problem_block){b.first_row - n, b.dim};
    }
    memset(r->zero, 0, (size_t)m * sizeof *r->zero);
    memcpy(r->lambda, lambda + n, (size_t)m * sizeof *lambda);
    r->problem = (pawl_problem){.row_count = m,
                                .block_count = blocks,
                                .blocks = r->blocks,
                                .v_f = r->v_f,
                                .lower = p->lower + n,
                                .upper = p->upper + n,
                                .compliance = r->zero,
                                .contact_count = p->contact_count,
                                .friction = p->friction};
    pawl_dense_delassus_bind(&r->matrix, &r->problem);
    pawl_eliminate_factor(p, regularization);
    pawl_eliminate_reduce(&r->eliminate, p, lambda, r->matrix.matrix, r->v_f);
}

int pawl_reduced_problem_recover(reduced_problem *r, const pawl_problem *p, double *lambda)
{
    int n = p->free_row_count;
    memcpy(lambda + n, r->lambda, (size_t)(p->row_count - n) * sizeof *lambda);
    return pawl_eliminate_recover(&r->eliminate, p, reduced_accuracy, lambda);
}
