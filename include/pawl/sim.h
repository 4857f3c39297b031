// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Settings, the simulation that steps a state, and the figures each step is judged by.
///
/// **Threads.** A simulation belongs to one thread at a time; a second one that steps it meanwhile is refused. Different
/// simulations, of one model, too, run at once. With `threads` above 1 a step uses threads of its own. Settings, reports
/// and verdicts are plain values. A check belongs to one thread at a time.
#pragma once
#include "pawl/input.h"
#include "pawl/problem.h"

PAWL_EXTERN_C_BEGIN

/// How time advances. Values are stored in files: append, never renumber.
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
    PAWL_SOLVER_AUTO,         ///< direct, sweeps, ADMM and Newton, as far as each is needed
    PAWL_SOLVER_LEMKE,        ///< Lemke's pivoting on friction with a polygon for a disk
    PAWL_SOLVER_COUNT
} pawl_solver_kind;
typedef enum pawl_delassus_kind {
    PAWL_DELASSUS_AUTO = 0,    ///< by size and structure
    PAWL_DELASSUS_DENSE,       ///< D written out; for few rows
    PAWL_DELASSUS_SPARSE,      ///< sparse factors, ordered once a graph
    PAWL_DELASSUS_MATRIX_FREE, ///< products alone, conjugate gradients
    PAWL_DELASSUS_COUNT
} pawl_delassus_kind;
/// How the coefficients of two shapes become that of their contacts. Values are stored in files.
typedef enum pawl_pair_rule {
    PAWL_PAIR_GEOMETRIC = 0, ///< the root of their product
    PAWL_PAIR_MIN,
    PAWL_PAIR_MAX,
    PAWL_PAIR_MEAN,
    PAWL_PAIR_PRODUCT,
    PAWL_PAIR_RULE_COUNT
} pawl_pair_rule;

/// Which contacts of a planar patch are left out. Values are stored in files.
typedef enum pawl_reduce_kind {
    PAWL_REDUCE_OFF = 0, ///< none
    PAWL_REDUCE_HULL,    ///< those inside the convex hull of the patch
    PAWL_REDUCE_COUNT
} pawl_reduce_kind;

/// Where a solver starts. Values are stored in files.
typedef enum pawl_warm_start_kind {
    PAWL_WARM_OFF = 0, ///< from zero
    PAWL_WARM_MATCHED, ///< from the last step's impulses, by constraint and contact feature
    PAWL_WARM_GUESS,   ///< and new contacts of a pair of shapes with what its lost ones bore
    PAWL_WARM_COUNT
} pawl_warm_start_kind;

/// Linearizations of the stepper lit. Values are stored in files: append, never renumber.
typedef enum pawl_lit_variant {
    PAWL_LIT_MIDPOINT = 0, ///< all rows at the middle of the step, on the joints
    PAWL_LIT_PAPER,        ///< forces linearized at the start, as published
    PAWL_LIT_SDIRK2,       ///< two stages, damped: stiff limits come out right
    PAWL_LIT_VARIANT_COUNT
} pawl_lit_variant;
/// The inertial part of nmdp. Values are stored in files.
typedef enum pawl_nmdp_dynamics {
    PAWL_NMDP_NE = 0, ///< Newton and Euler's equations in generalized coordinates
    PAWL_NMDP_PBD,    ///< position-based: accelerations of all points in space
    PAWL_NMDP_DYNAMICS_COUNT
} pawl_nmdp_dynamics;
/// Which derivatives of the contact models nmdp uses. Values are stored in files.
typedef enum pawl_nmdp_gradient {
    PAWL_NMDP_FIRST = 0, ///< first ones, of models that have them
    PAWL_NMDP_ZEROTH,    ///< none: more iterations, shorter steps
    PAWL_NMDP_GRADIENT_COUNT
} pawl_nmdp_gradient;
/// What contact forces make small. Values are stored in files.
typedef enum pawl_nmdp_energy {
    PAWL_NMDP_ENERGY_CONTACT = 0, ///< energy of unit masses at all contact points
    PAWL_NMDP_ENERGY_PENETRATING, ///< at those that would be in the ground without contact forces
    PAWL_NMDP_ENERGY_TOTAL,       ///< all kinetic energy, as published
    PAWL_NMDP_ENERGY_COUNT
} pawl_nmdp_energy_kind;
/// Where `mdp` takes springs and controllers. Values are stored in files.
typedef enum pawl_mdp_pd {
    PAWL_MDP_EXPLICIT =
        0,           ///< at the beginning of the step, as published: explodes with large steps
    PAWL_MDP_STABLE, ///< at its end
    PAWL_MDP_PD_COUNT
} pawl_mdp_pd;

/// Which events within a step the stepper lit locates. Values are stored in files.
typedef enum pawl_lit_events {
    PAWL_LIT_EVENTS_ALL = 0,    ///< collisions, and changes between sticking, sliding and open
    PAWL_LIT_EVENTS_COLLISIONS, ///< collisions alone
    PAWL_LIT_EVENTS_NONE,       ///< none: impacts happen at the ends of steps
    PAWL_LIT_EVENTS_COUNT
} pawl_lit_events;
/// Laws of impact (docs/impacts.md). Values are stored in files.
typedef enum pawl_impact_law {
    PAWL_IMPACT_POISSON = 0, ///< e of the normal impulse of the compression is returned
    PAWL_IMPACT_NEWTON,      ///< contacts open with e of the speed that they closed with
    PAWL_IMPACT_ENERGETIC, ///< e^2 of the work of the compression is returned (Stronge); slip followed
    PAWL_IMPACT_ROUTH,     ///< as poisson, with the slip followed through the impact
    PAWL_IMPACT_LAW_COUNT
} pawl_impact_law;
/// In which coordinates rows and bodies meet. Values are stored in files.
typedef enum pawl_formulation {
    PAWL_FORMULATION_MAXIMAL = 0, ///< six coordinates a body, joints as constraints
    PAWL_FORMULATION_REDUCED,     ///< joints of a spanning tree by their coordinates, loops as rows
    PAWL_FORMULATION_COUNT
} pawl_formulation;
/// How a floating base turns in reduced coordinates. Values are stored in files.
typedef enum pawl_reduced_base {
    PAWL_REDUCED_BASE_QUATERNION = 0, ///< no gimbal lock
    PAWL_REDUCED_BASE_EULER,          ///< angles about z, y, x
    PAWL_REDUCED_BASE_COUNT
} pawl_reduced_base;

/// What the figures of a run are held against; see docs/verdict.md for the reasons of the defaults. A
/// limit of infinity: the figure is shown, but not judged. The residual's limit is solver.tolerance.
typedef struct pawl_verdict_limits {
    double closure;          ///< verdict.closure: joint error over the size of its smaller body [-]
    double closure_rotation; ///< verdict.closure_rotation [rad]
    double limit;            ///< verdict.limit: coordinates beyond their limits [m or rad]
    double penetration;      ///< verdict.penetration: depth over half the thinner shape's thickness
    double energy;           ///< verdict.energy: unexplained over turned over [-]
    double work;    ///< verdict.work: work of the wrong sign over the energy turned over [-]
    double coulomb; ///< verdict.coulomb: residual of Coulomb's law, of solvers of another law [m/s]
} pawl_verdict_limits;

/// Start from pawl_settings_default(); change fields, or use pawl_settings_set() by key.
typedef struct pawl_settings {
    double dt; ///< step [s]
    pawl_stepper_kind stepper;
    pawl_solver_kind solver;
    pawl_delassus_kind delassus;
    double tolerance;                ///< solver.tolerance, on residual.natural_scaled [m/s]
    int max_iterations;              ///< solver.max_iterations
    bool exact_joints;               ///< solver.exact_joints: sweeps run over bounded rows alone
    pawl_warm_start_kind warm_start; ///< solver.warm_start
    double warm_start_scale; ///< solver.warm_start_scale: share of the last impulses to start from
    bool islands;            ///< solver.islands: groups of bodies that no row joins, each alone
    int threads;           ///< threads that solve islands; the results are the same for any number
    bool project;          ///< project: move along the constraints; closure to 1e-12
    double erp_joint;      ///< erp.joint: share of the joint error removed a step, without project
    double erp_limit;      ///< erp.limit
    double erp_contact;    ///< erp.contact: share of a penetration pushed out a step
    double contact_margin; ///< contact.margin: contacts are known this far ahead [m]
    double max_push;       ///< contact.max_push: fastest push out of a penetration [m/s]
    double limit_push;     ///< limit.max_push: fastest return to a limit [m/s or rad/s]
    double
        restitution_threshold; ///< contact.restitution_threshold: slower impacts do not bounce [m/s]
    pawl_impact_law impact_law; ///< contact.impact
    double impact_friction; ///< contact.impact_friction: of shapes that state none, times friction
    pawl_pair_rule friction_rule;    ///< contact.friction_rule, of the friction of sliding
    pawl_pair_rule restitution_rule; ///< contact.restitution_rule
    pawl_reduce_kind reduce;         ///< contact.reduce
    int reduce_max;                  ///< contact.reduce_max: corners that a patch keeps, 0: all
    double loop_tolerance; ///< loop.tolerance: misalignment up to which rows of loops are redundant
                           ///< [rad, or lengths of the mechanism]; 0: every row is met
    double regularization; ///< solver.regularization, relative to the unit-scaled D
    bool precondition;     ///< solver.precondition: rows scaled by the diagonal of D
    double admm_rho;       ///< admm.rho: penalty, of the first iteration where it adapts
    double admm_eta;       ///< admm.eta: proximal weight
    double admm_relaxation;  ///< admm.relaxation: over-relaxation, 1 for none
    bool admm_accelerate;    ///< admm.accelerate: Nesterov's momentum with restarts
    double relaxation;       ///< solver.relaxation: omega of the first sweep
    double relaxation_min;   ///< solver.relaxation_min: omega never falls below
    double relaxation_decay; ///< solver.relaxation_decay: factor on omega after each sweep
    double soft_joint;       ///< soft.joint: time constant of joints, 0: hard [s]
    double soft_limit;       ///< soft.limit: of limits [s]
    double soft_contact;     ///< soft.contact: of contacts [s]
    pawl_softness soft;      ///< soft.damping_ratio, .d0, ...: the rest of all three
    bool soft_friction;      ///< soft.friction: the tangents of soft contacts are soft as well
    int lemke_sides;         ///< lemke.sides: corners of the polygon for the friction disk, even
    int lemke_rounds;        ///< lemke.rounds: 1: as it stands; more: turned against the slip
    pawl_lit_variant lit_variant; ///< lit.variant
    int lit_scheme;      ///< lit.scheme: 2: rows hold on the mean of both ends, 1: at the end
    double lit_eps_a;    ///< lit.eps_a: contacts and limits nearer than this are closed [m]
    double lit_eps_b;    ///< lit.eps_b: or nearer than this times h^3 [m/s^3]
    bool lit_linearized; ///< lit.linearized_constraints
    int rattle_order;    ///< rattle.order: 2 or 4
    pawl_lit_events lit_events; ///< lit.events
    pawl_formulation formulation;
    pawl_reduced_base reduced_base;    ///< reduced.base
    pawl_nmdp_dynamics nmdp_dynamics;  ///< nmdp.dynamics
    pawl_nmdp_gradient nmdp_gradient;  ///< nmdp.gradient
    pawl_nmdp_energy_kind nmdp_energy; ///< nmdp.energy, of mdp, too
    int nmdp_order;                    ///< nmdp.order: 1 or 2
    double nmdp_tolerance;             ///< nmdp.tolerance, on changes of coordinates [m or rad]
    int nmdp_max_iterations;           ///< nmdp.max_iterations: projected gradient steps a stage
    int nmdp_halvings;                 ///< nmdp.halvings: how often a step may be cut in halves
    double nmdp_beta_min;              ///< nmdp.beta_min: least proximal weight
    double nmdp_push_out;              ///< nmdp.push_out: share of a depth pushed out a step
    double nmdp_stiffness; ///< nmdp.stiffness: k of contact points that shapes are given [N/m^3]
    pawl_mdp_pd mdp_pd;    ///< mdp.pd
    double nmdp_limit_stiffness; ///< nmdp.limit_stiffness: of joint limits [N/m^2 or N m/rad^2]
    pawl_verdict_limits verdict; ///< verdict.*: what a run is held against
    uint32_t stamp;              ///< set by the default function; shows that it was called
} pawl_settings;
PAWL_API pawl_settings pawl_settings_default(void);

/// One row of `pawl list settings`.
typedef struct pawl_setting_info {
    const char *key, *unit, *range, *help;
} pawl_setting_info;
PAWL_API int pawl_setting_count(void);
PAWL_API pawl_setting_info pawl_setting(int index);
/// Value as text, as pawl_settings_set() takes it. `text` has room for `size` bytes.
PAWL_API pawl_status pawl_settings_get(const pawl_settings *settings, int index, char *text,
                                       size_t size);
/// `key` as in the table; an unknown key or a value out of range is refused and logged.
PAWL_API pawl_status pawl_settings_set(const pawl_env *env, pawl_settings *settings,
                                       const char *key, const char *value);
PAWL_API pawl_status pawl_settings_check(const pawl_env *env, const pawl_settings *settings);

/// Names and one-line descriptions, for the command line: NULL past the last.
PAWL_API const char *pawl_stepper_name(int kind);
PAWL_API const char *pawl_stepper_summary(int kind);
/// Whether a stepper has generalized coordinates of its own: the settings of formulation and solver do not apply to it.
PAWL_API bool pawl_stepper_has_tree(int kind);
PAWL_API const char *pawl_solver_name(int kind);
PAWL_API const char *pawl_solver_summary(int kind);
/// The friction law that a solver's answers follow where it is not Coulomb's, e.g. "the convex
/// relaxation of friction"; NULL for Coulomb's law.
PAWL_API const char *pawl_solver_other_law(int kind);
PAWL_API const char *pawl_formulation_name(int kind);
PAWL_API const char *pawl_formulation_summary(int kind);

/// How far the constraints are from being met, in configuration.
typedef struct pawl_closure {
    double position; ///< worst translational joint error [m]
    double rotation; ///< worst rotational joint error [rad]
    int worst_joint; ///< the joint with the larger of the two; -1 without joints
    double share;    ///< worst translational error over the size of the joint's smaller body [-]
    int share_joint; ///< its joint, -1 for none
    double limit;    ///< worst limit violation [m or rad]
    int worst_limit; ///< its joint, -1 for none
} pawl_closure;
PAWL_API pawl_closure pawl_state_closure(const pawl_state *state);

typedef enum pawl_outcome { PAWL_CONVERGED = 0, PAWL_ITERATION_LIMIT, PAWL_STALLED } pawl_outcome;

/// The parts of a step, for their times.
typedef enum pawl_phase {
    PAWL_PHASE_COLLIDE = 0, ///< contacts are found
    PAWL_PHASE_ASSEMBLE,    ///< rows are placed, forces applied, the problem posed
    PAWL_PHASE_SOLVE,       ///< the solver, its factorizations included
    PAWL_PHASE_MOVE,        ///< poses follow velocities, along the constraints with `project`
    PAWL_PHASE_REST,        ///< the judge, energy and what else is reported
    PAWL_PHASE_COUNT
} pawl_phase;
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
PAWL_API const char *pawl_method_name(pawl_method method); ///< e.g. "sweeps"

/// What happens at an instant within a step. Values are stored in files: append, never renumber.
typedef enum pawl_event_kind {
    PAWL_EVENT_COLLISION = 0, ///< shapes met
    PAWL_EVENT_LIMIT,         ///< a joint coordinate met its limit
    PAWL_EVENT_IMPACT,        ///< the impact problem of what met at this time was solved
    PAWL_EVENT_TAKEOFF,       ///< a contact opened
    PAWL_EVENT_STICK,         ///< a sliding contact came to rest
    PAWL_EVENT_SLIP,          ///< a sticking contact began to slide
    PAWL_EVENT_REVERSAL,      ///< a sliding contact went through rest and slides back
    PAWL_EVENT_LASTING,       ///< impacts followed each other ever faster: taken as lasting contact
    PAWL_EVENT_UNRESOLVED,    ///< more happened in a step than it is cut for: the rest in one piece
    PAWL_EVENT_TUNNELLED,     ///< shapes went through each other unnoticed within the step
    PAWL_EVENT_FALLBACK,      ///< from here on steps of rattle are done as moreau does, see figure
    PAWL_EVENT_IMPACT_CAPPED, ///< restitution lowered: the law would have added energy; see figure
    PAWL_EVENT_IMPACT_FALLBACK, ///< the law's own problem was not solved, see docs/impacts.md
    PAWL_EVENT_KIND_COUNT
} pawl_event_kind;
PAWL_API const char *pawl_event_kind_name(pawl_event_kind kind); ///< e.g. "collision"
/// What pawl_event.figure of this kind is, with its unit, e.g. "approach speed [m/s]".
PAWL_API const char *pawl_event_kind_figure(pawl_event_kind kind);
typedef struct pawl_event {
    double time; ///< [s]
    pawl_event_kind kind;
    int shape_a, shape_b;  ///< the pair, a before b; -1 where it is about a joint or the whole
    int joint, coordinate; ///< the joint and which of its coordinates; -1 where it is not about one
    double figure;         ///< see pawl_event_kind_figure()
} pawl_event;

/// What a step measured; bits of pawl_step_report.measured. A figure without its bit says nothing.
enum {
    PAWL_MEASURED_RESIDUAL = 1 << 0,  ///< residual, own_residual, outcome
    PAWL_MEASURED_COULOMB = 1 << 1,   ///< there were contacts: residual is that of Coulomb's law
    PAWL_MEASURED_CLOSURE = 1 << 2,   ///< closure.position and .rotation; hard joints alone
    PAWL_MEASURED_LIMITS = 1 << 3,    ///< closure.limit
    PAWL_MEASURED_DEPTH = 1 << 4,     ///< penetration, depth_share
    PAWL_MEASURED_CROSSINGS = 1 << 5, ///< tunnelled
    PAWL_MEASURED_POSITIONS = 1 << 6, ///< position_failures
    PAWL_MEASURED_BALANCE = 1 << 7,   ///< energy.balance
    PAWL_MEASURED_WORK = 1 << 8,      ///< energy, work by work
    PAWL_MEASURED_IMPACTS = 1 << 9,   ///< there were impacts: impact_work, events about them
    PAWL_MEASURED_MISFIT = 1 << 10    ///< misfit: loops that the file's numbers do not close
};

/// What one step did.
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
    double impact_work;    ///< of contacts and limits in impacts; no law lets it be positive [J]
    bool fell_back;        ///< rattle: not reversible, or a singular position; done as moreau does
    int position_failures; ///< position updates that left joints open
    double penetration;    ///< deepest of them, where the rows were placed [m]
    int worst_shape_a, worst_shape_b; ///< the shapes of that one, -1 where nothing penetrates
    double depth_share; ///< largest depth over half the thickness of the thinner shape of its pair
    int share_shape_a, share_shape_b; ///< that pair, -1 for none
    double pushed_limits; ///< energy that corrections of violated limits stored, in work_limits [J]
    double pushed_contacts;             ///< of overlaps, in work_contacts [J]
    int tunnelled;                      ///< pairs of shapes that went through each other
    int tunnel_shape_a, tunnel_shape_b; ///< the first of them, -1 for none
    int events[PAWL_EVENT_KIND_COUNT];  ///< how many of each kind; see pawl_sim_event()
    pawl_residual residual;             ///< of Coulomb's law, by the judge, not by the solver
    double own_residual;  ///< of the problem that was to be solved, against solver.tolerance [m/s];
                          ///< mdp, nmdp: change of coordinates still asked for, against
                          ///< nmdp.tolerance [m or rad]
    pawl_closure closure; ///< after the step
    pawl_closure misfit;  ///< of that, what loops leave open by the numbers of the model
    double misfit_expected;           ///< what the start leads to expect of it [m or rad]
    pawl_energy energy;               ///< after the step
    double seconds[PAWL_PHASE_COUNT]; ///< by the clock; 0 without one
} pawl_step_report;

typedef struct pawl_sim pawl_sim;
/// Allocates all that steps will use and assembles the start: joints that do not meet are brought
/// together (with a note in the log) or refused. `model` and `env` must outlive the sim.
PAWL_API pawl_status pawl_sim_create(const pawl_env *env, const pawl_model *model,
                                     const pawl_settings *settings, pawl_sim **out);
PAWL_API void pawl_sim_destroy(pawl_sim *sim); ///< NULL is fine
/// One step. On a status other than PAWL_OK the state is as it was. `report` may be NULL.
PAWL_API pawl_status pawl_sim_step(pawl_sim *sim, pawl_step_report *report);
/// A clock [s] that is read some ten times a step to fill pawl_step_report.seconds, and given `user`
/// each time. NULL, as at the start: no step reads a clock. It never changes what a step computes.
PAWL_API void pawl_sim_set_clock(pawl_sim *sim, double (*now)(void *user), void *user);
PAWL_API const pawl_state *pawl_sim_state(const pawl_sim *sim);
/// Takes over a state of the same model, as a resumed run does: nothing is assembled anew.
PAWL_API pawl_status pawl_sim_set_state(pawl_sim *sim, const pawl_state *state);
/// The state, to set inputs (pawl/input.h), poses or joints before the next step. It may be another one after
/// each step: ask again. After poses or joints were changed, call pawl_sim_assemble() unless all joints still
/// meet.
PAWL_API pawl_state *pawl_sim_edit_state(pawl_sim *sim);
/// Closes the joints from where the bodies are, with the least change of poses in the metric of the masses, then
/// brings velocities in line with them. `start` and `assembled` (either may be NULL) are the closure before and
/// after. PAWL_NOT_ASSEMBLED: they cannot be brought together; the log names the worst joint, and the state is as
/// it was. The energy balance begins anew.
PAWL_API pawl_status pawl_sim_assemble(pawl_sim *sim, pawl_closure *start, pawl_closure *assembled);
/// Sets coordinates of joints, at rest, and closes the loops with these joints held where they were set. On failure
/// (PAWL_NOT_ASSEMBLED where the loops do not allow it) the state is as it was. Each joint once.
PAWL_API pawl_status pawl_sim_set_joints(pawl_sim *sim, const pawl_joint_start *starts, int count);
PAWL_API const pawl_settings *pawl_sim_settings(const pawl_sim *sim);
PAWL_API const pawl_model *pawl_sim_model(const pawl_sim *sim);
/// Reaction of a joint in the last step: force and torque that the base exerts on the follower, in
/// world axes, at the follower's joint origin. Least-norm where redundant rows leave it open.
PAWL_API pawl_status pawl_sim_joint_reaction(const pawl_sim *sim, pawl_joint_id joint, pawl_vec3 *force,
                                             pawl_vec3 *torque);
/// Force or torque that an actuator applied in the last step.
PAWL_API double pawl_sim_actuator_effort(const pawl_sim *sim, pawl_actuator_id actuator);

/// Values are stored in files: append, never renumber.
typedef enum pawl_contact_mode {
    PAWL_CONTACT_OPEN = 0, ///< near, but no impulse
    PAWL_CONTACT_STICK,    ///< impulse inside the friction cone
    PAWL_CONTACT_SLIP,     ///< impulse on the cone; of frictionless contacts always
    PAWL_CONTACT_MODE_COUNT
} pawl_contact_mode;
PAWL_API const char *pawl_contact_mode_name(pawl_contact_mode mode); ///< e.g. "stick"
/// One contact point of the last step, where its rows were placed, in world axes.
typedef struct pawl_contact_info {
    int body_a, body_b;   ///< indices; PAWL_WORLD_INDEX for the world
    int shape_a, shape_b; ///< of the model, a before b; -1: contact points (mdp, nmdp)
    pawl_vec3 position;
    pawl_vec3 normal; ///< unit, from a to b
    double gap;       ///< negative: penetration [m]
    pawl_vec3 force;  ///< that a exerts on b, mean over the step [N]
    pawl_vec3 moment; ///< of torsional and rolling friction, that a exerts on b, likewise [N m]
    pawl_contact_mode mode;
} pawl_contact_info;
/// How many contacts the problem of the last step had, open ones included; 0 before the first step.
PAWL_API int pawl_sim_contact_count(const pawl_sim *sim);
PAWL_API pawl_contact_info pawl_sim_contact(const pawl_sim *sim, int contact);

/// Events of the last step, in the order of their times; none before the first step.
PAWL_API int pawl_sim_event_count(const pawl_sim *sim);
PAWL_API pawl_event pawl_sim_event(const pawl_sim *sim, int event);

/// How a run ended. Values are stored in files: append, never renumber.
typedef enum pawl_run_end {
    PAWL_RUN_UNKNOWN = 0, ///< nobody said how far it was to go: not judged
    PAWL_RUN_UNDERWAY,    ///< it goes on, or was killed
    PAWL_RUN_DONE,        ///< it reached the time asked for
    PAWL_RUN_INTERRUPTED, ///< by a signal, between two steps
    PAWL_RUN_STEP_FAILED, ///< a step could not be taken; the state before it is kept
    PAWL_RUN_NOT_WRITTEN, ///< what was to be recorded or exported could not be written
    PAWL_RUN_END_COUNT
} pawl_run_end;

/// The parts of the energy balance that can only take energy out.
typedef enum pawl_dissipator {
    PAWL_DISSIPATOR_DAMPERS = 0,
    PAWL_DISSIPATOR_FRICTION,
    PAWL_DISSIPATOR_LIMITS,
    PAWL_DISSIPATOR_CONTACTS,
    PAWL_DISSIPATOR_COUNT
} pawl_dissipator;
PAWL_API const char *pawl_dissipator_name(pawl_dissipator which); ///< e.g. "dampers"

/// What a run measured: sums, and worst figures, of which NaN is the worst. Begun with
/// pawl_verdict_begin(), fed by pawl_verdict_add() after each step, judged by pawl_verdict_judge()
/// (pawl/verdict.h). Recordings keep it.
typedef struct pawl_verdict {
    int64_t steps;
    unsigned measured;     ///< PAWL_MEASURED_* of any step
    int64_t not_converged; ///< steps whose own_residual was above its tolerance
    int64_t iterations_sum;
    int iterations_max;
    int64_t factorizations_sum;
    int factorizations_max;
    int64_t methods[PAWL_METHOD_COUNT]; ///< steps that each had the last word in
    int64_t islands_sum;
    int islands_max;
    pawl_residual residual;              ///< maxima
    double own_residual;                 ///< largest
    pawl_closure closure;                ///< maxima
    pawl_closure misfit;                 ///< maxima
    double misfit_expected;              ///< likewise, of what the start leads to expect
    double start_limit;                  ///< closure.limit at the start
    double size;                         ///< of the largest body [m]
    int64_t position_failures;           ///< position updates that left joints open
    int64_t position_step;               ///< the first step with one, counted from 1; 0 for none
    int64_t not_finite;                  ///< steps with a figure that is not finite
    double energy_initial, energy_final; ///< kinetic + potential + springs [J]
    double kinetic_max;                  ///< largest kinetic energy [J]
    double potential_min, potential_max; ///< of gravity and springs together [J]
    double work_in, work_out;            ///< sums of all work done on the model, and by it [J]
    double energy_floor; ///< below this an energy means nothing, see docs/verdict.md [J]
    double balance_max;  ///< largest |pawl_energy.balance| seen [J]
    pawl_energy energy;  ///< after the last step
    double pushed_limits, pushed_contacts;     ///< sums of pawl_step_report's [J]
    double lowest_work[PAWL_DISSIPATOR_COUNT]; ///< since the start, without pushed_* [J]
    double work_rise[PAWL_DISSIPATOR_COUNT];   ///< largest rise above the lowest before it [J]
    double work_gain[PAWL_DISSIPATOR_COUNT];   ///< largest since the start, 0 if never positive [J]
    bool soft_joints, soft_limits, soft_contacts; ///< the model has some
    int contacts_max;
    int64_t contacts_sum;
    int64_t fell_back;                ///< steps of rattle done as moreau does
    double penetration;               ///< largest [m]
    int worst_shape_a, worst_shape_b; ///< the pair of shapes it was found at, -1 for none
    double depth_share;               ///< largest, see pawl_step_report
    double start_depth; ///< depth_share of overlaps at the start, where it was measured, else 0
    int share_shape_a, share_shape_b;      ///< its pair, -1 for none
    int64_t tunnelled;                     ///< times that a shape went through another one
    int64_t tunnel_step;                   ///< the first step with one, counted from 1; 0 for none
    int tunnel_shape_a, tunnel_shape_b;    ///< its pair, -1 for none
    int64_t events[PAWL_EVENT_KIND_COUNT]; ///< how many of each kind
    pawl_run_end end;
    double time, requested_time; ///< reached and asked for, where `end` is known [s]
} pawl_verdict;
PAWL_API pawl_verdict pawl_verdict_begin(const pawl_state *state);
PAWL_API void pawl_verdict_add(pawl_verdict *verdict, const pawl_step_report *report);
/// How far the run got, for the verdict to judge. Call with PAWL_RUN_UNDERWAY before the first step
/// where a recording is made: one of a run that was killed then shows it.
PAWL_API void pawl_verdict_end(pawl_verdict *verdict, pawl_run_end end, double time,
                               double requested_time);
/// The energy that was turned over: the largest of the kinetic energy, the range of the potential
/// energy, the work put in and the work taken out, and at least energy_floor [J].
PAWL_API double pawl_verdict_turnover(const pawl_verdict *verdict);
/// balance_max relative to pawl_verdict_turnover(); 0 where both are 0.
PAWL_API double pawl_verdict_energy_error(const pawl_verdict *verdict);

/// A row of J that depends on the rows before it.
typedef struct pawl_redundant_row {
    int joint;
    int row;          ///< within the joint
    const char *what; ///< e.g. "force y", "moment z", in the joint frame
} pawl_redundant_row;
/// What `pawl check` prints. Lives until pawl_check_destroy().
typedef struct pawl_check {
    int rows, rank, mobility, velocity_count;
    double mass;
    pawl_vec3 com;          ///< of the whole, at the start
    pawl_closure start;     ///< before assembly
    pawl_closure assembled; ///< after it
    int redundant_count;
    pawl_redundant_row *redundant;
    int loop_joint_count; ///< joints that share a redundancy
    int *loop_joints;
    bool singular;         ///< rank is lower here than close by
    int generic_rank;      ///< rank close by
    double smallest_ratio; ///< smallest singular value of what is not redundant, as a misalignment
                           ///< [rad, or lengths of the mechanism]; 1 without loops
    double weak;           ///< largest singular value of what is taken for redundant
    pawl_closure misfit;   ///< what joints of loops miss each other by, by the numbers of the model
    int warning_count;
    const pawl_warning *warnings; ///< of the model's source, then of the model, by kind
} pawl_check;
/// Assembles a copy of the model's start and analyses it. PAWL_NOT_ASSEMBLED still fills `start`.
PAWL_API pawl_status pawl_check_model(const pawl_env *env, const pawl_model *model,
                                      pawl_check **out);
/// The same for a sim that has not stepped yet, without building another: a run that begins with a check
/// pays for one sim. Redundancy is judged by the settings of the sim (loop.tolerance). The steps that
/// follow have the same bits as without the check. Reduced coordinates have no rows of tree joints to
/// name, so such a sim is checked as pawl_check_model() does it, by a sim in maximal ones.
/// PAWL_BAD_ARGUMENT after the first step.
PAWL_API pawl_status pawl_check_sim(pawl_sim *sim, pawl_check **out);
PAWL_API void pawl_check_destroy(pawl_check *check);

PAWL_EXTERN_C_END
