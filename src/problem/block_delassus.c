// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The operator of a contact problem that came as a matrix, in block compressed rows of 3 x 3
// blocks: products, rows for sweeps, and factors of D + s by linalg/sparse_ldl.h.
//
// Such problems have contacts only, hence no free rows, and no geometry behind the matrix. Values
// are stored row by row over all blocks of a contact (block_matrix_entry): this is also plain
// compressed row storage of the 3n x 3n matrix, so the sparse factor reads the same array.
#include "problem/block_delassus.h"
#include "base/carver.h"
#include "linalg/sparse_ldl.h"
#include <string.h>

typedef struct block_delassus {
    pawl_delassus base; // first, so that a pawl_delassus * is also one of these
    pawl_env env;
    size_t bytes;
    block_matrix D;
    double *x;       // (rows) what sweeps have made of their start
    double *shifted; // (entries) the matrix that is factored
    sparse_ldl *ldl; // made by the first factor
} block_delassus;

// The three rows of a contact are stored one after the other, each over all blocks: three sums at once over one pass
// of x.
void pawl_block_matrix_row(const block_matrix *m, int i, const double *x, double *out)
{
    int first = m->start[i], count = m->start[i + 1] - first;
    const double *a = m->value + 9 * (size_t)first, *b = a + 3 * count, *c = b + 3 * count;
    double s0 = 0.0, s1 = 0.0, s2 = 0.0;
    for (int k = 0; k < count; ++k) {
        const double *xj = x + 3 * m->column[first + k];
        s0 += a[3 * k] * xj[0] + a[3 * k + 1] * xj[1] + a[3 * k + 2] * xj[2];
        s1 += b[3 * k] * xj[0] + b[3 * k + 1] * xj[1] + b[3 * k + 2] * xj[2];
        s2 += c[3 * k] * xj[0] + c[3 * k + 1] * xj[1] + c[3 * k + 2] * xj[2];
    }
    out[0] = s0;
    out[1] = s1;
    out[2] = s2;
}

void pawl_block_matrix_apply(const block_matrix *m, const double *x, double *y)
{
    for (int i = 0; i < m->contact_count; ++i) {
        pawl_block_matrix_row(m, i, x, y + 3 * i);
    }
}

static void block_apply(pawl_delassus *base, const double *x, double *y)
{
    pawl_block_matrix_apply(&((block_delassus *)base)->D, x, y);
}

static void block_diagonal(pawl_delassus *base, int first_block, double *out)
{
    const block_matrix *m = &((block_delassus *)base)->D;
    for (int i = first_block; i < m->contact_count; ++i) {
        for (int r = 0; r < 3; ++r) {
            out[3 * i + r] = m->value[block_matrix_entry(m, i, m->diagonal[i], r) + r];
        }
    }
}

static void block_block(pawl_delassus *base, int block, double *out)
{
    const block_matrix *m = &((block_delassus *)base)->D;
    for (int r = 0; r < 3; ++r) {
        memcpy(out + 3 * r, m->value + block_matrix_entry(m, block, m->diagonal[block], r),
               3 * sizeof *out);
    }
}

// A matrix in rows needs no updates: the velocity of a block is computed from x on request.
static void block_sweep_begin(pawl_delassus *base, const double *x)
{
    block_delassus *d = (block_delassus *)base;
    memcpy(d->x, x, (size_t)(3 * d->D.contact_count) * sizeof *x);
}

static void block_sweep_velocity(pawl_delassus *base, int block, double *out)
{
    block_delassus *d = (block_delassus *)base;
    pawl_block_matrix_row(&d->D, block, d->x, out);
}

static void block_sweep_add(pawl_delassus *base, int block, const double *dx)
{
    double *x = ((block_delassus *)base)->x + 3 * block;
    for (int r = 0; r < 3; ++r) {
        x[r] += dx[r];
    }
}

// There are no free rows.
static int block_factor(pawl_delassus *base, const double *compliance, double shift)
{
    (void)base, (void)compliance, (void)shift;
    return 0;
}

static void block_solve(pawl_delassus *base, double *x)
{
    (void)base, (void)x;
}

// The pattern, entry by entry, and the room for values.
// Needed by solvers that factor; those that sweep never ask for it. It is therefore made on demand.
static bool block_structure(block_delassus *d)
{
    const block_matrix *m = &d->D;
    int rows = 3 * m->contact_count, entries = 9 * m->start[m->contact_count];
    size_t bytes = ((size_t)entries + (size_t)rows + 1) * sizeof(int);
    int *start = pawl_alloc(&d->env, bytes);
    if (start == NULL) {
        return false;
    }
    int *column = start + rows + 1, at = 0;
    for (int i = 0; i < m->contact_count; ++i) {
        for (int r = 0; r < 3; ++r) {
            start[3 * i + r] = at;
            for (int e = m->start[i]; e < m->start[i + 1]; ++e) {
                for (int c = 0; c < 3; ++c) {
                    column[at++] = 3 * m->column[e] + c;
                }
            }
        }
    }
    start[rows] = at;
    if (d->shifted == NULL) {
        d->shifted = pawl_alloc(&d->env, (size_t)entries * sizeof *d->shifted);
    }
    bool made = d->shifted != NULL &&
                pawl_sparse_ldl_create(&d->env, rows, start, column, &d->ldl) == PAWL_OK;
    pawl_free(&d->env, start, bytes);
    return made;
}

// The pattern does not change between factorizations, so its ordering is found once. `contacts` has full 3 x 3 shifts
// instead of a diagonal.
static bool block_factor_shifted(pawl_delassus *base, const double *sigma, const double *contacts)
{
    block_delassus *d = (block_delassus *)base;
    const block_matrix *m = &d->D;
    if (d->ldl == NULL && !block_structure(d)) {
        return false;
    }
    size_t entries = 9 * (size_t)m->start[m->contact_count];
    memcpy(d->shifted, m->value, entries * sizeof *d->shifted);
    for (int i = 0; i < m->contact_count; ++i) {
        for (int r = 0; r < 3; ++r) {
            double *row = d->shifted + block_matrix_entry(m, i, m->diagonal[i], r);
            for (int c = 0; c < 3 && contacts != NULL; ++c) {
                row[c] += contacts[9 * i + 3 * r + c];
            }
            row[r] += contacts == NULL ? sigma[3 * i + r] : 0.0;
        }
    }
    (void)pawl_sparse_ldl_factor(d->ldl, d->shifted, 1e-15);
    return true;
}

static void block_solve_shifted(pawl_delassus *base, double *x)
{
    pawl_sparse_ldl_solve(((block_delassus *)base)->ldl, x);
}

static const pawl_delassus_ops block_delassus_ops = {
    .apply = block_apply,
    .diagonal = block_diagonal,
    .block = block_block,
    .sweep_begin = block_sweep_begin,
    .sweep_velocity = block_sweep_velocity,
    .sweep_add = block_sweep_add,
    .factor = block_factor,
    .solve = block_solve,
    .factor_shifted = block_factor_shifted,
    .solve_shifted = block_solve_shifted,
};

pawl_status pawl_block_delassus_create(const pawl_env *env, const block_matrix *matrix,
                                       pawl_delassus **out)
{
    *out = NULL;
    pawl_carver need = {0};
    block_delassus *d = NULL;
    double *x = NULL;
    for (int pass = 0; pass < 2; ++pass) {
        pawl_carver mem = {0};
        if (pass == 1) {
            mem.base = pawl_alloc(env, need.used);
            mem.capacity = need.used;
            if (mem.base == NULL) {
                return PAWL_FAIL(env, PAWL_NO_MEMORY, "the operator needs %zu bytes", need.used);
            }
        }
        d = PAWL_CARVE(&mem, block_delassus, 1);
        x = PAWL_CARVE(&mem, double, 3 * (size_t)matrix->contact_count);
        need = mem;
    }
    *d = (block_delassus){.base = {.ops = &block_delassus_ops},
                          .env = *env,
                          .bytes = need.used,
                          .D = *matrix,
                          .x = x};
    *out = &d->base;
    return PAWL_OK;
}

void pawl_block_delassus_destroy(pawl_delassus *base)
{
    block_delassus *d = (block_delassus *)base;
    if (d != NULL) {
        pawl_env env = d->env;
        size_t entries = 9 * (size_t)d->D.start[d->D.contact_count];
        pawl_sparse_ldl_destroy(d->ldl);
        pawl_free(&env, d->shifted, entries * sizeof *d->shifted);
        pawl_free(&env, d, d->bytes);
    }
}
