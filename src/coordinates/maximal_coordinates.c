// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Maximal coordinates (loops section III): six per body, and rows for every joint. The metric of the rows is that of
// the bodies' inertias.
#include "coordinates/coordinates.h"
#include "coordinates/delassus.h"
#include <stdio.h>

typedef struct maximal_coordinates {
    coordinates base; // first
    pawl_env env;
} maximal_coordinates;

static void maximal_destroy(coordinates *base)
{
    pawl_env env = ((maximal_coordinates *)base)->env;
    pawl_delassus_destroy(base->delassus);
    pawl_assembly_destroy(base->rows);
    pawl_free(&env, base, sizeof(maximal_coordinates));
}

static pawl_status maximal_create(const pawl_env *env, const pawl_model *model,
                                  const pawl_settings *settings, int max_contacts,
                                  coordinates **out)
{
    *out = NULL;
    maximal_coordinates *c = pawl_alloc(env, sizeof *c);
    if (c == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the coordinates of '%s'", model->name);
    }
    *c = (maximal_coordinates){.base = {.ops = &pawl_maximal_coordinates}, .env = *env};
    pawl_status status = pawl_assembly_create(env, model, max_contacts, &c->base.rows);
    if (status == PAWL_OK) {
        status = pawl_delassus_create(env, c->base.rows, settings->delassus, &c->base.delassus);
    }
    if (status != PAWL_OK) {
        maximal_destroy(&c->base);
        return status;
    }
    c->base.rows->problem.delassus = c->base.delassus;
    *out = &c->base;
    return PAWL_OK;
}

// d (6 x bodies) is a displacement [m] and a rotation vector [rad] of each body, in world axes.
// Bodies move independently: joints are closed by the caller.
static void maximal_move(coordinates *c, const double *values, const double *d, double fraction,
                         double t, body_state *bodies)
{
    (void)values;
    (void)t;
    const pawl_model *m = c->rows->model;
    for (int i = 0; i < m->body_count; ++i) {
        const double *x = d + 6 * i;
        body_state *b = &bodies[i];
        if (m->bodies[i].inverse_mass > 0.0) {
            b->r = v3_axpy(b->r, fraction, v3(x[0], x[1], x[2]));
        }
        if (m->bodies[i].kind == PAWL_BODY_RIGID) {
            b->q = quat_advance(b->q, v3_scale(fraction, v3(x[3], x[4], x[5])));
        }
    }
}

static free_factor *maximal_factor(const coordinates *c)
{
    return pawl_delassus_free_factor(c->delassus);
}

// Sparse elimination is linear in rows. Motions with only joints and gravity have a cheaper step (smooth_step.c).
static pawl_status maximal_estimate(const pawl_env *env, const pawl_model *model,
                                    const pawl_settings *settings, coordinates_estimate *out)
{
    const double row = 4.5e3, smooth_row = 2e3, contact = 1.5e4;
    (void)env;
    (void)settings;
    int rows = model->row_count + pawl_coordinates_soft_rows(model);
    double contacts = pawl_coordinates_contacts(model);
    bool smooth = pawl_coordinates_move_freely(model);
    out->instructions = (smooth ? smooth_row : row) * rows + contact * contacts;
    (void)snprintf(out->counts, sizeof out->counts, "%d rows", rows);
    return PAWL_OK;
}

const coordinates_ops pawl_maximal_coordinates = {
    .name = "maximal",
    .summary = "six coordinates per body, joints as constraints: any graph of joints",
    .finds_islands = true,
    .newton_steps = 2,
    .estimate = maximal_estimate,
    .create = maximal_create,
    .destroy = maximal_destroy,
    .move = maximal_move,
    .factor = maximal_factor,
};
