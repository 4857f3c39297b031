// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The internal data of a query.
#pragma once
#include "model/live_model.h"
#include "pawl/query.h"
#include "rows/assembly.h"
#include "tree/articulated.h"

struct pawl_query {
    pawl_env env;
    live_model live; // the model with the state's gravity
    reduced_tree *tree;
    reduced_motion *motion;
    pawl_assembly *rows; // of joints that close loops; NULL where there are none
    bool placed;
    double time;
    double *coordinates; // (coordinate_count) of the state
    body_state *bodies;  // (bodies) where the tree has them
    reduced_config config, moved;
    double *rate;               // (nv)
    double *armature;           // (nv) of coordinates; 0 where there is none
    double *factor;             // of M
    bool factored;              // it belongs to this place
    double *work, *tau, *still; // (nv), (nv), (nv) zeros
    double *jacobian;           // (6 x nv)
    double *loop;           // (rows x nv) Jacobian of loops, then an orthonormal basis of its rows
    double *ahead, *behind; // (rows) rates of loop rows on both sides of a difference
    double *twists;         // (6 x bodies)
    char *block;
    size_t bytes;
};

// Takes from tau (nv) what the loops bear by themselves; refuses accelerations that they do not allow.
pawl_status pawl_query_close_loops(pawl_query *q, const double *acceleration, double *tau);
