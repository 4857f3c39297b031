// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The names of actuator kinds, in files and elsewhere.
#include "pawl/model.h"

static const char *const actuator_kind_names[] = {[PAWL_ACTUATOR_FORCE] = "force",
                                                  [PAWL_ACTUATOR_POSITION] = "position",
                                                  [PAWL_ACTUATOR_VELOCITY] = "velocity",
                                                  [PAWL_ACTUATOR_ADHESION] = "adhesion"};
_Static_assert(sizeof actuator_kind_names / sizeof actuator_kind_names[0] ==
                   PAWL_ACTUATOR_KIND_COUNT,
               "missing name");

const char *pawl_actuator_kind_name(pawl_actuator_kind kind)
{
    return (int)kind >= 0 && kind < PAWL_ACTUATOR_KIND_COUNT ? actuator_kind_names[kind]
                                                             : "unknown";
}
