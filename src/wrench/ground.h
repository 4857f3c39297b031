// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The pieces of ground, each in its own frame.
#pragma once
#include "collide/shape.h"
#include "wrench/spline_field.h"
#include "wrench/tangents.h"

typedef struct ground_piece {
    pawl_vec3 position;        // of the piece's frame, in the world
    pawl_mat3 axes;            // of the piece's frame: columns in the world
    pawl_mat3 tangent_axes;    // from which tangents are turned
    placed_shape shape;        // its frame is the piece's; a hull or mesh of it is the piece's own
    const spline_field *field; // NULL: a shape
} ground_piece;

struct pawl_ground {
    pawl_env env;
    size_t bytes;
    int piece_count;
    ground_piece *pieces;
    spline_field *fields; // of all heightfields
};

// One shape of a body, in the body's link frame.
pawl_status pawl_ground_of_shape(const pawl_env *env, const pawl_model *model, int shape,
                                 pawl_ground **out);
// Like pawl_ground_tangents(), with the derivatives by the normal.
void pawl_ground_tangent_frame(const pawl_ground *ground, const pawl_distance *distance,
                               tangent_frame *out);
