// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// admm-ncp: a combination of sweeps and alternating directions (admm.h), the best one of those measured.
//
// Rounds of exact Gauss-Seidel sweeps, then of alternating directions, until one of them converges: each can continue
// where the other one is stuck. Most steps start so near to the solution that one or two sweeps are enough; sweeps
// that hardly contract end at once. Resting contacts (stacks, walls) need a small penalty: the first round starts
// with it and increases it while the contraction gets faster. Sliding contacts and loops need a larger, fixed
// penalty, which later rounds try. Each change of the penalty needs a factorization. The direct method, which is
// exact, solves problems without contacts.
#include "math/vec.h"
#include "problem/natural.h"
#include "solve/admm.h"
#include "solve/sweep.h"
#include <string.h>

// Momentum helps what slides and disturbs what climbs.
static const admm_variant admm_ncp_first_variant = {
    .precondition = true, .eta = 1e-6, .relaxation = 1.6};
static const admm_variant admm_ncp_later_variant = {
    .precondition = true, .eta = 1e-6, .relaxation = 1.6, .accelerate = true};
static const double admm_ncp_goal =
    0.5; // share of the tolerance; eliminated rows add to the residual
// Measured on stacks, walls, chains on the ground and dropped linkages (docs/solvers/admm-ncp.md).
static const struct {
    int sweeps;
    double rho;
    int iterations;
} admm_ncp_rounds[] = {{20, 0.01, 100}, {40, 1.0, 100},  {40, 0.1, 100},
                       {40, 0.01, 100}, {100, 1.0, 100}, {100, 0.1, 100}};
enum {
    ADMM_NCP_ROUNDS = sizeof admm_ncp_rounds / sizeof admm_ncp_rounds[0],
    ADMM_NCP_AGAIN = 3,    // rounds at the end that are repeated
    ADMM_NCP_PATIENCE = 3, // sweeps of the first round that may be too slow
    ADMM_NCP_LOOK = 10,    // iterations between looks at the natural map
    ADMM_NCP_CLIMB = 20    // and at rho
};
static const double admm_ncp_slow_climb = 0.1; // over ADMM_NCP_CLIMB iterations
static const double admm_ncp_stride = 4.0;
static const double admm_ncp_least_rho = 1e-6, admm_ncp_most_rho = 1e3;

typedef struct admm_ncp {
    pawl_solver base;
    sweeper sweeps;
    admm admm;
    double *best; // (rows) what had the least natural map so far
    double least;
} admm_ncp;

static pawl_solver *admm_ncp_layout(const solver_def *def, pawl_carver *mem)
{
    admm_ncp *s = PAWL_CARVE(mem, admm_ncp, 1);
    admm_ncp layout = {.admm = pawl_admm_layout(def->max_rows, mem)};
    layout.sweeps = pawl_sweeper_layout(def->max_rows, def->max_blocks, def->max_block_dim, mem);
    layout.best = PAWL_CARVE(mem, double, def->max_rows);
    if (s == NULL) {
        return NULL;
    }
    *s = layout;
    return &s->base;
}

// Whether y, of which `natural` is the natural map, is good enough; else it is kept if it is the best.
static bool admm_ncp_converged(admm_ncp *s, const pawl_problem *p, solver_goal goal, double natural,
                               const double *y)
{
    if (natural < s->least) {
        s->least = natural;
        memcpy(s->best, y, (size_t)p->row_count * sizeof *y);
    }
    return natural <= admm_ncp_goal * goal.tolerance;
}

// Sweeps and ADMM iterations count equally: each costs about one product with D.
static bool admm_ncp_has_left(solver_goal goal, const solver_report *report)
{
    return report->iterations < goal.iterations;
}

// Whether a residual that went from `last` to `now` in one sweep will be at the goal after so many more.
static bool admm_ncp_gets_there(double now, double last, int more, double goal)
{
    for (double rate = now / last; more > 0 && now > goal && rate < 1.0; --more) {
        now *= rate;
    }
    return now <= goal;
}

// Exact sweeps, at most so many, or until it was `patience` times seen that those will not do. True
// when they converge.
static bool admm_ncp_sweep(admm_ncp *s, const pawl_problem *p, solver_goal goal, int most,
                           int patience, double *y, solver_report *report)
{
    double tolerance = goal.tolerance, last = INFINITY;
    report->method = PAWL_METHOD_SWEEPS;
    pawl_sweep_begin(&s->sweeps, p, y);
    for (int k = 0; k < most && patience > 0 && admm_ncp_has_left(goal, report); ++k) {
        double worst = pawl_sweep(&s->sweeps, p, SWEEP_EXACT, y);
        ++report->iterations;
        if (worst <= tolerance &&
            admm_ncp_converged(s, p, goal, pawl_sweep_natural(&s->sweeps, p, s->admm.weight, y),
                               y)) {
            return true;
        }
        patience -= !admm_ncp_gets_there(worst, last, most - k - 1, tolerance);
        last = worst;
    }
    return admm_ncp_converged(s, p, goal, pawl_sweep_natural(&s->sweeps, p, s->admm.weight, y), y);
}

// rho climbs towards faster contraction of the last step's length in the metric of P.
typedef struct admm_ncp_climber {
    double last, before;
    int direction;
} admm_ncp_climber;

// One step of a search over rho, every ADMM_NCP_CLIMB iterations: by a factor of four in one direction, and back
// where the contraction got worse by more than 5 %. With fast contraction (below admm_ncp_slow_climb) rho is not
// changed, because a new rho costs a factorization. The first look has no length to compare with: last is infinite,
// the contraction 0, and rho stays.
static double admm_ncp_climb(admm_ncp_climber *c, const admm *a)
{
    double contraction = a->length / c->last, rho = a->rho;
    c->last = a->length;
    if (contraction > admm_ncp_slow_climb) {
        c->direction = contraction > 1.05 * c->before ? -c->direction : c->direction;
        c->before = contraction;
        rho *= c->direction < 0 ? 1.0 / admm_ncp_stride : admm_ncp_stride;
    }
    return fmin(fmax(rho, admm_ncp_least_rho), admm_ncp_most_rho);
}

// Alternating directions from y. True when they converge, or can go no further.
static bool admm_ncp_alternate(admm_ncp *s, const pawl_problem *p, solver_goal goal, double rho,
                               int most, bool first, double *y, solver_report *report)
{
    admm *a = &s->admm;
    admm_ncp_climber climber = {.last = INFINITY, .before = INFINITY, .direction = -1};
    double tolerance = goal.tolerance;
    report->method = PAWL_METHOD_ADMM;
    pawl_admm_begin(a, p, first ? &admm_ncp_first_variant : &admm_ncp_later_variant, y);
    ++report->factorizations;
    if (!pawl_admm_set_rho(a, p, rho)) {
        report->outcome = PAWL_STALLED; // memory for a new structure is out: y stays
        return true;
    }
    for (int k = 1; k <= most && admm_ncp_has_left(goal, report); ++k) {
        pawl_admm_iterate(a, p, y);
        ++report->iterations;
        bool look = k % ADMM_NCP_LOOK == 0 || max_of(a->primal, a->dual) <= tolerance;
        if (look && admm_ncp_converged(s, p, goal, pawl_admm_natural(a, p, y), y)) {
            report->outcome = PAWL_CONVERGED;
            return true;
        }
        if (first && k % ADMM_NCP_CLIMB == 0) {
            rho = admm_ncp_climb(&climber, a);
            if (rho != a->rho) {
                (void)pawl_admm_set_rho(a, p, rho); // the structure is the same: cannot fail
                ++report->factorizations;
            }
        }
    }
    return false;
}

// The rounds of the table in order, then the last ADMM_NCP_AGAIN of them over and over. Only the first round gives up
// on its sweeps early; later ones were entered because ADMM failed, too.
static void admm_ncp_run(admm_ncp *s, const pawl_problem *p, solver_goal goal, double *lambda,
                         solver_report *report)
{
    for (int round = 0; admm_ncp_has_left(goal, report); ++round) {
        int k = round < ADMM_NCP_ROUNDS
                    ? round
                    : ADMM_NCP_ROUNDS - ADMM_NCP_AGAIN + (round - ADMM_NCP_ROUNDS) % ADMM_NCP_AGAIN;
        int sweeps = admm_ncp_rounds[k].sweeps;
        if (admm_ncp_sweep(s, p, goal, sweeps, round == 0 ? ADMM_NCP_PATIENCE : sweeps, lambda,
                           report)) {
            report->outcome = PAWL_CONVERGED;
            return;
        }
        if (!admm_ncp_has_left(goal, report) ||
            admm_ncp_alternate(s, p, goal, admm_ncp_rounds[k].rho, admm_ncp_rounds[k].iterations,
                               round == 0, lambda, report)) {
            return;
        }
    }
}

// lambda may be worse at the end than in between, because rounds of ADMM are not monotone. Without convergence the
// answer is the iterate of the least natural map.
static void admm_ncp_solve(pawl_solver *base, const pawl_problem *p, solver_goal goal,
                           double *lambda, solver_report *report)
{
    admm_ncp *s = (admm_ncp *)base;
    *report = (solver_report){.outcome = PAWL_ITERATION_LIMIT};
    s->least = INFINITY;
    pawl_problem_weights(p, s->admm.weight);
    admm_ncp_run(s, p, goal, lambda, report);
    if (report->outcome != PAWL_CONVERGED && s->least < INFINITY) {
        memcpy(lambda, s->best, (size_t)p->row_count * sizeof *lambda);
    }
}

const pawl_solver_ops pawl_admm_ncp_ops = {
    .name = "admm-ncp",
    .summary = "alternates Gauss-Seidel sweeps and ADMM; exact without contacts",
    .contacts = true,
    .pivots_alone = true,
    .layout = admm_ncp_layout,
    .solve = admm_ncp_solve,
};
