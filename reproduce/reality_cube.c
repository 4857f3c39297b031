// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Simulates tosses of the measured cube of reality_data.h and fits the parameters of the contact to
// them. The score of a toss is the mean error of position and rotation over its frames; the fit
// minimizes it by simplex_search.h, because the score jumps with the parameters.
#include "reality_cube.h"

#include <math.h>
#include <stdlib.h>

#include "reality_math.h"
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
    def.size = reality_vec(v[REALITY_HALF_SIDE], v[REALITY_HALF_SIDE], v[REALITY_HALF_SIDE]);
    def.frame.position.z = pawl_body_is_world(body) ? v[REALITY_TABLE] : 0.0;
    def.friction = v[REALITY_FRICTION];
    def.impact_friction = v[REALITY_IMPACT_FRICTION];
    def.restitution = v[REALITY_RESTITUTION];
    return pawl_builder_add_shape(b, body, &def, NULL);
}

static pawl_status cube_build(const pawl_env *env, const reality_cube *cube, pawl_model **out)
{
    pawl_builder *b;
    pawl_status status = pawl_builder_create(env, "cube", &b);
    if (status != PAWL_OK) {
        return status;
    }
    pawl_builder_set_gravity(b, reality_vec(0, 0, -REALITY_GRAVITY));
    pawl_body_def def = pawl_body_def_default();
    def.mass = cube_mass;
    def.com = reality_vec(0, 0, cube->value[REALITY_CENTRE]);
    def.inertia[0] = def.inertia[1] = def.inertia[2] = cube->value[REALITY_INERTIA];
    def.pose.position.z = 1.0;
    pawl_body_id body;
    status = pawl_builder_add_body(b, &def, &body);
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
        pawl_vec3 up = reality_heights(pose.orientation);
        double depth = cube->value[REALITY_HALF_SIDE] * (fabs(up.x) + fabs(up.y) + fabs(up.z));
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
    pawl_vec3 sum = reality_vec(0, 0, 0), moment = sum;
    for (int k = 0; k < n; ++k) {
        double t = k / REALITY_RATE;
        s1 += t;
        s2 += t * t;
        sum = reality_axpy(sum, 1.0, y[k]);
        moment = reality_axpy(moment, t, y[k]);
    }
    double det = n * s2 - s1 * s1;
    pawl_vec3 none = reality_vec(0, 0, 0);
    *slope = reality_axpy(reality_axpy(none, n / det, moment), -s1 / det, sum);
    *value = reality_axpy(reality_axpy(none, 1.0 / n, sum), -s1 / n, *slope);
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
    pawl_vec3 centre[FLIGHT_MAX], turn[FLIGHT_MAX],
        com = reality_vec(0, 0, cube->value[REALITY_CENTRE]);
    pawl_quat last = pose->orientation;
    for (int k = 0; k < n; ++k) {
        pawl_pose at = reality_pose(toss, k);
        double t = k / REALITY_RATE;
        centre[k] = reality_axpy(at.position, 1.0, pawl_quat_rotate(at.orientation, com));
        centre[k].z += 0.5 * REALITY_GRAVITY * t * t;
        pawl_vec3 step = reality_log(pawl_quat_multiply(at.orientation, reality_conj(last)));
        turn[k] = k == 0 ? reality_vec(0, 0, 0) : reality_axpy(turn[k - 1], 1.0, step);
        last = at.orientation;
    }
    pawl_vec3 at, v, off, w;
    cube_line(centre, n, &at, &v);
    cube_line(turn, n, &off, &w);
    pose->orientation = reality_turn(pose->orientation, off);
    pawl_vec3 arm = pawl_quat_rotate(pose->orientation, com);
    pose->position = reality_axpy(at, -1.0, arm);
    v.z += 0.5 * lead * h * REALITY_GRAVITY;
    twist->angular = w;
    twist->linear = reality_axpy(v, -1.0, reality_cross(w, arm));
}

static int cube_face(pawl_quat q)
{
    pawl_vec3 up = reality_heights(q);
    double height[3] = {up.x, up.y, up.z};
    int best = 0;
    for (int k = 1; k < 3; ++k) {
        best = fabs(height[k]) > fabs(height[best]) ? k : best;
    }
    return height[best] > 0.0 ? best : best + 3;
}

static double cube_angle(pawl_quat a, pawl_quat b)
{
    return 57.29577951308232 * reality_norm(reality_log(pawl_quat_multiply(a, reality_conj(b))));
}

// ---- Rollouts -----------------------------------------------------------------------------------

pawl_status reality_world_create(const pawl_env *env, const reality_cube *cube, reality_world *out)
{
    *out = (reality_world){.cube = *cube};
    pawl_status status = cube_build(env, cube, &out->model);
    if (status == PAWL_OK) {
        status = pawl_sim_create(env, out->model, &cube->settings, &out->sim);
    }
    if (status == PAWL_OK) {
        status = pawl_state_create(env, out->model, &out->state);
    }
    if (status != PAWL_OK) {
        reality_world_destroy(out);
    }
    return status;
}

void reality_world_destroy(reality_world *w)
{
    pawl_state_destroy(w->state);
    pawl_sim_destroy(w->sim);
    pawl_model_destroy(w->model);
    *w = (reality_world){0};
}

pawl_status reality_roll(reality_world *w, const reality_toss *toss, reality_start start,
                         const reality_noise *noise, pawl_pose *poses)
{
    pawl_twist twist;
    pawl_body_id body = pawl_model_body_at(w->model, 0);
    cube_start(&w->cube, toss, start, &poses[0], &twist);
    if (noise != NULL) {
        poses[0].position = reality_axpy(poses[0].position, 1.0, noise->position);
        poses[0].orientation = reality_turn(poses[0].orientation, noise->rotation);
        twist.linear = reality_axpy(twist.linear, 1.0, noise->velocity);
        twist.angular = reality_axpy(twist.angular, 1.0, noise->spin);
    }
    pawl_state_set_pose(w->state, body, poses[0]);
    pawl_state_set_twist(w->state, body, twist);
    pawl_status status = pawl_sim_set_state(w->sim, w->state);
    for (int k = 1; k < toss->count && status == PAWL_OK; ++k) {
        for (int i = 0; i < REALITY_SUBSTEPS && status == PAWL_OK; ++i) {
            status = pawl_sim_step(w->sim, NULL);
        }
        poses[k] = pawl_state_pose(pawl_sim_state(w->sim), body);
    }
    return status;
}

reality_score reality_compare(const pawl_pose *a, const pawl_pose *b, int count)
{
    reality_score score = {.tosses = 1};
    for (int k = 1; k < count; ++k) {
        pawl_vec3 apart = reality_axpy(a[k].position, -1.0, b[k].position);
        score.position += 100.0 * reality_norm(apart) / REALITY_SIDE / (count - 1);
        score.rotation += cube_angle(a[k].orientation, b[k].orientation) / (count - 1);
    }
    bool same = cube_face(a[count - 1].orientation) == cube_face(b[count - 1].orientation);
    score.faces = same ? 100.0 : 0.0;
    return score;
}

double reality_apart(pawl_pose a, pawl_pose b, double *angle)
{
    *angle = cube_angle(a.orientation, b.orientation);
    return reality_norm(reality_axpy(a.position, -1.0, b.position));
}

void reality_poses(const reality_toss *toss, pawl_pose *out)
{
    for (int k = 0; k < toss->count; ++k) {
        out[k] = reality_pose(toss, k);
    }
}

static int cube_longest(const reality_data *data)
{
    int most = 1;
    for (int i = 0; i < data->count; ++i) {
        most = data->tosses[i].count > most ? data->tosses[i].count : most;
    }
    return most;
}

bool reality_judge(const pawl_env *env, const reality_cube *cube, const reality_data *data,
                   int first, int stride, reality_start start, reality_score *out)
{
    reality_world world;
    reality_score sum = {0};
    size_t longest = (size_t)cube_longest(data);
    pawl_pose *ours = malloc(2 * longest * sizeof *ours), *real = ours + longest;
    bool good = ours != NULL && reality_world_create(env, cube, &world) == PAWL_OK;
    bool made = good;
    for (int i = first; i < data->count && good; i += stride) {
        const reality_toss *toss = &data->tosses[i];
        good = reality_roll(&world, toss, start, NULL, ours) == PAWL_OK;
        reality_poses(toss, real);
        reality_score one = reality_compare(ours, real, toss->count);
        sum.position += one.position;
        sum.rotation += one.rotation;
        sum.faces += one.faces;
        ++sum.tosses;
    }
    if (made) {
        reality_world_destroy(&world);
    }
    free(ours);
    if (!good || sum.tosses == 0) {
        return false;
    }
    *out = (reality_score){.position = sum.position / sum.tosses,
                           .rotation = sum.rotation / sum.tosses,
                           .faces = sum.faces / sum.tosses,
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
