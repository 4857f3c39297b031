// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// <heightmap> and <polyline> of SDFormat: images as heightfields of the world, and extruded outlines, which touch as
// their convex hulls, like meshes.
#include "read/sdf_terrain.h"
#include "math/rotation.h"
#include "pawl/wrench.h"
#include "read/image_file.h"
#include "read/sdf_parts.h"
#include <math.h>

// White is at the height size.z, black at 0; the image is centred, its top at +y.
pawl_status sdf_terrain_read(const sdf_reader *r, const xmlNode *node, const sdf_item *link,
                             const pawl_shape_def *surface)
{
    static const xml_rule rules[] = {{XML_TAKEN, "uri size pos"},
                                     {XML_SILENT, "texture blend use_terrain_paging sampling"},
                                     {XML_TAKEN, NULL}};
    xml_reader *xml = r->xml;
    const xmlNode *uri_node;
    const char *uri;
    pawl_vec3 size = v3(1.0, 1.0, 1.0), place = v3(0.0, 0.0, 0.0);
    height_image image;
    PAWL_TRY(xml_check(xml, node, rules));
    if (!pawl_body_is_world(link->body)) {
        return xml_leave_out_shape(xml, node, false,
                                   "sphere, box, cylinder, capsule, ellipsoid, plane, mesh, "
                                   "pawl:hull and heightmaps of static models");
    }
    PAWL_TRY(xml_need_child(xml, node, "uri", &uri_node));
    PAWL_TRY(xml_text(xml, uri_node, &uri));
    PAWL_TRY(xml_child_vec3(xml, node, "size", &size));
    PAWL_TRY(xml_child_vec3(xml, node, "pos", &place));
    if (!(size.x > 0.0 && size.y > 0.0)) {
        return xml_error(xml, node, "size: got %g x %g m, expected above 0", size.x, size.y);
    }
    PAWL_TRY(height_image_find(xml, uri_node, NULL, uri, &image));
    if (image.rows == 0) { // lenient, and warned of
        return PAWL_OK;
    }
    size_t points = (size_t)image.rows * (size_t)image.columns;
    double *heights = xml_alloc(xml, points * sizeof *heights);
    if (heights == NULL) {
        return PAWL_NO_MEMORY;
    }
    for (size_t i = 0; i < points; ++i) {
        size_t row = (size_t)(image.rows - 1) - i / (size_t)image.columns;
        heights[row * (size_t)image.columns + i % (size_t)image.columns] = size.z * image.values[i];
    }
    pawl_heightfield_def def = pawl_heightfield_def_default();
    pawl_pose corner = {{place.x - 0.5 * size.x, place.y - 0.5 * size.y, place.z},
                        {1.0, 0.0, 0.0, 0.0}};
    def.name = surface->name;
    def.frame = pawl_pose_compose(pawl_pose_compose(sdf_body_pose(link), surface->frame), corner);
    def.x_count = image.columns;
    def.y_count = image.rows;
    def.dx = size.x / (image.columns - 1);
    def.dy = size.y / (image.rows - 1);
    def.heights = heights;
    def.surface = *surface;
    def.surface.kind = pawl_heightfield_def_default().surface.kind;
    PAWL_TRY(xml_tally(xml, PAWL_LOG_NOTE, node,
                       "a heightmap continues beyond its edges and is solid below",
                       link->full_name));
    return xml_refused(xml, node, "heightmap", link->full_name,
                       pawl_builder_add_heightfield(r->builder, &def, NULL));
}

pawl_status sdf_terrain_polyline(xml_reader *xml, const xmlNode *node, const char *owner,
                                 bool visual, pawl_shape_def *def, bool *known)
{
    static const xml_rule rules[] = {{XML_TAKEN, "point height"}, {XML_TAKEN, NULL}};
    enum { POLYLINE_MOST = 2000 };
    double height = 1.0;
    int count = 0;
    PAWL_TRY(xml_check(xml, node, rules));
    PAWL_TRY(xml_child_number(xml, node, "height", XML_POSITIVE, &height));
    XML_EACH (child, node) {
        count += xml_is(child, "point") ? 1 : 0;
    }
    *known = count >= 3 && count <= POLYLINE_MOST;
    if (!*known) {
        return xml_leave_out_shape(xml, node, visual,
                                   "sphere, box, cylinder, capsule, ellipsoid, plane, mesh, "
                                   "pawl:hull and polylines of 3 to 2000 points");
    }
    pawl_vec3 *points = xml_alloc(xml, 2 * (size_t)count * sizeof *points);
    if (points == NULL) {
        return PAWL_NO_MEMORY;
    }
    int k = 0;
    XML_EACH (child, node) {
        const char *text;
        double v[2];
        if (!xml_is(child, "point")) {
            continue;
        }
        PAWL_TRY(xml_text(xml, child, &text));
        PAWL_TRY(xml_numbers(xml, child, "point", text, XML_ANY, v, 2));
        points[k++] = v3(v[0], v[1], 0.0);
        points[k++] = v3(v[0], v[1], height);
    }
    def->kind = PAWL_SHAPE_HULL;
    def->points = points;
    def->point_count = 2 * count;
    return xml_tally(xml, PAWL_LOG_NOTE, node, "a polyline touches as its convex hull", owner);
}
