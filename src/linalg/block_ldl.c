// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Sparse block factorization A = L D LT for symmetric positive definite A. Analysis: approximate
// minimum degree order (AMD), elimination tree, fill; done once per graph. Factoring and solving
// use dense kernels in a fixed order, and neither search nor allocate.
//
// Words: a node is a constraint block, a position is its place in the elimination order, an entry
// is an off-diagonal block of L. The elimination tree has as parent of position k the first row of
// column k of L: the first later node that eliminating k changes. Nodes without a path between them
// form different trees, called parts; they share no value and can be factored by different threads.
// Each part has its own scratch for that reason.
//
// Use it for positive definite matrices only: there is no pivoting between blocks. A semidefinite
// one works as far as its dependent pivots can be dropped, or with a shift of the diagonal
// (docs/math.md section 4).
#include "linalg/block_ldl.h"
#include "base/array.h"
#include "base/carver.h"
#include "linalg/by_size.h"
#include "linalg/dense.h"
#include "math/lanes.h"
#include <limits.h>
#include <math.h>
#include <string.h>
#include <suitesparse/amd.h>

// `call` with M for m, the rows of a block of n columns, where n is known to the compiler: M is, too, where the block is
// square or of five and six rows, as of hinges and sliders with and without a spring or a servo.
#define LDL_BY_ROWS(m, n, call)                                                                    \
    if ((m) == (n)) {                                                                              \
        const int M = (n);                                                                         \
        call;                                                                                      \
    } else if ((n) == 5 && (m) == 6) {                                                             \
        enum { M = 6 };                                                                            \
        call;                                                                                      \
    } else if ((n) == 6 && (m) == 5) {                                                             \
        enum { M = 5 };                                                                            \
        call;                                                                                      \
    } else {                                                                                       \
        const int M = (m);                                                                         \
        call;                                                                                      \
    }

// Memory that only grows: after some plans, later ones fit into the memory of earlier ones.
typedef struct ldl_pool {
    char *base;
    size_t bytes;
} ldl_pool;

// The data of a position, and of an entry, that factoring and solving need, in lists that they traverse.
typedef struct ldl_column {
    int dim, live, diagonal, pivot; // live: rows that take part, see pawl_block_ldl_loosen()
    int row, part_row; // of its node in the caller's vector: of all rows, of those of its part
    int first, next;   // entries
    bool leads;        // see pawl_block_ldl_create_led()
} ldl_column;

typedef struct ldl_entry {
    int live;          // rows that take part
    int row, part_row; // of the entry's row position in the caller's vector
    int offset, turned, update;
} ldl_entry;

struct block_ldl {
    pawl_env env;
    ldl_pool scratch, pool; // of the analysis, and of all arrays below
    pawl_array fill;        // int: row positions of the entries, column by column
    int node_count, row_count, entry_count;
    // by position in the elimination order
    int *node;      // (node_count) which node is eliminated k-th
    int *position;  // (node_count) its inverse
    int *dim;       // (node_count) by position
    int *live;      // (node_count) likewise: rows that take part
    int *first_row; // (node_count) by node, in the caller's vector
    int *diagonal;  // (node_count) offset of the diagonal block
    int *column;    // (node_count + 1) first entry of each column of L
    // by entry (an off-diagonal block of L), sorted by row within a column
    int *row;    // (entry_count) position of its row
    int *offset; // (entry_count) of its values, dim(row) x dim(column)
    int *turned; // (entry_count) of the same in `columns`, dim(column) x dim(row)
    int *update; // (entry_count) first target offset of the pairs (this entry, entries before)
    int *target; // offsets of the blocks that an elimination changes
    // the same by part: columns in the order of `member`
    ldl_column *columns_by_part; // (node_count)
    ldl_entry *entries;          // (entry_count)
    size_t value_count;
    size_t turned_count;
    // Rows of blocks begin ldl_width() numbers apart: what is behind a row is 0, so that kernels need not ask where it
    // ends.
    double *values;    // diagonal blocks first, then those of L, both by position
    double *columns;   // the blocks of L transposed: forward solves read these
    double *inverse_d; // (row_count) by position
    double *original;  // (row_count) by position: the diagonal before elimination
    int *first_pivot;  // (node_count) into inverse_d
    bool *given;       // (entry_count) of an edge; the others are fill
    bool *marked;      // (node_count) by position: see pawl_block_ldl_mark()
    // parts: trees of the elimination forest, numbered by their first nodes
    int part_count;
    int *part;       // (node_count) by node
    int *part_row;   // (node_count) by node: its first row among those of its part
    int *part_start; // (part_count + 1) into member
    bool *alike; // (part_count) whether all its nodes have the same number of rows that take part
    int *member; // (node_count) positions, ascending within a part
    int *scaled_start; // (part_count) into scaled
    double *scaled;    // X = L D of the column at work, for each part apart
};

// What the analysis of a graph works with; (n) each unless said.
typedef struct ldl_analysis {
    int n, edge_count;
    const bool *leads;      // (n) nodes that are eliminated first and change nothing; NULL: none
    int *start;             // (n + 1) of the lists
    int *adjacent, *listed; // (2 x edges) neighbours: ascending, each once; before they are sorted
    int *order, *position;  // which node is eliminated k-th, and its inverse
    int *mark, *child, *next;
    int *root, *widest; // by position: the last of its part; by root: values of its largest column
    int *column;        // (n + 1) of the fill
    int *graph;         // for AMD to destroy, with its elbow room
    int *list, *length, *nv, *head, *elen, *degree, *work;
    int graph_room, target_count;
} ldl_analysis;

// How far apart rows of n numbers lie: a multiple of what a processor takes at once.
PAWL_KERNEL_PART int ldl_width(int n)
{
    return (n + 3) / 4 * 4;
}

// Runs twice, to count bytes and to hand out pointers.
static ldl_analysis ldl_analysis_layout(int n, int edges, pawl_carver *mem)
{
    ldl_analysis a = {.n = n, .edge_count = edges};
    // The additional memory that amd_order() would use: the order is then the same.
    a.graph_room = 2 * edges + 2 * edges / 5 + n;
    a.start = PAWL_CARVE(mem, int, n + 1);
    a.column = PAWL_CARVE(mem, int, n + 1);
    a.adjacent = PAWL_CARVE(mem, int, 2 * edges);
    a.listed = PAWL_CARVE(mem, int, 2 * edges);
    a.graph = PAWL_CARVE(mem, int, a.graph_room);
    int **by_node[] = {&a.order, &a.position, &a.mark, &a.child,  &a.next, &a.list, &a.length,
                       &a.nv,    &a.head,     &a.elen, &a.degree, &a.work, &a.root, &a.widest};
    for (size_t i = 0; i < sizeof by_node / sizeof by_node[0]; ++i) {
        *by_node[i] = PAWL_CARVE(mem, int, n);
    }
    return a;
}

// Room for `bytes`, with some to spare once it has to grow; what was there is lost.
static bool ldl_reserve(const pawl_env *env, ldl_pool *pool, size_t bytes)
{
    if (bytes <= pool->bytes) {
        return true;
    }
    size_t wanted = pool->bytes == 0 ? bytes : bytes + bytes / 2;
    pawl_free(env, pool->base, pool->bytes);
    pool->base = pawl_alloc(env, wanted);
    pool->bytes = pool->base == NULL ? 0 : wanted;
    return pool->base != NULL;
}

// Places in lists from their lengths, and back after a pass that moved every start to its end.
// `start` (n + 1) has the length of list k at k + 1; it becomes the prefix sum. Filling the lists
// moves start[k] to the end of list k, which is the start of list k + 1: ldl_rewind() shifts the
// numbers back by one place.
static void ldl_starts(int *start, int n)
{
    for (int k = 0; k < n; ++k) {
        start[k + 1] += start[k];
    }
}

static void ldl_rewind(int *start, int n)
{
    for (int k = n; k > 0; --k) {
        start[k] = start[k - 1];
    }
    start[0] = 0;
}

// Neighbours of each node, ascending, each once: the lists of a first pass, turned around, are sorted.
// The caller's edges come in any order and with duplicates. Visiting the nodes in ascending order
// appends ascending numbers to every list, which sorts all of them in O(n + edges); a duplicate is
// then equal to the last number appended.
static void ldl_adjacency(ldl_analysis *a, const block_edge *edges)
{
    int n = a->n, *start = a->start;
    memset(start, 0, (size_t)(n + 1) * sizeof *start);
    for (int e = 0; e < a->edge_count; ++e) {
        ++start[edges[e].a + 1];
        ++start[edges[e].b + 1];
    }
    ldl_starts(start, n);
    memcpy(a->work, start, (size_t)n * sizeof *start);
    for (int e = 0; e < a->edge_count; ++e) {
        a->listed[start[edges[e].a]++] = edges[e].b;
        a->listed[start[edges[e].b]++] = edges[e].a;
    }
    ldl_rewind(start, n);
    for (int k = 0; k < n; ++k) {
        for (int e = start[k]; e < start[k + 1]; ++e) {
            int i = a->listed[e];
            if (a->work[i] == start[i] || a->adjacent[a->work[i] - 1] != k) {
                a->adjacent[a->work[i]++] = k;
            }
        }
    }
    int count = 0;
    for (int k = 0; k < n; ++k) {
        int begin = start[k], end = a->work[k];
        start[k] = count;
        for (int e = begin; e < end; ++e) {
            a->adjacent[count++] = a->adjacent[e];
        }
    }
    start[n] = count;
}

static bool ldl_leads(const ldl_analysis *a, int node)
{
    return a->leads != NULL && a->leads[node];
}

// What leads goes to the front; the others keep their order.
static void ldl_order_leads(ldl_analysis *a)
{
    int count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < a->n; ++k) {
            if (ldl_leads(a, a->order[k]) == (pass == 0)) {
                a->work[count++] = a->order[k];
            }
        }
    }
    memcpy(a->order, a->work, (size_t)a->n * sizeof *a->order);
}

// The approximate minimum degree order of the node graph, in our own memory: amd_order() would take
// it from the C library.
static void ldl_order(ldl_analysis *a)
{
    int n = a->n, count = a->start[n];
    if (n == 0) {
        return;
    }
    count = 0;
    for (int k = 0; k < n; ++k) {
        a->list[k] = count;
        for (int e = a->start[k]; e < a->start[k + 1]; ++e) {
            if (!ldl_leads(a, k) && !ldl_leads(a, a->adjacent[e])) {
                a->graph[count++] = a->adjacent[e];
            }
        }
        a->length[k] = count - a->list[k];
    }
    int room = count + count / 5 + n;
    amd_2(n, a->list, a->graph, a->length, room, count, a->nv, a->next, a->order, a->head, a->elen,
          a->degree, a->work, NULL, NULL);
    if (a->leads != NULL) {
        ldl_order_leads(a);
    }
    for (int k = 0; k < n; ++k) {
        a->position[a->order[k]] = k;
    }
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

// One more entry of column k, unless it has row i already or i is not below it.
static bool ldl_fill_in(block_ldl *l, ldl_analysis *a, int i, int k)
{
    if (i <= k || a->mark[i] == k) {
        return true;
    }
    a->mark[i] = k;
    int *slot = pawl_array_push(&l->env, &l->fill, sizeof(int));
    if (slot != NULL) {
        *slot = i;
    }
    return slot != NULL;
}

// Structure of L: column k has the later neighbours of k and the columns of its children.
// Eliminating k couples all rows of its column with each other. They need to be handed to the
// parent alone, which hands them on in its turn, so that each column is read once (George and Liu
// 1981, symbolic factorization).
static bool ldl_fill(block_ldl *l, ldl_analysis *a)
{
    bool fits = true;
    l->fill.count = 0;
    for (int k = 0; k < a->n; ++k) {
        a->mark[k] = a->child[k] = a->next[k] = -1;
    }
    a->column[0] = 0;
    for (int k = 0; k < a->n && fits; ++k) {
        int begin = l->fill.count, node = a->order[k];
        for (int e = a->start[node]; e < a->start[node + 1] && fits; ++e) {
            fits = ldl_fill_in(l, a, a->position[a->adjacent[e]], k);
        }
        for (int c = a->child[k]; c >= 0; c = a->next[c]) {
            for (int e = a->column[c]; e < a->column[c + 1] && fits; ++e) {
                fits = ldl_fill_in(l, a, PAWL_ITEM(l->fill, int, e), k);
            }
        }
        int count = l->fill.count - begin;
        if (count > 0) {
            int *rows = &PAWL_ITEM(l->fill, int, begin);
            ldl_sort(rows, count);
            if (!ldl_leads(a, node)) {
                a->next[k] = a->child[rows[0]];
                a->child[rows[0]] = k;
            }
        }
        a->column[k + 1] = l->fill.count;
        a->target_count += ldl_leads(a, node) ? 0 : count * (count + 1) / 2;
    }
    return fits;
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

static void ldl_layout(block_ldl *l, int targets, int scaled, pawl_carver *mem)
{
    int n = l->node_count;
    int **by_node[] = {&l->node,        &l->position, &l->dim,        &l->first_row,
                       &l->diagonal,    &l->column,   &l->part,       &l->part_row,
                       &l->first_pivot, &l->member,   &l->part_start, &l->scaled_start,
                       &l->live};
    for (size_t i = 0; i < sizeof by_node / sizeof by_node[0]; ++i) {
        *by_node[i] = PAWL_CARVE(mem, int, n + 1);
    }
    int **by_entry[] = {&l->row, &l->offset, &l->turned, &l->update};
    for (size_t i = 0; i < sizeof by_entry / sizeof by_entry[0]; ++i) {
        *by_entry[i] = PAWL_CARVE(mem, int, l->entry_count);
    }
    l->target = PAWL_CARVE(mem, int, targets);
    l->columns_by_part = PAWL_CARVE(mem, ldl_column, n);
    l->entries = PAWL_CARVE(mem, ldl_entry, l->entry_count);
    l->values = PAWL_CARVE(mem, double, l->value_count);
    l->columns = PAWL_CARVE(mem, double, l->turned_count);
    l->inverse_d = PAWL_CARVE(mem, double, l->row_count);
    l->original = PAWL_CARVE(mem, double, l->row_count);
    l->scaled = PAWL_CARVE(mem, double, scaled);
    l->marked = PAWL_CARVE(mem, bool, n);
    l->given = PAWL_CARVE(mem, bool, l->entry_count);
    l->alike = PAWL_CARVE(mem, bool, n);
}

// Trees that a leading node touches are one part.
static void ldl_join_trees(const block_ldl *l, ldl_analysis *a)
{
    for (int k = 0; k < a->n && ldl_leads(a, a->order[k]); ++k) {
        int root = a->root[k];
        for (int e = a->column[k]; e < a->column[k + 1]; ++e) {
            int other = a->root[PAWL_ITEM(l->fill, int, e)];
            if (other == root) {
                continue;
            }
            int widest = a->widest[other];
            a->widest[root] = widest > a->widest[root] ? widest : a->widest[root];
            for (int i = 0; i < a->n; ++i) {
                a->root[i] = a->root[i] == other ? root : a->root[i];
            }
        }
    }
}

// Counts rows and values; returns the values of the largest columns of all parts.
// Positions run from the last to the first, so that the root of the parent is known when its child
// asks for it.
static int ldl_count(block_ldl *l, ldl_analysis *a, const int *dim)
{
    int scaled = 0;
    l->node_count = a->n;
    l->entry_count = l->fill.count;
    l->row_count = 0;
    l->value_count = l->turned_count = 0;
    for (int k = a->n - 1; k >= 0; --k) {
        bool last = a->column[k] == a->column[k + 1]; // nothing below: the root of a tree
        a->root[k] = last ? k : a->root[PAWL_ITEM(l->fill, int, a->column[k])];
        a->widest[k] = 0;
        int d = dim[a->order[k]], column_rows = 0, turned = 0;
        for (int e = a->column[k]; e < a->column[k + 1]; ++e) {
            int rows = dim[a->order[PAWL_ITEM(l->fill, int, e)]];
            column_rows += rows;
            turned += d * ldl_width(rows);
        }
        l->row_count += d;
        l->value_count += (size_t)ldl_width(d) * (size_t)(d + column_rows);
        l->turned_count += (size_t)turned;
        int *widest = &a->widest[a->root[k]];
        scaled += turned > *widest ? turned - *widest : 0;
        *widest = turned > *widest ? turned : *widest;
    }
    ldl_join_trees(l, a);
    return scaled;
}

// The parts, by their first nodes; their members in the order of elimination, their rows in that of nodes.
static void ldl_place_parts(block_ldl *l, const ldl_analysis *a, const int *dim)
{
    int n = a->n, *of_root = a->child, *rows = a->next, scaled = 0;
    l->part_count = 0;
    memset(of_root, -1, (size_t)n * sizeof *of_root);
    memset(l->part_start, 0, (size_t)(n + 1) * sizeof *l->part_start);
    for (int node = 0; node < n; ++node) {
        int root = a->root[a->position[node]];
        if (of_root[root] < 0) {
            l->scaled_start[l->part_count] = scaled;
            scaled += a->widest[root];
            rows[l->part_count] = 0;
            of_root[root] = l->part_count++;
        }
        int part = of_root[root];
        l->part[node] = part;
        l->part_row[node] = rows[part];
        rows[part] += dim[node];
        ++l->part_start[part + 1];
    }
    ldl_starts(l->part_start, l->part_count);
    for (int k = 0; k < n; ++k) {
        l->member[l->part_start[l->part[a->order[k]]]++] = k;
    }
    ldl_rewind(l->part_start, l->part_count);
}

// Offsets of all blocks: the diagonal ones first, then columns of L one after the other, so that a
// column can be cleared by one call.
static void ldl_place(block_ldl *l, const ldl_analysis *a, const int *dim)
{
    int n = a->n, offset = 0, pivot = 0, first = 0, turned = 0;
    for (int node = 0; node < n; ++node) {
        l->first_row[node] = first;
        first += dim[node];
        l->position[node] = a->position[node];
    }
    for (int k = 0; k < n; ++k) {
        l->node[k] = a->order[k];
        l->marked[k] = false;
        l->dim[k] = l->live[k] = dim[a->order[k]];
        l->first_pivot[k] = pivot;
        pivot += l->dim[k];
        l->diagonal[k] = offset;
        offset += l->dim[k] * ldl_width(l->dim[k]);
    }
    for (int k = 0; k < n; ++k) {
        l->column[k] = a->column[k];
        for (int e = a->column[k]; e < a->column[k + 1]; ++e) {
            l->row[e] = PAWL_ITEM(l->fill, int, e);
            int rows = dim[a->order[l->row[e]]];
            l->offset[e] = offset;
            offset += rows * ldl_width(l->dim[k]);
            l->turned[e] = turned;
            turned += l->dim[k] * ldl_width(rows);
        }
    }
    l->column[n] = l->entry_count;
}

static void ldl_mark_given(block_ldl *l, const ldl_analysis *a)
{
    memset(l->given, 0, (size_t)l->entry_count * sizeof *l->given);
    for (int node = 0; node < a->n; ++node) {
        int k = a->position[node];
        for (int e = a->start[node]; e < a->start[node + 1]; ++e) {
            int i = a->position[a->adjacent[e]];
            if (i > k) {
                l->given[ldl_find(l, i, k)] = true;
            }
        }
    }
}

// For every pair of blocks in a column, where their product goes. The search is done here, once per
// plan.
static void ldl_aim(block_ldl *l, const ldl_analysis *a)
{
    int target = 0;
    for (int k = 0; k < l->node_count; ++k) {
        for (int e = l->column[k]; e < l->column[k + 1]; ++e) {
            l->update[e] = target;
            for (int f = ldl_leads(a, l->node[k]) ? e + 1 : l->column[k]; f <= e; ++f) {
                l->target[target++] =
                    f == e ? l->diagonal[l->row[e]] : l->offset[ldl_find(l, l->row[e], l->row[f])];
            }
        }
    }
}

static void ldl_list(block_ldl *l, const ldl_analysis *a)
{
    for (int part = 0; part < l->part_count; ++part) {
        l->alike[part] = true;
        for (int j = l->part_start[part]; j < l->part_start[part + 1]; ++j) {
            int dim = l->dim[l->member[j]];
            l->alike[part] = l->alike[part] && dim == l->dim[l->member[l->part_start[part]]];
        }
    }
    for (int j = 0; j < l->node_count; ++j) {
        int k = l->member[j], node = l->node[k];
        l->columns_by_part[j] = (ldl_column){.dim = l->dim[k],
                                             .live = l->dim[k],
                                             .diagonal = l->diagonal[k],
                                             .pivot = l->first_pivot[k],
                                             .row = l->first_row[node],
                                             .part_row = l->part_row[node],
                                             .first = l->column[k],
                                             .next = l->column[k + 1],
                                             .leads = ldl_leads(a, node)};
    }
    for (int e = 0; e < l->entry_count; ++e) {
        int node = l->node[l->row[e]];
        l->entries[e] = (ldl_entry){.live = l->dim[l->row[e]],
                                    .row = l->first_row[node],
                                    .part_row = l->part_row[node],
                                    .offset = l->offset[e],
                                    .turned = l->turned[e],
                                    .update = l->update[e]};
    }
}

static pawl_status ldl_plan(block_ldl *l, int n, const int *dim, const block_edge *edges,
                            int edge_count, const bool *leads)
{
    pawl_carver need = {0};
    l->node_count = l->part_count = 0; // no plan, should memory run out
    (void)ldl_analysis_layout(n, edge_count, &need);
    if (!ldl_reserve(&l->env, &l->scratch, need.used)) {
        return PAWL_FAIL(&l->env, PAWL_NO_MEMORY, "ordering needs %zu bytes", need.used);
    }
    pawl_carver mem = {.base = l->scratch.base, .capacity = l->scratch.bytes};
    ldl_analysis a = ldl_analysis_layout(n, edge_count, &mem);
    a.leads = leads;
    ldl_adjacency(&a, edges);
    ldl_order(&a);
    if (!ldl_fill(l, &a)) {
        return PAWL_FAIL(&l->env, PAWL_NO_MEMORY, "no memory for the factor's structure");
    }
    int scaled = ldl_count(l, &a, dim);
    need = (pawl_carver){0};
    ldl_layout(l, a.target_count, scaled, &need);
    if (l->value_count > INT32_MAX || !ldl_reserve(&l->env, &l->pool, need.used)) {
        l->node_count = 0;
        return PAWL_FAIL(&l->env, PAWL_NO_MEMORY, "the factor needs %zu bytes", need.used);
    }
    mem = (pawl_carver){.base = l->pool.base, .capacity = l->pool.bytes};
    ldl_layout(l, a.target_count, scaled, &mem);
    ldl_place(l, &a, dim);
    ldl_place_parts(l, &a, dim);
    ldl_mark_given(l, &a);
    ldl_aim(l, &a);
    ldl_list(l, &a);
    return PAWL_OK;
}

pawl_status pawl_block_ldl_plan(block_ldl *l, int n, const int *dim, const block_edge *edges,
                                int edge_count)
{
    return ldl_plan(l, n, dim, edges, edge_count, NULL);
}

pawl_status pawl_block_ldl_create_led(const pawl_env *env, int n, const int *dim,
                                      const block_edge *edges, int edge_count, const bool *leads,
                                      block_ldl **out)
{
    *out = NULL;
    block_ldl *l = pawl_alloc(env, sizeof *l);
    if (l == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for a factor");
    }
    l->env = *env;
    pawl_status status = ldl_plan(l, n, dim, edges, edge_count, leads);
    if (status != PAWL_OK) {
        pawl_block_ldl_destroy(l);
        return status;
    }
    *out = l;
    return PAWL_OK;
}

pawl_status pawl_block_ldl_create(const pawl_env *env, int n, const int *dim,
                                  const block_edge *edges, int edge_count, block_ldl **out)
{
    return pawl_block_ldl_create_led(env, n, dim, edges, edge_count, NULL, out);
}

void pawl_block_ldl_destroy(block_ldl *l)
{
    if (l != NULL) {
        pawl_env env = l->env;
        pawl_free(&env, l->scratch.base, l->scratch.bytes);
        pawl_free(&env, l->pool.base, l->pool.bytes);
        pawl_array_free(&env, &l->fill);
        pawl_free(&env, l, sizeof *l);
    }
}

block_slot pawl_block_ldl_slot(const block_ldl *l, int a, int b)
{
    int i = l->position[a], k = l->position[b];
    if (i == k) {
        return (block_slot){l->diagonal[k], ldl_width(l->dim[k]), false};
    }
    bool transposed = i < k; // stored below the diagonal
    int e = transposed ? ldl_find(l, k, i) : ldl_find(l, i, k);
    PAWL_ASSERT(e >= 0);
    return (block_slot){l->offset[e], ldl_width(l->dim[transposed ? i : k]), transposed};
}

double *pawl_block_ldl_values(block_ldl *l)
{
    return l->values;
}

size_t pawl_block_ldl_value_count(const block_ldl *l)
{
    return l->value_count;
}

// out (n x m) = AT of the m x n block A. Rows of zeros are behind those of A in a tile that A does not fill.
PAWL_KERNEL_PART void ldl_turn(const double *restrict a, int m, int n, double *restrict out)
{
    for (int r = 0; r < m; r += 4) {
        for (int c = 0; c < n; c += 4) {
            lanes tile[4];
            for (int i = 0; i < 4; ++i) {
                tile[i] = r + i < m ? LANES_LOAD(a + (r + i) * ldl_width(n) + c) : LANES_ALL(0.0);
            }
            lanes_transpose(tile);
            for (int i = 0; i < 4 && c + i < n; ++i) {
                LANES_STORE(out + (c + i) * ldl_width(m) + r, tile[i]);
            }
        }
    }
}

// X = A L^-T for the m x n block A below a factored n x n diagonal block, as XT (n x m); A becomes X D^-1, and so does
// `turned`, transposed.
PAWL_KERNEL_PART void ldl_scale(double *restrict a, int m, int n, const double *restrict diagonal,
                                const double *restrict inverse_d, double *restrict xt,
                                double *restrict turned)
{
    ldl_turn(a, m, n, xt);
    for (int v = 0; v < m; v += 4) {
        PAWL_UNROLL
        for (int c = 0; c < n; ++c) {
            double *column = xt + c * ldl_width(m) + v;
            lanes sum = LANES_LOAD(column);
            PAWL_UNROLL
            for (int p = 0; p < c; ++p) {
                double d = diagonal[c * ldl_width(n) + p];
                sum -= LANES_LOAD(xt + p * ldl_width(m) + v) * LANES_ALL(d);
            }
            LANES_STORE(column, sum);
            LANES_STORE(turned + c * ldl_width(m) + v, sum * LANES_ALL(inverse_d[c]));
        }
    }
    ldl_turn(turned, n, m, a);
}

// C -= L XT, with L m x n given transposed, XT n x q, C m x q. Of a diagonal block the lower triangle is enough.
PAWL_KERNEL_PART void ldl_update(double *restrict c, int m, int q, int n,
                                 const double *restrict turned, const double *restrict xt,
                                 bool lower)
{
    for (int v = 0; v < q; v += 4) {
        for (int r = lower ? v : 0; r < m; ++r) {
            lanes sum = LANES_ALL(0.0);
            PAWL_UNROLL
            for (int p = 0; p < n; ++p) {
                sum +=
                    LANES_ALL(turned[p * ldl_width(m) + r]) * LANES_LOAD(xt + p * ldl_width(q) + v);
            }
            double *row = c + r * ldl_width(q) + v;
            LANES_STORE(row, LANES_LOAD(row) - sum);
        }
    }
}

int pawl_block_ldl_part_count(const block_ldl *l)
{
    return l->part_count;
}

int pawl_block_ldl_part(const block_ldl *l, int node)
{
    return l->part[node];
}

int pawl_block_ldl_part_row(const block_ldl *l, int node)
{
    return l->part_row[node];
}

void pawl_block_ldl_clear_fill(block_ldl *l, int part)
{
    for (int i = l->part_start[part]; i < l->part_start[part + 1]; ++i) {
        int k = l->member[i], width = ldl_width(l->dim[k]);
        for (int e = l->column[k]; e < l->column[k + 1]; ++e) {
            for (int r = l->given[e] ? INT_MAX : 0; r < l->dim[l->row[e]] * width; r += 4) {
                LANES_STORE(l->values + l->offset[e] + r, LANES_ALL(0.0));
            }
        }
    }
}

// Eliminates a column of n rows, and those that take no part. Returns the number of pivots dropped.
PAWL_KERNEL_PART int ldl_factor_column(block_ldl *l, const ldl_column *c, int n, double floor,
                                       double *scaled)
{
    double *v = l->values, *diagonal = v + c->diagonal, *inverse_d = l->inverse_d + c->pivot;
    int dropped =
        pawl_ldl_kernel(diagonal, n, ldl_width(n), floor, l->original + c->pivot, inverse_d);
    for (int r = n; r < c->dim; ++r) {
        inverse_d[r] = 1.0 / diagonal[r * (ldl_width(n) + 1)];
    }
    const ldl_entry *first = l->entries + c->first, *next = l->entries + c->next;
    double *x = scaled;
    for (const ldl_entry *e = first; e < next; ++e) {
        double *a = v + e->offset, *turned = l->columns + e->turned;
        LDL_BY_ROWS(e->live, n, ldl_scale(a, M, n, diagonal, inverse_d, x, turned))
        x += ldl_width(e->live) * n;
    }
    for (const ldl_entry *e = c->leads ? next : first; e < next; ++e) {
        const double *le = l->columns + e->turned, *xf = scaled;
        const int *target = l->target + e->update;
        int m = e->live;
        for (const ldl_entry *f = first; f < e; ++f, ++target) {
            LDL_BY_ROWS(f->live, n, ldl_update(v + *target, m, M, n, le, xf, false))
            xf += ldl_width(f->live) * n;
        }
        LDL_BY_ROWS(m, n, ldl_update(v + *target, M, M, n, le, xf, true))
    }
    return dropped;
}

// Right-looking elimination, column by column: factor the diagonal block, scale the blocks below
// it, and subtract the products of all pairs of them from the blocks that ldl_aim() found for them
// beforehand. Pairs (e, f <= e) are the lower triangle of the update. Positions within a part
// ascend, hence the same order of sums, and the same bits, as in a factorization of the whole.
// Returns the number of pivots dropped.
PAWL_KERNEL static int ldl_run_factor_part(block_ldl *l, int part, double floor)
{
    int dropped = 0;
    const ldl_column *begin = l->columns_by_part + l->part_start[part];
    const ldl_column *end = l->columns_by_part + l->part_start[part + 1];
    // Pivots are compared with the original matrix: the remainder of a dependent row after the elimination of earlier
    // nodes is noise and not a suitable scale.
    for (const ldl_column *c = begin; c < end; ++c) {
        int next = ldl_width(c->dim) + 1;
        const double *diagonal = l->values + c->diagonal;
        double *original = l->original + c->pivot;
        for (int r = 0, n = c->dim; r < n; ++r) {
            original[r] = diagonal[r * next];
        }
    }
    double *scaled = l->scaled + l->scaled_start[part];
    for (const ldl_column *c = begin; c < end; ++c) {
        PAWL_BY_SIZE(c->live, dropped += ldl_factor_column(l, c, N, floor, scaled))
    }
    return dropped;
}

// A block keeps its place and the width of its rows, so that only as many rows may leave as their multiple of four
// allows.
void pawl_block_ldl_loosen(block_ldl *l, int part, const int *loose)
{
    l->alike[part] = true;
    for (int j = l->part_start[part]; j < l->part_start[part + 1]; ++j) {
        int k = l->member[j], live = l->dim[k] - loose[l->node[k]];
        l->live[k] = live > 0 && ldl_width(live) == ldl_width(l->dim[k]) ? live : l->dim[k];
        l->columns_by_part[j].live = l->live[k];
        l->alike[part] = l->alike[part] && l->live[k] == l->live[l->member[l->part_start[part]]];
    }
    for (int j = l->part_start[part]; j < l->part_start[part + 1]; ++j) {
        const ldl_column *c = &l->columns_by_part[j];
        for (int e = c->first; e < c->next; ++e) {
            l->entries[e].live = l->live[l->row[e]];
        }
    }
}

int pawl_block_ldl_factor_part(block_ldl *l, int part, double floor)
{
    return ldl_run_factor_part(l, part, floor);
}

// The largest inverse pivot times what the pivot was before the elimination; 0 of one that was dropped.
PAWL_KERNEL static double ldl_largest_inverse(const double *restrict inverse,
                                              const double *restrict original, int n)
{
    double most[4] = {0};
    int r = 0;
    for (; r + 4 <= n; r += 4) {
        for (int k = 0; k < 4; ++k) {
            double x = inverse[r + k] * original[r + k];
            most[k] = x > most[k] ? x : most[k];
        }
    }
    for (; r < n; ++r) {
        double x = inverse[r] * original[r];
        most[0] = x > most[0] ? x : most[0];
    }
    double low = most[0] > most[1] ? most[0] : most[1];
    double high = most[2] > most[3] ? most[2] : most[3];
    return low > high ? low : high;
}

double pawl_block_ldl_least_pivot(const block_ldl *l, int part)
{
    double most = 0.0;
    if (l->part_count == 1) {
        most = ldl_largest_inverse(l->inverse_d, l->original, l->row_count);
    }
    for (int i = l->part_start[part]; l->part_count > 1 && i < l->part_start[part + 1]; ++i) {
        const ldl_column *c = &l->columns_by_part[i];
        double largest =
            ldl_largest_inverse(l->inverse_d + c->pivot, l->original + c->pivot, c->dim);
        most = largest > most ? largest : most;
    }
    return most > 0.0 ? 1.0 / most : 1.0;
}

int pawl_block_ldl_factor(block_ldl *l, double floor)
{
    int dropped = 0;
    for (int part = 0; part < l->part_count; ++part) {
        dropped += pawl_block_ldl_factor_part(l, part, floor);
    }
    return dropped;
}

// x -= B t for the m x n block B, given transposed. A last row alone is done without lanes.
PAWL_KERNEL_PART void ldl_forward(const double *restrict turned, int m, int n,
                                  const double *restrict t, double *restrict x)
{
    int v = 0;
    for (; m - v > 1; v += 4) {
        lanes sum = LANES_ALL(0.0), old;
        PAWL_UNROLL
        for (int c = 0; c < n; ++c) {
            sum += LANES_LOAD(turned + c * ldl_width(m) + v) * LANES_ALL(t[c]);
        }
        lanes_load_first(x + v, m - v, &old);
        old -= sum;
        lanes_store_first(x + v, m - v, &old);
    }
    if (m - v == 1) {
        double sum = 0.0;
        PAWL_UNROLL
        for (int c = 0; c < n; ++c) {
            sum += turned[c * ldl_width(m) + v] * t[c];
        }
        x[v] -= sum;
    }
}

// t -= BT x for the m x n block B.
PAWL_KERNEL_PART void ldl_backward(const double *restrict b, int m, int n, const double *restrict x,
                                   double *restrict t)
{
    int v = 0;
    for (; n - v > 1; v += 4) {
        lanes sum;
        lanes_load_first(t + v, n - v, &sum);
        PAWL_UNROLL
        for (int r = 0; r < m; ++r) {
            sum -= LANES_LOAD(b + r * ldl_width(n) + v) * LANES_ALL(x[r]);
        }
        lanes_store_first(t + v, n - v, &sum);
    }
    if (n - v == 1) {
        double sum = t[v];
        PAWL_UNROLL
        for (int r = 0; r < m; ++r) {
            sum -= b[r * ldl_width(n) + v] * x[r];
        }
        t[v] = sum;
    }
}

// With the unit triangle of a diagonal block.
PAWL_KERNEL_PART void ldl_lower(const double *restrict d, int n, double *restrict t)
{
    PAWL_UNROLL
    for (int i = 1; i < n; ++i) {
        PAWL_UNROLL
        for (int j = 0; j < i; ++j) {
            t[i] -= d[i * ldl_width(n) + j] * t[j];
        }
    }
}

PAWL_KERNEL_PART void ldl_upper(const double *restrict d, int n, double *restrict t)
{
    PAWL_UNROLL
    for (int i = n - 1; i > 0; --i) {
        PAWL_UNROLL
        for (int j = 0; j < i; ++j) {
            t[j] -= d[i * ldl_width(n) + j] * t[i];
        }
    }
}

static void ldl_solve_dense(const block_ldl *l, double *x)
{
    pawl_ldl_solve(l->values + l->diagonal[0], l->dim[0], ldl_width(l->dim[0]), l->inverse_d, x);
}

// x <- L^-1 x at one position of n rows; `whole` says whether x has all rows or those of the part, `alike` that all
// positions have n rows.
PAWL_KERNEL_PART void ldl_forward_column(const block_ldl *l, const ldl_column *c, int n, bool alike,
                                         bool whole, double *x)
{
    double *t = x + (whole ? c->row : c->part_row);
    ldl_lower(l->values + c->diagonal, n, t);
    for (const ldl_entry *e = l->entries + c->first, *end = l->entries + c->next; e < end; ++e) {
        double *xi = x + (whole ? e->row : e->part_row);
        LDL_BY_ROWS(alike ? n : e->live, n, ldl_forward(l->columns + e->turned, M, n, t, xi))
    }
}

// Dropped pivots have the inverse 0.
PAWL_KERNEL_PART double ldl_root(double inverse_d)
{
    return inverse_d > 0.0 ? sqrt(inverse_d) : 0.0;
}

// x <- L^-T D^-1 x there, or L^-T D^-1/2 x for half a solve. Column k of L is read as a row of LT, whose other unknowns belong to later positions and are
// known already.
PAWL_KERNEL_PART void ldl_backward_column(const block_ldl *l, const ldl_column *c, int n,
                                          bool alike, bool whole, bool half, double *x)
{
    const double *inverse_d = l->inverse_d + c->pivot;
    double *t = x + (whole ? c->row : c->part_row);
    PAWL_UNROLL
    for (int i = 0; i < n; ++i) {
        t[i] *= half ? ldl_root(inverse_d[i]) : inverse_d[i];
    }
    for (int i = n; i < c->dim; ++i) {
        t[i] *= half ? ldl_root(inverse_d[i]) : inverse_d[i];
    }
    for (const ldl_entry *e = l->entries + c->first, *end = l->entries + c->next; e < end; ++e) {
        const double *xi = x + (whole ? e->row : e->part_row);
        LDL_BY_ROWS(alike ? n : e->live, n, ldl_backward(l->values + e->offset, M, n, xi, t))
    }
    ldl_upper(l->values + c->diagonal, n, t);
}

// Positions of n rows each, one after the other, forth and back.
PAWL_KERNEL_PART void ldl_forward_alike(const block_ldl *l, const ldl_column *c,
                                        const ldl_column *end, int n, bool whole, double *x)
{
    for (; c < end; ++c) {
        ldl_forward_column(l, c, n, true, whole, x);
    }
}

PAWL_KERNEL_PART void ldl_backward_alike(const block_ldl *l, const ldl_column *first,
                                         const ldl_column *c, int n, bool whole, bool half,
                                         double *x)
{
    while (c-- > first) {
        ldl_backward_column(l, c, n, true, whole, half, x);
    }
}

// x <- L^-1 x on a part.
PAWL_KERNEL_PART void ldl_forward_part(const block_ldl *l, int part, bool whole, double *x)
{
    const ldl_column *c = l->columns_by_part + l->part_start[part];
    const ldl_column *end = l->columns_by_part + l->part_start[part + 1];
    if (l->alike[part]) {
        PAWL_BY_SIZE(c->live, ldl_forward_alike(l, c, end, N, whole, x))
        return;
    }
    for (; c < end; ++c) {
        PAWL_BY_SIZE(c->live, ldl_forward_column(l, c, N, false, whole, x))
    }
}

// Dropped pivots have the inverse 0, so that their entries of the answer are 0.
PAWL_KERNEL static void ldl_half_solve_part(const block_ldl *l, int part, bool whole, double *x)
{
    if (l->node_count == 1) {
        pawl_ldl_half_solve(l->values + l->diagonal[0], l->dim[0], ldl_width(l->dim[0]),
                            l->inverse_d, x);
        return;
    }
    ldl_forward_part(l, part, whole, x);
    for (int j = l->part_start[part]; j < l->part_start[part + 1]; ++j) {
        const ldl_column *c = &l->columns_by_part[j];
        const double *inverse_d = l->inverse_d + c->pivot;
        double *t = x + (whole ? c->row : c->part_row);
        for (int i = 0; i < c->dim; ++i) {
            t[i] *= ldl_root(inverse_d[i]);
        }
    }
}

// x <- L^-T D^-1 x on a part, or L^-T D^-1/2 x.
PAWL_KERNEL_PART void ldl_backward_part(const block_ldl *l, int part, bool whole, bool half,
                                        double *x)
{
    const ldl_column *first = l->columns_by_part + l->part_start[part];
    const ldl_column *c = l->columns_by_part + l->part_start[part + 1];
    if (l->alike[part]) {
        PAWL_BY_SIZE(first->live, ldl_backward_alike(l, first, c, N, whole, half, x))
        return;
    }
    while (c-- > first) {
        PAWL_BY_SIZE(c->live, ldl_backward_column(l, c, N, false, whole, half, x))
    }
}

// x <- L^-T D^-1 L^-1 x.
PAWL_KERNEL static void ldl_solve_part(const block_ldl *l, int part, bool whole, double *x)
{
    if (l->node_count == 1) {
        ldl_solve_dense(l, x);
        return;
    }
    ldl_forward_part(l, part, whole, x);
    ldl_backward_part(l, part, whole, false, x);
}

void pawl_block_ldl_mark(block_ldl *l, int node)
{
    l->marked[l->position[node]] = true;
}

// The forward half of a solve at position k for several vectors.
PAWL_KERNEL_PART void ldl_half_node(const block_ldl *l, int k, const int *row, int count, double *x,
                                    int stride)
{
    const double *v = l->values, *inverse_d = l->inverse_d + l->first_pivot[k];
    int n = l->live[k];
    for (int s = 0; s < count; ++s, x += stride) {
        double *t = x + row[l->node[k]];
        PAWL_BY_SIZE(n, ldl_lower(v + l->diagonal[k], N, t))
        for (int e = l->column[k]; e < l->column[k + 1]; ++e) {
            int i = l->row[e], m = l->live[i];
            double *xi = x + row[l->node[i]];
            PAWL_BY_SIZES(m, n, ldl_forward(l->columns + l->turned[e], M, N, t, xi))
        }
        for (int c = 0; c < l->dim[k]; ++c) {
            t[c] *= ldl_root(inverse_d[c]);
        }
    }
}

// A parent comes later in the order than its child. One ascending pass therefore visits the whole
// path to the root if each visited node marks its parent. Neighbouring nodes are joined to runs, on
// either side, so that the caller's products loop over few long pieces.
PAWL_KERNEL static int ldl_run_half_marked(block_ldl *l, int part, bool whole, int count, double *x,
                                           int stride, block_run *runs)
{
    const int *row = whole ? l->first_row : l->part_row;
    int run_count = 0;
    for (int j = l->part_start[part]; j < l->part_start[part + 1]; ++j) {
        int k = l->member[j];
        if (!l->marked[k]) {
            continue;
        }
        l->marked[k] = false;
        // Its parent in the elimination tree; what leads has several.
        int parents = l->columns_by_part[j].leads ? l->column[k + 1] : l->column[k] + 1;
        for (int e = l->column[k]; e < parents && e < l->column[k + 1]; ++e) {
            l->marked[l->row[e]] = true;
        }
        ldl_half_node(l, k, row, count, x, stride);
        int first = row[l->node[k]], n = l->dim[k];
        block_run *last = &runs[run_count - 1];
        if (run_count > 0 && last->first + last->count == first) {
            last->count += n;
        } else if (run_count > 0 &&
                   first + n == last->first) { // as the joints of a limb towards its root
            *last = (block_run){first, last->count + n};
        } else {
            runs[run_count++] = (block_run){first, n};
        }
    }
    return run_count;
}

int pawl_block_ldl_half_marked(block_ldl *l, int part, bool whole, int count, double *x, int stride,
                               block_run *runs)
{
    return ldl_run_half_marked(l, part, whole, count, x, stride, runs);
}

void pawl_block_ldl_solve_part(const block_ldl *l, int part, double *x)
{
    ldl_solve_part(l, part, false, x);
}

void pawl_block_ldl_half_solve_part(const block_ldl *l, int part, double *x)
{
    ldl_half_solve_part(l, part, false, x);
}

void pawl_block_ldl_solve(const block_ldl *l, double *x)
{
    for (int part = 0; part < l->part_count; ++part) {
        ldl_solve_part(l, part, true, x);
    }
}

void pawl_block_ldl_half_solve(const block_ldl *l, double *x)
{
    for (int part = 0; part < l->part_count; ++part) {
        ldl_half_solve_part(l, part, true, x);
    }
}

// The backward half of a solve.
PAWL_KERNEL static void ldl_back_solve_part(const block_ldl *l, int part, bool whole, double *x)
{
    if (l->node_count == 1) {
        pawl_ldl_back_solve(l->values + l->diagonal[0], l->dim[0], ldl_width(l->dim[0]),
                            l->inverse_d, x);
        return;
    }
    ldl_backward_part(l, part, whole, true, x);
}

void pawl_block_ldl_back_solve_part(const block_ldl *l, int part, double *x)
{
    ldl_back_solve_part(l, part, false, x);
}

void pawl_block_ldl_back_solve(const block_ldl *l, double *x)
{
    for (int part = 0; part < l->part_count; ++part) {
        ldl_back_solve_part(l, part, true, x);
    }
}
