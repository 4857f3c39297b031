// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Motion files: keyframes of feet and joints for the position actuators of a model. In libpawl-io.
///
/// **Threads.** Keyframes belong to one thread at a time; applying them changes only the builder.
#pragma once
#include "pawl/model.h"

PAWL_EXTERN_C_BEGIN

/// Keyframes of feet and joints from a motion file, as targets of a model's position actuators: poses
/// by inverse kinematics at the keys, cubic from rest to rest between them. docs/motions.md has the format.
typedef struct pawl_keyframes pawl_keyframes;
/// Errors go to the log as "file:line: message". `model` need not outlive the keyframes. On failure *out
/// is NULL.
PAWL_API pawl_status pawl_keyframes_read(const pawl_env *env, const char *path,
                                         const pawl_model *model, pawl_keyframes **out);
/// The same from memory; `name` is the file name in messages.
PAWL_API pawl_status pawl_keyframes_parse(const pawl_env *env, const char *name, const char *text,
                                          size_t size, const pawl_model *model,
                                          pawl_keyframes **out);
PAWL_API void pawl_keyframes_destroy(pawl_keyframes *keyframes);    ///< NULL is fine
PAWL_API int pawl_keyframes_count(const pawl_keyframes *keyframes); ///< the start included
PAWL_API double pawl_keyframes_time(const pawl_keyframes *keyframes, int key); ///< [s]
/// The target of an actuator: false if the keyframes do not set it. Its tables are valid as long as the
/// keyframes.
PAWL_API bool pawl_keyframes_target(const pawl_keyframes *keyframes, pawl_actuator_id actuator,
                                    pawl_signal *out);
/// Gives the actuators of a builder their targets; it must be the one that `model` was compiled from.
PAWL_API pawl_status pawl_keyframes_apply(const pawl_keyframes *keyframes, pawl_builder *builder);

PAWL_EXTERN_C_END
