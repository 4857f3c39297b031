// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The problem of a step as a sample: its data, its extraction from a step, and its operator.
#pragma once
#include "coordinates/delassus.h"
#include "pawl/sample.h"
#include "solve/solver_ops.h"

struct pawl_sample {
    pawl_env env;
    size_t bytes;
    pawl_sample_data data; // arrays are in the same block
};

// What a step keeps of its problem where that is wanted.
typedef struct sample_capture {
    bool wanted;
    pawl_sample *sample;
} sample_capture;

struct step_context;
// The problem at hand with its answer, for a run at `time` with steps `w`; takes the place of the last one. `start` (rows) is the
// warm start.
pawl_status pawl_sample_capture_take(const pawl_env *env, sample_capture *capture,
                                     const pawl_assembly *a, const pawl_sample_data *when,
                                     const double *start, const double *lambda, const double *v);
void pawl_sample_capture_drop(sample_capture *capture);

// The bodies and rows of a sample as the operators of maximal coordinates read them: a model with only masses, and an
// assembly with given Jacobians.
typedef struct sample_rows {
    pawl_model model;
    pawl_assembly assembly;
    void *block;
    size_t bytes;
} sample_rows;
pawl_status pawl_sample_rows_create(const pawl_env *env, const pawl_sample_data *data,
                                    sample_rows *out);
void pawl_sample_rows_destroy(const pawl_env *env, sample_rows *rows);
