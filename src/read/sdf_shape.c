// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Geometry of an SDFormat link: <visual> and <collision>, their shapes, colours and surfaces.
#include "math/rotation.h"
#include "math/trig.h"
#include "read/mesh_shape.h"
#include "read/sdf_parts.h"
#include "read/sdf_surface.h"
#include "read/sdf_terrain.h"
#include <math.h>
#include <string.h>

static const char sdf_shape_default[] = "a size that is missing is SDFormat's, 1 m";

static pawl_status sdf_shape_need_number(xml_reader *xml, const xmlNode *node, const char *name,
                                         double *out)
{
    const xmlNode *child;
    *out = 1.0;
    PAWL_TRY(xml_child(xml, node, name, &child));
    return child != NULL ? xml_child_number(xml, node, name, XML_POSITIVE, out)
                         : xml_tally(xml, PAWL_LOG_WARNING, node, sdf_shape_default,
                                     (const char *)node->name);
}

static pawl_status sdf_shape_need_size(xml_reader *xml, const xmlNode *node, const char *name,
                                       pawl_vec3 *out)
{
    const xmlNode *child;
    const char *text;
    double v[3];
    *out = v3(1.0, 1.0, 1.0);
    PAWL_TRY(xml_child(xml, node, name, &child));
    if (child == NULL) {
        return xml_tally(xml, PAWL_LOG_WARNING, node, sdf_shape_default, (const char *)node->name);
    }
    PAWL_TRY(xml_text(xml, child, &text));
    PAWL_TRY(xml_numbers(xml, child, name, text, XML_POSITIVE, v, 3));
    *out = v3(v[0], v[1], v[2]);
    return PAWL_OK;
}

static pawl_status sdf_shape_plane(xml_reader *xml, const xmlNode *node, pawl_shape_def *def)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "normal"}, {XML_SILENT, "size"}, {XML_TAKEN, NULL}};
    pawl_vec3 normal = v3(0.0, 0.0, 1.0);
    PAWL_TRY(xml_check(xml, node, rules));
    PAWL_TRY(xml_child_vec3(xml, node, "normal", &normal));
    PAWL_TRY(xml_unit_vector(xml, node, "normal", &normal));
    def->kind = PAWL_SHAPE_PLANE;
    // The shape's z is the normal. from_axes() aims x, so the plane's x, y, z are its y, z, x.
    pawl_quat aim = pawl_quat_from_axes(normal, v3(0.0, 0.0, 0.0));
    pawl_quat cycle = {0.5, 0.5, 0.5, 0.5}; // turns z to x, x to y, y to z
    if (normal.z < 1.0) {                   // already aligned otherwise: keep the axes the file has
        def->frame.orientation =
            pawl_quat_multiply(def->frame.orientation, pawl_quat_multiply(aim, cycle));
    }
    return PAWL_OK;
}

// <submesh>: the parts of that name alone; <center> moves the middle of their bounds to the origin.
static pawl_status sdf_shape_submesh(xml_reader *xml, const xmlNode *node, bool visual,
                                     const triangle_mesh **mesh)
{
    const xmlNode *name_node;
    const char *name;
    bool center = false;
    PAWL_TRY(xml_need_child(xml, node, "name", &name_node));
    PAWL_TRY(xml_text(xml, name_node, &name));
    PAWL_TRY(xml_child_bool(xml, node, "center", &center));
    triangle_mesh *out = xml_alloc(xml, sizeof *out);
    if (out == NULL) {
        return PAWL_NO_MEMORY;
    }
    PAWL_TRY(mesh_named_part(xml, *mesh, name, center, out));
    if (out->triangle_count > 0) {
        *mesh = out;
        return PAWL_OK;
    }
    if (visual) { // changes the picture alone
        return xml_tally(xml, PAWL_LOG_WARNING, node,
                         "a <submesh> that the mesh has not: the whole mesh is drawn", name);
    }
    return xml_error(
        xml, node, "<submesh>: the mesh has no part '%s'%s%s%s", name,
        (*mesh)->part_count > 0 && (*mesh)->parts[0].name != NULL ? "; its first is '" : "",
        (*mesh)->part_count > 0 && (*mesh)->parts[0].name != NULL ? (*mesh)->parts[0].name : "",
        (*mesh)->part_count > 0 && (*mesh)->parts[0].name != NULL ? "'" : "");
}

static pawl_status sdf_shape_mesh(xml_reader *xml, const xmlNode *node, const char *owner,
                                  bool visual, const triangle_mesh **mesh)
{
    static const xml_rule rules[] = {{XML_TAKEN, "uri scale submesh"},
                                     {XML_SILENT, "@optimization convex_decomposition"},
                                     {XML_SILENT, "drake:declare_convex"},
                                     {XML_TAKEN, NULL}};
    const xmlNode *uri_node, *submesh;
    const char *uri;
    pawl_vec3 scale = v3(1.0, 1.0, 1.0);
    PAWL_TRY(xml_check(xml, node, rules));
    PAWL_TRY(xml_need_child(xml, node, "uri", &uri_node));
    PAWL_TRY(xml_text(xml, uri_node, &uri));
    PAWL_TRY(xml_child_vec3(xml, node, "scale", &scale));
    PAWL_TRY(mesh_shape_read(xml, node, uri, scale, visual, owner, mesh));
    PAWL_TRY(xml_child(xml, node, "submesh", &submesh));
    return submesh != NULL && *mesh != NULL ? sdf_shape_submesh(xml, submesh, visual, mesh)
                                            : PAWL_OK;
}

// <drake:capsule> and <drake:ellipsoid>, from before SDFormat had such shapes.
static bool sdf_is_drakes(const xmlNode *node, const char *name)
{
    const char *own = (const char *)node->name;
    if (node->ns != NULL && node->ns->prefix != NULL) {
        return strcmp((const char *)node->ns->prefix, "drake") == 0 && strcmp(own, name) == 0;
    }
    return strncmp(own, "drake:", 6) == 0 && strcmp(own + 6, name) == 0;
}

// The centre of a cone is half way between its tip, at +z, and its base.
static pawl_status sdf_shape_cone(xml_reader *xml, const xmlNode *node, pawl_shape_def *def)
{
    static const xml_rule rules[] = {{XML_TAKEN, "radius length"}, {XML_TAKEN, NULL}};
    enum { CONE_SIDES = 32 };
    const double pi = 3.14159265358979323846;
    double radius, length;
    PAWL_TRY(xml_check(xml, node, rules));
    PAWL_TRY(sdf_shape_need_number(xml, node, "radius", &radius));
    PAWL_TRY(sdf_shape_need_number(xml, node, "length", &length));
    pawl_vec3 *points = xml_alloc(xml, (CONE_SIDES + 1) * sizeof *points);
    if (points == NULL) {
        return PAWL_NO_MEMORY;
    }
    for (int k = 0; k < CONE_SIDES; ++k) {
        double angle = 2.0 * pi * k / CONE_SIDES;
        points[k] = v3(radius * pawl_cos(angle), radius * pawl_sin(angle), -0.5 * length);
    }
    points[CONE_SIDES] = v3(0.0, 0.0, 0.5 * length);
    def->kind = PAWL_SHAPE_HULL;
    def->points = points;
    def->point_count = CONE_SIDES + 1;
    return xml_tally(xml, PAWL_LOG_NOTE, node, "a cone touches as a pyramid of 32 sides", NULL);
}

// One <geometry>. *known is false when its shape is not one of ours; *mesh is not NULL when it is a mesh.
static pawl_status sdf_shape_geometry(xml_reader *xml, const xmlNode *geometry, const char *owner,
                                      pawl_shape_def *def, bool visual, bool *known,
                                      const triangle_mesh **mesh)
{
    static const xml_rule sphere_rules[] = {{XML_TAKEN, "radius"}, {XML_TAKEN, NULL}};
    static const xml_rule rod_rules[] = {{XML_TAKEN, "radius length"}, {XML_TAKEN, NULL}};
    static const xml_rule box_rules[] = {{XML_TAKEN, "size"}, {XML_TAKEN, NULL}};
    static const xml_rule ellipsoid_rules[] = {{XML_TAKEN, "radii"}, {XML_TAKEN, NULL}};
    const xmlNode *node = xml_first(geometry);
    *known = true;
    *mesh = NULL;
    if (node == NULL) {
        return xml_error(xml, geometry, "<geometry> is empty; a shape expected");
    }
    if (xml_next(node) != NULL) {
        PAWL_TRY(xml_tally(xml, PAWL_LOG_WARNING, xml_next(node),
                           "a <geometry> contains a second shape: the first is used", owner));
    }
    if (xml_is(node, "sphere")) {
        def->kind = PAWL_SHAPE_SPHERE;
        PAWL_TRY(xml_check(xml, node, sphere_rules));
        return sdf_shape_need_number(xml, node, "radius", &def->size.x);
    }
    if (xml_is(node, "box")) {
        def->kind = PAWL_SHAPE_BOX;
        PAWL_TRY(xml_check(xml, node, box_rules));
        PAWL_TRY(sdf_shape_need_size(xml, node, "size", &def->size));
        def->size = v3_scale(0.5, def->size);
        return PAWL_OK;
    }
    if (xml_is(node, "cylinder") || xml_is(node, "capsule") || sdf_is_drakes(node, "capsule")) {
        def->kind = xml_is(node, "cylinder") ? PAWL_SHAPE_CYLINDER : PAWL_SHAPE_CAPSULE;
        PAWL_TRY(xml_check(xml, node, rod_rules));
        PAWL_TRY(sdf_shape_need_number(xml, node, "radius", &def->size.x));
        PAWL_TRY(sdf_shape_need_number(xml, node, "length", &def->size.z));
        def->size.z *= 0.5;
        return PAWL_OK;
    }
    if (sdf_is_drakes(node, "ellipsoid")) {
        double *axes[3] = {&def->size.x, &def->size.y, &def->size.z};
        static const char *const names[3] = {"a", "b", "c"};
        def->kind = PAWL_SHAPE_ELLIPSOID;
        for (int i = 0; i < 3; ++i) {
            PAWL_TRY(sdf_shape_need_number(xml, node, names[i], axes[i]));
        }
        return PAWL_OK;
    }
    if (xml_is(node, "ellipsoid")) {
        def->kind = PAWL_SHAPE_ELLIPSOID;
        PAWL_TRY(xml_check(xml, node, ellipsoid_rules));
        return sdf_shape_need_size(xml, node, "radii", &def->size);
    }
    if (xml_is(node, "plane")) {
        return sdf_shape_plane(xml, node, def);
    }
    if (xml_is(node, "pawl:hull")) {
        return extension_read_hull(xml, node, def);
    }
    if (xml_is(node, "cone")) {
        return sdf_shape_cone(xml, node, def);
    }
    if (xml_is(node, "polyline")) {
        return sdf_terrain_polyline(xml, node, owner, visual, def, known);
    }
    if (xml_is(node, "mesh")) {
        PAWL_TRY(sdf_shape_mesh(xml, node, owner, visual, mesh));
        *known = *mesh != NULL;
        return PAWL_OK;
    }
    *known = false;
    if (xml_is(node, "empty")) {
        return PAWL_OK;
    }
    return xml_leave_out_shape(xml, node, visual,
                               "sphere, box, cylinder, capsule, ellipsoid, plane, mesh and "
                               "pawl:hull");
}

// The colour of a <visual> or <collision>; *coloured is left as it is where it has none.
static pawl_status sdf_shape_colour(xml_reader *xml, const xmlNode *visual, pawl_shape_def *def,
                                    bool *coloured)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "diffuse ambient"},
        {XML_SILENT, "specular emissive shininess lighting script shader render_order double_sided "
                     "pbr"},
        {XML_TAKEN, NULL}};
    const xmlNode *material, *colour;
    PAWL_TRY(xml_child(xml, visual, "material", &material));
    if (material == NULL) {
        return PAWL_OK;
    }
    PAWL_TRY(xml_check(xml, material, rules));
    PAWL_TRY(xml_child(xml, material, "diffuse", &colour));
    if (colour == NULL) {
        PAWL_TRY(xml_child(xml, material, "ambient", &colour));
    }
    if (colour == NULL) {
        return PAWL_OK;
    }
    const char *text;
    double *list;
    int count;
    PAWL_TRY(xml_text(xml, colour, &text));
    PAWL_TRY(xml_number_list(xml, colour, "colour", text, &list, &count));
    if (count != 3 && count != 4) {
        return xml_error(xml, colour, "got a colour of %d numbers, expected 3 or 4", count);
    }
    for (int i = 0; i < count; ++i) {
        def->rgba[i] = (float)fmin(fmax(list[i], 0.0), 1.0);
    }
    *coloured = true;
    return PAWL_OK;
}

// A collision without a colour of its own is drawn like its link.
static pawl_status sdf_shape_collision_colour(const sdf_reader *r, const xmlNode *collision,
                                              const xmlNode *link, pawl_shape_def *def)
{
    const xmlNode *material;
    PAWL_TRY(xml_child(r->xml, collision, "material", &material));
    if (material != NULL) {
        return PAWL_OK;
    }
    XML_EACH (child, link) {
        if (xml_is(child, "visual")) {
            bool coloured;
            return sdf_shape_colour(r->xml, child, def, &coloured);
        }
    }
    return PAWL_OK;
}

// A <visual> or <collision> of a link; `weighed` when the link's mass comes from its collisions.
static pawl_status sdf_shape_read(const sdf_reader *r, const xmlNode *node, const sdf_item *link,
                                  int link_index, bool visual, bool weighed)
{
    static const xml_rule visual_rules[] = {
        {XML_TAKEN, "@name pose geometry material"},
        {XML_SILENT, "cast_shadows laser_retro transparency meta visibility_flags"},
        {XML_IGNORED, "plugin"},
        {XML_TAKEN, NULL}};
    static const xml_rule collision_rules[] = {
        {XML_TAKEN, "@name pose geometry material density surface " EXTENSION_COLLISION},
        {XML_SILENT, "laser_retro max_contacts auto_inertia_params"},
        {XML_IGNORED, "plugin"},
        {XML_TAKEN, NULL}};
    xml_reader *xml = r->xml;
    const xmlNode *pose, *geometry;
    pawl_shape_def def = pawl_shape_def_default();
    pawl_pose world;
    const triangle_mesh *mesh;
    mesh_place place = {r->builder, link->body, node, link->full_name, false};
    bool known;
    PAWL_TRY(xml_check(xml, node, visual ? visual_rules : collision_rules));
    def.name = xml_attribute(node, "name");
    def.visual_only = visual;
    PAWL_TRY(xml_child(xml, node, "pose", &pose));
    PAWL_TRY(sdf_tree_pose(&r->tree, pose, link->scope, link_index, &world));
    def.frame = pawl_pose_compose(pawl_pose_inverse(sdf_body_pose(link)), world);
    PAWL_TRY(xml_child(xml, node, "geometry", &geometry));
    if (geometry == NULL && visual) {
        return xml_tally(xml, PAWL_LOG_WARNING, node, "a <visual> without <geometry> is left out",
                         link->full_name);
    }
    PAWL_TRY(xml_need_child(xml, node, "geometry", &geometry));
    const xmlNode *first = xml_first(geometry);
    if (first != NULL && xml_is(first, "heightmap")) {
        PAWL_TRY(sdf_read_surface(xml, node, &def));
        return visual ? PAWL_OK : sdf_terrain_read(r, first, link, &def);
    }
    PAWL_TRY(sdf_shape_geometry(xml, geometry, link->full_name, &def, visual, &known, &mesh));
    PAWL_TRY(sdf_shape_colour(xml, node, &def, &place.coloured));
    if (!visual) {
        PAWL_TRY(sdf_shape_collision_colour(r, node, link->node, &def));
        PAWL_TRY(sdf_read_surface(xml, node, &def));
    }
    if (mesh != NULL) {
        return mesh_shape_add(xml, &place, mesh, &def);
    }
    if (known) {
        return xml_refused(xml, node, "shape", def.name != NULL ? def.name : "",
                           pawl_builder_add_shape(r->builder, link->body, &def, NULL));
    }
    const xmlNode *content = xml_first(geometry);
    if (weighed && !visual && content != NULL && !xml_is(content, "empty")) {
        return xml_unsupported(xml, content,
                               "link '%s' takes its mass from its collision shapes, but the mass "
                               "of a <%s> cannot be computed",
                               link->full_name, content->name);
    }
    return PAWL_OK;
}

pawl_status sdf_shapes_read(const sdf_reader *r, const sdf_item *link, int link_index, bool weighed)
{
    XML_EACH (child, link->node) {
        bool visual = xml_is(child, "visual");
        if (visual || xml_is(child, "collision")) {
            PAWL_TRY(sdf_shape_read(r, child, link, link_index, visual, weighed));
        }
    }
    return PAWL_OK;
}
