// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// See live_model.h: the model that a step reads, made from the model and the inputs of a state.
//
// A model is immutable and shared by states; inputs (targets, gains, wrenches, gravity, friction, masses)
// belong to a state. The live model is a shallow copy in which only arrays that inputs change are
// replaced. Without inputs it is the model itself, and costs nothing.
#include "model/live_model.h"
#include "base/env.h"
#include <string.h>

void pawl_live_begin(live_model *live, const pawl_env *env, const pawl_model *model)
{
    *live = (live_model){.model = *model, .of = model, .env = *env};
}

static size_t live_force_room(const pawl_model *m)
{
    return (size_t)(m->force_count + m->body_count) * sizeof(pawl_force_def);
}

void pawl_live_end(live_model *live)
{
    const pawl_model *m = live->of;
    if (m != NULL) {
        pawl_free(&live->env, live->actuators, (size_t)m->actuator_count * sizeof *live->actuators);
        pawl_free(&live->env, live->forces, live_force_room(m));
        pawl_free(&live->env, live->shapes, (size_t)m->shape_count * sizeof *live->shapes);
        pawl_free(&live->env, live->bodies, (size_t)m->body_count * sizeof *live->bodies);
    }
    *live = (live_model){0};
}

// The block, or a new one where there is none yet; NULL: memory is out.
// Blocks are allocated at the first use of an input and kept, so that later steps allocate nothing.
static void *live_need(const live_model *live, void *block, size_t bytes)
{
    return block != NULL ? block : pawl_alloc(&live->env, bytes);
}

static pawl_status live_no_memory(const live_model *live)
{
    return PAWL_FAIL(&live->env, PAWL_NO_MEMORY, "no memory for the inputs of '%s'",
                     live->of->name);
}

// A target that is set replaces the signal by a constant; gains that are not set are those of the
// model.
static pawl_status live_actuators(live_model *live, const pawl_state *s, const state_inputs *in)
{
    const pawl_model *m = live->of;
    bool any = false;
    for (int i = 0; i < m->actuator_count; ++i) {
        const double *at = in->actuators + INPUT_ACTUATOR * i;
        any = any || at[0] != 0.0 || at[2] != 0.0;
    }
    live->model.actuators = m->actuators;
    if (!any) {
        return PAWL_OK;
    }
    live->actuators =
        live_need(live, live->actuators, (size_t)m->actuator_count * sizeof *live->actuators);
    if (live->actuators == NULL) {
        return live_no_memory(live);
    }
    for (int i = 0; i < m->actuator_count; ++i) {
        const double *at = in->actuators + INPUT_ACTUATOR * i;
        pawl_actuator_def *d = &live->actuators[i];
        *d = m->actuators[i];
        if (at[0] != 0.0) {
            if (!isfinite(at[1])) { // written through a view (pawl/view.h)
                return PAWL_FAIL(
                    &live->env, PAWL_NOT_FINITE,
                    "the target of the actuator of joint '%s' is %g, expected a finite "
                    "number",
                    m->joints[pawl_joint_index(d->joint)].name, at[1]);
            }
            d->target = pawl_signal_constant(at[1]);
        }
        pawl_gains gains = pawl_state_gains(s, pawl_model_actuator_at(m, i));
        d->stiffness = gains.stiffness;
        d->damping = gains.damping;
        d->effort = gains.effort;
    }
    live->model.actuators = live->actuators;
    return PAWL_OK;
}

// Wrenches [N, N m] act at the centre of mass. They come behind the forces of the model.
static pawl_status live_forces(live_model *live, const state_inputs *in)
{
    const pawl_model *m = live->of;
    live->model.forces = m->forces;
    live->model.force_count = m->force_count;
    for (int i = 0; i < m->body_count; ++i) {
        const double *w = in->wrenches + INPUT_BODY * i;
        bool acts = false;
        for (int k = 0; k < INPUT_BODY; ++k) {
            acts = acts || w[k] != 0.0;
        }
        if (!acts) {
            continue;
        }
        if (live->model.force_count == m->force_count) {
            live->forces = live_need(live, live->forces, live_force_room(m));
            if (live->forces == NULL) {
                return live_no_memory(live);
            }
            memcpy(live->forces, m->forces, (size_t)m->force_count * sizeof *m->forces);
            live->model.forces = live->forces;
        }
        pawl_force_def *d = &live->forces[live->model.force_count++];
        *d = (pawl_force_def){.name = "", .body = model_body_id(m, i), .point = m->bodies[i].com};
        for (int k = 0; k < 3; ++k) {
            d->force[k] = pawl_signal_constant(w[k]);
            d->torque[k] = pawl_signal_constant(w[3 + k]);
        }
    }
    return PAWL_OK;
}

// All friction coefficients of a shape get the same factor, so their ratios stay.
static pawl_status live_friction(live_model *live, const pawl_state *s)
{
    const pawl_model *m = live->of;
    double all = pawl_state_friction_scale(s);
    bool any = all != 1.0;
    for (int i = 0; i < m->shape_count && !any; ++i) {
        any = pawl_state_shape_friction_scale(s, model_shape_id(m, i)) != 1.0;
    }
    live->model.shapes = m->shapes;
    live->model.friction_scale = all;
    if (!any || m->shape_count == 0) {
        return PAWL_OK;
    }
    live->shapes = live_need(live, live->shapes, (size_t)m->shape_count * sizeof *live->shapes);
    if (live->shapes == NULL) {
        return live_no_memory(live);
    }
    for (int i = 0; i < m->shape_count; ++i) {
        double scale = all * pawl_state_shape_friction_scale(s, model_shape_id(m, i));
        pawl_shape_info *shape = &live->shapes[i];
        *shape = m->shapes[i];
        shape->def.friction *= scale;
        shape->def.torsional_friction *= scale;
        shape->def.rolling_friction *= scale;
        if (shape->def.impact_friction >= 0.0) { // else it is made from that of sliding
            shape->def.impact_friction *= scale;
        }
    }
    live->model.shapes = live->shapes;
    return PAWL_OK;
}

static void live_scale(model_body *b, double factor)
{
    b->mass *= factor;
    b->inverse_mass = b->mass > 0.0 ? 1.0 / b->mass : 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            b->inertia.m[i][j] *= factor;
        }
        b->principal.moment[i] *= factor;
    }
    if (b->inertia.m[0][0] > 0.0) { // neither a point nor a kinematic body
        b->inverse_inertia = m3_inverse(&b->inertia);
    }
}

// Mass and inertia of bodies with a factor, computed as pawl_builder_compile() does.
static pawl_status live_masses(live_model *live, const pawl_state *s)
{
    const pawl_model *m = live->of;
    live->model.bodies = m->bodies;
    live->model.total_mass = m->total_mass;
    if (s->masses[0] == 0.0) {
        return PAWL_OK;
    }
    live->bodies = live_need(live, live->bodies, (size_t)m->body_count * sizeof *live->bodies);
    if (live->bodies == NULL) {
        return live_no_memory(live);
    }
    live->model.total_mass = 0.0;
    for (int i = 0; i < m->body_count; ++i) {
        live->bodies[i] = m->bodies[i];
        if (s->masses[1 + i] != 0.0) {
            live_scale(&live->bodies[i], s->masses[1 + i]);
        }
        live->model.total_mass += live->bodies[i].mass;
    }
    live->model.bodies = live->bodies;
    return PAWL_OK;
}

pawl_status pawl_live_follow(live_model *live, const pawl_state *s)
{
    if (!pawl_state_has_inputs(s)) {
        if (live->changed) {
            live->model = *live->of;
            live->changed = false;
        }
        return PAWL_OK;
    }
    state_inputs in = pawl_state_inputs(s);
    live->changed = true;
    live->model.gravity = pawl_state_gravity(s);
    PAWL_TRY(live_actuators(live, s, &in));
    PAWL_TRY(live_forces(live, &in));
    PAWL_TRY(live_masses(live, s));
    return live_friction(live, s);
}
