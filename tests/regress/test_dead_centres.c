// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Four-bars in which no bar can turn around swing to a dead centre and back, within a step where they are fast. The
// position update found the way back by the impulses of a collision, and up to 0.45 of the kinetic energy came of it.
// Heavy slides that come to rest at a dead centre whirl the light bars between them, and up to 0.9 of it was lost.
#include "support/linkage_motion.h"
#include "support/linkage_random.h"
#include "support/mechanism.h"
#include "support/random.h"

#include <math.h>

enum { ROCKERS = 16 };

// Lengths of the bars around; false unless they close at that angle of the first one, well away from a dead centre.
static bool rocker_elbow(const double length[4], double angle, double side, pawl_vec3 corner[4])
{
    double ground = length[0], coupler = length[2], rocker = length[3];
    corner[0] = v3(0, 0, 0);
    corner[1] = v3(length[1] * cos(angle), 0, length[1] * sin(angle));
    corner[3] = v3(ground, 0, 0);
    pawl_vec3 across = v3_sub(corner[3], corner[1]);
    double d = v3_norm(across);
    if (!(d < coupler + rocker - 0.15 && d > fabs(coupler - rocker) + 0.15)) {
        return false;
    }
    double along = (coupler * coupler - rocker * rocker + d * d) / (2.0 * d);
    double off = side * sqrt(coupler * coupler - along * along);
    pawl_vec3 u = v3_scale(1.0 / d, across), n = v3(-u.z, 0, u.x);
    corner[2] = v3_add(corner[1], v3_add(v3_scale(along, u), v3_scale(off, n)));
    return true;
}

// Grashof: no bar turns around where the shortest and the longest are longer than the two others.
static bool rocker_only_rocks(const double length[4])
{
    double least = INFINITY, most = 0.0, sum = 0.0;
    for (int k = 0; k < 4; ++k) {
        least = fmin(least, length[k]);
        most = fmax(most, length[k]);
        sum += length[k];
    }
    return 2.0 * (least + most) > sum + 0.1;
}

static void rocker_make(linkage *l, uint64_t seed)
{
    pawl_vec3 corner[4], hinge = v3(0, 1, 0);
    double length[4];
    do {
        for (int k = 0; k < 4; ++k) {
            length[k] = random_in(&seed, 0.4, 1.2);
        }
    } while (!rocker_only_rocks(length) ||
             !rocker_elbow(length, random_in(&seed, 0.0, 6.3),
                           random_index(&seed, 2) == 0 ? 1.0 : -1.0, corner));
    linkage_begin(l, "triple-rocker");
    for (int k = 0; k < 3; ++k) {
        int bar = linkage_add_body(l);
        linkage_add_joint(l, PAWL_JOINT_REVOLUTE, k == 0 ? PAWL_WORLD_INDEX : bar - 1, bar,
                          corner[k], hinge);
    }
    linkage_add_joint(l, PAWL_JOINT_REVOLUTE, PAWL_WORLD_INDEX, 2, corner[3], hinge);
    linkage_finish(l, &seed);
    linkage_place(l, random_pose(&seed, 0.5));
    l->gravity = v3_scale(100.0, pawl_quat_rotate(random_quat(&seed), v3(1, 0, 0)));
}

static void rockers_gain(pawl_stepper_kind stepper, pawl_formulation formulation)
{
    pawl_settings settings = mechanism_settings(1e-2, stepper);
    settings.formulation = formulation;
    double worst = 0.0;
    for (uint64_t seed = 1; seed <= ROCKERS; ++seed) {
        linkage l;
        rocker_make(&l, 7 * seed);
        linkage_motion m = linkage_run(&l, LINKAGE_EXACT, &settings, 1.0, 0.05);
        CHECK_OK(m.status);
        worst = fmax(worst, m.gain / m.kinetic_max);
        // what bench_redundant calls an explosion
        CHECK(m.gain < 0.25 * m.kinetic_max);
        linkage_motion_end(&m);
    }
    print_message("%s %s: largest gain %.2f of the kinetic energy\n",
                  pawl_stepper_name((int)stepper), pawl_formulation_name((int)formulation), worst);
}

TEST(dead_centres_are_passed_without_gain)
{
    rockers_gain(PAWL_STEPPER_EULER, PAWL_FORMULATION_MAXIMAL);
    rockers_gain(PAWL_STEPPER_MOREAU, PAWL_FORMULATION_MAXIMAL);
    rockers_gain(PAWL_STEPPER_RATTLE, PAWL_FORMULATION_MAXIMAL);
}

TEST(dead_centres_are_passed_in_reduced_coordinates)
{
    rockers_gain(PAWL_STEPPER_EULER, PAWL_FORMULATION_REDUCED);
    rockers_gain(PAWL_STEPPER_MOREAU, PAWL_FORMULATION_REDUCED);
}

static void slides_lose(const linkage *l)
{
    static const pawl_stepper_kind steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU};
    for (size_t k = 0; k < sizeof steppers / sizeof steppers[0]; ++k) {
        pawl_settings settings = mechanism_settings(1e-2, steppers[k]);
        linkage_motion m = linkage_run(l, LINKAGE_EXACT, &settings, 1.0, 0.05);
        CHECK_OK(m.status);
        CHECK(m.loss < 0.25 * m.kinetic_max); // what bench_redundant calls a loss
        linkage_motion_end(&m);
    }
}

// The hardest of 300 random mechanisms, and of 400 that are plane, in three times their gravity.
TEST(slides_that_stop_at_a_dead_centre_keep_their_energy)
{
    linkage l;
    linkage_random(&l, 120147);
    slides_lose(&l);
    linkage_random_family(&l, LINKAGE_PLANAR, 52);
    l.gravity = v3_scale(3.0, l.gravity);
    slides_lose(&l);
}
