// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What a mechanism is, before it moves: rank, mobility, which rows are redundant and who shares
// them, whether this is a singular position.
//
// Rows of J in the metric of the masses are orthogonalized one after another in the order of the
// joints (modified Gram-Schmidt, twice). A row whose remainder is below 1e-8 of itself depends on
// the rows before it, so redundancy is put on the joints that close loops, and the coefficients of
// the dependency tell which joints share it.
#include "assemble/measure.h"
#include "base/array.h"
#include "base/carver.h"
#include "linalg/dense.h"
#include "sim/warnings.h"
#include <string.h>

static const double check_dependent = 1e-8;
enum { CHECK_DENSE_ROWS = 1200 }; // beyond this only the rank is found, by the sparse factor

typedef struct check_work {
    int n, hard, columns;
    double *rows;  // (hard x columns) turned into the orthonormal basis in place
    double *coefs; // (hard x hard) row i = sum of coefs[i][k] basis k
    double *norm;  // (hard)
    int *kept;     // (hard) index of the row that became basis k
    int *which;    // (hard) row of the assembly
    double *x;     // (hard)
    bool *shares;  // (joints)
    char *block;
    size_t bytes;
} check_work;

static pawl_status check_work_create(const pawl_sim *sim, check_work *w)
{
    const pawl_assembly *a = sim->assembly;
    *w = (check_work){.columns = 6 * sim->model->body_count};
    for (int r = 0; r < a->free_rows; ++r) {
        w->hard += a->rows[r].kind <= ROW_MOTION;
    }
    size_t h = (size_t)w->hard;
    for (int pass = 0; pass < 2; ++pass) {
        pawl_carver mem = {.base = w->block, .capacity = w->bytes};
        w->rows = PAWL_CARVE(&mem, double, h *(size_t)w->columns);
        w->coefs = PAWL_CARVE(&mem, double, h *h);
        w->norm = PAWL_CARVE(&mem, double, h);
        w->kept = PAWL_CARVE(&mem, int, h);
        w->which = PAWL_CARVE(&mem, int, h);
        w->x = PAWL_CARVE(&mem, double, h);
        w->shares = PAWL_CARVE(&mem, bool, sim->model->joint_count);
        if (pass == 0) {
            w->bytes = mem.used;
            w->block = pawl_alloc(&sim->env, w->bytes);
            if (w->block == NULL) {
                return PAWL_FAIL(&sim->env, PAWL_NO_MEMORY, "the rank of J needs %zu bytes",
                                 w->bytes);
            }
        }
    }
    return PAWL_OK;
}

// Lower Cholesky factor of a symmetric positive definite 3 x 3 matrix (zero stays zero).
static pawl_mat3 check_cholesky(const pawl_mat3 *a)
{
    pawl_mat3 l = {0};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i; ++j) {
            double s = a->m[i][j];
            for (int k = 0; k < j; ++k) {
                s -= l.m[i][k] * l.m[j][k];
            }
            l.m[i][j] = i == j ? sqrt(fmax(s, 0.0)) : l.m[j][j] > 0.0 ? s / l.m[j][j] : 0.0;
        }
    }
    return l;
}

// The hard rows times M^-1/2.
static void check_fill(const pawl_sim *sim, check_work *w)
{
    const pawl_assembly *a = sim->assembly;
    w->n = 0;
    for (int k = 0; k < a->free_blocks; ++k) {
        const row_block *b = &a->blocks[k];
        for (int r = 0; r < b->rows.dim; ++r) {
            if (a->rows[b->rows.first_row + r].kind > ROW_MOTION) {
                continue;
            }
            double *row = w->rows + (size_t)w->n * (size_t)w->columns;
            memset(row, 0, (size_t)w->columns * sizeof *row);
            for (int s = 0; s < b->body_count; ++s) {
                const double *j = a->J + b->jacobian[s] + 6 * r;
                double *out = row + 6 * b->body[s];
                double root = sqrt(a->inverse_mass[b->body[s]]);
                pawl_mat3 l = check_cholesky(&a->inverse_inertia[b->body[s]]);
                pawl_vec3 t = m3_tmul(&l, v3(j[3], j[4], j[5]));
                out[0] = root * j[0], out[1] = root * j[1], out[2] = root * j[2];
                out[3] = t.x, out[4] = t.y, out[5] = t.z;
            }
            w->which[w->n++] = b->rows.first_row + r;
        }
    }
}

// Orthogonalizes; returns the rank. With `check` not NULL, notes redundant rows and who shares them.
static int check_rank(const pawl_sim *sim, check_work *w, pawl_check *check)
{
    const pawl_assembly *a = sim->assembly;
    int rank = 0, columns = w->columns;
    double largest = 0.0, smallest = INFINITY;
    for (int i = 0; i < w->n; ++i) {
        double *row = w->rows + (size_t)i * (size_t)columns;
        double *coef = w->coefs + (size_t)i * (size_t)w->hard;
        memset(coef, 0, (size_t)w->hard * sizeof *coef);
        double before = sqrt(pawl_dot(row, row, columns));
        for (int pass = 0; pass < 2; ++pass) {
            for (int k = 0; k < rank; ++k) {
                const double *basis = w->rows + (size_t)w->kept[k] * (size_t)columns;
                double s = pawl_dot(row, basis, columns);
                coef[k] += s;
                for (int c = 0; c < columns; ++c) {
                    row[c] -= s * basis[c];
                }
            }
        }
        double after = sqrt(pawl_dot(row, row, columns));
        if (after > check_dependent * before) {
            for (int c = 0; c < columns; ++c) {
                row[c] /= after;
            }
            coef[rank] = after;
            w->kept[rank++] = i;
            largest = fmax(largest, after / before);
            smallest = fmin(smallest, after / before);
            continue;
        }
        if (check == NULL) {
            continue;
        }
        // row i = sum of x_k row kept[k]: back substitution in the triangle of the kept rows
        memcpy(w->x, coef, (size_t)rank * sizeof *w->x);
        for (int k = rank - 1; k >= 0; --k) {
            const double *kept = w->coefs + (size_t)w->kept[k] * (size_t)w->hard;
            w->x[k] /= kept[k];
            for (int j = 0; j < k; ++j) {
                w->x[j] -= w->x[k] * kept[j];
            }
        }
        const row_info *info = &a->rows[w->which[i]];
        int joint = info->kind == ROW_MOTION ? sim->model->motions[info->owner].joint : info->owner;
        check->redundant[check->redundant_count++] = (pawl_redundant_row){
            joint, info->part,
            info->kind == ROW_MOTION
                ? "prescribed motion"
                : pawl_joint_row_name(sim->model->joints[joint].kind, info->part)};
        w->shares[joint] = true;
        for (int k = 0; k < rank; ++k) {
            const row_info *other = &a->rows[w->which[w->kept[k]]];
            if (other->kind == ROW_JOINT && fabs(w->x[k]) > 1e-6) {
                w->shares[other->owner] = true;
            }
        }
    }
    if (check != NULL) {
        check->smallest_ratio = rank > 0 ? smallest / largest : 1.0;
    }
    return rank;
}

// A small deterministic generator for the directions in which a position is disturbed.
static double check_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) * 0x1p-53 - 0.5;
}

// The largest rank among a few positions close by, reached along motions that the joints allow.
static int check_generic_rank(pawl_sim *sim, check_work *w)
{
    int best = 0;
    uint64_t seed = 1;
    pawl_state *s = sim->next;
    for (int attempt = 0; attempt < 3; ++attempt) {
        pawl_state_copy(s, sim->state);
        for (int i = 0; i < sim->model->body_count; ++i) {
            body_state *b = &s->bodies[i];
            b->v = v3(check_random(&seed), check_random(&seed), check_random(&seed));
            b->w = v3(check_random(&seed), check_random(&seed), check_random(&seed));
        }
        pawl_project(&sim->context, s, 0.0, 10, 1e-11);
        pawl_advance_poses(sim->model, s->bodies, s->bodies, 0.02, 0.0);
        pawl_project(&sim->context, s, 0.0, 50, 1e-11);
        check_fill(sim, w);
        int rank = check_rank(sim, w, NULL);
        best = rank > best ? rank : best;
    }
    return best;
}

static void check_masses(const pawl_sim *sim, pawl_check *check)
{
    const pawl_model *m = sim->model;
    check->mass = m->total_mass;
    for (int i = 0; i < m->body_count; ++i) {
        check->com = v3_axpy(check->com, m->bodies[i].mass, sim->state->bodies[i].r);
    }
    if (check->mass > 0.0) {
        check->com = v3_scale(1.0 / check->mass, check->com);
    }
}

static pawl_status check_analyse(pawl_sim *sim, pawl_check *check)
{
    const pawl_model *m = sim->model;
    check->rows = m->row_count;
    check->velocity_count = m->velocity_count;
    check->rank = check->generic_rank = m->row_count;
    check->smallest_ratio = 1.0;
    if (!sim->assembly->has_loops) {
        return PAWL_OK;
    }
    pawl_assembly_place(sim->assembly, sim->state->bodies, sim->state->coordinates, 0.0, 0.0);
    pawl_assembly_pose_closure(sim->assembly);
    if (m->row_count > CHECK_DENSE_ROWS) {
        pawl_delassus *d = sim->delassus;
        check->rank -= d->ops->factor(d, sim->assembly->compliance, 0.0);
        check->generic_rank = check->rank;
        pawl_log(&sim->env, PAWL_LOG_NOTE,
                 "%d rows are too many to find out which are redundant; only the rank is given",
                 m->row_count);
        return PAWL_OK;
    }
    check_work w;
    PAWL_TRY(check_work_create(sim, &w));
    check_fill(sim, &w);
    check->rank = check_rank(sim, &w, check);
    for (int i = 0; i < m->joint_count; ++i) {
        if (w.shares[i]) {
            check->loop_joints[check->loop_joint_count++] = i;
        }
    }
    int generic = check_generic_rank(sim, &w);
    check->generic_rank = generic > check->rank ? generic : check->rank;
    check->singular = check->generic_rank > check->rank;
    pawl_free(&sim->env, w.block, w.bytes);
    return PAWL_OK;
}

typedef struct check_object { // what pawl_check_destroy() needs to know
    pawl_check check;
    pawl_env env;
    warning_list warnings;
    size_t bytes;
} check_object;

pawl_status pawl_check_model(const pawl_env *env, const pawl_model *m, pawl_check **out)
{
    *out = NULL;
    char *block = NULL;
    size_t bytes = 0;
    check_object *object = NULL;
    for (int pass = 0; pass < 2; ++pass) {
        pawl_carver mem = {.base = block, .capacity = bytes};
        object = PAWL_CARVE(&mem, check_object, 1);
        pawl_redundant_row *redundant = PAWL_CARVE(&mem, pawl_redundant_row, m->row_count);
        int *loops = PAWL_CARVE(&mem, int, m->joint_count);
        if (pass == 0) {
            bytes = mem.used;
            block = pawl_alloc(env, bytes);
            if (block == NULL) {
                return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory to check '%s'", m->name);
            }
            continue;
        }
        object->check.redundant = redundant;
        object->check.loop_joints = loops;
        object->env = *env;
        object->warnings.env = &object->env;
        object->bytes = bytes;
    }
    pawl_check *check = &object->check;
    pawl_settings settings = pawl_settings_default();
    pawl_sim *sim;
    pawl_status status = pawl_sim_create_raw(env, m, &settings, &sim);
    if (status != PAWL_OK) {
        pawl_check_destroy(check);
        return status;
    }
    status = pawl_sim_assemble(sim, &check->start, &check->assembled);
    if (status == PAWL_OK) {
        check_masses(sim, check);
        status = check_analyse(sim, check);
        check->mobility = check->velocity_count - check->rank;
    }
    if (status == PAWL_OK || status == PAWL_NOT_ASSEMBLED) {
        pawl_status listed = pawl_warnings_find(sim, &object->warnings);
        status = listed != PAWL_OK ? listed : status;
        check->warning_count = object->warnings.items.count;
        check->warnings = object->warnings.items.data;
    }
    pawl_sim_destroy(sim);
    if (status != PAWL_OK && status != PAWL_NOT_ASSEMBLED) {
        pawl_check_destroy(check);
        return status;
    }
    *out = check;
    return status;
}

void pawl_check_destroy(pawl_check *check)
{
    if (check != NULL) {
        check_object *object = (check_object *)(void *)check;
        pawl_env env = object->env;
        pawl_warnings_free(&object->warnings);
        pawl_free(&env, object, object->bytes);
    }
}
