// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Triangle meshes that model files name: read once each (mesh_file.c and one file a format), as a convex hull for
// collisions (mesh_hull.c), and their mass properties (mesh_mass.c). All data is valid as long as the reader.
#pragma once
#include "read/xml_reader.h"

typedef struct mesh_triangle {
    int v[3];
} mesh_triangle;
// Triangles in a row that have one material.
typedef struct mesh_part {
    const char *name, *node; // of the mesh and of the node in the file; NULL for none
    int first, count;        // of triangles
    float rgba[4];
    bool coloured; // else rgba says nothing
    bool textured; // an image covers it, which is not drawn
} mesh_part;
typedef struct triangle_mesh {
    struct triangle_mesh *next; // in the reader's list
    const char *path;
    int vertex_count, triangle_count, part_count;
    pawl_vec3 *vertices;
    mesh_triangle *triangles;
    mesh_part *parts; // of files with materials; they may leave triangles out, which have none
} triangle_mesh;

enum {
    MESH_MAX_BYTES = 256 * 1024 * 1024, // of a file
    MESH_MAX_TRIANGLES = 4 * 1000 * 1000,
    MESH_MAX_VERTICES = 12 * 1000 * 1000,
    MESH_DRAWN_TRIANGLES = 1000 * 1000 // of all visual meshes of a model, for drawing
};

// One format: bytes to a mesh. `data[size]` is a zero byte. Says what is wrong in `why`.
enum { MESH_WHY = 160 };
typedef struct mesh_source {
    xml_reader *reader;
    const char *data;
    size_t size;
    const char *ending; // of the file's name, in small letters without the dot
    char *why;          // (MESH_WHY)
    const char *path;   // of the file, beside which its materials are; NULL: from memory
} mesh_source;
pawl_status mesh_read_stl(const mesh_source *source, triangle_mesh *out);
pawl_status mesh_read_obj(const mesh_source *source, triangle_mesh *out);
pawl_status mesh_read_msh(const mesh_source *source, triangle_mesh *out);
pawl_status mesh_read_assimp(const mesh_source *source, triangle_mesh *out);
// Room for a mesh of these counts, which are checked against the limits.
pawl_status mesh_reserve(const mesh_source *source, triangle_mesh *mesh, size_t vertices,
                         size_t triangles);
// The whole of a regular file of at most MESH_MAX_BYTES, with a zero byte behind it, for pawl_free() of *size + 1.
pawl_status mesh_file_slurp(const pawl_env *env, const char *path, char **data, size_t *size,
                            char why[MESH_WHY]);
// Colours of the parts of an OBJ file: `names[i]` (up to the end of its line) is the material of part i. Files of
// materials beside the OBJ file are read; a colour that is not found is left away.
void mesh_obj_colours(const mesh_source *source, const char *const *names, triangle_mesh *mesh);

// The mesh of a URI. An error of the file is logged at `where`; *out is NULL where the file is not there, and `tried`
// then lists the places.
enum { MESH_TRIED = 700 };
pawl_status mesh_find(xml_reader *reader, const xmlNode *where, const char *folder, const char *uri,
                      const triangle_mesh **out, char tried[MESH_TRIED]);
// The same for a file that is not at its URI: one of that name near the model file, with a warning.
pawl_status mesh_find_nearby(xml_reader *reader, const xmlNode *where, const char *uri,
                             const triangle_mesh **out);
// From bytes, for tests and for meshes that stand in a model file.
pawl_status mesh_parse(xml_reader *reader, const char *ending, const char *data, size_t size,
                       triangle_mesh *out, char why[MESH_WHY]);

// Vertices of the convex hull, at most MESH_HULL_VERTICES of them: those farthest outside of the hull of the others,
// until none is farther outside than MESH_HULL_ERROR of the size.
enum { MESH_HULL_VERTICES = 128 };
typedef struct mesh_hull {
    int count;
    pawl_vec3 *points;
    double error;   // largest distance of a vertex from the hull of the points [m]
    bool thickened; // the mesh is flat: the points are those of a thin plate
} mesh_hull;
// `count` is 0 for a mesh that spans nothing (a point, a line).
pawl_status mesh_hull_make(xml_reader *reader, const pawl_vec3 *vertices, int count,
                           mesh_hull *out);

// Four points that span the most: the lowest along x, the furthest from it, from their line and from their plane.
void mesh_far_corners(const pawl_vec3 *points, int count, int v[4]);
// The surface of the hull of all points, for volumes; no triangles where there is none (flat, or too rough for it).
pawl_status mesh_whole_hull(xml_reader *reader, const pawl_vec3 *points, int count,
                            triangle_mesh *out);

// The same for meshes with the same numbers.
uint64_t mesh_key(const triangle_mesh *mesh);

// Volume, centre and second moments xx yy zz xy xz yz about the centre, of density 1.
typedef struct mesh_moments {
    double volume;
    pawl_vec3 centre;
    double second[6];
    bool watertight; // every edge has two triangles, which run along it in opposite directions
} mesh_moments;
typedef enum mesh_volume_rule {
    MESH_EXACT = 0, // signed tetrahedra: exact for a watertight mesh, whatever its shape
    MESH_LEGACY,    // as MuJoCo's rule of that name: unsigned, seen from the centre of the surface
    MESH_SHELL      // the surface, of unit thickness
} mesh_volume_rule;
pawl_status mesh_moments_of(xml_reader *reader, const triangle_mesh *mesh, mesh_volume_rule rule,
                            mesh_moments *out);
// A copy whose vertices are scaled; triangles are turned where the scale mirrors.
pawl_status mesh_scaled(xml_reader *reader, const triangle_mesh *mesh, pawl_vec3 scale,
                        triangle_mesh *out);
// The parts of a file that have a name, with vertices of their own; none: triangle_count 0. `center` moves the middle of
// their bounds to the origin.
pawl_status mesh_named_part(xml_reader *reader, const triangle_mesh *mesh, const char *name,
                            bool center, triangle_mesh *out);
