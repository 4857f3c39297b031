// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Common parts of the experiments of [potra-2006]: models of point masses on planes, the settings
// of the paper's schemes I and II, and runs with a fixed number of steps, whose errors are
// tabulated beside the paper's.
#include "lit_setup.h"

#include <math.h>
#include <stdlib.h>

pawl_status lit_add_point(pawl_builder *builder, const char *name, double mass, pawl_vec3 position,
                          pawl_vec3 velocity, lit_material material, pawl_body_id *out)
{
    pawl_body_def body = pawl_body_def_default();
    body.name = name;
    body.kind = PAWL_BODY_POINT;
    body.mass = mass;
    body.pose.position = position;
    body.twist.linear = velocity;
    EXPERIMENT_TRY(pawl_builder_add_body(builder, &body, out));
    pawl_shape_def ball = pawl_shape_def_default();
    ball.kind = PAWL_SHAPE_SPHERE;
    ball.size.x = LIT_RADIUS;
    ball.friction = material.friction;
    ball.restitution = material.restitution;
    return pawl_builder_add_shape(builder, *out, &ball, NULL);
}

pawl_status lit_add_plane(pawl_builder *builder, const char *name, pawl_vec3 point,
                          pawl_vec3 normal, lit_material material)
{
    pawl_shape_def plane = pawl_shape_def_default();
    plane.name = name;
    plane.kind = PAWL_SHAPE_PLANE;
    plane.frame.position =
        (pawl_vec3){point.x - LIT_RADIUS * normal.x, point.y - LIT_RADIUS * normal.y,
                    point.z - LIT_RADIUS * normal.z};
    // The plane's own normal is z; x and y turn along, so that z comes to lie on the normal.
    if (normal.x == 1.0) {
        plane.frame.orientation = (pawl_quat){sqrt(0.5), 0.0, sqrt(0.5), 0.0};
    }
    plane.friction = material.friction;
    plane.restitution = material.restitution;
    return pawl_builder_add_shape(builder, PAWL_WORLD, &plane, NULL);
}

pawl_status lit_finish_model(pawl_builder *builder, pawl_status status, pawl_model **out)
{
    if (status == PAWL_OK) {
        status = pawl_builder_compile(builder, out);
    }
    pawl_builder_destroy(builder);
    return status;
}

pawl_status lit_settings_make(const pawl_env *env, lit_method method, double h, pawl_settings *out)
{
    const struct {
        const char *key, *value;
    } wanted[] = {
        {"stepper", "lit"},
        {"lit.variant", method.variant},
        {"lit.scheme", method.scheme},
        {"lit.events", method.events},
        {"lit.eps_a",
         "1e-10"}, // less than a step's way even with h = 2^-20; what rests is exactly closed
        {"project", "off"}, // the paper's joints drift, and the drift is in its table
        {"erp.joint", "0"},
        {"erp.contact", "0"},
        {"contact.restitution_threshold", "0"},
        {"contact.friction_rule", "min"},
        {"contact.restitution_rule", "min"},
    };
    *out = pawl_settings_default();
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
        EXPERIMENT_TRY(pawl_settings_set(env, out, wanted[i].key, wanted[i].value));
    }
    out->dt = h;
    return pawl_settings_check(env, out);
}

// Room for `count` rows: one block, columns one after the other.
static pawl_status lit_trace_reserve(lit_trace *trace, int64_t count)
{
    trace->count = 0;
    trace->capacity = (int)count;
    trace->time = malloc((size_t)count * (LIT_TRACE_COLUMNS + 1) * sizeof *trace->time);
    if (trace->time == NULL) {
        return PAWL_NO_MEMORY;
    }
    for (int c = 0; c < LIT_TRACE_COLUMNS; ++c) {
        trace->column[c] = trace->time + (size_t)count * (size_t)(c + 1);
    }
    return PAWL_OK;
}

void lit_trace_free(lit_trace *trace)
{
    free(trace->time);
    trace->time = NULL;
    trace->count = trace->capacity = 0;
}

static void lit_trace_add(lit_trace *trace, const pawl_state *state)
{
    if (trace == NULL || trace->count == trace->capacity) {
        return;
    }
    double values[LIT_TRACE_COLUMNS] = {0};
    trace->measure(state, trace->user, values);
    trace->time[trace->count] = pawl_state_time(state);
    for (int c = 0; c < LIT_TRACE_COLUMNS; ++c) {
        trace->column[c][trace->count] = values[c];
    }
    trace->count++;
}

static void lit_trace_add_collisions(lit_trace *trace, const pawl_sim *sim)
{
    for (int i = 0; i < pawl_sim_event_count(sim); ++i) {
        pawl_event event = pawl_sim_event(sim, i);
        if (event.kind != PAWL_EVENT_COLLISION) {
            continue;
        }
        pawl_body_id a = pawl_model_shape(pawl_sim_model(sim), event.shape_a).body;
        pawl_body_id b = pawl_model_shape(pawl_sim_model(sim), event.shape_b).body;
        if (trace->collision_count < LIT_TRACE_COLLISIONS) {
            trace->collisions[trace->collision_count] = (lit_collision){
                .time = event.time, .body = pawl_body_index(pawl_body_is_world(a) ? b : a)};
        }
        trace->collision_count++;
    }
}

void lit_trace_add_curve(pawl_study *study, const lit_trace *trace, int column, const char *label,
                         bool dashed)
{
    pawl_study_add_curve(study, &(pawl_study_curve){.label = label,
                                                    .dashed = dashed,
                                                    .count = trace->count,
                                                    .x = trace->time,
                                                    .y = trace->column[column]});
}

static pawl_status lit_steps(experiment_run *run, pawl_sim *sim, int64_t steps, lit_trace *trace)
{
    if (trace != NULL) {
        EXPERIMENT_TRY(lit_trace_reserve(trace, steps + 1));
    }
    lit_trace_add(trace, pawl_sim_state(sim));
    for (int64_t i = 0; i < steps; ++i) {
        EXPERIMENT_TRY(experiment_step(run, sim, NULL));
        lit_trace_add(trace, pawl_sim_state(sim));
        if (trace != NULL) {
            lit_trace_add_collisions(trace, sim);
        }
    }
    return PAWL_OK;
}

pawl_status lit_simulate(experiment_run *run, const pawl_model *model, lit_method method, double h,
                         double end, lit_trace *trace, pawl_state *last)
{
    pawl_settings settings;
    EXPERIMENT_TRY(lit_settings_make(run->env, method, h, &settings));
    pawl_sim *sim = NULL;
    EXPERIMENT_TRY(pawl_sim_create(run->env, model, &settings, &sim));
    pawl_status status = lit_steps(run, sim, (int64_t)llround(end / h), trace);
    if (status == PAWL_OK) {
        pawl_state_copy(last, pawl_sim_state(sim));
    }
    experiment_destroy(run, sim);
    return status;
}
