// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Problems of FCLib, whose signs are also those of pawl:
//   local:  u = W r + V l + q,  VT r + R l + s = 0
//   global: M v = H r + G l + f,  GT v + b = 0,  u = HT v + w
// with u and r of a contact in the order normal, tangent, tangent; see docs/contact-problems.md.
#include "base/guard.h"
#include "fclib/fclib_file.h"
#include <limits.h>
#include <stdio.h>

// The rows of q and of an answer, in our order.
static void fclib_reorder(const double *from, int contacts, double *to)
{
    for (int i = 0; i < 3 * contacts; ++i) {
        to[fclib_row(i)] = from[i];
    }
}

static void fclib_reorder_index(int *index, int count)
{
    for (int e = 0; e < count; ++e) {
        index[e] = fclib_row(index[e]);
    }
}

static pawl_status fclib_check_dimension(const fclib_file *f, const char *name)
{
    int dimension;
    PAWL_TRY(pawl_fclib_int(f, name, &dimension));
    if (dimension == 2) {
        return PAWL_FAIL(f->env, PAWL_UNSUPPORTED, "%s: %s: is 2, a planar problem; expected 3",
                         f->path, name);
    }
    return dimension == 3 ? PAWL_OK : pawl_fclib_fail(f, name, "is %d, expected 3", dimension);
}

static pawl_status fclib_reals_reordered(const fclib_file *f, const char *name, int contacts,
                                         double **out)
{
    double *stored;
    size_t bytes = (size_t)(3 * contacts) * sizeof **out;
    PAWL_TRY(pawl_fclib_reals(f, name, 3 * contacts, &stored));
    *out = pawl_alloc(f->env, bytes);
    if (*out != NULL) {
        fclib_reorder(stored, contacts, *out);
    }
    pawl_free(f->env, stored, bytes);
    return *out != NULL ? PAWL_OK
                        : PAWL_FAIL(f->env, PAWL_NO_MEMORY, "%s: %s: no memory", f->path, name);
}

// The reason why a problem was refused is in the log; this adds whose it was.
static pawl_status fclib_refused(const fclib_file *f, const char *group, pawl_status status)
{
    return status == PAWL_BAD_ARGUMENT ? pawl_fclib_fail(f, group, "is not a well-posed problem")
                                       : status;
}

static pawl_status fclib_local_from(const fclib_file *f, fclib_matrix *W,
                                    pawl_contact_problem **out)
{
    int rows = W->entries.rows;
    if (rows < 3 || rows % 3 != 0 || W->entries.columns != rows) {
        return pawl_fclib_fail(f, "/fclib_local/W",
                               "is %d x %d, expected a square matrix with 3 rows a contact", rows,
                               W->entries.columns);
    }
    int contacts = rows / 3;
    double *q = NULL, *friction = NULL;
    fclib_reorder_index(W->row, W->entries.count);
    fclib_reorder_index(W->column, W->entries.count);
    pawl_status status = fclib_reals_reordered(f, "/fclib_local/vectors/q", contacts, &q);
    if (status == PAWL_OK) {
        status = pawl_fclib_reals(f, "/fclib_local/vectors/mu", contacts, &friction);
    }
    if (status == PAWL_OK) {
        pawl_contact_problem_def def = {contacts, W->entries, q, friction};
        status = fclib_refused(f, "/fclib_local", pawl_contact_problem_create(f->env, &def, out));
    }
    pawl_free(f->env, q, (size_t)rows * sizeof *q);
    pawl_free(f->env, friction, (size_t)contacts * sizeof *friction);
    return status;
}

static pawl_status fclib_local(const fclib_file *f, pawl_contact_problem **out)
{
    PAWL_TRY(fclib_check_dimension(f, "/fclib_local/spacedim"));
    if (pawl_fclib_has(f, "/fclib_local/V") || pawl_fclib_has(f, "/fclib_local/R")) {
        return PAWL_FAIL(f->env, PAWL_UNSUPPORTED,
                         "%s: /fclib_local/V: equality constraints in the local form", f->path);
    }
    fclib_matrix W;
    PAWL_TRY(pawl_fclib_matrix(f, "/fclib_local/W", &W));
    pawl_status status = fclib_local_from(f, &W, out);
    pawl_fclib_matrix_free(f, &W);
    return status;
}

// The parts of a global problem, in pawl's order of contact rows.
typedef struct fclib_global_parts {
    fclib_matrix M, H, G;
    double *f, *w, *b, *friction;
} fclib_global_parts;

static pawl_status fclib_global_read(const fclib_file *f, fclib_global_parts *g)
{
    PAWL_TRY(fclib_check_dimension(f, "/fclib_global/spacedim"));
    PAWL_TRY(pawl_fclib_matrix(f, "/fclib_global/M", &g->M));
    PAWL_TRY(pawl_fclib_matrix(f, "/fclib_global/H", &g->H));
    int n = g->M.entries.rows, columns = g->H.entries.columns;
    if (n < 1 || g->M.entries.columns != n) {
        return pawl_fclib_fail(f, "/fclib_global/M", "is %d x %d, expected a square matrix", n,
                               g->M.entries.columns);
    }
    if (columns < 3 || columns % 3 != 0 || g->H.entries.rows != n) {
        return pawl_fclib_fail(f, "/fclib_global/H",
                               "is %d x %d, expected %d rows and 3 columns a contact",
                               g->H.entries.rows, columns, n);
    }
    if (pawl_fclib_has(f, "/fclib_global/G")) {
        PAWL_TRY(pawl_fclib_matrix(f, "/fclib_global/G", &g->G));
        if (g->G.entries.rows != n) {
            return pawl_fclib_fail(f, "/fclib_global/G", "is %d x %d, expected %d rows",
                                   g->G.entries.rows, g->G.entries.columns, n);
        }
    }
    if (g->G.entries.columns > 0) {
        PAWL_TRY(pawl_fclib_reals(f, "/fclib_global/vectors/b", g->G.entries.columns, &g->b));
    }
    PAWL_TRY(pawl_fclib_reals(f, "/fclib_global/vectors/f", n, &g->f));
    PAWL_TRY(fclib_reals_reordered(f, "/fclib_global/vectors/w", columns / 3, &g->w));
    fclib_reorder_index(g->H.column, g->H.entries.count);
    return pawl_fclib_reals(f, "/fclib_global/vectors/mu", columns / 3, &g->friction);
}

static pawl_status fclib_global(const fclib_file *f, pawl_contact_problem **out)
{
    fclib_global_parts g = {0};
    pawl_status status = fclib_global_read(f, &g);
    int n = g.M.entries.rows, columns = g.H.entries.columns, p = g.G.entries.columns;
    if (status == PAWL_OK) {
        pawl_contact_system_def def = {.velocity_count = n,
                                       .equality_count = p,
                                       .contact_count = columns / 3,
                                       .M = g.M.entries,
                                       .H = g.H.entries,
                                       .G = g.G.entries,
                                       .f = g.f,
                                       .w = g.w,
                                       .b = g.b,
                                       .friction = g.friction};
        status = fclib_refused(f, "/fclib_global", pawl_contact_problem_reduce(f->env, &def, out));
    }
    pawl_free(f->env, g.f, (size_t)n * sizeof *g.f);
    pawl_free(f->env, g.w, (size_t)columns * sizeof *g.w);
    pawl_free(f->env, g.b, (size_t)p * sizeof *g.b);
    pawl_free(f->env, g.friction, (size_t)(columns / 3) * sizeof *g.friction);
    pawl_fclib_matrix_free(f, &g.M);
    pawl_fclib_matrix_free(f, &g.H);
    pawl_fclib_matrix_free(f, &g.G);
    return status;
}

pawl_status pawl_fclib_read(const pawl_env *env, const char *path, pawl_contact_problem **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, path);
    PAWL_NEED(env, out);
    *out = NULL;
    fclib_file f;
    pawl_status status = pawl_fclib_open(env, path, &f);
    if (status == PAWL_OK) {
        if (pawl_fclib_has(&f, "/fclib_local")) {
            status = fclib_local(&f, out);
        } else if (pawl_fclib_has(&f, "/fclib_global")) {
            status = fclib_global(&f, out);
        } else {
            status = pawl_fclib_fail(
                &f, "/", "has neither fclib_local nor fclib_global, nor samples of pawl");
        }
        pawl_fclib_close(&f);
    }
    return status;
}

static pawl_status fclib_answer(const fclib_file *f, const char *name, int contacts, double *r,
                                bool *found)
{
    *found = pawl_fclib_has(f, name);
    if (!*found) {
        return PAWL_OK;
    }
    double *stored;
    PAWL_TRY(pawl_fclib_reals(f, name, 3 * contacts, &stored));
    fclib_reorder(stored, contacts, r);
    pawl_free(f->env, stored, (size_t)(3 * contacts) * sizeof *stored);
    return PAWL_OK;
}

pawl_status pawl_fclib_read_answer(const pawl_env *env, const char *path, int guess,
                                   int contact_count, double *r, bool *found)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, path);
    PAWL_NEED(env, r);
    PAWL_NEED(env, found);
    *found = false;
    if (guess < 0 || contact_count < 1 || contact_count > INT_MAX / 3) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "got a request for guess %d of %d contacts", guess,
                         contact_count);
    }
    char name[64];
    (void)snprintf(name, sizeof name, guess == 0 ? "/solution/r" : "/guesses/%d/r", guess);
    fclib_file f;
    pawl_status status = pawl_fclib_open(env, path, &f);
    if (status == PAWL_OK) {
        status = fclib_answer(&f, name, contact_count, r, found);
        pawl_fclib_close(&f);
    }
    return status;
}
