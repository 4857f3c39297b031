// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Shapes against surfaces of triangles.
#pragma once
#include "collide/surface_search.h"
#include "model/tri_mesh.h"

// A convex shape against a mesh: at most `room` manifolds, normals from the shape into the mesh. Returns how many.
int pawl_mesh_collide(const placed_shape *shape, const placed_shape *mesh, double margin,
                      contact_manifold *out, int room);
// Two meshes; normals from a to b.
int pawl_mesh_collide_meshes(const placed_shape *a, const placed_shape *b, double margin,
                             contact_manifold *out, int room);
