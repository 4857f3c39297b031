// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Meshes in the SVG picture. Triangles are painted from back to front. A depth buffer finds the visible ones, usually
// less than half, and only these are written to the file. Both sides of a triangle are drawn, because files of visual
// meshes wind them either way.
#include "page/report_mesh.h"
#include "math/vec.h"
#include <math.h>
#include <string.h>

static const double mesh_cells = 2.0; // of the buffer, to a unit of paper
enum { MESH_MOST_CELLS = 4000 };      // along either side

void report_mesh_add(report_triangles *list, const drawn_mesh *mesh, int shape, pawl_pose frame,
                     const report_view *view)
{
    for (int t = 0; t < mesh->triangle_count && list->count < list->capacity; ++t) {
        report_triangle *item = &list->item[list->count++];
        pawl_vec3 p[3], middle = v3(0.0, 0.0, 0.0);
        for (int k = 0; k < 3; ++k) {
            p[k] = pawl_pose_apply(frame, mesh->points[mesh->triangles[3 * t + k]]);
            item->at[k] = report_view_project(view, p[k]);
            middle = v3_axpy(middle, 1.0 / 3.0, p[k]);
        }
        pawl_vec3 n = v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0]));
        double length = v3_norm(n);
        n = v3_scale(length > 0.0 ? 1.0 / length : 0.0, n);
        n = v3_dot(n, view->toward) < 0.0 ? v3_scale(-1.0, n) : n;
        item->depth = v3_dot(middle, view->toward);
        item->light = report_view_light(view, n);
        item->shape = shape;
    }
}

typedef struct mesh_buffer {
    double x0, y0;
    int columns, rows;
    float *depth;
    int *owner;
} mesh_buffer;

static mesh_buffer mesh_buffer_size(const report_triangles *list)
{
    double x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;
    for (int i = 0; i < list->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            report_point p = list->item[i].at[k];
            x0 = fmin(x0, p.x), x1 = fmax(x1, p.x), y0 = fmin(y0, p.y), y1 = fmax(y1, p.y);
        }
    }
    mesh_buffer b = {.x0 = x0, .y0 = y0};
    if (list->count > 0) {
        b.columns = (int)fmin(mesh_cells * (x1 - x0) + 1.0, MESH_MOST_CELLS);
        b.rows = (int)fmin(mesh_cells * (y1 - y0) + 1.0, MESH_MOST_CELLS);
    }
    return b;
}

// Cells whose middles the triangle covers, all with the depth of its middle: the order in which it is painted.
static void mesh_buffer_fill(mesh_buffer *b, const report_triangle *t, int index)
{
    double x[3], y[3];
    for (int k = 0; k < 3; ++k) {
        x[k] = mesh_cells * (t->at[k].x - b->x0) - 0.5;
        y[k] = mesh_cells * (t->at[k].y - b->y0) - 0.5;
    }
    double area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
    if (area == 0.0) {
        return;
    }
    double sign = area > 0.0 ? 1.0 : -1.0;
    int left = (int)fmax(ceil(fmin(x[0], fmin(x[1], x[2]))), 0.0);
    int right = (int)fmin(floor(fmax(x[0], fmax(x[1], x[2]))), b->columns - 1.0);
    int top = (int)fmax(ceil(fmin(y[0], fmin(y[1], y[2]))), 0.0);
    int bottom = (int)fmin(floor(fmax(y[0], fmax(y[1], y[2]))), b->rows - 1.0);
    for (int j = top; j <= bottom; ++j) {
        for (int i = left; i <= right; ++i) {
            bool inside = true;
            for (int k = 0; k < 3 && inside; ++k) {
                int m = (k + 1) % 3;
                double side = (x[m] - x[k]) * (j - y[k]) - (y[m] - y[k]) * (i - x[k]);
                inside = sign * side >= 0.0;
            }
            size_t at = (size_t)j * (size_t)b->columns + (size_t)i;
            if (inside && (b->owner[at] < 0 || t->depth > (double)b->depth[at])) {
                b->depth[at] = (float)t->depth;
                b->owner[at] = index;
            }
        }
    }
}

pawl_status report_mesh_visible(const pawl_env *env, report_triangles *list)
{
    mesh_buffer b = mesh_buffer_size(list);
    size_t cells = (size_t)b.columns * (size_t)b.rows;
    size_t size = cells * (sizeof *b.depth + sizeof *b.owner) + (size_t)list->count + 1;
    if (cells == 0) {
        list->count = 0;
        return PAWL_OK;
    }
    char *block = pawl_alloc(env, size);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "a picture needs %zu bytes", size);
    }
    b.depth = (float *)(void *)block;
    b.owner = (int *)(void *)(block + cells * sizeof *b.depth);
    char *seen = block + cells * (sizeof *b.depth + sizeof *b.owner);
    memset(b.owner, 0xff, cells * sizeof *b.owner);
    for (int i = 0; i < list->count; ++i) {
        mesh_buffer_fill(&b, &list->item[i], i);
    }
    for (size_t c = 0; c < cells; ++c) {
        if (b.owner[c] >= 0) {
            seen[b.owner[c]] = 1;
        }
    }
    int kept = 0;
    for (int i = 0; i < list->count; ++i) {
        if (seen[i]) {
            list->item[kept++] = list->item[i];
        }
    }
    list->count = kept;
    pawl_free(env, block, size);
    return PAWL_OK;
}

// The stroke has the colour of the face: it closes the hairlines between neighbours.
void report_mesh_draw(report_text *page, const report_triangle *t, const float rgba[4])
{
    int tone[3];
    for (int k = 0; k < 3; ++k) {
        tone[k] = (int)fmin(255.0, 255.0 * clamp_to((double)rgba[k], 0.0, 1.0) * t->light + 0.5);
    }
    report_add(page, "<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\" fill=\"#%02x%02x%02x\"",
               t->at[0].x, t->at[0].y, t->at[1].x, t->at[1].y, t->at[2].x, t->at[2].y, tone[0],
               tone[1], tone[2]);
    if (rgba[3] < 0.995f) {
        report_add(page, " fill-opacity=\"%.2f\" stroke=\"none\"/>", fmax((double)rgba[3], 0.15));
        return;
    }
    report_add(page, " stroke=\"#%02x%02x%02x\" stroke-width=\".6\"/>", tone[0], tone[1], tone[2]);
}
