// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Analysis of a mechanism at its start: rank, mobility, redundant rows and the joints that share them, singular
// positions.
//
// All of it follows from the weak space of the start (weak_space.h), which the solver excludes as well: both use one
// tolerance. Its vectors, in echelon form from the last row on, show which rows depend on earlier rows, so that
// redundancy is assigned to the joints that close loops, and which joints share it.
#include "base/array.h"
#include "base/carver.h"
#include "base/guard.h"
#include "rows/measure.h"
#include "sim/warnings.h"
#include "step/common/position_update.h"
#include <string.h>

static const double check_pivot =
    1e-3; // of a vector's largest entry: less does not make a row depend
static const double check_fraction = 1e-6; // of the redundant row's own part
enum { CHECK_NAMED_ROWS = 1200 };          // beyond this only the rank is given

// Vectors over all free rows, one after another.
// vectors (dimension x free rows), zero on entry. The weak space is stored by clusters of rows, scaled; here it is
// brought back to the rows of the assembly.
static void check_spread(const pawl_sim *sim, double *vectors)
{
    int n = sim->assembly->free_rows;
    for (int i = 0; i < sim->weak->cluster_count; ++i) {
        const weak_cluster *c = &sim->weak->clusters[i];
        for (int k = 0; k < c->base; ++k, vectors += n) {
            for (int r = 0; r < c->n; ++r) {
                vectors[c->rows[r]] = c->scale[r] * c->u[k * c->n + r];
            }
        }
    }
}

// Largest absolute entry.
static double check_size(const double *x, int n)
{
    double size = 0.0;
    for (int i = 0; i < n; ++i) {
        size = fmax(size, fabs(x[i]));
    }
    return size;
}

// The vector, of those not used yet, that has most at `row`; -1 where none has anything to speak of.
static int check_pivot_vector(const double *vectors, int count, int n, const int *pivot, int row)
{
    int best = -1;
    double most = 0.0;
    for (int k = 0; k < count; ++k) {
        const double *x = vectors + (size_t)k * (size_t)n;
        double fraction = pivot[k] < 0 ? fabs(x[row]) / check_size(x, n) : 0.0;
        if (fraction > check_pivot && fraction > most) {
            most = fraction;
            best = k;
        }
    }
    return best;
}

// Reduced echelon form from the last row on: pivot[k] is the row that vector k shows to depend on rows before.
static void check_echelon(double *vectors, int count, int n, int *pivot)
{
    for (int k = 0; k < count; ++k) {
        pivot[k] = -1;
    }
    for (int row = n - 1; row >= 0; --row) {
        int own = check_pivot_vector(vectors, count, n, pivot, row);
        if (own < 0) {
            continue;
        }
        const double *x = vectors + (size_t)own * (size_t)n;
        pivot[own] = row;
        for (int k = 0; k < count; ++k) {
            double *y = vectors + (size_t)k * (size_t)n;
            double s = k == own ? 0.0 : y[row] / x[row];
            for (int i = 0; i < n && s != 0.0; ++i) {
                y[i] -= s * x[i];
            }
        }
    }
}

static int check_row_joint(const pawl_sim *sim, int row)
{
    const row_info *info = &sim->assembly->rows[row];
    return pawl_row_joint(sim->model, info);
}

static void check_note_row(const pawl_sim *sim, const double *x, int row, bool *involved,
                           pawl_check *check)
{
    const row_info *info = &sim->assembly->rows[row];
    check->redundant[check->redundant_count++] = (pawl_redundant_row){
        model_joint_id(sim->model, check_row_joint(sim, row)), info->part,
        info->family->describe != NULL ? info->family->describe(sim->model, info)
                                       : info->family->name};
    double fraction = fmax(check_fraction, 10.0 * check->weak) * fabs(x[row]);
    for (int i = 0; i < sim->assembly->free_rows; ++i) {
        if (fabs(x[i]) > fraction) {
            involved[check_row_joint(sim, i)] = true;
        }
    }
}

// Which rows are redundant, in their order, and which joints share that.
// The block is zero when it is allocated, which check_spread and `involved` rely on.
static pawl_status check_name_rows(const pawl_sim *sim, pawl_check *check)
{
    int n = sim->assembly->free_rows, count = pawl_weak_space_dimension(sim->weak);
    double *vectors = NULL;
    int *pivot = NULL;
    bool *involved = NULL;
    char *block = NULL;
    size_t bytes = 0;
    for (int pass = 0; pass < 2; ++pass) {
        pawl_carver mem = {.base = block, .capacity = bytes};
        vectors = PAWL_CARVE(&mem, double, (size_t)count *(size_t)n);
        pivot = PAWL_CARVE(&mem, int, count);
        involved = PAWL_CARVE(&mem, bool, sim->model->joint_count);
        if (pass == 0) {
            bytes = mem.used;
            block = pawl_alloc(&sim->env, bytes);
            if (block == NULL) {
                return PAWL_FAIL(&sim->env, PAWL_NO_MEMORY, "redundant rows need %zu bytes", bytes);
            }
        }
    }
    check_spread(sim, vectors);
    check_echelon(vectors, count, n, pivot);
    for (int row = 0; row < n; ++row) {
        for (int k = 0; k < count; ++k) {
            if (pivot[k] == row) {
                check_note_row(sim, vectors + (size_t)k * (size_t)n, row, involved, check);
            }
        }
    }
    for (int i = 0; i < sim->model->joint_count; ++i) {
        if (involved[i]) {
            check->loop_joints[check->loop_joint_count++] = model_joint_id(sim->model, i);
        }
    }
    pawl_free(&sim->env, block, bytes);
    return PAWL_OK;
}

// A small deterministic generator for the directions in which a position is disturbed.
static double check_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) * 0x1p-53 - 0.5;
}

// One component after the other: compilers may evaluate the arguments of a call in any order.
static pawl_vec3 check_random_vec(uint64_t *seed)
{
    double x = check_random(seed), y = check_random(seed);
    return v3(x, y, check_random(seed));
}

// The fewest weak rows among a few positions close by, reached along motions that the joints allow, and the
// largest misfit there: at the start joints meet by the way that files state them.
static pawl_status check_fewest_weak(pawl_sim *sim, int *fewest, pawl_closure *misfit)
{
    uint64_t seed = 1;
    pawl_state *s = sim->next;
    for (int attempt = 0; attempt < 3; ++attempt) {
        pawl_state_copy(s, sim->state);
        for (int i = 0; i < sim->model->body_count; ++i) {
            body_state *b = &s->bodies[i];
            b->v = check_random_vec(&seed);
            b->w = check_random_vec(&seed);
        }
        // First projection: random twists become ones that the joints allow. Second, after the move: poses are closed
        // again.
        pawl_project(&sim->context, s, 0.0, 10, 1e-11);
        pawl_advance_poses(sim->model, s->bodies, s->bodies, 0.02, 0.0);
        pawl_project(&sim->context, s, 0.0, 50, 1e-11);
        pawl_closure apart = pawl_assembly_misfit(sim->assembly);
        if (fmax(apart.position, apart.rotation) > fmax(misfit->position, misfit->rotation)) {
            *misfit = apart;
        }
        weak_space *here;
        PAWL_TRY(pawl_weak_search(&sim->env, sim->coordinates, sim->weak->tolerance, &here));
        int dimension = pawl_weak_space_dimension(here);
        *fewest = dimension < *fewest ? dimension : *fewest;
        pawl_weak_space_destroy(here);
    }
    return PAWL_OK;
}

// Total mass [kg] and centre of mass at the start [m].
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

// rank: at the start. generic_rank: the largest of a few positions nearby. Where the first is less, the start is a
// singular position.
static pawl_status check_analyse(pawl_sim *sim, pawl_check *check)
{
    const pawl_model *m = sim->model;
    check->rows = m->row_count;
    check->velocity_count = m->velocity_count;
    check->rank = check->generic_rank = m->row_count;
    check->smallest_ratio = 1.0;
    check->misfit = (pawl_closure){0};
    if (!sim->assembly->has_loops || sim->weak == NULL) {
        return PAWL_OK;
    }
    int weak = pawl_weak_space_dimension(sim->weak), fewest = weak;
    check->rank = m->row_count - weak - sim->weak->empty;
    check->weak = pawl_weak_space_largest(sim->weak);
    check->smallest_ratio = sim->weak->strong;
    check->misfit = pawl_assembly_misfit(sim->assembly);
    if (m->row_count > CHECK_NAMED_ROWS) {
        check->generic_rank = check->rank;
        pawl_log(&sim->env, PAWL_LOG_NOTE,
                 "%d rows are too many to name the redundant ones; only the rank is reported",
                 m->row_count);
        return PAWL_OK;
    }
    PAWL_TRY(check_name_rows(sim, check));
    PAWL_TRY(check_fewest_weak(sim, &fewest, &check->misfit));
    // A row that is redundant at the start and not nearby is redundant by the position, not by the mechanism.
    check->generic_rank = check->rank + weak - fewest;
    check->singular = check->generic_rank > check->rank;
    return PAWL_OK;
}

typedef struct check_object { // what pawl_check_destroy() needs to know
    pawl_check check;
    pawl_env env;
    warning_list warnings;
    size_t bytes;
} check_object;

static pawl_status check_create(const pawl_env *env, const pawl_model *m, check_object **out)
{
    char *block = NULL;
    size_t bytes = 0;
    for (int pass = 0; pass < 2; ++pass) {
        pawl_carver mem = {.base = block, .capacity = bytes};
        check_object *object = PAWL_CARVE(&mem, check_object, 1);
        pawl_redundant_row *redundant = PAWL_CARVE(&mem, pawl_redundant_row, m->row_count);
        pawl_joint_id *loops = PAWL_CARVE(&mem, pawl_joint_id, m->joint_count);
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
        *out = object;
    }
    return PAWL_OK;
}

// Checks a sim at its start. `assembled` is what pawl_sim_begin() returned for it.
// A model that cannot be assembled has no rank, but its warnings are found all the same: they may say why.
static pawl_status check_start(pawl_sim *sim, pawl_status assembled, pawl_check **out)
{
    check_object *object = NULL;
    PAWL_TRY(check_create(&sim->env, sim->model, &object));
    pawl_check *check = &object->check;
    check->start = sim->given;
    check->assembled = sim->assembled;
    pawl_status status = assembled;
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
    if (status != PAWL_OK && status != PAWL_NOT_ASSEMBLED) {
        pawl_check_destroy(check);
        return status;
    }
    *out = check;
    return status;
}

pawl_status pawl_check_model(const pawl_env *env, const pawl_model *m, pawl_check **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, m);
    PAWL_NEED(env, out);
    *out = NULL;
    pawl_settings settings = pawl_settings_default();
    pawl_sim *sim;
    PAWL_TRY(pawl_sim_create_raw(env, m, &settings, &sim));
    pawl_status status = pawl_sim_begin(sim);
    if (status == PAWL_OK || status == PAWL_NOT_ASSEMBLED) {
        status = check_start(sim, status, out);
    }
    pawl_sim_destroy(sim);
    return status;
}

// Everything that check_start() writes to in a sim is computed again by every step: sim->next, where the assembly is
// placed, what the weak space follows, the pairs of the finder.
pawl_status pawl_check_sim(pawl_sim *sim, pawl_check **out)
{
    PAWL_NEED(NULL, sim);
    PAWL_NEED(&sim->env, out);
    *out = NULL;
    if (sim->state->step != 0) {
        return PAWL_FAIL(&sim->env, PAWL_BAD_ARGUMENT,
                         "a sim of '%s' is checked before its first step, not at t = %g s",
                         sim->model->name, sim->state->time);
    }
    if (sim->coordinates->ops->has_tree_joints) { // rank and rows are those of all joints
        return pawl_check_model(&sim->env, sim->model, out);
    }
    return check_start(sim, PAWL_OK, out);
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
