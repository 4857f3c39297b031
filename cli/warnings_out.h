// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The warnings about a model, in the three forms in which commands give them out.
#pragma once
#include <stdio.h>

#include "json_out.h"

/// One paragraph each, with what to do, for `check`. Nothing without warnings.
void warnings_out_list(const pawl_check *check, FILE *to);
/// One line of stderr for each kind that was found, with how many and the first of them, for `run`.
void warnings_out_summary(console *con, const pawl_check *check, const char *model_path);
/// All, those that the library logged while it read the file first: [{kind, where, text, advice}].
json_t *warnings_out_json(const console *con, const pawl_check *check);
