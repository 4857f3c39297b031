// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// From a configuration to the rows of the constraint problem, in maximal coordinates.
//
// The plan (all rows that a model can have, and their bodies) is made once. Each step then computes Jacobians J, M^-1
// JT, configuration residuals and joint coordinates (pawl_assembly_place) and, from them, biases, compliances and
// bounds (pawl_assembly_build_problem). All springs, dampers, armatures and PD actuators are rows with compliance,
// which makes them implicit: for an impulse lambda = -S q'+ + B the row reads q'+ + lambda / S - B / S = 0
// (docs/math.md section 3).
#pragma once
#include "rows/row_family.h"
#include "rows/row_metric.h"

typedef struct hinge_group hinge_group; // hinge_lanes.h
typedef struct hinge_rows hinge_rows;

struct pawl_assembly {
    pawl_env env;
    size_t bytes;
    const pawl_model *model;
    bool has_loops;     // some free rows may depend on others
    bool has_damping;   // of bodies: the inertias depend on the step
    bool has_soft_rows; // springs and PD among the free rows
    bool has_armatures; // among the soft rows
    bool
        has_rows_by_value; // residuals that need values of coordinates: screws, gears, motions, armatures
    bool
        has_joints_alone; // the free rows are those of joints, all of them and in their order, and all are hard
    bool has_working_rows; // rows that can do work: all but joints between moving bodies
    bool has_drives;       // prescribed motions, kinematic bodies
    // the plan
    int free_rows, free_blocks, max_rows, max_blocks;
    row_block *blocks; // (max_blocks) the free ones first
    row_info *rows;    // (max_rows)
    problem_block *problem_blocks;
    int candidate_count; // bounded rows that may be assembled
    row_info *candidates;
    bool *hard;       // (free_rows) satisfied exactly
    double *hardness; // (free_rows) 1 of these, 0 of others
    int *soft;        // (free_rows) the others
    int soft_count;
    int *closes;       // (free_rows) the joint that the row closes; -1: none
    bool *closes_turn; // (free_rows) by a rotation
    // (free_rows) 1 of rows that close a joint by moving, or by turning, and 0 of others; the joint's size where they move
    double *closing_move, *closing_turn, *closing_size;
    bool *included;    // (candidate_count) assembled in this step
    bool *persistent;  // (candidate_count) limits that last; all false but for steppers that say so
    int max_contacts;  // capacity
    int contact_count; // of those set
    const pawl_contact *contacts;
    double *friction; // (max_contacts)
    int *spin_row;    // (max_contacts + 1) first row of each contact's torsional and rolling
                      // friction; unused in models without them
    int *joint_rows; // (joint_count) of the joint's own rows those that are assembled: all, or none
    int hinge_group_count;
    hinge_group *hinges; // hinges with rows are placed in groups, other joints one by one
    bool *joint_grouped; // (joint_count)
    int loose_count;
    int *loose;                // free blocks that are of no hinge in a group
    int *joint_block;          // (joint_count) the free block of each joint, -1 for none
    pawl_softness *joint_soft; // (joint_count) as they are, the settings' word included
    pawl_softness limit_soft;  // of limits that say nothing of their own
    bool *coordinate_used;     // (coordinate_count)
    bool *body_has_rows;       // (body_count)
    bool *body_is_joined;      // (body_count) has a joint
    // placed
    const body_state *bodies; // the configuration it was placed at
    double body_theta; // of bodies' damping, see pawl_assembly_linear_theta(); set before placing
    bool bends_theta;  // stiff dampers act on more of the rate after the step; likewise
    double inertia_scale;        // scales inverse inertias; 1 but in a projection that needs it
    int64_t placements;          // how often it was placed
    int64_t builds;              // how often a problem was built
    pawl_mat3 *rotation;         // (body_count)
    double *inverse_mass;        // (body_count)
    pawl_mat3 *inverse_inertia;  // (body_count) world axes
    coordinate_row *coordinates; // (coordinate_count)
    double *J, *MJ;              // Jacobian blocks, and M^-1 JT in the same layout
    hinge_rows *hinge_rows;      // (hinge_group_count) the gradients of hinges by group
    double *grams;      // (free blocks) J M^-1 JT of the rows of hinges in groups (hinge_lanes.h)
    bool has_grams;     // they are those of J and MJ
    row_metric *metric; // what impulses along rows do; that of bodies alone unless it was changed
    double *residual;   // (max_rows) of joint and motion rows: the configuration error
    // assembled
    double *v_f, *lower, *upper, *compliance; // (max_rows)
    double *bias;                             // (max_rows) v*: v_f = J u_free + bias
    // (max_rows) of limits and normals of contacts that are hard: the rate that their gap asks for until the
    // end of the step, negative while it is open; -INFINITY where it asks for none
    double *want;
    double *bend;  // (max_rows) of springs between points: the fraction of them that is bent
    int bent;      // how many of them are so
    int slot_rows; // rows before those of contacts
    pawl_problem problem;
};

// `max_contacts` is a capacity; 0 for a model in which nothing touches.
pawl_status pawl_assembly_create(const pawl_env *env, const pawl_model *model, int max_contacts,
                                 pawl_assembly **out);
// For coordinates that satisfy some joints by themselves: `tree_joint` (joints) have no rows of their own, and every
// body may be moved by rows of others. The metric is still to be set.
pawl_status pawl_assembly_create_tree(const pawl_env *env, const pawl_model *model,
                                      int max_contacts, const bool *tree_joint,
                                      pawl_assembly **out);
void pawl_assembly_destroy(pawl_assembly *a);
// What joints and limits are that say nothing of their own; hard before this is called.
void pawl_assembly_set_softness(pawl_assembly *a, const pawl_softness *joints,
                                const pawl_softness *limits);
// Whether free row r is a constraint that is satisfied exactly, and projected.
static inline bool pawl_assembly_is_hard(const pawl_assembly *a, int r)
{
    return a->hard[r];
}
// The armature on a row's coordinate; 0 for rows without one.
double pawl_assembly_armature(const pawl_assembly *a, int r);

// Rotations, Jacobians of the free rows, residuals at time t, and joint coordinates (those that are
// used or count turns; angles unwrapped against `reference`). Body inertias get damping_time times
// the bodies' damping added.
void pawl_assembly_place(pawl_assembly *a, const body_state *bodies, const double *reference,
                         double t, double damping_time);
// Rows of joints alone, J and residuals without coordinates and, unless they are `scaled`, without M^-1 JT and J of
// hinges, for the two functions below. Only for models in which all free rows are those of joints, of bodies that move for
// themselves, and none needs the value of a coordinate.
void pawl_assembly_place_joints(pawl_assembly *a, const body_state *bodies, double damping_time,
                                bool scaled);
// M^-1 JT of a free block again, after its Jacobian was changed.
void pawl_assembly_scale_block(pawl_assembly *a, int block);
// Residuals of joint and motion rows alone; Jacobians stay where they were placed.
void pawl_assembly_place_residuals(pawl_assembly *a, const body_state *bodies,
                                   const double *reference, double t);
// The same for what closes joints step by step: joint coordinates are left as they were, unless residuals need them.
void pawl_assembly_measure_closure(pawl_assembly *a, const body_state *bodies,
                                   const double *reference, double t);
// Biases, compliances, bounds and v_f = J u_free + bias, from the velocities at the start of the step
// and those that it would end with if no row acted. Of the limits those are assembled that can be
// reached; `again` keeps what was assembled before and adds what pawl_assembly_add_missed() found.
void pawl_assembly_build_problem(pawl_assembly *a, const body_state *start, const double *u_free,
                                 const step_weights *w, bool again);
// The contacts that the next problem will have, at most max_contacts; the list must stay where it is.
void pawl_assembly_set_contacts(pawl_assembly *a, const pawl_contact *contacts, int count);
// v_f again, for other free velocities.
void pawl_assembly_set_free_velocity(pawl_assembly *a, const double *u_free);
// Limits that were not assembled and that twists u (6 x bodies) would cross: marks them, returns their
// number.
int pawl_assembly_add_missed(pawl_assembly *a, const double *u, const step_weights *w);

// Whether some limit could be reached within a time h at twice the rate of twists u or a little more;
// h > 0.
bool pawl_assembly_limit_is_near(const pawl_assembly *a, const double *u, double h);

// u += M^-1 JT lambda and v = J u, over all rows of the problem; u is (6 x bodies).
void pawl_assembly_add_impulses(const pawl_assembly *a, const double *lambda, double *u);
void pawl_assembly_row_velocity(const pawl_assembly *a, const double *u, double *v);
// The same in such models, hinges four at a time and M^-1 once for each body: force (6 x bodies) becomes JT lambda.
void pawl_assembly_push(const pawl_assembly *a, const double *lambda, double *force, double *u);
void pawl_assembly_joint_velocity(const pawl_assembly *a, const double *u, double *v);
// Rate of a coordinate row for twists u (6 x bodies).
double pawl_assembly_coordinate_rate(const pawl_assembly *a, int joint, const coordinate_row *row,
                                     const double *u);
// The weight of the rate after a step of length h in the rate that the damping of body i acts on: body_theta, or,
// with bends_theta, more if the explicit rest of the damping would reverse the rate by itself. Strong damping
// therefore brings a body to rest at any step length, and contacts do not have to balance the explicit part. Not for
// steps that move by the mean of both rates, where 1/2 brings a body to rest.
double pawl_assembly_linear_theta(const pawl_assembly *a, int i, double h);
double pawl_assembly_angular_theta(const pawl_assembly *a, int i, double h);
// Leaves the configuration constraints alone: rows that are not a joint's or a motion's become so
// soft that they do nothing, bounded rows go. Against a compliance of that much a row does nothing that a double would
// notice.
static const double pawl_compliance_of_nothing = 1e30;
void pawl_assembly_build_closure(pawl_assembly *a);
// The same, and behind them rows of bounded constraints that hold as if they were joints: candidates,
// then contacts of those set, by their normals and, with `tangents`, those that stick by all three rows.
// Their v_f is 0.
typedef struct closed_row {
    int candidate; // -1: a contact
    int contact;
    bool sticks;
} closed_row;
void pawl_assembly_build_closed_rows(pawl_assembly *a, const closed_row *closed_rows, int count,
                                     bool tangents);
// Rows of an impact at velocities u (6 x bodies) before it: joints, prescribed motions, armatures, the
// `closed` limits (candidates) and all contacts of those set, which may open but not close. Forces that
// are finite do nothing in no time. v_f = J u + bias.
void pawl_assembly_build_impact(pawl_assembly *a, const double *u, const bool *closed);
// How far a limit is from being reached, where the assembly is placed; negative beyond it.
double pawl_assembly_limit_gap(const pawl_assembly *a, int candidate);
// Whether a row is one of a spring between two points.
bool pawl_row_is_point_spring(const row_info *info);
// The prescribed motion that the row imposes, or -1.
int pawl_row_motion(const row_info *info);
// The joint that a row of a joint or of a coordinate belongs to.
int pawl_row_joint(const pawl_model *m, const row_info *info);
// The same for a value of its coordinate.
double pawl_limit_gap_at(const pawl_model *m, const row_info *info, double value);
bool pawl_assembly_is_limit(const pawl_assembly *a, int candidate);
// Negligible correction rates: a gap that requires less than this is corrected with the velocities, by the problem
// itself; one that requires more, at position level (position_correction.c) [m/s or rad/s].
extern const double pawl_slow_correction;
// The same of a contact between bodies with the twists of `start`, a share of whose motion is added.
double pawl_contact_slow_correction(const pawl_assembly *a, const pawl_contact *in,
                                    const body_state *start);
bool pawl_assembly_limit_is_hard(const pawl_assembly *a,
                                 int candidate); // a limit, and not a soft one
