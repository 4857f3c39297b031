// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Drops contacts inside a planar patch. A patch is a set of contacts between the same two bodies with one normal and
// one material, whose points lie in a plane and whose gaps are a linear function on it; only the corners of its
// convex hull are kept. The normal velocity of two rigid bodies is also linear on the patch, so the conditions at the
// corners imply those of the others, and normal forces at the corners can produce every resultant of forces at all
// points. The resultant friction force is the same; its moment about the normal depends on the distribution of the
// normal force and may differ.
#pragma once
#include "collide/contact.h"

typedef struct patch_reducer patch_reducer;
// For lists of at most `capacity` contacts.
pawl_status pawl_patch_reducer_create(const pawl_env *env, int capacity, patch_reducer **out);
void pawl_patch_reducer_destroy(patch_reducer *r); // NULL is fine
// Contacts sorted by id: those that stay, in the same order, come first. Returns their number. With
// `most` > 0 a patch keeps at most so many corners, those that leave the least area out: an approximation.
int pawl_patch_reduce(patch_reducer *r, pawl_contact *contacts, int count, int most);
