// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Derivatives of the velocity update. At the poses at which its rows are placed the update solved, for twists u+ and
// impulses lambda,
//   v+ - v_free - F/m = 0,   I (W+ - W) + h Wm x I Wm - RT T = 0   for every body, (F, T) = JT lambda + applied
//   wrenches, J u+ + bias + R lambda = 0                                     for every active row, lambda_T + mu
//   lambda_n v_T / |v_T| = 0                         for the tangents of contacts that slide,
// and lambda is fixed where a row is not active. With z the poses, twists and parameters before it, the implicit function theorem gives
//   E_(u+, lambda) (du+, dlambda) = -E_z dz.
// E_z is a difference of placements of the rows at nearby poses and twists, with constant u+ and lambda: no problem
// is solved there, and one placement serves all bodies of a colour. Gaps are differentiated along their rows instead,
// because their bias has a kink at 0.
#include "math/rotation.h"
#include "rows/row_build.h"
#include "sim/derive.h"
#include "step/common/applied_forces.h"
#include "step/common/free_motion.h"
#include <string.h>

// The rows at d->moved, with the inputs that the simulation follows. False: no memory for its contacts.
static bool velocity_build(pawl_derivative *d)
{
    step_context *c = &d->sim->context;
    pawl_assembly *a = c->assembly;
    const step_weights *w = &d->update.w;
    pawl_state *s = d->sim->next;
    memcpy(s->bodies, d->moved, (size_t)d->bodies * sizeof *s->bodies);
    pawl_assembly_place(a, s->bodies, d->sim->state->coordinates, w->place_time, c->u.damping_time);
    if (c->finder != NULL) {
        int count =
            pawl_contact_finder_find(c->finder, s->bodies, c->settings->contact.margin, w->h);
        if (count < 0 || count > a->max_contacts) {
            return false;
        }
        pawl_assembly_set_contacts(a, pawl_contact_finder_contacts(c->finder), count);
    }
    pawl_apply_forces(c, w);
    pawl_free_motion_find(c, s, w);
    pawl_assembly_build_problem(a, s->bodies, c->u.free, w, false);
    return true;
}

// The block of the placement that is block k of the step, or NULL: it is not there.
static const row_block *velocity_block(const pawl_derivative *d, int k)
{
    const derive_velocity *e = &d->update;
    const pawl_assembly *a = d->sim->assembly;
    int row = e->block[k].rows.first_row;
    if (row < e->free_rows) {
        return &a->blocks[k];
    }
    if (row < e->slot_rows) {
        for (int r = a->free_rows; r < a->slot_rows; ++r) {
            if (a->rows[r].slot == e->slot[row]) {
                return pawl_bounded_block(a, r);
            }
        }
        return NULL;
    }
    double id = e->id[(row - e->slot_rows) / 3];
    for (int i = 0; i < a->contact_count; ++i) {
        if (a->contacts[i].id == id) {
            return &a->blocks[a->problem.block_count - a->contact_count + i];
        }
    }
    return NULL;
}

static const double *velocity_lambda(const pawl_derivative *d, int k)
{
    return d->update.lambda + d->update.block[k].rows.first_row;
}

// Whether block k of the step does anything: a contact that is open may come and go.
static bool velocity_acts(const pawl_derivative *d, int k)
{
    const problem_block *rows = &d->update.block[k].rows;
    for (int r = rows->first_row; r < rows->first_row + rows->dim; ++r) {
        if (d->update.kind[r] != DERIVE_FIXED || d->update.lambda[r] != 0.0) {
            return true;
        }
    }
    return false;
}

// JT lambda of a block by its bodies.
static void velocity_block_force(const pawl_derivative *d, const row_block *b, const double *lambda,
                                 double *force)
{
    memset(force, 0, 6 * BLOCK_MAX_BODIES * sizeof *force);
    for (int s = 0; s < b->body_count; ++s) {
        for (int r = 0; r < b->rows.dim; ++r) {
            const double *row = pawl_row_jacobian(d->sim->assembly, b, s, r);
            for (int k = 0; k < 6; ++k) {
                force[6 * s + k] += lambda[r] * row[k];
            }
        }
    }
}

// J u + bias + R lambda of the rows of a block. Rows with a slope have their bias left out.
static void velocity_block_rows(const pawl_derivative *d, int k, const row_block *b, double *out)
{
    const pawl_assembly *a = d->sim->assembly;
    const problem_block *rows = &d->update.block[k].rows;
    for (int r = 0; r < rows->dim; ++r) {
        int mine = rows->first_row + r, there = b->rows.first_row + r;
        double v = d->update.slope[mine] != 0.0 ? 0.0 : a->bias[there];
        v += a->compliance[there] * d->update.lambda[mine];
        for (int s = 0; s < b->body_count; ++s) {
            const double *row = pawl_row_jacobian(a, b, s, r), *u = d->update.next + 6 * b->body[s];
            for (int i = 0; i < 6; ++i) {
                v += row[i] * u[i];
            }
        }
        out[mine] = v;
    }
}

// The equation of body i with the force F on it held (6), at d->moved.
static void velocity_own(const pawl_derivative *d, int i, const double *F, double *out)
{
    const step_context *c = &d->sim->context;
    const model_body *b = &c->model->bodies[i];
    const body_state *x = &d->moved[i];
    const double *next = d->update.next + 6 * i, *p = c->u.applied + 6 * i;
    const step_weights *w = &d->update.w;
    double inverse = c->assembly->inverse_mass[i];
    double theta = pawl_assembly_linear_theta(c->assembly, i, w->h);
    double kept = b->mass - (1.0 - theta) * w->h * b->linear_damping;
    const double v[3] = {x->v.x, x->v.y, x->v.z};
    const double g[3] = {c->model->gravity.x, c->model->gravity.y, c->model->gravity.z};
    for (int k = 0; k < 3; ++k) {
        double push = p[k] + F[k] + w->h * b->mass * b->gravity_scale * g[k] + kept * v[k];
        out[k] = next[k] - inverse * push;
    }
    const pawl_mat3 *R = &c->assembly->rotation[i];
    pawl_vec3 W = m3_tmul(R, x->w), end = m3_tmul(R, v3(next[3], next[4], next[5]));
    pawl_vec3 mean = v3_scale(0.5, v3_add(W, end));
    pawl_vec3 T = m3_tmul(R, v3(p[3] + F[3], p[4] + F[4], p[5] + F[5]));
    pawl_vec3 L = m3_mul(&b->inertia, v3_sub(end, W));
    if (!b->isotropic) {
        L = v3_axpy(L, w->h, v3_cross(mean, m3_mul(&b->inertia, mean)));
    }
    L = v3_sub(L, T);
    bool rigid = b->kind == PAWL_BODY_RIGID;
    out[3] = rigid ? L.x : next[3], out[4] = rigid ? L.y : next[4], out[5] = rigid ? L.z : next[5];
    if (b->kind == PAWL_BODY_KINEMATIC) {
        memset(out, 0, 6 * sizeof *out);
    }
}

// Force actuators push along their coordinate.
static void velocity_drives(const pawl_derivative *d, double *out)
{
    const step_context *c = &d->sim->context;
    const pawl_model *m = c->model;
    for (int i = 0; i < m->actuator_count; ++i) {
        const pawl_actuator_def *def = &m->actuators[i];
        bool pushes = def->kind == PAWL_ACTUATOR_FORCE;
        const model_joint *j = &m->joints[pawl_joint_index(def->joint)];
        const coordinate_row *g = &c->assembly->coordinates[j->first_coordinate + def->coordinate];
        double impulse = pushes ? d->update.w.h * c->out.effort[i] : 0.0;
        for (int k = 0; k < 6; ++k) {
            out[12 * i + k] = j->base >= 0 ? impulse * g->base[k] : 0.0;
            out[12 * i + 6 + k] = impulse * g->follower[k];
        }
    }
}

// All of the equations at d->moved. False: a contact of the step is not found there, or memory is out.
static bool velocity_sample(pawl_derivative *d, const double *F, derive_sample *out)
{
    if (!velocity_build(d)) {
        return false;
    }
    for (int k = 0; k < d->update.blocks; ++k) {
        if (!velocity_acts(d, k)) {
            continue;
        }
        const row_block *b = velocity_block(d, k);
        if (b == NULL) {
            return false;
        }
        velocity_block_force(d, b, velocity_lambda(d, k), out->force + 6 * BLOCK_MAX_BODIES * k);
        velocity_block_rows(d, k, b, out->row);
    }
    velocity_drives(d, out->drive);
    for (int i = 0; i < d->bodies; ++i) {
        velocity_own(d, i, F + 6 * i, out->own + 6 * i);
    }
    return true;
}

// -(1/m, RT) f of a change of the force on body i, into its equation.
static void velocity_add_force(const pawl_derivative *d, int i, const double *f, double scale,
                               double *column, int stride)
{
    const model_body *b = &d->sim->context.model->bodies[i];
    if (b->kind == PAWL_BODY_KINEMATIC) {
        return;
    }
    pawl_mat3 R = quat_matrix(d->update.begin[i].q);
    double inverse = d->sim->assembly->inverse_mass[i];
    pawl_vec3 T = m3_tmul(&R, v3(f[3], f[4], f[5]));
    const double t[3] = {T.x, T.y, T.z};
    for (int k = 0; k < 3; ++k) {
        column[(6 * i + k) * stride] -= scale * inverse * f[k];
        if (b->kind == PAWL_BODY_RIGID) {
            column[(6 * i + 3 + k) * stride] -= scale * t[k];
        }
    }
}

// Half the difference of the two samples over the step, of one block, into a column of the derivative of the equations.
static void velocity_put_block(pawl_derivative *d, int k, double scale, double *column, int stride)
{
    const row_block *b = &d->update.block[k];
    const derive_sample *p = &d->sample[0], *m = &d->sample[1];
    for (int s = 0; s < b->body_count; ++s) {
        double f[6];
        for (int i = 0; i < 6; ++i) {
            int at = 6 * (BLOCK_MAX_BODIES * k + s) + i;
            f[i] = p->force[at] - m->force[at];
        }
        velocity_add_force(d, b->body[s], f, scale, column, stride);
    }
    for (int r = b->rows.first_row; r < b->rows.first_row + b->rows.dim; ++r) {
        column[(d->n + r) * stride] += scale * (p->row[r] - m->row[r]);
    }
}

static void velocity_put_drive(pawl_derivative *d, int i, double scale, double *column, int stride)
{
    const pawl_model *m = d->sim->context.model;
    const model_joint *j = &m->joints[pawl_joint_index(m->actuators[i].joint)];
    const int body[2] = {j->base, j->follower};
    for (int side = 0; side < 2; ++side) {
        double f[6];
        for (int k = 0; k < 6; ++k) {
            int at = 12 * i + 6 * side + k;
            f[k] = d->sample[0].drive[at] - d->sample[1].drive[at];
        }
        if (body[side] >= 0) {
            velocity_add_force(d, body[side], f, scale, column, stride);
        }
    }
}

static bool velocity_touches(const row_block *b, int body)
{
    for (int s = 0; s < b->body_count; ++s) {
        if (b->body[s] == body) {
            return true;
        }
    }
    return false;
}

// The column of body j along direction k, of poses or twists.
static void velocity_put_body(pawl_derivative *d, int j, int k, double *matrix)
{
    const pawl_model *m = d->sim->context.model;
    double *column = matrix + 6 * j + k, scale = 0.5 / derive_step;
    for (int i = 0; i < 6; ++i) {
        column[(6 * j + i) * d->n] +=
            scale * (d->sample[0].own[6 * j + i] - d->sample[1].own[6 * j + i]);
    }
    for (int b = 0; b < d->update.blocks; ++b) {
        if (velocity_touches(&d->update.block[b], j) && velocity_acts(d, b)) {
            velocity_put_block(d, b, scale, column, d->n);
        }
    }
    for (int i = 0; i < m->actuator_count; ++i) {
        const model_joint *joint = &m->joints[pawl_joint_index(m->actuators[i].joint)];
        if (m->actuators[i].kind == PAWL_ACTUATOR_FORCE &&
            (joint->base == j || joint->follower == j)) {
            velocity_put_drive(d, i, scale, column, d->n);
        }
    }
}

// The force on every body, at the step itself.
static void velocity_forces(const pawl_derivative *d, double *F)
{
    const derive_sample *s = &d->sample[0];
    const pawl_model *m = d->sim->context.model;
    memset(F, 0, (size_t)d->n * sizeof *F);
    for (int k = 0; k < d->update.blocks; ++k) {
        const row_block *b = &d->update.block[k];
        for (int i = 0; i < b->body_count && velocity_acts(d, k); ++i) {
            for (int c = 0; c < 6; ++c) {
                F[6 * b->body[i] + c] += s->force[6 * (BLOCK_MAX_BODIES * k + i) + c];
            }
        }
    }
    for (int i = 0; i < m->actuator_count; ++i) {
        const model_joint *j = &m->joints[pawl_joint_index(m->actuators[i].joint)];
        for (int c = 0; c < 6; ++c) {
            if (j->base >= 0) {
                F[6 * j->base + c] += s->drive[12 * i + c];
            }
            F[6 * j->follower + c] += s->drive[12 * i + 6 + c];
        }
    }
}

// Biases of gaps follow the poses along their own rows.
static void velocity_add_gaps(pawl_derivative *d)
{
    const pawl_assembly *a = d->sim->assembly;
    for (int k = 0; k < d->update.blocks; ++k) {
        const row_block *b = &d->update.block[k];
        for (int r = 0; r < b->rows.dim; ++r) {
            double slope = d->update.slope[b->rows.first_row + r];
            const row_block *there =
                slope != 0.0 && velocity_acts(d, k) ? velocity_block(d, k) : NULL;
            for (int s = 0; there != NULL && s < b->body_count; ++s) {
                const double *row = pawl_row_jacobian(a, there, s, r);
                double *out = d->by_pose + (d->n + b->rows.first_row + r) * d->n + 6 * b->body[s];
                for (int i = 0; i < 6; ++i) {
                    out[i] += slope * row[i];
                }
            }
        }
    }
}

// by_pose and by_twist: differences over all colours and directions.
static pawl_status velocity_differentiate(pawl_derivative *d, const double *F)
{
    size_t size = (size_t)(d->n + d->update.rows) * (size_t)d->n * sizeof(double);
    memset(d->by_pose, 0, size);
    memset(d->by_twist, 0, size);
    for (int color = 0; color < d->colors; ++color) {
        for (int k = 0; k < 12; ++k) {
            for (int side = 0; side < 2; ++side) {
                double by = side == 0 ? derive_step : -derive_step;
                pawl_derive_move(d, d->update.begin, color, k, by);
                if (!velocity_sample(d, F, &d->sample[side])) {
                    return PAWL_FAIL(
                        &d->env, PAWL_UNSUPPORTED,
                        "a contact of the step is not found %g m or rad beside it: it is at "
                        "a switch",
                        derive_step);
                }
            }
            for (int j = 0; j < d->bodies; ++j) {
                if (d->color[j] == color) {
                    velocity_put_body(d, j, k % 6, k < 6 ? d->by_pose : d->by_twist);
                }
            }
        }
    }
    return PAWL_OK;
}

// ---- the matrix of the unknowns -------------------------------------------------------------------

// d/dW+ of I (W+ - W) + h Wm x I Wm, times RT.
static void velocity_body_matrix(pawl_derivative *d, int i, int N)
{
    const model_body *b = &d->sim->context.model->bodies[i];
    for (int k = 0; k < 6; ++k) {
        d->K[(6 * i + k) * N + 6 * i + k] = 1.0;
    }
    if (b->kind != PAWL_BODY_RIGID) {
        return;
    }
    pawl_mat3 R = quat_matrix(d->update.begin[i].q);
    const double *next = d->update.next + 6 * i;
    pawl_vec3 sum = v3_add(d->update.begin[i].w, v3(next[3], next[4], next[5]));
    pawl_vec3 mean = v3_scale(0.5, m3_tmul(&R, sum)), L = m3_mul(&b->inertia, mean);
    for (int k = 0; k < 3; ++k) {
        pawl_vec3 e = m3_tmul(&R, v3(k == 0, k == 1, k == 2)), Ie = m3_mul(&b->inertia, e);
        pawl_vec3 turn = v3_add(v3_cross(mean, Ie), v3_cross(e, L));
        pawl_vec3 out = b->isotropic ? Ie : v3_axpy(Ie, 0.5 * d->update.w.h, turn);
        d->K[(6 * i + 3) * N + 6 * i + 3 + k] = out.x;
        d->K[(6 * i + 4) * N + 6 * i + 3 + k] = out.y;
        d->K[(6 * i + 5) * N + 6 * i + 3 + k] = out.z;
    }
}

// Rows of a contact that slides: lambda_T + mu lambda_n d = 0 with d = v_T / |v_T|. The rows of the normal stay as they are; the two of the
// tangents are combined from those that v_T has.
static void velocity_slide(pawl_derivative *d, int row, double mu, double *M, int width,
                           bool matrix)
{
    const double *v = d->update.velocity + row, *lambda = d->update.lambda + row;
    double speed = sqrt(v[0] * v[0] + v[1] * v[1]), e[2] = {v[0] / speed, v[1] / speed};
    double *t[2] = {M + (size_t)(d->n + row) * (size_t)width,
                    M + (size_t)(d->n + row + 1) * (size_t)width};
    double turn = mu * lambda[2] / speed;
    for (int c = 0; c < width; ++c) {
        double a = t[0][c], b = t[1][c], along = e[0] * a + e[1] * b;
        t[0][c] = turn * (a - e[0] * along);
        t[1][c] = turn * (b - e[1] * along);
    }
    for (int k = 0; k < 2 && matrix; ++k) {
        t[k][d->n + row + k] += 1.0;
        t[k][d->n + row + 2] += mu * e[k];
    }
}

static void velocity_slides(pawl_derivative *d, double *M, int width, bool matrix)
{
    for (int k = 0; k < d->update.contacts; ++k) {
        int row = d->update.slot_rows + 3 * k;
        if (d->update.kind[row] == DERIVE_SLIP) {
            velocity_slide(d, row, d->update.friction[k], M, width, matrix);
        }
    }
}

static void velocity_matrix(pawl_derivative *d)
{
    int N = d->n + d->update.rows;
    const pawl_assembly *a = d->sim->assembly;
    memset(d->K, 0, (size_t)N * (size_t)N * sizeof *d->K);
    for (int i = 0; i < d->bodies; ++i) {
        velocity_body_matrix(d, i, N);
    }
    for (int k = 0; k < d->update.blocks; ++k) {
        const row_block *mine = &d->update.block[k];
        const row_block *b = velocity_acts(d, k) ? velocity_block(d, k) : NULL;
        for (int r = 0; r < mine->rows.dim; ++r) {
            int row = mine->rows.first_row + r;
            double *line = d->K + (size_t)(d->n + row) * (size_t)N, size = 0.0;
            for (int s = 0; b != NULL && s < b->body_count; ++s) {
                const double *J = pawl_row_jacobian(a, b, s, r);
                const double *MJ = a->MJ + b->jacobian[s] + 6 * r;
                velocity_add_force(d, b->body[s], J, 1.0, d->K + d->n + row, N);
                for (int i = 0; i < 6; ++i) {
                    line[6 * b->body[s] + i] += J[i];
                    size += J[i] * MJ[i];
                }
            }
            // Rows that repeat others are left to a compliance that moves nothing.
            line[d->n + row] += d->update.compliance[row] + 1e-11 * size;
        }
    }
    velocity_slides(d, d->K, N, true);
    for (int r = 0; r < d->update.rows; ++r) {
        if (d->update.kind[r] == DERIVE_FIXED) {
            double *line = d->K + (size_t)(d->n + r) * (size_t)N;
            memset(line, 0, (size_t)N * sizeof *line);
            line[d->n + r] = 1.0;
        }
    }
}

// ---- parameters -----------------------------------------------------------------------------------

// Wrenches act on one body each, without a placement; sliding friction enters its own equations.
static void velocity_wrenches(pawl_derivative *d)
{
    for (int i = 0; i < d->n; ++i) {
        double f[6] = {0};
        f[i % 6] = d->update.w.h;
        velocity_add_force(d, i / 6, f, -1.0, d->X + d->first[PAWL_DERIVATIVE_WRENCH] + i,
                           d->columns);
    }
    for (int k = 0; k < d->update.contacts; ++k) {
        int row = d->update.slot_rows + 3 * k;
        const double *v = d->update.velocity + row;
        double speed = sqrt(v[0] * v[0] + v[1] * v[1]);
        for (int t = 0; t < 2 && d->update.kind[row] == DERIVE_SLIP; ++t) {
            d->X[(size_t)(d->n + row + t) * (size_t)d->columns +
                 (size_t)d->first[PAWL_DERIVATIVE_FRICTION]] -=
                d->update.friction[k] / fmax(pawl_state_friction_scale(d->sim->state), 1e-300) *
                d->update.lambda[row + 2] * v[t] / speed;
        }
    }
}

// Other parameters: differences of all equations, one at a time. X has the negative of what they do.
static pawl_status velocity_parameters(pawl_derivative *d, const pawl_state *from, const double *F)
{
    memcpy(d->moved, d->update.begin, (size_t)d->bodies * sizeof *d->moved);
    for (int p = d->first[PAWL_DERIVATIVE_TARGET]; p < d->columns; ++p) {
        bool wrench =
            p >= d->first[PAWL_DERIVATIVE_WRENCH] && p < d->first[PAWL_DERIVATIVE_GRAVITY];
        if (wrench || p == d->first[PAWL_DERIVATIVE_FRICTION]) {
            continue;
        }
        bool good = true;
        for (int side = 0; side < 2 && good; ++side) {
            pawl_derive_parameter(d, from, p, side == 0 ? derive_step : -derive_step);
            good = velocity_sample(d, F, &d->sample[side]);
        }
        pawl_derive_parameter(d, from, -1, 0.0);
        if (!good) {
            return PAWL_FAIL(&d->env, PAWL_UNSUPPORTED, "the contacts of the step are at a switch");
        }
        double *column = d->X + p, scale = -0.5 / derive_step;
        for (int i = 0; i < d->n; ++i) {
            column[(size_t)i * (size_t)d->columns] +=
                scale * (d->sample[0].own[i] - d->sample[1].own[i]);
        }
        for (int k = 0; k < d->update.blocks; ++k) {
            if (velocity_acts(d, k)) {
                velocity_put_block(d, k, scale, column, d->columns);
            }
        }
        for (int i = 0; i < d->sim->context.model->actuator_count; ++i) {
            velocity_put_drive(d, i, scale, column, d->columns);
        }
    }
    return PAWL_OK;
}

// X -= E_q dq + E_u du, row by row.
static void velocity_right_side(pawl_derivative *d)
{
    int N = d->n + d->update.rows, P = d->columns;
    for (int r = 0; r < N; ++r) {
        double *x = d->X + (size_t)r * (size_t)P;
        for (int j = 0; j < d->n; ++j) {
            double a = d->by_pose[(size_t)r * (size_t)d->n + (size_t)j],
                   b = d->by_twist[(size_t)r * (size_t)d->n + (size_t)j];
            const double *q = d->dq + (size_t)j * (size_t)P, *u = d->du + (size_t)j * (size_t)P;
            for (int c = 0; c < P && (a != 0.0 || b != 0.0); ++c) {
                x[c] -= a * q[c] + b * u[c];
            }
        }
    }
}

// The residuals of the equations for the step itself: it must have solved these equations.
static pawl_status velocity_check(pawl_derivative *d, const double *F)
{
    double worst = 0.0, scale = 1e-6;
    derive_sample *s = &d->sample[1];
    if (!velocity_sample(d, F, s)) {
        return PAWL_FAIL(&d->env, PAWL_UNSUPPORTED, "the contacts of the step are at a switch");
    }
    for (int i = 0; i < d->n; ++i) {
        scale = fmax(scale, fabs(d->update.next[i]));
    }
    for (int i = 0; i < d->n; ++i) {
        double size =
            i % 6 < 3 ? 1.0 : d->sim->context.model->bodies[i / 6].inertia.m[i % 3][i % 3];
        worst = fmax(worst, fabs(s->own[i]) / fmax(size, 1e-12));
    }
    if (!(worst <= 1e-6 * scale)) {
        return PAWL_FAIL(
            &d->env, PAWL_UNSUPPORTED,
            "the step differs by %.2g m/s or rad/s from the equations that are differentiated (a "
            "damped or very fast spin, or a stiff spring)",
            worst);
    }
    return PAWL_OK;
}

pawl_status pawl_derive_velocity(pawl_derivative *d, const pawl_state *from)
{
    int N = d->n + d->update.rows, P = d->columns;
    double *F = d->change;
    pawl_derive_parameter(d, from, -1, 0.0);
    memcpy(d->moved, d->update.begin, (size_t)d->bodies * sizeof *d->moved);
    memset(F, 0, (size_t)d->n * sizeof *F);
    if (!velocity_sample(d, F, &d->sample[0])) {
        return PAWL_FAIL(&d->env, PAWL_UNSUPPORTED, "the contacts of the step are at a switch");
    }
    velocity_forces(d, F);
    PAWL_TRY(velocity_check(d, F));
    PAWL_TRY(velocity_differentiate(d, F));
    memset(d->X, 0, (size_t)N * (size_t)P * sizeof *d->X);
    PAWL_TRY(velocity_parameters(d, from, F));
    memcpy(d->moved, d->update.begin, (size_t)d->bodies * sizeof *d->moved);
    if (!velocity_build(d)) {
        return PAWL_FAIL(&d->env, PAWL_NO_MEMORY, "no memory for contacts");
    }
    velocity_add_gaps(d);
    velocity_right_side(d);
    velocity_slides(d, d->X, P, false);
    velocity_wrenches(d);
    velocity_matrix(d);
    for (int r = 0; r < d->update.rows; ++r) {
        if (d->update.kind[r] == DERIVE_FIXED) {
            memset(d->X + (size_t)(d->n + r) * (size_t)P, 0, (size_t)P * sizeof *d->X);
        }
    }
    PAWL_TRY(pawl_derive_solve(d, N));
    memcpy(d->du, d->X, (size_t)d->n * (size_t)P * sizeof *d->du);
    return PAWL_OK;
}
