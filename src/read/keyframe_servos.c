// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Servos of a motion file. They are created before its keys are read, because keys need actuators.
#include "read/keyframe_servos.h"
#include "base/guard.h"
#include "pawl/model.h"
#include <locale.h>
#include <math.h>
#include <string.h>

pawl_status keyframe_servo_line(const text_lines *text, keyframe_servo *out)
{
    if (text->word_count != 4 && text->word_count != 5) {
        return text_lines_error(text,
                                "got %d words, expected 'servo JOINTS STIFFNESS DAMPING [EFFORT]'",
                                text->word_count);
    }
    *out = (keyframe_servo){.joints = text->words[1], .effort = -1.0};
    PAWL_TRY(text_lines_number(text, 2, "stiffness", &out->stiffness));
    PAWL_TRY(text_lines_number(text, 3, "damping", &out->damping));
    if (text->word_count == 5) {
        PAWL_TRY(text_lines_number(text, 4, "effort", &out->effort));
    }
    bool given = text->word_count == 5;
    if (out->stiffness < 0.0 || out->damping < 0.0 || (given && out->effort < 0.0)) {
        return text_lines_error(text, "got a negative gain or effort, expected 0 or more");
    }
    return PAWL_OK;
}

// Whether `name` is `pattern`, in which '*' stands for any characters.
static bool servos_match(const char *pattern, const char *end, const char *name)
{
    while (pattern != end && *pattern != '*') {
        if (*pattern++ != *name++) {
            return false;
        }
    }
    if (pattern == end) {
        return *name == '\0';
    }
    for (;; ++name) {
        if (servos_match(pattern + 1, end, name)) {
            return true;
        }
        if (*name == '\0') {
            return false;
        }
    }
}

// Gears drive their joint already, and joints of several coordinates may be turned in ways that servos of single
// coordinates do not follow.
static bool servos_can_drive(const pawl_model *model, int j, bool *has)
{
    pawl_joint_id id = pawl_model_joint_at(model, j);
    pawl_joint_info joint = pawl_model_joint(model, id);
    *has = false;
    for (int a = 0; a < pawl_model_actuator_count(model); ++a) {
        pawl_actuator_def def = pawl_model_actuator(model, pawl_model_actuator_at(model, a));
        *has = *has || pawl_joint_same(def.joint, id);
    }
    bool geared = false;
    for (int g = 0; g < pawl_model_joint_count(model); ++g) {
        pawl_joint_info gear = pawl_model_joint(model, pawl_model_joint_at(model, g));
        geared = geared || (gear.kind == PAWL_JOINT_GEAR && pawl_body_same(gear.base, joint.base) &&
                            pawl_body_same(gear.follower, joint.follower));
    }
    return joint.coordinate_count == 1 && joint.kind != PAWL_JOINT_GEAR && !geared &&
           joint.coordinate[0].lower < joint.coordinate[0].upper;
}

static double servos_effort(const xml_reader *reader, pawl_joint_id joint)
{
    for (const xml_effort *e = reader->efforts; e != NULL; e = e->next) {
        if (pawl_joint_index(e->joint) == pawl_joint_index(joint)) {
            return e->effort;
        }
    }
    return INFINITY;
}

// One pattern of a line. Returns how many joints it found through *found.
static pawl_status servos_add_pattern(const xml_reader *reader, const text_lines *text,
                                      const keyframe_servo *servo, const char *pattern,
                                      const char *end, const pawl_model *model,
                                      pawl_builder *builder, int *found)
{
    bool all = (size_t)(end - pattern) == 3 && memcmp(pattern, "all", 3) == 0;
    bool wild = all || memchr(pattern, '*', (size_t)(end - pattern)) != NULL;
    for (int j = 0; j < pawl_model_joint_count(model); ++j) {
        const char *name = pawl_model_joint(model, pawl_model_joint_at(model, j)).name;
        bool has;
        if (!all && !servos_match(pattern, end, name)) {
            continue;
        }
        bool can = servos_can_drive(model, j, &has);
        if (wild && (!can || has)) {
            continue;
        }
        if (!can || has) {
            return text_lines_error(text, "joint '%s' %s", name,
                                    has ? "has an actuator already"
                                        : "cannot have a servo: one coordinate that is free to "
                                          "move and not driven by another joint expected");
        }
        pawl_actuator_def def = pawl_actuator_def_default();
        def.kind = PAWL_ACTUATOR_POSITION;
        def.joint = pawl_builder_joint_at(builder, j);
        def.stiffness = servo->stiffness;
        def.damping = servo->damping;
        def.effort = servo->effort >= 0.0 ? servo->effort : servos_effort(reader, def.joint);
        def.target = pawl_signal_constant(0.0);
        PAWL_TRY(pawl_builder_add_actuator(builder, &def, NULL));
        ++*found;
    }
    return PAWL_OK;
}

static pawl_status servos_add_line(const xml_reader *reader, const text_lines *text,
                                   pawl_builder *builder, pawl_model **model)
{
    keyframe_servo servo;
    PAWL_TRY(keyframe_servo_line(text, &servo));
    for (const char *pattern = servo.joints; pattern != NULL;) {
        const char *comma = strchr(pattern, ',');
        const char *end = comma != NULL ? comma : pattern + strlen(pattern);
        int found = 0;
        PAWL_TRY(servos_add_pattern(reader, text, &servo, pattern, end, *model, builder, &found));
        if (found == 0) {
            return text_lines_error(text, "no joint without an actuator is called '%.*s'",
                                    (int)(end - pattern < 60 ? end - pattern : 60), pattern);
        }
        // The next pattern must find the joints that now have an actuator.
        pawl_model_destroy(*model);
        *model = NULL;
        PAWL_TRY(pawl_builder_compile(builder, model));
        pattern = comma != NULL ? comma + 1 : NULL;
    }
    return PAWL_OK;
}

pawl_status keyframe_servos_add(const xml_reader *reader, pawl_builder *builder, pawl_model **model)
{
    text_lines *text = pawl_alloc(reader->env, sizeof *text);
    if (text == NULL) {
        return PAWL_FAIL(reader->env, PAWL_NO_MEMORY, "no memory for a motion");
    }
    pawl_status status = text_lines_open(text, reader->env, reader->motion_path);
    for (bool more = true; more && status == PAWL_OK;) {
        status = text_lines_next(text, &more);
        if (status == PAWL_OK && more && strcmp(text->words[0], "servo") == 0) {
            status = servos_add_line(reader, text, builder, model);
        }
    }
    text_lines_end(text);
    pawl_free(reader->env, text, sizeof *text);
    return status;
}
