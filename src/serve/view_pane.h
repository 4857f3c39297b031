// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// One simulation of the viewer with its settings, shown in a pane of the page. Two panes run the same model with
// different settings. A pane belongs to the thread of the session.
#pragma once
#include "pawl/io.h"
#include "pawl/sim.h"
#include "serve/view_message.h"

// Inputs that pages have set. Both panes have the same ones, and a reset keeps them.
typedef struct view_inputs {
    bool gravity_set;
    pawl_vec3 gravity;
    double friction;
    int actuator_count;
    struct view_actuator {
        bool target_set, gains_set;
        double target, stiffness, damping;
    } * actuators; // (actuator_count)
} view_inputs;

// The spring by which a page pulls a body.
typedef struct view_grip {
    bool held;
    int body;
    pawl_vec3 point;  // in the body's frame
    pawl_vec3 target; // in the world
} view_grip;

typedef struct view_pane {
    const pawl_env *env;
    const pawl_model *model;
    pawl_sim *sim;
    pawl_state *start; // where a reset goes
    pawl_settings settings;
    pawl_step_report report;
    bool has_report; // a step was done since the start
    pawl_verdict verdict;
    double drag; // force of the spring in the last step [N]
    double cpu;  // of the processor a step, smoothed [s]
    pawl_recorder *recorder;
    struct pane_joint *joints; // what a frame needs of them, (joint count)
    pawl_pose *poses;          // scratch of a frame, (body count)
} view_pane;

// `from`: a pane whose state and settings to begin with, or NULL for the model's start under `settings`.
pawl_status view_pane_create(const pawl_env *env, const pawl_model *model,
                             const pawl_settings *settings, const view_pane *from, view_pane *out);
void view_pane_destroy(view_pane *pane);
// Another value of a setting from the next step on. On failure everything is as it was, and the log says why.
pawl_status view_pane_set(view_pane *pane, const char *key, const char *value);
pawl_status view_pane_reset(view_pane *pane, const view_inputs *inputs);
pawl_status view_pane_apply(view_pane *pane, const view_inputs *inputs);
// One step, with the spring of `grip`; and into the recording, if there is one.
pawl_status view_pane_step(view_pane *pane, const view_grip *grip);
pawl_status view_pane_record(view_pane *pane, const char *path, const char *model_path);
pawl_status view_pane_end_record(view_pane *pane);
// What a frame holds of a pane (docs/view-protocol.md).
void view_pane_write(const view_pane *pane, double real_time, view_bytes *frame);
