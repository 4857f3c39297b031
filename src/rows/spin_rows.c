// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Replaces the disc by a box. The law of the disc of radius b is lambda = P(y), y = lambda - w/d, for any d > 0.
// Inside the disc the two rows stick, w = 0, and a square around the disc is sufficient: the next round detects a
// solution outside the disc. Outside, lambda = -b w/|w|. With the first axis along y, and w = -d (|y| - b) there,
// this is to first order lambda_1 = b and
//   w_2 + kappa lambda_2 = 0,   kappa = |w|/b = d (|y| - b)/b:
// a box again, the second row with a compliance. One round is a Newton step, for the direction as well
// as for sticking or rolling, and the same direction as in the last step needs one solve.
#include "rows/spin_rows.h"
#include "rows/families.h"
#include "rows/row_build.h"

// Part 0 is the spin about the normal, 1 and 2 those about the tangents.
static bool spin_is_torsion(const row_info *info)
{
    return info->part == 0;
}

// Spin of b less that of a about the axis of the row [rad/s], for twists u (6 x bodies).
static double spin_rate(const pawl_assembly *a, int row, const double *u)
{
    const row_block *b = pawl_bounded_block(a, row);
    double rate = 0.0;
    for (int s = 0; s < b->body_count; ++s) {
        const double *e = a->J + b->jacobian[s], *w = u + 6 * b->body[s];
        rate += e[3] * w[3] + e[4] * w[4] + e[5] * w[5];
    }
    return rate;
}

// The entry of D on the diagonal.
static double spin_diagonal(const pawl_assembly *a, int row)
{
    return a->metric->ops->diagonal(a->metric, a, pawl_bounded_block(a, row), 0);
}

// The row's axis in the world: the angular part of the Jacobian of b, or minus that of a where b is the world.
static pawl_vec3 spin_axis(const pawl_assembly *a, int row)
{
    const row_block *b = pawl_bounded_block(a, row);
    int last = b->body_count - 1;
    const double *e = a->J + b->jacobian[last];
    double sign = b->body[last] == a->contacts[a->rows[row].owner].body_b ? 1.0 : -1.0;
    return v3_scale(sign, v3(e[3], e[4], e[5]));
}

// Turns the axes of rows r and r + 1 so that (x, y) comes to lie along the first. All that belongs to the
// rows is linear in their axes and turns with them.
static void spin_turn(pawl_assembly *a, int r, double x, double y, double *lambda)
{
    double norm = sqrt(x * x + y * y);
    if (!(norm > 0.0)) {
        return;
    }
    double c = x / norm, s = y / norm;
    const row_block *first = pawl_bounded_block(a, r), *second = pawl_bounded_block(a, r + 1);
    for (int k = 0; k < first->body_count; ++k) {
        for (int i = 3; i < 6; ++i) {
            pawl_turn_pair(a->J + first->jacobian[k] + i, a->J + second->jacobian[k] + i, c, s);
        }
    }
    a->metric->ops->turn_pair(a->metric, a, r, c, s);
    pawl_turn_pair(&a->v_f[r], &a->v_f[r + 1], c, s);
    pawl_turn_pair(&lambda[r], &lambda[r + 1], c, s);
}

// Sets the bounds of row r for the normal impulses in lambda, and returns them.
static double spin_bound(pawl_assembly *a, int r, const double *lambda)
{
    int k = a->rows[r].owner;
    const pawl_contact *in = &a->contacts[k];
    double normal = max_of(lambda[pawl_problem_contact_row(&a->problem, k) + 2], 0.0);
    double b = normal * (spin_is_torsion(&a->rows[r]) ? in->torsional : in->rolling);
    a->lower[r] = -b;
    a->upper[r] = b;
    a->compliance[r] = 0.0;
    return b;
}

// y = lambda - w/d decides between sticking (inside the disc of radius b) and rolling. d is the mean of both
// diagonal entries: the law must not depend on the choice of the axes.
static void spin_aim_rolling(pawl_assembly *a, int r, double *lambda, const double *u)
{
    double b = spin_bound(a, r, lambda);
    spin_bound(a, r + 1, lambda);
    double d = 0.5 * (spin_diagonal(a, r) + spin_diagonal(a, r + 1));
    double x = lambda[r] - spin_rate(a, r, u) / d, y = lambda[r + 1] - spin_rate(a, r + 1, u) / d;
    double norm = sqrt(x * x + y * y);
    if (norm > b) {
        spin_turn(a, r, x, y, lambda);
        a->compliance[r + 1] = b > 0.0 ? d * (norm - b) / b : 0.0;
        lambda[r] = b;
        lambda[r + 1] = 0.0;
    }
}

// Rolling rows come in pairs, so the loop passes over the second of them.
void pawl_spin_rows_aim(pawl_assembly *a, double *lambda, const double *u)
{
    a->problem.rows_key = a->problem.matrix_key =
        0; // compliances and axes change from solve to solve
    int end = a->spin_row[a->contact_count];
    for (int r = a->slot_rows; r < end; ++r) {
        if (spin_is_torsion(&a->rows[r])) {
            double b = spin_bound(a, r, lambda);
            lambda[r] = fmin(fmax(lambda[r], -b), b);
        } else {
            spin_aim_rolling(a, r++, lambda, u);
        }
    }
}

// Compliances go back to 0 (spin_bound), because those of the last round are no part of the law that the judge
// checks.
void pawl_spin_rows_settle(pawl_assembly *a, double *lambda)
{
    int end = a->spin_row[a->contact_count];
    for (int r = a->slot_rows; r < end; ++r) {
        spin_bound(a, r, lambda);
        if (!spin_is_torsion(&a->rows[r])) {
            spin_turn(a, r, lambda[r], lambda[r + 1], lambda);
            spin_bound(a, ++r, lambda);
        }
    }
}

pawl_vec3 pawl_spin_moment(const pawl_assembly *a, int k, const double *lambda)
{
    pawl_vec3 sum = v3(0.0, 0.0, 0.0);
    for (int r = a->spin_row[k]; r < a->spin_row[k + 1]; ++r) {
        sum = v3_axpy(sum, lambda[r], spin_axis(a, r));
    }
    return sum;
}

void pawl_spin_set_moment(const pawl_assembly *a, int k, pawl_vec3 moment, double *lambda)
{
    for (int r = a->spin_row[k]; r < a->spin_row[k + 1]; ++r) {
        lambda[r] = v3_dot(moment, spin_axis(a, r));
    }
}

// A bounded row of contact k: spin of b against a about an axis. The bounds come with the impulses.
static void spin_add(pawl_assembly *a, int k, int part, pawl_vec3 axis)
{
    const row_block *b = pawl_contact_block_append(a, &pawl_spin_rows_family, k, part, 1);
    pawl_row_clear(a, b);
    for (int s = 0; s < b->body_count; ++s) {
        pawl_vec3 e = v3_scale(b->body[s] == a->contacts[k].body_b ? 1.0 : -1.0, axis);
        double *row = pawl_row_jacobian(a, b, s, 0);
        row[3] = e.x, row[4] = e.y, row[5] = e.z;
    }
    a->metric->ops->scale_block(a->metric, a, b);
}

// Torsional and rolling friction of those contacts that have it, where a body can turn.
// spin_row[k] .. spin_row[k + 1] are the rows of contact k: none, the torsion, two for rolling, or all three.
static void spin_append(pawl_assembly *a, const body_state *start, const step_weights *w)
{
    (void)start;
    (void)w;
    const pawl_model *m = a->model;
    if (!m->spin_friction) {
        return;
    }
    for (int k = 0; k < a->contact_count; ++k) {
        const pawl_contact *in = &a->contacts[k];
        bool turns = (in->body_a >= 0 && m->bodies[in->body_a].kind == PAWL_BODY_RIGID) ||
                     (in->body_b >= 0 && m->bodies[in->body_b].kind == PAWL_BODY_RIGID);
        a->spin_row[k] = a->problem.row_count;
        if (turns && in->torsional > 0.0) {
            spin_add(a, k, 0, in->normal);
        }
        if (turns && in->rolling > 0.0) {
            pawl_vec3 t, o;
            pawl_contact_tangents(in->normal, &t, &o);
            spin_add(a, k, 1, t);
            spin_add(a, k, 2, o);
        }
    }
    a->spin_row[a->contact_count] = a->problem.row_count;
}

const row_family pawl_spin_rows_family = {
    .name = "spin",
    .traits = ROW_ONE_SIDED | ROW_RESISTS_MOTION,
    .work_kind = WORK_CONTACTS,
    .append = spin_append,
};
