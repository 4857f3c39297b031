// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The JSON files of tests/references/data: which quantity is where. Paths are relative to the
// source folder.
#pragma once
#include <jansson.h>

// NULL after a message on stderr. Freed with json_decref().
json_t *reference_data_load(const char *file);
// The quantity of that name; NULL for none.
const json_t *reference_data_find(const json_t *root, const char *name);
// The value of a scalar quantity, or one of its values; NaN when it is not there, and NaN is near
// nothing.
double reference_data_scalar(const json_t *root, const char *name);
double reference_data_item(const json_t *root, const char *name, int index);
// A number of a table's row, or an item of a list in it (index -1 for a plain number).
double reference_data_number(const json_t *row, const char *key, int index);
// The rows of a table.
const json_t *reference_data_rows(const json_t *root, const char *name);
