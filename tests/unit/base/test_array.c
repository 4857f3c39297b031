// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "base/array.h"
#include "support/test.h"

#include <string.h>

TEST(items_come_zeroed_and_stay_while_the_array_grows)
{
    test_env t;
    test_env_init(&t);
    pawl_array array = {0};
    for (int i = 0; i < 1000; ++i) {
        int *item = pawl_array_push(&t.env, &array, sizeof(int));
        CHECK_INT(*item, 0);
        *item = i;
    }
    CHECK_INT(array.count, 1000);
    for (int i = 0; i < 1000; ++i) {
        CHECK_INT(PAWL_ITEM(array, int, i), i);
    }
    CHECK(t.calls < 12); // doubling
    pawl_array_free(&t.env, &array);
    CHECK_INT(array.count, 0);
    CHECK_NO_LEAK(&t);
}

TEST(without_memory_the_array_keeps_what_it_has)
{
    test_env t;
    test_env_init(&t);
    t.fail_at = 2;
    pawl_array array = {0};
    for (int i = 0; i < 16; ++i) {
        *(int *)pawl_array_push(&t.env, &array, sizeof(int)) = i;
    }
    CHECK(pawl_array_push(&t.env, &array, sizeof(int)) == NULL);
    CHECK_INT(array.count, 16);
    CHECK_INT(PAWL_ITEM(array, int, 15), 15);
    CHECK(pawl_array_push(&t.env, &array, sizeof(int)) != NULL);
    CHECK_INT(array.count, 17);
    pawl_array_free(&t.env, &array);
    CHECK_NO_LEAK(&t);
}

TEST(text_is_copied_and_given_back)
{
    test_env t;
    test_env_init(&t);
    char *copy = pawl_text_copy(&t.env, "a name");
    CHECK_TEXT(copy, "a name");
    pawl_text_free(&t.env, copy);
    pawl_text_free(&t.env, NULL);
    t.fail_at = t.calls + 1;
    CHECK(pawl_text_copy(&t.env, "x") == NULL);
    CHECK_NO_LEAK(&t);
}
