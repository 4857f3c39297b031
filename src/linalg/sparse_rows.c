// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Builds a matrix in compressed rows from entries in any order: entries are sorted by row and
// column, and equal places are added in the order given.
#include "linalg/sparse_rows.h"
#include "base/carver.h"
#include "base/env.h"
#include "base/sort.h"
#include <limits.h>
#include <string.h>

static uint64_t rows_key(const sparse_rows *m, int i, int j)
{
    return (uint64_t)i * (uint64_t)m->columns + (uint64_t)j;
}

// The places of all entries, sorted, each once. Returns how many.
// SPARSE_ROWS_SYMMETRIC makes the pattern symmetric and adds the diagonal, as a factor needs it.
// Values are not mirrored: places without an entry are zeros.
static int rows_places(const sparse_rows *m, const pawl_triplets *t, sparse_rows_shape shape,
                       uint64_t *keys, uint64_t *scratch)
{
    int count = 0;
    for (int e = 0; e < t->count; ++e) {
        bool turned = shape == SPARSE_ROWS_TRANSPOSED;
        keys[count++] =
            rows_key(m, turned ? t->column[e] : t->row[e], turned ? t->row[e] : t->column[e]);
        if (shape == SPARSE_ROWS_SYMMETRIC) {
            keys[count++] = rows_key(m, t->column[e], t->row[e]);
        }
    }
    for (int i = 0; i < m->rows && shape == SPARSE_ROWS_SYMMETRIC; ++i) {
        keys[count++] = rows_key(m, i, i);
    }
    pawl_sort_keys(keys, scratch, count);
    int kept = 0;
    for (int e = 0; e < count; ++e) {
        if (kept == 0 || keys[e] != keys[kept - 1]) {
            keys[kept++] = keys[e];
        }
    }
    return kept;
}

// First place whose key is not less.
static int rows_find(const uint64_t *keys, int count, uint64_t key)
{
    int lo = 0, hi = count;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (keys[mid] < key) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

static void rows_layout(sparse_rows *m, int count, pawl_carver *mem)
{
    m->start = PAWL_CARVE(mem, int, (size_t)m->rows + 1);
    m->column = PAWL_CARVE(mem, int, count);
    m->value = PAWL_CARVE(mem, double, count);
}

static void rows_fill(sparse_rows *m, const pawl_triplets *t, sparse_rows_shape shape,
                      const uint64_t *keys, int count)
{
    for (int e = 0; e < count; ++e) {
        m->start[keys[e] / (uint64_t)m->columns + 1] = e + 1;
        m->column[e] = (int)(keys[e] % (uint64_t)m->columns);
    }
    for (int i = 0; i < m->rows; ++i) { // rows without entries
        m->start[i + 1] = m->start[i + 1] > m->start[i] ? m->start[i + 1] : m->start[i];
    }
    for (int e = 0; e < t->count; ++e) {
        bool turned = shape == SPARSE_ROWS_TRANSPOSED;
        uint64_t key =
            rows_key(m, turned ? t->column[e] : t->row[e], turned ? t->row[e] : t->column[e]);
        m->value[rows_find(keys, count, key)] += t->value[e];
    }
}

pawl_status pawl_sparse_rows_create(const pawl_env *env, const pawl_triplets *t,
                                    sparse_rows_shape shape, sparse_rows *out)
{
    bool turned = shape == SPARSE_ROWS_TRANSPOSED;
    *out = (sparse_rows){.rows = turned ? t->columns : t->rows,
                         .columns = turned ? t->rows : t->columns};
    size_t most =
        shape == SPARSE_ROWS_SYMMETRIC ? 2 * (size_t)t->count + (size_t)t->rows : (size_t)t->count;
    size_t key_bytes = 2 * most * sizeof(uint64_t);
    uint64_t *keys = most > INT_MAX ? NULL : pawl_alloc(env, key_bytes);
    if (keys == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for a sparse matrix of %d entries",
                         t->count);
    }
    int count = rows_places(out, t, shape, keys, keys + most);
    pawl_carver need = {0};
    rows_layout(out, count, &need);
    out->block = pawl_alloc(env, need.used);
    out->bytes = need.used;
    if (out->block != NULL) {
        pawl_carver mem = {.base = out->block, .capacity = need.used};
        rows_layout(out, count, &mem);
        rows_fill(out, t, shape, keys, count);
    }
    pawl_free(env, keys, key_bytes);
    return out->block != NULL
               ? PAWL_OK
               : PAWL_FAIL(env, PAWL_NO_MEMORY, "a sparse matrix of %d entries needs %zu bytes",
                           t->count, need.used);
}

void pawl_sparse_rows_free(const pawl_env *env, sparse_rows *m)
{
    pawl_free(env, m->block, m->bytes);
    *m = (sparse_rows){0};
}

void pawl_sparse_rows_apply(const sparse_rows *m, const double *x, double *y)
{
    for (int i = 0; i < m->rows; ++i) {
        double sum = 0.0;
        for (int e = m->start[i]; e < m->start[i + 1]; ++e) {
            sum += m->value[e] * x[m->column[e]];
        }
        y[i] = sum;
    }
}

void pawl_sparse_rows_apply_transposed(const sparse_rows *m, const double *x, double *y)
{
    memset(y, 0, (size_t)m->columns * sizeof *y);
    for (int i = 0; i < m->rows; ++i) {
        if (x[i] == 0.0) { // what nothing touches costs nothing
            continue;
        }
        for (int e = m->start[i]; e < m->start[i + 1]; ++e) {
            y[m->column[e]] += m->value[e] * x[i];
        }
    }
}
