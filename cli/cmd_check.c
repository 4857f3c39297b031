// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl check: analysis of a model before a simulation: counts, mass, mobility, the rank of the constraints, redundant
// rows, the closure of the joints, and warnings.
#include "args.h"
#include "check_out.h"
#include "load_args.h"
#include "models_folder.h"
#include "output.h"
#include "pawl/io.h"
#include "place_args.h"
#include "start_args.h"

typedef struct check_request {
    args_request args; ///< the argument is the model
    const char *json_path;
    start_args starts;
    place_args place;
    const char *motion_path;
    load_args load;
    bool lenient;
} check_request;

static const args_option cmd_check_options[] = {
    {"--json", 0, "FILE",
     "write the same as JSON; - for the standard output, the table\n"
     "then goes to stderr",
     args_take_text, offsetof(check_request, json_path), NULL},
    START_ARGS_OPTION(offsetof(check_request, starts)),
    PLACE_ARGS_GROUND(offsetof(check_request, place)),
    PLACE_ARGS_PLACE(offsetof(check_request, place)),
    PLACE_ARGS_FIXED(offsetof(check_request, place)),
    {"--motion", 0, "FILE", "keyframes that the position actuators follow (docs/motions.md)",
     args_take_text, offsetof(check_request, motion_path), NULL},
    LOAD_ARGS_PATH(offsetof(check_request, load.search_path)),
    LOAD_ARGS_VERBOSE(offsetof(check_request, load.verbose)),
    LOAD_ARGS_REPAIR(offsetof(check_request, load.repair_inertia)),
    LOAD_ARGS_KEEP_FIXED(offsetof(check_request, load.keep_fixed)),
    LOAD_ARGS_MESH(offsetof(check_request, load.mesh_contact)),
    {"--lenient", 0, NULL,
     "warn of elements of the model file that are not supported,\n"
     "where it would otherwise be refused",
     args_take_flag, offsetof(check_request, lenient), NULL},
};

static int cmd_check_model(console *con, const check_request *request, const char *path)
{
    pawl_model *model = NULL;
    pawl_check *check = NULL;
    int errors = con->error_count;
    pawl_load_options options = pawl_load_options_default();
    options.lenient = request->lenient;
    options.motion_path = request->motion_path;
    start_args_apply(&request->starts, &options);
    place_args_apply(&request->place, &options);
    load_args_apply(&request->load, &options);
    pawl_status status = pawl_model_load(&con->env, path, &options, &model);
    if (status == PAWL_OK) {
        status = pawl_check_model(&con->env, model, &check);
    }
    if (status != PAWL_OK) {
        console_explain(con, errors, status, path);
    }
    int code = status == PAWL_OK ? EXIT_DONE : EXIT_BAD_INPUT;
    if (check != NULL) {
        bool assembled = status == PAWL_OK;
        if (request->json_path != NULL &&
            !json_out_write(con, request->json_path, check_json(con, model, check, assembled))) {
            code = EXIT_BAD_INPUT;
        }
        check_text(con, path, model, check, assembled, output_text(request->json_path));
    }
    pawl_check_destroy(check);
    pawl_model_destroy(model);
    return code;
}

static int cmd_check(console *con, int argc, char **argv)
{
    check_request request = {0};
    int code = args_read(con, &args_check, argc, argv, &request.args);
    if (code != ARGS_READ) {
        return code;
    }
    if (request.args.argument == NULL) {
        return args_fail(con, &args_check, "which model? pawl check MODEL");
    }
    char *path = models_find(con, request.args.argument);
    bool fine = path != NULL && output_check(con, "--json", request.json_path) &&
                output_spares(con, "--json", request.json_path, "model", path);
    code = fine ? cmd_check_model(con, &request, path) : EXIT_BAD_INPUT;
    free(path);
    return code;
}

const args_command args_check = {
    .name = "check",
    .arguments =
        "MODEL [--json FILE] [--start JOINT=Q] [--ground [WHERE]] [--path DIR] [--lenient]",
    .noun = "model",
    .names = models_name,
    .summary = "inspect a model: counts, mass, mobility, redundant rows, assembly",
    .details = "MODEL is a file, or the name of a model that comes with pawl (pawl list models).\n"
               "Rows are the constraints of the joints, the rank is how many of them are\n"
               "independent, and the mobility is the number of degrees of freedom.\n"
               "\n"
               "Exit codes: 0 the model can be simulated; 2 it cannot be read or assembled.\n",
    .options = cmd_check_options,
    .option_count = (int)(sizeof cmd_check_options / sizeof cmd_check_options[0]),
    .run = cmd_check,
};
