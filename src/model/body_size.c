// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Sizes of bodies, the scale for judging lengths: twice the distance from the centre of mass to the farthest joint
// anchor or bounded shape, and at least twice the radius of gyration. The extent of the whole model is not suitable,
// because free bodies move apart.
#include "model/model.h"

// Radius of a ball about the shape's own origin that contains it [m].
static double size_of_shape(const pawl_shape_def *d)
{
    double most = 0.0;
    switch (d->kind) {
    case PAWL_SHAPE_SPHERE:
        return d->size.x;
    case PAWL_SHAPE_BOX:
        return v3_norm(d->size);
    case PAWL_SHAPE_CYLINDER:
        return sqrt(d->size.x * d->size.x + d->size.z * d->size.z);
    case PAWL_SHAPE_CAPSULE:
        return d->size.x + d->size.z;
    case PAWL_SHAPE_ELLIPSOID:
        return v3_max_abs(d->size);
    case PAWL_SHAPE_MESH:
    case PAWL_SHAPE_HULL:
        for (int i = 0; i < d->point_count; ++i) {
            most = fmax(most, v3_norm(d->points[i]));
        }
        return most;
    default:
        return 0.0; // planes have no end
    }
}

// The radius of gyration is the lower bound for bodies without shapes.
static double size_of_body(const pawl_model *m, const model_body *b)
{
    double gyration = 0.0, reach = 0.0;
    for (int k = 0; k < 3 && b->mass > 0.0; ++k) {
        gyration = fmax(gyration, sqrt(b->inertia.m[k][k] / b->mass));
    }
    for (int i = b->first_shape; i < b->first_shape + b->shape_count; ++i) {
        const pawl_shape_def *d = &m->shapes[i].def;
        if (d->kind != PAWL_SHAPE_PLANE && !d->visual_only) {
            reach = fmax(reach, v3_norm(v3_sub(d->frame.position, b->com)) + size_of_shape(d));
        }
    }
    return 2.0 * fmax(gyration, reach);
}

// A joint's size is that of its smaller body. The model's size is that of its largest moving body,
// 1 m where there is no such length.
void pawl_model_measure(pawl_model *m)
{
    for (int i = 0; i < m->body_count; ++i) {
        m->bodies[i].size = size_of_body(m, &m->bodies[i]);
    }
    for (int j = 0; j < m->joint_count; ++j) {
        const model_joint *joint = &m->joints[j];
        const int body[2] = {joint->base, joint->follower};
        const double reach[2] = {v3_norm(joint->base_anchor), v3_norm(joint->follower_anchor)};
        for (int side = 0; side < 2 && joint->kind != PAWL_JOINT_GEAR; ++side) {
            if (body[side] >= 0) {
                model_body *b = &m->bodies[body[side]];
                b->size = fmax(b->size, fmax(2.0 * reach[side], joint->length));
            }
        }
    }
    m->size = 0.0;
    for (int i = 0; i < m->body_count; ++i) {
        bool moves = m->bodies[i].kind != PAWL_BODY_KINEMATIC;
        m->size = moves ? fmax(m->size, m->bodies[i].size) : m->size;
    }
    m->size = m->size > 0.0 ? m->size : 1.0; // points that nothing holds
    for (int j = 0; j < m->joint_count; ++j) {
        model_joint *joint = &m->joints[j];
        const int body[2] = {joint->base, joint->follower};
        joint->size = m->size;
        for (int side = 0; side < 2 && joint->kind != PAWL_JOINT_GEAR; ++side) {
            double size = body[side] >= 0 ? m->bodies[body[side]].size : 0.0;
            joint->size = size > 0.0 ? fmin(joint->size, size) : joint->size;
        }
    }
}
