// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl check: what a model is, before it is trusted with a simulation. Counts, mass, mobility, the
// rank of the constraints and which rows are redundant, whether the joints meet, and warnings.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "json_out.h"
#include "models_folder.h"
#include "output.h"
#include "pawl/io.h"
#include "warnings_out.h"

enum { CHECK_JSON, CHECK_LENIENT, CHECK_OPTION_COUNT };

static const args_option cmd_check_options[CHECK_OPTION_COUNT] = {
    [CHECK_JSON] = {"--json", 0, "FILE",
                    "write the same as JSON; - for the standard output, the table\n"
                    "then goes to stderr"},
    [CHECK_LENIENT] = {"--lenient", 0, NULL,
                       "warn of elements of the model file that are not supported,\n"
                       "where it would otherwise be refused"},
};

enum { CHECK_FORMAT = 2 };      // of the JSON; 1, without this number, had warnings as texts
enum { CHECK_MOST_LINES = 40 }; // of a table; the JSON has them all

static const char *cmd_check_body_kind(pawl_body_kind kind)
{
    switch (kind) {
    case PAWL_BODY_RIGID:
        return "rigid";
    case PAWL_BODY_POINT:
        return "point";
    case PAWL_BODY_KINEMATIC:
        return "kinematic";
    }
    return "unknown";
}

static const char *cmd_check_body_name(const pawl_model *model, int body)
{
    return body == PAWL_WORLD ? "world" : pawl_model_body(model, body).name;
}

static json_t *cmd_check_json_closure(const pawl_model *model, const pawl_closure *closure)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}",                                     //
                     "position", json_out_number(closure->position),                  //
                     "rotation", json_out_number(closure->rotation),                  //
                     "worst_joint", json_out_joint_name(model, closure->worst_joint), //
                     "limit", json_out_number(closure->limit),                        //
                     "worst_limit", json_out_joint_name(model, closure->worst_limit));
}

static json_t *cmd_check_json_bodies(const pawl_model *model)
{
    json_t *array = json_array();
    for (int i = 0; i < pawl_model_body_count(model); ++i) {
        pawl_body_info info = pawl_model_body(model, i);
        json_t *inertia = json_array();
        for (int k = 0; k < 6; ++k) {
            json_array_append_new(inertia, json_out_number(info.inertia[k]));
        }
        json_array_append_new(array, json_pack("{s:o, s:s, s:o, s:o, s:o}",            //
                                               "name", json_out_text(info.name),       //
                                               "kind", cmd_check_body_kind(info.kind), //
                                               "mass", json_out_number(info.mass),     //
                                               "com", json_out_vec3(info.com),         //
                                               "inertia", inertia));
    }
    return array;
}

static json_t *cmd_check_json_joints(const pawl_model *model)
{
    json_t *array = json_array();
    for (int i = 0; i < pawl_model_joint_count(model); ++i) {
        pawl_joint_info info = pawl_model_joint(model, i);
        json_array_append_new(
            array,
            json_pack("{s:o, s:s, s:o, s:o, s:i, s:i}",                                     //
                      "name", json_out_text(info.name),                                     //
                      "kind", pawl_joint_kind_name(info.kind),                              //
                      "base", json_out_text(cmd_check_body_name(model, info.base)),         //
                      "follower", json_out_text(cmd_check_body_name(model, info.follower)), //
                      "rows", info.row_count,                                               //
                      "coordinates", info.coordinate_count));
    }
    return array;
}

static json_t *cmd_check_json_points(const pawl_model *model)
{
    json_t *array = json_array();
    for (int i = 0; i < pawl_model_contact_point_count(model); ++i) {
        pawl_contact_point_def point = pawl_model_contact_point(model, i);
        pawl_wrench_model_def wrench = pawl_model_wrench_model(model, point.wrench_model);
        json_array_append_new(
            array, json_pack("{s:o, s:o, s:o, s:s, s:o, s:o}",                              //
                             "name", json_out_text(point.name),                             //
                             "body", json_out_text(cmd_check_body_name(model, point.body)), //
                             "model", json_out_text(wrench.name),                           //
                             "kind", pawl_wrench_kind_name(wrench.kind),                    //
                             "position", json_out_vec3(point.frame.position),               //
                             "radius", json_out_number(point.radius)));
    }
    return array;
}

// `assembled` is false when the joints cannot be brought together: what follows from a
// configuration in which they meet is then null.
static json_t *cmd_check_json(const console *con, const pawl_model *model, const pawl_check *check,
                              bool assembled)
{
    json_t *redundant = json_array();
    json_t *loops = json_array();
    for (int i = 0; assembled && i < check->redundant_count; ++i) {
        const pawl_redundant_row *row = &check->redundant[i];
        json_array_append_new(redundant,
                              json_pack("{s:o, s:i, s:o}",                               //
                                        "joint", json_out_joint_name(model, row->joint), //
                                        "row", row->row,                                 //
                                        "what", json_out_text(row->what)));
    }
    for (int i = 0; assembled && i < check->loop_joint_count; ++i) {
        json_array_append_new(loops, json_out_joint_name(model, check->loop_joints[i]));
    }
    json_t *end = assembled ? cmd_check_json_closure(model, &check->assembled) : json_null();
    json_t *assembly = json_pack("{s:o, s:o}",                                          //
                                 "start", cmd_check_json_closure(model, &check->start), //
                                 "assembled", end);
    return json_pack(
        "{s:i, s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o}",                                                                      //
        "format", CHECK_FORMAT,                                                      //
        "model", json_out_model(model, assembled ? check : NULL),                    //
        "mass", json_out_number(pawl_model_mass(model)),                             //
        "com", assembled ? json_out_vec3(check->com) : json_null(),                  //
        "mobility", assembled ? json_integer(check->mobility) : json_null(),         //
        "velocities", pawl_model_velocity_count(model),                              //
        "redundant", redundant,                                                      //
        "loop_joints", loops,                                                        //
        "singular", assembled ? json_boolean(check->singular) : json_null(),         //
        "generic_rank", assembled ? json_integer(check->generic_rank) : json_null(), //
        "smallest_ratio",
        assembled ? json_out_number(check->smallest_ratio) : json_null(),                  //
        "weak", assembled ? json_out_number(check->weak) : json_null(),                    //
        "misfit", assembled ? cmd_check_json_closure(model, &check->misfit) : json_null(), //
        "assembly", assembly,                                                              //
        "warnings", warnings_out_json(con, check),                                         //
        "bodies", cmd_check_json_bodies(model),                                            //
        "joints", cmd_check_json_joints(model),                                            //
        "contact_points", cmd_check_json_points(model));
}

static int cmd_check_widest(int widest, const char *text)
{
    int length = (int)strlen(text);
    return length > widest ? length : widest;
}

static void cmd_check_print_more(FILE *to, int count)
{
    if (count > CHECK_MOST_LINES) {
        fprintf(to, "  ... and %d more; --json has them all\n", count - CHECK_MOST_LINES);
    }
}

static void cmd_check_print_bodies(const pawl_model *model, FILE *to)
{
    int count = pawl_model_body_count(model);
    int shown = count < CHECK_MOST_LINES ? count : CHECK_MOST_LINES;
    int width = 4;
    for (int i = 0; i < shown; ++i) {
        width = cmd_check_widest(width, pawl_model_body(model, i).name);
    }
    fprintf(to, "\n  %-*s  %-9s  %9s  %-32s  %s\n", width, "body", "kind", "mass [kg]",
            "inertia xx, yy, zz [kg m^2]", "centre of mass [m]");
    for (int i = 0; i < shown; ++i) {
        pawl_body_info info = pawl_model_body(model, i);
        char inertia[64];
        snprintf(inertia, sizeof inertia, "%.4g, %.4g, %.4g", info.inertia[0], info.inertia[1],
                 info.inertia[2]);
        fprintf(to, "  %-*s  %-9s  %9.5g  %-32s  %.4g, %.4g, %.4g\n", width, info.name,
                cmd_check_body_kind(info.kind), info.mass, inertia, info.com.x, info.com.y,
                info.com.z);
    }
    cmd_check_print_more(to, count);
}

static void cmd_check_print_joints(const pawl_model *model, FILE *to)
{
    int count = pawl_model_joint_count(model);
    int shown = count < CHECK_MOST_LINES ? count : CHECK_MOST_LINES;
    int width = 5;
    int base_width = 4;
    int follower_width = 8;
    for (int i = 0; i < shown; ++i) {
        pawl_joint_info info = pawl_model_joint(model, i);
        width = cmd_check_widest(width, info.name);
        base_width = cmd_check_widest(base_width, cmd_check_body_name(model, info.base));
        follower_width =
            cmd_check_widest(follower_width, cmd_check_body_name(model, info.follower));
    }
    if (count == 0) {
        return;
    }
    fprintf(to, "\n  %-*s  %-14s  %-*s  %-*s  %4s  %11s\n", width, "joint", "kind", base_width,
            "base", follower_width, "follower", "rows", "coordinates");
    for (int i = 0; i < shown; ++i) {
        pawl_joint_info info = pawl_model_joint(model, i);
        fprintf(to, "  %-*s  %-14s  %-*s  %-*s  %4d  %11d\n", width, info.name,
                pawl_joint_kind_name(info.kind), base_width, cmd_check_body_name(model, info.base),
                follower_width, cmd_check_body_name(model, info.follower), info.row_count,
                info.coordinate_count);
    }
    cmd_check_print_more(to, count);
}

static void cmd_check_print_points(const pawl_model *model, FILE *to)
{
    int count = pawl_model_contact_point_count(model);
    int shown = count < CHECK_MOST_LINES ? count : CHECK_MOST_LINES;
    int width = 13, body_width = 4;
    for (int i = 0; i < shown; ++i) {
        pawl_contact_point_def point = pawl_model_contact_point(model, i);
        width = cmd_check_widest(width, point.name);
        body_width = cmd_check_widest(body_width, cmd_check_body_name(model, point.body));
    }
    if (count == 0) {
        return;
    }
    fprintf(to, "\n  %-*s  %-*s  %-11s  %10s  %s\n", width, "contact point", body_width, "body",
            "model", "radius [m]", "where [m]");
    for (int i = 0; i < shown; ++i) {
        pawl_contact_point_def point = pawl_model_contact_point(model, i);
        pawl_vec3 at = point.frame.position;
        fprintf(to, "  %-*s  %-*s  %-11s  %10.4g  %.4g, %.4g, %.4g\n", width, point.name,
                body_width, cmd_check_body_name(model, point.body),
                pawl_wrench_kind_name(pawl_model_wrench_model(model, point.wrench_model).kind),
                point.radius, at.x, at.y, at.z);
    }
    cmd_check_print_more(to, count);
}

static void cmd_check_print_redundant(const pawl_model *model, const pawl_check *check, FILE *to)
{
    if (check->redundant_count == 0) {
        return;
    }
    int shown =
        check->redundant_count < CHECK_MOST_LINES ? check->redundant_count : CHECK_MOST_LINES;
    int width = 13;
    for (int i = 0; i < shown; ++i) {
        width = cmd_check_widest(width, pawl_model_joint(model, check->redundant[i].joint).name);
    }
    fprintf(to, "\n  %-*s  %3s  %s\n", width, "redundant row", "row",
            "what it holds, that rows before it hold already");
    for (int i = 0; i < shown; ++i) {
        const pawl_redundant_row *row = &check->redundant[i];
        fprintf(to, "  %-*s  %3d  %s\n", width, pawl_model_joint(model, row->joint).name, row->row,
                row->what);
    }
    cmd_check_print_more(to, check->redundant_count);
    fprintf(to, "  shared by the joints");
    int named =
        check->loop_joint_count < CHECK_MOST_LINES ? check->loop_joint_count : CHECK_MOST_LINES;
    for (int i = 0; i < named; ++i) {
        fprintf(to, "%s %s", i > 0 ? "," : "", pawl_model_joint(model, check->loop_joints[i]).name);
    }
    fprintf(to, "%s\n", named < check->loop_joint_count ? ", ..." : "");
}

// How far the numbers of the model are from rows that repeat each other.
static void cmd_check_print_misfit(const pawl_model *model, const pawl_check *check, FILE *to)
{
    fprintf(to, "  redundant      rows repeat each other to %.1e (rad, or lengths)\n", check->weak);
    if (check->misfit.position > 0.0 || check->misfit.rotation > 0.0) {
        fprintf(to, "                 joints meet to %.1e m, %.1e rad, worst at joint '%s'\n",
                check->misfit.position, check->misfit.rotation,
                pawl_model_joint(model, check->misfit.worst_joint).name);
    }
}

static void cmd_check_print_assembly(const pawl_model *model, const pawl_check *check,
                                     bool assembled, FILE *to)
{
    const pawl_closure *start = &check->start;
    const pawl_closure *end = &check->assembled;
    if (start->worst_joint < 0) {
        fprintf(to, "  assembly       nothing to assemble\n");
        return;
    }
    fprintf(to, "  assembly       as given    %.2e m, %.2e rad, worst at joint '%s'\n",
            start->position, start->rotation, pawl_model_joint(model, start->worst_joint).name);
    if (assembled) {
        fprintf(to, "                 assembled   %.2e m, %.2e rad\n", end->position,
                end->rotation);
    } else {
        fprintf(to, "                 the joints CANNOT be brought together\n");
    }
    if (start->worst_limit >= 0 && start->limit > 0.0) {
        fprintf(to, "                 joint '%s' starts %.2e beyond its limit\n",
                pawl_model_joint(model, start->worst_limit).name, start->limit);
    }
}

static void cmd_check_print(const console *con, const char *path, const pawl_model *model,
                            const pawl_check *check, bool assembled, FILE *to)
{
    pawl_vec3 g = pawl_model_gravity(model);
    fprintf(to, "%s (%s)\n\n", pawl_model_name(model), path);
    fprintf(to, "  bodies    %4d\n", pawl_model_body_count(model));
    fprintf(to, "  joints    %4d\n", pawl_model_joint_count(model));
    if (pawl_model_actuator_count(model) > 0) {
        fprintf(to, "  actuators %4d\n", pawl_model_actuator_count(model));
    }
    if (pawl_model_spring_count(model) > 0) {
        fprintf(to, "  springs   %4d\n", pawl_model_spring_count(model));
    }
    fprintf(to, "  rows      %4d\n", pawl_model_row_count(model));
    if (assembled) {
        fprintf(to, "  rank      %4d   %d of the rows %s redundant\n", check->rank,
                check->redundant_count, check->redundant_count == 1 ? "is" : "are");
        fprintf(to, "  mobility  %4d   %d velocities less the rank\n", check->mobility,
                check->velocity_count);
    }
    fprintf(to, "\n  mass           %.9g kg", pawl_model_mass(model));
    if (assembled) {
        fprintf(to, ", centre at %.6g, %.6g, %.6g m", check->com.x, check->com.y, check->com.z);
    }
    fprintf(to, "\n  gravity        %.6g, %.6g, %.6g m/s^2\n", g.x, g.y, g.z);
    cmd_check_print_assembly(model, check, assembled, to);
    if (assembled && check->rank > 0) {
        fprintf(to, "  conditioning   %.2e smallest misalignment that counts (rad, or lengths)\n",
                check->smallest_ratio);
    }
    if (assembled && check->redundant_count > 0) {
        cmd_check_print_misfit(model, check, to);
    }
    if (assembled) {
        cmd_check_print_redundant(model, check, to);
    }
    cmd_check_print_bodies(model, to);
    cmd_check_print_joints(model, to);
    cmd_check_print_points(model, to);
    warnings_out_list(check, to);
    fprintf(to, "\n");
    if (assembled && check->singular) {
        fprintf(to,
                "singular: the rank is %d here and %d close by; the mechanism can change its way "
                "of moving\n",
                check->rank, check->generic_rank);
    }
    if (!assembled) {
        fprintf(to, "the model cannot be simulated\n");
        return;
    }
    int warnings = con->warning_count + check->warning_count;
    if (warnings == 0) {
        fprintf(to, "the model can be simulated; no warnings\n");
    } else {
        fprintf(to, "the model can be simulated; %d warning%s, above\n", warnings,
                warnings == 1 ? "" : "s");
    }
}

static int cmd_check_model(console *con, const char *path, const char *json_path, bool lenient)
{
    if (json_path != NULL) {
        if (!output_check(con, "--json", json_path)) {
            return EXIT_BAD_INPUT;
        }
        if (output_same_file(path, json_path)) {
            console_error(con, "--json '%s' would overwrite the model", json_path);
            return EXIT_BAD_INPUT;
        }
    }
    pawl_model *model = NULL;
    pawl_check *check = NULL;
    int errors = con->error_count;
    pawl_load_options options = pawl_load_options_default();
    options.lenient = lenient;
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
        if (json_path != NULL &&
            !json_out_write(con, json_path, cmd_check_json(con, model, check, assembled))) {
            code = EXIT_BAD_INPUT;
        }
        bool stdout_taken = json_path != NULL && strcmp(json_path, "-") == 0;
        cmd_check_print(con, path, model, check, assembled, stdout_taken ? stderr : stdout);
    }
    pawl_check_destroy(check);
    pawl_model_destroy(model);
    return code;
}

typedef struct cmd_check_request {
    const char *model, *json_path;
    bool lenient;
} cmd_check_request;

static bool cmd_check_take(console *con, void *user, int option, const char *value)
{
    cmd_check_request *request = user;
    switch (option) {
    case CHECK_JSON:
        request->json_path = value;
        return true;
    case CHECK_LENIENT:
        request->lenient = true;
        return true;
    default:
        return args_take_one(con, &args_check, "model", value, &request->model);
    }
}

static int cmd_check(console *con, int argc, char **argv)
{
    cmd_check_request request = {0};
    int code = args_read(con, &args_check, argc, argv, cmd_check_take, &request);
    if (code != ARGS_END) {
        return code;
    }
    if (request.model == NULL) {
        return args_fail(con, &args_check, "which model? pawl check MODEL");
    }
    char *path = models_find(con, request.model);
    code = path != NULL ? cmd_check_model(con, path, request.json_path, request.lenient)
                        : EXIT_BAD_INPUT;
    free(path);
    return code;
}

static const char *cmd_check_candidate(int option, int i)
{
    return option == ARGS_POSITIONAL ? models_name(i) : NULL;
}

const args_command args_check = {
    .name = "check",
    .arguments = "MODEL [--json FILE] [--lenient]",
    .summary = "say what a model is: counts, mass, mobility, redundant rows, assembly",
    .details = "MODEL is a file, or the name of a model that comes with pawl (pawl list models).\n"
               "Rows are the constraints of the joints, the rank is how many of them are\n"
               "independent, and the mobility is in how many ways the machine can move.\n"
               "\n"
               "Exit codes: 0 the model can be simulated; 2 it cannot be read or assembled.\n",
    .options = cmd_check_options,
    .option_count = CHECK_OPTION_COUNT,
    .candidate = cmd_check_candidate,
    .run = cmd_check,
};
