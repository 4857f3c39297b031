// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The allowed places of elements and attributes: a rule reads, skips, refuses or warns of every name in a file, so
// that a typing mistake is never ignored silently.
#include "read/xml_reader.h"
#include <stdio.h>
#include <string.h>

enum { XML_RULES_WORD = 64, XML_RULES_NOTICES = 100 };

typedef struct xml_notice { // a name that was warned of once
    struct xml_notice *next;
    const char *name;
} xml_notice;

static bool xml_rules_listed(const char *names, bool attribute, const xmlNs *ns,
                             const xmlChar *name)
{
    while (*names != '\0') {
        size_t length = strcspn(names, " ");
        bool is_attribute = names[0] == '@';
        if (is_attribute == attribute &&
            xml_matches(ns, name, names + is_attribute, length - is_attribute)) {
            return true;
        }
        names += length;
        names += *names == ' ';
    }
    return false;
}

// Offers the elements (or attributes) that would have been taken.
static void xml_rules_offer(xml_nearest *nearest, const char *names, bool attribute, char *memory,
                            size_t size)
{
    while (*names != '\0') {
        size_t length = strcspn(names, " ");
        bool is_attribute = names[0] == '@';
        if (is_attribute == attribute && length < size) {
            const char *before = nearest->best;
            char word[XML_RULES_WORD];
            memcpy(word, names + is_attribute, length - is_attribute);
            word[length - is_attribute] = '\0';
            xml_nearest_offer(nearest, word);
            if (nearest->best != before) {
                snprintf(memory, size, "%s", word);
                nearest->best = memory;
            }
        }
        names += length;
        names += *names == ' ';
    }
}

static pawl_status xml_rules_first_time(xml_reader *reader, const char *name, bool *first)
{
    *first = false;
    int count = 0;
    for (const xml_notice *n = reader->notices; n != NULL; n = n->next, ++count) {
        if (strcmp(n->name, name) == 0) {
            return PAWL_OK;
        }
    }
    if (count == XML_RULES_NOTICES) {
        return PAWL_OK; // a hundred kinds of unknown elements tell enough
    }
    xml_notice *notice = xml_alloc(reader, sizeof *notice);
    const char *copy = xml_join(reader, "", name);
    if (notice == NULL || copy == NULL) {
        return PAWL_NO_MEMORY;
    }
    *notice = (xml_notice){.next = reader->notices, .name = copy};
    reader->notices = notice;
    *first = true;
    return PAWL_OK;
}

static pawl_status xml_rules_judge(xml_reader *reader, const xmlNode *node, const xmlNode *parent,
                                   bool attribute, const xmlNs *ns, const xmlChar *name,
                                   const xml_rule *rules)
{
    for (const xml_rule *rule = rules; rule->names != NULL; ++rule) {
        if (!xml_rules_listed(rule->names, attribute, ns, name)) {
            continue;
        }
        if (rule->kind == XML_PHYSICS) {
            return xml_unsupported(reader, node,
                                   "<%s> in <%s> changes the motion and is not supported", name,
                                   parent->name);
        }
        if (rule->kind == XML_IGNORED) {
            bool first;
            PAWL_TRY(xml_rules_first_time(reader, (const char *)name, &first));
            if (first) {
                xml_log(reader, PAWL_LOG_WARNING, node, "element <%s> is ignored", name);
            }
        }
        return PAWL_OK;
    }
    const char *local;
    bool ours = xml_is_ours(ns, name, &local);
    const char *prefix = ours                               ? "pawl"
                         : ns != NULL && ns->prefix != NULL ? (const char *)ns->prefix
                                                            : "";
    char label[XML_RULES_WORD], best[XML_RULES_WORD], hint[XML_HINT_SIZE];
    snprintf(label, sizeof label, "%s%s%.40s", prefix[0] != '\0' ? prefix : "",
             prefix[0] != '\0' ? ":" : "", local);
    xml_nearest nearest = xml_nearest_begin(label);
    for (const xml_rule *rule = rules; rule->names != NULL; ++rule) {
        xml_rules_offer(&nearest, rule->kind == XML_TAKEN ? rule->names : "", attribute, best,
                        sizeof best);
    }
    xml_nearest_hint(&nearest, hint);
    const char *open = attribute ? "attribute '" : "element <";
    const char *close = attribute ? "'" : ">";
    if (ours) {
        // Nobody else writes in our namespace: it is a slip, and going on would change the model.
        return xml_unsupported(reader, node, "%s%s%s in <%s> is not understood%s", open, label,
                               close, parent->name, hint);
    }
    bool first;
    PAWL_TRY(xml_rules_first_time(reader, label, &first));
    if (first) {
        xml_log(reader, PAWL_LOG_WARNING, node, "%s%s%s is not understood and ignored%s", open,
                label, close, hint);
    }
    return PAWL_OK;
}

pawl_status xml_check(xml_reader *reader, const xmlNode *node, const xml_rule *rules)
{
    for (const xmlAttr *a = node->properties; a != NULL; a = a->next) {
        PAWL_TRY(xml_rules_judge(reader, node, node, true, a->ns, a->name, rules));
    }
    XML_EACH (child, node) {
        if (child->ns == NULL && strncmp((const char *)child->name, "pawl:", 5) == 0 &&
            !reader->unbound_seen) {
            reader->unbound_seen = true;
            xml_log(reader, PAWL_LOG_WARNING, child,
                    "the prefix 'pawl' is not bound: add xmlns:pawl=\"urn:pawl:sdf\" to the root "
                    "element");
        }
        PAWL_TRY(xml_rules_judge(reader, child, node, false, child->ns, child->name, rules));
    }
    return PAWL_OK;
}
