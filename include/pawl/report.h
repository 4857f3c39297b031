// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// What one step did and how well: outcome, residuals, closure, penetration, energy and times.
///
/// **Threads.** Reports are plain values. pawl_state_closure() reads the state, which no other thread may change
/// meanwhile.
#pragma once
#include "pawl/event.h"
#include "pawl/problem.h"
#include "pawl/state.h"

PAWL_EXTERN_C_BEGIN

/// How far the constraints are from being satisfied, in configuration. Ids of zeros: no joint.
typedef struct pawl_closure {
    double position;           ///< worst translational joint error [m]
    double rotation;           ///< worst rotational joint error [rad]
    pawl_joint_id worst_joint; ///< the joint with the larger of the two; none without joints
    double ratio; ///< worst translational error over the size of the joint's smaller body [-]
    pawl_joint_id ratio_joint; ///< its joint
    double limit;              ///< worst limit violation [m or rad]
    pawl_joint_id worst_limit; ///< its joint
} pawl_closure;
/// How well the joints of a state are closed, and how far it is beyond limits.
PAWL_API pawl_closure pawl_state_closure(const pawl_state *state);

typedef enum pawl_outcome { PAWL_CONVERGED = 0, PAWL_ITERATION_LIMIT, PAWL_STALLED } pawl_outcome;

/// The parts of a step, for their times.
typedef enum pawl_phase {
    PAWL_PHASE_COLLIDE = 0, ///< contacts are found
    PAWL_PHASE_ASSEMBLE,    ///< rows are placed, forces applied, the problem assembled
    PAWL_PHASE_SOLVE,       ///< the solver, its factorizations included
    PAWL_PHASE_MOVE,        ///< poses follow velocities, along the constraints with `project`
    PAWL_PHASE_REST,        ///< the judge, energy and what else is reported
    PAWL_PHASE_COUNT
} pawl_phase;
/// Room in arrays by phase: more than there are, so that a new one does not change the layout of structs.
enum { PAWL_MAX_PHASES = 16 };
PAWL_API const char *pawl_phase_name(pawl_phase phase); ///< e.g. "collide"

/// How a step's problem was solved in the end.
typedef enum pawl_method {
    PAWL_METHOD_NONE = 0, ///< nothing to solve
    PAWL_METHOD_DIRECT,   ///< factorization and pivoting
    PAWL_METHOD_SWEEPS,   ///< Gauss-Seidel
    PAWL_METHOD_ADMM,     ///< alternating directions
    PAWL_METHOD_NEWTON,
    PAWL_METHOD_COUNT
} pawl_method;
/// Room in arrays by method: more than there are, so that a new one does not change the layout of structs.
enum { PAWL_MAX_METHODS = 16 };
PAWL_API const char *pawl_method_name(pawl_method method); ///< e.g. "sweeps"

/// What a step measured; bits of pawl_step_report.measured. A figure without its bit says nothing.
enum {
    PAWL_MEASURED_RESIDUAL = 1 << 0,     ///< residual, own_residual, outcome
    PAWL_MEASURED_COULOMB = 1 << 1,      ///< there were contacts: residual is that of Coulomb's law
    PAWL_MEASURED_CLOSURE = 1 << 2,      ///< closure.position and .rotation; hard joints alone
    PAWL_MEASURED_LIMITS = 1 << 3,       ///< closure.limit
    PAWL_MEASURED_DEPTH = 1 << 4,        ///< penetration, depth_ratio
    PAWL_MEASURED_CROSSINGS = 1 << 5,    ///< tunnelled
    PAWL_MEASURED_POSITIONS = 1 << 6,    ///< position_failures
    PAWL_MEASURED_BALANCE = 1 << 7,      ///< energy.balance
    PAWL_MEASURED_WORK = 1 << 8,         ///< energy, work by work
    PAWL_MEASURED_IMPACTS = 1 << 9,      ///< there were impacts: impact_work, events about them
    PAWL_MEASURED_MISFIT = 1 << 10,      ///< misfit: loops that the file's numbers do not close
    PAWL_MEASURED_DISSIPATION = 1 << 12, ///< imbalance, dissipation_gap, substeps (mdp, nmdp)
    PAWL_MEASURED_PASSAGE = 1 << 11,     ///< settled: a singular position that those numbers blur
    PAWL_MEASURED_BLUR = 1 << 13         ///< blur: a singular position nearby
};

/// What one step did. Ids of zeros: no joint, no shape.
typedef struct pawl_step_report {
    pawl_outcome outcome;  ///< of own_residual, whatever the solver said
    unsigned measured;     ///< PAWL_MEASURED_*
    pawl_method method;    ///< that had the last word
    int iterations;        ///< of the solver
    int factorizations;    ///< of the solver's own matrix: one, and one for each new penalty
    int projections;       ///< Newton iterations of `project`; of nmdp: parts that had to be cut
    int substeps;          ///< of nmdp: parts that the step was taken in; 1 unless it was cut
    int islands;           ///< groups of bodies that no row of the problem joins
    int rows;              ///< of the problem
    int bounded_rows;      ///< limits, friction losses, effort limits, spin friction
    int contacts;          ///< contact points of the problem
    int asleep;            ///< bodies that sleep after the step (sleep.time)
    double impact_work;    ///< of contacts and limits in impacts; no law lets it be positive [J]
    bool fell_back;        ///< rattle: not reversible, or a singular position; done as moreau does
    int position_failures; ///< position updates that left joints open
    double penetration;    ///< deepest of them, where the rows were placed [m]
    pawl_shape_id worst_shape_a,
        worst_shape_b; ///< the shapes of that one; none where nothing penetrates
    double
        depth_ratio; ///< largest depth over half the thickness of the thinner shape of its pair, beyond
                     ///< what is left of the depth that the pair began with
    double start_depth;                         ///< that, the largest of it; 0 where none is left
    pawl_shape_id ratio_shape_a, ratio_shape_b; ///< that pair
    double
        limit_correction_energy; ///< energy that corrections of violated limits stored, in work_limits [J]
    double contact_correction_energy;             ///< of overlaps, in work_contacts [J]
    int tunnelled;                                ///< pairs of shapes that went through each other
    pawl_shape_id tunnel_shape_a, tunnel_shape_b; ///< the first of them
    int events[PAWL_MAX_EVENT_KINDS];             ///< how many of each kind; see pawl_sim_event()
    pawl_residual residual; ///< of Coulomb's law, by the judge, not by the solver
    double own_residual; ///< of the problem that was to be solved, against solver.tolerance [m/s];
                         ///< mdp, nmdp: change of coordinates still asked for, against
                         ///< nmdp.tolerance [m or rad]
    double imbalance;    ///< mdp, nmdp: largest force that is not balanced, over all weight [-]
    double dissipation_gap; ///< mdp, nmdp: sqrt(2 (K - least K)) at most, by its program [m/s]
    pawl_closure closure;   ///< after the step
    pawl_closure misfit;    ///< of that, what loops leave open by the numbers of the model
    double misfit_expected; ///< what the start leads to expect of it [m or rad]
    double settled;         ///< what bodies were moved by after a singular position [m]
    double blur; ///< angle that those numbers change the way by, next to a singular position [rad]
    pawl_joint_id passage_joint;     ///< with the largest part in either
    pawl_energy energy;              ///< after the step
    double seconds[PAWL_MAX_PHASES]; ///< by the clock; 0 without one
} pawl_step_report;

PAWL_EXTERN_C_END
