// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Closes a model's joints at the start by damped Gauss-Newton in the metric of the masses, then makes velocities
// consistent with the joints.
//
// Redundant rows of loops are found here, once (weak_space.h). If they are exactly redundant, every row is closed; if
// they are only nearly redundant, because of the numbers of a file, the contradictory part is left open and reported.
#include "rows/measure.h"
#include "sim/sim.h"
#include "sim/start_limits.h"
#include "step/common/position_update.h"

static const double assemble_tolerance = 1e-10; // below this nothing is moved [m or rad]
static const double assemble_refuse = 1e-7;     // above this the model is refused
static const double assemble_polish = 1e-14;    // to tell exact rows by
static const double assemble_exact = 1e-13;     // singular values of rounding: 1e-16 to 1e-14
static const double assemble_misfit = 1e-12;    // likewise, of joints that are assembled
static const double assemble_travelled = 100.0; // times what was open: by a weak direction alone
static const double assemble_widen = 1.3;       // times the tolerance of reduced rows, at a time
static const double assemble_far = 1e-3;        // beyond digits of a file [m or rad]
enum {
    ASSEMBLE_STEPS = 200,
    ASSEMBLE_POLISH_STEPS = 4,
    ASSEMBLE_ROUNDS = 4,
    ASSEMBLE_MATCHES = 12,
    ASSEMBLE_LIMIT_ROUNDS = 20
};

// Metres and radians are compared as plain numbers.
static double assemble_worst(pawl_closure c)
{
    return fmax(c.position, c.rotation);
}

// The largest twist component that the constraints would change.
static double assemble_velocity_change(const pawl_sim *sim, const pawl_state *before)
{
    double change = 0.0;
    for (int i = 0; i < sim->model->body_count; ++i) {
        const body_state *a = &before->bodies[i], *b = &sim->state->bodies[i];
        change = fmax(change, v3_max_abs(v3_sub(a->v, b->v)));
        change = fmax(change, v3_max_abs(v3_sub(a->w, b->w)));
    }
    return change;
}

// How many rows repeat others at s, by the rows of all joints.
static pawl_status assemble_count(const pawl_sim *sim, const pawl_state *s, double tolerance,
                                  int *count)
{
    coordinates *all = NULL;
    weak_space *space = NULL;
    PAWL_TRY(pawl_maximal_coordinates.create(&sim->env, &sim->live.model, &sim->settings, 0, &all));
    pawl_assembly_place(all->rows, s->bodies, s->coordinates, s->time, sim->context.u.damping_time);
    pawl_assembly_build_closure(all->rows);
    pawl_status status = pawl_weak_search(&sim->env, all, tolerance, &space);
    *count = pawl_weak_space_dimension(space);
    pawl_weak_space_destroy(space);
    pawl_coordinates_destroy(all);
    return status;
}

// Coordinates that hold joints have rows of the others alone, whose singular values are a few times larger or smaller than
// those of all rows. loop.tolerance is of the mechanism: as many rows are weak as would be with the rows of all joints.
static pawl_status assemble_match(pawl_sim *sim, const pawl_state *s, double tolerance)
{
    int wanted, found = pawl_weak_space_dimension(sim->weak);
    PAWL_TRY(assemble_count(sim, s, tolerance, &wanted));
    bool more = wanted > found;
    for (int k = 0; k < ASSEMBLE_MATCHES && found != wanted && more == (wanted > found); ++k) {
        tolerance *= more ? assemble_widen : 1.0 / assemble_widen;
        pawl_weak_space_destroy(sim->weak);
        sim->weak = NULL;
        PAWL_TRY(pawl_weak_search(&sim->env, sim->coordinates, tolerance, &sim->weak));
        found = pawl_weak_space_dimension(sim->weak);
    }
    return PAWL_OK;
}

// The weak space where s is, in place of the one that was found before.
// tolerance 0 looks for rows that repeat each other exactly, which is assemble_exact in numbers.
static pawl_status assemble_search(pawl_sim *sim, const pawl_state *s, double tolerance)
{
    pawl_assembly *a = sim->assembly;
    sim->delassus->weak.space = NULL;
    pawl_weak_space_destroy(sim->weak);
    sim->weak = NULL;
    pawl_assembly_place(a, s->bodies, s->coordinates, s->time, sim->context.u.damping_time);
    pawl_assembly_build_closure(a);
    PAWL_TRY(
        pawl_weak_search(&sim->env, sim->coordinates, fmax(tolerance, assemble_exact), &sim->weak));
    bool match = sim->coordinates->ops->has_tree_joints && sim->weak != NULL && tolerance > 0.0;
    return match ? assemble_match(sim, s, tolerance) : PAWL_OK;
}

// Redundant rows are exact where their singular values and the errors of closed joints are both those of rounding.
static bool assemble_looks_exact(const pawl_sim *sim)
{
    return pawl_weak_space_dimension(sim->weak) == 0 ||
           (pawl_weak_space_largest(sim->weak) < assemble_exact &&
            pawl_closure_error(sim->assembly) < assemble_misfit);
}

// How far bodies are from where they were given, which is sim->next [m or rad].
static double assemble_travel(const pawl_sim *sim, const pawl_state *s)
{
    double travel = 0.0;
    for (int i = 0; i < sim->model->body_count; ++i) {
        const body_state *a = &sim->next->bodies[i], *b = &s->bodies[i];
        travel = fmax(travel, v3_norm(v3_sub(b->r, a->r)));
        travel = fmax(travel, v3_norm(quat_log(quat_mul(b->q, quat_conj(a->q)))));
    }
    return travel;
}

// Whether the rows that are weak at s, which is assembled, repeat each other but for rounding. `travel`: how far
// bodies were moved to see it.
static pawl_status assemble_is_exact(pawl_sim *sim, const pawl_state *s, bool *exact,
                                     double *travel)
{
    *travel = assemble_travel(sim, s);
    double tolerance = sim->settings.loop.tolerance;
    PAWL_TRY(assemble_search(sim, s, tolerance));
    *exact = tolerance == 0.0 || assemble_looks_exact(sim);
    if (*exact || pawl_closure_error(sim->assembly) <= assemble_polish) {
        return PAWL_OK;
    }
    pawl_state *closer; // what is left open is a misalignment as well
    PAWL_TRY(pawl_state_create(&sim->env, sim->model, &closer));
    pawl_state_copy(closer, s);
    pawl_project(&sim->context, closer, s->time, ASSEMBLE_POLISH_STEPS, assemble_polish);
    pawl_status status = assemble_search(sim, closer, tolerance);
    *exact = assemble_looks_exact(sim);
    *travel = fmax(*travel, assemble_travel(sim, closer));
    pawl_state_destroy(closer);
    return status;
}

// Joints of a loop that miss each other by the last digit of a file may well meet elsewhere: a projection gets
// there along the motion that the loop was meant to have, by the misfit over a weak singular value. A joint that was
// closed by a displacement so much larger than its opening was not meant to be there; whether it is weak is to be
// seen where it was given.
static pawl_status assemble_is_exact_near(pawl_sim *sim, const pawl_state *s, double open,
                                          bool *exact)
{
    double travel;
    PAWL_TRY(assemble_is_exact(sim, s, exact, &travel));
    if (!*exact || sim->settings.loop.tolerance == 0.0 || travel <= assemble_travelled * open) {
        return PAWL_OK;
    }
    PAWL_TRY(assemble_search(sim, sim->next, sim->settings.loop.tolerance));
    *exact = pawl_weak_space_dimension(sim->weak) == 0;
    return *exact ? assemble_is_exact(sim, s, exact, &travel) : PAWL_OK;
}

// Brings s together with the weak space left out, which may be another one once it is.
static pawl_status assemble_weakly(pawl_sim *sim, pawl_state *s, int *steps)
{
    bool settled = false;
    *steps = 0;
    for (int round = 0; round < ASSEMBLE_ROUNDS && !settled; ++round) {
        int before = pawl_weak_space_dimension(sim->weak);
        PAWL_TRY(assemble_search(sim, s, sim->settings.loop.tolerance));
        settled = round > 0 && pawl_weak_space_dimension(sim->weak) == before;
        pawl_weak_attach(&sim->assembly->problem, sim->weak);
        *steps += pawl_project(&sim->context, s, s->time, ASSEMBLE_STEPS, assemble_tolerance);
    }
    return PAWL_OK;
}

// Whether what the weak space leaves open is no more than a misalignment below the tolerance.
static bool assemble_fits(const pawl_sim *sim)
{
    pawl_closure misfit = pawl_assembly_misfit(sim->assembly);
    return sim->weak == NULL || (misfit.position <= sim->weak->tolerance * sim->weak->length &&
                                 misfit.rotation <= sim->weak->tolerance);
}

// The misfit at the start determines the distance from a singular position within which the numbers of the file do
// not resolve it.
static void assemble_set_zone(pawl_sim *sim)
{
    pawl_closure misfit = pawl_assembly_misfit(sim->assembly);
    pawl_weak_set_zone(sim->weak, misfit.position, misfit.rotation);
}

// Rows, residuals and Jacobians at s, in sim->assembly.
static void assemble_place(pawl_sim *sim, const pawl_state *s)
{
    pawl_assembly_place(sim->assembly, s->bodies, s->coordinates, s->time,
                        sim->context.u.damping_time);
    pawl_assembly_build_closure(sim->assembly);
}

// Exact rows repeat each other where loops are closed. Without position updates loops open by the truncation
// error of each step: then they do so only nearly, and what pulls them back must not contradict itself.
static bool assemble_will_open(const pawl_sim *sim)
{
    return sim->weak_is_exact && !sim->settings.project && sim->settings.loop.tolerance > 0.0 &&
           pawl_weak_space_dimension(sim->weak) > 0;
}

// sim->next is s as it was.
// Three attempts. First all rows are met as they stand; if the redundant ones turn out to be exact, that is the
// answer. Else the start is taken again with the weak space left out. If that leaves more open than loop.tolerance
// explains, the joints do not repeat each other at all, and all rows are met again.
static pawl_status assemble_poses(pawl_sim *sim, pawl_state *s, int *steps)
{
    sim->delassus->weak.space = NULL;
    sim->delassus->drops_redundant = false;
    // How far joints were open as given: bodies that travel much more than this went along a weak direction.
    double open = assemble_worst(pawl_state_closure(s));
    *steps = pawl_project(&sim->context, s, s->time, ASSEMBLE_STEPS, assemble_tolerance);
    if (!sim->assembly->has_loops) {
        return PAWL_OK;
    }
    PAWL_TRY(assemble_is_exact_near(sim, s, open, &sim->weak_is_exact));
    if (!sim->weak_is_exact) {
        pawl_state_copy(s, sim->next);
        PAWL_TRY(assemble_weakly(sim, s, steps));
        assemble_place(sim, s);
        assemble_set_zone(sim);
        if (!assemble_fits(
                sim)) { // joints that miss each other by more than that are not redundant
            sim->weak_is_exact = true;
            pawl_weak_attach(&sim->assembly->problem, NULL);
            pawl_state_copy(s, sim->next);
            *steps = pawl_project(&sim->context, s, s->time, ASSEMBLE_STEPS, assemble_tolerance);
            PAWL_TRY(assemble_search(sim, s, 0.0));
        }
    }
    assemble_place(sim, s);
    if (assemble_will_open(sim)) {
        sim->weak_is_exact = false;
        pawl_weak_attach(&sim->assembly->problem, sim->weak);
        assemble_set_zone(sim);
    }
    pawl_weak_remember(sim->weak_is_exact ? NULL : sim->weak, 0.0, s->weak);
    sim->context.position.least_norm =
        sim->weak_is_exact && pawl_weak_space_dimension(sim->weak) > 0;
    pawl_sim_drop_redundant(sim);
    return PAWL_OK;
}

// What the weak space means for this model.
static void assemble_note_misfit(const pawl_sim *sim)
{
    if (sim->weak_is_exact || sim->weak == NULL ||
        pawl_weak_space_largest(sim->weak) < assemble_exact) {
        return;
    }
    pawl_closure misfit = pawl_assembly_misfit(sim->assembly);
    pawl_log(&sim->env, PAWL_LOG_NOTE,
             "joints of loops of '%s' are redundant, but only to %.2g (rad, or lengths of the "
             "mechanism): %d of %d rows are taken for redundant (loop.tolerance); at the start "
             "joints close to %.2g m, %.2g rad (joint '%s')",
             sim->model->name, pawl_weak_space_largest(sim->weak),
             pawl_weak_space_dimension(sim->weak), sim->model->row_count, misfit.position,
             misfit.rotation, sim->model->joints[pawl_joint_index(misfit.worst_joint)].name);
}

// Loops that are far from closed and joints beyond their limits: the limits indicate the intended assembly of the
// loops. Joints are moved within them and the loops closed, in turn; the closed position that is least beyond a limit
// stays, or the start as it was where none closes.
static pawl_status assemble_within_limits(pawl_sim *sim, int *steps)
{
    pawl_state *s = sim->state, *best;
    double least = INFINITY;
    int moved = 0, first = 0;
    PAWL_TRY(pawl_state_create(&sim->env, sim->model, &best));
    pawl_state_copy(best, s);
    pawl_status status = PAWL_OK;
    for (int round = 0; round < ASSEMBLE_LIMIT_ROUNDS && least > assemble_far; ++round) {
        status = pawl_start_within_limits(&sim->env, s, &moved);
        if (status != PAWL_OK || moved == 0) {
            break;
        }
        first = round == 0 ? moved : first;
        pawl_state_count_turns(s);
        *steps += pawl_project(&sim->context, s, s->time, ASSEMBLE_STEPS, assemble_tolerance);
        pawl_state_count_turns(s);
        pawl_closure c = pawl_state_closure(s);
        if (assemble_worst(c) <= assemble_refuse && c.limit < least) {
            least = c.limit;
            pawl_state_copy(best, s);
        }
    }
    pawl_state_copy(s, best);
    pawl_state_destroy(best);
    if (status == PAWL_OK && isfinite(least)) {
        pawl_log(&sim->env, PAWL_LOG_NOTE,
                 "the joints were open and beyond their limits at the start: %d joint%s moved "
                 "within limits before loops were closed",
                 first, first == 1 ? " was" : "s were");
    }
    return status;
}

// Closes the joints at sim->state, and makes its velocities agree. sim->given and sim->assembled are the errors
// before and after. Fails with PAWL_NOT_ASSEMBLED where a joint stays open by more than assemble_refuse. The
// energy balance starts here: what assembling changes is no energy error of the run.
pawl_status pawl_sim_close(pawl_sim *sim)
{
    pawl_closure *start = &sim->given, *assembled = &sim->assembled;
    pawl_state *s = sim->state;
    const pawl_model *m = sim->model;
    pawl_state_count_turns(s);
    *start = *assembled = pawl_state_closure(s);
    int moved_steps = 0, steps;
    // Both conditions, since closed joints beyond a limit are a start that the file means, and open joints within
    // limits are closed by the shortest way.
    if (assemble_worst(*start) > assemble_far && start->limit > assemble_far) {
        PAWL_TRY(assemble_within_limits(sim, &moved_steps));
    }
    pawl_state_copy(sim->next, s);
    PAWL_TRY(assemble_poses(sim, s, &steps));
    steps += moved_steps;
    pawl_state_count_turns(s);
    *assembled = pawl_state_closure(s);
    // Soft joints may start with a violation.
    if (!(assemble_worst(*assembled) <= assemble_refuse) &&
        !(pawl_closure_error(sim->context.assembly) <= assemble_refuse)) {
        return PAWL_FAIL(&sim->env, PAWL_NOT_ASSEMBLED,
                         "the joints of '%s' are open and cannot be closed: after %d "
                         "steps joint '%s' is still open by %.3g m, %.3g rad",
                         m->name, steps, m->joints[pawl_joint_index(assembled->worst_joint)].name,
                         assembled->position, assembled->rotation);
    }
    if (steps > 0) {
        pawl_log(&sim->env, PAWL_LOG_NOTE,
                 "the joints were open at the start (joint '%s' was open by %.3g m, %.3g rad); "
                 "assembled in %d steps",
                 m->joints[pawl_joint_index(start->worst_joint)].name, start->position,
                 start->rotation, steps);
    }
    assemble_note_misfit(sim);
    double change = assemble_velocity_change(sim, sim->next);
    if (change > 1e-9) {
        pawl_log(&sim->env, PAWL_LOG_NOTE,
                 "the start velocities violated the joints; they were changed by up to "
                 "%.3g",
                 change);
    }
    pawl_energy e = pawl_state_energy(s);
    // What was done before, such as a change of gravity, stays in the balance.
    // The work so far is subtracted, because the balance is stored energy minus all work minus energy_start.
    s->energy_start = pawl_energy_stored(&e);
    for (int i = 0; i < WORK_COUNT; ++i) {
        s->energy_start -= s->work[i];
    }
    s->edited = false;
    s->balance = 0.0;
    return PAWL_OK;
}
