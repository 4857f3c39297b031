// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The last step of reading a model file, whatever its format.
#pragma once
#include "pawl/model.h"
#include "read/xml_reader.h"

// Compiles what was read, with the targets of the reader's motion file if it has one. `root`, `what` and
// `name` are for messages.
pawl_status model_finish(const xml_reader *reader, const xmlNode *root, const char *what,
                         const char *name, pawl_builder *builder, pawl_model **out);
