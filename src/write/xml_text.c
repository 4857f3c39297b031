// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Writes elements and attributes, indented, with names escaped and numbers in the fewest digits that read back the same.
#include "write/xml_text.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void xml_text_add(xml_text *x, const char *text, size_t length)
{
    if (x->failed) {
        return;
    }
    if (x->size + length + 1 > x->capacity) {
        size_t room = 2 * (x->capacity + length) + 4096;
        char *data = pawl_alloc(x->env, room);
        if (data == NULL) {
            x->failed = true;
            return;
        }
        if (x->data != NULL) {
            memcpy(data, x->data, x->size);
            pawl_free(x->env, x->data, x->capacity);
        }
        x->data = data;
        x->capacity = room;
    }
    memcpy(x->data + x->size, text, length);
    x->size += length;
    x->data[x->size] = '\0';
}

static void xml_text_put(xml_text *x, const char *text)
{
    xml_text_add(x, text, strlen(text));
}

static void xml_text_escaped(xml_text *x, const char *text)
{
    for (const char *c = text; *c != '\0'; ++c) {
        switch (*c) {
        case '<':
            xml_text_put(x, "&lt;");
            break;
        case '>':
            xml_text_put(x, "&gt;");
            break;
        case '&':
            xml_text_put(x, "&amp;");
            break;
        case '"':
            xml_text_put(x, "&quot;");
            break;
        default:
            xml_text_add(x, c, 1);
        }
    }
}

// The fewest digits that read back the same, with a decimal point in every locale.
static void xml_text_digits(xml_text *x, double value)
{
    char text[40];
    if (isinf(value)) {
        xml_text_put(x, value > 0.0 ? "inf" : "-inf");
        return;
    }
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, sizeof text, "%.*g", digits, value == 0.0 ? 0.0 : value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    for (char *c = text; *c != '\0'; ++c) {
        *c = *c == ',' ? '.' : *c;
    }
    xml_text_put(x, text);
}

void xml_text_list(xml_text *x, const double *values, int count, const char *end)
{
    for (int i = 0; i < count; ++i) {
        if (i > 0) {
            xml_text_put(x, i % 60 == 0 ? "\n" : " ");
        }
        xml_text_digits(x, values[i]);
    }
    xml_text_put(x, end);
}

static void xml_text_line(xml_text *x)
{
    if (x->head) {
        xml_text_put(x, ">");
        x->head = false;
    }
    xml_text_put(x, "\n");
    for (int i = 0; i < x->open.count; ++i) {
        xml_text_put(x, "  ");
    }
}

void xml_text_begin(xml_text *x, const char *tag)
{
    if (x->size == 0) {
        xml_text_put(x, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    }
    xml_text_line(x);
    const char **slot = pawl_array_push(x->env, &x->open, sizeof *slot);
    if (slot == NULL) {
        x->failed = true;
        return;
    }
    *slot = tag;
    xml_text_put(x, "<");
    xml_text_put(x, tag);
    x->head = true;
}

void xml_text_end(xml_text *x)
{
    if (x->failed) {
        return;
    }
    const char *tag = PAWL_ITEM(x->open, const char *, x->open.count - 1);
    x->open.count -= 1;
    if (x->head) {
        xml_text_put(x, "/>");
        x->head = false;
    } else {
        xml_text_line(x);
        xml_text_put(x, "</");
        xml_text_put(x, tag);
        xml_text_put(x, ">");
    }
    if (x->open.count == 0) {
        xml_text_put(x, "\n");
    }
}

void xml_text_word(xml_text *x, const char *name, const char *value)
{
    if (value == NULL) {
        return;
    }
    xml_text_put(x, " ");
    xml_text_put(x, name);
    xml_text_put(x, "=\"");
    xml_text_escaped(x, value);
    xml_text_put(x, "\"");
}

void xml_text_numbers(xml_text *x, const char *name, const double *values, int count)
{
    xml_text_put(x, " ");
    xml_text_put(x, name);
    xml_text_put(x, "=\"");
    xml_text_list(x, values, count, "");
    xml_text_put(x, "\"");
}

void xml_text_number(xml_text *x, const char *name, double value)
{
    xml_text_numbers(x, name, &value, 1);
}

static void xml_text_close_leaf(xml_text *x, const char *tag)
{
    xml_text_put(x, "</");
    xml_text_put(x, tag);
    xml_text_put(x, ">");
    x->open.count -= x->failed ? 0 : 1;
}

void xml_text_leaf(xml_text *x, const char *tag, const double *values, int count)
{
    xml_text_begin(x, tag);
    xml_text_put(x, ">");
    x->head = false;
    xml_text_list(x, values, count, "");
    xml_text_close_leaf(x, tag);
}

void xml_text_leaf_word(xml_text *x, const char *tag, const char *value)
{
    xml_text_begin(x, tag);
    xml_text_put(x, ">");
    x->head = false;
    xml_text_escaped(x, value);
    xml_text_close_leaf(x, tag);
}

void xml_text_content(xml_text *x, const double *values, int count)
{
    xml_text_line(x);
    xml_text_list(x, values, count, "");
}

pawl_status xml_text_status(const xml_text *x)
{
    return x->failed ? PAWL_FAIL(x->env, PAWL_NO_MEMORY, "no memory for the text of a model file")
                     : PAWL_OK;
}

void xml_text_free(xml_text *x)
{
    pawl_free(x->env, x->data, x->capacity);
    pawl_array_free(x->env, &x->open);
}
