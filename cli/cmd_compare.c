// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl compare: several recordings side by side, as a table and, on request, as a page with their curves and
// machines.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "output.h"
#include "pawl/io.h"
#include "pawl/page.h"

typedef struct compare_request {
    args_request args; ///< the argument is the first recording
    const char *page;
} compare_request;

static const args_option cmd_compare_options[] = {
    {"--html", 0, "FILE", "write a page with curves, figures and the machines in motion",
     args_take_text, offsetof(compare_request, page), NULL},
};

// What the table says of a run.
typedef struct compare_run {
    const char *path;
    pawl_settings settings;
    pawl_verdict_list list;
} compare_run;

static const char *cmd_compare_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static bool cmd_compare_open(console *con, const char *path, compare_run *run)
{
    int errors = con->error_count;
    pawl_record *record = NULL;
    pawl_status status = pawl_record_open(&con->env, path, &record);
    if (status != PAWL_OK) {
        console_explain(con, errors, status, path);
        return false;
    }
    *run = (compare_run){
        .path = path, .settings = pawl_record_settings(record), .list = pawl_record_judge(record)};
    pawl_record_close(record);
    return true;
}

static void cmd_compare_setting(const compare_run *runs, int count, int setting)
{
    char values[PAWL_MOST_COMPARED][128];
    bool differs = false;
    for (int i = 0; i < count; ++i) {
        values[i][0] = '\0';
        (void)pawl_settings_get(&runs[i].settings, setting, values[i], sizeof values[i]);
        differs = differs || strcmp(values[i], values[0]) != 0;
    }
    if (differs) {
        printf("%-32s", pawl_setting(setting).key);
        for (int i = 0; i < count; ++i) {
            printf(" %18.18s", values[i]);
        }
        printf("\n");
    }
}

static void cmd_compare_criterion(const compare_run *runs, int count, int k)
{
    bool judged = false;
    for (int i = 0; i < count; ++i) {
        judged = judged || runs[i].list.criteria[k].judgement != PAWL_NOT_JUDGED;
    }
    if (!judged) {
        return;
    }
    const pawl_criterion *first = &runs[0].list.criteria[k];
    printf("%-32s", first->title);
    for (int i = 0; i < count; ++i) {
        const pawl_criterion *c = &runs[i].list.criteria[k];
        if (isnan(c->value)) {
            printf(" %18s", "-");
        } else {
            printf(" %17.4g%s", c->value, c->judgement == PAWL_FAILED ? "!" : " ");
        }
    }
    printf("  %s\n", first->unit);
}

static void cmd_compare_print(const compare_run *runs, int count)
{
    printf("%-32s", "");
    for (int i = 0; i < count; ++i) {
        printf(" %18.18s", cmd_compare_name(runs[i].path));
    }
    printf("\n%-32s", "verdict");
    for (int i = 0; i < count; ++i) {
        printf(" %18s", runs[i].list.judgement == PAWL_PASSED ? "PASSED" : "NOT MET");
    }
    printf("\n");
    for (int s = 0; s < pawl_setting_count(); ++s) {
        cmd_compare_setting(runs, count, s);
    }
    for (int k = 0; k < runs[0].list.count; ++k) {
        cmd_compare_criterion(runs, count, k);
    }
}

static int cmd_compare_runs(console *con, const compare_request *request, const char *const *paths,
                            int count)
{
    compare_run *runs = calloc((size_t)count, sizeof *runs); // verdicts are large for a stack
    if (runs == NULL) {
        console_error(con, "out of memory");
        return EXIT_BAD_INPUT;
    }
    bool good = true, passed = true;
    for (int i = 0; i < count && good; ++i) {
        good = cmd_compare_open(con, paths[i], &runs[i]);
        passed = passed && good && runs[i].list.judgement == PAWL_PASSED;
    }
    if (good && request->page != NULL) {
        int errors = con->error_count;
        pawl_status status = pawl_compare_write(&con->env, paths, count, request->page);
        if (status != PAWL_OK) {
            console_explain(con, errors, status, request->page);
            good = false;
        }
    }
    if (good) {
        cmd_compare_print(runs, count);
        if (request->page != NULL) {
            printf("%s\n", request->page);
        }
    }
    free(runs);
    return !good ? EXIT_BAD_INPUT : passed ? EXIT_DONE : EXIT_NOT_MET;
}

// The recordings among the words, which may stand before and after options; the rest is for the table of options.
static int cmd_compare(console *con, int argc, char **argv)
{
    const char *paths[PAWL_MOST_COMPARED];
    char **rest = calloc((size_t)argc + 1, sizeof *rest);
    int count = 0, kept = 0, code = EXIT_BAD_INPUT;
    if (rest == NULL) {
        console_error(con, "out of memory");
        return EXIT_BAD_INPUT;
    }
    bool options_over = false;
    for (int i = 0; i < argc; ++i) {
        bool option = i == 0 || (!options_over && argv[i][0] == '-');
        if (option) {
            options_over = options_over || strcmp(argv[i], "--") == 0;
            rest[kept++] = argv[i];
            if (strcmp(argv[i], "--html") == 0 && i + 1 < argc) {
                rest[kept++] = argv[++i];
            }
        } else if (count < PAWL_MOST_COMPARED) {
            paths[count++] = argv[i];
        } else {
            args_fail(con, &args_compare, "more than %d recordings", (int)PAWL_MOST_COMPARED);
            free(rest);
            return EXIT_BAD_INPUT;
        }
    }
    compare_request request = {0};
    code = args_read(con, &args_compare, kept, rest, &request.args);
    free(rest);
    if (code != ARGS_READ) {
        return code;
    }
    if (count < 2) {
        return args_fail(con, &args_compare,
                         "got %d recordings, expected 2 or more: pawl compare A.h5 B.h5", count);
    }
    if (request.page != NULL &&
        (strcmp(request.page, "-") == 0 || !output_check(con, "--html", request.page))) {
        return EXIT_BAD_INPUT;
    }
    for (int i = 0; i < count && request.page != NULL; ++i) {
        if (output_same_file(paths[i], request.page)) {
            console_error(con, "'%s' would be overwritten: it is a recording", paths[i]);
            return EXIT_BAD_INPUT;
        }
    }
    return cmd_compare_runs(con, &request, paths, count);
}

const args_command args_compare = {
    .name = "compare",
    .arguments = "A.h5 B.h5 ... [--html FILE]",
    .noun = "recording",
    .summary = "several recordings side by side: settings that differ, verdicts, curves",
    .details = "Prints the settings that differ and the figure of every criterion that was judged\n"
               "in one of them; ! marks what failed. Up to 8 recordings.\n"
               "\n"
               "Exit codes: 0 every run passed; 1 one did not; 2 bad usage or input.\n"
               "\n"
               "examples:\n"
               "  pawl compare euler.h5 moreau.h5 --html compare.html\n",
    .options = cmd_compare_options,
    .option_count = (int)(sizeof cmd_compare_options / sizeof cmd_compare_options[0]),
    .run = cmd_compare,
};
