// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Inertia that no body of that mass and those shapes can have.
//
// With S the integral of x xT dm about the centre of mass, I = trace(S) 1 - S. S is positive
// semidefinite (the triangle inequality of the principal moments), and trace(S) = trace(I)/2 = m k^2
// with k the polar radius of gyration: k cannot exceed the distance R to the farthest point of the
// body. Files with few digits violate the first condition slightly, and shapes that omit part of the body the second;
// therefore both have a margin. Bodies without shapes are compared with the size of the whole model. Wrong units (g
// mm^2, kg mm^2) and defaults (1 kg m^2) are wrong by orders of magnitude.
#include "sim/shape_reach.h"
#include "sim/warnings.h"

static const double inertia_slack = 1e-3; // of trace(I)/2: rounded files stay below
static const double inertia_most = 3.0;   // k/R; shapes often leave out a part of the body
static const double inertia_alone = 30.0; // k over the size of the model
static const double inertia_far = 5.0;    // and k at least [m]
static const double inertia_least = 0.01; // k/R; a solid ball has 0.77, a heavy core can have less

// Principal moments obey Ia <= Ib + Ic; returns the largest of Ia/(Ib + Ic).
static double inertia_triangle(const principal_axes *p)
{
    double worst = 0.0;
    for (int i = 0; i < 3; ++i) {
        worst = fmax(worst, p->moment[i] / (p->moment[(i + 1) % 3] + p->moment[(i + 2) % 3]));
    }
    return worst;
}

// The farthest that a joint or a shape is from the centre of mass of its body, in all of the model [m].
static double inertia_extent(const pawl_model *m)
{
    double extent = 0.0;
    for (int i = 0; i < m->body_count; ++i) {
        extent = fmax(extent, m->bodies[i].inverse_mass > 0.0 ? pawl_body_reach(m, i) : 0.0);
    }
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        extent = fmax(extent, j->base >= 0 ? v3_norm(j->base_anchor) : 0.0);
        extent = fmax(extent, j->follower >= 0 ? v3_norm(j->follower_anchor) : 0.0);
    }
    return extent;
}

static const char *const inertia_advice =
    "check the units (kg m^2) and the mass, or give the body a density";

// At most one warning a body: an inertia that breaks the triangle inequality says nothing about lengths.
pawl_status pawl_warn_inertia(pawl_sim *sim, warning_list *list)
{
    const pawl_model *m = sim->model;
    double extent = inertia_extent(m);
    for (int i = 0; i < m->body_count; ++i) {
        const model_body *b = &m->bodies[i];
        if (b->kind != PAWL_BODY_RIGID) {
            continue;
        }
        double worst = inertia_triangle(&b->principal);
        if (worst > 1.0 + 2.0 * inertia_slack) {
            PAWL_TRY(pawl_warning_add(
                list, PAWL_WARNING_INERTIA, pawl_warning_body(m, i).text,
                "correct the inertia; it is about the centre of mass, and products of inertia have "
                "their sign",
                "principal moments %.4g, %.4g, %.4g kg m^2: one is %.3g times the sum of the other "
                "two; no mass distribution has more than 1 (triangle inequality)",
                b->principal.moment[0], b->principal.moment[1], b->principal.moment[2], worst));
            continue;
        }
        double reach = pawl_body_reach(m, i);
        // k^2 = trace(I) / (2 m), from the equation above.
        double k = sqrt(0.5 * (b->inertia.m[0][0] + b->inertia.m[1][1] + b->inertia.m[2][2]) *
                        b->inverse_mass);
        if (reach > 0.0 && (k > inertia_most * reach || k < inertia_least * reach)) {
            PAWL_TRY(pawl_warning_add(
                list, PAWL_WARNING_INERTIA, pawl_warning_body(m, i).text, inertia_advice,
                "its inertia puts the mass %.3g m from the centre of mass on average (root mean "
                "square), its shapes reach %.3g m",
                k, reach));
        } else if (reach == 0.0 && extent > 0.0 && k > inertia_far && k > inertia_alone * extent) {
            PAWL_TRY(pawl_warning_add(
                list, PAWL_WARNING_INERTIA, pawl_warning_body(m, i).text, inertia_advice,
                "its inertia puts the mass %.3g m from the centre of mass on average (root mean "
                "square), in a model whose bodies reach %.3g m",
                k, extent));
        }
    }
    return PAWL_OK;
}
