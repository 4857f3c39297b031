// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// URDF to a model: the tree of links at zero coordinates, then its joints, mimics as gears, and the
// pawl: elements, among them <pawl:loop>, which closes loops that URDF cannot express.
//
// URDF files are full of links without mass that only name a frame. Such a link is merged into the
// link it is fixed to; one that could move is an error. A root link called "world" is the world; any
// other root floats.
#include "read/urdf_reader.h"
#include "base/array.h"
#include "math/rotation.h"
#include "read/extension.h"
#include "read/model_finish.h"
#include <string.h>

enum { URDF_LINKS = 0, URDF_JOINTS, URDF_MATERIALS }; // scopes of the name table
enum { URDF_NONE = -1, URDF_WORLD = -2 };             // beside the indices of links

typedef struct urdf_link {
    const xmlNode *node;
    const char *name;
    int joint;                // to its parent; URDF_NONE for the root
    int first_child, sibling; // links
    int carrier; // the link whose body it is part of: itself, another, URDF_WORLD or URDF_NONE
    bool massless;
    pawl_pose pose; // in the world, all coordinates zero
    int body;       // of a carrier: its index in the builder
} urdf_link;

typedef struct urdf_joint {
    const xmlNode *node;
    const char *name, *type;
    int parent, child;
    pawl_pose origin;
    int index; // in the builder; -1 when it was merged away
    double effort[6];
} urdf_joint;

typedef struct urdf_reader {
    xml_reader *xml;
    pawl_builder *builder;
    pawl_array links, joints, materials, order; // urdf_link, urdf_joint, const xmlNode *, int
    name_table names;
    int root;
    bool tied; // something is joined to the world, or moves as a function of time says
} urdf_reader;

#define URDF_LINK(r, i) (&PAWL_ITEM((r)->links, urdf_link, (i)))
#define URDF_JOINT(r, i) (&PAWL_ITEM((r)->joints, urdf_joint, (i)))

static void *urdf_reader_push(urdf_reader *r, pawl_array *array, size_t size)
{
    void *item = pawl_array_push(r->xml->env, array, size);
    if (item == NULL) {
        pawl_log(r->xml->env, PAWL_LOG_ERROR, "no memory for the robot's links and joints");
    }
    return item;
}

// --- small elements ------------------------------------------------------------------------------

static pawl_status urdf_reader_vec3(const urdf_reader *r, const xmlNode *node, const char *name,
                                    pawl_vec3 *out)
{
    const char *text = xml_attribute(node, name);
    double v[3];
    if (text != NULL) {
        PAWL_TRY(xml_numbers(r->xml, node, name, text, XML_ANY, v, 3));
        *out = v3(v[0], v[1], v[2]);
    }
    return PAWL_OK;
}

static const char *const urdf_radians = "roll, pitch and yaw are in radians in URDF";

// The attributes xyz and rpy, of an element that may have others.
static pawl_status urdf_reader_place(const urdf_reader *r, const xmlNode *node, pawl_pose *out)
{
    pawl_vec3 rpy = {0};
    *out = pawl_pose_identity();
    PAWL_TRY(urdf_reader_vec3(r, node, "xyz", &out->position));
    PAWL_TRY(urdf_reader_vec3(r, node, "rpy", &rpy));
    out->orientation = pawl_quat_from_rpy(rpy.x, rpy.y, rpy.z);
    return xml_warn_turns(r->xml, node, (const double[]){rpy.x, rpy.y, rpy.z}, urdf_radians);
}

static pawl_status urdf_reader_frame(const urdf_reader *r, const xmlNode *node, pawl_pose *out)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@xyz @rpy"}, {XML_TAKEN, NULL}};
    PAWL_TRY(xml_check(r->xml, node, rules));
    return urdf_reader_place(r, node, out);
}

static pawl_status urdf_reader_origin(const urdf_reader *r, const xmlNode *node, pawl_pose *out)
{
    const xmlNode *origin;
    *out = pawl_pose_identity();
    PAWL_TRY(xml_child(r->xml, node, "origin", &origin));
    return origin == NULL ? PAWL_OK : urdf_reader_frame(r, origin, out);
}

static pawl_status urdf_reader_need_number(const urdf_reader *r, const xmlNode *node,
                                           const char *name, xml_range range, double *out)
{
    const char *text;
    PAWL_TRY(xml_need_attribute(r->xml, node, name, &text));
    return xml_numbers(r->xml, node, name, text, range, out, 1);
}

// --- finding names -------------------------------------------------------------------------------

static pawl_status urdf_reader_find(const urdf_reader *r, const xmlNode *where, int scope,
                                    const char *name, int *index)
{
    *index = pawl_name_table_find(&r->names, scope, name, strlen(name));
    if (*index >= 0) {
        return PAWL_OK;
    }
    char hint[XML_HINT_SIZE];
    xml_nearest nearest = xml_nearest_begin(name);
    int count = scope == URDF_LINKS ? r->links.count : r->joints.count;
    for (int i = 0; i < count; ++i) {
        xml_nearest_offer(&nearest,
                          scope == URDF_LINKS ? URDF_LINK(r, i)->name : URDF_JOINT(r, i)->name);
    }
    return xml_error(r->xml, where, "<%s>: no %s is called '%s'%s", where->name,
                     scope == URDF_LINKS ? "link" : "joint", name,
                     xml_nearest_hint(&nearest, hint));
}

static pawl_status urdf_reader_enter(urdf_reader *r, const xmlNode *node, int scope,
                                     const char *what, const char *name, int index)
{
    PAWL_TRY(xml_name_check(r->xml, node, name));
    int other = pawl_name_table_find(&r->names, scope, name, strlen(name));
    if (other >= 0) {
        const xmlNode *first =
            scope == URDF_LINKS ? URDF_LINK(r, other)->node : URDF_JOINT(r, other)->node;
        return xml_error(r->xml, node, "a second %s is called '%s'; the first is at line %ld", what,
                         name, xmlGetLineNo(first));
    }
    return xml_add_name(r->xml, &r->names, scope, name, index);
}

// For the pawl: elements. The pose is that of the link in the body that carries it.
static pawl_status urdf_reader_find_body(void *user, const xmlNode *where, const char *name,
                                         int *body, pawl_pose *frame)
{
    const urdf_reader *r = user;
    int index;
    *frame = pawl_pose_identity();
    if (strcmp(name, "world") == 0 &&
        pawl_name_table_find(&r->names, URDF_LINKS, name, strlen(name)) < 0) {
        *body = PAWL_WORLD;
        return PAWL_OK;
    }
    PAWL_TRY(urdf_reader_find(r, where, URDF_LINKS, name, &index));
    const urdf_link *link = URDF_LINK(r, index);
    if (link->carrier == URDF_WORLD) {
        *body = PAWL_WORLD;
        *frame = link->pose;
    } else {
        const urdf_link *carrier = URDF_LINK(r, link->carrier);
        *body = carrier->body;
        *frame = pawl_pose_compose(pawl_pose_inverse(carrier->pose), link->pose);
    }
    return PAWL_OK;
}

static pawl_status urdf_reader_find_joint(void *user, const xmlNode *where, const char *name,
                                          extension_joint *joint)
{
    const urdf_reader *r = user;
    int index;
    PAWL_TRY(urdf_reader_find(r, where, URDF_JOINTS, name, &index));
    const urdf_joint *j = URDF_JOINT(r, index);
    if (j->index < 0) {
        return xml_error(r->xml, where,
                         "joint '%s' is fixed and was merged away with a link without mass", name);
    }
    *joint = (extension_joint){.index = j->index, .effort = j->effort};
    return PAWL_OK;
}

// --- the tree ------------------------------------------------------------------------------------

// Without <inertial>, or with a mass of 0, as exporters write it for frames.
static pawl_status urdf_reader_is_weightless(const urdf_reader *r, const xmlNode *link, bool *out)
{
    const xmlNode *inertial, *mass = NULL;
    double value = 1.0;
    PAWL_TRY(xml_child(r->xml, link, "inertial", &inertial));
    if (inertial != NULL) {
        PAWL_TRY(xml_child(r->xml, inertial, "mass", &mass));
    }
    if (mass != NULL) {
        PAWL_TRY(xml_attribute_number(r->xml, mass, "value", XML_ANY, &value));
    }
    *out = inertial == NULL || value == 0.0;
    return PAWL_OK;
}

static pawl_status urdf_reader_list_link(urdf_reader *r, const xmlNode *node)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@name inertial visual collision " EXTENSION_LINK},
                                     {XML_SILENT, "@type sensor"},
                                     {XML_TAKEN, NULL}};
    const char *name;
    const xmlNode *density;
    bool weightless;
    PAWL_TRY(xml_check(r->xml, node, rules));
    PAWL_TRY(xml_need_attribute(r->xml, node, "name", &name));
    PAWL_TRY(urdf_reader_enter(r, node, URDF_LINKS, "link", name, r->links.count));
    PAWL_TRY(urdf_reader_is_weightless(r, node, &weightless));
    PAWL_TRY(xml_child(r->xml, node, "pawl:density", &density));
    pawl_body_def probe = {.name = name};
    PAWL_TRY(extension_read_link(r->xml, node, &probe));
    urdf_link *link = urdf_reader_push(r, &r->links, sizeof *link);
    if (link == NULL) {
        return PAWL_NO_MEMORY;
    }
    *link =
        (urdf_link){.node = node,
                    .name = name,
                    .joint = URDF_NONE,
                    .first_child = URDF_NONE,
                    .sibling = URDF_NONE,
                    .carrier = URDF_NONE,
                    .massless = weightless && density == NULL && probe.kind != PAWL_BODY_KINEMATIC,
                    .body = -1};
    return PAWL_OK;
}

static pawl_status urdf_reader_list_joint(urdf_reader *r, const xmlNode *node)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@name @type origin parent child axis limit dynamics mimic " EXTENSION_JOINT},
        {XML_SILENT, "calibration safety_controller"},
        {XML_TAKEN, NULL}};
    static const xml_rule end_rules[] = {{XML_TAKEN, "@link"}, {XML_TAKEN, NULL}};
    static const char *const names[2] = {"parent", "child"};
    urdf_joint joint = {.node = node, .index = -1};
    int ends[2];
    PAWL_TRY(xml_check(r->xml, node, rules));
    PAWL_TRY(xml_need_attribute(r->xml, node, "name", &joint.name));
    PAWL_TRY(xml_need_attribute(r->xml, node, "type", &joint.type));
    PAWL_TRY(urdf_reader_enter(r, node, URDF_JOINTS, "joint", joint.name, r->joints.count));
    PAWL_TRY(urdf_reader_origin(r, node, &joint.origin));
    for (int i = 0; i < 2; ++i) {
        const xmlNode *end;
        const char *name;
        PAWL_TRY(xml_need_child(r->xml, node, names[i], &end));
        PAWL_TRY(xml_check(r->xml, end, end_rules));
        PAWL_TRY(xml_need_attribute(r->xml, end, "link", &name));
        PAWL_TRY(urdf_reader_find(r, end, URDF_LINKS, name, &ends[i]));
    }
    joint.parent = ends[0];
    joint.child = ends[1];
    if (joint.parent == joint.child) {
        return xml_error(r->xml, node, "joint '%s' ties link '%s' to itself", joint.name,
                         URDF_LINK(r, joint.child)->name);
    }
    urdf_link *child = URDF_LINK(r, joint.child);
    if (child->joint != URDF_NONE) {
        return xml_error(r->xml, node,
                         "link '%s' is the child of joint '%s' and of joint '%s'; URDF is a tree: "
                         "<pawl:loop> closes loops",
                         child->name, URDF_JOINT(r, child->joint)->name, joint.name);
    }
    child->joint = r->joints.count;
    for (int c = 0; c < 6; ++c) {
        joint.effort[c] = INFINITY;
    }
    urdf_joint *slot = urdf_reader_push(r, &r->joints, sizeof *slot);
    if (slot == NULL) {
        return PAWL_NO_MEMORY;
    }
    *slot = joint;
    return PAWL_OK;
}

static pawl_status urdf_reader_list(urdf_reader *r, const xmlNode *root)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@name link joint material loop_joint pawl:loop pawl:gravity " EXTENSION_MODEL},
        {XML_SILENT, "@version"},
        {XML_IGNORED, "gazebo transmission sensor"},
        {XML_TAKEN, NULL}};
    PAWL_TRY(xml_check(r->xml, root, rules));
    XML_EACH (child, root) {
        if (xml_is(child, "link")) {
            PAWL_TRY(urdf_reader_list_link(r, child));
        } else if (xml_is(child, "material")) {
            const char *name = xml_attribute(child, "name");
            if (name != NULL &&
                pawl_name_table_find(&r->names, URDF_MATERIALS, name, strlen(name)) < 0) {
                PAWL_TRY(xml_add_name(r->xml, &r->names, URDF_MATERIALS, name, r->materials.count));
                const xmlNode **slot = urdf_reader_push(r, &r->materials, sizeof *slot);
                if (slot == NULL) {
                    return PAWL_NO_MEMORY;
                }
                *slot = child;
            }
        }
    }
    if (r->links.count == 0) {
        return xml_error(r->xml, root, "<robot> has no <link>");
    }
    XML_EACH (child, root) {
        if (xml_is(child, "joint")) {
            PAWL_TRY(urdf_reader_list_joint(r, child));
        }
    }
    return PAWL_OK;
}

// Walks the tree from its root: poses, and the order in which parents come before children.
static pawl_status urdf_reader_walk(urdf_reader *r)
{
    r->root = URDF_NONE;
    for (int i = r->links.count - 1; i >= 0; --i) { // backwards, so that siblings keep their order
        urdf_link *link = URDF_LINK(r, i);
        if (link->joint == URDF_NONE) {
            if (r->root != URDF_NONE) {
                return xml_error(r->xml, URDF_LINK(r, r->root)->node,
                                 "links '%s' and '%s' are both the child of no joint; URDF has one "
                                 "root",
                                 link->name, URDF_LINK(r, r->root)->name);
            }
            r->root = i;
            continue;
        }
        urdf_link *parent = URDF_LINK(r, URDF_JOINT(r, link->joint)->parent);
        link->sibling = parent->first_child;
        parent->first_child = i;
    }
    if (r->root == URDF_NONE) {
        return xml_error(
            r->xml, URDF_LINK(r, 0)->node,
            "every link is the child of a joint, so the joints form a cycle; URDF is a "
            "tree: <pawl:loop> closes loops");
    }
    URDF_LINK(r, r->root)->pose = pawl_pose_identity();
    int *slot = urdf_reader_push(r, &r->order, sizeof *slot);
    if (slot == NULL) {
        return PAWL_NO_MEMORY;
    }
    *slot = r->root;
    for (int k = 0; k < r->order.count; ++k) {
        int parent = PAWL_ITEM(r->order, int, k);
        for (int c = URDF_LINK(r, parent)->first_child; c >= 0; c = URDF_LINK(r, c)->sibling) {
            urdf_link *child = URDF_LINK(r, c);
            child->pose =
                pawl_pose_compose(URDF_LINK(r, parent)->pose, URDF_JOINT(r, child->joint)->origin);
            child->pose.orientation = pawl_quat_normalize(child->pose.orientation);
            slot = urdf_reader_push(r, &r->order, sizeof *slot);
            if (slot == NULL) {
                return PAWL_NO_MEMORY;
            }
            *slot = c;
        }
    }
    if (r->order.count < r->links.count) {
        return xml_error(
            r->xml, URDF_LINK(r, r->root)->node,
            "%d links cannot be reached from the root '%s': their joints form a cycle; "
            "<pawl:loop> closes loops",
            r->links.count - r->order.count, URDF_LINK(r, r->root)->name);
    }
    return PAWL_OK;
}

// Which body each link is part of.
static pawl_status urdf_reader_merge(urdf_reader *r)
{
    int carrier_of_root = URDF_NONE;
    for (int k = 0; k < r->order.count; ++k) {
        int i = PAWL_ITEM(r->order, int, k);
        urdf_link *link = URDF_LINK(r, i);
        if (i == r->root && strcmp(link->name, "world") == 0) {
            link->carrier = URDF_WORLD;
            continue;
        }
        bool fixed =
            link->joint != URDF_NONE && strcmp(URDF_JOINT(r, link->joint)->type, "fixed") == 0;
        int above = link->joint != URDF_NONE
                        ? URDF_LINK(r, URDF_JOINT(r, link->joint)->parent)->carrier
                        : URDF_NONE;
        if (!link->massless) {
            link->carrier = i;
            if (fixed && above == URDF_NONE && carrier_of_root == URDF_NONE) {
                carrier_of_root = i; // the frames above it, up to the root, become part of it
            }
        } else if (fixed || i == r->root) {
            link->carrier = above;
        } else {
            return xml_error(r->xml, link->node,
                             "link '%s' can move but has no mass; <inertial> expected", link->name);
        }
    }
    for (int i = 0; i < r->links.count; ++i) {
        urdf_link *link = URDF_LINK(r, i);
        if (link->carrier == URDF_NONE) {
            if (carrier_of_root == URDF_NONE) {
                return xml_error(r->xml, link->node,
                                 "link '%s' can move but has no mass; <inertial> expected",
                                 link->name);
            }
            link->carrier = carrier_of_root;
        }
    }
    return PAWL_OK;
}

// --- links ---------------------------------------------------------------------------------------

// Some files leave the inertia to be computed from meshes by who reads them, and write zeros.
static pawl_status urdf_reader_no_inertia(const urdf_reader *r, const xmlNode *inertia,
                                          const urdf_link *link, pawl_body_def *def)
{
    PAWL_TRY(xml_unsupported(r->xml, inertia, "link '%s' has a mass of %g kg but no inertia; %s",
                             link->name, def->mass,
                             r->xml->lenient ? "that of a ball of water of this mass is used"
                                             : "--lenient takes that of a ball of water"));
    const double density = 1000.0, pi = 3.14159265358979323846;
    double radius = cbrt(0.75 * def->mass / (pi * density));
    for (int i = 0; i < 3; ++i) {
        def->inertia[i] = 0.4 * def->mass * radius * radius;
        def->inertia[3 + i] = 0.0;
    }
    return PAWL_OK;
}

static pawl_status urdf_reader_mass(const urdf_reader *r, const urdf_link *link, pawl_body_def *def)
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
    PAWL_TRY(urdf_reader_is_weightless(r, link->node, &weightless));
    if (inertial == NULL || (weightless && def->density > 0.0)) {
        return PAWL_OK;
    }
    PAWL_TRY(xml_check(r->xml, inertial, rules));
    PAWL_TRY(xml_need_child(r->xml, inertial, "mass", &mass));
    PAWL_TRY(xml_check(r->xml, mass, mass_rules));
    PAWL_TRY(urdf_reader_need_number(
        r, mass, "value", def->kind == PAWL_BODY_KINEMATIC ? XML_NOT_NEGATIVE : XML_POSITIVE,
        &def->mass));
    PAWL_TRY(urdf_reader_origin(r, inertial, &origin));
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
    PAWL_TRY(xml_need_child(r->xml, inertial, "inertia", &inertia));
    PAWL_TRY(xml_check(r->xml, inertia, inertia_rules));
    for (int i = 0; i < 6; ++i) {
        if (i < 3) {
            PAWL_TRY(
                urdf_reader_need_number(r, inertia, names[i], XML_NOT_NEGATIVE, &def->inertia[i]));
        } else {
            PAWL_TRY(xml_attribute_number(r->xml, inertia, names[i], XML_ANY, &def->inertia[i]));
        }
    }
    if (def->inertia[0] == 0.0 && def->inertia[1] == 0.0 && def->inertia[2] == 0.0) {
        return urdf_reader_no_inertia(r, inertia, link, def);
    }
    extension_turn_inertia(origin.orientation, def->inertia);
    return PAWL_OK;
}

static pawl_status urdf_reader_link(urdf_reader *r, urdf_link *link)
{
    pawl_body_def def = pawl_body_def_default();
    def.name = link->name;
    def.pose = link->pose;
    PAWL_TRY(extension_read_link(r->xml, link->node, &def));
    PAWL_TRY(urdf_reader_mass(r, link, &def));
    if (def.kind == PAWL_BODY_KINEMATIC) {
        def.density = 0.0;
        r->tied = true;
    }
    return xml_refused(r->xml, link->node, "link", link->name,
                       pawl_builder_add_body(r->builder, &def, &link->body));
}

// A ball without a radius marks a point in some files.
static bool urdf_reader_is_empty(const xmlNode *node)
{
    const char *radius = xml_attribute(node, "radius"), *length = xml_attribute(node, "length");
    char *end;
    return (radius != NULL && strtod(radius, &end) == 0.0 && end != radius) ||
           (length != NULL && strtod(length, &end) == 0.0 && end != length);
}

static pawl_status urdf_reader_geometry(const urdf_reader *r, const xmlNode *geometry,
                                        pawl_shape_def *def, bool visual, bool *known)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@size @radius @length"}, {XML_TAKEN, NULL}};
    const xmlNode *node = xml_first(geometry);
    *known = node != NULL && (xml_is(node, "box") || xml_is(node, "cylinder") ||
                              xml_is(node, "sphere") || xml_is(node, "capsule"));
    if (node == NULL) {
        return xml_error(r->xml, geometry, "<geometry> is empty; a shape expected");
    }
    if (xml_is(node, "pawl:hull")) {
        *known = true;
        return extension_read_hull(r->xml, node, def);
    }
    if (!*known) {
        return xml_leave_out_shape(r->xml, node, visual,
                                   "sphere, box, cylinder, capsule and pawl:hull");
    }
    PAWL_TRY(xml_check(r->xml, node, rules));
    if (r->xml->lenient && urdf_reader_is_empty(node)) {
        *known = false;
        return xml_leave_out_shape(r->xml, node, visual, "shapes with a size");
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
    PAWL_TRY(urdf_reader_need_number(r, node, "radius", XML_POSITIVE, &def->size.x));
    def->kind = PAWL_SHAPE_SPHERE;
    if (!xml_is(node, "sphere")) {
        def->kind = xml_is(node, "cylinder") ? PAWL_SHAPE_CYLINDER : PAWL_SHAPE_CAPSULE;
        PAWL_TRY(urdf_reader_need_number(r, node, "length", XML_POSITIVE, &def->size.z));
        def->size.z *= 0.5;
    }
    return PAWL_OK;
}

static pawl_status urdf_reader_colour(const urdf_reader *r, const xmlNode *visual,
                                      pawl_shape_def *def)
{
    const xmlNode *material, *colour;
    const char *text;
    double rgba[4];
    PAWL_TRY(xml_child(r->xml, visual, "material", &material));
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
    return PAWL_OK;
}

static pawl_status urdf_reader_shapes(urdf_reader *r, const urdf_link *link)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@name origin geometry material"}, {XML_SILENT, "verbose"}, {XML_TAKEN, NULL}};
    static const xml_rule collision_rules[] = {
        {XML_TAKEN, "@name origin geometry material " EXTENSION_COLLISION},
        {XML_SILENT, "verbose contact_coefficients"},
        {XML_TAKEN, NULL}};
    int body;
    pawl_pose frame;
    const xmlNode *density;
    PAWL_TRY(urdf_reader_find_body(r, link->node, link->name, &body, &frame));
    PAWL_TRY(xml_child(r->xml, link->node, "pawl:density", &density));
    XML_EACH (child, link->node) {
        bool visual = xml_is(child, "visual"), known;
        if (!visual && !xml_is(child, "collision")) {
            continue;
        }
        pawl_shape_def def = pawl_shape_def_default();
        const xmlNode *geometry;
        pawl_pose origin;
        PAWL_TRY(xml_check(r->xml, child, visual ? rules : collision_rules));
        def.name = xml_attribute(child, "name");
        def.visual_only = visual;
        PAWL_TRY(urdf_reader_origin(r, child, &origin));
        def.frame = pawl_pose_compose(frame, origin);
        PAWL_TRY(xml_need_child(r->xml, child, "geometry", &geometry));
        PAWL_TRY(urdf_reader_geometry(r, geometry, &def, visual, &known));
        PAWL_TRY(urdf_reader_colour(r, child, &def));
        if (!visual) {
            PAWL_TRY(extension_read_collision(r->xml, child, &def));
        }
        if (known) {
            PAWL_TRY(xml_refused(r->xml, child, "shape", def.name != NULL ? def.name : link->name,
                                 pawl_builder_add_shape(r->builder, body, &def, NULL)));
        } else if (!visual && density != NULL) {
            PAWL_TRY(xml_unsupported(r->xml, child,
                                     "link '%s' takes its mass from its collision shapes, but the "
                                     "mass of this one cannot be computed",
                                     link->name));
        }
    }
    return PAWL_OK;
}

// --- joints --------------------------------------------------------------------------------------

static pawl_status urdf_reader_kind(const urdf_reader *r, const xmlNode *node, const char *name,
                                    const char *type, pawl_joint_kind *kind)
{
    static const struct {
        const char *word;
        pawl_joint_kind kind;
    } words[] = {
        {"revolute", PAWL_JOINT_REVOLUTE},   {"continuous", PAWL_JOINT_REVOLUTE},
        {"prismatic", PAWL_JOINT_PRISMATIC}, {"fixed", PAWL_JOINT_FIXED},
        {"floating", PAWL_JOINT_FREE},       {"planar", PAWL_JOINT_PLANAR},
        {"ball", PAWL_JOINT_SPHERICAL},
    };
    char hint[XML_HINT_SIZE];
    xml_nearest nearest = xml_nearest_begin(type);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        if (strcmp(type, words[i].word) == 0) {
            *kind = words[i].kind;
            return PAWL_OK;
        }
        xml_nearest_offer(&nearest, words[i].word);
    }
    const char *word = strncmp(type, "pawl:", 5) == 0 ? type + 5 : type;
    bool ours = word != type || xml_is(node, "pawl:loop");
    if (ours && extension_joint_kind(word, kind)) {
        return PAWL_OK;
    }
    return xml_error(r->xml, node,
                     "joint '%s': type '%s' met; revolute, continuous, prismatic, fixed, floating, "
                     "planar, or pawl: and one of %s expected%s",
                     name, type, extension_joint_words(), xml_nearest_hint(&nearest, hint));
}

static pawl_status urdf_reader_limits(const urdf_reader *r, urdf_joint *joint, pawl_joint_def *def)
{
    static const xml_rule limit_rules[] = {{XML_TAKEN, "@lower @upper @effort @velocity"},
                                           {XML_TAKEN, NULL}};
    static const xml_rule dynamics_rules[] = {{XML_TAKEN, "@damping @friction"}, {XML_TAKEN, NULL}};
    const xmlNode *limit, *dynamics;
    bool bounded = strcmp(joint->type, "revolute") == 0 || strcmp(joint->type, "prismatic") == 0;
    pawl_coordinate_def *c = &def->coordinate[0];
    PAWL_TRY(xml_child(r->xml, joint->node, "limit", &limit));
    if (limit == NULL && bounded) {
        if (xml_unsupported(r->xml, joint->node,
                            "joint '%s' is %s and has no <limit>, which URDF requires%s",
                            joint->name, joint->type,
                            strcmp(joint->type, "revolute") == 0 ? "; type continuous has none"
                                                                 : "") != PAWL_OK) {
            return PAWL_BAD_FILE;
        }
    }
    if (limit != NULL) {
        double lower = 0.0, upper = 0.0, effort = INFINITY; // URDF's defaults of the first two
        PAWL_TRY(xml_check(r->xml, limit, limit_rules));
        PAWL_TRY(xml_attribute_number(r->xml, limit, "lower", XML_MAYBE_INFINITE, &lower));
        PAWL_TRY(xml_attribute_number(r->xml, limit, "upper", XML_MAYBE_INFINITE, &upper));
        PAWL_TRY(xml_attribute_number(r->xml, limit, "effort", XML_NOT_NEGATIVE_MAYBE_INFINITE,
                                      &effort));
        if (lower > upper) {
            return xml_error(r->xml, limit,
                             "joint '%s': the lower limit %g is above the upper one %g",
                             joint->name, lower, upper);
        }
        if (bounded) {
            c->lower = lower;
            c->upper = upper;
            if (xml_attribute(limit, "lower") == NULL && xml_attribute(limit, "upper") == NULL) {
                PAWL_TRY(xml_warn(r->xml, PAWL_WARNING_LOCKED_JOINT, limit, "joint", joint->name,
                                  strcmp(joint->type, "revolute") == 0
                                      ? "give lower and upper, or make its type continuous"
                                      : "give lower and upper",
                                  "<limit> has neither lower nor upper; both are 0 by URDF's "
                                  "defaults, and the joint cannot move"));
            }
        }
        joint->effort[0] = effort;
    }
    PAWL_TRY(xml_child(r->xml, joint->node, "dynamics", &dynamics));
    if (dynamics == NULL) {
        return PAWL_OK;
    }
    PAWL_TRY(xml_check(r->xml, dynamics, dynamics_rules));
    if (def->kind == PAWL_JOINT_FIXED) { // exporters write it for every joint
        return PAWL_OK;
    }
    if (pawl_joint_kind_coordinates(def->kind) != 1) {
        return xml_error(r->xml, dynamics,
                         "joint '%s' is %s: <dynamics> could mean more than one of its directions; "
                         "<pawl:coordinate index=\"...\"> expected",
                         joint->name, joint->type);
    }
    PAWL_TRY(xml_attribute_number(r->xml, dynamics, "damping", XML_NOT_NEGATIVE, &c->damping));
    return xml_attribute_number(r->xml, dynamics, "friction", XML_NOT_NEGATIVE, &c->friction);
}

// Whether the joint frame's x is turned onto the axis; otherwise the frame stays as the origin has
// it. Exporters write an axis "0 0 0" where it means nothing.
static bool urdf_reader_is_aimed(pawl_joint_kind kind, bool given)
{
    switch (kind) {
    case PAWL_JOINT_FIXED:
    case PAWL_JOINT_FREE:
        return false;
    case PAWL_JOINT_REVOLUTE:
    case PAWL_JOINT_PRISMATIC:
    case PAWL_JOINT_CYLINDRICAL:
    case PAWL_JOINT_SCREW:
        return true;
    default:
        return given;
    }
}

static pawl_pose urdf_reader_axes(bool aimed, pawl_vec3 axis)
{
    pawl_pose axes = pawl_pose_identity();
    if (aimed) {
        axes.orientation = pawl_quat_from_axes(axis, v3(0.0, 0.0, 0.0));
    }
    return axes;
}

static pawl_status urdf_reader_joint(urdf_reader *r, urdf_joint *joint)
{
    static const xml_rule axis_rules[] = {{XML_TAKEN, "@xyz"}, {XML_TAKEN, NULL}};
    const urdf_link *parent = URDF_LINK(r, joint->parent), *child = URDF_LINK(r, joint->child);
    const xmlNode *axis_node;
    pawl_joint_def def = pawl_joint_def_default();
    def.name = joint->name;
    PAWL_TRY(urdf_reader_kind(r, joint->node, joint->name, joint->type, &def.kind));
    pawl_vec3 axis = v3(1.0, 0.0, 0.0);
    PAWL_TRY(xml_child(r->xml, joint->node, "axis", &axis_node));
    bool aimed = urdf_reader_is_aimed(def.kind, axis_node != NULL);
    if (axis_node != NULL) {
        PAWL_TRY(xml_check(r->xml, axis_node, axis_rules));
        PAWL_TRY(urdf_reader_vec3(r, axis_node, "xyz", &axis));
    }
    if (aimed) {
        PAWL_TRY(xml_unit_vector(r->xml, axis_node != NULL ? axis_node : joint->node, joint->name,
                                 &axis));
    }
    PAWL_TRY(urdf_reader_limits(r, joint, &def));
    PAWL_TRY(extension_read_joint(r->xml, joint->node, &def));
    if (parent->carrier == child->carrier) {
        return PAWL_OK; // merged
    }
    pawl_pose frame;
    pawl_pose axes = urdf_reader_axes(aimed, axis);
    PAWL_TRY(urdf_reader_find_body(r, joint->node, parent->name, &def.base, &frame));
    def.base_frame = pawl_pose_compose(pawl_pose_compose(frame, joint->origin), axes);
    PAWL_TRY(urdf_reader_find_body(r, joint->node, child->name, &def.follower, &frame));
    def.follower_frame = pawl_pose_compose(frame, axes);
    r->tied = r->tied || (def.base == PAWL_WORLD && def.kind != PAWL_JOINT_FREE);
    return xml_refused(r->xml, joint->node, "joint", joint->name,
                       pawl_builder_add_joint(r->builder, &def, &joint->index));
}

static pawl_status urdf_reader_mimic(urdf_reader *r, const urdf_joint *joint)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@joint @multiplier @offset"}, {XML_TAKEN, NULL}};
    const xmlNode *mimic;
    PAWL_TRY(xml_child(r->xml, joint->node, "mimic", &mimic));
    if (mimic == NULL || joint->index < 0) {
        return PAWL_OK;
    }
    const char *source;
    extension_joint found = {0};
    pawl_gear_def def = pawl_gear_def_default();
    PAWL_TRY(xml_check(r->xml, mimic, rules));
    PAWL_TRY(xml_need_attribute(r->xml, mimic, "joint", &source));
    PAWL_TRY(urdf_reader_find_joint(r, mimic, source, &found));
    PAWL_TRY(xml_attribute_number(r->xml, mimic, "multiplier", XML_ANY, &def.ratio));
    PAWL_TRY(xml_attribute_number(r->xml, mimic, "offset", XML_ANY, &def.offset));
    def.name = xml_join(r->xml, joint->name, "mimic");
    if (def.name == NULL) {
        return PAWL_NO_MEMORY;
    }
    def.joint = joint->index;
    def.source_joint = found.index;
    return xml_refused(r->xml, mimic, "mimic of joint", joint->name,
                       pawl_builder_add_gear(r->builder, &def, NULL));
}

// --- loops ---------------------------------------------------------------------------------------

// <pawl:parent_origin xyz="..." rpy="..."/>, or an attribute with the six numbers.
static pawl_status urdf_reader_loop_origin(const urdf_reader *r, const xmlNode *loop,
                                           const char *name, const char *element, pawl_pose *out,
                                           bool *found)
{
    const xmlNode *child;
    const char *text = xml_attribute(loop, name);
    PAWL_TRY(xml_child(r->xml, loop, element, &child));
    *out = pawl_pose_identity();
    *found = text != NULL || child != NULL;
    if (child != NULL) {
        return urdf_reader_frame(r, child, out);
    }
    if (text != NULL) {
        double v[6];
        PAWL_TRY(xml_numbers(r->xml, loop, name, text, XML_ANY, v, 6));
        *out = (pawl_pose){v3(v[0], v[1], v[2]), pawl_quat_from_rpy(v[3], v[4], v[5])};
        PAWL_TRY(xml_warn_turns(r->xml, loop, v + 3, urdf_radians));
    }
    return PAWL_OK;
}

static pawl_status urdf_reader_loop_axis(const urdf_reader *r, const xmlNode *loop,
                                         pawl_joint_kind kind, pawl_vec3 *axis, bool *aimed)
{
    const xmlNode *child;
    *axis = v3(1.0, 0.0, 0.0);
    PAWL_TRY(xml_child(r->xml, loop, "pawl:axis", &child));
    const xmlNode *where = child != NULL ? child : loop;
    PAWL_TRY(urdf_reader_vec3(r, where, child != NULL ? "xyz" : "axis", axis));
    *aimed = urdf_reader_is_aimed(kind, child != NULL || xml_attribute(loop, "axis") != NULL);
    return *aimed ? xml_unit_vector(r->xml, where, "axis", axis) : PAWL_OK;
}

// What closes a loop: two links, the joint's place on each, and its axis there.
typedef struct urdf_loop {
    const char *name, *type, *ends[2];
    pawl_pose origin[2];
    bool found[2];
    pawl_joint_def def;
    pawl_vec3 axis;
    bool aimed;
} urdf_loop;

static pawl_status urdf_reader_loop_begin(urdf_reader *r, const xmlNode *loop, urdf_loop *out)
{
    out->def = pawl_joint_def_default();
    PAWL_TRY(xml_need_attribute(r->xml, loop, "name", &out->name));
    PAWL_TRY(xml_need_attribute(r->xml, loop, "type", &out->type));
    PAWL_TRY(urdf_reader_enter(r, loop, URDF_JOINTS, "joint", out->name, r->joints.count));
    out->def.name = out->name;
    return urdf_reader_kind(r, loop, out->name, out->type, &out->def.kind);
}

// <pawl:loop>.
static pawl_status urdf_reader_own_loop(urdf_reader *r, const xmlNode *loop, urdf_loop *out)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@name @type @parent @child @parent_origin @child_origin @axis "
                    "pawl:parent_origin pawl:child_origin pawl:axis " EXTENSION_JOINT},
        {XML_TAKEN, NULL}};
    static const char *const end_names[2] = {"parent", "child"};
    static const char *const fields[2] = {"parent_origin", "child_origin"};
    static const char *const elements[2] = {"pawl:parent_origin", "pawl:child_origin"};
    PAWL_TRY(xml_check(r->xml, loop, rules));
    PAWL_TRY(urdf_reader_loop_begin(r, loop, out));
    for (int i = 0; i < 2; ++i) {
        PAWL_TRY(xml_need_attribute(r->xml, loop, end_names[i], &out->ends[i]));
        PAWL_TRY(urdf_reader_loop_origin(r, loop, fields[i], elements[i], &out->origin[i],
                                         &out->found[i]));
    }
    PAWL_TRY(urdf_reader_loop_axis(r, loop, out->def.kind, &out->axis, &out->aimed));
    return extension_read_joint(r->xml, loop, &out->def);
}

// <loop_joint> of Drake and of RigidBodyDynamics.jl: <link1 link="..." xyz="..." rpy="..."/>, <link2 .../>, <axis/>.
static pawl_status urdf_reader_loop_joint(urdf_reader *r, const xmlNode *loop, urdf_loop *out)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@name @type link1 link2 axis " EXTENSION_JOINT},
                                     {XML_TAKEN, NULL}};
    static const xml_rule end_rules[] = {{XML_TAKEN, "@link @xyz @rpy"}, {XML_TAKEN, NULL}};
    static const char *const elements[2] = {"link1", "link2"};
    const xmlNode *node;
    PAWL_TRY(xml_check(r->xml, loop, rules));
    PAWL_TRY(urdf_reader_loop_begin(r, loop, out));
    for (int i = 0; i < 2; ++i) {
        PAWL_TRY(xml_need_child(r->xml, loop, elements[i], &node));
        PAWL_TRY(xml_check(r->xml, node, end_rules));
        PAWL_TRY(xml_need_attribute(r->xml, node, "link", &out->ends[i]));
        PAWL_TRY(urdf_reader_place(r, node, &out->origin[i]));
        out->found[i] = true;
    }
    PAWL_TRY(xml_child(r->xml, loop, "axis", &node));
    out->axis = v3(1.0, 0.0, 0.0);
    out->aimed = urdf_reader_is_aimed(out->def.kind, node != NULL);
    if (node != NULL) {
        PAWL_TRY(urdf_reader_vec3(r, node, "xyz", &out->axis));
    }
    if (out->aimed) {
        PAWL_TRY(xml_unit_vector(r->xml, node != NULL ? node : loop, "axis", &out->axis));
    }
    return extension_read_joint(r->xml, loop, &out->def);
}

static pawl_status urdf_reader_loop(urdf_reader *r, const xmlNode *loop)
{
    urdf_loop l;
    PAWL_TRY(xml_is(loop, "loop_joint") ? urdf_reader_loop_joint(r, loop, &l)
                                        : urdf_reader_own_loop(r, loop, &l));
    const char *name = l.name;
    int body[2];
    pawl_pose frame[2], world[2], *origin = l.origin;
    for (int i = 0; i < 2; ++i) {
        PAWL_TRY(urdf_reader_find_body(r, loop, l.ends[i], &body[i], &frame[i]));
        int index = pawl_name_table_find(&r->names, URDF_LINKS, l.ends[i], strlen(l.ends[i]));
        world[i] = index >= 0 ? URDF_LINK(r, index)->pose : pawl_pose_identity();
    }
    if (body[1] == PAWL_WORLD) {
        return xml_error(r->xml, loop,
                         "loop '%s': the child is the world, a link expected; swap "
                         "parent and child",
                         name);
    }
    if (body[0] == body[1]) {
        return xml_error(r->xml, loop, "loop '%s' ties '%s' to itself", name, l.ends[1]);
    }
    // Where only one side is stated, the start position gives the other.
    if (l.found[0] != l.found[1]) {
        int known = l.found[0] ? 0 : 1, other = 1 - known;
        origin[other] = pawl_pose_compose(pawl_pose_inverse(world[other]),
                                          pawl_pose_compose(world[known], origin[known]));
    } else if (!l.found[0]) {
        origin[0] = pawl_pose_compose(pawl_pose_inverse(world[0]), world[1]); // at the child
    }
    pawl_pose axes = urdf_reader_axes(l.aimed, l.axis);
    l.def.base = body[0];
    l.def.follower = body[1];
    l.def.base_frame = pawl_pose_compose(pawl_pose_compose(frame[0], origin[0]), axes);
    l.def.follower_frame = pawl_pose_compose(pawl_pose_compose(frame[1], origin[1]), axes);
    r->tied = r->tied || (l.def.base == PAWL_WORLD && l.def.kind != PAWL_JOINT_FREE);
    urdf_joint *slot = urdf_reader_push(r, &r->joints, sizeof *slot);
    if (slot == NULL) {
        return PAWL_NO_MEMORY;
    }
    *slot = (urdf_joint){.node = loop, .name = name, .type = l.type, .index = -1};
    for (int c = 0; c < 6; ++c) {
        slot->effort[c] = INFINITY;
    }
    return xml_refused(r->xml, loop, "loop", name,
                       pawl_builder_add_joint(r->builder, &l.def, &slot->index));
}

// --- the whole -----------------------------------------------------------------------------------

static pawl_status urdf_reader_fill(urdf_reader *r, const xmlNode *root)
{
    for (int i = 0; i < r->links.count; ++i) {
        if (URDF_LINK(r, i)->carrier == i) {
            PAWL_TRY(urdf_reader_link(r, URDF_LINK(r, i)));
        }
    }
    for (int i = 0; i < r->links.count; ++i) {
        PAWL_TRY(urdf_reader_shapes(r, URDF_LINK(r, i)));
    }
    int tree_joints = r->joints.count;
    for (int i = 0; i < tree_joints; ++i) {
        PAWL_TRY(urdf_reader_joint(r, URDF_JOINT(r, i)));
    }
    XML_EACH (child, root) {
        if (xml_is(child, "pawl:loop") || xml_is(child, "loop_joint")) {
            PAWL_TRY(urdf_reader_loop(r, child));
        }
    }
    for (int i = 0; i < tree_joints; ++i) {
        PAWL_TRY(urdf_reader_mimic(r, URDF_JOINT(r, i)));
    }
    if (!r->tied) {
        xml_log(r->xml, PAWL_LOG_NOTE, URDF_LINK(r, r->root)->node,
                "the root link '%s' floats; a root called 'world', or <pawl:loop type=\"fixed\" "
                "parent=\"world\" ...>, would hold it",
                URDF_LINK(r, r->root)->name);
    }
    extension_context context = {.reader = r->xml,
                                 .builder = r->builder,
                                 .prefix = "",
                                 .user = r,
                                 .find_body = urdf_reader_find_body,
                                 .find_joint = urdf_reader_find_joint};
    XML_EACH (child, root) {
        bool done;
        PAWL_TRY(extension_read_model(&context, child, &done));
    }
    return PAWL_OK;
}

static pawl_status urdf_reader_run(urdf_reader *r, const xmlNode *root, pawl_model **out)
{
    const char *name = xml_attribute(root, "name");
    const xmlNode *node;
    name = name != NULL && name[0] != '\0' ? name : "robot";
    PAWL_TRY(urdf_reader_list(r, root));
    PAWL_TRY(urdf_reader_walk(r));
    PAWL_TRY(urdf_reader_merge(r));
    PAWL_TRY(pawl_builder_create(r->xml->env, name, &r->builder));
    PAWL_TRY(xml_child(r->xml, root, "pawl:gravity", &node));
    if (node != NULL) {
        pawl_vec3 gravity;
        PAWL_TRY(xml_child_vec3(r->xml, root, "pawl:gravity", &gravity));
        pawl_builder_set_gravity(r->builder, gravity);
    }
    PAWL_TRY(urdf_reader_fill(r, root));
    return model_finish(r->xml, root, "robot", name, r->builder, out);
}

pawl_status urdf_read(xml_reader *reader, const xmlNode *root, pawl_model **out)
{
    urdf_reader r = {.xml = reader};
    pawl_status status = urdf_reader_run(&r, root, out);
    pawl_builder_destroy(r.builder);
    pawl_array_free(reader->env, &r.links);
    pawl_array_free(reader->env, &r.joints);
    pawl_array_free(reader->env, &r.materials);
    pawl_array_free(reader->env, &r.order);
    return status;
}
