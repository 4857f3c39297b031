// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Columns, products and the condensed matrix of bodies that carry rows. The header says why six columns are enough.
#include "coordinates/carried_rows.h"
#include "base/kernel.h"
#include "linalg/dense.h"
#include "math/lanes.h"
#include <string.h>

enum { CARRIED = 6 }; // columns of a body

// Six columns of a body pay where they take the place of at least eight: half solves cost most, and so much less has to
// be multiplied out that the rest is cheap.
bool pawl_carried_rows_find(carried_rows *c, const row_set *rows)
{
    const pawl_problem *p = rows->problem;
    int m = p->row_count - p->free_row_count;
    c->count = 0;
    for (int i = 0; i < rows->body_count; ++i) {
        c->carrier[i] = -1;
    }
    for (int k = p->free_block_count; k < p->block_count && 8 * c->count <= m; ++k) {
        const row_block *b = &rows->blocks[k];
        for (int x = 0; x < b->body_count; ++x) {
            int body = b->body[x];
            if (c->carrier[body] < 0 && pawl_row_set_model(rows, body)->inverse_mass > 0.0) {
                c->carrier[body] = c->count;
                c->body[c->count++] = body;
            }
        }
    }
    return c->count > 0 && 8 * c->count <= m;
}

size_t pawl_carried_rows_room(const carried_rows *c, int n)
{
    size_t width = (size_t)(CARRIED * c->count);
    return width * ((size_t)n + width + 1);
}

PAWL_KERNEL static void carried_clear(double *z, int count)
{
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        LANES_STORE(z + i, LANES_ALL(0.0));
    }
    for (; i < count; ++i) {
        z[i] = 0.0;
    }
}

void pawl_carried_rows_columns(const carried_rows *c, const row_set *rows, int k, double *z, int n)
{
    carried_clear(z, CARRIED * n);
    for (int f = 0; f < rows->problem->free_block_count; ++f) {
        const row_block *b = &rows->blocks[f];
        for (int x = 0; x < b->body_count; ++x) {
            if (b->body[x] != c->body[k]) {
                continue;
            }
            const double *mj = rows->a->MJ + b->jacobian[x];
            for (int r = 0; r < b->rows.dim; ++r, mj += CARRIED) {
                for (int i = 0; i < CARRIED; ++i) {
                    z[i * n + b->rows.first_row + r] += mj[i];
                }
            }
        }
    }
}

// out[0..5] += z . y of six columns y that lie n apart, with z read once.
PAWL_KERNEL_PART void carried_dot6(const double *z, const double *y, int n, int count,
                                   double out[CARRIED])
{
    lanes sum[CARRIED];
    double first[CARRIED];
    PAWL_UNROLL
    for (int c = 0; c < CARRIED; ++c) {
        sum[c] = LANES_ALL(0.0);
    }
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        lanes part = LANES_LOAD(z + i);
        PAWL_UNROLL
        for (int c = 0; c < CARRIED; ++c) {
            sum[c] += LANES_LOAD(y + c * n + i) * part;
        }
    }
    PAWL_UNROLL
    for (int c = 0; c < CARRIED; ++c) {
        first[c] = sum[c][0];
        for (int r = i; r < count; ++r) {
            first[c] += z[r] * y[c * n + r];
        }
        out[c] += (first[c] + sum[c][1]) + (sum[c][2] + sum[c][3]);
    }
}

PAWL_KERNEL static void carried_gram(const double *z, const double *y, int n,
                                     const problem_block *runs, int run_count, double *out,
                                     int width)
{
    for (int i = 0; i < CARRIED; ++i) {
        double sum[CARRIED] = {0};
        for (int k = 0; k < run_count; ++k) {
            int first = runs[k].first_row;
            carried_dot6(z + i * n + first, y + first, n, runs[k].dim, sum);
        }
        memcpy(out + i * width, sum, sizeof sum);
    }
}

void pawl_carried_rows_gram(const carried_rows *c, int k, const problem_block *runs, int run_count,
                            double *room, int n)
{
    int width = CARRIED * c->count;
    double *G = room + (size_t)width * (size_t)n;
    for (int l = 0; l <= k; ++l) {
        double *block = G + (size_t)(CARRIED * k) * (size_t)width + CARRIED * l;
        carried_gram(room + (size_t)(CARRIED * k) * (size_t)n,
                     room + (size_t)(CARRIED * l) * (size_t)n, n, runs, run_count, block, width);
        for (int i = 0; i < CARRIED && l < k; ++i) {
            for (int j = 0; j < CARRIED; ++j) {
                G[(size_t)(CARRIED * l + j) * (size_t)width + (size_t)(CARRIED * k + i)] =
                    block[i * width + j];
            }
        }
    }
}

// t (width) -= j (6) G_k, G_k the rows of body k.
PAWL_KERNEL static void carried_spread(const double *j, const double *G, int width, double *t)
{
    for (int i = 0; i < CARRIED; ++i, G += width) {
        int q = 0;
        lanes by = LANES_ALL(j[i]);
        for (; q + 4 <= width; q += 4) {
            lanes sum = LANES_LOAD(t + q);
            sum -= LANES_LOAD(G + q) * by;
            LANES_STORE(t + q, sum);
        }
        for (; q < width; ++q) {
            t[q] -= j[i] * G[q];
        }
    }
}

// t (width) = M^-1 J_iT - G J_iT of row r of block b, by bodies. Returns the row's own D.
static double carried_answer(const carried_rows *c, const pawl_assembly *a, const row_block *b,
                             int r, const double *G, double *t)
{
    int width = CARRIED * c->count;
    double alone = 0.0;
    carried_clear(t, width);
    for (int x = 0; x < b->body_count; ++x) {
        int k = c->carrier[b->body[x]];
        if (k < 0) {
            continue;
        }
        const double *j = a->J + b->jacobian[x] + CARRIED * r;
        const double *mj = a->MJ + b->jacobian[x] + CARRIED * r;
        alone += pawl_dot6(j, mj);
        carried_spread(j, G + (size_t)(CARRIED * k) * (size_t)width, width, t);
        for (int i = 0; i < CARRIED; ++i) {
            t[CARRIED * k + i] += mj[i];
        }
    }
    return alone;
}

// The rows that block b gets from an answer t, by its bodies.
static double carried_velocity(const carried_rows *c, const pawl_assembly *a, const row_block *b,
                               int r, const double *t)
{
    double sum = 0.0;
    for (int x = 0; x < b->body_count; ++x) {
        int k = c->carrier[b->body[x]];
        if (k >= 0) {
            sum += pawl_dot6(a->J + b->jacobian[x] + CARRIED * r, t + CARRIED * k);
        }
    }
    return sum;
}

void pawl_carried_rows_condense(const carried_rows *c, const row_set *rows, double still,
                                double *room, int n, double *S)
{
    const pawl_problem *p = rows->problem;
    size_t width = (size_t)(CARRIED * c->count), m = (size_t)(p->row_count - n);
    const double *G = room + width * (size_t)n;
    double *t = room + width * ((size_t)n + width);
    for (int k = p->free_block_count; k < p->block_count; ++k) {
        const row_block *b = &rows->blocks[k];
        for (int r = 0; r < b->rows.dim; ++r) {
            size_t i = (size_t)(b->rows.first_row + r - n);
            double alone = carried_answer(c, rows->a, b, r, G, t);
            for (int l = p->free_block_count; l <= k; ++l) {
                const row_block *other = &rows->blocks[l];
                int last = l < k ? other->rows.dim : r + 1;
                for (int q = 0; q < last; ++q) {
                    size_t j = (size_t)(other->rows.first_row + q - n);
                    S[i * m + j] = S[j * m + i] = carried_velocity(c, rows->a, other, q, t);
                }
            }
            double R = p->compliance[n + (int)i], own = S[i * (m + 1)] + R;
            S[i * (m + 1)] = own <= still * (alone + R) ? 0.0 : own;
        }
    }
}
