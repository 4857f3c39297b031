// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// SDFormat: a world with one model, and a static one with the shapes of the world. Elements of SDFormat where
// possible, otherwise pawl: elements, so that pawl reads back the same model.
#include "write/model_writer.h"
#include <string.h>

static void sdf_pose(model_writer *w, const char *tag, pawl_pose pose)
{
    const double v[7] = {pose.position.x,    pose.position.y,    pose.position.z,
                         pose.orientation.x, pose.orientation.y, pose.orientation.z,
                         pose.orientation.w};
    bool plain = v[3] == 0.0 && v[4] == 0.0 && v[5] == 0.0;
    if (plain) { // a position: six numbers that every version reads
        const double six[6] = {v[0], v[1], v[2], 0.0, 0.0, 0.0};
        xml_text_leaf(&w->xml, tag, six, 6);
        return;
    }
    xml_text_begin(&w->xml, tag);
    xml_text_word(&w->xml, "rotation_format", "quat_xyzw");
    xml_text_content(&w->xml, v, 7);
    xml_text_end(&w->xml);
}

// --- shapes --------------------------------------------------------------------------------------

static void sdf_rod(model_writer *w, const char *tag, const pawl_shape_def *shape)
{
    double length = 2.0 * shape->size.z;
    xml_text_begin(&w->xml, tag);
    xml_text_leaf(&w->xml, "radius", &shape->size.x, 1);
    xml_text_leaf(&w->xml, "length", &length, 1);
    xml_text_end(&w->xml);
}

static void sdf_geometry(model_writer *w, const pawl_shape_def *shape)
{
    xml_text *x = &w->xml;
    pawl_vec3 full = v3_scale(2.0, shape->size), up = v3(0.0, 0.0, 1.0);
    xml_text_begin(x, "geometry");
    switch (shape->kind) {
    case PAWL_SHAPE_SPHERE:
        xml_text_begin(x, "sphere");
        xml_text_leaf(x, "radius", &shape->size.x, 1);
        xml_text_end(x);
        break;
    case PAWL_SHAPE_BOX:
        xml_text_begin(x, "box");
        xml_text_leaf(x, "size", &full.x, 3);
        xml_text_end(x);
        break;
    case PAWL_SHAPE_CYLINDER:
        sdf_rod(w, "cylinder", shape);
        break;
    case PAWL_SHAPE_CAPSULE:
        sdf_rod(w, "capsule", shape);
        break;
    case PAWL_SHAPE_ELLIPSOID:
        xml_text_begin(x, "ellipsoid");
        xml_text_leaf(x, "radii", &shape->size.x, 3);
        xml_text_end(x);
        break;
    case PAWL_SHAPE_PLANE:
        xml_text_begin(x, "plane");
        xml_text_leaf(x, "normal", &up.x, 3);
        xml_text_end(x);
        break;
    default:
        xml_text_leaf(x, "pawl:hull", &shape->points[0].x, 3 * shape->point_count);
    }
    xml_text_end(x);
}

static void sdf_surface(model_writer *w, const pawl_shape_def *shape)
{
    xml_text *x = &w->xml;
    xml_text_begin(x, "surface");
    xml_text_begin(x, "friction");
    xml_text_begin(x, "ode");
    xml_text_leaf(x, "mu", &shape->friction, 1);
    xml_text_leaf(x, "mu2", &shape->friction, 1);
    xml_text_end(x);
    xml_text_end(x);
    if (shape->restitution > 0.0) {
        xml_text_begin(x, "bounce");
        xml_text_leaf(x, "restitution_coefficient", &shape->restitution, 1);
        xml_text_end(x);
    }
    xml_text_end(x);
}

static void sdf_shape(model_writer *w, const pawl_shape_def *shape)
{
    xml_text *x = &w->xml;
    const double rgba[4] = {shape->rgba[0], shape->rgba[1], shape->rgba[2], shape->rgba[3]};
    if (shape->kind == PAWL_SHAPE_HEIGHTFIELD) {
        return; // a pawl:heightfield
    }
    if (shape->kind == PAWL_SHAPE_MESH) {
        write_lose(w, !shape->visual_only,
                   shape->visual_only
                       ? "a mesh that is only drawn"
                       : "a triangle mesh: SDFormat has meshes by the name of a file",
                   shape->name);
        return;
    }
    xml_text_begin(x, shape->visual_only ? "visual" : "collision");
    xml_text_word(x, "name", shape->name);
    sdf_pose(w, "pose", shape->frame);
    sdf_geometry(w, shape);
    if (shape->visual_only) {
        xml_text_begin(x, "material");
        xml_text_leaf(x, "ambient", rgba, 4);
        xml_text_leaf(x, "diffuse", rgba, 4);
        xml_text_end(x);
    } else {
        sdf_surface(w, shape);
        write_collision_extension(w, shape, true);
    }
    xml_text_end(x);
}

static void sdf_shapes(model_writer *w, int first, int count)
{
    for (int i = first; i < first + count; ++i) {
        pawl_shape_info shape = pawl_model_shape(w->model, pawl_model_shape_at(w->model, i));
        sdf_shape(w, &shape.def);
    }
}

// --- links and joints ----------------------------------------------------------------------------

static void sdf_inertial(model_writer *w, const pawl_body_info *body)
{
    static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    xml_text *x = &w->xml;
    pawl_pose com = {body->com, {1.0, 0.0, 0.0, 0.0}};
    xml_text_begin(x, "inertial");
    sdf_pose(w, "pose", com);
    xml_text_leaf(x, "mass", &body->mass, 1);
    if (body->kind == PAWL_BODY_RIGID) {
        xml_text_begin(x, "inertia");
        for (int i = 0; i < 6; ++i) {
            xml_text_leaf(x, names[i], &body->inertia[i], 1);
        }
        xml_text_end(x);
    }
    xml_text_end(x);
}

static void sdf_link(model_writer *w, int index)
{
    xml_text *x = &w->xml;
    pawl_body_info body = write_body(w, index);
    xml_text_begin(x, "link");
    xml_text_word(x, "name", w->body_names[index]);
    sdf_pose(w, "pose", body.pose);
    if (body.mass > 0.0) {
        sdf_inertial(w, &body);
    }
    write_link_extension(w, &body, body.twist);
    sdf_shapes(w, body.first_shape, body.shape_count);
    xml_text_end(x);
}

static const char *sdf_joint_type(const pawl_joint_info *joint)
{
    static const char *const words[PAWL_JOINT_KIND_COUNT] = {
        "fixed",    "revolute",      "prismatic",          "pawl:cylindrical",    "universal",
        "ball",     "pawl:planar",   "pawl:cartesian",     "pawl:gimbal",         "pawl:free",
        "screw",    "pawl:distance", "pawl:point-on-line", "pawl:point-on-plane", NULL,
        "pawl:span"};
    return words[joint->kind];
}

static void sdf_axis(model_writer *w, const pawl_joint_info *joint, int which)
{
    const pawl_coordinate_def *c = &joint->coordinate[which];
    xml_text *x = &w->xml;
    const double xyz[2][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    bool laws = joint->kind != PAWL_JOINT_CYLINDRICAL;
    xml_text_begin(x, which == 0 ? "axis" : "axis2");
    xml_text_leaf(x, "xyz", xyz[which], 3);
    if (laws && (isfinite(c->lower) || isfinite(c->upper))) {
        xml_text_begin(x, "limit");
        xml_text_leaf(x, "lower", &c->lower, 1);
        xml_text_leaf(x, "upper", &c->upper, 1);
        xml_text_end(x);
    }
    if (laws && (c->damping > 0.0 || c->friction > 0.0 || c->stiffness > 0.0)) {
        xml_text_begin(x, "dynamics");
        xml_text_leaf(x, "damping", &c->damping, 1);
        xml_text_leaf(x, "friction", &c->friction, 1);
        xml_text_leaf(x, "spring_reference", &c->rest, 1);
        xml_text_leaf(x, "spring_stiffness", &c->stiffness, 1);
        xml_text_end(x);
    }
    xml_text_end(x);
}

// Whether the joint is closed with all its coordinates at 0 at the start, so that one pose says both of its frames.
static bool sdf_joint_meets(const model_writer *w, const pawl_joint_info *joint)
{
    const double apart = 1e-14;
    pawl_pose base = pawl_body_is_world(joint->base) ? pawl_pose_identity()
                                                     : pawl_model_body(w->model, joint->base).pose;
    pawl_pose a = pawl_pose_compose(base, joint->base_frame);
    pawl_pose b =
        pawl_pose_compose(pawl_model_body(w->model, joint->follower).pose, joint->follower_frame);
    pawl_pose between = pawl_pose_compose(pawl_pose_inverse(a), b);
    pawl_vec3 turn = {between.orientation.x, between.orientation.y, between.orientation.z};
    return v3_max_abs(between.position) <= apart && v3_max_abs(turn) <= apart;
}

static void sdf_joint(model_writer *w, int index)
{
    xml_text *x = &w->xml;
    pawl_joint_info joint = write_joint(w, index);
    pawl_joint_kind k = joint.kind;
    if (k == PAWL_JOINT_GEAR) {
        return;
    }
    bool axes = k == PAWL_JOINT_REVOLUTE || k == PAWL_JOINT_PRISMATIC || k == PAWL_JOINT_SCREW ||
                k == PAWL_JOINT_UNIVERSAL || k == PAWL_JOINT_CYLINDRICAL;
    bool two = k == PAWL_JOINT_UNIVERSAL;
    bool anchored = k == PAWL_JOINT_DISTANCE || k == PAWL_JOINT_SPAN;
    xml_text_begin(x, "joint");
    xml_text_word(x, "name", w->joint_names[index]);
    xml_text_word(x, "type", sdf_joint_type(&joint));
    xml_text_leaf_word(x, "parent", write_body_name(w, joint.base));
    xml_text_leaf_word(x, "child", write_body_name(w, joint.follower));
    sdf_pose(w, "pose", joint.follower_frame);
    if (axes) {
        sdf_axis(w, &joint, 0);
    }
    if (two) {
        sdf_axis(w, &joint, 1);
    }
    if (anchored || !sdf_joint_meets(w, &joint)) {
        sdf_pose(w, "pawl:parent_pose", joint.base_frame);
    }
    bool native = axes && k != PAWL_JOINT_CYLINDRICAL;
    write_joint_extension(w, &joint, native ? WRITE_LIMITS | WRITE_DAMPING | WRITE_SPRING : 0);
    xml_text_end(x);
}

// Names of places on bodies, or in the world.
static void sdf_frames(model_writer *w, bool of_world)
{
    xml_text *x = &w->xml;
    for (int i = 0; i < w->frame_count; ++i) {
        pawl_frame frame = pawl_model_frame(w->model, i);
        if (pawl_body_is_world(frame.body) == of_world) {
            xml_text_begin(x, "frame");
            xml_text_word(x, "name", w->frame_names[i]);
            xml_text_word(x, "attached_to", write_body_name(w, frame.body));
            sdf_pose(w, "pose", frame.pose);
            xml_text_end(x);
        }
    }
}

// --- the world -----------------------------------------------------------------------------------

static void sdf_world_shapes(model_writer *w)
{
    xml_text *x = &w->xml;
    int count = 0;
    while (
        count < pawl_model_shape_count(w->model) &&
        pawl_body_is_world(pawl_model_shape(w->model, pawl_model_shape_at(w->model, count)).body)) {
        ++count;
    }
    if (count == 0) {
        return;
    }
    xml_text_begin(x, "model");
    xml_text_word(x, "name", "static");
    xml_text_leaf_word(x, "static", "true");
    xml_text_begin(x, "link");
    xml_text_word(x, "name", "shapes");
    sdf_shapes(w, 0, count);
    xml_text_end(x);
    xml_text_end(x);
}

pawl_status write_sdf(model_writer *w)
{
    xml_text *x = &w->xml;
    pawl_vec3 gravity = pawl_model_gravity(w->model);
    bool mixed, quiet = write_family(w, &mixed);
    const char *name = pawl_model_name(w->model);
    xml_text_begin(x, "sdf");
    xml_text_word(x, "version", "1.10");
    xml_text_word(x, "xmlns:pawl", "urn:pawl:sdf");
    xml_text_begin(x, "world");
    xml_text_word(x, "name", name);
    xml_text_leaf(x, "gravity", &gravity.x, 3);
    sdf_world_shapes(w);
    sdf_frames(w, true);
    xml_text_begin(x, "model");
    xml_text_word(x, "name", name);
    xml_text_leaf_word(x, "self_collide", quiet ? "false" : "true");
    for (int i = 0; i < w->body_count; ++i) {
        sdf_link(w, i);
    }
    for (int i = 0; i < w->joint_count; ++i) {
        sdf_joint(w, i);
    }
    sdf_frames(w, false);
    write_model_extension(w);
    xml_text_end(x);
    xml_text_end(x);
    xml_text_end(x);
    return PAWL_OK;
}
