// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// As test_public_abuse.c, for inputs, joints that are set, queries and solvers as objects.
#include "math/vec.h"
#include "pawl/pawl.h"
#include "support/abuse.h"
#include "support/everything.h"
#include "support/mechanism.h"
#include <math.h>
#include <string.h>

static const pawl_vec3 abuse_zero = {0, 0, 0};

TEST(inputs_that_are_none)
{
    mechanism m;
    mechanism_begin(&m);
    CHECK_OK(everything_build(&m.t.env, &m.model));
    pawl_state *s;
    CHECK_OK(pawl_state_create(&m.t.env, m.model, &s));
    uint64_t hash = pawl_state_hash(s);
    pawl_gains gains = {1, 1, 1};
    pawl_vec3 force, torque;
    EACH_ID(id)
    {
        CHECK_BAD(pawl_state_set_target(s, bad_actuator(id), 1.0));
        CHECK_BAD(pawl_state_clear_target(s, bad_actuator(id)));
        CHECK_NAN(pawl_state_target(s, bad_actuator(id)));
        CHECK_BAD(pawl_state_set_gains(s, bad_actuator(id), &gains));
        CHECK_BAD(pawl_state_clear_gains(s, bad_actuator(id)));
        CHECK_NAN(pawl_state_gains(s, bad_actuator(id)).damping);
        CHECK_BAD(pawl_state_set_wrench(s, bad_body(id), abuse_zero, abuse_zero));
        CHECK_BAD(pawl_state_add_force(s, bad_body(id), abuse_zero, abuse_zero));
        CHECK_BAD(pawl_state_wrench(s, bad_body(id), &force, &torque));
        CHECK_BAD(pawl_state_set_shape_friction_scale(s, bad_shape(id), 0.5));
        CHECK_NAN(pawl_state_shape_friction_scale(s, bad_shape(id)));
        CHECK_NAN(pawl_state_target(NULL, bad_actuator(id)));
        CHECK_NAN(pawl_state_gains(NULL, bad_actuator(id)).effort);
    }
    CHECK_BAD(pawl_state_set_wrench(s, PAWL_WORLD, abuse_zero, abuse_zero));
    EACH_NUMBER(x)
    {
        CHECK_BAD(pawl_state_set_target(s, pawl_model_actuator_at(pawl_state_model(s), 0), x));
        CHECK_BAD(pawl_state_set_gains(s, pawl_model_actuator_at(pawl_state_model(s), 0),
                                       &(pawl_gains){x, x, x}));
        CHECK_BAD(pawl_state_set_wrench(s, pawl_model_body_at(pawl_state_model(s), 0), v3(0, x, 0),
                                        abuse_zero));
        CHECK_BAD(pawl_state_set_wrench(s, pawl_model_body_at(pawl_state_model(s), 0), abuse_zero,
                                        v3(0, 0, x)));
        CHECK_BAD(pawl_state_add_force(s, pawl_model_body_at(pawl_state_model(s), 0), v3(x, 0, 0),
                                       abuse_zero));
        CHECK_BAD(pawl_state_add_force(s, pawl_model_body_at(pawl_state_model(s), 0), v3(1, 0, 0),
                                       v3(x, x, x)));
        CHECK_BAD(pawl_state_set_gravity(s, v3(0, 0, x)));
        CHECK_BAD(pawl_state_set_friction_scale(s, x));
        CHECK_BAD(
            pawl_state_set_shape_friction_scale(s, pawl_model_shape_at(pawl_state_model(s), 0), x));
    }
    CHECK_BAD(pawl_state_set_gains(s, pawl_model_actuator_at(pawl_state_model(s), 0), NULL));
    CHECK_BAD(pawl_state_set_target(NULL, pawl_model_actuator_at(pawl_state_model(NULL), 0), 1.0));
    CHECK_BAD(pawl_state_clear_target(NULL, pawl_model_actuator_at(pawl_state_model(NULL), 0)));
    CHECK_BAD(
        pawl_state_set_gains(NULL, pawl_model_actuator_at(pawl_state_model(NULL), 0), &gains));
    CHECK_BAD(pawl_state_clear_gains(NULL, pawl_model_actuator_at(pawl_state_model(NULL), 0)));
    CHECK_BAD(pawl_state_set_wrench(NULL, pawl_model_body_at(pawl_state_model(NULL), 0), abuse_zero,
                                    abuse_zero));
    CHECK_BAD(pawl_state_add_force(NULL, pawl_model_body_at(pawl_state_model(NULL), 0), abuse_zero,
                                   abuse_zero));
    CHECK_BAD(
        pawl_state_wrench(NULL, pawl_model_body_at(pawl_state_model(NULL), 0), &force, &torque));
    CHECK_OK(pawl_state_wrench(s, pawl_model_body_at(pawl_state_model(s), 0), NULL, NULL));
    CHECK_BAD(pawl_state_set_gravity(NULL, abuse_zero));
    CHECK_BAD(pawl_state_clear_gravity(NULL));
    CHECK_NAN(pawl_state_gravity(NULL).z);
    CHECK_BAD(pawl_state_set_friction_scale(NULL, 1.0));
    CHECK_BAD(pawl_state_set_shape_friction_scale(
        NULL, pawl_model_shape_at(pawl_state_model(NULL), 0), 1.0));
    CHECK_NAN(pawl_state_friction_scale(NULL));
    CHECK_NAN(
        pawl_state_shape_friction_scale(NULL, pawl_model_shape_at(pawl_state_model(NULL), 0)));
    CHECK_BAD(pawl_state_clear_inputs(NULL));
    CHECK_INT(pawl_state_input_count(NULL), 0);
    CHECK(pawl_state_hash(s) == hash);
    CHECK_INT(pawl_state_input_count(s), 0);
    pawl_state_destroy(s);
    mechanism_end(&m);
}

TEST(joints_that_cannot_be_set)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_id body = mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(0.1, 0.1, 0.1));
    pawl_joint_id hinge =
        mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, body, v3(0, 0, 1), v3(1, 0, 0));
    double q = 0.5;
    pawl_joint_id index = {77, 77};
    pawl_actuator_id motor = {77, 77};
    pawl_body_id solid = {77, 77};
    EACH_ID(id)
    {
        CHECK_BAD(pawl_builder_set_start(m.builder, bad_joint(id), &q));
        CHECK_INT(pawl_builder_joint_coordinates(m.builder, bad_joint(id)), 0);
        CHECK_BAD(pawl_builder_connect(m.builder, NULL, (pawl_joint_kind)id, PAWL_WORLD, body,
                                       abuse_zero, v3(1, 0, 0), &index));
        CHECK_BAD(pawl_builder_connect(m.builder, NULL, PAWL_JOINT_REVOLUTE, PAWL_WORLD,
                                       bad_body(id), abuse_zero, v3(1, 0, 0), &index));
        CHECK_BAD(pawl_builder_add_motor(m.builder, bad_joint(id), 1.0, &motor));
        CHECK_BAD(pawl_builder_add_solid(m.builder, "a", (pawl_shape_kind)id, abuse_zero,
                                         v3(1, 1, 1), 1.0, &solid));
    }
    EACH_NUMBER(x)
    {
        CHECK_BAD(pawl_builder_set_start(m.builder, hinge, &x));
        CHECK_BAD(pawl_builder_connect(m.builder, NULL, PAWL_JOINT_REVOLUTE, PAWL_WORLD, body,
                                       v3(x, 0, 0), v3(1, 0, 0), &index));
        CHECK_BAD(pawl_builder_add_solid(m.builder, "a", PAWL_SHAPE_BOX, v3(0, 0, x), v3(1, 1, 1),
                                         1.0, &solid));
        CHECK_BAD(pawl_builder_add_solid(m.builder, "a", PAWL_SHAPE_BOX, abuse_zero, v3(1, x, 1),
                                         1.0, &solid));
        CHECK_BAD(pawl_builder_add_solid(m.builder, "a", PAWL_SHAPE_BOX, abuse_zero, v3(1, 1, 1), x,
                                         &solid));
    }
    CHECK_BAD(pawl_builder_add_motor(m.builder, hinge, NAN, &motor));
    CHECK_BAD(pawl_builder_connect(m.builder, NULL, PAWL_JOINT_REVOLUTE, PAWL_WORLD, body,
                                   abuse_zero, abuse_zero, &index));
    CHECK(index.index1 == 77 && motor.index1 == 77 && solid.index1 == 77);
    CHECK_BAD(pawl_builder_set_start(m.builder, hinge, NULL));
    pawl_pose nowhere = {{NAN, 0, 0}, {1, 0, 0, 0}}, unturned = {{0, 0, 0}, {0, 0, 0, 0}};
    CHECK_BAD(pawl_builder_move_floating(NULL, pawl_pose_identity()));
    CHECK_BAD(pawl_builder_move_floating(m.builder, nowhere));
    CHECK_BAD(pawl_builder_move_floating(m.builder, unturned));
    CHECK_BAD(pawl_builder_set_start(NULL, hinge, &q));
    CHECK_INT(pawl_builder_joint_coordinates(NULL, pawl_builder_joint_at(NULL, 0)), 0);
    CHECK_BAD(pawl_builder_connect(NULL, NULL, PAWL_JOINT_REVOLUTE, PAWL_WORLD,
                                   pawl_builder_body_at(NULL, 0), abuse_zero, v3(1, 0, 0), NULL));
    CHECK_BAD(pawl_builder_add_motor(NULL, pawl_builder_joint_at(NULL, 0), 1.0, NULL));
    CHECK_BAD(
        pawl_builder_add_solid(NULL, NULL, PAWL_SHAPE_BOX, abuse_zero, abuse_zero, 1.0, NULL));
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
    mechanism_start(&m, &settings);
    CHECK_INT(pawl_model_body_count(m.model), 1); // what was refused is not there
    CHECK_INT(pawl_model_shape_count(m.model), 0);
    pawl_state *s = pawl_sim_edit_state(m.sim);
    uint64_t hash = pawl_state_hash(s);
    EACH_ID(id)
    {
        CHECK_BAD(pawl_state_set_joint(s, bad_joint(id), &q, NULL));
        CHECK_BAD(pawl_sim_set_joints(m.sim, &(pawl_joint_start){bad_joint(id), {0}}, 1));
    }
    EACH_NUMBER(x)
    {
        CHECK_BAD(pawl_state_set_joint(s, hinge, &x, NULL));
        CHECK_BAD(pawl_state_set_joint(s, hinge, &q, &x));
        CHECK_BAD(pawl_sim_set_joints(m.sim, &(pawl_joint_start){hinge, {x}}, 1));
    }
    pawl_joint_start twice[2] = {{hinge, {0.1}}, {hinge, {0.2}}};
    CHECK_BAD(pawl_sim_set_joints(m.sim, twice, 2));
    CHECK_BAD(pawl_sim_set_joints(m.sim, twice, -1));
    CHECK_BAD(pawl_sim_set_joints(m.sim, NULL, 1));
    CHECK_BAD(pawl_sim_set_joints(NULL, twice, 1));
    CHECK_BAD(pawl_state_set_joint(s, hinge, NULL, NULL));
    CHECK_BAD(pawl_state_set_joint(NULL, hinge, &q, NULL));
    CHECK_BAD(pawl_sim_assemble(NULL, NULL, NULL));
    CHECK(pawl_sim_edit_state(NULL) == NULL);
    CHECK(pawl_state_hash(pawl_sim_state(m.sim)) == hash);
    mechanism_end(&m);
}

TEST(queries_about_nothing)
{
    mechanism m, other;
    mechanism_throw(&other);
    mechanism_compile(&other);
    mechanism_begin(&m);
    CHECK_OK(everything_build(&m.t.env, &m.model));
    pawl_state *s, *foreign;
    CHECK_OK(pawl_state_create(&m.t.env, m.model, &s));
    CHECK_OK(pawl_state_create(&other.t.env, other.model, &foreign));
    pawl_query *q;
    CHECK_BAD(pawl_query_create(NULL, m.model, &q));
    CHECK_BAD(pawl_query_create(&m.t.env, NULL, &q));
    CHECK_BAD(pawl_query_create(&m.t.env, m.model, NULL));
    CHECK_OK(pawl_query_create(&m.t.env, m.model, &q));
    int n = pawl_query_velocity_count(q);
    enum { MOST = 256 };
    static double x[MOST * MOST], y[MOST];
    CHECK(n > 0 && n <= MOST);
    CHECK_BAD(pawl_query_place(q, foreign));
    CHECK_BAD(pawl_query_place(q, NULL));
    CHECK_BAD(pawl_query_place(NULL, s));
    for (int placed = 0; placed < 2; ++placed) { // before a state is given, then with bad arguments
        pawl_query *with = placed ? NULL : q;
        CHECK_BAD(pawl_query_velocities(with, x));
        CHECK_BAD(pawl_query_mass_matrix(with, x));
        CHECK_BAD(pawl_query_mass_multiply(with, x, y));
        CHECK_BAD(pawl_query_mass_solve(with, x, y));
        CHECK_BAD(pawl_query_bias(with, x));
        CHECK_BAD(pawl_query_inverse_dynamics(with, x, y));
        CHECK_BAD(pawl_query_jacobian(with, pawl_builder_body_at(m.builder, 0), abuse_zero, x));
        CHECK_BAD(pawl_query_frame_jacobian(with, pawl_builder_body_at(m.builder, 0),
                                            pawl_pose_identity(), x));
    }
    CHECK_OK(pawl_query_place(q, s));
    CHECK_BAD(pawl_query_velocities(q, NULL));
    CHECK_BAD(pawl_query_mass_matrix(q, NULL));
    CHECK_BAD(pawl_query_mass_multiply(q, NULL, y));
    CHECK_BAD(pawl_query_mass_multiply(q, x, NULL));
    CHECK_BAD(pawl_query_mass_solve(q, NULL, y));
    CHECK_BAD(pawl_query_mass_solve(q, x, NULL));
    CHECK_BAD(pawl_query_bias(q, NULL));
    CHECK_BAD(pawl_query_inverse_dynamics(q, NULL, y));
    CHECK_BAD(pawl_query_inverse_dynamics(q, x, NULL));
    CHECK_BAD(pawl_query_jacobian(q, pawl_builder_body_at(m.builder, 0), abuse_zero, NULL));
    CHECK_BAD(pawl_query_frame_jacobian(q, pawl_builder_body_at(m.builder, 0), pawl_pose_identity(),
                                        NULL));
    CHECK_BAD(pawl_query_frame_jacobian(q, pawl_builder_body_at(m.builder, 0), (pawl_pose){0}, x));
    EACH_NUMBER(bad)
    {
        x[0] = bad;
        CHECK_BAD(pawl_query_mass_multiply(q, x, y));
        CHECK_BAD(pawl_query_mass_solve(q, x, y));
        CHECK_BAD(pawl_query_inverse_dynamics(q, x, y));
        CHECK_BAD(pawl_query_jacobian(q, pawl_builder_body_at(m.builder, 0), v3(bad, 0, 0), x));
        CHECK_BAD(pawl_state_point_jacobian(s, pawl_model_body_at(pawl_state_model(s), 0),
                                            v3(0, bad, 0), x));
    }
    EACH_ID(id)
    {
        CHECK_INT(pawl_joint_index(pawl_query_column(q, id).joint), -1);
        CHECK((pawl_query_column(q, id).body).index1 == 0);
        CHECK_INT(pawl_query_find(q, bad_joint(id), 0), -1);
        CHECK_INT(pawl_query_find(q, pawl_builder_joint_at(m.builder, 0), id), -1);
        CHECK_BAD(pawl_query_jacobian(q, bad_body(id), abuse_zero, x));
        CHECK_BAD(pawl_query_frame_jacobian(q, bad_body(id), pawl_pose_identity(), x));
        CHECK_BAD(pawl_state_point_jacobian(s, bad_body(id), abuse_zero, x));
    }
    CHECK_BAD(
        pawl_state_point_jacobian(s, pawl_model_body_at(pawl_state_model(s), 0), abuse_zero, NULL));
    CHECK_BAD(pawl_state_point_jacobian(NULL, pawl_model_body_at(pawl_state_model(NULL), 0),
                                        abuse_zero, x));
    CHECK_NAN(pawl_state_centre_of_mass(NULL).x);
    CHECK_NAN(pawl_state_momentum(NULL, abuse_zero).angular.y);
    CHECK_INT(pawl_query_velocity_count(NULL), 0);
    CHECK_INT(pawl_query_loop_count(NULL), 0);
    CHECK_INT(pawl_query_column(NULL, 0).part, -1);
    CHECK_INT(pawl_query_find(NULL, pawl_builder_joint_at(m.builder, 0), 0), -1);
    pawl_query_destroy(q);
    pawl_query_destroy(NULL);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    EACH_ID(id)
    {
        CHECK_NAN(pawl_sim_body_contacts(m.sim, bad_body(id)).force.x);
        CHECK_NAN(
            pawl_sim_pair_contacts(m.sim, bad_body(id), pawl_model_body_at(m.model, 0)).force.x);
        CHECK_NAN(
            pawl_sim_pair_contacts(m.sim, pawl_model_body_at(m.model, 0), bad_body(id)).moment.x);
    }
    CHECK_NAN(pawl_sim_body_contacts(NULL, pawl_model_body_at(pawl_sim_model(NULL), 0)).force.x);
    CHECK_NAN(pawl_sim_pair_contacts(NULL, pawl_model_body_at(pawl_sim_model(NULL), 0),
                                     pawl_model_body_at(pawl_sim_model(NULL), 0))
                  .force.x);
    CHECK_INT(pawl_sim_body_contacts(m.sim, PAWL_WORLD).count, 0);
    pawl_state_destroy(s);
    pawl_state_destroy(foreign);
    mechanism_end(&other);
    mechanism_end(&m);
}

static pawl_status abuse_make_query(const pawl_env *env, void *model)
{
    pawl_query *q;
    pawl_status status = pawl_query_create(env, model, &q);
    pawl_query_destroy(status == PAWL_OK ? q : NULL);
    return status;
}

TEST(a_query_survives_running_out_of_memory)
{
    mechanism m;
    mechanism_begin(&m);
    CHECK_OK(everything_build(&m.t.env, &m.model));
    CHECK(CHECK_SURVIVES_NO_MEMORY(abuse_make_query, m.model) > 3);
    mechanism_end(&m);
}

TEST(solvers_that_cannot_be)
{
    test_env t;
    test_env_init(&t);
    pawl_contact_solver_def good = pawl_contact_solver_def_default(), zeroed = {0}, bad = good;
    pawl_contact_solver *solver;
    CHECK_BAD(pawl_contact_solver_create(NULL, &good, &solver));
    CHECK_BAD(pawl_contact_solver_create(&t.env, NULL, &solver));
    CHECK_BAD(pawl_contact_solver_create(&t.env, &good, NULL));
    CHECK_BAD(pawl_contact_solver_create(&t.env, &zeroed, &solver));
    CHECK_MESSAGE(&t, "pawl_contact_solver_def_default");
    EACH_ID(id)
    {
        bad = good;
        bad.kind = (pawl_solver_kind)id;
        CHECK_BAD(pawl_contact_solver_create(&t.env, &bad, &solver));
        bad = good;
        bad.max_contacts = id > 1000000 ? id : -1;
        CHECK_BAD(pawl_contact_solver_create(&t.env, &bad, &solver));
    }
    EACH_NUMBER(x)
    {
        bad = good;
        bad.tolerance = x;
        CHECK_BAD(pawl_contact_solver_create(&t.env, &bad, &solver));
    }
    bad = good;
    bad.max_iterations = 0;
    CHECK_BAD(pawl_contact_solver_create(&t.env, &bad, &solver));
    bad = good;
    bad.settings = &(pawl_settings){0};
    CHECK_BAD(pawl_contact_solver_create(&t.env, &bad, &solver));
    bad = good;
    bad.kind = PAWL_SOLVER_DIRECT;
    CHECK_BAD(pawl_contact_solver_create(&t.env, &bad, &solver));
    CHECK_INT(pawl_solver_find_kind(NULL), -1);
    CHECK_INT(pawl_solver_find_kind("no such solver"), -1);
    CHECK_OK(pawl_contact_solver_create(&t.env, &good, &solver));
    int i[6] = {0, 1, 2, 3, 4, 5};
    double w[6] = {1, 1, 1, 1, 1, 1}, q[6] = {0, 0, -1, 0, 0, -1}, mu[2] = {0.5, 0.5}, r[6] = {0};
    pawl_contact_problem_def one = {1, {3, 3, 3, i, i, w}, q, mu},
                             two = {2, {6, 6, 6, i, i, w}, q, mu};
    pawl_contact_problem *small, *large;
    CHECK_OK(pawl_contact_problem_create(&t.env, &one, &small));
    CHECK_OK(pawl_contact_problem_create(&t.env, &two, &large));
    pawl_contact_solver_report report;
    CHECK_BAD(pawl_contact_solver_solve(NULL, small, r, &report));
    CHECK_BAD(pawl_contact_solver_solve(solver, NULL, r, &report));
    CHECK_BAD(pawl_contact_solver_solve(solver, small, NULL, &report));
    CHECK_BAD(pawl_contact_solver_solve(solver, large, r, &report)); // beyond its capacity
    r[1] = NAN;
    CHECK_BAD(pawl_contact_solver_solve(solver, small, r, &report));
    r[1] = 0.0;
    CHECK_OK(pawl_contact_solver_solve(solver, small, r, NULL));
    pawl_contact_problem_destroy(small);
    pawl_contact_problem_destroy(large);
    pawl_contact_solver_destroy(solver);
    pawl_contact_solver_destroy(NULL);
    CHECK_NO_LEAK(&t);
}
