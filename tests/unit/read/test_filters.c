// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Who touches whom, as model files say it: asked of a simulation, so that all between the text and
// the contacts is tested. The expected answers come from the rules of SDFormat and of
// docs/model-files.md, evaluated here bit by bit.
#include "math/rotation.h"
#include "pawl/io.h"
#include "pawl/sim.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEAD "<sdf version='1.10' xmlns:pawl='urn:pawl:sdf'>"
#define INERTIAL                                                                                   \
    "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz></inertia></inertial>"
// Two balls that overlap; %s are what their collisions and links say, and what the model says.
#define TOUCH "<self_collide>true</self_collide>"
#define BALL(name, at)                                                                             \
    "<link name='" name "'><pose>" at " 0 0 0 0 0</pose>" INERTIAL "%s<collision name='c'>"        \
    "<geometry><sphere><radius>1</radius></sphere></geometry>%s</collision></link>"
#define BALLS                                                                                      \
    HEAD "<model name='m'><pawl:gravity>0 0 0</pawl:gravity>%s" BALL("a", "0")                     \
        BALL("b", "1.9") "</model></sdf>"

static int filters_contacts(const char *text)
{
    test_env t;
    test_env_init(&t);
    pawl_model *model;
    CHECK_OK(pawl_model_parse(&t.env, "text.sdf", text, strlen(text), NULL, &model));
    pawl_settings settings = pawl_settings_default();
    pawl_sim *sim;
    CHECK_OK(pawl_sim_create(&t.env, model, &settings, &sim));
    CHECK_OK(pawl_sim_step(sim, NULL));
    int count = pawl_sim_contact_count(sim);
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
    return count;
}

static bool filters_touch(const char *in_model, const char *link_a, const char *shape_a,
                          const char *link_b, const char *shape_b)
{
    char text[4096];
    snprintf(text, sizeof text, BALLS, in_model, link_a, shape_a, link_b, shape_b);
    return filters_contacts(text) > 0;
}

// SDFormat: a bitmask that is not given is 0xffff, and two touch if the AND of theirs is not 0.
TEST(bitmasks_decide_by_their_common_bits)
{
    static const struct {
        const char *text;
        unsigned bits;
    } masks[] = {{"", 0xffff},   {"0", 0},          {"1", 1},          {"2", 2},      {"0x03", 3},
                 {"0xF0", 0xf0}, {"32768", 0x8000}, {"65535", 0xffff}, {"0x10", 0x10}};
    enum { MASKS = sizeof masks / sizeof masks[0] };
    for (int i = 0; i < MASKS; ++i) {
        for (int j = 0; j < MASKS; ++j) {
            char shape[2][160];
            for (int k = 0; k < 2; ++k) {
                const char *bits = masks[k == 0 ? i : j].text;
                snprintf(shape[k], sizeof shape[k], "<surface><contact>%s%s%s</contact></surface>",
                         bits[0] ? "<collide_bitmask>" : "", bits,
                         bits[0] ? "</collide_bitmask>" : "");
            }
            CHECK_INT(filters_touch(TOUCH, "", shape[0], "", shape[1]),
                      (masks[i].bits & masks[j].bits) != 0);
        }
    }
}

// docs/model-files.md: each one's group has a bit of the other's mask; by default 1 and all bits. A
// bitmask leaves groups in the lower half alone.
TEST(groups_and_masks_decide_together)
{
    static const struct {
        const char *text;
        uint32_t group, mask;
    } kinds[] = {{"", 1, UINT32_MAX},
                 {"<pawl:group>2</pawl:group>", 2, UINT32_MAX},
                 {"<pawl:mask>2</pawl:mask>", 1, 2},
                 {"<pawl:group>2</pawl:group><pawl:mask>0x3</pawl:mask>", 2, 3},
                 {"<pawl:group>0</pawl:group>", 0, UINT32_MAX},
                 {"<pawl:group>0x80000000</pawl:group><pawl:mask>0xffffffff</pawl:mask>",
                  UINT32_C(0x80000000), UINT32_MAX}};
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    static const char *const masked = "<surface><contact><collide_bitmask>4</collide_bitmask>"
                                      "</contact></surface>";
    for (int i = 0; i < KINDS; ++i) {
        for (int j = 0; j < KINDS; ++j) {
            CHECK_INT(filters_touch(TOUCH, "", kinds[i].text, "", kinds[j].text),
                      (kinds[i].group & kinds[j].mask) != 0 &&
                          (kinds[j].group & kinds[i].mask) != 0);
        }
        if (kinds[i].mask == UINT32_MAX && kinds[i].group < 65536) {
            CHECK_INT(filters_touch(TOUCH, "", kinds[i].text, "", masked), kinds[i].group != 0);
        }
    }
}

TEST(a_category_that_is_no_bitmask_is_warned_of)
{
    static const char *const same = "<surface><contact><collide_bitmask>6</collide_bitmask>"
                                    "<category_bitmask>0x6</category_bitmask></contact></surface>";
    static const char *const other = "<surface><contact><category_bitmask>4</category_bitmask>"
                                     "</contact></surface>";
    for (int k = 0; k < 2; ++k) {
        char text[4096];
        snprintf(text, sizeof text, BALLS, "", "", k == 0 ? same : other, "", "");
        test_env t;
        test_env_init(&t);
        pawl_model *model;
        CHECK_OK(pawl_model_parse(&t.env, "text.sdf", text, strlen(text), NULL, &model));
        CHECK_INT(t.messages[PAWL_LOG_WARNING], k);
        pawl_model_destroy(model);
        CHECK_NO_LEAK(&t);
    }
}

// SDFormat: two links of a model touch if either of them says so, and a link says what its model says
// unless it says otherwise. Where nothing is said they do not touch.
TEST(links_of_a_model_touch_as_they_say)
{
    static const char *const words[3] = {"", "<self_collide>true</self_collide>",
                                         "<self_collide>false</self_collide>"};
    for (int m = 0; m < 3; ++m) {
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) {
                bool by_model = m == 1;
                bool says_a = a == 0 ? by_model : a == 1, says_b = b == 0 ? by_model : b == 1;
                CHECK_INT(filters_touch(words[m], words[a], "", words[b], ""), says_a || says_b);
            }
        }
    }
}

TEST(links_of_different_models_touch_whatever_they_say)
{
#define MODEL(name, at)                                                                            \
    "<model name='" name "'><self_collide>false</self_collide><link name='l'><pose>" at            \
    " 0 0 0 0 0</pose>" INERTIAL "<collision name='c'><geometry><sphere><radius>1</radius>"        \
    "</sphere></geometry></collision></link></model>"
    CHECK(filters_contacts(HEAD "<world name='w'><gravity>0 0 0</gravity>" MODEL("a", "0")
                               MODEL("b", "1.9") "</world></sdf>") > 0);
    CHECK_INT(
        filters_contacts(HEAD "<world name='w'><gravity>0 0 0</gravity>" MODEL("a", "0") MODEL(
            "b", "1.9") "<pawl:exclude body_a='a::l' body_b='b::l'/></world></sdf>"),
        0);
}

TEST(pairs_that_are_excluded_do_not_touch)
{
    CHECK(!filters_touch(TOUCH "<pawl:exclude body_a='a' body_b='b'/>", "", "", "", ""));
    CHECK(!filters_touch(TOUCH
                         "<pawl:exclude><pawl:body_a>b</pawl:body_a><pawl:body_b>a</pawl:body_b>"
                         "</pawl:exclude>",
                         "", "", "", ""));
    CHECK(!filters_touch(TOUCH "<frame name='tip' attached_to='a'/><pawl:exclude body_a='tip' "
                               "body_b='b'/>",
                         "", "", "", ""));
    CHECK(filters_touch(TOUCH "<pawl:exclude body_a='a' body_b='world'/>", "", "", "", ""));
}

// A brick of points on a wedge of points: s = g (sin 30 - mu cos 30) t^2 / 2 with mu = 0.4, up to the
// first-order error a t dt / 2. The ghost ends on the plane, inside the wedge; the gem and its twin
// end as low as octahedra do, on a face: a / sqrt(3) above it.
TEST(the_model_of_hulls_does_what_it_says)
{
    test_env t;
    test_env_init(&t);
    pawl_model *model;
    CHECK_OK(pawl_model_load(&t.env, "models/primitives/hulls.sdf", NULL, &model));
    enum { GEM, TWIN, BRICK, GHOST };
    static const char *const names[] = {"gem", "twin", "brick", "ghost"};
    for (int b = 0; b < 4; ++b) {
        CHECK_INT(pawl_body_index(pawl_model_find_body(model, names[b])), b);
    }
    pawl_settings settings = pawl_settings_default();
    settings.dt = 1e-3;
    pawl_sim *sim;
    CHECK_OK(pawl_sim_create(&t.env, model, &settings, &sim));
    pawl_vec3 start =
        pawl_state_pose(pawl_sim_state(sim), pawl_model_body_at(pawl_sim_model(sim), BRICK))
            .position;
    for (int k = 1; k <= 1200; ++k) {
        CHECK_OK(pawl_sim_step(sim, NULL));
        for (int i = 0; i < pawl_sim_contact_count(sim); ++i) {
            pawl_contact_info c = pawl_sim_contact(sim, i);
            CHECK(!(pawl_body_index(c.body_a) == GEM && pawl_body_index(c.body_b) == TWIN) &&
                  !(pawl_body_index(c.body_a) == TWIN && pawl_body_index(c.body_b) == GEM));
            CHECK((pawl_body_index(c.body_a) != GHOST && pawl_body_index(c.body_b) != GHOST) ||
                  pawl_model_shape(model, c.shape_a).def.kind == PAWL_SHAPE_PLANE);
        }
        if (k == 400) {
            double a = 9.81 * (0.5 - 0.4 * sqrt(3.0) / 2.0), time = 0.4;
            pawl_vec3 displacement = v3_sub(
                pawl_state_pose(pawl_sim_state(sim), pawl_model_body_at(pawl_sim_model(sim), BRICK))
                    .position,
                start);
            CHECK_NEAR(v3_norm(displacement), 0.5 * a * time * time, a * time * settings.dt);
            CHECK_NEAR(displacement.z / displacement.x, -1.0 / sqrt(3.0), 1e-5);
        }
    }
    const pawl_state *s = pawl_sim_state(sim);
    CHECK_NEAR3(pawl_state_pose(s, pawl_model_body_at(pawl_state_model(s), GHOST)).position,
                v3(0.5, 0.0, 0.08), 1e-6);
    CHECK_NEAR(pawl_state_pose(s, pawl_model_body_at(pawl_state_model(s), GEM)).position.z,
               0.1 / sqrt(3.0), 1e-6);
    CHECK_NEAR(pawl_state_pose(s, pawl_model_body_at(pawl_state_model(s), TWIN)).position.z,
               0.1 / sqrt(3.0), 1e-6);
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}
