// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A step uses the length and direction that a spring between two points has at the poses of its rows. If a point
// moves across the spring by h v, the length has an error of (h v)^2 / 2 l, which is harmless for a soft spring. In a
// stiff spring it causes an unexplained energy of k (h v)^4 / 8 l^2, which the trapezoidal rule keeps for ever.
// Therefore springs and dampers that are too stiff for the step are bent: a fraction b of them acts on the length l+
// and the rate l'+ at the end of the step as they are there for the twists u+,
//   lambda = -h [(1 - b) (k x + d x') + b (k y + d y')],
// where x, x' are what the step takes for the others and
//   y = l+ - rest + h/2 l'+,   y' = l'+               rows at the middle of the step (moreau),
//   y = l+ - rest,             y' = (l+ - l-) / h     rows at its start (euler).
// Both damp fast vibrations, and a point on a circle keeps its distance to all orders of h but the last: without h/2
// l'+ the length would oscillate from step to step for ever with the midpoint rule. The equation is solved by
// Newton's method with the placed rows, with one solve of the existing factor per iteration.
#include "step/common/stiff_springs.h"
#include "step/common/solve_rows.h"
#include <string.h>

static const double spring_settled = 1e-10;  // fraction of an impulse that may be wrong
static const double spring_rounding = 1e-15; // of lengths
static const double spring_enough = 1e-6;    // where rounds no longer help
static const double spring_least = 1e-9; // fraction of the twists below which bodies are stopped
enum { SPRING_ROUNDS = 12 };

typedef struct spring_end {
    double value, rate; // of the row
} spring_end;

// A point of a body after `time` at the constant twist u.next: the lever turns exactly, by exp(time w). *rate is
// its velocity there.
static pawl_vec3 spring_point(const step_context *c, int body, pawl_vec3 point, double time,
                              pawl_vec3 *rate)
{
    *rate = v3(0.0, 0.0, 0.0);
    if (body < 0) {
        return point;
    }
    const pawl_assembly *a = c->assembly;
    const double *u = c->u.next + 6 * body;
    pawl_vec3 v = v3(u[0], u[1], u[2]), w = v3(u[3], u[4], u[5]);
    pawl_vec3 lever = m3_mul(&a->rotation[body], v3_sub(point, c->model->bodies[body].com));
    lever = pawl_quat_rotate(quat_exp(v3_scale(time, w)), lever);
    *rate = v3_add(v, v3_cross(w, lever));
    return v3_add(v3_axpy(a->bodies[body].r, time, v), lever);
}

// Row r of a spring a time after the rows were placed.
static spring_end spring_after(const step_context *c, int r, double time)
{
    const row_info *info = &c->assembly->rows[r];
    const pawl_spring_def *s = &c->model->springs[info->owner];
    pawl_vec3 rate_a, rate_b;
    pawl_vec3 a = spring_point(c, pawl_body_index(s->body_a), s->point_a, time, &rate_a);
    pawl_vec3 b = spring_point(c, pawl_body_index(s->body_b), s->point_b, time, &rate_b);
    pawl_vec3 t = v3_sub(b, a), v = v3_sub(rate_b, rate_a);
    if (s->rest_length > 0.0) {
        double length = v3_norm(t);
        return (spring_end){length, length > 0.0 ? v3_dot(t, v) / length : 0.0};
    }
    const double value[3] = {t.x, t.y, t.z}, rate[3] = {v.x, v.y, v.z};
    return (spring_end){value[info->part], rate[info->part]};
}

// The stretch that row r acts on and the rate that its damper does. `before` and `after` are its rates with the rows
// as they are placed.
// `plain` is the rule of the step on its rows as placed, `bent` the rule above for the end of the step.
static spring_end spring_acts_on(const step_context *c, int r, const step_weights *w, double before,
                                 double after)
{
    const pawl_assembly *a = c->assembly;
    const pawl_spring_def *s = &c->model->springs[a->rows[r].owner];
    double bend = a->bend[r], h = w->h, here = a->residual[r];
    spring_end end = {here + w->after_time * after, after}, plain, bent;
    if (!c->u.straight_springs) {
        end = spring_after(c, r, w->after_time);
    }
    plain.value = here + h * (w->ahead * after - w->behind * before);
    plain.rate = w->theta * after + (1.0 - w->theta) * before;
    bent.value = end.value + (h - w->after_time) * end.rate;
    bent.rate = w->before_time > 0.0 ? end.rate : (end.value - here) / h;
    return (spring_end){(1.0 - bend) * plain.value + bend * bent.value - s->rest_length,
                        (1.0 - bend) * plain.rate + bend * bent.rate};
}

double pawl_stiff_spring_rate(const step_context *c, const step_weights *w, int r, double before,
                              double after)
{
    return spring_acts_on(c, r, w, before, after).rate;
}

// Sets the biases of the bent rows for u_next. Returns the largest error of a length in fractions of what it is
// measured from, as far as more than rounding and a negligible fraction of the impulse.
static double spring_set_biases(step_context *c, const step_weights *w)
{
    pawl_assembly *a = c->assembly;
    double worst = 0.0;
    size_t mark = pawl_arena_mark(&c->scratch);
    double *before = pawl_take_rows(c);
    pawl_assembly_row_velocity(a, c->u.start, before);
    pawl_assembly_row_velocity(a, c->u.next, c->u.rate);
    for (int k = 0; k < a->free_blocks; ++k) {
        const row_block *b = &a->blocks[k];
        for (int i = 0; b->joint < 0 && i < b->rows.dim; ++i) {
            int r = b->rows.first_row + i;
            if (a->bend[r] == 0.0) {
                continue;
            }
            const pawl_spring_def *s = &c->model->springs[a->rows[r].owner];
            spring_end acts = spring_acts_on(c, r, w, before[r], c->u.rate[r]);
            double impulse = -w->h * (s->stiffness * acts.value + s->damping * acts.rate);
            double off = impulse - c->u.lambda[r], size = fabs(a->residual[r]) + s->rest_length;
            for (int j = 0; j < b->body_count; ++j) {
                size += v3_norm(a->bodies[b->body[j]].r);
            }
            // 0 = J u + bias + compliance lambda
            a->bias[r] = -c->u.rate[r] - a->compliance[r] * impulse;
            if (!(fabs(off) <= spring_settled * fabs(impulse))) {
                worst = worst_of(worst, w->h * a->compliance[r] * fabs(off) / size);
            }
        }
    }
    pawl_arena_release(&c->scratch, mark);
    return worst;
}

// Whether it is settled.
// Rounds end when the error stops falling. The answer counts where it is then below spring_enough.
static bool spring_settle(step_context *c, const step_weights *w, solver_report *solved)
{
    double last = INFINITY;
    for (int k = 0; k < SPRING_ROUNDS; ++k) {
        double off = spring_set_biases(c, w);
        if (!(off > spring_rounding && off < last)) {
            return off <= spring_enough;
        }
        last = off;
        pawl_assembly_set_free_velocity(c->assembly, c->u.free);
        pawl_step_solve_rows(c, pawl_solver_goal(c->solver), solved);
    }
    return last <= spring_enough;
}

// Where Newton's method does not converge, the springs act along their rows as placed (straight_springs), still by
// the implicit rule, and pawl_stiff_springs_guard() watches over the energy.
void pawl_stiff_springs_settle(step_context *c, const step_weights *w, solver_report *solved)
{
    c->u.straight_springs = false;
    if (w->after_time == 0.0 || c->assembly->bent == 0 || spring_settle(c, w, solved)) {
        return;
    }
    c->u.straight_springs = true;
    spring_set_biases(c, w);
    pawl_assembly_set_free_velocity(c->assembly, c->u.free);
    pawl_step_solve_rows(c, pawl_solver_goal(c->solver), solved);
}

// Whether a body is one that bent springs can move: others have joints that act on them, too.
static bool spring_moves(const step_context *c, int body)
{
    return c->model->bodies[body].kind != PAWL_BODY_KINEMATIC && !c->assembly->body_is_joined[body];
}

// Of all springs between points, `time` after the rows were placed [J].
static double spring_stored(const step_context *c, double time)
{
    double sum = 0.0;
    const pawl_assembly *a = c->assembly;
    for (int r = 0; r < a->free_rows; ++r) {
        if (pawl_row_is_point_spring(&a->rows[r])) {
            const pawl_spring_def *s = &c->model->springs[a->rows[r].owner];
            double stretch = spring_after(c, r, time).value - s->rest_length;
            sum += 0.5 * s->stiffness * stretch * stretch;
        }
    }
    return sum;
}

typedef struct spring_energies {
    double moving, stored; // kinetic energy, and that of springs
    double fallen;         // what gravity gave since the rows were placed
} spring_energies;

// Of the twists in u_next, a time after the rows were placed.
static spring_energies spring_energy(const step_context *c, double time)
{
    const pawl_model *m = c->model;
    spring_energies out = {.stored = spring_stored(c, time)};
    for (int i = 0; i < m->body_count; ++i) {
        const model_body *b = &m->bodies[i];
        const double *u = c->u.next + 6 * i;
        if (spring_moves(c, i)) {
            pawl_vec3 v = v3(u[0], u[1], u[2]);
            pawl_vec3 w = m3_tmul(&c->assembly->rotation[i], v3(u[3], u[4], u[5]));
            out.moving += 0.5 * (b->mass * v3_dot(v, v) + v3_dot(w, m3_mul(&b->inertia, w)));
            out.fallen += time * b->mass * b->gravity_scale * v3_dot(m->gravity, v);
        }
    }
    return out;
}

// Whether the twists of u_next gain from where the step began until a time after the rows were placed.
static bool spring_gains(const step_context *c, const spring_energies *from, double time)
{
    spring_energies to = spring_energy(c, time);
    double given = to.fallen - from->fallen + fmax(c->u.work_given, 0.0);
    return !(to.moving + to.stored <= from->moving + from->stored + given);
}

// Last resort against explosions: where a spring that is too stiff for the step would hold more energy than the
// motion had, the velocities of its bodies are halved until it does not, and the verdict counts a failed update.
void pawl_stiff_springs_guard(step_context *c, pawl_state *s, const step_weights *w)
{
    if (w->after_time == 0.0 || c->assembly->bent == 0 || !c->u.straight_springs) {
        return;
    }
    size_t twists = (size_t)(6 * c->model->body_count) * sizeof *c->u.next;
    size_t mark = pawl_arena_mark(&c->scratch);
    double *u = pawl_take_twists(c), fraction = 1.0;
    memcpy(u, c->u.next, twists);
    memcpy(c->u.next, c->u.start, twists);
    spring_energies from = spring_energy(c, -w->before_time);
    memcpy(c->u.next, u, twists);
    while (fraction > 0.0 && (spring_gains(c, &from, w->after_time) ||
                              spring_gains(c, &from, w->after_time + w->before_time))) {
        fraction = fraction > spring_least ? 0.5 * fraction : 0.0;
        for (int i = 0; i < c->model->body_count; ++i) {
            for (int k = 6 * i; spring_moves(c, i) && k < 6 * i + 6; ++k) {
                c->u.next[k] = fraction * u[k];
            }
        }
    }
    pawl_arena_release(&c->scratch, mark);
    if (fraction == 1.0) {
        return;
    }
    ++c->out.position_failures;
    for (int i = 0; i < c->model->body_count; ++i) {
        const double *n = c->u.next + 6 * i;
        s->bodies[i].v = v3(n[0], n[1], n[2]);
        s->bodies[i].w = v3(n[3], n[4], n[5]);
    }
}

// One end of a spring: where it is, how fast, its acceleration by the turning of its body, and what a unit of impulse
// along e does to it.
typedef struct spring_hook {
    pawl_vec3 point, rate, turning, lever;
} spring_hook;

static spring_hook spring_hook_of(const step_context *c, const pawl_state *s, int body,
                                  pawl_vec3 point)
{
    if (body < 0) {
        return (spring_hook){.point = point};
    }
    const body_state *b = &s->bodies[body];
    pawl_mat3 r = quat_matrix(b->q);
    spring_hook out = {.lever = m3_mul(&r, v3_sub(point, c->model->bodies[body].com))};
    out.point = v3_add(b->r, out.lever);
    pawl_vec3 turn = v3_cross(b->w, out.lever);
    out.rate = v3_add(b->v, turn);
    out.turning = v3_cross(b->w, turn);
    return out;
}

// e . (velocity of the point) for a unit impulse along e [1/kg]; 0 for what a spring cannot move.
static double spring_inertia(const step_context *c, const pawl_state *s, int body, pawl_vec3 lever,
                             pawl_vec3 e)
{
    if (body < 0 || !spring_moves(c, body)) {
        return 0.0;
    }
    const model_body *b = &c->model->bodies[body];
    pawl_mat3 r = quat_matrix(s->bodies[body].q);
    pawl_vec3 arm = m3_tmul(&r, v3_cross(lever, e));
    return 1.0 / b->mass + v3_dot(arm, m3_mul(&b->inverse_inertia, arm));
}

// Kinetic energy of a body [J]; 0 for what a spring cannot move.
static double spring_moving(const step_context *c, const pawl_state *s, int body)
{
    if (body < 0 || !spring_moves(c, body)) {
        return 0.0;
    }
    const model_body *b = &c->model->bodies[body];
    pawl_mat3 r = quat_matrix(s->bodies[body].q);
    pawl_vec3 v = s->bodies[body].v, w = m3_tmul(&r, s->bodies[body].w);
    return 0.5 * (b->mass * v3_dot(v, v) + v3_dot(w, m3_mul(&b->inertia, w)));
}

// Rows at the middle of a step make the length right there, and leave it off by h^2 |l''| / 8 at the ends, l'' from the
// motion across the spring and the turning of its bodies.
static bool spring_is_outrun(const step_context *c, const pawl_state *s, const pawl_spring_def *d,
                             double h)
{
    const double unseen = 100.0,
                 fraction = 1e-5; // (h w)^2, see spring_rows.c; of the energy of motion
    int body[2] = {pawl_body_index(d->body_a), pawl_body_index(d->body_b)};
    for (int k = 0; k < 2; ++k) {
        if (body[k] >= 0 && c->assembly->body_is_joined[body[k]]) {
            return false; // such are not bent
        }
    }
    spring_hook a = spring_hook_of(c, s, body[0], d->point_a);
    spring_hook b = spring_hook_of(c, s, body[1], d->point_b);
    pawl_vec3 t = v3_sub(b.point, a.point), v = v3_sub(b.rate, a.rate);
    double length = v3_norm(t);
    if (!(d->rest_length > 0.0 && length > 0.0)) {
        return false; // without a length there is nothing to be off
    }
    pawl_vec3 e = v3_scale(1.0 / length, t);
    double ease =
        spring_inertia(c, s, body[0], a.lever, e) + spring_inertia(c, s, body[1], b.lever, e);
    double along = v3_dot(v, e), across = v3_dot(v, v) - along * along;
    // l'' = |v across|^2/l + e . (centripetal accelerations); accelerations by forces are left out.
    double off = h * h / 8.0 * fabs(across / length + v3_dot(e, v3_sub(b.turning, a.turning)));
    double moving = spring_moving(c, s, body[0]) + spring_moving(c, s, body[1]);
    return h * h * d->stiffness * ease > unseen &&
           0.5 * d->stiffness * off * off > fraction * moving;
}

bool pawl_stiff_springs_outrun(const step_context *c, const pawl_state *s, double h)
{
    bool any = false;
    for (int i = 0; i < c->model->spring_count && !any; ++i) {
        any = spring_is_outrun(c, s, &c->model->springs[i], h);
    }
    return any;
}
