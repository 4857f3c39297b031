// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The families of rows, in the order of their rows. Free rows come first: those of a joint's block in this order,
// then blocks of springs. Bounded rows follow, one block each, then contacts. A program may be linked with a
// different table.
#include "rows/families.h"

const row_family *const pawl_row_families[] = {
    &pawl_joint_rows_family,  &pawl_motion_rows_family,   &pawl_coordinate_rows_family,
    &pawl_spring_rows_family, &pawl_friction_rows_family, &pawl_actuator_rows_family,
    &pawl_limit_rows_family,  &pawl_spin_rows_family,     &pawl_contact_rows_family,
};
const int pawl_row_family_count = (int)(sizeof pawl_row_families / sizeof pawl_row_families[0]);
