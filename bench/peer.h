// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What the benchmark asks of an engine: take a scene, step it, hand back poses and twists. One
// adapter file per engine fills one table with a row per variant (integrator, settings).
#pragma once
#include "scenes.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Where a variant says something new.
typedef enum bench_scope {
    BENCH_EVERYWHERE = 0,
    BENCH_LOOPS_ONLY, ///< differs from the other variants only where loops are closed
    BENCH_JOINTS_ONLY ///< only where there are joints
} bench_scope;

/// What an iterative engine says of its own work over a run.
typedef struct bench_effort {
    long iterations; ///< of all steps
    int most;        ///< in one step
    int unsolved;    ///< steps that ended above the tolerance
    int contacts;    ///< most in one step
    double residual; ///< sum over the steps of the largest entry of the natural map [m/s]
    int measured;    ///< steps in that sum; 0: the engine does not tell
} bench_effort;

typedef struct bench_peer {
    const char *engine;  ///< e.g. "ODE"
    const char *variant; ///< e.g. "quick erp 0.8"
    int option;          ///< handed back to create(); its meaning is the adapter's own
    bench_scope scope;
    int max_bodies; ///< scenes with more are left out, as one step would take minutes; 0: none
    /// NULL, after saying why on stderr, where the engine refuses the scene.
    void *(*create)(const bench_scene *scene, double dt, int option);
    /// False when the engine itself gives up or resets: the run has failed.
    bool (*step)(void *world);
    /// Centre-of-mass poses and twists, in the scene's order of bodies.
    void (*read)(void *world, pawl_pose *poses, pawl_twist *twists);
    void (*destroy)(void *world);
    /// NULL where the engine does not tell.
    bench_effort (*effort)(void *world);
    /// Before a judged run: from now on what `effort` needs is kept. NULL where nothing has to be.
    void (*watch)(void *world);
} bench_peer;

/// The variants for mechanisms without contact.
enum { BENCH_PAWL_PEERS = 3, BENCH_MUJOCO_PEERS = 3, BENCH_ODE_PEERS = 4 };
extern const bench_peer bench_pawl_peers[BENCH_PAWL_PEERS];
extern const bench_peer bench_mujoco_peers[BENCH_MUJOCO_PEERS];
extern const bench_peer bench_ode_peers[BENCH_ODE_PEERS];
/// The first of pawl's variants with the Delassus matrix kept dense, and sparse.
extern const bench_peer bench_pawl_dense, bench_pawl_sparse;
/// The variants for scenes with contact.
enum { BENCH_PAWL_CONTACT_PEERS = 4, BENCH_MUJOCO_CONTACT_PEERS = 3, BENCH_ODE_CONTACT_PEERS = 3 };
extern const bench_peer bench_pawl_contact_peers[BENCH_PAWL_CONTACT_PEERS];
extern const bench_peer bench_mujoco_contact_peers[BENCH_MUJOCO_CONTACT_PEERS];
extern const bench_peer bench_ode_contact_peers[BENCH_ODE_CONTACT_PEERS];
/// pawl as it is by default, and with settings that cost less; Bullet as it is by default and with more sweeps.
enum { BENCH_PAWL_WORK_PEERS = 8, BENCH_BULLET_PEERS = 2 };
extern const bench_peer bench_pawl_work_peers[BENCH_PAWL_WORK_PEERS];
extern const bench_peer bench_bullet_peers[BENCH_BULLET_PEERS];
const char *bench_mujoco_version(void);
const char *bench_ode_version(void);
const char *bench_bullet_version(void);

#ifdef __cplusplus
}
#endif
