// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reduction of planar patches against the definition of a convex hull, by brute force, and against the
// forces of the patch that is not reduced.
#include "collide/patch_reduce.h"
#include "support/mechanism.h"
#include "support/random.h"
#include <math.h>
#include <string.h>

enum { PATCH_MOST = 400 };

typedef struct patch_scene {
    test_env t;
    patch_reducer *reducer;
    pawl_contact all[PATCH_MOST], kept[PATCH_MOST];
    int count, kept_count;
} patch_scene;

static void patch_begin(patch_scene *s)
{
    test_env_init(&s->t);
    CHECK_OK(pawl_patch_reducer_create(&s->t.env, PATCH_MOST, &s->reducer));
    s->count = 0;
}

static void patch_end(patch_scene *s)
{
    pawl_patch_reducer_destroy(s->reducer);
    CHECK_NO_LEAK(&s->t);
}

// A contact at u, v of a plane in a pose; the gap is a linear function with these slopes.
static void patch_add(patch_scene *s, pawl_pose pose, double u, double v, const double gap[3])
{
    pawl_contact c = {.body_a = 0, .body_b = 1, .friction = 0.5, .id = s->count};
    c.normal = pawl_quat_rotate(pose.orientation, v3(0, 0, 1));
    c.gap = gap[0] + gap[1] * u + gap[2] * v;
    // in the middle between the surfaces, the lower of which is flat
    c.position = pawl_pose_apply(pose, v3(u, v, 0.5 * c.gap));
    s->all[s->count++] = c;
}

static void patch_run(patch_scene *s, int most)
{
    memcpy(s->kept, s->all, sizeof s->all);
    int64_t calls = s->t.calls;
    s->kept_count = pawl_patch_reduce(s->reducer, s->kept, s->count, most);
    CHECK_INT(s->t.calls, calls);
    for (int k = 1; k < s->kept_count; ++k) {
        CHECK(s->kept[k].id > s->kept[k - 1].id);
    }
}

// How far p is outside of the convex hull of the kept points, seen along the normal: the largest, over all
// directions that are normal to a pair of kept points, of p's lead over all of them.
static double patch_outside(const patch_scene *s, pawl_vec3 p)
{
    double worst = -INFINITY;
    pawl_vec3 n = s->kept[0].normal;
    for (int i = 0; i < s->kept_count; ++i) {
        for (int j = 0; j < s->kept_count; ++j) {
            pawl_vec3 side = v3_cross(v3_sub(s->kept[j].position, s->kept[i].position), n);
            if (i == j || v3_norm(side) < 1e-9) {
                continue;
            }
            side = v3_scale(1.0 / v3_norm(side), side);
            double reach = -INFINITY;
            for (int k = 0; k < s->kept_count; ++k) {
                reach = fmax(reach, v3_dot(side, s->kept[k].position));
            }
            worst = fmax(worst, v3_dot(side, p) - reach);
        }
    }
    return worst;
}

// Definition: what is left out lies in the hull of what stays, and of what stays nothing lies in the hull of
// the others.
TEST(the_corners_of_the_convex_hull_stay_and_nothing_else)
{
    uint64_t seed = 21;
    patch_scene s;
    patch_begin(&s);
    for (int n = 0; n < 200; ++n) {
        s.count = 0;
        pawl_pose pose = random_pose(&seed, 2.0);
        const double gap[3] = {random_in(&seed, -1e-3, 1e-3), random_in(&seed, -1e-2, 1e-2),
                               random_in(&seed, -1e-2, 1e-2)};
        int count = 4 + random_index(&seed, 60);
        for (int i = 0; i < count; ++i) {
            double u = random_in(&seed, -1, 1), v = random_in(&seed, -0.2, 0.2);
            patch_add(&s, pose, u, v, gap);
        }
        patch_run(&s, 0);
        CHECK(s.kept_count >= 3 && s.kept_count <= s.count);
        for (int i = 0; i < s.count; ++i) {
            CHECK(patch_outside(&s, s.all[i].position) <= 3e-6);
        }
        patch_scene rest = s;
        for (int k = 0; k < s.kept_count; ++k) {
            rest.kept_count = s.kept_count - 1;
            memcpy(rest.kept, s.kept, sizeof s.kept);
            rest.kept[k] = s.kept[s.kept_count - 1];
            CHECK(s.kept_count <= 3 || patch_outside(&rest, s.kept[k].position) > 0.0);
        }
        int once = s.kept_count;
        memcpy(s.all, s.kept, sizeof s.all);
        s.count = once;
        patch_run(&s, 0);
        CHECK_INT(s.kept_count, once);
    }
    patch_end(&s);
}

TEST(grids_lines_and_heaps_keep_their_ends)
{
    static const double level[3] = {-1e-4, 0.0, 0.0};
    patch_scene s;
    patch_begin(&s);
    uint64_t seed = 2;
    for (int n = 0; n < 50; ++n) {
        pawl_pose pose = random_pose(&seed, 1.0);
        s.count = 0;
        for (int i = 0; i < 100; ++i) {
            patch_add(&s, pose, 0.1 * (i % 10), 0.1 * (i / 10), level);
        }
        patch_run(&s, 0);
        CHECK_INT(s.kept_count, 4);
        s.count = 0;
        for (int i = 0; i < 10; ++i) {
            patch_add(&s, pose, 0.1 * ((7 * i) % 10), 0.0, level);
        }
        patch_run(&s, 0);
        CHECK_INT(s.kept_count, 2);
        s.count = 0;
        for (int i = 0; i < 5; ++i) {
            patch_add(&s, pose, 0.3, 0.4, level);
        }
        patch_run(&s, 0);
        CHECK_INT(s.kept_count, 1);
        CHECK(s.kept[0].id == 0.0);
        // two corners of a box stay two, and four stay four
        s.count = 0;
        for (int i = 0; i < 4; ++i) {
            patch_add(&s, pose, i % 2, i / 2, level);
            patch_run(&s, 0);
            CHECK_INT(s.kept_count, i + 1);
        }
    }
    patch_end(&s);
}

// Other bodies, other materials, other normals, points off the plane and gaps that are not linear: hands off.
TEST(what_is_no_patch_is_left_alone)
{
    static const double level[3] = {0.0, 0.0, 0.0};
    patch_scene s;
    for (int change = 0; change < 6; ++change) {
        patch_begin(&s);
        for (int i = 0; i < 9; ++i) { // the fifth is in the middle
            patch_add(&s, pawl_pose_identity(), i % 3, i / 3, level);
        }
        pawl_contact *middle = &s.all[4];
        switch (change) {
        case 0:
            middle->body_b = 2;
            break;
        case 1:
            middle->friction = 0.4;
            break;
        case 2:
            middle->normal = v3(1e-3, 0.0, sqrt(1.0 - 1e-6));
            break;
        case 3:
            middle->position.z = 1e-3;
            break;
        case 4:
            middle->gap = -1e-3;
            break;
        default:
            middle->soft.time_constant = 0.1;
            break;
        }
        patch_run(&s, 0);
        CHECK_INT(s.kept_count, change == 3 || change == 4 ? 9 : 5);
        patch_end(&s);
    }
}

TEST(a_capped_patch_keeps_its_outermost_corners)
{
    static const double level[3] = {0.0, 0.0, 0.0};
    patch_scene s;
    patch_begin(&s);
    const double square[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    for (int i = 0; i < 40; ++i) { // a square with slightly bulging sides
        double along = (i % 10) / 10.0, bulge = 0.05 * along * (1.0 - along);
        const double *a = square[i / 10], *b = square[(i / 10 + 1) % 4];
        double u = a[0] + along * (b[0] - a[0]), v = a[1] + along * (b[1] - a[1]);
        patch_add(&s, pawl_pose_identity(), u * (1 + bulge), v * (1 + bulge), level);
    }
    patch_run(&s, 0);
    CHECK_INT(s.kept_count, 40);
    patch_run(&s, 4);
    CHECK_INT(s.kept_count, 4);
    for (int k = 0; k < 4; ++k) {
        CHECK(s.kept[k].id == 10.0 * k);
    }
    patch_end(&s);
}

// A plate of 36 tiles with its load off the middle, at rest on a floor of 9 slabs: its weight and where it
// acts do not depend on which contacts are left out.
static void patch_plate(mechanism *m, int tiles)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -9.81));
    pawl_body_def def = pawl_body_def_default();
    def.mass = 3.0;
    def.com = v3(0.1, 0.05, 0.0);
    def.inertia[0] = def.inertia[1] = 0.1;
    def.inertia[2] = 0.2;
    def.pose.position = v3(0, 0, 0.05);
    pawl_body_id plate = mechanism_body(m, &def);
    pawl_shape_def shape = pawl_shape_def_default();
    shape.kind = PAWL_SHAPE_BOX;
    shape.friction = 0.5;
    double half = 0.6 / tiles;
    shape.size = v3(half, half, 0.05);
    for (int i = 0; i < tiles * tiles; ++i) {
        shape.frame.position =
            v3((2 * (i % tiles) + 1) * half - 0.6, (2 * (i / tiles) + 1) * half - 0.6, 0);
        CHECK_OK(pawl_builder_add_shape(m->builder, plate, &shape, NULL));
    }
    shape.size = v3(0.5, 0.5, 0.1);
    for (int i = 0; i < 9; ++i) {
        shape.frame.position = v3(i % 3 - 1.0, i / 3 - 1.0, -0.1);
        CHECK_OK(pawl_builder_add_shape(m->builder, PAWL_WORLD, &shape, NULL));
    }
}

TEST(the_resultant_of_a_patch_does_not_depend_on_its_reduction)
{
    pawl_vec3 force[2], moment[2];
    int contacts[2];
    for (int k = 0; k < 2; ++k) {
        mechanism m;
        patch_plate(&m, 6);
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
        settings.contact.reduce = k == 0 ? PAWL_REDUCE_OFF : PAWL_REDUCE_HULL;
        settings.solver.tolerance = 1e-12;
        mechanism_start(&m, &settings);
        mechanism_run(&m, 20);
        force[k] = moment[k] = v3(0, 0, 0);
        contacts[k] = pawl_sim_contact_count(m.sim);
        for (int i = 0; i < contacts[k]; ++i) {
            pawl_contact_info c = pawl_sim_contact(m.sim, i);
            double sign = pawl_body_index(c.body_b) >= 0 ? 1.0 : -1.0;
            force[k] = v3_axpy(force[k], sign, c.force);
            moment[k] = v3_axpy(moment[k], sign, v3_cross(c.position, c.force));
        }
        mechanism_end(&m);
    }
    print_message("plate of 36 tiles on 9 slabs: %d contacts, %d after reduction\n", contacts[0],
                  contacts[1]);
    CHECK(contacts[0] > 150);
    CHECK_INT(contacts[1], 4);
    // The velocities before and after a step are each off by at most the tolerance, and the force by mass / dt of both.
    double off = 2.0 * 3.0 * 1e-12 / 1e-3;
    CHECK_NEAR3(force[1], force[0], off);
    CHECK_NEAR3(moment[1], moment[0], off);
    // by hand: its weight, at its centre of mass
    CHECK_NEAR3(force[1], v3(0, 0, 29.43), off);
    CHECK_NEAR3(moment[1], v3(0.05 * 29.43, -0.1 * 29.43, 0), off);
}

static pawl_status patch_make_and_step(const pawl_env *env, void *argument)
{
    const mechanism *m = argument;
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
    settings.contact.reduce = PAWL_REDUCE_HULL;
    pawl_sim *sim = NULL;
    pawl_status status = pawl_sim_create(env, m->model, &settings, &sim);
    if (status == PAWL_OK) {
        status = pawl_sim_step(sim, NULL); // more contacts than there is room for at first
        CHECK(status != PAWL_OK || pawl_sim_contact_count(sim) == 4);
    }
    pawl_sim_destroy(sim);
    return status;
}

TEST(room_for_patches_is_made_or_refused_cleanly)
{
    mechanism m;
    patch_plate(&m, 6);
    mechanism_compile(&m);
    CHECK(CHECK_SURVIVES_NO_MEMORY(patch_make_and_step, &m) > 10);
    mechanism_end(&m);
}
