// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The scenes in pawl, only through the public interface, reports included.
#include "pawl_world.h"
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    PEER_PAWL_MOREAU = 1,
    PEER_PAWL_PROJECT = 2,
    PEER_PAWL_DENSE = 4,
    PEER_PAWL_SPARSE = 8,
    PEER_PAWL_SWEEPS = 16,  // pgs-ncp instead of the default admm-ncp
    PEER_PAWL_LOOSE = 32,   // a tolerance of 1e-6 instead of the default 1e-8
    PEER_PAWL_DEFAULT = 64, // stepper and projection as they are by default
    PEER_PAWL_BUDGET = 128, // 20 sweeps
    PEER_PAWL_SHORT = 256,  // 8 sweeps
    PEER_PAWL_REDUCED = 512
};

typedef struct peer_pawl_run {
    bench_world *world;
    bench_effort effort;
} peer_pawl_run;

static void peer_pawl_destroy(void *world)
{
    peer_pawl_run *run = world;
    if (run != NULL) {
        bench_world_destroy(run->world);
        free(run);
    }
}

static void *peer_pawl_create(const bench_scene *scene, double dt, int option)
{
    peer_pawl_run *run = calloc(1, sizeof *run);
    if (run == NULL) {
        fprintf(stderr, "bench: out of memory for pawl\n");
        return NULL;
    }
    pawl_settings settings = pawl_settings_default();
    settings.dt = dt;
    if ((option & PEER_PAWL_BUDGET) != 0) {
        settings.solver.budget = 20;
    }
    if ((option & PEER_PAWL_SHORT) != 0) {
        settings.solver.budget = 8;
    }
    if ((option & PEER_PAWL_REDUCED) != 0) {
        settings.formulation = PAWL_FORMULATION_REDUCED;
    }
    if ((option & PEER_PAWL_DEFAULT) == 0) {
        settings.project = (option & PEER_PAWL_PROJECT) != 0;
        settings.stepper =
            (option & PEER_PAWL_MOREAU) != 0 ? PAWL_STEPPER_MOREAU : PAWL_STEPPER_EULER;
    }
    settings.delassus = (option & PEER_PAWL_DENSE) != 0    ? PAWL_DELASSUS_DENSE
                        : (option & PEER_PAWL_SPARSE) != 0 ? PAWL_DELASSUS_SPARSE
                                                           : PAWL_DELASSUS_AUTO;
    if ((option & PEER_PAWL_SWEEPS) != 0) {
        settings.solver.kind = PAWL_SOLVER_PGS_NCP;
    }
    if ((option & PEER_PAWL_LOOSE) != 0) {
        settings.solver.tolerance = 1e-6;
    }
    run->world = bench_world_create(scene, &settings);
    if (run->world == NULL) {
        free(run);
        return NULL;
    }
    return run;
}

static bool peer_pawl_step(void *world)
{
    peer_pawl_run *run = world;
    pawl_step_report report; // judged as in any run: its cost belongs to a step
    if (pawl_sim_step(run->world->sim, &report) != PAWL_OK) {
        return false;
    }
    bench_effort *effort = &run->effort;
    effort->iterations += report.iterations;
    effort->most = report.iterations > effort->most ? report.iterations : effort->most;
    effort->unsolved += report.outcome != PAWL_CONVERGED;
    effort->residual += report.own_residual;
    ++effort->measured;
    effort->contacts = report.contacts > effort->contacts ? report.contacts : effort->contacts;
    return true;
}

static bench_effort peer_pawl_effort(void *world)
{
    const peer_pawl_run *run = world;
    return run->effort;
}

static void peer_pawl_read(void *world, pawl_pose *poses, pawl_twist *twists)
{
    const peer_pawl_run *run = world;
    bench_world_read(run->world, poses, twists);
}

#define PEER_PAWL_ROW(name, where, bits)                                                           \
    {                                                                                              \
        .engine = "pawl", .variant = (name), .option = (bits), .scope = (where),                   \
        .create = peer_pawl_create, .step = peer_pawl_step, .read = peer_pawl_read,                \
        .destroy = peer_pawl_destroy, .effort = peer_pawl_effort                                   \
    }
const bench_peer bench_pawl_peers[BENCH_PAWL_PEERS] = {
    PEER_PAWL_ROW("euler", BENCH_EVERYWHERE, 0),
    PEER_PAWL_ROW("euler project", BENCH_EVERYWHERE, PEER_PAWL_PROJECT),
    PEER_PAWL_ROW("moreau project", BENCH_EVERYWHERE, PEER_PAWL_MOREAU | PEER_PAWL_PROJECT),
};
const bench_peer bench_pawl_dense = PEER_PAWL_ROW("euler dense", BENCH_EVERYWHERE, PEER_PAWL_DENSE);
const bench_peer bench_pawl_sparse =
    PEER_PAWL_ROW("euler sparse", BENCH_EVERYWHERE, PEER_PAWL_SPARSE);
const bench_peer bench_pawl_contact_peers[BENCH_PAWL_CONTACT_PEERS] = {
    PEER_PAWL_ROW("admm 1e-6", BENCH_EVERYWHERE, PEER_PAWL_PROJECT | PEER_PAWL_LOOSE),
    PEER_PAWL_ROW("admm 1e-8", BENCH_EVERYWHERE, PEER_PAWL_PROJECT),
    PEER_PAWL_ROW("pgs 1e-6", BENCH_EVERYWHERE,
                  PEER_PAWL_PROJECT | PEER_PAWL_SWEEPS | PEER_PAWL_LOOSE),
    PEER_PAWL_ROW("admm 1e-6 erp", BENCH_JOINTS_ONLY, PEER_PAWL_LOOSE),
};
const bench_peer bench_pawl_work_peers[BENCH_PAWL_WORK_PEERS] = {
    PEER_PAWL_ROW("default", BENCH_EVERYWHERE, PEER_PAWL_DEFAULT),
    PEER_PAWL_ROW("1e-6", BENCH_EVERYWHERE, PEER_PAWL_DEFAULT | PEER_PAWL_LOOSE),
    PEER_PAWL_ROW("euler 1e-6", BENCH_EVERYWHERE, PEER_PAWL_PROJECT | PEER_PAWL_LOOSE),
    PEER_PAWL_ROW("euler plain", BENCH_JOINTS_ONLY, PEER_PAWL_LOOSE),
    PEER_PAWL_ROW("reduced 1e-6", BENCH_JOINTS_ONLY,
                  PEER_PAWL_DEFAULT | PEER_PAWL_LOOSE | PEER_PAWL_REDUCED),
    PEER_PAWL_ROW("budget 20", BENCH_EVERYWHERE, PEER_PAWL_DEFAULT | PEER_PAWL_BUDGET),
    PEER_PAWL_ROW("euler budget 20", BENCH_EVERYWHERE, PEER_PAWL_PROJECT | PEER_PAWL_BUDGET),
    PEER_PAWL_ROW("euler budget 8", BENCH_EVERYWHERE, PEER_PAWL_PROJECT | PEER_PAWL_SHORT),
};
