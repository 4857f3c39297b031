// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What every C test uses: TEST() makes a case and lists it, CHECK_*() say what was met and what was
// expected, test_env counts memory and makes it fail on demand. A test file is one program:
//
//     #include "support/test.h"
//
//     // Closed form: ...
//     TEST(a_sentence_that_names_the_promise)
//     {
//         CHECK_NEAR(value, expected, 1e-12);
//     }
//
// main() comes with the support library. Run one case with `test_x 'a_sentence*'`. Tests run in the
// source folder, so that model files are "models/...".
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pawl/base.h"

#include <cmocka.h>

// Defines a test case. Cases run in the order in which they stand in the file.
#define TEST(title)                                                                                \
    static void title(void **test_state_);                                                         \
    static test_case test_case_##title = {.name = #title, .function = title};                      \
    __attribute__((constructor)) static void test_list_##title(void)                               \
    {                                                                                              \
        test_case_list(&test_case_##title);                                                        \
    }                                                                                              \
    static void title(__attribute__((unused)) void **test_state_)

typedef struct test_case {
    const char *name;
    CMUnitTestFunction function;
    struct test_case *next;
} test_case;
void test_case_list(test_case *added);

#define CHECK(condition) test_check((condition), #condition, __FILE__, __LINE__)
#define CHECK_INT(got, expected)                                                                   \
    test_check_int((int64_t)(got), (int64_t)(expected), #got, #expected, __FILE__, __LINE__)
#define CHECK_TEXT(got, expected) test_check_text((got), (expected), #got, __FILE__, __LINE__)
// |met - expected| <= tolerance, absolute. The environment variable PAWL_TOL_SCALE multiplies all
// tolerances: run with 0.1 to see which have less than a tenth of slack. NaN is never near.
#define CHECK_NEAR(got, expected, tolerance)                                                       \
    test_check_near((got), (expected), (tolerance), #got, __FILE__, __LINE__)
#define CHECK_NEAR3(got, expected, tolerance)                                                      \
    test_check_near3((got), (expected), (tolerance), #got, __FILE__, __LINE__)
#define CHECK_STATUS(got, expected) test_check_status((got), (expected), #got, __FILE__, __LINE__)
#define CHECK_OK(got) CHECK_STATUS((got), PAWL_OK)

void test_check(bool condition, const char *text, const char *file, int line);
void test_check_int(int64_t got, int64_t expected, const char *got_text, const char *expected_text,
                    const char *file, int line);
void test_check_text(const char *got, const char *expected, const char *text, const char *file,
                     int line);
void test_check_near(double got, double expected, double tolerance, const char *text,
                     const char *file, int line);
void test_check_near3(pawl_vec3 got, pawl_vec3 expected, double tolerance, const char *text,
                      const char *file, int line);
// On failure also prints the last message that any test_env received.
void test_check_status(pawl_status got, pawl_status expected, const char *text, const char *file,
                       int line);

enum { TEST_ENV_MESSAGE_SIZE = 1024 };

// An environment that watches its user: fresh memory is filled with a pattern so that a value read
// before it is written shows, sizes handed back must be those asked for, and what is alive is
// counted. Pass &t.env to the library. For one thread.
typedef struct test_env {
    pawl_env env;
    int64_t calls;       // requests for memory so far, failed ones included; frees do not count
    int64_t fail_at;     // the request, counted from 1, that gets NULL; 0: none
    int64_t live_blocks; // blocks not yet freed
    size_t live_bytes;
    size_t peak_bytes;
    int messages[3]; // per pawl_log_level
    char last_message[TEST_ENV_MESSAGE_SIZE];
} test_env;
// Fills `t` in place: env.user points at it, so it must not be moved afterwards.
void test_env_init(test_env *t);
// Fails the test unless all memory was given back.
#define CHECK_NO_LEAK(t) test_check_no_leak((t), __FILE__, __LINE__)
void test_check_no_leak(const test_env *t, const char *file, int line);
// Whether the last message contains `part`. Fails the test, showing the message, if not.
#define CHECK_MESSAGE(t, part) test_check_message((t), (part), __FILE__, __LINE__)
void test_check_message(const test_env *t, const char *part, const char *file, int line);

// Calls make(env, argument) with the first, the second, ... request for memory failing, until one
// call meets no failure. `make` creates something, destroys what it got and returns the status:
// PAWL_NO_MEMORY is expected each time, then PAWL_OK, and never a leak. Returns how many requests
// the undisturbed call made.
typedef pawl_status (*test_make)(const pawl_env *env, void *argument);
#define CHECK_SURVIVES_NO_MEMORY(make, argument)                                                   \
    test_check_survives_no_memory((make), (argument), #make, __FILE__, __LINE__)
int64_t test_check_survives_no_memory(test_make make, void *argument, const char *text,
                                      const char *file, int line);

// A path for a file that a test writes: `name` in a folder of this process, emptied of it at exit
// where the files were made through here. `path` has room for `size` bytes; returns `path`.
char *test_path(const char *name, char *path, size_t size);
