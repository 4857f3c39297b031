// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Functions of time in pawl: elements: <pawl:constant>, <pawl:sinusoid> and <pawl:table>.
#include "read/extension_signal.h"
#include <string.h>

static pawl_status extension_signal_table(xml_reader *reader, const xmlNode *node, pawl_signal *out)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@interpolation @period"}, {XML_TAKEN, NULL}};
    static const char *const words[] = {
        [PAWL_LINEAR] = "linear", [PAWL_CUBIC] = "cubic", [PAWL_SMOOTH] = "smooth"};
    PAWL_TRY(xml_check(reader, node, rules));
    const char *word = xml_attribute(node, "interpolation");
    int kind = PAWL_LINEAR;
    while (word != NULL && kind <= PAWL_SMOOTH && strcmp(word, words[kind]) != 0) {
        ++kind;
    }
    if (kind > PAWL_SMOOTH) {
        return xml_error(reader, node, "got interpolation '%s', expected linear, cubic or smooth",
                         word);
    }
    double period = 0.0;
    PAWL_TRY(xml_attribute_number(reader, node, "period", XML_NOT_NEGATIVE, &period));
    const char *text;
    double *list;
    int count;
    PAWL_TRY(xml_text(reader, node, &text));
    PAWL_TRY(xml_number_list(reader, node, "pawl:table", text, &list, &count));
    if (count < 4 || count % 2 != 0) {
        return xml_error(
            reader, node,
            "got a table with %d numbers, expected at least two pairs of time and value", count);
    }
    int points = count / 2;
    double *split = xml_alloc(reader, (size_t)count * sizeof *split);
    if (split == NULL) {
        return PAWL_NO_MEMORY;
    }
    for (int i = 0; i < points; ++i) {
        split[i] = list[2 * i];
        split[points + i] = list[2 * i + 1];
        if (i > 0 && !(split[i] > split[i - 1])) {
            return xml_error(reader, node,
                             "the table's time %g follows %g, expected increasing times", split[i],
                             split[i - 1]);
        }
    }
    if (period > split[points - 1] - split[0]) {
        return xml_error(reader, node, "got a period of %g s, expected at most the table's %g s",
                         period, split[points - 1] - split[0]);
    }
    *out = (pawl_signal){.kind = PAWL_SIGNAL_TABLE,
                         .interpolation = (pawl_interpolation)kind,
                         .period = period,
                         .count = points,
                         .times = split,
                         .values = split + points};
    return PAWL_OK;
}

static pawl_status extension_signal_sinusoid(xml_reader *reader, const xmlNode *node,
                                             pawl_signal *out)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@offset @amplitude @frequency @phase pawl:offset pawl:amplitude "
                    "pawl:frequency pawl:phase"},
        {XML_TAKEN, NULL}};
    PAWL_TRY(xml_check(reader, node, rules));
    pawl_signal signal = {.kind = PAWL_SIGNAL_SINUSOID};
    PAWL_TRY(xml_field_number(reader, node, "offset", XML_ANY, &signal.value));
    PAWL_TRY(xml_field_number(reader, node, "amplitude", XML_ANY, &signal.amplitude));
    PAWL_TRY(xml_field_number(reader, node, "frequency", XML_ANY, &signal.frequency));
    PAWL_TRY(xml_field_number(reader, node, "phase", XML_ANY, &signal.phase));
    *out = signal;
    return PAWL_OK;
}

// The function of time among the children of `node`; *found is false when there is none.
static pawl_status extension_signal_inside(xml_reader *reader, const xmlNode *node,
                                           pawl_signal *out, bool *found)
{
    *found = false;
    XML_EACH (child, node) {
        pawl_signal signal;
        if (xml_is(child, "pawl:constant")) {
            const char *text;
            double value;
            PAWL_TRY(xml_text(reader, child, &text));
            PAWL_TRY(xml_numbers(reader, child, "pawl:constant", text, XML_ANY, &value, 1));
            signal = pawl_signal_constant(value);
        } else if (xml_is(child, "pawl:sinusoid")) {
            PAWL_TRY(extension_signal_sinusoid(reader, child, &signal));
        } else if (xml_is(child, "pawl:table")) {
            PAWL_TRY(extension_signal_table(reader, child, &signal));
        } else {
            continue;
        }
        if (*found) {
            return xml_error(reader, child, "<%s> has a second function of time, expected one",
                             node->name);
        }
        *found = true;
        *out = signal;
    }
    return PAWL_OK;
}

pawl_status extension_signal_wrapped(xml_reader *reader, const xmlNode *node, const char *name,
                                     pawl_signal *out, bool *found)
{
    static const xml_rule rules[] = {{XML_TAKEN, "pawl:constant pawl:sinusoid pawl:table"},
                                     {XML_TAKEN, NULL}};
    const xmlNode *child;
    *found = false;
    PAWL_TRY(xml_child(reader, node, name, &child));
    if (child == NULL) {
        return PAWL_OK;
    }
    PAWL_TRY(xml_check(reader, child, rules));
    PAWL_TRY(extension_signal_inside(reader, child, out, found));
    if (!*found) {
        return xml_error(reader, child,
                         "<%s> contains no <pawl:constant>, <pawl:sinusoid> or <pawl:table>", name);
    }
    return PAWL_OK;
}

pawl_status extension_signal_target(xml_reader *reader, const xmlNode *node, pawl_signal *out,
                                    bool *found)
{
    bool wrapped;
    PAWL_TRY(extension_signal_inside(reader, node, out, found));
    PAWL_TRY(extension_signal_wrapped(reader, node, "pawl:target", out, &wrapped));
    if (wrapped && *found) {
        return xml_error(reader, node, "<%s> has two targets, expected one", node->name);
    }
    *found = *found || wrapped;
    return PAWL_OK;
}
