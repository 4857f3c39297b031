// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Finds overlapping boxes with a tree of bounding boxes, which is refitted each time and rebuilt when it has become
// slow. The result is complete and sorted, so it does not depend on the tree.
#pragma once
#include "base/carver.h"
#include "math/vec.h"

typedef struct broad_box {
    pawl_vec3 low, high;
} broad_box;

// Nodes in preorder: the left child follows its parent, `skip` leads past the subtree.
typedef struct broad_node {
    broad_box box;
    int skip;
    int item; // -1: inner node
} broad_node;

typedef struct broad_phase {
    int count;         // of boxes
    broad_node *nodes; // (2 count - 1)
    int *order;        // scratch for building (count)
    bool built;
    int64_t visits_when_built, visits; // nodes looked at in a search
} broad_phase;

// Arrays for `count` boxes; runs twice, as all layouts do. The caller zeroes *bp before.
void pawl_broad_phase_layout(broad_phase *bp, int count, pawl_carver *mem);
// Writes pairs with i < j as (uint64_t)i << 32 | j, unsorted. Returns how many there are; only the
// first `capacity` are written. Boxes must be finite. `rests` (count), unless NULL: pairs of two that rest are left out.
int pawl_broad_phase_search(broad_phase *bp, const broad_box *boxes, const bool *rests,
                            uint64_t *pairs, int capacity);
