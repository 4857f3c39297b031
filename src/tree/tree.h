// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A spanning tree of a model's joint graph, and the generalized coordinates it gives.
//
// Links are the bodies in an order in which parents come before children. Each is connected to the world, to a
// kinematic body, or to another link, by a joint of the model or by a floating base. Joints that do not fit in the
// tree (loops, rods, gears, points on lines and planes, soft joints, joints of point masses) are listed: they remain
// constraint rows.
//
// A joint is a chain of *columns*, one for each of the nv velocities. A column turns about and slides along
// an axis of the joint's frame as left by the columns before it; three columns in a row may instead form a
// *ball*, a rotation in the chart R = R_ref exp(xi). All dynamics work with columns and do not depend on joint kinds.
// docs/reduced.md.
#pragma once
#include "model/model.h"

typedef enum reduced_base {
    REDUCED_BASE_QUATERNION = 0, // a ball: no gimbal lock
    REDUCED_BASE_EULER,          // angles about z, then the turned y, then the turned x
    REDUCED_BASE_NO_LOCK         // a ball, and gimbals are balls, too: nothing ever locks
} reduced_base;

typedef struct reduced_column {
    int parent;         // the column before it on the way to the root; -1: none
    int depth;          // how many columns come before it on that way
    int link;           // whose joint it belongs to
    int ball;           // which ball; -1: a column of its own
    int axis;           // 0 .. 2: of the joint's frame; of a ball the component of xi
    double turn, slide; // rotation about and translation along the axis per unit of the coordinate
    int coordinate;     // the same coordinate in the model's flat list; -1: it has none
} reduced_column;

typedef struct reduced_link {
    int body;
    int parent;    // a link, -1: the world
    int joint;     // of the model; -1: floating, or moved from outside
    bool driven;   // moved from outside: a kinematic body
    bool reversed; // the parent is the joint's follower
    int first_column, column_count;
    int last_column; // the last of its own or, without any, of its ancestors'; -1: none
    pawl_vec3 parent_anchor,
        child_anchor; // of the joint's frames, from the centres of mass, body axes
    pawl_quat parent_turn, child_turn;
    // Of a link with one column that is no ball: its axis in the parent's axes, and its turn against the parent at
    // theta, cos(turn theta / 2) still + sin(turn theta / 2) turned.
    bool hinged;
    pawl_vec3 axis;
    pawl_quat still, turned;
} reduced_link;

typedef struct reduced_tree {
    pawl_env env;
    size_t bytes;
    const pawl_model *model;
    reduced_base base;
    int link_count, column_count, ball_count, loop_joint_count;
    int factor_size;         // numbers in a factor of the inertia: a column's row has depth + 1
    reduced_link *links;     // (link_count = body_count)
    reduced_column *columns; // (column_count = nv)
    int *link_of_body;       // (body_count)
    int *ball_column;        // (ball_count) the first of its three columns
    int *factor_row;         // (column_count) where a column's row of the factor begins
    int *loop_joints;        // (loop_joint_count) joints of the model that stay rows, ascending
} reduced_tree;

// The model must outlive the tree. Refuses, with the reason in the log, a model without moving bodies.
pawl_status pawl_reduced_tree_create(const pawl_env *env, const pawl_model *model,
                                     reduced_base base, reduced_tree **out);
// The same, but joints that are `wanted` (joints) come first where a loop leaves a choice.
pawl_status pawl_reduced_tree_create_with(const pawl_env *env, const pawl_model *model,
                                          reduced_base base, const bool *wanted,
                                          reduced_tree **out);
void pawl_reduced_tree_destroy(reduced_tree *tree);
// Whether the rows of this joint of the model hold by the choice of coordinates.
bool pawl_reduced_tree_has_joint(const reduced_tree *tree, int joint);
