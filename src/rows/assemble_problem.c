// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The problem of a step from the placed rows: biases, compliances and bounds, family by family; and the problems of
// closure, of settling and of impacts, which are built from the same rows.
#include "math/numbers.h"
#include "rows/row_build.h"
#include <string.h>

// What every free row is before its family says more: hard, without bias or gap.
static void problem_clear_free_rows(pawl_assembly *a)
{
    size_t rows = (size_t)a->free_rows;
    pawl_numbers_set(a->lower, rows, -INFINITY);
    pawl_numbers_set(a->upper, rows, INFINITY);
    pawl_numbers_set(a->compliance, rows, 0.0);
    pawl_numbers_set(a->bias, rows, 0.0);
    pawl_numbers_set(a->want, rows, -INFINITY);
}

// The same of one row, and what its family says.
static void problem_fill(pawl_assembly *a, const row_block *b, int r, const step_weights *w,
                         row_rates rate, bool persistent)
{
    a->lower[r] = -INFINITY;
    a->upper[r] = INFINITY;
    a->compliance[r] = a->bias[r] = 0.0;
    a->want[r] = -INFINITY;
    a->rows[r].family->fill(a, b, r, w, rate, persistent);
}

// Rows that nothing can move get a compliance, in coordinates that have such rows.
static void problem_complete(pawl_assembly *a, int first_row)
{
    if (a->metric->ops->complete != NULL) {
        a->metric->ops->complete(a->metric, a, first_row);
    }
}

// Softening comes after the fill of all rows of the block, because the impedance depends on the residuals of all
// of the joint's rows.
static void problem_fill_free_rows(pawl_assembly *a, const body_state *start, const step_weights *w)
{
    // Where positions are projected joints ask for no rate: nobody needs to look at their rows.
    bool plain = !w->own_erp && w->erp_joint == 0.0 && w->start_weight == 0.0;
    problem_clear_free_rows(a);
    for (int k = 0; k < a->free_blocks; ++k) {
        const row_block *b = &a->blocks[k];
        int first = b->rows.first_row;
        for (int r = plain && b->joint >= 0 ? a->joint_rows[b->joint] : 0; r < b->rows.dim; ++r) {
            bool hard = (a->rows[first + r].family->traits & ROW_IS_HARD) != 0;
            // Rates before the step cost a product for each row. Hard rows need them only in steppers whose rows hold
            // for a mean of both rates.
            bool rated = !hard || w->start_weight != 0.0;
            problem_fill(a, b, first + r, w, pawl_row_rates(a, b, rated ? r : -1, start, w), false);
        }
        if (b->joint >= 0 && a->joint_rows[b->joint] > 0 &&
            pawl_is_soft(&a->joint_soft[b->joint])) {
            pawl_joint_rows_soften(a, b, start, w);
        }
    }
}

// Candidate k behind the rows so far, if it can act in this step; `again`: as it was decided before.
static void problem_add_candidate(pawl_assembly *a, int k, const body_state *start,
                                  const double *u_free, const step_weights *w, bool again)
{
    pawl_problem *p = &a->problem;
    const row_info *info = &a->candidates[k];
    bool one_sided = (info->family->traits & ROW_ONE_SIDED) != 0;
    if (again && !a->included[k]) {
        return;
    }
    // Such a stepper has located the instants at which gaps close; what is open now stays out, however near it is.
    if (w->persistent_only && one_sided && !a->persistent[k]) {
        a->included[k] = false;
        return;
    }
    // Appended first and taken back if it is out of reach, because its rate needs its Jacobian.
    pawl_row_append_candidate(a, info);
    const row_block *b = &a->blocks[p->block_count - 1];
    row_rates rates = pawl_row_rates(a, b, 0, start, w);
    if (!again && info->family->is_near != NULL) {
        const coordinate_row *g = &a->coordinates[info->coordinate];
        // The free motion may head for a limit that the motion so far leaves behind, and the other way round: either
        // will do.
        double ahead = pawl_assembly_coordinate_rate(a, b->joint, g, u_free);
        a->included[k] = info->family->is_near(a, k, rates.before, ahead, w->h);
        if (!a->included[k]) {
            --p->block_count;
            --p->row_count;
            return;
        }
    }
    a->included[k] = true;
    problem_fill(a, b, p->row_count - 1, w, rates, a->persistent[k]);
}

void pawl_assembly_build_problem(pawl_assembly *a, const body_state *start, const double *u_free,
                                 const step_weights *w, bool again)
{
    pawl_problem *p = &a->problem;
    // factor_key names the matrix of the free rows for those who keep its factor: rows placed once, with and without
    // compliance, have two matrices. place_key names the Jacobian alone.
    ++a->builds;
    *p = (pawl_problem){.row_count = a->free_rows,
                        .free_row_count = a->free_rows,
                        .block_count = a->free_blocks,
                        .free_block_count = a->free_blocks,
                        .blocks = a->problem_blocks,
                        .v_f = a->v_f,
                        .lower = a->lower,
                        .upper = a->upper,
                        .compliance = a->compliance,
                        .factor_key = 2 * a->placements + a->has_soft_rows,
                        .place_key = a->placements,
                        .rows_key = a->builds,
                        .matrix_key = a->builds,
                        .delassus = p->delassus};
    a->bent = 0;
    problem_fill_free_rows(a, start, w);
    for (int k = 0; k < a->candidate_count; ++k) {
        problem_add_candidate(a, k, start, u_free, w, again);
    }
    // Rows up to here have a slot in the state, where their impulses wait for the next step; contacts are matched by
    // their ids instead.
    a->slot_rows = p->row_count;
    for (int i = 0; i < pawl_row_family_count; ++i) {
        if (pawl_row_families[i]->append != NULL) {
            pawl_row_families[i]->append(a, start, w);
        }
    }
    problem_complete(a, 0);
    pawl_assembly_set_free_velocity(a, u_free);
}

// v_f = J u_free + bias: the velocities of the rows without impulses, with the sign of the problem v = (D + R) lambda
// + v_f.
void pawl_assembly_set_free_velocity(pawl_assembly *a, const double *u_free)
{
    pawl_assembly_row_velocity(a, u_free, a->v_f);
    for (int r = 0; r < a->problem.row_count; ++r) {
        a->v_f[r] += a->bias[r];
    }
}

double pawl_assembly_armature(const pawl_assembly *a, int r)
{
    const row_info *info = &a->rows[r];
    return info->family->law != NULL ? info->family->law(a->model, info, 0.0).armature : 0.0;
}

// The problem of a correction of positions, or of velocities after a move. Corrections are least in the metric of all
// inertia that moves, armatures included: they are what bends free motion into that along the constraints, and with
// another metric than the step's, chains of geared joints would follow another mechanics (test_armature). A row that
// is not a configuration constraint stays in the matrix, so that its structure and the plan of its factor stay, and is
// made so soft that its impulse is 0.
void pawl_assembly_build_closure(pawl_assembly *a)
{
    pawl_problem *p = &a->problem;
    p->row_count = p->free_row_count = a->free_rows;
    p->contact_count = 0;
    p->block_count = p->free_block_count = a->free_blocks;
    p->blocks = a->problem_blocks;
    p->v_f = a->v_f;
    p->lower = a->lower;
    p->upper = a->upper;
    p->compliance = a->compliance;
    p->factor_key = 2 * a->placements;
    p->place_key = a->placements;
    p->rows_key = p->matrix_key = 0;
    size_t rows = (size_t)a->free_rows;
    pawl_numbers_set(a->lower, rows, -INFINITY);
    pawl_numbers_set(a->upper, rows, INFINITY);
    pawl_numbers_set(a->compliance, rows, 0.0);
    pawl_numbers_set(a->v_f, rows, 0.0);
    for (int i = 0; i < a->soft_count; ++i) {
        double armature = a->has_armatures ? pawl_assembly_armature(a, a->soft[i]) : 0.0;
        a->compliance[a->soft[i]] = armature > 0.0 ? 1.0 / armature : pawl_compliance_of_nothing;
    }
    problem_complete(a, 0);
}

// Limits and contacts that last, as equations without bounds: for projections, which must not open or close them.
// They are no free rows, so the factor of the free rows stays valid.
void pawl_assembly_build_closed_rows(pawl_assembly *a, const closed_row *closed_rows, int count,
                                     bool tangents)
{
    pawl_assembly_build_closure(a);
    for (int i = 0; i < count; ++i) {
        if (closed_rows[i].candidate >= 0) {
            const row_info *info = &a->candidates[closed_rows[i].candidate];
            pawl_row_append_candidate(a, info);
            a->compliance[a->problem.row_count - 1] = 0.0;
        } else {
            pawl_contact_rows_append(a, closed_rows[i].contact,
                                     tangents && closed_rows[i].sticks ? 3 : 1);
        }
    }
    for (int r = a->free_rows; r < a->problem.row_count; ++r) {
        a->v_f[r] = 0.0;
    }
    problem_complete(a, a->free_rows);
}

// An impact takes no time: springs, dampers and biases of gaps have no impulse. Left are joints, drives,
// armatures, limits that are closed, and all contacts with the friction coefficient of impacts.
void pawl_assembly_build_impact(pawl_assembly *a, const double *u, const bool *closed)
{
    pawl_problem *p = &a->problem;
    pawl_assembly_build_closure(a);
    p->factor_key = -1 - a->placements; // armatures are not what a closure takes them for
    for (int k = 0; k < a->candidate_count; ++k) {
        if (closed[k]) {
            pawl_row_append_candidate(a, &a->candidates[k]);
            a->lower[p->row_count - 1] = 0.0;
            a->upper[p->row_count - 1] = INFINITY;
            a->compliance[p->row_count - 1] = 0.0;
        }
    }
    a->slot_rows = p->row_count;
    p->contact_count = a->contact_count;
    p->friction = a->friction;
    for (int k = 0; k < a->contact_count; ++k) {
        pawl_contact_rows_append(a, k, 3);
        a->friction[k] = a->contacts[k].impact_friction;
    }
    problem_complete(a, a->free_rows);
    memset(a->bias, 0, (size_t)p->row_count * sizeof *a->bias);
    pawl_assembly_row_velocity(a, u, a->v_f);
    for (int r = 0; r < a->free_rows; ++r) {
        const row_info *info = &a->rows[r];
        const row_family *family = info->family;
        bool prescribed = family->rate != NULL;
        double armature = pawl_assembly_armature(a, r);
        // A prescribed rate stays what it is; an armature resists its change.
        if (prescribed || armature > 0.0) {
            a->bias[r] = -a->v_f[r];
        }
    }
    pawl_assembly_set_free_velocity(a, u);
}
