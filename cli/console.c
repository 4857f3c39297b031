// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Messages and memory of the command. Warnings are also stored, because `pawl check` repeats them in its table and
// its JSON.
#include "console.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONSOLE_ALIGNMENT = 64 }; // pawl_env promises it

static void *console_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    if (new_size > SIZE_MAX - CONSOLE_ALIGNMENT) {
        return NULL;
    }
    // aligned_alloc wants a multiple of the alignment, and realloc would not keep it.
    size_t rounded = (new_size + CONSOLE_ALIGNMENT - 1) / CONSOLE_ALIGNMENT * CONSOLE_ALIGNMENT;
    void *grown = aligned_alloc(CONSOLE_ALIGNMENT, rounded);
    if (grown != NULL && block != NULL) {
        memcpy(grown, block, old_size < new_size ? old_size : new_size);
        free(block);
    }
    return grown;
}

static void console_say(console *con, const char *level, const char *message)
{
    if (con->bar_shown) {
        fputs("\r\033[K", stderr); // the bar is drawn anew below the message
        con->bar_shown = false;
    }
    fprintf(stderr, "pawl: %s: %s\n", level, message);
}

static void console_keep_warning(console *con, const char *message)
{
    char **grown = realloc(con->warnings, ((size_t)con->warning_count + 1) * sizeof *con->warnings);
    if (grown == NULL) {
        return; // it was shown; only the repetition in the table is lost
    }
    con->warnings = grown;
    char *copy = strdup(message);
    if (copy != NULL) {
        con->warnings[con->warning_count++] = copy;
    }
}

static void console_log(void *user, pawl_log_level level, const char *message)
{
    console *con = user;
    switch (level) {
    case PAWL_LOG_ERROR:
        con->error_count++;
        snprintf(con->last_error, sizeof con->last_error, "%s", message);
        console_say(con, "error", message);
        break;
    case PAWL_LOG_WARNING:
        if (!con->muted) {
            console_keep_warning(con, message);
            console_say(con, "warning", message);
        }
        break;
    case PAWL_LOG_NOTE:
        if (!con->muted && !con->quiet) {
            console_say(con, "note", message);
        }
        break;
    }
}

void console_init(console *con)
{
    *con = (console){
        .env = {.resize = console_resize, .log = console_log, .user = con},
    };
}

void console_destroy(console *con)
{
    for (int i = 0; i < con->warning_count; ++i) {
        free(con->warnings[i]);
    }
    free(con->warnings);
    con->warnings = NULL;
    con->warning_count = 0;
}

// The text of a message, from the arguments of the function that this stands in.
#define CONSOLE_FORMAT(text, format)                                                               \
    char text[2048];                                                                               \
    va_list list;                                                                                  \
    va_start(list, format);                                                                        \
    vsnprintf(text, sizeof text, format, list);                                                    \
    va_end(list)

void console_error(console *con, const char *format, ...)
{
    CONSOLE_FORMAT(text, format);
    console_log(con, PAWL_LOG_ERROR, text);
}

void console_warning(console *con, const char *format, ...)
{
    CONSOLE_FORMAT(text, format);
    console_say(con, "warning", text);
}

void console_note(console *con, const char *format, ...)
{
    CONSOLE_FORMAT(text, format);
    console_log(con, PAWL_LOG_NOTE, text);
}

void console_explain(console *con, int errors_before, pawl_status status, const char *doing)
{
    if (con->error_count == errors_before) {
        console_error(con, "%s: %s", doing, pawl_status_name(status));
    }
}
