// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reads --ground WHERE,DEGREES,FRICTION or --ground FILE, and --place X,Y,Z,ROLL,PITCH,YAW.
#include "place_args.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double place_degree = 3.14159265358979323846 / 180.0;

// Numbers separated by commas; the first word may be `special` (NULL: none) instead. Returns how many there are, -1: it is
// no such list, or has more than `most`.
static int place_numbers(const char *word, const char *special, int most, double *numbers,
                         bool *is_special)
{
    int count = 0;
    for (; word != NULL && count < most; ++count) {
        const char *comma = strchr(word, ',');
        size_t length = comma != NULL ? (size_t)(comma - word) : strlen(word);
        char text[64] = "";
        if (length >= sizeof text) {
            return -1;
        }
        snprintf(text, sizeof text, "%.*s", (int)length, word);
        bool found = count == 0 && special != NULL && strcmp(text, special) == 0;
        if (!found && !args_number(text, &numbers[count])) {
            return -1;
        }
        if (found) {
            *is_special = true;
        }
        word = comma != NULL ? comma + 1 : NULL;
    }
    return word == NULL ? count : -1;
}

// By what its name ends with: a number may have a point, too.
static bool place_is_file(const char *text)
{
    static const char *const ends[] = {".sdf", ".urdf", ".xml", ".world", ".mjcf"};
    size_t length = strlen(text);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        size_t end = strlen(ends[i]);
        if (length > end && strcmp(text + length - end, ends[i]) == 0) {
            return true;
        }
    }
    return false;
}

bool place_args_take_ground(const args_use *use)
{
    pawl_ground_option *ground = use->field;
    double numbers[3] = {0.0, 0.0, pawl_load_options_default().ground.friction};
    const char *where = use->value != NULL ? use->value : "under";
    *ground = (pawl_ground_option){.put = true};
    if (place_is_file(where)) {
        ground->file = where;
        return true;
    }
    int count = place_numbers(where, "under", 3, numbers, &ground->under);
    bool fine = count > 0 && fabs(numbers[1]) <= 80.0 && numbers[2] >= 0.0;
    ground->height = numbers[0];
    ground->slope = numbers[1] * place_degree;
    ground->friction = numbers[2];
    return fine || args_refuse(use,
                               "--ground '%s', expected 'under' or a height [m], then perhaps "
                               "',DEGREES' (-80 to 80) and ',FRICTION' (from 0 on); or a file of "
                               "type .sdf, .urdf, .xml, .world or .mjcf",
                               use->value);
}

// Roll about x, pitch about y, yaw about z, all fixed, in this order: as in URDF and SDFormat.
bool place_args_take_place(const args_use *use)
{
    place_pose *place = use->field;
    double n[6] = {0.0};
    int count = place_numbers(use->value, NULL, 6, n, NULL);
    if (count != 3 && count != 6) {
        return args_refuse(use,
                           "--place '%s', expected X,Y,Z [m] or X,Y,Z,ROLL,PITCH,YAW [m, degrees]",
                           use->value);
    }
    pawl_quat turn =
        pawl_quat_from_rpy(n[3] * place_degree, n[4] * place_degree, n[5] * place_degree);
    *place = (place_pose){true, {{n[0], n[1], n[2]}, turn}};
    return true;
}

void place_args_apply(const place_args *place, pawl_load_options *options)
{
    if (place->ground.put) {
        options->ground = place->ground;
    }
    if (place->place.given) {
        options->place = place->place.pose;
    }
    options->fixed_base = place->fixed_base;
}
