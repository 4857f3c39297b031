// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// One FCLib file per step, named by model, step and number of contacts. Rows that FCLib cannot express act with fixed
// impulses, which the file states.
#include "problem_export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pawl/io.h"

bool problem_export_begin(console *con, const problem_export *e)
{
    struct stat info;
    if (e->folder == NULL) {
        return true;
    }
    if (mkdir(e->folder, 0777) != 0 && errno != EEXIST) {
        console_error(con, "--export-problems: cannot make folder '%s': %s", e->folder,
                      strerror(errno));
        return false;
    }
    if (stat(e->folder, &info) != 0 || !S_ISDIR(info.st_mode) || access(e->folder, W_OK) != 0) {
        console_error(con, "--export-problems: '%s' is not a writable folder", e->folder);
        return false;
    }
    return true;
}

static bool problem_export_is_due(const problem_export *e, int64_t step)
{
    return e->folder != NULL && step % (e->every > 0 ? e->every : 1) == 0;
}

void problem_export_before(const problem_export *e, pawl_sim *sim)
{
    if (e->folder != NULL) {
        bool due = problem_export_is_due(e, pawl_state_step(pawl_sim_state(sim)));
        pawl_sim_keep_problems(sim, due);
    }
}

// A model's name with what a file name should not have replaced.
static void problem_export_name(const char *name, char *text, size_t size)
{
    snprintf(text, size, "%s", name);
    for (char *c = text; *c != '\0'; ++c) {
        bool fine = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                    (*c >= '0' && *c <= '9') || *c == '-' || *c == '_';
        *c = fine ? *c : '_';
    }
}

bool problem_export_after(console *con, problem_export *e, const pawl_sim *sim)
{
    const pawl_state *state = pawl_sim_state(sim);
    pawl_kept_problem kept = pawl_sim_kept_problem(sim);
    int64_t step = pawl_state_step(state) - 1; // the one that was taken, counted from 0
    if (!problem_export_is_due(e, step) || kept.problem == NULL) {
        return true;
    }
    char name[80], path[4096], description[256];
    problem_export_name(pawl_model_name(pawl_sim_model(sim)), name, sizeof name);
    int length = snprintf(path, sizeof path, "%s/%s-step%07" PRId64 "-nc%d.hdf5", e->folder, name,
                          step, pawl_contact_problem_count(kept.problem));
    snprintf(description, sizeof description,
             "Step %" PRId64 " of a run of pawl %s, ending at t = %.17g s. Joints are eliminated. "
             "%d limits, friction losses or effort limits were fixed at the impulses of the step.",
             step, pawl_version(), pawl_state_time(state), kept.fixed_rows);
    const pawl_fclib_info info = {pawl_model_name(pawl_sim_model(sim)), description,
                                  "W is symmetric positive semidefinite; a solution exists: the "
                                  "step's own is in /solution."};
    if (length >= (int)sizeof path) {
        console_error(con, "--export-problems: the name of folder '%.80s...' is too long",
                      e->folder);
        return false;
    }
    int errors = con->error_count;
    pawl_status status = pawl_fclib_write(&con->env, path, kept.problem, &info, kept.r);
    if (status != PAWL_OK) {
        console_explain(con, errors, status, path);
        return false;
    }
    e->written += 1;
    e->fixed += kept.fixed_rows > 0 ? 1 : 0;
    return true;
}

void problem_export_end(console *con, const problem_export *e)
{
    if (e->folder == NULL) {
        return;
    }
    console_note(con, "%d contact problem%s in '%s'", e->written, e->written == 1 ? "" : "s",
                 e->folder);
    if (e->fixed > 0) {
        console_note(con,
                     "in %d of them limits, friction losses or effort limits, which FCLib cannot "
                     "express, are fixed at the impulses of the step",
                     e->fixed);
    }
}
