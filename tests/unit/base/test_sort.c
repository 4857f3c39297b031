// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Sorting keys, judged by order and by the sum and xor of what went in.
#include "base/sort.h"
#include "support/random.h"
#include "support/test.h"

TEST(keys_come_out_in_order_and_none_is_lost)
{
    enum { SORT_MAX = 300 };
    uint64_t seed = 3, keys[SORT_MAX], scratch[SORT_MAX];
    for (int trial = 0; trial < 500; ++trial) {
        int count = random_index(&seed, SORT_MAX + 1);
        uint64_t sum = 0, mixed = 0;
        for (int i = 0; i < count; ++i) {
            // random, with many copies; every third trial nearly in order already
            uint64_t value = (uint64_t)random_index(&seed, trial % 2 ? 50 : 1 << 30);
            keys[i] = trial % 3 == 0 ? (uint64_t)(10 * i) + value % 15 : value << 20;
            sum += keys[i];
            mixed ^= keys[i];
        }
        pawl_sort_keys(keys, scratch, count);
        for (int i = 0; i < count; ++i) {
            CHECK(i == 0 || keys[i - 1] <= keys[i]);
            sum -= keys[i];
            mixed ^= keys[i];
        }
        CHECK(sum == 0 && mixed == 0);
    }
}
