// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Derivatives of a step (pawl/derivative.h): computes the step with a simulation of its own, stores the problem of
// its velocity update, and propagates tangents through its position and velocity updates. See derive.h and
// docs/derivatives.md.
#include "pawl/derivative.h"
#include "base/guard.h"
#include "linalg/lu.h"
#include "sim/derive.h"
#include <string.h>

// ---- memory ---------------------------------------------------------------------------------------

static void derivative_layout_velocity(pawl_derivative *d, pawl_carver *mem)
{
    derive_velocity *k = &d->update;
    int rows = d->max_rows;
    k->begin = PAWL_CARVE(mem, body_state, d->bodies);
    k->next = PAWL_CARVE(mem, double, d->n);
    k->lambda = PAWL_CARVE(mem, double, rows);
    k->velocity = PAWL_CARVE(mem, double, rows);
    k->slope = PAWL_CARVE(mem, double, rows);
    k->compliance = PAWL_CARVE(mem, double, rows);
    k->kind = PAWL_CARVE(mem, int, rows);
    k->slot = PAWL_CARVE(mem, int, rows);
    k->block = PAWL_CARVE(mem, row_block, d->max_blocks);
    k->id = PAWL_CARVE(mem, double, d->max_contacts);
    k->friction = PAWL_CARVE(mem, double, d->max_contacts);
}

static void derivative_layout(pawl_derivative *d, pawl_carver *mem)
{
    int n = d->n, P = d->columns, rows = d->max_rows, N = n + rows;
    derivative_layout_velocity(d, mem);
    d->start = PAWL_CARVE(mem, body_state, d->bodies);
    d->moved = PAWL_CARVE(mem, body_state, d->bodies);
    double **tangents[] = {&d->dq, &d->du, &d->dw};
    for (int i = 0; i < 3; ++i) {
        *tangents[i] = PAWL_CARVE(mem, double, n *P);
    }
    d->by_pose = PAWL_CARVE(mem, double, N *n);
    d->by_twist = PAWL_CARVE(mem, double, N *n);
    d->K = PAWL_CARVE(mem, double, N *N);
    d->X = PAWL_CARVE(mem, double, N *P);
    d->pivot = PAWL_CARVE(mem, int, N);
    d->turned = PAWL_CARVE(mem, double, rows *P);
    d->x = PAWL_CARVE(mem, double, rows);
    d->y = PAWL_CARVE(mem, double, rows);
    d->rate = PAWL_CARVE(mem, double, rows);
    d->change = PAWL_CARVE(mem, double, n);
    d->twists = PAWL_CARVE(mem, double, 5 * n);
    d->color = PAWL_CARVE(mem, int, d->bodies);
    for (int i = 0; i < 2; ++i) {
        d->sample[i].row = PAWL_CARVE(mem, double, rows);
        d->sample[i].force = PAWL_CARVE(mem, double, 6 * BLOCK_MAX_BODIES * d->max_blocks);
        d->sample[i].drive = PAWL_CARVE(mem, double, 12 * d->model->actuator_count);
        d->sample[i].own = PAWL_CARVE(mem, double, n);
    }
    for (int i = 0; i < PAWL_DERIVATIVE_COUNT; ++i) {
        d->result[i] = PAWL_CARVE(mem, double, 2 * n * (d->first[i + 1] - d->first[i]));
    }
}

// Room for as many rows as the simulation has; it grows with its contacts.
static pawl_status derivative_reserve(pawl_derivative *d)
{
    const pawl_assembly *a = d->sim->assembly;
    if (d->block != NULL && a->max_rows <= d->max_rows && a->max_blocks <= d->max_blocks &&
        a->max_contacts <= d->max_contacts) {
        return PAWL_OK;
    }
    pawl_free(&d->env, d->block, d->bytes);
    d->max_rows = a->max_rows;
    d->max_blocks = a->max_blocks;
    d->max_contacts = a->max_contacts;
    pawl_carver need = {0};
    derivative_layout(d, &need);
    d->bytes = need.used;
    d->block = pawl_alloc(&d->env, need.used);
    if (d->block == NULL) {
        d->bytes = 0;
        return PAWL_FAIL(&d->env, PAWL_NO_MEMORY, "derivatives of '%s' need %zu bytes",
                         d->model->name, need.used);
    }
    pawl_carver mem = {.base = d->block, .capacity = need.used};
    derivative_layout(d, &mem);
    return PAWL_OK;
}

// ---- what the velocity update solved ----------------------------------------------------------------

// The bias of a row by its gap (pawl_row_gap_bias()): a line through 0 up to the fastest correction by velocities; beyond it
// open gaps have a steeper one, and violations none. Next to 0, where gaps count as closed, it is the slope around that.
static double derivative_slope(double gap, double bias, const step_weights *w)
{
    if (w->literal_bias && gap < 0.0) {
        return bias / gap;
    }
    bool near = fabs(bias * w->h - gap) <= w->still * w->h + 1e-9 * fabs(gap);
    return near ? 1.0 / w->h : gap >= 0.0 ? 1.0 / w->reach : 0.0;
}

static double derivative_gap(const pawl_assembly *a, int row)
{
    for (int k = 0; k < a->candidate_count; ++k) {
        if (a->candidates[k].slot == a->rows[row].slot && pawl_assembly_limit_is_hard(a, k)) {
            return pawl_assembly_limit_gap(a, k);
        }
    }
    return NAN;
}

// Called by the step after the solution of the problem, before it is used.
static void derivative_probe(void *user, const step_context *c, const pawl_state *s,
                             const step_weights *w, bool struck)
{
    pawl_derivative *d = user;
    const pawl_assembly *a = c->assembly;
    const pawl_problem *p = &a->problem;
    derive_velocity *k = &d->update;
    k->seen = false;
    if (derivative_reserve(d) != PAWL_OK) {
        return;
    }
    k->seen = true;
    k->struck = struck;
    k->w = *w;
    k->rows = p->row_count;
    k->free_rows = a->free_rows;
    k->slot_rows = a->slot_rows;
    k->contacts = p->contact_count;
    k->blocks = p->block_count;
    size_t rows = (size_t)p->row_count;
    memcpy(k->begin, s->bodies, (size_t)d->bodies * sizeof *k->begin);
    memcpy(k->next, c->u.next, (size_t)d->n * sizeof *k->next);
    memcpy(k->lambda, c->u.lambda, rows * sizeof *k->lambda);
    memcpy(k->compliance, a->compliance, rows * sizeof *k->compliance);
    memcpy(k->block, a->blocks, (size_t)p->block_count * sizeof *k->block);
    pawl_assembly_row_velocity(a, c->u.next, k->velocity);
    for (int r = 0; r < p->row_count; ++r) {
        k->velocity[r] += a->bias[r] + a->compliance[r] * k->lambda[r];
        k->slot[r] = a->rows[r].slot;
        double gap = r >= a->free_rows && r < a->slot_rows ? derivative_gap(a, r) : NAN;
        k->slope[r] = isnan(gap) ? 0.0 : derivative_slope(gap, a->bias[r], w);
        bool below = k->lambda[r] <= a->lower[r], above = k->lambda[r] >= a->upper[r];
        k->kind[r] = r >= a->free_rows && (below || above) ? DERIVE_FIXED : DERIVE_EQUAL;
    }
    for (int i = 0; i < p->contact_count; ++i) {
        k->id[i] = a->contacts[i].id;
        k->friction[i] = a->friction[i];
        int normal = pawl_problem_contact_row(p, i) + 2;
        k->slope[normal] =
            derivative_slope(a->contacts[i].gap + w->allowed_depth, a->bias[normal], w);
    }
}

// Open, sticking or sliding; and how far each contact is from another mode.
static void derivative_modes(pawl_derivative *d)
{
    derive_velocity *k = &d->update;
    double most = 0.0, fastest = 1e-9;
    for (int i = 0; i < k->contacts; ++i) {
        const double *r = k->lambda + k->slot_rows + 3 * i, *v = k->velocity + k->slot_rows + 3 * i;
        most = fmax(most, r[2]);
        fastest = fmax(fastest, fmax(v[2], sqrt(v[0] * v[0] + v[1] * v[1])));
    }
    d->margin = 1.0;
    for (int i = 0; i < k->contacts; ++i) {
        int row = k->slot_rows + 3 * i;
        const double *r = k->lambda + row, *v = k->velocity + row;
        double bound = k->friction[i] * r[2], force = sqrt(r[0] * r[0] + r[1] * r[1]);
        double speed = sqrt(v[0] * v[0] + v[1] * v[1]);
        bool open = r[2] <= 1e-9 * most;
        bool slides = !open && speed > 1e-9 && force >= bound * (1.0 - 1e-6);
        int kind = open ? DERIVE_FIXED : slides ? DERIVE_SLIP : DERIVE_EQUAL;
        k->kind[row] = k->kind[row + 1] = kind;
        k->kind[row + 2] = open ? DERIVE_FIXED : DERIVE_EQUAL;
        for (int c = 0; c < 3 && open; ++c) {
            k->lambda[row + c] = 0.0;
        }
        double near = open     ? v[2] / fastest
                      : slides ? fmin(r[2] / most, speed / fastest)
                               : fmin(r[2] / most, (bound - force) / fmax(bound, 1e-300));
        d->margin = fmin(d->margin, fmax(near, 0.0));
    }
}

// ---- colours and perturbations ----------------------------------------------------------------------

// Bodies by colours: no row touches two of one colour, so that all of a colour are perturbed at once. Over the blocks of the
// velocity update.
static void derivative_color(pawl_derivative *d)
{
    const pawl_model *m = d->model;
    d->colors = 0;
    for (int i = 0; i < d->bodies; ++i) {
        uint64_t taken = 0;
        for (int k = 0; k < d->update.blocks + m->actuator_count; ++k) {
            int body[BLOCK_MAX_BODIES], count = 0;
            if (k < d->update.blocks) {
                count = d->update.block[k].body_count;
                memcpy(body, d->update.block[k].body, sizeof body);
            } else {
                int joint = pawl_joint_index(m->actuators[k - d->update.blocks].joint);
                body[count++] = m->joints[joint].base;
                body[count++] = m->joints[joint].follower;
            }
            bool mine = false;
            for (int s = 0; s < count; ++s) {
                mine = mine || body[s] == i;
            }
            for (int s = 0; s < count && mine; ++s) {
                if (body[s] >= 0 && body[s] < i) {
                    taken |= UINT64_C(1) << d->color[body[s]];
                }
            }
        }
        int color = 0;
        while (color < 63 && (taken >> color & 1) != 0) {
            ++color;
        }
        d->color[i] = color;
        d->colors = color + 1 > d->colors ? color + 1 : d->colors;
    }
}

void pawl_derive_move(pawl_derivative *d, const body_state *from, int color, int k, double by)
{
    memcpy(d->moved, from, (size_t)d->bodies * sizeof *d->moved);
    pawl_vec3 e = v3(k % 3 == 0 ? by : 0.0, k % 3 == 1 ? by : 0.0, k % 3 == 2 ? by : 0.0);
    for (int i = 0; i < d->bodies; ++i) {
        body_state *b = &d->moved[i];
        if (d->color[i] != color || d->model->bodies[i].kind == PAWL_BODY_KINEMATIC) {
            continue;
        }
        b->r = k / 3 == 0 ? v3_add(b->r, e) : b->r;
        b->q = k / 3 == 1 ? quat_mul(quat_exp(e), b->q) : b->q;
        b->v = k / 3 == 2 ? v3_add(b->v, e) : b->v;
        b->w = k / 3 == 3 ? v3_add(b->w, e) : b->w;
    }
}

void pawl_derive_parameter(pawl_derivative *d, const pawl_state *from, int column, double by)
{
    pawl_state *s = d->sim->next;
    const pawl_model *m = d->model;
    pawl_state_copy(s, from);
    int kind = 0;
    while (column >= 0 && column >= d->first[kind + 1]) {
        ++kind;
    }
    int i = column - d->first[kind];
    if (column >= 0 && kind == PAWL_DERIVATIVE_TARGET) {
        pawl_actuator_id id = pawl_model_actuator_at(m, i);
        (void)pawl_state_set_target(s, id, pawl_state_target(s, id) + by);
    } else if (column >= 0 && kind == PAWL_DERIVATIVE_GRAVITY) {
        pawl_vec3 g = pawl_state_gravity(s);
        g = v3_add(g, v3(i == 0 ? by : 0.0, i == 1 ? by : 0.0, i == 2 ? by : 0.0));
        (void)pawl_state_set_gravity(s, g);
    } else if (column >= 0 && kind == PAWL_DERIVATIVE_MASS && m->bodies[i].mass > 0.0) {
        (void)pawl_state_set_mass_scale(s, model_body_id(m, i), pawl_state_mass_factor(s, i) + by);
    }
    (void)pawl_live_follow(&d->sim->live, s); // its memory was made by the step
}

pawl_status pawl_derive_solve(pawl_derivative *d, int N)
{
    if (!pawl_lu_factor(d->K, N, d->pivot)) {
        return PAWL_FAIL(
            &d->env, PAWL_NOT_SOLVED,
            "the equations of the step are singular here: its derivative is not unique");
    }
    pawl_lu_solve_columns(d->K, N, d->pivot, d->X, d->columns);
    return PAWL_OK;
}

// ---- the step ---------------------------------------------------------------------------------------

// What a step may contain that is not differentiated.
static pawl_status derivative_refuse(pawl_derivative *d, const pawl_step_report *report)
{
    const derive_velocity *k = &d->update;
    const char *what = NULL;
    if (report->outcome != PAWL_CONVERGED) {
        return PAWL_FAIL(
            &d->env, PAWL_NOT_SOLVED,
            "the solver missed its tolerance, by %.2g: there is nothing to differentiate",
            report->own_residual);
    }
    what = !k->seen                                 ? "no velocity update"
           : k->struck                              ? "an impact"
           : d->sim->context.correction.time != 0.0 ? "a correction of overlaps or violated limits"
           : report->position_failures > 0          ? "a position update that failed"
           : d->sim->delassus->weak.space != NULL
               ? "loops that the numbers of the model do not close"
           : k->slot_rows < k->rows - 3 * k->contacts ? "torsional or rolling friction"
                                                      : NULL;
    for (int i = 0; i < d->sim->assembly->contact_count && what == NULL; ++i) {
        what = pawl_is_soft(&d->sim->assembly->contacts[i].soft) ? "soft contacts" : NULL;
    }
    return what == NULL ? PAWL_OK
                        : PAWL_FAIL(&d->env, PAWL_UNSUPPORTED,
                                    "the step has %s, which is not differentiated", what);
}

// Tangents before the step: 1 for its own pose and twist, 0 for parameters.
static void derivative_begin(pawl_derivative *d)
{
    size_t size = (size_t)d->n * (size_t)d->columns;
    memset(d->dq, 0, size * sizeof *d->dq);
    memset(d->du, 0, size * sizeof *d->du);
    for (int i = 0; i < d->n; ++i) {
        if (d->model->bodies[i / 6].kind != PAWL_BODY_KINEMATIC) {
            size_t row = (size_t)i * (size_t)d->columns;
            d->dq[row + (size_t)(d->first[PAWL_DERIVATIVE_POSE] + i)] = 1.0;
            d->du[row + (size_t)(d->first[PAWL_DERIVATIVE_TWIST] + i)] = 1.0;
        }
    }
}

static void derivative_keep(pawl_derivative *d)
{
    for (int k = 0; k < PAWL_DERIVATIVE_COUNT; ++k) {
        int width = d->first[k + 1] - d->first[k];
        for (int r = 0; r < 2 * d->n; ++r) {
            const double *from = r < d->n ? d->dq + (size_t)r * (size_t)d->columns
                                          : d->du + (size_t)(r - d->n) * (size_t)d->columns;
            memcpy(d->result[k] + (size_t)r * (size_t)width, from + d->first[k],
                   (size_t)width * sizeof(double));
        }
    }
}

// Poses at the velocity update with its twists: the ends of the two position updates.
static pawl_status derivative_carry(pawl_derivative *d, const pawl_state *from)
{
    const step_weights *w = &d->update.w;
    derivative_color(d);
    derivative_begin(d);
    if (w->before_time > 0.0) {
        PAWL_TRY(pawl_derive_position(d, d->start, d->update.begin, w->before_time, w->begin,
                                      w->place_time));
    }
    PAWL_TRY(pawl_derive_velocity(d, from));
    body_state *middle = d->start; // no longer needed
    for (int i = 0; i < d->bodies; ++i) {
        const double *u = d->update.next + 6 * i;
        middle[i] = d->update.begin[i];
        middle[i].v = v3(u[0], u[1], u[2]);
        middle[i].w = v3(u[3], u[4], u[5]);
    }
    return pawl_derive_position(d, middle, d->sim->state->bodies, w->after_time, w->place_time,
                                w->end);
}

pawl_status pawl_derivative_compute(pawl_derivative *d, const pawl_state *from)
{
    PAWL_NEED(NULL, d);
    PAWL_NEED(&d->env, from);
    d->done = false;
    PAWL_TRY(pawl_sim_set_state(d->sim, from));
    pawl_step_report report;
    d->sim->context.probe = derivative_probe;
    d->sim->context.probe_user = d;
    pawl_status status = pawl_sim_step(d->sim, &report);
    d->sim->context.probe = NULL;
    PAWL_TRY(status);
    PAWL_TRY(derivative_refuse(d, &report));
    memcpy(d->start, from->bodies, (size_t)d->bodies * sizeof *d->start);
    derivative_modes(d);
    status = derivative_carry(d, from);
    d->sim->context.placed = false;
    PAWL_TRY(status);
    derivative_keep(d);
    d->done = true;
    return PAWL_OK;
}

// ---- life -------------------------------------------------------------------------------------------

pawl_status pawl_derivative_create(const pawl_env *env, const pawl_model *model,
                                   const pawl_settings *settings, pawl_derivative **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, model);
    PAWL_NEED(env, settings);
    PAWL_NEED(env, out);
    *out = NULL;
    PAWL_TRY(pawl_settings_check(env, settings));
    if (settings->sleep.time > 0.0) {
        return PAWL_FAIL(env, PAWL_UNSUPPORTED,
                         "derivatives with sleep.time=%g: sleeping bodies do not answer to small "
                         "changes; expected 0",
                         settings->sleep.time);
    }
    for (int i = 0; i < model->actuator_count; ++i) {
        bool sticks = model->actuators[i].kind == PAWL_ACTUATOR_ADHESION;
        if (sticks || model->actuators[i].muscle.peak > 0.0) {
            return PAWL_FAIL(env, PAWL_UNSUPPORTED, "%s '%s' is not differentiated",
                             sticks ? "the adhesion" : "the force of muscle",
                             model->actuators[i].name);
        }
    }
    pawl_derivative *d = pawl_alloc(env, sizeof *d);
    if (d == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for derivatives of '%s'", model->name);
    }
    d->env = *env;
    d->model = model;
    d->bodies = model->body_count;
    d->n = 6 * d->bodies;
    const int width[PAWL_DERIVATIVE_COUNT] = {d->n, d->n,     model->actuator_count, d->n, 3,
                                              1,    d->bodies};
    for (int k = 0; k < PAWL_DERIVATIVE_COUNT; ++k) {
        d->first[k + 1] = d->first[k] + width[k];
    }
    d->columns = d->first[PAWL_DERIVATIVE_COUNT];
    pawl_settings own = *settings;
    own.formulation = (pawl_formulation)pawl_coordinates_named((int)settings->formulation);
    pawl_status status = pawl_sim_create(env, model, &own, &d->sim);
    if (status == PAWL_OK && ((d->sim->stepper->traits & STEPPER_DIFFERENTIABLE) == 0 ||
                              d->sim->coordinates->ops->has_tree_joints)) {
        status = PAWL_FAIL(
            env, PAWL_UNSUPPORTED,
            "stepper %s in %s coordinates is not differentiated; expected euler or moreau in "
            "maximal ones",
            d->sim->stepper->name, pawl_formulation_name((int)settings->formulation));
    }
    if (status == PAWL_OK) {
        status = derivative_reserve(d);
    }
    if (status != PAWL_OK) {
        pawl_derivative_destroy(d);
        return status;
    }
    *out = d;
    return PAWL_OK;
}

void pawl_derivative_destroy(pawl_derivative *d)
{
    if (d != NULL) {
        pawl_env env = d->env;
        pawl_sim_destroy(d->sim);
        pawl_free(&env, d->block, d->bytes);
        pawl_free(&env, d, sizeof *d);
    }
}

static bool derivative_knows(const pawl_derivative *d, pawl_derivative_input input)
{
    return d != NULL && (int)input >= 0 && input < PAWL_DERIVATIVE_COUNT;
}

int pawl_derivative_width(const pawl_derivative *d, pawl_derivative_input input)
{
    return derivative_knows(d, input) ? d->first[input + 1] - d->first[input] : 0;
}

const double *pawl_derivative_matrix(const pawl_derivative *d, pawl_derivative_input input)
{
    return derivative_knows(d, input) && d->done ? d->result[input] : NULL;
}

const pawl_state *pawl_derivative_state(const pawl_derivative *d)
{
    return d != NULL && d->done ? d->sim->state : NULL;
}

double pawl_derivative_margin(const pawl_derivative *d)
{
    return d != NULL && d->done ? d->margin : NAN;
}
