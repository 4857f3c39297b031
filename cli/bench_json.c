// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A page that filters needs every cell. Quantities of cells are lists of 32-bit floats in base64, little-endian: a
// hundred thousand cells take a few megabytes instead of tens.
#include "bench_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Bytes in base64, as a JSON string.
static json_t *json_base64(const unsigned char *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = malloc(4 * ((count + 2) / 3) + 1);
    size_t at = 0;
    for (size_t i = 0; text != NULL && i < count; i += 3) {
        unsigned a = bytes[i], b = i + 1 < count ? bytes[i + 1] : 0,
                 c = i + 2 < count ? bytes[i + 2] : 0, word = a << 16 | b << 8 | c;
        text[at++] = digits[word >> 18];
        text[at++] = digits[word >> 12 & 63];
        text[at++] = i + 1 < count ? digits[word >> 6 & 63] : '=';
        text[at++] = i + 2 < count ? digits[word & 63] : '=';
    }
    if (text == NULL) {
        return NULL;
    }
    text[at] = '\0';
    json_t *out = json_string(text);
    free(text);
    return out;
}

static unsigned char *json_put_float(unsigned char *to, double value)
{
    float number = (float)value;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    for (int i = 0; i < 4; ++i) {
        *to++ = (unsigned char)(bits >> (8 * i));
    }
    return to;
}

typedef double (*json_quantity)(const bench_cell *cell);
static double json_seconds(const bench_cell *c)
{
    return c->seconds;
}
static double json_iterations(const bench_cell *c)
{
    return c->iterations;
}
static double json_outcome(const bench_cell *c)
{
    return c->outcome;
}
static double json_scaled(const bench_cell *c)
{
    return c->scaled;
}
static double json_dual(const bench_cell *c)
{
    return c->dual;
}
static double json_complementarity(const bench_cell *c)
{
    return c->complementarity;
}
static double json_penetration(const bench_cell *c)
{
    return c->penetration;
}
static double json_sensitivity(const bench_cell *c)
{
    return c->sensitivity;
}
static double json_jump(const bench_cell *c)
{
    return c->jump;
}
static double json_to_4(const bench_cell *c)
{
    return bench_time_to(c, 4);
}
static double json_to_6(const bench_cell *c)
{
    return bench_time_to(c, 6);
}
static double json_to_8(const bench_cell *c)
{
    return bench_time_to(c, 8);
}

// Of cells that were not tried, and of what was not measured: NaN.
static json_t *json_cells(const bench_data *d, const int *done, int done_count, json_quantity of)
{
    size_t bytes = 4 * (size_t)done_count * (size_t)d->entries.count;
    unsigned char *block = malloc(bytes + 1), *to = block;
    for (int k = 0; block != NULL && k < done_count; ++k) {
        for (int e = 0; e < d->entries.count; ++e) {
            const bench_cell *c = bench_cell_at(d, done[k], e);
            to = json_put_float(to, c->done == 1 ? of(c) : NAN);
        }
    }
    json_t *out = block != NULL ? json_base64(block, bytes) : NULL;
    free(block);
    return out;
}

static json_t *json_all_cells(const bench_data *d, const int *done, int done_count)
{
    static const struct {
        const char *name;
        json_quantity of;
    } list[] = {{"seconds", json_seconds},
                {"iterations", json_iterations},
                {"outcome", json_outcome},
                {"residual", json_scaled},
                {"dual", json_dual},
                {"complementarity", json_complementarity},
                {"penetration", json_penetration},
                {"sensitivity", json_sensitivity},
                {"jump", json_jump},
                {"time_4", json_to_4},
                {"time_6", json_to_6},
                {"time_8", json_to_8}};
    json_t *out = json_object();
    for (size_t i = 0; i < sizeof list / sizeof list[0]; ++i) {
        json_object_set_new(out, list[i].name, json_cells(d, done, done_count, list[i].of));
    }
    return out;
}

static json_t *json_sample(const bench_sample *s)
{
    const pawl_sample_properties *p = &s->properties;
    return json_pack("[s, s, i, i, i, i, i, i, o, o, o]", s->system, s->scenario, s->step,
                     (int)p->category, s->rows, s->contacts, p->rank, p->hyperstaticity,
                     json_out_number(p->condition), json_out_number(p->density),
                     json_out_number(p->mass_ratio));
}

static json_t *json_entries(const bench_data *d)
{
    json_t *out = json_array();
    for (int e = 0; e < d->entries.count; ++e) {
        const bench_entry *entry = &d->entries.list[e];
        json_array_append_new(
            out, json_pack("{s:s, s:b}", "name", entry->name, "paper", (int)entry->paper));
    }
    return out;
}

// Points of all histories in two lists. History k has the points from end[k - 1] to end[k], of samples[sample[k]] and
// solvers[solver[k]].
static json_t *json_histories(const bench_data *d, const int *done, int done_count)
{
    size_t bytes = 4 * (size_t)d->point_count;
    unsigned char *block = malloc(2 * bytes + 1), *iteration = block;
    if (block == NULL) {
        return NULL;
    }
    unsigned char *residual = block + bytes;
    json_t *sample = json_array(), *solver = json_array(), *ends = json_array();
    for (int i = 0, at = 0; i < d->point_count; ++i) {
        const bench_point *p = &d->points[i], *next = i + 1 < d->point_count ? p + 1 : NULL;
        iteration = json_put_float(iteration, p->iteration);
        residual = json_put_float(residual, p->residual);
        while (at < done_count && done[at] != p->sample) {
            ++at;
        }
        if (next == NULL || next->sample != p->sample || next->entry != p->entry) {
            json_array_append_new(sample, json_integer(at));
            json_array_append_new(solver, json_integer(p->entry));
            json_array_append_new(ends, json_integer(i + 1));
        }
    }
    json_t *out = json_pack("{s:o, s:o, s:o, s:o, s:o}", "sample", sample, "solver", solver, "end",
                            ends, "iteration", json_base64(block, bytes), "residual",
                            json_base64(block + bytes, bytes));
    free(block);
    return out;
}

static json_t *json_conclusions(const bench_data *d)
{
    json_t *out = json_array();
    bench_conclusions *c = malloc(sizeof *c);
    if (c != NULL) {
        bench_conclude(d, c);
        for (int i = 0; i < c->count; ++i) {
            json_array_append_new(out, json_out_text(c->text[i]));
        }
    }
    free(c);
    return out;
}

json_t *bench_json(const bench_data *d)
{
    int *done = malloc(((size_t)d->sample_count + 1) * sizeof *done), count = 0;
    if (done == NULL) {
        return NULL;
    }
    json_t *samples = json_array(), *categories = json_array();
    for (int i = 0; i < d->sample_count; ++i) {
        if (bench_is_done(d, i)) {
            done[count++] = i;
            json_array_append_new(samples, json_sample(&d->samples[i]));
        }
    }
    for (int i = 0; pawl_sample_category_name(i) != NULL; ++i) {
        json_array_append_new(categories, json_string(pawl_sample_category_name(i)));
    }
    json_t *out = json_pack(
        "{s:s, s:i, s:s, s:s, s:s, s:s, s:s, s:f, s:i, s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", //
        "format", "pawl bench", "version", 1, "suite", d->suite, "pawl", d->version,             //
        "machine", d->machine, "system", d->system, "date", d->date,                             //
        "tolerance", d->options.tolerance, "max_iterations", d->options.max_iterations,          //
        "recorded", d->sample_count, "default",
        pawl_solver_name((int)pawl_settings_default().solver.kind), //
        "categories", categories, "solvers", json_entries(d),       //
        "samples", samples, "cells", json_all_cells(d, done, count), "histories",
        json_histories(d, done, count), "conclusions", json_conclusions(d));
    free(done);
    return out;
}
