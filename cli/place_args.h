// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// --ground, --place and --fixed-base, the same for every command that has them.
#pragma once
#include "args.h"
#include "pawl/io.h"

typedef struct place_pose {
    bool given;
    pawl_pose pose;
} place_pose;
typedef struct place_args {
    pawl_ground_option ground;
    place_pose place;
    bool fixed_base;
} place_args;

/// Rows of a command's table; `offset` is that of a place_args in its request.
#define PLACE_ARGS_GROUND(offset)                                                                  \
    {                                                                                              \
        "--ground", 0, "[WHERE]",                                                                  \
            "put a plane below the model: 'under' its lowest shape (the default),\n"               \
            "or at a height [m];\n"                                                                \
            "WHERE,DEGREES for a slope that rises along x, on which it stands;\n"                  \
            "WHERE,DEGREES,FRICTION for its coefficient of friction;\n"                            \
            "or a model FILE whose fixed shapes are the ground",                                   \
            place_args_take_ground, (offset) + offsetof(place_args, ground), NULL                  \
    }
#define PLACE_ARGS_PLACE(offset)                                                                   \
    {                                                                                              \
        "--place", 0, "POSE",                                                                      \
            "move what floats: X,Y,Z [m], or X,Y,Z,ROLL,PITCH,YAW [m, degrees] as in URDF",        \
            place_args_take_place, (offset) + offsetof(place_args, place), NULL                    \
    }
#define PLACE_ARGS_FIXED(offset)                                                                   \
    {                                                                                              \
        "--fixed-base", 0, NULL, "hold the root of every tree that floats", args_take_flag,        \
            (offset) + offsetof(place_args, fixed_base), NULL                                      \
    }

/// "under", "0.5", "under,10" or "under,10,0.8"; false with a message.
bool place_args_take_ground(const args_use *use);
bool place_args_take_place(const args_use *use);
void place_args_apply(const place_args *place, pawl_load_options *options);
