// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Queries of states and simulations that need no tree: momentum, Jacobians by body twists, sums of contact forces.
#include "base/guard.h"
#include "pawl/query.h"
#include "sim/sim.h"

// J (6 x 6), row-major: velocity of a point and angular velocity from the twist of the link frame, in world axes.
pawl_status pawl_state_point_jacobian(const pawl_state *s, pawl_body_id id, pawl_vec3 point,
                                      double J[36])
{
    PAWL_NEED(NULL, s);
    PAWL_NEED(&s->env, J);
    int body = PAWL_INDEX(&s->env, &s->model->ids[ID_BODY], id);
    if (body < 0) {
        return PAWL_BAD_ARGUMENT;
    }
    if (!v3_finite(point)) {
        return PAWL_FAIL(&s->env, PAWL_BAD_ARGUMENT,
                         "a point at (%g %g %g), expected finite numbers", point.x, point.y,
                         point.z);
    }
    // v_p = v_o + w x r = v_o - r x w
    pawl_vec3 r = pawl_quat_rotate(s->bodies[body].q, point);
    const double rows[36] = {1, 0, 0, 0, r.z, -r.y, 0, 1, 0, -r.z, 0, r.x, 0, 0, 1, r.y, -r.x, 0,
                             0, 0, 0, 1, 0,   0,    0, 0, 0, 0,    1, 0,   0, 0, 0, 0,   0,    1};
    for (int i = 0; i < 36; ++i) {
        J[i] = rows[i];
    }
    return PAWL_OK;
}

pawl_vec3 pawl_state_centre_of_mass(const pawl_state *s)
{
    if (s == NULL) {
        return (pawl_vec3){NAN, NAN, NAN};
    }
    pawl_vec3 sum = {0, 0, 0};
    double total = 0.0;
    for (int i = 0; i < s->model->body_count; ++i) {
        double mass = s->model->bodies[i].mass * pawl_state_mass_factor(s, i);
        sum = v3_axpy(sum, mass, s->bodies[i].r);
        total += mass;
    }
    return v3_scale(1.0 / (s->masses[0] != 0.0 ? total : s->model->total_mass), sum);
}

// Linear [kg m/s] and angular momentum about a point of the world [kg m^2/s]. Kinematic bodies do not count: their
// motion is prescribed, and their mass acts on nothing.
pawl_momentum pawl_state_momentum(const pawl_state *s, pawl_vec3 point)
{
    if (s == NULL) {
        return (pawl_momentum){{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    }
    pawl_momentum sum = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < s->model->body_count; ++i) {
        const model_body *b = &s->model->bodies[i];
        const body_state *x = &s->bodies[i];
        if (b->kind == PAWL_BODY_KINEMATIC) {
            continue;
        }
        pawl_mat3 r = quat_matrix(x->q), inertia = m3_congruence(&r, &b->inertia);
        double factor = pawl_state_mass_factor(s, i);
        pawl_vec3 p = v3_scale(factor * b->mass, x->v);
        sum.linear = v3_add(sum.linear, p);
        sum.angular = v3_add(sum.angular, v3_add(v3_scale(factor, m3_mul(&inertia, x->w)),
                                                 v3_cross(v3_sub(x->r, point), p)));
    }
    return sum;
}

// ---- contacts -------------------------------------------------------------------------------------

// The force of a contact acts on its body b; `sign` is -1 for body a. Moments are about `point`.
static void contacts_add(pawl_contact_sum *sum, const pawl_contact_info *c, double sign,
                         pawl_vec3 point)
{
    if (c->mode == PAWL_CONTACT_OPEN) {
        return;
    }
    pawl_vec3 force = v3_scale(sign, c->force);
    pawl_vec3 moment = v3_cross(v3_sub(c->position, point), force);
    ++sum->count;
    sum->force = v3_add(sum->force, force);
    sum->moment = v3_add(sum->moment, v3_axpy(moment, sign, c->moment));
}

static pawl_contact_sum contacts_none(void)
{
    return (pawl_contact_sum){0, {NAN, NAN, NAN}, {NAN, NAN, NAN}};
}

// PAWL_WORLD counts as a body.
static int contacts_body(const pawl_sim *sim, pawl_body_id id)
{
    return sim == NULL ? PAWL_NO_BODY_INDEX
                       : PAWL_INDEX_OR_WORLD(&sim->env, &sim->model->ids[ID_BODY], id);
}

// Moments on a body are about its centre of mass, those on the world about the origin.
static pawl_vec3 contacts_centre(const pawl_sim *sim, int body)
{
    return body == PAWL_WORLD_INDEX ? v3(0, 0, 0) : sim->state->bodies[body].r;
}

pawl_contact_sum pawl_sim_body_contacts(const pawl_sim *sim, pawl_body_id id)
{
    int body = contacts_body(sim, id);
    if (body < PAWL_WORLD_INDEX) {
        return contacts_none();
    }
    pawl_contact_sum sum = {0, {0, 0, 0}, {0, 0, 0}};
    pawl_vec3 point = contacts_centre(sim, body);
    for (int i = 0; i < pawl_sim_contact_count(sim); ++i) {
        pawl_contact_info c = pawl_sim_contact(sim, i);
        if (pawl_body_index(c.body_b) == body) {
            contacts_add(&sum, &c, 1.0, point);
        }
        if (pawl_body_index(c.body_a) == body) {
            contacts_add(&sum, &c, -1.0, point);
        }
    }
    return sum;
}

pawl_contact_sum pawl_sim_pair_contacts(const pawl_sim *sim, pawl_body_id first,
                                        pawl_body_id second)
{
    int a = contacts_body(sim, first), b = contacts_body(sim, second);
    if (a < PAWL_WORLD_INDEX || b < PAWL_WORLD_INDEX) {
        return contacts_none();
    }
    pawl_contact_sum sum = {0, {0, 0, 0}, {0, 0, 0}};
    pawl_vec3 point = contacts_centre(sim, b);
    for (int i = 0; i < pawl_sim_contact_count(sim); ++i) {
        pawl_contact_info c = pawl_sim_contact(sim, i);
        int from = pawl_body_index(c.body_a), to = pawl_body_index(c.body_b);
        if (from == a && to == b) {
            contacts_add(&sum, &c, 1.0, point);
        } else if (from == b && to == a) {
            contacts_add(&sum, &c, -1.0, point);
        }
    }
    return sum;
}
