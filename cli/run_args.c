// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The options of `pawl run`. All errors that do not depend on the model are found here: a run may take hours and must
// not end with an output that cannot be written.
#include "run_args.h"

#include <math.h>
#include <string.h>

#include "models_folder.h"
#include "output.h"
#include "pawl/io.h"
#include "setting_args.h"

static bool run_args_take_duration(const args_use *use)
{
    double *seconds = use->field;
    if (!setting_args_number(use, seconds)) {
        return false;
    }
    return *seconds >= 0.0 || args_refuse(use, "%s %s is negative, expected 0 s or more",
                                          use->option->name, use->value);
}

static bool run_args_take_dt(const args_use *use)
{
    double *dt = use->field;
    if (!setting_args_number(use, dt)) {
        return false;
    }
    return *dt > 0.0 ||
           args_refuse(use, "--dt %s is not a time step, expected more than 0 s", use->value);
}

static const char *run_args_trace_name(const void *user, int i)
{
    static const char *const names[] = {"q", "v", "force", "contacts", "energy", "residuals"};
    (void)user;
    return i < (int)(sizeof names / sizeof names[0]) ? names[i] : NULL;
}

static bool run_args_take_trace(const args_use *use)
{
    unsigned *trace = use->field;
    const char *list = use->value;
    char word[32];
    *trace = 0;
    while (setting_args_next_word(&list, word, sizeof word)) {
        int index = setting_args_choose(use, word);
        if (index < 0) {
            return false;
        }
        *trace |= 1U << index; // the order of the names is that of PAWL_TRACE_*
    }
    return true;
}

static bool run_args_take_steps(const args_use *use)
{
    return setting_args_count(use, "steps", use->field);
}

enum {
    RUN_TIME,
    RUN_DT,
    RUN_STEPPER,
    RUN_SOLVER,
    RUN_FORMULATION,
    RUN_SET,
    RUN_MOTION,
    RUN_START,
    RUN_GROUND,
    RUN_PLACE,
    RUN_FIXED_BASE,
    RUN_PATH,
    RUN_VERBOSE,
    RUN_REPAIR,
    RUN_KEEP_FIXED,
    RUN_MESH,
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
#define RUN_FIELD(member) offsetof(run_request, member)

static const args_option run_args_options[RUN_OPTION_COUNT] = {
    [RUN_TIME] = {"--time", 0, "SECONDS", "how long to simulate, from the model's start (10)",
                  run_args_take_duration, RUN_FIELD(time), NULL},
    [RUN_DT] = {"--dt", 0, "SECONDS", "time step (1e-3)", run_args_take_dt, RUN_FIELD(settings.dt),
                NULL},
    [RUN_STEPPER] = {"--stepper", 0, "NAME", "how time advances; see pawl list steppers",
                     setting_args_take_stepper, RUN_FIELD(settings), setting_args_stepper},
    [RUN_SOLVER] = {"--solver", 0, "NAME", "what solves the constraints; see pawl list solvers",
                    setting_args_take_solver, RUN_FIELD(settings), setting_args_solver},
    [RUN_FORMULATION] = {"--formulation", 0, "NAME", "coordinates; see pawl list formulations",
                         setting_args_take_formulation, RUN_FIELD(settings),
                         setting_args_formulation},
    [RUN_SET] = {"--set", 0, "KEY=VALUE",
                 "any setting of pawl list settings; may be repeated, the last\none counts",
                 setting_args_take_set, RUN_FIELD(settings), setting_args_key},
    [RUN_MOTION] = {"--motion", 0, "FILE",
                    "keyframes that the position actuators follow (docs/motions.md)",
                    args_take_text, RUN_FIELD(motion_path), NULL},
    [RUN_START] = START_ARGS_OPTION(RUN_FIELD(starts)),
    [RUN_GROUND] = PLACE_ARGS_GROUND(RUN_FIELD(place)),
    [RUN_PLACE] = PLACE_ARGS_PLACE(RUN_FIELD(place)),
    [RUN_FIXED_BASE] = PLACE_ARGS_FIXED(RUN_FIELD(place)),
    [RUN_PATH] = LOAD_ARGS_PATH(RUN_FIELD(load.search_path)),
    [RUN_VERBOSE] = LOAD_ARGS_VERBOSE(RUN_FIELD(load.verbose)),
    [RUN_REPAIR] = LOAD_ARGS_REPAIR(RUN_FIELD(load.repair_inertia)),
    [RUN_KEEP_FIXED] = LOAD_ARGS_KEEP_FIXED(RUN_FIELD(load.keep_fixed)),
    [RUN_MESH] = LOAD_ARGS_MESH(RUN_FIELD(load.mesh_contact)),
    [RUN_OUTPUT] = {"--output", 'o', "FILE", "record the run (HDF5)", args_take_text,
                    RUN_FIELD(record_path), NULL},
    [RUN_JSON] = {"--json", 0, "FILE",
                  "write a summary; - for the standard output, the verdict\nthen goes to stderr",
                  args_take_text, RUN_FIELD(json_path), NULL},
    [RUN_TRACE] = {"--trace", 0, "LIST",
                   "what -o records, separated by commas: q, v, force, contacts,\n"
                   "energy, residuals (all)",
                   run_args_take_trace, RUN_FIELD(trace), run_args_trace_name},
    [RUN_EVERY] = {"--every", 0, "SECONDS", "simulated time between recorded frames (every step)",
                   run_args_take_duration, RUN_FIELD(every), NULL},
    [RUN_RESUME] = {"--resume", 0, "FILE",
                    "continue from the last state of a recording until --time, with\n"
                    "its settings, appending to it; MODEL is needed only if the\n"
                    "model file has moved",
                    args_take_text, RUN_FIELD(resume_path), NULL},
    [RUN_EXPORT] = {"--export-problems", 0, "DIR",
                    "write the contact problems of the steps as FCLib files", args_take_text,
                    RUN_FIELD(problems.folder), NULL},
    [RUN_EXPORT_EVERY] = {"--export-every", 0, "N", "of every N-th step only (1)",
                          run_args_take_steps, RUN_FIELD(problems.every), NULL},
    [RUN_LENIENT] = {"--lenient", 0, NULL,
                     "warn of elements of the model file that are not supported,\n"
                     "where it would otherwise be refused",
                     args_take_flag, RUN_FIELD(lenient), NULL},
    [RUN_QUIET] = {"--quiet", 'q', NULL,
                   "no progress bar and no notes; the verdict is still printed", args_take_quiet, 0,
                   NULL},
};

#define RUN_BIT(option) (UINT64_C(1) << (option))
// What a recording has fixed already, and what means nothing without one.
static const uint64_t run_args_fixed = RUN_BIT(RUN_DT) | RUN_BIT(RUN_STEPPER) |
                                       RUN_BIT(RUN_SOLVER) | RUN_BIT(RUN_FORMULATION) |
                                       RUN_BIT(RUN_SET) | RUN_BIT(RUN_START) | RUN_BIT(RUN_OUTPUT) |
                                       RUN_BIT(RUN_TRACE) | RUN_BIT(RUN_EVERY);
static const uint64_t run_args_recorded = RUN_BIT(RUN_TRACE) | RUN_BIT(RUN_EVERY);

// The first option among `bits` that was given, or NULL.
static const char *run_args_given(const run_request *request, uint64_t bits)
{
    for (int i = 0; i < RUN_OPTION_COUNT; ++i) {
        if ((request->args.given & bits & RUN_BIT(i)) != 0) {
            return run_args_options[i].name;
        }
    }
    return NULL;
}

// Options that cannot stand together.
static bool run_args_check_options(console *con, const run_request *request)
{
    const char *fixed = run_args_given(request, run_args_fixed);
    const char *recorded = run_args_given(request, run_args_recorded);
    if (request->args.argument == NULL && request->resume_path == NULL) {
        args_fail(con, &args_run, "which model? pawl run MODEL");
    } else if (request->resume_path != NULL && fixed != NULL) {
        args_fail(con, &args_run,
                  "%s cannot be given with --resume: a run continues with the settings and the "
                  "recording it began with",
                  fixed);
    } else if (request->resume_path == NULL && recorded != NULL && request->record_path == NULL) {
        args_fail(con, &args_run, "%s says what to record, but no recording was asked for with -o",
                  recorded);
    } else if (request->problems.every > 0 && request->problems.folder == NULL) {
        args_fail(con, &args_run, "--export-every without --export-problems DIR");
    } else if (request->record_path != NULL && strcmp(request->record_path, "-") == 0) {
        args_fail(con, &args_run, "a recording cannot go to the standard output: -o FILE");
    } else {
        return true;
    }
    return false;
}

// The file that the model named stands for. False: refused, with the message printed.
static bool run_args_find_model(console *con, run_request *request)
{
    if (request->args.argument != NULL) {
        request->model_path = models_find(con, request->args.argument);
    }
    return request->args.argument == NULL || request->model_path != NULL;
}

// Whether the results can be written, and not over what the run reads or writes besides.
static bool run_args_check_outputs(console *con, const run_request *request)
{
    const char *record = request->record_path, *json = request->json_path;
    const char *model = request->model_path;
    const char *recording = record != NULL ? record : request->resume_path;
    return output_check(con, "-o", record) && output_check(con, "--json", json) &&
           output_spares(con, "-o", record, "model", model) &&
           output_spares(con, "--json", json, "model", model) &&
           output_spares(con, "--json", json, "recording", recording);
}

run_request run_args_default(void)
{
    return (run_request){
        .time = 10.0, .settings = pawl_settings_default(), .trace = PAWL_TRACE_ALL};
}

int run_args_read(console *con, int argc, char **argv, run_request *request)
{
    int code = args_read(con, &args_run, argc, argv, &request->args);
    if (code != ARGS_READ) {
        return code;
    }
    bool fine = run_args_check_options(con, request) && run_args_find_model(con, request) &&
                run_args_check_outputs(con, request);
    return fine ? ARGS_READ : EXIT_BAD_INPUT;
}

int64_t run_args_step_count(console *con, const run_request *request)
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
        console_note(con, "--time %g s is not a multiple of dt %g s: simulating %.9g s",
                     request->time, dt, (double)steps * dt);
    }
    return steps;
}

const args_command args_run = {
    .name = "run",
    .arguments = "MODEL [options]",
    .noun = "model",
    .names = models_name,
    .summary = "simulate a model (SDFormat, URDF or MJCF) and judge the result",
    .details = "MODEL is a file, or the name of a model that comes with pawl (pawl list models).\n"
               "Ctrl-C finishes the step, closes the recording and prints the verdict so far;\n"
               "the exit code is then 130, and --resume continues with the same bits.\n"
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
    .options = run_args_options,
    .option_count = RUN_OPTION_COUNT,
    .run = cmd_run,
};
