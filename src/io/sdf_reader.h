// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// SDFormat files: from the root element <sdf> to a compiled model.
#pragma once
#include "io/xml_reader.h"
#include "pawl/model.h"

pawl_status sdf_read(xml_reader *reader, const xmlNode *root, pawl_model **out);
