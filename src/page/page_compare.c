// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Several runs as one document: the documents of their reports, side by side. The page, which has all settings,
// criteria and curves, finds the differences.
#define _POSIX_C_SOURCE 200809L
#include "base/guard.h"
#include "page/page_document.h"
#include "pawl/io.h"
#include "pawl/page.h"

static pawl_status compare_document(const pawl_env *env, const char *const *paths, int count,
                                    report_text *text)
{
    report_add_plain(text, "{\"format\":1,\"page\":\"compare\",\"runs\":[");
    for (int i = 0; i < count; ++i) {
        pawl_string run = {0};
        PAWL_TRY(pawl_report_json(env, paths[i], &run));
        report_add_plain(text, i > 0 ? "," : "");
        report_add_plain(text, run.data);
        pawl_string_free(env, &run);
    }
    report_add_plain(text, "]}");
    return PAWL_OK;
}

pawl_status pawl_compare_write(const pawl_env *env, const char *const *record_paths, int count,
                               const char *html_path)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, record_paths);
    PAWL_NEED(env, html_path);
    if (count < 2 || count > PAWL_MOST_COMPARED) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "got %d runs to compare, expected 2 to %d", count,
                         (int)PAWL_MOST_COMPARED);
    }
    report_text document = {.env = env}, page = {.env = env};
    pawl_status status = compare_document(env, record_paths, count, &document);
    if (status == PAWL_OK) {
        status = page_frame(&page, "Comparison", "pawl compare", &document);
    }
    if (status == PAWL_OK) {
        status = report_text_save(&page, html_path);
    }
    report_text_free(&document);
    report_text_free(&page);
    return status;
}
