// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// How shapes touch each other and the floor, and where the first body has gone: found anew from
// poses, with no collision code of any engine.
#pragma once
#include "scenes.h"

typedef struct bench_touch {
    double penetration;     ///< deepest overlap seen [m]
    double penetration_end; ///< and the deepest in the last state [m]
    double lift;            ///< highest that the scene's lowest point was above the floor [m]
    double moved;           ///< farthest that any body was from its start [m]
    double moved_end;       ///< and the farthest in the last state [m]
    double speed_end;       ///< fastest body in the last state [m/s]
    double spin_end;        ///< and the fastest turning one [rad/s]
    double yaw;             ///< of the first body about z, full turns counted [rad]
    double creep;           ///< mean speed of the first body after the mark; NaN before [m/s]
    pawl_vec3 travel;       ///< of the first body since the start [m]
    pawl_vec3 velocity_end; ///< of the first body [m/s]
    pawl_vec3 marked;       ///< travel at the mark
    double time_left;       ///< at the mark [s]; 0: none yet
    double heading;         ///< of the first body, within a turn [rad]
    int states;             ///< added so far
} bench_touch;

bench_touch bench_touch_begin(const bench_scene *scene);
void bench_touch_mark(bench_touch *touch, double time_left);
void bench_touch_add(bench_touch *touch, const bench_scene *scene, const pawl_pose *poses,
                     const pawl_twist *twists);
