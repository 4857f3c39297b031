// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// HDF5 on top of a record_store.
#pragma once
#include "record/record_store.h"
#include <hdf5.h>

// The HDF5 file in the store, new if the store is fresh; < 0 on failure. The driver lives as long as the
// file: HDF5 1.10 frees a driver with its last id and calls it once more when the file is closed.
typedef struct record_driver {
    hid_t file, driver;
} record_driver;
record_driver record_driver_open(record_store *store);
// Closes the file and all that is open in it, before the store is closed; one that failed to open is fine.
void record_driver_close(record_driver *driver);
