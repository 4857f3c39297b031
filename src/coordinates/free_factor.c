// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Factor of D + R over the free rows. Free blocks that share a moving body are coupled; the
// coupling graph falls into mechanisms, each factored by block L D LT (linalg/block_ldl.h) in its
// own memory, so that threads can work on different mechanisms.
#include "coordinates/free_factor.h"
#include "base/array.h"
#include "base/carver.h"
#include "coordinates/hinge_pairs.h"
#include "linalg/block_ldl.h"
#include "linalg/by_size.h"
#include "linalg/dense.h"
#include "math/lanes.h"
#include "math/numbers.h"
#include "rows/hinge_lanes.h"
#include <math.h>
#include <string.h>

// Up to so many rows the plain triangle beats the walk over blocks (bench_peers).
enum { FREE_DENSE_ROWS = 12 };
// Of so many blocks between hinges four at a time are cheaper than one by one.
enum { FREE_LEAST_PAIRS = 2 };

// One product of two blocks' Jacobians at a shared body that adds to a block of D: its entry (r, c) is the product of
// row r of one side with row c of the other. One side is J, the other M^-1 JT, whichever way round the block is stored.
typedef struct pair_task {
    const double *row_side, *column_side; // 6 numbers a row
    int row_dim, column_dim;
    int offset, stride; // where its entries go
    bool diagonal;      // of one block with itself: lower triangle
    bool first;         // of its block: what was there is of a factor before
    const double *gram; // of a hinge with itself: its product for all bodies; NULL otherwise
    bool hinges;        // of two hinges without other rows
    int part;
} pair_task;

// The matrix of a placement before compliances and elimination.
typedef struct formed_matrix {
    int64_t placement;
    size_t bytes; // of this
    double values[];
} formed_matrix;

struct free_factor {
    pawl_env env;
    const pawl_assembly *a;
    formed_matrix *formed; // NULL where nothing is shared
    bool owns_formed;
    block_ldl *ldl;
    bool dense;       // ldl is of one node
    int part_count;   // of ldl
    pawl_array found; // pair_task, while they are being found
    char *memory;     // of those below
    size_t bytes;
    pair_task *tasks; // part by part, those that are paired first
    int *task_start;  // (part_count + 1)
    int *lone_start;  // (part_count) those that are not
    hinge_pairs *pairs;
    int *pair_start;  // (part_count + 1)
    int *block_start; // (part_count + 1) into order
    int *order;       // (free blocks)
    int64_t *key;     // (part_count) what update_part() last factored; 0 for nothing
    int *expected;    // (part_count) rows that depend on others
    bool *dropped;    // (part_count) these were dropped; see pawl_free_factor_update()
    double
        *least; // (part_count) of factors that drop rows: the least pivot that was kept, of its row
    int *diagonal; // (free rows) where the diagonal entry of each row is among the values
    int *part_row; // (free rows) the row's number in its part
    int *loose;    // (free blocks) rows at the end of each that take no part; unused if dense
};

// D_ij += J_i M^-1 J_jT over one body that both blocks touch. Which products there are is found once; a step runs
// down the list.
static void free_factor_task(const pair_task *task, double *restrict out)
{
    for (int r = 0; r < task->row_dim; ++r, out += task->stride) {
        int last = task->diagonal ? r + 1 : task->column_dim;
        for (int c = 0; c < last; ++c) {
            double entry = pawl_dot6(task->row_side + 6 * r, task->column_side + 6 * c);
            out[c] = task->first ? entry : out[c] + entry;
        }
    }
}

// The same for blocks of rows x n entries, both at most FREE_TASK_SIZE, four entries at a time. Numbers behind the end
// of a row get nothing added. Parts of the upper triangle of a diagonal block are written as well, but never read.
enum { FREE_TASK_SIZE = 6 };
PAWL_KERNEL_PART void free_factor_add(const pair_task *task, int rows, int n, double *restrict out)
{
    lanes m[2][6] = {0};
    int stride = task->stride;
    bool diagonal = task->diagonal, first = task->first;
    for (int v = 0; 4 * v < n; ++v) {
        lanes_columns6(task->column_side + 24 * v, n - 4 * v < 4 ? n - 4 * v : 4, m[v]);
    }
    for (int r = 0; r < rows; ++r) {
        const double *j = task->row_side + 6 * r;
        for (int v = 0; 4 * v < n && !(diagonal && r < 4 * v); ++v) {
            const lanes *mv = m[v];
            double *row = out + r * stride + 4 * v;
            lanes linear =
                LANES_ALL(j[0]) * mv[0] + LANES_ALL(j[1]) * mv[1] + LANES_ALL(j[2]) * mv[2];
            lanes angular =
                LANES_ALL(j[3]) * mv[3] + LANES_ALL(j[4]) * mv[4] + LANES_ALL(j[5]) * mv[5];
            lanes entries = linear + angular;
            LANES_STORE(row, first ? entries : LANES_LOAD(row) + entries);
        }
    }
}

// A hinge with itself, and with the row of a spring or servo: the products over all its bodies were computed at their
// placement, and replace the values of the previous factor.
PAWL_KERNEL_PART void free_factor_set_hinge(const pair_task *task, double *restrict out)
{
    for (int r = 0; r < HINGE_ROWS; ++r) {
        LANES_STORE(out + r * task->stride, LANES_LOAD(task->gram + 4 * r));
    }
    LANES_STORE(out + (HINGE_ROWS - 1) * task->stride + 4, LANES_LOAD(task->gram + 4 * HINGE_ROWS));
    if (task->row_dim == HINGE_ROWS + 1) {
        double *turn = out + HINGE_ROWS * task->stride;
        LANES_STORE(turn, LANES_LOAD(task->gram + HINGE_TURN_GRAM));
        LANES_STORE(turn + 4, LANES_LOAD(task->gram + HINGE_TURN_GRAM + 4));
    }
}

static int free_factor_node(const free_factor *f, int block)
{
    return f->dense ? 0 : block;
}

// D of one part from the list of products, in the order of the list: the bits do not depend on
// which thread does it.
PAWL_KERNEL static void free_factor_form(free_factor *f, int part)
{
    double *values = pawl_block_ldl_values(f->ldl);
    if (f->dense) {
        memset(values, 0, pawl_block_ldl_value_count(f->ldl) * sizeof *values);
    } else {
        pawl_block_ldl_clear_fill(f->ldl, part);
    }
    int first = f->task_start[part];
    if (f->a->has_grams) {
        int begin = f->pair_start[part];
        pawl_hinge_pairs_form(f->pairs + begin, f->pair_start[part + 1] - begin, values);
        first = f->lone_start[part];
    }
    for (int t = first; t < f->task_start[part + 1]; ++t) {
        const pair_task *task = &f->tasks[t];
        double *out = values + task->offset;
        if (f->a->has_grams && task->gram != NULL) {
            if (task->first) {
                free_factor_set_hinge(task, out);
            }
            continue;
        }
        bool small = task->row_dim <= FREE_TASK_SIZE && task->column_dim <= FREE_TASK_SIZE;
        if (small && !f->dense) {
            PAWL_BY_SIZES(task->row_dim, task->column_dim, free_factor_add(task, M, N, out))
        } else {
            free_factor_task(task, out);
        }
    }
}

// The same, once for each placement. The assembly knows whether its rows were changed since they were placed.
static void free_factor_form_once(free_factor *f, int part)
{
    formed_matrix *formed = f->a->has_grams ? f->formed : NULL;
    if (formed == NULL) {
        free_factor_form(f, part);
        return;
    }
    double *values = pawl_block_ldl_values(f->ldl);
    size_t count = pawl_block_ldl_value_count(f->ldl);
    if (formed->placement == f->a->placements) {
        pawl_numbers_copy(values, formed->values, count);
        return;
    }
    free_factor_form(f, part);
    pawl_numbers_copy(formed->values, values, count);
    formed->placement = f->a->placements;
}

// Whole says whether compliance is of all rows or of those of the part.
// The relative shift is the regularization of the settings: it scales with the row, so that it does not depend on
// units.
static void free_factor_fill(free_factor *f, int part, const double *compliance, double shift,
                             bool whole)
{
    double *values = pawl_block_ldl_values(f->ldl);
    free_factor_form_once(f, part);
    if (whole && shift == 0.0 && pawl_numbers_largest(compliance, f->a->free_rows) == 0.0) {
        return;
    }
    for (int i = f->block_start[part]; i < f->block_start[part + 1]; ++i) {
        problem_block rows = f->a->blocks[f->order[i]].rows;
        for (int r = rows.first_row; r < rows.first_row + rows.dim; ++r) {
            double *x = values + f->diagonal[r];
            *x = (*x + compliance[whole ? r : f->part_row[r]]) * (1.0 + shift);
        }
    }
}

// Rows of springs and servos stand behind those of their joint. Where positions are corrected they do nothing, and
// eliminating a joint costs the cube of its rows. Shifted factors keep them: their solves are refined by products, in
// which these rows are as all others.
static void free_factor_loosen(free_factor *f, int part, const double *compliance, double shift,
                               bool whole)
{
    if (f->a->soft_count == 0 || f->dense) {
        return;
    }
    for (int i = f->block_start[part]; i < f->block_start[part + 1]; ++i) {
        problem_block rows = f->a->blocks[f->order[i]].rows;
        int live = rows.dim;
        for (; live > 0 && shift == 0.0; --live) {
            int r = rows.first_row + live - 1;
            if (compliance[whole ? r : f->part_row[r]] < pawl_compliance_of_nothing) {
                break;
            }
        }
        f->loose[f->order[i]] = rows.dim - live;
    }
    pawl_block_ldl_loosen(f->ldl, part, f->loose);
}

// With `drops` the unshifted matrix is tried first. Its factor is accepted only if exactly the
// expected number of pivots vanishes and all others are far from zero. Otherwise the matrix, which
// the attempt has overwritten, is formed again with the shift.
static int free_factor_refactor(free_factor *f, int part, const double *compliance, double shift,
                                bool drops, bool whole)
{
    // Pivots below this are rounding noise, or that of rows which repeat others around a loop, which is larger. Between
    // that and `far` a row nearly depends on others: close to a singular position a shift serves better.
    const double rounding = 1e-13, dependent = 1e-11, far = 1e-6;
    f->dropped[part] = false;
    if (drops) {
        free_factor_loosen(f, part, compliance, 0.0, whole);
        free_factor_fill(f, part, compliance, 0.0, whole);
        int dropped = pawl_block_ldl_factor_part(f->ldl, part, dependent);
        f->least[part] = pawl_block_ldl_least_pivot(f->ldl, part);
        f->dropped[part] = dropped == f->expected[part] && f->least[part] > far;
        if (f->dropped[part]) {
            return dropped;
        }
    }
    free_factor_loosen(f, part, compliance, shift, whole);
    free_factor_fill(f, part, compliance, shift, whole);
    return pawl_block_ldl_factor_part(f->ldl, part, rounding);
}

// Keys of the parts become invalid: they belong to factors made for islands.
int pawl_free_factor_update(free_factor *f, const double *compliance, double shift, bool drops)
{
    int dropped = 0;
    for (int part = 0; part < f->part_count; ++part) {
        dropped += free_factor_refactor(f, part, compliance, shift, drops, true);
        f->key[part] = 0;
    }
    return dropped;
}

void pawl_free_factor_expect(free_factor *f, int part, int redundant)
{
    f->expected[part] = redundant;
}

void pawl_free_factor_expect_as(free_factor *f, const free_factor *other)
{
    memmove(f->expected, other->expected, (size_t)f->part_count * sizeof *f->expected);
}

double pawl_free_factor_least_pivot(const free_factor *f)
{
    double least = 1.0;
    for (int part = 0; part < f->part_count; ++part) {
        least = f->dropped[part] ? fmin(least, f->least[part]) : least;
    }
    return least;
}

bool pawl_free_factor_dropped(const free_factor *f, int part)
{
    return f->dropped[part];
}

void pawl_free_factor_solve(const free_factor *f, double *x)
{
    pawl_block_ldl_solve(f->ldl, x);
}

void pawl_free_factor_half_solve(const free_factor *f, double *x)
{
    pawl_block_ldl_half_solve(f->ldl, x);
}

void pawl_free_factor_back_solve(const free_factor *f, double *x)
{
    pawl_block_ldl_back_solve(f->ldl, x);
}

int pawl_free_factor_part_count(const free_factor *f)
{
    return f->part_count;
}

int pawl_free_factor_part(const free_factor *f, int block)
{
    return pawl_block_ldl_part(f->ldl, free_factor_node(f, block));
}

const int *pawl_free_factor_order(const free_factor *f)
{
    return f->order;
}

int pawl_free_factor_update_part(free_factor *f, int part, int64_t key, const double *compliance,
                                 double shift, bool drops)
{
    if (key != 0 && f->key[part] == key) {
        return 0;
    }
    f->key[part] = key;
    return free_factor_refactor(f, part, compliance, shift, drops, false);
}

bool pawl_free_factor_is_dense(const free_factor *f)
{
    return f->dense;
}

const int *pawl_free_factor_part_blocks(const free_factor *f, int part, int *count)
{
    *count = f->block_start[part + 1] - f->block_start[part];
    return f->order + f->block_start[part];
}

void pawl_free_factor_mark(free_factor *f, int block)
{
    pawl_block_ldl_mark(f->ldl, block);
}

int pawl_free_factor_half_marked(free_factor *f, int part, bool whole, int count, double *x,
                                 int stride, block_run *runs)
{
    return pawl_block_ldl_half_marked(f->ldl, part, whole, count, x, stride, runs);
}

void pawl_free_factor_half_solve_part(const free_factor *f, int part, double *x)
{
    pawl_block_ldl_half_solve_part(f->ldl, part, x);
}

void pawl_free_factor_back_solve_part(const free_factor *f, int part, double *x)
{
    pawl_block_ldl_back_solve_part(f->ldl, part, x);
}

void pawl_free_factor_solve_part(const free_factor *f, int part, double *x)
{
    pawl_block_ldl_solve_part(f->ldl, part, x);
}

// Bodies that a joint holds in the world for itself, as the frame that a machine is mounted on. Eliminating that joint
// takes away all that its body would add to other blocks: M^-1 - M^-1 JT (J M^-1 JT)^-1 J M^-1 = 0 of a square J. So
// these products are never formed, and blocks that share nothing but such a body are not coupled: only its own joint is,
// with all of them, and it leads (block_ldl.h). Others must have something else that moves.
//
// Whether block k holds body b: all six rows of a rigid body to the world, satisfied exactly.
static bool free_factor_holds(const pawl_assembly *a, int k, int b)
{
    const row_block *block = &a->blocks[k];
    bool holds = block->joint >= 0 && a->model->joints[block->joint].kind == PAWL_JOINT_FIXED &&
                 a->model->bodies[b].kind == PAWL_BODY_RIGID && block->body_count == 1 &&
                 block->rows.dim == 6 && a->joint_rows[block->joint] == 6;
    for (int r = block->rows.first_row; holds && r < block->rows.first_row + 6; ++r) {
        holds = pawl_assembly_is_hard(a, r);
    }
    return holds;
}

// Whether block k moves without body b, where `held` bodies do not move.
static bool free_factor_moves(const pawl_assembly *a, int k, int b, const int *held)
{
    bool moves = false;
    for (int s = 0; s < a->blocks[k].body_count; ++s) {
        int other = a->blocks[k].body[s];
        moves =
            moves || (other != b && held[other] < 0 && a->model->bodies[other].inverse_mass > 0.0);
    }
    return moves;
}

// held (bodies): the block that holds each, -1 for none.
static void free_factor_find_held(const pawl_assembly *a, const int *start, const int *users,
                                  int *held, bool *leads)
{
    for (int b = 0; b < a->model->body_count; ++b) {
        held[b] = -1;
    }
    for (int k = 0; k < a->free_blocks; ++k) {
        leads[k] = false;
    }
    for (int b = 0; b < a->model->body_count && a->metric == &pawl_body_metric; ++b) {
        int by = -1;
        for (int x = start[b]; x < start[b + 1] && by < 0; ++x) {
            by = free_factor_holds(a, users[x] / BLOCK_MAX_BODIES, b) ? users[x] / BLOCK_MAX_BODIES
                                                                      : -1;
        }
        bool alone = by >= 0;
        for (int x = start[b]; x < start[b + 1] && alone; ++x) {
            int k = users[x] / BLOCK_MAX_BODIES;
            alone = k == by || free_factor_moves(a, k, b, held);
        }
        if (alone) {
            held[b] = by;
            leads[by] = true;
        }
    }
}

// Whether all that free block k adds to its own block of the matrix is what its hinge found, and what rows behind those
// of the hinge add. Bodies that are held add nothing.
static bool free_factor_takes_gram(const pawl_assembly *a, int k, const int *held)
{
    const row_block *b = &a->blocks[k];
    bool takes = b->joint >= 0 && a->joint_grouped[b->joint] && b->rows.dim <= HINGE_ROWS + 1;
    for (int s = 0; s < b->body_count; ++s) {
        takes = takes && held[b->body[s]] < 0;
    }
    return takes;
}

// Whether block k is that of a hinge alone, as hinge_lanes.h places it.
static bool free_factor_is_hinge(const pawl_assembly *a, int k)
{
    const row_block *b = &a->blocks[k];
    return b->joint >= 0 && a->joint_grouped[b->joint] && b->rows.dim == HINGE_ROWS;
}

// Calls visit for every pair (i >= j) of free blocks at every body that can move.
typedef pawl_status free_factor_visit(free_factor *f, pawl_array *edges, const int *held, int i,
                                      int slot_i, int j, int slot_j);

// users[start[body] ..) lists the blocks that touch a body, each as block * BLOCK_MAX_BODIES + the
// slot of that body in the block. Bodies that cannot move have M^-1 = 0 and couple nothing.
static pawl_status free_factor_each_pair(free_factor *f, pawl_array *edges, const int *start,
                                         const int *users, const int *held,
                                         free_factor_visit *visit)
{
    const pawl_assembly *a = f->a;
    for (int body = 0; body < a->model->body_count; ++body) {
        if (!(a->model->bodies[body].inverse_mass > 0.0)) {
            continue;
        }
        for (int x = start[body]; x < start[body + 1]; ++x) {
            for (int y = start[body]; y <= x; ++y) {
                int by = f->dense ? -1 : held[body];
                if (by >= 0 && users[x] / BLOCK_MAX_BODIES != by &&
                    users[y] / BLOCK_MAX_BODIES != by) {
                    continue;
                }
                PAWL_TRY(visit(f, edges, held, users[x] / BLOCK_MAX_BODIES,
                               users[x] % BLOCK_MAX_BODIES, users[y] / BLOCK_MAX_BODIES,
                               users[y] % BLOCK_MAX_BODIES));
            }
        }
    }
    return PAWL_OK;
}

static pawl_status free_factor_add_edge(free_factor *f, pawl_array *edges, const int *held, int i,
                                        int slot_i, int j, int slot_j)
{
    (void)held;
    (void)slot_i;
    (void)slot_j;
    if (i == j) {
        return PAWL_OK;
    }
    block_edge *edge = pawl_array_push(&f->env, edges, sizeof *edge);
    if (edge == NULL) {
        return PAWL_FAIL(&f->env, PAWL_NO_MEMORY, "no memory for the constraint graph");
    }
    *edge = (block_edge){i, j};
    return PAWL_OK;
}

// Jacobians and blocks stay where they are for the life of an assembly, so that offsets can be
// stored.
static pawl_status free_factor_add_task(free_factor *f, pawl_array *edges, const int *held, int i,
                                        int slot_i, int j, int slot_j)
{
    (void)edges;
    const row_block *bi = &f->a->blocks[i], *bj = &f->a->blocks[j];
    pair_task task = {.row_side = f->a->J + bi->jacobian[slot_i],
                      .column_side = f->a->MJ + bj->jacobian[slot_j],
                      .row_dim = bi->rows.dim,
                      .column_dim = bj->rows.dim,
                      .diagonal = i == j,
                      .gram = i == j && !f->dense && free_factor_takes_gram(f->a, i, held)
                                  ? f->a->grams + HINGE_GRAM * i
                                  : NULL,
                      .hinges =
                          i != j && free_factor_is_hinge(f->a, i) && free_factor_is_hinge(f->a, j),
                      .part = pawl_free_factor_part(f, i)};
    block_slot slot = pawl_block_ldl_slot(f->ldl, free_factor_node(f, i), free_factor_node(f, j));
    task.offset = slot.offset;
    task.stride = slot.stride;
    if (f->dense) {
        task.offset += bi->rows.first_row * slot.stride + bj->rows.first_row;
    } else if (slot.transposed) {
        const double *side = task.row_side;
        task.row_side = task.column_side;
        task.column_side = side;
        task.row_dim = bj->rows.dim;
        task.column_dim = bi->rows.dim;
    }
    pair_task *out = pawl_array_push(&f->env, &f->found, sizeof *out);
    if (out == NULL) {
        return PAWL_FAIL(&f->env, PAWL_NO_MEMORY, "no memory for the constraint graph");
    }
    *out = task;
    return PAWL_OK;
}

// For each body the free blocks that touch it, as block * BLOCK_MAX_BODIES + slot.
static void free_factor_users(const pawl_assembly *a, int *start, int *users)
{
    int n = a->model->body_count;
    memset(start, 0, (size_t)(n + 1) * sizeof *start);
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < a->free_blocks; ++k) {
            for (int s = 0; s < a->blocks[k].body_count; ++s) {
                int body = a->blocks[k].body[s];
                if (pass == 0) {
                    ++start[body + 1];
                } else {
                    users[start[body]++] = k * BLOCK_MAX_BODIES + s;
                }
            }
        }
        if (pass == 0) {
            for (int b = 0; b < n; ++b) {
                start[b + 1] += start[b];
            }
        }
    }
    for (int b = n; b > 0; --b) {
        start[b] = start[b - 1];
    }
    start[0] = 0;
}

// Plans the sparse factor first: only then is it known whether all rows are one mechanism. Few rows
// of one mechanism are replaced by a single dense node. Several mechanisms stay apart, so that
// islands can use them.
static pawl_status free_factor_build(free_factor *f, pawl_delassus_kind kind, int *start,
                                     int *users, int *dim, int *held, bool *leads)
{
    const pawl_assembly *a = f->a;
    free_factor_users(a, start, users);
    free_factor_find_held(a, start, users, held, leads);
    f->dense = kind == PAWL_DELASSUS_DENSE;
    if (!f->dense) {
        pawl_array edges = {0};
        for (int k = 0; k < a->free_blocks; ++k) {
            dim[k] = a->blocks[k].rows.dim;
        }
        pawl_status status =
            free_factor_each_pair(f, &edges, start, users, held, free_factor_add_edge);
        if (status == PAWL_OK) {
            status = pawl_block_ldl_create_led(&f->env, a->free_blocks, dim, edges.data,
                                               edges.count, leads, &f->ldl);
        }
        pawl_array_free(&f->env, &edges);
        PAWL_TRY(status);
        f->dense = kind == PAWL_DELASSUS_AUTO && a->free_rows <= FREE_DENSE_ROWS &&
                   pawl_block_ldl_part_count(f->ldl) == 1;
    }
    if (f->dense) {
        pawl_block_ldl_destroy(f->ldl);
        f->ldl = NULL;
        dim[0] = a->free_rows;
        PAWL_TRY(pawl_block_ldl_create(&f->env, 1, dim, NULL, 0, &f->ldl));
    }
    return free_factor_each_pair(f, NULL, start, users, held, free_factor_add_task);
}

static void free_factor_layout(free_factor *f, pawl_carver *mem)
{
    f->task_start = PAWL_CARVE(mem, int, f->part_count + 1);
    f->lone_start = PAWL_CARVE(mem, int, f->part_count);
    f->pair_start = PAWL_CARVE(mem, int, f->part_count + 1);
    f->block_start = PAWL_CARVE(mem, int, f->part_count + 1);
    f->order = PAWL_CARVE(mem, int, f->a->free_blocks);
    f->key = PAWL_CARVE(mem, int64_t, f->part_count);
    f->expected = PAWL_CARVE(mem, int, f->part_count);
    f->dropped = PAWL_CARVE(mem, bool, f->part_count);
    f->least = PAWL_CARVE(mem, double, f->part_count);
    f->diagonal = PAWL_CARVE(mem, int, f->a->free_rows);
    f->part_row = PAWL_CARVE(mem, int, f->a->free_rows);
    f->loose = PAWL_CARVE(mem, int, f->a->free_blocks);
    f->tasks = PAWL_CARVE(mem, pair_task, f->found.count);
    f->pairs = PAWL_CARVE(mem, hinge_pairs, f->found.count / FREE_LEAST_PAIRS);
}

// From the number of items of each part, counted one place ahead, to where each part begins.
static void free_factor_begin(int *start, int part_count)
{
    for (int part = 0; part < part_count; ++part) {
        start[part + 1] += start[part];
    }
}

// Back after a pass that has moved every beginning to its end.
static void free_factor_rewind(int *start, int part_count)
{
    for (int part = part_count; part > 0; --part) {
        start[part] = start[part - 1];
    }
    start[0] = 0;
}

// The first task of each block of D. Blocks are distinguished by their positions. A dense factor has zeros between
// blocks and begins with zeros.
static void free_factor_mark_first(free_factor *f)
{
    if (f->dense) {
        return;
    }
    double *values = pawl_block_ldl_values(f->ldl);
    for (int t = 0; t < f->found.count; ++t) {
        values[PAWL_ITEM(f->found, pair_task, t).offset] = 0.0;
    }
    for (int t = 0; t < f->found.count; ++t) {
        pair_task *task = &PAWL_ITEM(f->found, pair_task, t);
        task->first = values[task->offset] == 0.0;
        values[task->offset] = 1.0;
    }
}

// The first tasks of blocks between hinges, in fours, go to the front of their part; the others keep their order behind
// them. A last group of too few is left to be done one by one.
static void free_factor_pair(free_factor *f, int part)
{
    hinge_pairs *group = f->pairs + f->pair_start[part];
    int begin = f->task_start[part], end = f->task_start[part + 1], found = 0;
    for (int t = begin; t < end; ++t) {
        const pair_task *task = &f->tasks[t];
        found += task->hinges && task->first && !f->dense;
    }
    int left = found % 4 < FREE_LEAST_PAIRS ? found - found % 4 : found;
    int front = begin, back = begin + left;
    f->lone_start[part] = back;
    for (int t = begin; t < end; ++t) {
        pair_task task = f->tasks[t];
        bool paired = left > 0 && task.hinges && task.first;
        PAWL_ITEM(f->found, pair_task, paired ? front++ : back++) = task;
        if (!paired) {
            continue;
        }
        --left;
        for (int k = group->count++; k < 4; ++k) {
            group->pair[k] = (hinge_pair){task.row_side, task.column_side, task.offset};
        }
        group += group->count == 4 || left == 0;
    }
    for (int t = begin; t < end; ++t) {
        f->tasks[t] = PAWL_ITEM(f->found, pair_task, t); // which is no longer needed
    }
    f->pair_start[part + 1] = (int)(group - f->pairs);
}

// Blocks and tasks, part by part; within a part they keep their order.
static void free_factor_group(free_factor *f)
{
    free_factor_mark_first(f);
    int blocks = f->a->free_blocks, tasks = f->found.count;
    for (int k = 0; k < blocks; ++k) {
        ++f->block_start[pawl_free_factor_part(f, k) + 1];
    }
    for (int t = 0; t < tasks; ++t) {
        ++f->task_start[PAWL_ITEM(f->found, pair_task, t).part + 1];
    }
    free_factor_begin(f->block_start, f->part_count);
    free_factor_begin(f->task_start, f->part_count);
    for (int k = 0; k < blocks; ++k) {
        f->order[f->block_start[pawl_free_factor_part(f, k)]++] = k;
    }
    for (int t = 0; t < tasks; ++t) {
        const pair_task *task = &PAWL_ITEM(f->found, pair_task, t);
        f->tasks[f->task_start[task->part]++] = *task;
    }
    free_factor_rewind(f->block_start, f->part_count);
    free_factor_rewind(f->task_start, f->part_count);
    for (int part = 0; part < f->part_count; ++part) {
        free_factor_pair(f, part);
    }
}

// Where diagonal entries are. A dense factor is one node of all free rows, in which a block begins at its first row.
static void free_factor_find_diagonal(free_factor *f)
{
    for (int k = 0; k < f->a->free_blocks; ++k) {
        problem_block rows = f->a->blocks[k].rows;
        int node = free_factor_node(f, k), first = f->dense ? rows.first_row : 0;
        block_slot slot = pawl_block_ldl_slot(f->ldl, node, node);
        for (int r = 0; r < rows.dim; ++r) {
            f->diagonal[rows.first_row + r] = slot.offset + (first + r) * (slot.stride + 1);
            f->part_row[rows.first_row + r] = first + r + pawl_block_ldl_part_row(f->ldl, node);
        }
    }
}

static pawl_status free_factor_create_parts(free_factor *f)
{
    f->part_count = pawl_block_ldl_part_count(f->ldl);
    pawl_carver need = {0};
    free_factor_layout(f, &need);
    f->memory = pawl_alloc(&f->env, need.used);
    if (f->memory == NULL) {
        return PAWL_FAIL(&f->env, PAWL_NO_MEMORY, "no memory for the constraint graph");
    }
    f->bytes = need.used;
    pawl_carver mem = {.base = f->memory, .capacity = need.used};
    free_factor_layout(f, &mem);
    free_factor_group(f);
    free_factor_find_diagonal(f);
    return PAWL_OK;
}

pawl_status pawl_free_factor_create(const pawl_env *env, const pawl_assembly *a,
                                    pawl_delassus_kind kind, free_factor **out)
{
    *out = NULL;
    size_t users_bytes = (size_t)(BLOCK_MAX_BODIES * a->free_blocks + 1) * sizeof(int);
    size_t start_bytes = (size_t)(a->model->body_count + 1) * sizeof(int);
    size_t dim_bytes = (size_t)(a->free_blocks + 1) * sizeof(int);
    free_factor *f = pawl_alloc(env, sizeof *f);
    int *users = pawl_alloc(env, users_bytes);
    int *start = pawl_alloc(env, start_bytes);
    int *dim = pawl_alloc(env, dim_bytes);
    int *held = pawl_alloc(env, start_bytes);
    size_t lead_bytes = (size_t)(a->free_blocks + 1) * sizeof(bool);
    bool *leads = pawl_alloc(env, lead_bytes);
    if (f != NULL) {
        f->env = *env;
        f->a = a;
    }
    pawl_status status = PAWL_OK;
    if (f == NULL || users == NULL || start == NULL || dim == NULL || held == NULL ||
        leads == NULL) {
        status = PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the constraint graph");
    } else {
        status = free_factor_build(f, kind, start, users, dim, held, leads);
    }
    if (status == PAWL_OK) {
        status = free_factor_create_parts(f);
    }
    pawl_free(env, users, users_bytes);
    pawl_free(env, start, start_bytes);
    pawl_free(env, dim, dim_bytes);
    pawl_free(env, held, start_bytes);
    pawl_free(env, leads, lead_bytes);
    if (f != NULL) {
        pawl_array_free(env, &f->found);
    }
    if (status != PAWL_OK) {
        pawl_free_factor_destroy(f);
        return status;
    }
    *out = f;
    return PAWL_OK;
}

pawl_status pawl_free_factor_share(free_factor *first, free_factor *second)
{
    if (first->part_count != 1) {
        return PAWL_OK;
    }
    size_t bytes = pawl_block_ldl_value_count(second->ldl) * sizeof(double) + sizeof(formed_matrix);
    formed_matrix *formed = pawl_alloc(&second->env, bytes);
    if (formed == NULL) {
        return PAWL_FAIL(&second->env, PAWL_NO_MEMORY, "no memory for the constraint graph");
    }
    *formed = (formed_matrix){.placement = -1, .bytes = bytes};
    first->formed = second->formed = formed;
    second->owns_formed = true;
    return PAWL_OK;
}

void pawl_free_factor_destroy(free_factor *f)
{
    if (f != NULL) {
        pawl_env env = f->env;
        if (f->owns_formed) {
            pawl_free(&env, f->formed, f->formed->bytes);
        }
        pawl_block_ldl_destroy(f->ldl);
        pawl_free(&env, f->memory, f->bytes);
        pawl_free(&env, f, sizeof *f);
    }
}
