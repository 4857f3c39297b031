// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Points by which a shape touches the ground, for models that declare none.
#pragma once
#include "model/model.h"

typedef struct contact_point_list {
    int count, room; // of points, and of memory
    double radius;        // of all
    pawl_vec3 *positions; // in the link frame (room)
} contact_point_list;
// What pawl_builder_add_contact_points_of() says; none for planes. On failure the list is empty.
pawl_status pawl_contact_points_of_shape(const pawl_env *env, const pawl_shape_def *shape,
                                         contact_point_list *out);
void pawl_contact_points_free(const pawl_env *env, contact_point_list *list);
