// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Sorting whose order is the same on every machine and whose memory is the caller's.
#pragma once
#include <stdint.h>

// Ascending. `scratch` has room for `count` keys, too. Fast when the keys are nearly in order.
void pawl_sort_keys(uint64_t *keys, uint64_t *scratch, int count);
