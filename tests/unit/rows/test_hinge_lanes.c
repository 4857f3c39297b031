// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Bodies and hinges four at a time against one at a time: random models of every number of bodies up to nine, in random
// poses, must give the same bits.
#include "coordinates/hinge_pairs.h"
#include "linalg/dense.h"
#include "math/rotation.h"
#include "rows/assembly.h"
#include "rows/body_lanes.h"
#include "rows/hinge_lanes.h"
#include "rows/joint_kinematics.h"
#include "support/mechanism.h"
#include "support/random.h"

#include <string.h>

enum { LANES_BODIES = 9, LANES_POSES = 20 };

// A tree of bodies, each hung by a hinge, now and then by a ball joint, on an earlier one or on the world. Some hinges
// have a spring, which is one more row.
static void lanes_build(mechanism *m, int bodies, uint64_t *seed)
{
    mechanism_begin(m);
    for (int i = 0; i < bodies; ++i) {
        pawl_body_def def = pawl_body_def_default();
        def.mass = random_in(seed, 0.5, 3.0);
        def.com = random_vec(seed, 0.3);
        random_inertia(seed, def.mass, 0.4, def.inertia);
        mechanism_body(m, &def);
        int base = random_index(seed, i + 1) - 1;
        pawl_joint_def joint = pawl_joint_def_default();
        joint.kind = random_in(seed, 0.0, 1.0) < 0.2 ? PAWL_JOINT_SPHERICAL : PAWL_JOINT_REVOLUTE;
        joint.base = base < 0 ? PAWL_WORLD : pawl_builder_body_at(m->builder, base);
        joint.follower = pawl_builder_body_at(m->builder, i);
        joint.base_frame = random_pose(seed, 0.6);
        joint.follower_frame = random_pose(seed, 0.6);
        bool spring = joint.kind == PAWL_JOINT_REVOLUTE && random_in(seed, 0.0, 1.0) < 0.3;
        joint.coordinate[0].stiffness = spring ? 2.0 : 0.0;
        mechanism_joint(m, &joint);
    }
    mechanism_compile(m);
}

static void lanes_pose(body_state *bodies, int count, uint64_t *seed)
{
    for (int i = 0; i < count; ++i) {
        pawl_pose pose = random_pose(seed, 1.0);
        bodies[i] = (body_state){.r = pose.position, .q = pose.orientation};
    }
}

// Rows of joint k by joint_kinematics.c, and M^-1 JT by its definition.
static int lanes_compare_joint(const pawl_assembly *a, const body_state *bodies, int k)
{
    const model_joint *j = &a->model->joints[k];
    const row_block *b = &a->blocks[a->joint_block[k]];
    joint_frames frames;
    double residual[6], rows[2][6][6];
    pawl_joint_frames(j, bodies, a->rotation, &frames);
    pawl_joint_rows(j, &frames, 0.0, residual, rows[0], rows[1]);
    int wrong = memcmp(residual, a->residual + b->rows.first_row,
                       (size_t)j->row_count * sizeof *residual) != 0;
    for (int side = j->base >= 0 ? 0 : 1; side < 2; ++side) {
        int place = b->jacobian[side == 1 ? b->body_count - 1 : 0];
        int body = side == 1 ? j->follower : j->base;
        const coordinate_row *g = &a->coordinates[j->first_coordinate];
        for (int r = 0; r < b->rows.dim; ++r) { // behind the joint's own that of its spring
            const double *along = side == 1 ? g->follower : g->base;
            const double *row = r < j->row_count ? rows[side][r] : along;
            pawl_vec3 w = m3_mul(&a->inverse_inertia[body], v3(row[3], row[4], row[5]));
            double mass = a->inverse_mass[body];
            double scaled[6] = {mass * row[0], mass * row[1], mass * row[2], w.x, w.y, w.z};
            for (int i = 0; i < 6; ++i) { // zeros may differ in their sign
                wrong += row[i] != a->J[place + 6 * r + i];
                wrong += scaled[i] != a->MJ[place + 6 * r + i];
            }
        }
    }
    return wrong;
}

// J M^-1 JT of the rows of hinge k, that of its spring included, by its definition.
static int lanes_compare_gram(const pawl_assembly *a, int k)
{
    int block = a->joint_block[k], wrong = 0;
    const row_block *b = &a->blocks[block];
    for (int r = 0; r < b->rows.dim; ++r) {
        int first = r < HINGE_ROWS ? 4 * r : HINGE_TURN_GRAM;
        for (int c = 0; c <= r; ++c) {
            double entry = 0.0;
            for (int x = 0; x < b->body_count; ++x) {
                int at = b->jacobian[x];
                entry += pawl_dot6(a->J + at + 6 * r, a->MJ + at + 6 * c);
            }
            wrong += entry != a->grams[HINGE_GRAM * block + first + c];
        }
    }
    return wrong;
}

TEST(hinges_of_a_group_have_the_bits_of_one_hinge)
{
    uint64_t seed = 20;
    for (int bodies = 1; bodies <= LANES_BODIES; ++bodies) {
        mechanism m;
        lanes_build(&m, bodies, &seed);
        pawl_assembly *a;
        CHECK_OK(pawl_assembly_create(&m.t.env, m.model, 0, &a));
        int wrong = 0;
        for (int n = 0; n < LANES_POSES; ++n) {
            body_state poses[LANES_BODIES];
            double reference[6 * LANES_BODIES] = {0};
            lanes_pose(poses, bodies, &seed);
            pawl_assembly_place(a, poses, reference, 0.0, 0.0);
            for (int i = 0; i < bodies; ++i) {
                pawl_mat3 r = quat_matrix(poses[i].q);
                pawl_mat3 inverse = m3_congruence(&r, &m.model->bodies[i].inverse_inertia);
                wrong += memcmp(&r, &a->rotation[i], sizeof r) != 0;
                wrong += memcmp(&inverse, &a->inverse_inertia[i], sizeof inverse) != 0;
                wrong += lanes_compare_joint(a, poses, i);
                wrong += a->joint_grouped[i] ? lanes_compare_gram(a, i) : 0;
            }
            // Residuals alone take another way round, which differs by rounding.
            double placed[6 * LANES_BODIES];
            memcpy(placed, a->residual, (size_t)a->free_rows * sizeof *placed);
            pawl_assembly_measure_closure(a, poses, reference, 0.0);
            for (int r = 0; r < a->free_rows; ++r) {
                CHECK_NEAR(a->hard[r] ? a->residual[r] : 0.0, a->hard[r] ? placed[r] : 0.0, 1e-14);
            }
        }
        CHECK_INT(wrong, 0);
        pawl_assembly_destroy(a);
        mechanism_end(&m);
    }
}

// Rates of the joints' own rows, and forces of impulses along them, by the Jacobian.
static void lanes_check_products(const pawl_assembly *a, uint64_t *seed)
{
    double u[6 * LANES_BODIES], lambda[6 * LANES_BODIES] = {0}, rate[6 * LANES_BODIES];
    double force[6 * LANES_BODIES], expected[6 * LANES_BODIES] = {0}, moved[6 * LANES_BODIES];
    int bodies = a->model->body_count;
    for (int i = 0; i < 6 * bodies; ++i) {
        u[i] = moved[i] = random_in(seed, -1.0, 1.0);
    }
    pawl_assembly_joint_velocity(a, u, rate);
    for (int i = 0; i < a->model->joint_count; ++i) {
        const row_block *b = &a->blocks[a->joint_block[i]];
        for (int r = 0; r < a->joint_rows[i]; ++r) {
            double sum = 0.0, *x = &lambda[b->rows.first_row + r];
            *x = random_in(seed, -1.0, 1.0);
            for (int side = 0; side < b->body_count; ++side) {
                for (int k = 0; k < 6; ++k) {
                    double entry = a->J[b->jacobian[side] + 6 * r + k];
                    sum += entry * u[6 * b->body[side] + k];
                    expected[6 * b->body[side] + k] += entry * *x;
                }
            }
            CHECK_NEAR(rate[b->rows.first_row + r], sum, 1e-14);
        }
    }
    pawl_assembly_push(a, lambda, force, moved);
    for (int i = 0; i < bodies; ++i) {
        const double *f = expected + 6 * i;
        pawl_vec3 w = m3_mul(&a->inverse_inertia[i], v3(f[3], f[4], f[5]));
        const double change[6] = {f[0], f[1], f[2], w.x, w.y, w.z};
        for (int k = 0; k < 6; ++k) {
            double scale = k < 3 ? a->inverse_mass[i] : 1.0;
            CHECK_NEAR(force[6 * i + k], f[k], 2e-14);
            CHECK_NEAR(moved[6 * i + k], u[6 * i + k] + scale * change[k], 1e-12);
        }
    }
}

// J of each hinge with M^-1 JT of the next ones: as if each pair had a body in common.
static int lanes_compare_pairs(const pawl_assembly *a)
{
    hinge_pairs group = {0};
    double values[4 * 8 * HINGE_ROWS];
    int wrong = 0;
    for (int i = 0; i < a->model->joint_count && group.count < 4; ++i) {
        int j = (i + 1) % a->model->joint_count;
        if (a->joint_grouped[i] && a->joint_grouped[j]) {
            hinge_pair pair = {a->J + a->blocks[a->joint_block[i]].jacobian[0],
                               a->MJ + a->blocks[a->joint_block[j]].jacobian[0],
                               8 * HINGE_ROWS * group.count};
            for (int k = group.count++; k < 4; ++k) {
                group.pair[k] = pair;
            }
        }
    }
    pawl_hinge_pairs_form(&group, group.count > 0, values);
    for (int k = 0; k < group.count; ++k) {
        for (int n = 0; n < 8 * HINGE_ROWS; ++n) {
            int r = n / 8, c = n % 8;
            double entry = c < HINGE_ROWS ? pawl_dot6(group.pair[k].row_side + 6 * r,
                                                      group.pair[k].column_side + 6 * c)
                                          : 0.0;
            wrong += values[group.pair[k].offset + n] != entry;
        }
    }
    return wrong;
}

TEST(hinges_of_a_group_have_the_rates_forces_and_products_of_their_rows)
{
    uint64_t seed = 24;
    for (int bodies = 1; bodies <= LANES_BODIES; ++bodies) {
        mechanism m;
        lanes_build(&m, bodies, &seed);
        pawl_assembly *a;
        CHECK_OK(pawl_assembly_create(&m.t.env, m.model, 0, &a));
        int wrong = 0;
        for (int n = 0; n < LANES_POSES; ++n) {
            body_state poses[LANES_BODIES];
            double reference[6 * LANES_BODIES] = {0};
            lanes_pose(poses, bodies, &seed);
            pawl_assembly_place(a, poses, reference, 0.0, 0.0);
            wrong += lanes_compare_pairs(a);
            lanes_check_products(a, &seed);
        }
        CHECK_INT(wrong, 0);
        pawl_assembly_destroy(a);
        mechanism_end(&m);
    }
}

// Slow, fast and very fast turns, so that some bodies of a group need sines and others do not.
TEST(bodies_of_a_group_move_by_the_bits_of_one_body)
{
    uint64_t seed = 21;
    for (int bodies = 1; bodies <= LANES_BODIES; ++bodies) {
        mechanism m;
        lanes_build(&m, bodies, &seed);
        int wrong = 0;
        for (int n = 0; n < LANES_POSES; ++n) {
            body_state from[LANES_BODIES], to[LANES_BODIES];
            double u[6 * LANES_BODIES];
            lanes_pose(from, bodies, &seed);
            memcpy(to, from, sizeof to);
            for (int i = 0; i < 6 * bodies; ++i) {
                u[i] = random_in(&seed, -1.0, 1.0) * (n % 3 == 0 ? 1.0 : n % 3 == 1 ? 9.0 : 90.0);
            }
            pawl_bodies_move(m.model, from, u, 0.01, to);
            for (int i = 0; i < bodies; ++i) {
                const double *w = u + 6 * i;
                pawl_vec3 r = v3_axpy(from[i].r, 0.01, v3(w[0], w[1], w[2]));
                pawl_quat q = quat_advance(from[i].q, v3_scale(0.01, v3(w[3], w[4], w[5])));
                wrong += memcmp(&r, &to[i].r, sizeof r) != 0;
                wrong += memcmp(&q, &to[i].q, sizeof q) != 0;
            }
        }
        CHECK_INT(wrong, 0);
        mechanism_end(&m);
    }
}

// The series of the exponential map against sine and cosine of libm on both sides of where it ends.
TEST(small_turns_are_as_exact_as_large_ones)
{
    uint64_t seed = 22;
    for (int n = 0; n < 2000; ++n) {
        double angle = pow(10.0, random_in(&seed, -6.0, 0.0));
        pawl_quat q = quat_exp(v3(0.6 * angle, 0.0, -0.8 * angle));
        CHECK_NEAR(q.w, cos(0.5 * angle), 3e-16);
        CHECK_NEAR(q.x / (0.6 * angle), sin(0.5 * angle) / angle, 3e-16);
    }
}

// Energies, what forces do to twists, and gyroscopic torques against their definitions, with the bits of one body.
TEST(bodies_of_a_group_have_the_energies_and_torques_of_one_body)
{
    uint64_t seed = 23;
    const pawl_vec3 gravity = {0.3, -0.2, -9.81};
    for (int bodies = 1; bodies <= LANES_BODIES; ++bodies) {
        mechanism m;
        lanes_build(&m, bodies, &seed);
        int wrong = 0;
        for (int n = 0; n < LANES_POSES; ++n) {
            body_state at[LANES_BODIES];
            pawl_mat3 rotation[LANES_BODIES], inverse[LANES_BODIES];
            double factor[LANES_BODIES] = {0}, mass[LANES_BODIES], force[6 * LANES_BODIES],
                   u[6 * LANES_BODIES], expected[6 * LANES_BODIES];
            double kinetic = 0.0, weight = 0.0, sums[2], share = 0.0;
            lanes_pose(at, bodies, &seed);
            for (int i = 0; i < 6 * bodies; ++i) {
                force[i] = random_in(&seed, -1.0, 1.0);
                u[i] = expected[i] = random_in(&seed, -1.0, 1.0);
            }
            for (int i = 0; i < bodies; ++i) {
                const model_body *b = &m.model->bodies[i];
                at[i].v = random_vec(&seed, 1.0);
                at[i].w = random_vec(&seed, 1.0);
                factor[i] = i % 3 == 1 ? 2.0 : 0.0;
                rotation[i] = quat_matrix(at[i].q);
                inverse[i] = m3_congruence(&rotation[i], &b->inverse_inertia);
                mass[i] = b->inverse_mass;
                pawl_vec3 w = m3_tmul(&rotation[i], at[i].w), L = m3_mul(&b->inertia, w);
                double own = i % 3 == 1 ? 2.0 : 1.0;
                kinetic +=
                    0.5 * (own * b->mass) * v3_dot(at[i].v, at[i].v) + own * (0.5 * v3_dot(w, L));
                weight -= own * b->mass * b->gravity_scale * v3_dot(gravity, at[i].r);
                share = fmax(share, v3_max_abs(v3_cross(w, L)) / v3_max_abs(L));
                const double *f = force + 6 * i;
                pawl_vec3 turn = m3_mul(&inverse[i], v3(f[3], f[4], f[5]));
                const double change[6] = {mass[i] * f[0], mass[i] * f[1], mass[i] * f[2],
                                          turn.x,         turn.y,         turn.z};
                for (int k = 0; k < 6; ++k) {
                    expected[6 * i + k] += change[k];
                }
            }
            sums[0] = sums[1] = 0.0;
            pawl_bodies_energies(m.model, at, factor, gravity, &sums[0], &sums[1]);
            wrong += sums[0] != kinetic || sums[1] != weight;
            pawl_bodies_push(bodies, mass, inverse, force, u);
            wrong += memcmp(u, expected, 6 * (size_t)bodies * sizeof *u) != 0;
            wrong += pawl_bodies_spin_freely(m.model, at, rotation, 1.0, 0.999 * share);
            wrong += !pawl_bodies_spin_freely(m.model, at, rotation, 1.0, 1.001 * share);
        }
        CHECK_INT(wrong, 0);
        mechanism_end(&m);
    }
}
