// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A four-bar in space whose file has few digits stood still or exploded: its axes are parallel up to
// the digits, and every row was taken as it stands.
#include "pawl/check.h"
#include "pawl/io.h"
#include "support/linkage_motion.h"
#include "support/linkage_zoo.h"
#include "support/mechanism.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int four_bar_digits[] = {4, 5, 6, 7, 8, 9, 10, 12, 17};
enum { FOUR_BAR_FILES = sizeof four_bar_digits / sizeof four_bar_digits[0] };

static pawl_settings four_bar_settings(pawl_stepper_kind stepper)
{
    return mechanism_settings(2.5e-3, stepper);
}

// The motion of the exact file with a reversible stepper of order four and a tenth of the step.
static linkage_motion four_bar_reference(const linkage *l, double time)
{
    pawl_settings fine = mechanism_settings(2.5e-4, PAWL_STEPPER_RATTLE);
    fine.rattle.order = 4;
    return linkage_run(l, LINKAGE_EXACT, &fine, time, 0.05);
}

// Planar kinematics: 3 bars, 4 hinges, one degree of freedom; 20 rows of rank 17.
TEST(a_four_bar_of_few_digits_has_mobility_one)
{
    linkage l;
    zoo_four_bar(&l);
    for (int k = 0; k < FOUR_BAR_FILES; ++k) {
        test_env t;
        test_env_init(&t);
        char *text = linkage_sdf(&l, four_bar_digits[k]);
        pawl_load_options options = pawl_load_options_default();
        pawl_model *model;
        pawl_check *check;
        CHECK_OK(pawl_model_parse(&t.env, "four-bar", text, strlen(text), &options, &model));
        CHECK_OK(pawl_check_model(&t.env, model, &check));
        CHECK_INT(check->rows, 20);
        CHECK_INT(check->rank, 17);
        CHECK_INT(check->mobility, 1);
        pawl_check_destroy(check);
        pawl_model_destroy(model);
        free(text);
        CHECK_NO_LEAK(&t);
    }
}

// Reference: the exact file by another stepper, of order four. 2e-3 rad is moreau's own error.
TEST(a_four_bar_of_few_digits_moves_like_the_exact_one)
{
    linkage l;
    zoo_four_bar(&l);
    pawl_settings settings = four_bar_settings(PAWL_STEPPER_MOREAU);
    linkage_motion right = four_bar_reference(&l, 5.0);
    linkage_motion exact = linkage_run(&l, LINKAGE_EXACT, &settings, 5.0, 0.05);
    CHECK_NEAR(linkage_angle_distance(&exact, &right), 0.0, 2.5e-3);
    for (int k = 0; k < FOUR_BAR_FILES; ++k) {
        linkage_motion m = linkage_run(&l, four_bar_digits[k], &settings, 5.0, 0.05);
        CHECK_OK(m.status);
        CHECK(m.fine);
        CHECK_INT(m.verdict.not_converged, 0);
        // with 4 digits a crank of 0.1 m is known to 5e-4 of its length
        int digits = four_bar_digits[k];
        CHECK_NEAR(linkage_angle_distance(&m, &exact), 0.0,
                   digits == 4   ? 1.5e-2
                   : digits <= 6 ? 4e-3
                                 : 1e-3);
        CHECK_NEAR(fmax(m.gain, m.loss) / m.kinetic_max, 0.0, 1e-4);
        CHECK_NEAR(m.force_max, exact.force_max, 0.5);
        linkage_motion_end(&m);
    }
    linkage_motion_end(&exact);
    linkage_motion_end(&right);
}

// Each stepper against its own motion from the exact file.
TEST(a_four_bar_of_few_digits_moves_with_every_stepper)
{
    linkage l;
    zoo_four_bar(&l);
    for (int stepper = 0; stepper < MECHANISM_STEPPERS; ++stepper) {
        pawl_settings settings = four_bar_settings((pawl_stepper_kind)stepper);
        linkage_motion exact = linkage_run(&l, LINKAGE_EXACT, &settings, 2.0, 0.05);
        for (int digits = 4; digits <= 8; digits += 2) {
            linkage_motion m = linkage_run(&l, digits, &settings, 2.0, 0.05);
            CHECK_OK(m.status);
            CHECK_INT(m.verdict.not_converged, 0);
            CHECK_NEAR(linkage_angle_distance(&m, &exact), 0.0, digits == 4 ? 4e-3 : 1e-3);
            CHECK_NEAR(fmax(m.gain, m.loss), fmax(exact.gain, exact.loss), 1e-4 * m.kinetic_max);
            CHECK_NEAR(m.force_max, exact.force_max, 0.5);
            linkage_motion_end(&m);
        }
        linkage_motion_end(&exact);
    }
}

// Newton's third law: what floats keeps its momentum and its spin, whatever its joints are.
TEST(a_floating_four_bar_of_few_digits_keeps_its_momentum)
{
    linkage l;
    zoo_floating_four_bar(&l);
    for (int digits = 4; digits <= 17; digits = digits == 4 ? 6 : digits == 6 ? 9 : 17) {
        pawl_settings settings = mechanism_settings(2e-3, PAWL_STEPPER_MOREAU);
        linkage_motion m = linkage_run(&l, digits, &settings, 5.0, 0.1);
        CHECK_OK(m.status);
        CHECK(m.fine);
        CHECK_NEAR(m.momentum_change /
                       sqrt(m.momentum[0].x * m.momentum[0].x + m.momentum[0].y * m.momentum[0].y +
                            m.momentum[0].z * m.momentum[0].z),
                   0.0, 1e-12);
        CHECK_NEAR(m.spin_change / sqrt(m.spin[0].x * m.spin[0].x + m.spin[0].y * m.spin[0].y +
                                        m.spin[0].z * m.spin[0].z),
                   0.0, 1e-6);
        CHECK(m.travel > 0.3);
        linkage_motion_end(&m);
        if (digits == 17) {
            break;
        }
    }
}
