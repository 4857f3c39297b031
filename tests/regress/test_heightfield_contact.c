// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Shapes touch heightfields under every stepper. Heightfields were ground for contact points alone, and
// everything else fell through them, without a word. On flat fields, level or sloping, the answer is
// the motion on a plane, point for point; on rough ones it is that things come to rest and stay.
#include "collide/contact.h"
#include "pawl/io.h"
#include "pawl/wrench.h"
#include "sim/sim.h"
#include "support/random.h"
#include "support/scene.h"

#include <math.h>
#include <string.h>

enum { FIELD = 41, FIELD_KINDS = 6 };
static const double field_step = 0.1;
static const pawl_stepper_kind field_steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU,
                                                   PAWL_STEPPER_LIT, PAWL_STEPPER_RATTLE};
enum { FIELD_STEPPERS = sizeof field_steppers / sizeof field_steppers[0] };

static void field_begin(mechanism *m)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -SCENE_G));
}

// A field of 4 m x 4 m around the origin: a slope along x, bumps of this height, and noise.
static void field_ground(mechanism *m, double slope, double bump, double noise, double friction,
                         double restitution)
{
    static double heights[FIELD * FIELD];
    uint64_t seed = 5;
    for (int j = 0; j < FIELD; ++j) {
        for (int i = 0; i < FIELD; ++i) {
            double x = field_step * (i - FIELD / 2), y = field_step * (j - FIELD / 2);
            heights[j * FIELD + i] =
                slope * x + bump * sin(3.0 * x) * cos(2.5 * y) + random_in(&seed, -noise, noise);
        }
    }
    pawl_heightfield_def def = pawl_heightfield_def_default();
    def.x_count = def.y_count = FIELD;
    def.dx = def.dy = field_step;
    def.heights = heights;
    def.frame.position = v3(-field_step * (FIELD / 2), -field_step * (FIELD / 2), 0.0);
    def.surface.friction = friction;
    def.surface.restitution = restitution;
    CHECK_OK(pawl_builder_add_heightfield(m->builder, &def, NULL));
}

// The plane of the same slope.
static void field_plane(mechanism *m, double slope, double friction, double restitution)
{
    pawl_shape_def def = pawl_shape_def_default();
    def.kind = PAWL_SHAPE_PLANE;
    def.frame.orientation = pawl_quat_from_rpy(0.0, -atan(slope), 0.0);
    def.friction = friction;
    def.restitution = restitution;
    CHECK_OK(pawl_builder_add_shape(m->builder, PAWL_WORLD, &def, NULL));
}

// One body of a shape and 1 kg.
static pawl_body_id field_body(mechanism *m, pawl_shape_kind kind, pawl_pose pose, pawl_twist twist,
                               double friction, double restitution)
{
    static const pawl_vec3 points[] = {{0.12, 0, -0.06},
                                       {-0.1, 0.1, -0.06},
                                       {-0.1, -0.1, -0.06},
                                       {0.05, 0.05, 0.08},
                                       {-0.05, 0, 0.1}};
    pawl_body_def body = pawl_body_def_default();
    body.mass = 1.0;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 5e-3;
    body.pose = pose;
    body.twist = twist;
    pawl_body_id index = mechanism_body(m, &body);
    pawl_shape_def shape = pawl_shape_def_default();
    shape.kind = kind;
    shape.size = v3(0.12, 0.1, 0.08);
    shape.points = points;
    shape.point_count = sizeof points / sizeof points[0];
    shape.friction = friction;
    shape.restitution = restitution;
    CHECK_OK(pawl_builder_add_shape(m->builder, index, &shape, NULL));
    return index;
}

typedef struct field_case {
    pawl_shape_kind kind;
    double slope, friction, restitution, time, dt;
    pawl_pose pose;
    pawl_twist twist;
    pawl_stepper_kind stepper;
} field_case;

// The largest distance between the motions of a body on the field and on the plane.
static double field_against_plane(const field_case *c)
{
    mechanism m[2];
    pawl_body_id body = {0, 0};
    for (int k = 0; k < 2; ++k) {
        field_begin(&m[k]);
        if (k == 0) {
            field_ground(&m[k], c->slope, 0.0, 0.0, c->friction, c->restitution);
        } else {
            field_plane(&m[k], c->slope, c->friction, c->restitution);
        }
        body = field_body(&m[k], c->kind, c->pose, c->twist, c->friction, c->restitution);
        pawl_settings settings = scene_settings(c->dt);
        settings.stepper = c->stepper;
        settings.solver.tolerance = 1e-11;
        mechanism_start(&m[k], &settings);
    }
    double off = 0.0;
    while (mechanism_time(&m[0]) < c->time - 1e-9) {
        scene_step(&m[0]);
        scene_step(&m[1]);
        CHECK_INT(pawl_sim_contact_count(m[0].sim), pawl_sim_contact_count(m[1].sim));
        pawl_vec3 d =
            v3_sub(scene_position(&m[0], pawl_model_body_at(m[0].model, pawl_body_index(body))),
                   scene_position(&m[1], pawl_model_body_at(m[1].model, pawl_body_index(body))));
        off = fmax(off, v3_norm(d));
    }
    CHECK(scene_position(&m[0], pawl_model_body_at(m[0].model, pawl_body_index(body))).z > -1.0);
    mechanism_end(&m[0]);
    mechanism_end(&m[1]);
    return off;
}

TEST(a_ball_bounces_and_rolls_on_a_flat_field_as_on_a_plane)
{
    for (int s = 0; s < FIELD_STEPPERS; ++s) {
        field_case c = {.kind = PAWL_SHAPE_SPHERE,
                        .friction = 0.4,
                        .restitution = 0.5,
                        .time = 1.0,
                        .dt = 2e-3,
                        .pose = {v3(-0.73, 0.031, 0.3), pawl_quat_from_rpy(0, 0, 0)},
                        .twist = {v3(1.3, 0.37, 0.0), v3(0, 3, 1)},
                        .stepper = field_steppers[s]};
        CHECK_NEAR(field_against_plane(&c), 0.0, 1e-9);
        // down a slope, from rest on it
        c.slope = 0.25;
        c.restitution = 0.0;
        c.pose.position = v3(0.7, 0.031, 0.25 * 0.7 + 0.12 * sqrt(1.0 + 0.25 * 0.25));
        c.twist = (pawl_twist){v3(0, 0, 0), v3(0, 0, 0)};
        CHECK_NEAR(field_against_plane(&c), 0.0, 1e-9);
    }
}

// Nothing catches at the 40 inner edges that a sliding and turning box crosses.
TEST(a_box_slides_over_a_flat_field_as_over_a_plane)
{
    static const pawl_shape_kind kinds[] = {PAWL_SHAPE_BOX, PAWL_SHAPE_HULL};
    for (int s = 0; s < FIELD_STEPPERS; ++s) {
        for (int k = 0; k < 2; ++k) {
            field_case c = {
                .kind = kinds[k],
                .friction = 0.3,
                .time = 0.6,
                .dt = 2e-3,
                .pose = {v3(-0.73, 0.031, k == 0 ? 0.08 : 0.06), pawl_quat_from_rpy(0, 0, 0.3)},
                .twist = {v3(2.5, 0.7, 0.0), v3(0, 0, 2)},
                .stepper = field_steppers[s]};
            CHECK_NEAR(field_against_plane(&c), 0.0, 1e-6);
        }
    }
}

// Every shape comes to rest on rough ground and stays there.
TEST(all_shapes_rest_on_a_rough_field)
{
    static const pawl_shape_kind kinds[FIELD_KINDS] = {PAWL_SHAPE_SPHERE,    PAWL_SHAPE_BOX,
                                                       PAWL_SHAPE_CYLINDER,  PAWL_SHAPE_CAPSULE,
                                                       PAWL_SHAPE_ELLIPSOID, PAWL_SHAPE_HULL};
    for (int s = 0; s < FIELD_STEPPERS; ++s) {
        for (int k = 0; k < FIELD_KINDS; ++k) {
            mechanism m;
            field_begin(&m);
            field_ground(&m, 0.0, 0.05, 0.01, 0.8, 0.0);
            pawl_pose pose = {v3(-0.5, 0.1, 0.25), pawl_quat_from_rpy(0.1, 0.05, 0.3)};
            pawl_twist still = {v3(0, 0, 0), v3(0, 0, 0)};
            pawl_body_id body = field_body(&m, kinds[k], pose, still, 0.8, 0.0);
            pawl_settings settings = scene_settings(5e-3);
            settings.stepper = field_steppers[s];
            mechanism_start(&m, &settings);
            bool rolls = kinds[k] != PAWL_SHAPE_BOX && kinds[k] != PAWL_SHAPE_HULL;
            scene_run(&m, rolls ? 3.0 : 1.5);
            pawl_vec3 before = scene_position(&m, body);
            CHECK(fabs(before.z) < 0.3);
            scene_run(&m, rolls ? 3.5 : 2.0);
            if (!rolls) {
                CHECK_NEAR3(scene_position(&m, body), before, 1e-6);
            }
            CHECK(fabs(scene_position(&m, body).z) < 0.3);
            CHECK(m.verdict.penetration < 2e-3);
            CHECK_INT(m.verdict.tunnelled, 0);
            mechanism_end(&m);
        }
    }
}

// A heightfield that a file gives for contact points is ground for shapes, too, whatever groups these have.
TEST(a_heightfield_of_a_file_is_ground_for_every_stepper)
{
    static const char text[] =
        "<sdf version='1.10' xmlns:pawl='urn:pawl:sdf'><world name='w'><gravity>0 0 -9.81</gravity>"
        "<model name='m'><link name='a'><pose>0.3 0.4 0.6 0.2 0.1 0</pose><inertial><mass>2</mass>"
        "<inertia><ixx>.02</ixx><iyy>.02</iyy><izz>.02</izz></inertia></inertial><collision "
        "name='c'><geometry><capsule><radius>0.1</radius><length>0.2</length></capsule></geometry>"
        "<pawl:group>1</pawl:group><pawl:mask>2</pawl:mask></collision></link></model>"
        "<pawl:heightfield name='h' x_count='3' y_count='2' dx='0.5' dy='1' position='-0.1 0 0.1'>"
        "<pawl:friction>0.9</pawl:friction><pawl:heights>0 -0.1 0 0 -0.1 0</pawl:heights>"
        "</pawl:heightfield></world></sdf>";
    for (int s = 0; s < FIELD_STEPPERS; ++s) {
        mechanism m;
        mechanism_begin(&m);
        CHECK_OK(pawl_model_parse(&m.t.env, "text.sdf", text, strlen(text), NULL, &m.model));
        CHECK_INT(pawl_model_shape_count(m.model), 2);
        pawl_shape_info ground = pawl_model_shape(m.model, pawl_model_shape_at(m.model, 0));
        CHECK_INT(ground.def.kind, PAWL_SHAPE_HEIGHTFIELD);
        CHECK_NEAR(ground.def.friction, 0.9, 0.0);
        pawl_settings settings = scene_settings(2e-3);
        settings.stepper = field_steppers[s];
        mechanism_start(&m, &settings);
        scene_run(&m, 1.5);
        pawl_vec3 at = scene_position(&m, pawl_model_body_at(m.model, 0));
        CHECK(at.z > 0.05 && at.z < 0.4);
        CHECK(pawl_sim_contact_count(m.sim) > 0);
        mechanism_end(&m);
    }
}

// Started 0.3 m below the surface, bodies come up, and not at more than contact.max_push and what is needed
// to keep the balance: nothing is shot out.
TEST(what_starts_deep_under_the_surface_is_pushed_up)
{
    for (int k = 0; k < FIELD_KINDS; ++k) {
        mechanism m;
        field_begin(&m);
        field_ground(&m, 0.1, 0.03, 0.0, 0.5, 0.0);
        pawl_pose pose = {v3(0.1, 0.1, -0.3), pawl_quat_from_rpy(0.3, 0.2, 0.1)};
        pawl_twist still = {v3(0, 0, 0), v3(0, 0, 0)};
        pawl_body_id body =
            field_body(&m, (pawl_shape_kind)(k == 5 ? PAWL_SHAPE_HULL : k), pose, still, 0.5, 0.0);
        pawl_settings settings = scene_settings(2e-3);
        mechanism_start(&m, &settings);
        double fastest = 0.0;
        while (mechanism_time(&m) < 2.0) {
            scene_step(&m);
            fastest = fmax(fastest, scene_velocity(&m, body).z);
        }
        CHECK(scene_position(&m, body).z > -0.2);
        CHECK(fastest < 3.0);
        mechanism_end(&m);
    }
}

// As with planes: fast bodies are caught, or the step says that they got through. The judge is the path of the
// centre.
TEST(fast_bodies_do_not_get_through_a_field_unseen)
{
    static const double speeds[] = {10.0, 100.0, 1000.0};
    for (int s = 0; s < FIELD_STEPPERS; ++s) {
        for (int k = 0; k < 2 * 3; ++k) {
            mechanism m;
            mechanism_begin(&m); // no gravity
            field_ground(&m, 0.0, 0.05, 0.01, 0.5, 0.0);
            pawl_pose pose = {v3(0.31, 0.12, 1.2345), pawl_quat_from_rpy(0.3, 0.2, 0.1)};
            pawl_twist twist = {v3(0, 0, -speeds[k / 2]), v3(0, 0, 0)};
            pawl_shape_kind kind = k % 2 == 0 ? PAWL_SHAPE_SPHERE : PAWL_SHAPE_BOX;
            pawl_body_id body = field_body(&m, kind, pose, twist, 0.5, 0.0);
            pawl_settings settings = scene_settings(5e-3);
            settings.stepper = field_steppers[s];
            mechanism_start(&m, &settings);
            bool through = false;
            while (mechanism_time(&m) < 0.2) {
                scene_step(&m);
                through = through || scene_position(&m, body).z < -0.3;
            }
            CHECK(!through || m.verdict.tunnelled > 0);
            CHECK(!through || field_steppers[s] != PAWL_STEPPER_EULER);
            mechanism_end(&m);
        }
    }
}

// A slab on rough ground has dozens of contacts. Each has an id of its own: with 12 bits for the feature some
// of them would share one, and with it a warm start.
TEST(contacts_of_one_pair_have_different_ids)
{
    uint64_t seed = 8;
    mechanism m;
    field_begin(&m);
    field_ground(&m, 0.0, 0.0, 0.01, 0.5, 0.0);
    scene_box_at(&m, 1.0, v3(3, 3, 0.2), v3(0, 0, 0.11), 0.5);
    pawl_settings settings = scene_settings(2e-3);
    mechanism_start(&m, &settings);
    contact_finder *finder = m.sim->context.finder;
    CHECK_OK(pawl_contact_finder_grow(finder, 256));
    int most = 0;
    for (int trial = 0; trial < 200; ++trial) {
        body_state body = mechanism_state(&m)->bodies[0];
        body.r = v3(random_in(&seed, -0.3, 0.3), random_in(&seed, -0.3, 0.3), 0.11);
        body.q = pawl_quat_from_rpy(0, 0, random_in(&seed, -3.0, 3.0));
        int count = pawl_contact_finder_find(finder, &body, 2e-3, 0.0);
        const pawl_contact *contacts = pawl_contact_finder_contacts(finder);
        for (int k = 1; k < count; ++k) {
            CHECK(contacts[k].id > contacts[k - 1].id);
            CHECK_NEAR(pawl_contact_pair(contacts[k].id), pawl_contact_pair(contacts[0].id), 0.0);
        }
        most = count > most ? count : most;
    }
    CHECK(most > 20);
    mechanism_end(&m);
}
