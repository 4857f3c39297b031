// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Measures of difficulty of a sample, and its category (loops VII-B, VII-C): rank of J, densities of constraints,
// condition of D.
//
// The rank is that of rows scaled to unit length, with rotations measured by each body's radius of gyration: masses
// have no influence, and singular values below 1e-4 of the largest count as 0. Springs and servos are compliant and
// not included.
#include "base/guard.h"
#include "linalg/dense.h"
#include "linalg/eigenvalues.h"
#include "math/vec.h"
#include "step/common/sample.h"
#include <math.h>
#include <string.h>

static const double measure_rank = 1e-8; // of eigenvalues: squares of singular values

typedef struct measure_work {
    int n;            // rows that count
    int joints;       // of joints, which come first
    int *row;         // (rows) those that count
    double *radius;   // (bodies) of gyration
    double *A;        // (n x n)
    double *values;   // (n)
    double *scratch;  // (n)
    double *dense[2]; // (6 x bodies) two rows, one of them times M^-1
} measure_work;

static bool measure_counts(const pawl_sample_data *d, int i)
{
    int kind = d->kind[i];
    return kind == PAWL_SAMPLE_JOINT || kind == PAWL_SAMPLE_LIMIT || kind == PAWL_SAMPLE_CONTACT;
}

static void measure_layout(measure_work *w, const pawl_sample_data *d, pawl_carver *mem)
{
    size_t n = (size_t)w->n;
    w->row = PAWL_CARVE(mem, int, w->n);
    w->radius = PAWL_CARVE(mem, double, d->body_count);
    w->A = PAWL_CARVE(mem, double, n *n);
    w->values = PAWL_CARVE(mem, double, w->n);
    w->scratch = PAWL_CARVE(mem, double, w->n);
    w->dense[0] = PAWL_CARVE(mem, double, 6 * d->body_count);
    w->dense[1] = PAWL_CARVE(mem, double, 6 * d->body_count);
}

// Row i of J, in full; times the bodies' sizes where turning is to be measured as a length.
static void measure_row(const measure_work *w, const pawl_sample_data *d, int i, bool lengths,
                        double *out)
{
    memset(out, 0, (size_t)(6 * d->body_count) * sizeof *out);
    for (int e = d->row_start[i]; e < d->row_start[i + 1]; ++e) {
        int body = d->column[e] / 6;
        bool turn = d->column[e] % 6 >= 3;
        double scale = !lengths              ? 1.0
                       : d->mass[body] > 0.0 ? (turn ? 1.0 / w->radius[body] : 1.0)
                                             : 0.0;
        out[d->column[e]] = scale * d->value[e];
    }
}

// A = J~ J~T with rows of unit length, or D = J M^-1 JT; the bodies of `rows` have the inverses.
static void measure_matrix(measure_work *w, const pawl_sample_data *d, const sample_rows *rows,
                           bool lengths)
{
    int n = w->n, width = 6 * d->body_count;
    for (int i = 0; i < n; ++i) {
        double *x = w->dense[0], *y = w->dense[1];
        measure_row(w, d, w->row[i], lengths, x);
        memcpy(y, x, (size_t)width * sizeof *y);
        for (int b = 0; b < d->body_count && !lengths; ++b) {
            double s = rows->assembly.inverse_mass[b], *z = y + 6 * b;
            pawl_vec3 turn = m3_mul(&rows->assembly.inverse_inertia[b], v3(z[3], z[4], z[5]));
            z[0] *= s, z[1] *= s, z[2] *= s;
            z[3] = turn.x, z[4] = turn.y, z[5] = turn.z;
        }
        for (int j = 0; j <= i; ++j) {
            double sum = 0.0;
            for (int e = d->row_start[w->row[j]]; e < d->row_start[w->row[j] + 1]; ++e) {
                int body = d->column[e] / 6;
                bool turn = d->column[e] % 6 >= 3;
                double scale = lengths && turn ? 1.0 / w->radius[body] : 1.0;
                sum += y[d->column[e]] * scale * d->value[e];
            }
            w->A[i * n + j] = w->A[j * n + i] = sum;
        }
    }
    for (int i = 0; i < n && lengths; ++i) {
        w->scratch[i] = w->A[i * (n + 1)] > 0.0 ? 1.0 / sqrt(w->A[i * (n + 1)]) : 0.0;
    }
    for (int i = 0; i < n * n && lengths; ++i) {
        w->A[i] *= w->scratch[i / n] * w->scratch[i % n];
    }
}

static int measure_rank_of(measure_work *w, int n)
{
    pawl_symmetric_eigenvalues(w->A, n, w->values, w->scratch);
    int rank = 0;
    while (rank < n && w->values[rank] > measure_rank * w->values[0]) {
        ++rank;
    }
    return rank;
}

// A sphere of radius sqrt(tr I / 2 m), half of that where nothing turns.
static void measure_bodies(measure_work *w, const pawl_sample_data *d, pawl_sample_properties *out)
{
    double least = INFINITY, most = 0.0;
    for (int i = 0; i < d->body_count; ++i) {
        const double *I = d->inertia + 9 * i;
        double turn = I[0] + I[4] + I[8];
        w->radius[i] = turn > 0.0 && d->mass[i] > 0.0 ? sqrt(0.5 * turn / d->mass[i]) : 1.0;
        if (d->mass[i] > 0.0) {
            ++out->bodies;
            least = fmin(least, d->mass[i]);
            most = fmax(most, d->mass[i]);
        }
    }
    out->mass_ratio = out->bodies > 0 ? most / least : 1.0;
}

// Loops VII-C, in its order; what several of its cases describe is the last of them.
static pawl_sample_category measure_category(const pawl_sample_data *d,
                                             const pawl_sample_properties *m)
{
    int contacts = d->contact_count;
    if (contacts == 0) {
        return m->joint_rows == 0               ? PAWL_SAMPLE_FREE
               : m->joint_rank == m->joint_rows ? PAWL_SAMPLE_INDEPENDENT_JOINTS
               : m->joint_density < 1.0         ? PAWL_SAMPLE_REDUNDANT_JOINTS
                                                : PAWL_SAMPLE_DENSE_JOINTS;
    }
    if (m->joint_rows > 0 && m->density > 1.0) {
        return PAWL_SAMPLE_DENSE_CONSTRAINTS;
    }
    return contacts == 1               ? PAWL_SAMPLE_SINGLE_CONTACT
           : contacts <= 2 * m->bodies ? PAWL_SAMPLE_SPARSE_CONTACTS
                                       : PAWL_SAMPLE_DENSE_CONTACTS;
}

static void measure_all(measure_work *w, const pawl_sample_data *d, const sample_rows *rows,
                        pawl_sample_properties *out)
{
    for (int i = 0, at = 0; i < d->row_count; ++i) {
        if (measure_counts(d, i)) {
            w->row[at++] = i;
            out->joint_rows += d->kind[i] == PAWL_SAMPLE_JOINT ? 1 : 0;
            out->limit_rows += d->kind[i] == PAWL_SAMPLE_LIMIT ? 1 : 0;
        }
    }
    measure_bodies(w, d, out);
    int all = w->n;
    measure_matrix(w, d, rows, true);
    out->rank = measure_rank_of(w, all);
    out->joint_rank = out->rank;
    if (out->joint_rows < all) {
        w->n = out->joint_rows; // they come first
        measure_matrix(w, d, rows, true);
        out->joint_rank = measure_rank_of(w, w->n);
        w->n = all;
    }
    measure_matrix(w, d, rows, false);
    pawl_symmetric_eigenvalues(w->A, all, w->values, w->scratch);
    out->condition = out->rank > 0 ? w->values[0] / w->values[out->rank - 1] : 1.0;
    out->hyperstaticity = all - out->rank;
    double freedoms = 6.0 * (out->bodies > 0 ? out->bodies : 1);
    out->joint_density = out->joint_rows / freedoms;
    out->contact_density = 3.0 * d->contact_count / freedoms;
    out->density = all / freedoms;
    out->category = measure_category(d, out);
}

pawl_status pawl_sample_measure(const pawl_env *env, const pawl_sample *sample,
                                pawl_sample_properties *out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, sample);
    PAWL_NEED(env, out);
    const pawl_sample_data *d = &sample->data;
    *out = (pawl_sample_properties){0};
    measure_work w = {0};
    for (int i = 0; i < d->row_count; ++i) {
        w.n += measure_counts(d, i) ? 1 : 0;
    }
    sample_rows rows;
    PAWL_TRY(pawl_sample_rows_create(env, d, &rows));
    pawl_carver need = {0};
    measure_layout(&w, d, &need);
    char *block = pawl_alloc(env, need.used);
    if (block == NULL) {
        pawl_sample_rows_destroy(env, &rows);
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "the rank of %d rows needs %zu bytes", w.n,
                         need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    measure_layout(&w, d, &mem);
    measure_all(&w, d, &rows, out);
    pawl_free(env, block, need.used);
    pawl_sample_rows_destroy(env, &rows);
    return PAWL_OK;
}

const char *pawl_sample_category_name(int category)
{
    static const char *const names[] = {"free",           "independent joints", "redundant joints",
                                        "dense joints",   "single contact",     "sparse contacts",
                                        "dense contacts", "dense constraints"};
    return category >= 0 && category < PAWL_SAMPLE_CATEGORY_COUNT ? names[category] : NULL;
}
