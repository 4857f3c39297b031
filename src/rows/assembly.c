// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The placement of rows at a configuration: inertias with the damping of the step, joint coordinates, Jacobians
// and residuals. Frames of joints are computed once for all rows of a joint's block.
#include "math/numbers.h"
#include "rows/body_lanes.h"
#include "rows/families.h"
#include "rows/hinge_lanes.h"
#include "rows/row_build.h"
#include "rows/row_set.h"
#include <string.h>

// The weight of the rate after the step in a damping force -c (theta u+ + (1 - theta) u-), for a body that nothing
// else acts on. With 1/m = inverse_mass the step is u+ = (1 - (1 - theta) s) / (1 + theta s) u-, s = h c / m. Its
// numerator changes sign at (1 - theta) s = 1: beyond it the explicit half alone would reverse the motion, and a body
// on a stiff damper would swing instead of stopping. theta = 1 - 1/s makes the numerator 0 there, so that the damper
// brings the body to rest in one step, and is continuous with the given theta at that place.
static double assembly_damping_theta(const pawl_assembly *a, double h, double damping,
                                     double inverse_mass)
{
    double theta = a->body_theta, stiff = h * damping * inverse_mass;
    return a->bends_theta && (1.0 - theta) * stiff > 1.0 ? 1.0 - 1.0 / stiff : theta;
}

double pawl_assembly_linear_theta(const pawl_assembly *a, int i, double h)
{
    const model_body *b = &a->model->bodies[i];
    return assembly_damping_theta(a, h, b->linear_damping, b->inverse_mass);
}

double pawl_assembly_angular_theta(const pawl_assembly *a, int i, double h)
{
    const model_body *b = &a->model->bodies[i];
    const pawl_mat3 *inverse = &b->inverse_inertia;
    // The lightest axis decides: the largest diagonal entry, which is the largest eigenvalue in principal axes.
    double inverse_mass = max_of(inverse->m[0][0], max_of(inverse->m[1][1], inverse->m[2][2]));
    return assembly_damping_theta(a, h, b->angular_damping, inverse_mass);
}

// Inverse inertias in world axes. Damping acts implicitly, so that it is inertia: (m + theta h c) u+ = ..., and the
// same for rotation. damping_time is theta h for bodies whose theta is that of all; the others get their own (above).
static void assembly_place_bodies(pawl_assembly *a, double damping_time)
{
    double h = damping_time / a->body_theta;
    const pawl_model *m = a->model;
    pawl_bodies_turn_inertias(m, a->bodies, a->rotation, a->inverse_inertia);
    for (int i = 0; i < m->body_count; ++i) {
        const model_body *b = &m->bodies[i];
        a->inverse_mass[i] = b->inverse_mass;
        if (!a->has_damping) {
            continue;
        }
        if (b->linear_damping > 0.0 && b->mass > 0.0) {
            double theta = pawl_assembly_linear_theta(a, i, h);
            double time = theta == a->body_theta ? damping_time : theta * h;
            a->inverse_mass[i] = 1.0 / (b->mass + time * b->linear_damping);
        }
        if (b->kind == PAWL_BODY_RIGID && b->angular_damping > 0.0) {
            pawl_mat3 damped = b->inertia;
            double theta = pawl_assembly_angular_theta(a, i, h);
            double time = theta == a->body_theta ? damping_time : theta * h;
            for (int k = 0; k < 3; ++k) {
                damped.m[k][k] += time * b->angular_damping;
            }
            pawl_mat3 inverse = m3_inverse(&damped);
            a->inverse_inertia[i] = m3_congruence(&a->rotation[i], &inverse);
        }
    }
}

// Coordinates of a joint: values, and gradients where wanted.
// Angles are known up to full turns; `reference` (coordinates) has those of the last step, and the nearest turn is
// taken.
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

// Where the gradients of a joint's rows go. A joint to the world has one body and one Jacobian: rows for the base are
// written to `spare`, which is never read.
static void assembly_joint_jacobians(const pawl_assembly *a, const model_joint *j,
                                     const row_block *b, double spare[6][6], double (**base)[6],
                                     double (**follower)[6])
{
    *base = j->base >= 0 ? (double(*)[6])pawl_row_jacobian(a, b, 0, 0) : spare;
    *follower = (double(*)[6])pawl_row_jacobian(a, b, b->body_count - 1, 0);
}

// Rows along the coordinates of a joint, behind its own.
static void assembly_place_coordinate_rows(pawl_assembly *a, int index, double (*base)[6],
                                           double (*follower)[6])
{
    const row_block *b = &a->blocks[a->joint_block[index]];
    bool moves = a->model->joints[index].base >= 0;
    for (int r = a->joint_rows[index]; r < b->rows.dim; ++r) {
        const coordinate_row *g = &a->coordinates[a->rows[b->rows.first_row + r].coordinate];
        memcpy(base[moves ? r : 0], g->base, sizeof g->base);
        memcpy(follower[r], g->follower, sizeof g->follower);
    }
}

// Rows of an isotropic spring, damper and armature are along the relative spin instead. -k rho is the torque of either,
// because rho is an eigenvector of its rate's matrix.
static void assembly_place_spins(const pawl_assembly *a, int index, const joint_frames *frames,
                                 double (*base)[6], double (*follower)[6])
{
    const model_joint *j = &a->model->joints[index];
    const row_block *b = &a->blocks[a->joint_block[index]];
    for (int r = a->joint_rows[index]; r < b->rows.dim; ++r) {
        const row_info *info = &a->rows[b->rows.first_row + r];
        int axis = info->part - j->isotropic_from;
        if (axis >= 0 && info->family == &pawl_coordinate_rows_family) {
            pawl_joint_spin(frames, axis, base[j->base >= 0 ? r : 0], follower[r]);
        }
    }
}

// Jacobian and residual of a joint's block: its own rows, then rows along its coordinates (springs, actuators without
// an effort limit, prescribed motions), which need nothing but the gradients that were computed with the coordinates.
static void assembly_place_joint(pawl_assembly *a, int index, const double *reference)
{
    const model_joint *j = &a->model->joints[index];
    joint_frames frames;
    if (a->joint_grouped[index]) { // placed already
        return;
    }
    pawl_joint_frames(j, a->bodies, a->rotation, &frames);
    assembly_place_coordinates(a, j, &frames, reference, true);
    if (a->joint_block[index] < 0) {
        return;
    }
    const row_block *b = &a->blocks[a->joint_block[index]];
    double spare[6][6], (*base)[6], (*follower)[6];
    assembly_joint_jacobians(a, j, b, spare, &base, &follower);
    // A screw couples displacement and angle: displacement - pitch * angle, with the angle counted over full turns.
    double angle = j->kind == PAWL_JOINT_SCREW ? a->coordinates[j->first_coordinate].value : 0.0;
    if (a->joint_rows[index] > 0) {
        pawl_joint_rows(j, &frames, angle, a->residual + b->rows.first_row, base, follower);
    }
    assembly_place_coordinate_rows(a, index, base, follower);
    if (j->isotropic_from >= 0) {
        assembly_place_spins(a, index, &frames, base, follower);
    }
}

// q - gear(p), of the driven coordinate q and the driving one p, both with their turns counted.
static double assembly_gear_residual(const pawl_assembly *a, const pawl_gear_def *g)
{
    const model_joint *joints = a->model->joints;
    double q =
        a->coordinates[joints[pawl_joint_index(g->joint)].first_coordinate + g->coordinate].value;
    double p = a->coordinates[joints[pawl_joint_index(g->source_joint)].first_coordinate +
                              g->source_coordinate]
                   .value;
    return q - gear_value(g, p);
}

// A gear is one row over the bodies of two joints, up to four. Its gradient is the difference of two coordinates'
// gradients; a body that both joints have gets the sum.
static void assembly_place_gear(pawl_assembly *a, int index)
{
    const pawl_model *m = a->model;
    const row_block *b = &a->blocks[a->joint_block[index]];
    const pawl_gear_def *g = &m->joints[index].gear;
    const model_joint *driven = &m->joints[pawl_joint_index(g->joint)],
                      *source = &m->joints[pawl_joint_index(g->source_joint)];
    const coordinate_row *q = &a->coordinates[driven->first_coordinate + g->coordinate];
    const coordinate_row *p = &a->coordinates[source->first_coordinate + g->source_coordinate];
    pawl_row_clear(a, b);
    pawl_row_add_coordinate(a, b, 0, driven, q, 1.0);
    pawl_row_add_coordinate(a, b, 0, source, p, -gear_slope(g, p->value));
    a->residual[b->rows.first_row] = assembly_gear_residual(a, g);
}

// For Newton steps on positions with an old Jacobian: no gradients, no M^-1 JT.
void pawl_assembly_place_residuals(pawl_assembly *a, const body_state *bodies,
                                   const double *reference, double t)
{
    const pawl_model *m = a->model;
    pawl_bodies_rotate(m, bodies, a->rotation);
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
    pawl_motion_rows_place(a, t);
}

// Cheaper than pawl_assembly_place_residuals(): no joint coordinates, which only screws, gears, motions and armatures need
// for their residuals.
void pawl_assembly_measure_closure(pawl_assembly *a, const body_state *bodies,
                                   const double *reference, double t)
{
    const pawl_model *m = a->model;
    if (a->has_rows_by_value) {
        pawl_assembly_place_residuals(a, bodies, reference, t);
        return;
    }
    pawl_bodies_rotate(m, bodies, a->rotation);
    pawl_hinges_measure(a, bodies);
    for (int i = 0; i < m->joint_count; ++i) {
        if (a->joint_rows[i] > 0 && !a->joint_grouped[i]) {
            pawl_joint_residuals(&m->joints[i], bodies, a->rotation,
                                 a->residual + a->blocks[a->joint_block[i]].rows.first_row);
        }
    }
}

// Order matters: gears need the coordinates of their joints, and the metric must know its inertias before blocks
// are scaled by it.
void pawl_assembly_place(pawl_assembly *a, const body_state *bodies, const double *reference,
                         double t, double damping_time)
{
    const pawl_model *m = a->model;
    a->bodies = bodies;
    ++a->placements;
    assembly_place_bodies(a, damping_time);
    if (a->metric->ops->place != NULL) {
        a->metric->ops->place(a->metric, bodies, reference, t, damping_time);
    }
    // Rows of bodies that move for themselves are scaled with their group.
    bool alone = a->metric == &pawl_body_metric;
    pawl_hinges_place(a, bodies, reference, alone ? HINGE_SCALED : HINGE_JACOBIANS);
    a->has_grams = alone;
    for (int i = 0; i < m->joint_count; ++i) {
        if (m->joints[i].kind == PAWL_JOINT_GEAR) {
            assembly_place_gear(a, i); // its joints come before it
        } else {
            assembly_place_joint(a, i, reference);
        }
    }
    for (int k = 0; k < a->free_blocks; ++k) {
        const row_block *b = &a->blocks[k];
        if (b->family->place != NULL) {
            b->family->place(a, b);
        }
        if (!(alone && b->joint >= 0 && a->joint_grouped[b->joint])) {
            a->metric->ops->scale_block(a->metric, a, b);
        }
    }
    pawl_motion_rows_place(a, t);
    a->problem.block_count = a->free_blocks; // bounded rows come with the problem
}

// For models whose free rows are those of joints alone, none of them by values of coordinates.
void pawl_assembly_place_joints(pawl_assembly *a, const body_state *bodies, double damping_time,
                                bool scaled)
{
    const pawl_model *m = a->model;
    a->bodies = bodies;
    ++a->placements;
    assembly_place_bodies(a, damping_time);
    pawl_hinges_place(a, bodies, NULL, scaled ? HINGE_SCALED : HINGE_BY_GROUP);
    a->has_grams = scaled;
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        if (a->joint_rows[i] > 0 && !a->joint_grouped[i]) {
            const row_block *b = &a->blocks[a->joint_block[i]];
            joint_frames frames;
            double spare[6][6], (*base)[6], (*follower)[6];
            assembly_joint_jacobians(a, j, b, spare, &base, &follower);
            pawl_joint_frames(j, bodies, a->rotation, &frames);
            pawl_joint_rows(j, &frames, 0.0, a->residual + b->rows.first_row, base, follower);
            if (scaled) {
                a->metric->ops->scale_block(a->metric, a, b);
            }
        }
    }
}

void pawl_assembly_scale_block(pawl_assembly *a, int block)
{
    a->metric->ops->scale_block(a->metric, a, &a->blocks[block]);
    a->has_grams = false;
}

// The rate of a coordinate is its gradient times the twists of its two bodies; the world has none.
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

void pawl_assembly_set_contacts(pawl_assembly *a, const pawl_contact *contacts, int count)
{
    PAWL_ASSERT(count <= a->max_contacts);
    a->contacts = contacts;
    a->contact_count = count;
}

void pawl_assembly_add_impulses(const pawl_assembly *a, const double *lambda, double *u)
{
    a->metric->ops->add_impulses(a->metric, a, lambda, u);
}

void pawl_assembly_push(const pawl_assembly *a, const double *lambda, double *force, double *u)
{
    pawl_numbers_set(force, (size_t)(6 * a->model->body_count), 0.0);
    pawl_hinges_add_forces(a, lambda, force);
    pawl_row_set_add_loose_forces(a, lambda, force);
    pawl_bodies_push(a->model->body_count, a->inverse_mass, a->inverse_inertia, force, u);
}

void pawl_assembly_joint_velocity(const pawl_assembly *a, const double *u, double *v)
{
    pawl_hinges_velocity(a, u, v);
    pawl_row_set_loose_velocity(a, u, v);
}

void pawl_assembly_row_velocity(const pawl_assembly *a, const double *u, double *v)
{
    row_set all = pawl_row_set_all(a);
    pawl_row_set_velocity(&all, u, v);
}
