// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Limbs: the chain of joints from one body to a point of another, with the position of that point for given joint
/// coordinates (forward kinematics) and the coordinates for a given position (inverse kinematics).
///
/// **Threads.** A limb belongs to one thread at a time; its model is shared.
#pragma once
#include "pawl/model.h"

PAWL_EXTERN_C_BEGIN

typedef struct pawl_limb pawl_limb;
/// From body `root` outwards (joint base to joint follower) to `point` of body `tip`, in its link frame.
/// Refused if there is no such chain, or if one of its joints has coordinates that cannot be set one
/// by one (spherical and free joints) or has none (distances, points on lines and planes). `env` must
/// outlive the limb, the model need not.
PAWL_API pawl_status pawl_limb_create(const pawl_env *env, const pawl_model *model,
                                      pawl_body_id root, pawl_body_id tip, pawl_vec3 point,
                                      pawl_limb **out);
PAWL_API void pawl_limb_destroy(pawl_limb *limb); ///< NULL is fine

/// Which coordinate of which joint, with its limits.
typedef struct pawl_limb_coordinate {
    pawl_joint_id joint;
    int coordinate;
    double lower, upper; ///< [m or rad]
} pawl_limb_coordinate;
PAWL_API int pawl_limb_coordinate_count(const pawl_limb *limb);
PAWL_API pawl_limb_coordinate pawl_limb_coordinate_at(const pawl_limb *limb, int index);

/// The position of the point in the link frame of `root` for the coordinates q. `jacobian` may be NULL; otherwise
/// jacobian[3 * i + k] is the derivative of component k by q[i].
PAWL_API pawl_vec3 pawl_limb_tip(const pawl_limb *limb, const double *q, double *jacobian);
/// The same with the orientation of the tip's link frame in the link frame of `root`. jacobian[6 * i + k] is the
/// derivative of the position (k < 3) and the angular velocity (from 3 on, in the axes of `root`) by q[i].
PAWL_API pawl_pose pawl_limb_pose(const pawl_limb *limb, const double *q, double *jacobian);
/// Moves q from its present value to coordinates within their limits that put the point at `target` (in the
/// link frame of `root`); among these, to the coordinates nearest to `rest` that can be found. Returns
/// the remaining distance [m]: about 1e-12, or more if the target cannot be reached. Never allocates; a limb
/// serves one thread at a time.
PAWL_API double pawl_limb_reach(pawl_limb *limb, pawl_vec3 target, const double *rest, double *q);

/// Several limbs at once: with one root, and possibly with common joints (a waist, a neck, two arms). Their
/// coordinates form one list, each once, in the order of the limbs.
typedef struct pawl_posture pawl_posture;
/// The target of a limb, in the link frame of its root.
typedef struct pawl_limb_target {
    pawl_vec3 position;
    bool turned;           ///< the orientation is a target as well
    pawl_quat orientation; ///< of the tip's link frame
} pawl_limb_target;
/// 1 to 64 limbs; `env` and the limbs must outlive it.
PAWL_API pawl_status pawl_posture_create(const pawl_env *env, pawl_limb *const *limbs, int count,
                                         pawl_posture **out);
PAWL_API void pawl_posture_destroy(pawl_posture *posture); ///< NULL is fine
PAWL_API int pawl_posture_coordinate_count(const pawl_posture *posture);
PAWL_API pawl_limb_coordinate pawl_posture_coordinate_at(const pawl_posture *posture, int index);
/// As pawl_limb_reach() for all limbs together: targets[i] is that of limb i. Returns the largest remaining distance,
/// of positions [m] and of orientations [rad]. Never allocates.
PAWL_API double pawl_posture_reach(pawl_posture *posture, const pawl_limb_target *targets,
                                   const double *rest, double *q);
/// The tip of limb `limb` for the coordinates q of the posture.
PAWL_API pawl_pose pawl_posture_pose(const pawl_posture *posture, int limb, const double *q);

PAWL_EXTERN_C_END
