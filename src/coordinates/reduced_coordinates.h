// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reduced coordinates, for code that is written only for them.
#pragma once
#include "coordinates/coordinates.h"
#include "coordinates/reduced_form.h"

// Rows of the joints that a tree leaves; their metric is that of bodies until a form is made for them.
pawl_status pawl_reduced_rows_create(const pawl_env *env, const reduced_tree *tree,
                                     int max_contacts, pawl_assembly **out);
reduced_form *pawl_reduced_form_of(const coordinates *c); // of reduced coordinates
