// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Elements, attributes, texts and numbers of a parsed model file, each checked before it is used.
#include "math/vec.h"
#include "read/xml_reader.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { XML_VALUES_SHOWN = 40, XML_VALUES_NUMBER = 64, XML_VALUES_WORD = 64 };

static bool xml_values_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// --- elements ------------------------------------------------------------------------------------

bool xml_is_ours(const xmlNs *ns, const xmlChar *name, const char **rest)
{
    const char *local = (const char *)name;
    *rest = local;
    if (ns != NULL && ns->prefix != NULL) {
        return strcmp((const char *)ns->prefix, "pawl") == 0;
    }
    if (strncmp(local, "pawl:", 5) == 0) {
        *rest = local + 5;
        return true;
    }
    return false;
}

bool xml_matches(const xmlNs *ns, const xmlChar *name, const char *wanted, size_t length)
{
    const char *local;
    bool ours = xml_is_ours(ns, name, &local);
    if (!ours && ns != NULL && ns->prefix != NULL) {
        return false; // of a namespace that is not ours
    }
    bool want_ours = length > 5 && memcmp(wanted, "pawl:", 5) == 0;
    if (ours != want_ours) {
        return false;
    }
    wanted += want_ours ? 5 : 0;
    length -= want_ours ? 5 : 0;
    return strlen(local) == length && memcmp(local, wanted, length) == 0;
}

bool xml_is(const xmlNode *node, const char *name)
{
    return xml_matches(node->ns, node->name, name, strlen(name));
}

static const xmlNode *xml_values_element(const xmlNode *node)
{
    while (node != NULL && node->type != XML_ELEMENT_NODE) {
        node = node->next;
    }
    return node;
}

const xmlNode *xml_first(const xmlNode *node)
{
    return xml_values_element(node->children);
}

const xmlNode *xml_next(const xmlNode *node)
{
    return xml_values_element(node->next);
}

// Of several the first counts, as libsdformat and urdfdom read them: exporters and hand edits leave copies behind. Masses
// and inertias are the exception, because a wrong one is not seen.
pawl_status xml_child(xml_reader *reader, const xmlNode *node, const char *name,
                      const xmlNode **out)
{
    *out = NULL;
    XML_EACH (child, node) {
        if (!xml_is(child, name)) {
            continue;
        }
        if (*out == NULL) {
            *out = child;
        } else if (strncmp(name, "pawl:", 5) == 0 || strcmp(name, "mass") == 0 ||
                   strcmp(name, "inertia") == 0 || strcmp(name, "inertial") == 0) {
            return xml_error(reader, child, "<%s> has a second <%s>, expected one", node->name,
                             name);
        } else {
            PAWL_TRY(xml_tally(reader, PAWL_LOG_WARNING, child,
                               "an element that occurs twice: the first counts",
                               (const char *)child->name));
        }
    }
    return PAWL_OK;
}

pawl_status xml_need_child(xml_reader *reader, const xmlNode *node, const char *name,
                           const xmlNode **out)
{
    PAWL_TRY(xml_child(reader, node, name, out));
    if (*out == NULL) {
        const char *label = xml_attribute(node, "name");
        return xml_error(reader, node, "<%s>%s%s%s has no <%s>, which is required", node->name,
                         label != NULL ? " '" : "", label != NULL ? label : "",
                         label != NULL ? "'" : "", name);
    }
    return PAWL_OK;
}

static const char *xml_values_attribute_text(const xmlAttr *attribute)
{
    // Without entities an attribute holds one text node, or none when it is empty.
    const xmlNode *text = attribute->children;
    return text != NULL && text->content != NULL ? (const char *)text->content : "";
}

const char *xml_attribute(const xmlNode *node, const char *name)
{
    for (const xmlAttr *a = node->properties; a != NULL; a = a->next) {
        if (xml_matches(a->ns, a->name, name, strlen(name))) {
            return xml_values_attribute_text(a);
        }
    }
    return NULL;
}

pawl_status xml_need_attribute(const xml_reader *reader, const xmlNode *node, const char *name,
                               const char **out)
{
    *out = xml_attribute(node, name);
    if (*out == NULL) {
        return xml_error(reader, node, "<%s> has no attribute '%s', which is required", node->name,
                         name);
    }
    return PAWL_OK;
}

pawl_status xml_text(xml_reader *reader, const xmlNode *node, const char **out)
{
    *out = NULL;
    size_t size = 1;
    for (const xmlNode *part = node->children; part != NULL; part = part->next) {
        if (part->type == XML_ELEMENT_NODE) {
            return xml_error(reader, part, "got <%s> inside <%s>, where text was expected",
                             part->name, node->name);
        }
        if ((part->type == XML_TEXT_NODE || part->type == XML_CDATA_SECTION_NODE) &&
            part->content != NULL) {
            size += strlen((const char *)part->content);
        }
    }
    char *text = xml_alloc(reader, size);
    if (text == NULL) {
        return PAWL_NO_MEMORY;
    }
    char *end = text;
    for (const xmlNode *part = node->children; part != NULL; part = part->next) {
        if ((part->type == XML_TEXT_NODE || part->type == XML_CDATA_SECTION_NODE) &&
            part->content != NULL) {
            size_t length = strlen((const char *)part->content);
            memcpy(end, part->content, length);
            end += length;
        }
    }
    while (end > text && xml_values_is_blank(end[-1])) {
        --end;
    }
    *end = '\0';
    while (xml_values_is_blank(*text)) {
        ++text;
    }
    *out = text;
    return PAWL_OK;
}

pawl_status xml_name_check(const xml_reader *reader, const xmlNode *node, const char *name)
{
    if (name[0] == '\0') {
        return xml_error(reader, node, "<%s> has an empty name", node->name);
    }
    for (const char *c = name; *c != '\0'; ++c) {
        if ((unsigned char)*c < 0x20) {
            return xml_error(reader, node, "the name '%s' has a control character in it", name);
        }
    }
    return PAWL_OK;
}

// --- numbers -------------------------------------------------------------------------------------

// Whether the word is a plain decimal number: [sign] digits [. digits] [e [sign] digits]. strtod
// alone would also take hexadecimal, "nan(...)" and, depending on the locale, a comma.
static bool xml_values_is_decimal(const char *word)
{
    word += *word == '+' || *word == '-';
    int digits = 0;
    for (; *word >= '0' && *word <= '9'; ++word) {
        digits = 1;
    }
    word += *word == '.';
    for (; *word >= '0' && *word <= '9'; ++word) {
        digits = 1;
    }
    if (digits == 0) {
        return false;
    }
    if (*word == 'e' || *word == 'E') {
        ++word;
        word += *word == '+' || *word == '-';
        if (!(*word >= '0' && *word <= '9')) {
            return false;
        }
        while (*word >= '0' && *word <= '9') {
            ++word;
        }
    }
    return *word == '\0';
}

// Takes off what typing slips leave behind a number: "-1.57.", "2.35\"", "0.07,". False where there is nothing of it.
static bool xml_values_strip(char *word)
{
    size_t length = strlen(word), kept = length;
    while (kept > 0 && strchr(".,\"'", word[kept - 1]) != NULL) {
        --kept;
    }
    word[kept] = '\0';
    return kept > 0 && kept < length;
}

static bool xml_values_infinity(const char *word, double *out)
{
    double sign = *word == '-' ? -1.0 : 1.0;
    word += *word == '-' || *word == '+';
    if (strcmp(word, "inf") != 0 && strcmp(word, "INF") != 0 && strcmp(word, "Inf") != 0) {
        return false;
    }
    *out = sign * (double)INFINITY;
    return true;
}

static const char *const xml_values_expected[] = {
    [XML_ANY] = "a finite number",
    [XML_NOT_NEGATIVE] = "a finite number >= 0",
    [XML_POSITIVE] = "a finite number > 0",
    [XML_MAYBE_INFINITE] = "a number or inf",
    [XML_NOT_NEGATIVE_MAYBE_INFINITE] = "a number >= 0 or inf",
};

static bool xml_values_in_range(double x, xml_range range)
{
    switch (range) {
    case XML_ANY:
        return isfinite(x);
    case XML_NOT_NEGATIVE:
        return isfinite(x) && x >= 0.0;
    case XML_POSITIVE:
        return isfinite(x) && x > 0.0;
    case XML_MAYBE_INFINITE:
        return !isnan(x);
    case XML_NOT_NEGATIVE_MAYBE_INFINITE:
        return x >= 0.0;
    }
    return false;
}

// Takes one word off the text: *text moves behind it. At the end of the text *found is false.
static pawl_status xml_values_word(xml_reader *reader, const xmlNode *node, const char *what,
                                   const char **text, xml_range range, double *out, bool *found)
{
    const char *start = *text;
    while (xml_values_is_blank(*start)) {
        ++start;
    }
    *found = *start != '\0';
    if (!*found) {
        *text = start;
        return PAWL_OK;
    }
    const char *end = start;
    while (*end != '\0' && !xml_values_is_blank(*end)) {
        ++end;
    }
    char word[XML_VALUES_NUMBER];
    size_t length = (size_t)(end - start);
    bool infinite = range == XML_MAYBE_INFINITE || range == XML_NOT_NEGATIVE_MAYBE_INFINITE;
    bool good = false;
    double x = 0.0;
    if (length < sizeof word) {
        memcpy(word, start, length);
        word[length] = '\0';
        if (xml_values_is_decimal(word)) {
            x = strtod(word, NULL);
            good = isfinite(x);
        } else if (infinite && xml_values_infinity(word, &x)) {
            good = true;
        } else if (xml_values_strip(word) && xml_values_is_decimal(word)) {
            x = strtod(word, NULL);
            good = isfinite(x);
            if (good) {
                PAWL_TRY(xml_tally(reader, PAWL_LOG_WARNING, node,
                                   "marks behind a number are passed over", what));
            }
        }
    }
    if (!good || !xml_values_in_range(x, range)) {
        int shown = length < XML_VALUES_SHOWN ? (int)length : XML_VALUES_SHOWN;
        bool xacro = length > 1 && start[0] == '$' && (start[1] == '{' || start[1] == '(');
        return xml_error(reader, node, "%s: got '%.*s%s', expected %s%s", what, shown, start,
                         length > XML_VALUES_SHOWN ? "..." : "", xml_values_expected[range],
                         xacro ? "; this is a xacro file: run `xacro FILE -o OUT.urdf` first" : "");
    }
    *out = x;
    *text = end;
    return PAWL_OK;
}

pawl_status xml_numbers(xml_reader *reader, const xmlNode *node, const char *what, const char *text,
                        xml_range range, double *out, int count)
{
    bool found;
    for (int i = 0; i < count; ++i) {
        PAWL_TRY(xml_values_word(reader, node, what, &text, range, &out[i], &found));
        if (!found) {
            return xml_error(reader, node, "%s: got %d number%s, expected %d", what, i,
                             i == 1 ? "" : "s", count);
        }
    }
    while (xml_values_is_blank(*text)) {
        ++text;
    }
    if (*text == '\0') {
        return PAWL_OK;
    }
    // Vectors with more numbers than needed are read as by the readers that these files were written for; words and a
    // second number where one stands are mistakes.
    double more;
    const char *rest = text;
    if (count < 3) {
        return xml_error(reader, node, "%s: got '%.*s' after %d number%s, expected nothing more",
                         what, XML_VALUES_SHOWN, text, count, count == 1 ? "" : "s");
    }
    do {
        PAWL_TRY(xml_values_word(reader, node, what, &rest, XML_MAYBE_INFINITE, &more, &found));
    } while (found);
    return xml_tally(reader, PAWL_LOG_WARNING, node, "more numbers than expected: the first count",
                     what);
}

int xml_word_count(const char *text)
{
    int count = 0;
    for (const char *at = text + strspn(text, " \t\r\n"); *at != '\0'; ++count) {
        at += strcspn(at, " \t\r\n");
        at += strspn(at, " \t\r\n");
    }
    return count;
}

pawl_status xml_number_list(xml_reader *reader, const xmlNode *node, const char *what,
                            const char *text, double **out, int *count)
{
    *out = NULL;
    *count = 0;
    // A number takes at least two characters, its blank included.
    double *list = xml_alloc(reader, (strlen(text) / 2 + 1) * sizeof *list);
    if (list == NULL) {
        return PAWL_NO_MEMORY;
    }
    int n = 0;
    for (;;) {
        bool found;
        double x = 0.0;
        PAWL_TRY(xml_values_word(reader, node, what, &text, XML_ANY, &x, &found));
        if (!found) {
            break;
        }
        list[n++] = x;
    }
    *out = list;
    *count = n;
    return PAWL_OK;
}

pawl_status xml_bool(const xml_reader *reader, const xmlNode *node, const char *what,
                     const char *text, bool *out)
{
    if (strcmp(text, "true") == 0 || strcmp(text, "1") == 0) {
        *out = true;
    } else if (strcmp(text, "false") == 0 || strcmp(text, "0") == 0) {
        *out = false;
    } else {
        return xml_error(reader, node, "%s: got '%.*s', expected true or false", what,
                         XML_VALUES_SHOWN, text);
    }
    return PAWL_OK;
}

// The child of that name and its text; both NULL without it.
static pawl_status xml_values_child(xml_reader *reader, const xmlNode *node, const char *name,
                                    const xmlNode **child, const char **text)
{
    *text = NULL;
    PAWL_TRY(xml_child(reader, node, name, child));
    return *child == NULL ? PAWL_OK : xml_text(reader, *child, text);
}

pawl_status xml_child_number(xml_reader *reader, const xmlNode *node, const char *name,
                             xml_range range, double *out)
{
    const xmlNode *child;
    const char *text;
    PAWL_TRY(xml_values_child(reader, node, name, &child, &text));
    return child == NULL ? PAWL_OK : xml_numbers(reader, child, name, text, range, out, 1);
}

pawl_status xml_child_vec3(xml_reader *reader, const xmlNode *node, const char *name,
                           pawl_vec3 *out)
{
    const xmlNode *child;
    const char *text;
    double v[3];
    PAWL_TRY(xml_values_child(reader, node, name, &child, &text));
    if (child == NULL) {
        return PAWL_OK;
    }
    PAWL_TRY(xml_numbers(reader, child, name, text, XML_ANY, v, 3));
    *out = (pawl_vec3){v[0], v[1], v[2]};
    return PAWL_OK;
}

pawl_status xml_child_bool(xml_reader *reader, const xmlNode *node, const char *name, bool *out)
{
    const xmlNode *child;
    const char *text;
    PAWL_TRY(xml_values_child(reader, node, name, &child, &text));
    return child == NULL ? PAWL_OK : xml_bool(reader, child, name, text, out);
}

// Digits alone: strtoull() would also take blanks, signs and whatever the locale adds.
static bool xml_values_bits(const char *text, uint32_t most, uint32_t *out)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digit = hex ? text + 2 : text;
    uint64_t value = 0, base = hex ? 16 : 10;
    if (*digit == '\0') {
        return false;
    }
    for (; *digit != '\0'; ++digit) {
        int small = *digit | 0x20; // lower case
        unsigned one;
        if (*digit >= '0' && *digit <= '9') {
            one = (unsigned)(*digit - '0');
        } else if (hex && small >= 'a' && small <= 'f') {
            one = (unsigned)(small - 'a') + 10u;
        } else {
            return false;
        }
        value = value * base + one;
        if (value > most) {
            return false;
        }
    }
    *out = (uint32_t)value;
    return true;
}

pawl_status xml_child_bits(xml_reader *reader, const xmlNode *node, const char *name, uint32_t most,
                           uint32_t *out)
{
    const xmlNode *child;
    const char *text;
    PAWL_TRY(xml_child(reader, node, name, &child));
    if (child == NULL) {
        return PAWL_OK;
    }
    PAWL_TRY(xml_text(reader, child, &text));
    if (!xml_values_bits(text, most, out)) {
        return xml_error(reader, child,
                         "%s: got '%.*s', expected bits as a whole number from 0 to %lu (or 0x...)",
                         name, XML_VALUES_SHOWN, text, (unsigned long)most);
    }
    return PAWL_OK;
}

pawl_status xml_attribute_number(xml_reader *reader, const xmlNode *node, const char *name,
                                 xml_range range, double *out)
{
    const char *text = xml_attribute(node, name);
    return text == NULL ? PAWL_OK : xml_numbers(reader, node, name, text, range, out, 1);
}

pawl_status xml_unit_vector(const xml_reader *reader, const xmlNode *node, const char *what,
                            pawl_vec3 *v)
{
    double most = v3_max_abs(*v);
    if (!(most > 1e-9)) {
        return xml_error(reader, node, "%s: got '%g %g %g', expected an axis of non-zero length",
                         what, v->x, v->y, v->z);
    }
    *v = v3(v->x / most, v->y / most, v->z / most); // so that no square over- or underflows
    *v = v3_scale(1.0 / v3_norm(*v), *v);
    return PAWL_OK;
}

// --- fields of pawl: elements --------------------------------------------------------------------

pawl_status xml_field(xml_reader *reader, const xmlNode *node, const char *name, const char **out,
                      const xmlNode **where)
{
    char ours[XML_VALUES_WORD];
    snprintf(ours, sizeof ours, "pawl:%s", name);
    const xmlNode *child;
    PAWL_TRY(xml_child(reader, node, ours, &child));
    *out = xml_attribute(node, name);
    *where = node;
    if (child != NULL && *out != NULL) {
        return xml_error(reader, child, "<%s> was already given as an attribute", ours);
    }
    if (child != NULL) {
        PAWL_TRY(xml_text(reader, child, out));
        *where = child;
    }
    return PAWL_OK;
}

pawl_status xml_field_number(xml_reader *reader, const xmlNode *node, const char *name,
                             xml_range range, double *out)
{
    const char *text;
    const xmlNode *where;
    PAWL_TRY(xml_field(reader, node, name, &text, &where));
    return text == NULL ? PAWL_OK : xml_numbers(reader, where, name, text, range, out, 1);
}

pawl_status xml_field_vec3(xml_reader *reader, const xmlNode *node, const char *name,
                           pawl_vec3 *out)
{
    const char *text;
    const xmlNode *where;
    double v[3];
    PAWL_TRY(xml_field(reader, node, name, &text, &where));
    if (text != NULL) {
        PAWL_TRY(xml_numbers(reader, where, name, text, XML_ANY, v, 3));
        *out = (pawl_vec3){v[0], v[1], v[2]};
    }
    return PAWL_OK;
}

pawl_status xml_field_index(xml_reader *reader, const xmlNode *node, const char *name, int limit,
                            int *out)
{
    const char *text;
    const xmlNode *where;
    double x;
    PAWL_TRY(xml_field(reader, node, name, &text, &where));
    if (text == NULL) {
        return PAWL_OK;
    }
    PAWL_TRY(xml_numbers(reader, where, name, text, XML_ANY, &x, 1));
    if (!(x >= 0.0 && x < (double)limit) || x != floor(x)) {
        return xml_error(reader, where, "%s: got '%.*s', expected a whole number from 0 to %d",
                         name, XML_VALUES_SHOWN, text, limit - 1);
    }
    *out = (int)x;
    return PAWL_OK;
}
