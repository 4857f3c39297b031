// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Text that grows, for pages and pictures, and its writing to a file in one piece.
#pragma once
#include "base/env.h"
#include "pawl/page.h"
#include <locale.h>

// After a failure for want of memory, additions do nothing; report_text_save() tells.
typedef struct report_text {
    const pawl_env *env;
    char *data;
    size_t size, capacity;
    bool failed;
} report_text;

void report_add(report_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Without a format: long fixed parts.
void report_add_plain(report_text *text, const char *plain);
// A name from a file as character data: markup is escaped, bytes that are not UTF-8 are replaced.
void report_add_escaped(report_text *text, const char *name);
// Its first `length` bytes, which end where a character does.
void report_add_escaped_part(report_text *text, const char *name, size_t length);
// Bytes of the UTF-8 character at the start of `text` that XML allows; 0 if there is none.
size_t report_text_character(const char *text);
// A number for people: 4 significant digits, 10 to a power as superscript, "0" for zero.
typedef struct report_number {
    char text[64];
} report_number;
report_number report_format(double value);
report_number report_power_of_ten(int exponent); // "10⁻⁶"

// Numbers in SVG have a decimal point, whatever the language of the program around us: this thread's
// numbers are plain between the two calls.
typedef struct report_locale {
    locale_t plain, before;
} report_locale;
report_locale report_locale_begin(void);
void report_locale_end(report_locale *locale);

// Into a new file beside `path`, renamed over it when all of it is on the disk.
pawl_status report_text_save(report_text *text, const char *path);
void report_text_free(report_text *text);
// Hands the text to a caller where `status` is good and all of it is there; frees it where not.
pawl_status report_text_hand_over(report_text *text, pawl_status status, pawl_string *out);
