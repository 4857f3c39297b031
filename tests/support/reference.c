// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The references and how their samples read in the models' coordinates: see reference.h. The models
// stand upright (z up) where the references have y up.
#include "support/reference.h"
#include "support/reference_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pawl_vec3 reference_point(const pawl_state *state, const pawl_model *model, const char *body,
                                 pawl_vec3 point)
{
    return pawl_pose_apply(pawl_state_pose(state, pawl_model_find_body(model, body)), point);
}

static double reference_joint(const pawl_state *state, const pawl_model *model, const char *joint)
{
    double q[6];
    pawl_state_joint(state, pawl_model_find_joint(model, joint), q, NULL);
    return q[0];
}

static void reference_a01(const pawl_state *state, const pawl_model *model, double *values)
{
    pawl_vec3 p = reference_point(state, model, "mass", (pawl_vec3){0});
    values[0] = p.x;
    values[1] = p.z;
}

static void reference_a02(const pawl_state *state, const pawl_model *model, double *values)
{
    pawl_vec3 p = reference_point(state, model, "crank0", (pawl_vec3){.x = 1.0});
    values[0] = p.x;
    values[1] = p.z;
}

static void reference_a04(const pawl_state *state, const pawl_model *model, double *values)
{
    pawl_vec3 p = reference_point(state, model, "rod3", (pawl_vec3){0});
    values[0] = p.x;
    values[1] = p.z;
    values[2] = -p.y;
}

static void reference_a05(const pawl_state *state, const pawl_model *model, double *values)
{
    values[0] = reference_point(state, model, "slider", (pawl_vec3){0}).z;
}

static void reference_a05_rod(const pawl_state *state, const pawl_model *model, double *values)
{
    values[0] = 0.5235987755982988 + reference_joint(state, model, "right_hinge"); // from its start
}

static void reference_c1(const pawl_state *state, const pawl_model *model, double *values)
{
    values[0] = reference_joint(state, model, "axle");
}

static void reference_c2(const pawl_state *state, const pawl_model *model, double *values)
{
    pawl_vec3 left = reference_point(state, model, "left", (pawl_vec3){0});
    pawl_vec3 right = reference_point(state, model, "right", (pawl_vec3){0});
    values[0] = left.x;
    values[1] = left.z;
    values[2] = right.x;
    values[3] = right.z;
}

static void reference_d1_rate(const pawl_state *state, const pawl_model *model, double *values)
{
    pawl_body_id body = pawl_model_find_body(model, "body");
    pawl_quat q = pawl_state_pose(state, body).orientation;
    pawl_vec3 w = pawl_state_twist(state, body).angular;
    w = pawl_quat_rotate((pawl_quat){q.w, -q.x, -q.y, -q.z}, w);
    values[0] = w.x;
    values[1] = w.y;
    values[2] = w.z;
}

static void reference_d1_attitude(const pawl_state *state, const pawl_model *model, double *values)
{
    pawl_quat q = pawl_state_pose(state, pawl_model_find_body(model, "body")).orientation;
    values[0] = q.w;
    values[1] = q.x;
    values[2] = q.y;
    values[3] = q.z;
}

static void reference_d2(const pawl_state *state, const pawl_model *model, double *values)
{
    pawl_vec3 p = reference_point(state, model, "top", (pawl_vec3){.y = 1.0});
    values[0] = p.x;
    values[1] = p.y;
    values[2] = p.z;
}

static void reference_d3(const pawl_state *state, const pawl_model *model, double *values)
{
    values[0] = reference_joint(state, model, "column");
    values[1] = reference_joint(state, model, "hinge") + 2.5; // the model's zero is its start
}

#define REFERENCE_MODEL(name) "models/classics/" name ".sdf"
// Horizons are as long as a first-order method's error at the coarsest step stays well below the
// motion itself: beyond that, halving the step says nothing about its order.
const reference_case reference_cases[] = {
    {
        .name = "A01 pendulum",
        .what = "position [m]",
        .data = "A01_simple_pendulum.json",
        .series = "P1_xy",
        .width = 2,
        .model = REFERENCE_MODEL("A01-pendulum"),
        .dt = 1e-3,
        .horizon = 2.0,
        .full_horizon = 10.0,
        .sample = reference_a01,
    },
    {
        .name = "A02 four-bars, N = 2",
        .what = "position of B0 [m]",
        .data = "A02_four_bar_N2.json",
        .series = "B0_xy",
        .width = 2,
        .model = REFERENCE_MODEL("A02-N2"),
        .dt = 1e-3,
        .horizon = 1.0,
        .full_horizon = 10.0,
        .sample = reference_a02,
    },
    {
        .name = "A04 Bricard",
        .what = "position of P3 [m]",
        .data = "A04_bricard.json",
        .series = "P3_xyz",
        .width = 3,
        .model = REFERENCE_MODEL("A04-bricard"),
        .dt = 1e-3,
        .horizon = 2.0,
        .full_horizon = 10.0,
        .sample = reference_a04,
    },
    {
        .name = "A05 governor, stiff",
        .what = "height s of the slider [m]",
        .data = "A05_flyball_governor_stiff.json",
        .series = "s",
        .width = 1,
        .model = REFERENCE_MODEL("A05-governor"),
        .dt = 1e-3,
        .horizon = 2.0,
        .full_horizon = 10.0,
        .sample = reference_a05,
    },
    {
        .name = "A05 governor, stiff",
        .what = "rod below the horizontal [rad]",
        .data = "A05_flyball_governor_stiff.json",
        .series = "rod_angle_below_horizontal",
        .width = 1,
        .model = REFERENCE_MODEL("A05-governor"),
        .dt = 1e-3,
        .horizon = 2.0,
        .full_horizon = 10.0,
        .sample = reference_a05_rod,
    },
    {
        .name = "C1 slider-crank",
        .what = "crank angle [rad]",
        .data = "C1_slider_crank_planar.json",
        .series = "theta",
        .width = 1,
        .model = REFERENCE_MODEL("C1-slider-crank"),
        .dt = 4e-4,
        .horizon = 1.0,
        .full_horizon = 3.0,
        .sample = reference_c1,
    },
    {
        .name = "C2 car axis",
        .what = "positions of both masses [m]",
        .data = "C2_car_axis.json",
        .series = "xl_yl_xr_yr",
        .width = 4,
        .model = REFERENCE_MODEL("C2-car-axis"),
        .dt = 4e-4,
        .horizon = 0.5,
        .full_horizon = 3.0,
        .sample = reference_c2,
    },
    {
        .name = "D1 Dzhanibekov",
        .what = "body rates [rad/s]",
        .data = "D1_dzhanibekov.json",
        .series = "omega_body",
        .width = 3,
        .model = REFERENCE_MODEL("D1-dzhanibekov"),
        .dt = 1e-3,
        .horizon = 4.0,
        .full_horizon = 30.0,
        .sample = reference_d1_rate,
    },
    {
        .name = "D1 Dzhanibekov",
        .what = "quaternion [-]",
        .data = "D1_dzhanibekov.json",
        .series = "quaternion_wxyz",
        .width = 4,
        .up_to_sign = true,
        .model = REFERENCE_MODEL("D1-dzhanibekov"),
        .dt = 1e-3,
        .horizon = 4.0,
        .full_horizon = 30.0,
        .sample = reference_d1_attitude,
    },
    {
        .name = "D2 heavy top",
        .what = "centre of mass [m]",
        .data = "D2_heavy_top.json",
        .series = "com_position",
        .width = 3,
        .model = REFERENCE_MODEL("D2-heavy-top"),
        .dt = 4e-4,
        .horizon = 0.5,
        .full_horizon = 2.0,
        .sample = reference_d2,
    },
    {
        .name = "D3 Furuta",
        .what = "angles [rad]",
        .data = "D3_furuta.json",
        .series = "phi_theta",
        .width = 2,
        .model = REFERENCE_MODEL("D3-furuta"),
        .dt = 4e-4,
        .horizon = 1.0,
        .full_horizon = 5.0,
        .sample = reference_d3,
    },
};
const int reference_case_count = (int)(sizeof reference_cases / sizeof reference_cases[0]);

bool reference_series_load(const reference_case *c, double horizon, reference_series *out)
{
    *out = (reference_series){.width = c->width};
    json_t *root = reference_data_load(c->data);
    const json_t *quantity = reference_data_find(root, c->series);
    const json_t *times = json_object_get(quantity, "t");
    const json_t *samples = json_object_get(quantity, "values");
    size_t count = json_array_size(times);
    if (count == 0 || json_array_size(samples) != count) {
        fprintf(stderr, "%s: no series \"%s\"\n", c->data, c->series);
        json_decref(root);
        return false;
    }
    out->times = calloc(count, sizeof *out->times);
    out->values = calloc(count * (size_t)c->width, sizeof *out->values);
    bool good = out->times != NULL && out->values != NULL;
    for (size_t k = 0; good && k < count; ++k) {
        double t = json_number_value(json_array_get(times, k));
        if (t > horizon * (1.0 + 1e-12)) {
            break;
        }
        const json_t *sample = json_array_get(samples, k);
        good = !json_is_array(sample) || json_array_size(sample) == (size_t)c->width;
        for (int i = 0; i < c->width; ++i) {
            const json_t *value =
                json_is_array(sample) ? json_array_get(sample, (size_t)i) : sample;
            out->values[k * (size_t)c->width + (size_t)i] = json_number_value(value);
        }
        out->times[k] = t;
        out->count += 1;
    }
    json_decref(root);
    if (!good) {
        fprintf(stderr, "%s: \"%s\" has samples of another width than %d\n", c->data, c->series,
                c->width);
        reference_series_free(out);
    }
    return good;
}

void reference_series_free(reference_series *series)
{
    free(series->times);
    free(series->values);
    *series = (reference_series){0};
}

static void reference_log(void *user, pawl_log_level level, const char *message)
{
    (void)user;
    if (level >= PAWL_LOG_WARNING) {
        fprintf(stderr, "%s\n", message);
    }
}

pawl_env reference_env(void)
{
    pawl_env env = pawl_env_default();
    env.log = reference_log;
    return env;
}

pawl_model *reference_load_model(const pawl_env *env, const char *path)
{
    pawl_load_options options = pawl_load_options_default();
    pawl_model *model = NULL;
    pawl_status status = pawl_model_load(env, path, &options, &model);
    if (status != PAWL_OK) {
        fprintf(stderr, "%s: %s\n", path, pawl_status_name(status));
    }
    return model;
}

static double reference_clock(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static pawl_status reference_steps(pawl_sim *sim, int64_t count, pawl_verdict *verdict)
{
    for (int64_t k = 0; k < count; ++k) {
        pawl_step_report report;
        pawl_status status = pawl_sim_step(sim, &report);
        if (status != PAWL_OK) {
            return status;
        }
        pawl_verdict_add(verdict, &report);
    }
    return PAWL_OK;
}

pawl_status reference_run_model(const pawl_env *env, const pawl_model *model,
                                const pawl_settings *settings, double duration,
                                pawl_verdict *verdict)
{
    pawl_sim *sim = NULL;
    pawl_status status = pawl_sim_create(env, model, settings, &sim);
    if (status != PAWL_OK) {
        return status;
    }
    pawl_verdict gathered = pawl_verdict_begin(pawl_sim_state(sim));
    status = reference_steps(sim, llround(duration / settings->dt), &gathered);
    if (verdict != NULL) {
        *verdict = gathered;
    }
    pawl_sim_destroy(sim);
    return status;
}

reference_run reference_run_case(const reference_case *c, const reference_series *series,
                                 const pawl_settings *settings)
{
    pawl_env env = reference_env();
    reference_run run = {.status = PAWL_BAD_FILE};
    run.values = calloc((size_t)series->count * (size_t)series->width, sizeof *run.values);
    pawl_model *model = run.values != NULL ? reference_load_model(&env, c->model) : NULL;
    pawl_sim *sim = NULL;
    if (model != NULL) {
        run.status = pawl_sim_create(&env, model, settings, &sim);
    }
    if (run.status == PAWL_OK) {
        run.verdict = pawl_verdict_begin(pawl_sim_state(sim));
    }
    for (int k = 0; k < series->count && run.status == PAWL_OK; ++k) {
        double begin = reference_clock();
        int64_t target = llround(series->times[k] / settings->dt);
        run.status =
            reference_steps(sim, target - pawl_state_step(pawl_sim_state(sim)), &run.verdict);
        run.wall += reference_clock() - begin;
        if (run.status == PAWL_OK) {
            c->sample(pawl_sim_state(sim), model, &run.values[k * series->width]);
            run.count += 1;
        }
    }
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    return run;
}

void reference_run_free(reference_run *run)
{
    free(run->values);
    *run = (reference_run){0};
}

static double reference_distance(const reference_case *c, const double *expected,
                                 const double *coarse, const double *fine)
{
    double sign = 1.0;
    double turned = 1.0; // of the coarse sample against the fine one
    if (c->up_to_sign) {
        double along = 0.0, between = 0.0;
        for (int i = 0; i < c->width; ++i) {
            along += expected[i] * fine[i];
            between += coarse[i] * fine[i];
        }
        sign = along < 0.0 ? -1.0 : 1.0;
        turned = between < 0.0 ? -1.0 : 1.0;
    }
    double worst = 0.0;
    for (int i = 0; i < c->width; ++i) {
        double value = sign * (2.0 * fine[i] - turned * coarse[i]);
        double error = fabs(value - expected[i]);
        worst = error > worst || isnan(error) ? error : worst;
    }
    return worst;
}

double reference_extrapolated_error(const reference_case *c, const reference_series *series,
                                    const reference_run *coarse, const reference_run *fine)
{
    if (coarse->count < series->count || fine->count < series->count) {
        return INFINITY;
    }
    double worst = 0.0;
    for (int k = 0; k < series->count; ++k) {
        int at = k * series->width;
        double error =
            reference_distance(c, &series->values[at], &coarse->values[at], &fine->values[at]);
        if (isnan(error)) {
            return INFINITY;
        }
        worst = error > worst ? error : worst;
    }
    return worst;
}

double reference_error(const reference_case *c, const reference_series *series,
                       const reference_run *run)
{
    return reference_extrapolated_error(c, series, run, run); // 2 x - x
}

double reference_order(double coarse, double fine)
{
    return log2(coarse / fine);
}
