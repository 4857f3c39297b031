// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The kinds of coordinates, by pawl_formulation. A program may be linked with a different table.
#include "coordinates/coordinates.h"

static const coordinates_ops *const coordinates_table[] = {
    [PAWL_FORMULATION_MAXIMAL] = &pawl_maximal_coordinates,
    [PAWL_FORMULATION_REDUCED] = &pawl_reduced_coordinates,
    [PAWL_FORMULATION_AUTO] = NULL, // a choice among the others (coordinates_choice.c)
};
_Static_assert(sizeof coordinates_table / sizeof coordinates_table[0] == PAWL_FORMULATION_COUNT,
               "a formulation has no row");

const coordinates_ops *pawl_coordinates_find(int kind)
{
    return kind >= 0 && kind < PAWL_FORMULATION_COUNT ? coordinates_table[kind] : NULL;
}
