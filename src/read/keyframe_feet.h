// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The feet of a motion file: their targets, and the joint coordinates that reach all of them. Feet whose limbs share
// joints are solved together.
#pragma once
#include "pawl/limb.h"
#include "pawl/state.h"
#include "read/text_lines.h"

enum { KEYFRAME_MAX_FEET = 64, KEYFRAME_NAME = 64 };

typedef struct keyframe_foot {
    char name[KEYFRAME_NAME];
    pawl_limb *limb;
    pawl_limb_target start; // seen from the base, as everything here
    pawl_limb_target last;  // at the last key
    pawl_limb_target target;
    double lift; // above the straight line from `last` to `target`, half way [m]
    bool moved;  // since the last key
    int line;    // of the file, that moved it last
    int set;     // where it is solved
} keyframe_foot;

// Feet that share joints.
typedef struct keyframe_set {
    pawl_posture *posture;
    int foot_count;
    int feet[KEYFRAME_MAX_FEET];
    int coordinates;
    int *actuator;    // (coordinates)
    double *rest, *q; // (coordinates); in one block with `actuator`
    void *block;
    size_t block_size;
} keyframe_set;

// "balance FEET MARGIN" of the key being read.
typedef struct keyframe_balance {
    uint64_t feet; // 0: none asked for
    double margin; // < 0: over their mean
    int line;
} keyframe_balance;

typedef struct keyframe_feet {
    const pawl_env *env;
    const pawl_model *model;
    text_lines *text; // for messages
    pawl_body_id base;
    pawl_quat axes; // from the base's link frame to the axes that the file means, x ahead and z up
    int count;
    keyframe_foot feet[KEYFRAME_MAX_FEET];
    int set_count;
    keyframe_set sets[KEYFRAME_MAX_FEET];
    bool smooth;   // feet begin and end at rest between keys
    double *value; // (actuators) the targets; another's
    bool *moved;   // (actuators) by the motion; another's
    int actuator_count;
    pawl_state *start; // of the model; another's
    pawl_state *posed; // to find the centre of mass; NULL until a line asks for balance
    bool *robot;       // (bodies) that hang together with the base; likewise
} keyframe_feet;

// The position actuator of a joint coordinate, -1 for none; and the joint's coordinate at the start.
int keyframe_actuator(const keyframe_feet *f, pawl_joint_id joint, int coordinate);
double keyframe_start_coordinate(const keyframe_feet *f, pawl_joint_id joint, int coordinate);

// A foot at `point` of a body; `level`: its orientation against the base is kept, too.
pawl_status keyframe_feet_add(keyframe_feet *f, const char *name, pawl_body_id body,
                              pawl_vec3 point, bool level);
int keyframe_feet_find(const keyframe_feet *f, const char *name, size_t length); // -1: none
// Gathers feet with common joints, once all feet are there.
pawl_status keyframe_feet_gather(keyframe_feet *f);
// The foot that an actuator's joint belongs to, -1 for none.
int keyframe_feet_of(const keyframe_feet *f, int actuator);
// A start pose is being given: the coordinate that this actuator moves, and with it the feet on it.
void keyframe_feet_bend(keyframe_feet *f, int actuator, double value);
// What is now is the start and the rest pose.
void keyframe_feet_begin_here(keyframe_feet *f);

// Values of the actuators with the feet on their path at a fraction of the time from the last key to this one. Feet that cannot get
// there are an error with the line that sent them there.
pawl_status keyframe_feet_solve(keyframe_feet *f, double time);
// Moves all targets alike, so that the centre of mass is over the feet of `balance`.
pawl_status keyframe_feet_balance(keyframe_feet *f, const keyframe_balance *balance);
void keyframe_balance_release(keyframe_feet *f);
// The key is done.
void keyframe_feet_next(keyframe_feet *f);
void keyframe_feet_release(keyframe_feet *f);
