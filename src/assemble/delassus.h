// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// D = J M^-1 JT in maximal coordinates: products through the bodies, factors of the free rows
// either dense or sparse over the constraint blocks (docs/math.md section 4).
#pragma once
#include "assemble/assembly.h"
#include "pawl/sim.h"

// The operator follows what `assembly` was last placed and posed to.
pawl_status pawl_delassus_create(const pawl_env *env, const pawl_assembly *assembly,
                                 pawl_delassus_kind kind, pawl_delassus **out);
void pawl_delassus_destroy(pawl_delassus *delassus);
