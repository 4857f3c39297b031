// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The table of joint kinds: names, rows, and which coordinates are angles.
#include "pawl/model.h"

typedef struct joint_kind_row {
    const char *name;
    int rows, coordinates;
    unsigned angles; // bit c: coordinate c is an angle
} joint_kind_row;

// Rows and coordinates of a kind add up to six, but for rods, points on lines and planes, whose
// relative orientation is free and has no coordinates, gears and spans. docs/math.md section 1 lists the
// rows.
static const joint_kind_row joint_kind_table[] = {
    [PAWL_JOINT_FIXED] = {"fixed", 6, 0, 0},
    [PAWL_JOINT_REVOLUTE] = {"revolute", 5, 1, 1},
    [PAWL_JOINT_PRISMATIC] = {"prismatic", 5, 1, 0},
    [PAWL_JOINT_CYLINDRICAL] = {"cylindrical", 4, 2, 2},
    [PAWL_JOINT_UNIVERSAL] = {"universal", 4, 2, 3},
    [PAWL_JOINT_SPHERICAL] = {"spherical", 3, 3, 7},
    [PAWL_JOINT_PLANAR] = {"planar", 3, 3, 4},
    [PAWL_JOINT_CARTESIAN] = {"cartesian", 3, 3, 0},
    [PAWL_JOINT_GIMBAL] = {"gimbal", 3, 3, 7},
    [PAWL_JOINT_FREE] = {"free", 0, 6, 56},
    [PAWL_JOINT_SCREW] = {"screw", 5, 1, 1},
    [PAWL_JOINT_DISTANCE] = {"distance", 1, 0, 0},
    [PAWL_JOINT_POINT_ON_LINE] = {"point-on-line", 2, 1, 0},
    [PAWL_JOINT_POINT_ON_PLANE] = {"point-on-plane", 1, 2, 0},
    [PAWL_JOINT_GEAR] = {"gear", 1, 0, 0},
    [PAWL_JOINT_SPAN] = {"span", 0, 1, 0},
};
_Static_assert(sizeof joint_kind_table / sizeof joint_kind_table[0] == PAWL_JOINT_KIND_COUNT,
               "missing row");

static const joint_kind_row *joint_kind(pawl_joint_kind kind)
{
    static const joint_kind_row unknown = {"unknown", 0, 0, 0};
    return (int)kind >= 0 && kind < PAWL_JOINT_KIND_COUNT ? &joint_kind_table[kind] : &unknown;
}

const char *pawl_joint_kind_name(pawl_joint_kind kind)
{
    return joint_kind(kind)->name;
}

int pawl_joint_kind_rows(pawl_joint_kind kind)
{
    return joint_kind(kind)->rows;
}

int pawl_joint_kind_coordinates(pawl_joint_kind kind)
{
    return joint_kind(kind)->coordinates;
}

bool pawl_joint_kind_is_angle(pawl_joint_kind kind, int c)
{
    return c >= 0 && c < 6 && (joint_kind(kind)->angles >> c & 1u) != 0;
}
