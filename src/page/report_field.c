// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Heightfields in pictures: a net of lines along rows and columns of heights.
#include "page/report_field.h"
#include "math/vec.h"

enum { FIELD_LINES = 30, FIELD_POINTS = 90 }; // in each direction; along a line

report_floor report_field_begin(const pawl_heightfield_def *field)
{
    pawl_shape_info plane = {PAWL_WORLD, pawl_shape_def_default()};
    plane.def.frame = field->frame;
    return report_floor_begin(&plane);
}

// Grid points of one direction: the first, the last, and how many go from line to line and from
// point to point.
typedef struct field_range {
    int first, last, line, point;
} field_range;

static int field_index(double at, int count)
{
    return (int)clamp_to(at, 0.0, (double)(count - 1));
}

static field_range field_range_of(double low, double high, double spacing, int count)
{
    field_range r = {.first = field_index(floor(low / spacing), count),
                     .last = field_index(ceil(high / spacing), count)};
    int steps = r.last - r.first;
    r.line = steps / FIELD_LINES + 1;
    r.point = steps / FIELD_POINTS + 1;
    return r;
}

static void field_point(report_text *page, const pawl_heightfield_def *field,
                        const report_view *view, int i, int j, bool first)
{
    double height = field->heights[(size_t)j * (size_t)field->x_count + (size_t)i];
    pawl_vec3 local = v3(field->dx * i, field->dy * j, height);
    report_point p = report_view_project(view, pawl_pose_apply(field->frame, local));
    report_add(page, "%c%.1f %.1f", first ? 'M' : 'L', p.x, p.y);
}

void report_field_draw(report_text *page, const pawl_heightfield_def *field,
                       const report_floor *patch, const report_view *view)
{
    field_range x = field_range_of(patch->u0, patch->u1, field->dx, field->x_count);
    field_range y = field_range_of(patch->v0, patch->v1, field->dy, field->y_count);
    report_add_plain(page, "<path class=\"floor-grid\" d=\"");
    for (int j = y.first; j <= y.last; j += y.line) {
        for (int i = x.first; i <= x.last; i += x.point) {
            field_point(page, field, view, i, j, i == x.first);
        }
    }
    for (int i = x.first; i <= x.last; i += x.line) {
        for (int j = y.first; j <= y.last; j += y.point) {
            field_point(page, field, view, i, j, j == y.first);
        }
    }
    report_add_plain(page, "\"/>");
}
