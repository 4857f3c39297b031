// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Contacts between the bodies of a model, with the materials of their pairs.
#pragma once
#include "collide/crossing.h"
#include "collide/manifold.h"
#include "model/state.h"
#include "pawl/contact.h"
#include "pawl/kinds.h"
#include "pawl/model.h"

typedef struct pawl_contact {
    int shape_a, shape_b; // of the model, a before b
    int body_a, body_b;   // PAWL_WORLD_INDEX for the world; the normal points from a to b
    pawl_vec3 position, normal;
    double gap; // negative: penetration [m]
    double friction, restitution;
    double impact_friction;    // coefficient of friction in impacts
    double torsional, rolling; // friction against spin about the normal and the tangents [m]
    double erp; // share of a penetration pushed out a step; 0: as the settings say, < 0: none
    pawl_softness soft; // not soft: time constant 0 or less
    double id;          // of pair and feature; stable from step to step, an integer below 2^52
    bool persistent; // it lasts: assembled without gap and restitution; the finder finds none such
} pawl_contact;

// The same for all contacts of one pair of shapes, and ascending with their ids.
double pawl_contact_pair(double id);
// The two shapes of a contact by its id.
void pawl_contact_shapes(double id, int *shape_a, int *shape_b);

// How the coefficients of a pair's two shapes combine (docs/collision.md).
typedef struct contact_rules {
    pawl_pair_rule friction, restitution;
    double impact_friction; // of shapes that state none: this times their friction
    pawl_softness soft;     // of shapes that say nothing of theirs
    pawl_reduce_kind reduce;
    int reduce_max;           // corners that a patch keeps; 0: all
    struct thread_pool *team; // as in collider_def
} contact_rules;

typedef struct contact_finder contact_finder;
// *out is NULL for a model in which nothing can touch.
pawl_status pawl_contact_finder_create(const pawl_env *env, const pawl_model *model,
                                       contact_rules rules, contact_finder **out);
void pawl_contact_finder_destroy(contact_finder *f);
// From now on contacts between bodies that are still are left out, those of still bodies with the world included;
// `still` (bodies) is looked at by each search and outlives the finder. NULL: no body is still. Still bodies stay where
// they are until they are not; call this again after moving such a body.
void pawl_contact_finder_rest(contact_finder *f, const bool *still);
// Finds the contacts of bodies that are nearer than `margin` or can be within a time h, by their motion
// relative to each other; of soft shapes
// those that penetrate. Returns their number, sorted by id, without those that the rules leave out; more
// than the capacity are counted, but not stored. -1: memory is out.
int pawl_contact_finder_find(contact_finder *f, const body_state *bodies, double margin, double h);
// Half the thickness of a shape, for depths to be compared with: the radius of a ball that it holds, or
// 0.02 of its own if that is more. Infinite where it has no end [m].
double pawl_contact_finder_half_thickness(const contact_finder *f, int shape);
double pawl_contact_finder_thinnest(const contact_finder *f); // of all shapes
const pawl_contact *pawl_contact_finder_contacts(const contact_finder *f);
int pawl_contact_finder_found(const contact_finder *f); // how many of these the last find() stored
int pawl_contact_finder_capacity(const contact_finder *f);
// Between steps: room for at least `capacity` contacts.
pawl_status pawl_contact_finder_grow(contact_finder *f, int capacity);
// The shapes that passed through each other in the step of the last find() (crossing.h).
shape_crossing pawl_contact_finder_crossings(const contact_finder *f, const body_state *before,
                                             const body_state *after, state_overlaps began,
                                             double margin, double deepest);

// The pairs tested by the last find(), and one of them at other poses: for locating a collision within a step.
typedef struct finder_pair {
    int item_a, item_b; // shapes as the finder counts them
} finder_pair;
int pawl_contact_finder_pair_count(const contact_finder *f);
finder_pair pawl_contact_finder_pair(const contact_finder *f, int k);
// Contact points of a pair with its bodies there, as find() would give them: at most FINDER_POINTS.
// `bodies` are all bodies of the model; only those of the pair are looked at.
enum { FINDER_POINTS = 64 };
int pawl_contact_finder_points(const contact_finder *f, finder_pair pair, const body_state *bodies,
                               double margin, pawl_contact out[FINDER_POINTS]);
int pawl_contact_finder_shape(const contact_finder *f, int item); // of the model
int pawl_contact_finder_body(const contact_finder *f, int item);  // PAWL_WORLD_INDEX for the world
// Radius of a ball that fits into the thinner shape of a pair.
double pawl_contact_finder_thickness(const contact_finder *f, finder_pair pair);
// pawl_collider_approach() of a pair.
double pawl_contact_finder_approach(const contact_finder *f, finder_pair pair,
                                    const body_state *bodies);
