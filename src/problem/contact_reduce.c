// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// From bodies' velocities to contacts alone. With v = M^-1 (H r + G l + f) and GT v + b = 0,
//   S l = -(b + GT M^-1 (H r + f)),   S = GT M^-1 G
//   u = HT v + w = W r + q
// Column by column: W_c is HT v for r = e_c, f = 0, b = 0, and q is HT v + w for r = 0.
// The symmetric parts of M and S are factored. Refinement accounts for their small antisymmetric parts (the
// gyroscopic terms of an implicit step) and for the loss of accuracy by redundant constraints.
#include "base/carver.h"
#include "base/guard.h"
#include "linalg/dense.h"
#include "linalg/sparse_ldl.h"
#include "linalg/sparse_rows.h"
#include "linalg/triplet_list.h"
#include "math/vec.h"
#include "problem/problem.h"
#include <string.h>

enum { REDUCE_REFINEMENTS = 30 };
static const double reduce_accuracy = 1e-14;    // of a solve, relative
static const double reduce_acceptable = 1e-9;   // what rounding and redundancy may leave
static const double reduce_pivot_floor = 1e-11; // constraints weaker than this are redundant

typedef struct contact_reduction {
    const pawl_contact_system_def *def;
    int n, p, m;                  // velocities, equality constraints, contact rows
    sparse_rows M, H, columns, G; // columns: HT, to have the columns of H
    sparse_ldl *ldl;
    double *symmetric;                 // (entries of M) its symmetric part
    double *S, *S_factor, *S_pivots;   // (p x p), (p x p), (p)
    double *v, *right, *residual;      // (n)
    double *l, *z, *z_residual, *step; // (p)
    double *u;                         // (m)
    void *block;
    size_t bytes;
} contact_reduction;

static pawl_status reduce_check_matrix(const pawl_env *env, const char *name,
                                       const pawl_triplets *t, int rows, int columns)
{
    if (t->rows != rows || t->columns != columns) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "%s is %d x %d, expected %d x %d", name, t->rows,
                         t->columns, rows, columns);
    }
    if (t->count < 0 ||
        (t->count > 0 && (t->row == NULL || t->column == NULL || t->value == NULL))) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "%s has %d entries, or got NULL for them", name,
                         t->count);
    }
    for (int e = 0; e < t->count; ++e) {
        if (t->row[e] < 0 || t->row[e] >= rows || t->column[e] < 0 || t->column[e] >= columns ||
            !isfinite(t->value[e])) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                             "entry %d of %s is %g at row %d, column %d of %d x %d", e, name,
                             t->value[e], t->row[e], t->column[e], rows, columns);
        }
    }
    return PAWL_OK;
}

static pawl_status reduce_check_vector(const pawl_env *env, const char *name, const double *x,
                                       int count)
{
    if (x == NULL) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "got NULL for %s, expected %d numbers", name,
                         count);
    }
    for (int i = 0; i < count; ++i) {
        if (!isfinite(x[i])) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "%s at row %d is %g", name, i, x[i]);
        }
    }
    return PAWL_OK;
}

// H (n x 3 contacts) and G (n x p) have one column per row of the constraints, M is (n x n).
static pawl_status reduce_check(const pawl_env *env, const pawl_contact_system_def *def)
{
    int n = def->velocity_count, p = def->equality_count, nc = def->contact_count;
    if (n < 1 || p < 0 || nc < 1 || nc > INT32_MAX / 9) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "%d velocities, %d equality constraints, %d contacts: too few or too many",
                         n, p, nc);
    }
    PAWL_TRY(reduce_check_matrix(env, "M", &def->M, n, n));
    PAWL_TRY(reduce_check_matrix(env, "H", &def->H, n, 3 * nc));
    PAWL_TRY(reduce_check_vector(env, "f", def->f, n));
    PAWL_TRY(reduce_check_vector(env, "w", def->w, 3 * nc));
    if (p > 0) {
        PAWL_TRY(reduce_check_matrix(env, "G", &def->G, n, p));
        PAWL_TRY(reduce_check_vector(env, "b", def->b, p));
    }
    return PAWL_OK;
}

static void reduce_layout(contact_reduction *s, pawl_carver *mem)
{
    size_t square = (size_t)s->p * (size_t)s->p;
    double **velocities[] = {&s->v, &s->right, &s->residual};
    double **equalities[] = {&s->S_pivots, &s->l, &s->z, &s->z_residual, &s->step};
    for (size_t i = 0; i < sizeof velocities / sizeof velocities[0]; ++i) {
        *velocities[i] = PAWL_CARVE(mem, double, s->n);
    }
    for (size_t i = 0; i < sizeof equalities / sizeof equalities[0]; ++i) {
        *equalities[i] = PAWL_CARVE(mem, double, s->p);
    }
    s->S = PAWL_CARVE(mem, double, square);
    s->S_factor = PAWL_CARVE(mem, double, square);
    s->u = PAWL_CARVE(mem, double, s->m);
    s->symmetric = PAWL_CARVE(mem, double, s->M.start[s->n]);
}

static double reduce_size(const double *x, int count)
{
    double size = 0.0;
    for (int i = 0; i < count; ++i) {
        size = max_of(size, fabs(x[i]));
    }
    return size;
}

// The symmetric part of M, and its factor.
static pawl_status reduce_factor_mass(const pawl_env *env, contact_reduction *s)
{
    const sparse_rows *M = &s->M;
    PAWL_TRY(pawl_sparse_ldl_create(env, s->n, M->start, M->column, &s->ldl));
    for (int i = 0; i < s->n; ++i) {
        for (int e = M->start[i]; e < M->start[i + 1]; ++e) {
            int j = M->column[e], lo = M->start[j], hi = M->start[j + 1];
            while (lo < hi) { // the mirror image is there
                int mid = lo + (hi - lo) / 2;
                lo = M->column[mid] < i ? mid + 1 : lo;
                hi = M->column[mid] < i ? hi : mid;
            }
            s->symmetric[e] = 0.5 * M->value[e] + 0.5 * M->value[lo];
            if (i == j && !(M->value[e] > 0.0)) {
                return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                                 "the diagonal of M at row %d is %g, expected a positive number", i,
                                 M->value[e]);
            }
        }
    }
    if (pawl_sparse_ldl_factor(s->ldl, s->symmetric, 1e-15) > 0) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "M is not positive definite");
    }
    return PAWL_OK;
}

// v = M^-1 right. False where refinement does not lead there.
// Refinement stops where the residual no longer halves. An M whose unsymmetric part is as large as
// the symmetric one makes it diverge, which is reported instead of a wrong W.
static bool reduce_solve_mass(contact_reduction *s)
{
    double goal = reduce_accuracy * reduce_size(s->right, s->n), last = INFINITY;
    memset(s->v, 0, (size_t)s->n * sizeof *s->v);
    memcpy(s->residual, s->right, (size_t)s->n * sizeof *s->right);
    for (int k = 0; k < REDUCE_REFINEMENTS; ++k) {
        pawl_sparse_ldl_solve(s->ldl, s->residual);
        for (int i = 0; i < s->n; ++i) {
            s->v[i] += s->residual[i];
        }
        pawl_sparse_rows_apply(&s->M, s->v, s->residual);
        for (int i = 0; i < s->n; ++i) {
            s->residual[i] = s->right[i] - s->residual[i];
        }
        double now = reduce_size(s->residual, s->n);
        if (now <= goal || now >= 0.5 * last) {
            last = now < last ? now : last;
            break;
        }
        last = now;
    }
    return last <= reduce_acceptable / reduce_accuracy * goal;
}

// l = -S^-1 z, as far as redundant constraints determine it. False for what contradicts itself.
static bool reduce_solve_equalities(contact_reduction *s)
{
    int p = s->p;
    double size = reduce_size(s->z, p), last = INFINITY;
    memset(s->l, 0, (size_t)p * sizeof *s->l);
    memcpy(s->z_residual, s->z, (size_t)p * sizeof *s->z);
    for (int k = 0; k < REDUCE_REFINEMENTS; ++k) {
        memcpy(s->step, s->z_residual, (size_t)p * sizeof *s->step);
        pawl_ldl_solve(s->S_factor, p, p, s->S_pivots, s->step);
        for (int i = 0; i < p; ++i) {
            s->l[i] -= s->step[i];
        }
        for (int i = 0; i < p; ++i) {
            s->z_residual[i] = s->z[i] + pawl_dot(s->S + (size_t)i * (size_t)p, s->l, p);
        }
        double now = reduce_size(s->z_residual, p);
        if (now <= reduce_accuracy * size || now >= 0.5 * last) {
            last = now < last ? now : last;
            break;
        }
        last = now;
    }
    return last <= reduce_acceptable * size;
}

// S is dense (p x p), one solve with M per column. Redundant constraints have pivots that are
// dropped.
static pawl_status reduce_factor_equalities(const pawl_env *env, contact_reduction *s)
{
    int p = s->p;
    for (int c = 0; c < p; ++c) {
        memset(s->step, 0, (size_t)p * sizeof *s->step);
        s->step[c] = 1.0;
        pawl_sparse_rows_apply(&s->G, s->step, s->right);
        if (!reduce_solve_mass(s)) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "M is too far from symmetric to be solved");
        }
        pawl_sparse_rows_apply_transposed(&s->G, s->v, s->z);
        for (int r = 0; r < p; ++r) {
            s->S[(size_t)r * (size_t)p + (size_t)c] = s->z[r];
        }
    }
    for (int r = 0; r < p; ++r) {
        for (int c = 0; c <= r; ++c) {
            size_t at = (size_t)r * (size_t)p + (size_t)c,
                   mirror = (size_t)c * (size_t)p + (size_t)r;
            s->S_factor[at] = 0.5 * s->S[at] + 0.5 * s->S[mirror];
        }
    }
    (void)pawl_ldl_factor(s->S_factor, p, p, reduce_pivot_floor, NULL, s->S_pivots);
    return PAWL_OK;
}

// v for the momenta in `right`, constraints kept with b (NULL: zero); then u = HT v.
static pawl_status reduce_velocity(const pawl_env *env, contact_reduction *s, const double *b)
{
    bool solved = reduce_solve_mass(s);
    if (solved && s->p > 0) {
        pawl_sparse_rows_apply_transposed(&s->G, s->v, s->z);
        for (int i = 0; i < s->p && b != NULL; ++i) {
            s->z[i] += b[i];
        }
        if (!reduce_solve_equalities(s)) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                             "the equality constraints GT v + b = 0 contradict each other");
        }
        pawl_sparse_rows_apply(&s->G, s->l, s->residual);
        for (int i = 0; i < s->n; ++i) {
            s->right[i] += s->residual[i];
        }
        solved = reduce_solve_mass(s);
    }
    if (!solved) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "M is too far from symmetric to be solved");
    }
    pawl_sparse_rows_apply_transposed(&s->H, s->v, s->u);
    return PAWL_OK;
}

// Entries that are exactly 0 are left out: contacts of separate mechanisms give a sparse W.
static pawl_status reduce_columns(const pawl_env *env, contact_reduction *s, triplet_list *W)
{
    for (int c = 0; c < s->m; ++c) {
        memset(s->right, 0, (size_t)s->n * sizeof *s->right);
        for (int e = s->columns.start[c]; e < s->columns.start[c + 1]; ++e) {
            s->right[s->columns.column[e]] = s->columns.value[e];
        }
        PAWL_TRY(reduce_velocity(env, s, NULL));
        for (int i = 0; i < s->m; ++i) {
            if (s->u[i] != 0.0 && !pawl_triplet_list_add(env, W, i, c, s->u[i])) {
                return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for W of %d rows", s->m);
            }
        }
    }
    return PAWL_OK;
}

static pawl_status reduce_make(const pawl_env *env, contact_reduction *s, triplet_list *W,
                               pawl_contact_problem **out)
{
    const pawl_contact_system_def *def = s->def;
    PAWL_TRY(pawl_sparse_rows_create(env, &def->M, SPARSE_ROWS_SYMMETRIC, &s->M));
    PAWL_TRY(pawl_sparse_rows_create(env, &def->H, SPARSE_ROWS_PLAIN, &s->H));
    PAWL_TRY(pawl_sparse_rows_create(env, &def->H, SPARSE_ROWS_TRANSPOSED, &s->columns));
    if (s->p > 0) {
        PAWL_TRY(pawl_sparse_rows_create(env, &def->G, SPARSE_ROWS_PLAIN, &s->G));
    }
    pawl_carver need = {0};
    reduce_layout(s, &need);
    s->bytes = need.used;
    s->block = pawl_alloc(env, need.used);
    if (s->block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "eliminating %d velocities needs %zu bytes", s->n,
                         need.used);
    }
    pawl_carver mem = {.base = s->block, .capacity = need.used};
    reduce_layout(s, &mem);
    PAWL_TRY(reduce_factor_mass(env, s));
    PAWL_TRY(reduce_factor_equalities(env, s));
    PAWL_TRY(reduce_columns(env, s, W));
    memcpy(s->right, def->f, (size_t)s->n * sizeof *def->f);
    PAWL_TRY(reduce_velocity(env, s, def->b));
    for (int i = 0; i < s->m; ++i) {
        s->u[i] += def->w[i];
    }
    pawl_contact_problem_def local = {def->contact_count, pawl_triplet_list_matrix(W, s->m, s->m),
                                      s->u, def->friction};
    return pawl_contact_problem_create(env, &local, out);
}

pawl_status pawl_contact_problem_reduce(const pawl_env *env, const pawl_contact_system_def *def,
                                        pawl_contact_problem **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, def);
    PAWL_NEED(env, out);
    *out = NULL;
    PAWL_TRY(reduce_check(env, def));
    contact_reduction s = {.def = def,
                           .n = def->velocity_count,
                           .p = def->equality_count,
                           .m = 3 * def->contact_count};
    triplet_list W = {0};
    pawl_status status = reduce_make(env, &s, &W, out);
    pawl_triplet_list_free(env, &W);
    pawl_sparse_ldl_destroy(s.ldl);
    pawl_sparse_rows_free(env, &s.M);
    pawl_sparse_rows_free(env, &s.H);
    pawl_sparse_rows_free(env, &s.columns);
    pawl_sparse_rows_free(env, &s.G);
    pawl_free(env, s.block, s.bytes);
    return status;
}
