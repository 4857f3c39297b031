// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reads tracked tosses of a real cube from an HDF5 file: one dataset per toss, one row per frame.
// Datasets of another shape are skipped, so that the file may contain other data.
#include "reality_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pawl/io.h"
#include "reality_math.h"

static bool reality_take(const pawl_data_column *c, reality_toss *out)
{
    const char *slash = strrchr(c->name, '/');
    size_t bytes = (size_t)c->count * sizeof *out->rows;
    snprintf(out->name, sizeof out->name, "%s", slash != NULL ? slash + 1 : c->name);
    out->count = c->count / REALITY_COLUMNS;
    out->rows = malloc(bytes);
    if (out->rows != NULL) {
        memcpy(out->rows, c->data, bytes);
    }
    return out->rows != NULL;
}

// Tosses come in the order of their names, as the table has them.
pawl_status reality_data_load(const pawl_env *env, const char *path, reality_data *out)
{
    *out = (reality_data){0};
    pawl_table *table = NULL;
    pawl_status status = pawl_table_read(env, path, &table);
    for (int i = 0; pawl_table_at(table, i) != NULL && status == PAWL_OK; ++i) {
        const pawl_data_column *c = pawl_table_at(table, i);
        if (c->type != PAWL_DATA_REAL || c->width != REALITY_COLUMNS ||
            c->count < 2 * REALITY_COLUMNS) {
            continue;
        }
        reality_toss *more = realloc(out->tosses, (size_t)(out->count + 1) * sizeof *out->tosses);
        out->tosses = more != NULL ? more : out->tosses;
        bool taken = more != NULL && reality_take(c, &out->tosses[out->count]);
        out->count += taken ? 1 : 0;
        status = taken ? PAWL_OK : PAWL_NO_MEMORY;
    }
    pawl_table_destroy(table);
    if (status == PAWL_OK && out->count == 0) {
        status = PAWL_BAD_FILE;
    }
    if (status != PAWL_OK) {
        reality_data_free(out);
    }
    return status;
}

void reality_data_free(reality_data *data)
{
    for (int i = 0; i < data->count; ++i) {
        free(data->tosses[i].rows);
    }
    free(data->tosses);
    *data = (reality_data){0};
}

pawl_pose reality_pose(const reality_toss *toss, int sample)
{
    const double *r = toss->rows + (size_t)sample * REALITY_COLUMNS;
    pawl_quat q = {r[3], r[4], r[5], r[6]};
    return (pawl_pose){reality_vec(r[0], r[1], r[2]), pawl_quat_normalize(q)};
}

pawl_twist reality_twist(const reality_toss *toss, int sample)
{
    const double *r = toss->rows + (size_t)sample * REALITY_COLUMNS;
    pawl_vec3 spin = reality_vec(r[10], r[11], r[12]);
    return (pawl_twist){reality_vec(r[7], r[8], r[9]),
                        pawl_quat_rotate(reality_pose(toss, sample).orientation, spin)};
}
