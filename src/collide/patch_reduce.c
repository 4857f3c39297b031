// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Contact reduction: finds planar patches among the contacts of two bodies and keeps the corners of
// their convex hull (Andrew's monotone chain). Gaps and normal velocities are linear on a patch, so
// that the conditions of the corners imply those of the others; see patch_reduce.h.
#include "collide/patch_reduce.h"
#include "base/carver.h"
#include "base/sort.h"
#include <string.h>

static const double patch_normal_tolerance = 1e-6; // between normals of one patch [rad]
static const double patch_flat_tolerance = 1e-6;   // of the patch's size, from its plane
static const double patch_smallest = 1e-6;         // below, sizes are rounding errors [m]
enum { PATCH_INDEX_BITS = 24, PATCH_GRID_BITS = 20 };

typedef struct patch_point {
    double u, v;   // in the plane, from the patch's middle
    double height; // along the normal
    double gap;
    int contact;
} patch_point;

struct patch_reducer {
    pawl_env env;
    size_t bytes;
    int capacity;
    uint64_t *keys, *spare; // (capacity)
    int *order;             // (capacity) contacts by their bodies, then by id
    int *run;               // (capacity) contacts of two bodies that are in no patch yet
    patch_point *points;    // (capacity) of a patch
    int *hull;              // (2 x capacity) indices of points, counter-clockwise
    bool *gone;             // (capacity) of the contacts
};

static patch_reducer *patch_layout(int capacity, pawl_carver *mem)
{
    patch_reducer *r = PAWL_CARVE(mem, patch_reducer, 1);
    uint64_t *keys = PAWL_CARVE(mem, uint64_t, capacity);
    uint64_t *spare = PAWL_CARVE(mem, uint64_t, capacity);
    patch_point *points = PAWL_CARVE(mem, patch_point, capacity);
    int *order = PAWL_CARVE(mem, int, capacity);
    int *run = PAWL_CARVE(mem, int, capacity);
    int *hull = PAWL_CARVE(mem, int, 2 * capacity);
    bool *gone = PAWL_CARVE(mem, bool, capacity);
    if (r != NULL) {
        *r = (patch_reducer){.capacity = capacity,
                             .keys = keys,
                             .spare = spare,
                             .order = order,
                             .run = run,
                             .points = points,
                             .hull = hull,
                             .gone = gone};
    }
    return r;
}

pawl_status pawl_patch_reducer_create(const pawl_env *env, int capacity, patch_reducer **out)
{
    *out = NULL;
    pawl_carver need = {0};
    patch_layout(capacity, &need);
    char *block = pawl_alloc(env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the reduction of %d contacts",
                         capacity);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    *out = patch_layout(capacity, &mem);
    (*out)->env = *env;
    (*out)->bytes = need.used;
    return PAWL_OK;
}

void pawl_patch_reducer_destroy(patch_reducer *r)
{
    if (r != NULL) {
        pawl_env env = r->env;
        pawl_free(&env, r, r->bytes);
    }
}

// Whether two contacts of the same bodies may be of one patch.
// The same material exactly, and nearly the same normal. Contacts of different materials must not be merged, even
// if they touch one face.
static bool patch_fits(const pawl_contact *a, const pawl_contact *b)
{
    return v3_norm(v3_sub(a->normal, b->normal)) <= patch_normal_tolerance &&
           a->friction == b->friction && a->restitution == b->restitution &&
           a->impact_friction == b->impact_friction && a->torsional == b->torsional &&
           a->rolling == b->rolling && a->erp == b->erp &&
           memcmp(&a->soft, &b->soft, sizeof a->soft) == 0;
}

// Places the n contacts of a patch in its own axes: the middle, then the directions in which it is longest
// and shortest. Returns its size.
static double patch_place(const pawl_contact *contacts, patch_point *p, int n)
{
    pawl_vec3 normal = contacts[p[0].contact].normal, middle = {0};
    for (int i = 0; i < n; ++i) {
        middle = v3_axpy(middle, 1.0 / n, contacts[p[i].contact].position);
    }
    pawl_vec3 pick = fabs(normal.x) < 0.6 ? v3(1, 0, 0) : v3(0, 1, 0);
    pawl_vec3 x = v3_axpy(pick, -v3_dot(pick, normal), normal);
    x = v3_scale(1.0 / v3_norm(x), x);
    pawl_vec3 y = v3_cross(normal, x);
    double xx = 0.0, xy = 0.0, yy = 0.0, size = 0.0;
    for (int i = 0; i < n; ++i) {
        pawl_vec3 d = v3_sub(contacts[p[i].contact].position, middle);
        p[i].u = v3_dot(d, x);
        p[i].v = v3_dot(d, y);
        p[i].height = v3_dot(d, normal);
        p[i].gap = contacts[p[i].contact].gap;
        xx += p[i].u * p[i].u, xy += p[i].u * p[i].v, yy += p[i].v * p[i].v;
        size = max_of(size, sqrt(p[i].u * p[i].u + p[i].v * p[i].v));
    }
    // Half the angle whose tangent is 2 xy / (xx - yy), without arc tangents.
    double apart = xx - yy, length = sqrt(apart * apart + 4.0 * xy * xy);
    double cosine = 1.0, sine = 0.0;
    if (length > 0.0) {
        cosine = sqrt(max_of(0.5 * (1.0 + apart / length), 0.0));
        sine = sqrt(max_of(0.5 * (1.0 - apart / length), 0.0)) * (xy < 0.0 ? -1.0 : 1.0);
    }
    for (int i = 0; i < n; ++i) {
        double u = p[i].u, v = p[i].v;
        p[i].u = cosine * u + sine * v;
        p[i].v = cosine * v - sine * u;
    }
    return size;
}

// Whether the heights and the gaps are linear functions of u and v, up to a tolerance.
static bool patch_is_flat(const patch_point *p, int n, double size)
{
    double uu = 0.0, vv = 0.0, fit[2][3] = {{0.0}}; // of height and gap: mean, slopes
    for (int i = 0; i < n; ++i) {
        const double value[2] = {p[i].height, p[i].gap};
        uu += p[i].u * p[i].u;
        vv += p[i].v * p[i].v;
        for (int k = 0; k < 2; ++k) {
            fit[k][0] += value[k] / n;
            fit[k][1] += p[i].u * value[k];
            fit[k][2] += p[i].v * value[k];
        }
    }
    // A patch that is a line has no slope across it.
    double thin = patch_flat_tolerance * size, tolerance = patch_flat_tolerance * size;
    for (int k = 0; k < 2; ++k) { // principal axes: the slopes are independent
        fit[k][1] = uu > n * thin * thin ? fit[k][1] / uu : 0.0;
        fit[k][2] = vv > n * thin * thin ? fit[k][2] / vv : 0.0;
    }
    for (int i = 0; i < n; ++i) {
        double height = fit[0][0] + fit[0][1] * p[i].u + fit[0][2] * p[i].v;
        double gap = fit[1][0] + fit[1][1] * p[i].u + fit[1][2] * p[i].v;
        if (fabs(p[i].height - height) > tolerance || fabs(p[i].gap - gap) > tolerance) {
            return false;
        }
    }
    return true;
}

// Twice the area of a triangle, positive when counter-clockwise.
static double patch_area(const patch_point *o, const patch_point *a, const patch_point *b)
{
    return (a->u - o->u) * (b->v - o->v) - (a->v - o->v) * (b->u - o->u);
}

// Whether a is inside, or outside by less than the tolerance, of the line from o to b that keeps the
// hull on its left.
static bool patch_is_inside(const patch_point *o, const patch_point *a, const patch_point *b,
                            double tolerance)
{
    double length = sqrt((b->u - o->u) * (b->u - o->u) + (b->v - o->v) * (b->v - o->v));
    return patch_area(o, a, b) <= tolerance * length;
}

static int patch_index(uint64_t key)
{
    return (int)(key & ((UINT64_C(1) << PATCH_INDEX_BITS) - 1));
}

// The points in the order of u, then v, on a grid as fine as the tolerance; of those in one place the first
// alone. Returns their number.
static int patch_sort(patch_reducer *r, int n, double size)
{
    double scale = (double)((1 << PATCH_GRID_BITS) - 1) / (2.0 * size);
    for (int i = 0; i < n; ++i) {
        const patch_point *p = &r->points[i];
        // the size is that of the circle about the middle: clamped against rounding alone
        uint64_t u = (uint64_t)(scale * clamp_to(p->u + size, 0.0, 2.0 * size));
        uint64_t v = (uint64_t)(scale * clamp_to(p->v + size, 0.0, 2.0 * size));
        r->keys[i] = (u << PATCH_GRID_BITS | v) << PATCH_INDEX_BITS | (uint64_t)i;
    }
    pawl_sort_keys(r->keys, r->spare, n);
    int places = 1;
    for (int i = 1; i < n; ++i) {
        if (r->keys[i] >> PATCH_INDEX_BITS != r->keys[places - 1] >> PATCH_INDEX_BITS) {
            r->keys[places++] = r->keys[i];
        }
    }
    return places;
}

// Convex hull by Andrew's monotone chain: the lower side forwards, the upper one back. Returns the number
// of its corners in r->hull.
static int patch_hull(patch_reducer *r, int n, double size)
{
    const patch_point *p = r->points;
    double tolerance = patch_flat_tolerance * size;
    n = patch_sort(r, n, size);
    if (n == 1) {
        r->hull[0] = patch_index(r->keys[0]);
        return 1;
    }
    int m = 0;
    for (int side = 0; side < 2; ++side) {
        int first = m;
        for (int k = 0; k < n; ++k) {
            int next = patch_index(r->keys[side == 0 ? k : n - 1 - k]);
            while (m - first >= 2 &&
                   patch_is_inside(&p[r->hull[m - 2]], &p[r->hull[m - 1]], &p[next], tolerance)) {
                --m;
            }
            r->hull[m++] = next;
        }
        --m; // the last point is the first of the other side
    }
    return m;
}

// Takes the corner out that leaves the least area behind, until there are at most `most`.
// The area of the triangle that a corner makes with its neighbours is what the hull loses. Greedy, so not the best
// polygon, but the same in every run.
static int patch_cap(patch_reducer *r, int m, int most)
{
    const patch_point *p = r->points;
    while (m > most) {
        int least = 0;
        double area = INFINITY;
        for (int k = 0; k < m; ++k) {
            double own =
                patch_area(&p[r->hull[(k + m - 1) % m]], &p[r->hull[k]], &p[r->hull[(k + 1) % m]]);
            if (own < area) {
                area = own;
                least = k;
            }
        }
        --m;
        memmove(r->hull + least, r->hull + least + 1, (size_t)(m - least) * sizeof *r->hull);
    }
    return m;
}

// Marks what goes of the patch in r->points.
static void patch_reduce_one(patch_reducer *r, const pawl_contact *contacts, int n, int most)
{
    if (n < 2) {
        return;
    }
    double size = max_of(patch_place(contacts, r->points, n), patch_smallest);
    if (!patch_is_flat(r->points, n, size)) {
        return;
    }
    int corners = patch_hull(r, n, size);
    corners = most > 0 ? patch_cap(r, corners, most) : corners;
    for (int i = 0; i < n; ++i) {
        r->gone[r->points[i].contact] = true;
    }
    for (int k = 0; k < corners; ++k) {
        r->gone[r->points[r->hull[k]].contact] = false;
    }
}

// All contacts of two bodies, in r->run: patch after patch.
static void patch_reduce_run(patch_reducer *r, const pawl_contact *contacts, int n, int most)
{
    while (n > 0) {
        const pawl_contact *leader = &contacts[r->run[0]];
        int in = 0, left = 0;
        for (int k = 0; k < n; ++k) {
            if (patch_fits(leader, &contacts[r->run[k]])) {
                r->points[in++].contact = r->run[k];
            } else {
                r->run[left++] = r->run[k];
            }
        }
        n = left;
        patch_reduce_one(r, contacts, in, most);
    }
}

static void patch_order(patch_reducer *r, const pawl_contact *contacts, int count)
{
    for (int k = 0; k < count; ++k) {
        uint64_t a = (uint64_t)(contacts[k].body_a + 1), b = (uint64_t)(contacts[k].body_b + 1);
        r->keys[k] = (a << PATCH_GRID_BITS | b) << PATCH_INDEX_BITS | (uint64_t)k;
    }
    pawl_sort_keys(r->keys, r->spare, count);
    for (int k = 0; k < count; ++k) {
        r->order[k] = patch_index(r->keys[k]);
    }
}

// Keeps the corners of each patch, at most `most` of them where that is above 0, and closes the gaps in
// `contacts`. The order of those that stay does not change. Returns their number.
int pawl_patch_reduce(patch_reducer *r, pawl_contact *contacts, int count, int most)
{
    PAWL_ASSERT(count >= 0 && count <= r->capacity);
    patch_order(r, contacts, count);
    memset(r->gone, 0, (size_t)r->capacity * sizeof *r->gone);
    for (int k = 0; k < count;) {
        const pawl_contact *first = &contacts[r->order[k]];
        int n = 0;
        for (; k < count; ++k) {
            const pawl_contact *c = &contacts[r->order[k]];
            if (c->body_a != first->body_a || c->body_b != first->body_b) {
                break;
            }
            r->run[n++] = r->order[k];
        }
        patch_reduce_run(r, contacts, n, most);
    }
    int kept = 0;
    for (int k = 0; k < count; ++k) {
        if (!r->gone[k]) {
            contacts[kept++] = contacts[k];
        }
    }
    return kept;
}
