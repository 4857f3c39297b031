// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A heightfield as triangles: two in each cell of the grid, in the field's own frame. Beyond the edges the
// surface continues through one more ring of very long cells, so that it has no rim: beyond each edge it continues
// with the mean slope of the cells inside.
#pragma once
#include "base/env.h"
#include "collide/surface_search.h"

typedef struct height_grid {
    int nx, ny; // heights in a row, and rows
    double dx, dy;
    double far;            // length of the cells beyond the edges [m]
    double rise[2][2];     // of these cells: before and after the grid, along x and along y [m]
    const double *heights; // the model's
    double top;            // highest of all
    pawl_vec3 usual;       // normal of the first triangle, if at least half of all have it; else 0
    int tiles_x, tiles_y;
    double *tile_top; // highest point of each tile of cells
    size_t bytes;     // of this block
} height_grid;

// One block of memory; the model must outlive it.
pawl_status pawl_height_grid_create(const pawl_env *env, const pawl_heightfield_def *def,
                                    height_grid **out);
void pawl_height_grid_destroy(const pawl_env *env, height_grid *grid); // NULL is fine
// How deep below the triangle over it a point of the field's frame is; negative: how high above.
double pawl_height_grid_depth(const height_grid *grid, pawl_vec3 point);
// Whether a box in the field's frame may be nearer to the surface than `margin`; never a wrong no.
bool pawl_height_grid_reaches(const height_grid *grid, pawl_vec3 low, pawl_vec3 high,
                              double margin);
// A convex shape against the surface: at most `room` manifolds, one for each chunk of points with one
// normal. Normals point from the shape to the field. Returns how many there are.
int pawl_height_grid_collide(const placed_shape *shape, const placed_shape *field, double margin,
                             contact_manifold *out, int room);
// Where a ray from `origin` along the unit vector `direction` (field's frame) first goes below the surface, within its
// reach: distance, and the normal of the triangle. 0 where it begins below. Beyond the edges the surface goes on as it
// does for shapes.
bool pawl_height_grid_meets_ray(const height_grid *grid, pawl_vec3 origin, pawl_vec3 direction,
                                double reach, double *distance, pawl_vec3 *normal);
