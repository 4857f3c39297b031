// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A sample in the form of the operators of maximal coordinates, so that a benchmark times the linear algebra of
// simulations: blocks of rows with the bodies they act on, J and M^-1 JT.
#include "base/carver.h"
#include "linalg/dense.h"
#include "math/rotation.h"
#include "step/common/sample.h"
#include <math.h>
#include <string.h>

static void sample_rows_layout(sample_rows *s, const pawl_sample_data *d, int sides,
                               pawl_carver *mem)
{
    pawl_assembly *a = &s->assembly;
    s->model.bodies = PAWL_CARVE(mem, model_body, d->body_count);
    a->blocks = PAWL_CARVE(mem, row_block, d->block_count);
    a->problem_blocks = PAWL_CARVE(mem, problem_block, d->block_count);
    a->inverse_mass = PAWL_CARVE(mem, double, d->body_count);
    a->inverse_inertia = PAWL_CARVE(mem, pawl_mat3, d->body_count);
    a->J = PAWL_CARVE(mem, double, 6 * sides);
    a->MJ = PAWL_CARVE(mem, double, 6 * sides);
}

// The bodies that the rows of a block act on, ascending; -1 where they are too many.
static int sample_rows_bodies(const pawl_sample_data *d, int first, int dim,
                              int body[BLOCK_MAX_BODIES])
{
    int count = 0;
    for (int e = d->row_start[first]; e < d->row_start[first + dim]; ++e) {
        int own = d->column[e] / 6, at = 0;
        while (at < count && body[at] < own) {
            ++at;
        }
        if (at < count && body[at] == own) {
            continue;
        }
        if (count == BLOCK_MAX_BODIES) {
            return -1;
        }
        memmove(body + at + 1, body + at, (size_t)(count - at) * sizeof *body);
        body[at] = own;
        ++count;
    }
    return count;
}

// Blocks without their Jacobians; *sides counts rows times bodies.
static pawl_status sample_rows_blocks(const pawl_env *env, const pawl_sample_data *d,
                                      row_block *blocks, int *sides)
{
    *sides = 0;
    for (int k = 0, row = 0; k < d->block_count; row += d->block_rows[k], ++k) {
        row_block b = {.rows = {row, d->block_rows[k]}, .joint = -1};
        b.body_count = sample_rows_bodies(d, row, b.rows.dim, b.body);
        if (b.body_count < 0) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                             "block %d of the sample acts on more than %d bodies", k,
                             BLOCK_MAX_BODIES);
        }
        for (int s = 0; s < b.body_count; ++s) {
            b.jacobian[s] = 6 * *sides;
            *sides += b.rows.dim;
        }
        if (blocks != NULL) {
            blocks[k] = b;
        }
    }
    return PAWL_OK;
}

static void sample_rows_masses(sample_rows *s, const pawl_sample_data *d)
{
    pawl_assembly *a = &s->assembly;
    for (int i = 0; i < d->body_count; ++i) {
        pawl_mat3 I;
        memcpy(I.m, d->inertia + 9 * i, sizeof I.m);
        bool moves = d->mass[i] > 0.0, turns = moves && I.m[0][0] + I.m[1][1] + I.m[2][2] > 0.0;
        a->inverse_mass[i] = moves ? 1.0 / d->mass[i] : 0.0;
        a->inverse_inertia[i] = turns ? m3_inverse(&I) : (pawl_mat3){0};
        s->model.bodies[i] = (model_body){.name = "",
                                          .kind = turns ? PAWL_BODY_RIGID : PAWL_BODY_POINT,
                                          .mass = d->mass[i],
                                          .inverse_mass = a->inverse_mass[i]};
    }
}

static void sample_rows_jacobian(pawl_assembly *a, const pawl_sample_data *d, const row_block *b)
{
    for (int r = 0; r < b->rows.dim; ++r) {
        int i = b->rows.first_row + r;
        for (int e = d->row_start[i]; e < d->row_start[i + 1]; ++e) {
            for (int s = 0; s < b->body_count; ++s) {
                if (b->body[s] == d->column[e] / 6) {
                    a->J[b->jacobian[s] + 6 * r + d->column[e] % 6] = d->value[e];
                }
            }
        }
    }
    a->metric->ops->scale_block(a->metric, a, b);
}

static int sample_rows_root(int *parent, int i)
{
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

// Whether the joints close a loop, the world included: only then can their rows repeat each other. parent (bodies + 1) is scratch.
static bool sample_rows_has_loops(const pawl_assembly *a, const pawl_sample_data *d, int *parent)
{
    for (int i = 0; i <= d->body_count; ++i) {
        parent[i] = i;
    }
    for (int k = 0; k < a->free_blocks; ++k) {
        const row_block *b = &a->blocks[k];
        int hard = 0;
        for (int r = b->rows.first_row; r < b->rows.first_row + b->rows.dim; ++r) {
            hard += d->kind[r] == PAWL_SAMPLE_JOINT ? 1 : 0;
        }
        bool fixed = b->body_count == 1; // to the world
        for (int s = 0; hard > 0 && s + 1 < b->body_count + (fixed ? 1 : 0); ++s) {
            int x = sample_rows_root(parent, b->body[s]);
            int y = sample_rows_root(parent, fixed ? d->body_count : b->body[s + 1]);
            if (x == y) {
                return true;
            }
            parent[x] = y;
        }
    }
    return false;
}

static void sample_rows_problem(pawl_assembly *a, const pawl_sample_data *d)
{
    a->problem = (pawl_problem){.row_count = d->row_count,
                                .free_row_count = d->free_row_count,
                                .block_count = d->block_count,
                                .free_block_count = a->free_blocks,
                                .blocks = a->problem_blocks,
                                .v_f = d->v_f,
                                .lower = d->lower,
                                .upper = d->upper,
                                .compliance = d->compliance,
                                .contact_count = d->contact_count,
                                .friction = d->friction,
                                .factor_key = 1,
                                .place_key = 1};
}

pawl_status pawl_sample_rows_create(const pawl_env *env, const pawl_sample_data *d,
                                    sample_rows *out)
{
    int sides = 0;
    PAWL_TRY(sample_rows_blocks(env, d, NULL, &sides));
    pawl_carver need = {0};
    sample_rows_layout(out, d, sides, &need);
    int *parent = PAWL_CARVE(&need, int, d->body_count + 1);
    *out = (sample_rows){.block = pawl_alloc(env, need.used), .bytes = need.used};
    if (out->block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "the rows of a sample need %zu bytes", need.used);
    }
    pawl_carver mem = {.base = out->block, .capacity = need.used};
    sample_rows_layout(out, d, sides, &mem);
    parent = PAWL_CARVE(&mem, int, d->body_count + 1);
    pawl_assembly *a = &out->assembly;
    out->model.name = d->system;
    out->model.body_count = d->body_count;
    a->model = &out->model;
    a->metric = &pawl_body_metric;
    a->inertia_scale = 1.0;
    a->free_rows = d->free_row_count;
    a->max_rows = d->row_count;
    a->max_blocks = d->block_count;
    a->max_contacts = a->contact_count = d->contact_count;
    sample_rows_masses(out, d);
    (void)sample_rows_blocks(env, d, a->blocks, &sides);
    for (int k = 0; k < d->block_count; ++k) {
        a->problem_blocks[k] = a->blocks[k].rows;
        a->free_blocks += a->blocks[k].rows.first_row < d->free_row_count ? 1 : 0;
        sample_rows_jacobian(a, d, &a->blocks[k]);
    }
    a->has_loops = sample_rows_has_loops(a, d, parent);
    sample_rows_problem(a, d);
    return PAWL_OK;
}

void pawl_sample_rows_destroy(const pawl_env *env, sample_rows *rows)
{
    pawl_free(env, rows->block, rows->bytes);
    *rows = (sample_rows){0};
}
