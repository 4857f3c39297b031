// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// URDF files: from the root element <robot> to a compiled model.
#pragma once
#include "pawl/model.h"
#include "read/xml_reader.h"

pawl_status urdf_read(xml_reader *reader, const xmlNode *root, pawl_model **out);
