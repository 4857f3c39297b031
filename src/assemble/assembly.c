// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "assemble/reduced_form.h"
#include "assemble/row_set.h"
#include <string.h>

// Jacobian row r of block b for the body in its slot.
static double *assembly_row(const pawl_assembly *a, const row_block *b, int slot, int r)
{
    return a->J + b->jacobian[slot] + 6 * r;
}

static int assembly_slot(const row_block *b, int body)
{
    for (int k = 0; k < b->body_count; ++k) {
        if (b->body[k] == body) {
            return k;
        }
    }
    return -1;
}

// Adds s times a gradient of a joint's coordinate to row r of a block.
static void assembly_add_coordinate(pawl_assembly *a, const row_block *b, int r,
                                    const model_joint *j, const coordinate_row *g, double s)
{
    const int body[2] = {j->base, j->follower};
    const double *gradient[2] = {g->base, g->follower};
    for (int side = 0; side < 2; ++side) {
        int slot = assembly_slot(b, body[side]);
        if (slot >= 0) {
            double *row = assembly_row(a, b, slot, r);
            for (int k = 0; k < 6; ++k) {
                row[k] += s * gradient[side][k];
            }
        }
    }
}

static void assembly_clear(pawl_assembly *a, const row_block *b)
{
    for (int k = 0; k < b->body_count; ++k) {
        memset(assembly_row(a, b, k, 0), 0, (size_t)(6 * b->rows.dim) * sizeof(double));
    }
}

// M^-1 JT of a block, in the layout of J. Point masses have no inverse inertia, so that what a row
// would do to their orientation vanishes here, and so in D.
static void assembly_scale_by_mass(pawl_assembly *a, const row_block *b)
{
    if (a->form != NULL) {
        pawl_reduced_form_row_block(a->form, a, b);
        return;
    }
    for (int k = 0; k < b->body_count; ++k) {
        int body = b->body[k];
        double s = a->inverse_mass[body];
        const pawl_mat3 *inertia = &a->inverse_inertia[body];
        for (int r = 0; r < b->rows.dim; ++r) {
            const double *row = assembly_row(a, b, k, r);
            double *out = a->MJ + b->jacobian[k] + 6 * r;
            pawl_vec3 w = m3_mul(inertia, v3(row[3], row[4], row[5]));
            w = v3_scale(a->turn_ease, w);
            out[0] = s * row[0], out[1] = s * row[1], out[2] = s * row[2];
            out[3] = w.x, out[4] = w.y, out[5] = w.z;
        }
    }
}

static double assembly_damping_share(const pawl_assembly *a, double h, double damping, double ease)
{
    double theta = a->body_theta, stiff = h * damping * ease;
    return a->bends_theta && (1.0 - theta) * stiff > 1.0 ? 1.0 - 1.0 / stiff : theta;
}

double pawl_assembly_linear_theta(const pawl_assembly *a, int i, double h)
{
    const model_body *b = &a->model->bodies[i];
    return assembly_damping_share(a, h, b->linear_damping, b->inverse_mass);
}

double pawl_assembly_angular_theta(const pawl_assembly *a, int i, double h)
{
    const model_body *b = &a->model->bodies[i];
    const pawl_mat3 *inverse = &b->inverse_inertia;
    double ease = max_of(inverse->m[0][0], max_of(inverse->m[1][1], inverse->m[2][2]));
    return assembly_damping_share(a, h, b->angular_damping, ease);
}

static void assembly_place_bodies(pawl_assembly *a, double damping_time)
{
    double h = damping_time / a->body_theta;
    const pawl_model *m = a->model;
    for (int i = 0; i < m->body_count; ++i) {
        const model_body *b = &m->bodies[i];
        a->rotation[i] = quat_matrix(a->bodies[i].q);
        a->inverse_mass[i] = b->inverse_mass;
        if (b->linear_damping > 0.0 && b->mass > 0.0) {
            double theta = pawl_assembly_linear_theta(a, i, h);
            double time = theta == a->body_theta ? damping_time : theta * h;
            a->inverse_mass[i] = 1.0 / (b->mass + time * b->linear_damping);
        }
        if (b->kind != PAWL_BODY_RIGID) {
            a->inverse_inertia[i] = (pawl_mat3){0};
            continue;
        }
        pawl_mat3 inverse = b->inverse_inertia;
        if (b->angular_damping > 0.0) {
            pawl_mat3 damped = b->inertia;
            double theta = pawl_assembly_angular_theta(a, i, h);
            double time = theta == a->body_theta ? damping_time : theta * h;
            for (int k = 0; k < 3; ++k) {
                damped.m[k][k] += time * b->angular_damping;
            }
            inverse = m3_inverse(&damped);
        }
        a->inverse_inertia[i] = m3_congruence(&a->rotation[i], &inverse);
    }
}

// Coordinates of a joint: values, and gradients where wanted.
static void assembly_place_coordinates(pawl_assembly *a, const model_joint *j,
                                       const joint_frames *frames, const double *reference,
                                       bool gradients)
{
    for (int c = 0; c < j->coordinate_count; ++c) {
        int flat = j->first_coordinate + c;
        bool turns = j->keeps_turns && pawl_joint_kind_is_angle(j->kind, c);
        coordinate_row *g = &a->coordinates[flat];
        if (a->coordinate_used[flat]) {
            g->value = pawl_joint_coordinate(j, frames, c, gradients ? g->base : NULL, g->follower);
        } else if (turns) {
            g->value = pawl_joint_coordinate(j, frames, c, NULL, NULL);
        }
        if (turns) {
            g->value = pawl_unwrap(g->value, reference[flat]);
        }
    }
}

static void assembly_place_joint(pawl_assembly *a, int index, const double *reference)
{
    const model_joint *j = &a->model->joints[index];
    joint_frames frames;
    pawl_joint_frames(j, a->bodies, a->rotation, &frames);
    assembly_place_coordinates(a, j, &frames, reference, true);
    if (a->joint_block[index] < 0) {
        return;
    }
    const row_block *b = &a->blocks[a->joint_block[index]];
    double spare[6][6];
    double(*base)[6] = spare;
    double(*follower)[6] = (double(*)[6])assembly_row(a, b, b->body_count - 1, 0);
    if (j->base >= 0) {
        base = (double(*)[6])assembly_row(a, b, 0, 0);
    }
    double angle = j->kind == PAWL_JOINT_SCREW ? a->coordinates[j->first_coordinate].value : 0.0;
    if (a->joint_rows[index] > 0) {
        pawl_joint_rows(j, &frames, angle, a->residual + b->rows.first_row, base, follower);
    }
    for (int r = a->joint_rows[index]; r < b->rows.dim; ++r) {
        const coordinate_row *g = &a->coordinates[a->rows[b->rows.first_row + r].coordinate];
        memcpy(base[j->base >= 0 ? r : 0], g->base, sizeof g->base);
        memcpy(follower[r], g->follower, sizeof g->follower);
    }
}

static double assembly_gear_residual(const pawl_assembly *a, const pawl_gear_def *g)
{
    const model_joint *joints = a->model->joints;
    double q = a->coordinates[joints[g->joint].first_coordinate + g->coordinate].value;
    double p =
        a->coordinates[joints[g->source_joint].first_coordinate + g->source_coordinate].value;
    return q - g->ratio * p - g->offset;
}

static void assembly_place_gear(pawl_assembly *a, int index)
{
    const pawl_model *m = a->model;
    const row_block *b = &a->blocks[a->joint_block[index]];
    const pawl_gear_def *g = &m->joints[index].gear;
    const model_joint *driven = &m->joints[g->joint], *source = &m->joints[g->source_joint];
    const coordinate_row *q = &a->coordinates[driven->first_coordinate + g->coordinate];
    const coordinate_row *p = &a->coordinates[source->first_coordinate + g->source_coordinate];
    assembly_clear(a, b);
    assembly_add_coordinate(a, b, 0, driven, q, 1.0);
    assembly_add_coordinate(a, b, 0, source, p, -g->ratio);
    a->residual[b->rows.first_row] = assembly_gear_residual(a, g);
}

// A spring's row values go to residual: its length, or its three components.
static void assembly_place_spring(pawl_assembly *a, const row_block *b, const pawl_spring_def *s)
{
    const pawl_model *m = a->model;
    const int body[2] = {s->body_a, s->body_b};
    const pawl_vec3 given[2] = {s->point_a, s->point_b};
    pawl_vec3 lever[2] = {{0}}, point[2];
    for (int k = 0; k < 2; ++k) {
        point[k] = given[k];
        if (body[k] >= 0) {
            lever[k] = m3_mul(&a->rotation[body[k]], v3_sub(given[k], m->bodies[body[k]].com));
            point[k] = v3_add(a->bodies[body[k]].r, lever[k]);
        }
    }
    pawl_vec3 t = v3_sub(point[1], point[0]);
    pawl_vec3 axis[3] = {v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1)};
    double value[3] = {t.x, t.y, t.z};
    if (b->rows.dim == 1) {
        value[0] = v3_norm(t);
        if (value[0] > 1e-9 * s->rest_length) { // else it has no direction: push along x
            axis[0] = v3_scale(1.0 / value[0], t);
        }
    }
    for (int r = 0; r < b->rows.dim; ++r) {
        a->residual[b->rows.first_row + r] = value[r];
        for (int k = 0; k < 2; ++k) {
            int slot = body[k] < 0 ? -1 : assembly_slot(b, body[k]);
            if (slot >= 0) {
                double sign = k == 0 ? -1.0 : 1.0;
                pawl_vec3 e = v3_scale(sign, axis[r]);
                pawl_vec3 c = v3_cross(lever[k], e);
                double *row = assembly_row(a, b, slot, r);
                row[0] = e.x, row[1] = e.y, row[2] = e.z;
                row[3] = c.x, row[4] = c.y, row[5] = c.z;
            }
        }
    }
}

static void assembly_place_motions(pawl_assembly *a, double t)
{
    const pawl_model *m = a->model;
    if (m->motion_count == 0) {
        return;
    }
    for (int r = 0; r < a->free_rows; ++r) {
        const row_info *info = &a->rows[r];
        if (info->kind == ROW_MOTION) {
            a->residual[r] = a->coordinates[info->coordinate].value -
                             pawl_signal_value(&m->motions[info->owner].target, t);
        }
    }
}

void pawl_assembly_place_residuals(pawl_assembly *a, const body_state *bodies,
                                   const double *reference, double t)
{
    const pawl_model *m = a->model;
    for (int i = 0; i < m->body_count; ++i) {
        a->rotation[i] = quat_matrix(bodies[i].q);
    }
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        int block = a->joint_block[i];
        if (j->kind == PAWL_JOINT_GEAR) {
            a->residual[a->blocks[block].rows.first_row] = assembly_gear_residual(a, &j->gear);
            continue;
        }
        joint_frames frames;
        pawl_joint_frames(j, bodies, a->rotation, &frames);
        assembly_place_coordinates(a, j, &frames, reference, false);
        if (a->joint_rows[i] > 0) {
            double angle =
                j->kind == PAWL_JOINT_SCREW ? a->coordinates[j->first_coordinate].value : 0.0;
            pawl_joint_rows(j, &frames, angle, a->residual + a->blocks[block].rows.first_row, NULL,
                            NULL);
        }
    }
    assembly_place_motions(a, t);
}

void pawl_assembly_place(pawl_assembly *a, const body_state *bodies, const double *reference,
                         double t, double damping_time)
{
    const pawl_model *m = a->model;
    a->bodies = bodies;
    ++a->placements;
    assembly_place_bodies(a, damping_time);
    if (a->form != NULL) {
        pawl_reduced_form_place(a->form, bodies, reference, t, damping_time);
    }
    for (int i = 0; i < m->joint_count; ++i) {
        if (m->joints[i].kind == PAWL_JOINT_GEAR) {
            assembly_place_gear(a, i); // its joints come before it
        } else {
            assembly_place_joint(a, i, reference);
        }
    }
    for (int k = 0; k < a->free_blocks; ++k) {
        const row_block *b = &a->blocks[k];
        if (b->joint < 0) {
            assembly_place_spring(a, b, &m->springs[a->rows[b->rows.first_row].owner]);
        }
        assembly_scale_by_mass(a, b);
    }
    assembly_place_motions(a, t);
    a->problem.block_count = a->free_blocks; // bounded rows come with the problem
}

void pawl_assembly_scale_block(pawl_assembly *a, int block)
{
    assembly_scale_by_mass(a, &a->blocks[block]);
}

double pawl_assembly_coordinate_rate(const pawl_assembly *a, int joint, const coordinate_row *g,
                                     const double *u)
{
    const model_joint *j = &a->model->joints[joint];
    double rate = 0.0;
    const int body[2] = {j->base, j->follower};
    const double *gradient[2] = {g->base, g->follower};
    for (int side = 0; side < 2; ++side) {
        if (body[side] >= 0) {
            const double *w = u + 6 * body[side];
            for (int k = 0; k < 6; ++k) {
                rate += gradient[side][k] * w[k];
            }
        }
    }
    return rate;
}

// A spring-like row: impulse lambda = -S q'+ + B, see assembly.h.
static void assembly_soft(pawl_assembly *a, int r, double S, double B)
{
    a->compliance[r] = 1.0 / S;
    a->bias[r] = -B / S;
}

// Rates of a coordinate before the step, and of the motion that springs are linearized about.
typedef struct row_rates {
    double before, about;
} row_rates;

static void assembly_spring_damper(pawl_assembly *a, int r, const step_weights *w, double stretch,
                                   row_rates rate, double k, double d, double armature)
{
    double h = w->h;
    double S = armature + h * (w->theta * d + h * w->ahead * k);
    double behind = h * h * w->behind * k;
    double B = (armature - h * (1.0 - w->theta) * d + behind) * rate.before - h * k * stretch;
    assembly_soft(a, r, S, B + behind * (rate.about - rate.before));
}

// The entry of D on the diagonal of row r of a block.
static double assembly_diagonal(const pawl_assembly *a, const row_block *b, int r)
{
    if (a->form != NULL) {
        return pawl_reduced_form_diagonal(a->form, (int)(b - a->blocks), b->rows.first_row + r);
    }
    double sum = 0.0;
    for (int k = 0; k < b->body_count; ++k) {
        const double *row = assembly_row(a, b, k, r), *scaled = a->MJ + b->jacobian[k] + 6 * r;
        for (int i = 0; i < 6; ++i) {
            sum += row[i] * scaled[i];
        }
    }
    return sum;
}

// What a row of a spring between points resists a rate after the step with, of which a share is bent: such a share
// acts on all of that rate, and on where it leads to in a full step.
static void assembly_bend_spring(pawl_assembly *a, const row_block *b, int r, const step_weights *w)
{
    // (h w)^2 of a vibration and h w of a decay from which on a step is too long to show anything of them.
    const double unseen = 100.0;
    int row = b->rows.first_row + r;
    const pawl_spring_def *s = &a->model->springs[a->rows[row].owner];
    double h = w->h, ease = assembly_diagonal(a, b, r);
    double fast = ease * max_of(h * h * s->stiffness, h * s->damping);
    bool joined = false; // moves in ways of its own, and is heavier than it is alone
    for (int k = 0; k < b->body_count; ++k) {
        joined = joined || a->body_is_joined[b->body[k]];
    }
    a->bend[row] = !joined && fast > unseen ? 1.0 - unseen / fast : 0.0;
    if (a->bend[row] > 0.0) {
        double theta = w->theta + a->bend[row] * (1.0 - w->theta);
        double ahead = w->ahead + a->bend[row] * (1.0 - w->ahead);
        a->compliance[row] = 1.0 / (h * (theta * s->damping + h * ahead * s->stiffness));
        ++a->bent;
    }
}

static double assembly_target(const pawl_signal *signal, const step_weights *w)
{
    return 0.5 * (pawl_signal_value(signal, w->target_time[0]) +
                  pawl_signal_value(signal, w->target_time[1]));
}

static void assembly_pose_actuator(pawl_assembly *a, int r, const row_info *info,
                                   const step_weights *w, double value, row_rates rate)
{
    const pawl_actuator_def *d = &a->model->actuators[info->owner];
    double target = assembly_target(&d->target, w);
    if (d->kind == PAWL_ACTUATOR_POSITION) {
        assembly_spring_damper(a, r, w, value - target, rate, d->stiffness, d->damping, 0.0);
    } else if (isinf(d->damping)) {
        a->bias[r] = -target;
    } else {
        double S = w->h * w->theta * d->damping;
        assembly_soft(a, r, S, w->h * d->damping * (target - (1.0 - w->theta) * rate.before));
    }
    a->lower[r] = -w->h * d->effort;
    a->upper[r] = w->h * d->effort;
}

static double assembly_gap(const pawl_assembly *a, const row_info *info)
{
    const pawl_coordinate_def *d = &a->model->joints[info->owner].coordinate[info->part];
    double value = a->coordinates[info->coordinate].value;
    return info->kind == ROW_LOWER ? value - d->lower : d->upper - value;
}

// A constraint's own share of its error to remove, or what is said for all.
static double assembly_erp(double own, double all)
{
    return own == 0.0 ? all : max_of(own, 0.0);
}

const double pawl_gentle_push = 1e-5;

// Bias of row r, a limit or the normal of a contact, for its gap. An open gap may close, no further, until
// rows are placed again. Of a violation a share is taken back, no faster than max_push; by the velocities only
// where that is next to nothing, for what they are given stays: kinetic energy that nobody put in.
static double assembly_gap_bias(pawl_assembly *a, int r, double gap, double erp, double max_push,
                                double gentle, const step_weights *w)
{
    double fastest = max_push * w->h / w->reach;
    double bias = gap >= 0.0 ? gap / w->reach : max_of(erp * gap / w->reach, -fastest);
    a->want[r] = -bias;
    return bias >= -gentle ? bias : 0.0;
}

// What is held stays as it is, unless it is violated by more than its stepper mends.
static void assembly_hold(pawl_assembly *a, int r, double gentle)
{
    a->want[r] = a->want[r] > gentle ? a->want[r] : -INFINITY;
}

// Bias and compliance of one row, once its Jacobian is there. `held` is for limits.
static void assembly_pose_row(pawl_assembly *a, int r, const step_weights *w, row_rates rate,
                              bool held)
{
    const pawl_model *m = a->model;
    const row_info *info = &a->rows[r];
    a->lower[r] = -INFINITY;
    a->upper[r] = INFINITY;
    a->compliance[r] = a->bias[r] = 0.0;
    a->want[r] = -INFINITY;
    double value = info->coordinate >= 0 ? a->coordinates[info->coordinate].value : a->residual[r];
    double share = w->erp_joint / w->h;
    switch (info->kind) {
    case ROW_JOINT: {
        double own = w->own_erp ? m->joints[info->owner].erp : 0.0;
        a->bias[r] = assembly_erp(own, w->erp_joint) / w->h * a->residual[r];
        if (w->carry != 0.0) {
            a->bias[r] += w->carry * rate.before;
        }
        break;
    }
    case ROW_MOTION: {
        const pawl_signal *f = &m->motions[info->owner].target;
        double step = pawl_signal_value(f, w->end) - pawl_signal_value(f, w->begin);
        double mean = w->at_end ? pawl_signal_rate(f, w->place_time) : step / w->h;
        a->bias[r] = share * a->residual[r] - mean;
        if (w->carry != 0.0) {
            a->bias[r] += w->carry * (rate.before - mean);
        }
        break;
    }
    case ROW_SOFT: {
        const pawl_coordinate_def *d = &m->joints[info->owner].coordinate[info->part];
        assembly_spring_damper(a, r, w, value - d->rest, rate, d->stiffness, d->damping,
                               d->armature);
        break;
    }
    case ROW_SPRING: {
        const pawl_spring_def *s = &m->springs[info->owner];
        assembly_spring_damper(a, r, w, value - s->rest_length, rate, s->stiffness, s->damping,
                               0.0);
        break;
    }
    case ROW_ACTUATOR:
        assembly_pose_actuator(a, r, info, w, value, rate);
        break;
    case ROW_FRICTION: {
        double loss = w->h * m->joints[info->owner].coordinate[info->part].friction;
        a->lower[r] = -loss;
        a->upper[r] = loss;
        a->bias[r] = w->carry != 0.0 ? w->carry * rate.before : 0.0;
        break;
    }
    case ROW_TORSION:
    case ROW_ROLLING:
    case ROW_CONTACT:
        break; // see assembly_add_contact_rows
    case ROW_LOWER:
    case ROW_UPPER: {
        double gap = assembly_gap(a, info);
        double own = m->joints[info->owner].coordinate[info->part].limit_erp;
        a->bias[r] = assembly_gap_bias(a, r, gap, assembly_erp(own, w->erp_limit), w->limit_push,
                                       pawl_gentle_push, w);
        if (held) {
            assembly_hold(a, r, pawl_gentle_push);
            a->bias[r] = w->carry * rate.before;
        }
        a->lower[r] = 0.0;
        break;
    }
    }
}

// Rate of row r of a block for the bodies' twists.
static double assembly_row_rate(const pawl_assembly *a, const row_block *b, int r,
                                const body_state *bodies)
{
    double rate = 0.0;
    for (int k = 0; k < b->body_count; ++k) {
        const double *row = assembly_row(a, b, k, r);
        const body_state *s = &bodies[b->body[k]];
        rate += row[0] * s->v.x + row[1] * s->v.y + row[2] * s->v.z + row[3] * s->w.x +
                row[4] * s->w.y + row[5] * s->w.z;
    }
    return rate;
}

// Rates of row r of a block; r < 0 for rows that ask for none.
static row_rates assembly_rates(const pawl_assembly *a, const row_block *b, int r,
                                const body_state *start, const step_weights *w)
{
    if (r < 0) {
        return (row_rates){0.0, 0.0};
    }
    double before = assembly_row_rate(a, b, r, start);
    return (row_rates){before, w->about == NULL ? before : assembly_row_rate(a, b, r, w->about)};
}

// Makes row r of a block soft: violation `value`, rate before the step.
static void assembly_soften(pawl_assembly *a, const row_block *b, int r, const pawl_softness *s,
                            double impedance, const step_weights *w, double value, double rate)
{
    double D = assembly_diagonal(a, b, r);
    soft_row row = pawl_softness_row(s, impedance, w->h, D, value, rate);
    a->compliance[b->rows.first_row + r] = row.compliance;
    a->bias[b->rows.first_row + r] = row.bias;
}

// The rows of a soft joint. The impedance is that of the length of its violation, so that it does
// not depend on the joint's axes.
static void assembly_soften_joint(pawl_assembly *a, const row_block *b, const body_state *start,
                                  const step_weights *w)
{
    const model_joint *j = &a->model->joints[b->joint];
    const pawl_softness *s = &a->joint_soft[b->joint];
    double square = 0.0;
    for (int r = 0; r < j->row_count; ++r) {
        double value = a->residual[b->rows.first_row + r];
        square += value * value;
    }
    double impedance = pawl_softness_impedance(s, sqrt(square));
    for (int r = 0; r < j->row_count; ++r) {
        assembly_soften(a, b, r, s, impedance, w, a->residual[b->rows.first_row + r],
                        assembly_row_rate(a, b, r, start));
    }
}

static const pawl_softness *assembly_limit_softness(const pawl_assembly *a, const row_info *info)
{
    const pawl_coordinate_def *d = &a->model->joints[info->owner].coordinate[info->part];
    return pawl_softness_choose(&d->limit_soft, &a->limit_soft);
}

static bool assembly_is_limit(const row_info *info)
{
    return info->kind == ROW_LOWER || info->kind == ROW_UPPER;
}

// How far a limit may be that a step of length h poses: wide, for a row too many costs little, one
// too few another solve.
static double assembly_limit_reach(double rate, double h)
{
    return h * (2.0 * fabs(rate) + 1.0);
}

// Where the Jacobian of block `index` goes: behind that of the block before it.
static int assembly_jacobian_after(const pawl_assembly *a, int index)
{
    if (index == 0) {
        return 0;
    }
    const row_block *last = &a->blocks[index - 1];
    return last->jacobian[last->body_count - 1] + 6 * last->rows.dim;
}

// Puts bounded row `info` behind the rows so far, as a block of its own.
static void assembly_add_bounded(pawl_assembly *a, const row_info *info, int joint)
{
    const model_joint *j = &a->model->joints[joint];
    int index = a->problem.block_count++, r = a->problem.row_count++;
    int jacobian = assembly_jacobian_after(a, index);
    row_block *b = &a->blocks[index];
    *b = (row_block){.rows = {r, 1}, .joint = joint};
    const int body[2] = {j->base, j->follower};
    for (int side = 0; side < 2; ++side) {
        if (body[side] >= 0) {
            b->body[b->body_count] = body[side];
            b->jacobian[b->body_count++] = jacobian;
            jacobian += 6;
        }
    }
    a->problem_blocks[index] = b->rows;
    a->rows[r] = *info;
    a->residual[r] = 0.0;
    assembly_clear(a, b);
    assembly_add_coordinate(a, b, 0, j, &a->coordinates[info->coordinate],
                            info->kind == ROW_UPPER ? -1.0 : 1.0);
    assembly_scale_by_mass(a, b);
}

// Two tangents for a normal; any pair will do, but the same normal must give the same pair.
static void assembly_tangents(pawl_vec3 n, pawl_vec3 *t, pawl_vec3 *o)
{
    pawl_vec3 pick = fabs(n.x) < 0.6 ? v3(1, 0, 0) : v3(0, 1, 0);
    pawl_vec3 side = v3_axpy(pick, -v3_dot(pick, n), n);
    *t = v3_scale(1.0 / v3_norm(side), side);
    *o = v3_cross(n, *t);
}

// Puts a block of rows of contact k behind the rows so far: without bias or bounds, and the Jacobian
// still to be written.
static row_block *assembly_add_contact_rows(pawl_assembly *a, int k, row_kind kind, int part,
                                            int dim)
{
    int index = a->problem.block_count++, first = a->problem.row_count;
    a->problem.row_count += dim;
    int jacobian = assembly_jacobian_after(a, index);
    row_block *b = &a->blocks[index];
    *b = (row_block){.rows = {first, dim}, .joint = -1};
    const int body[2] = {a->contacts[k].body_a, a->contacts[k].body_b};
    for (int side = 0; side < 2; ++side) {
        if (body[side] >= 0) {
            b->body[b->body_count] = body[side];
            b->jacobian[b->body_count++] = jacobian;
            jacobian += 6 * dim;
        }
    }
    a->problem_blocks[index] = b->rows;
    for (int r = 0; r < dim; ++r) {
        a->rows[first + r] = (row_info){kind, k, part + r, -1, -1};
        a->compliance[first + r] = a->bias[first + r] = 0.0;
        a->want[first + r] = -INFINITY;
        a->lower[first + r] = -INFINITY;
        a->upper[first + r] = INFINITY;
        a->residual[first + r] = 0.0;
    }
    return b;
}

// A bounded row of contact k: spin of b against a about an axis. The bounds come with the impulses
// (spin_rows.c).
static void assembly_add_spin(pawl_assembly *a, int k, row_kind kind, int part, pawl_vec3 axis)
{
    const row_block *b = assembly_add_contact_rows(a, k, kind, part, 1);
    assembly_clear(a, b);
    for (int s = 0; s < b->body_count; ++s) {
        pawl_vec3 e = v3_scale(b->body[s] == a->contacts[k].body_b ? 1.0 : -1.0, axis);
        double *row = assembly_row(a, b, s, 0);
        row[3] = e.x, row[4] = e.y, row[5] = e.z;
    }
    assembly_scale_by_mass(a, b);
}

// Torsional and rolling friction of those contacts that have it, where a body can turn.
static void assembly_pose_spins(pawl_assembly *a)
{
    const pawl_model *m = a->model;
    for (int k = 0; k < a->contact_count; ++k) {
        const pawl_contact *in = &a->contacts[k];
        bool turns = (in->body_a >= 0 && m->bodies[in->body_a].kind == PAWL_BODY_RIGID) ||
                     (in->body_b >= 0 && m->bodies[in->body_b].kind == PAWL_BODY_RIGID);
        a->spin_row[k] = a->problem.row_count;
        if (turns && in->torsional > 0.0) {
            assembly_add_spin(a, k, ROW_TORSION, 0, in->normal);
        }
        if (turns && in->rolling > 0.0) {
            pawl_vec3 t, o;
            assembly_tangents(in->normal, &t, &o);
            assembly_add_spin(a, k, ROW_ROLLING, 1, t);
            assembly_add_spin(a, k, ROW_ROLLING, 2, o);
        }
    }
    a->spin_row[a->contact_count] = a->problem.row_count;
}

// The normal of a soft contact and, where asked for, its tangents: without a violation of their own they
// share the impedance, and one compliance, so that friction is the same in all directions.
static void assembly_soften_contact(pawl_assembly *a, const row_block *b, const pawl_contact *in,
                                    const body_state *start, const step_weights *w)
{
    const pawl_softness *s = &in->soft;
    double impedance = pawl_softness_impedance(s, in->gap);
    assembly_soften(a, b, 2, s, impedance, w, in->gap, assembly_row_rate(a, b, 2, start));
    if (!w->soft_friction) {
        return;
    }
    double *compliance = a->compliance + b->rows.first_row;
    for (int r = 0; r < 2; ++r) {
        assembly_soften(a, b, r, s, impedance, w, 0.0, assembly_row_rate(a, b, r, start));
    }
    compliance[0] = compliance[1] = 0.5 * (compliance[0] + compliance[1]);
}

// Rows of contact k: velocity of b against a at the point, along two tangents and the normal; `dim` is 3,
// or 1 for the normal alone.
static const row_block *assembly_add_contact(pawl_assembly *a, int k, int dim)
{
    const pawl_contact *in = &a->contacts[k];
    const row_block *b = assembly_add_contact_rows(a, k, ROW_CONTACT, 3 - dim, dim);
    pawl_vec3 axis[3];
    axis[2] = in->normal;
    assembly_tangents(in->normal, &axis[0], &axis[1]);
    for (int s = 0; s < b->body_count; ++s) {
        double sign = b->body[s] == in->body_b ? 1.0 : -1.0;
        pawl_vec3 lever = v3_sub(in->position, a->bodies[b->body[s]].r);
        for (int r = 0; r < dim; ++r) {
            pawl_vec3 e = v3_scale(sign, axis[3 - dim + r]), c = v3_cross(lever, e);
            double *row = assembly_row(a, b, s, r);
            row[0] = e.x, row[1] = e.y, row[2] = e.z, row[3] = c.x, row[4] = c.y, row[5] = c.z;
        }
    }
    assembly_scale_by_mass(a, b);
    return b;
}

// What a contact may be pushed at by the velocities. Rows stand still for a step while bodies roll and turn,
// which lets them sink in by a share of h of their own motion each step. To take that back is part of the
// motion: without it rolling bodies would lose or gain energy at first order.
double pawl_assembly_gentle_push(const pawl_assembly *a, const pawl_contact *in,
                                 const body_state *start)
{
    const double share = 0.05; // of the speed; of its square in the energy
    const int body[2] = {in->body_a, in->body_b};
    pawl_vec3 v = v3(0.0, 0.0, 0.0), w = v3(0.0, 0.0, 0.0);
    double arm = INFINITY;
    for (int side = 0; side < 2; ++side) {
        if (body[side] >= 0) {
            const body_state *b = &start[body[side]];
            pawl_vec3 lever = v3_sub(in->position, a->bodies[body[side]].r);
            double sign = side == 0 ? -1.0 : 1.0;
            v = v3_axpy(v, sign, v3_add(b->v, v3_cross(b->w, lever)));
            w = v3_axpy(w, sign, b->w);
            arm = fmin(arm, v3_norm(lever));
        }
    }
    return pawl_gentle_push + share * (v3_norm(v) + arm * v3_norm(w));
}

static void assembly_pose_contact(pawl_assembly *a, int k, const body_state *start,
                                  const step_weights *w)
{
    const pawl_contact *in = &a->contacts[k];
    const row_block *b = assembly_add_contact(a, k, 3);
    a->friction[k] = in->friction;
    int normal = b->rows.first_row + 2;
    double gentle = pawl_assembly_gentle_push(a, in, start), gap = in->gap;
    double bias = assembly_gap_bias(a, normal, gap, assembly_erp(in->erp, w->erp_contact),
                                    w->max_push, gentle, w);
    if (in->held) {
        for (int r = 0; r < 3; ++r) {
            a->bias[b->rows.first_row + r] = w->carry * assembly_row_rate(a, b, r, start);
        }
        assembly_hold(a, normal, gentle);
        return;
    }
    a->bias[normal] = bias; // contacts that bounce have done so before (step/impact.c)
    if (pawl_is_soft(&in->soft)) {
        assembly_soften_contact(a, b, in, start, w);
        a->want[normal] = -INFINITY;
    }
}

void pawl_assembly_set_contacts(pawl_assembly *a, const pawl_contact *contacts, int count)
{
    PAWL_ASSERT(count <= a->max_contacts);
    a->contacts = contacts;
    a->contact_count = count;
}

// In reduced coordinates some rows move nothing.
static void assembly_ease(pawl_assembly *a, int first_row)
{
    if (a->form != NULL) {
        pawl_reduced_form_ease(a->form, first_row, a);
    }
}

void pawl_assembly_pose_problem(pawl_assembly *a, const body_state *start, const double *u_free,
                                const step_weights *w, bool again)
{
    pawl_problem *p = &a->problem;
    *p = (pawl_problem){.row_count = a->free_rows,
                        .free_row_count = a->free_rows,
                        .block_count = a->free_blocks,
                        .free_block_count = a->free_blocks,
                        .blocks = a->problem_blocks,
                        .v_f = a->v_f,
                        .lower = a->lower,
                        .upper = a->upper,
                        .compliance = a->compliance,
                        .factor_key = 2 * a->placements + a->has_soft_rows,
                        .place_key = a->placements,
                        .delassus = p->delassus};
    a->bent = 0;
    for (int k = 0; k < a->free_blocks; ++k) {
        const row_block *b = &a->blocks[k];
        int first = b->rows.first_row;
        for (int r = 0; r < b->rows.dim; ++r) {
            bool hard = a->rows[first + r].kind <= ROW_MOTION;
            bool rated = !hard || w->carry != 0.0;
            assembly_pose_row(a, first + r, w, assembly_rates(a, b, rated ? r : -1, start, w),
                              false);
        }
        if (b->joint >= 0 && a->joint_rows[b->joint] > 0 &&
            pawl_is_soft(&a->joint_soft[b->joint])) {
            assembly_soften_joint(a, b, start, w);
        }
        for (int r = 0; r < b->rows.dim && b->joint < 0 && w->carries != 0.0; ++r) {
            assembly_bend_spring(a, b, r, w);
        }
    }
    for (int k = 0; k < a->candidate_count; ++k) {
        const row_info *info = &a->candidates[k];
        int joint =
            info->kind == ROW_ACTUATOR ? a->model->actuators[info->owner].joint : info->owner;
        if (again && !a->included[k]) {
            continue;
        }
        if (w->held_only && assembly_is_limit(info) && !a->held[k]) {
            a->included[k] = false;
            continue;
        }
        assembly_add_bounded(a, info, joint);
        row_rates rates = assembly_rates(a, &a->blocks[p->block_count - 1], 0, start, w);
        double rate = rates.before;
        if (!again && assembly_is_limit(info) && !a->held[k]) {
            const coordinate_row *g = &a->coordinates[info->coordinate];
            double ahead = fabs(pawl_assembly_coordinate_rate(a, joint, g, u_free));
            // A soft limit slows down what is beyond it, and stops nothing before.
            bool soft = pawl_is_soft(assembly_limit_softness(a, info));
            double reach = soft ? 0.0 : assembly_limit_reach(max_of(fabs(rate), ahead), w->h);
            a->included[k] = soft ? assembly_gap(a, info) < 0.0 : assembly_gap(a, info) <= reach;
            if (!a->included[k]) {
                --p->block_count;
                --p->row_count;
                continue;
            }
        }
        a->included[k] = true;
        assembly_pose_row(a, p->row_count - 1, w, rates, a->held[k]);
        if (assembly_is_limit(info) && pawl_is_soft(assembly_limit_softness(a, info))) {
            const pawl_softness *s = assembly_limit_softness(a, info);
            double gap = assembly_gap(a, info);
            assembly_soften(a, &a->blocks[p->block_count - 1], 0, s,
                            pawl_softness_impedance(s, gap), w, gap, rate);
            a->want[p->row_count - 1] = -INFINITY;
        }
    }
    a->slot_rows = p->row_count;
    if (a->model->spin_friction) {
        assembly_pose_spins(a);
    }
    p->contact_count = a->contact_count;
    p->friction = a->friction;
    for (int k = 0; k < a->contact_count; ++k) {
        assembly_pose_contact(a, k, start, w);
    }
    assembly_ease(a, 0);
    pawl_assembly_set_free_velocity(a, u_free);
}

void pawl_assembly_set_free_velocity(pawl_assembly *a, const double *u_free)
{
    pawl_assembly_row_velocity(a, u_free, a->v_f);
    for (int r = 0; r < a->problem.row_count; ++r) {
        a->v_f[r] += a->bias[r];
    }
}

int pawl_assembly_add_missed(pawl_assembly *a, const double *u, const step_weights *w)
{
    int missed = 0;
    for (int k = 0; k < a->candidate_count; ++k) {
        const row_info *info = &a->candidates[k];
        if (a->included[k] || !assembly_is_limit(info) ||
            pawl_is_soft(assembly_limit_softness(a, info))) {
            continue;
        }
        const coordinate_row *g = &a->coordinates[info->coordinate];
        double rate = pawl_assembly_coordinate_rate(a, info->owner, g, u);
        double closing = info->kind == ROW_LOWER ? -rate : rate;
        if (w->reach * closing > assembly_gap(a, info)) {
            a->included[k] = true;
            ++missed;
        }
    }
    return missed;
}

bool pawl_assembly_limit_is_near(const pawl_assembly *a, const double *u, double h)
{
    for (int k = 0; k < a->candidate_count; ++k) {
        const row_info *info = &a->candidates[k];
        if (assembly_is_limit(info)) {
            const coordinate_row *g = &a->coordinates[info->coordinate];
            double rate = pawl_assembly_coordinate_rate(a, info->owner, g, u);
            if (assembly_gap(a, info) <= assembly_limit_reach(rate, h)) {
                return true;
            }
        }
    }
    return false;
}

void pawl_assembly_pose_closure(pawl_assembly *a)
{
    pawl_problem *p = &a->problem;
    p->row_count = p->free_row_count = a->free_rows;
    p->contact_count = 0;
    p->block_count = p->free_block_count = a->free_blocks;
    p->blocks = a->problem_blocks;
    p->v_f = a->v_f;
    p->lower = a->lower;
    p->upper = a->upper;
    p->compliance = a->compliance;
    p->factor_key = 2 * a->placements;
    p->place_key = a->placements;
    // Against an inverse mass of 1e30 per kg a row does nothing that a double would notice.
    const double nothing = 1e30;
    for (int r = 0; r < a->free_rows; ++r) {
        bool hard = pawl_assembly_is_hard(a, r);
        a->lower[r] = -INFINITY;
        a->upper[r] = INFINITY;
        a->compliance[r] = hard ? 0.0 : nothing;
        a->v_f[r] = 0.0;
    }
    assembly_ease(a, 0);
}

double pawl_assembly_limit_gap(const pawl_assembly *a, int candidate)
{
    return assembly_gap(a, &a->candidates[candidate]);
}

bool pawl_assembly_is_limit(const pawl_assembly *a, int candidate)
{
    return assembly_is_limit(&a->candidates[candidate]);
}

bool pawl_assembly_limit_is_hard(const pawl_assembly *a, int candidate)
{
    const row_info *info = &a->candidates[candidate];
    return assembly_is_limit(info) && !pawl_is_soft(assembly_limit_softness(a, info));
}

void pawl_assembly_pose_grips(pawl_assembly *a, const row_grip *grips, int count, bool tangents)
{
    pawl_assembly_pose_closure(a);
    for (int i = 0; i < count; ++i) {
        if (grips[i].candidate >= 0) {
            const row_info *info = &a->candidates[grips[i].candidate];
            assembly_add_bounded(a, info, info->owner);
            a->compliance[a->problem.row_count - 1] = 0.0;
        } else {
            assembly_add_contact(a, grips[i].contact, tangents && grips[i].sticks ? 3 : 1);
        }
    }
    for (int r = a->free_rows; r < a->problem.row_count; ++r) {
        a->v_f[r] = 0.0;
    }
    assembly_ease(a, a->free_rows);
}

void pawl_assembly_pose_impact(pawl_assembly *a, const double *u, const bool *closed)
{
    pawl_problem *p = &a->problem;
    pawl_assembly_pose_closure(a);
    p->factor_key = -1 - a->placements; // armatures are not what a closure takes them for
    for (int k = 0; k < a->candidate_count; ++k) {
        if (closed[k]) {
            assembly_add_bounded(a, &a->candidates[k], a->candidates[k].owner);
            a->lower[p->row_count - 1] = 0.0;
            a->upper[p->row_count - 1] = INFINITY;
            a->compliance[p->row_count - 1] = 0.0;
        }
    }
    a->slot_rows = p->row_count;
    p->contact_count = a->contact_count;
    p->friction = a->friction;
    for (int k = 0; k < a->contact_count; ++k) {
        assembly_add_contact(a, k, 3);
        a->friction[k] = a->contacts[k].impact_friction;
    }
    assembly_ease(a, a->free_rows);
    memset(a->bias, 0, (size_t)p->row_count * sizeof *a->bias);
    pawl_assembly_row_velocity(a, u, a->v_f);
    for (int r = 0; r < a->free_rows; ++r) {
        const row_info *info = &a->rows[r];
        double armature = info->kind == ROW_SOFT
                              ? a->model->joints[info->owner].coordinate[info->part].armature
                              : 0.0;
        if (armature > 0.0) {
            a->compliance[r] = 1.0 / armature;
        }
        // A prescribed rate stays what it is; an armature resists its change.
        if (info->kind == ROW_MOTION || armature > 0.0) {
            a->bias[r] = -a->v_f[r];
        }
    }
    pawl_assembly_set_free_velocity(a, u);
}

void pawl_assembly_add_impulses(const pawl_assembly *a, const double *lambda, double *u)
{
    if (a->form != NULL) {
        pawl_reduced_form_add_impulses(a->form, a, lambda, u);
        return;
    }
    row_set all = pawl_row_set_all(a);
    pawl_row_set_add_impulses(&all, lambda, u);
}

void pawl_assembly_row_velocity(const pawl_assembly *a, const double *u, double *v)
{
    row_set all = pawl_row_set_all(a);
    pawl_row_set_velocity(&all, u, v);
}
