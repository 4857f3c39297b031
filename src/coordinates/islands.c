// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Splits a problem into islands by union-find over the bodies that can move: two bodies are united
// when a block of rows acts on both. Islands are numbered by their first bodies and keep the order
// of rows, so that results do not depend on threads.
//
// Free rows never change, so their sets (`linked`) are found once. A step copies them and adds the
// bounded rows and contacts of that step. Fixed bodies do not unite islands: otherwise all bodies on the ground would
// be one island. Rows that move no body get a set of their own, after those of the bodies.
//
// Within an island free rows come first, in the order of the factor's parts, then bounded rows and
// contacts in the order of the problem.
#include "coordinates/islands.h"
#include "base/carver.h"
#include <string.h>

struct island_list {
    pawl_env env;
    size_t bytes;
    const pawl_assembly *a;
    const free_factor *factor;
    int count;
    island *items; // (bodies + 1)
    // Sets of bodies: each points to one that comes before it in the set, the first to itself. Behind the
    // bodies is one more for rows that move nothing.
    int *linked;                   // (bodies + 1) by the free rows
    int *parent;                   // (bodies + 1) by all rows
    int *island_of;                // (bodies + 1) of a set, by its first body; -1 without rows
    int *local;                    // (bodies) index within the island
    int *bodies;                   // (bodies) island by island
    int *anchor;                   // (max_blocks) the first body of a block that can move
    shifted_structure *structures; // (bodies + 1) by first body
    // island by island
    island_part *parts;            // (parts of the factor)
    row_block *blocks;             // (max_blocks)
    problem_block *problem_blocks; // (max_blocks)
    int *source;                   // (max_blocks) which block of the whole it is
    double *v_f, *lower, *upper, *compliance, *lambda; // (max_rows)
    double *friction;                                  // (max_contacts)
};

static island_list *islands_layout(const pawl_assembly *a, const free_factor *factor,
                                   pawl_carver *mem)
{
    int bodies = a->model->body_count;
    int parts = factor == NULL ? 0 : pawl_free_factor_part_count(factor);
    island_list *list = PAWL_CARVE(mem, island_list, 1);
    island_list l = {.a = a, .factor = factor};
    l.items = PAWL_CARVE(mem, island, bodies + 1);
    int **by_body[] = {&l.linked, &l.parent, &l.island_of, &l.local, &l.bodies};
    for (size_t i = 0; i < sizeof by_body / sizeof by_body[0]; ++i) {
        *by_body[i] = PAWL_CARVE(mem, int, bodies + 1);
    }
    l.anchor = PAWL_CARVE(mem, int, a->max_blocks);
    l.structures = PAWL_CARVE(mem, shifted_structure, bodies + 1);
    l.parts = PAWL_CARVE(mem, island_part, parts);
    l.blocks = PAWL_CARVE(mem, row_block, a->max_blocks);
    l.problem_blocks = PAWL_CARVE(mem, problem_block, a->max_blocks);
    l.source = PAWL_CARVE(mem, int, a->max_blocks);
    double **by_row[] = {&l.v_f, &l.lower, &l.upper, &l.compliance, &l.lambda};
    for (size_t i = 0; i < sizeof by_row / sizeof by_row[0]; ++i) {
        *by_row[i] = PAWL_CARVE(mem, double, a->max_rows);
    }
    l.friction = PAWL_CARVE(mem, double, a->max_contacts);
    if (list != NULL) {
        *list = l;
    }
    return list;
}

static bool islands_moves(const island_list *l, int body)
{
    return l->a->model->bodies[body].inverse_mass > 0.0;
}

// Path halving: each body on the way is linked to its grandparent.
static int islands_first(int *parent, int body)
{
    while (parent[body] != body) {
        parent[body] = parent[parent[body]];
        body = parent[body];
    }
    return body;
}

// The smaller index becomes the first of the set, whatever the order of calls.
static void islands_unite(int *parent, int a, int b)
{
    a = islands_first(parent, a);
    b = islands_first(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

// Unites the bodies that block k moves and remembers the first of them.
static void islands_add_block(island_list *l, int *parent, int k)
{
    const row_block *b = &l->a->blocks[k];
    int anchor = l->a->model->body_count;
    for (int s = b->body_count - 1; s >= 0; --s) {
        if (islands_moves(l, b->body[s])) {
            if (anchor < l->a->model->body_count) {
                islands_unite(parent, anchor, b->body[s]);
            }
            anchor = b->body[s];
        }
    }
    l->anchor[k] = anchor;
}

// The sets that the free rows make. A part of their factor is in one piece.
//
// A dense factor is one part although it may hold several mechanisms; they must be in one island
// then, because the part is solved as a whole.
static void islands_link(island_list *l)
{
    int bodies = l->a->model->body_count;
    for (int i = 0; i <= bodies; ++i) {
        l->linked[i] = i;
    }
    for (int i = 0; i < l->a->free_blocks; ++i) {
        int k = l->factor == NULL ? i : pawl_free_factor_order(l->factor)[i];
        islands_add_block(l, l->linked, k);
        int before = i == 0 || l->factor == NULL ? -1 : pawl_free_factor_order(l->factor)[i - 1];
        if (before >= 0 &&
            pawl_free_factor_part(l->factor, k) == pawl_free_factor_part(l->factor, before)) {
            islands_unite(l->linked, l->anchor[before], l->anchor[k]);
        }
    }
}

pawl_status pawl_island_list_create(const pawl_env *env, const pawl_assembly *a,
                                    const free_factor *factor, island_list **out)
{
    *out = NULL;
    pawl_carver need = {0};
    (void)islands_layout(a, factor, &need);
    char *block = pawl_alloc(env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "islands of '%s' need %zu bytes", a->model->name,
                         need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    island_list *list = islands_layout(a, factor, &mem);
    list->env = *env;
    list->bytes = need.used;
    islands_link(list);
    *out = list;
    return PAWL_OK;
}

void pawl_island_list_destroy(island_list *list)
{
    if (list != NULL) {
        pawl_env env = list->env;
        for (int i = 0; i <= list->a->model->body_count; ++i) {
            pawl_block_ldl_destroy(list->structures[i].ldl);
            pawl_block_lu_destroy(list->structures[i].lu);
        }
        pawl_free(&env, list, list->bytes);
    }
}

// Most islands that a step can have: one for each set of moving bodies that free rows make.
int pawl_island_list_most(const island_list *l)
{
    int most = 0;
    for (int i = 0; i < l->a->model->body_count; ++i) {
        most += islands_moves(l, i) && l->linked[i] == i;
    }
    return most;
}

// Returns the number of islands with rows; bodies without rows are in none.
int pawl_island_list_find(island_list *l)
{
    const pawl_problem *p = &l->a->problem;
    int bodies = l->a->model->body_count;
    memcpy(l->parent, l->linked, (size_t)(bodies + 1) * sizeof *l->parent);
    for (int k = p->free_block_count; k < p->block_count; ++k) {
        islands_add_block(l, l->parent, k);
    }
    memset(l->island_of, -1, (size_t)(bodies + 1) * sizeof *l->island_of);
    for (int k = 0; k < p->block_count; ++k) {
        l->island_of[islands_first(l->parent, l->anchor[k])] = 0; // it has rows
    }
    l->count = 0;
    for (int i = 0; i <= bodies; ++i) {
        if (l->island_of[i] == 0) {
            l->items[l->count].structure = &l->structures[i];
            l->island_of[i] = l->count++;
        }
    }
    return l->count;
}

static int islands_of_block(island_list *l, int k)
{
    return l->island_of[islands_first(l->parent, l->anchor[k])];
}

// How much each island has of everything.
static void islands_measure(island_list *l)
{
    const pawl_problem *p = &l->a->problem;
    int contacts = p->block_count - p->contact_count;
    for (int i = 0; i < l->count; ++i) {
        l->items[i].problem =
            (pawl_problem){.factor_key = p->factor_key, .place_key = p->place_key};
        l->items[i].rows.body_count = l->items[i].part_count = 0;
    }
    for (int k = 0; k < p->block_count; ++k) {
        pawl_problem *own = &l->items[islands_of_block(l, k)].problem;
        own->row_count += p->blocks[k].dim;
        ++own->block_count;
        own->contact_count += k >= contacts;
        own->free_row_count += k < p->free_block_count ? p->blocks[k].dim : 0;
        own->free_block_count += k < p->free_block_count;
    }
    for (int body = 0; body < l->a->model->body_count; ++body) {
        int i = islands_moves(l, body) ? l->island_of[islands_first(l->parent, body)] : -1;
        if (i >= 0) {
            ++l->items[i].rows.body_count;
        }
    }
    int parts = l->factor == NULL ? 0 : pawl_free_factor_part_count(l->factor);
    for (int i = 0, last = -1; i < l->a->free_blocks && parts > 0; ++i) {
        int k = pawl_free_factor_order(l->factor)[i];
        int part = pawl_free_factor_part(l->factor, k);
        l->items[islands_of_block(l, k)].part_count += part != last;
        last = part;
    }
}

// Where each island's share of the arrays begins. The counts start again from zero, for filling.
static void islands_place(island_list *l)
{
    int row = 0, block = 0, contact = 0, body = 0, part = 0;
    for (int i = 0; i < l->count; ++i) {
        island *own = &l->items[i];
        pawl_problem *p = &own->problem;
        p->blocks = l->problem_blocks + block;
        p->v_f = l->v_f + row;
        p->lower = l->lower + row;
        p->upper = l->upper + row;
        p->compliance = l->compliance + row;
        p->friction = l->friction + contact;
        own->lambda = l->lambda + row;
        own->rows.a = l->a;
        own->rows.problem = p;
        own->rows.blocks = l->blocks + block;
        own->rows.bodies = l->bodies + body;
        own->parts = l->parts + part;
        row += p->row_count;
        block += p->block_count;
        contact += p->contact_count;
        body += own->rows.body_count;
        part += own->part_count;
        p->row_count = p->block_count = p->contact_count = 0;
        own->rows.body_count = own->part_count = 0;
    }
}

static void islands_fill_bodies(island_list *l)
{
    for (int body = 0; body < l->a->model->body_count; ++body) {
        int i = islands_moves(l, body) ? l->island_of[islands_first(l->parent, body)] : -1;
        if (i >= 0) {
            row_set *rows = &l->items[i].rows;
            l->local[body] = rows->body_count;
            l->bodies[(rows->bodies - l->bodies) + rows->body_count++] = body;
        }
    }
}

// Block k of the whole becomes the next of its island.
// Bodies that cannot move are left out of the island's block: their M^-1 is 0.
static void islands_fill_block(island_list *l, int k)
{
    const row_block *from = &l->a->blocks[k];
    pawl_problem *p = &l->items[islands_of_block(l, k)].problem;
    ptrdiff_t at = (p->blocks - l->problem_blocks) + p->block_count++;
    row_block *to = &l->blocks[at];
    *to = (row_block){.rows = {p->row_count, from->rows.dim}, .joint = from->joint};
    for (int s = 0; s < from->body_count; ++s) {
        if (islands_moves(l, from->body[s])) {
            to->body[to->body_count] = l->local[from->body[s]];
            to->jacobian[to->body_count++] = from->jacobian[s];
        }
    }
    l->problem_blocks[at] = to->rows;
    l->source[at] = k;
    p->row_count += from->rows.dim;
}

static void islands_fill_blocks(island_list *l)
{
    const pawl_problem *p = &l->a->problem;
    int contacts = p->block_count - p->contact_count, last = -1;
    for (int i = 0; i < p->free_block_count; ++i) {
        int k = i;
        if (l->factor != NULL) {
            k = pawl_free_factor_order(l->factor)[i];
            int part = pawl_free_factor_part(l->factor, k);
            island *own = &l->items[islands_of_block(l, k)];
            if (part != last) {
                l->parts[(own->parts - l->parts) + own->part_count++] =
                    (island_part){part, own->problem.row_count};
            }
            last = part;
        }
        islands_fill_block(l, k);
    }
    for (int k = p->free_block_count; k < p->block_count; ++k) {
        islands_fill_block(l, k);
        if (k >= contacts) {
            pawl_problem *own = &l->items[islands_of_block(l, k)].problem;
            l->friction[(own->friction - l->friction) + own->contact_count++] =
                p->friction[k - contacts];
        }
    }
}

// lambda (rows of the whole) is the warm start. Counting, placing and filling are separate passes
// so that each island's rows are contiguous in shared arrays and nothing is allocated.
void pawl_island_list_split(island_list *l, const double *lambda)
{
    const pawl_problem *p = &l->a->problem;
    islands_measure(l);
    islands_place(l);
    islands_fill_bodies(l);
    islands_fill_blocks(l);
    for (int at = 0, row = 0; at < p->block_count; ++at) {
        problem_block from = p->blocks[l->source[at]];
        size_t bytes = (size_t)from.dim * sizeof(double);
        memcpy(l->v_f + row, p->v_f + from.first_row, bytes);
        memcpy(l->lower + row, p->lower + from.first_row, bytes);
        memcpy(l->upper + row, p->upper + from.first_row, bytes);
        memcpy(l->compliance + row, p->compliance + from.first_row, bytes);
        memcpy(l->lambda + row, lambda + from.first_row, bytes);
        row += from.dim;
    }
}

island *pawl_island_list_item(island_list *l, int index)
{
    return &l->items[index];
}

void pawl_island_list_collect(const island_list *l, double *lambda)
{
    const pawl_problem *p = &l->a->problem;
    for (int at = 0, row = 0; at < p->block_count; ++at) {
        problem_block to = p->blocks[l->source[at]];
        memcpy(lambda + to.first_row, l->lambda + row, (size_t)to.dim * sizeof *lambda);
        row += to.dim;
    }
}
