// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The <surface> of an SDFormat <collision>: its material and the collisions that it can touch.
#pragma once
#include "pawl/model.h"
#include "read/xml_reader.h"

// <surface>, then the pawl: elements, which win. Fields that are not in the file keep their value.
pawl_status sdf_read_surface(xml_reader *reader, const xmlNode *collision, pawl_shape_def *def);
