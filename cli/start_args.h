// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// --start JOINT=Q, the same for every command that has it.
#pragma once
#include "args.h"
#include "pawl/io.h"

enum { START_ARGS_MAX = 256 };
typedef struct start_args {
    int count;
    pawl_named_start starts[START_ARGS_MAX];
    char names[START_ARGS_MAX][128];
    const char *key; ///< of a keyframe; NULL for none
    pawl_start_limits limits;
} start_args;

/// The row of a command's table; `offset` is that of a start_args in its request.
#define START_ARGS_OPTION(offset)                                                                  \
    {                                                                                              \
        "--start", 0, "JOINT=Q",                                                                   \
            "initial position of a joint [rad or m], Q1,Q2,... for several coordinates;\n"         \
            "a name alone is a keyframe of the file;\n"                                            \
            "clamp: joints beyond their limits begin at them; as-is (default): where they are;\n"  \
            "may be repeated; loops are then closed",                                              \
            start_args_take, offset, NULL                                                          \
    }

/// One "JOINT=Q1,Q2", or false with a message.
bool start_args_take(const args_use *use);
void start_args_apply(const start_args *starts, pawl_load_options *options);
