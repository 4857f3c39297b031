// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Samples: the whole constraint problem of one step (joints, springs, limits, contacts), without the model it
/// came from. A benchmark solves the same sample with many solvers; docs/samples.md has the file format.
///
/// A sample is, with D = J M^-1 JT,
///   v = (D + R) lambda + v_f,   lower <= lambda <= upper,   v complementary to the bounds,
/// and for each contact Coulomb's law as in pawl/contact_problem.h. Rows without bounds come first, then bounded rows,
/// then three rows a contact: two tangents and the normal.
///
/// **Threads.** A sample is immutable and may be shared. A sample's solver belongs to one thread at a time.
#pragma once
#include "pawl/sim.h"

PAWL_EXTERN_C_BEGIN

/// The element of a row. Values are stored in files: append, never renumber.
typedef enum pawl_sample_row {
    PAWL_SAMPLE_JOINT = 0, ///< a joint or a prescribed motion
    PAWL_SAMPLE_SOFT,      ///< a spring, damper, armature or servo: no bounds, but compliance
    PAWL_SAMPLE_LIMIT,     ///< a limit of a joint
    PAWL_SAMPLE_BOUNDED,   ///< dry friction, a servo at its effort limit
    PAWL_SAMPLE_CONTACT,   ///< one of a contact's three
    PAWL_SAMPLE_ROW_COUNT
} pawl_sample_row;

/// All arrays of a sample; those of pawl_sample_create() are copied. J is stored by rows: the entries of row i are
/// row_start[i] to row_start[i + 1], with ascending columns; column 6 b + k is component k of the twist of body b (velocity of
/// the centre of mass, then angular velocity, in world axes). A row acts on at most four bodies.
typedef struct pawl_sample_data {
    const char *system;   ///< the model; not NULL
    const char *scenario; ///< its scenario; not NULL
    int64_t step;         ///< of the run that it was taken from
    double time, dt;      ///< [s]
    double reach;         ///< from where rows were placed to the end of the step [s]
    int body_count, row_count, free_row_count, block_count, contact_count;
    int weak_count;        ///< combinations of joint rows that count as redundant
    const double *mass;    ///< (bodies) 0: the body cannot move [kg]
    const double *inertia; ///< (9 x bodies) about the centre of mass, world axes [kg m^2]
    const int
        *block_rows; ///< (blocks) rows that a sweep solves together: a joint, a limit, a contact
    const int *kind; ///< (rows) pawl_sample_row
    const int *row_start; ///< (rows + 1)
    const int *column;    ///< (entries)
    const double *value;  ///< (entries)
    const double *v_f;    ///< (rows) velocities without impulses, bias included [m/s or rad/s]
    const double *bias;   ///< (rows) the bias part of v_f
    const double *
        gap; ///< (rows) position error of a joint, gap of a limit or a contact's normal; NaN: none [m or rad]
    const double *lower;      ///< (rows) -inf for none [N s]
    const double *upper;      ///< (rows)
    const double *compliance; ///< (rows) R [1/kg]
    const double *friction;   ///< (contacts) mu
    const double *start;      ///< (rows) impulses of the step before, matched: the warm start
    const double *answer;     ///< (rows) the solution of the step
} pawl_sample_data;

typedef struct pawl_sample pawl_sample;
/// Refuses invalid data: not finite, out of order, a negative mass or friction, lower bounds above upper ones.
PAWL_API pawl_status pawl_sample_create(const pawl_env *env, const pawl_sample_data *data,
                                        pawl_sample **out);
PAWL_API void pawl_sample_destroy(pawl_sample *sample); ///< NULL is fine
/// Its arrays, valid as long as the sample.
PAWL_API const pawl_sample_data *pawl_sample_get(const pawl_sample *sample);

/// From now on every step keeps its problem as a sample, that of its last velocity update. It allocates. Only with
/// formulation=maximal; steps of mdp and nmdp have no such problem.
PAWL_API void pawl_sim_keep_samples(pawl_sim *sim, bool keep);
/// The sample of the last step, or NULL; valid until the next step.
PAWL_API const pawl_sample *pawl_sim_kept_sample(const pawl_sim *sim);

/// Kinds of samples by constraint density and rank (loops VII-C). Values are stored in files.
typedef enum pawl_sample_category {
    PAWL_SAMPLE_FREE = 0,           ///< neither joints nor contacts
    PAWL_SAMPLE_INDEPENDENT_JOINTS, ///< no contacts, full rank
    PAWL_SAMPLE_REDUNDANT_JOINTS,   ///< no contacts, rank below the rows, density below 1
    PAWL_SAMPLE_DENSE_JOINTS,       ///< no contacts, rank below the rows, density 1 or more
    PAWL_SAMPLE_SINGLE_CONTACT,     ///< one contact
    PAWL_SAMPLE_SPARSE_CONTACTS,    ///< 2 to 2 bodies contacts
    PAWL_SAMPLE_DENSE_CONTACTS,     ///< more
    PAWL_SAMPLE_DENSE_CONSTRAINTS,  ///< joints and contacts, total density above 1
    PAWL_SAMPLE_CATEGORY_COUNT
} pawl_sample_category;
/// "dense contacts", or NULL past the last.
PAWL_API const char *pawl_sample_category_name(int category);

/// Measures of difficulty (loops VII-B and C). Rank and condition are those of hard rows: springs and servos,
/// which are soft, are not included.
typedef struct pawl_sample_properties {
    pawl_sample_category category;
    int bodies;                 ///< that can move
    int joint_rows, limit_rows; ///< hard ones
    int rank;                   ///< of J over joints, limits and contacts
    int joint_rank;             ///< of J over joints alone
    int hyperstaticity;         ///< rows - rank
    double joint_density;       ///< d_j = joint rows / 6 bodies
    double contact_density;     ///< d_c = 3 contacts / 6 bodies
    double density;             ///< d_jlc = all hard rows / 6 bodies
    double
        condition; ///< largest over smallest eigenvalue of D that is not zero (relative to 1e-12)
    double mass_ratio;
} pawl_sample_properties;
/// Takes the time of an eigenvalue problem with as many rows as the sample.
PAWL_API pawl_status pawl_sample_measure(const pawl_env *env, const pawl_sample *sample,
                                         pawl_sample_properties *out);

/// The result of a solver on a sample. The judge is that of simulations, for Coulomb's law, independent of the solver's law.
typedef struct pawl_sample_result {
    pawl_outcome outcome; ///< converged: own_residual is within the tolerance
    pawl_method method;   ///< of the last stage
    int iterations, factorizations;
    pawl_residual residual; ///< loops (156) to (158), (163)
    double own_residual;    ///< of the solver's own law [m/s]
    double penetration;     ///< loops (173) to first order: gaps at the end of the step [m or rad]
    double energy;          ///< 1/2 lambda . D lambda + lambda . v_f [J]
} pawl_sample_result;
/// Called after each iteration that the solver reports: sweeps and ADMM report all, others only some.
typedef void (*pawl_sample_watch)(void *user, int iteration, const pawl_residual *residual);

typedef struct pawl_sample_solver pawl_sample_solver;
/// A solver with the operator of this sample, which must outlive it; settings->solver, admm and lemke are used.
PAWL_API pawl_status pawl_sample_solver_create(const pawl_env *env, const pawl_sample *sample,
                                               const pawl_settings *settings,
                                               pawl_sample_solver **out);
PAWL_API void pawl_sample_solver_destroy(pawl_sample_solver *solver); ///< NULL is fine
/// lambda (rows): start in, answer out. v_f (rows) replaces the sample's own unless NULL. Only the structure of factors is kept from the last
/// call, so that times can be compared. `watch` may be NULL; with it calls take longer.
PAWL_API pawl_status pawl_sample_solver_run(pawl_sample_solver *solver, const double *v_f,
                                            pawl_sample_watch watch, void *user, double *lambda,
                                            pawl_sample_result *result);
/// The norm sqrt(lambda . D lambda) of a difference of impulses: the change of velocity that it makes, in the metric of the
/// bodies' kinetic energy, over the root of the total mass [m/s].
PAWL_API double pawl_sample_solver_distance(pawl_sample_solver *solver, const double *a,
                                            const double *b);

PAWL_EXTERN_C_END
