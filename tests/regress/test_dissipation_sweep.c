// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What dissipates never gives, for many seeds (test_dissipation.c).
#include "support/dissipation.h"

TEST(dampers_friction_and_limits_never_give_in_many_mechanisms)
{
    dissipation_count count = {0};
    for (int seed = 11; seed <= 70; ++seed) {
        dissipation_run(&count, 7919u * (uint64_t)seed);
    }
    dissipation_check(&count);
}
