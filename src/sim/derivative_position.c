// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Derivatives of a position update (position_update.c). From poses q and twists u the update computed multipliers x
// and y with
//   w = u + M^-1 J(q)T x,   q+ = q (+) tau w,   f(q+) = 0,
//   u+ = w + M^-1 J(q+)T y,   J(q+) u+ = 0,
// J the rows of joints and prescribed motions. An armature a on a coordinate c is an additional row (rotors.c), with
// the rate v of its rotor v = (c(q+) - c(q))/tau = J_a(q) u - x_a/a and J_a(q+) u+ + y_a/a = v. Poses turn by exp(tau
// w), so that dq+ = exp(tau w) dq + tau Jl(tau w) dw. w is known from the two poses, x and y from w - u and u+ - w.
// The derivatives of M^-1 JT x and of J u+ with respect to the poses are differences of nearby placements, as in
// derivative_velocity.c.
#include "math/rotation.h"
#include "rows/row_build.h"
#include "sim/derive.h"
#include <string.h>

// What one of the two halves of the update is about.
typedef struct position_side {
    const body_state *at; // poses
    double time;
    const double *z;    // multipliers
    const double *hard; // (n) twists that hard rows are applied to
    const double *soft; // (n) and those of armatures
    double *by;         // derivative: (n + rows) x n
} position_side;

// The compliance of a free row in closures, or -1 for rows that take no part.
static double position_compliance(const pawl_assembly *a, int r)
{
    double armature = pawl_assembly_is_hard(a, r) ? 0.0 : pawl_assembly_armature(a, r);
    return pawl_assembly_is_hard(a, r) ? 0.0 : armature > 0.0 ? 1.0 / armature : -1.0;
}

static void position_place(pawl_derivative *d, const body_state *at, double time)
{
    memcpy(d->sim->next->bodies, at, (size_t)d->bodies * sizeof *at);
    pawl_assembly_place(d->sim->assembly, d->sim->next->bodies, d->sim->state->coordinates, time,
                        d->sim->context.u.damping_time);
}

// out (6) = M^-1 f of body i where the rows are placed.
static void position_accelerate(const pawl_derivative *d, int i, const double *f, double *out)
{
    const pawl_assembly *a = d->sim->assembly;
    pawl_vec3 w = m3_mul(&a->inverse_inertia[i], v3(f[3], f[4], f[5]));
    for (int k = 0; k < 3; ++k) {
        out[k] = a->inverse_mass[i] * f[k];
    }
    out[3] = w.x, out[4] = w.y, out[5] = w.z;
}

// JT z of block b on its bodies, and J t of its rows.
static void position_block(const pawl_derivative *d, const row_block *b, const position_side *side,
                           double *force, double *rows)
{
    const pawl_assembly *a = d->sim->assembly;
    memset(force, 0, 6 * BLOCK_MAX_BODIES * sizeof *force);
    for (int r = 0; r < b->rows.dim; ++r) {
        int row = b->rows.first_row + r;
        double compliance = position_compliance(a, row), sum = 0.0;
        const double *t = compliance == 0.0 ? side->hard : side->soft;
        for (int s = 0; s < b->body_count && compliance >= 0.0; ++s) {
            const double *J = pawl_row_jacobian(a, b, s, r), *u = t + 6 * b->body[s];
            for (int k = 0; k < 6; ++k) {
                force[6 * s + k] += side->z[row] * J[k];
                sum += J[k] * u[k];
            }
        }
        rows[row] = sum;
    }
}

static void position_sample(pawl_derivative *d, const position_side *side, const double *G,
                            derive_sample *out)
{
    position_place(d, d->moved, side->time);
    const pawl_assembly *a = d->sim->assembly;
    for (int k = 0; k < a->free_blocks; ++k) {
        position_block(d, &a->blocks[k], side, out->force + 6 * BLOCK_MAX_BODIES * k, out->row);
    }
    for (int i = 0; i < d->bodies; ++i) {
        position_accelerate(d, i, G + 6 * i, out->own + 6 * i);
    }
}

// The column of body j along direction k. The rows must be placed close to side->at.
static void position_put(pawl_derivative *d, const position_side *side, int j, int k)
{
    const pawl_assembly *a = d->sim->assembly;
    const derive_sample *p = &d->sample[0], *m = &d->sample[1];
    double *column = side->by + 6 * j + k, scale = 0.5 / derive_step;
    for (int i = 0; i < 6; ++i) {
        column[(6 * j + i) * d->n] += scale * (p->own[6 * j + i] - m->own[6 * j + i]);
    }
    for (int b = 0; b < a->free_blocks; ++b) {
        const row_block *block = &a->blocks[b];
        bool touches = false;
        for (int s = 0; s < block->body_count; ++s) {
            touches = touches || block->body[s] == j;
        }
        for (int s = 0; s < block->body_count && touches; ++s) {
            double f[6], w[6];
            for (int i = 0; i < 6; ++i) {
                int at = 6 * (BLOCK_MAX_BODIES * b + s) + i;
                f[i] = scale * (p->force[at] - m->force[at]);
            }
            position_accelerate(d, block->body[s], f, w);
            for (int i = 0; i < 6; ++i) {
                column[(6 * block->body[s] + i) * d->n] += w[i];
            }
        }
        for (int r = block->rows.first_row; r < block->rows.first_row + block->rows.dim && touches;
             ++r) {
            column[(d->n + r) * d->n] += scale * (p->row[r] - m->row[r]);
        }
    }
}

static void position_differentiate(pawl_derivative *d, const position_side *side, double *G)
{
    const pawl_assembly *a = d->sim->assembly;
    memset(side->by, 0, (size_t)(d->n + a->free_rows) * (size_t)d->n * sizeof *side->by);
    position_place(d, side->at, side->time);
    memset(G, 0, (size_t)d->n * sizeof *G);
    for (int k = 0; k < a->free_blocks; ++k) {
        double *force = d->sample[0].force;
        position_block(d, &a->blocks[k], side, force, d->sample[0].row);
        for (int s = 0; s < a->blocks[k].body_count; ++s) {
            for (int i = 0; i < 6; ++i) {
                G[6 * a->blocks[k].body[s] + i] += force[6 * s + i];
            }
        }
    }
    for (int color = 0; color < d->colors; ++color) {
        for (int k = 0; k < 6; ++k) {
            pawl_derive_move(d, side->at, color, k, derive_step);
            position_sample(d, side, G, &d->sample[0]);
            pawl_derive_move(d, side->at, color, k, -derive_step);
            position_sample(d, side, G, &d->sample[1]);
            for (int j = 0; j < d->bodies; ++j) {
                if (d->color[j] == color) {
                    position_put(d, side, j, k);
                }
            }
        }
    }
    position_place(d, side->at, side->time);
}

// Multipliers z with M^-1 JT z = change, where the rows are placed. Where that cannot be, the update was not the plain one.
static pawl_status position_multipliers(pawl_derivative *d, const double *change, double *z)
{
    const pawl_assembly *a = d->sim->assembly;
    int m = a->free_rows;
    memset(d->K, 0, (size_t)m * (size_t)m * sizeof *d->K);
    double *unit = d->rate, scale = 1e-9, off = 0.0;
    for (int r = 0; r < m; ++r) {
        double *u = d->X; // (n) scratch
        memset(unit, 0, (size_t)m * sizeof *unit);
        memset(u, 0, (size_t)d->n * sizeof *u);
        bool used = position_compliance(a, r) >= 0.0;
        unit[r] = used ? 1.0 : 0.0;
        pawl_assembly_add_impulses(a, unit, u);
        pawl_assembly_row_velocity(a, u, d->K + (size_t)r * (size_t)m);
        for (int c = 0; c < m; ++c) {
            d->K[(size_t)r * (size_t)m + (size_t)c] *= position_compliance(a, c) >= 0.0 ? 1.0 : 0.0;
        }
        d->K[(size_t)r * (size_t)m + (size_t)r] *= 1.0 + 1e-11;
        d->K[(size_t)r * (size_t)m + (size_t)r] += used ? 0.0 : 1.0;
    }
    pawl_assembly_row_velocity(a, change, z);
    for (int r = 0; r < m; ++r) {
        z[r] = position_compliance(a, r) >= 0.0 ? z[r] : 0.0;
    }
    if (!pawl_lu_factor(d->K, m, d->pivot)) {
        return PAWL_FAIL(&d->env, PAWL_NOT_SOLVED, "the rows of the joints are singular");
    }
    pawl_lu_solve(d->K, m, d->pivot, z);
    double *u = d->X;
    memset(u, 0, (size_t)d->n * sizeof *u);
    pawl_assembly_add_impulses(a, z, u);
    for (int i = 0; i < d->n; ++i) {
        scale = fmax(scale, fabs(change[i]));
        off = fmax(off, fabs(change[i] - u[i]));
    }
    return off <= 1e-4 * scale + 1e-9
               ? PAWL_OK
               : PAWL_FAIL(
                     &d->env, PAWL_UNSUPPORTED,
                     "a position update was not made along the joints alone (%.2g m/s off): it was "
                     "projected or done in parts",
                     off);
}

// exp(tau w) and its left Jacobian, of a body.
typedef struct position_turn {
    pawl_mat3 turn, left;
} position_turn;

static position_turn position_turn_of(const model_body *b, const double *w, double tau)
{
    pawl_vec3 v = b->kind == PAWL_BODY_RIGID ? v3(tau * w[3], tau * w[4], tau * w[5]) : v3(0, 0, 0);
    pawl_mat3 rate = rotation_vector_rate(v);
    return (position_turn){quat_matrix(quat_exp(v)), m3_inverse(&rate)};
}

// dq+ = exp(tau w) dq + tau Jl dw, in place of dq.
static void position_move_tangents(pawl_derivative *d, const double *w, double tau,
                                   const double *dw)
{
    int P = d->columns;
    for (int i = 0; i < d->bodies; ++i) {
        position_turn t = position_turn_of(&d->model->bodies[i], w + 6 * i, tau);
        for (int c = 0; c < P; ++c) {
            double *q = d->dq + (size_t)(6 * i) * (size_t)P + c;
            const double *u = dw + (size_t)(6 * i) * (size_t)P + c;
            for (int k = 0; k < 3; ++k) {
                q[k * P] += tau * u[k * P];
            }
            pawl_vec3 turned = m3_mul(&t.turn, v3(q[3 * P], q[4 * P], q[5 * P]));
            pawl_vec3 pushed = m3_mul(&t.left, v3(u[3 * P], u[4 * P], u[5 * P]));
            q[3 * P] = turned.x + tau * pushed.x;
            q[4 * P] = turned.y + tau * pushed.y;
            q[5 * P] = turned.z + tau * pushed.z;
        }
    }
}

// row . change of block b's row r, over its bodies, into out (columns).
static void position_add_row(const pawl_derivative *d, const row_block *b, int r, double sign,
                             const double *change, double *out)
{
    int P = d->columns;
    for (int s = 0; s < b->body_count; ++s) {
        const double *J = pawl_row_jacobian(d->sim->assembly, b, s, r);
        for (int k = 0; k < 6; ++k) {
            const double *row = change + (size_t)(6 * b->body[s] + k) * (size_t)P;
            for (int c = 0; c < P && J[k] != 0.0; ++c) {
                out[c] += sign * J[k] * row[c];
            }
        }
    }
}

// X = [ base + by dq ; -by dq ], with d M^-1 by factors of masses. base (n x columns).
static void position_right_side(pawl_derivative *d, const position_side *side, const double *base,
                                const double *G, int rows)
{
    int P = d->columns, N = d->n + rows;
    memset(d->X, 0, (size_t)N * (size_t)P * sizeof *d->X);
    memcpy(d->X, base, (size_t)d->n * (size_t)P * sizeof *d->X);
    for (int r = 0; r < N; ++r) {
        double *x = d->X + (size_t)r * (size_t)P;
        for (int j = 0; j < d->n; ++j) {
            double a = side->by[(size_t)r * (size_t)d->n + (size_t)j] * (r < d->n ? 1.0 : -1.0);
            const double *q = d->dq + (size_t)j * (size_t)P;
            for (int c = 0; c < P && a != 0.0; ++c) {
                x[c] += a * q[c];
            }
        }
    }
    for (int i = 0; i < d->bodies; ++i) {
        double w[6], factor = pawl_state_mass_factor(d->sim->state, i);
        position_accelerate(d, i, G + 6 * i, w);
        for (int k = 0; k < 6; ++k) {
            d->X[(size_t)(6 * i + k) * (size_t)P + (size_t)(d->first[PAWL_DERIVATIVE_MASS] + i)] -=
                w[k] / factor;
        }
    }
}

// The columns -M^-1 JT of the multipliers, the compliances, and 1 for rows that take no part.
static void position_matrix(pawl_derivative *d, int rows)
{
    const pawl_assembly *a = d->sim->assembly;
    int N = d->n + rows;
    memset(d->K, 0, (size_t)N * (size_t)N * sizeof *d->K);
    for (int i = 0; i < d->n; ++i) {
        d->K[(size_t)i * (size_t)N + (size_t)i] = 1.0;
    }
    for (int k = 0; k < a->free_blocks; ++k) {
        const row_block *b = &a->blocks[k];
        for (int r = 0; r < b->rows.dim; ++r) {
            int row = b->rows.first_row + r;
            double compliance = position_compliance(a, row), size = 0.0;
            for (int s = 0; s < b->body_count && compliance >= 0.0; ++s) {
                const double *J = pawl_row_jacobian(a, b, s, r);
                const double *MJ = a->MJ + b->jacobian[s] + 6 * r;
                for (int i = 0; i < 6; ++i) {
                    d->K[(size_t)(6 * b->body[s] + i) * (size_t)N + (size_t)(d->n + row)] -= MJ[i];
                    size += J[i] * MJ[i];
                }
            }
            d->K[(size_t)(d->n + row) * (size_t)N + (size_t)(d->n + row)] =
                compliance < 0.0 ? 1.0 : compliance + 1e-11 * size;
        }
    }
}

// Adds factor times the row's Jacobian, per body through `turn` (NULL: as it is), to its line of K. Hard rows or armatures.
static void position_lines(pawl_derivative *d, int rows, bool hard, double tau, const double *w)
{
    const pawl_assembly *a = d->sim->assembly;
    int N = d->n + rows;
    for (int k = 0; k < a->free_blocks; ++k) {
        const row_block *b = &a->blocks[k];
        for (int r = 0; r < b->rows.dim; ++r) {
            int row = b->rows.first_row + r;
            double compliance = position_compliance(a, row);
            if (compliance < 0.0 || (compliance == 0.0) != hard) {
                continue;
            }
            for (int s = 0; s < b->body_count; ++s) {
                const double *J = pawl_row_jacobian(a, b, s, r);
                double *line = d->K + (size_t)(d->n + row) * (size_t)N + 6 * b->body[s];
                double scale = w != NULL ? tau : 1.0;
                pawl_vec3 turn = v3(J[3], J[4], J[5]);
                if (w != NULL) {
                    position_turn t =
                        position_turn_of(&d->model->bodies[b->body[s]], w + 6 * b->body[s], tau);
                    turn = m3_tmul(&t.left, turn);
                }
                for (int i = 0; i < 3; ++i) {
                    line[i] += scale * J[i];
                }
                line[3] += scale * turn.x, line[4] += scale * turn.y, line[5] += scale * turn.z;
            }
        }
    }
}

// Right sides of rows: `hard` or armatures times a change of poses or twists.
static void position_rows(pawl_derivative *d, bool hard, double sign, const double *change)
{
    const pawl_assembly *a = d->sim->assembly;
    for (int k = 0; k < a->free_blocks; ++k) {
        const row_block *b = &a->blocks[k];
        for (int r = 0; r < b->rows.dim; ++r) {
            int row = b->rows.first_row + r;
            double compliance = position_compliance(a, row);
            if (compliance >= 0.0 && (compliance == 0.0) == hard) {
                position_add_row(d, b, r, sign, change,
                                 d->X + (size_t)(d->n + row) * (size_t)d->columns);
            }
        }
    }
}

static void position_clear_hard(pawl_derivative *d)
{
    const pawl_assembly *a = d->sim->assembly;
    for (int r = 0; r < a->free_rows; ++r) {
        if (position_compliance(a, r) <= 0.0) {
            memset(d->X + (size_t)(d->n + r) * (size_t)d->columns, 0,
                   (size_t)d->columns * sizeof *d->X);
        }
    }
}

// exp(tau w) dq into dw, which is scratch here.
static void position_turned(pawl_derivative *d, const double *w, double tau)
{
    int P = d->columns;
    memcpy(d->dw, d->dq, (size_t)d->n * (size_t)P * sizeof *d->dw);
    for (int i = 0; i < d->bodies; ++i) {
        position_turn t = position_turn_of(&d->model->bodies[i], w + 6 * i, tau);
        for (int c = 0; c < P; ++c) {
            double *q = d->dw + (size_t)(6 * i) * (size_t)P + c;
            pawl_vec3 turned = m3_mul(&t.turn, v3(q[3 * P], q[4 * P], q[5 * P]));
            q[3 * P] = turned.x, q[4 * P] = turned.y, q[5 * P] = turned.z;
        }
    }
}

// w, w - u and u+ - w of all bodies.
static void position_twists(const pawl_derivative *d, const body_state *from, const body_state *to,
                            double tau, double *w, double *first, double *second, double *end)
{
    for (int i = 0; i < d->bodies; ++i) {
        const body_state *a = &from[i], *b = &to[i];
        pawl_vec3 v = v3_scale(1.0 / tau, v3_sub(b->r, a->r));
        pawl_vec3 turn = v3_scale(1.0 / tau, quat_log(quat_mul(b->q, quat_conj(a->q))));
        if (d->model->bodies[i].kind == PAWL_BODY_POINT) {
            turn = a->w;
        }
        if (d->model->bodies[i].kind == PAWL_BODY_KINEMATIC) {
            v = a->v, turn = a->w;
        }
        const double mid[6] = {v.x, v.y, v.z, turn.x, turn.y, turn.z};
        const double u[6] = {a->v.x, a->v.y, a->v.z, a->w.x, a->w.y, a->w.z};
        const double p[6] = {b->v.x, b->v.y, b->v.z, b->w.x, b->w.y, b->w.z};
        bool moves = d->model->bodies[i].kind != PAWL_BODY_KINEMATIC;
        for (int k = 0; k < 6; ++k) {
            w[6 * i + k] = mid[k];
            first[6 * i + k] = moves ? mid[k] - u[k] : 0.0;
            second[6 * i + k] = moves ? p[k] - mid[k] : 0.0;
            end[6 * i + k] = p[k];
        }
    }
}

// What the rates of rotors have from the poses before the move, -J_a dq/tau: (rows x columns), to d->turned.
static void position_turned_back(pawl_derivative *d, double tau)
{
    size_t rows = (size_t)d->sim->assembly->free_rows * (size_t)d->columns;
    double *own = d->X + (size_t)d->n * (size_t)d->columns;
    memset(own, 0, rows * sizeof *own);
    position_rows(d, false, -1.0 / tau, d->dq);
    memcpy(d->turned, own, rows * sizeof *own);
}

// The equations of armatures in the first half, times tau: what they have at its start. `by` is of J_a u.
static void position_rotors_first(pawl_derivative *d, double tau)
{
    const pawl_assembly *a = d->sim->assembly;
    int N = d->n + a->free_rows, P = d->columns;
    for (int r = 0; r < a->free_rows; ++r) {
        double *x = d->X + (size_t)(d->n + r) * (size_t)P;
        bool rotor = position_compliance(a, r) > 0.0;
        for (int c = 0; c < P && rotor; ++c) {
            x[c] = -tau * (x[c] + d->turned[r * P + c]);
        }
        d->K[(size_t)(d->n + r) * (size_t)(N + 1)] *= rotor ? tau : 1.0;
    }
    position_rows(d, false, tau, d->du);
}

static void position_rotors_second(pawl_derivative *d, double tau)
{
    const pawl_assembly *a = d->sim->assembly;
    int P = d->columns;
    for (int r = 0; r < a->free_rows; ++r) {
        double *x = d->X + (size_t)(d->n + r) * (size_t)P;
        for (int c = 0; c < P && position_compliance(a, r) > 0.0; ++c) {
            x[c] += d->turned[r * P + c];
        }
    }
    position_rows(d, false, 1.0 / tau, d->dq);
}

pawl_status pawl_derive_position(pawl_derivative *d, const body_state *from, const body_state *to,
                                 double tau, double begin, double end)
{
    const pawl_assembly *a = d->sim->assembly;
    int rows = a->free_rows;
    double *w = d->twists, *first = w + d->n, *second = first + d->n, *last = second + d->n,
           *G = last + d->n;
    position_twists(d, from, to, tau, w, first, second, last);
    if (!d->sim->settings.project || rows == 0) {
        position_move_tangents(d, w, tau, d->du);
        return PAWL_OK;
    }
    // The first half: dw from dq and du.
    position_side side = {from, begin, d->x, last, first, d->by_pose};
    position_place(d, from, begin);
    PAWL_TRY(position_multipliers(d, first, d->x));
    for (int i = 0; i < d->n; ++i) {
        first[i] = w[i] - first[i]; // u, which rows of armatures are applied to
    }
    position_differentiate(d, &side, G);
    position_turned_back(d, tau);
    position_right_side(d, &side, d->du, G, rows);
    position_clear_hard(d);
    position_matrix(d, rows);
    position_rotors_first(d, tau);
    position_place(d, to, end);
    position_turned(d, w, tau);
    position_rows(d, true, -1.0, d->dw);
    position_rows(d, false, -1.0, d->dw);
    position_lines(d, rows, true, tau, w);
    position_lines(d, rows, false, tau, w);
    PAWL_TRY(pawl_derive_solve(d, d->n + rows));
    memcpy(d->dw, d->X, (size_t)d->n * (size_t)d->columns * sizeof *d->dw);
    position_move_tangents(d, w, tau, d->dw);
    // The second half: du+ from dq+ and dw.
    side = (position_side){to, end, d->y, last, last, d->by_twist};
    PAWL_TRY(position_multipliers(d, second, d->y));
    position_differentiate(d, &side, G);
    position_right_side(d, &side, d->dw, G, rows);
    position_rotors_second(d, tau);
    position_matrix(d, rows);
    position_lines(d, rows, true, tau, NULL);
    position_lines(d, rows, false, tau, NULL);
    PAWL_TRY(pawl_derive_solve(d, d->n + rows));
    memcpy(d->du, d->X, (size_t)d->n * (size_t)d->columns * sizeof *d->du);
    return PAWL_OK;
}
