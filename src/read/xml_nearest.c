// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// "Did you mean": the nearest of the valid names, for messages.
#include "read/xml_reader.h"
#include <stdio.h>
#include <string.h>

enum { XML_NEAREST_WORD = 64 };

// Levenshtein's distance of two short words; long ones are not worth a suggestion.
static int xml_nearest_distance(const char *a, const char *b)
{
    int row[XML_NEAREST_WORD + 1];
    size_t n = strlen(b);
    if (strlen(a) > XML_NEAREST_WORD || n > XML_NEAREST_WORD) {
        return XML_NEAREST_WORD;
    }
    for (size_t j = 0; j <= n; ++j) {
        row[j] = (int)j;
    }
    for (size_t i = 0; a[i] != '\0'; ++i) {
        int diagonal = row[0];
        row[0] = (int)i + 1;
        for (size_t j = 1; j <= n; ++j) {
            int best = diagonal + (a[i] != b[j - 1]);
            best = row[j] + 1 < best ? row[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[n];
}

xml_nearest xml_nearest_begin(const char *name)
{
    // A third of the letters may differ: beyond that a suggestion confuses.
    return (xml_nearest){.name = name, .distance = 2 + (int)(strlen(name) / 3)};
}

void xml_nearest_offer(xml_nearest *nearest, const char *candidate)
{
    if (candidate == NULL) {
        return;
    }
    int distance = xml_nearest_distance(nearest->name, candidate);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->best = candidate;
    }
}

const char *xml_nearest_hint(const xml_nearest *nearest, char *text)
{
    text[0] = '\0';
    if (nearest->best != NULL) {
        snprintf(text, XML_HINT_SIZE, "; did you mean '%.80s'?", nearest->best);
    }
    return text;
}
