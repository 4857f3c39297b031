// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Principal axes of a symmetric 3 x 3 matrix by cyclic Jacobi rotations (Golub and Van Loan,
// 8.5.2): exact for diagonal input, the same bits everywhere.
#include "math/principal.h"

// Annihilates s[p][q] by a rotation of the axes p and q (Golub and Van Loan, 8.5.2).
static void principal_rotate(pawl_mat3 *s, pawl_mat3 *axes, int p, int q)
{
    double off = s->m[p][q];
    if (off == 0.0) {
        return;
    }
    double tau = (s->m[q][q] - s->m[p][p]) / (2.0 * off);
    double t = (tau >= 0.0 ? 1.0 : -1.0) / (fabs(tau) + sqrt(1.0 + tau * tau));
    double cosine = 1.0 / sqrt(1.0 + t * t), sine = t * cosine;
    pawl_mat3 turn = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    turn.m[p][p] = turn.m[q][q] = cosine;
    turn.m[p][q] = sine;
    turn.m[q][p] = -sine;
    *axes = m3_product(axes, &turn);
    pawl_mat3 transposed = turn;
    transposed.m[p][q] = -sine;
    transposed.m[q][p] = sine;
    *s = m3_congruence(&transposed, s);
    s->m[p][q] = s->m[q][p] = 0.0;
}

// Which of the three moments has the inverse that is farthest from the closer pair of others.
static int principal_odd(const double moment[3])
{
    int odd = 2;
    double closest = INFINITY;
    for (int k = 2; k >= 0; --k) {
        double apart = fabs(1.0 / moment[(k + 1) % 3] - 1.0 / moment[(k + 2) % 3]);
        if (apart < closest) {
            closest = apart;
            odd = k;
        }
    }
    return odd;
}

principal_axes pawl_principal_axes(const pawl_mat3 *s)
{
    pawl_mat3 d = *s, axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int sweep = 0; sweep < 12; ++sweep) { // it squares the error; six are plenty
        principal_rotate(&d, &axes, 0, 1);
        principal_rotate(&d, &axes, 0, 2);
        principal_rotate(&d, &axes, 1, 2);
    }
    const double moment[3] = {d.m[0][0], d.m[1][1], d.m[2][2]};
    int odd = principal_odd(moment);
    principal_axes out;
    for (int k = 0; k < 3; ++k) { // a cyclic change of order keeps the hand
        int from = (odd + 1 + k) % 3;
        out.moment[k] = moment[from];
        for (int i = 0; i < 3; ++i) {
            out.axes.m[i][k] = axes.m[i][from];
        }
    }
    return out;
}
