// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Overconstrained mechanisms of the textbooks, in an orientation in which no number is round.
#pragma once
#include "support/linkage.h"

// Turns everything, gravity included: no pose of the file is round then.
void linkage_turn(linkage *l);
// And shifts the link frames: no joint's point is round either.
void linkage_tilt(linkage *l);

// The passive four-bar of models/lit, tilted. 20 rows, rank 17.
void zoo_four_bar(linkage *l);
// The same without gravity, its ground a body that floats and turns.
void zoo_floating_four_bar(linkage *l);

typedef enum zoo_flaw {
    ZOO_OFFSET, // a hinge beside the line of the others [m]
    ZOO_TILT,   // its axis at an angle to theirs [rad]
    ZOO_GAP     // its halves do not meet [m]
} zoo_flaw;
// A leaf of 1 kg on `hinges` hinges along y, the last of which has the flaw. It starts level.
void zoo_door(linkage *l, int hinges, zoo_flaw flaw, double size);
// Its angle by the one hinge that is right: closed form (elliptic integrals) is not needed, for one
// hinge alone is a plain pendulum.
void zoo_pendulum(linkage *l);

void zoo_bennett(linkage *l);
void zoo_bricard(linkage *l);           // models/classics/A04, tilted
void zoo_delta(linkage *l);             // three parallelograms: 12 redundant rows
void zoo_sarrus(linkage *l);            // falls through the position in which it lies flat
void zoo_ladder(linkage *l, int count); // models/classics/A02: upright, at 1 m/s
void zoo_stewart(linkage *l);           // not redundant
// A walking machine of 31 bodies on four legs with a parallelogram and a push rod each: 180 rows, rank
// 168, mobility 18. Feet stand on the floor.
void zoo_walker(linkage *l);

// By its name: four-bar, floating-four-bar, door, bennett, bricard, delta, sarrus, ladder (of 10),
// stewart, walker. False where there is none.
bool zoo_find(linkage *l, const char *name);

// Points and axes of a Bennett linkage: bars a and b = a sin(beta) / sin(alpha) in turn, twists alpha
// and beta, the first angle t.
void zoo_bennett_axes(double a, double alpha, double beta, double t, pawl_vec3 point[4],
                      pawl_vec3 axis[4]);
