// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Solves with D + s by conjugate gradients on the products of an operator, preconditioned by its
// diagonal blocks. Memory grows with the rows only, so this is for models whose factors do not fit. The iterations grow with the square root of the
// condition number: a chain of n links needs about n iterations, but only one pass with a factor.
//
// If there are weak rows (weak_space.h), the free rows are solved in the complement of the weak space, Q (D + s) QT,
// with the preconditioner QT B^-1 Q. Iterates then have no weak part, which would be small in D and large in the
// solution.
#include "problem/matrix_free.h"
#include "linalg/conjugate.h"
#include "linalg/dense.h"
#include "problem/weak_space.h"
#include <string.h>

static const double matrix_free_accuracy = 1e-14; // relative, in the preconditioner's norm
enum { MATRIX_FREE_MAX_DIM = 6, MATRIX_FREE_ROUNDS = 4 };

// factors has dim x dim numbers per block of at most MATRIX_FREE_MAX_DIM rows, at 6 x its first
// row.
matrix_free pawl_matrix_free_layout(int max_rows, int max_contacts, bool follows, pawl_carver *mem)
{
    return (matrix_free){
        .follows = follows,
        .sigma = PAWL_CARVE(mem, double, max_rows),
        .blocks = PAWL_CARVE(mem, double, 9 * max_contacts),
        .factors = PAWL_CARVE(mem, double, MATRIX_FREE_MAX_DIM *max_rows),
        .inverse_d = PAWL_CARVE(mem, double, max_rows),
        .padded = PAWL_CARVE(mem, double, max_rows),
        .product = PAWL_CARVE(mem, double, max_rows),
        .right = PAWL_CARVE(mem, double, max_rows),
        .answer = PAWL_CARVE(mem, double, max_rows),
        .scratch = PAWL_CARVE(mem, double, CONJUGATE_VECTORS *max_rows),
    };
}

// The block of s of contact block k, NULL where s is diagonal.
static const double *matrix_free_contact(const matrix_free *m, int k)
{
    int contact = k - (m->p->block_count - m->p->contact_count);
    return m->contacts != NULL && contact >= 0 ? m->contacts + 9 * contact : NULL;
}

// y += s x on block k
static void matrix_free_add_shift(const matrix_free *m, int k, const double *x, double *y)
{
    problem_block b = m->p->blocks[k];
    const double *own = matrix_free_contact(m, k);
    for (int r = 0; r < b.dim; ++r) {
        int i = b.first_row + r;
        y[i] += own == NULL ? m->sigma[i] * x[i]
                            : own[3 * r] * x[b.first_row] + own[3 * r + 1] * x[b.first_row + 1] +
                                  own[3 * r + 2] * x[b.first_row + 2];
    }
}

// Systems of the free rows alone leave out what is weak; solvers of all rows see to it themselves.
static bool matrix_free_is_weak(const matrix_free *m)
{
    return m->row_count > 0 && m->block_count == m->p->free_block_count && pawl_is_weak(m->p) &&
           !m->follows;
}

// The system may be over the first blocks of the problem alone (the free rows); the operator is applied to all rows,
// with zeros behind.
static void matrix_free_product(void *user, const double *x, double *y)
{
    matrix_free *m = user;
    size_t bytes = (size_t)m->row_count * sizeof *x;
    memcpy(m->padded, x, bytes);
    m->p->delassus->ops->apply(m->p->delassus, m->padded, m->product);
    memcpy(y, m->product, bytes);
    for (int k = 0; k < m->block_count; ++k) {
        matrix_free_add_shift(m, k, x, y);
    }
    if (matrix_free_is_weak(m)) {
        pawl_weak_velocities(m->p, y);
    }
}

// y = B^-1 x with B the diagonal blocks of D + s.
static void matrix_free_precondition(void *user, const double *x, double *y)
{
    const matrix_free *m = user;
    bool weak = matrix_free_is_weak(m);
    memcpy(y, x, (size_t)m->row_count * sizeof *x);
    if (weak) {
        pawl_weak_velocities(m->p, y);
    }
    for (int k = 0; k < m->block_count; ++k) {
        problem_block b = m->p->blocks[k];
        pawl_ldl_solve(m->factors + MATRIX_FREE_MAX_DIM * b.first_row, b.dim, b.dim,
                       m->inverse_d + b.first_row, y + b.first_row);
    }
    if (weak) {
        pawl_weak_impulses(m->p, y);
    }
}

// sigma (rows) and contacts (9 a contact) are copied: the caller's may change before the solve. The
// last answer is discarded, as it belongs to another matrix.
void pawl_matrix_free_set(matrix_free *m, const pawl_problem *p, int block_count,
                          const double *sigma, const double *contacts)
{
    m->p = p;
    m->block_count = block_count;
    m->row_count =
        block_count > 0 ? p->blocks[block_count - 1].first_row + p->blocks[block_count - 1].dim : 0;
    m->contacts = contacts == NULL ? NULL : m->blocks;
    if (contacts != NULL) {
        memcpy(m->blocks, contacts, (size_t)(9 * p->contact_count) * sizeof *contacts);
    }
    memcpy(m->sigma, sigma, (size_t)m->row_count * sizeof *sigma);
    memset(m->padded, 0, (size_t)p->row_count * sizeof *m->padded);
    memset(m->answer, 0, (size_t)m->row_count * sizeof *m->answer);
    for (int k = 0; k < block_count; ++k) {
        problem_block b = p->blocks[k];
        double *f = m->factors + MATRIX_FREE_MAX_DIM * b.first_row;
        const double *own = matrix_free_contact(m, k);
        p->delassus->ops->block(p->delassus, k, f);
        for (int i = 0; own != NULL && i < 9; ++i) {
            f[i] += own[i];
        }
        for (int r = 0; own == NULL && r < b.dim; ++r) {
            f[r * b.dim + r] += m->sigma[b.first_row + r];
        }
        pawl_ldl_factor(f, b.dim, b.dim, 1e-13, NULL, m->inverse_d + b.first_row);
    }
}

int pawl_matrix_free_solve(matrix_free *m, double *x)
{
    const conjugate_system system = {
        .user = m, .product = matrix_free_product, .precondition = matrix_free_precondition};
    size_t bytes = (size_t)m->row_count * sizeof *x;
    memcpy(m->right, x, bytes);
    if (matrix_free_is_weak(m)) {
        pawl_weak_velocities(m->p, m->right);
    }
    // A caller that solves a sequence of nearly equal systems starts from its last answer; others must not, because
    // then the result would depend on what was solved before.
    if (!m->follows) {
        memset(m->answer, 0, bytes);
    }
    int iterations =
        pawl_conjugate_gradients(&system, m->row_count, m->right, matrix_free_accuracy,
                                 MATRIX_FREE_ROUNDS * m->row_count + 50, m->answer, m->scratch);
    memcpy(x, m->answer, bytes);
    return iterations;
}
