// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Mass, centre and inertia of parts that are fixed to each other, by Steiner's theorem.
#include "read/lumped_mass.h"
#include "math/rotation.h"
#include <string.h>

void lumped_mass_six(const pawl_mat3 *a, double out[6])
{
    const double six[6] = {a->m[0][0], a->m[1][1], a->m[2][2], a->m[0][1], a->m[0][2], a->m[1][2]};
    memcpy(out, six, sizeof six);
}

// Steiner's theorem: the inertia of a point mass at d.
static void lumped_shift(double inertia[6], double mass, pawl_vec3 d)
{
    inertia[0] += mass * (d.y * d.y + d.z * d.z);
    inertia[1] += mass * (d.x * d.x + d.z * d.z);
    inertia[2] += mass * (d.x * d.x + d.y * d.y);
    inertia[3] -= mass * d.x * d.y;
    inertia[4] -= mass * d.x * d.z;
    inertia[5] -= mass * d.y * d.z;
}

lumped_mass lumped_mass_add(lumped_mass a, lumped_mass b)
{
    lumped_mass c = {.mass = a.mass + b.mass};
    if (!(c.mass > 0.0)) {
        return a;
    }
    c.com = v3_scale(1.0 / c.mass, v3_add(v3_scale(a.mass, a.com), v3_scale(b.mass, b.com)));
    lumped_shift(a.inertia, a.mass, v3_sub(a.com, c.com));
    lumped_shift(b.inertia, b.mass, v3_sub(b.com, c.com));
    for (int i = 0; i < 6; ++i) {
        c.inertia[i] = a.inertia[i] + b.inertia[i];
    }
    return c;
}

lumped_mass lumped_mass_moved(lumped_mass a, pawl_pose pose)
{
    pawl_mat3 turn = quat_matrix(pose.orientation), tensor = m3_from_six(a.inertia);
    tensor = m3_congruence(&turn, &tensor);
    a.com = pawl_pose_apply(pose, a.com);
    lumped_mass_six(&tensor, a.inertia);
    return a;
}
