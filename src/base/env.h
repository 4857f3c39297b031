// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Access to memory and the log through pawl_env, and the two macros for errors: PAWL_FAIL logs one line with values
// and returns the status, PAWL_TRY returns the failure of a call.
#pragma once
#include "pawl/base.h"

pawl_status pawl_fail(const pawl_env *env, pawl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void pawl_log(const pawl_env *env, pawl_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define PAWL_FAIL(env, status, ...) pawl_fail((env), (status), __VA_ARGS__)
#define PAWL_TRY(call)                                                                             \
    do {                                                                                           \
        pawl_status pawl_try_status_ = (call);                                                     \
        if (pawl_try_status_ != PAWL_OK) {                                                         \
            return pawl_try_status_;                                                               \
        }                                                                                          \
    } while (0)

// A broken promise inside the library or by its caller. Kept in release builds: an undetected wrong number is worse
// than the cost of the test.
_Noreturn void pawl_assert_failed(const char *condition, const char *file, int line);
#define PAWL_ASSERT(condition)                                                                     \
    ((condition) ? (void)0 : pawl_assert_failed(#condition, __FILE__, __LINE__))

// Zeroed memory, or NULL. The caller keeps the sizes, which resize() requires.
void *pawl_alloc(const pawl_env *env, size_t size);
void pawl_free(const pawl_env *env, void *block, size_t size);
