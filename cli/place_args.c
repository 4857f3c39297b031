// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reads --ground WHERE,DEGREES,FRICTION.
#include "place_args.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

bool place_args_take_ground(const args_use *use)
{
    pawl_ground_option *ground = use->field;
    double numbers[3] = {0.0, 0.0, pawl_load_options_default().ground.friction};
    const char *word = use->value;
    int count = 0;
    *ground = (pawl_ground_option){.put = true};
    for (; word != NULL && count < 3; ++count) {
        const char *comma = strchr(word, ',');
        size_t length = comma != NULL ? (size_t)(comma - word) : strlen(word);
        char text[64] = "";
        bool fits = length < sizeof text;
        snprintf(text, sizeof text, "%.*s", (int)(fits ? length : 0), word);
        bool under = count == 0 && strcmp(text, "under") == 0;
        ground->under = ground->under || under;
        if (!fits || (!under && !args_number(text, &numbers[count]))) {
            break;
        }
        word = comma != NULL ? comma + 1 : NULL;
    }
    bool fine = word == NULL && fabs(numbers[1]) <= 80.0 && numbers[2] >= 0.0;
    ground->height = numbers[0];
    ground->slope = numbers[1] * 3.14159265358979323846 / 180.0;
    ground->friction = numbers[2];
    return fine || args_refuse(use,
                               "--ground '%s', expected 'under' or a height [m], then perhaps "
                               "',DEGREES' (-80 to 80) and ',FRICTION' (from 0 on)",
                               use->value);
}

void place_args_apply(const place_args *place, pawl_load_options *options)
{
    if (place->ground.put) {
        options->ground = place->ground;
    }
    options->fixed_base = place->fixed_base;
}
