// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Forces other than contacts and inertia: actuators (stable PD: position and rate at the end of the step, Tan, Liu
// and Turk 2011), joint springs, dampers and limits, applied forces, springs between points, body damping. All are
// evaluated at the end of the stage, so G includes their stiffness and damping. Signs: forces act on the coordinate
// or body; G gets their negative, and `matrix` minus their derivative by theta. Rates are those of the stage, (theta
// - theta^)/h, so a damper d adds d/h to the matrix.
#include "step/nmdp/nmdp.h"

// Springs, dampers, limits and friction of a joint are given by coordinate; column k of the tree is at most one of
// them.
const pawl_coordinate_def *pawl_nmdp_coordinate(const nmdp *s, int k)
{
    const reduced_column *c = &s->tree->columns[k];
    if (c->coordinate < 0) {
        return NULL;
    }
    const model_joint *j = &s->model->joints[s->tree->links[c->link].joint];
    return &j->coordinate[c->coordinate - j->first_coordinate];
}

// Rate of the stage, which is that at its end [m/s or rad/s].
static double forces_rate(const nmdp *s, const double *theta, int k)
{
    return (theta[k] - s->stage.place.theta[k]) / s->stage.h;
}

// Force [N or N m] along coordinate k and its derivative by theta_k.
static void forces_add(nmdp *s, int k, double force, double slope, double *G, double *matrix)
{
    G[k] -= force;
    if (matrix != NULL) {
        matrix[(size_t)k * (size_t)s->n + (size_t)k] -= slope;
    }
}

// Computed once for a stage, because every iteration of Newton's method uses them.
void pawl_nmdp_read_targets(nmdp *s)
{
    for (int i = 0; i < s->model->actuator_count; ++i) {
        s->target[i] = pawl_signal_value(&s->model->actuators[i].target, s->stage.target_time);
    }
}

// Force that an actuator asks for, without its limit, and its derivative by the coordinate.
static double forces_demand(const nmdp *s, int i, const double *theta, double *slope)
{
    const pawl_actuator_def *d = &s->model->actuators[i];
    int k = s->actuator_column[i];
    double target = s->target[i];
    *slope = 0.0;
    if (d->kind == PAWL_ACTUATOR_POSITION) {
        *slope = -d->stiffness - d->damping / s->stage.h;
        return d->stiffness * (target - theta[k]) - d->damping * forces_rate(s, theta, k);
    }
    if (d->kind == PAWL_ACTUATOR_VELOCITY) {
        *slope = -d->damping / s->stage.h;
        return d->damping * (target - forces_rate(s, theta, k));
    }
    return target;
}

// What it gives in its present mode. At its limit it is a constant force: the slope vanishes as well, or Newton's
// method would follow a force that is not there.
static double forces_actuator(const nmdp *s, int i, const double *theta, double *slope)
{
    double demand = forces_demand(s, i, theta, slope);
    if (s->saturated[i] == 0) {
        return demand;
    }
    *slope = 0.0;
    return (double)s->saturated[i] * s->model->actuators[i].effort;
}

static signed char forces_mode(double demand, double effort)
{
    return (signed char)(demand > effort ? 1 : demand < -effort ? -1 : 0);
}

void pawl_nmdp_guess_saturation(nmdp *s, const double *theta)
{
    for (int i = 0; i < s->model->actuator_count; ++i) {
        double slope;
        s->saturated[i] =
            forces_mode(forces_demand(s, i, theta, &slope), s->model->actuators[i].effort);
    }
}

// Released actuators follow their law first, even where that asks for the opposite limit: with one limit and the other
// in turn nothing would be between.
static signed char forces_next_mode(const nmdp *s, int i, const double *theta, double *off)
{
    double slope, demand = forces_demand(s, i, theta, &slope);
    double effort = s->model->actuators[i].effort;
    signed char mode = forces_mode(demand, effort), now = s->saturated[i];
    *off = fabs(fabs(demand) - effort);
    if (mode == now ||
        *off <= 1e-9 * effort) { // what lies on its limit after rounding keeps its mode
        return now;
    }
    return (signed char)(now != 0 ? 0 : mode);
}

int pawl_nmdp_update_saturation(nmdp *s, const double *theta, bool one)
{
    int changed = 0, worst = -1;
    double most = 0.0, off;
    for (int i = 0; i < s->model->actuator_count; ++i) {
        signed char mode = forces_next_mode(s, i, theta, &off);
        if (mode == s->saturated[i]) {
            continue;
        }
        ++changed;
        if (off > most) {
            most = off;
            worst = i;
        }
        s->saturated[i] = one ? s->saturated[i] : mode;
    }
    if (one && worst >= 0) {
        s->saturated[worst] = forces_next_mode(s, worst, theta, &off);
    }
    return changed;
}

// Beyond a limit by d: k (d + d'/r)^2 back, d' = (d - d^)/h, k nmdp.limit_stiffness and r nmdp.push_out. It is k d^2 at
// rest and smooth where it begins; no force is left to come back faster than at the rate r, so that a joint that begins
// beyond its limits, or runs against one, gets no energy from it.
static double forces_beyond(const nmdp *s, double from, double to, double *slope)
{
    double rate = s->settings->nmdp.push_out, k = s->settings->nmdp.limit_stiffness;
    double damper = rate > 0.0 ? 1.0 / (rate * s->stage.h) : 0.0;
    double felt = to + damper * (to - fmax(0.0, from));
    if (!(to > 0.0 && felt > 0.0)) {
        return 0.0;
    }
    *slope = -2.0 * k * felt * (1.0 + damper);
    return k * felt * felt;
}

double pawl_nmdp_limit_force(const nmdp *s, const pawl_coordinate_def *d, double from, double theta,
                             double *slope)
{
    *slope = 0.0;
    double below = forces_beyond(s, d->lower - from, d->lower - theta, slope);
    return below - forces_beyond(s, from - d->upper, theta - d->upper, slope);
}

// Also keeps the efforts of actuators, for the report and for the energy balance.
static void forces_of_joints(nmdp *s, const double *theta, double *G, double *matrix)
{
    for (int k = 0; k < s->n; ++k) {
        const pawl_coordinate_def *d = pawl_nmdp_coordinate(s, k);
        if (d == NULL) {
            continue;
        }
        double from = s->early_joints ? theta[k] : s->stage.place.theta[k], slope;
        double force = pawl_nmdp_limit_force(s, d, from, theta[k], &slope);
        force -= d->stiffness * (theta[k] - d->rest) + d->damping * forces_rate(s, theta, k);
        forces_add(s, k, force, slope - d->stiffness - d->damping / s->stage.h, G, matrix);
    }
    for (int i = 0; i < s->model->actuator_count; ++i) {
        double slope;
        s->effort[i] = forces_actuator(s, i, theta, &slope);
        forces_add(s, s->actuator_column[i], s->effort[i], slope, G, matrix);
    }
}

static pawl_vec3 forces_signals(const pawl_signal signal[3], double t)
{
    return v3(pawl_signal_value(&signal[0], t), pawl_signal_value(&signal[1], t),
              pawl_signal_value(&signal[2], t));
}

// Signals are read at the target time of the stage; with in_body_axes they turn with the body at the end of the
// stage.
void pawl_nmdp_applied(const nmdp *s, const pawl_force_def *d, const pawl_mat3 *R, pawl_vec3 *force,
                       pawl_vec3 *torque)
{
    *force = forces_signals(d->force, s->stage.target_time);
    *torque = forces_signals(d->torque, s->stage.target_time);
    if (d->in_body_axes) {
        *force = m3_mul(R, *force);
        *torque = m3_mul(R, *torque);
    }
}

// Components that turn with the body have the slope [rotation] x force.
static void forces_applied(nmdp *s, const pawl_force_def *d)
{
    int link = s->tree->link_of_body[pawl_body_index(d->body)];
    const pawl_mat3 *R = &s->motion->rotation[link];
    pawl_vec3 force, moment;
    pawl_nmdp_applied(s, d, R, &force, &moment);
    double slope[6][6] = {{0.0}};
    if (d->in_body_axes) {
        const pawl_vec3 part[2] = {force, moment};
        for (int k = 0; k < 2; ++k) { // minus rotation x part = part x rotation
            pawl_vec3 a = part[k];
            const double cross[3][3] = {{0.0, -a.z, a.y}, {a.z, 0.0, -a.x}, {-a.y, a.x, 0.0}};
            for (int r = 0; r < 9; ++r) {
                slope[3 * k + r / 3][3 + r % 3] = cross[r / 3][r % 3];
            }
        }
    }
    pawl_vec3 arm = m3_mul(R, v3_sub(d->point, s->model->bodies[pawl_body_index(d->body)].com));
    pawl_tree_load_add(&s->load, link, v3_add(s->motion->position[link], arm),
                       v3_scale(-1.0, force), v3_scale(-1.0, moment), slope);
}

// Velocities are those of the stage, (r - r^)/h and, for the spin, the axis of R R^T times the sine of
// its angle over h, which is the spin to third order and has a simple derivative.
static void forces_body_damping(nmdp *s, int link)
{
    const model_body *b = &s->model->bodies[s->tree->links[link].body];
    if (b->linear_damping == 0.0 && b->angular_damping == 0.0) {
        return;
    }
    const nmdp_body *from = &s->stage.place.bodies[link];
    const pawl_mat3 *R = &s->motion->rotation[link];
    double linear = b->linear_damping / s->stage.h, angular = 0.5 * b->angular_damping / s->stage.h;
    // M is the rotation of the stage; m3_axis(M) is 2 sin(angle) times its axis. Its derivative by a rotation
    // vector is tr(M) 1 - M.
    pawl_mat3 M = m3_product_transposed(R, &from->R);
    double slope[6][6] = {{0.0}}, trace = M.m[0][0] + M.m[1][1] + M.m[2][2];
    for (int i = 0; i < 3; ++i) {
        slope[i][i] = linear;
        for (int j = 0; j < 3; ++j) {
            slope[3 + i][3 + j] = angular * ((i == j ? trace : 0.0) - M.m[i][j]);
        }
    }
    pawl_vec3 r = s->motion->position[link];
    pawl_tree_load_add(&s->load, link, r, v3_scale(linear, v3_sub(r, from->r)),
                       v3_scale(angular, m3_axis(&M)), slope);
}

// An end of a spring: where it is, and where the stage has it come from.
typedef struct spring_end {
    int link; // -1: the world
    pawl_vec3 at, from;
} spring_end;

// `point` is in the body's frame; for the world it is where it is.
static spring_end forces_spring_end(const nmdp *s, int body, pawl_vec3 point)
{
    if (body < 0) {
        return (spring_end){-1, point, point};
    }
    int link = s->tree->link_of_body[body];
    const nmdp_body *from = &s->stage.place.bodies[link];
    pawl_vec3 arm = v3_sub(point, s->model->bodies[body].com);
    return (spring_end){link,
                        v3_add(s->motion->position[link], m3_mul(&s->motion->rotation[link], arm)),
                        v3_add(from->r, m3_mul(&from->R, arm))};
}

// matrix += JT D J over columns of both ends, J = column of b - column of a.
static void forces_spring_matrix(nmdp *s, const spring_end *a, const spring_end *b, double D[3][3],
                                 double *matrix)
{
    double *J = s->J; // (3 x nv)
    int n = s->n;
    for (int k = 0; k < 3 * n; ++k) {
        J[k] = 0.0;
    }
    for (int side = 0; side < 2; ++side) {
        const spring_end *e = side == 0 ? a : b;
        double sign = side == 0 ? -1.0 : 1.0;
        int last = e->link < 0 ? -1 : s->tree->links[e->link].last_column;
        for (int k = last; k >= 0; k = s->tree->columns[k].parent) {
            pawl_vec3 u = pawl_reduced_column_at(s->motion, k, e->at).linear;
            J[k] += sign * u.x, J[n + k] += sign * u.y, J[2 * n + k] += sign * u.z;
        }
    }
    for (int i = 0; i < n; ++i) {
        double y[3];
        for (int c = 0; c < 3; ++c) {
            y[c] = J[i] * D[0][c] + J[n + i] * D[1][c] + J[2 * n + i] * D[2][c];
        }
        for (int j = 0; j < n; ++j) {
            matrix[(size_t)i * (size_t)n + (size_t)j] +=
                y[0] * J[j] + y[1] * J[n + j] + y[2] * J[2 * n + j];
        }
    }
}

// The pull P on b towards a, as a function of d = b - a: with e = d/|d|, tension
// T = k (|d| - rest) + c e.d', P = T e (with rest 0: k d + c d').
static void forces_spring(nmdp *s, const pawl_spring_def *d, double *matrix)
{
    spring_end a = forces_spring_end(s, pawl_body_index(d->body_a), d->point_a);
    spring_end b = forces_spring_end(s, pawl_body_index(d->body_b), d->point_b);
    pawl_vec3 line = v3_sub(b.at, a.at), rate = v3_sub(line, v3_sub(b.from, a.from));
    rate = v3_scale(1.0 / s->stage.h, rate);
    double length = v3_norm(line), c = d->damping, k = d->stiffness, D[3][3];
    pawl_vec3 pull = v3_add(v3_scale(k, line), v3_scale(c, rate));
    // D = dP/dd. Along the spring its stiffness and damping act; across it only the tension turns with the line,
    // T/|d|, which is negative in compression.
    double along = k + c / s->stage.h, across = along;
    pawl_vec3 e = v3(0.0, 0.0, 0.0);
    pawl_vec3 swing = e; // derivative of e.d' by the turning of e
    if (d->rest_length > 0.0 && length > 0.0) {
        e = v3_scale(1.0 / length, line);
        double tension = k * (length - d->rest_length) + c * v3_dot(e, rate);
        pull = v3_scale(tension, e);
        across = tension / length;
        swing = v3_scale(c / length, v3_axpy(rate, -v3_dot(e, rate), e));
    }
    double ev[3] = {e.x, e.y, e.z}, sv[3] = {swing.x, swing.y, swing.z};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            D[i][j] = (i == j ? across : 0.0) + (along - across) * ev[i] * ev[j] + ev[i] * sv[j];
        }
    }
    pawl_vec3 none = v3(0.0, 0.0, 0.0);
    if (a.link >= 0) {
        pawl_tree_load_add(&s->load, a.link, a.at, v3_scale(-1.0, pull), none, NULL);
    }
    if (b.link >= 0) {
        pawl_tree_load_add(&s->load, b.link, b.at, pull, none, NULL);
    }
    if (matrix != NULL) {
        forces_spring_matrix(s, &a, &b, D, matrix);
    }
}

// Forces along coordinates go to G at once, wrenches on links to the load, which pawl_tree_load_gather() turns
// into forces along coordinates.
void pawl_nmdp_add_forces(nmdp *s, const double *theta, double *G, double *matrix)
{
    forces_of_joints(s, theta, G, matrix);
    for (int i = 0; i < s->model->force_count; ++i) {
        forces_applied(s, &s->model->forces[i]);
    }
    for (int i = 0; i < s->links; ++i) {
        forces_body_damping(s, i);
    }
    for (int i = 0; i < s->model->spring_count; ++i) {
        forces_spring(s, &s->model->springs[i], matrix);
    }
}

// The links are placed where the stage ends.
double pawl_nmdp_spring_rise(const nmdp *s)
{
    double rise = 0.0;
    for (int i = 0; i < s->model->spring_count; ++i) {
        const pawl_spring_def *d = &s->model->springs[i];
        spring_end a = forces_spring_end(s, pawl_body_index(d->body_a), d->point_a);
        spring_end b = forces_spring_end(s, pawl_body_index(d->body_b), d->point_b);
        double to = v3_norm(v3_sub(b.at, a.at)) - d->rest_length;
        double from = v3_norm(v3_sub(b.from, a.from)) - d->rest_length;
        rise += 0.5 * d->stiffness * (to * to - from * from);
    }
    return rise;
}
