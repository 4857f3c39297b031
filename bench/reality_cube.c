// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Simulates tosses of the measured cube of reality_data.h and fits the parameters of the contact to
// them. The score of a toss is the mean error of position and rotation over its frames; the fit
// minimizes it by simplex_search.h, because the score jumps with the parameters.
#include "reality_cube.h"

#include <math.h>

#include "base/env.h"
#include "math/rotation.h"
#include "simplex_search.h"

static const double cube_mass = 0.37; // [kg]

static const struct {
    const char *name;
    double value, step, low, high;
} cube_parameters[REALITY_PARAMETERS] = {
    [REALITY_FRICTION] = {"mu", 0.20, 0.04, 0.0, 1.0},
    [REALITY_IMPACT_FRICTION] = {"mu_impact", 0.16, 0.03, 0.0, 1.0},
    [REALITY_RESTITUTION] = {"e", 0.25, 0.08, 0.0, 1.0},
    [REALITY_HALF_SIDE] = {"half side", 0.0512, 0.0006, 0.045, 0.056},
    [REALITY_TABLE] = {"table", 0.0, 0.0005, -0.005, 0.005},
    [REALITY_CENTRE] = {"centre", 0.005, 0.002, -0.02, 0.02},
    [REALITY_INERTIA] = {"inertia", 0.00100, 0.0001, 0.0004, 0.002},
};

const char *reality_parameter_name(reality_parameter p)
{
    return cube_parameters[p].name;
}

reality_cube reality_cube_default(pawl_stepper_kind stepper, pawl_impact_law law)
{
    reality_cube cube = {.settings = pawl_settings_default()};
    cube.settings.dt = 1.0 / (REALITY_RATE * REALITY_SUBSTEPS);
    cube.settings.stepper = stepper;
    cube.settings.contact.impact = law;
    cube.settings.solver.tolerance = 1e-6; // [m/s], far below the noise of the data
    for (int p = 0; p < REALITY_PARAMETERS; ++p) {
        cube.value[p] = cube_parameters[p].value;
    }
    return cube;
}

static pawl_status cube_shape(pawl_builder *b, pawl_body_id body, const reality_cube *cube,
                              pawl_shape_kind kind)
{
    const double *v = cube->value;
    pawl_shape_def def = pawl_shape_def_default();
    def.kind = kind;
    def.size = v3(v[REALITY_HALF_SIDE], v[REALITY_HALF_SIDE], v[REALITY_HALF_SIDE]);
    def.frame.position.z = pawl_body_is_world(body) ? v[REALITY_TABLE] : 0.0;
    def.friction = v[REALITY_FRICTION];
    def.impact_friction = v[REALITY_IMPACT_FRICTION];
    def.restitution = v[REALITY_RESTITUTION];
    return pawl_builder_add_shape(b, body, &def, NULL);
}

static pawl_status cube_build(const pawl_env *env, const reality_cube *cube, pawl_model **out)
{
    pawl_builder *b;
    PAWL_TRY(pawl_builder_create(env, "cube", &b));
    pawl_builder_set_gravity(b, v3(0, 0, -REALITY_GRAVITY));
    pawl_body_def def = pawl_body_def_default();
    def.mass = cube_mass;
    def.com = v3(0, 0, cube->value[REALITY_CENTRE]);
    def.inertia[0] = def.inertia[1] = def.inertia[2] = cube->value[REALITY_INERTIA];
    def.pose.position.z = 1.0;
    pawl_body_id body;
    pawl_status status = pawl_builder_add_body(b, &def, &body);
    if (status == PAWL_OK) {
        status = cube_shape(b, body, cube, PAWL_SHAPE_BOX);
    }
    if (status == PAWL_OK) {
        status = cube_shape(b, PAWL_WORLD, cube, PAWL_SHAPE_PLANE);
    }
    if (status == PAWL_OK) {
        status = pawl_builder_compile(b, out);
    }
    pawl_builder_destroy(b);
    return status;
}

// How much of a step the velocity of a stepper lags behind in free fall: semi-implicit Euler moves with the
// velocity at the end of the step.
static double cube_lead(const reality_cube *cube)
{
    return cube->settings.stepper == PAWL_STEPPER_EULER ? 1.0 : 0.0;
}

// Samples from the first on before a corner comes near the table.
static int cube_flight(const reality_cube *cube, const reality_toss *toss)
{
    const double near = 0.004; // [m]
    for (int k = 0; k < toss->count; ++k) {
        pawl_pose pose = reality_pose(toss, k);
        pawl_mat3 r = quat_matrix(pose.orientation);
        double depth =
            cube->value[REALITY_HALF_SIDE] * (fabs(r.m[2][0]) + fabs(r.m[2][1]) + fabs(r.m[2][2]));
        if (pose.position.z - depth < cube->value[REALITY_TABLE] + near) {
            return k;
        }
    }
    return toss->count;
}

// Value at 0 and slope of the line through points y at times k / rate, k < n, by least squares.
static void cube_line(const pawl_vec3 *y, int n, pawl_vec3 *value, pawl_vec3 *slope)
{
    double s1 = 0.0, s2 = 0.0;
    pawl_vec3 sum = v3(0, 0, 0), moment = sum;
    for (int k = 0; k < n; ++k) {
        double t = k / REALITY_RATE;
        s1 += t;
        s2 += t * t;
        sum = v3_add(sum, y[k]);
        moment = v3_axpy(moment, t, y[k]);
    }
    double det = n * s2 - s1 * s1;
    *slope = v3_scale(1.0 / det, v3_axpy(v3_scale(n, moment), -s1, sum));
    *value = v3_scale(1.0 / n, v3_axpy(sum, -s1, *slope));
}

// Pose and twist of the first sample: as tracked, or from the flight before the first contact, a parabola of
// the mass centre and a steady turn (the inertia is that of a ball).
static void cube_start(const reality_cube *cube, const reality_toss *toss, reality_start start,
                       pawl_pose *pose, pawl_twist *twist)
{
    enum { FLIGHT_MIN = 4, FLIGHT_MAX = 64 };
    double h = cube->settings.dt, lead = cube_lead(cube);
    int n = cube_flight(cube, toss);
    n = n < FLIGHT_MAX ? n : FLIGHT_MAX;
    *pose = reality_pose(toss, 0);
    *twist = reality_twist(toss, 0);
    if (start == REALITY_FIRST_SAMPLE || n < FLIGHT_MIN) { // v is a backward difference
        twist->linear.z -= REALITY_GRAVITY * 0.5 * (1.0 / REALITY_RATE - lead * h);
        return;
    }
    pawl_vec3 centre[FLIGHT_MAX], turn[FLIGHT_MAX], com = v3(0, 0, cube->value[REALITY_CENTRE]);
    pawl_quat last = pose->orientation;
    for (int k = 0; k < n; ++k) {
        pawl_pose at = reality_pose(toss, k);
        pawl_mat3 r = quat_matrix(at.orientation);
        double t = k / REALITY_RATE;
        centre[k] = v3_add(at.position, m3_mul(&r, com));
        centre[k].z += 0.5 * REALITY_GRAVITY * t * t;
        pawl_vec3 step = quat_log(quat_mul(at.orientation, quat_conj(last)));
        turn[k] = k == 0 ? v3(0, 0, 0) : v3_add(turn[k - 1], step);
        last = at.orientation;
    }
    pawl_vec3 at, v, off, w;
    cube_line(centre, n, &at, &v);
    cube_line(turn, n, &off, &w);
    pose->orientation = quat_advance(pose->orientation, off);
    pawl_mat3 r = quat_matrix(pose->orientation);
    pawl_vec3 arm = m3_mul(&r, com);
    pose->position = v3_sub(at, arm);
    v.z += 0.5 * lead * h * REALITY_GRAVITY;
    twist->angular = w;
    twist->linear = v3_sub(v, v3_cross(w, arm));
}

static int cube_face(pawl_quat q)
{
    pawl_mat3 r = quat_matrix(q);
    int best = 0;
    for (int k = 1; k < 3; ++k) {
        best = fabs(r.m[2][k]) > fabs(r.m[2][best]) ? k : best;
    }
    return r.m[2][best] > 0.0 ? best : best + 3;
}

static double cube_angle(pawl_quat a, pawl_quat b)
{
    return v3_norm(quat_log(quat_mul(a, quat_conj(b))));
}

// One toss from its start to its last sample; adds its errors.
static bool cube_roll(const reality_cube *cube, const reality_toss *toss, reality_start start,
                      pawl_sim *sim, pawl_state *state, reality_score *sum)
{
    pawl_pose pose;
    pawl_twist twist;
    cube_start(cube, toss, start, &pose, &twist);
    pawl_state_set_pose(state, pawl_model_body_at(pawl_state_model(state), 0), pose);
    pawl_state_set_twist(state, pawl_model_body_at(pawl_state_model(state), 0), twist);
    if (pawl_sim_set_state(sim, state) != PAWL_OK) {
        return false;
    }
    double position = 0.0, rotation = 0.0;
    for (int k = 1; k < toss->count; ++k) {
        for (int i = 0; i < REALITY_SUBSTEPS; ++i) {
            if (pawl_sim_step(sim, NULL) != PAWL_OK) {
                return false;
            }
        }
        pawl_pose at = pawl_state_pose(pawl_sim_state(sim),
                                       pawl_model_body_at(pawl_sim_model(sim), 0)),
                  real = reality_pose(toss, k);
        position += v3_norm(v3_sub(at.position, real.position));
        rotation += cube_angle(at.orientation, real.orientation);
    }
    int samples = toss->count - 1;
    pawl_quat end = pawl_state_pose(pawl_sim_state(sim), pawl_model_body_at(pawl_sim_model(sim), 0))
                        .orientation;
    sum->position += 100.0 * position / (samples * REALITY_SIDE);
    sum->rotation += 57.29577951308232 * rotation / samples;
    sum->faces += cube_face(end) == cube_face(reality_pose(toss, toss->count - 1).orientation);
    ++sum->tosses;
    return true;
}

bool reality_judge(const pawl_env *env, const reality_cube *cube, const reality_data *data,
                   int first, int stride, reality_start start, reality_score *out)
{
    pawl_model *model = NULL;
    pawl_sim *sim = NULL;
    pawl_state *state = NULL;
    reality_score sum = {0};
    bool good = cube_build(env, cube, &model) == PAWL_OK &&
                pawl_sim_create(env, model, &cube->settings, &sim) == PAWL_OK &&
                pawl_state_create(env, model, &state) == PAWL_OK;
    for (int i = first; i < data->count && good; i += stride) {
        good = cube_roll(cube, &data->tosses[i], start, sim, state, &sum);
    }
    pawl_state_destroy(state);
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    if (!good || sum.tosses == 0) {
        return false;
    }
    *out = (reality_score){.position = sum.position / sum.tosses,
                           .rotation = sum.rotation / sum.tosses,
                           .faces = 100.0 * sum.faces / sum.tosses,
                           .tosses = sum.tosses};
    return true;
}

// ---- The fit ------------------------------------------------------------------------------------

typedef struct cube_search {
    const pawl_env *env;
    reality_cube cube;
    const reality_data *data;
    int first, stride;
} cube_search;

static void cube_set(reality_cube *cube, const double *x)
{
    for (int p = 0; p < REALITY_PARAMETERS; ++p) {
        double value = cube_parameters[p].value + cube_parameters[p].step * x[p];
        cube->value[p] = fmin(fmax(value, cube_parameters[p].low), cube_parameters[p].high);
    }
}

static double cube_error(const double *x, void *user)
{
    cube_search *search = user;
    reality_score score;
    cube_set(&search->cube, x);
    return reality_judge(search->env, &search->cube, search->data, search->first, search->stride,
                         REALITY_FREE_FLIGHT, &score)
               ? score.position + score.rotation
               : INFINITY;
}

double reality_fit(const pawl_env *env, reality_cube *cube, const reality_data *data, int first,
                   int stride, int evaluations)
{
    cube_search search = {env, *cube, data, first, stride};
    double x[REALITY_PARAMETERS] = {0}, step[REALITY_PARAMETERS];
    for (int p = 0; p < REALITY_PARAMETERS; ++p) {
        step[p] = 1.0; // in steps of cube_parameters
    }
    double best = simplex_search(cube_error, &search, REALITY_PARAMETERS, x, step, evaluations);
    cube_set(cube, x);
    return best;
}
