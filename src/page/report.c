// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The report as one JSON document (docs/pages.md): the model and settings, the verdict, and the results. web/ draws
// the page from it; only the picture, which other documents embed, is drawn here as SVG.
#define _POSIX_C_SOURCE 200809L
#include "base/guard.h"
#include "page/page_document.h"
#include "page/page_json.h"
#include "page/page_motion.h"
#include "page/report_contacts.h"
#include "page/report_events.h"
#include "page/report_picture.h"
#include "page/report_plots.h"
#include "page/report_style.h"
#include "pawl/page.h"
#include "pawl/verdict.h"
#include <math.h>
#include <string.h>

enum { REPORT_PICTURE_WIDTH = 1200, REPORT_ROWS = 200 };

static const char *report_file_name(const pawl_record *record)
{
    const char *path = record_store_path(record->store);
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static void report_write_verdict(report_text *page, const pawl_record *record)
{
    static const char *const judgements[] = {
        [PAWL_NOT_JUDGED] = "null", [PAWL_PASSED] = "true", [PAWL_FAILED] = "false"};
    pawl_verdict_list list = pawl_record_judge(record);
    char sentence[PAWL_SENTENCE_SIZE];
    pawl_verdict_sentence(&list, sentence, sizeof sentence);
    report_add(page, ",\"verdict\":{\"passed\":%s,\"sentence\":",
               list.judgement == PAWL_PASSED ? "true" : "false");
    page_json_string(page, sentence);
    report_add_plain(page, ",\"criteria\":[");
    for (int k = 0; k < list.count; ++k) {
        const pawl_criterion *c = &list.criteria[k];
        bool known = !isnan(c->limit);
        report_add(page,
                   "%s{\"name\":\"%s\",\"met\":%s,\"measured\":%s,\"value\":", k > 0 ? "," : "",
                   c->name, judgements[c->judgement], known ? "true" : "false");
        page_json_number(page, c->value, 9);
        report_add_plain(page, ",\"limit\":");
        page_json_number(page, c->limit, 9);
        page_json_text_key(page, "title", c->title);
        page_json_text_key(page, "unit", c->unit);
        page_json_text_key(page, "where", c->where);
        page_json_text_key(page, "advice", c->advice);
        report_add_plain(page, "}");
    }
    report_add_plain(page, "]}");
}

static pawl_status report_write_run(report_text *page, const pawl_record *record)
{
    double start = 0.0, end = 0.0;
    PAWL_TRY(record_read_rows(record, RECORD_TIME, 0, 1, &start));
    PAWL_TRY(record_read_rows(record, RECORD_TIME, record->frames - 1, 1, &end));
    const pawl_settings *s = &record->settings;
    report_add(
        page,
        ",\"run\":{\"bodies\":%d,\"joints\":%d,\"frames\":%lld,\"steps\":%lld,\"start\":%.12g,"
        "\"end\":%.12g,\"dt\":%.9g,\"project\":%s",
        record->counts.bodies, record->counts.joints, (long long)record->frames,
        (long long)record->verdict.steps, start, end, s->dt, s->project ? "true" : "false");
    page_json_text_key(page, "stepper", pawl_stepper_name((int)s->stepper));
    page_json_text_key(page, "solver", pawl_solver_name((int)s->solver.kind));
    page_json_text_key(page, "formulation", pawl_formulation_name((int)s->formulation));
    page_json_text_key(page, "file", report_file_name(record));
    page_json_text_key(page, "version", record->pawl_version);
    report_add(page, ",\"hash\":\"%016llx\"}", (unsigned long long)record->model_hash);
    return PAWL_OK;
}

static void report_write_settings(report_text *page, const pawl_record *record)
{
    report_add_plain(page, ",\"settings\":[");
    for (int i = 0; i < pawl_setting_count(); ++i) {
        pawl_setting_info info = pawl_setting(i);
        char value[128] = "";
        (void)pawl_settings_get(&record->settings, i, value, sizeof value);
        report_add(page, "%s{\"key\":\"%s\"", i > 0 ? "," : "", info.key);
        page_json_text_key(page, "value", value);
        page_json_text_key(page, "unit", info.unit);
        page_json_text_key(page, "help", info.help);
        report_add_plain(page, "}");
    }
    report_add_plain(page, "]");
}

static const char *report_body_name(const pawl_record *record, int body)
{
    return body == PAWL_WORLD_INDEX ? "world" : record->bodies[body].name;
}

// Long lists are cut: the page is for people, the file has them all.
static void report_write_model(report_text *page, const pawl_record *record)
{
    const record_counts *n = &record->counts;
    report_add_plain(page, ",\"bodies\":[");
    for (int b = 0; b < n->bodies && b < REPORT_ROWS; ++b) {
        report_add(page, "%s{\"mass\":%.9g", b > 0 ? "," : "", record->bodies[b].mass);
        page_json_text_key(page, "name", record->bodies[b].name);
        report_add_plain(page, "}");
    }
    report_add_plain(page, "],\"joints\":[");
    for (int j = 0; j < n->joints && j < REPORT_ROWS; ++j) {
        const record_joint *joint = &record->joints[j];
        report_add(page, "%s{\"kind\":\"%s\"", j > 0 ? "," : "", pawl_joint_kind_name(joint->kind));
        page_json_text_key(page, "name", joint->name);
        page_json_text_key(page, "base", report_body_name(record, joint->base));
        page_json_text_key(page, "follower", report_body_name(record, joint->follower));
        report_add_plain(page, "}");
    }
    report_add_plain(page, "]");
}

static pawl_status report_document(report_text *page, const pawl_record *record)
{
    report_add_plain(page, "{\"format\":1,\"page\":\"report\"");
    page_json_text_key(page, "name", record->model_name);
    PAWL_TRY(report_write_run(page, record));
    report_write_verdict(page, record);
    report_add_plain(page, ",\"motion\":");
    if (record_has(record, RECORD_POSE) && record->frames > 0) {
        PAWL_TRY(page_motion_document(page, record));
    } else {
        report_add_plain(page, "null");
    }
    report_add_plain(page, ",\"plots\":[");
    PAWL_TRY(report_plots_write(page, record));
    report_add_plain(page, "],\"contacts\":[");
    PAWL_TRY(report_contacts_write(page, record));
    report_add_plain(page, "]");
    PAWL_TRY(report_events_write(page, record));
    report_write_settings(page, record);
    report_write_model(page, record);
    report_add_plain(page, "}");
    return PAWL_OK;
}

static pawl_status report_make_page(const pawl_record *record, report_text *page)
{
    report_text document = {.env = page->env};
    pawl_status status = report_document(&document, record);
    if (status == PAWL_OK) {
        status = page_frame(page, record->model_name, "pawl report", &document);
    }
    report_text_free(&document);
    return status;
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

// Opens the recording and lets `make` write about it.
static pawl_status report_open(const pawl_env *env, const char *record_path,
                               pawl_status (*make)(const pawl_record *, report_text *),
                               report_text *page)
{
    pawl_record *record = NULL;
    PAWL_TRY(pawl_record_open(env, record_path, &record));
    report_locale locale = report_locale_begin();
    pawl_status status = make(record, page);
    report_locale_end(&locale);
    pawl_record_close(record);
    return status;
}

static pawl_status report_make(const pawl_env *env, const char *record_path, const char *path,
                               pawl_status (*make)(const pawl_record *, report_text *))
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, record_path);
    PAWL_NEED(env, path);
    report_text page = {.env = env};
    pawl_status status = report_open(env, record_path, make, &page);
    if (status == PAWL_OK) {
        status = report_text_save(&page, path);
    }
    report_text_free(&page);
    return status;
}

static pawl_status report_make_string(const pawl_env *env, const char *record_path,
                                      pawl_string *out,
                                      pawl_status (*make)(const pawl_record *, report_text *))
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, out);
    *out = (pawl_string){0};
    PAWL_NEED(env, record_path);
    report_text page = {.env = env};
    return report_text_hand_over(&page, report_open(env, record_path, make, &page), out);
}

static pawl_status report_make_document(const pawl_record *record, report_text *page)
{
    return report_document(page, record);
}

pawl_status pawl_report_make(const pawl_env *env, const char *record_path, pawl_string *out)
{
    return report_make_string(env, record_path, out, report_make_page);
}

pawl_status pawl_report_json(const pawl_env *env, const char *record_path, pawl_string *out)
{
    return report_make_string(env, record_path, out, report_make_document);
}

pawl_status pawl_report_write(const pawl_env *env, const char *record_path, const char *html_path)
{
    return report_make(env, record_path, html_path, report_make_page);
}

pawl_status pawl_report_picture(const pawl_env *env, const char *record_path, const char *svg_path)
{
    return report_make(env, record_path, svg_path, report_make_picture);
}
