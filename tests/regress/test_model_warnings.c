// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Warnings about models that can be simulated but are probably not what was meant: each kind is found
// on variations of a mistake, and not on the same model without it.
#include "math/rotation.h"
#include "pawl/check.h"
#include "support/scene.h"
#include <stdio.h>

// The warnings of a kind; *first is a copy of the first one's `where` and text.
static int warnings_of(const mechanism *m, pawl_warning_kind kind, char first[512])
{
    pawl_check *check;
    int count = 0;
    first[0] = '\0';
    CHECK_OK(pawl_check_model(&m->t.env, m->model, &check));
    for (int i = 0; i < check->warning_count; ++i) {
        const pawl_warning *w = &check->warnings[i];
        CHECK(w->where[0] != '\0' && w->text[0] != '\0' && w->advice[0] != '\0');
        if (w->kind == kind) {
            if (count++ == 0) {
                snprintf(first, 512, "%s: %s", w->where, w->text);
            }
        }
    }
    pawl_check_destroy(check);
    return count;
}

static int warnings_count(mechanism *m, pawl_warning_kind kind)
{
    char first[512];
    mechanism_compile(m);
    return warnings_of(m, kind, first);
}

TEST(every_kind_of_warning_has_a_name)
{
    for (int i = 0; i < PAWL_WARNING_KIND_COUNT; ++i) {
        const char *name = pawl_warning_kind_name((pawl_warning_kind)i);
        CHECK(name != NULL && name[0] != '\0');
    }
    CHECK(pawl_warning_kind_name(PAWL_WARNING_KIND_COUNT) == NULL);
    CHECK(pawl_warning_kind_name((pawl_warning_kind)-1) == NULL);
}

// Principal moments 1, 1, 3: 3 > 1 + 1, no mass distribution has them. 1, 1, 2 is a thin plate.
TEST(an_inertia_that_breaks_the_triangle_inequality_is_warned_of)
{
    for (int axis = 0; axis < 3; ++axis) {
        for (int plate = 0; plate < 2; ++plate) {
            mechanism m;
            mechanism_begin(&m);
            double moment[3] = {1.0, 1.0, 1.0};
            moment[axis] = plate ? 2.0 : 3.0;
            mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(moment[0], moment[1], moment[2]));
            CHECK_INT(warnings_count(&m, PAWL_WARNING_INERTIA), plate ? 0 : 1);
            mechanism_end(&m);
        }
    }
}

// A solid box has trace(I)/2 = m (a^2 + b^2 + c^2)/12; the same figure in kg mm^2 is 1e6 times that.
TEST(an_inertia_in_the_wrong_unit_is_warned_of)
{
    const double scale[] = {1e-6, 1e-5, 0.1, 1.0, 3.0, 1e3, 1e6};
    const int expected[] = {1, 1, 0, 0, 0, 1, 1};
    for (size_t i = 0; i < sizeof scale / sizeof scale[0]; ++i) {
        for (int size = -2; size <= 2; ++size) {
            mechanism m;
            mechanism_begin(&m);
            double a = pow(10.0, size), k = scale[i] * 5.0 * a * a / 12.0;
            pawl_body_id body = mechanism_solid(
                &m, 5.0, v3(0, 0, 0), v3(k * (0.09 + 0.25), k * (1.0 + 0.25), k * (1.0 + 0.09)));
            scene_shape(&m, body, PAWL_SHAPE_BOX, v3(0.5 * a, 0.15 * a, 0.25 * a), v3(0, 0, 0), 0.5,
                        0.0);
            CHECK_INT(warnings_count(&m, PAWL_WARNING_INERTIA), expected[i]);
            mechanism_end(&m);
        }
    }
}

// A link without shapes whose inertia is in kg mm^2, in an arm of 0.2 m and in one of 20 m.
TEST(an_inertia_in_the_wrong_unit_is_warned_of_without_shapes)
{
    for (int i = 0; i < 3; ++i) {
        mechanism m;
        mechanism_begin(&m);
        double arm = i == 2 ? 20.0 : 0.2, k = i == 0 ? 1e-3 : 1e3;
        pawl_body_id body = mechanism_solid(&m, 0.5, v3(arm, 0, 0), v3(k, k, k));
        mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, body, v3(0, 0, 0), v3(0, 1, 0));
        CHECK_INT(warnings_count(&m, PAWL_WARNING_INERTIA), i == 1 ? 1 : 0);
        mechanism_end(&m);
    }
}

// ---- masses ---------------------------------------------------------------------------------------

// A steel rod of 0.2 m weighs 0.5 kg; 500 would be grams. A ball of that radius may weigh so much.
TEST(masses_in_grams_are_warned_of)
{
    const double mass[] = {0.5, 50.0, 500.0};
    for (int i = 0; i < 6; ++i) {
        mechanism m;
        mechanism_begin(&m);
        double k = mass[i / 2], radius = i % 2 ? 0.1 : 0.01;
        pawl_body_id body = mechanism_solid(&m, k, v3(0, 0, 0), v3(3e-3 * k, 3e-3 * k, 1e-3 * k));
        scene_shape(&m, body, PAWL_SHAPE_CYLINDER, v3(radius, radius, 0.1), v3(0, 0, 0), 0.5, 0.0);
        CHECK_INT(warnings_count(&m, PAWL_WARNING_MASS_UNIT), i == 4 ? 1 : 0);
        mechanism_end(&m);
    }
}

// A box of 0.1 x 0.2 x 0.4 m has 8e-3 m^3 and Ixx = m (0.2^2 + 0.4^2)/12. The mass counts, the inertia
// is that of the shape unless it is given, and a density alone is nothing to warn of.
TEST(a_mass_counts_before_a_density_and_a_warning_says_so)
{
    for (int given = 0; given < 4; ++given) { // bit 0: a mass, bit 1: an inertia
        mechanism m;
        mechanism_begin(&m);
        pawl_body_def def = pawl_body_def_default();
        def.density = 1000.0;
        def.mass = (given & 1) != 0 ? 3.0 : 0.0;
        for (int k = 0; k < 3 && (given & 2) != 0; ++k) {
            def.inertia[k] = 0.5;
        }
        pawl_body_id body = mechanism_body(&m, &def);
        scene_shape(&m, body, PAWL_SHAPE_BOX, v3(0.05, 0.1, 0.2), v3(0, 0, 0), 0.5, 0.0);
        CHECK_INT(warnings_count(&m, PAWL_WARNING_TWO_MASSES), given & 1);
        pawl_body_info info = pawl_model_body(m.model, body);
        double mass = (given & 1) != 0 ? 3.0 : 8.0;
        CHECK_NEAR(info.mass, mass, 1e-14);
        CHECK_NEAR(info.inertia[0], given == 3 ? 0.5 : mass * 0.2 / 12.0, 1e-14);
        mechanism_end(&m);
    }
}

// ---- units ----------------------------------------------------------------------------------------

// A crank and a rod of aluminium, scaled: as it is, in millimetres with its masses kept (as exporters
// leave it), scaled down twice, and without shapes, where only the joints tell.
TEST(a_model_in_millimetres_is_warned_of)
{
    const double scale[] = {1.0, 0.1, 3.0, 1000.0, 100.0, 1e-3, 1e-4};
    const int expected[] = {0, 0, 0, 1, 1, 1, 1};
    for (size_t i = 0; i < sizeof scale / sizeof scale[0]; ++i) {
        for (int shapes = 0; shapes < 2; ++shapes) {
            mechanism m;
            mechanism_begin(&m);
            double s = scale[i];
            pawl_body_id crank = mechanism_solid(&m, 0.3, v3(0.25 * s, 0, 0), v3(1e-3, 1e-3, 1e-3));
            pawl_body_id rod = mechanism_solid(&m, 0.9, v3(1.25 * s, 0, 0), v3(1e-2, 1e-2, 1e-2));
            mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, crank, v3(0, 0, 0), v3(0, 1, 0));
            pawl_joint_def joint = mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE, crank, rod,
                                                       v3(0.5 * s, 0, 0), v3(0, 1, 0));
            mechanism_joint(&m, &joint);
            if (shapes > 0) {
                pawl_vec3 half = v3(0.75 * s, 0.01 * s, 0.02 * s);
                scene_shape(&m, rod, PAWL_SHAPE_BOX, half, v3(0, 0, 0), 0.5, 0.0);
            }
            bool reported = expected[i] > 0 && (shapes > 0 || s != 100.0 || 0.75 * s > 50.0);
            CHECK_INT(warnings_count(&m, PAWL_WARNING_LENGTH_UNIT), reported ? 1 : 0);
            mechanism_end(&m);
        }
    }
}

// 0.2 kg over 15 m without shapes; a pendulum of 20 m that weighs 5 kg is meant.
TEST(long_bodies_that_weigh_nothing_are_warned_of)
{
    for (int i = 0; i < 2; ++i) {
        mechanism m;
        mechanism_begin(&m);
        double reach = i == 0 ? 15.0 : 20.0;
        pawl_body_id body = mechanism_solid(&m, i == 0 ? 0.2 : 5.0, v3(reach, 0, 0), v3(9, 9, 9));
        mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, body, v3(0, 0, 0), v3(0, 1, 0));
        CHECK_INT(warnings_count(&m, PAWL_WARNING_LENGTH_UNIT), i == 0 ? 1 : 0);
        mechanism_end(&m);
    }
}

TEST(gravity_in_millimetres_is_warned_of)
{
    const double g[] = {1.62, 9.81, 25.0, 9810.0};
    for (int i = 0; i < 4; ++i) {
        mechanism m;
        mechanism_begin(&m);
        pawl_builder_set_gravity(m.builder, v3(0, 0, -g[i]));
        mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(1, 1, 1));
        CHECK_INT(warnings_count(&m, PAWL_WARNING_LENGTH_UNIT), i == 3 ? 1 : 0);
        mechanism_end(&m);
    }
}

TEST(a_model_of_a_thousand_tonnes_is_warned_of)
{
    const double mass[] = {1e-3, 1.0, 4e4, 2e6, 1e9};
    for (int i = 0; i < 5; ++i) {
        mechanism m;
        mechanism_begin(&m);
        double k = mass[i];
        mechanism_solid(&m, k, v3(0, 0, 0), v3(k, k, k));
        mechanism_solid(&m, k, v3(1, 0, 0), v3(k, k, k));
        CHECK_INT(warnings_count(&m, PAWL_WARNING_MASS_UNIT), i >= 3 ? 1 : 0);
        mechanism_end(&m);
    }
}

// ---- angles ---------------------------------------------------------------------------------------

TEST(limits_that_look_like_degrees_are_warned_of)
{
    static const struct {
        double lower, upper;
        bool degrees;
    } rows[] = {
        {-90.0, 90.0, true},          {0.0, 180.0, true},         {-45.0, INFINITY, true},
        {-180.0, 180.0, true},        {-INFINITY, 30.0, true},    {-15.0, 120.0, true},
        {-1.5708, 1.5708, false},     {-3.0, 3.0, false},         {-6.2832, 6.2832, false},
        {-INFINITY, INFINITY, false}, {-100.0, 100.0, false},     {-1e16, 1e16, false},
        {-12.566, 12.566, false},     {0.0, 37.699111843, false}, {-10.0, 10.0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        static const pawl_joint_kind kinds[] = {PAWL_JOINT_REVOLUTE, PAWL_JOINT_PRISMATIC};
        for (int k = 0; k < 2; ++k) {
            mechanism m;
            mechanism_begin(&m);
            pawl_body_id body = mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(1, 1, 1));
            pawl_joint_def def =
                mechanism_joint_def(&m, kinds[k], PAWL_WORLD, body, v3(0, 0, 0), v3(0, 0, 1));
            def.coordinate[0].lower = rows[i].lower;
            def.coordinate[0].upper = rows[i].upper;
            mechanism_joint(&m, &def);
            CHECK_INT(warnings_count(&m, PAWL_WARNING_DEGREES), k == 0 && rows[i].degrees ? 1 : 0);
            mechanism_end(&m);
        }
    }
}

TEST(rests_and_targets_that_look_like_degrees_are_warned_of)
{
    for (int what = 0; what < 4; ++what) { // bit 0: degrees, bit 1: a target
        mechanism m;
        mechanism_begin(&m);
        pawl_body_id body = mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(1, 1, 1));
        pawl_joint_def def = mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE, PAWL_WORLD, body,
                                                 v3(0, 0, 0), v3(0, 0, 1));
        double angle = (what & 1) != 0 ? -60.0 : -1.0471975512;
        if ((what & 2) == 0) {
            def.coordinate[0].stiffness = 5.0;
            def.coordinate[0].rest = angle;
        }
        pawl_joint_id joint = mechanism_joint(&m, &def);
        if ((what & 2) != 0) {
            pawl_actuator_def actuator = pawl_actuator_def_default();
            actuator.kind = PAWL_ACTUATOR_POSITION;
            actuator.joint = joint;
            actuator.stiffness = 10.0;
            actuator.target = pawl_signal_constant(angle);
            mechanism_actuator(&m, &actuator);
        }
        CHECK_INT(warnings_count(&m, PAWL_WARNING_DEGREES), what & 1);
        mechanism_end(&m);
    }
}

// ---- joints ---------------------------------------------------------------------------------------

TEST(joints_without_room_between_their_limits_are_warned_of)
{
    const double lower[] = {0.0, -0.3, 0.0, -1.0}, upper[] = {0.0, -0.3, 1e-3, 1.0};
    for (int i = 0; i < 4; ++i) {
        mechanism m;
        mechanism_begin(&m);
        pawl_body_id body = mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(1, 1, 1));
        pawl_joint_def def = mechanism_joint_def(&m, PAWL_JOINT_CYLINDRICAL, PAWL_WORLD, body,
                                                 v3(0, 0, 0), v3(0, 0, 1));
        def.coordinate[1].lower = lower[i];
        def.coordinate[1].upper = upper[i];
        mechanism_joint(&m, &def);
        CHECK_INT(warnings_count(&m, PAWL_WARNING_LOCKED_JOINT), i < 2 ? 1 : 0);
        mechanism_end(&m);
    }
}

// A door with two hinges, in any attitude: the second is off the first one's axis by a distance or by
// an angle. The door frame is the world, or a body that is fixed to it.
TEST(hinges_nearly_on_one_axis_are_warned_of)
{
    const double off[] = {0.0, 1e-12, 1e-8, 1e-5, 1e-4, 1e-3, 0.3};
    const int expected[] = {0, 0, 0, 1, 1, 1, 0};
    for (size_t i = 0; i < sizeof off / sizeof off[0]; ++i) {
        for (int how = 0; how < 8; ++how) { // bit 0: by an angle, bit 1: in a frame, bit 2: slides
            bool by_angle = (how & 1) != 0, framed = (how & 2) != 0, slides = (how & 4) != 0;
            if (slides && !by_angle) {
                continue; // slides know no offset
            }
            mechanism m;
            mechanism_begin(&m);
            pawl_vec3 axis = v3(0.36, 0.48, 0.8), across = v3(-0.8, 0.6, 0.0);
            pawl_body_id frame = PAWL_WORLD;
            if (framed) {
                frame = mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(1, 1, 1));
                mechanism_world_joint(&m, PAWL_JOINT_FIXED, frame, v3(0, 0, 0), v3(1, 0, 0));
            }
            pawl_body_id door = mechanism_solid(&m, 8.0, across, v3(1, 1, 1));
            for (int k = 0; k < 2; ++k) {
                bool second = k > 0;
                pawl_vec3 at = v3_scale(second ? 0.7 : -0.7, axis), along = axis;
                at = v3_axpy(at, second && !by_angle ? off[i] : 0.0, across);
                along = v3_axpy(along, second && by_angle ? off[i] : 0.0, across);
                pawl_joint_def def =
                    mechanism_joint_def(&m, slides ? PAWL_JOINT_PRISMATIC : PAWL_JOINT_REVOLUTE,
                                        second ? PAWL_WORLD : frame, door, at, along);
                mechanism_joint(&m, &def);
            }
            CHECK_INT(warnings_count(&m, PAWL_WARNING_NEARLY_COAXIAL), expected[i]);
            mechanism_end(&m);
        }
    }
}

// Two hinges of a door, 1.4 m apart: a skew of a few mm may be meant or not; one of 0.3 m surely is, and one of
// 1e-6 m is taken for an accident.
TEST(a_loop_that_is_nearly_redundant_is_reported)
{
    const double off[] = {1e-6, 5e-3, 1e-2, 0.3};
    const int expected[] = {0, 1, 1, 0};
    for (int i = 0; i < 4; ++i) {
        mechanism m;
        mechanism_begin(&m);
        pawl_body_id door = mechanism_solid(&m, 8.0, v3(0.5, 0, 0), v3(1, 1, 1));
        mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, door, v3(0, 0, -0.7), v3(0, 0, 1));
        mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, door, v3(off[i], 0, 0.7), v3(0, 0, 1));
        CHECK_INT(warnings_count(&m, PAWL_WARNING_NEARLY_REDUNDANT), expected[i]);
        mechanism_end(&m);
    }
}

static void prescribe(mechanism *m, pawl_joint_id joint, double amplitude)
{
    pawl_motion_def motion = pawl_motion_def_default();
    motion.joint = joint;
    motion.target =
        (pawl_signal){.kind = PAWL_SIGNAL_SINUSOID, .amplitude = amplitude, .frequency = 3.0};
    mechanism_motion(m, &motion);
}

// Limits of 0.3 and motions of +-0.2, +-0.3 and +-0.4 rad.
TEST(a_motion_beyond_the_limits_of_its_joint_is_warned_of)
{
    const double amplitude[] = {0.2, 0.3, -0.4, 0.4};
    const int expected[] = {0, 0, 1, 1};
    for (int i = 0; i < 4; ++i) {
        mechanism m;
        mechanism_begin(&m);
        pawl_body_id arm = mechanism_solid(&m, 1.0, v3(0.5, 0, 0), v3(1, 1, 1));
        pawl_joint_def hinge =
            mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE, PAWL_WORLD, arm, v3(0, 0, 0), v3(0, 1, 0));
        hinge.coordinate[0].lower = -0.3;
        hinge.coordinate[0].upper = 0.3;
        prescribe(&m, mechanism_joint(&m, &hinge), amplitude[i]);
        CHECK_INT(warnings_count(&m, PAWL_WARNING_MOTION), expected[i]);
        mechanism_end(&m);
    }
}

// Two shafts with a gear of ratio 2, both prescribed: they agree only where one turns twice as far. A shaft alone is free.
TEST(motions_that_a_gear_contradicts_are_warned_of)
{
    const double first[] = {0.6, 0.3, 0.6000001, 0.0}, second[] = {0.3, 0.3, 0.3, 0.3};
    const int expected[] = {0, 1, 0, 1};
    for (int i = 0; i < 5; ++i) {
        mechanism m;
        mechanism_begin(&m);
        pawl_joint_id shaft[2];
        for (int k = 0; k < 2; ++k) {
            pawl_body_id body = mechanism_solid(&m, 1.0, v3(k, 0, 0), v3(1, 1, 1));
            shaft[k] =
                mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, body, v3(k, 0, 0), v3(0, 1, 0));
        }
        pawl_gear_def gear = pawl_gear_def_default();
        gear.joint = shaft[0];
        gear.source_joint = shaft[1];
        gear.ratio = 2.0;
        mechanism_gear(&m, &gear);
        prescribe(&m, shaft[1], i < 4 ? second[i] : 0.3);
        if (i < 4) {
            prescribe(&m, shaft[0], first[i]);
        }
        CHECK_INT(warnings_count(&m, PAWL_WARNING_MOTION), i < 4 ? expected[i] : 0);
        mechanism_end(&m);
    }
}

// A folding rule: parallel hinges between different pairs of bodies are what they are.
TEST(parallel_hinges_of_a_chain_are_no_reason_to_warn)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_id last = PAWL_WORLD;
    for (int i = 0; i < 5; ++i) {
        pawl_body_id body = mechanism_solid(&m, 1.0, v3(i + 0.5, 0, 0), v3(1, 1, 1));
        pawl_joint_def def = mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE, last, body, v3(i, 0, 0),
                                                 v3(1e-5 * i, 0, 1));
        mechanism_joint(&m, &def);
        last = body;
    }
    CHECK_INT(warnings_count(&m, PAWL_WARNING_NEARLY_COAXIAL), 0);
    mechanism_end(&m);
}

// ---- what falls -----------------------------------------------------------------------------------

typedef enum falls_case {
    FALLS_ALONE,      // nothing there
    FALLS_NO_SHAPE,   // a ground, but the body has no shape
    FALLS_DRAWN,      // its shape is only drawn
    FALLS_MASKED,     // groups keep it from the ground
    FALLS_EXCLUDED,   // and so does an exclusion
    FALLS_FREE_JOINT, // a joint that holds nothing
    FALLS_PAIR,       // two joined to each other
    HELD_FLOATS,      // no gravity for this body
    HELD_GROUND,      // a ground that it can touch
    HELD_JOINT,       // a hinge on the world
    HELD_SPRING,      // hangs on a spring
    HELD_THRUST,      // a force acts on it
    HELD_STACK,       // touches only a body that touches the ground
    HELD_KINEMATIC,   // lies on a body that moves by a function of time
    FALLS_CASE_COUNT
} falls_case;

static pawl_body_id falls_build(mechanism *m, falls_case which)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -9.81));
    pawl_body_def def = pawl_body_def_default();
    def.mass = 1.0;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.01;
    def.pose.position = v3(0, 0, 1);
    def.gravity_scale = which == HELD_FLOATS ? 0.0 : 1.0;
    pawl_body_id body = mechanism_body(m, &def);
    pawl_shape_def shape = pawl_shape_def_default();
    shape.kind = PAWL_SHAPE_SPHERE;
    shape.visual_only = which == FALLS_DRAWN;
    shape.mask = which == FALLS_MASKED || which == HELD_STACK ? 2 : UINT32_MAX;
    if (which != FALLS_NO_SHAPE) {
        CHECK_OK(pawl_builder_add_shape(m->builder, body, &shape, NULL));
    }
    bool ground = which == FALLS_NO_SHAPE || which == FALLS_DRAWN || which == FALLS_MASKED ||
                  which == FALLS_EXCLUDED || which == HELD_GROUND || which == HELD_STACK;
    if (ground) {
        scene_shape(m, PAWL_WORLD, PAWL_SHAPE_PLANE, v3(0, 0, 0), v3(0, 0, 0), 0.5, 0.0);
    }
    if (which == FALLS_EXCLUDED) {
        CHECK_OK(pawl_builder_exclude(m->builder, body, PAWL_WORLD));
    }
    if (which == FALLS_FREE_JOINT || which == HELD_JOINT) {
        mechanism_world_joint(m, which == HELD_JOINT ? PAWL_JOINT_REVOLUTE : PAWL_JOINT_FREE, body,
                              v3(0, 0, 1), v3(1, 0, 0));
    }
    if (which == FALLS_PAIR || which == HELD_STACK) {
        def.pose.position = v3(1, 0, 1);
        pawl_body_id other = mechanism_body(m, &def);
        shape.mask = UINT32_MAX;
        shape.group = which == HELD_STACK ? 3 : 1;
        CHECK_OK(pawl_builder_add_shape(m->builder, other, &shape, NULL));
        if (which == FALLS_PAIR) {
            pawl_joint_def joint = mechanism_joint_def(m, PAWL_JOINT_SPHERICAL, body, other,
                                                       v3(0.5, 0, 1), v3(1, 0, 0));
            mechanism_joint(m, &joint);
        }
    }
    if (which == HELD_SPRING) {
        pawl_spring_def spring = pawl_spring_def_default();
        spring.body_b = body;
        spring.stiffness = 10.0;
        mechanism_spring(m, &spring);
    }
    if (which == HELD_THRUST) {
        pawl_force_def force = pawl_force_def_default();
        force.body = body;
        force.force[2] = pawl_signal_constant(9.81);
        mechanism_force(m, &force);
    }
    if (which == HELD_KINEMATIC) {
        pawl_body_def lift = pawl_body_def_default();
        lift.kind = PAWL_BODY_KINEMATIC;
        lift.motion[2] =
            (pawl_signal){.kind = PAWL_SIGNAL_SINUSOID, .amplitude = 0.1, .frequency = 1};
        pawl_body_id platform = mechanism_body(m, &lift);
        scene_shape(m, platform, PAWL_SHAPE_BOX, v3(1, 1, 0.1), v3(0, 0, 0), 0.5, 0.0);
    }
    return body;
}

TEST(bodies_that_nothing_can_hold_are_warned_of)
{
    for (int which = 0; which < FALLS_CASE_COUNT; ++which) {
        mechanism m;
        falls_build(&m, (falls_case)which);
        int expected = which < HELD_FLOATS ? 1 : 0;
        CHECK_INT(warnings_count(&m, PAWL_WARNING_FALLS), expected);
        mechanism_end(&m);
    }
}

TEST(nothing_falls_without_gravity)
{
    mechanism m;
    falls_build(&m, FALLS_PAIR);
    pawl_builder_set_gravity(m.builder, v3(0, 0, 0));
    CHECK_INT(warnings_count(&m, PAWL_WARNING_FALLS), 0);
    mechanism_end(&m);
}

// ---- the list -------------------------------------------------------------------------------------

// What the source of a model has to say stays with the model, in its order, and is not part of its hash.
TEST(warnings_of_the_source_stay_with_the_model)
{
    mechanism m;
    mechanism_begin(&m);
    mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(1, 1, 1));
    pawl_model *silent;
    CHECK_OK(pawl_builder_compile(m.builder, &silent));
    const pawl_warning given[] = {
        {PAWL_WARNING_DEGREES, "arm.sdf:3", "a yaw of 90 rad", "write 1.57"},
        {PAWL_WARNING_TWO_MASSES, "arm.sdf:5", "two", "one"}};
    for (int i = 0; i < 2; ++i) {
        CHECK_OK(pawl_builder_add_warning(m.builder, &given[i]));
    }
    pawl_warning bad = {.kind = PAWL_WARNING_KIND_COUNT};
    CHECK_STATUS(pawl_builder_add_warning(m.builder, &bad), PAWL_BAD_ARGUMENT);
    mechanism_compile(&m);
    CHECK(pawl_model_hash(m.model) == pawl_model_hash(silent));
    CHECK_INT(pawl_model_warning_count(silent), 0);
    CHECK_INT(pawl_model_warning_count(m.model), 2);
    for (int i = 0; i < 2; ++i) {
        pawl_warning kept = pawl_model_warning(m.model, i);
        CHECK_INT(kept.kind, given[i].kind);
        CHECK_TEXT(kept.where, given[i].where);
        CHECK_TEXT(kept.text, given[i].text);
        CHECK_TEXT(kept.advice, given[i].advice);
    }
    char first[512];
    CHECK_INT(warnings_of(&m, PAWL_WARNING_DEGREES, first), 1);
    CHECK_TEXT(first, "arm.sdf:3: a yaw of 90 rad");
    pawl_model_destroy(silent);
    mechanism_end(&m);
}

static pawl_status warnings_make(const pawl_env *env, void *model)
{
    pawl_check *check;
    pawl_status status = pawl_check_model(env, model, &check);
    pawl_check_destroy(check);
    return status;
}

TEST(warnings_survive_a_lack_of_memory)
{
    mechanism m;
    falls_build(&m, FALLS_PAIR);
    mechanism_compile(&m);
    CHECK_SURVIVES_NO_MEMORY(warnings_make, m.model);
    mechanism_end(&m);
}
