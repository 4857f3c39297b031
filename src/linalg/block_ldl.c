// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "linalg/block_ldl.h"
#include "base/array.h"
#include "base/carver.h"
#include "linalg/dense.h"
#include <string.h>
#include <suitesparse/amd.h>

struct block_ldl {
    pawl_env env;
    size_t bytes;
    int node_count, row_count, entry_count;
    // by position in the elimination order
    int *node;      // (node_count) which node is eliminated k-th
    int *position;  // (node_count) its inverse
    int *dim;       // (node_count) by position
    int *first_row; // (node_count) by node, in the caller's vector
    int *diagonal;  // (node_count) offset of the diagonal block
    int *column;    // (node_count + 1) first entry of each column of L
    // by entry (an off-diagonal block of L), sorted by row within a column
    int *row;    // (entry_count) position of its row
    int *offset; // (entry_count) of its values, dim(row) x dim(column)
    int *update; // (entry_count) first target offset of the pairs (this entry, entries before)
    int *target; // offsets of the blocks that an elimination changes
    size_t value_count;
    double *values;
    double *inverse_d; // (row_count) by position
    double *original;  // (row_count) by position: the diagonal before elimination
    double *scaled;    // X = L D of the column at work
    int *first_pivot;  // (node_count) into inverse_d
};

typedef struct ldl_symbolic {
    pawl_array rows; // int: row positions of the entries, column by column
    int *column;     // (node_count + 1)
    int target_count;
} ldl_symbolic;

// The approximate minimum degree order of the node graph. AMD takes its scratch memory from the C
// library: the one place where creation does not go through pawl_env.
static pawl_status ldl_order(const pawl_env *env, int n, const int *start, const int *adjacent,
                             int *order)
{
    double control[AMD_CONTROL];
    amd_defaults(control);
    int status = amd_order(n, start, adjacent, order, control, NULL);
    if (status != AMD_OK && status != AMD_OK_BUT_JUMBLED) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "ordering %d constraint blocks failed", n);
    }
    return PAWL_OK;
}

// Adjacency lists of the edges, both ways, with duplicates (AMD and the fill both cope).
static void ldl_adjacency(int n, const block_edge *edges, int edge_count, int *start, int *adjacent)
{
    memset(start, 0, (size_t)(n + 1) * sizeof *start);
    for (int e = 0; e < edge_count; ++e) {
        ++start[edges[e].a + 1];
        ++start[edges[e].b + 1];
    }
    for (int k = 0; k < n; ++k) {
        start[k + 1] += start[k];
    }
    for (int e = 0; e < edge_count; ++e) {
        adjacent[start[edges[e].a]++] = edges[e].b;
        adjacent[start[edges[e].b]++] = edges[e].a;
    }
    for (int k = n; k > 0; --k) {
        start[k] = start[k - 1];
    }
    start[0] = 0;
}

static void ldl_sort(int *a, int n) // insertion: columns of near-trees are short
{
    for (int i = 1; i < n; ++i) {
        int x = a[i], j = i;
        for (; j > 0 && a[j - 1] > x; --j) {
            a[j] = a[j - 1];
        }
        a[j] = x;
    }
}

// Structure of L: column k has the later neighbours of k and the columns of its children.
static pawl_status ldl_fill(const pawl_env *env, int n, const int *start, const int *adjacent,
                            const int *order, const int *position, int *mark, int *child, int *next,
                            ldl_symbolic *out)
{
    for (int k = 0; k < n; ++k) {
        mark[k] = child[k] = next[k] = -1;
    }
    out->column[0] = 0;
    for (int k = 0; k < n; ++k) {
        int begin = out->rows.count;
        mark[k] = k;
        int node = order[k];
        for (int e = start[node]; e < start[node + 1]; ++e) {
            int i = position[adjacent[e]];
            if (i > k && mark[i] != k) {
                mark[i] = k;
                int *slot = pawl_array_push(env, &out->rows, sizeof(int));
                if (slot == NULL) {
                    return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the factor's structure");
                }
                *slot = i;
            }
        }
        for (int c = child[k]; c >= 0; c = next[c]) {
            for (int e = out->column[c]; e < out->column[c + 1]; ++e) {
                int i = PAWL_ITEM(out->rows, int, e);
                if (i > k && mark[i] != k) {
                    mark[i] = k;
                    int *slot = pawl_array_push(env, &out->rows, sizeof(int));
                    if (slot == NULL) {
                        return PAWL_FAIL(env, PAWL_NO_MEMORY,
                                         "no memory for the factor's structure");
                    }
                    *slot = i;
                }
            }
        }
        int count = out->rows.count - begin;
        if (count > 0) {
            int *rows = &PAWL_ITEM(out->rows, int, begin);
            ldl_sort(rows, count);
            next[k] = child[rows[0]];
            child[rows[0]] = k;
        }
        out->column[k + 1] = out->rows.count;
        out->target_count += count * (count + 1) / 2;
    }
    return PAWL_OK;
}

// Entry of L at (row position i, column position k), or -1.
static int ldl_find(const block_ldl *l, int i, int k)
{
    int lo = l->column[k], hi = l->column[k + 1];
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (l->row[mid] < i) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo < l->column[k + 1] && l->row[lo] == i ? lo : -1;
}

static block_ldl *ldl_layout(int n, int rows, int entries, int targets, size_t values,
                             int max_column, pawl_carver *mem)
{
    block_ldl *l = PAWL_CARVE(mem, block_ldl, 1);
    int *by_node[7];
    for (int i = 0; i < 7; ++i) {
        by_node[i] = PAWL_CARVE(mem, int, n + 1);
    }
    int *by_entry[3];
    for (int i = 0; i < 3; ++i) {
        by_entry[i] = PAWL_CARVE(mem, int, entries);
    }
    int *target = PAWL_CARVE(mem, int, targets);
    double *value = PAWL_CARVE(mem, double, values);
    double *inverse_d = PAWL_CARVE(mem, double, rows);
    double *original = PAWL_CARVE(mem, double, rows);
    double *scaled = PAWL_CARVE(mem, double, max_column);
    if (l != NULL) {
        *l = (block_ldl){.node_count = n,
                         .row_count = rows,
                         .entry_count = entries,
                         .node = by_node[0],
                         .position = by_node[1],
                         .dim = by_node[2],
                         .first_row = by_node[3],
                         .diagonal = by_node[4],
                         .column = by_node[5],
                         .first_pivot = by_node[6],
                         .row = by_entry[0],
                         .offset = by_entry[1],
                         .update = by_entry[2],
                         .target = target,
                         .value_count = values,
                         .values = value,
                         .inverse_d = inverse_d,
                         .original = original,
                         .scaled = scaled};
    }
    return l;
}

// From the structure to the object: counts, one block, offsets, update targets.
static pawl_status ldl_build(const pawl_env *env, int n, const int *dim, const int *order,
                             const ldl_symbolic *s, block_ldl **out)
{
    size_t values = 0;
    int rows = 0, max_column = 1;
    for (int k = 0; k < n; ++k) {
        int d = dim[order[k]], column_rows = 0;
        values += (size_t)d * (size_t)d;
        rows += d;
        for (int e = s->column[k]; e < s->column[k + 1]; ++e) {
            column_rows += dim[order[PAWL_ITEM(s->rows, int, e)]];
        }
        values += (size_t)d * (size_t)column_rows;
        max_column = d * column_rows > max_column ? d * column_rows : max_column;
    }
    if (values > INT32_MAX) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "the factor would have %zu entries", values);
    }
    int entries = s->rows.count;
    pawl_carver need = {0};
    ldl_layout(n, rows, entries, s->target_count, values, max_column, &need);
    char *block = pawl_alloc(env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "the factor needs %zu bytes", need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    block_ldl *l = ldl_layout(n, rows, entries, s->target_count, values, max_column, &mem);
    l->env = *env;
    l->bytes = need.used;
    int offset = 0, pivot = 0, first = 0;
    for (int node = 0; node < n; ++node) {
        l->first_row[node] = first;
        first += dim[node];
    }
    for (int k = 0; k < n; ++k) {
        l->position[order[k]] = k;
    }
    for (int k = 0; k < n; ++k) {
        l->node[k] = order[k];
        l->dim[k] = dim[order[k]];
        l->first_pivot[k] = pivot;
        pivot += l->dim[k];
        l->diagonal[k] = offset;
        offset += l->dim[k] * l->dim[k];
        l->column[k] = s->column[k];
        for (int e = s->column[k]; e < s->column[k + 1]; ++e) {
            l->row[e] = PAWL_ITEM(s->rows, int, e);
            l->offset[e] = offset;
            offset += l->dim[k] * dim[order[l->row[e]]];
        }
    }
    l->column[n] = entries;
    int target = 0;
    for (int k = 0; k < n; ++k) {
        for (int e = l->column[k]; e < l->column[k + 1]; ++e) {
            l->update[e] = target;
            for (int f = l->column[k]; f <= e; ++f) {
                l->target[target++] =
                    f == e ? l->diagonal[l->row[e]] : l->offset[ldl_find(l, l->row[e], l->row[f])];
            }
        }
    }
    *out = l;
    return PAWL_OK;
}

pawl_status pawl_block_ldl_create(const pawl_env *env, int n, const int *dim,
                                  const block_edge *edges, int edge_count, block_ldl **out)
{
    *out = NULL;
    pawl_carver need = {0};
    for (int pass = 0; pass < 2; ++pass) {
        pawl_carver mem = {0};
        if (pass == 1) {
            mem.base = pawl_alloc(env, need.used);
            mem.capacity = need.used;
            if (mem.base == NULL) {
                return PAWL_FAIL(env, PAWL_NO_MEMORY, "ordering needs %zu bytes", need.used);
            }
        }
        int *start = PAWL_CARVE(&mem, int, n + 1);
        int *adjacent = PAWL_CARVE(&mem, int, 2 * edge_count);
        int *order = PAWL_CARVE(&mem, int, n);
        int *position = PAWL_CARVE(&mem, int, n);
        int *mark = PAWL_CARVE(&mem, int, n);
        int *child = PAWL_CARVE(&mem, int, n);
        int *next = PAWL_CARVE(&mem, int, n);
        int *column = PAWL_CARVE(&mem, int, n + 1);
        need = mem;
        if (pass == 0) {
            continue;
        }
        ldl_symbolic symbolic = {.column = column};
        ldl_adjacency(n, edges, edge_count, start, adjacent);
        pawl_status status = ldl_order(env, n, start, adjacent, order);
        if (status == PAWL_OK) {
            for (int k = 0; k < n; ++k) {
                position[order[k]] = k;
            }
            status =
                ldl_fill(env, n, start, adjacent, order, position, mark, child, next, &symbolic);
        }
        if (status == PAWL_OK) {
            status = ldl_build(env, n, dim, order, &symbolic, out);
        }
        pawl_array_free(env, &symbolic.rows);
        pawl_free(env, mem.base, mem.capacity);
        return status;
    }
    return PAWL_OK;
}

void pawl_block_ldl_destroy(block_ldl *l)
{
    if (l != NULL) {
        pawl_env env = l->env;
        pawl_free(&env, l, l->bytes);
    }
}

block_slot pawl_block_ldl_slot(const block_ldl *l, int a, int b)
{
    int i = l->position[a], k = l->position[b];
    if (i == k) {
        return (block_slot){l->diagonal[k], l->dim[k], false};
    }
    bool transposed = i < k; // stored below the diagonal
    int e = transposed ? ldl_find(l, k, i) : ldl_find(l, i, k);
    PAWL_ASSERT(e >= 0);
    return (block_slot){l->offset[e], l->dim[transposed ? i : k], transposed};
}

double *pawl_block_ldl_values(block_ldl *l)
{
    return l->values;
}

size_t pawl_block_ldl_value_count(const block_ldl *l)
{
    return l->value_count;
}

// X = A L^-T for the m x n block A below a factored n x n diagonal block; A becomes X D^-1.
static inline void ldl_scale(double *a, int m, int n, const double *diagonal,
                             const double *inverse_d, double *x)
{
    for (int r = 0; r < m; ++r) {
        for (int c = 0; c < n; ++c) {
            double s = a[r * n + c];
            for (int p = 0; p < c; ++p) {
                s -= x[r * n + p] * diagonal[c * n + p];
            }
            x[r * n + c] = s;
        }
        for (int c = 0; c < n; ++c) {
            a[r * n + c] = x[r * n + c] * inverse_d[c];
        }
    }
}

// C -= L XT, with L m x n, X q x n, C m x q of stride q.
static inline void ldl_update(double *c, int m, int q, int n, const double *l, const double *x)
{
    for (int r = 0; r < m; ++r) {
        for (int s = 0; s < q; ++s) {
            double sum = 0.0;
            for (int p = 0; p < n; ++p) {
                sum += l[r * n + p] * x[s * n + p];
            }
            c[r * q + s] -= sum;
        }
    }
}

// The same code with the inner length known to the compiler for the sizes joints have.
#define LDL_BY_SIZE(n, call)                                                                       \
    switch (n) {                                                                                   \
    case 3: {                                                                                      \
        enum { N = 3 };                                                                            \
        call;                                                                                      \
        break;                                                                                     \
    }                                                                                              \
    case 5: {                                                                                      \
        enum { N = 5 };                                                                            \
        call;                                                                                      \
        break;                                                                                     \
    }                                                                                              \
    case 6: {                                                                                      \
        enum { N = 6 };                                                                            \
        call;                                                                                      \
        break;                                                                                     \
    }                                                                                              \
    default: {                                                                                     \
        const int N = (n);                                                                         \
        call;                                                                                      \
        break;                                                                                     \
    }                                                                                              \
    }

int pawl_block_ldl_factor(block_ldl *l, double floor)
{
    int dropped = 0;
    double *v = l->values;
    // Pivots are weighed against the matrix as it came: what is left of a dependent row after
    // earlier nodes were eliminated is noise, next to which another noise looks large.
    for (int k = 0; k < l->node_count; ++k) {
        for (int r = 0; r < l->dim[k]; ++r) {
            l->original[l->first_pivot[k] + r] = v[l->diagonal[k] + r * (l->dim[k] + 1)];
        }
    }
    for (int k = 0; k < l->node_count; ++k) {
        int n = l->dim[k];
        double *diagonal = v + l->diagonal[k];
        double *inverse_d = l->inverse_d + l->first_pivot[k];
        dropped +=
            pawl_ldl_factor(diagonal, n, n, floor, l->original + l->first_pivot[k], inverse_d);
        double *x = l->scaled;
        for (int e = l->column[k]; e < l->column[k + 1]; ++e) {
            int m = l->dim[l->row[e]];
            LDL_BY_SIZE(n, ldl_scale(v + l->offset[e], m, N, diagonal, inverse_d, x))
            x += m * n;
        }
        for (int e = l->column[k]; e < l->column[k + 1]; ++e) {
            int m = l->dim[l->row[e]];
            const double *le = v + l->offset[e];
            const int *target = l->target + l->update[e];
            const double *xf = l->scaled;
            for (int f = l->column[k]; f <= e; ++f) {
                int q = l->dim[l->row[f]];
                LDL_BY_SIZE(n, ldl_update(v + *target, m, q, N, le, xf))
                ++target;
                xf += q * n;
            }
        }
    }
    return dropped;
}

// x -= B t for the m x n block B.
static inline void ldl_forward(const double *restrict b, int m, int n, const double *restrict t,
                               double *restrict x)
{
    for (int r = 0; r < m; ++r) {
        double sum = 0.0;
        for (int c = 0; c < n; ++c) {
            sum += b[r * n + c] * t[c];
        }
        x[r] -= sum;
    }
}

// t -= BT x for the m x n block B.
static inline void ldl_backward(const double *restrict b, int m, int n, const double *restrict x,
                                double *restrict t)
{
    for (int r = 0; r < m; ++r) {
        for (int c = 0; c < n; ++c) {
            t[c] -= b[r * n + c] * x[r];
        }
    }
}

static inline void ldl_lower(const double *restrict d, int n, double *restrict t)
{
    for (int i = 1; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            t[i] -= d[i * n + j] * t[j];
        }
    }
}

static inline void ldl_upper(const double *restrict d, int n, double *restrict t)
{
    for (int i = n - 1; i > 0; --i) {
        for (int j = 0; j < i; ++j) {
            t[j] -= d[i * n + j] * t[i];
        }
    }
}

static void ldl_solve_dense(const block_ldl *l, double *x)
{
    pawl_ldl_solve(l->values + l->diagonal[0], l->dim[0], l->dim[0], l->inverse_d, x);
}

void pawl_block_ldl_solve(block_ldl *l, double *x)
{
    if (l->node_count == 1) {
        ldl_solve_dense(l, x);
        return;
    }
    const double *v = l->values;
    for (int k = 0; k < l->node_count; ++k) {
        int n = l->dim[k];
        double *t = x + l->first_row[l->node[k]];
        LDL_BY_SIZE(n, ldl_lower(v + l->diagonal[k], N, t))
        for (int e = l->column[k]; e < l->column[k + 1]; ++e) {
            int i = l->row[e], m = l->dim[i];
            double *xi = x + l->first_row[l->node[i]];
            LDL_BY_SIZE(n, ldl_forward(v + l->offset[e], m, N, t, xi))
        }
    }
    for (int k = l->node_count - 1; k >= 0; --k) {
        int n = l->dim[k];
        const double *inverse_d = l->inverse_d + l->first_pivot[k];
        double *t = x + l->first_row[l->node[k]];
        for (int c = 0; c < n; ++c) {
            t[c] *= inverse_d[c];
        }
        for (int e = l->column[k]; e < l->column[k + 1]; ++e) {
            int i = l->row[e], m = l->dim[i];
            const double *xi = x + l->first_row[l->node[i]];
            LDL_BY_SIZE(n, ldl_backward(v + l->offset[e], m, N, xi, t))
        }
        LDL_BY_SIZE(n, ldl_upper(v + l->diagonal[k], N, t))
    }
}
