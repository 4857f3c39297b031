// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reads --path DIR, --repair, --keep-fixed and --mesh. A missing folder is refused before anything is read.
#include "load_args.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool load_args_take_path(const args_use *use)
{
    char *list = use->field;
    const size_t size = sizeof((load_args *)0)->search_path;
    size_t used = strlen(list);
    struct stat info;
    if (stat(use->value, &info) != 0 || !S_ISDIR(info.st_mode)) {
        return args_refuse(use, "--path '%s' is no folder", use->value);
    }
    if (used + strlen(use->value) + 2 > size) {
        return args_refuse(use, "the folders of --path are more than %zu bytes together", size);
    }
    snprintf(list + used, size - used, "%s%s", used > 0 ? ":" : "", use->value);
    return true;
}

const char *load_args_repair_name(const void *user, int index)
{
    (void)user;
    return index == 0 ? "inertia" : NULL;
}

bool load_args_take_repair(const args_use *use)
{
    if (strcmp(use->value, "inertia") != 0) {
        return args_refuse(use, "--repair: got '%s', expected inertia", use->value);
    }
    *(bool *)use->field = true;
    return true;
}

static const char *const load_args_meshes[PAWL_MESH_CONTACT_COUNT] = {
    [PAWL_MESH_HULL] = "hull", [PAWL_MESH_TRIANGLES] = "triangles", [PAWL_MESH_PARTS] = "parts"};

const char *load_args_mesh_name(const void *user, int index)
{
    (void)user;
    return index >= 0 && index < PAWL_MESH_CONTACT_COUNT ? load_args_meshes[index] : NULL;
}

bool load_args_take_mesh(const args_use *use)
{
    for (int k = 0; k < PAWL_MESH_CONTACT_COUNT; ++k) {
        if (strcmp(use->value, load_args_meshes[k]) == 0) {
            *(pawl_mesh_contact *)use->field = (pawl_mesh_contact)k;
            return true;
        }
    }
    return args_refuse(use, "--mesh: got '%s', expected hull, parts or triangles", use->value);
}

void load_args_apply(const load_args *args, pawl_load_options *options)
{
    options->search_path = args->search_path;
    options->verbose = args->verbose;
    options->repair_inertia = args->repair_inertia;
    options->keep_fixed = args->keep_fixed;
    options->mesh_contact = args->mesh_contact;
}
