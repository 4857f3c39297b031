// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Leaves out contacts that lie inside a planar patch: of those between the same two bodies that have one
// normal and one material, whose points lie in a plane and whose gaps are a linear function on it, only
// the corners of their convex hull stay. The normal velocity of two rigid bodies is linear on the patch,
// too, so that the others' conditions follow from these, and the normal forces of the corners make every
// resultant that those of all could. Friction's resultant force is the same; its moment about the normal
// depends on where the normal force is, and may be another one.
#pragma once
#include "collide/contact.h"

typedef struct patch_reducer patch_reducer;
// For lists of at most `capacity` contacts.
pawl_status pawl_patch_reducer_create(const pawl_env *env, int capacity, patch_reducer **out);
void pawl_patch_reducer_destroy(patch_reducer *r); // NULL is fine
// Contacts sorted by id: those that stay, in the same order, come first. Returns their number. With
// `most` > 0 a patch keeps at most so many corners, those that leave the least area out: an approximation.
int pawl_patch_reduce(patch_reducer *r, pawl_contact *contacts, int count, int most);
