// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reads tracked tosses of a real cube from an HDF5 file: one dataset per toss, one row per frame.
// Datasets of another shape are skipped, so that the file may hold more than tosses.
#include "reality_data.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/rotation.h"

static bool reality_read(hid_t group, const char *name, reality_toss *out)
{
    hsize_t size[2] = {0, 0};
    hid_t set = H5Dopen2(group, name, H5P_DEFAULT), space = set >= 0 ? H5Dget_space(set) : -1;
    bool good = space >= 0 && H5Sget_simple_extent_ndims(space) == 2 &&
                H5Sget_simple_extent_dims(space, size, NULL) == 2 && size[1] == REALITY_COLUMNS &&
                size[0] > 1 && size[0] < 100000;
    if (good) {
        snprintf(out->name, sizeof out->name, "%s", name);
        out->count = (int)size[0];
        out->rows = malloc((size_t)size[0] * REALITY_COLUMNS * sizeof *out->rows);
        good = out->rows != NULL &&
               H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out->rows) >= 0;
        if (!good) {
            free(out->rows);
        }
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    if (set >= 0) {
        H5Dclose(set);
    }
    return good;
}

// All datasets of a group and of the groups in it, in the order of their names. False: memory is out.
static bool reality_visit(hid_t group, reality_data *data)
{
    H5G_info_t info;
    bool good = H5Gget_info(group, &info) >= 0;
    for (hsize_t i = 0; i < info.nlinks && good; ++i) {
        char name[REALITY_NAME];
        H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name,
                           H5P_DEFAULT);
        hid_t object = H5Oopen(group, name, H5P_DEFAULT);
        if (object >= 0 && H5Iget_type(object) == H5I_GROUP) {
            good = reality_visit(object, data);
        } else if (object >= 0) {
            reality_toss *more =
                realloc(data->tosses, (size_t)(data->count + 1) * sizeof *data->tosses);
            good = more != NULL;
            data->tosses = good ? more : data->tosses;
            data->count += good && reality_read(group, name, &data->tosses[data->count]);
        }
        if (object >= 0) {
            H5Oclose(object);
        }
    }
    return good;
}

bool reality_data_load(const char *path, reality_data *out)
{
    *out = (reality_data){0};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) {
        fprintf(stderr, "%s: no such recording of tosses; --data FILE says where it is\n", path);
        return false;
    }
    bool good = reality_visit(file, out);
    H5Fclose(file);
    if (!good || out->count == 0) {
        fprintf(stderr, "%s: got no dataset of %d columns, expected one for each toss\n", path,
                REALITY_COLUMNS);
        reality_data_free(out);
        return false;
    }
    return true;
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
    return (pawl_pose){v3(r[0], r[1], r[2]), pawl_quat_normalize(q)};
}

pawl_twist reality_twist(const reality_toss *toss, int sample)
{
    const double *r = toss->rows + (size_t)sample * REALITY_COLUMNS;
    pawl_mat3 R = quat_matrix(reality_pose(toss, sample).orientation);
    return (pawl_twist){v3(r[7], r[8], r[9]), m3_mul(&R, v3(r[10], r[11], r[12]))};
}
