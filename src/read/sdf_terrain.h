// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Heightmaps and extruded outlines of SDFormat.
#pragma once
#include "read/sdf_parts.h"

// A <heightmap> of a link that is part of the world; `surface` has its pose in the link, name and material.
pawl_status sdf_terrain_read(const sdf_reader *r, const xmlNode *node, const sdf_item *link,
                             const pawl_shape_def *surface);
// *known is false for an outline of fewer than 3 points, which is left out or refused.
pawl_status sdf_terrain_polyline(xml_reader *xml, const xmlNode *node, const char *owner,
                                 bool visual, pawl_shape_def *def, bool *known);
