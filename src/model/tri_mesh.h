// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A surface of triangles that know their neighbours, with a tree of boxes over them: for collision detection, rays,
// distances and mass properties of meshes. Corners at the same place are merged, triangles without area are dropped.
// It is closed where every edge has one triangle on either side; a closed one is solid, with normals outward.
#pragma once
#include "model/hull.h"

typedef struct mesh_triangle {
    int v[3];         // counter-clockwise seen from outside
    int edge[3];      // from v[k] to v[k + 1]
    pawl_vec3 normal; // unit, outward
} mesh_triangle;

typedef struct mesh_edge {
    int v[2];        // as triangle side[0] passes it
    int side[2];     // triangles; side[1] is -1 at the rim of an open surface
    int opposite[2]; // corners of these that are not on the edge; -1 likewise
    bool ridge; // the surface falls away from it: the only edges that touch anything by themselves
} mesh_edge;

typedef struct mesh_vertex {
    pawl_vec3 at, outward;      // outward: the normals around it, weighted by their angles
    int first_edge, edge_count; // in edge_of
    int owner;                  // the first of its triangles
    bool ridge;                 // of one of its edges
} mesh_vertex;

// Nodes in preorder: the left child follows its parent, `skip` leads past the subtree. Leaves have triangles in a row.
typedef struct mesh_node {
    pawl_vec3 low, high;
    int skip;
    int first, count; // count 0: an inner node
} mesh_node;

typedef struct tri_mesh {
    int vertex_count, triangle_count, edge_count, node_count;
    mesh_vertex *vertices;
    mesh_triangle *triangles; // in the order of the leaves
    mesh_edge *edges;
    int *edge_of; // edges at each vertex
    mesh_node *nodes;
    // of all corners, or of those that reach furthest in many directions; a flat surface has a little thickness
    convex_hull *hull;
    bool closed;
    bool convex;      // it is its hull, exactly, and has few corners
    pawl_vec3 usual;  // normal of the first triangle, if at least half of all have it; else 0
    double radius;    // largest distance of a corner from the frame's origin
    double volume;    // enclosed; 0 for open ones [m^3]
    pawl_vec3 centre; // of that volume
    double second[6]; // xx yy zz xy xz yz of it about the centre, at density 1
    size_t bytes;     // of this block
} tri_mesh;

enum { MESH_MAX_TRIANGLES = 1000000, MESH_MAX_DEPTH = 64 };
// Refused: indices out of range, numbers that are not finite, no triangle with an area.
pawl_status pawl_tri_mesh_create(const pawl_env *env, const char *name, const pawl_vec3 *points,
                                 int point_count, const int *triangles, int triangle_count,
                                 tri_mesh **out);
// The first two of these refusals alone, for meshes that are only drawn.
pawl_status pawl_tri_mesh_check(const pawl_env *env, const char *name, const pawl_vec3 *points,
                                int point_count, const int *triangles, int triangle_count);
void pawl_tri_mesh_destroy(const pawl_env *env, tri_mesh *mesh); // NULL is fine

// The point of the surface that is nearest.
typedef struct mesh_nearest {
    int triangle; // of several that are equally near the one that faces the point most
    pawl_vec3 at;
    double distance; // [m], 0 or more
    bool inside;     // below the surface, by the mean normal around that point
} mesh_nearest;
mesh_nearest pawl_tri_mesh_nearest(const tri_mesh *mesh, pawl_vec3 point);
// The first triangle that a ray meets within its reach, on either side of it; -1 for none.
int pawl_tri_mesh_ray(const tri_mesh *mesh, pawl_vec3 origin, pawl_vec3 direction, double reach,
                      double *distance);
// A region: a box along the mesh's axes and one along three others, with x in it where from <= axis . x <= to.
typedef struct mesh_region {
    pawl_vec3 low, high;
    pawl_vec3 axis[3];
    double from[3], to[3];
} mesh_region;
// Calls `visit` for every triangle that reaches into a region, and for some that nearly do.
void pawl_tri_mesh_in_region(const tri_mesh *mesh, const mesh_region *region,
                             void (*visit)(void *user, int triangle), void *user);
