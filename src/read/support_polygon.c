// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The point of a support polygon over which a centre of mass is to be: the polygon is clipped by its own edges, moved
// inwards by the margin, and the nearest point of the result is used.
#include "read/support_polygon.h"
#include <math.h>
#include <stdbool.h>

enum { SUPPORT_ROOM = 2 * SUPPORT_MAX_POINTS }; // a cut adds a corner at most

typedef struct support_polygon {
    int count;
    flat_point at[SUPPORT_ROOM]; // counter-clockwise
} support_polygon;

flat_point support_mean(const flat_point *points, int count)
{
    flat_point mean = {0.0, 0.0};
    for (int i = 0; i < count; ++i) {
        mean.x += points[i].x / count;
        mean.y += points[i].y / count;
    }
    return mean;
}

// Twice the area of a, b, c: positive when they turn left.
static double support_turn(flat_point a, flat_point b, flat_point c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static bool support_before(flat_point a, flat_point b)
{
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

// One side of the hull of sorted points, by Andrew's monotone chain; `step` is 1 or -1.
static void support_chain(const flat_point *sorted, int count, int first, int step,
                          support_polygon *out)
{
    int base = out->count;
    for (int i = 0; i < count; ++i) {
        flat_point p = sorted[first + step * i];
        while (out->count - base >= 2 &&
               support_turn(out->at[out->count - 2], out->at[out->count - 1], p) <= 0.0) {
            --out->count;
        }
        out->at[out->count++] = p;
    }
    --out->count; // the last one begins the other side
}

static void support_hull(const flat_point *points, int count, support_polygon *out)
{
    flat_point sorted[SUPPORT_MAX_POINTS];
    for (int i = 0; i < count; ++i) {
        int at = i;
        for (; at > 0 && support_before(points[i], sorted[at - 1]); --at) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = points[i];
    }
    out->count = 0;
    support_chain(sorted, count, 0, 1, out);
    support_chain(sorted, count, count - 1, -1, out);
    if (out->count == 0) { // one point, or equal ones
        out->at[out->count++] = sorted[0];
    }
}

// The part of the polygon that is at least `margin` to the left of the line from a to b.
static void support_cut(support_polygon *polygon, flat_point a, flat_point b, double margin)
{
    support_polygon kept = {.count = 0};
    double length = hypot(b.x - a.x, b.y - a.y);
    for (int i = 0; i < polygon->count && length > 0.0; ++i) {
        flat_point p = polygon->at[i], q = polygon->at[(i + 1) % polygon->count];
        double in_p = support_turn(a, b, p) / length - margin;
        double in_q = support_turn(a, b, q) / length - margin;
        if (in_p >= 0.0 && kept.count < SUPPORT_ROOM) {
            kept.at[kept.count++] = p;
        }
        if ((in_p > 0.0) != (in_q > 0.0) && in_p != in_q && in_p != 0.0 && in_q != 0.0 &&
            kept.count < SUPPORT_ROOM) {
            double t = in_p / (in_p - in_q);
            kept.at[kept.count++] = (flat_point){p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)};
        }
    }
    *polygon = kept;
}

static flat_point support_on_edge(flat_point a, flat_point b, flat_point p)
{
    double x = b.x - a.x, y = b.y - a.y, square = x * x + y * y;
    double t = square > 0.0 ? ((p.x - a.x) * x + (p.y - a.y) * y) / square : 0.0;
    t = fmin(1.0, fmax(0.0, t));
    return (flat_point){a.x + t * x, a.y + t * y};
}

flat_point support_nearest(const flat_point *points, int count, double margin, flat_point p)
{
    support_polygon hull, inner;
    support_hull(points, count, &hull);
    inner = hull;
    for (int i = 0; i < hull.count && hull.count > 2; ++i) {
        support_cut(&inner, hull.at[i], hull.at[(i + 1) % hull.count], margin);
    }
    if (inner.count == 0) {
        return support_mean(points, count);
    }
    bool inside = inner.count > 2;
    flat_point nearest = inner.at[0];
    for (int i = 0; i < inner.count; ++i) {
        flat_point a = inner.at[i], b = inner.at[(i + 1) % inner.count];
        flat_point on = support_on_edge(a, b, p);
        inside = inside && support_turn(a, b, p) >= 0.0;
        if (hypot(on.x - p.x, on.y - p.y) < hypot(nearest.x - p.x, nearest.y - p.y)) {
            nearest = on;
        }
    }
    return inside ? p : nearest;
}
