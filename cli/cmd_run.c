// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl run: simulates a model from its start, or continues a recorded run, and ends with a verdict. All invalid input
// is refused before the first step. The check of the model, which the verdict needs, uses the sim that then runs.
#include <inttypes.h>
#include <stdlib.h>

#include "interrupt.h"
#include "output.h"
#include "pawl/io.h"
#include "progress.h"
#include "run_args.h"
#include "run_result.h"
#include "warnings_out.h"

// What a run holds, for one place to release it.
typedef struct cmd_run_work {
    console *con;
    run_request request;
    const char *model_path, *motion_path; ///< as asked for, or as a recording has them
    pawl_record *record;                  ///< open only until its state is read
    pawl_state *state;                    ///< read from it
    pawl_model *model;
    pawl_check *check;
    pawl_sim *sim;
    pawl_recorder *recorder;
    char *real_model_path, *real_motion_path;
    run_result result;
} cmd_run_work;

static bool cmd_run_failed(cmd_run_work *w, int errors_before, pawl_status status,
                           const char *doing)
{
    if (status != PAWL_OK) {
        console_explain(w->con, errors_before, status, doing);
    }
    return status != PAWL_OK;
}

// Opens the recording to continue, and takes its settings and, if none is named, its model.
static bool cmd_run_open_record(cmd_run_work *w)
{
    run_request *request = &w->request;
    int errors = w->con->error_count;
    pawl_status status = pawl_record_open(&w->con->env, request->resume_path, &w->record);
    if (cmd_run_failed(w, errors, status, request->resume_path)) {
        return false;
    }
    request->settings = pawl_record_settings(w->record);
    if (w->model_path == NULL) {
        w->model_path = pawl_record_model_path(w->record);
    }
    const char *motion = pawl_record_motion_path(w->record);
    if (w->motion_path == NULL && motion[0] != '\0') {
        w->motion_path = motion;
    }
    if (w->model_path == NULL || w->model_path[0] == '\0') {
        console_error(w->con, "%s does not say which model it is of: pawl run MODEL --resume %s",
                      request->resume_path, request->resume_path);
        return false;
    }
    return true;
}

static bool cmd_run_load_model(cmd_run_work *w)
{
    int errors = w->con->error_count;
    pawl_load_options options = pawl_load_options_default();
    options.lenient = w->request.lenient;
    options.motion_path = w->motion_path;
    start_args_apply(&w->request.starts, &options);
    place_args_apply(&w->request.place, &options);
    load_args_apply(&w->request.load, &options);
    options.mjcf_soft = w->request.settings.mjcf.soft;
    options.drawing = w->request.record_path != NULL || w->request.resume_path != NULL;
    pawl_status status = pawl_model_load(&w->con->env, w->model_path, &options, &w->model);
    if (cmd_run_failed(w, errors, status, w->model_path)) {
        return false;
    }
    if (w->record != NULL && pawl_record_model_hash(w->record) != pawl_model_hash(w->model)) {
        const char *motion = w->motion_path;
        console_error(w->con,
                      "%s%s%s is not the model that %s was recorded with (hash %016" PRIx64
                      ", expected %016" PRIx64 ")",
                      w->model_path, motion != NULL ? " with " : "", motion != NULL ? motion : "",
                      w->request.resume_path, pawl_model_hash(w->model),
                      pawl_record_model_hash(w->record));
        return false;
    }
    // A recording is often resumed from another folder.
    w->real_model_path = realpath(w->model_path, NULL);
    if (w->motion_path != NULL) {
        w->real_motion_path = realpath(w->motion_path, NULL);
    }
    return true;
}

// How far the run is, into its verdict.
static void cmd_run_reach(cmd_run_work *w, pawl_run_end end)
{
    pawl_verdict_end(&w->result.verdict, end, pawl_state_time(pawl_sim_state(w->sim)),
                     w->request.time);
}

// Rank and mobility for the verdict, and warnings. A resumed run has shown them when it began.
static bool cmd_run_check(cmd_run_work *w)
{
    int errors = w->con->error_count;
    w->con->muted = true; // what a sim of reduced coordinates says of its start has been shown
    pawl_status status = pawl_check_sim(w->sim, &w->check);
    w->con->muted = false;
    if (w->check != NULL && w->record == NULL) {
        warnings_out_summary(w->con, w->check, w->model_path);
    }
    return !cmd_run_failed(w, errors, status, w->model_path);
}

// The joints of the model cannot be brought together: the warnings may say why.
static void cmd_run_warn_of_start(cmd_run_work *w)
{
    pawl_env silent = w->con->env; // it was shown what is wrong
    silent.log = NULL;
    (void)pawl_check_model(&silent, w->model, &w->check);
    if (w->check != NULL && w->record == NULL) {
        warnings_out_summary(w->con, w->check, w->model_path);
    }
}

static bool cmd_run_create_sim(cmd_run_work *w)
{
    console *con = w->con;
    int errors = con->error_count;
    con->muted = w->record != NULL; // a resumed run takes over a state that is assembled
    pawl_status status = pawl_sim_create(&con->env, w->model, &w->request.settings, &w->sim);
    con->muted = false;
    if (status == PAWL_NOT_ASSEMBLED) {
        cmd_run_warn_of_start(w);
    }
    if (cmd_run_failed(w, errors, status, w->model_path) || !cmd_run_check(w)) {
        return false;
    }
    w->result.verdict = pawl_verdict_begin(pawl_sim_state(w->sim));
    cmd_run_reach(w, PAWL_RUN_UNDERWAY);
    return true;
}

// Takes over the last state of the recording that is continued.
static bool cmd_run_take_state(cmd_run_work *w)
{
    if (w->record == NULL) {
        return true;
    }
    int errors = w->con->error_count;
    pawl_status status = pawl_state_create(&w->con->env, w->model, &w->state);
    if (status == PAWL_OK) {
        status = pawl_record_last_state(w->record, w->state, &w->result.verdict);
    }
    if (status == PAWL_OK) {
        status = pawl_sim_set_state(w->sim, w->state);
    }
    // Before it is opened for appending. Its strings end with it.
    w->model_path = w->real_model_path;
    w->motion_path = w->real_motion_path;
    pawl_record_close(w->record);
    w->record = NULL;
    return !cmd_run_failed(w, errors, status, w->request.resume_path);
}

static bool cmd_run_create_recorder(cmd_run_work *w)
{
    const run_request *request = &w->request;
    const pawl_env *env = &w->con->env;
    int errors = w->con->error_count;
    pawl_status status = PAWL_OK;
    if (request->resume_path != NULL) {
        status = pawl_recorder_append(env, request->resume_path, w->sim, &w->recorder);
        return !cmd_run_failed(w, errors, status, request->resume_path);
    }
    if (request->record_path == NULL) {
        return true;
    }
    pawl_recorder_options options = pawl_recorder_options_default();
    options.trace = request->trace;
    options.interval = request->every;
    options.model_path = w->real_model_path != NULL ? w->real_model_path : w->model_path;
    options.motion_path = w->real_motion_path != NULL ? w->real_motion_path : w->motion_path;
    status = pawl_recorder_create(env, request->record_path, w->sim, &options, &w->recorder);
    if (status == PAWL_OK) {
        const pawl_state *state = pawl_sim_state(w->sim);
        pawl_step_report start = {
            .closure = pawl_state_closure(state),
            .energy = pawl_state_energy(state),
        };
        status = pawl_recorder_add(w->recorder, &start, &w->result.verdict);
    }
    return !cmd_run_failed(w, errors, status, request->record_path);
}

static double cmd_run_clock(void *user)
{
    (void)user;
    return timing_now();
}

// The events of the last step, as far as there is room for them.
static void cmd_run_keep_events(cmd_run_work *w)
{
    run_result *result = &w->result;
    int count = pawl_sim_event_count(w->sim);
    for (int k = 0; k < count && result->event_count < RUN_RESULT_EVENTS; ++k) {
        result->events[result->event_count++] = pawl_sim_event(w->sim, k);
    }
}

// What was to be written could not be: the run ends here.
static void cmd_run_not_written(cmd_run_work *w)
{
    cmd_run_reach(w, PAWL_RUN_NOT_WRITTEN);
    w->result.failure_text = w->con->last_error;
}

// Steps until `last`, a signal or a failure; the verdict has which.
static void cmd_run_steps(cmd_run_work *w, int64_t last)
{
    run_result *result = &w->result;
    const pawl_state *state = pawl_sim_state(w->sim);
    int64_t first = pawl_state_step(state);
    pawl_sim_set_clock(w->sim, cmd_run_clock, NULL);
    progress bar = progress_begin(w->con, first, last, w->request.time);
    double begun = timing_now();
    bool written = true;
    pawl_run_end end = PAWL_RUN_DONE;
    for (int64_t k = first; k < last && written; ++k) {
        if (interrupt_signal() != 0) {
            end = PAWL_RUN_INTERRUPTED;
            break;
        }
        int errors = w->con->error_count;
        pawl_step_report report;
        problem_export_before(&w->request.problems, w->sim);
        double before = timing_now();
        pawl_status status = pawl_sim_step(w->sim, &report);
        double after = timing_now();
        if (status != PAWL_OK) {
            console_explain(w->con, errors, status, "step");
            end = PAWL_RUN_STEP_FAILED;
            result->failure_text = w->con->last_error;
            break;
        }
        timing_add(&result->steps, after - before);
        for (int p = 0; p < PAWL_PHASE_COUNT; ++p) {
            result->phases[p] += report.seconds[p];
        }
        pawl_verdict_add(&result->verdict, &report);
        cmd_run_reach(w, PAWL_RUN_UNDERWAY);
        cmd_run_keep_events(w);
        if (w->recorder != NULL) {
            status = pawl_recorder_add(w->recorder, &report, &result->verdict);
            written = !cmd_run_failed(w, errors, status, "recording");
        }
        written = problem_export_after(w->con, &w->request.problems, w->sim) && written;
        progress_update(&bar, after, k + 1, pawl_state_time(pawl_sim_state(w->sim)),
                        result->verdict.residual.natural_scaled);
    }
    result->wall = timing_now() - begun;
    progress_end(&bar);
    cmd_run_reach(w, end);
    if (!written) {
        cmd_run_not_written(w);
    }
}

static bool cmd_run_close_recorder(cmd_run_work *w)
{
    if (w->recorder == NULL) {
        return true;
    }
    int errors = w->con->error_count;
    pawl_recorder_end(w->recorder, &w->result.verdict);
    pawl_status status = pawl_recorder_close(w->recorder);
    w->recorder = NULL;
    return !cmd_run_failed(w, errors, status, "closing the recording");
}

// All that stands between the request and the first step. False: refused, with the message printed.
static bool cmd_run_prepare(cmd_run_work *w, int64_t *last)
{
    run_request *request = &w->request;
    w->model_path = request->model_path;
    w->motion_path = request->motion_path;
    if ((request->resume_path != NULL && !cmd_run_open_record(w)) ||
        pawl_settings_check(&w->con->env, &request->settings) != PAWL_OK) {
        return false;
    }
    *last = run_args_step_count(w->con, request);
    if (*last < 0 || !cmd_run_load_model(w) || !cmd_run_create_sim(w) || !cmd_run_take_state(w) ||
        !problem_export_begin(w->con, &request->problems) || !cmd_run_create_recorder(w)) {
        return false;
    }
    run_result *result = &w->result;
    result->model = w->model;
    result->check = w->check;
    result->sim = w->sim;
    result->requested_time = request->time;
    result->resumed_steps = pawl_state_step(pawl_sim_state(w->sim));
    return true;
}

// Judges the run and gives the result out. False: the JSON could not be written.
static bool cmd_run_give_out(cmd_run_work *w)
{
    const run_request *request = &w->request;
    run_result *result = &w->result;
    pawl_verdict_names names = pawl_model_names(w->model);
    result->list = pawl_verdict_judge(&result->verdict, pawl_sim_settings(w->sim), &names);
    bool written = true;
    if (request->json_path != NULL) {
        json_t *root = run_result_json(result);
        if (root != NULL) {
            json_object_set_new(root, "warnings", warnings_out_json(w->con, w->check));
        }
        written = json_out_write(w->con, request->json_path, root);
    }
    run_result_print(result, output_text(request->json_path));
    return written;
}

static int cmd_run_simulate(cmd_run_work *w)
{
    run_request *request = &w->request;
    run_result *result = &w->result;
    int64_t last;
    if (!cmd_run_prepare(w, &last)) {
        return EXIT_BAD_INPUT;
    }
    if (result->resumed_steps > 0 && result->resumed_steps >= last) {
        console_note(w->con, "%s already reaches %.9g s: nothing left to simulate",
                     request->resume_path, pawl_state_time(pawl_sim_state(w->sim)));
    }
    interrupt_catch();
    cmd_run_steps(w, last);
    if (!cmd_run_close_recorder(w)) {
        cmd_run_not_written(w);
    }
    problem_export_end(w->con, &request->problems);
    bool written = cmd_run_give_out(w) && result->verdict.end != PAWL_RUN_NOT_WRITTEN;
    if (result->verdict.end == PAWL_RUN_INTERRUPTED) {
        const char *record =
            request->record_path != NULL ? request->record_path : request->resume_path;
        if (record != NULL) {
            console_note(w->con, "continue with: pawl run --resume %s --time %.9g", record,
                         request->time);
        }
        return EXIT_BY_SIGNAL + interrupt_signal();
    }
    if (!written) {
        return EXIT_BAD_INPUT;
    }
    return result->list.judgement == PAWL_PASSED ? EXIT_DONE : EXIT_NOT_MET;
}

static void cmd_run_release(cmd_run_work *w)
{
    cmd_run_close_recorder(w);
    pawl_record_close(w->record);
    pawl_state_destroy(w->state);
    pawl_sim_destroy(w->sim);
    pawl_check_destroy(w->check);
    pawl_model_destroy(w->model);
    free(w->request.model_path);
    free(w->real_model_path);
    free(w->real_motion_path);
    free(w->result.events);
    free(w);
}

int cmd_run(console *con, int argc, char **argv)
{
    cmd_run_work *w = calloc(1, sizeof *w); // the histogram in it is large for a stack
    pawl_event *events = calloc(RUN_RESULT_EVENTS, sizeof *events);
    if (w == NULL || events == NULL) {
        free(w);
        free(events);
        console_error(con, "out of memory");
        return EXIT_BAD_INPUT;
    }
    w->con = con;
    w->result.events = events;
    w->request = run_args_default();
    int code = run_args_read(con, argc, argv, &w->request);
    if (code == ARGS_READ) {
        code = cmd_run_simulate(w);
    }
    cmd_run_release(w);
    return code;
}
