// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Copies the problem of a step as a sample: rows, masses, bounds and the solution.
//
// In loops from files with few digits rows contradict each other slightly; the step does not close those combinations
// (problem/weak_space.h). A sample has no such exception: the open part of its solution is subtracted from v_f, so
// that the sample has a solution, which is the same for all solvers.
#include "base/carver.h"
#include "math/rotation.h"
#include "problem/weak_space.h"
#include "step/common/sample.h"
#include <math.h>
#include <string.h>

typedef struct capture_arrays {
    double *mass, *inertia, *value, *v_f, *gap, *lower, *upper;
    int *block_rows, *kind, *row_start, *column;
} capture_arrays;

static void capture_layout(capture_arrays *c, const pawl_assembly *a, int entries, pawl_carver *mem)
{
    const pawl_problem *p = &a->problem;
    int rows = p->row_count, bodies = a->model->body_count;
    c->mass = PAWL_CARVE(mem, double, bodies);
    c->inertia = PAWL_CARVE(mem, double, 9 * bodies);
    c->value = PAWL_CARVE(mem, double, entries);
    c->v_f = PAWL_CARVE(mem, double, rows);
    c->gap = PAWL_CARVE(mem, double, rows);
    c->lower = PAWL_CARVE(mem, double, rows);
    c->upper = PAWL_CARVE(mem, double, rows);
    c->block_rows = PAWL_CARVE(mem, int, p->block_count);
    c->kind = PAWL_CARVE(mem, int, rows);
    c->row_start = PAWL_CARVE(mem, int, rows + 1);
    c->column = PAWL_CARVE(mem, int, entries);
}

static int capture_entries(const pawl_assembly *a)
{
    int entries = 0;
    for (int k = 0; k < a->problem.block_count; ++k) {
        entries += 6 * a->blocks[k].rows.dim * a->blocks[k].body_count;
    }
    return entries;
}

// Inertias as the step has them, damping of bodies included.
static void capture_bodies(capture_arrays *c, const pawl_assembly *a)
{
    for (int i = 0; i < a->model->body_count; ++i) {
        double s = a->inverse_mass[i];
        c->mass[i] = s > 0.0 ? 1.0 / s : 0.0;
        bool turns = s > 0.0 && a->model->bodies[i].kind == PAWL_BODY_RIGID;
        pawl_mat3 I = {0};
        if (turns) {
            I = m3_inverse(&a->inverse_inertia[i]);
        }
        memcpy(c->inertia + 9 * i, I.m, 9 * sizeof(double));
    }
}

// The sides of a block by ascending body.
static void capture_order(const row_block *b, int order[BLOCK_MAX_BODIES])
{
    for (int k = 0; k < b->body_count; ++k) {
        int at = k;
        for (; at > 0 && b->body[order[at - 1]] > b->body[k]; --at) {
            order[at] = order[at - 1];
        }
        order[at] = k;
    }
}

static void capture_jacobian(capture_arrays *c, const pawl_assembly *a)
{
    int at = 0;
    for (int k = 0; k < a->problem.block_count; ++k) {
        const row_block *b = &a->blocks[k];
        int order[BLOCK_MAX_BODIES];
        capture_order(b, order);
        c->block_rows[k] = b->rows.dim;
        for (int r = 0; r < b->rows.dim; ++r) {
            c->row_start[b->rows.first_row + r] = at;
            for (int s = 0; s < b->body_count; ++s) {
                const double *J = a->J + b->jacobian[order[s]] + 6 * r;
                for (int i = 0; i < 6; ++i, ++at) {
                    c->column[at] = 6 * b->body[order[s]] + i;
                    c->value[at] = J[i];
                }
            }
        }
    }
    c->row_start[a->problem.row_count] = at;
}

static void capture_kinds(capture_arrays *c, const pawl_assembly *a)
{
    const pawl_problem *p = &a->problem;
    int contacts = pawl_problem_contact_row(p, 0);
    for (int i = 0; i < p->row_count; ++i) {
        const row_info *info = &a->rows[i];
        unsigned traits = i < contacts ? info->family->traits : 0;
        bool limit = i >= p->free_row_count && (traits & ROW_IS_LIMIT) != 0;
        bool joint = i < p->free_row_count && (traits & ROW_IS_HARD) != 0;
        c->kind[i] = i >= contacts           ? PAWL_SAMPLE_CONTACT
                     : joint                 ? PAWL_SAMPLE_JOINT
                     : i < p->free_row_count ? PAWL_SAMPLE_SOFT
                     : limit                 ? PAWL_SAMPLE_LIMIT
                                             : PAWL_SAMPLE_BOUNDED;
        c->gap[i] = joint ? a->residual[i]
                    : limit
                        ? pawl_limit_gap_at(a->model, info, a->coordinates[info->coordinate].value)
                        : NAN;
        c->lower[i] = i < contacts ? p->lower[i] : 0.0; // cones say what contacts may do
        c->upper[i] = i < contacts ? p->upper[i] : INFINITY;
    }
    for (int k = 0; k < p->contact_count; ++k) {
        int i = pawl_problem_contact_row(p, k);
        c->lower[i] = c->lower[i + 1] = -INFINITY;
        c->gap[i + 2] = a->contacts[k].gap;
    }
}

// v_f without what the answer, with velocities v, leaves open; returns how many combinations that are.
static int capture_velocities(capture_arrays *c, const pawl_problem *p, const double *v)
{
    memcpy(c->v_f, p->v_f, (size_t)p->row_count * sizeof *c->v_f);
    if (p->free_row_count == 0 || !pawl_is_weak(p)) {
        return 0;
    }
    double *met = c->gap; // not in use yet
    memcpy(met, v, (size_t)p->free_row_count * sizeof *met);
    pawl_weak_velocities(p, met);
    for (int i = 0; i < p->free_row_count; ++i) {
        c->v_f[i] -= v[i] - met[i];
    }
    return pawl_weak_space_dimension(p->delassus->weak.space);
}

static pawl_status capture_make(const pawl_env *env, const pawl_assembly *a,
                                const pawl_sample_data *when, const double *start,
                                const double *lambda, const double *v, capture_arrays *c,
                                pawl_sample **out)
{
    const pawl_problem *p = &a->problem;
    int weak = capture_velocities(c, p, v);
    capture_bodies(c, a);
    capture_jacobian(c, a);
    capture_kinds(c, a);
    pawl_sample_data data = *when;
    data.system = a->model->name;
    data.scenario = "";
    data.body_count = a->model->body_count;
    data.row_count = p->row_count;
    data.free_row_count = p->free_row_count;
    data.block_count = p->block_count;
    data.contact_count = p->contact_count;
    data.weak_count = weak;
    data.mass = c->mass;
    data.inertia = c->inertia;
    data.block_rows = c->block_rows;
    data.kind = c->kind;
    data.row_start = c->row_start;
    data.column = c->column;
    data.value = c->value;
    data.v_f = c->v_f;
    data.bias = a->bias;
    data.gap = c->gap;
    data.lower = c->lower;
    data.upper = c->upper;
    data.compliance = p->compliance;
    data.friction = p->friction;
    data.start = start;
    data.answer = lambda;
    return pawl_sample_create(env, &data, out);
}

pawl_status pawl_sample_capture_take(const pawl_env *env, sample_capture *capture,
                                     const pawl_assembly *a, const pawl_sample_data *when,
                                     const double *start, const double *lambda, const double *v)
{
    pawl_sample_capture_drop(capture);
    if (a->metric != &pawl_body_metric) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "samples of '%s' need maximal coordinates (formulation=maximal)",
                         a->model->name);
    }
    int entries = capture_entries(a);
    capture_arrays arrays;
    pawl_carver need = {0};
    capture_layout(&arrays, a, entries, &need);
    char *block = pawl_alloc(env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "the sample of a step needs %zu bytes", need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    capture_layout(&arrays, a, entries, &mem);
    pawl_status status = capture_make(env, a, when, start, lambda, v, &arrays, &capture->sample);
    pawl_free(env, block, need.used);
    return status;
}

void pawl_sample_capture_drop(sample_capture *capture)
{
    pawl_sample_destroy(capture->sample);
    capture->sample = NULL;
}
