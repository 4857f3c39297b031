// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Tables of numbers with named columns as HDF5 files: results of sweeps. In libpawl-io.
///
/// **Threads.** Any threads may write different files at once; access to HDF5 is serialized inside.
#pragma once
#include "pawl/base.h"

PAWL_EXTERN_C_BEGIN

/// One dataset of a file: rows x width numbers. Its columns are named by the attribute `columns`, one name a line.
typedef struct pawl_columns {
    const char *name; ///< e.g. "result"
    int64_t rows;
    int width;
    const char *const *columns; ///< (width) names
    const double *values;       ///< (rows x width)
} pawl_columns;
/// Writes a file with these tables and a text about them (the attribute `about` of the root). A file of that name is replaced when the new one is
/// complete. The same arguments give the same contents.
PAWL_API pawl_status pawl_columns_write(const pawl_env *env, const char *path,
                                        const pawl_columns *tables, int count, const char *about);

PAWL_EXTERN_C_END
