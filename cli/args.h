// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Command line arguments: one table per command serves its parser and its help, so that the two
// cannot disagree. Every mistake is reported with the nearest thing that would have been right.
#pragma once
#include "console.h"

typedef struct args_option {
    const char *name;  ///< with its dashes: "--time"
    char letter;       ///< 'o' for "-o", 0 for none
    const char *value; ///< what stands for its value in the help; NULL: takes none
    const char *help;  ///< may hold line feeds
} args_option;

typedef struct args_command {
    const char *name;
    const char *arguments; ///< of its usage line, e.g. "MODEL [options]"
    const char *summary;   ///< one line
    const char *details;   ///< paragraphs after the options; may be NULL
    const args_option *options;
    int option_count;
    /// The i-th word that may stand as the value of an option, or as an argument (ARGS_POSITIONAL), for
    /// completion; NULL past the last. NULL: nothing but file names.
    const char *(*candidate)(int option, int i);
    int (*run)(console *con, int argc, char **argv); ///< argv[0] is the command's name
} args_command;

/// The commands, in the order of the help; in main.c.
extern const args_command *const args_commands[];
extern const int args_command_count;
/// What the help and the manual say of the command as a whole; in main.c.
extern const char args_intro[], args_examples[], args_exit_codes[];
extern const args_command args_run, args_check, args_solve, args_report, args_reproduce, args_list;

enum { ARGS_END = -1, ARGS_POSITIONAL = -2, ARGS_HELP = -3, ARGS_ERROR = -4 };
typedef struct args_reader {
    console *con;
    const args_command *command;
    int argc, next;
    char **argv;
    bool options_ended; ///< "--" was seen
} args_reader;

/// Reads all arguments. `take` gets each option with its value, and each other argument as
/// ARGS_POSITIONAL; it returns false when it has refused one, with the message printed. Returns
/// ARGS_END when all were taken, otherwise the exit code to end with.
int args_read(console *con, const args_command *command, int argc, char **argv,
              bool (*take)(console *con, void *request, int option, const char *value),
              void *request);
/// The one `noun` ("model") that a command takes, into *slot; false with a message for a second one.
bool args_take_one(console *con, const args_command *command, const char *noun, const char *word,
                   const char **slot);
args_reader args_begin(console *con, const args_command *command, int argc, char **argv);
/// The next argument: the index of an option in the command's table, with its value if it takes
/// one, or one of ARGS_*. After ARGS_ERROR the message has been printed.
int args_next(args_reader *reader, const char **value);

/// Prints a usage error that ends with where to find help, and returns EXIT_BAD_INPUT.
int args_fail(console *con, const args_command *command, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// The command's help on stdout; returns EXIT_DONE.
int args_print_help(const args_command *command);

/// The whole text is one finite number.
bool args_number(const char *text, double *out);
/// ", did you mean 'x'?" for the candidate nearest to `word`, or "" when none is near. The
/// candidates come from `name(user, i)` until it returns NULL. `text` has room for `size` bytes.
const char *args_suggest(const char *word, const char *(*name)(const void *user, int i),
                         const void *user, char *text, size_t size);
