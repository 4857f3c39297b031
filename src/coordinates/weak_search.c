// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Loops are closed by the joints outside a breadth-first tree over the bodies. The tree starts at the fixed bodies,
// which keeps loops short. A weak vector of one loop, extended by zeros, is also weak in the mechanism. Its part on
// the joint that closes the loop is not zero, because a tree has no redundant rows; hence vectors of different loops
// are independent. The rest of the mechanism's weak space is searched over all of its rows, after the vectors of the
// loops have been projected out.
//
// A loop may start next to a singular position of the loop alone, which the mechanism does not have. The weak vector
// z of that position is then also weak in the mechanism, but it replaces a permanent weak vector that is nearly
// equal. When the loop moves, z becomes a strong constraint, which would be missing. Loops with a singular value far
// above the others are therefore searched a second time without it; if the whole mechanism then has the same number
// of weak vectors with smaller singular values, these are used.
//
// The search runs when a simulation is assembled, and in checks; afterwards problem/weak_follow.c updates the
// vectors. Weak means: singular value of the scaled rows below `tolerance` (loop.tolerance in the settings).
// docs/derivations/weak-space.md has the theory.
#include "coordinates/weak_search.h"
#include "base/array.h"
#include "base/carver.h"
#include "coordinates/reduced_form.h"
#include "linalg/dense.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEARCH_ITERATIONS = 4,
    SEARCH_WIDE = 8, // vectors over all rows of a mechanism at first
    SEARCH_OPEN = -1
};
static const double search_empty = 1e-12;    // of a row: it moves nothing
static const double search_rounding = 1e-13; // of singular values
static const double search_gap = 30.0;       // between singular values of two kinds

typedef struct search {
    pawl_env env;
    const coordinates *coordinates;
    const pawl_assembly *a; // their rows and operator
    pawl_delassus *d;
    const free_factor *factor;
    weak_space *space;
    char *memory;
    size_t bytes;
    int vertices;          // bodies, and one for all that cannot move
    int *part, *part_row;  // (blocks) mechanism, and first row in it
    int *hard_row;         // (blocks) the first of its hard rows among those of its mechanism
    int *hard;             // (blocks) number of hard rows that move something
    bool *is_hard;         // (free rows)
    int *end;              // (2 x blocks) vertices; SEARCH_OPEN for blocks that are no plain joint
    int *first, *adjacent; // (vertices + 1), (2 x blocks) blocks by vertex
    int *depth, *above, *queue; // (vertices) of the tree: distance, block towards the root
    bool *in_tree;              // (blocks)
    int *loop;                  // (blocks) of the loop at work
    int *spot;                  // (columns) position in the block at work, or -1
    int *columns;               // (columns) of a block
    bool *turns;                // likewise
    double *values;             // of a block
    int column_count;
    double loop_most; // singular values of single loops from here on are left to the mechanism
    pawl_array found; // weak_cluster
} search;

static void search_layout(search *s, pawl_carver *mem)
{
    const pawl_assembly *a = s->a;
    int blocks = a->free_blocks, n = s->vertices, columns = s->column_count, dim = 1;
    for (int k = 0; k < blocks; ++k) {
        dim = a->blocks[k].rows.dim > dim ? a->blocks[k].rows.dim : dim;
    }
    int **by_block[] = {&s->part, &s->part_row, &s->hard_row, &s->hard, &s->loop};
    for (size_t i = 0; i < sizeof by_block / sizeof by_block[0]; ++i) {
        *by_block[i] = PAWL_CARVE(mem, int, blocks);
    }
    s->is_hard = PAWL_CARVE(mem, bool, a->free_rows);
    s->end = PAWL_CARVE(mem, int, 2 * blocks);
    s->first = PAWL_CARVE(mem, int, n + 1);
    s->adjacent = PAWL_CARVE(mem, int, 2 * blocks);
    s->depth = PAWL_CARVE(mem, int, n);
    s->above = PAWL_CARVE(mem, int, n);
    s->queue = PAWL_CARVE(mem, int, n);
    s->in_tree = PAWL_CARVE(mem, bool, blocks);
    s->spot = PAWL_CARVE(mem, int, columns);
    s->columns = PAWL_CARVE(mem, int, columns);
    s->turns = PAWL_CARVE(mem, bool, columns);
    s->values = PAWL_CARVE(mem, double, columns *dim);
}

// ---- rows and mechanisms ----------------------------------------------------------------------

// Which rows are hard and move something, and where they are in their mechanisms.
// Soft rows have a compliance and are never redundant.
static void search_rows(search *s, int *part_rows, int *part_hard)
{
    const pawl_assembly *a = s->a;
    for (int i = 0; i < a->free_blocks; ++i) {
        int k = s->factor == NULL ? i : pawl_free_factor_order(s->factor)[i];
        problem_block rows = a->blocks[k].rows;
        s->part[k] = s->factor == NULL ? 0 : pawl_free_factor_part(s->factor, k);
        s->part_row[k] = part_rows[s->part[k]];
        s->hard_row[k] = part_hard[s->part[k]];
        part_rows[s->part[k]] += rows.dim;
        int width = s->d->ops->geometry(s->d, k, s->columns, s->turns, s->values);
        for (int r = 0; r < rows.dim; ++r) {
            const double *row = s->values + r * width;
            // Rows over coordinates may move nothing here and something elsewhere.
            bool moves = s->coordinates->ops->has_tree_joints ||
                         pawl_dot(row, row, width) > search_empty * search_empty;
            bool hard = pawl_assembly_is_hard(a, rows.first_row + r);
            s->is_hard[rows.first_row + r] = hard && moves;
            s->hard[k] += hard && moves;
            s->space->empty += hard && !moves;
        }
        part_hard[s->part[k]] += s->hard[k];
    }
}

// Hard rows of one mechanism.
static int search_part_rows(const search *s, int part)
{
    int rows = 0;
    for (int k = 0; k < s->a->free_blocks; ++k) {
        rows += s->part[k] == part ? s->hard[k] : 0;
    }
    return rows;
}

// l^2 = 1.5 times the mean square lever of rows that hold a position: for rows in random directions the
// lever is the component of the arm across the row, 2/3 of its square.
static double search_length(const search *s, int part)
{
    const pawl_assembly *a = s->a;
    double sum = 0.0;
    int count = 0;
    for (int k = 0; k < a->free_blocks; ++k) {
        const row_block *b = &a->blocks[k];
        for (int i = 0; i < b->body_count && s->part[k] == part; ++i) {
            for (int r = 0; r < b->rows.dim; ++r) {
                const double *j = a->J + b->jacobian[i] + 6 * r;
                double linear = j[0] * j[0] + j[1] * j[1] + j[2] * j[2];
                double angular = j[3] * j[3] + j[4] * j[4] + j[5] * j[5];
                if (s->is_hard[b->rows.first_row + r] && linear > 0.0) {
                    sum += angular / linear;
                    ++count;
                }
            }
        }
    }
    return sum > 0.0 ? sqrt(1.5 * sum / count) : 1.0;
}

// Whether a row holds an angle: no body feels a force.
static bool search_row_turns(const pawl_assembly *a, const row_block *b, int r)
{
    double linear = 0.0;
    for (int i = 0; i < b->body_count; ++i) {
        const double *j = a->J + b->jacobian[i] + 6 * r;
        linear += j[0] * j[0] + j[1] * j[1] + j[2] * j[2];
    }
    return !(linear > search_empty * search_empty);
}

// ---- clusters -----------------------------------------------------------------------------------

typedef struct cluster_plan {
    const int *blocks;
    int block_count, total;
    int n, entries, values, products, columns;
} cluster_plan;

static void cluster_layout(weak_cluster *c, const cluster_plan *p, int raw, pawl_carver *mem)
{
    size_t vectors = (size_t)p->total * (size_t)p->n;
    c->blocks = PAWL_CARVE(mem, weak_block, p->block_count);
    c->products = PAWL_CARVE(mem, weak_product, p->products);
    int **by_row[] = {&c->rows, &c->part_rows, &c->hard_rows, &c->own_row};
    for (size_t i = 0; i < sizeof by_row / sizeof by_row[0]; ++i) {
        *by_row[i] = PAWL_CARVE(mem, int, p->n);
    }
    c->local = PAWL_CARVE(mem, int, p->entries);
    c->turns = PAWL_CARVE(mem, bool, p->entries);
    c->scale = PAWL_CARVE(mem, double, p->n);
    c->root = PAWL_CARVE(mem, double, p->n);
    c->gathered = PAWL_CARVE(mem, double, p->n);
    c->values = PAWL_CARVE(mem, double, p->values);
    c->raw = PAWL_CARVE(mem, double, 2 * raw);
    c->ahead = PAWL_CARVE(mem, double, p->columns);
    c->start = PAWL_CARVE(mem, double, vectors);
    c->u = PAWL_CARVE(mem, double, vectors);
    c->basis = PAWL_CARVE(mem, double, vectors);
    c->image = PAWL_CARVE(mem, double, (size_t)p->total *(size_t)p->columns);
    c->sigma = PAWL_CARVE(mem, double, p->total);
}

// Runs of columns that block i of the cluster shares with block j <= i, whose columns are marked in spot.
// Counts them; writes them where c has room.
static int cluster_pair(search *s, weak_cluster *c, int i, int j, const int *columns, int count,
                        int at, bool write)
{
    int runs = 0;
    for (int k = 0; k < count; ++k) {
        int first = k, here = s->spot[columns[k]];
        if (here < 0) {
            continue;
        }
        while (k + 1 < count && s->spot[columns[k + 1]] == s->spot[columns[k]] + 1) {
            ++k;
        }
        if (write) { // rows of j, columns of i: j's columns are the marked ones
            const weak_block *bi = &c->blocks[i], *bj = &c->blocks[j];
            block_slot slot = pawl_block_ldl_slot(c->gram, i, j);
            c->products[at + runs] =
                (weak_product){.row_values = bi->values + first,
                               .column_values = bj->values + here,
                               .row_stride = bi->width,
                               .column_stride = bj->width,
                               .row_dim = bi->dim,
                               .column_dim = bj->dim,
                               .length = k - first + 1,
                               .offset = slot.offset,
                               .offset_row = slot.transposed ? 1 : slot.stride,
                               .offset_column = slot.transposed ? slot.stride : 1,
                               .diagonal = i == j};
        }
        ++runs;
    }
    return runs;
}

// Products of all pairs of blocks; edges of the Gram matrix where `edges` is not NULL. Returns their number,
// or SEARCH_OPEN when memory is out.
static int cluster_pairs(search *s, weak_cluster *c, const cluster_plan *p, pawl_array *edges)
{
    int products = 0;
    for (int j = 0; j < p->block_count; ++j) {
        int width = s->d->ops->geometry(s->d, p->blocks[j], s->columns, s->turns, s->values);
        for (int k = 0; k < s->column_count; ++k) {
            s->spot[k] = -1;
        }
        for (int k = 0; k < width; ++k) {
            s->spot[s->columns[k]] = k;
        }
        for (int i = j; i < p->block_count; ++i) {
            int count = s->d->ops->geometry(s->d, p->blocks[i], s->columns, s->turns, s->values);
            int runs = cluster_pair(s, c, i, j, s->columns, count, products, edges == NULL);
            products += runs;
            if (edges != NULL && runs > 0 && i != j) {
                block_edge *edge = pawl_array_push(&s->env, edges, sizeof *edge);
                if (edge == NULL) {
                    return SEARCH_OPEN;
                }
                *edge = (block_edge){i, j};
            }
        }
    }
    return products;
}

// Blocks, rows and columns of c; what does not depend on where the bodies are.
static void cluster_fill(search *s, weak_cluster *c, const cluster_plan *p, double length)
{
    const pawl_assembly *a = s->a;
    int n = 0, entries = 0, values = 0, columns = 0;
    for (int k = 0; k < s->column_count; ++k) {
        s->spot[k] = -1;
    }
    for (int i = 0; i < p->block_count; ++i) {
        int block = p->blocks[i], dim = 0;
        const row_block *b = &a->blocks[block];
        int width = s->d->ops->geometry(s->d, block, s->columns, s->turns, s->values);
        c->blocks[i] = (weak_block){
            .block = block, .first = n, .width = width, .columns = entries, .values = values};
        for (int r = 0; r < b->rows.dim; ++r) {
            if (s->is_hard[b->rows.first_row + r]) {
                c->rows[n] = b->rows.first_row + r;
                c->part_rows[n] = s->part_row[block] + r;
                c->hard_rows[n] = s->hard_row[block] + dim;
                c->own_row[n] = r;
                c->scale[n] = search_row_turns(a, b, r) ? length : 1.0;
                ++n;
                ++dim;
            }
        }
        c->blocks[i].dim = dim;
        values += dim * width;
        for (int k = 0; k < width; ++k, ++entries) {
            int *spot = &s->spot[s->columns[k]];
            *spot = *spot < 0 ? columns++ : *spot;
            c->local[entries] = *spot;
            c->turns[entries] = s->turns[k];
        }
    }
}

static void cluster_destroy(const pawl_env *env, weak_cluster *c)
{
    pawl_block_ldl_destroy(c->gram);
    pawl_free(env, c->memory, c->bytes);
    *c = (weak_cluster){0};
}

// Counts first (pairs, rows, columns), then lays out one block and fills it. total: number of
// vectors to follow, at most the number of rows.
static pawl_status cluster_create(search *s, const int *blocks, int block_count, int total,
                                  double length, weak_cluster *c)
{
    cluster_plan p = {.blocks = blocks, .block_count = block_count, .total = total};
    pawl_array edges = {0}, dims = {0};
    int raw = 0;
    *c = (weak_cluster){0};
    p.products = cluster_pairs(s, c, &p, &edges);
    pawl_status status = p.products < 0 ? PAWL_NO_MEMORY : PAWL_OK;
    for (int k = 0; k < s->column_count; ++k) {
        s->spot[k] = -1;
    }
    for (int i = 0; i < block_count && status == PAWL_OK; ++i) {
        int width = s->d->ops->geometry(s->d, blocks[i], s->columns, s->turns, s->values);
        int rows = s->a->blocks[blocks[i]].rows.dim;
        int *dim = pawl_array_push(&s->env, &dims, sizeof *dim);
        if (dim == NULL) {
            status = PAWL_NO_MEMORY;
            break;
        }
        *dim = s->hard[blocks[i]];
        p.n += *dim;
        p.entries += width;
        p.values += width * *dim;
        raw = width * rows > raw ? width * rows : raw;
        for (int k = 0; k < width; ++k) {
            p.columns += s->spot[s->columns[k]] < 0;
            s->spot[s->columns[k]] = 0;
        }
    }
    p.total = p.total < p.n ? p.total : p.n;
    if (status == PAWL_OK) {
        pawl_carver need = {0};
        cluster_layout(c, &p, raw, &need);
        c->bytes = need.used;
        c->memory = pawl_alloc(&s->env, need.used);
        status = c->memory == NULL ? PAWL_NO_MEMORY
                                   : pawl_block_ldl_create(&s->env, block_count, dims.data,
                                                           edges.data, edges.count, &c->gram);
    }
    if (status == PAWL_OK) {
        pawl_carver mem = {.base = c->memory, .capacity = c->bytes};
        cluster_layout(c, &p, raw, &mem);
        c->part = s->part[blocks[0]];
        c->n = p.n;
        c->columns = p.columns;
        c->total = p.total;
        c->raw_count = raw;
        c->block_count = block_count;
        cluster_fill(s, c, &p, length);
        c->product_count = cluster_pairs(s, c, &p, NULL);
    } else {
        cluster_destroy(&s->env, c);
        status = PAWL_FAIL(&s->env, PAWL_NO_MEMORY, "no memory for the loops of '%s'",
                           s->a->model->name);
    }
    pawl_array_free(&s->env, &edges);
    pawl_array_free(&s->env, &dims);
    return status;
}

// A small deterministic generator for directions to begin with.
// Same start in every run: a linear congruential generator (Knuth's MMIX) in -0.5 .. 0.5.
static double search_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) * 0x1p-53 - 0.5;
}

// The two blocks with the largest entries of u, by a row of each.
// For messages: which joints a nearly redundant direction belongs to.
static void cluster_name(const weak_cluster *c, const double *u, int row[2])
{
    double most[2] = {0.0, 0.0};
    row[0] = row[1] = -1;
    for (int i = 0; i < c->block_count; ++i) {
        const weak_block *b = &c->blocks[i];
        double size = pawl_dot(u + b->first, u + b->first, b->dim);
        if (size > most[0]) {
            most[1] = most[0], row[1] = row[0];
            most[0] = size, row[0] = c->rows[b->first];
        } else if (size > most[1]) {
            most[1] = size, row[1] = c->rows[b->first];
        }
    }
}

// The least singular vectors of a cluster, out of those of the loops where part is not NULL.
//
// Random start vectors have a part in every weak direction. Additional vectors (guards) show whether all weak
// directions were found: the first strong singular value must be among them.
static void cluster_search(search *s, weak_cluster *c, double length, weak_part *part,
                           double tolerance)
{
    uint64_t seed = 1;
    for (int i = 0; i < c->total * c->n; ++i) {
        c->start[i] = c->u[i] = search_random(&seed);
    }
    pawl_weak_place(c, s->d, length);
    pawl_weak_begin(s->space, part, c);
    for (int k = 0; k < SEARCH_ITERATIONS; ++k) {
        pawl_weak_iterate(s->space, part, c);
    }
    pawl_weak_ritz(c);
    while (c->base < c->total && c->sigma[c->base] < tolerance) {
        ++c->base;
    }
    int strong = c->base;
    while (strong < c->total && c->sigma[strong] < s->space->tolerance) {
        ++strong; // left to the mechanism
    }
    if (strong < c->total && c->sigma[strong] < s->space->strong) {
        s->space->strong = c->sigma[strong];
        cluster_name(c, c->u + strong * c->n, s->space->strong_row);
    }
    c->count = c->base;
}

// The iteration starts from directions that are independent of the mechanism, because weak vectors of one position
// may be orthogonal to those of another.
static void cluster_settle(weak_cluster *c)
{
    int total = c->base + WEAK_GUARDS;
    c->total = total < c->total ? total : c->total;
}

// ---- loops --------------------------------------------------------------------------------------

// The two bodies that a plain joint joins. What cannot move is one.
static void search_ends(search *s, int block)
{
    const row_block *b = &s->a->blocks[block];
    int *end = s->end + 2 * block, count = 0, fixed = s->vertices - 1;
    end[0] = end[1] = s->hard[block] > 0 ? fixed : SEARCH_OPEN;
    for (int i = 0; i < b->body_count && end[0] != SEARCH_OPEN; ++i) {
        if (s->a->model->bodies[b->body[i]].inverse_mass > 0.0) {
            if (count == 2) { // a gear between four bodies
                end[0] = end[1] = SEARCH_OPEN;
                return;
            }
            end[count++] = b->body[i];
        }
    }
}

// Blocks by vertex in compressed lists; what cannot move is one vertex, the last.
static void search_graph(search *s)
{
    int blocks = s->a->free_blocks;
    for (int k = 0; k < blocks; ++k) {
        search_ends(s, k);
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < blocks; ++k) {
            for (int i = 0; i < 2 && s->end[2 * k] != SEARCH_OPEN; ++i) {
                int vertex = s->end[2 * k + i];
                if (pass == 0) {
                    ++s->first[vertex + 1];
                } else {
                    s->adjacent[s->first[vertex]++] = k;
                }
            }
        }
        for (int v = 0; v < s->vertices && pass == 0; ++v) {
            s->first[v + 1] += s->first[v];
        }
    }
    for (int v = s->vertices; v > 0; --v) {
        s->first[v] = s->first[v - 1];
    }
    s->first[0] = 0;
}

// Breadth first, so that paths to the root are shortest, and loops with them.
static void search_tree_from(search *s, int root)
{
    int head = 0, tail = 0;
    s->depth[root] = 0;
    s->above[root] = SEARCH_OPEN;
    s->queue[tail++] = root;
    while (head < tail) {
        int vertex = s->queue[head++];
        for (int i = s->first[vertex]; i < s->first[vertex + 1]; ++i) {
            int k = s->adjacent[i];
            int other = s->end[2 * k] == vertex ? s->end[2 * k + 1] : s->end[2 * k];
            if (s->depth[other] < 0) {
                s->depth[other] = s->depth[vertex] + 1;
                s->above[other] = k;
                s->in_tree[k] = true;
                s->queue[tail++] = other;
            }
        }
    }
}

static void search_tree(search *s)
{
    for (int v = 0; v < s->vertices; ++v) {
        s->depth[v] = -1;
    }
    search_tree_from(s, s->vertices - 1);
    for (int v = 0; v < s->vertices; ++v) {
        if (s->depth[v] < 0) {
            search_tree_from(s, v);
        }
    }
}

static int search_order_of(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

// The blocks of the loop that block k closes, in their order. Returns their number.
// Up from both ends of block k, always the deeper one, until they meet. Sorted, so that the rows of
// a cluster ascend as part_common_rows() needs.
static int search_loop(search *s, int k)
{
    int count = 0, at[2] = {s->end[2 * k], s->end[2 * k + 1]};
    s->loop[count++] = k;
    while (at[0] != at[1]) {
        int deep = s->depth[at[0]] >= s->depth[at[1]] ? 0 : 1;
        int block = s->above[at[deep]];
        s->loop[count++] = block;
        at[deep] = s->end[2 * block] == at[deep] ? s->end[2 * block + 1] : s->end[2 * block];
    }
    qsort(s->loop, (size_t)count, sizeof *s->loop, search_order_of);
    return count;
}

// Adds the cluster of a set of blocks if it holds anything weak.
static pawl_status search_try(search *s, int block_count, int most, double length, double tolerance)
{
    weak_cluster c;
    PAWL_TRY(cluster_create(s, s->loop, block_count, most + WEAK_GUARDS, length, &c));
    cluster_search(s, &c, length, NULL, tolerance);
    if (c.base == 0) {
        cluster_destroy(&s->env, &c);
        return PAWL_OK;
    }
    weak_cluster *kept = pawl_array_push(&s->env, &s->found, sizeof *kept);
    if (kept == NULL) {
        cluster_destroy(&s->env, &c);
        return PAWL_FAIL(&s->env, PAWL_NO_MEMORY, "no memory for the loops of '%s'",
                         s->a->model->name);
    }
    cluster_settle(&c);
    *kept = c;
    return PAWL_OK;
}

// Rows of one joint over the coordinates of the others have the whole misalignment of the loop, where with
// rows for all of its n joints a unit vector has 1/sqrt n of it on each.
//
// A tolerance per row is therefore multiplied by sqrt n, so that both kinds of coordinates call the
// same loops redundant.
static double search_tolerance(const search *s, int k)
{
    double tolerance = s->space->tolerance;
    return s->coordinates->ops->loop_joints == NULL
               ? tolerance
               : tolerance * sqrt(s->coordinates->ops->loop_joints(s->coordinates, k));
}

// The joints outside the tree close one loop each. At most as many directions are weak in a loop as
// the closing joint has rows.
static pawl_status search_loops(search *s, int part, double length)
{
    for (int k = 0; k < s->a->free_blocks; ++k) {
        if (s->part[k] != part || s->hard[k] == 0) {
            continue;
        }
        if (s->coordinates->ops->loop_joints !=
            NULL) { // the rows of a joint that closes a loop are all there is of it
            s->loop[0] = k;
            PAWL_TRY(
                search_try(s, 1, s->hard[k], length, fmin(search_tolerance(s, k), s->loop_most)));
        } else if (s->end[2 * k] != SEARCH_OPEN && !s->in_tree[k]) {
            int count = search_loop(s, k);
            PAWL_TRY(
                search_try(s, count, s->hard[k], length, fmin(s->space->tolerance, s->loop_most)));
        }
    }
    return PAWL_OK;
}

// ---- mechanisms ---------------------------------------------------------------------------------

static void part_layout(weak_part *part, int shared, int coefficients, pawl_carver *mem)
{
    part->overlaps = PAWL_CARVE(mem, weak_overlap, part->overlap_count);
    part->shared = PAWL_CARVE(mem, weak_shared, shared);
    part->coefficients = PAWL_CARVE(mem, double, coefficients);
}

// Rows that clusters x and y share; both are sorted by row.
// A merge of two sorted lists; out NULL only counts.
static int part_common_rows(const weak_cluster *x, const weak_cluster *y, weak_shared *out)
{
    int count = 0;
    for (int i = 0, j = 0; i < x->n && j < y->n;) {
        if (x->hard_rows[i] == y->hard_rows[j]) {
            if (out != NULL) {
                out[count] = (weak_shared){i, j};
            }
            ++count, ++i, ++j;
        } else if (x->hard_rows[i] < y->hard_rows[j]) {
            ++i;
        } else {
            ++j;
        }
    }
    return count;
}

// Common data of the loops of a mechanism: overlaps, and the plan of their Gram matrix.
static pawl_status part_join(search *s, weak_part *part, const weak_cluster *loops, int count,
                             int wide_total)
{
    pawl_array edges = {0}, dims = {0};
    int shared = 0, coefficients = wide_total;
    pawl_status status = PAWL_OK;
    part->overlap_count = 0;
    for (int i = 0; i < count && status == PAWL_OK; ++i) {
        int *dim = pawl_array_push(&s->env, &dims, sizeof *dim);
        status = dim == NULL ? PAWL_NO_MEMORY : PAWL_OK;
        if (dim != NULL) {
            *dim = loops[i].total;
        }
        coefficients += loops[i].total;
        for (int j = 0; j < i && status == PAWL_OK; ++j) {
            int rows = part_common_rows(&loops[i], &loops[j], NULL);
            shared += rows;
            part->overlap_count += rows > 0;
            block_edge *edge = rows > 0 ? pawl_array_push(&s->env, &edges, sizeof *edge) : NULL;
            status = rows > 0 && edge == NULL ? PAWL_NO_MEMORY : PAWL_OK;
            if (edge != NULL) {
                *edge = (block_edge){i, j};
            }
        }
    }
    if (status == PAWL_OK) {
        pawl_carver need = {0};
        part_layout(part, shared, coefficients, &need);
        part->bytes = need.used;
        part->memory = pawl_alloc(&s->env, need.used);
        status = part->memory == NULL ? PAWL_NO_MEMORY : PAWL_OK;
    }
    if (status == PAWL_OK && count > 1) {
        status =
            pawl_block_ldl_create(&s->env, count, dims.data, edges.data, edges.count, &part->gram);
    }
    if (status == PAWL_OK) {
        pawl_carver mem = {.base = part->memory, .capacity = part->bytes};
        part_layout(part, shared, coefficients, &mem);
        for (int i = 0, at = 0, o = 0; i < count; ++i) {
            for (int j = 0; j < i; ++j) {
                int rows = part_common_rows(&loops[i], &loops[j], part->shared + at);
                if (rows > 0) {
                    part->overlaps[o++] = (weak_overlap){i, j, at, rows};
                    at += rows;
                }
            }
        }
    }
    pawl_array_free(&s->env, &edges);
    pawl_array_free(&s->env, &dims);
    return status == PAWL_OK ? PAWL_OK
                             : PAWL_FAIL(&s->env, PAWL_NO_MEMORY, "no memory for the loops of '%s'",
                                         s->a->model->name);
}

// The part of a mechanism's weak space that its loops, which are at the end of the list, do not contain. The number
// of weak vectors is not known beforehand: where all that were tried are weak, twice as many are tried.
static pawl_status search_rest(search *s, weak_part *part, int index)
{
    int count = 0, rows = search_part_rows(s, index), total = SEARCH_WIDE;
    double tolerance = 0.0;
    for (int k = 0; k < s->a->free_blocks; ++k) {
        if (s->part[k] == index && s->hard[k] > 0) {
            s->loop[count++] = k;
            tolerance = fmax(tolerance, search_tolerance(s, k));
        }
    }
    for (;; total *= 2) {
        total = total < rows ? total : rows;
        weak_cluster wide;
        PAWL_TRY(cluster_create(s, s->loop, count, total, part->length, &wide));
        // The loops are reached through the space, which borrows the list for the time.
        s->space->clusters = s->found.data;
        cluster_search(s, &wide, part->length, part->count > 0 ? part : NULL, tolerance);
        s->space->clusters = NULL;
        bool all = wide.base == wide.total && total < rows;
        if (all || wide.base == 0) {
            cluster_destroy(&s->env, &wide);
        }
        if (all) {
            continue;
        }
        if (wide.base > 0) {
            weak_cluster *kept = pawl_array_push(&s->env, &s->found, sizeof *kept);
            if (kept == NULL) {
                cluster_destroy(&s->env, &wide);
                return PAWL_FAIL(&s->env, PAWL_NO_MEMORY, "no memory for the loops of '%s'",
                                 s->a->model->name);
            }
            cluster_settle(&wide);
            *kept = wide;
            part->wide = true;
            ++part->count;
        }
        return PAWL_OK;
    }
}

// Loops first, one by one; then what only the whole mechanism shows. Small problems are cheap, and
// most redundancy of real mechanisms is in single loops.
static pawl_status search_part(search *s, int index)
{
    weak_part *part = &s->space->parts[index];
    *part = (weak_part){.first = s->found.count, .length = search_length(s, index)};
    if (search_part_rows(s, index) == 0) {
        return PAWL_OK;
    }
    PAWL_TRY(search_loops(s, index, part->length));
    part->count = s->found.count - part->first;
    const weak_cluster *loops = (const weak_cluster *)s->found.data + part->first;
    int rows = search_part_rows(s, index);
    PAWL_TRY(part_join(s, part, loops, part->count, rows));
    return search_rest(s, part, index);
}

static pawl_status search_parts(search *s, int part_count)
{
    size_t counts = (size_t)part_count * sizeof(int);
    int *rows = pawl_alloc(&s->env, counts), *hard = pawl_alloc(&s->env, counts);
    s->space->parts = pawl_alloc(&s->env, (size_t)part_count * sizeof *s->space->parts);
    s->space->part_count = s->space->parts == NULL ? 0 : part_count;
    pawl_status status = PAWL_OK;
    if (rows == NULL || hard == NULL || s->space->parts == NULL) {
        status = PAWL_FAIL(&s->env, PAWL_NO_MEMORY, "no memory for the loops of '%s'",
                           s->a->model->name);
    } else {
        search_rows(s, rows, hard);
        search_graph(s);
        search_tree(s);
    }
    for (int i = 0; i < part_count && status == PAWL_OK; ++i) {
        status = search_part(s, i);
    }
    pawl_free(&s->env, rows, counts);
    pawl_free(&s->env, hard, counts);
    return status;
}

// Hands the clusters found over to the space.
static pawl_status search_keep(search *s)
{
    if (s->found.count == 0) {
        return PAWL_OK;
    }
    size_t bytes = (size_t)s->found.count * sizeof(weak_cluster);
    weak_cluster *clusters = pawl_alloc(&s->env, bytes);
    if (clusters == NULL) {
        return PAWL_FAIL(&s->env, PAWL_NO_MEMORY, "no memory for the loops of '%s'",
                         s->a->model->name);
    }
    memcpy(clusters, s->found.data, bytes);
    s->space->clusters = clusters;
    s->space->cluster_count = s->found.count;
    s->found.count = 0;
    return PAWL_OK;
}

static pawl_status search_run(const pawl_env *env, const coordinates *c, double tolerance,
                              double loop_most, weak_space **out)
{
    *out = NULL;
    const pawl_assembly *a = c->rows;
    pawl_delassus *d = c->delassus;
    const free_factor *factor = c->ops->factor != NULL ? c->ops->factor(c) : NULL;
    if (!a->has_loops || d->ops->geometry == NULL || a->free_rows == 0) {
        return PAWL_OK;
    }
    search s = {
        .env = *env, .coordinates = c, .a = a, .d = d, .factor = factor, .loop_most = loop_most};
    s.vertices = a->model->body_count + 1;
    s.column_count = 6 * a->model->body_count;
    pawl_carver need = {0};
    search_layout(&s, &need);
    s.bytes = need.used;
    s.memory = pawl_alloc(env, need.used);
    s.space = pawl_alloc(env, sizeof *s.space);
    pawl_status status = PAWL_OK;
    if (s.space != NULL) {
        s.space->env = *env;
        s.space->tolerance = tolerance;
        s.space->strong = 1.0;
        s.space->strong_row[0] = s.space->strong_row[1] = -1;
    }
    if (s.memory == NULL || s.space == NULL) {
        status = PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the loops of '%s'", a->model->name);
    } else {
        pawl_carver mem = {.base = s.memory, .capacity = s.bytes};
        search_layout(&s, &mem);
        status = search_parts(&s, factor == NULL ? 1 : pawl_free_factor_part_count(factor));
    }
    if (status == PAWL_OK) {
        status = search_keep(&s);
    }
    for (int i = 0; i < s.found.count; ++i) {
        cluster_destroy(env, &PAWL_ITEM(s.found, weak_cluster, i));
    }
    pawl_array_free(env, &s.found);
    pawl_free(env, s.memory, s.bytes);
    if (status != PAWL_OK) {
        pawl_weak_space_destroy(s.space);
        return status;
    }
    *out = s.space;
    return PAWL_OK;
}

// The largest singular value of a weak vector that is below `most`; 0 for none, and rounding is one value.
static double search_below(const weak_space *space, double most)
{
    double largest = 0.0;
    for (int i = 0; i < space->cluster_count; ++i) {
        const weak_cluster *c = &space->clusters[i];
        for (int k = 0; k < c->base; ++k) {
            double sigma = fmax(c->sigma[k], search_rounding);
            largest = sigma < most ? fmax(largest, sigma) : largest;
        }
    }
    return largest;
}

// The middle of the widest gap between singular values; infinite where none is wide.
static double search_find_gap(const weak_space *space)
{
    double widest = search_gap, middle = INFINITY;
    for (double above = search_below(space, INFINITY), below; above > 0.0; above = below) {
        below = search_below(space, above);
        if (below > 0.0 && above / below > widest) {
            widest = above / below;
            middle = sqrt(above * below);
        }
    }
    return middle;
}

// *out stays NULL where nothing can be redundant: a forest, no free rows, or an operator without
// geometry.
pawl_status pawl_weak_search(const pawl_env *env, const coordinates *c, double tolerance,
                             weak_space **out)
{
    PAWL_TRY(search_run(env, c, tolerance, INFINITY, out));
    double middle = *out != NULL ? search_find_gap(*out) : INFINITY;
    if (isinf(middle)) {
        return PAWL_OK;
    }
    weak_space *other = NULL;
    pawl_status status = search_run(env, c, tolerance, middle, &other);
    bool better = status == PAWL_OK &&
                  pawl_weak_space_dimension(other) == pawl_weak_space_dimension(*out) &&
                  search_gap * pawl_weak_space_largest(other) < pawl_weak_space_largest(*out);
    pawl_weak_space_destroy(better ? *out : other);
    *out = better ? other : *out;
    return status;
}
