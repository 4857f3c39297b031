// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A sample's data in one block of memory, checked, because a sample may come from an untrusted file.
#include "step/common/sample.h"
#include "base/carver.h"
#include "base/guard.h"
#include <math.h>
#include <string.h>

// Copies count items of `size` bytes; in the measuring pass `mem->base` is NULL and so is the answer.
static void *sample_copy(pawl_carver *mem, const void *from, size_t size, size_t count)
{
    void *to = pawl_carve(mem, size, count);
    if (to != NULL && count > 0) {
        memcpy(to, from, size * count);
    }
    return to;
}
#define SAMPLE_COPY(field, count)                                                                  \
    to->field = sample_copy(mem, from->field, sizeof *from->field, (size_t)(count))

// Called twice: to count, and to copy.
static pawl_sample *sample_layout(const pawl_sample_data *from, pawl_carver *mem)
{
    pawl_sample *sample = PAWL_CARVE(mem, pawl_sample, 1), unused;
    pawl_sample_data *to = sample != NULL ? &sample->data : &unused.data;
    int rows = from->row_count, entries = from->row_start[rows];
    *to = *from;
    SAMPLE_COPY(system, strlen(from->system) + 1);
    SAMPLE_COPY(scenario, strlen(from->scenario) + 1);
    SAMPLE_COPY(mass, from->body_count);
    SAMPLE_COPY(inertia, 9 * from->body_count);
    SAMPLE_COPY(block_rows, from->block_count);
    SAMPLE_COPY(kind, rows);
    SAMPLE_COPY(row_start, rows + 1);
    SAMPLE_COPY(column, entries);
    SAMPLE_COPY(value, entries);
    SAMPLE_COPY(v_f, rows);
    SAMPLE_COPY(bias, rows);
    SAMPLE_COPY(gap, rows);
    SAMPLE_COPY(lower, rows);
    SAMPLE_COPY(upper, rows);
    SAMPLE_COPY(compliance, rows);
    SAMPLE_COPY(friction, from->contact_count);
    SAMPLE_COPY(start, rows);
    SAMPLE_COPY(answer, rows);
    return sample;
}

// Index of the first entry that is not finite, or -1.
static int sample_not_finite(const double *x, int count)
{
    for (int i = 0; i < count; ++i) {
        if (!isfinite(x[i])) {
            return i;
        }
    }
    return -1;
}

static pawl_status sample_check_bodies(const pawl_env *env, const pawl_sample_data *d)
{
    for (int i = 0; i < d->body_count; ++i) {
        const double *I = d->inertia + 9 * i;
        if (!(d->mass[i] >= 0.0 && isfinite(d->mass[i])) || sample_not_finite(I, 9) >= 0 ||
            I[0] < 0.0 || I[4] < 0.0 || I[8] < 0.0) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                             "body %d has mass %g and inertia %g %g %g, expected finite numbers "
                             "that are not negative",
                             i, d->mass[i], I[0], I[4], I[8]);
        }
    }
    return PAWL_OK;
}

// Blocks: free rows in blocks of up to six or more, bounded rows one each, contacts three.
static pawl_status sample_check_blocks(const pawl_env *env, const pawl_sample_data *d)
{
    int row = 0, contacts = d->row_count - 3 * d->contact_count;
    for (int k = 0; k < d->block_count; ++k) {
        int dim = d->block_rows[k], left = d->row_count - row;
        bool fits = dim >= 1 && dim <= left;
        if (fits && row < d->free_row_count) {
            fits = row + dim <= d->free_row_count;
        } else if (fits) {
            fits = dim == (row < contacts ? 1 : 3);
        }
        if (!fits) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                             "block %d has %d rows from row %d on, which does not fit %d free rows "
                             "and %d contacts",
                             k, dim, row, d->free_row_count, d->contact_count);
        }
        row += dim;
    }
    return row == d->row_count
               ? PAWL_OK
               : PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "blocks hold %d of %d rows", row, d->row_count);
}

static pawl_status sample_check_row(const pawl_env *env, const pawl_sample_data *d, int i)
{
    int first = d->row_start[i], end = d->row_start[i + 1], contacts = 3 * d->contact_count;
    bool free = i < d->free_row_count, contact = i >= d->row_count - contacts;
    if (end < first || (i == 0 && first != 0)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "row_start of row %d runs from %d to %d", i, first,
                         end);
    }
    for (int e = first; e < end; ++e) {
        int before = e > first ? d->column[e - 1] : -1;
        if (d->column[e] <= before || d->column[e] >= 6 * d->body_count || !isfinite(d->value[e])) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                             "row %d has %g in column %d after column %d, of %d bodies", i,
                             d->value[e], d->column[e], before, d->body_count);
        }
    }
    if (d->kind[i] < 0 || d->kind[i] >= PAWL_SAMPLE_ROW_COUNT ||
        (d->kind[i] == PAWL_SAMPLE_CONTACT) != contact) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "row %d is of kind %d, which does not fit there",
                         i, d->kind[i]);
    }
    bool bounds = free ? d->lower[i] == -INFINITY && d->upper[i] == INFINITY
                       : contact || d->lower[i] <= d->upper[i];
    if (!bounds || !(d->compliance[i] >= 0.0) || isnan(d->bias[i])) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "row %d has bounds %g to %g and compliance %g, which no row can have", i,
                         d->lower[i], d->upper[i], d->compliance[i]);
    }
    return PAWL_OK;
}

static pawl_status sample_check(const pawl_env *env, const pawl_sample_data *d)
{
    const int most = 1 << 24;
    if (d->body_count < 0 || d->body_count > most || d->row_count < 0 || d->row_count > most ||
        d->contact_count < 0 || d->contact_count > d->row_count / 3 || d->free_row_count < 0 ||
        d->free_row_count > d->row_count - 3 * d->contact_count || d->block_count < 0 ||
        d->block_count > d->row_count) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "%d bodies, %d rows, %d free, %d blocks, %d contacts are no problem",
                         d->body_count, d->row_count, d->free_row_count, d->block_count,
                         d->contact_count);
    }
    PAWL_TRY(sample_check_bodies(env, d));
    PAWL_TRY(sample_check_blocks(env, d));
    for (int i = 0; i < d->row_count; ++i) {
        PAWL_TRY(sample_check_row(env, d, i));
    }
    for (int k = 0; k < d->contact_count; ++k) {
        if (!(d->friction[k] >= 0.0)) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "contact %d has friction %g", k,
                             d->friction[k]);
        }
    }
    int bad = sample_not_finite(d->v_f, d->row_count);
    bad = bad >= 0 ? bad : sample_not_finite(d->start, d->row_count);
    bad = bad >= 0 ? bad : sample_not_finite(d->answer, d->row_count);
    return bad < 0
               ? PAWL_OK
               : PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "row %d has a number that is not finite", bad);
}

pawl_status pawl_sample_create(const pawl_env *env, const pawl_sample_data *data, pawl_sample **out)
{
    PAWL_NEED(env, out);
    *out = NULL;
    PAWL_NEED(env, data);
    PAWL_TRY(sample_check(env, data));
    pawl_carver need = {0};
    (void)sample_layout(data, &need);
    char *block = pawl_alloc(env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "a sample of %d rows needs %zu bytes",
                         data->row_count, need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    *out = sample_layout(data, &mem);
    (*out)->env = *env;
    (*out)->bytes = need.used;
    return PAWL_OK;
}

void pawl_sample_destroy(pawl_sample *sample)
{
    if (sample != NULL) {
        pawl_env env = sample->env;
        pawl_free(&env, sample, sample->bytes);
    }
}

const pawl_sample_data *pawl_sample_get(const pawl_sample *sample)
{
    return sample != NULL ? &sample->data : NULL;
}
