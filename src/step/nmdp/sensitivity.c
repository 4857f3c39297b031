// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Derivatives of a converged stage. With multipliers l of G = 0 and m of the full groups it is a solution
// of
//   F1 = dK/dtheta + (dG/dtheta)T l = 0,   G = 0,   F2 = (dG/dw_i)T l + m = 0 for all w_i > 0,
//   sum of w over a full group = 1,   w_i = 0 for the others,
// and the implicit function theorem differentiates it with these sets frozen. dK, dG/dtheta and dG/dw are
// exact; second derivatives of G are central differences of them. They matter where contacts slide. Where all stick, K is
// zero and so is l (`still`): the conditions are A (d - rho) = 0 and G = 0, and no second derivative is needed.
// A displacement of the ground is a displacement of the contact points relative to it. One step of implicit Euler
// (nmdp.order=1) is differentiated at the minimum that it found. Active sets are frozen: where a contact is about to
// open or a weight about to vanish there are only one-sided derivatives, and the result is one of them. Outputs are
// (position, rate) at the end, 2 nv rows, one column for each input.
#include "pawl/sensitivity.h"
#include "base/guard.h"
#include "linalg/lu.h"
#include "model/live_model.h"
#include "step/nmdp/nmdp.h"
#include <string.h>

// Central differences: the error is of order step^2 plus rounding/step, about 1e-10 for quantities of size one.
static const double sensitivity_difference = 1e-5;
static const double sensitivity_still = 1e-8;  // [m or rad]
static const double sensitivity_apart = 1e-11; // of weights that could take each other's place

struct pawl_sensitivity {
    pawl_env env;
    pawl_settings settings;
    live_model live; // the model with the inputs of the state
    nmdp *s;
    pawl_state *state;
    char *block;
    size_t bytes;
    double time;
    double *theta, *w;             // the solution
    double *from, *from_rate;      // (nv) what the step began with
    double *l;                     // (nv)
    double *F1[2], *F2[2], *F3[2]; // (nv), (weights), (nv) on both sides of a difference
    int *free_weight,
        *free_group; // weights above 0, and which full group each belongs to (-1: none)
    int free_count, full_count;
    signed char *saturated; // (actuators) modes of the solution
    bool still;             // l = 0: no contact slides
    double *kkt, *right;    // (size x size), (size)
    double *scale;          // (size) of rows and columns of kkt
    int *pivot;
    double *matrix[PAWL_SENSITIVITY_INPUT_COUNT]; // (2 nv x inputs)
};

int pawl_sensitivity_coordinate_count(const pawl_sensitivity *d)
{
    return d != NULL ? d->s->n : 0;
}

// In the order of the enum: positions, rates, generalized forces, targets of actuators, and the numbers of the
// contact models, PAWL_WRENCH_NUMBER_COUNT for each point.
int pawl_sensitivity_input_count(const pawl_sensitivity *d, pawl_sensitivity_input input)
{
    if (d == NULL || (unsigned)input >= PAWL_SENSITIVITY_INPUT_COUNT) {
        return 0;
    }
    const int counts[PAWL_SENSITIVITY_INPUT_COUNT] = {d->s->n,
                                                      d->s->n,
                                                      d->s->n,
                                                      d->s->model->actuator_count,
                                                      PAWL_WRENCH_NUMBER_COUNT * d->s->points,
                                                      6};
    return counts[input];
}

// Which body, joint and part of it a coordinate is. Floating bases and balls count their columns from the first.
pawl_status pawl_sensitivity_coordinate(const pawl_sensitivity *d, int coordinate,
                                        pawl_body_id *body, pawl_joint_id *joint, int *part)
{
    PAWL_NEED(NULL, d);
    PAWL_NEED(&d->env, body);
    PAWL_NEED(&d->env, joint);
    PAWL_NEED(&d->env, part);
    if (!PAWL_HAS(&d->env, "coordinate", coordinate, d->s->n)) {
        return PAWL_BAD_ARGUMENT;
    }
    const reduced_column *c = &d->s->tree->columns[coordinate];
    const reduced_link *l = &d->s->tree->links[c->link];
    *body = model_body_id(d->s->model, l->body);
    *joint = model_joint_id(d->s->model, l->joint);
    *part = c->coordinate < 0 || l->joint < 0
                ? coordinate - l->first_column
                : c->coordinate - d->s->model->joints[l->joint].first_coordinate;
    return PAWL_OK;
}

// The linear system has theta (nv), l (nv), the free weights and one multiplier for each full group; room is for
// all of them at once.
static void sensitivity_layout(pawl_sensitivity *d, pawl_carver *mem)
{
    const nmdp *s = d->s;
    size_t n = (size_t)s->n, weights = (size_t)s->weights;
    size_t size = 2 * n + weights + (size_t)s->points + 2 * (size_t)s->friction_count;
    double **vectors[] = {&d->theta, &d->from,  &d->from_rate, &d->l,
                          &d->F1[0], &d->F1[1], &d->F3[0],     &d->F3[1]};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i) {
        *vectors[i] = PAWL_CARVE(mem, double, n);
    }
    d->w = PAWL_CARVE(mem, double, weights);
    d->F2[0] = PAWL_CARVE(mem, double, weights);
    d->F2[1] = PAWL_CARVE(mem, double, weights);
    d->free_weight = PAWL_CARVE(mem, int, weights);
    d->free_group = PAWL_CARVE(mem, int, weights);
    d->saturated = PAWL_CARVE(mem, signed char, s->model->actuator_count);
    d->kkt = PAWL_CARVE(mem, double, size *size);
    d->right = PAWL_CARVE(mem, double, size);
    d->scale = PAWL_CARVE(mem, double, size);
    d->pivot = PAWL_CARVE(mem, int, size);
    for (int k = 0; k < PAWL_SENSITIVITY_INPUT_COUNT; ++k) {
        size_t inputs = (size_t)pawl_sensitivity_input_count(d, (pawl_sensitivity_input)k);
        d->matrix[k] = PAWL_CARVE(mem, double, 2 * n * inputs);
    }
}

// The conditions need dv/dpose: with nmdp.gradient=zeroth the matrix lacks them and is not the derivative of G.
static pawl_status sensitivity_check(const pawl_env *env, const nmdp *s)
{
    if (s->settings->nmdp.order != 1 || s->settings->nmdp.gradient != PAWL_NMDP_FIRST) {
        return PAWL_FAIL(env, PAWL_UNSUPPORTED,
                         "sensitivities are those of nmdp.order=1 with nmdp.gradient=first");
    }
    if (s->loop_count > 0) {
        return PAWL_FAIL(env, PAWL_UNSUPPORTED,
                         "sensitivities are those of trees, but joint '%s' of '%s' closes a loop",
                         s->model->joints[s->loop[0].joint].name, s->model->name);
    }
    for (int i = 0; i < s->points; ++i) {
        if (!s->point[i].first_order) {
            return PAWL_FAIL(
                env, PAWL_UNSUPPORTED,
                "sensitivities need derivatives of contact models, and that of contact "
                "point %d has none",
                i);
        }
    }
    return PAWL_OK;
}

// An nmdp of its own, on a live copy of the model: what is computed here never touches the run whose states are
// given.
static pawl_status sensitivity_create_parts(pawl_sensitivity *d, const pawl_model *model)
{
    PAWL_TRY(pawl_settings_check(&d->env, &d->settings));
    pawl_live_begin(&d->live, &d->env, model);
    PAWL_TRY(pawl_nmdp_create(&d->env, &d->live.model, &d->settings, &d->s));
    PAWL_TRY(sensitivity_check(&d->env, d->s));
    d->s->aim_once = true; // K's conditions are known for the first aim
    PAWL_TRY(pawl_state_create(&d->env, model, &d->state));
    pawl_carver need = {0};
    sensitivity_layout(d, &need);
    d->bytes = need.used;
    d->block = pawl_alloc(&d->env, need.used);
    if (d->block == NULL) {
        return PAWL_FAIL(&d->env, PAWL_NO_MEMORY, "sensitivities need %zu bytes", need.used);
    }
    pawl_carver mem = {.base = d->block, .capacity = need.used};
    sensitivity_layout(d, &mem);
    return PAWL_OK;
}

pawl_status pawl_sensitivity_create(const pawl_env *env, const pawl_model *model,
                                    const pawl_settings *settings, pawl_sensitivity **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, model);
    PAWL_NEED(env, settings);
    PAWL_NEED(env, out);
    PAWL_NEED_STAMP(env, settings, PAWL_STAMP_SETTINGS, "pawl_settings_default");
    *out = NULL;
    pawl_sensitivity *d = pawl_alloc(env, sizeof *d);
    if (d == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for sensitivities");
    }
    d->env = *env;
    d->settings = *settings;
    pawl_status status = sensitivity_create_parts(d, model);
    if (status != PAWL_OK) {
        pawl_sensitivity_destroy(d);
        return status;
    }
    *out = d;
    return PAWL_OK;
}

// In the reverse order of creation; the stepper points into the live model.
void pawl_sensitivity_destroy(pawl_sensitivity *d)
{
    if (d == NULL) {
        return;
    }
    pawl_env env = d->env;
    pawl_free(&env, d->block, d->bytes);
    pawl_state_destroy(d->state);
    pawl_nmdp_destroy(d->s);
    pawl_live_end(&d->live);
    pawl_free(&env, d, sizeof *d);
}

// ---- the conditions of a solution ---------------------------------------------------------------

// The stage of a step from theta with this rate.
static void sensitivity_pose(pawl_sensitivity *d, const double *theta, const double *rate)
{
    nmdp *s = d->s;
    size_t bytes = (size_t)s->numbers * sizeof(double);
    // Implicit Euler: the stage starts from the beginning of the step, X^ = X and V^ = V.
    pawl_nmdp_begin(s, theta, rate, d->time);
    memcpy(s->stage.place.theta, s->begin.theta, bytes);
    memcpy(s->stage.rate.theta, s->begin_rate.theta, bytes);
    pawl_nmdp_aim(s);
    memcpy(s->saturated, d->saturated, (size_t)s->model->actuator_count);
}

// F1, F2, F3 = G at theta with the weights and multipliers of the solution.
static void sensitivity_conditions(pawl_sensitivity *d, const double *theta, int side)
{
    nmdp *s = d->s;
    int n = s->n;
    // pawl_nmdp_balance() places the links; energy and columns below are those of that place.
    pawl_nmdp_balance(s, theta, d->w, d->F3[side], d->still ? NULL : s->matrix);
    pawl_nmdp_energy(s, theta, d->F1[side], NULL);
    if (d->still) {
        memset(d->F2[side], 0, (size_t)d->free_count * sizeof(double));
        return;
    }
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < n; ++i) {
            d->F1[side][i] += s->matrix[k * n + i] * d->l[k];
        }
    }
    (void)pawl_nmdp_columns(s); // it had room when the step was done
    for (int f = 0; f < d->free_count; ++f) {
        d->F2[side][f] = 0.0;
        for (int u = 0; u < s->used_count; ++u) {
            for (int k = 0; k < n && s->used[u] == d->free_weight[f]; ++k) {
                d->F2[side][f] += s->B[k * s->used_count + u] * d->l[k];
            }
        }
    }
}

// (F[0] - F[1])/(2 step) of all three.
static void sensitivity_divide(pawl_sensitivity *d)
{
    double scale = 0.5 / sensitivity_difference;
    for (int k = 0; k < d->s->n; ++k) {
        d->F1[0][k] = scale * (d->F1[0][k] - d->F1[1][k]);
        d->F3[0][k] = scale * (d->F3[0][k] - d->F3[1][k]);
    }
    for (int f = 0; f < d->free_count; ++f) {
        d->F2[0][f] = scale * (d->F2[0][f] - d->F2[1][f]);
    }
}

// What dropping l costs is of the size of d - rho beside 1 [m or rad].
static void sensitivity_find_still(pawl_sensitivity *d)
{
    const nmdp *s = d->s;
    d->still = s->settings->nmdp.energy == PAWL_NMDP_ENERGY_EFFECTIVE;
    for (int k = 0; k < s->n; ++k) {
        double left = d->theta[k] - s->stage.place.theta[k] - s->shift[k];
        d->still = d->still && fabs(left) < sensitivity_still;
    }
}

// Weights above zero, the groups that are full, and the multipliers of G.
// F1 = 0 gives l = -(dG/dtheta)^-T dK/dtheta. Below 1e-9 from full counts as full: the program ends on the bound
// up to rounding.
static bool sensitivity_read_solution(pawl_sensitivity *d)
{
    nmdp *s = d->s;
    int n = s->n;
    d->free_count = d->full_count = 0;
    for (int i = 0; i < s->points; ++i) {
        const nmdp_point *p = &s->point[i];
        double sum = 0.0;
        for (int k = 0; k < p->vertex_count && p->touching; ++k) {
            sum += d->w[p->first_weight + k];
        }
        int group = sum >= 1.0 - 1e-9 ? d->full_count++ : -1;
        for (int k = 0; k < p->vertex_count && p->touching; ++k) {
            if (d->w[p->first_weight + k] > 0.0) {
                d->free_group[d->free_count] = group;
                d->free_weight[d->free_count++] = p->first_weight + k;
            }
        }
    }
    for (int i = 0; i < 2 * s->friction_count; ++i) {
        const double *own = d->w + s->first_friction + i / 2 * 2;
        bool full = own[0] + own[1] >= 1.0 - 1e-9;
        if (own[i % 2] > 0.0) {
            d->free_group[d->free_count] = full ? d->full_count++ : -1; // one of two is above zero
            d->free_weight[d->free_count++] = s->first_friction + i;
        }
    }
    sensitivity_find_still(d);
    pawl_nmdp_balance(s, d->theta, d->w, s->G, s->matrix);
    pawl_nmdp_energy(s, d->theta, d->l, NULL);
    memcpy(s->factor, s->matrix, (size_t)n * (size_t)n * sizeof *s->factor);
    if (!pawl_lu_factor(s->factor, n, s->pivot)) {
        return false;
    }
    // d->l held dK/dtheta up to here.
    pawl_lu_solve_transposed(s->factor, n, s->pivot, d->l);
    for (int k = 0; k < n; ++k) {
        d->l[k] = d->still ? 0.0 : -d->l[k];
    }
    return true;
}

// F1_theta and F2_theta, into rows and columns of the matrix: central differences, or where nothing slides the masses of K.
static void sensitivity_second_derivatives(pawl_sensitivity *d, int size)
{
    int n = d->s->n, f = d->free_count;
    double *M = d->kkt;
    for (int j = 0; j < n && d->still; ++j) {
        memcpy(M + j * size, d->s->metric + j * n, (size_t)n * sizeof *M);
    }
    for (int j = 0; j < n && !d->still; ++j) {
        double at = d->theta[j];
        for (int side = 0; side < 2; ++side) {
            d->theta[j] = at + (side == 0 ? 1.0 : -1.0) * sensitivity_difference;
            sensitivity_conditions(d, d->theta, side);
        }
        d->theta[j] = at;
        sensitivity_divide(d);
        for (int i = 0; i < n; ++i) {
            M[i * size + j] = d->F1[0][i];
        }
        for (int i = 0; i < f; ++i) {
            M[(2 * n + i) * size + j] = d->F2[0][i];
            M[j * size + 2 * n + i] = d->F2[0][i];
        }
    }
}

// G_theta and B, at the solution.
static void sensitivity_first_derivatives(pawl_sensitivity *d, int size)
{
    nmdp *s = d->s;
    int n = s->n, f = d->free_count;
    double *M = d->kkt;
    pawl_nmdp_balance(s, d->theta, d->w, s->G, s->matrix);
    (void)pawl_nmdp_columns(s); // it had room when the step was done
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < n; ++i) {
            M[(n + k) * size + i] = s->matrix[k * n + i];
            M[i * size + n + k] = s->matrix[k * n + i];
        }
    }
    for (int i = 0, u = 0; i < f; ++i) { // both lists ascend
        while (u < s->used_count && s->used[u] != d->free_weight[i]) {
            ++u;
        }
        for (int k = 0; k < n && u < s->used_count; ++k) {
            M[(n + k) * size + 2 * n + i] = s->B[k * s->used_count + u];
            M[(2 * n + i) * size + n + k] = s->B[k * s->used_count + u];
        }
    }
}

// Rows and columns by the same numbers, so that the largest entries are about 1: forces, lengths and weights differ by
// many powers of ten.
static void sensitivity_scale(pawl_sensitivity *d, int size)
{
    double *M = d->kkt;
    for (int i = 0; i < size; ++i) {
        d->scale[i] = 1.0;
    }
    for (int round = 0; round < 4; ++round) {
        for (int i = 0; i < size; ++i) {
            double largest = 0.0;
            for (int k = 0; k < size; ++k) {
                largest = fmax(largest, fabs(M[i * size + k]) * d->scale[i] * d->scale[k]);
            }
            d->scale[i] /= largest > 0.0 ? sqrt(largest) : 1.0;
        }
    }
    for (int i = 0; i < size; ++i) {
        for (int k = 0; k < size; ++k) {
            M[i * size + k] *= d->scale[i] * d->scale[k];
        }
    }
}

// The matrix of the linearized conditions over (theta, l, w, m). Redundant weights (redundant contacts, such as the
// corners of a box) are made unique by a small regularization, which does not change their resultant.
static bool sensitivity_factor(pawl_sensitivity *d)
{
    int n = d->s->n, f = d->free_count, size = 2 * n + f + d->full_count;
    // Blocks of the symmetric matrix, rows and columns in the order theta, l, w, m:
    //     F1_theta  G_thetaT  F2_thetaT  0
    //     G_theta   0         B          0
    //     F2_theta  BT        eps        1
    //     0         0         1T         0
    double *M = d->kkt;
    memset(M, 0, (size_t)size * (size_t)size * sizeof *M);
    sensitivity_second_derivatives(d, size);
    sensitivity_first_derivatives(d, size);
    for (int i = 0; i < f; ++i) {
        int row = 2 * n + i, group = d->free_group[i];
        if (group >= 0) {
            M[row * size + 2 * n + f + group] = 1.0;
            M[(2 * n + f + group) * size + row] = 1.0;
        }
    }
    sensitivity_scale(d, size);
    for (int i = 0; i < f; ++i) {
        M[(2 * n + i) * size + 2 * n + i] += sensitivity_apart;
    }
    return pawl_lu_factor(M, size, d->pivot);
}

// ---- inputs ------------------------------------------------------------------------------------

// Writes the column of an input whose derivative of the conditions is in F1[0], F2[0], F3[0];
// `began` is the derivative of the coordinates before the step (NULL: none).
// Solves the linearized conditions for one input: d(theta, l, w, m) = -KKT^-1 dF. Rates follow from theta+ and
// theta-: rate = (theta+ - theta-)/h.
static void sensitivity_column(pawl_sensitivity *d, pawl_sensitivity_input input, int column,
                               const double *began)
{
    int n = d->s->n, f = d->free_count, size = 2 * n + f + d->full_count;
    int inputs = pawl_sensitivity_input_count(d, input);
    memset(d->right, 0, (size_t)size * sizeof *d->right);
    for (int k = 0; k < n; ++k) {
        d->right[k] = -d->F1[0][k];
        d->right[n + k] = -d->F3[0][k];
    }
    for (int i = 0; i < f; ++i) {
        d->right[2 * n + i] = -d->F2[0][i];
    }
    for (int k = 0; k < size; ++k) {
        d->right[k] *= d->scale[k];
    }
    pawl_lu_solve(d->kkt, size, d->pivot, d->right);
    for (int k = 0; k < n; ++k) {
        d->right[k] *= d->scale[k];
    }
    for (int k = 0; k < n; ++k) {
        double before = began != NULL ? began[k] : 0.0;
        d->matrix[input][k * inputs + column] = d->right[k];
        d->matrix[input][(n + k) * inputs + column] = (d->right[k] - before) / d->s->stage.h;
    }
}

// For inputs that most of the conditions do not depend on.
static void sensitivity_clear(pawl_sensitivity *d)
{
    memset(d->F1[0], 0, (size_t)d->s->n * sizeof(double));
    memset(d->F2[0], 0, (size_t)d->s->weights * sizeof(double));
    memset(d->F3[0], 0, (size_t)d->s->n * sizeof(double));
}

// Of a ball, a turn before the step with the angular velocity in its own axes kept changes the rate in the
// chart by half of turn x velocity.
static void sensitivity_turn_rate(const pawl_sensitivity *d, int column, double *change)
{
    const reduced_tree *t = d->s->tree;
    memset(change, 0, (size_t)d->s->n * sizeof *change);
    int ball = t->columns[column].ball;
    if (ball < 0) {
        return;
    }
    int first = t->ball_column[ball];
    const double *w = d->from_rate + first;
    double e[3] = {0.0};
    e[column - first] = 1.0;
    pawl_vec3 half = v3_scale(0.5, v3_cross(v3(e[0], e[1], e[2]), v3(w[0], w[1], w[2])));
    change[first] = half.x, change[first + 1] = half.y, change[first + 2] = half.z;
}

// By position or rate before the step. The whole stage depends on them, so the conditions at the solution are
// evaluated from two displaced beginnings. The stage of the true beginning is set again at the end.
static void sensitivity_by_state(pawl_sensitivity *d, pawl_sensitivity_input input)
{
    nmdp *s = d->s;
    int n = s->n;
    // Scratch of the stepper: theta and rate are read before pawl_nmdp_aim() writes to s->trial.
    double *change = s->start, *theta = s->trial, *rate = s->direction;
    s->keep_metric = d->still; // A (d - rho) with d = rho does not change with A
    for (int j = 0; j < n; ++j) {
        for (int side = 0; side < 2; ++side) {
            double step = (side == 0 ? 1.0 : -1.0) * sensitivity_difference;
            memset(change, 0, (size_t)n * sizeof *change);
            if (input == PAWL_BY_POSITION) {
                sensitivity_turn_rate(d, j, change);
            } else {
                change[j] = 1.0;
            }
            for (int k = 0; k < n; ++k) {
                theta[k] = d->from[k] + (input == PAWL_BY_POSITION && k == j ? step : 0.0);
                rate[k] = d->from_rate[k] + step * change[k];
            }
            sensitivity_pose(d, theta, rate);
            sensitivity_conditions(d, d->theta, side);
        }
        sensitivity_divide(d);
        memset(change, 0, (size_t)n * sizeof *change);
        // theta+ - theta- has the displaced beginning in it.
        change[j] = input == PAWL_BY_POSITION ? 1.0 : 0.0;
        sensitivity_column(d, input, j, change);
    }
    sensitivity_pose(d, d->from, d->from_rate);
    s->keep_metric = false;
}

// By a displacement of the ground: the beginning stays, what contact points see of it changes.
static void sensitivity_by_ground(pawl_sensitivity *d)
{
    nmdp *s = d->s;
    s->keep_metric = d->still;
    for (int j = 0; j < 6; ++j) {
        for (int side = 0; side < 2; ++side) {
            double step = (side == 0 ? 1.0 : -1.0) * sensitivity_difference;
            pawl_vec3 along =
                v3(j % 3 == 0 ? step : 0.0, j % 3 == 1 ? step : 0.0, j % 3 == 2 ? step : 0.0);
            pawl_vec3 none = v3(0.0, 0.0, 0.0);
            s->ground.r = j < 3 ? along : none;
            s->ground.R = quat_matrix(quat_exp(j < 3 ? none : along));
            s->ground_moved = true;
            sensitivity_pose(d, d->from, d->from_rate);
            sensitivity_conditions(d, d->theta, side);
        }
        sensitivity_divide(d);
        sensitivity_column(d, PAWL_BY_GROUND, j, NULL);
    }
    s->ground_moved = false;
    sensitivity_pose(d, d->from, d->from_rate);
    s->keep_metric = false;
}

// A generalized force enters G with a minus sign and nothing else, so no differences are needed. Targets of
// actuators act by their gain; a saturated actuator does not respond to its target.
static void sensitivity_by_forces(pawl_sensitivity *d)
{
    nmdp *s = d->s;
    for (int j = 0; j < s->n; ++j) {
        sensitivity_clear(d);
        d->F3[0][j] = s->motion_of[j] < 0 ? -1.0 : 0.0; // a prescribed coordinate does not care
        sensitivity_column(d, PAWL_BY_FORCE, j, NULL);
    }
    for (int i = 0; i < s->model->actuator_count; ++i) {
        const pawl_actuator_def *a = &s->model->actuators[i];
        double gain = a->kind == PAWL_ACTUATOR_FORCE      ? 1.0
                      : a->kind == PAWL_ACTUATOR_POSITION ? a->stiffness
                                                          : a->damping;
        sensitivity_clear(d);
        bool saturated = d->saturated[i] != 0;
        bool prescribed = s->motion_of[s->actuator_column[i]] >= 0;
        d->F3[0][s->actuator_column[i]] = saturated || prescribed ? 0.0 : -gain;
        sensitivity_column(d, PAWL_BY_TARGET, i, NULL);
    }
}

// -JT (dv/dnumber) w of a point, where things are placed, along the multipliers and into G.
// Returns the product with l; G (nv) gets the derivative itself, unless it is NULL.
static double sensitivity_contact(pawl_sensitivity *d, int point, pawl_wrench_number number,
                                  double *G)
{
    nmdp *s = d->s;
    const nmdp_point *p = &s->point[point];
    double *dv = s->dv; // as large as all derivatives of all points
    memset(s->step, 0, (size_t)s->n * sizeof *s->step);
    nmdp_view view = pawl_nmdp_view_now(s, point);
    if (!pawl_wrench_set_sensitivity(s->set, point, &view.frame, number, dv)) {
        return 0.0;
    }
    double along = 0.0;
    for (int i = 0; i < p->vertex_count; ++i) {
        const double *v = dv + i * p->component_count;
        bool wrench = p->component_count == 6;
        double w = d->w[p->first_weight + i];
        pawl_vec3 moment = wrench ? v3(v[3], v[4], v[5]) : v3(0.0, 0.0, 0.0);
        pawl_vec3 force = v3_scale(-w, v3(v[0], v[1], v[2])), at = s->frame[point].position;
        pawl_vec3 turning = v3_scale(-w, moment);
        if (p->pair) {
            force = m3_mul(&view.axes, force), turning = m3_mul(&view.axes, turning);
            pawl_reduced_add_wrench(s->motion, p->other_link, at, v3_scale(-1.0, force),
                                    v3_scale(-1.0, turning), s->step);
        }
        pawl_reduced_add_wrench(s->motion, p->link, at, force, turning, s->step);
    }
    for (int k = 0; k < s->n; ++k) {
        s->step[k] = s->motion_of[k] < 0 ? s->step[k] : 0.0;
        along += s->step[k] * d->l[k];
        if (G != NULL) {
            G[k] = s->step[k];
        }
    }
    return along;
}

// Of the free weights of a point: -(JT dv_i/dnumber) . l
// F2 of a weight is its own vertex alone. It is had as a difference of two evaluations, exact because they are
// linear in the weight.
static void sensitivity_contact_columns(pawl_sensitivity *d, int point, pawl_wrench_number number)
{
    const nmdp_point *p = &d->s->point[point];
    for (int f = 0; f < d->free_count; ++f) {
        int own = d->free_weight[f] - p->first_weight;
        if (own < 0 || own >= p->vertex_count) {
            continue;
        }
        double kept = d->w[d->free_weight[f]], without, with;
        d->w[d->free_weight[f]] = 0.0; // linear in each weight
        without = sensitivity_contact(d, point, number, NULL);
        d->w[d->free_weight[f]] = 1.0;
        with = sensitivity_contact(d, point, number, NULL);
        d->w[d->free_weight[f]] = kept;
        d->F2[0][f] = with - without;
    }
}

// F1 needs the derivative of -(JT dv/dnumber w) . l by theta, a central difference: into the rows of the result, for all
// numbers of all points at once. Zero where l is.
static void sensitivity_contact_curvature(pawl_sensitivity *d)
{
    nmdp *s = d->s;
    int n = s->n, inputs = PAWL_WRENCH_NUMBER_COUNT * s->points;
    double *out = d->matrix[PAWL_BY_CONTACT];
    memset(out, 0, 2 * (size_t)n * (size_t)inputs * sizeof *out);
    for (int j = 0; j < n && !d->still; ++j) {
        double at = d->theta[j];
        for (int side = 0; side < 2; ++side) {
            double sign = side == 0 ? 1.0 : -1.0;
            d->theta[j] = at + sign * sensitivity_difference;
            pawl_nmdp_place(s, d->theta, false);
            for (int column = 0; column < inputs; ++column) {
                int point = column / PAWL_WRENCH_NUMBER_COUNT;
                if (!s->point[point].touching) {
                    column += PAWL_WRENCH_NUMBER_COUNT - 1;
                    continue;
                }
                out[j * inputs + column] +=
                    sign * 0.5 / sensitivity_difference *
                    sensitivity_contact(
                        d, point, (pawl_wrench_number)(column % PAWL_WRENCH_NUMBER_COUNT), NULL);
            }
        }
        d->theta[j] = at;
    }
    pawl_nmdp_place(s, d->theta, false);
}

// Numbers of the contact models (friction, stiffness ...) enter through the vertices alone. Points that do not touch
// have none.
static void sensitivity_by_contacts(pawl_sensitivity *d)
{
    nmdp *s = d->s;
    int inputs = PAWL_WRENCH_NUMBER_COUNT * s->points;
    sensitivity_contact_curvature(d);
    for (int column = 0; column < inputs; ++column) {
        int point = column / PAWL_WRENCH_NUMBER_COUNT;
        pawl_wrench_number number = (pawl_wrench_number)(column % PAWL_WRENCH_NUMBER_COUNT);
        if (!s->point[point].touching) {
            continue;
        }
        sensitivity_clear(d);
        sensitivity_contact(d, point, number, d->F3[0]);
        if (!d->still) {
            sensitivity_contact_columns(d, point, number);
        }
        for (int j = 0; j < s->n; ++j) {
            d->F1[0][j] = d->matrix[PAWL_BY_CONTACT][j * inputs + column];
        }
        sensitivity_column(d, PAWL_BY_CONTACT, column, NULL);
    }
}

// ---- balls at the end --------------------------------------------------------------------------

// From (xi, xi') in the chart of the beginning to a turn and the angular velocity in the ball's own axes at
// the end: turn = LT dxi, w = LT xi', dw = LT dxi' + (dLT/dxi dxi) xi'.
static void sensitivity_turn_rows(pawl_sensitivity *d, pawl_sensitivity_input input)
{
    const reduced_tree *t = d->s->tree;
    int inputs = pawl_sensitivity_input_count(d, input), n = d->s->n;
    const pawl_vec3 unit[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int b = 0; b < t->ball_count; ++b) {
        int first = t->ball_column[b];
        const double *xi = d->theta + first, *before = d->from + first;
        double h = d->s->stage.h;
        pawl_vec3 rate =
            v3((xi[0] - before[0]) / h, (xi[1] - before[1]) / h, (xi[2] - before[2]) / h);
        // Coordinates of a ball are those of a chart about where the step began; what the caller gets are turns
        // and spins, which do not depend on the chart.
        rotation_chart chart = pawl_rotation_chart(v3(xi[0], xi[1], xi[2]));
        pawl_mat3 left = pawl_chart_left_matrix(&chart);
        for (int column = 0; column < inputs; ++column) {
            double *x = d->matrix[input] + first * inputs + column;
            double *u = x + (size_t)n * (size_t)inputs;
            pawl_vec3 dx = v3(x[0], x[inputs], x[2 * inputs]);
            pawl_vec3 du = v3(u[0], u[inputs], u[2 * inputs]), dw = m3_tmul(&left, du);
            const double part[3] = {dx.x, dx.y, dx.z};
            for (int j = 0; j < 3; ++j) {
                pawl_vec3 bend = v3(v3_dot(pawl_chart_left_derivative(&chart, j, unit[0]), rate),
                                    v3_dot(pawl_chart_left_derivative(&chart, j, unit[1]), rate),
                                    v3_dot(pawl_chart_left_derivative(&chart, j, unit[2]), rate));
                dw = v3_axpy(dw, part[j], bend);
            }
            dx = m3_tmul(&left, dx);
            x[0] = dx.x, x[inputs] = dx.y, x[2 * inputs] = dx.z;
            u[0] = dw.x, u[inputs] = dw.y, u[2 * inputs] = dw.z;
        }
    }
}

// memory[0] = 0 makes the copy of the state forget beta, and with it rates and weights of the step before: the
// derivative is that of a step from positions and rates alone.
pawl_status pawl_sensitivity_compute(pawl_sensitivity *d, const pawl_state *from)
{
    PAWL_NEED(NULL, d);
    PAWL_NEED(&d->env, from);
    nmdp *s = d->s;
    if (from->model->hash != s->model->hash) {
        return PAWL_FAIL(&d->env, PAWL_BAD_ARGUMENT,
                         "the state belongs to another model, '%s', expected one of '%s'",
                         from->model->name, s->model->name);
    }
    PAWL_TRY(pawl_live_follow(&d->live, from));
    pawl_state_copy(d->state, from);
    d->state->memory[0] = 0.0;
    d->time = from->time;
    s->counts = (nmdp_counts){0};
    pawl_nmdp_read_state(s, d->state);
    memcpy(d->from, s->begin.theta, (size_t)s->n * sizeof *d->from);
    memcpy(d->from_rate, s->begin_rate.theta, (size_t)s->n * sizeof *d->from);
    if (!pawl_nmdp_euler_stage(s, s->settings->dt, d->time, d->time + s->settings->dt)) {
        return PAWL_FAIL(&d->env, PAWL_NOT_SOLVED,
                         "the step from t = %g s must be cut; its derivative is not known",
                         d->time);
    }
    memcpy(d->theta, s->theta, (size_t)s->n * sizeof *d->theta);
    memcpy(d->w, s->w, (size_t)s->weights * sizeof *d->w);
    memcpy(d->saturated, s->saturated, (size_t)s->model->actuator_count);
    if (!sensitivity_read_solution(d) || !sensitivity_factor(d)) {
        return PAWL_FAIL(&d->env, PAWL_NOT_SOLVED,
                         "the step from t = %g s has no derivative: its equations are singular",
                         d->time);
    }
    sensitivity_by_forces(d);
    sensitivity_by_contacts(d);
    sensitivity_by_state(d, PAWL_BY_POSITION);
    sensitivity_by_state(d, PAWL_BY_RATE);
    sensitivity_by_ground(d);
    for (int k = 0; k < PAWL_SENSITIVITY_INPUT_COUNT; ++k) {
        sensitivity_turn_rows(d, (pawl_sensitivity_input)k);
    }
    return PAWL_OK;
}

// The end of the step that was differentiated; spins of balls are in their own axes.
pawl_status pawl_sensitivity_end(const pawl_sensitivity *d, double *position, double *rate)
{
    PAWL_NEED(NULL, d);
    PAWL_NEED(&d->env, position);
    PAWL_NEED(&d->env, rate);
    for (int k = 0; k < d->s->n; ++k) {
        position[k] = d->theta[k];
        rate[k] = (d->theta[k] - d->from[k]) / d->s->stage.h;
    }
    pawl_reduced_ball_velocity(d->s->tree, position, rate, rate);
    return PAWL_OK;
}

// (2 nv x inputs), row by row: positions at the end, then rates.
const double *pawl_sensitivity_matrix(const pawl_sensitivity *d, pawl_sensitivity_input input)
{
    return d != NULL && (unsigned)input < PAWL_SENSITIVITY_INPUT_COUNT ? d->matrix[input] : NULL;
}
