// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A run may have a handful of events or a million. The first table therefore counts them by kind; the
// second lists those of the beginning, and says what it leaves out.
#include "page/report_events.h"
#include "page/report_contacts.h"
#include <math.h>

enum { EVENTS_BLOCK = 512, EVENTS_LISTED = 200 };

typedef struct events_kind {
    int64_t count;
    double first, last;     // times
    double lowest, highest; // figures
} events_kind;

// Reads all events in blocks and hands each to `visit`.
static pawl_status events_walk(const pawl_record *record,
                               void (*visit)(const recorded_event *event, void *user), void *user)
{
    const size_t bytes = EVENTS_BLOCK * sizeof(recorded_event);
    recorded_event *block = pawl_alloc(record->env, bytes);
    if (block == NULL) {
        return PAWL_FAIL(record->env, PAWL_NO_MEMORY, "no memory for the events of a report");
    }
    pawl_status status = PAWL_OK;
    for (int64_t first = 0; first < record->event_rows && status == PAWL_OK;
         first += EVENTS_BLOCK) {
        int64_t left = record->event_rows - first;
        int count = left < EVENTS_BLOCK ? (int)left : EVENTS_BLOCK;
        status = record_read_events(record, first, count, block);
        for (int i = 0; i < count && status == PAWL_OK; ++i) {
            visit(&block[i], user);
        }
    }
    pawl_free(record->env, block, bytes);
    return status;
}

static void events_count(const recorded_event *event, void *user)
{
    events_kind *k = (events_kind *)user + event->kind;
    if (k->count++ == 0) {
        *k = (events_kind){1, event->time, event->time, event->figure, event->figure};
    }
    k->last = event->time;
    k->lowest = fmin(k->lowest, event->figure);
    k->highest = fmax(k->highest, event->figure);
}

static void events_mark(const recorded_event *event, void *user)
{
    report_plot *plot = user;
    double fraction = (event->time - plot->start) / (plot->end - plot->start);
    if (!(fraction >= 0.0 && fraction <= 1.0)) {
        return; // a resumed recording may begin later; NaN for a single frame
    }
    int at = (int)(fraction * (REPORT_MARKS - 1) + 0.5);
    bool smooth = event->kind >= PAWL_EVENT_TAKEOFF && event->kind <= PAWL_EVENT_REVERSAL;
    plot->marks[at] |= smooth ? REPORT_MARK_TRANSITION : REPORT_MARK_IMPACT;
}

pawl_status report_events_mark(const pawl_record *record, report_plot *plot)
{
    return record->event_rows == 0 ? PAWL_OK : events_walk(record, events_mark, plot);
}

static void events_kinds_table(report_text *page, const events_kind *kinds)
{
    report_add_plain(page,
                     "<h2>Events</h2><div class=\"card\"><p class=\"note\">Found within the steps. "
                     "Plots above carry a tick at the foot for each impact and a shorter one for "
                     "each change between sliding, sticking and open.</p><div class=\"scroll\">"
                     "<table><tr><th>kind</th><th class=\"n\">count</th><th class=\"n\">first [s]"
                     "</th><th class=\"n\">last [s]</th><th>figure</th><th class=\"n\">least</th>"
                     "<th class=\"n\">largest</th></tr>\n");
    for (int k = 0; k < PAWL_EVENT_KIND_COUNT; ++k) {
        if (kinds[k].count == 0) {
            continue;
        }
        report_add(page,
                   "<tr><td>%s</td><td class=\"n\">%lld</td><td class=\"n\">%s</td>"
                   "<td class=\"n\">%s</td>",
                   pawl_event_kind_name((pawl_event_kind)k), (long long)kinds[k].count,
                   report_format(kinds[k].first).text, report_format(kinds[k].last).text);
        report_add(page, "<td>%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td></tr>\n",
                   pawl_event_kind_figure((pawl_event_kind)k), report_format(kinds[k].lowest).text,
                   report_format(kinds[k].highest).text);
    }
    report_add_plain(page, "</table></div></div>\n");
}

static void events_row(report_text *page, const pawl_record *record, const recorded_event *e)
{
    report_add(page, "<tr><td class=\"n\">%.9g</td><td>%s</td><td>", e->time,
               pawl_event_kind_name(e->kind));
    if (e->shape_a >= 0) {
        report_shape_name(page, record, e->shape_a);
        report_add_plain(page, " on ");
        report_shape_name(page, record, e->shape_b);
    } else if (e->joint >= 0) {
        report_add_plain(page, "joint ");
        report_add_escaped(page, record->joints[e->joint].name);
    }
    report_add(page, "</td><td class=\"n\">%s</td><td>%s</td></tr>\n",
               report_format(e->figure).text, pawl_event_kind_figure(e->kind));
}

static pawl_status events_list(report_text *page, const pawl_record *record)
{
    recorded_event events[EVENTS_LISTED];
    int64_t all = record->event_rows;
    int count = all < EVENTS_LISTED ? (int)all : EVENTS_LISTED;
    PAWL_TRY(record_read_events(record, 0, count, events));
    report_add(page,
               "<details class=\"card\"><summary>%s%d of %lld events</summary>"
               "<div class=\"scroll\"><table><tr><th class=\"n\">time [s]</th><th>kind</th>"
               "<th>where</th><th class=\"n\">figure</th><th></th></tr>\n",
               count < all ? "The first " : "", count, (long long)all);
    for (int i = 0; i < count; ++i) {
        events_row(page, record, &events[i]);
    }
    report_add_plain(page, "</table></div></details>\n");
    return PAWL_OK;
}

pawl_status report_events_write(report_text *page, const pawl_record *record)
{
    if (record->event_rows == 0) {
        return PAWL_OK;
    }
    events_kind kinds[PAWL_EVENT_KIND_COUNT] = {{0}};
    PAWL_TRY(events_walk(record, events_count, kinds));
    events_kinds_table(page, kinds);
    return events_list(page, record);
}
