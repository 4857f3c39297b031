// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Every public function of libpawl with every mistake of a caller that pawl/base.h names: NULL, indices
// out of range, kinds that do not exist, structs without their default function, numbers that are not
// finite. Each ends with a status or the value that stands for none, and nothing is read or written out
// of range (run under the address sanitizer). tests/tools/test_public_functions.py makes sure that no
// public function is missing here or in test_public_abuse_io.c.
#include "pawl/limb.h"
#include "pawl/pawl.h"
#include "pawl/verdict.h"
#include "support/abuse.h"
#include "support/everything.h"
#include "support/mechanism.h"
#include <math.h>
#include <string.h>

enum { BAD = PAWL_BAD_ARGUMENT };

// ---- values and names -----------------------------------------------------------------------------

TEST(values_and_kinds_that_do_not_exist)
{
    CHECK(pawl_version()[0] != '\0');
    EACH_ID(id)
    {
        CHECK(pawl_status_name((pawl_status)id) != NULL);
        CHECK(pawl_shape_kind_name((pawl_shape_kind)id) == NULL);
        CHECK_TEXT(pawl_actuator_kind_name((pawl_actuator_kind)id), "unknown");
        CHECK(pawl_joint_kind_name((pawl_joint_kind)id) == NULL ||
              pawl_joint_kind_name((pawl_joint_kind)id)[0] != '\0');
        CHECK_INT(pawl_joint_kind_rows((pawl_joint_kind)id), 0);
        CHECK_INT(pawl_joint_kind_coordinates((pawl_joint_kind)id), 0);
        CHECK(!pawl_joint_kind_is_angle((pawl_joint_kind)id, 0));
        CHECK(!pawl_joint_kind_is_angle(PAWL_JOINT_REVOLUTE, id));
        CHECK(pawl_warning_kind_name((pawl_warning_kind)id) == NULL);
        CHECK(pawl_stepper_name(id) == NULL && pawl_stepper_summary(id) == NULL);
        CHECK(!pawl_stepper_has_tree(id));
        CHECK(pawl_solver_name(id) == NULL && pawl_solver_summary(id) == NULL);
        CHECK(pawl_formulation_name(id) == NULL && pawl_formulation_summary(id) == NULL);
        CHECK(!pawl_solver_takes_contacts(id));
        CHECK(pawl_solver_other_law(id) == NULL);
        CHECK(pawl_phase_name((pawl_phase)id) == NULL);
        CHECK(pawl_method_name((pawl_method)id) == NULL);
        CHECK(pawl_event_kind_name((pawl_event_kind)id) == NULL);
        CHECK(pawl_event_kind_figure((pawl_event_kind)id) == NULL);
        CHECK(pawl_contact_mode_name((pawl_contact_mode)id) == NULL);
        CHECK(pawl_wrench_kind_name((pawl_wrench_kind)id) == NULL);
        CHECK(pawl_setting(id).key == NULL);
    }
    pawl_vec3 zero = {0}, bad = {NAN, INFINITY, -INFINITY};
    pawl_quat none = {0}, wild = {NAN, 1, INFINITY, 0};
    // Pure arithmetic: whatever comes out, nothing else happens.
    (void)pawl_quat_normalize(none), (void)pawl_quat_normalize(wild);
    (void)pawl_quat_from_axes(zero, zero), (void)pawl_quat_from_axes(bad, bad);
    (void)pawl_quat_from_axis_angle(zero, NAN), (void)pawl_quat_from_rpy(1e300, INFINITY, NAN);
    (void)pawl_quat_rotate(wild, bad), (void)pawl_quat_multiply(wild, none);
    pawl_pose pose = {bad, wild};
    (void)pawl_pose_compose(pose, pawl_pose_identity()), (void)pawl_pose_inverse(pose);
    (void)pawl_pose_apply(pose, bad);
    CHECK_NAN(pawl_signal_constant(NAN).value);
    CHECK(pawl_softness_default().time_constant == 0.0);
}

TEST(settings_without_sense)
{
    test_env t;
    test_env_init(&t);
    pawl_settings s = pawl_settings_default(), zeroed = {0};
    char text[8] = "kept";
    CHECK_BAD(pawl_settings_check(NULL, &s));
    CHECK_BAD(pawl_settings_check(&t.env, NULL));
    CHECK_BAD(pawl_settings_check(&t.env, &zeroed));
    CHECK_MESSAGE(&t, "pawl_settings_default");
    CHECK_BAD(pawl_settings_set(NULL, &s, "dt", "1"));
    CHECK_BAD(pawl_settings_set(&t.env, NULL, "dt", "1"));
    CHECK_BAD(pawl_settings_set(&t.env, &s, NULL, "1"));
    CHECK_BAD(pawl_settings_set(&t.env, &s, "dt", NULL));
    CHECK_BAD(pawl_settings_set(&t.env, &s, "", ""));
    CHECK_BAD(pawl_settings_get(&s, 0, NULL, 8));
    CHECK_BAD(pawl_settings_get(&s, 0, text, 0));
    CHECK_TEXT(text, "kept");
    CHECK_BAD(pawl_settings_get(NULL, 0, text, sizeof text));
    EACH_ID(id)
    {
        CHECK_BAD(pawl_settings_get(&s, id, text, sizeof text));
        CHECK_TEXT(text, "");
    }
    CHECK_BAD(pawl_settings_get(&s, pawl_setting_count(), text, sizeof text));
    for (int i = 0; i < pawl_setting_count(); ++i) {
        CHECK_OK(pawl_settings_get(&s, i, text, 2)); // cut, never beyond its room
    }
    EACH_NUMBER(x)
    {
        pawl_settings bad = pawl_settings_default();
        bad.dt = x;
        CHECK_BAD(pawl_settings_check(&t.env, &bad));
    }
}

// ---- the builder ----------------------------------------------------------------------------------

// `type` of what comes out, which stays as it was.
#define CHECK_DEF(add, kind, type)                                                                 \
    do {                                                                                           \
        pawl_##kind##_def zeroed_, good_ = pawl_##kind##_def_default();                            \
        memset(&zeroed_, 0, sizeof zeroed_);                                                       \
        type out_, kept_;                                                                          \
        memset(&out_, 77, sizeof out_);                                                            \
        memset(&kept_, 77, sizeof kept_);                                                          \
        CHECK_BAD(add(NULL, &good_, &out_));                                                       \
        CHECK_BAD(add(b, NULL, &out_));                                                            \
        CHECK_BAD(add(b, &zeroed_, &out_));                                                        \
        CHECK_MESSAGE(&t, "_def_default");                                                         \
        memset(&zeroed_, 0xa5, sizeof zeroed_);                                                    \
        CHECK_BAD(add(b, &zeroed_, &out_));                                                        \
        CHECK(memcmp(&out_, &kept_, sizeof out_) == 0);                                            \
    } while (0)

static pawl_wrench_model_def abuse_wrench_default(void)
{
    return pawl_wrench_model_def_default(PAWL_WRENCH_COULOMB);
}
#define pawl_abuse_wrench_def pawl_wrench_model_def
#define pawl_abuse_wrench_def_default abuse_wrench_default

TEST(defs_that_are_null_or_were_not_made_by_their_default_function)
{
    test_env t;
    test_env_init(&t);
    pawl_builder *b = NULL;
    CHECK_BAD(pawl_builder_create(NULL, "m", &b));
    CHECK_BAD(pawl_builder_create(&(pawl_env){0}, "m", &b));
    CHECK_BAD(pawl_builder_create(&t.env, "m", NULL));
    CHECK_OK(pawl_builder_create(&t.env, NULL, &b));
    CHECK_DEF(pawl_builder_add_body, body, pawl_body_id);
    CHECK_DEF(pawl_builder_add_joint, joint, pawl_joint_id);
    CHECK_DEF(pawl_builder_add_gear, gear, pawl_joint_id);
    CHECK_DEF(pawl_builder_add_actuator, actuator, pawl_actuator_id);
    CHECK_DEF(pawl_builder_add_motion, motion, pawl_motion_id);
    CHECK_DEF(pawl_builder_add_force, force, pawl_force_id);
    CHECK_DEF(pawl_builder_add_spring, spring, pawl_spring_id);
    CHECK_DEF(pawl_builder_add_heightfield, heightfield, int);
    CHECK_DEF(pawl_builder_add_contact_point, contact_point, int);
    CHECK_DEF(pawl_builder_add_wrench_model, abuse_wrench, int);
    pawl_shape_def shape = pawl_shape_def_default(), zeroed = {0};
    CHECK_BAD(pawl_builder_add_shape(NULL, pawl_builder_body_at(NULL, 0), &shape, NULL));
    CHECK_BAD(pawl_builder_add_shape(b, PAWL_WORLD, NULL, NULL));
    CHECK_BAD(pawl_builder_add_shape(b, PAWL_WORLD, &zeroed, NULL));
    CHECK_MESSAGE(&t, "pawl_shape_def_default");
    pawl_model *model = NULL;
    CHECK_BAD(pawl_builder_compile(NULL, &model));
    CHECK_BAD(pawl_builder_compile(b, NULL));
    pawl_builder_destroy(b);
    pawl_builder_destroy(NULL);
    CHECK_NO_LEAK(&t);
}

// One body and one joint; every index that a def or a call can have, wrong.
TEST(builders_refuse_indices_names_and_numbers_that_make_no_sense)
{
    test_env t;
    test_env_init(&t);
    pawl_builder *b;
    CHECK_OK(pawl_builder_create(&t.env, "m", &b));
    pawl_builder_set_name(NULL, "x");
    pawl_builder_set_name(b, NULL);
    pawl_builder_set_gravity(NULL, (pawl_vec3){0});
    CHECK_BAD(pawl_builder_set_medium(NULL, (pawl_medium){.density = 1.0}));
    CHECK_BAD(pawl_builder_set_medium(b, (pawl_medium){.density = -1.0}));
    CHECK_BAD(pawl_builder_set_medium(b, (pawl_medium){.density = 1.0, .wind = {NAN, 0, 0}}));
    CHECK_NAN(pawl_muscle_force(NULL, 0.0, 0.0, 0.0));
    CHECK_NAN(pawl_muscle_force(&(pawl_muscle){.gear = 1.0}, 0.0, 0.0, 0.0));
    CHECK_NAN(pawl_wrap_length(NULL, (pawl_vec3){0}, (pawl_vec3){0}));
    CHECK_NAN(pawl_wrap_length(&(pawl_wrap){.kind = 17}, (pawl_vec3){0}, (pawl_vec3){0}));
    pawl_body_def body = pawl_body_def_default();
    body.mass = body.inertia[0] = body.inertia[1] = body.inertia[2] = 1.0;
    CHECK_OK(pawl_builder_add_body(b, &body, NULL));
    pawl_joint_def joint = pawl_joint_def_default();
    joint.kind = PAWL_JOINT_REVOLUTE;
    joint.follower = pawl_builder_body_at(b, 0);
    CHECK_OK(pawl_builder_add_joint(b, &joint, NULL));
    pawl_softness soft = pawl_softness_default();
    pawl_vec3 point = {0}, axis = {1, 0, 0}, bad = {NAN, 0, 0};
    pawl_warning warning = {.kind = PAWL_WARNING_KIND_COUNT};
    CHECK_BAD(pawl_builder_add_warning(NULL, &warning));
    CHECK_BAD(pawl_builder_add_warning(b, NULL));
    CHECK_BAD(pawl_builder_add_warning(b, &warning));
    pawl_frame frame = {.name = "place", .body = pawl_builder_body_at(b, 0)}, nameless = frame;
    nameless.name = NULL;
    CHECK_BAD(pawl_builder_add_frame(NULL, &frame));
    CHECK_BAD(pawl_builder_add_frame(b, NULL));
    CHECK_BAD(pawl_builder_add_frame(b, &nameless));
    CHECK_BAD(pawl_builder_add_frame(b, &frame)); // its quaternion is 0
    CHECK_BAD(pawl_builder_set_softness(NULL, PAWL_SOFT_JOINTS, &soft));
    CHECK_BAD(pawl_builder_set_softness(b, PAWL_SOFT_JOINTS, NULL));
    CHECK_BAD(pawl_builder_set_target(NULL, pawl_builder_actuator_at(NULL, 0), &(pawl_signal){0}));
    CHECK_BAD(pawl_builder_set_target(b, pawl_builder_actuator_at(b, 0), NULL));
    CHECK_BAD(pawl_builder_exclude(NULL, pawl_builder_body_at(NULL, 0), PAWL_WORLD));
    CHECK_BAD(pawl_builder_add_contact_points_of(NULL, pawl_builder_body_at(NULL, 0), 0));
    CHECK_BAD(pawl_builder_place_joint(NULL, &joint, point, axis, point));
    CHECK_BAD(pawl_builder_place_joint(b, NULL, point, axis, point));
    CHECK_BAD(pawl_builder_place_joint(b, &joint, bad, axis, point));
    CHECK_BAD(pawl_builder_place_joint(b, &joint, point, bad, point));
    CHECK_BAD(pawl_builder_place_joint(b, &joint, point, point, point)); // no axis
    CHECK_BAD(pawl_builder_place_joint(b, &joint, point, axis, bad));
    CHECK((pawl_builder_find_body(NULL, "a")).index1 == 0);
    CHECK((pawl_builder_find_body(b, NULL)).index1 == 0);
    CHECK((pawl_builder_find_body(b, "misspelt")).index1 == 0);
    CHECK((pawl_builder_find_joint(NULL, "a")).index1 == 0);
    CHECK((pawl_builder_find_joint(b, NULL)).index1 == 0);
    CHECK_INT(pawl_builder_find_wrench_model(NULL, "a"), -1);
    CHECK_INT(pawl_builder_find_wrench_model(b, NULL), -1);
    EACH_ID(id)
    {
        pawl_shape_def shape = pawl_shape_def_default();
        CHECK_BAD(pawl_builder_add_shape(b, bad_body(id), &shape, NULL));
        shape.kind = (pawl_shape_kind)id;
        CHECK_BAD(pawl_builder_add_shape(b, pawl_builder_body_at(b, 0), &shape, NULL));
        shape.kind = PAWL_SHAPE_HULL;
        shape.point_count = id;
        CHECK_BAD(pawl_builder_add_shape(b, pawl_builder_body_at(b, 0), &shape, NULL));
        pawl_joint_def wrong = joint;
        wrong.base = bad_body(id);
        CHECK_BAD(pawl_builder_add_joint(b, &wrong, NULL));
        CHECK_BAD(pawl_builder_place_joint(b, &wrong, point, axis, point));
        wrong = joint;
        wrong.follower = bad_body(id);
        CHECK_BAD(pawl_builder_add_joint(b, &wrong, NULL));
        wrong = joint;
        wrong.kind = (pawl_joint_kind)id;
        CHECK_BAD(pawl_builder_add_joint(b, &wrong, NULL));
        pawl_gear_def gear = pawl_gear_def_default();
        gear.joint = bad_joint(id);
        gear.source_joint = pawl_builder_joint_at(b, 0);
        CHECK_BAD(pawl_builder_add_gear(b, &gear, NULL));
        pawl_actuator_def actuator = pawl_actuator_def_default();
        actuator.joint = bad_joint(id);
        CHECK_BAD(pawl_builder_add_actuator(b, &actuator, NULL));
        actuator.joint = pawl_builder_joint_at(b, 0);
        actuator.coordinate = id;
        CHECK_BAD(pawl_builder_add_actuator(b, &actuator, NULL));
        actuator.coordinate = 0;
        actuator.kind = (pawl_actuator_kind)id;
        CHECK_BAD(pawl_builder_add_actuator(b, &actuator, NULL));
        pawl_motion_def motion = pawl_motion_def_default();
        motion.joint = bad_joint(id);
        CHECK_BAD(pawl_builder_add_motion(b, &motion, NULL));
        motion.joint = pawl_builder_joint_at(b, 0);
        motion.target.kind = (pawl_signal_kind)id;
        CHECK_BAD(pawl_builder_add_motion(b, &motion, NULL));
        pawl_force_def force = pawl_force_def_default();
        force.body = bad_body(id);
        CHECK_BAD(pawl_builder_add_force(b, &force, NULL));
        pawl_spring_def spring = pawl_spring_def_default();
        spring.body_b = bad_body(id);
        CHECK_BAD(pawl_builder_add_spring(b, &spring, NULL));
        CHECK_BAD(pawl_builder_set_softness(b, (pawl_soft_kind)id, &soft));
        CHECK_BAD(pawl_builder_set_target(b, bad_actuator(id), &(pawl_signal){0}));
        CHECK_BAD(pawl_builder_exclude(b, bad_body(id), pawl_builder_body_at(b, 0)));
        CHECK_BAD(pawl_builder_exclude(b, pawl_builder_body_at(b, 0), bad_body(id)));
        CHECK_BAD(pawl_builder_add_contact_points_of(b, bad_body(id), 0));
        pawl_contact_point_def foot = pawl_contact_point_def_default();
        foot.body = bad_body(id);
        CHECK_BAD(pawl_builder_add_contact_point(b, &foot, NULL));
        foot.body = pawl_builder_body_at(b, 0);
        foot.wrench_model = id;
        CHECK_BAD(pawl_builder_add_contact_point(b, &foot, NULL));
        pawl_heightfield_def field = pawl_heightfield_def_default();
        field.x_count = field.y_count = id;
        CHECK_BAD(pawl_builder_add_heightfield(b, &field, NULL));
        pawl_wrench_model_def wrench = pawl_wrench_model_def_default((pawl_wrench_kind)id);
        CHECK_BAD(pawl_builder_add_wrench_model(b, &wrench, NULL));
    }
    pawl_heightfield_def field = pawl_heightfield_def_default();
    field.x_count = field.y_count = 2;
    CHECK_BAD(pawl_builder_add_heightfield(b, &field, NULL)); // no heights
    pawl_wrench_model_def custom = pawl_wrench_model_def_default(PAWL_WRENCH_CUSTOM);
    CHECK_BAD(pawl_builder_add_wrench_model(b, &custom, NULL)); // no function
    EACH_NUMBER(x)
    {
        pawl_body_def wrong = body;
        wrong.mass = x;
        CHECK_BAD(pawl_builder_add_body(b, &wrong, NULL));
        wrong = body;
        wrong.pose.position.y = x;
        CHECK_BAD(pawl_builder_add_body(b, &wrong, NULL));
        wrong = body;
        wrong.inertia[4] = x;
        CHECK_BAD(pawl_builder_add_body(b, &wrong, NULL));
        pawl_shape_def shape = pawl_shape_def_default();
        shape.size.x = x;
        CHECK_BAD(pawl_builder_add_shape(b, pawl_builder_body_at(b, 0), &shape, NULL));
        pawl_spring_def spring = pawl_spring_def_default();
        spring.body_b = pawl_builder_body_at(b, 0);
        spring.stiffness = x;
        CHECK_BAD(pawl_builder_add_spring(b, &spring, NULL));
        pawl_joint_def wrong_joint = joint;
        wrong_joint.follower_frame.position.x = x;
        CHECK_BAD(pawl_builder_add_joint(b, &wrong_joint, NULL));
    }
    pawl_builder_destroy(b);
    CHECK_NO_LEAK(&t);
}

// More joints between two bodies than a machine can have, which would take minutes to solve.
TEST(hundreds_of_joints_between_two_bodies_are_refused)
{
    for (int count = 256; count <= 1200; count += 944) {
        mechanism m;
        mechanism_begin(&m);
        pawl_body_id body = mechanism_solid(&m, 1.0, (pawl_vec3){0}, (pawl_vec3){1, 1, 1});
        for (int i = 0; i < count; ++i) {
            mechanism_world_joint(&m, PAWL_JOINT_FIXED, body, (pawl_vec3){0}, (pawl_vec3){1, 0, 0});
        }
        pawl_model *model = NULL;
        CHECK_STATUS(pawl_builder_compile(m.builder, &model),
                     count > 256 ? PAWL_UNSUPPORTED : PAWL_OK);
        pawl_model_destroy(model);
        mechanism_end(&m);
    }
}

// ---- models, states, simulations ------------------------------------------------------------------

TEST(models_asked_for_what_they_do_not_have)
{
    mechanism m;
    mechanism_begin(&m);
    CHECK_OK(everything_build(&m.t.env, &m.model));
    mechanism_compile(&m);
    for (int null = 0; null < 2; ++null) {
        const pawl_model *model = null ? NULL : m.model;
        EACH_ID(id)
        {
            CHECK_TEXT(pawl_model_body(model, bad_body(id)).name, "");
            CHECK_NAN(pawl_model_body(model, bad_body(id)).mass);
            CHECK_TEXT(pawl_model_joint(model, bad_joint(id)).name, "");
            CHECK((pawl_model_joint(model, bad_joint(id)).base).index1 == 0);
            CHECK((pawl_model_shape(model, bad_shape(id)).body).index1 == 0);
            CHECK_TEXT(pawl_model_actuator(model, bad_actuator(id)).name, "");
            CHECK_TEXT(pawl_model_spring(model, bad_spring(id)).name, "");
            CHECK_TEXT(pawl_model_gear(model, bad_joint(id)).name, "");
            CHECK_TEXT(pawl_model_motion(model, id).name, "");
            CHECK_TEXT(pawl_model_force(model, id).name, "");
            CHECK((pawl_model_start(model, id).joint).index1 == 0);
            CHECK((pawl_model_exclusion(model, id).a).index1 == 0);
            CHECK_TEXT(pawl_model_warning(model, id).text, "");
            CHECK(pawl_model_frame(model, id).name == NULL);
            CHECK_TEXT(pawl_model_wrench_model(model, id).name, "");
            CHECK((pawl_model_contact_point(model, id).body).index1 == 0);
            CHECK_TEXT(pawl_model_heightfield(model, id).name, "");
        }
        CHECK((pawl_model_find_body(model, NULL)).index1 == 0);
        CHECK((pawl_model_find_joint(model, NULL)).index1 == 0);
        CHECK(pawl_model_find_frame(model, NULL).name == NULL);
    }
    // One past the end, for every list.
    CHECK_TEXT(
        pawl_model_body(m.model, pawl_model_body_at(m.model, pawl_model_body_count(m.model))).name,
        "");
    CHECK_TEXT(
        pawl_model_joint(m.model, pawl_model_joint_at(m.model, pawl_model_joint_count(m.model)))
            .name,
        "");
    CHECK((pawl_model_shape(m.model, pawl_model_shape_at(m.model, pawl_model_shape_count(m.model)))
               .body)
              .index1 == 0);
    CHECK(m.t.messages[PAWL_LOG_ERROR] > 0);
    CHECK_MESSAGE(&m.t, "pawl_model_shape: got no shape");
    CHECK_TEXT(pawl_model_name(NULL), "");
    CHECK_INT(pawl_model_body_count(NULL) + pawl_model_joint_count(NULL) +
                  pawl_model_shape_count(NULL) + pawl_model_actuator_count(NULL) +
                  pawl_model_spring_count(NULL) + pawl_model_row_count(NULL) +
                  pawl_model_velocity_count(NULL) + pawl_model_warning_count(NULL) +
                  pawl_model_exclusion_count(NULL) + pawl_model_wrench_model_count(NULL) +
                  pawl_model_contact_point_count(NULL) + pawl_model_heightfield_count(NULL) +
                  pawl_model_motion_count(NULL) + pawl_model_force_count(NULL) +
                  pawl_model_start_count(NULL) + pawl_model_frame_count(NULL),
              0);
    CHECK_NAN(pawl_model_gravity(NULL).x);
    CHECK_NAN(pawl_model_mass(NULL));
    CHECK_NAN(pawl_model_medium(NULL).density);
    CHECK(pawl_model_hash(NULL) == 0);
    pawl_model_destroy(NULL);
    mechanism_end(&m);
}

TEST(states_that_are_written_and_read_out_of_range)
{
    mechanism m, other;
    mechanism_begin(&m);
    CHECK_OK(everything_build(&m.t.env, &m.model));
    mechanism_compile(&m);
    mechanism_throw(&other);
    mechanism_compile(&other);
    pawl_env *env = &m.t.env;
    pawl_state *s, *foreign;
    CHECK_BAD(pawl_state_create(NULL, m.model, &s));
    CHECK_BAD(pawl_state_create(env, NULL, &s));
    CHECK_BAD(pawl_state_create(env, m.model, NULL));
    CHECK_OK(pawl_state_create(env, m.model, &s));
    CHECK_OK(pawl_state_create(&other.t.env, other.model, &foreign));
    uint64_t before = pawl_state_hash(s);
    double position[6], rate[6];
    EACH_ID(id)
    {
        CHECK_NAN(pawl_state_pose(s, bad_body(id)).position.x);
        CHECK_NAN(pawl_state_twist(s, bad_body(id)).angular.z);
        CHECK_BAD(pawl_state_set_pose(s, bad_body(id), pawl_pose_identity()));
        CHECK_BAD(pawl_state_set_twist(s, bad_body(id), (pawl_twist){0}));
        CHECK_BAD(pawl_state_joint(s, bad_joint(id), position, rate));
        CHECK_NAN(pawl_state_pose(NULL, bad_body(id)).position.x);
        CHECK_NAN(pawl_state_twist(NULL, bad_body(id)).linear.x);
    }
    CHECK_BAD(pawl_state_set_pose(NULL, pawl_model_body_at(pawl_state_model(NULL), 0),
                                  pawl_pose_identity()));
    CHECK_BAD(
        pawl_state_set_twist(NULL, pawl_model_body_at(pawl_state_model(NULL), 0), (pawl_twist){0}));
    CHECK_BAD(
        pawl_state_joint(NULL, pawl_model_joint_at(pawl_state_model(NULL), 0), position, rate));
    CHECK_BAD(pawl_state_joint(s, pawl_model_joint_at(pawl_state_model(s), 0), NULL, rate));
    EACH_NUMBER(x)
    {
        pawl_pose pose = pawl_pose_identity();
        pose.position.z = x;
        CHECK_BAD(pawl_state_set_pose(s, pawl_model_body_at(pawl_state_model(s), 0), pose));
        pose = pawl_pose_identity();
        pose.orientation.y = x;
        CHECK_BAD(pawl_state_set_pose(s, pawl_model_body_at(pawl_state_model(s), 0), pose));
        CHECK_BAD(pawl_state_set_twist(s, pawl_model_body_at(pawl_state_model(s), 0),
                                       (pawl_twist){.angular = {0, x, 0}}));
    }
    CHECK_BAD(pawl_state_set_pose(s, pawl_model_body_at(pawl_state_model(s), 0),
                                  (pawl_pose){0})); // a quaternion of zeros
    CHECK_BAD(pawl_state_copy(s, foreign));
    CHECK_BAD(pawl_state_copy(NULL, s));
    CHECK_BAD(pawl_state_copy(s, NULL));
    CHECK_BAD(pawl_state_save(NULL, position));
    CHECK_BAD(pawl_state_save(s, NULL));
    CHECK_BAD(pawl_state_load(NULL, s, position, 8));
    CHECK_BAD(pawl_state_load(env, NULL, position, 8));
    CHECK_BAD(pawl_state_load(env, s, NULL, 8));
    CHECK_BAD(pawl_state_load(env, s, position, 0));
    CHECK_BAD(pawl_state_load(env, s, position, sizeof position));
    CHECK(pawl_state_hash(s) == before); // nothing of all this changed it
    CHECK(pawl_state_hash(NULL) == 0 && pawl_state_size(NULL) == 0);
    CHECK_NAN(pawl_state_time(NULL));
    CHECK_INT(pawl_state_step(NULL), -1);
    CHECK_NAN(pawl_state_closure(NULL).position);
    CHECK_NAN(pawl_state_energy(NULL).kinetic);
    pawl_state_destroy(s);
    pawl_state_destroy(foreign);
    pawl_state_destroy(NULL);
    mechanism_end(&other);
    mechanism_end(&m);
}

TEST(simulations_asked_for_what_they_do_not_have)
{
    mechanism m, other;
    mechanism_throw(&other);
    mechanism_compile(&other);
    mechanism_begin(&m);
    CHECK_OK(everything_build(&m.t.env, &m.model));
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER), zeroed = {0};
    mechanism_start(&m, &settings);
    pawl_env *env = &m.t.env;
    pawl_sim *sim;
    pawl_check *check;
    CHECK_BAD(pawl_sim_create(NULL, m.model, &settings, &sim));
    CHECK_BAD(pawl_sim_create(env, NULL, &settings, &sim));
    CHECK_BAD(pawl_sim_create(env, m.model, NULL, &sim));
    CHECK_BAD(pawl_sim_create(env, m.model, &settings, NULL));
    CHECK_BAD(pawl_sim_create(env, m.model, &zeroed, &sim));
    CHECK_BAD(pawl_check_model(NULL, m.model, &check));
    CHECK_BAD(pawl_check_model(env, NULL, &check));
    CHECK_BAD(pawl_check_model(env, m.model, NULL));
    CHECK_BAD(pawl_check_sim(NULL, &check));
    CHECK_BAD(pawl_check_sim(m.sim, NULL));
    pawl_check_destroy(NULL);
    for (int steps = 0; steps < 2; ++steps) {
        pawl_vec3 force, torque;
        EACH_ID(id)
        {
            CHECK_BAD(pawl_sim_joint_reaction(m.sim, bad_joint(id), &force, &torque));
            CHECK_NAN(force.x);
            CHECK_NAN(pawl_sim_actuator_effort(m.sim, bad_actuator(id)));
            CHECK(pawl_body_is_none(pawl_sim_contact(m.sim, id).body_a));
            CHECK_NAN(pawl_sim_contact(m.sim, id).gap);
            CHECK_NAN(pawl_sim_event(m.sim, id).time);
        }
        CHECK_NAN(pawl_sim_contact(m.sim, pawl_sim_contact_count(m.sim)).gap);
        CHECK_NAN(pawl_sim_event(m.sim, pawl_sim_event_count(m.sim)).time);
        CHECK_BAD(pawl_sim_joint_reaction(m.sim, pawl_model_joint_at(m.model, 0), NULL, &torque));
        CHECK_BAD(pawl_sim_joint_reaction(m.sim, pawl_model_joint_at(m.model, 0), &force, NULL));
        CHECK_OK(pawl_sim_step(m.sim, NULL));
    }
    CHECK_BAD(pawl_sim_step(NULL, NULL));
    CHECK_BAD(pawl_sim_set_state(NULL, pawl_sim_state(m.sim)));
    CHECK_BAD(pawl_sim_set_state(m.sim, NULL));
    pawl_state *foreign;
    CHECK_OK(pawl_state_create(&other.t.env, other.model, &foreign));
    CHECK_BAD(pawl_sim_set_state(m.sim, foreign));
    pawl_state_destroy(foreign);
    CHECK(pawl_sim_state(NULL) == NULL && pawl_sim_settings(NULL) == NULL);
    CHECK(pawl_sim_model(NULL) == NULL && pawl_sim_kept_problem(NULL).problem == NULL);
    CHECK_INT(pawl_sim_formulation_reason(NULL)[0], '\0');
    pawl_formulation kind;
    pawl_settings asked = *pawl_sim_settings(m.sim);
    CHECK_OK(pawl_choose_formulation(&m.t.env, m.model, &asked, &kind, NULL, 0));
    CHECK_BAD(pawl_choose_formulation(NULL, m.model, &asked, &kind, NULL, 0));
    CHECK_BAD(pawl_choose_formulation(&m.t.env, NULL, &asked, &kind, NULL, 0));
    CHECK_BAD(pawl_choose_formulation(&m.t.env, m.model, NULL, &kind, NULL, 0));
    CHECK_BAD(pawl_choose_formulation(&m.t.env, m.model, &asked, NULL, NULL, 0));
    asked.stepper = (pawl_stepper_kind)1000;
    CHECK_BAD(pawl_choose_formulation(&m.t.env, m.model, &asked, &kind, NULL, 0));
    CHECK_INT(pawl_sim_contact_count(NULL) + pawl_sim_event_count(NULL), 0);
    CHECK_NAN(pawl_sim_contact(NULL, 0).gap);
    CHECK_NAN(pawl_sim_event(NULL, 0).time);
    CHECK_NAN(pawl_sim_actuator_effort(NULL, pawl_model_actuator_at(pawl_sim_model(NULL), 0)));
    pawl_sim_set_clock(NULL, NULL, NULL);
    pawl_sim_keep_problems(NULL, true);
    pawl_sim_keep_samples(NULL, true);
    CHECK(pawl_sim_kept_sample(NULL) == NULL && pawl_sample_get(NULL) == NULL);
    pawl_sim_destroy(NULL);
    pawl_verdict verdict = pawl_verdict_begin(NULL);
    CHECK_NAN(verdict.closure.position);
    pawl_verdict_add(NULL, &m.report);
    pawl_verdict_add(&verdict, NULL);
    CHECK_INT(verdict.steps, 0);
    pawl_step_report report = m.report;
    EACH_ID(id)
    {
        report.method = (pawl_method)id;
        pawl_verdict_add(&verdict, &report);
        CHECK(pawl_judgement_name((pawl_judgement)id) == NULL);
        CHECK(pawl_dissipator_name((pawl_dissipator)id) == NULL);
    }
    pawl_verdict_end(NULL, PAWL_RUN_UNDERWAY, 0.0, 0.0);
    CHECK_NAN(pawl_verdict_turnover(NULL));
    CHECK_NAN(pawl_verdict_energy_error(NULL));
    pawl_verdict_names names = pawl_model_names(NULL), none = {0};
    CHECK_INT(pawl_verdict_judge(NULL, &settings, &names).judgement, PAWL_NOT_JUDGED);
    CHECK_INT(pawl_verdict_judge(&verdict, NULL, &names).judgement, PAWL_NOT_JUDGED);
    CHECK_INT(pawl_verdict_judge(&verdict, &settings, NULL).judgement, PAWL_NOT_JUDGED);
    CHECK_INT(pawl_verdict_judge(&verdict, &settings, &none).judgement, PAWL_NOT_JUDGED);
    pawl_verdict_list list = pawl_verdict_judge(&verdict, &settings, &names);
    CHECK(list.judgement != PAWL_NOT_JUDGED);
    char text[8] = "kept";
    pawl_verdict_sentence(&list, NULL, 8);
    pawl_verdict_sentence(&list, text, 0);
    CHECK_TEXT(text, "kept");
    pawl_verdict_sentence(&list, text, sizeof text);
    pawl_verdict_sentence(NULL, text, sizeof text);
    CHECK_TEXT(text, "");
    pawl_shape_text(NULL, "body", text, sizeof text);
    pawl_shape_info shape = pawl_model_shape(m.model, pawl_model_shape_at(m.model, 0));
    pawl_shape_text(&shape, NULL, text, sizeof text);
    pawl_shape_text(&shape, "body", NULL, 8);
    mechanism_end(&m);
    mechanism_end(&other);
}

// ---- contact models -------------------------------------------------------------------------------

TEST(contact_points_asked_for_what_they_do_not_have)
{
    mechanism m;
    mechanism_begin(&m);
    CHECK_OK(everything_build(&m.t.env, &m.model));
    mechanism_compile(&m);
    pawl_env *env = &m.t.env;
    pawl_ground *ground;
    CHECK_BAD(pawl_ground_create(NULL, m.model, &ground));
    CHECK_BAD(pawl_ground_create(env, NULL, &ground));
    CHECK_BAD(pawl_ground_create(env, m.model, NULL));
    CHECK_OK(pawl_ground_create(env, m.model, &ground));
    pawl_distance distance;
    pawl_vec3 t[2], origin = {0};
    pawl_ground_distance(ground, origin, NULL);
    pawl_ground_distance(NULL, origin, &distance);
    CHECK_NAN(distance.value);
    EACH_NUMBER(x)
    {
        pawl_ground_distance(ground, (pawl_vec3){0, x, 0}, &distance);
        CHECK_NAN(distance.value);
        CHECK_INT(distance.piece, -1);
    }
    EACH_ID(id)
    {
        distance.piece = id;
        pawl_ground_tangents(ground, &distance, t, NULL);
    }
    pawl_ground_tangents(NULL, &distance, t, NULL);
    pawl_ground_tangents(ground, NULL, t, NULL);
    pawl_ground_tangents(ground, &distance, NULL, NULL);
    pawl_ground_destroy(ground);
    pawl_ground_destroy(NULL);

    pawl_wrench_set_def def = pawl_wrench_set_def_default(), zeroed = {0};
    pawl_wrench_set *set;
    CHECK_BAD(pawl_wrench_set_create(NULL, m.model, &def, &set));
    CHECK_BAD(pawl_wrench_set_create(env, NULL, &def, &set));
    CHECK_BAD(pawl_wrench_set_create(env, m.model, NULL, &set));
    CHECK_BAD(pawl_wrench_set_create(env, m.model, &zeroed, &set));
    CHECK_BAD(pawl_wrench_set_create(env, m.model, &def, NULL));
    CHECK_OK(pawl_wrench_set_create(env, m.model, &def, &set));
    pawl_contact_frame frame = {.rotation = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    double v[6 * PAWL_WRENCH_MAX_VERTICES];
    CHECK_NAN(pawl_wrench_set_touch(NULL, 0, &frame).gap);
    CHECK_NAN(pawl_wrench_set_touch(set, 0, NULL).gap);
    EACH_ID(id)
    {
        CHECK((pawl_wrench_set_point(set, id).body).index1 == 0);
        CHECK_BAD(pawl_wrench_set_vertices(set, id, &frame, v, NULL));
        CHECK_NAN(pawl_wrench_set_touch(set, id, &frame).gap);
        CHECK(!pawl_wrench_set_sensitivity(set, id, &frame, PAWL_WRENCH_FRICTION, v));
        if (pawl_wrench_set_point_count(set) > 0) {
            CHECK(!pawl_wrench_set_sensitivity(set, 0, &frame, (pawl_wrench_number)id, v));
        }
    }
    if (pawl_wrench_set_point_count(set) > 0) {
        CHECK_BAD(pawl_wrench_set_vertices(set, 0, NULL, v, NULL));
        CHECK_BAD(pawl_wrench_set_vertices(set, 0, &frame, NULL, NULL));
        CHECK(!pawl_wrench_set_sensitivity(set, 0, NULL, PAWL_WRENCH_FRICTION, v));
        frame.position.x = NAN;
        CHECK_STATUS(pawl_wrench_set_vertices(set, 0, &frame, v, NULL), PAWL_NOT_FINITE);
    }
    CHECK(pawl_wrench_set_ground(NULL) == NULL);
    CHECK_INT(pawl_wrench_set_point_count(NULL) + pawl_wrench_set_weight_count(NULL), 0);
    CHECK((pawl_wrench_set_point(NULL, 0).body).index1 == 0);
    pawl_wrench_set_destroy(set);
    pawl_wrench_set_destroy(NULL);
    mechanism_end(&m);
}

TEST(limbs_hulls_and_sensitivities_asked_for_nonsense)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_id arm = mechanism_solid(&m, 1.0, (pawl_vec3){0}, (pawl_vec3){1, 1, 1});
    mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, arm, (pawl_vec3){0, 0, 1}, (pawl_vec3){0, 1, 0});
    mechanism_compile(&m);
    pawl_env *env = &m.t.env;
    pawl_limb *limb;
    pawl_vec3 point = {0}, bad = {0, NAN, 0};
    CHECK_BAD(
        pawl_limb_create(NULL, m.model, PAWL_WORLD, pawl_model_body_at(m.model, 0), point, &limb));
    CHECK_BAD(pawl_limb_create(env, NULL, PAWL_WORLD, pawl_model_body_at(NULL, 0), point, &limb));
    CHECK_BAD(
        pawl_limb_create(env, m.model, PAWL_WORLD, pawl_model_body_at(m.model, 0), point, NULL));
    CHECK_BAD(
        pawl_limb_create(env, m.model, PAWL_WORLD, pawl_model_body_at(m.model, 0), bad, &limb));
    CHECK_BAD(pawl_limb_create(env, m.model, PAWL_WORLD, PAWL_WORLD, point, &limb));
    EACH_ID(id)
    {
        CHECK_BAD(pawl_limb_create(env, m.model, bad_body(id), pawl_model_body_at(m.model, 0),
                                   point, &limb));
        CHECK_BAD(pawl_limb_create(env, m.model, PAWL_WORLD, bad_body(id), point, &limb));
    }
    CHECK_OK(
        pawl_limb_create(env, m.model, PAWL_WORLD, pawl_model_body_at(m.model, 0), point, &limb));
    double q[1] = {0.0}, rest[1] = {0.0};
    EACH_ID(id)
    {
        CHECK_INT(pawl_joint_index(pawl_limb_coordinate_at(limb, id).joint), -1);
    }
    CHECK_INT(pawl_joint_index(pawl_limb_coordinate_at(NULL, 0).joint), -1);
    CHECK_INT(pawl_limb_coordinate_count(NULL), 0);
    CHECK_NAN(pawl_limb_tip(NULL, q, NULL).x);
    CHECK_NAN(pawl_limb_tip(limb, NULL, NULL).x);
    CHECK_NAN(pawl_limb_reach(NULL, point, rest, q));
    CHECK_NAN(pawl_limb_reach(limb, bad, rest, q));
    CHECK_NAN(pawl_limb_reach(limb, point, NULL, q));
    CHECK_NAN(pawl_limb_reach(limb, point, rest, NULL));
    CHECK_NAN(pawl_limb_pose(NULL, q, NULL).position.x);
    CHECK_NAN(pawl_limb_pose(limb, NULL, NULL).position.x);
    pawl_posture *posture;
    pawl_limb *none = NULL;
    CHECK_BAD(pawl_posture_create(NULL, &limb, 1, &posture));
    CHECK_BAD(pawl_posture_create(env, NULL, 1, &posture));
    CHECK_BAD(pawl_posture_create(env, &none, 1, &posture));
    CHECK_BAD(pawl_posture_create(env, &limb, 1, NULL));
    CHECK_BAD(pawl_posture_create(env, &limb, 0, &posture));
    CHECK_BAD(pawl_posture_create(env, &limb, 65, &posture));
    CHECK_OK(pawl_posture_create(env, &limb, 1, &posture));
    pawl_limb_target target = {.position = point}, bad_target = {.position = bad};
    EACH_ID(id)
    {
        CHECK_INT(pawl_joint_index(pawl_posture_coordinate_at(posture, id).joint), -1);
        CHECK_NAN(pawl_posture_pose(posture, id, q).position.x);
    }
    CHECK_INT(pawl_posture_coordinate_count(NULL), 0);
    CHECK_NAN(pawl_posture_pose(NULL, 0, q).position.x);
    CHECK_NAN(pawl_posture_pose(posture, 0, NULL).position.x);
    CHECK_NAN(pawl_posture_reach(NULL, &target, rest, q));
    CHECK_NAN(pawl_posture_reach(posture, NULL, rest, q));
    CHECK_NAN(pawl_posture_reach(posture, &target, NULL, q));
    CHECK_NAN(pawl_posture_reach(posture, &target, rest, NULL));
    CHECK_NAN(pawl_posture_reach(posture, &bad_target, rest, q));
    q[0] = NAN;
    CHECK_NAN(pawl_posture_reach(posture, &target, rest, q));
    CHECK_NAN(pawl_limb_reach(limb, point, rest, q));
    pawl_posture_destroy(posture);
    pawl_posture_destroy(NULL);
    pawl_limb_destroy(limb);
    pawl_limb_destroy(NULL);

    pawl_hull_faces *faces;
    pawl_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    CHECK_BAD(pawl_hull_faces_create(NULL, corners, 4, &faces));
    CHECK_BAD(pawl_hull_faces_create(env, NULL, 4, &faces));
    CHECK_BAD(pawl_hull_faces_create(env, corners, 4, NULL));
    CHECK_BAD(pawl_hull_faces_create(env, corners, -4, &faces));
    CHECK_BAD(pawl_hull_faces_create(env, corners, INT_MAX, &faces));
    corners[2].y = NAN;
    CHECK_BAD(pawl_hull_faces_create(env, corners, 4, &faces));
    pawl_hull_faces_destroy(env, NULL);
    pawl_hull_faces_destroy(NULL, NULL);

    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_NMDP), zeroed = {0};
    pawl_sensitivity *d;
    CHECK_BAD(pawl_sensitivity_create(NULL, m.model, &settings, &d));
    CHECK_BAD(pawl_sensitivity_create(env, NULL, &settings, &d));
    CHECK_BAD(pawl_sensitivity_create(env, m.model, NULL, &d));
    CHECK_BAD(pawl_sensitivity_create(env, m.model, &zeroed, &d));
    CHECK_BAD(pawl_sensitivity_create(env, m.model, &settings, NULL));
    CHECK_OK(pawl_sensitivity_create(env, m.model, &settings, &d));
    pawl_joint_id joint;
    pawl_body_id body;
    int part;
    double x[1], v[1];
    EACH_ID(id)
    {
        CHECK_INT(pawl_sensitivity_input_count(d, (pawl_sensitivity_input)id), 0);
        CHECK_BAD(pawl_sensitivity_coordinate(d, id, &body, &joint, &part));
        CHECK(pawl_sensitivity_matrix(d, (pawl_sensitivity_input)id) == NULL);
    }
    CHECK_BAD(pawl_sensitivity_coordinate(NULL, 0, &body, &joint, &part));
    CHECK_BAD(pawl_sensitivity_coordinate(d, 0, NULL, &joint, &part));
    CHECK_BAD(pawl_sensitivity_compute(NULL, NULL));
    CHECK_BAD(pawl_sensitivity_compute(d, NULL));
    CHECK_BAD(pawl_sensitivity_end(NULL, x, v));
    CHECK_BAD(pawl_sensitivity_end(d, NULL, v));
    CHECK_BAD(pawl_sensitivity_end(d, x, NULL));
    CHECK_INT(pawl_sensitivity_coordinate_count(NULL), 0);
    CHECK_INT(pawl_sensitivity_input_count(NULL, PAWL_BY_RATE), 0);
    CHECK(pawl_sensitivity_matrix(NULL, PAWL_BY_RATE) == NULL);
    pawl_sensitivity_destroy(d);
    pawl_sensitivity_destroy(NULL);
    mechanism_end(&m);
}

// ---- contact problems -----------------------------------------------------------------------------

TEST(contact_problems_without_sense)
{
    test_env t;
    test_env_init(&t);
    pawl_env *env = &t.env;
    const int at[3] = {0, 1, 2};
    const double one[3] = {1, 1, 1}, q[3] = {0, 0, -1}, mu[1] = {0.5};
    pawl_contact_problem_def def = {1, {3, 3, 3, at, at, one}, q, mu};
    pawl_contact_problem *p;
    CHECK_BAD(pawl_contact_problem_create(NULL, &def, &p));
    CHECK_BAD(pawl_contact_problem_create(env, NULL, &p));
    CHECK_BAD(pawl_contact_problem_create(env, &def, NULL));
    EACH_ID(id)
    {
        pawl_contact_problem_def bad = def;
        bad.contact_count = id;
        CHECK_BAD(pawl_contact_problem_create(env, &bad, &p));
        int wild[3] = {0, 1, id};
        bad = def;
        bad.W.row = wild;
        CHECK_BAD(pawl_contact_problem_create(env, &bad, &p));
        bad.W.row = at;
        bad.W.rows = id;
        CHECK_BAD(pawl_contact_problem_create(env, &bad, &p));
    }
    pawl_contact_problem_def bad = def;
    bad.W.count = -1;
    CHECK_BAD(pawl_contact_problem_create(env, &bad, &p));
    bad = def, bad.W.value = NULL;
    CHECK_BAD(pawl_contact_problem_create(env, &bad, &p));
    bad = def, bad.q = NULL;
    CHECK_BAD(pawl_contact_problem_create(env, &bad, &p));
    bad = def, bad.friction = NULL;
    CHECK_BAD(pawl_contact_problem_create(env, &bad, &p));
    EACH_NUMBER(x)
    {
        double wild[3] = {x, 1, 1};
        bad = def, bad.W.value = wild;
        CHECK_BAD(pawl_contact_problem_create(env, &bad, &p));
        bad = def, bad.q = wild;
        CHECK_BAD(pawl_contact_problem_create(env, &bad, &p));
        bad = def, bad.friction = wild;
        CHECK_BAD(pawl_contact_problem_create(env, &bad, &p));
    }
    pawl_contact_system_def system = {3, 0, 1, def.W, def.W, {0}, q, q, NULL, mu};
    CHECK_BAD(pawl_contact_problem_reduce(NULL, &system, &p));
    CHECK_BAD(pawl_contact_problem_reduce(env, NULL, &p));
    CHECK_BAD(pawl_contact_problem_reduce(env, &system, NULL));
    pawl_contact_system_def broken = system;
    broken.f = NULL;
    CHECK_BAD(pawl_contact_problem_reduce(env, &broken, &p));
    broken = system, broken.M.row = NULL;
    CHECK_BAD(pawl_contact_problem_reduce(env, &broken, &p));
    broken = system, broken.equality_count = 1; // G and b are not there
    CHECK_BAD(pawl_contact_problem_reduce(env, &broken, &p));
    broken = system, broken.friction = NULL;
    CHECK_BAD(pawl_contact_problem_reduce(env, &broken, &p));
    CHECK_OK(pawl_contact_problem_create(env, &def, &p));
    pawl_settings settings = pawl_settings_default(), zeroed = {0};
    pawl_contact_result result;
    double r[3] = {0}, u[3];
    int row[9], column[9];
    double value[9];
    CHECK_BAD(pawl_contact_problem_solve(NULL, &settings, r, &result));
    CHECK_BAD(pawl_contact_problem_solve(p, NULL, r, &result));
    CHECK_BAD(pawl_contact_problem_solve(p, &zeroed, r, &result));
    CHECK_BAD(pawl_contact_problem_solve(p, &settings, NULL, &result));
    CHECK_BAD(pawl_contact_problem_solve(p, &settings, r, NULL));
    settings.solver.kind = (pawl_solver_kind)1000;
    CHECK_BAD(pawl_contact_problem_solve(p, &settings, r, &result));
    CHECK_BAD(pawl_contact_problem_entries(NULL, row, column, value));
    CHECK_BAD(pawl_contact_problem_entries(p, NULL, column, value));
    CHECK_BAD(pawl_contact_problem_entries(p, row, NULL, value));
    CHECK_BAD(pawl_contact_problem_entries(p, row, column, NULL));
    CHECK_BAD(pawl_contact_problem_velocity(NULL, r, u));
    CHECK_BAD(pawl_contact_problem_velocity(p, NULL, u));
    CHECK_BAD(pawl_contact_problem_velocity(p, r, NULL));
    CHECK_NAN(pawl_contact_problem_errors(NULL, r).scaled);
    CHECK_NAN(pawl_contact_problem_errors(p, NULL).scaled);
    CHECK(isinf(pawl_contact_errors_worst(NULL)));
    CHECK_INT(pawl_contact_problem_count(NULL) + pawl_contact_problem_entry_count(NULL), 0);
    CHECK(pawl_contact_problem_q(NULL) == NULL && pawl_contact_problem_friction(NULL) == NULL);
    CHECK_NAN(pawl_contact_problem_asymmetry(NULL));
    pawl_contact_problem_destroy(p);
    pawl_contact_problem_destroy(NULL);
    CHECK_NO_LEAK(&t);
}
