// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Whether results can be written where the user wants them, found out before anything is computed.
#pragma once
#include "console.h"

/// The file could be created or replaced: its folder exists and can be written, and it is not a
/// folder itself. "-" is always fine. Otherwise prints what is wrong with `option`.
bool output_check(console *con, const char *option, const char *path);
/// Whether two paths mean one file, existing or yet to be made.
bool output_same_file(const char *a, const char *b);
