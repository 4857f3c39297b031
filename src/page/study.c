// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Collects the contents of a study. Texts and points are copied one by one: a study is small and built once. Tables
// and plots are allocated separately, so that views of them remain valid.
#include "pawl/study.h"
#include "base/array.h"
#include "base/guard.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct study_table {
    pawl_study_table view; // first: a pawl_study_table * is also a study_table *
    pawl_study_column columns[PAWL_STUDY_COLUMNS];
    pawl_array cells; // of pawl_study_cell
} study_table;

typedef struct study_plot {
    pawl_study_plot view; // first
    pawl_study_curve curves[PAWL_STUDY_CURVES];
} study_plot;

struct pawl_study {
    const pawl_env *env;
    char *name, *title, *source;
    pawl_array items;    // of pawl_study_item
    pawl_array claims;   // of pawl_study_claim
    pawl_status failure; // the first
};

// ---- copies ------------------------------------------------------------------------------------

// NULL stays NULL; a copy that fails is noted.
static const char *study_copy(pawl_study *study, const char *text)
{
    if (text == NULL) {
        return NULL;
    }
    char *copy = pawl_text_copy(study->env, text);
    if (copy == NULL) {
        study->failure = PAWL_NO_MEMORY;
    }
    return copy;
}

static void study_drop(const pawl_study *study, const char *text)
{
    pawl_text_free(study->env, (char *)(uintptr_t)text); // made by study_copy, so it may be changed
}

static const double *study_copy_points(pawl_study *study, const double *points, int count)
{
    double *copy = pawl_alloc(study->env, (size_t)count * sizeof *copy);
    if (copy != NULL && count > 0) {
        memcpy(copy, points, (size_t)count * sizeof *copy);
    }
    if (copy == NULL && count > 0) {
        study->failure = PAWL_NO_MEMORY;
    }
    return copy;
}

static void study_drop_points(const pawl_study *study, const double *points, int count)
{
    pawl_free(study->env, (double *)(uintptr_t)points, (size_t)count * sizeof *points);
}

// ---- the study ---------------------------------------------------------------------------------

pawl_status pawl_study_create(const pawl_env *env, const char *name, const char *title,
                              const char *source, pawl_study **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, name);
    PAWL_NEED(env, title);
    PAWL_NEED(env, source);
    PAWL_NEED(env, out);
    *out = NULL;
    pawl_study *study = pawl_alloc(env, sizeof *study);
    if (study == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for a study");
    }
    *study = (pawl_study){.env = env,
                          .name = pawl_text_copy(env, name),
                          .title = pawl_text_copy(env, title),
                          .source = pawl_text_copy(env, source)};
    if (study->name == NULL || study->title == NULL || study->source == NULL) {
        pawl_study_destroy(study);
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for a study");
    }
    *out = study;
    return PAWL_OK;
}

static void study_drop_table(pawl_study *study, study_table *table)
{
    study_drop(study, table->view.title);
    study_drop(study, table->view.note);
    for (int c = 0; c < table->view.column_count; ++c) {
        study_drop(study, table->columns[c].name);
        study_drop(study, table->columns[c].unit);
    }
    for (int i = 0; i < table->cells.count; ++i) {
        study_drop(study, PAWL_ITEM(table->cells, pawl_study_cell, i).text);
    }
    pawl_array_free(study->env, &table->cells);
    pawl_free(study->env, table, sizeof *table);
}

static void study_drop_plot(pawl_study *study, study_plot *plot)
{
    study_drop(study, plot->view.title);
    study_drop(study, plot->view.note);
    study_drop(study, plot->view.x_name);
    study_drop(study, plot->view.x_unit);
    study_drop(study, plot->view.unit);
    for (int k = 0; k < plot->view.curve_count; ++k) {
        study_drop(study, plot->curves[k].label);
        study_drop_points(study, plot->curves[k].x, plot->curves[k].count);
        study_drop_points(study, plot->curves[k].y, plot->curves[k].count);
    }
    pawl_free(study->env, plot, sizeof *plot);
}

void pawl_study_destroy(pawl_study *study)
{
    if (study == NULL) {
        return;
    }
    for (int i = 0; i < study->items.count; ++i) {
        pawl_study_item item = PAWL_ITEM(study->items, pawl_study_item, i);
        study_drop(study, item.paragraph);
        study_drop(study, item.motion);
        if (item.table != NULL) {
            study_drop_table(study, (study_table *)(uintptr_t)item.table);
        }
        if (item.plot != NULL) {
            study_drop_plot(study, (study_plot *)(uintptr_t)item.plot);
        }
    }
    for (int i = 0; i < study->claims.count; ++i) {
        study_drop(study, PAWL_ITEM(study->claims, pawl_study_claim, i).text);
        study_drop(study, PAWL_ITEM(study->claims, pawl_study_claim, i).unit);
    }
    pawl_array_free(study->env, &study->items);
    pawl_array_free(study->env, &study->claims);
    pawl_text_free(study->env, study->name);
    pawl_text_free(study->env, study->title);
    pawl_text_free(study->env, study->source);
    pawl_free(study->env, study, sizeof *study);
}

const char *pawl_study_name(const pawl_study *study)
{
    if (study == NULL) {
        return "";
    }
    return study->name;
}

const char *pawl_study_title(const pawl_study *study)
{
    if (study == NULL) {
        return "";
    }
    return study->title;
}

const char *pawl_study_source(const pawl_study *study)
{
    if (study == NULL) {
        return "";
    }
    return study->source;
}

pawl_status pawl_study_status(const pawl_study *study)
{
    PAWL_NEED(NULL, study);
    return study->failure;
}

// ---- what is added -----------------------------------------------------------------------------

// Whether a call cannot be done; the study then remembers the first reason.
static bool study_misused(pawl_study *study, bool bad, const char *function)
{
    if (study == NULL) {
        return true;
    }
    if (bad && study->failure == PAWL_OK) {
        study->failure = PAWL_FAIL(study->env, PAWL_BAD_ARGUMENT,
                                   "%s: got an argument that is NULL, out of range or does not fit "
                                   "what was added before",
                                   function);
    }
    return bad || study->failure != PAWL_OK;
}

static void study_add_item(pawl_study *study, pawl_study_item item)
{
    pawl_study_item *slot =
        study->failure != PAWL_OK ? NULL : pawl_array_push(study->env, &study->items, sizeof *slot);
    if (slot != NULL) {
        *slot = item;
        return;
    }
    study->failure = PAWL_NO_MEMORY;
    study_drop(study, item.paragraph);
    if (item.table != NULL) {
        study_drop_table(study, (study_table *)(uintptr_t)item.table);
    }
    if (item.plot != NULL) {
        study_drop_plot(study, (study_plot *)(uintptr_t)item.plot);
    }
}

void pawl_study_add_paragraph(pawl_study *study, const char *text)
{
    if (study_misused(study, text == NULL, __func__)) {
        return;
    }
    study_add_item(study, (pawl_study_item){.kind = PAWL_STUDY_PARAGRAPH,
                                            .paragraph = study_copy(study, text)});
}

void pawl_study_add_table(pawl_study *study, const char *title, const char *note,
                          const pawl_study_column *columns, int column_count)
{
    bool bad =
        title == NULL || columns == NULL || column_count < 1 || column_count > PAWL_STUDY_COLUMNS;
    for (int c = 0; c < column_count && !bad; ++c) {
        bad = columns[c].name == NULL || columns[c].against < 0 ||
              columns[c].against > column_count || columns[c].digits < 0 || columns[c].digits > 17;
    }
    if (study_misused(study, bad, __func__)) {
        return;
    }
    study_table *table = pawl_alloc(study->env, sizeof *table);
    if (table == NULL) {
        study->failure = PAWL_NO_MEMORY;
        return;
    }
    table->view = (pawl_study_table){.title = study_copy(study, title),
                                     .note = study_copy(study, note),
                                     .column_count = column_count,
                                     .columns = table->columns};
    for (int c = 0; c < column_count; ++c) {
        table->columns[c] = columns[c];
        table->columns[c].name = study_copy(study, columns[c].name);
        table->columns[c].unit = study_copy(study, columns[c].unit);
    }
    study_add_item(study, (pawl_study_item){.kind = PAWL_STUDY_TABLE, .table = &table->view});
}

// The thing that was added last, if it is of this kind.
static pawl_study_item *study_last(pawl_study *study, pawl_study_kind kind)
{
    int last = study->items.count - 1;
    if (study->failure != PAWL_OK || last < 0 ||
        PAWL_ITEM(study->items, pawl_study_item, last).kind != kind) {
        return NULL;
    }
    return &PAWL_ITEM(study->items, pawl_study_item, last);
}

static void study_add_cell(pawl_study *study, pawl_study_cell cell, bool words,
                           const char *function)
{
    pawl_study_item *item = study_last(study, PAWL_STUDY_TABLE);
    if (study_misused(study, item == NULL, function)) {
        return;
    }
    study_table *table = (study_table *)(uintptr_t)item->table;
    int column = table->cells.count % table->view.column_count;
    if (study_misused(study, table->columns[column].words != words, function)) {
        return;
    }
    pawl_study_cell *slot = pawl_array_push(study->env, &table->cells, sizeof *slot);
    if (slot == NULL) {
        study->failure = PAWL_NO_MEMORY;
        return;
    }
    slot->number = cell.number;
    slot->text = study_copy(study, cell.text);
    table->view.cells = table->cells.data;
    table->view.row_count = table->cells.count / table->view.column_count;
}

void pawl_study_add_number(pawl_study *study, double value)
{
    if (study != NULL) {
        study_add_cell(study, (pawl_study_cell){.number = value}, false, __func__);
    }
}

void pawl_study_add_words(pawl_study *study, const char *words)
{
    if (!study_misused(study, words == NULL, __func__)) {
        study_add_cell(study, (pawl_study_cell){.number = NAN, .text = words}, true, __func__);
    }
}

void pawl_study_add_plot(pawl_study *study, const pawl_study_plot *def)
{
    if (study_misused(study, def == NULL || def->title == NULL, __func__)) {
        return;
    }
    study_plot *plot = pawl_alloc(study->env, sizeof *plot);
    if (plot == NULL) {
        study->failure = PAWL_NO_MEMORY;
        return;
    }
    plot->view = *def;
    plot->view.title = study_copy(study, def->title);
    plot->view.note = study_copy(study, def->note);
    plot->view.x_name = study_copy(study, def->x_name);
    plot->view.x_unit = study_copy(study, def->x_unit);
    plot->view.unit = study_copy(study, def->unit);
    plot->view.curve_count = 0;
    plot->view.curves = plot->curves;
    study_add_item(study, (pawl_study_item){.kind = PAWL_STUDY_PLOT, .plot = &plot->view});
}

void pawl_study_add_motion(pawl_study *study, const char *title, const char *document)
{
    if (!study_misused(study, title == NULL || document == NULL, __func__)) {
        study_add_item(study, (pawl_study_item){.kind = PAWL_STUDY_MOTION,
                                                .paragraph = study_copy(study, title),
                                                .motion = study_copy(study, document)});
    }
}

void pawl_study_add_curve(pawl_study *study, const pawl_study_curve *curve)
{
    bool bad = curve == NULL || curve->label == NULL || curve->count < 0 ||
               (curve->count > 0 && (curve->x == NULL || curve->y == NULL));
    if (study_misused(study, bad, __func__)) {
        return;
    }
    pawl_study_item *item = study_last(study, PAWL_STUDY_PLOT);
    if (study_misused(study, item == NULL || item->plot->curve_count >= PAWL_STUDY_CURVES,
                      __func__)) {
        return;
    }
    study_plot *plot = (study_plot *)(uintptr_t)item->plot;
    plot->curves[plot->view.curve_count++] =
        (pawl_study_curve){.label = study_copy(study, curve->label),
                           .dashed = curve->dashed,
                           .points = curve->points,
                           .count = curve->count,
                           .x = study_copy_points(study, curve->x, curve->count),
                           .y = study_copy_points(study, curve->y, curve->count)};
}

void pawl_study_add_claim(pawl_study *study, const char *text, const char *unit, double value,
                          pawl_relation relation, double limit)
{
    bool relates = (unsigned)relation <= PAWL_EQUAL;
    if (study_misused(study, text == NULL || !relates, __func__)) {
        return;
    }
    pawl_study_claim *claim = study->failure != PAWL_OK
                                  ? NULL
                                  : pawl_array_push(study->env, &study->claims, sizeof *claim);
    if (claim == NULL) {
        study->failure = PAWL_NO_MEMORY;
        return;
    }
    bool met = relation == PAWL_AT_MOST    ? value <= limit
               : relation == PAWL_AT_LEAST ? value >= limit
                                           : value == limit;
    *claim = (pawl_study_claim){.text = study_copy(study, text),
                                .unit = study_copy(study, unit),
                                .value = value,
                                .relation = relation,
                                .limit = limit,
                                .met = met};
}

// ---- what is there -----------------------------------------------------------------------------

int pawl_study_item_count(const pawl_study *study)
{
    return study != NULL ? study->items.count : 0;
}

pawl_study_item pawl_study_item_at(const pawl_study *study, int item)
{
    if (study == NULL || !PAWL_HAS(study->env, "item", item, study->items.count)) {
        return (pawl_study_item){.kind = PAWL_STUDY_PARAGRAPH, .paragraph = ""};
    }
    return PAWL_ITEM(study->items, pawl_study_item, item);
}

int pawl_study_claim_count(const pawl_study *study)
{
    return study != NULL ? study->claims.count : 0;
}

pawl_study_claim pawl_study_claim_at(const pawl_study *study, int claim)
{
    if (study == NULL || !PAWL_HAS(study->env, "claim", claim, study->claims.count)) {
        return (pawl_study_claim){.text = "", .value = NAN, .limit = NAN};
    }
    return PAWL_ITEM(study->claims, pawl_study_claim, claim);
}

bool pawl_study_met(const pawl_study *study)
{
    if (study == NULL) {
        return false;
    }
    for (int i = 0; i < study->claims.count; ++i) {
        if (!PAWL_ITEM(study->claims, pawl_study_claim, i).met) {
            return false;
        }
    }
    return true;
}

const char *pawl_relation_name(pawl_relation relation)
{
    static const char *const names[] = {"at most", "at least", "equal to"};
    return relation >= PAWL_AT_MOST && relation <= PAWL_EQUAL ? names[relation] : "?";
}

// ---- numbers as printed ------------------------------------------------------------------------

// Of a general number, significant ones.
static int study_digits(const pawl_study_column *column)
{
    return column->style == PAWL_NUMBER_GENERAL && column->digits > 0 ? column->digits : 6;
}

const char *pawl_study_print(const pawl_study_column *column, double value, char *text)
{
    int exponent;
    size_t size = PAWL_STUDY_TEXT;
    if (column == NULL || text == NULL) {
        return "";
    }
    if (isnan(value)) {
        (void)snprintf(text, size, "-");
    } else if (column->style == PAWL_NUMBER_FIXED && fabs(value) < 1e15) {
        (void)snprintf(text, size, "%.*f", column->digits, value);
    } else if (column->style == PAWL_NUMBER_SCIENTIFIC) {
        (void)snprintf(text, size, "%.*e", column->digits, value);
    } else if (column->style == PAWL_NUMBER_POWER_OF_TWO && frexp(value, &exponent) == 0.5) {
        (void)snprintf(text, size, "2^%d", exponent - 1);
    } else {
        (void)snprintf(text, size, "%.*g", study_digits(column), value);
    }
    return text;
}

double pawl_study_digits_apart(const pawl_study_column *column, double ours, double theirs)
{
    char a[PAWL_STUDY_TEXT], b[PAWL_STUDY_TEXT];
    if (column == NULL || isnan(ours) || isnan(theirs)) {
        return NAN;
    }
    if (strcmp(pawl_study_print(column, ours, a), pawl_study_print(column, theirs, b)) == 0) {
        return 0.0;
    }
    // The last digit's place: after the point of a fixed number, after the first digit of others.
    double leading = theirs != 0.0 ? floor(log10(fabs(theirs)) + 1e-12) : 0.0;
    double places = column->style == PAWL_NUMBER_FIXED        ? column->digits
                    : column->style == PAWL_NUMBER_SCIENTIFIC ? column->digits - leading
                                                              : study_digits(column) - 1 - leading;
    double apart = fabs(strtod(a, NULL) - strtod(b, NULL)) * pow(10.0, places);
    // A whole number, or a tenth of one where the powers of ten differ: what else there is, is rounding.
    return round(1e3 * apart) / 1e3;
}

bool pawl_study_differs(const pawl_study_table *table, int row, int column)
{
    if (table == NULL || row < 0 || row >= table->row_count || column < 0 ||
        column >= table->column_count) {
        return false;
    }
    const pawl_study_column *c = &table->columns[column];
    if (c->against < 1 || c->against > table->column_count) {
        return false;
    }
    const pawl_study_cell *cells = table->cells + (size_t)row * (size_t)table->column_count;
    // Both as this column prints them: theirs may have been rounded once more by its own.
    return pawl_study_digits_apart(c, cells[column].number, cells[c->against - 1].number) > 0.0;
}
