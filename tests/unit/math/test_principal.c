// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Principal axes against their definition.
#include "math/principal.h"
#include "support/random.h"
#include "support/test.h"

// Definition: S a = moment a, and the axes are orthonormal and right-handed.
TEST(principal_axes_are_eigenvectors)
{
    uint64_t seed = 7;
    for (int n = 0; n < 1000; ++n) {
        double six[6];
        random_inertia(&seed, 1.0, 1.0, six);
        pawl_mat3 s = m3_from_six(six);
        principal_axes p = pawl_principal_axes(&s);
        for (int k = 0; k < 3; ++k) {
            pawl_vec3 a = m3_column(&p.axes, k);
            CHECK_NEAR3(m3_mul(&s, a), v3_scale(p.moment[k], a), 1e-14);
            CHECK_NEAR(v3_norm(a), 1.0, 1e-14);
        }
        CHECK_NEAR(m3_det(&p.axes), 1.0, 1e-14);
        double first = fabs(1.0 / p.moment[0] - 1.0 / p.moment[1]);
        CHECK(first <= fabs(1.0 / p.moment[1] - 1.0 / p.moment[2]));
        CHECK(first <= fabs(1.0 / p.moment[2] - 1.0 / p.moment[0]));
    }
}

TEST(a_body_of_revolution_has_its_axis_last_and_its_moments_untouched)
{
    for (int odd = 0; odd < 3; ++odd) {
        pawl_mat3 s = {{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}};
        s.m[odd][odd] = 3.0;
        principal_axes p = pawl_principal_axes(&s);
        CHECK(p.moment[0] == 2.0 && p.moment[1] == 2.0 && p.moment[2] == 3.0);
        CHECK(fabs(p.axes.m[odd][2]) == 1.0);
    }
}
