// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Smooth frictional contact, based on v_i = k d^3 (n + mu t_i) (nonconvex maximal dissipation, remark on smooth
// contact models), with d the depth of the point. The built-in friction laws differ in the constants of the tangents
// and of a moment about the normal. docs/wrench-contact.md sections 3 to 5.
#include "wrench/friction_polytope.h"
#include "math/trig.h"
#include "wrench/contact_site.h"
#include "wrench/ground.h"
#include <string.h>

static const double friction_pi = 3.14159265358979323846;

// d^p and its derivative for p that is whole or half (3, 2.5, ...), by products and a square root: pow() has other
// bits on other systems. Zero outside, with a zero slope.
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

// A patch is a sphere of forces and moments: rings of latitude and two poles, which are pure moments.
int pawl_friction_vertex_count(const pawl_wrench_model_def *def)
{
    return def->kind == PAWL_WRENCH_PATCH ? def->directions * def->rings + 2 : def->directions;
}

// Constants of the model with given friction mu, mu_2 along the axes and moment c mu.
// Ring r is at the latitude pi ((r + 1) / (rings + 1) - 1/2); a single ring is the equator, where the moment is 0.
// Vertex i has the tangents mu cos, mu_2 sin, so that the corners of the polygon lie on the ellipse; the angle of
// anisotropic friction turns the ellipse against the tangents.
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
    contact_site at;
    int columns; // by which they have a derivative: 3 where turning the frame changes nothing
    pawl_vec3 t[2];
    double dt[2][3][6];
    double K, slope; // dK/dd
} friction_site;

// dt = dt/dn dn, and where the tangents turn with the body what a turn does to them.
static void friction_tangents(const tangent_frame *frame, bool turns, friction_site *s)
{
    for (int a = 0; a < 2; ++a) {
        pawl_mat3 turn = turns ? pawl_tangent_turn(frame, a, s->at.normal) : (pawl_mat3){{{0.0}}};
        s->t[a] = frame->t[a];
        for (int r = 0; r < 3; ++r) {
            for (int j = 0; j < s->columns; ++j) {
                double own = j >= 3 ? turn.m[r][j - 3] : 0.0;
                for (int k = 0; k < 3; ++k) {
                    own += frame->dn[a].m[r][k] * s->at.normal_slope[k][j];
                }
                s->dt[a][r][j] = own;
            }
        }
    }
}

// K = k (d^p + zeta) [N]. With zeta > 0 there is a small force outside of the ground, too.
// Tangents turn with the body only for anisotropic friction with axes fixed in it; else they are those of the
// ground.
// False: there is no force, and none begins here.
static bool friction_site_at(const pawl_wrench_model_def *def, const pawl_wrench_query *query,
                             bool slopes, friction_site *s)
{
    pawl_contact_site(query, slopes, &s->at);
    double slope;
    double power = pawl_depth_power(s->at.depth, def->power, &slope);
    s->K = def->stiffness * (power + def->zeta);
    s->slope = def->stiffness * slope;
    if (s->K == 0.0 && s->slope == 0.0) {
        return false;
    }
    tangent_frame frame;
    bool turns = def->kind == PAWL_WRENCH_ANISOTROPIC && def->body_axes;
    if (turns) {
        pawl_mat3 axes;
        memcpy(axes.m, query->frame.rotation, sizeof axes.m);
        pawl_tangent_frame(&axes, s->at.normal, &frame);
    } else {
        pawl_ground_tangent_frame(query->ground, &s->at.distance, &frame);
    }
    // Rotations change nothing about a point on smooth ground unless it has a core, a lean or tangents of its own.
    s->columns = !slopes ? 0 : turns || s->at.turns ? 6 : 3;
    friction_tangents(&frame, turns, s);
    return true;
}

// Writes a vector into a column of a row-major matrix with `stride` columns.
static void friction_put(double *at, int stride, pawl_vec3 x)
{
    at[0] = x.x;
    at[stride] = x.y;
    at[2 * stride] = x.z;
}

static pawl_vec3 friction_column(const double m[3][6], int j)
{
    return v3(m[0][j], m[1][j], m[2][j]);
}

// Force and moment about the frame's origin: the force acts at the lever's end.
// f = K (normal n + a t_1 + b t_2); moment = lever x f + K m n. `normal` is 1 for vertices, and 0 for their
// derivatives by a friction number, which do not act on the normal force. Derivatives are by the product rule;
// columns beyond s->columns are zero.
static void friction_vertex_at(const friction_site *s, polytope_vertex c, double normal,
                               int components, double *v, double *dv)
{
    pawl_vec3 n = s->at.normal;
    pawl_vec3 along = v3_axpy(v3_axpy(v3_scale(normal, n), c.a, s->t[0]), c.b, s->t[1]);
    pawl_vec3 f = v3_scale(s->K, along);
    friction_put(v, 1, f);
    if (components == 6) {
        friction_put(v + 3, 1, v3_axpy(v3_cross(s->at.lever, f), s->K * c.m, n));
    }
    for (int j = 0; j < 6 && dv != NULL; ++j) {
        pawl_vec3 df = v3(0.0, 0.0, 0.0), dm = df;
        if (j < s->columns) {
            pawl_vec3 dn = friction_column(s->at.normal_slope, j);
            double dK = s->slope * s->at.depth_slope[j];
            df = v3_axpy(v3_axpy(v3_scale(normal, dn), c.a, friction_column(s->dt[0], j)), c.b,
                         friction_column(s->dt[1], j));
            df = v3_axpy(v3_scale(s->K, df), dK, along);
            dm = v3_add(v3_cross(friction_column(s->at.lever_slope, j), f),
                        v3_cross(s->at.lever, df));
            dm = v3_add(dm, v3_axpy(v3_scale(s->K * c.m, dn), dK * c.m, n));
        }
        friction_put(dv + j, 6, df);
        if (components == 6) {
            friction_put(dv + 18 + j, 6, dm);
        }
    }
}

bool pawl_friction_push(const pawl_wrench_model_def *def, const polytope_vertex *vertices,
                        double normal, const pawl_wrench_query *query, double *v, double *dv)
{
    friction_site site;
    if (!friction_site_at(def, query, dv != NULL, &site)) {
        return false;
    }
    int components = query->component_count;
    for (int i = 0; i < query->vertex_count; ++i) {
        friction_vertex_at(&site, vertices[i], normal, components, v + i * components,
                           dv != NULL ? dv + i * components * 6 : NULL);
    }
    return true;
}

void pawl_friction_evaluate(const pawl_wrench_model_def *def, const polytope_vertex *vertices,
                            double normal, const pawl_wrench_query *query, double *v, double *dv)
{
    size_t numbers = (size_t)query->vertex_count * (size_t)query->component_count;
    if (pawl_friction_push(def, vertices, normal, query, v, dv)) {
        return;
    }
    memset(v, 0, numbers * sizeof *v);
    if (dv != NULL) {
        memset(dv, 0, 6 * numbers * sizeof *dv);
    }
}
