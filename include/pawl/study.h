// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// The results of a study: text, tables, plots, and claims that hold or not. In libpawl-io.
///
/// One object contains the results, and every writer (terminal, JSON, HTML) shows the same digits:
/// numbers are rounded as their column defines, so that they can be compared as printed. All
/// data are copied. Additions without memory do nothing, and pawl_study_status() reports it.
///
/// **Threads.** A study belongs to one thread at a time; different ones may run at once.
#pragma once
#include "pawl/base.h"

PAWL_EXTERN_C_BEGIN

enum {
    PAWL_STUDY_COLUMNS = 24, ///< of a table, at most
    PAWL_STUDY_CURVES = 8,   ///< of a plot, at most: more cannot be distinguished
    PAWL_STUDY_TEXT = 40     ///< bytes that hold any number as printed
};

/// How a column prints its numbers.
typedef enum pawl_number_style {
    PAWL_NUMBER_GENERAL = 0, ///< `digits` significant ones: 0.00123, 1.23e-07
    PAWL_NUMBER_FIXED,       ///< `digits` after the point: 3.91
    PAWL_NUMBER_SCIENTIFIC,  ///< `digits` after the point: 2.38e-03
    PAWL_NUMBER_POWER_OF_TWO ///< 2^-5; other numbers as GENERAL with 6 digits
} pawl_number_style;
typedef struct pawl_study_column {
    const char *name;
    const char *unit; ///< NULL or "" for none
    pawl_number_style style;
    int digits;  ///< 0 to 17
    bool words;  ///< its cells hold text
    int against; ///< number of the column, from 1, whose printed digits it should equal; 0: none
} pawl_study_column;

typedef struct pawl_study_cell {
    double number;    ///< NaN: there is none, printed as "-"
    const char *text; ///< of a column of words
} pawl_study_cell;
typedef struct pawl_study_table {
    const char *title, *note; ///< the note may be NULL
    int column_count, row_count;
    const pawl_study_column *columns; ///< (column_count)
    const pawl_study_cell *cells;     ///< (row_count x column_count); the last row may be short
} pawl_study_table;

/// One curve of a plot; x ascending.
typedef struct pawl_study_curve {
    const char *label;
    bool dashed; ///< a reference for the others
    bool points; ///< only its points: too few to join
    int count;
    const double *x, *y; ///< (count)
} pawl_study_curve;
typedef struct pawl_study_plot {
    const char *title, *note;    ///< the note may be NULL
    const char *x_name, *x_unit; ///< x_name NULL: time, in s
    const char *unit;            ///< of y; NULL or "" for none
    bool x_log, log;             ///< decades; values that are not positive are omitted
    bool zero;                   ///< y = 0 is always shown
    bool dots;                   ///< every point is marked
    int curve_count;             ///< curves added so far
    const pawl_study_curve *curves;
} pawl_study_plot;

typedef enum pawl_relation { PAWL_AT_MOST = 0, PAWL_AT_LEAST, PAWL_EQUAL } pawl_relation;
/// The expectation of a study and its result.
typedef struct pawl_study_claim {
    const char *text, *unit;
    double value;
    pawl_relation relation;
    double limit;
    bool met; ///< false for NaN
} pawl_study_claim;

typedef enum pawl_study_kind {
    PAWL_STUDY_PARAGRAPH = 0,
    PAWL_STUDY_TABLE,
    PAWL_STUDY_PLOT,
    PAWL_STUDY_MOTION ///< `paragraph` is its title
} pawl_study_kind;
/// One of the items that a study shows in order; the member that `kind` names is set.
typedef struct pawl_study_item {
    pawl_study_kind kind;
    const char *paragraph;
    const pawl_study_table *table;
    const pawl_study_plot *plot;
    const char *motion; ///< a document as pawl_motion_json() makes it
} pawl_study_item;

typedef struct pawl_study pawl_study;
/// `name` is short ("lit-10.1"), `title` a line, `source` where the work is from. `env` must outlive it.
PAWL_API pawl_status pawl_study_create(const pawl_env *env, const char *name, const char *title,
                                       const char *source, pawl_study **out);
PAWL_API void pawl_study_destroy(pawl_study *study); ///< NULL is fine
PAWL_API const char *pawl_study_name(const pawl_study *study);
PAWL_API const char *pawl_study_title(const pawl_study *study);
PAWL_API const char *pawl_study_source(const pawl_study *study);
/// PAWL_OK, or the status of the first addition that failed; nothing was added after it.
PAWL_API pawl_status pawl_study_status(const pawl_study *study);

PAWL_API void pawl_study_add_paragraph(pawl_study *study, const char *text);
/// Cells that follow fill this table from left to right, row by row. Rows without cells are not shown.
PAWL_API void pawl_study_add_table(pawl_study *study, const char *title, const char *note,
                                   const pawl_study_column *columns, int column_count);
PAWL_API void pawl_study_add_number(pawl_study *study, double value);     ///< the next cell
PAWL_API void pawl_study_add_words(pawl_study *study, const char *words); ///< the next cell
/// The members up to `dots` are taken; curves follow by pawl_study_add_curve().
PAWL_API void pawl_study_add_plot(pawl_study *study, const pawl_study_plot *plot);
PAWL_API void pawl_study_add_curve(pawl_study *study, const pawl_study_curve *curve);
/// A machine in motion, for the page: `document` is JSON as pawl_motion_json() makes it.
PAWL_API void pawl_study_add_motion(pawl_study *study, const char *title, const char *document);
PAWL_API void pawl_study_add_claim(pawl_study *study, const char *text, const char *unit,
                                   double value, pawl_relation relation, double limit);

PAWL_API int pawl_study_item_count(const pawl_study *study);
PAWL_API pawl_study_item pawl_study_item_at(const pawl_study *study, int item);
PAWL_API int pawl_study_claim_count(const pawl_study *study);
PAWL_API pawl_study_claim pawl_study_claim_at(const pawl_study *study, int claim);
PAWL_API bool pawl_study_met(const pawl_study *study);           ///< every claim
PAWL_API const char *pawl_relation_name(pawl_relation relation); ///< "at most"

/// The number as its column prints it; `text` has room for PAWL_STUDY_TEXT bytes and is returned.
PAWL_API const char *pawl_study_print(const pawl_study_column *column, double value, char *text);
/// The difference of two numbers as printed, in units of the last digit of `theirs`; 0: the same text.
/// NaN if either is NaN.
PAWL_API double pawl_study_digits_apart(const pawl_study_column *column, double ours,
                                        double theirs);
/// Whether a cell is compared with another one and its digits differ.
PAWL_API bool pawl_study_differs(const pawl_study_table *table, int row, int column);

/// One self-contained HTML page: claims, tables and plots, with `footer` below them (NULL: none).
PAWL_API pawl_status pawl_study_write_html(const pawl_env *env, const pawl_study *study,
                                           const char *footer, const char *path);

PAWL_EXTERN_C_END
