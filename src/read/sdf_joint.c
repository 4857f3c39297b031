// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Joints of SDFormat: kind, ends, frames, axes, and limits, springs and friction of the coordinates.
//
// The zero position of a joint is the configuration in the file: both of its frames come from the
// one joint pose. <pawl:parent_pose> states the base's frame separately; the two frames may then differ.
#include "math/rotation.h"
#include "read/joint_words.h"
#include "read/sdf_parts.h"
#include <string.h>

static const char sdf_joint_no_axis[] = "a joint without <axis> or <xyz> has SDFormat's, 0 0 1";
static const double SDF_JOINT_TWO_PI = 6.283185307179586;

static pawl_status sdf_joint_kind(const sdf_reader *r, const xmlNode *node, const char *name,
                                  const char *type, pawl_joint_kind *kind)
{
    static const joint_word words[] = {
        {"revolute", PAWL_JOINT_REVOLUTE},   {"continuous", PAWL_JOINT_REVOLUTE},
        {"prismatic", PAWL_JOINT_PRISMATIC}, {"fixed", PAWL_JOINT_FIXED},
        {"ball", PAWL_JOINT_SPHERICAL},      {"universal", PAWL_JOINT_UNIVERSAL},
        {"revolute2", PAWL_JOINT_UNIVERSAL}, {"screw", PAWL_JOINT_SCREW},
    };
    char hint[XML_HINT_SIZE];
    xml_nearest nearest = xml_nearest_begin(type);
    if (joint_word_find(words, sizeof words / sizeof words[0], type, &nearest, kind)) {
        return PAWL_OK;
    }
    if (strncmp(type, "pawl:", 5) == 0) {
        if (extension_joint_kind(type + 5, kind)) {
            return PAWL_OK;
        }
        return xml_error(r->xml, node,
                         "joint '%s': got type '%s', expected one of %s after 'pawl:'", name, type,
                         extension_joint_words());
    }
    return xml_error(r->xml, node,
                     "joint '%s': got type '%s', expected revolute, continuous, prismatic, fixed, "
                     "ball, universal, revolute2, screw, gearbox or pawl:...%s",
                     name, type, xml_nearest_hint(&nearest, hint));
}

// Limits, springs and friction of one axis, into its coordinate.
static pawl_status sdf_joint_coordinate(const sdf_reader *r, const xmlNode *axis, const char *name,
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
            PAWL_TRY(
                xml_tally(xml, PAWL_LOG_NOTE, limit, "a velocity limit is not enforced", name));
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
pawl_status sdf_joint_axis(const sdf_reader *r, const sdf_item *item, const xmlNode *axis,
                           pawl_vec3 *direction)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "xyz limit dynamics mimic use_parent_model_frame initial_position"},
        {XML_TAKEN, NULL}};
    static const xml_rule xyz_rules[] = {{XML_TAKEN, "@expressed_in"}, {XML_TAKEN, NULL}};
    const xmlNode *xyz;
    bool in_model = false;
    PAWL_TRY(xml_check(r->xml, axis, rules));
    PAWL_TRY(xml_child(r->xml, axis, "xyz", &xyz));
    *direction = v3(0.0, 0.0, 1.0); // SDFormat's default
    if (xyz == NULL) {
        return xml_tally(r->xml, PAWL_LOG_WARNING, axis, sdf_joint_no_axis, item->full_name);
    }
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
static int sdf_joint_axis_coordinate(pawl_joint_kind kind, int which)
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

static pawl_status sdf_joint_axes(const sdf_reader *r, sdf_item *item, bool endless, sdf_joint *j)
{
    static const char *const names[2] = {"axis", "axis2"};
    xml_reader *xml = r->xml;
    pawl_joint_kind kind = j->def.kind;
    bool one = kind == PAWL_JOINT_REVOLUTE || kind == PAWL_JOINT_PRISMATIC ||
               kind == PAWL_JOINT_SCREW || kind == PAWL_JOINT_CYLINDRICAL;
    bool bare = kind == PAWL_JOINT_UNIVERSAL; // SDFormat's 0 0 1 for both axes cannot be meant
    for (int i = 0; i < 2; ++i) {
        PAWL_TRY(xml_child(xml, item->node, names[i], &j->axis[i]));
        bare = bare && j->axis[i] == NULL;
    }
    if (bare) {
        j->direction[0] = v3(1.0, 0.0, 0.0);
        j->direction[1] = v3(0.0, 1.0, 0.0);
        return xml_tally(xml, PAWL_LOG_WARNING, item->node,
                         "a universal joint without <axis> and <axis2> turns about x, then y",
                         item->full_name);
    }
    for (int i = 0; i < 2; ++i) {
        bool needed = one && i == 0;
        if (kind == PAWL_JOINT_UNIVERSAL) {
            PAWL_TRY(xml_need_child(xml, item->node, names[i], &j->axis[i]));
        }
        if (needed && j->axis[i] == NULL) {
            j->direction[i] = v3(0.0, 0.0, 1.0);
            PAWL_TRY(
                xml_tally(xml, PAWL_LOG_WARNING, item->node, sdf_joint_no_axis, item->full_name));
        }
        if (j->axis[i] == NULL || kind == PAWL_JOINT_FIXED) {
            continue;
        }
        PAWL_TRY(sdf_joint_axis(r, item, j->axis[i], &j->direction[i]));
        int c = sdf_joint_axis_coordinate(kind, i);
        if (c >= 0) {
            const xmlNode *start;
            PAWL_TRY(xml_child(xml, j->axis[i], "initial_position", &start));
            PAWL_TRY(
                xml_child_number(xml, j->axis[i], "initial_position", XML_ANY, &item->start[c]));
            item->starts = item->starts || start != NULL;
        }
        if (c >= 0) {
            PAWL_TRY(sdf_joint_coordinate(r, j->axis[i], item->full_name, endless,
                                          &j->def.coordinate[c], &item->effort[c]));
            continue;
        }
        XML_EACH (child, j->axis[i]) {
            if (!xml_is(child, "limit") && !xml_is(child, "dynamics") && !xml_is(child, "mimic")) {
                continue;
            }
            if (one && i == 1) { // libsdformat reads it, and nobody uses it
                PAWL_TRY(xml_tally(xml, PAWL_LOG_WARNING, child,
                                   "<axis2> of a joint with one axis is ignored", item->full_name));
            } else if (kind == PAWL_JOINT_SPHERICAL) { // exporters write it for every joint
                PAWL_TRY(xml_tally(xml, PAWL_LOG_WARNING, child,
                                   "<limit>, <dynamics> or <mimic> of a ball joint is ignored; "
                                   "<pawl:coordinate index=\"...\"> says which direction is meant",
                                   item->full_name));
            } else if (xml_unsupported(
                           xml, child,
                           "joint '%s' is %s: <%s> in <%s> could mean more than one of its "
                           "directions; <pawl:coordinate index=\"...\"> expected",
                           item->full_name, pawl_joint_kind_name(kind), child->name,
                           names[i]) != PAWL_OK) {
                return PAWL_BAD_FILE;
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

static pawl_status sdf_joint_pitch(const sdf_reader *r, const sdf_item *item, pawl_joint_def *def)
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
        turn = -SDF_JOINT_TWO_PI / per_metre;
    }
    def->pitch = turn / SDF_JOINT_TWO_PI;
    const xmlNode *ours;
    PAWL_TRY(xml_child(r->xml, item->node, "pawl:pitch", &ours));
    if (node == NULL && old == NULL && ours == NULL) {
        xml_log(r->xml, PAWL_LOG_WARNING, item->node,
                "joint '%s' has no <screw_thread_pitch>: SDFormat's default of 1 m a turn is used",
                item->full_name);
    }
    return PAWL_OK;
}

pawl_status sdf_joint_ends(const sdf_reader *r, const sdf_item *item, sdf_joint *j)
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
    j->within = j->parent_link == j->child_link;
    if (j->within && j->parent == child_item) {
        return xml_error(r->xml, item->node,
                         "joint '%s' connects link '%s' with itself, expected two links, or the "
                         "world and a link",
                         item->full_name, SDF_ITEM(&r->tree, j->child_link)->full_name);
    }
    j->def.base = SDF_ITEM(&r->tree, j->parent_link)->body;
    j->def.follower = SDF_ITEM(&r->tree, j->child_link)->body;
    j->lumped = j->child_link > 0 &&
                sdf_carrier(&r->tree, j->parent_link) == sdf_carrier(&r->tree, j->child_link);
    return PAWL_OK;
}

static pawl_status sdf_joint_frames(const sdf_reader *r, const sdf_item *item, sdf_joint *j)
{
    const sdf_tree *tree = &r->tree;
    pawl_quat turn = {.w = 1.0};
    if (v3_norm(j->direction[0]) > 0.0) {
        turn = pawl_quat_from_axes(j->direction[0], j->direction[1]);
    }
    pawl_pose axes = {.orientation = turn};
    pawl_pose joint = pawl_pose_compose(item->pose, axes);
    pawl_pose base = sdf_body_pose(SDF_ITEM(tree, j->parent_link));
    pawl_pose follower = sdf_body_pose(SDF_ITEM(tree, j->child_link));
    j->def.follower_frame = pawl_pose_compose(pawl_pose_inverse(follower), joint);
    j->def.base_frame = pawl_pose_compose(pawl_pose_inverse(base), joint);
    const xmlNode *node;
    PAWL_TRY(xml_child(r->xml, item->node, "pawl:parent_pose", &node));
    if (node != NULL) {
        pawl_pose world;
        PAWL_TRY(sdf_tree_pose(tree, node, item->scope, j->parent, &world));
        j->def.base_frame =
            pawl_pose_compose(pawl_pose_inverse(base), pawl_pose_compose(world, axes));
    } else if (j->def.kind == PAWL_JOINT_DISTANCE || j->def.kind == PAWL_JOINT_SPAN) {
        return xml_error(
            r->xml, item->node,
            "joint '%s' is a distance or a span: <pawl:parent_pose> with its other end expected",
            item->full_name);
    }
    return PAWL_OK;
}

pawl_status sdf_joint_read(sdf_reader *r, int index)
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
    PAWL_TRY(sdf_joint_kind(r, item->node, item->full_name, type, &j.def.kind));
    PAWL_TRY(sdf_joint_ends(r, item, &j));
    if (j.within) {
        return xml_tally(r->xml, PAWL_LOG_WARNING, item->node,
                         "a joint between two frames of one link is left out", item->full_name);
    }
    if (j.lumped) {
        return strcmp(type, "fixed") == 0
                   ? PAWL_OK
                   : xml_tally(r->xml, PAWL_LOG_WARNING, item->node,
                               "a joint between two parts of one body is left out",
                               item->full_name);
    }
    PAWL_TRY(sdf_joint_axes(r, item, strcmp(type, "continuous") == 0, &j));
    if (j.def.kind == PAWL_JOINT_SCREW) {
        PAWL_TRY(sdf_joint_pitch(r, item, &j.def));
    }
    PAWL_TRY(extension_read_joint(r->xml, item->node, &j.def));
    PAWL_TRY(sdf_joint_frames(r, item, &j));
    bool parent_still = j.parent_link == 0 || SDF_ITEM(&r->tree, j.parent_link)->still;
    if (parent_still && SDF_ITEM(&r->tree, j.child_link)->still) {
        xml_log(r->xml, PAWL_LOG_WARNING, item->node,
                "joint '%s' connects two links that cannot move, and is ignored", item->full_name);
        return PAWL_OK;
    }
    PAWL_TRY(xml_refused(r->xml, item->node, "joint", item->full_name,
                         pawl_builder_add_joint(r->builder, &j.def, &item->joint)));
    const double start[6] = {item->start[0], item->start[1]};
    if (item->starts) {
        PAWL_TRY(pawl_builder_set_start(r->builder, item->joint, start));
    }
    return xml_note_effort(r->xml, item->joint, item->effort[0]);
}
