// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// "servo JOINTS STIFFNESS DAMPING [EFFORT]" of motion files: position actuators for joints that have none. URDF has
// no gains, so they are in the motion file.
#pragma once
#include "read/text_lines.h"
#include "read/xml_reader.h"

typedef struct keyframe_servo {
    const char *joints; // of the text: names with '*' for anything, separated by commas, or "all"
    double stiffness, damping;
    double effort; // < 0: what the joint allows
} keyframe_servo;
// The line that was handed out last, which begins with "servo".
pawl_status keyframe_servo_line(const text_lines *text, keyframe_servo *out);
// Adds the actuators of all such lines of the reader's motion file to the builder that `model` was compiled from, and
// compiles it again where there are any.
pawl_status keyframe_servos_add(const xml_reader *reader, pawl_builder *builder,
                                pawl_model **model);
