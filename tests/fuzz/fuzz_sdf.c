// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Hostile SDFormat files.
#include "model_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return model_target_run(data, size,
                            "<sdf version='1.10' xmlns:pawl='urn:pawl:sdf'><model name='m'>",
                            "</model></sdf>");
}
