// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Products with Y and YT block by block, and the matrix 1 + YT S Y: each row block adds Y_iT S Y_j for the nodes
// i and j that it acts on. Sums run in the order of the blocks, whatever the width of the vector unit.
#include "problem/velocity_space.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "math/six.h"
#include <string.h>

enum { SPACE_BODY = BLOCK_LU_DIM };

// y (dim) += Y w of one side.
// Bodies have width six, with a kernel of its own; a dense operator is one wide node.
static void space_times(const double *Y, int dim, int width, const double *w, double *y)
{
    for (int r = 0; r < dim; ++r) {
        y[r] += width == SPACE_BODY ? pawl_dot6(Y + SPACE_BODY * r, w)
                                    : pawl_dot(Y + (size_t)r * (size_t)width, w, width);
    }
}

// w += YT x of one side.
static void space_add(const double *Y, int dim, int width, const double *x, double *w)
{
    if (width == SPACE_BODY && dim == 3) {
        six_add_three(x[0], x[1], x[2], Y, w);
        return;
    }
    for (int r = 0; r < dim; ++r, Y += width) {
        double factor = x[r];
        if (factor != 0.0) {
            for (int c = 0; c < width; ++c) {
                w[c] += factor * Y[c];
            }
        }
    }
}

void pawl_space_block_velocity(const velocity_space *s, const pawl_problem *p, int block,
                               const double *w, double *y)
{
    int dim = p->blocks[block].dim;
    memset(y, 0, (size_t)dim * sizeof *y);
    for (int i = s->first_side[block]; i < s->first_side[block + 1]; ++i) {
        space_times(s->side_Y[i], dim, s->width, w + s->width * s->side_node[i], y);
    }
}

void pawl_space_block_add(const velocity_space *s, const pawl_problem *p, int block,
                          const double *x, double *w)
{
    for (int i = s->first_side[block]; i < s->first_side[block + 1]; ++i) {
        space_add(s->side_Y[i], p->blocks[block].dim, s->width, x, w + s->width * s->side_node[i]);
    }
}

// Contacts on bodies: nearly all rows of a heap, three after three.
PAWL_KERNEL static void space_gather_contacts(const velocity_space *s, int from, int to,
                                              const double *restrict x, double *restrict w)
{
    for (int i = s->first_side[from]; from < to; ++from, x += 3) {
        for (; i < s->first_side[from + 1]; ++i) {
            six_add_three(x[0], x[1], x[2], s->side_Y[i], w + SPACE_BODY * s->side_node[i]);
        }
    }
}

PAWL_KERNEL static void space_scatter_contacts(const velocity_space *s, int from, int to,
                                               const double *restrict w, double *restrict y)
{
    for (int i = s->first_side[from]; from < to; ++from, y += 3) {
        double a = 0.0, b = 0.0, c = 0.0;
        for (; i < s->first_side[from + 1]; ++i) {
            const double *Y = s->side_Y[i], *own = w + SPACE_BODY * s->side_node[i];
            a += pawl_dot6(Y, own);
            b += pawl_dot6(Y + SPACE_BODY, own);
            c += pawl_dot6(Y + 2 * SPACE_BODY, own);
        }
        y[0] = a;
        y[1] = b;
        y[2] = c;
    }
}

void pawl_space_gather(const velocity_space *s, const pawl_problem *p, const double *x, double *w)
{
    if (s->sparse == NULL) {
        pawl_combine(s->dense_Y, p->row_count, s->width, s->width, x, w);
        return;
    }
    memset(w, 0, (size_t)pawl_space_size(s) * sizeof *w);
    int first_contact = p->block_count - p->contact_count;
    for (int k = 0; k < first_contact; ++k) {
        pawl_space_block_add(s, p, k, x + p->blocks[k].first_row, w);
    }
    space_gather_contacts(s, first_contact, p->block_count, x + pawl_problem_contact_row(p, 0), w);
}

void pawl_space_scatter(const velocity_space *s, const pawl_problem *p, const double *w, double *y)
{
    if (s->sparse == NULL) {
        pawl_combine(s->dense_YT, s->width, p->row_count, p->row_count, w, y);
        return;
    }
    int first_contact = p->block_count - p->contact_count;
    for (int k = 0; k < first_contact; ++k) {
        pawl_space_block_velocity(s, p, k, w, y + p->blocks[k].first_row);
    }
    space_scatter_contacts(s, first_contact, p->block_count, w, y + pawl_problem_contact_row(p, 0));
}

// ---- the matrix ----------------------------------------------------------------------------------

// out (3 x 6) = S Y or ST Y of one side of a contact.
PAWL_KERNEL_PART void space_weigh(const double *Y, const double *S, bool transposed, double *out)
{
    int row = transposed ? 1 : 3, column = transposed ? 3 : 1;
    for (int r = 0; r < 3; ++r) {
        six_three(S[row * r], S[row * r + column], S[row * r + 2 * column], Y,
                  out + SPACE_BODY * r);
    }
}

// C (6 x 6) += YT T of three rows.
PAWL_KERNEL_PART void space_add_product(const double *restrict Y, const double *restrict T,
                                        double *restrict C)
{
    for (int r = 0; r < SPACE_BODY; ++r) {
        six_add_three(Y[r], Y[SPACE_BODY + r], Y[2 * SPACE_BODY + r], T, C + SPACE_BODY * r);
    }
}

// The place of sides x > y of block k, and whether x is the one that is eliminated later.
static block_lu_place space_pair(const velocity_space *s, int k, int x, int y)
{
    return pawl_block_lu_edge(s->sparse, s->pair_edge[s->first_pair[k] + x * (x - 1) / 2 + y]);
}

//
// Of an edge the block (late, early) is stored in `lower`, and the transpose of (early, late) in
// `upper`. Early and late are meant in the order of elimination. (YeT S Yl)T = YlT ST Ye, hence the
// transposed S.
PAWL_KERNEL_PART void space_add_contact(const velocity_space *s, int k, const double *S)
{
    int first = s->first_side[k], count = s->first_side[k + 1] - first;
    double T[3 * SPACE_BODY];
    for (int x = 0; x < count; ++x) {
        const double *own = s->side_Y[first + x];
        space_weigh(own, S, false, T);
        space_add_product(own, T, pawl_block_lu_diagonal(s->sparse, s->side_node[first + x]));
        for (int y = 0; y < x; ++y) {
            block_lu_place at = space_pair(s, k, x, y);
            const double *other = s->side_Y[first + y];
            const double *late = at.swapped ? other : own, *early = at.swapped ? own : other;
            space_weigh(early, S, false, T);
            space_add_product(late, T, at.lower);
            if (!s->symmetric) {
                space_weigh(early, S, true, T);
                space_add_product(late, T, at.upper);
            }
        }
    }
}

// C (6 x 6) += a x yT
static void space_add_outer6(double a, const double *x, const double *y, double *C)
{
    for (int r = 0; r < SPACE_BODY; ++r) {
        double scaled = a * x[r];
        for (int c = 0; c < SPACE_BODY; ++c) {
            C[SPACE_BODY * r + c] += scaled * y[c];
        }
    }
}

// Row r of block k, weighed by a.
static void space_add_row(const velocity_space *s, int k, int r, double a)
{
    int first = s->first_side[k], count = s->first_side[k + 1] - first;
    for (int x = 0; x < count; ++x) {
        const double *own = s->side_Y[first + x] + SPACE_BODY * r;
        space_add_outer6(a, own, own, pawl_block_lu_diagonal(s->sparse, s->side_node[first + x]));
        for (int y = 0; y < x; ++y) {
            block_lu_place at = space_pair(s, k, x, y);
            const double *other = s->side_Y[first + y] + SPACE_BODY * r;
            const double *late = at.swapped ? other : own, *early = at.swapped ? own : other;
            space_add_outer6(a, late, early, at.lower);
            if (!s->symmetric) {
                space_add_outer6(a, late, early, at.upper);
            }
        }
    }
}

static bool space_is_zero(const double *S)
{
    for (int i = 0; i < 9; ++i) {
        if (S[i] != 0.0) {
            return false;
        }
    }
    return true;
}

// The identity on the diagonal is the kinetic energy, which keeps the matrix regular where no row
// acts. Open contacts have S = 0 and cost nothing.
PAWL_KERNEL static bool space_factor_sparse(velocity_space *s, const pawl_problem *p,
                                            const double *rows, const double *contacts)
{
    int first_contact = p->block_count - p->contact_count;
    s->planned =
        s->planned || pawl_block_lu_plan(s->sparse, s->node_count, s->edges, s->edge_count);
    if (!s->planned) {
        return false; // no memory
    }
    pawl_block_lu_clear(s->sparse, s->symmetric);
    for (int i = 0; i < s->node_count; ++i) {
        double *D = pawl_block_lu_diagonal(s->sparse, i);
        for (int r = 0; r < SPACE_BODY; ++r) {
            D[(SPACE_BODY + 1) * r] = 1.0;
        }
    }
    for (int k = 0; k < first_contact; ++k) {
        for (int r = 0; r < p->blocks[k].dim; ++r) {
            double weight = rows[p->blocks[k].first_row + r];
            if (weight != 0.0) {
                space_add_row(s, k, r, weight);
            }
        }
    }
    for (int k = first_contact; k < p->block_count; ++k, contacts += 9) {
        if (!space_is_zero(contacts)) { // open
            space_add_contact(s, k, contacts);
        }
    }
    return pawl_block_lu_factor(s->sparse, s->symmetric, p->delassus->team);
}

// H (n x n) = 1 + YT S Y, little more than the lower triangle where it is symmetric.
PAWL_KERNEL static void space_form_dense(const velocity_space *s, const pawl_problem *p,
                                         const double *rows, const double *contacts)
{
    int n = s->width, m = p->row_count, first = pawl_problem_contact_row(p, 0);
    double *weighed = s->weighed, *H = s->dense;
    for (int i = 0; i < first; ++i) {
        pawl_combine_kernel(s->dense_Y + i * n, 1, n, n, rows + i, weighed + i * n);
    }
    for (int i = first; i < m; ++i, contacts += 3) {
        const double *Y = s->dense_Y + (i - (i - first) % 3) * n;
        pawl_combine_kernel(Y, 3, n, n, contacts, weighed + i * n);
    }
    for (int r = 0; r < n; ++r, H += n) {
        int few = n < 4 ? n : 4, columns = r + 1 > few ? r + 1 : few;
        pawl_combine_kernel(weighed, m, n, s->symmetric ? columns : n, s->dense_YT + r * m, H);
        H[r] += 1.0;
    }
}

static bool space_factor_dense(velocity_space *s, const pawl_problem *p, const double *rows,
                               const double *contacts)
{
    space_form_dense(s, p, rows, contacts);
    if (s->symmetric) {
        return pawl_ldl_factor(s->dense, s->width, s->width, 0.0, NULL, s->inverse) == 0;
    }
    return pawl_lu_factor(s->dense, s->width, s->pivot);
}

// Symmetric: Cholesky or L D LT. Otherwise, with sliding contacts, LU with pivoting inside the
// blocks.
bool pawl_space_factor(velocity_space *s, const pawl_problem *p, const double *rows,
                       const double *contacts, bool symmetric)
{
    s->symmetric = symmetric;
    return s->sparse != NULL ? space_factor_sparse(s, p, rows, contacts)
                             : space_factor_dense(s, p, rows, contacts);
}

void pawl_space_solve(const velocity_space *s, double *x)
{
    if (s->sparse != NULL) {
        pawl_block_lu_solve(s->sparse, x);
    } else if (s->symmetric) {
        pawl_ldl_solve(s->dense, s->width, s->width, s->inverse, x);
    } else {
        pawl_lu_solve(s->dense, s->width, s->pivot, x);
    }
}
