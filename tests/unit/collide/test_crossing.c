// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Which shapes went through each other between two sets of poses. Answers are plain geometry.
#include "collide/crossing.h"
#include "support/mechanism.h"

typedef struct cross_scene {
    mechanism m;
    collider *c;
    body_state before[2], after[2];
} cross_scene;

// Two bodies, each with one shape.
static void cross_begin(cross_scene *s, const pawl_shape_def *a, const pawl_shape_def *b)
{
    mechanism_begin(&s->m);
    for (int k = 0; k < 2; ++k) {
        pawl_body_id body = mechanism_solid(&s->m, 1.0, v3(0, 0, 0), v3(1, 1, 1));
        CHECK_OK(pawl_builder_add_shape(s->m.builder, body, k == 0 ? a : b, NULL));
        s->before[k] = s->after[k] = (body_state){.q = {1.0, 0.0, 0.0, 0.0}};
    }
    mechanism_compile(&s->m);
    collider_def def = pawl_collider_def_default();
    CHECK_OK(pawl_collider_create(&s->m.t.env, s->m.model, &def, &s->c));
}

static void cross_end(cross_scene *s)
{
    pawl_collider_destroy(s->c);
    mechanism_end(&s->m);
}

// What is found when the first body goes from p to q and the second one from u to v.
static shape_crossing cross_find(cross_scene *s, pawl_vec3 p, pawl_vec3 q, pawl_vec3 u, pawl_vec3 v)
{
    s->before[0].r = p;
    s->after[0].r = q;
    s->before[1].r = u;
    s->after[1].r = v;
    for (int k = 0; k < 2; ++k) { // so that the pair is within reach
        s->before[k].v = v3_sub(s->after[k].r, s->before[k].r);
    }
    CHECK_OK(pawl_collider_run(s->c, s->before, 1e-3, 1.0));
    double deepest = 0.0;
    for (int k = 0; k < s->c->contact_count; ++k) {
        for (int i = 0; i < s->c->contacts[k].manifold.count; ++i) {
            deepest = fmax(deepest, -s->c->contacts[k].manifold.point[i].gap);
        }
    }
    return pawl_collider_crossings(s->c, s->before, s->after, (state_overlaps){0}, 1e-3, deepest);
}

static pawl_shape_def cross_shape(pawl_shape_kind kind, pawl_vec3 size)
{
    pawl_shape_def def = pawl_shape_def_default();
    def.kind = kind;
    def.size = size;
    return def;
}

TEST(a_sphere_through_a_thin_plate_is_found_and_one_beside_it_is_not)
{
    pawl_shape_def ball = cross_shape(PAWL_SHAPE_SPHERE, v3(0.1, 0, 0));
    pawl_shape_def plate = cross_shape(PAWL_SHAPE_BOX, v3(1, 1, 1e-3));
    cross_scene s;
    cross_begin(&s, &ball, &plate);
    const pawl_vec3 zero = v3(0, 0, 0);
    shape_crossing f = cross_find(&s, v3(0.3, 0.2, 1), v3(0.3, 0.2, -1), zero, zero);
    CHECK_INT(f.count, 1);
    CHECK_INT(f.shape_a, 0);
    CHECK_INT(f.shape_b, 1);
    // The plate moves instead; both do.
    CHECK_INT(cross_find(&s, v3(0.3, 0.2, 1), v3(0.3, 0.2, 1), zero, v3(0, 0, 2)).count, 1);
    CHECK_INT(cross_find(&s, v3(0.3, 0.2, 1), v3(0.3, 0.2, -4), zero, v3(0, 0, -3.5)).count, 1);
    // Both move, and the ball stays on its side; it stops above; it passes the edge.
    CHECK_INT(cross_find(&s, v3(0.3, 0.2, 1), v3(0.3, 0.2, -4), zero, v3(0, 0, -5)).count, 0);
    CHECK_INT(cross_find(&s, v3(0.3, 0.2, 1), v3(0.3, 0.2, 0.1), zero, zero).count, 0);
    f = cross_find(&s, v3(1.05, 0.2, 1), v3(1.05, 0.2, -1), zero, zero);
    CHECK_INT(f.count, 0);
    CHECK_INT(f.shape_a, -1);
    CHECK_INT(f.shape_b, -1);
    cross_end(&s);
}

TEST(what_is_inside_when_the_step_begins_is_not_counted)
{
    pawl_shape_def ball = cross_shape(PAWL_SHAPE_SPHERE, v3(0.1, 0, 0));
    pawl_shape_def box = cross_shape(PAWL_SHAPE_BOX, v3(1, 1, 1));
    cross_scene s;
    cross_begin(&s, &ball, &box);
    const pawl_vec3 zero = v3(0, 0, 0);
    CHECK_INT(cross_find(&s, v3(0.5, 0, 0), v3(3, 0, 0), zero, zero).count, 0);
    CHECK_INT(cross_find(&s, v3(0.5, 0, 0), v3(0.6, 0, 0), zero, zero).count, 0);
    CHECK_INT(cross_find(&s, v3(1.2, 0, 0), v3(0.6, 0, 0), zero, zero).count, 1); // it gets in
    // Slowly, too: its centre is past the surface by more than the margin.
    CHECK_INT(cross_find(&s, v3(1.0005, 0, 0), v3(0.9985, 0, 0), zero, zero).count, 1);
    CHECK_INT(cross_find(&s, v3(1.0005, 0, 0), v3(0.9995, 0, 0), zero, zero).count, 0);
    cross_end(&s);
}

// A hull's frame may be anywhere: it is its own middle that counts.
TEST(a_hull_is_followed_by_its_middle)
{
    pawl_vec3 points[8];
    for (int k = 0; k < 8; ++k) { // a cube of 0.2 m, 3 m off its frame
        points[k] = v3(k % 2 ? 0.1 : -0.1, k / 2 % 2 ? 3.1 : 2.9, k / 4 ? 0.1 : -0.1);
    }
    pawl_shape_def hull = cross_shape(PAWL_SHAPE_HULL, v3(1, 1, 1));
    hull.points = points;
    hull.point_count = 8;
    pawl_shape_def plate = cross_shape(PAWL_SHAPE_CYLINDER, v3(1, 0, 0.01));
    cross_scene s;
    cross_begin(&s, &hull, &plate);
    const pawl_vec3 zero = v3(0, 0, 0);
    CHECK_INT(cross_find(&s, v3(0, -3, 1), v3(0, -3, -1), zero, zero).count, 1);
    CHECK_INT(cross_find(&s, v3(0, 0, 1), v3(0, 0, -1), zero, zero).count, 0);
    cross_end(&s);
}

// Turning in place goes through nothing, however fast: a line seen from what turns is a circle.
TEST(a_body_that_turns_in_place_goes_through_nothing)
{
    pawl_shape_def bar = cross_shape(PAWL_SHAPE_BOX, v3(0.5, 0.05, 0.05));
    pawl_shape_def ball = cross_shape(PAWL_SHAPE_SPHERE, v3(0.1, 0, 0));
    cross_scene s;
    cross_begin(&s, &bar, &ball);
    for (int k = 1; k < 8; ++k) {
        s.after[0].q = quat_exp(v3(0, 0, 0.8 * k));
        pawl_vec3 beside = v3(0.0, 0.16, 0.0);
        CHECK_INT(cross_find(&s, v3(0, 0, 0), v3(0, 0, 0), beside, beside).count, 0);
    }
    cross_end(&s);
}
