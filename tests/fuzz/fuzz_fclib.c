// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Hostile FCLib files: read, judge and solve for a few iterations what is still a problem.
#include "file_target.h"
#include "pawl/io.h"

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
    settings.solver.max_iterations = 20;
    for (int i = 0; i < 3 * contacts; ++i) {
        r[i] = 0.0;
    }
    (void)pawl_contact_problem_solve(problem, &settings, r, &result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!file_target_write(data, size)) {
        return 0;
    }
    pawl_env env = pawl_env_default();
    pawl_contact_problem *problem;
    pawl_status status = pawl_fclib_read(&env, file_target_path(), &problem);
    if ((status == PAWL_OK) != (problem != NULL)) {
        abort(); // the promise of pawl/io.h
    }
    if (problem != NULL) {
        fclib_solve(problem);
        pawl_contact_problem_destroy(problem);
    }
    return 0;
}
