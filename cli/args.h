// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Command line arguments: one table per command serves its parser, its help, the manual and the shells'
// completions, so that these cannot disagree. Every mistake is reported with the nearest thing that would have been right.
#pragma once
#include <stddef.h>

#include "console.h"

typedef struct args_command args_command;
typedef struct args_option args_option;
/// Names by index, NULL past the last.
typedef const char *(*args_names)(const void *user, int i);

/// An option as it was given.
typedef struct args_use {
    console *con;
    const args_command *command;
    const args_option *option;
    const char *value; ///< NULL for an option that takes none
    void *field;       ///< of the request, as the option's row says
} args_use;

struct args_option {
    const char *name; ///< with its dashes: "--time"
    char letter;      ///< 'o' for "-o", 0 for none
    const char
        *value;       ///< what stands for its value in the help; NULL: takes none; [X]: may lack it
    const char *help; ///< may hold line feeds
    bool (*take)(const args_use *use); ///< stores it; false: refused, with the message printed
    size_t field;     ///< where in the command's request, e.g. offsetof(run_request, time)
    args_names names; ///< what its value is chosen from; NULL: anything
};

struct args_command {
    const char *name;
    const char *arguments; ///< of its usage line, e.g. "MODEL [options]"
    const char *noun;      ///< what its one argument is, e.g. "model"
    args_names names;      ///< what it may be, besides a file; NULL: a file alone
    const char *summary;   ///< one line
    const char *details;   ///< paragraphs after the options; may be NULL
    const args_option *options;
    int option_count;
    int (*run)(console *con, int argc, char **argv); ///< argv[0] is the command's name
};

/// The commands, in the order of the help; in main.c.
extern const args_command *const args_commands[];
extern const int args_command_count;
/// What the help and the manual say of the command as a whole; in main.c.
extern const char args_intro[], args_examples[], args_exit_codes[];
extern const args_command args_run, args_view, args_check, args_solve, args_bench, args_sweep,
    args_report, args_compare, args_reproduce, args_list, args_convert;

/// What every command's request begins with.
typedef struct args_request {
    const char *argument; ///< the one that is no option; NULL without it
    uint64_t given;       ///< bit i: option i of the table was given
} args_request;

enum { ARGS_READ = -1 }; // no exit code
/// Reads all arguments into the command's request, which begins with `request`. Returns ARGS_READ, or the
/// exit code where the command ends here: help was printed, or an error.
int args_read(console *con, const args_command *command, int argc, char **argv,
              args_request *request);

/// Rows of the table whose value is stored as it is: a `const char *`, a `bool`, the console's `quiet`.
bool args_take_text(const args_use *use);
bool args_take_flag(const args_use *use);
bool args_take_quiet(const args_use *use);
/// As args_fail() of the command that was used, and returns false.
bool args_refuse(const args_use *use, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Prints a usage error that ends with where to find help, and returns EXIT_BAD_INPUT.
int args_fail(console *con, const args_command *command, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// The command's help on stdout; returns EXIT_DONE.
int args_print_help(const args_command *command);

/// The whole text is one finite number.
bool args_number(const char *text, double *out);
/// ", did you mean 'x'?" for the candidate nearest to `word`, or "" when none is near. The
/// candidates are `names` with `user`. `text` has room for `size` bytes.
const char *args_suggest(const char *word, args_names names, const void *user, char *text,
                         size_t size);
