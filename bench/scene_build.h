// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The pieces that the benchmarks' scenes are put together from.
#pragma once
#include "scenes.h"

#define BENCH_GRAVITY 9.81 ///< [m/s^2]

/// An empty scene with room for so many; `name` is printf's. Gravity pulls along -z.
__attribute__((format(printf, 4, 5))) bench_scene *
bench_scene_create(int max_bodies, int max_joints, int max_shapes, const char *name, ...);
/// A uniform rod from p to q, which have the same y, with its x axis along it. `thickness` is the
/// side of its square section; 0 makes it slender: the moments across are m L^2 / 12 exactly, as
/// the IFToMM benchmark has them, and the moment along, which no planar motion excites, is that of
/// a 0.04 m section so that every engine accepts the inertia. Rods have no shape.
int bench_add_rod(bench_scene *scene, pawl_vec3 p, pawl_vec3 q, double mass, double thickness);
/// A uniform block along the world's axes, without a shape.
int bench_add_block(bench_scene *scene, pawl_vec3 centre, pawl_vec3 half, double mass);
/// The same with a shape.
int bench_add_box(bench_scene *scene, pawl_vec3 centre, pawl_vec3 half, double mass);
/// A uniform ball with its shape.
int bench_add_ball(bench_scene *scene, pawl_vec3 centre, double radius, double mass);
void bench_add_shape(bench_scene *scene, bench_shape shape);
/// `axis` is of no use to other joints than hinges.
bench_joint *bench_add_joint(bench_scene *scene, bench_joint_kind kind, int base, int follower,
                             pawl_vec3 point, pawl_vec3 axis);
/// Puts the scene on a solid floor and sets what energy errors are measured by; `settle` is when it should rest [s].
bench_scene *bench_scene_on_floor(bench_scene *scene, double friction, double settle);
