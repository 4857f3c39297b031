// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl bench: the benchmark framework of the loops paper. Records samples of a suite, solves each with every solver, draws
// conclusions, and writes results, JSON and a page; or compares two results.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "bench_compare.h"
#include "bench_history.h"
#include "bench_json.h"
#include "bench_work.h"
#include "interrupt.h"
#include "output.h"
#include "setting_args.h"
#include "timing.h"

typedef struct bench_request {
    args_request args;
    const char *solvers, *output, *samples, *json_path, *html_path, *against;
    bench_choice choice;
    bool resume, count, record_only;
    double budget; // [s]
    bench_options options;
    int threads;
} bench_request;

// ---- Arguments -----------------------------------------------------------------------------------

// "90", "90s", "30min" or "2h".
static bool cmd_bench_take_budget(const args_use *use)
{
    char *end;
    double number = strtod(use->value, &end);
    double unit = strcmp(end, "") == 0 || strcmp(end, "s") == 0 ? 1.0
                  : strcmp(end, "min") == 0                     ? 60.0
                  : strcmp(end, "h") == 0                       ? 3600.0
                                                                : NAN;
    *(double *)use->field = number * unit;
    return (end != use->value && number * unit > 0.0) ||
           args_refuse(use, "--budget %s, expected a time such as 90s, 30min or 2h", use->value);
}

static bool cmd_bench_take_threads(const args_use *use)
{
    return setting_args_count(use, "threads", use->field);
}

static bool cmd_bench_take_iterations(const args_use *use)
{
    return setting_args_count(use, "iterations", use->field);
}

static bool cmd_bench_take_positive(const args_use *use)
{
    double *number = use->field;
    return setting_args_number(use, number) &&
           (*number > 0.0 ||
            args_refuse(use, "%s %s, expected a number above 0", use->option->name, use->value));
}

static const char *cmd_bench_suite(const void *user, int i)
{
    (void)user;
    const bench_suite *suite = bench_suite_at(i);
    return suite != NULL ? suite->name : NULL;
}

static const char *cmd_bench_format(const void *user, int i)
{
    static const char *const names[] = {"sdf", "xml"};
    (void)user;
    return i < 2 ? names[i] : NULL;
}

static bool cmd_bench_take_format(const args_use *use)
{
    int index = setting_args_choose(use, use->value);
    if (index >= 0) {
        *(const char **)use->field = cmd_bench_format(NULL, index);
    }
    return index >= 0;
}

#define BENCH_FIELD(member) offsetof(bench_request, member)
static const args_option cmd_bench_options[] = {
    {"--solvers", 0, "NAMES",
     "all, own, published, or names separated by commas, with /paper for\n"
     "the published variant; otherwise all",
     args_take_text, BENCH_FIELD(solvers), NULL},
    {"--output", 'o', "FILE", "results (HDF5); otherwise bench-SUITE.h5", args_take_text,
     BENCH_FIELD(output), NULL},
    {"--samples", 0, "FILE", "solve these samples instead of recording the suite's", args_take_text,
     BENCH_FIELD(samples), NULL},
    {"--resume", 0, NULL, "continue where the results of the last run end", args_take_flag,
     BENCH_FIELD(resume), NULL},
    {"--budget", 0, "TIME",
     "stop the matrix 90s, 30min, 2h after the start, recording included;\n"
     "what is done is kept",
     cmd_bench_take_budget, BENCH_FIELD(budget), NULL},
    {"--record-only", 0, NULL,
     "simulate and record samples, with a verdict of each run; no solvers", args_take_flag,
     BENCH_FIELD(record_only), NULL},
    {"--format", 0, "NAME", "read the machines from SDFormat (sdf) or MJCF (xml); otherwise sdf",
     cmd_bench_take_format, BENCH_FIELD(choice.format), cmd_bench_format},
    {"--machines", 0, "NAMES", "only these of the suite, separated by commas", args_take_text,
     BENCH_FIELD(choice.machines), NULL},
    {"--scenarios", 0, "NAMES", "only these, separated by commas", args_take_text,
     BENCH_FIELD(choice.scenarios), NULL},
    {"--tol", 0, "NUMBER", "tolerance of the solvers; otherwise 1e-8", cmd_bench_take_positive,
     BENCH_FIELD(options.tolerance), NULL},
    {"--max-iterations", 0, "N", "of a solver; otherwise 500", cmd_bench_take_iterations,
     BENCH_FIELD(options.max_iterations), NULL},
    {"--threads", 0, "N", "otherwise one a core, divided by the ranks of mpirun",
     cmd_bench_take_threads, BENCH_FIELD(threads), NULL},
    {"--count", 0, NULL, "count instructions of some samples with valgrind, for 'compare'",
     args_take_flag, BENCH_FIELD(count), NULL},
    {"--against", 0, "FILE", "with 'compare': the older results", args_take_text,
     BENCH_FIELD(against), NULL},
    {"--json", 0, "FILE", "results for programs, '-' for the standard output", args_take_text,
     BENCH_FIELD(json_path), NULL},
    {"--html", 0, "FILE", "one page with profiles, heat maps and conclusions", args_take_text,
     BENCH_FIELD(html_path), NULL},
    {"--quiet", 'q', NULL, "no progress and no notes", args_take_quiet, 0, NULL},
};

// ---- Results -------------------------------------------------------------------------------------

static void cmd_bench_table(FILE *to, const bench_data *d)
{
    bench_score scores[BENCH_MAX_ENTRIES];
    int samples = bench_scores(d, BENCH_ALL, 6, scores);
    fprintf(to, "%-20s %7s %7s %6s %6s %5s %10s %9s %9s %9s\n", "solver", "samples", "solved",
            "best", "2x", "area", "median[us]", "residual", "sensit.", "jump");
    for (int e = 0; e < d->entries.count; ++e) {
        const bench_score *s = &scores[e];
        fprintf(to, "%-20s %7d %6.1f%% %5.1f%% %5.1f%% %5.2f %10.1f %9.1e %9.2e %9.2e\n",
                d->entries.list[e].name, s->tried, 100.0 * s->solved, 100.0 * s->best,
                100.0 * s->near, s->area, 1e6 * s->median, s->residual, s->sensitivity, s->jump);
    }
    fprintf(to, "\n%d of %d samples done\n\n", samples, d->sample_count);
    bench_conclusions conclusions;
    bench_conclude(d, &conclusions);
    for (int i = 0; i < conclusions.count; ++i) {
        fprintf(to, "%s\n", conclusions.text[i]);
    }
}

static bool cmd_bench_give_out(console *con, const bench_request *request, const bench_data *d)
{
    cmd_bench_table(output_text(request->json_path), d);
    bool written = true;
    if (request->html_path != NULL) {
        json_t *root = bench_json(d);
        char *text = root != NULL ? json_dumps(root, JSON_COMPACT | JSON_ESCAPE_SLASH) : NULL;
        int errors = con->error_count;
        pawl_status status =
            text == NULL ? PAWL_NO_MEMORY
                         : pawl_lab_page_write(&con->env, "pawl bench", text, request->html_path);
        if (status != PAWL_OK) {
            console_explain(con, errors, status, request->html_path);
            written = false;
        }
        free(text);
        json_decref(root);
    }
    if (request->json_path != NULL) {
        written = json_out_write(con, request->json_path, bench_json(d)) && written;
    }
    return written;
}

// Verdicts of the runs that samples come from: what did not pass is named.
static int cmd_bench_verdicts(const bench_request *request, const bench_run *runs, int count)
{
    FILE *to = output_text(request->json_path);
    int passed = 0, samples = 0;
    for (int i = 0; i < count; ++i) {
        const bench_run *run = &runs[i];
        passed += run->passed && !run->stopped ? 1 : 0;
        samples += run->sample_count;
        if (!run->passed || run->stopped || request->record_only) {
            fprintf(to, "%-14s %-9s %6lld steps %7.2f s  %s\n", run->system,
                    scenario_at(run->scenario)->name, (long long)run->steps, run->seconds,
                    run->verdict);
        }
    }
    fprintf(to, "%d runs, %d passed, %d samples\n\n", count, passed, samples);
    return passed;
}

// ---- The work ------------------------------------------------------------------------------------

typedef struct bench_paths {
    char results[1024], samples[1024];
} bench_paths;

static void cmd_bench_paths(const bench_request *q, const char *suite, bench_paths *out)
{
    snprintf(out->results, sizeof out->results, "%s", q->output != NULL ? q->output : "");
    if (q->output == NULL) {
        snprintf(out->results, sizeof out->results, "bench-%s.h5", suite);
    }
    size_t length = strlen(out->results);
    if (q->samples != NULL) {
        snprintf(out->samples, sizeof out->samples, "%s", q->samples);
    } else {
        size_t stem =
            length > 3 && strcmp(out->results + length - 3, ".h5") == 0 ? length - 3 : length;
        snprintf(out->samples, sizeof out->samples, "%.*s-samples.h5", (int)stem, out->results);
    }
}

// Records unless the samples are there already. *code is set where the command ends here.
static bool cmd_bench_record(console *con, const ranks *r, const bench_request *q,
                             const bench_suite *suite, const bench_limits *limits,
                             const bench_paths *paths, int *code)
{
    *code = EXIT_BAD_INPUT;
    bool have = q->samples != NULL || (q->resume && pawl_sample_file_is(paths->samples));
    if (!ranks_any(r, !have)) {
        return true;
    }
    int count = 0;
    bench_run *runs = bench_runs_make(con, suite, &q->choice, &count);
    bool done =
        !ranks_any(r, runs == NULL) && bench_record(con, r, limits, runs, count, paths->samples);
    int passed = count;
    if (done && r->rank == 0) {
        passed = cmd_bench_verdicts(q, runs, count);
    }
    bench_runs_free(runs, count);
    if (done && q->record_only) {
        *code = passed == count ? EXIT_DONE : EXIT_NOT_MET;
        return false;
    }
    return done;
}

// The matrix to fill: what an earlier run left, if it is of the same samples and solvers, or an empty one.
static bool cmd_bench_prepare(console *con, const bench_request *q, const char *suite,
                              const bench_entries *entries, const bench_paths *paths,
                              bench_data *data)
{
    pawl_sample_file *file = NULL;
    int errors = con->error_count, count;
    pawl_status status = pawl_sample_file_open(&con->env, paths->samples, &file);
    if (status != PAWL_OK) {
        console_explain(con, errors, status, paths->samples);
        return false;
    }
    count = pawl_sample_file_count(file);
    pawl_sample_file_close(file);
    if (q->resume && access(paths->results, R_OK) == 0) {
        bool same = bench_data_read(con, paths->results, data) && data->sample_count == count &&
                    data->options.tolerance == q->options.tolerance &&
                    data->options.max_iterations == q->options.max_iterations &&
                    data->entries.count == entries->count;
        for (int e = 0; same && e < entries->count; ++e) {
            same = strcmp(entries->list[e].name, data->entries.list[e].name) == 0;
        }
        if (same) {
            return true;
        }
        console_error(
            con,
            "--resume: '%s' has other samples, solvers or options; without --resume it is replaced",
            paths->results);
        return false;
    }
    *data = (bench_data){.entries = *entries, .options = q->options};
    snprintf(data->suite, sizeof data->suite, "%s", suite);
    if (count == 0 || !bench_data_make(data, count)) {
        console_error(con, count == 0 ? "'%s' has no samples" : "no memory for the results of '%s'",
                      paths->samples);
        return false;
    }
    return true;
}

static int cmd_bench_matrix(console *con, const ranks *r, const bench_request *q, const char *suite,
                            const bench_entries *entries, const bench_limits *limits,
                            const bench_paths *paths)
{
    bench_data data = {0};
    int code = EXIT_BAD_INPUT;
    bool spent = false;
    if (!ranks_any(r, !cmd_bench_prepare(con, q, suite, entries, paths, &data))) {
        bench_data_sign(&data);
        double begun = timing_now();
        bool whole = bench_fill(con, r, limits, paths->samples, &data, paths->results, &spent);
        if (r->rank == 0 && con->error_count == 0) {
            console_note(con, "matrix: %d of %d samples in %.0f s%s", bench_done_count(&data),
                         data.sample_count, timing_now() - begun,
                         whole   ? ""
                         : spent ? ", the budget is spent; --resume continues"
                                 : ", interrupted; --resume continues");
            bool counted = bench_history_record(con, paths->samples, &data) &&
                           (!q->count || bench_count_instructions(con, paths->samples, &data));
            bool written = counted && bench_data_write(con, &data, paths->results) &&
                           cmd_bench_give_out(con, q, &data);
            code = !written                  ? EXIT_BAD_INPUT
                   : interrupt_signal() != 0 ? EXIT_BY_SIGNAL + interrupt_signal()
                                             : EXIT_DONE;
        } else {
            code = con->error_count == 0 ? EXIT_DONE : EXIT_BAD_INPUT;
        }
    }
    bench_data_free(&data);
    return code;
}

static int cmd_bench_compare(console *con, const bench_request *q)
{
    bench_data old = {0}, fresh = {0};
    int code = EXIT_BAD_INPUT;
    if (q->against == NULL || q->output == NULL) {
        return args_fail(con, &args_bench, "pawl bench compare OLD.h5 NEW.h5: which two results?");
    }
    if (bench_data_read(con, q->against, &old) && bench_data_read(con, q->output, &fresh)) {
        printf("old: %s, pawl %s, %s\nnew: %s, pawl %s, %s\n\n", q->against, old.version, old.date,
               q->output, fresh.version, fresh.date);
        int regressions = bench_compare(&old, &fresh);
        printf("%d regression%s\n", regressions, regressions == 1 ? "" : "s");
        code = regressions == 0 ? EXIT_DONE : EXIT_NOT_MET;
    }
    bench_data_free(&old);
    bench_data_free(&fresh);
    return code;
}

// `report FILE`: the table, page and JSON of results at hand.
static int cmd_bench_report(console *con, const bench_request *q, const char *path)
{
    bench_data data = {0};
    int code = EXIT_BAD_INPUT;
    if (pawl_sample_file_is(path)) {
        console_error(con, "'%s' has samples; 'pawl bench SUITE --samples %s' solves them", path,
                      path);
    } else if (bench_data_read(con, path, &data) && cmd_bench_give_out(con, q, &data)) {
        code = EXIT_DONE;
    }
    bench_data_free(&data);
    return code;
}

static int cmd_bench_run(console *con, const bench_request *q, const char *name)
{
    const bench_suite *suite = bench_suite_find(name);
    bench_entries entries;
    if (suite == NULL && access(name, R_OK) == 0) {
        return cmd_bench_report(con, q, name);
    }
    if (suite == NULL) {
        char hint[160];
        args_suggest(name, cmd_bench_suite, NULL, hint, sizeof hint);
        return args_fail(con, &args_bench, "there is no suite and no file '%s'%s", name,
                         hint[0] != '\0' ? hint : "; 'pawl bench' lists the suites");
    }
    if (!bench_entries_read(con, q->solvers, &entries)) {
        return EXIT_BAD_INPUT;
    }
    interrupt_catch();
    ranks r = ranks_begin();
    con->quiet = con->quiet || r.rank != 0;
    bench_paths paths;
    cmd_bench_paths(q, suite->name, &paths);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int threads = q->threads > 0 ? q->threads : (int)(cores > r.count ? cores / r.count : 1);
    const bench_limits limits = {threads,
                                 q->budget > 0.0 ? timing_now() + q->budget : (double)INFINITY};
    int code;
    if (cmd_bench_record(con, &r, q, suite, &limits, &paths, &code)) {
        code = cmd_bench_matrix(con, &r, q, suite->name, &entries, &limits, &paths);
    }
    ranks_end(&r);
    return code;
}

static int cmd_bench_list(void)
{
    for (int i = 0; bench_suite_at(i) != NULL; ++i) {
        printf("%-12s %s\n", bench_suite_at(i)->name, bench_suite_at(i)->summary);
    }
    printf("\nscenarios:\n");
    for (int i = 0; scenario_at(i) != NULL; ++i) {
        printf("%-12s %s\n", scenario_at(i)->name, scenario_at(i)->summary);
    }
    printf("\nmachines:\n%-12s", "");
    for (int i = 0; bench_machine_name(NULL, i) != NULL; ++i) {
        printf("%s%s", i % 7 == 6 ? "\n             " : " ", bench_machine_name(NULL, i));
    }
    printf("\n");
    return EXIT_DONE;
}

static int cmd_bench(console *con, int argc, char **argv)
{
    bench_request q = {.solvers = "all",
                       .choice = {.format = "sdf"},
                       .options = {.tolerance = 1e-8, .max_iterations = 500, .perturb = 4}};
    // "compare OLD NEW" has two words more than other uses.
    bool compare = argc >= 2 && strcmp(argv[1], "compare") == 0;
    if (compare && argc == 4) {
        q.against = argv[2];
        q.output = argv[3];
        return cmd_bench_compare(con, &q);
    }
    if (compare && argc > 2 && argv[2][0] != '-') {
        return args_fail(con, &args_bench, "pawl bench compare OLD.h5 NEW.h5: which two results?");
    }
    int code = args_read(con, &args_bench, argc, argv, &q.args);
    if (code != ARGS_READ) {
        return code;
    }
    if (compare) {
        return cmd_bench_compare(con, &q);
    }
    if (q.args.argument == NULL) {
        return cmd_bench_list();
    }
    if (!output_check(con, "--output", q.output) || !output_check(con, "--json", q.json_path) ||
        !output_check(con, "--html", q.html_path)) {
        return EXIT_BAD_INPUT;
    }
    return cmd_bench_run(con, &q, q.args.argument);
}

const args_command args_bench = {
    .name = "bench",
    .arguments = "[SUITE | RESULTS.h5 | compare OLD.h5 NEW.h5] [options]",
    .noun = "suite",
    .names = cmd_bench_suite,
    .summary = "solve problems of many machines with every solver, and draw conclusions",
    .details =
        "Without a suite: which there are. A suite's machines go through scenarios; steps of "
        "these\n"
        "runs, with all their joints, limits and contacts, are samples, which every solver solves\n"
        "from zero. RESULTS.h5 shows results of an earlier run again, with --html and --json.\n"
        "'compare' shows what got worse, by instructions and iterations, not by seconds.\n"
        "Under mpirun the ranks share the work; the results are the same.\n"
        "Exit codes: 0 done, 1 a run failed its verdict (--record-only) or a regression "
        "(compare),\n"
        "2 bad usage or input.\n",
    .options = cmd_bench_options,
    .option_count = (int)(sizeof cmd_bench_options / sizeof cmd_bench_options[0]),
    .run = cmd_bench,
};
