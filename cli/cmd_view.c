// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl view: a model that runs, a recording, or the gallery of models, in the browser. The server accepts connections
// only from this machine, prints its address and opens a browser if there is a display.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "browser.h"
#include "interrupt.h"
#include "load_args.h"
#include "models_folder.h"
#include "pawl/viewer.h"
#include "place_args.h"
#include "setting_args.h"
#include "start_args.h"

typedef struct view_request {
    args_request args; ///< the argument is a model or a recording
    start_args starts;
    place_args place;
    load_args load;
    pawl_settings settings;
    const char *motion_path, *host, *folder;
    double port, speed;
    bool lenient, no_browser, paused;
} view_request;

static bool cmd_view_take_number(const args_use *use)
{
    double *number = use->field;
    return setting_args_number(use, number) &&
           (*number >= 0.0 || args_refuse(use, "%s %s is negative", use->option->name, use->value));
}

static bool cmd_view_take_dt(const args_use *use)
{
    double *dt = use->field;
    return setting_args_number(use, dt) &&
           (*dt > 0.0 ||
            args_refuse(use, "--dt %s is not a time step, expected more than 0 s", use->value));
}

#define VIEW_FIELD(member) offsetof(view_request, member)
static const args_option cmd_view_options[] = {
    {"--port", 0, "N", "listen there; otherwise on any port that is free", cmd_view_take_number,
     VIEW_FIELD(port), NULL},
    {"--no-browser", 0, NULL, "print the address and open nothing", args_take_flag,
     VIEW_FIELD(no_browser), NULL},
    {"--paused", 0, NULL, "wait for the page to start the model", args_take_flag,
     VIEW_FIELD(paused), NULL},
    {"--speed", 0, "FACTOR", "simulated over real time; 0 for as fast as it can (1)",
     cmd_view_take_number, VIEW_FIELD(speed), NULL},
    {"--folder", 0, "DIR", "where recordings that the page asks for go (the current folder)",
     args_take_text, VIEW_FIELD(folder), NULL},
    {"--host", 0, "ADDRESS",
     "listen on another address than 127.0.0.1; anyone who can reach it and\nhas the token can "
     "then use the "
     "viewer: prefer an SSH tunnel",
     args_take_text, VIEW_FIELD(host), NULL},
    {"--dt", 0, "SECONDS", "time step (1e-3)", cmd_view_take_dt, VIEW_FIELD(settings.dt), NULL},
    {"--stepper", 0, "NAME", "how time advances; see pawl list steppers", setting_args_take_stepper,
     VIEW_FIELD(settings), setting_args_stepper},
    {"--solver", 0, "NAME", "what solves the constraints; see pawl list solvers",
     setting_args_take_solver, VIEW_FIELD(settings), setting_args_solver},
    {"--formulation", 0, "NAME", "coordinates; see pawl list formulations",
     setting_args_take_formulation, VIEW_FIELD(settings), setting_args_formulation},
    {"--set", 0, "KEY=VALUE",
     "any setting of pawl list settings; may be repeated, the last\none counts",
     setting_args_take_set, VIEW_FIELD(settings), setting_args_key},
    {"--motion", 0, "FILE", "keyframes that the position actuators follow (docs/motions.md)",
     args_take_text, VIEW_FIELD(motion_path), NULL},
    START_ARGS_OPTION(VIEW_FIELD(starts)),
    PLACE_ARGS_GROUND(VIEW_FIELD(place)),
    PLACE_ARGS_PLACE(VIEW_FIELD(place)),
    PLACE_ARGS_FIXED(VIEW_FIELD(place)),
    LOAD_ARGS_PATH(VIEW_FIELD(load.search_path)),
    LOAD_ARGS_KEEP_FIXED(VIEW_FIELD(load.keep_fixed)),
    LOAD_ARGS_MESH(VIEW_FIELD(load.mesh_contact)),
    {"--lenient", 0, NULL,
     "warn of elements of the model file that are not supported,\nwhere it would otherwise be "
     "refused",
     args_take_flag, VIEW_FIELD(lenient), NULL},
};

// A recording is an HDF5 file, whatever its name is.
static bool cmd_view_is_record(const char *path)
{
    static const unsigned char sign[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char head[8] = {0};
    FILE *file = fopen(path, "rb");
    bool is = file != NULL && fread(head, 1, sizeof head, file) == sizeof head &&
              memcmp(head, sign, sizeof sign) == 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    return is;
}

static int cmd_view_serve(console *con, const view_request *request, pawl_viewer_options *options)
{
    int errors = con->error_count;
    pawl_viewer *view = NULL;
    pawl_status status = pawl_viewer_create(&con->env, options, &view);
    if (status != PAWL_OK) {
        console_explain(con, errors, status, "view");
        return EXIT_BAD_INPUT;
    }
    interrupt_catch();
    printf("%s\n", pawl_viewer_address(view));
    (void)fflush(stdout);
    if (getenv("SSH_CONNECTION") != NULL) {
        console_note(
            con,
            "from your own machine: ssh -L %d:localhost:%d this-host, then open that address there",
            pawl_viewer_port(view), pawl_viewer_port(view));
    }
    console_note(con, "Ctrl-C ends it");
    if (!request->no_browser) {
        browser_show(pawl_viewer_address(view));
    }
    while (interrupt_signal() == 0 && status == PAWL_OK) {
        status = pawl_viewer_serve(view);
    }
    pawl_viewer_destroy(view);
    return interrupt_signal() != 0 ? EXIT_DONE : EXIT_BAD_INPUT;
}

// The models of the gallery as paths below its folder.
static int cmd_view_gallery(console *con, const view_request *request, pawl_viewer_options *options)
{
    char *folder = models_folder();
    if (folder == NULL) {
        console_error(con, "the folder of models was not found: pawl view MODEL");
        return EXIT_BAD_INPUT;
    }
    models_list list = models_list_make(folder);
    size_t skip = strlen(folder) + 1;
    const char **names = calloc((size_t)list.count + 1, sizeof *names);
    int code = EXIT_BAD_INPUT;
    if (names != NULL) {
        for (int i = 0; i < list.count; ++i) {
            names[i] = strlen(list.paths[i]) > skip ? list.paths[i] + skip : list.paths[i];
        }
        options->gallery = names;
        options->gallery_count = list.count;
        options->gallery_folder = folder;
        code = cmd_view_serve(con, request, options);
    } else {
        console_error(con, "out of memory");
    }
    free(names);
    models_list_free(&list);
    free(folder);
    return code;
}

static int cmd_view_start(console *con, const view_request *request)
{
    pawl_load_options load = pawl_load_options_default();
    load.lenient = request->lenient;
    load.motion_path = request->motion_path;
    start_args_apply(&request->starts, &load);
    place_args_apply(&request->place, &load);
    load_args_apply(&request->load, &load);
    load.drawing = true;
    load.mjcf_soft = request->settings.mjcf.soft;
    pawl_viewer_options options = pawl_viewer_options_default();
    options.load = &load;
    options.settings = request->settings;
    options.speed = request->speed;
    options.running = !request->paused;
    options.port = (int)request->port;
    options.output_folder = request->folder != NULL ? request->folder : ".";
    options.host = request->host != NULL ? request->host : options.host;
    const char *argument = request->args.argument;
    if (argument == NULL) {
        return cmd_view_gallery(con, request, &options);
    }
    if (cmd_view_is_record(argument)) {
        options.record_path = argument;
        return cmd_view_serve(con, request, &options);
    }
    char *path = models_find(con, argument);
    if (path == NULL) {
        return EXIT_BAD_INPUT;
    }
    options.model_path = path;
    int code = cmd_view_gallery(con, request, &options);
    free(path);
    return code;
}

static int cmd_view(console *con, int argc, char **argv)
{
    view_request request = {.settings = pawl_settings_default(), .speed = 1.0};
    int code = args_read(con, &args_view, argc, argv, &request.args);
    if (code != ARGS_READ) {
        return code;
    }
    if (request.port > 65535.0 || request.port != (double)(int)request.port) {
        return args_fail(con, &args_view, "--port %g is not a port, expected 0 to 65535",
                         request.port);
    }
    return cmd_view_start(con, &request);
}

const args_command args_view = {
    .name = "view",
    .arguments = "[MODEL | RUN.h5] [options]",
    .noun = "model or recording",
    .names = models_name,
    .summary = "show a model that runs, a recording or all models in the browser",
    .details = "Without an argument: the gallery of the models that come with pawl. Prints the\n"
               "address of the page, with a token that admits to it; the server listens on\n"
               "this machine alone. On another machine, without a display there:\n"
               "  ssh -L 8000:localhost:8000 host pawl view MODEL --port 8000\n"
               "\n"
               "In the page: pause, step, speed and reset; pull a body with the mouse; sliders\n"
               "for actuators, friction and gravity; solver, stepper, step and every other\n"
               "setting while it runs; two settings side by side; record to a file.\n"
               "docs/view.md is the guide.\n"
               "\n"
               "Exit codes: 0 ended by Ctrl-C; 2 bad usage or input.\n",
    .options = cmd_view_options,
    .option_count = (int)(sizeof cmd_view_options / sizeof cmd_view_options[0]),
    .run = cmd_view,
};
