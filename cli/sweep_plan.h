// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What the files of `pawl sweep` share: the plan of the points, how one is simulated, and the journal of those that are done.
#pragma once
#include "load_args.h"
#include "place_args.h"
#include "start_args.h"

enum { SWEEP_MAX_AXES = 16, SWEEP_MAX_VALUES = 100000, SWEEP_WORD = 64 };

/// What a --vary changes.
typedef enum sweep_kind {
    SWEEP_SETTING,
    SWEEP_FRICTION,       ///< coefficient of all shapes
    SWEEP_FRICTION_SCALE, ///< factor of all friction
    SWEEP_MASS,           ///< of a body [kg]
    SWEEP_MASS_SCALE,
    SWEEP_GRAVITY, ///< one component
    SWEEP_TARGET,
    SWEEP_STIFFNESS,
    SWEEP_DAMPING,
    SWEEP_START ///< first coordinate of a joint
} sweep_kind;

typedef struct sweep_axis {
    char text[512]; ///< as given
    char key[256];  ///< up to the equals sign
    char name[128]; ///< in brackets, of a body, joint or actuator
    sweep_kind kind;
    int part; ///< of gravity
    int count;
    double *values;            ///< (count) of words their place in the list
    char (*words)[SWEEP_WORD]; ///< (count) as settings take them
    bool numbers;              ///< false: words
    pawl_body_id body;
    pawl_joint_id joint;
    pawl_actuator_id actuator;
} sweep_axis;

typedef struct sweep_request {
    const char *model_path; ///< args_request
    uint64_t given;
    pawl_settings settings;
    double time;
    int axis_count;
    sweep_axis axis[SWEEP_MAX_AXES];
    const char *output, *page;
    int threads;
    bool resume, lenient;
    load_args load;
    place_args place;
    start_args starts;
} sweep_request;

/// One "KEY=a:b:n" or "KEY=v1,v2,...", or false with a message.
bool sweep_take_axis(const args_use *use);
/// Finds bodies, joints and actuators of the axes, or false with a message.
bool sweep_bind(console *con, sweep_request *request, const pawl_model *model);
void sweep_free_axes(sweep_request *request);
int64_t sweep_point_count(const sweep_request *request);
/// The place in each axis of a point; the last axis runs fastest.
void sweep_point_places(const sweep_request *request, int64_t point, int place[SWEEP_MAX_AXES]);

/// Columns of the results of a model; `names` (count) may be NULL. Names live until sweep_free_columns().
int sweep_result_count(const pawl_model *model);
char **sweep_result_names(const pawl_model *model);
void sweep_free_columns(char **names, int count);
/// Simulates one point. A point that cannot be simulated has passed = 0 and NaN for what it did not reach. False: interrupted.
bool sweep_simulate(const pawl_env *env, const sweep_request *request, const pawl_model *model,
                    int64_t point, double *result);

/// The journal of one process: a file to which each point is appended when it is done.
typedef struct sweep_journal {
    const char *output;
    uint64_t stamp; ///< of the model, settings and axes
    int width;
    int file;
} sweep_journal;
/// A name for what is computed: journals of anything else are not used.
uint64_t sweep_stamp(const sweep_request *request, const pawl_model *model);
bool sweep_journal_open(console *con, sweep_journal *journal, int rank);
bool sweep_journal_add(const sweep_journal *journal, int64_t point, const double *result);
void sweep_journal_close(sweep_journal *journal);
/// Reads all journals beside the output: results (points x width) and done (points). Returns how many points are done.
int64_t sweep_journal_read(const sweep_journal *journal, int64_t points, double *results,
                           bool *done);
void sweep_journal_remove(const sweep_journal *journal); ///< all of them
