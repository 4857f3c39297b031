// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Random scenes for bench_adversarial: each kind of scene breaks one assumption of an engine
// (overlaps, extreme mass ratios, sizes, steps, contradicting inputs). A scene depends only on its seed, so that a
// failure can be repeated.
#include "adversarial_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/rotation.h"

// ---- random numbers -----------------------------------------------------------------------------

typedef struct dice {
    uint64_t state;
} dice;

static uint64_t dice_bits(dice *d) // splitmix64
{
    uint64_t z = d->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double dice_fraction(dice *d)
{
    return (double)(dice_bits(d) >> 11) * 0x1p-53;
}

static double dice_between(dice *d, double low, double high)
{
    return low + dice_fraction(d) * (high - low);
}

static double dice_power(dice *d, double low, double high) // 10 to a power between these
{
    return pow(10.0, dice_between(d, low, high));
}

static int dice_pick(dice *d, int count)
{
    return (int)(dice_bits(d) % (uint64_t)count);
}

static bool dice_chance(dice *d, double fraction)
{
    return dice_fraction(d) < fraction;
}

static pawl_vec3 dice_vector(dice *d, double size)
{
    double x = dice_between(d, -size, size), y = dice_between(d, -size, size);
    return v3(x, y, dice_between(d, -size, size));
}

static pawl_quat dice_turn(dice *d)
{
    return quat_exp(dice_vector(d, 2.0));
}

// ---- parts --------------------------------------------------------------------------------------

typedef struct scene_work {
    dice d;
    pawl_builder *builder;
    double size;         // typical length [m]
    double mass;         // typical mass [kg]
    double mass_decades; // how far masses are apart
    double speed;        // of starts [m/s]
    double dt;           // [s]
    double friction, restitution;
    int bodies, joints;
    bool ok;
} scene_work;

static void scene_keep(scene_work *w, pawl_status status)
{
    w->ok = w->ok && status == PAWL_OK;
}

static pawl_body_id scene_body(scene_work *w, pawl_vec3 at)
{
    dice *d = &w->d;
    pawl_body_def def = pawl_body_def_default();
    double decades = w->mass_decades;
    def.mass = w->mass * dice_power(d, -0.5 * decades, 0.5 * decades);
    double arm = w->size * dice_between(d, 0.1, 0.5);
    pawl_vec3 spread = v3(dice_between(d, 0.5, 1.0), dice_between(d, 0.5, 1.0), 0.0);
    def.inertia[0] = def.mass * arm * arm * spread.x;
    def.inertia[1] = def.mass * arm * arm * spread.y;
    def.inertia[2] = def.mass * arm * arm * dice_between(d, 0.5, 1.0);
    def.pose = (pawl_pose){at, dice_turn(d)};
    def.twist = (pawl_twist){dice_vector(d, w->speed), dice_vector(d, w->speed / w->size)};
    if (dice_chance(d, 0.1)) {
        def.linear_damping = def.mass / w->dt * dice_power(d, -6.0, 6.0);
    }
    pawl_body_id index = {0, 0};
    scene_keep(w, pawl_builder_add_body(w->builder, &def, &index));
    ++w->bodies;
    return index;
}

// Any shape but a plane; with `thin` one size may be a millionth of the others.
static void scene_shape(scene_work *w, pawl_body_id body, bool thin)
{
    dice *d = &w->d;
    pawl_shape_def def = pawl_shape_def_default();
    static const pawl_shape_kind kinds[] = {PAWL_SHAPE_SPHERE,    PAWL_SHAPE_BOX,
                                            PAWL_SHAPE_CYLINDER,  PAWL_SHAPE_CAPSULE,
                                            PAWL_SHAPE_ELLIPSOID, PAWL_SHAPE_HULL};
    def.kind = kinds[dice_pick(d, 6)];
    double low = thin ? -6.0 : -0.5, high = thin ? 1.0 : 0.0;
    def.size =
        v3(0.5 * w->size * dice_power(d, low, high), 0.5 * w->size * dice_power(d, low, high),
           0.5 * w->size * dice_power(d, low, high));
    pawl_vec3 points[12];
    if (def.kind == PAWL_SHAPE_HULL) {
        for (int i = 0; i < 12; ++i) {
            points[i] = dice_vector(d, 0.5 * w->size);
        }
        def.points = points;
        def.point_count = 12;
    }
    def.friction = w->friction;
    def.restitution = w->restitution;
    if (dice_chance(d, 0.05)) {
        def.torsional_friction = def.rolling_friction = 0.01 * w->size;
    }
    scene_keep(w, pawl_builder_add_shape(w->builder, body, &def, NULL));
}

static void scene_floor(scene_work *w, double height, double tilt)
{
    pawl_shape_def def = pawl_shape_def_default();
    def.kind = PAWL_SHAPE_PLANE;
    def.frame = (pawl_pose){v3(0, 0, height), quat_exp(v3(tilt, 0, 0))};
    def.friction = w->friction;
    def.restitution = w->restitution;
    scene_keep(w, pawl_builder_add_shape(w->builder, PAWL_WORLD, &def, NULL));
}

static pawl_joint_id scene_joint(scene_work *w, pawl_joint_kind kind, pawl_body_id base,
                                 pawl_body_id follower, pawl_vec3 at)
{
    dice *d = &w->d;
    pawl_joint_def def = pawl_joint_def_default();
    def.kind = kind;
    def.base = base;
    def.follower = follower;
    pawl_builder_place_joint(w->builder, &def, at, dice_vector(d, 1.0), v3(0, 0, 0));
    bool angle = pawl_joint_kind_is_angle(kind, 0);
    double unit = angle ? 1.0 : w->size;
    double torque = w->mass * w->size * 9.81 * (angle ? 1.0 : 1.0 / w->size);
    for (int c = 0; c < pawl_joint_kind_coordinates(kind) && kind != PAWL_JOINT_FREE; ++c) {
        pawl_coordinate_def *q = &def.coordinate[c];
        if (dice_chance(d, 0.3)) { // it starts at 0: within, at or far beyond its limits
            q->lower = unit * dice_between(d, -1.0, 1.0);
            q->upper = q->lower + unit * (dice_chance(d, 0.2) ? 0.0 : dice_between(d, 0.0, 1.0));
        }
        if (dice_chance(d, 0.3)) {
            q->stiffness = torque / unit * dice_power(d, -3.0, 12.0);
            q->rest = unit * dice_between(d, -1.0, 1.0);
        }
        if (dice_chance(d, 0.3)) {
            q->damping = torque / unit * dice_power(d, -3.0, 12.0);
        }
        if (dice_chance(d, 0.2)) {
            q->friction = torque * dice_power(d, -3.0, 3.0);
        }
        if (dice_chance(d, 0.1)) {
            q->armature = w->mass * (angle ? w->size * w->size : 1.0) * dice_power(d, -3.0, 6.0);
        }
    }
    pawl_joint_id index = {0, 0};
    scene_keep(w, pawl_builder_add_joint(w->builder, &def, &index));
    ++w->joints;
    return index;
}

static pawl_joint_kind scene_kind(scene_work *w)
{
    static const pawl_joint_kind kinds[] = {
        PAWL_JOINT_REVOLUTE,  PAWL_JOINT_REVOLUTE,    PAWL_JOINT_PRISMATIC, PAWL_JOINT_SPHERICAL,
        PAWL_JOINT_UNIVERSAL, PAWL_JOINT_CYLINDRICAL, PAWL_JOINT_FIXED,     PAWL_JOINT_PLANAR};
    return kinds[dice_pick(&w->d, 8)];
}

// Bodies in a row that hangs on the world or floats. Returns the last one.
static pawl_body_id scene_chain(scene_work *w, int count, bool anchored)
{
    pawl_body_id last = PAWL_WORLD;
    for (int i = 0; i < count; ++i) {
        pawl_vec3 at = v3_scale(w->size, v3(i + 1.0, 0.3 * (i % 2), 0.0));
        pawl_body_id body = scene_body(w, at);
        if (!pawl_body_is_world(last) || anchored) {
            pawl_vec3 between = v3_sub(at, v3(0.5 * w->size, 0.0, 0.0));
            scene_joint(w, scene_kind(w), last, body, between);
        }
        last = body;
    }
    return last;
}

// ---- kinds of scenes ----------------------------------------------------------------------------

static void scene_heap(scene_work *w)
{
    int count = 2 + dice_pick(&w->d, 7);
    double closeness = dice_between(&w->d, 0.0, 1.0);
    bool thin = dice_chance(&w->d, 0.3);
    for (int i = 0; i < count; ++i) {
        pawl_body_id body = scene_body(w, dice_vector(&w->d, closeness * w->size));
        scene_shape(w, body, thin);
    }
    if (dice_chance(&w->d, 0.7)) {
        scene_floor(w, dice_between(&w->d, -1.0, 1.0) * w->size, 0.0);
    }
}

static void scene_wedge(scene_work *w)
{
    int count = 1 + dice_pick(&w->d, 3);
    for (int i = 0; i < count; ++i) {
        pawl_body_id body = scene_body(w, dice_vector(&w->d, 0.3 * w->size));
        scene_shape(w, body, false);
    }
    double slope = dice_between(&w->d, 0.2, 3.1);
    scene_floor(w, 0.0, slope);
    scene_floor(w, 0.0, -slope);
}

static void scene_mechanism(scene_work *w)
{
    int count = 1 + dice_pick(&w->d, 6);
    pawl_body_id last = scene_chain(w, count, dice_chance(&w->d, 0.7));
    if (count > 2 && dice_chance(&w->d, 0.5)) { // closes a loop, mobile or not
        scene_joint(w, dice_chance(&w->d, 0.5) ? PAWL_JOINT_SPHERICAL : PAWL_JOINT_REVOLUTE,
                    PAWL_WORLD, last, v3(w->size * (count + 0.5), 0, 0));
    }
    if (dice_chance(&w->d, 0.3)) {
        for (int i = 0; i < count; ++i) {
            scene_shape(w, pawl_builder_body_at(w->builder, i), false);
        }
        scene_floor(w, -w->size * dice_between(&w->d, -0.5, 3.0), 0.0);
    }
}

static void scene_springs(scene_work *w)
{
    pawl_body_id last = PAWL_WORLD;
    int count = 1 + dice_pick(&w->d, 4);
    for (int i = 0; i < count; ++i) {
        pawl_vec3 at = v3((i + 1) * w->size, 0, 0);
        pawl_body_id body = scene_body(w, at);
        pawl_spring_def def = pawl_spring_def_default();
        def.body_a = last;
        def.body_b = body;
        def.point_b = dice_vector(&w->d, dice_chance(&w->d, 0.5) ? 0.0 : 0.3 * w->size);
        def.stiffness = dice_power(&w->d, -3.0, 15.0);
        def.damping = dice_chance(&w->d, 0.7) ? dice_power(&w->d, -3.0, 12.0) : 0.0;
        def.rest_length = w->size * (dice_chance(&w->d, 0.2) ? 0.0 : dice_between(&w->d, 0.5, 1.5));
        scene_keep(w, pawl_builder_add_spring(w->builder, &def, NULL));
        if (dice_chance(&w->d, 0.2)) {
            scene_shape(w, body, false);
        }
        last = body;
    }
}

// Motions, targets and limits that cannot all be.
static void scene_contradictions(scene_work *w)
{
    dice *d = &w->d;
    int count = 1 + dice_pick(d, 4);
    pawl_body_id last = scene_chain(w, count, true);
    for (int k = 0; k < w->joints; ++k) {
        double unit = dice_power(d, -1.0, 4.0);
        if (dice_chance(d, 0.5)) {
            pawl_actuator_def def = pawl_actuator_def_default();
            def.kind = dice_chance(d, 0.5) ? PAWL_ACTUATOR_POSITION : PAWL_ACTUATOR_VELOCITY;
            def.joint = pawl_builder_joint_at(w->builder, k);
            def.target = pawl_signal_constant(dice_between(d, -1.0, 1.0) * unit);
            def.stiffness = def.kind == PAWL_ACTUATOR_POSITION ? dice_power(d, 0.0, 12.0) : 0.0;
            def.damping = dice_power(d, -3.0, 9.0);
            def.effort = dice_chance(d, 0.5) ? INFINITY : dice_power(d, -3.0, 6.0);
            pawl_builder_add_actuator(w->builder, &def,
                                      NULL); // joints without coordinates refuse it
        }
        if (dice_chance(d, 0.3)) {
            pawl_motion_def def = pawl_motion_def_default();
            def.joint = pawl_builder_joint_at(w->builder, k);
            def.target = (pawl_signal){.kind = PAWL_SIGNAL_SINUSOID};
            def.target.amplitude = dice_power(d, -2.0, 1.0);
            def.target.frequency = dice_power(d, -2.0, 4.0);
            pawl_builder_add_motion(w->builder, &def, NULL);
        }
    }
    if (dice_chance(d, 0.5)) { // both ends are led, or held
        pawl_joint_def def = pawl_joint_def_default();
        def.kind = PAWL_JOINT_SPHERICAL;
        def.base = PAWL_WORLD;
        def.follower = last;
        pawl_builder_place_joint(w->builder, &def, v3(count * w->size, 0, 0), v3(1, 0, 0),
                                 v3(0, 0, 0));
        pawl_builder_add_joint(w->builder, &def, NULL);
    }
}

// Few bodies that meet at any speed.
static void scene_crash(scene_work *w)
{
    int count = 2 + dice_pick(&w->d, 3);
    w->speed = w->size * dice_power(&w->d, 0.0, 5.0);
    for (int i = 0; i < count; ++i) {
        pawl_body_id body = scene_body(w, v3_scale(w->size, v3(1.5 * i, 0.1 * i, 0.6)));
        scene_shape(w, body, dice_chance(&w->d, 0.2));
    }
    scene_floor(w, 0.0, 0.0);
}

typedef struct scene_kind_row {
    const char *name;
    void (*make)(scene_work *w);
} scene_kind_row;

static const scene_kind_row scene_kinds[] = {
    {"heap", scene_heap},
    {"wedge", scene_wedge},
    {"mechanism", scene_mechanism},
    {"springs", scene_springs},
    {"contradictions", scene_contradictions},
    {"crash", scene_crash},
};

static pawl_settings scene_settings(dice *d, double dt)
{
    pawl_settings s = pawl_settings_default();
    static const pawl_stepper_kind steppers[] = {
        PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU, PAWL_STEPPER_LIT,  PAWL_STEPPER_RATTLE,
        PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU, PAWL_STEPPER_NMDP, PAWL_STEPPER_MDP};
    s.stepper = steppers[dice_pick(d, 8)];
    s.dt = dt;
    s.project = dice_chance(d, 0.8);
    bool trees = s.stepper == PAWL_STEPPER_EULER || s.stepper == PAWL_STEPPER_MOREAU ||
                 s.stepper == PAWL_STEPPER_LIT;
    s.formulation =
        trees && dice_chance(d, 0.25) ? PAWL_FORMULATION_REDUCED : PAWL_FORMULATION_MAXIMAL;
    return s;
}

void adversarial_scene_make(const pawl_env *env, uint64_t seed, int index, adversarial_scene *out)
{
    scene_work w = {.d = {seed * UINT64_C(0x2545f4914f6cdd1d) + (uint64_t)index}, .ok = true};
    dice *d = &w.d;
    for (int i = 0; i < 4; ++i) {
        dice_bits(d);
    }
    // Half of the scenes are of a size that people meet.
    bool extreme = dice_chance(d, 0.5);
    w.size = extreme ? dice_power(d, -6.0, 6.0) : dice_power(d, -2.0, 1.0);
    w.mass = extreme ? dice_power(d, -6.0, 6.0) : dice_power(d, -1.0, 2.0);
    w.mass_decades = dice_chance(d, 0.3) ? dice_between(d, 0.0, 12.0) : 1.0;
    w.dt = dice_chance(d, 0.4) ? dice_power(d, -9.0, 0.0) : dice_power(d, -4.0, -2.0);
    w.speed = dice_chance(d, 0.5) ? 0.0 : w.size * dice_power(d, -1.0, 2.0);
    w.friction = dice_chance(d, 0.3) ? 0.0 : dice_between(d, 0.0, 2.0);
    w.restitution = dice_chance(d, 0.5) ? 0.0 : dice_chance(d, 0.3) ? 1.0 : dice_fraction(d);
    const scene_kind_row *kind = &scene_kinds[dice_pick(d, 6)];
    *out = (adversarial_scene){.steps = 100};
    if (pawl_builder_create(env, "adversarial", &w.builder) != PAWL_OK) {
        return;
    }
    double weight = dice_chance(d, 0.3) ? 0.0 : 9.81;
    pawl_builder_set_gravity(w.builder, v3(0, 0, -weight));
    kind->make(&w);
    out->settings = scene_settings(d, w.dt);
    snprintf(out->name, sizeof out->name,
             "%s of %d, %.1e m, %.1e kg, decades %.1f, dt %.1e, %s%s%s, mu %.2f, e %.2f",
             kind->name, w.bodies, w.size, w.mass, w.mass_decades, w.dt,
             pawl_stepper_name((int)out->settings.stepper),
             out->settings.formulation == PAWL_FORMULATION_REDUCED ? " reduced" : "",
             out->settings.project ? "" : " unprojected", w.friction, w.restitution);
    if (w.ok && pawl_builder_compile(w.builder, &out->model) != PAWL_OK) {
        out->model = NULL;
    }
    pawl_builder_destroy(w.builder);
}
