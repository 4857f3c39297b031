// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Joints that close loops, and gears: rows phi(theta) = 0 in the same program, with multipliers l.
//   minimize K(theta)   subject to   G(theta, w) - PhiT l = 0,   phi(theta) = 0,   Phi = dphi/dtheta,
// everything at the end of the stage: loops are closed in positions, to the tolerance of the projection, at every step.
// Newton's method has the matrix (dG/dtheta - d(PhiT l)/dtheta, -PhiT; Phi, 0), and the same matrix gives dtheta/dw,
// so that contact forces are selected by their effect on the mechanism with closed loops.
//
// Residuals and gradients are those of maximal coordinates (rows/joint_kinematics.c), with the Jacobians of the two links
// behind them. A joint's forces are a wrench between two links that depends only on their relative pose; its
// derivative, which affects only the rate of convergence of Newton's method, is a central difference over that pose.
//
// Rows of real mechanisms are redundant (a planar four-bar linkage has five rows for two), exactly or up to the
// rounding of a file. For each stage Gaussian elimination with complete pivoting selects independent rows, in the
// metric of the inertia: a row whose independent part is less than the fraction loops_independent of it is dropped.
// It is closed only as far as the other rows close it.
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "model/softness.h"
#include "rows/joint_kinematics.h"
#include "step/nmdp/nmdp.h"
#include <string.h>

static const double loops_independent = 3e-4; // sine of the angle between a row and the others
static const double loops_difference = 1e-5; // of poses, for derivatives of joint forces [m or rad]

// ---- creation ----------------------------------------------------------------------------------

// A free joint without limits, springs or rotors holds nothing: the bodies float beside each other as they do without it
// (the floating base of a URDF file).
static bool loops_acts(const pawl_coordinate_def *d)
{
    return d->stiffness != 0.0 || d->damping != 0.0 || d->armature != 0.0 || d->friction != 0.0 ||
           d->lower > -INFINITY || d->upper < INFINITY;
}

static bool loops_has_coordinate_forces(const model_joint *j)
{
    for (int c = 0; c < j->coordinate_count; ++c) {
        if (loops_acts(&j->coordinate[c])) {
            return true;
        }
    }
    return false;
}

// A free joint without forces.
static bool loops_holds_nothing(const model_joint *j)
{
    return j->kind == PAWL_JOINT_FREE && !loops_has_coordinate_forces(j);
}

// Dry friction and rotors need a column; springs, dampers and limits do not (loops_add_coordinates).
static bool loops_needs_column(const model_joint *j)
{
    for (int c = 0; c < j->coordinate_count; ++c) {
        if (j->coordinate[c].friction != 0.0 || j->coordinate[c].armature != 0.0) {
            return true;
        }
    }
    return false;
}

void pawl_nmdp_wanted_joints(const pawl_model *m, bool *wanted)
{
    for (int k = 0; k < m->joint_count; ++k) {
        wanted[k] = loops_needs_column(&m->joints[k]);
    }
    for (int i = 0; i < m->actuator_count; ++i) {
        wanted[pawl_joint_index(m->actuators[i].joint)] = true;
    }
    for (int i = 0; i < m->motion_count; ++i) {
        wanted[pawl_joint_index(m->motions[i].joint)] = true;
    }
    for (int k = 0; k < m->joint_count; ++k) { // gears couple coordinates
        const model_joint *j = &m->joints[k];
        if (j->kind == PAWL_JOINT_GEAR) {
            wanted[pawl_joint_index(j->gear.joint)] = true;
            wanted[pawl_joint_index(j->gear.source_joint)] = true;
        }
    }
}

static pawl_status loops_refuse(const nmdp *s, const model_joint *j, const char *why)
{
    return PAWL_FAIL(&s->env, PAWL_UNSUPPORTED,
                     "stepper %s cannot close a loop with joint '%s' (%s) of '%s': %s; choose "
                     "euler, moreau or lit",
                     pawl_stepper_name((int)s->settings->stepper), j->name,
                     pawl_joint_kind_name(j->kind), s->model->name, why);
}

static pawl_status loops_check(const nmdp *s, const model_joint *j)
{
    if (s->settings->stepper != PAWL_STEPPER_NMDP) {
        return loops_refuse(s, j, "it supports only trees");
    }
    if (pawl_is_soft(&j->soft)) {
        return loops_refuse(s, j, "the joint is soft");
    }
    if (j->kind == PAWL_JOINT_SCREW) {
        return loops_refuse(s, j, "a screw has to be in the tree");
    }
    if (loops_needs_column(j)) {
        return loops_refuse(s, j, "its dry friction or armature needs a coordinate of the tree");
    }
    return PAWL_OK;
}

// Both coordinates of a gear must be columns of the tree.
static pawl_status loops_add_gear(nmdp *s, const model_joint *j, nmdp_loop *loop)
{
    const pawl_gear_def *g = &j->gear;
    const pawl_joint_id joints[2] = {g->joint, g->source_joint};
    const int coordinates[2] = {g->coordinate, g->source_coordinate};
    for (int i = 0; i < 2; ++i) {
        const model_joint *of = &s->model->joints[pawl_joint_index(joints[i])];
        loop->column[i] = pawl_nmdp_column_of(s, of->first_coordinate + coordinates[i]);
        if (loop->column[i] < 0) {
            return loops_refuse(s, j, "a gear needs coordinates that the tree has");
        }
    }
    return PAWL_OK;
}

// Whether a joint belongs here: it closes a loop, or it is a ball of the tree with springs, dampers or limits, which
// have no column to act along. `rows` gets the rows that it needs.
static bool loops_takes(const nmdp *s, int joint, int *rows)
{
    const model_joint *j = &s->model->joints[joint];
    if (pawl_reduced_tree_has_joint(s->tree, joint)) {
        *rows = 0;
        return j->kind == PAWL_JOINT_SPHERICAL && loops_has_coordinate_forces(j);
    }
    *rows = j->row_count;
    return !loops_holds_nothing(j);
}

pawl_status pawl_nmdp_count_loops(nmdp *s)
{
    for (int i = 0; i < s->model->joint_count; ++i) {
        const model_joint *j = &s->model->joints[i];
        int rows;
        if (!loops_takes(s, i, &rows)) {
            continue;
        }
        PAWL_TRY(loops_check(s, j));
        ++s->loop_count;
        s->loop_rows += rows;
        s->loop_coordinates += loops_has_coordinate_forces(j) ? j->coordinate_count : 0;
    }
    return PAWL_OK;
}

pawl_status pawl_nmdp_set_loops(nmdp *s)
{
    int count = 0, first = 0, coordinates = 0, rows;
    for (int i = 0; i < s->model->joint_count; ++i) {
        const model_joint *j = &s->model->joints[i];
        if (!loops_takes(s, i, &rows)) {
            continue;
        }
        nmdp_loop *loop = &s->loop[count++];
        *loop = (nmdp_loop){.joint = i,
                            .first_row = first,
                            .row_count = rows,
                            .gear = j->kind == PAWL_JOINT_GEAR,
                            .base = -1,
                            .follower = -1,
                            .first_coordinate = coordinates};
        first += rows;
        loop->coordinate_count = loops_has_coordinate_forces(j) ? j->coordinate_count : 0;
        coordinates += loop->coordinate_count;
        if (loop->gear) {
            PAWL_TRY(loops_add_gear(s, j, loop));
            continue;
        }
        loop->base = j->base < 0 ? -1 : s->tree->link_of_body[j->base];
        loop->follower = s->tree->link_of_body[j->follower];
    }
    return PAWL_OK;
}

// ---- one joint ---------------------------------------------------------------------------------

// The pose of a link where it is placed, for the kinematics of joints, which count bodies.
static void loops_place_link(nmdp *s, int link)
{
    if (link >= 0) {
        int body = s->tree->links[link].body;
        s->loop_bodies[body] =
            (body_state){.r = s->motion->position[link], .q = s->motion->orientation[link]};
        s->loop_rotation[body] = s->motion->rotation[link];
    }
}

// Residuals and gradients by the twists of both bodies.
static void loops_joint_rows(const nmdp *s, const nmdp_loop *loop, double *residual,
                             double base[6][6], double follower[6][6])
{
    const model_joint *j = &s->model->joints[loop->joint];
    joint_frames frames;
    pawl_joint_frames(j, s->loop_bodies, s->loop_rotation, &frames);
    pawl_joint_rows(j, &frames, 0.0, residual, base, follower);
}

// row (nv) += gradient . Jacobian of the link's centre of mass.
static void loops_add_link(const nmdp *s, int link, const double gradient[6], double *row)
{
    int last = link < 0 ? -1 : s->tree->links[link].last_column;
    for (int k = last; k >= 0; k = s->tree->columns[k].parent) {
        pawl_twist t = pawl_reduced_column_at(s->motion, k, s->motion->position[link]);
        const double u[6] = {t.linear.x,  t.linear.y,  t.linear.z,
                             t.angular.x, t.angular.y, t.angular.z};
        row[k] += pawl_dot6(gradient, u);
    }
}

// The wrench of the multipliers on the follower about its centre of mass, in world axes.
static void loops_wrench(const nmdp *s, const nmdp_loop *loop, double follower[6][6], double F[6])
{
    memset(F, 0, 6 * sizeof *F);
    for (int r = 0; r < loop->row_count; ++r) {
        double force = s->lambda[loop->first_row + r] * s->loop_scale[loop->first_row + r];
        for (int k = 0; k < 6; ++k) {
            F[k] += force * follower[r][k];
        }
    }
}

// D = dF by the motion of the follower, the base at rest; F about the follower's centre of mass, which moves along.
static void loops_wrench_slope(nmdp *s, const nmdp_loop *loop, double D[6][6])
{
    int body = s->tree->links[loop->follower].body;
    const body_state kept = s->loop_bodies[body];
    const pawl_mat3 axes = s->loop_rotation[body];
    for (int k = 0; k < 6; ++k) {
        double F[2][6], residual[6], base[6][6], follower[6][6];
        for (int side = 0; side < 2; ++side) {
            double d = side == 0 ? loops_difference : -loops_difference;
            pawl_vec3 move = v3(k % 3 == 0 ? d : 0.0, k % 3 == 1 ? d : 0.0, k % 3 == 2 ? d : 0.0);
            s->loop_bodies[body] = kept;
            if (k < 3) {
                s->loop_bodies[body].r = v3_add(kept.r, move);
            } else {
                s->loop_bodies[body].q = quat_mul(quat_exp(move), kept.q);
                s->loop_rotation[body] = quat_matrix(s->loop_bodies[body].q);
            }
            loops_joint_rows(s, loop, residual, base, follower);
            loops_wrench(s, loop, follower, F[side]);
        }
        s->loop_rotation[body] = axes;
        for (int r = 0; r < 6; ++r) {
            D[r][k] = -0.5 * (F[0][r] - F[1][r]) / loops_difference; // G has forces with a minus
        }
    }
    s->loop_bodies[body] = kept;
}

static void loops_add_gear_row(nmdp *s, const nmdp_loop *loop, const double *theta, double *G)
{
    const pawl_gear_def *g = &s->model->joints[loop->joint].gear;
    double *row = s->Phi + (size_t)loop->first_row * (size_t)s->n;
    int driven = loop->column[0], source = loop->column[1];
    row[driven] += 1.0;
    row[source] -= g->ratio;
    s->phi[loop->first_row] = theta[driven] - g->ratio * theta[source] - g->offset;
    double force = s->lambda[loop->first_row] * s->loop_scale[loop->first_row];
    for (int i = 0; i < 2; ++i) {
        G[loop->column[i]] -= force * row[loop->column[i]];
    }
}

// Springs, dampers and limits along the coordinates of a joint that closes a loop: they have no column, but a gradient.
// The rate is the gradient's, which is that of implicit Euler to first order; the turning of the gradient is left out of
// the derivative.
static void loops_add_coordinates(nmdp *s, const nmdp_loop *loop, const double *theta, double *G,
                                  double *matrix)
{
    const model_joint *j = &s->model->joints[loop->joint];
    int n = s->n;
    joint_frames frames;
    pawl_joint_frames(j, s->loop_bodies, s->loop_rotation, &frames);
    for (int c = 0; c < loop->coordinate_count; ++c) {
        const pawl_coordinate_def *d = &j->coordinate[c];
        nmdp_loop_coordinate *own = &s->loop_coordinate[loop->first_coordinate + c];
        double *row = s->loop_gradient + (size_t)(loop->first_coordinate + c) * (size_t)n;
        double base[6], follower[6], slope;
        memset(row, 0, (size_t)n * sizeof *row);
        own->def = d;
        own->value = pawl_joint_coordinate(j, &frames, c, base, follower);
        loops_add_link(s, loop->base, base, row);
        loops_add_link(s, loop->follower, follower, row);
        own->path = 0.0;
        for (int k = 0; k < n; ++k) {
            own->path += row[k] * (theta[k] - s->stage.place.theta[k]);
        }
        own->limit = pawl_nmdp_limit_force(s, d, own->value - own->path, own->value, &slope);
        double rate = own->path / s->stage.h;
        double force = own->limit - d->stiffness * (own->value - d->rest) - d->damping * rate;
        slope -= d->stiffness + d->damping / s->stage.h;
        for (int i = 0; i < n; ++i) {
            G[i] -= row[i] * force;
            for (int k = 0; k < n && matrix != NULL && row[i] != 0.0; ++k) {
                matrix[i * n + k] -= slope * row[i] * row[k];
            }
        }
    }
}

void pawl_nmdp_add_loops(nmdp *s, const double *theta, double *G, double *matrix)
{
    if (s->loop_count == 0) {
        return;
    }
    size_t n = (size_t)s->n;
    memset(s->Phi, 0, (size_t)s->loop_rows * n * sizeof *s->Phi);
    for (int i = 0; i < s->loop_count; ++i) {
        const nmdp_loop *loop = &s->loop[i];
        if (loop->gear) {
            loops_add_gear_row(s, loop, theta, G);
            continue;
        }
        double base[6][6], follower[6][6], F[6], D[6][6];
        loops_place_link(s, loop->base);
        loops_place_link(s, loop->follower);
        loops_add_coordinates(s, loop, theta, G, matrix);
        if (loop->row_count == 0) {
            continue;
        }
        loops_joint_rows(s, loop, s->phi + loop->first_row, base, follower);
        for (int r = 0; r < loop->row_count; ++r) {
            double *row = s->Phi + (size_t)(loop->first_row + r) * n;
            loops_add_link(s, loop->base, base[r], row);
            loops_add_link(s, loop->follower, follower[r], row);
        }
        loops_wrench(s, loop, follower, F);
        if (matrix != NULL) {
            loops_wrench_slope(s, loop, D);
        }
        for (int k = 0; k < 6; ++k) {
            F[k] = -F[k];
        }
        pawl_nmdp_add_relative(s, loop->follower, loop->base, s->motion->position[loop->follower],
                               F, matrix != NULL ? D : NULL, matrix);
    }
}

// ---- all rows ----------------------------------------------------------------------------------

// Complete pivoting on W = Phi D^-1 PhiT, with D the diagonal of dG/dtheta: the row with the largest rest comes next.
// Rows are of unit length in this metric, so that rests are squared sines. W (rows x rows) is overwritten.
static void loops_choose(nmdp *s, double *W, double *rest)
{
    int rows = s->loop_rows;
    s->row_count = 0;
    for (int i = 0; i < rows; ++i) {
        rest[i] = s->loop_scale[i] > 0.0 ? 1.0 : 0.0;
    }
    for (;;) {
        int best = -1;
        for (int i = 0; i < rows; ++i) {
            best = rest[i] > loops_independent * loops_independent &&
                           (best < 0 || rest[i] > rest[best])
                       ? i
                       : best;
        }
        if (best < 0) {
            return;
        }
        double pivot = rest[best];
        s->chosen[s->row_count++] = best;
        for (int i = 0; i < rows; ++i) {
            double share = W[i * rows + best] / pivot;
            rest[i] -= share * W[i * rows + best];
            for (int k = 0; k < rows && i != best; ++k) {
                W[i * rows + k] -= share * W[best * rows + k];
            }
        }
        rest[best] = 0.0;
    }
}

// What a row of a joint changes by when a coordinate does, about: 1 for rotations, the size of the joint's smaller body for
// lengths [m].
static double loops_usual(const nmdp *s, int row)
{
    for (int i = 0; i < s->loop_count; ++i) {
        const nmdp_loop *loop = &s->loop[i];
        const model_joint *j = &s->model->joints[loop->joint];
        if (row < loop->first_row + loop->row_count) {
            bool turns = loop->gear || pawl_joint_row_is_rotation(j->kind, row - loop->first_row);
            return turns || !(j->size > 0.0) ? 1.0 : fmin(j->size, 1.0);
        }
    }
    return 1.0;
}

// Rows become unit vectors in the metric of the coordinates' masses; loop_scale their effective mass over h^2, so that
// an equation has the size of a force. Rows that no coordinate moves, as those across the plane of a planar mechanism,
// get the scale 0.
static void loops_scale_rows(nmdp *s)
{
    size_t n = (size_t)s->n;
    for (int i = 0; i < s->loop_rows; ++i) {
        double *row = s->Phi + (size_t)i * n, least = loops_independent * loops_usual(s, i);
        bool moves = pawl_dot(row, row, s->n) > least * least;
        for (size_t k = 0; k < n; ++k) {
            row[k] /= sqrt(fmax(fabs(s->matrix[k * n + k]), 1e-300));
        }
        double square = pawl_dot(row, row, s->n);
        s->loop_scale[i] = moves ? 1.0 / square : 0.0;
        for (size_t k = 0; k < n && moves; ++k) {
            row[k] /= sqrt(square);
        }
    }
}

void pawl_nmdp_choose_rows(nmdp *s)
{
    if (s->loop_count == 0) {
        return;
    }
    size_t n = (size_t)s->n, rows = (size_t)s->loop_rows;
    memset(s->lambda, 0, rows * sizeof *s->lambda);
    memset(s->trial_w, 0, (size_t)s->weights * sizeof *s->trial_w);
    pawl_nmdp_balance(s, s->trial, s->trial_w, s->G, s->matrix); // Phi, and the coordinates' masses
    loops_scale_rows(s);
    double *W = s->factor;
    for (size_t i = 0; i < rows; ++i) {
        for (size_t k = 0; k < rows; ++k) {
            W[i * rows + k] = pawl_dot(s->Phi + i * n, s->Phi + k * n, s->n);
        }
    }
    loops_choose(s, W, s->direction);
}

double pawl_nmdp_loop_error(const nmdp *s)
{
    double largest = 0.0;
    for (int i = 0; i < s->row_count; ++i) {
        double error = fabs(s->loop_scale[s->chosen[i]] * s->phi[s->chosen[i]]);
        largest = isfinite(error) ? fmax(largest, error) : INFINITY;
    }
    return largest;
}

void pawl_nmdp_border(nmdp *s)
{
    size_t n = (size_t)s->n, size = n + (size_t)s->row_count;
    for (size_t i = 0; i < n; ++i) {
        memcpy(s->factor + i * size, s->matrix + i * n, n * sizeof *s->factor);
    }
    for (size_t r = 0; r < (size_t)s->row_count; ++r) {
        const double *row = s->Phi + (size_t)s->chosen[r] * n;
        double scale = s->loop_scale[s->chosen[r]], *to = s->factor + (n + r) * size;
        for (size_t k = 0; k < n; ++k) {
            to[k] = scale * row[k];
            // the equation of a prescribed coordinate has no forces
            s->factor[k * size + n + r] = s->motion_of[k] < 0 ? -to[k] : 0.0;
        }
        memset(to + n, 0, (size_t)s->row_count * sizeof *to);
    }
}

void pawl_nmdp_loop_right(const nmdp *s, double *right)
{
    for (int i = 0; i < s->row_count; ++i) {
        right[i] = s->loop_scale[s->chosen[i]] * s->phi[s->chosen[i]];
    }
}

// H += PhiT Phi/h^2, of the rows of rho (nmdp_energy.c): loops are closed at the end of the stage.
void pawl_nmdp_add_loop_rows(const nmdp *s, double *H)
{
    int n = s->n;
    double scale = 1.0 / (s->stage.h * s->stage.h);
    for (int r = 0; r < s->row_count; ++r) {
        const double *row = s->Phi + (size_t)s->chosen[r] * (size_t)n;
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < n && row[i] != 0.0; ++k) {
                H[i * n + k] += scale * row[i] * row[k];
            }
        }
    }
}

bool pawl_nmdp_loops_meet_limit(const nmdp *s)
{
    for (int i = 0; i < s->loop_coordinates; ++i) {
        if (s->loop_coordinate[i].limit != 0.0) {
            return true;
        }
    }
    return false;
}

// Work over the stage. That of the rows is none in the limit of small steps, where positions stay on the constraints,
// and is counted with the numerical damping.
void pawl_nmdp_loop_work(const nmdp *s, double fraction, double *work)
{
    for (int r = 0; r < s->row_count; ++r) {
        int row = s->chosen[r];
        double force = s->lambda[row] * s->loop_scale[row];
        for (int k = 0; k < s->n; ++k) {
            work[WORK_DAMPERS] += fraction * force *
                                  s->Phi[(size_t)row * (size_t)s->n + (size_t)k] *
                                  (s->now.theta[k] - s->stage.place.theta[k]);
        }
    }
    for (int i = 0; i < s->loop_coordinates; ++i) {
        const nmdp_loop_coordinate *c = &s->loop_coordinate[i];
        work[WORK_DAMPERS] -= fraction * c->def->damping * c->path * c->path / s->stage.h;
        work[WORK_LIMITS] += fraction * c->limit * c->path;
    }
}

// The numerical dissipation of implicit Euler in springs.
double pawl_nmdp_loop_loss(const nmdp *s)
{
    double loss = 0.0;
    for (int i = 0; i < s->loop_coordinates; ++i) {
        const nmdp_loop_coordinate *c = &s->loop_coordinate[i];
        loss += 0.5 * c->def->stiffness * c->path * c->path;
    }
    return loss;
}

double pawl_nmdp_loop_rise(const nmdp *s)
{
    double rise = 0.0;
    for (int i = 0; i < s->loop_coordinates; ++i) {
        const nmdp_loop_coordinate *c = &s->loop_coordinate[i];
        double to = c->value - c->def->rest, from = to - c->path;
        rise += 0.5 * c->def->stiffness * (to * to - from * from);
    }
    return rise;
}
