// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Steps of linearized laws through the velocity space (space_law.h).
#include "solve/space_law.h"
#include "math/vec.h"
#include <string.h>

space_law pawl_space_law_layout(const solver_def *def, pawl_carver *mem)
{
    return (space_law){.S = PAWL_CARVE(mem, double, 9 * def->max_contacts),
                       .s = PAWL_CARVE(mem, double, def->max_rows),
                       .b = PAWL_CARVE(mem, double, def->max_rows),
                       .lambda = PAWL_CARVE(mem, double, def->max_rows),
                       .v = PAWL_CARVE(mem, double, def->max_rows)};
}

// dlambda = b - S (dv + R dlambda) solved for dlambda: b and S are multiplied by (1 + S R)^-1 from the left.
static void law_soften_contact(const double R[3], double S[9], double b[3])
{
    pawl_mat3 m, s;
    memcpy(s.m, S, sizeof s.m);
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            m.m[r][c] = S[3 * r + c] * R[c] + (r == c ? 1.0 : 0.0);
        }
    }
    m = m3_inverse(&m);
    pawl_vec3 y = m3_mul(&m, v3(b[0], b[1], b[2]));
    b[0] = y.x, b[1] = y.y, b[2] = y.z;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            S[3 * r + c] = m.m[r][0] * s.m[0][c] + m.m[r][1] * s.m[1][c] + m.m[r][2] * s.m[2][c];
        }
    }
}

// Compliance R of a row belongs to its law, not to the bodies: the velocity space knows v = Y w alone.
void pawl_space_law_soften(const pawl_problem *p, space_law *law)
{
    int contacts = pawl_problem_contact_row(p, 0);
    for (int i = 0; i < contacts; ++i) {
        double soft = 1.0 / (1.0 + law->s[i] * p->compliance[i]);
        law->s[i] *= soft;
        law->b[i] *= soft;
    }
    for (int k = 0, i = contacts; k < p->contact_count; ++k, i += 3) {
        const double *R = p->compliance + i;
        if (R[0] != 0.0 || R[1] != 0.0 || R[2] != 0.0) {
            law_soften_contact(R, law->S + 9 * k, law->b + i);
        }
    }
}

bool pawl_space_law_factor(const space_problem *q, const space_law *law, bool symmetric)
{
    return pawl_space_factor(q->space, q->p, law->s, law->S, symmetric);
}

// With dlambda = b - S Y dw and dw = YT dlambda: (1 + YT S Y) dw = YT b. law->lambda and law->v get the changes of
// impulses and of velocities, those of v with R dlambda.
void pawl_space_law_solve(const space_problem *q, space_law *law)
{
    const pawl_problem *p = q->p;
    int contacts = pawl_problem_contact_row(p, 0);
    double *w = pawl_space_vector(q->space, 1);
    pawl_space_gather(q->space, p, law->b, w);
    pawl_space_solve(q->space, w);
    pawl_space_scatter(q->space, p, w, law->v);
    for (int i = 0; i < contacts; ++i) {
        law->lambda[i] = law->b[i] - law->s[i] * law->v[i];
        law->v[i] += p->compliance[i] * law->lambda[i];
    }
    const double *S = law->S;
    for (int i = contacts; i < p->row_count; i += 3, S += 9) {
        double *dv = law->v + i, *x = law->lambda + i;
        for (int r = 0; r < 3; ++r) {
            x[r] = law->b[i + r] - (S[3 * r] * dv[0] + S[3 * r + 1] * dv[1] + S[3 * r + 2] * dv[2]);
        }
        for (int r = 0; r < 3; ++r) {
            dv[r] += p->compliance[i + r] * x[r];
        }
    }
}
