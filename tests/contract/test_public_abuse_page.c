// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The same as test_public_abuse.c for pages and the viewer.
#include "pawl/contact.h"
#include "pawl/page.h"
#include "pawl/study.h"
#include "pawl/viewer.h"
#include "support/abuse.h"
#include "support/mechanism.h"
#include <math.h>
#include <string.h>

TEST(pages_of_nothing)
{
    mechanism m;
    mechanism_throw(&m);
    mechanism_compile(&m);
    pawl_env *env = &m.t.env;
    pawl_string text = {0};
    pawl_string_free(NULL, &text);
    pawl_string_free(env, NULL);
    pawl_string_free(env, &text);
    CHECK(pawl_page_has_bundle() || !pawl_page_has_bundle());
    CHECK_BAD(pawl_page_make(NULL, "t", "{}", &text));
    CHECK_BAD(pawl_page_make(env, NULL, "{}", &text));
    CHECK_BAD(pawl_page_make(env, "t", NULL, &text));
    CHECK_BAD(pawl_page_make(env, "t", "{}", NULL));
    CHECK_BAD(pawl_page_make(env, "t", "{\"a\":\"</script>\"}", &text));
    CHECK_MESSAGE(&m.t, "</");
    CHECK_BAD(pawl_page_write(NULL, "t", "{}", "p.html"));
    CHECK_BAD(pawl_page_write(env, NULL, "{}", "p.html"));
    CHECK_BAD(pawl_page_write(env, "t", NULL, "p.html"));
    CHECK_BAD(pawl_page_write(env, "t", "{}", NULL));
    CHECK_BAD(pawl_scene_json(NULL, m.model, &text));
    CHECK_BAD(pawl_scene_json(env, NULL, &text));
    CHECK_BAD(pawl_scene_json(env, m.model, NULL));
    CHECK_BAD(pawl_motion_json(NULL, "a", &text));
    CHECK_BAD(pawl_motion_json(env, NULL, &text));
    CHECK_BAD(pawl_motion_json(env, "a", NULL));
    CHECK(pawl_motion_json(env, "not there", &text) != PAWL_OK && text.data == NULL);
    CHECK_BAD(pawl_report_json(NULL, "a", &text));
    CHECK_BAD(pawl_report_json(env, NULL, &text));
    CHECK_BAD(pawl_report_json(env, "a", NULL));
    CHECK_BAD(pawl_report_make(NULL, "a", &text));
    CHECK_BAD(pawl_report_make(env, NULL, &text));
    CHECK_BAD(pawl_report_make(env, "a", NULL));
    const char *paths[] = {"not there", "nor there"};
    CHECK_BAD(pawl_compare_write(NULL, paths, 2, "p.html"));
    CHECK_BAD(pawl_compare_write(env, NULL, 2, "p.html"));
    CHECK_BAD(pawl_compare_write(env, paths, 2, NULL));
    CHECK_BAD(pawl_compare_write(env, paths, 1, "p.html"));
    CHECK_BAD(pawl_compare_write(env, paths, PAWL_MOST_COMPARED + 1, "p.html"));
    CHECK(pawl_compare_write(env, paths, 2, "p.html") != PAWL_OK);
    CHECK_OK(pawl_scene_json(env, m.model, &text));
    CHECK(strncmp(text.data, "{\"format\":1,", 12) == 0 && strlen(text.data) == text.size);
    pawl_string_free(env, &text);
    CHECK(text.data == NULL);
    mechanism_end(&m);
}

TEST(joints_and_rules_that_do_not_exist)
{
    pawl_pose origin = pawl_pose_identity();
    CHECK_NAN(pawl_joint_gap((pawl_joint_kind)-1, origin, origin));
    CHECK_NAN(pawl_joint_gap(PAWL_JOINT_KIND_COUNT, origin, origin));
    CHECK_NAN(pawl_joint_gap(PAWL_JOINT_GEAR, origin, origin));
    pawl_pose moved = origin;
    moved.position = (pawl_vec3){5.0, 3.0, 4.0};
    CHECK_NEAR(pawl_joint_gap(PAWL_JOINT_PRISMATIC, origin, moved), 5.0, 1e-12); // x is free
    CHECK_NEAR(pawl_joint_gap(PAWL_JOINT_PLANAR, origin, moved), 5.0, 1e-12);    // y and z are
    CHECK_NAN(pawl_pair_combine((pawl_pair_rule)-1, 1.0, 1.0));
    CHECK_NAN(pawl_pair_combine(PAWL_PAIR_RULE_COUNT, 1.0, 1.0));
    pawl_study_add_motion(NULL, "t", "{}");
}

TEST(viewers_that_cannot_be)
{
    test_env t;
    test_env_init(&t);
    pawl_viewer *view = NULL;
    pawl_viewer_options options = pawl_viewer_options_default(), zeroed = {0};
    options.model_path = "not there";
    CHECK_BAD(pawl_viewer_create(NULL, &options, &view));
    CHECK_BAD(pawl_viewer_create(&t.env, NULL, &view));
    CHECK_BAD(pawl_viewer_create(&t.env, &options, NULL));
    CHECK(pawl_viewer_create(&t.env, &zeroed, &view) != PAWL_OK && view == NULL);
    CHECK(pawl_viewer_create(&t.env, &options, &view) != PAWL_OK && view == NULL);
    CHECK(strcmp(pawl_viewer_address(NULL), "") == 0);
    CHECK_INT(pawl_viewer_port(NULL), 0);
    CHECK_INT(pawl_viewer_video(NULL), -1);
    CHECK(pawl_viewer_serve(NULL) != PAWL_OK);
    CHECK(pawl_viewer_is_supported() || !pawl_viewer_is_supported());
    pawl_viewer_destroy(NULL);
    CHECK_NO_LEAK(&t);
}
