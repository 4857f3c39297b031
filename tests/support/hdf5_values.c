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
