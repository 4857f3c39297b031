// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl report: a recording to one self-contained HTML page.
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "browser.h"
#include "interrupt.h"
#include "output.h"
#include "pawl/io.h"
#include "pawl/viewer.h"

typedef struct report_request {
    args_request args; ///< the argument is the recording
    const char *page, *picture, *video, *size;
} report_request;

static const args_option cmd_report_options[] = {
    {"--output", 'o', "FILE", "the page; otherwise beside the recording, as .html", args_take_text,
     offsetof(report_request, page), NULL},
    {"--picture", 0, "FILE", "also draw the motion into an SVG picture", args_take_text,
     offsetof(report_request, picture), NULL},
    {"--video", 0, "FILE",
     "also make a film of the motion, WebM or GIF by its ending; needs\nChromium or a relative "
     "(PAWL_BROWSER)",
     args_take_text, offsetof(report_request, video), NULL},
    {"--video-size", 0, "WxH", "of the film in pixels (960x540; of a GIF 480x270)", args_take_text,
     offsetof(report_request, size), NULL},
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

static int cmd_report_remove(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    (void)remove(path);
    return 0;
}

// Serves the page to a browser without a window until that has sent the film.
static bool cmd_report_wait(console *con, pawl_viewer *view, const char *fragment)
{
    char folder[] = "/tmp/pawl-film-XXXXXX", address[512];
    if (mkdtemp(folder) == NULL) {
        console_error(con, "cannot make a folder for the browser's profile in /tmp");
        return false;
    }
    snprintf(address, sizeof address, "%s%s", pawl_viewer_address(view), fragment);
    pid_t browser = browser_work(address, folder);
    if (browser == 0) {
        console_error(
            con, "--video needs Chromium or a relative: install one, or name it in PAWL_BROWSER");
    }
    interrupt_catch();
    while (browser > 0 && pawl_viewer_video(view) == 0 && interrupt_signal() == 0 &&
           pawl_viewer_serve(view) == PAWL_OK) {
        if (!browser_lives(browser)) {
            console_error(con, "the browser ended before the film was made");
            browser = 0;
        }
    }
    bool made = pawl_viewer_video(view) == 1;
    browser_end(browser);
    (void)nftw(folder, cmd_report_remove, 16, FTW_DEPTH | FTW_PHYS);
    return made;
}

static bool cmd_report_film(console *con, const char *record, const report_request *request)
{
    size_t length = strlen(request->video);
    bool gif = length > 4 && strcmp(request->video + length - 4, ".gif") == 0;
    int width = gif ? 480 : 960, height = gif ? 270 : 540;
    if (request->size != NULL && (sscanf(request->size, "%dx%d", &width, &height) != 2 ||
                                  width < 64 || height < 64 || width > 3840 || height > 2160)) {
        args_fail(con, &args_report, "--video-size %s is not a size, expected 64x64 to 3840x2160",
                  request->size);
        return false;
    }
    pawl_viewer_options options = pawl_viewer_options_default();
    options.record_path = record;
    options.video_path = request->video;
    int errors = con->error_count;
    pawl_viewer *view = NULL;
    pawl_status status = pawl_viewer_create(&con->env, &options, &view);
    if (status != PAWL_OK) {
        console_explain(con, errors, status, "--video");
        return false;
    }
    char fragment[96];
    snprintf(fragment, sizeof fragment, "#video=%s&width=%d&height=%d", gif ? "gif" : "webm",
             width & ~1, height & ~1);
    bool made = cmd_report_wait(con, view, fragment);
    pawl_viewer_destroy(view);
    return made;
}

static int cmd_report_write(console *con, const char *record, const char *page,
                            const report_request *request)
{
    const char *picture = request->picture;
    if (!output_check(con, "-o", page) || !output_check(con, "--picture", picture) ||
        !output_check(con, "--video", request->video)) {
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
    if (request->video != NULL && !cmd_report_film(con, record, request)) {
        return EXIT_BAD_INPUT;
    }
    printf("%s\n", page);
    if (picture != NULL) {
        printf("%s\n", picture);
    }
    if (request->video != NULL) {
        printf("%s\n", request->video);
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
    if (cmd_report_is_stdout(page) || cmd_report_is_stdout(request.picture) ||
        cmd_report_is_stdout(request.video)) {
        return args_fail(con, &args_report, "a report needs a file name, not '-'");
    }
    char *made_up = page == NULL ? cmd_report_default_path(record) : NULL;
    if (page == NULL && made_up == NULL) {
        console_error(con, "out of memory");
        return EXIT_BAD_INPUT;
    }
    code = cmd_report_write(con, record, page != NULL ? page : made_up, &request);
    free(made_up);
    return code;
}

const args_command args_report = {
    .name = "report",
    .arguments = "RUN.h5 [-o FILE] [--picture FILE] [--video FILE]",
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
