// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A run may have a handful of events or a million. The first table therefore counts them by kind; the second lists
// the first ones and states the number of those omitted.
#include "page/report_events.h"
#include "page/page_json.h"
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

static void events_kinds_table(report_text *page, const events_kind *kinds)
{
    bool first = true;
    for (int k = 0; k < PAWL_EVENT_KIND_COUNT; ++k) {
        if (kinds[k].count == 0) {
            continue;
        }
        report_add(page, "%s{\"kind\":\"%s\",\"count\":%lld,\"first\":%.9g,\"last\":%.9g",
                   first ? "" : ",", pawl_event_kind_name((pawl_event_kind)k),
                   (long long)kinds[k].count, kinds[k].first, kinds[k].last);
        first = false;
        page_json_text_key(page, "figure", pawl_event_kind_figure((pawl_event_kind)k));
        report_add_plain(page, ",\"least\":");
        page_json_number(page, kinds[k].lowest, 6);
        report_add_plain(page, ",\"most\":");
        page_json_number(page, kinds[k].highest, 6);
        report_add_plain(page, "}");
    }
}

static void events_row(report_text *page, const pawl_record *record, const recorded_event *e)
{
    report_add(page, "{\"time\":%.9g,\"kind\":\"%s\",\"where\":", e->time,
               pawl_event_kind_name(e->kind));
    if (e->shape_a >= 0) {
        report_shape_pair(page, record, e->shape_a, e->shape_b);
    } else {
        page_json_string(page, e->joint >= 0 ? record->joints[e->joint].name : "");
    }
    report_add_plain(page, ",\"figure\":");
    page_json_number(page, e->figure, 6);
    page_json_text_key(page, "what", pawl_event_kind_figure(e->kind));
    report_add_plain(page, "}");
}

static pawl_status events_list(report_text *page, const pawl_record *record)
{
    recorded_event events[EVENTS_LISTED];
    int64_t all = record->event_rows;
    int count = all < EVENTS_LISTED ? (int)all : EVENTS_LISTED;
    PAWL_TRY(record_read_events(record, 0, count, events));
    for (int i = 0; i < count; ++i) {
        report_add_plain(page, i > 0 ? "," : "");
        events_row(page, record, &events[i]);
    }
    return PAWL_OK;
}

pawl_status report_events_write(report_text *page, const pawl_record *record)
{
    report_add(page, ",\"events\":{\"count\":%lld,\"kinds\":[", (long long)record->event_rows);
    if (record->event_rows > 0) {
        events_kind kinds[PAWL_EVENT_KIND_COUNT] = {{0}};
        PAWL_TRY(events_walk(record, events_count, kinds));
        events_kinds_table(page, kinds);
    }
    report_add_plain(page, "],\"list\":[");
    if (record->event_rows > 0) {
        PAWL_TRY(events_list(page, record));
    }
    report_add_plain(page, "]}");
    return PAWL_OK;
}
