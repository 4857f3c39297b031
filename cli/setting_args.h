// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Arguments that choose among names or change settings, the same for every command that has them.
#pragma once
#include "args.h"
#include "pawl/settings.h"

/// Names by index, NULL past the last, as args_suggest() takes them.
const char *setting_args_stepper(const void *user, int i);
const char *setting_args_solver(const void *user, int i);
const char *setting_args_formulation(const void *user, int i);
/// Index of `word` among the names, or -1 with a message that lists what is expected.
int setting_args_choose(const args_use *use, const char *word,
                        const char *(*name)(const void *user, int i));
/// The next word of a list that is separated by commas, or false after the last. `text` gets as much of
/// it as it has room for.
bool setting_args_next_word(const char **list, char *text, size_t size);
/// The value as a finite number, or false with a message.
bool setting_args_number(const args_use *use, double *out);
/// The value as a whole number from 1 to 1e9 of `what`, or false with a message.
bool setting_args_count(const args_use *use, const char *what, int *out);

/// Rows of an option table. The field is a `pawl_settings`.
bool setting_args_take_stepper(const args_use *use);
bool setting_args_take_solver(const args_use *use);
bool setting_args_take_formulation(const args_use *use);
bool setting_args_take_set(const args_use *use); ///< one "key=value"
