// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Fast bodies: they do not get through a plane, and where one gets through something, the step says
// so. The judge here is the path of the body's centre, which needs no collision detection.
#include "support/scene.h"

#include <math.h>

typedef enum fast_target { FAST_PLANE, FAST_THIN_BOX, FAST_TARGETS } fast_target;

typedef struct fast_case {
    fast_target target;
    pawl_shape_kind kind;
    double speed, spin, dt; // [m/s], [rad/s], [s]
    pawl_stepper_kind stepper;
} fast_case;

typedef struct fast_result {
    bool through;     // the centre was below the surface, or beyond the box
    int64_t reported; // times that a step said so
    double depth;     // deepest penetration [m]
} fast_result;

// Towards z = 0 from above, without weight, for 0.3 s.
static fast_result fast_run(const fast_case *c)
{
    mechanism m;
    mechanism_begin(&m);
    if (c->target == FAST_PLANE) {
        scene_shape(&m, PAWL_WORLD, PAWL_SHAPE_PLANE, v3(0, 0, 0), v3(0, 0, 0), 0.5, 0.0);
    } else {
        scene_shape(&m, PAWL_WORLD, PAWL_SHAPE_BOX, v3(50, 50, 5e-3), v3(0, 0, -5e-3), 0.5, 0.0);
    }
    pawl_body_def def = pawl_body_def_default();
    def.mass = 1.0;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 4e-3;
    def.pose.position = v3(0.01, 0.02, 1.2345);
    def.twist = (pawl_twist){v3(0, 0, -c->speed), v3_scale(c->spin, v3(0.8, 0.48, 0.36))};
    pawl_body_id body = mechanism_body(&m, &def);
    scene_shape(&m, body, c->kind, v3(0.1, 0.1, 0.1), v3(0, 0, 0), 0.5, 0.0);
    pawl_settings settings = scene_settings(c->dt);
    settings.stepper = c->stepper;
    mechanism_start(&m, &settings);
    fast_result out = {false, 0, 0.0};
    while (mechanism_time(&m) < 0.3 - 1e-9) {
        scene_step(&m);
        out.through = out.through || scene_position(&m, body).z < 0.0;
    }
    out.reported = m.verdict.tunnelled;
    out.depth = m.verdict.penetration;
    CHECK_INT(pawl_shape_index(m.verdict.tunnel_shape_a), out.reported > 0 ? 0 : -1);
    CHECK_INT(pawl_shape_index(m.verdict.tunnel_shape_b), out.reported > 0 ? 1 : -1);
    mechanism_end(&m);
    return out;
}

static const pawl_shape_kind fast_kinds[] = {PAWL_SHAPE_SPHERE, PAWL_SHAPE_BOX, PAWL_SHAPE_CAPSULE,
                                             PAWL_SHAPE_CYLINDER, PAWL_SHAPE_ELLIPSOID};
enum { FAST_KINDS = sizeof fast_kinds / sizeof fast_kinds[0] };

// euler knows contacts as far ahead as a body moves in the step.
TEST(no_body_gets_through_a_plane_or_a_thin_box_however_fast)
{
    static const double speeds[] = {10.0, 100.0, 1000.0};
    for (int run = 0; run < 2 * FAST_TARGETS * FAST_KINDS * 3; ++run) {
        fast_case c = {.target = (fast_target)(run / 2 % FAST_TARGETS),
                       .kind = fast_kinds[run / 2 / FAST_TARGETS % FAST_KINDS],
                       .speed = speeds[run / 2 / FAST_TARGETS / FAST_KINDS],
                       .dt = run % 2 ? 1e-2 : 1e-3,
                       .stepper = PAWL_STEPPER_EULER};
        fast_result got = fast_run(&c);
        CHECK(!got.through);
        CHECK_INT(got.reported, 0);
    }
}

// Half a drift of moreau comes before contacts are looked for, and turning by radians in a step is
// not seen ahead either: some of these get through, and each of those is told of. Others are only
// where one is in the other by more than half of the thinner one: a corner that pokes through.
TEST(a_body_that_gets_through_is_reported)
{
    static const double speeds[] = {10.0, 100.0, 1000.0}, spins[] = {0.0, 30.0, 600.0};
    int through = 0, reported = 0;
    for (int run = 0; run < 8 * FAST_KINDS * 9; ++run) {
        fast_case c = {.target = (fast_target)(run / 2 % 2),
                       .kind = fast_kinds[run / 8 % FAST_KINDS],
                       .speed = speeds[run / 8 / FAST_KINDS % 3],
                       .spin = spins[run / 8 / FAST_KINDS / 3],
                       .dt = run % 2 ? 1e-2 : 1e-3,
                       .stepper = (pawl_stepper_kind)(run / 4 % 2)};
        fast_result got = fast_run(&c);
        through += got.through;
        reported += got.reported > 0;
        if (got.through != (got.reported > 0)) {
            print_message("%s, %s at %g m/s and %g rad/s to target %d, dt %g: %s, told %d times, "
                          "penetration %.1e m\n",
                          pawl_stepper_name((int)c.stepper), pawl_shape_kind_name(c.kind), c.speed,
                          c.spin, (int)c.target, c.dt, got.through ? "through" : "not through",
                          (int)got.reported, got.depth);
        }
        CHECK(got.reported > 0 || !got.through);
        CHECK(got.reported == 0 || got.through || got.depth > 5e-3);
    }
    print_message("of %d runs, %d get through and %d are told of\n", 8 * FAST_KINDS * 9, through,
                  reported);
    CHECK(through > 0);
}
