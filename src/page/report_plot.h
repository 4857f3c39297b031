// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Curves over time from a recording, or over another quantity, thinned to the resolution of a screen, and plots of
// them as JSON.
#pragma once
#include "page/report_text.h"
#include "record/record_layout.h"

enum {
    REPORT_POINTS = 1000, // of a curve, at most
    REPORT_CURVES = 16,   // of a plot, at most; a page shows eight at once
    REPORT_LABEL = 96
};

typedef struct report_curve {
    char label[REPORT_LABEL]; // as in the model: not escaped
    int count;
    double *time, *value;   // (count); `time` is whatever the plot's x axis says, ascending
    double lowest, highest; // of all frames; lowest > highest when none is finite
    bool dashed;            // what others are compared with
    bool points;            // its points are not joined
} report_curve;

// How a plot's curves come from the rows of a series: `map` turns one row into one value a curve.
typedef struct report_source {
    record_series series;
    int curve_count;
    void (*map)(const double *row, const void *user, double *values);
    const void *user;
    char labels[REPORT_CURVES][REPORT_LABEL];
} report_source;

typedef struct report_plot {
    int curve_count;
    report_curve curves[REPORT_CURVES];
    double *block; // all the points
    size_t block_size;
} report_plot;

// Room for curves without points, whose labels are still to be written. After a failure there is
// nothing to free.
pawl_status report_plot_create(const pawl_env *env, int curve_count, report_plot *plot);
// Frames on their way into a curve. Of every stretch of frames the lowest and the highest value are
// kept, so that no spike is lost however many there are. NaN stands for no value.
typedef struct report_thinner {
    int64_t frames, next;
    double low, low_time, high, high_time; // of the stretch so far
} report_thinner;
report_thinner report_thin_begin(int64_t frames);
void report_thin_add(report_thinner *thinner, report_curve *curve, double time, double value);

// Reads the whole series once and thins it.
pawl_status report_plot_read(const pawl_record *record, const report_source *source,
                             report_plot *plot);
void report_plot_free(const pawl_env *env, report_plot *plot);

typedef struct report_plot_style {
    const char *title; // plain text without markup
    const char *unit;  // "" for none
    const char *note;  // below the title; may be NULL
    bool log;          // decades; zeros are left out
    bool zero;         // zero is always shown
    double mark;       // a dashed line at this value, when > 0
    const char *mark_label;
    const char *x_name, *x_unit; // NULL: time, in s
    bool x_log;                  // decades; start and end are > 0
    bool dots;                   // every point is marked
} report_plot_style;
// One object of JSON (docs/pages.md).
void report_plot_write(report_text *page, const report_plot *plot, const report_plot_style *style);

// Lowest and highest value of each column of a series, (width) each.
pawl_status report_column_ranges(const pawl_record *record, record_series series, double *lowest,
                                 double *highest);
