// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// The enumerations of settings: steppers, solvers, formulations, laws and rules, with the names of those that the
/// command line lists.
///
/// **Threads.** Names are constant; any threads may read them.
#pragma once
#include "pawl/base.h"

PAWL_EXTERN_C_BEGIN

/// Time-stepping methods. Values are stored in files: append, never renumber.
typedef enum pawl_stepper_kind {
    PAWL_STEPPER_EULER = 0, ///< semi-implicit Euler: first order, robust
    PAWL_STEPPER_MOREAU,    ///< Moreau's midpoint: second order with `project`, first without
    PAWL_STEPPER_LIT,       ///< linearly implicit trapezoidal rule: second order, stiffly stable
    PAWL_STEPPER_RATTLE,    ///< time-reversible: energy over long times; order 2 or 4
    PAWL_STEPPER_MDP,       ///< linearized maximal dissipation: contact models, one QP a step
    PAWL_STEPPER_NMDP,      ///< nonconvex maximal dissipation: implicit, contact models
    PAWL_STEPPER_COUNT
} pawl_stepper_kind;
/// Which algorithm solves the constraint problem. Values are stored in files.
typedef enum pawl_solver_kind {
    PAWL_SOLVER_DIRECT = 0,   ///< exact factorization; bounded rows by pivoting
    PAWL_SOLVER_PGS_NCP,      ///< projected Gauss-Seidel
    PAWL_SOLVER_ADMM_NCP,     ///< ADMM on contacts, joints and limits together
    PAWL_SOLVER_NSGS,         ///< Gauss-Seidel with exact local solutions, accelerated
    PAWL_SOLVER_NEWTON,       ///< smoothing Newton after sweeps, for the last digits
    PAWL_SOLVER_ADMM_CCP,     ///< ADMM on the convex relaxation of friction
    PAWL_SOLVER_ADMM_NCP_FP,  ///< ADMM, fixed penalty
    PAWL_SOLVER_ADMM_NCP_LA,  ///< ADMM, penalty balanced by a linear rule
    PAWL_SOLVER_ADMM_NCP_SA,  ///< ADMM, penalty from the spectrum of D
    PAWL_SOLVER_PGS_CCP,      ///< projected Gauss-Seidel on the convex relaxation of friction
    PAWL_SOLVER_NBGS,         ///< Gauss-Seidel with the nonlinear-block projector, by its quartic
    PAWL_SOLVER_RAISIM,       ///< the same by bisection
    PAWL_SOLVER_RAISIM_DS,    ///< with De Saxce's correction: Coulomb's law at its fixed points
    PAWL_SOLVER_RAISIM_DS_ES, ///< the same, stopping early when energy no longer changes
    PAWL_SOLVER_PROX,         ///< proximal Gauss-Seidel with a step length for each contact
    PAWL_SOLVER_AUTO,         ///< stages of increasing cost until one converges
    PAWL_SOLVER_LEMKE,        ///< Lemke's pivoting on friction with a polygon for a disk
    PAWL_SOLVER_COUNT
} pawl_solver_kind;
typedef enum pawl_delassus_kind {
    PAWL_DELASSUS_AUTO = 0,    ///< by size and structure
    PAWL_DELASSUS_DENSE,       ///< D as a dense matrix; for few rows
    PAWL_DELASSUS_SPARSE,      ///< sparse factors, ordered once per graph
    PAWL_DELASSUS_MATRIX_FREE, ///< only products, conjugate gradients
    PAWL_DELASSUS_COUNT
} pawl_delassus_kind;
/// Rules that combine the coefficients of two shapes. Values are stored in files.
typedef enum pawl_pair_rule {
    PAWL_PAIR_GEOMETRIC = 0, ///< the root of their product
    PAWL_PAIR_MIN,
    PAWL_PAIR_MAX,
    PAWL_PAIR_MEAN,
    PAWL_PAIR_PRODUCT,
    PAWL_PAIR_RULE_COUNT
} pawl_pair_rule;

/// Contacts of a planar patch that are dropped. Values are stored in files.
typedef enum pawl_reduce_kind {
    PAWL_REDUCE_OFF = 0, ///< none
    PAWL_REDUCE_HULL,    ///< those inside the convex hull of the patch
    PAWL_REDUCE_COUNT
} pawl_reduce_kind;

/// Which form of a published solver runs. Values are stored in files.
typedef enum pawl_solver_variant {
    PAWL_VARIANT_OWN = 0, ///< pawl's: joints eliminated, safe steps, one scaled residual
    PAWL_VARIANT_PAPER,   ///< as published (loops section VI); only for the solvers of its Table I
    PAWL_VARIANT_COUNT
} pawl_solver_variant;

/// Where a solver starts. Values are stored in files.
typedef enum pawl_warm_start_kind {
    PAWL_WARM_OFF = 0, ///< from zero
    PAWL_WARM_MATCHED, ///< from the last step's impulses, by constraint and contact feature
    PAWL_WARM_GUESS, ///< the same; new contacts of a pair of shapes get the impulses of its lost ones
    PAWL_WARM_COUNT
} pawl_warm_start_kind;

/// Linearizations of the stepper lit. Values are stored in files: append, never renumber.
typedef enum pawl_lit_variant {
    PAWL_LIT_MIDPOINT = 0, ///< all rows at the middle of the step, on the joints
    PAWL_LIT_PAPER,        ///< forces linearized at the start, as published
    PAWL_LIT_SDIRK2,       ///< two stages, damped: correct limits of stiff systems
    PAWL_LIT_VARIANT_COUNT
} pawl_lit_variant;
/// The inertial part of nmdp. Values are stored in files.
typedef enum pawl_nmdp_dynamics {
    PAWL_NMDP_NE = 0,    ///< Newton and Euler's equations in generalized coordinates
    PAWL_NMDP_PBD,       ///< position-based, as published: accelerations of all points in space
    PAWL_NMDP_PBD_RIGID, ///< the same, without numerical damping of rotations
    PAWL_NMDP_DYNAMICS_COUNT
} pawl_nmdp_dynamics;
/// Which derivatives of the contact models nmdp uses. Values are stored in files.
typedef enum pawl_nmdp_gradient {
    PAWL_NMDP_FIRST = 0, ///< first ones, of models that have them
    PAWL_NMDP_ZEROTH,    ///< none: more iterations, shorter steps
    PAWL_NMDP_GRADIENT_COUNT
} pawl_nmdp_gradient;
/// The energy that contact forces minimize. Values are stored in files.
typedef enum pawl_nmdp_energy {
    PAWL_NMDP_ENERGY_CONTACT = 0, ///< energy of unit masses at all contact points
    PAWL_NMDP_ENERGY_PENETRATING, ///< at those that would be in the ground without contact forces
    PAWL_NMDP_ENERGY_TOTAL,       ///< all kinetic energy, as published
    PAWL_NMDP_ENERGY_EFFECTIVE,   ///< the same with the effective masses at the contacts (default)
    PAWL_NMDP_ENERGY_COUNT
} pawl_nmdp_energy_kind;
/// The time at which `mdp` evaluates springs and controllers. Values are stored in files.
typedef enum pawl_mdp_pd {
    PAWL_MDP_EXPLICIT =
        0,           ///< at the beginning of the step, as published: unstable with large steps
    PAWL_MDP_STABLE, ///< at its end
    PAWL_MDP_PD_COUNT
} pawl_mdp_pd;

/// Events within a step that the stepper lit locates. Values are stored in files.
typedef enum pawl_lit_events {
    PAWL_LIT_EVENTS_ALL = 0,    ///< collisions, and changes between sticking, sliding and open
    PAWL_LIT_EVENTS_COLLISIONS, ///< only collisions
    PAWL_LIT_EVENTS_NONE,       ///< none: impacts happen at the ends of steps
    PAWL_LIT_EVENTS_COUNT
} pawl_lit_events;
/// Laws of impact (docs/impacts.md). Values are stored in files.
typedef enum pawl_impact_law {
    PAWL_IMPACT_POISSON = 0, ///< e of the normal impulse of the compression is returned
    PAWL_IMPACT_NEWTON,      ///< contacts open with e times the speed of their approach
    PAWL_IMPACT_ENERGETIC, ///< e^2 of the work of the compression is returned (Stronge); slip followed
    PAWL_IMPACT_ROUTH,     ///< as poisson, with the slip followed through the impact
    PAWL_IMPACT_LAW_COUNT
} pawl_impact_law;
/// Coordinates of the equations of motion. Values are stored in files.
typedef enum pawl_formulation {
    PAWL_FORMULATION_MAXIMAL = 0, ///< six coordinates a body, joints as constraints
    PAWL_FORMULATION_REDUCED,     ///< joints of a spanning tree by their coordinates, loops as rows
    PAWL_FORMULATION_AUTO, ///< whichever is expected to cost less; the settings of a sim contain the choice
    PAWL_FORMULATION_COUNT
} pawl_formulation;
/// Rotation coordinates of a floating base in reduced coordinates. Values are stored in files.
typedef enum pawl_reduced_base {
    PAWL_REDUCED_BASE_QUATERNION = 0, ///< no gimbal lock
    PAWL_REDUCED_BASE_EULER,          ///< angles about z, y, x
    PAWL_REDUCED_BASE_COUNT
} pawl_reduced_base;

/// Names and one-line descriptions, for the command line: NULL past the last.
PAWL_API const char *pawl_stepper_name(int kind);
PAWL_API const char *pawl_stepper_summary(int kind);
/// Whether a stepper has generalized coordinates of its own: the settings of formulation and solver do not apply to it.
PAWL_API bool pawl_stepper_has_tree(int kind);
PAWL_API const char *pawl_solver_name(int kind);
PAWL_API const char *pawl_solver_summary(int kind);
/// The friction law of a solver if it is not Coulomb's, e.g. "the convex
/// relaxation of friction"; NULL for Coulomb's law.
PAWL_API const char *pawl_solver_other_law(int kind);
PAWL_API const char *pawl_formulation_name(int kind);
PAWL_API const char *pawl_formulation_summary(int kind);

PAWL_EXTERN_C_END
