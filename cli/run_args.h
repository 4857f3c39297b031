// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What `pawl run` was asked for.
#pragma once
#include "args.h"
#include "load_args.h"
#include "pawl/settings.h"
#include "place_args.h"
#include "problem_export.h"
#include "start_args.h"

typedef struct run_request {
    args_request args; ///< the argument is the model
    char *model_path;  ///< the file that it stands for; to be freed
    const char *motion_path;
    double time; ///< [s]
    start_args starts;
    place_args place;
    load_args load;
    pawl_settings settings;
    const char *record_path, *json_path, *resume_path;
    unsigned trace;
    double every; ///< [s]
    problem_export problems;
    bool lenient;
} run_request;

int cmd_run(console *con, int argc, char **argv); ///< in cmd_run.c
/// A request of nothing but the defaults.
run_request run_args_default(void);
/// Reads the arguments and refuses what cannot be: combinations of options, outputs that cannot be
/// written. Returns ARGS_READ, or the exit code where the command ends here.
int run_args_read(console *con, int argc, char **argv, run_request *request);
/// Steps to the requested time, or -1 with a message. Step k ends at k dt.
int64_t run_args_step_count(console *con, const run_request *request);
