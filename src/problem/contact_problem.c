// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Contact problems W r + q = u as files and callers give them: checks the entries, builds a
// symmetric scaled copy for the solvers, and judges an answer by the three errors A, B and S of
// docs/contact-problems.md with the given W.
//
// A contact has three rows: two tangents, then the normal. W (3n x 3n) [1/kg], q and u [m/s],
// r [N s]. Solvers get D = s (W + WT)/2 s with one factor s_i = sqrt(3 / trace of W_ii) per contact.
// The diagonal of each block is then 1 in the mean. Friction cones keep their shape, since all three
// rows of a contact have the same factor. The scaled unknown is r / s, the scaled velocity s u.
#include "problem/contact_problem.h"
#include "base/carver.h"
#include "base/guard.h"
#include "base/sort.h"
#include "linalg/cone.h"
#include "math/vec.h"
#include <limits.h>
#include <string.h>

// ---- From entries to blocks ----------------------------------------------------------------------

static pawl_status contact_check(const pawl_env *env, const pawl_contact_problem_def *def)
{
    const pawl_triplets *W = &def->W;
    if (def->contact_count < 1 || def->contact_count > INT_MAX / 9) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "a contact problem has %d contacts, expected 1 to %d", def->contact_count,
                         INT_MAX / 9);
    }
    if (W->count < 0 ||
        (W->count > 0 && (W->row == NULL || W->column == NULL || W->value == NULL)) ||
        def->q == NULL || def->friction == NULL) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "a contact problem with %d entries of W: got NULL for its entries, q or "
                         "friction, or a count below 0",
                         W->count);
    }
    int rows = 3 * def->contact_count;
    if (W->rows != rows || W->columns != rows) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "W is %d x %d, expected %d x %d for %d contacts",
                         W->rows, W->columns, rows, rows, def->contact_count);
    }
    for (int e = 0; e < W->count; ++e) {
        int i = W->row[e], j = W->column[e];
        if (i < 0 || i >= rows || j < 0 || j >= rows) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                             "entry %d of W is at row %d, column %d, expected 0 to %d", e, i, j,
                             rows - 1);
        }
        if (!isfinite(W->value[e])) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "W at row %d, column %d is %g", i, j,
                             W->value[e]);
        }
    }
    for (int i = 0; i < rows; ++i) {
        if (!isfinite(def->q[i])) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "q at row %d is %g", i, def->q[i]);
        }
    }
    for (int k = 0; k < def->contact_count; ++k) {
        if (!(def->friction[k] >= 0.0 && isfinite(def->friction[k]))) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                             "friction of contact %d is %g, expected 0 or more", k,
                             def->friction[k]);
        }
    }
    return PAWL_OK;
}

// The blocks that are not zero, their mirror images and the diagonal ones, sorted: i * contacts + j.
// The mirror image of a block is part of the pattern even if the file has only one triangle or an
// unsymmetric W: D needs both. keys has a second half as scratch for sorting.
static pawl_status contact_pattern(const pawl_env *env, const pawl_contact_problem_def *def,
                                   uint64_t **keys, size_t *bytes, int *count)
{
    const pawl_triplets *W = &def->W;
    uint64_t n = (uint64_t)def->contact_count;
    size_t most = 2 * (size_t)W->count + (size_t)n;
    *bytes = 2 * most * sizeof **keys;
    *keys = most > INT_MAX ? NULL : pawl_alloc(env, *bytes);
    if (*keys == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the pattern of a %d x %d matrix",
                         W->rows, W->columns);
    }
    uint64_t *k = *keys;
    int found = 0;
    for (uint64_t i = 0; i < n; ++i) {
        k[found++] = i * n + i;
    }
    for (int e = 0; e < W->count; ++e) {
        uint64_t i = (uint64_t)W->row[e] / 3, j = (uint64_t)W->column[e] / 3;
        if (W->value[e] != 0.0 && i != j &&
            k[found - 1] != j * n + i) { // mostly one block in a row
            k[found++] = i * n + j;
            k[found++] = j * n + i;
        }
    }
    pawl_sort_keys(k, k + most, found);
    int kept = 0;
    for (int e = 0; e < found; ++e) {
        if (e == 0 || k[e] != k[kept - 1]) {
            k[kept++] = k[e];
        }
    }
    *count = kept;
    return PAWL_OK;
}

typedef struct contact_parts { // what the carver hands out
    pawl_contact_problem *problem;
    int *start, *column, *diagonal;
    double *W, *D, *lower, *upper, *compliance;
    problem_block *blocks;
} contact_parts;

// W and D share one pattern.
static contact_parts contact_layout(int contacts, int blocks, pawl_carver *mem)
{
    int rows = 3 * contacts;
    contact_parts p = {.problem = PAWL_CARVE(mem, pawl_contact_problem, 1),
                       .start = PAWL_CARVE(mem, int, contacts + 1),
                       .column = PAWL_CARVE(mem, int, blocks),
                       .diagonal = PAWL_CARVE(mem, int, contacts),
                       .W = PAWL_CARVE(mem, double, 9 * (size_t)blocks),
                       .D = PAWL_CARVE(mem, double, 9 * (size_t)blocks),
                       .lower = PAWL_CARVE(mem, double, rows),
                       .upper = PAWL_CARVE(mem, double, rows),
                       .compliance = PAWL_CARVE(mem, double, rows),
                       .blocks = PAWL_CARVE(mem, problem_block, contacts)};
    double *q = PAWL_CARVE(mem, double, rows), *friction = PAWL_CARVE(mem, double, contacts);
    double *scale = PAWL_CARVE(mem, double, contacts), *v_f = PAWL_CARVE(mem, double, rows);
    double *lambda = PAWL_CARVE(mem, double, rows), *best = PAWL_CARVE(mem, double, rows);
    if (p.problem != NULL) {
        *p.problem = (pawl_contact_problem){.W = {contacts, p.start, p.column, p.W, p.diagonal},
                                            .D = {contacts, p.start, p.column, p.D, p.diagonal},
                                            .q = q,
                                            .friction = friction,
                                            .scale = scale,
                                            .v_f = v_f,
                                            .lambda = lambda,
                                            .best = best,
                                            .problem = {.row_count = rows,
                                                        .block_count = contacts,
                                                        .blocks = p.blocks,
                                                        .v_f = v_f,
                                                        .lower = p.lower,
                                                        .upper = p.upper,
                                                        .compliance = p.compliance,
                                                        .contact_count = contacts,
                                                        .friction = friction,
                                                        .factor_key = 1}};
    }
    return p;
}

// The block of contact i in column j, or -1.
static int contact_find(const block_matrix *m, int i, int j)
{
    int lo = m->start[i], hi = m->start[i + 1];
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (m->column[mid] < j) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo < m->start[i + 1] && m->column[lo] == j ? lo : -1;
}

// Entries given twice are added, as triplets usually are.
static void contact_fill(const contact_parts *p, const pawl_triplets *W, const uint64_t *keys,
                         int blocks)
{
    const block_matrix *m = &p->problem->W;
    uint64_t n = (uint64_t)m->contact_count;
    for (int e = 0; e < blocks; ++e) {
        int i = (int)(keys[e] / n), j = (int)(keys[e] % n);
        p->start[i + 1] = e + 1;
        p->column[e] = j;
        if (i == j) {
            p->diagonal[i] = e;
        }
    }
    for (int e = 0; e < W->count; ++e) {
        int i = W->row[e] / 3, block = contact_find(m, i, W->column[e] / 3);
        if (block >= 0) { // else a zero outside of the pattern
            p->W[block_matrix_entry(m, i, block, W->row[e] % 3) + W->column[e] % 3] += W->value[e];
        }
    }
}

// A contact that no impulse can move has no scale, and no solver could do anything about it:
// refused.
static pawl_status contact_scale(const pawl_env *env, const contact_parts *p)
{
    const block_matrix *m = &p->problem->W;
    for (int i = 0; i < m->contact_count; ++i) {
        double trace = 0.0;
        for (int r = 0; r < 3; ++r) {
            double d = m->value[block_matrix_entry(m, i, m->diagonal[i], r) + r];
            if (!(d >= 0.0 && isfinite(d))) {
                return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                                 "the diagonal of W at row %d is %g, expected 0 or more", 3 * i + r,
                                 d);
            }
            trace += d;
        }
        if (!(trace > 0.0 && isfinite(trace))) {
            return PAWL_FAIL(
                env, PAWL_BAD_ARGUMENT,
                "contact %d cannot move: the trace of its block of W is %g, expected above 0", i,
                trace);
        }
        p->problem->scale[i] = sqrt(3.0 / trace);
    }
    return PAWL_OK;
}

// D, and how far W is from its mirror image.
// Halves are taken before the sum, so that large finite entries do not overflow. asymmetry is |W -
// WT| / |W| in the Frobenius norm.
static void contact_symmetrize(const contact_parts *p)
{
    const block_matrix *m = &p->problem->W;
    const double *s = p->problem->scale;
    double difference = 0.0, whole = 0.0;
    for (int i = 0; i < m->contact_count; ++i) {
        for (int e = m->start[i]; e < m->start[i + 1]; ++e) {
            int j = m->column[e], mirror = contact_find(m, j, i);
            for (int r = 0; r < 3; ++r) {
                for (int c = 0; c < 3; ++c) {
                    int at = block_matrix_entry(m, i, e, r) + c;
                    double a = m->value[at], b = m->value[block_matrix_entry(m, j, mirror, c) + r];
                    p->D[at] = s[i] * s[j] * (0.5 * a + 0.5 * b);
                    difference += (a - b) * (a - b);
                    whole += a * a;
                }
            }
        }
    }
    p->problem->asymmetry = sqrt(difference / whole);
}

pawl_status pawl_contact_problem_create(const pawl_env *env, const pawl_contact_problem_def *def,
                                        pawl_contact_problem **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, def);
    PAWL_NEED(env, out);
    *out = NULL;
    PAWL_TRY(contact_check(env, def));
    uint64_t *keys;
    size_t key_bytes;
    int blocks = 0;
    PAWL_TRY(contact_pattern(env, def, &keys, &key_bytes, &blocks));
    int contacts = def->contact_count, rows = 3 * contacts;
    pawl_carver need = {0};
    contact_layout(contacts, blocks, &need);
    char *block = blocks > INT_MAX / 9 ? NULL : pawl_alloc(env, need.used);
    if (block == NULL) {
        pawl_free(env, keys, key_bytes);
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "a problem of %d contacts needs %zu bytes", contacts,
                         need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    contact_parts p = contact_layout(contacts, blocks, &mem);
    p.problem->env = *env;
    p.problem->bytes = need.used;
    contact_fill(&p, &def->W, keys, blocks);
    pawl_free(env, keys, key_bytes);
    memcpy(p.problem->q, def->q, (size_t)rows * sizeof *def->q);
    memcpy(p.problem->friction, def->friction, (size_t)contacts * sizeof *def->friction);
    for (int i = 0; i < rows; ++i) {
        p.lower[i] = -INFINITY;
        p.upper[i] = INFINITY;
    }
    for (int k = 0; k < contacts; ++k) {
        p.blocks[k] = (problem_block){3 * k, 3};
    }
    pawl_status status = contact_scale(env, &p);
    if (status == PAWL_OK) {
        contact_symmetrize(&p);
        status = pawl_block_delassus_create(env, &p.problem->D, &p.problem->problem.delassus);
    }
    if (status != PAWL_OK) {
        pawl_contact_problem_destroy(p.problem);
        return status;
    }
    *out = p.problem;
    return PAWL_OK;
}

void pawl_contact_problem_destroy(pawl_contact_problem *problem)
{
    if (problem != NULL) {
        pawl_env env = problem->env;
        pawl_block_delassus_destroy(problem->problem.delassus);
        pawl_free(&env, problem, problem->bytes);
    }
}

// ---- Reading -------------------------------------------------------------------------------------

int pawl_contact_problem_count(const pawl_contact_problem *problem)
{
    if (problem == NULL) {
        return 0;
    }
    return problem->W.contact_count;
}

const double *pawl_contact_problem_q(const pawl_contact_problem *problem)
{
    if (problem == NULL) {
        return NULL;
    }
    return problem->q;
}

const double *pawl_contact_problem_friction(const pawl_contact_problem *problem)
{
    if (problem == NULL) {
        return NULL;
    }
    return problem->friction;
}

double pawl_contact_problem_asymmetry(const pawl_contact_problem *problem)
{
    if (problem == NULL) {
        return NAN;
    }
    return problem->asymmetry;
}

int pawl_contact_problem_entry_count(const pawl_contact_problem *problem)
{
    if (problem == NULL) {
        return 0;
    }
    return 9 * problem->W.start[problem->W.contact_count];
}

pawl_status pawl_contact_problem_entries(const pawl_contact_problem *problem, int *row, int *column,
                                         double *value)
{
    PAWL_NEED(NULL, problem);
    PAWL_NEED(&problem->env, row);
    PAWL_NEED(&problem->env, column);
    PAWL_NEED(&problem->env, value);
    const block_matrix *m = &problem->W;
    int at = 0;
    for (int i = 0; i < m->contact_count; ++i) {
        for (int r = 0; r < 3; ++r) {
            for (int e = m->start[i]; e < m->start[i + 1]; ++e) {
                for (int c = 0; c < 3; ++c, ++at) { // the order of m->value
                    row[at] = 3 * i + r;
                    column[at] = 3 * m->column[e] + c;
                    value[at] = m->value[at];
                }
            }
        }
    }
    return PAWL_OK;
}

pawl_status pawl_contact_problem_velocity(const pawl_contact_problem *problem, const double *r,
                                          double *u)
{
    PAWL_NEED(NULL, problem);
    PAWL_NEED(&problem->env, r);
    PAWL_NEED(&problem->env, u);
    pawl_block_matrix_apply(&problem->W, r, u);
    for (int i = 0; i < 3 * problem->W.contact_count; ++i) {
        u[i] += problem->q[i];
    }
    return PAWL_OK;
}

// ---- The judge -----------------------------------------------------------------------------------

typedef struct contact_sums { // of squares
    double natural, q, r, u;
} contact_sums;

// One contact in quantities scaled by s: r / s, s q, s u.
// The natural map r - P_K(r - u - Gamma(u)) with De Saxce's term, squared and summed over the
// contact. s = 1 gives the errors in the file's units.
static void contact_add(contact_sums *sum, const double *r, const double *q, const double *u,
                        double mu, double s)
{
    double slip = mu * sqrt(u[0] * u[0] + u[1] * u[1]), y[3];
    for (int i = 0; i < 3; ++i) {
        y[i] = r[i] / s - s * (u[i] + (i == 2 ? slip : 0.0));
    }
    pawl_cone_project(y, mu);
    for (int i = 0; i < 3; ++i) {
        double x = r[i] / s, f = x - y[i];
        sum->natural += f * f;
        sum->q += s * q[i] * (s * q[i]);
        sum->r += x * x;
        sum->u += s * u[i] * (s * u[i]);
    }
}

static double contact_relative(const contact_sums *sum)
{
    double size = max_of(sum->q, max_of(sum->r, sum->u));
    return size > 0.0 ? sqrt(sum->natural / size) : sqrt(sum->natural);
}

pawl_contact_errors pawl_contact_problem_errors(const pawl_contact_problem *p, const double *r)
{
    if (p == NULL || r == NULL) {
        return (pawl_contact_errors){NAN, NAN, NAN};
    }
    contact_sums plain = {0}, scaled = {0};
    for (int k = 0; k < p->W.contact_count; ++k) {
        int i = 3 * k;
        double u[3];
        pawl_block_matrix_row(&p->W, k, r, u);
        for (int c = 0; c < 3; ++c) {
            u[c] += p->q[i + c];
        }
        contact_add(&plain, r + i, p->q + i, u, p->friction[k], 1.0);
        contact_add(&scaled, r + i, p->q + i, u, p->friction[k], p->scale[k]);
    }
    return (pawl_contact_errors){.relative = contact_relative(&plain),
                                 .absolute = sqrt(plain.natural) / max_of(1.0, sqrt(plain.q)),
                                 .scaled = contact_relative(&scaled)};
}

// NaN compares false with everything and would be lost in a maximum: it counts as infinite.
double pawl_contact_errors_worst(const pawl_contact_errors *errors)
{
    if (errors == NULL) {
        return INFINITY;
    }
    double worst = errors->relative > errors->absolute ? errors->relative : errors->absolute;
    worst = errors->scaled > worst ? errors->scaled : worst;
    bool number = !isnan(errors->relative) && !isnan(errors->absolute) && !isnan(errors->scaled);
    return number ? worst : INFINITY;
}
