// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Many states of one model, stepped by a few simulations (pawl/batch.h).
//
// A simulation is large: rows, factors, scratch. A state is small. Therefore each thread has one simulation, which
// gets one state after another and steps it in place (pawl_sim_lend()). The state contains everything that determines
// a step, so the bits do not depend on the simulation. Threads share only a counter of copies; the results of a copy
// have slots of their own.
#include "pawl/batch.h"
#include "base/guard.h"
#include "base/thread_pool.h"
#include "rows/measure.h"
#include "sim/sim.h"
#include <string.h>

enum { BATCH_MAX_THREADS = 1024 };

// The data of each copy besides its state.
typedef struct batch_copy {
    pawl_state *state;
    const pawl_sim *sim; // that stepped it last
    pawl_status status;
    bool stepped;
    pawl_step_report report;
    pawl_verdict verdict;
} batch_copy;

struct pawl_batch {
    pawl_env env;
    const pawl_model *model;
    pawl_settings settings;
    int count, threads;
    thread_pool *pool;
    pawl_env shared;                          // env, safe for all threads
    pawl_sim **sims;                          // (threads)
    pawl_state **own;                         // (threads) states that the sims were made with
    char *block;                              // the states
    size_t stride;                            // bytes from one to the next
    batch_copy *copies;                       // (count)
    double *results[PAWL_BATCH_RESULT_COUNT]; // (count x batch_width())
    // Of the call that is under way.
    const unsigned char *mask;
    int steps;
    const pawl_state *from;
    bool keep_inputs;
};

// Numbers of a result for each copy.
static int batch_width(const pawl_model *m, pawl_batch_result result)
{
    switch (result) {
    case PAWL_BATCH_COORDINATE:
    case PAWL_BATCH_RATE:
        return m->coordinate_count;
    case PAWL_BATCH_CONTACT_FORCE:
        return 3 * m->body_count;
    case PAWL_BATCH_EFFORT:
        return m->actuator_count;
    case PAWL_BATCH_RESULT_COUNT:
        break;
    }
    return 0;
}

static double *batch_result(const pawl_batch *b, pawl_batch_result result, int copy)
{
    return b->results[result] + (size_t)copy * (size_t)batch_width(b->model, result);
}

static size_t batch_result_bytes(const pawl_batch *b, pawl_batch_result result)
{
    return (size_t)b->count * (size_t)batch_width(b->model, result) * sizeof(double);
}

// ---- life ------------------------------------------------------------------------------------------

void pawl_batch_destroy(pawl_batch *b)
{
    if (b == NULL) {
        return;
    }
    for (int i = 0; i < b->threads && b->sims != NULL; ++i) {
        if (b->sims[i] != NULL && b->own[i] != NULL) {
            pawl_sim_lend(b->sims[i], b->own[i]);
        }
        pawl_sim_destroy(b->sims[i]);
    }
    pawl_env env = b->env;
    pawl_thread_pool_destroy(b->pool);
    pawl_free(&env, b->sims, (size_t)b->threads * sizeof *b->sims);
    pawl_free(&env, b->own, (size_t)b->threads * sizeof *b->own);
    pawl_free(&env, b->block, (size_t)b->count * b->stride);
    pawl_free(&env, b->copies, (size_t)b->count * sizeof *b->copies);
    for (int k = 0; k < PAWL_BATCH_RESULT_COUNT; ++k) {
        pawl_free(&env, b->results[k], batch_result_bytes(b, (pawl_batch_result)k));
    }
    pawl_free(&env, b, sizeof *b);
}

static pawl_status batch_allocate(pawl_batch *b)
{
    const pawl_env *env = &b->env;
    b->stride = pawl_state_bytes(b->model);
    b->sims = pawl_alloc(env, (size_t)b->threads * sizeof *b->sims);
    b->own = pawl_alloc(env, (size_t)b->threads * sizeof *b->own);
    b->block = pawl_alloc(env, (size_t)b->count * b->stride);
    b->copies = pawl_alloc(env, (size_t)b->count * sizeof *b->copies);
    bool all = b->sims != NULL && b->own != NULL && b->block != NULL && b->copies != NULL;
    for (int k = 0; k < PAWL_BATCH_RESULT_COUNT && all; ++k) {
        size_t bytes = batch_result_bytes(b, (pawl_batch_result)k);
        b->results[k] = bytes > 0 ? pawl_alloc(env, bytes) : NULL;
        all = bytes == 0 || b->results[k] != NULL;
    }
    return all ? PAWL_OK
               : PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for %d copies of '%s' of %zu bytes each",
                           b->count, b->model->name, b->stride);
}

// The first simulation assembles the start; all copies begin there.
static pawl_status batch_fill(pawl_batch *b)
{
    PAWL_TRY(batch_allocate(b));
    PAWL_TRY(pawl_thread_pool_create(&b->env, b->threads, &b->pool));
    b->shared = pawl_thread_pool_env(b->pool);
    for (int i = 0; i < b->threads; ++i) {
        PAWL_TRY(pawl_sim_create(&b->shared, b->model, &b->settings, &b->sims[i]));
        b->own[i] = b->sims[i]->state;
    }
    for (int i = 0; i < b->count; ++i) {
        PAWL_TRY(pawl_state_begin(&b->shared, b->model, b->block + (size_t)i * b->stride,
                                  &b->copies[i].state));
    }
    return pawl_batch_reset(b, NULL, NULL, false);
}

pawl_status pawl_batch_create(const pawl_env *env, const pawl_model *model,
                              const pawl_settings *settings, int count, int threads,
                              pawl_batch **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, model);
    PAWL_NEED(env, settings);
    PAWL_NEED(env, out);
    *out = NULL;
    PAWL_TRY(pawl_settings_check(env, settings));
    if (count < 1 || threads < 1 || threads > BATCH_MAX_THREADS) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "a batch of %d copies with %d threads; expected 1 or more copies and 1 to "
                         "%d threads",
                         count, threads, BATCH_MAX_THREADS);
    }
    pawl_batch *b = pawl_alloc(env, sizeof *b);
    if (b == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for a batch of '%s'", model->name);
    }
    b->env = *env;
    b->model = model;
    b->settings = *settings;
    b->settings.threads = 1;
    b->count = count;
    b->threads = threads < count ? threads : count;
    pawl_status status = batch_fill(b);
    if (status != PAWL_OK) {
        pawl_batch_destroy(b);
        return status;
    }
    *out = b;
    return PAWL_OK;
}

// ---- steps -----------------------------------------------------------------------------------------

// Contacts that bear a force, by body.
static void batch_sum_contacts(const pawl_sim *sim, double *force)
{
    memset(force, 0, (size_t)(3 * sim->model->body_count) * sizeof *force);
    for (int i = 0; i < sim->context.out.contact_count; ++i) {
        const pawl_contact_info *c = &sim->context.out.contacts[i];
        const int body[2] = {pawl_body_index(c->body_a), pawl_body_index(c->body_b)};
        for (int side = 0; side < 2; ++side) {
            double sign = side == 0 ? -1.0 : 1.0, *f = force + 3 * body[side];
            if (body[side] >= 0) {
                f[0] += sign * c->force.x;
                f[1] += sign * c->force.y;
                f[2] += sign * c->force.z;
            }
        }
    }
}

static void batch_measure_copy(pawl_batch *b, int copy)
{
    pawl_state_joints(b->copies[copy].state, batch_result(b, PAWL_BATCH_COORDINATE, copy),
                      batch_result(b, PAWL_BATCH_RATE, copy));
}

// The simulation of a worker continues with its previous copy, if no other simulation has stepped that copy since.
static pawl_sim *batch_take(pawl_batch *b, int worker, batch_copy *c)
{
    pawl_sim *sim = b->sims[worker];
    if (c->sim != sim) {
        pawl_sim_lend(sim, b->own[worker]);
    }
    pawl_sim_lend(sim, c->state);
    c->sim = sim;
    return sim;
}

static void batch_step_copy(void *user, int worker, int copy)
{
    pawl_batch *b = user;
    batch_copy *c = &b->copies[copy];
    if (b->mask != NULL && b->mask[copy] == 0) {
        return;
    }
    pawl_sim *sim = batch_take(b, worker, c);
    c->status = PAWL_OK;
    for (int i = 0; i < b->steps && c->status == PAWL_OK; ++i) {
        c->status = pawl_sim_step(sim, &c->report);
        if (c->status == PAWL_OK) {
            pawl_verdict_add(&c->verdict, &c->report);
            c->stepped = true;
        }
    }
    if (c->status == PAWL_OK) {
        batch_sum_contacts(sim, batch_result(b, PAWL_BATCH_CONTACT_FORCE, copy));
        if (b->model->actuator_count > 0) {
            memcpy(batch_result(b, PAWL_BATCH_EFFORT, copy), sim->context.out.effort,
                   (size_t)b->model->actuator_count * sizeof(double));
        }
    }
    batch_measure_copy(b, copy);
}

// The status of the first copy that has another one than PAWL_OK.
static pawl_status batch_outcome(const pawl_batch *b)
{
    for (int i = 0; i < b->count; ++i) {
        if (b->copies[i].status != PAWL_OK && (b->mask == NULL || b->mask[i] != 0)) {
            return b->copies[i].status;
        }
    }
    return PAWL_OK;
}

static void batch_run(pawl_batch *b, const unsigned char *mask, thread_task *task)
{
    b->mask = mask;
    pawl_thread_pool_run(b->pool, b->count, task, b);
}

pawl_status pawl_batch_step(pawl_batch *b, int steps, const unsigned char *mask)
{
    PAWL_NEED(NULL, b);
    if (steps < 0) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT, "%d steps of a batch; expected 0 or more",
                         steps);
    }
    b->steps = steps;
    batch_run(b, mask, batch_step_copy);
    return batch_outcome(b);
}

// Inputs stay in the copy: their numbers are put aside in what the copy is overwritten with.
static void batch_reset_copy(void *user, int worker, int copy)
{
    pawl_batch *b = user;
    batch_copy *c = &b->copies[copy];
    (void)worker;
    if (b->mask != NULL && b->mask[copy] == 0) {
        return;
    }
    pawl_state *to = c->state;
    if (b->keep_inputs) {
        pawl_state_copy_motion(to, b->from);
        // Energies depend on gravity and masses; the balance of the copy goes on from where the other's is.
        pawl_energy mine = pawl_state_energy(to), theirs = pawl_state_energy(b->from);
        to->energy_start += pawl_energy_stored(&mine) - pawl_energy_stored(&theirs);
    } else {
        pawl_state_copy(to, b->from);
    }
    c->status = PAWL_OK;
    c->stepped = false;
    c->verdict = pawl_verdict_begin(to);
    for (int k = PAWL_BATCH_CONTACT_FORCE; k <= PAWL_BATCH_EFFORT; ++k) {
        size_t bytes = (size_t)batch_width(b->model, (pawl_batch_result)k) * sizeof(double);
        if (bytes > 0) {
            memset(batch_result(b, (pawl_batch_result)k, copy), 0, bytes);
        }
    }
    batch_measure_copy(b, copy);
}

pawl_status pawl_batch_reset(pawl_batch *b, const unsigned char *mask, const pawl_state *from,
                             bool keep_inputs)
{
    PAWL_NEED(NULL, b);
    if (from != NULL && from->model != b->model && from->model->hash != b->model->hash) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT,
                         "the state belongs to another model, '%s', expected one of '%s'",
                         from->model->name, b->model->name);
    }
    b->from = from != NULL ? from : b->own[0];
    b->keep_inputs = keep_inputs;
    for (int i = 0; i < b->count; ++i) { // a copy may be the one to copy from
        if (b->copies[i].state == b->from && (mask == NULL || mask[i] != 0)) {
            return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT,
                             "copy %d of a batch is reset to itself; expected another state", i);
        }
    }
    batch_run(b, mask, batch_reset_copy);
    return PAWL_OK;
}

static void batch_assemble_copy(void *user, int worker, int copy)
{
    pawl_batch *b = user;
    batch_copy *c = &b->copies[copy];
    if (b->mask != NULL && b->mask[copy] == 0) {
        return;
    }
    c->status = pawl_sim_assemble(batch_take(b, worker, c), NULL, NULL);
    c->verdict = pawl_verdict_begin(c->state);
    batch_measure_copy(b, copy);
}

pawl_status pawl_batch_assemble(pawl_batch *b, const unsigned char *mask)
{
    PAWL_NEED(NULL, b);
    batch_run(b, mask, batch_assemble_copy);
    return batch_outcome(b);
}

static void batch_measure_item(void *user, int worker, int copy)
{
    (void)worker;
    batch_measure_copy(user, copy);
}

pawl_status pawl_batch_measure(pawl_batch *b)
{
    PAWL_NEED(NULL, b);
    batch_run(b, NULL, batch_measure_item);
    return PAWL_OK;
}

pawl_status pawl_batch_hold_targets(pawl_batch *b)
{
    PAWL_NEED(NULL, b);
    for (int i = 0; i < b->count; ++i) {
        PAWL_TRY(pawl_state_hold_targets(b->copies[i].state));
    }
    return PAWL_OK;
}

// ---- what it has -----------------------------------------------------------------------------------

int pawl_batch_count(const pawl_batch *b)
{
    return b != NULL ? b->count : 0;
}

int pawl_batch_thread_count(const pawl_batch *b)
{
    return b != NULL ? b->threads : 0;
}

const pawl_model *pawl_batch_model(const pawl_batch *b)
{
    return b != NULL ? b->model : NULL;
}

const pawl_settings *pawl_batch_settings(const pawl_batch *b)
{
    return b != NULL ? &b->settings : NULL;
}

static bool batch_has(const pawl_batch *b, int copy)
{
    return b != NULL && pawl_index_good(&b->env, "pawl_batch", "copy", copy, b->count);
}

const pawl_state *pawl_batch_state(const pawl_batch *b, int copy)
{
    return batch_has(b, copy) ? b->copies[copy].state : NULL;
}

pawl_state *pawl_batch_edit_state(pawl_batch *b, int copy)
{
    return batch_has(b, copy) ? b->copies[copy].state : NULL;
}

pawl_status pawl_batch_status(const pawl_batch *b, int copy)
{
    return batch_has(b, copy) ? b->copies[copy].status : PAWL_BAD_ARGUMENT;
}

const pawl_step_report *pawl_batch_report(const pawl_batch *b, int copy)
{
    return batch_has(b, copy) && b->copies[copy].stepped ? &b->copies[copy].report : NULL;
}

const pawl_verdict *pawl_batch_verdict(const pawl_batch *b, int copy)
{
    return batch_has(b, copy) ? &b->copies[copy].verdict : NULL;
}

pawl_batch_table pawl_batch_view(pawl_batch *b, pawl_view_kind kind)
{
    return b != NULL ? (pawl_batch_table){pawl_state_view(b->copies[0].state, kind), b->stride}
                     : (pawl_batch_table){0};
}

pawl_batch_table pawl_batch_results(const pawl_batch *b, pawl_batch_result result)
{
    if (b == NULL || (int)result < 0 || result >= PAWL_BATCH_RESULT_COUNT) {
        return (pawl_batch_table){0};
    }
    int width = batch_width(b->model, result);
    int columns = result == PAWL_BATCH_CONTACT_FORCE ? 3 : 1;
    pawl_view first = {b->results[result], width / columns, columns,
                       (size_t)columns * sizeof(double)};
    return (pawl_batch_table){first, (size_t)width * sizeof(double)};
}
