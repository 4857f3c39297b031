// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The figures of a run, collected step by step: sums and worst values, where NaN is the worst, so that it is never
// hidden. criteria.c judges them.
#include "pawl/verdict.h"
#include "model/softness.h"
#include "rows/measure.h"

// Energies that are turned over at least, so that runs in which next to nothing moves are not judged by
// their rounding, nor short ones by their first steps: what lifts the whole model by 0.03 of its size,
// 1e-9 of each kind of energy, of which rounding takes a part, and, for models without weight, the
// kinetic energy at the default tolerance of velocities.
static const double verdict_floor_lift = 0.03;
static const double verdict_floor_rounding = 1e-9;
static const double verdict_floor_speed = 1e-8; // [m/s]

_Static_assert((int)PAWL_METHOD_COUNT <= (int)PAWL_MAX_METHODS &&
                   (int)PAWL_DISSIPATOR_COUNT <= (int)PAWL_MAX_DISSIPATORS,
               "no room in verdicts");

// Without what corrections of overlaps and violated limits stored: no dissipator, and no secret.
static void verdict_work(const pawl_verdict *v, const pawl_energy *e,
                         double work[PAWL_DISSIPATOR_COUNT])
{
    work[PAWL_DISSIPATOR_DAMPERS] = e->work_dampers;
    work[PAWL_DISSIPATOR_FRICTION] = e->work_friction;
    work[PAWL_DISSIPATOR_LIMITS] = e->work_limits - v->limit_correction_energy;
    work[PAWL_DISSIPATOR_CONTACTS] = e->work_contacts - v->contact_correction_energy;
}

static void verdict_raise_floor(pawl_verdict *v, const pawl_energy *e)
{
    double largest = worst_of(worst_of(fabs(e->gravity), fabs(e->springs)), e->kinetic);
    v->energy_floor = worst_of(v->energy_floor, verdict_floor_rounding * largest);
}

// What of the model the limits refer to.
static void verdict_describe(pawl_verdict *v, const pawl_model *m)
{
    double mass = 0.0, weight = 0.0;
    v->size = m->size;
    for (int i = 0; i < m->body_count; ++i) {
        mass += m->bodies[i].mass;
        weight += m->bodies[i].mass * fabs(m->bodies[i].gravity_scale) * v3_norm(m->gravity);
    }
    v->energy_floor = worst_of(verdict_floor_lift * weight * v->size,
                               0.5 * mass * verdict_floor_speed * verdict_floor_speed);
    for (int i = 0; i < m->joint_count; ++i) {
        v->soft_joints = v->soft_joints || pawl_is_soft(&m->joints[i].soft);
        for (int c = 0; c < m->joints[i].coordinate_count; ++c) {
            v->soft_limits = v->soft_limits || pawl_is_soft(&m->joints[i].coordinate[c].limit_soft);
        }
    }
    for (int i = 0; i < m->shape_count; ++i) {
        v->soft_contacts = v->soft_contacts || pawl_is_soft(&m->shapes[i].def.soft);
    }
}

// Figures of the start, from which a run is judged: violations of limits that the file begins with are not the run's.
pawl_verdict pawl_verdict_begin(const pawl_state *state)
{
    pawl_energy e = pawl_state_energy(state);
    pawl_verdict v = {.closure = pawl_state_closure(state)};
    if (state == NULL) {
        return v;
    }
    verdict_describe(&v, state->model);
    verdict_raise_floor(&v, &e);
    v.start_limit = v.closure.limit;
    v.energy_initial = v.energy_final = pawl_energy_stored(&e);
    v.kinetic_max = e.kinetic;
    v.potential_min = v.potential_max = e.gravity + e.springs;
    v.energy = e;
    verdict_work(&v, &e, v.lowest_work);
    return v;
}

// worst_of() returns NaN if one of the two is: a figure that is not finite stays visible.
static void verdict_max(double *worst, double value)
{
    *worst = worst_of(*worst, value);
}

static void verdict_max_int(int *most, int value)
{
    *most = value > *most ? value : *most;
}

// Whether `value` is worse than what is known so far.
static bool verdict_is_worse(double value, double known)
{
    return value > known || (isnan(value) && !isnan(known));
}

// Sums and largest figures of the solver. A step counts as not converged by the judge's residual, not by what the
// solver says. Imbalance and dissipation gap belong to mdp and nmdp alone.
static void verdict_add_solver(pawl_verdict *v, const pawl_step_report *r)
{
    v->not_converged += r->outcome != PAWL_CONVERGED;
    v->iterations_sum += r->iterations;
    verdict_max_int(&v->iterations_max, r->iterations);
    v->factorizations_sum += r->factorizations;
    verdict_max_int(&v->factorizations_max, r->factorizations);
    if ((unsigned)r->method < PAWL_METHOD_COUNT) {
        ++v->methods[r->method];
    }
    v->islands_sum += r->islands;
    verdict_max_int(&v->islands_max, r->islands);
    v->asleep_sum += r->asleep;
    verdict_max_int(&v->asleep_max, r->asleep);
    v->fell_back += r->fell_back ? 1 : 0;
    verdict_max(&v->residual.primal, r->residual.primal);
    verdict_max(&v->residual.dual, r->residual.dual);
    verdict_max(&v->residual.complementarity, r->residual.complementarity);
    verdict_max(&v->residual.natural, r->residual.natural);
    verdict_max(&v->residual.natural_scaled, r->residual.natural_scaled);
    verdict_max(&v->own_residual, r->own_residual);
    if ((r->measured & PAWL_MEASURED_DISSIPATION) != 0u) {
        verdict_max(&v->imbalance, r->imbalance);
        verdict_max(&v->dissipation_gap, r->dissipation_gap);
        v->divided += r->substeps > 1 ? 1 : 0;
    }
}

// Misfit in the motion over that of the start: digits seldom do more (3 of 600 files of random mechanisms, 160 at
// most), and the limit is a hundred times that.
static const double verdict_growth = 30.0;

// Energy that a passage loses is speed that the motion after it lacks: a fraction e of the energy turned over is e/2 of
// the speed, and of a path as long as the largest body [m].
static double verdict_path_of_loss(const pawl_verdict *v, const pawl_step_report *r)
{
    double turnover = pawl_verdict_turnover(v);
    double lost = fabs(r->energy.balance - v->energy.balance);
    return lost > 0.0 ? 0.5 * v->size * lost / turnover : 0.0;
}

// The worst joint goes with the worst figure of the run, so it is compared before the figure is replaced.
static void verdict_add_closure(pawl_verdict *v, const pawl_step_report *r)
{
    double now = worst_of(r->closure.position, r->closure.rotation);
    if (verdict_is_worse(now, worst_of(v->closure.position, v->closure.rotation))) {
        v->closure.worst_joint = r->closure.worst_joint;
    }
    verdict_max(&v->closure.position, r->closure.position);
    verdict_max(&v->closure.rotation, r->closure.rotation);
    double apart = worst_of(r->misfit.position, r->misfit.rotation);
    if (verdict_is_worse(apart, worst_of(v->misfit.position, v->misfit.rotation))) {
        v->misfit.worst_joint = r->misfit.worst_joint;
    }
    verdict_max(&v->misfit.position, r->misfit.position);
    verdict_max(&v->misfit.rotation, r->misfit.rotation);
    verdict_max(&v->misfit_expected, r->misfit_expected);
    if (v->passage_steps == 0 && (r->measured & PAWL_MEASURED_PASSAGE) == 0u) {
        // Where files state a pose, joints meet better than elsewhere: the motion shows what their digits
        // do, up to the first singular position. Behind it that may be an error of the way, and so may what grows
        // beyond all that digits do where the start is such a position. Without position updates steps open loops.
        bool updated = (r->measured & PAWL_MEASURED_POSITIONS) != 0u;
        double most = updated ? verdict_growth * r->misfit_expected : INFINITY;
        verdict_max(&v->misfit_expected, apart > most ? most : apart);
    }
    if ((r->measured & PAWL_MEASURED_PASSAGE) != 0u) {
        if (v->passage_steps++ == 0) {
            v->passage_step = v->steps;
            v->passage_joint = r->passage_joint;
        }
        v->settled += r->settled;
    }
    if ((r->measured & PAWL_MEASURED_RETURN) != 0u) {
        v->settled += verdict_path_of_loss(v, r);
    }
    if ((r->measured & PAWL_MEASURED_BLUR) != 0u && verdict_is_worse(r->blur, v->blur)) {
        v->blur = r->blur;
        v->blur_step = v->steps;
        v->blur_joint = r->passage_joint;
    }
    if (verdict_is_worse(r->closure.ratio, v->closure.ratio)) {
        v->closure.ratio = r->closure.ratio;
        v->closure.ratio_joint = r->closure.ratio_joint;
    }
    if (verdict_is_worse(r->closure.limit, v->closure.limit)) {
        v->closure.limit = r->closure.limit;
        v->closure.worst_limit = r->closure.worst_limit;
    }
    if (v->position_failures == 0 && r->position_failures > 0) {
        v->position_step = v->steps;
    }
    v->position_failures += r->position_failures;
}

// Depth in metres and depth relative to the thickness have their own worst pairs: a thin shape may be the worst by
// one and not by the other.
static void verdict_add_contacts(pawl_verdict *v, const pawl_step_report *r)
{
    verdict_max_int(&v->contacts_max, r->contacts);
    v->contacts_sum += r->contacts;
    if (verdict_is_worse(r->penetration, v->penetration)) {
        v->penetration = r->penetration;
        v->worst_shape_a = r->worst_shape_a;
        v->worst_shape_b = r->worst_shape_b;
    }
    if (verdict_is_worse(r->depth_ratio, v->depth_ratio)) {
        v->depth_ratio = r->depth_ratio;
        v->ratio_shape_a = r->ratio_shape_a;
        v->ratio_shape_b = r->ratio_shape_b;
    }
    v->start_depth = fmax(v->start_depth, r->start_depth);
    if (v->tunnelled == 0 && r->tunnelled > 0) {
        v->tunnel_step = v->steps;
        v->tunnel_shape_a = r->tunnel_shape_a;
        v->tunnel_shape_b = r->tunnel_shape_b;
    }
    v->tunnelled += r->tunnelled;
}

// Work in and out since the last step, account by account, so that one does not hide another.
static void verdict_add_work(pawl_verdict *v, const pawl_energy *e)
{
    const pawl_energy *o = &v->energy;
    const double change[] = {
        e->work_actuators - o->work_actuators, e->work_dampers - o->work_dampers,
        e->work_friction - o->work_friction,   e->work_motion - o->work_motion,
        e->work_forces - o->work_forces,       e->work_limits - o->work_limits,
        e->work_contacts - o->work_contacts};
    for (size_t i = 0; i < sizeof change / sizeof *change; ++i) {
        // If an element adds and removes energy within a step, only its net work counts.
        *(change[i] > 0.0 ? &v->work_in : &v->work_out) += fabs(change[i]);
    }
    double work[PAWL_DISSIPATOR_COUNT];
    verdict_work(v, e, work);
    for (int k = 0; k < PAWL_DISSIPATOR_COUNT; ++k) {
        verdict_max(&v->work_gain[k], work[k]);
        verdict_max(&v->work_rise[k], work[k] - v->lowest_work[k]);
        v->lowest_work[k] = fmin(v->lowest_work[k], work[k]);
    }
    v->energy = *e;
}

// potential_min is a smallest value: the signs are turned so that NaN is the worst here, too.
static void verdict_add_energy(pawl_verdict *v, const pawl_energy *e)
{
    double potential = e->gravity + e->springs;
    v->energy_final = pawl_energy_stored(e);
    verdict_max(&v->kinetic_max, e->kinetic);
    verdict_max(&v->potential_max, potential);
    v->potential_min = -worst_of(-v->potential_min, -potential);
    verdict_max(&v->balance_max, fabs(e->balance));
    verdict_raise_floor(v, e);
    verdict_add_work(v, e);
}

// All figures that criteria use. One that is not finite fails the run even if later steps are fine.
static bool verdict_is_finite(const pawl_step_report *r)
{
    const double figures[] = {
        r->residual.primal,  r->residual.dual,           r->residual.complementarity,
        r->residual.natural, r->residual.natural_scaled, r->own_residual,
        r->imbalance,        r->dissipation_gap,         r->closure.position,
        r->closure.rotation, r->closure.limit,           r->penetration,
        r->depth_ratio,      r->energy.kinetic,          r->energy.gravity,
        r->energy.springs,   r->energy.balance};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; ++i) {
        if (!isfinite(figures[i])) {
            return false;
        }
    }
    return true;
}

// Adds one step. Correction energies come before the work, because verdict_work() subtracts them.
void pawl_verdict_add(pawl_verdict *v, const pawl_step_report *r)
{
    if (v == NULL || r == NULL) {
        return;
    }
    ++v->steps;
    v->measured |= r->measured;
    v->not_finite += verdict_is_finite(r) ? 0 : 1;
    verdict_add_solver(v, r);
    verdict_add_closure(v, r);
    verdict_add_contacts(v, r);
    for (int k = 0; k < PAWL_EVENT_KIND_COUNT; ++k) {
        v->events[k] += r->events[k];
    }
    // Potential energy that corrections of overlaps and violated limits put into bodies is no work of the wrong sign.
    v->limit_correction_energy += r->limit_correction_energy;
    v->contact_correction_energy += r->contact_correction_energy;
    verdict_add_energy(v, &r->energy);
}

void pawl_verdict_end(pawl_verdict *v, pawl_run_end end, double time, double requested_time)
{
    if (v == NULL) {
        return;
    }
    v->end = end;
    v->time = time;
    v->requested_time = requested_time;
}

const char *pawl_method_name(pawl_method method)
{
    static const char *const names[PAWL_METHOD_COUNT] = {"none", "direct", "sweeps", "admm",
                                                         "newton"};
    return (int)method >= 0 && method < PAWL_METHOD_COUNT ? names[method] : NULL;
}

const char *pawl_dissipator_name(pawl_dissipator which)
{
    static const char *const names[PAWL_DISSIPATOR_COUNT] = {"dampers", "joint friction", "limits",
                                                             "contacts"};
    return (int)which >= 0 && which < PAWL_DISSIPATOR_COUNT ? names[which] : NULL;
}

// [J]; the scale of energy errors. See docs/verdict.md, "The energy turned over".
double pawl_verdict_turnover(const pawl_verdict *v)
{
    if (v == NULL) {
        return NAN;
    }
    double stored = worst_of(v->kinetic_max, v->potential_max - v->potential_min);
    return worst_of(worst_of(stored, v->energy_floor), worst_of(v->work_in, v->work_out));
}

// A balance of exactly 0 is no error even if nothing was turned over (0/0).
double pawl_verdict_energy_error(const pawl_verdict *v)
{
    if (v == NULL) {
        return NAN;
    }
    double turnover = pawl_verdict_turnover(v);
    return v->balance_max == 0.0 ? 0.0 : v->balance_max / turnover;
}
