// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "base/env.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

TEST(every_status_has_a_name_of_its_own)
{
    for (int i = 0; i <= PAWL_IO_ERROR; ++i) {
        for (int j = 0; j < i; ++j) {
            CHECK(strcmp(pawl_status_name((pawl_status)i), pawl_status_name((pawl_status)j)) != 0);
        }
    }
    CHECK_TEXT(pawl_status_name((pawl_status)99), "unknown status");
    CHECK_TEXT(pawl_status_name((pawl_status)-1), "unknown status");
}

TEST(the_default_environment_gives_aligned_blocks_and_keeps_their_bytes)
{
    pawl_env env = pawl_env_default();
    char *block = env.resize(env.user, NULL, 0, 100);
    CHECK_INT((uintptr_t)block % 64, 0);
    memset(block, 7, 100);
    block = env.resize(env.user, block, 100, 10000);
    CHECK_INT((uintptr_t)block % 64, 0);
    CHECK(block[0] == 7 && block[99] == 7);
    CHECK(env.resize(env.user, block, 10000, 0) == NULL);
    CHECK(env.resize(env.user, NULL, 0, SIZE_MAX) == NULL); // the rounding up must not wrap
}

TEST(a_failure_logs_its_values_and_a_missing_log_is_fine)
{
    test_env t;
    test_env_init(&t);
    CHECK_STATUS(PAWL_FAIL(&t.env, PAWL_BAD_FILE, "met %d, expected %s", 3, "four"), PAWL_BAD_FILE);
    CHECK_TEXT(t.last_message, "met 3, expected four");
    CHECK_INT(t.messages[PAWL_LOG_ERROR], 1);
    pawl_env silent = pawl_env_default();
    CHECK_STATUS(PAWL_FAIL(&silent, PAWL_NO_MEMORY, "x"), PAWL_NO_MEMORY);
}

// A message longer than the library's buffer is cut, not overrun.
TEST(a_long_message_is_cut)
{
    test_env t;
    test_env_init(&t);
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    pawl_log(&t.env, PAWL_LOG_NOTE, "%s", text);
    CHECK(strlen(t.last_message) > 500 && strlen(t.last_message) < 1024);
}

TEST(the_version_is_that_of_the_header)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", PAWL_VERSION_MAJOR, PAWL_VERSION_MINOR,
             PAWL_VERSION_PATCH);
    CHECK_TEXT(pawl_version(), text);
}
