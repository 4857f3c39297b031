// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reads the pawl: elements. Every field of such an element may be an attribute or a child element
// <pawl:field>. Functions of time are in extension_signal.c, wrench models in extension_wrench.c.
#include "read/extension.h"
#include "math/rotation.h"
#include "read/extension_signal.h"
#include "read/extension_wrench.h"
#include <string.h>

// --- softness ------------------------------------------------------------------------------------

// The numbers of a <pawl:soft>. Those that are not given are the default's.
static pawl_status extension_softness(xml_reader *reader, const xmlNode *node, pawl_softness *out)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@of @time_constant @damping_ratio @d0 @dw @width @midpoint @power pawl:of "
                    "pawl:time_constant pawl:damping_ratio pawl:d0 pawl:dw pawl:width "
                    "pawl:midpoint pawl:power"},
        {XML_TAKEN, NULL}};
    PAWL_TRY(xml_check(reader, node, rules));
    pawl_softness s = pawl_softness_default();
    PAWL_TRY(xml_field_number(reader, node, "time_constant", XML_ANY, &s.time_constant));
    PAWL_TRY(xml_field_number(reader, node, "damping_ratio", XML_POSITIVE, &s.damping_ratio));
    PAWL_TRY(xml_field_number(reader, node, "d0", XML_POSITIVE, &s.d0));
    PAWL_TRY(xml_field_number(reader, node, "dw", XML_POSITIVE, &s.dw));
    PAWL_TRY(xml_field_number(reader, node, "width", XML_NOT_NEGATIVE, &s.width));
    PAWL_TRY(xml_field_number(reader, node, "midpoint", XML_POSITIVE, &s.midpoint));
    PAWL_TRY(xml_field_number(reader, node, "power", XML_POSITIVE, &s.power));
    if (s.time_constant == 0.0) {
        return xml_error(reader, node,
                         "<pawl:soft> has no time_constant, or one of 0; a number above 0 (soft) "
                         "or below (hard) expected");
    }
    *out = s;
    return PAWL_OK;
}

// <pawl:soft> and erp inside a joint, coordinate or collision.
static pawl_status extension_soft_part(xml_reader *reader, const xmlNode *parent,
                                       pawl_softness *soft, double *erp)
{
    const xmlNode *node, *where;
    const char *of;
    PAWL_TRY(xml_field_number(reader, parent, "erp", XML_ANY, erp));
    PAWL_TRY(xml_child(reader, parent, "pawl:soft", &node));
    if (node == NULL) {
        return PAWL_OK;
    }
    PAWL_TRY(xml_field(reader, node, "of", &of, &where));
    if (of != NULL) {
        return xml_error(reader, where,
                         "got <pawl:soft> of '%s' inside <%s>; `of` is for that of a model", of,
                         parent->name);
    }
    return extension_softness(reader, node, soft);
}

// <pawl:soft> of a model: for all constraints of a kind, or of all kinds.
static pawl_status extension_soft(const extension_context *x, const xmlNode *node)
{
    static const char *const words[PAWL_SOFT_KIND_COUNT] = {"joints", "limits", "contacts"};
    pawl_softness soft;
    const char *of;
    const xmlNode *where;
    bool known = false;
    PAWL_TRY(extension_softness(x->reader, node, &soft));
    PAWL_TRY(xml_field(x->reader, node, "of", &of, &where));
    for (int k = 0; k < PAWL_SOFT_KIND_COUNT; ++k) {
        if (of == NULL || strcmp(of, words[k]) == 0) {
            known = true;
            PAWL_TRY(xml_refused(x->reader, node, "soft", words[k],
                                 pawl_builder_set_softness(x->builder, (pawl_soft_kind)k, &soft)));
        }
    }
    return known ? PAWL_OK
                 : xml_error(x->reader, where, "got of=\"%s\", expected joints, limits or contacts",
                             of);
}

// --- links ---------------------------------------------------------------------------------------

static pawl_status extension_kind(xml_reader *reader, const xmlNode *link, pawl_body_def *def)
{
    const xmlNode *node;
    PAWL_TRY(xml_child(reader, link, "pawl:kind", &node));
    if (node == NULL) {
        return PAWL_OK;
    }
    static const char *const words[] = {[PAWL_BODY_RIGID] = "rigid",
                                        [PAWL_BODY_POINT] = "point",
                                        [PAWL_BODY_KINEMATIC] = "kinematic"};
    const char *text;
    PAWL_TRY(xml_text(reader, node, &text));
    for (int i = 0; i <= PAWL_BODY_KINEMATIC; ++i) {
        if (strcmp(text, words[i]) == 0) {
            def->kind = (pawl_body_kind)i;
            return PAWL_OK;
        }
    }
    return xml_error(reader, node, "link '%s': got kind '%s', expected rigid, point or kinematic",
                     def->name, text);
}

static pawl_status extension_kinematic(xml_reader *reader, const xmlNode *link, pawl_body_def *def)
{
    static const xml_rule rules[] = {{XML_TAKEN, "pawl:x pawl:y pawl:z pawl:rx pawl:ry pawl:rz"},
                                     {XML_TAKEN, NULL}};
    static const char *const names[6] = {"pawl:x",  "pawl:y",  "pawl:z",
                                         "pawl:rx", "pawl:ry", "pawl:rz"};
    const xmlNode *node;
    PAWL_TRY(xml_child(reader, link, "pawl:kinematic", &node));
    if (node == NULL) {
        return PAWL_OK;
    }
    PAWL_TRY(xml_check(reader, node, rules));
    def->kind = PAWL_BODY_KINEMATIC;
    for (int i = 0; i < 6; ++i) {
        bool found;
        PAWL_TRY(extension_signal_wrapped(reader, node, names[i], &def->motion[i], &found));
    }
    return PAWL_OK;
}

pawl_status extension_read_link(xml_reader *reader, const xmlNode *link, pawl_body_def *def)
{
    PAWL_TRY(extension_kind(reader, link, def));
    const xmlNode *node;
    PAWL_TRY(xml_child(reader, link, "pawl:twist", &node));
    if (node != NULL) {
        const char *text;
        double v[6];
        PAWL_TRY(xml_text(reader, node, &text));
        PAWL_TRY(xml_numbers(reader, node, "pawl:twist", text, XML_ANY, v, 6));
        def->twist = (pawl_twist){{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
    }
    PAWL_TRY(xml_child_number(reader, link, "pawl:gravity_scale", XML_ANY, &def->gravity_scale));
    PAWL_TRY(xml_child_number(reader, link, "pawl:linear_damping", XML_NOT_NEGATIVE,
                              &def->linear_damping));
    PAWL_TRY(xml_child_number(reader, link, "pawl:angular_damping", XML_NOT_NEGATIVE,
                              &def->angular_damping));
    PAWL_TRY(xml_child_number(reader, link, "pawl:density", XML_POSITIVE, &def->density));
    return extension_kinematic(reader, link, def);
}

pawl_status extension_read_collision(xml_reader *reader, const xmlNode *collision,
                                     pawl_shape_def *def)
{
    const struct {
        const char *name;
        double *out;
    } numbers[] = {{"pawl:friction", &def->friction},
                   {"pawl:restitution", &def->restitution},
                   {"pawl:impact_friction", &def->impact_friction},
                   {"pawl:torsional_friction", &def->torsional_friction},
                   {"pawl:rolling_friction", &def->rolling_friction}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        PAWL_TRY(
            xml_child_number(reader, collision, numbers[i].name, XML_NOT_NEGATIVE, numbers[i].out));
    }
    PAWL_TRY(extension_soft_part(reader, collision, &def->soft, &def->erp));
    PAWL_TRY(xml_child_bits(reader, collision, "pawl:group", UINT32_MAX, &def->group));
    return xml_child_bits(reader, collision, "pawl:mask", UINT32_MAX, &def->mask);
}

// Whether the points make a solid is for the builder to judge.
pawl_status extension_read_hull(xml_reader *reader, const xmlNode *hull, pawl_shape_def *def)
{
    static const xml_rule rules[] = {{XML_TAKEN, NULL}};
    const char *text;
    double *list;
    int count;
    PAWL_TRY(xml_check(reader, hull, rules));
    PAWL_TRY(xml_text(reader, hull, &text));
    PAWL_TRY(xml_number_list(reader, hull, "pawl:hull", text, &list, &count));
    if (count % 3 != 0 || count < 12) {
        return xml_error(reader, hull,
                         "got a hull of %d numbers, expected x y z of at least four points", count);
    }
    pawl_vec3 *points = xml_alloc(reader, (size_t)(count / 3) * sizeof *points);
    if (points == NULL) {
        return PAWL_NO_MEMORY;
    }
    for (int i = 0; i < count / 3; ++i) {
        points[i] = v3(list[3 * i], list[3 * i + 1], list[3 * i + 2]);
    }
    def->kind = PAWL_SHAPE_HULL;
    def->points = points;
    def->point_count = count / 3;
    return PAWL_OK;
}

void extension_turn_inertia(pawl_quat turn, double inertia[6])
{
    pawl_mat3 r = quat_matrix(turn), tensor = m3_from_six(inertia);
    tensor = m3_congruence(&r, &tensor);
    const double six[6] = {tensor.m[0][0], tensor.m[1][1], tensor.m[2][2],
                           tensor.m[0][1], tensor.m[0][2], tensor.m[1][2]};
    memcpy(inertia, six, sizeof six);
}

// --- joints --------------------------------------------------------------------------------------

bool extension_joint_kind(const char *word, pawl_joint_kind *kind)
{
    for (int i = 0; i < PAWL_JOINT_KIND_COUNT; ++i) {
        if (i != PAWL_JOINT_GEAR && strcmp(word, pawl_joint_kind_name((pawl_joint_kind)i)) == 0) {
            *kind = (pawl_joint_kind)i;
            return true;
        }
    }
    return false;
}

const char *extension_joint_words(void)
{
    return "fixed, revolute, prismatic, cylindrical, universal, spherical, planar, cartesian, "
           "gimbal, free, screw, distance, point-on-line, point-on-plane, span";
}

static pawl_status extension_coordinate(xml_reader *reader, const xmlNode *node,
                                        pawl_joint_def *def)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@index @lower @upper @stiffness @rest @slack @damping @armature @friction "
                    "pawl:index pawl:lower pawl:upper pawl:stiffness pawl:rest pawl:slack "
                    "pawl:damping "
                    "pawl:armature pawl:friction @erp pawl:erp pawl:soft"},
        {XML_TAKEN, NULL}};
    PAWL_TRY(xml_check(reader, node, rules));
    int count = pawl_joint_kind_coordinates(def->kind);
    if (count == 0) {
        return xml_error(reader, node, "joint '%s' is %s and has no coordinates", def->name,
                         pawl_joint_kind_name(def->kind));
    }
    int index = count == 1 ? 0 : -1;
    PAWL_TRY(xml_field_index(reader, node, "index", count, &index));
    if (index < 0) {
        return xml_error(reader, node,
                         "joint '%s' has %d coordinates, expected <pawl:coordinate index=\"...\">",
                         def->name, count);
    }
    pawl_coordinate_def *c = &def->coordinate[index];
    PAWL_TRY(xml_field_number(reader, node, "lower", XML_MAYBE_INFINITE, &c->lower));
    PAWL_TRY(xml_field_number(reader, node, "upper", XML_MAYBE_INFINITE, &c->upper));
    PAWL_TRY(xml_field_number(reader, node, "stiffness", XML_NOT_NEGATIVE, &c->stiffness));
    PAWL_TRY(xml_field_number(reader, node, "rest", XML_ANY, &c->rest));
    PAWL_TRY(xml_field_number(reader, node, "slack", XML_NOT_NEGATIVE, &c->slack));
    PAWL_TRY(xml_field_number(reader, node, "damping", XML_NOT_NEGATIVE, &c->damping));
    PAWL_TRY(xml_field_number(reader, node, "armature", XML_NOT_NEGATIVE, &c->armature));
    PAWL_TRY(xml_field_number(reader, node, "friction", XML_NOT_NEGATIVE, &c->friction));
    PAWL_TRY(extension_soft_part(reader, node, &c->limit_soft, &c->limit_erp));
    if (c->lower > c->upper) {
        return xml_error(reader, node, "joint '%s': the lower limit %g is above the upper one %g",
                         def->name, c->lower, c->upper);
    }
    return PAWL_OK;
}

// <pawl:wrap kind="sphere" radius="0.1" pose="x y z r p y" side="x y z"/>: places are in the link frame of the parent.
static pawl_status extension_wrap(xml_reader *reader, const xmlNode *node, pawl_wrap *out)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@kind @radius @pose @side"}, {XML_TAKEN, NULL}};
    const char *kind, *pose = xml_attribute(node, "pose"), *side = xml_attribute(node, "side");
    double v[6];
    PAWL_TRY(xml_check(reader, node, rules));
    PAWL_TRY(xml_need_attribute(reader, node, "kind", &kind));
    static const char *const words[] = {[PAWL_WRAP_NONE] = "",
                                        [PAWL_WRAP_SPHERE] = "sphere",
                                        [PAWL_WRAP_CYLINDER] = "cylinder",
                                        [PAWL_WRAP_CRANK] = "crank"};
    int found = PAWL_WRAP_SPHERE;
    while (found <= PAWL_WRAP_CRANK && strcmp(kind, words[found]) != 0) {
        ++found;
    }
    if (found > PAWL_WRAP_CRANK) {
        return xml_error(reader, node, "kind: got '%.20s', expected sphere, cylinder or crank",
                         kind);
    }
    *out = (pawl_wrap){.kind = (pawl_wrap_kind)found, .frame = pawl_pose_identity()};
    PAWL_TRY(xml_attribute_number(reader, node, "radius", XML_POSITIVE, &out->radius));
    if (pose != NULL) {
        PAWL_TRY(xml_numbers(reader, node, "pose", pose, XML_ANY, v, 6));
        out->frame.position = (pawl_vec3){v[0], v[1], v[2]};
        out->frame.orientation = pawl_quat_from_rpy(v[3], v[4], v[5]);
    }
    if (side != NULL) {
        PAWL_TRY(xml_numbers(reader, node, "side", side, XML_ANY, v, 3));
        out->sided = true;
        out->side = (pawl_vec3){v[0], v[1], v[2]};
    }
    return PAWL_OK;
}

pawl_status extension_read_joint(xml_reader *reader, const xmlNode *joint, pawl_joint_def *def)
{
    const xmlNode *node;
    PAWL_TRY(xml_child(reader, joint, "pawl:armature", &node));
    if (node != NULL && pawl_joint_kind_coordinates(def->kind) != 1) {
        return xml_error(reader, node,
                         "joint '%s' is %s: <pawl:armature> is for joints with one coordinate, "
                         "<pawl:coordinate index=\"...\" armature=\"...\"/> for the others",
                         def->name, pawl_joint_kind_name(def->kind));
    }
    PAWL_TRY(xml_child_number(reader, joint, "pawl:armature", XML_NOT_NEGATIVE,
                              &def->coordinate[0].armature));
    PAWL_TRY(xml_child_number(reader, joint, "pawl:length", XML_POSITIVE, &def->length));
    PAWL_TRY(xml_child_number(reader, joint, "pawl:pitch", XML_ANY, &def->pitch));
    if (def->kind == PAWL_JOINT_SCREW && def->pitch == 0.0) {
        return xml_error(reader, joint, "joint '%s' is a screw of pitch 0, expected <pawl:pitch>",
                         def->name);
    }
    PAWL_TRY(extension_soft_part(reader, joint, &def->soft, &def->erp));
    XML_EACH (child, joint) {
        if (xml_is(child, "pawl:coordinate")) {
            PAWL_TRY(extension_coordinate(reader, child, def));
        } else if (xml_is(child, "pawl:wrap")) {
            PAWL_TRY(extension_wrap(reader, child, &def->wrap));
        }
    }
    return PAWL_OK;
}

// --- gears, springs, actuators, motions, forces, exclusions --------------------------------------

pawl_status extension_name(const extension_context *x, const xmlNode *node, const char **name)
{
    const xmlNode *where;
    PAWL_TRY(xml_field(x->reader, node, "name", name, &where));
    if (*name == NULL) {
        return PAWL_OK; // the builder makes one up
    }
    PAWL_TRY(xml_name_check(x->reader, where, *name));
    *name = xml_join(x->reader, x->prefix, *name);
    return *name != NULL ? PAWL_OK : PAWL_NO_MEMORY;
}

static pawl_status extension_find_joint(const extension_context *x, const xmlNode *node,
                                        const char *field, extension_joint *joint)
{
    const char *name;
    const xmlNode *where;
    PAWL_TRY(xml_field(x->reader, node, field, &name, &where));
    if (name == NULL) {
        return xml_error(x->reader, node, "<pawl:%s> does not say which %s it acts on; expected %s",
                         node->name, field, field);
    }
    return x->find_joint(x->user, where, name, joint);
}

static pawl_status extension_find_body(const extension_context *x, const xmlNode *node,
                                       const char *field, const char *point_field,
                                       pawl_body_id *body, pawl_vec3 *point)
{
    const char *name;
    const xmlNode *where;
    pawl_pose frame;
    PAWL_TRY(xml_field(x->reader, node, field, &name, &where));
    if (name == NULL) {
        return xml_error(x->reader, node, "<pawl:%s> does not name its %s", node->name, field);
    }
    PAWL_TRY(x->find_body(x->user, where, name, body, &frame));
    PAWL_TRY(xml_field_vec3(x->reader, node, point_field, point));
    *point = pawl_pose_apply(frame, *point);
    return PAWL_OK;
}

static pawl_status extension_gear(const extension_context *x, const xmlNode *node)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@name @joint @coordinate @source_joint @source_coordinate @ratio @offset "
                    "pawl:name pawl:joint pawl:coordinate pawl:source_joint "
                    "pawl:source_coordinate pawl:ratio pawl:offset @curve"},
        {XML_TAKEN, NULL}};
    PAWL_TRY(xml_check(x->reader, node, rules));
    const char *curve = xml_attribute(node, "curve");
    pawl_gear_def def = pawl_gear_def_default();
    extension_joint joint, source;
    PAWL_TRY(extension_name(x, node, &def.name));
    PAWL_TRY(extension_find_joint(x, node, "joint", &joint));
    PAWL_TRY(extension_find_joint(x, node, "source_joint", &source));
    def.joint = joint.id;
    def.source_joint = source.id;
    PAWL_TRY(xml_field_index(x->reader, node, "coordinate", 6, &def.coordinate));
    PAWL_TRY(xml_field_index(x->reader, node, "source_coordinate", 6, &def.source_coordinate));
    PAWL_TRY(xml_field_number(x->reader, node, "ratio", XML_ANY, &def.ratio));
    PAWL_TRY(xml_field_number(x->reader, node, "offset", XML_ANY, &def.offset));
    if (curve != NULL) {
        PAWL_TRY(xml_numbers(x->reader, node, "curve", curve, XML_ANY, def.curve, 3));
    }
    return xml_refused(x->reader, node, "gear", def.name != NULL ? def.name : "",
                       pawl_builder_add_gear(x->builder, &def, NULL));
}

// Whether an element names two links of which the file makes one body: links on fixed joints that were lumped, frames.
static pawl_status extension_is_one_part(const extension_context *x, const xmlNode *node,
                                         pawl_body_id a, pawl_body_id b, bool *out)
{
    const char *name[2] = {NULL, NULL};
    const xmlNode *where;
    PAWL_TRY(xml_field(x->reader, node, "body_a", &name[0], &where));
    PAWL_TRY(xml_field(x->reader, node, "body_b", &name[1], &where));
    *out =
        pawl_body_same(a, b) && name[0] != NULL && name[1] != NULL && strcmp(name[0], name[1]) != 0;
    return PAWL_OK;
}

static pawl_status extension_spring(const extension_context *x, const xmlNode *node)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@name @body_a @point_a @body_b @point_b @stiffness @rest_length @damping "
                    "pawl:name pawl:body_a pawl:point_a pawl:body_b pawl:point_b pawl:stiffness "
                    "pawl:rest_length pawl:damping"},
        {XML_TAKEN, NULL}};
    PAWL_TRY(xml_check(x->reader, node, rules));
    pawl_spring_def def = pawl_spring_def_default();
    PAWL_TRY(extension_name(x, node, &def.name));
    PAWL_TRY(extension_find_body(x, node, "body_a", "point_a", &def.body_a, &def.point_a));
    PAWL_TRY(extension_find_body(x, node, "body_b", "point_b", &def.body_b, &def.point_b));
    PAWL_TRY(xml_field_number(x->reader, node, "stiffness", XML_NOT_NEGATIVE, &def.stiffness));
    PAWL_TRY(xml_field_number(x->reader, node, "rest_length", XML_NOT_NEGATIVE, &def.rest_length));
    PAWL_TRY(xml_field_number(x->reader, node, "damping", XML_NOT_NEGATIVE, &def.damping));
    bool one_part;
    PAWL_TRY(extension_is_one_part(x, node, def.body_a, def.body_b, &one_part));
    if (one_part) {
        return xml_tally(x->reader, PAWL_LOG_NOTE, node,
                         "a spring between links that are one body does nothing and is left out",
                         def.name != NULL ? def.name : "");
    }
    return xml_refused(x->reader, node, "spring", def.name != NULL ? def.name : "",
                       pawl_builder_add_spring(x->builder, &def, NULL));
}

static pawl_status extension_actuator_kind(const extension_context *x, const xmlNode *node,
                                           pawl_actuator_kind *kind)
{
    const char *text;
    const xmlNode *where;
    PAWL_TRY(xml_field(x->reader, node, "type", &text, &where));
    for (int i = 0; text != NULL && i < PAWL_ACTUATOR_KIND_COUNT; ++i) {
        if (strcmp(text, pawl_actuator_kind_name((pawl_actuator_kind)i)) == 0) {
            *kind = (pawl_actuator_kind)i;
            return PAWL_OK;
        }
    }
    return xml_error(x->reader, where,
                     "got an actuator of type '%s', expected force, position, velocity or "
                     "adhesion",
                     text != NULL ? text : "");
}

static pawl_status extension_actuator(const extension_context *x, const xmlNode *node)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@name @type @joint @coordinate @stiffness @damping @effort pawl:name "
                    "pawl:type pawl:joint pawl:coordinate pawl:stiffness pawl:damping pawl:effort "
                    "pawl:target pawl:constant pawl:sinusoid pawl:table"},
        {XML_TAKEN, NULL}};
    PAWL_TRY(xml_check(x->reader, node, rules));
    pawl_actuator_def def = pawl_actuator_def_default();
    extension_joint joint;
    bool found;
    PAWL_TRY(extension_name(x, node, &def.name));
    PAWL_TRY(extension_actuator_kind(x, node, &def.kind));
    PAWL_TRY(extension_find_joint(x, node, "joint", &joint));
    def.joint = joint.id;
    PAWL_TRY(xml_field_index(x->reader, node, "coordinate", 6, &def.coordinate));
    def.effort = joint.effort[def.coordinate];
    PAWL_TRY(xml_field_number(x->reader, node, "stiffness", XML_NOT_NEGATIVE, &def.stiffness));
    PAWL_TRY(xml_field_number(x->reader, node, "damping", XML_NOT_NEGATIVE_MAYBE_INFINITE,
                              &def.damping));
    PAWL_TRY(
        xml_field_number(x->reader, node, "effort", XML_NOT_NEGATIVE_MAYBE_INFINITE, &def.effort));
    PAWL_TRY(extension_signal_target(x->reader, node, &def.target, &found));
    if (!found) {
        def.target = pawl_signal_constant(0.0); // hold, or no force until someone sets one
    }
    return xml_refused(x->reader, node, "actuator", def.name != NULL ? def.name : "",
                       pawl_builder_add_actuator(x->builder, &def, NULL));
}

static pawl_status extension_motion(const extension_context *x, const xmlNode *node)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@name @joint @coordinate pawl:name pawl:joint pawl:coordinate pawl:target "
                    "pawl:constant pawl:sinusoid pawl:table"},
        {XML_TAKEN, NULL}};
    PAWL_TRY(xml_check(x->reader, node, rules));
    pawl_motion_def def = pawl_motion_def_default();
    extension_joint joint;
    bool found;
    PAWL_TRY(extension_name(x, node, &def.name));
    PAWL_TRY(extension_find_joint(x, node, "joint", &joint));
    def.joint = joint.id;
    PAWL_TRY(xml_field_index(x->reader, node, "coordinate", 6, &def.coordinate));
    PAWL_TRY(extension_signal_target(x->reader, node, &def.target, &found));
    if (!found) {
        return xml_error(x->reader, node,
                         "<pawl:motion> has no <pawl:constant>, <pawl:sinusoid> or <pawl:table>");
    }
    return xml_refused(x->reader, node, "motion", def.name != NULL ? def.name : "",
                       pawl_builder_add_motion(x->builder, &def, NULL));
}

static pawl_status extension_force(const extension_context *x, const xmlNode *node)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@name @body @point @axes pawl:name pawl:body pawl:point pawl:axes pawl:fx "
                    "pawl:fy pawl:fz pawl:tx pawl:ty pawl:tz"},
        {XML_TAKEN, NULL}};
    static const char *const force_names[3] = {"pawl:fx", "pawl:fy", "pawl:fz"};
    static const char *const torque_names[3] = {"pawl:tx", "pawl:ty", "pawl:tz"};
    PAWL_TRY(xml_check(x->reader, node, rules));
    pawl_force_def def = pawl_force_def_default();
    const char *axes;
    const xmlNode *where;
    PAWL_TRY(extension_name(x, node, &def.name));
    PAWL_TRY(extension_find_body(x, node, "body", "point", &def.body, &def.point));
    PAWL_TRY(xml_field(x->reader, node, "axes", &axes, &where));
    if (axes != NULL && strcmp(axes, "world") != 0 && strcmp(axes, "body") != 0) {
        return xml_error(x->reader, where, "got axes '%s', expected world or body", axes);
    }
    def.in_body_axes = axes != NULL && strcmp(axes, "body") == 0;
    bool any = false;
    for (int i = 0; i < 3; ++i) {
        bool found;
        PAWL_TRY(extension_signal_wrapped(x->reader, node, force_names[i], &def.force[i], &found));
        any = any || found;
        PAWL_TRY(
            extension_signal_wrapped(x->reader, node, torque_names[i], &def.torque[i], &found));
        any = any || found;
    }
    if (!any) {
        return xml_error(x->reader, node,
                         "<pawl:force> has no component, expected <pawl:fx>, <pawl:fy>, "
                         "<pawl:fz>, <pawl:tx>, <pawl:ty> or <pawl:tz>");
    }
    return xml_refused(x->reader, node, "force", def.name != NULL ? def.name : "",
                       pawl_builder_add_force(x->builder, &def, NULL));
}

// <pawl:start joint="hip" position="0.3"/>: as many numbers as the joint has coordinates.
static pawl_status extension_start(const extension_context *x, const xmlNode *node)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@joint @position pawl:joint pawl:position"},
                                     {XML_TAKEN, NULL}};
    extension_joint joint;
    const xmlNode *where;
    const char *text;
    double position[6];
    PAWL_TRY(xml_check(x->reader, node, rules));
    PAWL_TRY(extension_find_joint(x, node, "joint", &joint));
    PAWL_TRY(xml_field(x->reader, node, "position", &text, &where));
    int count = pawl_builder_joint_coordinates(x->builder, joint.id);
    if (text == NULL || count == 0) {
        return xml_error(x->reader, node, "<pawl:start> %s",
                         count == 0 ? "of a joint without coordinates" : "has no position");
    }
    PAWL_TRY(xml_numbers(x->reader, where, "position", text, XML_ANY, position, count));
    return xml_refused(x->reader, node, "start", "",
                       pawl_builder_set_start(x->builder, joint.id, position));
}

// <pawl:medium density="1.2" wind="0 0 0"/>: the drag of all bodies.
static pawl_status extension_medium(const extension_context *x, const xmlNode *node)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@density @wind pawl:density pawl:wind"},
                                     {XML_TAKEN, NULL}};
    pawl_medium medium = {.density = 0.0};
    PAWL_TRY(xml_check(x->reader, node, rules));
    PAWL_TRY(xml_field_number(x->reader, node, "density", XML_NOT_NEGATIVE, &medium.density));
    PAWL_TRY(xml_field_vec3(x->reader, node, "wind", &medium.wind));
    return xml_refused(x->reader, node, "medium", "", pawl_builder_set_medium(x->builder, medium));
}

static pawl_status extension_exclude(const extension_context *x, const xmlNode *node)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@body_a @body_b pawl:body_a pawl:body_b"},
                                     {XML_TAKEN, NULL}};
    static const char *const fields[2] = {"body_a", "body_b"};
    const char *name[2];
    pawl_body_id body[2];
    PAWL_TRY(xml_check(x->reader, node, rules));
    for (int i = 0; i < 2; ++i) {
        const xmlNode *where;
        pawl_pose frame;
        PAWL_TRY(xml_field(x->reader, node, fields[i], &name[i], &where));
        if (name[i] == NULL) {
            return xml_error(x->reader, node, "<pawl:exclude> does not name its %s", fields[i]);
        }
        PAWL_TRY(x->find_body(x->user, where, name[i], &body[i], &frame));
    }
    bool one_part;
    PAWL_TRY(extension_is_one_part(x, node, body[0], body[1], &one_part));
    if (one_part) {
        return PAWL_OK; // their shapes cannot touch
    }
    if (pawl_body_same(body[0], body[1])) {
        return xml_error(
            x->reader, node,
            "<pawl:exclude> of '%s' and '%s': got one body, expected two different ones", name[0],
            name[1]);
    }
    return xml_refused(x->reader, node, "exclude", name[0],
                       pawl_builder_exclude(x->builder, body[0], body[1]));
}

pawl_status extension_read_model(const extension_context *context, const xmlNode *node, bool *done)
{
    static const struct {
        const char *name;
        pawl_status (*read)(const extension_context *, const xmlNode *);
    } table[] = {{"pawl:gear", extension_gear},
                 {"pawl:spring", extension_spring},
                 {"pawl:actuator", extension_actuator},
                 {"pawl:motion", extension_motion},
                 {"pawl:force", extension_force},
                 {"pawl:exclude", extension_exclude},
                 {"pawl:soft", extension_soft},
                 {"pawl:start", extension_start},
                 {"pawl:medium", extension_medium},
                 {"pawl:wrench_model", extension_wrench_model},
                 {"pawl:contact_point", extension_contact_point},
                 {"pawl:contact_points", extension_contact_points},
                 {"pawl:heightfield", extension_heightfield}};
    *done = false;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
        if (xml_is(node, table[i].name)) {
            *done = true;
            return table[i].read(context, node);
        }
    }
    return PAWL_OK;
}
