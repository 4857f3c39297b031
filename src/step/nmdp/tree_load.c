// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Generalized forces and their derivative in one pass from the leaves of the tree, as the header derives them: linear
// in the links where a dense product would be quadratic. Forces are gathered from links to columns; a column bears
// what acts on all links beyond it. Wrenches and slopes are taken about motion->origin, where the columns S are
// expressed as well, so that they add up along a chain without shifts.
#include "step/nmdp/tree_load.h"
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
    return load;
}

void pawl_tree_load_clear(tree_load *load)
{
    size_t links = (size_t)load->motion->tree->link_count;
    memset(load->force, 0, links * sizeof *load->force);
    memset(load->slope, 0, links * sizeof *load->slope);
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

static double load_entry(spatial s, int k)
{
    const double x[6] = {s.v.x, s.v.y, s.v.z, s.w.x, s.w.y, s.w.z};
    return x[k];
}

static spatial load_vector(const double x[6])
{
    return (spatial){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}

// A s and AT s
// Both at once, because row and column j of the derivative need one each.
static void load_products(double A[6][6], spatial s, spatial *straight, spatial *transposed)
{
    double x[6] = {0.0}, y[6] = {0.0};
    for (int r = 0; r < 6; ++r) {
        for (int c = 0; c < 6; ++c) {
            x[r] += A[r][c] * load_entry(s, c);
            y[c] += A[r][c] * load_entry(s, r);
        }
    }
    *straight = load_vector(x);
    *transposed = load_vector(y);
}

// dS_j/dtheta_i for column i at or below j. An axis is carried along by the joints before it, S_i x S_j; columns
// of one ball depend on each other through their chart instead.
spatial pawl_tree_column_derivative(const reduced_motion *m, int j, int i)
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
        double geometric = sp_dot(pawl_tree_column_derivative(m, j, i), load->column_force[j]);
        matrix[(size_t)j * n + (size_t)i] += sp_dot(transposed, m->S[i]) + geometric;
        if (i == j) {
            continue;
        }
        double other = sp_dot(m->S[i], straight);
        if (t->columns[i].ball >= 0 && t->columns[i].ball == t->columns[j].ball) {
            other += sp_dot(pawl_tree_column_derivative(m, i, j), load->column_force[i]);
        }
        matrix[(size_t)i * n + (size_t)j] += other;
    }
}

// tau (nv) += S_j . force; matrix (nv x nv) += its derivative, unless it is NULL. Columns are numbered from the
// base outwards, so that the loop from the last to the first meets children before parents.
void pawl_tree_load_gather(tree_load *load, double *tau, double *matrix)
{
    const reduced_motion *m = load->motion;
    const reduced_tree *t = m->tree;
    int n = t->column_count;
    memset(load->column_force, 0, (size_t)n * sizeof *load->column_force);
    memset(load->column_slope, 0, (size_t)n * sizeof *load->column_slope);
    for (int i = 0; i < t->link_count; ++i) {
        int k = t->links[i].last_column;
        if (k >= 0) {
            load->column_force[k] = sp_add(load->column_force[k], load->force[i]);
            load_add_slopes(load->column_slope[k], load->slope[i]);
        }
    }
    for (int j = n - 1; j >= 0; --j) {
        int parent = t->columns[j].parent;
        if (parent >= 0) {
            load->column_force[parent] = sp_add(load->column_force[parent], load->column_force[j]);
            load_add_slopes(load->column_slope[parent], load->column_slope[j]);
        }
        tau[j] += sp_dot(m->S[j], load->column_force[j]);
    }
    for (int j = 0; j < n && matrix != NULL; ++j) {
        load_derive_column(load, j, matrix);
    }
}
