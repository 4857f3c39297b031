// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A study as one HTML page, in the style of a run's report and with its plots. Claims come first:
// who reads one line should read whether the work was reproduced.
#define _POSIX_C_SOURCE 200809L
#include "base/guard.h"
#include "page/report_plot.h"
#include "page/report_style.h"
#include "pawl/study.h"
#include <math.h>
#include <string.h>

_Static_assert((int)PAWL_STUDY_CURVES == (int)REPORT_CURVES,
               "a plot of a study is a plot of a report");

// Escaped, with powers as such: "2^-5" gets its exponent raised.
static void page_add_text(report_text *page, const char *text)
{
    for (;;) {
        size_t plain = strcspn(text, "^");
        report_add_escaped_part(page, text, plain);
        text += plain;
        if (*text == '\0') {
            return;
        }
        size_t power = strspn(text + 1, "-0123456789");
        if (power > 0) {
            report_add(page, "<sup>%.*s</sup>", (int)power, text + 1);
        } else {
            report_add_plain(page, "^");
        }
        text += 1 + power;
    }
}

static void page_add_unit(report_text *page, const char *unit)
{
    if (unit != NULL && unit[0] != '\0') {
        report_add_plain(page, " <small>[");
        report_add_escaped(page, unit);
        report_add_plain(page, "]</small>");
    }
}

static void page_add_verdict(report_text *page, const pawl_study *study)
{
    int count = pawl_study_claim_count(study), met = 0;
    for (int i = 0; i < count; ++i) {
        met += pawl_study_claim_at(study, i).met ? 1 : 0;
    }
    if (met == count) {
        report_add(
            page,
            "<section class=\"verdict pass\"><strong>REPRODUCED</strong><p>%s</p></section>\n",
            count > 0 ? "Every claim below is met." : "There was nothing to claim.");
    } else {
        report_add(page,
                   "<section class=\"verdict check\"><strong>NOT MET</strong><p>%d of %d claims "
                   "are not met; they are marked below.</p></section>\n",
                   count - met, count);
    }
}

static void page_add_claims(report_text *page, const pawl_study *study)
{
    report_add_plain(page, "<h2>Claims</h2><div class=\"card table\"><table><tr><th>claim</th>"
                           "<th class=\"n\">found</th><th>limit</th><th>met</th></tr>\n");
    for (int i = 0; i < pawl_study_claim_count(study); ++i) {
        pawl_study_claim claim = pawl_study_claim_at(study, i);
        report_add_plain(page, "<tr><td>");
        page_add_text(page, claim.text);
        report_add(page, "</td><td class=\"n\">%s</td><td>%s %s", report_format(claim.value).text,
                   pawl_relation_name(claim.relation), report_format(claim.limit).text);
        if (claim.unit != NULL && claim.unit[0] != '\0') {
            report_add_plain(page, " ");
            report_add_escaped(page, claim.unit);
        }
        report_add(page, "</td><td class=\"%s\">%s</td></tr>\n", claim.met ? "ok" : "no",
                   claim.met ? "✓ yes" : "! no");
    }
    report_add_plain(page, "</table></div>\n");
}

// Other columns stand against it.
static bool page_is_reference(const pawl_study_table *table, int column)
{
    for (int c = 0; c < table->column_count; ++c) {
        if (table->columns[c].against == column + 1) {
            return true;
        }
    }
    return false;
}

static void page_add_cell(report_text *page, const pawl_study_table *table, int row, int column)
{
    const pawl_study_column *c = &table->columns[column];
    const pawl_study_cell *cell =
        &table->cells[(size_t)row * (size_t)table->column_count + (size_t)column];
    char text[PAWL_STUDY_TEXT];
    if (c->words) {
        report_add_plain(page, "<td>");
        page_add_text(page, cell->text == NULL ? "" : cell->text);
    } else {
        report_add(page, "<td class=\"n%s%s%s\">", c->against > 0 ? " ours" : "",
                   pawl_study_differs(table, row, column) ? " differs" : "",
                   page_is_reference(table, column) ? " theirs" : "");
        page_add_text(page, pawl_study_print(c, cell->number, text));
    }
    report_add_plain(page, "</td>");
}

static void page_add_table(report_text *page, const pawl_study_table *table)
{
    report_add_plain(page, "<h2>");
    page_add_text(page, table->title);
    report_add_plain(page, "</h2>");
    report_add_plain(page, "<div class=\"card table\"><table><tr>");
    for (int c = 0; c < table->column_count; ++c) {
        report_add(page, "<th%s>",
                   table->columns[c].words         ? ""
                   : table->columns[c].against > 0 ? " class=\"n ours\""
                                                   : " class=\"n\"");
        report_add_escaped(page, table->columns[c].name);
        page_add_unit(page, table->columns[c].unit);
        report_add_plain(page, "</th>");
    }
    report_add_plain(page, "</tr>\n");
    bool differs = false;
    for (int r = 0; r < table->row_count; ++r) {
        report_add_plain(page, "<tr>");
        for (int c = 0; c < table->column_count; ++c) {
            page_add_cell(page, table, r, c);
            differs = differs || pawl_study_differs(table, r, c);
        }
        report_add_plain(page, "</tr>\n");
    }
    report_add_plain(page, "</table></div>\n");
    if (table->note != NULL || differs) {
        report_add_plain(page, "<p class=\"note\">");
        page_add_text(page, table->note == NULL ? "" : table->note);
        report_add(page, "%s</p>\n",
                   differs ? " <span class=\"differs\">Marked</span>: the printed digits differ."
                           : "");
    }
}

static bool page_point_shown(const pawl_study_plot *plot, double x, double y)
{
    return isfinite(x) && isfinite(y) && (!plot->x_log || x > 0.0) && (!plot->log || y > 0.0);
}

static pawl_status page_add_plot(report_text *page, const pawl_study_plot *plot)
{
    if (plot->curve_count == 0) {
        return PAWL_OK;
    }
    report_plot drawn;
    PAWL_TRY(report_plot_create(page->env, plot->curve_count, &drawn));
    drawn.start = INFINITY;
    drawn.end = -INFINITY;
    for (int k = 0; k < plot->curve_count; ++k) {
        const pawl_study_curve *curve = &plot->curves[k];
        report_curve *to = &drawn.curves[k];
        (void)snprintf(to->label, sizeof to->label, "%s", curve->label);
        to->dashed = curve->dashed;
        to->points = curve->points;
        report_thinner thinner = report_thin_begin(curve->count);
        for (int i = 0; i < curve->count; ++i) {
            bool shown = page_point_shown(plot, curve->x[i], curve->y[i]);
            report_thin_add(&thinner, to, curve->x[i], shown ? curve->y[i] : NAN);
            if (shown) {
                drawn.start = fmin(drawn.start, curve->x[i]);
                drawn.end = fmax(drawn.end, curve->x[i]);
            }
        }
    }
    report_plot_draw(page, &drawn,
                     &(report_plot_style){.title = plot->title,
                                          .unit = plot->unit == NULL ? "" : plot->unit,
                                          .note = plot->note,
                                          .log = plot->log,
                                          .zero = plot->zero,
                                          .x_name = plot->x_name,
                                          .x_unit = plot->x_unit,
                                          .x_log = plot->x_log,
                                          .dots = plot->dots});
    report_plot_free(page->env, &drawn);
    return PAWL_OK;
}

// Plots that follow each other share a grid.
static pawl_status page_add_items(report_text *page, const pawl_study *study)
{
    bool in_plots = false;
    for (int i = 0; i < pawl_study_item_count(study); ++i) {
        pawl_study_item item = pawl_study_item_at(study, i);
        bool is_plot = item.kind == PAWL_STUDY_PLOT;
        if (is_plot != in_plots) {
            report_add_plain(page, is_plot ? "<div class=\"plots\">\n" : "</div>\n");
            in_plots = is_plot;
        }
        switch (item.kind) {
        case PAWL_STUDY_PARAGRAPH:
            report_add_plain(page, "<p class=\"prose\">");
            page_add_text(page, item.paragraph);
            report_add_plain(page, "</p>\n");
            break;
        case PAWL_STUDY_TABLE:
            page_add_table(page, item.table);
            break;
        case PAWL_STUDY_PLOT:
            PAWL_TRY(page_add_plot(page, item.plot));
            break;
        }
    }
    report_add_plain(page, in_plots ? "</div>\n" : "");
    return PAWL_OK;
}

static pawl_status page_make(report_text *page, const pawl_study *study, const char *footer)
{
    report_add_plain(page, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                           "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
                           "<title>");
    report_add_escaped(page, pawl_study_name(study));
    report_add_plain(page, " - pawl reproduce</title><style>");
    report_add_plain(page, report_style_colours);
    report_add_plain(page, report_style_picture);
    report_add_plain(page, report_style_page);
    report_add_plain(page, report_style_study);
    report_add_plain(page, "</style></head><body><main>\n<header><div class=\"eyebrow\">pawl "
                           "reproduce ");
    report_add_escaped(page, pawl_study_name(study));
    report_add_plain(page, "</div><h1>");
    report_add_escaped(page, pawl_study_title(study));
    report_add_plain(page, "</h1><p class=\"lead\">");
    report_add_escaped(page, pawl_study_source(study));
    report_add_plain(page, "</p></header>\n");
    page_add_verdict(page, study);
    page_add_claims(page, study);
    PAWL_TRY(page_add_items(page, study));
    if (footer != NULL) {
        report_add_plain(page, "<footer>");
        report_add_escaped(page, footer);
        report_add_plain(page, "</footer>\n");
    }
    report_add_plain(page, "</main><script>");
    report_add_plain(page, report_style_script);
    report_add_plain(page, "</script></body></html>\n");
    return PAWL_OK;
}

pawl_status pawl_study_write_html(const pawl_env *env, const pawl_study *study, const char *footer,
                                  const char *path)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, study);
    PAWL_NEED(env, path);
    report_text page = {.env = env};
    report_locale locale = report_locale_begin();
    pawl_status status = page_make(&page, study, footer);
    report_locale_end(&locale);
    if (status == PAWL_OK) {
        status = report_text_save(&page, path);
    }
    report_text_free(&page);
    return status;
}
