// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Repair of invalid inertia tensors.
#pragma once
#include "read/xml_reader.h"

// A rod or a point has principal moments of 0, of which maximal coordinates have no inverse: they become a millionth of
// the largest, with a warning. A tensor with negative ones is an error that names the nearest valid tensor, or is replaced
// by it with `repair_inertia`. A tensor of zeros stays, for the builder to refuse.
pawl_status inertia_mend(xml_reader *reader, const xmlNode *node, const char *name,
                         double inertia[6]);
