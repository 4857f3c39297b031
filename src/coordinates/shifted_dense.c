// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Solves (D + s) x = b for few rows with D written out as a dense matrix, by L D LT. Below some
// tens of rows this is faster than any sparse structure.
#include "coordinates/shifted_dense.h"
#include "problem/dense_delassus.h"
#include <string.h>

struct shifted_dense {
    pawl_env env;
    const pawl_assembly *a; // of the rows at work
    pawl_problem problem;   // theirs, no row of it free: all rows are shifted alike
    dense_delassus matrix;
    char *memory;
    size_t bytes;
};

// The old memory is freed only after the new one was found: on failure the object stays usable.
static bool shifted_dense_reserve(shifted_dense *f, int rows)
{
    if (rows <= f->matrix.capacity) {
        return true;
    }
    pawl_carver need = {0};
    (void)pawl_dense_delassus_layout(rows, &need);
    char *memory = pawl_alloc(&f->env, need.used);
    if (memory == NULL) {
        return false;
    }
    pawl_free(&f->env, f->memory, f->bytes);
    f->memory = memory;
    f->bytes = need.used;
    pawl_carver mem = {.base = memory, .capacity = need.used};
    f->matrix = pawl_dense_delassus_layout(rows, &mem);
    return true;
}

pawl_status pawl_shifted_dense_create(const pawl_env *env, int room, shifted_dense **out)
{
    *out = NULL;
    shifted_dense *f = pawl_alloc(env, sizeof *f);
    if (f != NULL) {
        f->env = *env;
    }
    if (f == NULL || !shifted_dense_reserve(f, room)) {
        pawl_shifted_dense_destroy(f);
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for a dense matrix of %d rows", room);
    }
    *out = f;
    return PAWL_OK;
}

void pawl_shifted_dense_destroy(shifted_dense *f)
{
    if (f != NULL) {
        pawl_env env = f->env;
        pawl_free(&env, f->memory, f->bytes);
        pawl_free(&env, f, sizeof *f);
    }
}

// J M^-1 JT of two blocks at one body of each, added to D and to its mirror image.
static void shifted_dense_add(shifted_dense *f, const row_block *x, int at_x, const row_block *y,
                              int at_y)
{
    size_t n = (size_t)f->problem.row_count;
    for (int r = 0; r < x->rows.dim; ++r) {
        const double *j = f->a->J + x->jacobian[at_x] + 6 * r;
        size_t row = (size_t)(x->rows.first_row + r);
        for (int c = 0; c < y->rows.dim; ++c) {
            const double *m = f->a->MJ + y->jacobian[at_y] + 6 * c;
            size_t column = (size_t)(y->rows.first_row + c);
            double sum = (j[0] * m[0] + j[1] * m[1] + j[2] * m[2]) +
                         (j[3] * m[3] + j[4] * m[4] + j[5] * m[5]);
            f->matrix.matrix[row * n + column] += sum;
            if (x != y) {
                f->matrix.matrix[column * n + row] += sum;
            }
        }
    }
}

// Every pair of blocks that shares a body adds one product per shared body.
static void shifted_dense_form(shifted_dense *f, const row_set *rows)
{
    size_t n = (size_t)f->problem.row_count;
    memset(f->matrix.matrix, 0, n * n * sizeof *f->matrix.matrix);
    for (int i = 0; i < f->problem.block_count; ++i) {
        const row_block *x = &rows->blocks[i];
        for (int j = 0; j <= i; ++j) {
            const row_block *y = &rows->blocks[j];
            for (int p = 0; p < x->body_count; ++p) {
                for (int q = 0; q < y->body_count; ++q) {
                    if (x->body[p] == y->body[q]) {
                        shifted_dense_add(f, x, p, y, q);
                    }
                }
            }
        }
    }
}

// The dense operator knows no free rows, so a copy of the problem without any is bound to it.
bool pawl_shifted_dense_update(shifted_dense *f, const row_set *rows, const double *sigma,
                               const double *contacts)
{
    if (!shifted_dense_reserve(f, rows->problem->row_count)) {
        return false;
    }
    f->a = rows->a;
    f->problem = *rows->problem;
    f->problem.free_row_count = f->problem.free_block_count = 0;
    pawl_dense_delassus_bind(&f->matrix, &f->problem);
    shifted_dense_form(f, rows);
    return f->matrix.base.ops->factor_shifted(&f->matrix.base, sigma, contacts);
}

void pawl_shifted_dense_solve(shifted_dense *f, double *x)
{
    f->matrix.base.ops->solve_shifted(&f->matrix.base, x);
}
