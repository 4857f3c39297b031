// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// STL: binary (80 bytes of header, a count, 50 bytes a triangle) or text. Some binary files begin with the word
// "solid" of text files, so the size determines the format. Corners with equal coordinates are merged.
#include "read/mesh.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STL_HEADER = 84, STL_RECORD = 50 };

static uint32_t stl_count(const char *data)
{
    const unsigned char *c = (const unsigned char *)data + 80;
    return (uint32_t)c[0] | (uint32_t)c[1] << 8 | (uint32_t)c[2] << 16 | (uint32_t)c[3] << 24;
}

static pawl_status stl_binary(const mesh_source *s, size_t count, triangle_mesh *out)
{
    PAWL_TRY(mesh_reserve(s, out, 3 * count, count));
    for (size_t t = 0; t < count; ++t) {
        const char *record = s->data + STL_HEADER + STL_RECORD * t;
        float corner[9];
        memcpy(corner, record + 12,
               sizeof corner); // little endian, as all machines that this runs on
        for (int k = 0; k < 3; ++k) {
            pawl_vec3 *v = &out->vertices[3 * t + (size_t)k];
            *v = (pawl_vec3){corner[3 * k], corner[3 * k + 1], corner[3 * k + 2]};
            out->triangles[t].v[k] = (int)(3 * t) + k;
        }
    }
    return PAWL_OK;
}

// The numbers after each word "vertex"; all else is layout.
static pawl_status stl_text(const mesh_source *s, triangle_mesh *out)
{
    size_t corners = 0;
    for (const char *at = s->data; (at = strstr(at, "vertex")) != NULL; at += 6) {
        corners += 1;
    }
    if (corners % 3 != 0) {
        snprintf(s->why, MESH_WHY, "text STL with %zu corners, expected three a triangle", corners);
        return PAWL_BAD_FILE;
    }
    PAWL_TRY(mesh_reserve(s, out, corners, corners / 3));
    size_t i = 0;
    for (const char *at = s->data; (at = strstr(at, "vertex")) != NULL; ++i) {
        at += 6;
        double v[3];
        for (int k = 0; k < 3; ++k) {
            char *end;
            v[k] = strtod(at, &end);
            if (end == at || !isfinite(v[k])) {
                snprintf(s->why, MESH_WHY, "text STL: corner %zu has no three numbers", i);
                return PAWL_BAD_FILE;
            }
            at = end;
        }
        out->vertices[i] = (pawl_vec3){v[0], v[1], v[2]};
        out->triangles[i / 3].v[i % 3] = (int)i;
    }
    return PAWL_OK;
}

pawl_status mesh_read_stl(const mesh_source *s, triangle_mesh *out)
{
    if (s->size >= STL_HEADER) {
        size_t count = stl_count(s->data), need = STL_HEADER + STL_RECORD * count;
        bool text = strncmp(s->data, "solid", 5) == 0 && memchr(s->data, 0, s->size) == NULL;
        if (need == s->size || (!text && need < s->size)) {
            return stl_binary(s, count, out);
        }
        if (!text) {
            snprintf(s->why, MESH_WHY,
                     "binary STL cut short: %zu triangles announced, which need %zu bytes, got %zu",
                     count, need, s->size);
            return PAWL_BAD_FILE;
        }
    }
    if (strncmp(s->data, "version https://git-lfs", 23) == 0) {
        snprintf(s->why, MESH_WHY, "a Git LFS pointer, not the mesh: git lfs pull brings it");
        return PAWL_BAD_FILE;
    }
    return stl_text(s, out);
}
