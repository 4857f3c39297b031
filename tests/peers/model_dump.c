// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// model_dump MODEL [JOINT=Q[,Q...] ...]: one JSON object a line for every body: name, mass, centre, inertia, and the pose of
// its link frame with those joints there and the others where the file has them, loops left open; then one for every span
// with its length, for every joint with its spring, damper and armature, and for every actuator with its gains.
// test_mujoco_files.py holds it against MuJoCo.
#include "pawl/io.h"
#include "pawl/state.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DUMP_STARTS = 512 };

static void dump_log(void *user, pawl_log_level level, const char *message)
{
    (void)user;
    if (level == PAWL_LOG_ERROR) {
        fprintf(stderr, "%s\n", message);
    }
}

static int dump_start(char *word, pawl_named_start *out)
{
    char *equal = strrchr(word, '=');
    if (equal == NULL) {
        return 1;
    }
    *equal = '\0';
    *out = (pawl_named_start){.joint = word};
    for (char *at = equal + 1; *at != '\0' && out->count < 6;) {
        out->position[out->count++] = strtod(at, &at);
        at += *at == ',' ? 1 : 0;
    }
    return 0;
}

static void dump_joints(const pawl_model *model, const pawl_state *state)
{
    for (int i = 0; i < pawl_model_joint_count(model); ++i) {
        pawl_joint_id id = pawl_model_joint_at(model, i);
        pawl_joint_info j = pawl_model_joint(model, id);
        double position[6] = {0};
        pawl_state_joint(state, id, position, NULL);
        if (j.kind == PAWL_JOINT_SPAN) {
            printf("{\"span\": \"%s\", \"length\": %.17g}\n", j.name, position[0]);
        } else if (j.coordinate_count == 1) {
            const pawl_coordinate_def *c = &j.coordinate[0];
            printf("{\"joint\": \"%s\", \"stiffness\": %.17g, \"damping\": %.17g, \"armature\": "
                   "%.17g}\n",
                   j.name, c->stiffness, c->damping, c->armature);
        }
    }
    for (int i = 0; i < pawl_model_actuator_count(model); ++i) {
        pawl_actuator_def a = pawl_model_actuator(model, pawl_model_actuator_at(model, i));
        printf("{\"actuator\": \"%s\", \"joint\": \"%s\", \"kind\": %d, \"stiffness\": %.17g, "
               "\"damping\": %.17g}\n",
               a.name, pawl_model_joint(model, a.joint).name, (int)a.kind, a.stiffness, a.damping);
    }
}

int main(int count, char **words)
{
    static pawl_named_start starts[DUMP_STARTS];
    pawl_env env = pawl_env_default();
    env.log = dump_log;
    pawl_load_options options = pawl_load_options_default();
    options.lenient = true;
    options.starts = starts;
    for (int i = 2; i < count && options.start_count < DUMP_STARTS; ++i) {
        if (dump_start(words[i], &starts[options.start_count++]) != 0) {
            return 2;
        }
    }
    pawl_model *model;
    pawl_state *state;
    if (count < 2 || pawl_model_load(&env, words[1], &options, &model) != PAWL_OK) {
        return 2;
    }
    if (pawl_state_create(&env, model, &state) != PAWL_OK) {
        return 2;
    }
    for (int i = 0; i < pawl_model_body_count(model); ++i) {
        pawl_body_id id = pawl_model_body_at(model, i);
        pawl_body_info b = pawl_model_body(model, id);
        pawl_pose p = pawl_state_pose(state, id);
        printf("{\"name\": \"%s\", \"mass\": %.17g, \"com\": [%.17g, %.17g, %.17g], \"inertia\": "
               "[%.17g, %.17g, %.17g, %.17g, %.17g, %.17g], \"pos\": [%.17g, %.17g, %.17g], "
               "\"quat\": [%.17g, %.17g, %.17g, %.17g]}\n",
               b.name, b.mass, b.com.x, b.com.y, b.com.z, b.inertia[0], b.inertia[1], b.inertia[2],
               b.inertia[3], b.inertia[4], b.inertia[5], p.position.x, p.position.y, p.position.z,
               p.orientation.w, p.orientation.x, p.orientation.y, p.orientation.z);
    }
    dump_joints(model, state);
    pawl_state_destroy(state);
    pawl_model_destroy(model);
    return 0;
}
