// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Captures the contact problem of a step as a matrix for FCLib files: free rows are eliminated
// exactly (W is the Schur complement), bounded rows are fixed at the impulses that they have.
#include "solve/contact_capture.h"
#include "linalg/triplet_list.h"
#include "problem/eliminate.h"
#include <string.h>

static const double capture_accuracy = 1e-14; // of the elimination, relative
// A row that the joints constrain (out of the plane of a planar linkage) leaves noise: relative to its entry before
// the elimination it is this small, and counts as zero.
static const double capture_still = 1e-11;

typedef struct capture_work {
    eliminator eliminate;
    double *x, *y, *q; // (rows)
    bool *still;       // (rows) of contacts: held by the joints
} capture_work;

static void capture_layout(capture_work *w, int rows, pawl_carver *mem)
{
    w->eliminate = pawl_eliminator_layout(rows, 0, mem);
    w->x = PAWL_CARVE(mem, double, rows);
    w->y = PAWL_CARVE(mem, double, rows);
    w->q = PAWL_CARVE(mem, double, rows);
    w->still = PAWL_CARVE(mem, bool, rows);
}

// y = D x with impulses of the free rows (x comes with none) that bring D x + start to zero there.
static void capture_velocity(capture_work *w, const pawl_problem *p, const double *start)
{
    pawl_delassus *d = p->delassus;
    int n = p->free_row_count;
    d->ops->apply(d, w->x, w->y);
    if (n == 0) {
        return;
    }
    double *b = w->eliminate.right;
    for (int i = 0; i < n; ++i) {
        b[i] = -(w->y[i] + (start != NULL ? start[i] : 0.0));
    }
    (void)pawl_eliminate_solve(&w->eliminate, p, b, capture_accuracy, w->x);
    d->ops->apply(d, w->x, w->y);
}

// W = D_cc - D_cf D_ff^-1 D_fc + R, column by column: a unit impulse at a contact row, joints answered by the
// elimination. Rows and columns of contacts that joints constrain are set to zero; otherwise noise would look like a
// very light body.
static pawl_status capture_columns(const pawl_env *env, capture_work *w, const pawl_problem *p,
                                   triplet_list *W)
{
    int first = pawl_problem_contact_row(p, 0), m = 3 * p->contact_count;
    size_t bytes = (size_t)p->row_count * sizeof *w->x;
    pawl_delassus *d = p->delassus;
    d->ops->diagonal(d, p->block_count - p->contact_count, w->q); // before the elimination
    for (int c = 0; c < m; ++c) {
        memset(w->x, 0, bytes);
        w->x[first + c] = 1.0;
        capture_velocity(w, p, NULL);
        double softness = p->compliance[first + c];
        w->y[first + c] += softness;
        w->still[c] = w->y[first + c] <= capture_still * (w->q[first + c] + softness);
        for (int i = 0; i < m; ++i) {
            if (w->y[first + i] != 0.0 && !pawl_triplet_list_add(env, W, i, c, w->y[first + i])) {
                return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for W of %d rows", m);
            }
        }
    }
    for (int e = 0; e < W->value.count; ++e) {
        if (w->still[PAWL_ITEM(W->row, int, e)] || w->still[PAWL_ITEM(W->column, int, e)]) {
            PAWL_ITEM(W->value, double, e) = 0.0;
        }
    }
    return PAWL_OK;
}

// q: velocities of the contacts without contact impulses, with joints closed and bounded rows at the impulses of
// the answer.
static pawl_status capture_make(const pawl_env *env, capture_work *w, const pawl_problem *p,
                                const double *lambda, triplet_list *W, pawl_contact_problem **out)
{
    int first = pawl_problem_contact_row(p, 0), m = 3 * p->contact_count;
    PAWL_TRY(capture_columns(env, w, p, W));
    memset(w->x, 0, (size_t)p->row_count * sizeof *w->x);
    for (int i = p->free_row_count; i < first; ++i) {
        w->x[i] = lambda[i];
    }
    capture_velocity(w, p, p->v_f);
    for (int i = 0; i < m; ++i) {
        w->q[i] = p->v_f[first + i] + w->y[first + i];
    }
    pawl_contact_problem_def def = {p->contact_count, pawl_triplet_list_matrix(W, m, m), w->q,
                                    p->friction};
    return pawl_contact_problem_create(env, &def, out);
}

static pawl_status capture_problem(const pawl_env *env, contact_capture *capture,
                                   const pawl_problem *p, const double *lambda)
{
    capture_work w;
    pawl_carver need = {0};
    capture_layout(&w, p->row_count, &need);
    char *block = pawl_alloc(env, need.used);
    capture->r_bytes = 3 * (size_t)p->contact_count * sizeof *capture->r;
    capture->r = pawl_alloc(env, capture->r_bytes);
    pawl_status status = PAWL_NO_MEMORY;
    if (block != NULL && capture->r != NULL) {
        pawl_carver mem = {.base = block, .capacity = need.used};
        triplet_list W = {0};
        capture_layout(&w, p->row_count, &mem);
        status = capture_make(env, &w, p, lambda, &W, &capture->problem);
        pawl_triplet_list_free(env, &W);
        memcpy(capture->r, lambda + pawl_problem_contact_row(p, 0), capture->r_bytes);
    }
    pawl_free(env, block, need.used);
    return status;
}

// Called with the problem of a step and its answer lambda (rows). capture->r (3 x contacts) gets the contact
// impulses, fixed_rows the number of bounded rows that are frozen.
pawl_status pawl_contact_capture_take(const pawl_env *env, contact_capture *capture,
                                      const pawl_problem *p, double regularization,
                                      const double *lambda)
{
    pawl_contact_capture_drop(env, capture);
    if (p->contact_count == 0) {
        return PAWL_OK;
    }
    if (p->free_row_count > 0) {
        pawl_eliminate_factor(p, regularization);
    }
    capture->fixed_rows = pawl_problem_contact_row(p, 0) - p->free_row_count;
    pawl_status status = capture_problem(env, capture, p, lambda);
    if (status != PAWL_OK) {
        pawl_contact_capture_drop(env, capture);
        return PAWL_FAIL(env, status, "the contact problem of the step cannot be stored");
    }
    return PAWL_OK;
}

void pawl_contact_capture_drop(const pawl_env *env, contact_capture *capture)
{
    pawl_contact_problem_destroy(capture->problem);
    pawl_free(env, capture->r, capture->r_bytes);
    *capture = (contact_capture){.wanted = capture->wanted};
}
