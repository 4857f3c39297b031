// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Recursive Newton-Euler, composite rigid bodies, articulated bodies (Featherstone, "Rigid Body Dynamics
// Algorithms", 2008) in world axes: vectors are about one fixed point, so nothing is transformed on the way
// along the tree. Joints of several columns are chains of massless links. docs/reduced.md section 4.
//
// Notation: S_k is the motion of column k, V and A are velocity and acceleration of a link, I its
// inertia, all in world axes about the origin of the tree. Links are numbered from the root
// outwards, so that a loop upwards over i visits parents first and a loop downwards visits children
// first. Accelerations are true ones: gravity is a force on each link, since bodies may have a
// gravity scale of their own, and the usual trick of accelerating the root would not allow that.
#include "tree/articulated.h"
#include "base/kernel.h"
#include <string.h>

// Gravity on a link, about its origin.
static spatial articulated_weight(const reduced_motion *m, int link)
{
    pawl_vec3 arm = v3_sub(m->position[link], m->origin[link]);
    return sp_force_from(arm, pawl_reduced_weight(m, link), v3(0.0, 0.0, 0.0));
}

// Newton-Euler for each link, f = I A + V x* (I V) - weight, is the force that the link needs
// from its joint. Forces of the links below are added up on the way to the root, and tau_k = S_k .
// f (Featherstone, section 5.3).
void pawl_reduced_inverse_dynamics(reduced_motion *m, const double *acceleration, double *tau)
{
    const reduced_tree *t = m->tree;
    pawl_reduced_accelerate(m, acceleration);
    for (int i = 0; i < t->link_count; ++i) {
        spatial momentum = si_mul(&m->inertia[i], m->V[i]);
        spatial f = sp_add(si_mul(&m->inertia[i], m->A[i]), sp_cross_force(m->V[i], momentum));
        m->force[i] = sp_sub(f, articulated_weight(m, i));
    }
    for (int i = t->link_count - 1; i >= 0; --i) {
        const reduced_link *l = &t->links[i];
        for (int k = l->first_column; k < l->first_column + l->column_count; ++k) {
            tau[k] = sp_dot(m->S[k], m->force[i]);
        }
        int parent = pawl_reduced_sum_parent(t, i);
        if (parent >= 0) {
            m->force[parent] = sp_add(m->force[parent], m->force[i]);
        }
    }
}

// ---- the inertia -------------------------------------------------------------------------------

// Inertia of a link and all links below it, as if they were frozen together.
static void articulated_composites(reduced_motion *m)
{
    const reduced_tree *t = m->tree;
    memcpy(m->composite, m->inertia, (size_t)t->link_count * sizeof *m->composite);
    for (int i = t->link_count - 1; i >= 0; --i) {
        int parent = pawl_reduced_sum_parent(t, i);
        if (parent >= 0) {
            si_add(&m->composite[parent], &m->composite[i]);
        }
    }
}

// Composite rigid bodies (Featherstone, section 6.2): I_c S_k is the momentum of all that column k
// moves, and H_jk is its product with S_j. H_jk is zero unless one of the two columns is on the
// path of the other to the root.
void pawl_reduced_inertia(reduced_motion *m, double *H)
{
    const reduced_tree *t = m->tree;
    articulated_composites(m);
    for (int k = 0; k < t->column_count; ++k) {
        spatial momentum = si_mul(&m->composite[t->columns[k].link], m->S[k]);
        double *row = H + t->factor_row[k];
        for (int j = k; j >= 0; j = t->columns[j].parent) {
            row[t->columns[j].depth] = sp_dot(m->S[j], momentum);
        }
    }
}

void pawl_reduced_inertia_dense(reduced_motion *m, double *H)
{
    const reduced_tree *t = m->tree;
    int n = t->column_count;
    memset(H, 0, (size_t)(n * n) * sizeof *H);
    articulated_composites(m);
    for (int k = 0; k < n; ++k) {
        spatial momentum = si_mul(&m->composite[t->columns[k].link], m->S[k]);
        for (int j = k; j >= 0; j = t->columns[j].parent) {
            H[k * n + j] = H[j * n + k] = sp_dot(m->S[j], momentum);
        }
    }
}

// LT D L instead of L D LT: with the leaves eliminated first, the update of row i by column k
// touches only columns on the path from i to the root, which row i has already. Hence there is no
// fill (Featherstone, section 6.5).
bool pawl_reduced_factor(const reduced_tree *t, double *H)
{
    for (int k = t->column_count - 1; k >= 0; --k) {
        double *row = H + t->factor_row[k];
        double pivot = row[t->columns[k].depth];
        if (!(pivot > 0.0)) {
            return false;
        }
        for (int i = t->columns[k].parent; i >= 0; i = t->columns[i].parent) {
            int depth = t->columns[i].depth;
            double l = row[depth] / pivot, *above = H + t->factor_row[i];
            for (int d = 0; d <= depth; ++d) {
                above[d] -= l * row[d];
            }
            // behind it row[d] is needed unscaled for columns nearer to the root only
            row[depth] = l;
        }
    }
    return true;
}

// x becomes L^-T x.
static void articulated_half_solve(const reduced_tree *t, const double *factor, double *x)
{
    for (int k = t->column_count - 1; k >= 0; --k) {
        const double *row = factor + t->factor_row[k];
        for (int i = t->columns[k].parent; i >= 0; i = t->columns[i].parent) {
            x[i] -= row[t->columns[i].depth] * x[k];
        }
    }
}

// H = LT D L: first L^-T from the leaves, then D^-1 and L^-1 from the root.
void pawl_reduced_solve(const reduced_tree *t, const double *factor, double *x)
{
    articulated_half_solve(t, factor, x);
    for (int k = 0; k < t->column_count; ++k) {
        const double *row = factor + t->factor_row[k];
        x[k] /= row[t->columns[k].depth];
        for (int i = t->columns[k].parent; i >= 0; i = t->columns[i].parent) {
            x[k] -= row[t->columns[i].depth] * x[i];
        }
    }
}

// ---- forward dynamics --------------------------------------------------------------------------

// The full 6 x 6 matrix of a rigid body's inertia, linear part first: (m 1, -[h]x; [h]x, I).
// Articulated inertias do not have the ten-number form of a rigid body.
static void articulated_matrix(const spatial_inertia *i, double M[6][6])
{
    double h[3] = {i->first.x, i->first.y, i->first.z};
    memset(M, 0, 36 * sizeof(double));
    for (int r = 0; r < 3; ++r) {
        M[r][r] = i->mass;
        int a = (r + 1) % 3, b = (r + 2) % 3;
        M[a][3 + b] = h[r], M[b][3 + a] = -h[r]; // -[h]x
        M[3 + b][a] = h[r], M[3 + a][b] = -h[r]; // [h]x
        for (int c = 0; c < 3; ++c) {
            M[3 + r][3 + c] = i->second.m[r][c];
        }
    }
}

PAWL_KERNEL_PART spatial articulated_mul(double M[6][6], spatial s)
{
    double x[6] = {s.v.x, s.v.y, s.v.z, s.w.x, s.w.y, s.w.z}, y[6];
    for (int r = 0; r < 6; ++r) {
        y[r] = M[r][0] * x[0] + M[r][1] * x[1] + M[r][2] * x[2] + M[r][3] * x[3] + M[r][4] * x[4] +
               M[r][5] * x[5];
    }
    return (spatial){{y[0], y[1], y[2]}, {y[3], y[4], y[5]}};
}

// Removes a column S from the articulated inertia M of the links below it, and returns U = M S. `inverse` becomes
// that of S . U + added, 0 where rounding is all that is left of `scale`.
PAWL_KERNEL_PART spatial articulated_reduce(spatial S, double added, double scale, double M[6][6],
                                            double *inverse)
{
    const double rounding = 1e-14;
    spatial U = articulated_mul(M, S);
    double u[6] = {U.v.x, U.v.y, U.v.z, U.w.x, U.w.y, U.w.z};
    double pivot = sp_dot(S, U) + added;
    *inverse = pivot > rounding * scale ? 1.0 / pivot : 0.0;
    for (int r = 0; r < 6; ++r) {
        double scaled = u[r] * *inverse;
        for (int c = 0; c < 6; ++c) {
            M[r][c] -= scaled * u[c];
        }
    }
    return U;
}

PAWL_KERNEL_PART void articulated_add(double M[6][6], double sum[6][6])
{
    for (int r = 0; r < 6; ++r) {
        for (int c = 0; c < 6; ++c) {
            sum[r][c] += M[r][c];
        }
    }
}

articulated_factor pawl_articulated_factor_carve(const reduced_tree *tree, pawl_carver *mem)
{
    articulated_factor f;
    f.U = PAWL_CARVE(mem, spatial, tree->column_count);
    f.inverse = PAWL_CARVE(mem, double, tree->column_count);
    f.root = PAWL_CARVE(mem, double, tree->column_count);
    return f;
}

// `scale` is S . M S before other columns of the same joint are taken out. A pivot that is rounding
// of that belongs to a column whose direction the others of its joint already span.
PAWL_KERNEL static void articulated_run(reduced_motion *m, const double *added,
                                        const articulated_factor *out)
{
    const reduced_tree *t = m->tree;
    for (int i = t->link_count - 1; i >= 0; --i) {
        const reduced_link *l = &t->links[i];
        double(*M)[6] = m->articulated[i], scale[6] = {0};
        for (int k = 0; k < l->column_count && l->column_count > 1; ++k) {
            spatial S = m->S[l->first_column + k];
            scale[k] = sp_dot(S, articulated_mul(M, S));
        }
        for (int k = l->column_count - 1; k >= 0; --k) {
            int column = l->first_column + k;
            out->U[column] = articulated_reduce(m->S[column], added == NULL ? 0.0 : added[column],
                                                scale[k], M, &out->inverse[column]);
            out->root[column] = sqrt(out->inverse[column]);
        }
        int parent = pawl_reduced_sum_parent(t, i);
        if (parent >= 0) {
            articulated_add(M, m->articulated[parent]);
        }
    }
}

void pawl_reduced_articulate(reduced_motion *m, const double *added, const articulated_factor *out)
{
    for (int i = 0; i < m->tree->link_count; ++i) {
        articulated_matrix(&m->inertia[i], m->articulated[i]);
    }
    articulated_run(m, added, out);
}

// Inward pass without bias: x_k is the force left at column k after the columns further out have
// yielded.
void pawl_reduced_articulated_forces(const reduced_motion *m, const articulated_factor *f,
                                     const double *tau, spatial *wrench, double *x)
{
    const reduced_tree *t = m->tree;
    for (int i = t->link_count - 1; i >= 0; --i) {
        const reduced_link *l = &t->links[i];
        spatial w = wrench[i];
        for (int k = l->first_column + l->column_count - 1; k >= l->first_column; --k) {
            x[k] = sp_dot(m->S[k], w) + (tau == NULL ? 0.0 : tau[k]);
            w = sp_axpy(w, -x[k] * f->inverse[k], f->U[k]);
        }
        int parent = pawl_reduced_sum_parent(t, i);
        if (parent >= 0) {
            wrench[parent] = sp_add(wrench[parent], w);
        }
    }
}

// Outward pass, the transpose of the one above. Driven links are at rest here: rates are responses
// to impulses.
void pawl_reduced_articulated_rates(const reduced_motion *m, const articulated_factor *f,
                                    const double *y, double *rate, spatial *V)
{
    const reduced_tree *t = m->tree;
    for (int i = 0; i < t->link_count; ++i) {
        const reduced_link *l = &t->links[i];
        int parent = pawl_reduced_sum_parent(t, i);
        spatial v = parent < 0 ? sp_zero() : V[parent];
        for (int k = l->first_column; k < l->first_column + l->column_count; ++k) {
            rate[k] = y[k] - sp_dot(f->U[k], v) * f->inverse[k];
            v = sp_axpy(v, rate[k], m->S[k]);
        }
        V[i] = v;
    }
}

// ---- sums over the links -----------------------------------------------------------------------

// Bodies only: armatures of joints are not in the spatial inertias.
double pawl_reduced_kinetic_energy(const reduced_motion *m)
{
    double sum = 0.0;
    for (int i = 0; i < m->tree->link_count; ++i) {
        sum += 0.5 * sp_dot(m->V[i], si_mul(&m->inertia[i], m->V[i]));
    }
    return sum;
}
