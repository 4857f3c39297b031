// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Arguments that choose among names or change settings, the same for every command that has them.
#pragma once
#include "args.h"
#include "pawl/sim.h"

/// Names by index, NULL past the last, as args_suggest() takes them.
const char *setting_args_stepper(const void *user, int i);
const char *setting_args_solver(const void *user, int i);
const char *setting_args_formulation(const void *user, int i);
const char *setting_args_key(const void *user, int i);
/// Index of `word` among the names, or -1 with a message that lists what is expected.
int setting_args_choose(console *con, const args_command *command, const char *option,
                        const char *word, const char *(*name)(const void *user, int i));
/// A finite number, or false with a message.
bool setting_args_number(console *con, const args_command *command, const char *option,
                         const char *text, double *out);
/// One "key=value" of --set, or false with a message.
bool setting_args_set(console *con, const args_command *command, pawl_settings *settings,
                      const char *pair);
