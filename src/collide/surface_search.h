// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A convex shape against a surface of triangles that know their neighbours: the narrow phase of heightfields and
// meshes. The owner of the triangles begins a search, adds the faces, edges and vertices that the shape may reach,
// and collects the manifolds.
//
// The possible contact normals of a face, an edge or a vertex form its normal cone: the normal of the face; the
// normals between those of the two faces of a ridge; the normals that no neighbour of a peak rises above. Flat edges
// and valleys have no cone of their own, so bodies do not catch at them: a point near them is nearer to, or deeper
// in, a face.
#pragma once
#include "collide/manifold.h"

enum { SURFACE_POINTS = 64 };

typedef struct surface_face {
    pawl_vec3 v[3];   // counter-clockwise seen from outside
    pawl_vec3 normal; // unit, outward
    uint64_t id;
} surface_face;
typedef struct surface_edge {
    pawl_vec3 v[2];
    pawl_vec3 opposite[2]; // the third corners of the two faces
    pawl_vec3 normal[2];   // of the two faces
    uint64_t id;
} surface_edge;
typedef struct surface_vertex {
    pawl_vec3 v;
    const pawl_vec3 *ring; // its neighbours (ring_count)
    int ring_count;
    pawl_vec3 outward; // any direction between the normals of the faces there
    uint64_t id;
} surface_vertex;

// Which face a point that is below the surface belongs to, that face's normal, and how deep below its plane
// the point is; a negative depth where it is not below the surface.
typedef double surface_inside(const void *surface, pawl_vec3 point, uint64_t *face,
                              pawl_vec3 *normal);

typedef struct surface_point {
    pawl_vec3 position; // in the middle between shape and surface
    pawl_vec3 normal;   // out of the surface
    double gap;
    uint32_t feature;
} surface_point;
typedef struct surface_search {
    const placed_shape *shape; // seen from its own origin
    double margin, scale;
    // How far outside of its normal cone [rad] a peak still pushes, and whether peaks and ridges deep in the shape look
    // for ways out along their own directions. As begun: hardly, and true.
    double tilt;
    bool exits;
    pawl_vec3 low, high; // the shape's box, enlarged by the margin
    surface_inside *inside;
    const void *surface;
    pawl_vec3 usual;     // normal of the faces that name their points as a plane does; 0 for none
    surface_point sunk;  // deepest point that no feature of the surface claimed; gap 0: none
    surface_point stuck; // at the ridge that needs the least way out of the shape; gap 0: none
    int count;
    surface_point point[SURFACE_POINTS];
} surface_search;

// The search's points are relative to the position of `shape`, which must be the origin.
void pawl_surface_begin(surface_search *s, const placed_shape *shape, double margin,
                        surface_inside *inside, const void *surface, pawl_vec3 usual);
void pawl_surface_add_face(surface_search *s, const surface_face *face);
void pawl_surface_add_edge(surface_search *s, const surface_edge *edge);
void pawl_surface_add_vertex(surface_search *s, const surface_vertex *vertex);
// A point that the caller has found, at a feature of that number.
void pawl_surface_add_point(surface_search *search, pawl_vec3 position, pawl_vec3 normal,
                            double gap, uint64_t id);
// A shape in the axes of a surface, seen from the shape's own position, and that position in the surface's frame.
placed_shape pawl_surface_seen(const placed_shape *shape, const placed_shape *surface,
                               pawl_vec3 *origin);
// Whether something of the surface was found to push the shape.
bool pawl_surface_has_overlap(const surface_search *search);
// Adds the point that is deepest below the surface where no feature of it has the shape.
void pawl_surface_add_sunk(surface_search *search, pawl_vec3 point);
// Adds the points of another search of the same surface, from whose origin this one's is `shift` away; `id` tells
// apart what was searched for.
void pawl_surface_merge(surface_search *into, const surface_search *from, pawl_vec3 shift,
                        uint64_t id);
// What pawl_surface_finish() returned, from the axes of the surface to the world's.
void pawl_surface_to_world(contact_manifold *manifolds, int count, const placed_shape *shape,
                           const placed_shape *surface);
// Points with one normal are one manifold, or several. Normals point into the surface. Returns how many.
int pawl_surface_finish(surface_search *s, contact_manifold *out, int room);
