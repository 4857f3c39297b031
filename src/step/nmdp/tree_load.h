// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Forces on the links of a tree that depend on the links' poses, as generalized forces with their
// derivative: tau = sum JT F, dtau/dtheta = sum (JT dF/dpose J + dJT/dtheta F). One pass from the
// leaves adds up both, as the composite rigid body algorithm does with inertias.
#pragma once
#include "tree/motion.h"

typedef struct tree_load {
    const reduced_motion *motion;
    spatial *force;        // (links) about their origins
    double (*slope)[6][6]; // (links) derivative by the link's motion about its origin
    bool *loaded;          // (links) those that have a load; the others hold what was there before
    bool *column_loaded;   // (columns)
    spatial *column_force; // (nv) of all links below
    double (*column_slope)[6][6]; // (nv)
} tree_load;

tree_load pawl_tree_load_layout(const reduced_motion *motion, const reduced_tree *tree,
                                pawl_carver *mem);
void pawl_tree_load_clear(tree_load *load);
// A force at a point of the link, and a moment. `slope` is their derivative by the point's
// displacement and the link's rotation (both world axes); NULL: they stay as they are.
void pawl_tree_load_add(tree_load *load, int link, pawl_vec3 point, pawl_vec3 force,
                        pawl_vec3 moment, double slope[6][6]);
// tau (nv) += sum JT F; matrix (nv x nv, row-major; may be NULL) += its derivative.
void pawl_tree_load_gather(tree_load *load, double *tau, double *matrix);
