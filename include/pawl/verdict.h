// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// The verdict on a run: a list of criteria, made in one place from what the run measured. Text, JSON,
/// the HTML page and the exit code of `pawl run` show this list and nothing else; docs/verdict.md has
/// every criterion with its limit, the reason for that, and what to do.
///
/// **Threads.** Verdicts and lists are plain values; judging reads them and the model's names alone, so any threads may.
#pragma once
#include "pawl/sim.h"

PAWL_EXTERN_C_BEGIN

typedef enum pawl_judgement {
    PAWL_NOT_JUDGED = 0, ///< not measured, or without a limit
    PAWL_PASSED,
    PAWL_FAILED
} pawl_judgement;

/// Every verdict has one of each, in this order.
typedef enum pawl_criterion_kind {
    PAWL_CRITERION_COMPLETED = 0, ///< the run reached the time asked for
    PAWL_CRITERION_FINITE,        ///< every figure is a finite number
    PAWL_CRITERION_RESIDUAL,      ///< the solver solved its own problem
    PAWL_CRITERION_COULOMB,       ///< and with it Coulomb's law
    PAWL_CRITERION_POSITIONS,     ///< position updates closed the joints
    PAWL_CRITERION_CLOSURE,       ///< joints are closed, in position
    PAWL_CRITERION_ROTATION,      ///< and in rotation
    PAWL_CRITERION_MISFIT,        ///< loops miss each other by no more than the file's digits
    PAWL_CRITERION_PASSAGE,       ///< and their way through singular positions is known
    PAWL_CRITERION_LIMITS,        ///< coordinates are within their limits
    PAWL_CRITERION_PENETRATION,   ///< shapes are not inside each other
    PAWL_CRITERION_CROSSINGS,     ///< and did not go through each other
    PAWL_CRITERION_ENERGY,        ///< the energy balance closes
    PAWL_CRITERION_WORK,          ///< what dissipates never gives
    PAWL_CRITERION_IMPACTS,       ///< impacts were solved by the law asked for
    PAWL_CRITERION_COUNT
} pawl_criterion_kind;

enum { PAWL_WHERE_SIZE = 400 };
typedef struct pawl_criterion {
    const char *name;  ///< for programs, e.g. "closure"
    const char *title; ///< for people, e.g. "joint closure"
    const char *unit;  ///< of value and limit; "" for counts and ratios
    pawl_judgement judgement;
    double value;                ///< NaN where nothing was measured
    double limit;                ///< passed when value <= limit; NaN where nothing was measured
    char where[PAWL_WHERE_SIZE]; ///< the place or the reason, e.g. "joint 'elbow'"; may be ""
    const char *advice;          ///< what to do where it fails, and where it is not judged why
} pawl_criterion;

typedef struct pawl_verdict_list {
    pawl_judgement judgement; ///< PAWL_FAILED if any failed
    int passed, failed;       ///< how many; the rest was not judged
    pawl_criterion criteria[PAWL_CRITERION_COUNT];
} pawl_verdict_list;

/// Names of joints and shapes for pawl_criterion.where. Each writes at most `size` bytes.
typedef struct pawl_verdict_names {
    const void *user; ///< given to both
    void (*joint)(const void *user, int joint, char *text, size_t size);
    void (*shape)(const void *user, int shape, char *text, size_t size);
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
/// The last line of a run: "PASSED, all 9 criteria judged", or "NOT MET: " and what failed, where, and
/// what to do.
PAWL_API void pawl_verdict_sentence(const pawl_verdict_list *list, char *text, size_t size);
/// "passed", "FAILED", "not judged".
PAWL_API const char *pawl_judgement_name(pawl_judgement judgement);

PAWL_EXTERN_C_END
