// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The layout of files of samples (docs/samples.md): one array for each quantity over all samples, one after the
// other.
#pragma once
#include "hdf5/hdf5_use.h"
#include "pawl/io.h"

enum { SAMPLE_NAME = 64, SAMPLE_VERSION = 1 }; // bytes of a name in a file

// What an array has of a sample.
typedef enum sample_extent {
    SAMPLE_BODIES,
    SAMPLE_INERTIAS, // 9 a body
    SAMPLE_BLOCKS,
    SAMPLE_ROWS,
    SAMPLE_STARTS, // rows + 1
    SAMPLE_ENTRIES,
    SAMPLE_CONTACTS,
    SAMPLE_EXTENTS
} sample_extent;

typedef struct sample_array {
    const char *name; // of the dataset
    bool real;        // doubles, else ints
    size_t field;     // of pawl_sample_data: the pointer
    sample_extent extent;
} sample_array;
enum { SAMPLE_ARRAYS = 16 };
extern const sample_array sample_arrays[SAMPLE_ARRAYS];

typedef struct sample_scalar {
    const char *name;
    enum { SCALAR_INT, SCALAR_LONG, SCALAR_REAL } type;
    size_t field; // of pawl_sample_data
} sample_scalar;
enum { SAMPLE_SCALARS = 10 };
extern const sample_scalar sample_scalars[SAMPLE_SCALARS];

static inline hid_t sample_scalar_type(const sample_scalar *s)
{
    return s->type == SCALAR_INT    ? H5T_NATIVE_INT
           : s->type == SCALAR_LONG ? H5T_NATIVE_INT64
                                    : H5T_NATIVE_DOUBLE;
}
// Items that an array has of this sample.
static inline hsize_t sample_count(const pawl_sample_data *d, int entries, sample_extent extent)
{
    const int counts[SAMPLE_EXTENTS] = {d->body_count,   9 * d->body_count, d->block_count,
                                        d->row_count,    d->row_count + 1,  entries,
                                        d->contact_count};
    return (hsize_t)counts[extent];
}
