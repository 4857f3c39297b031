// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// See hinge_lanes.h. The order of operations is that of kinematics_run_rows() and kinematics_run_residuals() for one
// hinge, so that it has the same bits in a group. The world is a body at rest at the origin.
#include "rows/hinge_lanes.h"
#include "math/lanes3.h"
#include "math/lanes_trig.h"

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
    g->more[k] = b->rows.dim - HINGE_ROWS;
    g->turns = g->turns || g->more[k] > 0;
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
        for (int k = lane; k < 4; ++k) {
            hinge_fill(a, i, g, k);
            g->twist[0][k] = k == lane && g->body[0][k] >= 0 ? 6 * g->body[0][k] : -1;
            g->twist[1][k] = k == lane ? 6 * g->body[1][k] : -1;
        }
        ++lane;
    }
    return count;
}

PAWL_KERNEL_PART void hinge_constant3(const double from[3][4], lanes3 *out)
{
    *out = (lanes3){LANES_LOAD(from[0]), LANES_LOAD(from[1]), LANES_LOAD(from[2])};
}

PAWL_KERNEL_PART void hinge_keep3(const lanes3 *x, double to[3][4])
{
    LANES_STORE(to[0], x->x);
    LANES_STORE(to[1], x->y);
    LANES_STORE(to[2], x->z);
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

// Five numbers of each hinge to its rows.
PAWL_KERNEL_PART void hinge_store_rows(const hinge_group *g, const lanes3 *t, const lanes *y,
                                       const lanes *z, double *to)
{
    lanes low[4] = {t->x, t->y, t->z, *y};
    lanes_transpose(low);
    for (int k = 0; k < g->count; ++k) {
        LANES_STORE(to + g->row[k], low[k]);
        to[g->row[k] + 4] = (*z)[k];
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
    hinge_store_rows(g, &point, &aligned.y, &aligned.z, a->residual);
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
PAWL_KERNEL_PART void hinge_gradients(const lanes3 e[3], const lanes3 m[3], const lanes3 c[2],
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

// A row along the coordinate on one side, where there are such rows: nothing but a moment.
PAWL_KERNEL_PART void hinge_scatter_turn(const hinge_group *g, int side, const lanes3 *moment,
                                         double *jacobian)
{
    lanes zero = LANES_ALL(0.0);
    lanes head[4] = {zero, zero, zero, moment->x},
          tail[4] = {zero, moment->x, moment->y, moment->z};
    lanes_transpose(head);
    lanes_transpose(tail);
    for (int k = 0; k < g->count; ++k) {
        double *to = jacobian + g->jacobian[side][k] + HINGE_NUMBERS;
        for (int r = 0; r < g->more[k] && g->jacobian[side][k] >= 0; ++r, to += 6) {
            LANES_STORE(to, head[k]);
            LANES_STORE(to + 2, tail[k]);
        }
    }
}

// M^-1 times a row along the coordinate, and what it adds to J M^-1 JT, where `row` has M^-1 times the hinge's own rows.
PAWL_KERNEL_PART void hinge_scale_turn(const lanes33 *inertia, const lanes *scale,
                                       const lanes3 *moment, const lanes row[HINGE_NUMBERS],
                                       lanes3 *turned, lanes gram[HINGE_ROWS + 1])
{
    lanes33_mul(inertia, moment, turned);
    *turned = (lanes3){*scale * turned->x, *scale * turned->y, *scale * turned->z};
    for (int k = 0; k < HINGE_ROWS; ++k) {
        const lanes *by = row + 6 * k + 3;
        gram[k] += moment->x * by[0] + moment->y * by[1] + moment->z * by[2];
    }
    gram[HINGE_ROWS] += LANES3_DOT(*moment, *turned);
}

// M^-1 times each row, and what this side adds to J M^-1 JT, the lower triangle row by row, by the sums of pawl_dot6().
// The same of rows along the coordinate, the moment `turn`, where the group has such.
PAWL_KERNEL_PART void hinge_scale(const pawl_assembly *a, const hinge_group *g, int side,
                                  const lanes3 e[3], const lanes3 m[3], const lanes3 c[2],
                                  const lanes3 *turn, lanes row[HINGE_NUMBERS],
                                  lanes gram[HINGE_ENTRIES], lanes turn_gram[HINGE_ROWS + 1])
{
    const int *body = g->body[side];
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
    if (g->turns) {
        lanes scale = LANES_ALL(a->inertia_scale);
        lanes3 turned;
        hinge_scale_turn(&inertia, &scale, turn, row, &turned, turn_gram);
        hinge_scatter_turn(g, side, &turned, a->MJ);
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

PAWL_KERNEL_PART void hinge_store_turn_gram(const hinge_group *g, const lanes gram[HINGE_ROWS + 1],
                                            double *grams)
{
    lanes low[4] = {gram[0], gram[1], gram[2], gram[3]};
    lanes high[4] = {gram[4], gram[5], LANES_ALL(0.0), LANES_ALL(0.0)};
    lanes_transpose(low);
    lanes_transpose(high);
    for (int k = 0; k < g->count; ++k) {
        LANES_STORE(grams + g->gram[k] + HINGE_TURN_GRAM, low[k]);
        LANES_STORE(grams + g->gram[k] + HINGE_TURN_GRAM + 4, high[k]);
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

// Angles of a group's coordinates, with their turns, and gradients from axes.
static void hinge_coordinates(pawl_assembly *a, const hinge_group *g, const lanes *angle,
                              const lanes3 *axis, const double *reference)
{
    for (int k = 0; k < g->count; ++k) {
        const model_joint *j = &a->model->joints[g->joint[k]];
        int flat = j->first_coordinate;
        coordinate_row *row = &a->coordinates[flat];
        if (!a->coordinate_used[flat] && !j->keeps_turns) {
            continue;
        }
        row->value = (*angle)[k];
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
                                        hinge_extent extent)
{
    hinge_rows *rows = a->hinge_rows + (g - a->hinges);
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
        hinge_keep3(&e[k], rows->axis + 3 * k);
    }
    lanes3_cross(&x, &e[1], &c[0]);
    lanes3_cross(&x, &e[2], &c[1]);
    hinge_keep3(&base_lever, rows->arm[0]);
    hinge_keep3(&lever, rows->arm[1]);
    hinge_keep3(&c[0], rows->turn);
    hinge_keep3(&c[1], rows->turn + 3);
    lanes3 off = {LANES3_DOT(e[0], t), LANES3_DOT(e[1], t), LANES3_DOT(e[2], t)};
    lanes along_y = LANES3_DOT(e[1], x), along_z = LANES3_DOT(e[2], x);
    hinge_store_rows(g, &off, &along_y, &along_z, a->residual);
    if (reference != NULL) {
        hinge_constant3(g->follower_y, &anchor);
        lanes33_mul(&follower, &anchor, &y);
        lanes sine = LANES3_DOT(e[2], y), cosine = LANES3_DOT(e[1], y), angle;
        lanes_atan2(&sine, &cosine, &angle);
        hinge_coordinates(a, g, &angle, &e[0], reference);
    }
    if (extent == HINGE_BY_GROUP) {
        return;
    }
    bool scaled = extent == HINGE_SCALED;
    lanes row[HINGE_NUMBERS], gram[HINGE_ENTRIES] = {0}, turn_gram[HINGE_ROWS + 1] = {0};
    lanes3 turn = e[0];
    double spare[HINGE_NUMBERS], *to[4];
    for (int k = 0; k < 3; ++k) {
        lanes3_cross(&lever, &e[k], &m[k]);
    }
    hinge_gradients(e, m, c, row);
    hinge_places(g, 1, a->J, spare, to);
    hinge_scatter(row, to);
    if (g->turns) {
        hinge_scatter_turn(g, 1, &turn, a->J);
    }
    if (scaled) {
        hinge_scale(a, g, 1, e, m, c, &turn, row, gram, turn_gram);
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
    turn = (lanes3){-turn.x, -turn.y, -turn.z};
    hinge_gradients(e, m, c, row);
    hinge_places(g, 0, a->J, spare, to);
    hinge_scatter(row, to);
    if (g->turns) {
        hinge_scatter_turn(g, 0, &turn, a->J);
    }
    if (scaled) {
        hinge_scale(a, g, 0, e, m, c, &turn, row, gram, turn_gram);
        hinge_places(g, 0, a->MJ, spare, to);
        hinge_scatter(row, to);
        hinge_store_gram(g, gram, a->grams);
    }
    if (scaled && g->turns) {
        hinge_store_turn_gram(g, turn_gram, a->grams);
    }
}

void pawl_hinges_place(pawl_assembly *a, const body_state *bodies, const double *reference,
                       hinge_extent extent)
{
    for (int i = 0; i < a->hinge_group_count; ++i) {
        hinge_run_place(a, &a->hinges[i], bodies, reference, extent);
    }
}

// Twists of the bodies of one side.
PAWL_KERNEL_PART void hinge_twists(const int twist[4], const double *u, lanes3 *v, lanes3 *w)
{
    static const double rest[6] = {0};
    lanes head[4], tail[4]; // numbers 0 to 3 and 2 to 5
    for (int k = 0; k < 4; ++k) {
        const double *own = twist[k] >= 0 ? u + twist[k] : rest;
        head[k] = LANES_LOAD(own);
        tail[k] = LANES_LOAD(own + 2);
    }
    lanes_transpose(head);
    lanes_transpose(tail);
    *v = (lanes3){head[0], head[1], head[2]};
    *w = (lanes3){head[3], tail[2], tail[3]};
}

PAWL_KERNEL static void hinge_run_velocity(const pawl_assembly *a, const double *u, double *out)
{
    for (int i = 0; i < a->hinge_group_count; ++i) {
        const hinge_group *g = &a->hinges[i];
        const hinge_rows *rows = &a->hinge_rows[i];
        lanes3 v[2], w[2], arm, swing, axis, rate;
        for (int side = 0; side < 2; ++side) {
            hinge_twists(g->twist[side], u, &v[side], &w[side]);
            hinge_constant3(rows->arm[side], &arm);
            lanes3_cross(&w[side], &arm, &swing);
            lanes3_add(&v[side], &swing, &v[side]);
        }
        lanes3_sub(&v[1], &v[0], &v[1]);
        lanes3_sub(&w[1], &w[0], &w[1]);
        lanes speed[5];
        for (int r = 0; r < HINGE_ROWS; ++r) {
            hinge_constant3(r < 3 ? rows->axis + 3 * r : rows->turn + 3 * (r - 3), &axis);
            const lanes3 *along = r < 3 ? &v[1] : &w[1];
            speed[r] = LANES3_DOT(axis, *along);
        }
        rate = (lanes3){speed[0], speed[1], speed[2]};
        hinge_store_rows(g, &rate, &speed[3], &speed[4], out);
    }
}

void pawl_hinges_velocity(const pawl_assembly *a, const double *u, double *v)
{
    hinge_run_velocity(a, u, v);
}

// Forces and torques on the bodies of one side, hinge by hinge: several may act on one body.
PAWL_KERNEL_PART void hinge_push(const hinge_group *g, int side, const lanes3 *f, const lanes3 *t,
                                 double *force)
{
    double spare[6] = {0};
    lanes head[4] = {f->x, f->y, f->z, t->x}, tail[4] = {f->z, t->x, t->y, t->z};
    lanes_transpose(head);
    lanes_transpose(tail);
    PAWL_UNROLL
    for (int k = 0; k < 4; ++k) { // numbers 0 to 3, then 4 and 5
        double *own = g->twist[side][k] >= 0 ? force + g->twist[side][k] : spare;
        lanes sum = LANES_LOAD(own) + head[k];
        *(lanes_pair_at *)(own + 4) += __builtin_shufflevector(tail[k], tail[k], 2, 3);
        LANES_STORE(own, sum);
    }
}

PAWL_KERNEL static void hinge_run_forces(const pawl_assembly *a, const double *lambda,
                                         double *force)
{
    for (int i = 0; i < a->hinge_group_count; ++i) {
        const hinge_group *g = &a->hinges[i];
        const hinge_rows *rows = &a->hinge_rows[i];
        const double *x[4] = {lambda + g->row[0], lambda + g->row[1], lambda + g->row[2],
                              lambda + g->row[3]};
        lanes impulse[4], last = {x[0][4], x[1][4], x[2][4], x[3][4]};
        lanes3 f = {0}, c = {0}, t, arm, axis;
        for (int k = 0; k < 4; ++k) {
            impulse[k] = LANES_LOAD(x[k]);
        }
        lanes_transpose(impulse);
        for (int r = 0; r < HINGE_ROWS; ++r) {
            hinge_constant3(r < 3 ? rows->axis + 3 * r : rows->turn + 3 * (r - 3), &axis);
            const lanes *by = r < 4 ? &impulse[r] : &last;
            lanes3 *sum = r < 3 ? &f : &c;
            sum->x += axis.x * *by;
            sum->y += axis.y * *by;
            sum->z += axis.z * *by;
        }
        hinge_constant3(rows->arm[1], &arm);
        lanes3_cross(&arm, &f, &t);
        lanes3_add(&t, &c, &t);
        hinge_push(g, 1, &f, &t, force);
        f = (lanes3){-f.x, -f.y, -f.z};
        hinge_constant3(rows->arm[0], &arm);
        lanes3_cross(&arm, &f, &t);
        lanes3_sub(&t, &c, &t);
        hinge_push(g, 0, &f, &t, force);
    }
}

void pawl_hinges_add_forces(const pawl_assembly *a, const double *lambda, double *force)
{
    hinge_run_forces(a, lambda, force);
}
