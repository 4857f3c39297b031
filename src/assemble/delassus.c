// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "assemble/delassus.h"
#include "assemble/shifted_dense.h"
#include "assemble/shifted_factor.h"
#include "base/array.h"
#include "linalg/block_ldl.h"
#include "problem/matrix_free.h"
#include <string.h>

// Up to so many rows the plain triangle beats the walk over blocks of joints (bench_peers), and the way
// round by the bodies when all rows are shifted (bench_admm), there only where the bodies have more
// velocities than there are rows: not on what rests on four corners.
enum { DELASSUS_FREE_ROWS = 12, DELASSUS_SHIFTED_ROWS = 36 };

// One product of two blocks' Jacobians at a shared body that adds to a block of D.
typedef struct pair_task {
    int row_jacobian, column_jacobian; // in J and in MJ
    int row_dim, column_dim;
    int offset, row_stride, column_stride; // where its entry (r, c) goes
    bool diagonal;                         // of one block with itself: lower triangle
} pair_task;

typedef struct maximal_delassus {
    pawl_delassus base; // first, so that a pawl_delassus * is also one of these
    pawl_env env;
    const pawl_assembly *a;
    pawl_delassus_kind kind;         // as asked for
    pawl_delassus_kind shifted_kind; // which of those below holds the last shifted factor
    block_ldl *ldl;                  // NULL without free rows, and where nothing is factored
    bool dense;                      // ldl is of one node
    int velocity_count;              // of bodies that can move
    pawl_array tasks;                // pair_task
    double *u;                       // (6 x bodies) the bodies' velocities of the product at work
    double *swept;                   // (6 x bodies) those of the impulses of the sweep at work
    size_t u_bytes;
    shifted_factor *shifted_by_bodies; // one or two of these three, as the kind says
    shifted_dense *shifted_by_rows;
    matrix_free shifted_free;
    matrix_free free_rows; // where the free rows have no factor either
    char *matrix_free_memory;
    size_t matrix_free_bytes;
} maximal_delassus;

static void delassus_apply(pawl_delassus *base, const double *x, double *y)
{
    maximal_delassus *d = (maximal_delassus *)base;
    memset(d->u, 0, d->u_bytes);
    pawl_assembly_add_impulses(d->a, x, d->u);
    pawl_assembly_row_velocity(d->a, d->u, y);
}

// sum over the block's bodies of (J M^-1 JT)[r][c]
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

static void delassus_diagonal(pawl_delassus *base, int first_block, double *out)
{
    const pawl_assembly *a = ((maximal_delassus *)base)->a;
    for (int k = first_block; k < a->problem.block_count; ++k) {
        const row_block *b = &a->blocks[k];
        for (int r = 0; r < b->rows.dim; ++r) {
            out[b->rows.first_row + r] = delassus_entry(a, b, r, r);
        }
    }
}

static void delassus_block(pawl_delassus *base, int block, double *out)
{
    const pawl_assembly *a = ((maximal_delassus *)base)->a;
    const row_block *b = &a->blocks[block];
    for (int r = 0; r < b->rows.dim; ++r) {
        for (int c = 0; c < b->rows.dim; ++c) {
            out[r * b->rows.dim + c] = delassus_entry(a, b, r, c);
        }
    }
}

static void delassus_sweep_begin(pawl_delassus *base, const double *x)
{
    maximal_delassus *d = (maximal_delassus *)base;
    memset(d->swept, 0, d->u_bytes);
    pawl_assembly_add_impulses(d->a, x, d->swept);
}

static void delassus_sweep_velocity(pawl_delassus *base, int block, double *out)
{
    maximal_delassus *d = (maximal_delassus *)base;
    const row_block *b = &d->a->blocks[block];
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

static void delassus_sweep_add(pawl_delassus *base, int block, const double *dx)
{
    maximal_delassus *d = (maximal_delassus *)base;
    const row_block *b = &d->a->blocks[block];
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

static inline double delassus_dot6(const double *a, const double *b)
{
    return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

static inline void delassus_task(const pair_task *task, const double *restrict j,
                                 const double *restrict m, int columns, double *restrict out)
{
    for (int r = 0; r < task->row_dim; ++r, j += 6, out += task->row_stride) {
        int last = task->diagonal ? r + 1 : columns;
        for (int c = 0; c < last; ++c) {
            out[c * task->column_stride] += delassus_dot6(j, m + 6 * c);
        }
    }
}

static void delassus_run_tasks(maximal_delassus *d, double *values)
{
    for (int t = 0; t < d->tasks.count; ++t) {
        const pair_task *task = &PAWL_ITEM(d->tasks, pair_task, t);
        const double *j = d->a->J + task->row_jacobian, *m = d->a->MJ + task->column_jacobian;
        delassus_task(task, j, m, task->column_dim, values + task->offset);
    }
}

// D + R + shift diag(D + R) on the free rows, by products.
static void delassus_set_free_rows(maximal_delassus *d, const double *compliance, double shift)
{
    const pawl_assembly *a = d->a;
    double *sigma = d->free_rows.sigma;
    for (int k = 0; k < a->free_blocks; ++k) {
        const row_block *b = &a->blocks[k];
        for (int r = 0; r < b->rows.dim; ++r) {
            double R = compliance[b->rows.first_row + r];
            sigma[b->rows.first_row + r] = R + shift * (delassus_entry(a, b, r, r) + R);
        }
    }
    pawl_matrix_free_set(&d->free_rows, &a->problem, a->free_blocks, sigma, NULL);
}

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
    double *values = pawl_block_ldl_values(d->ldl);
    memset(values, 0, pawl_block_ldl_value_count(d->ldl) * sizeof *values);
    delassus_run_tasks(d, values);
    block_slot all = {0};
    if (d->dense) {
        all = pawl_block_ldl_slot(d->ldl, 0, 0);
    }
    for (int k = 0; k < d->a->free_blocks; ++k) {
        problem_block rows = d->a->blocks[k].rows;
        block_slot slot = all;
        int skip = rows.first_row;
        if (!d->dense) {
            slot = pawl_block_ldl_slot(d->ldl, k, k);
            skip = 0;
        }
        for (int r = 0; r < rows.dim; ++r) {
            double *x = values + slot.offset + (r + skip) * (slot.stride + 1);
            *x = (*x + compliance[rows.first_row + r]) * (1.0 + shift);
        }
    }
    // Below this a pivot is rounding noise: the row depends on others.
    return pawl_block_ldl_factor(d->ldl, 1e-13);
}

static void delassus_solve(pawl_delassus *base, double *x)
{
    maximal_delassus *d = (maximal_delassus *)base;
    if (d->a->free_rows == 0) {
        return;
    }
    if (d->kind == PAWL_DELASSUS_MATRIX_FREE) {
        (void)pawl_matrix_free_solve(&d->free_rows, x);
    } else {
        pawl_block_ldl_solve(d->ldl, x);
    }
}

static void delassus_half_solve(pawl_delassus *base, double *x)
{
    pawl_block_ldl_half_solve(((maximal_delassus *)base)->ldl, x);
}

// Only blocks that share a body with this one get anything.
static void delassus_columns(pawl_delassus *base, int block, double *out)
{
    const pawl_assembly *a = ((maximal_delassus *)base)->a;
    const row_block *b = &a->blocks[block];
    int rows = a->problem.row_count;
    memset(out, 0, (size_t)(rows * b->rows.dim) * sizeof *out);
    for (int k = 0; k < a->problem.block_count; ++k) {
        const row_block *other = &a->blocks[k];
        for (int x = 0; x < other->body_count; ++x) {
            for (int y = 0; y < b->body_count; ++y) {
                if (other->body[x] != b->body[y]) {
                    continue;
                }
                const double *j = a->J + other->jacobian[x], *m = a->MJ + b->jacobian[y];
                for (int c = 0; c < b->rows.dim; ++c) {
                    double *column = out + c * rows + other->rows.first_row;
                    for (int r = 0; r < other->rows.dim; ++r) {
                        column[r] += delassus_dot6(j + 6 * r, m + 6 * c);
                    }
                }
            }
        }
    }
}

static bool delassus_factor_shifted(pawl_delassus *base, const double *sigma,
                                    const double *contacts)
{
    maximal_delassus *d = (maximal_delassus *)base;
    const pawl_problem *p = &d->a->problem;
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
               ? pawl_shifted_dense_update(d->shifted_by_rows, sigma, contacts)
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

static const pawl_delassus_ops maximal_delassus_ops = {
    .apply = delassus_apply,
    .diagonal = delassus_diagonal,
    .block = delassus_block,
    .sweep_begin = delassus_sweep_begin,
    .sweep_velocity = delassus_sweep_velocity,
    .sweep_add = delassus_sweep_add,
    .factor = delassus_factor,
    .solve = delassus_solve,
    .columns = delassus_columns,
    .half_solve = delassus_half_solve,
    .factor_shifted = delassus_factor_shifted,
    .solve_shifted = delassus_solve_shifted,
};

// Calls visit for every pair (i >= j) of free blocks at every body that can move.
typedef pawl_status delassus_visit(maximal_delassus *d, pawl_array *edges, int i, int slot_i, int j,
                                   int slot_j);

static pawl_status delassus_each_pair(maximal_delassus *d, pawl_array *edges, const int *start,
                                      const int *users, delassus_visit *visit)
{
    const pawl_assembly *a = d->a;
    for (int body = 0; body < a->model->body_count; ++body) {
        if (!(a->model->bodies[body].inverse_mass > 0.0)) {
            continue;
        }
        for (int x = start[body]; x < start[body + 1]; ++x) {
            for (int y = start[body]; y <= x; ++y) {
                PAWL_TRY(visit(d, edges, users[x] / BLOCK_MAX_BODIES, users[x] % BLOCK_MAX_BODIES,
                               users[y] / BLOCK_MAX_BODIES, users[y] % BLOCK_MAX_BODIES));
            }
        }
    }
    return PAWL_OK;
}

static pawl_status delassus_add_edge(maximal_delassus *d, pawl_array *edges, int i, int slot_i,
                                     int j, int slot_j)
{
    (void)slot_i;
    (void)slot_j;
    if (i == j) {
        return PAWL_OK;
    }
    block_edge *edge = pawl_array_push(&d->env, edges, sizeof *edge);
    if (edge == NULL) {
        return PAWL_FAIL(&d->env, PAWL_NO_MEMORY, "no memory for the constraint graph");
    }
    *edge = (block_edge){i, j};
    return PAWL_OK;
}

static pawl_status delassus_add_task(maximal_delassus *d, pawl_array *edges, int i, int slot_i,
                                     int j, int slot_j)
{
    (void)edges;
    const row_block *bi = &d->a->blocks[i], *bj = &d->a->blocks[j];
    pair_task task = {.row_jacobian = bi->jacobian[slot_i],
                      .column_jacobian = bj->jacobian[slot_j],
                      .row_dim = bi->rows.dim,
                      .column_dim = bj->rows.dim,
                      .diagonal = i == j};
    if (d->dense) {
        block_slot slot = pawl_block_ldl_slot(d->ldl, 0, 0);
        task.offset = slot.offset + bi->rows.first_row * slot.stride + bj->rows.first_row;
        task.row_stride = slot.stride;
        task.column_stride = 1;
    } else {
        block_slot slot = pawl_block_ldl_slot(d->ldl, i, j);
        task.offset = slot.offset;
        task.row_stride = slot.transposed ? 1 : slot.stride;
        task.column_stride = slot.transposed ? slot.stride : 1;
    }
    pair_task *out = pawl_array_push(&d->env, &d->tasks, sizeof *out);
    if (out == NULL) {
        return PAWL_FAIL(&d->env, PAWL_NO_MEMORY, "no memory for the constraint graph");
    }
    *out = task;
    return PAWL_OK;
}

// For each body the free blocks that touch it, as block * BLOCK_MAX_BODIES + slot.
static void delassus_users(const pawl_assembly *a, int *start, int *users)
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

static pawl_status delassus_build(maximal_delassus *d, int *start, int *users, int *dim)
{
    const pawl_assembly *a = d->a;
    delassus_users(a, start, users);
    d->dense = d->kind == PAWL_DELASSUS_DENSE ||
               (d->kind == PAWL_DELASSUS_AUTO && a->free_rows <= DELASSUS_FREE_ROWS);
    pawl_array edges = {0};
    pawl_status status = PAWL_OK;
    int nodes = 1;
    if (d->dense) {
        dim[0] = a->free_rows;
    } else {
        nodes = a->free_blocks;
        for (int k = 0; k < nodes; ++k) {
            dim[k] = a->blocks[k].rows.dim;
        }
        status = delassus_each_pair(d, &edges, start, users, delassus_add_edge);
    }
    if (status == PAWL_OK) {
        status = pawl_block_ldl_create(&d->env, nodes, dim, edges.data, edges.count, &d->ldl);
    }
    pawl_array_free(&d->env, &edges);
    if (status == PAWL_OK) {
        status = delassus_each_pair(d, NULL, start, users, delassus_add_task);
    }
    return status;
}

// The ordering and the fill of the free rows.
static pawl_status delassus_create_free(maximal_delassus *d)
{
    const pawl_env *env = &d->env;
    const pawl_assembly *a = d->a;
    size_t users_bytes = (size_t)(BLOCK_MAX_BODIES * a->free_blocks + 1) * sizeof(int);
    size_t start_bytes = (size_t)(a->model->body_count + 1) * sizeof(int);
    size_t dim_bytes = (size_t)(a->free_blocks + 1) * sizeof(int);
    int *users = pawl_alloc(env, users_bytes);
    int *start = pawl_alloc(env, start_bytes);
    int *dim = pawl_alloc(env, dim_bytes);
    pawl_status status = PAWL_OK;
    if (users == NULL || start == NULL || dim == NULL) {
        status = PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the constraint graph");
    } else {
        status = delassus_build(d, start, users, dim);
    }
    pawl_free(env, users, users_bytes);
    pawl_free(env, start, start_bytes);
    pawl_free(env, dim, dim_bytes);
    return status;
}

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

static pawl_status delassus_create_parts(maximal_delassus *d)
{
    const pawl_env *env = &d->env;
    const pawl_assembly *a = d->a;
    if (d->kind == PAWL_DELASSUS_MATRIX_FREE) {
        return delassus_create_matrix_free(d);
    }
    if (a->free_rows > 0) {
        PAWL_TRY(delassus_create_free(d));
    }
    if (d->kind != PAWL_DELASSUS_SPARSE) {
        int room = a->max_rows < DELASSUS_SHIFTED_ROWS ? a->max_rows : DELASSUS_SHIFTED_ROWS;
        PAWL_TRY(pawl_shifted_dense_create(env, a, room, &d->shifted_by_rows));
    }
    return d->kind == PAWL_DELASSUS_DENSE
               ? PAWL_OK
               : pawl_shifted_factor_create(env, a, &d->shifted_by_bodies);
}

pawl_status pawl_delassus_create(const pawl_env *env, const pawl_assembly *a,
                                 pawl_delassus_kind kind, pawl_delassus **out)
{
    *out = NULL;
    maximal_delassus *d = pawl_alloc(env, sizeof *d);
    if (d != NULL) {
        *d = (maximal_delassus){.base = {.ops = &maximal_delassus_ops,
                                         .maybe_singular = a->has_loops,
                                         .halves = kind != PAWL_DELASSUS_MATRIX_FREE},
                                .env = *env,
                                .a = a,
                                .kind = kind};
        for (int i = 0; i < a->model->body_count; ++i) {
            d->velocity_count += a->model->bodies[i].inverse_mass > 0.0 ? 6 : 0;
        }
        d->u_bytes = (size_t)(6 * a->model->body_count) * sizeof(double);
        d->u = pawl_alloc(env, d->u_bytes);
        d->swept = pawl_alloc(env, d->u_bytes);
    }
    pawl_status status = PAWL_OK;
    if (d == NULL || d->u == NULL || d->swept == NULL) {
        status = PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the Delassus operator of '%s'",
                           a->model->name);
    } else {
        status = delassus_create_parts(d);
    }
    if (status != PAWL_OK) {
        pawl_delassus_destroy(d == NULL ? NULL : &d->base);
        return status;
    }
    *out = &d->base;
    return PAWL_OK;
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
    pawl_free(&env, d->matrix_free_memory, d->matrix_free_bytes);
    pawl_block_ldl_destroy(d->ldl);
    pawl_array_free(&env, &d->tasks);
    pawl_free(&env, d->u, d->u_bytes);
    pawl_free(&env, d->swept, d->u_bytes);
    pawl_free(&env, d, sizeof *d);
}
