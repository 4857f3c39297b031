// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// All solvers that support contacts, and Siconos' if it is installed, on a folder of FCLib problems: how many are
// solved at 1e-4 and at 1e-8, in how many iterations and how much processor time.
//
// One judge for all: pawl_contact_problem_errors(). Solved means that its three errors are at most the
// tolerance; since Siconos stops by the first of them only (A), that count is printed as well. Every solve is a
// process of its own with a limit of processor time, from zero, on one thread.
#include "pawl/io.h"

#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(BENCH_WITH_SICONOS)
#include "siconos_peer.h"
#endif

enum {
    MAX_METHODS = 40,
    MAX_PROBLEMS = 400,
    NAME_SIZE = 64,
    LARGE = 100, // contacts
    TOLERANCES = 2,
    MAX_ITERATIONS = 100000000
};
static const double tolerances[TOLERANCES] = {1e-4, 1e-8};

typedef struct method {
    const char *name;
    bool peer;
    int kind; // a pawl_solver_kind, or a siconos_method
} method;

typedef struct outcome {
    bool done; // else out of time, or the process died
    int iterations;
    double seconds;
    pawl_contact_errors errors;
} outcome;

typedef struct problem {
    char name[NAME_SIZE];
    int contacts;
    bool pyramid; // nobody solves those but the smallest
    outcome results[TOLERANCES][MAX_METHODS];
} problem;

typedef struct bench {
    const char *folder, *solvers;
    double limit; // [s]
    method methods[MAX_METHODS];
    int method_count, problem_count, first_tolerance;
    problem problems[MAX_PROBLEMS];
} bench;

// Of the thread: that of the process is counted in ticks while its limit is watched.
static double bench_processor(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- One solve -----------------------------------------------------------------------------------

static outcome bench_try(pawl_contact_problem *p, const method *m, double tolerance)
{
    outcome out = {.done = true};
    double *r = calloc(3 * (size_t)pawl_contact_problem_count(p), sizeof *r);
    double begun = bench_processor();
    if (!m->peer) {
        pawl_settings settings = pawl_settings_default();
        pawl_contact_result result = {.outcome = PAWL_STALLED};
        settings.solver.kind = (pawl_solver_kind)m->kind;
        settings.solver.tolerance = tolerance;
        settings.solver.max_iterations = MAX_ITERATIONS;
        out.done = pawl_contact_problem_solve(p, &settings, r, &result) == PAWL_OK;
        out.iterations = result.iterations;
    }
#if defined(BENCH_WITH_SICONOS)
    if (m->peer) {
        out.iterations = siconos_solve(p, (siconos_method)m->kind, tolerance, r);
    }
#endif
    out.seconds = bench_processor() - begun;
    out.errors = pawl_contact_problem_errors(p, r);
    free(r);
    return out;
}

static void bench_child(pawl_contact_problem *p, const method *m, double tolerance, double limit,
                        int pipe_end)
{
    struct itimerval timer = {.it_value = {.tv_sec = (time_t)limit}};
    timer.it_value.tv_usec = (suseconds_t)(1e6 * (limit - floor(limit))) + 1;
    setitimer(ITIMER_PROF, &timer, NULL); // SIGPROF ends the process
    if (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL) {
        _exit(EXIT_FAILURE);
    }
    outcome out = bench_try(p, m, tolerance);
    _exit(write(pipe_end, &out, sizeof out) == (ssize_t)sizeof out ? EXIT_SUCCESS : EXIT_FAILURE);
}

static outcome bench_solve(pawl_contact_problem *p, const method *m, double tolerance, double limit)
{
    outcome out = {.done = false, .seconds = limit};
    int ends[2];
    fflush(NULL);
    if (pipe(ends) != 0) {
        return out;
    }
    pid_t child = fork();
    if (child == 0) {
        bench_child(p, m, tolerance, limit, ends[1]);
    }
    close(ends[1]);
    outcome reported;
    if (child > 0 && read(ends[0], &reported, sizeof reported) == (ssize_t)sizeof reported) {
        out = reported;
    }
    close(ends[0]);
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
    return out;
}

static bool bench_solved(const outcome *o, double tolerance)
{
    return o->done && pawl_contact_errors_worst(&o->errors) <= tolerance;
}

// ---- What is compared ----------------------------------------------------------------------------

static bool bench_wants(const bench *b, const char *name)
{
    if (b->solvers == NULL) {
        return true;
    }
    size_t length = strlen(name);
    for (const char *at = b->solvers; (at = strstr(at, name)) != NULL; at += length) {
        if ((at == b->solvers || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static void bench_methods(bench *b)
{
    for (int kind = 0; pawl_solver_name(kind) != NULL && b->method_count < MAX_METHODS; ++kind) {
        if (pawl_solver_takes_contacts(kind) && bench_wants(b, pawl_solver_name(kind))) {
            b->methods[b->method_count++] = (method){pawl_solver_name(kind), false, kind};
        }
    }
#if defined(BENCH_WITH_SICONOS)
    for (int k = 0; siconos_method_name(k) != NULL && b->method_count < MAX_METHODS; ++k) {
        if (bench_wants(b, "siconos")) {
            b->methods[b->method_count++] = (method){siconos_method_name(k), true, k};
        }
    }
#endif
}

static int bench_compare_names(const void *a, const void *b)
{
    return strcmp(((const problem *)a)->name, ((const problem *)b)->name);
}

static bool bench_list(bench *b)
{
    DIR *folder = opendir(b->folder);
    if (folder == NULL) {
        return false;
    }
    for (struct dirent *e; (e = readdir(folder)) != NULL && b->problem_count < MAX_PROBLEMS;) {
        const char *dot = strrchr(e->d_name, '.');
        if (dot != NULL && strcmp(dot, ".hdf5") == 0 && strlen(e->d_name) < NAME_SIZE) {
            problem *p = &b->problems[b->problem_count++];
            strcpy(p->name, e->d_name);
            p->pyramid = strstr(e->d_name, "Pyramid1") != NULL; // 10 and 14 high
        }
    }
    closedir(folder);
    qsort(b->problems, (size_t)b->problem_count, sizeof *b->problems, bench_compare_names);
    return b->problem_count > 0;
}

// ---- Tables --------------------------------------------------------------------------------------

static void bench_print_head(const bench *b)
{
    printf("\nmilliseconds of processor time at %g, and iterations; '-' where not solved\n",
           tolerances[TOLERANCES - 1]);
    printf("%-44s %8s", "problem", "contacts");
    for (int m = 0; m < b->method_count; ++m) {
        printf("  %19s", b->methods[m].name);
    }
    printf("\n");
}

static void bench_print_row(const bench *b, const problem *p)
{
    printf("%-44.44s %8d", p->name, p->contacts);
    for (int m = 0; m < b->method_count; ++m) {
        const outcome *o = &p->results[TOLERANCES - 1][m];
        if (bench_solved(o, tolerances[TOLERANCES - 1])) {
            printf("  %10.2f %8d", 1e3 * o->seconds, o->iterations);
        } else {
            printf("  %10s %8s", "-", "");
        }
    }
    printf("\n");
    fflush(stdout);
}

static int bench_compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct success {
    int solved, by_A, tried;
    double median, sum; // of the times of those solved, and of all [s]
} success;

// Of one method, or of any of pawl's or the peer's (method -1 and -2), over problems with at least
// that many contacts, with or without pyramids.
static success bench_success(const bench *b, int method_index, int tolerance, int contacts,
                             bool pyramids)
{
    success s = {0};
    double times[MAX_PROBLEMS];
    for (int i = 0; i < b->problem_count; ++i) {
        const problem *p = &b->problems[i];
        if (p->contacts < contacts || p->contacts == 0 || (p->pyramid && !pyramids)) {
            continue;
        }
        bool solved = false, by_A = false;
        double best = INFINITY;
        for (int m = 0; m < b->method_count; ++m) {
            bool counts =
                method_index >= 0 ? m == method_index : b->methods[m].peer == (method_index == -2);
            const outcome *o = &p->results[tolerance][m];
            if (counts && bench_solved(o, tolerances[tolerance])) {
                solved = true;
                best = o->seconds < best ? o->seconds : best;
            }
            by_A = by_A || (counts && o->done && o->errors.relative <= tolerances[tolerance]);
            s.sum += counts ? o->seconds : 0.0;
        }
        if (solved) {
            times[s.solved++] = best;
        }
        s.by_A += by_A ? 1 : 0;
        s.tried += 1;
    }
    qsort(times, (size_t)s.solved, sizeof *times, bench_compare_numbers);
    s.median = s.solved > 0 ? times[s.solved / 2] : NAN;
    return s;
}

static void bench_print_success(const bench *b, const char *name, int method_index, int tolerance)
{
    success all = bench_success(b, method_index, tolerance, 0, true);
    success most = bench_success(b, method_index, tolerance, 0, false);
    success large = bench_success(b, method_index, tolerance, LARGE, true);
    printf("%-20s %3d of %3d %4.0f %% (A: %3.0f %%)  %4.0f %%  %13.0f %% %11.1f  %9.1f\n", name,
           all.solved, all.tried, 100.0 * all.solved / (all.tried > 0 ? all.tried : 1),
           100.0 * all.by_A / (all.tried > 0 ? all.tried : 1),
           100.0 * most.solved / (most.tried > 0 ? most.tried : 1),
           large.tried > 0 ? 100.0 * large.solved / large.tried : NAN, 1e3 * large.median, all.sum);
}

static void bench_print_successes(const bench *b, int tolerance)
{
    printf("\nsolved at %g, all three errors (A: the first alone, by which Siconos stops)\n",
           tolerances[tolerance]);
    printf("%-20s %-31s %7s  %15s %11s  %9s\n", "", "all", "no pyr.", ">= 100 contacts",
           "median [ms]", "total [s]");
    bool pawl = false, peer = false;
    for (int m = 0; m < b->method_count; ++m) {
        bench_print_success(b, b->methods[m].name, m, tolerance);
        pawl = pawl || !b->methods[m].peer;
        peer = peer || b->methods[m].peer;
    }
    if (pawl) {
        bench_print_success(b, "any of pawl", -1, tolerance);
    }
    if (peer) {
        bench_print_success(b, "any of Siconos", -2, tolerance);
    }
}

static void bench_print_published(void)
{
    printf("\nSiconos 4.4 as measured before, on 125 problems of these families, another machine,\n"
           "10 s of processor time, solved by error A (median of those solved, >= 100 contacts):\n"
           "                      NSGS           NSN_AC         ADMM rho 1     ADMM rho tr    any\n"
           "all, 1e-4             94 %%           86 %%           83 %%           94 %%           "
           "97 %%\n"
           "all, 1e-8             85 %%           74 %%           70 %%           66 %%           "
           "91 %%\n"
           ">= 100, 1e-4          93 %%, 42 ms    73 %%, 100 ms   81 %%, 50 ms    90 %%, 80 ms    "
           "94 %%\n"
           ">= 100, 1e-8          76 %%, 460 ms   57 %%, 130 ms   57 %%, 270 ms   43 %%, 250 ms   "
           "85 %%\n"
           "these, no pyr., 1e-8  88 %%           76 %%           72 %%                          "
           "96 %%\n");
}

// ---- The run -------------------------------------------------------------------------------------

static void bench_problem(bench *b, problem *p)
{
    char path[4096];
    pawl_env env = pawl_env_default();
    pawl_contact_problem *read;
    snprintf(path, sizeof path, "%s/%s", b->folder, p->name);
    if (pawl_fclib_read(&env, path, &read) != PAWL_OK) {
        printf("%-44.44s cannot be read\n", p->name);
        return;
    }
    p->contacts = pawl_contact_problem_count(read);
    for (int t = b->first_tolerance; t < TOLERANCES; ++t) {
        for (int m = 0; m < b->method_count; ++m) {
            const outcome *before = &p->results[0][m];
            bool hopeless = t > b->first_tolerance && !before->done; // out of time at 1e-4 already
            p->results[t][m] =
                hopeless ? *before : bench_solve(read, &b->methods[m], tolerances[t], b->limit);
        }
    }
    pawl_contact_problem_destroy(read);
    bench_print_row(b, p);
}

static int bench_usage(const char *program)
{
    fprintf(stderr,
            "usage: %s [--problems DIR] [--solvers a,b,siconos] [--limit SECONDS] [--quick]\n"
            "--limit is 2 s of processor time unless given; published figures are for 10 s\n"
            "--quick: 1e-8 alone, 1 s each\n",
            program);
    return 2;
}

int main(int argc, char **argv)
{
    static bench b = {.folder = "../shared/fclib", .limit = 2.0};
    for (int i = 1; i < argc; ++i) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--problems") == 0 && more) {
            b.folder = argv[++i];
        } else if (strcmp(argv[i], "--solvers") == 0 && more) {
            b.solvers = argv[++i];
        } else if (strcmp(argv[i], "--limit") == 0 && more) {
            b.limit = atof(argv[++i]);
        } else if (strcmp(argv[i], "--quick") == 0) {
            b.limit = 1.0;
            b.first_tolerance = TOLERANCES - 1;
        } else {
            return bench_usage(argv[0]);
        }
    }
    if (!(b.limit > 0.0)) {
        return bench_usage(argv[0]);
    }
    setenv("OPENBLAS_NUM_THREADS", "1", 1); // Siconos' linear algebra
    setenv("OMP_NUM_THREADS", "1", 1);
    bench_methods(&b);
    if (!bench_list(&b)) {
        printf("no problems in '%s': using tests/data/fclib\n", b.folder);
        b.folder = "tests/data/fclib";
        if (!bench_list(&b)) {
            fprintf(stderr, "no problems there either\n");
            return 2;
        }
    }
    printf("%d problems of %s, %g s of processor time each\n", b.problem_count, b.folder, b.limit);
#if defined(BENCH_WITH_SICONOS)
    printf("Siconos is measured beside\n");
#else
    printf("Siconos is not installed (Debian: libsiconos-numerics-dev)\n");
#endif
    bench_print_head(&b);
    for (int i = 0; i < b.problem_count; ++i) {
        bench_problem(&b, &b.problems[i]);
    }
    for (int t = b.first_tolerance; t < TOLERANCES; ++t) {
        bench_print_successes(&b, t);
    }
    bench_print_published();
    return 0;
}
