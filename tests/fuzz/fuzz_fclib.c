// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Hostile FCLib files: read, judge and solve for a few iterations what is still a problem. HDF5 itself
// is not instrumented; what is tried is what we do with what it hands out.
#include "pawl/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// HDF5 loses memory of its own on damaged files.
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

// The one file of this process.
static const char *fclib_path(void)
{
    static char path[64];
    if (path[0] == '\0') {
        snprintf(path, sizeof path, "/tmp/pawl-fuzz-fclib-%ld.hdf5", (long)getpid());
    }
    return path;
}

static void fclib_remove(void)
{
    (void)remove(fclib_path());
}

static void fclib_solve(pawl_contact_problem *problem)
{
    enum { MOST = 200 };
    static double r[3 * MOST];
    int contacts = pawl_contact_problem_count(problem);
    if (contacts > MOST) {
        return;
    }
    pawl_settings settings = pawl_settings_default();
    pawl_contact_result result;
    settings.max_iterations = 20;
    for (int i = 0; i < 3 * contacts; ++i) {
        r[i] = 0.0;
    }
    (void)pawl_contact_problem_solve(problem, &settings, r, &result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int once;
    if (once++ == 0) {
        (void)atexit(fclib_remove);
    }
    FILE *file = fopen(fclib_path(), "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        return 0;
    }
    pawl_env env = pawl_env_default();
    pawl_contact_problem *problem;
    pawl_status status = pawl_fclib_read(&env, fclib_path(), &problem);
    if ((status == PAWL_OK) != (problem != NULL)) {
        abort(); // the promise of pawl/io.h
    }
    if (problem != NULL) {
        fclib_solve(problem);
        pawl_contact_problem_destroy(problem);
    }
    return 0;
}
