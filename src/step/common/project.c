// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Projection onto the constraints: positions by Gauss-Newton in the metric of the masses,
//   min 1/2 dT M d  subject to  f(q) + J d = 0,   d = -M^-1 JT (J M^-1 JT)^+ f,
// then velocities, u <- u - M^-1 JT (J M^-1 JT)^+ (J u - rate of the prescribed motions).
// In the metric of the masses the motion is least in terms of energy: heavy bodies hardly move, light ones follow,
// and the centre of mass of a free mechanism does not move. Redundant rows are no problem: ()^+ is a least-squares
// solve (docs/math.md section 4).
#include "math/numbers.h"
#include "problem/weak_space.h"
#include "step/common/position_update.h"
#include <string.h>

static const double project_pose_accuracy = 1e-4;     // the next step makes up for the rest
static const double project_velocity_accuracy = 1e-7; // of a velocity error of order h
static const double project_zone_accuracy = 1e-6;
static const double project_exact = 1e-13; // of an exact position update
static const double project_keep = 0.01;   // contraction that keeps an old Jacobian
// An update that leaves more than this of a joint's error has failed: [m] in bodies of a metre or less,
// else relative to the largest. Rounding and nearly redundant rows leave far less.
static const double project_failed = 1e-8;

// The largest error of a hard row [m or rad], without what redundant rows contradict each other by.
double pawl_closure_error(const pawl_assembly *a)
{
    const double *f = a->residual;
    if (pawl_is_weak(&a->problem)) {
        double *consistent = a->problem.delassus->weak.scratch;
        memcpy(consistent, f, (size_t)a->free_rows * sizeof *consistent);
        pawl_weak_slacken(&a->problem, consistent);
        pawl_weak_velocities(&a->problem, consistent);
        f = consistent;
    }
    return pawl_numbers_largest_product(f, a->hardness, a->free_rows);
}

// errors (free rows): residuals of hard rows, 0 for the others.
void pawl_closure_errors(const pawl_assembly *a, double *errors)
{
    pawl_numbers_copy(errors, a->residual, (size_t)a->free_rows);
    for (int i = 0; i < a->soft_count; ++i) {
        errors[a->soft[i]] = 0.0;
    }
    if (pawl_is_weak(&a->problem)) {
        pawl_weak_slacken(&a->problem, errors);
    }
}

// The change of pose or twist (6 x bodies) that answers v_f, by the factor at hand. It may be of a
// pose close by: conjugate gradients make up for it.
void pawl_closure_solve(step_context *c, double accuracy, double *change)
{
    if (c->assembly->free_rows > 0) {
        // Directions of a singular position are not weak to the factor: one solve is not enough there.
        bool zone = pawl_weak_in_zone(c->assembly->problem.delassus->weak.space);
        pawl_eliminate_recover(c->closure, &c->assembly->problem,
                               zone ? fmin(accuracy, project_zone_accuracy) : accuracy,
                               c->u.lambda);
    }
    memset(change, 0, (size_t)(6 * c->model->body_count) * sizeof *change);
    pawl_assembly_add_impulses(c->assembly, c->u.lambda, change);
}

// Steps that turn a body by more than a radian leave the range of the linear model.
static double project_fraction(const step_context *c, const double *d)
{
    double turn = 0.0;
    for (int i = 0; i < c->model->body_count; ++i) {
        turn = fmax(turn, v3_norm(v3(d[6 * i + 3], d[6 * i + 4], d[6 * i + 5])));
    }
    return turn > 1.0 ? 1.0 / turn : 1.0;
}

void pawl_project_move(const step_context *c, pawl_state *s, const double *d, double t)
{
    double fraction = project_fraction(c, d);
    c->coordinates->ops->move(c->coordinates, s->coordinates, d, fraction, t, s->bodies);
}

void pawl_close_tree(const step_context *c, pawl_state *s, double t)
{
    pawl_coordinates_close(c->coordinates, s->coordinates, t, s->bodies);
}

void pawl_twists_of(const pawl_model *m, const body_state *bodies, double *u)
{
    for (int i = 0; i < m->body_count; ++i, u += 6) {
        const body_state *b = &bodies[i];
        u[0] = b->v.x, u[1] = b->v.y, u[2] = b->v.z, u[3] = b->w.x, u[4] = b->w.y, u[5] = b->w.z;
    }
}

// Adds a change to u.next and writes the sum to the bodies.
void pawl_twists_change(step_context *c, const double *change, body_state *bodies)
{
    for (int i = 0; i < c->model->body_count; ++i) {
        double *u = c->u.next + 6 * i;
        for (int k = 0; k < 6; ++k) {
            u[k] += change[6 * i + k];
        }
        bodies[i].v = v3(u[0], u[1], u[2]);
        bodies[i].w = v3(u[3], u[4], u[5]);
    }
}

// v_f = J u less what is prescribed: the velocities that hard rows must lose.
void pawl_closure_rates(step_context *c, const pawl_state *s, double t)
{
    pawl_assembly *a = c->assembly;
    const pawl_model *m = c->model;
    size_t mark = pawl_arena_mark(&c->scratch);
    double *before = a->v_f; // without a tree nothing is changed before the rows
    pawl_twists_of(m, s->bodies, c->u.next);
    if (c->coordinates->ops->constrain != NULL) {
        before = pawl_take_rows(c);
        pawl_assembly_row_velocity(a, c->u.next, before);
        pawl_coordinates_constrain(c->coordinates, c->u.next);
    }
    pawl_assembly_row_velocity(a, c->u.next, a->v_f);
    for (int r = 0; r < a->free_rows && a->has_drives; ++r) {
        const row_info *info = &a->rows[r];
        a->v_f[r] -= info->family->rate != NULL ? info->family->rate(m, info, t) : 0.0;
    }
    for (int i = 0; i < a->soft_count; ++i) {
        // An armature resists what the joints of a tree changed and what moving changed; other rows take no part.
        int r = a->soft[i];
        double rotor = c->position.turning ? c->position.rotor[r] : before[r];
        bool resists = a->has_armatures && pawl_assembly_armature(a, r) > 0.0;
        a->v_f[r] -= resists ? rotor : a->v_f[r];
    }
    c->position.turning = false;
    pawl_arena_release(&c->scratch, mark);
}

void pawl_closure_velocities(step_context *c, pawl_state *s, double t)
{
    const pawl_model *m = c->model;
    pawl_closure_rates(c, s, t);
    // A factor that is exact and of this very placement needs no check: its rounding is far below that accuracy.
    const pawl_problem *p = &c->assembly->problem;
    bool exact = pawl_eliminate_is_exact(p);
    double accuracy = c->position.exact ? project_exact : exact ? 1.0 : project_velocity_accuracy;
    size_t mark = pawl_arena_mark(&c->scratch);
    double *change = pawl_take_twists(c);
    pawl_closure_solve(c, accuracy, change);
    memcpy(c->u.start, c->u.next, (size_t)(6 * m->body_count) * sizeof *c->u.start);
    pawl_twists_change(c, change, s->bodies);
    pawl_arena_release(&c->scratch, mark);
}

// inertia_scale < 1 makes inverse inertias smaller: rotations then cost more in the metric.
static void project_place(step_context *c, const pawl_state *s, double t, double inertia_scale)
{
    c->assembly->inertia_scale = inertia_scale;
    pawl_assembly_place(c->assembly, s->bodies, s->coordinates, t, c->u.damping_time);
    pawl_assembly_build_closure(c->assembly);
}

// One Gauss-Newton step of the poses, by the factor at hand.
static void project_step(step_context *c, pawl_state *s, double t)
{
    size_t mark = pawl_arena_mark(&c->scratch);
    double *change = pawl_take_twists(c);
    pawl_closure_solve(c, project_pose_accuracy, change);
    pawl_project_move(c, s, change, t);
    pawl_arena_release(&c->scratch, mark);
}

// Gauss-Newton from a placed state. The Jacobian and its factor are kept while they contract the
// error a hundredfold a step. Returns the number of steps; *factored says whether the factor is of
// a pose close enough to continue with. Gives up at once, with the error in *stuck, when the first step
// contracts by less than `wanted`.
static int project_poses(step_context *c, pawl_state *s, double t, int max_steps, double tolerance,
                         double inertia_scale, double wanted, bool *factored, bool *stuck)
{
    pawl_assembly *a = c->assembly;
    double error = pawl_closure_error(a);
    int steps = 0;
    *factored = *stuck = false;
    while (error > tolerance && steps < max_steps) {
        if (!*factored) {
            pawl_eliminate_factor(&a->problem, c->settings->solver.regularization);
            *factored = true;
        }
        pawl_closure_errors(a, a->v_f);
        project_step(c, s, t);
        ++steps;
        pawl_assembly_measure_closure(a, s->bodies, s->coordinates, t);
        double before = error;
        error = pawl_closure_error(a);
        if (steps == 1 && error > tolerance && error > wanted * before) {
            *stuck = true;
            return steps;
        }
        if (error > tolerance && error > project_keep * before) {
            project_place(c, s, t, inertia_scale); // the Jacobian is too old to continue with
            *factored = false;
        }
    }
    return steps;
}

// Gauss-Newton in the metric of the masses: of all poses that close the joints, those nearest to where the bodies
// are. At most max_steps factorizations.
int pawl_project(step_context *c, pawl_state *s, double t, int max_steps, double tolerance)
{
    pawl_assembly *a = c->assembly;
    size_t poses = (size_t)c->model->body_count * sizeof *s->bodies;
    bool tree_joints = c->coordinates->ops->has_tree_joints;
    if (tree_joints) { // their coordinates close such joints
        project_place(c, s, t, 1.0);
        c->coordinates->ops->close_placed(c->coordinates, s->bodies);
    }
    if (a->free_rows == 0) {
        project_place(c, s, t, 1.0);
        if (tree_joints) {
            pawl_closure_velocities(c, s, t);
        }
        return 0;
    }
    // Long light chains would rather fold than move their mass, which the linear model of a nearly
    // straight chain overrates without bound. Where a step hardly helps, rotations are made dearer.
    int steps = 0;
    bool factored = false, stuck = true;
    memcpy(c->position.from, s->bodies, poses);
    for (double inertia_scale = 1.0; stuck; inertia_scale *= 0.1) {
        bool last = inertia_scale < 5e-3 || tree_joints; // there masses are not scaled
        memcpy(s->bodies, c->position.from, poses);
        project_place(c, s, t, inertia_scale);
        steps += project_poses(c, s, t, max_steps, tolerance, inertia_scale, last ? INFINITY : 0.05,
                               &factored, &stuck);
    }
    double failed = fmax(project_failed * fmax(1.0, c->model->size),
                         pawl_weak_blur(a->problem.delassus->weak.space));
    if (!(pawl_closure_error(a) <= failed)) {
        ++c->out.position_failures;
    }
    bool scaled = a->inertia_scale != 1.0;
    if (steps > 0) {
        project_place(c, s, t, 1.0);
    }
    if (!factored || scaled) {
        pawl_eliminate_factor(&a->problem, c->settings->solver.regularization);
    }
    pawl_closure_velocities(c, s, t);
    return steps;
}
