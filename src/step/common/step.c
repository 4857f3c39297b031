// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Memory of the parts of a step, each laid out where its struct is declared, and the interval and weights of a step,
// common to all steppers.
#include "step/common/step.h"
#include <math.h>

static const double step_still = 0.5; // of the tolerance: what gaps may ask for without effect
static const double step_still_most =
    5e-9; // [m/s] half of the default tolerance, however loose it is

// Sums of dt would deviate from the grid by rounding, and a run of a million steps would not end at the requested
// time.
double pawl_step_end(const pawl_state *s, double dt)
{
    bool on_grid = fabs(s->time - (double)s->step * dt) <= 1e-6 * dt;
    return on_grid ? (double)(s->step + 1) * dt : s->time + dt;
}

// With projection joints are closed by position updates, so their erp is 0. theta, ahead and behind are the
// stepper's.
step_weights pawl_step_weights(const step_context *c, const pawl_state *s)
{
    const pawl_settings *set = c->settings;
    return (step_weights){.h = set->dt,
                          .reach = set->dt,
                          .impulse_fraction = 1.0,
                          .begin = s->time,
                          .end = pawl_step_end(s, set->dt),
                          .own_erp = !set->project,
                          .erp_joint = set->project ? 0.0 : set->erp.joint,
                          .erp_limit = set->erp.limit,
                          .erp_contact = set->erp.contact,
                          .allowed_depth = set->contact.allowed_depth,
                          .still = fmin(step_still * set->solver.tolerance, step_still_most),
                          .literal_bias = set->solver.variant == PAWL_VARIANT_PAPER,
                          .contact_correction_speed = set->contact.max_push,
                          .limit_correction_speed = set->limit.max_push,
                          .soft_friction = set->soft.friction};
}

// Without a tree `own` and `free` are one array.
void pawl_velocity_update_layout(velocity_update *u, const coordinates *k, pawl_carver *mem)
{
    const pawl_assembly *a = k->rows;
    int bodies = a->model->body_count;
    double **twists[] = {&u->start, &u->free, &u->next, &u->applied, &u->driven};
    for (size_t i = 0; i < sizeof twists / sizeof twists[0]; ++i) {
        *twists[i] = PAWL_CARVE(mem, double, 6 * bodies);
    }
    double **rows[] = {&u->lambda, &u->rate, &u->velocity};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        *rows[i] = PAWL_CARVE(mem, double, a->max_rows);
    }
    u->own = k->ops->has_tree_joints ? PAWL_CARVE(mem, double, 6 * bodies) : u->free;
    u->fraction = 1.0;
}

void pawl_position_update_layout(position_update *p, const pawl_assembly *a, pawl_carver *mem)
{
    p->from = PAWL_CARVE(mem, body_state, a->model->body_count);
    p->consistent = PAWL_CARVE(mem, double, 6 * a->model->body_count);
    p->rotor = PAWL_CARVE(mem, double, a->free_rows);
    p->turned = PAWL_CARVE(mem, double, a->free_rows);
    p->deferred.count = 0;
    double least = INFINITY, most = 0.0;
    for (int i = 0; i < a->model->body_count; ++i) {
        double mass = a->model->bodies[i].mass;
        least = mass > 0.0 ? fmin(least, mass) : least;
        most = fmax(most, mass);
    }
    p->light_bodies = most > 1e6 * least;
    for (int i = 0; i < DEFERRED_REACTIONS && a->has_loops; ++i) {
        struct deferred_reaction *item = &p->deferred.item[i];
        item->from = PAWL_CARVE(mem, body_state, a->model->body_count);
        item->lambda = PAWL_CARVE(mem, double, a->max_rows);
    }
}

void pawl_correction_layout(position_correction *p, const pawl_assembly *a, pawl_carver *mem)
{
    p->twist = PAWL_CARVE(mem, double, 6 * a->model->body_count);
    p->lambda = PAWL_CARVE(mem, double, a->max_rows);
    p->compliance = PAWL_CARVE(mem, double, a->max_rows);
    p->friction = PAWL_CARVE(mem, double, a->max_contacts);
}

void pawl_step_results_layout(step_results *out, const pawl_assembly *a, pawl_carver *mem)
{
    out->reaction = PAWL_CARVE(mem, double, pawl_impulse_slots(a->model).count);
    out->effort = PAWL_CARVE(mem, double, a->model->actuator_count);
    out->contacts = PAWL_CARVE(mem, pawl_contact_info, a->max_contacts);
    out->contact_count = 0;
}

size_t pawl_step_scratch_bytes(const pawl_assembly *a)
{
    // The deepest nesting: Newton's method of a position update (2 rows, twists) within which reactions of least norm
    // (rows, twists) are found; lit's projection takes as much. A smooth step keeps poses and twists (13 numbers a body)
    // and four rows. The rest is room for callers.
    enum { TWISTS = 7, ROWS = 5 };
    size_t twists = 6 * (size_t)a->model->body_count * sizeof(double);
    int most_rows = a->max_rows > a->model->row_count ? a->max_rows : a->model->row_count;
    size_t rows = (size_t)most_rows * sizeof(double);
    return TWISTS * pawl_arena_bytes(twists) + ROWS * pawl_arena_bytes(rows);
}
