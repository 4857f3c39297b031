// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The projections after a step of lit, in the metric of the masses: poses back onto the joints, twists
// back into their tangents. The active constraints of a step (called grips below) take part like joints: limits and
// contacts with an impulse (the normals of slipping contacts, all rows of sticking ones) and sticking friction
// losses. Without this, scheme II leaves a velocity error of order h in them, which changes its sign in each step and
// is not damped.
//
// Joints are eliminated with their factor; the active constraints g, which may depend on each other and on the
// joints, solve
//   (S + eps diag D) x = b,   S = D_gg - D_gf A_ff^-1 D_fg
// by conjugate gradients, one iteration for each independent constraint.
#include "linalg/conjugate.h"
#include "step/common/energy_balance.h"
#include "step/lit/lit.h"
#include <string.h>

enum { SETTLE_ITERATIONS = 8, SETTLE_PROJECT_STEPS = 30, SETTLE_MAX_CONJUGATE = 200 };
static const double settle_tolerance = 1e-12; // [m or rad]
static const double settle_contraction = 0.5; // slower is no convergence
static const double settle_shift =
    1e-4; // of D's diagonal: grips that nearly depend on each other do not move
          // bodies far; the next steps remove what it leaves
static const double settle_pose_accuracy = 1e-6; // of conjugate gradients
static const double settle_velocity_accuracy = 1e-9;
static const double settle_stick = 1.0 - 1e-9; // fraction of a bound up to which friction sticks

// A friction loss between its bounds, or a limit that presses.
static bool settle_candidate_holds(const pawl_assembly *a, int row, double lambda)
{
    unsigned traits = a->rows[row].family->traits;
    if ((traits & ROW_IS_DRY) != 0) {
        return fabs(lambda) < settle_stick * a->upper[row];
    }
    return (traits & ROW_IS_LIMIT) != 0 && lambda > 0.0 && a->compliance[row] == 0.0;
}

// Which one-sided rows acted as equalities in this step: limits and contacts that persist with a positive impulse,
// dry friction inside its bounds. Contacts inside their friction cone stick, with a margin so that rounding does not
// decide.
void pawl_lit_find_closed_rows(step_context *c)
{
    const pawl_assembly *a = c->assembly;
    const pawl_problem *p = &a->problem;
    lit_closed_rows *g = &lit_of(c)->closed_rows;
    g->count = 0;
    int row = a->free_rows;
    for (int k = 0; k < a->candidate_count; ++k) {
        if (!a->included[k]) {
            continue;
        }
        if (settle_candidate_holds(a, row, c->u.lambda[row]) &&
            (!pawl_assembly_is_limit(a, k) || a->persistent[k])) {
            g->rows[g->count++] = (closed_row){.candidate = k};
        }
        ++row;
    }
    for (int k = 0; k < p->contact_count; ++k) {
        const double *x = c->u.lambda + pawl_problem_contact_row(p, k);
        const pawl_contact *in = &a->contacts[k];
        if (in->persistent && x[2] > 0.0) {
            double bound = settle_stick * in->friction * x[2];
            bool sticks = x[0] * x[0] + x[1] * x[1] < bound * bound;
            g->ids[k] = in->id;
            g->rows[g->count++] = (closed_row){.candidate = -1, .contact = k, .sticks = sticks};
        }
    }
}

// Finds the contacts among the grips again where the bodies are now; those that are gone hold no more. More
// than there is room for: context.out.contact_demand.
// Closed rows have candidates first and contacts last, both in order; ids are ascending, so that one walk over the
// finder's list is enough.
static void settle_find(step_context *c, const pawl_state *s)
{
    lit_closed_rows *g = &lit_of(c)->closed_rows;
    bool any = g->count > 0 && g->rows[g->count - 1].candidate < 0;
    int count = 0, kept = 0, placed = 0;
    if (any) {
        pawl_phase_enter(&c->clock, PAWL_PHASE_COLLIDE);
        count = pawl_contact_finder_find(c->finder, s->bodies, c->settings->contact.margin, 0.0);
        pawl_phase_enter(&c->clock, PAWL_PHASE_MOVE);
        if (count < 0 || count > c->assembly->max_contacts) {
            c->out.contact_demand = count;
            count = 0;
        }
    }
    const pawl_contact *found = any ? pawl_contact_finder_contacts(c->finder) : NULL;
    for (int i = 0, k = 0; i < g->count; ++i) {
        closed_row row = g->rows[i];
        if (row.candidate < 0) {
            double id = g->ids[row.contact];
            while (k < count && found[k].id < id) {
                ++k;
            }
            if (k >= count || found[k].id != id) {
                continue;
            }
            g->found[placed] = found[k++];
            row.contact = placed++;
        }
        g->rows[kept++] = row;
    }
    g->count = kept;
    if (any) {
        pawl_assembly_set_contacts(c->assembly, g->found, placed);
    }
}

typedef struct settle_system {
    step_context *c;
    double *diagonal; // (rows) of D; those of the grips
    double *velocity; // (rows) scratch
} settle_system;

// Velocities of the grips for their impulses x, the joints holding.
// One product costs an elimination of the joints: x changes the velocities of the joints, whose impulses cancel them,
// and both change the active constraints.
static void settle_product(void *user, const double *x, double *y)
{
    const settle_system *system = user;
    step_context *c = system->c;
    pawl_assembly *a = c->assembly;
    int n = a->free_rows, m = a->problem.row_count - n;
    memcpy(c->u.lambda + n, x, (size_t)m * sizeof *x);
    memset(a->v_f, 0, (size_t)n * sizeof *a->v_f);
    pawl_eliminate_recover(c->closure, &a->problem, a->has_loops ? 1e-13 : 1.0, c->u.lambda);
    a->problem.delassus->ops->apply(a->problem.delassus, c->u.lambda, system->velocity);
    for (int i = 0; i < m; ++i) {
        y[i] = system->velocity[n + i] + settle_shift * system->diagonal[n + i] * x[i];
    }
}

// By the diagonal of D; a grip that nothing can move has none and gets no impulse.
static void settle_precondition(void *user, const double *x, double *y)
{
    const settle_system *system = user;
    const pawl_assembly *a = system->c->assembly;
    int n = a->free_rows;
    for (int i = 0; i < a->problem.row_count - n; ++i) {
        double d = system->diagonal[n + i];
        y[i] = d > 0.0 ? x[i] / d : 0.0;
    }
}

// Impulses c->u.lambda of joints and grips that take away the velocities in v_f, and what they do: change.
static void settle_solve(step_context *c, double joint_accuracy, double accuracy, double *change)
{
    pawl_assembly *a = c->assembly;
    int n = a->free_rows, m = a->problem.row_count - n;
    memset(c->u.lambda, 0, (size_t)a->problem.row_count * sizeof *c->u.lambda);
    if (m > 0) {
        double *b = lit_of(c)->scratch, *x = b + m, *kept = x + m, *scratch = kept + n;
        size_t mark = pawl_arena_mark(&c->scratch);
        settle_system system = {c, pawl_take_rows(c), pawl_take_rows(c)};
        memcpy(kept, a->v_f, (size_t)n * sizeof *kept);
        a->problem.delassus->ops->diagonal(a->problem.delassus, a->free_blocks, system.diagonal);
        pawl_eliminate_recover(c->closure, &a->problem, joint_accuracy, c->u.lambda);
        a->problem.delassus->ops->apply(a->problem.delassus, c->u.lambda, system.velocity);
        for (int i = 0; i < m; ++i) {
            b[i] = -(system.velocity[n + i] + a->v_f[n + i]);
            x[i] = 0.0;
        }
        conjugate_system equations = {&system, settle_product, settle_precondition};
        int most = 2 * m < SETTLE_MAX_CONJUGATE ? 2 * m : SETTLE_MAX_CONJUGATE;
        pawl_conjugate_gradients(&equations, m, b, accuracy, most, x, scratch);
        memcpy(a->v_f, kept, (size_t)n * sizeof *kept);
        memcpy(c->u.lambda + n, x, (size_t)m * sizeof *x);
        pawl_arena_release(&c->scratch, mark);
    }
    pawl_closure_solve(c, joint_accuracy, change);
}

// Distance of a grip from where it holds.
static double settle_gap(const step_context *c, const closed_row *row)
{
    if (row->candidate < 0) {
        return lit_of(c)->closed_rows.found[row->contact].gap;
    }
    const pawl_assembly *a = c->assembly;
    return pawl_assembly_is_limit(a, row->candidate) ? pawl_assembly_limit_gap(a, row->candidate)
                                                     : 0.0;
}

// Whether an active constraint is violated by more than the motion explains: then its violation is kept, and
// corrected at a bounded rate (position_correction.c).
static bool settle_is_deep(const step_context *c, const pawl_state *s, const closed_row *row,
                           double gap)
{
    const pawl_settings *set = c->settings;
    double h = c->u.fraction * set->dt;
    if (row->candidate >= 0) {
        return set->erp.limit * gap < -h * pawl_slow_correction;
    }
    const pawl_contact *in = &lit_of(c)->closed_rows.found[row->contact];
    return set->erp.contact * gap < -h * pawl_contact_slow_correction(c->assembly, in, s->bodies);
}

// v_f of the grips: their gaps in the first iteration; later ones keep what it reached. Returns the
// largest.
// Gaps are not measured again after the first iteration: that would need new contact points each time.
static double settle_set_gaps(step_context *c, const pawl_state *s, bool first)
{
    pawl_assembly *a = c->assembly;
    const lit_closed_rows *g = &lit_of(c)->closed_rows;
    double worst = 0.0;
    int row = a->free_rows;
    for (int i = 0; i < g->count; ++i) {
        double gap = settle_gap(c, &g->rows[i]);
        a->v_f[row] = first && !settle_is_deep(c, s, &g->rows[i], gap) ? gap : 0.0;
        worst = fmax(worst, fabs(a->v_f[row++]));
    }
    return worst;
}

// Newton's method with the rows and the factor of the middle of the step. False: it does not contract.
// Contraction is asked of the joints alone; gaps are corrected once.
static bool settle_poses(step_context *c, pawl_state *s, double t, int *iterations)
{
    pawl_assembly *a = c->assembly;
    double last = INFINITY;
    for (int k = 0; k < SETTLE_ITERATIONS; ++k) {
        pawl_assembly_place_residuals(a, s->bodies, s->coordinates, t);
        double closure = pawl_closure_error(a);
        if (!(closure <= settle_contraction * last)) {
            return false;
        }
        double gaps = settle_set_gaps(c, s, k == 0);
        if (closure <= settle_tolerance && gaps <= settle_tolerance) {
            return true;
        }
        last = closure > settle_tolerance ? closure : INFINITY;
        pawl_closure_errors(a, a->v_f);
        size_t mark = pawl_arena_mark(&c->scratch);
        double *change = pawl_take_twists(c);
        settle_solve(c, 1.0, settle_pose_accuracy, change);
        pawl_project_move(c, s, change, t);
        pawl_arena_release(&c->scratch, mark);
        ++*iterations;
    }
    return false;
}

// The contact force is the sum of that of the rows and of the projection: on a curved surface each alone has an error
// of O(h).
static void settle_add_forces(step_context *c)
{
    const pawl_assembly *a = c->assembly;
    double h = c->u.fraction * c->settings->dt;
    int placed = 0;
    for (int k = a->free_blocks; k < a->problem.block_count; ++k) {
        const row_block *b = &a->blocks[k];
        int first = b->rows.first_row;
        if (a->rows[first].coordinate >= 0) { // a limit or friction loss
            continue;
        }
        const pawl_contact *in = &a->contacts[a->rows[first].owner];
        while (placed < c->out.contact_count && lit_of(c)->placed[placed].id < in->id) {
            ++placed;
        }
        if (placed == c->out.contact_count || lit_of(c)->placed[placed].id != in->id) {
            continue;
        }
        const double *row = a->J + b->jacobian[b->body_count - 1];
        double scale = (in->body_b >= 0 ? 1.0 : -1.0) / h;
        pawl_vec3 *force = &c->out.contacts[placed].force;
        for (int r = 0; r < b->rows.dim; ++r) {
            const double *e = row + 6 * r;
            *force = v3_axpy(*force, scale * c->u.lambda[first + r], v3(e[0], e[1], e[2]));
        }
    }
}

// Twists of s back to J u = 0, or the rate of what is prescribed, for joints and grips.
static void settle_twists(step_context *c, pawl_state *s, double t)
{
    pawl_assembly *a = c->assembly;
    const pawl_model *m = c->model;
    if (c->coordinates->ops->has_tree_joints) {
        pawl_twists_of(m, s->bodies, c->u.own);
    }
    pawl_closure_rates(c, s, t);
    size_t mark = pawl_arena_mark(&c->scratch);
    double *change = pawl_take_twists(c);
    settle_solve(c, 1e-7, settle_velocity_accuracy, change);
    memcpy(c->u.start, c->u.next, (size_t)(6 * m->body_count) * sizeof *c->u.start);
    pawl_twists_change(c, change, s->bodies);
    pawl_arena_release(&c->scratch, mark);
    s->work[WORK_MOTION] +=
        pawl_coordinates_reactions(c->coordinates, c->u.lambda, c->u.own, c->u.next, c->u.own,
                                   c->u.next, c->u.applied, c->out.reaction);
    for (int r = 0; r < a->free_rows; ++r) {
        if (pawl_assembly_is_hard(a, r)) {
            pawl_add_reaction(c, r, c->u.lambda[r]);
        }
    }
    pawl_balance_drives(c, c->u.lambda, s->work);
    settle_add_forces(c);
}

// Poses first, with normals alone, since tangents have no position to return to. Then rows are placed anew and
// twists are projected, sticking tangents included. Returns the number of Newton iterations.
int pawl_lit_settle(step_context *c, pawl_state *s, double t)
{
    pawl_assembly *a = c->assembly;
    lit_closed_rows *g = &lit_of(c)->closed_rows;
    int iterations = 0;
    settle_find(c, s);
    pawl_assembly_build_closed_rows(a, g->rows, g->count, false);
    pawl_eliminate_factor(&a->problem, c->settings->solver.regularization);
    if (!settle_poses(c, s, t, &iterations)) {
        iterations += pawl_project(c, s, t, SETTLE_PROJECT_STEPS, settle_tolerance);
    }
    pawl_rotors_begin(c, s);
    pawl_assembly_place(a, s->bodies, s->coordinates, t, c->u.damping_time);
    pawl_assembly_build_closed_rows(a, g->rows, g->count, true);
    pawl_eliminate_factor(&a->problem, c->settings->solver.regularization);
    settle_twists(c, s, t);
    c->placed = true;
    return iterations;
}
