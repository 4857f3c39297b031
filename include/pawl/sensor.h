// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Simulated sensors: inertial units, force-torque sensors, range finders. They are ideal; the caller can add
/// noise, bias or delay.
///
/// **Threads.** A scanner belongs to one thread while it is placed; any number of threads may cast rays with it
/// afterwards. The functions of sims read results of the last step and belong to the simulation's thread.
#pragma once
#include "pawl/sim.h"

PAWL_EXTERN_C_BEGIN

/// An inertial measurement unit, in the axes of its frame.
typedef struct pawl_imu {
    pawl_quat orientation;      ///< of the frame in the world
    pawl_vec3 angular_velocity; ///< at the end of the step [rad/s]
    /// Acceleration of the frame's origin less that of gravity, as accelerometers read it: upwards at rest, 0 in free
    /// fall. Mean over the last step, impacts included [m/s^2].
    pawl_vec3 specific_force;
    /// Whether there was a step. If not (at the start, or after the state was set from outside), specific_force is that
    /// of a body that keeps its velocity.
    bool stepped;
} pawl_imu;
/// An inertial unit on a body; `frame` is in its link frame.
PAWL_API pawl_status pawl_sim_imu(const pawl_sim *sim, pawl_body_id body, pawl_pose frame,
                                  pawl_imu *out);

/// The total load that a joint transmits from its base to its follower in the last step: reactions, actuators on the joint, its
/// springs, dampers, friction and limits, as a force at the follower's joint origin and a moment about it, in the
/// axes of the follower's joint frame. Mean over the step; zero before the first one. Gears are refused: they act on
/// the coordinates of other joints.
PAWL_API pawl_status pawl_sim_force_torque(const pawl_sim *sim, pawl_joint_id joint,
                                           pawl_vec3 *force, pawl_vec3 *torque);

/// Finds the first shapes that rays hit: range finders, lidars, lines of sight.
typedef struct pawl_scanner pawl_scanner;
/// Allocates all that it will use. It sees the shapes of `model` that collide; shapes for drawing alone are
/// transparent. `model` must outlive it.
PAWL_API pawl_status pawl_scanner_create(const pawl_env *env, const pawl_model *model,
                                         pawl_scanner **out);
PAWL_API void pawl_scanner_destroy(pawl_scanner *scanner); ///< NULL is fine
/// Uses the poses of this state from now on; before the first call, those of the model's start.
PAWL_API pawl_status pawl_scanner_place(pawl_scanner *scanner, const pawl_state *state);

/// The first hit of a ray.
typedef struct pawl_ray_hit {
    bool hit;          ///< false: nothing within reach; the fields below have no meaning
    double distance;   ///< along the ray [m]; 0 where it begins inside of a shape
    pawl_vec3 point;   ///< in the world
    pawl_vec3 normal;  ///< of the surface there, outward; against the ray where it begins inside
    pawl_body_id body; ///< or PAWL_WORLD
    pawl_shape_id shape;
} pawl_ray_hit;
/// A ray from `origin` along `direction` (of any length but 0), in the world, up to `reach` [m], which may be
/// INFINITY. Shapes of the body `ignored`, on which the sensor is mounted, are skipped (none: all zeros). Of equal
/// distances the first shape in the model is returned.
PAWL_API pawl_status pawl_scanner_cast(const pawl_scanner *scanner, pawl_vec3 origin,
                                       pawl_vec3 direction, double reach, pawl_body_id ignored,
                                       pawl_ray_hit *out);

PAWL_EXTERN_C_END
