// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Finds the triangles of a heightfield that a shape may touch: those of the cells under its box, by their indices in
// the grid. Tiles of cells whose highest point is below the box are skipped, so that the cost does not depend on the
// size of the field, and depends little on that of the shape.
//
// Grid lines are counted from -1 to nx: the first and the last are far beyond the edges, with heights that
// continue the outermost cells. Each cell is split along the diagonal from (i, j) to (i + 1, j + 1).
#include "collide/height_grid.h"

enum { HEIGHT_TILE = 8 };
static const double height_far = 100.0; // of the field's own size

static double height_at(const height_grid *g, int i, int j)
{
    return g->heights[(size_t)j * (size_t)g->nx + (size_t)i];
}

static int height_clamp(int i, int low, int high)
{
    return i < low ? low : i > high ? high : i;
}

// Coordinate of grid line i [m], in the field's frame, whose origin is the corner (0, 0).
static double height_line(int i, int count, double spacing, double far)
{
    return i < 0 ? -far : i >= count ? (count - 1) * spacing + far : i * spacing;
}

// Beyond an edge the height is that of the nearest point of the field plus the rise of that side, and at the
// corners beyond two edges the rises of both.
static pawl_vec3 height_vertex(const height_grid *g, int i, int j)
{
    int a = height_clamp(i, 0, g->nx - 1), b = height_clamp(j, 0, g->ny - 1);
    double z = height_at(g, a, b);
    z += a != i ? g->rise[0][i > 0] : 0.0;
    z += b != j ? g->rise[1][j > 0] : 0.0;
    return v3(height_line(i, g->nx, g->dx, g->far), height_line(j, g->ny, g->dy, g->far), z);
}

// One slope for each edge: with one for each of its points the cells beyond it would be twisted.
static void height_continue(height_grid *g)
{
    for (int j = 0; j < g->ny; ++j) {
        g->rise[0][0] += (height_at(g, 0, j) - height_at(g, 1, j)) / g->ny;
        g->rise[0][1] += (height_at(g, g->nx - 1, j) - height_at(g, g->nx - 2, j)) / g->ny;
    }
    for (int i = 0; i < g->nx; ++i) {
        g->rise[1][0] += (height_at(g, i, 0) - height_at(g, i, 1)) / g->nx;
        g->rise[1][1] += (height_at(g, i, g->ny - 1) - height_at(g, i, g->ny - 2)) / g->nx;
    }
    for (int side = 0; side < 2; ++side) {
        g->rise[0][side] *= g->far / g->dx;
        g->rise[1][side] *= g->far / g->dy;
    }
}

// The cell under a coordinate: from -1 to count - 1.
static int height_cell(double x, double spacing, int count)
{
    double i = floor(x / spacing);
    return i < 0.0 ? -1 : i >= (double)(count - 1) ? count - 1 : (int)i;
}

static uint64_t height_cell_id(const height_grid *g, int i, int j)
{
    return (uint64_t)(j + 1) * (uint64_t)(g->nx + 1) + (uint64_t)(i + 1);
}

static size_t height_tiles(int count)
{
    return ((size_t)count - 1 + HEIGHT_TILE - 1) / HEIGHT_TILE;
}

// Corners of a triangle of a cell, relative to `origin`; side 0 is below the diagonal.
static surface_face height_face(const height_grid *g, int i, int j, int side, pawl_vec3 origin)
{
    surface_face f = {.id = 2 * height_cell_id(g, i, j) + (uint64_t)side};
    f.v[0] = v3_sub(height_vertex(g, i, j), origin);
    f.v[1] = v3_sub(height_vertex(g, i + 1, j + side), origin);
    f.v[2] = v3_sub(height_vertex(g, i + 1 - side, j + 1), origin);
    f.normal = v3_cross(v3_sub(f.v[1], f.v[0]), v3_sub(f.v[2], f.v[0]));
    f.normal = v3_scale(1.0 / v3_norm(f.normal), f.normal);
    return f;
}

// The normal of the first face, if half of all faces share it, else zero. See surface_search.c for what it is used
// for.
static void height_find_usual(height_grid *g)
{
    int64_t same = 0, all = 0;
    pawl_vec3 origin = v3(0.0, 0.0, 0.0), n = height_face(g, 0, 0, 0, origin).normal;
    for (int j = 0; j + 1 < g->ny; ++j) {
        for (int i = 0; i + 1 < g->nx; ++i) {
            for (int side = 0; side < 2; ++side, ++all) {
                pawl_vec3 d = v3_sub(height_face(g, i, j, side, origin).normal, n);
                same += v3_max_abs(d) <= 1e-9;
            }
        }
    }
    g->usual = 2 * same >= all ? n : v3(0.0, 0.0, 0.0);
}

pawl_status pawl_height_grid_create(const pawl_env *env, const pawl_heightfield_def *def,
                                    height_grid **out)
{
    size_t tx = height_tiles(def->x_count), ty = height_tiles(def->y_count);
    size_t bytes = sizeof(height_grid) + tx * ty * sizeof(double);
    height_grid *g = pawl_alloc(env, bytes);
    *out = g;
    if (g == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "heightfield '%s' needs %zu bytes", def->name, bytes);
    }
    *g = (height_grid){.nx = def->x_count,
                       .ny = def->y_count,
                       .dx = def->dx,
                       .dy = def->dy,
                       .far = height_far * (def->dx * def->x_count + def->dy * def->y_count),
                       .heights = def->heights,
                       .top = -INFINITY,
                       .tiles_x = (int)tx,
                       .tiles_y = (int)ty,
                       .tile_top = (double *)(void *)(g + 1),
                       .bytes = bytes};
    height_continue(g);
    for (size_t k = 0; k < tx * ty; ++k) {
        g->tile_top[k] = -INFINITY;
    }
    for (int j = 0; j < g->ny; ++j) {
        for (int i = 0; i < g->nx; ++i) {
            // a point on a line between tiles is of both
            double z = height_at(g, i, j);
            int i0 = (i > 0 ? i - 1 : 0) / HEIGHT_TILE, j0 = (j > 0 ? j - 1 : 0) / HEIGHT_TILE;
            for (int b = j0; b <= j / HEIGHT_TILE && b < g->tiles_y; ++b) {
                for (int a = i0; a <= i / HEIGHT_TILE && a < g->tiles_x; ++a) {
                    double *top = &g->tile_top[b * g->tiles_x + a];
                    *top = max_of(*top, z);
                }
            }
            g->top = max_of(g->top, z);
        }
    }
    height_find_usual(g);
    return PAWL_OK;
}

void pawl_height_grid_destroy(const pawl_env *env, height_grid *grid)
{
    if (grid != NULL) {
        pawl_free(env, grid, grid->bytes);
    }
}

// The triangle above or below a point, by its x and y alone.
static surface_face height_face_over(const height_grid *g, pawl_vec3 point, pawl_vec3 origin)
{
    int i = height_cell(point.x, g->dx, g->nx), j = height_cell(point.y, g->dy, g->ny);
    double x0 = height_line(i, g->nx, g->dx, g->far), x1 = height_line(i + 1, g->nx, g->dx, g->far);
    double y0 = height_line(j, g->ny, g->dy, g->far), y1 = height_line(j + 1, g->ny, g->dy, g->far);
    int side = (point.y - y0) * (x1 - x0) > (point.x - x0) * (y1 - y0) ? 1 : 0;
    return height_face(g, i, j, side, origin);
}

// Depth below the plane of that triangle [m], positive below. It is not the distance to the nearest point of the
// field.
double pawl_height_grid_depth(const height_grid *g, pawl_vec3 point)
{
    surface_face f = height_face_over(g, point, v3(0.0, 0.0, 0.0));
    return v3_dot(f.normal, v3_sub(f.v[0], point));
}

// Beyond the edges the field continues with its slopes, where `top` is not a bound: boxes there are always tested.
bool pawl_height_grid_reaches(const height_grid *g, pawl_vec3 low, pawl_vec3 high, double margin)
{
    bool over = low.x >= margin && low.y >= margin && high.x <= (g->nx - 1) * g->dx - margin &&
                high.y <= (g->ny - 1) * g->dy - margin;
    return !over || low.z - margin <= g->top;
}

typedef struct height_search {
    const height_grid *grid;
    pawl_vec3 origin; // the shape, in the field's frame
    surface_search search;
} height_search;

static double height_inside(const void *surface, pawl_vec3 point, uint64_t *face, pawl_vec3 *normal)
{
    const height_search *h = surface;
    surface_face f = height_face_over(h->grid, v3_add(point, h->origin), h->origin);
    *face = f.id;
    *normal = f.normal;
    return v3_dot(f.normal, v3_sub(f.v[0], point));
}

// The edge between two faces: from corner a to corner b of the first, whose third corner is c.
static void height_edge(height_search *h, const surface_face *f, const surface_face *g, int a,
                        pawl_vec3 opposite, uint64_t id)
{
    int b = (a + 1) % 3, c = (a + 2) % 3;
    surface_edge e = {{f->v[a], f->v[b]}, {f->v[c], opposite}, {f->normal, g->normal}, id};
    pawl_surface_add_edge(&h->search, &e);
}

// Each cell has its two faces, the diagonal, the edges to its south and west neighbours and its south-west vertex.
// So every edge and vertex of the grid is of one cell. Neighbours of the outermost line (-1) do not exist.
static void height_add_cell(height_search *h, int i, int j)
{
    const height_grid *g = h->grid;
    uint64_t cell = height_cell_id(g, i, j);
    surface_face below = height_face(g, i, j, 0, h->origin);
    surface_face above = height_face(g, i, j, 1, h->origin);
    pawl_surface_add_face(&h->search, &below);
    pawl_surface_add_face(&h->search, &above);
    height_edge(h, &below, &above, 2, above.v[2], 3 * cell);
    if (j >= 0) {
        surface_face south = height_face(g, i, j - 1, 1, h->origin);
        height_edge(h, &below, &south, 0, south.v[0], 3 * cell + 1);
    }
    if (i >= 0) {
        surface_face west = height_face(g, i - 1, j, 0, h->origin);
        height_edge(h, &above, &west, 2, west.v[0], 3 * cell + 2);
    }
    if (i >= 0 && j >= 0) {
        surface_vertex v = {.v = below.v[0], .outward = v3(0.0, 0.0, 1.0), .id = cell};
        enum { RING = 6 };
        static const int ring[RING][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
        pawl_vec3 around[RING];
        for (int k = 0; k < RING; ++k) {
            around[k] = v3_sub(height_vertex(g, i + ring[k][0], j + ring[k][1]), h->origin);
        }
        v.ring = around;
        v.ring_count = RING;
        pawl_surface_add_vertex(&h->search, &v);
    }
}

static double height_cell_top(const height_grid *g, int i, int j)
{
    return max_of(max_of(height_vertex(g, i, j).z, height_vertex(g, i + 1, j).z),
                  max_of(height_vertex(g, i, j + 1).z, height_vertex(g, i + 1, j + 1).z));
}

// The last cell of the tile of (i, j) in its row, if all of the tile is below z; else i - 1.
static int height_pass_tile(const height_grid *g, int i, int j, double z)
{
    if (i < 0 || j < 0 || i >= g->nx - 1 || j >= g->ny - 1) {
        return i - 1;
    }
    int tile = i / HEIGHT_TILE;
    if (g->tile_top[j / HEIGHT_TILE * g->tiles_x + tile] >= z) {
        return i - 1;
    }
    int last = tile * HEIGHT_TILE + HEIGHT_TILE - 1;
    return last < g->nx - 2 ? last : g->nx - 2;
}

// The search is done in the field's axes with the shape at the origin, so that fields far from the world's origin
// lose no digits. Returns the number of manifolds, at most `room`; each has one normal, from the shape into the
// field.
int pawl_height_grid_collide(const placed_shape *shape, const placed_shape *field, double margin,
                             contact_manifold *out, int room)
{
    const height_grid *g = field->grid;
    if (shape->kind == PAWL_SHAPE_PLANE || shape->kind == PAWL_SHAPE_HEIGHTFIELD) {
        return 0; // neither has points that could touch a field
    }
    height_search h = {.grid = g};
    placed_shape seen = pawl_surface_seen(shape, field, &h.origin);
    pawl_surface_begin(&h.search, &seen, margin, height_inside, &h, g->usual);
    pawl_vec3 low = v3_add(h.search.low, h.origin), high = v3_add(h.search.high, h.origin);
    // One more cell at the far sides: each has the edges and the vertex at its near sides alone.
    int i0 = height_cell(low.x, g->dx, g->nx), j0 = height_cell(low.y, g->dy, g->ny);
    int i1 = height_clamp(height_cell(high.x, g->dx, g->nx) + 1, -1, g->nx - 1);
    int j1 = height_clamp(height_cell(high.y, g->dy, g->ny) + 1, -1, g->ny - 1);
    for (int j = j0; j <= j1; ++j) {
        for (int i = i0; i <= i1; ++i) {
            int passed = height_pass_tile(g, i, j, low.z);
            if (passed >= i) {
                i = passed;
            } else if (height_cell_top(g, i, j) >= low.z) {
                height_add_cell(&h, i, j);
            }
        }
    }
    int count = pawl_surface_finish(&h.search, out, room);
    pawl_surface_to_world(out, count, shape, field);
    return count;
}

// ---- rays --------------------------------------------------------------------------------------

// How far along the ray the next line of a cell is, infinite where the ray runs beside them.
static double height_next_line(double at, double speed, double low, double high)
{
    return speed > 0.0 ? (high - at) / speed : speed < 0.0 ? (low - at) / speed : INFINITY;
}

// Where the ray crosses the diagonal of a cell, strictly between two distances; else the second of them.
static double height_next_diagonal(pawl_vec3 o, pawl_vec3 d, pawl_vec3 low, pawl_vec3 high,
                                   double from, double to)
{
    double wide = high.x - low.x, deep = high.y - low.y;
    double side = (o.y - low.y) * wide - (o.x - low.x) * deep, speed = d.y * wide - d.x * deep;
    double t = speed != 0.0 ? -side / speed : INFINITY;
    return t > from && t < to ? t : to;
}

// The part of a ray over one triangle, from..to. Heights are linear there: it goes below the plane once or not at all.
static bool height_ray_sinks(const height_grid *g, pawl_vec3 o, pawl_vec3 d, double from, double to,
                             double *distance, pawl_vec3 *normal)
{
    double middle = isfinite(to) ? 0.5 * (from + to) : from + 1.0;
    pawl_vec3 at = v3_axpy(o, middle, d);
    surface_face f = height_face_over(g, at, o);
    double above = -v3_dot(f.normal, f.v[0]), speed = v3_dot(f.normal, d);
    if (above + from * speed >= 0.0 && !(speed < 0.0 && above + to * speed < 0.0)) {
        return false;
    }
    *distance = above + from * speed < 0.0 ? from : -above / speed;
    *normal = f.normal;
    return true;
}

// From cell to cell. A cell is identified by the middle of the part of the ray in it, so that rounding at grid lines
// neither skips a cell nor repeats it: each part ends behind its beginning.
bool pawl_height_grid_meets_ray(const height_grid *g, pawl_vec3 o, pawl_vec3 d, double reach,
                                double *distance, pawl_vec3 *normal)
{
    int i = height_cell(o.x, g->dx, g->nx), j = height_cell(o.y, g->dy, g->ny);
    double from = 0.0;
    while (from <= reach && i >= -1 && i < g->nx && j >= -1 && j < g->ny) {
        // the outermost cells have no outer line: the surface goes on for ever there
        pawl_vec3 low =
            v3(height_line(i, g->nx, g->dx, g->far), height_line(j, g->ny, g->dy, g->far), 0.0);
        pawl_vec3 high = v3(height_line(i + 1, g->nx, g->dx, g->far),
                            height_line(j + 1, g->ny, g->dy, g->far), 0.0);
        double x = height_next_line(o.x, d.x, i < 0 ? -INFINITY : low.x,
                                    i >= g->nx - 1 ? INFINITY : high.x);
        double y = height_next_line(o.y, d.y, j < 0 ? -INFINITY : low.y,
                                    j >= g->ny - 1 ? INFINITY : high.y);
        double end = fmax(from, fmin(fmin(x, y), reach));
        double turn = height_next_diagonal(o, d, low, high, from, end);
        if (height_ray_sinks(g, o, d, from, turn, distance, normal) ||
            (turn < end && height_ray_sinks(g, o, d, turn, end, distance, normal))) {
            return *distance <= reach;
        }
        if (!(end < reach)) {
            return false;
        }
        i += x <= y ? (d.x > 0.0 ? 1 : -1) : 0;
        j += y <= x ? (d.y > 0.0 ? 1 : -1) : 0;
        from = end;
    }
    return false;
}
