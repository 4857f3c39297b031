// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Putting linkages together and writing them as files.
#include "support/linkage.h"
#include "support/random.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void linkage_begin(linkage *l, const char *name)
{
    memset(l, 0, sizeof *l);
    snprintf(l->name, sizeof l->name, "%s", name);
    l->gravity = v3(0.0, 0.0, -9.81);
}

static void linkage_assert(bool condition, const char *what)
{
    if (!condition) { // a mistake in whoever made the linkage
        fprintf(stderr, "linkage: %s\n", what);
        abort();
    }
}

int linkage_add_body(linkage *l)
{
    linkage_assert(l->body_count < LINKAGE_MAX_BODIES, "too many bodies");
    l->bodies[l->body_count] = (linkage_body){.pose = pawl_pose_identity()};
    return l->body_count++;
}

int linkage_add_rod(linkage *l, pawl_vec3 a, pawl_vec3 b, pawl_vec3 side, double mass, double width)
{
    int body = linkage_add_body(l);
    linkage_body *r = &l->bodies[body];
    pawl_vec3 along = v3_sub(b, a);
    double length = v3_norm(along);
    r->pose = (pawl_pose){a, pawl_quat_from_axes(along, side)};
    r->mass = mass;
    r->com = v3(0.5 * length, 0.0, 0.0);
    r->inertia[0] = mass * width * width / 6.0;
    r->inertia[1] = r->inertia[2] = mass * length * length / 12.0;
    return body;
}

int linkage_add_joint(linkage *l, pawl_joint_kind kind, int base, int follower, pawl_vec3 point,
                      pawl_vec3 axis)
{
    linkage_assert(l->joint_count < LINKAGE_MAX_JOINTS, "too many joints");
    linkage_assert(follower >= 0 && base != follower, "a joint ties a body to itself");
    l->joints[l->joint_count] = (linkage_joint){.kind = kind,
                                                .base = base,
                                                .follower = follower,
                                                .point = point,
                                                .axis = v3_scale(1.0 / v3_norm(axis), axis)};
    return l->joint_count++;
}

static bool linkage_has(const linkage_joint *j, int body)
{
    return j->base == body || j->follower == body;
}

void linkage_finish(linkage *l, uint64_t *seed)
{
    for (int i = 0; i < l->body_count; ++i) {
        linkage_body *b = &l->bodies[i];
        if (b->mass > 0.0) {
            continue;
        }
        pawl_vec3 centre = {0.0, 0.0, 0.0};
        int count = 0;
        for (int k = 0; k < l->joint_count; ++k) {
            if (linkage_has(&l->joints[k], i)) {
                centre = v3_add(centre, l->joints[k].point);
                ++count;
            }
        }
        linkage_assert(count > 0, "a body without joints needs a mass");
        centre = v3_scale(1.0 / count, centre);
        double size = 0.15;
        for (int k = 0; k < l->joint_count; ++k) {
            if (linkage_has(&l->joints[k], i)) {
                size = fmax(size, v3_norm(v3_sub(l->joints[k].point, centre)));
            }
        }
        b->mass = random_in(seed, 0.5, 2.0);
        b->pose = (pawl_pose){v3_add(centre, random_vec(seed, 0.3 * size)), random_quat(seed)};
        b->com = pawl_pose_apply(pawl_pose_inverse(b->pose),
                                 v3_add(centre, random_vec(seed, 0.2 * size)));
        double s = b->mass * size * size / 3.0;
        double p = random_in(seed, 0.1, 1.0), q = random_in(seed, 0.1, 1.0),
               r = random_in(seed, 0.1, 1.0);
        b->inertia[0] = s * (q + r), b->inertia[1] = s * (p + r), b->inertia[2] = s * (p + q);
    }
}

void linkage_place(linkage *l, pawl_pose pose)
{
    for (int i = 0; i < l->body_count; ++i) {
        linkage_body *b = &l->bodies[i];
        b->pose = pawl_pose_compose(pose, b->pose);
        b->twist.linear = pawl_quat_rotate(pose.orientation, b->twist.linear);
        b->twist.angular = pawl_quat_rotate(pose.orientation, b->twist.angular);
    }
    for (int k = 0; k < l->joint_count; ++k) {
        linkage_joint *j = &l->joints[k];
        j->point = pawl_pose_apply(pose, j->point);
        j->axis = pawl_quat_rotate(pose.orientation, j->axis);
        j->axis2 = pawl_quat_rotate(pose.orientation, j->axis2);
        j->gap = pawl_quat_rotate(pose.orientation, j->gap);
    }
}

void linkage_join(linkage *l, const linkage *other)
{
    int first = l->body_count;
    for (int i = 0; i < other->body_count; ++i) {
        l->bodies[linkage_add_body(l)] = other->bodies[i];
    }
    for (int k = 0; k < other->joint_count; ++k) {
        linkage_assert(l->joint_count < LINKAGE_MAX_JOINTS, "too many joints");
        linkage_joint j = other->joints[k];
        j.base += j.base == PAWL_WORLD_INDEX ? 0 : first;
        j.follower += first;
        l->joints[l->joint_count++] = j;
    }
    l->redundant += other->redundant;
    l->mobility += other->mobility;
}

void linkage_spin(linkage *l, pawl_vec3 linear, pawl_vec3 angular)
{
    for (int i = 0; i < l->body_count; ++i) {
        linkage_body *b = &l->bodies[i];
        b->twist.linear = v3_add(linear, v3_cross(angular, b->pose.position));
        b->twist.angular = angular;
    }
}

void linkage_disturb(linkage *l, double size, uint64_t *seed)
{
    for (int i = 0; i < l->body_count; ++i) {
        linkage_body *b = &l->bodies[i];
        b->mass *= 1.0 + random_in(seed, -size, size);
        b->com = v3_add(b->com, random_vec(seed, size));
        double factor = 1.0 + random_in(seed, -size, size);
        for (int c = 0; c < 3; ++c) {
            b->inertia[c] *= factor;
        }
    }
    l->gravity = v3_add(l->gravity, random_vec(seed, size * v3_norm(l->gravity)));
}

// ---- files ---------------------------------------------------------------------------------------

typedef struct linkage_text {
    char *text;
    size_t used, size;
    int digits;
} linkage_text;

__attribute__((format(printf, 2, 3))) static void text_add(linkage_text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(t->text + t->used, t->size - t->used, format, arguments);
    va_end(arguments);
    linkage_assert(length >= 0 && t->used + (size_t)length < t->size, "the file is too long");
    t->used += (size_t)length;
}

static void text_number(linkage_text *t, double x)
{
    if (t->digits >= LINKAGE_EXACT) {
        text_add(t, " %.17g", x);
    } else {
        text_add(t, " %.*f", t->digits, x);
    }
}

static void text_vector(linkage_text *t, pawl_vec3 v)
{
    text_number(t, v.x);
    text_number(t, v.y);
    text_number(t, v.z);
}

static void text_pose(linkage_text *t, const char *element, pawl_pose p)
{
    pawl_mat3 r = quat_matrix(p.orientation);
    double flat = hypot(r.m[0][0], r.m[1][0]);
    pawl_vec3 rpy = {atan2(r.m[2][1], r.m[2][2]), atan2(-r.m[2][0], flat),
                     atan2(r.m[1][0], r.m[0][0])};
    if (flat < 1e-12) { // straight up: roll and yaw turn about one axis
        rpy.x = 0.0;
        rpy.z = atan2(-r.m[0][1], r.m[1][1]);
    }
    text_add(t, "<%s>", element);
    text_vector(t, p.position);
    text_vector(t, rpy);
    text_add(t, "</%s>", element);
}

static void text_axis(linkage_text *t, const char *element, pawl_vec3 axis)
{
    text_add(t, "<%s><xyz>", element);
    text_vector(t, axis);
    text_add(t, "</xyz></%s>", element);
}

static void text_body(linkage_text *t, const linkage_body *b, int index)
{
    text_add(t, "<link name=\"b%d\">", index);
    text_pose(t, "pose", b->pose);
    // masses are no part of the geometry: always exact
    text_add(t,
             "<inertial><pose>%.17g %.17g %.17g 0 0 0</pose><mass>%.17g</mass><inertia>"
             "<ixx>%.17g</ixx><iyy>%.17g</iyy><izz>%.17g</izz></inertia></inertial>",
             b->com.x, b->com.y, b->com.z, b->mass, b->inertia[0], b->inertia[1], b->inertia[2]);
    if (b->foot > 0.0) {
        text_add(t, "<collision name=\"foot\"><pose>");
        text_vector(t, b->foot_point);
        text_add(t, " 0 0 0</pose><geometry><sphere><radius>%.17g</radius></sphere></geometry>",
                 b->foot);
        text_add(t, "<pawl:friction>0.8</pawl:friction><pawl:restitution>%.17g</pawl:restitution>",
                 b->foot_restitution);
        text_add(t, "</collision>");
    }
    if (v3_max_abs(b->twist.linear) > 0.0 || v3_max_abs(b->twist.angular) > 0.0) {
        text_add(t, "<pawl:twist>");
        text_vector(t, b->twist.linear);
        text_vector(t, b->twist.angular);
        text_add(t, "</pawl:twist>");
    }
    text_add(t, "</link>\n");
}

static const char *linkage_type(pawl_joint_kind kind)
{
    switch (kind) {
    case PAWL_JOINT_REVOLUTE:
        return "revolute";
    case PAWL_JOINT_PRISMATIC:
        return "prismatic";
    case PAWL_JOINT_CYLINDRICAL:
        return "pawl:cylindrical";
    case PAWL_JOINT_SPHERICAL:
        return "ball";
    case PAWL_JOINT_UNIVERSAL:
        return "universal";
    case PAWL_JOINT_FIXED:
        return "fixed";
    default:
        linkage_assert(false, "no such joint in linkages");
        return NULL;
    }
}

static bool linkage_has_axis(pawl_joint_kind kind)
{
    return kind != PAWL_JOINT_SPHERICAL && kind != PAWL_JOINT_FIXED;
}

// The follower's half has the joint's pose and axes as exporters write them: a point in the child's
// frame and an axis. Where both halves are stated, each is a whole pose with the axis along its x.
static void text_joint(linkage_text *t, const linkage *l, int index)
{
    const linkage_joint *j = &l->joints[index];
    const linkage_body *f = &l->bodies[j->follower];
    pawl_pose child = pawl_pose_inverse(f->pose);
    char parent[16] = "world";
    if (j->base != PAWL_WORLD_INDEX) {
        snprintf(parent, sizeof parent, "b%d", j->base);
    }
    text_add(t, "<joint name=\"j%d\" type=\"%s\"><parent>%s</parent><child>b%d</child>", index,
             linkage_type(j->kind), parent, j->follower);
    pawl_pose point = {pawl_pose_apply(child, j->point), {1.0, 0.0, 0.0, 0.0}};
    if (!l->both_sides && v3_max_abs(j->gap) == 0.0) {
        text_pose(t, "pose", point);
        if (linkage_has_axis(j->kind)) {
            text_axis(t, "axis", pawl_quat_rotate(child.orientation, j->axis));
        }
        if (j->kind == PAWL_JOINT_UNIVERSAL) {
            text_axis(t, "axis2", pawl_quat_rotate(child.orientation, j->axis2));
        }
    } else {
        pawl_pose world = {j->point, pawl_quat_from_axes(j->axis, j->axis2)};
        pawl_pose far = {v3_add(j->point, j->gap), world.orientation};
        pawl_pose base =
            j->base == PAWL_WORLD_INDEX ? pawl_pose_identity() : l->bodies[j->base].pose;
        text_pose(t, "pose", pawl_pose_compose(child, world));
        if (linkage_has_axis(j->kind)) {
            text_add(t, "<axis><xyz>1 0 0</xyz></axis>");
        }
        if (j->kind == PAWL_JOINT_UNIVERSAL) {
            text_add(t, "<axis2><xyz>0 1 0</xyz></axis2>");
        }
        text_pose(t, "pawl:parent_pose", pawl_pose_compose(pawl_pose_inverse(base), far));
    }
    text_add(t, "</joint>\n");
}

char *linkage_sdf(const linkage *l, int digits)
{
    linkage_text t = {.size = 2048 + 1024 * (size_t)(l->body_count + l->joint_count),
                      .digits = digits};
    t.text = malloc(t.size);
    linkage_assert(t.text != NULL, "no memory");
    text_add(&t,
             "<?xml version=\"1.0\"?>\n<sdf version=\"1.10\" xmlns:pawl=\"urn:pawl:sdf\">"
             "<world name=\"w\"><gravity>%.17g %.17g %.17g</gravity>\n",
             l->gravity.x, l->gravity.y, l->gravity.z);
    if (l->floor) {
        text_add(&t, "<model name=\"ground\"><static>true</static><link name=\"ground\">"
                     "<collision name=\"floor\"><geometry><plane><normal>0 0 1</normal></plane>"
                     "</geometry><pawl:friction>0.8</pawl:friction></collision></link></model>\n");
    }
    text_add(&t, "<model name=\"%s\">\n", l->name);
    for (int i = 0; i < l->body_count; ++i) {
        text_body(&t, &l->bodies[i], i);
    }
    for (int k = 0; k < l->joint_count; ++k) {
        text_joint(&t, l, k);
    }
    text_add(&t, "</model></world></sdf>\n");
    return t.text;
}

// ---- rank ----------------------------------------------------------------------------------------

int linkage_rows(const linkage *l)
{
    int rows = 0;
    for (int k = 0; k < l->joint_count; ++k) {
        rows += pawl_joint_kind_rows(l->joints[k].kind);
    }
    return rows;
}

// Directions along which a joint's point cannot move, then those about which it cannot turn.
static int rank_directions(const linkage_joint *j, pawl_vec3 out[6], int *turns)
{
    pawl_quat q = pawl_quat_from_axes(j->axis, j->axis2);
    pawl_vec3 x = pawl_quat_rotate(q, v3(1, 0, 0)), y = pawl_quat_rotate(q, v3(0, 1, 0)),
              z = pawl_quat_rotate(q, v3(0, 0, 1));
    int n = 0;
    if (j->kind != PAWL_JOINT_PRISMATIC && j->kind != PAWL_JOINT_CYLINDRICAL) {
        out[n++] = x;
    }
    out[n++] = y;
    out[n++] = z;
    *turns = n;
    switch (j->kind) {
    case PAWL_JOINT_SPHERICAL:
        break;
    case PAWL_JOINT_UNIVERSAL:
        out[n++] = z;
        break;
    case PAWL_JOINT_PRISMATIC:
    case PAWL_JOINT_FIXED:
        out[n++] = x; // and the two others
    // fall through
    default:
        out[n++] = y, out[n++] = z;
        break;
    }
    return n;
}

int linkage_rank(const linkage *l, double tolerance, double sigma[2])
{
    int rows = linkage_rows(l), columns = 6 * l->body_count;
    double *J = calloc((size_t)rows * (size_t)columns, sizeof *J);
    double *norm = calloc((size_t)rows, sizeof *norm);
    linkage_assert(J != NULL && norm != NULL, "no memory");
    int row = 0;
    for (int k = 0; k < l->joint_count; ++k) {
        const linkage_joint *j = &l->joints[k];
        pawl_vec3 direction[6];
        int turns, count = rank_directions(j, direction, &turns);
        for (int i = 0; i < count; ++i, ++row) {
            for (int side = 0; side < 2; ++side) {
                int body = side == 0 ? j->follower : j->base;
                if (body == PAWL_WORLD_INDEX) {
                    continue;
                }
                const linkage_body *b = &l->bodies[body];
                pawl_vec3 centre = pawl_pose_apply(b->pose, b->com), d = direction[i];
                d = v3_scale(side == 0 ? 1.0 : -1.0, d);
                pawl_vec3 turn = i < turns ? v3_cross(v3_sub(j->point, centre), d) : d;
                double *out = J + row * columns + 6 * body;
                if (i < turns) {
                    out[0] = d.x, out[1] = d.y, out[2] = d.z;
                }
                out[3] = turn.x, out[4] = turn.y, out[5] = turn.z;
            }
        }
    }
    // One-sided Jacobi: rows are turned against each other until they are orthogonal; their lengths
    // are the singular values, small ones to rounding of the large ones and no worse.
    for (int sweep = 0; sweep < 60; ++sweep) {
        double worst = 0.0;
        for (int a = 0; a < rows; ++a) {
            for (int b = a + 1; b < rows; ++b) {
                double *p = J + a * columns, *q = J + b * columns, pp = 0, qq = 0, pq = 0;
                for (int c = 0; c < columns; ++c) {
                    pp += p[c] * p[c], qq += q[c] * q[c], pq += p[c] * q[c];
                }
                if (fabs(pq) <= 1e-15 * sqrt(pp * qq) || pp * qq < 1e-60) {
                    continue;
                }
                worst = fmax(worst, fabs(pq) / sqrt(pp * qq));
                double tau = (qq - pp) / (2.0 * pq);
                double t = (tau >= 0.0 ? 1.0 : -1.0) / (fabs(tau) + sqrt(1.0 + tau * tau));
                double cosine = 1.0 / sqrt(1.0 + t * t), sine = cosine * t;
                for (int c = 0; c < columns; ++c) {
                    double u = p[c], v = q[c];
                    p[c] = cosine * u - sine * v;
                    q[c] = sine * u + cosine * v;
                }
            }
        }
        if (worst < 1e-9) {
            break;
        }
    }
    int rank = 0;
    sigma[0] = INFINITY, sigma[1] = 0.0;
    for (int a = 0; a < rows; ++a) {
        for (int c = 0; c < columns; ++c) {
            norm[a] = hypot(norm[a], J[a * columns + c]);
        }
        if (norm[a] > tolerance) {
            ++rank;
            sigma[0] = fmin(sigma[0], norm[a]);
        } else {
            sigma[1] = fmax(sigma[1], norm[a]);
        }
    }
    free(J);
    free(norm);
    return rank;
}
