// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Solves (D + s) x = b through the bodies by Woodbury's identity (shifted_factor.h has it): the
// matrix H = M + JT s^-1 J has the size of the bodies' velocities, of which stacks have far fewer than rows. Its
// pattern changes only when pairs of touching bodies do.
//
// s is diagonal, or has a 3 x 3 block for each contact. The factor is a block L D LT with a node of
// six velocities per moving body (linalg/block_ldl.h). Two nodes are coupled where a block of rows
// acts on both bodies.
#include "coordinates/shifted_factor.h"
#include "base/array.h"
#include "base/hash.h"
#include <string.h>

struct shifted_factor {
    pawl_env env;
    const pawl_assembly *a;
    row_set all;
    const row_set *rows;   // at work
    shifted_structure own; // of all rows
    shifted_structure *at; // of those at work
    block_ldl *ldl;        // its factor
    int node_count;
    int *node;                // (body_count) by body of the set: -1 for those that cannot move
    int *dim;                 // (body_count) 6
    double *inverse_sigma;    // (max_rows)
    double *inverse_contacts; // (9 x max_contacts) where s has blocks
    bool has_blocks;
    double *g;        // (6 x bodies)
    pawl_array edges; // block_edge
};

// The pairs of bodies that share one of the first blocks; false when memory is out.
// Contacts of one pair of bodies follow each other, so that comparing with the last edge removes
// most duplicates; the others do no harm.
static bool shifted_find_edges(shifted_factor *f, int block_count)
{
    f->edges.count = 0;
    for (int k = 0; k < block_count; ++k) {
        const row_block *b = &f->rows->blocks[k];
        for (int x = 0; x < b->body_count; ++x) {
            for (int y = 0; y < x; ++y) {
                block_edge edge = {f->node[b->body[x]], f->node[b->body[y]]};
                block_edge *last = f->edges.count > 0
                                       ? &PAWL_ITEM(f->edges, block_edge, f->edges.count - 1)
                                       : NULL;
                if (edge.a < 0 || edge.b < 0 ||
                    (last != NULL && last->a == edge.a && last->b == edge.b)) {
                    continue;
                }
                block_edge *slot = pawl_array_push(&f->env, &f->edges, sizeof edge);
                if (slot == NULL) {
                    return false;
                }
                *slot = edge;
            }
        }
    }
    return true;
}

// Computes order and fill again when the pairs of bodies that share rows have changed. A hash of the edges identifies
// the topology; | 1 keeps it away from 0, which means none.
static bool shifted_plan(shifted_factor *f, int block_count)
{
    if (!shifted_find_edges(f, block_count)) {
        return false;
    }
    shifted_structure *at = f->at;
    uint64_t hash = pawl_hash_bytes(PAWL_HASH_SEED, &f->node_count, sizeof f->node_count);
    hash = pawl_hash_bytes(hash, f->edges.data, (size_t)f->edges.count * sizeof(block_edge)) | 1;
    pawl_status status = PAWL_OK;
    if (at->ldl == NULL) {
        status = pawl_block_ldl_create(&f->env, f->node_count, f->dim, f->edges.data,
                                       f->edges.count, &at->ldl);
    } else if (at->topology != hash) {
        status = pawl_block_ldl_plan(at->ldl, f->node_count, f->dim, f->edges.data, f->edges.count);
    }
    at->topology = status == PAWL_OK ? hash : 0;
    f->ldl = at->ldl;
    return status == PAWL_OK;
}

pawl_status pawl_shifted_factor_create(const pawl_env *env, const pawl_assembly *a,
                                       shifted_factor **out)
{
    *out = NULL;
    int bodies = a->model->body_count;
    shifted_factor *f = pawl_alloc(env, sizeof *f);
    if (f == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the contact factor");
    }
    f->env = *env;
    f->a = a;
    f->node = pawl_alloc(env, (size_t)bodies * sizeof *f->node);
    f->dim = pawl_alloc(env, (size_t)bodies * sizeof *f->dim);
    f->g = pawl_alloc(env, (size_t)(6 * bodies) * sizeof *f->g);
    f->inverse_sigma = pawl_alloc(env, (size_t)a->max_rows * sizeof *f->inverse_sigma);
    f->inverse_contacts =
        pawl_alloc(env, (size_t)(9 * a->max_contacts) * sizeof *f->inverse_contacts);
    if (f->node == NULL || f->dim == NULL || f->g == NULL || f->inverse_sigma == NULL ||
        f->inverse_contacts == NULL) {
        pawl_shifted_factor_destroy(f);
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the contact factor");
    }
    for (int i = 0; i < bodies; ++i) {
        f->dim[i] = 6;
    }
    f->all = pawl_row_set_all(a);
    pawl_shifted_factor_bind(f, &f->all, &f->own);
    if (!shifted_plan(f, a->free_blocks)) { // the joints: contacts come and go around them
        pawl_shifted_factor_destroy(f);
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the structure of the contact factor");
    }
    *out = f;
    return PAWL_OK;
}

void pawl_shifted_factor_bind(shifted_factor *f, const row_set *rows, shifted_structure *at)
{
    f->rows = rows;
    f->at = at;
    f->node_count = 0;
    for (int i = 0; i < rows->body_count; ++i) {
        bool moves = pawl_row_set_model(rows, i)->inverse_mass > 0.0;
        f->node[i] = moves ? f->node_count++ : -1;
    }
}

void pawl_shifted_factor_destroy(shifted_factor *f)
{
    if (f == NULL) {
        return;
    }
    pawl_env env = f->env;
    size_t bodies = (size_t)f->a->model->body_count;
    pawl_block_ldl_destroy(f->own.ldl);
    pawl_array_free(&env, &f->edges);
    pawl_free(&env, f->node, bodies * sizeof *f->node);
    pawl_free(&env, f->dim, bodies * sizeof *f->dim);
    pawl_free(&env, f->g, 6 * bodies * sizeof *f->g);
    pawl_free(&env, f->inverse_sigma, (size_t)f->a->max_rows * sizeof *f->inverse_sigma);
    pawl_free(&env, f->inverse_contacts,
              (size_t)(9 * f->a->max_contacts) * sizeof *f->inverse_contacts);
    pawl_free(&env, f, sizeof *f);
}

// Only the lower triangle of diagonal blocks is read. A point mass gets a unit inertia so that its
// block is regular; no row adds to it (shifted_width).
static void shifted_add_mass(shifted_factor *f, double *values)
{
    const pawl_assembly *a = f->a;
    for (int k = 0; k < f->rows->body_count; ++k) {
        if (f->node[k] < 0) {
            continue;
        }
        block_slot slot = pawl_block_ldl_slot(f->ldl, f->node[k], f->node[k]);
        double *h = values + slot.offset;
        int i = pawl_row_set_body(f->rows, k);
        bool rigid = a->model->bodies[i].kind == PAWL_BODY_RIGID;
        pawl_mat3 inertia = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; // a point does not turn
        if (rigid) {
            inertia = m3_inverse(&a->inverse_inertia[i]);
        }
        for (int r = 0; r < 3; ++r) {
            h[r * slot.stride + r] += 1.0 / a->inverse_mass[i];
            for (int c = 0; c <= r; ++c) {
                h[(r + 3) * slot.stride + c + 3] += inertia.m[r][c];
            }
        }
    }
}

// Velocities of a body that rows move. A point does not turn, though rows at its surface have levers.
static int shifted_width(const shifted_factor *f, int body)
{
    return pawl_row_set_model(f->rows, body)->kind == PAWL_BODY_RIGID ? 6 : 3;
}

// The inverse of s on contact block k, NULL where s is diagonal.
static const double *shifted_contact(const shifted_factor *f, int k)
{
    const pawl_problem *p = f->rows->problem;
    int contact = k - (p->block_count - p->contact_count);
    return f->has_blocks && contact >= 0 ? f->inverse_contacts + 9 * contact : NULL;
}

// out (dim x 6) = s^-1 J of one body of a block.
static void shifted_weigh(const shifted_factor *f, const row_block *b, const double *contact,
                          const double *J, double *out)
{
    const double *weight = f->inverse_sigma + b->rows.first_row;
    for (int r = 0; r < b->rows.dim; ++r) {
        for (int c = 0; c < 6; ++c) {
            out[6 * r + c] = contact == NULL
                                 ? weight[r] * J[6 * r + c]
                                 : contact[3 * r] * J[c] + contact[3 * r + 1] * J[6 + c] +
                                       contact[3 * r + 2] * J[12 + c];
        }
    }
}

// JiT s^-1 Jj of block k.
static void shifted_add_block(shifted_factor *f, int k, double *values)
{
    const pawl_assembly *a = f->a;
    const row_block *b = &f->rows->blocks[k];
    const double *contact = shifted_contact(f, k);
    for (int y = 0; y < b->body_count; ++y) {
        int j = f->node[b->body[y]];
        if (j < 0) {
            continue;
        }
        double weighed[6 * 6];
        shifted_weigh(f, b, contact, a->J + b->jacobian[y], weighed);
        int columns = shifted_width(f, b->body[y]);
        for (int x = y; x < b->body_count; ++x) {
            int i = f->node[b->body[x]];
            if (i < 0) {
                continue;
            }
            block_slot slot = pawl_block_ldl_slot(f->ldl, i, j);
            int row_stride = slot.transposed ? 1 : slot.stride;
            int column_stride = slot.transposed ? slot.stride : 1;
            int rows = shifted_width(f, b->body[x]);
            for (int r = 0; r < b->rows.dim; ++r) {
                const double *ji = a->J + b->jacobian[x] + 6 * r, *wj = weighed + 6 * r;
                for (int p = 0; p < rows; ++p) {
                    int last = i == j ? p + 1 : columns;
                    for (int q = 0; q < last; ++q) {
                        values[slot.offset + p * row_stride + q * column_stride] += ji[p] * wj[q];
                    }
                }
            }
        }
    }
}

// sigma (rows) [1/kg or 1/(kg m^2)] is positive. Its entries on contacts are not read where there
// are blocks.
static void shifted_invert(shifted_factor *f, const double *sigma, const double *contacts)
{
    const pawl_problem *p = f->rows->problem;
    int others = contacts == NULL ? p->row_count : pawl_problem_contact_row(p, 0);
    for (int i = 0; i < others; ++i) {
        f->inverse_sigma[i] = 1.0 / sigma[i];
    }
    f->has_blocks = contacts != NULL;
    for (int k = 0; k < p->contact_count && contacts != NULL; ++k) {
        pawl_mat3 m;
        memcpy(m.m, contacts + 9 * k, sizeof m.m);
        m = m3_inverse(&m);
        memcpy(f->inverse_contacts + 9 * k, m.m, sizeof m.m);
    }
}

// H is positive definite because M is: a pivot is dropped by rounding alone.
bool pawl_shifted_factor_update(shifted_factor *f, const double *sigma, const double *contacts)
{
    shifted_invert(f, sigma, contacts);
    if (!shifted_plan(f, f->rows->problem->block_count)) {
        return false;
    }
    double *values = pawl_block_ldl_values(f->ldl);
    memset(values, 0, pawl_block_ldl_value_count(f->ldl) * sizeof *values);
    shifted_add_mass(f, values);
    for (int k = 0; k < f->rows->problem->block_count; ++k) {
        shifted_add_block(f, k, values);
    }
    pawl_block_ldl_factor(f->ldl, 1e-15);
    return true;
}

// x <- s^-1 x on block k
static void shifted_scale(const shifted_factor *f, int k, double *x)
{
    const row_block *b = &f->rows->blocks[k];
    const double *contact = shifted_contact(f, k);
    double *own = x + b->rows.first_row;
    if (contact == NULL) {
        for (int r = 0; r < b->rows.dim; ++r) {
            own[r] *= f->inverse_sigma[b->rows.first_row + r];
        }
        return;
    }
    double y[3] = {own[0], own[1], own[2]};
    for (int r = 0; r < 3; ++r) {
        own[r] = contact[3 * r] * y[0] + contact[3 * r + 1] * y[1] + contact[3 * r + 2] * y[2];
    }
}

// x <- s^-1 x - s^-1 J H^-1 JT s^-1 x in three passes: scale and gather JT s^-1 x in the bodies,
// solve with H, scatter back.
void pawl_shifted_factor_solve(shifted_factor *f, double *x)
{
    const pawl_assembly *a = f->a;
    memset(f->g, 0, (size_t)(6 * f->node_count) * sizeof *f->g);
    for (int k = 0; k < f->rows->problem->block_count; ++k) {
        const row_block *b = &f->rows->blocks[k];
        shifted_scale(f, k, x);
        for (int s = 0; s < b->body_count; ++s) {
            int node = f->node[b->body[s]];
            int width = node >= 0 ? shifted_width(f, b->body[s]) : 0;
            for (int r = 0; r < b->rows.dim; ++r) {
                const double *j = a->J + b->jacobian[s] + 6 * r;
                for (int c = 0; c < width; ++c) {
                    f->g[6 * node + c] += x[b->rows.first_row + r] * j[c];
                }
            }
        }
    }
    pawl_block_ldl_solve(f->ldl, f->g);
    for (int k = 0; k < f->rows->problem->block_count; ++k) {
        const row_block *b = &f->rows->blocks[k];
        double v[6] = {0};
        for (int s = 0; s < b->body_count; ++s) {
            int node = f->node[b->body[s]];
            int width = node >= 0 ? shifted_width(f, b->body[s]) : 0;
            for (int r = 0; r < b->rows.dim; ++r) {
                const double *j = a->J + b->jacobian[s] + 6 * r;
                for (int c = 0; c < width; ++c) {
                    v[r] += f->g[6 * node + c] * j[c];
                }
            }
        }
        const double *contact = shifted_contact(f, k);
        for (int r = 0; r < b->rows.dim; ++r) {
            double sv = contact == NULL ? f->inverse_sigma[b->rows.first_row + r] * v[r]
                                        : contact[3 * r] * v[0] + contact[3 * r + 1] * v[1] +
                                              contact[3 * r + 2] * v[2];
            x[b->rows.first_row + r] -= sv;
        }
    }
}
