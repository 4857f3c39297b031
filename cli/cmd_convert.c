// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl convert: a model file as SDFormat, URDF or MJCF, with a list of the losses.
#include "args.h"
#include "load_args.h"
#include "models_folder.h"
#include "output.h"
#include "pawl/io.h"
#include "pawl/write.h"
#include "place_args.h"
#include "start_args.h"
#include <stdlib.h>
#include <string.h>

typedef struct convert_request {
    args_request args; ///< the argument is the model; the file to write is taken before
    const char *format;
    start_args starts;
    place_args place;
    load_args load;
    bool lenient, quiet;
} convert_request;

static const char *cmd_convert_format_name(const void *user, int index)
{
    (void)user;
    return pawl_file_format_name((pawl_file_format)(index + 1));
}

static bool cmd_convert_take_format(const args_use *use)
{
    for (int i = 0; cmd_convert_format_name(NULL, i) != NULL; ++i) {
        if (strcmp(use->value, cmd_convert_format_name(NULL, i)) == 0) {
            *(const char **)use->field = use->value;
            return true;
        }
    }
    return args_refuse(use, "--to: got '%s', expected sdf, urdf or mjcf", use->value);
}

static const args_option cmd_convert_options[] = {
    {"--to", 0, "FORMAT", "sdf, urdf or mjcf, where the ending of the file does not say it",
     cmd_convert_take_format, offsetof(convert_request, format), cmd_convert_format_name},
    START_ARGS_OPTION(offsetof(convert_request, starts)),
    PLACE_ARGS_GROUND(offsetof(convert_request, place)),
    PLACE_ARGS_PLACE(offsetof(convert_request, place)),
    PLACE_ARGS_FIXED(offsetof(convert_request, place)),
    LOAD_ARGS_PATH(offsetof(convert_request, load.search_path)),
    LOAD_ARGS_VERBOSE(offsetof(convert_request, load.verbose)),
    LOAD_ARGS_REPAIR(offsetof(convert_request, load.repair_inertia)),
    LOAD_ARGS_KEEP_FIXED(offsetof(convert_request, load.keep_fixed)),
    LOAD_ARGS_MESH(offsetof(convert_request, load.mesh_contact)),
    {"--lenient", 0, NULL,
     "warn of elements of the model file that are not supported,\n"
     "where it would otherwise be refused",
     args_take_flag, offsetof(convert_request, lenient), NULL},
    {"--quiet", 0, NULL, "do not list losses", args_take_flag, offsetof(convert_request, quiet),
     NULL},
};

static int cmd_convert_tell(const convert_request *request, const char *path,
                            const pawl_write_report *report)
{
    int lost = 0;
    for (int i = 0; i < report->count; ++i) {
        const pawl_write_loss *loss = &report->losses[i];
        lost += loss->motion ? loss->count : 0;
        if (!request->quiet) {
            printf("%s: %s, %d%s%s\n", loss->motion ? "not kept" : "changed", loss->what,
                   loss->count, loss->where[0] != '\0' ? ": " : "", loss->where);
        }
    }
    if (!request->quiet) {
        printf("%s%s\n", path, lost > 0 ? ": its motion is not that of the model" : "");
    }
    return lost > 0 ? EXIT_NOT_MET : EXIT_DONE;
}

static int cmd_convert_file(console *con, const convert_request *request, const char *from,
                            const char *to, pawl_file_format format)
{
    static pawl_write_report report; // large for a stack
    pawl_model *model = NULL;
    int errors = con->error_count;
    pawl_load_options options = pawl_load_options_default();
    options.lenient = request->lenient;
    start_args_apply(&request->starts, &options);
    place_args_apply(&request->place, &options);
    load_args_apply(&request->load, &options);
    pawl_status status = pawl_model_load(&con->env, from, &options, &model);
    if (status != PAWL_OK) {
        console_explain(con, errors, status, from);
        return EXIT_BAD_INPUT;
    }
    status = pawl_model_write(&con->env, model, format, to, &report);
    pawl_model_destroy(model);
    if (status != PAWL_OK) {
        console_explain(con, errors, status, to);
        return EXIT_BAD_INPUT;
    }
    return cmd_convert_tell(request, to, &report);
}

// The second word that is no option, and no value of one, is the file to write: it is taken out of the list.
static char *cmd_convert_take_target(int *argc, char **argv)
{
    int words = 0;
    for (int i = 1; i < *argc; ++i) {
        bool option = argv[i][0] == '-' && argv[i][1] != '\0';
        if (option) {
            for (size_t k = 0; k < sizeof cmd_convert_options / sizeof cmd_convert_options[0];
                 ++k) {
                bool named = strcmp(argv[i], cmd_convert_options[k].name) == 0;
                i += named && cmd_convert_options[k].value != NULL ? 1 : 0;
            }
        } else if (++words == 2) {
            char *found = argv[i];
            memmove(argv + i, argv + i + 1, (size_t)(*argc - i) * sizeof *argv);
            *argc -= 1;
            return found;
        }
    }
    return NULL;
}

static int cmd_convert(console *con, int argc, char **argv)
{
    static convert_request request; // large for a stack
    request = (convert_request){0};
    const char *to = cmd_convert_take_target(&argc, argv);
    int code = args_read(con, &args_convert, argc, argv, &request.args);
    if (code != ARGS_READ) {
        return code;
    }
    if (request.args.argument == NULL || to == NULL) {
        return args_fail(con, &args_convert, "which files? pawl convert MODEL FILE");
    }
    pawl_file_format format = pawl_file_format_of(to);
    for (int i = 0; request.format != NULL && cmd_convert_format_name(NULL, i) != NULL; ++i) {
        bool same = strcmp(request.format, cmd_convert_format_name(NULL, i)) == 0;
        format = same ? (pawl_file_format)(i + 1) : format;
    }
    if (format == PAWL_FILE_NONE) {
        return args_fail(con, &args_convert,
                         "'%s' ends in none of .sdf, .urdf, .xml: --to says the format", to);
    }
    char *from = models_find(con, request.args.argument);
    bool fine = from != NULL && output_check(con, "the file", to) &&
                output_spares(con, "the file", to, "model", from);
    code = fine ? cmd_convert_file(con, &request, from, to, format) : EXIT_BAD_INPUT;
    free(from);
    return code;
}

const args_command args_convert = {
    .name = "convert",
    .arguments = "MODEL FILE [--to FORMAT] [--start JOINT=Q] [--path DIR] [--lenient]",
    .noun = "model",
    .names = models_name,
    .summary = "write a model as SDFormat, URDF or MJCF; losses are listed",
    .details = "MODEL is a file, or the name of a model that comes with pawl. The ending of FILE\n"
               "says the format: .sdf, .urdf or .xml (MJCF).\n"
               "\n"
               "Exit codes: 0 written, with the same motion; 1 written, but the format cannot\n"
               "say all that the motion depends on; 2 bad usage or input.\n",
    .options = cmd_convert_options,
    .option_count = (int)(sizeof cmd_convert_options / sizeof cmd_convert_options[0]),
    .run = cmd_convert,
};
