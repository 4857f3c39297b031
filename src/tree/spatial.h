// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Spatial vectors and inertias in world axes about a stated fixed point, the origin: a motion is the
// velocity of the body's point at the origin and the angular velocity, a force is a force and its moment
// about the origin. Nothing is transformed between bodies, so sums over a subtree are plain sums.
#pragma once
#include "math/vec.h"

typedef struct spatial {
    pawl_vec3 v; // linear, or a force
    pawl_vec3 w; // angular, or a moment
} spatial;

static inline spatial sp_zero(void)
{
    return (spatial){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
}
static inline spatial sp_add(spatial a, spatial b)
{
    return (spatial){v3_add(a.v, b.v), v3_add(a.w, b.w)};
}
static inline spatial sp_sub(spatial a, spatial b)
{
    return (spatial){v3_sub(a.v, b.v), v3_sub(a.w, b.w)};
}
// a + s b
static inline spatial sp_axpy(spatial a, double s, spatial b)
{
    return (spatial){v3_axpy(a.v, s, b.v), v3_axpy(a.w, s, b.w)};
}
static inline double sp_dot(spatial a, spatial b)
{
    return v3_dot(a.v, b.v) + v3_dot(a.w, b.w);
}
// The Lie bracket of two motions: the rate of b carried along by a.
static inline spatial sp_cross(spatial a, spatial b)
{
    return (spatial){v3_add(v3_cross(a.w, b.v), v3_cross(a.v, b.w)), v3_cross(a.w, b.w)};
}
// The rate of a force carried along by a motion; minus the transpose of sp_cross(a, .).
static inline spatial sp_cross_force(spatial a, spatial f)
{
    return (spatial){v3_cross(a.w, f.v), v3_add(v3_cross(a.w, f.w), v3_cross(a.v, f.v))};
}
// Velocity of the moving point that is at `arm` from the origin.
static inline pawl_vec3 sp_at(spatial a, pawl_vec3 arm)
{
    return v3_add(a.v, v3_cross(a.w, arm));
}
// The motion (or force) about the origin of one given about the point at `arm` from it.
static inline spatial sp_motion_from(pawl_vec3 arm, pawl_vec3 velocity, pawl_vec3 angular)
{
    return (spatial){v3_add(velocity, v3_cross(arm, angular)), angular};
}
static inline spatial sp_force_from(pawl_vec3 arm, pawl_vec3 force, pawl_vec3 moment)
{
    return (spatial){force, v3_add(moment, v3_cross(arm, force))};
}

// Inertia of a rigid body, or of several that are frozen together, about the origin.
typedef struct spatial_inertia {
    double mass;
    pawl_vec3 first;  // mass times the centre's arm
    pawl_mat3 second; // about the origin
} spatial_inertia;

static inline spatial si_mul(const spatial_inertia *i, spatial a)
{
    return (spatial){v3_sub(v3_scale(i->mass, a.v), v3_cross(i->first, a.w)),
                     v3_add(v3_cross(i->first, a.v), m3_mul(&i->second, a.w))};
}
static inline void si_add(spatial_inertia *sum, const spatial_inertia *i)
{
    sum->mass += i->mass;
    sum->first = v3_add(sum->first, i->first);
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            sum->second.m[r][c] += i->second.m[r][c];
        }
    }
}
// From mass, arm of the centre, and the inertia about the centre in world axes.
static inline spatial_inertia si_from(double mass, pawl_vec3 arm, const pawl_mat3 *about_centre)
{
    spatial_inertia i = {mass, v3_scale(mass, arm), *about_centre};
    double x[3] = {arm.x, arm.y, arm.z}, square = mass * v3_dot(arm, arm);
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            i.second.m[r][c] -= mass * x[r] * x[c];
        }
        i.second.m[r][r] += square;
    }
    return i;
}
