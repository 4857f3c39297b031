// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The random linkages that other tests and bench_redundant rely on are what they claim to be:
// overconstrained and able to move.
#include "pawl/check.h"
#include "pawl/io.h"
#include "support/linkage_motion.h"
#include "support/linkage_random.h"
#include "support/linkage_zoo.h"
#include "support/mechanism.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINKAGES_SEEDS = 4 };

static pawl_model *linkages_load(const pawl_env *env, const linkage *l, int digits)
{
    char *text = linkage_sdf(l, digits);
    pawl_load_options options = pawl_load_options_default();
    options.keep_fixed = true; // rows are counted by joints
    pawl_model *model;
    CHECK_OK(pawl_model_parse(env, l->name, text, strlen(text), &options, &model));
    free(text);
    return model;
}

// Counted by hand for each family; the generator itself compares that with an SVD of its own.
TEST(every_family_is_redundant_and_has_the_mobility_that_was_counted)
{
    for (int family = 0; family < LINKAGE_FAMILY_COUNT; ++family) {
        for (uint64_t seed = 1; seed <= LINKAGES_SEEDS; ++seed) {
            linkage l;
            test_env t;
            test_env_init(&t);
            linkage_random_family(&l, (linkage_family)family, seed);
            CHECK(l.redundant > 0 && l.mobility > 0);
            pawl_model *model = linkages_load(&t.env, &l, LINKAGE_EXACT);
            pawl_check *check;
            CHECK_OK(pawl_check_model(&t.env, model, &check));
            CHECK_INT(check->rows, linkage_rows(&l));
            CHECK_INT(check->rank, check->rows - l.redundant);
            CHECK_INT(check->mobility, l.mobility);
            pawl_check_destroy(check);
            pawl_model_destroy(model);
            CHECK_NO_LEAK(&t);
        }
    }
}

static void linkages_ladder(linkage *l)
{
    zoo_ladder(l, 5);
}

// Counted by hand, and by an SVD of a Jacobian that shares no code with the library.
TEST(the_textbooks_mechanisms_have_the_rank_that_was_counted)
{
    static void (*const make[])(linkage *) = {
        zoo_four_bar, zoo_floating_four_bar, zoo_bennett, zoo_bricard,    zoo_sarrus,
        zoo_delta,    zoo_stewart,           zoo_walker,  linkages_ladder};
    for (size_t k = 0; k < sizeof make / sizeof make[0]; ++k) {
        linkage l;
        test_env t;
        test_env_init(&t);
        make[k](&l);
        double sigma[2];
        CHECK_INT(linkage_rank(&l, 1e-9, sigma), linkage_rows(&l) - l.redundant);
        CHECK_INT(6 * l.body_count - linkage_rows(&l) + l.redundant, l.mobility);
        CHECK(sigma[0] > 0.02 && sigma[1] < 1e-14);
        pawl_model *model = linkages_load(&t.env, &l, LINKAGE_EXACT);
        pawl_check *check;
        CHECK_OK(pawl_check_model(&t.env, model, &check));
        CHECK_INT(check->rank, check->rows - l.redundant);
        CHECK_INT(check->mobility, l.mobility);
        pawl_check_destroy(check);
        pawl_model_destroy(model);
        CHECK_NO_LEAK(&t);
    }
}

// Conservation of energy; and a loop that was mobile at its start only would stop or open.
TEST(every_family_moves_far_when_its_numbers_are_exact)
{
    for (int family = 0; family < LINKAGE_FAMILY_COUNT; ++family) {
        for (uint64_t seed = 1; seed <= LINKAGES_SEEDS; ++seed) {
            linkage l;
            linkage_random_family(&l, (linkage_family)family, seed);
            pawl_settings settings = mechanism_settings(2e-3, PAWL_STEPPER_MOREAU);
            linkage_motion m = linkage_run(&l, LINKAGE_EXACT, &settings, 0.5, 0.1);
            CHECK_OK(m.status);
            CHECK(m.travel > 0.02);
            CHECK(m.verdict.closure.position < 1e-10 && m.verdict.closure.rotation < 1e-10);
            CHECK_NEAR(fmax(m.gain, m.loss) / m.kinetic_max, 0.0, 0.01);
            linkage_motion_end(&m);
        }
    }
}

// Arithmetic: half a unit of the last digit, at most, and the same text for the same seed.
TEST(a_file_has_the_digits_it_was_asked_for)
{
    linkage l, again;
    test_env t;
    test_env_init(&t);
    linkage_random(&l, 7);
    linkage_random(&again, 7);
    char *a = linkage_sdf(&l, LINKAGE_EXACT), *b = linkage_sdf(&again, LINKAGE_EXACT);
    CHECK_TEXT(a, b);
    free(a);
    free(b);
    for (int digits = 4; digits <= 9; ++digits) {
        pawl_model *exact = linkages_load(&t.env, &l, LINKAGE_EXACT),
                   *rounded = linkages_load(&t.env, &l, digits);
        pawl_state *p, *q;
        CHECK_OK(pawl_state_create(&t.env, exact, &p));
        CHECK_OK(pawl_state_create(&t.env, rounded, &q));
        double worst = 0.0;
        for (int i = 0; i < l.body_count; ++i) {
            pawl_vec3 x = pawl_state_pose(p, pawl_model_body_at(pawl_state_model(p), i)).position,
                      y = pawl_state_pose(q, pawl_model_body_at(pawl_state_model(q), i)).position;
            worst = fmax(worst, fmax(fabs(x.x - y.x), fmax(fabs(x.y - y.y), fabs(x.z - y.z))));
        }
        CHECK(worst <= 0.5001 * pow(10.0, -digits) && worst > 0.05 * pow(10.0, -digits));
        pawl_state_destroy(p);
        pawl_state_destroy(q);
        pawl_model_destroy(exact);
        pawl_model_destroy(rounded);
    }
    CHECK_NO_LEAK(&t);
}
