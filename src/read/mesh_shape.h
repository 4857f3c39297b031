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
// The hull of vertices as the shape; an error at `node` where they span none.
pawl_status mesh_shape_hull(xml_reader *reader, const xmlNode *node, const pawl_vec3 *vertices,
                            int count, const char *owner, pawl_shape_def *def);
