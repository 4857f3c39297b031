// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Functions of time in pawl: elements.
#pragma once
#include "read/extension.h"

// A child that wraps a function of time, such as <pawl:target>; left alone when there is none.
pawl_status extension_signal_wrapped(xml_reader *reader, const xmlNode *node, const char *name,
                                     pawl_signal *out, bool *found);
// The target of an actuator or motion: directly inside, or wrapped in <pawl:target>.
pawl_status extension_signal_target(xml_reader *reader, const xmlNode *node, pawl_signal *out,
                                    bool *found);
