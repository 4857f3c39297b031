// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The faces of a hull as polygons with their normals, for drawing.
#include "base/carver.h"
#include "base/guard.h"
#include "model/hull.h"
#include "pawl/model.h"

// Runs twice: with mem->base NULL it only counts.
static pawl_hull_faces *hull_faces_layout(const convex_hull *hull, pawl_carver *mem)
{
    pawl_hull_faces *faces = PAWL_CARVE(mem, pawl_hull_faces, 1);
    int corner_count = hull->face_start[hull->face_count];
    int *start = PAWL_CARVE(mem, int, hull->face_count + 1);
    pawl_vec3 *corners = PAWL_CARVE(mem, pawl_vec3, corner_count);
    pawl_vec3 *normals = PAWL_CARVE(mem, pawl_vec3, hull->face_count);
    if (faces == NULL) {
        return NULL;
    }
    for (int f = 0; f < hull->face_count; ++f) {
        start[f] = hull->face_start[f];
        normals[f] = hull->normals[f];
    }
    start[hull->face_count] = corner_count;
    for (int k = 0; k < corner_count; ++k) {
        corners[k] = hull->vertices[hull->loops[k]];
    }
    *faces = (pawl_hull_faces){
        .count = hull->face_count, .start = start, .corners = corners, .normals = normals};
    return faces;
}

// Corners are counterclockwise seen from outside, face f from start[f] to start[f + 1].
pawl_status pawl_hull_faces_create(const pawl_env *env, const pawl_vec3 *points, int point_count,
                                   pawl_hull_faces **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, points);
    PAWL_NEED(env, out);
    *out = NULL;
    convex_hull *hull;
    PAWL_TRY(pawl_hull_create(env, "hull", points, point_count, &hull));
    pawl_carver need = {0};
    hull_faces_layout(hull, &need);
    pawl_carver mem = {.base = pawl_alloc(env, need.used), .capacity = need.used};
    if (mem.base != NULL) {
        *out = hull_faces_layout(hull, &mem);
        (*out)->bytes = need.used;
    }
    pawl_hull_destroy(env, hull);
    return *out != NULL
               ? PAWL_OK
               : PAWL_FAIL(env, PAWL_NO_MEMORY, "the faces of a hull need %zu bytes", need.used);
}

void pawl_hull_faces_destroy(const pawl_env *env, pawl_hull_faces *faces)
{
    if (faces != NULL && env != NULL && env->resize != NULL) {
        pawl_free(env, faces, faces->bytes);
    }
}
