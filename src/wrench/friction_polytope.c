// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Smooth frictional contact: seed of the formulas is v_i = k d^3 (n + mu t_i) (nonconvex maximal
// dissipation, remark on smooth contact models), with d the depth of the point. All built-in friction
// laws are that with other constants in front of the tangents and of a moment about the normal.
// docs/wrench-contact.md sections 3 to 5.
#include "wrench/friction_polytope.h"
#include "math/trig.h"
#include "wrench/ground.h"
#include <string.h>

static const double friction_pi = 3.14159265358979323846;

double pawl_depth_power(double d, double p, double *slope)
{
    if (!(d > 0.0)) {
        *slope = 0.0;
        return 0.0;
    }
    int whole = (int)p;
    double below = p > (double)whole ? sqrt(d) : 1.0; // d^(p - 1) at the end
    for (int i = 1; i < whole; ++i) {
        below *= d;
    }
    *slope = p * below;
    return below * d;
}

int pawl_friction_vertex_count(const pawl_wrench_model_def *def)
{
    return def->kind == PAWL_WRENCH_PATCH ? def->directions * def->rings + 2 : def->directions;
}

// Constants of the model with given friction mu, mu_2 along the axes and moment c mu.
static void friction_fill(const pawl_wrench_model_def *def, double mu, double mu_2, double moment,
                          polytope_vertex *out)
{
    bool patch = def->kind == PAWL_WRENCH_PATCH;
    int rings = patch ? def->rings : 1;
    double turn_s = 0.0, turn_c = 1.0;
    if (def->kind == PAWL_WRENCH_ANISOTROPIC) {
        pawl_sincos(def->angle, &turn_s, &turn_c);
    }
    for (int r = 0; r < rings; ++r) {
        double level_s, level_c;
        pawl_sincos(friction_pi * ((double)(r + 1) / (double)(rings + 1) - 0.5), &level_s,
                    &level_c);
        for (int i = 0; i < def->directions; ++i) {
            double s, c;
            pawl_sincos(2.0 * friction_pi * (double)i / (double)def->directions, &s, &c);
            double x = mu * c * level_c, y = mu_2 * s * level_c;
            *out++ = (polytope_vertex){turn_c * x - turn_s * y, turn_s * x + turn_c * y,
                                       moment * level_s};
        }
    }
    if (patch) {
        *out++ = (polytope_vertex){0.0, 0.0, moment};
        *out = (polytope_vertex){0.0, 0.0, -moment};
    }
}

static double friction_second(const pawl_wrench_model_def *def)
{
    return def->kind == PAWL_WRENCH_ANISOTROPIC ? def->friction2 : def->friction;
}

void pawl_friction_vertices(const pawl_wrench_model_def *def, polytope_vertex *out)
{
    friction_fill(def, def->friction, friction_second(def), def->friction * def->torsion, out);
}

// The constants are linear in each number, so that a derivative is the same with 1 and 0 in place.
bool pawl_friction_vertex_rates(const pawl_wrench_model_def *def, pawl_wrench_number number,
                                polytope_vertex *out)
{
    bool anisotropic = def->kind == PAWL_WRENCH_ANISOTROPIC;
    switch (number) {
    case PAWL_WRENCH_FRICTION:
        friction_fill(def, 1.0, anisotropic ? 0.0 : 1.0, def->torsion, out);
        return true;
    case PAWL_WRENCH_FRICTION2:
        friction_fill(def, 0.0, 1.0, 0.0, out);
        return anisotropic;
    case PAWL_WRENCH_TORSION:
        friction_fill(def, 0.0, 0.0, def->friction, out);
        return def->kind == PAWL_WRENCH_PATCH;
    case PAWL_WRENCH_STIFFNESS:
    case PAWL_WRENCH_NUMBER_COUNT:
        break;
    }
    return false;
}

// All that vertices of one point share.
typedef struct friction_site {
    pawl_vec3 n;
    pawl_mat3 H; // dn/dx
    pawl_vec3 t[2];
    pawl_mat3 dt[2];   // by position
    pawl_mat3 turn[2]; // by rotation
    double K, slope;   // dK/dd
    double radius;
    bool turns; // the tangents turn with the body
} friction_site;

static friction_site friction_site_at(const pawl_wrench_model_def *def,
                                      const pawl_wrench_query *query)
{
    pawl_distance distance;
    pawl_ground_distance(query->ground, query->frame.position, &distance);
    friction_site s = {.n = distance.normal, .radius = query->radius};
    memcpy(s.H.m, distance.hessian, sizeof s.H.m);
    double slope;
    double power = pawl_depth_power(query->radius - distance.value, def->power, &slope);
    s.K = def->stiffness * (power + def->zeta);
    s.slope = def->stiffness * slope;
    tangent_frame frame;
    s.turns = def->kind == PAWL_WRENCH_ANISOTROPIC && def->body_axes;
    if (s.turns) {
        pawl_mat3 axes;
        memcpy(axes.m, query->frame.rotation, sizeof axes.m);
        pawl_tangent_frame(&axes, s.n, &frame);
    } else {
        pawl_ground_tangent_frame(query->ground, &distance, &frame);
    }
    for (int a = 0; a < 2; ++a) {
        s.t[a] = frame.t[a];
        s.dt[a] = m3_product(&frame.dn[a], &s.H);
        s.turn[a] = s.turns ? pawl_tangent_turn(&frame, a, s.n) : (pawl_mat3){{{0.0}}};
    }
    return s;
}

static void friction_put(double *at, int stride, pawl_vec3 x)
{
    at[0] = x.x;
    at[stride] = x.y;
    at[2 * stride] = x.z;
}

// Force and moment about the frame's origin, which is `radius` above where the force acts.
static void friction_vertex_at(const friction_site *s, polytope_vertex c, double normal,
                               int components, double *v, double *dv)
{
    pawl_vec3 along = v3_axpy(v3_axpy(v3_scale(normal, s->n), c.a, s->t[0]), c.b, s->t[1]);
    pawl_vec3 f = v3_scale(s->K, along);
    friction_put(v, 1, f);
    if (components == 6) {
        friction_put(v + 3, 1, v3_axpy(v3_scale(s->K * c.m, s->n), -s->radius, v3_cross(s->n, f)));
    }
    if (dv == NULL) {
        return;
    }
    const double n[3] = {s->n.x, s->n.y, s->n.z};
    for (int j = 0; j < 6; ++j) {
        pawl_vec3 dn = v3(0.0, 0.0, 0.0), df = dn;
        double dK = 0.0;
        if (j < 3) {
            dn = m3_column(&s->H, j);
            dK = -s->slope * n[j]; // the depth falls along n
            df = v3_axpy(v3_axpy(v3_scale(normal, dn), c.a, m3_column(&s->dt[0], j)), c.b,
                         m3_column(&s->dt[1], j));
            df = v3_axpy(v3_scale(s->K, df), dK, along);
        } else if (s->turns) {
            df = v3_axpy(v3_scale(c.a, m3_column(&s->turn[0], j - 3)), c.b,
                         m3_column(&s->turn[1], j - 3));
            df = v3_scale(s->K, df);
        }
        friction_put(dv + j, 6, df);
        if (components == 6) {
            pawl_vec3 lever = v3_add(v3_cross(dn, f), v3_cross(s->n, df));
            pawl_vec3 own = v3_axpy(v3_scale(s->K * c.m, dn), dK * c.m, s->n);
            friction_put(dv + 18 + j, 6, v3_axpy(own, -s->radius, lever));
        }
    }
}

void pawl_friction_evaluate(const pawl_wrench_model_def *def, const polytope_vertex *vertices,
                            double normal, const pawl_wrench_query *query, double *v, double *dv)
{
    friction_site site = friction_site_at(def, query);
    int components = query->component_count;
    for (int i = 0; i < query->vertex_count; ++i) {
        friction_vertex_at(&site, vertices[i], normal, components, v + i * components,
                           dv != NULL ? dv + i * components * 6 : NULL);
    }
}
