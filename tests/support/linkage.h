// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Linkages that are described exactly, in world coordinates, and then written as model files with few
// digits, as exporters do: every pose, joint point, axis and start velocity is rounded, so that the
// parallel axes and equal lengths to which an overconstrained mechanism owes its motion are so no more.
// Needs no test framework: tests and bench_redundant share it.
#pragma once
#include "pawl/model.h"
#include <stdint.h>

enum { LINKAGE_MAX_BODIES = 40, LINKAGE_MAX_JOINTS = 64, LINKAGE_EXACT = 17 };

typedef struct linkage_body {
    pawl_pose pose;    // link frame in the world
    double mass;       // [kg]; 0: linkage_finish() chooses mass, centre, inertia and link frame
    pawl_vec3 com;     // in the link frame [m]
    double inertia[3]; // about the centre of mass, along the link's axes [kg m^2]
    pawl_twist twist;  // of the link frame's origin, in world axes
    double foot;       // > 0: a ball of this radius at `foot_point` touches the floor [m]
    pawl_vec3 foot_point;
    double foot_restitution;
} linkage_body;

typedef struct linkage_joint {
    pawl_joint_kind kind;
    int base, follower;    // body indices, PAWL_WORLD_INDEX for the base of a joint to the ground
    pawl_vec3 point;       // in the world at the start
    pawl_vec3 axis, axis2; // unit, in the world; axis2 of universal joints alone
    pawl_vec3 gap;         // how far the base's half of the joint is from the follower's [m]
} linkage_joint;

typedef struct linkage {
    char name[64];
    pawl_vec3 gravity;
    int body_count, joint_count;
    linkage_body bodies[LINKAGE_MAX_BODIES];
    linkage_joint joints[LINKAGE_MAX_JOINTS];
    bool both_sides;         // files state both halves of each joint, so that they need not meet
    bool floor;              // z = 0, with friction
    int redundant, mobility; // meant by who made it; linkage_rank() finds them by numbers
} linkage;

void linkage_begin(linkage *l, const char *name);
int linkage_add_body(linkage *l);
// A uniform slender rod from a to b, its frame at a with x towards b, y as near to `side` as can be.
int linkage_add_rod(linkage *l, pawl_vec3 a, pawl_vec3 b, pawl_vec3 side, double mass,
                    double width);
int linkage_add_joint(linkage *l, pawl_joint_kind kind, int base, int follower, pawl_vec3 point,
                      pawl_vec3 axis);
// Bodies without a mass get one, with a centre of mass and an inertia that fit the points of their
// joints, and a link frame anywhere near.
void linkage_finish(linkage *l, uint64_t *seed);
// Moves everything but gravity.
void linkage_place(linkage *l, pawl_pose pose);
// Adds the other one beside it, as it stands; gravity is that of l.
void linkage_join(linkage *l, const linkage *other);
// All bodies move at the start as one rigid body that turns about the world's origin.
void linkage_spin(linkage *l, pawl_vec3 linear, pawl_vec3 angular);
// Masses, centres, inertias and gravity off by up to `size`, relative or in metres: another exact
// mechanism with the same joints, to see how much a motion minds.
void linkage_disturb(linkage *l, double size, uint64_t *seed);

// An SDF file with so many digits behind the point (LINKAGE_EXACT: all of them). To be freed.
char *linkage_sdf(const linkage *l, int digits);

// Rank of the joints' rows by an SVD of a Jacobian of its own, in metres and radians: how many
// singular values are above `tolerance`. sigma[0] is the smallest of those, sigma[1] the largest of the
// others (0 for none).
int linkage_rank(const linkage *l, double tolerance, double sigma[2]);
int linkage_rows(const linkage *l);
