// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Mass matrix, bias forces, inverse dynamics and Jacobians of a state, in the velocities of the spanning tree
// (pawl/query.h). The algorithms are those of reduced coordinates (src/tree): recursive Newton-Euler, composite
// bodies and their factor without fill (Featherstone, Rigid Body Dynamics Algorithms, chapters 5 and 6).
#include "sim/query.h"
#include "base/carver.h"
#include "base/guard.h"
#include "coordinates/reduced_coordinates.h"
#include <string.h>

// nv is the number of velocities of the spanning tree: jacobian (6 x nv), loop (rows x nv), the others as named.
static void query_layout(pawl_query *q, pawl_carver *mem)
{
    const pawl_model *m = q->live.of;
    int nv = q->tree->column_count, rows = q->rows != NULL ? q->rows->max_rows : 0;
    q->coordinates = PAWL_CARVE(mem, double, m->coordinate_count);
    q->bodies = PAWL_CARVE(mem, body_state, m->body_count);
    q->config = pawl_reduced_config_carve(q->tree, mem);
    q->moved = pawl_reduced_config_carve(q->tree, mem);
    q->rate = PAWL_CARVE(mem, double, nv);
    q->armature = PAWL_CARVE(mem, double, nv);
    q->factor = PAWL_CARVE(mem, double, q->tree->factor_size);
    q->work = PAWL_CARVE(mem, double, nv);
    q->tau = PAWL_CARVE(mem, double, nv);
    q->still = PAWL_CARVE(mem, double, nv);
    q->jacobian = PAWL_CARVE(mem, double, 6 * nv);
    q->loop = PAWL_CARVE(mem, double, (size_t)rows *(size_t)nv);
    q->ahead = PAWL_CARVE(mem, double, rows);
    q->behind = PAWL_CARVE(mem, double, rows);
    q->twists = PAWL_CARVE(mem, double, 6 * m->body_count);
}

static pawl_status query_create_parts(pawl_query *q)
{
    const pawl_env *env = &q->env;
    const pawl_model *m = &q->live.model;
    PAWL_TRY(pawl_reduced_tree_create(env, m, REDUCED_BASE_QUATERNION, &q->tree));
    PAWL_TRY(pawl_reduced_motion_create(env, q->tree, &q->motion));
    if (q->tree->loop_joint_count > 0) {
        PAWL_TRY(pawl_reduced_rows_create(env, q->tree, 0, &q->rows));
    }
    pawl_carver need = {0};
    query_layout(q, &need);
    q->bytes = need.used;
    q->block = pawl_alloc(env, need.used);
    if (q->block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "a query of '%s' needs %zu bytes", m->name,
                         need.used);
    }
    pawl_carver mem = {.base = q->block, .capacity = need.used};
    query_layout(q, &mem);
    for (int k = 0; k < q->tree->column_count; ++k) {
        const reduced_column *c = &q->tree->columns[k];
        q->armature[k] = q->still[k] = 0.0;
        if (c->coordinate >= 0) {
            const model_joint *j = &m->joints[q->tree->links[c->link].joint];
            q->armature[k] = j->coordinate[c->coordinate - j->first_coordinate].armature;
        }
    }
    return PAWL_OK;
}

pawl_status pawl_query_create(const pawl_env *env, const pawl_model *model, pawl_query **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, model);
    PAWL_NEED(env, out);
    *out = NULL;
    pawl_query *q = pawl_alloc(env, sizeof *q);
    if (q == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for a query of '%s'", model->name);
    }
    *q = (pawl_query){.env = *env};
    pawl_live_begin(&q->live, env, model);
    pawl_status status = query_create_parts(q);
    if (status != PAWL_OK) {
        pawl_query_destroy(q);
        return status;
    }
    *out = q;
    return PAWL_OK;
}

void pawl_query_destroy(pawl_query *q)
{
    if (q == NULL) {
        return;
    }
    pawl_env env = q->env;
    pawl_free(&env, q->block, q->bytes);
    pawl_assembly_destroy(q->rows);
    pawl_reduced_motion_destroy(q->motion);
    pawl_reduced_tree_destroy(q->tree);
    pawl_live_end(&q->live);
    pawl_free(&env, q, sizeof *q);
}

// Bodies are written back from the tree, so that joints of the tree are exactly closed in what is asked, even
// where the state has them open by rounding. The factor of M is computed when it is first needed.
pawl_status pawl_query_place(pawl_query *q, const pawl_state *s)
{
    PAWL_NEED(NULL, q);
    PAWL_NEED(&q->env, s);
    const pawl_model *m = q->live.of;
    if (s->model != m && s->model->hash != m->hash) {
        return PAWL_FAIL(&q->env, PAWL_BAD_ARGUMENT,
                         "the state belongs to another model, '%s', expected one of '%s'",
                         s->model->name, m->name);
    }
    q->live.model.gravity = pawl_state_gravity(s);
    q->time = s->time;
    memcpy(q->coordinates, s->coordinates, (size_t)m->coordinate_count * sizeof *q->coordinates);
    pawl_reduced_config_from(q->tree, s->bodies, s->coordinates, &q->config);
    pawl_reduced_place(q->motion, &q->config, s->time);
    pawl_reduced_rate_from(q->motion, s->bodies, q->rate);
    pawl_reduced_move(q->motion, q->rate);
    memcpy(q->bodies, s->bodies, (size_t)m->body_count * sizeof *q->bodies);
    pawl_reduced_write_bodies(q->motion, true, q->bodies);
    q->placed = true;
    q->factored = false;
    return PAWL_OK;
}

// The first lines of all that ask about a placed state.
#define QUERY_NEED(q, pointer)                                                                     \
    do {                                                                                           \
        PAWL_NEED(NULL, q);                                                                        \
        PAWL_NEED(&(q)->env, pointer);                                                             \
        if (!(q)->placed) {                                                                        \
            return query_not_placed(q, __func__);                                                  \
        }                                                                                          \
    } while (0)

static pawl_status query_not_placed(const pawl_query *q, const char *function)
{
    return PAWL_FAIL(&q->env, PAWL_BAD_ARGUMENT,
                     "%s: the query has no state yet, expected pawl_query_place() before",
                     function);
}

// Numbers that are not finite are refused at the door: recursions would spread them to all results.
static pawl_status query_check(const pawl_query *q, const char *what, const double *x)
{
    for (int k = 0; k < q->tree->column_count; ++k) {
        if (!isfinite(x[k])) {
            return PAWL_FAIL(&q->env, PAWL_BAD_ARGUMENT, "%s %d: got %g, expected a finite number",
                             what, k, x[k]);
        }
    }
    return PAWL_OK;
}

// ---- coordinates ----------------------------------------------------------------------------------

int pawl_query_velocity_count(const pawl_query *q)
{
    return q != NULL ? q->tree->column_count : 0;
}

int pawl_query_loop_count(const pawl_query *q)
{
    return q != NULL ? q->tree->loop_joint_count : 0;
}

// What a column is: a coordinate of a joint, or one of the six velocities (part) of a floating body, where
// coordinate is -1.
pawl_column pawl_query_column(const pawl_query *q, int column)
{
    if (q == NULL || !PAWL_HAS(&q->env, "column", column, q->tree->column_count)) {
        return (pawl_column){.coordinate = -1, .part = -1};
    }
    const reduced_column *c = &q->tree->columns[column];
    const reduced_link *l = &q->tree->links[c->link];
    int first = l->joint >= 0 ? q->live.of->joints[l->joint].first_coordinate : 0;
    return (pawl_column){.body = model_body_id(q->live.of, l->body),
                         .joint = model_joint_id(q->live.of, l->joint),
                         .coordinate = c->coordinate < 0 ? -1 : c->coordinate - first,
                         .part = column - l->first_column};
}

// Column of a joint's coordinate; -1 where the joint is outside of the tree, because it closes a loop.
int pawl_query_find(const pawl_query *q, pawl_joint_id id, int coordinate)
{
    int joint = q == NULL ? -1 : PAWL_INDEX(&q->env, &q->live.of->ids[ID_JOINT], id);
    if (joint < 0) {
        return -1;
    }
    const model_joint *j = &q->live.of->joints[joint];
    if (!PAWL_HAS(&q->env, "coordinate", coordinate, j->coordinate_count)) {
        return -1;
    }
    for (int k = 0; k < q->tree->column_count; ++k) {
        if (q->tree->columns[k].coordinate == j->first_coordinate + coordinate) {
            return k;
        }
    }
    return -1;
}

pawl_status pawl_query_velocities(pawl_query *q, double *v)
{
    QUERY_NEED(q, v);
    memcpy(v, q->rate, (size_t)q->tree->column_count * sizeof *v);
    return PAWL_OK;
}

// ---- mass matrix ----------------------------------------------------------------------------------

// M (nv x nv), row-major, with armatures on its diagonal.
pawl_status pawl_query_mass_matrix(pawl_query *q, double *M)
{
    QUERY_NEED(q, M);
    size_t nv = (size_t)q->tree->column_count;
    pawl_reduced_inertia_dense(q->motion, M);
    for (size_t k = 0; k < nv; ++k) {
        M[k * nv + k] += q->armature[k];
    }
    return PAWL_OK;
}

// tau = M x + what velocities and gravity need where `biased`: Newton-Euler. M x is the difference of two of these
// only in exact arithmetic, so it is computed with a motion at rest and without weight.
static void query_newton_euler(pawl_query *q, const double *x, bool biased, double *tau)
{
    pawl_vec3 gravity = q->live.model.gravity;
    if (!biased) {
        // The motion reads gravity from the live model: it is set back below.
        q->live.model.gravity = v3(0, 0, 0);
        for (int i = 0; i < q->tree->link_count; ++i) {
            if (q->tree->links[i].driven) { // M x is a map of x alone
                pawl_twist rest = {{0, 0, 0}, {0, 0, 0}};
                pawl_reduced_drive(q->motion, i, rest, rest);
            }
        }
        pawl_reduced_move(q->motion, q->still);
    }
    pawl_reduced_inverse_dynamics(q->motion, x, tau);
    if (!biased) {
        q->live.model.gravity = gravity;
        pawl_reduced_place(q->motion, &q->config, q->time);
        pawl_reduced_move(q->motion, q->rate);
    }
}

// x and y may be the same array: x is copied first.
pawl_status pawl_query_mass_multiply(pawl_query *q, const double *x, double *y)
{
    QUERY_NEED(q, x);
    PAWL_NEED(&q->env, y);
    PAWL_TRY(query_check(q, "entry", x));
    size_t bytes = (size_t)q->tree->column_count * sizeof *x;
    memcpy(q->work, x, bytes);
    query_newton_euler(q, q->work, false, q->tau);
    for (int k = 0; k < q->tree->column_count; ++k) {
        y[k] = q->tau[k] + q->armature[k] * q->work[k];
    }
    return PAWL_OK;
}

// x = M^-1 y by the factor LT L without fill; armatures go on the diagonal before it is factored. x and y may be
// the same array.
pawl_status pawl_query_mass_solve(pawl_query *q, const double *y, double *x)
{
    QUERY_NEED(q, y);
    PAWL_NEED(&q->env, x);
    PAWL_TRY(query_check(q, "entry", y));
    int nv = q->tree->column_count;
    if (!q->factored) {
        pawl_reduced_inertia(q->motion, q->factor);
        for (int k = 0; k < nv; ++k) {
            q->factor[q->tree->factor_row[k] + q->tree->columns[k].depth] += q->armature[k];
        }
        if (!pawl_reduced_factor(q->tree, q->factor)) {
            return PAWL_FAIL(&q->env, PAWL_NOT_SOLVED,
                             "the mass matrix of '%s' is singular here: gimbal lock",
                             q->live.of->name);
        }
        q->factored = true;
    }
    memmove(x, y, (size_t)nv * sizeof *x);
    pawl_reduced_solve(q->tree, q->factor, x);
    return PAWL_OK;
}

// ---- forces ---------------------------------------------------------------------------------------

// c (nv): Coriolis, centrifugal and gravity terms, the forces for zero acceleration: tau = M a + c.
pawl_status pawl_query_bias(pawl_query *q, double *c)
{
    QUERY_NEED(q, c);
    query_newton_euler(q, q->still, true, c);
    return PAWL_OK;
}

// tau (nv) for accelerations (nv). With loops the accelerations of the tree are not independent, and tau is the
// one of least norm that the loops allow: query_loops.c.
pawl_status pawl_query_inverse_dynamics(pawl_query *q, const double *acceleration, double *tau)
{
    QUERY_NEED(q, acceleration);
    PAWL_NEED(&q->env, tau);
    PAWL_TRY(query_check(q, "acceleration", acceleration));
    query_newton_euler(q, acceleration, true, q->tau);
    for (int k = 0; k < q->tree->column_count; ++k) {
        q->tau[k] += q->armature[k] * acceleration[k];
    }
    if (q->rows != NULL) {
        PAWL_TRY(pawl_query_close_loops(q, acceleration, q->tau));
    }
    memcpy(tau, q->tau, (size_t)q->tree->column_count * sizeof *tau);
    return PAWL_OK;
}

// ---- Jacobians ------------------------------------------------------------------------------------

static pawl_status query_check_point(const pawl_query *q, pawl_vec3 point)
{
    return v3_finite(point) ? PAWL_OK
                            : PAWL_FAIL(&q->env, PAWL_BAD_ARGUMENT,
                                        "a point at (%g %g %g), expected finite numbers", point.x,
                                        point.y, point.z);
}

// From the link frame of a body to the world, through its centre of mass.
static pawl_vec3 query_world_point(const pawl_query *q, int body, pawl_vec3 point)
{
    const body_state *b = &q->bodies[body];
    return v3_add(b->r, pawl_quat_rotate(b->q, v3_sub(point, q->live.of->bodies[body].com)));
}

// J (6 x nv), row-major: rows 0 to 2 the velocity of the point, 3 to 5 the angular velocity, both in world axes.
// `point` is in the body's link frame.
pawl_status pawl_query_jacobian(pawl_query *q, pawl_body_id id, pawl_vec3 point, double *J)
{
    QUERY_NEED(q, J);
    int body = PAWL_INDEX(&q->env, &q->live.of->ids[ID_BODY], id);
    if (body < 0) {
        return PAWL_BAD_ARGUMENT;
    }
    PAWL_TRY(query_check_point(q, point));
    pawl_reduced_jacobian(q->motion, q->tree->link_of_body[body], query_world_point(q, body, point),
                          J);
    return PAWL_OK;
}

// The same in the axes of a frame that is fixed to the body.
pawl_status pawl_query_frame_jacobian(pawl_query *q, pawl_body_id id, pawl_pose frame, double *J)
{
    QUERY_NEED(q, J);
    int body = PAWL_INDEX(&q->env, &q->live.of->ids[ID_BODY], id);
    if (body < 0) {
        return PAWL_BAD_ARGUMENT;
    }
    PAWL_TRY(query_check_point(q, frame.position));
    double norm = quat_norm2(frame.orientation);
    if (!(norm > 0.0) || !isfinite(norm)) {
        return PAWL_FAIL(&q->env, PAWL_BAD_ARGUMENT,
                         "a frame with the quaternion (%g %g %g %g), expected finite numbers that "
                         "are not all 0",
                         frame.orientation.w, frame.orientation.x, frame.orientation.y,
                         frame.orientation.z);
    }
    PAWL_TRY(pawl_query_jacobian(q, id, frame.position, J));
    pawl_quat axes = quat_mul(q->bodies[body].q, pawl_quat_normalize(frame.orientation));
    pawl_mat3 r = quat_matrix(axes);
    int nv = q->tree->column_count;
    for (int half = 0; half < 2; ++half) {
        // Rows 0 to 2 and 3 to 5 are vectors, turned one by one.
        double *x = J + 3 * half * nv, *y = x + nv, *z = y + nv;
        for (int k = 0; k < nv; ++k) {
            pawl_vec3 own = m3_tmul(&r, v3(x[k], y[k], z[k]));
            x[k] = own.x, y[k] = own.y, z[k] = own.z;
        }
    }
    return PAWL_OK;
}
