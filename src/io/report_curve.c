// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reads series in blocks of frames and thins them: runs of millions of frames fit a page.
#include "io/report_events.h"
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

// The extremes of a stretch of frames of one curve.
typedef struct curve_stretch {
    double low, low_time, high, high_time;
} curve_stretch;

static void curve_put(report_curve *curve, double time, double value)
{
    curve->time[curve->count] = time;
    curve->value[curve->count] = value;
    curve->count++;
}

static void curve_close_stretch(report_curve *curve, curve_stretch *s)
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
    *s = (curve_stretch){.low = INFINITY, .high = -INFINITY};
}

static pawl_status curve_fill(const pawl_record *record, const report_source *source,
                              report_plot *plot, curve_reader *c)
{
    // Half as many stretches as points, because each may give two.
    int64_t per_stretch = record->frames <= REPORT_POINTS
                              ? 1
                              : (record->frames + REPORT_POINTS / 2 - 1) / (REPORT_POINTS / 2);
    curve_stretch stretch[REPORT_CURVES];
    for (int k = 0; k < REPORT_CURVES; ++k) {
        stretch[k] = (curve_stretch){.low = INFINITY, .high = -INFINITY};
    }
    bool more = true;
    for (;;) {
        PAWL_TRY(curve_next(c, &more));
        if (!more) {
            break;
        }
        plot->start = c->first == 0 ? c->time[0] : plot->start;
        plot->end = c->time[c->count - 1];
        for (int64_t i = 0; i < c->count; ++i) {
            double values[REPORT_CURVES];
            source->map(c->rows + (size_t)i * c->width, source->user, values);
            bool last = (c->first + i + 1) % per_stretch == 0 || c->first + i + 1 == record->frames;
            // What a step did is not known before the first one.
            bool no_step = source->series >= RECORD_REACTION && source->series != RECORD_ENERGY &&
                           c->first + i == 0 && record->frames > 1;
            for (int k = 0; k < plot->curve_count && !no_step; ++k) {
                curve_stretch *s = &stretch[k];
                if (fabs(values[k]) < CURVE_ABSURD && fabs(c->time[i]) < CURVE_ABSURD) {
                    if (values[k] < s->low) {
                        s->low = values[k];
                        s->low_time = c->time[i];
                    }
                    if (values[k] > s->high) {
                        s->high = values[k];
                        s->high_time = c->time[i];
                    }
                }
                if (last) {
                    curve_close_stretch(&plot->curves[k], s);
                }
            }
        }
    }
    return PAWL_OK;
}

pawl_status report_plot_read(const pawl_record *record, const report_source *source,
                             report_plot *plot)
{
    PAWL_ASSERT(source->curve_count > 0 && source->curve_count <= REPORT_CURVES);
    *plot = (report_plot){.curve_count = source->curve_count};
    plot->block_size = (size_t)source->curve_count * 2 * (REPORT_POINTS + 2) * sizeof(double);
    plot->block = pawl_alloc(record->env, plot->block_size);
    if (plot->block == NULL) {
        return PAWL_FAIL(record->env, PAWL_NO_MEMORY, "no memory for a plot");
    }
    for (int k = 0; k < plot->curve_count; ++k) {
        report_curve *curve = &plot->curves[k];
        memcpy(curve->label, source->labels[k], REPORT_LABEL);
        curve->time = plot->block + (size_t)(2 * k) * (REPORT_POINTS + 2);
        curve->value = curve->time + REPORT_POINTS + 2;
        curve->lowest = INFINITY;
        curve->highest = -INFINITY;
    }
    curve_reader c;
    pawl_status status = curve_begin(record, source->series, &c);
    if (status == PAWL_OK) {
        status = curve_fill(record, source, plot, &c);
    }
    curve_end(&c);
    if (status == PAWL_OK) {
        status = report_events_mark(record, plot);
    }
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
