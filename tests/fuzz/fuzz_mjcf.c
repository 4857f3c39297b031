// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Hostile MJCF files.
#include "model_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return model_target_run(data, size, "<mujoco>", "</mujoco>");
}
