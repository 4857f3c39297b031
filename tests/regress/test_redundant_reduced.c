// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Overconstrained mechanisms in reduced coordinates do what they do in maximal ones, from exact files and from files
// with few digits. (An exact Sarrus linkage stood still: the shift of the factor was relative to what the
// coordinates leave of a redundant row, which is rounding. A door with hinges that are off by 1 mm was locked in
// reduced coordinates alone: the tolerance was of the rows that are left, not of the mechanism.)
#include "pawl/sim.h"
#include "support/linkage_motion.h"
#include "support/linkage_random.h"
#include "support/linkage_zoo.h"
#include "support/test.h"

#include <math.h>

static linkage_motion reduced_run(const linkage *l, int digits, pawl_formulation formulation,
                                  double dt, double time)
{
    pawl_settings settings = pawl_settings_default();
    settings.dt = dt;
    settings.formulation = formulation;
    return linkage_run(l, digits, &settings, time, 0.02);
}

// The largest distance of a body from where it is in maximal coordinates [m].
static double reduced_distance(const linkage *l, int digits, double dt, double time)
{
    linkage_motion a = reduced_run(l, digits, PAWL_FORMULATION_MAXIMAL, dt, time);
    linkage_motion b = reduced_run(l, digits, PAWL_FORMULATION_REDUCED, dt, time);
    double distance = linkage_distance(&a, &b, a.samples);
    print_message("%s, %d digits: %.1e m, verdicts %d %d %s\n", l->name, digits, distance, a.fine,
                  b.fine, b.fine ? "" : b.message);
    if (a.fine) {
        CHECK(b.fine);
    }
    CHECK(!linkage_frozen(&b, &a));
    linkage_motion_end(&a);
    linkage_motion_end(&b);
    return distance;
}

TEST(random_mechanisms_move_the_same_way_in_reduced_coordinates)
{
    for (int family = 0; family < LINKAGE_FAMILY_COUNT; ++family) {
        for (uint64_t seed = 1; seed <= 3; ++seed) {
            linkage l;
            linkage_random_family(&l, (linkage_family)family, seed);
            CHECK(reduced_distance(&l, LINKAGE_EXACT, 2e-3, 0.2) < 1e-9);
            CHECK(reduced_distance(&l, 7, 2e-3, 0.2) < 1e-6);
        }
    }
}

// 2 s, through the flat position in both directions.
TEST(a_sarrus_linkage_passes_its_flat_position_in_reduced_coordinates)
{
    linkage l;
    zoo_sarrus(&l);
    CHECK(reduced_distance(&l, LINKAGE_EXACT, 2e-3, 2.0) < 1e-6);
    CHECK(reduced_distance(&l, 9, 2e-3, 2.0) < 1e-4);
}

TEST(a_door_with_hinges_apart_swings_in_reduced_coordinates)
{
    static const double sizes[] = {1e-9, 1e-6, 1e-4, 5e-4, 1e-3};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        for (int flaw = ZOO_OFFSET; flaw <= ZOO_TILT; ++flaw) {
            linkage l;
            zoo_door(&l, 2, (zoo_flaw)flaw, sizes[k]);
            linkage_motion a = reduced_run(&l, LINKAGE_EXACT, PAWL_FORMULATION_MAXIMAL, 1e-3, 0.5);
            linkage_motion b = reduced_run(&l, LINKAGE_EXACT, PAWL_FORMULATION_REDUCED, 1e-3, 0.5);
            CHECK(linkage_angle_distance(&a, &b) < 3.0 * sizes[k] + 1e-6);
            linkage_motion_end(&a);
            linkage_motion_end(&b);
        }
    }
}
