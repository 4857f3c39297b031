// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The pawl command: finds the named command and calls it. It uses only the public headers, which shows that they are
// sufficient.
#include "args.h"
#include "complete.h"
#include "manual.h"
#include "ranks.h"

#include <jansson.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "pawl/io.h"

const args_command *const args_commands[] = {
    &args_run,   &args_view,   &args_check,   &args_convert,   &args_solve, &args_bench,
    &args_sweep, &args_report, &args_compare, &args_reproduce, &args_list};
const int args_command_count = (int)(sizeof args_commands / sizeof args_commands[0]);

const char args_intro[] =
    "pawl simulates machines of rigid bodies, with any closed loops, and says how far\n"
    "the numbers can be trusted.\n";
const char args_examples[] = "  pawl list models\n"
                             "  pawl check fourbar-fixed\n"
                             "  pawl run fourbar-fixed --time 5 -o run.h5\n"
                             "  pawl report run.h5 -o report.html\n";
const char args_exit_codes[] = "0 done, 1 the physics did not meet the requested tolerance,\n"
                               "2 bad usage or input.\n";

static void main_print_usage(FILE *to)
{
    fprintf(to, "%s\nusage: pawl COMMAND [arguments]\n\n", args_intro);
    for (int i = 0; i < args_command_count; ++i) {
        fprintf(to, "  pawl %-10s %s\n", args_commands[i]->name, args_commands[i]->summary);
    }
    fprintf(to,
            "\n"
            "  pawl help COMMAND   all about one command (also: pawl COMMAND --help)\n"
            "  pawl --version      the version, and what is built in\n"
            "\n"
            "Begin with:\n%s\n"
            "Exit codes: %s",
            args_examples, args_exit_codes);
}

static void main_print_names(const char *title, const char *(*name)(int))
{
    printf("  %-13s", title);
    for (int i = 0; name(i) != NULL; ++i) {
        printf("%s%s", i > 0 ? ", " : "", name(i));
    }
    printf("\n");
}

static int main_print_version(void)
{
    printf("pawl %s\n\nbuilt in:\n", pawl_version());
    main_print_names("steppers", pawl_stepper_name);
    main_print_names("solvers", pawl_solver_name);
    main_print_names("formulations", pawl_formulation_name);
    printf("  %-13s%s\n", "readers", "SDFormat, URDF, FCLib");
    printf("  %-13s%s\n", "recording", "HDF5");
    printf("  %-13s%s\n", "clusters", ranks_version() != NULL ? ranks_version() : "no MPI");
    printf("  %-13sjansson %s%s%s\n", "libraries", jansson_version_str(),
#if defined(PAWL_BUILT_WITH)
           ", ", PAWL_BUILT_WITH
#else
           "", ""
#endif
    );
    return EXIT_DONE;
}

static const char *main_word(const void *user, int i)
{
    (void)user;
    if (i < args_command_count) {
        return args_commands[i]->name;
    }
    static const char *const others[] = {"help", "--help", "--version"};
    i -= args_command_count;
    return i < (int)(sizeof others / sizeof others[0]) ? others[i] : NULL;
}

static const args_command *main_find(console *con, const char *name)
{
    for (int i = 0; i < args_command_count; ++i) {
        if (strcmp(args_commands[i]->name, name) == 0) {
            return args_commands[i];
        }
    }
    char hint[160];
    args_fail(con, NULL, "there is no %s '%s'%s", name[0] == '-' ? "option" : "command", name,
              args_suggest(name, main_word, NULL, hint, sizeof hint));
    return NULL;
}

static int main_run(console *con, int argc, char **argv)
{
    if (argc < 2) {
        main_print_usage(stderr);
        return EXIT_BAD_INPUT;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        return main_print_version();
    }
    // Not in the help: for the build, which installs the manual, and for the shells' completions.
    if (strcmp(word, "__manual") == 0 && argc == 2) {
        manual_print();
        return EXIT_DONE;
    }
    if (strcmp(word, "__complete") == 0) {
        complete_print(argc - 2, argv + 2);
        return EXIT_DONE;
    }
    bool help = strcmp(word, "help") == 0;
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || (help && argc == 2)) {
        main_print_usage(stdout);
        return EXIT_DONE;
    }
    const args_command *command = main_find(con, help ? argv[2] : word);
    if (command == NULL) {
        return EXIT_BAD_INPUT;
    }
    return help ? args_print_help(command) : command->run(con, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    // Character set only: numbers must keep their decimal point whatever the locale.
    setlocale(LC_CTYPE, "");
    console con;
    console_init(&con);
    int code = main_run(&con, argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout) != 0) {
        console_error(&con, "writing to the standard output failed");
        code = EXIT_BAD_INPUT;
    }
    console_destroy(&con);
    return code;
}
