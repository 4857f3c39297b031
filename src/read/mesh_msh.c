// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// MuJoCo's binary meshes: four counts (vertices, normals, texture coordinates, faces), then the arrays: vertices and
// normals as three floats, texture coordinates as two, faces as three integers.
#include "read/mesh.h"
#include <stdio.h>
#include <string.h>

pawl_status mesh_read_msh(const mesh_source *s, triangle_mesh *out)
{
    int32_t n[4];
    if (s->size < sizeof n) {
        snprintf(s->why, MESH_WHY, "msh: %zu bytes are too few for its four counts", s->size);
        return PAWL_BAD_FILE;
    }
    memcpy(n, s->data, sizeof n);
    for (int i = 0; i < 4; ++i) {
        if (n[i] < 0 || n[i] > MESH_MAX_VERTICES) {
            snprintf(s->why, MESH_WHY, "msh: count %d is %d, expected 0 to %d", i, (int)n[i],
                     (int)MESH_MAX_VERTICES);
            return PAWL_BAD_FILE;
        }
    }
    size_t vertices = (size_t)n[0], faces = (size_t)n[3];
    size_t skip = 12 * (size_t)n[1] + 8 * (size_t)n[2];
    size_t need = sizeof n + 12 * vertices + skip + 12 * faces;
    if (s->size < need) {
        snprintf(s->why, MESH_WHY, "msh cut short: its counts need %zu bytes, got %zu", need,
                 s->size);
        return PAWL_BAD_FILE;
    }
    PAWL_TRY(mesh_reserve(s, out, vertices, faces));
    const char *at = s->data + sizeof n;
    for (size_t i = 0; i < vertices; ++i, at += 12) {
        float v[3];
        memcpy(v, at, sizeof v);
        out->vertices[i] = (pawl_vec3){v[0], v[1], v[2]};
    }
    at += skip;
    for (size_t i = 0; i < faces; ++i, at += 12) {
        int32_t f[3];
        memcpy(f, at, sizeof f);
        for (int k = 0; k < 3; ++k) {
            if (f[k] < 0 || f[k] >= n[0]) {
                snprintf(s->why, MESH_WHY, "msh: a face names vertex %d, of %d", (int)f[k],
                         (int)n[0]);
                return PAWL_BAD_FILE;
            }
            out->triangles[i].v[k] = f[k];
        }
    }
    return PAWL_OK;
}
