// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Runs a stepper. A step is tried on a copy of the state until all contacts and events have room. Then the figures
// common to all steppers (energy, closure, crossings) are computed, and the copy is written to the state. The stepper
// is used only through its table.
#include "sim/sim.h"
#include "base/guard.h"
#include "math/numbers.h"
#include "rows/measure.h"
#include "step/common/impact.h"
#include "step/common/least_reactions.h"
#include "step/common/overlap.h"
#include "step/common/position_update.h"
#include <stdio.h>
#include <string.h>

// Steppers without rows (mdp, nmdp) use coordinates and contact models of their own: no solver, no impacts.
static bool sim_has_rows(const pawl_sim *sim)
{
    return (sim->stepper->traits & STEPPER_NEEDS_ROWS) != 0;
}

// The data of a step, each part by the layout of its owner. Steppers without rows have no impacts and correct no
// overlaps; the rest serves the assembly of the start, too.
static void sim_layout(pawl_sim *sim, pawl_carver *mem)
{
    const pawl_assembly *a = sim->assembly;
    step_context *c = &sim->context;
    pawl_velocity_update_layout(&c->u, sim->coordinates, mem);
    pawl_position_update_layout(&c->position, a, mem);
    // Reactions of redundant rows of least norm are computed only on request: until then a position update keeps the
    // necessary data.
    c->position.deferred.allowed =
        a->has_loops && (sim->stepper->traits & STEPPER_DEFERS_REACTIONS) != 0;
    pawl_step_results_layout(&c->out, a, mem);
    sim->closure = pawl_eliminator_layout(a->max_rows, 0, mem);
    c->impact = NULL;
    if (sim_has_rows(sim)) {
        pawl_correction_layout(&c->correction, a, mem);
        c->impact = pawl_impact_layout(sim->model, a, sim->impact_units, mem);
    }
    c->own.sized = sim->stepper->size != NULL ? sim->stepper->size(sim->model, a, mem) : NULL;
    size_t scratch = pawl_step_scratch_bytes(a);
    char *block = PAWL_CARVE(mem, char, scratch);
    if (block != NULL) {
        pawl_arena_begin(&c->scratch, block, scratch);
    }
}

// What depends on the number of contacts that a step has room for.
static void sim_destroy_parts(pawl_sim *sim)
{
    pawl_arena_end(&sim->context.scratch);
    pawl_free(&sim->env, sim->scratch, sim->scratch_bytes);
    pawl_island_solver_destroy(sim->islands);
    pawl_solver_destroy(sim->solver);
    pawl_coordinates_destroy(sim->coordinates);
    sim->scratch = NULL;
    sim->islands = NULL;
    sim->solver = NULL;
    sim->coordinates = NULL;
    sim->delassus = NULL;
    sim->assembly = NULL;
}

// The coordinates of the settings; steppers with a tree of their own do not ask.
static const coordinates_ops *sim_coordinates(const pawl_sim *sim)
{
    bool own = (sim->stepper->traits & STEPPER_HAS_TREE) != 0;
    return pawl_coordinates_find(own ? PAWL_FORMULATION_MAXIMAL : (int)sim->settings.formulation);
}

// Rows and their operator in these coordinates.
static pawl_status sim_create_rows(pawl_sim *sim, int max_contacts)
{
    const pawl_settings *set = &sim->settings;
    PAWL_TRY(sim_coordinates(sim)->create(&sim->env, &sim->live.model, set, max_contacts,
                                          &sim->coordinates));
    sim->assembly = sim->coordinates->rows;
    sim->delassus = sim->coordinates->delassus;
    sim->delassus->team = sim->team;
    // New rows have new numbers. The weak space itself is kept, because it was found once, at the start, and its
    // vectors are recalled from the state.
    pawl_weak_space_forget(sim->weak);
    if (!sim->weak_is_exact) {
        sim->delassus->weak.space = sim->weak;
    }
    pawl_sim_drop_redundant(sim);
    return PAWL_OK;
}

// Rows that repeat others exactly may be left out of the factor, if the stepper finds reactions of all rows later.
void pawl_sim_drop_redundant(pawl_sim *sim)
{
    bool drops = sim->weak_is_exact && (sim->stepper->traits & STEPPER_DEFERS_REACTIONS) != 0;
    pawl_coordinates_drop_redundant(sim->coordinates, sim->weak, drops);
}

// The softness of constraints without one of their own, from the settings.
static pawl_softness sim_softness(const pawl_settings *set, double time_constant)
{
    const pawl_soft_settings *soft = &set->soft;
    return (pawl_softness){.time_constant = time_constant,
                           .damping_ratio = soft->damping_ratio,
                           .d0 = soft->d0,
                           .dw = soft->dw,
                           .width = soft->width,
                           .midpoint = soft->midpoint,
                           .power = soft->power};
}

// The solver of the rows, with room for all that they can become.
static pawl_status sim_create_solver(pawl_sim *sim)
{
    const pawl_settings *set = &sim->settings;
    const pawl_assembly *a = sim->assembly;
    // The blocks of contacts have three rows; those of joints up to six and more with actuators on them.
    int max_dim = 3;
    for (int k = 0; k < a->free_blocks; ++k) {
        max_dim = a->blocks[k].rows.dim > max_dim ? a->blocks[k].rows.dim : max_dim;
    }
    solver_def def = pawl_solver_def_of(set);
    def.max_rows = a->max_rows;
    def.max_bounded = a->candidate_count;
    def.max_contacts = a->max_contacts;
    // Rows of torsional and rolling friction come with contacts: what is left of all rows.
    def.max_spins = a->max_rows - a->free_rows - a->candidate_count - 3 * a->max_contacts;
    def.max_block_dim = max_dim;
    def.max_blocks = a->max_blocks;
    PAWL_TRY(pawl_solver_create(&sim->env, &def, &sim->solver));
    if (sim->coordinates->ops->finds_islands) {
        PAWL_TRY(pawl_island_solver_create(&sim->env, set, a, sim->delassus, sim->solver, sim->team,
                                           &sim->islands));
    }
    return PAWL_OK;
}

// Everything with a size that depends on max_contacts. The scratch block is laid out twice: measured, then handed
// out.
static pawl_status sim_create_parts(pawl_sim *sim, int max_contacts)
{
    const pawl_env *env = &sim->env;
    const pawl_model *m = sim->model;
    const pawl_settings *set = &sim->settings;
    PAWL_TRY(sim_create_rows(sim, max_contacts));
    pawl_softness soft_joints = sim_softness(set, set->soft.joint);
    pawl_softness soft_limits = sim_softness(set, set->soft.limit);
    pawl_assembly_set_softness(sim->assembly, &soft_joints, &soft_limits);
    if (sim_has_rows(sim)) {
        PAWL_TRY(sim_create_solver(sim));
    }
    pawl_carver need = {0};
    sim_layout(sim, &need);
    sim->scratch_bytes = need.used;
    sim->scratch = pawl_alloc(env, need.used);
    if (sim->scratch == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "stepping '%s' needs %zu bytes", m->name, need.used);
    }
    pawl_carver mem = {.base = sim->scratch, .capacity = need.used};
    sim_layout(sim, &mem);
    step_context *c = &sim->context;
    c->env = env;
    c->model = &sim->live.model;
    c->settings = &sim->settings;
    c->coordinates = sim->coordinates;
    c->assembly = sim->assembly;
    c->solver = sim->solver;
    c->islands = sim->islands;
    c->finder = sim->finder;
    c->closure = &sim->closure;
    c->placed = false;
    return PAWL_OK;
}

// The order matters: the stepper may refuse before anything is allocated, the finder decides how many contacts there
// is room for, and the parts come last because they are made again whenever that grows.
static pawl_status sim_create_all(pawl_sim *sim)
{
    const pawl_env *env = &sim->env;
    const pawl_model *m = sim->model;
    const pawl_stepper_ops *stepper = sim->stepper;
    if (stepper->check != NULL) {
        PAWL_TRY(stepper->check(env, m, &sim->settings));
    }
    if (sim->settings.threads > 1) {
        PAWL_TRY(pawl_thread_pool_create(env, sim->settings.threads, &sim->team));
    }
    PAWL_TRY(pawl_state_create(env, m, &sim->state));
    PAWL_TRY(pawl_state_create(env, m, &sim->next));
    PAWL_TRY(pawl_sleep_create(env, m, &sim->settings, pawl_settings_key(&sim->settings),
                               sim_coordinates(sim)->has_tree_joints, &sim->context.sleep));
    // How two materials make one pair, and whether flat patches are reduced to their corners.
    contact_rules rules = {sim->settings.contact.friction_rule,
                           sim->settings.contact.restitution_rule,
                           sim->settings.contact.impact_friction,
                           sim_softness(&sim->settings, sim->settings.soft.contact),
                           sim->settings.contact.reduce,
                           sim->settings.contact.reduce_max,
                           sim->team};
    PAWL_TRY(pawl_contact_finder_create(env, &sim->live.model, rules, &sim->finder));
    pawl_contact_finder_rest(sim->finder, sim->context.sleep.still);
    if (sim_has_rows(sim) && sim->finder != NULL &&
        !pawl_solver_find((int)sim->settings.solver.kind)->contacts) {
        return PAWL_FAIL(env, PAWL_UNSUPPORTED,
                         "solver %s does not solve contacts, but shapes of '%s' can touch; use "
                         "auto, for example",
                         pawl_solver_name((int)sim->settings.solver.kind), m->name);
    }
    if (stepper->create != NULL) {
        PAWL_TRY(stepper->create(env, &sim->live.model, &sim->settings, &sim->context.own.lasting));
    }
    enum { EVENTS = 32 }; // of a step, at first
    PAWL_TRY(pawl_event_log_reserve(env, &sim->context.out.events, EVENTS));
    // Without rows the finder serves to measure overlaps and crossings alone.
    bool collides = sim_has_rows(sim) && sim->finder != NULL;
    int room = collides ? pawl_contact_finder_capacity(sim->finder) : 0;
    return sim_create_parts(sim, room);
}

// Steppers with a tree of their own do not ask for coordinates: theirs are maximal ones.
pawl_status pawl_choose_formulation(const pawl_env *env, const pawl_model *model,
                                    const pawl_settings *settings, pawl_formulation *out,
                                    char *reason, size_t size)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, model);
    PAWL_NEED(env, settings);
    PAWL_NEED(env, out);
    const pawl_stepper_ops *stepper = pawl_stepper_find((int)settings->stepper);
    if (stepper == NULL) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "no stepper of kind %d", (int)settings->stepper);
    }
    char text[COORDINATES_REASON] = "";
    int kind = PAWL_FORMULATION_MAXIMAL;
    bool alike = (stepper->traits & STEPPER_MOVES_ALIKE) != 0;
    PAWL_TRY(pawl_coordinates_choose(env, model, settings, alike, &kind, text));
    *out = (pawl_formulation)kind;
    if (reason != NULL && size > 0) {
        (void)snprintf(reason, size, "%s", text);
    }
    return PAWL_OK;
}

const char *pawl_sim_formulation_reason(const pawl_sim *sim)
{
    return sim == NULL ? "" : sim->choice;
}

// The settings of a sim name the coordinates that it has.
static pawl_status sim_choose(pawl_sim *sim)
{
    pawl_settings *set = &sim->settings;
    return pawl_coordinates_find((int)set->formulation) != NULL
               ? PAWL_OK
               : pawl_choose_formulation(&sim->env, sim->model, set, &set->formulation, sim->choice,
                                         sizeof sim->choice);
}

// A sim at the start of the model as the file states it, before joints are assembled: `pawl check` reports on it.
pawl_status pawl_sim_create_raw(const pawl_env *env, const pawl_model *model,
                                const pawl_settings *settings, pawl_sim **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, model);
    PAWL_NEED(env, settings);
    PAWL_NEED(env, out);
    *out = NULL;
    PAWL_TRY(pawl_settings_check(env, settings));
    pawl_sim *sim = pawl_alloc(env, sizeof *sim);
    if (sim == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for a simulation of '%s'", model->name);
    }
    sim->env = *env;
    sim->model = model;
    pawl_live_begin(&sim->live, env, model);
    sim->settings = *settings;
    sim->stepper = pawl_stepper_find((int)settings->stepper);
    pawl_status status = sim_choose(sim);
    if (status == PAWL_OK) {
        status = sim_create_all(sim);
    }
    if (status != PAWL_OK) {
        pawl_sim_destroy(sim);
        return status;
    }
    *out = sim;
    return PAWL_OK;
}

// Positions of joints that the model states come first, and the loops are closed around them.
pawl_status pawl_sim_begin(pawl_sim *sim)
{
    sim->given = sim->assembled = pawl_state_closure(sim->state);
    PAWL_TRY(pawl_sim_start_joints(sim, sim->model->starts, sim->model->start_count));
    return pawl_sim_close(sim);
}

pawl_status pawl_sim_create(const pawl_env *env, const pawl_model *model,
                            const pawl_settings *settings, pawl_sim **out)
{
    PAWL_TRY(pawl_sim_create_raw(env, model, settings, out));
    pawl_status status = pawl_sim_begin(*out);
    if (status != PAWL_OK) {
        pawl_sim_destroy(*out);
        *out = NULL;
    }
    return status;
}

void pawl_sim_destroy(pawl_sim *sim)
{
    if (sim == NULL) {
        return;
    }
    pawl_env env = sim->env;
    pawl_contact_capture_drop(&env, &sim->context.out.capture);
    pawl_sample_capture_drop(&sim->context.out.sample);
    pawl_event_log_free(&env, &sim->context.out.events);
    if (sim->stepper->destroy != NULL) {
        sim->stepper->destroy(sim->context.own.lasting);
    }
    sim_destroy_parts(sim);
    pawl_contact_finder_destroy(sim->finder);
    pawl_thread_pool_destroy(sim->team);
    pawl_sleep_destroy(&env, &sim->context.sleep);
    pawl_weak_space_destroy(sim->weak);
    pawl_state_destroy(sim->next);
    pawl_state_destroy(sim->state);
    pawl_live_end(&sim->live);
    pawl_free(&env, sim, sizeof *sim);
}

static bool sim_body_finite(const body_state *b)
{
    return v3_finite(b->r) && quat_finite(b->q) && v3_finite(b->v) && v3_finite(b->w);
}

// A step whose result is not finite is refused and named after the first such body; the state before it stays
// valid.
static pawl_status sim_check_finite(const pawl_sim *sim, const pawl_state *s)
{
    if (pawl_state_is_finite(s)) {
        return PAWL_OK;
    }
    for (int i = 0; i < sim->model->body_count; ++i) {
        if (!sim_body_finite(&s->bodies[i])) {
            return PAWL_FAIL(&sim->env, PAWL_NOT_FINITE,
                             "the step from t = %g s would leave body '%s' with a non-finite pose "
                             "or twist; the state before it is kept",
                             sim->state->time, sim->model->bodies[i].name);
        }
    }
    return PAWL_FAIL(&sim->env, PAWL_NOT_FINITE,
                     "the step from t = %g s would leave impulses or work that are not finite; the "
                     "state before it is kept",
                     sim->state->time);
}

// Speeds whose squares overflow are finite themselves, but no figure of the run would be.
static pawl_status sim_check_energy(const pawl_sim *sim, const pawl_state *s, const pawl_energy *e)
{
    if (isfinite(e->kinetic) && isfinite(e->gravity) && isfinite(e->springs) &&
        isfinite(e->balance)) {
        return PAWL_OK;
    }
    int fastest = 0;
    for (int i = 1; i < sim->model->body_count; ++i) {
        const body_state *a = &s->bodies[i], *b = &s->bodies[fastest];
        double speed = max_of(v3_max_abs(a->v), v3_max_abs(a->w));
        fastest = speed > max_of(v3_max_abs(b->v), v3_max_abs(b->w)) ? i : fastest;
    }
    return PAWL_FAIL(
        &sim->env, PAWL_NOT_FINITE,
        "the step from t = %g s would leave an energy that is not finite, fastest body "
        "'%s'; the state before it is kept",
        sim->state->time, sim->model->bodies[fastest].name);
}

// Makes all that depends on capacities again; where that fails, what there was stays: the caller may free memory
// and try again.
static pawl_status sim_remake_parts(pawl_sim *sim, int max_contacts)
{
    pawl_sim old = *sim;
    sim->scratch = NULL;
    sim->islands = NULL;
    sim->solver = NULL;
    sim->coordinates = NULL;
    sim->delassus = NULL;
    sim->assembly = NULL;
    pawl_status status = sim_create_parts(sim, max_contacts);
    if (status == PAWL_OK) {
        sim_destroy_parts(&old);
    } else {
        sim_destroy_parts(sim);
        *sim = old;
    }
    return status;
}

// Twice what the step asked for: growing costs a factorization plan, so it should happen rarely.
static pawl_status sim_grow(pawl_sim *sim, int contacts)
{
    if (contacts < 0) {
        return PAWL_FAIL(&sim->env, PAWL_NO_MEMORY, "no memory for collision detection");
    }
    int room = 2 * contacts;
    PAWL_TRY(pawl_contact_finder_grow(sim->finder, room));
    return sim_remake_parts(sim, room);
}

// Room for impacts of more contacts at once.
static pawl_status sim_grow_impacts(pawl_sim *sim, int units)
{
    int before = sim->impact_units;
    sim->impact_units = units;
    pawl_status status = sim_remake_parts(sim, sim->assembly->max_contacts);
    sim->impact_units = status == PAWL_OK ? units : before;
    return status;
}

// The search has no margin: only shapes that overlap are found.
pawl_status pawl_sim_measure_overlaps(pawl_sim *sim)
{
    if (sim->finder == NULL || !sim_has_rows(sim)) {
        return PAWL_OK;
    }
    int count = pawl_contact_finder_find(sim->finder, sim->state->bodies, 0.0, 0.0);
    while (count < 0 || count > pawl_contact_finder_capacity(sim->finder)) {
        PAWL_TRY(sim_grow(sim, count));
        count = pawl_contact_finder_find(sim->finder, sim->state->bodies, 0.0, 0.0);
    }
    pawl_overlap_begin(&sim->context, sim->state, count);
    return PAWL_OK;
}

// How deep the centre of a shape may be inside another one. Contacts that yield carry small shapes, such as the balls at
// the corners of a box, at a depth of many radii: there it is the depth that the verdict allows.
static double sim_centre_depth(const pawl_sim *sim)
{
    const pawl_settings *settings = &sim->settings;
    bool yields = (pawl_stepper_find((int)settings->stepper)->traits & STEPPER_SOFT_LIMITS) != 0;
    double allowed = yields ? settings->verdict.penetration * sim->model->size : 0.0;
    return fmax(settings->contact.margin, allowed);
}

// From sim->state to sim->next.
static void sim_report_crossings(const pawl_sim *sim, pawl_step_report *report)
{
    shape_crossing crossed = {0, -1, -1};
    if (sim->finder != NULL) {
        crossed = pawl_contact_finder_crossings(sim->finder, sim->state->bodies, sim->next->bodies,
                                                pawl_state_overlaps(sim->state),
                                                sim_centre_depth(sim), report->penetration);
    }
    report->tunnelled = crossed.count;
    report->tunnel_shape_a = model_shape_id(sim->model, crossed.shape_a);
    report->tunnel_shape_b = model_shape_id(sim->model, crossed.shape_b);
}

static void sim_report_events(pawl_sim *sim, pawl_step_report *report)
{
    event_log *log = &sim->context.out.events;
    if (report->tunnelled > 0) {
        pawl_event_add(log, pawl_event_of_pair(PAWL_EVENT_TUNNELLED, sim->next->time,
                                               pawl_shape_index(report->tunnel_shape_a),
                                               pawl_shape_index(report->tunnel_shape_b),
                                               report->tunnelled));
    }
    memset(report->events, 0, sizeof report->events);
    for (int i = 0; i < log->count; ++i) {
        ++report->events[log->events[i].kind];
    }
}

// Loops of exact files meet to rounding: less than this is no property of the file [m or rad].
static const double sim_misfit = 1e-11;

// The figures of every step that the sim measures, for any stepper.
static unsigned sim_measured(const pawl_sim *sim)
{
    const pawl_model *m = sim->model;
    unsigned bits = PAWL_MEASURED_BALANCE | PAWL_MEASURED_WORK;
    bits |= m->joint_count > 0 ? (unsigned)PAWL_MEASURED_CLOSURE : 0u;
    bits |= sim->finder != NULL ? (unsigned)PAWL_MEASURED_CROSSINGS : 0u;
    bool updates = sim->settings.project && sim_has_rows(sim);
    // Without position updates (project=off) there is nothing to fail.
    bits |= updates && sim->assembly->free_rows > 0 ? (unsigned)PAWL_MEASURED_POSITIONS : 0u;
    for (int k = 0; k < sim->assembly->candidate_count; ++k) {
        bits |= sim->assembly->candidates[k].family->measured;
    }
    return bits;
}

// Tries a step from sim->state to sim->next until all that it finds has room: nothing is dropped.
static pawl_status sim_try(pawl_sim *sim, pawl_step_report *report)
{
    step_context *c = &sim->context;
    for (;;) {
        // Everything that an attempt writes is reset here, so that a successful attempt does not depend on those that
        // ran out of room: a run has the same bits for any initial capacities.
        pawl_state_copy(sim->next, sim->state);
        pawl_sleep_begin(&c->sleep, &sim->live.model, sim->next,
                         pawl_step_end(sim->state, sim->settings.dt));
        pawl_weak_recall(sim->delassus->weak.space, sim->state->weak);
        pawl_numbers_set(c->out.reaction, (size_t)pawl_impulse_slots(sim->model).count, 0.0);
        pawl_forget_reactions(c, (sim->stepper->traits & STEPPER_DEFERS_REACTIONS) != 0);
        c->out.contact_demand = c->out.impact_demand = 0;
        c->out.failed = false;
        c->out.position_failures = 0;
        c->out.settled = 0.0;
        c->out.events.count = 0;
        sim->stepper->advance(c, sim->next, report);
        pawl_phase_enter(&c->clock, PAWL_PHASE_REST);
        // The last place is kept for what sim_report_events() finds.
        int events = c->out.events.count < c->out.events.capacity ? 0 : c->out.events.count;
        if (c->out.contact_demand == 0 && c->out.impact_demand == 0 && events == 0) {
            break;
        }
        c->placed = false; // the assembly is placed at the state that is thrown away
        PAWL_TRY(c->out.contact_demand != 0 ? sim_grow(sim, c->out.contact_demand)
                 : c->out.impact_demand != 0
                     ? sim_grow_impacts(sim, c->out.impact_demand)
                     : pawl_event_log_reserve(&sim->env, &c->out.events, 2 * events));
    }
    if ((c->out.capture.wanted || c->out.sample.wanted) && c->out.captured == PAWL_NO_MEMORY) {
        return c->out.captured;
    }
    if (c->out.failed) {
        return PAWL_FAIL(&sim->env, PAWL_NOT_SOLVED,
                         "the step from t = %g s was not solved by %s, even in shorter parts; the "
                         "state before it is kept",
                         sim->state->time, sim->stepper->name);
    }
    // Time is computed from the number of the step, not added up, where pawl_step_end can: sums of dt would drift.
    sim->next->step = sim->state->step + 1;
    sim->next->time = pawl_step_end(sim->state, sim->settings.dt);
    PAWL_TRY(sim_check_finite(sim, sim->next));
    // For input that is not finite solvers return no impulses: then the state is finite, but the constraints are
    // violated.
    if (isnan(report->residual.natural_scaled) || isnan(report->own_residual)) {
        return PAWL_FAIL(
            &sim->env, PAWL_NOT_FINITE,
            "the step from t = %g s has a problem with numbers that are not finite; the "
            "state before it is kept",
            sim->state->time);
    }
    return PAWL_OK;
}

// Joint coordinates and residuals at s, for what is measured. With rows their Jacobians as well: the next step
// continues from here.
static void sim_place(pawl_sim *sim, const pawl_state *s)
{
    step_context *c = &sim->context;
    if (c->placed) {
        return;
    }
    pawl_phase_enter(&c->clock, PAWL_PHASE_ASSEMBLE);
    if (sim_has_rows(sim)) {
        pawl_assembly_place(sim->assembly, s->bodies, s->coordinates, s->time, c->u.damping_time);
        c->placed = true;
    } else {
        pawl_assembly_place_residuals(sim->assembly, s->bodies, s->coordinates, s->time);
    }
    pawl_phase_enter(&c->clock, PAWL_PHASE_REST);
}

// The expected misfit of loops, [m] or [rad], from the start.
static double sim_expected_misfit(const pawl_sim *sim)
{
    const weak_space *weak = sim->delassus->weak.space;
    return weak == NULL ? 0.0 : weak->delta * fmax(1.0, weak->length);
}

// A singular position that the numbers of the file blur, passed or nearby.
static void sim_report_passage(const pawl_sim *sim, pawl_step_report *report)
{
    const weak_space *weak = sim->delassus->weak.space;
    report->settled = sim->context.out.settled;
    report->passage_joint = (pawl_joint_id){0};
    // Next to a singular position, not through it: the angle delta / m^2 of docs/derivations/weak-space.md, section 5.
    double nearest = pawl_weak_nearest(weak);
    bool inside = pawl_weak_in_zone(weak);
    bool left = !inside && pawl_weak_was_in_zone(weak, sim->state->weak);
    bool passes = report->settled > 0.0 || inside, near = isfinite(nearest);
    report->measured |= left ? (unsigned)PAWL_MEASURED_RETURN : 0u;
    if (near) {
        double apart = fmax(report->misfit.position / weak->length, report->misfit.rotation);
        report->blur = fmax(apart, weak->delta) / (nearest * nearest);
    }
    if (passes || near) {
        int row = pawl_weak_next_row(weak);
        report->measured |= passes ? (unsigned)PAWL_MEASURED_PASSAGE : 0u;
        report->measured |= near ? (unsigned)PAWL_MEASURED_BLUR : 0u;
        report->passage_joint = model_joint_id(
            sim->model, row < 0 ? -1 : pawl_row_joint(sim->model, &sim->assembly->rows[row]));
    }
}

// A step in which all bodies sleep: only the time changes. Its report is made once.
static void sim_sleep(pawl_sim *sim)
{
    step_context *c = &sim->context;
    pawl_state *s = sim->state;
    if (!sim->dozes) {
        sim->asleep =
            (pawl_step_report){.energy = pawl_state_energy(s), .closure = pawl_state_closure(s)};
        for (int i = 0; i < sim->model->body_count; ++i) {
            sim->asleep.asleep += sim->model->bodies[i].kind != PAWL_BODY_KINEMATIC;
        }
        sim->asleep.measured = sim_measured(sim) & ~(unsigned)PAWL_MEASURED_POSITIONS;
        pawl_state_copy(sim->next, s);
        // Reactions of joints do not change; contacts are not listed.
        for (int i = 0; i < pawl_impulse_slots(sim->model).count; ++i) {
            c->out.reaction[i] = s->impulses[i];
        }
        pawl_forget_reactions(c, false);
        c->out.contact_count = 0;
        c->out.events.count = 0;
        c->placed = false;
        sim->dozes = true;
    }
    sim->next->step = s->step;
    sim->next->time = s->time;
    s->time = pawl_step_end(s, sim->settings.dt);
    ++s->step;
}

// Next to a singular position rows are placed a moment ahead, and back again: whether the motion passes through that
// position decides whether loops are to move freely there.
static void sim_look_ahead(pawl_sim *sim, const pawl_state *s)
{
    static const double moment = 1e-4; // of a step
    weak_space *weak = sim->delassus->weak.space;
    if (!pawl_weak_is_near(weak)) {
        return;
    }
    step_context *c = &sim->context;
    double later = moment * sim->settings.dt;
    body_state *bodies = c->position.from; // whatever the last update left there
    memcpy(bodies, s->bodies, (size_t)sim->model->body_count * sizeof *bodies);
    pawl_advance_poses(sim->model, s->bodies, bodies, later, s->time + later);
    pawl_assembly_place(sim->assembly, bodies, s->coordinates, s->time + later, c->u.damping_time);
    pawl_weak_look_ahead(weak, sim->delassus, later, sim->settings.dt);
    pawl_assembly_place(sim->assembly, s->bodies, s->coordinates, s->time, c->u.damping_time);
    pawl_assembly_build_closure(sim->assembly);
    pawl_weak_follow(&sim->assembly->problem);
}

// One step: inputs, the stepper on a copy, then everything that is measured in the same way for every stepper. The
// copy is written back after the last thing that can fail: a failed step leaves the state,
// and so the caller, where it was.
static pawl_status sim_step(pawl_sim *sim, pawl_step_report *out)
{
    pawl_state *s = sim->next;
    step_context *c = &sim->context;
    pawl_step_report report = {0};
    pawl_phase_begin(&c->clock);
    pawl_status status = pawl_sim_follow_inputs(sim);
    if (status == PAWL_OK) {
        status = pawl_sim_check_inputs(sim);
    }
    if (status == PAWL_OK && pawl_sleep_is_deep(&c->sleep, &sim->live.model, sim->state,
                                                pawl_step_end(sim->state, sim->settings.dt))) {
        sim_sleep(sim);
        pawl_phase_enter(&c->clock, PAWL_PHASE_REST);
        memcpy(sim->asleep.seconds, c->clock.seconds, sizeof c->clock.seconds);
        if (out != NULL) {
            *out = sim->asleep;
        }
        return PAWL_OK;
    }
    sim->dozes = false;
    if (status == PAWL_OK && sim->state->step == 0) {
        status = pawl_sim_measure_overlaps(sim);
    }
    if (status == PAWL_OK) {
        status = sim_try(sim, &report);
    }
    if (status == PAWL_OK) {
        if (pawl_sleep_end(&c->sleep, &sim->live.model, s, sim->assembly,
                           report.outcome == PAWL_CONVERGED)) {
            c->placed = false; // with twists that these no longer have
        }
        report.asleep = c->sleep.asleep;
        report.energy = pawl_state_energy(s);
        status = sim_check_energy(sim, s, &report.energy);
    }
    if (status != PAWL_OK) { // nothing is reported of a step that was not taken
        c->out.contact_count = 0;
        c->out.events.count = 0;
        c->placed = false;
        return status;
    }
    sim_place(sim, s);
    // Weak directions turn with the mechanism. Their vectors are followed from step to step and kept in the state, so
    // that a resumed run has the same ones.
    if (sim->delassus->weak.space != NULL) {
        pawl_assembly_build_closure(sim->assembly);
        pawl_weak_follow(&sim->assembly->problem);
        sim_look_ahead(sim, s);
        pawl_weak_remember(sim->delassus->weak.space, sim->settings.dt, s->weak);
    }
    report.misfit = pawl_assembly_misfit(sim->assembly);
    report.misfit_expected = sim_expected_misfit(sim);
    sim_report_passage(sim, &report);
    // Joints of a tree have no rows, but are looked at all the same.
    report.closure = sim->coordinates->ops->has_tree_joints ? pawl_state_closure(s)
                                                            : pawl_assembly_closure(sim->assembly);
    report.measured |= sim_measured(sim);
    bool misfits = report.misfit.position > sim_misfit || report.misfit.rotation > sim_misfit;
    report.measured |= misfits ? (unsigned)PAWL_MEASURED_MISFIT : 0u;
    report.position_failures = c->out.position_failures;
    // Angles are known up to whole turns from poses alone; the state counts the turns of each coordinate.
    pawl_assembly_count_turns(sim->assembly, s);
    sim_report_crossings(sim, &report);
    sim_report_events(sim, &report);
    // From here on nothing fails. The address of the state is constant, so that views (pawl/view.h) show the numbers
    // of the last step; sim->next has those before it.
    pawl_state_exchange(sim->state, s);
    s = sim->state;
    // The state is where its step left it. Whoever changes poses or twists from outside marks it as moved, and the
    // rows are then placed again.
    s->moved = false;
    s->balance = report.energy.balance;
    pawl_phase_enter(&c->clock, PAWL_PHASE_REST);
    memcpy(report.seconds, c->clock.seconds, sizeof c->clock.seconds);
    if (out != NULL) {
        *out = report;
    }
    return PAWL_OK;
}

pawl_status pawl_sim_step(pawl_sim *sim, pawl_step_report *out)
{
    PAWL_NEED(NULL, sim);
    // A sim belongs to one thread at a time: the second one is turned away instead of let in.
    if (atomic_exchange_explicit(&sim->busy, true, memory_order_acquire)) {
        return PAWL_FAIL(&sim->env, PAWL_BAD_ARGUMENT,
                         "two threads step one simulation of '%s'; expected one at a time",
                         sim->model->name);
    }
    pawl_status status = sim_step(sim, out);
    atomic_store_explicit(&sim->busy, false, memory_order_release);
    return status;
}

// Whether steps keep their contact problem as a matrix (contact_capture.c). That allocates in every step with
// contacts: for studies, not for runs.
void pawl_sim_keep_problems(pawl_sim *sim, bool keep)
{
    if (sim == NULL) {
        return;
    }
    sim->context.out.capture.wanted = keep;
    if (!keep) {
        pawl_contact_capture_drop(&sim->env, &sim->context.out.capture);
    }
}

// Of the last step; it stays valid until the next one. NULL where the step had no contacts.
pawl_kept_problem pawl_sim_kept_problem(const pawl_sim *sim)
{
    if (sim == NULL) {
        return (pawl_kept_problem){0};
    }
    const contact_capture *c = &sim->context.out.capture;
    return (pawl_kept_problem){c->problem, c->r, c->fixed_rows};
}

// The same with all rows as they are (step/common/sample_capture.c).
void pawl_sim_keep_samples(pawl_sim *sim, bool keep)
{
    if (sim == NULL) {
        return;
    }
    sim->context.out.sample.wanted = keep;
    if (!keep) {
        pawl_sample_capture_drop(&sim->context.out.sample);
    }
}

const pawl_sample *pawl_sim_kept_sample(const pawl_sim *sim)
{
    return sim != NULL ? sim->context.out.sample.sample : NULL;
}

// `now` returns seconds. Phases of a step are timed by it.
void pawl_sim_set_clock(pawl_sim *sim, double (*now)(void *user), void *user)
{
    if (sim == NULL) {
        return;
    }
    sim->context.clock = (phase_clock){.now = now, .user = user};
}

const pawl_state *pawl_sim_state(const pawl_sim *sim)
{
    return sim != NULL ? sim->state : NULL;
}

// Data of the previous step (contacts, events, placed rows, a stepper's own history) does not apply to a new state.
static void sim_forget(pawl_sim *sim)
{
    sim->context.out.contact_count = 0;
    sim->context.out.events.count = 0;
    sim->context.placed = false;
    sim->dozes = false;
    pawl_contact_finder_rest(sim->finder, sim->context.sleep.still);
    if (sim->stepper->reset != NULL) {
        sim->stepper->reset(&sim->context);
    }
}

pawl_status pawl_sim_set_state(pawl_sim *sim, const pawl_state *state)
{
    PAWL_NEED(NULL, sim);
    PAWL_NEED(&sim->env, state);
    if (state->model != sim->model && state->model->hash != sim->model->hash) {
        return PAWL_FAIL(&sim->env, PAWL_BAD_ARGUMENT,
                         "the state belongs to another model, '%s', expected one of '%s'",
                         state->model->name, sim->model->name);
    }
    pawl_state_copy(sim->state, state);
    sim_forget(sim);
    return PAWL_OK;
}

void pawl_sim_lend(pawl_sim *sim, pawl_state *state)
{
    if (sim->state != state) {
        sim->state = state;
        sim_forget(sim);
    }
}

const pawl_settings *pawl_sim_settings(const pawl_sim *sim)
{
    return sim != NULL ? &sim->settings : NULL;
}

const pawl_model *pawl_sim_model(const pawl_sim *sim)
{
    return sim != NULL ? sim->model : NULL;
}

// Force or torque of the last step [N or N m]; NaN for an id that is none.
double pawl_sim_actuator_effort(const pawl_sim *sim, pawl_actuator_id id)
{
    int actuator = sim == NULL ? -1 : PAWL_INDEX(&sim->env, &sim->model->ids[ID_ACTUATOR], id);
    if (actuator < 0) {
        return NAN;
    }
    return sim->context.out.effort[actuator];
}
