// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The text of a page while it grows, formatted and escaped for HTML, and the file that it becomes.
#define _POSIX_C_SOURCE 200809L
#include "page/report_text.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool text_reserve(report_text *t, size_t more)
{
    if (t->failed) {
        return false;
    }
    if (t->capacity - t->size > more) {
        return true;
    }
    size_t capacity = t->capacity == 0 ? (size_t)1 << 16 : t->capacity;
    while (capacity - t->size <= more) {
        capacity *= 2;
    }
    char *data = t->env->resize(t->env->user, t->data, t->capacity, capacity);
    if (data == NULL) {
        t->failed = true;
        return false;
    }
    t->data = data;
    t->capacity = capacity;
    return true;
}

static void text_append(report_text *t, const char *bytes, size_t size)
{
    if (text_reserve(t, size)) {
        memcpy(t->data + t->size, bytes, size);
        t->size += size;
        t->data[t->size] = '\0';
    }
}

void report_add(report_text *t, const char *format, ...)
{
    char small[512];
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(small, sizeof small, format, list);
    va_end(list);
    if (length >= 0 && (size_t)length < sizeof small) {
        text_append(t, small, (size_t)length);
    } else if (length >= 0 && text_reserve(t, (size_t)length)) {
        (void)vsnprintf(t->data + t->size, (size_t)length + 1, format, again);
        t->size += (size_t)length;
    }
    va_end(again);
}

void report_add_plain(report_text *t, const char *plain)
{
    text_append(t, plain, strlen(plain));
}

size_t report_text_character(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    static const struct {
        unsigned char low, high, second_low, second_high, size;
    } forms[] = {
        // Shortest forms only, no surrogates, nothing beyond U+10FFFF.
        {0x20, 0x7e, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; ++f) {
        if (c[0] < forms[f].low || c[0] > forms[f].high) {
            continue;
        }
        if (forms[f].size > 1 && (c[1] < forms[f].second_low || c[1] > forms[f].second_high)) {
            return 0;
        }
        for (size_t i = 2; i < forms[f].size; ++i) {
            if (c[i] < 0x80 || c[i] > 0xbf) {
                return 0;
            }
        }
        return forms[f].size;
    }
    return 0;
}

void report_add_escaped(report_text *t, const char *name)
{
    report_add_escaped_part(t, name, strlen(name));
}

void report_add_escaped_part(report_text *t, const char *name, size_t length)
{
    const unsigned char *c = (const unsigned char *)name, *end = c + length;
    while (c < end) {
        size_t size = report_text_character((const char *)c);
        switch (*c) {
        case '&':
            report_add_plain(t, "&amp;");
            break;
        case '<':
            report_add_plain(t, "&lt;");
            break;
        case '>':
            report_add_plain(t, "&gt;");
            break;
        case '"':
            report_add_plain(t, "&quot;");
            break;
        case '\'':
            report_add_plain(t, "&#39;");
            break;
        case '\t':
        case '\r':
        case '\n':
            report_add_plain(t, " ");
            break;
        default:
            if (size > 0) {
                text_append(t, (const char *)c, size);
            } else {
                report_add_plain(t, "\xef\xbf\xbd"); // U+FFFD, the mark for what cannot be shown
            }
        }
        c += size > 0 ? size : 1;
    }
}

report_number report_power_of_ten(int exponent)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    report_number number;
    char plain[16];
    (void)snprintf(plain, sizeof plain, "%d", exponent);
    (void)snprintf(number.text, sizeof number.text, "10");
    for (const char *c = plain; *c != '\0'; ++c) {
        strcat(number.text, *c == '-' ? "⁻" : digits[*c - '0']);
    }
    return number;
}

report_number report_format(double value)
{
    report_number number;
    double size = fabs(value);
    if (value == 0.0) {
        (void)snprintf(number.text, sizeof number.text, "0");
    } else if (!isfinite(value)) {
        (void)snprintf(number.text, sizeof number.text, "%s", isnan(value) ? "not a number" : "∞");
    } else if (size >= 1e-3 && size < 1e6) {
        (void)snprintf(number.text, sizeof number.text, "%.4g", value);
        if (size >= 1e4) {
            (void)snprintf(number.text, sizeof number.text, "%.0f", value);
        }
    } else {
        char digits[32];
        (void)snprintf(digits, sizeof digits, "%.1e", value); // "-1.2e-08"
        char *e = strchr(digits, 'e');
        int exponent = 0;
        (void)sscanf(e + 1, "%d", &exponent);
        *e = '\0';
        (void)snprintf(number.text, sizeof number.text, "%.8s·%.40s", digits,
                       report_power_of_ten(exponent).text);
    }
    return number;
}

report_locale report_locale_begin(void)
{
    report_locale locale = {.plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0)};
    if (locale.plain != (locale_t)0) {
        locale.before = uselocale(locale.plain);
    }
    return locale;
}

void report_locale_end(report_locale *locale)
{
    if (locale->plain != (locale_t)0) {
        (void)uselocale(locale->before);
        freelocale(locale->plain);
        *locale = (report_locale){0};
    }
}

static bool text_write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t done = write(fd, bytes, size);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return false;
        }
        bytes += done;
        size -= (size_t)done;
    }
    return true;
}

// The file beside `path` that is written first.
static pawl_status text_save_as(report_text *t, const char *path, const char *part)
{
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        return PAWL_FAIL(t->env, PAWL_IO_ERROR, "%s: is not a regular file; cannot replace it",
                         path);
    }
    int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        return PAWL_FAIL(t->env, PAWL_IO_ERROR, "%s: cannot create it: %s", part, strerror(errno));
    }
    bool ok = text_write_all(fd, t->data, t->size);
    int reason = errno;
    ok = close(fd) == 0 && ok;
    if (ok && rename(part, path) == 0) {
        return PAWL_OK;
    }
    reason = ok ? errno : reason;
    (void)unlink(part);
    return PAWL_FAIL(t->env, PAWL_IO_ERROR, "%s: cannot write it: %s", path, strerror(reason));
}

pawl_status report_text_save(report_text *t, const char *path)
{
    size_t size = strlen(path) + sizeof ".part";
    char *part = t->failed || t->data == NULL ? NULL : pawl_alloc(t->env, size);
    if (part == NULL) {
        return PAWL_FAIL(t->env, PAWL_NO_MEMORY, "%s: no memory to make it", path);
    }
    (void)snprintf(part, size, "%s.part", path);
    pawl_status status = text_save_as(t, path, part);
    pawl_free(t->env, part, size);
    return status;
}

void report_text_free(report_text *t)
{
    pawl_free(t->env, t->data, t->capacity);
    *t = (report_text){.env = t->env};
}

pawl_status report_text_hand_over(report_text *t, pawl_status status, pawl_string *out)
{
    if (status == PAWL_OK && t->failed) {
        status = PAWL_FAIL(t->env, PAWL_NO_MEMORY, "no memory for a page");
    }
    if (status != PAWL_OK) {
        report_text_free(t);
        return status;
    }
    *out = (pawl_string){.data = t->data, .size = t->size, .capacity = t->capacity};
    return PAWL_OK;
}
