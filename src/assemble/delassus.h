// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// D = J M^-1 JT in maximal coordinates: products through the bodies, factors dense, sparse (of the
// free rows over the constraint blocks, of all rows over the bodies) or none: docs/delassus.md.
#pragma once
#include "assemble/assembly.h"
#include "pawl/sim.h"

// The operator follows what `assembly` was last placed and posed to.
pawl_status pawl_delassus_create(const pawl_env *env, const pawl_assembly *assembly,
                                 pawl_delassus_kind kind, pawl_delassus **out);
void pawl_delassus_destroy(pawl_delassus *delassus);
