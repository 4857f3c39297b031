// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A mesh as convex parts.
#pragma once
#include "read/mesh.h"

typedef struct mesh_parts {
    const struct mesh_parts *next; // in the reader's list
    uint64_t key;                  // of the mesh
    int count;
    const mesh_hull *hulls; // (count)
    double concavity;       // largest distance by which a hull fills a pocket [m]
} mesh_parts;
// Made once for meshes with the same numbers. A mesh without volume has none.
pawl_status mesh_parts_make(xml_reader *reader, const triangle_mesh *mesh, const mesh_parts **out);
