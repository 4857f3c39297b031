// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Projection onto the constraints: positions by Gauss-Newton in the metric of the masses,
//   min 1/2 dT M d  subject to  f(q) + J d = 0,   d = -M^-1 JT (J M^-1 JT)^+ f,
// then velocities, u <- u - M^-1 JT (J M^-1 JT)^+ (J u - rate of the prescribed motions).
#include "step/stepper_ops.h"
#include <string.h>

static double project_error(const pawl_assembly *a)
{
    double error = 0.0;
    for (int r = 0; r < a->free_rows; ++r) {
        error = fmax(error, a->rows[r].kind <= ROW_MOTION ? fabs(a->residual[r]) : 0.0);
    }
    return error;
}

// v_f = what the rows should change; the direct solver then finds the impulses for it. Its factor
// serves later solves in the same place.
static void project_solve(step_context *c, double *u)
{
    solver_report ignored;
    pawl_solver_solve(c->projector, &c->assembly->problem, c->lambda, &ignored);
    memset(u, 0, (size_t)(6 * c->model->body_count) * sizeof *u);
    pawl_assembly_add_impulses(c->assembly, c->lambda, u);
}

static void project_move(step_context *c, pawl_state *s, const double *d, double share)
{
    for (int i = 0; i < c->model->body_count; ++i) {
        const double *x = d + 6 * i;
        if (c->model->bodies[i].inverse_mass > 0.0) {
            s->bodies[i].r = v3_axpy(s->bodies[i].r, share, v3(x[0], x[1], x[2]));
            s->bodies[i].q = quat_advance(s->bodies[i].q, v3_scale(share, v3(x[3], x[4], x[5])));
        }
    }
}

// The largest turn of a body in d; steps beyond a quarter radian leave the linear range.
static double project_share(const step_context *c, const double *d)
{
    double turn = 0.0;
    for (int i = 0; i < c->model->body_count; ++i) {
        turn = fmax(turn, v3_norm(v3(d[6 * i + 3], d[6 * i + 4], d[6 * i + 5])));
    }
    return turn > 0.25 ? 0.25 / turn : 1.0;
}

static void project_velocities(step_context *c, pawl_state *s)
{
    pawl_assembly *a = c->assembly;
    const pawl_model *m = c->model;
    for (int i = 0; i < m->body_count; ++i) {
        const body_state *b = &s->bodies[i];
        double *u = c->u_next + 6 * i;
        u[0] = b->v.x, u[1] = b->v.y, u[2] = b->v.z, u[3] = b->w.x, u[4] = b->w.y, u[5] = b->w.z;
    }
    pawl_assembly_row_velocity(a, c->u_next, a->v_f);
    for (int r = 0; r < a->free_rows; ++r) {
        if (a->rows[r].kind == ROW_MOTION) {
            a->v_f[r] -= pawl_signal_rate(&m->motions[a->rows[r].owner].target, s->time);
        }
    }
    project_solve(c, c->u_free);
    for (int i = 0; i < m->body_count; ++i) {
        const double *d = c->u_free + 6 * i;
        if (m->bodies[i].inverse_mass > 0.0) {
            s->bodies[i].v = v3_add(s->bodies[i].v, v3(d[0], d[1], d[2]));
            s->bodies[i].w = v3_add(s->bodies[i].w, v3(d[3], d[4], d[5]));
        }
    }
}

int pawl_project(step_context *c, pawl_state *s, int max_steps, double tolerance)
{
    pawl_assembly *a = c->assembly;
    int steps = 0;
    for (;;) {
        pawl_assembly_place(a, s->bodies, s->coordinates, s->time, 0.0);
        pawl_assembly_pose_closure(a);
        if (a->free_rows == 0) {
            return 0;
        }
        if (project_error(a) <= tolerance || steps == max_steps) {
            break;
        }
        for (int r = 0; r < a->free_rows; ++r) {
            a->v_f[r] = a->residual[r];
        }
        project_solve(c, c->u_free);
        project_move(c, s, c->u_free, project_share(c, c->u_free));
        ++steps;
    }
    project_velocities(c, s);
    return steps;
}
