// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Predicts whether a decreasing singular value reaches zero.
//
// A mechanism that passes near a singular position, but not through it, has a unique path there, determined by all of
// its rows with an error of delta / m^2 for the least singular value m; with a free direction it would leave that
// path. The singular value is the length of the vector w = J~T u. Orthogonal to the span of the other rows w changes
// by
//   w' = J~'T u - J~T x,   x such that that is least,
// so that the least length of w is m = |w| |w'_across| / |w'|, with w'_across the part of w' orthogonal to w. At a
// true singular position w' is parallel to w. Derivation: docs/derivations/weak-space.md, section 5.
#include "linalg/dense.h"
#include "problem/weak_space.h"
#include <math.h>
#include <string.h>

static const double outlook_near = 2.0; // times the zone, and what a step changes: more stays out
static const double outlook_turn = 0.5; // m over the singular value: above it there is no zone

static bool outlook_is_near(const weak_space *space, const weak_cluster *c)
{
    if (c->count != c->base || c->base >= c->total) {
        return false;
    }
    double next = c->sigma[c->base], change = c->last > 0.0 ? fabs(next - c->last) : 0.0;
    return next < outlook_near * (space->zone + change);
}

bool pawl_weak_is_near(weak_space *space)
{
    bool near = false;
    for (int i = 0; i < space->cluster_count; ++i) {
        weak_cluster *c = &space->clusters[i];
        c->turns_back = false;
        near = near || (space->zone > 0.0 && outlook_is_near(space, c));
    }
    return near;
}

// y += sign * J~T x over one block, with its rows in `values`.
static void outlook_add(const weak_cluster *c, const weak_block *b, const double *values,
                        const double *x, double sign, double *y)
{
    for (int r = 0; r < b->dim; ++r) {
        for (int k = 0; k < b->width; ++k) {
            y[c->local[b->columns + k]] += sign * x[b->first + r] * values[r * b->width + k];
        }
    }
}

// w' of the next direction, over `moment`, to c->ahead.
static void outlook_change(weak_cluster *c, pawl_delassus *d, double length, double moment)
{
    const double *u = c->u + c->base * c->n;
    double *later = c->raw + c->raw_count;
    memset(c->ahead, 0, (size_t)c->columns * sizeof *c->ahead);
    for (int i = 0; i < c->block_count; ++i) {
        const weak_block *b = &c->blocks[i];
        pawl_weak_fill_block(c, b, d, length, later);
        outlook_add(c, b, later, u, 1.0 / moment, c->ahead);
        outlook_add(c, b, c->values + b->values, u, -1.0 / moment, c->ahead);
    }
}

// Takes the span of the rows out of c->ahead, by the factor of J~ J~T.
static void outlook_leave_rows(weak_cluster *c)
{
    double *x = c->gathered;
    for (int i = 0; i < c->block_count; ++i) {
        const weak_block *b = &c->blocks[i];
        for (int r = 0; r < b->dim; ++r) {
            const double *row = c->values + b->values + r * b->width;
            double sum = 0.0;
            for (int k = 0; k < b->width; ++k) {
                sum += row[k] * c->ahead[c->local[b->columns + k]];
            }
            x[b->first + r] = sum;
        }
    }
    pawl_block_ldl_solve(c->gram, x);
    for (int i = 0; i < c->block_count; ++i) {
        const weak_block *b = &c->blocks[i];
        outlook_add(c, b, c->values + b->values, x, -1.0, c->ahead);
    }
}

// The number of relative degrees of freedom of the bodies of a cluster, or relative to the world if one of their
// joints is connected to it: such a joint acts on the velocities of only one body.
static int outlook_freedom(const weak_space *space, int cluster)
{
    enum { BODY = 6 };
    const weak_cluster *c = &space->clusters[cluster];
    const weak_part *part = &space->parts[c->part];
    int weak = c->base;
    bool held = false;
    for (int i = 0; i < c->block_count; ++i) {
        held = held || c->blocks[i].width <= BODY;
    }
    if (part->wide && cluster == part->first + part->count - 1) { // its loops have theirs
        for (int i = part->first; i < cluster; ++i) {
            weak += space->clusters[i].base;
        }
    }
    return c->columns - (c->n - weak) - (held ? 0 : BODY);
}

// With one degree of freedom there is only one path: inaccurate numbers displace it there by delta / m, and it
// returns. With more what is turned aside goes on elsewhere.
double pawl_weak_nearest(const weak_space *space)
{
    double nearest = INFINITY;
    for (int i = 0; space != NULL && i < space->cluster_count; ++i) {
        const weak_cluster *c = &space->clusters[i];
        bool falls = c->turns_back && c->count == c->base && c->sigma[c->base] < c->last &&
                     outlook_freedom(space, i) > 1;
        nearest = falls ? fmin(nearest, c->sigma[c->base]) : nearest;
    }
    return nearest;
}

void pawl_weak_look_ahead(weak_space *space, pawl_delassus *d, double moment, double step)
{
    for (int i = 0; i < space->cluster_count; ++i) {
        weak_cluster *c = &space->clusters[i];
        if (!outlook_is_near(space, c)) {
            continue;
        }
        const double *w = c->image + c->base * c->columns;
        outlook_change(c, d, space->parts[c->part].length, moment);
        double size = pawl_dot(w, w, c->columns);
        double along = pawl_dot(w, c->ahead, c->columns) / sqrt(size); // of the singular value
        outlook_leave_rows(c);
        double across = sqrt(pawl_dot(c->ahead, c->ahead, c->columns));
        bool passed = sqrt(size) < along * step; // it was zero, or next to it, within the last step
        c->turns_back = !((along < 0.0 || passed) && across <= outlook_turn * hypot(along, across));
    }
}
