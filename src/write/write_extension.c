// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The pawl: elements of SDFormat and URDF, as src/read/extension.c reads them. Default values are omitted.
#include "write/model_writer.h"
#include <stdio.h>

// --- softness and functions of time --------------------------------------------------------------

void write_soft(model_writer *w, const pawl_softness *soft)
{
    xml_text *x = &w->xml;
    if (!write_is_soft(soft)) {
        return;
    }
    xml_text_begin(x, "pawl:soft");
    xml_text_number(x, "time_constant", soft->time_constant);
    xml_text_number(x, "damping_ratio", soft->damping_ratio);
    xml_text_number(x, "d0", soft->d0);
    xml_text_number(x, "dw", soft->dw);
    xml_text_number(x, "width", soft->width);
    xml_text_number(x, "midpoint", soft->midpoint);
    xml_text_number(x, "power", soft->power);
    xml_text_end(x);
}

static void write_table(model_writer *w, const pawl_signal *s)
{
    static const char *const words[] = {
        [PAWL_LINEAR] = "linear", [PAWL_CUBIC] = "cubic", [PAWL_SMOOTH] = "smooth"};
    xml_text *x = &w->xml;
    xml_text_begin(x, "pawl:table");
    xml_text_word(x, "interpolation", words[s->interpolation]);
    if (s->period > 0.0) {
        xml_text_number(x, "period", s->period);
    }
    for (int i = 0; i < s->count; ++i) {
        const double point[2] = {s->times[i], s->values[i]};
        xml_text_content(x, point, 2);
    }
    xml_text_end(x);
}

void write_signal(model_writer *w, const pawl_signal *s)
{
    xml_text *x = &w->xml;
    double value = write_signal_start(s);
    switch (s->kind) {
    case PAWL_SIGNAL_SINUSOID:
        xml_text_begin(x, "pawl:sinusoid");
        xml_text_number(x, "offset", s->value);
        xml_text_number(x, "amplitude", s->amplitude);
        xml_text_number(x, "frequency", s->frequency);
        xml_text_number(x, "phase", s->phase);
        xml_text_end(x);
        return;
    case PAWL_SIGNAL_TABLE:
        write_table(w, s);
        return;
    case PAWL_SIGNAL_CALLBACK:
        write_lose(w, true, "a function of time that a program computes stays at its first value",
                   NULL);
        xml_text_leaf(x, "pawl:constant", &value, 1);
        return;
    default:
        xml_text_leaf(x, "pawl:constant", &value, 1);
    }
}

static bool extension_is_zero(const pawl_signal *s)
{
    return write_signal_is_constant(s) && write_signal_start(s) == 0.0;
}

// <name><pawl:constant>..., left out where it is always 0.
static void extension_component(model_writer *w, const char *name, const pawl_signal *s)
{
    if (!extension_is_zero(s)) {
        xml_text_begin(&w->xml, name);
        write_signal(w, s);
        xml_text_end(&w->xml);
    }
}

// --- links, collisions, joints -------------------------------------------------------------------

void write_link_extension(model_writer *w, const pawl_body_info *body, pawl_twist twist)
{
    static const char *const names[6] = {"pawl:x",  "pawl:y",  "pawl:z",
                                         "pawl:rx", "pawl:ry", "pawl:rz"};
    xml_text *x = &w->xml;
    const double v[6] = {twist.linear.x,  twist.linear.y,  twist.linear.z,
                         twist.angular.x, twist.angular.y, twist.angular.z};
    bool moves = false, driven = false;
    for (int i = 0; i < 6; ++i) {
        moves = moves || v[i] != 0.0;
        driven = driven || !extension_is_zero(&body->motion[i]);
    }
    if (body->kind == PAWL_BODY_POINT) {
        xml_text_leaf_word(x, "pawl:kind", "point");
    } else if (body->kind == PAWL_BODY_KINEMATIC && !driven) {
        xml_text_leaf_word(x, "pawl:kind", "kinematic");
    } else if (body->kind == PAWL_BODY_KINEMATIC) {
        xml_text_begin(x, "pawl:kinematic");
        for (int i = 0; i < 6; ++i) {
            extension_component(w, names[i], &body->motion[i]);
        }
        xml_text_end(x);
    }
    if (moves && body->kind != PAWL_BODY_KINEMATIC) {
        xml_text_leaf(x, "pawl:twist", v, 6);
    }
    if (body->gravity_scale != 1.0) {
        xml_text_leaf(x, "pawl:gravity_scale", &body->gravity_scale, 1);
    }
    if (body->linear_damping != 0.0) {
        xml_text_leaf(x, "pawl:linear_damping", &body->linear_damping, 1);
    }
    if (body->angular_damping != 0.0) {
        xml_text_leaf(x, "pawl:angular_damping", &body->angular_damping, 1);
    }
}

void write_collision_extension(model_writer *w, const pawl_shape_def *shape, bool surface)
{
    xml_text *x = &w->xml;
    char bits[16];
    if (!surface) {
        xml_text_leaf(x, "pawl:friction", &shape->friction, 1);
        xml_text_leaf(x, "pawl:restitution", &shape->restitution, 1);
    }
    if (shape->impact_friction >= 0.0) {
        xml_text_leaf(x, "pawl:impact_friction", &shape->impact_friction, 1);
    }
    if (shape->torsional_friction > 0.0) {
        xml_text_leaf(x, "pawl:torsional_friction", &shape->torsional_friction, 1);
    }
    if (shape->rolling_friction > 0.0) {
        xml_text_leaf(x, "pawl:rolling_friction", &shape->rolling_friction, 1);
    }
    if (shape->group != 1) {
        snprintf(bits, sizeof bits, "0x%x", (unsigned)shape->group);
        xml_text_leaf_word(x, "pawl:group", bits);
    }
    if (shape->mask != UINT32_MAX) {
        snprintf(bits, sizeof bits, "0x%x", (unsigned)shape->mask);
        xml_text_leaf_word(x, "pawl:mask", bits);
    }
    write_soft(w, &shape->soft);
    if (shape->erp != 0.0) {
        xml_text_leaf(x, "pawl:erp", &shape->erp, 1);
    }
}

static void extension_coordinate(model_writer *w, const pawl_coordinate_def *c, int index,
                                 int taken)
{
    xml_text *x = &w->xml;
    bool limits = !(taken & WRITE_LIMITS) && (isfinite(c->lower) || isfinite(c->upper));
    bool damps = !(taken & WRITE_DAMPING) && (c->damping != 0.0 || c->friction != 0.0);
    bool springs = c->slack != 0.0 || // which no format has, so that it brings the rest along
                   (!(taken & WRITE_SPRING) && (c->stiffness != 0.0 || c->rest != 0.0));
    if (!limits && !damps && !springs && c->armature == 0.0 && c->limit_erp == 0.0 &&
        !write_is_soft(&c->limit_soft)) {
        return;
    }
    xml_text_begin(x, "pawl:coordinate");
    xml_text_number(x, "index", index);
    if (limits) {
        xml_text_number(x, "lower", c->lower);
        xml_text_number(x, "upper", c->upper);
    }
    if (springs) {
        xml_text_number(x, "stiffness", c->stiffness);
        xml_text_number(x, "rest", c->rest);
        if (c->slack != 0.0) {
            xml_text_number(x, "slack", c->slack);
        }
    }
    if (damps) {
        xml_text_number(x, "damping", c->damping);
        xml_text_number(x, "friction", c->friction);
    }
    if (c->armature != 0.0) {
        xml_text_number(x, "armature", c->armature);
    }
    if (c->limit_erp != 0.0) {
        xml_text_number(x, "erp", c->limit_erp);
    }
    write_soft(w, &c->limit_soft);
    xml_text_end(x);
}

static void extension_wrap(model_writer *w, const pawl_joint_info *joint)
{
    static const char *const words[] = {[PAWL_WRAP_SPHERE] = "sphere",
                                        [PAWL_WRAP_CYLINDER] = "cylinder",
                                        [PAWL_WRAP_CRANK] = "crank"};
    xml_text *x = &w->xml;
    pawl_pose frame = write_frame(w, joint->base, joint->wrap.frame);
    double pose[6] = {frame.position.x, frame.position.y, frame.position.z};
    if (joint->wrap.kind == PAWL_WRAP_NONE) {
        return;
    }
    write_rpy(frame.orientation, pose + 3);
    xml_text_begin(x, "pawl:wrap");
    xml_text_word(x, "kind", words[joint->wrap.kind]);
    xml_text_number(x, "radius", joint->wrap.radius);
    xml_text_numbers(x, "pose", pose, 6);
    if (joint->wrap.sided) {
        pawl_vec3 side = write_point(w, joint->base, joint->wrap.side);
        xml_text_numbers(x, "side", &side.x, 3);
    }
    xml_text_end(x);
}

void write_joint_extension(model_writer *w, const pawl_joint_info *joint, int taken)
{
    xml_text *x = &w->xml;
    if (joint->kind == PAWL_JOINT_SCREW) {
        xml_text_leaf(x, "pawl:pitch", &joint->pitch, 1);
    }
    if (joint->kind == PAWL_JOINT_DISTANCE) {
        xml_text_leaf(x, "pawl:length", &joint->length, 1);
    }
    for (int c = 0; c < joint->coordinate_count; ++c) {
        extension_coordinate(w, &joint->coordinate[c], c, taken);
    }
    extension_wrap(w, joint);
    write_soft(w, &joint->soft);
    if (joint->erp != 0.0) {
        xml_text_leaf(x, "pawl:erp", &joint->erp, 1);
    }
}

// --- gears, springs, actuators, motions, forces --------------------------------------------------

static void extension_joint_of(model_writer *w, const char *field, pawl_joint_id joint,
                               const char *index_field, int coordinate)
{
    xml_text_word(&w->xml, field, write_joint_name(w, joint));
    if (coordinate != 0) {
        xml_text_number(&w->xml, index_field, coordinate);
    }
}

static void extension_gears(model_writer *w)
{
    xml_text *x = &w->xml;
    for (int j = 0; j < w->joint_count; ++j) {
        if (write_joint(w, j).kind != PAWL_JOINT_GEAR) {
            continue;
        }
        pawl_gear_def gear = pawl_model_gear(w->model, pawl_model_joint_at(w->model, j));
        xml_text_begin(x, "pawl:gear");
        xml_text_word(x, "name", w->joint_names[j]);
        extension_joint_of(w, "joint", gear.joint, "coordinate", gear.coordinate);
        extension_joint_of(w, "source_joint", gear.source_joint, "source_coordinate",
                           gear.source_coordinate);
        xml_text_number(x, "ratio", gear.ratio);
        xml_text_number(x, "offset", gear.offset);
        if (gear.curve[0] != 0.0 || gear.curve[1] != 0.0 || gear.curve[2] != 0.0) {
            xml_text_numbers(x, "curve", gear.curve, 3);
        }
        xml_text_end(x);
    }
}

static void extension_springs(model_writer *w)
{
    xml_text *x = &w->xml;
    for (int i = 0; i < pawl_model_spring_count(w->model); ++i) {
        pawl_spring_def s = pawl_model_spring(w->model, pawl_model_spring_at(w->model, i));
        pawl_vec3 a = write_point(w, s.body_a, s.point_a), b = write_point(w, s.body_b, s.point_b);
        xml_text_begin(x, "pawl:spring");
        xml_text_word(x, "name", s.name);
        xml_text_word(x, "body_a", write_body_name(w, s.body_a));
        xml_text_numbers(x, "point_a", &a.x, 3);
        xml_text_word(x, "body_b", write_body_name(w, s.body_b));
        xml_text_numbers(x, "point_b", &b.x, 3);
        xml_text_number(x, "stiffness", s.stiffness);
        xml_text_number(x, "rest_length", s.rest_length);
        xml_text_number(x, "damping", s.damping);
        xml_text_end(x);
    }
}

static void extension_actuators(model_writer *w)
{
    xml_text *x = &w->xml;
    for (int i = 0; i < pawl_model_actuator_count(w->model); ++i) {
        pawl_actuator_def a = pawl_model_actuator(w->model, pawl_model_actuator_at(w->model, i));
        if (a.muscle.peak > 0.0) {
            write_lose(w, true, "a muscle: only MJCF has them", a.name);
            continue;
        }
        xml_text_begin(x, "pawl:actuator");
        xml_text_word(x, "name", a.name);
        xml_text_word(x, "type", pawl_actuator_kind_name(a.kind));
        extension_joint_of(w, "joint", a.joint, "coordinate", a.coordinate);
        if (a.kind == PAWL_ACTUATOR_POSITION) {
            xml_text_number(x, "stiffness", a.stiffness);
        }
        if (a.kind == PAWL_ACTUATOR_POSITION || a.kind == PAWL_ACTUATOR_VELOCITY) {
            xml_text_number(x, "damping", a.damping);
        }
        xml_text_number(x, "effort", a.effort);
        write_signal(w, &a.target);
        xml_text_end(x);
    }
}

static void extension_motions(model_writer *w)
{
    xml_text *x = &w->xml;
    for (int i = 0; i < pawl_model_motion_count(w->model); ++i) {
        pawl_motion_def m = pawl_model_motion(w->model, i);
        xml_text_begin(x, "pawl:motion");
        xml_text_word(x, "name", m.name);
        extension_joint_of(w, "joint", m.joint, "coordinate", m.coordinate);
        write_signal(w, &m.target);
        xml_text_end(x);
    }
}

static const char *const extension_wrench[6] = {"pawl:fx", "pawl:fy", "pawl:fz",
                                                "pawl:tx", "pawl:ty", "pawl:tz"};

static void extension_force_begin(model_writer *w, const pawl_force_def *f, const char *suffix)
{
    pawl_vec3 point = write_point(w, f->body, f->point);
    char name[320];
    snprintf(name, sizeof name, "%.280s%s", f->name != NULL ? f->name : "", suffix);
    xml_text_begin(&w->xml, "pawl:force");
    xml_text_word(&w->xml, "name", suffix[0] == '\0' ? f->name : name);
    xml_text_word(&w->xml, "body", write_body_name(w, f->body));
    xml_text_numbers(&w->xml, "point", &point.x, 3);
    xml_text_word(&w->xml, "axes", f->in_body_axes ? "body" : "world");
}

// A component that is a factor times a signal. `values` has room for those of a table.
static void extension_part(model_writer *w, const char *name, const pawl_signal *s, double factor,
                           double *values)
{
    pawl_signal part = *s;
    part.value *= factor;
    part.amplitude *= factor;
    for (int i = 0; i < s->count; ++i) {
        values[i] = factor * s->values[i];
    }
    part.values = values;
    if (s->kind == PAWL_SIGNAL_CALLBACK) { // stays at its first value
        write_lose(w, true, "a function of time that a program computes stays at its first value",
                   NULL);
        part = pawl_signal_constant(factor * write_signal_start(s));
    }
    extension_component(w, name, &part);
}

// A force in the axes of a link frame that the file turns: a component is along up to three of the new axes, and sums of
// signals are none. So each component becomes a force of its own.
static void extension_turned_force(model_writer *w, const pawl_force_def *f, pawl_quat turn)
{
    static const char *const suffix[6] = {"::fx", "::fy", "::fz", "::tx", "::ty", "::tz"};
    const pawl_vec3 axis[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int c = 0; c < 6; ++c) {
        const pawl_signal *s = c < 3 ? &f->force[c] : &f->torque[c - 3];
        if (extension_is_zero(s)) {
            continue;
        }
        size_t bytes = (size_t)s->count * sizeof(double);
        double *values = bytes > 0 ? pawl_alloc(w->env, bytes) : NULL;
        if (bytes > 0 && values == NULL) {
            w->xml.failed = true;
            return;
        }
        pawl_vec3 along = pawl_quat_rotate(turn, axis[c % 3]);
        extension_force_begin(w, f, suffix[c]);
        for (int k = 0; k < 3; ++k) {
            extension_part(w, extension_wrench[3 * (c / 3) + k], s, v3_get(along, k), values);
        }
        xml_text_end(&w->xml);
        pawl_free(w->env, values, bytes);
    }
}

static void extension_forces(model_writer *w)
{
    for (int i = 0; i < pawl_model_force_count(w->model); ++i) {
        pawl_force_def f = pawl_model_force(w->model, i);
        bool any = false;
        for (int c = 0; c < 6; ++c) {
            any = any || !extension_is_zero(c < 3 ? &f.force[c] : &f.torque[c - 3]);
        }
        const pawl_pose same = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
        pawl_quat turn = write_frame(w, f.body, same).orientation;
        pawl_vec3 turned = {turn.x, turn.y, turn.z};
        if (!any) {
            continue;
        }
        if (f.in_body_axes && v3_max_abs(turned) > 0.0) {
            extension_turned_force(w, &f, turn);
            continue;
        }
        extension_force_begin(w, &f, "");
        for (int c = 0; c < 6; ++c) {
            extension_component(w, extension_wrench[c], c < 3 ? &f.force[c] : &f.torque[c - 3]);
        }
        xml_text_end(&w->xml);
    }
}

// --- the rest of a model -------------------------------------------------------------------------

bool write_family(const model_writer *w, bool *mixed)
{
    int first = -1;
    *mixed = false;
    for (int i = 0; i < w->body_count; ++i) {
        pawl_body_info body = write_body(w, i);
        if (body.shape_count > 0) {
            first = first < 0 ? body.family : first;
            *mixed = *mixed || body.family != first;
        }
    }
    return first > 0 && !*mixed;
}

static void extension_exclude(model_writer *w, pawl_body_id a, pawl_body_id b)
{
    xml_text_begin(&w->xml, "pawl:exclude");
    xml_text_word(&w->xml, "body_a", write_body_name(w, a));
    xml_text_word(&w->xml, "body_b", write_body_name(w, b));
    xml_text_end(&w->xml);
}

// Bodies of one family never touch: pair by pair where there are several families.
static void extension_families(model_writer *w)
{
    bool mixed;
    write_family(w, &mixed);
    for (int a = 0; a < w->body_count && mixed; ++a) {
        pawl_body_info first = write_body(w, a);
        for (int b = a + 1; b < w->body_count && first.family != 0 && first.shape_count > 0; ++b) {
            pawl_body_info second = write_body(w, b);
            if (second.family == first.family && second.shape_count > 0) {
                extension_exclude(w, pawl_model_body_at(w->model, a),
                                  pawl_model_body_at(w->model, b));
            }
        }
    }
}

static void extension_excludes(model_writer *w)
{
    extension_families(w);
    for (int i = 0; i < pawl_model_exclusion_count(w->model); ++i) {
        pawl_body_pair pair = pawl_model_exclusion(w->model, i);
        extension_exclude(w, pair.a, pair.b);
    }
}

static void extension_contact_points(model_writer *w)
{
    xml_text *x = &w->xml;
    for (int i = 0; i < pawl_model_wrench_model_count(w->model); ++i) {
        pawl_wrench_model_def m = pawl_model_wrench_model(w->model, i);
        if (m.kind == PAWL_WRENCH_TABLE || m.kind == PAWL_WRENCH_CUSTOM) {
            write_lose(w, true, "a wrench model by a table or a program, with its contact points",
                       m.name);
            continue;
        }
        xml_text_begin(x, "pawl:wrench_model");
        xml_text_word(x, "name", m.name);
        xml_text_word(x, "kind", pawl_wrench_kind_name(m.kind));
        xml_text_number(x, "stiffness", m.stiffness);
        xml_text_number(x, "power", m.power);
        xml_text_number(x, "zeta", m.zeta);
        xml_text_number(x, "friction", m.friction);
        xml_text_number(x, "directions", m.directions);
        if (m.kind == PAWL_WRENCH_ANISOTROPIC) {
            xml_text_number(x, "friction2", m.friction2);
            xml_text_number(x, "angle", m.angle);
            xml_text_word(x, "axes", m.body_axes ? "body" : "ground");
        } else if (m.kind == PAWL_WRENCH_PATCH) {
            xml_text_number(x, "torsion", m.torsion);
            xml_text_number(x, "rings", m.rings);
        }
        xml_text_end(x);
    }
    for (int i = 0; i < pawl_model_contact_point_count(w->model); ++i) {
        pawl_contact_point_def p = pawl_model_contact_point(w->model, i);
        pawl_wrench_model_def m = pawl_model_wrench_model(w->model, p.wrench_model);
        if (m.kind == PAWL_WRENCH_TABLE || m.kind == PAWL_WRENCH_CUSTOM) {
            continue;
        }
        pawl_pose frame = write_frame(w, p.body, p.frame);
        double rpy[3];
        write_rpy(frame.orientation, rpy);
        if (p.lean != 0.0) {
            write_lose(w, true, "the lean of a contact point", p.name);
        }
        xml_text_begin(x, "pawl:contact_point");
        xml_text_word(x, "name", p.name);
        xml_text_word(x, "body", write_body_name(w, p.body));
        xml_text_numbers(x, "position", &frame.position.x, 3);
        xml_text_numbers(x, "rpy", rpy, 3);
        xml_text_number(x, "radius", p.radius);
        xml_text_numbers(x, "core", &p.core.x, 3);
        xml_text_word(x, "model", m.name);
        xml_text_end(x);
    }
}

static void extension_heightfields(model_writer *w)
{
    xml_text *x = &w->xml;
    for (int i = 0; i < pawl_model_heightfield_count(w->model); ++i) {
        pawl_heightfield_def h = pawl_model_heightfield(w->model, i);
        double rpy[3];
        write_rpy(h.frame.orientation, rpy);
        if (h.surface.visual_only) {
            write_lose(w, true, "a height field that only contact points touch also touches shapes",
                       h.name);
        }
        xml_text_begin(x, "pawl:heightfield");
        xml_text_word(x, "name", h.name);
        xml_text_numbers(x, "position", &h.frame.position.x, 3);
        xml_text_numbers(x, "rpy", rpy, 3);
        xml_text_number(x, "x_count", h.x_count);
        xml_text_number(x, "y_count", h.y_count);
        xml_text_number(x, "dx", h.dx);
        xml_text_number(x, "dy", h.dy);
        xml_text_leaf(x, "pawl:heights", h.heights, h.x_count * h.y_count);
        write_collision_extension(w, &h.surface, false);
        xml_text_end(x);
    }
}

static void extension_starts(model_writer *w)
{
    xml_text *x = &w->xml;
    for (int i = 0; i < pawl_model_start_count(w->model); ++i) {
        pawl_joint_start s = pawl_model_start(w->model, i);
        int count = pawl_model_joint(w->model, s.joint).coordinate_count;
        xml_text_begin(x, "pawl:start");
        xml_text_word(x, "joint", write_joint_name(w, s.joint));
        xml_text_numbers(x, "position", s.position, count);
        xml_text_end(x);
    }
}

static void extension_medium(model_writer *w)
{
    pawl_medium medium = pawl_model_medium(w->model);
    if (medium.density > 0.0) {
        xml_text_begin(&w->xml, "pawl:medium");
        xml_text_number(&w->xml, "density", medium.density);
        xml_text_numbers(&w->xml, "wind", &medium.wind.x, 3);
        xml_text_end(&w->xml);
    }
}

void write_model_extension(model_writer *w)
{
    extension_medium(w);
    extension_gears(w);
    extension_springs(w);
    extension_actuators(w);
    extension_motions(w);
    extension_forces(w);
    extension_excludes(w);
    extension_contact_points(w);
    extension_heightfields(w);
    if (w->format != PAWL_FILE_URDF) { // which has its own
        extension_starts(w);
    }
}
