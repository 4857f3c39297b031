// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Random numbers for tests: the same on every machine, so that a failure can be looked at again.
#pragma once
#include "math/rotation.h"
#include <stdint.h>

// Uniform in [low, high). Any seed will do.
static inline double random_in(uint64_t *seed, double low, double high)
{
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t h = *seed;
    h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ (h >> 27)) * UINT64_C(0x94d049bb133111eb);
    h ^= h >> 31;
    return low + (high - low) * ((double)(h >> 11) * 0x1p-53);
}

// 0 .. count - 1
static inline int random_index(uint64_t *seed, int count)
{
    return (int)random_in(seed, 0.0, (double)count);
}

static inline pawl_vec3 random_vec(uint64_t *seed, double size)
{
    double x = random_in(seed, -size, size), y = random_in(seed, -size, size);
    return v3(x, y, random_in(seed, -size, size));
}

// Each component between those of `low` and `high`. Calls are in the order of statements throughout: the order in which
// the arguments of one call are evaluated depends on the compiler.
static inline pawl_vec3 random_between(uint64_t *seed, pawl_vec3 low, pawl_vec3 high)
{
    double x = random_in(seed, low.x, high.x), y = random_in(seed, low.y, high.y);
    return v3(x, y, random_in(seed, low.z, high.z));
}

static inline pawl_quat random_quat(uint64_t *seed)
{
    for (;;) {
        pawl_vec3 v = random_vec(seed, 1.0);
        pawl_quat q = {random_in(seed, -1.0, 1.0), v.x, v.y, v.z};
        double n = quat_norm2(q);
        if (n > 0.01 && n <= 1.0) { // inside the ball, or corners would come too often
            return pawl_quat_normalize(q);
        }
    }
}

static inline pawl_pose random_pose(uint64_t *seed, double size)
{
    pawl_vec3 position = random_vec(seed, size);
    return (pawl_pose){position, random_quat(seed)};
}

// A full inertia tensor that a rigid body of about this mass and size could have.
static inline void random_inertia(uint64_t *seed, double mass, double size, double out[6])
{
    // second moments a, b, c along turned axes give moments b + c, a + c, a + b
    double a = random_in(seed, 0.05, 1.0), b = random_in(seed, 0.05, 1.0),
           c = random_in(seed, 0.05, 1.0), s = mass * size * size;
    pawl_mat3 own = {{{s * (b + c), 0, 0}, {0, s * (a + c), 0}, {0, 0, s * (a + b)}}};
    pawl_mat3 r = quat_matrix(random_quat(seed));
    pawl_mat3 i = m3_congruence(&r, &own);
    out[0] = i.m[0][0], out[1] = i.m[1][1], out[2] = i.m[2][2];
    out[3] = i.m[0][1], out[4] = i.m[0][2], out[5] = i.m[1][2];
}
