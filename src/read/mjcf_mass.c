// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Masses of MJCF bodies: given by <inertial>, or summed over geoms by volume and density, then bounded, balanced and
// scaled by the options of <compiler>.
#include "math/principal.h"
#include "math/rotation.h"
#include "read/mjcf_parts.h"
#include <string.h>

// --- geoms ---------------------------------------------------------------------------------------

static mjcf_mass mjcf_mass_of_mesh(const mesh_moments *m, double density)
{
    const double *s = m->second;
    double sign = m->volume < 0.0 ? -density : density;
    mjcf_mass out = {.mass = sign * m->volume, .com = m->centre};
    const double six[6] = {sign * (s[1] + s[2]), sign * (s[0] + s[2]), sign * (s[0] + s[1]),
                           -sign * s[3],         -sign * s[4],         -sign * s[5]};
    memcpy(out.inertia, six, sizeof six);
    return out;
}

// Of density 1, in the geom's frame.
static pawl_status mjcf_mass_of_shape(mjcf_reader *r, const mjcf_geom *g, mjcf_mass *out)
{
    const double pi = 3.14159265358979323846;
    double x = g->shape.size.x, y = g->shape.size.y, z = g->shape.size.z, m = 0.0;
    double *i = out->inertia;
    *out = (mjcf_mass){0};
    switch (g->shape.kind) {
    case PAWL_SHAPE_SPHERE:
        m = 4.0 / 3.0 * pi * x * x * x;
        i[0] = i[1] = i[2] = 0.4 * m * x * x;
        break;
    case PAWL_SHAPE_BOX:
        m = 8.0 * x * y * z;
        i[0] = m / 3.0 * (y * y + z * z);
        i[1] = m / 3.0 * (x * x + z * z);
        i[2] = m / 3.0 * (x * x + y * y);
        break;
    case PAWL_SHAPE_ELLIPSOID:
        m = 4.0 / 3.0 * pi * x * y * z;
        i[0] = 0.2 * m * (y * y + z * z);
        i[1] = 0.2 * m * (x * x + z * z);
        i[2] = 0.2 * m * (x * x + y * y);
        break;
    case PAWL_SHAPE_CYLINDER:
        m = pi * x * x * 2.0 * z;
        i[0] = i[1] = m * (0.25 * x * x + z * z / 3.0);
        i[2] = 0.5 * m * x * x;
        break;
    case PAWL_SHAPE_CAPSULE: {
        double tube = pi * x * x * 2.0 * z, ball = 4.0 / 3.0 * pi * x * x * x;
        m = tube + ball;
        // each half ball's centre lies 3/8 radius beyond the end of the straight part
        i[0] = i[1] =
            tube * (0.25 * x * x + z * z / 3.0) + ball * (0.4 * x * x + z * z + 0.75 * x * z);
        i[2] = 0.5 * tube * x * x + 0.4 * ball * x * x;
        break;
    }
    case PAWL_SHAPE_HULL: {
        mesh_moments moments;
        PAWL_TRY(mjcf_mesh_moments(r, g, &moments));
        *out = mjcf_mass_of_mesh(&moments, 1.0);
        return PAWL_OK;
    }
    default:
        break; // planes and height fields
    }
    out->mass = m;
    return PAWL_OK;
}

pawl_status mjcf_mass_of_geom(mjcf_reader *r, mjcf_geom *g)
{
    const mjcf_compiler *c = &g->e.spec->compiler;
    double density = 1000.0, mass = -1.0, group = 0.0;
    mjcf_mass own;
    const char *shell = mjcf_get(&g->e, "shellinertia");
    PAWL_TRY(mjcf_number(r, &g->e, "density", &density));
    PAWL_TRY(mjcf_number(r, &g->e, "mass", &mass));
    PAWL_TRY(mjcf_number(r, &g->e, "group", &group));
    g->mass = (mjcf_mass){0};
    if (group < c->group_low || group > c->group_high || mass == 0.0 ||
        (mass < 0.0 && density == 0.0)) {
        return PAWL_OK;
    }
    if (shell != NULL && strcmp(shell, "true") == 0) {
        PAWL_TRY(xml_unsupported(r->xml, g->e.node, "shellinertia is not supported"));
    }
    PAWL_TRY(mjcf_mass_of_shape(r, g, &own));
    double scale = mass > 0.0 && own.mass > 0.0 ? mass / own.mass : density;
    own.mass *= scale;
    for (int i = 0; i < 6; ++i) {
        own.inertia[i] *= scale;
    }
    g->mass = lumped_mass_moved(own, g->pose);
    return PAWL_OK;
}

// --- bodies --------------------------------------------------------------------------------------

static pawl_status mjcf_mass_given(mjcf_reader *r, mjcf_body *b)
{
    static const xml_rule rules[] = {{XML_TAKEN,
                                      "@pos @quat @axisangle @xyaxes @zaxis @euler @mass "
                                      "@diaginertia @fullinertia"},
                                     {XML_TAKEN, NULL}};
    mjcf_element e = {.node = b->inertial, .spec = b->e.spec};
    pawl_pose pose;
    double v[6];
    int n;
    PAWL_TRY(xml_check(r->xml, b->inertial, rules));
    PAWL_TRY(mjcf_pose(r, &e, &pose));
    pose = mjcf_to_local(r, &e, (int)(b - MJCF_BODY_AT(r, 0)), pose);
    mjcf_mass own = {0};
    PAWL_TRY(mjcf_number(r, &e, "mass", &own.mass));
    if (!(own.mass >= 0.0)) {
        return xml_error(r->xml, b->inertial, "mass: got %g kg, expected 0 or more", own.mass);
    }
    PAWL_TRY(mjcf_numbers(r, &e, "diaginertia", v, 3, &n));
    for (int i = 0; i < n; ++i) {
        own.inertia[i] = v[i];
    }
    PAWL_TRY(mjcf_numbers(r, &e, "fullinertia", v, 6, &n));
    if (n == 6) { // its axes are the body's, turned by nothing
        memcpy(own.inertia, v, sizeof v);
    }
    for (int i = 0; i < 6; ++i) {
        if (!isfinite(own.inertia[i])) {
            return xml_error(r->xml, b->inertial, "the inertia is not finite");
        }
    }
    b->mass = lumped_mass_moved(own, pose);
    return PAWL_OK;
}

// Bounds, and with `balance` the triangle inequality of the principal moments, are of the principal axes.
static void mjcf_mass_mend(const mjcf_compiler *c, mjcf_mass *m)
{
    m->mass = max_of(m->mass, c->bound_mass);
    pawl_mat3 tensor = m3_from_six(m->inertia);
    principal_axes p = pawl_principal_axes(&tensor);
    double *d = p.moment;
    bool changed = false;
    for (int i = 0; i < 3; ++i) {
        changed = changed || d[i] < c->bound_inertia;
        d[i] = max_of(d[i], c->bound_inertia);
    }
    if (c->balance && (d[0] + d[1] < d[2] || d[0] + d[2] < d[1] || d[1] + d[2] < d[0])) {
        double mean = (d[0] + d[1] + d[2]) / 3.0;
        d[0] = d[1] = d[2] = mean;
        changed = true;
    }
    if (changed) {
        pawl_mat3 own = {{{d[0], 0, 0}, {0, d[1], 0}, {0, 0, d[2]}}};
        tensor = m3_congruence(&p.axes, &own);
        lumped_mass_six(&tensor, m->inertia);
    }
}

pawl_status mjcf_mass_of_body(mjcf_reader *r, int body)
{
    mjcf_body *b = MJCF_BODY_AT(r, body);
    const mjcf_compiler *c = &b->e.spec->compiler;
    bool given = b->inertial != NULL && c->inertia != MJCF_INERTIA_FROM_GEOMS;
    if (given) {
        PAWL_TRY(mjcf_mass_given(r, b));
    } else if (c->inertia != MJCF_INERTIA_GIVEN) {
        for (int i = 0; i < r->geoms.count; ++i) {
            mjcf_geom *g = MJCF_GEOM_AT(r, i);
            if (g->body == body) {
                PAWL_TRY(mjcf_mass_of_geom(r, g));
                b->mass = lumped_mass_add(b->mass, g->mass);
            }
        }
    }
    if (c->bound_mass > 0.0 || c->bound_inertia > 0.0 || c->balance) {
        mjcf_mass_mend(c, &b->mass);
    }
    return PAWL_OK;
}

pawl_status mjcf_mass_total(mjcf_reader *r, const mjcf_compiler *c)
{
    double total = 0.0;
    for (int i = 1; i < r->bodies.count; ++i) {
        total += MJCF_BODY_AT(r, i)->mass.mass;
    }
    if (!(c->total_mass > 0.0) || !(total > 0.0)) {
        return PAWL_OK;
    }
    double scale = c->total_mass / total;
    for (int i = 1; i < r->bodies.count; ++i) {
        mjcf_mass *m = &MJCF_BODY_AT(r, i)->mass;
        m->mass *= scale;
        for (int k = 0; k < 6; ++k) {
            m->inertia[k] *= scale;
        }
    }
    return PAWL_OK;
}
