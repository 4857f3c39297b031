// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Gyroscopic torques of bodies that rows act on. With W the spin in body axes, the torque -W x I W depends on the
// change of W by the rows within the step; evaluated at the mean of the spins before and after it, the step is of
// second order,
//   I (W+ - W-) = h (t - Wm x I Wm) + rows,   Wm = (W- + W+)/2.
// The step is solved, the torque is evaluated again, and the problem is solved once more if the torque has changed.
#include "step/common/spin_update.h"
#include "problem/eliminate.h"
#include "step/common/free_motion.h"
#include "step/common/gyroscope.h"
#include "step/common/solve_rows.h"
#include "step/common/twist.h"
#include "step/common/warm_start.h"

// Share of the largest change of a spin in a step that a predicted gyroscopic torque may be off by: in
// smooth motion it is off by O(h^2) of it, so that such steps are solved once. Without bounded rows another
// solve is one pass through the factor that is there, and worth it for what spins fast.
static const double spin_fraction = 0.1;

static const double spin_free_fraction = 1e-9;

// Changes of a spin that are none [rad/s]. Where mechanisms touch something the answer itself is known to the solver's
// tolerance only, and each solve more is one of all contacts.
static const double spin_same = 1e-14, spin_same_touched = 1e-9;

// The energy that a gyroscopic torque may add in a step, relative to the body's rotational energy. It does no work
// where it is taken at the mean of the spins; where the corrections do not converge it would, without bound.
static const double spin_gain = 1e-6;
static const double spin_much = 1e-3;       // likewise, of a correction that the rows do not see
static const double spin_fast = 0.5;        // turn of a step [rad] from which on that is looked at
static const double spin_contraction = 0.5; // slower corrections do not converge
enum { SPIN_MORE_CORRECTIONS = 16 };

// Whether a body's gyroscopic torque depends on what rows do to it.
static bool spin_has_gyroscope(const step_context *c, int i)
{
    const model_body *b = &c->model->bodies[i];
    bool touched = c->assembly->problem.contact_count > 0;
    return b->kind == PAWL_BODY_RIGID && !b->isotropic &&
           (c->assembly->body_has_rows[i] || touched);
}

bool pawl_has_gyroscopes(const step_context *c)
{
    bool any = false;
    for (int i = 0; i < c->model->body_count; ++i) {
        any = any || spin_has_gyroscope(c, i);
    }
    return any;
}

// A stepper asks for it, or a mechanism touches something: then the prediction is right to a part of the solver's
// tolerance in smooth motion, and one solve is enough.
bool pawl_spins_are_predicted(const step_context *c, const step_weights *w)
{
    const pawl_assembly *a = c->assembly;
    return w->predict_spin || (a->problem.contact_count > 0 && a->free_rows > 0);
}

// The mean of the spins before and after the step, in body axes.
static pawl_vec3 spin_mean(const step_context *c, int i)
{
    const pawl_mat3 *r = &c->assembly->rotation[i];
    pawl_vec3 W = m3_tmul(r, twist_angular(c->u.start + 6 * i));
    pawl_vec3 next = m3_tmul(r, twist_angular(c->u.next + 6 * i));
    return v3_scale(0.5, v3_add(W, next));
}

// The free spin of body i with that gyroscopic torque, -torque in body axes.
static pawl_vec3 spin_with_torque(const step_context *c, int i, pawl_vec3 torque,
                                  const step_weights *w)
{
    const pawl_mat3 *r = &c->assembly->rotation[i];
    pawl_vec3 W = m3_tmul(r, twist_angular(c->u.start + 6 * i));
    pawl_vec3 impulse = m3_tmul(r, twist_angular(c->u.driven + 6 * i));
    impulse = v3_axpy(impulse, -w->h, torque);
    W = v3_add(W, m3_mul(&c->model->bodies[i].inverse_inertia, impulse));
    return pawl_damped_spin(c, i, W, w);
}

// The free spin of body i with its gyroscopic torque at the spin between those before and after the step
// with its rows. Without this the torque does not include the effect of the rows, and the step is of first order
// wherever joints turn a spinning body. If the torque would change the spin by more than its magnitude, repeated
// evaluation would square the error each time: then the torque is not updated.
static pawl_vec3 spin_with_gyroscope(const step_context *c, int i, const step_weights *w)
{
    const model_body *b = &c->model->bodies[i];
    pawl_vec3 mean = spin_mean(c, i), torque = v3_cross(mean, m3_mul(&b->inertia, mean));
    if (!(w->h * v3_norm(m3_mul(&b->inverse_inertia, torque)) <= v3_norm(mean))) {
        return twist_angular(c->u.own + 6 * i);
    }
    return spin_with_torque(c, i, torque, w);
}

// Sets the free spins so. Returns the largest change of one [rad/s].
static double spin_correct(step_context *c, const step_weights *w)
{
    double change = 0.0;
    for (int i = 0; i < c->model->body_count; ++i) {
        if (spin_has_gyroscope(c, i)) {
            double *u = c->u.own + 6 * i;
            pawl_vec3 spin = spin_with_gyroscope(c, i, w);
            change = max_of(change, v3_max_abs(v3_sub(spin, twist_angular(u))));
            twist_put(u, twist_linear(u), spin);
        }
    }
    pawl_free_motion_bind(c, w);
    return change;
}

// Beyond which change of a spin the torque is taken again and the problem solved once more.
static double spin_tolerance(const step_context *c, const step_weights *w)
{
    if (!w->predict_spin) {
        return pawl_spins_are_predicted(c, w) ? spin_same_touched : spin_same;
    }
    double change = 0.0;
    for (int i = 0; i < c->model->body_count; ++i) {
        pawl_vec3 d = v3_sub(twist_angular(c->u.next + 6 * i), twist_angular(c->u.start + 6 * i));
        change = max_of(change, v3_max_abs(d));
    }
    const pawl_problem *p = &c->assembly->problem;
    bool linear = p->row_count == p->free_row_count;
    return spin_same + (linear ? spin_free_fraction : spin_fraction) * change;
}

// Whether the gyroscopic torque of body i gives energy: the impulse -h Wm x I Wm that the mean Wm of the spins asks
// for does no work, and what the one that acted is apart from it, -I d, does -Wm . I d. u.own must be what the rows
// answered to.
static bool spin_gives(const step_context *c, int i, const step_weights *w, double gain)
{
    const pawl_mat3 *r = &c->assembly->rotation[i];
    pawl_vec3 mean = spin_mean(c, i), momentum = m3_mul(&c->model->bodies[i].inertia, mean);
    pawl_vec3 asked = spin_with_torque(c, i, v3_cross(mean, momentum), w);
    pawl_vec3 d = m3_tmul(r, v3_sub(asked, twist_angular(c->u.own + 6 * i)));
    return !(-v3_dot(momentum, d) <= gain * 0.5 * v3_dot(momentum, mean));
}

// `turn`: of bodies that turn by at least that in a step [rad].
static bool spin_any_gives(const step_context *c, const step_weights *w, double gain, double turn)
{
    bool any = false;
    for (int i = 0; i < c->model->body_count && !any; ++i) {
        any = spin_has_gyroscope(c, i) && w->h * v3_norm(spin_mean(c, i)) >= turn &&
              spin_gives(c, i, w, gain);
    }
    return any;
}

// The torque that knows nothing of the rows, where the other would give energy. It keeps the energy of the free motion
// (gyroscope.c), and rows take from that. Returns whether that changed any spin.
static bool spin_let_go(step_context *c, const step_weights *w)
{
    bool changed = false;
    for (int i = 0; i < c->model->body_count; ++i) {
        if (spin_has_gyroscope(c, i) && spin_gives(c, i, w, spin_gain)) {
            const model_body *b = &c->model->bodies[i];
            const pawl_mat3 *r = &c->assembly->rotation[i];
            double *u = c->u.own + 6 * i;
            pawl_vec3 W = m3_tmul(r, twist_angular(c->u.start + 6 * i));
            pawl_vec3 torque = v3_scale(1.0 / w->h, m3_tmul(r, twist_angular(c->u.driven + 6 * i)));
            W = pawl_gyroscope_step(b, W, torque, w->h);
            pawl_vec3 spin = pawl_damped_spin(c, i, W, w);
            changed = changed || v3_max_abs(v3_sub(spin, twist_angular(u))) > 0.0;
            twist_put(u, twist_linear(u), spin);
        }
    }
    pawl_free_motion_bind(c, w);
    return changed;
}

static void spin_solve_again(step_context *c, solver_report *solved)
{
    pawl_assembly_set_free_velocity(c->assembly, c->u.free);
    pawl_solve_again(c, solved);
}

// A fixed-point iteration. It gets more rounds than the stepper's where it contracts but would still give energy;
// where it does not contract, spin_let_go() ends it.
void pawl_settle_gyroscopes(step_context *c, const step_weights *w, solver_report *solved)
{
    double last = INFINITY;
    int most = w->gyroscope_corrections;
    for (int k = 0; k < most; ++k) {
        bool gives = spin_any_gives(c, w, spin_much,
                                    spin_fast); // by the torque that the rows have answered to
        double change = spin_correct(c, w);
        if (change <= spin_tolerance(c, w) && !gives) {
            break;
        }
        spin_solve_again(c, solved);
        bool settles = change <= spin_contraction * last;
        last = change;
        if (k + 1 >= w->gyroscope_corrections && settles && most < SPIN_MORE_CORRECTIONS &&
            spin_any_gives(c, w, spin_gain, 0.0)) {
            ++most;
        }
    }
    if (most > 0 && spin_let_go(c, w)) {
        spin_solve_again(c, solved);
    }
}

// Twice the energy of rotation of body i at a spin in world axes [J].
static double spin_energy(const step_context *c, int i, pawl_vec3 spin)
{
    pawl_vec3 W = m3_tmul(&c->assembly->rotation[i], spin);
    return v3_dot(W, m3_mul(&c->model->bodies[i].inertia, W));
}

// Once more after the last solve, without the rows: what this leaves open the projection that follows removes. Where
// the corrections before did not converge, and were ended by spin_let_go(), this one would be as wrong as they were.
void pawl_correct_spins(step_context *c, const step_weights *w)
{
    for (int i = 0; i < c->model->body_count; ++i) {
        if (spin_has_gyroscope(c, i)) {
            double *u = c->u.next + 6 * i;
            pawl_vec3 change =
                v3_sub(spin_with_gyroscope(c, i, w), twist_angular(c->u.own + 6 * i));
            pawl_vec3 spin = v3_add(twist_angular(u), change);
            if (spin_energy(c, i, spin) <=
                (1.0 + spin_much) * spin_energy(c, i, twist_angular(u))) {
                twist_put(u, twist_linear(u), spin);
            }
        }
    }
}

// The gyroscopic torque of a step in which the bounded rows push as they did in the last one and the free
// rows, one linear solve, answer to that. In smooth motion impulses change by O(h^2) a step: the torque's
// impulse is right to O(h^3), all that second order asks for.
void pawl_predict_spins(step_context *c, const pawl_state *s, const step_weights *w)
{
    const double accuracy = 1e-6;
    const pawl_assembly *a = c->assembly;
    pawl_warm_start(c, s);
    if (a->free_rows > 0) {
        pawl_eliminate_factor(&a->problem, c->settings->solver.regularization);
        bool exact = !a->has_loops || pawl_eliminate_is_exact(&a->problem);
        pawl_eliminate_recover(c->closure, &a->problem, exact ? 1.0 : accuracy, c->u.lambda);
    }
    pawl_apply_rows(c);
    if (spin_correct(c, w) > 0.0) {
        pawl_assembly_set_free_velocity(c->assembly, c->u.free);
    }
}
