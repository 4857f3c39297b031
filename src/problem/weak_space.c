// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The projectors Q and QT. Vectors of one cluster are orthonormal; those of loops that share a joint are
// not, so that N^+ = (N^T N^)^-1 N^T with a Gram matrix that is sparse over the loops.
//
// The weak space N is spanned by combinations of rows that are redundant except for the rounding of the model file.
// Impulses along it are not applied, and velocities along it are not errors: both are projected with 1 - N N+
// (docs/derivations/weak-space.md). A cluster is a loop, or a group of loops, with its own vectors. A `wide` cluster,
// the last of a mechanism, contains the vectors that belong to no single loop.
#include "problem/weak_space.h"
#include "linalg/dense.h"
#include "math/numbers.h"
#include "math/vec.h"
#include <math.h>
#include <string.h>

void pawl_weak_space_destroy(weak_space *space)
{
    if (space == NULL) {
        return;
    }
    pawl_env env = space->env;
    for (int i = 0; i < space->cluster_count; ++i) {
        pawl_block_ldl_destroy(space->clusters[i].gram);
        pawl_free(&env, space->clusters[i].memory, space->clusters[i].bytes);
    }
    for (int i = 0; i < space->part_count; ++i) {
        pawl_block_ldl_destroy(space->parts[i].gram);
        pawl_free(&env, space->parts[i].memory, space->parts[i].bytes);
    }
    pawl_free(&env, space->clusters, (size_t)space->cluster_count * sizeof *space->clusters);
    pawl_free(&env, space->parts, (size_t)space->part_count * sizeof *space->parts);
    pawl_free(&env, space, sizeof *space);
}

// How many free rows are redundant: `base` vectors of each cluster were weak at the start; those that a zone adds for
// a while do not count.
int pawl_weak_space_dimension(const weak_space *space)
{
    int dimension = 0;
    for (int i = 0; space != NULL && i < space->cluster_count; ++i) {
        dimension += space->clusters[i].base;
    }
    return dimension;
}

double pawl_weak_space_largest(const weak_space *space)
{
    double largest = 0.0;
    for (int i = 0; space != NULL && i < space->cluster_count; ++i) {
        largest = max_of(largest, space->clusters[i].sigma[space->clusters[i].base - 1]);
    }
    return largest;
}

// Keys say for which placement the vectors were last updated; 0 is none.
void pawl_weak_space_forget(weak_space *space)
{
    for (int i = 0; space != NULL && i < space->part_count; ++i) {
        space->parts[i].key = 0;
    }
}

// Where the rows of a cluster are in a vector: all free rows, or those of a mechanism from `first` on.
typedef struct weak_rows {
    const int *rows;
    int first;
} weak_rows;

static weak_rows weak_rows_of(const weak_cluster *c, int first)
{
    return first < 0 ? (weak_rows){c->rows, 0} : (weak_rows){c->part_rows, first};
}

// Coefficients of x along the weak vectors. Velocities are divided by the roots of the rows' sizes and impulses
// multiplied by them: in these units a metre and a radian of a row have equal weight, and the projectors of
// velocities and impulses are transposes of each other.
static void weak_measure(weak_cluster *c, weak_rows at, bool impulses, const double *x,
                         double *coefficients)
{
    for (int i = 0; i < c->n; ++i) {
        double v = x[at.first + at.rows[i]];
        c->gathered[i] = impulses ? v * c->root[i] : v / c->root[i];
    }
    for (int k = 0; k < c->total; ++k) {
        coefficients[k] = k < c->count ? pawl_dot(c->basis + k * c->n, c->gathered, c->n) : 0.0;
    }
}

// Removes from x the part that the coefficients stand for.
static void weak_take(const weak_cluster *c, weak_rows at, bool impulses,
                      const double *coefficients, double *x)
{
    for (int i = 0; i < c->n; ++i) {
        double sum = 0.0;
        for (int k = 0; k < c->count; ++k) {
            sum += coefficients[k] * c->basis[k * c->n + i];
        }
        x[at.first + at.rows[i]] -= impulses ? sum / c->root[i] : sum * c->root[i];
    }
}

// The rows of one mechanism; `first` as in weak_rows_of().
// Loops first and together, through their Gram matrix, because they may share joints; then the wide
// cluster.
static void weak_project_part(const weak_space *space, const weak_part *part, int first,
                              bool impulses, double *x)
{
    weak_cluster *clusters = space->clusters + part->first;
    int loops = part->count - part->wide;
    double *at = part->coefficients;
    for (int i = 0; i < loops; ++i) {
        weak_measure(&clusters[i], weak_rows_of(&clusters[i], first), impulses, x, at);
        at += clusters[i].total;
    }
    if (part->gram != NULL) {
        pawl_block_ldl_solve(part->gram, part->coefficients);
    }
    at = part->coefficients;
    for (int i = 0; i < loops; ++i) {
        weak_take(&clusters[i], weak_rows_of(&clusters[i], first), impulses, at, x);
        at += clusters[i].total;
    }
    if (part->wide) { // its vectors are orthogonal to the others
        weak_cluster *wide = &clusters[loops];
        weak_measure(wide, weak_rows_of(wide, first), impulses, x, at);
        weak_take(wide, weak_rows_of(wide, first), impulses, at, x);
    }
}

static void weak_project(const pawl_problem *p, bool impulses, double *x)
{
    const weak_view *view = &p->delassus->weak;
    if (view->parts == NULL) {
        for (int i = 0; i < view->space->part_count; ++i) {
            weak_project_part(view->space, &view->space->parts[i], -1, impulses, x);
        }
        return;
    }
    for (int i = 0; i < view->part_count; ++i) {
        problem_part at = view->parts[i];
        weak_project_part(view->space, &view->space->parts[at.part], at.first_row, impulses, x);
    }
}

void pawl_weak_velocities(const pawl_problem *p, double *v)
{
    weak_project(p, false, v);
}

void pawl_weak_impulses(const pawl_problem *p, double *x)
{
    weak_project(p, true, x);
}

// The largest velocity of the rows that counts as an error, and in *apart the largest part of v that the weak space
// excuses.
double pawl_weak_largest(const pawl_problem *p, const double *v, double *apart)
{
    int n = p->free_row_count;
    double worst = 0.0;
    *apart = 0.0;
    if (n == 0 || !pawl_is_weak(p)) {
        worst = pawl_numbers_largest(v, n);
        for (int i = isnan(worst) ? 0 : n; i < n; ++i) { // infinite, or none
            worst = i == 0 ? fabs(v[i]) : worst_of(worst, fabs(v[i]));
        }
        return worst;
    }
    double *consistent = p->delassus->weak.scratch;
    memcpy(consistent, v, (size_t)n * sizeof *consistent);
    pawl_weak_velocities(p, consistent);
    for (int i = 0; i < n; ++i) {
        worst = worst_of(worst, fabs(consistent[i]));
        *apart = worst_of(*apart, fabs(v[i] - consistent[i]));
    }
    return worst;
}

// The factor's shift eps must be large against n^T D n^ of weak vectors (a = 1): otherwise P^-1 would constrain them,
// which refinement would have to remove again.
static double weak_shift_for(const pawl_problem *p, const weak_space *space)
{
    const double margin = 100.0, most = 1e-4;
    pawl_delassus *d = p->delassus;
    double sigma = pawl_weak_space_largest(space); // what it is without masses, in other positions
    double shift = margin * sigma * sigma, *x = d->weak.scratch, *y = x + p->row_count;
    for (int i = 0; i < space->cluster_count; ++i) {
        const weak_cluster *c = &space->clusters[i];
        for (int k = 0; k < c->base; ++k) {
            memset(x, 0, (size_t)p->row_count * sizeof *x);
            for (int r = 0; r < c->n; ++r) {
                x[c->rows[r]] = c->basis[k * c->n + r] / c->root[r];
            }
            d->ops->apply(d, x, y);
            shift = max_of(shift, margin * pawl_dot(x, y, p->free_row_count));
        }
    }
    return fmin(shift, most);
}

// space NULL: every row counts. The factor at hand becomes void, because its shift may change.
void pawl_weak_attach(const pawl_problem *p, weak_space *space)
{
    pawl_delassus *d = p->delassus;
    d->weak.space = space;
    d->factored = 0;
    if (space == NULL) {
        return;
    }
    pawl_weak_space_forget(space);
    pawl_weak_follow(p);
    space->shift = weak_shift_for(p, space);
    space->length = INFINITY;
    for (int i = 0; i < space->part_count; ++i) {
        if (space->parts[i].count > 0) {
            space->length = fmin(space->length, space->parts[i].length);
        }
    }
}
