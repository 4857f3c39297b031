// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// D = J M^-1 JT in maximal coordinates: products through the bodies, factors dense, sparse (of the
// free rows over the constraint blocks, of all rows over the bodies) or none: docs/delassus.md.
#pragma once
#include "coordinates/islands.h"

// The operator follows the last placement and problem of `assembly`.
pawl_status pawl_delassus_create(const pawl_env *env, const pawl_assembly *assembly,
                                 pawl_delassus_kind kind, pawl_delassus **out);
void pawl_delassus_destroy(pawl_delassus *delassus);

// For islands: an operator over one of them at a time, the one that it was last bound to. It shares the
// factor of the free rows with `whole`, which must outlive it. Operators that are bound to different
// islands can be used by different threads.
pawl_status pawl_delassus_create_part(const pawl_env *env, const pawl_delassus *whole,
                                      pawl_delassus **out);
void pawl_delassus_bind(pawl_delassus *part, island *own);
// Before such operators are used on a problem with this factor key.
void pawl_delassus_prepare_parts(pawl_delassus *whole, int64_t key);
free_factor *pawl_delassus_free_factor(const pawl_delassus *whole); // NULL where there is none
