// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// SDFormat 1.10 to a model, after sdf_tree.c has found the names and resolved the frames: links with
// their masses and shapes, then joints, then what refers to joints.
//
// The zero position of a joint is the configuration in the file: both of its frames come from the
// one joint pose. <pawl:parent_pose> states the base's frame by itself; the two may then be apart.
#include "read/sdf_reader.h"
#include "math/rotation.h"
#include "read/extension.h"
#include "read/model_finish.h"
#include "read/sdf_surface.h"
#include "read/sdf_tree.h"
#include <string.h>

static const double SDF_READER_TWO_PI = 6.283185307179586;
static const double SDF_READER_WATER = 1000.0; // SDFormat's default density [kg/m^3]

// <self_collide>false</self_collide> makes a pair of any two links: a file may ask for so many.
enum { SDF_READER_QUIET_PAIRS = 1000 * 1000 };

typedef struct sdf_reader {
    xml_reader *xml;
    sdf_tree tree;
    pawl_builder *builder;
    int quiet_pairs; // made so far
} sdf_reader;

// Where the body is that a link belongs to: the world's frame for links that are part of it.
static pawl_pose sdf_reader_body_pose(const sdf_item *link)
{
    return link->body == PAWL_WORLD ? pawl_pose_identity() : link->pose;
}

// --- shapes --------------------------------------------------------------------------------------

static pawl_status sdf_reader_need_number(xml_reader *xml, const xmlNode *node, const char *name,
                                          double *out)
{
    const xmlNode *child;
    PAWL_TRY(xml_need_child(xml, node, name, &child));
    return xml_child_number(xml, node, name, XML_POSITIVE, out);
}

static pawl_status sdf_reader_need_size(xml_reader *xml, const xmlNode *node, const char *name,
                                        pawl_vec3 *out)
{
    const xmlNode *child;
    const char *text;
    double v[3];
    PAWL_TRY(xml_need_child(xml, node, name, &child));
    PAWL_TRY(xml_text(xml, child, &text));
    PAWL_TRY(xml_numbers(xml, child, name, text, XML_POSITIVE, v, 3));
    *out = v3(v[0], v[1], v[2]);
    return PAWL_OK;
}

static pawl_status sdf_reader_plane(xml_reader *xml, const xmlNode *node, pawl_shape_def *def)
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

// One <geometry>. *known is false when its shape is not one of ours.
static pawl_status sdf_reader_geometry(xml_reader *xml, const xmlNode *geometry,
                                       pawl_shape_def *def, bool visual, bool *known)
{
    static const xml_rule sphere_rules[] = {{XML_TAKEN, "radius"}, {XML_TAKEN, NULL}};
    static const xml_rule rod_rules[] = {{XML_TAKEN, "radius length"}, {XML_TAKEN, NULL}};
    static const xml_rule box_rules[] = {{XML_TAKEN, "size"}, {XML_TAKEN, NULL}};
    static const xml_rule ellipsoid_rules[] = {{XML_TAKEN, "radii"}, {XML_TAKEN, NULL}};
    const xmlNode *node = xml_first(geometry);
    *known = true;
    if (node == NULL) {
        return xml_error(xml, geometry, "<geometry> is empty; a shape expected");
    }
    if (xml_next(node) != NULL) {
        return xml_error(xml, xml_next(node), "<geometry> holds a second shape; one expected");
    }
    if (xml_is(node, "sphere")) {
        def->kind = PAWL_SHAPE_SPHERE;
        PAWL_TRY(xml_check(xml, node, sphere_rules));
        return sdf_reader_need_number(xml, node, "radius", &def->size.x);
    }
    if (xml_is(node, "box")) {
        def->kind = PAWL_SHAPE_BOX;
        PAWL_TRY(xml_check(xml, node, box_rules));
        PAWL_TRY(sdf_reader_need_size(xml, node, "size", &def->size));
        def->size = v3_scale(0.5, def->size);
        return PAWL_OK;
    }
    if (xml_is(node, "cylinder") || xml_is(node, "capsule")) {
        def->kind = xml_is(node, "cylinder") ? PAWL_SHAPE_CYLINDER : PAWL_SHAPE_CAPSULE;
        PAWL_TRY(xml_check(xml, node, rod_rules));
        PAWL_TRY(sdf_reader_need_number(xml, node, "radius", &def->size.x));
        PAWL_TRY(sdf_reader_need_number(xml, node, "length", &def->size.z));
        def->size.z *= 0.5;
        return PAWL_OK;
    }
    if (xml_is(node, "ellipsoid")) {
        def->kind = PAWL_SHAPE_ELLIPSOID;
        PAWL_TRY(xml_check(xml, node, ellipsoid_rules));
        return sdf_reader_need_size(xml, node, "radii", &def->size);
    }
    if (xml_is(node, "plane")) {
        return sdf_reader_plane(xml, node, def);
    }
    if (xml_is(node, "pawl:hull")) {
        return extension_read_hull(xml, node, def);
    }
    *known = false;
    if (xml_is(node, "empty")) {
        return PAWL_OK;
    }
    return xml_leave_out_shape(xml, node, visual,
                               "sphere, box, cylinder, capsule, ellipsoid, plane and pawl:hull");
}

static pawl_status sdf_reader_colour(xml_reader *xml, const xmlNode *visual, pawl_shape_def *def)
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
        return xml_error(xml, colour, "a colour of %d numbers met, 3 or 4 expected", count);
    }
    for (int i = 0; i < count; ++i) {
        def->rgba[i] = (float)fmin(fmax(list[i], 0.0), 1.0);
    }
    return PAWL_OK;
}

// A collision without a colour of its own is drawn like its link.
static pawl_status sdf_reader_collision_colour(const sdf_reader *r, const xmlNode *collision,
                                               const xmlNode *link, pawl_shape_def *def)
{
    const xmlNode *material;
    PAWL_TRY(xml_child(r->xml, collision, "material", &material));
    if (material != NULL) {
        return PAWL_OK;
    }
    XML_EACH (child, link) {
        if (xml_is(child, "visual")) {
            return sdf_reader_colour(r->xml, child, def);
        }
    }
    return PAWL_OK;
}

// A <visual> or <collision> of a link; `weighed` when the link's mass comes from its collisions.
static pawl_status sdf_reader_shape(const sdf_reader *r, const xmlNode *node, const sdf_item *link,
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
    bool known;
    PAWL_TRY(xml_check(xml, node, visual ? visual_rules : collision_rules));
    def.name = xml_attribute(node, "name");
    def.visual_only = visual;
    PAWL_TRY(xml_child(xml, node, "pose", &pose));
    PAWL_TRY(sdf_tree_pose(&r->tree, pose, link->scope, link_index, &world));
    def.frame = pawl_pose_compose(pawl_pose_inverse(sdf_reader_body_pose(link)), world);
    PAWL_TRY(xml_need_child(xml, node, "geometry", &geometry));
    PAWL_TRY(sdf_reader_geometry(xml, geometry, &def, visual, &known));
    PAWL_TRY(sdf_reader_colour(xml, node, &def));
    if (!visual) {
        PAWL_TRY(sdf_reader_collision_colour(r, node, link->node, &def));
        PAWL_TRY(sdf_read_surface(xml, node, &def));
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

static pawl_status sdf_reader_shapes(const sdf_reader *r, const sdf_item *link, int link_index,
                                     bool weighed)
{
    XML_EACH (child, link->node) {
        bool visual = xml_is(child, "visual");
        if (visual || xml_is(child, "collision")) {
            PAWL_TRY(sdf_reader_shape(r, child, link, link_index, visual, weighed));
        }
    }
    return PAWL_OK;
}

// --- links ---------------------------------------------------------------------------------------

// The density for <inertial auto="true">: that of <inertial>, unless all collisions state another.
static pawl_status sdf_reader_density(const sdf_reader *r, const xmlNode *link,
                                      const xmlNode *inertial, pawl_body_def *def)
{
    double common = SDF_READER_WATER, met = -1.0;
    PAWL_TRY(xml_child_number(r->xml, inertial, "density", XML_POSITIVE, &common));
    XML_EACH (child, link) {
        if (!xml_is(child, "collision")) {
            continue;
        }
        double density = common;
        PAWL_TRY(xml_child_number(r->xml, child, "density", XML_POSITIVE, &density));
        if (met >= 0.0 && density != met) {
            PAWL_TRY(xml_unsupported(r->xml, child,
                                     "link '%s' has collisions of densities %g and %g; one density "
                                     "for a link is supported",
                                     def->name, met, density));
        }
        met = met >= 0.0 ? met : density;
    }
    def->density = met >= 0.0 ? met : common;
    return PAWL_OK;
}

static pawl_status sdf_reader_inertia(const sdf_reader *r, const xmlNode *inertial,
                                      pawl_body_def *def)
{
    static const xml_rule rules[] = {{XML_TAKEN, "ixx iyy izz ixy ixz iyz"}, {XML_TAKEN, NULL}};
    static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const xmlNode *inertia, *pose_node;
    pawl_pose pose = pawl_pose_identity();
    PAWL_TRY(xml_child(r->xml, inertial, "pose", &pose_node));
    if (pose_node != NULL) {
        PAWL_TRY(sdf_read_pose(r->xml, pose_node, &pose));
    }
    def->com = pose.position;
    PAWL_TRY(xml_child(r->xml, inertial, "inertia", &inertia));
    if (inertia == NULL) {
        if (def->kind == PAWL_BODY_RIGID) {
            xml_log(r->xml, PAWL_LOG_WARNING, inertial,
                    "link '%s' has no <inertia>: SDFormat's default of 1 kg m^2 is used",
                    def->name);
        }
    } else {
        PAWL_TRY(xml_check(r->xml, inertia, rules));
        for (int i = 0; i < 6; ++i) {
            PAWL_TRY(xml_child_number(r->xml, inertia, names[i], i < 3 ? XML_NOT_NEGATIVE : XML_ANY,
                                      &def->inertia[i]));
        }
    }
    extension_turn_inertia(pose.orientation, def->inertia);
    return PAWL_OK;
}

static pawl_status sdf_reader_mass(const sdf_reader *r, const xmlNode *link, pawl_body_def *def)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@auto mass pose inertia density"},
                                     {XML_SILENT, "auto_inertia_params"},
                                     {XML_PHYSICS, "fluid_added_mass"},
                                     {XML_TAKEN, NULL}};
    const xmlNode *inertial;
    PAWL_TRY(xml_child(r->xml, link, "inertial", &inertial));
    def->mass = 1.0; // SDFormat's defaults
    for (int i = 0; i < 6; ++i) {
        def->inertia[i] = i < 3 ? 1.0 : 0.0;
    }
    if (inertial == NULL) {
        if (def->density > 0.0) {
            def->mass = 0.0;
            memset(def->inertia, 0, sizeof def->inertia);
        } else if (def->kind != PAWL_BODY_KINEMATIC) {
            xml_log(r->xml, PAWL_LOG_WARNING, link,
                    "link '%s' has no <inertial>: SDFormat's default of 1 kg and 1 kg m^2 is used",
                    def->name);
        }
        return PAWL_OK;
    }
    PAWL_TRY(xml_check(r->xml, inertial, rules));
    bool automatic = false;
    const char *text = xml_attribute(inertial, "auto");
    if (text != NULL) {
        PAWL_TRY(xml_bool(r->xml, inertial, "auto", text, &automatic));
    }
    const xmlNode *mass, *inertia;
    PAWL_TRY(xml_child(r->xml, inertial, "mass", &mass));
    PAWL_TRY(xml_child(r->xml, inertial, "inertia", &inertia));
    PAWL_TRY(xml_child_number(r->xml, inertial, "mass",
                              def->kind == PAWL_BODY_KINEMATIC ? XML_NOT_NEGATIVE : XML_POSITIVE,
                              &def->mass));
    if (automatic && !(def->density > 0.0)) {
        PAWL_TRY(sdf_reader_density(r, link, inertial, def));
    }
    // A mass counts before a density, and the shapes' inertia is then scaled to it, as libsdformat
    // has it from version 15 on. auto="true" overrules an <inertia>, <pawl:density> does not.
    if (def->density > 0.0 && (mass == NULL || inertia == NULL || automatic)) {
        def->mass = mass != NULL ? def->mass : 0.0;
        memset(def->inertia, 0, sizeof def->inertia);
        return PAWL_OK;
    }
    if (mass == NULL && def->kind != PAWL_BODY_KINEMATIC) {
        xml_log(r->xml, PAWL_LOG_WARNING, inertial,
                "link '%s' has no <mass>: SDFormat's default of 1 kg is used", def->name);
    }
    return sdf_reader_inertia(r, inertial, def);
}

// Fixed to a velocity, this would be a damping; its unit is another, so it cannot be carried over.
static pawl_status sdf_reader_decay(const sdf_reader *r, const xmlNode *link, const char *name)
{
    const xmlNode *node;
    double linear = 0.0, angular = 0.0;
    PAWL_TRY(xml_child(r->xml, link, "velocity_decay", &node));
    if (node == NULL) {
        return PAWL_OK;
    }
    PAWL_TRY(xml_child_number(r->xml, node, "linear", XML_ANY, &linear));
    PAWL_TRY(xml_child_number(r->xml, node, "angular", XML_ANY, &angular));
    if (linear != 0.0 || angular != 0.0) {
        xml_log(r->xml, PAWL_LOG_WARNING, node,
                "link '%s': <velocity_decay> is ignored, its meaning depends on the time step; "
                "<pawl:linear_damping> and <pawl:angular_damping> do not",
                name);
    }
    return PAWL_OK;
}

// Whether a link is part of the world: it is of a static model, no joint ends at it, and nothing in
// it asks for a body of its own. Floors and walls then do not count as bodies.
static pawl_status sdf_reader_stands(const sdf_reader *r, const sdf_item *link, bool *out)
{
    static const char *const own[] = {"kinematic", "pawl:kind", "pawl:kinematic"};
    *out = SDF_ITEM(&r->tree, link->scope)->is_static && !link->jointed;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i) {
        const xmlNode *node;
        PAWL_TRY(xml_child(r->xml, link->node, own[i], &node));
        *out = *out && node == NULL;
    }
    return PAWL_OK;
}

// Two links of one model touch if either of them says <self_collide>true</self_collide>, or says
// nothing in a model that does. Where neither says anything they touch, unlike in SDFormat, whose
// default is false: most models are one <model> whose parts are meant to touch.
static pawl_status sdf_reader_quiet(sdf_reader *r, int index)
{
    sdf_item *link = SDF_ITEM(&r->tree, index), *model = SDF_ITEM(&r->tree, link->scope);
    bool touches = true, has_shape = false;
    PAWL_TRY(xml_child_bool(r->xml, model->node, "self_collide", &touches));
    PAWL_TRY(xml_child_bool(r->xml, link->node, "self_collide", &touches));
    XML_EACH (child, link->node) {
        has_shape = has_shape || xml_is(child, "collision");
    }
    if (touches || !has_shape || link->body == PAWL_WORLD) {
        return PAWL_OK;
    }
    for (int other = model->quiet; other > 0; other = SDF_ITEM(&r->tree, other)->quiet) {
        if (++r->quiet_pairs > SDF_READER_QUIET_PAIRS) {
            return xml_error(r->xml, link->node,
                             "<self_collide> keeps more than %d pairs of links from touching; "
                             "<pawl:group> and <pawl:mask> serve models as large as this",
                             (int)SDF_READER_QUIET_PAIRS);
        }
        PAWL_TRY(pawl_builder_exclude(r->builder, link->body, SDF_ITEM(&r->tree, other)->body));
    }
    link->quiet = model->quiet;
    model->quiet = index;
    return PAWL_OK;
}

static pawl_status sdf_reader_link(sdf_reader *r, int index)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@name pose inertial visual collision gravity kinematic velocity_decay "
                    "self_collide " EXTENSION_LINK},
        {XML_SILENT, "sensor light projector audio_sink audio_source battery particle_emitter "
                     "enable_wind must_be_base_link"},
        {XML_IGNORED, "plugin"},
        {XML_TAKEN, NULL}};
    sdf_item *item = SDF_ITEM(&r->tree, index);
    const xmlNode *node = item->node;
    pawl_body_def def = pawl_body_def_default();
    bool gravity = true, kinematic = false;
    PAWL_TRY(xml_check(r->xml, node, rules));
    def.name = item->full_name;
    def.pose = item->pose;
    PAWL_TRY(xml_child_bool(r->xml, node, "gravity", &gravity));
    PAWL_TRY(xml_child_bool(r->xml, node, "kinematic", &kinematic));
    def.gravity_scale = gravity ? 1.0 : 0.0;
    PAWL_TRY(extension_read_link(r->xml, node, &def));
    if (kinematic || SDF_ITEM(&r->tree, item->scope)->is_static) {
        def.kind = PAWL_BODY_KINEMATIC; // stands still unless <pawl:kinematic> moves it
    }
    PAWL_TRY(sdf_reader_decay(r, node, def.name));
    PAWL_TRY(sdf_reader_mass(r, node, &def));
    if (def.kind == PAWL_BODY_KINEMATIC) {
        def.density = 0.0;
    }
    bool stands = false;
    PAWL_TRY(sdf_reader_stands(r, item, &stands));
    item->body = PAWL_WORLD;
    if (!stands) {
        PAWL_TRY(xml_refused(r->xml, node, "link", def.name,
                             pawl_builder_add_body(r->builder, &def, &item->body)));
    }
    PAWL_TRY(sdf_reader_quiet(r, index));
    bool weighed = def.density > 0.0 && !(def.inertia[0] > 0.0);
    return sdf_reader_shapes(r, item, index, weighed);
}

// --- joints --------------------------------------------------------------------------------------

typedef struct sdf_joint {
    pawl_joint_def def;
    const xmlNode *axis[2];              // <axis> and <axis2>, NULL for none
    pawl_vec3 direction[2];              // of the axes, in the joint frame; zero for none
    int parent, parent_link, child_link; // items
} sdf_joint;

static pawl_status sdf_reader_joint_kind(const sdf_reader *r, const xmlNode *node, const char *name,
                                         const char *type, pawl_joint_kind *kind)
{
    static const struct {
        const char *word;
        pawl_joint_kind kind;
    } words[] = {
        {"revolute", PAWL_JOINT_REVOLUTE},   {"continuous", PAWL_JOINT_REVOLUTE},
        {"prismatic", PAWL_JOINT_PRISMATIC}, {"fixed", PAWL_JOINT_FIXED},
        {"ball", PAWL_JOINT_SPHERICAL},      {"universal", PAWL_JOINT_UNIVERSAL},
        {"revolute2", PAWL_JOINT_UNIVERSAL}, {"screw", PAWL_JOINT_SCREW},
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
    if (strncmp(type, "pawl:", 5) == 0) {
        if (extension_joint_kind(type + 5, kind)) {
            return PAWL_OK;
        }
        return xml_error(r->xml, node,
                         "joint '%s': type '%s' met; after 'pawl:' one of %s expected", name, type,
                         extension_joint_words());
    }
    return xml_error(r->xml, node,
                     "joint '%s': type '%s' met; revolute, continuous, prismatic, fixed, ball, "
                     "universal, revolute2, screw, gearbox or pawl:... expected%s",
                     name, type, xml_nearest_hint(&nearest, hint));
}

// Limits, springs and friction of one axis, into its coordinate.
static pawl_status sdf_reader_coordinate(const sdf_reader *r, const xmlNode *axis, const char *name,
                                         bool endless, pawl_coordinate_def *c, double *effort)
{
    static const xml_rule limit_rules[] = {{XML_TAKEN, "lower upper effort velocity"},
                                           {XML_SILENT, "stiffness dissipation"},
                                           {XML_TAKEN, NULL}};
    static const xml_rule dynamics_rules[] = {
        {XML_TAKEN, "damping friction spring_reference spring_stiffness"}, {XML_TAKEN, NULL}};
    static const double sdf_infinity = 1e16; // what SDFormat wrote before it knew inf
    xml_reader *xml = r->xml;
    const xmlNode *limit, *dynamics;
    PAWL_TRY(xml_child(xml, axis, "limit", &limit));
    if (limit != NULL) {
        double lower = -INFINITY, upper = INFINITY, most = INFINITY, velocity = INFINITY;
        PAWL_TRY(xml_check(xml, limit, limit_rules));
        PAWL_TRY(xml_child_number(xml, limit, "lower", XML_MAYBE_INFINITE, &lower));
        PAWL_TRY(xml_child_number(xml, limit, "upper", XML_MAYBE_INFINITE, &upper));
        PAWL_TRY(xml_child_number(xml, limit, "effort", XML_MAYBE_INFINITE, &most));
        PAWL_TRY(xml_child_number(xml, limit, "velocity", XML_MAYBE_INFINITE, &velocity));
        if (lower > upper) {
            return xml_error(xml, limit, "joint '%s': the lower limit %g is above the upper one %g",
                             name, lower, upper);
        }
        if (!endless) {
            c->lower = lower <= -sdf_infinity ? -INFINITY : lower;
            c->upper = upper >= sdf_infinity ? INFINITY : upper;
        }
        *effort = most >= 0.0 ? most : INFINITY; // SDFormat: not enforced when negative
        if (velocity >= 0.0 && velocity < sdf_infinity) {
            xml_log(xml, PAWL_LOG_NOTE, limit, "joint '%s': the velocity limit %g is not enforced",
                    name, velocity);
        }
    }
    PAWL_TRY(xml_child(xml, axis, "dynamics", &dynamics));
    if (dynamics == NULL) {
        return PAWL_OK;
    }
    PAWL_TRY(xml_check(xml, dynamics, dynamics_rules));
    PAWL_TRY(xml_child_number(xml, dynamics, "damping", XML_NOT_NEGATIVE, &c->damping));
    PAWL_TRY(xml_child_number(xml, dynamics, "friction", XML_NOT_NEGATIVE, &c->friction));
    PAWL_TRY(xml_child_number(xml, dynamics, "spring_reference", XML_ANY, &c->rest));
    return xml_child_number(xml, dynamics, "spring_stiffness", XML_NOT_NEGATIVE, &c->stiffness);
}

// The direction of an axis in the joint frame.
static pawl_status sdf_reader_axis(const sdf_reader *r, const sdf_item *item, const xmlNode *axis,
                                   pawl_vec3 *direction)
{
    static const xml_rule rules[] = {{XML_TAKEN, "xyz limit dynamics mimic use_parent_model_frame"},
                                     {XML_PHYSICS, "initial_position"},
                                     {XML_TAKEN, NULL}};
    static const xml_rule xyz_rules[] = {{XML_TAKEN, "@expressed_in"}, {XML_TAKEN, NULL}};
    const xmlNode *xyz;
    bool in_model = false;
    PAWL_TRY(xml_check(r->xml, axis, rules));
    PAWL_TRY(xml_need_child(r->xml, axis, "xyz", &xyz));
    PAWL_TRY(xml_check(r->xml, xyz, xyz_rules));
    PAWL_TRY(xml_child_vec3(r->xml, axis, "xyz", direction));
    PAWL_TRY(xml_unit_vector(r->xml, xyz, item->full_name, direction));
    PAWL_TRY(xml_child_bool(r->xml, axis, "use_parent_model_frame", &in_model));
    const char *frame = xml_attribute(xyz, "expressed_in");
    int base = item->scope;
    if (frame != NULL && frame[0] != '\0') {
        PAWL_TRY(sdf_tree_find(&r->tree, xyz, item->scope, frame, &base));
    } else if (!in_model) {
        return PAWL_OK;
    }
    pawl_quat turn = SDF_ITEM(&r->tree, base)->pose.orientation;
    *direction = pawl_quat_rotate(pawl_pose_inverse(item->pose).orientation,
                                  pawl_quat_rotate(turn, *direction));
    return PAWL_OK;
}

// Which coordinate <axis> (0) or <axis2> (1) speaks of; -1 when it only gives a direction.
static int sdf_reader_axis_coordinate(pawl_joint_kind kind, int which)
{
    switch (kind) {
    case PAWL_JOINT_REVOLUTE:
    case PAWL_JOINT_PRISMATIC:
    case PAWL_JOINT_SCREW:
    case PAWL_JOINT_POINT_ON_LINE:
        return which == 0 ? 0 : -1;
    case PAWL_JOINT_UNIVERSAL:
    case PAWL_JOINT_GIMBAL:
        return which;
    default:
        return -1;
    }
}

static pawl_status sdf_reader_axes(const sdf_reader *r, sdf_item *item, bool endless, sdf_joint *j)
{
    static const char *const names[2] = {"axis", "axis2"};
    xml_reader *xml = r->xml;
    pawl_joint_kind kind = j->def.kind;
    bool one = kind == PAWL_JOINT_REVOLUTE || kind == PAWL_JOINT_PRISMATIC ||
               kind == PAWL_JOINT_SCREW || kind == PAWL_JOINT_CYLINDRICAL;
    for (int i = 0; i < 2; ++i) {
        bool needed = kind == PAWL_JOINT_UNIVERSAL || (one && i == 0);
        if (needed) {
            PAWL_TRY(xml_need_child(xml, item->node, names[i], &j->axis[i]));
        } else {
            PAWL_TRY(xml_child(xml, item->node, names[i], &j->axis[i]));
        }
        if (j->axis[i] == NULL || kind == PAWL_JOINT_FIXED) {
            continue;
        }
        PAWL_TRY(sdf_reader_axis(r, item, j->axis[i], &j->direction[i]));
        int c = sdf_reader_axis_coordinate(kind, i);
        if (c >= 0) {
            PAWL_TRY(sdf_reader_coordinate(r, j->axis[i], item->full_name, endless,
                                           &j->def.coordinate[c], &item->effort[c]));
            continue;
        }
        XML_EACH (child, j->axis[i]) {
            if (xml_is(child, "limit") || xml_is(child, "dynamics") || xml_is(child, "mimic")) {
                if (xml_unsupported(
                        xml, child,
                        "joint '%s' is %s: <%s> in <%s> could mean more than one of its "
                        "directions; <pawl:coordinate index=\"...\"> expected",
                        item->full_name, pawl_joint_kind_name(kind), child->name,
                        names[i]) != PAWL_OK) {
                    return PAWL_BAD_FILE;
                }
            }
        }
    }
    double slope = v3_dot(j->direction[0], j->direction[1]);
    // Axes of few digits are a little off: the second is turned to a right angle where frames are made.
    const double square = 1e-3;
    if (kind == PAWL_JOINT_UNIVERSAL && fabs(slope) > square) {
        return xml_error(
            xml, j->axis[1],
            "joint '%s': the axes of a universal joint meet at %g degrees, 90 expected",
            item->full_name, acos(fmin(fabs(slope), 1.0)) * 180.0 / 3.14159265358979);
    }
    return PAWL_OK;
}

static pawl_status sdf_reader_pitch(const sdf_reader *r, const sdf_item *item, pawl_joint_def *def)
{
    // Metres a turn, right-handed when positive. The older <thread_pitch> counts radians a metre
    // and has the other sign; the newer one wins where both are given.
    const xmlNode *node, *old;
    double turn = 1.0;
    PAWL_TRY(xml_child(r->xml, item->node, "screw_thread_pitch", &node));
    PAWL_TRY(xml_child(r->xml, item->node, "thread_pitch", &old));
    PAWL_TRY(xml_child_number(r->xml, item->node, "screw_thread_pitch", XML_ANY, &turn));
    if (node == NULL && old != NULL) {
        double per_metre;
        PAWL_TRY(xml_child_number(r->xml, item->node, "thread_pitch", XML_ANY, &per_metre));
        if (fabs(per_metre) < 1e-12) {
            return xml_error(r->xml, old,
                             "joint '%s': <thread_pitch> is 0; radians a metre expected",
                             item->full_name);
        }
        turn = -SDF_READER_TWO_PI / per_metre;
    }
    def->pitch = turn / SDF_READER_TWO_PI;
    const xmlNode *ours;
    PAWL_TRY(xml_child(r->xml, item->node, "pawl:pitch", &ours));
    if (node == NULL && old == NULL && ours == NULL) {
        xml_log(r->xml, PAWL_LOG_WARNING, item->node,
                "joint '%s' has no <screw_thread_pitch>: SDFormat's default of 1 m a turn is used",
                item->full_name);
    }
    return PAWL_OK;
}

static pawl_status sdf_reader_joint_ends(const sdf_reader *r, const sdf_item *item, sdf_joint *j)
{
    const xmlNode *parent, *child;
    const char *text;
    int child_item;
    PAWL_TRY(xml_need_child(r->xml, item->node, "parent", &parent));
    PAWL_TRY(xml_need_child(r->xml, item->node, "child", &child));
    PAWL_TRY(xml_text(r->xml, parent, &text));
    PAWL_TRY(sdf_tree_find(&r->tree, parent, item->scope, text, &j->parent));
    PAWL_TRY(sdf_tree_link_of(&r->tree, j->parent, &j->parent_link));
    PAWL_TRY(sdf_tree_find(&r->tree, child, item->scope, item->holder, &child_item));
    PAWL_TRY(sdf_tree_link_of(&r->tree, child_item, &j->child_link));
    if (j->child_link == 0) {
        return xml_error(r->xml, child,
                         "joint '%s': the child is the world, a link expected; swap parent and "
                         "child",
                         item->full_name);
    }
    if (j->parent_link == j->child_link) {
        return xml_error(r->xml, item->node,
                         "joint '%s' ties link '%s' to itself; two links, or the world and a link "
                         "expected",
                         item->full_name, SDF_ITEM(&r->tree, j->child_link)->full_name);
    }
    j->def.base = SDF_ITEM(&r->tree, j->parent_link)->body;
    j->def.follower = SDF_ITEM(&r->tree, j->child_link)->body;
    return PAWL_OK;
}

static pawl_status sdf_reader_joint_frames(const sdf_reader *r, const sdf_item *item, sdf_joint *j)
{
    const sdf_tree *tree = &r->tree;
    pawl_quat turn = {.w = 1.0};
    if (v3_norm(j->direction[0]) > 0.0) {
        turn = pawl_quat_from_axes(j->direction[0], j->direction[1]);
    }
    pawl_pose axes = {.orientation = turn};
    pawl_pose joint = pawl_pose_compose(item->pose, axes);
    pawl_pose base = SDF_ITEM(tree, j->parent_link)->pose;
    j->def.follower_frame =
        pawl_pose_compose(pawl_pose_inverse(SDF_ITEM(tree, j->child_link)->pose), joint);
    j->def.base_frame = pawl_pose_compose(pawl_pose_inverse(base), joint);
    const xmlNode *node;
    PAWL_TRY(xml_child(r->xml, item->node, "pawl:parent_pose", &node));
    if (node != NULL) {
        pawl_pose world;
        PAWL_TRY(sdf_tree_pose(tree, node, item->scope, j->parent, &world));
        j->def.base_frame =
            pawl_pose_compose(pawl_pose_inverse(base), pawl_pose_compose(world, axes));
    } else if (j->def.kind == PAWL_JOINT_DISTANCE) {
        return xml_error(r->xml, item->node,
                         "joint '%s' is a distance: <pawl:parent_pose> with its other end expected",
                         item->full_name);
    }
    return PAWL_OK;
}

static pawl_status sdf_reader_joint(sdf_reader *r, int index)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@name @type parent child pose axis axis2 screw_thread_pitch thread_pitch "
                    "gearbox_ratio gearbox_reference_body pawl:parent_pose " EXTENSION_JOINT},
        {XML_SILENT, "sensor physics"},
        {XML_IGNORED, "plugin"},
        {XML_TAKEN, NULL}};
    sdf_item *item = SDF_ITEM(&r->tree, index);
    const char *type;
    sdf_joint j = {.def = pawl_joint_def_default()};
    PAWL_TRY(xml_check(r->xml, item->node, rules));
    PAWL_TRY(xml_need_attribute(r->xml, item->node, "type", &type));
    for (int c = 0; c < 6; ++c) {
        item->effort[c] = INFINITY;
    }
    if (strcmp(type, "gearbox") == 0) {
        return PAWL_OK; // a gear between joints, made when all joints are there
    }
    j.def.name = item->full_name;
    PAWL_TRY(sdf_reader_joint_kind(r, item->node, item->full_name, type, &j.def.kind));
    PAWL_TRY(sdf_reader_joint_ends(r, item, &j));
    PAWL_TRY(sdf_reader_axes(r, item, strcmp(type, "continuous") == 0, &j));
    if (j.def.kind == PAWL_JOINT_SCREW) {
        PAWL_TRY(sdf_reader_pitch(r, item, &j.def));
    }
    PAWL_TRY(extension_read_joint(r->xml, item->node, &j.def));
    PAWL_TRY(sdf_reader_joint_frames(r, item, &j));
    bool parent_still = j.parent_link == 0 ||
                        SDF_ITEM(&r->tree, SDF_ITEM(&r->tree, j.parent_link)->scope)->is_static;
    if (parent_still && SDF_ITEM(&r->tree, SDF_ITEM(&r->tree, j.child_link)->scope)->is_static) {
        xml_log(r->xml, PAWL_LOG_WARNING, item->node,
                "joint '%s' ties two links that cannot move, and is ignored", item->full_name);
        return PAWL_OK;
    }
    return xml_refused(r->xml, item->node, "joint", item->full_name,
                       pawl_builder_add_joint(r->builder, &j.def, &item->joint));
}

// --- couplings -----------------------------------------------------------------------------------

static pawl_status sdf_reader_find_joint(void *user, const xmlNode *where, int scope,
                                         const char *name, extension_joint *out)
{
    sdf_reader *r = user;
    int index;
    PAWL_TRY(sdf_tree_find(&r->tree, where, scope, name, &index));
    const sdf_item *item = SDF_ITEM(&r->tree, index);
    if (item->kind != SDF_JOINT) {
        return xml_error(r->xml, where, "'%s' met, which is not a joint; a joint expected", name);
    }
    if (item->joint < 0) {
        return xml_error(r->xml, where,
                         "joint '%s' was left out, or is a gearbox itself; another "
                         "joint expected",
                         name);
    }
    *out = (extension_joint){.index = item->joint, .effort = item->effort};
    return PAWL_OK;
}

// <mimic joint="source"> in <axis>: q = multiplier (q_source - reference) + offset.
static pawl_status sdf_reader_mimic(sdf_reader *r, const sdf_item *item, const xmlNode *axis,
                                    int coordinate)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@joint @axis multiplier offset reference"},
                                     {XML_TAKEN, NULL}};
    const xmlNode *mimic;
    PAWL_TRY(xml_child(r->xml, axis, "mimic", &mimic));
    if (mimic == NULL || item->joint < 0) {
        return PAWL_OK;
    }
    const char *source, *which = xml_attribute(mimic, "axis");
    double multiplier = 1.0, offset = 0.0, reference = 0.0;
    extension_joint found = {0};
    PAWL_TRY(xml_check(r->xml, mimic, rules));
    PAWL_TRY(xml_need_attribute(r->xml, mimic, "joint", &source));
    PAWL_TRY(sdf_reader_find_joint(r, mimic, item->scope, source, &found));
    PAWL_TRY(xml_child_number(r->xml, mimic, "multiplier", XML_ANY, &multiplier));
    PAWL_TRY(xml_child_number(r->xml, mimic, "offset", XML_ANY, &offset));
    PAWL_TRY(xml_child_number(r->xml, mimic, "reference", XML_ANY, &reference));
    pawl_gear_def def = pawl_gear_def_default();
    def.name = xml_join(r->xml, item->full_name, coordinate == 0 ? "mimic" : "mimic2");
    if (def.name == NULL) {
        return PAWL_NO_MEMORY;
    }
    def.joint = item->joint;
    def.coordinate = coordinate;
    def.source_joint = found.index;
    def.source_coordinate = which != NULL && strcmp(which, "axis2") == 0 ? 1 : 0;
    def.ratio = multiplier;
    def.offset = offset - multiplier * reference;
    return xml_refused(r->xml, mimic, "mimic of joint", item->full_name,
                       pawl_builder_add_gear(r->builder, &def, NULL));
}

// The hinge between the reference body and one wheel of a gearbox: its index, and whether its angle
// counts as the gearbox counts it (+1) or against it (-1).
static pawl_status sdf_reader_gearbox_hinge(const sdf_reader *r, const sdf_item *gearbox,
                                            int reference, int wheel, pawl_vec3 axis, int *joint,
                                            double *sign)
{
    const sdf_tree *tree = &r->tree;
    for (int i = 1; i < tree->items.count; ++i) {
        const sdf_item *item = SDF_ITEM(tree, i);
        const char *type = item->kind == SDF_JOINT ? xml_attribute(item->node, "type") : NULL;
        if (item->joint < 0 || type == NULL ||
            (strcmp(type, "revolute") != 0 && strcmp(type, "continuous") != 0)) {
            continue;
        }
        sdf_joint ends = {.def = pawl_joint_def_default()};
        PAWL_TRY(sdf_reader_joint_ends(r, item, &ends));
        bool forward = ends.parent_link == reference && ends.child_link == wheel;
        bool backward = ends.parent_link == wheel && ends.child_link == reference;
        if (!forward && !backward) {
            continue;
        }
        const xmlNode *node;
        pawl_vec3 own;
        PAWL_TRY(xml_need_child(r->xml, item->node, "axis", &node));
        PAWL_TRY(sdf_reader_axis(r, item, node, &own));
        own = pawl_quat_rotate(item->pose.orientation, own);
        *joint = item->joint;
        *sign = (forward ? 1.0 : -1.0) * (v3_dot(own, axis) >= 0.0 ? 1.0 : -1.0);
        return PAWL_OK;
    }
    return xml_unsupported(r->xml, gearbox->node,
                           "gearbox '%s': no revolute joint joins its reference body '%s' and '%s'",
                           gearbox->full_name, SDF_ITEM(tree, reference)->full_name,
                           SDF_ITEM(tree, wheel)->full_name);
}

static pawl_status sdf_reader_gearbox(sdf_reader *r, const sdf_item *item)
{
    xml_reader *xml = r->xml;
    const xmlNode *reference_node;
    const char *name;
    int reference, found[2] = {-1, -1};
    double ratio = 1.0, sign[2] = {1.0, 1.0};
    sdf_joint j = {.def = pawl_joint_def_default()};
    PAWL_TRY(sdf_reader_joint_ends(r, item, &j));
    PAWL_TRY(xml_child_number(xml, item->node, "gearbox_ratio", XML_ANY, &ratio));
    PAWL_TRY(xml_need_child(xml, item->node, "gearbox_reference_body", &reference_node));
    PAWL_TRY(xml_text(xml, reference_node, &name));
    PAWL_TRY(sdf_tree_find(&r->tree, reference_node, item->scope, name, &reference));
    PAWL_TRY(sdf_tree_link_of(&r->tree, reference, &reference));
    static const char *const axis_names[2] = {"axis", "axis2"};
    const int wheel[2] = {j.parent_link, j.child_link};
    for (int i = 0; i < 2; ++i) {
        const xmlNode *axis;
        pawl_vec3 direction;
        PAWL_TRY(xml_need_child(xml, item->node, axis_names[i], &axis));
        PAWL_TRY(sdf_reader_axis(r, item, axis, &direction));
        direction = pawl_quat_rotate(item->pose.orientation, direction);
        PAWL_TRY(
            sdf_reader_gearbox_hinge(r, item, reference, wheel[i], direction, &found[i], &sign[i]));
    }
    if (found[0] < 0 || found[1] < 0) {
        return PAWL_OK; // lenient, and warned of
    }
    pawl_gear_def def = pawl_gear_def_default();
    def.name = item->full_name;
    def.joint = found[1];
    def.source_joint = found[0];
    def.ratio = -ratio * sign[0] * sign[1]; // SDFormat: theta_2 = -gearbox_ratio theta_1
    return xml_refused(xml, item->node, "gearbox", item->full_name,
                       pawl_builder_add_gear(r->builder, &def, NULL));
}

static pawl_status sdf_reader_couple(sdf_reader *r, const sdf_item *item)
{
    if (strcmp(xml_attribute(item->node, "type"), "gearbox") == 0) {
        return sdf_reader_gearbox(r, item);
    }
    static const char *const names[2] = {"axis", "axis2"};
    for (int i = 0; i < 2; ++i) {
        const xmlNode *axis;
        PAWL_TRY(xml_child(r->xml, item->node, names[i], &axis));
        if (axis != NULL) {
            PAWL_TRY(sdf_reader_mimic(r, item, axis, i));
        }
    }
    return PAWL_OK;
}

// How the pawl: elements of one model or world find their names.
typedef struct sdf_scope {
    sdf_reader *reader;
    int scope;
} sdf_scope;

static pawl_status sdf_reader_scope_body(void *user, const xmlNode *where, const char *name,
                                         int *body, pawl_pose *frame)
{
    const sdf_scope *s = user;
    const sdf_tree *tree = &s->reader->tree;
    int item, link;
    PAWL_TRY(sdf_tree_find(tree, where, s->scope, name, &item));
    PAWL_TRY(sdf_tree_link_of(tree, item, &link));
    *body = SDF_ITEM(tree, link)->body;
    *frame = pawl_pose_compose(pawl_pose_inverse(sdf_reader_body_pose(SDF_ITEM(tree, link))),
                               SDF_ITEM(tree, item)->pose);
    return PAWL_OK;
}

static pawl_status sdf_reader_scope_joint(void *user, const xmlNode *where, const char *name,
                                          extension_joint *joint)
{
    const sdf_scope *s = user;
    return sdf_reader_find_joint(s->reader, where, s->scope, name, joint);
}

static pawl_status sdf_reader_extensions(sdf_reader *r, int scope)
{
    const sdf_item *item = SDF_ITEM(&r->tree, scope);
    if (item->kind == SDF_MODEL && (scope != 1 || SDF_ITEM(&r->tree, 0)->node != NULL)) {
        const xmlNode *gravity;
        PAWL_TRY(xml_child(r->xml, item->node, "pawl:gravity", &gravity));
        if (gravity != NULL) {
            return xml_error(r->xml, gravity,
                             "model '%s' stands in a world, whose <gravity> acts; "
                             "<pawl:gravity> is for a file with one model alone",
                             item->name);
        }
    }
    sdf_scope user = {r, scope};
    extension_context context = {.reader = r->xml,
                                 .builder = r->builder,
                                 .prefix = item->full_name,
                                 .user = &user,
                                 .find_body = sdf_reader_scope_body,
                                 .find_joint = sdf_reader_scope_joint};
    if (item->node == NULL) {
        return PAWL_OK;
    }
    XML_EACH (child, item->node) {
        bool done;
        PAWL_TRY(extension_read_model(&context, child, &done));
    }
    return PAWL_OK;
}

// --- the whole -----------------------------------------------------------------------------------

static pawl_status sdf_reader_gravity(sdf_reader *r)
{
    const sdf_item *world = SDF_ITEM(&r->tree, 0);
    pawl_vec3 gravity = v3(0.0, 0.0, -9.8); // SDFormat's default, not ours
    const xmlNode *node;
    if (world->node == NULL) {
        // A model alone stands in no world that could state it.
        const xmlNode *model = SDF_ITEM(&r->tree, 1)->node;
        PAWL_TRY(xml_child(r->xml, model, "pawl:gravity", &node));
        if (node != NULL) {
            PAWL_TRY(xml_child_vec3(r->xml, model, "pawl:gravity", &gravity));
            pawl_builder_set_gravity(r->builder, gravity);
        }
        return PAWL_OK;
    }
    PAWL_TRY(xml_child(r->xml, world->node, "gravity", &node));
    if (node == NULL) {
        xml_log(r->xml, PAWL_LOG_NOTE, world->node,
                "the world has no <gravity>: SDFormat's default 0 0 -9.8 is used");
    }
    PAWL_TRY(xml_child_vec3(r->xml, world->node, "gravity", &gravity));
    pawl_builder_set_gravity(r->builder, gravity);
    return PAWL_OK;
}

// Marks the links at which joints end.
static pawl_status sdf_reader_mark_jointed(sdf_reader *r)
{
    for (int i = 0; i < r->tree.items.count; ++i) {
        if (SDF_ITEM(&r->tree, i)->kind == SDF_JOINT) {
            sdf_joint j = {.def = pawl_joint_def_default()};
            PAWL_TRY(sdf_reader_joint_ends(r, SDF_ITEM(&r->tree, i), &j));
            SDF_ITEM(&r->tree, j.parent_link)->jointed = true;
            SDF_ITEM(&r->tree, j.child_link)->jointed = true;
        }
    }
    return PAWL_OK;
}

static pawl_status sdf_reader_fill(sdf_reader *r)
{
    int count = r->tree.items.count;
    PAWL_TRY(sdf_reader_gravity(r));
    PAWL_TRY(sdf_reader_mark_jointed(r));
    for (int i = 0; i < count; ++i) {
        if (SDF_ITEM(&r->tree, i)->kind == SDF_LINK) {
            PAWL_TRY(sdf_reader_link(r, i));
        }
    }
    for (int i = 0; i < count; ++i) {
        if (SDF_ITEM(&r->tree, i)->kind == SDF_JOINT) {
            PAWL_TRY(sdf_reader_joint(r, i));
        }
    }
    for (int i = 0; i < count; ++i) {
        if (SDF_ITEM(&r->tree, i)->kind == SDF_JOINT) {
            PAWL_TRY(sdf_reader_couple(r, SDF_ITEM(&r->tree, i)));
        }
    }
    for (int i = 0; i < count; ++i) {
        sdf_kind kind = SDF_ITEM(&r->tree, i)->kind;
        if (kind == SDF_WORLD || kind == SDF_MODEL) {
            PAWL_TRY(sdf_reader_extensions(r, i));
        }
    }
    return PAWL_OK;
}

static pawl_status sdf_reader_run(sdf_reader *r, const xmlNode *root, pawl_model **out)
{
    PAWL_TRY(sdf_tree_build(&r->tree, r->xml, root));
    PAWL_TRY(sdf_tree_resolve(&r->tree));
    const sdf_item *world = SDF_ITEM(&r->tree, 0);
    const char *name = world->name;
    for (int i = 1; i < r->tree.items.count && world->lone != NULL; ++i) {
        const sdf_item *item = SDF_ITEM(&r->tree, i);
        if (item->kind == SDF_MODEL && item->full_name[0] == '\0') {
            name = item->name;
            break;
        }
    }
    PAWL_TRY(pawl_builder_create(r->xml->env, name, &r->builder));
    PAWL_TRY(sdf_reader_fill(r));
    return model_finish(r->xml, root, "model", name, r->builder, out);
}

pawl_status sdf_read(xml_reader *reader, const xmlNode *root, pawl_model **out)
{
    sdf_reader r = {.xml = reader, .tree = {.reader = reader}};
    pawl_status status = sdf_reader_run(&r, root, out);
    pawl_builder_destroy(r.builder);
    sdf_tree_free(&r.tree);
    return status;
}
