// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Rows over the generalized coordinates of a tree: y_r = d^-1/2 BT XT J_rT for every row, from H^-1
// = B d^-1 BT by articulated bodies (Featherstone 2008), so that D = Y YT without forming H.
// docs/reduced.md, section 6.
#include "coordinates/reduced_form.h"
#include "base/carver.h"
#include "base/kernel.h"
#include "linalg/dense.h"
#include "rows/row_build.h"
#include <string.h>

// Runs twice, to count bytes and to hand out pointers. Y (max_rows x width) is stored with fixed
// strides: rows come and go with contacts and limits.
static reduced_form *form_layout(const pawl_assembly *a, const reduced_tree *t, int width,
                                 pawl_carver *mem)
{
    reduced_form *out = PAWL_CARVE(mem, reduced_form, 1);
    reduced_form f = {.tree = t, .width = width};
    f.config = pawl_reduced_config_carve(t, mem);
    f.target = pawl_reduced_config_carve(t, mem);
    f.plain = pawl_articulated_factor_carve(t, mem);
    f.rate = PAWL_CARVE(mem, double, t->column_count);
    f.start = PAWL_CARVE(mem, double, t->column_count);
    f.position_rate = PAWL_CARVE(mem, double, t->column_count);
    f.position_change = PAWL_CARVE(mem, double, t->column_count);
    f.mass = PAWL_CARVE(mem, double, t->link_count);
    f.wrench = PAWL_CARVE(mem, spatial, t->link_count);
    f.lanes = PAWL_CARVE(mem, form_lanes, t->link_count);
    f.momenta = PAWL_CARVE(mem, double, 6 * t->link_count);
    f.ridden = PAWL_CARVE(mem, double, 6 * t->link_count);
    f.moved = PAWL_CARVE(mem, body_state, t->link_count);
    f.turned = PAWL_CARVE(mem, pawl_mat3, t->link_count);
    f.first_slot = PAWL_CARVE(mem, int, a->model->joint_count);
    for (int i = 0; i < FORM_DEFERRED; ++i) {
        f.deferred[i].at = PAWL_CARVE(mem, body_state, t->link_count);
        f.deferred[i].impulses = PAWL_CARVE(mem, double, 6 * t->link_count);
    }
    f.column_count = PAWL_CARVE(mem, int, a->max_blocks);
    f.columns = PAWL_CARVE(mem, int, a->max_blocks *width);
    f.Y = PAWL_CARVE(mem, double, a->max_rows *width);
    f.lost = PAWL_CARVE(mem, double, a->max_rows);
    f.waits_on = PAWL_CARVE(mem, int, a->max_blocks);
    f.waits = PAWL_CARVE(mem, bool, a->max_blocks);
    f.passed = pawl_carve(mem, sizeof *f.passed, (size_t)width + 1);
    if (out != NULL) {
        *out = f;
    }
    return out;
}

pawl_status pawl_reduced_form_create(const pawl_env *env, const pawl_assembly *a,
                                     const reduced_tree *tree, reduced_form **out)
{
    *out = NULL;
    int deepest = 0;
    for (int k = 0; k < tree->column_count; ++k) {
        deepest = tree->columns[k].depth + 1 > deepest ? tree->columns[k].depth + 1 : deepest;
    }
    // A row only has the columns between its bodies and their roots, which is a bound independent of the model's
    // size.
    int width = BLOCK_MAX_BODIES * deepest;
    width = width < tree->column_count ? width : tree->column_count;
    pawl_carver need = {0};
    form_layout(a, tree, width, &need);
    char *block = pawl_alloc(env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "rows of '%s' in reduced coordinates need %zu bytes",
                         a->model->name, need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    reduced_form *f = form_layout(a, tree, width, &mem);
    f->env = *env;
    f->bytes = need.used;
    for (int k = 0; k < a->max_blocks; ++k) {
        f->waits_on[k] = -1;
    }
    int slot = pawl_impulse_slots(a->model).joints;
    for (int i = 0; i < a->model->joint_count; ++i) {
        f->first_slot[i] = slot;
        slot += a->model->joints[i].row_count;
    }
    for (int i = 0; i < tree->link_count; ++i) {
        f->rides = f->rides || tree->links[i].driven;
    }
    pawl_status status = pawl_reduced_motion_create(env, tree, &f->motion);
    if (status == PAWL_OK) {
        status = pawl_reduced_motion_create(env, tree, &f->ahead);
    }
    if (status != PAWL_OK) {
        pawl_reduced_form_destroy(f);
        return status;
    }
    *out = f;
    return PAWL_OK;
}

void pawl_reduced_form_destroy(reduced_form *f)
{
    if (f != NULL) {
        pawl_env env = f->env;
        pawl_reduced_motion_destroy(f->ahead);
        pawl_reduced_motion_destroy(f->motion);
        pawl_free(&env, f, f->bytes);
    }
}

// ---- placing -----------------------------------------------------------------------------------

// Implicit damping is inertia, as in maximal coordinates: theta h c is added to mass and moments.
// damping_time = theta h [s].
static void form_add_damping(reduced_form *f, double damping_time)
{
    reduced_motion *m = f->motion;
    for (int i = 0; i < m->tree->link_count; ++i) {
        const model_body *b = &m->tree->model->bodies[m->tree->links[i].body];
        f->mass[i] = m->inertia[i].mass;
        if (b->mass > 0.0 && (b->linear_damping > 0.0 || b->angular_damping > 0.0)) {
            double turn = b->kind == PAWL_BODY_RIGID ? damping_time * b->angular_damping : 0.0;
            pawl_mat3 second = {{{turn, 0, 0}, {0, turn, 0}, {0, 0, turn}}};
            pawl_vec3 arm = v3_sub(m->position[i], m->origin[i]);
            spatial_inertia added = si_from(damping_time * b->linear_damping, arm, &second);
            si_add(&m->inertia[i], &added);
            f->mass[i] += added.mass;
            for (int k = 0; k < 3; ++k) {
                m->about_centre[i].m[k][k] += turn;
            }
        }
    }
}

// One sweep of articulated bodies gives the pivots d of H = B^-T d B^-1, by the roots of which the rows y are scaled.
void pawl_reduced_form_place(reduced_form *f, const body_state *bodies, const double *coordinates,
                             double t, double damping_time)
{
    if (f->arrived) {
        reduced_motion *last = f->motion;
        f->motion = f->ahead;
        f->ahead = last;
        pawl_reduced_config_copy(f->tree, &f->target, &f->config);
        pawl_reduced_place_rest(f->motion, &f->config, t);
    } else {
        pawl_reduced_config_from(f->tree, bodies, coordinates, &f->config);
        pawl_reduced_place(f->motion, &f->config, t);
    }
    f->arrived = false;
    form_add_damping(f, damping_time);
    pawl_reduced_articulate(f->motion, NULL, &f->plain);
}

void pawl_reduced_form_arrive(reduced_form *f)
{
    f->arrived = true;
}

// Poses of the bodies as the coordinates have them: joints of the tree are closed to rounding.
void pawl_reduced_form_settle(reduced_form *f, body_state *bodies)
{
    pawl_reduced_write_bodies(f->motion, false, bodies);
}

// ---- between bodies and columns ----------------------------------------------------------------

static pawl_vec3 form_linear(const double *u)
{
    return v3(u[0], u[1], u[2]);
}

static pawl_vec3 form_angular(const double *u)
{
    return v3(u[3], u[4], u[5]);
}

// From the origin of the link's spatial vectors to its centre of mass.
static pawl_vec3 form_arm(const reduced_motion *m, int link)
{
    return v3_sub(m->position[link], m->origin[link]);
}

// q' = H^-1 XT p for impulses p on the bodies: forces up the tree, divided by the pivots, rates down again. O(n)
// instead of a product with H^-1.
void pawl_reduced_form_answer(reduced_form *f, const double *p, double *rate)
{
    const reduced_tree *t = f->tree;
    for (int i = 0; i < t->link_count; ++i) {
        const double *x = p + 6 * t->links[i].body;
        f->wrench[i] = sp_force_from(form_arm(f->motion, i), form_linear(x), form_angular(x));
    }
    pawl_reduced_articulated_forces(f->motion, &f->plain, NULL, f->wrench, rate);
    for (int k = 0; k < t->column_count; ++k) {
        rate[k] *= f->plain.inverse[k];
    }
    pawl_reduced_articulated_rates(f->motion, &f->plain, rate, rate, f->wrench);
}

// u += the velocities of the links in f->wrench
static void form_add_velocities(const reduced_form *f, double *u)
{
    for (int i = 0; i < f->tree->link_count; ++i) {
        double *x = u + 6 * f->tree->links[i].body;
        pawl_vec3 v = sp_at(f->wrench[i], form_arm(f->motion, i)), w = f->wrench[i].w;
        x[0] += v.x, x[1] += v.y, x[2] += v.z;
        x[3] += w.x, x[4] += w.y, x[5] += w.z;
    }
}

// u (6 x bodies) += X q'.
void pawl_reduced_form_add_twists(const reduced_form *f, const double *rate, double *u)
{
    const reduced_tree *t = f->tree;
    for (int i = 0; i < t->link_count; ++i) {
        const reduced_link *l = &t->links[i];
        int parent = pawl_reduced_sum_parent(t, i);
        spatial V = parent < 0 ? sp_zero() : f->wrench[parent];
        for (int k = l->first_column; k < l->first_column + l->column_count; ++k) {
            V = sp_axpy(V, rate[k], f->motion->S[k]);
        }
        f->wrench[i] = V;
    }
    form_add_velocities(f, u);
}

// p = M u for each body, about its centre of mass. The inertias include damping, so that M is that of the step.
void pawl_reduced_form_momenta(const reduced_form *f, const double *u, double *p)
{
    for (int i = 0; i < f->tree->link_count; ++i) {
        int body = f->tree->links[i].body;
        const double *x = u + 6 * body;
        pawl_vec3 turn = m3_mul(&f->motion->about_centre[i], form_angular(x));
        double *out = p + 6 * body, mass = f->mass[i];
        out[0] = mass * x[0], out[1] = mass * x[1], out[2] = mass * x[2];
        out[3] = turn.x, out[4] = turn.y, out[5] = turn.z;
    }
}

// U: the twist of each body when all q' are 0. It is not 0 with drives: bodies attached to a kinematic body, or to a
// joint with a prescribed motion, are moved along.
static void form_ride(reduced_form *f, double *u)
{
    const reduced_tree *t = f->tree;
    const reduced_motion *m = f->motion;
    for (int i = 0; i < t->link_count; ++i) {
        const reduced_link *l = &t->links[i];
        double *x = u + 6 * l->body;
        if (l->driven) {
            continue;
        }
        memset(x, 0, 6 * sizeof *x);
        if (l->parent >= 0) {
            const double *y = u + 6 * t->links[l->parent].body;
            pawl_vec3 arm = v3_sub(m->position[i], m->position[l->parent]);
            pawl_vec3 v = v3_add(form_linear(y), v3_cross(form_angular(y), arm));
            x[0] = v.x, x[1] = v.y, x[2] = v.z, x[3] = y[3], x[4] = y[4], x[5] = y[5];
        }
    }
}

// The twists of the tree that are nearest to u in the metric of M: minimize |X q' + U - u|_M, so H q' = XT M (u - U).
void pawl_reduced_form_constrain(reduced_form *f, double *u)
{
    const reduced_tree *t = f->tree;
    // XT M (u - U): the momenta of u less those of U, both gathered
    double *p = f->momenta;
    pawl_reduced_form_momenta(f, u, p);
    if (f->rides) {
        form_ride(f, u);
        pawl_reduced_form_momenta(f, u, f->ridden);
        for (int i = 0; i < 6 * t->link_count; ++i) {
            p[i] -= f->ridden[i];
        }
    } else {
        memset(u, 0, (size_t)(6 * t->link_count) * sizeof *u);
    }
    pawl_reduced_form_answer(f, p, f->rate);
    form_add_velocities(f, u);
}

// Bodies that are near the joints of the tree are put onto them: coordinates are read from the poses and the poses
// computed from the coordinates again.
void pawl_reduced_form_close(reduced_form *f, const double *coordinates, double t,
                             body_state *bodies)
{
    pawl_reduced_config_from(f->tree, bodies, coordinates, &f->target);
    pawl_reduced_place_poses(f->ahead, &f->target, t);
    pawl_reduced_write_bodies(f->ahead, false, bodies);
}

// d (6 x bodies) is a small motion of the bodies that the joints of the tree allow. It is read as a
// change of the coordinates, of which `fraction` is applied, so that the joints stay closed however
// large it is.
void pawl_reduced_form_move(reduced_form *f, const double *coordinates, const double *d,
                            double fraction, double t, body_state *bodies)
{
    for (int i = 0; i < f->tree->link_count; ++i) {
        f->moved[i].v = form_linear(d + 6 * i);
        f->moved[i].w = form_angular(d + 6 * i);
    }
    pawl_reduced_rate_from(f->motion, f->moved, f->rate);
    pawl_reduced_config_from(f->tree, bodies, coordinates, &f->target);
    for (int k = 0; k < f->tree->column_count; ++k) {
        f->target.theta[k] += fraction * f->rate[k];
    }
    pawl_reduced_place_poses(f->ahead, &f->target, t);
    pawl_reduced_write_bodies(f->ahead, false, bodies);
}

// ---- rows --------------------------------------------------------------------------------------

// The columns on the paths from a block's bodies to their roots, ascending. Paths that join share the rest of their columns: always the
// largest of all ends is taken and replaced by its parent, as in a merge of sorted lists.
static int form_find_columns(const reduced_form *f, const row_block *b, int *columns)
{
    const reduced_tree *t = f->tree;
    int at[BLOCK_MAX_BODIES], count = 0;
    for (int s = 0; s < b->body_count; ++s) {
        at[s] = t->links[t->link_of_body[b->body[s]]].last_column;
    }
    for (;;) {
        int next = -1; // the largest first: children come behind their parents
        for (int s = 0; s < b->body_count; ++s) {
            next = at[s] > next ? at[s] : next;
        }
        if (next < 0) {
            break;
        }
        columns[count++] = next;
        for (int s = 0; s < b->body_count; ++s) {
            at[s] = at[s] == next ? t->columns[next].parent : at[s];
        }
    }
    for (int i = 0; 2 * i < count - 1; ++i) {
        int swap = columns[i];
        columns[i] = columns[count - 1 - i];
        columns[count - 1 - i] = swap;
    }
    return count;
}

// J M^-1 JT of the row with its bodies free: the scale against which rounding is judged.
double pawl_reduced_form_size(const pawl_assembly *a, const row_block *b, int r)
{
    double sum = 0.0;
    for (int s = 0; s < b->body_count; ++s) {
        const double *row = a->J + b->jacobian[s] + 6 * r;
        pawl_vec3 v = form_linear(row), w = form_angular(row);
        sum += a->inverse_mass[b->body[s]] * v3_dot(v, v);
        sum += v3_dot(w, m3_mul(&a->inverse_inertia[b->body[s]], w));
    }
    return sum;
}

static const double form_rounding = 1e-20; // of squares

// A row whose bodies the tree holds (a limit of a locked joint, a loop row that the tree satisfies) moves nothing: its y is rounding. It is
// cleared and gets a compliance of its own size, so that D has no tiny pivot and the row's impulse stays 0.
static void form_check_row(reduced_form *f, int row, int count, double alone)
{
    double *y = f->Y + row * f->width;
    bool lost = pawl_dot(y, y, count) <= form_rounding * alone;
    f->lost[row] = lost ? (alone > 0.0 ? alone : 1.0) : 0.0;
    for (int n = 0; n < count && lost; ++n) {
        y[n] = 0.0;
    }
}

// Rows from first_row on; the others were completed before.
void pawl_reduced_form_add_compliance(const reduced_form *f, int first_row, pawl_assembly *a)
{
    for (int r = first_row; r < a->problem.row_count; ++r) {
        a->compliance[r] += f->lost[r];
    }
}

// Row r of a block as wrenches on the links that have its columns.
//
// Only links on the row's paths are reset: the cost does not grow with the model.
static void form_row_wrenches(reduced_form *f, const pawl_assembly *a, const row_block *b, int r,
                              const int *columns, int count)
{
    const reduced_tree *t = f->tree;
    for (int n = 0; n < count; ++n) {
        f->wrench[t->columns[columns[n]].link] = sp_zero();
    }
    for (int s = 0; s < b->body_count; ++s) {
        const double *row = a->J + b->jacobian[s] + 6 * r;
        int link = t->link_of_body[b->body[s]], last = t->links[link].last_column;
        if (last >= 0) { // about one point: links without columns hand it on as it is
            spatial *w = &f->wrench[t->columns[last].link];
            *w = sp_add(
                *w, sp_force_from(form_arm(f->motion, link), form_linear(row), form_angular(row)));
        }
    }
}

// Up to four rows of a block from `first` on, as wrenches on the links that have its columns.
static void form_lane_wrenches(reduced_form *f, const pawl_assembly *a, const row_block *b,
                               int first, const int *columns, int count)
{
    const reduced_tree *t = f->tree;
    int rows = b->rows.dim - first < 4 ? b->rows.dim - first : 4;
    for (int n = 0; n < count; ++n) {
        int k = columns[n];
        if (k == t->links[t->columns[k].link].first_column) {
            f->lanes[t->columns[k].link] = (form_lanes){0};
        }
    }
    for (int s = 0; s < b->body_count; ++s) {
        int link = t->link_of_body[b->body[s]], last = t->links[link].last_column;
        if (last < 0) {
            continue;
        }
        form_lanes *w = &f->lanes[t->columns[last].link]; // about one point: links without
        pawl_vec3 arm = form_arm(f->motion, link);        // columns hand it on as it is
        for (int r = 0; r < rows; ++r) {
            const double *row = a->J + b->jacobian[s] + 6 * (first + r);
            pawl_vec3 moment = v3_add(form_angular(row), v3_cross(arm, form_linear(row)));
            w->x[0][r] += row[0], w->x[1][r] += row[1], w->x[2][r] += row[2];
            w->x[3][r] += moment.x, w->x[4][r] += moment.y, w->x[5][r] += moment.z;
        }
    }
}

// Passes the wrenches of links up the columns of a block, as pawl_reduced_articulated_forces() does for all: y (count x
// 4) is d^-1/2 BT of them.
PAWL_KERNEL static void form_pass_lanes(const reduced_form *f, const articulated_factor *factor,
                                        const int *columns, int count, double (*y)[4])
{
    const reduced_tree *t = f->tree;
    for (int n = count - 1; n >= 0; --n) {
        int k = columns[n], link = t->columns[k].link, parent = t->columns[k].parent;
        form_lanes *w = &f->lanes[link];
        const spatial *motion = &f->motion->S[k], *resist = &factor->U[k];
        const double S[6] = {motion->v.x, motion->v.y, motion->v.z,
                             motion->w.x, motion->w.y, motion->w.z};
        const double U[6] = {resist->v.x, resist->v.y, resist->v.z,
                             resist->w.x, resist->w.y, resist->w.z};
        double inverse = factor->inverse[k], root = factor->root[k], x[4];
        for (int r = 0; r < 4; ++r) {
            x[r] = (S[0] * w->x[0][r] + S[1] * w->x[1][r] + S[2] * w->x[2][r]) +
                   (S[3] * w->x[3][r] + S[4] * w->x[4][r] + S[5] * w->x[5][r]);
            y[n][r] = root * x[r];
            x[r] *= inverse;
        }
        for (int i = 0; i < 6; ++i) {
            for (int r = 0; r < 4; ++r) {
                w->x[i][r] -= x[r] * U[i];
            }
        }
        if (parent >= 0 && k == t->links[link].first_column) {
            form_lanes *above = &f->lanes[t->columns[parent].link];
            for (int i = 0; i < 6; ++i) {
                for (int r = 0; r < 4; ++r) {
                    above->x[i][r] += w->x[i][r];
                }
            }
        }
    }
}

void pawl_reduced_form_rows(reduced_form *f, const articulated_factor *factor,
                            const pawl_assembly *a, int block, int stride, bool by_column,
                            double *y)
{
    const row_block *b = &a->blocks[block];
    const int *columns = f->columns + block * f->width;
    int count = f->column_count[block];
    for (int first = 0; first < b->rows.dim; first += 4) {
        int rows = b->rows.dim - first < 4 ? b->rows.dim - first : 4;
        form_lane_wrenches(f, a, b, first, columns, count);
        form_pass_lanes(f, factor, columns, count, f->passed);
        for (int r = 0; r < rows; ++r) {
            double *row = y + (first + r) * stride;
            for (int n = 0; n < count; ++n) {
                row[by_column ? columns[n] : n] = f->passed[n][r];
            }
        }
    }
}

// The same of a force 1 along the last of the columns, which are its way to the root: nothing but the force acts.
static void form_pass_column(const reduced_form *f, const int *columns, int count, double *y)
{
    spatial w = sp_zero();
    for (int n = count - 1; n >= 0; --n) {
        int k = columns[n];
        double x = n == count - 1 ? 1.0 : sp_dot(f->motion->S[k], w);
        y[n] = f->plain.root[k] * x;
        w = sp_axpy(w, -x * f->plain.inverse[k], f->plain.U[k]);
    }
}

static void form_find_rows(reduced_form *f, const pawl_assembly *a, int block)
{
    const row_block *b = &a->blocks[block];
    if (f->waits[block]) {
        form_pass_column(f, f->columns + block * f->width, f->column_count[block],
                         f->Y + b->rows.first_row * f->width);
        f->waits[block] = false;
        return;
    }
    pawl_reduced_form_rows(f, &f->plain, a, block, f->width, false,
                           f->Y + b->rows.first_row * f->width);
    for (int r = 0; r < b->rows.dim; ++r) {
        form_check_row(f, b->rows.first_row + r, f->column_count[block],
                       pawl_reduced_form_size(a, b, r));
    }
}

// Columns are found once per block, then its rows go up the tree together. Those of free blocks never change. The row of
// a column k has an entry d_k^-1/2 there, so that it is not lost unless k has no inertia, which is known without it.
void pawl_reduced_form_row_block(reduced_form *f, const pawl_assembly *a, const row_block *b)
{
    int index = (int)(b - a->blocks), *columns = f->columns + index * f->width;
    if (index >= a->free_blocks || f->column_count[index] == 0) {
        f->column_count[index] = form_find_columns(f, b, columns);
    }
    int column = f->waits_on[index];
    f->waits[index] = column >= 0 && columns[f->column_count[index] - 1] == column &&
                      f->plain.inverse[column] > form_rounding * pawl_reduced_form_size(a, b, 0);
    if (f->waits[index]) {
        f->lost[b->rows.first_row] = 0.0;
    } else {
        form_find_rows(f, a, index);
    }
}

const double *pawl_reduced_form_block_rows(reduced_form *f, const pawl_assembly *a, int block)
{
    if (f->waits[block]) {
        form_find_rows(f, a, block);
    }
    return f->Y + a->blocks[block].rows.first_row * f->width;
}

// J X without masses: the same passage up the tree, with nothing taken out by the columns on the
// way.
int pawl_reduced_form_geometry(reduced_form *f, const pawl_assembly *a, int block, int *columns,
                               bool *turns, double *values)
{
    const reduced_tree *t = f->tree;
    const row_block *b = &a->blocks[block];
    const int *own = f->columns + block * f->width;
    int count = f->column_count[block];
    for (int n = 0; n < count && columns != NULL; ++n) {
        const reduced_column *column = &t->columns[own[n]];
        columns[n] = own[n];
        turns[n] = column->ball >= 0 || column->turn != 0.0;
    }
    for (int r = 0; r < b->rows.dim; ++r) {
        form_row_wrenches(f, a, b, r, own, count);
        for (int n = count - 1; n >= 0; --n) { // what a link feels its parents feel, too
            int k = own[n], link = t->columns[k].link, parent = t->columns[k].parent;
            values[r * count + n] = sp_dot(f->motion->S[k], f->wrench[link]);
            if (parent >= 0 && k == t->links[link].first_column) {
                spatial *above = &f->wrench[t->columns[parent].link];
                *above = sp_add(*above, f->wrench[link]);
            }
        }
    }
    return count;
}

double pawl_reduced_form_diagonal(reduced_form *f, const pawl_assembly *a, int block, int row)
{
    const double *y = pawl_reduced_form_block_rows(f, a, block) +
                      (row - a->blocks[block].rows.first_row) * f->width;
    return pawl_dot(y, y, f->column_count[block]);
}

// Rotates two neighbouring rows of Y, as the tangents of a contact are rotated.
void pawl_reduced_form_turn_pair(reduced_form *f, int row, double c, double s)
{
    for (int i = 0; i < f->width; ++i) {
        double *own = f->Y + row * f->width + i;
        pawl_turn_pair(own, own + f->width, c, s);
    }
}

// Gathers z = d^-1/2 YT lambda over the columns, then one pass outwards gives rates and velocities.
void pawl_reduced_form_add_impulses(reduced_form *f, const pawl_assembly *a, const double *lambda,
                                    double *u)
{
    double *z = f->start;
    memset(z, 0, (size_t)f->tree->column_count * sizeof *z);
    for (int k = 0; k < a->problem.block_count; ++k) {
        const row_block *b = &a->blocks[k];
        const int *columns = f->columns + k * f->width;
        if (f->waits[k] && lambda[b->rows.first_row] == 0.0) {
            continue;
        }
        const double *y = pawl_reduced_form_block_rows(f, a, k);
        for (int r = b->rows.first_row; r < b->rows.first_row + b->rows.dim; ++r, y += f->width) {
            for (int n = 0; n < f->column_count[k]; ++n) {
                z[columns[n]] += lambda[r] * y[n];
            }
        }
    }
    for (int k = 0; k < f->tree->column_count; ++k) {
        z[k] *= f->plain.root[k];
    }
    pawl_reduced_articulated_rates(f->motion, &f->plain, z, z, f->wrench);
    form_add_velocities(f, u);
}

// ---- what the joints of the tree do ------------------------------------------------------------

// The impulses of a joint's rows that together are the impulse p (6) on its child's centre of mass.
// The rows of a joint are independent, but neither orthogonal nor of length 1: the impulse along them solves the
// small normal equations (x xT) rows = x p.
static void form_resolve(const reduced_form *f, const body_state *at, const reduced_link *l,
                         const double *p, double *rows)
{
    const model_joint *j = &f->tree->model->joints[l->joint];
    joint_frames frames;
    double residual[6], base[6][6], follower[6][6], matrix[36], inverse[6];
    pawl_joint_frames(j, at, f->turned, &frames);
    pawl_joint_rows(j, &frames, 0.0, residual, base, follower);
    int n = j->row_count;
    for (int r = 0; r < n; ++r) {
        const double *x = l->reversed ? base[r] : follower[r];
        rows[r] = pawl_dot6(x, p);
        for (int c = 0; c <= r; ++c) {
            matrix[r * n + c] = pawl_dot6(x, l->reversed ? base[c] : follower[c]);
        }
    }
    pawl_ldl_factor(matrix, n, n, 1e-14, NULL, inverse);
    pawl_ldl_solve(matrix, n, n, inverse, rows);
}

// The impulses that the joints of the tree transmit: impulses p (6 x bodies) on the bodies, summed from the leaves to
// the roots (Newton-Euler). The impulse on a driven body gives the work of its drive, with the twists `before` and
// `after`, which may be NULL without drives.
static double form_transmit(const reduced_form *f, const body_state *at, const double *before,
                            const double *after, double *p, double *reaction)
{
    const reduced_tree *t = f->tree;
    double work = 0.0;
    for (int i = 0; i < t->link_count; ++i) {
        f->turned[i] = quat_matrix(at[i].q);
    }
    for (int i = t->link_count - 1; i >= 0; --i) {
        const reduced_link *l = &t->links[i];
        const double *own = p + 6 * l->body;
        if (l->joint < 0) {
            continue;
        }
        double rows[6] = {0};
        form_resolve(f, at, l, own, rows);
        for (int r = 0; r < t->model->joints[l->joint].row_count; ++r) {
            reaction[f->first_slot[l->joint] + r] += rows[r];
        }
        if (l->parent < 0) {
            continue;
        }
        int parent = t->links[l->parent].body;
        pawl_vec3 arm = v3_sub(at[l->body].r, at[parent].r);
        pawl_vec3 moment = v3_add(form_angular(own), v3_cross(arm, form_linear(own)));
        double passed[6] = {own[0], own[1], own[2], moment.x, moment.y, moment.z};
        for (int k = 0; k < 6; ++k) {
            if (t->links[l->parent].driven) {
                work += before == NULL
                            ? 0.0
                            : 0.5 * passed[k] * (before[6 * parent + k] + after[6 * parent + k]);
            } else {
                p[6 * parent + k] += passed[k];
            }
        }
    }
    return work;
}

// The change of each body's momentum, less the impulses of rows on it, is what joints of the tree did. It is seldom
// queried: it is stored with the poses until a query, unless the work of kinematic bodies needs it.
double pawl_reduced_form_reactions(reduced_form *f, const pawl_assembly *a, const double *lambda,
                                   const double *from, const double *to, const double *before,
                                   const double *after, double *scratch, double *reaction)
{
    const reduced_tree *t = f->tree;
    bool waits = f->defers && !f->rides && f->deferred_count < FORM_DEFERRED;
    double *p = waits ? f->deferred[f->deferred_count].impulses : scratch;
    for (int i = 0; i < 6 * t->link_count; ++i) {
        p[i] = to[i] - from[i];
    }
    pawl_reduced_form_momenta(f, p, p);
    for (int k = 0; k < a->problem.block_count; ++k) {
        const row_block *b = &a->blocks[k];
        for (int r = 0; r < b->rows.dim; ++r) {
            double x = lambda[b->rows.first_row + r];
            for (int s = 0; x != 0.0 && s < b->body_count; ++s) {
                const double *row = a->J + b->jacobian[s] + 6 * r;
                for (int i = 0; i < 6; ++i) {
                    p[6 * b->body[s] + i] -= x * row[i];
                }
            }
        }
    }
    body_state *at = waits ? f->deferred[f->deferred_count++].at : f->moved;
    pawl_reduced_write_bodies(f->motion, false, at);
    return waits ? 0.0 : form_transmit(f, at, before, after, p, reaction);
}

void pawl_reduced_form_settle_reactions(reduced_form *f, double *reaction)
{
    for (int i = 0; i < f->deferred_count; ++i) {
        (void)form_transmit(f, f->deferred[i].at, NULL, NULL, f->deferred[i].impulses, reaction);
    }
    f->deferred_count = 0;
}
