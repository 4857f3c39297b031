// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Masses, centres and inertias of shapes against numerical quadrature over their volumes.
#include "model/model.h"
#include "support/random.h"
#include "support/test.h"

#include <string.h>

enum { MASS_POINTS = 24 };

// Gauss-Legendre points on [-1, 1] by Newton on the polynomial.
static void mass_gauss(double x[MASS_POINTS], double w[MASS_POINTS])
{
    for (int i = 0; i < MASS_POINTS; ++i) {
        double t = cos(3.14159265358979323846 * (i + 0.75) / (MASS_POINTS + 0.5)), slope = 1.0;
        for (int k = 0; k < 100; ++k) {
            double p = 1.0, before = 0.0;
            for (int n = 1; n <= MASS_POINTS; ++n) {
                double next = ((2.0 * n - 1.0) * t * p - (n - 1.0) * before) / n;
                before = p;
                p = next;
            }
            slope = MASS_POINTS * (t * p - before) / (t * t - 1.0);
            t -= p / slope;
        }
        x[i] = t;
        w[i] = 2.0 / ((1.0 - t * t) * slope * slope);
    }
}

// Half width of the shape at height z of its frame along x, and along y.
static void mass_section(const pawl_shape_def *s, double z, double *a, double *b)
{
    double x = s->size.x, y = s->size.y, beyond;
    switch (s->kind) {
    case PAWL_SHAPE_SPHERE:
        *a = *b = sqrt(fmax(0.0, x * x - z * z));
        break;
    case PAWL_SHAPE_ELLIPSOID: {
        double f = sqrt(fmax(0.0, 1.0 - z * z / (s->size.z * s->size.z)));
        *a = x * f;
        *b = y * f;
        break;
    }
    case PAWL_SHAPE_CAPSULE:
        beyond = fmax(0.0, fabs(z) - s->size.z);
        *a = *b = sqrt(fmax(0.0, x * x - beyond * beyond));
        break;
    case PAWL_SHAPE_CYLINDER:
        *a = *b = x;
        break;
    default: // box
        *a = x;
        *b = y;
        break;
    }
}

// Integrals over one slab z0 .. z1: sections are ellipses (in polar coordinates) or rectangles. All
// integrands are polynomials of low degree in these coordinates, so Gauss is exact up to rounding.
static mass_properties mass_quadrature(const pawl_shape_def *s, double density)
{
    double x[MASS_POINTS], w[MASS_POINTS];
    mass_gauss(x, w);
    double edges[4] = {-s->size.z, s->size.z, 0.0, 0.0};
    int slabs = 1;
    if (s->kind == PAWL_SHAPE_SPHERE) {
        edges[0] = -s->size.x, edges[1] = s->size.x;
    } else if (s->kind == PAWL_SHAPE_CAPSULE) {
        edges[0] = -s->size.z - s->size.x, edges[1] = -s->size.z;
        edges[2] = s->size.z, edges[3] = s->size.z + s->size.x;
        slabs = 3;
    }
    double mass = 0.0;
    double moment[3] = {0}, second[3][3] = {{0}};
    for (int slab = 0; slab < slabs; ++slab) {
        double z0 = edges[slab], z1 = edges[slab + 1];
        for (int i = 0; i < MASS_POINTS; ++i) {
            double z = 0.5 * (z0 + z1) + 0.5 * (z1 - z0) * x[i], wz = 0.5 * (z1 - z0) * w[i], a, b;
            mass_section(s, z, &a, &b);
            for (int j = 0; j < MASS_POINTS; ++j) {
                for (int k = 0; k < MASS_POINTS; ++k) {
                    double px, py, area;
                    if (s->kind == PAWL_SHAPE_BOX) {
                        px = a * x[j], py = b * x[k], area = a * b * w[j] * w[k];
                    } else { // radius by Gauss; angles evenly, exact for low harmonics
                        double radius = 0.5 * (1.0 + x[j]);
                        double angle = 2.0 * 3.14159265358979323846 * k / MASS_POINTS;
                        px = a * radius * cos(angle), py = b * radius * sin(angle);
                        area = a * b * radius * 0.5 * w[j] * 2.0 * 3.14159265358979323846 /
                               MASS_POINTS;
                    }
                    pawl_vec3 p = pawl_pose_apply(s->frame, v3(px, py, z));
                    double dm = density * area * wz, at[3] = {p.x, p.y, p.z};
                    mass += dm;
                    for (int r = 0; r < 3; ++r) {
                        moment[r] += dm * at[r];
                        for (int c = 0; c < 3; ++c) {
                            second[r][c] += dm * at[r] * at[c];
                        }
                    }
                }
            }
        }
    }
    mass_properties out = {.mass = mass};
    double com[3] = {moment[0] / mass, moment[1] / mass, moment[2] / mass}, trace = 0.0;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            second[r][c] -= mass * com[r] * com[c];
        }
        trace += second[r][r];
    }
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out.inertia.m[r][c] = (r == c ? trace : 0.0) - second[r][c];
        }
    }
    out.com = v3(com[0], com[1], com[2]);
    return out;
}

static void mass_check(const mass_properties *got, const mass_properties *expected)
{
    CHECK_NEAR(got->mass, expected->mass, 1e-12 * expected->mass);
    CHECK_NEAR3(got->com, expected->com, 1e-12);
    for (int i = 0; i < 9; ++i) {
        CHECK_NEAR((&got->inertia.m[0][0])[i], (&expected->inertia.m[0][0])[i],
                   1e-11 * expected->mass);
    }
}

TEST(each_shape_has_the_mass_centre_and_inertia_of_its_volume)
{
    uint64_t seed = 1;
    for (int kind = 0; kind < PAWL_SHAPE_PLANE; ++kind) {
        for (int trial = 0; trial < 5; ++trial) {
            pawl_shape_def shape = pawl_shape_def_default();
            shape.kind = (pawl_shape_kind)kind;
            shape.size = v3(random_in(&seed, 0.1, 1.0), random_in(&seed, 0.1, 1.0),
                            random_in(&seed, 0.1, 1.0));
            shape.frame = random_pose(&seed, 1.0);
            mass_properties got = pawl_mass_of_shape(&shape, 3.0);
            mass_properties expected = mass_quadrature(&shape, 3.0);
            mass_check(&got, &expected);
        }
    }
}

TEST(a_plane_has_no_mass)
{
    pawl_shape_def shape = pawl_shape_def_default();
    shape.kind = PAWL_SHAPE_PLANE;
    CHECK_NEAR(pawl_mass_of_shape(&shape, 1000.0).mass, 0.0, 0.0);
}

// A box is two half boxes: adding by the parallel-axis theorem must give the whole.
TEST(two_halves_make_a_whole)
{
    uint64_t seed = 2;
    for (int trial = 0; trial < 20; ++trial) {
        pawl_shape_def whole = pawl_shape_def_default();
        whole.kind = PAWL_SHAPE_BOX;
        whole.size = v3(0.4, 0.2, 0.3);
        whole.frame = random_pose(&seed, 1.0);
        pawl_shape_def half[2] = {whole, whole};
        for (int i = 0; i < 2; ++i) {
            half[i].size.x = 0.2;
            half[i].frame.position =
                pawl_pose_apply(whole.frame, v3(i == 0 ? -0.2 : 0.2, 0.0, 0.0));
        }
        mass_properties sum =
            pawl_mass_add(pawl_mass_of_shape(&half[0], 500.0), pawl_mass_of_shape(&half[1], 500.0));
        mass_properties expected = pawl_mass_of_shape(&whole, 500.0);
        mass_check(&sum, &expected);
        mass_properties none = {0};
        sum = pawl_mass_add(none, expected);
        mass_check(&sum, &expected);
        sum = pawl_mass_add(expected, none);
        mass_check(&sum, &expected);
    }
}

// By hand: a dumbbell of two balls, and a visual decoration that weighs nothing.
TEST(a_body_with_a_density_gets_its_mass_from_its_shapes)
{
    test_env t;
    test_env_init(&t);
    pawl_builder *builder;
    CHECK_OK(pawl_builder_create(&t.env, "dumbbell", &builder));
    pawl_body_def def = pawl_body_def_default();
    def.density = 1000.0;
    CHECK_OK(pawl_builder_add_body(builder, &def, NULL));
    pawl_shape_def shape = pawl_shape_def_default();
    for (int i = 0; i < 2; ++i) {
        shape.frame.position = v3(i == 0 ? -0.5 : 0.5, 0.0, 0.25);
        CHECK_OK(pawl_builder_add_shape(builder, pawl_builder_body_at(builder, 0), &shape, NULL));
    }
    shape.visual_only = true;
    shape.size = v3(9, 9, 9);
    CHECK_OK(pawl_builder_add_shape(builder, pawl_builder_body_at(builder, 0), &shape, NULL));
    pawl_model *model;
    CHECK_OK(pawl_builder_compile(builder, &model));
    pawl_body_info info = pawl_model_body(model, pawl_model_body_at(model, 0));
    double ball = 1000.0 * 4.0 / 3.0 * 3.14159265358979323846 * 0.001;
    CHECK_NEAR(info.mass, 2.0 * ball, 1e-14);
    CHECK_NEAR3(info.com, v3(0, 0, 0.25), 1e-16);
    CHECK_NEAR(info.inertia[0], 2.0 * 0.4 * ball * 0.01, 1e-14);
    CHECK_NEAR(info.inertia[2], 2.0 * (0.4 * ball * 0.01 + ball * 0.25), 1e-14);
    pawl_model_destroy(model);
    pawl_builder_destroy(builder);
    CHECK_NO_LEAK(&t);
}
