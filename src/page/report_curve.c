// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reads series in blocks of frames and thins them: runs of millions of frames fit a page.
#include "page/report_plot.h"
#include <math.h>
#include <string.h>

enum { CURVE_BLOCK_BYTES = 4 << 20 };
// Beyond this, and for NaN, a value is left out: axes would overflow.
#define CURVE_ABSURD 1e100

// Rows of a series, and their times, a block at a time.
typedef struct curve_reader {
    const pawl_record *record;
    record_series series;
    size_t width;
    int64_t first, count, capacity; // the rows in memory
    double *time, *rows;
} curve_reader;

static pawl_status curve_begin(const pawl_record *record, record_series series, curve_reader *c)
{
    hsize_t inner[2];
    *c = (curve_reader){.record = record, .series = series};
    c->width = record_series_shape(series, &record->counts, record->trace, inner);
    c->capacity = (int64_t)(CURVE_BLOCK_BYTES / (8 * c->width));
    c->capacity = c->capacity < 1 ? 1 : c->capacity;
    c->capacity = c->capacity > record->frames ? record->frames : c->capacity;
    c->time = pawl_alloc(record->env, (size_t)c->capacity * 8);
    c->rows = pawl_alloc(record->env, (size_t)c->capacity * c->width * 8);
    return c->time != NULL && c->rows != NULL
               ? PAWL_OK
               : PAWL_FAIL(record->env, PAWL_NO_MEMORY, "no memory to read %s",
                           record_series_table[series].path);
}

// False in *more when all frames were read.
static pawl_status curve_next(curve_reader *c, bool *more)
{
    c->first += c->count;
    int64_t left = c->record->frames - c->first;
    c->count = left < c->capacity ? left : c->capacity;
    *more = c->count > 0;
    if (*more) {
        PAWL_TRY(record_read_rows(c->record, RECORD_TIME, c->first, c->count, c->time));
        PAWL_TRY(record_read_rows(c->record, c->series, c->first, c->count, c->rows));
    }
    return PAWL_OK;
}

static void curve_end(curve_reader *c)
{
    pawl_free(c->record->env, c->time, (size_t)c->capacity * 8);
    pawl_free(c->record->env, c->rows, (size_t)c->capacity * c->width * 8);
}

pawl_status report_column_ranges(const pawl_record *record, record_series series, double *lowest,
                                 double *highest)
{
    curve_reader c;
    bool more = true;
    pawl_status status = curve_begin(record, series, &c);
    for (size_t k = 0; k < c.width; ++k) {
        lowest[k] = INFINITY;
        highest[k] = -INFINITY;
    }
    while (status == PAWL_OK && more) {
        status = curve_next(&c, &more);
        for (int64_t i = 0; status == PAWL_OK && i < c.count; ++i) {
            const double *row = c.rows + (size_t)i * c.width;
            for (size_t k = 0; k < c.width; ++k) {
                lowest[k] = row[k] < lowest[k] ? row[k] : lowest[k];
                highest[k] = row[k] > highest[k] ? row[k] : highest[k];
            }
        }
    }
    curve_end(&c);
    return status;
}

static void curve_put(report_curve *curve, double time, double value)
{
    curve->time[curve->count] = time;
    curve->value[curve->count] = value;
    curve->count++;
}

static void curve_begin_stretch(report_thinner *s)
{
    s->low = INFINITY;
    s->high = -INFINITY;
}

static void curve_close_stretch(report_thinner *s, report_curve *curve)
{
    if (s->low <= s->high) { // something finite was seen
        bool low_first = s->low_time <= s->high_time;
        curve_put(curve, low_first ? s->low_time : s->high_time, low_first ? s->low : s->high);
        if (s->low_time != s->high_time) {
            curve_put(curve, low_first ? s->high_time : s->low_time, low_first ? s->high : s->low);
        }
        curve->lowest = fmin(curve->lowest, s->low);
        curve->highest = fmax(curve->highest, s->high);
    }
    curve_begin_stretch(s);
}

report_thinner report_thin_begin(int64_t frames)
{
    report_thinner s = {.frames = frames};
    curve_begin_stretch(&s);
    return s;
}

void report_thin_add(report_thinner *s, report_curve *curve, double time, double value)
{
    // Half as many stretches as points, because each may give two.
    int64_t per_stretch =
        s->frames <= REPORT_POINTS ? 1 : (s->frames + REPORT_POINTS / 2 - 1) / (REPORT_POINTS / 2);
    if (fabs(value) < CURVE_ABSURD && fabs(time) < CURVE_ABSURD) {
        if (value < s->low) {
            s->low = value;
            s->low_time = time;
        }
        if (value > s->high) {
            s->high = value;
            s->high_time = time;
        }
    }
    s->next++;
    if (s->next % per_stretch == 0 || s->next == s->frames) {
        curve_close_stretch(s, curve);
    }
}

static pawl_status curve_fill(const pawl_record *record, const report_source *source,
                              report_plot *plot, curve_reader *c)
{
    report_thinner thinner[REPORT_CURVES];
    for (int k = 0; k < REPORT_CURVES; ++k) {
        thinner[k] = report_thin_begin(record->frames);
    }
    bool more = true;
    for (;;) {
        PAWL_TRY(curve_next(c, &more));
        if (!more) {
            break;
        }
        for (int64_t i = 0; i < c->count; ++i) {
            double values[REPORT_CURVES];
            source->map(c->rows + (size_t)i * c->width, source->user, values);
            // What a step did is not known before the first one.
            bool no_step = source->series >= RECORD_REACTION && source->series != RECORD_ENERGY &&
                           c->first + i == 0 && record->frames > 1;
            for (int k = 0; k < plot->curve_count; ++k) {
                report_thin_add(&thinner[k], &plot->curves[k], c->time[i],
                                no_step ? NAN : values[k]);
            }
        }
    }
    return PAWL_OK;
}

pawl_status report_plot_create(const pawl_env *env, int curve_count, report_plot *plot)
{
    PAWL_ASSERT(curve_count > 0 && curve_count <= REPORT_CURVES);
    *plot = (report_plot){.curve_count = curve_count};
    plot->block_size = (size_t)curve_count * 2 * (REPORT_POINTS + 2) * sizeof(double);
    plot->block = pawl_alloc(env, plot->block_size);
    if (plot->block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for a plot");
    }
    for (int k = 0; k < curve_count; ++k) {
        report_curve *curve = &plot->curves[k];
        curve->time = plot->block + (size_t)(2 * k) * (REPORT_POINTS + 2);
        curve->value = curve->time + REPORT_POINTS + 2;
        curve->lowest = INFINITY;
        curve->highest = -INFINITY;
    }
    return PAWL_OK;
}

pawl_status report_plot_read(const pawl_record *record, const report_source *source,
                             report_plot *plot)
{
    PAWL_TRY(report_plot_create(record->env, source->curve_count, plot));
    for (int k = 0; k < plot->curve_count; ++k) {
        memcpy(plot->curves[k].label, source->labels[k], REPORT_LABEL);
    }
    curve_reader c;
    pawl_status status = curve_begin(record, source->series, &c);
    if (status == PAWL_OK) {
        status = curve_fill(record, source, plot, &c);
    }
    curve_end(&c);
    if (status != PAWL_OK) {
        report_plot_free(record->env, plot);
    }
    return status;
}

void report_plot_free(const pawl_env *env, report_plot *plot)
{
    pawl_free(env, plot->block, plot->block_size);
    *plot = (report_plot){0};
}
