// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Contacts: the velocity of b against a at the contact point, along two tangents and the normal, three rows a
// contact, with Coulomb's cone (loops eq. 33-55, 91). The normal's bias allows an open gap to close, but not to
// become negative. Signs: the normal points from a to b, the gap is negative in a penetration, and a positive normal
// impulse pushes b away from a. Rows of a contact are in the order t, o, n. Their impulses have no fixed slot in the
// state; they are matched by the contact's id (warm_start.c).
#include "rows/families.h"
#include "rows/row_build.h"

// The axis that is projected is never within 53 degrees of n where x is chosen, and y is chosen only where n leans
// towards x, so `side` cannot vanish.
void pawl_contact_tangents(pawl_vec3 n, pawl_vec3 *t, pawl_vec3 *o)
{
    pawl_vec3 pick = fabs(n.x) < 0.6 ? v3(1, 0, 0) : v3(0, 1, 0);
    pawl_vec3 side = v3_axpy(pick, -v3_dot(pick, n), n);
    *t = v3_scale(1.0 / v3_norm(side), side);
    *o = v3_cross(n, *t);
}

row_block *pawl_contact_block_append(pawl_assembly *a, const row_family *family, int k, int part,
                                     int dim)
{
    const pawl_contact *in = &a->contacts[k];
    row_block *b = pawl_row_append(a, (row_info){family, k, part, -1, -1, 1.0}, dim, -1,
                                   (const int[2]){in->body_a, in->body_b});
    for (int r = b->rows.first_row; r < b->rows.first_row + dim; ++r) {
        a->compliance[r] = a->bias[r] = 0.0;
        a->want[r] = -INFINITY;
        a->lower[r] = -INFINITY;
        a->upper[r] = INFINITY;
    }
    return b;
}

// Row e of body b is (e, (p - r_b) x e), of body a its negative. With dim 1 the part starts at 2: the normal keeps
// its number.
const row_block *pawl_contact_rows_append(pawl_assembly *a, int k, int dim)
{
    const pawl_contact *in = &a->contacts[k];
    const row_block *b = pawl_contact_block_append(a, &pawl_contact_rows_family, k, 3 - dim, dim);
    pawl_vec3 axis[3];
    axis[2] = in->normal;
    pawl_contact_tangents(in->normal, &axis[0], &axis[1]);
    for (int s = 0; s < b->body_count; ++s) {
        double sign = b->body[s] == in->body_b ? 1.0 : -1.0;
        pawl_vec3 lever = v3_sub(in->position, a->bodies[b->body[s]].r);
        for (int r = 0; r < dim; ++r) {
            pawl_vec3 e = v3_scale(sign, axis[3 - dim + r]), c = v3_cross(lever, e);
            double *row = pawl_row_jacobian(a, b, s, r);
            row[0] = e.x, row[1] = e.y, row[2] = e.z, row[3] = c.x, row[4] = c.y, row[5] = c.z;
        }
    }
    a->metric->ops->scale_block(a->metric, a, b);
    return b;
}

const double pawl_slow_correction = 1e-5;

// Rows are fixed for a step while bodies roll and turn, so that bodies penetrate by a fraction of h of their own
// motion in each step. To take that back is part of the motion: without it rolling bodies would lose or gain energy
// at first order.
double pawl_contact_slow_correction(const pawl_assembly *a, const pawl_contact *in,
                                    const body_state *start)
{
    const double fraction = 0.05; // of the speed; of its square in the energy
    const int body[2] = {in->body_a, in->body_b};
    pawl_vec3 v = v3(0.0, 0.0, 0.0), w = v3(0.0, 0.0, 0.0);
    double arm = INFINITY;
    for (int side = 0; side < 2; ++side) {
        if (body[side] >= 0) {
            const body_state *b = &start[body[side]];
            pawl_vec3 lever = v3_sub(in->position, a->bodies[body[side]].r);
            double sign = side == 0 ? -1.0 : 1.0;
            v = v3_axpy(v, sign, v3_add(b->v, v3_cross(b->w, lever)));
            w = v3_axpy(w, sign, b->w);
            arm = fmin(arm, v3_norm(lever));
        }
    }
    return pawl_slow_correction + fraction * (v3_norm(v) + arm * v3_norm(w));
}

// The normal of a soft contact and, where asked for, its tangents: without a violation of their own they
// share the impedance, and one compliance, so that friction is the same in all directions.
static void contact_soften(pawl_assembly *a, const row_block *b, const pawl_contact *in,
                           const body_state *start, const step_weights *w)
{
    const pawl_softness *s = &in->soft;
    double impedance = pawl_softness_impedance(s, in->gap);
    pawl_row_soften(a, b, 2, s, impedance, w, in->gap, pawl_row_rate(a, b, 2, start));
    if (!w->soft_friction) {
        return;
    }
    double *compliance = a->compliance + b->rows.first_row;
    for (int r = 0; r < 2; ++r) {
        pawl_row_soften(a, b, r, s, impedance, w, 0.0, pawl_row_rate(a, b, r, start));
    }
    compliance[0] = compliance[1] = 0.5 * (compliance[0] + compliance[1]);
}

// The three rows of contact k with their bias. A contact that lasts in a stepper which locates events
// (`persistent`) holds on all rows for the mean of both rates, without gap. Otherwise only the normal has a bias:
// tangents resist any slip.
static void contact_add(pawl_assembly *a, int k, const body_state *start, const step_weights *w)
{
    const pawl_contact *in = &a->contacts[k];
    const row_block *b = pawl_contact_rows_append(a, k, 3);
    a->friction[k] = in->friction;
    int normal = b->rows.first_row + 2;
    double gentle = pawl_contact_slow_correction(a, in, start),
           gap = in->gap + w->allowed_depth; // loops eq. 91a
    double bias = pawl_row_gap_bias(a, normal, gap, pawl_row_erp(in->erp, w->erp_contact),
                                    w->contact_correction_speed, gentle, w);
    if (in->persistent) {
        for (int r = 0; r < 3; ++r) {
            a->bias[b->rows.first_row + r] = w->start_weight * pawl_row_rate(a, b, r, start);
        }
        pawl_row_keep_closed(a, normal, gentle);
        return;
    }
    a->bias[normal] = bias; // contacts that bounce have done so before (step/impact.c)
    if (pawl_is_soft(&in->soft)) {
        contact_soften(a, b, in, start, w);
        a->want[normal] = -INFINITY;
    }
}

// Contacts are the last rows of every problem: solvers find contact k by its number alone
// (pawl_problem_contact_row).
static void contact_append(pawl_assembly *a, const body_state *start, const step_weights *w)
{
    a->problem.contact_count = a->contact_count;
    a->problem.friction = a->friction;
    for (int k = 0; k < a->contact_count; ++k) {
        contact_add(a, k, start, w);
    }
}

const row_family pawl_contact_rows_family = {
    .name = "contact",
    .traits = ROW_ONE_SIDED,
    .work_kind = WORK_CONTACTS,
    .append = contact_append,
};
