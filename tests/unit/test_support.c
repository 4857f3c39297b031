// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The environment that other tests rely on: it must count, fail and remember as it says.
#include "support/test.h"

#include <stdio.h>
#include <string.h>

// By hand: three requests, frees not counted; 30 + 200 bytes stay alive.
TEST(test_env_counts_requests_and_live_bytes)
{
    test_env t;
    test_env_init(&t);
    void *a = t.env.resize(t.env.user, NULL, 0, 100);
    CHECK_INT((uintptr_t)a % 64, 0);
    memset(a, 7, 100);
    a = t.env.resize(t.env.user, a, 100, 30);
    void *b = t.env.resize(t.env.user, NULL, 0, 200);
    CHECK_INT(((unsigned char *)a)[29], 7);
    CHECK(((unsigned char *)b)[0] != 0); // never zero by luck
    CHECK_INT(t.calls, 3);
    CHECK_INT(t.live_blocks, 2);
    CHECK_INT(t.live_bytes, 230);
    CHECK(t.env.resize(t.env.user, a, 30, 0) == NULL);
    CHECK(t.env.resize(t.env.user, b, 200, 0) == NULL);
    CHECK_INT(t.calls, 3);
    CHECK_NO_LEAK(&t);
}

TEST(test_env_fails_the_chosen_request_and_keeps_the_old_block)
{
    test_env t;
    test_env_init(&t);
    t.fail_at = 2;
    char *a = t.env.resize(t.env.user, NULL, 0, 8);
    memcpy(a, "kept", 5);
    CHECK(t.env.resize(t.env.user, a, 8, 16) == NULL);
    CHECK_TEXT(a, "kept");
    a = t.env.resize(t.env.user, a, 8, 16);
    CHECK_TEXT(a, "kept");
    t.env.resize(t.env.user, a, 16, 0);
    CHECK_NO_LEAK(&t);
}

static pawl_status support_make_three(const pawl_env *env, void *argument)
{
    int *runs = argument;
    *runs += 1;
    void *blocks[3] = {NULL};
    pawl_status status = PAWL_OK;
    for (int i = 0; i < 3 && status == PAWL_OK; ++i) {
        blocks[i] = env->resize(env->user, NULL, 0, 10);
        status = blocks[i] != NULL ? PAWL_OK : PAWL_NO_MEMORY;
    }
    for (int i = 0; i < 3; ++i) {
        if (blocks[i] != NULL) {
            env->resize(env->user, blocks[i], 10, 0);
        }
    }
    return status;
}

// Three requests: three runs with one failing each, and an undisturbed one.
TEST(every_request_is_made_to_fail_once)
{
    int runs = 0;
    CHECK_INT(CHECK_SURVIVES_NO_MEMORY(support_make_three, &runs), 3);
    CHECK_INT(runs, 4);
}

TEST(messages_are_counted_by_level_and_the_last_is_kept)
{
    test_env t;
    test_env_init(&t);
    t.env.log(t.env.user, PAWL_LOG_WARNING, "first");
    t.env.log(t.env.user, PAWL_LOG_ERROR, "a.sdf:3: second");
    CHECK_INT(t.messages[PAWL_LOG_NOTE], 0);
    CHECK_INT(t.messages[PAWL_LOG_WARNING], 1);
    CHECK_INT(t.messages[PAWL_LOG_ERROR], 1);
    CHECK_MESSAGE(&t, ":3: second");
}

TEST(a_scratch_file_can_be_written)
{
    char path[512];
    FILE *file = fopen(test_path("scratch.txt", path, sizeof path), "w");
    CHECK(file != NULL);
    CHECK_INT(fclose(file), 0);
}
