// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Datasets read with stock HDF5, so that files are checked by other code than wrote them.
#pragma once
#include <hdf5.h>

// A whole dataset as doubles, to be freed. Fails the test unless it has `count` numbers.
double *hdf5_values(hid_t file, const char *name, int64_t count);
