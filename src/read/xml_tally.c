// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Notes and warnings that occur many times in a file: one line for each kind, with the number and the first few
// names, at its first occurrence.
#include "read/xml_reader.h"
#include <stdio.h>
#include <string.h>

enum { XML_TALLY_NAMES = 6, XML_TALLY_KINDS = 200 };

typedef struct xml_tally {
    struct xml_tally *next;
    pawl_log_level level;
    const char *kind;
    const xmlNode *first;
    int count, name_count;
    const char *names[XML_TALLY_NAMES];
} xml_tally_list;

pawl_status xml_tally(xml_reader *reader, pawl_log_level level, const xmlNode *node,
                      const char *kind, const char *name)
{
    if (reader->verbose) {
        xml_log(reader, level, node, "%s%s%s", kind, name != NULL ? ": " : "",
                name != NULL ? name : "");
        return PAWL_OK;
    }
    xml_tally_list *t = reader->tallies;
    while (t != NULL && !(strcmp(t->kind, kind) == 0 && t->level == level)) {
        t = t->next;
    }
    if (t == NULL) {
        t = xml_alloc(reader, sizeof *t);
        if (t == NULL) {
            return PAWL_NO_MEMORY;
        }
        *t = (xml_tally_list){.level = level, .kind = kind, .first = node};
        if (reader->last_tally == NULL) {
            reader->tallies = t;
        } else {
            reader->last_tally->next = t;
        }
        reader->last_tally = t;
    }
    t->count += 1;
    bool known = name == NULL || t->name_count == XML_TALLY_NAMES;
    for (int i = 0; i < t->name_count && !known; ++i) {
        known = strcmp(t->names[i], name) == 0;
    }
    if (!known) {
        t->names[t->name_count] = xml_join(reader, "", name);
        if (t->names[t->name_count++] == NULL) {
            return PAWL_NO_MEMORY;
        }
    }
    return PAWL_OK;
}

void xml_report_tallies(const xml_reader *reader)
{
    for (const xml_tally_list *t = reader->tallies; t != NULL; t = t->next) {
        char names[400] = "", number[40] = "";
        size_t used = 0;
        for (int i = 0; i < t->name_count; ++i) {
            int n = snprintf(names + used, sizeof names - used, "%s%.50s", i > 0 ? ", " : ": ",
                             t->names[i]);
            used += n > 0 && (size_t)n < sizeof names - used ? (size_t)n : 0;
        }
        if (t->count > 1) {
            snprintf(number, sizeof number, " (%d times)", t->count);
        }
        xml_log(reader, t->level, t->first, "%s%s%s%s", t->kind, number, names,
                t->count > t->name_count && t->name_count > 0 ? ", ..." : "");
    }
}
