// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Links of URDF: mass and inertia, and the shapes and colours of <collision> and <visual>.
#include "math/principal.h"
#include "math/rotation.h"
#include "math/trig.h"
#include "read/inertia_mend.h"
#include "read/lumped_mass.h"
#include "read/mesh_shape.h"
#include "read/urdf_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Some files leave the inertia to be computed from meshes by who reads them, and write zeros.
static pawl_status urdf_link_no_inertia(const urdf_reader *r, const xmlNode *inertia,
                                        const urdf_link *link, pawl_body_def *def)
{
    PAWL_TRY(xml_tally(r->xml, PAWL_LOG_WARNING, inertia,
                       "a link has a mass but no inertia: that of a ball of water of its mass is "
                       "used",
                       link->name));
    const double density = 1000.0, pi = 3.14159265358979323846;
    double radius = cbrt(0.75 * def->mass / (pi * density));
    for (int i = 0; i < 3; ++i) {
        def->inertia[i] = 0.4 * def->mass * radius * radius;
        def->inertia[3 + i] = 0.0;
    }
    return PAWL_OK;
}

static pawl_status urdf_link_mass(const urdf_reader *r, const urdf_link *link, pawl_body_def *def)
{
    static const xml_rule rules[] = {{XML_TAKEN, "origin mass inertia"}, {XML_TAKEN, NULL}};
    static const xml_rule mass_rules[] = {{XML_TAKEN, "@value"}, {XML_TAKEN, NULL}};
    static const xml_rule inertia_rules[] = {{XML_TAKEN, "@ixx @iyy @izz @ixy @ixz @iyz"},
                                             {XML_TAKEN, NULL}};
    static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const xmlNode *inertial, *mass, *inertia;
    pawl_pose origin;
    PAWL_TRY(xml_child(r->xml, link->node, "inertial", &inertial));
    bool weightless;
    PAWL_TRY(urdf_tree_is_weightless(r, link->node, &weightless));
    if (inertial == NULL || (weightless && def->density > 0.0)) {
        return PAWL_OK;
    }
    PAWL_TRY(xml_check(r->xml, inertial, rules));
    PAWL_TRY(xml_need_child(r->xml, inertial, "mass", &mass));
    PAWL_TRY(xml_check(r->xml, mass, mass_rules));
    PAWL_TRY(urdf_need_number(r, mass, "value",
                              def->kind == PAWL_BODY_KINEMATIC ? XML_NOT_NEGATIVE : XML_POSITIVE,
                              &def->mass));
    PAWL_TRY(urdf_origin(r, inertial, &origin));
    def->com = origin.position;
    if (def->kind != PAWL_BODY_RIGID) {
        return PAWL_OK;
    }
    if (def->density > 0.0) { // a mass beside it counts; the shapes may give the inertia
        PAWL_TRY(xml_child(r->xml, inertial, "inertia", &inertia));
        if (inertia == NULL) {
            return PAWL_OK;
        }
    }
    PAWL_TRY(xml_child(r->xml, inertial, "inertia", &inertia));
    if (inertia == NULL) {
        return urdf_link_no_inertia(r, inertial, link, def);
    }
    PAWL_TRY(xml_check(r->xml, inertia, inertia_rules));
    for (int i = 0; i < 6; ++i) {
        if (i < 3) {
            PAWL_TRY(urdf_need_number(r, inertia, names[i], XML_ANY, &def->inertia[i]));
        } else {
            PAWL_TRY(xml_attribute_number(r->xml, inertia, names[i], XML_ANY, &def->inertia[i]));
        }
    }
    const double none = 1e-15; // what is left of 0 in some exporters' numbers [kg m^2]
    if (fabs(def->inertia[0]) < none && fabs(def->inertia[1]) < none &&
        fabs(def->inertia[2]) < none) {
        return urdf_link_no_inertia(r, inertia, link, def);
    }
    extension_turn_inertia(origin.orientation, def->inertia);
    return PAWL_OK;
}

bool urdf_link_stands_alone(urdf_reader *r, const urdf_link *link)
{
    pawl_body_def def = pawl_body_def_default();
    double value[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const xmlNode *inertial, *inertia = NULL;
    if (xml_child(r->xml, link->node, "inertial", &inertial) != PAWL_OK || inertial == NULL ||
        xml_child(r->xml, inertial, "inertia", &inertia) != PAWL_OK || inertia == NULL) {
        return true;
    }
    for (int i = 0; i < 6; ++i) {
        const char *text = xml_attribute(inertia, names[i]);
        value[i] = text != NULL ? strtod(text, NULL) : 0.0;
        def.inertia[i] = value[i];
    }
    if (value[0] == 0.0 && value[1] == 0.0 && value[2] == 0.0) {
        return true; // read as that of a ball
    }
    pawl_mat3 tensor = m3_from_six(def.inertia);
    principal_axes p = pawl_principal_axes(&tensor);
    double largest = fmax(p.moment[0], fmax(p.moment[1], p.moment[2]));
    return largest > 0.0 && fmin(p.moment[0], fmin(p.moment[1], p.moment[2])) >= -1e-12 * largest;
}

// Adds the masses of the links that are lumped with this one.
static pawl_status urdf_link_lump(urdf_reader *r, const urdf_link *link, pawl_body_def *def)
{
    lumped_mass sum = {.mass = def->mass, .com = def->com};
    bool any = false;
    memcpy(sum.inertia, def->inertia, sizeof sum.inertia);
    for (int i = 0; i < r->links.count; ++i) {
        const urdf_link *part = URDF_LINK(r, i);
        if (!part->lumped || part->carrier < 0 || URDF_LINK(r, part->carrier) != link) {
            continue;
        }
        pawl_body_def own = pawl_body_def_default();
        PAWL_TRY(urdf_link_mass(r, part, &own));
        lumped_mass more = {.mass = own.mass, .com = own.com};
        memcpy(more.inertia, own.inertia, sizeof more.inertia);
        pawl_pose pose = pawl_pose_compose(pawl_pose_inverse(link->pose), part->pose);
        sum = lumped_mass_add(sum, lumped_mass_moved(more, pose));
        any = true;
    }
    if (any) {
        def->mass = sum.mass;
        def->com = sum.com;
        memcpy(def->inertia, sum.inertia, sizeof sum.inertia);
    }
    return PAWL_OK;
}

pawl_status urdf_link_read(urdf_reader *r, urdf_link *link)
{
    pawl_body_def def = pawl_body_def_default();
    def.name = link->name;
    def.pose = link->pose;
    PAWL_TRY(extension_read_link(r->xml, link->node, &def));
    if (link->auxiliary > 0.0) {
        const double arm = 0.1; // [m]
        def.mass = link->auxiliary;
        def.gravity_scale = 0.0;
        for (int i = 0; i < 3; ++i) {
            def.inertia[i] = def.mass * arm * arm;
        }
        PAWL_TRY(xml_tally(r->xml, PAWL_LOG_NOTE, link->node,
                           "a link without mass between joints has a millionth of what hangs on it",
                           link->name));
    } else {
        if (link->massless) { // what is lumped with it gives it one
            def.mass = 0.0;
            memset(def.inertia, 0, sizeof def.inertia);
        } else {
            PAWL_TRY(urdf_link_mass(r, link, &def));
        }
        PAWL_TRY(urdf_link_lump(r, link, &def));
        if (def.kind == PAWL_BODY_RIGID) {
            PAWL_TRY(inertia_mend(r->xml, link->node, link->name, def.inertia));
        }
    }
    def.family = r->self_collide ? 0 : 1;
    if (def.kind == PAWL_BODY_KINEMATIC) {
        def.density = 0.0;
        r->tied = true;
    }
    return xml_refused(r->xml, link->node, "link", link->name,
                       pawl_builder_add_body(r->builder, &def, &link->body));
}

// A ball without a radius marks a point in some files.
static bool urdf_link_is_empty(const xmlNode *node)
{
    const char *radius = xml_attribute(node, "radius"), *length = xml_attribute(node, "length");
    const char *size = xml_attribute(node, "size");
    char *end = NULL;
    for (int i = 0; size != NULL && i < 3; ++i, size = end) { // of a box
        if (strtod(size, &end) == 0.0 && end != size) {
            return true;
        }
    }
    return (radius != NULL && strtod(radius, &end) == 0.0 && end != radius) ||
           (length != NULL && strtod(length, &end) == 0.0 && end != length);
}

// The shortest turn of z onto a unit vector.
static pawl_quat urdf_link_z_onto(pawl_vec3 n)
{
    pawl_vec3 axis = v3_cross(v3(0.0, 0.0, 1.0), n);
    double sine = v3_norm(axis);
    if (sine < 1e-12) {
        return n.z > 0.0 ? (pawl_quat){1.0, 0.0, 0.0, 0.0} : (pawl_quat){0.0, 1.0, 0.0, 0.0};
    }
    return pawl_quat_from_axis_angle(v3_scale(1.0 / sine, axis), pawl_atan2(sine, n.z));
}

static pawl_status urdf_link_mesh(const urdf_reader *r, const xmlNode *node, const char *owner,
                                  bool visual, const triangle_mesh **mesh)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@filename @scale"}, {XML_TAKEN, NULL}};
    const char *uri, *text = xml_attribute(node, "scale");
    double scale[3] = {1.0, 1.0, 1.0};
    PAWL_TRY(xml_check(r->xml, node, rules));
    PAWL_TRY(xml_need_attribute(r->xml, node, "filename", &uri));
    if (text != NULL && xml_word_count(text) == 1) { // one number for all directions
        PAWL_TRY(xml_numbers(r->xml, node, "scale", text, XML_ANY, scale, 1));
        scale[1] = scale[2] = scale[0];
    } else if (text != NULL) {
        PAWL_TRY(xml_numbers(r->xml, node, "scale", text, XML_ANY, scale, 3));
    }
    return mesh_shape_read(r->xml, node, uri, v3(scale[0], scale[1], scale[2]), visual, owner,
                           mesh);
}

static pawl_status urdf_link_geometry(const urdf_reader *r, const xmlNode *geometry,
                                      const char *owner, pawl_shape_def *def, bool visual,
                                      bool *known, const triangle_mesh **mesh)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@size @radius @length"}, {XML_TAKEN, NULL}};
    const xmlNode *node = xml_first(geometry);
    *known = node != NULL && (xml_is(node, "box") || xml_is(node, "cylinder") ||
                              xml_is(node, "sphere") || xml_is(node, "capsule"));
    *mesh = NULL;
    if (node == NULL) {
        return xml_error(r->xml, geometry, "<geometry> is empty; a shape expected");
    }
    if (xml_is(node, "pawl:hull")) {
        *known = true;
        return extension_read_hull(r->xml, node, def);
    }
    if (xml_is(node, "mesh")) {
        PAWL_TRY(urdf_link_mesh(r, node, owner, visual, mesh));
        *known = *mesh != NULL;
        return PAWL_OK;
    }
    if (xml_is(node, "plane")) { // Bullet's
        pawl_vec3 normal = v3(0.0, 0.0, 1.0);
        PAWL_TRY(urdf_vec3(r, node, "normal", &normal));
        PAWL_TRY(xml_unit_vector(r->xml, node, "normal", &normal));
        def->kind = PAWL_SHAPE_PLANE;
        def->frame.orientation =
            pawl_quat_multiply(def->frame.orientation, urdf_link_z_onto(normal));
        *known = true;
        return PAWL_OK;
    }
    const char *radii = xml_attribute(node, "radii");
    if (xml_is(node, "ellipsoid") && radii != NULL) { // as pawl convert writes it
        double size[3];
        PAWL_TRY(xml_numbers(r->xml, node, "radii", radii, XML_POSITIVE, size, 3));
        def->kind = PAWL_SHAPE_ELLIPSOID;
        def->size = v3(size[0], size[1], size[2]);
        *known = true;
        return PAWL_OK;
    }
    if (!*known) {
        return xml_leave_out_shape(r->xml, node, visual,
                                   "sphere, box, cylinder, capsule, ellipsoid, mesh and pawl:hull");
    }
    PAWL_TRY(xml_check(r->xml, node, rules));
    if (urdf_link_is_empty(node)) {
        *known = false;
        return xml_tally(r->xml, PAWL_LOG_NOTE, node, "a shape of size 0 is left out", owner);
    }
    if (xml_is(node, "box")) {
        const char *text;
        double size[3];
        def->kind = PAWL_SHAPE_BOX;
        PAWL_TRY(xml_need_attribute(r->xml, node, "size", &text));
        PAWL_TRY(xml_numbers(r->xml, node, "size", text, XML_POSITIVE, size, 3));
        def->size = v3(0.5 * size[0], 0.5 * size[1], 0.5 * size[2]);
        return PAWL_OK;
    }
    PAWL_TRY(urdf_need_number(r, node, "radius", XML_POSITIVE, &def->size.x));
    def->kind = PAWL_SHAPE_SPHERE;
    if (!xml_is(node, "sphere")) {
        def->kind = xml_is(node, "cylinder") ? PAWL_SHAPE_CYLINDER : PAWL_SHAPE_CAPSULE;
        PAWL_TRY(urdf_need_number(r, node, "length", XML_POSITIVE, &def->size.z));
        def->size.z *= 0.5;
    }
    return PAWL_OK;
}

// *coloured is left as it is where the element has no colour.
static pawl_status urdf_link_colour(const urdf_reader *r, const xmlNode *visual,
                                    pawl_shape_def *def, bool *coloured)
{
    const xmlNode *material, *colour;
    const char *text;
    double rgba[4];
    material = NULL;
    XML_EACH (child, visual) { // the first counts
        material = material == NULL && xml_is(child, "material") ? child : material;
    }
    if (material == NULL) {
        return PAWL_OK;
    }
    PAWL_TRY(xml_child(r->xml, material, "color", &colour));
    const char *name = xml_attribute(material, "name");
    if (colour == NULL && name != NULL) {
        int index = pawl_name_table_find(&r->names, URDF_MATERIALS, name, strlen(name));
        if (index >= 0) {
            PAWL_TRY(xml_child(r->xml, PAWL_ITEM(r->materials, const xmlNode *, index), "color",
                               &colour));
        }
    }
    if (colour == NULL) {
        return PAWL_OK;
    }
    PAWL_TRY(xml_need_attribute(r->xml, colour, "rgba", &text));
    PAWL_TRY(xml_numbers(r->xml, colour, "rgba", text, XML_ANY, rgba, 4));
    for (int i = 0; i < 4; ++i) {
        def->rgba[i] = (float)fmin(fmax(rgba[i], 0.0), 1.0);
    }
    *coloured = true;
    return PAWL_OK;
}

// One <visual> or <collision> of a link; `frame` is the link's in its body, `weighed` when the link takes its mass from
// its collisions.
static pawl_status urdf_link_read_shape(urdf_reader *r, const urdf_link *link, const xmlNode *child,
                                        const mesh_place *at, pawl_pose frame, bool weighed)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@name origin geometry material"}, {XML_SILENT, "verbose"}, {XML_TAKEN, NULL}};
    static const xml_rule collision_rules[] = {
        {XML_TAKEN, "@name origin geometry material " EXTENSION_COLLISION},
        {XML_SILENT, "verbose contact_coefficients"},
        {XML_TAKEN, NULL}};
    bool visual = xml_is(child, "visual"), known;
    pawl_shape_def def = pawl_shape_def_default();
    mesh_place place = *at;
    const triangle_mesh *mesh;
    const xmlNode *geometry;
    pawl_pose origin;
    PAWL_TRY(xml_check(r->xml, child, visual ? rules : collision_rules));
    def.name = xml_attribute(child, "name");
    def.visual_only = visual;
    PAWL_TRY(urdf_origin(r, child, &origin));
    def.frame = pawl_pose_compose(frame, origin);
    PAWL_TRY(xml_child(r->xml, child, "geometry", &geometry));
    if (geometry == NULL && visual) {
        return xml_tally(r->xml, PAWL_LOG_WARNING, child,
                         "a <visual> without <geometry> is left out", link->name);
    }
    PAWL_TRY(xml_need_child(r->xml, child, "geometry", &geometry));
    PAWL_TRY(urdf_link_geometry(r, geometry, link->name, &def, visual, &known, &mesh));
    PAWL_TRY(urdf_link_colour(r, child, &def, &place.coloured));
    if (!visual) {
        PAWL_TRY(extension_read_collision(r->xml, child, &def));
    }
    if (mesh != NULL) {
        place.node = child;
        return mesh_shape_add(r->xml, &place, mesh, &def);
    }
    if (known) {
        return xml_refused(r->xml, child, "shape", def.name != NULL ? def.name : link->name,
                           pawl_builder_add_shape(r->builder, place.body, &def, NULL));
    }
    return visual || !weighed
               ? PAWL_OK
               : xml_unsupported(r->xml, child,
                                 "link '%s' takes its mass from its collision shapes, but the "
                                 "mass of this one cannot be computed",
                                 link->name);
}

pawl_status urdf_link_read_shapes(urdf_reader *r, const urdf_link *link)
{
    mesh_place place = {.builder = r->builder, .owner = link->name};
    pawl_pose frame;
    const xmlNode *density;
    PAWL_TRY(urdf_find_body(r, link->node, link->name, &place.body, &frame));
    PAWL_TRY(xml_child(r->xml, link->node, "pawl:density", &density));
    XML_EACH (child, link->node) {
        if (xml_is(child, "visual") || xml_is(child, "collision")) {
            PAWL_TRY(urdf_link_read_shape(r, link, child, &place, frame, density != NULL));
        }
    }
    return PAWL_OK;
}
