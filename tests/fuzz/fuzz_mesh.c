// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Hostile meshes of the formats that pawl reads itself: the first byte chooses the format, the rest is the file. What is
// read gets a hull, mass properties and, if it is small, convex parts.
#include "read/mesh_parts.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const endings[] = {"stl", "obj", "msh"};
    if (size == 0) {
        return 0;
    }
    pawl_env env = pawl_env_default();
    xml_reader reader;
    triangle_mesh mesh = {0};
    char why[MESH_WHY];
    char *text = malloc(size); // the byte behind the file is a zero
    if (text == NULL) {
        return 0;
    }
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    xml_reader_begin(&reader, &env, false);
    if (mesh_parse(&reader, endings[data[0] % 3], text, size - 1, &mesh, why) == PAWL_OK) {
        mesh_hull hull;
        mesh_moments moments;
        if (mesh_hull_make(&reader, mesh.vertices, mesh.vertex_count, &hull) == PAWL_OK &&
            mesh_moments_of(&reader, &mesh, MESH_LEGACY, &moments) == PAWL_OK &&
            hull.count > MESH_HULL_VERTICES) {
            abort();
        }
        triangle_mesh whole;
        (void)mesh_whole_hull(&reader, mesh.vertices, mesh.vertex_count, &whole);
        const mesh_parts *parts;
        if (mesh.triangle_count > 0 && mesh.triangle_count < 13) {
            (void)mesh_parts_make(&reader, &mesh, &parts);
        }
    }
    xml_reader_end(&reader);
    free(text);
    return 0;
}
