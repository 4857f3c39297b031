// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Files that tests write: in a folder of their own, so that parallel tests never meet, removed at
// the end.
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SCRATCH_PATH_SIZE = 512, SCRATCH_MAX_FILES = 64 };
static char scratch_folder[SCRATCH_PATH_SIZE];
static char scratch_files[SCRATCH_MAX_FILES][SCRATCH_PATH_SIZE];
static int scratch_file_count;

static void scratch_remove(void)
{
    for (int i = 0; i < scratch_file_count; ++i) {
        remove(scratch_files[i]);
    }
    rmdir(scratch_folder);
}

char *test_path(const char *name, char *path, size_t size)
{
    if (scratch_folder[0] == '\0') {
        const char *temporary = getenv("TMPDIR");
        int length = snprintf(scratch_folder, sizeof scratch_folder, "%s/pawl-test-XXXXXX",
                              temporary != NULL ? temporary : "/tmp");
        CHECK(length > 0 && length < SCRATCH_PATH_SIZE);
        CHECK(mkdtemp(scratch_folder) != NULL);
        atexit(scratch_remove);
    }
    int length = snprintf(path, size, "%s/%s", scratch_folder, name);
    CHECK(length > 0 && (size_t)length < size && length < SCRATCH_PATH_SIZE);
    for (int i = 0; i < scratch_file_count; ++i) {
        if (strcmp(scratch_files[i], path) == 0) {
            return path;
        }
    }
    CHECK(scratch_file_count < SCRATCH_MAX_FILES);
    memcpy(scratch_files[scratch_file_count++], path, (size_t)length + 1);
    return path;
}
