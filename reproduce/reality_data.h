// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Tracked tosses of a real cube, from an HDF5 file with one dataset a toss: rows of x y z [m], qw qx qy qz,
// vx vy vz in world axes [m/s], wx wy wz in body axes [rad/s].
#pragma once
#include "pawl/base.h"
#include <stdbool.h>

enum { REALITY_COLUMNS = 13, REALITY_NAME = 64 };
#define REALITY_RATE 148.0 ///< samples a second

typedef struct reality_toss {
    char name[REALITY_NAME];
    int count;
    double *rows; // (count x REALITY_COLUMNS)
} reality_toss;
typedef struct reality_data {
    int count;
    reality_toss *tosses; // in the order of their names
} reality_data;

/// A status other than PAWL_OK where the file cannot be read, or has no toss.
pawl_status reality_data_load(const pawl_env *env, const char *path, reality_data *out);
void reality_data_free(reality_data *data);

pawl_pose reality_pose(const reality_toss *toss, int sample);
pawl_twist reality_twist(const reality_toss *toss, int sample); ///< in world axes
