// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// MJCF: a tree of bodies at the poses of the start, with `ref` as the coordinates there. Joints of several
// coordinates become several joints of one body. MuJoCo rejects unknown elements, so there are no pawl: elements.
#include "math/trig.h"
#include "pawl/sim.h"
#include "write/mjcf_writer.h"
#include <stdio.h>
#include <string.h>

// Joints with laws and actuators belong in the tree, and those that no constraint of MJCF can say.
static int mjcf_cost(const model_writer *w, const pawl_joint_info *joint, int index)
{
    bool acts = false;
    for (int c = 0; c < joint->coordinate_count; ++c) {
        acts = acts || write_coordinate_acts(&joint->coordinate[c]);
    }
    for (int i = 0; i < pawl_model_actuator_count(w->model) && !acts; ++i) {
        pawl_joint_id id = pawl_model_actuator(w->model, pawl_model_actuator_at(w->model, i)).joint;
        acts = pawl_joint_index(id) == index;
    }
    for (int i = 0; i < pawl_model_motion_count(w->model) && !acts; ++i) {
        acts = pawl_joint_index(pawl_model_motion(w->model, i).joint) == index;
    }
    switch (joint->kind) {
    case PAWL_JOINT_REVOLUTE:
        return acts ? 0 : 1;
    case PAWL_JOINT_SPHERICAL:
    case PAWL_JOINT_FIXED:
        return acts ? 0 : 2;
    case PAWL_JOINT_FREE:
        return pawl_body_is_world(joint->base) ? 3 : -1;
    case PAWL_JOINT_DISTANCE:
    case PAWL_JOINT_POINT_ON_LINE:
    case PAWL_JOINT_POINT_ON_PLANE:
    case PAWL_JOINT_GEAR:
    case PAWL_JOINT_SPAN:
        return -1;
    default:
        return 0;
    }
}

void mjcf_write_pose(mjcf_writer *m, pawl_pose pose)
{
    pawl_quat q = pose.orientation;
    const double quat[4] = {q.w, q.x, q.y, q.z};
    xml_text_numbers(&m->w->xml, "pos", &pose.position.x, 3);
    if (q.x != 0.0 || q.y != 0.0 || q.z != 0.0) {
        xml_text_numbers(&m->w->xml, "quat", quat, 4);
    }
}

pawl_pose mjcf_start_pose(const mjcf_writer *m, pawl_body_id body)
{
    return pawl_body_is_world(body) ? pawl_pose_identity() : pawl_state_pose(m->start, body);
}

void mjcf_write_soft(mjcf_writer *m, const pawl_softness *soft, const char *end)
{
    char name[32];
    if (!(soft->time_constant > 0.0)) {
        return;
    }
    const double reference[2] = {soft->time_constant, soft->damping_ratio};
    const double impedance[5] = {soft->d0, soft->dw, soft->width, soft->midpoint, soft->power};
    snprintf(name, sizeof name, "solref%s", end);
    xml_text_numbers(&m->w->xml, name, reference, 2);
    snprintf(name, sizeof name, "solimp%s", end);
    xml_text_numbers(&m->w->xml, name, impedance, 5);
}

// --- joints --------------------------------------------------------------------------------------

int mjcf_list_axes(const mjcf_writer *m, const pawl_joint_info *joint, mjcf_axis out[3])
{
    double q[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    pawl_quat base =
        pawl_pose_compose(mjcf_start_pose(m, joint->base), joint->base_frame).orientation;
    pawl_quat follower =
        pawl_pose_compose(mjcf_start_pose(m, joint->follower), joint->follower_frame).orientation;
    pawl_vec3 bx = pawl_quat_rotate(base, v3(1.0, 0.0, 0.0));
    pawl_vec3 by = pawl_quat_rotate(base, v3(0.0, 1.0, 0.0));
    pawl_vec3 bz = pawl_quat_rotate(base, v3(0.0, 0.0, 1.0));
    pawl_vec3 fx = pawl_quat_rotate(follower, v3(1.0, 0.0, 0.0));
    switch (joint->kind) {
    case PAWL_JOINT_REVOLUTE:
        out[0] = (mjcf_axis){0, false, fx};
        return 1;
    case PAWL_JOINT_PRISMATIC:
        out[0] = (mjcf_axis){0, true, fx};
        return 1;
    case PAWL_JOINT_CYLINDRICAL:
        out[0] = (mjcf_axis){0, true, bx};
        out[1] = (mjcf_axis){1, false, fx};
        return 2;
    case PAWL_JOINT_SCREW: // the slide follows the hinge by a constraint
        out[0] = (mjcf_axis){-1, true, bx};
        out[1] = (mjcf_axis){0, false, fx};
        return 2;
    case PAWL_JOINT_UNIVERSAL:
        out[0] = (mjcf_axis){0, false, bx};
        out[1] = (mjcf_axis){1, false, pawl_quat_rotate(follower, v3(0.0, 1.0, 0.0))};
        return 2;
    case PAWL_JOINT_PLANAR:
        out[0] = (mjcf_axis){0, true, by};
        out[1] = (mjcf_axis){1, true, bz};
        out[2] = (mjcf_axis){2, false, fx};
        return 3;
    case PAWL_JOINT_CARTESIAN:
        out[0] = (mjcf_axis){0, true, bx};
        out[1] = (mjcf_axis){1, true, by};
        out[2] = (mjcf_axis){2, true, bz};
        return 3;
    case PAWL_JOINT_GIMBAL: {
        int index = pawl_joint_index(pawl_model_find_joint(m->w->model, joint->name));
        pawl_state_joint(m->start, pawl_model_joint_at(m->w->model, index), q, NULL);
        pawl_quat turn = pawl_quat_from_axis_angle(v3(1.0, 0.0, 0.0), q[0]);
        out[0] = (mjcf_axis){0, false, bx};
        out[1] = (mjcf_axis){1, false,
                             pawl_quat_rotate(pawl_quat_multiply(base, turn), v3(0.0, 1.0, 0.0))};
        out[2] = (mjcf_axis){2, false, pawl_quat_rotate(follower, v3(0.0, 0.0, 1.0))};
        return 3;
    }
    default:
        return 0;
    }
}

static void mjcf_axis_name(const mjcf_writer *m, int joint, int coordinate, int count,
                           char name[MJCF_NAME])
{
    if (count == 1) {
        snprintf(name, MJCF_NAME, "%.300s", m->w->joint_names[joint]);
    } else if (coordinate < 0) {
        snprintf(name, MJCF_NAME, "%.300s/slide", m->w->joint_names[joint]);
    } else {
        snprintf(name, MJCF_NAME, "%.300s/%d", m->w->joint_names[joint], coordinate);
    }
}

bool mjcf_coordinate(const mjcf_writer *m, pawl_joint_id joint, int coordinate,
                     char name[MJCF_NAME], bool *tendon)
{
    int index = pawl_joint_index(joint);
    pawl_joint_info info = pawl_model_joint(m->w->model, joint);
    mjcf_axis axes[3];
    *tendon = info.kind == PAWL_JOINT_SPAN;
    if (*tendon) {
        snprintf(name, MJCF_NAME, "%.300s", m->w->joint_names[index]);
        return info.wrap.kind != PAWL_WRAP_CRANK;
    }
    int count = m->w->tree.inside[index] ? mjcf_list_axes(m, &info, axes) : 0;
    for (int i = 0; i < count; ++i) {
        if (axes[i].coordinate == coordinate) {
            mjcf_axis_name(m, index, coordinate, count, name);
            return true;
        }
    }
    return false;
}

void mjcf_write_laws(mjcf_writer *m, const pawl_coordinate_def *c, double lowest, const char *rest)
{
    const double most = 1e10; // MuJoCo has no limits on one side alone
    xml_text *x = &m->w->xml;
    if (isfinite(c->lower) || isfinite(c->upper)) {
        const double range[2] = {fmax(c->lower, lowest), fmin(c->upper, most)};
        xml_text_numbers(x, "range", range, 2);
        mjcf_write_soft(m, &c->limit_soft, "limit");
    }
    if (c->stiffness > 0.0) {
        xml_text_number(x, "stiffness", c->stiffness);
        if (rest != NULL) {
            const double play[2] = {c->rest, c->rest + c->slack};
            xml_text_numbers(x, rest, play, c->slack > 0.0 ? 2 : 1);
        }
    }
    if (c->damping > 0.0) {
        xml_text_number(x, "damping", c->damping);
    }
    if (c->friction > 0.0) {
        xml_text_number(x, "frictionloss", c->friction);
    }
    if (c->armature > 0.0) {
        xml_text_number(x, "armature", c->armature);
    }
}

static void mjcf_ball(mjcf_writer *m, int index, const pawl_joint_info *joint)
{
    xml_text *x = &m->w->xml;
    pawl_coordinate_def c = joint->coordinate[0];
    double q[6];
    bool same = c.rest == 0.0;
    for (int i = 1; i < 3; ++i) {
        same = same && memcmp(&joint->coordinate[i], &c, sizeof c) == 0;
    }
    pawl_state_joint(m->start, pawl_model_joint_at(m->w->model, index), q, NULL);
    bool laws = isfinite(c.upper) || c.stiffness > 0.0;
    if (!same || (laws && v3_max_abs(v3(q[0], q[1], q[2])) > 1e-14)) {
        write_lose(m->w, true, "limits and springs of a ball joint that differ by direction",
                   joint->name);
    }
    xml_text_begin(x, "joint");
    xml_text_word(x, "name", m->w->joint_names[index]);
    xml_text_word(x, "type", "ball");
    xml_text_numbers(x, "pos", &joint->follower_frame.position.x, 3);
    mjcf_write_laws(m, &c, 0.0, NULL);
    xml_text_end(x);
}

// The joints of a body: none, a ball or a free joint, or hinges and slides.
static void mjcf_joints(mjcf_writer *m, int body)
{
    model_writer *w = m->w;
    xml_text *x = &w->xml;
    int index = w->tree.joint[body];
    mjcf_axis axes[3];
    pawl_joint_info joint = write_joint(w, index);
    double q[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    if (joint.kind == PAWL_JOINT_FREE) {
        xml_text_begin(x, "freejoint");
        xml_text_word(x, "name", w->joint_names[index]);
        xml_text_end(x);
        for (int c = 0; c < 6; ++c) {
            if (write_coordinate_acts(&joint.coordinate[c])) {
                write_lose(w, true, "springs, limits, friction of a free joint", joint.name);
            }
        }
        return;
    }
    if (joint.kind == PAWL_JOINT_SPHERICAL) {
        mjcf_ball(m, index, &joint);
    }
    int count = mjcf_list_axes(m, &joint, axes);
    bool back = w->tree.reversed[body];
    pawl_pose child = mjcf_start_pose(m, pawl_model_body_at(w->model, body));
    pawl_vec3 pos = back ? joint.base_frame.position : joint.follower_frame.position;
    pawl_state_joint(m->start, pawl_model_joint_at(w->model, index), q, NULL);
    for (int i = 0; i < count; ++i) {
        char name[MJCF_NAME];
        int c = axes[i].coordinate;
        pawl_vec3 axis = pawl_quat_rotate(quat_conj(child.orientation), axes[i].axis);
        axis = back ? v3_scale(-1.0, axis) : axis;
        mjcf_axis_name(m, index, c, count, name);
        xml_text_begin(x, "joint");
        xml_text_word(x, "name", name);
        xml_text_word(x, "type", axes[i].slides ? "slide" : "hinge");
        xml_text_numbers(x, "pos", &pos.x, 3);
        xml_text_numbers(x, "axis", &axis.x, 3);
        double ref = c >= 0 ? q[c] : joint.pitch * q[0];
        if (ref != 0.0) {
            xml_text_number(x, "ref", ref);
        }
        if (c >= 0) {
            pawl_coordinate_def *law = &joint.coordinate[c];
            if (law->slack > 0.0 && law->stiffness > 0.0) {
                write_lose(m->w, true, "the play of a hinge's or slide's spring", name);
                law->slack = 0.0;
            }
            mjcf_write_laws(m, law, -1e10, "springref");
        }
        xml_text_end(x);
    }
    if (write_is_soft(&joint.soft) && joint.soft.time_constant > 0.0) {
        write_lose(w, true, "softness of a joint of the tree, which is exact in MJCF", joint.name);
    }
    if (joint.erp != 0.0) {
        write_lose(w, false, "erp of a shape or joint", joint.name);
    }
}

// --- bodies --------------------------------------------------------------------------------------

static void mjcf_inertial(mjcf_writer *m, const pawl_body_info *body)
{
    xml_text *x = &m->w->xml;
    double inertia[6];
    memcpy(inertia, body->inertia, sizeof inertia);
    if (body->kind == PAWL_BODY_POINT) {
        for (int i = 0; i < 3; ++i) {
            inertia[i] = 1e-6 * body->mass;
        }
    }
    xml_text_begin(x, "inertial");
    xml_text_numbers(x, "pos", &body->com.x, 3);
    xml_text_number(x, "mass", body->mass);
    xml_text_numbers(x, "fullinertia", inertia, 6);
    xml_text_end(x);
}

// What floats: a free joint, or three slides for a point mass, which does not turn.
static void mjcf_float(mjcf_writer *m, int body, pawl_body_kind kind)
{
    xml_text *x = &m->w->xml;
    if (kind == PAWL_BODY_RIGID) {
        xml_text_begin(x, "freejoint");
        xml_text_end(x);
        return;
    }
    for (int i = 0; i < 3; ++i) {
        const double axis[3] = {i == 0, i == 1, i == 2};
        char name[MJCF_NAME];
        snprintf(name, sizeof name, "%.300s/%c", m->w->body_names[body], "xyz"[i]);
        xml_text_begin(x, "joint");
        xml_text_word(x, "name", name);
        xml_text_word(x, "type", "slide");
        xml_text_numbers(x, "axis", axis, 3);
        xml_text_end(x);
    }
}

static void mjcf_body_losses(mjcf_writer *m, const pawl_body_info *body, bool joined)
{
    model_writer *w = m->w;
    bool moves = v3_max_abs(body->twist.linear) > 0.0 || v3_max_abs(body->twist.angular) > 0.0;
    for (int i = 0; i < 6 && body->kind == PAWL_BODY_KINEMATIC; ++i) {
        bool still = write_signal_is_constant(&body->motion[i]) &&
                     write_signal_start(&body->motion[i]) == 0.0;
        if (!still) {
            write_lose(w, true, "the motion of a kinematic body: MJCF has none", body->name);
            break;
        }
    }
    if (moves && body->kind != PAWL_BODY_KINEMATIC) {
        write_lose(w, true, "initial velocities: a MJCF model begins at rest", body->name);
    }
    if (body->linear_damping != 0.0 || body->angular_damping != 0.0) {
        write_lose(w, true, "damping of a body: MJCF has that of joints", body->name);
    }
    if (body->kind == PAWL_BODY_POINT && joined) {
        write_lose(w, true, "a point mass on a joint is a small rigid body", body->name);
    }
}

// Names of places on a body, or in the world (-1), are bodies that are welded to it.
static void mjcf_frames(mjcf_writer *m, int body)
{
    model_writer *w = m->w;
    for (int i = 0; i < w->frame_count; ++i) {
        pawl_frame frame = pawl_model_frame(w->model, i);
        if ((pawl_body_is_world(frame.body) ? -1 : pawl_body_index(frame.body)) == body) {
            xml_text_begin(&w->xml, "body");
            xml_text_word(&w->xml, "name", w->frame_names[i]);
            mjcf_write_pose(m, write_frame(w, frame.body, frame.pose));
            xml_text_end(&w->xml);
        }
    }
}

// A body with all that hangs on it, without recursion: chains may be long.
static void mjcf_body_open(mjcf_writer *m, int body)
{
    model_writer *w = m->w;
    xml_text *x = &w->xml;
    pawl_body_info info = write_body(w, body);
    int parent = w->tree.parent[body], joint = w->tree.joint[body];
    pawl_pose pose = mjcf_start_pose(m, pawl_model_body_at(w->model, body));
    if (parent >= 0) {
        pawl_pose above = mjcf_start_pose(m, pawl_model_body_at(w->model, parent));
        pose = pawl_pose_compose(pawl_pose_inverse(above), pose);
    }
    xml_text_begin(x, "body");
    xml_text_word(x, "name", w->body_names[body]);
    mjcf_write_pose(m, pose);
    if (info.kind == PAWL_BODY_KINEMATIC) {
        xml_text_word(x, "mocap", "true");
    } else if (info.gravity_scale != 1.0) {
        xml_text_number(x, "gravcomp", 1.0 - info.gravity_scale);
    }
    if (info.kind != PAWL_BODY_KINEMATIC) {
        mjcf_inertial(m, &info);
    }
    if (joint >= 0) {
        mjcf_joints(m, body);
    } else if (info.kind != PAWL_BODY_KINEMATIC) {
        mjcf_float(m, body, info.kind);
    }
    mjcf_body_losses(m, &info, joint >= 0);
    mjcf_write_geoms(m, body);
    mjcf_write_marks(m, body);
    mjcf_frames(m, body);
}

// The first body after `after` (-1: from the beginning) that hangs on `parent`.
static int mjcf_next_child(const model_writer *w, int parent, int after)
{
    for (int b = after + 1; b < w->body_count; ++b) {
        if (w->tree.parent[b] == parent) {
            return b;
        }
    }
    return -1;
}

static void mjcf_worldbody(mjcf_writer *m)
{
    model_writer *w = m->w;
    int at = -1, last = -1;
    xml_text_begin(&w->xml, "worldbody");
    mjcf_write_geoms(m, -1);
    mjcf_write_marks(m, -1);
    mjcf_frames(m, -1);
    for (;;) {
        int child = mjcf_next_child(w, at, last);
        if (child >= 0) {
            mjcf_body_open(m, child);
            at = child;
            last = -1;
        } else if (at >= 0) {
            xml_text_end(&w->xml);
            last = at;
            at = w->tree.parent[at];
        } else {
            break;
        }
    }
    xml_text_end(&w->xml);
}

static void mjcf_option(mjcf_writer *m)
{
    xml_text *x = &m->w->xml;
    pawl_vec3 gravity = pawl_model_gravity(m->w->model);
    pawl_medium medium = pawl_model_medium(m->w->model);
    xml_text_begin(x, "compiler");
    xml_text_word(x, "angle", "radian");
    xml_text_word(x, "autolimits", "true");
    xml_text_end(x);
    xml_text_begin(x, "option");
    xml_text_numbers(x, "gravity", &gravity.x, 3);
    if (medium.density > 0.0) {
        xml_text_number(x, "density", medium.density);
        xml_text_numbers(x, "wind", &medium.wind.x, 3);
    }
    xml_text_end(x);
}

static pawl_status mjcf_run(mjcf_writer *m)
{
    model_writer *w = m->w;
    PAWL_TRY(write_tree_make(w, mjcf_cost, true));
    PAWL_TRY(mjcf_plan_marks(m));
    mjcf_find_classes(m);
    xml_text_begin(&w->xml, "mujoco");
    xml_text_word(&w->xml, "model", pawl_model_name(w->model));
    mjcf_option(m);
    mjcf_write_assets(m);
    mjcf_worldbody(m);
    mjcf_write_rest(m);
    xml_text_end(&w->xml);
    for (int i = 0; i < pawl_model_contact_point_count(w->model); ++i) {
        write_lose(w, false, "contact points of mdp and nmdp",
                   pawl_model_contact_point(w->model, i).name);
    }
    return PAWL_OK;
}

pawl_status write_mjcf(model_writer *w)
{
    mjcf_writer m = {.w = w, .start = w->start};
    pawl_sim *sim = NULL;
    pawl_settings settings = pawl_settings_default();
    pawl_env quiet = *w->env;
    quiet.log = NULL;
    // Joints that begin elsewhere, and loops that are closed before the first step: where the simulation begins.
    pawl_status status = pawl_sim_create(&quiet, w->model, &settings, &sim);
    if (status == PAWL_NO_MEMORY) {
        return PAWL_FAIL(w->env, status, "no memory to find where the model begins");
    }
    m.start = status == PAWL_OK ? pawl_sim_state(sim) : w->start;
    status = mjcf_run(&m);
    pawl_array_free(w->env, &m.marks);
    pawl_sim_destroy(sim);
    return status;
}
