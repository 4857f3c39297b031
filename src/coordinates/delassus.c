// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The Delassus operator D = J M^-1 JT of maximal coordinates. Products go through the bodies (u =
// M^-1 JT x, then J u) and cost O(rows). Systems with D are solved dense, sparse or matrix-free;
// thresholds come from bench_admm and bench_peers (docs/delassus.md).
//
// J has the rows' gradients and MJ = J M^-1, both (dim x 6) per block and body, as the assembly
// placed them. An operator is that of all rows or, with `whole`, one that is bound to one island
// after another by pawl_delassus_bind(). Those of islands share the factor of the free rows with
// the whole operator: each mechanism (part) is in one island, so that threads write to different
// parts.
#include "coordinates/delassus.h"
#include "base/carver.h"
#include "coordinates/carried_rows.h"
#include "coordinates/maximal_space.h"
#include "coordinates/shifted_dense.h"
#include "linalg/dense.h"
#include "math/lanes.h"
#include "problem/matrix_free.h"
#include <string.h>

// Up to so many rows the plain triangle beats the way round by the bodies when all rows are shifted
// (bench_admm), but only where the bodies have more velocities than there are rows: not on what rests on
// four corners.
enum { DELASSUS_SHIFTED_ROWS = 36 };

typedef struct maximal_delassus {
    pawl_delassus base; // first, so that a pawl_delassus * is also one of these
    pawl_env env;
    const pawl_assembly *a;
    const struct maximal_delassus *whole; // of an operator of islands; NULL for that of all rows
    row_set all;
    const row_set *rows;             // all, or those of the island at work
    const island *island;            // NULL for all rows
    pawl_delassus_kind kind;         // as asked for
    pawl_delassus_kind shifted_kind; // which of those below holds the last shifted factor
    free_factor *free;               // NULL without free rows, and where nothing is factored
    // Where springs or servos make the factor of a step another one than that of the position updates around it, both
    // are kept: `free` is the last one, which may be either of these.
    free_factor *factors[2];
    int64_t other_key; // of the one that is not the last; 0 for none
    bool other_dropped;
    int velocity_count;   // of bodies of `rows` that can move
    double *u;            // (6 x bodies) the bodies' velocities of the product at work
    double *swept;        // (6 x bodies) those of the impulses of the sweep at work
    carried_rows carried; // bodies of bounded rows
    size_t u_bytes, weak_bytes, carried_bytes; // as allocated
    shifted_factor *shifted_by_bodies;         // one or two of these three, as the kind says
    shifted_dense *shifted_by_rows;
    maximal_space *space;
    block_lu *lu; // of all rows; islands keep theirs
    matrix_free shifted_free;
    matrix_free free_rows; // where the free rows have no factor either
    char *matrix_free_memory;
    size_t matrix_free_bytes;
} maximal_delassus;

// u = M^-1 JT x
static void delassus_move(const maximal_delassus *d, const double *x, double *u)
{
    memset(u, 0, (size_t)(6 * d->rows->body_count) * sizeof *u);
    pawl_row_set_add_impulses(d->rows, x, u);
}

// D x = J (M^-1 JT x), through the twists of the bodies: linear in the rows, and D is never formed.
static void delassus_apply(pawl_delassus *base, const double *x, double *y)
{
    maximal_delassus *d = (maximal_delassus *)base;
    delassus_move(d, x, d->u);
    pawl_row_set_velocity(d->rows, d->u, y);
}

// sum over the block's bodies of (J M^-1 JT)[r][c]
// A dot product of six numbers per body. Blocks on the diagonal of D need the block's own bodies only.
static double delassus_entry(const pawl_assembly *a, const row_block *b, int r, int c)
{
    double sum = 0.0;
    for (int k = 0; k < b->body_count; ++k) {
        const double *j = a->J + b->jacobian[k] + 6 * r;
        const double *m = a->MJ + b->jacobian[k] + 6 * c;
        for (int i = 0; i < 6; ++i) {
            sum += j[i] * m[i];
        }
    }
    return sum;
}

// out is indexed by row of the whole problem, also where first_block is not 0.
PAWL_KERNEL static void delassus_run_diagonal(const row_set *rows, int first_block, double *out)
{
    const pawl_assembly *a = rows->a;
    for (int k = first_block; k < rows->problem->block_count; ++k) {
        const row_block *b = &rows->blocks[k];
        for (int r = 0; r < b->rows.dim; r += 4) {
            int count = b->rows.dim - r < 4 ? b->rows.dim - r : 4;
            lanes sum = LANES_ALL(0.0), dots;
            for (int x = 0; x < b->body_count; ++x) {
                int at = b->jacobian[x] + 6 * r;
                lanes_dots6(a->J + at, a->MJ + at, count, &dots);
                sum += dots;
            }
            lanes_store_first(out + b->rows.first_row + r, count, &sum);
        }
    }
}

static void delassus_diagonal(pawl_delassus *base, int first_block, double *out)
{
    delassus_run_diagonal(((maximal_delassus *)base)->rows, first_block, out);
}

// out (dim x dim), row by row: the matrix that a local solver of one contact or joint inverts.
static void delassus_block(pawl_delassus *base, int block, double *out)
{
    const row_set *rows = ((maximal_delassus *)base)->rows;
    const row_block *b = &rows->blocks[block];
    for (int r = 0; r < b->rows.dim; ++r) {
        for (int c = 0; c < b->rows.dim; ++c) {
            out[r * b->rows.dim + c] = delassus_entry(rows->a, b, r, c);
        }
    }
}

// Sweeps keep the twists u = M^-1 JT x. The velocity of a block is J_b u, and a change of its impulses touches its
// two bodies alone: a sweep costs as much as one product, however many contacts a body has.
static void delassus_sweep_begin(pawl_delassus *base, const double *x)
{
    maximal_delassus *d = (maximal_delassus *)base;
    delassus_move(d, x, d->swept);
}

static void delassus_sweep_velocity(pawl_delassus *base, int block, double *out)
{
    maximal_delassus *d = (maximal_delassus *)base;
    const row_block *b = &d->rows->blocks[block];
    for (int r = 0; r < b->rows.dim; ++r) {
        out[r] = 0.0;
        for (int k = 0; k < b->body_count; ++k) {
            const double *row = d->a->J + b->jacobian[k] + 6 * r;
            const double *u = d->swept + 6 * b->body[k];
            for (int i = 0; i < 6; ++i) {
                out[r] += row[i] * u[i];
            }
        }
    }
}

// u += M^-1 J_bT dx on the bodies of the block.
static void delassus_sweep_add(pawl_delassus *base, int block, const double *dx)
{
    maximal_delassus *d = (maximal_delassus *)base;
    const row_block *b = &d->rows->blocks[block];
    for (int k = 0; k < b->body_count; ++k) {
        double *u = d->swept + 6 * b->body[k];
        for (int r = 0; r < b->rows.dim; ++r) {
            const double *row = d->a->MJ + b->jacobian[k] + 6 * r;
            for (int i = 0; i < 6; ++i) {
                u[i] += dx[r] * row[i];
            }
        }
    }
}

// D + R + shift diag(D + R) on the free rows, by products.
static void delassus_set_free_rows(maximal_delassus *d, const double *compliance, double shift)
{
    const pawl_problem *p = d->rows->problem;
    double *sigma = d->free_rows.sigma;
    for (int k = 0; k < p->free_block_count; ++k) {
        const row_block *b = &d->rows->blocks[k];
        for (int r = 0; r < b->rows.dim; ++r) {
            double R = compliance[b->rows.first_row + r];
            sigma[b->rows.first_row + r] = R + shift * (delassus_entry(d->a, b, r, r) + R);
        }
    }
    pawl_matrix_free_set(&d->free_rows, p, p->free_block_count, sigma, NULL);
}

// Exchanges the last factor with the other one, with the data of each. The number of redundant rows to expect is a
// property of the mechanism and is kept by the first factor.
static void delassus_swap_factors(maximal_delassus *d)
{
    int64_t key = d->base.factored;
    bool dropped = d->base.dropped;
    d->free = d->factors[d->free == d->factors[0]];
    pawl_free_factor_expect_as(d->free, d->factors[0]);
    d->base.factored = d->other_key;
    d->base.dropped = d->other_dropped;
    d->other_key = key;
    d->other_dropped = dropped;
}

// Nothing is kept once the last factor was declared void. A factor of the same placement for the other of step and
// position update is kept, and the next one goes into the other memory.
static void delassus_recall(pawl_delassus *base, int64_t key)
{
    maximal_delassus *d = (maximal_delassus *)base;
    if (d->factors[1] == NULL) {
        return;
    }
    d->other_key = base->factored == 0 ? 0 : d->other_key;
    bool known = key > 0 && d->other_key == key;
    bool pair =
        key > 0 && (base->factored ^ 1) == key; // see factor_key in pawl_assembly_build_problem()
    if (known || pair) {
        delassus_swap_factors(d);
        base->factored = known ? key : 0;
    }
}

// In an island only the parts of that island are factored, and none that a step or projection
// before has already factored for the same key. `dropped` of the operator is true only if every
// part dropped its redundant rows, for then a single solve is exact.
static int delassus_factor(pawl_delassus *base, const double *compliance, double shift)
{
    maximal_delassus *d = (maximal_delassus *)base;
    if (d->a->free_rows == 0) {
        return 0;
    }
    if (d->kind == PAWL_DELASSUS_MATRIX_FREE) {
        delassus_set_free_rows(d, compliance, shift);
        return 0;
    }
    bool drops = base->drops_redundant && base->weak.space == NULL;
    base->dropped = drops;
    if (d->island == NULL) {
        int dropped = pawl_free_factor_update(d->free, compliance, shift, drops);
        for (int part = 0; part < pawl_free_factor_part_count(d->free); ++part) {
            base->dropped = base->dropped && pawl_free_factor_dropped(d->free, part);
        }
        return dropped;
    }
    int64_t key = d->rows->problem->factor_key;
    bool known = key != 0 && d->whole->base.factored == key; // by the projection before the step
    int dropped = 0;
    for (int i = 0; i < d->island->part_count; ++i) {
        island_part part = d->island->parts[i];
        if (!known) {
            dropped += pawl_free_factor_update_part(d->free, part.part, key,
                                                    compliance + part.first_row, shift, drops);
        }
        base->dropped = base->dropped && pawl_free_factor_dropped(d->free, part.part);
    }
    return dropped;
}

// Vectors of an island have the rows of its parts one after the other, each at its first_row.
static void delassus_solve(pawl_delassus *base, double *x)
{
    maximal_delassus *d = (maximal_delassus *)base;
    if (d->a->free_rows == 0) {
        return;
    }
    if (d->kind == PAWL_DELASSUS_MATRIX_FREE) {
        (void)pawl_matrix_free_solve(&d->free_rows, x);
    } else if (d->island == NULL) {
        pawl_free_factor_solve(d->free, x);
    } else {
        for (int i = 0; i < d->island->part_count; ++i) {
            island_part part = d->island->parts[i];
            pawl_free_factor_solve_part(d->free, part.part, x + part.first_row);
        }
    }
}

static void delassus_half_solve(pawl_delassus *base, double *x)
{
    const maximal_delassus *d = (const maximal_delassus *)base;
    if (d->island == NULL) {
        pawl_free_factor_half_solve(d->free, x);
        return;
    }
    for (int i = 0; i < d->island->part_count; ++i) {
        island_part part = d->island->parts[i];
        pawl_free_factor_half_solve_part(d->free, part.part, x + part.first_row);
    }
}

static void delassus_back_solve(pawl_delassus *base, double *x)
{
    const maximal_delassus *d = (const maximal_delassus *)base;
    if (d->island == NULL) {
        pawl_free_factor_back_solve(d->free, x);
        return;
    }
    for (int i = 0; i < d->island->part_count; ++i) {
        island_part part = d->island->parts[i];
        pawl_free_factor_back_solve_part(d->free, part.part, x + part.first_row);
    }
}

// At most BLOCK_MAX_BODIES bodies each, so all pairs are compared. Lists of an island's blocks have
// no bodies that cannot move; in those of all rows such a body counts as shared, which costs time
// only.
static bool delassus_blocks_meet(const row_block *a, const row_block *b)
{
    for (int x = 0; x < a->body_count; ++x) {
        for (int y = 0; y < b->body_count; ++y) {
            if (a->body[x] == b->body[y]) {
                return true;
            }
        }
    }
    return false;
}

// Marks the free blocks that share a body with block b: `count` of the set, which `order` (NULL: the same) of all are.
static void delassus_mark(maximal_delassus *d, const row_block *b, int first_block, int count,
                          const int *order)
{
    for (int k = 0; k < count; ++k) {
        if (delassus_blocks_meet(&d->rows->blocks[first_block + k], b)) {
            pawl_free_factor_mark(d->free, order == NULL ? first_block + k : order[k]);
        }
    }
}

// D's columns of a bounded block are not zero only in free blocks that share a body with it. Their
// half solves fill the paths from there to the roots, and nothing else. In the operator of all rows
// a vector has the rows in the problem's order (offset 0), in that of an island part by part.
static int delassus_half_paths(maximal_delassus *d, const row_block *b, double *x, int stride,
                               problem_block *runs)
{
    if (pawl_free_factor_is_dense(d->free)) {
        for (int c = 0; c < b->rows.dim; ++c) {
            delassus_half_solve(&d->base, x + (size_t)c * (size_t)stride);
        }
        runs[0] = (problem_block){0, d->rows->problem->free_row_count};
        return 1;
    }
    int count = 0, first_block = 0;
    bool whole = d->island == NULL;
    int parts = whole ? pawl_free_factor_part_count(d->free) : d->island->part_count;
    if (whole) {
        delassus_mark(d, b, 0, d->rows->problem->free_block_count, NULL);
    }
    _Static_assert(sizeof(problem_block) == sizeof(block_run), "both are a first row and a number");
    for (int i = 0; i < parts; ++i) {
        int part = whole ? i : d->island->parts[i].part, blocks;
        int offset = whole ? 0 : d->island->parts[i].first_row;
        const int *order = pawl_free_factor_part_blocks(d->free, part, &blocks);
        if (!whole) {
            delassus_mark(d, b, first_block, blocks, order);
            first_block += blocks;
        }
        int added = pawl_free_factor_half_marked(d->free, part, whole, b->rows.dim, x + offset,
                                                 stride, (block_run *)(runs + count));
        for (int k = 0; k < added; ++k) {
            runs[count + k].first_row += offset;
        }
        count += added;
    }
    return count;
}

static int delassus_half_columns(pawl_delassus *base, int block, double *x, int stride,
                                 problem_block *runs)
{
    maximal_delassus *d = (maximal_delassus *)base;
    return delassus_half_paths(d, &d->rows->blocks[block], x, stride, runs);
}

// Six columns represent all rows on a body; see coordinates/carried_rows.h.
static bool delassus_condense_bodies(pawl_delassus *base, double still, double *room, size_t size,
                                     problem_block *runs, double *S, double *Y, int *rank)
{
    maximal_delassus *d = (maximal_delassus *)base;
    carried_rows *c = &d->carried;
    int n = d->rows->problem->free_row_count;
    if (!pawl_carried_rows_find(c, d->rows) || pawl_carried_rows_room(c, n) > size) {
        return false;
    }
    for (int k = 0; k < c->count; ++k) {
        double *z = room + (size_t)(6 * k) * (size_t)n;
        const row_block body = {.rows = {.dim = 6}, .body_count = 1, .body = {c->body[k]}};
        pawl_carried_rows_columns(c, d->rows, k, z, n);
        int count = delassus_half_paths(d, &body, z, n, runs);
        pawl_carried_rows_gram(c, k, runs, count, room, n);
    }
    if (Y == NULL || !pawl_carried_rows_factor(c, d->rows, still, room, n, S, Y, rank)) {
        pawl_carried_rows_condense(c, d->rows, still, room, n, S);
    }
    return true;
}

// The operator may have been bound to other islands since: which bodies carry rows is found again.
static void delassus_bodies_velocity(pawl_delassus *base, const double *room, const double *y,
                                     double *v)
{
    maximal_delassus *d = (maximal_delassus *)base;
    (void)pawl_carried_rows_find(&d->carried, d->rows);
    pawl_carried_rows_velocity(&d->carried, d->rows, room, d->rows->problem->free_row_count, y, v);
}

static void delassus_bodies_impulses(pawl_delassus *base, const double *room, const double *lambda,
                                     double *x)
{
    maximal_delassus *d = (maximal_delassus *)base;
    (void)pawl_carried_rows_find(&d->carried, d->rows);
    pawl_carried_rows_impulses(&d->carried, d->rows, room, d->rows->problem->free_row_count, lambda,
                               x);
}

// Only blocks that share a body with this one get anything.
// out (dim x rows): column c of the block at out + c rows. Bodies are compared pairwise, since a
// block has few.
static void delassus_columns(pawl_delassus *base, int block, double *out)
{
    const maximal_delassus *d = (const maximal_delassus *)base;
    const pawl_assembly *a = d->a;
    const row_block *b = &d->rows->blocks[block];
    int rows = d->rows->problem->row_count;
    memset(out, 0, (size_t)(rows * b->rows.dim) * sizeof *out);
    for (int k = 0; k < d->rows->problem->block_count; ++k) {
        const row_block *other = &d->rows->blocks[k];
        for (int x = 0; x < other->body_count; ++x) {
            for (int y = 0; y < b->body_count; ++y) {
                if (other->body[x] != b->body[y]) {
                    continue;
                }
                const double *j = a->J + other->jacobian[x], *m = a->MJ + b->jacobian[y];
                for (int c = 0; c < b->rows.dim; ++c) {
                    double *column = out + c * rows + other->rows.first_row;
                    for (int r = 0; r < other->rows.dim; ++r) {
                        column[r] += pawl_dot6(j + 6 * r, m + 6 * c);
                    }
                }
            }
        }
    }
}

// Dense: a triangle of all rows. Sparse: through the bodies by Woodbury's identity. Matrix-free:
// conjugate gradients by products. docs/delassus.md has the measurements behind the choice.
static bool delassus_factor_shifted(pawl_delassus *base, const double *sigma,
                                    const double *contacts)
{
    maximal_delassus *d = (maximal_delassus *)base;
    const pawl_problem *p = d->rows->problem;
    d->shifted_kind = d->kind;
    if (d->kind == PAWL_DELASSUS_AUTO) {
        bool few = p->row_count <= DELASSUS_SHIFTED_ROWS && p->row_count <= d->velocity_count;
        d->shifted_kind = few ? PAWL_DELASSUS_DENSE : PAWL_DELASSUS_SPARSE;
    }
    if (d->shifted_kind == PAWL_DELASSUS_MATRIX_FREE) {
        pawl_matrix_free_set(&d->shifted_free, p, p->block_count, sigma, contacts);
        return true;
    }
    return d->shifted_kind == PAWL_DELASSUS_DENSE
               ? pawl_shifted_dense_update(d->shifted_by_rows, d->rows, sigma, contacts)
               : pawl_shifted_factor_update(d->shifted_by_bodies, sigma, contacts);
}

static void delassus_solve_shifted(pawl_delassus *base, double *x)
{
    maximal_delassus *d = (maximal_delassus *)base;
    if (d->shifted_kind == PAWL_DELASSUS_MATRIX_FREE) {
        (void)pawl_matrix_free_solve(&d->shifted_free, x);
    } else if (d->shifted_kind == PAWL_DELASSUS_DENSE) {
        pawl_shifted_dense_solve(d->shifted_by_rows, x);
    } else {
        pawl_shifted_factor_solve(d->shifted_by_bodies, x);
    }
}

// Bodies that can move, six columns each; what cannot turn has none of its own turning.
//
// The columns of a point mass that would turn it are zeros: the pattern stays six wide.
static int delassus_geometry(pawl_delassus *base, int block, int *columns, bool *turns,
                             double *values)
{
    const pawl_assembly *a = ((const maximal_delassus *)base)->a;
    const row_block *b = &a->blocks[block];
    int width = 0;
    for (int k = 0; k < b->body_count; ++k) {
        width += a->model->bodies[b->body[k]].inverse_mass > 0.0 ? 6 : 0;
    }
    for (int k = 0, at = 0; k < b->body_count; ++k) {
        const model_body *body = &a->model->bodies[b->body[k]];
        if (!(body->inverse_mass > 0.0)) {
            continue;
        }
        const double *j = a->J + b->jacobian[k];
        int live = body->kind == PAWL_BODY_RIGID ? 6 : 3;
        for (int i = 0; i < 6; ++i, ++at) {
            if (columns != NULL) {
                columns[at] = 6 * b->body[k] + i;
                turns[at] = i >= 3;
            }
            for (int r = 0; r < b->rows.dim; ++r) {
                values[r * width + at] = i < live ? j[6 * r + i] : 0.0;
            }
        }
    }
    return width;
}

// Each island keeps its own plan of the factor (block_lu); the arrays of Y are shared by all
// islands that this operator is bound to.
static velocity_space *delassus_space(pawl_delassus *base)
{
    maximal_delassus *d = (maximal_delassus *)base;
    if (d->kind == PAWL_DELASSUS_MATRIX_FREE) {
        return NULL;
    }
    return pawl_maximal_space_find(d->space, d->rows,
                                   d->island == NULL ? &d->lu : &d->island->structure->lu);
}

static const pawl_delassus_ops maximal_delassus_ops = {
    .apply = delassus_apply,
    .diagonal = delassus_diagonal,
    .block = delassus_block,
    .sweep_begin = delassus_sweep_begin,
    .sweep_velocity = delassus_sweep_velocity,
    .sweep_add = delassus_sweep_add,
    .factor = delassus_factor,
    .recall = delassus_recall,
    .solve = delassus_solve,
    .columns = delassus_columns,
    .half_solve = delassus_half_solve,
    .back_solve = delassus_back_solve,
    .half_columns = delassus_half_columns,
    .condense_bodies = delassus_condense_bodies,
    .bodies_velocity = delassus_bodies_velocity,
    .bodies_impulses = delassus_bodies_impulses,
    .factor_shifted = delassus_factor_shifted,
    .solve_shifted = delassus_solve_shifted,
    .geometry = delassus_geometry,
    .space = delassus_space,
};

static void delassus_layout_matrix_free(maximal_delassus *d, pawl_carver *mem)
{
    const pawl_assembly *a = d->a;
    d->free_rows = pawl_matrix_free_layout(a->max_rows, 0, false, mem);
    d->shifted_free = pawl_matrix_free_layout(a->max_rows, a->max_contacts, true, mem);
}

static pawl_status delassus_create_matrix_free(maximal_delassus *d)
{
    pawl_carver need = {0};
    delassus_layout_matrix_free(d, &need);
    d->matrix_free_memory = pawl_alloc(&d->env, need.used);
    if (d->matrix_free_memory == NULL) {
        return PAWL_FAIL(&d->env, PAWL_NO_MEMORY, "conjugate gradients need %zu bytes", need.used);
    }
    d->matrix_free_bytes = need.used;
    pawl_carver mem = {.base = d->matrix_free_memory, .capacity = need.used};
    delassus_layout_matrix_free(d, &mem);
    return PAWL_OK;
}

// The second factor is for models with soft rows: a velocity update has R of springs in it, the
// position updates before and after have not. Without soft rows the two are the same matrix.
static pawl_status delassus_create_parts(maximal_delassus *d)
{
    const pawl_env *env = &d->env;
    const pawl_assembly *a = d->a;
    d->u = pawl_alloc(env, d->u_bytes);
    d->swept = pawl_alloc(env, d->u_bytes);
    d->carried.carrier = pawl_alloc(env, d->carried_bytes);
    d->carried.body = pawl_alloc(env, d->carried_bytes);
    d->base.weak.scratch = pawl_alloc(env, d->weak_bytes);
    if (d->u == NULL || d->swept == NULL || d->base.weak.scratch == NULL ||
        d->carried.carrier == NULL || d->carried.body == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the Delassus operator of '%s'",
                         a->model->name);
    }
    if (d->kind == PAWL_DELASSUS_MATRIX_FREE) {
        return delassus_create_matrix_free(d);
    }
    PAWL_TRY(pawl_maximal_space_create(env, a, &d->space));
    if (d->whole == NULL) { // islands make theirs when they are first solved
        PAWL_TRY(pawl_block_lu_create(env, &d->lu));
        if (!pawl_block_lu_plan(d->lu, a->model->body_count, NULL, 0)) {
            return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the factor of '%s'",
                             a->model->name);
        }
    }
    if (d->whole != NULL) {
        d->free = d->whole->free;
    } else if (a->free_rows > 0) {
        PAWL_TRY(pawl_free_factor_create(env, a, d->kind, &d->factors[0]));
        d->free = d->factors[0];
        if (a->has_soft_rows) {
            PAWL_TRY(pawl_free_factor_create(env, a, d->kind, &d->factors[1]));
            PAWL_TRY(pawl_free_factor_share(d->factors[0], d->factors[1]));
        }
    }
    if (d->kind != PAWL_DELASSUS_SPARSE) {
        int room = a->max_rows < DELASSUS_SHIFTED_ROWS ? a->max_rows : DELASSUS_SHIFTED_ROWS;
        PAWL_TRY(pawl_shifted_dense_create(env, room, &d->shifted_by_rows));
    }
    return d->kind == PAWL_DELASSUS_DENSE
               ? PAWL_OK
               : pawl_shifted_factor_create(env, a, &d->shifted_by_bodies);
}

// Whether rows can be redundant is a property of the joint graph: has_loops.
static pawl_status delassus_create(const pawl_env *env, const pawl_assembly *a,
                                   pawl_delassus_kind kind, const maximal_delassus *whole,
                                   pawl_delassus **out)
{
    *out = NULL;
    maximal_delassus *d = pawl_alloc(env, sizeof *d);
    if (d == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the Delassus operator of '%s'",
                         a->model->name);
    }
    *d = (maximal_delassus){.base = {.ops = &maximal_delassus_ops,
                                     .maybe_singular = a->has_loops,
                                     .halves = kind != PAWL_DELASSUS_MATRIX_FREE},
                            .env = *env,
                            .a = a,
                            .whole = whole,
                            .kind = kind,
                            .u_bytes = (size_t)(6 * a->model->body_count) * sizeof *d->u,
                            .carried_bytes = (size_t)a->model->body_count * sizeof(int),
                            .weak_bytes = (size_t)(2 * a->max_rows + 1) * sizeof *d->u};
    d->all = pawl_row_set_all(a);
    d->rows = &d->all;
    for (int i = 0; i < a->model->body_count; ++i) {
        d->velocity_count += a->model->bodies[i].inverse_mass > 0.0 ? 6 : 0;
    }
    pawl_status status = delassus_create_parts(d);
    if (status != PAWL_OK) {
        pawl_delassus_destroy(&d->base);
        return status;
    }
    *out = &d->base;
    return PAWL_OK;
}

pawl_status pawl_delassus_create(const pawl_env *env, const pawl_assembly *a,
                                 pawl_delassus_kind kind, pawl_delassus **out)
{
    return delassus_create(env, a, kind, NULL, out);
}

pawl_status pawl_delassus_create_part(const pawl_env *env, const pawl_delassus *whole,
                                      pawl_delassus **out)
{
    const maximal_delassus *d = (const maximal_delassus *)whole;
    return delassus_create(env, d->a, d->kind, d, out);
}

free_factor *pawl_delassus_free_factor(const pawl_delassus *base)
{
    return ((const maximal_delassus *)base)->factors[0];
}

// Before islands are solved by several threads: brings the factor of `key` to the front, if it is
// kept, so that no thread has to exchange factors that others use.
void pawl_delassus_prepare_parts(pawl_delassus *whole, int64_t key)
{
    if (whole->factored != key) {
        delassus_recall(whole, key);
    }
    whole->factored = whole->factored == key ? key : 0;
}

// Nothing of the last island remains valid: its factor, rows and weak space are replaced.
void pawl_delassus_bind(pawl_delassus *base, island *own)
{
    maximal_delassus *d = (maximal_delassus *)base;
    d->base.factored = 0;
    d->free = d->whole->free;
    d->island = own;
    d->rows = &own->rows;
    d->velocity_count = 6 * own->rows.body_count;
    own->problem.delassus = base;
    base->weak.space = d->whole->base.weak.space;
    base->drops_redundant = d->whole->base.drops_redundant;
    base->weak.part_count = own->part_count;
    base->weak.parts = own->parts;
    if (d->shifted_by_bodies != NULL) {
        pawl_shifted_factor_bind(d->shifted_by_bodies, &own->rows, own->structure);
    }
}

void pawl_delassus_destroy(pawl_delassus *base)
{
    maximal_delassus *d = (maximal_delassus *)base;
    if (d == NULL) {
        return;
    }
    pawl_env env = d->env;
    pawl_shifted_factor_destroy(d->shifted_by_bodies);
    pawl_shifted_dense_destroy(d->shifted_by_rows);
    pawl_maximal_space_destroy(d->space);
    pawl_block_lu_destroy(d->lu);
    pawl_free(&env, d->matrix_free_memory, d->matrix_free_bytes);
    if (d->whole == NULL) {
        pawl_free_factor_destroy(d->factors[0]);
        pawl_free_factor_destroy(d->factors[1]);
    }
    pawl_free(&env, d->u, d->u_bytes);
    pawl_free(&env, d->swept, d->u_bytes);
    pawl_free(&env, d->carried.carrier, d->carried_bytes);
    pawl_free(&env, d->carried.body, d->carried_bytes);
    pawl_free(&env, d->base.weak.scratch, d->weak_bytes);
    pawl_free(&env, d, sizeof *d);
}
