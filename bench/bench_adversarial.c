// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Random unrealistic scenes, each in a process of its own: none may crash or hang, none may end with a number that is
// not finite, and none may pass its verdict with an unexplained gain or loss of energy.
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "adversarial_scene.h"
#include "pawl/verdict.h"

static const double adversarial_much = 0.1; // share of the energy that may be gained or unexplained
static const double adversarial_slow = 60.0;  // seconds of CPU time that a step may take
static const double adversarial_patience = 6; // seconds after which a scene is not stepped any more

typedef enum adversarial_end {
    ADVERSARIAL_FINE = 0,   // the verdict passed, and rightly
    ADVERSARIAL_FAILED,     // the verdict says that something failed
    ADVERSARIAL_REFUSED,    // the builder or the simulation refused it
    ADVERSARIAL_STOPPED,    // a step was refused: the state before it is kept
    ADVERSARIAL_UNTRUE,     // the verdict passed, and energy was gained or lost without a reason
    ADVERSARIAL_NOT_FINITE, // a state that is not finite
    ADVERSARIAL_SLOW,       // a step took longer than a minute
    ADVERSARIAL_CRASHED,    // a signal
    ADVERSARIAL_END_COUNT
} adversarial_end;

static const char *const adversarial_names[ADVERSARIAL_END_COUNT] = {
    "passed",
    "not met",
    "refused before the first step",
    "stopped by a step without solution",
    "UNTRUE",
    "NOT FINITE",
    "OVER 60 S A STEP",
    "CRASHED"};

typedef struct adversarial_result {
    adversarial_end end;
    char name[ADVERSARIAL_NAME];
    char why[PAWL_SENTENCE_SIZE];
    double gained, unexplained; // over the energy turned over
    double slowest;             // step [s]
    int steps;
} adversarial_result;

typedef struct adversarial_options {
    int count, only, jobs;
    uint64_t seed;
    bool verbose;
} adversarial_options;

// ---- one scene ----------------------------------------------------------------------------------

// CPU time of this process: how busy the machine is does not count.
static double adversarial_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// What can only take energy has given this much.
static double adversarial_given(const pawl_verdict *v)
{
    double sum = 0.0;
    for (int k = 0; k < PAWL_DISSIPATOR_COUNT; ++k) {
        sum += v->work_gain[k];
    }
    return sum;
}

static bool adversarial_is_finite(const pawl_energy *e)
{
    return isfinite(e->kinetic) && isfinite(e->gravity) && isfinite(e->springs) &&
           isfinite(e->balance);
}

static void adversarial_judge(const adversarial_scene *scene, const pawl_verdict *verdict,
                              adversarial_result *out)
{
    pawl_verdict_names names = pawl_model_names(scene->model);
    pawl_verdict_list list = pawl_verdict_judge(verdict, &scene->settings, &names);
    pawl_verdict_sentence(&list, out->why, sizeof out->why);
    double turnover = pawl_verdict_turnover(verdict);
    out->gained = turnover > 0.0 ? adversarial_given(verdict) / turnover : 0.0;
    out->unexplained = pawl_verdict_energy_error(verdict);
    bool much = !(out->gained <= adversarial_much) || !(out->unexplained <= adversarial_much);
    out->end = list.judgement == PAWL_FAILED ? ADVERSARIAL_FAILED
               : much                        ? ADVERSARIAL_UNTRUE
                                             : ADVERSARIAL_FINE;
}

static void adversarial_run(const pawl_env *env, adversarial_scene *scene, adversarial_result *out)
{
    pawl_sim *sim = NULL;
    out->end = ADVERSARIAL_REFUSED;
    if (scene->model == NULL ||
        pawl_sim_create(env, scene->model, &scene->settings, &sim) != PAWL_OK) {
        return;
    }
    pawl_verdict verdict = pawl_verdict_begin(pawl_sim_state(sim));
    double begin = adversarial_now(), before = begin;
    pawl_status status = PAWL_OK;
    bool finite = true;
    while (out->steps < scene->steps && before - begin < adversarial_patience) {
        pawl_step_report report;
        status = pawl_sim_step(sim, &report);
        if (status != PAWL_OK) {
            break;
        }
        pawl_verdict_add(&verdict, &report);
        finite = finite && adversarial_is_finite(&report.energy);
        double now = adversarial_now();
        out->slowest = fmax(out->slowest, now - before);
        before = now;
        ++out->steps;
    }
    double time = pawl_state_time(pawl_sim_state(sim));
    pawl_verdict_end(&verdict, status == PAWL_OK ? PAWL_RUN_DONE : PAWL_RUN_STEP_FAILED, time,
                     time);
    if (status != PAWL_OK) {
        out->end = ADVERSARIAL_STOPPED;
    } else {
        adversarial_judge(scene, &verdict, out);
    }
    out->end = finite ? out->end : ADVERSARIAL_NOT_FINITE;
    pawl_sim_destroy(sim);
}

static void adversarial_child(const adversarial_options *o, int index, int pipe_end)
{
    pawl_env env = pawl_env_default();
    env.log = o->verbose ? env.log : NULL;
    adversarial_scene scene;
    adversarial_result result = {0};
    adversarial_scene_make(&env, o->seed, index, &scene);
    snprintf(result.name, sizeof result.name, "%s", scene.name);
    // What is known so far, for those that do not come back.
    result.end = ADVERSARIAL_CRASHED;
    bool reported = write(pipe_end, &result, sizeof result) == (ssize_t)sizeof result;
    adversarial_run(&env, &scene, &result);
    reported = reported && write(pipe_end, &result, sizeof result) == (ssize_t)sizeof result;
    pawl_model_destroy(scene.model);
    _exit(reported ? 0 : 1);
}

// ---- all of them --------------------------------------------------------------------------------

typedef struct adversarial_job {
    pid_t pid;
    int index, pipe_end;
    adversarial_result result;
} adversarial_job;

static void adversarial_start(const adversarial_options *o, int index, adversarial_job *job)
{
    int ends[2];
    *job = (adversarial_job){.index = index};
    fflush(NULL);
    if (pipe(ends) != 0 || (job->pid = fork()) < 0) {
        perror("bench_adversarial");
        exit(2);
    }
    if (job->pid == 0) {
        rlim_t most = (rlim_t)(adversarial_slow + adversarial_patience);
        (void)setrlimit(RLIMIT_CPU, &(struct rlimit){most, most + 1}); // ends it by SIGXCPU
        close(ends[0]);
        adversarial_child(o, index, ends[1]);
    }
    close(ends[1]);
    job->pipe_end = ends[0];
}

static void adversarial_finish(adversarial_job *job, bool killed)
{
    adversarial_result part;
    while (read(job->pipe_end, &part, sizeof part) == (ssize_t)sizeof part) {
        job->result = part;
    }
    close(job->pipe_end);
    if (killed) {
        job->result.end = ADVERSARIAL_SLOW;
    }
    job->pid = 0;
}

// Waits for a job that ends, or is too slow. Returns it.
static adversarial_job *adversarial_wait(adversarial_job *jobs, int count)
{
    for (;;) {
        for (int i = 0; i < count; ++i) {
            adversarial_job *job = &jobs[i];
            int status;
            if (job->pid == 0) {
                continue;
            }
            pid_t ended = waitpid(job->pid, &status, WNOHANG);
            if (ended == job->pid) {
                adversarial_finish(job, WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);
                return job;
            }
        }
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
}

static bool adversarial_is_bad(adversarial_end end)
{
    return end >= ADVERSARIAL_UNTRUE;
}

static void adversarial_print(const adversarial_job *job)
{
    const adversarial_result *r = &job->result;
    printf("  %4d %-12s %s\n       %d steps, slowest %.2g s, gained %.2g, unexplained %.2g\n",
           job->index, adversarial_names[r->end], r->name, r->steps, r->slowest, r->gained,
           r->unexplained);
    if (r->why[0] != '\0') {
        printf("       %.300s\n", r->why);
    }
}

static adversarial_options adversarial_parse(int count, char **arguments)
{
    adversarial_options o = {.count = 1000, .only = -1, .jobs = 2, .seed = 1};
    for (int i = 1; i < count; ++i) {
        const char *a = arguments[i], *value = i + 1 < count ? arguments[i + 1] : NULL;
        if (strcmp(a, "--verbose") == 0) {
            o.verbose = true;
        } else if (strcmp(a, "--quick") == 0) {
            o.count = 100;
        } else if (value != NULL && strcmp(a, "--count") == 0) {
            o.count = atoi(value), ++i;
        } else if (value != NULL && strcmp(a, "--seed") == 0) {
            o.seed = strtoull(value, NULL, 10), ++i;
        } else if (value != NULL && strcmp(a, "--only") == 0) {
            o.only = atoi(value), ++i;
        } else if (value != NULL && strcmp(a, "--jobs") == 0) {
            o.jobs = atoi(value) < 1 ? 1 : atoi(value) > 16 ? 16 : atoi(value), ++i;
        } else {
            fprintf(
                stderr,
                "usage: bench_adversarial [--count N] [--seed S] [--only K] [--jobs N] [--quick] "
                "[--verbose]\n\nruns N random adversarial scenes (1000), or scene K alone; ends "
                "with 1 if one of them\ncrashes, hangs, ends with numbers that are not finite, or "
                "passes its verdict\nalthough more than 10 %% of the energy was gained or is "
                "unexplained\n");
            exit(2);
        }
    }
    return o;
}

int main(int count, char **arguments)
{
    adversarial_options o = adversarial_parse(count, arguments);
    int totals[ADVERSARIAL_END_COUNT] = {0}, bad = 0, running = 0;
    int next = o.only >= 0 ? o.only : 0, last = o.only >= 0 ? o.only + 1 : o.count;
    adversarial_job jobs[16] = {0};
    double slowest = 0.0, gained = 0.0, unexplained = 0.0;
    printf("adversarial scenes, seed %llu, %d to %d\n", (unsigned long long)o.seed, next, last - 1);
    while (next < last || running > 0) {
        for (int i = 0; i < o.jobs && next < last; ++i) {
            if (jobs[i].pid == 0) {
                adversarial_start(&o, next++, &jobs[i]);
                ++running;
            }
        }
        const adversarial_job *job = adversarial_wait(jobs, o.jobs);
        const adversarial_result *r = &job->result;
        --running;
        ++totals[r->end];
        bad += adversarial_is_bad(r->end);
        slowest = fmax(slowest, r->slowest);
        if (r->end == ADVERSARIAL_FINE) {
            gained = fmax(gained, r->gained);
            unexplained = fmax(unexplained, r->unexplained);
        }
        if (adversarial_is_bad(r->end) || o.verbose || o.only >= 0) {
            adversarial_print(job);
        }
    }
    for (int i = 0; i < ADVERSARIAL_END_COUNT; ++i) {
        printf("%6d %s\n", totals[i], adversarial_names[i]);
    }
    printf(
        "slowest step %.3g s; of those that passed, most energy gained %.2g, unexplained %.2g of "
        "what was turned over\n",
        slowest, gained, unexplained);
    return bad > 0 ? 1 : 0;
}
