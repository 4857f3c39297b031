// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Common functions of the families of rows.
#pragma once
#include "rows/assembly.h"

// Jacobian row r of block b for the body in its slot.
static inline double *pawl_row_jacobian(const pawl_assembly *a, const row_block *b, int slot, int r)
{
    return a->J + b->jacobian[slot] + 6 * r;
}

// Bounded rows other than contacts are blocks of their own.
static inline const row_block *pawl_bounded_block(const pawl_assembly *a, int row)
{
    return &a->blocks[a->free_blocks + row - a->free_rows];
}

// (x, y) turned by the angle with cosine c and sine s.
static inline void pawl_turn_pair(double *x, double *y, double c, double s)
{
    double first = c * *x + s * *y;
    *y = c * *y - s * *x;
    *x = first;
}

// The slot of a body in a block, -1 where the block does not touch it.
int pawl_row_slot(const row_block *b, int body);
void pawl_row_clear(pawl_assembly *a, const row_block *b);
// Adds s times the gradient of a joint's coordinate to row r of a block.
void pawl_row_add_coordinate(pawl_assembly *a, const row_block *b, int r, const model_joint *j,
                             const coordinate_row *g, double s);
// Rate of row r of a block for the bodies' twists, and those of w; r < 0 for rows that need none.
double pawl_row_rate(const pawl_assembly *a, const row_block *b, int r, const body_state *bodies);
row_rates pawl_row_rates(const pawl_assembly *a, const row_block *b, int r, const body_state *start,
                         const step_weights *w);

// A row that gives way: impulse lambda = -S q'+ + B, see assembly.h.
void pawl_row_soft(pawl_assembly *a, int r, double S, double B);
// The same for a spring with its damper and armature, stretched by `stretch` where the rows are placed.
void pawl_row_spring(pawl_assembly *a, int r, const step_weights *w, double stretch, row_rates rate,
                     const row_law *law);
// Makes row r of a block soft by MuJoCo's law: violation `value`, rate before the step.
void pawl_row_soften(pawl_assembly *a, const row_block *b, int r, const pawl_softness *s,
                     double impedance, const step_weights *w, double value, double rate);
// Mean of a signal over the times at which the step takes its targets.
double pawl_row_target(const pawl_signal *signal, const step_weights *w);

// The fraction of a constraint's error to remove a step: its own, or the one for all.
double pawl_row_erp(double own, double all);
// Bias of row r, a limit or the normal of a contact, for its gap.
double pawl_row_gap_bias(pawl_assembly *a, int r, double gap, double erp, double fastest_correction,
                         double gentle, const step_weights *w);
// A row that is held keeps its gap, unless it is violated by more than its stepper corrects.
void pawl_row_keep_closed(pawl_assembly *a, int r, double gentle);

// A new block behind the rows so far, its Jacobian still to be written: `dim` rows of `info` (with parts
// counted up) that touch the given bodies, the world left out.
row_block *pawl_row_append(pawl_assembly *a, row_info info, int dim, int joint, const int body[2]);
// Candidate `info` as a block of its own behind the rows so far, its Jacobian written.
void pawl_row_append_candidate(pawl_assembly *a, const row_info *info);

// Two tangents for a normal; any pair will do, but the same normal must give the same pair.
void pawl_contact_tangents(pawl_vec3 n, pawl_vec3 *t, pawl_vec3 *o);
// A block of rows of contact k behind the rows so far, without bias or bounds, its Jacobian still to be written.
row_block *pawl_contact_block_append(pawl_assembly *a, const row_family *family, int k, int part,
                                     int dim);
// Rows of contact k: velocity of b against a at the point, along two tangents and the normal; `dim` is 3,
// or 1 for the normal alone.
const row_block *pawl_contact_rows_append(pawl_assembly *a, int k, int dim);

// The bodies of a joint's block, the world left out; those of a gear are its joints'. Returns their number.
int pawl_joint_bodies(const pawl_model *m, int joint, int body[BLOCK_MAX_BODIES]);
// The rows of a soft joint.
void pawl_joint_rows_soften(pawl_assembly *a, const row_block *b, const body_state *start,
                            const step_weights *w);
// Residuals of prescribed coordinates at time t.
void pawl_motion_rows_place(pawl_assembly *a, double t);
