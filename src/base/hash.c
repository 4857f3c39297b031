// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Multiply-xorshift over 8-byte words, the tail padded with its length (the mixer is the finalizer
// of SplitMix64, Steele et al. 2014).
#include "base/hash.h"
#include <string.h>

static uint64_t hash_mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) + UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ (h >> 27)) * UINT64_C(0x94d049bb133111eb);
    return h ^ (h >> 31);
}

uint64_t pawl_hash_bytes(uint64_t seed, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    uint64_t h = hash_mix(seed, size);
    for (size_t done = 0; done < size; done += 8) {
        uint64_t word = 0;
        memcpy(&word, p + done, size - done < 8 ? size - done : 8);
        h = hash_mix(h, word);
    }
    return h;
}

uint64_t pawl_hash_text(uint64_t seed, const char *text)
{
    return pawl_hash_bytes(seed, text, text == NULL ? 0 : strlen(text));
}

uint64_t pawl_hash_doubles(uint64_t seed, const double *values, size_t count)
{
    uint64_t h = hash_mix(seed, count);
    for (size_t i = 0; i < count; ++i) {
        double value = values[i] + 0.0; // turns -0 into +0
        uint64_t word;
        memcpy(&word, &value, sizeof word);
        h = hash_mix(h, word);
    }
    return h;
}
