// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Rotors in a position update. An armature a is a rotor that a joint's coordinate q turns, a body with one velocity w and
// the constraint that it turns as far as q. In the velocity update, with constant rows, it is a row with J u = w.
// While poses move, the rows and J u change although no twist does: J u of a slider on a rotating arm has centrifugal
// and Coriolis parts. The rotor keeps its speed except for the impulses that make it turn as far as the coordinate,
//   w = J(q0) u - x/a,   q(end) - q(start) = tau w,       x along J(q0), beside those of the joints
//   J(q1) u+ = w - y/a                                    y along J(q1), likewise
// which is RATTLE for one more body. With the rates J u of the new rows in place of w, -a J' u would be missing from the
// equations of motion, at any step size.
#include "math/rotation.h"
#include "rows/row_build.h"
#include "step/common/position_update.h"

static const double rotor_jump = 1.0; // [rad] in a step

// How far coordinate c of joint j has come from where it began. The rotors of an isotropic ball joint turn with its spin:
// the way is the turn between both attitudes, in the base's axes, of which coordinates and `turned` are rotation vectors.
static double rotor_way(const step_context *c, const model_joint *j, int r)
{
    const pawl_assembly *a = c->assembly;
    const row_info *info = &a->rows[r];
    int axis = j->isotropic_from >= 0 ? info->part - j->isotropic_from : -1;
    if (axis < 0) {
        return a->coordinates[info->coordinate].value - c->position.turned[r];
    }
    const coordinate_row *q = &a->coordinates[info->coordinate - axis];
    const double *from = &c->position.turned[r - axis];
    pawl_quat start = quat_exp(v3(from[0], from[1], from[2]));
    pawl_quat end = quat_exp(v3(q[0].value, q[1].value, q[2].value));
    pawl_vec3 way = quat_log(quat_mul(end, quat_conj(start)));
    return axis == 0 ? way.x : axis == 1 ? way.y : way.z;
}

void pawl_rotors_begin(step_context *c, const pawl_state *s)
{
    const pawl_assembly *a = c->assembly;
    c->position.turning = a->has_armatures;
    for (int k = 0; k < a->free_blocks && a->has_armatures; ++k) {
        const row_block *b = &a->blocks[k];
        for (int r = 0; r < b->rows.dim; ++r) {
            int row = b->rows.first_row + r;
            if (pawl_assembly_armature(a, row) > 0.0) {
                c->position.rotor[row] = pawl_row_rate(a, b, r, s->bodies);
                c->position.turned[row] = a->coordinates[a->rows[row].coordinate].value;
            }
        }
    }
}

double pawl_rotors_lag(const step_context *c, double tau, const double *total, double *lag)
{
    const pawl_assembly *a = c->assembly;
    double largest = 0.0;
    for (int r = 0; r < a->free_rows && a->has_armatures; ++r) {
        double armature = pawl_assembly_armature(a, r);
        if (armature > 0.0) {
            const row_info *info = &a->rows[r];
            const model_joint *j = &a->model->joints[info->owner];
            double way = rotor_way(c, j, r);
            // Rotation vectors jump at half a turn. There the rotor moves as it does.
            bool jumps = fabs(way) > rotor_jump && !j->keeps_turns &&
                         pawl_joint_kind_is_angle(j->kind, info->part);
            lag[r] = jumps ? 0.0 : way / tau - c->position.rotor[r] + total[r] / armature;
            largest = worst_of(largest, fabs(lag[r]));
        }
    }
    return largest;
}

void pawl_rotors_end(step_context *c, const double *total)
{
    const pawl_assembly *a = c->assembly;
    for (int r = 0; r < a->free_rows && a->has_armatures; ++r) {
        double armature = pawl_assembly_armature(a, r);
        c->position.rotor[r] -= armature > 0.0 ? total[r] / armature : 0.0;
    }
}

void pawl_rotors_turn(step_context *c, pawl_state *s, double end)
{
    pawl_assembly *a = c->assembly;
    pawl_rotors_begin(c, s);
    pawl_assembly_place(a, s->bodies, s->coordinates, end, c->u.damping_time);
    pawl_assembly_build_closure(a);
    pawl_eliminate_factor(&a->problem, c->settings->solver.regularization);
    pawl_position_velocities(c, s, end);
    c->placed = true;
}
