// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// rattle: a symmetric, reversible and symplectic step for conservative motion (Andersen 1983; for
// rigid bodies Reich 1996). With the forces f of gravity, springs and applied forces,
//   u <- u + h/2 M^-1 f(q),
//   q+, u <- free motion for h, with impulses J(q)T x such that the constraints hold at q+,
//   u+ = u + h/2 M^-1 f(q+) + M^-1 J(q+)T y   with y such that J(q+) u+ = 0.
// Free motion conserves each body's angular momentum (free_turn.c), so the only error is that of the splitting:
// second order, an energy error that does not grow, momentum conserved to the last digit.
//
// Order four composes five such steps of g, g, 1 - 4 g, g, g times h (Suzuki 1990). Three (Yoshida
// 1990) go further back and forth, and are less accurate for the same work (docs/steppers/rattle.md).
//
// The method is not suitable for irreversible or switching forces: near contacts or limits, with dampers, friction
// losses, PD actuators, armatures or soft joints, and with springs too stiff to be explicit, a step is moreau's,
// which is symmetric as well and treats them implicitly.
#include "step/common/applied_forces.h"
#include "step/common/energy_balance.h"
#include "step/common/free_turn.h"
#include "step/common/midpoint_step.h"
#include "step/common/moreau_step.h"
#include "step/common/position_update.h"
#include "step/common/report_merge.h"
#include "step/common/warm_start.h"
#include "step/stepper_ops.h"
#include <string.h>

// (h w)^2 of the fastest spring up to which it is left explicit; the steps are stable up to 4 times that.
static const double rattle_stiff = 1.0;

// What lasts from step to step.
typedef struct rattle_memory {
    pawl_env env;
    pawl_state *spare; // where the step began, to come back to
    int64_t step;
    int reason, before; // why this step and the one before it fell back; 0: they did not
} rattle_memory;

static rattle_memory *rattle_of(const step_context *c)
{
    return c->own.lasting;
}

// Fractions of h: g = 1/(4 - 4^(1/3)) and 1 - 4 g, which is negative.
static const double rattle_one[] = {1.0};
static const double rattle_five[] = {0.41449077179437571194, 0.41449077179437571194,
                                     -0.65796308717750284778, 0.41449077179437571194,
                                     0.41449077179437571194};

// Whether a free row is one that a reversible step knows: a hard constraint, or a spring without losses.
static bool rattle_knows(const pawl_assembly *a, int r)
{
    const row_info *info = &a->rows[r];
    if (pawl_assembly_is_hard(a, r)) {
        return true;
    }
    if ((info->family->traits & ROW_STORES_ENERGY) == 0) {
        return false;
    }
    row_law law = info->family->law(a->model, info, 0.0);
    return law.damping == 0.0 && law.armature == 0.0;
}

// Whether all that the model has, near or not, is conservative or a limit.
static bool rattle_knows_all(const pawl_assembly *a)
{
    for (int r = 0; r < a->free_rows; ++r) {
        if (!rattle_knows(a, r)) {
            return false;
        }
    }
    for (int k = 0; k < a->candidate_count; ++k) {
        if (!pawl_assembly_is_limit(a, k)) {
            return false;
        }
    }
    return !a->has_damping;
}

// The force law of a spring's row; nothing for other rows.
static row_law rattle_law(const pawl_model *m, const row_info *row)
{
    return row->family->law != NULL ? row->family->law(m, row, 0.0) : (row_law){0};
}

// A bound of w^2 for the fastest vibration of the springs: for a row of n bodies (g u)^2 is at most n
// times the sum of its bodies' parts, so that the largest w^2 is at most the largest sum of
// n k g M^-1 gT over the rows of one body. Constraints only slow vibrations down.
static double rattle_frequency(step_context *c)
{
    const pawl_assembly *a = c->assembly;
    size_t mark = pawl_arena_mark(&c->scratch);
    double *sum = PAWL_TAKE(&c->scratch, double, c->model->body_count), most = 0.0;
    memset(sum, 0, (size_t)c->model->body_count * sizeof *sum);
    for (int k = 0; k < a->free_blocks; ++k) {
        const row_block *b = &a->blocks[k];
        for (int r = 0; r < b->rows.dim; ++r) {
            double stiffness = rattle_law(c->model, &a->rows[b->rows.first_row + r]).stiffness;
            for (int s = 0; s < b->body_count && stiffness > 0.0; ++s) {
                const double *J = a->J + b->jacobian[s] + 6 * r,
                             *MJ = a->MJ + b->jacobian[s] + 6 * r;
                for (int i = 0; i < 6; ++i) {
                    sum[b->body[s]] += b->body_count * stiffness * J[i] * MJ[i];
                }
                most = max_of(most, sum[b->body[s]]);
            }
        }
    }
    pawl_arena_release(&c->scratch, mark);
    return most;
}

// Why a step is left to moreau; the figure of PAWL_EVENT_FALLBACK.
typedef enum rattle_reason {
    RATTLE_NONE = 0,
    RATTLE_DISSIPATION,
    RATTLE_LIMIT,
    RATTLE_STIFF,
    RATTLE_CONTACT,
    RATTLE_SINGULAR
} rattle_reason;

// The forces other than conservative ones and joints that can act in a step from here. The assembly is placed at s.
static rattle_reason rattle_obstacle(step_context *c, const pawl_state *s, double h)
{
    const pawl_assembly *a = c->assembly;
    pawl_twists_of(c->model, s->bodies, c->u.next);
    if (!rattle_knows_all(a)) {
        return RATTLE_DISSIPATION;
    }
    if (pawl_assembly_limit_is_near(a, c->u.next, h)) {
        return RATTLE_LIMIT;
    }
    if (!(h * h * rattle_frequency(c) <= rattle_stiff)) {
        return RATTLE_STIFF;
    }
    if (c->finder == NULL) {
        return RATTLE_NONE;
    }
    pawl_phase_enter(&c->clock, PAWL_PHASE_COLLIDE);
    int count = pawl_contact_finder_find(c->finder, s->bodies, c->settings->contact.margin, h);
    pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
    return count == 0 ? RATTLE_NONE : RATTLE_CONTACT;
}

// The parts of a step, as fractions of it.
// Returns their number: 1 for order two, 5 for order four.
static int rattle_fractions(const step_context *c, const double **part)
{
    bool fourth = c->settings->rattle.order == 4;
    *part = fourth ? rattle_five : rattle_one;
    return fourth ? (int)(sizeof rattle_five / sizeof *rattle_five) : 1;
}

// A step near a singular position by parts of moreau: these are symmetric, and so are of order four together, too.
static void rattle_compose_moreau(step_context *c, pawl_state *s, pawl_step_report *report)
{
    const double *part;
    int count = rattle_fractions(c, &part);
    double h = c->settings->dt, begin = s->time, end = pawl_step_end(s, h), t = begin;
    *report = (pawl_step_report){0};
    for (int k = 0; k < count && c->out.contact_demand == 0; ++k) {
        double from = t;
        pawl_step_report one;
        t = k + 1 < count ? t + part[k] * h : end;
        pawl_midpoint_step(c, s, part[k] * h, from, t, &one);
        pawl_report_merge(report, &one);
    }
}

// A step as moreau does it. An event reports when such steps begin, or continue for another reason; a step may
// be done twice.
static void rattle_fall_back(step_context *c, pawl_state *s, rattle_reason reason,
                             pawl_step_report *report)
{
    if ((int)reason != rattle_of(c)->before) {
        pawl_event_add(&c->out.events,
                       pawl_event_of_joint(PAWL_EVENT_FALLBACK, s->time, -1, -1, (double)reason));
    }
    if (reason == RATTLE_SINGULAR) {
        rattle_compose_moreau(c, s, report);
    } else {
        pawl_moreau_step(c, s, report);
    }
    report->fell_back = true;
}

// Impulses of the springs over tau, to lambda.
// Explicit: springs act as they are where the assembly is placed, -tau k (value - rest).
static void rattle_springs(step_context *c, double tau)
{
    const pawl_assembly *a = c->assembly;
    for (int r = 0; r < a->free_rows; ++r) {
        const row_info *info = &a->rows[r];
        row_law law = rattle_law(c->model, info);
        double value =
            info->coordinate >= 0 ? a->coordinates[info->coordinate].value : a->residual[r];
        c->u.lambda[r] = law.stiffness > 0.0 ? -tau * law.stiffness *
                                                   pawl_spring_stretch(value - law.rest, law.slack)
                                             : 0.0;
        pawl_add_reaction(c, r, c->u.lambda[r]);
    }
}

// u <- u + tau M^-1 f at the poses where the assembly is placed, its free rows alone. Impulses come from
// pawl_apply_forces().
static void rattle_velocities(step_context *c, pawl_state *s, double tau)
{
    const pawl_model *m = c->model;
    const pawl_assembly *a = c->assembly;
    rattle_springs(c, tau);
    pawl_twists_of(m, s->bodies, c->u.start);
    pawl_twists_of(m, s->bodies, c->u.next);
    pawl_balance_drives(c, c->u.lambda, s->work); // of drives against springs
    size_t mark = pawl_arena_mark(&c->scratch);
    double *change = pawl_take_twists(c);
    memset(change, 0, (size_t)(6 * m->body_count) * sizeof *change);
    pawl_assembly_add_impulses(a, c->u.lambda, change);
    for (int i = 0; i < m->body_count; ++i) {
        const model_body *b = &m->bodies[i];
        const double *p = c->u.driven + 6 * i;
        if (b->kind == PAWL_BODY_KINEMATIC) {
            continue;
        }
        double *u = change + 6 * i;
        pawl_vec3 v = v3_scale(tau * b->gravity_scale, m->gravity);
        v = v3_axpy(v, b->inverse_mass, v3(p[0], p[1], p[2]));
        pawl_vec3 spin = m3_mul(&a->inverse_inertia[i], v3(p[3], p[4], p[5]));
        u[0] += v.x, u[1] += v.y, u[2] += v.z;
        u[3] += spin.x, u[4] += spin.y, u[5] += spin.z;
    }
    pawl_twists_change(c, change, s->bodies);
    pawl_arena_release(&c->scratch, mark);
}

// Work of what pawl_apply_forces() found, at the twists of s, which meet the rows.
static void rattle_count_work(step_context *c, pawl_state *s, const step_weights *w)
{
    pawl_twists_of(c->model, s->bodies, c->u.start);
    pawl_twists_of(c->model, s->bodies, c->u.next);
    pawl_balance_forces(c, w, s->work);
}

// One reversible step of length tau, which may be negative, to `end`. Leaves the assembly placed and
// assembled for closure there, and adds the number of Newton iterations. False: these did not converge.
// Work of forces is counted with twists that satisfy the rows, at both ends of the part.
static bool rattle_step(step_context *c, pawl_state *s, double tau, double end, int *iterations)
{
    pawl_assembly *a = c->assembly;
    double begin = end - tau;
    // Forces of both ends act for half of the part each: that makes it symmetric in time.
    step_weights first = {.h = 0.5 * tau, .target_time = {begin, begin}};
    step_weights second = {.h = 0.5 * tau, .target_time = {end, end}};
    pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
    pawl_apply_forces(c, &first);
    rattle_count_work(c, s, &first);
    pawl_twists_of(c->model, s->bodies, c->position.consistent);
    rattle_velocities(c, s, first.h);
    pawl_phase_enter(&c->clock, PAWL_PHASE_MOVE);
    if (a->free_rows > 0) {
        if (!pawl_position_poses(c, s, tau, end, iterations)) {
            return false;
        }
    } else {
        pawl_advance_freely(c->model, s->bodies, tau, end);
        pawl_assembly_place(a, s->bodies, s->coordinates, end, 0.0);
    }
    pawl_apply_forces(c, &second);
    rattle_velocities(c, s, second.h);
    if (a->free_rows > 0) {
        pawl_position_velocities(c, s, end);
    }
    rattle_count_work(c, s, &second);
    return true;
}

// What is left of the velocities across the rows, by the judge.
static pawl_residual rattle_judge(step_context *c, const pawl_state *s, double t)
{
    const pawl_assembly *a = c->assembly;
    if (a->free_rows == 0) {
        return (pawl_residual){0};
    }
    pawl_twists_of(c->model, s->bodies, c->u.next);
    pawl_assembly_row_velocity(a, c->u.next, c->u.velocity);
    for (int r = 0; r < a->free_rows; ++r) {
        if (!pawl_assembly_is_hard(a, r)) {
            c->u.velocity[r] = 0.0;
        } else if (a->rows[r].family->rate != NULL) {
            c->u.velocity[r] -= a->rows[r].family->rate(c->model, &a->rows[r], t);
        }
    }
    size_t mark = pawl_arena_mark(&c->scratch);
    pawl_residual residual =
        pawl_problem_judge(&a->problem, c->u.lambda, c->u.velocity, pawl_take_rows(c));
    pawl_arena_release(&c->scratch, mark);
    return residual;
}

// No solver ran, so the residual is that of the velocities at the end of the step across the hard rows.
static void rattle_report(step_context *c, pawl_state *s, double t, int projections,
                          pawl_step_report *report)
{
    int rows = c->assembly->free_rows;
    pawl_phase_enter(&c->clock, PAWL_PHASE_REST);
    *report = (pawl_step_report){.outcome = PAWL_CONVERGED,
                                 .method = rows > 0 ? PAWL_METHOD_DIRECT : PAWL_METHOD_NONE,
                                 .projections = projections,
                                 .islands = rows > 0 ? 1 : 0,
                                 .rows = rows,
                                 .measured = PAWL_MEASURED_RESIDUAL,
                                 .residual = rattle_judge(c, s, t)};
    report->own_residual = report->residual.natural_scaled;
    report->measured |= c->finder != NULL ? (unsigned)PAWL_MEASURED_DEPTH : 0u; // nothing is near
    if (!(report->residual.natural_scaled <= c->settings->solver.tolerance)) {
        report->outcome = PAWL_STALLED;
    }
    // The impulses of this step are the warm start of a solver in the next one.
    memcpy(s->impulses, c->out.reaction,
           (size_t)pawl_impulse_slots(c->model).count * sizeof *s->impulses);
    c->out.contact_count = 0;
    pawl_assembly_set_contacts(c->assembly, NULL, 0);
    if (c->finder != NULL) {
        pawl_remember_contacts(c, s);
    }
    if (c->out.capture.wanted) {
        pawl_contact_capture_drop(c->env, &c->out.capture);
        c->out.captured = PAWL_OK;
    }
}

// All parts of a step from s. False: the joints' equations of one had no solution that Newton's method finds, as near
// singular positions, where the rows at the beginning of a position update say little about its end.
// Parts of an order-four step go back in time in the middle: positions, targets and kinematic bodies are taken at
// the times of the parts, not of the step.
static bool rattle_parts(step_context *c, pawl_state *s, double end, int *iterations)
{
    double h = c->settings->dt, t = s->time;
    for (int i = 0; i < c->model->body_count; ++i) {
        if (c->model->bodies[i].kind == PAWL_BODY_KINEMATIC) { // another step leaves its mean twist
            pawl_twist twist = pawl_kinematic_twist(&c->model->bodies[i], t);
            s->bodies[i].v = twist.linear;
            s->bodies[i].w = twist.angular;
        }
    }
    const double *part;
    int count = rattle_fractions(c, &part);
    bool found = true;
    c->u.damping_time = 0.0;
    c->position.exact = true;
    for (int k = 0; k < count && found; ++k) {
        t = k + 1 < count ? t + part[k] * h : end;
        found = rattle_step(c, s, part[k] * h, t, iterations);
    }
    c->position.exact = false;
    return found;
}

// Decides first whether the step can be reversible. An attempt that fails is taken back as a whole, reactions and
// counters included, and moreau's parts do the step.
static void rattle_advance(step_context *c, pawl_state *s, pawl_step_report *report)
{
    double h = c->settings->dt, begin = s->time, end = pawl_step_end(s, h);
    pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
    if (!c->placed) {
        // as moreau leaves it, which does the steps of all models with damping
        pawl_assembly_place(c->assembly, s->bodies, s->coordinates, begin, 0.5 * h);
        c->placed = true;
    }
    rattle_reason reason = rattle_obstacle(c, s, h);
    if (s->step != rattle_of(c)->step) {
        rattle_of(c)->before =
            s->step == rattle_of(c)->step + 1 ? rattle_of(c)->reason : RATTLE_NONE;
        rattle_of(c)->step = s->step;
    }
    int projections = 0;
    if (reason == RATTLE_NONE) {
        pawl_state_copy(rattle_of(c)->spare, s);
        if (!rattle_parts(c, s, end, &projections)) {
            pawl_state_copy(s, rattle_of(c)->spare);
            memset(c->out.reaction, 0,
                   (size_t)pawl_impulse_slots(c->model).count * sizeof *c->out.reaction);
            c->placed = false;
            c->out.position_failures = 0; // of the attempt
            c->out.settled = 0.0;
            reason = RATTLE_SINGULAR;
        }
    }
    rattle_of(c)->reason = (int)reason;
    if (reason != RATTLE_NONE) {
        rattle_fall_back(c, s, reason, report);
        report->projections += projections;
        return;
    }
    rattle_report(c, s, end, projections, report);
}

// Without projection joints would be open at q+, and the update would not be reversible.
static pawl_status rattle_check(const pawl_env *env, const pawl_model *model,
                                const pawl_settings *settings)
{
    (void)model;
    if (!settings->project) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "stepper=rattle needs closed joints: got project=off, expected on");
    }
    if (pawl_coordinates_have_tree_joints((int)settings->formulation)) {
        return PAWL_FAIL(env, PAWL_UNSUPPORTED,
                         "stepper rattle does not run with formulation=reduced; choose euler, "
                         "moreau, lit, mdp or nmdp");
    }
    return PAWL_OK;
}

static pawl_status rattle_create(const pawl_env *env, const pawl_model *model,
                                 const pawl_settings *settings, void **lasting)
{
    (void)settings;
    rattle_memory *m = pawl_alloc(env, sizeof *m);
    if (m == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for stepping '%s'", model->name);
    }
    m->env = *env;
    *lasting = m;
    return pawl_state_create(env, model, &m->spare);
}

static void rattle_destroy(void *lasting)
{
    rattle_memory *m = lasting;
    if (m != NULL) {
        pawl_env env = m->env;
        pawl_state_destroy(m->spare);
        pawl_free(&env, m, sizeof *m);
    }
}

// Events of a run from here are those of a run that begins here.
static void rattle_reset(step_context *c)
{
    rattle_memory *m = rattle_of(c);
    m->step = 0;
    m->reason = m->before = RATTLE_NONE;
}

const pawl_stepper_ops pawl_rattle_ops = {
    .name = "rattle",
    .summary = "reversible, order 2 or 4: keeps the energy of smooth motion over long times",
    .traits = STEPPER_NEEDS_ROWS,
    .check = rattle_check,
    .create = rattle_create,
    .destroy = rattle_destroy,
    .reset = rattle_reset,
    .advance = rattle_advance,
};
