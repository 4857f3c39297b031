// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The inertial part of G, in two ways.
//
// ne: Newton and Euler's equations in generalized coordinates, H(theta) theta'' + C(theta, theta'),
// gravity in C (NMDP eq. 1 with the sign of C corrected).
//
// pbd: the gradient of  I = int rho |X - X^ - h V^|^2/(2 h^2)  over all bodies, gravity as a potential
// (NMDP eq. 4, where one of the two steps in the denominator is the step itself). With the points of a
// body at r + R s and S = int rho s sT its second moments,
//   I = m |r - r~|^2/(2 h^2) + tr((R - R~) S (R - R~)T)/(2 h^2),   r~ = r^ + h v^,  R~ = R^ + h R^',
// pbd-rigid: R~ rotated further to compensate the loss of the rule. With Q the rotation of the last step (angle a
// about u, over h_), R~ = R^ + h/h_ (1 - QT) R^ has in the plane across u the angle b = atan2(h/h_ sin a, 1 + h/h_ (1
// - cos a)), which is less than a h/h_: points on circles accelerate, and implicit Euler damps this motion. R~ is
// turned by a h/h_ - b = O(a^3) about u, so that a body that rotates freely about a principal axis keeps its spin;
// the rule's Coriolis forces, which are of second order, do not change.
//
// I's derivative by a rotation vector is the axis of M - MT, M = R S R~T, over h^2, and whose second
// derivative is tr(M) 1 - M.
#include "math/rotation.h"
#include "math/trig.h"
#include "step/nmdp/nmdp.h"
#include "tree/derivatives.h"
#include <string.h>

// Adds the pull of a link towards the affine image (target) of its points, per h^2; `push` is another
// force at the centre. Returns the integral.
static double inertia_pull(nmdp *s, int link, const nmdp_body *target, pawl_vec3 push, bool force,
                           bool curvature)
{
    const model_body *b = &s->model->bodies[s->tree->links[link].body];
    const pawl_mat3 *R = &s->motion->rotation[link];
    double scale = 1.0 / (s->stage.h * s->stage.h), slope[6][6] = {{0.0}};
    pawl_vec3 r = s->motion->position[link], off = v3_sub(r, target->r);
    pawl_mat3 RS = m3_product(R, &s->second[link]), M = m3_product_transposed(&RS, &target->R);
    double trace = M.m[0][0] + M.m[1][1] + M.m[2][2];
    for (int i = 0; i < 3; ++i) {
        slope[i][i] = scale * b->mass;
        for (int j = 0; j < 3; ++j) {
            slope[3 + i][3 + j] = scale * ((i == j ? trace : 0.0) - M.m[i][j]);
        }
    }
    pawl_vec3 none = v3(0.0, 0.0, 0.0);
    pawl_vec3 pull = v3_axpy(push, scale * b->mass, off);
    pawl_tree_load_add(&s->load, link, r, force ? pull : none,
                       force ? v3_scale(scale, m3_axis(&M)) : none, curvature ? slope : NULL);
    double own = 0.0; // tr((R - R~) S (R - R~)T)
    for (int i = 0; i < 3; ++i) {
        pawl_vec3 d = v3(R->m[i][0] - target->R.m[i][0], R->m[i][1] - target->R.m[i][1],
                         R->m[i][2] - target->R.m[i][2]);
        own += v3_dot(d, m3_mul(&s->second[link], d));
    }
    return 0.5 * scale * (b->mass * v3_dot(off, off) + own);
}

bool pawl_nmdp_spin(const pawl_mat3 *rate, const pawl_mat3 *R, pawl_vec3 *spin)
{
    // W = (1 - QT)/h_: its trace is 2 (1 - cos a)/h_, its axis 2 sin a/h_ long.
    pawl_mat3 W = m3_product_transposed(rate, R);
    pawl_vec3 axis = v3_scale(0.5, m3_axis(&W));
    double sine = v3_norm(axis), rest = 0.5 * (W.m[0][0] + W.m[1][1] + W.m[2][2]);
    if (!(sine > 0.0)) {
        *spin = v3(0.0, 0.0, 0.0);
        return false;
    }
    double half = pawl_atan2(rest, sine), angle = 2.0 * half, s, c; // tan(a/2) = (1 - cos a)/sin a
    pawl_sincos(angle, &s, &c);
    double ratio = fabs(half) > 1e-8 ? angle / s : 1.0;
    *spin = v3_scale(ratio, axis);
    return true;
}

// Rotates the target by the missing part of the spin over h.
static void inertia_turn_on(const nmdp_body *from, const nmdp_body *rate, double h,
                            nmdp_body *target)
{
    pawl_vec3 spin;
    if (!pawl_nmdp_spin(&rate->R, &from->R, &spin)) {
        return;
    }
    pawl_vec3 u = v3_scale(1.0 / v3_norm(spin), spin);
    pawl_mat3 W = m3_product_transposed(&rate->R, &from->R);
    double sine = 0.5 * h * v3_dot(m3_axis(&W), u);
    double rest = 0.5 * h * (W.m[0][0] + W.m[1][1] + W.m[2][2]);
    pawl_vec3 missing = v3_scale(h * v3_norm(spin) - pawl_atan2(sine, 1.0 + rest), u);
    pawl_mat3 turn = quat_matrix(quat_exp(missing));
    target->R = m3_product(&turn, &target->R);
}

// r~ and R~ are where the points of the body would be without forces; R~ is in general no rotation.
static nmdp_body inertia_target(const nmdp *s, int link)
{
    double h = s->stage.h;
    const nmdp_body *x = &s->stage.place.bodies[link], *u = &s->stage.rate.bodies[link];
    nmdp_body target = {v3_axpy(x->r, h, u->r), x->R};
    for (int k = 0; k < 9; ++k) {
        target.R.m[k / 3][k % 3] += h * u->R.m[k / 3][k % 3];
    }
    if (s->settings->nmdp.dynamics == PAWL_NMDP_PBD_RIGID) {
        inertia_turn_on(x, u, h, &target);
    }
    return target;
}

static void inertia_pbd(nmdp *s)
{
    for (int i = 0; i < s->links; ++i) {
        const model_body *b = &s->model->bodies[s->tree->links[i].body];
        if (s->tree->links[i].driven) {
            continue;
        }
        nmdp_body target = inertia_target(s, i);
        pawl_vec3 weight = v3_scale(-b->mass * b->gravity_scale, s->model->gravity);
        inertia_pull(s, i, &target, weight, true, true);
    }
}

// Whether the rotation of every link relative to R~ is so small that the moment of I increases with it: d2I/dphi2,
// tr(M) 1 - M, is positive definite. About one axis that is an angle below 90 degrees.
bool pawl_nmdp_links_hold(const nmdp *s)
{
    for (int i = 0; i < s->links; ++i) {
        if (s->tree->links[i].driven) {
            continue;
        }
        nmdp_body target = inertia_target(s, i);
        pawl_mat3 RS = m3_product(&s->motion->rotation[i], &s->second[i]);
        pawl_mat3 M = m3_product_transposed(&RS, &target.R);
        double trace = M.m[0][0] + M.m[1][1] + M.m[2][2];
        double a = trace - M.m[0][0], b = trace - M.m[1][1], c = trace - M.m[2][2];
        double x = -0.5 * (M.m[1][2] + M.m[2][1]), y = -0.5 * (M.m[0][2] + M.m[2][0]);
        double z = -0.5 * (M.m[0][1] + M.m[1][0]);
        double volume = a * (b * c - x * x) - z * (z * c - x * y) + y * (z * x - b * y);
        if (!(a >= 0.0 && a * b >= z * z && volume >= 0.0)) {
            return false;
        }
    }
    return true;
}

// Inverse dynamics at the end of the stage, with rates and accelerations of implicit Euler.
static void inertia_ne(nmdp *s, const double *theta, double *G, double *matrix)
{
    double h = s->stage.h;
    for (int k = 0; k < s->n; ++k) {
        s->rate[k] = (theta[k] - s->stage.place.theta[k]) / h;
        s->acceleration[k] = (s->rate[k] - s->stage.rate.theta[k]) / h;
    }
    pawl_reduced_move(s->motion, s->rate);
    pawl_reduced_inverse_dynamics(s->motion, s->acceleration, s->step);
    for (int k = 0; k < s->n; ++k) {
        G[k] += s->step[k];
    }
    if (matrix != NULL) {
        pawl_reduced_stage_derivative(s->motion, h, matrix);
    }
}

// Rotors that turn with a coordinate.
void pawl_nmdp_add_armature(nmdp *s, const double *theta, double *G, double *matrix)
{
    double h = s->stage.h;
    for (int k = 0; k < s->n; ++k) {
        const pawl_coordinate_def *d = pawl_nmdp_coordinate(s, k);
        if (d == NULL) {
            continue;
        }
        double armature = d->armature;
        if (G != NULL) {
            double rate = (theta[k] - s->stage.place.theta[k]) / h;
            G[k] += armature * (rate - s->stage.rate.theta[k]) / h;
        }
        if (matrix != NULL) {
            matrix[(size_t)k * (size_t)s->n + (size_t)k] += armature / (h * h);
        }
    }
}

void pawl_nmdp_add_inertia(nmdp *s, const double *theta, double *G, double *matrix)
{
    if (nmdp_in_space(s)) {
        inertia_pbd(s);
    } else {
        inertia_ne(s, theta, G, matrix);
    }
    pawl_nmdp_add_armature(s, theta, G, matrix);
}

// The kinetic energy of the motion from X^ to X over h, for K: without V^, unlike the inertial part of G.
double pawl_nmdp_add_body_energy(nmdp *s, bool curvature)
{
    double energy = 0.0;
    for (int i = 0; i < s->links; ++i) {
        if (!s->tree->links[i].driven) {
            energy += inertia_pull(s, i, &s->stage.place.bodies[i], v3(0.0, 0.0, 0.0), !curvature,
                                   curvature);
        }
    }
    return energy;
}
