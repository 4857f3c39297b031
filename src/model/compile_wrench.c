// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Copies contact points, their models and heightfields from the builder to the compiled model, and hashes them.
#include "base/carver.h"
#include "base/hash.h"
#include "model/builder.h"
#include <string.h>

// A copy in the model's block; in the measuring pass only the room counts.
static const double *compile_wrench_numbers(pawl_carver *mem, const double *numbers, size_t count)
{
    double *copy = PAWL_CARVE(mem, double, count);
    if (copy != NULL && count > 0) {
        memcpy(copy, numbers, count * sizeof *copy);
    }
    return copy;
}

static size_t compile_wrench_table_size(const pawl_wrench_table *t)
{
    return (size_t)t->centre_count * (size_t)t->vertex_count * 6;
}

// Part of compile_layout() and run twice with it: the order of carving must not depend on m.
void pawl_compile_wrench_layout(const pawl_builder *b, pawl_carver *mem, pawl_model *m)
{
    pawl_wrench_model_def *models = PAWL_CARVE(mem, pawl_wrench_model_def, b->wrench_models.count);
    pawl_contact_point_def *points =
        PAWL_CARVE(mem, pawl_contact_point_def, b->contact_points.count);
    pawl_heightfield_def *fields = PAWL_CARVE(mem, pawl_heightfield_def, b->heightfields.count);
    for (int i = 0; i < b->wrench_models.count; ++i) {
        pawl_wrench_model_def d = PAWL_ITEM(b->wrench_models, pawl_wrench_model_def, i);
        pawl_wrench_table *t = &d.table;
        d.name = pawl_compile_text(mem, d.name);
        t->centres = compile_wrench_numbers(mem, t->centres, (size_t)t->centre_count * 4);
        t->wrenches = compile_wrench_numbers(mem, t->wrenches, compile_wrench_table_size(t));
        d.parameters = compile_wrench_numbers(mem, d.parameters, (size_t)d.parameter_count);
        if (models != NULL) {
            models[i] = d;
        }
    }
    for (int i = 0; i < b->contact_points.count; ++i) {
        pawl_contact_point_def d = PAWL_ITEM(b->contact_points, pawl_contact_point_def, i);
        d.name = pawl_compile_text(mem, d.name);
        if (points != NULL) {
            points[i] = d;
        }
    }
    for (int i = 0; i < b->heightfields.count; ++i) {
        pawl_heightfield_def d = PAWL_ITEM(b->heightfields, pawl_heightfield_def, i);
        d.name = pawl_compile_text(mem, d.name);
        d.heights = compile_wrench_numbers(mem, d.heights, (size_t)d.x_count * (size_t)d.y_count);
        if (fields != NULL) {
            fields[i] = d;
        }
    }
    if (m != NULL) {
        m->wrench_model_count = b->wrench_models.count;
        m->contact_point_count = b->contact_points.count;
        m->heightfield_count = b->heightfields.count;
        m->wrench_models = models;
        m->contact_points = points;
        m->heightfields = fields;
    }
}

// Custom models count by their numbers of vertices and parameters; their functions cannot be
// hashed.
uint64_t pawl_compile_wrench_hash(uint64_t h, const pawl_model *m)
{
    for (int i = 0; i < m->wrench_model_count; ++i) {
        const pawl_wrench_model_def *d = &m->wrench_models[i];
        const pawl_wrench_table *t = &d->table;
        const double numbers[] = {(double)d->kind,
                                  d->stiffness,
                                  d->power,
                                  d->zeta,
                                  d->friction,
                                  (double)d->directions,
                                  d->friction2,
                                  d->angle,
                                  d->body_axes ? 1.0 : 0.0,
                                  d->torsion,
                                  (double)d->rings,
                                  (double)d->vertex_count,
                                  (double)d->component_count,
                                  d->has_derivatives ? 1.0 : 0.0,
                                  (double)d->parameter_count,
                                  (double)t->centre_count,
                                  (double)t->vertex_count,
                                  t->depth_scale,
                                  t->normal_scale};
        h = pawl_hash_doubles(h, numbers, sizeof numbers / sizeof numbers[0]);
        h = pawl_hash_doubles(h, d->parameters, (size_t)d->parameter_count);
        h = pawl_hash_doubles(h, t->centres, (size_t)t->centre_count * 4);
        h = pawl_hash_doubles(h, t->wrenches, compile_wrench_table_size(t));
    }
    for (int i = 0; i < m->contact_point_count; ++i) {
        const pawl_contact_point_def *d = &m->contact_points[i];
        const double numbers[] = {(double)pawl_body_index(d->body), d->radius,
                                  (double)d->wrench_model};
        h = pawl_hash_doubles(h, numbers, 3);
        h = pawl_compile_hash_pose(h, d->frame);
        const double core[] = {d->core.x, d->core.y, d->core.z, d->lean};
        bool has_core = v3_norm(d->core) > 0.0 || d->lean > 0.0; // others keep their hash
        h = has_core ? pawl_hash_doubles(h, core, 4) : h;
    }
    for (int i = 0; i < m->heightfield_count; ++i) {
        const pawl_heightfield_def *d = &m->heightfields[i];
        const double numbers[] = {(double)d->x_count, (double)d->y_count, d->dx, d->dy};
        h = pawl_hash_doubles(h, numbers, 4);
        h = pawl_compile_hash_pose(h, d->frame);
        h = pawl_hash_doubles(h, d->heights, (size_t)d->x_count * (size_t)d->y_count);
    }
    return h;
}
