// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Solids as triangles, for tests of meshes.
#pragma once
#include "math/vec.h"

enum { SOLID_POINTS = 3 * 4000, SOLID_TRIANGLES = 24000 };
typedef struct mesh_solid {
    int point_count, triangle_count;
    pawl_vec3 points[SOLID_POINTS];
    int triangles[3 * SOLID_TRIANGLES];
} mesh_solid;

// A quadrilateral as 2 cells x cells triangles, corners counter-clockwise seen from outside.
static inline void solid_add_quad(mesh_solid *s, pawl_vec3 a, pawl_vec3 b, pawl_vec3 c, pawl_vec3 d,
                                  int cells)
{
    int first = s->point_count;
    for (int j = 0; j <= cells; ++j) {
        for (int i = 0; i <= cells; ++i) {
            double x = (double)i / cells, y = (double)j / cells;
            pawl_vec3 low = v3_axpy(v3_scale(1.0 - x, a), x, b);
            pawl_vec3 high = v3_axpy(v3_scale(1.0 - x, d), x, c);
            s->points[s->point_count++] = v3_axpy(v3_scale(1.0 - y, low), y, high);
        }
    }
    for (int j = 0; j < cells; ++j) {
        for (int i = 0; i < cells; ++i) {
            int p = first + j * (cells + 1) + i, q = p + cells + 1;
            int *t = s->triangles + 3 * s->triangle_count;
            t[0] = p, t[1] = p + 1, t[2] = q + 1;
            t[3] = p, t[4] = q + 1, t[5] = q;
            s->triangle_count += 2;
        }
    }
}

// A box of these half extents about a centre, with sides of 2 cells x cells triangles.
static inline void solid_add_box(mesh_solid *s, pawl_vec3 at, pawl_vec3 e, int cells)
{
    for (int axis = 0; axis < 3; ++axis) {
        for (int side = -1; side <= 1; side += 2) {
            pawl_vec3 n = {0, 0, 0}, x = {0, 0, 0}, y = {0, 0, 0};
            (&n.x)[axis] = side * (&e.x)[axis];
            (&x.x)[(axis + 1) % 3] = side * (&e.x)[(axis + 1) % 3];
            (&y.x)[(axis + 2) % 3] = (&e.x)[(axis + 2) % 3];
            pawl_vec3 o = v3_add(at, n);
            solid_add_quad(s, v3_sub(v3_sub(o, x), y), v3_sub(v3_add(o, x), y),
                           v3_add(v3_add(o, x), y), v3_add(v3_sub(o, x), y), cells);
        }
    }
}

// A prism along z over a polygon in x and y, counter-clockwise, whose ends are fans about its first corner.
static inline void solid_add_prism(mesh_solid *s, const double (*xy)[2], int count, double z0,
                                   double z1)
{
    int first = s->point_count;
    for (int k = 0; k < 2 * count; ++k) {
        const double *p = xy[k % count];
        s->points[s->point_count++] = v3(p[0], p[1], k < count ? z0 : z1);
    }
    for (int k = 0; k < count; ++k) {
        int a = first + k, b = first + (k + 1) % count;
        int sides[6] = {a, b, b + count, a, b + count, a + count};
        for (int i = 0; i < 6; ++i) {
            s->triangles[3 * s->triangle_count + i] = sides[i];
        }
        s->triangle_count += 2;
    }
    for (int k = 1; k + 1 < count; ++k) {
        int ends[6] = {first,         first + k + 1,     first + k,
                       first + count, first + count + k, first + count + k + 1};
        for (int i = 0; i < 6; ++i) {
            s->triangles[3 * s->triangle_count + i] = ends[i];
        }
        s->triangle_count += 2;
    }
}
