// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Arguments that choose among names or change settings, the same for every command that has them.
#include "setting_args.h"

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

const char *setting_args_key(const void *user, int i)
{
    (void)user;
    return i < pawl_setting_count() ? pawl_setting(i).key : NULL;
}

int setting_args_choose(console *con, const args_command *command, const char *option,
                        const char *word, const char *(*name)(const void *user, int i))
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
    args_fail(con, command, "%s '%s' is not known%s Expected one of: %s", option, word,
              hint[0] != '\0' ? hint : ".", all);
    return -1;
}

bool setting_args_number(console *con, const args_command *command, const char *option,
                         const char *text, double *out)
{
    if (!args_number(text, out)) {
        args_fail(con, command, "%s '%s' is not a finite number", option, text);
        return false;
    }
    return true;
}

bool setting_args_set(console *con, const args_command *command, pawl_settings *settings,
                      const char *pair)
{
    const char *equals = strchr(pair, '=');
    char key[64];
    if (equals == NULL || equals == pair || equals[1] == '\0') {
        args_fail(con, command, "--set '%s' is not of the form key=value", pair);
        return false;
    }
    snprintf(key, sizeof key, "%.*s", (int)(equals - pair), pair);
    bool known = false;
    for (int i = 0; i < pawl_setting_count(); ++i) {
        known = known || strcmp(pawl_setting(i).key, key) == 0;
    }
    if (!known) {
        char hint[160];
        args_suggest(key, setting_args_key, NULL, hint, sizeof hint);
        console_error(con, "--set: there is no setting '%s'%s", key, hint);
        fprintf(stderr, "'pawl list settings' shows them all.\n");
        return false;
    }
    int errors = con->error_count;
    pawl_status status = pawl_settings_set(&con->env, settings, key, equals + 1);
    if (status != PAWL_OK) {
        console_explain(con, errors, status, pair);
    }
    return status == PAWL_OK;
}
