// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The proximal point method: from a centre c the next one solves the problem with
//   v = D lambda + v_f + (w / E) (lambda - c),
// w the weights of the rows. Its solutions are those of the problem where lambda = c. The term gives the matrix full
// rank, so that Newton's method (curnier.c) finds the modes of all contacts of a face. Without it the load can shift
// among eight corners at velocities of 1e-6 m/s. The centre moves by E v / w: a large E gives long steps, a small one
// is safe, and E is adapted to the convergence of Newton's method.
//
// If a contact must open that dependent rows keep closed (four corners of a face, a box between two others, gaps of
// 1e-9 m), the residual is the velocity by which the modes contradict each other. It is constant from centre to
// centre while impulses move along the null space of D by E v / w each time, in a straight line until a contact
// changes its mode. That distance is known (curnier_ratio), and the centre is moved there in one step: a march. The
// march adds D times a long step to the residual, which the next centre removes.
//
// A problem of this form only has a larger compliance and another v_f, so that it needs no code of its own. Method:
// [rockafellar-1976].
#include "solve/proximal.h"
#include <math.h>
#include <string.h>

static const double proximal_first = 100.0, proximal_least = 1.0, proximal_most = 1e7; // E
static const double proximal_change = 10.0; // of E from centre to centre
static const double proximal_inner = 0.1; // residual that is left, where the problem is regularized
static const double proximal_solved = 0.3; // what counts as solved
static const double proximal_gain = 0.5;   // residuals must fall so much to count as progress
static const double proximal_march =
    1e3; // E from which centres march: less moves more than the null space
static const double proximal_idle_share =
    0.5; // of the residual that is left where they do not converge
static const double proximal_longest = 1e6; // march, in changes of the last centre
static const double proximal_beyond = 1e-6; // of it, so that the mode does change
static const double proximal_wild = 1e5;    // residuals that grow so much are not gone on from
enum {
    PROXIMAL_CENTRES = 20, // and two for each march
    PROXIMAL_MARCHES = 40,
    PROXIMAL_STEPS = 10,  // of Newton's method for each
    PROXIMAL_QUICK = 4,   // so few allow a larger E
    PROXIMAL_IDLE = 5,    // centres without progress
    PROXIMAL_CONTENT = 2, // and where the answer is good enough
};

proximal_part pawl_proximal_layout(const solver_def *def, pawl_carver *mem)
{
    return (proximal_part){.compliance = PAWL_CARVE(mem, double, def->max_rows),
                           .v_f = PAWL_CARVE(mem, double, def->max_rows),
                           .centre = pawl_space_iterate_layout(def->max_rows, mem),
                           .at = pawl_space_iterate_layout(def->max_rows, mem)};
}

// The regularized problem around the centre.
static void proximal_pose(proximal_part *s, const space_problem *q, double E)
{
    const pawl_problem *p = q->p;
    for (int i = 0; i < p->row_count; ++i) {
        double soft = q->weight[i] / E;
        s->compliance[i] = p->compliance[i] + soft;
        s->v_f[i] = p->v_f[i] - soft * s->centre.lambda[i];
    }
}

static void proximal_see(problem_watch *base, const pawl_problem *posed, const double *lambda)
{
    (void)posed;
    pawl_problem_show(((proximal_watch *)base)->of, lambda);
}

// Solves the problem that is posed from the centre: s->at gets its answer, measured as one of q. Whether it is solved.
static bool proximal_solve(proximal_part *s, curnier_part *newton, const space_problem *q,
                           const proximal_goal *goal, int steps, solver_report *report)
{
    pawl_problem posed = *q->p;
    posed.compliance = s->compliance;
    posed.v_f = s->v_f;
    proximal_watch watch = {{proximal_see}, q->p};
    posed.watch = q->p->watch != NULL ? &watch.base : NULL;
    space_problem own = {&posed, q->space, q->weight};
    pawl_space_iterate_copy(q, &s->centre, &s->at);
    pawl_space_evaluate(&own, &s->at);
    double before = s->at.natural, target = fmax(0.2 * goal->aim, proximal_inner * before);
    bool met = pawl_curnier_run(newton, &own, (curnier_aim){target, target}, steps, &s->at, report);
    met = met || s->at.natural < proximal_solved * before;
    pawl_space_evaluate(q, &s->at);
    return met;
}

// Moves the centre from where it was through s->at to the next change of a mode. False where that leads too far away: the
// centre is then s->at.
static bool proximal_advance(proximal_part *s, const space_problem *q)
{
    int n = q->p->row_count;
    double *dlambda = s->compliance, *dv = s->v_f; // idle
    for (int i = 0; i < n; ++i) {
        dlambda[i] = s->at.lambda[i] - s->centre.lambda[i];
        dv[i] = s->at.v[i] - s->centre.v[i];
    }
    double length = pawl_curnier_ratio(q, &s->at, dlambda, dv, proximal_longest);
    for (int i = 0; i < n; ++i) {
        s->centre.lambda[i] = s->at.lambda[i] + (1.0 + proximal_beyond) * length * dlambda[i];
    }
    pawl_space_admit(q->p, s->centre.lambda);
    pawl_space_evaluate(q, &s->centre);
    if (!(s->centre.natural < proximal_wild * s->at.natural)) {
        pawl_space_iterate_copy(q, &s->at, &s->centre);
        return false;
    }
    return true;
}

// Whether s->at, which is solved, is no nearer to a solution than the centre was; after a march, than the best.
static bool proximal_idles(const proximal_part *s, const space_iterate *best, bool marched)
{
    return marched ? s->at.natural < 2.0 * best->natural
                   : s->at.natural > proximal_idle_share * s->centre.natural;
}

void pawl_proximal_run(proximal_part *s, curnier_part *newton, const space_problem *q,
                       proximal_goal goal, space_iterate *x, solver_report *report)
{
    double E = proximal_first, mark = x->natural;
    int idle = 0, marches = 0, done = report->factorizations;
    bool marched = false; // just now
    pawl_space_iterate_copy(q, x, &s->centre);
    for (int k = 0; k < PROXIMAL_CENTRES + 2 * marches && x->natural > goal.aim; ++k) {
        int left = goal.factors - (report->factorizations - done), used = report->factorizations;
        if (left <= 0 || idle >= (x->natural <= goal.accept ? PROXIMAL_CONTENT : PROXIMAL_IDLE)) {
            break;
        }
        proximal_pose(s, q, E);
        bool met = proximal_solve(s, newton, q, &goal,
                                  left < PROXIMAL_STEPS ? left : PROXIMAL_STEPS, report);
        used = report->factorizations - used;
        if (s->at.natural < x->natural) {
            pawl_space_iterate_copy(q, &s->at, x);
        }
        bool gained = x->natural < proximal_gain * mark;
        bool stuck = met && (E >= proximal_march || idle > 0) && proximal_idles(s, x, marched);
        if (stuck && marches < PROXIMAL_MARCHES) {
            ++marches;
            idle = idle > 0 ? idle - 1 : 0;
            marched = proximal_advance(s, q);
            marches = marched ? marches : PROXIMAL_MARCHES;
            if (s->centre.natural < x->natural) {
                pawl_space_iterate_copy(q, &s->centre, x);
            }
            continue;
        }
        marched = false;
        if (met || s->at.natural < s->centre.natural) {
            pawl_space_iterate_copy(q, &s->at, &s->centre);
        }
        if (met && used <= PROXIMAL_QUICK) {
            E = fmin(proximal_change * E, proximal_most);
        } else if (!met) {
            E = fmax(E / proximal_change, proximal_least);
        }
        idle = gained ? 0 : idle + 1;
        mark = gained ? x->natural : mark;
    }
}
