// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "support/many_things.h"

static const double MANY_FRICTION = 0.5;

static void many_add_stack(mechanism *m, pawl_vec3 at)
{
    for (int i = 0; i < 3; ++i) {
        scene_box_at(m, 1.0, v3(0.2, 0.2, 0.2), v3(at.x + 0.01 * i, at.y, 0.1 + 0.2 * i),
                     MANY_FRICTION);
    }
}

static pawl_body_id many_add_link(mechanism *m, double mass, pawl_vec3 size, pawl_vec3 at)
{
    return scene_box_at(m, mass, size, at, MANY_FRICTION);
}

static void many_join(mechanism *m, pawl_joint_kind kind, pawl_body_id a, pawl_body_id b,
                      pawl_vec3 at)
{
    pawl_joint_def def = mechanism_joint_def(m, kind, a, b, at, v3(0, 1, 0));
    mechanism_joint(m, &def);
}

static void many_add_nunchuk(mechanism *m, pawl_vec3 at)
{
    pawl_body_id left = many_add_link(m, 1.0, v3(0.5, 0.05, 0.05), v3(at.x - 0.3, at.y, at.z));
    pawl_body_id chain = many_add_link(m, 0.1, v3(0.06, 0.05, 0.05), at);
    pawl_body_id right =
        many_add_link(m, 1.0, v3(0.5, 0.05, 0.05), v3(at.x + 0.3, at.y, at.z + 0.05));
    many_join(m, PAWL_JOINT_SPHERICAL, left, chain, v3(at.x - 0.05, at.y, at.z));
    many_join(m, PAWL_JOINT_SPHERICAL, chain, right, v3(at.x + 0.05, at.y, at.z));
}

// A closed loop: one row of its hinges in the plane is redundant for each direction out of it.
static void many_add_four_bar(mechanism *m, pawl_vec3 at)
{
    const double half = 0.25;
    const pawl_vec3 flat = v3(0.44, 0.05, 0.05), upright = v3(0.05, 0.05, 0.44);
    pawl_body_id link[4] = {many_add_link(m, 1.0, flat, v3(at.x, at.y, at.z - half)),
                            many_add_link(m, 0.5, upright, v3(at.x + half, at.y, at.z)),
                            many_add_link(m, 1.0, flat, v3(at.x, at.y, at.z + half)),
                            many_add_link(m, 0.5, upright, v3(at.x - half, at.y, at.z))};
    const double corner[4][2] = {{1, -1}, {1, 1}, {-1, 1}, {-1, -1}};
    for (int i = 0; i < 4; ++i) {
        many_join(m, PAWL_JOINT_REVOLUTE, link[i], link[(i + 1) % 4],
                  v3(at.x + half * corner[i][0], at.y, at.z + half * corner[i][1]));
    }
}

void many_things_build(mechanism *m)
{
    scene_floor(m, MANY_FRICTION, 0.0, 0.0);
    for (int i = 0; i < MANY_STACKS; ++i) {
        many_add_stack(m, v3(3.0 * i, 0.0, 0.0));
    }
    for (int i = 0; i < MANY_BALLS; ++i) { // towards stacks; the last one at the first, from behind
        bool last = i >= MANY_STACKS;
        scene_sphere(m, 2.0, 0.1, v3(last ? 0.0 : 3.0 * i, last ? 1.0 : -0.4 - 0.1 * i, 0.1),
                     v3(0.0, last ? -3.0 : 2.0 + 0.5 * i, 0.0), MANY_FRICTION, 0.5);
    }
    for (int i = 0; i < MANY_NUNCHUKS; ++i) {
        many_add_nunchuk(m, v3(3.0 * i, 4.0, 0.1 + 0.05 * i));
    }
    for (int i = 0; i < MANY_FOUR_BARS; ++i) {
        many_add_four_bar(m, v3(3.0 * i, 8.0, 0.3 + 0.03 * i));
    }
}
