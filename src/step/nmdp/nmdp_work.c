// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Work of the forces over a stage: forces at its end times the displacement over which they act. Over a stage of
// implicit Euler, from X^ with V^ to X with V = (X - X^)/h, the inertial forces do the work  V.(V - V^) = |V|^2/2 -
// |V^|^2/2 + |V - V^|^2/2  (masses understood): the last term is the numerical damping, which makes the method
// stable; likewise k |X - X^|^2/2 of springs. Both count as work of dampers. The rest of the balance comes from the
// curvature of coordinates and potentials within a step, which is of higher order. Signs: work is positive where it
// adds energy to the bodies. `fraction` is the part of the path place -> now that the forces of the stage count for;
// 1 for implicit Euler.
#include "step/nmdp/nmdp.h"

// The rotation vector from one to the other, to third order.
static pawl_vec3 work_turn(const pawl_mat3 *from, const pawl_mat3 *to)
{
    pawl_mat3 turn = m3_product_transposed(to, from);
    return v3_scale(0.5, m3_axis(&turn));
}

// Force of the limits of coordinate k over the stage. mdp as published has that of the beginning.
static double work_limit_force(const nmdp *s, int k, const pawl_coordinate_def *d)
{
    double from = s->stage.place.theta[k], slope;
    return s->early_joints
               ? pawl_nmdp_limit_force(s, d, s->begin.theta[k], s->begin.theta[k], &slope)
               : pawl_nmdp_limit_force(s, d, from, s->now.theta[k], &slope);
}

// The work of limits that returned joints from beyond them: at the slow rate of their law.
double pawl_nmdp_limit_correction(const nmdp *s)
{
    double given = 0.0;
    for (int k = 0; k < s->n && !s->early_joints && s->settings->nmdp.push_out > 0.0; ++k) {
        const pawl_coordinate_def *d = pawl_nmdp_coordinate(s, k);
        if (d != NULL) {
            double path = s->now.theta[k] - s->stage.place.theta[k];
            given += fmax(0.0, work_limit_force(s, k, d) * path);
        }
    }
    return given;
}

// Springs store their energy and are not counted. With early_joints (mdp as published) forces are those of the
// beginning.
static void work_of_joints(const nmdp *s, double fraction, double *work)
{
    bool early = s->early_joints;
    const double *rate = early ? s->begin_rate.theta : s->now_rate.theta;
    for (int k = 0; k < s->n; ++k) {
        const pawl_coordinate_def *d = pawl_nmdp_coordinate(s, k);
        if (d != NULL) {
            double path = fraction * (s->now.theta[k] - s->stage.place.theta[k]);
            work[WORK_DAMPERS] -= d->damping * rate[k] * path;
            work[WORK_LIMITS] += work_limit_force(s, k, d) * path;
        }
    }
    for (int i = 0; i < s->model->actuator_count; ++i) {
        int k = s->actuator_column[i];
        work[WORK_ACTUATORS] +=
            fraction * s->effort[i] * (s->now.theta[k] - s->stage.place.theta[k]);
    }
}

// Damping forces are those of the mean velocity of the stage, path/h and turn/h.
static void work_of_body_damping(const nmdp *s, double fraction, double *work)
{
    for (int i = 0; i < s->links; ++i) {
        const model_body *b = &s->model->bodies[s->tree->links[i].body];
        const nmdp_body *from = &s->stage.place.bodies[i], *to = &s->now.bodies[i];
        if (s->tree->links[i].driven) {
            continue;
        }
        pawl_vec3 path = v3_sub(to->r, from->r), turn = work_turn(&from->R, &to->R);
        work[WORK_DAMPERS] -=
            fraction / s->stage.h *
            (b->linear_damping * v3_dot(path, path) + b->angular_damping * v3_dot(turn, turn));
    }
}

static void work_of_forces(const nmdp *s, double fraction, double *work)
{
    for (int i = 0; i < s->model->force_count; ++i) {
        const pawl_force_def *d = &s->model->forces[i];
        int link = s->tree->link_of_body[pawl_body_index(d->body)];
        const nmdp_body *from = &s->stage.place.bodies[link], *to = &s->now.bodies[link];
        pawl_vec3 force, torque;
        pawl_nmdp_applied(s, d, &to->R, &force, &torque);
        pawl_vec3 arm = v3_sub(d->point, s->model->bodies[pawl_body_index(d->body)].com);
        pawl_vec3 path =
            v3_sub(v3_add(to->r, m3_mul(&to->R, arm)), v3_add(from->r, m3_mul(&from->R, arm)));
        work[WORK_FORCES] +=
            fraction * (v3_dot(force, path) + v3_dot(torque, work_turn(&from->R, &to->R)));
    }
}

// Of a force at an anchor of a link, and a moment, over the stage.
static double work_of_wrench(const nmdp *s, int link, pawl_vec3 anchor, pawl_vec3 force,
                             pawl_vec3 moment)
{
    const nmdp_body *from = &s->stage.place.bodies[link], *to = &s->now.bodies[link];
    pawl_vec3 path =
        v3_sub(v3_add(to->r, m3_mul(&to->R, anchor)), v3_add(from->r, m3_mul(&from->R, anchor)));
    return v3_dot(force, path) + v3_dot(moment, work_turn(&from->R, &to->R));
}

// The same where rates of coordinates are what the stage integrates: its power at the end times h, as that of inertia and
// joints is counted. The chord of a point that moves on a circle is another path, and an impact on it would leave a part
// of its work unexplained that is proportional to the angle of the step. The links are placed at the end.
static double work_along_path(const nmdp *s, int link, pawl_vec3 at, pawl_vec3 force,
                              pawl_vec3 moment)
{
    double done = 0.0;
    for (int k = s->tree->links[link].last_column; k >= 0; k = s->tree->columns[k].parent) {
        pawl_twist column = pawl_reduced_column_at(s->motion, k, at);
        double along = v3_dot(column.linear, force) + v3_dot(column.angular, moment);
        done += along * (s->now.theta[k] - s->stage.place.theta[k]);
    }
    return done;
}

// On both bodies of a pair: of the other body the material point that is at the contact at the end.
static void work_of_contacts(const nmdp *s, double fraction, double *work)
{
    // mdp has its links where the step began.
    bool coordinates = s->settings->stepper == PAWL_STEPPER_NMDP && !nmdp_in_space(s);
    for (int i = 0; i < s->points; ++i) {
        const nmdp_point *p = &s->point[i];
        if (!p->touching) {
            continue;
        }
        double f[6];
        pawl_nmdp_point_wrench(s, i, s->w, f);
        pawl_vec3 force = v3(f[0], f[1], f[2]), moment = v3(f[3], f[4], f[5]);
        double done;
        if (coordinates) {
            done = work_along_path(s, p->link, s->frame[i].position, force, moment);
            if (p->pair) {
                done -= work_along_path(s, p->other_link, s->frame[i].position, force, moment);
            }
            work[WORK_CONTACTS] += fraction * done;
            continue;
        }
        done = work_of_wrench(s, p->link, p->anchor, force, moment);
        if (p->pair) { // what of the other body is there
            const nmdp_body *own = &s->now.bodies[p->link], *other = &s->now.bodies[p->other_link];
            pawl_vec3 at = v3_add(own->r, m3_mul(&own->R, p->anchor));
            done -= work_of_wrench(s, p->other_link, m3_tmul(&other->R, v3_sub(at, other->r)),
                                   force, moment);
        }
        work[WORK_CONTACTS] += fraction * done;
    }
}

void pawl_nmdp_count_work(const nmdp *s, double fraction, double *work)
{
    work_of_joints(s, fraction, work);
    work_of_body_damping(s, fraction, work);
    work_of_forces(s, fraction, work);
    work_of_contacts(s, fraction, work);
    work[WORK_FRICTION] += fraction * pawl_nmdp_friction_work(s);
    work[WORK_MOTION] += fraction * pawl_nmdp_motion_work(s);
    pawl_nmdp_loop_work(s, fraction, work);
}

// pbd: second differences of all points, tr((V - V^) S (V - V^)T)/2 of the turning ones.
static double work_loss_in_space(const nmdp *s, int link)
{
    const nmdp_body *from = &s->begin_rate.bodies[link], *to = &s->now_rate.bodies[link];
    pawl_vec3 change = v3_sub(to->r, from->r);
    double loss = 0.5 * s->model->bodies[s->tree->links[link].body].mass * v3_dot(change, change);
    if (s->settings->nmdp.dynamics == PAWL_NMDP_PBD_RIGID) { // spins that change
        const pawl_mat3 *R = &s->now.bodies[link].R;
        pawl_vec3 before, after;
        pawl_nmdp_spin(&from->R, &s->begin.bodies[link].R, &before);
        pawl_nmdp_spin(&to->R, R, &after);
        pawl_vec3 own = m3_tmul(R, v3_sub(after, before));
        const pawl_mat3 *inertia = &s->model->bodies[s->tree->links[link].body].inertia;
        return loss + 0.5 * v3_dot(own, m3_mul(inertia, own));
    }
    for (int r = 0; r < 3; ++r) {
        pawl_vec3 row = v3(to->R.m[r][0] - from->R.m[r][0], to->R.m[r][1] - from->R.m[r][1],
                           to->R.m[r][2] - from->R.m[r][2]);
        loss += 0.5 * v3_dot(row, m3_mul(&s->second[link], row));
    }
    return loss;
}

// ne: coordinates accelerate, (theta' - theta'^)T H (theta' - theta'^)/2 with H at the end. A wheel that
// turns evenly loses nothing, though all its points accelerate.
static double work_loss_in_coordinates(const nmdp *s, int link)
{
    const model_body *b = &s->model->bodies[s->tree->links[link].body];
    pawl_vec3 linear = v3(0.0, 0.0, 0.0), angular = linear;
    for (int k = s->tree->links[link].last_column; k >= 0; k = s->tree->columns[k].parent) {
        double change = s->now_rate.theta[k] - s->begin_rate.theta[k];
        pawl_twist column = pawl_reduced_column_at(s->motion, k, s->motion->position[link]);
        linear = v3_axpy(linear, change, column.linear);
        angular = v3_axpy(angular, change, column.angular);
    }
    pawl_vec3 own = m3_tmul(&s->motion->rotation[link], angular);
    return 0.5 * (b->mass * v3_dot(linear, linear) + v3_dot(own, m3_mul(&b->inertia, own)));
}

// From begin to now, once for each part by implicit Euler. The second-order method has a loss of higher order,
// which is not counted.
void pawl_nmdp_count_loss(const nmdp *s, double *work)
{
    double loss = pawl_nmdp_loop_loss(s),
           springs = s->early_joints ? -1.0 : 1.0; // early forces give, late ones take
    for (int k = 0; k < s->n; ++k) {
        const pawl_coordinate_def *d = pawl_nmdp_coordinate(s, k);
        if (d != NULL) {
            double change = s->now_rate.theta[k] - s->begin_rate.theta[k];
            double path = s->now.theta[k] - s->begin.theta[k];
            loss += 0.5 * (d->armature * change * change + springs * d->stiffness * path * path);
        }
    }
    for (int i = 0; i < s->links; ++i) {
        if (!s->tree->links[i].driven) {
            loss += nmdp_in_space(s) ? work_loss_in_space(s, i) : work_loss_in_coordinates(s, i);
        }
    }
    work[WORK_DAMPERS] -= loss;
}
