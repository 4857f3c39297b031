// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// How a model file is read, the same for every command that reads one: --path DIR, --verbose, --repair, --keep-fixed,
// --mesh.
#pragma once
#include "args.h"
#include "pawl/io.h"

typedef struct load_args {
    char search_path[4096]; ///< folders, separated by ':'
    bool verbose;
    bool repair_inertia;
    bool keep_fixed;
    pawl_mesh_contact mesh_contact;
} load_args;

/// The rows of a command's table; `offset` is that of a load_args in its request.
#define LOAD_ARGS_PATH(offset)                                                                     \
    {                                                                                              \
        "--path", 0, "DIR",                                                                        \
            "look there, too, for meshes and models that the file names; may be\n"                 \
            "repeated; then SDF_PATH, GZ_SIM_RESOURCE_PATH, ROS_PACKAGE_PATH",                     \
            load_args_take_path, offset, NULL                                                      \
    }
#define LOAD_ARGS_VERBOSE(offset)                                                                  \
    {                                                                                              \
        "--verbose", 0, NULL, "a line for every note on the file, instead of one for each kind",   \
            args_take_flag, offset, NULL                                                           \
    }

#define LOAD_ARGS_REPAIR(offset)                                                                   \
    {                                                                                              \
        "--repair", 0, "WHAT",                                                                     \
            "inertia: inertias that no rigid body has become the nearest valid\n"                  \
            "ones; every body that is changed is listed",                                          \
            load_args_take_repair, offset, load_args_repair_name                                   \
    }
#define LOAD_ARGS_KEEP_FIXED(offset)                                                               \
    {                                                                                              \
        "--keep-fixed", 0, NULL,                                                                   \
            "SDFormat, URDF: links on fixed joints stay bodies, instead of becoming part\n"        \
            "of the links that carry them",                                                        \
            args_take_flag, offset, NULL                                                           \
    }
#define LOAD_ARGS_MESH(offset)                                                                     \
    {                                                                                              \
        "--mesh", 0, "HOW",                                                                        \
            "how collision meshes touch: hull, as their convex hulls (the default),\n"             \
            "parts, as convex parts that are made of them, or triangles, as they are",             \
            load_args_take_mesh, offset, load_args_mesh_name                                       \
    }
bool load_args_take_repair(const args_use *use);
bool load_args_take_mesh(const args_use *use);
const char *load_args_mesh_name(const void *user, int index);
const char *load_args_repair_name(const void *user, int index);
bool load_args_take_path(const args_use *use);
void load_args_apply(const load_args *args, pawl_load_options *options);
