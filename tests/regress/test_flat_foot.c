// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A flat foot whose corners are nanometres above and below the ground. Open gaps were to close at the slope 1 / reach and
// violations at erp / reach, which no motion of a rigid foot does at four corners: the problem had no answer but to lift a
// corner, and steps of a sliding biped ended at 1e-7 m/s (tolerance 1e-8). Gaps of four corners fit a plane,
// g(++) - g(+-) + g(--) - g(-+) = 0 for a rectangle, and what rows ask for must fit one, too.
#include "pawl/sample.h"
#include "support/random.h"
#include "support/scene.h"

#include <math.h>

static const double foot_half = 0.1, foot_height = 0.02;

static void foot_begin(mechanism *m, pawl_stepper_kind stepper, uint64_t *seed)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -9.81));
    pawl_body_def def = pawl_body_def_default();
    double tilt = random_in(seed, 1e-8, 4e-8), turn = random_in(seed, 0.0, 6.28);
    def.mass = 1.0;
    def.inertia[0] = def.inertia[1] = 4e-3;
    def.inertia[2] = 7e-3;
    def.pose.position = v3(0, 0, foot_height);
    def.pose.orientation = (pawl_quat){1.0, 0.5 * tilt * cos(turn), 0.5 * tilt * sin(turn), 0.0};
    pawl_body_id foot = mechanism_body(m, &def);
    pawl_shape_def shape = pawl_shape_def_default();
    shape.kind = PAWL_SHAPE_BOX;
    shape.size = v3(foot_half, foot_half, foot_height);
    shape.friction = 0.5;
    CHECK_OK(pawl_builder_add_shape(m->builder, foot, &shape, NULL));
    pawl_shape_def ground = pawl_shape_def_default();
    ground.kind = PAWL_SHAPE_PLANE;
    ground.friction = 0.5;
    CHECK_OK(pawl_builder_add_shape(m->builder, PAWL_WORLD, &ground, NULL));
    pawl_settings settings = mechanism_settings(1e-3, stepper);
    mechanism_start(m, &settings);
}

// What the normals of the four corners ask for, with the signs of a rectangle; NaN where there are not four. The
// lever r of a corner is in its row: r x n = (r.y, -r.x, 0).
static double foot_misfit(const pawl_sample_data *d, double *largest)
{
    double sum = 0.0;
    *largest = 0.0;
    if (d->contact_count != 4) {
        return NAN;
    }
    for (int k = 0; k < 4; ++k) {
        int row = d->row_count - 12 + 3 * k + 2;
        const double *J = d->value + d->row_start[row];
        sum += J[3] * J[4] > 0.0 ? d->bias[row] : -d->bias[row];
        *largest = fmax(*largest, fabs(d->bias[row]));
    }
    return fabs(sum);
}

TEST(rates_that_corners_of_a_foot_are_to_have_are_those_of_a_motion)
{
    static const pawl_stepper_kind steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU};
    uint64_t seed = 91;
    int both = 0;
    for (int draw = 0; draw < 100; ++draw) {
        mechanism m;
        double largest;
        foot_begin(&m, steppers[draw % 2], &seed);
        pawl_sim_keep_samples(m.sim, true);
        CHECK_OK(pawl_sim_step(m.sim, &m.report));
        double misfit = foot_misfit(pawl_sample_get(pawl_sim_kept_sample(m.sim)), &largest);
        both += largest > 1e-7 ? 1 : 0;
        CHECK(misfit <= 1e-10);
        mechanism_end(&m);
    }
    CHECK(both > 80); // most draws ask for something at all
}

// The consequence: a foot that slides and turns, with all four corners loaded, is solved in every step.
TEST(a_foot_that_slides_and_turns_is_solved_in_every_step)
{
    uint64_t seed = 17;
    for (int draw = 0; draw < 20; ++draw) {
        mechanism m;
        foot_begin(&m, PAWL_STEPPER_MOREAU, &seed);
        pawl_body_id foot = pawl_model_body_at(m.model, 0);
        pawl_twist twist = {.linear =
                                v3(random_in(&seed, -0.2, 0.2), random_in(&seed, -0.2, 0.2), 0),
                            .angular = v3(0, 0, random_in(&seed, -3.0, 3.0))};
        CHECK_OK(pawl_state_set_twist(pawl_sim_edit_state(m.sim), foot, twist));
        for (int i = 0; i < 150; ++i) {
            CHECK_OK(pawl_sim_step(m.sim, &m.report));
            CHECK(m.report.residual.natural_scaled <= 1e-8);
        }
        mechanism_end(&m);
    }
}
