// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The reduced formulation: the rows of an assembly over the generalized coordinates of a tree.
//
// State, rows and twists stay those of the bodies. Joints of the tree have no rows; in their place twists have the
// form u = U + X q', with X the bodies' columns and U the motion given by kinematic bodies, and M^-1 becomes X H^-1
// XT. With H^-1 = B d^-1 BT by articulated bodies, row r of the problem has y_r = d^-1/2 BT XT J_rT, sparse along the
// paths of its bodies to the roots, and D = Y YT. docs/reduced.md section 6.
#pragma once
#include "rows/assembly.h"
#include "tree/articulated.h"

// Wrenches of four rows at once.
typedef struct form_lanes {
    double x[6][4];
} form_lanes;

// The largest number of deferred sets of reactions in a step.
enum { FORM_DEFERRED = 6 };

typedef struct reduced_form {
    pawl_env env;
    size_t bytes;
    const reduced_tree *tree;
    reduced_motion *motion; // where the assembly is placed, inertias with the damping of the step
    reduced_motion *ahead;  // poses on the way of a drift
    reduced_config config, target;
    articulated_factor plain; // of H
    double *rate;             // (nv) scratch
    double *start;            // (nv) scratch; after impulses were added, the rates that they gave
    double *position_rate, *position_change; // (nv) of a drift
    bool arrived;                            // `ahead` has the poses where it is placed next
    bool rides;                              // something hangs on a kinematic body
    double *mass;                            // (links) with the damping of the step
    spatial *wrench;                         // (links) scratch
    form_lanes *lanes;                       // (links) scratch
    double *momenta, *ridden;                // (6 x bodies) scratch
    body_state *moved;                       // (bodies) scratch
    pawl_mat3 *turned;                       // (bodies) scratch
    int *first_slot;                         // (joints) of its rows, see impulse_slots
    bool defers;                             // reactions are resolved on request
    int deferred_count;
    struct {
        body_state *at;   // (bodies) poses
        double *impulses; // (6 x bodies) that act on the bodies beside those of rows
    } deferred[FORM_DEFERRED];
    // rows of the problem, block by block
    int width;           // most columns that a block has
    int *column_count;   // (max_blocks)
    int *columns;        // (max_blocks x width) ascending
    double *Y;           // (max_rows x width)
    double (*passed)[4]; // (width) scratch
    int *waits_on;       // (max_blocks) the column whose rate is the block's one row, -1: none
    bool *waits;         // (max_blocks) the row is computed on request
    double *lost; // (max_rows) of rows that no coordinate moves a compliance in place of D; else 0
} reduced_form;

// For the rows of `a`, which was planned for this tree.
pawl_status pawl_reduced_form_create(const pawl_env *env, const pawl_assembly *a,
                                     const reduced_tree *tree, reduced_form **out);
void pawl_reduced_form_destroy(reduced_form *form); // NULL is fine

// At poses that need not quite be of the tree: reads the coordinates, articulates.
void pawl_reduced_form_place(reduced_form *form, const body_state *bodies,
                             const double *coordinates, double t, double damping_time);
// The next placement is that of `target`, the poses of which `ahead` has: nothing is read again.
void pawl_reduced_form_arrive(reduced_form *form);
// The poses of those coordinates, for which joints of the tree are closed.
void pawl_reduced_form_settle(reduced_form *form, body_state *bodies);
// Poses near the tree to those of their coordinates at time t; the form stays placed where it is.
void pawl_reduced_form_close(reduced_form *form, const double *coordinates, double t,
                             body_state *bodies);
// Moves poses by a share of d (6 x bodies), a displacement of the tree where it is placed, along its
// coordinates: its joints stay closed.
void pawl_reduced_form_move(reduced_form *form, const double *coordinates, const double *d,
                            double fraction, double t, body_state *bodies);
// Y of a block of the assembly, from its Jacobian; of one that waits on a column when it is asked for.
void pawl_reduced_form_row_block(reduced_form *form, const pawl_assembly *a, const row_block *b);
// The same rows with another factor of H: row r has column columns[n] at y + r stride + (by_column ? columns[n] : n).
void pawl_reduced_form_rows(reduced_form *form, const articulated_factor *factor,
                            const pawl_assembly *a, int block, int stride, bool by_column,
                            double *y);

// The rows of Y of a block, found now if they wait.
const double *pawl_reduced_form_block_rows(reduced_form *form, const pawl_assembly *a, int block);

// The rows of a block over the columns that move them, row by row, with no mass in them: J X. Returns the
// number of columns; `columns` and whether they `turns` may be NULL.
int pawl_reduced_form_geometry(reduced_form *form, const pawl_assembly *a, int block, int *columns,
                               bool *turns, double *values);
// The entry on the diagonal of D that a row of a block would have if no joint held its bodies.
double pawl_reduced_form_size(const pawl_assembly *a, const row_block *b, int row);

// Adds compliances to rows that no coordinate moves, as those out of the plane of a planar mechanism are: D has
// nothing but rounding there, and their impulses are the tree's to bear.
void pawl_reduced_form_add_compliance(const reduced_form *form, int first_row, pawl_assembly *a);
// The entry of D on the diagonal.
double pawl_reduced_form_diagonal(reduced_form *form, const pawl_assembly *a, int block, int row);
// Rows `row` and `row` + 1 become c x + s y and c y - s x.
void pawl_reduced_form_turn_pair(reduced_form *form, int row, double c, double s);
// q' (nv) = H^-1 XT p that impulses p (6 x bodies) on the centres of mass give.
void pawl_reduced_form_answer(reduced_form *form, const double *p, double *rate);
// u (6 x bodies) += X q'; bodies that are driven stay.
void pawl_reduced_form_add_twists(const reduced_form *form, const double *rate, double *u);
// u += X H^-1 XT JT lambda, over all rows of the problem.
void pawl_reduced_form_add_impulses(reduced_form *form, const pawl_assembly *a,
                                    const double *lambda, double *u);
// The twists of the tree that are nearest to u (6 x bodies) in the metric of the masses, as if impulses of
// the tree's joints alone acted; those of kinematic bodies are given. Leaves q' in form->rate.
void pawl_reduced_form_constrain(reduced_form *form, double *u);
// M u of each body (6 x bodies).
void pawl_reduced_form_momenta(const reduced_form *form, const double *u, double *p);
// Adds to `reaction` (slots) the impulses of the tree's joints that lead from twists `from` to `to` beside
// impulses lambda of the rows, and returns the work of kinematic bodies against them, done at the mean of
// twists `before` and `after` of theirs. `scratch` is (6 x bodies). Where reactions are deferred they are kept for
// pawl_reduced_form_settle_reactions().
double pawl_reduced_form_reactions(reduced_form *form, const pawl_assembly *a, const double *lambda,
                                   const double *from, const double *to, const double *before,
                                   const double *after, double *scratch, double *reaction);
// Adds to `reaction` what was deferred.
void pawl_reduced_form_settle_reactions(reduced_form *form, double *reaction);
