// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What the experiments of the nonconvex maximal dissipation principle share: the paper's five methods and
// two of ours, its robots with their motions, and runs that are judged alike. Heights are those of the
// torso's origin above the ground.
#pragma once
#include "experiment.h"

typedef enum nmdp_method {
    NMDP_NE_MDP = 0, ///< linearized, controllers explicit
    NMDP_NE_PGM,     ///< first-order projected gradients
    NMDP_NE_ZOPGM,   ///< zeroth order
    NMDP_PBD_PGM,
    NMDP_PBD_ZOPGM,
    NMDP_PAPER_METHODS,                   ///< those above are the paper's
    NMDP_MDP_STABLE = NMDP_PAPER_METHODS, ///< linearized, controllers implicit
    NMDP_NE_ORDER_2,                      ///< nmdp.order=2
    NMDP_METHOD_COUNT
} nmdp_method;
const char *nmdp_method_name(nmdp_method method); ///< "NE-NMDP-PGM"

typedef enum nmdp_robot { NMDP_ROBOSIMIAN = 0, NMDP_SPIDER, NMDP_ROBOT_COUNT } nmdp_robot;
typedef enum nmdp_motion {
    NMDP_WALK = 0,
    NMDP_JUMP,       ///< joints straight from key to key
    NMDP_JUMP_CUBIC, ///< from rest to rest
    NMDP_WALK_SLOW,  ///< half as fast
    NMDP_WALK_LOW,   ///< feet lifted by a third, strides of a half
    NMDP_MOTION_COUNT
} nmdp_motion;

typedef struct nmdp_task {
    nmdp_robot robot;
    nmdp_motion motion;
    double end; ///< how long [s]
    bool stiff; ///< on contacts a hundred times as stiff; Robosimian alone, with derivatives
} nmdp_task;

enum { NMDP_SAMPLES = 1001, NMDP_BINS = 60 };
/// How a run ended.
typedef enum nmdp_end {
    NMDP_STANDS = 0, ///< to the end, the torso never on its side
    NMDP_FALLS,      ///< to the end, but it tilted by more than a right angle
    NMDP_EXPLODES    ///< no step could be taken any more, or it flew 5 m high
} nmdp_end;
const char *nmdp_end_name(nmdp_end end); ///< "stands"

typedef struct nmdp_result {
    double dt; ///< [s]
    nmdp_end end;
    int64_t frames; ///< steps that were taken
    int64_t not_converged;
    int64_t cut_frames; ///< of these, such as Algorithm 2 divided
    double iterations;  ///< outer ones a frame
    int iterations_max;
    double tilt, highest; ///< largest angle [rad] and height [m] of the torso
    double first_peak;    ///< the height in the first two seconds, as long as a jump takes [m]
    double depth;         ///< deepest contact point [m]
    double seconds;       ///< of the processor, of all steps
    int by_iterations[NMDP_BINS]; ///< frames with that many outer iterations, or more in the last
    int by_rate[NMDP_BINS];       ///< frames at a rate from 10^(k/10) to 10^((k+1)/10) a second
    int samples;                  ///< of the series, that were reached
    double time[NMDP_SAMPLES], x[NMDP_SAMPLES], height[NMDP_SAMPLES], angle[NMDP_SAMPLES];
    double part[NMDP_SAMPLES]; ///< the step there, as Algorithm 2 divided it [s]
    double smallest_part;      ///< of all frames [s]
} nmdp_result;

/// Says that runs of a task with these steps will follow.
void nmdp_expect(experiment_run *run, const nmdp_task *task, const double *steps, int count);
/// The model of a task and a simulation of it, at rest at its start. The caller destroys both, whatever is returned.
pawl_status nmdp_open(const experiment_run *run, const nmdp_task *task, nmdp_method method,
                      double dt, pawl_model **model, pawl_sim **sim);
/// Runs a task with a method. What goes wrong with the physics is in the result, not in the status.
pawl_status nmdp_simulate(experiment_run *run, const nmdp_task *task, nmdp_method method, double dt,
                          nmdp_result *out);
/// One run for each of `count` steps; results[k] with steps[k].
pawl_status nmdp_sweep(experiment_run *run, const nmdp_task *task, nmdp_method method,
                       const double *steps, int count, nmdp_result *results);

/// Standard deviation over the runs at each moment that all that did not explode have reached, mean over
/// time; NaN with fewer than two. `series` is one of nmdp_x_of() and the like.
double nmdp_spread(const nmdp_result *results, int count,
                   const double *(*series)(const nmdp_result *result));
const double *nmdp_x_of(const nmdp_result *result);
const double *nmdp_height_of(const nmdp_result *result);
const double *nmdp_angle_of(const nmdp_result *result);

/// Whether a task's motion was meant to be seen to its end: quick looks are shorter than two jumps.
bool nmdp_is_whole(const nmdp_task *task);
/// How far a series is from repeating itself every `period` [s]: mean of the change over one, after the first, over
/// the range of the series.
double nmdp_period_error(const nmdp_result *result, double period,
                         const double *(*series)(const nmdp_result *result));
/// How far the distance is from a straight line in time: the largest deviation over the range.
double nmdp_line_error(const nmdp_result *result);
/// How far the torso is from where it is in another run, mean over time [m]; infinite where it falls.
double nmdp_path_error(const nmdp_result *result, const nmdp_result *reference);
/// Largest tilt among runs with steps of `from` to `to` that did not explode [rad].
double nmdp_worst_tilt(const nmdp_result *results, int count, double from, double to);
/// Adds the claim that `value` is `relation` `limit` under a name made by printf.
void nmdp_claim(pawl_study *study, const char *unit, double value, pawl_relation relation,
                double limit, const char *format, ...) __attribute__((format(printf, 6, 7)));

/// A plot of one series of several runs, labelled by their steps; the last one may be a reference.
void nmdp_plot(pawl_study *study, const char *title, const char *unit, const nmdp_result *results,
               int count, const nmdp_result *reference,
               const double *(*series)(const nmdp_result *result));

/// The steps in ms as one text, for what is printed beside a figure; `text` has `size` bytes.
const char *nmdp_steps_text(const double *steps, int count, char *text, size_t size);
#define NMDP_SOURCE                                                                                \
    "Pan, Hauser: Implicit integration for articulated bodies with contact via the nonconvex "     \
    "maximal "                                                                                     \
    "dissipation principle"
