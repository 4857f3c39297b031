// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Events at an instant within a step: impacts, stick, slip and others. pawl_sim_event() returns those of the last step.
///
/// **Threads.** Events are plain values; names are constant.
#pragma once
#include "pawl/id.h"

PAWL_EXTERN_C_BEGIN

/// Kinds of events at an instant within a step. Values are stored in files: append, never renumber.
typedef enum pawl_event_kind {
    PAWL_EVENT_COLLISION = 0, ///< shapes touch
    PAWL_EVENT_LIMIT,         ///< a joint coordinate reached its limit
    PAWL_EVENT_IMPACT,        ///< the impact problem of this instant was solved
    PAWL_EVENT_TAKEOFF,       ///< a contact opened
    PAWL_EVENT_STICK,         ///< a sliding contact came to rest
    PAWL_EVENT_SLIP,          ///< a sticking contact began to slide
    PAWL_EVENT_REVERSAL,      ///< a sliding contact went through rest and slides back
    PAWL_EVENT_LASTING,    ///< the time between impacts tends to zero: treated as lasting contact
    PAWL_EVENT_UNRESOLVED, ///< too many events: the rest of the step is one sub-step
    PAWL_EVENT_TUNNELLED,  ///< shapes passed through each other within the step
    PAWL_EVENT_FALLBACK,   ///< from here on rattle uses the steps of moreau, see figure
    PAWL_EVENT_IMPACT_CAPPED, ///< restitution reduced: the law would have added energy; see figure
    PAWL_EVENT_IMPACT_FALLBACK, ///< the problem of the law was not solved, see docs/impacts.md
    PAWL_EVENT_KIND_COUNT
} pawl_event_kind;
/// Length of arrays by kind of event: larger than the number of kinds, so that a new kind does not change the layout of structs.
enum { PAWL_MAX_EVENT_KINDS = 32 };
PAWL_API const char *pawl_event_kind_name(pawl_event_kind kind); ///< e.g. "collision"
/// The meaning of pawl_event.figure for this kind, with its unit, e.g. "approach speed [m/s]".
PAWL_API const char *pawl_event_kind_figure(pawl_event_kind kind);
typedef struct pawl_event {
    double time; ///< [s]
    pawl_event_kind kind;
    pawl_shape_id shape_a,
        shape_b; ///< the pair, a before b; none if the event concerns a joint or the whole model
    pawl_joint_id joint; ///< none if the event does not concern a joint
    int coordinate;      ///< of the joint, from 0; -1 without a joint
    double figure;       ///< see pawl_event_kind_figure()
} pawl_event;

PAWL_EXTERN_C_END
