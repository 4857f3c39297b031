// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A surface of triangles with fewer of them, for drawing.
#pragma once
#include "pawl/base.h"

typedef struct drawn_mesh {
    int point_count, triangle_count;
    pawl_vec3 *points;
    int *triangles; // three points each
    void *block;    // of both
    size_t bytes;
} drawn_mesh;

// Points at the same place become one, triangles without area go; then, where more than `most` triangles are left, the
// points of every cell of a grid become one, with the finest grid that leaves `most` or fewer. Corners are indices of
// points. `out` is for pawl_drawn_mesh_free(); on failure it is empty.
pawl_status pawl_mesh_simplify(const pawl_env *env, const pawl_vec3 *points, int point_count,
                               const int *triangles, int triangle_count, int most, drawn_mesh *out);
void pawl_drawn_mesh_free(const pawl_env *env, drawn_mesh *mesh);
