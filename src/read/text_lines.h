// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Plain text files of lines and words, for formats that are written by hand. Every byte is treated as hostile: size,
// line length and words per line are bounded, control characters are refused, numbers are complete and finite, and
// every message is "file:line: got this, expected that". `#` begins a comment.
#pragma once
#include "base/env.h"

enum {
    TEXT_LINES_MAX_BYTES = 4 * 1024 * 1024,
    TEXT_LINES_MAX_LENGTH = 4000, // of a line
    TEXT_LINES_MAX_WORDS = 64     // of a line
};

typedef struct text_lines {
    const pawl_env *env;
    const char *name; // of the file, for messages
    const char *next, *end;
    char *owned; // of a file that was read; NULL for text that is another's
    size_t owned_size;
    int line; // the one that was handed out last, counted from 1
    int word_count;
    const char *words[TEXT_LINES_MAX_WORDS]; // into `buffer`, ended by zeros
    char buffer[TEXT_LINES_MAX_LENGTH + 1];
} text_lines;

// The whole file is read at once. What began must end.
pawl_status text_lines_open(text_lines *t, const pawl_env *env, const char *path);
pawl_status text_lines_begin(text_lines *t, const pawl_env *env, const char *name, const char *text,
                             size_t size);
void text_lines_end(text_lines *t);
// The next line that has words; *more is false at the end of the file.
pawl_status text_lines_next(text_lines *t, bool *more);
// Word `index` as a finite number; `what` names it in messages. The locale must have a decimal point.
pawl_status text_lines_number(const text_lines *t, int index, const char *what, double *out);
// "file:line: message"; yields PAWL_BAD_FILE.
pawl_status text_lines_error(const text_lines *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
