// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl solve: solves problems of FCLib with one or several solvers and prints a table of the results.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "json_out.h"
#include "output.h"
#include "pawl/io.h"
#include "setting_args.h"
#include "solve_files.h"
#include "solve_run.h"
#include "solve_samples.h"

static const double cmd_solve_tolerance = 1e-8;
enum { SOLVE_MAX_SOLVERS = 32, SOLVE_DEFAULT_ITERATIONS = 100000 };

typedef struct cmd_solve_chosen {
    int kinds[SOLVE_MAX_SOLVERS];
    int count;
} cmd_solve_chosen;

typedef struct cmd_solve_request {
    args_request args; // the argument is the file or folder
    const char *json_path;
    pawl_settings settings;
    cmd_solve_chosen solvers;
    solve_start start;
    double time_limit; // [s], 0 for none
    int sample;        // of a file of samples; 0: all, else its number plus 1
    bool history;
} cmd_solve_request;

// Sums over all problems, by solver.
typedef struct cmd_solve_total {
    int solved, tried;
    double seconds;
} cmd_solve_total;

// ---- Arguments -----------------------------------------------------------------------------------

static bool cmd_solve_add(const args_use *use, int kind)
{
    cmd_solve_chosen *solvers = use->field;
    for (int i = 0; i < solvers->count; ++i) {
        if (solvers->kinds[i] == kind) {
            return true;
        }
    }
    if (solvers->count < SOLVE_MAX_SOLVERS) {
        solvers->kinds[solvers->count++] = kind;
    }
    return true;
}

// "all", then the solvers.
static const char *cmd_solve_solver_name(const void *user, int i)
{
    (void)user;
    return i == 0 ? "all" : pawl_solver_name(i - 1);
}

static bool cmd_solve_take_solvers(const args_use *use)
{
    const char *list = use->value;
    char word[64];
    while (setting_args_next_word(&list, word, sizeof word)) {
        int index = setting_args_choose(use, word);
        if (index < 0) {
            return false;
        }
        if (index == 0) {
            for (int kind = 0; pawl_solver_name(kind) != NULL; ++kind) {
                if (pawl_solver_takes_contacts(kind)) { // the default for files of contacts
                    cmd_solve_add(use, kind);
                }
            }
            continue;
        }
        if (!cmd_solve_add(use, index - 1)) {
            return false;
        }
    }
    return true;
}

static bool cmd_solve_take_positive(const args_use *use)
{
    double *number = use->field;
    if (!setting_args_number(use, number)) {
        return false;
    }
    return *number > 0.0 ||
           args_refuse(use, "%s %s, expected a number above 0", use->option->name, use->value);
}

static bool cmd_solve_take_sample(const args_use *use)
{
    double number;
    if (!setting_args_number(use, &number)) {
        return false;
    }
    if (number < 0.0 || number > 1e8 || number != floor(number)) {
        return args_refuse(use, "--sample %s, expected a number from 0 on", use->value);
    }
    *(int *)use->field = (int)number + 1;
    return true;
}

static bool cmd_solve_take_iterations(const args_use *use)
{
    return setting_args_count(use, "iterations", use->field);
}

static const char *cmd_solve_start_name(const void *user, int i)
{
    static const char *const names[] = {"zero", "guess", "solution"};
    (void)user;
    return i < (int)(sizeof names / sizeof names[0]) ? names[i] : NULL;
}

static bool cmd_solve_take_start(const args_use *use)
{
    int index = setting_args_choose(use, use->value);
    if (index >= 0) {
        *(solve_start *)use->field = (solve_start)index;
    }
    return index >= 0;
}

#define SOLVE_FIELD(member) offsetof(cmd_solve_request, member)
static const args_option cmd_solve_options[] = {
    {"--solver", 0, "NAMES", "solvers to try, separated by commas, or 'all'; otherwise the default",
     cmd_solve_take_solvers, SOLVE_FIELD(solvers), cmd_solve_solver_name},
    {"--tol", 0, "NUMBER", "all three errors at most this; otherwise 1e-8", cmd_solve_take_positive,
     SOLVE_FIELD(settings.solver.tolerance), NULL},
    {"--max-iterations", 0, "N", "of a solver; otherwise 100000", cmd_solve_take_iterations,
     SOLVE_FIELD(settings.solver.max_iterations), NULL},
    {"--time-limit", 0, "SECONDS",
     "of processor time for one solver on one problem; otherwise none", cmd_solve_take_positive,
     SOLVE_FIELD(time_limit), NULL},
    {"--start", 0, "FROM",
     "zero, guess (the file's first; of samples the warm start) or solution\n"
     "(the file's own); otherwise zero",
     cmd_solve_take_start, SOLVE_FIELD(start), cmd_solve_start_name},
    {"--sample", 0, "N", "of a file of samples this one alone, counted from 0",
     cmd_solve_take_sample, SOLVE_FIELD(sample), NULL},
    {"--history", 0, NULL, "residuals of every iteration in the JSON (files of samples)",
     args_take_flag, SOLVE_FIELD(history), NULL},
    {"--set", 0, "KEY=VALUE", "a setting of the solver; see 'pawl list settings'",
     setting_args_take_set, SOLVE_FIELD(settings), setting_args_key},
    {"--json", 0, "FILE", "all results as JSON, '-' for the standard output", args_take_text,
     SOLVE_FIELD(json_path), NULL},
    {"--quiet", 'q', NULL, "no progress and no notes; the table is still printed", args_take_quiet,
     0, NULL},
};

// ---- Results -------------------------------------------------------------------------------------

static const char *cmd_solve_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void cmd_solve_head(FILE *to, int width)
{
    fprintf(to, "%-*s %8s  %-13s %10s %10s  %8s %8s %8s  %s\n", width, "problem", "contacts",
            "solver", "iterations", "time [ms]", "A", "B", "S", "solved");
}

static void cmd_solve_row(FILE *to, int width, const char *path, const solve_result *r)
{
    fprintf(to, "%-*s %8d  %-13s ", width, cmd_solve_base_name(path), r->contacts,
            pawl_solver_name(r->solver));
    if (r->stopped) {
        fprintf(to, "%10s %10.3f  %8s %8s %8s  no, %s\n", "-", 1e3 * r->seconds, "-", "-", "-",
                "time limit");
        return;
    }
    const pawl_contact_errors *e = &r->result.errors;
    bool solved = r->result.outcome == PAWL_CONVERGED;
    fprintf(to, "%10d %10.3f  %8.1e %8.1e %8.1e  %s\n", r->result.iterations, 1e3 * r->seconds,
            e->relative, e->absolute, e->scaled, solved ? "yes" : "no");
}

static json_t *cmd_solve_json_result(const solve_result *r)
{
    static const char *const outcomes[] = {"converged", "iteration limit", "stalled"};
    const pawl_contact_result *x = &r->result;
    bool there = !r->stopped;
    return json_pack("{s:o, s:b, s:s, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o}}",                //
                     "solver", json_out_text(pawl_solver_name(r->solver)),                    //
                     "solved", there && x->outcome == PAWL_CONVERGED,                         //
                     "outcome", there ? outcomes[x->outcome] : "time limit",                  //
                     "iterations", there ? json_integer(x->iterations) : json_null(),         //
                     "factorizations", there ? json_integer(x->factorizations) : json_null(), //
                     "passes", there ? json_integer(x->passes) : json_null(),                 //
                     "seconds", json_out_number(r->seconds),                                  //
                     "errors",                                                                //
                     "relative", json_out_number(there ? x->errors.relative : NAN),           //
                     "absolute", json_out_number(there ? x->errors.absolute : NAN),           //
                     "scaled", json_out_number(there ? x->errors.scaled : NAN));
}

static void cmd_solve_totals(FILE *to, const cmd_solve_request *request,
                             const cmd_solve_total *totals)
{
    fputc('\n', to);
    for (int i = 0; i < request->solvers.count; ++i) {
        fprintf(to, "%-13s solved %d of %d at %g in %.3f s\n",
                pawl_solver_name(request->solvers.kinds[i]), totals[i].solved, totals[i].tried,
                request->settings.solver.tolerance, totals[i].seconds);
    }
}

static json_t *cmd_solve_json(const cmd_solve_request *request, const cmd_solve_total *totals,
                              json_t *problems)
{
    json_t *sums = json_array();
    for (int i = 0; i < request->solvers.count; ++i) {
        json_array_append_new(
            sums,
            json_pack("{s:o, s:i, s:i, s:o}",                                     //
                      "solver",                                                   //
                      json_out_text(pawl_solver_name(request->solvers.kinds[i])), //
                      "solved", totals[i].solved,                                 //
                      "problems", totals[i].tried,                                //
                      "seconds", json_out_number(totals[i].seconds)));
    }
    return json_pack("{s:o, s:i, s:o, s:o}",                                           //
                     "tolerance", json_out_number(request->settings.solver.tolerance), //
                     "max_iterations", request->settings.solver.max_iterations,        //
                     "problems", problems, "totals", sums);
}

// ---- The work ------------------------------------------------------------------------------------

// One problem through all solvers. A file that cannot be read is an error of its own; the others are still solved.
static bool cmd_solve_problem(console *con, const cmd_solve_request *request, const char *path,
                              FILE *to, int width, cmd_solve_total *totals, json_t *problems)
{
    solve_problem problem;
    if (!solve_problem_open(con, path, request->start, &problem)) {
        return false;
    }
    json_t *results = json_array();
    bool done = true;
    for (int i = 0; i < request->solvers.count && done; ++i) {
        pawl_settings settings = request->settings;
        settings.solver.kind = (pawl_solver_kind)request->solvers.kinds[i];
        solve_result result;
        solve_show(con, cmd_solve_base_name(path), pawl_solver_name(request->solvers.kinds[i]));
        done = solve_problem_run(con, &problem, &settings, request->time_limit, &result);
        solve_hide(con);
        if (done) {
            bool solved = !result.stopped && result.result.outcome == PAWL_CONVERGED;
            totals[i].solved += solved ? 1 : 0;
            totals[i].tried += 1;
            totals[i].seconds += result.seconds;
            cmd_solve_row(to, width, path, &result);
            fflush(to);
            json_array_append_new(results, cmd_solve_json_result(&result));
        }
    }
    json_array_append_new(
        problems, json_pack("{s:o, s:o, s:i, s:o, s:o}",                                      //
                            "name", json_out_text(cmd_solve_base_name(path)),                 //
                            "path", json_out_text(path),                                      //
                            "contacts", pawl_contact_problem_count(problem.problem),          //
                            "asymmetry",                                                      //
                            json_out_number(pawl_contact_problem_asymmetry(problem.problem)), //
                            "results", results));
    solve_problem_close(&problem);
    return done;
}

static int cmd_solve_run_all(console *con, const cmd_solve_request *request,
                             const solve_files *files)
{
    FILE *to = output_text(request->json_path);
    int width = (int)strlen("problem");
    for (int i = 0; i < files->count; ++i) {
        int length = (int)strlen(cmd_solve_base_name(files->paths[i]));
        width = length > width ? length : width;
    }
    cmd_solve_total totals[SOLVE_MAX_SOLVERS] = {0};
    json_t *problems = json_array();
    int unread = 0, unsolved = 0;
    cmd_solve_head(to, width);
    for (int i = 0; i < files->count; ++i) {
        unread +=
            cmd_solve_problem(con, request, files->paths[i], to, width, totals, problems) ? 0 : 1;
    }
    for (int i = 0; i < request->solvers.count; ++i) {
        unsolved += totals[i].tried - totals[i].solved;
    }
    cmd_solve_totals(to, request, totals);
    if (unread > 0) {
        fprintf(to, "%d of %d files could not be solved: see the errors\n", unread, files->count);
    }
    json_t *root = cmd_solve_json(request, totals, problems);
    if (request->json_path == NULL) {
        json_decref(root);
    } else if (!json_out_write(con, request->json_path, root)) {
        return EXIT_BAD_INPUT;
    }
    return unread > 0 ? EXIT_BAD_INPUT : unsolved > 0 ? EXIT_NOT_MET : EXIT_DONE;
}

static int cmd_solve_samples(console *con, const cmd_solve_request *request)
{
    const solve_samples_request samples = {.path = request->args.argument,
                                           .kinds = request->solvers.kinds,
                                           .kind_count = request->solvers.count,
                                           .settings = request->settings,
                                           .sample = request->sample - 1,
                                           .warm = request->start == SOLVE_FROM_GUESS,
                                           .history = request->history,
                                           .json_path = request->json_path};
    return solve_samples(con, &samples);
}

static int cmd_solve(console *con, int argc, char **argv)
{
    cmd_solve_request request = {.settings = pawl_settings_default()};
    request.settings.solver.tolerance = cmd_solve_tolerance;
    request.settings.solver.max_iterations = SOLVE_DEFAULT_ITERATIONS;
    int code = args_read(con, &args_solve, argc, argv, &request.args);
    if (code != ARGS_READ) {
        return code;
    }
    if (request.args.argument == NULL) {
        return args_fail(con, &args_solve, "which problem? pawl solve FILE.hdf5, or a folder");
    }
    if (!output_check(con, "--json", request.json_path)) {
        return EXIT_BAD_INPUT;
    }
    if (request.solvers.count == 0) {
        request.solvers.kinds[request.solvers.count++] = (int)request.settings.solver.kind;
    }
    if (pawl_sample_file_is(request.args.argument)) {
        return cmd_solve_samples(con, &request);
    }
    for (int i = 0; i < request.solvers.count; ++i) {
        int kind = request.solvers.kinds[i];
        if (!pawl_solver_takes_contacts(kind)) {
            return args_fail(con, &args_solve, "--solver '%s' does not solve contacts",
                             pawl_solver_name(kind));
        }
    }
    solve_files files = {0};
    code = EXIT_BAD_INPUT;
    if (solve_files_list(con, request.args.argument, &files)) {
        code = cmd_solve_run_all(con, &request, &files);
    }
    solve_files_free(&files);
    return code;
}

const args_command args_solve = {
    .name = "solve",
    .arguments = "PROBLEM.hdf5|FOLDER|SAMPLES.h5 [options]",
    .noun = "file or folder",
    .summary = "solve frictional contact problems of FCLib, with a table of errors",
    .details =
        "A problem is solved when three errors are at most the tolerance. With the natural map\n"
        "F = |r - P_K(r - u^)| and u = W r + q, by the file's own W:\n"
        "  A = F / max(|q|, |r|, |u|)      as Siconos measures\n"
        "  B = F / max(1, |q|)\n"
        "  S = A with each contact scaled to unit W_kk: the same in all units\n"
        "A file of samples (pawl bench writes them) has whole problems, with joints and limits;\n"
        "there the residual is the scaled natural map [m/s], as in 'pawl run'.\n"
        "Exit codes: 0 all solved, 1 some not solved, 2 bad usage or input.\n",
    .options = cmd_solve_options,
    .option_count = (int)(sizeof cmd_solve_options / sizeof cmd_solve_options[0]),
    .run = cmd_solve,
};
