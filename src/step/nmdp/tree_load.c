// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Generalized forces and their derivative in one pass from the leaves of the tree, as the header derives them: with
// linear cost in the links, where a dense product would be quadratic. Forces are summed from links to columns; a
// column gets the forces on all links beyond it. Wrenches and slopes are taken about motion->origin, where the
// columns S are expressed as well, so that they add up along a chain without shifts.
#include "step/nmdp/tree_load.h"
#include "linalg/dense.h"
#include <string.h>

tree_load pawl_tree_load_layout(const reduced_motion *motion, const reduced_tree *tree,
                                pawl_carver *mem)
{
    size_t links = (size_t)tree->link_count, columns = (size_t)tree->column_count;
    tree_load load = {.motion = motion};
    load.force = PAWL_CARVE(mem, spatial, links);
    load.slope = pawl_carve(mem, sizeof *load.slope, links);
    load.column_force = PAWL_CARVE(mem, spatial, columns);
    load.column_slope = pawl_carve(mem, sizeof *load.column_slope, columns);
    load.loaded = PAWL_CARVE(mem, bool, links);
    load.column_loaded = PAWL_CARVE(mem, bool, columns);
    return load;
}

void pawl_tree_load_clear(tree_load *load)
{
    memset(load->loaded, 0, (size_t)load->motion->tree->link_count * sizeof *load->loaded);
}

// The first load of a link: what stood there before is of another time.
static void load_begin(tree_load *load, int link)
{
    if (!load->loaded[link]) {
        load->loaded[link] = true;
        load->force[link] = sp_zero();
        memset(load->slope[link], 0, sizeof load->slope[link]);
    }
}

// [a]x
static void load_cross_matrix(pawl_vec3 a, double m[3][3])
{
    const double x[3][3] = {{0.0, -a.z, a.y}, {a.z, 0.0, -a.x}, {-a.y, a.x, 0.0}};
    memcpy(m, x, sizeof x);
}

// to += XT D X with X = (1, -[arm]x; 0, 1): a slope at a point seen from the origin.
static void load_shift_slope(double D[6][6], pawl_vec3 arm, double to[6][6])
{
    double a[3][3], right[6][6];
    load_cross_matrix(arm, a);
    for (int r = 0; r < 6; ++r) {
        for (int c = 0; c < 3; ++c) {
            right[r][c] = D[r][c];
            right[r][3 + c] =
                D[r][3 + c] - (D[r][0] * a[0][c] + D[r][1] * a[1][c] + D[r][2] * a[2][c]);
        }
    }
    for (int c = 0; c < 6; ++c) {
        for (int r = 0; r < 3; ++r) {
            to[r][c] += right[r][c];
            to[3 + r][c] += right[3 + r][c] + a[r][0] * right[0][c] + a[r][1] * right[1][c] +
                            a[r][2] * right[2][c];
        }
    }
}

// The moment of a force about the origin changes as its point moves: (v + w x arm) x force.
static void load_add_lever(pawl_vec3 force, pawl_vec3 arm, double to[6][6])
{
    double f[3][3], a[3][3];
    load_cross_matrix(force, f);
    load_cross_matrix(arm, a);
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            to[3 + r][c] -= f[r][c];
            to[3 + r][3 + c] += f[r][0] * a[0][c] + f[r][1] * a[1][c] + f[r][2] * a[2][c];
        }
    }
}

// `slope` (6 x 6) is the derivative of (force, moment) by the motion of `point` (linear, then angular); NULL for
// wrenches that are constant in the world. The lever arm changes in either case.
void pawl_tree_load_add(tree_load *load, int link, pawl_vec3 point, pawl_vec3 force,
                        pawl_vec3 moment, double slope[6][6])
{
    pawl_vec3 arm = v3_sub(point, load->motion->origin[link]);
    load_begin(load, link);
    load->force[link] = sp_add(load->force[link], sp_force_from(arm, force, moment));
    load_add_lever(force, arm, load->slope[link]);
    if (slope != NULL) {
        load_shift_slope(slope, arm, load->slope[link]);
    }
}

static void load_add_slopes(double to[6][6], double from[6][6])
{
    for (int r = 0; r < 6; ++r) {
        for (int c = 0; c < 6; ++c) {
            to[r][c] += from[r][c];
        }
    }
}

// A s and AT s
// Both at once, because row and column j of the derivative need one each.
static void load_products(double A[6][6], spatial s, spatial *straight, spatial *transposed)
{
    const double in[6] = {s.v.x, s.v.y, s.v.z, s.w.x, s.w.y, s.w.z};
    double x[6], y[6] = {0.0};
    for (int r = 0; r < 6; ++r) {
        const double *a = A[r];
        x[r] = pawl_dot6(a, in);
        for (int c = 0; c < 6; ++c) {
            y[c] += a[c] * in[r];
        }
    }
    *straight = (spatial){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    *transposed = (spatial){{y[0], y[1], y[2]}, {y[3], y[4], y[5]}};
}

// dS_j/dtheta_i for column i at or below j. An axis is carried along by the joints before it, S_i x S_j; columns
// of one ball depend on each other through their chart instead.
static spatial load_column_derivative(const reduced_motion *m, int j, int i)
{
    const reduced_tree *t = m->tree;
    int ball = t->columns[i].ball;
    if (ball >= 0 && t->columns[j].ball == ball) {
        int first = t->ball_column[ball];
        return m->balls[ball].derivative[i - first][j - first];
    }
    return i == j ? sp_zero() : sp_cross(m->S[i], m->S[j]);
}

// Row and column j of the derivative, as far as columns above j are concerned; columns of a ball that
// come after j depend on each other both ways.
// d tau_j/d theta_i has two parts: the force changes (slope), and the axis S_j turns (geometric). Only columns on
// one path to the base depend on each other, so that loops over parents are enough.
static void load_derive_column(const tree_load *load, int j, double *matrix)
{
    const reduced_motion *m = load->motion;
    const reduced_tree *t = m->tree;
    size_t n = (size_t)t->column_count;
    spatial straight, transposed;
    load_products(load->column_slope[j], m->S[j], &straight, &transposed);
    for (int i = j; i >= 0; i = t->columns[i].parent) {
        double geometric = sp_dot(load_column_derivative(m, j, i), load->column_force[j]);
        matrix[(size_t)j * n + (size_t)i] += sp_dot(transposed, m->S[i]) + geometric;
        if (i == j) {
            continue;
        }
        double other = sp_dot(m->S[i], straight);
        if (t->columns[i].ball >= 0 && t->columns[i].ball == t->columns[j].ball) {
            other += sp_dot(load_column_derivative(m, i, j), load->column_force[i]);
        }
        matrix[(size_t)i * n + (size_t)j] += other;
    }
}

// A load on column k; the first one is copied.
static void load_on_column(tree_load *load, int k, spatial force, double slope[6][6])
{
    if (load->column_loaded[k]) {
        load->column_force[k] = sp_add(load->column_force[k], force);
        if (slope != NULL) {
            load_add_slopes(load->column_slope[k], slope);
        }
        return;
    }
    load->column_loaded[k] = true;
    load->column_force[k] = force;
    if (slope != NULL) {
        memcpy(load->column_slope[k], slope, sizeof load->column_slope[k]);
    }
}

// tau (nv) += S_j . force; matrix (nv x nv) += its derivative, unless it is NULL. Columns are numbered from the
// base outwards, so that the loop from the last to the first meets children before parents. Branches without a load
// are left out.
void pawl_tree_load_gather(tree_load *load, double *tau, double *matrix)
{
    const reduced_motion *m = load->motion;
    const reduced_tree *t = m->tree;
    int n = t->column_count;
    memset(load->column_loaded, 0, (size_t)n * sizeof *load->column_loaded);
    for (int i = 0; i < t->link_count; ++i) {
        if (load->loaded[i] && t->links[i].last_column >= 0) {
            load_on_column(load, t->links[i].last_column, load->force[i],
                           matrix != NULL ? load->slope[i] : NULL);
        }
    }
    for (int j = n - 1; j >= 0; --j) {
        int parent = t->columns[j].parent;
        if (!load->column_loaded[j]) {
            continue;
        }
        if (parent >= 0) {
            load_on_column(load, parent, load->column_force[j],
                           matrix != NULL ? load->column_slope[j] : NULL);
        }
        tau[j] += sp_dot(m->S[j], load->column_force[j]);
    }
    for (int j = 0; j < n && matrix != NULL; ++j) { // all sums are complete
        if (load->column_loaded[j]) {
            load_derive_column(load, j, matrix);
        }
    }
}
