// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The computations of a step for every body, four bodies at a time. The bits are those of rotation.h for one body, so
// that they do not depend on the grouping: the remaining bodies at the end of the list, and bodies that turn too far
// for the series of lanes, are computed one by one.
#include "rows/body_lanes.h"
#include "math/lanes3.h"
#include <math.h>

// exp(v) q, renormalized, as quat_advance() for angles whose square is below quat_series_angle2.
PAWL_KERNEL_PART void body_lanes_advance(const lanes3 *v, lanes_quat *q)
{
    lanes z = LANES_ALL(0.25) * LANES3_DOT(*v, *v), s, c;
    QUAT_EXP_SERIES(z, LANES_ALL, s, c);
    lanes_quat a = {c, s * v->x, s * v->y, s * v->z}, b = *q;
    lanes_quat p = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                    a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                    a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                    a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    lanes n2 = p.w * p.w + p.x * p.x + p.y * p.y + p.z * p.z;
    lanes n = {sqrt(n2[0]), sqrt(n2[1]), sqrt(n2[2]), sqrt(n2[3])};
    *q = (lanes_quat){p.w / n, p.x / n, p.y / n, p.z / n};
}

static void body_lanes_move_one(const model_body *b, const body_state *from, const double *u,
                                double tau, body_state *to)
{
    to->r = v3_axpy(from->r, tau, v3(u[0], u[1], u[2]));
    to->q = b->kind == PAWL_BODY_RIGID ? quat_advance(from->q, v3_scale(tau, v3(u[3], u[4], u[5])))
                                       : to->q;
}

// Four bodies from `first` on, for which lanes do; kinds are looked at where they differ.
PAWL_KERNEL_PART bool body_lanes_are_rigid(const pawl_model *m, int first)
{
    bool rigid = true;
    for (int i = first; i < first + 4 && i < m->body_count; ++i) {
        rigid = rigid && m->bodies[i].kind == PAWL_BODY_RIGID;
    }
    return rigid;
}

static bool body_lanes_all_rigid(const pawl_model *m)
{
    return m->velocity_count == 6 * m->body_count;
}

// False, and nothing is done, where one of them turns too far.
PAWL_KERNEL_PART bool body_lanes_move_four(const body_state *const start[4],
                                           const double *const twist[4], double tau,
                                           body_state *const end[4])
{
    // From the twist's third number on, so that nothing behind the last one is read.
    lanes x[4] = {LANES_LOAD(twist[0] + 2), LANES_LOAD(twist[1] + 2), LANES_LOAD(twist[2] + 2),
                  LANES_LOAD(twist[3] + 2)};
    lanes_transpose(x);
    lanes time = LANES_ALL(tau);
    lanes3 v = {time * x[1], time * x[2], time * x[3]};
    lanes a2 = LANES3_DOT(v, v);
    bool small = a2[0] < quat_series_angle2 && a2[1] < quat_series_angle2 &&
                 a2[2] < quat_series_angle2 && a2[3] < quat_series_angle2;
    if (!small) {
        return false;
    }
    lanes_quat q;
    lanes_quat_load(
        (const pawl_quat *const[4]){&start[0]->q, &start[1]->q, &start[2]->q, &start[3]->q}, &q);
    body_lanes_advance(&v, &q);
    for (int k = 0; k < 4; ++k) { // the fourth number is overwritten next
        lanes r = LANES_LOAD(&start[k]->r.x) + time * LANES_LOAD(twist[k]);
        LANES_STORE(&end[k]->r.x, r);
    }
    lanes_quat_store(&q, (pawl_quat *const[4]){&end[0]->q, &end[1]->q, &end[2]->q, &end[3]->q});
    return true;
}

// Lanes behind the last body do what that one does, to where nobody reads.
PAWL_KERNEL static void body_lanes_move(const pawl_model *m, const body_state *from,
                                        const double *u, double tau, body_state *to)
{
    bool all = body_lanes_all_rigid(m);
    for (int first = 0, count = m->body_count; first < count; first += 4) {
        bool done = all || body_lanes_are_rigid(m, first);
        const body_state *f = from + first;
        body_state *t = to + first;
        const double *x = u + 6 * first;
        if (done && first + 4 <= count) {
            done = body_lanes_move_four((const body_state *const[4]){f, f + 1, f + 2, f + 3},
                                        (const double *const[4]){x, x + 6, x + 12, x + 18}, tau,
                                        (body_state *const[4]){t, t + 1, t + 2, t + 3});
        } else if (done) {
            int i = count - first > 1, j = count - first > 2 ? 2 : i;
            body_state spare;
            done = body_lanes_move_four(
                (const body_state *const[4]){f, f + i, f + j, f + j},
                (const double *const[4]){x, x + 6 * i, x + 6 * j, x + 6 * j}, tau,
                (body_state *const[4]){t, i > 0 ? t + i : &spare, j > i ? t + j : &spare, &spare});
        }
        for (int i = first; !done && i < first + 4 && i < count; ++i) {
            body_lanes_move_one(&m->bodies[i], &from[i], u + 6 * i, tau, &to[i]);
        }
    }
}

void pawl_bodies_move(const pawl_model *m, const body_state *from, const double *u, double tau,
                      body_state *to)
{
    body_lanes_move(m, from, u, tau, to);
}

// Rotations, and with `inverse` m3_congruence() of them and of that.
PAWL_KERNEL_PART void body_lanes_turn_four(const pawl_quat *const q[4],
                                           pawl_mat3 *const rotation[4],
                                           const pawl_mat3 *const *inverse,
                                           pawl_mat3 *const turned[4])
{
    lanes_quat x;
    lanes33 r, s, rs, c;
    lanes_quat_load(q, &x);
    lanes_quat_matrix(&x, &r);
    lanes33_store(&r, rotation);
    if (inverse == NULL) {
        return;
    }
    lanes33_load(inverse, &s);
    lanes33_product(&r, &s, &rs);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i; ++j) {
            c.m[i][j] = rs.m[i][0] * r.m[j][0] + rs.m[i][1] * r.m[j][1] + rs.m[i][2] * r.m[j][2];
            c.m[j][i] = c.m[i][j];
        }
    }
    lanes33_store(&c, turned);
}

PAWL_KERNEL_PART void body_lanes_turn(const pawl_model *m, const body_state *bodies,
                                      pawl_mat3 *rotation, pawl_mat3 *inverse_inertia)
{
    bool all = body_lanes_all_rigid(m);
    for (int first = 0, count = m->body_count; first < count; first += 4) {
        const body_state *b = bodies + first;
        const model_body *own = m->bodies + first;
        bool rigid = inverse_inertia != NULL && (all || body_lanes_are_rigid(m, first));
        pawl_mat3 *r = rotation + first, *t = rigid ? inverse_inertia + first : r, rest;
        if (first + 4 <= count) {
            const pawl_mat3 *const inverse[4] = {&own[0].inverse_inertia, &own[1].inverse_inertia,
                                                 &own[2].inverse_inertia, &own[3].inverse_inertia};
            body_lanes_turn_four((const pawl_quat *const[4]){&b[0].q, &b[1].q, &b[2].q, &b[3].q},
                                 (pawl_mat3 *const[4]){r, r + 1, r + 2, r + 3},
                                 rigid ? inverse : NULL,
                                 (pawl_mat3 *const[4]){t, t + 1, t + 2, t + 3});
        } else { // lanes behind the last body do what that one does, to where nobody reads
            int i = count - first > 1, j = count - first > 2 ? 2 : i;
            const pawl_mat3 *const inverse[4] = {&own[0].inverse_inertia, &own[i].inverse_inertia,
                                                 &own[j].inverse_inertia, &own[j].inverse_inertia};
            body_lanes_turn_four(
                (const pawl_quat *const[4]){&b[0].q, &b[i].q, &b[j].q, &b[j].q},
                (pawl_mat3 *const[4]){r, i > 0 ? r + i : &rest, j > i ? r + j : &rest, &rest},
                rigid ? inverse : NULL,
                (pawl_mat3 *const[4]){t, i > 0 ? t + i : &rest, j > i ? t + j : &rest, &rest});
        }
        for (int i = first; inverse_inertia != NULL && !rigid && i < first + 4 && i < count; ++i) {
            if (m->bodies[i].kind == PAWL_BODY_RIGID) {
                inverse_inertia[i] = m3_congruence(&rotation[i], &m->bodies[i].inverse_inertia);
            }
        }
    }
}

PAWL_KERNEL static void body_lanes_rotate(const pawl_model *m, const body_state *bodies,
                                          pawl_mat3 *rotation)
{
    body_lanes_turn(m, bodies, rotation, NULL);
}

PAWL_KERNEL static void body_lanes_inertias(const pawl_model *m, const body_state *bodies,
                                            pawl_mat3 *rotation, pawl_mat3 *inverse_inertia)
{
    body_lanes_turn(m, bodies, rotation, inverse_inertia);
}

// Spins of four bodies, in the axes of the given rotations.
PAWL_KERNEL_PART void body_lanes_spins(const body_state *const at[4], const lanes33 *rotation,
                                       lanes3 *spin)
{
    lanes x[4]; // from the velocity's third number on, so that nothing behind the last body is read
    for (int k = 0; k < 4; ++k) {
        x[k] = LANES_LOAD(&at[k]->v.z);
    }
    lanes_transpose(x);
    lanes3 w = {x[1], x[2], x[3]};
    lanes33_tmul(rotation, &w, spin);
}

PAWL_KERNEL_PART void body_lanes_momenta(const model_body *const b[4], const lanes3 *spin,
                                         lanes3 *momentum)
{
    lanes33 inertia;
    lanes33_load(
        (const pawl_mat3 *const[4]){&b[0]->inertia, &b[1]->inertia, &b[2]->inertia, &b[3]->inertia},
        &inertia);
    lanes33_mul(&inertia, spin, momentum);
}

// Four bodies from the first on; the last one again behind the end of the list.
PAWL_KERNEL_PART void body_lanes_four(const pawl_model *m, const body_state *bodies, int first,
                                      const model_body *b[4], const body_state *at[4])
{
    int last = m->body_count - 1;
    for (int k = 0; k < 4; ++k) {
        int i = first + 3 <= last || first + k < last ? first + k : last;
        b[k] = &m->bodies[i];
        at[k] = &bodies[i];
    }
}

PAWL_KERNEL static void body_lanes_energies(const pawl_model *m, const body_state *bodies,
                                            const double *factor, pawl_vec3 gravity,
                                            double *kinetic, double *weight)
{
    const double down[3] = {gravity.x, gravity.y, gravity.z};
    double motion = *kinetic, height = *weight;
    for (int first = 0; first < m->body_count; first += 4) {
        const model_body *b[4];
        const body_state *at[4];
        body_lanes_four(m, bodies, first, b, at);
        lanes_quat q;
        lanes33 rotation;
        lanes3 r, v, spin, momentum;
        lanes_quat_load((const pawl_quat *const[4]){&at[0]->q, &at[1]->q, &at[2]->q, &at[3]->q},
                        &q);
        lanes_quat_matrix(&q, &rotation);
        body_lanes_spins(at, &rotation, &spin);
        body_lanes_momenta(b, &spin, &momentum);
        lanes3_load((const double *const[4]){&at[0]->r.x, &at[1]->r.x, &at[2]->r.x, &at[3]->r.x},
                    &r);
        lanes3_load((const double *const[4]){&at[0]->v.x, &at[1]->v.x, &at[2]->v.x, &at[3]->v.x},
                    &v);
        lanes speed2 = LANES3_DOT(v, v), turning = LANES_ALL(0.5) * LANES3_DOT(spin, momentum);
        lanes fall = LANES_ALL(down[0]) * r.x + LANES_ALL(down[1]) * r.y + LANES_ALL(down[2]) * r.z;
        for (int k = 0; k < 4 && first + k < m->body_count; ++k) {
            if (b[k]->kind != PAWL_BODY_KINEMATIC) {
                double own = factor[first + k] != 0.0 ? factor[first + k] : 1.0;
                double mass = own * b[k]->mass;
                motion += 0.5 * mass * speed2[k] + own * turning[k];
                height -= mass * b[k]->gravity_scale * fall[k];
            }
        }
    }
    *kinetic = motion;
    *weight = height;
}

void pawl_bodies_energies(const pawl_model *m, const body_state *bodies, const double *factor,
                          pawl_vec3 gravity, double *kinetic, double *weight)
{
    body_lanes_energies(m, bodies, factor, gravity, kinetic, weight);
}

// NaN need not be detected here: the state is checked.
PAWL_KERNEL_PART double body_lanes_largest(const lanes3 *v, int k)
{
    double x = fabs(v->x[k]), y = fabs(v->y[k]), z = fabs(v->z[k]);
    y = y > z ? y : z;
    return x > y ? x : y;
}

PAWL_KERNEL static bool body_lanes_spin_freely(const pawl_model *m, const body_state *bodies,
                                               const pawl_mat3 *rotation, double h, double share)
{
    bool freely = true;
    for (int first = 0; first < m->body_count && freely; first += 4) {
        const model_body *b[4];
        const body_state *at[4];
        body_lanes_four(m, bodies, first, b, at);
        lanes33 r;
        lanes3 spin, momentum, torque;
        lanes33_load(
            (const pawl_mat3 *const[4]){&rotation[at[0] - bodies], &rotation[at[1] - bodies],
                                        &rotation[at[2] - bodies], &rotation[at[3] - bodies]},
            &r);
        body_lanes_spins(at, &r, &spin);
        body_lanes_momenta(b, &spin, &momentum);
        lanes3_cross(&spin, &momentum, &torque);
        for (int k = 0; k < 4; ++k) {
            bool turns = b[k]->kind == PAWL_BODY_RIGID && !b[k]->isotropic;
            bool slow =
                h * body_lanes_largest(&torque, k) <= share * body_lanes_largest(&momentum, k);
            freely = freely && (turns ? slow : b[k]->kind != PAWL_BODY_KINEMATIC);
        }
    }
    return freely;
}

bool pawl_bodies_spin_freely(const pawl_model *m, const body_state *bodies,
                             const pawl_mat3 *rotation, double h, double share)
{
    return body_lanes_spin_freely(m, bodies, rotation, h, share);
}

PAWL_KERNEL_PART void body_lanes_push_four(const lanes *masses, const pawl_mat3 *const inverse[4],
                                           const double *const force[4], double *const u[4])
{
    lanes low[4], high[4]; // numbers 0 to 3 and 2 to 5
    lanes33 inertia;
    lanes3 w;
    for (int k = 0; k < 4; ++k) {
        low[k] = LANES_LOAD(force[k]);
        high[k] = LANES_LOAD(force[k] + 2);
    }
    lanes_transpose(low);
    lanes_transpose(high);
    lanes33_load(inverse, &inertia);
    lanes33_mul(&inertia, &(lanes3){low[3], high[2], high[3]}, &w);
    lanes x = *masses * low[0], y = *masses * low[1], z = *masses * low[2];
    lanes head[4] = {x, y, z, w.x}, tail[4] = {z, w.x, w.y, w.z};
    lanes_transpose(head);
    lanes_transpose(tail);
    for (int k = 0; k < 4; ++k) { // numbers 0 to 3, then 4 and 5
        lanes sum = LANES_LOAD(u[k]) + head[k];
        *(lanes_pair_at *)(u[k] + 4) += __builtin_shufflevector(tail[k], tail[k], 2, 3);
        LANES_STORE(u[k], sum);
    }
}

// Lanes behind the last body do what that one does, to where nobody reads.
PAWL_KERNEL static void body_lanes_push(int count, const double *inverse_mass,
                                        const pawl_mat3 *inverse_inertia, const double *force,
                                        double *u)
{
    int b = 0;
    for (; b + 4 <= count; b += 4, force += 24, u += 24) {
        const pawl_mat3 *from = inverse_inertia + b;
        lanes masses = LANES_LOAD(inverse_mass + b);
        body_lanes_push_four(&masses,
                             (const pawl_mat3 *const[4]){from, from + 1, from + 2, from + 3},
                             (const double *const[4]){force, force + 6, force + 12, force + 18},
                             (double *const[4]){u, u + 6, u + 12, u + 18});
    }
    if (b < count) {
        const pawl_mat3 *from = inverse_inertia + b;
        const double *mass = inverse_mass + b;
        double spare[6] = {0};
        int i = count - b > 1, j = count - b > 2 ? 2 : i;
        lanes masses = {mass[0], mass[i], mass[j], mass[j]};
        body_lanes_push_four(
            &masses, (const pawl_mat3 *const[4]){from, from + i, from + j, from + j},
            (const double *const[4]){force, force + 6 * i, force + 6 * j, force + 6 * j},
            (double *const[4]){u, i > 0 ? u + 6 : spare, j > i ? u + 12 : spare, spare});
    }
}

void pawl_bodies_push(int count, const double *inverse_mass, const pawl_mat3 *inverse_inertia,
                      const double *force, double *u)
{
    body_lanes_push(count, inverse_mass, inverse_inertia, force, u);
}

void pawl_bodies_rotate(const pawl_model *m, const body_state *bodies, pawl_mat3 *rotation)
{
    body_lanes_rotate(m, bodies, rotation);
}

void pawl_bodies_turn_inertias(const pawl_model *m, const body_state *bodies, pawl_mat3 *rotation,
                               pawl_mat3 *inverse_inertia)
{
    body_lanes_inertias(m, bodies, rotation, inverse_inertia);
}
