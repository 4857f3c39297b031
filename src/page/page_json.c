// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// JSON for pages, written piece by piece into a growing text: documents contain megabytes of numbers, for which a
// tree of values would need too much memory.
#include "page/page_json.h"
#include <math.h>
#include <string.h>

void page_json_string(report_text *text, const char *name)
{
    report_add_plain(text, "\"");
    const char *c = name == NULL ? "" : name;
    while (*c != '\0') {
        unsigned char byte = (unsigned char)*c;
        size_t size = report_text_character(c);
        if (byte == '"' || byte == '\\' || byte == '<' || byte == '&' || byte < 0x20) {
            report_add(text, "\\u%04x", byte);
        } else if (size > 0) {
            report_add(text, "%.*s", (int)size, c);
        } else {
            report_add_plain(text, "\\ufffd"); // the mark for what cannot be shown
        }
        c += size > 0 ? size : 1;
    }
    report_add_plain(text, "\"");
}

void page_json_text_key(report_text *text, const char *key, const char *value)
{
    report_add(text, ",\"%s\":", key);
    page_json_string(text, value);
}

void page_json_number(report_text *text, double value, int digits)
{
    if (isfinite(value)) {
        report_add(text, "%.*g", digits, value);
    } else {
        report_add_plain(text, "null");
    }
}

void page_json_numbers(report_text *text, const double *values, int count)
{
    report_add_plain(text, "[");
    for (int i = 0; i < count; ++i) {
        report_add(text, "%s%.9g", i > 0 ? "," : "", isfinite(values[i]) ? values[i] : 0.0);
    }
    report_add_plain(text, "]");
}

void page_json_pose(report_text *text, pawl_pose p)
{
    double values[7] = {p.position.x,    p.position.y,    p.position.z,   p.orientation.w,
                        p.orientation.x, p.orientation.y, p.orientation.z};
    page_json_numbers(text, values, 7);
}

void page_json_base64_part(report_text *page, const void *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *bytes = data;
    char line[4 * 256 + 1];
    size_t used = 0;
    for (size_t i = 0; i < size; i += 3) {
        unsigned b = i + 1 < size ? bytes[i + 1] : 0, c = i + 2 < size ? bytes[i + 2] : 0;
        unsigned word = (unsigned)bytes[i] << 16 | b << 8 | c;
        line[used++] = digits[word >> 18];
        line[used++] = digits[word >> 12 & 63];
        line[used++] = i + 1 < size ? digits[word >> 6 & 63] : '=';
        line[used++] = i + 2 < size ? digits[word & 63] : '=';
        if (used + 4 >= sizeof line || i + 3 >= size) {
            line[used] = '\0';
            report_add_plain(page, line);
            used = 0;
        }
    }
}

void page_json_base64(report_text *page, const void *data, size_t size)
{
    report_add_plain(page, "\"");
    page_json_base64_part(page, data, size);
    report_add_plain(page, "\"");
}
