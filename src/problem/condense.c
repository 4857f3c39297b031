// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Condenses a problem to its bounded rows and contacts. With free rows f and the others b, the free rows' v_f = 0
// gives lambda_f = -A_ff^-1 (A_fb lambda_b + v_f), and the remaining matrix is the Schur complement
//   S = A_bb - A_bf A_ff^-1 A_fb,   v_b' = v_b - A_bf A_ff^-1 v_f   (docs/math.md section 2)
// with the same bounds and cones.
#include "problem/condense.h"
#include <string.h>

static const double condensed_accuracy = 1e-12; // of the free rows' impulses

condensed_problem pawl_condensed_layout(int max_rows, int capacity, pawl_carver *mem)
{
    condensed_problem r = {.eliminate = pawl_eliminator_layout(max_rows, capacity, mem)};
    r.matrix = pawl_dense_delassus_layout(capacity, mem);
    r.eliminate.Y = r.matrix.space.Y;
    r.blocks = PAWL_CARVE(mem, problem_block, capacity);
    r.v_f = PAWL_CARVE(mem, double, capacity);
    r.zero = PAWL_CARVE(mem, double, capacity);
    r.lambda = PAWL_CARVE(mem, double, capacity);
    return r;
}

// Compliances of the rows that stay are part of S already, so the condensed problem has none.
//
// S is kept while matrix_key says that neither D + R nor the rows have changed; v_f is always
// computed again. lambda (rows) has the warm start of the bounded rows and is scratch after that.
void pawl_condense(condensed_problem *r, const pawl_problem *p, double regularization,
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
                                .friction = p->friction,
                                .watch = p->watch};
    pawl_dense_delassus_bind(&r->matrix, &r->problem);
    pawl_eliminate_factor(p, regularization);
    if (p->matrix_key == 0 || p->matrix_key != r->key) {
        pawl_eliminate_condense(&r->eliminate, p, lambda, r->matrix.matrix, r->v_f);
        pawl_dense_space_renew(&r->matrix.space, r->eliminate.rank);
    }
    r->key = p->matrix_key;
    pawl_eliminate_velocity(&r->eliminate, p, lambda, r->v_f);
}

// Impulses of the joints from those of the limits and contacts, refined until the free rows are satisfied to
// condensed_accuracy.
int pawl_condensed_recover(condensed_problem *r, const pawl_problem *p, double *lambda)
{
    int n = p->free_row_count;
    memcpy(lambda + n, r->lambda, (size_t)(p->row_count - n) * sizeof *lambda);
    return pawl_eliminate_complete(&r->eliminate, p, condensed_accuracy, lambda);
}
