// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Common options, progress and JSON output of all benchmarks: --quick, --scene, --json.
#include "options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void options_usage(FILE *out, const char *program, const char *summary)
{
    fprintf(out, "%s: %s\n", program, summary);
    fputs("  --quick        a smoke run of a few seconds: small scenes, few steps, rough times\n"
          "  --scene TEXT   only scenes, references or pairs whose name contains TEXT\n"
          "  --engine TEXT  only engines and variants whose name contains TEXT\n"
          "  --budget S     CPU seconds an engine gets for a scene's judged run (5)\n"
          "  --repeat N     timed repetitions (5)\n"
          "  --seed N       other random scenes (0)\n"
          "  --no-scaling   leave out bench_peers' table of pawl's own growth, dense and sparse\n"
          "  --json FILE    also put all figures into this JSON file, under the program's name\n"
          "Exit: 0 done, 1 pawl failed on a scene, 2 bad usage.\n",
          out);
}

static double options_number(const char *program, const char *option, const char *text,
                             double lowest, double highest)
{
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= lowest && value <= highest)) {
        fprintf(stderr, "%s: %s is \"%s\", expected a number from %g to %g\n", program, option,
                text, lowest, highest);
        exit(2);
    }
    return value;
}

bench_options bench_parse(const char *program, const char *summary, int count, char **arguments)
{
    bench_options options = {
        .program = program, .scaling = true, .repeats = 5, .budget = 5.0, .time_budget = 0.25};
    for (int i = 1; i < count; ++i) {
        const char *name = arguments[i];
        if (strcmp(name, "--quick") == 0) {
            options.quick = true;
            options.repeats = 2;
            options.budget = 0.5;
            options.time_budget = 0.05;
            continue;
        }
        if (strcmp(name, "--no-scaling") == 0) {
            options.scaling = false;
            continue;
        }
        if (strcmp(name, "--help") == 0) {
            options_usage(stdout, program, summary);
            exit(0);
        }
        const char *value = i + 1 < count ? arguments[i + 1] : NULL;
        bool known = strcmp(name, "--json") == 0 || strcmp(name, "--scene") == 0 ||
                     strcmp(name, "--engine") == 0 || strcmp(name, "--budget") == 0 ||
                     strcmp(name, "--repeat") == 0 || strcmp(name, "--seed") == 0;
        if (!known || value == NULL) {
            fprintf(stderr,
                    known ? "%s: %s needs a value\n" : "%s: unknown option %s; see --help\n",
                    program, name);
            exit(2);
        }
        ++i;
        if (strcmp(name, "--json") == 0) {
            options.json = value;
        } else if (strcmp(name, "--scene") == 0) {
            options.scene = value;
        } else if (strcmp(name, "--engine") == 0) {
            options.engine = value;
        } else if (strcmp(name, "--budget") == 0) {
            options.budget = options_number(program, name, value, 1e-3, 1e6);
        } else if (strcmp(name, "--seed") == 0) {
            options.seed = (uint64_t)options_number(program, name, value, 0.0, 1e9);
        } else {
            options.repeats = (int)options_number(program, name, value, 1.0, BENCH_MAX_REPEATS);
        }
    }
    return options;
}

void bench_progress(int done, int total, const char *what, const char *detail)
{
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K[%3d/%d] %s  %s", done, total, what, detail);
        if (done == total) {
            fprintf(stderr, "\r\033[K");
        }
        fflush(stderr);
    }
}

bool bench_wanted(const bench_options *options, const char *name)
{
    return options->scene == NULL || strstr(name, options->scene) != NULL;
}

json_t *bench_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

bool bench_write_json(const bench_options *options, json_t *figures)
{
    if (options->json == NULL) {
        json_decref(figures);
        return true;
    }
    json_t *root = json_load_file(options->json, 0, NULL);
    if (!json_is_object(root)) {
        json_decref(root);
        root = json_object();
    }
    json_object_set_new(root, options->program, figures);
    bool written =
        json_dump_file(root, options->json, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) == 0;
    if (!written) {
        fprintf(stderr, "%s: cannot write %s\n", options->program, options->json);
    }
    json_decref(root);
    return written;
}
