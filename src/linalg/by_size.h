// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The same code with a size known to the compiler, for the sizes of joints and contacts: loops are unrolled and
// values kept in registers, which makes the inner loops of a step two to three times faster. Bits stay the same.
#pragma once

// `call` with N for n.
#define PAWL_BY_SIZE(n, call)                                                                      \
    switch (n) {                                                                                   \
    case 1: {                                                                                      \
        enum { N = 1 };                                                                            \
        call;                                                                                      \
        break;                                                                                     \
    }                                                                                              \
    case 3: {                                                                                      \
        enum { N = 3 };                                                                            \
        call;                                                                                      \
        break;                                                                                     \
    }                                                                                              \
    case 4: {                                                                                      \
        enum { N = 4 };                                                                            \
        call;                                                                                      \
        break;                                                                                     \
    }                                                                                              \
    case 5: {                                                                                      \
        enum { N = 5 };                                                                            \
        call;                                                                                      \
        break;                                                                                     \
    }                                                                                              \
    case 6: {                                                                                      \
        enum { N = 6 };                                                                            \
        call;                                                                                      \
        break;                                                                                     \
    }                                                                                              \
    default: {                                                                                     \
        const int N = (n);                                                                         \
        call;                                                                                      \
        break;                                                                                     \
    }                                                                                              \
    }

// `call` with M for m and N for n, both known where they are five or six, as of hinges and sliders with and without a
// spring or a servo; else, where they are equal, or N alone.
#define PAWL_BY_SIZES(m, n, call)                                                                  \
    if ((m) == (n)) {                                                                              \
        PAWL_BY_SIZE(n, const int M = N; call)                                                     \
    } else if ((m) == 5 && (n) == 6) {                                                             \
        enum { M = 5, N = 6 };                                                                     \
        call;                                                                                      \
    } else if ((m) == 6 && (n) == 5) {                                                             \
        enum { M = 6, N = 5 };                                                                     \
        call;                                                                                      \
    } else {                                                                                       \
        const int M = (m);                                                                         \
        PAWL_BY_SIZE(n, call)                                                                      \
    }
