// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "support/random_contacts.h"
#include "support/dense_reference.h"
#include <string.h>

static void contacts_make_mass(random_contacts *c, uint64_t *seed, int width, double skew)
{
    int n = c->velocities;
    for (int body = 0; body < n / width; ++body) {
        double mass = random_in(seed, 0.2, 5.0);
        for (int i = 0; i < width; ++i) {
            for (int j = 0; j < i; ++j) {
                int a = body * width + i, b = body * width + j;
                double even = mass * random_in(seed, -0.1, 0.1);
                double odd = mass * skew * random_in(seed, -1.0, 1.0);
                c->M[a * n + b] = even + odd;
                c->M[b * n + a] = even - odd;
            }
            c->M[(body * width + i) * (n + 1)] = mass * random_in(seed, 1.0, 2.0);
        }
    }
}

// Solves M v = right + G l, GT v = -b for v, densely.
static void contacts_velocity(const random_contacts *c, const double *right, const double *b,
                              double *v)
{
    int n = c->velocities, p = c->equalities;
    double Z[RANDOM_VELOCITIES * RANDOM_EQUALITIES], S[RANDOM_EQUALITIES * RANDOM_EQUALITIES];
    dense_solve(c->M, n, right, v);
    if (p == 0) {
        return;
    }
    double z[RANDOM_EQUALITIES], l[RANDOM_EQUALITIES];
    for (int k = 0; k < p; ++k) {
        double column[RANDOM_VELOCITIES], solved[RANDOM_VELOCITIES];
        for (int i = 0; i < n; ++i) {
            column[i] = c->G[i * p + k];
        }
        dense_solve(c->M, n, column, solved);
        z[k] = -b[k];
        for (int i = 0; i < n; ++i) {
            Z[i * p + k] = solved[i];
            z[k] -= c->G[i * p + k] * v[i];
        }
    }
    for (int r = 0; r < p; ++r) {
        for (int k = 0; k < p; ++k) {
            S[r * p + k] = 0.0;
            for (int i = 0; i < n; ++i) {
                S[r * p + k] += c->G[i * p + r] * Z[i * p + k];
            }
        }
    }
    if (dense_solve(S, p, z, l) < 1e-9) { // redundant: then S is symmetric
        dense_pseudo_solve(S, p, 1e-9, z, l);
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < p; ++k) {
            v[i] += Z[i * p + k] * l[k];
        }
    }
}

static void contacts_make_local(random_contacts *c)
{
    int n = c->velocities, m = c->rows;
    double v[RANDOM_VELOCITIES], right[RANDOM_VELOCITIES], none[RANDOM_EQUALITIES] = {0};
    for (int k = 0; k <= m; ++k) { // the last is q
        for (int i = 0; i < n; ++i) {
            right[i] = k < m ? c->H[i * m + k] : c->f[i];
        }
        contacts_velocity(c, right, k < m ? none : c->b, v);
        for (int r = 0; r < m; ++r) {
            double sum = k < m ? 0.0 : c->w[r];
            for (int i = 0; i < n; ++i) {
                sum += c->H[i * m + r] * v[i];
            }
            if (k < m) {
                c->W[r * m + k] = sum;
            } else {
                c->q[r] = sum;
            }
        }
    }
}

void random_contacts_make(random_contacts *c, uint64_t *seed, double skew, int redundant)
{
    enum { WIDTH = 6 };
    memset(c, 0, sizeof *c);
    c->contacts = 1 + random_index(seed, RANDOM_CONTACTS);
    c->rows = 3 * c->contacts;
    int bodies = 1 + random_index(seed, RANDOM_VELOCITIES / WIDTH), n = bodies * WIDTH;
    c->velocities = n;
    contacts_make_mass(c, seed, WIDTH, skew);
    for (int k = 0; k < c->contacts; ++k) {
        int body[2] = {random_index(seed, bodies), random_index(seed, bodies)};
        for (int i = 0; i < WIDTH; ++i) {
            for (int r = 0; r < 3; ++r) {
                c->H[(body[0] * WIDTH + i) * c->rows + 3 * k + r] = random_in(seed, -1.0, 1.0);
                if (body[1] != body[0]) {
                    c->H[(body[1] * WIDTH + i) * c->rows + 3 * k + r] = random_in(seed, -1.0, 1.0);
                }
            }
        }
        c->friction[k] = k % 5 == 0 ? 0.0 : random_in(seed, 0.05, 1.0);
    }
    for (int i = 0; i < n; ++i) {
        c->f[i] = random_in(seed, -1.0, 1.0);
    }
    for (int i = 0; i < c->rows;
         ++i) { // in the dual cone: with v = 0 all is well, so answers exist
        c->w[i] = i % 3 == 2 ? random_in(seed, 0.05, 0.2) : random_in(seed, -0.02, 0.02);
    }
    if (redundant >= 0) {
        int own = 1 + random_index(seed, 3);
        c->equalities = own + (redundant < own ? redundant : own);
        for (int k = 0; k < c->equalities; ++k) {
            int body = random_index(seed, bodies);
            for (int i = 0; i < WIDTH && k < own; ++i) {
                c->G[(body * WIDTH + i) * c->equalities + k] = random_in(seed, -1.0, 1.0);
            }
            for (int i = 0; i < n && k >= own; ++i) {
                c->G[i * c->equalities + k] = c->G[i * c->equalities + k - own];
            }
            c->b[k] = k < own ? random_in(seed, -0.3, 0.3) : c->b[k - own];
        }
    }
    contacts_make_local(c);
}

pawl_triplets random_entries_of(random_entries *e, const double *A, int rows, int columns)
{
    int count = 0;
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < columns; ++j) {
            if (A[i * columns + j] != 0.0) {
                e->row[count] = i;
                e->column[count] = j;
                e->value[count++] = A[i * columns + j];
            }
        }
    }
    return (pawl_triplets){rows, columns, count, e->row, e->column, e->value};
}
