// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What pawl_check_model() says of linkages whose mobility is known from textbooks.
#include "math/rotation.h"
#include "pawl/check.h"
#include "pawl/io.h"
#include "support/mechanism.h"

#include <string.h>

// A four-bar linkage over four pins in the x-z plane, hinges along y; the last is tilted by an angle.
static void check_tilted_fourbar(mechanism *m, const pawl_vec3 pins[4], double tilt)
{
    mechanism_begin(m);
    for (int i = 0; i < 3; ++i) {
        mechanism_solid(m, 1.0 + i, v3_scale(0.5, v3_add(pins[i], pins[i + 1])),
                        v3(0.02, 0.02, 0.02));
    }
    for (int i = 0; i < 4; ++i) {
        pawl_body_id follower = pawl_builder_body_at(m->builder, i == 3 ? 2 : i);
        pawl_body_id base = i == 0 || i == 3 ? PAWL_WORLD : pawl_builder_body_at(m->builder, i - 1);
        pawl_joint_def def = mechanism_joint_def(m, PAWL_JOINT_REVOLUTE, base, follower, pins[i],
                                                 v3(i == 3 ? tilt : 0.0, 1, 0));
        mechanism_joint(m, &def);
    }
    mechanism_compile(m);
}

static void check_fourbar(mechanism *m, const pawl_vec3 pins[4])
{
    check_tilted_fourbar(m, pins, 0.0);
}

// Gruebler: in space 18 - 20 = -2, but the linkage moves: rank 17, mobility 1, 3 rows redundant,
// one force along the axes and two moments across them, which all four hinges share.
TEST(a_planar_four_bar_has_mobility_one_and_three_redundant_rows)
{
    const pawl_vec3 pins[4] = {{0, 0, 0}, {0.1, 0, 0.4}, {1.0, 0, 0.6}, {1.2, 0, 0}};
    mechanism m;
    check_fourbar(&m, pins);
    pawl_check *check;
    CHECK_OK(pawl_check_model(&m.t.env, m.model, &check));
    CHECK_INT(check->rows, 20);
    CHECK_INT(check->rank, 17);
    CHECK_INT(check->generic_rank, 17);
    CHECK_INT(check->velocity_count, 18);
    CHECK_INT(check->mobility, 1);
    CHECK_INT(check->redundant_count, 3);
    CHECK_INT(check->loop_joint_count, 4);
    CHECK(!check->singular);
    int forces = 0, moments = 0;
    for (int i = 0; i < 3; ++i) {
        CHECK_INT(pawl_joint_index(check->redundant[i].joint), 3); // the joint that closes the loop
        forces += strncmp(check->redundant[i].what, "force", 5) == 0;
        moments += strncmp(check->redundant[i].what, "moment", 6) == 0;
    }
    CHECK_INT(forces, 1);
    CHECK_INT(moments, 2);
    CHECK_NEAR(check->mass, 6.0, 1e-15);
    double x = (1.0 * 0.05 + 2.0 * 0.55 + 3.0 * 1.1) / 6.0;
    CHECK_NEAR(check->com.x, x, 1e-12);
    CHECK_NEAR(check->start.position, 0.0, 1e-14);
    CHECK_NEAR(check->assembled.position, 0.0, 1e-12);
    pawl_check_destroy(check);
    mechanism_end(&m);
}

// A parallelogram laid flat: all pins on one line, where it can change into an anti-parallelogram.
// One more row depends on the others there than close by.
TEST(a_flat_parallelogram_is_in_a_singular_position)
{
    const pawl_vec3 pins[4] = {{0, 0, 0}, {0.4, 0, 0}, {1.4, 0, 0}, {1.0, 0, 0}};
    mechanism m;
    check_fourbar(&m, pins);
    pawl_check *check;
    CHECK_OK(pawl_check_model(&m.t.env, m.model, &check));
    CHECK_INT(check->rank, 16);
    CHECK_INT(check->generic_rank, 17);
    CHECK(check->singular);
    CHECK_INT(check->redundant_count, 4);
    CHECK_INT(check->mobility, 2); // instantaneous
    pawl_check_destroy(check);
    mechanism_end(&m);
}

// A Bricard linkage moves although the count says it should not: one of its rows is redundant
// everywhere.
TEST(a_bricard_linkage_has_one_freedom_and_one_redundant_row)
{
    test_env t;
    test_env_init(&t);
    pawl_load_options options = pawl_load_options_default();
    pawl_model *model;
    CHECK_OK(pawl_model_load(&t.env, "models/classics/A04-bricard.sdf", &options, &model));
    pawl_check *check;
    CHECK_OK(pawl_check_model(&t.env, model, &check));
    CHECK_INT(check->mobility, 1);
    CHECK_INT(check->rows - check->rank, 1);
    CHECK_INT(check->redundant_count, 1);
    CHECK_INT(check->loop_joint_count, 6);
    pawl_check_destroy(check);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}

// A ladder of 210 parallelograms side by side has one freedom: 421 bodies, 3155 rows, rank 6 * 421 - 1.
// So many rows are counted by the pivots of the sparse factor.
TEST(the_rank_of_a_large_ladder_comes_from_the_sparse_factor)
{
    enum { RUNGS = 210 };
    mechanism m;
    mechanism_begin(&m);
    for (int i = 0; i <= RUNGS; ++i) {
        pawl_body_id post = mechanism_solid(&m, 1.0, v3(i + 0.1, 0, 0.5), v3(0.1, 0.1, 0.1));
        mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, post, v3(i, 0, 0), v3(0, 1, 0));
    }
    for (int i = 0; i < RUNGS; ++i) {
        pawl_body_id beam = mechanism_solid(&m, 1.0, v3(i + 0.7, 0, 1), v3(0.1, 0.1, 0.1));
        for (int end = 0; end < 2; ++end) {
            pawl_joint_def def = mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE,
                                                     pawl_builder_body_at(m.builder, i + end), beam,
                                                     v3(i + 0.2 + end, 0, 1), v3(0, 1, 0));
            mechanism_joint(&m, &def);
        }
    }
    mechanism_compile(&m);
    pawl_check *check;
    CHECK_OK(pawl_check_model(&m.t.env, m.model, &check));
    CHECK_INT(check->rows, 3155);
    CHECK_INT(check->rank, 6 * 421 - 1);
    CHECK_INT(check->mobility, 1);
    pawl_check_destroy(check);
    mechanism_end(&m);
}

// By hand: a chain has as many freedoms as hinges, and no redundant row; a motion takes one.
TEST(an_open_chain_has_full_rank)
{
    for (int driven = 0; driven < 2; ++driven) {
        mechanism m;
        mechanism_begin(&m);
        for (int i = 0; i < 3; ++i) {
            mechanism_solid(&m, 1.0, v3(0.5 + i, 0, 0), v3(0.1, 0.1, 0.1));
            pawl_joint_def def =
                mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE,
                                    i == 0 ? PAWL_WORLD : pawl_builder_body_at(m.builder, i - 1),
                                    pawl_builder_body_at(m.builder, i), v3(i, 0, 0), v3(0, 1, 0));
            mechanism_joint(&m, &def);
        }
        if (driven) {
            pawl_motion_def motion = pawl_motion_def_default();
            motion.joint = pawl_builder_joint_at(m.builder, 1);
            mechanism_motion(&m, &motion);
        }
        mechanism_compile(&m);
        pawl_check *check;
        CHECK_OK(pawl_check_model(&m.t.env, m.model, &check));
        CHECK_INT(check->rank, 15 + driven);
        CHECK_INT(check->mobility, 3 - driven);
        CHECK_INT(check->redundant_count, 0);
        CHECK(!check->singular);
        pawl_check_destroy(check);
        mechanism_end(&m);
    }
}

// By hand: two motions of a linkage with one freedom contradict each other; one of the rows is
// redundant.
TEST(a_second_motion_of_a_one_freedom_linkage_is_redundant)
{
    const pawl_vec3 pins[4] = {{0, 0, 0}, {0.1, 0, 0.4}, {1.0, 0, 0.6}, {1.2, 0, 0}};
    mechanism m;
    check_fourbar(&m, pins);
    pawl_model_destroy(m.model);
    m.model = NULL;
    pawl_motion_def motion = pawl_motion_def_default();
    motion.joint = pawl_builder_joint_at(m.builder, 0);
    mechanism_motion(&m, &motion);
    motion.joint = pawl_builder_joint_at(m.builder, 3);
    mechanism_motion(&m, &motion);
    mechanism_compile(&m);
    pawl_check *check;
    CHECK_OK(pawl_check_model(&m.t.env, m.model, &check));
    CHECK_INT(check->rows, 22);
    CHECK_INT(check->rank, 18);
    CHECK_INT(check->mobility, 0);
    bool named = false;
    for (int i = 0; i < check->redundant_count; ++i) {
        named = named || strcmp(check->redundant[i].what, "prescribed motion") == 0;
    }
    CHECK(named);
    pawl_check_destroy(check);
    mechanism_end(&m);
}

// By hand: a gear between two wheels takes one freedom.
TEST(a_gear_takes_one_freedom)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_gear_def gear = pawl_gear_def_default();
    for (int i = 0; i < 2; ++i) {
        pawl_body_id body = mechanism_solid(&m, 1.0, v3(i, 0, 0), v3(0.1, 0.1, 0.1));
        pawl_joint_id joint =
            mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, body, v3(i, 0, 0), v3(0, 1, 0));
        *(i == 0 ? &gear.joint : &gear.source_joint) = joint;
    }
    mechanism_gear(&m, &gear);
    mechanism_compile(&m);
    pawl_check *check;
    CHECK_OK(pawl_check_model(&m.t.env, m.model, &check));
    CHECK_INT(check->rows, 11);
    CHECK_INT(check->rank, 11);
    CHECK_INT(check->mobility, 1);
    pawl_check_destroy(check);
    mechanism_end(&m);
}

// The two ways to a check are one analysis, so all of its figures are equal, whatever coordinates the sim
// has; and a sim that was checked steps with the bits of one that was not. Hinges that are parallel, and
// one that is not in the fifth digit: the sim then follows a weak space, which a check moves about.
TEST(a_sim_is_checked_as_its_model_is_and_then_steps_with_the_same_bits)
{
    const pawl_formulation formulations[] = {PAWL_FORMULATION_MAXIMAL, PAWL_FORMULATION_REDUCED};
    for (int k = 0; k < 4; ++k) {
        const pawl_vec3 pins[4] = {{0, 0, 0}, {0.1, 0, 0.4}, {1.0, 0, 0.6}, {1.2, 0, 0}};
        double tilt = k % 2 == 0 ? 0.0 : 1e-5;
        mechanism m;
        check_tilted_fourbar(&m, pins, tilt);
        pawl_check *of_model, *of_sim;
        pawl_sim *unchecked, *checked;
        pawl_settings settings = pawl_settings_default();
        settings.formulation = formulations[k / 2];
        CHECK_OK(pawl_check_model(&m.t.env, m.model, &of_model));
        CHECK_OK(pawl_sim_create(&m.t.env, m.model, &settings, &unchecked));
        CHECK_OK(pawl_sim_create(&m.t.env, m.model, &settings, &checked));
        CHECK_OK(pawl_check_sim(checked, &of_sim));
        CHECK((of_model->weak > 1e-7) == (tilt > 0.0));
        CHECK_INT(of_sim->rank, of_model->rank);
        CHECK_INT(of_sim->generic_rank, of_model->generic_rank);
        CHECK_INT(of_sim->mobility, of_model->mobility);
        CHECK_INT(of_sim->redundant_count, of_model->redundant_count);
        for (int i = 0; i < of_model->redundant_count; ++i) {
            CHECK(pawl_joint_same(of_sim->redundant[i].joint, of_model->redundant[i].joint));
            CHECK_INT(of_sim->redundant[i].row, of_model->redundant[i].row);
        }
        CHECK_INT(of_sim->warning_count, of_model->warning_count);
        CHECK(of_sim->smallest_ratio == of_model->smallest_ratio);
        CHECK(of_sim->start.position == of_model->start.position);
        CHECK(of_sim->assembled.position == of_model->assembled.position);
        CHECK(of_sim->misfit.position == of_model->misfit.position);
        CHECK(of_sim->com.x == of_model->com.x);
        for (int i = 0; i < 20; ++i) {
            CHECK(pawl_state_hash(pawl_sim_state(checked)) ==
                  pawl_state_hash(pawl_sim_state(unchecked)));
            CHECK_OK(pawl_sim_step(checked, NULL));
            CHECK_OK(pawl_sim_step(unchecked, NULL));
        }
        pawl_check_destroy(of_sim);
        CHECK_STATUS(pawl_check_sim(checked, &of_sim), PAWL_BAD_ARGUMENT);
        CHECK(of_sim == NULL);
        pawl_sim_destroy(checked);
        pawl_sim_destroy(unchecked);
        pawl_check_destroy(of_model);
        mechanism_end(&m);
    }
}
