// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// JSON values of documents for pages. Numbers are written for browsers: values that are not finite become null or 0,
// as stated at each function.
#pragma once
#include "page/report_text.h"

// A name as a JSON string. Documents stand in a script element, where "<" could end it, so that is escaped, too; bytes
// that are not UTF-8 are replaced.
void page_json_string(report_text *text, const char *name);
// A key of an object that has one already, with a text: ,"key":"text". NULL is the empty text.
void page_json_text_key(report_text *text, const char *key, const char *value);
// With `digits` significant digits; null where it is not finite.
void page_json_number(report_text *text, double value, int digits);
// An array with nine digits each; 0 where one is not finite.
void page_json_numbers(report_text *text, const double *values, int count);
void page_json_pose(report_text *text, pawl_pose pose); // x y z qw qx qy qz
// Bytes in base64 (RFC 4648, with padding), as a string.
void page_json_base64(report_text *text, const void *data, size_t size);
// The digits alone. Parts of a multiple of three bytes can follow each other.
void page_json_base64_part(report_text *text, const void *data, size_t size);
