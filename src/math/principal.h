// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Principal axes of a symmetric 3 x 3 matrix.
#pragma once
#include "math/vec.h"

typedef struct principal_axes {
    pawl_mat3 axes; // columns: a right-handed set of unit vectors
    double moment[3];
} principal_axes;

// By Jacobi's rotations; a diagonal matrix keeps its axes. The first two moments are those whose
// inverses lie closest together, so that a body of revolution has its axis last.
principal_axes pawl_principal_axes(const pawl_mat3 *s);
