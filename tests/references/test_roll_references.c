// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What rolls, against closed forms that pawl did not compute: D5, D6, D7 and D15 of
// tests/references/data.
//
// Spheres under constant forces have exact velocities and positions that lag by half a step; the
// change from sliding to rolling falls on the end of a step. Halving dt must halve the errors.
#include "support/reference.h"
#include "support/reference_data.h"
#include "support/scene.h"

#include <math.h>

// --- D5, D6, D7: spheres that slide and roll -----------------------------------------------------

typedef struct roll_case {
    const char *model;
    double horizon; // [s]
    double rolls_at;
} roll_case;

typedef struct roll_result {
    double x, x_max, x_rolling; // at the end, the largest, and when rolling should begin [m]
    double rolls_at;            // end of the first step that left no slip [s]
} roll_result;

static roll_result roll_run(const roll_case *c, const pawl_settings *settings)
{
    mechanism m;
    roll_result out = {.rolls_at = INFINITY};
    scene_load(&m, c->model, settings);
    double before = 0.0;
    while (mechanism_time(&m) < c->horizon - 1e-9) {
        scene_step(&m);
        double x = scene_position(&m, pawl_model_body_at(m.model, 0)).x, t = mechanism_time(&m);
        double slip = scene_velocity(&m, pawl_model_body_at(m.model, 0)).x -
                      0.1 * scene_spin(&m, pawl_model_body_at(m.model, 0)).y;
        if (out.rolls_at == INFINITY && fabs(slip) < 1e-8) {
            out.rolls_at = t;
        }
        if (t >= c->rolls_at && t - settings->dt < c->rolls_at) { // on a line between the steps
            out.x_rolling = x + (x - before) * (c->rolls_at - t) / settings->dt;
        }
        out.x_max = fmax(out.x_max, x);
        before = x;
    }
    out.x = before;
    mechanism_end(&m);
    return out;
}

// Errors at dt, dt / 2 and dt / 4 fall like dt, with moreau like dt^2: there the one step in which
// sliding ends is all that is left, with the acceleration mu g in one part of it.
static void roll_check(const roll_case *c, const roll_result *expected)
{
    double end[3], rolling[3], most[3];
    for (int level = 0; level < 3; ++level) {
        pawl_settings settings = scene_settings(4e-3 / (double)(1 << level));
        roll_result got = roll_run(c, &settings);
        end[level] = fabs(got.x - expected->x);
        rolling[level] = fabs(got.x_rolling - expected->x_rolling);
        most[level] = fabs(got.x_max - expected->x_max);
        CHECK(got.rolls_at >= expected->rolls_at &&
              got.rolls_at < expected->rolls_at + settings.dt);
        settings.stepper = PAWL_STEPPER_MOREAU;
        got = roll_run(c, &settings);
        print_message("%s with moreau at %g s: x %.1e m off\n", c->model, settings.dt,
                      got.x - expected->x);
        CHECK_NEAR(got.x, expected->x, 0.5 * 0.2 * SCENE_G * settings.dt * settings.dt + 1e-9);
    }
    scene_check_falls("x at the end [m]", end, 0.05);
    scene_check_falls("x where rolling begins [m]", rolling, 0.05);
    scene_check_falls("largest x [m]", most, 0.05);
}

TEST(d5_a_sliding_sphere_comes_to_roll)
{
    json_t *data = reference_data_load("D5_sphere_slide_to_roll.json");
    const json_t *series = reference_data_find(data, "v(t)");
    mechanism m;
    pawl_settings settings = scene_settings(1e-3);
    scene_load(&m, CLASSIC("D5-slide-to-roll"), &settings);
    double start = mechanism_energy(&m).kinetic;
    for (int k = 0; k < (int)json_array_size(json_object_get(series, "t")); ++k) {
        double t = reference_data_number(series, "t", k);
        if (fabs(t / settings.dt - round(t / settings.dt)) > 1e-9) {
            continue; // the transition itself falls between two steps
        }
        scene_run(&m, t);
        CHECK_NEAR(scene_velocity(&m, pawl_model_body_at(m.model, 0)).x,
                   reference_data_number(series, "values", k), 1e-9);
    }
    CHECK_NEAR(scene_velocity(&m, pawl_model_body_at(m.model, 0)).x,
               reference_data_scalar(data, "v_final"), 1e-9);
    CHECK_NEAR(scene_spin(&m, pawl_model_body_at(m.model, 0)).y,
               reference_data_scalar(data, "omega_final"), 1e-8);
    CHECK_NEAR(1.0 - mechanism_energy(&m).kinetic / start,
               reference_data_scalar(data, "energy_loss_fraction"), 1e-9);
    CHECK_NEAR(scene_position(&m, pawl_model_body_at(m.model, 0)).z, 0.1, 1e-12);
    CHECK_INT(m.verdict.not_converged, 0);
    mechanism_end(&m);
    roll_case c = {CLASSIC("D5-slide-to-roll"), 1.0, reference_data_scalar(data, "t_roll")};
    roll_result expected = {.x_rolling = reference_data_scalar(data, "x_roll"),
                            .rolls_at = c.rolls_at};
    expected.x =
        expected.x_rolling + reference_data_scalar(data, "v_final") * (c.horizon - c.rolls_at);
    expected.x_max = expected.x;
    roll_check(&c, &expected);
    json_decref(data);
}

TEST(d6_a_sphere_with_back_spin_returns)
{
    json_t *data = reference_data_load("D6_sphere_backspin_return.json");
    mechanism m;
    pawl_settings settings = scene_settings(1e-3);
    scene_load(&m, CLASSIC("D6-back-spin"), &settings);
    scene_run(&m, 2.0);
    CHECK_NEAR(scene_velocity(&m, pawl_model_body_at(m.model, 0)).x,
               reference_data_scalar(data, "v_final"), 1e-9);
    mechanism_end(&m);
    roll_case c = {CLASSIC("D6-back-spin"), 2.0, reference_data_scalar(data, "t_roll")};
    roll_result expected = {.x_rolling = reference_data_scalar(data, "x_at_roll"),
                            .x_max = reference_data_scalar(data, "x_max"),
                            .rolls_at = c.rolls_at};
    expected.x =
        expected.x_rolling + reference_data_scalar(data, "v_final") * (c.horizon - c.rolls_at);
    roll_check(&c, &expected);
    json_decref(data);
}

TEST(d7_a_sphere_rolls_down_a_slope_or_slips)
{
    json_t *data = reference_data_load("D7_sphere_incline.json");
    const json_t *row;
    size_t index;
    json_array_foreach(reference_data_rows(data, "cases"), index, row)
    {
        double angle = reference_data_number(row, "angle_deg", -1) * SCENE_DEGREE;
        double friction = reference_data_number(row, "mu", -1);
        for (int k = 0; k < 2; ++k) { // along x and along the diagonal
            mechanism m;
            scene_floor(&m, friction, angle, 0.5 * k * acos(0.0));
            pawl_body_id ball =
                scene_sphere(&m, 1.0, 0.1, v3(0, 0, 0.1), v3(0, 0, 0), friction, 0.0);
            pawl_settings settings = scene_settings(1e-3);
            mechanism_start(&m, &settings);
            scene_run(&m, 1.0);
            CHECK_NEAR(v3_norm(scene_velocity(&m, ball)), reference_data_number(row, "a", -1),
                       1e-8);
            CHECK_NEAR(0.1 * v3_norm(scene_spin(&m, ball)),
                       reference_data_number(row, "alpha_r", -1), 1e-8);
            CHECK_NEAR(scene_position(&m, ball).z, 0.1, 1e-12);
            if (json_is_true(json_object_get(row, "rolls"))) {
                CHECK_NEAR(mechanism_energy(&m).work_contacts, 0.0, 1e-8);
            }
            mechanism_end(&m);
        }
    }
    json_decref(data);
    pawl_settings settings = scene_settings(1e-3);
    mechanism m;
    scene_load(&m, CLASSIC("D7-sphere-incline"), &settings);
    scene_run(&m, 1.0);
    CHECK_NEAR(v3_norm(scene_velocity(&m, pawl_model_body_at(m.model, 0))), 3.503571428571428,
               1e-8);
    mechanism_end(&m);
}

// The same file's cylinder: it rolls at 2/3 g sin where the friction is at least a third of the tangent,
// on a line of contact, whichever way it lies on the slope.
TEST(d7_a_cylinder_rolls_down_a_slope_or_slips)
{
    const double radius = 0.1, half = 0.2, slope = 30.0 * SCENE_DEGREE, friction[2] = {0.3, 0.1};
    for (int run = 0; run < 4; ++run) {
        double azimuth = run / 2 * 35.0 * SCENE_DEGREE, mu = friction[run % 2];
        mechanism m;
        scene_floor(&m, mu, slope, azimuth);
        pawl_body_def def = pawl_body_def_default();
        def.mass = 1.0;
        def.inertia[0] = def.inertia[1] = (3.0 * radius * radius + 4.0 * half * half) / 12.0;
        def.inertia[2] = 0.5 * radius * radius;
        def.pose.position = v3(0, 0, radius);
        // Its axis lies across the way down.
        def.pose.orientation = pawl_quat_from_rpy(acos(0.0), 0.0, azimuth);
        pawl_body_id roll = mechanism_body(&m, &def);
        scene_shape(&m, roll, PAWL_SHAPE_CYLINDER, v3(radius, 0, half), v3(0, 0, 0), mu, 0.0);
        pawl_settings settings = scene_settings(1e-3);
        mechanism_start(&m, &settings);
        scene_run(&m, 1.0);
        double g = SCENE_G * sin(slope), slips = SCENE_G * mu * cos(slope);
        double a = mu >= tan(slope) / 3.0 ? 2.0 / 3.0 * g : g - slips;
        double alpha = mu >= tan(slope) / 3.0 ? a / radius : 2.0 * slips / radius;
        CHECK_NEAR3(scene_velocity(&m, roll), v3(a * cos(azimuth), a * sin(azimuth), 0.0), 1e-7);
        CHECK_NEAR(v3_norm(scene_spin(&m, roll)), alpha, 1e-6);
        CHECK_NEAR(scene_position(&m, roll).z, radius, 1e-9);
        mechanism_end(&m);
    }
}

// --- D15: Euler's disk ---------------------------------------------------------------------------

typedef struct roll_disk {
    double height, lean, energy; // largest changes, relative to the start
    double turned;               // precession [rad]
    double normal, friction;     // means over the run, relative to the weight
} roll_disk;

// The disk of the model file, leaning at `alpha`, through the precession angle `turn`.
static roll_disk roll_d15(double alpha, double precession, double turn, double dt)
{
    const double radius = 0.05, thick = 1e-6;
    pawl_settings settings = scene_settings(dt);
    mechanism m;
    scene_load(&m, CLASSIC("D15-euler-disk"), &settings);
    pawl_state *start;
    CHECK_OK(pawl_state_create(&m.t.env, m.model, &start));
    double z = radius * sin(alpha) + 0.5 * thick * cos(alpha), w = precession * sin(alpha);
    pawl_state_set_pose(start, pawl_model_body_at(pawl_state_model(start), 0),
                        (pawl_pose){v3(0, 0, z), pawl_quat_from_rpy(0, -alpha, 0)});
    pawl_state_set_twist(start, pawl_model_body_at(pawl_state_model(start), 0),
                         (pawl_twist){v3(0, 0, 0), v3(w * cos(alpha), 0, w * sin(alpha))});
    CHECK_OK(pawl_sim_set_state(m.sim, start));
    pawl_state_destroy(start);

    roll_disk out = {0};
    const double weight = SCENE_G, circle = 4.0 * acos(0.0);
    double energy = scene_stored(&m), azimuth = 0.0;
    CHECK_NEAR(energy - 0.5 * weight * thick * cos(alpha), 1.5 * weight * radius * sin(alpha),
               1e-12);
    pawl_vec3 force = {0};
    int steps = (int)(turn / precession / dt + 0.5);
    for (int k = 0; k < steps; ++k) {
        scene_step(&m);
        pawl_quat q =
            pawl_state_pose(mechanism_state(&m), pawl_model_body_at(m.model, 0)).orientation;
        double lean = acos(pawl_quat_rotate(q, v3(0, 0, 1)).z);
        out.height =
            fmax(out.height, fabs(scene_position(&m, pawl_model_body_at(m.model, 0)).z / z - 1.0));
        out.lean = fmax(out.lean, fabs(lean / alpha - 1.0));
        out.energy = fmax(out.energy, fabs(scene_stored(&m) / energy - 1.0));
        pawl_vec3 spin = scene_spin(&m, pawl_model_body_at(m.model, 0)),
                  f = scene_force(&m, PAWL_WORLD, pawl_model_body_at(m.model, 0));
        double now = atan2(spin.y, spin.x);
        azimuth = now + circle * round((azimuth - now) / circle);
        // Friction in the axes that turn with the disk.
        pawl_vec3 along = v3_scale(1.0 / v3_norm(spin), v3(spin.x, spin.y, 0.0));
        force = v3_add(force, v3(v3_dot(f, along), along.x * f.y - along.y * f.x, f.z));
    }
    out.turned = azimuth;
    out.normal = force.z / steps / weight;
    out.friction = sqrt(force.x * force.x + force.y * force.y) / steps / weight;
    mechanism_end(&m);
    return out;
}

// The same precession a step for every lean, whatever its speed. All errors are at most of first
// order, with a constant of about one per radian of precession in a step; some fall faster. Errors
// of a tenth of that are sums of parts that cancel, whose ratio is no order: they are to stay below a tenth.
TEST(d15_eulers_disk_rolls_steadily)
{
    json_t *data = reference_data_load("D15_euler_disk_steady.json");
    static const char *const what[6] = {"height",     "lean",         "energy",
                                        "precession", "normal force", "friction"};
    const double turn = 8.0, a_step = 0.016; // [rad]
    const json_t *row;
    size_t index;
    json_array_foreach(reference_data_rows(data, "cases"), index, row)
    {
        double alpha = reference_data_number(row, "alpha_deg", -1) * SCENE_DEGREE;
        double precession = reference_data_number(row, "precession", -1);
        CHECK_NEAR(1.5 * SCENE_G * 0.05 * sin(alpha),
                   reference_data_number(row, "energy_per_kg", -1), 1e-12);
        double error[6][3];
        for (int level = 0; level < 3; ++level) {
            roll_disk got = roll_d15(alpha, precession, turn, a_step / precession / (1 << level));
            error[0][level] = got.height;
            error[1][level] = got.lean;
            error[2][level] = got.energy;
            error[3][level] = fabs(got.turned / turn - 1.0);
            error[4][level] = fabs(got.normal - 1.0);
            error[5][level] = got.friction;
        }
        for (int k = 0; k < 6; ++k) {
            print_message("D15, %g degrees, %s: relative errors %.2e %.2e %.2e\n",
                          alpha / SCENE_DEGREE, what[k], error[k][0], error[k][1], error[k][2]);
            CHECK(error[k][0] <= 1.5 * a_step);
            for (int level = 1; level < 3; ++level) {
                double order = reference_order(error[k][level - 1], error[k][level]);
                CHECK(order >= 0.85 || error[k][level] < 0.1 * a_step / (1 << level));
            }
        }
    }
    json_decref(data);
}
