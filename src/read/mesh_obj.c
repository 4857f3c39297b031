// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Wavefront OBJ: the lines "v x y z" and "f a b c ...", polygons as fans. Negative indices count backwards from the last
// vertex before the face. Lines "usemtl name" make parts of one material each (obj_material.c); normals, textures and
// groups are ignored.
#include "read/mesh.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *obj_next_line(const char *at)
{
    const char *end = strchr(at, '\n');
    return end != NULL ? end + 1 : at + strlen(at);
}

static bool obj_is(const char *line, char letter)
{
    return line[0] == letter && (line[1] == ' ' || line[1] == '\t');
}

// The index of the next corner of a face, *at moving behind it; false at the end of the line.
static bool obj_corner(const char **at, long *index)
{
    const char *c = *at + strspn(*at, " \t\r");
    char *end;
    if (*c == '\n' || *c == '\0' || *c == '#') {
        return false;
    }
    *index = strtol(c, &end, 10);
    if (end == c) {
        return false;
    }
    *at = end + strcspn(end, " \t\r\n");
    return true;
}

static pawl_status obj_vertex(const mesh_source *s, const char *line, pawl_vec3 *out)
{
    double v[3];
    const char *at = line + 1;
    for (int k = 0; k < 3; ++k) {
        char *end;
        v[k] = strtod(at, &end);
        if (end == at || !isfinite(v[k])) {
            snprintf(s->why, MESH_WHY, "OBJ: got '%.40s', expected v and three numbers", line);
            return PAWL_BAD_FILE;
        }
        at = end;
    }
    *out = (pawl_vec3){v[0], v[1], v[2]};
    return PAWL_OK;
}

static pawl_status obj_face(const mesh_source *s, const char *line, int vertices,
                            triangle_mesh *out, size_t *triangles)
{
    const char *at = line + 1;
    long index, corner[3];
    for (int n = 0; obj_corner(&at, &index); ++n) {
        index = index < 0 ? vertices + index : index - 1;
        if (index < 0 || index >= out->vertex_count) {
            snprintf(s->why, MESH_WHY, "OBJ: a face names vertex %ld, of %d", index + 1,
                     out->vertex_count);
            return PAWL_BAD_FILE;
        }
        corner[n < 2 ? n : 2] = index;
        if (n >= 2) {
            out->triangles[(*triangles)++] =
                (mesh_triangle){{(int)corner[0], (int)corner[1], (int)corner[2]}};
            corner[1] = corner[2];
        }
    }
    return PAWL_OK;
}

static bool obj_names_material(const char *line)
{
    return strncmp(line, "usemtl", 6) == 0 && (line[6] == ' ' || line[6] == '\t');
}

// Ends the part before at triangle t and begins one; its material is named after the word usemtl.
static void obj_begin_part(triangle_mesh *out, const char **names, size_t t, const char *line)
{
    int k = out->part_count++;
    if (k > 0) {
        out->parts[k - 1].count = (int)t - out->parts[k - 1].first;
    }
    out->parts[k].first = (int)t;
    names[k] = line + 6 + strspn(line + 6, " \t");
}

pawl_status mesh_read_obj(const mesh_source *s, triangle_mesh *out)
{
    size_t vertices = 0, triangles = 0, parts = 0;
    for (const char *line = s->data; *line != '\0'; line = obj_next_line(line)) {
        line += strspn(line, " \t");
        vertices += obj_is(line, 'v') ? 1 : 0;
        parts += obj_names_material(line) ? 1 : 0;
        if (obj_is(line, 'f')) {
            const char *at = line + 1;
            long index;
            size_t corners = 0;
            while (obj_corner(&at, &index)) {
                ++corners;
            }
            triangles += corners > 2 ? corners - 2 : 0;
        }
    }
    PAWL_TRY(mesh_reserve(s, out, vertices, triangles));
    out->parts = xml_alloc(s->reader, (parts + 1) * sizeof *out->parts);
    const char **names = xml_alloc(s->reader, (parts + 1) * sizeof *names);
    if (out->parts == NULL || names == NULL) {
        return PAWL_NO_MEMORY;
    }
    int v = 0;
    size_t t = 0;
    for (const char *line = s->data; *line != '\0'; line = obj_next_line(line)) {
        line += strspn(line, " \t");
        if (obj_is(line, 'v')) {
            PAWL_TRY(obj_vertex(s, line, &out->vertices[v++]));
        } else if (obj_is(line, 'f')) {
            PAWL_TRY(obj_face(s, line, v, out, &t));
        } else if (obj_names_material(line)) {
            obj_begin_part(out, names, t, line);
        }
    }
    if (out->part_count > 0) {
        mesh_part *last = &out->parts[out->part_count - 1];
        last->count = (int)t - last->first;
        mesh_obj_colours(s, names, out);
    }
    return PAWL_OK;
}
