// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Y = J C in maximal coordinates. With the inverse mass 1/m and the inverse inertia in world axes L LT,
// C = diag(m^-1/2, L): columns of the linear part are scaled, those of the angular part are multiplied by L. The
// inverse inertia of a point mass is 0, so that its angular columns are zero and its factor is 1 there.
#include "coordinates/maximal_space.h"
#include "base/array.h"
#include <string.h>

enum { MAXIMAL_WIDTH = 6 };

typedef struct space_scale { // C of a body
    double linear;
    double xx, yx, yy, zx, zy, zz; // L
} space_scale;

struct maximal_space {
    pawl_env env;
    velocity_space space;
    pawl_array edges; // block_edge
    char *memory;
    size_t bytes;
    // carved from it
    int *node;          // (bodies of the set) -1 for those that cannot move
    space_scale *scale; // (nodes)
    int *first_side, *side_node, *first_pair, *pair_edge;
    const double **side_Y;
    double *Y;
    int64_t filled; // rows_key of the problem whose space it holds; 0 for none
};

void pawl_maximal_space_destroy(maximal_space *m)
{
    if (m != NULL) {
        pawl_env env = m->env;
        pawl_array_free(&env, &m->edges);
        pawl_free(&env, m->memory, m->bytes);
        pawl_free(&env, m, sizeof *m);
    }
}

typedef struct space_counts {
    size_t bodies, blocks, sides, pairs, values;
} space_counts;

// As many as there can be.
// A contact has at most two bodies, hence one pair; another block has up to BLOCK_MAX_BODIES, hence
// six pairs.
static space_counts space_most(const pawl_assembly *a)
{
    size_t contacts = (size_t)a->max_contacts, others = (size_t)a->max_blocks - contacts;
    size_t rows = (size_t)a->max_rows - 3 * contacts;
    return (space_counts){.bodies = (size_t)a->model->body_count,
                          .blocks = (size_t)a->max_blocks,
                          .sides = 2 * contacts + BLOCK_MAX_BODIES * others,
                          .pairs = contacts + 6 * others,
                          .values = MAXIMAL_WIDTH * (6 * contacts + BLOCK_MAX_BODIES * rows)};
}

static space_counts space_count(const row_set *rows)
{
    space_counts n = {.bodies = (size_t)rows->body_count,
                      .blocks = (size_t)rows->problem->block_count};
    for (int k = 0; k < rows->problem->block_count; ++k) {
        const row_block *b = &rows->blocks[k];
        size_t sides = (size_t)b->body_count;
        n.sides += sides;
        n.pairs += sides * (sides - 1) / 2;
        n.values += MAXIMAL_WIDTH * sides * (size_t)b->rows.dim;
    }
    return n;
}

static void space_layout(maximal_space *m, const space_counts *n, pawl_carver *mem)
{
    m->node = PAWL_CARVE(mem, int, n->bodies);
    m->scale = PAWL_CARVE(mem, space_scale, n->bodies);
    m->first_side = PAWL_CARVE(mem, int, n->blocks + 1);
    m->side_node = PAWL_CARVE(mem, int, n->sides);
    m->first_pair = PAWL_CARVE(mem, int, n->blocks + 1);
    m->pair_edge = PAWL_CARVE(mem, int, n->pairs);
    m->side_Y = PAWL_CARVE(mem, const double *, n->sides);
    m->Y = PAWL_CARVE(mem, double, n->values);
    m->space.vectors = PAWL_CARVE(mem, double, SPACE_VECTORS *MAXIMAL_WIDTH * n->bodies);
}

// The most that the assembly allows is reserved at creation. Memory grows, with room to spare, only
// if a set of rows needs more.
static bool space_reserve(maximal_space *m, const space_counts *n)
{
    pawl_carver need = {0};
    space_layout(m, n, &need);
    if (need.used > m->bytes) {
        size_t wanted = m->bytes == 0 ? need.used : need.used + need.used / 2;
        pawl_free(&m->env, m->memory, m->bytes);
        m->memory = pawl_alloc(&m->env, wanted);
        m->bytes = m->memory == NULL ? 0 : wanted;
        if (m->memory == NULL) {
            return false;
        }
    }
    pawl_carver mem = {.base = m->memory, .capacity = m->bytes};
    space_layout(m, n, &mem);
    return true;
}

pawl_status pawl_maximal_space_create(const pawl_env *env, const pawl_assembly *a,
                                      maximal_space **out)
{
    *out = pawl_alloc(env, sizeof **out);
    if (*out != NULL) {
        (*out)->env = *env;
    }
    space_counts most = space_most(a);
    if (*out == NULL || !space_reserve(*out, &most)) {
        pawl_maximal_space_destroy(*out);
        *out = NULL;
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the velocities of '%s'",
                         a->model->name);
    }
    return PAWL_OK;
}

// Cholesky factor of the inverse inertia [1/(kg m^2)] in world axes. `inertia_scale` weights
// rotations (docs/math.md section 5, projection). Roots are guarded: a thin rod's inverse inertia
// can lose its last pivot to rounding.
static space_scale space_scale_of(const pawl_assembly *a, int body)
{
    const pawl_mat3 *inertia = &a->inverse_inertia[body];
    double turn = a->inertia_scale;
    space_scale s = {.linear = sqrt(a->inverse_mass[body])};
    double xx = turn * inertia->m[0][0];
    if (!(xx > 0.0)) {
        return s; // a point
    }
    s.xx = sqrt(xx);
    s.yx = turn * inertia->m[1][0] / s.xx;
    s.zx = turn * inertia->m[2][0] / s.xx;
    s.yy = sqrt(max_of(turn * inertia->m[1][1] - s.yx * s.yx, 0.0));
    s.zy = s.yy > 0.0 ? (turn * inertia->m[2][1] - s.zx * s.yx) / s.yy : 0.0;
    s.zz = sqrt(max_of(turn * inertia->m[2][2] - s.zx * s.zx - s.zy * s.zy, 0.0));
    return s;
}

// Bodies that can move are numbered in the order of the set; each is a node of six velocities.
static void space_find_nodes(maximal_space *m, const row_set *rows)
{
    m->space.node_count = 0;
    for (int i = 0; i < rows->body_count; ++i) {
        bool moves = pawl_row_set_model(rows, i)->inverse_mass > 0.0;
        m->node[i] = moves ? m->space.node_count : -1;
        if (moves) {
            m->scale[m->space.node_count++] = space_scale_of(rows->a, pawl_row_set_body(rows, i));
        }
    }
}

// Y (dim x 6) = J C of one body.
static void space_fill_side(const space_scale *s, const double *J, int dim, double *Y)
{
    for (int r = 0; r < dim; ++r, J += 6, Y += MAXIMAL_WIDTH) {
        Y[0] = J[0] * s->linear;
        Y[1] = J[1] * s->linear;
        Y[2] = J[2] * s->linear;
        Y[3] = J[3] * s->xx + J[4] * s->yx + J[5] * s->zx;
        Y[4] = J[4] * s->yy + J[5] * s->zy;
        Y[5] = J[5] * s->zz;
    }
}

// The edge between two nodes; contacts of a pair follow each other, and share one.
static int space_edge(maximal_space *m, int a, int b)
{
    int count = m->edges.count;
    const block_edge *last = count > 0 ? &PAWL_ITEM(m->edges, block_edge, count - 1) : NULL;
    if (last != NULL && last->a == a && last->b == b) {
        return count - 1;
    }
    block_edge *slot = pawl_array_push(&m->env, &m->edges, sizeof *slot);
    if (slot == NULL) {
        return -1;
    }
    *slot = (block_edge){a, b};
    return count;
}

// Sides and pairs of all blocks; false when memory is out.
static bool space_fill(maximal_space *m, const row_set *rows)
{
    double *Y = m->Y;
    int sides = 0, pairs = 0;
    m->edges.count = 0;
    for (int k = 0; k < rows->problem->block_count; ++k) {
        const row_block *b = &rows->blocks[k];
        m->first_side[k] = sides;
        m->first_pair[k] = pairs;
        for (int i = 0; i < b->body_count; ++i) {
            int node = m->node[b->body[i]];
            if (node < 0) {
                continue;
            }
            for (int other = m->first_side[k]; other < sides; ++other) {
                int edge = space_edge(m, node, m->side_node[other]);
                if (edge < 0) {
                    return false;
                }
                m->pair_edge[pairs++] = edge;
            }
            space_fill_side(&m->scale[node], rows->a->J + b->jacobian[i], b->rows.dim, Y);
            m->side_node[sides] = node;
            m->side_Y[sides++] = Y;
            Y += MAXIMAL_WIDTH * b->rows.dim;
        }
    }
    m->first_side[rows->problem->block_count] = sides;
    m->first_pair[rows->problem->block_count] = pairs;
    return true;
}

// The plan of the factor is kept by the caller, one per island, so that it is made again only when
// the pairs of touching bodies change. NULL when memory is out.
velocity_space *pawl_maximal_space_find(maximal_space *m, const row_set *rows, block_lu **lu)
{
    if (*lu == NULL && pawl_block_lu_create(&m->env, lu) != PAWL_OK) {
        return NULL;
    }
    // Corrections of a step solve other problems over the same rows.
    if (m->filled != 0 && m->filled == rows->problem->rows_key && m->space.sparse == *lu) {
        return &m->space;
    }
    m->filled = 0;
    space_counts n = space_count(rows);
    if (!space_reserve(m, &n)) {
        return NULL;
    }
    space_find_nodes(m, rows);
    if (!space_fill(m, rows)) {
        return NULL;
    }
    m->space = (velocity_space){.width = MAXIMAL_WIDTH,
                                .node_count = m->space.node_count,
                                .first_side = m->first_side,
                                .side_node = m->side_node,
                                .side_Y = m->side_Y,
                                .first_pair = m->first_pair,
                                .pair_edge = m->pair_edge,
                                .vectors = m->space.vectors,
                                .sparse = *lu,
                                .edges = m->edges.data,
                                .edge_count = m->edges.count};
    m->filled = rows->problem->rows_key;
    return &m->space;
}
