// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Hinges, most joints of most models, four at a time: residuals, gradients and M^-1 JT (joint_kinematics.h for one joint
// of any kind).
#pragma once
#include "rows/assembly.h"

// What four hinges have that does not change, lane by lane.
struct hinge_group {
    int count;       // lanes of joints; those behind repeat the last one
    int joint[4];    // of the model
    int body[2][4];  // base and follower; base -1: the world
    int twist[2][4]; // where numbers of these bodies begin; -1: of the world, or of no joint
    int row[4], jacobian[2][4]; // the first row and where the gradients go; -1: nowhere
    int more[4]; // rows behind their own, along their coordinate: of springs, servos, motions
    bool turns;  // some have such rows
    int gram[4]; // where J M^-1 JT of their own rows, and of the first of these, goes
    double follower_anchor[3][4], follower_x[3][4], follower_y[3][4];
    double base_anchor[3][4], base_axes[9][4];
};

// Gradients of four hinges as they are where they are placed, lane by lane: axes e, arms l of both sides from centre of mass
// to joint, turns c. With relative twists v, w of follower and base the rates of the rows are
//   e (v + w_f x l_f - w_b x l_b), c w.
typedef struct hinge_rows {
    double axis[9][4], arm[2][3][4], turn[6][4];
} hinge_rows;

// J M^-1 JT of a hinge's own rows and of one row along its coordinate, lower triangle: the first four rows have four
// numbers each, the other two eight, of which three and two are 0.
enum { HINGE_ROWS = 5, HINGE_TURN_GRAM = 24, HINGE_GRAM = 32 };

// The hinges of a whose rows are assembled, in groups; `groups` has room for a quarter of the joints, rounded up. Sets
// which joints are in one, returns how many groups there are.
int pawl_hinge_groups(const pawl_assembly *a, hinge_group *groups, bool *grouped);

// Where the assembly's rotations are set, for all groups: residuals alone, or with gradients by group (a->hinge_rows), with
// J as well and, for bodies that move for themselves, M^-1 JT and J M^-1 JT of the hinges' rows. With `reference`
// (coordinates) values and gradients of coordinates that are in use or count turns.
typedef enum hinge_extent { HINGE_BY_GROUP, HINGE_JACOBIANS, HINGE_SCALED } hinge_extent;
void pawl_hinges_measure(pawl_assembly *a, const body_state *bodies);
void pawl_hinges_place(pawl_assembly *a, const body_state *bodies, const double *reference,
                       hinge_extent extent);

// v = J u and force += JT lambda over the rows of all groups; u and force are (6 x bodies).
void pawl_hinges_velocity(const pawl_assembly *a, const double *u, double *v);
void pawl_hinges_add_forces(const pawl_assembly *a, const double *lambda, double *force);
