// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Problems with trusted answers (tests/references/data, none of them computed by pawl): read the
// answer, run the model of the same problem, compare at the answer's own times. Used by
// test_references, which asserts, and by bench_orders, which prints tables. Paths are relative to
// the source folder.
#pragma once
#include "pawl/io.h"

enum { REFERENCE_MAX_WIDTH = 8 };

typedef struct reference_case {
    const char *name;
    const char *what;    // the quantity compared, with its unit
    const char *data;    // JSON file
    const char *series;  // name of the quantity in it
    int width;           // numbers a sample
    bool up_to_sign;     // a quaternion: q and -q are the same attitude
    const char *model;   // SDF file
    double dt;           // the coarsest of three steps, each half of the one before [s]
    double horizon;      // how long the three are compared in the test [s]
    double full_horizon; // how long the answer goes, or makes sense to follow [s]
    // What the answer's sample is in terms of the model.
    void (*sample)(const pawl_state *state, const pawl_model *model, double *values);
} reference_case;

extern const reference_case reference_cases[];
extern const int reference_case_count;

typedef struct reference_series {
    int count, width;
    double *times;  // (count)
    double *values; // (count x width)
} reference_series;
// False after a message on stderr. Cuts the series off after `horizon`.
bool reference_series_load(const reference_case *c, double horizon, reference_series *out);
void reference_series_free(reference_series *series);

typedef struct reference_run {
    pawl_status status; // of the first call that failed, which ends the run
    int count;          // samples reached
    double *values;     // (count x width)
    pawl_verdict verdict;
    double wall; // time spent in steps [s]
} reference_run;
// Steps the case's model through all times of the series. Messages of level warning and above go
// to stderr. The times must be multiples of settings->dt.
reference_run reference_run_case(const reference_case *c, const reference_series *series,
                                 const pawl_settings *settings);
void reference_run_free(reference_run *run);

// Largest difference in any number of any sample; infinity when the run did not reach the end.
double reference_error(const reference_case *c, const reference_series *series,
                       const reference_run *run);
// The same for 2 fine - coarse: what is left when the error's first-order term is taken away.
double reference_extrapolated_error(const reference_case *c, const reference_series *series,
                                    const reference_run *coarse, const reference_run *fine);
// log2(coarse / fine): the order that halving the step shows.
double reference_order(double coarse, double fine);

// An environment on the C library's heap that prints warnings and errors to stderr.
pawl_env reference_env(void);
// Loads a model; NULL after a message on stderr.
pawl_model *reference_load_model(const pawl_env *env, const char *path);
// Runs a model for `duration`; the same stderr rule. `verdict` may be NULL.
pawl_status reference_run_model(const pawl_env *env, const pawl_model *model,
                                const pawl_settings *settings, double duration,
                                pawl_verdict *verdict);
