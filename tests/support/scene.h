// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Things that touch, for tests: floors, boxes, spheres and rods on top of support/mechanism.h, and
// what happened to them. Scenes run whether or not every step converges; tests look at the verdict.
#pragma once
#include "math/rotation.h"
#include "support/mechanism.h"

#define CLASSIC(name) "models/classics/" name ".sdf"
#define PRIMITIVE(name) "models/primitives/" name ".sdf"

static const double SCENE_G = 9.81;
static const double SCENE_DEGREE = 0.017453292519943295;

pawl_settings scene_settings(double dt);
// For what must come to rest below 1e-8 m/s: a tenth of that a step.
pawl_settings scene_rest_settings(double dt);

void scene_load(mechanism *m, const char *path, const pawl_settings *settings);
void scene_step(mechanism *m);
void scene_run(mechanism *m, double until);

pawl_vec3 scene_position(const mechanism *m, pawl_body_id body);
pawl_vec3 scene_velocity(const mechanism *m, pawl_body_id body);
pawl_vec3 scene_spin(const mechanism *m, pawl_body_id body);
double scene_speed(const mechanism *m,
                   pawl_body_id body);      // linear [m/s] and angular [rad/s] together
double scene_top_speed(const mechanism *m); // of all bodies
double scene_stored(const mechanism *m);    // kinetic and potential energy [J]
// Heading of the body's x axis, as a number of turns next to `before` [rad].
double scene_yaw(const mechanism *m, pawl_body_id body, double before);
// Force on `body` from `other` in the last step.
pawl_vec3 scene_force(const mechanism *m, pawl_body_id other, pawl_body_id body);
// Largest distance of the bottom corners of a box from the floor z = 0, up or down.
double scene_bottom_gap(const mechanism *m, pawl_body_id body, pawl_vec3 half);

pawl_shape_id scene_shape(mechanism *m, pawl_body_id body, pawl_shape_kind kind, pawl_vec3 size,
                          pawl_vec3 at, double friction, double restitution);
// A horizontal floor, under gravity that is tilted instead: downhill is x turned by `azimuth`.
void scene_floor(mechanism *m, double friction, double slope, double azimuth);
pawl_body_id scene_box(mechanism *m, double mass, pawl_vec3 size, double friction); // on the floor
pawl_body_id scene_box_at(mechanism *m, double mass, pawl_vec3 size, pawl_vec3 at, double friction);
pawl_body_id scene_sphere(mechanism *m, double mass, double radius, pawl_vec3 at,
                          pawl_vec3 velocity, double friction, double restitution);
// A slender rod of half length `half` whose lower tip touches a floor of its own, leaning at
// `theta`. The references' plane (x, y up) is (x, z) here, and their turns are about -y.
pawl_body_id scene_rod(mechanism *m, double half, double theta, const double v[2], double omega,
                       double friction, double restitution);

// Runs `measure` at dt, dt / 2 and dt / 4; the errors must fall like dt.
void scene_check_order(const char *what, double (*measure)(const pawl_settings *settings),
                       double dt, double expected, double slack);
// The same for errors that are there already.
void scene_check_falls(const char *what, const double error[3], double slack);
