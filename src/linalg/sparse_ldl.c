// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// L D LT of a sparse symmetric positive definite matrix given by entries. Rows with equal patterns
// (the three rows of a contact, the contacts of one pair) are merged to nodes, and
// linalg/block_ldl.h factors the nodes in dense blocks.
#include "linalg/sparse_ldl.h"
#include "base/array.h"
#include "base/carver.h"
#include "base/hash.h"
#include "linalg/block_ldl.h"
#include <string.h>

struct sparse_ldl {
    pawl_env env;
    size_t bytes;
    block_ldl *blocks;
    int row_count, entry_count;
    int *place;       // (row_count) of a row in the nodes' vector
    int *target;      // (entry_count) where an entry goes in the values of `blocks`; -1: its mirror
                      // image is stored
    double *permuted; // (row_count)
};

// What is only needed while the structure is made.
typedef struct sparse_nodes {
    int count;
    int *node;   // (rows) the node of a row
    int *within; // (rows) which row of its node
    int *dim;    // (rows) by node
    int *first;  // (rows) by node: its first row
    int *mark;   // (rows) by node
} sparse_nodes;

// Columns of a row are sorted, so equal patterns are equal bytes.
static bool sparse_same_neighbours(const int *start, const int *column, int i, int j)
{
    int count = start[i + 1] - start[i];
    return start[j + 1] - start[j] == count &&
           memcmp(column + start[i], column + start[j], (size_t)count * sizeof *column) == 0;
}

// Rows with the same neighbours, themselves included, are neighbours of each other.
// Only later neighbours of a row can be in its node, which the hash finds without comparing all
// pairs.
static void sparse_gather(int rows, const int *start, const int *column, const uint64_t *hash,
                          sparse_nodes *nodes)
{
    for (int i = 0; i < rows; ++i) {
        nodes->node[i] = -1;
    }
    for (int i = 0; i < rows; ++i) {
        if (nodes->node[i] >= 0) {
            continue;
        }
        int node = nodes->count++;
        nodes->dim[node] = 0;
        nodes->first[node] = i;
        for (int e = start[i]; e < start[i + 1]; ++e) {
            int j = column[e];
            if (j >= i && nodes->node[j] < 0 && hash[j] == hash[i] &&
                sparse_same_neighbours(start, column, i, j)) {
                nodes->node[j] = node;
                nodes->within[j] = nodes->dim[node]++;
            }
        }
    }
}

static pawl_status sparse_edges(const pawl_env *env, const int *start, const int *column,
                                sparse_nodes *nodes, pawl_array *edges)
{
    for (int k = 0; k < nodes->count; ++k) {
        nodes->mark[k] = -1;
    }
    for (int k = 0; k < nodes->count; ++k) {
        int row = nodes->first[k];
        for (int e = start[row]; e < start[row + 1]; ++e) {
            int other = nodes->node[column[e]];
            if (other >= k || nodes->mark[other] == k) {
                continue;
            }
            nodes->mark[other] = k;
            block_edge *edge = pawl_array_push(env, edges, sizeof *edge);
            if (edge == NULL) {
                return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the factor's structure");
            }
            *edge = (block_edge){k, other};
        }
    }
    return PAWL_OK;
}

static sparse_ldl *sparse_layout(int rows, int entries, pawl_carver *mem)
{
    sparse_ldl *s = PAWL_CARVE(mem, sparse_ldl, 1);
    int *place = PAWL_CARVE(mem, int, rows);
    int *target = PAWL_CARVE(mem, int, entries);
    double *permuted = PAWL_CARVE(mem, double, rows);
    if (s != NULL) {
        *s = (sparse_ldl){.row_count = rows,
                          .entry_count = entries,
                          .place = place,
                          .target = target,
                          .permuted = permuted};
    }
    return s;
}

// One of an entry and its mirror image is stored, the one in the lower triangle by nodes.
static void sparse_targets(sparse_ldl *s, const int *start, const int *column,
                           const sparse_nodes *nodes)
{
    for (int i = 0; i < s->row_count; ++i) {
        int a = nodes->node[i], r = nodes->within[i];
        for (int e = start[i]; e < start[i + 1]; ++e) {
            int b = nodes->node[column[e]], c = nodes->within[column[e]];
            if (b > a || (b == a && c > r)) {
                s->target[e] = -1;
                continue;
            }
            block_slot slot = pawl_block_ldl_slot(s->blocks, a, b);
            s->target[e] =
                slot.offset + (slot.transposed ? c * slot.stride + r : r * slot.stride + c);
        }
    }
}

static pawl_status sparse_build(const pawl_env *env, int rows, const int *start, const int *column,
                                sparse_nodes *nodes, sparse_ldl **out)
{
    pawl_carver need = {0};
    sparse_layout(rows, start[rows], &need);
    char *block = pawl_alloc(env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "the factor needs %zu bytes", need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    sparse_ldl *s = sparse_layout(rows, start[rows], &mem);
    s->env = *env;
    s->bytes = need.used;
    pawl_array edges = {0};
    pawl_status status = sparse_edges(env, start, column, nodes, &edges);
    if (status == PAWL_OK) {
        status = pawl_block_ldl_create(env, nodes->count, nodes->dim, edges.data, edges.count,
                                       &s->blocks);
    }
    pawl_array_free(env, &edges);
    if (status != PAWL_OK) {
        pawl_sparse_ldl_destroy(s);
        return status;
    }
    int first = 0;
    for (int k = 0; k < nodes->count; ++k) {
        nodes->first[k] = first;
        first += nodes->dim[k];
    }
    for (int i = 0; i < rows; ++i) {
        s->place[i] = nodes->first[nodes->node[i]] + nodes->within[i];
    }
    sparse_targets(s, start, column, nodes);
    *out = s;
    return PAWL_OK;
}

pawl_status pawl_sparse_ldl_create(const pawl_env *env, int rows, const int *start,
                                   const int *column, sparse_ldl **out)
{
    *out = NULL;
    size_t bytes = (size_t)rows * (sizeof(uint64_t) + 5 * sizeof(int));
    uint64_t *hash = pawl_alloc(env, bytes);
    if (hash == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "ordering needs %zu bytes", bytes);
    }
    int *ints = (int *)(hash + rows);
    sparse_nodes nodes = {.node = ints,
                          .within = ints + rows,
                          .dim = ints + 2 * (size_t)rows,
                          .first = ints + 3 * (size_t)rows,
                          .mark = ints + 4 * (size_t)rows};
    for (int i = 0; i < rows; ++i) {
        hash[i] = pawl_hash_bytes(PAWL_HASH_SEED, column + start[i],
                                  (size_t)(start[i + 1] - start[i]) * sizeof *column);
    }
    sparse_gather(rows, start, column, hash, &nodes);
    pawl_status status = sparse_build(env, rows, start, column, &nodes, out);
    pawl_free(env, hash, bytes);
    return status;
}

void pawl_sparse_ldl_destroy(sparse_ldl *s)
{
    if (s != NULL) {
        pawl_env env = s->env;
        pawl_block_ldl_destroy(s->blocks);
        pawl_free(&env, s, s->bytes);
    }
}

// values: entries in the order of the pattern that was given. The matrix must be symmetric: of an
// entry and its mirror image only one is read.
int pawl_sparse_ldl_factor(sparse_ldl *s, const double *values, double floor)
{
    double *out = pawl_block_ldl_values(s->blocks);
    memset(out, 0, pawl_block_ldl_value_count(s->blocks) * sizeof *out);
    for (int e = 0; e < s->entry_count; ++e) {
        if (s->target[e] >= 0) {
            out[s->target[e]] = values[e];
        }
    }
    return pawl_block_ldl_factor(s->blocks, floor);
}

// x in the caller's order; nodes have their rows together.
void pawl_sparse_ldl_solve(sparse_ldl *s, double *x)
{
    for (int i = 0; i < s->row_count; ++i) {
        s->permuted[s->place[i]] = x[i];
    }
    pawl_block_ldl_solve(s->blocks, s->permuted);
    for (int i = 0; i < s->row_count; ++i) {
        x[i] = s->permuted[s->place[i]];
    }
}
