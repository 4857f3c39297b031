// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The support polygon: the convex hull of the points on which a robot stands.
#pragma once

typedef struct flat_point {
    double x, y;
} flat_point;

enum { SUPPORT_MAX_POINTS = 64 };

flat_point support_mean(const flat_point *points, int count);
// The point of the hull of `points` that is nearest to p and at least `margin` inside of its edges; the mean of the
// points where the hull is too small for that. One point, or two, have no inside: the nearest point of them.
flat_point support_nearest(const flat_point *points, int count, double margin, flat_point p);
