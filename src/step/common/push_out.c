// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A gap g that is negative asks for the rate want = min(erp |g| / h, max_push). As a bias of the velocities it
// would be kinetic energy that nobody put in, without bound where overlaps contradict each other. Instead the
// velocities u+ are those of want = 0, and a second problem with the same rows has what is missing,
//   M s = JT y,   J s = 0 of joints,   0 <= y  _|_  N s + e diag(D) y >= want - N u+,
// the least movement s in the metric of the masses: N are limits and normals. Springs resist it as they do
// in the step. With e > 0 overlaps that contradict each other are shared out, and y
// is bounded. The poses go on by h s; s is forgotten. Split impulses, but for the joints, which stay closed.
#include "step/common/push_out.h"
#include "rows/measure.h"
#include "step/common/position_update.h"
#include <string.h>

static const double push_share = 1e-3;    // e: what contradicts itself gets at most 1/e of its want
static const double push_accuracy = 1e-6; // of the largest want: the next step corrects the rest
static const double push_fastest = 10.0;
static const double push_nothing =
    1e30; // compliance of rows that do not take part, see pose_closure
static const double push_closed = 1e-12; // [m or rad] as drifts leave joints
static const double push_worse = 1e-5;   // of its want: a limit that gets worse by more is kept
enum { PUSH_PROJECT_STEPS = 30, PUSH_ROUNDS = 3 };

// Rows that resist motion, not displacement. What is held or soft resists as it is.
static bool push_is_idle(const row_info *info)
{
    return (info->family->traits & ROW_RESISTS_MOTION) != 0;
}

static bool push_takes_part(const pawl_assembly *a, int r)
{
    return a->want[r] > -INFINITY;
}

static bool push_is_contact(const pawl_assembly *a, int r)
{
    return r >= pawl_problem_contact_row(&a->problem, 0);
}

// A contact that lit holds and that opens by itself is left alone: it flies as it would without.
static bool push_leaves(const step_context *c, int r)
{
    const pawl_assembly *a = c->assembly;
    return push_is_contact(a, r) && a->contacts[a->rows[r].owner].held &&
           c->u.rate[r] > pawl_gentle_push;
}

// What is missing at worst, once bodies have moved by the twists of the step.
static double push_missing(const step_context *c)
{
    pawl_assembly *a = c->assembly;
    double worst = 0.0;
    for (int r = a->free_rows; r < a->problem.row_count; ++r) {
        if (push_leaves(c, r)) {
            a->want[r] = -INFINITY;
        }
        if (a->want[r] > 0.0) {
            worst = max_of(worst, a->want[r] - c->u.rate[r]);
        }
    }
    return worst;
}

// What a unit of impulse along row i of a block does to it, joints left out: the same in all coordinates.
static double push_ease(const pawl_assembly *a, const row_block *b, int i)
{
    double sum = 0.0;
    for (int s = 0; s < b->body_count; ++s) {
        const double *row = a->J + b->jacobian[s] + 6 * i;
        pawl_vec3 push = v3(row[0], row[1], row[2]), turn = v3(row[3], row[4], row[5]);
        sum += a->inverse_mass[b->body[s]] * v3_dot(push, push) +
               v3_dot(turn, m3_mul(&a->inverse_inertia[b->body[s]], turn));
    }
    return sum;
}

// Friction keeps what rests and leans from creeping while it is corrected by little; what is deep inside
// something is let go, or it would jam.
//
// The problem of the step becomes that of the correction; compliances are kept, the next placement poses
// the rest anew.
static void push_pose(step_context *c, double fastest)
{
    pawl_assembly *a = c->assembly;
    pawl_problem *p = &a->problem;
    size_t rows = (size_t)p->row_count;
    memcpy(c->push_out.compliance, a->compliance, rows * sizeof *a->compliance);
    memset(a->v_f, 0, rows * sizeof *a->v_f);
    for (int k = p->free_block_count; k < p->block_count; ++k) {
        const row_block *b = &a->blocks[k];
        for (int i = 0; i < b->rows.dim; ++i) {
            int r = b->rows.first_row + i;
            if (push_takes_part(a, r)) {
                // by as much more as the compliance takes back where it is alone
                double more = a->want[r] > 0.0 ? push_share * a->want[r] : 0.0;
                a->v_f[r] = c->u.rate[r] - a->want[r] - more;
                a->compliance[r] = push_share * push_ease(a, b, i);
            } else if (push_is_idle(&a->rows[r])) {
                a->compliance[r] = push_nothing;
            }
        }
    }
    for (int k = 0; k < p->contact_count; ++k) {
        double want = a->want[pawl_problem_contact_row(p, k) + 2];
        c->push_out.friction[k] = want < fastest ? a->friction[k] : 0.0;
    }
    p->friction = c->push_out.friction;
}

static void push_solve(step_context *c, double worst)
{
    pawl_assembly *a = c->assembly;
    double *lambda = c->push_out.lambda;
    solver_goal goal = pawl_solver_goal(c->solver);
    solver_report report = {.outcome = PAWL_CONVERGED};
    goal.tolerance = max_of(goal.tolerance, push_accuracy * worst);
    memset(lambda, 0, (size_t)a->problem.row_count * sizeof *lambda);
    int islands =
        c->islands == NULL ? 1 : pawl_island_solver_solve(c->islands, goal, lambda, &report);
    if (islands < 2) {
        pawl_solver_solve(c->solver, &a->problem, goal, lambda, &report);
    }
    memset(c->push_out.twist, 0, (size_t)(6 * c->model->body_count) * sizeof(double));
    pawl_assembly_add_impulses(a, lambda, c->push_out.twist);
}

// Whether overlaps contradict each other: some row gets less than half of what it asks for.
static bool push_is_torn(step_context *c)
{
    const pawl_assembly *a = c->assembly;
    size_t mark = pawl_arena_mark(&c->scratch);
    double *rate = pawl_take_rows(c);
    bool torn = false;
    pawl_assembly_row_velocity(a, c->push_out.twist, rate);
    for (int r = a->free_rows; r < a->problem.row_count; ++r) {
        torn = torn || (a->want[r] > 0.0 && c->u.rate[r] + rate[r] < 0.5 * a->want[r]);
    }
    pawl_arena_release(&c->scratch, mark);
    return torn;
}

// Joints that are beyond several limits may have no way back that suits all of them, as a four-bar past its dead
// centre: what takes one further beyond is none. Such rows are kept from getting worse, and ask for no more.
// Returns whether there are any.
static bool push_keep_limits(step_context *c)
{
    pawl_assembly *a = c->assembly;
    size_t mark = pawl_arena_mark(&c->scratch);
    double *rate = pawl_take_rows(c);
    bool worse = false;
    pawl_assembly_row_velocity(a, c->push_out.twist, rate);
    for (int r = a->free_rows; r < pawl_problem_contact_row(&a->problem, 0); ++r) {
        if (a->want[r] > 0.0 && c->u.rate[r] + rate[r] < -push_worse * a->want[r]) {
            a->v_f[r] = c->u.rate[r];
            a->compliance[r] = c->push_out.compliance[r];
            worse = true;
        }
    }
    pawl_arena_release(&c->scratch, mark);
    return worse;
}

// Those on top of others move by the sum of their gaps, which is bounded to some times the fastest correction
// of one. What contradicts itself may ask for any movement, as a wedge does, and gets no more than that of one.
static void push_bound(step_context *c, const step_weights *w)
{
    int bodies = c->model->body_count;
    double most = 0.0, times = push_is_torn(c) ? 1.0 : fmin(push_fastest, bodies);
    double fastest = times * max_of(w->max_push, w->limit_push) * w->h / w->reach;
    for (int i = 0; i < c->model->body_count; ++i) {
        const double *s = c->push_out.twist + 6 * i;
        most = max_of(most, v3_norm(v3(s[0], s[1], s[2])));
        most = max_of(most, v3_norm(v3(s[3], s[4], s[5])));
    }
    double share = most > fastest ? fastest / most : 1.0;
    for (int i = 0; i < 6 * c->model->body_count; ++i) {
        c->push_out.twist[i] *= share;
    }
}

// Which share of the correction is the contacts', the rest being the limits'.
static double push_of_contacts(const step_context *c)
{
    const pawl_assembly *a = c->assembly;
    double contacts = 0.0, all = 0.0;
    for (int r = a->free_rows; r < a->problem.row_count; ++r) {
        if (push_takes_part(a, r) && a->want[r] > 0.0) {
            double part = c->push_out.lambda[r] * a->want[r];
            all += part;
            contacts += push_is_contact(a, r) ? part : 0.0;
        }
    }
    return all > 0.0 ? contacts / all : 1.0;
}

void pawl_push_out_find(step_context *c, const step_weights *w)
{
    pawl_assembly *a = c->assembly;
    double worst = push_missing(c);
    c->push_out.time = 0.0;
    if (!(worst > pawl_gentle_push)) {
        return;
    }
    pawl_phase_enter(&c->clock, PAWL_PHASE_SOLVE);
    push_pose(c, w->max_push * w->h / w->reach);
    push_solve(c, worst);
    for (int k = 0; k < PUSH_ROUNDS && push_keep_limits(c); ++k) {
        push_solve(c, worst);
    }
    push_bound(c, w);
    c->push_out.time = w->reach;
    c->push_out.of_contacts = push_of_contacts(c);
    memcpy(a->compliance, c->push_out.compliance,
           (size_t)a->problem.row_count * sizeof *a->compliance);
    a->problem.friction = a->friction;
    pawl_phase_enter(&c->clock, PAWL_PHASE_MOVE);
}

static double push_potential(const pawl_state *s)
{
    pawl_energy e = pawl_state_energy(s);
    return e.gravity + e.springs;
}

// Poses and twists back onto the joints, whose axes have turned with the poses.
static int push_close(step_context *c, pawl_state *s, double t)
{
    size_t twists = (size_t)(6 * c->model->body_count) * sizeof(double);
    bool holds = c->coordinates->ops->holds_joints;
    if (holds) {
        pawl_twists_of(c->model, s->bodies, c->u.own);
    }
    int steps = pawl_project(c, s, t, PUSH_PROJECT_STEPS, push_closed);
    if (holds) { // all impulses, those of the tree included, act between these two
        memcpy(c->u.start, c->u.own, twists);
    }
    pawl_position_balance(c, s, c->u.next);
    s->work[WORK_MOTION] +=
        pawl_coordinates_reactions(c->coordinates, c->u.lambda, c->u.own, c->u.next, c->u.own,
                                   c->u.next, c->u.applied, c->out.reaction);
    c->placed = true;
    return steps;
}

int pawl_push_out_apply(step_context *c, pawl_state *s, double t, pawl_step_report *report)
{
    double time = c->push_out.time;
    c->push_out.time = 0.0;
    if (time == 0.0) {
        return 0;
    }
    pawl_phase_enter(&c->clock, PAWL_PHASE_MOVE);
    const pawl_assembly *a = c->assembly;
    double before = push_potential(s);
    for (int i = 0; i < 6 * c->model->body_count; ++i) {
        c->push_out.twist[i] *= time;
    }
    pawl_project_move(c, s, c->push_out.twist, t);
    c->placed = false;
    bool joined = c->coordinates->ops->holds_joints || (c->settings->project && a->free_rows > 0);
    int steps = joined ? push_close(c, s, t) : 0;
    double stored = push_potential(s) - before;
    double by_contacts = c->push_out.of_contacts * stored;
    s->work[WORK_CONTACTS] += by_contacts;
    s->work[WORK_LIMITS] += stored - by_contacts;
    report->pushed_contacts += by_contacts;
    report->pushed_limits += stored - by_contacts;
    return steps;
}
