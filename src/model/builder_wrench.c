// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Contact points with their models of the force, and heightfields: collected and checked like all other elements of a
// builder. See pawl/wrench.h.
#include "base/guard.h"
#include "base/hash.h"
#include "model/builder.h"
#include "model/contact_points.h"
#include <string.h>

pawl_heightfield_def pawl_heightfield_def_default(void)
{
    pawl_heightfield_def def = {
        .frame = pawl_pose_identity(), .dx = 1.0, .dy = 1.0, .surface = pawl_shape_def_default()};
    def.surface.group = UINT32_MAX; // ground for every shape whose mask has any bit
    def.stamp = PAWL_STAMP_HEIGHTFIELD;
    return def;
}

pawl_wrench_model_def pawl_wrench_model_def_default(pawl_wrench_kind kind)
{
    return (pawl_wrench_model_def){.kind = kind,
                                   .stiffness = kind == PAWL_WRENCH_TABLE ? 1.0 : 1e8,
                                   .power = 3.0,
                                   .friction = 0.5,
                                   .directions = 6,
                                   .friction2 = 0.25,
                                   .torsion = 0.02,
                                   .rings = 1,
                                   .component_count = 3,
                                   .stamp = PAWL_STAMP_WRENCH_MODEL};
}

pawl_contact_point_def pawl_contact_point_def_default(void)
{
    return (pawl_contact_point_def){.body = PAWL_WORLD,
                                    .frame = pawl_pose_identity(),
                                    .wrench_model = -1,
                                    .stamp = PAWL_STAMP_CONTACT_POINT};
}

const char *pawl_wrench_kind_name(pawl_wrench_kind kind)
{
    static const char *const names[PAWL_WRENCH_KIND_COUNT] = {"coulomb", "anisotropic", "patch",
                                                              "table", "custom"};
    return (int)kind >= 0 && kind < PAWL_WRENCH_KIND_COUNT ? names[kind] : NULL;
}

int pawl_builder_find_wrench_model(const pawl_builder *b, const char *name)
{
    if (b == NULL || name == NULL) {
        return -1;
    }
    for (int i = 0; i < b->wrench_models.count; ++i) {
        if (strcmp(PAWL_ITEM(b->wrench_models, pawl_wrench_model_def, i).name, name) == 0) {
            return i;
        }
    }
    return -1;
}

// Checked, copied, and added as a shape of the world. Heights [m] are x_count x y_count numbers.
pawl_status pawl_builder_add_heightfield(pawl_builder *b, const pawl_heightfield_def *def, int *out)
{
    PAWL_NEED(NULL, b);
    PAWL_NEED(&b->env, def);
    PAWL_NEED_STAMP(&b->env, def, PAWL_STAMP_HEIGHTFIELD, "pawl_heightfield_def_default");
    pawl_heightfield_def field = *def;
    const pawl_env *env = &b->env;
    PAWL_TRY(pawl_builder_keep_name(b, &field.name, "heightfield", b->heightfields.count, NULL));
    if (!pawl_builder_pose_good(&field.frame)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "heightfield '%s': its frame is not finite",
                         field.name);
    }
    if (field.x_count < 2 || field.y_count < 2 || field.x_count > INT32_MAX / field.y_count) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "heightfield '%s' has %d x %d heights, at least 2 x 2 are needed",
                         field.name, field.x_count, field.y_count);
    }
    if (!(isfinite(field.dx) && field.dx > 0.0 && isfinite(field.dy) && field.dy > 0.0)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "heightfield '%s': spacing %g and %g m must be above 0", field.name,
                         field.dx, field.dy);
    }
    PAWL_NEED(env, field.heights);
    int count = field.x_count * field.y_count;
    for (int i = 0; i < count; ++i) {
        if (!isfinite(field.heights[i])) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "heightfield '%s': height %d is %g",
                             field.name, i, field.heights[i]);
        }
    }
    field.heights = pawl_builder_keep(b, field.heights, (size_t)count * sizeof(double));
    if (field.heights == NULL) {
        return pawl_builder_no_memory(b);
    }
    field.surface.kind = PAWL_SHAPE_HEIGHTFIELD;
    field.surface.name = field.name;
    field.surface.frame = field.frame;
    field.surface.heightfield = b->heightfields.count;
    PAWL_TRY(pawl_builder_push(b, &b->heightfields, &field, sizeof field, out));
    pawl_status status = pawl_builder_push_shape(b, PAWL_WORLD, &field.surface, NULL);
    if (status != PAWL_OK) {
        --b->heightfields.count;
        return status;
    }
    const double spacing[] = {field.x_count, field.y_count, field.dx, field.dy};
    b->tag = pawl_hash_doubles(b->tag, spacing, 4); // ids that follow are of this ground
    b->tag = pawl_hash_doubles(b->tag, field.heights, (size_t)count);
    return PAWL_OK;
}

static bool builder_wrench_finite(const double *x, size_t count, size_t *bad)
{
    for (*bad = 0; *bad < count; ++*bad) {
        if (!isfinite(x[*bad])) {
            return false;
        }
    }
    return true;
}

// Centres with a depth above 0 and a unit normal, no two of them equal: then the interpolation has
// one answer.
static pawl_status builder_wrench_centres(const pawl_builder *b, const char *name,
                                          const pawl_wrench_table *t)
{
    for (int i = 0; i < t->centre_count; ++i) {
        const double *c = t->centres + 4 * i;
        double length = sqrt(c[1] * c[1] + c[2] * c[2] + c[3] * c[3]);
        if (!(isfinite(c[0]) && c[0] > 0.0) || !(fabs(length - 1.0) <= 1e-6)) {
            return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT,
                             "wrench model '%s': centre %d has depth %g m and a normal of length "
                             "%g; expected a depth above 0 and length 1",
                             name, i, c[0], length);
        }
        for (int j = 0; j < i; ++j) {
            if (memcmp(c, t->centres + 4 * j, 4 * sizeof *c) == 0) {
                return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT,
                                 "wrench model '%s': centres %d and %d are the same", name, j, i);
            }
        }
    }
    return PAWL_OK;
}

// Centres are (count x 4): depth [m] and unit normal; wrenches are (count x vertices x 6).
static pawl_status builder_wrench_keep_table(pawl_builder *b, const char *name,
                                             pawl_wrench_table *t)
{
    const pawl_env *env = &b->env;
    if (t->centre_count < 1 || t->centre_count > PAWL_WRENCH_MAX_CENTRES || t->vertex_count < 1 ||
        t->vertex_count > PAWL_WRENCH_MAX_VERTICES || t->centres == NULL || t->wrenches == NULL) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "wrench model '%s': a table with %d centres and %d vertices; expected 1 "
                         "to %d and 1 to %d",
                         name, t->centre_count, t->vertex_count, PAWL_WRENCH_MAX_CENTRES,
                         PAWL_WRENCH_MAX_VERTICES);
    }
    if (!(isfinite(t->depth_scale) && t->depth_scale > 0.0) ||
        !(isfinite(t->normal_scale) && t->normal_scale > 0.0)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "wrench model '%s': scales %g m and %g must be above 0", name,
                         t->depth_scale, t->normal_scale);
    }
    PAWL_TRY(builder_wrench_centres(b, name, t));
    size_t numbers = (size_t)t->centre_count * (size_t)t->vertex_count * 6, bad;
    if (!builder_wrench_finite(t->wrenches, numbers, &bad)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "wrench model '%s': number %zu of its table is %g",
                         name, bad, t->wrenches[bad]);
    }
    t->centres = pawl_builder_keep(b, t->centres, (size_t)t->centre_count * 4 * sizeof(double));
    t->wrenches = pawl_builder_keep(b, t->wrenches, numbers * sizeof(double));
    return t->centres != NULL && t->wrenches != NULL ? PAWL_OK : pawl_builder_no_memory(b);
}

static pawl_status builder_wrench_keep_custom(pawl_builder *b, pawl_wrench_model_def *d)
{
    const pawl_env *env = &b->env;
    if (d->vertices == NULL || d->vertex_count < 1 || d->vertex_count > PAWL_WRENCH_MAX_VERTICES ||
        (d->component_count != 3 && d->component_count != 6)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "wrench model '%s': %s function, %d vertices of %d components; expected a "
                         "function, 1 to %d vertices of 3 or 6",
                         d->name, d->vertices != NULL ? "a" : "no", d->vertex_count,
                         d->component_count, PAWL_WRENCH_MAX_VERTICES);
    }
    if (d->parameter_count < 0 || d->parameter_count > PAWL_WRENCH_MAX_PARAMETERS) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "wrench model '%s': %d parameters, expected 0 to %d", d->name,
                         d->parameter_count, PAWL_WRENCH_MAX_PARAMETERS);
    }
    if (d->parameter_count > 0) {
        PAWL_NEED(env, d->parameters);
    }
    size_t bad;
    if (!builder_wrench_finite(d->parameters, (size_t)d->parameter_count, &bad)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "wrench model '%s': parameter %zu is %g", d->name,
                         bad, d->parameters[bad]);
    }
    if (d->parameter_count > 0) {
        d->parameters =
            pawl_builder_keep(b, d->parameters, (size_t)d->parameter_count * sizeof(double));
        if (d->parameters == NULL) {
            return pawl_builder_no_memory(b);
        }
    }
    return PAWL_OK;
}

// NULL for a good model. Powers are multiples of 0.5 because x^p is then products and one square
// root, with the same bits everywhere.
const char *pawl_wrench_model_fault(const pawl_wrench_model_def *d)
{
    bool friction = isfinite(d->friction) && d->friction >= 0.0;
    bool power = d->power >= 1.0 && d->power <= 8.0 && floor(2.0 * d->power) == 2.0 * d->power;
    if (!(isfinite(d->stiffness) && d->stiffness > 0.0)) {
        return "stiffness must be above 0";
    }
    if (!power) {
        return "power must be a multiple of 0.5 from 1 to 8";
    }
    if (d->kind == PAWL_WRENCH_TABLE) {
        return NULL;
    }
    if (!(isfinite(d->zeta) && d->zeta >= 0.0)) {
        return "zeta must be 0 or more";
    }
    if (!friction) {
        return "friction must be 0 or more";
    }
    if (d->directions < 3 || d->directions > PAWL_WRENCH_MAX_VERTICES) {
        return "directions must be at least 3 and give no more than 256 vertices";
    }
    if (d->kind == PAWL_WRENCH_ANISOTROPIC &&
        !(isfinite(d->friction2) && d->friction2 >= 0.0 && isfinite(d->angle))) {
        return "friction of the second axis must be 0 or more and the angle finite";
    }
    if (d->kind == PAWL_WRENCH_PATCH) {
        bool rings = d->rings >= 1 && d->rings % 2 == 1 &&
                     d->rings <= (PAWL_WRENCH_MAX_VERTICES - 2) / d->directions;
        if (!(isfinite(d->torsion) && d->torsion > 0.0) || !rings) {
            return "torsion must be above 0, rings odd and all vertices no more than 256";
        }
    }
    return NULL;
}

pawl_status pawl_builder_add_wrench_model(pawl_builder *b, const pawl_wrench_model_def *def,
                                          int *out)
{
    PAWL_NEED(NULL, b);
    PAWL_NEED(&b->env, def);
    PAWL_NEED_STAMP(&b->env, def, PAWL_STAMP_WRENCH_MODEL, "pawl_wrench_model_def_default");
    pawl_wrench_model_def d = *def;
    const pawl_env *env = &b->env;
    PAWL_TRY(pawl_builder_keep_name(b, &d.name, "wrench", b->wrench_models.count,
                                    pawl_builder_find_wrench_model));
    if (pawl_builder_find_wrench_model(b, d.name) >= 0) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "wrench model '%s' exists already", d.name);
    }
    if (pawl_wrench_kind_name(d.kind) == NULL) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "wrench model '%s': no kind %d", d.name,
                         (int)d.kind);
    }
    if (d.kind == PAWL_WRENCH_CUSTOM) {
        PAWL_TRY(builder_wrench_keep_custom(b, &d));
        d.table = (pawl_wrench_table){0};
        return pawl_builder_push(b, &b->wrench_models, &d, sizeof d, out);
    }
    const char *fault = pawl_wrench_model_fault(&d);
    if (fault != NULL) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "wrench model '%s' (%s, stiffness %g, power %g, zeta %g, friction %g, %d "
                         "directions): %s",
                         d.name, pawl_wrench_kind_name(d.kind), d.stiffness, d.power, d.zeta,
                         d.friction, d.directions, fault);
    }
    if (d.kind == PAWL_WRENCH_TABLE) {
        PAWL_TRY(builder_wrench_keep_table(b, d.name, &d.table));
    } else {
        d.table = (pawl_wrench_table){0};
    }
    d.parameter_count = 0;
    d.parameters = NULL;
    d.vertices = NULL;
    d.user = NULL;
    return pawl_builder_push(b, &b->wrench_models, &d, sizeof d, out);
}

// Cores and leans are part of the formulas of coulomb, anisotropic and patch models alone.
static pawl_status builder_check_core(const pawl_builder *b, const pawl_contact_point_def *p)
{
    pawl_vec3 e = p->core;
    if (!(v3_finite(e) && isfinite(p->lean) && fmin(e.x, fmin(e.y, e.z)) >= 0.0 &&
          p->lean >= 0.0)) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT,
                         "contact point '%s': core %g %g %g m and lean %g m must be 0 or more",
                         p->name, e.x, e.y, e.z, p->lean);
    }
    pawl_wrench_kind kind =
        PAWL_ITEM(b->wrench_models, pawl_wrench_model_def, p->wrench_model).kind;
    bool formula = kind != PAWL_WRENCH_TABLE && kind != PAWL_WRENCH_CUSTOM;
    if (!formula && (v3_norm(e) > 0.0 || p->lean > 0.0)) {
        return PAWL_FAIL(
            &b->env, PAWL_BAD_ARGUMENT,
            "contact point '%s': a %s model takes no core; use a radius, or a coulomb, "
            "anisotropic or patch model",
            p->name, pawl_wrench_kind_name(kind));
    }
    return PAWL_OK;
}

pawl_status pawl_builder_add_contact_point(pawl_builder *b, const pawl_contact_point_def *def,
                                           int *out)
{
    PAWL_NEED(NULL, b);
    PAWL_NEED(&b->env, def);
    PAWL_NEED_STAMP(&b->env, def, PAWL_STAMP_CONTACT_POINT, "pawl_contact_point_def_default");
    pawl_contact_point_def p = *def;
    const pawl_env *env = &b->env;
    PAWL_TRY(pawl_builder_keep_name(b, &p.name, "contact_point", b->contact_points.count, NULL));
    int index = BUILDER_QUIET(b, ID_BODY, p.body);
    if (index < 0) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "contact point '%s' names no body of this model",
                         p.name);
    }
    const pawl_body_def *body = &PAWL_ITEM(b->bodies, pawl_body_def, index);
    if (body->kind != PAWL_BODY_RIGID) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "contact point '%s' is on body '%s', which is not a rigid one", p.name,
                         body->name);
    }
    if (p.wrench_model < 0 || p.wrench_model >= b->wrench_models.count) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "contact point '%s' names wrench model %d of %d",
                         p.name, p.wrench_model, b->wrench_models.count);
    }
    if (!pawl_builder_pose_good(&p.frame) || !(isfinite(p.radius) && p.radius >= 0.0)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "contact point '%s': radius %g m must be 0 or more and the frame finite",
                         p.name, p.radius);
    }
    PAWL_TRY(builder_check_core(b, &p));
    return pawl_builder_push(b, &b->contact_points, &p, sizeof p, out);
}

// All points of all shapes of a body, or none if one fails.
pawl_status pawl_builder_add_contact_points_of(pawl_builder *b, pawl_body_id body, int wrench_model)
{
    PAWL_NEED(NULL, b);
    int index = BUILDER_INDEX(b, ID_BODY, body);
    if (index < 0) {
        return PAWL_BAD_ARGUMENT;
    }
    int before = b->contact_points.count;
    for (int s = 0; s < b->shapes.count; ++s) {
        pawl_shape_info shape = PAWL_ITEM(b->shapes, pawl_shape_info, s);
        if (pawl_body_index(shape.body) != index || shape.def.visual_only) {
            continue;
        }
        contact_point_list list;
        pawl_status status = pawl_contact_points_of_shape(&b->env, &shape.def, &list);
        for (int i = 0; i < list.count && status == PAWL_OK; ++i) {
            pawl_contact_point_def def = pawl_contact_point_def_default();
            def.body = body;
            def.wrench_model = wrench_model;
            def.frame = (pawl_pose){list.points[i].position, shape.def.frame.orientation};
            def.radius = list.radius;
            def.core = list.points[i].core;
            def.lean = list.points[i].lean;
            status = pawl_builder_add_contact_point(b, &def, NULL);
        }
        pawl_contact_points_free(&b->env, &list);
        if (status != PAWL_OK) {
            b->contact_points.count = before;
            return status;
        }
    }
    return PAWL_OK;
}
