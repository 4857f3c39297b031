// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Collision detection for a model: places its shapes, finds the pairs that may touch, and computes their contacts.
// Call pawl_collider_run() once per step; the results are valid until the next call.
#pragma once
#include "base/thread_pool.h"
#include "collide/broad_phase.h"
#include "collide/height_grid.h"
#include "collide/manifold.h"
#include "model/state.h"

// Start from pawl_collider_def_default().
typedef struct collider_def {
    bool adjacent;         // bodies that share a joint collide, too; false
    bool world_joints;     // a joint to the world counts for `adjacent`; false: a machine that is
                           // fixed to the world still stands on its ground
    const uint32_t *group; // bits of each shape (shape_count); NULL: 1 for all
    const uint32_t *mask;  // groups each shape collides with (shape_count); NULL: all
    const pawl_body_pair *excluded; // bodies that never collide
    int excluded_count;
    thread_pool *
        team; // looks at pairs where there are many, and must outlive the collider; NULL: the caller alone
} collider_def;
collider_def pawl_collider_def_default(void);

typedef struct shape_contact {
    int shape_a, shape_b; // in the model, shape_a < shape_b; the normal points from a to b
    contact_manifold manifold;
} shape_contact;

// What a thread finds of a pair of convex shapes, which have one manifold at most.
typedef struct pair_found {
    int count; // -1: not looked at, the shapes are not convex
    contact_manifold manifold;
} pair_found;

// How the frame of a shape moves.
typedef struct item_motion {
    pawl_vec3 v, w; // of its origin; spin
} item_motion;

typedef struct collider {
    pawl_env env;
    const pawl_model *model;
    size_t bytes;
    int item_count;         // shapes that collide
    int *shape;             // of each item, in the model; ascending (item_count)
    uint32_t *group, *mask; // (item_count)
    placed_shape *placed;   // where the items are (item_count)
    item_motion *motion;    // of the items (item_count)
    double *speed;          // of the fastest point of each item (item_count)
    double *inner;          // radius of a ball about its centre that each item holds
    double *outer;          // of one about its position that holds it
    double *moved;          // for crossing.c (item_count)
    pawl_vec3 *centre;      // likewise
    int *boxed, *endless;   // items in the tree, and planes and heightfields (item_count)
    int boxed_count, endless_count;
    broad_box *boxes; // around the shapes (boxed_count)
    broad_box *swept; // the same, enlarged by half the margin and by the motion (boxed_count)
    double dt;        // of the last run
    // Bodies that do not move (pawl_contact_finder_rest()), NULL for none; which items are at rest in this run, those
    // of the world included, and of which of them the place is known from an earlier run (item_count); whether any of a
    // body is.
    const bool *still;
    bool *resting, *settled;
    bool *leaf_rests; // `resting` in the order of the boxes (boxed_count)
    bool any_resting;
    double box_margin; // of the boxes
    broad_phase tree;
    uint64_t *filtered; // pairs of bodies that do not collide, sorted (filtered_count)
    int filtered_count;
    uint64_t *pairs, *pair_scratch; // pairs of items, sorted (pair_capacity)
    int pair_count, pair_capacity;
    shape_contact *contacts; // in the order of their pairs, each with points (contact_capacity)
    int contact_count, contact_capacity;
    int point_count; // of all contacts
    int grown;       // how often room was made since creation
    // Several threads.
    thread_pool *team;
    pair_found *found; // (found_capacity) of the pairs of a run
    int found_capacity;
    double margin; // of the run at work
} collider;

// `model` and `env` must outlive it.
pawl_status pawl_collider_create(const pawl_env *env, const pawl_model *model,
                                 const collider_def *def, collider **out);
void pawl_collider_destroy(collider *c); // NULL is fine
// Points with a gap up to `margin` plus what the relative motion of the two shapes within dt can close. With
// dt = 0 speeds do not count. Allocates only when there are more pairs than ever before; fails
// only when memory is out.
pawl_status pawl_collider_run(collider *c, const body_state *bodies, double margin, double dt);
// See pawl_contact_finder_rest().
void pawl_collider_rest(collider *c, const bool *still);
// Places the shapes and the boxes around them, as a run does, and finds nothing.
void pawl_collider_place(collider *c, const body_state *bodies);
// How fast two shapes can approach each other with their bodies moving like that: a bound on the speed of any
// point of one of them as the other sees it. Motion that both share does not count.
double pawl_collider_approach(const collider *c, const body_state *bodies, int i, int j);
// Where an item's shape is when its body is there.
pawl_pose pawl_collider_frame(const collider *c, const body_state *bodies, int item);
// Whether groups, joints and exclusions let two items collide.
bool pawl_collider_may_touch(const collider *c, int i, int j);
