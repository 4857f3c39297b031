// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// All calls of HDF5 are between hdf5_use_begin() and hdf5_use_end(). Between them HDF5 prints nothing, and no other
// thread of the process uses HDF5.
#pragma once
#include "base/env.h"
#include <hdf5.h>

// What HDF5 did with its errors before; stretches may be nested.
typedef struct hdf5_use {
    H5E_auto2_t function;
    void *data;
} hdf5_use;
hdf5_use hdf5_use_begin(void);
void hdf5_use_end(hdf5_use use);
// A new file in memory, for a result that is written in one piece. HDF5 1.10 cannot close a file that its disk has no room
// for: it prints pages and may crash when the process ends. So it never sees the disk.
hid_t hdf5_image_create(void);
// Whether `path` can be written, before work is done for it: PAWL_IO_ERROR, logged, where there is no folder or no right.
pawl_status hdf5_image_probe(const pawl_env *env, const char *path);
// Closes the file and, if all went well so far (`done`), writes it to `path`: to a temporary file that is renamed, so that
// `path` is complete or as it was. Else PAWL_NO_MEMORY or PAWL_IO_ERROR, logged.
pawl_status hdf5_image_save(const pawl_env *env, hid_t file, const char *path, bool done);
// Opens a file to read it. PAWL_IO_ERROR where it cannot be read, PAWL_BAD_FILE where it is not HDF5 or damaged, logged.
pawl_status hdf5_open_to_read(const pawl_env *env, const char *path, hid_t *file);
