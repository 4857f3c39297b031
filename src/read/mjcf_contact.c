// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Geoms as shapes, and the pairs that can touch.
//
// In MuJoCo two geoms touch if the type of one has a bit of the affinity of the other, in either order; two shapes of
// pawl touch if each one's group has a bit of the other's mask. Therefore geoms of the same type and affinity form a
// class. A class has one bit as its group, and its mask is the set of classes that it touches. Geoms in a <pair> are
// classes of their own. In MuJoCo geoms of a body and of its parent do not touch either, like bodies with a common
// joint in pawl.
#include "math/rotation.h"
#include "pawl/wrench.h"
#include "read/image_file.h"
#include "read/mesh_shape.h"
#include "read/mjcf_parts.h"
#include <string.h>

enum { MJCF_MAX_CLASSES_OF_CONTACT = 32, MJCF_MAX_FIELD = 4000 * 1000 };

typedef struct mjcf_contact_class {
    uint32_t type, affinity;
    int pair_geom; // the geom whose own class it is; -1: of all with these bits
    uint32_t mask;
} mjcf_contact_class;
typedef struct mjcf_contact_table {
    int count;
    mjcf_contact_class classes[MJCF_MAX_CLASSES_OF_CONTACT];
} mjcf_contact_table;

pawl_status mjcf_contact_read(mjcf_reader *r, const mjcf_spec *spec, const xmlNode *section)
{
    mjcf_children children;
    PAWL_TRY(mjcf_list(r, section, &children));
    for (int i = 0; i < children.count; ++i) {
        mjcf_element e = {.node = children.nodes[i], .spec = spec, .tag = "pair"};
        mjcf_pair pair;
        if (!xml_is(e.node, "pair") || !mjcf_is_here(r, &e)) {
            continue;
        }
        PAWL_TRY(mjcf_class_of(r, spec, e.node, "class", 0, &e.default_class));
        PAWL_TRY(mjcf_refer(r, &e, "geom1", MJCF_GEOM, "geom", &pair.a));
        PAWL_TRY(mjcf_refer(r, &e, "geom2", MJCF_GEOM, "geom", &pair.b));
        if (pair.a < 0 || pair.b < 0) {
            return xml_error(r->xml, e.node, "<pair> has no geom1 or no geom2");
        }
        mjcf_pair *slot = mjcf_push(r, &r->pairs, sizeof *slot);
        if (slot == NULL) {
            return PAWL_NO_MEMORY;
        }
        *slot = pair;
        if (mjcf_get(&e, "friction") != NULL || mjcf_get(&e, "condim") != NULL) {
            PAWL_TRY(xml_tally(r->xml, PAWL_LOG_WARNING, e.node,
                               "friction and condim of a <pair> are ignored: shapes have theirs",
                               NULL));
        }
    }
    return PAWL_OK;
}

pawl_status mjcf_excludes_read(mjcf_reader *r, const mjcf_spec *spec, const xmlNode *section)
{
    mjcf_children children;
    PAWL_TRY(mjcf_list(r, section, &children));
    for (int i = 0; i < children.count; ++i) {
        mjcf_element e = {.node = children.nodes[i], .spec = spec};
        int a, b;
        pawl_body_id first, second;
        if (!xml_is(e.node, "exclude") || !mjcf_is_here(r, &e)) {
            continue;
        }
        PAWL_TRY(mjcf_refer(r, &e, "body1", MJCF_BODY, "body", &a));
        PAWL_TRY(mjcf_refer(r, &e, "body2", MJCF_BODY, "body", &b));
        if (a < 0 || b < 0) {
            return xml_error(r->xml, e.node, "<exclude> has no body1 or no body2");
        }
        mjcf_in_carrier(r, a, &first);
        mjcf_in_carrier(r, b, &second);
        if (!pawl_body_same(first, second)) {
            PAWL_TRY(pawl_builder_exclude(r->builder, first, second));
        }
    }
    return PAWL_OK;
}

// --- classes -------------------------------------------------------------------------------------

static bool mjcf_is_paired(const mjcf_reader *r, int geom)
{
    for (int i = 0; i < r->pairs.count; ++i) {
        const mjcf_pair *p = &PAWL_ITEM(r->pairs, mjcf_pair, i);
        if (p->a == geom || p->b == geom) {
            return true;
        }
    }
    return false;
}

static pawl_status mjcf_classify(mjcf_reader *r, mjcf_contact_table *t)
{
    for (int i = 0; i < r->geoms.count; ++i) {
        mjcf_geom *g = MJCF_GEOM_AT(r, i);
        bool paired = mjcf_is_paired(r, i);
        uint32_t type = r->only_pairs ? 0 : g->type, affinity = r->only_pairs ? 0 : g->affinity;
        g->contact_class = -1;
        if (r->contacts_off || (!paired && type == 0 && affinity == 0)) {
            continue; // it never touches anything
        }
        for (int k = 0; k < t->count && g->contact_class < 0 && !paired; ++k) {
            const mjcf_contact_class *c = &t->classes[k];
            if (c->pair_geom < 0 && c->type == type && c->affinity == affinity) {
                g->contact_class = k;
            }
        }
        if (g->contact_class >= 0) {
            continue;
        }
        if (t->count == MJCF_MAX_CLASSES_OF_CONTACT) {
            return xml_error(
                r->xml, g->e.node,
                "more than %d combinations of contype and conaffinity, geoms of <pair> "
                "counting one each",
                MJCF_MAX_CLASSES_OF_CONTACT);
        }
        g->contact_class = t->count;
        t->classes[t->count++] =
            (mjcf_contact_class){.type = type, .affinity = affinity, .pair_geom = paired ? i : -1};
    }
    for (int a = 0; a < t->count; ++a) {
        for (int b = 0; b < t->count; ++b) {
            mjcf_contact_class *x = &t->classes[a], *y = &t->classes[b];
            bool touch = (x->type & y->affinity) != 0 || (y->type & x->affinity) != 0;
            for (int i = 0; i < r->pairs.count && !touch; ++i) {
                const mjcf_pair *p = &PAWL_ITEM(r->pairs, mjcf_pair, i);
                touch = x->pair_geom >= 0 && y->pair_geom >= 0 &&
                        ((p->a == x->pair_geom && p->b == y->pair_geom) ||
                         (p->b == x->pair_geom && p->a == y->pair_geom));
            }
            x->mask |= touch ? 1u << b : 0u;
        }
    }
    return PAWL_OK;
}

// --- shapes --------------------------------------------------------------------------------------

// A height field, which only the world has here. MuJoCo scales its heights to 0..1 and then to size[2]; row 0 is at -y.
static pawl_status mjcf_add_field(mjcf_reader *r, const mjcf_geom *g, pawl_pose frame)
{
    mjcf_element e = {.node = g->field, .spec = g->e.spec};
    double rows = 0.0, columns = 0.0, size[4], low = INFINITY, high = -INFINITY;
    const char *text = xml_attribute(g->field, "elevation");
    const char *file = xml_attribute(g->field, "file");
    double *heights = NULL;
    int n, count = 0;
    PAWL_TRY(mjcf_number(r, &e, "nrow", &rows));
    PAWL_TRY(mjcf_number(r, &e, "ncol", &columns));
    PAWL_TRY(mjcf_numbers(r, &e, "size", size, 4, &n));
    if (file != NULL) {
        const mjcf_compiler *c = &g->e.spec->compiler;
        height_image image;
        if (c->strip_path && strrchr(file, '/') != NULL) {
            file = strrchr(file, '/') + 1;
        }
        PAWL_TRY(height_image_find(r->xml, g->field,
                                   c->mesh_folder != NULL ? c->mesh_folder : c->asset_folder, file,
                                   &image));
        if (image.rows == 0) { // lenient, and warned of
            return xml_leave_out_shape(r->xml, g->e.node, false, "height maps that are there");
        }
        rows = image.rows;
        columns = image.columns;
        heights = image.values;
        count = image.rows * image.columns;
    }
    if (!(rows >= 2.0 && columns >= 2.0 && rows * columns <= MJCF_MAX_FIELD) || n != 4) {
        return xml_error(r->xml, g->field,
                         "got nrow %g, ncol %g and %d numbers in size; expected 2 "
                         "or more, at most %d points, and four numbers",
                         rows, columns, n, (int)MJCF_MAX_FIELD);
    }
    size_t points = (size_t)rows * (size_t)columns;
    if (text != NULL && file == NULL) {
        PAWL_TRY(xml_number_list(r->xml, g->field, "elevation", text, &heights, &count));
    }
    double *scaled = xml_alloc(r->xml, points * sizeof *scaled);
    if (scaled == NULL) {
        return PAWL_NO_MEMORY;
    }
    if (text != NULL && file == NULL && (size_t)count != points) {
        return xml_error(r->xml, g->field, "elevation: got %d numbers, expected %zu", count,
                         points);
    }
    for (int i = 0; i < count; ++i) {
        low = fmin(low, heights[i]);
        high = fmax(high, heights[i]);
    }
    for (int i = 0; i < count; ++i) { // the first row of the file is the furthest along y
        int row = i / (int)columns, column = i % (int)columns;
        double h = high > low ? (heights[i] - low) / (high - low) : 0.0;
        scaled[((int)rows - 1 - row) * (int)columns + column] = h * size[2];
    }
    pawl_heightfield_def def = pawl_heightfield_def_default();
    def.name = g->name;
    pawl_pose corner = {{-size[0], -size[1], 0.0}, {1.0, 0.0, 0.0, 0.0}};
    def.frame = pawl_pose_compose(frame, corner);
    def.x_count = (int)columns;
    def.y_count = (int)rows;
    def.dx = 2.0 * size[0] / (columns - 1.0);
    def.dy = 2.0 * size[1] / (rows - 1.0);
    def.heights = scaled;
    def.surface = g->shape;
    PAWL_TRY(xml_tally(r->xml, PAWL_LOG_NOTE, g->e.node,
                       "a height field continues beyond its edges and is solid below", g->name));
    return xml_refused(r->xml, g->e.node, "hfield", g->name != NULL ? g->name : "",
                       pawl_builder_add_heightfield(r->builder, &def, NULL));
}

static pawl_status mjcf_add_shape(mjcf_reader *r, mjcf_geom *g, const mjcf_contact_table *t)
{
    pawl_body_id body;
    pawl_pose frame = pawl_pose_compose(mjcf_in_carrier(r, g->body, &body), g->pose);
    g->shape.name = g->name;
    g->shape.frame = frame;
    g->shape.visual_only = g->contact_class < 0;
    if (g->contact_class >= 0) {
        g->shape.group = 1u << g->contact_class;
        g->shape.mask = t->classes[g->contact_class].mask;
    }
    if (g->shape.kind == PAWL_SHAPE_HEIGHTFIELD) {
        if (!pawl_body_is_world(body)) {
            return xml_unsupported(r->xml, g->e.node, "a height field that moves is not supported");
        }
        return mjcf_add_field(r, g, frame);
    }
    if (g->shape.kind == PAWL_SHAPE_HULL) {
        const mesh_place place = {r->builder, body, g->e.node, MJCF_BODY_AT(r, g->body)->name,
                                  true};
        return mesh_shape_add(r->xml, &place, g->mesh, &g->shape);
    }
    return xml_refused(r->xml, g->e.node, "geom", g->name != NULL ? g->name : "",
                       pawl_builder_add_shape(r->builder, body, &g->shape, NULL));
}

pawl_status mjcf_contacts_build(mjcf_reader *r)
{
    mjcf_contact_table table = {0};
    PAWL_TRY(mjcf_classify(r, &table));
    for (int i = 0; i < r->geoms.count; ++i) {
        PAWL_TRY(mjcf_add_shape(r, MJCF_GEOM_AT(r, i), &table));
    }
    return PAWL_OK;
}
