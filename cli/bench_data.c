// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Results in HDF5: one column for each quantity, "samples/..." by sample and "cells/..." by sample and solver, row by
// row (docs/bench.md). The tables below define the format for writing and reading.
#include "bench_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "pawl/solve.h"
#include "ranks.h"

// ---- Memory --------------------------------------------------------------------------------------

bool bench_data_make(bench_data *d, int sample_count)
{
    size_t samples = (size_t)sample_count + 1;
    d->sample_count = sample_count;
    d->samples = calloc(samples, sizeof *d->samples);
    d->cells = calloc(samples * (size_t)d->entries.count, sizeof *d->cells);
    return d->samples != NULL && d->cells != NULL;
}

void bench_data_free(bench_data *d)
{
    free(d->samples);
    free(d->cells);
    free(d->counts);
    free(d->points);
    *d = (bench_data){0};
}

bool bench_is_done(const bench_data *d, int sample)
{
    for (int i = 0; i < d->entries.count; ++i) {
        if (bench_cell_at(d, sample, i)->done == 0) {
            return false;
        }
    }
    return d->samples[sample].measured != 0;
}

int bench_done_count(const bench_data *d)
{
    int count = 0;
    for (int i = 0; i < d->sample_count; ++i) {
        count += bench_is_done(d, i) ? 1 : 0;
    }
    return count;
}

static void data_processor(char *text, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(text, size, "unknown processor");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *name = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && name != NULL) {
            snprintf(text, size, "%.*s", (int)strcspn(name + 2, "\n"), name + 2);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

void bench_data_sign(bench_data *d)
{
    struct utsname name;
    char processor[160];
    data_processor(processor, sizeof processor);
    snprintf(d->machine, sizeof d->machine, "%s, %ld cores", processor,
             sysconf(_SC_NPROCESSORS_ONLN));
    if (uname(&name) == 0) {
        snprintf(d->system, sizeof d->system, "%.60s %.60s, compiler %.60s", name.sysname,
                 name.release, __VERSION__);
    }
    snprintf(d->version, sizeof d->version, "%s", pawl_version());
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) != NULL) {
        strftime(d->date, sizeof d->date, "%Y-%m-%dT%H:%M:%SZ", &parts);
    }
}

// ---- The format ----------------------------------------------------------------------------------

typedef struct data_field {
    const char *name;
    bool real;
    size_t offset;
} data_field;

#define SAMPLE(name, real, field)                                                                  \
    {                                                                                              \
        "samples/" name, real, offsetof(bench_sample, field)                                       \
    }
static const data_field data_samples[] = {
    SAMPLE("step", false, step),
    SAMPLE("rows", false, rows),
    SAMPLE("contacts", false, contacts),
    SAMPLE("measured", false, measured),
    SAMPLE("category", false, properties.category),
    SAMPLE("bodies", false, properties.bodies),
    SAMPLE("joint_rows", false, properties.joint_rows),
    SAMPLE("limit_rows", false, properties.limit_rows),
    SAMPLE("rank", false, properties.rank),
    SAMPLE("joint_rank", false, properties.joint_rank),
    SAMPLE("hyperstaticity", false, properties.hyperstaticity),
    SAMPLE("joint_density", true, properties.joint_density),
    SAMPLE("contact_density", true, properties.contact_density),
    SAMPLE("density", true, properties.density),
    SAMPLE("condition", true, properties.condition),
    SAMPLE("mass_ratio", true, properties.mass_ratio),
};
#define CELL(name, real, field)                                                                    \
    {                                                                                              \
        "cells/" name, real, offsetof(bench_cell, field)                                           \
    }
static const data_field data_cells[] = {
    CELL("done", false, done),
    CELL("outcome", false, outcome),
    CELL("iterations", false, iterations),
    CELL("factorizations", false, factorizations),
    CELL("reach_1", false, reach[0]),
    CELL("reach_2", false, reach[1]),
    CELL("reach_3", false, reach[2]),
    CELL("reach_4", false, reach[3]),
    CELL("reach_5", false, reach[4]),
    CELL("reach_6", false, reach[5]),
    CELL("reach_7", false, reach[6]),
    CELL("reach_8", false, reach[7]),
    CELL("reach_9", false, reach[8]),
    CELL("reach_10", false, reach[9]),
    CELL("reach_11", false, reach[10]),
    CELL("reach_12", false, reach[11]),
    CELL("seconds", true, seconds),
    CELL("primal", true, primal),
    CELL("dual", true, dual),
    CELL("complementarity", true, complementarity),
    CELL("natural", true, natural),
    CELL("natural_scaled", true, scaled),
    CELL("own_residual", true, own),
    CELL("penetration", true, penetration),
    CELL("sensitivity", true, sensitivity),
    CELL("jump", true, jump),
};
enum {
    DATA_SAMPLES = sizeof data_samples / sizeof data_samples[0],
    DATA_CELLS = sizeof data_cells / sizeof data_cells[0],
    DATA_WORDS = 3, // system, scenario, entries
    DATA_COUNTS = 3,
    DATA_POINTS = 4,
    DATA_COLUMNS = DATA_SAMPLES + DATA_CELLS + DATA_WORDS + DATA_COUNTS + DATA_POINTS
};

// The column of a field over `count` structs of `size` bytes; NULL data when memory is out.
static pawl_data_column data_gather(const data_field *f, const void *items, size_t size, int count)
{
    pawl_data_column c = {.name = f->name,
                          .type = f->real ? PAWL_DATA_REAL : PAWL_DATA_INT,
                          .count = count,
                          .data = calloc((size_t)count + 1, sizeof(double))};
    size_t item = f->real ? sizeof(double) : sizeof(int);
    for (int i = 0; i < count && c.data != NULL; ++i) {
        memcpy((char *)c.data + (size_t)i * item,
               (const char *)items + (size_t)i * size + f->offset, item);
    }
    return c;
}

static bool data_scatter(const pawl_table *t, const data_field *f, void *items, size_t size,
                         int count)
{
    const pawl_data_column *c = pawl_table_column(t, f->name);
    pawl_data_type type = f->real ? PAWL_DATA_REAL : PAWL_DATA_INT;
    if (c == NULL || c->count != count || c->type != type) {
        return false;
    }
    size_t item = f->real ? sizeof(double) : sizeof(int);
    for (int i = 0; i < count; ++i) {
        memcpy((char *)items + (size_t)i * size + f->offset,
               (const char *)c->data + (size_t)i * item, item);
    }
    return true;
}

static pawl_data_column data_words(const char *name, const char *first, size_t stride, int width,
                                   int count)
{
    pawl_data_column c = {.name = name,
                          .type = PAWL_DATA_TEXT,
                          .count = count,
                          .width = width,
                          .data = calloc((size_t)count + 1, (size_t)width)};
    for (int i = 0; i < count && c.data != NULL; ++i) {
        snprintf((char *)c.data + (size_t)i * (size_t)width, (size_t)width, "%s",
                 first + (size_t)i * stride);
    }
    return c;
}

static bool data_get_words(const pawl_table *t, const char *name, char *first, size_t stride,
                           size_t room, int count)
{
    const pawl_data_column *c = pawl_table_column(t, name);
    if (c == NULL || c->count != count || c->type != PAWL_DATA_TEXT) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        snprintf(first + (size_t)i * stride, room, "%.*s", c->width,
                 (const char *)c->data + (size_t)i * (size_t)c->width);
    }
    return true;
}

// ---- Writing and reading -------------------------------------------------------------------------

static const data_field data_counts[DATA_COUNTS] = {
    {"instructions/sample", false, offsetof(bench_count, sample)},
    {"instructions/entry", false, offsetof(bench_count, entry)},
    {"instructions/count", true, offsetof(bench_count, instructions)},
};

static const data_field data_points[DATA_POINTS] = {
    {"history/sample", false, offsetof(bench_point, sample)},
    {"history/entry", false, offsetof(bench_point, entry)},
    {"history/iteration", false, offsetof(bench_point, iteration)},
    {"history/residual", true, offsetof(bench_point, residual)},
};

bool bench_data_write(console *con, const bench_data *d, const char *path)
{
    pawl_data_column columns[DATA_COLUMNS];
    int n = 0, cells = d->sample_count * d->entries.count;
    for (int i = 0; i < DATA_SAMPLES; ++i) {
        columns[n++] =
            data_gather(&data_samples[i], d->samples, sizeof *d->samples, d->sample_count);
    }
    for (int i = 0; i < DATA_CELLS; ++i) {
        columns[n++] = data_gather(&data_cells[i], d->cells, sizeof *d->cells, cells);
    }
    for (int i = 0; i < DATA_COUNTS; ++i) {
        columns[n++] = data_gather(&data_counts[i], d->counts, sizeof *d->counts, d->count_count);
    }
    for (int i = 0; i < DATA_POINTS; ++i) {
        columns[n++] = data_gather(&data_points[i], d->points, sizeof *d->points, d->point_count);
    }
    columns[n++] = data_words("samples/system", d->samples[0].system, sizeof *d->samples,
                              BENCH_NAME, d->sample_count);
    columns[n++] = data_words("samples/scenario", d->samples[0].scenario, sizeof *d->samples,
                              BENCH_NAME, d->sample_count);
    columns[n++] = data_words("solvers", d->entries.list[0].name, sizeof d->entries.list[0],
                              BENCH_NAME, d->entries.count);
    char tolerance[32], iterations[32], perturb[32];
    snprintf(tolerance, sizeof tolerance, "%.17g", d->options.tolerance);
    snprintf(iterations, sizeof iterations, "%d", d->options.max_iterations);
    snprintf(perturb, sizeof perturb, "%d", d->options.perturb);
    const pawl_attribute attributes[] = {
        {"format", "pawl bench"},
        {"version", "1"},
        {"suite", d->suite},
        {"pawl", d->version},
        {"machine", d->machine},
        {"system", d->system},
        {"date", d->date},
        {"tolerance", tolerance},
        {"max_iterations", iterations},
        {"perturb", perturb},
        {"mpi", ranks_version() != NULL ? ranks_version() : "none"},
    };
    int errors = con->error_count;
    pawl_status status = PAWL_OK;
    for (int i = 0; i < n; ++i) {
        status = columns[i].data == NULL ? PAWL_NO_MEMORY : status;
    }
    if (status == PAWL_OK) {
        status = pawl_table_write(&con->env, path, columns, n, attributes,
                                  (int)(sizeof attributes / sizeof attributes[0]));
    }
    for (int i = 0; i < n; ++i) {
        free(columns[i].data);
    }
    if (status != PAWL_OK) {
        console_explain(con, errors, status, path);
    }
    return status == PAWL_OK;
}

static void data_take_text(const pawl_table *t, const char *name, char *out, size_t size)
{
    const char *text = pawl_table_attribute(t, name);
    snprintf(out, size, "%s", text != NULL ? text : "");
}

static bool data_take_entries(const pawl_table *t, bench_entries *out)
{
    const pawl_data_column *c = pawl_table_column(t, "solvers");
    if (c == NULL || c->count < 1 || c->count > BENCH_MAX_ENTRIES) {
        return false;
    }
    out->count = c->count;
    if (!data_get_words(t, "solvers", out->list[0].name, sizeof out->list[0],
                        sizeof out->list[0].name, c->count)) {
        return false;
    }
    for (int i = 0; i < c->count; ++i) {
        char word[40];
        snprintf(word, sizeof word, "%s", out->list[i].name);
        char *slash = strchr(word, '/');
        out->list[i].paper = slash != NULL;
        if (slash != NULL) {
            *slash = '\0';
        }
        out->list[i].kind = pawl_solver_find_kind(word);
    }
    return true;
}

// Structs of `size` bytes from the columns of a table that a file may lack. NULL: no memory, or a damaged file.
static void *data_take_list(const pawl_table *t, const data_field *fields, int field_count,
                            size_t size, int *count)
{
    const pawl_data_column *c = pawl_table_column(t, fields[0].name);
    *count = c != NULL ? c->count : 0;
    void *items = calloc((size_t)*count + 1, size);
    bool done = items != NULL;
    for (int i = 0; i < field_count && done && *count > 0; ++i) {
        done = data_scatter(t, &fields[i], items, size, *count);
    }
    if (!done) {
        free(items);
        items = NULL;
    }
    return items;
}

// Indices of samples and solvers must be those of the matrix.
static bool data_take_lists(const pawl_table *t, bench_data *out)
{
    out->counts =
        data_take_list(t, data_counts, DATA_COUNTS, sizeof *out->counts, &out->count_count);
    out->points =
        data_take_list(t, data_points, DATA_POINTS, sizeof *out->points, &out->point_count);
    bool sound = out->counts != NULL && out->points != NULL;
    for (int i = 0; sound && i < out->count_count; ++i) {
        const bench_count *c = &out->counts[i];
        sound = c->sample >= 0 && c->sample < out->sample_count && c->entry >= 0 &&
                c->entry < out->entries.count;
    }
    for (int i = 0; sound && i < out->point_count; ++i) {
        const bench_point *p = &out->points[i];
        sound = p->sample >= 0 && p->sample < out->sample_count && p->entry >= 0 &&
                p->entry < out->entries.count;
    }
    return sound;
}

static bool data_take(const pawl_table *t, bench_data *out)
{
    const char *format = pawl_table_attribute(t, "format");
    const pawl_data_column *rows = pawl_table_column(t, "samples/rows");
    if (format == NULL || strcmp(format, "pawl bench") != 0 || rows == NULL ||
        !data_take_entries(t, &out->entries) || !bench_data_make(out, rows->count)) {
        return false;
    }
    bool done = data_get_words(t, "samples/system", out->samples[0].system, sizeof *out->samples,
                               BENCH_NAME, rows->count) &&
                data_get_words(t, "samples/scenario", out->samples[0].scenario,
                               sizeof *out->samples, BENCH_NAME, rows->count);
    for (int i = 0; i < DATA_SAMPLES && done; ++i) {
        done = data_scatter(t, &data_samples[i], out->samples, sizeof *out->samples, rows->count);
    }
    for (int i = 0; i < DATA_CELLS && done; ++i) {
        done = data_scatter(t, &data_cells[i], out->cells, sizeof *out->cells,
                            rows->count * out->entries.count);
    }
    char number[64];
    data_take_text(t, "tolerance", number, sizeof number);
    out->options.tolerance = strtod(number, NULL);
    data_take_text(t, "max_iterations", number, sizeof number);
    out->options.max_iterations = atoi(number);
    data_take_text(t, "perturb", number, sizeof number);
    out->options.perturb = atoi(number);
    data_take_text(t, "suite", out->suite, sizeof out->suite);
    data_take_text(t, "machine", out->machine, sizeof out->machine);
    data_take_text(t, "system", out->system, sizeof out->system);
    data_take_text(t, "pawl", out->version, sizeof out->version);
    data_take_text(t, "date", out->date, sizeof out->date);
    return done && data_take_lists(t, out);
}

bool bench_data_read(console *con, const char *path, bench_data *out)
{
    *out = (bench_data){0};
    pawl_table *t = NULL;
    int errors = con->error_count;
    pawl_status status = pawl_table_read(&con->env, path, &t);
    bool done = status == PAWL_OK && data_take(t, out);
    if (!done) {
        bench_data_free(out);
        if (status == PAWL_OK) {
            console_error(con, "%s: is no file of 'pawl bench', version 1, or is damaged", path);
        } else {
            console_explain(con, errors, status, path);
        }
    }
    pawl_table_destroy(t);
    return done;
}
