// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Spatial loops from files with few digits: they stood still, exploded, or reported reactions of a
// million newtons.
#include "support/linkage_motion.h"
#include "support/linkage_random.h"
#include "support/linkage_zoo.h"
#include "support/mechanism.h"

#include <math.h>

typedef struct loops_bound {
    int digits;
    double off; // [m]
} loops_bound;

static void loops_check(void (*make)(linkage *), double dt, double time, const loops_bound *bounds,
                        int count)
{
    linkage l;
    make(&l);
    pawl_settings settings = mechanism_settings(dt, PAWL_STEPPER_MOREAU);
    linkage_motion exact = linkage_run(&l, LINKAGE_EXACT, &settings, time, 0.05);
    double force = 0.0;
    for (int k = 0; k < count; ++k) {
        linkage_motion m = linkage_run(&l, bounds[k].digits, &settings, time, 0.05);
        CHECK_OK(m.status);
        CHECK(m.fine);
        CHECK_NEAR(linkage_distance(&m, &exact, m.samples), 0.0, bounds[k].off);
        force = k == 0 ? m.force_median : force;
        CHECK_NEAR(m.force_median / force, 1.0, 0.01); // the load is shared alike with any digits
        linkage_motion_end(&m);
    }
    linkage_motion_end(&exact);
}

// The motion of the exact file. Dropping rows or softening them fails these bounds by decades.
TEST(bricards_and_bennetts_linkages_move_within_the_digits_of_their_files)
{
    static const loops_bound bricard[] = {{9, 1e-8}, {7, 4e-7}, {5, 1e-4}, {4, 1e-3}};
    static const loops_bound bennett[] = {{9, 2e-7}, {7, 1e-5}, {5, 2e-4}, {4, 4e-3}};
    loops_check(zoo_bricard, 2e-3, 2.0, bricard, 4);
    loops_check(zoo_bennett, 2e-3, 2.0, bennett, 4);
}

// ---- random ones ---------------------------------------------------------------------------------

// Each against its exact file: with 9 digits nothing visible is different.
TEST(random_overconstrained_mechanisms_of_nine_digits_move_as_exact_ones)
{
    for (uint64_t seed = 1000; seed < 1030; ++seed) {
        linkage l;
        linkage_random(&l, seed);
        for (int stepper = PAWL_STEPPER_EULER; stepper <= PAWL_STEPPER_MOREAU; ++stepper) {
            pawl_settings settings = mechanism_settings(1e-2, (pawl_stepper_kind)stepper);
            linkage_motion exact = linkage_run(&l, LINKAGE_EXACT, &settings, 0.5, 0.05),
                           m = linkage_run(&l, 9, &settings, 0.5, 0.05);
            CHECK_OK(m.status);
            CHECK_INT(m.verdict.not_converged, 0);
            CHECK(m.gain <= exact.gain + 0.05 * exact.kinetic_max);
            CHECK_NEAR(linkage_distance(&m, &exact, m.samples), 0.0, 1e-5);
            linkage_motion_end(&m);
            linkage_motion_end(&exact);
        }
    }
}

// A mechanism rounded to so many digits moves as with all of them, within what the digits explain.
static void loops_check_digits(const linkage *l, int digits, const pawl_settings *settings)
{
    linkage_motion exact = linkage_run(l, LINKAGE_EXACT, settings, 0.3, 0.05),
                   m = linkage_run(l, digits, settings, 0.3, 0.05);
    CHECK_OK(m.status);
    CHECK(!linkage_frozen(&m, &exact));
    CHECK(!linkage_exploded(&m, &exact));
    CHECK(!linkage_lost(&m, &exact));
    CHECK_NEAR(linkage_distance(&m, &exact, m.samples), 0.0, 300.0 * pow(10.0, -digits));
    linkage_motion_end(&m);
    linkage_motion_end(&exact);
}

// Every family with the digits that files have: none stands still, none gains energy. Close to singular
// positions, which some reach later, directions that are left out for the time cost more than the digits.
TEST(random_overconstrained_mechanisms_of_few_digits_move)
{
    for (int family = 0; family < LINKAGE_FAMILY_COUNT; ++family) {
        for (int digits = 4; digits <= 7; ++digits) {
            linkage l;
            linkage_random_family(&l, (linkage_family)family, (uint64_t)(100 + digits));
            pawl_settings settings = mechanism_settings(5e-3, PAWL_STEPPER_MOREAU);
            loops_check_digits(&l, digits, &settings);
        }
    }
}

// The same in coordinates of a tree, where loops are the only rows; before any of them passes a singular
// position, where the exact one loses energy, too.
TEST(random_overconstrained_mechanisms_of_few_digits_move_in_reduced_coordinates)
{
    static const pawl_stepper_kind steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU,
                                                 PAWL_STEPPER_LIT};
    for (int family = 0; family < LINKAGE_FAMILY_COUNT; ++family) {
        for (int digits = 4; digits <= 7; ++digits) {
            linkage l;
            linkage_random_family(&l, (linkage_family)family, (uint64_t)(200 + digits));
            pawl_settings settings = mechanism_settings(5e-3, steppers[digits % 3]);
            settings.formulation = PAWL_FORMULATION_REDUCED;
            loops_check_digits(&l, digits, &settings);
        }
    }
}

// Halves of joints that miss each other by the last digit meet elsewhere, a long way off along the motion
// that was meant: they stay where the file has them.
TEST(assembling_does_not_travel)
{
    for (int formulation = 0; formulation < PAWL_FORMULATION_COUNT; ++formulation) {
        for (int family = LINKAGE_BENNETT; family <= LINKAGE_PLANE_SYMMETRIC; ++family) {
            for (uint64_t seed = 1; seed <= 6; ++seed) {
                for (int digits = 5; digits <= 9; digits += 2) {
                    linkage l;
                    linkage_random_family(&l, (linkage_family)family, seed);
                    l.both_sides = true;
                    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
                    settings.formulation = (pawl_formulation)formulation;
                    linkage_motion exact = linkage_run(&l, LINKAGE_EXACT, &settings, 1e-3, 1e-3),
                                   m = linkage_run(&l, digits, &settings, 1e-3, 1e-3);
                    CHECK_OK(m.status);
                    CHECK_NEAR(linkage_distance(&m, &exact, 0), 0.0, 100.0 * pow(10.0, -digits));
                    linkage_motion_end(&m);
                    linkage_motion_end(&exact);
                }
            }
        }
    }
}
