// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Geometry of every joint kind in random configurations: residuals and coordinates against closed
// forms, gradients against finite differences, impulses against virtual work, and angles over many
// turns.
#include "rows/assembly.h"
#include "rows/joint_kinematics.h"
#include "support/mechanism.h"
#include "support/random.h"

#include <string.h>

static const pawl_joint_kind kinematics_kinds[] = {
    PAWL_JOINT_FIXED,         PAWL_JOINT_REVOLUTE,      PAWL_JOINT_PRISMATIC,
    PAWL_JOINT_CYLINDRICAL,   PAWL_JOINT_UNIVERSAL,     PAWL_JOINT_SPHERICAL,
    PAWL_JOINT_PLANAR,        PAWL_JOINT_CARTESIAN,     PAWL_JOINT_GIMBAL,
    PAWL_JOINT_FREE,          PAWL_JOINT_SCREW,         PAWL_JOINT_DISTANCE,
    PAWL_JOINT_POINT_ON_LINE, PAWL_JOINT_POINT_ON_PLANE};
enum { KINEMATICS_KINDS = sizeof kinematics_kinds / sizeof kinematics_kinds[0] };
_Static_assert(KINEMATICS_KINDS + 2 == PAWL_JOINT_KIND_COUNT,
               "a kind without test (gears have one, spans test_cord_path.c)");

static const double kinematics_pitch = 0.3, kinematics_length = 0.7;

// Two bodies with a joint of this kind at random places in them; its base is the first, or the world.
static void kinematics_build(mechanism *m, pawl_joint_kind kind, bool on_world, uint64_t *seed)
{
    mechanism_begin(m);
    for (int i = 0; i < 2; ++i) {
        pawl_body_def def = pawl_body_def_default();
        def.mass = random_in(seed, 0.5, 3.0);
        def.com = random_vec(seed, 0.3);
        random_inertia(seed, def.mass, 0.4, def.inertia);
        mechanism_body(m, &def);
    }
    pawl_joint_def joint = pawl_joint_def_default();
    joint.kind = kind;
    joint.base = on_world ? PAWL_WORLD : pawl_builder_body_at(m->builder, 0);
    joint.follower = pawl_builder_body_at(m->builder, 1);
    joint.base_frame = random_pose(seed, 0.6);
    joint.follower_frame = random_pose(seed, 0.6);
    joint.pitch = kinematics_pitch;
    joint.length = kinematics_length;
    mechanism_joint(m, &joint);
    mechanism_compile(m);
}

static pawl_quat kinematics_turn_x(double angle)
{
    return pawl_quat_from_axis_angle(v3(1, 0, 0), angle);
}

// The follower's joint frame seen from the base's, for coordinates q: the definition of the kind,
// as pawl/model.h words it.
static pawl_pose kinematics_relative(pawl_joint_kind kind, const double q[6], uint64_t *seed)
{
    pawl_pose p = pawl_pose_identity();
    pawl_quat y, z;
    switch (kind) {
    case PAWL_JOINT_REVOLUTE:
        p.orientation = kinematics_turn_x(q[0]);
        break;
    case PAWL_JOINT_PRISMATIC:
        p.position = v3(q[0], 0, 0);
        break;
    case PAWL_JOINT_CYLINDRICAL:
        p.position = v3(q[0], 0, 0);
        p.orientation = kinematics_turn_x(q[1]);
        break;
    case PAWL_JOINT_UNIVERSAL:
        y = pawl_quat_from_axis_angle(v3(0, 1, 0), q[1]);
        p.orientation = pawl_quat_multiply(kinematics_turn_x(q[0]), y);
        break;
    case PAWL_JOINT_SPHERICAL:
        p.orientation = quat_exp(v3(q[0], q[1], q[2]));
        break;
    case PAWL_JOINT_PLANAR:
        p.position = v3(0, q[0], q[1]);
        p.orientation = kinematics_turn_x(q[2]);
        break;
    case PAWL_JOINT_CARTESIAN:
        p.position = v3(q[0], q[1], q[2]);
        break;
    case PAWL_JOINT_GIMBAL:
        y = pawl_quat_from_axis_angle(v3(0, 1, 0), q[1]);
        z = pawl_quat_from_axis_angle(v3(0, 0, 1), q[2]);
        p.orientation = pawl_quat_multiply(kinematics_turn_x(q[0]), pawl_quat_multiply(y, z));
        break;
    case PAWL_JOINT_FREE:
        p.position = v3(q[0], q[1], q[2]);
        p.orientation = quat_exp(v3(q[3], q[4], q[5]));
        break;
    case PAWL_JOINT_SCREW:
        p.position = v3(kinematics_pitch * q[0], 0, 0);
        p.orientation = kinematics_turn_x(q[0]);
        break;
    case PAWL_JOINT_DISTANCE:
        p.orientation = random_quat(seed);
        p.position = pawl_quat_rotate(random_quat(seed), v3(kinematics_length, 0, 0));
        break;
    case PAWL_JOINT_POINT_ON_LINE:
        p.position = v3(q[0], 0, 0);
        p.orientation = random_quat(seed);
        break;
    case PAWL_JOINT_POINT_ON_PLANE:
        p.position = v3(0, q[0], q[1]);
        p.orientation = random_quat(seed);
        break;
    default: // fixed
        break;
    }
    return p;
}

static void kinematics_set_link(const pawl_model *model, int body, pawl_pose link, body_state *out)
{
    out[body].q = pawl_quat_normalize(link.orientation);
    out[body].r = pawl_pose_apply((pawl_pose){link.position, out[body].q}, model->bodies[body].com);
}

// Random coordinates well inside their ranges, and bodies that meet them.
static void kinematics_on_manifold(const pawl_model *model, uint64_t *seed, double q[6],
                                   body_state bodies[2])
{
    const model_joint *j = &model->joints[0];
    memset(bodies, 0, 2 * sizeof *bodies);
    for (int c = 0; c < 6; ++c) {
        q[c] = random_in(seed, -1.1, 1.1);
    }
    pawl_pose base = random_pose(seed, 1.0);
    kinematics_set_link(model, 0, base, bodies);
    base.orientation = bodies[0].q;
    pawl_pose frame = j->base < 0 ? j->base_frame : pawl_pose_compose(base, j->base_frame);
    pawl_pose joint = pawl_pose_compose(frame, kinematics_relative(j->kind, q, seed));
    pawl_pose follower = pawl_pose_compose(joint, pawl_pose_inverse(j->follower_frame));
    kinematics_set_link(model, 1, follower, bodies);
}

static void kinematics_frames(const model_joint *j, const body_state *bodies, joint_frames *f)
{
    pawl_mat3 rotation[2] = {quat_matrix(bodies[0].q), quat_matrix(bodies[1].q)};
    pawl_joint_frames(j, bodies, rotation, f);
}

static void kinematics_residual(const model_joint *j, const body_state *bodies, double residual[6])
{
    joint_frames f;
    double base[6][6], follower[6][6];
    kinematics_frames(j, bodies, &f);
    double angle = j->kind == PAWL_JOINT_SCREW ? pawl_joint_coordinate(j, &f, 0, NULL, NULL) : 0.0;
    pawl_joint_rows(j, &f, angle, residual, base, follower);
}

static void kinematics_coordinates(const model_joint *j, const body_state *bodies, double q[6])
{
    joint_frames f;
    kinematics_frames(j, bodies, &f);
    for (int c = 0; c < j->coordinate_count; ++c) {
        q[c] = pawl_joint_coordinate(j, &f, c, NULL, NULL);
    }
}

typedef void kinematics_function(const model_joint *j, const body_state *bodies, double out[6]);

// d/d eps of f with one body moved by eps along component k of its twist: r += eps v,
// q = exp(eps w) q. Five points: eps^4 / 30 times a fifth derivative (below 1e5 here, closest to
// gimbal lock) is 1e-13, and rounding / eps about 1e-11.
static void kinematics_difference(kinematics_function *f, const model_joint *j,
                                  const body_state *bodies, int body, int k, double out[6])
{
    const double eps = 1e-4;
    static const double weight[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
    static const double place[4] = {-2.0, -1.0, 1.0, 2.0};
    double twist[6] = {0};
    memset(out, 0, 6 * sizeof *out);
    for (int s = 0; s < 4; ++s) {
        body_state moved[2] = {bodies[0], bodies[1]};
        twist[k] = place[s] * eps;
        moved[body].r = v3_add(moved[body].r, v3(twist[0], twist[1], twist[2]));
        moved[body].q = quat_advance(moved[body].q, v3(twist[3], twist[4], twist[5]));
        double value[6] = {0};
        f(j, moved, value);
        for (int i = 0; i < 6; ++i) {
            out[i] += weight[s] * value[i] / eps;
        }
    }
}

// Rows and coordinates whose gradient is exact only where the joint is closed.
static bool kinematics_row_needs_closure(pawl_joint_kind kind, int row)
{
    return kind == PAWL_JOINT_SCREW && row == 4;
}
static bool kinematics_coordinate_needs_closure(pawl_joint_kind kind, int c)
{
    return kind == PAWL_JOINT_REVOLUTE || kind == PAWL_JOINT_SCREW ||
           kind == PAWL_JOINT_UNIVERSAL || (kind == PAWL_JOINT_CYLINDRICAL && c == 1) ||
           (kind == PAWL_JOINT_PLANAR && c == 2);
}

static void kinematics_check_gradients(const model_joint *j, const body_state *bodies, bool closed)
{
    joint_frames f;
    double residual[6], base[6][6] = {{0}}, follower[6][6] = {{0}};
    kinematics_frames(j, bodies, &f);
    double angle = j->kind == PAWL_JOINT_SCREW ? pawl_joint_coordinate(j, &f, 0, NULL, NULL) : 0.0;
    pawl_joint_rows(j, &f, angle, residual, base, follower);
    for (int body = j->base < 0 ? 1 : 0; body < 2; ++body) {
        for (int k = 0; k < 6; ++k) {
            double difference[6];
            kinematics_difference(kinematics_residual, j, bodies, body, k, difference);
            for (int r = 0; r < j->row_count; ++r) {
                if (closed || !kinematics_row_needs_closure(j->kind, r)) {
                    CHECK_NEAR(body == 0 ? base[r][k] : follower[r][k], difference[r], 1e-10);
                }
            }
            kinematics_difference(kinematics_coordinates, j, bodies, body, k, difference);
            for (int c = 0; c < j->coordinate_count; ++c) {
                double gradient[2][6];
                pawl_joint_coordinate(j, &f, c, gradient[0], gradient[1]);
                if (closed || !kinematics_coordinate_needs_closure(j->kind, c)) {
                    CHECK_NEAR(gradient[body][k], difference[c], 1e-10);
                }
            }
        }
    }
}

// Closed form: bodies are put where the kind's definition says for random coordinates; the residual
// is then zero and the coordinates are read back.
TEST(a_joint_put_at_given_coordinates_is_closed_and_reads_them_back)
{
    uint64_t seed = 1;
    for (int k = 0; k < KINEMATICS_KINDS; ++k) {
        for (int trial = 0; trial < 20; ++trial) {
            mechanism m;
            kinematics_build(&m, kinematics_kinds[k], trial % 2 != 0, &seed);
            const model_joint *j = &m.model->joints[0];
            double q[6], got[6], residual[6];
            body_state bodies[2];
            kinematics_on_manifold(m.model, &seed, q, bodies);
            kinematics_residual(j, bodies, residual);
            for (int r = 0; r < j->row_count; ++r) {
                CHECK_NEAR(residual[r], 0.0, 2e-15 * 4.0);
            }
            kinematics_coordinates(j, bodies, got);
            for (int c = 0; c < j->coordinate_count; ++c) {
                CHECK_NEAR(got[c], q[c], 2e-14);
            }
            mechanism_end(&m);
        }
    }
}

// Finite differences, on the constraint manifold: all rows and coordinates.
TEST(gradients_of_closed_joints_match_finite_differences)
{
    uint64_t seed = 2;
    for (int k = 0; k < KINEMATICS_KINDS; ++k) {
        for (int trial = 0; trial < 20; ++trial) {
            mechanism m;
            kinematics_build(&m, kinematics_kinds[k], trial % 2 != 0, &seed);
            double q[6];
            body_state bodies[2];
            kinematics_on_manifold(m.model, &seed, q, bodies);
            kinematics_check_gradients(&m.model->joints[0], bodies, true);
            mechanism_end(&m);
        }
    }
}

// Finite differences, anywhere: all but the angles that are only defined on the manifold. Gimbal
// angles stay below 1.31 rad and rotation vectors below 2.2 rad, away from where they bend without
// bound.
TEST(gradients_of_open_joints_match_finite_differences)
{
    uint64_t seed = 3;
    for (int k = 0; k < KINEMATICS_KINDS; ++k) {
        for (int trial = 0; trial < 20; ++trial) {
            mechanism m;
            kinematics_build(&m, kinematics_kinds[k], trial % 2 != 0, &seed);
            double q[6];
            body_state bodies[2];
            kinematics_on_manifold(m.model, &seed, q, bodies);
            bodies[1].r = v3_add(bodies[1].r, random_vec(&seed, 0.3));
            bodies[1].q = quat_advance(bodies[1].q, random_vec(&seed, 0.12));
            kinematics_check_gradients(&m.model->joints[0], bodies, false);
            mechanism_end(&m);
        }
    }
}

// The residuals of the rows, which come from the joint's frames in the world.
TEST(residuals_alone_are_those_of_the_rows)
{
    uint64_t seed = 31;
    for (int k = 0; k < KINEMATICS_KINDS; ++k) {
        for (int trial = 0; trial < 20 && kinematics_kinds[k] != PAWL_JOINT_SCREW; ++trial) {
            mechanism m;
            kinematics_build(&m, kinematics_kinds[k], trial % 2 != 0, &seed);
            double q[6], rows[6], alone[6];
            body_state bodies[2];
            kinematics_on_manifold(m.model, &seed, q, bodies);
            bodies[1].r = v3_add(bodies[1].r, random_vec(&seed, 0.3));
            bodies[1].q = quat_advance(bodies[1].q, random_vec(&seed, 0.12));
            const model_joint *j = &m.model->joints[0];
            pawl_mat3 rotation[2] = {quat_matrix(bodies[0].q), quat_matrix(bodies[1].q)};
            kinematics_residual(j, bodies, rows);
            pawl_joint_residuals(j, bodies, rotation, alone);
            for (int r = 0; r < j->row_count; ++r) {
                CHECK_NEAR(alone[r], rows[r], 1e-14);
            }
            mechanism_end(&m);
        }
    }
}

// Newton's third law: what a row or a coordinate pushes the two bodies with has no net force, and
// no net moment about any point.
TEST(rows_and_coordinates_push_both_bodies_with_equal_and_opposite_wrenches)
{
    uint64_t seed = 4;
    for (int k = 0; k < KINEMATICS_KINDS; ++k) {
        for (int trial = 0; trial < 20; ++trial) {
            mechanism m;
            kinematics_build(&m, kinematics_kinds[k], false, &seed);
            const model_joint *j = &m.model->joints[0];
            double q[6], residual[6], base[12][6], follower[12][6];
            body_state bodies[2];
            kinematics_on_manifold(m.model, &seed, q, bodies);
            bodies[1].r = v3_add(bodies[1].r, random_vec(&seed, 0.3)); // open joints, too
            joint_frames f;
            kinematics_frames(j, bodies, &f);
            pawl_joint_rows(j, &f, q[0], residual, base, follower);
            for (int c = 0; c < j->coordinate_count; ++c) {
                pawl_joint_coordinate(j, &f, c, base[j->row_count + c], follower[j->row_count + c]);
            }
            for (int r = 0; r < j->row_count + j->coordinate_count; ++r) {
                const double *b = base[r], *g = follower[r];
                pawl_vec3 net = v3(b[0] + g[0], b[1] + g[1], b[2] + g[2]);
                pawl_vec3 moment = v3(b[3] + g[3], b[4] + g[4], b[5] + g[5]);
                moment = v3_add(moment, v3_cross(bodies[0].r, v3(b[0], b[1], b[2])));
                moment = v3_add(moment, v3_cross(bodies[1].r, v3(g[0], g[1], g[2])));
                CHECK_NEAR3(net, v3(0, 0, 0), 1e-15);
                CHECK_NEAR3(moment, v3(0, 0, 0), 1e-14);
            }
            mechanism_end(&m);
        }
    }
}

// Virtual work: lambda . (J u) = (JT lambda) . u, with JT lambda read back from M^-1 JT lambda.
TEST(impulses_and_row_velocities_are_transposes_of_each_other)
{
    uint64_t seed = 5;
    for (int k = 0; k < KINEMATICS_KINDS; ++k) {
        mechanism m;
        kinematics_build(&m, kinematics_kinds[k], k % 2 != 0, &seed);
        pawl_assembly *a;
        CHECK_OK(pawl_assembly_create(&m.t.env, m.model, 0, &a));
        double q[6], u[12], du[12] = {0}, lambda[6], v[6];
        body_state bodies[2];
        kinematics_on_manifold(m.model, &seed, q, bodies);
        pawl_assembly_place(a, bodies, q, 0.0, 0.0);
        for (int i = 0; i < 12; ++i) {
            u[i] = random_in(&seed, -1, 1);
        }
        for (int r = 0; r < 6; ++r) {
            lambda[r] = random_in(&seed, -1, 1);
        }
        CHECK_INT(a->free_rows, m.model->joints[0].row_count);
        pawl_assembly_row_velocity(a, u, v);
        pawl_assembly_add_impulses(a, lambda, du);
        double power = 0.0, work = 0.0;
        for (int r = 0; r < a->free_rows; ++r) {
            power += lambda[r] * v[r];
        }
        for (int i = 0; i < 2; ++i) {
            const model_body *b = &m.model->bodies[i];
            pawl_mat3 rotation = quat_matrix(bodies[i].q);
            pawl_mat3 inertia = m3_congruence(&rotation, &b->inertia);
            const double *x = du + 6 * i, *y = u + 6 * i;
            pawl_vec3 L = m3_mul(&inertia, v3(x[3], x[4], x[5]));
            work += b->mass * (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]);
            work += L.x * y[3] + L.y * y[4] + L.z * y[5];
        }
        CHECK_NEAR(work, power, 1e-13);
        pawl_assembly_destroy(a);
        mechanism_end(&m);
    }
}

// Closed form: |t| - length has no direction where the anchors coincide, yet its row stays a unit
// row and finite.
TEST(a_rod_of_no_length_keeps_a_finite_gradient)
{
    uint64_t seed = 6;
    mechanism m;
    kinematics_build(&m, PAWL_JOINT_DISTANCE, false, &seed);
    const model_joint *j = &m.model->joints[0];
    body_state bodies[2] = {{.q = {1, 0, 0, 0}}, {.q = {1, 0, 0, 0}}};
    bodies[1].r = v3_sub(v3_add(bodies[0].r, j->base_anchor), j->follower_anchor);
    joint_frames f;
    double residual[1], base[1][6], follower[1][6];
    kinematics_frames(j, bodies, &f);
    pawl_joint_rows(j, &f, 0.0, residual, base, follower);
    CHECK_NEAR(residual[0], -kinematics_length, 1e-15);
    CHECK_NEAR(v3_norm(v3(follower[0][0], follower[0][1], follower[0][2])), 1.0, 1e-15);
    mechanism_end(&m);
}

// Finite differences: the gear row is the driven coordinate minus ratio times the driving one, over
// up to four bodies; it pushes them without net force or moment.
TEST(a_gear_row_matches_finite_differences_and_has_no_net_wrench)
{
    uint64_t seed = 7;
    for (int shared = 0; shared < 2; ++shared) { // two joints with a common body, or none
        mechanism m;
        mechanism_begin(&m);
        int bodies = shared ? 3 : 4;
        for (int i = 0; i < bodies; ++i) {
            pawl_body_def def = pawl_body_def_default();
            def.mass = random_in(&seed, 0.5, 3.0);
            def.com = random_vec(&seed, 0.3);
            def.pose = random_pose(&seed, 0.5);
            random_inertia(&seed, def.mass, 0.4, def.inertia);
            mechanism_body(&m, &def);
        }
        pawl_joint_def joint = mechanism_joint_def(
            &m, PAWL_JOINT_CYLINDRICAL, pawl_builder_body_at(m.builder, 0),
            pawl_builder_body_at(m.builder, 1), random_vec(&seed, 0.5), random_vec(&seed, 1.0));
        pawl_joint_id first = mechanism_joint(&m, &joint);
        joint = mechanism_joint_def(&m, PAWL_JOINT_REVOLUTE,
                                    pawl_builder_body_at(m.builder, shared ? 1 : 2),
                                    pawl_builder_body_at(m.builder, shared ? 2 : 3),
                                    random_vec(&seed, 0.5), random_vec(&seed, 1.0));
        pawl_joint_id second = mechanism_joint(&m, &joint);
        pawl_gear_def gear = pawl_gear_def_default();
        gear.joint = first;
        gear.coordinate = 0;
        gear.source_joint = second;
        gear.ratio = -0.4;
        gear.offset = 0.05;
        pawl_joint_id geared = mechanism_gear(&m, &gear);
        mechanism_compile(&m);
        pawl_assembly *a;
        pawl_state *s;
        CHECK_OK(pawl_assembly_create(&m.t.env, m.model, 0, &a));
        CHECK_OK(pawl_state_create(&m.t.env, m.model, &s));
        int row = a->blocks[a->joint_block[pawl_joint_index(geared)]].rows.first_row;
        pawl_vec3 net = {0}, moment = {0};
        for (int body = 0; body < bodies; ++body) {
            body_state before = s->bodies[body];
            double push[6];
            for (int k = 0; k < 6; ++k) {
                double u[24] = {0}, v[24], ends[2];
                u[6 * body + k] = 1.0;
                pawl_assembly_place(a, s->bodies, s->coordinates, 0.0, 0.0);
                pawl_assembly_row_velocity(a, u, v);
                push[k] = v[row];
                const double eps = 1e-5; // central: error of order eps^2 and rounding / eps
                for (int end = 0; end < 2; ++end) {
                    double x = end == 0 ? -eps : eps;
                    const double *w = u + 6 * body;
                    s->bodies[body].r = v3_axpy(before.r, x, v3(w[0], w[1], w[2]));
                    s->bodies[body].q = quat_advance(before.q, v3_scale(x, v3(w[3], w[4], w[5])));
                    pawl_assembly_place(a, s->bodies, s->coordinates, 0.0, 0.0);
                    ends[end] = a->residual[row];
                    s->bodies[body] = before;
                }
                CHECK_NEAR(push[k], (ends[1] - ends[0]) / (2.0 * eps), 1e-9);
            }
            pawl_vec3 force = v3(push[0], push[1], push[2]);
            net = v3_add(net, force);
            moment = v3_add(moment, v3_cross(before.r, force));
            moment = v3_add(moment, v3(push[3], push[4], push[5]));
        }
        CHECK_NEAR3(net, v3(0, 0, 0), 1e-14);
        CHECK_NEAR3(moment, v3(0, 0, 0), 1e-14);
        pawl_state_destroy(s);
        pawl_assembly_destroy(a);
        mechanism_end(&m);
    }
}

// Closed form: a ball spinning freely about an axis of its joint keeps its rate, so the angle is
// rate times time, turns counted, at any step that turns it by less than half a turn.
static void kinematics_spin(pawl_joint_kind kind, pawl_vec3 axis, int coordinate, double rate,
                            double dt, pawl_stepper_kind stepper, bool project)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_def def = pawl_body_def_default();
    def.mass = 2.0;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.1;
    def.twist.angular = v3_scale(rate, axis);
    if (kind == PAWL_JOINT_SCREW) {
        def.twist.linear = v3(kinematics_pitch * rate, 0, 0);
    }
    pawl_body_id body = mechanism_body(&m, &def);
    pawl_joint_def joint = pawl_joint_def_default();
    joint.kind = kind;
    joint.follower = body;
    joint.pitch = kinematics_pitch;
    pawl_joint_id index = mechanism_joint(&m, &joint);
    pawl_settings settings = mechanism_settings(dt, stepper);
    settings.project = project;
    mechanism_start(&m, &settings);
    for (int i = 0; i < 200; ++i) {
        mechanism_step(&m);
        CHECK_NEAR(mechanism_position(&m, index, coordinate), rate * mechanism_time(&m),
                   1e-12 * (1.0 + fabs(rate) * mechanism_time(&m)));
        CHECK_NEAR(mechanism_rate(&m, index, coordinate), rate, 1e-12 * fabs(rate));
    }
    mechanism_end(&m);
}

TEST(angles_count_turns_both_ways_at_any_step)
{
    static const struct {
        pawl_joint_kind kind;
        int coordinate;
        pawl_vec3 axis;
    } cases[] = {
        {PAWL_JOINT_REVOLUTE, 0, {1, 0, 0}},  {PAWL_JOINT_CYLINDRICAL, 1, {1, 0, 0}},
        {PAWL_JOINT_PLANAR, 2, {1, 0, 0}},    {PAWL_JOINT_SCREW, 0, {1, 0, 0}},
        {PAWL_JOINT_UNIVERSAL, 0, {1, 0, 0}}, {PAWL_JOINT_UNIVERSAL, 1, {0, 1, 0}},
        {PAWL_JOINT_GIMBAL, 0, {1, 0, 0}},    {PAWL_JOINT_GIMBAL, 2, {0, 0, 1}},
    };
    static const double steps[] = {1e-3, 1e-2, 0.1};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        for (int s = 0; s < 3; ++s) {
            for (int variant = 0; variant < 2; ++variant) {
                double rate = variant == 0 ? 30.0 : -30.0; // 3 rad a step at most
                kinematics_spin(cases[c].kind, cases[c].axis, cases[c].coordinate, rate, steps[s],
                                PAWL_STEPPER_EULER, s % 2 == 0);
                kinematics_spin(cases[c].kind, cases[c].axis, cases[c].coordinate, rate, steps[s],
                                PAWL_STEPPER_MOREAU, s % 2 == 1);
            }
        }
    }
}

// By hand.
TEST(unwrapping_takes_the_nearest_full_turn)
{
    const double pi = 3.14159265358979323846;
    CHECK_NEAR(pawl_unwrap(-3.1, 3.1), 2.0 * pi - 3.1, 1e-15);
    CHECK_NEAR(pawl_unwrap(3.1, -3.1), 3.1 - 2.0 * pi, 1e-15);
    CHECK_NEAR(pawl_unwrap(0.5, 100.0 * pi), 100.0 * pi + 0.5, 1e-13);
    CHECK_NEAR(pawl_unwrap(0.5, -100.0 * pi), 0.5 - 100.0 * pi, 1e-13);
}

// By hand: each kind's rows and coordinates make up the six directions of a rigid body where the
// kind has a coordinate for each freedom.
TEST(rows_and_coordinates_of_a_kind_add_up_to_six)
{
    for (int kind = 0; kind < PAWL_JOINT_GEAR; ++kind) {
        bool partial = kind == PAWL_JOINT_DISTANCE || kind == PAWL_JOINT_POINT_ON_LINE ||
                       kind == PAWL_JOINT_POINT_ON_PLANE;
        int sum = pawl_joint_kind_rows((pawl_joint_kind)kind) +
                  pawl_joint_kind_coordinates((pawl_joint_kind)kind);
        if (!partial) {
            CHECK_INT(sum, 6);
        }
        int rotations = 0;
        for (int r = 0; r < pawl_joint_kind_rows((pawl_joint_kind)kind); ++r) {
            rotations += pawl_joint_row_is_rotation((pawl_joint_kind)kind, r);
            CHECK(pawl_joint_row_name((pawl_joint_kind)kind, r)[0] != '\0');
        }
        for (int c = 0; c < 6; ++c) {
            rotations += pawl_joint_kind_is_angle((pawl_joint_kind)kind, c);
        }
        if (!partial) {
            CHECK_INT(rotations, 3);
        }
        CHECK(pawl_joint_kind_name((pawl_joint_kind)kind)[0] != '\0');
    }
    CHECK_TEXT(pawl_joint_kind_name(PAWL_JOINT_KIND_COUNT), "unknown");
}
