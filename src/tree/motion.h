// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Configurations of a tree, and the kinematics of one of them: poses, columns of the Jacobian, twists,
// accelerations.
//
// theta (nv) are local coordinates. A column of its own has its angle or length there, turns counted; a
// ball has xi, the rotation from its reference, child seen from parent: R = R_ref exp(xi). theta' is the
// plain derivative of theta, so differences of thetas in one chart may approximate it. The angular velocity of a ball
// in its own (the child's) axes is LT(xi) xi', see pawl_reduced_ball_velocity(). At xi = 0 both are the same.
//
// For column k, S_k is the motion of all links below it per unit of theta_k', so that a pose T of such a
// link has the derivative dT/dtheta_k = S_k^ T. Spatial vectors are in world axes about the origin of
// their link, a fixed point of the world near it (one for all connected links).
#pragma once
#include "base/carver.h"
#include "model/state.h"
#include "tree/rotation_chart.h"
#include "tree/spatial.h"
#include "tree/tree.h"

typedef struct reduced_config {
    pawl_quat *reference; // (ball_count)
    double *theta;        // (nv)
} reduced_config;
// Memory for one, with all references and coordinates zero: the rest must be set. In a layout function.
reduced_config pawl_reduced_config_carve(const reduced_tree *tree, pawl_carver *mem);
void pawl_reduced_config_copy(const reduced_tree *tree, const reduced_config *from,
                              reduced_config *to);
// The configuration of these poses, with references at them, so that every xi is 0. Joints that do not
// quite meet are read as if they met. Angles are those nearest to `coordinates` (the state's), or where
// that is NULL and for Euler angles, nearest to the thetas in `config`.
void pawl_reduced_config_from(const reduced_tree *tree, const body_state *bodies,
                              const double *coordinates, reduced_config *config);
// Puts the references where the balls are, xi to 0; `rate` (nv, may be NULL) becomes theta' in the new
// chart.
void pawl_reduced_recentre(const reduced_tree *tree, reduced_config *config, double *rate);
// From theta' to the angular velocities of the balls in their own axes; other columns are copied.
void pawl_reduced_ball_velocity(const reduced_tree *tree, const double *theta, const double *rate,
                                double *velocity);
void pawl_reduced_ball_rate(const reduced_tree *tree, const double *theta, const double *velocity,
                            double *rate);

// A ball's frame before its turn, and its chart.
typedef struct reduced_ball {
    pawl_mat3 axes; // of the reference, in the world
    pawl_vec3 arm;  // of its centre from the origin
    rotation_chart chart;
    spatial derivative[3][3]; // [j][k]: of S_k by xi_j
} reduced_ball;

// Filled in this order: place, move, accelerate. Later parts keep the results of the last call.
typedef struct reduced_motion {
    const reduced_tree *tree;
    pawl_env env;
    size_t bytes;
    // by pawl_reduced_place
    pawl_vec3 *origin;        // (links) of their spatial vectors
    pawl_vec3 *position;      // (links) centres of mass
    pawl_quat *orientation;   // (links)
    pawl_mat3 *rotation;      // (links) the same
    spatial_inertia *inertia; // (links)
    pawl_mat3 *about_centre;  // (links) inertia about the centre of mass, world axes
    spatial *S;               // (nv)
    reduced_ball *balls;      // (balls)
    spatial *driven_velocity, *driven_acceleration; // (links) of driven links, about their origin
    // by pawl_reduced_move
    double *rate;      // (nv) theta'
    spatial *V;        // (links)
    spatial *column_V; // (nv) velocity behind the column, of a ball behind all three
    spatial *S_rate;   // (nv) S'
    spatial *p;        // (nv) dV/dtheta_k = S_k x V + p_k for all links below
    // by pawl_reduced_accelerate: true accelerations, without gravity
    spatial *A;      // (links)
    spatial *p_rate; // (nv) p'
    // scratch of the dynamics
    spatial *force;              // (links)
    spatial *momentum;           // (links)
    spatial_inertia *composite;  // (links)
    double (*articulated)[6][6]; // (links)
    double (*matrix)[6][6];      // (2 links)
    spatial *stage;              // (3 nv) of pawl_reduced_stage_derivative()
    pawl_mat3 *turning;          // (links)
} reduced_motion;

// The link to which a link hands its sums over links below; -1 where nobody asks: the world and driven links.
static inline int pawl_reduced_sum_parent(const reduced_tree *t, int link)
{
    int parent = t->links[link].parent;
    return parent >= 0 && !t->links[parent].driven ? parent : -1;
}

pawl_status pawl_reduced_motion_create(const pawl_env *env, const reduced_tree *tree,
                                       reduced_motion **out);
void pawl_reduced_motion_destroy(reduced_motion *motion);

// Poses, columns and inertias at a configuration. Driven links are where the model has them at `time`,
// with the twist of then and no acceleration; pawl_reduced_drive() changes what must be otherwise.
void pawl_reduced_place(reduced_motion *motion, const reduced_config *config, double time);
// The poses alone; columns and inertias are to be found by pawl_reduced_place_rest() where they are wanted, which
// recentres the configuration.
void pawl_reduced_place_poses(reduced_motion *motion, const reduced_config *config, double time);
void pawl_reduced_place_rest(reduced_motion *motion, reduced_config *config, double time);
// After placing: twist and acceleration of a driven link's centre of mass (world axes).
void pawl_reduced_drive(reduced_motion *motion, int link, pawl_twist twist,
                        pawl_twist acceleration);
void pawl_reduced_move(reduced_motion *motion, const double *rate);
void pawl_reduced_accelerate(reduced_motion *motion, const double *acceleration);

// Poses, and with `twists` twists too, of the last place (and move) for the bodies of a state.
void pawl_reduced_write_bodies(const reduced_motion *motion, bool twists, body_state *bodies);
// theta' that goes with the twists of these bodies, which must be placed. What the joints do not allow is
// left out.
void pawl_reduced_rate_from(const reduced_motion *motion, const body_state *bodies, double *rate);
// One of the motions of links (V or A), the parent's, about the origin of the child: the two origins differ
// where a tree begins on a driven body.
spatial pawl_reduced_from_parent(const reduced_motion *motion, int link, const spatial *of_links);

// Velocity of column k at a point of the world.
static inline pawl_twist pawl_reduced_column_at(const reduced_motion *m, int k, pawl_vec3 point)
{
    pawl_vec3 arm = v3_sub(point, m->origin[m->tree->columns[k].link]);
    return (pawl_twist){sp_at(m->S[k], arm), m->S[k].w};
}
// The Jacobian of the point of a link that is at `point` in the world: linear rows then angular ones, (6 x
// nv) row by row; columns off the way to the root are 0.
void pawl_reduced_jacobian(const reduced_motion *motion, int link, pawl_vec3 point, double *J);
// tau += JT (force, moment), with the force at a point of the link.
void pawl_reduced_add_wrench(const reduced_motion *motion, int link, pawl_vec3 point,
                             pawl_vec3 force, pawl_vec3 moment, double *tau);
