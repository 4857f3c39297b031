// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// docs/reduced.md section 6. With S^ = [[w]x v] the matrix of a motion and r taken from the link's origin,
// dT/dtheta_k = S_k^ T for links below column k, and for j before k the second derivative is S_j^ S_k^ T. So
// all that is needed of a link is N = A_R RT + a rT with A = [A_R a]: <A, S^ T> = <N, [w]x> + a . v. Sums of
// N and a over the links below k give gradient and Hessian. The Gram matrix is the inertia of bodies
// with the second moments T W TT.
#include "tree/pose_form.h"
#include <string.h>

pose_matrix pawl_reduced_pose_matrix(const reduced_motion *m, int link)
{
    const pawl_mat3 *r = &m->rotation[link];
    double x[3] = {m->position[link].x, m->position[link].y, m->position[link].z};
    pose_matrix T;
    for (int i = 0; i < 3; ++i) {
        memcpy(T.m[i], r->m[i], 3 * sizeof(double));
        T.m[i][3] = x[i];
    }
    return T;
}

// Second moments S of a body's mass, from I = trace(S) 1 - S: S = trace(I)/2 1 - I. With this weight
// the squared norm of T1 - T2 is the integral over the mass of the squared distance between the two
// places of each point.
pose_weight pawl_reduced_mass_weight(const pawl_model *model, int body)
{
    const model_body *b = &model->bodies[body];
    double half = 0.5 * (b->inertia.m[0][0] + b->inertia.m[1][1] + b->inertia.m[2][2]);
    pose_weight W = {{{0}}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            W.m[i][j] = (i == j ? half : 0.0) - b->inertia.m[i][j];
        }
    }
    W.m[3][3] = b->mass;
    return W;
}

// T with its translation from the link's origin, so that motions about it apply.
static pose_matrix pose_form_local(const reduced_motion *m, int link)
{
    pose_matrix T = pawl_reduced_pose_matrix(m, link);
    T.m[0][3] -= m->origin[link].x;
    T.m[1][3] -= m->origin[link].y;
    T.m[2][3] -= m->origin[link].z;
    return T;
}

// N in turning, and in force a and the moment that <N, [w]x> = n . w has.
static void pose_form_sum(reduced_motion *m, const pose_matrix *A)
{
    const reduced_tree *t = m->tree;
    for (int l = 0; l < t->link_count; ++l) {
        pose_matrix T = pose_form_local(m, l);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                const double *a = A[l].m[i], *x = T.m[j];
                m->turning[l].m[i][j] = a[0] * x[0] + a[1] * x[1] + a[2] * x[2] + a[3] * x[3];
            }
        }
        m->force[l].v = v3(A[l].m[0][3], A[l].m[1][3], A[l].m[2][3]);
    }
    for (int l = t->link_count - 1; l >= 0; --l) {
        const pawl_mat3 *N = &m->turning[l];
        m->force[l].w =
            v3(N->m[2][1] - N->m[1][2], N->m[0][2] - N->m[2][0], N->m[1][0] - N->m[0][1]);
        int parent = pawl_reduced_sum_parent(t, l);
        if (parent >= 0) {
            m->force[parent].v = v3_add(m->force[parent].v, m->force[l].v);
            for (int n = 0; n < 9; ++n) {
                (&m->turning[parent].m[0][0])[n] += (&N->m[0][0])[n];
            }
        }
    }
}

void pawl_reduced_pose_gradient(reduced_motion *m, const pose_matrix *A, double *gradient)
{
    pose_form_sum(m, A);
    for (int k = 0; k < m->tree->column_count; ++k) {
        gradient[k] = sp_dot(m->S[k], m->force[m->tree->columns[k].link]);
    }
}

// <N, S_j^ S_k^> + its translation: [w_j]x [w_k]x = w_k w_jT - (w_j . w_k) 1
static double pose_form_second(const reduced_motion *m, int link, spatial j, spatial k)
{
    const pawl_mat3 *N = &m->turning[link];
    double trace = N->m[0][0] + N->m[1][1] + N->m[2][2];
    return v3_dot(k.w, m3_mul(N, j.w)) - trace * v3_dot(j.w, k.w) +
           v3_dot(m->force[link].v, v3_cross(j.w, k.v));
}

void pawl_reduced_pose_hessian(reduced_motion *m, const pose_matrix *A, double *hessian)
{
    const reduced_tree *t = m->tree;
    int n = t->column_count;
    pose_form_sum(m, A);
    for (int k = 0; k < n; ++k) {
        int link = t->columns[k].link, ball = t->columns[k].ball;
        for (int j = k; j >= 0; j = t->columns[j].parent) {
            double value;
            if (ball >= 0 && t->columns[j].ball == ball) {
                int first = t->ball_column[ball];
                value = sp_dot(m->balls[ball].derivative[j - first][k - first], m->force[link]) +
                        pose_form_second(m, link, m->S[k], m->S[j]);
            } else {
                value = pose_form_second(m, link, m->S[j], m->S[k]);
            }
            hessian[k * n + j] += value;
            if (j != k) {
                hessian[j * n + k] += value;
            }
        }
    }
}

// The inertia about the origin of a body whose second moments in its own frame are W.
// P = T W TT are second moments about the origin; trace(P) 1 - P is the inertia.
static spatial_inertia pose_form_inertia(const pose_matrix *T, const pose_weight *W)
{
    double TW[3][4], P[3][3], h[3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) {
            TW[i][j] = 0.0;
            for (int k = 0; k < 4; ++k) {
                TW[i][j] += T->m[i][k] * W->m[k][j];
            }
        }
        h[i] = TW[i][3];
        for (int j = 0; j < 3; ++j) {
            P[i][j] = TW[i][0] * T->m[j][0] + TW[i][1] * T->m[j][1] + TW[i][2] * T->m[j][2] +
                      TW[i][3] * T->m[j][3];
        }
    }
    spatial_inertia out = {.mass = W->m[3][3], .first = v3(h[0], h[1], h[2])};
    double trace = P[0][0] + P[1][1] + P[2][2];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out.second.m[i][j] = (i == j ? trace : 0.0) - 0.5 * (P[i][j] + P[j][i]);
        }
    }
    return out;
}

// hessian (nv x nv) += the Gram matrix of the columns, as composite bodies give the inertia H.
void pawl_reduced_pose_gram(reduced_motion *m, const pose_weight *W, double *hessian)
{
    const reduced_tree *t = m->tree;
    int n = t->column_count;
    for (int l = 0; l < t->link_count; ++l) {
        pose_matrix T = pose_form_local(m, l);
        m->composite[l] = pose_form_inertia(&T, &W[l]);
    }
    for (int l = t->link_count - 1; l >= 0; --l) {
        int parent = pawl_reduced_sum_parent(t, l);
        if (parent >= 0) {
            si_add(&m->composite[parent], &m->composite[l]);
        }
    }
    for (int k = 0; k < n; ++k) {
        spatial momentum = si_mul(&m->composite[t->columns[k].link], m->S[k]);
        for (int j = k; j >= 0; j = t->columns[j].parent) {
            double value = sp_dot(m->S[j], momentum);
            hessian[k * n + j] += value;
            if (j != k) {
                hessian[j * n + k] += value;
            }
        }
    }
}
