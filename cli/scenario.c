// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Scenarios are inputs at run time (pawl/input.h): targets and gains of actuators, wrenches, and poses at the start.
// Random numbers are a fixed sequence, so that a recording can be reproduced with the same bits.
#include "scenario.h"

#include <math.h>
#include <string.h>

enum { REST, DRIVEN, DROP, LIMITS, PUSHES, SINGULAR, SCENARIOS };
static const scenario scenario_table[SCENARIOS] = {
    [REST] = {"rest", "servos hold the start; nothing else acts but gravity"},
    [DRIVEN] = {"driven", "servos follow the motion of the file"},
    [DROP] = {"drop",
              "a free machine falls 0.2 m; a fixed one loses its servos and falls into its limits"},
    [LIMITS] = {"limits", "servos swing every joint against its limits, to and fro each second"},
    [PUSHES] = {"pushes", "random forces of up to half the weight on random bodies, ten a second"},
    [SINGULAR] = {"singular", "all joints move in phase through zero, where limbs are straight"},
};
static const double scenario_drop = 0.2;      // [m]
static const double scenario_swing = 1.0;     // period of limits [s]
static const double scenario_singular = 2.0;  // period of singular [s]
static const double scenario_push_time = 0.1; // [s]
static const double scenario_pi = 3.14159265358979323846;

const scenario *scenario_at(int i)
{
    return i >= 0 && i < SCENARIOS ? &scenario_table[i] : NULL;
}

int scenario_find(const char *name)
{
    for (int i = 0; i < SCENARIOS; ++i) {
        if (strcmp(scenario_table[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static bool scenario_is_servo(const pawl_actuator_def *a)
{
    return a->kind == PAWL_ACTUATOR_POSITION;
}

// Servos whose joint has two limits; with `any`, all servos.
static int scenario_servos(const pawl_model *m, bool any)
{
    int count = 0;
    for (int i = 0; i < pawl_model_actuator_count(m); ++i) {
        pawl_actuator_def a = pawl_model_actuator(m, pawl_model_actuator_at(m, i));
        pawl_joint_info j = pawl_model_joint(m, a.joint);
        const pawl_coordinate_def *c = &j.coordinate[a.coordinate];
        bool limits = isfinite(c->lower) && isfinite(c->upper);
        count += scenario_is_servo(&a) && (any || limits) ? 1 : 0;
    }
    return count;
}

// Whether nothing ties the machine to the world.
static bool scenario_is_free(const pawl_model *m)
{
    for (int i = 0; i < pawl_model_joint_count(m); ++i) {
        pawl_joint_info j = pawl_model_joint(m, pawl_model_joint_at(m, i));
        bool world = pawl_body_is_world(j.base) || pawl_body_is_world(j.follower);
        if (world && j.kind != PAWL_JOINT_FREE) {
            return false;
        }
    }
    return true;
}

bool scenario_applies(int index, const pawl_model *m)
{
    switch (index) {
    case DRIVEN:
        return pawl_model_actuator_count(m) > 0;
    case DROP:
        return scenario_is_free(m) || scenario_servos(m, true) > 0;
    case LIMITS:
        return scenario_servos(m, false) > 0;
    case SINGULAR:
        return scenario_servos(m, true) > 0;
    default:
        return true;
    }
}

// Splitmix64: the next number from 0 to 1.
static double scenario_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// Every servo at its joint's own value, so that nothing moves on purpose.
static pawl_status scenario_hold(pawl_state *s)
{
    const pawl_model *m = pawl_state_model(s);
    pawl_status status = PAWL_OK;
    for (int i = 0; i < pawl_model_actuator_count(m) && status == PAWL_OK; ++i) {
        pawl_actuator_id id = pawl_model_actuator_at(m, i);
        pawl_actuator_def a = pawl_model_actuator(m, id);
        double q[6], rate[6];
        if (scenario_is_servo(&a)) {
            status = pawl_state_joint(s, a.joint, q, rate);
            status = status == PAWL_OK ? pawl_state_set_target(s, id, q[a.coordinate]) : status;
        }
    }
    return status;
}

static pawl_status scenario_limp(pawl_state *s)
{
    const pawl_model *m = pawl_state_model(s);
    pawl_status status = PAWL_OK;
    for (int i = 0; i < pawl_model_actuator_count(m) && status == PAWL_OK; ++i) {
        pawl_actuator_id id = pawl_model_actuator_at(m, i);
        pawl_actuator_def a = pawl_model_actuator(m, id);
        pawl_gains gains = pawl_state_gains(s, id);
        if (scenario_is_servo(&a)) {
            gains.stiffness *= 1e-3;
            gains.damping *= isfinite(gains.damping) ? 1e-2 : 1.0;
            status = pawl_state_set_gains(s, id, &gains);
        }
    }
    return status;
}

static pawl_status scenario_lift(pawl_state *s)
{
    const pawl_model *m = pawl_state_model(s);
    pawl_status status = PAWL_OK;
    for (int i = 0; i < pawl_model_body_count(m) && status == PAWL_OK; ++i) {
        pawl_body_id id = pawl_model_body_at(m, i);
        pawl_pose pose = pawl_state_pose(s, id);
        pose.position.z += scenario_drop;
        status = pawl_state_set_pose(s, id, pose);
    }
    return status;
}

pawl_status scenario_begin(scenario_run *run, int index, pawl_sim *sim)
{
    *run = (scenario_run){.index = index, .sim = sim, .random = 17};
    pawl_state *s = pawl_sim_edit_state(sim);
    const pawl_model *m = pawl_sim_model(sim);
    pawl_status status = index == DRIVEN ? PAWL_OK : scenario_hold(s);
    if (status == PAWL_OK && index == DROP) {
        status = scenario_is_free(m) ? scenario_lift(s) : scenario_limp(s);
        // Accounts of energy begin where the machine is now.
        status = status == PAWL_OK ? pawl_sim_assemble(sim, NULL, NULL) : status;
    }
    return status;
}

// So much of the range beyond the upper or the lower limit, inside of it where negative; half a radian where there is none.
static double scenario_reach(const pawl_model *m, const pawl_actuator_def *a, double side,
                             double beyond)
{
    pawl_joint_info j = pawl_model_joint(m, a->joint);
    const pawl_coordinate_def *c = &j.coordinate[a->coordinate];
    if (!isfinite(c->lower) || !isfinite(c->upper)) {
        return side > 0.0 ? 0.5 : -0.5;
    }
    double range = c->upper - c->lower;
    return side > 0.0 ? c->upper + beyond * range : c->lower - beyond * range;
}

// Whether no target of the file moves: MJCF has no place for motions.
static bool scenario_is_still(const pawl_model *m)
{
    for (int i = 0; i < pawl_model_actuator_count(m); ++i) {
        if (pawl_model_actuator(m, pawl_model_actuator_at(m, i)).target.kind !=
            PAWL_SIGNAL_CONSTANT) {
            return false;
        }
    }
    return true;
}

static pawl_status scenario_move(pawl_state *s, int index)
{
    const pawl_model *m = pawl_state_model(s);
    double t = pawl_state_time(s);
    pawl_status status = PAWL_OK;
    for (int i = 0; i < pawl_model_actuator_count(m) && status == PAWL_OK; ++i) {
        pawl_actuator_id id = pawl_model_actuator_at(m, i);
        pawl_actuator_def a = pawl_model_actuator(m, id);
        // Swings, not jumps: servos without a largest torque would reach 80 rad/s, and feet 60 m/s.
        double swing = sin(2.0 * scenario_pi * t / scenario_swing + scenario_pi * (double)i);
        double wave = sin(2.0 * scenario_pi * t / scenario_singular);
        // Straight limbs are singular, and so are linkages near the ends of their range; limits are another scenario.
        double target = index == LIMITS   ? fabs(swing) * scenario_reach(m, &a, swing, 0.25)
                        : index == DRIVEN ? 0.15 * sin(scenario_pi * t + i)
                                          : fabs(wave) * scenario_reach(m, &a, wave, -0.05);
        status = scenario_is_servo(&a) ? pawl_state_set_target(s, id, target) : PAWL_OK;
    }
    return status;
}

// A new force each tenth of a second, on one body at a time.
static pawl_status scenario_push(scenario_run *run, pawl_state *s)
{
    const pawl_model *m = pawl_state_model(s);
    double dt = pawl_sim_settings(run->sim)->dt;
    int64_t every = (int64_t)fmax(1.0, floor(scenario_push_time / dt + 0.5));
    if (pawl_state_step(s) % every != 0) {
        return PAWL_OK;
    }
    pawl_vec3 zero = {0.0, 0.0, 0.0}, force;
    pawl_status status = PAWL_OK;
    for (int i = 0; i < pawl_model_body_count(m) && status == PAWL_OK; ++i) {
        status = pawl_state_set_wrench(s, pawl_model_body_at(m, i), zero, zero);
    }
    int body = (int)(scenario_random(&run->random) * pawl_model_body_count(m));
    double most = 0.5 * 9.81 * pawl_model_mass(m);
    force.x = most * (2.0 * scenario_random(&run->random) - 1.0);
    force.y = most * (2.0 * scenario_random(&run->random) - 1.0);
    force.z = most * (2.0 * scenario_random(&run->random) - 1.0);
    // A light finger gets a hundred times its own weight, not the weight of the machine.
    pawl_body_id id = pawl_model_body_at(m, body);
    double share = fmin(1.0, 100.0 * pawl_model_body(m, id).mass / pawl_model_mass(m));
    force = (pawl_vec3){share * force.x, share * force.y, share * force.z};
    return status == PAWL_OK ? pawl_state_set_wrench(s, id, force, zero) : status;
}

pawl_status scenario_drive(scenario_run *run)
{
    pawl_state *s = pawl_sim_edit_state(run->sim);
    bool moves = run->index == LIMITS || run->index == SINGULAR ||
                 (run->index == DRIVEN && scenario_is_still(pawl_sim_model(run->sim)));
    return moves                  ? scenario_move(s, run->index)
           : run->index == PUSHES ? scenario_push(run, s)
                                  : PAWL_OK;
}
