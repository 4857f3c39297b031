// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The families of the table; each is in the file of its name.
#pragma once
#include "rows/row_family.h"

extern const row_family pawl_joint_rows_family;  // joints and gears
extern const row_family pawl_motion_rows_family; // prescribed coordinates
extern const row_family
    pawl_coordinate_rows_family;                   // springs, dampers and armatures of coordinates
extern const row_family pawl_spring_rows_family;   // point-to-point springs
extern const row_family pawl_friction_rows_family; // dry friction of coordinates
extern const row_family pawl_actuator_rows_family; // position and velocity actuators
extern const row_family pawl_limit_rows_family;    // limits of coordinates
extern const row_family pawl_spin_rows_family;     // torsional and rolling friction of contacts
extern const row_family pawl_contact_rows_family;  // tangents and normals of contacts
