// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// One point of a sweep: a simulation with the values of the axes, and its results. No result depends on the machine
// or the clock, so that a sweep has the same results on every machine and for any number of processes.
#include "sweep_plan.h"

#include "interrupt.h"
#include "pawl/pawl.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const point_figures[] = {
    "passed",       "time",    "unsolved",  "residual", "closure", "penetration",
    "energy_error", "kinetic", "potential", "com.x",    "com.y",   "com.z",
};
enum { POINT_FIGURES = sizeof point_figures / sizeof point_figures[0] };

int sweep_result_count(const pawl_model *model)
{
    return POINT_FIGURES + pawl_model_coordinate_count(model);
}

char **sweep_result_names(const pawl_model *model)
{
    int count = sweep_result_count(model), at = POINT_FIGURES;
    char **names = calloc((size_t)count, sizeof *names);
    for (int i = 0; i < POINT_FIGURES && names != NULL; ++i) {
        names[i] = strdup(point_figures[i]);
    }
    for (int j = 0; j < pawl_model_joint_count(model) && names != NULL; ++j) {
        pawl_joint_info info = pawl_model_joint(model, pawl_model_joint_at(model, j));
        for (int k = 0; k < info.coordinate_count; ++k) {
            char name[300];
            snprintf(name, sizeof name, info.coordinate_count > 1 ? "q[%s].%d" : "q[%s]", info.name,
                     k);
            names[at++] = strdup(name);
        }
    }
    return names;
}

void sweep_free_columns(char **names, int count)
{
    for (int i = 0; i < count && names != NULL; ++i) {
        free(names[i]);
    }
    free(names);
}

// The coefficient of all shapes: a factor for each.
static pawl_status point_friction(pawl_state *s, double friction)
{
    const pawl_model *m = pawl_state_model(s);
    pawl_status status = PAWL_OK;
    for (int i = 0; i < pawl_model_shape_count(m) && status == PAWL_OK; ++i) {
        pawl_shape_id id = pawl_model_shape_at(m, i);
        double own = pawl_model_shape(m, id).def.friction;
        if (own > 0.0) {
            status = pawl_state_set_shape_friction_scale(s, id, friction / own);
        }
    }
    return status;
}

static pawl_status point_gains(pawl_state *s, const sweep_axis *axis, double value)
{
    pawl_gains gains = pawl_state_gains(s, axis->actuator);
    *(axis->kind == SWEEP_STIFFNESS ? &gains.stiffness : &gains.damping) = value;
    return pawl_state_set_gains(s, axis->actuator, &gains);
}

static pawl_status point_input(pawl_state *s, const sweep_axis *axis, double value)
{
    const pawl_model *m = pawl_state_model(s);
    pawl_vec3 g = pawl_state_gravity(s);
    switch (axis->kind) {
    case SWEEP_FRICTION:
        return point_friction(s, value);
    case SWEEP_FRICTION_SCALE:
        return pawl_state_set_friction_scale(s, value);
    case SWEEP_MASS:
        return pawl_state_set_mass_scale(s, axis->body,
                                         value / pawl_model_body(m, axis->body).mass);
    case SWEEP_MASS_SCALE:
        return pawl_state_set_mass_scale(s, axis->body, value);
    case SWEEP_GRAVITY:
        *(axis->part == 0 ? &g.x : axis->part == 1 ? &g.y : &g.z) = value;
        return pawl_state_set_gravity(s, g);
    case SWEEP_TARGET:
        return pawl_state_set_target(s, axis->actuator, value);
    case SWEEP_STIFFNESS:
    case SWEEP_DAMPING:
        return point_gains(s, axis, value);
    case SWEEP_SETTING:
    case SWEEP_START:
        break;
    }
    return PAWL_OK;
}

// Settings first, then joints, then inputs of the assembled state.
static pawl_status point_begin(const pawl_env *env, const sweep_request *request,
                               const pawl_model *model, const int *place, pawl_sim **out)
{
    pawl_settings settings = request->settings;
    pawl_joint_start starts[SWEEP_MAX_AXES];
    int start_count = 0;
    pawl_status status = PAWL_OK;
    for (int i = 0; i < request->axis_count && status == PAWL_OK; ++i) {
        const sweep_axis *axis = &request->axis[i];
        if (axis->kind == SWEEP_SETTING) {
            status = pawl_settings_set(env, &settings, axis->key, axis->words[place[i]]);
        } else if (axis->kind == SWEEP_START) {
            starts[start_count++] =
                (pawl_joint_start){.joint = axis->joint, .position = {axis->values[place[i]]}};
        }
    }
    if (status == PAWL_OK) {
        status = pawl_sim_create(env, model, &settings, out);
    }
    if (status == PAWL_OK && start_count > 0) {
        status = pawl_sim_set_joints(*out, starts, start_count);
    }
    for (int i = 0; i < request->axis_count && status == PAWL_OK; ++i) {
        status = point_input(pawl_sim_edit_state(*out), &request->axis[i],
                             request->axis[i].values[place[i]]);
    }
    return status;
}

static void point_keep(const pawl_sim *sim, const pawl_verdict *verdict, double *result)
{
    const pawl_state *s = pawl_sim_state(sim);
    pawl_verdict_names names = pawl_model_names(pawl_sim_model(sim));
    pawl_verdict_list list = pawl_verdict_judge(verdict, pawl_sim_settings(sim), &names);
    pawl_energy e = pawl_state_energy(s);
    pawl_vec3 com = pawl_state_centre_of_mass(s);
    const double figures[POINT_FIGURES] = {list.judgement == PAWL_PASSED ? 1.0 : 0.0,
                                           pawl_state_time(s),
                                           (double)verdict->not_converged,
                                           verdict->own_residual,
                                           verdict->closure.position,
                                           verdict->penetration,
                                           pawl_verdict_energy_error(verdict),
                                           e.kinetic,
                                           e.gravity + e.springs,
                                           com.x,
                                           com.y,
                                           com.z};
    memcpy(result, figures, sizeof figures);
    (void)pawl_state_joints(s, result + POINT_FIGURES, NULL);
}

bool sweep_simulate(const pawl_env *env, const sweep_request *request, const pawl_model *model,
                    int64_t point, double *result)
{
    int place[SWEEP_MAX_AXES];
    sweep_point_places(request, point, place);
    for (int i = 0; i < sweep_result_count(model); ++i) {
        result[i] = i == 0 ? 0.0 : NAN;
    }
    pawl_sim *sim = NULL;
    pawl_status status = point_begin(env, request, model, place, &sim);
    if (status != PAWL_OK) {
        pawl_sim_destroy(sim);
        return true;
    }
    pawl_verdict verdict = pawl_verdict_begin(pawl_sim_state(sim));
    double dt = pawl_sim_settings(sim)->dt;
    int64_t steps = (int64_t)ceil(request->time / dt - 1e-6);
    pawl_run_end end = PAWL_RUN_DONE;
    for (int64_t k = 0; k < steps && end == PAWL_RUN_DONE; ++k) {
        pawl_step_report report;
        if (interrupt_signal() != 0) {
            pawl_sim_destroy(sim);
            return false;
        }
        if (pawl_sim_step(sim, &report) != PAWL_OK) {
            end = PAWL_RUN_STEP_FAILED;
        } else {
            pawl_verdict_add(&verdict, &report);
        }
    }
    pawl_verdict_end(&verdict, end, pawl_state_time(pawl_sim_state(sim)), request->time);
    point_keep(sim, &verdict, result);
    pawl_sim_destroy(sim);
    return true;
}
