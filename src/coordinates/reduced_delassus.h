// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// D = J X H^-1 XT JT = Y YT in reduced coordinates, from the rows of a reduced_form: products through the
// columns of the tree, factors dense (of the free rows over the rows, of all rows with a shift over the
// columns) or none.
#pragma once
#include "coordinates/reduced_form.h"

// The operator follows the last placement and problem of `a`; `form` is that of its rows.
pawl_status pawl_reduced_delassus_create(const pawl_env *env, const pawl_assembly *a,
                                         reduced_form *form, pawl_delassus_kind kind,
                                         pawl_delassus **out);
// How many free rows repeat others: with drops_redundant that many are dropped.
void pawl_reduced_delassus_expect(pawl_delassus *delassus, int redundant);
void pawl_reduced_delassus_destroy(pawl_delassus *delassus); // NULL is fine
