// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Arguments that choose among names or change settings, the same for every command that has them.
#include "setting_args.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *setting_args_stepper(const void *user, int i)
{
    (void)user;
    return pawl_stepper_name(i);
}

const char *setting_args_solver(const void *user, int i)
{
    (void)user;
    return pawl_solver_name(i);
}

const char *setting_args_formulation(const void *user, int i)
{
    (void)user;
    return pawl_formulation_name(i);
}

static const char *setting_args_setting(const void *user, int i)
{
    (void)user;
    return i < pawl_setting_count() ? pawl_setting(i).key : NULL;
}

int setting_args_choose(const args_use *use, const char *word,
                        const char *(*name)(const void *user, int i))
{
    char all[256] = "";
    size_t used = 0;
    for (int i = 0; name(NULL, i) != NULL; ++i) {
        if (strcmp(name(NULL, i), word) == 0) {
            return i;
        }
        int more =
            snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? ", " : "", name(NULL, i));
        used = used + (size_t)more < sizeof all ? used + (size_t)more : sizeof all - 1;
    }
    char hint[160];
    args_suggest(word, name, NULL, hint, sizeof hint);
    args_refuse(use, "%s '%s' is not known%s Expected one of: %s", use->option->name, word,
                hint[0] != '\0' ? hint : ".", all);
    return -1;
}

bool setting_args_next_word(const char **list, char *text, size_t size)
{
    if (*list == NULL) {
        return false;
    }
    const char *comma = strchr(*list, ',');
    size_t length = comma != NULL ? (size_t)(comma - *list) : strlen(*list);
    snprintf(text, size, "%.*s", (int)(length < size ? length : size), *list);
    *list = comma != NULL ? comma + 1 : NULL;
    return true;
}

bool setting_args_number(const args_use *use, double *out)
{
    return args_number(use->value, out) ||
           args_refuse(use, "%s '%s' is not a finite number", use->option->name, use->value);
}

bool setting_args_count(const args_use *use, const char *what, int *out)
{
    double number;
    if (!setting_args_number(use, &number)) {
        return false;
    }
    if (!(number >= 1.0 && number <= 1e9 && number == floor(number))) {
        return args_refuse(use, "%s %s, expected a whole number of %s from 1 to 1e9",
                           use->option->name, use->value, what);
    }
    *out = (int)number;
    return true;
}

bool setting_args_take_stepper(const args_use *use)
{
    int index = setting_args_choose(use, use->value, setting_args_stepper);
    if (index >= 0) {
        ((pawl_settings *)use->field)->stepper = (pawl_stepper_kind)index;
    }
    return index >= 0;
}

bool setting_args_take_solver(const args_use *use)
{
    int index = setting_args_choose(use, use->value, setting_args_solver);
    if (index >= 0) {
        ((pawl_settings *)use->field)->solver.kind = (pawl_solver_kind)index;
    }
    return index >= 0;
}

bool setting_args_take_formulation(const args_use *use)
{
    int index = setting_args_choose(use, use->value, setting_args_formulation);
    if (index >= 0) {
        ((pawl_settings *)use->field)->formulation = (pawl_formulation)index;
    }
    return index >= 0;
}

bool setting_args_take_set(const args_use *use)
{
    const char *pair = use->value;
    const char *equals = strchr(pair, '=');
    char key[64];
    if (equals == NULL || equals == pair || equals[1] == '\0') {
        return args_refuse(use, "--set '%s' is not of the form key=value", pair);
    }
    snprintf(key, sizeof key, "%.*s", (int)(equals - pair), pair);
    bool known = false;
    for (int i = 0; i < pawl_setting_count(); ++i) {
        known = known || strcmp(pawl_setting(i).key, key) == 0;
    }
    if (!known) {
        char hint[160];
        args_suggest(key, setting_args_setting, NULL, hint, sizeof hint);
        console_error(use->con, "--set: there is no setting '%s'%s", key, hint);
        fprintf(stderr, "'pawl list settings' shows them all.\n");
        return false;
    }
    int errors = use->con->error_count;
    pawl_status status = pawl_settings_set(&use->con->env, use->field, key, equals + 1);
    if (status != PAWL_OK) {
        console_explain(use->con, errors, status, pair);
    }
    return status == PAWL_OK;
}
