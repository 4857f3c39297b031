// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// One pass over all recorded contacts keeps the worst pairs. A pair that is dropped from the list is no worse than
// the remaining ones; if it gets worse later it is added again, so the list is exact. The other figures of a row
// (largest force, number of contacts) would not be exact, so they are counted in a second pass.
#include "page/report_contacts.h"
#include "page/page_json.h"
#include "pawl/contact.h"
#include "pawl/verdict.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CONTACTS_PAIRS = 12, CONTACTS_BLOCK = 4096 };

typedef struct contacts_pair {
    int body_a, body_b;
    int shape_a, shape_b; // -1: contact points, which belong to no shape
    double depth;
    int64_t row;                           // of the tables, where it is that deep
    int64_t seen[PAWL_CONTACT_MODE_COUNT]; // contacts by mode
    double force;                          // largest of one contact [N]
} contacts_pair;

typedef struct contacts_walk {
    int32_t *pairs; // (CONTACTS_BLOCK x RECORD_PAIR_WIDTH)
    double *points; // (CONTACTS_BLOCK x RECORD_POINT_WIDTH)
    contacts_pair worst[CONTACTS_PAIRS];
    int count;
} contacts_walk;

static contacts_pair *contacts_find(contacts_walk *w, const int32_t *pair)
{
    for (int i = 0; i < w->count; ++i) {
        const contacts_pair *p = &w->worst[i];
        if (p->body_a == pair[0] && p->body_b == pair[1] && p->shape_a == pair[2] &&
            p->shape_b == pair[3]) {
            return &w->worst[i];
        }
    }
    return NULL;
}

static void contacts_note_depth(contacts_walk *w, const int32_t *pair, double depth, int64_t row)
{
    contacts_pair *known = contacts_find(w, pair);
    if (known == NULL && w->count < CONTACTS_PAIRS) {
        known = &w->worst[w->count++];
        *known = (contacts_pair){.depth = -INFINITY};
    } else if (known == NULL) {
        known = &w->worst[0];
        for (int i = 1; i < w->count; ++i) {
            known = w->worst[i].depth < known->depth ? &w->worst[i] : known;
        }
    }
    if (depth > known->depth) {
        *known = (contacts_pair){.body_a = pair[0],
                                 .body_b = pair[1],
                                 .shape_a = pair[2],
                                 .shape_b = pair[3],
                                 .depth = depth,
                                 .row = row};
    }
}

static void contacts_note_load(contacts_walk *w, const int32_t *pair, const double *point)
{
    contacts_pair *known = contacts_find(w, pair);
    if (known != NULL) {
        const double *f = point + 6;
        known->seen[pair[4]]++;
        known->force = fmax(known->force, sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]));
    }
}

static pawl_status contacts_walk_rows(const pawl_record *record, contacts_walk *w, bool loads)
{
    for (int64_t first = 0; first < record->contact_rows; first += CONTACTS_BLOCK) {
        int64_t left = record->contact_rows - first;
        int64_t count = left < CONTACTS_BLOCK ? left : CONTACTS_BLOCK;
        PAWL_TRY(record_read_contacts(record, first, count, w->pairs, w->points));
        for (int64_t i = 0; i < count; ++i) {
            const int32_t *pair = w->pairs + RECORD_PAIR_WIDTH * i;
            const double *point = w->points + RECORD_POINT_WIDTH * i;
            double depth = -point[RECORD_POINT_WIDTH - 1];
            if (loads) {
                contacts_note_load(w, pair, point);
            } else if (isfinite(depth)) {
                contacts_note_depth(w, pair, depth, first + i);
            }
        }
    }
    return PAWL_OK;
}

// The time of the frame that has a row of the tables, by bisection.
static pawl_status contacts_time(const pawl_record *record, int64_t row, double *time)
{
    int64_t low = 0, high = record->frames - 1;
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        double frame[RECORD_CONTACT_COUNT];
        PAWL_TRY(record_read_rows(record, RECORD_CONTACTS, middle, 1, frame));
        if (frame[RECORD_CONTACT_FIRST] <= (double)row) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return record_read_rows(record, RECORD_TIME, low, 1, time);
}

static void contacts_sort(contacts_walk *w)
{
    for (int i = 1; i < w->count; ++i) {
        contacts_pair p = w->worst[i];
        int at = i;
        for (; at > 0 && w->worst[at - 1].depth < p.depth; --at) {
            w->worst[at] = w->worst[at - 1];
        }
        w->worst[at] = p;
    }
}

static void contacts_shape(const pawl_record *record, int shape, char *name, size_t size)
{
    const pawl_shape_info *info = &record->shapes[shape];
    int body = pawl_body_index(info->body);
    (void)snprintf(name, size, "%.160s (%s)",
                   body == PAWL_WORLD_INDEX ? "world" : record->bodies[body].name,
                   pawl_shape_kind_name(info->def.kind));
}

void report_shape_pair(report_text *page, const pawl_record *record, int shape_a, int shape_b)
{
    char a[PAWL_WHERE_SIZE], b[PAWL_WHERE_SIZE], both[2 * PAWL_WHERE_SIZE + 8];
    contacts_shape(record, shape_a, a, sizeof a);
    contacts_shape(record, shape_b, b, sizeof b);
    (void)snprintf(both, sizeof both, "%s on %s", a, b);
    page_json_string(page, both);
}

static void contacts_side(report_text *page, const pawl_record *record, int body, int shape)
{
    char name[PAWL_WHERE_SIZE];
    if (shape >= 0) {
        contacts_shape(record, shape, name, sizeof name);
        page_json_string(page, name);
    } else if (body == PAWL_WORLD_INDEX) {
        page_json_string(page, "ground");
    } else {
        (void)snprintf(name, sizeof name, "%s (contact point)", record->bodies[body].name);
        page_json_string(page, name);
    }
}

static pawl_status contacts_table(report_text *page, const pawl_record *record,
                                  const contacts_walk *w)
{
    for (int i = 0; i < w->count; ++i) {
        const contacts_pair *p = &w->worst[i];
        double time;
        PAWL_TRY(contacts_time(record, p->row, &time));
        report_add_plain(page, i > 0 ? ",{\"a\":" : "{\"a\":");
        contacts_side(page, record, p->body_a, p->shape_a);
        report_add_plain(page, ",\"b\":");
        contacts_side(page, record, p->body_b, p->shape_b);
        report_add(page, ",\"depth\":%.6g,\"time\":%.9g,\"force\":", p->depth, time);
        page_json_number(page, p->force, 6);
        for (int mode = 0; mode < PAWL_CONTACT_MODE_COUNT; ++mode) {
            report_add(page, ",\"%s\":%lld", pawl_contact_mode_name((pawl_contact_mode)mode),
                       (long long)p->seen[mode]);
        }
        report_add_plain(page, "}");
    }
    return PAWL_OK;
}

pawl_status report_contacts_write(report_text *page, const pawl_record *record)
{
    if (record->contact_rows == 0) {
        return PAWL_OK;
    }
    const size_t pair_bytes = CONTACTS_BLOCK * RECORD_PAIR_WIDTH * sizeof(int32_t);
    const size_t point_bytes = CONTACTS_BLOCK * RECORD_POINT_WIDTH * sizeof(double);
    contacts_walk w = {.pairs = pawl_alloc(record->env, pair_bytes),
                       .points = pawl_alloc(record->env, point_bytes)};
    pawl_status status = PAWL_OK;
    if (w.pairs == NULL || w.points == NULL) {
        status = PAWL_FAIL(record->env, PAWL_NO_MEMORY, "no memory for the table of contacts");
    }
    if (status == PAWL_OK) {
        status = contacts_walk_rows(record, &w, false);
    }
    if (status == PAWL_OK) {
        status = contacts_walk_rows(record, &w, true);
    }
    if (status == PAWL_OK) {
        contacts_sort(&w);
        status = contacts_table(page, record, &w);
    }
    pawl_free(record->env, w.pairs, pair_bytes);
    pawl_free(record->env, w.points, point_bytes);
    return status;
}
