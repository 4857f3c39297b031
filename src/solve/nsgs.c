// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// nsgs: nonsmooth Gauss-Seidel. Each block in turn is solved exactly for the newest impulses of the
// others, contacts by Signorini's and Coulomb's laws themselves (contact_local.h).
//
// Plain sweeps solve easy problems. They are slow in two cases. If they contract slowly, Anderson's combination of
// the last sweeps (anderson.h) reaches in twenty sweeps what they need hundreds for; its result is kept only if plain
// sweeps would have needed more iterations. If D lacks rank, internal forces change at a constant rate until a
// contact starts to slip or opens: then the change per sweep has constant length and direction, and an extrapolation
// along it, with a length that grows as long as no mode changes, reaches that event quickly. Progress is measured by
// the length of a sweep's change in the metric of D, which decreases more smoothly than the residual. Rejected
// accelerations are undone, and the plain rounds between them become longer.
#include "solve/nsgs.h"
#include "problem/natural.h"
#include <math.h>
#include <string.h>

enum {
    NSGS_ROUND = 10,    // plain sweeps, at first
    NSGS_LONGEST = 160, // and at most
    NSGS_COMBINED = 20, // sweeps of a round of combinations
    NSGS_JUMPS = 12,    // in a row
    NSGS_AFTER = 10     // sweeps that judge a jump
};
static const double nsgs_worth = 0.5;      // what a round of combinations must do to the change
static const double nsgs_wild = 10.0;      // it is given up when the change grows so much
static const double nsgs_creep = 0.67;     // contraction of a round from which on jumps are tried
static const double nsgs_first_jump = 4.0; // in units of the way of half a round
static const double nsgs_slack = 1.5;      // that a jump may add to the change
static const double nsgs_goal = 0.5; // share of the tolerance; eliminated rows add to the residual

nsgs_part pawl_nsgs_layout(const solver_def *def, pawl_carver *mem)
{
    return (nsgs_part){
        .sweeps = pawl_sweeper_layout(def->max_rows, def->max_blocks, def->max_block_dim, mem),
        .memory = pawl_anderson_layout(def->max_rows, mem),
        .weight = PAWL_CARVE(mem, double, def->max_rows),
        .before = PAWL_CARVE(mem, double, def->max_rows),
        .saved = PAWL_CARVE(mem, double, def->max_rows),
        .travel = PAWL_CARVE(mem, double, def->max_rows)};
}

// One run over a problem.
typedef struct nsgs_run {
    nsgs_part *s;
    const pawl_problem *p;
    double *lambda;
    size_t bytes;
    double goal;
    int left;      // sweeps that may still be made
    bool reached;  // the goal is
    double change; // of the last sweep
} nsgs_run;

// r->change is the length of the sweep's change in the metric of the diagonal of D + R. The natural map is
// computed only when the sweep's own figure says that it may be small enough.
static void nsgs_sweep(nsgs_run *r)
{
    nsgs_part *s = r->s;
    memcpy(s->before, r->lambda, r->bytes);
    double worst = pawl_sweep(&s->sweeps, r->p, SWEEP_EXACT, r->lambda), sum = 0.0;
    --r->left;
    for (int i = 0; i < r->p->row_count; ++i) {
        double d = r->lambda[i] - s->before[i];
        sum += s->weight[i] * d * d;
    }
    r->change = sqrt(sum);
    r->reached = worst <= 2.0 * r->goal &&
                 pawl_sweep_natural(&s->sweeps, r->p, s->weight, r->lambda) <= r->goal;
}

static bool nsgs_ended(const nsgs_run *r)
{
    return r->reached || r->left <= 0;
}

// Goes on from x.
// The operator stores the velocities of its impulses, so it must be updated after impulses were set from outside.
static void nsgs_place(nsgs_run *r, const double *x)
{
    memcpy(r->lambda, x, r->bytes);
    r->p->delassus->ops->sweep_begin(r->p->delassus, r->lambda);
}

// A round of plain sweeps. s->way gets the way of its second half. Returns the contraction
// of NSGS_COMBINED sweeps; rounds are that many, or a power of two more or less.
static double nsgs_plain(nsgs_run *r, int sweeps)
{
    double first = 0.0;
    for (int k = 0; k < sweeps && !nsgs_ended(r); ++k) {
        nsgs_sweep(r);
        first = k == 0 ? r->change : first;
        if (k == sweeps / 2) {
            memcpy(r->s->travel, r->lambda, r->bytes);
        }
    }
    for (int i = 0; i < r->p->row_count; ++i) {
        r->s->travel[i] = r->lambda[i] - r->s->travel[i];
    }
    double contraction = first > 0.0 ? r->change / first : 0.0;
    contraction *= sweeps < NSGS_COMBINED ? contraction : 1.0; // half as many
    for (int k = sweeps; k > NSGS_COMBINED; k /= 2) {
        contraction = sqrt(contraction);
    }
    return contraction;
}

// A round of combinations; false, and all is as it was, when it was not worth it.
static bool nsgs_combine(nsgs_run *r, double contraction)
{
    nsgs_part *s = r->s;
    double start = r->change;
    memcpy(s->saved, r->lambda, r->bytes);
    pawl_anderson_begin(&s->memory);
    int sweeps = 0;
    while (sweeps < NSGS_COMBINED) {
        nsgs_sweep(r);
        if (nsgs_ended(r)) {
            return true;
        }
        if (r->change > nsgs_wild * start) {
            break;
        }
        if (++sweeps < NSGS_COMBINED &&
            pawl_anderson_step(&s->memory, r->p->row_count, s->weight, s->before, r->lambda)) {
            pawl_problem_admit(r->p, s->before);
            nsgs_place(r, s->before);
        }
    }
    if (sweeps == NSGS_COMBINED && r->change <= start * fmin(nsgs_worth, contraction)) {
        return true;
    }
    nsgs_place(r, s->saved);
    r->change = start;
    return false;
}

// Jumps along s->way, as long as the sweeps after them change no more than those before.
static void nsgs_creep_on(nsgs_run *r, double *jump)
{
    nsgs_part *s = r->s;
    double least = r->change;
    for (int k = 0; k < NSGS_JUMPS; ++k) {
        double before = r->change;
        memcpy(s->saved, r->lambda, r->bytes);
        for (int i = 0; i < r->p->row_count; ++i) {
            s->before[i] = r->lambda[i] + *jump * s->travel[i];
        }
        pawl_problem_admit(r->p, s->before);
        nsgs_place(r, s->before);
        for (int i = 0; i < NSGS_AFTER; ++i) {
            nsgs_sweep(r);
            if (nsgs_ended(r)) {
                return;
            }
        }
        if (r->change <= nsgs_slack * least) {
            least = fmin(least, r->change);
            *jump *= 2.0;
            continue;
        }
        nsgs_place(r, s->saved);
        r->change = before;
        *jump *= 0.25;
        if (*jump < 1.0) {
            *jump = nsgs_first_jump;
            return;
        }
    }
}

// Rounds of plain sweeps. Between them, where the sweeps contract slowly, a combination of the last rounds or a jump
// along their travel is tried and kept if the sweeps after it agree. Rounds grow while nothing helps.
bool pawl_nsgs_run(nsgs_part *s, const pawl_problem *p, double goal, int most, double *lambda,
                   int *iterations)
{
    nsgs_run r = {s, p, lambda, (size_t)p->row_count * sizeof *lambda, goal, most, false, 0.0};
    double jump = nsgs_first_jump;
    int round = NSGS_ROUND;
    pawl_sweep_begin(&s->sweeps, p, lambda);
    for (;;) {
        double contraction = nsgs_plain(&r, round);
        if (nsgs_ended(&r)) {
            break;
        }
        bool combined = nsgs_combine(&r, contraction);
        if (!combined && contraction > nsgs_creep) {
            nsgs_creep_on(&r, &jump);
        }
        if (nsgs_ended(&r)) {
            break;
        }
        round = combined ? round / 2 : 2 * round;
        round = round < NSGS_ROUND ? NSGS_ROUND : round > NSGS_LONGEST ? NSGS_LONGEST : round;
    }
    *iterations += most - r.left;
    return r.reached;
}

typedef struct nsgs {
    pawl_solver base;
    nsgs_part part;
} nsgs;

static pawl_solver *nsgs_layout(const solver_def *def, pawl_carver *mem)
{
    nsgs *s = PAWL_CARVE(mem, nsgs, 1);
    nsgs_part part = pawl_nsgs_layout(def, mem);
    if (s == NULL) {
        return NULL;
    }
    s->part = part;
    return &s->base;
}

static void nsgs_solve(pawl_solver *base, const pawl_problem *p, solver_goal goal, double *lambda,
                       solver_report *report)
{
    nsgs_part *s = &((nsgs *)base)->part;
    *report = (solver_report){.outcome = PAWL_ITERATION_LIMIT, .method = PAWL_METHOD_SWEEPS};
    pawl_problem_weights(p, s->weight);
    if (pawl_nsgs_run(s, p, nsgs_goal * goal.tolerance, goal.iterations, lambda,
                      &report->iterations)) {
        report->outcome = PAWL_CONVERGED;
    }
}

const pawl_solver_ops pawl_nsgs_ops = {
    .name = "nsgs",
    .summary = "Gauss-Seidel with exact solutions of single contacts, Anderson acceleration",
    .contacts = true,
    .pivots_alone = true,
    .layout = nsgs_layout,
    .solve = nsgs_solve,
};
