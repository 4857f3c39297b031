// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Inertia tensors of bodies without thickness.
#pragma once
#include "read/xml_reader.h"

// A rod or a point has principal moments of 0, of which maximal coordinates have no inverse: they become a millionth of
// the largest, with a warning. Negative ones stay, for the builder to refuse; so does a tensor of zeros.
pawl_status inertia_mend(xml_reader *reader, const xmlNode *node, const char *name,
                         double inertia[6]);
