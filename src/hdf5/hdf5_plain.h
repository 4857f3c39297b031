// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reads plain HDF5 files of others without the HDF5 library: groups, and contiguous datasets of numbers.
#pragma once
#include "base/env.h"

typedef struct hdf5_plain {
    const pawl_env *env;
    unsigned char *bytes; // of the whole file
    uint64_t size;
} hdf5_plain;

typedef enum hdf5_found {
    HDF5_ABSENT,     // no object of that name
    HDF5_GROUP,      //
    HDF5_DATASET,    // of numbers, in one piece: the rest of hdf5_numbers is set
    HDF5_NO_NUMBERS, // a dataset of something else
    HDF5_DAMAGED,    // what it says of itself is impossible
    HDF5_UNKNOWN, // stored in a way that is not read here: in chunks, compressed, outside the file ...
} hdf5_found;

typedef struct hdf5_numbers {
    hdf5_found found;
    bool real, is_signed, big_endian;
    int width;                 // of a number [bytes]
    uint64_t count;            //
    const unsigned char *data; // (count x width), within the file
} hdf5_numbers;

// PAWL_IO_ERROR, PAWL_NO_MEMORY, PAWL_BAD_FILE where it is no HDF5 file, PAWL_UNSUPPORTED where its form is unknown here;
// nothing is logged.
pawl_status hdf5_plain_open(const pawl_env *env, const char *path, hdf5_plain *out);
void hdf5_plain_close(hdf5_plain *file);
// The object at a path from the root, as "/group/dataset".
hdf5_numbers hdf5_plain_find(const hdf5_plain *file, const char *path);
// Number i of a dataset; whole numbers beyond the range of int are set to its ends.
double hdf5_plain_real(const hdf5_numbers *set, uint64_t i);
int hdf5_plain_int(const hdf5_numbers *set, uint64_t i);
