// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The closed forms are those of rigid bodies on rigid ground. The contact models are compliant by some millimetres,
// which is an error here for every step size; docs/wrench-contact.md section 3 gives the depth at rest.
#include "nmdp_cases.h"
#include <math.h>

static const double cases_g = 9.81;
static const double cases_failed = NAN;

// A scene from builder to simulation. A call that fails leaves `good` false, and the case counts as failed.
typedef struct cases_scene {
    pawl_env env;
    pawl_builder *builder;
    pawl_model *model;
    pawl_sim *sim;
    bool good;
    double deepest;
} cases_scene;

static void cases_check(cases_scene *s, pawl_status status)
{
    s->good = s->good && status == PAWL_OK;
}

static void cases_begin(cases_scene *s)
{
    *s = (cases_scene){.env = pawl_env_default(), .good = true};
    cases_check(s, pawl_builder_create(&s->env, "case", &s->builder));
}

static void cases_shape(cases_scene *s, pawl_body_id body, pawl_shape_kind kind, pawl_vec3 size,
                        pawl_quat turn, double friction)
{
    pawl_shape_def shape = pawl_shape_def_default();
    shape.kind = kind;
    shape.size = size;
    shape.frame.orientation = turn;
    shape.friction = friction;
    cases_check(s, pawl_builder_add_shape(s->builder, body, &shape, NULL));
}

static pawl_quat cases_turn_x(double angle)
{
    return (pawl_quat){cos(0.5 * angle), sin(0.5 * angle), 0.0, 0.0};
}

static pawl_quat cases_turn_y(double angle)
{
    return (pawl_quat){cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0};
}

// A plane through the origin that falls towards +x.
static void cases_slope(cases_scene *s, double angle, double friction)
{
    cases_shape(s, PAWL_WORLD, PAWL_SHAPE_PLANE, (pawl_vec3){0, 0, 0}, cases_turn_y(angle),
                friction);
}

static pawl_body_id cases_body(cases_scene *s, pawl_pose pose, double mass, pawl_vec3 inertia)
{
    pawl_body_def def = pawl_body_def_default();
    pawl_body_id body = PAWL_WORLD;
    def.pose = pose;
    def.mass = mass;
    def.inertia[0] = inertia.x, def.inertia[1] = inertia.y, def.inertia[2] = inertia.z;
    cases_check(s, pawl_builder_add_body(s->builder, &def, &body));
    return body;
}

static pawl_pose cases_at(double x, double y, double z)
{
    return (pawl_pose){{x, y, z}, {1.0, 0.0, 0.0, 0.0}};
}

static pawl_body_id cases_ball(cases_scene *s, pawl_pose pose, double mass, double r, double mu)
{
    double J = 0.4 * mass * r * r;
    pawl_body_id ball = cases_body(s, pose, mass, (pawl_vec3){J, J, J});
    cases_shape(s, ball, PAWL_SHAPE_SPHERE, (pawl_vec3){r, 0, 0}, cases_turn_x(0.0), mu);
    return ball;
}

static pawl_body_id cases_box(cases_scene *s, pawl_pose pose, double mass, pawl_vec3 half,
                              double mu)
{
    double x = half.x * half.x, y = half.y * half.y, z = half.z * half.z, third = mass / 3.0;
    pawl_body_id box =
        cases_body(s, pose, mass, (pawl_vec3){third * (y + z), third * (x + z), third * (x + y)});
    cases_shape(s, box, PAWL_SHAPE_BOX, half, cases_turn_x(0.0), mu);
    return box;
}

static void cases_start(cases_scene *s, const pawl_settings *settings)
{
    if (s->good) {
        cases_check(s, pawl_builder_compile(s->builder, &s->model));
    }
    if (s->good) {
        cases_check(s, pawl_sim_create(&s->env, s->model, settings, &s->sim));
    }
}

static void cases_throw(cases_scene *s, pawl_body_id body, pawl_vec3 linear, pawl_vec3 angular)
{
    if (s->good) {
        pawl_twist twist = {linear, angular};
        cases_check(s, pawl_state_set_twist(pawl_sim_edit_state(s->sim), body, twist));
    }
}

static bool cases_step(cases_scene *s)
{
    pawl_step_report report;
    if (s->good) {
        cases_check(s, pawl_sim_step(s->sim, &report));
    }
    if (s->good) {
        s->deepest = fmax(s->deepest, report.penetration);
    }
    return s->good;
}

static double cases_time(const cases_scene *s)
{
    return pawl_state_time(pawl_sim_state(s->sim));
}

static void cases_run(cases_scene *s, double time)
{
    while (s->good && cases_time(s) < time - 1e-9 && cases_step(s)) {
    }
}

static pawl_vec3 cases_position(const cases_scene *s, pawl_body_id body)
{
    return pawl_state_pose(pawl_sim_state(s->sim), body).position;
}

static pawl_twist cases_twist(const cases_scene *s, pawl_body_id body)
{
    return pawl_state_twist(pawl_sim_state(s->sim), body);
}

static double cases_end(cases_scene *s, double error, double *deepest)
{
    *deepest = s->deepest;
    bool good = s->good;
    pawl_sim_destroy(s->sim);
    pawl_model_destroy(s->model);
    pawl_builder_destroy(s->builder);
    return good ? error : cases_failed;
}

// ---- rolling -----------------------------------------------------------------------------------

// 2 m/s and 20 rad/s, to stay so.
static double cases_rolling_ball(const pawl_settings *settings, double *deepest)
{
    cases_scene s;
    cases_begin(&s);
    cases_slope(&s, 0.0, 0.5);
    pawl_body_id ball = cases_ball(&s, cases_at(0, 0, 0.1), 1.0, 0.1, 0.5);
    cases_start(&s, settings);
    cases_throw(&s, ball, (pawl_vec3){2, 0, 0}, (pawl_vec3){0, 20, 0});
    cases_run(&s, 1.0);
    double error = s.good ? fabs(cases_position(&s, ball).x - 2.0) : 0.0;
    return cases_end(&s, error, deepest);
}

// A lying cylinder of radius 0.1 m, likewise.
static double cases_rolling_cylinder(const pawl_settings *settings, double *deepest)
{
    cases_scene s;
    cases_begin(&s);
    cases_slope(&s, 0.0, 0.5);
    double r = 0.1, half = 0.15, m = 2.0, across = m * (3.0 * r * r + 4.0 * half * half) / 12.0;
    pawl_body_id body =
        cases_body(&s, cases_at(0, 0, r), m, (pawl_vec3){across, 0.5 * m * r * r, across});
    cases_shape(&s, body, PAWL_SHAPE_CYLINDER, (pawl_vec3){r, 0, half},
                cases_turn_x(0.5 * 3.14159265358979323846), 0.5);
    cases_start(&s, settings);
    cases_throw(&s, body, (pawl_vec3){2, 0, 0}, (pawl_vec3){0, 20, 0});
    cases_run(&s, 1.0);
    double error = s.good ? fabs(cases_position(&s, body).x - 2.0) : 0.0;
    return cases_end(&s, error, deepest);
}

// A ball thrown without spin slides until it rolls, at 5/7 of its speed, whatever the friction.
static double cases_bowling(const pawl_settings *settings, double *deepest)
{
    cases_scene s;
    cases_begin(&s);
    cases_slope(&s, 0.0, 0.3);
    pawl_body_id ball = cases_ball(&s, cases_at(0, 0, 0.1), 4.0, 0.1, 0.3);
    cases_start(&s, settings);
    cases_throw(&s, ball, (pawl_vec3){3, 0, 0}, (pawl_vec3){0, 0, 0});
    cases_run(&s, 1.0);
    double error = s.good ? fabs(cases_twist(&s, ball).linear.x - 15.0 / 7.0) : 0.0;
    return cases_end(&s, error, deepest);
}

// A ball that spins on the spot about the vertical: a point has no torsion, so it spins on.
static double cases_spinning_ball(const pawl_settings *settings, double *deepest)
{
    cases_scene s;
    cases_begin(&s);
    cases_slope(&s, 0.0, 0.5);
    pawl_body_id ball = cases_ball(&s, cases_at(0, 0, 0.1), 1.0, 0.1, 0.5);
    cases_start(&s, settings);
    cases_throw(&s, ball, (pawl_vec3){0, 0, 0}, (pawl_vec3){0, 0, 15});
    cases_run(&s, 1.0);
    double error = s.good ? fabs(cases_twist(&s, ball).angular.z / 15.0 - 1.0) : 0.0;
    return cases_end(&s, error, deepest);
}

// Down 10 degrees: 5/7 g sin.
static double cases_ball_on_slope(const pawl_settings *settings, double *deepest)
{
    cases_scene s;
    double slope = 0.17453292519943295, r = 0.1, a = 5.0 / 7.0 * cases_g * sin(slope);
    cases_begin(&s);
    cases_slope(&s, slope, 0.5);
    pawl_body_id ball = cases_ball(&s, cases_at(r * sin(slope), 0, r * cos(slope)), 1.0, r, 0.5);
    cases_start(&s, settings);
    cases_run(&s, 1.0);
    pawl_vec3 v = s.good ? cases_twist(&s, ball).linear : (pawl_vec3){0, 0, 0};
    return cases_end(&s, fabs(hypot(v.x, v.z) / a - 1.0), deepest);
}

// From the side of a valley z = x^2/4 to its bottom: 7/10 v^2 = g times the fall of the centre.
static double cases_valley_fall(double x, double r)
{
    double steep = 0.5 * x;
    return 0.25 * x * x + r / sqrt(1.0 + steep * steep) - r;
}

static double cases_heightfield(const pawl_settings *settings, double *deepest)
{
    enum { COUNT = 61 };
    double heights[COUNT * COUNT], dx = 0.05, r = 0.1, from = 0.8, steep = 0.5 * from;
    for (int i = 0; i < COUNT * COUNT; ++i) {
        double x = dx * (i % COUNT - COUNT / 2);
        heights[i] = 0.25 * x * x;
    }
    cases_scene s;
    cases_begin(&s);
    pawl_heightfield_def field = pawl_heightfield_def_default();
    field.x_count = field.y_count = COUNT;
    field.dx = field.dy = dx;
    field.heights = heights;
    field.frame.position = (pawl_vec3){-dx * (COUNT / 2), -dx * (COUNT / 2), 0.0};
    field.surface.friction = 0.8;
    cases_check(&s, pawl_builder_add_heightfield(s.builder, &field, NULL));
    double n = sqrt(1.0 + steep * steep);
    pawl_pose start = cases_at(from - r * steep / n, 0.0, 0.25 * from * from + r / n);
    pawl_body_id ball = cases_ball(&s, start, 1.0, r, 0.8);
    cases_start(&s, settings);
    double error = 1.0, before = from;
    while (s.good && cases_time(&s) < 3.0 && cases_step(&s)) {
        double x = cases_position(&s, ball).x;
        if (x <= 0.0) { // the energy of the step's mean velocity over the bottom
            double v = (before - x) / settings->dt, ideal = 10.0 / 7.0 * cases_g;
            error = fabs(v * v / (ideal * cases_valley_fall(from, r)) - 1.0);
            break;
        }
        before = x;
    }
    return cases_end(&s, error, deepest);
}

// ---- carts -------------------------------------------------------------------------------------

// Four balls driven at 10 rad/s carry a chassis at 1 m/s.
static double cases_cart(const pawl_settings *settings, double *deepest)
{
    cases_scene s;
    double r = 0.1;
    cases_begin(&s);
    cases_slope(&s, 0.0, 0.8);
    pawl_body_id chassis = cases_body(&s, cases_at(0, 0, 0.15), 5.0, (pawl_vec3){0.1, 0.1, 0.1});
    for (int i = 0; i < 4; ++i) {
        pawl_vec3 at = {i < 2 ? 0.2 : -0.2, i % 2 ? 0.15 : -0.15, r};
        pawl_body_id wheel = cases_ball(&s, cases_at(at.x, at.y, at.z), 0.5, r, 0.8);
        pawl_actuator_def motor = pawl_actuator_def_default();
        cases_check(&s, pawl_builder_connect(s.builder, NULL, PAWL_JOINT_REVOLUTE, chassis, wheel,
                                             at, (pawl_vec3){0, 1, 0}, &motor.joint));
        motor.kind = PAWL_ACTUATOR_VELOCITY;
        motor.damping = 5.0;
        motor.target = pawl_signal_constant(10.0);
        cases_check(&s, pawl_builder_add_actuator(s.builder, &motor, NULL));
    }
    cases_start(&s, settings);
    cases_run(&s, 2.0);
    double error = s.good ? fabs(cases_twist(&s, chassis).linear.x - 1.0) : 0.0;
    return cases_end(&s, error, deepest);
}

// ---- boxes -------------------------------------------------------------------------------------

// 2 m/s, friction 0.5: stops after v^2/(2 mu g).
static double cases_sliding_box(const pawl_settings *settings, double *deepest)
{
    cases_scene s;
    cases_begin(&s);
    cases_slope(&s, 0.0, 0.5);
    pawl_body_id box = cases_box(&s, cases_at(0, 0, 0.1), 1.0, (pawl_vec3){0.2, 0.2, 0.1}, 0.5);
    cases_start(&s, settings);
    cases_throw(&s, box, (pawl_vec3){2, 0, 0}, (pawl_vec3){0, 0, 0});
    cases_run(&s, 1.0);
    double error = s.good ? fabs(cases_position(&s, box).x - 4.0 / cases_g) : 0.0;
    return cases_end(&s, error, deepest);
}

// Down 30 degrees with friction 0.3: g (sin - mu cos).
static double cases_box_on_slope(const pawl_settings *settings, double *deepest)
{
    cases_scene s;
    double slope = 0.5235987755982988, a = cases_g * (sin(slope) - 0.3 * cos(slope));
    cases_begin(&s);
    cases_slope(&s, slope, 0.3);
    pawl_pose start = cases_at(0.1 * sin(slope), 0, 0.1 * cos(slope));
    start.orientation = cases_turn_y(slope);
    pawl_body_id box = cases_box(&s, start, 1.0, (pawl_vec3){0.2, 0.2, 0.1}, 0.3);
    cases_start(&s, settings);
    cases_run(&s, 1.0);
    pawl_vec3 v = s.good ? cases_twist(&s, box).linear : (pawl_vec3){0, 0, 0};
    return cases_end(&s, fabs(hypot(v.x, v.z) / a - 1.0), deepest);
}

// 15 degrees with friction 0.5: it stands still.
static double cases_box_sticks(const pawl_settings *settings, double *deepest)
{
    cases_scene s;
    double slope = 0.2617993877991494;
    cases_begin(&s);
    cases_slope(&s, slope, 0.5);
    pawl_pose start = cases_at(0.1 * sin(slope), 0, 0.1 * cos(slope));
    start.orientation = cases_turn_y(slope);
    pawl_body_id box = cases_box(&s, start, 1.0, (pawl_vec3){0.2, 0.2, 0.1}, 0.5);
    cases_start(&s, settings);
    cases_run(&s, 1.0);
    pawl_vec3 from = s.good ? cases_position(&s, box) : (pawl_vec3){0, 0, 0};
    cases_run(&s, 2.0);
    pawl_vec3 to = s.good ? cases_position(&s, box) : from;
    double along = (to.x - from.x) * cos(slope) - (to.z - from.z) * sin(slope);
    return cases_end(&s, fabs(along), deepest);
}

// A tall box leaves the balance on one of its edges, 5 degrees over it, and topples about that edge: at an angle a from
// upright (m + I/L^2) L^2 w^2/2 = m g L (cos a0 - cos a), L from the edge to the centre. Compared where a passes 40 degrees:
// its mass is that of a rod of length 2 L, whose edge needs friction above 2 from 56 degrees on (N = m g (1 - 3 cos a)^2/4,
// F = 3/4 m g sin a (3 cos a - 2)) and slips, and a step of 50 ms turns it by 12 degrees.
static double cases_toppling_box(const pawl_settings *settings, double *deepest)
{
    cases_scene s;
    double hx = 0.1, hz = 0.3, m = 2.0, mu = 2.0, L = hypot(hx, hz);
    double balance = atan2(hx, hz), over = 0.08726646259971647, tilt = balance + over;
    double I = m / 3.0 * (hx * hx + hz * hz) + m * L * L;
    cases_begin(&s);
    cases_slope(&s, 0.0, mu);
    pawl_pose start = cases_at(L * sin(over), 0, L * cos(over));
    start.orientation = cases_turn_y(tilt);
    pawl_body_id box = cases_box(&s, start, m, (pawl_vec3){hx, 0.2, hz}, mu);
    cases_start(&s, settings);
    double error = 1.0, angle = over;
    while (s.good && cases_time(&s) < 3.0 && cases_step(&s)) {
        double w = cases_twist(&s, box).angular.y, middle = angle + 0.5 * w * settings->dt;
        angle += w * settings->dt; // the velocity is the mean one of the step
        if (middle > 0.6981317007977318) {
            double ideal = sqrt(2.0 * m * cases_g * L * (cos(over) - cos(middle)) / I);
            error = fabs(w / ideal - 1.0);
            break;
        }
    }
    return cases_end(&s, error, deepest);
}

// ---- joints ------------------------------------------------------------------------------------

// 1 m/s against a stop: it may come back with no more. The error is what is gained, over many returns.
static double cases_limit_stop(const pawl_settings *settings, double *deepest)
{
    cases_scene s;
    cases_begin(&s);
    pawl_builder_set_gravity(s.builder, (pawl_vec3){0, 0, 0});
    pawl_body_id slider = cases_body(&s, cases_at(0, 0, 0), 1.0, (pawl_vec3){1, 1, 1});
    pawl_joint_def joint = pawl_joint_def_default();
    joint.kind = PAWL_JOINT_PRISMATIC;
    joint.follower = slider;
    joint.coordinate[0].lower = -0.1;
    joint.coordinate[0].upper = 0.1;
    cases_check(&s, pawl_builder_place_joint(s.builder, &joint, (pawl_vec3){0, 0, 0},
                                             (pawl_vec3){1, 0, 0}, (pawl_vec3){0, 0, 0}));
    cases_check(&s, pawl_builder_add_joint(s.builder, &joint, NULL));
    cases_start(&s, settings);
    cases_throw(&s, slider, (pawl_vec3){1, 0, 0}, (pawl_vec3){0, 0, 0});
    double fastest = 0.0;
    while (s.good && cases_time(&s) < 2.0 && cases_step(&s)) {
        fastest = fmax(fastest, fabs(cases_twist(&s, slider).linear.x));
    }
    return cases_end(&s, fmax(fastest - 1.0, 0.0), deepest);
}

const nmdp_case nmdp_cases[] = {
    {"rolling ball", "distance after 1 s, of 2 m [m]", cases_rolling_ball},
    {"rolling cylinder", "distance after 1 s, of 2 m [m]", cases_rolling_cylinder},
    {"bowling ball", "speed after sliding, of 2.143 [m/s]", cases_bowling},
    {"spinning ball", "spin lost in 1 s, relative", cases_spinning_ball},
    {"ball on slope", "speed after 1 s, relative", cases_ball_on_slope},
    {"ball in a valley", "energy at the bottom of a heightfield, relative", cases_heightfield},
    {"cart on balls", "speed after 2 s, of 1 [m/s]", cases_cart},
    {"sliding box", "stopping distance, of 0.408 m [m]", cases_sliding_box},
    {"box slides down", "speed after 1 s, relative", cases_box_on_slope},
    {"box sticks", "creep in 1 s [m]", cases_box_sticks},
    {"toppling box", "angular velocity at 40 degrees, relative", cases_toppling_box},
    {"limit stop", "speed gained, of 1 [m/s]", cases_limit_stop},
};
const int nmdp_case_count = sizeof nmdp_cases / sizeof *nmdp_cases;
