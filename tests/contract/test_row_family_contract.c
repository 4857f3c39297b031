// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A family of rows is a file and a line in the table: this program is linked with a table of its own, which has one
// more family, a brake that slows the height of every body. Steppers, solvers, energy balance and verdict take it as
// they take the others, and know nothing of it.
#include "rows/families.h"
#include "rows/row_build.h"
#include "support/mechanism.h"

// ---- the family: force -brake_damping v_z on every body that can move, implicit --------------------

static const double brake_damping = 4.0; // [N s/m]
static const row_family brake_family;

static void brake_plan(row_plan *p)
{
    for (int i = 0; i < p->model->body_count; ++i) {
        int first = p->rows;
        pawl_row_plan_row(p, (row_info){&brake_family, i, 0, -1, -1, 1.0});
        pawl_row_plan_block(p, &brake_family, first, -1, &i, 1);
    }
}

static void brake_place(pawl_assembly *a, const row_block *b)
{
    pawl_row_clear(a, b);
    pawl_row_jacobian(a, b, 0, 0)[2] = 1.0;
    a->residual[b->rows.first_row] = 0.0;
}

static row_law brake_law(const pawl_model *m, const row_info *info, double t)
{
    (void)m, (void)info, (void)t;
    return (row_law){.damping = brake_damping};
}

static void brake_fill(pawl_assembly *a, const row_block *b, int r, const step_weights *w,
                       row_rates rate, bool persistent)
{
    (void)b, (void)persistent;
    row_law law = brake_law(a->model, &a->rows[r], 0.0);
    pawl_row_spring(a, r, w, 0.0, rate, &law);
}

static const row_family brake_family = {
    .name = "brake",
    .traits = ROW_STORES_ENERGY,
    .work_kind = WORK_DAMPERS,
    .plan_blocks = brake_plan,
    .place = brake_place,
    .fill = brake_fill,
    .law = brake_law,
};

// ---- the table that this program is linked with ----------------------------------------------------

const row_family *const pawl_row_families[] = {
    &pawl_joint_rows_family,
    &pawl_motion_rows_family,
    &pawl_coordinate_rows_family,
    &pawl_spring_rows_family,
    &brake_family,
    &pawl_friction_rows_family,
    &pawl_actuator_rows_family,
    &pawl_limit_rows_family,
    &pawl_spin_rows_family,
    &pawl_contact_rows_family,
};
const int pawl_row_family_count = (int)(sizeof pawl_row_families / sizeof pawl_row_families[0]);

// Closed form: m v' = -m g - d v from rest ends at v = -m g / d, and implicit Euler gets there by
// v+ = (v - h g) / (1 + h d / m).
TEST(a_family_of_one_file_and_one_line_brakes_a_fall)
{
    static const pawl_stepper_kind steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU};
    for (int k = 0; k < 2; ++k) {
        mechanism m;
        mechanism_begin(&m);
        pawl_builder_set_gravity(m.builder, v3(0, 0, -9.81));
        mechanism_solid(&m, 2.0, v3(0, 0, 0), v3(0.1, 0.2, 0.3));
        double h = 1e-2, v = 0.0;
        pawl_settings settings = mechanism_settings(h, steppers[k]);
        mechanism_start(&m, &settings);
        mechanism_run(&m, 300);
        for (int i = 0; i < 300; ++i) {
            double x = h * brake_damping / 2.0;
            v = steppers[k] == PAWL_STEPPER_EULER
                    ? (v - h * 9.81) / (1.0 + x)
                    : (v * (1.0 - 0.5 * x) - h * 9.81) / (1.0 + 0.5 * x);
        }
        CHECK_NEAR(pawl_state_twist(mechanism_state(&m), pawl_model_body_at(m.model, 0)).linear.z,
                   v, 1e-12);
        pawl_energy e = mechanism_energy(&m);
        CHECK(e.work_dampers < -1.0);
        if (steppers[k] == PAWL_STEPPER_MOREAU) { // symmetric: nothing is left unexplained
            CHECK_NEAR(e.balance, 0.0, 1e-10);
        }
        mechanism_end(&m);
    }
}

// The rows stand beside those of joints, and a step with them allocates nothing.
TEST(rows_of_a_new_family_stand_beside_joints)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(0, 0, -9.81));
    pawl_body_id body = mechanism_solid(&m, 1.0, v3(1, 0, 0), v3(0.1, 0.2, 0.3));
    mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, body, v3(0, 0, 0), v3(0, 1, 0));
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
    mechanism_start(&m, &settings);
    mechanism_run(&m, 10);
    int64_t calls = m.t.calls;
    mechanism_run(&m, 1000);
    CHECK_INT(m.t.calls, calls);
    pawl_energy e = mechanism_energy(&m);
    CHECK(e.work_dampers < 0.0);
    CHECK_NEAR(e.balance, 0.0, 1e-4);
    mechanism_end(&m);
}
