// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Additions of the caller to a model file: a base that is fixed or stands on a slope, and the ground under it.
#pragma once
#include "read/xml_reader.h"

// Each compiles the builder again where it changed something; *model is compiled from it and is replaced then.
pawl_status model_place_base(const xml_reader *reader, pawl_builder *builder, pawl_model **model);
pawl_status model_put_ground(const xml_reader *reader, pawl_builder *builder, pawl_model **model);
pawl_status model_clamp_starts(const xml_reader *reader, pawl_builder *builder, pawl_model **model);
