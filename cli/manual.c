// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The manual page pawl(1). It is printed from the tables of the commands, of the settings and of the
// experiments, so that it is always up to date; the build installs its output.
#include "manual.h"

#include <stdio.h>

#include "args.h"
#include "pawl/sim.h"

// Text as roff takes it: '-' is a minus that can be copied, and no line begins with a request.
static void manual_text(const char *text)
{
    bool line_start = true;
    for (const char *c = text; *c != '\0'; ++c) {
        if (line_start && (*c == '.' || *c == '\'')) {
            printf("\\&");
        }
        if (*c == '\\') {
            printf("\\e");
        } else if (*c == '-') {
            printf("\\-");
        } else {
            putchar(*c);
        }
        line_start = *c == '\n';
    }
}

// Lines as they stand, for text that is set in columns.
static void manual_lines(const char *text)
{
    printf(".nf\n");
    manual_text(text);
    printf(".fi\n");
}

static void manual_option(const args_option *option)
{
    printf(".TP\n\\fB");
    if (option->letter != '\0') {
        printf("\\-%c\\fR, \\fB", option->letter);
    }
    manual_text(option->name);
    printf("\\fR");
    if (option->value != NULL) {
        printf(" \\fI");
        manual_text(option->value);
        printf("\\fR");
    }
    printf("\n");
    manual_text(option->help);
    printf("\n");
}

static void manual_command(const args_command *command)
{
    printf(".SS pawl %s \\fR", command->name);
    manual_text(command->arguments);
    printf("\n");
    manual_text(command->summary);
    printf(".\n");
    for (int i = 0; i < command->option_count; ++i) {
        manual_option(&command->options[i]);
    }
    if (command->details != NULL) {
        printf(".PP\n");
        manual_lines(command->details);
    }
}

static void manual_settings(void)
{
    pawl_settings defaults = pawl_settings_default();
    printf(".SH SETTINGS\nChanged with \\fB\\-\\-set\\fR \\fIKEY=VALUE\\fR; in parentheses the "
           "default, the "
           "unit and the range.\n");
    for (int i = 0; i < pawl_setting_count(); ++i) {
        pawl_setting_info info = pawl_setting(i);
        char value[64];
        pawl_settings_get(&defaults, i, value, sizeof value);
        printf(".TP\n\\fB");
        manual_text(info.key);
        printf("\\fR (");
        manual_text(value);
        printf("%s%s; ", info.unit[0] != '\0' ? " " : "", info.unit);
        manual_text(info.range);
        printf(")\n");
        manual_text(info.help);
        printf("\n");
    }
}

void manual_print(void)
{
    printf(".\\\" SPDX\\-License\\-Identifier: MIT\n"
           ".\\\" Part of pawl, a rigid multibody dynamics engine. Printed by the command itself.\n"
           ".TH PAWL 1 \"\" \"pawl %s\" \"User Commands\"\n"
           ".SH NAME\npawl \\- simulate machines of rigid bodies with loops, contact and friction\n"
           ".SH SYNOPSIS\n",
           pawl_version());
    for (int i = 0; i < args_command_count; ++i) {
        printf("%s\\fBpawl %s\\fR ", i > 0 ? ".br\n" : "", args_commands[i]->name);
        manual_text(args_commands[i]->arguments);
        printf("\n");
    }
    printf(".br\n\\fBpawl help\\fR [\\fICOMMAND\\fR]\n.br\n\\fBpawl \\-\\-version\\fR\n.SH "
           "DESCRIPTION\n");
    manual_text(args_intro);
    printf(".SH COMMANDS\n");
    for (int i = 0; i < args_command_count; ++i) {
        manual_command(args_commands[i]);
    }
    manual_settings();
    printf(".SH EXIT STATUS\n");
    manual_text(args_exit_codes);
    printf(".SH EXAMPLES\n");
    manual_lines(args_examples);
    printf(".SH FILES\n.TP\n\\fIPREFIX\\fR/share/pawl/models\n"
           "Models that can be given by their name.\n"
           ".TP\n\\fIPREFIX\\fR/share/doc/pawl\n"
           "Documentation and C programs that use the library.\n");
}
