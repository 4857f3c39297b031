// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// The state: everything that determines the next step, and nothing else.
///
/// Copyable, hashable, saveable. Two states of one model with equal hashes step to equal bits.
///
/// **Threads.** A state belongs to one thread at a time; functions that take a const state may run at once while nothing
/// changes it. Its model is shared. States of one model are independent of each other.
#pragma once
#include "pawl/model.h"

PAWL_EXTERN_C_BEGIN

typedef struct pawl_state pawl_state;
/// The model's start. `model` must outlive the state.
PAWL_API pawl_status pawl_state_create(const pawl_env *env, const pawl_model *model,
                                       pawl_state **out);
PAWL_API void pawl_state_destroy(pawl_state *state);                          ///< NULL is fine
PAWL_API pawl_status pawl_state_copy(pawl_state *to, const pawl_state *from); ///< of one model
PAWL_API uint64_t pawl_state_hash(const pawl_state *state);

/// Bytes that pawl_state_save() writes: constant for one model.
PAWL_API size_t pawl_state_size(const pawl_state *state);
/// Writes pawl_state_size() bytes, little endian, with a header that load() checks.
PAWL_API pawl_status pawl_state_save(const pawl_state *state, void *bytes);
/// Refuses bytes of another model, of another version, or with non-finite numbers.
PAWL_API pawl_status pawl_state_load(const pawl_env *env, pawl_state *state, const void *bytes,
                                     size_t size);

/// The model that the state belongs to.
PAWL_API const pawl_model *pawl_state_model(const pawl_state *state);
PAWL_API double pawl_state_time(const pawl_state *state);  ///< [s]
PAWL_API int64_t pawl_state_step(const pawl_state *state); ///< steps done since the start
/// Pose of the link frame, and the twist of its origin in world axes.
PAWL_API pawl_pose pawl_state_pose(const pawl_state *state, pawl_body_id body);
PAWL_API pawl_twist pawl_state_twist(const pawl_state *state, pawl_body_id body);
/// Energy that is added or removed by setting poses and twists between two steps counts as work of applied forces in the
/// next step; pawl_sim_assemble() starts the balance again.
PAWL_API pawl_status pawl_state_set_pose(pawl_state *state, pawl_body_id body, pawl_pose pose);
PAWL_API pawl_status pawl_state_set_twist(pawl_state *state, pawl_body_id body, pawl_twist twist);
/// Coordinates and rates of a joint (pawl_joint_kind_coordinates() of each). Angles of revolute,
/// cylindrical, planar, screw and universal joints count full turns, and so do the outer angles of a
/// gimbal while its middle one stays within 90 degrees. `rate` may be NULL.
PAWL_API pawl_status pawl_state_joint(const pawl_state *state, pawl_joint_id joint,
                                      double *position, double *rate);

/// Sets the coordinates and rates of a joint (pawl_joint_kind_coordinates() of each; `rate` NULL: at rest) by
/// moving all bodies behind it in the spanning tree of the joints, which is that of reduced coordinates:
/// joints with many rows first, then by index. All other joints of the tree keep their coordinates and rates; loops
/// open, and pawl_sim_assemble() closes them. Joints that close a loop, and kinds whose coordinates do not give the
/// whole pose (distance, point on line, point on plane, gear), are refused.
PAWL_API pawl_status pawl_state_set_joint(pawl_state *state, pawl_joint_id joint,
                                          const double *position, const double *rate);

/// Energies, and the work done since the start [J].
typedef struct pawl_energy {
    double kinetic; ///< bodies and armatures
    double gravity; ///< potential, zero at the world's origin
    double springs; ///< joint springs and point-to-point springs
    double work_actuators;
    double work_dampers;  ///< joint, spring and body damping; mdp, nmdp: also the method's own
    double work_friction; ///< joint friction loss
    double work_motion;   ///< prescribed motions of joints and bodies
    double work_forces;   ///< applied forces and torques
    double work_limits;   ///< joint limits (impacts included)
    double work_contacts; ///< contacts: friction and impacts
    double balance;       ///< kinetic + gravity + springs - all work - their sum at the start
} pawl_energy;
/// Energies of a state, and the work done since its start.
PAWL_API pawl_energy pawl_state_energy(const pawl_state *state);

PAWL_EXTERN_C_END
