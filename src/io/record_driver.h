// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// HDF5 on top of a record_store.
#pragma once
#include "io/record_store.h"
#include <hdf5.h>

// The HDF5 file in the store, new if the store is fresh; < 0 on failure. Close it before the store.
hid_t record_driver_open(record_store *store);
