// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What the experiments of the linearly implicit trapezoidal method share: point masses that touch
// planes as the paper's points do, the paper's settings, and runs of a fixed number of steps.
#pragma once
#include "experiment.h"

#define LIT_PAPER                                                                                  \
    "Potra, Anitescu, Gavrea, Trinkle: A linearly implicit trapezoidal method for integrating "    \
    "stiff multibody dynamics with contact, joints, and friction (2006). "

/// A method by the names of its settings.
typedef struct lit_method {
    const char *variant; ///< "paper" or "sdirk2"
    const char *scheme;  ///< "1": (6.12), velocities v+; "2": (6.10), v + v+
    const char *events;  ///< "none", "collisions" or "all"
} lit_method;

/// The radius of the spheres that stand for points. A plane that is moved back by it is as far from
/// the sphere as the paper's plane from the point. A power of two: adding and taking it away rounds
/// nothing of numbers that matter.
#define LIT_RADIUS 0.0625

typedef struct lit_material {
    double friction, restitution;
} lit_material;
/// A point mass with its sphere, at rest unless `velocity` says otherwise.
pawl_status lit_add_point(pawl_builder *builder, const char *name, double mass, pawl_vec3 position,
                          pawl_vec3 velocity, lit_material material, pawl_body_id *out);
/// A fixed plane through `point` for points: what lies behind it, against `normal`, is solid. The
/// lesser coefficients of a pair count (lit_settings_make() sees to it).
pawl_status lit_add_plane(pawl_builder *builder, const char *name, pawl_vec3 point,
                          pawl_vec3 normal, lit_material material);
/// Compiles and destroys the builder, whose status so far is `status`: failures end here.
pawl_status lit_finish_model(pawl_builder *builder, pawl_status status, pawl_model **out);

pawl_status lit_settings_make(const pawl_env *env, lit_method method, double h, pawl_settings *out);

enum { LIT_TRACE_COLUMNS = 4, LIT_TRACE_COLLISIONS = 16 };
/// A point and a plane met.
typedef struct lit_collision {
    double time; ///< [s]
    int body;
} lit_collision;
/// Figures over time, for plots. Starts as {.measure = ..., .user = ...}.
typedef struct lit_trace {
    /// Fills LIT_TRACE_COLUMNS values.
    void (*measure)(const pawl_state *state, const void *user, double *values);
    const void *user;
    int count, capacity;
    double *time;                      ///< (count)
    double *column[LIT_TRACE_COLUMNS]; ///< (count) each
    int collision_count;               ///< all there were; only the first are kept
    lit_collision collisions[LIT_TRACE_COLLISIONS];
} lit_trace;
void lit_trace_free(lit_trace *trace);
void lit_trace_add_curve(pawl_study *study, const lit_trace *trace, int column, const char *label,
                         bool dashed);

/// Steps `model` from its start to time `end`, a multiple of h, and copies its last state. `trace`,
/// which may be NULL, gets the start and the end of every step.
pawl_status lit_simulate(experiment_run *run, const pawl_model *model, lit_method method, double h,
                         double end, lit_trace *trace, pawl_state *last);
