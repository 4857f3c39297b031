// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl report: a recording to one self-contained HTML page.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "output.h"
#include "pawl/io.h"

typedef struct report_request {
    args_request args; ///< the argument is the recording
    const char *page, *picture;
} report_request;

static const args_option cmd_report_options[] = {
    {"--output", 'o', "FILE", "the page; otherwise beside the recording, as .html", args_take_text,
     offsetof(report_request, page), NULL},
    {"--picture", 0, "FILE", "also draw the motion into an SVG picture", args_take_text,
     offsetof(report_request, picture), NULL},
};

// "run.h5" becomes "run.html". To be freed.
static char *cmd_report_default_path(const char *record_path)
{
    const char *slash = strrchr(record_path, '/');
    const char *dot = strrchr(record_path, '.');
    bool has_ending = dot != NULL && dot != record_path && (slash == NULL || dot > slash + 1);
    size_t stem = has_ending ? (size_t)(dot - record_path) : strlen(record_path);
    size_t size = stem + sizeof ".html";
    char *path = malloc(size);
    if (path != NULL) {
        snprintf(path, size, "%.*s.html", (int)stem, record_path);
    }
    return path;
}

static int cmd_report_write(console *con, const char *record, const char *page, const char *picture)
{
    if (!output_check(con, "-o", page) || !output_check(con, "--picture", picture)) {
        return EXIT_BAD_INPUT;
    }
    if (output_same_file(record, page) || (picture != NULL && output_same_file(record, picture))) {
        console_error(con, "'%s' would be overwritten: it is the recording", record);
        return EXIT_BAD_INPUT;
    }
    if (picture != NULL && output_same_file(page, picture)) {
        console_error(con, "-o and --picture both name '%s'", page);
        return EXIT_BAD_INPUT;
    }
    int errors = con->error_count;
    pawl_record *opened = NULL;
    pawl_verdict_list list = {0};
    pawl_status status = pawl_record_open(&con->env, record, &opened);
    if (status == PAWL_OK) {
        list = pawl_record_judge(opened);
        pawl_record_close(opened);
        status = pawl_report_write(&con->env, record, page);
    }
    if (status == PAWL_OK && picture != NULL) {
        status = pawl_report_picture(&con->env, record, picture);
    }
    if (status != PAWL_OK) {
        console_explain(con, errors, status, record);
        return EXIT_BAD_INPUT;
    }
    printf("%s\n", page);
    if (picture != NULL) {
        printf("%s\n", picture);
    }
    char sentence[PAWL_SENTENCE_SIZE];
    pawl_verdict_sentence(&list, sentence, sizeof sentence);
    printf("verdict: %s\n", sentence);
    return list.judgement == PAWL_PASSED ? EXIT_DONE : EXIT_NOT_MET;
}

static bool cmd_report_is_stdout(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

static int cmd_report(console *con, int argc, char **argv)
{
    report_request request = {0};
    int code = args_read(con, &args_report, argc, argv, &request.args);
    if (code != ARGS_READ) {
        return code;
    }
    const char *record = request.args.argument, *page = request.page;
    if (record == NULL) {
        return args_fail(con, &args_report, "which recording? pawl report RUN.h5");
    }
    if (cmd_report_is_stdout(page) || cmd_report_is_stdout(request.picture)) {
        return args_fail(con, &args_report, "a report needs a file name, not '-'");
    }
    char *made_up = page == NULL ? cmd_report_default_path(record) : NULL;
    if (page == NULL && made_up == NULL) {
        console_error(con, "out of memory");
        return EXIT_BAD_INPUT;
    }
    code = cmd_report_write(con, record, page != NULL ? page : made_up, request.picture);
    free(made_up);
    return code;
}

const args_command args_report = {
    .name = "report",
    .arguments = "RUN.h5 [-o FILE] [--picture FILE]",
    .noun = "recording",
    .summary = "turn a recording into one HTML page: plots, residuals, energy, verdict",
    .details = "The page needs nothing else: no network, no other file. Prints what it wrote and\n"
               "the verdict of the run.\n"
               "\n"
               "Exit codes: 0 the run passed; 1 it did not; 2 bad usage or input.\n",
    .options = cmd_report_options,
    .option_count = (int)(sizeof cmd_report_options / sizeof cmd_report_options[0]),
    .run = cmd_report,
};
