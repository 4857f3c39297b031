// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Planes in drawings. All bodies are on one side of a plane: seen from that side the patch is behind everything, so
// it is drawn first; seen from the other side only its outline is drawn.
#include "page/report_floor.h"
#include "math/vec.h"
#include <math.h>

static const double FLOOR_EDGE_ON = 0.08; // sine of the angle below which a plane is a line
enum { FLOOR_LINES = 60, FLOOR_DEPTH = 11 };

report_floor report_floor_begin(const pawl_shape_info *plane)
{
    return (report_floor){.frame = plane->def.frame,
                          .body = pawl_body_index(plane->body),
                          .u0 = INFINITY,
                          .u1 = -INFINITY,
                          .v0 = INFINITY,
                          .v1 = -INFINITY,
                          .lowest = INFINITY,
                          .highest = -INFINITY,
                          .field = -1};
}

void report_floor_grow(report_floor *f, pawl_pose body, pawl_vec3 point)
{
    pawl_vec3 p = pawl_pose_apply(pawl_pose_inverse(pawl_pose_compose(body, f->frame)), point);
    f->u0 = fmin(f->u0, p.x);
    f->u1 = fmax(f->u1, p.x);
    f->v0 = fmin(f->v0, p.y);
    f->v1 = fmax(f->v1, p.y);
    f->lowest = fmin(f->lowest, p.z);
    f->highest = fmax(f->highest, p.z);
}

bool report_floor_end(report_floor *f)
{
    double size = fmax(fmax(f->u1 - f->u0, f->v1 - f->v0), f->highest - f->lowest);
    if (!(size > 0.0 && size < 1e12) || !(f->lowest <= size)) {
        return false;
    }
    double rim = 0.12 * size;
    f->u0 -= rim;
    f->u1 += rim;
    f->v0 -= rim;
    f->v1 += rim;
    return true;
}

static pawl_vec3 floor_point(const report_floor *f, pawl_pose body, double u, double v)
{
    return pawl_pose_apply(body, pawl_pose_apply(f->frame, v3(u, v, 0.0)));
}

static void floor_corners(const report_floor *f, pawl_pose body, pawl_vec3 corners[4])
{
    corners[0] = floor_point(f, body, f->u0, f->v0);
    corners[1] = floor_point(f, body, f->u1, f->v0);
    corners[2] = floor_point(f, body, f->u1, f->v1);
    corners[3] = floor_point(f, body, f->u0, f->v1);
}

// How far the normal points to the viewer, as a sine.
static double floor_facing(const report_floor *f, pawl_pose body, const report_view *view)
{
    pawl_quat turn = pawl_pose_compose(body, f->frame).orientation;
    return v3_dot(pawl_quat_rotate(turn, v3(0, 0, 1)), view->toward);
}

void report_floor_box(const report_floor *f, pawl_pose body, const report_view *view,
                      report_box *box)
{
    pawl_vec3 corners[4];
    floor_corners(f, body, corners);
    for (int i = 0; i < 4; ++i) {
        report_box_grow(box, view, corners[i], 0.0);
    }
}

static void floor_line(report_text *page, const report_view *view, pawl_vec3 from, pawl_vec3 to)
{
    report_point a = report_view_project(view, from), b = report_view_project(view, to);
    report_add(page, "M%.1f %.1fL%.1f %.1f", a.x, a.y, b.x, b.y);
}

// Lines at round numbers of metres from the plane's origin, so that they show where things are.
static void floor_grid(report_text *page, const report_floor *f, pawl_pose body,
                       const report_view *view)
{
    double rough = fmax(f->u1 - f->u0, f->v1 - f->v0) / 9.0, power = pow(10.0, floor(log10(rough)));
    double step = rough / power >= 5.0 ? 5.0 * power : rough / power >= 2.0 ? 2.0 * power : power;
    report_add_plain(page, "<path class=\"floor-grid\" d=\"");
    double first = ceil(f->u0 / step);
    for (int i = 0; i < FLOOR_LINES && (first + i) * step <= f->u1; ++i) {
        double u = (first + i) * step;
        floor_line(page, view, floor_point(f, body, u, f->v0), floor_point(f, body, u, f->v1));
    }
    first = ceil(f->v0 / step);
    for (int i = 0; i < FLOOR_LINES && (first + i) * step <= f->v1; ++i) {
        double v = (first + i) * step;
        floor_line(page, view, floor_point(f, body, f->u0, v), floor_point(f, body, f->u1, v));
    }
    report_add_plain(page, "\"/>");
}

static void floor_patch(report_text *page, const report_floor *f, pawl_pose body,
                        const report_view *view, bool in_front)
{
    pawl_vec3 corners[4];
    floor_corners(f, body, corners);
    report_add(page, "<path class=\"%s\" d=\"", in_front ? "floor-back" : "floor");
    for (int i = 0; i < 4; ++i) {
        report_point p = report_view_project(view, corners[i]);
        report_add(page, "%c%.1f %.1f", i == 0 ? 'M' : 'L', p.x, p.y);
    }
    report_add_plain(page, "Z\"/>");
}

// The two ends of the patch on paper, and a band on the far side of the normal.
static void floor_edge(report_text *page, const report_floor *f, pawl_pose body,
                       const report_view *view)
{
    pawl_vec3 corners[4];
    floor_corners(f, body, corners);
    report_point ends[2] = {{0}};
    double longest = -1.0;
    for (int i = 0; i < 4; ++i) {
        for (int j = i + 1; j < 4; ++j) {
            report_point a = report_view_project(view, corners[i]);
            report_point b = report_view_project(view, corners[j]);
            if (hypot(b.x - a.x, b.y - a.y) > longest) {
                longest = hypot(b.x - a.x, b.y - a.y);
                ends[0] = a;
                ends[1] = b;
            }
        }
    }
    pawl_quat turn = pawl_pose_compose(body, f->frame).orientation;
    pawl_vec3 down = v3_scale(-FLOOR_DEPTH, pawl_quat_rotate(turn, v3(0, 0, 1)));
    double x = v3_dot(view->right, down), y = -v3_dot(view->up, down);
    report_add(page, "<path class=\"floor\" d=\"M%.1f %.1fL%.1f %.1fl%.1f %.1fL%.1f %.1fZ\"/>",
               ends[0].x, ends[0].y, ends[1].x, ends[1].y, x, y, ends[0].x + x, ends[0].y + y);
    report_add(page, "<path class=\"floor-line\" d=\"M%.1f %.1fL%.1f %.1f\"/>", ends[0].x,
               ends[0].y, ends[1].x, ends[1].y);
}

void report_floor_draw(report_text *page, const report_floor *f, pawl_pose body,
                       const report_view *view)
{
    double facing = floor_facing(f, body, view);
    if (fabs(facing) < FLOOR_EDGE_ON) {
        floor_edge(page, f, body, view);
        return;
    }
    floor_patch(page, f, body, view, facing < 0.0);
    if (facing > 0.0) {
        floor_grid(page, f, body, view);
    }
}
