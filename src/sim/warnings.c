// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The rules in their order, and the list that they write to. A warning is for a model that can be simulated but
// probably contains a mistake. A rule must be right in nearly all cases: false alarms teach users to ignore warnings.
#include "sim/warnings.h"
#include <stdarg.h>
#include <stdio.h>

static warning_rule *const warning_rules[] = {
    pawl_warn_length,    pawl_warn_mass,          pawl_warn_degrees,
    pawl_warn_inertia,   pawl_warn_locked,        pawl_warn_coaxial,
    pawl_warn_falls,     pawl_warn_overlaps,      pawl_warn_beyond_limits,
    pawl_warn_redundant, pawl_warn_motion_limits, pawl_warn_motion_conflict,
};

const char *pawl_warning_kind_name(pawl_warning_kind kind)
{
    static const char *const names[PAWL_WARNING_KIND_COUNT] = {
        [PAWL_WARNING_TWO_MASSES] = "two masses",
        [PAWL_WARNING_LENGTH_UNIT] = "unit of length",
        [PAWL_WARNING_MASS_UNIT] = "unit of mass",
        [PAWL_WARNING_DEGREES] = "degrees",
        [PAWL_WARNING_LOCKED_JOINT] = "locked joint",
        [PAWL_WARNING_INERTIA] = "inertia",
        [PAWL_WARNING_FALLS] = "falls for ever",
        [PAWL_WARNING_NEARLY_COAXIAL] = "nearly coaxial",
        [PAWL_WARNING_OVERLAP] = "overlap",
        [PAWL_WARNING_BEYOND_LIMIT] = "beyond limit",
        [PAWL_WARNING_NEARLY_REDUNDANT] = "nearly redundant",
        [PAWL_WARNING_MOTION] = "motion",
    };
    return (unsigned)kind < PAWL_WARNING_KIND_COUNT ? names[kind] : NULL;
}

// Copies all texts: rules write them to buffers of their own. The list is unchanged where memory is out.
static pawl_status warning_push(warning_list *list, const pawl_warning *warning)
{
    const pawl_env *env = list->env;
    pawl_warning copy = {.kind = warning->kind,
                         .where = pawl_text_copy(env, warning->where),
                         .text = pawl_text_copy(env, warning->text),
                         .advice = pawl_text_copy(env, warning->advice)};
    pawl_warning *slot = NULL;
    if (copy.where != NULL && copy.text != NULL && copy.advice != NULL) {
        slot = pawl_array_push(env, &list->items, sizeof *slot);
    }
    if (slot == NULL) {
        pawl_text_free(env, (char *)copy.where);
        pawl_text_free(env, (char *)copy.text);
        pawl_text_free(env, (char *)copy.advice);
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the list of warnings");
    }
    *slot = copy;
    return PAWL_OK;
}

pawl_status pawl_warning_add(warning_list *list, pawl_warning_kind kind, const char *where,
                             const char *advice, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return warning_push(list, &(pawl_warning){kind, where, text, advice});
}

void pawl_warnings_free(warning_list *list)
{
    for (int i = 0; i < list->items.count; ++i) {
        pawl_warning *warning = &PAWL_ITEM(list->items, pawl_warning, i);
        pawl_text_free(list->env, (char *)warning->where);
        pawl_text_free(list->env, (char *)warning->text);
        pawl_text_free(list->env, (char *)warning->advice);
    }
    pawl_array_free(list->env, &list->items);
}

warning_where pawl_warning_body(const pawl_model *model, int body)
{
    warning_where where;
    snprintf(where.text, sizeof where.text, body < 0 ? "the world" : "body '%s'",
             body < 0 ? "" : model->bodies[body].name);
    return where;
}

warning_where pawl_warning_joint(const pawl_model *model, int joint)
{
    warning_where where;
    snprintf(where.text, sizeof where.text, "joint '%s'", model->joints[joint].name);
    return where;
}

warning_where pawl_warning_joints(const pawl_model *model, int a, int b)
{
    warning_where where;
    snprintf(where.text, sizeof where.text, "joints '%s' and '%s'", model->joints[a].name,
             model->joints[b].name);
    return where;
}

// Warnings of the file reader come first, then the rules in the order of the table.
pawl_status pawl_warnings_find(pawl_sim *sim, warning_list *list)
{
    for (int i = 0; i < sim->model->warning_count; ++i) {
        PAWL_TRY(warning_push(list, &sim->model->warnings[i]));
    }
    for (size_t i = 0; i < sizeof warning_rules / sizeof warning_rules[0]; ++i) {
        PAWL_TRY(warning_rules[i](sim, list));
    }
    return PAWL_OK;
}
