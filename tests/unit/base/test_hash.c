// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "base/hash.h"
#include "support/test.h"

#include <string.h>

// By definition: any change of any bit, of the length or of the seed shows.
TEST(every_bit_counts)
{
    unsigned char bytes[27];
    memset(bytes, 0x5a, sizeof bytes);
    uint64_t seen[27 * 8 + 28];
    int count = 0;
    for (size_t n = 0; n <= sizeof bytes; ++n) {
        seen[count++] = pawl_hash_bytes(1, bytes, n);
    }
    for (int bit = 0; bit < 27 * 8; ++bit) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        seen[count++] = pawl_hash_bytes(1, bytes, sizeof bytes);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < i; ++j) {
            CHECK(seen[i] != seen[j]);
        }
    }
    CHECK(pawl_hash_bytes(1, bytes, 27) != pawl_hash_bytes(2, bytes, 27));
    CHECK(pawl_hash_bytes(1, bytes, 27) == pawl_hash_bytes(1, bytes, 27));
}

TEST(both_zeros_hash_alike_and_no_text_like_an_empty_one)
{
    const double zeros[2] = {0.0, -0.0}, order[2] = {1.0, 2.0}, other[2] = {2.0, 1.0};
    CHECK(pawl_hash_doubles(1, &zeros[0], 1) == pawl_hash_doubles(1, &zeros[1], 1));
    CHECK(pawl_hash_doubles(1, order, 2) != pawl_hash_doubles(1, other, 2));
    CHECK(pawl_hash_doubles(1, zeros, 1) != pawl_hash_doubles(1, zeros, 2));
    CHECK(pawl_hash_text(1, NULL) == pawl_hash_text(1, ""));
    CHECK(pawl_hash_text(1, "a") != pawl_hash_text(1, "b"));
}
