// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The one piece of code that judges every engine's motion: closure of the joints, energy and, where
// there are shapes, how they touch, from the poses and twists that the engine returns and from
// nothing else it says about itself.
#pragma once
#include "touch.h"

/// Worst figures over a run. Zero it, then call bench_measure_begin().
typedef struct bench_measure {
    const bench_scene *scene;
    double energy_start; ///< kinetic + potential, zero height at the world's origin [J]
    double energy_end;   ///< at the last state added [J]
    double energy_error; ///< largest |E - E(0)| seen [J]
    double energy_scale; ///< largest |E| seen [J]
    double closure;      ///< largest distance between the two anchors of a joint [m]
    double twisted;      ///< largest rotation that a hinge or fixed joint should not allow [rad]
    bool exploded;       ///< not finite, or gained more than the scene's whole swing energy
    bench_touch touch;
} bench_measure;

/// Starts from the scene's own poses and twists.
bench_measure bench_measure_begin(const bench_scene *scene);
/// The scene has settled: what creeps is measured from here, for so long [s].
void bench_measure_mark(bench_measure *measure, double time_left);
void bench_measure_add(bench_measure *measure, const pawl_pose *poses, const pawl_twist *twists);
