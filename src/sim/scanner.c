// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Rays against all shapes of a model. The shapes belong to a collider that never searches pairs: it contains hulls,
// grids and boxes. A ray is tested against every box, then against the shapes of the boxes that it hits.
#include "base/guard.h"
#include "collide/collider.h"
#include "collide/ray.h"
#include "pawl/sensor.h"

struct pawl_scanner {
    pawl_env env;
    const pawl_model *model;
    collider *shapes;
};

static pawl_status scanner_begin(pawl_scanner *s)
{
    collider_def def = pawl_collider_def_default();
    PAWL_TRY(pawl_collider_create(&s->env, s->model, &def, &s->shapes));
    pawl_state *start;
    PAWL_TRY(pawl_state_create(&s->env, s->model, &start));
    pawl_collider_place(s->shapes, start->bodies);
    pawl_state_destroy(start);
    return PAWL_OK;
}

pawl_status pawl_scanner_create(const pawl_env *env, const pawl_model *model, pawl_scanner **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, model);
    PAWL_NEED(env, out);
    *out = NULL;
    pawl_scanner *s = pawl_alloc(env, sizeof *s);
    if (s == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for a scanner of '%s'", model->name);
    }
    *s = (pawl_scanner){.env = *env, .model = model};
    pawl_status status = scanner_begin(s);
    if (status != PAWL_OK) {
        pawl_scanner_destroy(s);
        return status;
    }
    *out = s;
    return PAWL_OK;
}

void pawl_scanner_destroy(pawl_scanner *s)
{
    if (s != NULL) {
        pawl_env env = s->env;
        pawl_collider_destroy(s->shapes);
        pawl_free(&env, s, sizeof *s);
    }
}

pawl_status pawl_scanner_place(pawl_scanner *s, const pawl_state *state)
{
    PAWL_NEED(NULL, s);
    PAWL_NEED(&s->env, state);
    if (state->model != s->model && state->model->hash != s->model->hash) {
        return PAWL_FAIL(&s->env, PAWL_BAD_ARGUMENT,
                         "the state belongs to another model, '%s', expected one of '%s'",
                         state->model->name, s->model->name);
    }
    pawl_collider_place(s->shapes, state->bodies);
    return PAWL_OK;
}

// Whether the ray comes through a box, in time for what it met so far.
static bool scanner_meets_box(const shape_ray *ray, const broad_box *box)
{
    double from = 0.0, to = ray->reach;
    for (int k = 0; k < 3; ++k) {
        double at = v3_get(ray->origin, k), speed = v3_get(ray->direction, k);
        double low = v3_get(box->low, k) - at, high = v3_get(box->high, k) - at;
        if (speed == 0.0) {
            if (low > 0.0 || high < 0.0) {
                return false;
            }
            continue;
        }
        double a = low / speed, b = high / speed;
        from = fmax(from, fmin(a, b));
        to = fmin(to, fmax(a, b));
    }
    // boxes are rounded, and so are the distances here: what only grazes one is looked at
    return from <= to * (1.0 + 1e-12) + 1e-300;
}

// Keeps the nearest, of equal ones the first in the model; later shapes are looked for up to there alone.
static void scanner_try(const pawl_scanner *s, int item, int ignored, shape_ray *ray,
                        pawl_ray_hit *best)
{
    int shape = s->shapes->shape[item];
    pawl_body_id body = s->model->shapes[shape].body;
    double distance;
    pawl_vec3 normal;
    if (pawl_body_index(body) == ignored ||
        !pawl_shape_meets_ray(&s->shapes->placed[item], ray, &distance, &normal)) {
        return;
    }
    if (best->hit && (distance > best->distance ||
                      (distance == best->distance && shape > pawl_shape_index(best->shape)))) {
        return;
    }
    ray->reach = distance;
    *best = (pawl_ray_hit){.hit = true,
                           .distance = distance,
                           .point = v3_axpy(ray->origin, distance, ray->direction),
                           .normal = normal,
                           .body = body,
                           .shape = model_shape_id(s->model, shape)};
}

pawl_status pawl_scanner_cast(const pawl_scanner *s, pawl_vec3 origin, pawl_vec3 direction,
                              double reach, pawl_body_id ignored, pawl_ray_hit *out)
{
    PAWL_NEED(NULL, s);
    PAWL_NEED(&s->env, out);
    double length = v3_norm(direction);
    if (!v3_finite(origin) || !isfinite(length) || length == 0.0 || !(reach >= 0.0)) {
        return PAWL_FAIL(&s->env, PAWL_BAD_ARGUMENT,
                         "a ray from (%g %g %g) along (%g %g %g) up to %g m, expected finite "
                         "numbers, a direction that is not 0 and a reach of 0 or more",
                         origin.x, origin.y, origin.z, direction.x, direction.y, direction.z,
                         reach);
    }
    int skipped = PAWL_NO_BODY_INDEX;
    if (ignored.index1 != 0 || ignored.tag != 0) {
        skipped = PAWL_INDEX_OR_WORLD(&s->env, &s->model->ids[ID_BODY], ignored);
        if (skipped == PAWL_NO_BODY_INDEX) {
            return PAWL_BAD_ARGUMENT;
        }
    }
    const collider *c = s->shapes;
    shape_ray ray = {origin, v3_scale(1.0 / length, direction), reach};
    *out = (pawl_ray_hit){.hit = false};
    for (int k = 0; k < c->endless_count; ++k) {
        scanner_try(s, c->endless[k], skipped, &ray, out);
    }
    for (int k = 0; k < c->boxed_count; ++k) {
        if (scanner_meets_box(&ray, &c->boxes[k])) {
            scanner_try(s, c->boxed[k], skipped, &ray, out);
        }
    }
    return PAWL_OK;
}
