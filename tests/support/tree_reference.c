// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "support/tree_reference.h"
#include "base/env.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

// ---- matrices with two derivatives -------------------------------------------------------------

typedef struct jet_matrix {
    reference_matrix d[3];
} jet_matrix;

typedef struct jet {
    reference_number d[3];
} jet;

static reference_matrix reference_product(const reference_matrix *a, const reference_matrix *b)
{
    reference_matrix c;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            c.m[i][j] = 0.0;
            for (int k = 0; k < 4; ++k) {
                c.m[i][j] += a->m[i][k] * b->m[k][j];
            }
        }
    }
    return c;
}

static void reference_add(reference_matrix *a, double s, const reference_matrix *b)
{
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            a->m[i][j] += s * b->m[i][j];
        }
    }
}

static jet_matrix jet_product(const jet_matrix *a, const jet_matrix *b)
{
    static const double binomial[3][3] = {{1, 0, 0}, {1, 1, 0}, {1, 2, 1}};
    jet_matrix c;
    memset(&c, 0, sizeof c);
    for (int n = 0; n < 3; ++n) {
        for (int k = 0; k <= n; ++k) {
            reference_matrix p = reference_product(&a->d[k], &b->d[n - k]);
            reference_add(&c.d[n], binomial[n][k], &p);
        }
    }
    return c;
}

static jet_matrix jet_identity(void)
{
    jet_matrix c;
    memset(&c, 0, sizeof c);
    for (int i = 0; i < 4; ++i) {
        c.d[0].m[i][i] = 1.0;
    }
    return c;
}

static jet_matrix jet_pose(pawl_pose pose)
{
    jet_matrix c = jet_identity();
    pawl_mat3 r = quat_matrix(pose.orientation);
    double x[3] = {pose.position.x, pose.position.y, pose.position.z};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c.d[0].m[i][j] = r.m[i][j];
        }
        c.d[0].m[i][3] = x[i];
    }
    return c;
}

static jet_matrix jet_column(const reduced_column *c, jet q)
{
    jet_matrix out = jet_identity();
    for (int n = 0; n < 3; ++n) {
        out.d[n].m[c->axis][3] = c->slide * q.d[n];
    }
    if (c->turn != 0.0) {
        int a = (c->axis + 1) % 3, b = (c->axis + 2) % 3;
        reference_number x = c->turn * q.d[0], x1 = c->turn * q.d[1], x2 = c->turn * q.d[2];
        reference_number s[3] = {csin(x), ccos(x) * x1, ccos(x) * x2 - csin(x) * x1 * x1};
        reference_number k[3] = {ccos(x), -csin(x) * x1, -csin(x) * x2 - ccos(x) * x1 * x1};
        for (int n = 0; n < 3; ++n) {
            out.d[n].m[a][a] = out.d[n].m[b][b] = k[n];
            out.d[n].m[b][a] = s[n];
            out.d[n].m[a][b] = -s[n];
        }
    }
    return out;
}

// exp of the skew matrix of xi by its series
static jet_matrix jet_ball(const jet xi[3])
{
    jet_matrix X, sum = jet_identity(), power = sum;
    memset(&X, 0, sizeof X);
    for (int n = 0; n < 3; ++n) {
        for (int a = 0; a < 3; ++a) {
            X.d[n].m[(a + 2) % 3][(a + 1) % 3] = xi[a].d[n];
            X.d[n].m[(a + 1) % 3][(a + 2) % 3] = -xi[a].d[n];
        }
    }
    double factorial = 1.0;
    for (int k = 1; k < 40; ++k) {
        power = jet_product(&power, &X);
        factorial *= k;
        for (int n = 0; n < 3; ++n) {
            reference_add(&sum.d[n], 1.0 / factorial, &power.d[n]);
        }
    }
    return sum;
}

// ---- poses and forces --------------------------------------------------------------------------

void tree_reference_poses(const tree_reference *r, const reference_number *theta,
                          const reference_number *rate, const reference_number *acceleration,
                          reference_matrix *out)
{
    const reduced_tree *t = r->tree;
    jet_matrix *all = calloc((size_t)t->link_count, sizeof *all);
    for (int i = 0; i < t->link_count; ++i) {
        const reduced_link *l = &t->links[i];
        if (l->driven) {
            all[i] = jet_pose(pawl_kinematic_pose(&t->model->bodies[l->body], r->time));
        } else {
            jet_matrix frame = jet_pose((pawl_pose){l->parent_anchor, l->parent_turn});
            all[i] = l->parent < 0 ? frame : jet_product(&all[l->parent], &frame);
            for (int k = l->first_column; k < l->first_column + l->column_count; ++k) {
                const reduced_column *c = &t->columns[k];
                jet q[3];
                for (int n = 0; n < (c->ball < 0 ? 1 : 3); ++n) {
                    q[n] = (jet){{theta[k + n], rate[k + n], acceleration[k + n]}};
                }
                if (c->ball < 0) {
                    jet_matrix m = jet_column(c, q[0]);
                    all[i] = jet_product(&all[i], &m);
                } else {
                    pawl_pose turn = {{0, 0, 0}, r->config->reference[c->ball]};
                    jet_matrix reference = jet_pose(turn), m = jet_ball(q);
                    all[i] = jet_product(&all[i], &reference);
                    all[i] = jet_product(&all[i], &m);
                    k += 2;
                }
            }
            jet_matrix back =
                jet_pose(pawl_pose_inverse((pawl_pose){l->child_anchor, l->child_turn}));
            all[i] = jet_product(&all[i], &back);
        }
        memcpy(out + 3 * i, all[i].d, sizeof all[i].d);
    }
    free(all);
}

// One link's share of the work on a virtual displacement D of its pose with second derivative T2:
// tr(D W T2T) - weight . D's translation, W the pseudo-inertia.
static reference_number reference_work(const model_body *b, pawl_vec3 gravity,
                                       const reference_matrix *T2, const reference_matrix *D)
{
    double trace = b->inertia.m[0][0] + b->inertia.m[1][1] + b->inertia.m[2][2];
    double scale = b->mass * b->gravity_scale;
    double force[3] = {scale * gravity.x, scale * gravity.y, scale * gravity.z};
    reference_number work = 0.0;
    for (int r = 0; r < 3; ++r) {
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                double W = (i == j ? 0.5 * trace : 0.0) - b->inertia.m[i][j];
                work += D->m[r][i] * W * T2->m[r][j];
            }
        }
        work += b->mass * D->m[r][3] * T2->m[r][3] - force[r] * D->m[r][3];
    }
    return work;
}

void tree_reference_dynamics(const tree_reference *r, const reference_number *theta,
                             const reference_number *rate, const reference_number *acceleration,
                             reference_number *tau)
{
    const reduced_tree *t = r->tree;
    int n = t->column_count;
    size_t size = (size_t)(3 * t->link_count) * sizeof(reference_matrix);
    reference_matrix *T = malloc(size), *D = malloc(size);
    reference_number *unit = calloc((size_t)(2 * n), sizeof *unit), *none = unit + n;
    tree_reference_poses(r, theta, rate, acceleration, T);
    for (int k = 0; k < n; ++k) {
        unit[k] = 1.0;
        tree_reference_poses(r, theta, unit, none, D);
        unit[k] = 0.0;
        tau[k] = 0.0;
        for (int i = 0; i < t->link_count; ++i) {
            const model_body *b = &t->model->bodies[t->links[i].body];
            tau[k] += reference_work(b, t->model->gravity, &T[3 * i + 2], &D[3 * i + 1]);
        }
    }
    free(T);
    free(D);
    free(unit);
}

// ---- random trees ------------------------------------------------------------------------------

static void tree_case_body(tree_case *c, int index, bool floating, uint64_t *seed)
{
    static const pawl_joint_kind kinds[] = {
        PAWL_JOINT_REVOLUTE,  PAWL_JOINT_PRISMATIC, PAWL_JOINT_CYLINDRICAL, PAWL_JOINT_UNIVERSAL,
        PAWL_JOINT_SPHERICAL, PAWL_JOINT_PLANAR,    PAWL_JOINT_CARTESIAN,   PAWL_JOINT_GIMBAL,
        PAWL_JOINT_SCREW,     PAWL_JOINT_REVOLUTE,  PAWL_JOINT_FIXED};
    pawl_body_def body = pawl_body_def_default();
    body.mass = random_in(seed, 0.5, 3.0);
    body.com = random_vec(seed, 0.3);
    body.gravity_scale = random_in(seed, 0.0, 2.0);
    random_inertia(seed, body.mass, 0.4, body.inertia);
    mechanism_body(&c->m, &body);
    int other = random_index(seed, index + 1) - 1;
    if (floating ? index == 0 : random_in(seed, 0.0, 1.0) < 0.1) {
        return;
    }
    other = floating && other < 0 ? 0 : other;
    // long chains, too: half of all go on from the last
    other = random_in(seed, 0.0, 1.0) < 0.5 ? index - 1 : other;
    bool turned = other >= 0 && random_in(seed, 0.0, 1.0) < 0.3;
    pawl_joint_def joint = pawl_joint_def_default();
    joint.kind = kinds[random_index(seed, (int)(sizeof kinds / sizeof kinds[0]))];
    pawl_body_id one = pawl_builder_body_at(c->m.builder, index);
    pawl_body_id two = other < 0 ? PAWL_WORLD : pawl_builder_body_at(c->m.builder, other);
    joint.base = turned ? one : two;
    joint.follower = turned ? two : one;
    joint.base_frame = random_pose(seed, 0.6);
    joint.follower_frame = random_pose(seed, 0.6);
    joint.pitch = 0.3;
    mechanism_joint(&c->m, &joint);
}

double *tree_case_numbers(tree_case *c, int count)
{
    double *out = (double *)c->block + c->bytes;
    c->bytes += (size_t)count;
    PAWL_ASSERT(c->bytes <= (size_t)1 << 20);
    return out;
}

void tree_case_make(tree_case *c, int bodies, bool floating, reduced_base base, uint64_t seed)
{
    mechanism_begin(&c->m);
    pawl_builder_set_gravity(c->m.builder, v3(0.3, -0.5, -9.81));
    for (int i = 0; i < bodies; ++i) {
        tree_case_body(c, i, floating, &seed);
    }
    mechanism_compile(&c->m);
    CHECK_OK(pawl_reduced_tree_create(&c->m.t.env, c->m.model, base, &c->tree));
    CHECK_OK(pawl_reduced_motion_create(&c->m.t.env, c->tree, &c->motion));
    int n = c->tree->column_count;
    c->block = calloc((size_t)1 << 20, sizeof(double));
    c->bytes = 0;
    c->config.theta = tree_case_numbers(c, n);
    c->config.reference = (pawl_quat *)(void *)tree_case_numbers(c, 4 * c->tree->ball_count);
    c->rate = tree_case_numbers(c, n);
    c->acceleration = tree_case_numbers(c, n);
    for (int b = 0; b < c->tree->ball_count; ++b) {
        c->config.reference[b] = random_quat(&seed);
    }
    for (int k = 0; k < n; ++k) {
        c->config.theta[k] = random_in(&seed, -1.3, 1.3);
        c->rate[k] = random_in(&seed, -2.0, 2.0);
        c->acceleration[k] = random_in(&seed, -5.0, 5.0);
    }
    pawl_reduced_place(c->motion, &c->config, 0.0);
    pawl_reduced_move(c->motion, c->rate);
}

void tree_case_end(tree_case *c)
{
    free(c->block);
    pawl_reduced_motion_destroy(c->motion);
    pawl_reduced_tree_destroy(c->tree);
    mechanism_end(&c->m);
}
