// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Soft joints, limits and contacts against the closed form of one step,
//   v+ = (1 - d) v_free + d (v - h (b v + k r)),
// with d, b and k as MuJoCo's documentation has them, written here once more with the C library's pow;
// and over many steps against the damped oscillator that it stands for.
#include "math/vec.h"
#include "model/softness.h"
#include "support/mechanism.h"
#include "support/random.h"

#include <float.h>
#include <math.h>

static const double soft_g = 9.81;

static double reference_impedance(const pawl_softness *s, double r)
{
    double x = fabs(r) / s->width, m = s->midpoint, p = s->power;
    if (x >= 1.0) {
        return s->dw;
    }
    double y = x <= m ? pow(x, p) / pow(m, p - 1.0) : 1.0 - pow(1.0 - x, p) / pow(1.0 - m, p - 1.0);
    return s->d0 + y * (s->dw - s->d0);
}

// The velocity after a step of a row with violation r and impedance d, from v, and from what the
// velocity would be without it.
static double reference_step(const pawl_softness *s, double d, double h, double r, double v,
                             double free)
{
    double b = 2.0 / (s->dw * s->time_constant);
    double k = d / pow(s->dw * s->time_constant * s->damping_ratio, 2.0);
    return (1.0 - d) * free + d * (v - h * (b * v + k * r));
}

static pawl_softness soft_random(uint64_t *seed)
{
    pawl_softness s = {.time_constant = random_in(seed, 0.01, 0.1),
                       .damping_ratio = random_in(seed, 0.3, 2.0),
                       .d0 = random_in(seed, 0.01, 0.99),
                       .dw = random_in(seed, 0.01, 0.99),
                       .width = random_in(seed, 1e-4, 0.1),
                       .midpoint = random_in(seed, 0.05, 0.95),
                       .power = random_in(seed, 1.0, 6.0)};
    return s;
}

TEST(impedances_are_those_of_the_formula)
{
    uint64_t seed = 1;
    for (int trial = 0; trial < 20000; ++trial) {
        pawl_softness s = soft_random(&seed);
        s.power = trial % 3 == 0 ? (double)(1 + trial % 5) : s.power;
        double r = random_in(&seed, -1.2, 1.2) * s.width;
        CHECK_NEAR(pawl_softness_impedance(&s, r), reference_impedance(&s, r), 1e-14);
    }
    pawl_softness s = pawl_softness_default();
    CHECK_NEAR(pawl_softness_impedance(&s, 0.0), 0.9, 0.0);
    CHECK_NEAR(pawl_softness_impedance(&s, 5e-4), 0.925, 1e-16); // the midpoint
    CHECK_NEAR(pawl_softness_impedance(&s, -1.0), 0.95, 1e-16);
    s.width = 0.0;
    CHECK_NEAR(pawl_softness_impedance(&s, 0.3), 0.925, 1e-16);
}

// ---- Joints -------------------------------------------------------------------------------------

// A ball of 2 kg that a soft joint holds to the world at the origin, `away` from it.
static pawl_joint_id soft_ball(mechanism *m, pawl_joint_kind kind, const pawl_softness *s,
                               pawl_vec3 away, pawl_vec3 velocity)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -soft_g));
    pawl_body_def body = pawl_body_def_default();
    body.mass = 2.0;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.01;
    body.pose.position = away;
    body.twist.linear = velocity;
    pawl_joint_def joint = pawl_joint_def_default();
    joint.kind = kind;
    joint.follower = mechanism_body(m, &body);
    joint.soft = *s;
    return mechanism_joint(m, &joint);
}

// Each axis by itself; the impedance is that of the distance.
TEST(a_soft_joint_takes_the_step_of_the_closed_form)
{
    uint64_t seed = 2;
    for (int trial = 0; trial < 60; ++trial) {
        mechanism m;
        pawl_softness s = soft_random(&seed);
        pawl_vec3 r = random_vec(&seed, 0.05), v = random_vec(&seed, 1.0);
        soft_ball(&m, trial % 2 == 0 ? PAWL_JOINT_SPHERICAL : PAWL_JOINT_FIXED, &s, r, v);
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
        settings.project = trial % 3 != 0; // a soft joint is not projected either way
        settings.solver.kind = trial % 5 == 0 ? PAWL_SOLVER_DIRECT : settings.solver.kind;
        mechanism_start(&m, &settings);
        CHECK_NEAR3(pawl_state_pose(mechanism_state(&m), pawl_model_body_at(m.model, 0)).position,
                    r, 0.0);
        mechanism_step(&m);
        double h = settings.dt, d = reference_impedance(&s, v3_norm(r));
        pawl_vec3 expected =
            v3(reference_step(&s, d, h, r.x, v.x, v.x), reference_step(&s, d, h, r.y, v.y, v.y),
               reference_step(&s, d, h, r.z, v.z, v.z - h * soft_g));
        CHECK_NEAR3(pawl_state_twist(mechanism_state(&m), pawl_model_body_at(m.model, 0)).linear,
                    expected, 1e-13);
        mechanism_end(&m);
    }
}

// Without gravity and with one impedance d throughout, r'' = -d b r' - d k r with b = 2/(d T) and
// k = d/(d T)^2: critically damped, r = r0 (1 + t/T) exp(-t/T), whatever d. First order: the error halves
// with the step.
TEST(a_soft_joint_dies_out_like_a_damped_oscillator)
{
    double error[2];
    for (int k = 0; k < 2; ++k) {
        mechanism m;
        pawl_softness s = pawl_softness_default();
        s.time_constant = 0.05;
        s.d0 = s.dw = 0.7;
        soft_ball(&m, PAWL_JOINT_SPHERICAL, &s, v3(0.02, 0, 0), v3(0, 0, 0));
        pawl_builder_set_gravity(m.builder, v3(0, 0, 0));
        pawl_settings settings = mechanism_settings(1e-4 / (k + 1), PAWL_STEPPER_EULER);
        mechanism_start(&m, &settings);
        mechanism_run(&m, 1000 * (k + 1));
        double w = 1.0 / s.time_constant, t = 0.1;
        error[k] = pawl_state_pose(mechanism_state(&m), pawl_model_body_at(m.model, 0)).position.x -
                   0.02 * (1.0 + w * t) * exp(-w * t);
        mechanism_end(&m);
    }
    CHECK(fabs(error[0]) < 2e-5); // h w^2 t r0 / 4
    CHECK_NEAR(error[1] / error[0], 0.5, 0.01);
}

// Statics: (1 - d) g = d k r with the d of that r, by bisection.
static double reference_sag(const pawl_softness *s, double g)
{
    double low = 0.0, high = 10.0;
    for (int i = 0; i < 200; ++i) {
        double r = 0.5 * (low + high), d = reference_impedance(s, r);
        double k = d / pow(s->dw * s->time_constant * s->damping_ratio, 2.0);
        *((1.0 - d) * g > d * k * r ? &low : &high) = r;
    }
    return low;
}

TEST(a_soft_joint_sags_as_far_as_statics_says_and_energy_is_accounted_for)
{
    for (int stepper = 0; stepper < MECHANISM_STEPPERS; ++stepper) {
        mechanism m;
        pawl_softness s = pawl_softness_default();
        s.time_constant = 0.02;
        soft_ball(&m, PAWL_JOINT_SPHERICAL, &s, v3(0, 0, 0), v3(0, 0, 0));
        pawl_settings settings = mechanism_settings(1e-3, (pawl_stepper_kind)stepper);
        mechanism_start(&m, &settings);
        double fastest = 0.0;
        for (int k = 0; k < 1000; ++k) {
            mechanism_step(&m);
            fastest = fmax(
                fastest, fabs(pawl_state_twist(mechanism_state(&m), pawl_model_body_at(m.model, 0))
                                  .linear.z));
        }
        CHECK_NEAR(pawl_state_pose(mechanism_state(&m), pawl_model_body_at(m.model, 0)).position.z,
                   -reference_sag(&s, soft_g), 1e-12);
        CHECK(mechanism_energy(&m).work_dampers < 0.0);
        // What the steps of euler make of a fall: the height changes by h v+, not by the mean
        double slack = stepper == PAWL_STEPPER_EULER ? 0.5 * 2.0 * soft_g * 1e-3 * fastest : 0.0;
        CHECK_NEAR(m.verdict.balance_max, 0.0, slack * (1.0 + 1e-9) + 1e-14);
        mechanism_end(&m);
    }
}

// A soft joint beside hard ones: the rod's other end is held exactly.
TEST(hard_joints_stay_closed_beside_soft_ones)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(0, 0, -soft_g));
    pawl_body_id rod = mechanism_solid(&m, 1.0, v3(0.5, 0, 0), v3(0.001, 0.1, 0.1));
    mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, rod, v3(0, 0, 0), v3(0, 1, 0));
    pawl_joint_def soft =
        mechanism_joint_def(&m, PAWL_JOINT_SPHERICAL, PAWL_WORLD, rod, v3(1, 0, 0), v3(0, 1, 0));
    soft.soft.time_constant = 0.02;
    mechanism_joint(&m, &soft);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    mechanism_run(&m, 500);
    pawl_pose pose = pawl_state_pose(mechanism_state(&m), rod);
    pawl_vec3 left = pawl_pose_apply(pose, v3(-0.5, 0, 0)),
              right = pawl_pose_apply(pose, v3(0.5, 0, 0));
    CHECK_NEAR3(left, v3(0, 0, 0), 1e-12);
    CHECK(right.z < -1e-5 && right.z > -1e-3);
    mechanism_end(&m);
}

// ---- Limits -------------------------------------------------------------------------------------

static pawl_joint_id soft_slider(mechanism *m, const pawl_softness *s, double at, double speed)
{
    mechanism_begin(m);
    pawl_body_def body = pawl_body_def_default();
    body.mass = 2.0;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.01;
    body.pose.position = v3(at, 0, 0);
    body.twist.linear = v3(speed, 0, 0);
    pawl_joint_def joint = pawl_joint_def_default();
    joint.kind = PAWL_JOINT_PRISMATIC;
    joint.follower = mechanism_body(m, &body);
    joint.coordinate[0].lower = -0.1;
    joint.coordinate[0].upper = 0.1;
    joint.coordinate[0].limit_soft = *s;
    return mechanism_joint(m, &joint);
}

// Beyond the limit: the closed form where it pushes back, nothing where it would pull. Before it:
// nothing, even if the step crosses it.
TEST(a_soft_limit_takes_the_step_of_the_closed_form)
{
    uint64_t seed = 3;
    int pushed = 0, left_alone = 0;
    for (int trial = 0; trial < 80; ++trial) {
        mechanism m;
        pawl_softness s = soft_random(&seed);
        double over = random_in(&seed, -0.02, 0.05), speed = random_in(&seed, -1.0, 1.0);
        bool upper = trial % 2 == 0;
        double sign = upper ? 1.0 : -1.0;
        pawl_joint_id joint = soft_slider(&m, &s, sign * (0.1 + over), sign * speed);
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
        mechanism_start(&m, &settings);
        mechanism_step(&m);
        // The row's violation is the gap, -over, its rate -speed; the row can only push out.
        double d = reference_impedance(&s, over), h = settings.dt;
        double wanted = -reference_step(&s, d, h, -over, -speed, -speed);
        double expected = over > 0.0 ? fmin(wanted, speed) : speed;
        CHECK_NEAR(sign * mechanism_rate(&m, joint, 0), expected, 1e-13);
        *(expected == speed ? &left_alone : &pushed) += 1;
        mechanism_end(&m);
    }
    CHECK(pushed > 10 && left_alone > 10);
}

// ---- Contacts -----------------------------------------------------------------------------------

static pawl_body_id soft_sphere(mechanism *m, const pawl_softness *ball,
                                const pawl_softness *ground, double depth, pawl_vec3 velocity)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -soft_g));
    pawl_shape_def shape = pawl_shape_def_default();
    shape.kind = PAWL_SHAPE_PLANE;
    shape.soft = *ground;
    CHECK_OK(pawl_builder_add_shape(m->builder, PAWL_WORLD, &shape, NULL));
    pawl_body_def body = pawl_body_def_default();
    body.density = 1000.0;
    body.pose.position = v3(0, 0, 0.1 - depth);
    body.twist.linear = velocity;
    pawl_body_id index = mechanism_body(m, &body);
    shape.kind = PAWL_SHAPE_SPHERE;
    shape.size = v3(0.1, 0.1, 0.1);
    shape.soft = *ball;
    CHECK_OK(pawl_builder_add_shape(m->builder, index, &shape, NULL));
    return index;
}

TEST(a_soft_contact_takes_the_step_of_the_closed_form)
{
    uint64_t seed = 4;
    const pawl_solver_kind solvers[] = {PAWL_SOLVER_ADMM_NCP, PAWL_SOLVER_PGS_NCP,
                                        PAWL_SOLVER_LEMKE};
    for (int trial = 0; trial < 90; ++trial) {
        mechanism m;
        pawl_softness s = soft_random(&seed), none = pawl_softness_default();
        double depth = random_in(&seed, -0.02, 0.05), speed = random_in(&seed, -1.0, 1.0);
        soft_sphere(&m, trial % 2 == 0 ? &s : &none, trial % 2 == 0 ? &none : &s, depth,
                    v3(0, 0, speed));
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
        settings.solver.kind = solvers[trial % 3];
        settings.solver.tolerance = 1e-12;
        mechanism_start(&m, &settings);
        mechanism_step(&m);
        double d = reference_impedance(&s, depth), h = settings.dt, free = speed - h * soft_g;
        double wanted = reference_step(&s, d, h, -depth, speed, free);
        double expected = depth > 0.0 ? fmax(wanted, free) : free;
        CHECK_NEAR(pawl_state_twist(mechanism_state(&m), pawl_model_body_at(m.model, 0)).linear.z,
                   expected, 1e-11);
        mechanism_end(&m);
    }
}

// Two soft shapes: the mean of all numbers. A shape that is hard says so for itself alone.
TEST(soft_shapes_mix_as_documented)
{
    uint64_t seed = 5;
    pawl_softness a = soft_random(&seed), b = soft_random(&seed), hard = pawl_softness_default();
    hard.time_constant = -1.0;
    for (int k = 0; k < 2; ++k) {
        mechanism m;
        soft_sphere(&m, &a, k == 0 ? &b : &hard, 0.01, v3(0, 0, 0));
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
        settings.solver.tolerance = 1e-12;
        mechanism_start(&m, &settings);
        mechanism_step(&m);
        pawl_softness s = a;
        if (k == 0) {
            s = (pawl_softness){0.5 * (a.time_constant + b.time_constant),
                                0.5 * (a.damping_ratio + b.damping_ratio),
                                0.5 * (a.d0 + b.d0),
                                0.5 * (a.dw + b.dw),
                                0.5 * (a.width + b.width),
                                0.5 * (a.midpoint + b.midpoint),
                                0.5 * (a.power + b.power)};
        }
        double h = settings.dt, d = reference_impedance(&s, 0.01);
        CHECK_NEAR(pawl_state_twist(mechanism_state(&m), pawl_model_body_at(m.model, 0)).linear.z,
                   reference_step(&s, d, h, -0.01, 0.0, -h * soft_g), 1e-11);
        mechanism_end(&m);
    }
}

// The settings' word for all three, which own words override; two hard shapes stay hard.
TEST(settings_make_soft_what_says_nothing_of_its_own)
{
    pawl_softness none = pawl_softness_default(), hard = none;
    hard.time_constant = -1.0;
    for (int k = 0; k < 2; ++k) {
        mechanism m;
        soft_sphere(&m, k == 0 ? &none : &hard, k == 0 ? &none : &hard, 0.01, v3(0, 0, 0));
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
        settings.soft.contact = 0.02;
        settings.soft.d0 = 0.8;
        settings.solver.tolerance = 1e-12;
        mechanism_start(&m, &settings);
        mechanism_step(&m);
        pawl_softness s = none;
        s.time_constant = 0.02;
        s.d0 = 0.8;
        double h = settings.dt, d = reference_impedance(&s, 0.01);
        double soft = reference_step(&s, d, h, -0.01, 0.0, -h * soft_g);
        // hard: the overlap is corrected without a velocity
        CHECK_NEAR(pawl_state_twist(mechanism_state(&m), pawl_model_body_at(m.model, 0)).linear.z,
                   k == 0 ? soft : 0.0, 1e-11);
        mechanism_end(&m);
    }
    for (int k = 0; k < 2; ++k) {
        mechanism m;
        soft_ball(&m, PAWL_JOINT_SPHERICAL, &none, v3(0.01, 0, 0), v3(0, 0, 0));
        pawl_softness all = none;
        all.time_constant = 0.03;
        if (k == 1) {
            CHECK_OK(pawl_builder_set_softness(m.builder, PAWL_SOFT_JOINTS, &all));
        }
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
        settings.soft.joint = 0.02; // the model's word comes before
        mechanism_start(&m, &settings);
        mechanism_step(&m);
        pawl_softness s = none;
        s.time_constant = k == 1 ? 0.03 : 0.02;
        CHECK_NEAR(pawl_state_twist(mechanism_state(&m), pawl_model_body_at(m.model, 0)).linear.x,
                   reference_step(&s, reference_impedance(&s, 0.01), 1e-3, 0.01, 0.0, 0.0), 1e-13);
        mechanism_end(&m);
    }
}

// Statics again, and rest is rest: a sphere on a soft ground does not creep, and with soft friction on a
// slope it does.
TEST(a_soft_contact_rests_at_the_depth_of_statics)
{
    for (int k = 0; k < 2; ++k) {
        mechanism m;
        pawl_softness s = pawl_softness_default(), none = s;
        s.time_constant = 0.02;
        soft_sphere(&m, &s, &none, 0.0, v3(0, 0, 0));
        pawl_builder_set_gravity(m.builder, v3(k * 0.1 * soft_g, 0, -soft_g));
        pawl_joint_def upright =
            mechanism_joint_def(&m, PAWL_JOINT_CARTESIAN, PAWL_WORLD,
                                pawl_builder_body_at(m.builder, 0), v3(0, 0, 0.1), v3(1, 0, 0));
        mechanism_joint(&m, &upright); // no rolling
        for (int friction = 0; friction < 2; ++friction) {
            pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
            settings.soft.friction = friction == 1;
            mechanism_restart(&m, &settings);
            mechanism_run(&m, 1000);
            pawl_vec3 v =
                pawl_state_twist(mechanism_state(&m), pawl_model_body_at(m.model, 0)).linear;
            CHECK_NEAR(
                pawl_state_pose(mechanism_state(&m), pawl_model_body_at(m.model, 0)).position.z,
                0.1 - reference_sag(&s, soft_g), 1e-9);
            CHECK_NEAR(v.z, 0.0, 1e-9);
            // creep: R lambda = h b v, R = (1 - d)/d times D = 1/m + r^2/I, I = 0.4 m 0.1^2 (the
            // joint that keeps it from rolling is not part of D), lambda = m h a
            double d = reference_impedance(&s, reference_sag(&s, soft_g));
            double b = 2.0 / (s.dw * s.time_constant);
            double arm =
                (pawl_state_pose(mechanism_state(&m), pawl_model_body_at(m.model, 0)).position.z -
                 pawl_sim_contact(m.sim, 0).position.z) /
                0.1;
            double creep = (1.0 + 2.5 * arm * arm) * (1.0 - d) / d * k * 0.1 * soft_g / b;
            CHECK_NEAR(v.x, friction == 1 ? creep : 0.0, 1e-8);
        }
        mechanism_end(&m);
    }
}

// ---- Error reduction by constraint ---------------------------------------------------------------

// Without project a joint's error shrinks by its own share a step, at rest: r+ = (1 - erp) r.
TEST(joints_and_contacts_may_have_an_erp_of_their_own)
{
    const double own[] = {0.0, 0.5, -1.0}, fraction[] = {0.1, 0.5, 0.0};
    for (int k = 0; k < 3; ++k) {
        mechanism m;
        pawl_softness none = pawl_softness_default();
        mechanism_begin(&m);
        pawl_body_def body = pawl_body_def_default();
        body.mass = 2.0;
        body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.01;
        pawl_joint_def joint = pawl_joint_def_default();
        joint.kind = PAWL_JOINT_SPHERICAL;
        joint.follower = mechanism_body(&m, &body);
        joint.erp = own[k];
        mechanism_joint(&m, &joint);
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
        settings.project = false;
        mechanism_start(&m, &settings);
        pawl_state *s;
        CHECK_OK(pawl_state_create(&m.t.env, m.model, &s));
        pawl_state_copy(s, mechanism_state(&m));
        pawl_state_set_pose(s, pawl_model_body_at(pawl_state_model(s), 0),
                            (pawl_pose){v3(0.01, 0, 0), pawl_pose_identity().orientation});
        CHECK_OK(pawl_sim_set_state(m.sim, s));
        pawl_state_destroy(s);
        mechanism_step(&m);
        CHECK_NEAR(pawl_state_pose(mechanism_state(&m), pawl_model_body_at(m.model, 0)).position.x,
                   0.01 * (1.0 - fraction[k]), 1e-14);
        mechanism_end(&m);
        // a contact: erp.contact is 0.2
        const double depth = 1e-4, out[] = {0.2, 0.5, 0.0};
        soft_sphere(&m, &none, &none, depth, v3(0, 0, 0));
        pawl_shape_def shape = pawl_shape_def_default();
        shape.kind = PAWL_SHAPE_SPHERE;
        shape.erp = own[k];
        body.pose.position = v3(1, 0, 0.1 - depth);
        pawl_body_id second = mechanism_body(&m, &body);
        CHECK_OK(pawl_builder_add_shape(m.builder, second, &shape, NULL));
        settings.solver.tolerance = 1e-12;
        mechanism_start(&m, &settings);
        mechanism_step(&m);
        CHECK_NEAR(pawl_state_pose(mechanism_state(&m), second).position.z,
                   0.1 - depth * (1.0 - out[k]), 1e-12);
        mechanism_end(&m);
    }
}

// ---- Builder -------------------------------------------------------------------------------------

TEST(bad_softness_is_refused_and_what_is_soft_is_part_of_a_models_identity)
{
    const pawl_softness good = pawl_softness_default();
    pawl_softness bad[9];
    for (int k = 0; k < 9; ++k) {
        bad[k] = good;
        bad[k].time_constant = 0.02;
    }
    bad[0].time_constant = NAN;
    bad[1].damping_ratio = 0.0;
    bad[2].d0 = 0.0;
    bad[3].d0 = 1.0;
    bad[4].dw = 1.0;
    bad[5].width = -1.0;
    bad[6].midpoint = 1.0;
    bad[7].power = 0.9;
    bad[8].dw = NAN;
    mechanism m;
    mechanism_begin(&m);
    pawl_body_id body = mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(1, 1, 1));
    for (int k = 0; k < 9; ++k) {
        pawl_joint_def joint = pawl_joint_def_default();
        joint.kind = PAWL_JOINT_PRISMATIC;
        joint.follower = body;
        joint.soft = bad[k];
        CHECK_STATUS(pawl_builder_add_joint(m.builder, &joint, NULL), PAWL_BAD_ARGUMENT);
        CHECK_MESSAGE(&m.t, "time constant");
        joint.soft = good;
        joint.coordinate[0].limit_soft = bad[k];
        CHECK_STATUS(pawl_builder_add_joint(m.builder, &joint, NULL), PAWL_BAD_ARGUMENT);
        pawl_shape_def shape = pawl_shape_def_default();
        shape.soft = bad[k];
        CHECK_STATUS(pawl_builder_add_shape(m.builder, body, &shape, NULL), PAWL_BAD_ARGUMENT);
        CHECK_STATUS(pawl_builder_set_softness(m.builder, PAWL_SOFT_LIMITS, &bad[k]),
                     PAWL_BAD_ARGUMENT);
    }
    pawl_joint_def joint = pawl_joint_def_default();
    joint.follower = body;
    joint.erp = 1.5;
    CHECK_STATUS(pawl_builder_add_joint(m.builder, &joint, NULL), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&m.t, "erp is 1.5");
    mechanism_end(&m);
    uint64_t hash[3];
    for (int k = 0; k < 3; ++k) {
        pawl_softness s = good;
        s.time_constant = k == 1 ? 0.02 : 0.0;
        s.power = k == 2 ? 3.0 : 2.0; // of nothing that is soft
        soft_ball(&m, PAWL_JOINT_SPHERICAL, &s, v3(0, 0, 0), v3(0, 0, 0));
        mechanism_compile(&m);
        hash[k] = pawl_model_hash(m.model);
        mechanism_end(&m);
    }
    CHECK(hash[0] != hash[1] && hash[0] == hash[2]);
}
