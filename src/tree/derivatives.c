// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// docs/reduced.md section 5. A change of theta_j moves all links below as one rigid body, by S_j, and changes their
// velocities and accelerations: dV_i = S_j x V_i + p_j, dA_i = S_j x A_i + S_j' x V_i + p_j'. This rigid motion
// changes forces only by rotating them. With sums over the links below (I of inertias, F of forces, w of weights),
//   dF/dtheta_j = S_j x* F + I p_j' - B1 S_j' + B2 p_j,   B1 = sum I_i V_i x,
//   B2 = sum V_i x* I_i + (I_i V_i) x-bar*,   where (h x-bar*) p = p x* h.
// For k below j the change of S_k = S_j x S_k cancels S_j x* F. Weights keep their direction:
//   dw/dtheta_j = (0, v_j x f + Q w_j),   Q = sum x fT - (x . f) 1.
//
// Entry k nv + j of the matrix is the change of tau_k per unit of coordinate j. Only pairs of columns on one path to
// the root are nonzero. The cost is O(nv depth), without finite differences.
#include "tree/derivatives.h"
#include <string.h>

typedef struct derivatives_sums {
    const spatial_inertia *I;
    double (*B1)[6], (*B2)[6];
    spatial total; // F - w
    spatial w;
    const pawl_mat3 *Q;
} derivatives_sums;

static derivatives_sums derivatives_below(const reduced_motion *m, int link)
{
    return (derivatives_sums){.I = &m->composite[link],
                              .B1 = m->matrix[2 * link],
                              .B2 = m->matrix[2 * link + 1],
                              .total = m->force[link],
                              .w = m->momentum[link],
                              .Q = &m->turning[link]};
}

// Adds s [a]x to the 3 x 3 part of M that begins at (row, column).
static void derivatives_put_cross(double M[6][6], int row, int column, double s, pawl_vec3 a)
{
    M[row][column + 1] -= s * a.z, M[row][column + 2] += s * a.y;
    M[row + 1][column] += s * a.z, M[row + 1][column + 2] -= s * a.x;
    M[row + 2][column] -= s * a.y, M[row + 2][column + 1] += s * a.x;
}

static spatial derivatives_mul(double M[6][6], spatial s)
{
    double x[6] = {s.v.x, s.v.y, s.v.z, s.w.x, s.w.y, s.w.z}, y[6] = {0};
    for (int r = 0; r < 6; ++r) {
        for (int c = 0; c < 6; ++c) {
            y[r] += M[r][c] * x[c];
        }
    }
    return (spatial){{y[0], y[1], y[2]}, {y[3], y[4], y[5]}};
}

// MT s
static spatial derivatives_tmul(double M[6][6], spatial s)
{
    double x[6] = {s.v.x, s.v.y, s.v.z, s.w.x, s.w.y, s.w.z}, y[6] = {0};
    for (int r = 0; r < 6; ++r) {
        for (int c = 0; c < 6; ++c) {
            y[c] += M[r][c] * x[r];
        }
    }
    return (spatial){{y[0], y[1], y[2]}, {y[3], y[4], y[5]}};
}

// M += s [a]x[b]x = s (b aT - a.b 1) in the 3 x 3 part that begins at (row, column).
static void derivatives_put_product(double M[6][6], int row, int column, double s, pawl_vec3 a,
                                    pawl_vec3 b)
{
    const double x[3] = {s * b.x, s * b.y, s * b.z}, y[3] = {a.x, a.y, a.z};
    double diagonal = s * v3_dot(a, b);
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            M[row + r][column + c] += x[r] * y[c];
        }
        M[row + r][column + r] -= diagonal;
    }
}

// B1 = I (V x) and B2 = (V x*) I + (h x-bar*) with h = I V, by 3 x 3 parts. With m, c and J of the inertia
//   I = (m, -[c]x; [c]x, J),   V x = ([w]x, [v]x; 0, [w]x),   V x* = ([w]x, 0; [v]x, [w]x).
static void derivatives_link_matrices(const spatial_inertia *inertia, spatial V, double B1[6][6],
                                      double B2[6][6])
{
    pawl_vec3 c = inertia->first, v = V.v, w = V.w;
    double m = inertia->mass;
    spatial h = si_mul(inertia, V);
    memset(B1, 0, 36 * sizeof(double));
    memset(B2, 0, 36 * sizeof(double));
    const double(*J)[3] = inertia->second.m;
    for (int r = 0; r < 3; ++r) {
        pawl_vec3 row = v3(J[r][0], J[r][1], J[r][2]), column = v3(J[0][r], J[1][r], J[2][r]);
        pawl_vec3 x = v3_cross(row, w),
                  y = v3_cross(w, column); // J [w]x by rows, [w]x J by columns
        B1[3 + r][3] = x.x, B1[3 + r][4] = x.y, B1[3 + r][5] = x.z;
        B2[3][3 + r] = y.x, B2[4][3 + r] = y.y, B2[5][3 + r] = y.z;
    }
    derivatives_put_cross(B1, 0, 0, m, w);
    derivatives_put_cross(B1, 0, 3, m, v);
    derivatives_put_product(B1, 0, 3, -1.0, c, w);
    derivatives_put_product(B1, 3, 0, 1.0, c, w);
    derivatives_put_product(B1, 3, 3, 1.0, c, v);
    derivatives_put_cross(B2, 0, 0, m, w);
    derivatives_put_product(B2, 0, 3, -1.0, w, c);
    derivatives_put_cross(B2, 3, 0, m, v);
    derivatives_put_product(B2, 3, 0, 1.0, w, c);
    derivatives_put_product(B2, 3, 3, -1.0, v, c);
    derivatives_put_cross(B2, 0, 3, -1.0, h.v);
    derivatives_put_cross(B2, 3, 0, -1.0, h.v);
    derivatives_put_cross(B2, 3, 3, -1.0, h.w);
}

// x fT - (x . f) 1, of a force that acts at x from the origin
static pawl_mat3 derivatives_turning(pawl_vec3 x, pawl_vec3 f)
{
    double d = v3_dot(x, f);
    return (pawl_mat3){{{x.x * f.x - d, x.x * f.y, x.x * f.z},
                        {x.y * f.x, x.y * f.y - d, x.y * f.z},
                        {x.z * f.x, x.z * f.y, x.z * f.z - d}}};
}

// Of every link, then of all links below it. The forces were left by inverse dynamics, summed up.
static void derivatives_sum(reduced_motion *m)
{
    const reduced_tree *t = m->tree;
    memcpy(m->composite, m->inertia, (size_t)t->link_count * sizeof *m->composite);
    for (int i = 0; i < t->link_count; ++i) {
        pawl_vec3 f = pawl_reduced_weight(m, i), arm = v3_sub(m->position[i], m->origin[i]);
        m->momentum[i] = sp_force_from(arm, f, v3(0.0, 0.0, 0.0));
        m->turning[i] = derivatives_turning(arm, f);
        derivatives_link_matrices(&m->inertia[i], m->V[i], m->matrix[2 * i], m->matrix[2 * i + 1]);
    }
    for (int i = t->link_count - 1; i >= 0; --i) {
        int parent = pawl_reduced_sum_parent(t, i);
        if (parent < 0) {
            continue;
        }
        si_add(&m->composite[parent], &m->composite[i]);
        m->momentum[parent] = sp_add(m->momentum[parent], m->momentum[i]);
        for (int n = 0; n < 9; ++n) {
            (&m->turning[parent].m[0][0])[n] += (&m->turning[i].m[0][0])[n];
        }
        for (int n = 0; n < 72; ++n) {
            (&m->matrix[2 * parent][0][0])[n] += (&m->matrix[2 * i][0][0])[n];
        }
    }
}

// What a unit of theta_j does to the sum of forces below it, with `of` = (p_j', S_j', p_j); in a stage also by what it does
// to theta_j' and theta_j'', with the sums of all three in m->stage.
static spatial derivatives_of_force(const derivatives_sums *b, spatial S, const spatial of[3])
{
    spatial out = sp_cross_force(S, sp_add(b->total, b->w));
    out = sp_add(out, si_mul(b->I, of[0]));
    out = sp_sub(out, derivatives_mul(b->B1, of[1]));
    out = sp_add(out, derivatives_mul(b->B2, of[2]));
    out.w = v3_sub(out.w, v3_add(v3_cross(S.v, b->w.v), m3_mul(b->Q, S.w)));
    return out;
}

// Column k of the derivative of a stage and row k, for columns j above it. Those by theta, theta' and theta'' are summed
// before they meet the other column, so that a pair costs five products. For j above k, tau_j depends on theta_k through
// the forces below k (own), and tau_k on theta_j through the motion of the links below k alone: S_k is carried along with
// the forces, which cancels. Columns of one ball (together) are not carried along by each other.
static void derivatives_stage_column(reduced_motion *m, int k, double *matrix)
{
    const reduced_tree *t = m->tree;
    int n = t->column_count, ball = t->columns[k].ball,
        first = ball >= 0 ? t->ball_column[ball] : 0;
    derivatives_sums b = derivatives_below(m, t->columns[k].link);
    spatial S = m->S[k];
    spatial x = si_mul(b.I, S), y = derivatives_tmul(b.B1, S), z = derivatives_tmul(b.B2, S);
    spatial pushed = {v3_cross(b.w.v, S.w), m3_tmul(b.Q, S.w)};
    spatial e = sp_sub(sp_zero(), sp_add(sp_cross_force(S, b.w), pushed));
    spatial own = derivatives_of_force(&b, S, m->stage + 3 * k);
    for (int j = k; j >= 0; j = t->columns[j].parent) {
        bool together = ball >= 0 && t->columns[j].ball == ball;
        double above = sp_dot(m->S[j], own);
        if (together) {
            above += sp_dot(m->balls[ball].derivative[k - first][j - first], b.total);
        }
        matrix[j * n + k] += above;
        if (j == k) {
            continue;
        }
        const spatial *of = m->stage + 3 * j;
        double below = sp_dot(x, of[0]) - sp_dot(y, of[1]) + sp_dot(z, of[2]);
        if (together) { // by theta otherwise than by being carried along
            const spatial by_theta[3] = {m->p_rate[j], m->S_rate[j], m->p[j]};
            below -= sp_dot(x, by_theta[0]) - sp_dot(y, by_theta[1]) + sp_dot(z, by_theta[2]);
            below += sp_dot(S, derivatives_of_force(&b, m->S[j], by_theta)) +
                     sp_dot(m->balls[ball].derivative[j - first][k - first], b.total);
        } else {
            below += sp_dot(e, m->S[j]);
        }
        matrix[k * n + j] += below;
    }
}

// matrix += dID/dtheta + dID/dtheta'/h + H/h^2.
void pawl_reduced_stage_derivative(reduced_motion *m, double h, double *matrix)
{
    const reduced_tree *t = m->tree;
    double inverse = 1.0 / h;
    derivatives_sum(m);
    for (int k = 0; k < t->column_count; ++k) {
        spatial turned = sp_add(m->S_rate[k], m->p[k]);
        m->stage[3 * k] =
            sp_axpy(sp_axpy(m->p_rate[k], inverse, turned), inverse * inverse, m->S[k]);
        m->stage[3 * k + 1] = sp_axpy(m->S_rate[k], inverse, m->S[k]);
        m->stage[3 * k + 2] = sp_axpy(m->p[k], inverse, m->S[k]);
    }
    for (int k = 0; k < t->column_count; ++k) {
        derivatives_stage_column(m, k, matrix);
    }
}
