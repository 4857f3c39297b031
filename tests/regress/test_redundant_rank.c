// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// check and the solver had tolerances of their own, and said different things of one mechanism.
#include "pawl/check.h"
#include "pawl/io.h"
#include "sim/sim.h"
#include "support/linkage_random.h"
#include "support/linkage_zoo.h"
#include "support/mechanism.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

static int rank_of_solver(const pawl_env *env, const pawl_model *model)
{
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
    pawl_sim *sim;
    CHECK_OK(pawl_sim_create(env, model, &settings, &sim));
    int weak = pawl_weak_space_dimension(sim->weak);
    pawl_sim_destroy(sim);
    return pawl_model_row_count(model) - weak;
}

static void rank_check(const pawl_env *env, const pawl_model *model, const linkage *l)
{
    pawl_check *check;
    CHECK_OK(pawl_check_model(env, model, &check));
    CHECK_INT(check->rank, rank_of_solver(env, model));
    if (l != NULL) { // by hand, and by an SVD of the exact mechanism
        CHECK_INT(check->rank, linkage_rows(l) - l->redundant);
        CHECK_INT(check->mobility, l->mobility);
    }
    pawl_check_destroy(check);
}

static void rank_check_linkage(const linkage *l, int digits)
{
    test_env t;
    test_env_init(&t);
    char *text = linkage_sdf(l, digits);
    pawl_load_options options = pawl_load_options_default();
    options.keep_fixed = true; // rows are counted by joints
    pawl_model *model;
    CHECK_OK(pawl_model_parse(&t.env, l->name, text, strlen(text), &options, &model));
    rank_check(&t.env, model, l);
    pawl_model_destroy(model);
    free(text);
    CHECK_NO_LEAK(&t);
}

// Each other.
TEST(check_and_the_solver_agree_on_the_models_of_the_project)
{
    glob_t found;
    CHECK_INT(glob("models/*/*.sdf", 0, NULL, &found), 0);
    int checked = 0;
    for (size_t k = 0; k < found.gl_pathc; ++k) {
        test_env t;
        test_env_init(&t);
        pawl_load_options options = pawl_load_options_default();
        pawl_model *model;
        CHECK_OK(pawl_model_load(&t.env, found.gl_pathv[k], &options, &model));
        if (pawl_model_row_count(model) <= 400) { // chains of a thousand have no loops
            rank_check(&t.env, model, NULL);
            ++checked;
        }
        pawl_model_destroy(model);
        CHECK_NO_LEAK(&t);
    }
    CHECK(checked > 30);
    globfree(&found);
}

// Counted by hand; and by an SVD of the exact mechanism.
TEST(check_and_the_solver_find_what_was_meant_from_four_digits_on)
{
    static const char *const names[] = {"four-bar", "bennett", "bricard",          "delta",
                                        "sarrus",   "ladder",  "floating-four-bar"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        linkage l;
        CHECK(zoo_find(&l, names[k]));
        for (int digits = 4; digits <= 9; ++digits) {
            rank_check_linkage(&l, digits);
        }
        rank_check_linkage(&l, LINKAGE_EXACT);
    }
    for (int family = 0; family < LINKAGE_FAMILY_COUNT; ++family) {
        for (int digits = 4; digits <= 9; ++digits) {
            linkage l;
            linkage_random_family(&l, (linkage_family)family, (uint64_t)(50 + digits));
            rank_check_linkage(&l, digits);
        }
    }
}
