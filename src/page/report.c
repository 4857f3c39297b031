// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The report page: what was simulated, whether it can be trusted, what happened. Names come from
// model files and are escaped; everything else on the page is ours.
#define _POSIX_C_SOURCE 200809L
#include "base/guard.h"
#include "page/page_motion.h"
#include "page/player_bundle.h"
#include "page/report_contacts.h"
#include "page/report_events.h"
#include "page/report_picture.h"
#include "page/report_plots.h"
#include "page/report_style.h"
#include "pawl/page.h"
#include "pawl/verdict.h"
#include <math.h>
#include <string.h>

enum { REPORT_STRIP = 6, REPORT_PICTURE_WIDTH = 1200 };

// One criterion of the verdict as a card.
static void report_write_criterion(report_text *page, const pawl_criterion *c)
{
    static const char *const marks[] = {
        [PAWL_NOT_JUDGED] = "<span>not judged</span>",
        [PAWL_PASSED] = "<span class=\"ok\">✓ passed</span>",
        [PAWL_FAILED] = "<span class=\"no\">! FAILED</span>",
    };
    report_add(page,
               "<div class=\"card\" data-criterion=\"%s\"><div class=\"name\"><span>%s</span>%s",
               c->name, c->title, marks[c->judgement]);
    bool known = !isnan(c->limit);
    report_add(page, "</div><div class=\"value\">%s <small>%s</small></div><div class=\"where\">",
               known ? report_format(c->value).text : "–", known ? c->unit : "");
    if (known && isfinite(c->limit)) {
        report_add(page, "at most %s%s%s", report_format(c->limit).text,
                   c->unit[0] == '\0' ? "" : " ", c->unit);
    }
    if (c->where[0] != '\0') {
        report_add_plain(page, known && isfinite(c->limit) ? "; " : "");
        report_add_escaped(page, c->where);
    }
    if (c->judgement != PAWL_PASSED) {
        report_add_plain(page, "<br>");
        report_add_escaped(page, c->advice);
    }
    report_add_plain(page, "</div></div>\n");
}

// The verdict in one sentence, the machine in motion, then each criterion.
static pawl_status report_write_verdict(report_text *page, const pawl_record *record)
{
    pawl_verdict_list list = pawl_record_judge(record);
    char sentence[PAWL_SENTENCE_SIZE];
    pawl_verdict_sentence(&list, sentence, sizeof sentence);
    bool passed = list.judgement == PAWL_PASSED;
    report_add(page, "<section class=\"verdict %s\"><p>", passed ? "pass" : "check");
    report_add_escaped(page, sentence);
    report_add_plain(page, "</p></section>\n");
    PAWL_TRY(page_motion_write(page, record));
    report_add_plain(page, "<section class=\"figures\">\n");
    for (int k = 0; k < list.count; ++k) {
        report_write_criterion(page, &list.criteria[k]);
    }
    report_add_plain(page, "</section>\n");
    return PAWL_OK;
}

static void report_count(report_text *page, long long count, const char *one, const char *many)
{
    report_add(page, "%lld %s", count, count == 1 ? one : many);
}

static pawl_status report_write_head(report_text *page, const pawl_record *record)
{
    double start = 0.0, end = 0.0;
    PAWL_TRY(record_read_rows(record, RECORD_TIME, 0, 1, &start));
    PAWL_TRY(record_read_rows(record, RECORD_TIME, record->frames - 1, 1, &end));
    const pawl_settings *s = &record->settings;
    report_add_plain(page, "<header><div class=\"eyebrow\">Simulation report</div><h1>");
    report_add_escaped(page, record->model_name);
    report_add_plain(page, "</h1><p class=\"lead\">");
    report_count(page, record->counts.bodies, "body", "bodies");
    report_add_plain(page, ", ");
    report_count(page, record->counts.joints, "joint", "joints");
    report_add(page, " · %s s in ", report_format(end - start).text);
    report_count(page, (long long)record->verdict.steps, "step", "steps");
    report_add(page, " of %s s · stepper %s, solver %s%s · ", report_format(s->dt).text,
               pawl_stepper_name((int)s->stepper), pawl_solver_name((int)s->solver.kind),
               s->project ? ", projected" : "");
    report_count(page, (long long)record->frames, "recorded frame", "recorded frames");
    report_add_plain(page, "</p></header>\n");
    return PAWL_OK;
}

static void report_write_pictures(report_text *page, const report_picture *picture)
{
    const double width = REPORT_PICTURE_WIDTH;
    double height = report_picture_height(picture, width);
    report_add(page,
               "<section class=\"drawings\"><h2>Mechanism</h2><figure><svg viewBox=\"0 0 %.0f "
               "%.0f\" role=\"img\" "
               "aria-label=\"The mechanism at the start and later\">",
               width, height);
    report_picture_draw(page, picture, width, height);
    report_add_plain(page, "</svg></figure>\n");
    height = report_picture_strip_height(picture, REPORT_STRIP, width);
    if (height > 0.0) {
        report_add(page,
                   "<figure class=\"strip\"><svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
                   "aria-label=\"Moments from start to end\">",
                   width, height);
        report_picture_strip(page, picture, REPORT_STRIP, width, height);
        report_add_plain(page, "</svg></figure>\n");
    }
    report_add_plain(page, "</section>\n");
}

static void report_write_settings(report_text *page, const pawl_record *record)
{
    report_add_plain(page,
                     "<details class=\"card\"><summary>Settings</summary><div class=\"scroll\">"
                     "<table><tr><th>key</th><th>value</th><th>unit</th><th>meaning</th></tr>");
    for (int i = 0; i < pawl_setting_count(); ++i) {
        pawl_setting_info info = pawl_setting(i);
        char value[128];
        pawl_settings_get(&record->settings, i, value, sizeof value);
        report_add_plain(page, "<tr><td>");
        report_add_escaped(page, info.key);
        report_add_plain(page, "</td><td>");
        report_add_escaped(page, value);
        report_add_plain(page, "</td><td>");
        report_add_escaped(page, info.unit == NULL ? "" : info.unit);
        report_add_plain(page, "</td><td>");
        report_add_escaped(page, info.help == NULL ? "" : info.help);
        report_add_plain(page, "</td></tr>\n");
    }
    report_add_plain(page, "</table></div></details>\n");
}

static void report_write_body_name(report_text *page, const pawl_record *record, int body)
{
    if (body == PAWL_WORLD_INDEX) {
        report_add_plain(page, "<i>world</i>");
    } else {
        report_add_escaped(page, record->bodies[body].name);
    }
}

// Long lists are cut: the page is for people, the file has them all.
static void report_write_model(report_text *page, const pawl_record *record)
{
    enum { ROWS = 200 };
    const record_counts *n = &record->counts;
    report_add_plain(page, "<details class=\"card\"><summary>Bodies and joints</summary>"
                           "<div class=\"scroll\"><table><tr><th>body</th><th class=\"n\">mass [kg]"
                           "</th></tr>");
    for (int b = 0; b < n->bodies && b < ROWS; ++b) {
        report_add_plain(page, "<tr><td>");
        report_add_escaped(page, record->bodies[b].name);
        report_add(page, "</td><td class=\"n\">%s</td></tr>\n",
                   report_format(record->bodies[b].mass).text);
    }
    if (n->bodies > ROWS) {
        report_add(page, "<tr><td colspan=\"2\">and %d more</td></tr>", n->bodies - ROWS);
    }
    report_add_plain(page, "</table></div><div class=\"scroll\"><table><tr><th>joint</th>"
                           "<th>kind</th><th>base</th><th>follower</th></tr>");
    for (int j = 0; j < n->joints && j < ROWS; ++j) {
        const record_joint *joint = &record->joints[j];
        report_add_plain(page, "<tr><td>");
        report_add_escaped(page, joint->name);
        report_add(page, "</td><td>%s</td><td>", pawl_joint_kind_name(joint->kind));
        report_write_body_name(page, record, joint->base);
        report_add_plain(page, "</td><td>");
        report_write_body_name(page, record, joint->follower);
        report_add_plain(page, "</td></tr>\n");
    }
    if (n->joints > ROWS) {
        report_add(page, "<tr><td colspan=\"4\">and %d more</td></tr>", n->joints - ROWS);
    }
    report_add_plain(page, "</table></div></details>\n");
}

static void report_write_footer(report_text *page, const pawl_record *record)
{
    const char *path = record_store_path(record->store);
    const char *slash = strrchr(path, '/');
    report_add_plain(page, "<footer>Recorded by pawl ");
    report_add_escaped(page, record->pawl_version);
    report_add_plain(page, " in <b>");
    report_add_escaped(page, slash == NULL ? path : slash + 1);
    report_add(page,
               "</b>; model hash %016llx. Residuals and closure are the worst since the frame "
               "before, so that no step is left out. Energy balance: energy now, less all "
               "work done since the start, less energy at the start.</footer>\n",
               (unsigned long long)record->model_hash);
}

static pawl_status report_make_page(const pawl_record *record, report_text *page)
{
    report_picture *picture = NULL;
    PAWL_TRY(report_picture_create(record, &picture));
    report_add_plain(page, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                           "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
                           "<title>");
    report_add_escaped(page, record->model_name);
    report_add_plain(page, " - pawl report</title><style>");
    report_add_plain(page, report_style_colours);
    report_add_plain(page, report_style_picture);
    report_add_plain(page, report_style_page);
    report_add_plain(page, "</style></head><body><main>\n");
    pawl_status status = report_write_head(page, record);
    if (status == PAWL_OK) {
        status = report_write_verdict(page, record);
    }
    if (status == PAWL_OK) {
        if (picture != NULL) {
            report_write_pictures(page, picture);
        }
        status = report_plots_write(page, record);
    }
    if (status == PAWL_OK) {
        status = report_contacts_write(page, record);
    }
    if (status == PAWL_OK) {
        status = report_events_write(page, record);
    }
    report_picture_destroy(picture);
    PAWL_TRY(status);
    report_add_plain(page, "<h2>Details</h2>\n");
    report_write_settings(page, record);
    report_write_model(page, record);
    report_write_footer(page, record);
    report_add_plain(page, "</main><script>");
    report_add_plain(page, report_style_script);
    report_add_plain(page, "</script>");
    if (pawl_player_bundle_size > 0) {
        report_add_plain(page, "<script>");
        report_add_plain(page, pawl_player_bundle);
        report_add_plain(page, "</script>");
    }
    report_add_plain(page, "</body></html>\n");
    return PAWL_OK;
}

static pawl_status report_make_picture(const pawl_record *record, report_text *page)
{
    report_picture *picture = NULL;
    PAWL_TRY(report_picture_create(record, &picture));
    if (picture == NULL) {
        return PAWL_FAIL(record->env, PAWL_UNSUPPORTED,
                         "%s: has no poses to draw; record with the trace 'q'",
                         record_store_path(record->store));
    }
    const double width = REPORT_PICTURE_WIDTH, height = report_picture_height(picture, width);
    report_add(page,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
               "viewBox=\"0 0 %.0f %.0f\"><title>",
               width, height, width, height);
    report_add_escaped(page, record->model_name);
    report_add_plain(page, "</title><style>");
    report_add_plain(page, report_style_colours);
    report_add_plain(page, report_style_picture);
    report_add(page,
               "</style><rect x=\".5\" y=\".5\" width=\"%.0f\" height=\"%.0f\" rx=\"10\" "
               "fill=\"var(--card)\" stroke=\"var(--line)\"/>\n",
               width - 1.0, height - 1.0);
    report_picture_draw(page, picture, width, height);
    report_add_plain(page, "</svg>\n");
    report_picture_destroy(picture);
    return PAWL_OK;
}

static pawl_status report_make(const pawl_env *env, const char *record_path, const char *path,
                               pawl_status (*make)(const pawl_record *, report_text *))
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, record_path);
    PAWL_NEED(env, path);
    pawl_record *record = NULL;
    PAWL_TRY(pawl_record_open(env, record_path, &record));
    report_locale locale = report_locale_begin();
    report_text page = {.env = env};
    pawl_status status = make(record, &page);
    report_locale_end(&locale);
    pawl_record_close(record);
    if (status == PAWL_OK) {
        status = report_text_save(&page, path);
    }
    report_text_free(&page);
    return status;
}

pawl_status pawl_report_make(const pawl_env *env, const char *record_path, pawl_string *out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, out);
    *out = (pawl_string){0};
    PAWL_NEED(env, record_path);
    pawl_record *record = NULL;
    PAWL_TRY(pawl_record_open(env, record_path, &record));
    report_locale locale = report_locale_begin();
    report_text page = {.env = env};
    pawl_status status = report_make_page(record, &page);
    report_locale_end(&locale);
    pawl_record_close(record);
    return report_text_hand_over(&page, status, out);
}

pawl_status pawl_report_write(const pawl_env *env, const char *record_path, const char *html_path)
{
    return report_make(env, record_path, html_path, report_make_page);
}

pawl_status pawl_report_picture(const pawl_env *env, const char *record_path, const char *svg_path)
{
    return report_make(env, record_path, svg_path, report_make_picture);
}
