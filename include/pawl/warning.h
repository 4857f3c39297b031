// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Warnings about a model that can be simulated but probably contains a mistake.
///
/// All are in one list. Readers add the warnings that depend on the file (pawl_builder_add_warning),
/// pawl_check_model() adds those of the model and its start, and the command prints the list.
///
/// **Threads.** Warnings are plain values; their texts are constant and valid as long as the object that lists them.
#pragma once
#include "pawl/base.h"

PAWL_EXTERN_C_BEGIN

/// Kinds of warnings. Values are stored in files: append, never renumber.
typedef enum pawl_warning_kind {
    PAWL_WARNING_TWO_MASSES = 0, ///< a density beside a mass: the mass is used
    PAWL_WARNING_LENGTH_UNIT,    ///< far too large or small: millimetres for metres?
    PAWL_WARNING_MASS_UNIT,      ///< far too heavy or light: grams for kilograms?
    PAWL_WARNING_DEGREES,        ///< an angle that looks like degrees where radians are expected
    PAWL_WARNING_LOCKED_JOINT,   ///< limits that allow no motion, possibly by mistake
    PAWL_WARNING_INERTIA,        ///< no body of that mass and those shapes has this inertia
    PAWL_WARNING_FALLS, ///< no constraint or contact can support this body: it falls for ever
    PAWL_WARNING_NEARLY_COAXIAL,   ///< hinges between two bodies, not quite on one axis
    PAWL_WARNING_OVERLAP,          ///< shapes overlap at the start
    PAWL_WARNING_BEYOND_LIMIT,     ///< a joint starts beyond its limit
    PAWL_WARNING_NEARLY_REDUNDANT, ///< a loop that may or may not be meant as redundant
    PAWL_WARNING_MOTION, ///< a prescribed motion beyond its joint's limits, or contradicting others
    PAWL_WARNING_KIND_COUNT
} pawl_warning_kind;
PAWL_API const char *pawl_warning_kind_name(pawl_warning_kind kind); ///< e.g. "locked joint"

typedef struct pawl_warning {
    pawl_warning_kind kind;
    const char *where;  ///< e.g. "joint 'knee'" or "arm.urdf:12: link 'hand'"
    const char *text;   ///< what was found, with values and units
    const char *advice; ///< what to do about it
} pawl_warning;

PAWL_EXTERN_C_END
