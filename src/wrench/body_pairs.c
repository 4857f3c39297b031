// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Points of one body touch the surfaces of another: corners of a box the faces of another box, and the other way round.
// Crossing edges, and the sides of capsules and cylinders, have no points and do not collide.
#include "wrench/body_pairs.h"

// Pairs of bodies that are excluded, of one family (links of a robot that does not collide with itself), and those that a
// joint other than a free joint or a gear connects.
static bool pairs_filtered(const pawl_model *m, int one, int other)
{
    int family = m->bodies[one].family;
    if (family != 0 && family == m->bodies[other].family) {
        return true;
    }
    for (int i = 0; i < m->exclusion_count; ++i) {
        int a = pawl_body_index(m->exclusions[i].a), b = pawl_body_index(m->exclusions[i].b);
        if ((a == one && b == other) || (a == other && b == one)) {
            return true;
        }
    }
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        bool ties =
            j->kind != PAWL_JOINT_FREE && j->kind != PAWL_JOINT_GEAR && j->kind != PAWL_JOINT_SPAN;
        bool both =
            (j->base == one && j->follower == other) || (j->base == other && j->follower == one);
        if (ties && both) {
            return true;
        }
    }
    return false;
}

// A solid shape of a body, not of the world.
static bool pairs_is_surface(const pawl_model *m, int shape)
{
    const pawl_shape_info *s = &m->shapes[shape];
    return pawl_body_index(s->body) >= 0 && !s->def.visual_only &&
           s->def.kind != PAWL_SHAPE_HEIGHTFIELD;
}

static bool pairs_may_touch(const pawl_model *m, int a, int b)
{
    const pawl_shape_info *s = &m->shapes[a], *t = &m->shapes[b];
    return pawl_body_index(s->body) != pawl_body_index(t->body) &&
           (s->def.group & t->def.mask) != 0 && (t->def.group & s->def.mask) != 0 &&
           !pairs_filtered(m, pawl_body_index(s->body), pawl_body_index(t->body));
}

// Whether points of shape a are tested against the surface of shape b. Of two balls only one has points against
// the other, else each contact would be there twice; a ball has one point, which is exact against any surface, so
// that the other shape needs none against a moving ball.
bool pawl_shape_points_touch(const pawl_model *m, int a, int b)
{
    if (!pairs_is_surface(m, a) || !pairs_is_surface(m, b) ||
        m->bodies[pawl_body_index(m->shapes[a].body)].kind != PAWL_BODY_RIGID) {
        return false;
    }
    bool moves = m->bodies[pawl_body_index(m->shapes[b].body)].kind == PAWL_BODY_RIGID;
    bool ball_a = m->shapes[a].def.kind == PAWL_SHAPE_SPHERE;
    bool ball_b = m->shapes[b].def.kind == PAWL_SHAPE_SPHERE && moves;
    return !(ball_b && (!ball_a || b < a)) && pairs_may_touch(m, a, b);
}

// The same for points that a model declares on a body, not on a shape: some shape of the body must be allowed to
// touch b. Kinematic bodies are touched unless excluded.
bool pawl_body_points_touch(const pawl_model *m, int body, int b)
{
    int other = pairs_is_surface(m, b) ? pawl_body_index(m->shapes[b].body) : body;
    if (other == body) {
        return false;
    }
    if (m->bodies[other].kind == PAWL_BODY_KINEMATIC) {
        return !pairs_filtered(m, body, other);
    }
    for (int a = 0; a < m->shape_count; ++a) {
        if (pawl_body_index(m->shapes[a].body) == body && !m->shapes[a].def.visual_only &&
            pairs_may_touch(m, a, b)) {
            return true;
        }
    }
    return false;
}

// Radius [m] of a ball about the origin of the shape's frame that contains it.
double pawl_shape_bound(const pawl_shape_def *shape)
{
    pawl_vec3 s = shape->size;
    double far = 0.0;
    switch (shape->kind) {
    case PAWL_SHAPE_SPHERE:
        return s.x;
    case PAWL_SHAPE_BOX:
        return v3_norm(s);
    case PAWL_SHAPE_CYLINDER:
        return sqrt(s.x * s.x + s.z * s.z);
    case PAWL_SHAPE_CAPSULE:
        return s.x + s.z;
    case PAWL_SHAPE_ELLIPSOID:
        return fmax(s.x, fmax(s.y, s.z));
    case PAWL_SHAPE_MESH:
    case PAWL_SHAPE_HULL:
        for (int i = 0; i < shape->point_count; ++i) {
            far = fmax(far, v3_norm(shape->points[i]));
        }
        return far;
    case PAWL_SHAPE_PLANE:
    case PAWL_SHAPE_HEIGHTFIELD:
    case PAWL_SHAPE_COUNT:
        break;
    }
    return INFINITY;
}
