// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The convex hull of points as a polytope with polygonal faces: coplanar triangles are merged, so
// that the top of a box made of points is one face with four corners.
#pragma once
#include "base/env.h"
#include "math/vec.h"

typedef struct hull_edge {
    int vertex[2];
    int face[2]; // -1: none (a segment seen as a polytope)
} hull_edge;

typedef struct convex_hull {
    int vertex_count, face_count, edge_count;
    pawl_vec3 *vertices;
    pawl_vec3 *normals; // of the faces, outward (face_count)
    double *offsets;    // normal . x on the face (face_count)
    int *face_start;    // into loops (face_count + 1)
    int *loops;         // vertices of each face, counter-clockwise seen from outside
    hull_edge *edges;
    pawl_vec3 centre; // inside
    double radius;    // largest distance of a vertex from the frame's origin
    size_t bytes;     // of this block
} convex_hull;

enum { HULL_MAX_POINTS = 4096 };
// One block of memory. Refused: fewer than four points, a flat set, numbers that are not finite.
// `name` is for the message.
pawl_status pawl_hull_create(const pawl_env *env, const char *name, const pawl_vec3 *points,
                             int point_count, convex_hull **out);
void pawl_hull_destroy(const pawl_env *env, convex_hull *hull); // NULL is fine
// Volume, centre and the second moments xx yy zz xy xz yz about the centre, at density 1.
void pawl_hull_moments(const convex_hull *hull, double *volume, pawl_vec3 *centre,
                       double moments[6]);
