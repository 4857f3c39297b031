// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// URDF: a tree of links in its zero position. The frame of a link is that of the joint that leads to it, so link frames move
// to their joints; joints that close loops are <pawl:loop>, and starts that are not the zero position <pawl:start>.
#include "write/model_writer.h"
#include <stdio.h>
#include <string.h>

// Joints whose coordinates give the whole pose; those that URDF has itself first.
static int urdf_cost(const model_writer *w, const pawl_joint_info *joint, int index)
{
    (void)w;
    (void)index;
    switch (joint->kind) {
    case PAWL_JOINT_DISTANCE:
    case PAWL_JOINT_POINT_ON_LINE:
    case PAWL_JOINT_POINT_ON_PLANE:
    case PAWL_JOINT_GEAR:
    case PAWL_JOINT_SPAN:
        return -1;
    case PAWL_JOINT_FREE:
        return 1;
    default:
        return 0;
    }
}

// Whether an axis says all that matters of the joint's frame.
static bool urdf_has_axis(pawl_joint_kind kind)
{
    return kind == PAWL_JOINT_REVOLUTE || kind == PAWL_JOINT_PRISMATIC ||
           kind == PAWL_JOINT_CYLINDRICAL || kind == PAWL_JOINT_SCREW;
}

static void urdf_place_links(model_writer *w)
{
    for (int b = 0; b < w->body_count; ++b) {
        if (w->tree.joint[b] < 0) {
            continue;
        }
        pawl_joint_info joint = write_joint(w, w->tree.joint[b]);
        pawl_pose *link = &w->link[b];
        if (urdf_has_axis(joint.kind)) {
            link->position = joint.follower_frame.position;
        } else if (joint.kind != PAWL_JOINT_FIXED) {
            *link = joint.follower_frame;
        }
        pawl_vec3 turn = {link->orientation.x, link->orientation.y, link->orientation.z};
        if (v3_max_abs(link->position) > 0.0 || v3_max_abs(turn) > 0.0) {
            write_lose(w, false, "link frames are moved to the joints that lead to them",
                       w->body_names[b]);
        }
    }
}

static void urdf_origin(model_writer *w, const char *tag, pawl_pose pose)
{
    double rpy[3];
    write_rpy(pose.orientation, rpy);
    xml_text_begin(&w->xml, tag);
    xml_text_numbers(&w->xml, "xyz", &pose.position.x, 3);
    xml_text_numbers(&w->xml, "rpy", rpy, 3);
    xml_text_end(&w->xml);
}

// --- links ---------------------------------------------------------------------------------------

static void urdf_inertial(model_writer *w, const pawl_body_info *body, int index)
{
    static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    xml_text *x = &w->xml;
    pawl_pose com = {body->com, {1.0, 0.0, 0.0, 0.0}};
    pawl_pose link = w->link[index];
    com = pawl_pose_compose(pawl_pose_inverse(link), com);
    pawl_mat3 back = quat_matrix(com.orientation), tensor = m3_from_six(body->inertia);
    tensor = m3_congruence(&back, &tensor);
    const double six[6] = {tensor.m[0][0], tensor.m[1][1], tensor.m[2][2],
                           tensor.m[0][1], tensor.m[0][2], tensor.m[1][2]};
    com.orientation = (pawl_quat){1.0, 0.0, 0.0, 0.0};
    xml_text_begin(x, "inertial");
    urdf_origin(w, "origin", com);
    xml_text_begin(x, "mass");
    xml_text_number(x, "value", body->mass);
    xml_text_end(x);
    if (body->kind == PAWL_BODY_RIGID) {
        xml_text_begin(x, "inertia");
        for (int i = 0; i < 6; ++i) {
            xml_text_number(x, names[i], six[i]);
        }
        xml_text_end(x);
    }
    xml_text_end(x);
}

// False where URDF and pawl's elements have no such shape.
static bool urdf_geometry(model_writer *w, const pawl_shape_def *shape)
{
    xml_text *x = &w->xml;
    pawl_vec3 full = v3_scale(2.0, shape->size), up = v3(0.0, 0.0, 1.0);
    bool rod = shape->kind == PAWL_SHAPE_CYLINDER || shape->kind == PAWL_SHAPE_CAPSULE;
    xml_text_begin(x, "geometry");
    if (shape->kind == PAWL_SHAPE_HULL) {
        xml_text_leaf(x, "pawl:hull", &shape->points[0].x, 3 * shape->point_count);
        xml_text_end(x);
        return true;
    }
    xml_text_begin(x, shape->kind == PAWL_SHAPE_ELLIPSOID ? "ellipsoid"
                                                          : pawl_shape_kind_name(shape->kind));
    if (rod || shape->kind == PAWL_SHAPE_SPHERE) {
        xml_text_number(x, "radius", shape->size.x);
    }
    if (rod) {
        xml_text_number(x, "length", full.z);
    }
    if (shape->kind == PAWL_SHAPE_BOX) {
        xml_text_numbers(x, "size", &full.x, 3);
    }
    if (shape->kind == PAWL_SHAPE_ELLIPSOID) {
        xml_text_numbers(x, "radii", &shape->size.x, 3);
    }
    if (shape->kind == PAWL_SHAPE_PLANE) {
        xml_text_numbers(x, "normal", &up.x, 3);
    }
    xml_text_end(x);
    xml_text_end(x);
    return true;
}

static void urdf_shape(model_writer *w, pawl_body_id body, const pawl_shape_def *shape)
{
    xml_text *x = &w->xml;
    const double rgba[4] = {shape->rgba[0], shape->rgba[1], shape->rgba[2], shape->rgba[3]};
    if (shape->kind == PAWL_SHAPE_HEIGHTFIELD) {
        return; // a pawl:heightfield
    }
    if (shape->kind == PAWL_SHAPE_MESH) {
        write_lose(w, !shape->visual_only,
                   shape->visual_only ? "a mesh that is only drawn"
                                      : "a triangle mesh: URDF has meshes by the name of a file",
                   shape->name);
        return;
    }
    xml_text_begin(x, shape->visual_only ? "visual" : "collision");
    xml_text_word(x, "name", shape->name);
    urdf_origin(w, "origin", write_frame(w, body, shape->frame));
    urdf_geometry(w, shape);
    if (shape->visual_only) {
        xml_text_begin(x, "material");
        xml_text_word(x, "name", "");
        xml_text_begin(x, "color");
        xml_text_numbers(x, "rgba", rgba, 4);
        xml_text_end(x);
        xml_text_end(x);
    } else {
        write_collision_extension(w, shape, false);
    }
    xml_text_end(x);
}

static void urdf_shapes(model_writer *w, int body)
{
    for (int i = 0; i < pawl_model_shape_count(w->model); ++i) {
        pawl_shape_info shape = pawl_model_shape(w->model, pawl_model_shape_at(w->model, i));
        int own = pawl_body_is_world(shape.body) ? -1 : pawl_body_index(shape.body);
        if (own == body) {
            urdf_shape(w, shape.body, &shape.def);
        }
    }
}

static void urdf_link(model_writer *w, int index)
{
    xml_text *x = &w->xml;
    pawl_body_info body = write_body(w, index);
    pawl_vec3 arm = pawl_quat_rotate(body.pose.orientation, w->link[index].position);
    pawl_twist twist = body.twist;
    twist.linear = v3_add(twist.linear, v3_cross(twist.angular, arm));
    xml_text_begin(x, "link");
    xml_text_word(x, "name", w->body_names[index]);
    if (body.mass > 0.0) {
        urdf_inertial(w, &body, index);
    }
    urdf_shapes(w, index);
    write_link_extension(w, &body, twist);
    xml_text_end(x);
}

// --- joints --------------------------------------------------------------------------------------

static const char *urdf_joint_type(const pawl_joint_info *joint, char *made, size_t size)
{
    const pawl_coordinate_def *c = &joint->coordinate[0];
    bool bounded = isfinite(c->lower) || isfinite(c->upper);
    switch (joint->kind) {
    case PAWL_JOINT_FIXED:
        return "fixed";
    case PAWL_JOINT_REVOLUTE:
        return bounded ? "revolute" : "continuous";
    case PAWL_JOINT_PRISMATIC:
        return bounded ? "prismatic" : "pawl:prismatic";
    case PAWL_JOINT_FREE:
        return "floating";
    default:
        snprintf(made, size, "pawl:%s", pawl_joint_kind_name(joint->kind));
        return made;
    }
}

static void urdf_ends(model_writer *w, const char *parent, const char *child)
{
    xml_text *x = &w->xml;
    xml_text_begin(x, "parent");
    xml_text_word(x, "link", parent);
    xml_text_end(x);
    xml_text_begin(x, "child");
    xml_text_word(x, "link", child);
    xml_text_end(x);
}

static void urdf_laws(model_writer *w, const pawl_joint_info *joint)
{
    xml_text *x = &w->xml;
    const pawl_coordinate_def *c = &joint->coordinate[0];
    int taken = 0;
    if (joint->kind == PAWL_JOINT_REVOLUTE || joint->kind == PAWL_JOINT_PRISMATIC) {
        taken = WRITE_LIMITS | WRITE_DAMPING;
        if (isfinite(c->lower) || isfinite(c->upper)) {
            xml_text_begin(x, "limit");
            xml_text_number(x, "lower", c->lower);
            xml_text_number(x, "upper", c->upper);
            xml_text_number(x, "effort", INFINITY);
            xml_text_number(x, "velocity", INFINITY);
            xml_text_end(x);
        }
        if (c->damping > 0.0 || c->friction > 0.0) {
            xml_text_begin(x, "dynamics");
            xml_text_number(x, "damping", c->damping);
            xml_text_number(x, "friction", c->friction);
            xml_text_end(x);
        }
    }
    write_joint_extension(w, joint, taken);
}

static void urdf_axis(model_writer *w, const pawl_joint_info *joint)
{
    if (urdf_has_axis(joint->kind)) {
        pawl_vec3 axis = pawl_quat_rotate(joint->follower_frame.orientation, v3(1.0, 0.0, 0.0));
        xml_text_begin(&w->xml, "axis");
        xml_text_numbers(&w->xml, "xyz", &axis.x, 3);
        xml_text_end(&w->xml);
    }
}

static void urdf_tree_joint(model_writer *w, int body)
{
    xml_text *x = &w->xml;
    char made[64];
    int index = w->tree.joint[body];
    if (index < 0) { // what floats, or stands, where it begins
        snprintf(made, sizeof made, "%.55s_free", w->body_names[body]);
        xml_text_begin(x, "joint");
        xml_text_word(x, "name", made);
        xml_text_word(x, "type", "floating");
        urdf_origin(w, "origin", write_body(w, body).pose);
        urdf_ends(w, "world", w->body_names[body]);
        xml_text_end(x);
        return;
    }
    pawl_joint_info joint = write_joint(w, index);
    pawl_pose at = pawl_pose_compose(joint.base_frame, pawl_pose_inverse(joint.follower_frame));
    at = write_frame(w, joint.base, pawl_pose_compose(at, w->link[body]));
    xml_text_begin(x, "joint");
    xml_text_word(x, "name", w->joint_names[index]);
    xml_text_word(x, "type", urdf_joint_type(&joint, made, sizeof made));
    urdf_origin(w, "origin", at);
    urdf_ends(w, write_body_name(w, joint.base), w->body_names[body]);
    urdf_axis(w, &joint);
    urdf_laws(w, &joint);
    xml_text_end(x);
}

static void urdf_loop_end(model_writer *w, const char *name, pawl_body_id body, pawl_pose frame)
{
    pawl_pose own = write_frame(w, body, frame);
    double v[6] = {own.position.x, own.position.y, own.position.z};
    write_rpy(own.orientation, v + 3);
    xml_text_numbers(&w->xml, name, v, 6);
}

static void urdf_loop(model_writer *w, int index)
{
    xml_text *x = &w->xml;
    pawl_joint_info joint = write_joint(w, index);
    const double along[3] = {1.0, 0.0, 0.0};
    xml_text_begin(x, "pawl:loop");
    xml_text_word(x, "name", w->joint_names[index]);
    xml_text_word(x, "type", pawl_joint_kind_name(joint.kind));
    xml_text_word(x, "parent", write_body_name(w, joint.base));
    xml_text_word(x, "child", write_body_name(w, joint.follower));
    urdf_loop_end(w, "parent_origin", joint.base, joint.base_frame);
    urdf_loop_end(w, "child_origin", joint.follower, joint.follower_frame);
    if (urdf_has_axis(joint.kind)) {
        xml_text_numbers(x, "axis", along, 3);
    }
    write_joint_extension(w, &joint, 0);
    xml_text_end(x);
}

// Tree joints that do not begin at zero: as the model's starts say, else as the poses of the bodies do.
// Names of places on bodies are links without mass, on joints called NAME::fixed.
static void urdf_frames(model_writer *w, bool has_world)
{
    xml_text *x = &w->xml;
    for (int i = 0; i < w->frame_count; ++i) {
        pawl_frame frame = pawl_model_frame(w->model, i);
        char made[300];
        if (pawl_body_is_world(frame.body) && !has_world) {
            write_lose(w, false, "names of places in the world", frame.name);
            continue;
        }
        snprintf(made, sizeof made, "%.280s::fixed", w->frame_names[i]);
        xml_text_begin(x, "link");
        xml_text_word(x, "name", w->frame_names[i]);
        xml_text_end(x);
        xml_text_begin(x, "joint");
        xml_text_word(x, "name", made);
        xml_text_word(x, "type", "fixed");
        urdf_origin(w, "origin", write_frame(w, frame.body, frame.pose));
        urdf_ends(w, write_body_name(w, frame.body), w->frame_names[i]);
        xml_text_end(x);
    }
}

static void urdf_starts(model_writer *w)
{
    const double none = 1e-15;
    for (int k = 0; k < w->body_count; ++k) {
        int index = w->tree.joint[w->tree.order[k]];
        if (index < 0 || write_joint(w, index).coordinate_count == 0) {
            continue;
        }
        pawl_joint_id id = pawl_model_joint_at(w->model, index);
        int count = write_joint(w, index).coordinate_count;
        double position[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, most = 0.0;
        pawl_state_joint(w->start, id, position, NULL);
        for (int i = 0; i < pawl_model_start_count(w->model); ++i) {
            pawl_joint_start s = pawl_model_start(w->model, i);
            if (pawl_joint_same(s.joint, id)) {
                memcpy(position, s.position, sizeof position);
            }
        }
        for (int c = 0; c < count; ++c) {
            most = fmax(most, fabs(position[c]));
        }
        if (most > none) {
            xml_text_begin(&w->xml, "pawl:start");
            xml_text_word(&w->xml, "joint", w->joint_names[index]);
            xml_text_numbers(&w->xml, "position", position, count);
            xml_text_end(&w->xml);
        }
    }
}

// --- the robot -----------------------------------------------------------------------------------

// The one free root that stands at the origin needs no link "world" above it; -1 where there is none.
static int urdf_lone_root(const model_writer *w)
{
    int root = -1, roots = 0;
    for (int b = 0; b < w->body_count; ++b) {
        if (w->tree.joint[b] < 0) {
            root = b;
            ++roots;
        } else if (w->tree.parent[b] < 0) {
            return -1;
        }
    }
    bool world =
        pawl_model_shape_count(w->model) > 0 &&
        pawl_body_is_world(pawl_model_shape(w->model, pawl_model_shape_at(w->model, 0)).body);
    if (roots != 1 || world) {
        return -1;
    }
    pawl_pose pose = write_body(w, root).pose;
    pawl_vec3 turn = {pose.orientation.x, pose.orientation.y, pose.orientation.z};
    return v3_max_abs(pose.position) == 0.0 && v3_max_abs(turn) == 0.0 ? root : -1;
}

pawl_status write_urdf(model_writer *w)
{
    xml_text *x = &w->xml;
    pawl_vec3 gravity = pawl_model_gravity(w->model);
    bool mixed, quiet = write_family(w, &mixed);
    PAWL_TRY(write_tree_make(w, urdf_cost, false));
    urdf_place_links(w);
    int root = urdf_lone_root(w);
    xml_text_begin(x, "robot");
    xml_text_word(x, "name", pawl_model_name(w->model));
    xml_text_word(x, "xmlns:pawl", "urn:pawl:urdf");
    xml_text_leaf(x, "pawl:gravity", &gravity.x, 3);
    xml_text_leaf_word(x, "pawl:self_collide", quiet ? "false" : "true");
    if (root < 0) {
        xml_text_begin(x, "link");
        xml_text_word(x, "name", "world");
        urdf_shapes(w, -1);
        xml_text_end(x);
    }
    for (int k = 0; k < w->body_count; ++k) {
        urdf_link(w, w->tree.order[k]);
    }
    for (int k = 0; k < w->body_count; ++k) {
        if (w->tree.order[k] != root) {
            urdf_tree_joint(w, w->tree.order[k]);
        }
    }
    for (int j = 0; j < w->joint_count; ++j) {
        if (!w->tree.inside[j] && write_joint(w, j).kind != PAWL_JOINT_GEAR) {
            urdf_loop(w, j);
        }
    }
    urdf_frames(w, root < 0);
    write_model_extension(w);
    urdf_starts(w);
    xml_text_end(x);
    return PAWL_OK;
}
