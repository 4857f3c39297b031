// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Datasets read with stock HDF5, so that files are checked by other code than wrote them.
#pragma once
#include <hdf5.h>
#include <stdbool.h>

// A whole dataset as doubles, to be freed. Fails the test unless it has `count` numbers.
double *hdf5_values(hid_t file, const char *name, int64_t count);
// Reads a whole dataset of a file into values, or writes it from them.
void hdf5_exchange(const char *path, const char *name, double *values, bool write);
