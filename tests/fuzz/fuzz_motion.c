// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Hostile motion files for the planar robot: the motion that is read is asked for its targets. Runs from
// the root of the project.
#include "model/model.h"
#include "pawl/io.h"
#include "pawl/keyframes.h"

#include <math.h>
#include <stdlib.h>

static pawl_model *motion_model(const pawl_env *env)
{
    pawl_model *model;
    if (pawl_model_load(env, "models/nmdp/robosimian-planar.sdf", NULL, &model) != PAWL_OK) {
        abort();
    }
    return model;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static pawl_model *model; // for as long as the process runs
    pawl_env env = pawl_env_default();
    model = model == NULL ? motion_model(&env) : model;
    pawl_keyframes *keys;
    pawl_status status =
        pawl_keyframes_parse(&env, "fuzz.motion", (const char *)data, size, model, &keys);
    if ((status == PAWL_OK) != (keys != NULL)) {
        abort(); // the promise of pawl/keyframes.h
    }
    for (int a = 0; keys != NULL && a < pawl_model_actuator_count(model); ++a) {
        pawl_signal target;
        if (pawl_keyframes_target(keys, pawl_model_actuator_at(model, a), &target) &&
            !isfinite(pawl_signal_value(&target, 0.7 * pawl_keyframes_time(keys, 1)))) {
            abort(); // limbs have finite coordinates
        }
    }
    pawl_keyframes_destroy(keys);
    return 0;
}
