// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Whether results can be written where the user wants them, found out before anything is computed.
#pragma once
#include <stdio.h>

#include "console.h"

/// The file could be created or replaced: its folder exists and can be written, and it is not a
/// folder itself. "-" is always fine, and so is NULL, no output. Otherwise prints what is wrong with `option`.
bool output_check(console *con, const char *option, const char *path);
/// Whether two paths mean one file, existing or yet to be made.
bool output_same_file(const char *a, const char *b);
/// That `path` is not the file `other`; otherwise prints that `option` would overwrite it, by what it is
/// called. NULL is no file.
bool output_spares(console *con, const char *option, const char *path, const char *called,
                   const char *other);
/// Where the text for people goes: stderr when the JSON takes the standard output.
FILE *output_text(const char *json_path);
