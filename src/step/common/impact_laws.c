// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The laws of contact.impact, with M, not M~: finite forces have no effect in zero time.
//
// newton. One problem, in which a contact that closes with v_n < 0 must open with -e v_n at least.
//
// poisson. Compression finds u_c = u + M^-1 JT x with 0 <= n u_c _|_ x_n >= 0, friction as always and joints
// held (7.5). Then every contact returns e x_n, and more if it would close otherwise (7.7)-(7.9). Contacts that did
// not close but have an impulse take part. Friction acts on the whole normal impulse of a phase; taken literally,
// (7.7) has no friction on the returned impulse, and sliding would then depend on the law.
//
// energetic, routh. The slip is followed through the impact (impact_path.c); groups of more than PATH_MOST_UNITS
// contacts and limits use poisson, which is reported.
//
// No law adds energy. The work of contacts on the line between the impulses without restitution, which
// dissipate, and those of the law is a convex quadratic: if the law would add energy, the point of that line at which
// the work vanishes is used. At both ends no contact closes or leaves its friction cone, and the same holds at every
// point between. Arrays of impact_memory, each (rows): rate before the impact, total and after those of the law,
// plastic and plastic_after those without restitution, given what is returned in decompression. A group is a set of
// bodies that impulses connect (impact_groups.c); its units are limits and contacts.
#include "problem/weak_space.h"
#include "step/common/impact.h"
#include "step/common/report_merge.h"
#include "step/common/solve_rows.h"
#include <string.h>

static const double laws_rounding = 1e-13; // of the impulses' work: gains below are rounding
static const double laws_trim = 1e-11;  // of it: gains below are taken out by scaling the impulses
static const double laws_capped = 1e-6; // less taken away is not worth an event
static const double laws_rest = 1e-6;   // closing speed of a group that rests [m/s or rad/s]

// One problem from u_free to u_next, and its figures. Returns whether it was solved.
static bool laws_solve(step_context *c, pawl_step_report *report)
{
    const pawl_assembly *a = c->assembly;
    solver_report solved = {.outcome = PAWL_CONVERGED};
    memset(c->u.lambda, 0, (size_t)a->problem.row_count * sizeof *c->u.lambda);
    pawl_phase_enter(&c->clock, PAWL_PHASE_SOLVE);
    pawl_step_solve_rows(c, pawl_solver_goal(c->solver), &solved);
    pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
    pawl_step_report part = {.method = solved.method,
                             .iterations = solved.iterations,
                             .factorizations = solved.factorizations,
                             .islands = c->out.island_count,
                             .rows = a->problem.row_count,
                             .contacts = a->contact_count};
    pawl_step_decide(c, &solved, &part);
    pawl_report_merge(report, &part);
    return part.outcome == PAWL_CONVERGED;
}

// Impulses of the free rows that belong to those of contacts and limits in `impulse`, u_next, and the
// velocities of all rows to `after`: v + S lambda exactly, whether or not a solver was done with them.
// Contacts and limits keep their impulses; only joints, drives and armatures are solved for, by one elimination.
static void laws_recover(step_context *c, double *impulse, double *after)
{
    pawl_assembly *a = c->assembly;
    const pawl_problem *p = &a->problem;
    memcpy(c->u.lambda, impulse, (size_t)p->row_count * sizeof *c->u.lambda);
    if (p->free_row_count > 0) {
        pawl_eliminate_factor(p, c->settings->solver.regularization);
        pawl_eliminate_recover(c->closure, p, 1e-13, c->u.lambda);
    }
    memcpy(impulse, c->u.lambda, (size_t)p->row_count * sizeof *impulse);
    memcpy(c->u.next, c->u.free, (size_t)(6 * c->model->body_count) * sizeof *c->u.next);
    pawl_assembly_add_impulses(a, c->u.lambda, c->u.next);
    pawl_assembly_row_velocity(a, c->u.next, after);
}

// Whether impulses do no more than impacts can: no law adds energy, so that lambda.S lambda/2, the kinetic energy
// of the change, is at most 4 times that before. Contacts between links of one mechanism can have an S without
// full rank: impulses along its null space, of any size, then change nothing but the rounding.
static bool laws_sane(const step_context *c, const double *impulse)
{
    const double most = 1e6; // of the kinetic energy; rows may cancel, 5 without that
    const impact_memory *x = c->impact;
    double energy = 0.0, size = 0.0;
    for (int i = 0; i < c->model->body_count; ++i) {
        const model_body *b = &c->model->bodies[i];
        const double *u = c->u.start + 6 * i;
        pawl_vec3 v = v3(u[0], u[1], u[2]);
        pawl_vec3 w = m3_tmul(&c->assembly->rotation[i], v3(u[3], u[4], u[5]));
        if (b->kind == PAWL_BODY_KINEMATIC) {
            return true; // there is no bound
        }
        energy += 0.5 * (b->mass * v3_dot(v, v) + v3_dot(w, m3_mul(&b->inertia, w)));
    }
    for (int r = c->assembly->free_rows; r < c->assembly->problem.row_count; ++r) {
        size += fabs(impulse[r] * x->rate[r]);
    }
    return size <= most * energy;
}

// `allowed` (rows) are closing speeds, or minus opening speeds, by row; NULL: those of the gaps.
static bool laws_sweep_group(step_context *c, int limits, int units, const double *allowed)
{
    impact_path *path = c->impact->path;
    pawl_impact_condense(c, limits, units);
    for (int u = 0; u < units; ++u) {
        path->due[u] = 0.0;
        path->allowed[u] = allowed == NULL ? path->allowed[u] : allowed[c->impact->units[u]];
    }
    return pawl_impact_path_return(path);
}

// The problem with its present biases, group by group by sweeps over S: for groups that the solver did not solve. A
// group without an answer (Newton's law with friction in a wedge need not have one) does not bounce. Returns whether
// all groups were solved.
static bool laws_sweep_groups(step_context *c, double *impulse)
{
    bool all = true;
    for (int i = 0; i < c->model->body_count; ++i) {
        int limits, units = pawl_impact_group_units(c, i, &limits);
        bool solved = units > 0 && units <= PATH_SWEPT_UNITS;
        if (solved && !laws_sweep_group(c, limits, units, c->assembly->bias)) {
            solved = false;
            laws_sweep_group(c, limits, units, NULL);
        }
        if (units > 0 && units <= PATH_SWEPT_UNITS) {
            pawl_impact_put(c, c->impact->path->lambda, impulse);
        }
        all = all && (solved || units == 0);
    }
    return all;
}

// One solve with the speeds after the impact in the biases: impulses to `impulse`, velocities to `after`. Where
// the solver ends early, joints are open and `after` is not v + S lambda, on which the bound of the energy
// rests: joints then answer to the impulses as they are, and the residual reports the rest. Impulses that no impact
// has are thrown away, and the groups are swept. False: that did not solve them either.
static bool laws_newton(step_context *c, bool plastic, double *impulse, double *after,
                        pawl_step_report *report)
{
    pawl_assembly *a = c->assembly;
    const impact_memory *x = c->impact;
    size_t rows = (size_t)a->problem.row_count;
    for (int k = 0; k < a->contact_count; ++k) {
        int row = pawl_impact_normal(c, k);
        bool bounces = !plastic && x->rate[row] < -c->settings->contact.restitution_threshold;
        a->bias[row] = bounces ? x->bounce[k] * x->rate[row] : x->allowed[k];
    }
    pawl_assembly_set_free_velocity(a, c->u.free);
    pawl_step_report part = {0};
    bool solved = laws_solve(c, &part), sane = laws_sane(c, c->u.lambda), answered = true;
    memcpy(impulse, c->u.lambda, rows * sizeof *impulse);
    if (solved && sane) {
        pawl_assembly_row_velocity(a, c->u.next, after);
    } else {
        answered = sane || laws_sweep_groups(c, impulse);
        laws_recover(c, impulse, after);
        if (!sane && answered) {
            part.outcome = PAWL_CONVERGED;
            part.residual = (pawl_residual){0};
            part.own_residual = 0.0;
        }
    }
    pawl_report_merge(report, &part);
    return answered;
}

// The law's own problem was not solved: another solution replaces it, which is reported. The event's figure is the
// number of contacts and limits that it is about.
static void laws_fall_back(step_context *c, const impact_scope *scope, int contacts)
{
    pawl_event_add(&c->out.events, pawl_event_of_pair(PAWL_EVENT_IMPACT_FALLBACK, scope->time, -1,
                                                      -1, (double)contacts));
}

// ---- Poisson, all groups at once ----------------------------------------------------------------

// (7.7)-(7.9) taken literally: the returned impulse acts without friction, and friction depends only on the
// additional impulses. From u_c in u.free.
static void laws_give_to_the_letter(step_context *c, pawl_step_report *report)
{
    pawl_assembly *a = c->assembly;
    const impact_memory *x = c->impact;
    for (int k = 0; k < a->contact_count; ++k) {
        a->bias[pawl_impact_normal(c, k)] = x->allowed[k];
    }
    pawl_assembly_add_impulses(a, x->given, c->u.free);
    pawl_assembly_set_free_velocity(a, c->u.free);
    laws_solve(c, report);
    for (int r = 0; r < a->problem.row_count; ++r) {
        x->total[r] += x->given[r] + c->u.lambda[r];
    }
}

// Normal velocities of the impulses by which c->u.lambda differs from `given`, joints answering: the effective
// masses are those through the joints. Returns the largest where it matters: not where more was needed to
// keep a contact from closing.
static double laws_excess(step_context *c)
{
    const pawl_assembly *a = c->assembly;
    const pawl_problem *p = &a->problem;
    const impact_memory *x = c->impact;
    eliminator *e = c->closure;
    size_t rows = (size_t)p->row_count;
    size_t mark = pawl_arena_mark(&c->scratch);
    double *impulse = pawl_take_rows(c);
    memset(impulse, 0, rows * sizeof *impulse);
    for (int k = 0; k < a->contact_count; ++k) {
        int row = pawl_impact_normal(c, k);
        impulse[row] = c->u.lambda[row] - x->given[row];
    }
    p->delassus->ops->apply(p->delassus, impulse, e->product);
    memcpy(x->excess, e->product, rows * sizeof *x->excess);
    if (p->free_row_count > 0) {
        for (int i = 0; i < p->free_row_count; ++i) {
            e->right[i] = -e->product[i];
        }
        memset(impulse, 0, rows * sizeof *impulse);
        pawl_eliminate_solve(e, p, e->right, p->delassus->maybe_singular ? 1e-10 : 1.0, impulse);
        p->delassus->ops->apply(p->delassus, impulse, e->product);
        for (int i = p->free_row_count; i < p->row_count; ++i) {
            x->excess[i] += e->product[i];
        }
    }
    pawl_arena_release(&c->scratch, mark);
    double worst = 0.0;
    for (int k = 0; k < a->contact_count; ++k) {
        int row = pawl_impact_normal(c, k);
        bool enough = x->open[row] == 0.0 && x->excess[row] >= 0.0;
        worst = fmax(worst, enough ? 0.0 : fabs(x->excess[row]));
    }
    return worst;
}

// How far to go along the excess: 1 at first, then Aitken's guess from the last two.
static double laws_relax(const impact_memory *x, int rows, double last)
{
    double product = 0.0, square = 0.0;
    for (int r = 0; r < rows; ++r) {
        double change = x->given[r] > 0.0 ? x->excess[r] - x->before[r] : 0.0;
        product += x->before[r] * change;
        square += change * change;
    }
    double next = square > 0.0 ? -last * product / square : last;
    return fmin(fmax(next, 0.05), 4.0);
}

// Decompression with friction on all of its normal impulse: the opening speeds of contacts are searched such that
// each gets its due impulse, or more if it would close otherwise. From u_c in u.free; false where the search does not
// end.
static bool laws_give_with_friction(step_context *c, const impact_scope *scope,
                                    pawl_step_report *report)
{
    enum { ROUNDS = 60 };
    const double enough = 1e-10; // of the closing speed
    pawl_assembly *a = c->assembly;
    const impact_memory *x = c->impact;
    int rows = a->problem.row_count;
    memcpy(c->u.next, c->u.free, (size_t)(6 * c->model->body_count) * sizeof *c->u.next);
    pawl_assembly_add_impulses(a, x->given, c->u.next);
    pawl_assembly_row_velocity(a, c->u.next, x->open);
    for (int r = 0; r < rows; ++r) {
        x->open[r] = x->given[r] > 0.0 ? fmin(-x->open[r], 0.0) : 0.0;
    }
    // A fixed-point iteration on the opening speeds: too much impulse at a contact lowers the speed that it is
    // asked for, too little raises it. Aitken's rule finds how far to go.
    double step = 1.0;
    for (int k = 0; k < ROUNDS; ++k) {
        for (int i = 0; i < a->contact_count; ++i) {
            int row = pawl_impact_normal(c, i);
            a->bias[row] = x->open[row] < 0.0 ? x->open[row] : x->allowed[i];
        }
        pawl_assembly_set_free_velocity(a, c->u.free);
        pawl_step_report last = {0};
        laws_solve(c, &last);
        if (laws_excess(c) <= enough * scope->fastest) {
            pawl_report_merge(report, &last);
            for (int r = 0; r < rows; ++r) {
                x->total[r] += c->u.lambda[r];
            }
            return true;
        }
        step = k == 0 ? 1.0 : laws_relax(x, rows, step);
        for (int r = 0; r < rows; ++r) {
            x->before[r] = x->excess[r];
            x->open[r] = x->given[r] > 0.0 ? fmin(x->open[r] + step * x->excess[r], 0.0) : 0.0;
        }
    }
    return false;
}

// Compression of all, which is the answer without restitution, and what is due to `given`.
// Without restitution and with friction: 0 <= n u_c _|_ x_n >= 0 (lit (7.5), (7.6)).
static void laws_compress(step_context *c, const impact_scope *scope, pawl_step_report *report)
{
    pawl_assembly *a = c->assembly;
    const impact_memory *x = c->impact;
    if (!laws_newton(c, true, x->plastic, x->plastic_after, report)) {
        laws_fall_back(c, scope, a->contact_count);
    }
    memset(x->given, 0, (size_t)a->problem.row_count * sizeof *x->given);
    for (int k = 0; k < a->contact_count; ++k) {
        int row = pawl_impact_normal(c, k);
        x->given[row] = x->bounce[k] * x->plastic[row];
    }
}

// Decompression by the solver, for groups that are too large for a dense problem.
static void laws_decompress(step_context *c, const impact_scope *scope, pawl_step_report *report)
{
    pawl_assembly *a = c->assembly;
    const impact_memory *x = c->impact;
    size_t twists = (size_t)(6 * c->model->body_count) * sizeof *c->u.free;
    pawl_assembly_add_impulses(a, x->plastic, c->u.free); // u_c
    // Armatures resist from the end of the compression on.
    size_t mark = pawl_arena_mark(&c->scratch);
    double *rate = pawl_take_rows(c);
    pawl_assembly_row_velocity(a, c->u.free, rate);
    for (int r = 0; r < a->free_rows; ++r) {
        if (!pawl_assembly_is_hard(a, r) && a->bias[r] != 0.0) {
            a->bias[r] = -rate[r];
        }
    }
    pawl_arena_release(&c->scratch, mark);
    bool rough = false;
    for (int k = 0; k < a->contact_count; ++k) {
        rough = rough || a->friction[k] > 0.0;
    }
    if (!rough) {
        laws_give_to_the_letter(c, report);
    } else if (!laws_give_with_friction(c, scope, report)) {
        laws_fall_back(c, scope, a->contact_count);
        laws_give_to_the_letter(c, report);
    }
    pawl_assembly_row_velocity(a, c->u.next, x->after);
    memcpy(c->u.free, c->u.start, twists);
}

// ---- Group by group -----------------------------------------------------------------------------

// p . (v + v')/2 of the group [J]. `size` is the sum of |p v|, against which rounding is measured.
static double laws_group_work(const step_context *c, int units, int limits, const double *impulse,
                              const double *after, double *size)
{
    const impact_memory *x = c->impact;
    double work = 0.0;
    *size = 0.0;
    for (int u = 0; u < units; ++u) {
        for (int r = x->units[u] - (u < limits ? 0 : 2); r <= x->units[u]; ++r) {
            work += 0.5 * impulse[r] * (x->rate[r] + after[r]);
            *size += fabs(impulse[r] * x->rate[r]);
        }
    }
    return work;
}

// Scales the impulses of the listed group, whose work is positive, to where it vanishes:
// W(s) = s p.v + s^2 p.S p/2, so that s = -2 p.v / p.S p.
static void laws_damp(const step_context *c, int units, int limits, double work, double *impulse,
                      double *after)
{
    const impact_memory *x = c->impact;
    double product = 0.0;
    for (int u = 0; u < units; ++u) {
        for (int r = x->units[u] - (u < limits ? 0 : 2); r <= x->units[u]; ++r) {
            product += impulse[r] * x->rate[r];
        }
    }
    double square = 2.0 * (work - product);
    double s = square > 0.0 ? fmin(fmax(-2.0 * product / square, 0.0), 1.0) : 0.0;
    for (int u = 0; u < units; ++u) {
        for (int r = x->units[u] - (u < limits ? 0 : 2); r <= x->units[u]; ++r) {
            impulse[r] *= s;
            after[r] = x->rate[r] + s * (after[r] - x->rate[r]);
        }
    }
}

// The share t of the way from the plastic impulses to those of the law at which the work of the listed group
// is not positive, and the impulses there. Returns t.
static double laws_cap(const step_context *c, int units, int limits)
{
    const impact_memory *x = c->impact;
    double size, c0 = laws_group_work(c, units, limits, x->plastic, x->plastic_after, &size);
    double c1 = 0.0, c2 = 0.0;
    if (c0 > 0.0) { // the solver's tolerance, where hardly anything closes
        laws_damp(c, units, limits, c0, x->plastic, x->plastic_after);
        c0 = 0.0;
    }
    for (int u = 0; u < units; ++u) {
        for (int r = x->units[u] - (u < limits ? 0 : 2); r <= x->units[u]; ++r) {
            double dp = x->total[r] - x->plastic[r], dv = x->after[r] - x->plastic_after[r];
            c1 += 0.5 * (dp * (x->rate[r] + x->plastic_after[r]) + x->plastic[r] * dv);
            c2 += 0.5 * dp * dv;
        }
    }
    // W(t) = c0 + c1 t + c2 t^2 with c0 <= 0 and c2 >= 0 has one root t >= 0. The two forms avoid the difference
    // of nearly equal numbers.
    double root = sqrt(fmax(c1 * c1 - 4.0 * c0 * c2, 0.0));
    double t = c1 >= 0.0 ? (c1 + root > 0.0 ? -2.0 * c0 / (c1 + root) : 1.0)
                         : (c2 > 0.0 ? 0.5 * (root - c1) / c2 : 1.0);
    t = fmin(fmax(t, 0.0), 1.0);
    for (int u = 0; u < units; ++u) {
        for (int r = x->units[u] - (u < limits ? 0 : 2); r <= x->units[u]; ++r) {
            x->total[r] = x->plastic[r] + t * (x->total[r] - x->plastic[r]);
            x->after[r] = x->plastic_after[r] + t * (x->after[r] - x->plastic_after[r]);
        }
    }
    return t;
}

// The listed group by the path of its normal impulses; no restitution where `plastic`. False: it has no end.
// The group must have been condensed: path->S, v, mu and e are set.
static bool laws_follow(step_context *c, bool plastic, double *impulse, double *after)
{
    impact_path *path = c->impact->path;
    path->law =
        c->settings->contact.impact == PAWL_IMPACT_ENERGETIC ? PATH_ENERGETIC : PATH_KINETIC;
    for (int u = 0; u < path->limits + path->contacts && plastic; ++u) {
        path->e[u] = 0.0;
    }
    if (!pawl_impact_path_follow(path)) {
        return false;
    }
    pawl_impact_put(c, path->lambda, impulse);
    pawl_impact_put(c, path->after, after);
    return true;
}

// The listed group's decompression by Poisson's law, after the compression of all.
static bool laws_return(step_context *c)
{
    const impact_memory *x = c->impact;
    impact_path *path = x->path;
    pawl_impact_take(c, x->plastic_after, path->v);
    for (int u = 0; u < path->limits + path->contacts; ++u) {
        path->due[u] = x->given[x->units[u]];
    }
    if (!pawl_impact_path_return(path)) {
        return false;
    }
    pawl_impact_put(c, path->after, x->after);
    pawl_impact_take(c, x->plastic, path->step);
    for (int r = 0; r < pawl_impact_path_rows(path); ++r) {
        path->step[r] += path->lambda[r];
    }
    pawl_impact_put(c, path->step, x->total);
    return true;
}

// Whether anything is due to the group in decompression.
static bool laws_group_gets(const step_context *c, int units)
{
    double sum = 0.0;
    for (int u = 0; u < units; ++u) {
        sum += c->impact->given[c->impact->units[u]];
    }
    return sum > 0.0;
}

// How fast the listed group closes; 0: it does not.
static double laws_group_closing(const step_context *c, int units)
{
    const impact_memory *x = c->impact;
    double closing = 0.0;
    for (int u = 0; u < units; ++u) {
        closing = fmax(closing, -x->rate[x->units[u]]);
    }
    return closing;
}

// Laws that need the path of the normal impulses, not its end alone.
static bool laws_follows(const step_context *c)
{
    pawl_impact_law law = c->settings->contact.impact;
    return law == PAWL_IMPACT_ENERGETIC || law == PAWL_IMPACT_ROUTH;
}

// A group at rest while others collide: its closing speed is the rounding of its slip, along which no path of normal
// impulses can be followed. It is stopped.
static bool laws_stop(step_context *c)
{
    const impact_memory *x = c->impact;
    impact_path *path = x->path;
    memset(path->due, 0, (size_t)(path->limits + path->contacts) * sizeof *path->due);
    if (!pawl_impact_path_return(path)) {
        return false;
    }
    pawl_impact_put(c, path->lambda, x->total);
    pawl_impact_put(c, path->after, x->after);
    return true;
}

// A group that is small enough for a dense problem, by the law. False: it could not be solved.
static bool laws_resolve_group(step_context *c, int limits, int units)
{
    const impact_memory *x = c->impact;
    if (!laws_follows(c)) {
        if (laws_group_gets(c, units)) {
            pawl_impact_condense(c, limits, units);
            return laws_return(c);
        }
        return true; // it stays with what the compression left
    }
    pawl_impact_condense(c, limits, units);
    double closing = 0.0; // beyond what gaps leave
    for (int u = 0; u < units; ++u) {
        int r = pawl_impact_path_normal(x->path, u);
        closing = fmax(closing, -x->path->v[r] - x->path->allowed[u]);
    }
    if (closing > laws_rest) {
        return laws_follow(c, false, x->total, x->after);
    }
    if (closing > 0.0) {
        return laws_stop(c);
    }
    memset(x->path->lambda, 0, (size_t)pawl_impact_path_rows(x->path) * sizeof(double));
    pawl_impact_put(c, x->path->lambda, x->total);
    pawl_impact_put(c, x->path->v, x->after);
    return true;
}

// The most contacts and limits of a group that the law's own method takes.
static int laws_most_units(const step_context *c)
{
    return laws_follows(c) ? c->impact->path->max_units : PATH_SWEPT_UNITS;
}

// `body` is the root of the group.
static bool laws_by_solver(const step_context *c, int body, int units)
{
    return units > laws_most_units(c) || c->impact->unsolved[body];
}

// Groups that are too large for a law that follows the path: the step is done again with more room, up to
// PATH_MOST_UNITS; larger ones go by poisson, which is reported.
static void laws_ask_room(step_context *c, const impact_scope *scope)
{
    for (int i = 0; i < c->model->body_count && laws_follows(c); ++i) {
        int limits, units = pawl_impact_group_units(c, i, &limits);
        if (units <= c->impact->path->max_units || !(laws_group_closing(c, units) > laws_rest)) {
            continue;
        }
        if (units > PATH_MOST_UNITS) {
            laws_fall_back(c, scope, units);
        } else {
            int room = 2 * units < PATH_MOST_UNITS ? 2 * units : PATH_MOST_UNITS;
            c->out.impact_demand = room > c->out.impact_demand ? room : c->out.impact_demand;
        }
    }
}

// All groups by poisson, energetic or routh; those that are too large or that were not solved go by poisson
// through the solver.
static void laws_resolve_groups(step_context *c, const impact_scope *scope,
                                pawl_step_report *report)
{
    const impact_memory *x = c->impact;
    int bodies = c->model->body_count, limits;
    size_t rows = (size_t)c->assembly->problem.row_count;
    bool compressed = false, again = true;
    memset(x->unsolved, 0, (size_t)bodies * sizeof *x->unsolved);
    laws_ask_room(c, scope);
    // Each round either solves all groups or marks one more as unsolved, which then goes through the solver. So it
    // ends after at most as many rounds as there are groups.
    while (again) {
        bool solver = false, due = false;
        for (int i = 0; i < bodies; ++i) {
            int units = pawl_impact_group_units(c, i, &limits);
            solver = solver || laws_by_solver(c, i, units);
        }
        if (!compressed && (solver || !laws_follows(c))) {
            laws_compress(c, scope, report);
            compressed = true;
        }
        if (compressed) {
            memcpy(x->total, x->plastic, rows * sizeof *x->total);
            memcpy(x->after, x->plastic_after, rows * sizeof *x->after);
        }
        for (int i = 0; i < bodies && solver; ++i) {
            int units = pawl_impact_group_units(c, i, &limits);
            due = due || (laws_by_solver(c, i, units) && laws_group_gets(c, units));
        }
        if (due) {
            laws_decompress(c, scope, report);
        }
        again = false;
        for (int i = 0; i < bodies && !again; ++i) {
            int units = pawl_impact_group_units(c, i, &limits);
            if (units > 0 && !laws_by_solver(c, i, units) &&
                !laws_resolve_group(c, limits, units)) {
                x->unsolved[i] = again = true;
                laws_fall_back(c, scope, units);
            }
        }
    }
}

// Lowers the restitution of every group whose contacts would add energy. Returns whether there was one.
static bool laws_cap_groups(step_context *c, const impact_scope *scope, pawl_step_report *report)
{
    const impact_memory *x = c->impact;
    bool solved = c->settings->contact.impact == PAWL_IMPACT_POISSON, any = false;
    for (int i = 0; i < c->model->body_count; ++i) {
        int limits, units = pawl_impact_group_units(c, i, &limits);
        double size, work = laws_group_work(c, units, limits, x->total, x->after, &size);
        if (units == 0 || !(work > laws_rounding * size)) {
            continue;
        }
        any = true;
        if (work <= laws_trim * size) {
            laws_damp(c, units, limits, work, x->total, x->after);
            continue;
        }
        bool followed = false;
        if (laws_follows(c) && !laws_by_solver(c, i, units)) {
            pawl_impact_condense(c, limits, units);
            followed = laws_follow(c, true, x->plastic, x->plastic_after);
        }
        if (!followed && !solved) {
            laws_newton(c, true, x->plastic, x->plastic_after, report);
            solved = true;
        }
        double left = laws_cap(c, units, limits);
        if (1.0 - left > laws_capped) {
            pawl_event_add(&c->out.events,
                           pawl_event_of_pair(PAWL_EVENT_IMPACT_CAPPED, scope->time, -1, -1, left));
        }
    }
    return any;
}

// Joints of redundant loops answer to 1e-13: where that takes groups at the bound of the energy beyond it, they
// get so much less. Returns whether there was one.
static bool laws_trim_groups(step_context *c)
{
    const impact_memory *x = c->impact;
    bool any = false;
    for (int i = 0; i < c->model->body_count; ++i) {
        int limits, units = pawl_impact_group_units(c, i, &limits);
        double size, work = laws_group_work(c, units, limits, x->total, x->after, &size);
        if (units > 0 && work > laws_rounding * size) {
            laws_damp(c, units, limits, work + laws_trim * size, x->total, x->after);
            any = true;
        }
    }
    return any;
}

// Judges the residual of the impact. What is left open: joints by their velocities, limits and contacts by how fast
// they still close [m/s]. Restitution and friction are not judged, because they are the law's own.
static void laws_judge(step_context *c, pawl_step_report *report)
{
    const pawl_assembly *a = c->assembly;
    const pawl_problem *p = &a->problem;
    const impact_memory *x = c->impact;
    double apart; // of rows that nearly repeat others, as everywhere
    for (int r = 0; r < a->free_rows; ++r) {
        c->u.velocity[r] = x->after[r] + a->bias[r] + a->compliance[r] * c->u.lambda[r];
    }
    double open = pawl_weak_largest(p, c->u.velocity, &apart);
    for (int r = a->free_rows; r < a->slot_rows; ++r) {
        open = fmax(open, -x->after[r]);
    }
    for (int k = 0; k < a->contact_count; ++k) {
        open = fmax(open, -x->after[pawl_impact_normal(c, k)] - x->allowed[k]);
    }
    pawl_step_report part = {.measured = PAWL_MEASURED_RESIDUAL,
                             .method = PAWL_METHOD_DIRECT,
                             .own_residual = open,
                             .rows = p->row_count,
                             .contacts = a->contact_count,
                             .residual = {.dual = open, .natural = open, .natural_scaled = open}};
    part.outcome = open <= c->settings->solver.tolerance ? PAWL_CONVERGED : PAWL_STALLED;
    pawl_report_merge(report, &part);
}

// Order: the law, then the bound of the energy, then joints answer exactly to what contacts and limits got. The
// last comes last because the bound scales impulses of contacts and limits alone.
void pawl_impact_resolve(step_context *c, const impact_scope *scope, pawl_step_report *report)
{
    const impact_memory *x = c->impact;
    pawl_impact_group(c);
    bool newton = c->settings->contact.impact == PAWL_IMPACT_NEWTON;
    if (newton) {
        if (!laws_newton(c, false, x->total, x->after, report)) {
            laws_fall_back(c, scope, c->assembly->contact_count);
        }
    } else {
        laws_resolve_groups(c, scope, report);
    }
    bool capped = laws_cap_groups(c, scope, report);
    if (capped || !newton) {
        pawl_assembly_build_impact(c->assembly, c->u.free, c->assembly->persistent);
        laws_recover(c, x->total, x->after);
        if (capped && laws_trim_groups(c)) {
            laws_recover(c, x->total, x->after);
        }
        laws_judge(c, report);
    }
}
