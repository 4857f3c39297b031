// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A kind of coordinates is a file and a line in the table: this program is linked with a table of its own, in which
// `reduced` is a kind that is written here. It moves poses by halves of a displacement, one after the other, and counts what
// it is asked; rows and operator are those of bodies. Steppers and simulator know nothing of it.
#include "coordinates/coordinates.h"
#include "coordinates/delassus.h"
#include "support/mechanism.h"

// ---- the kind ---------------------------------------------------------------------------------------

static int halves_moves;
static const coordinates_ops halves_ops;

static pawl_status halves_create(const pawl_env *env, const pawl_model *model,
                                 const pawl_settings *settings, int max_contacts, coordinates **out)
{
    pawl_status status = pawl_maximal_coordinates.create(env, model, settings, max_contacts, out);
    if (status == PAWL_OK) {
        (*out)->ops = &halves_ops;
    }
    return status;
}

static void halves_move(coordinates *c, const double *values, const double *d, double fraction,
                        double t, body_state *bodies)
{
    ++halves_moves;
    pawl_maximal_coordinates.move(c, values, d, 0.5 * fraction, t, bodies);
    pawl_maximal_coordinates.move(c, values, d, 0.5 * fraction, t, bodies);
}

static void halves_destroy(coordinates *c)
{
    pawl_maximal_coordinates.destroy(c);
}

static free_factor *halves_factor(const coordinates *c)
{
    return pawl_maximal_coordinates.factor(c);
}

static const coordinates_ops halves_ops = {
    .name = "halves",
    .summary = "bodies that move by halves",
    .finds_islands = true,
    .newton_steps = 2,
    .create = halves_create,
    .destroy = halves_destroy,
    .move = halves_move,
    .factor = halves_factor,
};

// ---- the table that this program is linked with ----------------------------------------------------

const coordinates_ops *pawl_coordinates_find(int kind)
{
    return kind == PAWL_FORMULATION_MAXIMAL   ? &pawl_maximal_coordinates
           : kind == PAWL_FORMULATION_REDUCED ? &halves_ops
                                              : NULL;
}

// A joint that does not meet at the start is brought together by the kind's own moves; then it swings as it does in
// maximal coordinates.
TEST(a_kind_of_coordinates_of_one_file_and_one_line_runs)
{
    double angle[2];
    for (int k = 0; k < 2; ++k) {
        mechanism m;
        mechanism_begin(&m);
        pawl_builder_set_gravity(m.builder, v3(0, 0, -9.81));
        pawl_body_id body = mechanism_solid(&m, 1.0, v3(1, 0, 0), v3(0.1, 0.2, 0.3));
        pawl_joint_def hinge = pawl_joint_def_default();
        hinge.kind = PAWL_JOINT_REVOLUTE;
        hinge.base = PAWL_WORLD;
        hinge.follower = body;
        hinge.base_frame.orientation = hinge.follower_frame.orientation =
            pawl_quat_from_axes(v3(0, 1, 0), v3(0, 0, 0));
        hinge.follower_frame.position = v3(-1.01, 0, 0); // a centimetre off
        pawl_joint_id joint = mechanism_joint(&m, &hinge);
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
        settings.formulation = k == 0 ? PAWL_FORMULATION_MAXIMAL : PAWL_FORMULATION_REDUCED;
        halves_moves = 0;
        mechanism_start(&m, &settings);
        CHECK(k == 0 ? halves_moves == 0 : halves_moves > 0);
        mechanism_run(&m, 500);
        double rate;
        CHECK_OK(pawl_state_joint(mechanism_state(&m), joint, &angle[k], &rate));
        CHECK(pawl_state_closure(mechanism_state(&m)).position < 1e-11);
        mechanism_end(&m);
    }
    CHECK_NEAR(angle[0], angle[1], 1e-9);
}
