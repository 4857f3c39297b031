// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// With a shift s over all rows, through a matrix of the size of the coordinates (Woodbury):
//   (Y YT + s)^-1 = s^-1 - s^-1 Y (1 + YT s^-1 Y)^-1 YT s^-1.
//
// The operator in reduced coordinates, D = Y YT with Y = J X B d^-1/2 and H^-1 = B d^-1 BT
// (coordinates/reduced_form.c). Rows of Y are sparse: they have the columns on the paths of the
// row's bodies to the root. All rows of a block have the same columns. Joints of the tree are no
// rows, so the free rows are those of loops and springs.
#include "coordinates/reduced_delassus.h"
#include "base/carver.h"
#include "coordinates/reduced_eliminate.h"
#include "linalg/dense.h"
#include "problem/matrix_free.h"
#include <string.h>

// Dense factors beyond this are slower than conjugate gradients, and larger than memory before long.
enum { REDUCED_FACTOR_MOST = 2000 };

typedef struct reduced_delassus {
    pawl_delassus base; // first, so that a pawl_delassus * is also one of these
    pawl_env env;
    size_t bytes;
    const pawl_assembly *a;
    reduced_form *form; // of its rows
    pawl_delassus_kind kind;
    double *z, *swept;                 // (nv) YT x of the product and of the sweep at work
    reduced_eliminator eliminate;      // of the free rows
    int expected;                      // of these repeat others
    double *shifted, *shifted_inverse; // (nv x nv), (nv)
    double *size;                      // (max rows) of rows with weak ones among them
    double *inverse_shift, *right;     // (max rows) s^-1, and scratch
    double *contact_inverse_shift;     // (9 x max contacts) where contacts have blocks
    bool has_blocks;
    matrix_free free_rows, shifted_free; // where nothing is factored
} reduced_delassus;

static const reduced_form *reduced_form_of(const reduced_delassus *d)
{
    return d->form;
}

// A row of Y with its columns.
typedef struct reduced_row {
    int count;
    const int *columns;
    const double *y;
} reduced_row;

// Rows of Y are `width` apart, with as many entries as their block has columns.
static reduced_row reduced_row_of(const reduced_delassus *d, int block, int row)
{
    const reduced_form *f = reduced_form_of(d);
    const double *y = pawl_reduced_form_block_rows(d->form, d->a, block);
    return (reduced_row){f->column_count[block], f->columns + block * f->width,
                         y + (row - d->a->blocks[block].rows.first_row) * f->width};
}

static double reduced_row_times(reduced_row row, const double *z)
{
    double sum = 0.0;
    for (int n = 0; n < row.count; ++n) {
        sum += row.y[n] * z[row.columns[n]];
    }
    return sum;
}

static void reduced_row_add(reduced_row row, double x, double *z)
{
    for (int n = 0; n < row.count; ++n) {
        z[row.columns[n]] += x * row.y[n];
    }
}

// z = YT x over the first blocks
// z (nv) has generalized velocities scaled so that the kinetic energy is |z|^2 / 2.
static void reduced_gather(const reduced_delassus *d, int blocks, const double *x, double *z)
{
    memset(z, 0, (size_t)reduced_form_of(d)->tree->column_count * sizeof *z);
    for (int k = 0; k < blocks; ++k) {
        problem_block b = d->a->blocks[k].rows;
        for (int r = b.first_row; r < b.first_row + b.dim; ++r) {
            reduced_row_add(reduced_row_of(d, k, r), x[r], z);
        }
    }
}

// y = Y z over the blocks from `first` on.
static void reduced_scatter(const reduced_delassus *d, int first, int blocks, const double *z,
                            double *y)
{
    for (int k = first; k < blocks; ++k) {
        problem_block b = d->a->blocks[k].rows;
        for (int r = b.first_row; r < b.first_row + b.dim; ++r) {
            y[r] = reduced_row_times(reduced_row_of(d, k, r), z);
        }
    }
}

// D x = Y (YT x): the product passes through the coordinates and never forms D.
static void reduced_apply(pawl_delassus *base, const double *x, double *y)
{
    reduced_delassus *d = (reduced_delassus *)base;
    int blocks = d->a->problem.block_count;
    reduced_gather(d, blocks, x, d->z);
    reduced_scatter(d, 0, blocks, d->z, y);
}

static void reduced_diagonal(pawl_delassus *base, int first_block, double *out)
{
    reduced_delassus *d = (reduced_delassus *)base;
    for (int k = first_block; k < d->a->problem.block_count; ++k) {
        problem_block b = d->a->blocks[k].rows;
        for (int r = b.first_row; r < b.first_row + b.dim; ++r) {
            reduced_row row = reduced_row_of(d, k, r);
            out[r] = pawl_dot(row.y, row.y, row.count);
        }
    }
}

// Rows of one block have equal columns: plain products.
static void reduced_block(pawl_delassus *base, int block, double *out)
{
    reduced_delassus *d = (reduced_delassus *)base;
    problem_block b = d->a->blocks[block].rows;
    for (int r = 0; r < b.dim; ++r) {
        reduced_row x = reduced_row_of(d, block, b.first_row + r);
        for (int c = 0; c < b.dim; ++c) {
            reduced_row y = reduced_row_of(d, block, b.first_row + c);
            out[r * b.dim + c] = pawl_dot(x.y, y.y, x.count);
        }
    }
}

static int reduced_geometry(pawl_delassus *base, int block, int *columns, bool *turns,
                            double *values)
{
    reduced_delassus *d = (reduced_delassus *)base;
    return pawl_reduced_form_geometry(d->form, d->a, block, columns, turns, values);
}

// Out-of-plane rows of a planar mechanism from a file with few digits cause almost no motion. Relative to their own
// diagonal they would have almost no weight, and the rows that they contradict would be violated in their favour.
static void reduced_sizes(pawl_delassus *base, double *out)
{
    reduced_delassus *d = (reduced_delassus *)base;
    for (int k = 0; k < d->a->problem.free_block_count; ++k) {
        const row_block *b = &d->a->blocks[k];
        for (int r = 0; r < b->rows.dim; ++r) {
            out[b->rows.first_row + r] = pawl_reduced_form_size(d->a, b, r);
        }
    }
}

// Gauss-Seidel keeps z = YT x up to date: the velocity of a block is y_b z, and a change of its impulses adds yT dx.
// A sweep costs the nonzeros of Y, not of D.
static void reduced_sweep_begin(pawl_delassus *base, const double *x)
{
    reduced_delassus *d = (reduced_delassus *)base;
    reduced_gather(d, d->a->problem.block_count, x, d->swept);
}

static void reduced_sweep_velocity(pawl_delassus *base, int block, double *out)
{
    reduced_delassus *d = (reduced_delassus *)base;
    problem_block b = d->a->blocks[block].rows;
    for (int r = 0; r < b.dim; ++r) {
        out[r] = reduced_row_times(reduced_row_of(d, block, b.first_row + r), d->swept);
    }
}

static void reduced_sweep_add(pawl_delassus *base, int block, const double *dx)
{
    reduced_delassus *d = (reduced_delassus *)base;
    problem_block b = d->a->blocks[block].rows;
    for (int r = 0; r < b.dim; ++r) {
        reduced_row_add(reduced_row_of(d, block, b.first_row + r), dx[r], d->swept);
    }
}

// ---- the free rows -----------------------------------------------------------------------------

// Without a factor: the free rows by conjugate gradients, with the same shift.
static void reduced_set_free(reduced_delassus *d, const double *compliance, double shift,
                             const double *size)
{
    const pawl_problem *p = &d->a->problem;
    double *sigma = d->free_rows.sigma;
    for (int k = 0; k < p->free_block_count; ++k) {
        problem_block b = d->a->blocks[k].rows;
        for (int r = b.first_row; r < b.first_row + b.dim; ++r) {
            reduced_row row = reduced_row_of(d, k, r);
            double own = pawl_dot(row.y, row.y, row.count) + compliance[r];
            sigma[r] = compliance[r] + shift * (size == NULL ? own : size[r] + compliance[r]);
        }
    }
    pawl_matrix_free_set(&d->free_rows, p, p->free_block_count, sigma, NULL);
}

// Redundant rows are dropped where that is exact. Else the shift is relative to the rows' sizes where they may repeat
// each other, weak or not: the projection of a redundant row on the coordinates may be rounding, and a fraction of
// that would not be a shift.
static int reduced_factor(pawl_delassus *base, const double *compliance, double shift)
{
    reduced_delassus *d = (reduced_delassus *)base;
    const double *size = NULL;
    if (base->weak.space != NULL || base->maybe_singular) {
        reduced_sizes(base, d->size);
        size = d->size;
    }
    if (d->kind == PAWL_DELASSUS_MATRIX_FREE) {
        reduced_set_free(d, compliance, shift, size);
        return 0;
    }
    bool drops = base->maybe_singular && base->drops_redundant && base->weak.space == NULL;
    int dropped = pawl_reduced_eliminator_factor(&d->eliminate, compliance, size, shift,
                                                 drops ? d->expected : -1);
    base->dropped = drops && d->eliminate.dropped;
    base->direct = d->eliminate.exact;
    return dropped;
}

static void reduced_solve(pawl_delassus *base, double *x)
{
    reduced_delassus *d = (reduced_delassus *)base;
    if (d->kind == PAWL_DELASSUS_MATRIX_FREE) {
        (void)pawl_matrix_free_solve(&d->free_rows, x);
        return;
    }
    pawl_reduced_eliminator_solve(&d->eliminate, x);
}

static void reduced_condense(pawl_delassus *base, const pawl_problem *p, double *S, double *size)
{
    pawl_reduced_eliminator_condense(&((reduced_delassus *)base)->eliminate, p, S, size);
}

static void reduced_condensed_velocity(pawl_delassus *base, const pawl_problem *p, double *lambda,
                                       double *v)
{
    pawl_reduced_eliminator_velocity(&((reduced_delassus *)base)->eliminate, p, lambda, v);
}

static void reduced_recover(pawl_delassus *base, const pawl_problem *p, double *lambda)
{
    pawl_reduced_eliminator_recover(&((reduced_delassus *)base)->eliminate, p, lambda);
}

void pawl_reduced_delassus_expect(pawl_delassus *delassus, int redundant)
{
    ((reduced_delassus *)delassus)->expected = redundant;
}

// ---- all rows, shifted -------------------------------------------------------------------------

// x becomes s^-1 x
static void reduced_apply_inverse_shift(const reduced_delassus *d, double *x)
{
    const pawl_problem *p = &d->a->problem;
    int others = d->has_blocks ? pawl_problem_contact_row(p, 0) : p->row_count;
    for (int r = 0; r < others; ++r) {
        x[r] *= d->inverse_shift[r];
    }
    const double *s = d->contact_inverse_shift;
    for (int r = others; r < p->row_count; r += 3, s += 9) {
        double y[3] = {x[r], x[r + 1], x[r + 2]};
        for (int i = 0; i < 3; ++i) {
            x[r + i] = s[3 * i] * y[0] + s[3 * i + 1] * y[1] + s[3 * i + 2] * y[2];
        }
    }
}

// Adds y_r s_rc y_cT, the part of a pair of rows, to the lower triangle.
// Both rows belong to one block, hence equal columns in ascending order: j <= i is the lower
// triangle.
static void reduced_add_pair(reduced_delassus *d, reduced_row x, reduced_row y, double s)
{
    size_t nv = (size_t)reduced_form_of(d)->tree->column_count;
    for (int i = 0; i < x.count; ++i) {
        double *line = d->shifted + (size_t)x.columns[i] * nv;
        double scaled = s * x.y[i];
        for (int j = 0; j <= i; ++j) {
            line[y.columns[j]] += scaled * y.y[j];
        }
    }
}

// sigma > 0 for all rows; blocks of contacts replace it where they are given.
static void reduced_set_inverse_shift(reduced_delassus *d, const double *sigma,
                                      const double *contacts)
{
    const pawl_problem *p = &d->a->problem;
    for (int r = 0; r < p->row_count; ++r) {
        d->inverse_shift[r] = 1.0 / sigma[r];
    }
    d->has_blocks = contacts != NULL;
    for (int k = 0; contacts != NULL && k < p->contact_count; ++k) {
        pawl_mat3 s;
        memcpy(s.m, contacts + 9 * k, sizeof s.m);
        pawl_mat3 inverse = m3_inverse(&s);
        memcpy(d->contact_inverse_shift + 9 * k, inverse.m, sizeof inverse.m);
    }
}

// 1 + YT s^-1 Y has the size of the coordinates and is positive definite for any shift s > 0, so it needs no
// pivoting, however redundant the rows are.
static bool reduced_factor_shifted(pawl_delassus *base, const double *sigma, const double *contacts)
{
    reduced_delassus *d = (reduced_delassus *)base;
    const pawl_problem *p = &d->a->problem;
    int nv = reduced_form_of(d)->tree->column_count;
    if (d->kind == PAWL_DELASSUS_MATRIX_FREE) {
        pawl_matrix_free_set(&d->shifted_free, p, p->block_count, sigma, contacts);
        return true;
    }
    reduced_set_inverse_shift(d, sigma, contacts);
    memset(d->shifted, 0, (size_t)nv * (size_t)nv * sizeof *d->shifted);
    for (int i = 0; i < nv; ++i) {
        d->shifted[(size_t)i * (size_t)(nv + 1)] = 1.0;
    }
    int first_contact = p->block_count - p->contact_count;
    for (int k = 0; k < p->block_count; ++k) {
        problem_block b = d->a->blocks[k].rows;
        bool full = d->has_blocks && k >= first_contact;
        const double *s = d->contact_inverse_shift + 9 * (k - first_contact);
        for (int r = 0; r < b.dim; ++r) {
            reduced_row x = reduced_row_of(d, k, b.first_row + r);
            for (int c = full ? 0 : r; c < (full ? 3 : r + 1); ++c) {
                reduced_add_pair(d, x, reduced_row_of(d, k, b.first_row + c),
                                 full ? s[3 * r + c] : d->inverse_shift[b.first_row + r]);
            }
        }
    }
    pawl_ldl_factor(d->shifted, nv, nv, 0.0, NULL, d->shifted_inverse);
    return true;
}

// K = 1 + YT s^-1 Y.
static void reduced_solve_shifted(pawl_delassus *base, double *x)
{
    reduced_delassus *d = (reduced_delassus *)base;
    if (d->kind == PAWL_DELASSUS_MATRIX_FREE) {
        (void)pawl_matrix_free_solve(&d->shifted_free, x);
        return;
    }
    int nv = reduced_form_of(d)->tree->column_count, blocks = d->a->problem.block_count;
    // x - s^-1 (...) with s^-1 x first would cancel: s^-1 (x - Y K^-1 YT s^-1 x) is the same
    memcpy(d->right, x, (size_t)d->a->problem.row_count * sizeof *x);
    reduced_apply_inverse_shift(d, x);
    reduced_gather(d, blocks, x, d->z);
    pawl_ldl_solve(d->shifted, nv, nv, d->shifted_inverse, d->z);
    reduced_scatter(d, 0, blocks, d->z, x);
    for (int r = 0; r < d->a->problem.row_count; ++r) {
        x[r] = d->right[r] - x[r];
    }
    reduced_apply_inverse_shift(d, x);
}

static const pawl_delassus_ops reduced_delassus_ops = {
    .apply = reduced_apply,
    .diagonal = reduced_diagonal,
    .block = reduced_block,
    .sweep_begin = reduced_sweep_begin,
    .sweep_velocity = reduced_sweep_velocity,
    .sweep_add = reduced_sweep_add,
    .factor = reduced_factor,
    .solve = reduced_solve,
    .condense = reduced_condense,
    .condensed_velocity = reduced_condensed_velocity,
    .recover = reduced_recover,
    .factor_shifted = reduced_factor_shifted,
    .solve_shifted = reduced_solve_shifted,
    .geometry = reduced_geometry,
    .sizes = reduced_sizes,
};

static reduced_delassus *reduced_layout(const pawl_assembly *a, reduced_form *form,
                                        pawl_delassus_kind kind, pawl_carver *mem)
{
    size_t nv = (size_t)form->tree->column_count;
    bool factors = kind != PAWL_DELASSUS_MATRIX_FREE;
    reduced_delassus *out = PAWL_CARVE(mem, reduced_delassus, 1);
    reduced_delassus d = {.a = a, .form = form, .kind = kind};
    d.z = PAWL_CARVE(mem, double, nv);
    d.swept = PAWL_CARVE(mem, double, nv);
    d.size = PAWL_CARVE(mem, double, a->max_rows);
    d.base.weak.scratch = PAWL_CARVE(mem, double, 2 * a->max_rows + 1);
    if (factors) {
        d.eliminate = pawl_reduced_eliminator_layout(a, form, mem);
        d.shifted = PAWL_CARVE(mem, double, nv *nv);
        d.shifted_inverse = PAWL_CARVE(mem, double, nv);
        d.inverse_shift = PAWL_CARVE(mem, double, a->max_rows);
        d.right = PAWL_CARVE(mem, double, a->max_rows);
        d.contact_inverse_shift = PAWL_CARVE(mem, double, 9 * a->max_contacts);
    } else {
        d.free_rows = pawl_matrix_free_layout(a->max_rows, 0, false, mem);
        d.shifted_free = pawl_matrix_free_layout(a->max_rows, a->max_contacts, true, mem);
    }
    if (out != NULL) {
        *out = d;
    }
    return out;
}

// The factors are dense, n^2 and nv^2 numbers; with AUTO large models use conjugate gradients.
pawl_status pawl_reduced_delassus_create(const pawl_env *env, const pawl_assembly *a,
                                         reduced_form *form, pawl_delassus_kind kind,
                                         pawl_delassus **out)
{
    *out = NULL;
    bool many =
        a->free_rows > REDUCED_FACTOR_MOST || form->tree->column_count > REDUCED_FACTOR_MOST;
    kind = kind == PAWL_DELASSUS_AUTO && many ? PAWL_DELASSUS_MATRIX_FREE : kind;
    pawl_carver need = {0};
    reduced_layout(a, form, kind, &need);
    char *block = pawl_alloc(env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY,
                         "the Delassus operator of '%s' in reduced coordinates needs %zu bytes",
                         a->model->name, need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    reduced_delassus *d = reduced_layout(a, form, kind, &mem);
    d->base.ops = &reduced_delassus_ops;
    if (kind != PAWL_DELASSUS_MATRIX_FREE) {
        pawl_reduced_eliminator_plan(&d->eliminate);
    }
    d->base.maybe_singular = a->has_loops;
    d->base.halves = kind != PAWL_DELASSUS_MATRIX_FREE;
    d->env = *env;
    d->bytes = need.used;
    *out = &d->base;
    return PAWL_OK;
}

void pawl_reduced_delassus_destroy(pawl_delassus *delassus)
{
    if (delassus != NULL) {
        reduced_delassus *d = (reduced_delassus *)delassus;
        pawl_env env = d->env;
        pawl_free(&env, d, d->bytes);
    }
}
