// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Hostile URDF files.
#include "model_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return model_target_run(data, size, "<robot name='r' xmlns:pawl='urn:pawl:sdf'>", "</robot>");
}
