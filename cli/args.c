// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reads arguments by a command's table, prints its help from the same table, and finds the name
// that was probably meant. getopt is not used: it cannot suggest, and it prints on its own.
#include "args.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGS_LONGEST_NAME = 63 }; // longer words are not compared

// Edits that turn a into b: insert, delete, replace, or swap two neighbours (optimal string
// alignment), by three rolling rows.
static int args_distance(const char *a, const char *b)
{
    int rows[3][ARGS_LONGEST_NAME + 1];
    int la = (int)strlen(a);
    int lb = (int)strlen(b);
    for (int j = 0; j <= lb; ++j) {
        rows[0][j] = j;
    }
    for (int i = 1; i <= la; ++i) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3];
        const int *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= lb; ++j) {
            int best = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                above2[j - 2] + 1 < best) {
                best = above2[j - 2] + 1;
            }
            row[j] = best;
        }
    }
    return rows[la % 3][lb];
}

const char *args_suggest(const char *word, const char *(*name)(const void *user, int i),
                         const void *user, char *text, size_t size)
{
    const char *nearest = NULL;
    int least = 0;
    size_t length = strlen(word);
    text[0] = '\0';
    if (length == 0 || length > ARGS_LONGEST_NAME) {
        return text;
    }
    for (int i = 0;; ++i) {
        const char *candidate = name(user, i);
        if (candidate == NULL) {
            break;
        }
        size_t other = strlen(candidate);
        if (other > ARGS_LONGEST_NAME) {
            continue;
        }
        int distance = args_distance(word, candidate);
        // A name that was only begun, or whose last part was given, is near however long it is.
        bool part = length >= 3 && strstr(candidate, word) != NULL;
        int shorter = (int)(length < other ? length : other);
        int limit = shorter > 1 ? 1 + shorter / 3 : 0; // between single letters nothing is near
        if (part) {
            distance = distance < 2 ? distance : 2;
        }
        if ((part || distance <= limit) && (nearest == NULL || distance < least)) {
            nearest = candidate;
            least = distance;
        }
    }
    if (nearest != NULL) {
        snprintf(text, size, ", did you mean '%s'?", nearest);
    }
    return text;
}

bool args_number(const char *text, double *out)
{
    char *end = NULL;
    if (text[0] == '\0' || isspace((unsigned char)text[0])) {
        return false;
    }
    double value = strtod(text, &end);
    if (*end != '\0' || !isfinite(value)) {
        return false;
    }
    *out = value;
    return true;
}

int args_fail(console *con, const args_command *command, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    console_error(con, "%s", text);
    fprintf(stderr, "'pawl %s%s--help' explains.\n", command != NULL ? command->name : "",
            command != NULL ? " " : "");
    return EXIT_BAD_INPUT;
}

args_reader args_begin(console *con, const args_command *command, int argc, char **argv)
{
    return (args_reader){.con = con, .command = command, .argc = argc, .next = 1, .argv = argv};
}

static const char *args_option_name(const void *user, int i)
{
    const args_command *command = user;
    return i < command->option_count ? command->options[i].name : NULL;
}

static int args_unknown(args_reader *reader, const char *name)
{
    char hint[160];
    args_fail(reader->con, reader->command, "pawl %s has no option '%s'%s", reader->command->name,
              name, args_suggest(name, args_option_name, reader->command, hint, sizeof hint));
    return ARGS_ERROR;
}

// "--time --dt 1e-3" lacks a value, but "--time -1" has one, if a bad one; "-" means stdout.
static bool args_is_value(const char *text)
{
    double number;
    return text[0] != '-' || text[1] == '\0' || args_number(text, &number);
}

static int args_take_value(args_reader *reader, int option, const char *attached,
                           const char **value)
{
    const args_option *o = &reader->command->options[option];
    if (o->value == NULL) {
        if (attached != NULL) {
            args_fail(reader->con, reader->command,
                      "option '%s' takes no value, but '%s' was given", o->name, attached);
            return ARGS_ERROR;
        }
        return option;
    }
    if (attached == NULL) {
        bool there = reader->next < reader->argc;
        const char *text = there ? reader->argv[reader->next] : NULL;
        if (!there || !args_is_value(text)) {
            args_fail(reader->con, reader->command, "option '%s' needs a value: %s %s", o->name,
                      o->name, o->value);
            return ARGS_ERROR;
        }
        reader->next++;
        attached = text;
    }
    if (attached[0] == '\0') {
        args_fail(reader->con, reader->command, "option '%s' was given an empty value, expected %s",
                  o->name, o->value);
        return ARGS_ERROR;
    }
    *value = attached;
    return option;
}

int args_next(args_reader *reader, const char **value)
{
    const args_command *command = reader->command;
    *value = NULL;
    if (reader->next >= reader->argc) {
        return ARGS_END;
    }
    const char *text = reader->argv[reader->next++];
    if (reader->options_ended || text[0] != '-' || text[1] == '\0') {
        *value = text;
        return ARGS_POSITIONAL;
    }
    if (strcmp(text, "--") == 0) {
        reader->options_ended = true;
        return args_next(reader, value);
    }
    if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
        return ARGS_HELP;
    }
    if (text[1] != '-') {
        for (int i = 0; i < command->option_count; ++i) {
            if (command->options[i].letter != '\0' && command->options[i].letter == text[1]) {
                return args_take_value(reader, i, text[2] != '\0' ? text + 2 : NULL, value);
            }
        }
        return args_unknown(reader, text);
    }
    const char *equals = strchr(text, '=');
    size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
    for (int i = 0; i < command->option_count; ++i) {
        const char *name = command->options[i].name;
        if (strlen(name) == length && strncmp(name, text, length) == 0) {
            return args_take_value(reader, i, equals != NULL ? equals + 1 : NULL, value);
        }
    }
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)(length < 120 ? length : 120), text);
    return args_unknown(reader, name);
}

int args_read(console *con, const args_command *command, int argc, char **argv,
              bool (*take)(console *con, void *request, int option, const char *value),
              void *request)
{
    args_reader reader = args_begin(con, command, argc, argv);
    for (;;) {
        const char *value;
        int option = args_next(&reader, &value);
        if (option == ARGS_END) {
            return ARGS_END;
        }
        if (option == ARGS_HELP) {
            return args_print_help(command);
        }
        if (option == ARGS_ERROR || !take(con, request, option, value)) {
            return EXIT_BAD_INPUT;
        }
    }
}

bool args_take_one(console *con, const args_command *command, const char *noun, const char *word,
                   const char **slot)
{
    if (*slot != NULL) {
        args_fail(con, command, "one %s at a time: '%s' and '%s' were given", noun, *slot, word);
        return false;
    }
    *slot = word;
    return true;
}

// The help of one option: its names in the first column, its text, line by line, in the second.
static void args_print_option(const args_option *option, int column)
{
    char left[80];
    char letter[] = {'-', option->letter, ',', ' ', '\0'};
    int used = snprintf(left, sizeof left, "  %s%s%s%s", option->letter != '\0' ? letter : "",
                        option->name, option->value != NULL ? " " : "",
                        option->value != NULL ? option->value : "");
    printf("%s", left);
    const char *line = option->help;
    for (bool first = true; line != NULL; first = false) {
        const char *end = strchr(line, '\n');
        int length = end != NULL ? (int)(end - line) : (int)strlen(line);
        printf("%*s%.*s\n", first ? column - used : column, "", length, line);
        line = end != NULL ? end + 1 : NULL;
    }
}

int args_print_help(const args_command *command)
{
    enum { COLUMN = 24 };
    printf("usage: pawl %s %s\n\n%s\n", command->name, command->arguments, command->summary);
    if (command->option_count > 0) {
        printf("\noptions:\n");
    }
    for (int i = 0; i < command->option_count; ++i) {
        args_print_option(&command->options[i], COLUMN);
    }
    if (command->details != NULL) {
        printf("\n%s", command->details);
    }
    return EXIT_DONE;
}
