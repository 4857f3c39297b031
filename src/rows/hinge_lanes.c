// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// See hinge_lanes.h. The order of operations is that of kinematics_run_rows() and kinematics_run_residuals() for one
// hinge, so that it has the same bits in a group. The world is a body at rest at the origin.
#include "rows/hinge_lanes.h"
#include "math/lanes3.h"
#include "math/trig.h"

enum { HINGE_NUMBERS = 6 * HINGE_ROWS, HINGE_ENTRIES = HINGE_ROWS * (HINGE_ROWS + 1) / 2 };

static const body_state hinge_world = {.q = {.w = 1.0}};
static const pawl_mat3 hinge_world_axes = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
static const pawl_mat3 hinge_nothing = {0};

static void hinge_fill(const pawl_assembly *a, int joint, hinge_group *g, int k)
{
    const model_joint *j = &a->model->joints[joint];
    const row_block *b = &a->blocks[a->joint_block[joint]];
    const double anchor[2][3] = {
        {j->base_anchor.x, j->base_anchor.y, j->base_anchor.z},
        {j->follower_anchor.x, j->follower_anchor.y, j->follower_anchor.z}};
    g->joint[k] = joint;
    g->body[0][k] = j->base;
    g->body[1][k] = j->follower;
    g->row[k] = b->rows.first_row;
    g->gram[k] = HINGE_GRAM * a->joint_block[joint];
    g->jacobian[0][k] = j->base >= 0 ? b->jacobian[0] : -1;
    g->jacobian[1][k] = b->jacobian[b->body_count - 1];
    for (int i = 0; i < 3; ++i) {
        g->base_anchor[i][k] = anchor[0][i];
        g->follower_anchor[i][k] = anchor[1][i];
        g->follower_x[i][k] = j->follower_axes.m[i][0];
        g->follower_y[i][k] = j->follower_axes.m[i][1];
    }
    for (int i = 0; i < 9; ++i) {
        g->base_axes[i][k] = j->base_axes.m[i / 3][i % 3];
    }
}

int pawl_hinge_groups(const pawl_assembly *a, hinge_group *groups, bool *grouped)
{
    const pawl_model *m = a->model;
    int count = 0, lane = 4;
    for (int i = 0; i < m->joint_count; ++i) {
        grouped[i] = m->joints[i].kind == PAWL_JOINT_REVOLUTE && a->joint_rows[i] == HINGE_ROWS;
        if (!grouped[i]) {
            continue;
        }
        if (lane == 4) {
            ++count;
            lane = 0;
        }
        hinge_group *g = &groups[count - 1];
        g->count = lane + 1;
        for (int k = lane++; k < 4; ++k) {
            hinge_fill(a, i, g, k);
        }
    }
    return count;
}

PAWL_KERNEL_PART void hinge_constant3(const double from[3][4], lanes3 *out)
{
    *out = (lanes3){LANES_LOAD(from[0]), LANES_LOAD(from[1]), LANES_LOAD(from[2])};
}

PAWL_KERNEL_PART void hinge_constant33(const double from[9][4], lanes33 *out)
{
    for (int i = 0; i < 9; ++i) {
        out->m[i / 3][i % 3] = LANES_LOAD(from[i]);
    }
}

// Centres of mass and rotations of the bodies of one side.
PAWL_KERNEL_PART void hinge_bodies(const pawl_assembly *a, const int body[4],
                                   const body_state *bodies, lanes3 *r, lanes33 *rotation)
{
    const double *at[4];
    const pawl_mat3 *axes[4];
    for (int k = 0; k < 4; ++k) {
        at[k] = body[k] >= 0 ? &bodies[body[k]].r.x : &hinge_world.r.x;
        axes[k] = body[k] >= 0 ? &a->rotation[body[k]] : &hinge_world_axes;
    }
    lanes3_load(at, r);
    lanes33_load(axes, rotation);
}

PAWL_KERNEL_PART void hinge_store_residuals(const hinge_group *g, const lanes3 *t, const lanes *y,
                                            const lanes *z, double *residual)
{
    lanes low[4] = {t->x, t->y, t->z, *y};
    lanes_transpose(low);
    for (int k = 0; k < g->count; ++k) {
        LANES_STORE(residual + g->row[k], low[k]);
        residual[g->row[k] + 4] = (*z)[k];
    }
}

PAWL_KERNEL static void hinge_run_measure(const pawl_assembly *a, const hinge_group *g,
                                          const body_state *bodies)
{
    lanes3 rb, rf, anchor, base_anchor, x, point, axis, t, aligned;
    lanes33 base, follower, axes;
    hinge_bodies(a, g->body[0], bodies, &rb, &base);
    hinge_bodies(a, g->body[1], bodies, &rf, &follower);
    hinge_constant3(g->follower_anchor, &anchor);
    hinge_constant3(g->follower_x, &x);
    hinge_constant3(g->base_anchor, &base_anchor);
    hinge_constant33(g->base_axes, &axes);
    lanes33_mul(&follower, &anchor, &point);
    lanes3_add(&rf, &point, &point);
    lanes33_mul(&follower, &x, &axis);
    lanes3_sub(&point, &rb, &point);
    lanes33_tmul(&base, &point, &t);
    lanes33_tmul(&base, &axis, &x);
    lanes3_sub(&t, &base_anchor, &t);
    lanes33_tmul(&axes, &t, &point);
    lanes33_tmul(&axes, &x, &aligned);
    hinge_store_residuals(g, &point, &aligned.y, &aligned.z, a->residual);
}

void pawl_hinges_measure(pawl_assembly *a, const body_state *bodies)
{
    for (int i = 0; i < a->hinge_group_count; ++i) {
        hinge_run_measure(a, &a->hinges[i], bodies);
    }
}

// The rows of four hinges, HINGE_NUMBERS lanes, to the places `to`.
PAWL_KERNEL_PART void hinge_scatter(const lanes row[HINGE_NUMBERS], double *const to[4])
{
    for (int i = 0; i < HINGE_NUMBERS; i += 4) {
        int first = i + 4 <= HINGE_NUMBERS ? i : HINGE_NUMBERS - 4;
        lanes tile[4] = {row[first], row[first + 1], row[first + 2], row[first + 3]};
        lanes_transpose(tile);
        for (int k = 0; k < 4; ++k) {
            LANES_STORE(to[k] + first, tile[k]);
        }
    }
}

// Gradients of one side: e along the base's axes and moments m of the three linear rows, moments c of the angular ones.
PAWL_KERNEL_PART void hinge_rows(const lanes3 e[3], const lanes3 m[3], const lanes3 c[2],
                                 lanes row[HINGE_NUMBERS])
{
    for (int r = 0; r < HINGE_ROWS; ++r) {
        const lanes3 *moment = r < 3 ? &m[r] : &c[r - 3];
        lanes zero = LANES_ALL(0.0);
        row[6 * r] = r < 3 ? e[r].x : zero;
        row[6 * r + 1] = r < 3 ? e[r].y : zero;
        row[6 * r + 2] = r < 3 ? e[r].z : zero;
        row[6 * r + 3] = moment->x;
        row[6 * r + 4] = moment->y;
        row[6 * r + 5] = moment->z;
    }
}

// M^-1 times each row, and what this side adds to J M^-1 JT, the lower triangle row by row, by the sums of pawl_dot6().
PAWL_KERNEL_PART void hinge_scale(const pawl_assembly *a, const int body[4], const lanes3 e[3],
                                  const lanes3 m[3], const lanes3 c[2], lanes row[HINGE_NUMBERS],
                                  lanes gram[HINGE_ENTRIES])
{
    const pawl_mat3 *inverse[4];
    lanes mass;
    lanes33 inertia;
    for (int k = 0; k < 4; ++k) {
        inverse[k] = body[k] >= 0 ? &a->inverse_inertia[body[k]] : &hinge_nothing;
        mass[k] = body[k] >= 0 ? a->inverse_mass[body[k]] : 0.0;
    }
    lanes33_load(inverse, &inertia);
    for (int r = 0; r < HINGE_ROWS; ++r) {
        lanes3 moment = {row[6 * r + 3], row[6 * r + 4], row[6 * r + 5]}, w;
        lanes33_mul(&inertia, &moment, &w);
        for (int i = 0; i < 3; ++i) {
            row[6 * r + i] = mass * row[6 * r + i];
        }
        lanes scale = LANES_ALL(a->inertia_scale);
        row[6 * r + 3] = scale * w.x;
        row[6 * r + 4] = scale * w.y;
        row[6 * r + 5] = scale * w.z;
    }
    PAWL_UNROLL
    for (int r = 0; r < HINGE_ROWS; ++r) {
        const lanes3 *moment = r < 3 ? &m[r] : &c[r - 3];
        PAWL_UNROLL
        for (int k = 0; k <= r; ++k) {
            const lanes *by = row + 6 * k + 3;
            lanes entry = moment->x * by[0] + moment->y * by[1] + moment->z * by[2];
            if (r < 3) {
                entry = (e[r].x * by[-3] + e[r].y * by[-2] + e[r].z * by[-1]) + entry;
            }
            gram[r * (r + 1) / 2 + k] += entry;
        }
    }
}

// Entries of four hinges, row by row, to where each has its own (HINGE_GRAM).
PAWL_KERNEL_PART void hinge_store_gram(const hinge_group *g, const lanes gram[HINGE_ENTRIES],
                                       double *grams)
{
    PAWL_UNROLL
    for (int r = 0; r < HINGE_ROWS; ++r) {
        const lanes *entry = gram + r * (r + 1) / 2; // what is above the diagonal nobody reads
        lanes tile[4] = {entry[0], entry[r < 1 ? r : 1], entry[r < 2 ? r : 2],
                         entry[r < 3 ? r : 3]};
        lanes_transpose(tile);
        for (int k = 0; k < g->count; ++k) {
            LANES_STORE(grams + g->gram[k] + 4 * r, tile[k]);
        }
    }
    const lanes last = gram[HINGE_ENTRIES - 1];
    for (int k = 0; k < g->count; ++k) {
        double *end = grams + g->gram[k] + 4 * HINGE_ROWS;
        LANES_STORE(end, ((lanes){last[k], 0.0, 0.0, 0.0}));
    }
}

// Where the rows of one side go; lanes that repeat others and those of the world write to `spare`.
PAWL_KERNEL_PART void hinge_places(const hinge_group *g, int side, double *jacobian, double *spare,
                                   double *to[4])
{
    for (int k = 0; k < 4; ++k) {
        bool used = k < g->count && g->jacobian[side][k] >= 0;
        to[k] = used ? jacobian + g->jacobian[side][k] : spare;
    }
}

// Angles of a group's coordinates, with their turns, and gradients, from sines, cosines and axes.
static void hinge_coordinates(pawl_assembly *a, const hinge_group *g, const lanes *sine,
                              const lanes *cosine, const lanes3 *axis, const double *reference)
{
    for (int k = 0; k < g->count; ++k) {
        const model_joint *j = &a->model->joints[g->joint[k]];
        int flat = j->first_coordinate;
        coordinate_row *row = &a->coordinates[flat];
        if (!a->coordinate_used[flat] && !j->keeps_turns) {
            continue;
        }
        row->value = pawl_atan2((*sine)[k], (*cosine)[k]);
        if (j->keeps_turns) {
            row->value = pawl_unwrap(row->value, reference[flat]);
        }
        if (a->coordinate_used[flat]) {
            const double x = axis->x[k], y = axis->y[k], z = axis->z[k];
            const double follower[6] = {0.0, 0.0, 0.0, x, y, z},
                         base[6] = {0.0, 0.0, 0.0, -x, -y, -z};
            for (int i = 0; i < 6; ++i) {
                row->base[i] = base[i];
                row->follower[i] = follower[i];
            }
        }
    }
}

PAWL_KERNEL static void hinge_run_place(pawl_assembly *a, const hinge_group *g,
                                        const body_state *bodies, const double *reference,
                                        bool scaled)
{
    lanes3 rb, rf, anchor, x, y, lever, point, t, e[3], m[3], c[2], base_lever;
    lanes33 base, follower, axes, own;
    hinge_bodies(a, g->body[0], bodies, &rb, &base);
    hinge_bodies(a, g->body[1], bodies, &rf, &follower);
    hinge_constant3(g->follower_anchor, &anchor);
    lanes33_mul(&follower, &anchor, &lever);
    lanes3_add(&rf, &lever, &point);
    lanes3_sub(&point, &rb, &base_lever);
    hinge_constant3(g->base_anchor, &anchor);
    lanes33_mul(&base, &anchor, &t);
    lanes3_sub(&base_lever, &t, &t);
    hinge_constant33(g->base_axes, &own);
    lanes33_product(&base, &own, &axes);
    hinge_constant3(g->follower_x, &anchor);
    lanes33_mul(&follower, &anchor, &x);
    for (int k = 0; k < 3; ++k) {
        e[k] = (lanes3){axes.m[0][k], axes.m[1][k], axes.m[2][k]};
        lanes3_cross(&lever, &e[k], &m[k]);
    }
    lanes3_cross(&x, &e[1], &c[0]);
    lanes3_cross(&x, &e[2], &c[1]);
    lanes3 off = {LANES3_DOT(e[0], t), LANES3_DOT(e[1], t), LANES3_DOT(e[2], t)};
    lanes along_y = LANES3_DOT(e[1], x), along_z = LANES3_DOT(e[2], x);
    hinge_store_residuals(g, &off, &along_y, &along_z, a->residual);
    if (reference != NULL) {
        hinge_constant3(g->follower_y, &anchor);
        lanes33_mul(&follower, &anchor, &y);
        lanes sine = LANES3_DOT(e[2], y), cosine = LANES3_DOT(e[1], y);
        hinge_coordinates(a, g, &sine, &cosine, &e[0], reference);
    }
    lanes row[HINGE_NUMBERS], gram[HINGE_ENTRIES] = {0};
    double spare[HINGE_NUMBERS], *to[4];
    hinge_rows(e, m, c, row);
    hinge_places(g, 1, a->J, spare, to);
    hinge_scatter(row, to);
    if (scaled) {
        hinge_scale(a, g->body[1], e, m, c, row, gram);
        hinge_places(g, 1, a->MJ, spare, to);
        hinge_scatter(row, to);
    }
    for (int k = 0; k < 3; ++k) {
        lanes3_cross(&base_lever, &e[k], &m[k]);
        m[k] = (lanes3){-m[k].x, -m[k].y, -m[k].z};
        e[k] = (lanes3){-e[k].x, -e[k].y, -e[k].z};
    }
    for (int k = 0; k < 2; ++k) {
        c[k] = (lanes3){-c[k].x, -c[k].y, -c[k].z};
    }
    hinge_rows(e, m, c, row);
    hinge_places(g, 0, a->J, spare, to);
    hinge_scatter(row, to);
    if (scaled) {
        hinge_scale(a, g->body[0], e, m, c, row, gram);
        hinge_places(g, 0, a->MJ, spare, to);
        hinge_scatter(row, to);
        hinge_store_gram(g, gram, a->grams);
    }
}

void pawl_hinges_place(pawl_assembly *a, const body_state *bodies, const double *reference,
                       bool scaled)
{
    for (int i = 0; i < a->hinge_group_count; ++i) {
        hinge_run_place(a, &a->hinges[i], bodies, reference, scaled);
    }
}
