// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// One contact point of a step. pawl_sim_contact() returns those of the last step.
///
/// **Threads.** Contact points are plain values; names are constant.
#pragma once
#include "pawl/id.h"
#include "pawl/kinds.h"

PAWL_EXTERN_C_BEGIN

/// Values are stored in files: append, never renumber.
typedef enum pawl_contact_mode {
    PAWL_CONTACT_OPEN = 0, ///< near, but no impulse
    PAWL_CONTACT_STICK,    ///< impulse inside the friction cone
    PAWL_CONTACT_SLIP,     ///< impulse on the cone; of frictionless contacts always
    PAWL_CONTACT_MODE_COUNT
} pawl_contact_mode;
PAWL_API const char *pawl_contact_mode_name(pawl_contact_mode mode); ///< e.g. "stick"
/// One contact point of the last step, where its rows were placed, in world axes.
typedef struct pawl_contact_info {
    pawl_body_id body_a, body_b;    ///< may be PAWL_WORLD
    pawl_shape_id shape_a, shape_b; ///< a before b; none for contact points (mdp, nmdp)
    pawl_vec3 position;
    pawl_vec3 normal; ///< unit, from a to b
    double gap;       ///< negative: penetration [m]
    pawl_vec3 force;  ///< that a exerts on b, mean over the step [N]
    pawl_vec3 moment; ///< of torsional and rolling friction, that a exerts on b, likewise [N m]
    pawl_contact_mode mode;
} pawl_contact_info;

/// The coefficient of a pair of shapes by a rule (contact.friction_rule, contact.restitution_rule).
PAWL_API double pawl_pair_combine(pawl_pair_rule rule, double a, double b);

PAWL_EXTERN_C_END
