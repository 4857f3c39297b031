// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl solve: problems of FCLib through one or several solvers, with a table of what they made of them.
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "args.h"
#include "json_out.h"
#include "output.h"
#include "pawl/io.h"
#include "setting_args.h"
#include "solve_run.h"

enum {
    SOLVE_SOLVER,
    SOLVE_TOL,
    SOLVE_ITERATIONS,
    SOLVE_TIME,
    SOLVE_START,
    SOLVE_SET,
    SOLVE_JSON,
    SOLVE_QUIET,
    SOLVE_OPTION_COUNT
};
static const double cmd_solve_tolerance = 1e-8;
enum { SOLVE_MAX_SOLVERS = 32, SOLVE_DEFAULT_ITERATIONS = 100000 };

static const args_option cmd_solve_options[SOLVE_OPTION_COUNT] = {
    [SOLVE_SOLVER] = {"--solver", 0, "NAMES",
                      "solvers to try, separated by commas, or 'all'; otherwise the default"},
    [SOLVE_TOL] = {"--tol", 0, "NUMBER", "all three errors at most this; otherwise 1e-8"},
    [SOLVE_ITERATIONS] = {"--max-iterations", 0, "N", "of a solver; otherwise 100000"},
    [SOLVE_TIME] = {"--time-limit", 0, "SECONDS",
                    "of processor time for one solver on one problem; otherwise none"},
    [SOLVE_START] = {"--start", 0, "FROM",
                     "zero, guess (the file's first) or solution (the file's own);\n"
                     "otherwise zero"},
    [SOLVE_SET] = {"--set", 0, "KEY=VALUE", "a setting of the solver; see 'pawl list settings'"},
    [SOLVE_JSON] = {"--json", 0, "FILE", "all results as JSON, '-' for the standard output"},
    [SOLVE_QUIET] = {"--quiet", 'q', NULL, "no progress and no notes; the table is still printed"},
};

typedef struct cmd_solve_request {
    const char *path, *json_path;
    pawl_settings settings;
    int solvers[SOLVE_MAX_SOLVERS];
    int solver_count;
    solve_start start;
    double time_limit; // [s], 0 for none
} cmd_solve_request;

// Sums over all problems, by solver.
typedef struct cmd_solve_total {
    int solved, tried;
    double seconds;
} cmd_solve_total;

// ---- Arguments -----------------------------------------------------------------------------------

static bool cmd_solve_add(console *con, cmd_solve_request *request, int kind)
{
    for (int i = 0; i < request->solver_count; ++i) {
        if (request->solvers[i] == kind) {
            return true;
        }
    }
    if (!pawl_solver_takes_contacts(kind)) {
        args_fail(con, &args_solve, "--solver '%s' does not solve contacts",
                  pawl_solver_name(kind));
        return false;
    }
    if (request->solver_count < SOLVE_MAX_SOLVERS) {
        request->solvers[request->solver_count++] = kind;
    }
    return true;
}

static bool cmd_solve_solvers(console *con, cmd_solve_request *request, const char *list)
{
    for (const char *word = list; word != NULL;) {
        const char *comma = strchr(word, ',');
        size_t length = comma != NULL ? (size_t)(comma - word) : strlen(word);
        char text[64];
        snprintf(text, sizeof text, "%.*s", (int)(length < 63 ? length : 63), word);
        if (strcmp(text, "all") == 0) {
            for (int kind = 0; pawl_solver_name(kind) != NULL; ++kind) {
                if (pawl_solver_takes_contacts(kind)) {
                    cmd_solve_add(con, request, kind);
                }
            }
        } else {
            int kind = setting_args_choose(con, &args_solve, "--solver", text, setting_args_solver);
            if (kind < 0 || !cmd_solve_add(con, request, kind)) {
                return false;
            }
        }
        word = comma != NULL ? comma + 1 : NULL;
    }
    return true;
}

static bool cmd_solve_positive(console *con, int option, const char *text, double *out)
{
    const char *name = cmd_solve_options[option].name;
    if (!setting_args_number(con, &args_solve, name, text, out)) {
        return false;
    }
    if (!(*out > 0.0)) {
        args_fail(con, &args_solve, "%s %s, expected a number above 0", name, text);
        return false;
    }
    return true;
}

static const char *cmd_solve_start_name(const void *user, int i)
{
    static const char *const names[] = {"zero", "guess", "solution"};
    (void)user;
    return i < (int)(sizeof names / sizeof names[0]) ? names[i] : NULL;
}

static bool cmd_solve_take(console *con, void *user, int option, const char *value)
{
    cmd_solve_request *request = user;
    double number;
    int index;
    switch (option) {
    case SOLVE_SOLVER:
        return cmd_solve_solvers(con, request, value);
    case SOLVE_TOL:
        return cmd_solve_positive(con, option, value, &request->settings.tolerance);
    case SOLVE_ITERATIONS:
        if (!cmd_solve_positive(con, option, value, &number)) {
            return false;
        }
        if (number != floor(number) || number > 1e9) {
            args_fail(con, &args_solve, "--max-iterations %s, expected a whole number up to 1e9",
                      value);
            return false;
        }
        request->settings.max_iterations = (int)number;
        return true;
    case SOLVE_TIME:
        return cmd_solve_positive(con, option, value, &request->time_limit);
    case SOLVE_START:
        index = setting_args_choose(con, &args_solve, "--start", value, cmd_solve_start_name);
        request->start = (solve_start)(index >= 0 ? index : 0);
        return index >= 0;
    case SOLVE_SET:
        return setting_args_set(con, &args_solve, &request->settings, value);
    case SOLVE_JSON:
        request->json_path = value;
        return true;
    case SOLVE_QUIET:
        con->quiet = true;
        return true;
    default:
        return args_take_one(con, &args_solve, "file or folder", value, &request->path);
    }
}

// ---- Which files ---------------------------------------------------------------------------------

typedef struct cmd_solve_files {
    char **paths;
    int count;
} cmd_solve_files;

static void cmd_solve_files_free(cmd_solve_files *files)
{
    for (int i = 0; i < files->count; ++i) {
        free(files->paths[i]);
    }
    free(files->paths);
}

static bool cmd_solve_files_add(cmd_solve_files *files, const char *folder, const char *name)
{
    size_t size = strlen(name) + (folder != NULL ? strlen(folder) + 1 : 0) + 1;
    char *path = malloc(size);
    char **paths = realloc(files->paths, (size_t)(files->count + 1) * sizeof *paths);
    files->paths = paths != NULL ? paths : files->paths;
    if (path == NULL || paths == NULL) {
        free(path);
        return false;
    }
    const char *slash = folder != NULL && folder[strlen(folder) - 1] != '/' ? "/" : "";
    snprintf(path, size, "%s%s%s", folder != NULL ? folder : "", slash, name);
    paths[files->count++] = path;
    return true;
}

static int cmd_solve_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool cmd_solve_is_problem(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && name[0] != '.' && (strcmp(dot, ".hdf5") == 0 || strcmp(dot, ".h5") == 0);
}

static bool cmd_solve_list(console *con, const char *path, cmd_solve_files *files)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        console_error(con, "cannot open '%s': %s", path, strerror(errno));
        return false;
    }
    bool done = true;
    if (!S_ISDIR(info.st_mode)) {
        done = cmd_solve_files_add(files, NULL, path);
    } else {
        DIR *folder = opendir(path);
        if (folder == NULL) {
            console_error(con, "cannot open folder '%s': %s", path, strerror(errno));
            return false;
        }
        for (struct dirent *entry; done && (entry = readdir(folder)) != NULL;) {
            done = !cmd_solve_is_problem(entry->d_name) ||
                   cmd_solve_files_add(files, path, entry->d_name);
        }
        closedir(folder);
    }
    if (!done) {
        console_error(con, "out of memory");
        return false;
    }
    if (files->count == 0) {
        console_error(con, "'%s' has no file that ends in .hdf5 or .h5", path);
        return false;
    }
    qsort(files->paths, (size_t)files->count, sizeof *files->paths, cmd_solve_compare);
    return true;
}

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
    for (int i = 0; i < request->solver_count; ++i) {
        fprintf(to, "%-13s solved %d of %d at %g in %.3f s\n",
                pawl_solver_name(request->solvers[i]), totals[i].solved, totals[i].tried,
                request->settings.tolerance, totals[i].seconds);
    }
}

static json_t *cmd_solve_json(const cmd_solve_request *request, const cmd_solve_total *totals,
                              json_t *problems)
{
    json_t *sums = json_array();
    for (int i = 0; i < request->solver_count; ++i) {
        json_array_append_new(sums,
                              json_pack("{s:o, s:i, s:i, s:o}",                               //
                                        "solver",                                             //
                                        json_out_text(pawl_solver_name(request->solvers[i])), //
                                        "solved", totals[i].solved,                           //
                                        "problems", totals[i].tried,                          //
                                        "seconds", json_out_number(totals[i].seconds)));
    }
    return json_pack("{s:o, s:i, s:o, s:o}",                                    //
                     "tolerance", json_out_number(request->settings.tolerance), //
                     "max_iterations", request->settings.max_iterations,        //
                     "problems", problems, "totals", sums);
}

// ---- The work ------------------------------------------------------------------------------------

// One problem through all solvers. A file that cannot be read is an error of its own; others go on.
static bool cmd_solve_problem(console *con, const cmd_solve_request *request, const char *path,
                              FILE *to, int width, cmd_solve_total *totals, json_t *problems)
{
    solve_problem problem;
    if (!solve_problem_open(con, path, request->start, &problem)) {
        return false;
    }
    json_t *results = json_array();
    bool done = true;
    for (int i = 0; i < request->solver_count && done; ++i) {
        pawl_settings settings = request->settings;
        settings.solver = (pawl_solver_kind)request->solvers[i];
        solve_result result;
        solve_show(con, cmd_solve_base_name(path), pawl_solver_name(request->solvers[i]));
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

static int cmd_solve_files_run(console *con, const cmd_solve_request *request,
                               const cmd_solve_files *files)
{
    bool json_on_stdout = request->json_path != NULL && strcmp(request->json_path, "-") == 0;
    FILE *to = json_on_stdout ? stderr : stdout;
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
    for (int i = 0; i < request->solver_count; ++i) {
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

static int cmd_solve(console *con, int argc, char **argv)
{
    cmd_solve_request request = {.settings = pawl_settings_default()};
    request.settings.tolerance = cmd_solve_tolerance;
    request.settings.max_iterations = SOLVE_DEFAULT_ITERATIONS;
    int code = args_read(con, &args_solve, argc, argv, cmd_solve_take, &request);
    if (code != ARGS_END) {
        return code;
    }
    if (request.path == NULL) {
        return args_fail(con, &args_solve, "which problem? pawl solve FILE.hdf5, or a folder");
    }
    if (request.json_path != NULL && !output_check(con, "--json", request.json_path)) {
        return EXIT_BAD_INPUT;
    }
    if (request.solver_count == 0) {
        request.solvers[request.solver_count++] = (int)request.settings.solver;
    }
    cmd_solve_files files = {0};
    code = EXIT_BAD_INPUT;
    if (cmd_solve_list(con, request.path, &files)) {
        code = cmd_solve_files_run(con, &request, &files);
    }
    cmd_solve_files_free(&files);
    return code;
}

static const char *cmd_solve_candidate(int option, int i)
{
    switch (option) {
    case SOLVE_SOLVER:
        return i == 0 ? "all" : pawl_solver_name(i - 1);
    case SOLVE_START:
        return cmd_solve_start_name(NULL, i);
    case SOLVE_SET:
        return setting_args_key(NULL, i);
    default:
        return NULL;
    }
}

const args_command args_solve = {
    .name = "solve",
    .arguments = "PROBLEM.hdf5|FOLDER [options]",
    .summary = "solve frictional contact problems of FCLib, with a table of errors",
    .details =
        "A problem is solved when three errors are at most the tolerance. With the natural map\n"
        "F = |r - P_K(r - u^)| and u = W r + q, by the file's own W:\n"
        "  A = F / max(|q|, |r|, |u|)      as Siconos measures\n"
        "  B = F / max(1, |q|)\n"
        "  S = A with each contact scaled to unit W_kk: the same in all units\n"
        "Exit codes: 0 all solved, 1 some not solved, 2 bad usage or input.\n",
    .options = cmd_solve_options,
    .option_count = SOLVE_OPTION_COUNT,
    .candidate = cmd_solve_candidate,
    .run = cmd_solve,
};
