// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// lit.variant=paper: forces linearized at the beginning of the step, (6.9) with its two misprints corrected:
//   M~ = M(q + h/2 v) - h/2 k_v - h^2/4 k_q,   k~ = h/2 (k(t) + k(t + h) + h k_q v),   all k at q, v.
// A spring or damper k = -(c f + d f') g along g = grad f has, without its geometric term,
// k_q = -c g gT and k_v = -d g gT (10.13, 10.14): a compliant row along g(q), so that M~ is positive
// definite. The geometric term of h^2/2 k_q v is explicit: with g' the change of g along v,
//   -h^2/2 ((c f + d f') g' + d (g' v) g).
// g' is a central difference over a small part of the step. Rows and twists are in body axes.
#include "step/lit/lit.h"
#include <string.h>

static const double paper_part = 1e-3; // of the step, to either side

// Rows with a force law: springs, dampers, armatures, position and velocity actuators.
static bool paper_is_soft(const pawl_assembly *a, int r)
{
    return a->rows[r].family->law != NULL;
}

// Angular parts of a row from world axes to those of its body, or back.
static void paper_turn(double *row, const pawl_mat3 *r, bool to_body)
{
    pawl_vec3 w = v3(row[3], row[4], row[5]);
    w = to_body ? m3_tmul(r, w) : m3_mul(r, w);
    row[3] = w.x, row[4] = w.y, row[5] = w.z;
}

// J (as a->J) in body axes, so that rows of two placements can be subtracted.
static void paper_save_rows(const pawl_assembly *a, double *J)
{
    for (int k = 0; k < a->free_blocks; ++k) {
        const row_block *b = &a->blocks[k];
        for (int i = 0; i < b->body_count; ++i) {
            for (int r = 0; r < b->rows.dim; ++r) {
                int at = b->jacobian[i] + 6 * r;
                memcpy(J + at, a->J + at, 6 * sizeof *J);
                paper_turn(J + at, &a->rotation[b->body[i]], true);
            }
        }
    }
}

// Where the value of a soft row is kept: with its coordinate, or in the residual for springs between points.
static double *paper_value(pawl_assembly *a, int r)
{
    int flat = a->rows[r].coordinate;
    return flat >= 0 ? &a->coordinates[flat].value : &a->residual[r];
}

// Adds the explicit geometric term of row r of a block to p (6 x bodies, body axes).
static void paper_add_geometric(step_context *c, const row_block *b, int r, const double *ahead,
                                const double *behind, double part, const step_weights *w, double *p)
{
    const pawl_assembly *a = c->assembly;
    const lit_memory *lit = lit_of(c);
    int row = b->rows.first_row + r;
    double rate = 0.0, turning = 0.0; // g v and g' v
    for (int i = 0; i < b->body_count; ++i) {
        const double *u = c->u.start + 6 * b->body[i];
        int at = b->jacobian[i] + 6 * r;
        for (int k = 0; k < 6; ++k) {
            rate += lit->paper_rows[at + k] * u[k];
            turning += (ahead[at + k] - behind[at + k]) / (2.0 * part) * u[k];
        }
    }
    row_law s = a->rows[row].family->law(a->model, &a->rows[row], w->begin);
    double force = -s.stiffness * pawl_spring_stretch(lit->paper_values[row] - s.rest, s.slack) -
                   s.damping * rate,
           scale = 0.5 * w->h * w->h;
    for (int i = 0; i < b->body_count; ++i) {
        int at = b->jacobian[i] + 6 * r;
        for (int k = 0; k < 6; ++k) {
            double change = (ahead[at + k] - behind[at + k]) / (2.0 * part);
            p[6 * b->body[i] + k] +=
                scale * (force * change - s.damping * turning * lit->paper_rows[at + k]);
        }
    }
}

// Twists with their angular parts in body axes.
static void paper_body_twists(const step_context *c, const body_state *start, double *u)
{
    pawl_twists_of(c->model, start, u);
    for (int i = 0; i < c->model->body_count; ++i) {
        pawl_mat3 r = quat_matrix(start[i].q);
        paper_turn(u + 6 * i, &r, true);
    }
}

// The paper linearizes k~ at the start, where the derivative of the rows' directions is needed: by central
// differences of the Jacobian along the motion.
void pawl_lit_paper_begin(step_context *c, pawl_state *s, const step_weights *w)
{
    pawl_assembly *a = c->assembly;
    lit_memory *lit = lit_of(c);
    size_t twists = (size_t)(6 * c->model->body_count) * sizeof(double);
    memset(lit->paper_impulse, 0, twists);
    if (!a->has_soft_rows) {
        return;
    }
    paper_save_rows(a, lit->paper_rows);
    for (int r = 0; r < a->free_rows; ++r) {
        lit->paper_values[r] = paper_is_soft(a, r) ? *paper_value(a, r) : 0.0;
    }
    paper_body_twists(c, lit->start, c->u.start);
    // The difference is taken along the motion itself, so that g' = dg/dq v needs no derivatives of rows.
    double part = paper_part * w->h, *side[2] = {lit->paper_ahead, lit->paper_behind};
    for (int k = 0; k < 2; ++k) {
        double tau = k == 0 ? part : -part;
        pawl_advance_poses(c->model, lit->start, s->bodies, tau, w->begin + tau);
        pawl_assembly_place(a, s->bodies, s->coordinates, w->begin + tau, c->u.damping_time);
        paper_save_rows(a, side[k]);
        memcpy(s->bodies, lit->start, (size_t)c->model->body_count * sizeof *s->bodies);
    }
    for (int k = 0; k < a->free_blocks; ++k) {
        const row_block *b = &a->blocks[k];
        for (int r = 0; r < b->rows.dim; ++r) {
            if (paper_is_soft(a, b->rows.first_row + r)) {
                paper_add_geometric(c, b, r, side[0], side[1], part, w, lit->paper_impulse);
            }
        }
    }
}

// After the placement at the middle: soft rows get back the values and directions that they had at the start,
// turned with their bodies. Hard rows stay those of the middle.
void pawl_lit_paper_place(step_context *c)
{
    pawl_assembly *a = c->assembly;
    const lit_memory *lit = lit_of(c);
    for (int k = 0; k < a->free_blocks && a->has_soft_rows; ++k) {
        const row_block *b = &a->blocks[k];
        for (int r = 0; r < b->rows.dim; ++r) {
            int row = b->rows.first_row + r;
            if (!paper_is_soft(a, row)) {
                continue;
            }
            *paper_value(a, row) = lit->paper_values[row];
            for (int i = 0; i < b->body_count; ++i) {
                int at = b->jacobian[i] + 6 * r;
                memcpy(a->J + at, lit->paper_rows + at, 6 * sizeof *a->J);
                paper_turn(a->J + at, &a->rotation[b->body[i]], false);
            }
        }
        pawl_assembly_scale_block(a, k);
    }
}

// The explicit geometric term enters the free velocity and the impulses of forces, from body to world axes.
void pawl_lit_paper_add_impulse(step_context *c)
{
    const pawl_model *m = c->model;
    const pawl_assembly *a = c->assembly;
    for (int i = 0; i < m->body_count && a->has_soft_rows; ++i) {
        double *p = lit_of(c)->paper_impulse + 6 * i, *u = c->u.free + 6 * i;
        paper_turn(p, &a->rotation[i], false);
        pawl_vec3 spin = m3_mul(&a->inverse_inertia[i], v3(p[3], p[4], p[5]));
        for (int k = 0; k < 6; ++k) {
            c->u.driven[6 * i + k] += p[k];
        }
        for (int k = 0; k < 3; ++k) {
            u[k] += a->inverse_mass[i] * p[k];
        }
        u[3] += spin.x, u[4] += spin.y, u[5] += spin.z;
    }
}
