// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// XML text that grows in memory. After a failed allocation nothing more is added; xml_text_status() reports it.
#pragma once
#include "base/array.h"
#include "base/env.h"
#include <stdbool.h>

typedef struct xml_text {
    const pawl_env *env;
    char *data;
    size_t size, capacity;
    pawl_array open; // const char *: the tags that are not closed yet
    bool head;       // the last tag is not ended with '>' yet
    bool failed;
} xml_text;

void xml_text_begin(xml_text *x, const char *tag);
void xml_text_end(xml_text *x);
// Attributes of the element that was begun last.
void xml_text_word(xml_text *x, const char *name, const char *value); // value NULL: nothing
void xml_text_number(xml_text *x, const char *name, double value);
void xml_text_numbers(xml_text *x, const char *name, const double *values, int count);
// <tag>numbers</tag>
void xml_text_leaf(xml_text *x, const char *tag, const double *values, int count);
void xml_text_leaf_word(xml_text *x, const char *tag, const char *value);
// Numbers as the content of the element that was begun last.
void xml_text_content(xml_text *x, const double *values, int count);
// Numbers and `end`, in the middle of anything.
void xml_text_list(xml_text *x, const double *values, int count, const char *end);
pawl_status xml_text_status(const xml_text *x);
void xml_text_free(xml_text *x);
