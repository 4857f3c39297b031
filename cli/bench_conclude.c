// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Profiles and sentences. Only the form of the sentences is fixed: names and numbers come from the data, and
// sentences that the data do not support are omitted.
#include "bench_conclude.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONCLUDE_DECADE = 6 };            // the accuracy that sentences speak of: 1e-6 m/s
static const double conclude_most = 1e3; // tau of the area

static int conclude_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// NaN for none. Sorts.
static double conclude_quantile(double *values, int count, double share)
{
    if (count == 0) {
        return NAN;
    }
    qsort(values, (size_t)count, sizeof *values, conclude_compare);
    return values[(int)fmin(floor(share * count), count - 1)];
}

static bool conclude_takes(const bench_data *d, int sample, int category)
{
    return bench_is_done(d, sample) &&
           (category == BENCH_ALL || (int)d->samples[sample].properties.category == category);
}

// Time of the fastest solver on a sample, INFINITY for none.
static double conclude_fastest(const bench_data *d, int sample, int decade)
{
    double least = INFINITY;
    for (int i = 0; i < d->entries.count; ++i) {
        least = fmin(least, bench_time_to(bench_cell_at(d, sample, i), decade));
    }
    return least;
}

static void conclude_add(const bench_data *d, int sample, int entry, int decade, double fastest,
                         bench_score *s)
{
    double time = bench_time_to(bench_cell_at(d, sample, entry), decade);
    s->tried += 1;
    if (!isfinite(time)) {
        return;
    }
    // A solver that takes no time at all (nothing to do) is as fast as the fastest.
    double ratio = fastest > 0.0 ? time / fastest : 1.0;
    s->solved += 1.0;
    s->best += ratio <= 1.0 ? 1.0 : 0.0;
    s->near += ratio <= 2.0 ? 1.0 : 0.0;
    s->area += fmax(0.0, 1.0 - log(ratio) / log(conclude_most));
}

// Medians of the answers of an entry; values is scratch (samples).
static void conclude_medians(const bench_data *d, int category, int entry, int decade,
                             double *values, bench_score *s)
{
    struct {
        double *to;
        double share;
    } what[] = {{&s->median, 0.5},       {&s->residual, 0.5}, {&s->penetration, 0.5},
                {&s->sensitivity, 0.95}, {&s->jump, 0.5},     {&s->iterations, 0.5}};
    for (int k = 0; k < (int)(sizeof what / sizeof what[0]); ++k) {
        int count = 0;
        for (int i = 0; i < d->sample_count; ++i) {
            const bench_cell *c = bench_cell_at(d, i, entry);
            if (!conclude_takes(d, i, category) || c->done != 1) {
                continue;
            }
            const double of[] = {bench_time_to(c, decade), c->scaled, c->penetration,
                                 c->sensitivity,           c->jump,   (double)c->iterations};
            if (isfinite(of[k])) {
                values[count++] = of[k];
            }
        }
        *what[k].to = conclude_quantile(values, count, what[k].share);
    }
}

int bench_scores(const bench_data *d, int category, int decade, bench_score *scores)
{
    int samples = 0;
    memset(scores, 0, (size_t)d->entries.count * sizeof *scores);
    for (int i = 0; i < d->sample_count; ++i) {
        if (!conclude_takes(d, i, category)) {
            continue;
        }
        ++samples;
        double fastest = conclude_fastest(d, i, decade);
        for (int e = 0; e < d->entries.count; ++e) {
            if (bench_cell_at(d, i, e)->done == 1) {
                conclude_add(d, i, e, decade, fastest, &scores[e]);
            }
        }
    }
    double *values = malloc(((size_t)d->sample_count + 1) * sizeof *values);
    for (int e = 0; e < d->entries.count; ++e) {
        bench_score *s = &scores[e];
        double tried = s->tried > 0 ? s->tried : 1;
        s->solved /= tried;
        s->best /= tried;
        s->near /= tried;
        s->area /= tried;
        if (values != NULL) {
            conclude_medians(d, category, e, decade, values, s);
        }
    }
    free(values);
    return samples;
}

int bench_best(const bench_data *d, const bench_score *scores)
{
    int best = -1, most = 0;
    for (int e = 0; e < d->entries.count; ++e) {
        most = scores[e].tried > most ? scores[e].tried : most;
    }
    for (int e = 0; e < d->entries.count; ++e) {
        // One that does not take all of these samples is no answer for them.
        if (scores[e].tried == most && scores[e].solved > 0.0 &&
            (best < 0 || scores[e].area > scores[best].area)) {
            best = e;
        }
    }
    return best;
}

// ---- Sentences -----------------------------------------------------------------------------------

__attribute__((format(printf, 2, 3))) static void conclude_say(bench_conclusions *out,
                                                               const char *format, ...)
{
    if (out->count == BENCH_CONCLUSIONS) {
        return;
    }
    va_list list;
    va_start(list, format);
    vsnprintf(out->text[out->count++], BENCH_SENTENCE, format, list);
    va_end(list);
}

static int conclude_most_solved(const bench_data *d, const bench_score *scores)
{
    int best = -1, most = 0;
    for (int e = 0; e < d->entries.count; ++e) {
        most = scores[e].tried > most ? scores[e].tried : most;
    }
    for (int e = 0; e < d->entries.count; ++e) {
        if (scores[e].tried == most && (best < 0 || scores[e].solved > scores[best].solved)) {
            best = e;
        }
    }
    return best;
}

static void conclude_overall(const bench_data *d, const bench_score *scores, int samples,
                             bench_conclusions *out)
{
    int best = bench_best(d, scores), solved = conclude_most_solved(d, scores);
    conclude_say(out,
                 "%d samples, %d solvers; \"solved\" is a scaled natural map of Coulomb's law of "
                 "1e-%d m/s, from zero, within %d iterations.",
                 samples, d->entries.count, CONCLUDE_DECADE, d->options.max_iterations);
    if (best >= 0 && solved >= 0) {
        const bench_score *b = &scores[best], *s = &scores[solved];
        char more[80] = "";
        if (s->solved > b->solved) {
            snprintf(more, sizeof more, " %s solves most, %.2f %%.", d->entries.list[solved].name,
                     100.0 * s->solved);
        }
        conclude_say(out,
                     "Best over all: %s, largest area under its profile (%.2f): solves %.2f %%, "
                     "fastest on %.0f %%, within twice the fastest on %.0f %%.%s",
                     d->entries.list[best].name, b->area, 100.0 * b->solved, 100.0 * b->best,
                     100.0 * b->near, more);
    }
}

// Solvers whose area differs from the best by less than this are as good: without contacts most do the same elimination.
static const double conclude_equal = 0.03;

// Of the solvers that are as good as the best, the default, if it is one of them; *others counts the rest.
static int conclude_choose(const bench_data *d, const bench_score *scores, int *others)
{
    int best = bench_best(d, scores), kind = (int)pawl_settings_default().solver.kind,
        chosen = best;
    *others = 0;
    for (int e = 0; e < d->entries.count && best >= 0; ++e) {
        bool equal = scores[e].tried == scores[best].tried &&
                     scores[e].area >= scores[best].area - conclude_equal &&
                     scores[e].solved >= scores[best].solved - 0.005;
        chosen = equal && d->entries.list[e].kind == kind && !d->entries.list[e].paper ? e : chosen;
        *others += equal ? 1 : 0;
    }
    *others -= 1;
    return chosen;
}

// What to use for a category of samples.
typedef struct conclude_choice {
    int samples, use, others; // how many of them, the entry (-1: none solves any), as good as it
    double solved, median;
} conclude_choice;

static conclude_choice conclude_category(const bench_data *d, int category, bench_score *scores)
{
    conclude_choice c = {.use = -1};
    c.samples = bench_scores(d, category, CONCLUDE_DECADE, scores);
    c.use = c.samples > 0 ? conclude_choose(d, scores, &c.others) : -1;
    if (c.use >= 0) {
        c.solved = scores[c.use].solved;
        c.median = scores[c.use].median;
    }
    return c;
}

// One sentence for each solver that is the one to use somewhere: the categories, and how it does there.
static void conclude_categories(const bench_data *d, bench_score *scores, bench_conclusions *out)
{
    conclude_choice choices[PAWL_SAMPLE_CATEGORY_COUNT];
    for (int c = 0; c < PAWL_SAMPLE_CATEGORY_COUNT; ++c) {
        choices[c] = conclude_category(d, c, scores);
    }
    for (int e = -1; e < d->entries.count; ++e) {
        char text[BENCH_SENTENCE] = "";
        size_t used = 0;
        for (int c = 0; c < PAWL_SAMPLE_CATEGORY_COUNT; ++c) {
            const conclude_choice *choice = &choices[c];
            if (choice->samples == 0 || choice->use != e || used >= sizeof text) {
                continue;
            }
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s (%d samples",
                                     used > 0 ? "; " : "", pawl_sample_category_name(c),
                                     choice->samples);
            if (e >= 0 && used < sizeof text) {
                used += (size_t)snprintf(text + used, sizeof text - used,
                                         ": %.1f %% solved, median %.3g us", 100.0 * choice->solved,
                                         1e6 * choice->median);
            }
            if (choice->others > 0 && used < sizeof text) {
                used += (size_t)snprintf(text + used, sizeof text - used, ", %d other%s as good",
                                         choice->others, choice->others == 1 ? "" : "s");
            }
            used += used < sizeof text ? (size_t)snprintf(text + used, sizeof text - used, ")") : 0;
        }
        if (used > 0 && e < 0) {
            conclude_say(out, "No solver reaches it on %s.", text);
        } else if (used > 0) {
            conclude_say(out, "Use %s for %s.", d->entries.list[e].name, text);
        }
    }
}

// What pawl made of the published algorithms, in one sentence.
static void conclude_published(const bench_data *d, const bench_score *scores,
                               bench_conclusions *out)
{
    char text[300] = "";
    size_t used = 0;
    for (int e = 0; e < d->entries.count; ++e) {
        for (int o = 0; o < d->entries.count && d->entries.list[e].paper; ++o) {
            bool own =
                d->entries.list[o].kind == d->entries.list[e].kind && !d->entries.list[o].paper;
            if (own && used + 48 < sizeof text) {
                used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %.0f -> %.0f %%",
                                         used > 0 ? ", " : "", d->entries.list[o].name,
                                         100.0 * scores[e].solved, 100.0 * scores[o].solved);
            }
        }
    }
    if (used > 0) {
        conclude_say(out, "As published -> pawl's variant, solved: %s.", text);
    }
}

static void conclude_default(const bench_data *d, const bench_score *scores, bench_conclusions *out)
{
    int kind = (int)pawl_settings_default().solver.kind, own = -1;
    for (int e = 0; e < d->entries.count; ++e) {
        own = d->entries.list[e].kind == kind && !d->entries.list[e].paper ? e : own;
    }
    if (own < 0) {
        return;
    }
    int equal, best = bench_best(d, scores);
    bool agrees = conclude_choose(d, scores, &equal) == own;
    conclude_say(
        out, "The default, %s: solves %.2f %%, within twice the fastest on %.0f %%, area %.2f%s%s.",
        d->entries.list[own].name, 100.0 * scores[own].solved, 100.0 * scores[own].near,
        scores[own].area, agrees ? ": the data agree with it" : "; the data prefer ",
        agrees ? "" : d->entries.list[best].name);
    int missed = 0, others = 0;
    for (int i = 0; i < d->sample_count; ++i) {
        if (conclude_takes(d, i, BENCH_ALL) &&
            !isfinite(bench_time_to(bench_cell_at(d, i, own), CONCLUDE_DECADE))) {
            ++missed;
            others += isfinite(conclude_fastest(d, i, CONCLUDE_DECADE)) ? 1 : 0;
        }
    }
    if (missed > 0) {
        conclude_say(out, "It misses %d samples, of which another solver solves %d.", missed,
                     others);
    }
}

static void conclude_robust(const bench_data *d, const bench_score *scores, bench_conclusions *out)
{
    int calm = -1, wild = -1;
    for (int e = 0; e < d->entries.count; ++e) {
        double s = scores[e].sensitivity;
        if (isfinite(s) && scores[e].solved > 0.5) {
            calm = calm < 0 || s < scores[calm].sensitivity ? e : calm;
            wild = wild < 0 || s > scores[wild].sensitivity ? e : wild;
        }
    }
    if (calm >= 0 && wild >= 0 && calm != wild) {
        conclude_say(out,
                     "Answers follow a small change of v_f by a factor of %.3g (%s) to %.3g (%s), "
                     "95th percentile, of solvers that solve half.",
                     scores[calm].sensitivity, d->entries.list[calm].name, scores[wild].sensitivity,
                     d->entries.list[wild].name);
    }
}

void bench_conclude(const bench_data *d, bench_conclusions *out)
{
    out->count = 0;
    bench_score overall[BENCH_MAX_ENTRIES], scores[BENCH_MAX_ENTRIES];
    int samples = bench_scores(d, BENCH_ALL, CONCLUDE_DECADE, overall);
    if (samples == 0) {
        return;
    }
    conclude_overall(d, overall, samples, out);
    conclude_categories(d, scores, out);
    conclude_published(d, overall, out);
    conclude_default(d, overall, out);
    conclude_robust(d, overall, out);
}
