// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// MuJoCo's model files.
#pragma once
#include "read/xml_reader.h"

pawl_status mjcf_read(xml_reader *reader, const xmlNode *root, pawl_model **out);
