// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Columns, products and the condensed matrix of the bodies on which bounded rows act. The header explains why six
// columns per body are enough.
#include "coordinates/carried_rows.h"
#include "base/kernel.h"
#include "linalg/dense.h"
#include "linalg/semidefinite.h"
#include "math/lanes.h"
#include <string.h>

enum { CARRIED = 6, CARRIED_AT_ONCE = 4 }; // columns of a body; rows of a block

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
    size_t more = width > SEMIDEFINITE_SCRATCH + 1 ? width : SEMIDEFINITE_SCRATCH + 1;
    return width * ((size_t)n + 2 * width + more);
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
    for (int i = 0; i < CARRIED; ++i) {
        carried_clear(z + (size_t)i * (size_t)n, n);
    }
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

// out = ZT y of one body.
PAWL_KERNEL static void carried_answers(const double *z, const double *y, int n,
                                        double out[CARRIED])
{
    carried_dot6(y, z, n, n, out);
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

// out[r][q]: row first + q (four at most) of block b from answer r of `count`, by its bodies.
PAWL_KERNEL_PART void carried_velocities(const carried_rows *c, const pawl_assembly *a,
                                         const row_block *b, int first, const double *t, int width,
                                         int count, lanes out[CARRIED_AT_ONCE])
{
    int rows = b->rows.dim - first < 4 ? b->rows.dim - first : 4;
    for (int r = 0; r < count; ++r) {
        out[r] = LANES_ALL(0.0);
    }
    for (int x = 0; x < b->body_count; ++x) {
        int k = c->carrier[b->body[x]];
        if (k < 0) {
            continue;
        }
        lanes j[CARRIED] = {0};
        lanes_columns6(a->J + b->jacobian[x] + CARRIED * first, rows, j);
        const double *u = t + CARRIED * k;
        for (int r = 0; r < count; ++r, u += width) {
            lanes linear = j[0] * LANES_ALL(u[0]) + j[1] * LANES_ALL(u[1]) + j[2] * LANES_ALL(u[2]);
            lanes angular =
                j[3] * LANES_ALL(u[3]) + j[4] * LANES_ALL(u[4]) + j[5] * LANES_ALL(u[5]);
            out[r] += linear + angular;
        }
    }
}

// Rows i to i + count of S, up to its diagonal and across, from their answers t.
PAWL_KERNEL static void carried_rows_of(const carried_rows *c, const row_set *rows, int block,
                                        int i, int count, const double *t, int n, double *S)
{
    const pawl_problem *p = rows->problem;
    int width = CARRIED * c->count, m = p->row_count - n;
    for (int l = p->free_block_count; l <= block; ++l) {
        const row_block *other = &rows->blocks[l];
        for (int first = 0; first < other->rows.dim; first += 4) {
            lanes s[CARRIED_AT_ONCE];
            carried_velocities(c, rows->a, other, first, t, width, count, s);
            int j = other->rows.first_row + first - n;
            for (int r = 0; r < count; ++r) {
                for (int q = 0; q < 4 && first + q < other->rows.dim && j + q <= i + r; ++q) {
                    S[(i + r) * m + j + q] = S[(j + q) * m + i + r] = s[r][q];
                }
            }
        }
    }
}

void pawl_carried_rows_condense(const carried_rows *c, const row_set *rows, double still,
                                double *room, int n, double *S)
{
    const pawl_problem *p = rows->problem;
    size_t width = (size_t)(CARRIED * c->count), m = (size_t)(p->row_count - n);
    const double *G = room + width * (size_t)n;
    double *t = room + width * ((size_t)n + width), alone[CARRIED_AT_ONCE];
    for (int k = p->free_block_count; k < p->block_count; ++k) {
        const row_block *b = &rows->blocks[k];
        for (int first = 0; first < b->rows.dim; first += CARRIED_AT_ONCE) {
            int left = b->rows.dim - first, count = left < CARRIED_AT_ONCE ? left : CARRIED_AT_ONCE;
            for (int r = 0; r < count; ++r) {
                alone[r] = carried_answer(c, rows->a, b, first + r, G, t + (size_t)r * width);
            }
            int i = b->rows.first_row + first - n;
            carried_rows_of(c, rows, k, i, count, t, n, S);
            for (int r = 0; r < count; ++r) {
                double *diagonal = S + (size_t)(i + r) * (m + 1);
                double R = p->compliance[n + i + r], own = *diagonal + R;
                *diagonal = own <= still * (alone[r] + R) ? 0.0 : own;
            }
        }
    }
}

// C = M^-1 - G in place of G; `own` gets the diagonal of M^-1.
static void carried_mobility(const carried_rows *c, const row_set *rows, double *G, double *own)
{
    const pawl_assembly *a = rows->a;
    int width = CARRIED * c->count;
    for (int i = 0; i < width * width; ++i) {
        G[i] = -G[i];
    }
    for (int k = 0; k < c->count; ++k) {
        int body = pawl_row_set_body(rows, c->body[k]);
        const pawl_mat3 *inertia = &a->inverse_inertia[body];
        double *block = G + CARRIED * k * (width + 1);
        for (int i = 0; i < 3; ++i) {
            block[i * (width + 1)] += a->inverse_mass[body];
            own[CARRIED * k + i] = a->inverse_mass[body];
            own[CARRIED * k + 3 + i] = a->inertia_scale * inertia->m[i][i];
            for (int j = 0; j < 3; ++j) {
                block[(3 + i) * width + 3 + j] += a->inertia_scale * inertia->m[i][j];
            }
        }
    }
}

// y (rank) = row j of the Jacobian of one side times that side's six rows of L; adds to what is there but on the
// first side.
PAWL_KERNEL static void carried_row(const double *j, const double *L, int rank, bool add, double *y)
{
    int p = 0;
    for (; p + 4 <= rank; p += 4) {
        const double *l = L + p;
        lanes sum = (LANES_ALL(j[0]) * LANES_LOAD(l) + LANES_ALL(j[1]) * LANES_LOAD(l + rank)) +
                    LANES_ALL(j[2]) * LANES_LOAD(l + 2 * rank);
        sum += (LANES_ALL(j[3]) * LANES_LOAD(l + 3 * rank) +
                LANES_ALL(j[4]) * LANES_LOAD(l + 4 * rank)) +
               LANES_ALL(j[5]) * LANES_LOAD(l + 5 * rank);
        if (add) {
            sum += LANES_LOAD(y + p);
        }
        LANES_STORE(y + p, sum);
    }
    for (; p < rank; ++p) {
        const double *l = L + p;
        double sum = (j[0] * l[0] + j[1] * l[rank] + j[2] * l[2 * rank]) +
                     (j[3] * l[3 * rank] + j[4] * l[4 * rank] + j[5] * l[5 * rank]);
        y[p] = add ? y[p] + sum : sum;
    }
}

// Rows of Y. A row that joints hold still gets zeros.
static void carried_find_rows(const carried_rows *c, const row_set *rows, double still,
                              const double *L, int rank, int n, double *Y)
{
    const pawl_assembly *a = rows->a;
    const pawl_problem *p = rows->problem;
    for (int k = p->free_block_count; k < p->block_count; ++k) {
        const row_block *b = &rows->blocks[k];
        for (int r = 0; r < b->rows.dim; ++r) {
            double *y = Y + (b->rows.first_row + r - n) * rank, alone = 0.0;
            bool add = false;
            for (int x = 0; x < b->body_count; ++x) {
                int carrier = c->carrier[b->body[x]];
                if (carrier >= 0) {
                    const double *j = a->J + b->jacobian[x] + CARRIED * r;
                    carried_row(j, L + CARRIED * carrier * rank, rank, add, y);
                    alone += pawl_dot6(j, a->MJ + b->jacobian[x] + CARRIED * r);
                    add = true;
                }
            }
            if (!add || pawl_dot(y, y, rank) <= still * alone) {
                memset(y, 0, (size_t)rank * sizeof *y);
            }
        }
    }
}

// out = a . y of four rows y (4 x n), each as pawl_dot() sums it, so that what this gives is symmetric.
PAWL_KERNEL_PART void carried_dots(const double *a, const double *y, int n, double out[4])
{
    lanes sum[4] = {0};
    int k = 0;
    for (; k + 4 <= n; k += 4) {
        lanes part = LANES_LOAD(a + k);
        PAWL_UNROLL
        for (int q = 0; q < 4; ++q) {
            sum[q] += part * LANES_LOAD(y + q * n + k);
        }
    }
    lanes_transpose(sum);
    for (; k < n; ++k) {
        sum[0] += LANES_ALL(a[k]) * (lanes){y[k], y[n + k], y[2 * n + k], y[3 * n + k]};
    }
    LANES_STORE(out, (sum[0] + sum[1]) + (sum[2] + sum[3]));
}

// S = Y YT, up to the diagonal and across.
PAWL_KERNEL static void carried_multiply(const double *Y, int m, int rank, double *S)
{
    for (int i = 0; i < m; ++i) {
        int j = 0;
        for (; j + 4 <= m && j <= i; j += 4) {
            carried_dots(Y + i * rank, Y + j * rank, rank, S + i * m + j);
        }
        for (; j <= i; ++j) {
            S[i * m + j] = pawl_dot(Y + i * rank, Y + j * rank, rank);
        }
        for (int k = 0; k < i; ++k) {
            S[k * m + i] = S[i * m + k];
        }
    }
}

bool pawl_carried_rows_factor(const carried_rows *c, const row_set *rows, double still,
                              double *room, int n, double *S, double *Y, int *rank)
{
    const pawl_problem *p = rows->problem;
    int width = CARRIED * c->count, m = p->row_count - n;
    for (int i = 0; i < m; ++i) {
        if (p->compliance[n + i] != 0.0) {
            return false;
        }
    }
    double *G = room + (size_t)width * (size_t)n, *LT = G + (size_t)width * (size_t)width;
    double *own = LT + (size_t)width * (size_t)width, *L = G;
    carried_mobility(c, rows, G, own);
    *rank = pawl_semidefinite_factor(G, width, own, own + width, LT);
    for (int i = 0; i < width; ++i) {
        for (int k = 0; k < *rank; ++k) {
            L[i * *rank + k] = LT[k * width + i];
        }
    }
    carried_find_rows(c, rows, still, L, *rank, n, Y);
    carried_multiply(Y, m, *rank, S);
    return true;
}

void pawl_carried_rows_velocity(const carried_rows *c, const row_set *rows, const double *room,
                                int n, const double *y, double *v)
{
    const pawl_problem *p = rows->problem;
    for (int k = 0; k < c->count; ++k) {
        double u[CARRIED] = {0};
        carried_answers(room + (size_t)(CARRIED * k) * (size_t)n, y, n, u);
        for (int l = p->free_block_count; l < p->block_count; ++l) {
            const row_block *b = &rows->blocks[l];
            for (int x = 0; x < b->body_count; ++x) {
                for (int r = 0; c->carrier[b->body[x]] == k && r < b->rows.dim; ++r) {
                    const double *j = rows->a->J + b->jacobian[x] + CARRIED * r;
                    v[b->rows.first_row + r - n] -= pawl_dot6(j, u);
                }
            }
        }
    }
}

// x += Z w of one body.
PAWL_KERNEL static void carried_push(const double *z, int n, const double *w, double *x)
{
    for (int i = 0; i < CARRIED; ++i, z += n) {
        lanes by = LANES_ALL(w[i]);
        int r = 0;
        for (; r + 4 <= n; r += 4) {
            lanes sum = LANES_LOAD(x + r);
            sum += LANES_LOAD(z + r) * by;
            LANES_STORE(x + r, sum);
        }
        for (; r < n; ++r) {
            x[r] += z[r] * w[i];
        }
    }
}

void pawl_carried_rows_impulses(const carried_rows *c, const row_set *rows, const double *room,
                                int n, const double *lambda, double *x)
{
    const pawl_problem *p = rows->problem;
    for (int k = 0; k < c->count; ++k) {
        double w[CARRIED] = {0};
        for (int l = p->free_block_count; l < p->block_count; ++l) {
            const row_block *b = &rows->blocks[l];
            for (int s = 0; s < b->body_count; ++s) {
                for (int r = 0; c->carrier[b->body[s]] == k && r < b->rows.dim; ++r) {
                    const double *j = rows->a->J + b->jacobian[s] + CARRIED * r;
                    for (int i = 0; i < CARRIED; ++i) {
                        w[i] += lambda[b->rows.first_row + r] * j[i];
                    }
                }
            }
        }
        carried_push(room + (size_t)(CARRIED * k) * (size_t)n, n, w, x);
    }
}
