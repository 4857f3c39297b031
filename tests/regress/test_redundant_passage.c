// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Ladders of four-bars lie flat once a swing: there all of them are free to change over to their other
// branch. With lengths of few digits the curve through the flat position falls apart into two, and the
// ladder stuck between them.
#include "support/linkage_motion.h"
#include "support/linkage_random.h"
#include "support/linkage_zoo.h"
#include "support/mechanism.h"

#include <math.h>

static void passage_check(const linkage *l, int digits, double off, double energy)
{
    pawl_settings settings = mechanism_settings(2e-3, PAWL_STEPPER_MOREAU);
    linkage_motion exact = linkage_run(l, LINKAGE_EXACT, &settings, 2.0, 0.05),
                   m = linkage_run(l, digits, &settings, 2.0, 0.05);
    CHECK_OK(m.status);
    CHECK_NEAR(linkage_distance(&m, &exact, m.samples), 0.0, off);
    CHECK_NEAR(pawl_verdict_energy_error(&m.verdict), 0.0, energy);
    linkage_motion_end(&m);
    linkage_motion_end(&exact);
}

// The motion of the exact file, which the references of models/classics/A02 confirm.
TEST(a_ladder_of_few_digits_passes_its_flat_position)
{
    linkage l;
    zoo_ladder(&l, 10);
    passage_check(&l, 9, 5e-6, 1e-5);
    passage_check(&l, 7, 3e-4, 1e-4);
    passage_check(&l, 6, 3e-3, 5e-4);
    passage_check(&l, 5, 1e-2,
                  1e-3); // 3.8e-2 m while joints were closed by impulses after a passage
    passage_check(&l, 4, 2e-2, 3e-3); // 2.7e-1 m then
}

TEST(a_short_ladder_of_few_digits_passes_its_flat_position)
{
    linkage l;
    zoo_ladder(&l, 2);
    passage_check(&l, 9, 5e-6, 1e-5);
    passage_check(&l, 7, 3e-4, 1e-4);
    passage_check(&l, 6, 2e-3, 5e-4);
}

// It folds through its flat position, and whips through another one within a step or two.
TEST(a_sarrus_linkage_of_few_digits_passes_its_singular_positions)
{
    linkage l;
    CHECK_INT(zoo_find(&l, "sarrus"), 1);
    passage_check(&l, 9, 1e-4, 2e-3);
    passage_check(&l, 7, 6e-4, 2e-3); // 1.6e-2 m while Newton's method diverged there
}

// A delta robot that comes near a singular position and not through it has a path of its own there, and its joints hold it.
// What digits change is then in proportion to them, as of any other number: with 4 of them at most ten times as much as with 5, but
// for the luck of rounding. 8.0e-2 m, twenty times as much, while it moved freely for 35 steps.
TEST(a_delta_near_a_singular_position_keeps_its_joints)
{
    linkage l;
    CHECK_INT(zoo_find(&l, "delta"), 1);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
    linkage_motion exact = linkage_run(&l, LINKAGE_EXACT, &settings, 0.5, 0.05);
    double off[2];
    for (int k = 0; k < 2; ++k) {
        linkage_motion m = linkage_run(&l, 5 - k, &settings, 0.5, 0.05);
        CHECK_INT((int)m.verdict.passage_steps, 0);
        CHECK_INT(
            m.fine,
            k == 0); // of 4 digits it is off by 6 % of its size, and that is what the verdict says
        CHECK(m.verdict.blur > (k == 0 ? 1e-3 : 1e-2) && m.verdict.blur_step > 0);
        CHECK(!pawl_joint_is_none(m.verdict.blur_joint));
        off[k] = linkage_distance(&m, &exact, m.samples);
        linkage_motion_end(&m);
    }
    CHECK_NEAR(off[1] / off[0], 0.0, 15.0);
    linkage_motion_end(&exact);
}

// The parallelogram of a leg that folds flat has one more self-stress for the moment, and the robot around it one
// less: no direction is lost. Left out as well it let a truly weak row hold, and deltas gained up to 0.6 of their
// energy (seeds 253 and 270).
TEST(deltas_whose_parallelograms_fold_flat_gain_no_energy)
{
    static const uint64_t folding[] = {253, 270};
    for (int k = 0; k < 8; ++k) {
        linkage l;
        if (k < 2) {
            linkage_random(&l, folding[k]);
        } else {
            linkage_random_family(&l, LINKAGE_DELTA, (uint64_t)k);
        }
        pawl_settings settings = mechanism_settings(5e-3, PAWL_STEPPER_MOREAU);
        linkage_motion exact = linkage_run(&l, LINKAGE_EXACT, &settings, 0.8, 0.05);
        for (int digits = 4; digits <= 7; ++digits) {
            linkage_motion m = linkage_run(&l, digits, &settings, 0.8, 0.05);
            CHECK(!linkage_exploded(&m, &exact) && !linkage_frozen(&m, &exact));
            linkage_motion_end(&m);
        }
        linkage_motion_end(&exact);
    }
}

// Two of several parallel cranks in line: a flat parallelogram, which the others hold. With hinges at different heights its
// direction was taken for one of the mechanism, and left out. Seeds 203 and 291 gained up to their whole energy.
TEST(parallel_cranks_are_held_where_two_of_them_are_in_line)
{
    for (int k = 0; k < 8; ++k) {
        linkage l;
        if (k < 2) {
            linkage_random(&l, k == 0 ? 203 : 291);
        } else {
            linkage_random_family(&l, LINKAGE_PARALLEL_CRANKS, (uint64_t)(40 + k));
        }
        pawl_settings settings = mechanism_settings(5e-3, PAWL_STEPPER_MOREAU);
        linkage_motion exact = linkage_run(&l, LINKAGE_EXACT, &settings, 1.0, 0.05);
        for (int digits = 4; digits <= 7; ++digits) {
            linkage_motion m = linkage_run(&l, digits, &settings, 1.0, 0.05);
            CHECK(linkage_distance(&m, &exact, m.samples) <= 100.0 * pow(10.0, -digits));
            CHECK_INT((int)m.verdict.passage_steps, 0);
            CHECK_INT(m.fine, 1);
            linkage_motion_end(&m);
        }
        linkage_motion_end(&exact);
    }
}

// Newton's method of a position update fails there with a step of 10 ms. Exact, the delta robot of seed 49 lost 37 % of
// its energy in that step; with few digits a secant found another solution, and seed 259 gained 11 %.
TEST(long_steps_across_a_singular_position_keep_the_energy)
{
    static const struct {
        uint64_t seed;
        pawl_stepper_kind stepper;
    } runs[] = {{49, PAWL_STEPPER_MOREAU}, {259, PAWL_STEPPER_EULER}};
    static const int digits[] = {6, 7, 9, LINKAGE_EXACT};
    for (int k = 0; k < 8; ++k) {
        linkage l;
        linkage_random(&l, runs[k / 4].seed);
        pawl_settings settings = mechanism_settings(1e-2, runs[k / 4].stepper);
        linkage_motion m = linkage_run(&l, digits[k % 4], &settings, 1.0, 0.05);
        CHECK_OK(m.status);
        CHECK(m.gain <= 0.03 * m.kinetic_max);
        CHECK(m.loss <= 0.08 * m.kinetic_max); // euler loses 5 % of it along the way
        linkage_motion_end(&m);
    }
}
