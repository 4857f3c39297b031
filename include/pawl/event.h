// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Events: what happens at an instant within a step. pawl_sim_event() returns those of the last step.
///
/// **Threads.** Events are plain values; names are constant.
#pragma once
#include "pawl/id.h"

PAWL_EXTERN_C_BEGIN

/// What happens at an instant within a step. Values are stored in files: append, never renumber.
typedef enum pawl_event_kind {
    PAWL_EVENT_COLLISION = 0, ///< shapes touch
    PAWL_EVENT_LIMIT,         ///< a joint coordinate reached its limit
    PAWL_EVENT_IMPACT,        ///< the impact problem of this instant was solved
    PAWL_EVENT_TAKEOFF,       ///< a contact opened
    PAWL_EVENT_STICK,         ///< a sliding contact came to rest
    PAWL_EVENT_SLIP,          ///< a sticking contact began to slide
    PAWL_EVENT_REVERSAL,      ///< a sliding contact went through rest and slides back
    PAWL_EVENT_LASTING,       ///< impacts followed each other ever faster: taken as lasting contact
    PAWL_EVENT_UNRESOLVED,    ///< more happened than a step is divided for: its rest is done in one
    PAWL_EVENT_TUNNELLED,     ///< shapes went through each other unnoticed within the step
    PAWL_EVENT_FALLBACK,      ///< from here on steps of rattle are done as moreau does, see figure
    PAWL_EVENT_IMPACT_CAPPED, ///< restitution lowered: the law would have added energy; see figure
    PAWL_EVENT_IMPACT_FALLBACK, ///< the law's own problem was not solved, see docs/impacts.md
    PAWL_EVENT_KIND_COUNT
} pawl_event_kind;
/// Room in arrays by kind of event: more than there are, so that a new one does not change the layout of structs.
enum { PAWL_MAX_EVENT_KINDS = 32 };
PAWL_API const char *pawl_event_kind_name(pawl_event_kind kind); ///< e.g. "collision"
/// What pawl_event.figure of this kind is, with its unit, e.g. "approach speed [m/s]".
PAWL_API const char *pawl_event_kind_figure(pawl_event_kind kind);
typedef struct pawl_event {
    double time; ///< [s]
    pawl_event_kind kind;
    pawl_shape_id shape_a,
        shape_b;         ///< the pair, a before b; none where it is about a joint or the whole
    pawl_joint_id joint; ///< none where it is not about one
    int coordinate;      ///< of the joint, from 0; -1 without a joint
    double figure;       ///< see pawl_event_kind_figure()
} pawl_event;

PAWL_EXTERN_C_END
