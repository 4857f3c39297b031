// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "support/reference_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define REFERENCE_DATA_FOLDER "tests/references/data/"

json_t *reference_data_load(const char *file)
{
    char path[256];
    snprintf(path, sizeof path, "%s%s", REFERENCE_DATA_FOLDER, file);
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (root == NULL) {
        fprintf(stderr, "%s: %s (run from the source folder?)\n", path, error.text);
    }
    return root;
}

const json_t *reference_data_find(const json_t *root, const char *name)
{
    size_t index;
    const json_t *quantity;
    json_array_foreach(json_object_get(root, "quantities"), index, quantity)
    {
        const char *found = json_string_value(json_object_get(quantity, "name"));
        if (found != NULL && strcmp(found, name) == 0) {
            return quantity;
        }
    }
    return NULL;
}

static double reference_data_value(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

double reference_data_scalar(const json_t *root, const char *name)
{
    return reference_data_value(json_object_get(reference_data_find(root, name), "value"));
}

double reference_data_item(const json_t *root, const char *name, int index)
{
    const json_t *list = json_object_get(reference_data_find(root, name), "value");
    return reference_data_value(json_array_get(list, (size_t)index));
}

double reference_data_number(const json_t *row, const char *key, int index)
{
    const json_t *value = json_object_get(row, key);
    return reference_data_value(index < 0 ? value : json_array_get(value, (size_t)index));
}

const json_t *reference_data_rows(const json_t *root, const char *name)
{
    return json_object_get(reference_data_find(root, name), "rows");
}
