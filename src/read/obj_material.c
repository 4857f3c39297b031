// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Colours of Wavefront OBJ files: the materials that lines "usemtl" name, from the files of lines "mtllib" beside the
// OBJ file. The diffuse colour "Kd r g b" of a material and its transparency, "d" or "Tr", are used. A file in
// another folder, or outside the search path, is not opened. Nothing here is an error, because it is only for
// drawing.
#include "read/mesh.h"
#include "read/search_path.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MATERIAL_FILES = 8, MATERIAL_PATH = 4096, MATERIAL_MAX_BYTES = 4 * 1024 * 1024 };

static const char *material_next_line(const char *at)
{
    const char *end = strchr(at, '\n');
    return end != NULL ? end + 1 : at + strlen(at);
}

// What follows the word that a line begins with, NULL where it begins with another.
static const char *material_after(const char *line, const char *word)
{
    size_t length = strlen(word);
    line += strspn(line, " \t");
    bool is = strncmp(line, word, length) == 0 && (line[length] == ' ' || line[length] == '\t');
    return is ? line + length + strspn(line + length, " \t") : NULL;
}

// Up to the end of its line, without the space there.
static size_t material_length(const char *name)
{
    size_t length = strcspn(name, "\r\n");
    while (length > 0 && (name[length - 1] == ' ' || name[length - 1] == '\t')) {
        --length;
    }
    return length;
}

static bool material_same(const char *a, const char *b)
{
    size_t length = material_length(a);
    return length == material_length(b) && memcmp(a, b, length) == 0;
}

static void material_read(const char *line, mesh_part *part)
{
    const char *at = material_after(line, "Kd");
    for (int k = 0; at != NULL && k < 3; ++k) {
        char *end;
        double value = strtod(at, &end);
        part->rgba[k] = value >= 0.0 && value <= 1.0 ? (float)value : 0.5f;
        part->coloured = end != at;
        at = end;
    }
    const char *solid = material_after(line, "d"), *clear = material_after(line, "Tr");
    double value = solid != NULL   ? strtod(solid, NULL)
                   : clear != NULL ? 1.0 - strtod(clear, NULL)
                                   : 1.0;
    if ((solid != NULL || clear != NULL) && value > 0.0 && value <= 1.0) {
        part->rgba[3] = (float)value; // 0 is how some exporters write "solid"
    }
    part->textured = part->textured || material_after(line, "map_Kd") != NULL;
}

// Gives the materials of one file to the parts that name them.
static void material_scan(const char *text, const char *const *names, triangle_mesh *mesh)
{
    const char *name = NULL;
    for (const char *line = text; *line != '\0'; line = material_next_line(line)) {
        const char *other = material_after(line, "newmtl");
        name = other != NULL ? other : name;
        for (int k = 0; k < mesh->part_count && name != NULL && other == NULL; ++k) {
            if (material_same(names[k], name)) {
                material_read(line, &mesh->parts[k]);
            }
        }
    }
}

static void material_file(const mesh_source *s, const char *name, const char *const *names,
                          triangle_mesh *mesh)
{
    char path[MATERIAL_PATH], why[MESH_WHY], *data;
    const char *slash = strrchr(s->path, '/');
    size_t size, length = material_length(name);
    size_t folder = slash != NULL ? (size_t)(slash - s->path) + 1 : 0;
    if (length == 0 || memchr(name, '/', length) != NULL || folder + length + 1 > sizeof path) {
        return;
    }
    snprintf(path, sizeof path, "%.*s%.*s", (int)folder, s->path, (int)length, name);
    if (!search_path_allows(s->reader, path) ||
        mesh_file_slurp(s->reader->env, path, &data, &size, why) != PAWL_OK) {
        return;
    }
    if (size <= MATERIAL_MAX_BYTES) {
        material_scan(data, names, mesh);
    }
    pawl_free(s->reader->env, data, size + 1);
}

void mesh_obj_colours(const mesh_source *s, const char *const *names, triangle_mesh *mesh)
{
    for (int k = 0; k < mesh->part_count; ++k) {
        mesh->parts[k].rgba[3] = 1.0f;
    }
    if (s->path == NULL || !s->reader->drawing || mesh->part_count > 10000) {
        return;
    }
    int files = 0;
    for (const char *line = s->data; *line != '\0' && files < MATERIAL_FILES;
         line = material_next_line(line)) {
        const char *name = material_after(line, "mtllib");
        if (name != NULL) {
            const char *rest = strncmp(name, "./", 2) == 0 ? name + 2 : name;
            material_file(s, rest, names, mesh);
            ++files;
        }
    }
}
