// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Condensing through the bodies that bounded rows act on. Many of them act on few bodies (the corners of a foot, a
// limit and a friction of one joint): the columns of D of all rows on a body are products of six,
//   D_fb = sum over bodies k of F_k J_bkT,   F_k = J_fk M_k^-1   (free rows x 6),
// so that six half solves per body are enough for any number of rows:
//   S = D_bb + R - J_b G J_bT = J_b C J_bT + R,   G_kl = Z_kT Z_l,   Z_k the half solves of F_k,   C = M^-1 - G.
#pragma once
#include "rows/row_set.h"
#include <stddef.h>

typedef struct carried_rows {
    int *carrier; // (bodies of the model) number of a body among those that carry rows; -1: none
    int *body;    // (bodies of the model) those bodies, as the rows count them
    int count;
} carried_rows;

// Finds the bodies that the bounded rows of the set act on. False where condensing through them is not worth it.
bool pawl_carried_rows_find(carried_rows *c, const row_set *rows);
// Numbers that those below need for `count` bodies and n free rows: Z, G and J_b G of a block.
size_t pawl_carried_rows_room(const carried_rows *c, int n);
// F_k of body k, 6 columns of n numbers.
void pawl_carried_rows_columns(const carried_rows *c, const row_set *rows, int k, double *z, int n);
// G_kl for all l <= k, over the runs of rows in which Z_k is not zero.
void pawl_carried_rows_gram(const carried_rows *c, int k, const problem_block *runs, int run_count,
                            double *room, int n);
// S (m x m), with 0 on the diagonal of rows that the free ones hold still: less than `still` of D + R.
void pawl_carried_rows_condense(const carried_rows *c, const row_set *rows, double still,
                                double *room, int n, double *S);
// The same through a factor C = L LT of the mobility of the bodies that the joints allow, Y = J_b L, S = Y YT: `rank`
// columns, the number of independent motions of the bodies, which is small compared with the rows. False, and nothing
// done, where rows have a compliance. G is overwritten.
bool pawl_carried_rows_factor(const carried_rows *c, const row_set *rows, double still,
                              double *room, int n, double *S, double *Y, int *rank);
// v (m) -= J_b ZT y, y (n) a half solve.
void pawl_carried_rows_velocity(const carried_rows *c, const row_set *rows, const double *room,
                                int n, const double *y, double *v);
// x (n) += Z J_bT lambda, of the bounded rows of lambda (rows).
void pawl_carried_rows_impulses(const carried_rows *c, const row_set *rows, const double *room,
                                int n, const double *lambda, double *x);
