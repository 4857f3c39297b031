// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Random overconstrained mechanisms of about a metre that can move all the same, by families in which
// geometry, not counting, gives the motion.
#pragma once
#include "support/linkage.h"

typedef enum linkage_family {
    LINKAGE_PLANAR,         // cranks and dyads (RRR, RRP, RPR) with parallel axes: four-bars and up
    LINKAGE_SPHERICAL,      // the same with axes through one point
    LINKAGE_BENNETT,        // 4 skew hinges
    LINKAGE_LINE_SYMMETRIC, // Bricard: 6 hinges, three of them turned by half a turn about a line
    LINKAGE_PLANE_SYMMETRIC, // Bricard: 6 hinges, mirrored
    LINKAGE_SARRUS,          // a platform on 2 or 3 chains of three parallel hinges
    LINKAGE_SCHOENFLIES,     // 3 parallel hinges and 2 sliders in one loop
    LINKAGE_SLIDERS,         // 4 sliders in one loop
    LINKAGE_PARALLEL_CRANKS, // a platform on 3 to 5 equal cranks, some of them rods with ball ends
    LINKAGE_DOUBLED,         // an arm whose hinges and sliders are there twice or three times
    LINKAGE_DELTA,           // three legs with a parallelogram each
    LINKAGE_FAMILY_COUNT
} linkage_family;

const char *linkage_family_name(linkage_family family);
// The same seed gives the same linkage. Rank and mobility are as counted, found by linkage_rank().
void linkage_random(linkage *l, uint64_t seed);
// One of a given family, alone and fixed to the ground.
void linkage_random_family(linkage *l, linkage_family family, uint64_t seed);
