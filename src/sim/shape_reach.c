// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// An upper bound of the distance of a body's shapes from its centre of mass: a length that warnings
// about units and inertia compare with.
#include "sim/shape_reach.h"
#include "collide/shape.h"

// Radius of a ball about the shape's frame that holds the shape.
static double shape_reach_radius(const pawl_shape_def *def)
{
    if (def->point_count == 0) {
        return pawl_shape_bounding_radius(&(placed_shape){.kind = def->kind, .size = def->size});
    }
    double radius = 0.0;
    for (int k = 0; k < def->point_count; ++k) {
        radius = fmax(radius, v3_norm(def->points[k]));
    }
    return radius;
}

// [m]; 0 without shapes. Planes have no size.
double pawl_body_reach(const pawl_model *model, int body)
{
    const model_body *b = &model->bodies[body];
    double reach = 0.0;
    for (int s = b->first_shape; s < b->first_shape + b->shape_count; ++s) {
        const pawl_shape_def *def = &model->shapes[s].def;
        if (def->kind != PAWL_SHAPE_PLANE) {
            double centre = v3_norm(v3_sub(def->frame.position, b->com));
            reach = fmax(reach, centre + shape_reach_radius(def));
        }
    }
    return reach;
}
