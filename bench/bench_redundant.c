// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Overconstrained mechanisms from files with few digits. Random ones, each written with 4 to 17 digits
// and run with several steps and steppers, are compared with the motion from 17 digits: mechanisms that do not move,
// gain energy or have an untrue verdict, and the distance between the motions.
#include "base/thread_pool.h"
#include "options.h"
#include "redundant_table.h"
#include "support/linkage_motion.h"
#include "support/linkage_random.h"
#include "support/linkage_zoo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double redundant_time = 1.0;      // [s]
static const double redundant_interval = 0.05; // between compared positions [s]
static const double redundant_jog = 1e-5;      // by which masses and gravity are changed
// A motion is off where it is further away than this times what masses and gravity that are known to
// as many digits as the file explain.
static const double redundant_off = 300.0;
static const double redundant_stated = 3.0; // times what the verdict states of singular positions

static const int redundant_digits[] = {4, 5, 6, 7, 9, 17};
static const double redundant_steps[] = {1e-3, 5e-3, 1e-2}; // [s]
enum {
    REDUNDANT_DIGITS = 6,
    REDUNDANT_STEPS = 3,
    REDUNDANT_MAX_STEPPERS = 4,
    REDUNDANT_LISTED = 400
};

typedef struct redundant_run {
    bool refused, frozen, exploded, lost, off, within, stated, fine, untrue, untrue_at_all, alarm;
    double distance; // from the motion of 17 digits [m]
    double relative; // that by what masses and gravity of so many digits explain
    char message[120];
} redundant_run;

typedef struct redundant_bench {
    const bench_options *options;
    int count, stepper_count;
    uint64_t seed;
    pawl_stepper_kind steppers[REDUNDANT_MAX_STEPPERS];
    pawl_settings settings;
    redundant_run *runs; // (count x steppers x steps x digits)
    char (*names)[64];   // (count)
    int done;
} redundant_bench;

static redundant_run *redundant_at(const redundant_bench *b, int item, int stepper, int step,
                                   int digits)
{
    return &b->runs[((item * b->stepper_count + stepper) * REDUNDANT_STEPS + step) *
                        REDUNDANT_DIGITS +
                    digits];
}

// What 17 digits do, with the step and with half of it.
typedef struct redundant_reference {
    linkage_motion exact, finer;
    double sensitivity; // distance by masses and gravity, over their relative change [m]
    double own;         // distance of the two [m]
} redundant_reference;

static void redundant_judge(redundant_run *r, const linkage_motion *m,
                            const redundant_reference *reference, int digits)
{
    const linkage_motion *exact = &reference->exact;
    r->refused = m->status != PAWL_OK && m->samples == 0;
    r->frozen = linkage_frozen(m, exact);
    r->exploded = !r->refused && linkage_exploded(m, exact);
    r->lost = linkage_lost(m, exact);
    r->distance = linkage_distance(m, exact, m->samples);
    r->relative = r->distance / (reference->sensitivity * pow(10.0, -digits));
    r->off = !(r->relative <= redundant_off);
    r->fine = m->fine;
    bool wrong = r->frozen || r->exploded || r->lost;
    // A verdict promises no more than the step: 17 digits with half of it are as far away. Either may be the
    // better of the two, and a run that is close to one of them is not wrong for being away from the other.
    double nearest =
        fmin(r->distance, linkage_distance(m, &reference->finer, reference->finer.samples));
    r->within = r->off && nearest <= reference->own;
    // Nor more than it states: that a singular position was passed, and how far bodies were moved there.
    r->stated = r->off && !r->within && nearest <= redundant_stated * m->verdict.settled;
    bool bad = wrong || (r->off && !r->within && !r->stated);
    r->untrue = m->fine && bad;
    r->untrue_at_all = m->fine && (wrong || r->off);
    r->alarm = !m->fine && !bad && !r->refused && exact->fine;
    snprintf(r->message, sizeof r->message, "%.110s", m->message);
}

static void redundant_settings(const redundant_bench *b, int stepper, int step,
                               pawl_settings *settings)
{
    *settings = b->settings;
    settings->stepper = b->steppers[stepper];
    settings->dt = redundant_steps[step];
}

static void redundant_item(void *user, int worker, int item)
{
    (void)worker;
    redundant_bench *b = user;
    linkage l, other;
    linkage_random(&l, b->seed + (uint64_t)item);
    snprintf(b->names[item], sizeof b->names[item], "%s", l.name);
    other = l;
    uint64_t seed = b->seed;
    linkage_disturb(&other, redundant_jog, &seed);
    for (int s = 0; s < b->stepper_count; ++s) {
        for (int k = 0; k < REDUNDANT_STEPS; ++k) {
            pawl_settings settings;
            redundant_settings(b, s, k, &settings);
            redundant_reference with = {0};
            with.exact =
                linkage_run(&l, LINKAGE_EXACT, &settings, redundant_time, redundant_interval);
            linkage_motion jogged =
                linkage_run(&other, LINKAGE_EXACT, &settings, redundant_time, redundant_interval);
            pawl_settings half = settings;
            half.dt *= 0.5;
            with.finer = linkage_run(&l, LINKAGE_EXACT, &half, redundant_time, redundant_interval);
            const linkage_motion *exact = &with.exact;
            with.own = linkage_distance(&with.finer, exact, exact->samples);
            with.sensitivity = linkage_distance(&jogged, exact, exact->samples) / redundant_jog;
            for (int d = 0; d < REDUNDANT_DIGITS - 1; ++d) {
                linkage_motion m = linkage_run(&l, redundant_digits[d], &settings, redundant_time,
                                               redundant_interval);
                redundant_judge(redundant_at(b, item, s, k, d), &m, &with, redundant_digits[d]);
                linkage_motion_end(&m);
            }
            redundant_run *last = redundant_at(b, item, s, k, REDUNDANT_DIGITS - 1);
            redundant_judge(last, exact, &with, LINKAGE_EXACT);
            last->exploded = exact->gain > 0.25 * exact->kinetic_max || exact->status != PAWL_OK;
            last->lost = exact->loss > 0.25 * exact->kinetic_max;
            last->untrue = last->untrue_at_all = exact->fine && (last->exploded || last->lost);
            linkage_motion_end(&with.exact);
            linkage_motion_end(&with.finer);
            linkage_motion_end(&jogged);
        }
    }
    bench_progress(__atomic_add_fetch(&b->done, 1, __ATOMIC_RELAXED), b->count, "linkages",
                   b->names[item]);
}

static int redundant_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

static double redundant_quantile(double *sorted, int count, double q)
{
    return count > 0 ? sorted[(int)fmin(count - 1, floor(q * count))] : NAN;
}

typedef struct redundant_sum {
    int runs, refused, frozen, exploded, lost, off, within, stated, untrue, untrue_at_all, alarm;
    double median, tenth, largest, relative_tenth, relative_largest;
} redundant_sum;

// Over all linkages, and over steppers and steps where these are negative.
static redundant_sum redundant_add_up(const redundant_bench *b, int stepper, int step, int digits)
{
    redundant_sum sum = {0};
    int most = b->count * b->stepper_count * REDUNDANT_STEPS;
    double *distance = calloc((size_t)most, sizeof *distance),
           *relative = calloc((size_t)most, sizeof *relative);
    if (distance == NULL || relative == NULL) {
        abort();
    }
    for (int i = 0; i < b->count; ++i) {
        for (int s = 0; s < b->stepper_count; ++s) {
            for (int k = 0; k < REDUNDANT_STEPS; ++k) {
                if ((stepper >= 0 && s != stepper) || (step >= 0 && k != step)) {
                    continue;
                }
                const redundant_run *r = redundant_at(b, i, s, k, digits);
                distance[sum.runs] = r->distance;
                relative[sum.runs++] = isnan(r->relative) ? INFINITY : r->relative;
                sum.refused += r->refused, sum.frozen += r->frozen, sum.exploded += r->exploded;
                sum.lost += r->lost, sum.off += r->off, sum.within += r->within,
                    sum.stated += r->stated, sum.untrue += r->untrue;
                sum.untrue_at_all += r->untrue_at_all;
                sum.alarm += r->alarm;
            }
        }
    }
    qsort(distance, (size_t)sum.runs, sizeof *distance, redundant_compare);
    qsort(relative, (size_t)sum.runs, sizeof *relative, redundant_compare);
    sum.median = redundant_quantile(distance, sum.runs, 0.5);
    sum.tenth = redundant_quantile(distance, sum.runs, 0.9);
    sum.largest = redundant_quantile(distance, sum.runs, 1.0);
    sum.relative_tenth = redundant_quantile(relative, sum.runs, 0.9);
    sum.relative_largest = redundant_quantile(relative, sum.runs, 1.0);
    free(distance);
    free(relative);
    return sum;
}

static void redundant_print_row(const char *who, double dt, int digits, const redundant_sum *s)
{
    char step[16] = "all";
    if (dt > 0.0) {
        snprintf(step, sizeof step, "%g", 1e3 * dt);
    }
    printf("%-8s%6s%8d%6d%9d%8d%8d%7d%6d%8d%8d%8d%8d%7d%11.1e%10.1e%10.1e%10.1e%10.1e\n", who, step,
           digits, s->runs, s->refused, s->frozen, s->exploded, s->lost, s->off, s->within,
           s->stated, s->untrue_at_all, s->untrue, s->alarm, s->median, s->tenth, s->largest,
           s->relative_tenth, s->relative_largest);
}

static json_t *redundant_print(const redundant_bench *b, int *bad)
{
    printf("%-8s%6s%8s%6s%9s%8s%8s%7s%6s%8s%8s%8s%8s%7s%11s%10s%10s%10s%10s\n", "stepper", "ms",
           "digits", "runs", "refused", "frozen", "explode", "lose", "off", "within", "stated",
           "untrue0", "untrue", "alarm", "median m", "90 %", "max", "rel 90 %", "rel max");
    json_t *rows = json_array();
    for (int s = -1; s < b->stepper_count; ++s) {
        for (int k = s < 0 ? -1 : 0; k < (s < 0 ? 0 : REDUNDANT_STEPS); ++k) {
            for (int d = 0; d < REDUNDANT_DIGITS; ++d) {
                redundant_sum sum = redundant_add_up(b, s, k, d);
                const char *who = s < 0 ? "all" : pawl_stepper_name((int)b->steppers[s]);
                redundant_print_row(who, k < 0 ? 0.0 : redundant_steps[k], redundant_digits[d],
                                    &sum);
                json_array_append_new(
                    rows,
                    json_pack("{s:s, s:o, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:o}",
                              "stepper", who, "dt",
                              k < 0 ? json_null() : json_real(redundant_steps[k]), "digits",
                              redundant_digits[d], "runs", sum.runs, "refused", sum.refused,
                              "frozen", sum.frozen, "exploding", sum.exploded, "losing", sum.lost,
                              "untrue", sum.untrue, "untrue_at_all", sum.untrue_at_all, "median",
                              bench_number(sum.median), "tenth", bench_number(sum.tenth), "largest",
                              bench_number(sum.largest)));
                if (s < 0) {
                    *bad += sum.refused + sum.frozen + sum.exploded + sum.untrue;
                }
            }
        }
        printf("\n");
    }
    return rows;
}

static void redundant_list(const redundant_bench *b)
{
    int listed = 0;
    for (int i = 0; i < b->count; ++i) {
        for (int s = 0; s < b->stepper_count; ++s) {
            for (int k = 0; k < REDUNDANT_STEPS; ++k) {
                for (int d = 0; d < REDUNDANT_DIGITS; ++d) {
                    const redundant_run *r = redundant_at(b, i, s, k, d);
                    if (!(r->refused || r->frozen || r->exploded || r->lost || r->untrue_at_all ||
                          r->alarm)) {
                        continue;
                    }
                    if (listed++ < REDUNDANT_LISTED || b->count == 1) {
                        printf("seed %llu %s, %d digits, %s %g ms:%s%s%s%s%s%s%s%s%s %.2e m (%.1e) "
                               "%s\n",
                               (unsigned long long)(b->seed + (uint64_t)i), b->names[i],
                               redundant_digits[d], pawl_stepper_name((int)b->steppers[s]),
                               1e3 * redundant_steps[k], r->refused ? " refused" : "",
                               r->frozen ? " frozen" : "", r->exploded ? " explodes" : "",
                               r->lost ? " loses energy" : "", r->off ? " off" : "",
                               r->untrue_at_all ? r->untrue ? " UNTRUE" : " untrue0" : "",
                               r->within ? " (within)" : "", r->stated ? " (stated)" : "",
                               r->alarm ? " false alarm" : "", r->distance, r->relative,
                               r->fine ? "" : r->message);
                    }
                }
            }
        }
    }
    if (listed > REDUNDANT_LISTED) {
        printf("... and %d more\n", listed - REDUNDANT_LISTED);
    }
}

// ---- options -------------------------------------------------------------------------------------

enum { REDUNDANT_TABLE = 1, REDUNDANT_RANDOM = 2 };

static const char redundant_usage[] =
    "  --count N      random linkages (300)\n"
    "  --seed N       of the first of them (1)\n"
    "  --threads N    that run linkages (2)\n"
    "  --steppers A,B those to run (euler,moreau)\n"
    "  --set KEY=VALUE  a setting, as of `pawl run`; may be repeated\n"
    "  --table        mechanisms of the textbooks alone; --random: random ones alone\n"
    "  --print N      the file of linkage --seed, or of the textbooks' --scene, with N digits, "
    "for\n"
    "                 `pawl run`; nothing else\n";

static void redundant_steppers(redundant_bench *b, const char *list)
{
    b->stepper_count = 0;
    for (int k = 0; k < PAWL_STEPPER_COUNT; ++k) {
        const char *name = pawl_stepper_name(k), *at = strstr(list, name);
        size_t length = strlen(name);
        if (at != NULL && (at == list || at[-1] == ',') &&
            (at[length] == '\0' || at[length] == ',') &&
            b->stepper_count < REDUNDANT_MAX_STEPPERS) {
            b->steppers[b->stepper_count++] = (pawl_stepper_kind)k;
        }
    }
}

static void redundant_say(void *user, pawl_log_level level, const char *message)
{
    (void)user, (void)level;
    fprintf(stderr, "bench_redundant: %s\n", message);
}

static void redundant_set(redundant_bench *b, const char *pair)
{
    pawl_env env = pawl_env_default();
    env.log = redundant_say;
    char key[64];
    const char *value = strchr(pair, '=');
    if (value == NULL || (size_t)(value - pair) >= sizeof key) {
        fprintf(stderr, "bench_redundant: --set %s: KEY=VALUE expected\n", pair);
        exit(2);
    }
    snprintf(key, sizeof key, "%.*s", (int)(value - pair), pair);
    if (pawl_settings_set(&env, &b->settings, key, value + 1) != PAWL_OK) {
        exit(2);
    }
}

// Takes its own options out of the arguments; the others are those of every benchmark.
static int redundant_parse(redundant_bench *b, int *threads, int *print, int *part, int count,
                           char **arguments)
{
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        const char *name = arguments[i], *value = i + 1 < count ? arguments[i + 1] : "";
        if (strcmp(name, "--count") == 0) {
            b->count = atoi(value), ++i;
        } else if (strcmp(name, "--seed") == 0) {
            b->seed = strtoull(value, NULL, 10), ++i;
        } else if (strcmp(name, "--threads") == 0) {
            *threads = atoi(value), ++i;
        } else if (strcmp(name, "--steppers") == 0) {
            redundant_steppers(b, value), ++i;
        } else if (strcmp(name, "--set") == 0) {
            redundant_set(b, value), ++i;
        } else if (strcmp(name, "--print") == 0) {
            *print = atoi(value), ++i;
        } else if (strcmp(name, "--table") == 0 || strcmp(name, "--random") == 0) {
            *part = name[2] == 't' ? REDUNDANT_TABLE : REDUNDANT_RANDOM;
        } else {
            if (strcmp(name, "--help") == 0) {
                fputs(redundant_usage, stdout);
            }
            arguments[kept++] = arguments[i];
        }
    }
    return kept;
}

static json_t *redundant_run_all(redundant_bench *b, int threads, int *bad)
{
    size_t runs = (size_t)(b->count * b->stepper_count * REDUNDANT_STEPS * REDUNDANT_DIGITS);
    b->runs = calloc(runs, sizeof *b->runs);
    b->names = calloc((size_t)b->count, sizeof *b->names);
    pawl_env env = pawl_env_default();
    thread_pool *pool;
    if (b->runs == NULL || b->names == NULL ||
        pawl_thread_pool_create(&env, threads, &pool) != PAWL_OK) {
        fprintf(stderr, "bench_redundant: no memory\n");
        exit(2);
    }
    printf(
        "pawl %s: %d random overconstrained mechanisms from seed %llu, %g s each\n"
        "  refused, frozen, explode, lose: not run; moves less than a fifth; gains or loses 5 %%\n"
        "    of the largest kinetic energy beyond twice what 17 digits do (of 17 digits: 25 %%)\n"
        "  m    largest distance of a body's centre from the motion of 17 digits, same step\n"
        "  rel  that over what masses, centres and gravity of as many digits explain;\n"
        "  off: rel is above %g; within: of those, no further from 17 digits, with the step or "
        "half\n"
        "    of it, than these two are apart; stated: of the others, no further than %g times what "
        "the\n"
        "    verdict says of singular positions\n"
        "  untrue0: the verdict is fine and one of these is not; untrue: but for within and "
        "stated;\n"
        "  alarm: the verdict is not fine and all of these are\n\n",
        pawl_version(), b->count, (unsigned long long)b->seed, redundant_time, redundant_off,
        redundant_stated);
    pawl_thread_pool_run(pool, b->count, redundant_item, b);
    pawl_thread_pool_destroy(pool);
    json_t *rows = redundant_print(b, bad);
    redundant_list(b);
    free(b->runs);
    free(b->names);
    return rows;
}

int main(int argument_count, char **arguments)
{
    redundant_bench b = {.count = -1, .seed = 1, .settings = pawl_settings_default()};
    redundant_steppers(&b, "euler,moreau");
    int threads = 2, print = 0, part = REDUNDANT_TABLE | REDUNDANT_RANDOM, bad = 0;
    argument_count = redundant_parse(&b, &threads, &print, &part, argument_count, arguments);
    bench_options options =
        bench_parse("bench_redundant", "overconstrained mechanisms from files with few digits",
                    argument_count, arguments);
    b.options = &options;
    b.count = b.count > 0 ? b.count : options.quick ? 3 : 300;
    if (print > 0) {
        linkage l;
        if (options.scene == NULL) {
            linkage_random(&l, b.seed);
        } else if (!zoo_find(&l, options.scene)) {
            fprintf(stderr, "bench_redundant: no mechanism '%s'\n", options.scene);
            return 2;
        }
        char *text = linkage_sdf(&l, print);
        fputs(text, stdout);
        free(text);
        return 0;
    }
    if (b.stepper_count == 0 || threads < 1 || threads > 64) {
        fprintf(stderr, "bench_redundant: a stepper and 1 to 64 threads expected\n");
        return 2;
    }
    json_t *root = json_pack("{s:s, s:i}", "pawl", pawl_version(), "linkages", b.count);
    if ((part & REDUNDANT_TABLE) != 0) {
        json_object_set_new(root, "table", redundant_table(&options, &b.settings, &bad));
    }
    if ((part & REDUNDANT_RANDOM) != 0) {
        json_object_set_new(root, "random", redundant_run_all(&b, threads, &bad));
    }
    return bench_write_json(&options, root) ? (bad > 0 ? 1 : 0) : 2;
}
