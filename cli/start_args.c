// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reads --start JOINT=Q1,Q2, --start NAME of a keyframe, or --start clamp. The joint is looked up when the model is
// loaded.
#include "start_args.h"
#include <string.h>

static bool start_args_number(const char *word, size_t length, double *out)
{
    char text[64];
    if (length == 0 || length >= sizeof text) {
        return false;
    }
    memcpy(text, word, length);
    text[length] = '\0';
    return args_number(text, out);
}

bool start_args_take(const args_use *use)
{
    start_args *starts = use->field;
    const char *pair = use->value;
    // Names may hold '=', numbers never do.
    const char *equal = strrchr(pair, '=');
    if (strcmp(pair, "clamp") == 0 || strcmp(pair, "as-is") == 0) {
        starts->limits = pair[0] == 'c' ? PAWL_START_CLAMP : PAWL_START_AS_IS;
        return true;
    }
    if (equal == NULL && pair[0] != '\0') {
        starts->key = pair;
        return true;
    }
    size_t length = equal != NULL ? (size_t)(equal - pair) : 0;
    if (length == 0 || length >= sizeof starts->names[0]) {
        return args_refuse(use, "--start '%s', expected JOINT=Q or JOINT=Q1,Q2", pair);
    }
    if (starts->count == START_ARGS_MAX) {
        return args_refuse(use, "more than %d --start", START_ARGS_MAX);
    }
    pawl_named_start *s = &starts->starts[starts->count];
    *s = (pawl_named_start){.joint = starts->names[starts->count]};
    memcpy(starts->names[starts->count], pair, length);
    starts->names[starts->count][length] = '\0';
    for (const char *word = equal + 1; word != NULL;) {
        const char *comma = strchr(word, ',');
        size_t digits = comma != NULL ? (size_t)(comma - word) : strlen(word);
        if (s->count == 6 || !start_args_number(word, digits, &s->position[s->count])) {
            return args_refuse(use, "--start '%s', expected 1 to 6 finite numbers after '='", pair);
        }
        ++s->count;
        word = comma != NULL ? comma + 1 : NULL;
    }
    ++starts->count;
    return true;
}

void start_args_apply(const start_args *starts, pawl_load_options *options)
{
    options->start_count = starts->count;
    options->starts = starts->starts;
    options->start_key = starts->key;
    options->start_limits = starts->limits;
}
