// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// One line on stderr, redrawn in place: fraction done, bar, simulated time, time left, speed and the worst residual
// so far, so that a run that goes wrong can be stopped early.
#include "progress.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "timing.h"

static const double progress_interval = 0.1; // [s]

progress progress_begin(console *con, int64_t first_step, int64_t last_step, double end_time)
{
    const char *terminal = getenv("TERM");
    return (progress){
        .con = con,
        .enabled = !con->quiet && last_step > first_step && isatty(STDERR_FILENO) == 1 &&
                   terminal != NULL && strcmp(terminal, "dumb") != 0,
        .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
        .first_step = first_step,
        .last_step = last_step,
        .end_time = end_time,
        .begun = timing_now(),
    };
}

static int progress_columns(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return size.ws_col;
    }
    return 80;
}

// "0:07", "12:34" or "3:05:00".
static void progress_duration(double seconds, char *text, size_t size)
{
    double most = 359999.0; // 99:59:59
    int total = (int)((seconds < most ? seconds : most) + 0.5);
    if (total >= 3600) {
        snprintf(text, size, "%d:%02d:%02d", total / 3600, total / 60 % 60, total % 60);
    } else {
        snprintf(text, size, "%d:%02d", total / 60, total % 60);
    }
}

static void progress_rate(double rate, char *text, size_t size)
{
    if (rate >= 1e6) {
        snprintf(text, size, "%.3gM", rate * 1e-6);
    } else if (rate >= 1e3) {
        snprintf(text, size, "%.3gk", rate * 1e-3);
    } else {
        snprintf(text, size, "%.3g", rate);
    }
}

// Share and bar, then a text with the time left in it.
static void progress_draw(progress *p, double now, int64_t step, const char *before_eta,
                          const char *after_eta)
{
    double elapsed = now - p->begun;
    double done = (double)(step - p->first_step);
    double all = (double)(p->last_step - p->first_step);
    double fraction = done / all;
    char eta[16], right[192];
    progress_duration(done > 0.0 ? elapsed / done * (all - done) : 0.0, eta, sizeof eta);
    int used = snprintf(right, sizeof right, " %sETA %s  %s", before_eta, eta, after_eta);
    // What is left of the line is the bar; on a narrow terminal the text is cut instead.
    int columns = progress_columns() - 1;
    int cells = columns - used - 6;
    cells = cells < 40 ? cells : 40;
    cells = cells < 4 ? 0 : cells;
    // Composed first and written at once, or the bar would flicker.
    char line[512];
    size_t length = (size_t)snprintf(line, sizeof line, "\r%4.0f%% ", 100.0 * fraction);
    int full = (int)(fraction * cells);
    for (int i = 0; i < cells; ++i) {
        const char *cell = p->utf8 ? (i < full ? "\u2588" : "\u2591") : (i < full ? "#" : ".");
        length += (size_t)snprintf(line + length, sizeof line - length, "%s", cell);
    }
    int room = columns - cells - 6;
    length += (size_t)snprintf(line + length, sizeof line - length, "%.*s\033[K",
                               room > 0 ? room : 0, right);
    fwrite(line, 1, length, stderr);
    p->con->bar_shown = true;
    p->drawn = now;
}

static bool progress_due(const progress *p, double now)
{
    return p->enabled && now - p->drawn >= progress_interval;
}

void progress_update(progress *p, double now, int64_t step, double time, double residual)
{
    if (progress_due(p, now)) {
        char clock[48], rate[16], speed[80];
        double elapsed = now - p->begun;
        progress_rate(elapsed > 0.0 ? (double)(step - p->first_step) / elapsed : 0.0, rate,
                      sizeof rate);
        snprintf(clock, sizeof clock, "%.2f/%g s  ", time, p->end_time);
        snprintf(speed, sizeof speed, "%s steps/s  residual %.1e", rate, residual);
        progress_draw(p, now, step, clock, speed);
    }
}

void progress_update_work(progress *p, double now, int64_t step, const char *doing)
{
    if (progress_due(p, now)) {
        progress_draw(p, now, step, "", doing);
    }
}

void progress_end(progress *p)
{
    if (p->con->bar_shown) {
        fputs("\r\033[K", stderr);
        p->con->bar_shown = false;
    }
}
