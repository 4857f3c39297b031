// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Actuators of MJCF. All of MuJoCo's are force = gain u + b0 + b1 l + b2 l' with the control u and the length l = gear q
// of the transmission; that is a position servo where b1 < 0, a velocity servo where b1 = 0 and b2 < 0, a force else. The
// control starts at 0, or at the nearest number of its range.
//
// A site, a free joint or a ball joint of the world has no coordinate along the actuator's axes: there the control at
// the start gives a constant force.
//
// An unsupported actuator is dropped with a warning if it exerts no force at that control; otherwise it is an error.
#include "math/vec.h"
#include "read/mjcf_parts.h"
#include <math.h>
#include <string.h>

typedef struct mjcf_servo {
    double gain, bias[3];
    double control[2];  // range; infinite for none
    double limits[2];   // of the force
    double force;       // the largest of them
    bool acts;          // whether it does something at the start, beyond what gain and bias say
    pawl_muscle muscle; // peak 0 for none
} mjcf_servo;

static pawl_status mjcf_servo_range(const mjcf_reader *r, const mjcf_element *e, const char *name,
                                    const char *limited, double out[2])
{
    int n, state;
    double range[2];
    out[0] = -INFINITY;
    out[1] = INFINITY;
    PAWL_TRY(mjcf_numbers(r, e, name, range, 2, &n));
    PAWL_TRY(mjcf_tristate(r, e, limited, &state));
    if (n == 2 && (state == 1 || (state < 0 && e->spec->compiler.auto_limits)) &&
        range[0] <= range[1]) {
        out[0] = range[0];
        out[1] = range[1];
    }
    return PAWL_OK;
}

// gainprm and biasprm of <general>, which shortcuts set as well.
static pawl_status mjcf_servo_general(const mjcf_reader *r, const mjcf_element *e, mjcf_servo *s)
{
    double v[10];
    int n;
    const char *gain = mjcf_get(e, "gaintype"), *bias = mjcf_get(e, "biastype");
    const char *dynamics = mjcf_get(e, "dyntype");
    PAWL_TRY(mjcf_numbers(r, e, "gainprm", v, 10, &n));
    s->gain = n > 0 ? v[0] : 1.0;
    bool plain = gain == NULL || strcmp(gain, "fixed") == 0 || strcmp(gain, "affine") == 0;
    for (int i = 1; i < n; ++i) { // a gain that depends on the length
        plain = plain && (v[i] == 0.0 || gain == NULL || strcmp(gain, "affine") != 0);
    }
    PAWL_TRY(mjcf_numbers(r, e, "biasprm", v, 10, &n));
    if (bias != NULL && strcmp(bias, "affine") == 0) {
        for (int i = 0; i < 3 && i < n; ++i) {
            s->bias[i] = v[i];
        }
    } else if (bias != NULL && strcmp(bias, "none") != 0) {
        plain = false;
    }
    bool known = dynamics == NULL || strcmp(dynamics, "none") == 0 ||
                 strncmp(dynamics, "filter", 6) == 0 || strcmp(dynamics, "integrator") == 0;
    s->acts = !plain || !known;
    return PAWL_OK;
}

// A direct current motor: current (u - K w)/R, torque K by it. With anything more than K and R it acts by other laws.
static pawl_status mjcf_servo_current(const mjcf_reader *r, const mjcf_element *e, mjcf_servo *s)
{
    static const char *const more[] = {"nominal",    "saturation", "inductance", "cogging",
                                       "controller", "thermal",    "lugre",      "input",
                                       "damping",    "armature"};
    double constant = 0.0, resistance = 0.0;
    PAWL_TRY(mjcf_number(r, e, "motorconst", &constant));
    PAWL_TRY(mjcf_number(r, e, "resistance", &resistance));
    s->acts = !(constant > 0.0) || !(resistance > 0.0);
    for (size_t i = 0; i < sizeof more / sizeof more[0]; ++i) {
        s->acts = s->acts || mjcf_get(e, more[i]) != NULL;
    }
    s->gain = s->acts ? 0.0 : constant / resistance;
    s->bias[2] = -s->gain * constant;
    return PAWL_OK;
}

static pawl_status mjcf_servo_read(mjcf_reader *r, const mjcf_element *e, mjcf_servo *s)
{
    double kp = 1.0, kv = 0.0, ratio = 0.0;
    *s = (mjcf_servo){.gain = 1.0};
    PAWL_TRY(mjcf_muscle_read(r, e, &s->muscle));
    if (s->muscle.peak != 0.0 || xml_is(e->node, "muscle")) {
        const char *dynamics = mjcf_get(e, "dyntype");
        s->gain = 0.0;
        if (xml_is(e->node, "muscle") || (dynamics != NULL && strcmp(dynamics, "none") != 0)) {
            PAWL_TRY(xml_tally(r->xml, PAWL_LOG_NOTE, e->node,
                               "the activation of a muscle follows its control at once",
                               xml_attribute(e->node, "name")));
        }
    } else if (xml_is(e->node, "general")) {
        PAWL_TRY(mjcf_servo_general(r, e, s));
    } else if (xml_is(e->node, "position") || xml_is(e->node, "intvelocity")) {
        PAWL_TRY(mjcf_number(r, e, "kp", &kp));
        PAWL_TRY(mjcf_number(r, e, "kv", &kv));
        PAWL_TRY(mjcf_number(r, e, "dampratio", &ratio));
        s->gain = kp;
        s->bias[1] = -kp;
        s->bias[2] = ratio > 0.0 ? ratio : -kv; // above 0: a ratio, see mjcf_servo_damp()
    } else if (xml_is(e->node, "velocity")) {
        kv = 1.0;
        PAWL_TRY(mjcf_number(r, e, "kv", &kv));
        s->gain = kv;
        s->bias[2] = -kv;
    } else if (xml_is(e->node, "cylinder")) {
        PAWL_TRY(mjcf_number(r, e, "area", &s->gain));
        int n;
        PAWL_TRY(mjcf_numbers(r, e, "bias", s->bias, 3, &n));
    } else if (xml_is(e->node, "adhesion")) {
        PAWL_TRY(mjcf_number(r, e, "gain", &s->gain));
    } else if (xml_is(e->node, "damper")) {
        s->gain = 0.0; // nothing at control 0
    } else if (xml_is(e->node, "dcmotor")) {
        PAWL_TRY(mjcf_servo_current(r, e, s));
    } else if (!xml_is(e->node, "motor")) {
        s->acts = true;
    }
    PAWL_TRY(mjcf_servo_range(r, e, "ctrlrange", "ctrllimited", s->control));
    PAWL_TRY(mjcf_servo_range(r, e, "forcerange", "forcelimited", s->limits));
    s->force = max_of(fabs(s->limits[0]), fabs(s->limits[1]));
    return PAWL_OK;
}

// A positive bias[2] of a position servo is a damping ratio: kv = 2 ratio sqrt(kp m), with the inertia m that the
// transmission sees in the configuration of the file.
static pawl_status mjcf_servo_damp(mjcf_reader *r, mjcf_servo *s, const mjcf_term *terms, int count,
                                   double gear)
{
    double inertia;
    if (!(s->bias[2] > 0.0 && s->gain == -s->bias[1] && s->gain > 0.0)) {
        return PAWL_OK;
    }
    PAWL_TRY(mjcf_dofs_reflected(r, terms, count, gear, &inertia));
    s->bias[2] = -2.0 * s->bias[2] * sqrt(s->gain * inertia);
    return PAWL_OK;
}

// Left out where it does nothing at the start, an error where it does.
static pawl_status mjcf_actuator_skip(const mjcf_reader *r, const mjcf_element *e,
                                      const mjcf_servo *s, const char *why)
{
    double start = s->gain * clamp_to(0.0, s->control[0], s->control[1]) + s->bias[0];
    if (s->acts || start != 0.0 || s->bias[1] != 0.0 || s->bias[2] != 0.0) {
        return xml_unsupported(
            r->xml, e->node, "actuator '%s': %s is not supported%s",
            xml_attribute(e->node, "name") != NULL ? xml_attribute(e->node, "name")
                                                   : (const char *)e->node->name,
            why, r->xml->lenient ? " and left out" : "; --lenient leaves it out");
    }
    return xml_tally(
        r->xml, PAWL_LOG_WARNING, e->node,
        "an actuator that pawl cannot drive is left out; it exerts nothing at control 0",
        xml_attribute(e->node, "name"));
}

// The force of a servo whose bias is constant, and the largest that its control can ask for.
static void mjcf_servo_force(const mjcf_servo *s, double gear, pawl_actuator_def *def)
{
    double start = s->gain * clamp_to(0.0, s->control[0], s->control[1]) + s->bias[0];
    double most = fabs(s->gain * gear) * max_of(fabs(s->control[0]), fabs(s->control[1]));
    def->target = pawl_signal_constant(start * gear);
    def->effort = fmin(def->effort, isfinite(most) ? most : INFINITY);
}

// On one coordinate: l = gear q, and the force on q is gear times the actuator's.
static pawl_status mjcf_actuator_add(mjcf_reader *r, const mjcf_element *e, const mjcf_servo *s,
                                     const char *name, const mjcf_joint *joint, double gear)
{
    pawl_actuator_def def = pawl_actuator_def_default();
    double start = s->gain * clamp_to(0.0, s->control[0], s->control[1]) + s->bias[0];
    def.name = name;
    def.joint = joint->id;
    def.effort = fmin(s->force * fabs(gear), joint->effort);
    if (s->acts) {
        return mjcf_actuator_skip(r, e, s,
                                  xml_is(e->node, "dcmotor")
                                      ? "a dcmotor of more than motorconst and resistance"
                                      : "its law of force");
    }
    if (s->bias[1] > 0.0 || s->bias[2] > 0.0) {
        return mjcf_actuator_skip(r, e, s, "a bias that pushes away");
    }
    if (s->limits[0] != -s->limits[1]) {
        PAWL_TRY(xml_tally(r->xml, PAWL_LOG_WARNING, e->node,
                           "a forcerange that is not symmetric holds in both directions with the "
                           "larger of its numbers",
                           name));
    }
    if (gear == 0.0) {
        return PAWL_OK;
    }
    if (s->muscle.peak > 0.0) {
        def.kind = PAWL_ACTUATOR_FORCE;
        def.muscle = s->muscle;
        def.target = pawl_signal_constant(clamp_to(0.0, s->control[0], s->control[1]));
    } else if (s->bias[1] < 0.0) {
        def.kind = PAWL_ACTUATOR_POSITION;
        def.stiffness = -s->bias[1] * gear * gear;
        def.damping = -s->bias[2] * gear * gear;
        def.target = pawl_signal_constant(start / -s->bias[1] / gear);
    } else if (s->bias[2] < 0.0) {
        def.kind = PAWL_ACTUATOR_VELOCITY;
        def.damping = -s->bias[2] * gear * gear;
        def.target = pawl_signal_constant(start / -s->bias[2] / gear);
    } else {
        def.kind = PAWL_ACTUATOR_FORCE;
        mjcf_servo_force(s, gear, &def);
    }
    return xml_refused(r->xml, e->node, "actuator", name != NULL ? name : "",
                       pawl_builder_add_actuator(r->builder, &def, NULL));
}

static pawl_status mjcf_actuator_tendon(mjcf_reader *r, const mjcf_element *e, const mjcf_servo *s,
                                        const char *name, int index, double gear)
{
    const mjcf_tendon *t = MJCF_TENDON_AT(r, index);
    if (!t->fixed || t->id.index1 != 0 || s->bias[1] != 0.0 || s->bias[2] != 0.0 ||
        s->muscle.peak > 0.0) {
        mjcf_joint length = {.effort = INFINITY};
        mjcf_servo own = *s;
        PAWL_TRY(mjcf_tendon_coordinate(r, index, &length.id));
        own.bias[0] += s->bias[1] * gear * t->offset;
        own.muscle.offset = gear * t->offset;
        return length.id.index1 != 0
                   ? mjcf_actuator_add(r, e, &own, name, &length, gear)
                   : xml_tally(r->xml, PAWL_LOG_NOTE, e->node,
                               "an actuator on a tendon of constant length does nothing", name);
    }
    for (int i = 0; i < t->terms.count; ++i) {
        const mjcf_term *term = &PAWL_ITEM(t->terms, mjcf_term, i);
        const mjcf_joint *joint = MJCF_JOINT_AT(r, term->joint);
        const char *own =
            t->terms.count == 1 || name == NULL ? name : mjcf_concat(r, name, "::", joint->name);
        PAWL_TRY(mjcf_actuator_add(r, e, s, own, joint, gear * term->coef));
    }
    return PAWL_OK;
}

// A slider-crank: a span that measures where the slider is.
static pawl_status mjcf_actuator_crank(mjcf_reader *r, const mjcf_element *e, const mjcf_servo *s,
                                       const char *name, double gear)
{
    pawl_joint_def def = pawl_joint_def_default();
    mjcf_joint length = {.effort = INFINITY};
    mjcf_servo own = *s;
    int crank, slider;
    PAWL_TRY(mjcf_refer(r, e, "cranksite", MJCF_SITE, "site", &crank));
    PAWL_TRY(mjcf_refer(r, e, "slidersite", MJCF_SITE, "site", &slider));
    PAWL_TRY(mjcf_number(r, e, "cranklength", &def.wrap.radius));
    if (crank < 0 || slider < 0 || !(def.wrap.radius > 0.0)) {
        return xml_error(r->xml, e->node,
                         "a slider-crank has a cranksite, a slidersite and a cranklength above 0");
    }
    const mjcf_site *pin = MJCF_SITE_AT(r, crank), *rail = MJCF_SITE_AT(r, slider);
    pawl_pose at_pin = pawl_pose_compose(mjcf_in_carrier(r, pin->body, &def.follower), pin->pose);
    def.base_frame = pawl_pose_compose(mjcf_in_carrier(r, rail->body, &def.base), rail->pose);
    def.follower_frame.position = at_pin.position;
    def.wrap.kind = PAWL_WRAP_CRANK;
    def.wrap.frame = def.base_frame;
    def.kind = PAWL_JOINT_SPAN;
    def.name = mjcf_concat(r, name != NULL ? name : "slider", "::crank", "");
    if (def.name == NULL) {
        return PAWL_NO_MEMORY;
    }
    if (pawl_body_is_world(def.follower) || pawl_body_same(def.base, def.follower)) {
        return mjcf_actuator_skip(r, e, s, "a slider-crank whose pin does not move");
    }
    PAWL_TRY(xml_refused(r->xml, e->node, "actuator", def.name,
                         pawl_builder_add_joint(r->builder, &def, &length.id)));
    const mjcf_term rod = {
        .joint = -1,
        .coef = 1.0,
        .span = &def,
        .carrier = {MJCF_BODY_AT(r, rail->body)->carrier, MJCF_BODY_AT(r, pin->body)->carrier}};
    PAWL_TRY(mjcf_servo_damp(r, &own, &rod, 1, gear));
    return mjcf_actuator_add(r, e, &own, name, &length, gear);
}

// A constant force and torque on a body, in the axes of `at` (in the link frame); of a free joint the force is in world axes.
static pawl_status mjcf_actuator_push(mjcf_reader *r, const mjcf_element *e, const mjcf_servo *s,
                                      const char *name, pawl_body_id body, pawl_pose at,
                                      const double gear[6], bool in_world)
{
    double control = clamp_to(0.0, s->control[0], s->control[1]);
    double size = clamp_to(s->gain * control + s->bias[0], s->limits[0], s->limits[1]);
    pawl_vec3 force = v3(size * gear[0], size * gear[1], size * gear[2]);
    pawl_vec3 torque = v3(size * gear[3], size * gear[4], size * gear[5]);
    force = in_world ? force : pawl_quat_rotate(at.orientation, force);
    torque = pawl_quat_rotate(at.orientation, torque);
    for (int turns = 0; turns < 2; ++turns) { // the torque, and the force if it has other axes
        pawl_force_def def = pawl_force_def_default();
        bool last = turns == 0 && !in_world;
        def.name = turns == 0 ? name : NULL;
        def.body = body;
        def.point = at.position;
        def.in_body_axes = turns == 0;
        for (int i = 0; i < 3; ++i) {
            bool pushes = last || turns == 1;
            def.force[i] = pawl_signal_constant(pushes ? v3_get(force, i) : 0.0);
            def.torque[i] = pawl_signal_constant(turns == 0 ? v3_get(torque, i) : 0.0);
        }
        PAWL_TRY(xml_refused(r->xml, e->node, "actuator", name != NULL ? name : "",
                             pawl_builder_add_force(r->builder, &def, NULL)));
        if (last) {
            break;
        }
    }
    return xml_tally(r->xml, PAWL_LOG_NOTE, e->node,
                     "an actuator on a site, a free or a ball joint is a constant force, that of "
                     "its control at the start",
                     name);
}

// On what has no coordinate of its own: without a spring or damper the force does not depend on the motion. A site without
// another one to measure from has the length 0.
static pawl_status mjcf_actuator_place(mjcf_reader *r, const mjcf_element *e, const mjcf_servo *s,
                                       const char *name, int joint, int site, const double gear[6])
{
    int reference;
    PAWL_TRY(mjcf_refer(r, e, "refsite", MJCF_SITE, "site", &reference));
    double start = s->gain * clamp_to(0.0, s->control[0], s->control[1]) + s->bias[0];
    if (site >= 0 && reference >= 0) {
        return mjcf_actuator_skip(r, e, s, "a refsite");
    }
    if (s->acts || s->bias[2] != 0.0 || (site < 0 && s->bias[1] != 0.0)) {
        return mjcf_actuator_skip(r, e, s,
                                  site >= 0 ? "other than a plain force on a site"
                                            : "other than a plain force on a ball or "
                                              "free joint");
    }
    if (start == 0.0) {
        return mjcf_actuator_skip(r, e, &(mjcf_servo){.control = {0.0, 0.0}}, "");
    }
    pawl_body_id body = PAWL_WORLD;
    if (site >= 0) {
        const mjcf_site *at = MJCF_SITE_AT(r, site);
        pawl_pose pose = mjcf_in_carrier(r, at->body, &body);
        pose = pawl_pose_compose(pose, at->pose);
        return pawl_body_is_world(body)
                   ? PAWL_OK
                   : mjcf_actuator_push(r, e, s, name, body, pose, gear, false);
    }
    const mjcf_joint *j = MJCF_JOINT_AT(r, joint);
    const mjcf_body *b = MJCF_BODY_AT(r, j->body);
    if (j->type == MJCF_BALL &&
        (b->joint_count > 1 || MJCF_BODY_AT(r, b->parent)->carrier != MJCF_WORLD)) {
        return mjcf_actuator_skip(r, e, s, "a ball joint between moving bodies");
    }
    // A free joint is pushed along the world's axes and turned about the body's, a ball joint turned about the body's.
    const double turn[6] = {0.0, 0.0, 0.0, gear[0], gear[1], gear[2]};
    bool is_free = j->type == MJCF_FREE;
    return mjcf_actuator_push(r, e, s, name, b->id, pawl_pose_identity(), is_free ? gear : turn,
                              is_free);
}

// On all contacts of a body. It is named by the last joint of the body that carries it.
static pawl_status mjcf_actuator_adhesion(mjcf_reader *r, const mjcf_element *e,
                                          const mjcf_servo *s, const char *name, int body)
{
    pawl_actuator_def def = pawl_actuator_def_default();
    const mjcf_body *carrier = MJCF_BODY_AT(r, MJCF_BODY_AT(r, body)->carrier);
    if (carrier->joint_count == 0) {
        return mjcf_actuator_skip(r, e, s, "adhesion of a body that does not move");
    }
    if (s->acts || s->bias[1] != 0.0 || s->bias[2] != 0.0) {
        return mjcf_actuator_skip(r, e, s, "adhesion by other than a fixed gain");
    }
    if (carrier != MJCF_BODY_AT(r, body)) {
        PAWL_TRY(xml_tally(r->xml, PAWL_LOG_NOTE, e->node,
                           "adhesion of a welded body acts at all contacts of what it is part of",
                           MJCF_BODY_AT(r, body)->name));
    }
    def.name = name;
    def.kind = PAWL_ACTUATOR_ADHESION;
    def.joint = MJCF_JOINT_AT(r, carrier->first_joint + carrier->joint_count - 1)->id;
    def.effort = s->force;
    mjcf_servo_force(s, 1.0, &def);
    return xml_refused(r->xml, e->node, "actuator", name != NULL ? name : "",
                       pawl_builder_add_actuator(r->builder, &def, NULL));
}

static pawl_status mjcf_actuator_read(mjcf_reader *r, const mjcf_element *e)
{
    mjcf_servo s;
    double gear[6] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    int joint, in_parent, tendon, body, site, n;
    const char *name = xml_attribute(e->node, "name");
    if (name != NULL) {
        name = mjcf_concat(r, e->spec->prefix, name, e->spec->suffix);
        if (name == NULL) {
            return PAWL_NO_MEMORY;
        }
    }
    PAWL_TRY(mjcf_servo_read(r, e, &s));
    PAWL_TRY(mjcf_numbers(r, e, "gear", gear, 6, &n));
    PAWL_TRY(mjcf_refer(r, e, "joint", MJCF_JOINT, "joint", &joint));
    PAWL_TRY(mjcf_refer(r, e, "jointinparent", MJCF_JOINT, "joint", &in_parent));
    PAWL_TRY(mjcf_refer(r, e, "tendon", MJCF_TENDON, "tendon", &tendon));
    PAWL_TRY(mjcf_refer(r, e, "body", MJCF_BODY, "body", &body));
    joint = joint >= 0 ? joint : in_parent;
    if (xml_is(e->node, "position") && mjcf_get(e, "inheritrange") != NULL && joint >= 0 &&
        MJCF_JOINT_AT(r, joint)->ranged) {
        s.control[0] = MJCF_JOINT_AT(r, joint)->coordinate.lower;
        s.control[1] = MJCF_JOINT_AT(r, joint)->coordinate.upper;
    }
    if (tendon >= 0 || (joint >= 0 && MJCF_JOINT_AT(r, joint)->type >= MJCF_SLIDE)) {
        PAWL_TRY(mjcf_muscle_fit(r, e, joint, tendon, gear[0], &s.muscle));
    }
    s.acts = s.acts || s.muscle.peak < 0.0; // no place for a muscle elsewhere
    if (joint >= 0 && MJCF_JOINT_AT(r, joint)->type >= MJCF_SLIDE) {
        const mjcf_term alone = {.joint = joint, .coef = 1.0};
        PAWL_TRY(mjcf_servo_damp(r, &s, &alone, 1, gear[0]));
        return mjcf_actuator_add(r, e, &s, name, MJCF_JOINT_AT(r, joint), gear[0]);
    }
    if (tendon >= 0) {
        mjcf_tendon *t = MJCF_TENDON_AT(r, tendon);
        PAWL_TRY(mjcf_path_lay(r, t));
        if (t->terms.count > 0) {
            PAWL_TRY(mjcf_servo_damp(r, &s, &PAWL_ITEM(t->terms, mjcf_term, 0), t->terms.count,
                                     gear[0]));
        }
        return mjcf_actuator_tendon(r, e, &s, name, tendon, gear[0]);
    }
    if (body >= 0) {
        return mjcf_actuator_adhesion(r, e, &s, name, body);
    }
    if (mjcf_get(e, "cranksite") != NULL) {
        return mjcf_actuator_crank(r, e, &s, name, gear[0]);
    }
    PAWL_TRY(mjcf_refer(r, e, "site", MJCF_SITE, "site", &site));
    if (joint >= 0 && joint == in_parent) {
        return mjcf_actuator_skip(r, e, &s, "jointinparent of a ball or free joint");
    }
    if (joint >= 0 || site >= 0) {
        return mjcf_actuator_place(r, e, &s, name, joint, site, gear);
    }
    return mjcf_actuator_skip(r, e, &s, "a transmission that is no joint, tendon, site or body");
}

pawl_status mjcf_actuators_read(mjcf_reader *r, const mjcf_spec *spec, const xmlNode *section)
{
    mjcf_children children;
    PAWL_TRY(mjcf_list(r, section, &children));
    for (int i = 0; i < children.count; ++i) {
        mjcf_element e = {.node = children.nodes[i], .spec = spec, .tag = "actuator"};
        if (!mjcf_is_here(r, &e)) {
            continue;
        }
        if (xml_is(e.node, "plugin")) {
            PAWL_TRY(xml_unsupported(r->xml, e.node, "<plugin> in <actuator> is not supported"));
            continue;
        }
        PAWL_TRY(mjcf_class_of(r, spec, e.node, "class", 0, &e.default_class));
        PAWL_TRY(mjcf_actuator_read(r, &e));
    }
    return PAWL_OK;
}
