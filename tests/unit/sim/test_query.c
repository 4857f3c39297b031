// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Queries, against closed forms, finite differences and steps of a simulation.
#include "math/vec.h"
#include "pawl/pawl.h"
#include "support/mechanism.h"
#include "support/random.h"
#include <math.h>
#include <stdlib.h>

static pawl_query *query_of(const mechanism *m, const pawl_state *s)
{
    pawl_query *q;
    CHECK_OK(pawl_query_create(&((mechanism *)m)->t.env, m->model, &q));
    CHECK_OK(pawl_query_place(q, s));
    return q;
}

// ---- closed forms ---------------------------------------------------------------------------------

// Two rods in the plane y = 0, hinges about y, angles from the vertical downwards with q2 relative to q1. Lagrange:
//   M11 = I1 + I2 + m1 a^2 + m2 (l^2 + b^2 + 2 l b cos q2),  M12 = I2 + m2 (b^2 + l b cos q2),  M22 = I2 + m2 b^2,
//   c1 = -m2 l b sin q2 (2 q1' q2' + q2'^2) + (m1 a + m2 l) g sin q1 + m2 b g sin(q1 + q2),
//   c2 = m2 l b sin q2 q1'^2 + m2 b g sin(q1 + q2).
TEST(a_double_pendulum_has_the_mass_matrix_and_bias_of_the_textbook)
{
    const double m1 = 1.3, m2 = 0.7, a = 0.2, b = 0.15, l = 0.5, I1 = 0.03, I2 = 0.01, g = 9.81;
    mechanism m;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(0, 0, -g));
    pawl_body_id first = mechanism_solid(&m, m1, v3(0, 0, -a), v3(0.01, I1, 0.02));
    pawl_body_id second = mechanism_solid(&m, m2, v3(0, 0, -l - b), v3(0.004, I2, 0.005));
    pawl_joint_id A =
        mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, first, v3(0, 0, 0), v3(0, -1, 0));
    pawl_joint_def d =
        mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE, first, second, v3(0, 0, -l), v3(0, -1, 0));
    d.coordinate[0].armature = 0.002;
    pawl_joint_id B = mechanism_joint(&m, &d);
    mechanism_compile(&m);
    pawl_state *s;
    CHECK_OK(pawl_state_create(&m.t.env, m.model, &s));
    pawl_query *q = query_of(&m, s);
    CHECK_INT(pawl_query_velocity_count(q), 2);
    CHECK_INT(pawl_query_find(q, A, 0), 0);
    CHECK_INT(pawl_query_find(q, B, 0), 1);
    for (int k = 0; k < 20; ++k) {
        double q1 = 0.4 * k - 3.0, q2 = 1.1 - 0.3 * k, u1 = 0.2 * k - 1.0, u2 = 2.0 - 0.15 * k;
        CHECK_OK(pawl_state_set_joint(s, A, &q1, &u1));
        CHECK_OK(pawl_state_set_joint(s, B, &q2, &u2));
        CHECK_OK(pawl_query_place(q, s));
        double M[4], c[2], v[2];
        CHECK_OK(pawl_query_mass_matrix(q, M));
        CHECK_OK(pawl_query_bias(q, c));
        CHECK_OK(pawl_query_velocities(q, v));
        double M12 = I2 + m2 * (b * b + l * b * cos(q2)), M22 = I2 + m2 * b * b;
        CHECK_NEAR(v[0], u1, 1e-13);
        CHECK_NEAR(v[1], u2, 1e-13);
        CHECK_NEAR(M[0], I1 + I2 + m1 * a * a + m2 * (l * l + b * b + 2 * l * b * cos(q2)), 1e-14);
        CHECK_NEAR(M[1], M12, 1e-14);
        CHECK_NEAR(M[2], M12, 1e-14);
        CHECK_NEAR(M[3], M22 + 0.002, 1e-14);
        double pull = m2 * b * g * sin(q1 + q2), twist = m2 * l * b * sin(q2);
        CHECK_NEAR(c[0], -twist * (2 * u1 * u2 + u2 * u2) + (m1 * a + m2 * l) * g * sin(q1) + pull,
                   1e-12);
        CHECK_NEAR(c[1], twist * u1 * u1 + pull, 1e-12);
        double acceleration[2] = {0.3, -1.7}, tau[2];
        CHECK_OK(pawl_query_inverse_dynamics(q, acceleration, tau));
        CHECK_NEAR(tau[0], M[0] * 0.3 - M[1] * 1.7 + c[0], 1e-12);
        CHECK_NEAR(tau[1], M[2] * 0.3 - M[3] * 1.7 + c[1], 1e-12);
        // An input of the state: without gravity only velocities are left.
        CHECK_OK(pawl_state_set_gravity(s, v3(0, 0, 0)));
        CHECK_OK(pawl_query_place(q, s));
        CHECK_OK(pawl_query_bias(q, c));
        CHECK_NEAR(c[1], twist * u1 * u1, 1e-12);
        CHECK_OK(pawl_state_clear_gravity(s));
    }
    pawl_query_destroy(q);
    pawl_state_destroy(s);
    mechanism_end(&m);
}

// ---- random trees ---------------------------------------------------------------------------------

static const pawl_joint_kind query_kinds[] = {
    PAWL_JOINT_REVOLUTE,  PAWL_JOINT_PRISMATIC, PAWL_JOINT_CYLINDRICAL, PAWL_JOINT_UNIVERSAL,
    PAWL_JOINT_SPHERICAL, PAWL_JOINT_PLANAR,    PAWL_JOINT_GIMBAL,      PAWL_JOINT_SCREW,
    PAWL_JOINT_FIXED,     PAWL_JOINT_CARTESIAN};
enum { QUERY_BODIES = 9, QUERY_MAX = 6 * QUERY_BODIES };

static void query_tree(mechanism *m, uint64_t seed)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(1, -2, -9));
    bool floating = seed % 3 == 0;
    for (int i = 0; i < QUERY_BODIES; ++i) {
        pawl_body_def d = pawl_body_def_default();
        d.mass = random_in(&seed, 0.5, 2.0);
        random_inertia(&seed, d.mass, 0.3, d.inertia);
        d.com = random_vec(&seed, 0.2);
        d.pose = random_pose(&seed, 1.0);
        pawl_body_id body = mechanism_body(m, &d);
        pawl_body_id base = PAWL_WORLD;
        if (i > 0) {
            base = pawl_builder_body_at(m->builder, random_index(&seed, i));
        }
        if (i == 0 && floating) {
            continue;
        }
        pawl_joint_kind kind =
            query_kinds[random_index(&seed, sizeof query_kinds / sizeof query_kinds[0])];
        bool turned = !pawl_body_is_world(base) && random_index(&seed, 2) == 0;
        pawl_joint_def j = mechanism_joint_def(m, kind, turned ? body : base, turned ? base : body,
                                               random_vec(&seed, 0.5), random_vec(&seed, 1.0));
        j.pitch = 0.2;
        mechanism_joint(m, &j);
    }
    mechanism_compile(m);
}

// Joints at random positions and rates.
static void query_shake(const mechanism *m, pawl_state *s, uint64_t seed)
{
    for (int j = 0; j < pawl_model_joint_count(m->model); ++j) {
        pawl_joint_info info = pawl_model_joint(m->model, pawl_model_joint_at(m->model, j));
        double q[6], rate[6];
        for (int c = 0; c < info.coordinate_count; ++c) {
            q[c] = random_in(&seed, -0.8, 0.8);
            rate[c] = random_in(&seed, -1.0, 1.0);
        }
        if (info.coordinate_count > 0) {
            CHECK_OK(pawl_state_set_joint(s, pawl_model_joint_at(pawl_state_model(s), j), q, rate));
        }
    }
}

// M is what the kinetic energy and its own products say; J v is the twist that the state has.
TEST(mass_matrices_and_jacobians_of_random_trees_agree_with_the_state)
{
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        mechanism m;
        query_tree(&m, seed);
        pawl_state *s;
        CHECK_OK(pawl_state_create(&m.t.env, m.model, &s));
        query_shake(&m, s, seed + 100);
        pawl_query *q = query_of(&m, s);
        int n = pawl_query_velocity_count(q);
        double M[QUERY_MAX * QUERY_MAX], v[QUERY_MAX], x[QUERY_MAX], y[QUERY_MAX], z[QUERY_MAX];
        double J[6 * QUERY_MAX], c[QUERY_MAX], energy = 0.0;
        CHECK(n <= QUERY_MAX);
        int64_t calls = m.t.calls;
        CHECK_OK(pawl_query_mass_matrix(q, M));
        CHECK_OK(pawl_query_velocities(q, v));
        CHECK_OK(pawl_query_bias(q, c));
        for (int k = 0; k < n; ++k) {
            x[k] = cos(3.0 * k + 1.0);
        }
        CHECK_OK(pawl_query_mass_multiply(q, x, y));
        CHECK_OK(pawl_query_mass_solve(q, y, z));
        for (int i = 0; i < n; ++i) {
            double sum = 0.0;
            for (int k = 0; k < n; ++k) {
                sum += M[i * n + k] * x[k];
                energy += 0.5 * v[i] * M[i * n + k] * v[k];
                CHECK_NEAR(M[i * n + k], M[k * n + i], 1e-12);
            }
            CHECK_NEAR(y[i], sum, 1e-11);
            CHECK_NEAR(z[i], x[i], 1e-8);
        }
        CHECK_NEAR(energy, pawl_state_energy(s).kinetic, 1e-11 * (1.0 + energy));
        CHECK_OK(pawl_query_bias(q, z)); // products leave no trace
        for (int k = 0; k < n; ++k) {
            CHECK_NEAR(z[k], c[k], 0.0);
        }
        for (int body = 0; body < QUERY_BODIES; ++body) {
            pawl_vec3 point = {0.3, -0.2, 0.1};
            pawl_pose pose = pawl_state_pose(s, pawl_model_body_at(pawl_state_model(s), body));
            pawl_twist twist = pawl_state_twist(s, pawl_model_body_at(pawl_state_model(s), body));
            pawl_vec3 arm = pawl_quat_rotate(pose.orientation, point);
            pawl_vec3 at = v3_add(twist.linear, v3_cross(twist.angular, arm));
            const double expected[6] = {
                at.x, at.y, at.z, twist.angular.x, twist.angular.y, twist.angular.z};
            double B[36], u[6] = {twist.linear.x,  twist.linear.y,  twist.linear.z,
                                  twist.angular.x, twist.angular.y, twist.angular.z};
            CHECK_OK(pawl_query_jacobian(q, pawl_builder_body_at(m.builder, body), point, J));
            CHECK_OK(pawl_state_point_jacobian(s, pawl_model_body_at(pawl_state_model(s), body),
                                               point, B));
            for (int i = 0; i < 6; ++i) {
                double sum = 0.0, by_body = 0.0;
                for (int k = 0; k < n; ++k) {
                    sum += J[i * n + k] * v[k];
                }
                for (int k = 0; k < 6; ++k) {
                    by_body += B[6 * i + k] * u[k];
                }
                CHECK_NEAR(sum, expected[i], 1e-11);
                CHECK_NEAR(by_body, expected[i], 1e-12);
            }
            pawl_pose frame = {point, pawl_quat_from_rpy(0.4, -0.3, 1.2)};
            pawl_quat axes = pawl_quat_multiply(pose.orientation, frame.orientation);
            CHECK_OK(pawl_query_frame_jacobian(q, pawl_builder_body_at(m.builder, body), frame, J));
            double own[6] = {0};
            for (int i = 0; i < 6; ++i) {
                for (int k = 0; k < n; ++k) {
                    own[i] += J[i * n + k] * v[k];
                }
            }
            pawl_vec3 back = pawl_quat_rotate(axes, v3(own[0], own[1], own[2]));
            CHECK_NEAR(v3_norm(v3_sub(back, at)), 0.0, 1e-11);
            back = pawl_quat_rotate(axes, v3(own[3], own[4], own[5]));
            CHECK_NEAR(v3_norm(v3_sub(back, twist.angular)), 0.0, 1e-11);
        }
        CHECK_INT(m.t.calls, calls); // no memory is asked for
        pawl_query_destroy(q);
        pawl_state_destroy(s);
        mechanism_end(&m);
    }
}

// One short step of a simulation in maximal coordinates, which knows nothing of trees: with no force along the
// coordinates, v' = -M^-1 c. The step is of first order, so two lengths of it extrapolate to 1e-6.
TEST(bias_forces_and_mass_matrix_predict_the_next_step)
{
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        mechanism m;
        query_tree(&m, seed);
        double rate[2][QUERY_MAX], c[QUERY_MAX], v[QUERY_MAX], a[QUERY_MAX], tau[QUERY_MAX];
        int n = 0;
        for (int half = 0; half < 2; ++half) {
            double dt = half == 0 ? 1e-4 : 5e-5;
            pawl_settings settings = mechanism_settings(dt, PAWL_STEPPER_MOREAU);
            if (half == 0) {
                mechanism_start(&m, &settings);
            } else {
                mechanism_restart(&m, &settings);
            }
            query_shake(&m, pawl_sim_edit_state(m.sim), seed + 100);
            pawl_query *q = query_of(&m, mechanism_state(&m));
            n = pawl_query_velocity_count(q);
            CHECK_OK(pawl_query_velocities(q, v));
            CHECK_OK(pawl_query_bias(q, c));
            CHECK_OK(pawl_query_mass_solve(q, c, a));
            for (int k = 0; k < n; ++k) {
                a[k] = -a[k];
            }
            CHECK_OK(pawl_query_inverse_dynamics(q, a, tau)); // nothing acts
            for (int k = 0; k < n; ++k) {
                CHECK_NEAR(tau[k], 0.0, 1e-8);
            }
            CHECK_OK(pawl_sim_step(m.sim, NULL));
            CHECK_OK(pawl_query_place(q, mechanism_state(&m)));
            CHECK_OK(pawl_query_velocities(q, rate[half]));
            for (int k = 0; k < n; ++k) {
                rate[half][k] = (rate[half][k] - v[k]) / dt;
            }
            pawl_query_destroy(q);
        }
        double largest = 1.0;
        for (int k = 0; k < n; ++k) {
            largest = fmax(largest, fabs(a[k]));
        }
        for (int k = 0; k < n; ++k) {
            CHECK_NEAR(2.0 * rate[1][k] - rate[0][k], a[k], 1e-5 * largest);
        }
        mechanism_end(&m);
    }
}

// ---- loops ----------------------------------------------------------------------------------------

// A parallelogram of two cranks of length 0.3 and a coupler, gravity sideways. With equal angles q of both cranks
// the coupler does not turn: T = (J + m l^2 / 2) q'^2 with J = I + m_c (l/2)^2 of a crank about its pin, m of the
// coupler. Holding it and speeding it up needs along q the force Q = (2 J + m l^2) q'' + dU/dq. The tree has three
// coordinates, so Q = tau . dtheta/dq; the smallest tau is parallel to dtheta/dq, as the four hinges are equal.
TEST(inverse_dynamics_of_a_loop_is_the_smallest_that_does_it)
{
    const double l = 0.3, mc = 0.4, mass = 1.5, I = 0.01, g = 7.0, angle = 0.7, q2 = 2.5;
    mechanism m;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(g, 0, 0));
    const pawl_vec3 axis = {0, -1, 0};
    pawl_body_id left = mechanism_solid(&m, mc, v3(0, 0, -l / 2), v3(I, I, I));
    pawl_body_id right = mechanism_solid(&m, mc, v3(0.5, 0, -l / 2), v3(I, I, I));
    pawl_body_id bar = mechanism_solid(&m, mass, v3(0.25, 0, -l), v3(0.02, 0.02, 0.02));
    pawl_joint_id A = mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, left, v3(0, 0, 0), axis);
    mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, right, v3(0.5, 0, 0), axis);
    pawl_joint_def d = mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE, left, bar, v3(0, 0, -l), axis);
    mechanism_joint(&m, &d);
    d = mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE, right, bar, v3(0.5, 0, -l), axis);
    mechanism_joint(&m, &d);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
    mechanism_start(&m, &settings);
    pawl_joint_start start = {A, {angle}};
    CHECK_OK(pawl_sim_set_joints(m.sim, &start, 1));
    // All along the one motion: rates of the cranks 1.3, the coupler's angle against its crank -1.3.
    pawl_query *q = query_of(&m, mechanism_state(&m));
    CHECK_INT(pawl_query_loop_count(q), 1);
    CHECK_INT(pawl_query_velocity_count(q), 3);
    double along[3], a[3], tau[3], norm = 0.0, work = 0.0;
    pawl_state *s = pawl_sim_edit_state(m.sim);
    for (int k = 0; k < 3; ++k) {
        pawl_column column = pawl_query_column(q, k);
        along[k] = pawl_body_same(column.body, bar) ? -1.0 : 1.0;
        a[k] = q2 * along[k];
        double rate = 1.3 * along[k], at[1];
        CHECK_OK(pawl_state_joint(s, column.joint, at, NULL));
        CHECK_OK(pawl_state_set_joint(s, column.joint, at, &rate));
    }
    CHECK_OK(pawl_query_place(q, s));
    CHECK_OK(pawl_query_inverse_dynamics(q, a, tau));
    double J = I + mc * l * l / 4.0;
    // x of a crank's tip is l sin q (hinges about -y, hanging down): U = -g x summed over masses.
    double expected = (2.0 * J + mass * l * l) * q2 - g * (mc * l + mass * l) * cos(angle);
    for (int k = 0; k < 3; ++k) {
        work += tau[k] * along[k];
        norm += tau[k] * tau[k];
    }
    CHECK_NEAR(work, expected, 1e-6);
    CHECK_NEAR(norm, work * work / 3.0, 1e-6);
    a[0] += 0.1; // no longer a motion of the loop
    CHECK_STATUS(pawl_query_inverse_dynamics(q, a, tau), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&m.t, "of a loop");
    pawl_query_destroy(q);
    mechanism_end(&m);
}

// ---- momentum and contacts ------------------------------------------------------------------------

// Sums over bodies that the test makes itself; in free flight both change by gravity alone.
TEST(momentum_is_that_of_all_bodies)
{
    mechanism m;
    mechanism_throw(&m);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
    mechanism_start(&m, &settings);
    mechanism_run(&m, 20);
    pawl_vec3 p = mechanism_momentum(&m), L = mechanism_angular_momentum(&m);
    pawl_momentum mine = pawl_state_momentum(mechanism_state(&m), v3(0, 0, 0));
    CHECK_NEAR(v3_norm(v3_sub(mine.linear, p)), 0.0, 1e-12);
    CHECK_NEAR(v3_norm(v3_sub(mine.angular, L)), 0.0, 1e-12);
    pawl_vec3 c = pawl_state_centre_of_mass(mechanism_state(&m));
    pawl_momentum own = pawl_state_momentum(mechanism_state(&m), c);
    CHECK_NEAR(v3_norm(v3_sub(v3_add(own.angular, v3_cross(c, p)), L)), 0.0, 1e-12);
    mechanism_end(&m);
}

// Statics: two boxes of 2 and 3 kg on each other on a floor, the upper one pushed sideways by 1 N.
TEST(contact_forces_by_body_and_by_pair_bear_the_weights)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(0, 0, -10));
    pawl_shape_def box = pawl_shape_def_default(), floor = pawl_shape_def_default();
    box.kind = PAWL_SHAPE_BOX;
    box.size = v3(0.2, 0.2, 0.1);
    floor.kind = PAWL_SHAPE_PLANE;
    pawl_body_id low = mechanism_solid(&m, 2.0, v3(0, 0, 0.1), v3(0.1, 0.1, 0.1));
    pawl_body_id high = mechanism_solid(&m, 3.0, v3(0, 0, 0.3), v3(0.1, 0.1, 0.1));
    CHECK_OK(pawl_builder_add_shape(m.builder, low, &box, NULL));
    CHECK_OK(pawl_builder_add_shape(m.builder, high, &box, NULL));
    CHECK_OK(pawl_builder_add_shape(m.builder, PAWL_WORLD, &floor, NULL));
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
    mechanism_start(&m, &settings);
    CHECK_OK(pawl_state_set_wrench(pawl_sim_edit_state(m.sim), high, v3(1, 0, 0), v3(0, 0, 0)));
    mechanism_run(&m, 50);
    pawl_contact_sum on_low = pawl_sim_body_contacts(m.sim, low);
    pawl_contact_sum on_high = pawl_sim_body_contacts(m.sim, high);
    pawl_contact_sum pair = pawl_sim_pair_contacts(m.sim, low, high);
    pawl_contact_sum floor_sum = pawl_sim_pair_contacts(m.sim, low, PAWL_WORLD);
    CHECK_NEAR(on_low.force.z, 20.0, 1e-5);
    CHECK_NEAR(on_high.force.z, 30.0, 1e-5);
    CHECK_NEAR(on_high.force.x, -1.0, 1e-5);
    CHECK_NEAR(pair.force.z, 30.0, 1e-5);
    CHECK_NEAR(pawl_sim_pair_contacts(m.sim, high, low).force.z, -30.0, 1e-5);
    CHECK_NEAR(floor_sum.force.z, -50.0, 1e-5);
    CHECK_NEAR(floor_sum.force.x, 1.0, 1e-5);
    CHECK_NEAR(v3_norm(on_high.moment), 0.0, 1e-4); // at rest: friction and pressure balance
    CHECK(pair.count >= 3 && on_low.count == pair.count + floor_sum.count);
    CHECK_INT(pawl_sim_pair_contacts(m.sim, high, PAWL_WORLD).count, 0);
    mechanism_end(&m);
}
