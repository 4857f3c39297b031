// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Adhesion as in MuJoCo (transmission "body"): a force f is divided among the n contact points of a body, at each of
// which the two bodies are pulled towards each other along the normal by f/n. The body therefore opens only under a
// pull of more than f, and friction uses the normal force of the contact, which is the sum of that of the loads and
// f.
//
// The impulse at a point x with the normal e from a to b: h f/n (e, (x - r) x e) on a, the opposite on b.
#include "step/common/adhesion.h"

static bool adhesion_acts(const step_context *c, int i, const pawl_contact *at)
{
    int body = c->model->joints[pawl_joint_index(c->model->actuators[i].joint)].follower;
    return (at->body_a == body || at->body_b == body) && at->gap <= c->settings->contact.margin;
}

int pawl_adhesion_points(const step_context *c, int i)
{
    int count = 0;
    for (int k = 0; k < c->assembly->contact_count; ++k) {
        count += adhesion_acts(c, i, &c->assembly->contacts[k]) ? 1 : 0;
    }
    return count;
}

bool pawl_adhesion_next(const step_context *c, int i, double size, int *k, adhesion_pull *out)
{
    const pawl_assembly *a = c->assembly;
    while (*k < a->contact_count && !adhesion_acts(c, i, &a->contacts[*k])) {
        ++*k;
    }
    if (*k == a->contact_count) {
        return false;
    }
    const pawl_contact *at = &a->contacts[(*k)++];
    out->body[0] = at->body_a;
    out->body[1] = at->body_b;
    for (int side = 0; side < 2; ++side) {
        if (out->body[side] < 0) {
            continue;
        }
        pawl_vec3 linear = v3_scale(side == 0 ? size : -size, at->normal);
        pawl_vec3 lever = v3_sub(at->position, a->bodies[out->body[side]].r);
        pawl_vec3 angular = v3_cross(lever, linear);
        double *p = out->p[side];
        p[0] = linear.x, p[1] = linear.y, p[2] = linear.z;
        p[3] = angular.x, p[4] = angular.y, p[5] = angular.z;
    }
    return true;
}
