// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A model with a motion file is compiled twice: inverse kinematics needs a compiled model, and the resulting targets
// are part of the returned model and of its hash.
#include "read/model_finish.h"
#include "pawl/keyframes.h"
#include "read/keyframe_servos.h"
#include "read/model_additions.h"

// Starts of joints that the caller names. Joints without one begin where the file says.
static pawl_status finish_starts(const xml_reader *reader, pawl_builder *builder)
{
    for (int i = 0; i < reader->start_count; ++i) {
        const pawl_named_start *s = &reader->starts[i];
        pawl_joint_id joint = pawl_builder_find_joint(builder, s->joint);
        if (joint.index1 == 0) {
            return PAWL_FAIL(reader->env, PAWL_BAD_ARGUMENT,
                             "start of joint '%s': the model has no joint of that name",
                             s->joint != NULL ? s->joint : "");
        }
        int count = pawl_builder_joint_coordinates(builder, joint);
        if (s->count != count) {
            return PAWL_FAIL(reader->env, PAWL_BAD_ARGUMENT,
                             "start of joint '%s': got %d numbers, expected %d", s->joint, s->count,
                             count);
        }
        PAWL_TRY(pawl_builder_set_start(builder, joint, s->position));
    }
    return PAWL_OK;
}

// Keyframes need a compiled model, and change the builder that it is compiled from.
static pawl_status finish_motion(const xml_reader *reader, pawl_builder *builder, pawl_model **out)
{
    PAWL_TRY(keyframe_servos_add(reader, builder, out));
    pawl_keyframes *keyframes;
    PAWL_TRY(pawl_keyframes_read(reader->env, reader->motion_path, *out, &keyframes));
    pawl_status status = pawl_keyframes_apply(keyframes, builder);
    pawl_keyframes_destroy(keyframes);
    PAWL_TRY(status);
    pawl_model_destroy(*out);
    *out = NULL;
    return pawl_builder_compile(builder, out);
}

pawl_status model_finish(const xml_reader *reader, const xmlNode *root, const char *what,
                         const char *name, pawl_builder *builder, pawl_model **out)
{
    for (const xml_warning *w = reader->warnings; w != NULL; w = w->next) {
        PAWL_TRY(pawl_builder_add_warning(builder, &w->warning));
    }
    PAWL_TRY(finish_starts(reader, builder));
    PAWL_TRY(xml_refused(reader, root, what, name, pawl_builder_compile(builder, out)));
    // The base is placed before the motion is read, which balances against gravity; the ground comes after it, for
    // the motion may say how the legs begin.
    pawl_status status = reader->start_limits == PAWL_START_CLAMP
                             ? model_clamp_starts(reader, builder, out)
                             : PAWL_OK;
    status = status == PAWL_OK ? model_place_base(reader, builder, out) : status;
    if (status == PAWL_OK && reader->motion_path != NULL) {
        status = finish_motion(reader, builder, out);
    }
    if (status == PAWL_OK) {
        status = model_put_ground(reader, builder, out);
    }
    if (status != PAWL_OK) {
        pawl_model_destroy(*out);
        *out = NULL;
    }
    return status;
}
