// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl reproduce: runs one experiment of the table in reproduce/ and writes its study as text, JSON and a page.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "json_out.h"
#include "models_folder.h"
#include "output.h"
#include "pawl/page.h"
#include "progress.h"
#include "reproduce/experiment.h"
#include "study_out.h"
#include "timing.h"

enum { REPRODUCE_TICKS = 1000000 }; // the bar counts fractions of the work

typedef struct reproduce_request {
    args_request args; ///< the argument is the experiment's name
    const char *json_path, *html_path;
    bool quick;
} reproduce_request;

static const args_option cmd_reproduce_options[] = {
    {"--json", 0, "FILE", "tables, points of the plots and claims; - for the standard output",
     args_take_text, offsetof(reproduce_request, json_path), NULL},
    {"--html", 0, "FILE", "one page with tables and plots", args_take_text,
     offsetof(reproduce_request, html_path), NULL},
    {"--quick", 0, NULL, "skip parts that take more than a few seconds", args_take_flag,
     offsetof(reproduce_request, quick), NULL},
    {"--quiet", 'q', NULL, "no progress bar and no notes", args_take_quiet, 0, NULL},
};

static const char *cmd_reproduce_name(const void *user, int i)
{
    (void)user;
    const experiment *e = experiment_at(i);
    return e != NULL ? e->name : NULL;
}

static int cmd_reproduce_list(void)
{
    for (int i = 0; experiment_at(i) != NULL; ++i) {
        const experiment *e = experiment_at(i);
        printf("%-14s %s\n%14s %s\n", e->name, e->summary, "", e->source);
    }
    return EXIT_DONE;
}

static void cmd_reproduce_progress(void *user, double fraction, const char *doing)
{
    progress_update_work(user, timing_now(), (int64_t)(fraction * REPRODUCE_TICKS), doing);
}

static bool cmd_reproduce_check(console *con, const reproduce_request *request)
{
    if (!output_check(con, "--json", request->json_path) ||
        !output_check(con, "--html", request->html_path)) {
        return false;
    }
    if (request->html_path != NULL && strcmp(request->html_path, "-") == 0) {
        args_fail(con, &args_reproduce, "a page needs a file name, not '-'");
        return false;
    }
    if (request->json_path != NULL && request->html_path != NULL &&
        output_same_file(request->json_path, request->html_path)) {
        console_error(con, "--json and --html both name '%s'", request->json_path);
        return false;
    }
    return true;
}

// Writes the study where it was asked for. False: something could not be written.
static bool cmd_reproduce_write(console *con, const reproduce_request *request,
                                const pawl_study *study, double wall)
{
    bool written = true;
    if (request->html_path != NULL) {
        char footer[160];
        snprintf(footer, sizeof footer,
                 "Made by pawl %s with: pawl reproduce %s%s, in %.3g s. Every number is computed "
                 "again; numbers of the paper are marked as such.",
                 pawl_version(), request->args.argument, request->quick ? " --quick" : "", wall);
        int errors = con->error_count;
        pawl_status status = pawl_study_write_html(&con->env, study, footer, request->html_path);
        if (status != PAWL_OK) {
            console_explain(con, errors, status, request->html_path);
            written = false;
        }
    }
    if (request->json_path != NULL) {
        json_t *root = study_json(study);
        if (root != NULL) {
            json_object_set_new(root, "quick", json_boolean(request->quick));
            json_object_set_new(root, "wall_s", json_out_number(wall));
            json_object_set_new(root, "version", json_out_text(pawl_version()));
        }
        written = json_out_write(con, request->json_path, root) && written;
    }
    study_print(study, output_text(request->json_path));
    return written;
}

// The machine of the experiment in motion, into the study; without it the page has none.
static void cmd_reproduce_show(console *con, experiment_run *run, pawl_study *study)
{
    pawl_string motion = {0};
    con->muted = true;
    if (run->film_done && pawl_motion_json(&con->env, run->film_path, &motion) == PAWL_OK) {
        pawl_study_add_motion(study, "The machine in motion", motion.data);
        pawl_string_free(&con->env, &motion);
    }
    con->muted = false;
    (void)remove(run->film_path);
}

static int cmd_reproduce_run(console *con, const reproduce_request *request, const experiment *e,
                             pawl_study *study)
{
    char *models = models_folder();
    progress bar = progress_begin(con, 0, REPRODUCE_TICKS, 0.0);
    experiment_run run = {.env = &con->env,
                          .quick = request->quick,
                          .models = models,
                          .progress = cmd_reproduce_progress,
                          .user = &bar};
    char film[] = "/tmp/pawl-reproduce-XXXXXX";
    int file = request->html_path != NULL ? mkstemp(film) : -1;
    if (file >= 0) {
        (void)close(file);
        run.film_path = film;
    }
    int errors = con->error_count;
    double begun = timing_now();
    pawl_status status = e->run(&run, study);
    double wall = timing_now() - begun;
    progress_end(&bar);
    free(models);
    if (file >= 0) {
        run.film_path = film;
        cmd_reproduce_show(con, &run, study);
    }
    if (status == PAWL_OK) {
        status = pawl_study_status(study);
    }
    if (status != PAWL_OK) {
        console_explain(con, errors, status, e->name);
        // A step that cannot be taken is bad physics, not bad usage.
        bool taken = status != PAWL_NOT_FINITE && status != PAWL_NOT_SOLVED;
        return taken ? EXIT_BAD_INPUT : EXIT_NOT_MET;
    }
    if (!cmd_reproduce_write(con, request, study, wall)) {
        return EXIT_BAD_INPUT;
    }
    return pawl_study_met(study) ? EXIT_DONE : EXIT_NOT_MET;
}

static int cmd_reproduce_begin(console *con, const reproduce_request *request)
{
    const char *name = request->args.argument;
    if (name == NULL) {
        return args_fail(con, &args_reproduce, "reproduce what? pawl reproduce list");
    }
    if (strcmp(name, "list") == 0) {
        return cmd_reproduce_list();
    }
    const experiment *e = experiment_find(name);
    if (e == NULL) {
        char hint[160];
        return args_fail(con, &args_reproduce,
                         "there is no experiment '%s'%s; 'pawl reproduce list' has them all", name,
                         args_suggest(name, cmd_reproduce_name, NULL, hint, sizeof hint));
    }
    if (!cmd_reproduce_check(con, request)) {
        return EXIT_BAD_INPUT;
    }
    pawl_study *study = NULL;
    int errors = con->error_count;
    pawl_status status = pawl_study_create(&con->env, e->name, e->summary, e->source, &study);
    if (status != PAWL_OK) {
        console_explain(con, errors, status, e->name);
        return EXIT_BAD_INPUT;
    }
    int code = cmd_reproduce_run(con, request, e, study);
    pawl_study_destroy(study);
    return code;
}

// "list", then the experiments.
static const char *cmd_reproduce_word(const void *user, int i)
{
    return i == 0 ? "list" : cmd_reproduce_name(user, i - 1);
}

static int cmd_reproduce(console *con, int argc, char **argv)
{
    reproduce_request request = {0};
    int code = args_read(con, &args_reproduce, argc, argv, &request.args);
    return code == ARGS_READ ? cmd_reproduce_begin(con, &request) : code;
}

const args_command args_reproduce = {
    .name = "reproduce",
    .arguments = "NAME [--json FILE] [--html FILE] [--quick]",
    .noun = "experiment",
    .names = cmd_reproduce_word,
    .summary = "compute a published table or figure again and compare; 'list' names them",
    .details = "Prints the tables, and for each claim the value found and whether it holds.\n"
               "\n"
               "Exit codes: 0 every claim holds; 1 one does not, or a step could not be\n"
               "taken; 2 bad usage or input.\n"
               "\n"
               "examples:\n"
               "  pawl reproduce list\n"
               "  pawl reproduce lit-10.1 --html pendulum.html\n",
    .options = cmd_reproduce_options,
    .option_count = (int)(sizeof cmd_reproduce_options / sizeof cmd_reproduce_options[0]),
    .run = cmd_reproduce,
};
