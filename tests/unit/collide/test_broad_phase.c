// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Pairs of overlapping boxes and of model shapes against a look at all pairs.
#include "base/sort.h"
#include "collide/collider.h"
#include "support/mechanism.h"
#include "support/random.h"

#include <string.h>

static bool brute_overlap(const broad_box *a, const broad_box *b)
{
    bool apart = false;
    for (int k = 0; k < 3; ++k) {
        apart = apart || (&a->low.x)[k] > (&b->high.x)[k] || (&b->low.x)[k] > (&a->high.x)[k];
    }
    return !apart;
}

TEST(the_tree_finds_exactly_the_pairs_that_overlap)
{
    enum { BOXES = 300, PAIRS = BOXES * BOXES };
    test_env t;
    test_env_init(&t);
    uint64_t seed = 21;
    broad_box *boxes = pawl_alloc(&t.env, BOXES * sizeof *boxes);
    uint64_t *pairs = pawl_alloc(&t.env, 2 * PAIRS * sizeof *pairs);
    for (int count = 0; count <= BOXES; count += count < 5 ? 1 : 59) {
        pawl_carver need = {0};
        broad_phase bp = {0};
        pawl_broad_phase_layout(&bp, count, &need);
        pawl_carver mem = {.base = pawl_alloc(&t.env, need.used + 1), .capacity = need.used};
        pawl_broad_phase_layout(&bp, count, &mem);
        for (int round = 0; round < 20; ++round) {
            for (int i = 0; i < count; ++i) { // they drift, so that the tree ages; some are large
                pawl_vec3 p = round % 10 == 0 ? random_vec(&seed, 5.0)
                                              : v3_add(boxes[i].low, random_vec(&seed, 0.3));
                double size = i % 50 == 0 ? 10.0 : random_in(&seed, 0.0, 1.5);
                boxes[i] = (broad_box){p, v3_add(p, v3(size, size, size))};
            }
            int found = pawl_broad_phase_search(&bp, boxes, NULL, pairs, PAIRS);
            CHECK_INT(pawl_broad_phase_search(&bp, boxes, NULL, NULL, 0), found);
            pawl_sort_keys(pairs, pairs + PAIRS, found);
            int at = 0;
            for (int i = 0; i < count; ++i) {
                for (int j = i + 1; j < count; ++j) {
                    if (brute_overlap(&boxes[i], &boxes[j])) {
                        CHECK(at < found && pairs[at] == ((uint64_t)i << 32 | (uint64_t)j));
                        ++at;
                    }
                }
            }
            CHECK_INT(at, found);
        }
        pawl_free(&t.env, mem.base, need.used + 1);
    }
    pawl_free(&t.env, boxes, BOXES * sizeof *boxes);
    pawl_free(&t.env, pairs, 2 * PAIRS * sizeof *pairs);
    CHECK_NO_LEAK(&t);
}

// n boxes in a row that do not touch: the work must not grow with the square of n.
TEST(the_work_grows_hardly_faster_than_the_number_of_boxes)
{
    test_env t;
    test_env_init(&t);
    double per_box[2];
    for (int large = 0; large < 2; ++large) {
        int count = large ? 16000 : 1000;
        pawl_carver need = {0};
        broad_phase bp = {0};
        pawl_broad_phase_layout(&bp, count, &need);
        pawl_carver mem = {.base = pawl_alloc(&t.env, need.used), .capacity = need.used};
        pawl_broad_phase_layout(&bp, count, &mem);
        broad_box *boxes = pawl_alloc(&t.env, (size_t)count * sizeof *boxes);
        uint64_t seed = 2;
        double side = cbrt((double)count);
        for (int i = 0; i < count; ++i) {
            pawl_vec3 p = random_vec(&seed, side);
            boxes[i] = (broad_box){p, v3_add(p, v3(1, 1, 1))};
        }
        pawl_broad_phase_search(&bp, boxes, NULL, NULL, 0);
        per_box[large] = (double)bp.visits / count;
        pawl_free(&t.env, boxes, (size_t)count * sizeof *boxes);
        pawl_free(&t.env, mem.base, need.used);
    }
    CHECK(per_box[1] < 2.0 * per_box[0]);
}

typedef struct heap {
    mechanism m;
    int body_count;
} heap;

// Bodies with one or two shapes each, some jointed, over a plane and a slab of the world.
static void heap_make(heap *h, int bodies, uint64_t *seed)
{
    mechanism_begin(&h->m);
    pawl_builder *b = h->m.builder;
    h->body_count = bodies;
    pawl_shape_def shape = pawl_shape_def_default();
    shape.kind = PAWL_SHAPE_PLANE;
    CHECK_OK(pawl_builder_add_shape(b, PAWL_WORLD, &shape, NULL));
    shape.kind = PAWL_SHAPE_BOX;
    shape.size = v3(1, 1, 1);
    CHECK_OK(pawl_builder_add_shape(b, PAWL_WORLD, &shape, NULL));
    const pawl_vec3 corners[5] = {
        {0, 0, 0}, {0.5, 0, 0}, {0, 0.6, 0}, {0, 0, 0.7}, {0.4, 0.4, 0.4}};
    for (int i = 0; i < bodies; ++i) {
        pawl_vec3 at = v3_add(random_vec(seed, 2.5), v3(0, 0, 2.0));
        pawl_body_def body = pawl_body_def_default();
        body.pose = (pawl_pose){at, quat_exp(random_vec(seed, 2.0))};
        body.mass = 1.0;
        body.com = random_vec(seed, 0.2);
        for (int k = 0; k < 3; ++k) {
            body.inertia[k] = 1.0;
        }
        body.kind = i % 9 == 8 ? PAWL_BODY_KINEMATIC : PAWL_BODY_RIGID;
        pawl_body_id index = mechanism_body(&h->m, &body);
        for (int s = 0; s <= i % 2; ++s) {
            static const pawl_shape_kind kinds[6] = {PAWL_SHAPE_SPHERE,    PAWL_SHAPE_BOX,
                                                     PAWL_SHAPE_CAPSULE,   PAWL_SHAPE_CYLINDER,
                                                     PAWL_SHAPE_ELLIPSOID, PAWL_SHAPE_HULL};
            shape = pawl_shape_def_default();
            shape.kind = kinds[random_index(seed, 6)];
            shape.size = v3(0.3, 0.2, 0.25);
            shape.points = corners;
            shape.point_count = 5;
            shape.visual_only = i % 7 == 6;
            shape.frame = (pawl_pose){random_vec(seed, 0.4), quat_exp(random_vec(seed, 2.0))};
            CHECK_OK(pawl_builder_add_shape(b, index, &shape, NULL));
        }
        if (i % 5 == 4) {
            pawl_joint_def joint = pawl_joint_def_default();
            joint.kind = PAWL_JOINT_SPHERICAL;
            joint.base = pawl_builder_body_at(b, pawl_body_index(index) - 1);
            joint.follower = index;
            mechanism_joint(&h->m, &joint);
        }
    }
    mechanism_compile(&h->m);
}

static void heap_scatter(const heap *h, body_state *bodies, uint64_t *seed)
{
    for (int i = 0; i < h->body_count; ++i) {
        bodies[i].r = v3_add(random_vec(seed, 1.5), v3(0, 0, 1.0));
        bodies[i].q = quat_exp(random_vec(seed, 2.0));
        bodies[i].v = bodies[i].w = v3(0, 0, 0);
    }
}

static bool heap_jointed(const pawl_model *m, int a, int b)
{
    for (int j = 0; j < m->joint_count; ++j) {
        if ((m->joints[j].base == a && m->joints[j].follower == b) ||
            (m->joints[j].base == b && m->joints[j].follower == a)) {
            return true;
        }
    }
    return false;
}

static bool heap_fixed(const pawl_model *m, int body)
{
    return body < 0 || m->bodies[body].kind == PAWL_BODY_KINEMATIC;
}

// All pairs of shapes one by one, with poses worked out from link frames.
static int heap_brute(const pawl_model *m, const body_state *bodies, convex_hull *hull,
                      double margin, shape_contact *found)
{
    int count = 0;
    for (int i = 0; i < m->shape_count; ++i) {
        for (int j = i + 1; j < m->shape_count; ++j) {
            int of[2] = {i, j}, body[2];
            placed_shape placed[2];
            bool drawn = false;
            for (int k = 0; k < 2; ++k) {
                const pawl_shape_info *info = &m->shapes[of[k]];
                body[k] = pawl_body_index(info->body);
                pawl_pose frame = info->def.frame;
                if (pawl_body_index(info->body) >= 0) {
                    pawl_pose com = {bodies[pawl_body_index(info->body)].r,
                                     bodies[pawl_body_index(info->body)].q};
                    pawl_pose link = {v3_scale(-1.0, m->bodies[pawl_body_index(info->body)].com),
                                      {1, 0, 0, 0}};
                    frame = pawl_pose_compose(pawl_pose_compose(com, link), frame);
                }
                placed[k] = pawl_shape_place(
                    &info->def, info->def.kind == PAWL_SHAPE_HULL ? hull : NULL, frame, of[k]);
                drawn = drawn || info->def.visual_only;
            }
            if (drawn || body[0] == body[1] || heap_jointed(m, body[0], body[1]) ||
                (heap_fixed(m, body[0]) && heap_fixed(m, body[1]))) {
                continue;
            }
            contact_manifold manifold;
            pawl_collide_pair(&placed[0], &placed[1], margin, &manifold);
            if (manifold.count > 0) {
                found[count++] = (shape_contact){i, j, manifold};
            }
        }
    }
    return count;
}

static convex_hull *heap_hull(const pawl_model *m)
{
    for (int i = 0; i < m->shape_count; ++i) {
        const pawl_shape_def *d = &m->shapes[i].def;
        convex_hull *hull;
        if (d->kind == PAWL_SHAPE_HULL) {
            CHECK_OK(pawl_hull_create(&m->env, "heap", d->points, d->point_count, &hull));
            return hull;
        }
    }
    return NULL;
}

TEST(a_heap_has_the_contacts_of_all_its_pairs_in_order)
{
    enum { BODIES = 60, FOUND = 4000 };
    uint64_t seed = 4;
    heap h;
    heap_make(&h, BODIES, &seed);
    const pawl_model *m = h.m.model;
    convex_hull *hull = heap_hull(m);
    collider *c;
    collider_def def = pawl_collider_def_default();
    CHECK_OK(pawl_collider_create(&m->env, m, &def, &c));
    shape_contact *found = pawl_alloc(&m->env, FOUND * sizeof *found);
    body_state bodies[BODIES];
    for (int round = 0; round < 10; ++round) {
        heap_scatter(&h, bodies, &seed);
        CHECK_OK(pawl_collider_run(c, bodies, 0.02, 0.0));
        int count = heap_brute(m, bodies, hull, 0.02, found);
        CHECK(count > 10);
        CHECK_INT(c->contact_count, count);
        int points = 0;
        for (int i = 0; i < count; ++i) {
            const shape_contact *got = &c->contacts[i];
            CHECK_INT(got->shape_a, found[i].shape_a);
            CHECK_INT(got->shape_b, found[i].shape_b);
            CHECK_INT(got->manifold.count, found[i].manifold.count);
            for (int k = 0; k < got->manifold.count; ++k) {
                CHECK_NEAR(got->manifold.point[k].gap, found[i].manifold.point[k].gap, 1e-9);
            }
            points += got->manifold.count;
        }
        CHECK_INT(c->point_count, points);
    }
    // once there is room, no step asks for memory
    int64_t calls = h.m.t.calls;
    CHECK_OK(pawl_collider_run(c, bodies, 0.02, 0.0));
    CHECK_INT(h.m.t.calls, calls);
    pawl_free(&m->env, found, FOUND * sizeof *found);
    pawl_collider_destroy(c);
    pawl_hull_destroy(&m->env, hull);
    mechanism_end(&h.m);
}

// A ball above a plane and beside another ball: each filter alone takes its pair away.
TEST(filters_take_away_the_pairs_they_name)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_shape_def shape = pawl_shape_def_default();
    shape.kind = PAWL_SHAPE_PLANE;
    CHECK_OK(pawl_builder_add_shape(m.builder, PAWL_WORLD, &shape, NULL));
    shape.kind = PAWL_SHAPE_SPHERE;
    shape.size = v3(1, 1, 1);
    for (int i = 0; i < 2; ++i) {
        pawl_body_id body = mechanism_solid(&m, 1.0, v3(1.5 * i, 0, 0.9), v3(1, 1, 1));
        CHECK_OK(pawl_builder_add_shape(m.builder, body, &shape, NULL));
    }
    pawl_joint_def joint =
        mechanism_joint_def(&m, PAWL_JOINT_SPHERICAL, pawl_builder_body_at(m.builder, 0),
                            pawl_builder_body_at(m.builder, 1), v3(0, 0, 1), v3(1, 0, 0));
    mechanism_joint(&m, &joint);
    mechanism_world_joint(&m, PAWL_JOINT_PRISMATIC, pawl_builder_body_at(m.builder, 0), v3(0, 0, 0),
                          v3(0, 0, 1));
    mechanism_compile(&m);
    body_state bodies[2];
    for (int i = 0; i < 2; ++i) {
        bodies[i] = (body_state){v3(1.5 * i, 0, 0.9), {1, 0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    }
    const pawl_body_pair excluded[1] = {{pawl_builder_body_at(m.builder, 1), PAWL_WORLD}};
    const uint32_t group[3] = {1, 2, 4}, mask[3] = {4, 7, 7};
    for (int which = 0; which < 5; ++which) {
        collider_def def = pawl_collider_def_default();
        def.adjacent = which == 1;
        def.world_joints = which == 2;
        def.excluded = excluded;
        def.excluded_count = which == 3;
        def.group = which == 4 ? group : NULL;
        def.mask = which == 4 ? mask : NULL;
        static const int expected[5] = {2, 3, 1, 1, 1};
        collider *c;
        CHECK_OK(pawl_collider_create(&m.t.env, m.model, &def, &c));
        CHECK_OK(pawl_collider_run(c, bodies, 0.01, 0.0));
        CHECK_INT(c->contact_count, expected[which]);
        pawl_collider_destroy(c);
    }
    mechanism_end(&m);
}

// Speed widens the margin: a bullet is seen a step before it would pass through.
TEST(fast_bodies_are_seen_before_they_arrive)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_shape_def shape = pawl_shape_def_default();
    shape.kind = PAWL_SHAPE_BOX;
    shape.size = v3(5, 5, 0.01);
    CHECK_OK(pawl_builder_add_shape(m.builder, PAWL_WORLD, &shape, NULL));
    pawl_body_id body = mechanism_solid(&m, 1.0, v3(0, 0, 1), v3(1, 1, 1));
    shape.kind = PAWL_SHAPE_SPHERE;
    shape.size = v3(0.01, 1, 1);
    CHECK_OK(pawl_builder_add_shape(m.builder, body, &shape, NULL));
    mechanism_compile(&m);
    collider *c;
    collider_def def = pawl_collider_def_default();
    CHECK_OK(pawl_collider_create(&m.t.env, m.model, &def, &c));
    body_state b = {v3(0, 0, 1), {1, 0, 0, 0}, {0, 0, -200}, {0, 0, 0}};
    CHECK_OK(pawl_collider_run(c, &b, 1e-3, 0.01));
    CHECK_INT(c->contact_count, 1);
    CHECK_NEAR(c->contacts[0].manifold.point[0].gap, 0.98, 1e-12);
    CHECK_OK(pawl_collider_run(c, &b, 1e-3, 1e-3));
    CHECK_INT(c->contact_count, 0);
    pawl_collider_destroy(c);
    mechanism_end(&m);
}

TEST(a_collider_that_gets_no_memory_leaves_none)
{
    uint64_t seed = 9;
    heap h;
    heap_make(&h, 30, &seed);
    body_state bodies[30];
    heap_scatter(&h, bodies, &seed);
    bool done = false;
    for (int64_t fail = 1; !done; ++fail) {
        test_env t;
        test_env_init(&t);
        t.fail_at = fail;
        collider *c;
        collider_def def = pawl_collider_def_default();
        pawl_status status = pawl_collider_create(&t.env, h.m.model, &def, &c);
        CHECK(status == PAWL_OK || (status == PAWL_NO_MEMORY && c == NULL));
        if (status == PAWL_OK) {
            status = pawl_collider_run(c, bodies, 0.02, 0.0);
            CHECK(status == PAWL_OK || status == PAWL_NO_MEMORY);
            done = status == PAWL_OK;
            // the failure passes: the same collider goes on
            CHECK_OK(pawl_collider_run(c, bodies, 0.02, 0.0));
        }
        pawl_collider_destroy(c);
        CHECK_NO_LEAK(&t);
    }
    mechanism_end(&h.m);
}
