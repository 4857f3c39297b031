// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Cords around balls and cylinders, like MuJoCo's spatial tendons: the shortest path outside the surface, or, with a
// side point inside, the path that touches the surface from within. All computations are in the plane in which the
// path bends: that through the centre and both ends for a ball, the cross section for a cylinder. On a cylinder the
// path is straight on the unrolled surface, so that with the planar length P and the rise z its length is sqrt(P^2 +
// z^2).
//
// The gradient of the length is that of its last straight piece, because a geodesic is stationary under displacements
// of the points where it touches.
#include "model/cord_path.h"
#include "math/trig.h"
#include <math.h>

static const double cord_pi = 3.14159265358979323846;
static const double cord_tiny = 1e-15;

typedef struct vec2 {
    double x, y;
} vec2;
typedef struct planar_path {
    bool wraps;
    vec2 touch;    // where it leaves the circle towards the second point
    double length; // of all of it
} planar_path;

static double cord_norm(vec2 a)
{
    return sqrt(a.x * a.x + a.y * a.y);
}

static vec2 cord_between(vec2 a, vec2 b)
{
    return (vec2){b.x - a.x, b.y - a.y};
}

static vec2 cord_polar(double radius, double angle)
{
    double s, c;
    pawl_sincos(angle, &s, &c);
    return (vec2){radius * c, radius * s};
}

static double cord_asin(double x)
{
    return pawl_atan2(x, sqrt(max_of(1.0 - x * x, 0.0)));
}

// Whether the segments from a to b and from c to d cross.
static bool cord_cross(vec2 a, vec2 b, vec2 c, vec2 d)
{
    vec2 e = cord_between(a, b), f = cord_between(c, d), g = cord_between(a, c);
    double det = e.x * f.y - e.y * f.x;
    if (fabs(det) < cord_tiny) {
        return false;
    }
    double s = (g.x * f.y - g.y * f.x) / det, t = (g.x * e.y - g.y * e.x) / det;
    return s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0;
}

// The nearest point to the centre on the segment.
static vec2 cord_nearest(vec2 a, vec2 b)
{
    vec2 d = cord_between(a, b);
    double t = clamp_to(-(d.x * a.x + d.y * a.y) / (d.x * d.x + d.y * d.y), 0.0, 1.0);
    return (vec2){a.x + t * d.x, a.y + t * d.y};
}

// Whether the segment crosses the half-line from the centre away from `side`: then a straight cord is on the wrong side of
// the circle. MuJoCo 4 decides so; MuJoCo 3 looked at the nearest point of the segment, also where the cord only begins or
// ends behind the circle.
static bool cord_behind(vec2 a, vec2 b, vec2 side)
{
    double at_a = side.x * a.y - side.y * a.x, at_b = side.x * b.y - side.y * b.x;
    if (at_a * at_b >= 0.0) {
        return false;
    }
    double t = at_a / (at_a - at_b);
    return side.x * (a.x + t * (b.x - a.x)) + side.y * (a.y + t * (b.y - a.y)) < 0.0;
}

// One way round: tangents from both ends and the arc between, counter-clockwise for turn 1, clockwise for -1.
typedef struct cord_way {
    vec2 first, second;
    double arc; // angle
} cord_way;

static cord_way cord_round(vec2 a, vec2 b, double radius, double turn)
{
    double alpha = pawl_atan2(a.y, a.x), beta = pawl_atan2(b.y, b.x);
    double from_a = pawl_atan2(sqrt(max_of(a.x * a.x + a.y * a.y - radius * radius, 0.0)), radius);
    double from_b = pawl_atan2(sqrt(max_of(b.x * b.x + b.y * b.y - radius * radius, 0.0)), radius);
    double start = alpha + turn * from_a, end = beta - turn * from_b;
    double arc = turn * (end - start);
    arc -= 2.0 * cord_pi * floor(arc / (2.0 * cord_pi));
    return (cord_way){cord_polar(radius, start), cord_polar(radius, end), arc};
}

// Of the two ways round the one whose touching points are nearer; a path whose straight pieces cross is invalid. With a
// side point it is the path that does not pass behind the circle as seen from there.
static planar_path cord_outside(vec2 a, vec2 b, double radius, const vec2 *side)
{
    planar_path none = {.wraps = false};
    vec2 d = cord_between(a, b);
    if (cord_norm(a) < radius || cord_norm(b) < radius || radius < cord_tiny ||
        d.x * d.x + d.y * d.y < cord_tiny) {
        return none;
    }
    bool behind = side != NULL && cord_behind(a, b, *side);
    if (cord_norm(cord_nearest(a, b)) > radius && !behind) {
        return none;
    }
    double straight = a.x * b.y - a.y * b.x > 0.0 ? 1.0 : -1.0; // how the segment passes the centre
    cord_way ways[2];
    double worth[2];
    for (int i = 0; i < 2; ++i) {
        double turn = i == 0 ? -1.0 : 1.0;
        ways[i] = cord_round(a, b, radius, turn);
        if (side != NULL) {
            worth[i] = (turn == straight) != behind ? 1.0 : 0.0;
            continue;
        }
        double apart = cord_norm(cord_between(ways[i].first, ways[i].second));
        bool crossed = cord_cross(a, ways[i].first, b, ways[i].second);
        worth[i] = crossed ? -INFINITY : -apart * apart;
    }
    int best = worth[0] > worth[1] ? 0 : 1;
    if (!isfinite(worth[best])) {
        return none;
    }
    const cord_way *w = &ways[best];
    double length = cord_norm(cord_between(a, w->first)) + radius * w->arc +
                    cord_norm(cord_between(w->second, b));
    return (planar_path){true, w->second, length};
}

// The touching point from within: both pieces make equal angles with the radius there. With z the sine of that angle,
// asin(A z) + asin(B z) - 2 asin(z) + G = 0, A and B the radius by the distances of the ends, G the angle between them.
static planar_path cord_inside(vec2 a, vec2 b, double radius)
{
    planar_path none = {.wraps = false};
    double la = cord_norm(a), lb = cord_norm(b);
    vec2 d = cord_between(a, b);
    if (la <= radius || lb <= radius || radius < cord_tiny ||
        (d.x * d.x + d.y * d.y > cord_tiny && cord_norm(cord_nearest(a, b)) <= radius)) {
        return none;
    }
    double cross = a.x * b.y - a.y * b.x, dot = a.x * b.x + a.y * b.y;
    double G = pawl_atan2(fabs(cross), dot), A = radius / la, B = radius / lb;
    if (G > cord_pi - 1e-7) {
        return none;
    }
    vec2 middle = {0.5 * (a.x + b.x), 0.5 * (a.y + b.y)};
    double angle = pawl_atan2(middle.y, middle.x);
    double low = 0.0, high = 1.0 - 1e-7;
    if (cord_asin(A * high) + cord_asin(B * high) - 2.0 * cord_asin(high) + G <= 0.0 && G > 1e-9) {
        for (int k = 0; k < 60; ++k) { // the function falls from G to below 0
            double z = 0.5 * (low + high);
            double f = cord_asin(A * z) + cord_asin(B * z) - 2.0 * cord_asin(z) + G;
            *(f > 0.0 ? &low : &high) = z;
        }
        vec2 first = cross > 0.0 ? a : b;
        double share = cross > 0.0 ? A : B;
        angle = pawl_atan2(first.y, first.x) + cord_asin(low) - cord_asin(share * low);
    }
    vec2 touch = cord_polar(radius, angle);
    return (planar_path){true, touch,
                         cord_norm(cord_between(a, touch)) + cord_norm(cord_between(touch, b))};
}

// Axes of the plane of a ball's path; of ends in line with the centre any plane is as good.
static void cord_plane(pawl_vec3 a, pawl_vec3 b, pawl_vec3 axis[2])
{
    axis[0] = v3_scale(1.0 / v3_norm(a), a);
    pawl_vec3 n = v3_cross(a, b);
    double norm = v3_norm(n);
    if (norm < cord_tiny) {
        const double size[3] = {fabs(axis[0].x), fabs(axis[0].y), fabs(axis[0].z)};
        int most = size[1] > size[0] && size[1] > size[2] ? 1 : 0;
        most = size[2] > size[0] && size[2] > size[1] ? 2 : most;
        n = v3_cross(axis[0], v3(most != 0, most != 1, most != 2));
        norm = v3_norm(n);
    }
    axis[1] = v3_cross(v3_scale(1.0 / norm, n), axis[0]);
}

static double cord_straight(pawl_vec3 end, pawl_vec3 *direction)
{
    double length = v3_norm(end);
    *direction = length > 0.0 ? v3_scale(1.0 / length, end) : v3(1.0, 0.0, 0.0);
    return length;
}

// The slider is at z with (p - z e)^2 = r^2, p the pin: z = p.e - sqrt((p.e)^2 + r^2 - p^2). Out of the rod's reach it
// stays beside the pin, as in MuJoCo.
static double cord_crank(const model_wrap *wrap, pawl_vec3 end, pawl_vec3 *direction)
{
    pawl_vec3 p = m3_tmul(&wrap->axes, v3_sub(end, wrap->centre)), g = v3(0.0, 0.0, 1.0);
    double square = p.z * p.z + wrap->radius * wrap->radius - v3_dot(p, p);
    double root = sqrt(max_of(square, 0.0));
    if (root > 1e-12 * wrap->radius) {
        g = v3(p.x / root, p.y / root, 1.0);
    }
    *direction = m3_mul(&wrap->axes, g);
    return p.z - root;
}

double pawl_cord_length(const model_wrap *wrap, pawl_vec3 end, pawl_vec3 *direction)
{
    if (wrap->kind == PAWL_WRAP_NONE) {
        return cord_straight(end, direction);
    }
    if (wrap->kind == PAWL_WRAP_CRANK) {
        return cord_crank(wrap, end, direction);
    }
    // In the frame of the ball or cylinder.
    pawl_vec3 a = m3_tmul(&wrap->axes, v3_scale(-1.0, wrap->centre));
    pawl_vec3 b = m3_tmul(&wrap->axes, v3_sub(end, wrap->centre));
    if (v3_norm(a) < cord_tiny || v3_norm(b) < cord_tiny) {
        return cord_straight(end, direction);
    }
    bool ball = wrap->kind == PAWL_WRAP_SPHERE;
    pawl_vec3 axis[2] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    if (ball) {
        cord_plane(a, b, axis);
    }
    vec2 p = {v3_dot(a, axis[0]), v3_dot(a, axis[1])}, q = {v3_dot(b, axis[0]), v3_dot(b, axis[1])};
    planar_path path;
    if (wrap->sided && v3_norm(wrap->side) < wrap->radius) {
        path = cord_inside(p, q, wrap->radius);
    } else {
        vec2 side = {v3_dot(wrap->side, axis[0]), v3_dot(wrap->side, axis[1])};
        path = cord_outside(p, q, wrap->radius, wrap->sided ? &side : NULL);
    }
    if (!path.wraps) {
        return cord_straight(end, direction);
    }
    double rise = ball ? 0.0 : b.z - a.z;
    double length = sqrt(path.length * path.length + rise * rise);
    vec2 last = cord_between(path.touch, q);
    double norm = max_of(cord_norm(last), cord_tiny), flat = path.length / length / norm;
    pawl_vec3 e = v3_add(v3_scale(flat * last.x, axis[0]), v3_scale(flat * last.y, axis[1]));
    e.z += rise / length;
    *direction = m3_mul(&wrap->axes, e);
    return length;
}

model_wrap pawl_wrap_in_joint(const pawl_wrap *wrap, pawl_pose base_frame)
{
    model_wrap out = {.kind = wrap->kind, .radius = wrap->radius};
    if (out.kind == PAWL_WRAP_NONE) {
        return out;
    }
    pawl_pose in_joint = pawl_pose_compose(pawl_pose_inverse(base_frame), wrap->frame);
    out.centre = in_joint.position;
    out.axes = quat_matrix(in_joint.orientation);
    out.sided = wrap->sided;
    out.side =
        out.sided ? pawl_pose_apply(pawl_pose_inverse(wrap->frame), wrap->side) : v3(0.0, 0.0, 0.0);
    return out;
}

double pawl_wrap_length(const pawl_wrap *wrap, pawl_vec3 from, pawl_vec3 to)
{
    if (wrap == NULL || (int)wrap->kind < 0 || wrap->kind > PAWL_WRAP_CRANK || !v3_finite(from) ||
        !v3_finite(to)) {
        return NAN;
    }
    pawl_pose frame = {from, {1.0, 0.0, 0.0, 0.0}};
    model_wrap inner = pawl_wrap_in_joint(wrap, frame);
    pawl_vec3 direction;
    return pawl_cord_length(&inner, v3_sub(to, from), &direction);
}
