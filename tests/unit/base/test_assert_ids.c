// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The lookup of ids as -DPAWL_ASSERT_IDS=ON builds it: ids of another model stop the program, zeros and good ones do not.
#define PAWL_ASSERT_IDS
#include "base/guard.c"
#include "support/test.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint32_t ids_tags[] = {7, 8, 9};
static const id_table ids_table = {"body", ids_tags, NULL, 3};

// How a child that looks an id up ends: its exit code, or minus the signal.
static int ids_end(uint32_t index1, uint32_t tag)
{
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        (void)signal(SIGABRT, SIG_DFL);
        (void)freopen("/dev/null", "w", stderr);
        pawl_env env = pawl_env_default();
        int found = pawl_id_index(&env, "test", &ids_table, index1, tag);
        _exit(found >= 0 ? found : 100);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(ids_of_another_model_stop_the_program)
{
    for (int i = 0; i < 3; ++i) {
        CHECK_INT(ids_end((uint32_t)i + 1, ids_tags[i]), i);
        CHECK_INT(ids_end((uint32_t)i + 1, ids_tags[i] + 100), -SIGABRT);
    }
    CHECK_INT(ids_end(4, 7), -SIGABRT); // beyond the table
    CHECK_INT(ids_end(0, 0), 100);      // none
}
