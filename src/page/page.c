// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A page is an HTML frame around one JSON document and the bundle of web/, which draws everything. Without the bundle
// the page shows a notice, and programs can still read its document.
#define _POSIX_C_SOURCE 200809L
#include "pawl/page.h"
#include "base/guard.h"
#include "page/page_document.h"
#include "page/page_motion.h"
#include "page/page_scene.h"
#include "page/player_bundle.h"
#include <string.h>

static const char page_without_bundle[] =
    "<p id=\"pawl-no-bundle\">This pawl was built without Node and npm: the page contains its "
    "data, "
    "but not the "
    "program that shows it. Install them, build again, and write the page anew.</p>\n";
static const char page_without_script[] =
    "<noscript>This page is drawn by its script: allow scripts to see it. Nothing is loaded from "
    "elsewhere.</noscript>\n";

void pawl_string_free(const pawl_env *env, pawl_string *text)
{
    if (env != NULL && env->resize != NULL && text != NULL && text->data != NULL) {
        (void)env->resize(env->user, text->data, text->capacity, 0);
        *text = (pawl_string){0};
    }
}

bool pawl_page_has_bundle(void)
{
    return pawl_player_bundle_size > 0;
}

pawl_status page_frame(report_text *page, const char *title, const char *kind,
                       const report_text *document)
{
    if (document->failed || document->data == NULL) {
        return PAWL_FAIL(page->env, PAWL_NO_MEMORY, "no memory for a page");
    }
    if (strstr(document->data, "</") != NULL) {
        return PAWL_FAIL(page->env, PAWL_BAD_ARGUMENT,
                         "the document of a page contains \"</\", which would end its element; "
                         "expected \"<\" to be written as \\u003c");
    }
    report_add_plain(page, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                           "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
                           "<link rel=\"icon\" href=\"data:,\"><title>");
    report_add_escaped(page, title);
    if (kind[0] != '\0') {
        report_add(page, " - %s", kind);
    }
    report_add_plain(page, "</title></head><body>\n");
    report_add_plain(page,
                     pawl_player_bundle_size == 0 ? page_without_bundle : page_without_script);
    report_add_plain(page, "<script type=\"application/json\" id=\"pawl-document\">");
    report_add_plain(page, document->data);
    report_add_plain(page, "</script>\n");
    if (pawl_player_bundle_size > 0) {
        report_add_plain(page, "<script>");
        report_add_plain(page, pawl_player_bundle);
        report_add_plain(page, "</script>\n");
    }
    report_add_plain(page, "</body></html>\n");
    return PAWL_OK;
}

// The same around a document that a caller made.
static pawl_status page_text(report_text *page, const char *title, const char *document)
{
    report_text copy = {.env = page->env};
    report_add_plain(&copy, document);
    pawl_status status = page_frame(page, title, "", &copy);
    report_text_free(&copy);
    return status;
}

pawl_status pawl_page_make(const pawl_env *env, const char *title, const char *document,
                           pawl_string *out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, out);
    *out = (pawl_string){0};
    PAWL_NEED(env, title);
    PAWL_NEED(env, document);
    report_text page = {.env = env};
    return report_text_hand_over(&page, page_text(&page, title, document), out);
}

pawl_status pawl_page_write(const pawl_env *env, const char *title, const char *document,
                            const char *path)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, title);
    PAWL_NEED(env, document);
    PAWL_NEED(env, path);
    report_text page = {.env = env};
    pawl_status status = page_text(&page, title, document);
    if (status == PAWL_OK) {
        status = report_text_save(&page, path);
    }
    report_text_free(&page);
    return status;
}

pawl_status pawl_scene_json(const pawl_env *env, const pawl_model *model, pawl_string *out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, out);
    *out = (pawl_string){0};
    PAWL_NEED(env, model);
    page_scene scene = {0};
    PAWL_TRY(page_scene_of_model(env, model, &scene));
    report_locale locale = report_locale_begin();
    report_text text = {.env = env};
    report_add_plain(&text, "{\"format\":1,");
    pawl_status status = page_scene_write(&text, &scene);
    report_add_plain(&text, "}");
    report_locale_end(&locale);
    page_scene_free(&scene);
    return report_text_hand_over(&text, status, out);
}

pawl_status pawl_motion_json(const pawl_env *env, const char *record_path, pawl_string *out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, out);
    *out = (pawl_string){0};
    PAWL_NEED(env, record_path);
    pawl_record *record = NULL;
    PAWL_TRY(pawl_record_open(env, record_path, &record));
    report_locale locale = report_locale_begin();
    report_text text = {.env = env};
    pawl_status status = PAWL_OK;
    if (record_has(record, RECORD_POSE) && record->frames > 0) {
        status = page_motion_document(&text, record);
    } else {
        status = PAWL_FAIL(env, PAWL_UNSUPPORTED, "%s: has no poses; record with the trace 'q'",
                           record_path);
    }
    report_locale_end(&locale);
    pawl_record_close(record);
    return report_text_hand_over(&text, status, out);
}
