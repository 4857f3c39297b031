// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// As test_public_abuse.c, for batches, views and factors of masses.
#include "pawl/pawl.h"
#include "support/abuse.h"
#include "support/everything.h"
#include "support/mechanism.h"

TEST(batches_that_are_none)
{
    mechanism m;
    mechanism_begin(&m);
    CHECK_OK(everything_build(&m.t.env, &m.model));
    pawl_settings settings = pawl_settings_default(), none = {0};
    pawl_batch *b;
    CHECK_BAD(pawl_batch_create(NULL, m.model, &settings, 2, 1, &b));
    CHECK_BAD(pawl_batch_create(&m.t.env, NULL, &settings, 2, 1, &b));
    CHECK_BAD(pawl_batch_create(&m.t.env, m.model, NULL, 2, 1, &b));
    CHECK_BAD(pawl_batch_create(&m.t.env, m.model, &none, 2, 1, &b));
    CHECK_BAD(pawl_batch_create(&m.t.env, m.model, &settings, 0, 1, &b));
    CHECK_BAD(pawl_batch_create(&m.t.env, m.model, &settings, -3, 1, &b));
    CHECK_BAD(pawl_batch_create(&m.t.env, m.model, &settings, 2, -1, &b));
    CHECK_BAD(pawl_batch_create(&m.t.env, m.model, &settings, 2, 1 << 20, &b));
    CHECK(b == NULL);
    CHECK_BAD(pawl_batch_create(&m.t.env, m.model, &settings, 2, 1, NULL));
    CHECK_BAD(pawl_batch_step(NULL, 1, NULL));
    CHECK_BAD(pawl_batch_reset(NULL, NULL, NULL, false));
    CHECK_BAD(pawl_batch_assemble(NULL, NULL));
    CHECK_BAD(pawl_batch_measure(NULL));
    CHECK_BAD(pawl_batch_hold_targets(NULL));
    CHECK_INT(pawl_batch_count(NULL), 0);
    CHECK_INT(pawl_batch_thread_count(NULL), 0);
    CHECK(pawl_batch_model(NULL) == NULL && pawl_batch_settings(NULL) == NULL);
    CHECK(pawl_batch_view(NULL, PAWL_VIEW_TIME).first.data == NULL);
    CHECK(pawl_batch_results(NULL, PAWL_BATCH_RATE).first.data == NULL);
    CHECK_OK(pawl_batch_create(&m.t.env, m.model, &settings, 2, 1, &b));
    CHECK(pawl_batch_model(b) == m.model);
    CHECK(pawl_batch_settings(b)->dt == settings.dt);
    CHECK_BAD(pawl_batch_step(b, -1, NULL));
    EACH_ID(i)
    {
        CHECK(pawl_batch_state(b, i) == NULL && pawl_batch_edit_state(b, i) == NULL);
        CHECK(pawl_batch_report(b, i) == NULL && pawl_batch_verdict(b, i) == NULL);
        CHECK_BAD(pawl_batch_status(b, i));
        CHECK(pawl_batch_view(b, (pawl_view_kind)i).first.data == NULL);
        CHECK(pawl_batch_results(b, (pawl_batch_result)i).first.data == NULL);
        CHECK(pawl_batch_report(NULL, i) == NULL && pawl_batch_state(NULL, i) == NULL);
    }
    CHECK(pawl_batch_report(b, 0) == NULL); // before the first step
    CHECK_BAD(pawl_batch_reset(b, NULL, pawl_batch_state(b, 1), false));
    CHECK_INT(pawl_batch_count(b), 2);
    pawl_batch_destroy(b);
    pawl_batch_destroy(NULL);
    pawl_model_destroy(m.model);
    m.model = NULL;
    mechanism_end(&m);
}

TEST(views_and_factors_that_are_none)
{
    mechanism m;
    mechanism_begin(&m);
    CHECK_OK(everything_build(&m.t.env, &m.model));
    pawl_state *s;
    CHECK_OK(pawl_state_create(&m.t.env, m.model, &s));
    uint64_t hash = pawl_state_hash(s);
    EACH_ID(id)
    {
        CHECK(pawl_state_view(s, (pawl_view_kind)id).data == NULL);
        CHECK_BAD(pawl_state_set_mass_scale(s, bad_body(id), 2.0));
        CHECK_NAN(pawl_state_mass_scale(s, bad_body(id)));
        CHECK_NAN(pawl_state_mass_scale(NULL, bad_body(id)));
        CHECK_BAD(pawl_state_set_mass_scale(NULL, bad_body(id), 2.0));
    }
    pawl_body_id body = pawl_model_body_at(m.model, 0);
    EACH_NUMBER(x)
    {
        CHECK_BAD(pawl_state_set_mass_scale(s, body, x));
    }
    CHECK_BAD(pawl_state_set_mass_scale(s, body, 0.0));
    CHECK_BAD(pawl_state_set_mass_scale(s, body, -1.0));
    CHECK_BAD(pawl_state_set_mass_scale(s, PAWL_WORLD, 2.0));
    CHECK(pawl_state_view(NULL, PAWL_VIEW_TIME).data == NULL);
    CHECK_BAD(pawl_state_hold_targets(NULL));
    CHECK_BAD(pawl_state_accept(NULL));
    CHECK_BAD(pawl_state_joints(NULL, NULL, NULL));
    CHECK_OK(pawl_state_joints(s, NULL, NULL));
    CHECK_INT(pawl_model_coordinate_count(NULL), 0);
    CHECK(pawl_state_hash(s) == hash);
    pawl_state_destroy(s);
    pawl_model_destroy(m.model);
    m.model = NULL;
    mechanism_end(&m);
}

TEST(derivatives_that_are_none)
{
    mechanism m;
    mechanism_begin(&m);
    CHECK_OK(everything_build(&m.t.env, &m.model));
    pawl_settings settings = pawl_settings_default(), none = {0};
    pawl_derivative *d;
    CHECK_BAD(pawl_derivative_create(NULL, m.model, &settings, &d));
    CHECK_BAD(pawl_derivative_create(&m.t.env, NULL, &settings, &d));
    CHECK_BAD(pawl_derivative_create(&m.t.env, m.model, NULL, &d));
    CHECK_BAD(pawl_derivative_create(&m.t.env, m.model, &none, &d));
    CHECK_BAD(pawl_derivative_create(&m.t.env, m.model, &settings, NULL));
    CHECK_BAD(pawl_derivative_compute(NULL, NULL));
    CHECK_NAN(pawl_derivative_margin(NULL));
    CHECK(pawl_derivative_state(NULL) == NULL);
    CHECK_OK(pawl_derivative_create(&m.t.env, m.model, &settings, &d));
    CHECK_BAD(pawl_derivative_compute(d, NULL));
    EACH_ID(i)
    {
        CHECK_INT(pawl_derivative_width(d, (pawl_derivative_input)i), 0);
        CHECK(pawl_derivative_matrix(d, (pawl_derivative_input)i) == NULL);
        CHECK_INT(pawl_derivative_width(NULL, (pawl_derivative_input)i), 0);
    }
    CHECK(pawl_derivative_matrix(d, PAWL_DERIVATIVE_POSE) == NULL); // before compute()
    CHECK_NAN(pawl_derivative_margin(d));
    pawl_derivative_destroy(d);
    pawl_derivative_destroy(NULL);
    pawl_model_destroy(m.model);
    m.model = NULL;
    mechanism_end(&m);
}
