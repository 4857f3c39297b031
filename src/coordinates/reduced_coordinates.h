// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reduced coordinates, for what is written for them alone.
#pragma once
#include "coordinates/coordinates.h"
#include "coordinates/reduced_form.h"

reduced_form *pawl_reduced_form_of(const coordinates *c); // of reduced coordinates
