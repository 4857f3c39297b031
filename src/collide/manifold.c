// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// From an axis to contact points. The two patches that face each other are seen along the normal:
// corners of one inside the other, crossings of their outlines, and gaps from the heights of both
// along the normal. Neither side is the reference, so neither order nor rounding can swap roles.
#include "collide/pair.h"

// Directions within this of a face's normal take the whole face, of a right angle to an edge the
// whole edge. Beyond this tilt the far end of a shape is farther away than the margin.
static const double manifold_tilt = 0.1;
// Edges this parallel touch along a line.
static const double manifold_parallel = 0.01;
// Outlines that cross at less than this run along one another: the crossing lies within a quarter of
// it, times their length, of the line between the ends of that stretch, and adds no information.
static const double manifold_along = 1e-6;
static const double manifold_rounding = 1.0 + 1e-15; // of a quotient that is 1

void pawl_candidate_add(candidate_list *list, pawl_vec3 position, double gap, unsigned feature_a,
                        unsigned feature_b)
{
    if (list->count < CANDIDATE_MAX && v3_finite(position) && isfinite(gap)) {
        list->point[list->count++] =
            (contact_point){position, gap, (uint32_t)feature_a << 16 | (uint32_t)feature_b};
    }
}

static double manifold_distance2(pawl_vec3 p, pawl_vec3 q)
{
    pawl_vec3 d = v3_sub(p, q);
    return v3_dot(d, d);
}

static void manifold_drop_copies(candidate_list *list, double tolerance)
{
    int kept = 0;
    for (int i = 0; i < list->count; ++i) {
        int j = 0;
        while (j < kept && manifold_distance2(list->point[i].position, list->point[j].position) >
                               tolerance * tolerance) {
            ++j;
        }
        if (j == kept) {
            list->point[kept++] = list->point[i];
        }
    }
    list->count = kept;
}

static void manifold_sort(contact_manifold *out)
{
    for (int i = 1; i < out->count; ++i) {
        contact_point p = out->point[i];
        int j = i;
        for (; j > 0 && out->point[j - 1].feature > p.feature; --j) {
            out->point[j] = out->point[j - 1];
        }
        out->point[j] = p;
    }
}

// At most MANIFOLD_POINTS points: the deepest, then always the one furthest from those taken, which keeps the
// patch large and so its resistance to tilting. The result is sorted by feature, so that the order of rows does
// not depend on the order of discovery.
void pawl_manifold_reduce(candidate_list *list, pawl_vec3 normal, double tolerance,
                          contact_manifold *out)
{
    manifold_drop_copies(list, tolerance);
    out->normal = normal;
    out->count = 0;
    if (list->count <= MANIFOLD_POINTS) { // all are taken
        for (; out->count < list->count; ++out->count) {
            out->point[out->count] = list->point[out->count];
        }
        manifold_sort(out);
        return;
    }
    bool taken[CANDIDATE_MAX] = {false};
    while (out->count < MANIFOLD_POINTS) {
        // First the deepest; then whichever is furthest from all taken. A later one must win by a
        // little, so that ties fall to the same feature in each step.
        int best = -1;
        double best_merit = -INFINITY;
        for (int i = 0; i < list->count; ++i) {
            if (taken[i]) {
                continue;
            }
            double merit = -list->point[i].gap;
            if (out->count > 0) {
                merit = INFINITY;
                for (int j = 0; j < out->count; ++j) {
                    double d2 = manifold_distance2(list->point[i].position, out->point[j].position);
                    merit = d2 < merit ? d2 : merit;
                }
            }
            if (best < 0 || merit > best_merit + 1e-9 * fabs(best_merit)) {
                best = i;
                best_merit = merit;
            }
        }
        taken[best] = true;
        out->point[out->count++] = list->point[best];
    }
    manifold_sort(out);
}

// A patch seen along the normal: coordinates across it, height along it.
typedef struct manifold_view {
    const surface_patch *patch;
    double x[PATCH_POINTS], y[PATCH_POINTS], z[PATCH_POINTS];
    double ex[PATCH_POINTS], ey[PATCH_POINTS],
        e2[PATCH_POINTS];       // edges of a polygon; length squared
    double slack[PATCH_POINTS]; // what lies outside an edge by less is on it: eps times its length
    double turn;                // +1 when the outline runs counter-clockwise in x, y
    double slope_x, slope_y;    // of the height
    double centre_x, centre_y, centre_z, radius;
} manifold_view;

typedef struct manifold_clip {
    pawl_vec3 n, t1, t2;
    double eps, margin;
    double corner;           // what is nearer to a corner than this is named after it
    double round_a, round_b; // radii of curvature across a side line
    manifold_view a, b;
    candidate_list *list;
} manifold_clip;

// `shift` moves the patch along the normal by the radius of a round shape, so that heights are those of its
// surface. slope_x and slope_y are those of the plane of the patch over the plane across the normal.
static void manifold_look(const manifold_clip *c, const surface_patch *patch, double shift,
                          manifold_view *v)
{
    v->patch = patch;
    for (int i = 0; i < patch->count; ++i) {
        v->x[i] = v3_dot(patch->p[i], c->t1);
        v->y[i] = v3_dot(patch->p[i], c->t2);
        v->z[i] = v3_dot(patch->p[i], c->n) + shift;
    }
    v->slope_x = v->slope_y = 0.0;
    if (patch->kind == PATCH_POLYGON || patch->kind == PATCH_DISC) {
        double up = v3_dot(patch->normal, c->n);
        v->turn = up > 0.0 ? 1.0 : -1.0;
        v->slope_x = -v3_dot(patch->normal, c->t1) / up;
        v->slope_y = -v3_dot(patch->normal, c->t2) / up;
        for (int i = 0; patch->kind == PATCH_POLYGON && i < patch->count; ++i) {
            int j = i + 1 < patch->count ? i + 1 : 0;
            double ex = v->x[j] - v->x[i], ey = v->y[j] - v->y[i];
            v->ex[i] = ex;
            v->ey[i] = ey;
            v->e2[i] = ex * ex + ey * ey;
            v->slack[i] = c->eps * sqrt(v->e2[i]);
        }
    } else if (patch->kind == PATCH_SEGMENT) {
        double dx = v->x[1] - v->x[0], dy = v->y[1] - v->y[0], dz = v->z[1] - v->z[0];
        double length2 = dx * dx + dy * dy;
        v->ex[0] = dx;
        v->ey[0] = dy;
        v->e2[0] = length2;
        v->slope_x = dx * dz / length2;
        v->slope_y = dy * dz / length2;
    }
    if (patch->kind == PATCH_DISC) {
        v->centre_x = v3_dot(patch->centre, c->t1);
        v->centre_y = v3_dot(patch->centre, c->t2);
        v->centre_z = v3_dot(patch->centre, c->n) + shift;
        v->radius = patch->radius;
    }
}

static double manifold_height(const manifold_view *v, double x, double y)
{
    return v->z[0] + v->slope_x * (x - v->x[0]) + v->slope_y * (y - v->y[0]);
}

// How far a point lies from the disc's centre, on the disc's plane.
static double manifold_disc_distance(const manifold_view *v, double x, double y)
{
    double dx = x - v->centre_x, dy = y - v->centre_y, dz = v->slope_x * dx + v->slope_y * dy;
    return sqrt(dx * dx + dy * dy + dz * dz);
}

// Whether (x, y) is inside the outline, seen along the normal. Points and segments hold nothing.
static bool manifold_holds(const manifold_view *v, double x, double y, double eps)
{
    if (v->patch->kind == PATCH_DISC) {
        return manifold_disc_distance(v, x, y) <= v->radius + eps;
    }
    for (int i = 0; v->patch->kind == PATCH_POLYGON && i < v->patch->count; ++i) {
        double inside = v->turn * (v->ex[i] * (y - v->y[i]) - v->ey[i] * (x - v->x[i]));
        if (inside < -v->slack[i]) {
            return false;
        }
    }
    return v->patch->kind == PATCH_POLYGON;
}

// Points lie halfway between the two surfaces: neither shape is preferred.
static void manifold_add_at(const manifold_clip *c, double x, double y, double za, double zb,
                            double gap, unsigned at_a, unsigned at_b)
{
    if (gap <= c->margin) {
        double z = 0.5 * (za + zb);
        pawl_vec3 p = v3_axpy(v3_axpy(v3_scale(x, c->t1), y, c->t2), z, c->n);
        pawl_candidate_add(c->list, p, gap, at_a, at_b);
    }
}

// The corner of `v` at this place, or else `at`.
static unsigned manifold_corner_at(const manifold_clip *c, const manifold_view *v, double x,
                                   double y, unsigned at)
{
    for (int i = 0; i < v->patch->count && v->patch->kind != PATCH_DISC; ++i) {
        double dx = x - v->x[i], dy = y - v->y[i];
        if (dx * dx + dy * dy <= c->corner * c->corner) {
            return v->patch->vertex[i];
        }
    }
    return at;
}

static bool manifold_is_vertex(unsigned feature)
{
    return (feature & ~(unsigned)FEATURE_INDEX) == FEATURE_VERTEX;
}

// Where outlines of both lie on one another, as those of bricks in a wall do, rounding decides
// whether a corner is inside the other patch or two edges cross beside it. Names must not depend on
// that: next to a corner they are its own, and the other side's is its corner or else its face.
static void manifold_add(const manifold_clip *c, double x, double y, unsigned at_a, unsigned at_b)
{
    at_a = manifold_corner_at(c, &c->a, x, y, at_a);
    at_b = manifold_corner_at(c, &c->b, x, y, at_b);
    if (manifold_is_vertex(at_a) && !manifold_is_vertex(at_b)) {
        at_b = c->b.patch->face;
    } else if (manifold_is_vertex(at_b) && !manifold_is_vertex(at_a)) {
        at_a = c->a.patch->face;
    }
    double za = manifold_height(&c->a, x, y), zb = manifold_height(&c->b, x, y);
    manifold_add_at(c, x, y, za, zb, zb - za, at_a, at_b);
}

static int manifold_edge_count(const manifold_view *v)
{
    return v->patch->kind == PATCH_POLYGON   ? v->patch->count
           : v->patch->kind == PATCH_SEGMENT ? 1
                                             : 0;
}

// Whether two edges with this sine and cosine between them are too parallel to cross. With the insides of
// both on one side, the corner between them would be flat; else it is the tip of a sliver.
static bool manifold_no_crossing(const manifold_view *a, const manifold_view *b, double sine,
                                 double cosine)
{
    bool flat = a->patch->kind == PATCH_POLYGON && b->patch->kind == PATCH_POLYGON &&
                a->turn * b->turn * cosine > 0.0;
    return !(fabs(sine) > (flat ? manifold_along : 1e-9));
}

static void manifold_edges_cross(const manifold_clip *c)
{
    const manifold_view *a = &c->a, *b = &c->b;
    int edges_a = manifold_edge_count(a), edges_b = manifold_edge_count(b);
    for (int i = 0; i < edges_a; ++i) {
        double ax = a->ex[i], ay = a->ey[i];
        for (int j = 0; j < edges_b; ++j) {
            double bx = b->ex[j], by = b->ey[j], det = ax * by - ay * bx;
            double dx = b->x[j] - a->x[i], dy = b->y[j] - a->y[i];
            // Most edges miss each other by far: s and t below, times |det|.
            double sign = det < 0.0 ? -1.0 : 1.0, most = fabs(det) * manifold_rounding;
            double at_a = sign * (dx * by - dy * bx), at_b = sign * (dx * ay - dy * ax);
            if (at_a < 0.0 || at_a > most || at_b < 0.0 || at_b > most) {
                continue;
            }
            double scale = sqrt(a->e2[i] * b->e2[j]);
            if (manifold_no_crossing(a, b, det / scale, (ax * bx + ay * by) / scale)) {
                continue; // parallel: their ends serve
            }
            double s = (dx * by - dy * bx) / det, t = (dx * ay - dy * ax) / det;
            if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0) {
                manifold_add(c, a->x[i] + s * ax, a->y[i] + s * ay, a->patch->edge[i],
                             b->patch->edge[j]);
            }
        }
    }
}

// Where the edges of `v` cross the rim of `disc`.
static void manifold_edges_rim(const manifold_clip *c, const manifold_view *v,
                               const manifold_view *disc, bool disc_is_b)
{
    for (int i = 0; i < manifold_edge_count(v); ++i) {
        int j = i + 1 < v->patch->count ? i + 1 : 0;
        // on the disc's plane: |p + t e|^2 = r^2
        double px = v->x[i] - disc->centre_x, py = v->y[i] - disc->centre_y;
        double ex = v->x[j] - v->x[i], ey = v->y[j] - v->y[i];
        double pz = disc->slope_x * px + disc->slope_y * py;
        double ez = disc->slope_x * ex + disc->slope_y * ey;
        double ee = ex * ex + ey * ey + ez * ez, pe = px * ex + py * ey + pz * ez;
        double pp = px * px + py * py + pz * pz;
        double d = pe * pe - ee * (pp - disc->radius * disc->radius);
        if (!(d > 0.0 && ee > 0.0)) {
            continue;
        }
        for (unsigned k = 0; k < 2; ++k) {
            double t = (-pe + (k ? 1.0 : -1.0) * sqrt(d)) / ee;
            unsigned rim = FEATURE_CURVED | 4 | k;
            if (t >= 0.0 && t <= 1.0) {
                manifold_add(c, v->x[i] + t * ex, v->y[i] + t * ey,
                             disc_is_b ? v->patch->edge[i] : rim,
                             disc_is_b ? rim : v->patch->edge[i]);
            }
        }
    }
}

// How far outside the rim a point is (squared, on the disc's plane), and the slope of that.
static double manifold_rim_level(const manifold_view *v, double x, double y, double slope[2])
{
    double dx = x - v->centre_x, dy = y - v->centre_y, dz = v->slope_x * dx + v->slope_y * dy;
    slope[0] = 2.0 * (dx + dz * v->slope_x);
    slope[1] = 2.0 * (dy + dz * v->slope_y);
    return dx * dx + dy * dy + dz * dz - v->radius * v->radius;
}

// Where two rims cross: circles to begin with, then Newton's method, for both are tilted a little.
static void manifold_rims_cross(const manifold_clip *c)
{
    double dx = c->b.centre_x - c->a.centre_x, dy = c->b.centre_y - c->a.centre_y;
    double d2 = dx * dx + dy * dy, ra = c->a.radius, rb = c->b.radius;
    if (!(d2 > c->eps * c->eps)) {
        return;
    }
    double along = 0.5 * (1.0 + (ra * ra - rb * rb) / d2);
    double across2 = ra * ra / d2 - along * along;
    for (unsigned k = 0; k < 2 && across2 > 0.0; ++k) {
        double across = (k ? 1.0 : -1.0) * sqrt(across2);
        double x = c->a.centre_x + along * dx - across * dy;
        double y = c->a.centre_y + along * dy + across * dx;
        for (int round = 0; round < 6; ++round) {
            double ga[2], gb[2];
            double fa = manifold_rim_level(&c->a, x, y, ga);
            double fb = manifold_rim_level(&c->b, x, y, gb);
            double det = ga[0] * gb[1] - ga[1] * gb[0];
            if (!(fabs(det) > 1e-6 * ra * rb)) {
                break; // they touch rather than cross
            }
            x -= (fa * gb[1] - fb * ga[1]) / det;
            y -= (fb * ga[0] - fa * gb[0]) / det;
        }
        if (manifold_holds(&c->a, x, y, c->eps) && manifold_holds(&c->b, x, y, c->eps)) {
            manifold_add(c, x, y, FEATURE_CURVED | 8 | k, FEATURE_CURVED | 8 | k);
        }
    }
}

static void manifold_corners(const manifold_clip *c, const manifold_view *v,
                             const manifold_view *other, bool other_is_b)
{
    for (int i = 0; i < v->patch->count; ++i) {
        if (manifold_holds(other, v->x[i], v->y[i], c->eps)) {
            manifold_add(c, v->x[i], v->y[i], other_is_b ? v->patch->vertex[i] : other->patch->face,
                         other_is_b ? other->patch->face : v->patch->vertex[i]);
        }
    }
}

// Two edges along one another: the ends of the stretch they share.
static void manifold_parallel_edges(const manifold_clip *c)
{
    const manifold_view *a = &c->a, *b = &c->b;
    double ax = a->x[1] - a->x[0], ay = a->y[1] - a->y[0];
    double bx = b->x[1] - b->x[0], by = b->y[1] - b->y[0];
    double aa = ax * ax + ay * ay;
    double sine = (ax * by - ay * bx) / sqrt(aa * (bx * bx + by * by));
    if (!(fabs(sine) < manifold_parallel)) {
        return;
    }
    double t[2];
    for (int j = 0; j < 2; ++j) {
        t[j] = ((b->x[j] - a->x[0]) * ax + (b->y[j] - a->y[0]) * ay) / aa;
    }
    int first = t[0] < t[1] ? 0 : 1;
    for (int end = 0; end < 2; ++end) {
        // which of the two ends earlier
        int j = end == 0 ? first : 1 - first;
        bool by_a = end == 0 ? t[j] <= 0.0 : t[j] >= 1.0;
        double at = by_a ? (double)end : t[j];
        if (end == 0 ? at <= t[1 - first] && at <= 1.0 : at >= t[first] && at >= 0.0) {
            // Between the two lines, which rounding or a slight turn part. Curved sides open by the
            // square of that, and meet nearer to the sharper one; sharp edges that are not on one
            // another touch nowhere.
            double xa = a->x[0] + at * ax, ya = a->y[0] + at * ay;
            double s = t[1] - t[0] != 0.0 ? (at - t[0]) / (t[1] - t[0]) : 0.0;
            double xb = b->x[0] + s * bx, yb = b->y[0] + s * by;
            double aside2 = (xa - xb) * (xa - xb) + (ya - yb) * (ya - yb);
            double za = manifold_height(a, xa, ya), zb = manifold_height(b, xb, yb);
            double roundness = c->round_a + c->round_b;
            if (aside2 > c->eps * c->eps && !(roundness > 0.0)) {
                continue;
            }
            double opening = roundness > 0.0 ? aside2 / (2.0 * roundness) : 0.0;
            double of_b = roundness > 0.0 ? c->round_a / roundness : 0.5;
            manifold_add_at(c, xa + of_b * (xb - xa), ya + of_b * (yb - ya), za, zb,
                            zb - za + opening, by_a ? a->patch->vertex[end] : a->patch->face,
                            by_a ? b->patch->face : b->patch->vertex[j]);
        }
    }
}

// The closest points of two lines through edges.
// s and t are clamped to the edges; parallel edges take their middles.
static pawl_vec3 manifold_line_middle(const surface_patch *a, const surface_patch *b, pawl_vec3 n,
                                      double *gap)
{
    pawl_vec3 u = v3_sub(a->p[1], a->p[0]), v = v3_sub(b->p[1], b->p[0]);
    pawl_vec3 w = v3_sub(b->p[0], a->p[0]);
    double uu = v3_dot(u, u), vv = v3_dot(v, v), uv = v3_dot(u, v);
    double det = uu * vv - uv * uv, s = 0.5, t = 0.5;
    if (det > 1e-12 * uu * vv) {
        s = (vv * v3_dot(w, u) - uv * v3_dot(w, v)) / det;
        t = (uv * v3_dot(w, u) - uu * v3_dot(w, v)) / det;
    }
    s = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    pawl_vec3 p = v3_axpy(a->p[0], s, u), q = v3_axpy(b->p[0], t, v);
    *gap = v3_dot(n, v3_sub(q, p));
    return v3_scale(0.5, v3_add(p, q));
}

static const double manifold_witness_tilt =
    1e-7; // only faces that are truly across the normal count

// Whether a patch is a face in the sense of manifold_witness(), too.
static bool manifold_is_flat(const surface_patch *patch, pawl_vec3 n, double side)
{
    return patch->kind == PATCH_POLYGON &&
           v3_max_abs(v3_axpy(patch->normal, -side, n)) < 0.5 * manifold_witness_tilt;
}

// The point with the exact gap, for any form of the patches. False when neither side has one: then it is only a
// guess. *corner: at least one side touches in a point.
static bool manifold_witness(const placed_shape *a, const placed_shape *b, const pair_axis *axis,
                             double ra, double rb, candidate_list *list, bool *corner)
{
    surface_patch pa, pb;
    pawl_vec3 n = axis->n;
    double gap = axis->gap;
    pawl_surface_patch(a, n, manifold_witness_tilt, &pa);
    pawl_surface_patch(b, v3_scale(-1.0, n), manifold_witness_tilt, &pb);
    pawl_vec3 middle;
    bool known = true;
    *corner = pa.kind == PATCH_POINT || pb.kind == PATCH_POINT;
    if (pa.kind == PATCH_POINT && pb.kind == PATCH_POINT) {
        middle = v3_scale(0.5, v3_add(pa.p[0], pb.p[0]));
    } else if (pa.kind == PATCH_POINT) {
        middle = v3_axpy(pa.p[0], 0.5 * gap, n);
    } else if (pb.kind == PATCH_POINT) {
        middle = v3_axpy(pb.p[0], -0.5 * gap, n);
    } else if (axis->has_points) {
        middle = v3_scale(0.5, v3_add(axis->on_a, axis->on_b));
    } else if (pa.kind == PATCH_SEGMENT && pb.kind == PATCH_SEGMENT) {
        double along;
        middle = manifold_line_middle(&pa, &pb, n, &along);
    } else {
        pawl_vec3 p = pawl_shape_support(a, n), q = pawl_shape_support(b, v3_scale(-1.0, n));
        middle = v3_scale(0.5, v3_add(p, q));
        known = false;
    }
    unsigned at_a = pa.kind == PATCH_POINT ? pa.vertex[0] : pa.face;
    unsigned at_b = pb.kind == PATCH_POINT ? pb.vertex[0] : pb.face;
    pawl_candidate_add(list, v3_axpy(middle, 0.5 * (ra - rb), n), gap - ra - rb, at_a, at_b);
    return known;
}

static void manifold_clip_patches(const manifold_clip *c)
{
    patch_kind a = c->a.patch->kind, b = c->b.patch->kind;
    if (a == PATCH_POINT || b == PATCH_POINT) {
        return; // the witness is all there is
    }
    if (a == PATCH_SEGMENT && b == PATCH_SEGMENT) {
        manifold_parallel_edges(c);
        return;
    }
    manifold_corners(c, &c->a, &c->b, true);
    manifold_corners(c, &c->b, &c->a, false);
    if (a == PATCH_DISC && b == PATCH_DISC) {
        manifold_rims_cross(c);
    } else if (a == PATCH_DISC) {
        manifold_edges_rim(c, &c->b, &c->a, false);
    } else if (b == PATCH_DISC) {
        manifold_edges_rim(c, &c->a, &c->b, true);
    } else {
        manifold_edges_cross(c);
    }
}

// The normal points from a to b, gaps are negative where shapes overlap, both with the radii of round shapes
// counted. Points with a gap beyond `margin` are left out. The witness (the nearest pair of points of the search)
// is used where clipping found nothing as deep.
void pawl_manifold_from_axis(const placed_shape *a, const placed_shape *b, double margin,
                             const pair_axis *axis, contact_manifold *out)
{
    double ra = pawl_shape_radius(a), rb = pawl_shape_radius(b);
    double gap = axis->gap - ra - rb;
    out->normal = axis->n;
    out->count = 0;
    if (!(gap <= margin)) {
        return;
    }
    double sa = pawl_shape_scale(a), sb = pawl_shape_scale(b);
    double small = sa < sb ? sa : sb, copies = 1e-6 * small;
    surface_patch pa, pb;
    candidate_list list;
    list.count = 0;
    pawl_surface_patch(a, axis->n, manifold_tilt, &pa);
    pawl_surface_patch(b, v3_scale(-1.0, axis->n), manifold_tilt, &pb);
    if (pa.kind != PATCH_POINT && pb.kind != PATCH_POINT) {
        manifold_clip c;
        c.n = axis->n;
        pawl_tangents(c.n, &c.t1, &c.t2);
        // Relative to the smaller shape: a pebble on a large plate is measured by the pebble.
        c.eps = 1e-8 * small;
        c.corner = 0.5 * copies; // two within it are copies
        c.margin = margin;
        c.list = &list;
        c.round_a = a->kind == PAWL_SHAPE_CYLINDER ? a->size.x : ra;
        c.round_b = b->kind == PAWL_SHAPE_CYLINDER ? b->size.x : rb;
        manifold_look(&c, &pa, ra, &c.a);
        manifold_look(&c, &pb, -rb, &c.b);
        manifold_clip_patches(&c);
    }
    if (list.count > 0 && !axis->has_points && manifold_is_flat(&pa, axis->n, 1.0) &&
        manifold_is_flat(&pb, axis->n, -1.0)) {
        pawl_manifold_reduce(&list, axis->n, copies,
                             out); // face on face: clipping finds all there is
        return;
    }
    candidate_list all;
    all.count = 0;
    bool corner, known = manifold_witness(a, b, axis, ra, rb, &all, &corner);
    double deepest = INFINITY;
    bool there = false; // a corner on an outline: whether clipping finds it is left to rounding
    for (int i = 0; i < list.count && all.count > 0; ++i) {
        deepest = list.point[i].gap < deepest ? list.point[i].gap : deepest;
        pawl_vec3 off = v3_sub(list.point[i].position, all.point[0].position);
        there = there || v3_max_abs(off) <= 1e-10 * small;
    }
    there = there && corner && pa.kind != PATCH_DISC && pb.kind != PATCH_DISC;
    // Clipping finds the exact gap except on rims between the fixed points, and where outlines only
    // touch. The witness comes first, so its name stays when there is a copy of it.
    if (!(known && (there || !(deepest <= gap + 1e-10 * small))) && list.count > 0) {
        all.count = 0;
    }
    for (int i = 0; i < list.count && all.count < CANDIDATE_MAX; ++i) {
        all.point[all.count++] = list.point[i];
    }
    pawl_manifold_reduce(&all, axis->n, copies, out);
}
