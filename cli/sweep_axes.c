// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The axes of a sweep: the arguments of --vary, and the grid of points that several of them define.
#include "sweep_plan.h"

#include "setting_args.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Keys that are no settings. Those with a name take it in brackets: body.mass[torso].
typedef struct axis_word {
    const char *key;
    sweep_kind kind;
    bool named;
    int part;
} axis_word;
static const axis_word axis_words[] = {
    {"contact.friction", SWEEP_FRICTION, false, 0},
    {"friction", SWEEP_FRICTION_SCALE, false, 0},
    {"body.mass", SWEEP_MASS, true, 0},
    {"mass", SWEEP_MASS_SCALE, true, 0},
    {"gravity.x", SWEEP_GRAVITY, false, 0},
    {"gravity.y", SWEEP_GRAVITY, false, 1},
    {"gravity.z", SWEEP_GRAVITY, false, 2},
    {"target", SWEEP_TARGET, true, 0},
    {"stiffness", SWEEP_STIFFNESS, true, 0},
    {"damping", SWEEP_DAMPING, true, 0},
    {"start", SWEEP_START, true, 0},
};

static const char *axis_name(const void *user, int i)
{
    (void)user;
    int words = (int)(sizeof axis_words / sizeof axis_words[0]);
    return i < words ? axis_words[i].key : setting_args_key(NULL, i - words);
}

// Key and name in brackets.
static bool axis_key(const args_use *use, sweep_axis *axis, size_t length)
{
    snprintf(axis->key, sizeof axis->key, "%.*s", (int)length, use->value);
    char base[256];
    snprintf(base, sizeof base, "%s", axis->key);
    char *bracket = strchr(base, '[');
    if (bracket != NULL) {
        size_t end = strlen(bracket);
        if (end < 3 || bracket[end - 1] != ']' || end - 2 >= sizeof axis->name) {
            return args_refuse(use, "--vary '%s': expected KEY[NAME]=...", use->value);
        }
        snprintf(axis->name, sizeof axis->name, "%.*s", (int)(end - 2), bracket + 1);
        *bracket = '\0';
    }
    for (size_t i = 0; i < sizeof axis_words / sizeof axis_words[0]; ++i) {
        const axis_word *w = &axis_words[i];
        if (strcmp(w->key, base) == 0) {
            axis->kind = w->kind;
            axis->part = w->part;
            return w->named == (bracket != NULL) ||
                   args_refuse(use, "--vary '%s': %s", use->value,
                               w->named ? "expected a name in brackets" : "no name is expected");
        }
    }
    axis->kind = SWEEP_SETTING;
    for (int i = 0; bracket == NULL && i < pawl_setting_count(); ++i) {
        if (strcmp(pawl_setting(i).key, base) == 0) {
            return true;
        }
    }
    char hint[160];
    args_suggest(base, axis_name, NULL, hint, sizeof hint);
    return args_refuse(use, "--vary: there is no '%s'%s", base, hint);
}

static bool axis_room(sweep_axis *axis, int count)
{
    axis->count = count;
    axis->values = calloc((size_t)count, sizeof *axis->values);
    axis->words = calloc((size_t)count, sizeof *axis->words);
    return axis->values != NULL && axis->words != NULL;
}

// a:b:n, both ends included.
static bool axis_range(const args_use *use, sweep_axis *axis, const char *text)
{
    char copy[256], *colon, *second;
    snprintf(copy, sizeof copy, "%s", text);
    colon = strchr(copy, ':');
    second = colon != NULL ? strchr(colon + 1, ':') : NULL;
    double a = 0.0, b = 0.0, n = 0.0;
    if (second != NULL) {
        *colon = *second = '\0';
    }
    if (second == NULL || !args_number(copy, &a) || !args_number(colon + 1, &b) ||
        !args_number(second + 1, &n) || n < 1.0 || n > SWEEP_MAX_VALUES || n != floor(n)) {
        return args_refuse(use, "--vary '%s': expected from:to:count or values separated by commas",
                           use->value);
    }
    if (!axis_room(axis, (int)n)) {
        return args_refuse(use, "out of memory");
    }
    axis->numbers = true;
    for (int i = 0; i < axis->count; ++i) {
        axis->values[i] = axis->count > 1 ? a + (b - a) * (double)i / (double)(axis->count - 1) : a;
        snprintf(axis->words[i], SWEEP_WORD, "%.17g", axis->values[i]);
    }
    return true;
}

static bool axis_list(const args_use *use, sweep_axis *axis, const char *text)
{
    int count = 1;
    for (const char *c = text; *c != '\0'; ++c) {
        count += *c == ',';
    }
    if (count > SWEEP_MAX_VALUES || !axis_room(axis, count)) {
        return args_refuse(use, "--vary '%s': too many values", use->value);
    }
    axis->numbers = true;
    for (int i = 0; setting_args_next_word(&text, axis->words[i], SWEEP_WORD); ++i) {
        bool number = args_number(axis->words[i], &axis->values[i]);
        axis->numbers = axis->numbers && number;
        if (i + 1 == count) {
            break;
        }
    }
    for (int i = 0; i < count && !axis->numbers; ++i) {
        axis->values[i] = i;
    }
    return axis->numbers || axis->kind == SWEEP_SETTING ||
           args_refuse(use, "--vary '%s': expected numbers", use->value);
}

bool sweep_take_axis(const args_use *use)
{
    sweep_request *request = use->field;
    const char *equals = strchr(use->value, '=');
    if (request->axis_count == SWEEP_MAX_AXES) {
        return args_refuse(use, "more than %d times --vary", SWEEP_MAX_AXES);
    }
    if (equals == NULL || equals == use->value || equals[1] == '\0') {
        return args_refuse(use, "--vary '%s' is not of the form KEY=from:to:count", use->value);
    }
    sweep_axis *axis = &request->axis[request->axis_count++];
    snprintf(axis->text, sizeof axis->text, "%s", use->value);
    return axis_key(use, axis, (size_t)(equals - use->value)) &&
           (strchr(equals, ':') != NULL ? axis_range(use, axis, equals + 1)
                                        : axis_list(use, axis, equals + 1));
}

// Values of a setting are tried before the first point.
static bool axis_try(console *con, const sweep_request *request, const sweep_axis *axis)
{
    pawl_settings settings = request->settings;
    for (int i = 0; i < axis->count; ++i) {
        if (pawl_settings_set(&con->env, &settings, axis->key, axis->words[i]) != PAWL_OK) {
            return false; // the log has said it
        }
    }
    return true;
}

bool sweep_bind(console *con, sweep_request *request, const pawl_model *model)
{
    for (int i = 0; i < request->axis_count; ++i) {
        sweep_axis *axis = &request->axis[i];
        bool body = axis->kind == SWEEP_MASS || axis->kind == SWEEP_MASS_SCALE;
        bool actuator = axis->kind == SWEEP_TARGET || axis->kind == SWEEP_STIFFNESS ||
                        axis->kind == SWEEP_DAMPING;
        bool found = true;
        if (axis->kind == SWEEP_SETTING) {
            found = axis_try(con, request, axis);
            if (!found) {
                return false;
            }
        } else if (body) {
            axis->body = pawl_model_find_body(model, axis->name);
            found = !pawl_body_is_none(axis->body);
        } else if (actuator) {
            axis->actuator = pawl_model_find_actuator(model, axis->name);
            found = !pawl_actuator_is_none(axis->actuator);
        } else if (axis->kind == SWEEP_START) {
            axis->joint = pawl_model_find_joint(model, axis->name);
            found = !pawl_joint_is_none(axis->joint);
        }
        if (!found) {
            console_error(con, "--vary '%s': the model has no %s '%s'", axis->text,
                          body       ? "body"
                          : actuator ? "actuator"
                                     : "joint",
                          axis->name);
            return false;
        }
    }
    return true;
}

void sweep_free_axes(sweep_request *request)
{
    for (int i = 0; i < request->axis_count; ++i) {
        free(request->axis[i].values);
        free(request->axis[i].words);
    }
}

int64_t sweep_point_count(const sweep_request *request)
{
    int64_t count = 1;
    for (int i = 0; i < request->axis_count; ++i) {
        count *= request->axis[i].count;
    }
    return count;
}

void sweep_point_places(const sweep_request *request, int64_t point, int place[SWEEP_MAX_AXES])
{
    for (int i = request->axis_count - 1; i >= 0; --i) {
        place[i] = (int)(point % request->axis[i].count);
        point /= request->axis[i].count;
    }
}
