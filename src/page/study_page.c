// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A study as one JSON document and a page around it. Numbers are formatted here, because the digits of a cell are
// compared with a paper; web/ arranges them.
#define _POSIX_C_SOURCE 200809L
#include "base/guard.h"
#include "page/page_document.h"
#include "page/page_json.h"
#include "page/report_plot.h"
#include "pawl/study.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

_Static_assert((int)PAWL_STUDY_CURVES <= (int)REPORT_CURVES,
               "a plot of a study is a plot of a report");

static void study_write_claims(report_text *page, const pawl_study *study)
{
    report_add_plain(page, ",\"claims\":[");
    for (int i = 0; i < pawl_study_claim_count(study); ++i) {
        pawl_study_claim claim = pawl_study_claim_at(study, i);
        report_add(page, "%s{\"met\":%s", i > 0 ? "," : "", claim.met ? "true" : "false");
        page_json_text_key(page, "text", claim.text);
        page_json_text_key(page, "unit", claim.unit);
        page_json_text_key(page, "found", report_format(claim.value).text);
        page_json_text_key(page, "relation", pawl_relation_name(claim.relation));
        page_json_text_key(page, "limit", report_format(claim.limit).text);
        report_add_plain(page, "}");
    }
    report_add_plain(page, "]");
}

static void study_write_row(report_text *page, const pawl_study_table *table, int row)
{
    report_add_plain(page, row > 0 ? ",[" : "[");
    for (int c = 0; c < table->column_count; ++c) {
        const pawl_study_column *column = &table->columns[c];
        const pawl_study_cell *cell =
            &table->cells[(size_t)row * (size_t)table->column_count + (size_t)c];
        char text[PAWL_STUDY_TEXT];
        report_add_plain(page, c > 0 ? "," : "");
        if (column->words) {
            page_json_string(page, cell->text);
        } else {
            page_json_string(page, pawl_study_print(column, cell->number, text));
        }
    }
    report_add_plain(page, "]");
}

static void study_write_table(report_text *page, const pawl_study_table *table)
{
    report_add_plain(page, "{\"kind\":\"table\"");
    page_json_text_key(page, "title", table->title);
    page_json_text_key(page, "note", table->note);
    report_add_plain(page, ",\"columns\":[");
    for (int c = 0; c < table->column_count; ++c) {
        const pawl_study_column *column = &table->columns[c];
        report_add(page, "%s{\"words\":%s,\"against\":%d", c > 0 ? "," : "",
                   column->words ? "true" : "false", column->against);
        page_json_text_key(page, "name", column->name);
        page_json_text_key(page, "unit", column->unit);
        report_add_plain(page, "}");
    }
    report_add_plain(page, "],\"rows\":[");
    for (int r = 0; r < table->row_count; ++r) {
        study_write_row(page, table, r);
    }
    report_add_plain(
        page,
        "],\"differs\":["); // cells whose printed digits are not those that they stand against
    bool first = true;
    for (int r = 0; r < table->row_count; ++r) {
        for (int c = 0; c < table->column_count; ++c) {
            if (pawl_study_differs(table, r, c)) {
                report_add(page, "%s[%d,%d]", first ? "" : ",", r, c);
                first = false;
            }
        }
    }
    report_add_plain(page, "]}");
}

static bool study_point_shown(const pawl_study_plot *plot, double x, double y)
{
    return isfinite(x) && isfinite(y) && (!plot->x_log || x > 0.0) && (!plot->log || y > 0.0);
}

static pawl_status study_write_plot(report_text *page, const pawl_study_plot *plot)
{
    report_plot drawn;
    PAWL_TRY(report_plot_create(page->env, plot->curve_count, &drawn));
    for (int k = 0; k < plot->curve_count; ++k) {
        const pawl_study_curve *curve = &plot->curves[k];
        report_curve *to = &drawn.curves[k];
        (void)snprintf(to->label, sizeof to->label, "%s", curve->label);
        to->dashed = curve->dashed;
        to->points = curve->points;
        report_thinner thinner = report_thin_begin(curve->count);
        for (int i = 0; i < curve->count; ++i) {
            bool shown = study_point_shown(plot, curve->x[i], curve->y[i]);
            report_thin_add(&thinner, to, curve->x[i], shown ? curve->y[i] : NAN);
        }
    }
    report_add_plain(page, "{\"kind\":\"plot\",\"plot\":");
    report_plot_write(page, &drawn,
                      &(report_plot_style){.title = plot->title,
                                           .unit = plot->unit == NULL ? "" : plot->unit,
                                           .note = plot->note,
                                           .log = plot->log,
                                           .zero = plot->zero,
                                           .x_name = plot->x_name,
                                           .x_unit = plot->x_unit,
                                           .x_log = plot->x_log,
                                           .dots = plot->dots});
    report_add_plain(page, "}");
    report_plot_free(page->env, &drawn);
    return PAWL_OK;
}

static pawl_status study_write_item(report_text *page, const pawl_study_item *item)
{
    switch (item->kind) {
    case PAWL_STUDY_PARAGRAPH:
        report_add_plain(page, "{\"kind\":\"paragraph\"");
        page_json_text_key(page, "text", item->paragraph);
        report_add_plain(page, "}");
        break;
    case PAWL_STUDY_TABLE:
        study_write_table(page, item->table);
        break;
    case PAWL_STUDY_PLOT:
        return study_write_plot(page, item->plot);
    case PAWL_STUDY_MOTION:
        report_add_plain(page, "{\"kind\":\"motion\"");
        page_json_text_key(page, "title", item->paragraph);
        report_add_plain(page, ",\"motion\":");
        report_add_plain(page, item->motion);
        report_add_plain(page, "}");
        break;
    }
    return PAWL_OK;
}

static pawl_status study_document(report_text *page, const pawl_study *study, const char *footer)
{
    report_add_plain(page, "{\"format\":1,\"page\":\"study\"");
    page_json_text_key(page, "name", pawl_study_name(study));
    page_json_text_key(page, "title", pawl_study_title(study));
    page_json_text_key(page, "source", pawl_study_source(study));
    page_json_text_key(page, "footer", footer);
    study_write_claims(page, study);
    report_add_plain(page, ",\"items\":[");
    bool first = true;
    for (int i = 0; i < pawl_study_item_count(study); ++i) {
        pawl_study_item item = pawl_study_item_at(study, i);
        if (item.kind == PAWL_STUDY_PLOT && item.plot->curve_count == 0) {
            continue;
        }
        report_add_plain(page, first ? "" : ",");
        first = false;
        PAWL_TRY(study_write_item(page, &item));
    }
    report_add_plain(page, "]}");
    return PAWL_OK;
}

pawl_status pawl_study_write_html(const pawl_env *env, const pawl_study *study, const char *footer,
                                  const char *path)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, study);
    PAWL_NEED(env, path);
    report_text page = {.env = env}, document = {.env = env};
    report_locale locale = report_locale_begin();
    pawl_status status = study_document(&document, study, footer);
    report_locale_end(&locale);
    if (status == PAWL_OK) {
        status = page_frame(&page, pawl_study_name(study), "pawl reproduce", &document);
    }
    if (status == PAWL_OK) {
        status = report_text_save(&page, path);
    }
    report_text_free(&document);
    report_text_free(&page);
    return status;
}
