// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Common parts of the families of rows: Jacobian rows from coordinates, springs as compliant rows, gaps, new blocks.
// Nothing here depends on a family: each family passes the place of its bounds, biases and compliances. Sign
// convention: v = J u + v* + R lambda, so that a bias is the negative of the rate that a hard row requires.
#include "rows/row_build.h"
#include <math.h>
#include <string.h>

int pawl_row_slot(const row_block *b, int body)
{
    for (int k = 0; k < b->body_count; ++k) {
        if (b->body[k] == body) {
            return k;
        }
    }
    return -1;
}

void pawl_row_clear(pawl_assembly *a, const row_block *b)
{
    for (int k = 0; k < b->body_count; ++k) {
        memset(pawl_row_jacobian(a, b, k, 0), 0, (size_t)(6 * b->rows.dim) * sizeof(double));
    }
}

// Adds, because a gear writes two coordinates into one row and both may share a body. The world has no slot and is
// skipped.
void pawl_row_add_coordinate(pawl_assembly *a, const row_block *b, int r, const model_joint *j,
                             const coordinate_row *g, double s)
{
    const int body[2] = {j->base, j->follower};
    const double *gradient[2] = {g->base, g->follower};
    for (int side = 0; side < 2; ++side) {
        int slot = pawl_row_slot(b, body[side]);
        if (slot >= 0) {
            double *row = pawl_row_jacobian(a, b, slot, r);
            for (int k = 0; k < 6; ++k) {
                row[k] += s * gradient[side][k];
            }
        }
    }
}

double pawl_row_rate(const pawl_assembly *a, const row_block *b, int r, const body_state *bodies)
{
    double rate = 0.0;
    for (int k = 0; k < b->body_count; ++k) {
        const double *row = pawl_row_jacobian(a, b, k, r);
        const body_state *s = &bodies[b->body[k]];
        rate += row[0] * s->v.x + row[1] * s->v.y + row[2] * s->v.z + row[3] * s->w.x +
                row[4] * s->w.y + row[5] * s->w.z;
    }
    return rate;
}

// `about` differs from `before` only in stages that linearize springs about a predictor (lit, sdirk2).
row_rates pawl_row_rates(const pawl_assembly *a, const row_block *b, int r, const body_state *start,
                         const step_weights *w)
{
    if (r < 0) {
        return (row_rates){0.0, 0.0, 0.0};
    }
    double before = pawl_row_rate(a, b, r, start);
    return (row_rates){before, w->about == NULL ? before : pawl_row_rate(a, b, r, w->about),
                       w->rotor == NULL ? before : w->rotor[b->rows.first_row + r]};
}

// lambda = -S q'+ + B divided by S: q'+ + lambda/S - B/S = 0. S must be positive, which it is where a row has any
// stiffness, damping or armature.
void pawl_row_soft(pawl_assembly *a, int r, double S, double B)
{
    a->compliance[r] = 1.0 / S;
    a->bias[r] = -B / S;
}

// docs/math.md section 3. `stretch` is value - rest [m or rad] where the rows are placed. The term with `behind`
// uses the rate that the spring is linearized about, the armature that of its rotor and the damper the rate before the
// step. The last lines replace the last by the others.
void pawl_row_spring(pawl_assembly *a, int r, const step_weights *w, double stretch, row_rates rate,
                     const row_law *law)
{
    double h = w->h, k = law->stiffness, d = law->damping;
    double S = law->armature + h * (w->theta * d + h * w->ahead * k);
    double behind = h * h * w->behind * k;
    double B = (law->armature - h * (1.0 - w->theta) * d + behind) * rate.before - h * k * stretch;
    B += law->armature * (rate.rotor - rate.before);
    pawl_row_soft(a, r, S, B + behind * (rate.about - rate.before));
}

// MuJoCo's solref and solimp (docs/math.md section 9). D is the row's own diagonal entry, without the effect of
// joints.
void pawl_row_soften(pawl_assembly *a, const row_block *b, int r, const pawl_softness *s,
                     double impedance, const step_weights *w, double value, double rate)
{
    double D = a->metric->ops->diagonal(a->metric, a, b, r);
    soft_row row = pawl_softness_row(s, impedance, w->h, D, value, rate);
    a->compliance[b->rows.first_row + r] = row.compliance;
    a->bias[b->rows.first_row + r] = row.bias;
}

double pawl_row_target(const pawl_signal *signal, const step_weights *w)
{
    return 0.5 * (pawl_signal_value(signal, w->target_time[0]) +
                  pawl_signal_value(signal, w->target_time[1]));
}

// 0 means "not given", so a negative value means no correction.
double pawl_row_erp(double own, double all)
{
    return own == 0.0 ? all : max_of(own, 0.0);
}

// 0 for gaps of less than `closed`, the gap itself beyond twice that, and continuous. NaN stays.
static double row_gap_beyond(double gap, double closed)
{
    double beyond = fmin(2.0 * (fabs(gap) - closed), fabs(gap));
    return fabs(gap) > closed ? copysign(beyond, gap) : 0.0 * gap;
}

// An open gap may close until the end of the step, no further. Of a violation a fraction `erp` is taken back, no faster
// than max_push. A correction by velocities would remain as kinetic energy: rates above `gentle` are left to the
// correction of positions (`want`).
//
// Loops eq. 91b has the slope 1 / reach for an open gap and erp / reach for a violation. A flat foot that slides or rocks
// has corners some nm above and below the ground: their gaps are those of a plane, but rates of two slopes are not
// those of any motion. Such a problem is solved only by lifting one corner and loading the others, a different one in each
// step, and solvers stall at the misfit of the rates. Up to `gentle` both sides therefore have one slope, 1 / h: the gap
// is closed where rows are placed next, a whole step later. (1 / reach on both sides would close it at the end of the step
// and open it again half a step later where rows are placed at the middle: bodies would never come to rest.)
// What is left of gaps by solves that end at the tolerance, and by the curvature of the last motion, cannot be met by any
// motion where there are more corners than a body has freedoms: faces at rest would be solved anew in every step. Gaps that
// ask for less than `still`, a rate that solves do not resolve, count as closed; those of more than twice that, as they are.
//
// solver.variant=paper has the equation as printed.
double pawl_row_gap_bias(pawl_assembly *a, int r, double gap, double erp, double fastest_correction,
                         double gentle, const step_weights *w)
{
    if (w->literal_bias) { // and no correction of positions beside it
        a->want[r] = -INFINITY;
        return (gap >= 0.0 ? 1.0 : erp) * gap / w->reach;
    }
    // The speed limit is one for the whole step of length h, but the bias acts for `reach` alone.
    double fastest = fastest_correction * w->h / w->reach;
    gap = row_gap_beyond(gap, w->still * w->h);
    double near = gap / w->h;
    if (gap >= 0.0) {
        double bias = near <= gentle ? near : gentle + (gap - gentle * w->h) / w->reach;
        a->want[r] = -bias;
        return bias;
    }
    a->want[r] = -max_of(erp * gap / w->reach, -fastest);
    bool slow = erp > 0.0 && a->want[r] <= gentle;
    return slow ? max_of(max_of(near, -gentle), -fastest) : 0.0;
}

// `want` drives the correction of positions (position_correction.c). A small violation of a lasting contact is
// left to the stepper that keeps it.
void pawl_row_keep_closed(pawl_assembly *a, int r, double gentle)
{
    a->want[r] = a->want[r] > gentle ? a->want[r] : -INFINITY;
}

// Where the Jacobian of block `index` goes: behind that of the block before it.
static int row_jacobian_after(const pawl_assembly *a, int index)
{
    if (index == 0) {
        return 0;
    }
    const row_block *last = &a->blocks[index - 1];
    return last->jacobian[last->body_count - 1] + 6 * last->rows.dim;
}

// The Jacobian goes directly behind that of the last block: bounded rows are laid out anew in every problem.
row_block *pawl_row_append(pawl_assembly *a, row_info info, int dim, int joint, const int body[2])
{
    int index = a->problem.block_count++, first = a->problem.row_count;
    a->problem.row_count += dim;
    int jacobian = row_jacobian_after(a, index);
    row_block *b = &a->blocks[index];
    *b = (row_block){.rows = {first, dim}, .family = info.family, .joint = joint};
    for (int side = 0; side < 2; ++side) {
        if (body[side] >= 0) {
            b->body[b->body_count] = body[side];
            b->jacobian[b->body_count++] = jacobian;
            jacobian += 6 * dim;
        }
    }
    a->problem_blocks[index] = b->rows;
    for (int r = first; r < first + dim; ++r, ++info.part) {
        a->rows[r] = info;
        a->residual[r] = 0.0;
    }
    return b;
}

int pawl_row_joint(const pawl_model *m, const row_info *info)
{
    return info->family->joint != NULL ? info->family->joint(m, info) : info->owner;
}

void pawl_row_append_candidate(pawl_assembly *a, const row_info *info)
{
    int joint = pawl_row_joint(a->model, info);
    const model_joint *j = &a->model->joints[joint];
    const row_block *b = pawl_row_append(a, *info, 1, joint, (const int[2]){j->base, j->follower});
    pawl_row_clear(a, b);
    pawl_row_add_coordinate(a, b, 0, j, &a->coordinates[info->coordinate], info->sign);
    a->metric->ops->scale_block(a->metric, a, b);
}
