// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Contact points of shapes with the ground, for models that declare none.
#pragma once
#include "model/model.h"

// As pawl_contact_point_def has them.
typedef struct contact_point_form {
    pawl_vec3 position; // in the link frame
    pawl_vec3 core;     // along the shape's axes
    double lean;
} contact_point_form;

typedef struct contact_point_list {
    int count;
    double radius;              // of all
    contact_point_form *points; // (count)
} contact_point_list;
// What pawl_builder_add_contact_points_of() says; none for planes. On failure the list is empty.
pawl_status pawl_contact_points_of_shape(const pawl_env *env, const pawl_shape_def *shape,
                                         contact_point_list *out);
void pawl_contact_points_free(const pawl_env *env, contact_point_list *list);
