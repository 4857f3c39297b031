// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Every stretch of code that calls HDF5 stands between hdf5_use_begin() and hdf5_use_end(). Between
// them HDF5 prints nothing, and no other thread of the process is between them.
#pragma once
#include <hdf5.h>

// What HDF5 did with its errors before; stretches may be nested.
typedef struct hdf5_use {
    H5E_auto2_t function;
    void *data;
} hdf5_use;
hdf5_use hdf5_use_begin(void);
void hdf5_use_end(hdf5_use use);
// To be called after HDF5 has met a damaged file: it may complain once more when the process ends.
void hdf5_prepare_exit(void);
