// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl run: simulates a model from its start, or goes on with a recorded run, and ends with a
// verdict. All that can be refused is refused before the first step.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "json_out.h"
#include "models_folder.h"
#include "output.h"
#include "pawl/io.h"
#include "problem_export.h"
#include "progress.h"
#include "run_result.h"
#include "setting_args.h"
#include "warnings_out.h"

enum {
    RUN_TIME,
    RUN_DT,
    RUN_STEPPER,
    RUN_SOLVER,
    RUN_FORMULATION,
    RUN_SET,
    RUN_MOTION,
    RUN_OUTPUT,
    RUN_JSON,
    RUN_TRACE,
    RUN_EVERY,
    RUN_RESUME,
    RUN_EXPORT,
    RUN_EXPORT_EVERY,
    RUN_LENIENT,
    RUN_QUIET,
    RUN_OPTION_COUNT
};

static const args_option cmd_run_options[RUN_OPTION_COUNT] = {
    [RUN_TIME] = {"--time", 0, "SECONDS", "how long to simulate, from the model's start (10)"},
    [RUN_DT] = {"--dt", 0, "SECONDS", "time step (1e-3)"},
    [RUN_STEPPER] = {"--stepper", 0, "NAME", "how time advances; see pawl list steppers"},
    [RUN_SOLVER] = {"--solver", 0, "NAME", "what solves the constraints; see pawl list solvers"},
    [RUN_FORMULATION] = {"--formulation", 0, "NAME", "coordinates; see pawl list formulations"},
    [RUN_SET] = {"--set", 0, "KEY=VALUE",
                 "any setting of pawl list settings; may be repeated, the last\none counts"},
    [RUN_MOTION] = {"--motion", 0, "FILE",
                    "keyframes that the position actuators follow (docs/motions.md)"},
    [RUN_OUTPUT] = {"--output", 'o', "FILE", "record the run (HDF5)"},
    [RUN_JSON] = {"--json", 0, "FILE",
                  "write a summary; - for the standard output, the verdict\nthen goes to stderr"},
    [RUN_TRACE] = {"--trace", 0, "LIST",
                   "what -o records, separated by commas: q, v, force, contacts,\n"
                   "energy, residuals (all)"},
    [RUN_EVERY] = {"--every", 0, "SECONDS", "simulated time between recorded frames (every step)"},
    [RUN_RESUME] = {"--resume", 0, "FILE",
                    "go on from the last state of a recording until --time, with\n"
                    "its settings, appending to it; MODEL is needed only if the\n"
                    "model file has moved"},
    [RUN_EXPORT] = {"--export-problems", 0, "DIR",
                    "write the contact problems of the steps as FCLib files"},
    [RUN_EXPORT_EVERY] = {"--export-every", 0, "N", "of every N-th step alone (1)"},
    [RUN_LENIENT] = {"--lenient", 0, NULL,
                     "warn of elements of the model file that are not supported,\n"
                     "where it would otherwise be refused"},
    [RUN_QUIET] = {"--quiet", 'q', NULL,
                   "no progress bar and no notes; the verdict is still printed"},
};

typedef struct cmd_run_request {
    const char *model_path, *motion_path;
    double time;
    pawl_settings settings;
    const char *record_path, *json_path, *resume_path;
    unsigned trace;
    double every;
    problem_export problems;
    bool lenient;
    const char *not_with_resume; ///< an option given that a recording has fixed already, or NULL
    const char *needs_output;    ///< an option given that means nothing without -o, or NULL
} cmd_run_request;

// The signal that asked to stop, or 0. The step under way is finished first.
static volatile sig_atomic_t cmd_run_signal;

static void cmd_run_on_signal(int number)
{
    cmd_run_signal = number;
}

static void cmd_run_catch_signals(void)
{
    // Reset after the first: a second Ctrl-C ends the command at once.
    struct sigaction action = {.sa_handler = cmd_run_on_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction before; // nohup ignores it, and means it
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        sigaction(SIGHUP, &action, NULL);
    }
}

static const char *const cmd_run_traces[] = {"q", "v", "force", "contacts", "energy", "residuals"};

static const char *cmd_run_trace_name(const void *user, int i)
{
    (void)user;
    return i < (int)(sizeof cmd_run_traces / sizeof cmd_run_traces[0]) ? cmd_run_traces[i] : NULL;
}

static bool cmd_run_parse_trace(console *con, const char *list, unsigned *out)
{
    *out = 0;
    for (const char *word = list; word != NULL;) {
        const char *comma = strchr(word, ',');
        size_t length = comma != NULL ? (size_t)(comma - word) : strlen(word);
        char text[32];
        snprintf(text, sizeof text, "%.*s", (int)(length < 31 ? length : 31), word);
        int index = setting_args_choose(con, &args_run, "--trace", text, cmd_run_trace_name);
        if (index < 0) {
            return false;
        }
        *out |= 1U << index; // the order of the names is that of PAWL_TRACE_*
        word = comma != NULL ? comma + 1 : NULL;
    }
    return true;
}

static bool cmd_run_export_every(console *con, cmd_run_request *request, const char *value)
{
    double number;
    if (!setting_args_number(con, &args_run, "--export-every", value, &number)) {
        return false;
    }
    if (!(number >= 1.0 && number <= 1e9 && number == floor(number))) {
        args_fail(con, &args_run, "--export-every %s, expected a whole number of steps from 1 on",
                  value);
        return false;
    }
    request->problems.every = (int)number;
    return true;
}

// One argument into the request. False: refused, with the message printed.
static bool cmd_run_take(console *con, void *user, int option, const char *value)
{
    cmd_run_request *request = user;
    const char *name = option >= 0 ? cmd_run_options[option].name : "MODEL";
    int index;
    switch (option) {
    case ARGS_POSITIONAL:
        return args_take_one(con, &args_run, "model", value, &request->model_path);
    case RUN_TIME:
        if (!setting_args_number(con, &args_run, name, value, &request->time)) {
            return false;
        }
        if (request->time < 0.0) {
            args_fail(con, &args_run, "--time %s is negative, expected 0 s or more", value);
            return false;
        }
        return true;
    case RUN_DT:
        request->not_with_resume = name;
        if (!setting_args_number(con, &args_run, name, value, &request->settings.dt)) {
            return false;
        }
        if (!(request->settings.dt > 0.0)) {
            args_fail(con, &args_run, "--dt %s is not a time step, expected more than 0 s", value);
            return false;
        }
        return true;
    case RUN_STEPPER:
        request->not_with_resume = name;
        index = setting_args_choose(con, &args_run, name, value, setting_args_stepper);
        request->settings.stepper = (pawl_stepper_kind)(index >= 0 ? index : 0);
        return index >= 0;
    case RUN_SOLVER:
        request->not_with_resume = name;
        index = setting_args_choose(con, &args_run, name, value, setting_args_solver);
        request->settings.solver = (pawl_solver_kind)(index >= 0 ? index : 0);
        return index >= 0;
    case RUN_FORMULATION:
        request->not_with_resume = name;
        index = setting_args_choose(con, &args_run, name, value, setting_args_formulation);
        request->settings.formulation = (pawl_formulation)(index >= 0 ? index : 0);
        return index >= 0;
    case RUN_SET:
        request->not_with_resume = name;
        return setting_args_set(con, &args_run, &request->settings, value);
    case RUN_MOTION:
        request->motion_path = value;
        return true;
    case RUN_OUTPUT:
        request->not_with_resume = name;
        request->record_path = value;
        return true;
    case RUN_JSON:
        request->json_path = value;
        return true;
    case RUN_TRACE:
        request->not_with_resume = name;
        request->needs_output = name;
        return cmd_run_parse_trace(con, value, &request->trace);
    case RUN_EVERY:
        request->not_with_resume = name;
        request->needs_output = name;
        if (!setting_args_number(con, &args_run, name, value, &request->every)) {
            return false;
        }
        if (request->every < 0.0) {
            args_fail(con, &args_run, "--every %s is negative, expected 0 s or more", value);
            return false;
        }
        return true;
    case RUN_RESUME:
        request->resume_path = value;
        return true;
    case RUN_EXPORT:
        request->problems.folder = value;
        return true;
    case RUN_EXPORT_EVERY:
        return cmd_run_export_every(con, request, value);
    case RUN_LENIENT:
        request->lenient = true;
        return true;
    case RUN_QUIET:
        con->quiet = true;
        return true;
    default:
        return false;
    }
}

// Combinations, and whether the results can be written.
static bool cmd_run_check_request(console *con, const cmd_run_request *request)
{
    if (request->model_path == NULL && request->resume_path == NULL) {
        args_fail(con, &args_run, "which model? pawl run MODEL");
        return false;
    }
    if (request->resume_path != NULL && request->not_with_resume != NULL) {
        args_fail(con, &args_run,
                  "%s cannot be given with --resume: a run goes on with the settings and into the "
                  "recording it began with",
                  request->not_with_resume);
        return false;
    }
    if (request->resume_path == NULL && request->needs_output != NULL &&
        request->record_path == NULL) {
        args_fail(con, &args_run, "%s says what to record, but no recording was asked for with -o",
                  request->needs_output);
        return false;
    }
    if (request->problems.every > 0 && request->problems.folder == NULL) {
        args_fail(con, &args_run, "--export-every without --export-problems DIR");
        return false;
    }
    const char *record = request->record_path;
    const char *json = request->json_path;
    const char *model = request->model_path;
    if (record != NULL && strcmp(record, "-") == 0) {
        args_fail(con, &args_run, "a recording cannot go to the standard output: -o FILE");
        return false;
    }
    if ((record != NULL && !output_check(con, "-o", record)) ||
        (json != NULL && !output_check(con, "--json", json))) {
        return false;
    }
    if (model != NULL && record != NULL && output_same_file(model, record)) {
        console_error(con, "-o '%s' would overwrite the model", record);
        return false;
    }
    if (model != NULL && json != NULL && output_same_file(model, json)) {
        console_error(con, "--json '%s' would overwrite the model", json);
        return false;
    }
    const char *recording = record != NULL ? record : request->resume_path;
    if (json != NULL && recording != NULL && output_same_file(json, recording)) {
        console_error(con, "--json '%s' would overwrite the recording", json);
        return false;
    }
    return true;
}

// Steps to the requested time, or -1 with a message. Step k ends at k dt.
static int64_t cmd_run_step_count(console *con, const cmd_run_request *request)
{
    double dt = request->settings.dt;
    double count = request->time / dt;
    if (!(count < 1e15)) {
        console_error(con, "--time %g s in steps of %g s are %.3g steps, more than can be counted",
                      request->time, dt, count);
        return -1;
    }
    int64_t steps = llround(count);
    if (steps == 0 && request->time > 0.0) {
        console_error(con, "--time %g s is less than half a step of %g s: nothing to simulate",
                      request->time, dt);
        return -1;
    }
    if (fabs(count - (double)steps) > 1e-6 * fmax(1.0, count)) {
        console_note(con, "--time %g s is no multiple of dt %g s: simulating %.9g s", request->time,
                     dt, (double)steps * dt);
    }
    return steps;
}

// What a run holds, for one place to release it.
typedef struct cmd_run_work {
    console *con;
    cmd_run_request request;
    pawl_record *record; ///< open only until its state is read
    pawl_state *state;   ///< read from it
    pawl_model *model;
    pawl_check *check;
    pawl_sim *sim;
    pawl_recorder *recorder;
    char *found_model_path, *real_model_path, *real_motion_path;
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

// The file that the model named on the command line stands for, before the paths are compared.
static bool cmd_run_find_model(cmd_run_work *w)
{
    cmd_run_request *request = &w->request;
    if (request->model_path != NULL) {
        w->found_model_path = models_find(w->con, request->model_path);
        request->model_path = w->found_model_path;
        return w->found_model_path != NULL;
    }
    return true;
}

// Opens the recording to go on with, and takes its settings and, if none is named, its model.
static bool cmd_run_open_record(cmd_run_work *w)
{
    cmd_run_request *request = &w->request;
    int errors = w->con->error_count;
    pawl_status status = pawl_record_open(&w->con->env, request->resume_path, &w->record);
    if (cmd_run_failed(w, errors, status, request->resume_path)) {
        return false;
    }
    request->settings = pawl_record_settings(w->record);
    if (request->model_path == NULL) {
        request->model_path = pawl_record_model_path(w->record);
    }
    const char *motion = pawl_record_motion_path(w->record);
    if (request->motion_path == NULL && motion[0] != '\0') {
        request->motion_path = motion;
    }
    if (request->model_path == NULL || request->model_path[0] == '\0') {
        console_error(w->con, "%s does not say which model it is of: pawl run MODEL --resume %s",
                      request->resume_path, request->resume_path);
        return false;
    }
    return true;
}

static bool cmd_run_load_model(cmd_run_work *w)
{
    cmd_run_request *request = &w->request;
    int errors = w->con->error_count;
    pawl_load_options options = pawl_load_options_default();
    options.lenient = request->lenient;
    options.motion_path = request->motion_path;
    pawl_status status = pawl_model_load(&w->con->env, request->model_path, &options, &w->model);
    if (cmd_run_failed(w, errors, status, request->model_path)) {
        return false;
    }
    if (w->record != NULL && pawl_record_model_hash(w->record) != pawl_model_hash(w->model)) {
        const char *motion = request->motion_path;
        console_error(w->con,
                      "%s%s%s is not the model that %s was recorded with (hash %016" PRIx64
                      ", expected %016" PRIx64 ")",
                      request->model_path, motion != NULL ? " with " : "",
                      motion != NULL ? motion : "", request->resume_path, pawl_model_hash(w->model),
                      pawl_record_model_hash(w->record));
        return false;
    }
    // A recording is often resumed from another folder.
    w->real_model_path = realpath(request->model_path, NULL);
    if (request->motion_path != NULL) {
        w->real_motion_path = realpath(request->motion_path, NULL);
    }
    return true;
}

// Rank and mobility for the verdict. Assembly is reported by the sim, so notes are muted here.
static bool cmd_run_analyse(cmd_run_work *w)
{
    int errors = w->con->error_count;
    w->con->muted = true;
    pawl_status status = pawl_check_model(&w->con->env, w->model, &w->check);
    w->con->muted = false;
    if (w->check != NULL && w->record == NULL) { // a resumed run has shown them when it began
        warnings_out_summary(w->con, w->check, w->request.model_path);
    }
    return !cmd_run_failed(w, errors, status, w->request.model_path);
}

// How far the run is, into its verdict.
static void cmd_run_reach(cmd_run_work *w, pawl_run_end end)
{
    pawl_verdict_end(&w->result.verdict, end, pawl_state_time(pawl_sim_state(w->sim)),
                     w->request.time);
}

static bool cmd_run_create_sim(cmd_run_work *w)
{
    console *con = w->con;
    int errors = con->error_count;
    // A resumed run takes over a state that is assembled: nothing to tell.
    con->muted = w->record != NULL;
    pawl_status status = pawl_sim_create(&con->env, w->model, &w->request.settings, &w->sim);
    con->muted = false;
    if (cmd_run_failed(w, errors, status, w->request.model_path)) {
        return false;
    }
    w->result.verdict = pawl_verdict_begin(pawl_sim_state(w->sim));
    cmd_run_reach(w, PAWL_RUN_UNDERWAY);
    if (w->record != NULL) {
        status = pawl_state_create(&con->env, w->model, &w->state);
        if (status == PAWL_OK) {
            status = pawl_record_last_state(w->record, w->state, &w->result.verdict);
        }
        if (status == PAWL_OK) {
            status = pawl_sim_set_state(w->sim, w->state);
        }
        pawl_record_close(w->record); // before it is opened for appending
        w->record = NULL;
        if (cmd_run_failed(w, errors, status, w->request.resume_path)) {
            return false;
        }
    }
    return true;
}

static bool cmd_run_create_recorder(cmd_run_work *w)
{
    const cmd_run_request *request = &w->request;
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
    options.model_path = w->real_model_path != NULL ? w->real_model_path : request->model_path;
    options.motion_path = w->real_motion_path != NULL ? w->real_motion_path : request->motion_path;
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
        if (cmd_run_signal != 0) {
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

static int cmd_run_simulate(cmd_run_work *w)
{
    cmd_run_request *request = &w->request;
    if (request->resume_path != NULL && !cmd_run_open_record(w)) {
        return EXIT_BAD_INPUT;
    }
    if (pawl_settings_check(&w->con->env, &request->settings) != PAWL_OK) {
        return EXIT_BAD_INPUT;
    }
    int64_t last = cmd_run_step_count(w->con, request);
    if (last < 0 || !cmd_run_load_model(w) || !cmd_run_analyse(w) || !cmd_run_create_sim(w) ||
        !problem_export_begin(w->con, &request->problems) || !cmd_run_create_recorder(w)) {
        return EXIT_BAD_INPUT;
    }
    run_result *result = &w->result;
    result->model = w->model;
    result->check = w->check;
    result->sim = w->sim;
    result->requested_time = request->time;
    result->resumed_steps = pawl_state_step(pawl_sim_state(w->sim));
    if (result->resumed_steps > 0 && result->resumed_steps >= last) {
        console_note(w->con, "%s already reaches %.9g s: nothing left to simulate",
                     request->resume_path, pawl_state_time(pawl_sim_state(w->sim)));
    }
    cmd_run_catch_signals();
    cmd_run_steps(w, last);
    if (!cmd_run_close_recorder(w)) {
        cmd_run_not_written(w);
    }
    problem_export_end(w->con, &request->problems);
    pawl_verdict_names names = pawl_model_names(w->model);
    result->list = pawl_verdict_judge(&result->verdict, pawl_sim_settings(w->sim), &names);
    bool written = result->verdict.end != PAWL_RUN_NOT_WRITTEN;
    if (request->json_path != NULL) {
        json_t *root = run_result_json(result);
        if (root != NULL) {
            json_object_set_new(root, "warnings", warnings_out_json(w->con, w->check));
        }
        written = json_out_write(w->con, request->json_path, root) && written;
    }
    bool stdout_taken = request->json_path != NULL && strcmp(request->json_path, "-") == 0;
    run_result_print(result, stdout_taken ? stderr : stdout);
    if (result->verdict.end == PAWL_RUN_INTERRUPTED) {
        const char *record =
            request->record_path != NULL ? request->record_path : request->resume_path;
        if (record != NULL) {
            console_note(w->con, "continue with: pawl run --resume %s --time %.9g", record,
                         request->time);
        }
        return EXIT_BY_SIGNAL + (int)cmd_run_signal;
    }
    if (!written) {
        return EXIT_BAD_INPUT;
    }
    return result->list.judgement == PAWL_PASSED ? EXIT_DONE : EXIT_NOT_MET;
}

static int cmd_run(console *con, int argc, char **argv)
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
    w->request = (cmd_run_request){
        .time = 10.0, .settings = pawl_settings_default(), .trace = PAWL_TRACE_ALL};
    int code = args_read(con, &args_run, argc, argv, cmd_run_take, &w->request);
    if (code == ARGS_END) {
        bool ready = cmd_run_find_model(w) && cmd_run_check_request(con, &w->request);
        code = ready ? cmd_run_simulate(w) : EXIT_BAD_INPUT;
    }
    cmd_run_close_recorder(w);
    pawl_record_close(w->record);
    pawl_state_destroy(w->state);
    pawl_sim_destroy(w->sim);
    pawl_check_destroy(w->check);
    pawl_model_destroy(w->model);
    free(w->found_model_path);
    free(w->real_model_path);
    free(w->result.events);
    free(w->real_motion_path);
    free(w);
    return code;
}

static const char *cmd_run_candidate(int option, int i)
{
    switch (option) {
    case ARGS_POSITIONAL:
        return models_name(i);
    case RUN_STEPPER:
        return pawl_stepper_name(i);
    case RUN_SOLVER:
        return pawl_solver_name(i);
    case RUN_FORMULATION:
        return pawl_formulation_name(i);
    case RUN_SET:
        return setting_args_key(NULL, i);
    case RUN_TRACE:
        return cmd_run_trace_name(NULL, i);
    default:
        return NULL;
    }
}

const args_command args_run = {
    .name = "run",
    .arguments = "MODEL [options]",
    .summary = "simulate a model (SDFormat or URDF) and judge the result",
    .details = "MODEL is a file, or the name of a model that comes with pawl (pawl list models).\n"
               "Ctrl-C finishes the step, closes the recording and prints the verdict so far;\n"
               "the exit code is then 130, and --resume goes on with the same bits.\n"
               "\n"
               "Exit codes: 0 all criteria of the verdict passed; 1 one did not, see\n"
               "docs/verdict.md; 2 bad usage or input, or an output that could not be\n"
               "written; 128 + n stopped by signal n.\n"
               "\n"
               "examples:\n"
               "  pawl run models/primitives/fourbar-fixed.sdf --set project=off\n"
               "  pawl run arm.urdf --time 60 --dt 1e-4 -o arm.h5 --every 0.01 --json arm.json\n"
               "  pawl run --resume arm.h5 --time 120\n"
               "  pawl run models/nmdp/spider-planar.sdf --motion "
               "models/nmdp/motions/spider-jump.motion\n",
    .options = cmd_run_options,
    .option_count = RUN_OPTION_COUNT,
    .candidate = cmd_run_candidate,
    .run = cmd_run,
};
