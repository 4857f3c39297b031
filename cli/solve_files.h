// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The problem files that `pawl solve` was given.
#pragma once
#include "console.h"

typedef struct solve_files {
    char **paths;
    int count;
} solve_files;

/// The file, or all problems in the folder by name. False: none, with the message printed. To be freed in
/// either case.
bool solve_files_list(console *con, const char *path, solve_files *files);
void solve_files_free(solve_files *files);
