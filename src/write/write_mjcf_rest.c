// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The parts of MJCF outside of its tree: exclusions, constraints that close loops, tendons, actuators. A hinge that
// closes a loop is written as two connected points of its axis, a rod as a tendon of constant length.
#include "math/vec.h"
#include "write/mjcf_writer.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double mjcf_apart = 0.1; // of the two points of a hinge's axis [m]

// --- sites ---------------------------------------------------------------------------------------

static pawl_status mjcf_mark_add(mjcf_writer *m, const char *owner, const char *end,
                                 pawl_body_id body, pawl_pose pose)
{
    mjcf_mark *mark = pawl_array_push(m->w->env, &m->marks, sizeof *mark);
    if (mark == NULL) {
        return PAWL_FAIL(m->w->env, PAWL_NO_MEMORY, "no memory for the sites of a model");
    }
    *mark =
        (mjcf_mark){.body = pawl_body_is_world(body) ? -1 : pawl_body_index(body), .pose = pose};
    snprintf(mark->name, sizeof mark->name, "%.290s/%s", owner, end);
    return PAWL_OK;
}

static pawl_status mjcf_mark_wrap(mjcf_writer *m, const char *owner, const pawl_joint_info *joint)
{
    const pawl_wrap *wrap = &joint->wrap;
    if (wrap->kind == PAWL_WRAP_NONE || wrap->kind == PAWL_WRAP_CRANK) {
        return PAWL_OK;
    }
    PAWL_TRY(mjcf_mark_add(m, owner, "around", joint->base, wrap->frame));
    mjcf_mark *mark = &PAWL_ITEM(m->marks, mjcf_mark, m->marks.count - 1);
    mark->wrap = wrap->kind;
    mark->radius = wrap->radius;
    pawl_pose side = {wrap->side, {1.0, 0.0, 0.0, 0.0}};
    return wrap->sided ? mjcf_mark_add(m, owner, "side", joint->base, side) : PAWL_OK;
}

pawl_status mjcf_plan_marks(mjcf_writer *m)
{
    model_writer *w = m->w;
    for (int j = 0; j < w->joint_count; ++j) {
        pawl_joint_info joint = write_joint(w, j);
        bool closes = joint.kind == PAWL_JOINT_REVOLUTE || joint.kind == PAWL_JOINT_SPHERICAL ||
                      joint.kind == PAWL_JOINT_FIXED || joint.kind == PAWL_JOINT_DISTANCE ||
                      joint.kind == PAWL_JOINT_SPAN;
        if (w->tree.inside[j] || !closes) {
            continue;
        }
        const char *name = w->joint_names[j];
        PAWL_TRY(mjcf_mark_add(m, name, "a", joint.base, joint.base_frame));
        PAWL_TRY(mjcf_mark_add(m, name, "b", joint.follower, joint.follower_frame));
        PAWL_TRY(mjcf_mark_wrap(m, name, &joint));
        if (joint.kind == PAWL_JOINT_REVOLUTE) {
            pawl_pose along = {v3(mjcf_apart, 0.0, 0.0), {1.0, 0.0, 0.0, 0.0}};
            PAWL_TRY(mjcf_mark_add(m, name, "c", joint.base,
                                   pawl_pose_compose(joint.base_frame, along)));
            PAWL_TRY(mjcf_mark_add(m, name, "d", joint.follower,
                                   pawl_pose_compose(joint.follower_frame, along)));
        }
    }
    for (int i = 0; i < pawl_model_spring_count(w->model); ++i) {
        pawl_spring_def s = pawl_model_spring(w->model, pawl_model_spring_at(w->model, i));
        pawl_pose a = {s.point_a, {1.0, 0.0, 0.0, 0.0}}, b = {s.point_b, {1.0, 0.0, 0.0, 0.0}};
        PAWL_TRY(mjcf_mark_add(m, s.name, "from", s.body_a, a));
        PAWL_TRY(mjcf_mark_add(m, s.name, "to", s.body_b, b));
    }
    return PAWL_OK;
}

static void mjcf_site_word(mjcf_writer *m, const char *attribute, const char *owner,
                           const char *end)
{
    char name[MJCF_NAME];
    snprintf(name, sizeof name, "%.290s/%s", owner, end);
    xml_text_word(&m->w->xml, attribute, name);
}

// --- exclusions ----------------------------------------------------------------------------------

static void mjcf_exclude(mjcf_writer *m, pawl_body_id a, pawl_body_id b)
{
    xml_text *x = &m->w->xml;
    xml_text_begin(x, "exclude");
    xml_text_word(x, "body1", write_body_name(m->w, a));
    xml_text_word(x, "body2", write_body_name(m->w, b));
    xml_text_end(x);
}

// Bodies that a joint connects never touch here; in MuJoCo only parent and child do not.
static void mjcf_excludes(mjcf_writer *m)
{
    model_writer *w = m->w;
    xml_text_begin(&w->xml, "contact");
    for (int i = 0; i < pawl_model_exclusion_count(w->model); ++i) {
        pawl_body_pair pair = pawl_model_exclusion(w->model, i);
        mjcf_exclude(m, pair.a, pair.b);
    }
    for (int j = 0; j < w->joint_count; ++j) {
        pawl_joint_info joint = write_joint(w, j);
        bool filters = joint.kind != PAWL_JOINT_FREE && joint.kind != PAWL_JOINT_GEAR &&
                       joint.kind != PAWL_JOINT_SPAN && !pawl_body_is_world(joint.base);
        bool near = w->tree.inside[j] && !pawl_body_is_world(joint.base) &&
                    pawl_model_body(w->model, joint.base).kind != PAWL_BODY_KINEMATIC;
        if (filters && !near) {
            mjcf_exclude(m, joint.base, joint.follower);
        }
    }
    xml_text_end(&w->xml);
}

// --- constraints ---------------------------------------------------------------------------------

static void mjcf_closes(mjcf_writer *m, const char *tag, int joint, const pawl_softness *soft,
                        const char *name_end, const char *first, const char *second)
{
    xml_text *x = &m->w->xml;
    const char *owner = m->w->joint_names[joint];
    char name[MJCF_NAME];
    snprintf(name, sizeof name, "%.300s%s", owner, name_end);
    xml_text_begin(x, tag);
    xml_text_word(x, "name", name);
    mjcf_site_word(m, "site1", owner, first);
    mjcf_site_word(m, "site2", owner, second);
    mjcf_write_soft(m, soft, "");
    xml_text_end(x);
}

static void mjcf_loop(mjcf_writer *m, int index)
{
    model_writer *w = m->w;
    pawl_joint_info joint = write_joint(w, index);
    for (int c = 0; c < joint.coordinate_count && joint.kind != PAWL_JOINT_SPAN; ++c) {
        if (write_coordinate_acts(&joint.coordinate[c])) {
            write_lose(w, true, "springs, limits, friction of a joint that closes a loop",
                       joint.name);
            break;
        }
    }
    switch (joint.kind) {
    case PAWL_JOINT_FIXED:
        mjcf_closes(m, "weld", index, &joint.soft, "", "a", "b");
        return;
    case PAWL_JOINT_SPHERICAL:
        mjcf_closes(m, "connect", index, &joint.soft, "", "a", "b");
        return;
    case PAWL_JOINT_REVOLUTE:
        mjcf_closes(m, "connect", index, &joint.soft, "", "a", "b");
        mjcf_closes(m, "connect", index, &joint.soft, "/axis", "c", "d");
        return;
    case PAWL_JOINT_DISTANCE: {
        pawl_vec3 a = pawl_pose_apply(mjcf_start_pose(m, joint.base), joint.base_frame.position);
        pawl_vec3 b =
            pawl_pose_apply(mjcf_start_pose(m, joint.follower), joint.follower_frame.position);
        const double curve[5] = {joint.length - v3_norm(v3_sub(b, a)), 0.0, 0.0, 0.0, 0.0};
        xml_text_begin(&w->xml, "tendon");
        xml_text_word(&w->xml, "tendon1", w->joint_names[index]);
        xml_text_numbers(&w->xml, "polycoef", curve, 5);
        mjcf_write_soft(m, &joint.soft, "");
        xml_text_end(&w->xml);
        return;
    }
    case PAWL_JOINT_FREE:
    case PAWL_JOINT_SPAN:
        return;
    default:
        write_lose(w, true, "a joint that closes a loop and is no connect, weld or rod",
                   joint.name);
    }
}

// y - y0 = c0 + c1 (x - x0) + ..., from y = offset + ratio x + curve[0] x^2 + ...
static void mjcf_polynomial(const pawl_gear_def *gear, double y0, double x0, double p[5])
{
    const double given[5] = {gear->offset, gear->ratio, gear->curve[0], gear->curve[1],
                             gear->curve[2]};
    memcpy(p, given, sizeof given);
    for (int i = 0; i < 4; ++i) { // Taylor's shift by synthetic division
        for (int k = 3; k >= i; --k) {
            p[k] += x0 * p[k + 1];
        }
    }
    p[0] -= y0;
}

static double mjcf_start_value(const mjcf_writer *m, pawl_joint_id joint, int coordinate)
{
    double q[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    pawl_state_joint(m->start, joint, q, NULL);
    return q[coordinate];
}

static void mjcf_coupling(mjcf_writer *m, const char *first, const char *second, bool tendon,
                          const char *name, const double curve[5])
{
    xml_text *x = &m->w->xml;
    xml_text_begin(x, tendon ? "tendon" : "joint");
    xml_text_word(x, "name", name);
    xml_text_word(x, tendon ? "tendon1" : "joint1", first);
    xml_text_word(x, tendon ? "tendon2" : "joint2", second);
    xml_text_numbers(x, "polycoef", curve, 5);
    xml_text_end(x);
}

static void mjcf_gear(mjcf_writer *m, int index)
{
    model_writer *w = m->w;
    pawl_gear_def gear = pawl_model_gear(w->model, pawl_model_joint_at(w->model, index));
    char driven[MJCF_NAME], source[MJCF_NAME];
    bool tendon[2];
    double curve[5];
    bool found = mjcf_coordinate(m, gear.joint, gear.coordinate, driven, &tendon[0]) &&
                 mjcf_coordinate(m, gear.source_joint, gear.source_coordinate, source, &tendon[1]);
    if (!found || tendon[0] != tendon[1]) {
        write_lose(w, true, "a gear between other than hinges and slides, or two tendons",
                   w->joint_names[index]);
        return;
    }
    mjcf_polynomial(&gear, mjcf_start_value(m, gear.joint, gear.coordinate),
                    mjcf_start_value(m, gear.source_joint, gear.source_coordinate), curve);
    mjcf_coupling(m, driven, source, tendon[0], w->joint_names[index], curve);
}

static void mjcf_motions(mjcf_writer *m)
{
    model_writer *w = m->w;
    for (int i = 0; i < pawl_model_motion_count(w->model); ++i) {
        pawl_motion_def motion = pawl_model_motion(w->model, i);
        char name[MJCF_NAME];
        bool tendon;
        double curve[5] = {write_signal_start(&motion.target), 0.0, 0.0, 0.0, 0.0};
        if (!write_signal_is_constant(&motion.target)) {
            write_lose(w, true, "a prescribed motion stays at its first value", motion.name);
        }
        if (!mjcf_coordinate(m, motion.joint, motion.coordinate, name, &tendon)) {
            write_lose(w, true, "a prescribed motion of other than hinges and slides", motion.name);
            continue;
        }
        curve[0] -= mjcf_start_value(m, motion.joint, motion.coordinate);
        mjcf_coupling(m, name, NULL, tendon, motion.name, curve);
    }
}

static void mjcf_equality(mjcf_writer *m)
{
    model_writer *w = m->w;
    xml_text_begin(&w->xml, "equality");
    for (int j = 0; j < w->joint_count; ++j) {
        pawl_joint_info joint = write_joint(w, j);
        if (joint.kind == PAWL_JOINT_GEAR) {
            mjcf_gear(m, j);
        } else if (!w->tree.inside[j]) {
            mjcf_loop(m, j);
        } else if (joint.kind == PAWL_JOINT_SCREW) {
            const double curve[5] = {0.0, joint.pitch, 0.0, 0.0, 0.0};
            char slide[MJCF_NAME], hinge[MJCF_NAME];
            snprintf(slide, sizeof slide, "%.300s/slide", w->joint_names[j]);
            snprintf(hinge, sizeof hinge, "%.300s/0", w->joint_names[j]);
            mjcf_coupling(m, slide, hinge, false, NULL, curve);
        }
    }
    mjcf_motions(m);
    xml_text_end(&w->xml);
}

// --- tendons -------------------------------------------------------------------------------------

static void mjcf_site_of(mjcf_writer *m, const char *owner, const char *end)
{
    xml_text_begin(&m->w->xml, "site");
    mjcf_site_word(m, "site", owner, end);
    xml_text_end(&m->w->xml);
}

static void mjcf_span(mjcf_writer *m, int index)
{
    model_writer *w = m->w;
    xml_text *x = &w->xml;
    pawl_joint_info joint = write_joint(w, index);
    const char *owner = w->joint_names[index];
    if (joint.wrap.kind == PAWL_WRAP_CRANK) {
        write_lose(w, true, "the span of a slider-crank", joint.name);
        return;
    }
    xml_text_begin(x, "spatial");
    xml_text_word(x, "name", owner);
    mjcf_write_laws(m, &joint.coordinate[0], 0.0, "springlength");
    mjcf_site_of(m, owner, "a");
    if (joint.wrap.kind != PAWL_WRAP_NONE) {
        xml_text_begin(x, "geom");
        mjcf_site_word(m, "geom", owner, "around");
        if (joint.wrap.sided) {
            mjcf_site_word(m, "sidesite", owner, "side");
        }
        xml_text_end(x);
    }
    mjcf_site_of(m, owner, "b");
    xml_text_end(x);
}

static void mjcf_tendons(mjcf_writer *m)
{
    model_writer *w = m->w;
    xml_text *x = &w->xml;
    xml_text_begin(x, "tendon");
    for (int j = 0; j < w->joint_count; ++j) {
        pawl_joint_kind kind = write_joint(w, j).kind;
        if (kind == PAWL_JOINT_SPAN || (kind == PAWL_JOINT_DISTANCE && !w->tree.inside[j])) {
            mjcf_span(m, j);
        }
    }
    for (int i = 0; i < pawl_model_spring_count(w->model); ++i) {
        pawl_spring_def s = pawl_model_spring(w->model, pawl_model_spring_at(w->model, i));
        xml_text_begin(x, "spatial");
        xml_text_word(x, "name", s.name);
        xml_text_number(x, "stiffness", s.stiffness);
        xml_text_number(x, "springlength", s.rest_length);
        if (s.damping > 0.0) {
            xml_text_number(x, "damping", s.damping);
        }
        mjcf_site_of(m, s.name, "from");
        mjcf_site_of(m, s.name, "to");
        xml_text_end(x);
    }
    xml_text_end(x);
}

// --- actuators -----------------------------------------------------------------------------------

// The length of the muscle in the new file is gear times the coordinate, without an offset.
static void mjcf_muscle(xml_text *x, const pawl_actuator_def *a, double activation)
{
    const pawl_muscle *m = &a->muscle;
    const double prm[] = {m->range[0], m->range[1], m->peak,    1.0,          m->shortest,
                          m->longest,  m->rate,     m->passive, m->stretching};
    const double length[] = {m->length[0] - m->offset, m->length[1] - m->offset};
    const double control[] = {activation, max_of(activation, 1.0)};
    xml_text_number(x, "gear", m->gear);
    xml_text_word(x, "gaintype", "muscle");
    xml_text_word(x, "biastype", "muscle");
    xml_text_numbers(x, "gainprm", prm, 9);
    xml_text_numbers(x, "biasprm", prm, 9);
    xml_text_numbers(x, "lengthrange", length, 2);
    if (activation > 0.0) {
        xml_text_numbers(x, "ctrlrange", control, 2);
    }
}

// Its gain is the largest force, or 1 N where there is none; a force at the start is the lower end of the control's range.
static void mjcf_adhesion(mjcf_writer *m, const pawl_actuator_def *a, double force)
{
    xml_text *x = &m->w->xml;
    double gain = isfinite(a->effort) && a->effort > 0.0 ? a->effort : 1.0;
    double control[2] = {force / gain, max_of(force / gain, 1.0)};
    xml_text_begin(x, "adhesion");
    xml_text_word(x, "name", a->name);
    xml_text_word(x, "body",
                  write_body_name(m->w, pawl_model_joint(m->w->model, a->joint).follower));
    xml_text_number(x, "gain", gain);
    if (isfinite(a->effort) || force > 0.0) {
        xml_text_numbers(x, "ctrlrange", control, 2);
    }
    xml_text_end(x);
}

// force = gain u + b0 + b1 q + b2 q': a target other than 0 is in b0, so that it acts at control 0.
static void mjcf_actuator(mjcf_writer *m, const pawl_actuator_def *a)
{
    static const char *const words[PAWL_ACTUATOR_KIND_COUNT] = {
        [PAWL_ACTUATOR_FORCE] = "motor",
        [PAWL_ACTUATOR_POSITION] = "position",
        [PAWL_ACTUATOR_VELOCITY] = "velocity"};
    model_writer *w = m->w;
    xml_text *x = &w->xml;
    char name[MJCF_NAME];
    bool tendon;
    double target = write_signal_start(&a->target);
    if (a->kind == PAWL_ACTUATOR_ADHESION) {
        mjcf_adhesion(m, a, target);
        return;
    }
    if (!mjcf_coordinate(m, a->joint, a->coordinate, name, &tendon)) {
        write_lose(w, true, "an actuator on other than hinges, slides and tendons", a->name);
        return;
    }
    if (!write_signal_is_constant(&a->target)) {
        write_lose(w, true, "the target of an actuator stays at its first value", a->name);
    }
    if (a->kind == PAWL_ACTUATOR_VELOCITY && !isfinite(a->damping)) {
        write_lose(w, true, "an actuator of an exact velocity", a->name);
        return;
    }
    double stiffness = a->kind == PAWL_ACTUATOR_POSITION ? a->stiffness : 0.0;
    double damping = a->kind == PAWL_ACTUATOR_FORCE ? 0.0 : a->damping;
    double gain = a->kind == PAWL_ACTUATOR_POSITION   ? stiffness
                  : a->kind == PAWL_ACTUATOR_VELOCITY ? damping
                                                      : 1.0;
    double gear = a->muscle.peak > 0.0 ? fabs(a->muscle.gear) : 1.0; // forcerange is before it
    const double range[2] = {-a->effort / gear, a->effort / gear};
    bool muscle = a->muscle.peak > 0.0;
    xml_text_begin(x, target == 0.0 && !muscle ? words[a->kind] : "general");
    xml_text_word(x, "name", a->name);
    xml_text_word(x, tendon ? "tendon" : "joint", name);
    if (muscle) {
        mjcf_muscle(x, a, target);
    } else if (target != 0.0) {
        const double bias[3] = {gain * target, -stiffness, -damping};
        xml_text_number(x, "gainprm", gain);
        xml_text_word(x, "biastype", "affine");
        xml_text_numbers(x, "biasprm", bias, 3);
    } else if (a->kind == PAWL_ACTUATOR_POSITION) {
        xml_text_number(x, "kp", stiffness);
        xml_text_number(x, "kv", damping);
    } else if (a->kind == PAWL_ACTUATOR_VELOCITY) {
        xml_text_number(x, "kv", damping);
    }
    if (isfinite(a->effort) && a->effort > 0.0) {
        xml_text_numbers(x, "forcerange", range, 2);
    }
    xml_text_end(x);
}

void mjcf_write_rest(mjcf_writer *m)
{
    model_writer *w = m->w;
    mjcf_excludes(m);
    mjcf_tendons(m);
    mjcf_equality(m);
    xml_text_begin(&w->xml, "actuator");
    for (int i = 0; i < pawl_model_actuator_count(w->model); ++i) {
        pawl_actuator_def a = pawl_model_actuator(w->model, pawl_model_actuator_at(w->model, i));
        mjcf_actuator(m, &a);
    }
    xml_text_end(&w->xml);
    for (int i = 0; i < pawl_model_force_count(w->model); ++i) {
        write_lose(w, true, "an applied force: MJCF has none", pawl_model_force(w->model, i).name);
    }
}
