// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl list: the names for the command line, from the library's own tables, and the models that come with pawl.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "models_folder.h"
#include "pawl/io.h"
#include "reproduce/experiment.h"

// Names with one line each, from the library's tables.
static int cmd_list_table(const char *(*name)(int), const char *(*summary)(int))
{
    for (int i = 0; name(i) != NULL; ++i) {
        printf("%-14s %s\n", name(i), summary(i));
    }
    return EXIT_DONE;
}

static int cmd_list_solvers(console *con)
{
    (void)con;
    return cmd_list_table(pawl_solver_name, pawl_solver_summary);
}

static int cmd_list_steppers(console *con)
{
    (void)con;
    return cmd_list_table(pawl_stepper_name, pawl_stepper_summary);
}

static int cmd_list_formulations(console *con)
{
    (void)con;
    return cmd_list_table(pawl_formulation_name, pawl_formulation_summary);
}

static int cmd_list_joints(console *con)
{
    (void)con;
    printf("%-15s %4s  %s\n", "joint", "rows", "coordinates");
    for (int k = 0; k < PAWL_JOINT_KIND_COUNT; ++k) {
        pawl_joint_kind kind = (pawl_joint_kind)k;
        int count = pawl_joint_kind_coordinates(kind);
        printf("%-15s %4d  ", pawl_joint_kind_name(kind), pawl_joint_kind_rows(kind));
        for (int c = 0; c < count; ++c) {
            printf("%s%s", c > 0 ? ", " : "", pawl_joint_kind_is_angle(kind, c) ? "rad" : "m");
        }
        printf("%s\n", count == 0 ? "-" : "");
    }
    return EXIT_DONE;
}

static int cmd_list_settings(console *con)
{
    (void)con;
    pawl_settings defaults = pawl_settings_default();
    int width[4] = {7, 7, 4, 5}; // of the headings
    for (int i = 0; i < pawl_setting_count(); ++i) {
        char value[64];
        pawl_settings_get(&defaults, i, value, sizeof value);
        pawl_setting_info info = pawl_setting(i);
        const char *cells[4] = {info.key, value, info.unit, info.range};
        for (int k = 0; k < 4; ++k) {
            int length = (int)strlen(cells[k]);
            width[k] = length > width[k] ? length : width[k];
        }
    }
    // Two spaces between columns and never within one: programs can cut there (tools/settings_page).
    const char *format = "%-*s  %-*s  %-*s  %-*s  %s\n";
    printf(format, width[0], "setting", width[1], "default", width[2], "unit", width[3], "range",
           "what it does");
    for (int i = 0; i < pawl_setting_count(); ++i) {
        char value[64];
        pawl_settings_get(&defaults, i, value, sizeof value);
        pawl_setting_info info = pawl_setting(i);
        printf(format, width[0], info.key, width[1], value, width[2], info.unit, width[3],
               info.range, info.help);
    }
    return EXIT_DONE;
}

// The path as it can be typed from here: relative when it is below the current folder.
static const char *cmd_list_shorten(const char *path, const char *here)
{
    size_t length = here != NULL ? strlen(here) : 0;
    bool below = length > 1 && strncmp(path, here, length) == 0 && path[length] == '/';
    return below ? path + length + 1 : path;
}

static void cmd_list_print_model(console *con, const char *path, const char *shown, int width)
{
    pawl_env silent = con->env;
    silent.log = NULL;
    pawl_load_options options = pawl_load_options_default();
    options.lenient = true;
    pawl_model *model = NULL;
    if (pawl_model_load(&silent, path, &options, &model) == PAWL_OK) {
        printf("%-*s  %6d  %6d\n", width, shown, pawl_model_body_count(model),
               pawl_model_joint_count(model));
    } else {
        printf("%-*s  cannot be read; see pawl check\n", width, shown);
    }
    pawl_model_destroy(model);
}

static int cmd_list_models(console *con)
{
    char *folder = models_folder();
    if (folder == NULL) {
        console_error(con, "the folder of the models that come with pawl was not found");
        return EXIT_BAD_INPUT;
    }
    models_list list = models_list_make(folder);
    char *here = getcwd(NULL, 0);
    int width = 5;
    for (int i = 0; i < list.count; ++i) {
        int length = (int)strlen(cmd_list_shorten(list.paths[i], here));
        width = length > width ? length : width;
    }
    printf("%-*s  %6s  %6s\n", width, "model", "bodies", "joints");
    for (int i = 0; i < list.count; ++i) {
        const char *path = list.paths[i];
        cmd_list_print_model(con, path, cmd_list_shorten(path, here), width);
    }
    bool complete = list.complete;
    models_list_free(&list);
    free(here);
    if (!complete) {
        console_error(con, "not all of '%s' could be read", folder);
    }
    free(folder);
    return complete ? EXIT_DONE : EXIT_BAD_INPUT;
}

static int cmd_list_experiments(console *con)
{
    (void)con;
    for (int i = 0; experiment_at(i) != NULL; ++i) {
        printf("%-14s %s\n", experiment_at(i)->name, experiment_at(i)->summary);
    }
    return EXIT_DONE;
}

static const struct {
    const char *name;
    int (*print)(console *con);
} cmd_list_kinds[] = {
    {"solvers", cmd_list_solvers},
    {"steppers", cmd_list_steppers},
    {"formulations", cmd_list_formulations},
    {"joints", cmd_list_joints},
    {"models", cmd_list_models},
    {"settings", cmd_list_settings},
    {"experiments", cmd_list_experiments},
};
enum { LIST_KIND_COUNT = (int)(sizeof cmd_list_kinds / sizeof cmd_list_kinds[0]) };

static const char *cmd_list_kind_name(const void *user, int i)
{
    (void)user;
    return i < LIST_KIND_COUNT ? cmd_list_kinds[i].name : NULL;
}

static int cmd_list(console *con, int argc, char **argv)
{
    args_request request = {0};
    int code = args_read(con, &args_list, argc, argv, &request);
    if (code != ARGS_READ) {
        return code;
    }
    const char *kind = request.argument;
    if (kind == NULL) {
        return args_fail(con, &args_list, "list what? pawl list %s", args_list.arguments);
    }
    for (int i = 0; i < LIST_KIND_COUNT; ++i) {
        if (strcmp(cmd_list_kinds[i].name, kind) == 0) {
            return cmd_list_kinds[i].print(con);
        }
    }
    char hint[160];
    return args_fail(
        con, &args_list, "there is no list of '%s'%s Expected %s", kind,
        args_suggest(kind, cmd_list_kind_name, NULL, hint, sizeof hint)[0] != '\0' ? hint : ".",
        args_list.arguments);
}

const args_command args_list = {
    .name = "list",
    .arguments = "solvers|steppers|formulations|joints|models|settings|experiments",
    .noun = "list",
    .names = cmd_list_kind_name,
    .summary = "list what a name may be: solvers, steppers, joints, settings, models, experiments",
    .details =
        "Settings are changed with pawl run --set KEY=VALUE. Models are those that come\n"
        "with pawl; pawl run and pawl check find them by the name of their file. Experiments\n"
        "are run by pawl reproduce.\n",
    .options = NULL,
    .option_count = 0,
    .run = cmd_list,
};
