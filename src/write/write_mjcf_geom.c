// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Shapes as geoms. Two shapes of pawl touch if each one's group has a bit of the other's mask and they are not of one
// family; two geoms of MuJoCo touch if the contype of one has a bit of the other's conaffinity. Therefore shapes of
// one group, mask and family form a class with one bit as its contype and the classes that it touches as its
// conaffinity.
#include "write/mjcf_writer.h"
#include <stdio.h>
#include <string.h>

static int mjcf_class_of(const mjcf_writer *m, const pawl_shape_info *shape)
{
    int family =
        pawl_body_is_world(shape->body) ? 0 : pawl_model_body(m->w->model, shape->body).family;
    for (int k = 0; k < m->class_count; ++k) {
        const mjcf_touch_class *c = &m->classes[k];
        if (c->group == shape->def.group && c->mask == shape->def.mask && c->family == family) {
            return k;
        }
    }
    return -1;
}

void mjcf_find_classes(mjcf_writer *m)
{
    const pawl_model *model = m->w->model;
    for (int i = 0; i < pawl_model_shape_count(model); ++i) {
        pawl_shape_info shape = pawl_model_shape(model, pawl_model_shape_at(model, i));
        if (shape.def.visual_only || mjcf_class_of(m, &shape) >= 0) {
            continue;
        }
        if (m->class_count == MJCF_MOST_CLASSES) {
            write_lose(m->w, true, "more than 31 sets of shapes that touch different others",
                       shape.def.name);
            continue;
        }
        int family = pawl_body_is_world(shape.body) ? 0 : pawl_model_body(model, shape.body).family;
        m->classes[m->class_count++] =
            (mjcf_touch_class){.group = shape.def.group, .mask = shape.def.mask, .family = family};
    }
    for (int a = 0; a < m->class_count; ++a) {
        for (int b = 0; b < m->class_count; ++b) {
            mjcf_touch_class *x = &m->classes[a];
            const mjcf_touch_class *y = &m->classes[b];
            bool touch = (x->group & y->mask) != 0 && (y->group & x->mask) != 0 &&
                         (x->family == 0 || x->family != y->family);
            x->affinity |= touch ? 1u << b : 0u;
        }
    }
}

void mjcf_write_assets(mjcf_writer *m)
{
    const pawl_model *model = m->w->model;
    xml_text *x = &m->w->xml;
    char name[32];
    xml_text_begin(x, "asset");
    for (int i = 0; i < pawl_model_shape_count(model); ++i) {
        pawl_shape_def shape = pawl_model_shape(model, pawl_model_shape_at(model, i)).def;
        if (shape.kind == PAWL_SHAPE_HULL) {
            snprintf(name, sizeof name, "hull%d", i);
            xml_text_begin(x, "mesh");
            xml_text_word(x, "name", name);
            xml_text_numbers(x, "vertex", &shape.points[0].x, 3 * shape.point_count);
            xml_text_end(x);
        }
    }
    for (int i = 0; i < pawl_model_heightfield_count(model); ++i) {
        pawl_heightfield_def h = pawl_model_heightfield(model, i);
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < h.x_count * h.y_count; ++k) {
            low = fmin(low, h.heights[k]);
            high = fmax(high, h.heights[k]);
        }
        const double size[4] = {0.5 * (h.x_count - 1) * h.dx, 0.5 * (h.y_count - 1) * h.dy,
                                high > low ? high - low : 1e-9, 1.0};
        snprintf(name, sizeof name, "heights%d", i);
        xml_text_begin(x, "hfield");
        xml_text_word(x, "name", name);
        xml_text_number(x, "nrow", h.y_count);
        xml_text_number(x, "ncol", h.x_count);
        xml_text_numbers(x, "size", size, 4);
        xml_text_word(x, "elevation", "");
        x->size -= x->failed ? 0 : 1; // the numbers stand between the quotes, the last row first
        for (int row = h.y_count - 1; row >= 0; --row) {
            xml_text_list(x, h.heights + row * h.x_count, h.x_count, row == 0 ? "\"" : "\n");
        }
        xml_text_end(x);
    }
    xml_text_end(x);
}

static bool mjcf_name_is_first(const mjcf_writer *m, int shape, const char *name)
{
    const pawl_model *model = m->w->model;
    for (int i = 0; i < shape; ++i) {
        if (strcmp(pawl_model_shape(model, pawl_model_shape_at(model, i)).def.name, name) == 0) {
            return false;
        }
    }
    return true;
}

static void mjcf_geom_size(mjcf_writer *m, const pawl_shape_def *shape, int index)
{
    xml_text *x = &m->w->xml;
    const double rod[2] = {shape->size.x, shape->size.z}, plane[3] = {0.0, 0.0, 1.0};
    char name[32];
    switch (shape->kind) {
    case PAWL_SHAPE_SPHERE:
        xml_text_number(x, "size", shape->size.x);
        return;
    case PAWL_SHAPE_CYLINDER:
    case PAWL_SHAPE_CAPSULE:
        xml_text_numbers(x, "size", rod, 2);
        return;
    case PAWL_SHAPE_PLANE:
        xml_text_numbers(x, "size", plane, 3);
        return;
    case PAWL_SHAPE_HULL:
        snprintf(name, sizeof name, "hull%d", index);
        xml_text_word(x, "mesh", name);
        return;
    case PAWL_SHAPE_HEIGHTFIELD:
        snprintf(name, sizeof name, "heights%d", shape->heightfield);
        xml_text_word(x, "hfield", name);
        return;
    default:
        xml_text_numbers(x, "size", &shape->size.x, 3);
    }
}

static void mjcf_geom_surface(mjcf_writer *m, const pawl_shape_info *shape)
{
    xml_text *x = &m->w->xml;
    const pawl_shape_def *def = &shape->def;
    int k = mjcf_class_of(m, shape);
    const double friction[3] = {def->friction, def->torsional_friction, def->rolling_friction};
    int dimension = def->rolling_friction > 0.0 ? 6 : def->torsional_friction > 0.0 ? 4 : 3;
    xml_text_number(x, "contype", k >= 0 ? (double)(1u << k) : 0.0);
    xml_text_number(x, "conaffinity", k >= 0 ? (double)m->classes[k].affinity : 0.0);
    xml_text_number(x, "condim", def->friction > 0.0 || dimension > 3 ? dimension : 1);
    xml_text_numbers(x, "friction", friction, 3);
    mjcf_write_soft(m, &def->soft, "");
    if (def->restitution > 0.0) {
        write_lose(m->w, true, "restitution: MJCF has none", def->name);
    }
    if (def->impact_friction >= 0.0) {
        write_lose(m->w, true, "friction of impacts: MJCF has none of its own", def->name);
    }
    if (def->erp != 0.0) {
        write_lose(m->w, false, "erp of a shape or joint", def->name);
    }
}

static void mjcf_geom(mjcf_writer *m, int index)
{
    static const char *const words[PAWL_SHAPE_COUNT] = {
        "sphere", "box", "cylinder", "capsule", "ellipsoid", "plane", "mesh", "hfield", "mesh"};
    xml_text *x = &m->w->xml;
    pawl_shape_info shape = pawl_model_shape(m->w->model, pawl_model_shape_at(m->w->model, index));
    const double rgba[4] = {shape.def.rgba[0], shape.def.rgba[1], shape.def.rgba[2],
                            shape.def.rgba[3]};
    pawl_pose frame = shape.def.frame;
    if (shape.def.kind == PAWL_SHAPE_MESH) {
        write_lose(m->w, !shape.def.visual_only,
                   shape.def.visual_only ? "a mesh that is only drawn"
                                         : "a triangle mesh: in MuJoCo meshes touch as their hulls",
                   shape.def.name);
        return;
    }
    if (shape.def.kind == PAWL_SHAPE_HEIGHTFIELD) { // its frame is that of the first height
        pawl_heightfield_def h = pawl_model_heightfield(m->w->model, shape.def.heightfield);
        double low = INFINITY;
        for (int k = 0; k < h.x_count * h.y_count; ++k) {
            low = fmin(low, h.heights[k]);
        }
        pawl_vec3 middle = {0.5 * (h.x_count - 1) * h.dx, 0.5 * (h.y_count - 1) * h.dy, low};
        frame = (pawl_pose){pawl_pose_apply(h.frame, middle), h.frame.orientation};
    }
    xml_text_begin(x, "geom");
    if (mjcf_name_is_first(m, index, shape.def.name)) {
        xml_text_word(x, "name", shape.def.name);
    } else {
        write_lose(m->w, false, "names of shapes that are not unique", shape.def.name);
    }
    xml_text_word(x, "type", words[shape.def.kind]);
    mjcf_geom_size(m, &shape.def, index);
    mjcf_write_pose(m, frame);
    xml_text_number(x, "mass", 0.0);
    xml_text_numbers(x, "rgba", rgba, 4);
    if (shape.def.visual_only) {
        xml_text_number(x, "contype", 0.0);
        xml_text_number(x, "conaffinity", 0.0);
        xml_text_number(x, "group", 2.0);
    } else {
        mjcf_geom_surface(m, &shape);
    }
    xml_text_end(x);
}

void mjcf_write_geoms(mjcf_writer *m, int body)
{
    const pawl_model *model = m->w->model;
    for (int i = 0; i < pawl_model_shape_count(model); ++i) {
        pawl_body_id owner = pawl_model_shape(model, pawl_model_shape_at(model, i)).body;
        if ((pawl_body_is_world(owner) ? -1 : pawl_body_index(owner)) == body) {
            mjcf_geom(m, i);
        }
    }
}

void mjcf_write_marks(mjcf_writer *m, int body)
{
    xml_text *x = &m->w->xml;
    for (int i = 0; i < m->marks.count; ++i) {
        const mjcf_mark *mark = &PAWL_ITEM(m->marks, mjcf_mark, i);
        if (mark->body != body) {
            continue;
        }
        xml_text_begin(x, mark->wrap == PAWL_WRAP_NONE ? "site" : "geom");
        xml_text_word(x, "name", mark->name);
        if (mark->wrap != PAWL_WRAP_NONE) {
            const double size[2] = {mark->radius, mark->radius};
            bool ball = mark->wrap == PAWL_WRAP_SPHERE;
            xml_text_word(x, "type", ball ? "sphere" : "cylinder");
            xml_text_numbers(x, "size", size, ball ? 1 : 2);
            xml_text_number(x, "mass", 0.0);
            xml_text_number(x, "contype", 0.0);
            xml_text_number(x, "conaffinity", 0.0);
        }
        mjcf_write_pose(m, mark->pose);
        xml_text_end(x);
    }
}
