// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A small mechanism, and recordings of it, for the tests of recorder, reader and report.
#pragma once
#include "pawl/io.h"

typedef struct recording {
    const pawl_env *env;
    pawl_model *model;
    pawl_sim *sim;
    pawl_verdict verdict;
    pawl_recorder *recorder;
} recording;

// Two pendulum links with a motor in the elbow and a spring to the world. Fails the test if the
// model cannot be built. `name` is the model's.
void recording_begin(recording *r, const pawl_env *env, const char *name, double dt);
// A tilted crate and a ball just above the ground, which has the model's first shape: contacts come
// and go. The names need escaping in a page. About the ball a gem is drawn, the model's last shape.
enum { RECORDING_GEM_POINTS = 6 };
extern const pawl_vec3 recording_gem[RECORDING_GEM_POINTS]; // corners of an octahedron
void recording_begin_crate(recording *r, const pawl_env *env, double dt);
// Steps to `step` (counted since the start), recording if there is a recorder. Stops at the first
// failure of the recorder and returns it.
pawl_status recording_run(recording *r, int64_t step);
// Opens a recorder and writes the start.
pawl_status recording_create(recording *r, const char *path, double interval, int flush_frames);
// Takes over the last state of a recording and goes on in it.
pawl_status recording_resume(recording *r, const char *path);
pawl_status recording_close(recording *r); // the recorder alone
void recording_end(recording *r);          // all of it
