// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Completion of a half-typed command line, from the same tables that parse it: `pawl __complete WORDS`
// prints the candidates, and the three scripts in tools/completions only pass them to their shell. Candidates are
// filtered here by the beginning of the last word, so that all shells show the same ones.
#include "complete.h"

#include <stdio.h>
#include <string.h>

#include "args.h"

// `candidate` with `tail`, when it begins with `begun`. A list with commas is completed by its last name.
static void complete_offer(const char *begun, const char *candidate, const char *tail)
{
    const char *comma = strrchr(begun, ',');
    size_t kept = comma != NULL ? (size_t)(comma + 1 - begun) : 0;
    if (strncmp(candidate, begun + kept, strlen(begun + kept)) == 0) {
        printf("%.*s%s%s\n", (int)kept, begun, candidate, tail);
    }
}

// What `value`, which the help writes so, may be: one of the names, or a file.
static void complete_value(const char *value, args_names names, bool files, const char *begun)
{
    const char *tail = strcmp(value, "KEY=VALUE") == 0 ? "=" : "";
    for (int i = 0; names != NULL && names(NULL, i) != NULL; ++i) {
        complete_offer(begun, names(NULL, i), tail);
    }
    if (files) {
        printf(":files\n");
    }
}

static void complete_argument(const args_command *command, const char *begun)
{
    bool files = command->names == NULL || strncmp(command->arguments, "MODEL", 5) == 0;
    complete_value(command->arguments, command->names, files, begun);
}

static void complete_option_value(const args_option *option, const char *begun)
{
    bool files = strcmp(option->value, "FILE") == 0 || strcmp(option->value, "DIR") == 0;
    complete_value(option->value, option->names, files, begun);
}

static void complete_options(const args_command *command, const char *begun)
{
    for (int i = 0; i < command->option_count; ++i) {
        complete_offer(begun, command->options[i].name, "");
    }
    complete_offer(begun, "--help", "");
}

static void complete_commands(const char *begun)
{
    for (int i = 0; i < args_command_count; ++i) {
        complete_offer(begun, args_commands[i]->name, "");
    }
}

// The option that `word` names and that still waits for its value, or NULL.
static const args_option *complete_waiting(const args_command *command, const char *word)
{
    for (int i = 0; i < command->option_count; ++i) {
        const args_option *o = &command->options[i];
        bool letter =
            o->letter != '\0' && word[0] == '-' && word[1] == o->letter && word[2] == '\0';
        if (o->value != NULL && (letter || strcmp(word, o->name) == 0)) {
            return o;
        }
    }
    return NULL;
}

void complete_print(int count, char **words)
{
    if (count < 1) {
        return;
    }
    const char *begun = words[count - 1];
    if (count == 1) {
        complete_commands(begun);
        complete_offer(begun, "help", "");
        complete_offer(begun, "--help", "");
        complete_offer(begun, "--version", "");
        return;
    }
    if (count == 2 && strcmp(words[0], "help") == 0) {
        complete_commands(begun);
        return;
    }
    for (int i = 0; i < args_command_count; ++i) {
        const args_command *command = args_commands[i];
        if (strcmp(command->name, words[0]) != 0) {
            continue;
        }
        const args_option *waiting = count > 2 ? complete_waiting(command, words[count - 2]) : NULL;
        if (waiting != NULL) {
            complete_option_value(waiting, begun);
        } else if (begun[0] == '-') {
            complete_options(command, begun);
        } else {
            complete_argument(command, begun);
        }
    }
}
