// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reads arguments by a command's table, prints its help from the same table, and finds the name that was probably
// meant. getopt is not used, because it makes no suggestions and prints its own messages.
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

const char *args_suggest(const char *word, args_names names, const void *user, char *text,
                         size_t size)
{
    const char *nearest = NULL;
    int least = 0;
    size_t length = strlen(word);
    text[0] = '\0';
    if (length == 0 || length > ARGS_LONGEST_NAME) {
        return text;
    }
    for (int i = 0;; ++i) {
        const char *candidate = names(user, i);
        if (candidate == NULL) {
            break;
        }
        size_t other = strlen(candidate);
        if (other > ARGS_LONGEST_NAME) {
            continue;
        }
        int distance = args_distance(word, candidate);
        // A prefix or the last part of a name counts as near for any length.
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

static void args_print_error(console *con, const args_command *command, const char *format,
                             va_list list)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, list);
    console_error(con, "%s", text);
    fprintf(stderr, "'pawl %s%s--help' explains.\n", command != NULL ? command->name : "",
            command != NULL ? " " : "");
}

int args_fail(console *con, const args_command *command, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    args_print_error(con, command, format, list);
    va_end(list);
    return EXIT_BAD_INPUT;
}

bool args_refuse(const args_use *use, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    args_print_error(use->con, use->command, format, list);
    va_end(list);
    return false;
}

bool args_take_text(const args_use *use)
{
    *(const char **)use->field = use->value;
    return true;
}

bool args_take_flag(const args_use *use)
{
    *(bool *)use->field = true;
    return true;
}

bool args_take_quiet(const args_use *use)
{
    use->con->quiet = true;
    return true;
}

static const char *args_option_name(const void *user, int i)
{
    const args_command *command = user;
    return i < command->option_count ? command->options[i].name : NULL;
}

// "--time --dt 1e-3" lacks a value, but "--time -1" has one, if a bad one; "-" means stdout.
static bool args_is_value(const char *text)
{
    double number;
    return text[0] != '-' || text[1] == '\0' || args_number(text, &number);
}

// Where the reading of the arguments is.
typedef struct args_reader {
    console *con;
    const args_command *command;
    int argc, next;
    char **argv;
    args_request *request;
} args_reader;

// The option of that name, or of that letter (name NULL), or NULL.
static const args_option *args_find(const args_command *command, const char *name, size_t length,
                                    char letter)
{
    for (int i = 0; i < command->option_count; ++i) {
        const args_option *o = &command->options[i];
        bool named =
            name != NULL && strlen(o->name) == length && strncmp(o->name, name, length) == 0;
        if (named || (name == NULL && o->letter != '\0' && o->letter == letter)) {
            return o;
        }
    }
    return NULL;
}

// The value of an option that needs one, attached ("--time=1", "-oFILE") or the next argument.
static bool args_find_value(args_reader *reader, args_use *use, const char *attached)
{
    const args_option *o = use->option;
    if (attached == NULL) {
        bool there = reader->next < reader->argc;
        if (there && args_is_value(reader->argv[reader->next])) {
            attached = reader->argv[reader->next++];
        } else if (o->value[0] == '[') { // at the end of the line, or before another option
            use->value = NULL;
            return true;
        } else {
            return args_refuse(use, "option '%s' needs a value: %s %s", o->name, o->name, o->value);
        }
    }
    if (attached[0] == '\0') {
        return args_refuse(use, "option '%s' was given an empty value, expected %s", o->name,
                           o->value);
    }
    use->value = attached;
    return true;
}

static bool args_take_option(args_reader *reader, const char *text)
{
    const args_command *command = reader->command;
    bool is_long = text[1] == '-';
    const char *equals = is_long ? strchr(text, '=') : NULL;
    size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
    const args_option *option = args_find(command, is_long ? text : NULL, length, text[1]);
    args_use use = {.con = reader->con, .command = command, .option = option};
    if (option == NULL) {
        char name[128], hint[160];
        snprintf(name, sizeof name, "%.*s", (int)(length < 120 ? length : 120), text);
        return args_refuse(&use, "pawl %s has no option '%s'%s", command->name, name,
                           args_suggest(name, args_option_name, command, hint, sizeof hint));
    }
    const char *attached = equals != NULL ? equals + 1 : NULL;
    if (!is_long && text[2] != '\0') {
        attached = text + 2;
    }
    if (option->value == NULL && attached != NULL) {
        return args_refuse(&use, "option '%s' takes no value, but '%s' was given", option->name,
                           attached);
    }
    if (option->value != NULL && !args_find_value(reader, &use, attached)) {
        return false;
    }
    use.field = (char *)reader->request + option->field;
    reader->request->given |= UINT64_C(1) << (option - command->options);
    return option->take(&use);
}

int args_read(console *con, const args_command *command, int argc, char **argv,
              args_request *request)
{
    args_reader reader = {con, command, argc, 1, argv, request};
    bool options_ended = false;
    while (reader.next < argc) {
        const char *text = argv[reader.next++];
        bool is_option = !options_ended && text[0] == '-' && text[1] != '\0';
        if (is_option && strcmp(text, "--") == 0) {
            options_ended = true;
        } else if (is_option && (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0)) {
            return args_print_help(command);
        } else if (is_option && !args_take_option(&reader, text)) {
            return EXIT_BAD_INPUT;
        } else if (!is_option && request->argument != NULL) {
            return args_fail(con, command, "one %s at a time: '%s' and '%s' were given",
                             command->noun, request->argument, text);
        } else if (!is_option) {
            request->argument = text;
        }
    }
    return ARGS_READ;
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
