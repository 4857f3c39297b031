// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// The report of one step: outcome, residuals, closure, penetration, energy and times.
///
/// **Threads.** Reports are plain values. pawl_state_closure() reads the state, which no other thread may change
/// meanwhile.
#pragma once
#include "pawl/event.h"
#include "pawl/problem.h"
#include "pawl/state.h"

PAWL_EXTERN_C_BEGIN

/// The position errors of the constraints. Ids of zeros: no joint.
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
    PAWL_PHASE_REST,        ///< the judge, energy and other figures of the report
    PAWL_PHASE_COUNT
} pawl_phase;
/// Length of arrays by phase: larger than the number of phases, so that a new one does not change the layout of structs.
enum { PAWL_MAX_PHASES = 16 };
PAWL_API const char *pawl_phase_name(pawl_phase phase); ///< e.g. "collide"

/// The method that solved a step's problem.
typedef enum pawl_method {
    PAWL_METHOD_NONE = 0, ///< nothing to solve
    PAWL_METHOD_DIRECT,   ///< factorization and pivoting
    PAWL_METHOD_SWEEPS,   ///< Gauss-Seidel
    PAWL_METHOD_ADMM,     ///< alternating directions
    PAWL_METHOD_NEWTON,
    PAWL_METHOD_COUNT
} pawl_method;
/// Length of arrays by method: larger than the number of methods, so that a new one does not change the layout of structs.
enum { PAWL_MAX_METHODS = 16 };
PAWL_API const char *pawl_method_name(pawl_method method); ///< e.g. "sweeps"

/// The figures that a step measured; bits of pawl_step_report.measured. A figure without its bit has no meaning.
enum {
    PAWL_MEASURED_RESIDUAL = 1 << 0,     ///< residual, own_residual, outcome
    PAWL_MEASURED_COULOMB = 1 << 1,      ///< there were contacts: residual is that of Coulomb's law
    PAWL_MEASURED_CLOSURE = 1 << 2,      ///< closure.position and .rotation; only hard joints
    PAWL_MEASURED_LIMITS = 1 << 3,       ///< closure.limit
    PAWL_MEASURED_DEPTH = 1 << 4,        ///< penetration, depth_ratio
    PAWL_MEASURED_CROSSINGS = 1 << 5,    ///< tunnelled
    PAWL_MEASURED_POSITIONS = 1 << 6,    ///< position_failures
    PAWL_MEASURED_BALANCE = 1 << 7,      ///< energy.balance
    PAWL_MEASURED_WORK = 1 << 8,         ///< energy, work by work
    PAWL_MEASURED_IMPACTS = 1 << 9,      ///< there were impacts: impact_work, events about them
    PAWL_MEASURED_MISFIT = 1 << 10,      ///< misfit: loops that the file's numbers do not close
    PAWL_MEASURED_DISSIPATION = 1 << 12, ///< imbalance, dissipation_gap, substeps (mdp, nmdp)
    PAWL_MEASURED_PASSAGE =
        1 << 11, ///< settled: a singular position that those numbers do not resolve
    PAWL_MEASURED_BLUR = 1 << 13,  ///< blur: a singular position nearby
    PAWL_MEASURED_RETURN = 1 << 14 ///< a singular position was left: energy.balance shows a loss
};

/// The report of a step. Ids of zeros: no joint, no shape.
typedef struct pawl_step_report {
    pawl_outcome outcome; ///< by own_residual, not by the solver
    unsigned measured;    ///< PAWL_MEASURED_*
    pawl_method method;   ///< of the last stage
    int iterations;       ///< of the solver
    int factorizations;   ///< of the solver's own matrix: one, and one for each new penalty
    int projections;      ///< Newton iterations of `project`; of nmdp: parts that were divided
    int substeps;         ///< of nmdp: parts of the step; 1 unless it was divided
    int islands;          ///< groups of bodies that no row of the problem connects
    int rows;             ///< of the problem
    int bounded_rows;     ///< limits, friction losses, effort limits, spin friction
    int contacts;         ///< contact points of the problem
    int asleep;           ///< bodies that sleep after the step (sleep.time)
    double impact_work;   ///< of contacts and limits in impacts; never positive [J]
    bool fell_back;       ///< rattle: a step of moreau (irreversible forces or a singular position)
    int position_failures; ///< position updates that left joints open
    double penetration;    ///< deepest, at the poses at which rows were placed [m]
    pawl_shape_id worst_shape_a,
        worst_shape_b; ///< the shapes of that one; none where nothing penetrates
    double
        depth_ratio; ///< largest depth over half the thickness of the thinner shape of its pair, minus
                     ///< the allowance for the overlap at the start
    double start_depth;                         ///< the largest allowance; 0 for none
    pawl_shape_id ratio_shape_a, ratio_shape_b; ///< that pair
    double
        limit_correction_energy; ///< energy stored by corrections of violated limits, in work_limits [J]
    double contact_correction_energy; ///< of overlaps, in work_contacts [J]
    int tunnelled;                    ///< pairs of shapes that passed through each other
    pawl_shape_id tunnel_shape_a, tunnel_shape_b; ///< the first of them
    int events[PAWL_MAX_EVENT_KINDS];             ///< how many of each kind; see pawl_sim_event()
    pawl_residual residual; ///< of Coulomb's law, by the judge, not by the solver
    double own_residual;    ///< of the solver's own problem, limited by solver.tolerance [m/s];
                            ///< mdp, nmdp: remaining change of coordinates, limited by
                            ///< nmdp.tolerance [m or rad]
    double imbalance;       ///< mdp, nmdp: largest force that is not balanced, over all weight [-]
    double dissipation_gap; ///< mdp, nmdp: bound of sqrt(2 (K - least K)), from its program [m/s]
    pawl_closure closure;   ///< after the step
    pawl_closure misfit;    ///< the part of it caused by the numbers of the model
    double misfit_expected; ///< its value expected from the start [m or rad]
    double settled;         ///< displacement of bodies after a singular position [m]
    double blur;            ///< angle of the path's uncertainty next to a singular position [rad]
    pawl_joint_id passage_joint;     ///< joint with the largest part in either
    pawl_energy energy;              ///< after the step
    double seconds[PAWL_MAX_PHASES]; ///< by the clock; 0 without one
} pawl_step_report;

PAWL_EXTERN_C_END
