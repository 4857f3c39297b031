// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A negative gap g requires the rate want = min(erp |g| / h, max_push). As a bias of the velocities it would add
// kinetic energy, without bound if overlaps contradict each other. Instead the velocities u+ are computed with want =
// 0, and a second problem with the same rows gives the correction,
//   M s = JT y,   J s = 0 of joints,   0 <= y  _|_  N s + e diag(D) y >= want - N u+,
// the least correction velocity s in the metric of the masses: N are limits and normals. Springs resist it as they do
// in the step. With e > 0 contradicting overlaps are resolved in the least-squares sense, and y is bounded. The poses
// move by h s; s is then discarded. This is the method of split impulses, except that the joints stay closed.
#include "step/common/position_correction.h"
#include "rows/measure.h"
#include "step/common/position_update.h"
#include "step/common/solve_rows.h"
#include <string.h>

static const double correction_contradiction =
    1e-3; // e: what contradicts itself gets at most 1/e of its want
// e of limits: bodies between joints may be a thousand times lighter than the bodies behind them, and D without the
// joints is as much larger than with them. Limits that contradict each other are kept apart
// (correction_keep_limits()).
static const double correction_limit_contradiction = 1e-6;
static const double correction_accuracy =
    1e-6; // of the largest want: the next step corrects the rest
static const double correction_fastest = 10.0;
static const double correction_nothing =
    1e30; // compliance of rows that do not take part, see pawl_assembly_build_closure()
static const double correction_closed = 1e-12; // [m or rad] as drifts leave joints
static const double correction_worse = 1e-5; // of its want: a limit that gets worse by more is kept
enum { CORRECTION_PROJECT_STEPS = 30, CORRECTION_ROUNDS = 3 };

// Rows that resist motion, not displacement. What is held or soft resists as it is.
static bool correction_is_idle(const row_info *info)
{
    return (info->family->traits & ROW_RESISTS_MOTION) != 0;
}

static bool correction_takes_part(const pawl_assembly *a, int r)
{
    return a->want[r] > -INFINITY;
}

static bool correction_is_contact(const pawl_assembly *a, int r)
{
    return r >= pawl_problem_contact_row(&a->problem, 0);
}

// An active contact of lit that opens by itself is not corrected: its motion does not change.
static bool correction_leaves(const step_context *c, int r)
{
    const pawl_assembly *a = c->assembly;
    return correction_is_contact(a, r) && a->contacts[a->rows[r].owner].persistent &&
           c->u.rate[r] > pawl_slow_correction;
}

// The largest remaining violation after the motion by the twists of the step. The largest want less the rate that the
// row has already [m/s or rad/s].
static double correction_missing(const step_context *c)
{
    pawl_assembly *a = c->assembly;
    double worst = 0.0;
    for (int r = a->free_rows; r < a->problem.row_count; ++r) {
        if (correction_leaves(c, r)) {
            a->want[r] = -INFINITY;
        }
        if (a->want[r] > 0.0) {
            worst = max_of(worst, a->want[r] - c->u.rate[r]);
        }
    }
    return worst;
}

// What a unit of impulse along row i of a block does to it, joints left out: the same in all coordinates.
static double correction_inverse_mass(const pawl_assembly *a, const row_block *b, int i)
{
    double sum = 0.0;
    for (int s = 0; s < b->body_count; ++s) {
        const double *row = a->J + b->jacobian[s] + 6 * i;
        pawl_vec3 linear = v3(row[0], row[1], row[2]), turn = v3(row[3], row[4], row[5]);
        sum += a->inverse_mass[b->body[s]] * v3_dot(linear, linear) +
               v3_dot(turn, m3_mul(&a->inverse_inertia[b->body[s]], turn));
    }
    return sum;
}

// Friction keeps what rests and leans from creeping while it is corrected by little; deep overlaps have no friction,
// because they would jam.
//
// The problem of the step becomes that of the correction; compliances are kept, the next placement poses
// the rest anew.
static void correction_build(step_context *c, double fastest)
{
    pawl_assembly *a = c->assembly;
    pawl_problem *p = &a->problem;
    size_t rows = (size_t)p->row_count;
    p->matrix_key = 0; // other compliances than the step's
    memcpy(c->correction.compliance, a->compliance, rows * sizeof *a->compliance);
    memset(a->v_f, 0, rows * sizeof *a->v_f);
    for (int k = p->free_block_count; k < p->block_count; ++k) {
        const row_block *b = &a->blocks[k];
        for (int i = 0; i < b->rows.dim; ++i) {
            int r = b->rows.first_row + i;
            if (correction_takes_part(a, r)) {
                // by as much more as the compliance takes back where it is alone
                double e = correction_is_contact(a, r) ? correction_contradiction
                                                       : correction_limit_contradiction;
                double more = a->want[r] > 0.0 ? e * a->want[r] : 0.0;
                a->v_f[r] = c->u.rate[r] - a->want[r] - more;
                a->compliance[r] = e * correction_inverse_mass(a, b, i);
            } else if (correction_is_idle(&a->rows[r])) {
                a->compliance[r] = correction_nothing;
            }
        }
    }
    for (int k = 0; k < p->contact_count; ++k) {
        double want = a->want[pawl_problem_contact_row(p, k) + 2];
        c->correction.friction[k] = want < fastest ? a->friction[k] : 0.0;
    }
    p->friction = c->correction.friction;
}

// lambda starts at 0: impulses of the last correction say little about this one. The tolerance is loose, since the
// next step corrects the rest.
static void correction_solve(step_context *c, double worst)
{
    pawl_assembly *a = c->assembly;
    double *lambda = c->correction.lambda;
    solver_goal goal = pawl_solver_goal(c->solver);
    solver_report report = {.outcome = PAWL_CONVERGED};
    goal.tolerance = max_of(goal.tolerance, correction_accuracy * worst);
    goal.iterations = c->settings->solver.budget > 0 ? (c->settings->solver.budget + 3) / 4
                                                     : goal.iterations; // a quarter of its sweeps
    memset(lambda, 0, (size_t)a->problem.row_count * sizeof *lambda);
    (void)pawl_solve_islands(c, goal, NULL, lambda, &report);
    memset(c->correction.twist, 0, (size_t)(6 * c->model->body_count) * sizeof(double));
    pawl_assembly_add_impulses(a, lambda, c->correction.twist);
}

// Whether overlaps contradict each other: some row gets less than half of its required rate.
static bool correction_is_torn(step_context *c)
{
    const pawl_assembly *a = c->assembly;
    size_t mark = pawl_arena_mark(&c->scratch);
    double *rate = pawl_take_rows(c);
    bool torn = false;
    pawl_assembly_row_velocity(a, c->correction.twist, rate);
    for (int r = a->free_rows; r < a->problem.row_count; ++r) {
        torn = torn || (a->want[r] > 0.0 && c->u.rate[r] + rate[r] < 0.5 * a->want[r]);
    }
    pawl_arena_release(&c->scratch, mark);
    return torn;
}

// Joints beyond several limits may have no correction that reduces all violations, as a four-bar past its dead
// centre: a correction that increases one of them is rejected. The violations of such rows are kept constant. Returns
// whether there are any.
static bool correction_keep_limits(step_context *c)
{
    pawl_assembly *a = c->assembly;
    if (a->free_rows == pawl_problem_contact_row(&a->problem, 0)) {
        return false;
    }
    size_t mark = pawl_arena_mark(&c->scratch);
    double *rate = pawl_take_rows(c);
    bool worse = false;
    pawl_assembly_row_velocity(a, c->correction.twist, rate);
    for (int r = a->free_rows; r < pawl_problem_contact_row(&a->problem, 0); ++r) {
        if (a->want[r] > 0.0 && c->u.rate[r] + rate[r] < -correction_worse * a->want[r]) {
            a->v_f[r] = c->u.rate[r];
            a->compliance[r] = c->correction.compliance[r];
            worse = true;
        }
    }
    pawl_arena_release(&c->scratch, mark);
    return worse;
}

// Those on top of others move by the sum of their gaps, which is bounded to some times the fastest correction
// of one. Contradicting overlaps, as in a wedge, may require any displacement, and get no more than that of a single
// one.
static void correction_bound(step_context *c, const step_weights *w, double worst)
{
    int bodies = c->model->body_count;
    double most = 0.0, speed = max_of(w->contact_correction_speed, w->limit_correction_speed);
    double of_one = max_of(speed * w->h / w->reach, worst);
    for (int i = 0; i < bodies; ++i) {
        const double *s = c->correction.twist + 6 * i;
        most = max_of(most, v3_norm(v3(s[0], s[1], s[2])));
        most = max_of(most, v3_norm(v3(s[3], s[4], s[5])));
    }
    if (!(most > of_one)) {
        return;
    }
    double fastest = (correction_is_torn(c) ? 1.0 : fmin(correction_fastest, bodies)) * of_one;
    double fraction = most > fastest ? fastest / most : 1.0;
    for (int i = 0; i < 6 * bodies; ++i) {
        c->correction.twist[i] *= fraction;
    }
}

// Which share of the correction is the contacts', the rest being the limits'.
static double correction_of_contacts(const step_context *c)
{
    const pawl_assembly *a = c->assembly;
    double contacts = 0.0, all = 0.0;
    for (int r = a->free_rows; r < a->problem.row_count; ++r) {
        if (correction_takes_part(a, r) && a->want[r] > 0.0) {
            double part = c->correction.lambda[r] * a->want[r];
            all += part;
            contacts += correction_is_contact(a, r) ? part : 0.0;
        }
    }
    return all > 0.0 ? contacts / all : 1.0;
}

// After the velocities are known: the twist that removes overlaps until the end of the step. It is a problem of its
// own over the same rows and the same matrix, solved from 0, and never touches the velocities, so corrections add no
// kinetic energy (docs/math.md section 8).
void pawl_correction_find(step_context *c, const step_weights *w)
{
    pawl_assembly *a = c->assembly;
    double worst = correction_missing(c);
    c->correction.time = 0.0;
    if (!(worst > pawl_slow_correction)) {
        return;
    }
    pawl_phase_enter(&c->clock, PAWL_PHASE_SOLVE);
    correction_build(c, w->contact_correction_speed * w->h / w->reach);
    correction_solve(c, worst);
    for (int k = 0; k < CORRECTION_ROUNDS && correction_keep_limits(c); ++k) {
        correction_solve(c, worst);
    }
    correction_bound(c, w, worst);
    c->correction.time = w->reach;
    c->correction.of_contacts = correction_of_contacts(c);
    memcpy(a->compliance, c->correction.compliance,
           (size_t)a->problem.row_count * sizeof *a->compliance);
    a->problem.friction = a->friction;
    pawl_phase_enter(&c->clock, PAWL_PHASE_MOVE);
}

// All energy that poses alone decide [J].
static double correction_potential(const pawl_state *s)
{
    pawl_energy e = pawl_state_energy(s);
    return e.gravity + e.springs;
}

// Poses and twists back onto the joints, whose axes have turned with the poses.
static int correction_close(step_context *c, pawl_state *s, double t)
{
    size_t twists = (size_t)(6 * c->model->body_count) * sizeof(double);
    bool tree_joints = c->coordinates->ops->has_tree_joints;
    if (tree_joints) {
        pawl_twists_of(c->model, s->bodies, c->u.own);
    }
    int steps = pawl_project(c, s, t, CORRECTION_PROJECT_STEPS, correction_closed);
    if (tree_joints) { // all impulses, those of the tree included, act between these two
        memcpy(c->u.start, c->u.own, twists);
    }
    pawl_position_balance(c, s, s->bodies, t, c->u.next);
    s->work[WORK_MOTION] +=
        pawl_coordinates_reactions(c->coordinates, c->u.lambda, c->u.own, c->u.next, c->u.own,
                                   c->u.next, c->u.applied, c->out.reaction);
    c->placed = true;
    return steps;
}

// Moving poses without velocities changes the potential energy alone. That energy is counted as work of contacts and
// limits, in proportion to what each did.
int pawl_correction_apply(step_context *c, pawl_state *s, double t, pawl_step_report *report)
{
    double time = c->correction.time;
    c->correction.time = 0.0;
    if (time == 0.0) {
        return 0;
    }
    pawl_phase_enter(&c->clock, PAWL_PHASE_MOVE);
    const pawl_assembly *a = c->assembly;
    double before = correction_potential(s);
    for (int i = 0; i < 6 * c->model->body_count; ++i) {
        c->correction.twist[i] *= time;
    }
    pawl_project_move(c, s, c->correction.twist, t);
    c->placed = false;
    bool joined =
        c->coordinates->ops->has_tree_joints || (c->settings->project && a->free_rows > 0);
    int steps = joined ? correction_close(c, s, t) : 0;
    double stored = correction_potential(s) - before;
    double by_contacts = c->correction.of_contacts * stored;
    s->work[WORK_CONTACTS] += by_contacts;
    s->work[WORK_LIMITS] += stored - by_contacts;
    report->contact_correction_energy += by_contacts;
    report->limit_correction_energy += stored - by_contacts;
    return steps;
}
