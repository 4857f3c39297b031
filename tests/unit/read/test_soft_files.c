// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl:soft and pawl:erp in SDFormat and URDF files: the numbers in the text are those in the model.
#include "pawl/io.h"
#include "support/test.h"

#include <string.h>

#define SDF_LINK(name, content)                                                                    \
    "<link name='" name "'><inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz>"  \
    "</inertia></inertial>" content "</link>"
#define SDF(content)                                                                               \
    "<sdf version='1.10' xmlns:pawl='urn:pawl:sdf'><model name='m'>" SDF_LINK("a", "") content     \
        "</model></sdf>"
#define SDF_JOINT(content)                                                                         \
    "<joint name='j' type='prismatic'><parent>world</parent><child>a</child>"                      \
    "<axis><xyz>1 0 0</xyz></axis>" content "</joint>"
#define SPHERE(content)                                                                            \
    "<collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry>" content         \
    "</collision>"

static pawl_model *soft_load(test_env *t, const char *name, const char *text)
{
    pawl_model *model;
    test_env_init(t);
    CHECK_OK(pawl_model_parse(&t->env, name, text, strlen(text), NULL, &model));
    CHECK_INT(t->messages[PAWL_LOG_WARNING], 0);
    return model;
}

static void soft_refused(const char *text, const char *message)
{
    test_env t;
    pawl_model *model;
    test_env_init(&t);
    CHECK_STATUS(pawl_model_parse(&t.env, "text.sdf", text, strlen(text), NULL, &model),
                 PAWL_BAD_FILE);
    CHECK_MESSAGE(&t, message);
    CHECK_NO_LEAK(&t);
}

static void soft_check(pawl_softness got, pawl_softness expected)
{
    CHECK_NEAR(got.time_constant, expected.time_constant, 0.0);
    CHECK_NEAR(got.damping_ratio, expected.damping_ratio, 0.0);
    CHECK_NEAR(got.d0, expected.d0, 0.0);
    CHECK_NEAR(got.dw, expected.dw, 0.0);
    CHECK_NEAR(got.width, expected.width, 0.0);
    CHECK_NEAR(got.midpoint, expected.midpoint, 0.0);
    CHECK_NEAR(got.power, expected.power, 0.0);
}

static const pawl_softness all_numbers = {0.02, 0.7, 0.8, 0.97, 0.004, 0.3, 3.5};
#define ALL_NUMBERS                                                                                \
    "<pawl:soft time_constant='0.02' damping_ratio='0.7' d0='0.8' dw='0.97' width='0.004' "        \
    "midpoint='0.3'><pawl:power>3.5</pawl:power></pawl:soft>"

TEST(joints_limits_and_shapes_of_sdf_files_can_be_soft)
{
    test_env t;
    pawl_model *m = soft_load(
        &t, "text.sdf",
        SDF(SDF_JOINT(ALL_NUMBERS "<pawl:erp>0.25</pawl:erp><pawl:coordinate lower='-1' upper='1' "
                                  "erp='-1'><pawl:soft time_constant='0.05'/></pawl:coordinate>")
                SDF_LINK("b", SPHERE(ALL_NUMBERS "<pawl:erp>0.5</pawl:erp>"))));
    pawl_joint_info joint = pawl_model_joint(m, pawl_model_joint_at(m, 0));
    pawl_softness limit = pawl_softness_default();
    limit.time_constant = 0.05;
    soft_check(joint.soft, all_numbers);
    soft_check(joint.coordinate[0].limit_soft, limit);
    soft_check(pawl_model_shape(m, pawl_model_shape_at(m, 0)).def.soft, all_numbers);
    CHECK_NEAR(joint.erp, 0.25, 0.0);
    CHECK_NEAR(joint.coordinate[0].limit_erp, -1.0, 0.0);
    CHECK_NEAR(pawl_model_shape(m, pawl_model_shape_at(m, 0)).def.erp, 0.5, 0.0);
    pawl_model_destroy(m);
    CHECK_NO_LEAK(&t);
}

// Whether it stands before or after what it is for.
TEST(a_model_can_say_what_all_have_that_say_nothing)
{
    test_env t;
    pawl_model *m = soft_load(
        &t, "text.sdf",
        SDF("<pawl:soft of='contacts' time_constant='0.03'/>" SDF_JOINT("") SDF_LINK("b",
                                                                                     SPHERE(""))
                SDF_LINK("d", SPHERE("<pawl:soft time_constant='-1'/>")) "<pawl:soft of='joints' "
                                                                         "time_constant='0.04'/>"));
    CHECK_NEAR(pawl_model_joint(m, pawl_model_joint_at(m, 0)).soft.time_constant, 0.04, 0.0);
    CHECK_NEAR(
        pawl_model_joint(m, pawl_model_joint_at(m, 0)).coordinate[0].limit_soft.time_constant, 0.0,
        0.0);
    CHECK_NEAR(pawl_model_shape(m, pawl_model_shape_at(m, 0)).def.soft.time_constant, 0.03, 0.0);
    CHECK_NEAR(pawl_model_shape(m, pawl_model_shape_at(m, 1)).def.soft.time_constant, -1.0, 0.0);
    pawl_model_destroy(m);
    m = soft_load(&t, "text.sdf", SDF(SDF_JOINT("") "<pawl:soft time_constant='0.04'/>"));
    CHECK_NEAR(pawl_model_joint(m, pawl_model_joint_at(m, 0)).soft.time_constant, 0.04, 0.0);
    CHECK_NEAR(
        pawl_model_joint(m, pawl_model_joint_at(m, 0)).coordinate[0].limit_soft.time_constant, 0.04,
        0.0);
    pawl_model_destroy(m);
    CHECK_NO_LEAK(&t);
}

TEST(urdf_files_have_the_same_elements)
{
    test_env t;
    pawl_model *m = soft_load(
        &t, "text.urdf",
        "<robot name='r' xmlns:pawl='urn:pawl:sdf'><link name='world'/><link name='a'><inertial>"
        "<mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
        "<collision><geometry><sphere radius='1'/></geometry>" ALL_NUMBERS "</collision></link>"
        "<joint name='j' type='fixed'><parent link='world'/><child link='a'/>" ALL_NUMBERS
        "<pawl:erp>0.25</pawl:erp></joint></robot>");
    soft_check(pawl_model_joint(m, pawl_model_joint_at(m, 0)).soft, all_numbers);
    soft_check(pawl_model_shape(m, pawl_model_shape_at(m, 0)).def.soft, all_numbers);
    CHECK_NEAR(pawl_model_joint(m, pawl_model_joint_at(m, 0)).erp, 0.25, 0.0);
    pawl_model_destroy(m);
    CHECK_NO_LEAK(&t);
}

TEST(bad_soft_elements_are_refused_with_what_was_expected)
{
    soft_refused(SDF(SDF_JOINT("<pawl:soft/>")), "no time_constant");
    soft_refused(SDF(SDF_JOINT("<pawl:soft time_constant='0'/>")), "no time_constant");
    soft_refused(SDF(SDF_JOINT("<pawl:soft time_constant='1' d0='2'/>")), "'j' was refused");
    soft_refused(SDF(SDF_JOINT("<pawl:soft time_constant='1' width='-1'/>")), "width");
    soft_refused(SDF(SDF_JOINT("<pawl:soft of='joints' time_constant='1'/>")), "inside <joint>");
    soft_refused(SDF(SDF_JOINT("<pawl:erp>2</pawl:erp>")), "'j' was refused");
    soft_refused(SDF("<pawl:soft of='wheels' time_constant='1'/>"), "got of=\"wheels\"");
    soft_refused(SDF("<pawl:soft time_constant='1' power='0.5'/>"), "was refused");
}
