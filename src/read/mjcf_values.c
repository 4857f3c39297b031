// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Attributes of MJCF. An attribute missing in the element is looked up in its default class and in the classes above;
// in a class the last element of that name that has the attribute is used. All actuators share their defaults.
#include "math/rotation.h"
#include "read/mjcf_parts.h"
#include <math.h>
#include <string.h>

static const double mjcf_degree = 3.14159265358979323846 / 180.0;

static bool mjcf_is_default_of(const xmlNode *node, const char *tag)
{
    static const char *const actuators[] = {"general",     "motor",  "position", "velocity",
                                            "intvelocity", "damper", "cylinder", "muscle",
                                            "adhesion",    "dcmotor"};
    if (strcmp(tag, "actuator") != 0) {
        return xml_is(node, tag);
    }
    for (size_t i = 0; i < sizeof actuators / sizeof actuators[0]; ++i) {
        if (xml_is(node, actuators[i])) {
            return true;
        }
    }
    return false;
}

const char *mjcf_get(const mjcf_element *e, const char *name)
{
    const char *text = e->node != NULL ? xml_attribute(e->node, name) : NULL;
    for (int c = e->tag != NULL ? e->default_class : -1; c >= 0 && text == NULL;) {
        const mjcf_class *k = &PAWL_ITEM(e->spec->classes, mjcf_class, c);
        for (int i = 0; i < k->nodes.count; ++i) {
            XML_EACH (child, PAWL_ITEM(k->nodes, const xmlNode *, i)) {
                if (mjcf_is_default_of(child, e->tag)) {
                    const char *found = xml_attribute(child, name);
                    text = found != NULL ? found : text;
                }
            }
        }
        c = k->parent;
    }
    return text;
}

pawl_status mjcf_numbers(const mjcf_reader *r, const mjcf_element *e, const char *name, double *out,
                         int most, int *count)
{
    const char *text = mjcf_get(e, name);
    *count = 0;
    if (text == NULL) {
        return PAWL_OK;
    }
    int words = xml_word_count(text);
    if (words > most) {
        return xml_error(r->xml, e->node, "<%s> %s: got %d numbers, expected at most %d",
                         e->node->name, name, words, most);
    }
    *count = words;
    return xml_numbers(r->xml, e->node, name, text, XML_MAYBE_INFINITE, out, words);
}

pawl_status mjcf_number(const mjcf_reader *r, const mjcf_element *e, const char *name, double *out)
{
    const char *text = mjcf_get(e, name);
    return text == NULL ? PAWL_OK : xml_numbers(r->xml, e->node, name, text, XML_ANY, out, 1);
}

pawl_status mjcf_vec3(const mjcf_reader *r, const mjcf_element *e, const char *name, pawl_vec3 *out)
{
    const char *text = mjcf_get(e, name);
    double v[3];
    if (text == NULL) {
        return PAWL_OK;
    }
    PAWL_TRY(xml_numbers(r->xml, e->node, name, text, XML_ANY, v, 3));
    *out = v3(v[0], v[1], v[2]);
    return PAWL_OK;
}

pawl_status mjcf_flag(const mjcf_reader *r, const mjcf_element *e, const char *name, bool *out)
{
    const char *text = mjcf_get(e, name);
    if (text != NULL && (strcmp(text, "enable") == 0 || strcmp(text, "disable") == 0)) {
        *out = text[0] == 'e';
        return PAWL_OK;
    }
    return text == NULL ? PAWL_OK : xml_bool(r->xml, e->node, name, text, out);
}

pawl_status mjcf_tristate(const mjcf_reader *r, const mjcf_element *e, const char *name, int *out)
{
    const char *text = mjcf_get(e, name);
    bool flag;
    if (text == NULL || strcmp(text, "auto") == 0) {
        *out = -1;
        return PAWL_OK;
    }
    PAWL_TRY(xml_bool(r->xml, e->node, name, text, &flag));
    *out = flag ? 1 : 0;
    return PAWL_OK;
}

double mjcf_angle_unit(const mjcf_element *e)
{
    return e->spec->compiler.radian ? 1.0 : mjcf_degree;
}

// --- orientations --------------------------------------------------------------------------------

pawl_quat mjcf_euler(const mjcf_compiler *c, const double angles[3])
{
    pawl_quat q = {1.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < 3; ++i) {
        char axis = c->euler_order[i];
        bool fixed = axis >= 'A' && axis <= 'Z';
        int k = (fixed ? axis - 'X' : axis - 'x');
        double half = 0.5 * angles[i];
        pawl_vec3 about = {0};
        v3_set(&about, k, sin(half));
        pawl_quat turn = {cos(half), about.x, about.y, about.z};
        q = fixed ? quat_mul(turn, q) : quat_mul(q, turn);
    }
    return pawl_quat_normalize(q);
}

// The shortest turn of z onto a direction.
pawl_quat mjcf_z_onto(pawl_vec3 d)
{
    double norm = v3_norm(d);
    if (!(norm > 0.0)) {
        return (pawl_quat){1.0, 0.0, 0.0, 0.0};
    }
    d = v3_scale(1.0 / norm, d);
    pawl_vec3 axis = v3_cross(v3(0.0, 0.0, 1.0), d);
    double s = v3_norm(axis);
    if (s < 1e-10) {
        return d.z > 0.0 ? (pawl_quat){1.0, 0.0, 0.0, 0.0} : (pawl_quat){0.0, 1.0, 0.0, 0.0};
    }
    return pawl_quat_from_axis_angle(axis, atan2(s, d.z));
}

static pawl_status mjcf_xy_axes(const mjcf_reader *r, const mjcf_element *e, const double v[6],
                                pawl_quat *out)
{
    pawl_vec3 x = v3(v[0], v[1], v[2]), y = v3(v[3], v[4], v[5]);
    PAWL_TRY(xml_unit_vector(r->xml, e->node, "xyaxes", &x));
    y = v3_axpy(y, -v3_dot(x, y), x);
    PAWL_TRY(xml_unit_vector(r->xml, e->node, "xyaxes", &y));
    *out = pawl_quat_from_axes(x, y);
    return PAWL_OK;
}

static pawl_status mjcf_orientation(const mjcf_reader *r, const mjcf_element *e, pawl_quat *out)
{
    double v[6], unit = mjcf_angle_unit(e);
    int n;
    PAWL_TRY(mjcf_numbers(r, e, "quat", v, 4, &n));
    if (n > 0) {
        pawl_quat q = {v[0], n > 1 ? v[1] : 0.0, n > 2 ? v[2] : 0.0, n > 3 ? v[3] : 0.0};
        if (!quat_finite(q) || quat_norm2(q) < 1e-20) {
            return xml_error(r->xml, e->node, "<%s> quat has no direction", e->node->name);
        }
        *out = pawl_quat_normalize(q);
    }
    PAWL_TRY(mjcf_numbers(r, e, "axisangle", v, 4, &n));
    if (n == 4) {
        pawl_vec3 axis = v3(v[0], v[1], v[2]);
        PAWL_TRY(xml_unit_vector(r->xml, e->node, "axisangle", &axis));
        *out = pawl_quat_from_axis_angle(axis, v[3] * unit);
    }
    PAWL_TRY(mjcf_numbers(r, e, "xyaxes", v, 6, &n));
    if (n == 6) {
        PAWL_TRY(mjcf_xy_axes(r, e, v, out));
    }
    PAWL_TRY(mjcf_numbers(r, e, "zaxis", v, 3, &n));
    if (n == 3) {
        *out = mjcf_z_onto(v3(v[0], v[1], v[2]));
    }
    PAWL_TRY(mjcf_numbers(r, e, "euler", v, 3, &n));
    if (n == 3) {
        const double angles[3] = {v[0] * unit, v[1] * unit, v[2] * unit};
        *out = mjcf_euler(&e->spec->compiler, angles);
    }
    return PAWL_OK;
}

pawl_status mjcf_pose(const mjcf_reader *r, const mjcf_element *e, pawl_pose *out)
{
    *out = pawl_pose_identity();
    PAWL_TRY(mjcf_vec3(r, e, "pos", &out->position));
    PAWL_TRY(mjcf_orientation(r, e, &out->orientation));
    if (!quat_finite(out->orientation)) {
        return xml_error(r->xml, e->node, "<%s>: its orientation is not finite", e->node->name);
    }
    return PAWL_OK;
}

// solref is a time constant and a damping ratio, or -stiffness and -damping of the oscillator that the violation is to
// follow. With k = 1/(T zeta)^2 and b = 2/T of the first form the second one is zeta = b/(2 sqrt k), T = 1/(zeta sqrt k).
pawl_status mjcf_softness(const mjcf_reader *r, const mjcf_element *e, const char *reference,
                          const char *impedance, pawl_softness *out)
{
    double ref[2] = {0.02, 1.0}, imp[5] = {0.9, 0.95, 0.001, 0.5, 2.0};
    const double low = 1e-4, high = 0.9999; // MuJoCo's bounds of impedances
    int n;
    if (!r->xml->mjcf_soft) {
        return mjcf_get(e, reference) == NULL && mjcf_get(e, impedance) == NULL
                   ? PAWL_OK
                   : xml_tally(r->xml, PAWL_LOG_NOTE, e->node,
                               "solref and solimp are not used, because constraints are hard; "
                               "--set mjcf.soft=on takes them",
                               NULL);
    }
    PAWL_TRY(mjcf_numbers(r, e, reference, ref, 2, &n));
    PAWL_TRY(mjcf_numbers(r, e, impedance, imp, 5, &n));
    if (ref[0] <= 0.0 && ref[1] <= 0.0) {
        double root = sqrt(max_of(-ref[0], 1e-12));
        ref[1] = max_of(-ref[1] / (2.0 * root), 1e-6);
        ref[0] = 1.0 / (ref[1] * root);
    }
    *out = (pawl_softness){.time_constant = clamp_to(ref[0], 1e-9, 1e6),
                           .damping_ratio = clamp_to(ref[1], 1e-6, 1e6),
                           .d0 = clamp_to(imp[0], low, high),
                           .dw = clamp_to(imp[1], low, high),
                           .width = max_of(imp[2], 0.0),
                           .midpoint = clamp_to(imp[3], low, high),
                           .power = max_of(imp[4], 1.0)};
    return PAWL_OK;
}
