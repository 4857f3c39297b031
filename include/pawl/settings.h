// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// The settings of a simulation, nested by their owner, and by key: settings.solver.tolerance in C is `--set
/// solver.tolerance=` on the command line and `"solver.tolerance"` in JSON and recordings. Only the kind of the
/// solver, settings.solver.kind, has a shorter key, `solver`. docs/settings.md lists all with defaults and ranges.
///
/// **Threads.** Settings are plain values; any threads may read the list of settings.
#pragma once
#include "pawl/kinds.h"

PAWL_EXTERN_C_BEGIN

/// solver.*: the algorithm for the constraint problem and its accuracy.
typedef struct pawl_solver_settings {
    pawl_solver_kind kind;       ///< the key is `solver`
    pawl_solver_variant variant; ///< own or paper
    double tolerance;            ///< on residual.natural_scaled [m/s]
    int max_iterations;          ///< sweeps of an iterative solver
    int budget;        ///< sweeps of auto in place of its stages; 0: stages until one converges
    int budget_newton; ///< Newton steps after them, a factorization each
    bool exact_joints; ///< sweeps run only over bounded rows
    pawl_warm_start_kind warm_start; ///< where a solver starts
    double warm_start_scale;         ///< fraction of the last impulses to start from
    bool islands;            ///< groups of bodies that no row connects are solved separately
    double regularization;   ///< relative to the unit-scaled D, where rows may be redundant
    bool precondition;       ///< rows scaled by the diagonal of D (ADMM family)
    double relaxation;       ///< omega of the first sweep
    double relaxation_min;   ///< omega never falls below
    double relaxation_decay; ///< factor on omega after each sweep
} pawl_solver_settings;

/// admm.*: the solvers of the ADMM family.
typedef struct pawl_admm_settings {
    double rho;        ///< penalty, of the first iteration where it adapts
    double eta;        ///< proximal weight, in units of rho
    double relaxation; ///< over-relaxation, 1 for none
    bool accelerate;   ///< Nesterov's momentum with restarts
} pawl_admm_settings;

/// lemke.*: the solver lemke.
typedef struct pawl_lemke_settings {
    int sides;  ///< corners of the polygon for the friction disk, even
    int rounds; ///< 1: one polygon; more: solved again with polygons turned against the slip
} pawl_lemke_settings;

/// contact.*: detection of contacts, their laws and impacts.
typedef struct pawl_contact_settings {
    double margin;                ///< contacts within this distance get rows [m]
    double allowed_depth;         ///< depth that is not corrected; below 0: distance kept [m]
    double max_push;              ///< fastest correction of a penetration [m/s]
    double restitution_threshold; ///< slower impacts do not bounce [m/s]
    pawl_impact_law impact;       ///< law of impact
    double impact_friction;       ///< of shapes that state none, times friction
    pawl_pair_rule friction_rule; ///< of the friction of sliding
    pawl_pair_rule restitution_rule;
    pawl_reduce_kind reduce; ///< contacts of a planar patch that are dropped
    int reduce_max;          ///< corners that a patch keeps, 0: all
} pawl_contact_settings;

/// limit.*: limits of joint coordinates.
typedef struct pawl_limit_settings {
    double max_push; ///< fastest return to a limit [m/s or rad/s]
} pawl_limit_settings;

/// erp.*: fraction of a position error that is removed in a step.
typedef struct pawl_erp_settings {
    double joint;   ///< without `project`
    double limit;   ///< of a violated limit
    double contact; ///< of a penetration
} pawl_erp_settings;

/// soft.*: softness of joints, limits and shapes that state none of their own (pawl_softness).
typedef struct pawl_soft_settings {
    double joint;         ///< time constant of joints, 0: hard [s]
    double limit;         ///< of limits [s]
    double contact;       ///< of contacts [s]
    double damping_ratio; ///< of all three, like the numbers that follow [-]
    double d0;            ///< impedance without violation [-]
    double dw;            ///< impedance at a violation of `width` and beyond [-]
    double width;         ///< violation over which the impedance changes [m or rad]
    double midpoint;      ///< fraction of the width where the change is steepest [-]
    double power;         ///< how steep; 1 is a straight line [-]
    bool friction;        ///< the tangents of soft contacts are soft as well
} pawl_soft_settings;

/// mjcf.*: how MJCF files are read. They apply when a model is loaded (pawl_load_options.mjcf_soft), not to a simulation.
typedef struct pawl_mjcf_settings {
    bool soft; ///< contacts, limits and equalities have MuJoCo's softness; otherwise they are hard
} pawl_mjcf_settings;

/// loop.*: closed loops.
typedef struct pawl_loop_settings {
    double tolerance; ///< misalignment up to which rows of loops are redundant
                      ///< [rad, or lengths of the mechanism]; 0: every row must hold
} pawl_loop_settings;

/// reduced.*: the formulation in reduced coordinates.
typedef struct pawl_reduced_settings {
    pawl_reduced_base base; ///< how a floating base turns
} pawl_reduced_settings;

/// lit.*: the stepper lit.
typedef struct pawl_lit_settings {
    pawl_lit_variant variant;
    int scheme;                  ///< 2: rows hold on the mean of both ends, 1: at the end
    double eps_a;                ///< contacts and limits nearer than this are closed [m]
    double eps_b;                ///< or nearer than this times h^3 [m/s^3]
    bool linearized_constraints; ///< rows remove the configuration error of the start
    pawl_lit_events events;      ///< what is located within steps
} pawl_lit_settings;

/// rattle.*: the stepper rattle.
typedef struct pawl_rattle_settings {
    int order; ///< 2 or 4
} pawl_rattle_settings;

/// nmdp.*: the stepper nmdp; `energy`, `stiffness` and `limit_stiffness` apply to mdp, too.
typedef struct pawl_nmdp_settings {
    pawl_nmdp_dynamics dynamics;
    pawl_nmdp_gradient gradient;
    pawl_nmdp_energy_kind energy;
    int order;              ///< 1 or 2
    double tolerance;       ///< on changes of coordinates [m or rad]
    int max_iterations;     ///< projected gradient steps a stage
    int halvings;           ///< how often a step may be halved
    double beta_min;        ///< least proximal weight [m^2/s^2]
    double push_out;        ///< rate at which depth is removed [1/s]
    double part_energy;     ///< unexplained energy of a part, relative, above which it is divided
    double stiffness;       ///< of contact points generated for shapes [N/m^3]
    double limit_stiffness; ///< of joint limits [N/m^2 or N m/rad^2]
    bool bodies;            ///< contact points also touch other bodies
} pawl_nmdp_settings;

/// mdp.*: the stepper mdp.
typedef struct pawl_mdp_settings {
    pawl_mdp_pd pd; ///< time at which springs and controllers are evaluated
} pawl_mdp_settings;

/// sleep.*: steps skip undisturbed bodies at rest until an event wakes them (docs/sleep.md).
typedef struct pawl_sleep_settings {
    double time;  ///< at rest, after which a group of bodies sleeps; 0: never [s]
    double speed; ///< of the fastest point of a body at rest [m/s]
} pawl_sleep_settings;

/// The limits of the criteria; see docs/verdict.md for the reasons of the defaults. With a
/// limit of infinity the figure is shown, but not judged. The residual's limit is solver.tolerance.
typedef struct pawl_verdict_limits {
    double closure;          ///< verdict.closure: joint error over the size of its smaller body [-]
    double closure_rotation; ///< verdict.closure_rotation [rad]
    double passage;          ///< verdict.passage: uncertainty of the path at singular positions
    double imbalance;        ///< verdict.imbalance: of mdp and nmdp, force over all weight [-]
    double dissipation;      ///< verdict.dissipation: of mdp and nmdp [m/s]
    double divided;          ///< verdict.divided: divided steps of nmdp
    double limit;            ///< verdict.limit: coordinates beyond their limits [m or rad]
    double penetration;      ///< verdict.penetration: depth over half the thinner shape's thickness
    double energy;           ///< verdict.energy: unexplained over turned over [-]
    double work;    ///< verdict.work: work of the wrong sign over the energy turned over [-]
    double coulomb; ///< verdict.coulomb: residual of Coulomb's law, of solvers of another law [m/s]
} pawl_verdict_limits;

/// Start from pawl_settings_default(); change fields, or use pawl_settings_set() by key. The path of a field is its
/// key: settings.contact.margin is `contact.margin`.
typedef struct pawl_settings {
    double dt; ///< step [s]
    pawl_stepper_kind stepper;
    pawl_formulation formulation;
    pawl_delassus_kind delassus;
    bool project; ///< move along the constraints; closure to 1e-12
    int threads;  ///< for collision detection and solver; results do not depend on it
    pawl_solver_settings solver;
    pawl_admm_settings admm;
    pawl_lemke_settings lemke;
    pawl_contact_settings contact;
    pawl_limit_settings limit;
    pawl_erp_settings erp;
    pawl_soft_settings soft;
    pawl_mjcf_settings mjcf;
    pawl_loop_settings loop;
    pawl_sleep_settings sleep;
    pawl_reduced_settings reduced;
    pawl_lit_settings lit;
    pawl_rattle_settings rattle;
    pawl_nmdp_settings nmdp;
    pawl_mdp_settings mdp;
    pawl_verdict_limits verdict;
    uint32_t stamp; ///< set by the default function; shows that it was called
} pawl_settings;
/// Every setting at its default, with the stamp.
PAWL_API pawl_settings pawl_settings_default(void);

/// One row of `pawl list settings`.
typedef struct pawl_setting_info {
    const char *key, *unit, *range, *help;
} pawl_setting_info;
/// How many settings there are, and the row of one of them.
PAWL_API int pawl_setting_count(void);
PAWL_API pawl_setting_info pawl_setting(int index); ///< of 0 to pawl_setting_count() - 1
/// Value as text, as pawl_settings_set() takes it. `text` has room for `size` bytes.
PAWL_API pawl_status pawl_settings_get(const pawl_settings *settings, int index, char *text,
                                       size_t size);
/// `key` as in the table; an unknown key or a value out of range is refused and logged.
PAWL_API pawl_status pawl_settings_set(const pawl_env *env, pawl_settings *settings,
                                       const char *key, const char *value);
PAWL_API pawl_status pawl_settings_check(const pawl_env *env, const pawl_settings *settings);

PAWL_EXTERN_C_END
