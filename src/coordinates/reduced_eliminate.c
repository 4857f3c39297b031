// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// See reduced_eliminate.h. Rows of Y' are stored over all columns of the tree, which are few where factors are dense,
// so that products of two rows are plain sums up to the last column that either has.
#include "coordinates/reduced_eliminate.h"
#include "base/kernel.h"
#include "linalg/dense.h"
#include <math.h>
#include <string.h>

// More than this times the inertia of its column, and the impulse of a row would lose digits: it stays a row.
static const double eliminate_stiffest = 1e4;
static const double eliminate_nothing = 1e-18; // less than this changes no digit
static const double eliminate_dependent =
    1e-11; // pivots of rows that repeat others, of the row alone
static const double eliminate_rounding = 1e-14;
static const double eliminate_far = 1e-6;    // kept pivots, of what was there before elimination
static const double eliminate_still = 1e-11; // of a row's own D: less is rounding

reduced_eliminator pawl_reduced_eliminator_layout(const pawl_assembly *a, reduced_form *form,
                                                  pawl_carver *mem)
{
    const reduced_tree *t = form->tree;
    size_t n = (size_t)a->free_rows, nv = (size_t)t->column_count, rows = (size_t)a->max_rows;
    reduced_eliminator e = {.a = a, .form = form};
    e.column = PAWL_CARVE(mem, int, n);
    e.worn = PAWL_CARVE(mem, bool, n);
    e.row = PAWL_CARVE(mem, int, n);
    e.factor = pawl_articulated_factor_carve(t, mem);
    e.added = PAWL_CARVE(mem, double, nv);
    e.Y = PAWL_CARVE(mem, double, rows *nv);
    e.end = PAWL_CARVE(mem, int, rows);
    e.A = PAWL_CARVE(mem, double, n *n);
    e.inverse = PAWL_CARVE(mem, double, n);
    e.diagonal = PAWL_CARVE(mem, double, n);
    e.size = PAWL_CARVE(mem, double, n);
    e.tau = PAWL_CARVE(mem, double, nv);
    e.z = PAWL_CARVE(mem, double, nv);
    e.rate = PAWL_CARVE(mem, double, nv);
    e.right = PAWL_CARVE(mem, double, n);
    e.compliance = PAWL_CARVE(mem, double, n);
    e.half = PAWL_CARVE(mem, double, (rows - n) * n);
    return e;
}

// The column of a hinge, a slider or a screw of the tree is its coordinate. Chains of several columns are left out:
// angles of a universal joint are not all rates of columns.
void pawl_reduced_eliminator_plan(reduced_eliminator *e)
{
    const reduced_tree *t = e->form->tree;
    for (int r = 0; r < e->a->free_rows; ++r) {
        e->column[r] = -1;
        int coordinate = e->a->rows[r].coordinate;
        bool soft = e->a->rows[r].family->law != NULL;
        for (int k = 0; k < t->column_count && coordinate >= 0 && soft; ++k) {
            bool alone = t->links[t->columns[k].link].column_count == 1;
            if (alone && t->columns[k].coordinate == coordinate) {
                e->column[r] = k;
            }
        }
    }
    for (int k = 0; k < e->a->free_blocks; ++k) {
        problem_block b = e->a->blocks[k].rows;
        e->form->waits_on[k] = b.dim == 1 ? e->column[b.first_row] : -1;
    }
}

static int eliminate_columns_of(const reduced_eliminator *e)
{
    return e->form->tree->column_count;
}

static double *eliminate_row(const reduced_eliminator *e, int row)
{
    return e->Y + (size_t)row * (size_t)eliminate_columns_of(e);
}

// Decides which rows are inertias, and articulates with them.
static void eliminate_wear(reduced_eliminator *e, const double *compliance)
{
    int nv = eliminate_columns_of(e);
    const articulated_factor *plain = &e->form->plain;
    e->count = 0;
    e->stiff = false;
    memset(e->added, 0, (size_t)nv * sizeof *e->added);
    for (int r = 0; r < e->a->free_rows; ++r) {
        int k = e->column[r];
        double own = k < 0 || !(compliance[r] > 0.0) ? INFINITY : 1.0 / compliance[r];
        e->worn[r] = k >= 0 && own * plain->inverse[k] <= eliminate_stiffest;
        if (!e->worn[r]) {
            e->row[e->count++] = r;
            continue;
        }
        e->added[k] += own;
        e->stiff = e->stiff || e->added[k] * plain->inverse[k] > eliminate_nothing;
    }
    if (e->stiff) {
        pawl_reduced_articulate(e->form->motion, e->added, &e->factor);
    }
}

static const articulated_factor *eliminate_factor_of(const reduced_eliminator *e)
{
    return e->stiff ? &e->factor : &e->form->plain;
}

// Y' of all rows of a block. Rows that nothing moves stay 0.
static void eliminate_fill_block(reduced_eliminator *e, int block)
{
    int nv = eliminate_columns_of(e), count = e->form->column_count[block];
    const int *columns = e->form->columns + block * e->form->width;
    problem_block b = e->a->blocks[block].rows;
    double *first = eliminate_row(e, b.first_row);
    int end = count > 0 ? columns[count - 1] + 1 : 0;
    memset(first, 0, (size_t)b.dim * (size_t)nv * sizeof *first);
    for (int r = b.first_row; r < b.first_row + b.dim; ++r) {
        e->end[r] = end;
    }
    if (e->stiff) {
        pawl_reduced_form_rows(e->form, &e->factor, e->a, block, nv, true, first);
    } else {
        const double *y = pawl_reduced_form_block_rows(e->form, e->a, block);
        for (int r = 0; r < b.dim; ++r, y += e->form->width) {
            for (int n = 0; n < count; ++n) {
                first[r * nv + columns[n]] = y[n];
            }
        }
    }
    for (int r = 0; r < b.dim; ++r) {
        if (e->form->lost[b.first_row + r] > 0.0) {
            e->end[b.first_row + r] = 0;
        }
    }
}

// y_r . y_c
PAWL_KERNEL_PART double eliminate_product(const reduced_eliminator *e, int r, int c)
{
    int end = e->end[r] < e->end[c] ? e->end[r] : e->end[c];
    return pawl_dot(eliminate_row(e, r), eliminate_row(e, c), end);
}

PAWL_KERNEL static void eliminate_form(reduced_eliminator *e)
{
    for (int i = 0; i < e->count; ++i) {
        for (int j = 0; j <= i; ++j) {
            e->A[i * e->count + j] = eliminate_product(e, e->row[i], e->row[j]);
        }
    }
}

// The least pivot that was kept, of the entry that it was before elimination.
static double eliminate_least(const reduced_eliminator *e)
{
    double least = 1.0;
    for (int i = 0; i < e->count; ++i) {
        if (e->inverse[i] != 0.0) {
            least = fmin(least, 1.0 / (e->inverse[i] * e->diagonal[i]));
        }
    }
    return least;
}

int pawl_reduced_eliminator_factor(reduced_eliminator *e, const double *compliance,
                                   const double *size, double shift, int expected)
{
    memcpy(e->compliance, compliance, (size_t)e->a->free_rows * sizeof *compliance);
    eliminate_wear(e, compliance);
    e->exact = true;
    e->dropped = false;
    e->filled = 0;
    if (e->count == 0) {
        return 0;
    }
    for (int k = 0; k < e->a->free_blocks; ++k) {
        problem_block b = e->a->blocks[k].rows;
        bool any = false;
        for (int r = b.first_row; r < b.first_row + b.dim; ++r) {
            any = any || !e->worn[r];
        }
        if (any) {
            eliminate_fill_block(e, k);
        }
    }
    int n = e->count, lost = 0;
    for (int attempt = expected >= 0 ? 0 : 1; attempt < 2; ++attempt) {
        eliminate_form(e);
        lost = 0;
        for (int i = 0; i < n; ++i) {
            int r = e->row[i];
            double *own = &e->A[i * (n + 1)];
            lost += e->form->lost[r] > 0.0;
            *own += compliance[r];
            e->diagonal[i] = *own;
            e->size[i] = fmax(size == NULL ? *own : size[r] + compliance[r], *own);
            *own += attempt == 0 ? 0.0 : shift * (size == NULL ? *own : size[r] + compliance[r]);
        }
        double floor = attempt == 0 ? eliminate_dependent : eliminate_rounding;
        int dropped =
            pawl_ldl_factor(e->A, n, n, floor, attempt == 0 ? e->size : e->diagonal, e->inverse);
        double least = eliminate_least(e);
        e->exact = least > eliminate_far && least <= 1.0;
        e->dropped = attempt == 0 && e->exact && dropped + lost == expected;
        if (attempt == 1 || e->dropped) {
            return dropped;
        }
    }
    return 0;
}

// z += Y'T x over rows from `first` on
PAWL_KERNEL static void eliminate_gather(reduced_eliminator *e, const int *rows, int first,
                                         int count, const double *x)
{
    for (int i = 0; i < count; ++i) {
        int r = rows == NULL ? first + i : rows[i];
        const double *y = eliminate_row(e, r);
        for (int k = 0; k < e->end[r]; ++k) {
            e->z[k] += x[i] * y[k];
        }
    }
}

// With the generalized forces tau of eliminated rows and z of other impulses: the impulses x of the rows g for which
// their velocities are `right` - R x, and z including them.
static void eliminate_answer(reduced_eliminator *e, double *x)
{
    for (int i = 0; i < e->count; ++i) {
        int r = e->row[i];
        x[i] = e->right[i] - pawl_dot(eliminate_row(e, r), e->z, e->end[r]);
    }
    pawl_ldl_solve(e->A, e->count, e->count, e->inverse, x);
    eliminate_gather(e, e->row, 0, e->count, x);
}

// z += d'^-1/2 B'T tau
static void eliminate_push(reduced_eliminator *e)
{
    const articulated_factor *f = eliminate_factor_of(e);
    memset(e->form->wrench, 0, (size_t)e->form->tree->link_count * sizeof *e->form->wrench);
    pawl_reduced_articulated_forces(e->form->motion, f, e->tau, e->form->wrench, e->rate);
    for (int k = 0; k < eliminate_columns_of(e); ++k) {
        e->z[k] += f->root[k] * e->rate[k];
    }
}

// Solves for the free rows that are to have velocities b (free rows) beside what z has already; x may be b.
static void eliminate_run(reduced_eliminator *e, const double *b, double *x)
{
    const reduced_tree *t = e->form->tree;
    const double *compliance = e->compliance;
    double *own = e->diagonal; // free rows g: their order; not needed after the factor
    if (e->stiff) {
        memset(e->tau, 0, (size_t)t->column_count * sizeof *e->tau);
        for (int r = 0; r < e->a->free_rows; ++r) {
            if (e->worn[r]) {
                e->tau[e->column[r]] += b[r] / compliance[r];
            }
        }
        eliminate_push(e);
    }
    for (int i = 0; i < e->count; ++i) {
        e->right[i] = b[e->row[i]];
    }
    eliminate_answer(e, own);
    // Also for rows so soft that they have no effect: the judge uses their c lambda.
    if (e->count < e->a->free_rows) {
        const articulated_factor *f = eliminate_factor_of(e);
        for (int k = 0; k < t->column_count; ++k) {
            e->rate[k] = f->root[k] * e->z[k];
        }
        pawl_reduced_articulated_rates(e->form->motion, f, e->rate, e->rate, e->form->wrench);
    }
    for (int r = 0; r < e->a->free_rows; ++r) {
        if (e->worn[r]) {
            x[r] = (b[r] - e->rate[e->column[r]]) / compliance[r];
        }
    }
    for (int i = 0; i < e->count; ++i) {
        x[e->row[i]] = own[i];
    }
}

static void eliminate_clear(reduced_eliminator *e)
{
    memset(e->z, 0, (size_t)eliminate_columns_of(e) * sizeof *e->z);
}

void pawl_reduced_eliminator_solve(reduced_eliminator *e, double *x)
{
    eliminate_clear(e);
    eliminate_run(e, x, x);
}

// Lower triangle first, then the other by symmetry.
PAWL_KERNEL static void eliminate_schur(reduced_eliminator *e, int n, int m, double *S)
{
    int g = e->count;
    for (int i = 0; i < m; ++i) {
        double *z = e->half + i * g;
        for (int j = 0; j < g; ++j) {
            z[j] = eliminate_product(e, e->row[j], n + i);
        }
        pawl_ldl_half_solve(e->A, g, g, e->inverse, z);
        for (int j = 0; j <= i; ++j) {
            double s = eliminate_product(e, n + i, n + j) - pawl_dot(z, e->half + j * g, g);
            S[i * m + j] = S[j * m + i] = s;
        }
    }
}

// Y' of the rows that are not free, unless they are there already.
static void eliminate_fill(reduced_eliminator *e, const pawl_problem *p)
{
    if (p->matrix_key != 0 && e->filled == p->matrix_key) {
        return;
    }
    for (int k = p->free_block_count; k < p->block_count; ++k) {
        eliminate_fill_block(e, k);
    }
    e->filled = p->matrix_key;
}

// A row that the free rows hold still gets a 0 on the diagonal, which marks it.
void pawl_reduced_eliminator_condense(reduced_eliminator *e, const pawl_problem *p, double *S,
                                      double *size)
{
    int n = p->free_row_count, m = p->row_count - n;
    eliminate_fill(e, p);
    for (int k = p->free_block_count; k < p->block_count; ++k) {
        problem_block b = p->blocks[k];
        for (int r = b.first_row; r < b.first_row + b.dim; ++r) {
            size[r - n] = pawl_reduced_form_diagonal(e->form, e->a, k, r) + p->compliance[r];
        }
    }
    eliminate_schur(e, n, m, S);
    for (int i = 0; i < m; ++i) {
        double *own = &S[i * (m + 1)];
        *own += p->compliance[n + i];
        *own = *own <= eliminate_still * size[i] ? 0.0 : *own;
    }
}

// v_b - D_bf (D + R)_ff^-1 v_f = v_b + Y'_b z with z of the free rows' own impulses.
void pawl_reduced_eliminator_velocity(reduced_eliminator *e, const pawl_problem *p, double *lambda,
                                      double *v)
{
    int n = p->free_row_count, m = p->row_count - n;
    for (int r = 0; r < n; ++r) {
        lambda[r] = -p->v_f[r];
    }
    eliminate_fill(e, p);
    pawl_reduced_eliminator_solve(e, lambda);
    for (int i = 0; i < m; ++i) {
        v[i] = p->v_f[n + i] + pawl_dot(eliminate_row(e, n + i), e->z, e->end[n + i]);
    }
}

void pawl_reduced_eliminator_recover(reduced_eliminator *e, const pawl_problem *p, double *lambda)
{
    int n = p->free_row_count;
    eliminate_fill(e, p);
    eliminate_clear(e);
    eliminate_gather(e, NULL, n, p->row_count - n, lambda + n);
    for (int r = 0; r < n; ++r) {
        lambda[r] = -p->v_f[r];
    }
    eliminate_run(e, lambda, lambda);
}
