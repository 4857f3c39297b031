// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Meshes of model files as shapes of the model.
#pragma once
#include "read/mesh.h"

// The mesh that a collision (or, with `visual`, a visual) names, scaled. *out is NULL where the model does without it: a
// visual mesh that is not there or not wanted, a collision mesh that is not there with --lenient. `owner` is the link,
// for messages.
pawl_status mesh_shape_read(xml_reader *reader, const xmlNode *node, const char *uri,
                            pawl_vec3 scale, bool visual, const char *owner,
                            const triangle_mesh **out);

// Adds a mesh to a body, `def` having all but its geometry.
// A visual one (def->visual_only): as it is, one shape for each of its colours; `coloured` when the model file has a colour, which is in
// def and hides those of the mesh. One that touches: as the caller of the reader asked for, by its hull, its convex parts
// or its triangles; an error at `node` where it spans nothing.
typedef struct mesh_place {
    pawl_builder *builder;
    pawl_body_id body;
    const xmlNode *node;
    const char *owner;
    bool coloured;
} mesh_place;
pawl_status mesh_shape_add(xml_reader *reader, const mesh_place *place, const triangle_mesh *mesh,
                           const pawl_shape_def *def);
