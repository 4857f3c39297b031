// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Shapes are convex, so the outline of one is the hull of its projected points; faces towards the viewer are drawn
// over it with shading. A parallel projection of convex bodies needs no other hidden-surface removal, apart from
// their order.
#include "page/report_view.h"
#include "math/vec.h"
#include <math.h>
#include <stdlib.h>

enum {
    VIEW_CIRCLE = 32,
    VIEW_FACES = 500 // of a hull, beyond which its outline has to do
};
static const double view_pi = 3.14159265358979323846;

// ---- Choosing a view ----------------------------------------------------------------------------

static pawl_vec3 view_unit(pawl_vec3 a)
{
    return v3_scale(1.0 / v3_norm(a), a);
}

// Eigenvectors of a symmetric matrix by Jacobi rotations: columns of `v`, eigenvalues in `a`.
static void view_eigen(double a[3][3], double v[3][3])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            v[i][j] = i == j ? 1.0 : 0.0;
        }
    }
    for (int sweep = 0; sweep < 30; ++sweep) {
        for (int p = 0; p < 2; ++p) {
            for (int q = p + 1; q < 3; ++q) {
                if (fabs(a[p][q]) <= 1e-15 * (fabs(a[p][p]) + fabs(a[q][q]))) {
                    continue;
                }
                double angle = 0.5 * atan2(2.0 * a[p][q], a[q][q] - a[p][p]);
                double c = cos(angle), s = sin(angle);
                for (int k = 0; k < 3; ++k) {
                    double x = a[k][p], y = a[k][q];
                    a[k][p] = c * x - s * y;
                    a[k][q] = s * x + c * y;
                }
                for (int k = 0; k < 3; ++k) {
                    double x = a[p][k], y = a[q][k];
                    a[p][k] = c * x - s * y;
                    a[q][k] = s * x + c * y;
                    x = v[k][p], y = v[k][q];
                    v[k][p] = c * x - s * y;
                    v[k][q] = s * x + c * y;
                }
            }
        }
    }
}

static double view_component(pawl_vec3 a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

static pawl_vec3 view_axis(int axis)
{
    return v3(axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0);
}

// Completes a view from its direction: `up` as nearly as possible, right along a positive axis.
static report_view view_from(pawl_vec3 toward, pawl_vec3 up, bool may_flip)
{
    pawl_vec3 across = v3_axpy(up, -v3_dot(up, toward), toward);
    for (int axis = 2; v3_norm(across) < 0.3 && axis >= 0; --axis) {
        pawl_vec3 other = view_axis(axis); // gravity points into the paper: z, y or x is up
        across = v3_axpy(other, -v3_dot(other, toward), toward);
    }
    report_view view = {.toward = toward, .up = view_unit(across), .scale = 1.0};
    view.right = v3_cross(view.up, view.toward);
    int largest = 0;
    for (int axis = 1; axis < 3; ++axis) {
        if (fabs(view_component(view.right, axis)) >
            fabs(view_component(view.right, largest)) + 1e-9) {
            largest = axis;
        }
    }
    if (may_flip && view_component(view.right, largest) < 0.0) {
        view.toward = v3_scale(-1.0, view.toward);
        view.right = v3_scale(-1.0, view.right);
    }
    return view;
}

// From the front right, a little from above; from the front left where that shows more of the floor.
static report_view view_slanted(pawl_vec3 up, const pawl_vec3 *floor)
{
    pawl_vec3 side = fabs(up.x) < 0.9 ? v3(1, 0, 0) : v3(0, 1, 0);
    side = view_unit(v3_axpy(side, -v3_dot(side, up), up));
    pawl_vec3 front = v3_cross(side, up); // z up and x right: -y, toward the viewer
    double aside = floor != NULL && v3_dot(*floor, side) < -1e-9 ? -0.50 : 0.50;
    pawl_vec3 toward = v3_add(v3_scale(aside, side), v3_scale(0.76, front));
    return view_from(view_unit(v3_axpy(toward, 0.42, up)), up, false);
}

report_view report_view_choose(const pawl_vec3 *points, size_t count, pawl_vec3 gravity,
                               const pawl_vec3 *floor)
{
    pawl_vec3 up = v3_norm(gravity) > 0.0 ? view_unit(v3_scale(-1.0, gravity)) : v3(0, 0, 1);
    pawl_vec3 mean = v3(0, 0, 0);
    for (size_t i = 0; i < count; ++i) {
        mean = v3_axpy(mean, 1.0 / (double)count, points[i]);
    }
    double a[3][3] = {{0}}, v[3][3];
    for (size_t i = 0; i < count; ++i) {
        pawl_vec3 d = v3_sub(points[i], mean);
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) {
                a[r][c] += view_component(d, r) * view_component(d, c);
            }
        }
    }
    view_eigen(a, v);
    int thin = 0, wide = 0;
    for (int k = 1; k < 3; ++k) {
        thin = a[k][k] < a[thin][thin] ? k : thin;
        wide = a[k][k] > a[wide][wide] ? k : wide;
    }
    int between = thin == wide ? 0 : 3 - thin - wide;
    pawl_vec3 normal = v3(v[0][thin], v[1][thin], v[2][thin]);
    if (a[between][between] <= 1e-6 * a[wide][wide]) {
        // All on a line: any plane through it, best one that shows up.
        pawl_vec3 line = v3(v[0][wide], v[1][wide], v[2][wide]);
        pawl_vec3 across = v3_cross(line, up);
        if (v3_norm(across) < 0.1) {
            across = v3(0.0, -1.0, 0.0);
            across = v3_axpy(across, -v3_dot(across, line), line);
        }
        normal = v3_norm(across) > 0.1 ? view_unit(across) : v3(1, 0, 0);
    } else if (a[thin][thin] > 0.04 * a[between][between]) {
        return view_slanted(up, floor); // in space
    }
    for (int axis = 0; axis < 3; ++axis) {
        if (fabs(view_component(normal, axis)) > 0.99) {
            normal = view_axis(axis);
        }
    }
    double facing = floor != NULL ? v3_dot(normal, *floor) : 0.0;
    if (fabs(facing) > 0.95) {
        return view_from(v3_scale(facing < 0.0 ? -1.0 : 1.0, normal), up, false); // from above
    }
    return fabs(facing) > 0.07 ? view_slanted(up, floor) : view_from(normal, up, true);
}

report_point report_view_project(const report_view *view, pawl_vec3 p)
{
    return (report_point){view->shift.x + view->scale * v3_dot(view->right, p),
                          view->shift.y - view->scale * v3_dot(view->up, p)};
}

report_box report_box_empty(void)
{
    return (report_box){INFINITY, INFINITY, -INFINITY, -INFINITY};
}

void report_box_grow(report_box *box, const report_view *view, pawl_vec3 point, double radius)
{
    double x = v3_dot(view->right, point), y = -v3_dot(view->up, point);
    box->x0 = fmin(box->x0, x - radius);
    box->x1 = fmax(box->x1, x + radius);
    box->y0 = fmin(box->y0, y - radius);
    box->y1 = fmax(box->y1, y + radius);
}

void report_view_fit(report_view *view, const report_box *box, double left, double top,
                     double width, double height, double margin)
{
    double w = fmax(box->x1 - box->x0, 1e-9), h = fmax(box->y1 - box->y0, 1e-9);
    view->scale = fmin((width - 2.0 * margin) / w, (height - 2.0 * margin) / h);
    view->shift.x = left + 0.5 * width - view->scale * 0.5 * (box->x0 + box->x1);
    view->shift.y = top + 0.5 * height - view->scale * 0.5 * (box->y0 + box->y1);
}

// ---- Shapes -------------------------------------------------------------------------------------

// A circle about `centre` in the plane of two vectors that carry its radius.
static int view_circle(pawl_vec3 *points, pawl_vec3 centre, pawl_vec3 a, pawl_vec3 b)
{
    for (int i = 0; i < VIEW_CIRCLE; ++i) {
        double angle = 2.0 * view_pi * i / VIEW_CIRCLE;
        points[i] = v3_axpy(v3_axpy(centre, cos(angle), a), sin(angle), b);
    }
    return VIEW_CIRCLE;
}

// The points of a hull or, where there are too many, those furthest out in directions all around.
static int view_hull_points(const pawl_shape_def *hull, pawl_pose frame, const report_view *view,
                            pawl_vec3 points[REPORT_SHAPE_POINTS])
{
    if (hull->point_count <= REPORT_SHAPE_POINTS) {
        for (int i = 0; i < hull->point_count; ++i) {
            points[i] = pawl_pose_apply(frame, hull->points[i]);
        }
        return hull->point_count;
    }
    for (int k = 0; k < REPORT_SHAPE_POINTS; ++k) {
        double angle = 2.0 * view_pi * k / REPORT_SHAPE_POINTS, furthest = -INFINITY;
        pawl_vec3 out = v3_axpy(v3_scale(cos(angle), view->right), sin(angle), view->up);
        for (int i = 0; i < hull->point_count; ++i) {
            pawl_vec3 p = pawl_pose_apply(frame, hull->points[i]);
            if (v3_dot(out, p) > furthest) {
                furthest = v3_dot(out, p);
                points[k] = p;
            }
        }
    }
    return REPORT_SHAPE_POINTS;
}

int report_shape_points(const pawl_shape_def *shape, pawl_pose body, const report_view *view,
                        pawl_vec3 points[REPORT_SHAPE_POINTS])
{
    pawl_pose frame = pawl_pose_compose(body, shape->frame);
    pawl_vec3 c = frame.position, s = shape->size;
    pawl_vec3 x = pawl_quat_rotate(frame.orientation, v3(1, 0, 0));
    pawl_vec3 y = pawl_quat_rotate(frame.orientation, v3(0, 1, 0));
    pawl_vec3 z = pawl_quat_rotate(frame.orientation, v3(0, 0, 1));
    pawl_vec3 right = v3_scale(s.x, view->right), up = v3_scale(s.x, view->up);
    int count = 0;
    switch (shape->kind) {
    case PAWL_SHAPE_BOX:
        for (int i = 0; i < 8; ++i) {
            pawl_vec3 p = v3_axpy(c, i & 1 ? s.x : -s.x, x);
            p = v3_axpy(p, i & 2 ? s.y : -s.y, y);
            points[count++] = v3_axpy(p, i & 4 ? s.z : -s.z, z);
        }
        break;
    case PAWL_SHAPE_CYLINDER:
        count += view_circle(points, v3_axpy(c, s.z, z), v3_scale(s.x, x), v3_scale(s.x, y));
        count +=
            view_circle(points + count, v3_axpy(c, -s.z, z), v3_scale(s.x, x), v3_scale(s.x, y));
        break;
    case PAWL_SHAPE_SPHERE:
        count += view_circle(points, c, right, up);
        break;
    case PAWL_SHAPE_CAPSULE:
        count += view_circle(points, v3_axpy(c, s.z, z), right, up);
        count += view_circle(points + count, v3_axpy(c, -s.z, z), right, up);
        break;
    case PAWL_SHAPE_ELLIPSOID:
        // Three great ellipses: their hull is close enough to the outline for a drawing.
        count += view_circle(points, c, v3_scale(s.x, x), v3_scale(s.y, y));
        count += view_circle(points + count, c, v3_scale(s.y, y), v3_scale(s.z, z));
        count += view_circle(points + count, c, v3_scale(s.z, z), v3_scale(s.x, x));
        break;
    case PAWL_SHAPE_MESH:
    case PAWL_SHAPE_HULL:
        count = view_hull_points(shape, frame, view, points);
        break;
    default:
        break;
    }
    return count;
}

pawl_vec3 report_shape_centre(const pawl_shape_def *shape, pawl_pose body)
{
    pawl_vec3 centre = v3(0.0, 0.0, 0.0);
    for (int i = 0; i < shape->point_count; ++i) {
        centre = v3_axpy(centre, 1.0 / shape->point_count, shape->points[i]);
    }
    return pawl_pose_apply(body, pawl_pose_apply(shape->frame, centre));
}

static int view_compare(const void *a, const void *b)
{
    const report_point *p = a, *q = b;
    if (p->x != q->x) {
        return p->x < q->x ? -1 : 1;
    }
    return p->y < q->y ? -1 : p->y > q->y ? 1 : 0;
}

static double view_turn(report_point a, report_point b, report_point c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Andrew's monotone chain; `hull` has room for 2 * count points.
static int view_hull(report_point *points, int count, report_point *hull)
{
    qsort(points, (size_t)count, sizeof *points, view_compare);
    int size = 0;
    for (int pass = 0; pass < 2; ++pass) {
        int floor_size = size + 1;
        for (int i = 0; i < count; ++i) {
            report_point p = points[pass == 0 ? i : count - 1 - i];
            while (size > floor_size && view_turn(hull[size - 2], hull[size - 1], p) <= 0.0) {
                --size;
            }
            hull[size++] = p;
        }
        --size; // the last point starts the other half
    }
    return size;
}

double report_view_light(const report_view *view, pawl_vec3 normal)
{
    pawl_vec3 light = v3_add(v3_scale(0.70, view->toward), v3_scale(0.62, view->up));
    light = v3_axpy(light, -0.35, view->right);
    return 0.72 + 0.34 * fmax(0.0, v3_dot(normal, light));
}

static int view_tone(float channel, double light)
{
    double value = 255.0 * fmin(fmax((double)channel, 0.0), 1.0) * light;
    return (int)fmin(255.0, value + 0.5);
}

static void view_polygon(report_text *page, const report_point *points, int count,
                         const float rgba[4], double light)
{
    report_add_plain(page, "<path d=\"");
    report_point last = {0};
    for (int i = 0; i < count; ++i) {
        // Corners that fall together on paper would only make the page longer.
        if (i == 0 || hypot(points[i].x - last.x, points[i].y - last.y) > 0.6) {
            report_add(page, "%c%.1f %.1f", i == 0 ? 'M' : 'L', points[i].x, points[i].y);
            last = points[i];
        }
    }
    report_add(page, "Z\" fill=\"#%02x%02x%02x\"", view_tone(rgba[0], light),
               view_tone(rgba[1], light), view_tone(rgba[2], light));
    if (rgba[3] < 0.995f && rgba[3] >= 0.0f) {
        report_add(page, " fill-opacity=\"%.2f\"", fmax((double)rgba[3], 0.15));
    }
    report_add(page, " stroke=\"#%02x%02x%02x\"/>", view_tone(rgba[0], 0.55),
               view_tone(rgba[1], 0.55), view_tone(rgba[2], 0.55));
}

static void view_outline(report_text *page, const pawl_vec3 *points, int count,
                         const report_view *view, const float rgba[4], double light)
{
    report_point flat[REPORT_SHAPE_POINTS], hull[2 * REPORT_SHAPE_POINTS];
    for (int i = 0; i < count; ++i) {
        flat[i] = report_view_project(view, points[i]);
    }
    view_polygon(page, hull, view_hull(flat, count, hull), rgba, light);
}

// A face with more corners than there is room for loses every second one, or more.
static void view_hull_draw(report_text *page, const pawl_shape_def *shape,
                           const pawl_hull_faces *hull, pawl_pose frame, const report_view *view)
{
    for (int f = 0; f < hull->count; ++f) {
        pawl_vec3 normal = pawl_quat_rotate(frame.orientation, hull->normals[f]);
        if (v3_dot(normal, view->toward) < 0.02) {
            continue;
        }
        report_point corners[REPORT_SHAPE_POINTS];
        int count = hull->start[f + 1] - hull->start[f], used = 0;
        int stride = (count + REPORT_SHAPE_POINTS - 1) / REPORT_SHAPE_POINTS;
        for (int k = hull->start[f]; k < hull->start[f + 1]; k += stride) {
            corners[used++] = report_view_project(view, pawl_pose_apply(frame, hull->corners[k]));
        }
        view_polygon(page, corners, used, shape->rgba, report_view_light(view, normal));
    }
}

static void view_box_draw(report_text *page, const pawl_shape_def *shape, const pawl_vec3 *corners,
                          pawl_quat turn, const report_view *view)
{
    for (int f = 0; f < 6; ++f) {
        int axis = f / 2, bit = 1 << axis, side = f % 2;
        pawl_vec3 normal = v3_scale(side ? 1.0 : -1.0, pawl_quat_rotate(turn, view_axis(axis)));
        if (v3_dot(normal, view->toward) < 0.02) {
            continue;
        }
        pawl_vec3 face[4];
        int n = 0;
        for (int i = 0; i < 8; ++i) {
            if (((i & bit) != 0) == (side != 0)) {
                face[n++] = corners[i];
            }
        }
        view_outline(page, face, 4, view, shape->rgba, report_view_light(view, normal));
    }
}

void report_shape_draw(report_text *page, const pawl_shape_def *shape, const pawl_hull_faces *hull,
                       pawl_pose body, const report_view *view)
{
    pawl_vec3 points[REPORT_SHAPE_POINTS];
    int count = report_shape_points(shape, body, view, points);
    if (count == 0) {
        return;
    }
    pawl_pose frame = pawl_pose_compose(body, shape->frame);
    if (shape->kind == PAWL_SHAPE_BOX) {
        view_box_draw(page, shape, points, frame.orientation, view);
        return;
    }
    if (hull != NULL && hull->count <= VIEW_FACES) {
        view_hull_draw(page, shape, hull, frame, view);
        return;
    }
    view_outline(page, points, count, view, shape->rgba, 0.92);
    if (shape->kind == PAWL_SHAPE_CYLINDER) {
        pawl_vec3 z = pawl_quat_rotate(frame.orientation, v3(0, 0, 1));
        bool top = v3_dot(z, view->toward) > 0.0;
        if (fabs(v3_dot(z, view->toward)) > 0.02) {
            view_outline(page, points + (top ? 0 : VIEW_CIRCLE), VIEW_CIRCLE, view, shape->rgba,
                         report_view_light(view, v3_scale(top ? 1.0 : -1.0, z)));
        }
    }
}
