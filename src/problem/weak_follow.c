// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The weak vectors at the present poses, by inverse iteration
//   u <- (J~ J~T + s)^-1 u,   u <- singular vectors of J~T in the span of u,
// from constant start vectors, so that the result is a function of the placement alone. Strong directions shrink by
// (sigma_w^2 + s) / sigma_s^2 each time, 1e-6 or less: one iteration is enough, and a second one is made if the first
// finds too large a singular value.
#include "linalg/dense.h"
#include "linalg/jacobi.h"
#include "problem/weak_space.h"
#include <math.h>
#include <string.h>

static const double weak_shift =
    1e-11; // s: the square root of what a singular value below counts as
static const double weak_rounding = 1e-14; // of a vector's length: less is no direction of its own
static const double weak_again = 3.0;      // times the tolerance: more than that is looked at again
static const double weak_near =
    4.0; // times the zone: directions that may enter it are found exactly
static const double weak_same = 0.5; // of a direction, squared: that much of it makes it another's
static const double weak_settled = 1e-5; // relative change of a singular value that is found
enum { WEAK_ITERATIONS = 4, WEAK_MOST_ITERATIONS = 32 };

// Rows of J, scaled as in weak_space.h, with rotations measured by arc lengths: an angle times the length of the
// mechanism, so that singular values have one unit.
void pawl_weak_fill_block(weak_cluster *c, const weak_block *b, pawl_delassus *d, double length,
                          double *values)
{
    d->ops->geometry(d, b->block, NULL, NULL, c->raw);
    for (int r = 0; r < b->dim; ++r) {
        const double *from = c->raw + c->own_row[b->first + r] * b->width;
        double *to = values + r * b->width;
        for (int k = 0; k < b->width; ++k) {
            to[k] =
                c->scale[b->first + r] * (c->turns[b->columns + k] ? from[k] / length : from[k]);
        }
    }
}

// One product of two blocks' scaled rows over columns that both have, into J~ J~T.
static void weak_multiply(const weak_cluster *c, const weak_product *p, double *out)
{
    for (int r = 0; r < p->row_dim; ++r) {
        const double *x = c->values + p->row_values + r * p->row_stride;
        int last = p->diagonal ? r + 1 : p->column_dim;
        for (int k = 0; k < last; ++k) {
            const double *y = c->values + p->column_values + k * p->column_stride;
            out[p->offset + r * p->offset_row + k * p->offset_column] += pawl_dot(x, y, p->length);
        }
    }
}

// J~ J~T + s over the rows of a cluster, factored. Without the shift the matrix is singular: that is what weak means.
void pawl_weak_place(weak_cluster *c, pawl_delassus *d, double length)
{
    double *gram = pawl_block_ldl_values(c->gram);
    memset(gram, 0, pawl_block_ldl_value_count(c->gram) * sizeof *gram);
    for (int i = 0; i < c->block_count; ++i) {
        pawl_weak_fill_block(c, &c->blocks[i], d, length, c->values + c->blocks[i].values);
    }
    for (int i = 0; i < c->product_count; ++i) {
        weak_multiply(c, &c->products[i], gram);
    }
    for (int i = 0; i < c->block_count; ++i) {
        block_slot slot = pawl_block_ldl_slot(c->gram, i, i);
        for (int r = 0; r < c->blocks[i].dim; ++r) {
            gram[slot.offset + r * (slot.stride + 1)] += weak_shift;
        }
    }
    pawl_block_ldl_factor(c->gram, 0.0);
}

// Moves vectors that are zero, because there are not enough rows, to the end. Returns the number of others.
static int weak_live(weak_cluster *c)
{
    int live = 0;
    size_t bytes = (size_t)c->n * sizeof *c->u;
    for (int k = 0; k < c->total; ++k) {
        const double *u = c->u + k * c->n;
        if (pawl_dot(u, u, c->n) > 0.0) {
            memmove(c->u + live * c->n, u, bytes);
            memmove(c->image + live * c->columns, c->image + k * c->columns,
                    (size_t)c->columns * sizeof *c->image);
            ++live;
        }
    }
    for (int k = live; k < c->total; ++k) {
        memset(c->u + k * c->n, 0, bytes);
        c->sigma[k] = INFINITY;
    }
    return live;
}

// Singular vectors and values within the span of u: the images J~T u are made orthogonal by rotations of the u (one-
// sided Jacobi), which finds small singular values to full relative accuracy; an eigensolver on J~ J~T would lose
// everything below sqrt(1e-16).
void pawl_weak_ritz(weak_cluster *c)
{
    memset(c->image, 0, (size_t)(c->total * c->columns) * sizeof *c->image);
    for (int k = 0; k < c->total; ++k) {
        double *image = c->image + k * c->columns;
        for (int i = 0; i < c->block_count; ++i) {
            const weak_block *b = &c->blocks[i];
            const double *u = c->u + k * c->n + b->first;
            for (int r = 0; r < b->dim; ++r) {
                const double *row = c->values + b->values + r * b->width;
                for (int j = 0; j < b->width; ++j) {
                    image[c->local[b->columns + j]] += u[r] * row[j];
                }
            }
        }
    }
    pawl_jacobi_rotate(weak_live(c), c->columns, c->image, c->n, c->u, c->sigma);
}

// How many vectors of a loop are taken out: all that are weak now of N^. For the other vectors of the mechanism only
// the vectors of the search are projected out: a direction that is temporarily free, in a singular position, is not
// weak, and a vector orthogonal to it and to the loops' own vectors need not be weak either, although the span of all
// of them is.
static int weak_taken(const weak_cluster *c, bool hats)
{
    return hats || c->count < c->base ? c->count : c->base;
}

// The Gram matrix of the loops' vectors, `hats` (N^) or u. Those that are not taken out stand for themselves.
static void weak_join_loops(const weak_space *space, weak_part *part, bool hats)
{
    if (part->gram == NULL) {
        return;
    }
    const weak_cluster *clusters = space->clusters + part->first;
    double *gram = pawl_block_ldl_values(part->gram);
    memset(gram, 0, pawl_block_ldl_value_count(part->gram) * sizeof *gram);
    for (int i = 0; i < part->count - part->wide; ++i) {
        block_slot slot = pawl_block_ldl_slot(part->gram, i, i);
        for (int k = 0; k < clusters[i].total; ++k) {
            gram[slot.offset + k * (slot.stride + 1)] = 1.0;
        }
    }
    for (int i = 0; i < part->overlap_count; ++i) {
        const weak_overlap *o = &part->overlaps[i];
        const weak_cluster *a = &clusters[o->a], *b = &clusters[o->b];
        const double *x = hats ? a->basis : a->u, *y = hats ? b->basis : b->u;
        block_slot slot = pawl_block_ldl_slot(part->gram, o->a, o->b);
        int row = slot.transposed ? 1 : slot.stride, column = slot.transposed ? slot.stride : 1;
        for (int k = 0; k < weak_taken(a, hats); ++k) {
            for (int l = 0; l < weak_taken(b, hats); ++l) {
                double sum = 0.0;
                for (int s = o->first; s < o->first + o->count; ++s) {
                    sum += x[k * a->n + part->shared[s].a] * y[l * b->n + part->shared[s].b];
                }
                gram[slot.offset + k * row + l * column] = sum;
            }
        }
    }
    pawl_block_ldl_factor(part->gram, 0.0);
}

// x (hard rows of the mechanism) less its part in the span of the loops' vectors.
static void weak_leave_loops(const weak_space *space, const weak_part *part, bool hats, double *x)
{
    const weak_cluster *clusters = space->clusters + part->first;
    double *at = part->coefficients;
    for (int i = 0; i < part->count - part->wide; ++i) {
        const weak_cluster *c = &clusters[i];
        for (int j = 0; j < c->n; ++j) {
            c->gathered[j] = x[c->hard_rows[j]];
        }
        for (int k = 0; k < c->total; ++k) {
            const double *v = (hats ? c->basis : c->u) + k * c->n;
            *at++ = k < weak_taken(c, hats) ? pawl_dot(v, c->gathered, c->n) : 0.0;
        }
    }
    if (part->gram != NULL) {
        pawl_block_ldl_solve(part->gram, part->coefficients);
    }
    at = part->coefficients;
    for (int i = 0; i < part->count - part->wide; ++i) {
        const weak_cluster *c = &clusters[i];
        for (int k = 0; k < c->total; ++k, ++at) {
            const double *v = (hats ? c->basis : c->u) + k * c->n;
            for (int j = 0; j < c->n && *at != 0.0; ++j) {
                x[c->hard_rows[j]] -= *at * v[j];
            }
        }
    }
}

// An orthonormal basis of the span of u, out of that of the loops where there are any.
static void weak_straighten(const weak_space *space, const weak_part *loops, weak_cluster *c)
{
    for (int k = 0; k < c->total && loops != NULL; ++k) {
        weak_leave_loops(space, loops, false, c->u + k * c->n);
    }
    pawl_orthonormalize(c->total, c->n, weak_rounding, c->u);
}

void pawl_weak_begin(weak_space *space, weak_part *loops, weak_cluster *c)
{
    if (loops == NULL) {
        return;
    }
    weak_join_loops(space, loops, false);
    weak_straighten(space, loops, c);
    // Where the loops leave fewer directions than there are vectors, the last ones are rounding that was
    // stretched to length 1. Done again, those lose most of it.
    for (int k = 0; k < c->total; ++k) {
        double *u = c->u + k * c->n;
        weak_leave_loops(space, loops, false, u);
        if (pawl_dot(u, u, c->n) < 0.25) {
            memset(u, 0, (size_t)c->n * sizeof *u);
        }
    }
    pawl_orthonormalize(c->total, c->n, 0.5, c->u);
}

void pawl_weak_iterate(const weak_space *space, const weak_part *loops, weak_cluster *c)
{
    for (int k = 0; k < c->total; ++k) {
        pawl_block_ldl_solve(c->gram, c->u + k * c->n);
    }
    weak_straighten(space, loops, c);
}

// The part of x (hard rows of the mechanism) in directions that loops leave out for the time, squared.
static double weak_in_zones(const weak_space *space, const weak_part *part, const double *x)
{
    const weak_cluster *clusters = space->clusters + part->first;
    double sum = 0.0;
    for (int i = 0; i < part->count - part->wide; ++i) {
        const weak_cluster *c = &clusters[i];
        for (int k = c->base; k < c->count; ++k) {
            double along = 0.0;
            for (int j = 0; j < c->n; ++j) {
                along += c->u[k * c->n + j] * x[c->hard_rows[j]];
            }
            sum += along * along;
        }
    }
    return sum;
}

// A direction that is temporarily free in a loop is also among the next directions of its mechanism, where it must
// not count again. It goes to the end.
static void weak_skip_zones(const weak_space *space, const weak_part *part, weak_cluster *c)
{
    for (int k = c->base, left = c->total - c->base; left > 0; --left) {
        double *u = c->u + k * c->n, *last = c->u + (c->total - 1) * c->n;
        if (!(c->sigma[k] < weak_near * space->zone) || weak_in_zones(space, part, u) < weak_same) {
            ++k;
            continue;
        }
        for (int j = 0; j < c->n; ++j) {
            double own = u[j];
            u[j] = last[j];
            last[j] = own;
        }
        c->sigma[k] = c->sigma[c->total - 1];
        c->sigma[c->total - 1] = INFINITY;
    }
}

// Starts from the same vectors each time. More iterations are made where a direction is close to
// entering the zone, so that the count does not depend on how far the iteration got.
static void weak_find(weak_space *space, weak_part *part, weak_cluster *c, bool wide,
                      pawl_delassus *d)
{
    weak_part *loops = wide ? part : NULL;
    pawl_weak_place(c, d, part->length);
    memcpy(c->u, c->start, (size_t)(c->total * c->n) * sizeof *c->u);
    pawl_weak_begin(space, loops, c);
    bool near = false;
    double last = INFINITY, next = INFINITY;
    for (int k = 0; k < WEAK_MOST_ITERATIONS; ++k) {
        pawl_weak_iterate(space, loops, c);
        pawl_weak_ritz(c);
        double largest = c->sigma[c->base - 1], before = next;
        next = c->base < c->total ? c->sigma[c->base] : INFINITY;
        near = near || next < weak_near * space->zone;
        bool found = largest <= weak_again * space->tolerance || !(largest <= 0.5 * last);
        bool settled = !near || before - next <= weak_settled * next;
        if (settled && (found || k + 1 >= WEAK_ITERATIONS)) {
            break;
        }
        last = largest;
    }
}

// In a singular position of only a loop its next direction z is in the span of the mechanism's weak vectors: no
// further direction becomes free. It counts as what it adds to them, z' = z less its part in that span, whose
// singular value is sigma / |z'| (J~T w ~ 0 for all w of the span). The span is that of all loops and of the wide
// cluster: hinges at different heights give z a moment that vectors of neighbouring loops have, too.
static void weak_discount(const weak_space *space, const weak_part *part, const weak_cluster *wide,
                          weak_cluster *c)
{
    double *left = wide->gathered;
    for (int k = c->base; k < c->total; ++k) {
        memset(left, 0, (size_t)wide->n * sizeof *left);
        for (int j = 0; j < c->n; ++j) {
            left[c->hard_rows[j]] = c->u[k * c->n + j];
        }
        weak_leave_loops(space, part, false, left);
        for (int l = 0; l < wide->base; ++l) { // orthogonal to the loops' vectors
            const double *w = wide->u + l * wide->n;
            double along = pawl_dot(w, left, wide->n);
            for (int j = 0; j < wide->n; ++j) {
                left[j] -= along * w[j];
            }
        }
        c->sigma[k] /= sqrt(fmax(pawl_dot(left, left, wide->n), weak_rounding));
    }
}

// Which vectors of a mechanism are weak now, all of its clusters being found.
static void weak_count_part(weak_space *space, weak_part *part)
{
    weak_cluster *clusters = space->clusters + part->first;
    int loops = part->count - part->wide;
    if (!(space->zone > 0.0)) {
        return;
    }
    for (int i = 0; i < loops && part->wide; ++i) {
        weak_discount(space, part, &clusters[loops], &clusters[i]);
    }
    for (int i = 0; i < loops; ++i) {
        pawl_weak_count(space, &clusters[i]);
    }
    if (part->wide) {
        weak_skip_zones(space, part, &clusters[loops]);
        pawl_weak_count(space, &clusters[loops]);
    }
}

// N^ of a cluster, from the diagonal of D over the rows that `diagonal` has from `first` on.
// u is in the scaling of geometry, the basis N^ in that of impulses: rows are multiplied by the
// root of their diagonal of D. The vectors must be made orthonormal again after that.
static void weak_set_basis(weak_space *space, weak_part *part, weak_cluster *c, bool wide,
                           int first, const double *diagonal)
{
    for (int i = 0; i < c->n; ++i) {
        c->root[i] = sqrt(diagonal[first < 0 ? c->rows[i] : first + c->part_rows[i]]);
    }
    for (int k = 0; k < c->count; ++k) {
        const double *u = c->u + k * c->n;
        double *basis = c->basis + k * c->n;
        for (int i = 0; i < c->n; ++i) {
            basis[i] = c->root[i] * c->scale[i] * u[i];
        }
        if (wide) {
            weak_leave_loops(space, part, true, basis);
        }
    }
    pawl_orthonormalize(c->count, c->n, weak_rounding, c->basis);
}

// Nothing is done where the placement is the one of the last call. Loops come before the wide
// cluster, whose vectors are made orthogonal to theirs.
static void weak_follow_part(weak_space *space, weak_part *part, int first, const pawl_problem *p,
                             bool *measured)
{
    if (part->count == 0 || (part->key == p->place_key && p->place_key != 0)) {
        return;
    }
    part->key = p->place_key;
    pawl_delassus *d = p->delassus;
    if (!*measured) {
        if (d->ops->sizes != NULL) {
            d->ops->sizes(d, d->weak.scratch);
        } else {
            d->ops->diagonal(d, 0, d->weak.scratch);
        }
        *measured = true;
    }
    int loops = part->count - part->wide;
    for (int i = 0; i < part->count; ++i) {
        weak_find(space, part, &space->clusters[part->first + i], i == loops, d);
    }
    weak_count_part(space, part);
    for (int i = 0; i < loops; ++i) {
        weak_set_basis(space, part, &space->clusters[part->first + i], false, first,
                       d->weak.scratch);
    }
    weak_join_loops(space, part, true);
    if (part->wide) {
        weak_set_basis(space, part, &space->clusters[part->first + loops], true, first,
                       d->weak.scratch);
    }
}

void pawl_weak_follow(const pawl_problem *p)
{
    const weak_view *view = &p->delassus->weak;
    bool measured = false;
    if (view->parts == NULL) {
        for (int i = 0; i < view->space->part_count; ++i) {
            weak_follow_part(view->space, &view->space->parts[i], -1, p, &measured);
        }
        return;
    }
    for (int i = 0; i < view->part_count; ++i) {
        problem_part at = view->parts[i];
        weak_follow_part(view->space, &view->space->parts[at.part], at.first_row, p, &measured);
    }
}
