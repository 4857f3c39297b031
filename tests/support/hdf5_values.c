// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Datasets read with stock HDF5.
#include "support/hdf5_values.h"

#include <stdlib.h>

#include "support/test.h"

double *hdf5_values(hid_t file, const char *name, int64_t count)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    CHECK(set >= 0);
    hid_t space = H5Dget_space(set);
    CHECK_INT(H5Sget_simple_extent_npoints(space), count);
    double *values = malloc((size_t)count * sizeof *values);
    CHECK(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    return values;
}

void hdf5_exchange(const char *path, const char *name, double *values, bool write)
{
    hid_t file = H5Fopen(path, write ? H5F_ACC_RDWR : H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    CHECK(set >= 0);
    CHECK((write ? H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)
                 : H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)) >= 0);
    H5Dclose(set);
    H5Fclose(file);
}
