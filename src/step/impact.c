// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// With M, not M~: no force that is finite does anything in no time. Two laws (lit.impact):
//
// Poisson. Compression finds u_c = u + M^-1 JT x with 0 <= n u_c _|_ x_n >= 0, friction as always and joints
// held (7.5). Then every contact gives back e x_n, and what would now close is held open by more (7.7)-(7.9).
// Contacts that did not close but were pressed take part. Friction acts on all normal impulse of a phase;
// read to the letter (7.7) has none on what is given back, and sliding would then depend on the law.
//
// Newton. One problem, in which a contact that closes with n u < 0 must open with -e n u at least.
//
// For one contact without friction they are the same. Restitution is that of the pair, and none where
// nothing closes faster than contact.restitution_threshold: small bounces end in lasting contact.
#include "step/impact.h"
#include "step/report_merge.h"
#include <string.h>

static const double impact_closing = 1e-6; // slower is rest [m/s or rad/s]

static pawl_vec3 impact_point_velocity(const body_state *bodies, int body, pawl_vec3 point)
{
    if (body < 0) {
        return v3(0.0, 0.0, 0.0);
    }
    const body_state *b = &bodies[body];
    return v3_add(b->v, v3_cross(b->w, v3_sub(point, b->r)));
}

static pawl_vec3 impact_velocity(const pawl_contact *k, const body_state *bodies)
{
    return v3_sub(impact_point_velocity(bodies, k->body_b, k->position),
                  impact_point_velocity(bodies, k->body_a, k->position));
}

double pawl_contact_opening(const pawl_contact *k, const body_state *bodies)
{
    return v3_dot(k->normal, impact_velocity(k, bodies));
}

pawl_vec3 pawl_contact_slip(const pawl_contact *k, const body_state *bodies)
{
    pawl_vec3 v = impact_velocity(k, bodies);
    return v3_axpy(v, -v3_dot(k->normal, v), k->normal);
}

// Contacts and limits within reach, as the next problem's. False: no room.
static bool impact_gather(step_context *c, const pawl_state *s, const impact_request *q)
{
    pawl_assembly *a = c->assembly;
    for (int k = 0; k < a->candidate_count; ++k) {
        a->held[k] = pawl_assembly_limit_is_hard(a, k) && pawl_assembly_limit_gap(a, k) <= q->reach;
    }
    int kept = 0;
    if (c->finder != NULL) {
        pawl_phase_enter(&c->clock, PAWL_PHASE_COLLIDE);
        int count = pawl_contact_finder_find(c->finder, s->bodies, q->reach, 0.0);
        pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
        if (count < 0 || count > a->max_contacts) {
            c->contact_demand = count;
            return false;
        }
        const pawl_contact *found = pawl_contact_finder_contacts(c->finder);
        for (int k = 0; k < count; ++k) {
            if (found[k].gap <= q->reach && !pawl_is_soft(&found[k].soft)) {
                c->lit->placed[kept++] = found[k];
            }
        }
    }
    pawl_assembly_set_contacts(a, c->lit->placed, kept);
    return true;
}

static int impact_normal(const step_context *c, int k)
{
    return pawl_problem_contact_row(&c->assembly->problem, k) + 2;
}

// The fastest closing of contacts and limits, from the rates before [m/s or rad/s].
static double impact_fastest(const step_context *c, const double *rate)
{
    const pawl_assembly *a = c->assembly;
    double fastest = 0.0;
    for (int r = a->free_rows; r < a->slot_rows; ++r) {
        fastest = fmax(fastest, -rate[r]);
    }
    for (int k = 0; k < a->contact_count; ++k) {
        fastest = fmax(fastest, -rate[impact_normal(c, k)]);
    }
    return fastest;
}

// One problem from u_free to u_next, and its figures.
static void impact_solve(step_context *c, pawl_step_report *report)
{
    const pawl_assembly *a = c->assembly;
    solver_report solved = {.outcome = PAWL_CONVERGED};
    memset(c->lambda, 0, (size_t)a->problem.row_count * sizeof *c->lambda);
    pawl_phase_enter(&c->clock, PAWL_PHASE_SOLVE);
    pawl_step_solve_rows(c, &solved);
    pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
    pawl_step_report part = {.method = solved.method,
                             .iterations = solved.iterations,
                             .factorizations = solved.factorizations,
                             .islands = c->island_count,
                             .rows = a->problem.row_count,
                             .contacts = a->contact_count};
    pawl_step_decide(c, &solved, &part);
    pawl_report_merge(report, &part);
}

// One solve with the rates after the impact in the biases. `rate`: before it.
static void impact_newton(step_context *c, const double *rate, bool plastic, double *total,
                          pawl_step_report *report)
{
    pawl_assembly *a = c->assembly;
    for (int k = 0; k < a->contact_count; ++k) {
        int row = impact_normal(c, k);
        bool bounces = !plastic && rate[row] < -c->settings->restitution_threshold;
        a->bias[row] = bounces ? a->contacts[k].restitution * rate[row] : 0.0;
    }
    pawl_assembly_set_free_velocity(a, c->u_free);
    impact_solve(c, report);
    memcpy(total, c->lambda, (size_t)a->problem.row_count * sizeof *total);
}

// Memory of an impact, (rows) each.
typedef struct impact_rows {
    double *rate;  // before it
    double *total; // impulses of both phases
    double *given; // e times the normal impulses of the compression
    double *open;  // speeds with which contacts must open in the decompression, as biases: <= 0
    double *excess, *before; // normal velocities of what a decompression gave beyond `given`
} impact_rows;

// (7.7)-(7.9) to the letter: what is given back pushes, and friction answers to the additional impulses
// alone. From u_c in u_next.
static void impact_give(step_context *c, const impact_rows *x, pawl_step_report *report)
{
    pawl_assembly *a = c->assembly;
    memcpy(c->u_free, c->u_next, (size_t)(6 * c->model->body_count) * sizeof *c->u_free);
    pawl_assembly_add_impulses(a, x->given, c->u_free);
    pawl_assembly_set_free_velocity(a, c->u_free);
    impact_solve(c, report);
    for (int r = 0; r < a->problem.row_count; ++r) {
        x->total[r] += x->given[r] + c->lambda[r];
    }
}

// Normal velocities of the impulses by which c->lambda differs from `given`; joints do not answer.
// Returns the largest where it matters: not where more was needed to keep a contact from closing.
static double impact_excess(step_context *c, const impact_rows *x)
{
    const pawl_assembly *a = c->assembly;
    int rows = a->problem.row_count;
    memset(c->velocity, 0, (size_t)rows * sizeof *c->velocity);
    memset(c->push, 0, (size_t)(6 * c->model->body_count) * sizeof *c->push);
    for (int k = 0; k < a->contact_count; ++k) {
        int row = impact_normal(c, k);
        c->velocity[row] = c->lambda[row] - x->given[row];
    }
    pawl_assembly_add_impulses(a, c->velocity, c->push);
    pawl_assembly_row_velocity(a, c->push, x->excess);
    double worst = 0.0;
    for (int k = 0; k < a->contact_count; ++k) {
        int row = impact_normal(c, k);
        bool enough = x->open[row] == 0.0 && x->excess[row] >= 0.0;
        worst = fmax(worst, enough ? 0.0 : fabs(x->excess[row]));
    }
    return worst;
}

// How far to go along the excess: 1 at first, then Aitken's guess from the last two.
static double impact_relax(const impact_rows *x, int rows, double last)
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

// Decompression with friction on all of its normal impulse: the speeds with which contacts open are
// looked for such that each is given what it is due, or more where it would close otherwise. From u_c in
// u_next; false, with u_next as it was, where the search does not end.
static bool impact_give_with_friction(step_context *c, const impact_rows *x, double fastest,
                                      pawl_step_report *report)
{
    enum { ROUNDS = 30 };
    const double enough = 1e-10; // of the closing speed
    pawl_assembly *a = c->assembly;
    int rows = a->problem.row_count;
    size_t twists = (size_t)(6 * c->model->body_count) * sizeof *c->u_free;
    memcpy(c->u_free, c->u_next, twists); // u_c
    pawl_assembly_add_impulses(a, x->given, c->u_next);
    pawl_assembly_row_velocity(a, c->u_next, x->open);
    for (int r = 0; r < rows; ++r) {
        bool due = x->given[r] > 0.0;
        x->open[r] = due ? fmin(-x->open[r], 0.0) : 0.0;
    }
    double step = 1.0;
    pawl_step_report last = {0};
    for (int k = 0; k < ROUNDS; ++k) {
        for (int i = 0; i < a->contact_count; ++i) {
            a->bias[impact_normal(c, i)] = x->open[impact_normal(c, i)];
        }
        pawl_assembly_set_free_velocity(a, c->u_free);
        last = (pawl_step_report){0};
        impact_solve(c, &last);
        if (impact_excess(c, x) <= enough * fastest) {
            pawl_report_merge(report, &last);
            for (int r = 0; r < rows; ++r) {
                x->total[r] += c->lambda[r];
            }
            return true;
        }
        step = k == 0 ? 1.0 : impact_relax(x, rows, step);
        for (int r = 0; r < rows; ++r) {
            x->before[r] = x->excess[r];
            x->open[r] = x->given[r] > 0.0 ? fmin(x->open[r] + step * x->excess[r], 0.0) : 0.0;
        }
    }
    for (int i = 0; i < a->contact_count; ++i) {
        a->bias[impact_normal(c, i)] = 0.0;
    }
    memcpy(c->u_next, c->u_free, twists);
    return false;
}

// Compression and, where something is given back, decompression.
static void impact_poisson(step_context *c, bool plastic, double fastest, const impact_rows *x,
                           pawl_step_report *report)
{
    pawl_assembly *a = c->assembly;
    size_t rows = (size_t)a->problem.row_count * sizeof *x->total;
    impact_solve(c, report);
    memcpy(x->total, c->lambda, rows);
    memset(x->given, 0, rows);
    bool any = false, rough = false;
    for (int k = 0; k < a->contact_count && !plastic; ++k) {
        int row = impact_normal(c, k);
        x->given[row] = a->contacts[k].restitution * c->lambda[row];
        any = any || x->given[row] > 0.0;
        rough = rough || a->contacts[k].friction > 0.0;
    }
    if (!any) {
        return;
    }
    // Armatures resist from the end of the compression on.
    pawl_assembly_row_velocity(a, c->u_next, c->velocity);
    for (int r = 0; r < a->free_rows; ++r) {
        if (a->rows[r].kind == ROW_SOFT && a->bias[r] != 0.0) {
            a->bias[r] = -c->velocity[r];
        }
    }
    if (!rough || !impact_give_with_friction(c, x, fastest, report)) {
        impact_give(c, x, report);
    }
}

// Work of the impulses over the mean of the rates before and after, which is the change of kinetic
// energy. Returns what contacts and limits took.
static double impact_account(step_context *c, pawl_state *s, const double *rate,
                             const double *total)
{
    const pawl_assembly *a = c->assembly;
    double contacts = 0.0, limits = 0.0;
    pawl_assembly_row_velocity(a, c->u_next, c->rate_after);
    for (int r = a->free_rows; r < a->problem.row_count; ++r) {
        double done = 0.5 * total[r] * (rate[r] + c->rate_after[r]);
        contacts += r < a->slot_rows ? 0.0 : done;
        limits += r < a->slot_rows ? done : 0.0;
    }
    s->work[WORK_CONTACTS] += contacts;
    s->work[WORK_LIMITS] += limits;
    pawl_count_driven_work(c, total, s->work);
    for (int r = 0; r < a->slot_rows; ++r) {
        c->reaction[a->rows[r].slot] += total[r];
    }
    return -(contacts + limits);
}

// One event a pair of shapes that closed: contacts are sorted by pair.
static void impact_log_pairs(step_context *c, double time, const double *rate, bool plastic)
{
    const pawl_assembly *a = c->assembly;
    for (int k = 0; k < a->contact_count;) {
        const pawl_contact *first = &a->contacts[k];
        double closing = 0.0;
        for (; k < a->contact_count && a->contacts[k].shape_a == first->shape_a &&
               a->contacts[k].shape_b == first->shape_b;
             ++k) {
            closing = fmax(closing, -rate[impact_normal(c, k)]);
        }
        if (closing > impact_closing) {
            bool lasts = plastic && first->restitution > 0.0;
            pawl_event_add(&c->events,
                           pawl_event_of_pair(lasts ? PAWL_EVENT_LASTING : PAWL_EVENT_COLLISION,
                                              time, first->shape_a, first->shape_b, closing));
        }
    }
}

static void impact_log(step_context *c, double time, const double *rate, bool plastic, double loss)
{
    const pawl_assembly *a = c->assembly;
    for (int r = a->free_rows; r < a->slot_rows; ++r) {
        if (-rate[r] > impact_closing) {
            pawl_event_add(&c->events, pawl_event_of_joint(PAWL_EVENT_LIMIT, time, a->rows[r].owner,
                                                           a->rows[r].part, -rate[r]));
        }
    }
    impact_log_pairs(c, time, rate, plastic);
    pawl_event_add(&c->events, pawl_event_of_pair(PAWL_EVENT_IMPACT, time, -1, -1, loss));
}

bool pawl_impact(step_context *c, pawl_state *s, const impact_request *q, pawl_step_report *report)
{
    pawl_assembly *a = c->assembly;
    const pawl_model *m = c->model;
    pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
    pawl_assembly_place(a, s->bodies, s->coordinates, q->time, 0.0);
    c->kept = false;
    if (!impact_gather(c, s, q)) {
        return false;
    }
    pawl_twists_of(m, s->bodies, c->u_start);
    memcpy(c->u_free, c->u_start, (size_t)(6 * m->body_count) * sizeof *c->u_free);
    pawl_assembly_pose_impact(a, c->u_free, a->held);
    double *rows = c->lit->scratch;
    const impact_rows x = {.rate = rows,
                           .total = rows + a->max_rows,
                           .given = rows + 2 * a->max_rows,
                           .open = rows + 3 * a->max_rows,
                           .excess = rows + 4 * a->max_rows,
                           .before = rows + 5 * a->max_rows};
    pawl_assembly_row_velocity(a, c->u_start, x.rate);
    double fastest = impact_fastest(c, x.rate);
    if (!(fastest > impact_closing)) {
        return true; // something touches that rests already
    }
    bool plastic = q->plastic || !(fastest > c->settings->restitution_threshold);
    if (c->settings->lit_impact == PAWL_IMPACT_NEWTON) {
        impact_newton(c, x.rate, plastic, x.total, report);
    } else {
        impact_poisson(c, plastic, fastest, &x, report);
    }
    double loss = impact_account(c, s, x.rate, x.total);
    impact_log(c, q->time, x.rate, plastic, loss);
    for (int i = 0; i < m->body_count; ++i) {
        const double *u = c->u_next + 6 * i;
        if (m->bodies[i].kind != PAWL_BODY_KINEMATIC) {
            s->bodies[i].v = v3(u[0], u[1], u[2]);
            s->bodies[i].w = v3(u[3], u[4], u[5]);
        }
    }
    return true;
}
