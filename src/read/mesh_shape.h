// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A <mesh> of SDFormat or URDF as a shape.
#pragma once
#include "read/mesh.h"

// The shape of a mesh that a collision (or, with `visual`, a visual) names. *known is false where the model does without
// it: a visual mesh always, a collision mesh that is not there with --lenient. `owner` is the link, for messages.
pawl_status mesh_shape_read(xml_reader *reader, const xmlNode *node, const char *uri,
                            pawl_vec3 scale, bool visual, const char *owner, pawl_shape_def *def,
                            bool *known);
// What of a mesh touches: its hull, or its triangles where the caller of the reader asked for them. An error at `node`
// where it spans nothing.
pawl_status mesh_shape_touching(xml_reader *reader, const xmlNode *node, const triangle_mesh *mesh,
                                const char *owner, pawl_shape_def *def);
