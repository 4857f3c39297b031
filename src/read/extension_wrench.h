// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The pawl: elements of contact points: their models, the points, heightfields.
#pragma once
#include "read/extension.h"

pawl_status extension_wrench_model(const extension_context *x, const xmlNode *node);
pawl_status extension_contact_point(const extension_context *x, const xmlNode *node);
pawl_status extension_contact_points(const extension_context *x, const xmlNode *node);
pawl_status extension_heightfield(const extension_context *x, const xmlNode *node);
