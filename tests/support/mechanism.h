// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A model under test, from builder to simulation, with every status checked and no leak left:
//
//     mechanism m;
//     mechanism_begin(&m);                          // gravity is off until it is set
//     pawl_body_id body = mechanism_solid(&m, 2.0, at, inertia);
//     pawl_joint_id joint = mechanism_world_joint(&m, PAWL_JOINT_PRISMATIC, body, at, axis);
//     mechanism_start(&m, &settings);               // compiles and makes a simulation
//     mechanism_run(&m, 100);                       // steps; all must converge
//     mechanism_end(&m);
#pragma once
#include "pawl/sim.h"
#include "pawl/verdict.h"
#include "support/test.h"

// Steppers that take every mechanism. Those behind them step trees with contacts of their own, and have
// tests of their own.
enum { MECHANISM_STEPPERS = PAWL_STEPPER_MDP };

typedef struct mechanism {
    test_env t;
    pawl_builder *builder;
    pawl_model *model;
    pawl_sim *sim;
    pawl_step_report report; // of the last step
    pawl_verdict verdict;    // over all steps
} mechanism;

void mechanism_begin(mechanism *m); // in place: it must not be moved afterwards
void mechanism_end(mechanism *m);
// Begins with one body on half of the earth's gravity, its centre off its origin, thrown up at (1, 0, 5) m/s.
void mechanism_throw(mechanism *m);

// A rigid body with its centre of mass at its origin, there in the world.
pawl_body_id mechanism_solid(mechanism *m, double mass, pawl_vec3 position, pawl_vec3 inertia);
pawl_body_id mechanism_body(mechanism *m, const pawl_body_def *def);
pawl_joint_id mechanism_joint(mechanism *m, const pawl_joint_def *def);
// A def for a joint between two bodies (or the world) where they are, x along `axis`.
pawl_joint_def mechanism_joint_def(const mechanism *m, pawl_joint_kind kind, pawl_body_id base,
                                   pawl_body_id follower, pawl_vec3 point, pawl_vec3 axis);
pawl_joint_id mechanism_world_joint(mechanism *m, pawl_joint_kind kind, pawl_body_id follower,
                                    pawl_vec3 point, pawl_vec3 axis);
pawl_joint_id mechanism_gear(mechanism *m, const pawl_gear_def *def);
pawl_actuator_id mechanism_actuator(mechanism *m, const pawl_actuator_def *def);
pawl_motion_id mechanism_motion(mechanism *m, const pawl_motion_def *def);
pawl_force_id mechanism_force(mechanism *m, const pawl_force_def *def);
pawl_spring_id mechanism_spring(mechanism *m, const pawl_spring_def *def);

void mechanism_compile(mechanism *m); // if it is not yet
void mechanism_start(mechanism *m, const pawl_settings *settings);
void mechanism_restart(mechanism *m, const pawl_settings *settings); // the same model anew
// The simulation goes on from a saved state; and the same in a new one, as from a file.
void mechanism_take(mechanism *m, const void *bytes, size_t size);
void mechanism_resume(mechanism *m, const pawl_settings *settings);
void mechanism_step(mechanism *m);
void mechanism_run(mechanism *m, int steps);

const pawl_state *mechanism_state(const mechanism *m);
double mechanism_time(const mechanism *m);
double mechanism_position(const mechanism *m, pawl_joint_id joint, int coordinate);
double mechanism_rate(const mechanism *m, pawl_joint_id joint, int coordinate);
pawl_energy mechanism_energy(const mechanism *m);
// Sums over all bodies that can move, in world axes; angular about the world's origin.
pawl_vec3 mechanism_momentum(const mechanism *m);
pawl_vec3 mechanism_angular_momentum(const mechanism *m);

// Settings with this step and stepper, else defaults.
pawl_settings mechanism_settings(double dt, pawl_stepper_kind stepper);
