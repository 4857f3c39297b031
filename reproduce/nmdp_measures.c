// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Statements of the paper about curves, as numbers: a periodic height, a distance that is linear in time, oscillating
// tilts. The paper defines no measure for any of them; the measures used here are named in each claim.
#include "nmdp_setup.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

bool nmdp_is_whole(const nmdp_task *task)
{
    return task->end >= 10.0;
}

double nmdp_period_error(const nmdp_result *r, double period,
                         const double *(*series)(const nmdp_result *result))
{
    const double *y = series(r);
    double low = INFINITY, high = -INFINITY, sum = 0.0;
    int count = 0, shift = 0;
    while (shift < r->samples && r->time[shift] < period * (1.0 - 1e-9)) {
        ++shift;
    }
    for (int i = 0; i < r->samples; ++i) {
        low = fmin(low, y[i]);
        high = fmax(high, y[i]);
        if (i >= 2 * shift) { // the first period begins from rest
            sum += fabs(y[i] - y[i - shift]);
            ++count;
        }
    }
    return count > 0 && r->end != NMDP_EXPLODES ? sum / count / (high - low) : NAN;
}

double nmdp_line_error(const nmdp_result *r)
{
    double n = r->samples, t = 0.0, x = 0.0, tt = 0.0, tx = 0.0, worst = 0.0;
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < r->samples; ++i) {
        t += r->time[i];
        x += r->x[i];
        tt += r->time[i] * r->time[i];
        tx += r->time[i] * r->x[i];
        low = fmin(low, r->x[i]);
        high = fmax(high, r->x[i]);
    }
    double slope = (n * tx - t * x) / (n * tt - t * t), start = (x - slope * t) / n;
    for (int i = 0; i < r->samples; ++i) {
        worst = fmax(worst, fabs(r->x[i] - start - slope * r->time[i]));
    }
    return r->end != NMDP_EXPLODES ? worst / (high - low) : NAN;
}

double nmdp_path_error(const nmdp_result *r, const nmdp_result *reference)
{
    double sum = 0.0;
    int count = r->samples < reference->samples ? r->samples : reference->samples;
    for (int i = 0; i < count; ++i) {
        sum += hypot(r->x[i] - reference->x[i], r->height[i] - reference->height[i]);
    }
    return r->end == NMDP_STANDS ? sum / count : INFINITY;
}

double nmdp_worst_tilt(const nmdp_result *results, int count, double from, double to)
{
    double worst = 0.0;
    for (int k = 0; k < count; ++k) {
        bool counts = results[k].dt >= from && results[k].dt <= to;
        worst = counts && results[k].end != NMDP_EXPLODES ? fmax(worst, results[k].tilt) : worst;
    }
    return worst;
}

void nmdp_claim(pawl_study *study, const char *unit, double value, pawl_relation relation,
                double limit, const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pawl_study_add_claim(study, text, unit, value, relation, limit);
}
