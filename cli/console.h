// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What the command says besides its results: errors, warnings and notes on stderr, in one form,
// whether they come from the command itself or from the library through pawl_env.
#pragma once
#include "pawl/base.h"

/// Exit codes, the same for every command; see docs/cli.md.
enum {
    EXIT_DONE = 0,
    EXIT_NOT_MET = 1,    ///< a criterion of the verdict failed
    EXIT_BAD_INPUT = 2,  ///< bad usage or input, or an output that could not be written
    EXIT_BY_SIGNAL = 128 ///< plus the signal's number, as shells do
};

typedef struct console {
    pawl_env env;          ///< for the library; its log comes back to this console
    bool quiet;            ///< no notes
    bool muted;            ///< errors only, for work whose warnings were already shown
    bool bar_shown;        ///< a progress bar stands in the last line of the terminal
    int error_count;       ///< errors shown so far
    char last_error[2048]; ///< text of the latest, cut if longer
    char **warnings;       ///< all warnings of the library, for `check`
    int warning_count;
} console;

void console_init(console *con);
void console_destroy(console *con);

/// "pawl: error: ..." on stderr.
void console_error(console *con, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// "pawl: warning: ..." on stderr; not among the warnings of the library.
void console_warning(console *con, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// "pawl: note: ..." on stderr, unless quiet.
void console_note(console *con, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Makes sure that a failed library call has left a message: says `doing` and the status when
/// the library logged nothing since `errors_before`.
void console_explain(console *con, int errors_before, pawl_status status, const char *doing);
