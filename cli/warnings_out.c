// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Prints pawl_check.warnings. Warnings of the file reader (an unknown element, a default value) have already been
// shown; in the JSON they have the kind "file".
#include "warnings_out.h"

enum { WARNINGS_OUT_MOST = 10 }; // of a kind in the text; the JSON has them all

void warnings_out_list(const pawl_check *check, FILE *to)
{
    int shown[PAWL_WARNING_KIND_COUNT] = {0};
    for (int i = 0; i < check->warning_count; ++i) {
        const pawl_warning *w = &check->warnings[i];
        if (++shown[w->kind] > WARNINGS_OUT_MOST) {
            continue;
        }
        fprintf(to, "\n  warning: %s: %s: %s\n", pawl_warning_kind_name(w->kind), w->where,
                w->text);
        fprintf(to, "    what to do: %s\n", w->advice);
    }
    for (int kind = 0; kind < PAWL_WARNING_KIND_COUNT; ++kind) {
        if (shown[kind] > WARNINGS_OUT_MOST) {
            fprintf(to, "\n  ... and %d more of '%s'; --json has them all\n",
                    shown[kind] - WARNINGS_OUT_MOST,
                    pawl_warning_kind_name((pawl_warning_kind)kind));
        }
    }
}

void warnings_out_summary(console *con, const pawl_check *check, const char *model_path)
{
    for (int kind = 0; kind < PAWL_WARNING_KIND_COUNT; ++kind) {
        int count = 0;
        const pawl_warning *first = NULL;
        for (int i = check->warning_count - 1; i >= 0; --i) {
            if ((int)check->warnings[i].kind == kind) {
                first = &check->warnings[i];
                ++count;
            }
        }
        if (count == 0) {
            continue;
        }
        char more[64] = "";
        if (count > 1) {
            snprintf(more, sizeof more, " (and %d more)", count - 1);
        }
        console_warning(con, "%s: %s: %s%s; pawl check %s says what to do",
                        pawl_warning_kind_name((pawl_warning_kind)kind), first->where, first->text,
                        more, model_path);
    }
}

json_t *warnings_out_json(const console *con, const pawl_check *check)
{
    json_t *array = json_array();
    for (int i = 0; i < con->warning_count; ++i) {
        json_array_append_new(array, json_pack("{s:s, s:n, s:o, s:n}", "kind", "file", "where",
                                               "text", json_out_text(con->warnings[i]), "advice"));
    }
    for (int i = 0; check != NULL && i < check->warning_count; ++i) {
        const pawl_warning *w = &check->warnings[i];
        json_array_append_new(array, json_pack("{s:s, s:o, s:o, s:o}",                  //
                                               "kind", pawl_warning_kind_name(w->kind), //
                                               "where", json_out_text(w->where),        //
                                               "text", json_out_text(w->text),          //
                                               "advice", json_out_text(w->advice)));
    }
    return array;
}
