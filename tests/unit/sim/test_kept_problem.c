// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The contact problem that a step keeps: its matrix against the formula for one rigid body, also where
// the body is two that a joint holds together, and its answers against the step's own.
#include "math/rotation.h"
#include "pawl/contact_problem.h"
#include "support/mechanism.h"

#include <stdlib.h>

static const double kept_half = 0.1;

static pawl_body_id kept_box(mechanism *m, double mass, pawl_vec3 position, bool touches)
{
    pawl_vec3 inertia = v3_scale(mass * 2.0 / 3.0 * kept_half * kept_half, v3(1, 1, 1));
    pawl_body_id body = mechanism_solid(m, mass, position, inertia);
    if (touches) {
        pawl_shape_def shape = pawl_shape_def_default();
        shape.kind = PAWL_SHAPE_BOX;
        shape.size = v3(kept_half, kept_half, kept_half);
        shape.friction = 0.5;
        shape.restitution = 0.0;
        CHECK_OK(pawl_builder_add_shape(m->builder, body, &shape, NULL));
    }
    return body;
}

static void kept_ground(mechanism *m)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(2.0, 1.0, -9.81));
    pawl_shape_def ground = pawl_shape_def_default();
    ground.kind = PAWL_SHAPE_PLANE;
    ground.friction = 0.5;
    ground.restitution = 0.0;
    CHECK_OK(pawl_builder_add_shape(m->builder, PAWL_WORLD, &ground, NULL));
}

static double kept_entry(const pawl_contact_problem *p, int row, int column)
{
    int rows = 3 * pawl_contact_problem_count(p);
    double *r = calloc((size_t)rows, sizeof *r), *u = calloc((size_t)rows, sizeof *u);
    r[column] = 1.0;
    pawl_contact_problem_velocity(p, r, u);
    double entry = u[row] - pawl_contact_problem_q(p)[row];
    free(r);
    free(u);
    return entry;
}

// Normal rows of W for one rigid body: n.n / mass + (a x n) . I^-1 (b x n), levers a and b from the
// centre of mass, I about it. `tolerance` relative to the largest.
static void kept_check_normals(const mechanism *m, const pawl_contact_problem *p, double mass,
                               pawl_vec3 centre, pawl_vec3 inertia, double tolerance)
{
    int count = pawl_contact_problem_count(p);
    CHECK_INT(pawl_sim_contact_count(m->sim), count);
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
            pawl_contact_info a = pawl_sim_contact(m->sim, i), b = pawl_sim_contact(m->sim, j);
            pawl_vec3 x = v3_cross(v3_sub(a.position, centre), a.normal);
            pawl_vec3 y = v3_cross(v3_sub(b.position, centre), b.normal);
            double expected = v3_dot(a.normal, b.normal) / mass + x.x * y.x / inertia.x +
                              x.y * y.y / inertia.y + x.z * y.z / inertia.z;
            CHECK_NEAR(kept_entry(p, 3 * i + 2, 3 * j + 2), expected, tolerance);
        }
    }
}

// The step's impulses solve the problem, and an answer from scratch has the same velocities.
static void kept_check_answers(const pawl_kept_problem *kept, const pawl_env *env)
{
    int rows = 3 * pawl_contact_problem_count(kept->problem);
    pawl_contact_errors errors = pawl_contact_problem_errors(kept->problem, kept->r);
    CHECK(pawl_contact_errors_worst(&errors) < 1e-6);
    // A problem of its own, since the kept one is not ours to solve.
    int count = pawl_contact_problem_entry_count(kept->problem);
    int *row = calloc(2 * (size_t)count, sizeof *row);
    double *value = calloc((size_t)(count + 3 * rows), sizeof *value);
    double *r = value + count, *u = r + rows, *step_u = u + rows;
    pawl_contact_problem_entries(kept->problem, row, row + count, value);
    pawl_contact_problem_def def = {rows / 3,
                                    {rows, rows, count, row, row + count, value},
                                    pawl_contact_problem_q(kept->problem),
                                    pawl_contact_problem_friction(kept->problem)};
    pawl_contact_problem *problem;
    CHECK_OK(pawl_contact_problem_create(env, &def, &problem));
    pawl_settings settings = pawl_settings_default();
    settings.solver.tolerance = 1e-8;
    settings.solver.max_iterations = 20000;
    pawl_contact_result result;
    CHECK_OK(pawl_contact_problem_solve(problem, &settings, r, &result));
    CHECK(result.outcome == PAWL_CONVERGED);
    pawl_contact_problem_velocity(problem, r, u);
    pawl_contact_problem_velocity(problem, kept->r, step_u);
    for (int i = 0; i < rows; ++i) {
        CHECK_NEAR(u[i], step_u[i], 1e-6);
    }
    pawl_contact_problem_destroy(problem);
    free(row);
    free(value);
}

TEST(a_box_keeps_the_problem_of_its_corners)
{
    mechanism m;
    kept_ground(&m);
    kept_box(&m, 2.0, v3(0, 0, kept_half), true);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    mechanism_run(&m, 5);
    CHECK(pawl_sim_kept_problem(m.sim).problem == NULL); // nobody asked
    pawl_sim_keep_problems(m.sim, true);
    pawl_vec3 centre =
        pawl_state_pose(mechanism_state(&m), pawl_model_body_at(m.model, 0)).position;
    mechanism_step(&m);
    pawl_kept_problem kept = pawl_sim_kept_problem(m.sim);
    CHECK(kept.problem != NULL && kept.fixed_rows == 0);
    double inertia = 2.0 * 2.0 / 3.0 * kept_half * kept_half;
    kept_check_normals(&m, kept.problem, 2.0, centre, v3(inertia, inertia, inertia), 1e-10);
    kept_check_answers(&kept, &m.t.env);
    pawl_sim_keep_problems(m.sim, false);
    CHECK(pawl_sim_kept_problem(m.sim).problem == NULL);
    mechanism_end(&m);
}

// Two boxes held together by a fixed joint are one body: masses add, inertias by Steiner's theorem.
TEST(joints_are_eliminated_exactly)
{
    mechanism m;
    kept_ground(&m);
    pawl_body_id lower = kept_box(&m, 1.0, v3(0, 0, kept_half), true);
    pawl_body_id upper = kept_box(&m, 3.0, v3(0, 0, 3.0 * kept_half), false);
    pawl_joint_def weld = mechanism_joint_def(&m, PAWL_JOINT_FIXED, lower, upper,
                                              v3(0, 0, 2.0 * kept_half), v3(1, 0, 0));
    mechanism_joint(&m, &weld);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    pawl_sim_keep_problems(m.sim, true);
    const pawl_state *s = mechanism_state(&m);
    pawl_vec3 a = pawl_state_pose(s, lower).position;
    pawl_vec3 b = pawl_state_pose(s, upper).position;
    mechanism_step(&m);
    pawl_kept_problem kept = pawl_sim_kept_problem(m.sim);
    CHECK(kept.problem != NULL);
    pawl_vec3 centre = v3_scale(0.25, v3_axpy(a, 3.0, b));
    double own = 4.0 * 2.0 / 3.0 * kept_half * kept_half;
    double apart = 1.0 * 3.0 / 4.0 * 4.0 * kept_half * kept_half; // m1 m2 / (m1 + m2) d^2
    kept_check_normals(&m, kept.problem, 4.0, centre, v3(own + apart, own + apart, own), 1e-10);
    kept_check_answers(&kept, &m.t.env);
    mechanism_end(&m);
}

// A box on a slide with a stop that it pushes against while it touches the ground.
TEST(limits_are_held_and_counted)
{
    mechanism m;
    kept_ground(&m);
    pawl_body_id box = kept_box(&m, 2.0, v3(0, 0, kept_half), true);
    pawl_body_id beam = mechanism_solid(&m, 1.0, v3(0, 0, 1.0), v3(0.01, 0.01, 0.01));
    mechanism_world_joint(&m, PAWL_JOINT_PRISMATIC, beam, v3(0, 0, 1.0), v3(1, 0, 0));
    pawl_joint_def slide =
        mechanism_joint_def(&m, PAWL_JOINT_PRISMATIC, beam, box, v3(0, 0, kept_half), v3(0, 0, 1));
    slide.coordinate[0].upper = 0.0; // may not rise, and gravity's x pulls it along
    slide.coordinate[0].lower = -0.5;
    mechanism_joint(&m, &slide);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    pawl_sim_keep_problems(m.sim, true);
    int fixed = 0;
    for (int k = 0; k < 10; ++k) {
        mechanism_step(&m);
        pawl_kept_problem kept = pawl_sim_kept_problem(m.sim);
        CHECK(kept.problem != NULL);
        CHECK_INT(kept.fixed_rows, m.report.bounded_rows);
        fixed += kept.fixed_rows;
        kept_check_answers(&kept, &m.t.env);
    }
    CHECK(fixed > 0);
    mechanism_end(&m);
}
