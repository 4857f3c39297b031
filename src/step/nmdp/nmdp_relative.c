// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Wrenches between two links that depend on their relative pose: contacts between bodies. With J the Jacobian of link
// a's point p relative to link b (the point of b at p moves with b), a wrench F = (f, m) at p on a and -F on b gives
// tau = JT F. F turns with b and changes with the relative pose, dF = D J dtheta + w_b x F, and p moves over b, so
// that in addition to the changes of the two levers (tree_load.c)
//   d tau = JT D J + JT (w_b x F) - J_bT (u x f),   u = J dtheta, w_b = J_b dtheta: angular parts.
#include "step/nmdp/nmdp.h"
#include <string.h>

// Columns that move both links alike cancel: a contact within one branch depends only on the joints between the
// two.
void pawl_nmdp_relative_jacobian(nmdp *s, int a, int b, pawl_vec3 p, double *J, double *Jb)
{
    int n = s->n;
    memset(J, 0, 6 * (size_t)n * sizeof *J);
    memset(Jb, 0, 3 * (size_t)n * sizeof *Jb);
    for (int side = 0; side < 2; ++side) {
        int link = side == 0 ? a : b;
        double sign = side == 0 ? 1.0 : -1.0;
        int last = link < 0 ? -1 : s->tree->links[link].last_column;
        for (int k = last; k >= 0; k = s->tree->columns[k].parent) {
            pawl_twist t = pawl_reduced_column_at(s->motion, k, p);
            const double x[6] = {t.linear.x,  t.linear.y,  t.linear.z,
                                 t.angular.x, t.angular.y, t.angular.z};
            for (int r = 0; r < 6; ++r) {
                J[r * n + k] += sign * x[r];
            }
            for (int r = 0; r < 3 && side == 1; ++r) {
                Jb[r * n + k] = x[3 + r];
            }
        }
    }
}

static void relative_cross(pawl_vec3 a, double m[3][3])
{
    const double x[3][3] = {{0.0, -a.z, a.y}, {a.z, 0.0, -a.x}, {-a.y, a.x, 0.0}};
    memcpy(m, x, sizeof x);
}

// to = A x over all columns, A with `rows` rows of 3.
static void relative_times(double A[3][3], const double *x, int n, double sign, double *to)
{
    for (int r = 0; r < 3; ++r) {
        for (int k = 0; k < n; ++k) {
            to[r * n + k] += sign * (A[r][0] * x[k] + A[r][1] * x[n + k] + A[r][2] * x[2 * n + k]);
        }
    }
}

// matrix += XT Y, both (rows x n).
static void relative_product(const double *X, const double *Y, int rows, int n, double *matrix)
{
    for (int r = 0; r < rows; ++r) {
        for (int i = 0; i < n; ++i) {
            double x = X[r * n + i];
            double *row = matrix + (size_t)i * (size_t)n;
            for (int k = 0; k < n && x != 0.0; ++k) {
                row[k] += x * Y[r * n + k];
            }
        }
    }
}

// [w x] F = -[F]x w
static void relative_add_turning(nmdp *s, pawl_vec3 f, pawl_vec3 m, double *change)
{
    double cross[3][3];
    relative_cross(f, cross);
    relative_times(cross, s->Jb, s->n, -1.0, change);
    relative_cross(m, cross);
    relative_times(cross, s->Jb, s->n, -1.0, change + 3 * s->n);
}

void pawl_nmdp_add_relative(nmdp *s, int a, int b, pawl_vec3 p, const double F[6], double D[6][6],
                            double *matrix)
{
    pawl_vec3 f = v3(F[0], F[1], F[2]), m = v3(F[3], F[4], F[5]);
    if (a >= 0) {
        pawl_tree_load_add(&s->load, a, p, f, m, NULL);
    }
    if (b >= 0) {
        pawl_tree_load_add(&s->load, b, p, v3_scale(-1.0, f), v3_scale(-1.0, m), NULL);
    }
    if (matrix == NULL) {
        return;
    }
    int n = s->n;
    double cross[3][3], *change = s->change; // (6 x n) dF
    pawl_nmdp_relative_jacobian(s, a, b, p, s->J, s->Jb);
    memset(change, 0, 6 * (size_t)n * sizeof *change);
    for (int r = 0; r < 6 && D != NULL; ++r) {
        for (int c = 0; c < 6; ++c) {
            for (int k = 0; k < n && D[r][c] != 0.0; ++k) {
                change[r * n + k] += D[r][c] * s->J[c * n + k];
            }
        }
    }
    relative_add_turning(s, f, m, change);
    relative_product(s->J, change, 6, n, matrix);
    memset(change, 0, 3 * (size_t)n * sizeof *change); // -(u x f) = [f]x u
    relative_cross(f, cross);
    relative_times(cross, s->J, n, 1.0, change);
    relative_product(s->Jb, change, 3, n, matrix);
}
