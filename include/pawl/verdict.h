// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// The verdict of a run: a list of criteria, computed in one place from the figures of the run. Text, JSON,
/// the HTML page and the exit code of `pawl run` show this list and nothing else; docs/verdict.md has
/// every criterion with its limit, the reason for that, and what to do.
///
/// **Threads.** Verdicts and lists are plain values; judging reads only them and the model's names, so any thread may judge.
#pragma once
#include "pawl/report.h"
#include "pawl/settings.h"

PAWL_EXTERN_C_BEGIN

/// How a run ended. Values are stored in files: append, never renumber.
typedef enum pawl_run_end {
    PAWL_RUN_UNKNOWN = 0, ///< no requested time is known: not judged
    PAWL_RUN_UNDERWAY,    ///< still running, or killed
    PAWL_RUN_DONE,        ///< it reached the requested time
    PAWL_RUN_INTERRUPTED, ///< by a signal, between two steps
    PAWL_RUN_STEP_FAILED, ///< a step could not be taken; the state before it is kept
    PAWL_RUN_NOT_WRITTEN, ///< a recording or an export could not be written
    PAWL_RUN_END_COUNT
} pawl_run_end;

/// The parts of the energy balance that can only remove energy.
typedef enum pawl_dissipator {
    PAWL_DISSIPATOR_DAMPERS = 0,
    PAWL_DISSIPATOR_FRICTION,
    PAWL_DISSIPATOR_LIMITS,
    PAWL_DISSIPATOR_CONTACTS,
    PAWL_DISSIPATOR_COUNT
} pawl_dissipator;
/// Length of arrays by dissipator: larger than their number, so that a new one does not change the layout of structs.
enum { PAWL_MAX_DISSIPATORS = 16 };
PAWL_API const char *pawl_dissipator_name(pawl_dissipator which); ///< e.g. "dampers"

/// The figures of a run: sums and worst values, where NaN is the worst. Initialized by
/// pawl_verdict_begin(), extended by pawl_verdict_add() after each step, judged by pawl_verdict_judge().
/// Recordings contain it.
typedef struct pawl_verdict {
    int64_t steps;
    unsigned measured;     ///< PAWL_MEASURED_* of any step
    int64_t not_converged; ///< steps whose own_residual was above its tolerance
    int64_t iterations_sum;
    int iterations_max;
    int64_t factorizations_sum;
    int factorizations_max;
    int64_t methods[PAWL_MAX_METHODS]; ///< steps by the method of their last stage
    int64_t islands_sum;
    int islands_max;
    int64_t asleep_sum;                  ///< bodies that slept, summed over the steps
    int asleep_max;                      ///< most of them
    pawl_residual residual;              ///< maxima
    double imbalance;                    ///< largest
    double dissipation_gap;              ///< largest [m/s]
    int64_t divided;                     ///< steps that were divided
    double own_residual;                 ///< largest
    pawl_closure closure;                ///< maxima
    pawl_closure misfit;                 ///< maxima
    double misfit_expected;              ///< likewise, of the value expected from the start
    double settled;                      ///< sum, and the path that losses there cost [m]
    double blur;                         ///< largest of pawl_step_report [rad]
    int64_t blur_step;                   ///< its step, counted from 1; 0 for none
    pawl_joint_id blur_joint;            ///< and its joint
    int64_t passage_steps;               ///< in singular positions
    int64_t passage_step;                ///< the first of them, counted from 1; 0 for none
    pawl_joint_id passage_joint;         ///< its joint
    double start_limit;                  ///< closure.limit at the start
    double size;                         ///< of the largest body [m]
    int64_t position_failures;           ///< position updates that left joints open
    int64_t position_step;               ///< the first step with one, counted from 1; 0 for none
    int64_t not_finite;                  ///< steps with a figure that is not finite
    double energy_initial, energy_final; ///< kinetic + potential + springs [J]
    double kinetic_max;                  ///< largest kinetic energy [J]
    double potential_min, potential_max; ///< of gravity and springs together [J]
    double work_in, work_out;            ///< sums of all work done on the model, and by it [J]
    double energy_floor; ///< smaller energies have no meaning, see docs/verdict.md [J]
    double balance_max;  ///< largest |pawl_energy.balance| seen [J]
    pawl_energy energy;  ///< after the last step
    double limit_correction_energy, contact_correction_energy; ///< sums of pawl_step_report's [J]
    double lowest_work[PAWL_MAX_DISSIPATORS]; ///< since the start, without *_correction_energy [J]
    double work_rise[PAWL_MAX_DISSIPATORS];   ///< largest rise above the lowest before it [J]
    double work_gain[PAWL_MAX_DISSIPATORS];   ///< largest since the start, 0 if never positive [J]
    bool soft_joints, soft_limits, soft_contacts; ///< the model has some
    int contacts_max;
    int64_t contacts_sum;
    int64_t fell_back;                          ///< steps of rattle that are steps of moreau
    double penetration;                         ///< largest [m]
    pawl_shape_id worst_shape_a, worst_shape_b; ///< its pair of shapes
    double depth_ratio;                         ///< largest, see pawl_step_report
    double start_depth;                         ///< likewise
    pawl_shape_id ratio_shape_a, ratio_shape_b; ///< its pair
    int64_t tunnelled;                          ///< times that a shape passed through another one
    int64_t tunnel_step; ///< the first step with one, counted from 1; 0 for none
    pawl_shape_id tunnel_shape_a, tunnel_shape_b; ///< its pair
    int64_t events[PAWL_MAX_EVENT_KINDS];         ///< how many of each kind
    pawl_run_end end;
    double time, requested_time; ///< reached and requested, if `end` is known [s]
} pawl_verdict;
/// A verdict without steps, from the state at the start of the run.
PAWL_API pawl_verdict pawl_verdict_begin(const pawl_state *state);
/// Adds the figures of a step.
PAWL_API void pawl_verdict_add(pawl_verdict *verdict, const pawl_step_report *report);
/// Sets how the run ended. For recordings, call it with PAWL_RUN_UNDERWAY before the first step:
/// the recording of a killed run then shows that it did not end.
PAWL_API void pawl_verdict_end(pawl_verdict *verdict, pawl_run_end end, double time,
                               double requested_time);
/// The energy that was turned over: the largest of the kinetic energy, the range of the potential
/// energy, the work put in and the work taken out, and at least energy_floor [J].
PAWL_API double pawl_verdict_turnover(const pawl_verdict *verdict);
/// balance_max relative to pawl_verdict_turnover(); 0 where both are 0.
PAWL_API double pawl_verdict_energy_error(const pawl_verdict *verdict);

typedef enum pawl_judgement {
    PAWL_NOT_JUDGED = 0, ///< not measured, or without a limit
    PAWL_PASSED,
    PAWL_FAILED
} pawl_judgement;

/// Every verdict has one of each, in this order.
typedef enum pawl_criterion_kind {
    PAWL_CRITERION_COMPLETED = 0, ///< the run reached the requested time
    PAWL_CRITERION_FINITE,        ///< every figure is a finite number
    PAWL_CRITERION_RESIDUAL,      ///< the solver solved its own problem
    PAWL_CRITERION_COULOMB,       ///< and with it Coulomb's law
    PAWL_CRITERION_POSITIONS,     ///< position updates closed the joints
    PAWL_CRITERION_CLOSURE,       ///< joints are closed, in position
    PAWL_CRITERION_ROTATION,      ///< and in rotation
    PAWL_CRITERION_MISFIT,        ///< loops have no larger misfit than the file's digits explain
    PAWL_CRITERION_PASSAGE,       ///< and their path through singular positions is known
    PAWL_CRITERION_LIMITS,        ///< coordinates are within their limits
    PAWL_CRITERION_PENETRATION,   ///< shapes are not inside each other
    PAWL_CRITERION_CROSSINGS,     ///< and did not pass through each other
    PAWL_CRITERION_ENERGY,        ///< the energy balance closes
    PAWL_CRITERION_WORK,          ///< dissipative elements never add energy
    PAWL_CRITERION_IMPACTS,       ///< impacts were solved by the selected law
    PAWL_CRITERION_IMBALANCE,     ///< mdp, nmdp: forces are balanced
    PAWL_CRITERION_DISSIPATION,   ///< and contacts dissipate most
    PAWL_CRITERION_DIVIDED,       ///< in steps that were not divided
    PAWL_CRITERION_COUNT
} pawl_criterion_kind;
/// Length of arrays by criterion: larger than their number, so that a new one does not change the layout of structs.
enum { PAWL_MAX_CRITERIA = 32 };

enum { PAWL_WHERE_SIZE = 400 };
typedef struct pawl_criterion {
    const char *name;  ///< for programs, e.g. "closure"
    const char *title; ///< for people, e.g. "joint closure"
    const char *unit;  ///< of value and limit; "" for counts and ratios
    pawl_judgement judgement;
    double value;                ///< NaN if not measured
    double limit;                ///< passed when value <= limit; NaN if not measured
    char where[PAWL_WHERE_SIZE]; ///< the place or the reason, e.g. "joint 'elbow'"; may be ""
    const char *advice;          ///< what to do if it fails, or why it is not judged
} pawl_criterion;

typedef struct pawl_verdict_list {
    pawl_judgement judgement;                   ///< PAWL_FAILED if any failed
    int passed, failed;                         ///< how many; the rest was not judged
    int count;                                  ///< of criteria
    pawl_criterion criteria[PAWL_MAX_CRITERIA]; ///< by pawl_criterion_kind
} pawl_verdict_list;

/// Names of joints and shapes for pawl_criterion.where. Each writes at most `size` bytes.
typedef struct pawl_verdict_names {
    const void *user; ///< given to both
    void (*joint)(const void *user, pawl_joint_id joint, char *text, size_t size);
    void (*shape)(const void *user, pawl_shape_id shape, char *text, size_t size);
} pawl_verdict_names;
/// Those of a model, which must outlive them.
PAWL_API pawl_verdict_names pawl_model_names(const pawl_model *model);
/// "world plane", "crate box 'lid'": shapes need not have names. `body`: the name of its body.
PAWL_API void pawl_shape_text(const pawl_shape_info *shape, const char *body, char *text,
                              size_t size);

/// The one judge of runs.
PAWL_API pawl_verdict_list pawl_verdict_judge(const pawl_verdict *verdict,
                                              const pawl_settings *settings,
                                              const pawl_verdict_names *names);
enum { PAWL_SENTENCE_SIZE = 2000 };
/// The last line of a run: "PASSED, all 9 criteria judged", or "NOT MET: " with the failed criteria, their places and
/// advice.
PAWL_API void pawl_verdict_sentence(const pawl_verdict_list *list, char *text, size_t size);
/// "passed", "FAILED", "not judged".
PAWL_API const char *pawl_judgement_name(pawl_judgement judgement);

PAWL_EXTERN_C_END
