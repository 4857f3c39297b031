// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A heightfield as a tensor product of natural cubic splines. Natural means that the second
// derivative across an edge is 0 there, so that a straight continuation beyond the edge keeps second derivatives
// continuous, and affine heights are reproduced exactly.
//
// The distance is the true one: Newton's method finds the foot u of the perpendicular, where
// |p - (u, h(u))|^2/2 is least. Its derivatives need only second derivatives of h.
#include "wrench/spline_field.h"
#include <string.h>

// Coefficients are ((y_count + 2) x (x_count + 2)), x fastest, with one line more on each side than heights.
void pawl_spline_field_layout(const pawl_heightfield_def *def, pawl_carver *mem, spline_field *out)
{
    double *c = PAWL_CARVE(mem, double, (size_t)(def->x_count + 2) * (size_t)(def->y_count + 2));
    if (out != NULL) {
        *out = (spline_field){def->x_count, def->y_count, def->dx, def->dy, c};
    }
}

// In place from the n values on a line, `stride` apart, to coefficients:
//   (c_{i-1} + 4 c_i + c_{i+1})/6 = f_i,   c_{-1} - 2 c_0 + c_1 = 0 and the same at the other end,
// hence c_0 = f_0. The eliminated diagonal converges fast, so its first entries are all there are.
// The entries before the first and after the last are written, too.
static void spline_field_line(double *f, int n, size_t stride)
{
    enum { HEAD = 24 };
    double g[HEAD] = {0.0};
    for (int i = 1; i < HEAD; ++i) {
        g[i] = 1.0 / (4.0 - g[i - 1]);
    }
    for (int i = 1; i < n - 1; ++i) {
        double *at = f + (size_t)i * stride;
        *at = g[i < HEAD ? i : HEAD - 1] * (6.0 * *at - *(at - stride));
    }
    for (int i = n - 2; i > 0; --i) {
        double *at = f + (size_t)i * stride;
        *at -= g[i < HEAD ? i : HEAD - 1] * *(at + stride);
    }
    double *last = f + (size_t)(n - 1) * stride;
    *(f - stride) = 2.0 * *f - *(f + stride);
    *(last + stride) = 2.0 * *last - *(last - stride);
}

// A tensor product is fitted line by line: first along x for each y, then along y for each column of the result,
// including the two that the first pass has added.
void pawl_spline_field_fit(const pawl_heightfield_def *def, spline_field *field)
{
    size_t row = (size_t)field->x_count + 2;
    for (int j = 0; j < field->y_count; ++j) {
        double *line = field->c + (size_t)(j + 1) * row + 1;
        memcpy(line, def->heights + (size_t)j * (size_t)field->x_count,
               (size_t)field->x_count * sizeof *line);
        spline_field_line(line, field->x_count, 1);
    }
    for (size_t i = 0; i < row; ++i) {
        spline_field_line(field->c + row + i, field->y_count, row);
    }
}

// Four basis functions and their derivatives by x, for the coefficients from *cell on.
typedef struct spline_basis {
    int cell;
    double b[4], d1[4], d2[4];
} spline_basis;

static spline_basis spline_field_basis(double x, double spacing, int count)
{
    double u = x / spacing, inside = clamp_to(u, 0.0, (double)(count - 1));
    spline_basis out;
    out.cell = inside < (double)(count - 2) ? (int)inside : count - 2;
    double s = inside - (double)out.cell, r = 1.0 - s;
    const double b[4] = {r * r * r / 6.0, (3.0 * s * s * s - 6.0 * s * s + 4.0) / 6.0,
                         (3.0 * r * r * r - 6.0 * r * r + 4.0) / 6.0, s * s * s / 6.0};
    const double d1[4] = {-0.5 * r * r, 1.5 * s * s - 2.0 * s, 2.0 * r - 1.5 * r * r, 0.5 * s * s};
    const double d2[4] = {r, 3.0 * s - 2.0, 3.0 * r - 2.0, s};
    double beyond = u - inside; // straight on, where d2 adds up to 0
    for (int k = 0; k < 4; ++k) {
        out.b[k] = b[k] + beyond * d1[k];
        out.d1[k] = d1[k] / spacing;
        out.d2[k] = beyond == 0.0 ? d2[k] / (spacing * spacing) : 0.0;
    }
    return out;
}

// Height and its first and second derivatives at (x, y) [m] in the field's frame. Beyond the edges the field is
// continued straight, with the slope of the edge.
field_height pawl_spline_field_height(const spline_field *field, double x, double y)
{
    spline_basis bx = spline_field_basis(x, field->dx, field->x_count);
    spline_basis by = spline_field_basis(y, field->dy, field->y_count);
    size_t row = (size_t)field->x_count + 2;
    field_height out = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (int j = 0; j < 4; ++j) {
        const double *c = field->c + (size_t)(by.cell + j) * row + (size_t)bx.cell;
        double f = 0.0, fx = 0.0, fxx = 0.0;
        for (int i = 0; i < 4; ++i) {
            f += bx.b[i] * c[i];
            fx += bx.d1[i] * c[i];
            fxx += bx.d2[i] * c[i];
        }
        out.h += by.b[j] * f;
        out.hx += by.b[j] * fx;
        out.hxx += by.b[j] * fxx;
        out.hy += by.d1[j] * f;
        out.hxy += by.d1[j] * fx;
        out.hyy += by.d2[j] * f;
    }
    return out;
}

// Half the squared distance from p to the surface over (x, y), and its gradient.
typedef struct field_foot {
    double x, y, value, gx, gy;
    field_height at;
} field_foot;

static field_foot spline_field_foot(const spline_field *field, pawl_vec3 p, double x, double y)
{
    field_foot f = {.x = x, .y = y, .at = pawl_spline_field_height(field, x, y)};
    double ex = p.x - x, ey = p.y - y, ez = p.z - f.at.h;
    f.value = 0.5 * (ex * ex + ey * ey + ez * ez);
    f.gx = -ex - ez * f.at.hx;
    f.gy = -ey - ez * f.at.hy;
    return f;
}

// Newton's method with a line search, from the point straight below or above p. It finds a local minimum: of
// points far above a valley another one may be nearer.
static field_foot spline_field_nearest(const spline_field *field, pawl_vec3 p)
{
    enum { ROUNDS = 50, HALVINGS = 40 };
    field_foot f = spline_field_foot(field, p, p.x, p.y);
    for (int round = 0; round < ROUNDS; ++round) {
        const field_height *h = &f.at;
        double ez = p.z - h->h, xx = 1.0 + h->hx * h->hx, xy = h->hx * h->hy,
               yy = 1.0 + h->hy * h->hy;
        double a = xx - ez * h->hxx, b = xy - ez * h->hxy, c = yy - ez * h->hyy;
        if (!(a > 0.0 && a * c - b * b > 1e-6 * a * a)) { // not convex here: Gauss-Newton is
            a = xx, b = xy, c = yy;
        }
        double det = a * c - b * b;
        double sx = -(c * f.gx - b * f.gy) / det, sy = -(a * f.gy - b * f.gx) / det;
        double slope2 = f.gx * f.gx + f.gy * f.gy, t = 1.0;
        field_foot next = spline_field_foot(field, p, f.x + sx, f.y + sy);
        // Near the end the value no longer tells steps apart, but the gradient does.
        bool better =
            next.gx * next.gx + next.gy * next.gy < slope2 && next.value <= f.value * (1.0 + 1e-12);
        for (int k = 0; k < HALVINGS && !better; ++k) {
            t *= 0.5;
            next = spline_field_foot(field, p, f.x + t * sx, f.y + t * sy);
            better = next.value < f.value;
        }
        if (!better) {
            break;
        }
        f = next;
    }
    return f;
}

// Negative below the surface, because n points up. The curvature of the parallel surface through p follows from
// that at the foot: pawl_surface_offset.
surface_distance pawl_spline_field_distance(const spline_field *field, pawl_vec3 p)
{
    field_foot f = spline_field_nearest(field, p);
    const field_height *h = &f.at;
    double steep = sqrt(1.0 + h->hx * h->hx + h->hy * h->hy);
    pawl_vec3 n = v3(-h->hx / steep, -h->hy / steep, 1.0 / steep);
    double distance = v3_dot(n, v3_sub(p, v3(f.x, f.y, h->h)));
    // the level sets of z - h(x, y): their normal changes by P D2(z - h) P/|grad|
    pawl_mat3 project = pawl_across(1.0, n, NULL);
    pawl_mat3 S = {{{-h->hxx / steep, -h->hxy / steep, 0.0},
                    {-h->hxy / steep, -h->hyy / steep, 0.0},
                    {0.0, 0.0, 0.0}}};
    S = m3_congruence(&project, &S);
    return (surface_distance){distance, n, pawl_surface_offset(&S, distance)};
}
