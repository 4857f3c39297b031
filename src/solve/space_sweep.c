// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Sweeps in the velocity space. w = YT lambda is kept; a contact reads v = Y w + v_f + R lambda, is solved exactly for
// Signorini's and Coulomb's laws with the others held, and adds YT dlambda to w. The local solution is that of
// contact_local.c, written for four contacts at once without branches: slip is lambda_T = -(S + kappa 1)^-1 c with
// |lambda_T| = mu lambda_N, of which Newton's method takes a few steps in each sweep, from the kappa of the sweep before.
#include "solve/space_sweep.h"
#include "linalg/cone.h"
#include "math/vec.h"
#include "solve/contact_local.h"
#include <math.h>
#include <string.h>

enum { LANES = SWEEP_LANES, WIDTH = 6, SWEEP_NEWTON = 2, SWEEP_VECTOR = 2 };
#define EACH_LANE(l) for (int l = 0; l < LANES; ++l)

space_sweeper pawl_space_sweeper_layout(const solver_def *def, pawl_carver *mem)
{
    return (space_sweeper){.groups = PAWL_CARVE(mem, sweep_group, def->max_contacts),
                           .color = PAWL_CARVE(mem, int, def->max_contacts),
                           .color_start = PAWL_CARVE(mem, int, def->max_contacts + 1),
                           .order = PAWL_CARVE(mem, int, def->max_contacts)};
}

// ---- colours and groups ----------------------------------------------------------------------------

// The least colour that no contact before has at one of the bodies: bit sets of 64, colours beyond it in one more, which
// is solved contact by contact. `used` (nodes) lies in a vector of the space.
static int sweep_color(const velocity_space *space, int block, uint64_t *used)
{
    uint64_t taken = 0;
    for (int i = space->first_side[block]; i < space->first_side[block + 1]; ++i) {
        taken |= used[space->side_node[i]];
    }
    int color = 0;
    while (color < 64 && (taken >> color & 1u) != 0) {
        ++color;
    }
    for (int i = space->first_side[block]; i < space->first_side[block + 1] && color < 64; ++i) {
        used[space->side_node[i]] |= UINT64_C(1) << color;
    }
    return color;
}

// Contacts by colour, in their own order within one. Returns the number of colours, the last of which may be 65th.
static int sweep_sort(space_sweeper *s, const space_problem *q)
{
    int n = q->p->contact_count, first = q->p->block_count - n, colors = 0;
    uint64_t *used = (uint64_t *)(void *)pawl_space_vector(q->space, 4);
    memset(used, 0, (size_t)q->space->node_count * sizeof *used);
    memset(s->color_start, 0, (size_t)(n + 1) * sizeof *s->color_start);
    int counts[66] = {0};
    for (int k = 0; k < n; ++k) {
        s->color[k] = sweep_color(q->space, first + k, used);
        ++counts[s->color[k] + 1];
        colors = s->color[k] + 1 > colors ? s->color[k] + 1 : colors;
    }
    for (int c = 0; c < colors; ++c) {
        counts[c + 1] += counts[c];
        s->color_start[c < n ? c : n] = counts[c];
    }
    for (int k = 0; k < n; ++k) {
        s->order[counts[s->color[k]]++] = k;
    }
    return colors;
}

static double sweep_dot(const double *a, const double *b)
{
    return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

// Lane l of g becomes contact k.
// Y (3 x 6 per body) are the rows of the contact over the body's velocity in the metric of its mass, so that D =
// sum Y YT. Of the symmetric D one half is kept, in the order xx, xy, yy, xn, yn, nn.
static void sweep_pack(sweep_group *g, int l, const space_problem *q, int k, const double *lambda)
{
    const pawl_problem *p = q->p;
    const velocity_space *space = q->space;
    int block = p->block_count - p->contact_count + k, i = p->blocks[block].first_row;
    double D[9] = {0};
    for (int side = space->first_side[block]; side < space->first_side[block + 1]; ++side) {
        const double *Y = space->side_Y[side];
        bool second = side > space->first_side[block];
        for (int e = 0; e < 18; ++e) {
            (second ? g->Yb : g->Ya)[e][l] = Y[e];
        }
        (second ? g->b : g->a)[l] = WIDTH * space->side_node[side];
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) {
                D[3 * r + c] += sweep_dot(Y + WIDTH * r, Y + WIDTH * c);
            }
        }
    }
    for (int r = 0; r < 3; ++r) {
        g->R[r][l] = p->compliance[i + r];
        g->v_f[r][l] = p->v_f[i + r];
        g->lambda[r][l] = lambda[i + r];
        D[4 * r] += p->compliance[i + r];
    }
    static const int entry[6] = {0, 1, 4, 2, 5, 8};
    for (int e = 0; e < 6; ++e) {
        g->D[e][l] = D[entry[e]];
    }
    g->inverse[l] = 1.0 / D[8];
    if (pawl_contact_is_blocked(D)) {
        return; // as an empty lane: it stays at zero
    }
    double S[3];
    pawl_contact_tangent(D, S);
    for (int e = 0; e < 3; ++e) {
        g->S[e][l] = S[e];
    }
    g->mu[l] = fmin(p->friction[k], 1e6);
    g->contact[l] = k;
}

// A group of empty lanes: bodies that nobody is, and a velocity that opens.
static void sweep_clear(sweep_group *g, int nobody)
{
    memset(g, 0, sizeof *g);
    EACH_LANE(l)
    {
        g->a[l] = g->b[l] = nobody;
        g->contact[l] = -1;
        g->D[0][l] = g->D[2][l] = g->D[5][l] = g->inverse[l] = 1.0;
        g->S[0][l] = g->S[2][l] = 1.0;
        g->v_f[2][l] = 1.0;
    }
}

static void sweep_gather_groups(space_sweeper *s, const space_problem *q, int colors,
                                const double *lambda)
{
    int n = q->p->contact_count, nobody = pawl_space_size(q->space), at = 0;
    s->group_count = 0;
    for (int c = 0; c < colors; ++c) {
        int lanes = c < 64 ? LANES : 1, filled = 0;
        for (; at < n && s->color[s->order[at]] == c; ++at) {
            if (filled % lanes == 0) {
                sweep_clear(&s->groups[s->group_count++], nobody);
            }
            sweep_pack(&s->groups[s->group_count - 1], filled++ % lanes, q, s->order[at], lambda);
        }
    }
}

// ---- one group -------------------------------------------------------------------------------------

// Four lanes as one machine vector, by the vector extension of GCC and Clang: two vectors of two where the processor
// has no wider ones, and plain code where it has none, always with the same bits. `SELECT(m, x, y)`: x where the mask m
// is set.
typedef double lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef int64_t mask __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
#define LOAD(array) (*(const lanes *)(const void *)(array))
#define STORE(array) (*(lanes *)(void *)(array))
#define SELECT(m, x, y) ((lanes)(((m) & (mask)(x)) | (~(m) & (mask)(y))))
#define ANY(m) (((m)[0] | (m)[1] | (m)[2] | (m)[3]) != 0)

// Two by two blocks of a transpose: entries 0 and 1, and 2 and 3, of two lanes each.
#define ZIP_LOW(x, y) __builtin_shufflevector(x, y, 0, 4, 2, 6)
#define ZIP_HIGH(x, y) __builtin_shufflevector(x, y, 1, 5, 3, 7)
#define JOIN_LOW(x, y) __builtin_shufflevector(x, y, 0, 1, 4, 5)
#define JOIN_HIGH(x, y) __builtin_shufflevector(x, y, 2, 3, 6, 7)

// out = the transpose of the four vectors x, lanes and entries exchanged.
static inline void sweep_transpose(const lanes x[LANES], lanes out[LANES])
{
    lanes a = ZIP_LOW(x[0], x[1]), b = ZIP_HIGH(x[0], x[1]);
    lanes c = ZIP_LOW(x[2], x[3]), d = ZIP_HIGH(x[2], x[3]);
    out[0] = JOIN_LOW(a, c);
    out[1] = JOIN_LOW(b, d);
    out[2] = JOIN_HIGH(a, c);
    out[3] = JOIN_HIGH(b, d);
}

// Velocities of the lanes' bodies, which begin at first[l] in w: entry e of all lanes in out[e]. Entries 2 to 5 are
// the second vector of four, so that both lie within the body.
static inline void sweep_read_bodies(const int *first, const double *w, lanes out[WIDTH])
{
    lanes low[LANES], high[LANES], tail[LANES];
    EACH_LANE(l)
    {
        low[l] = LOAD(w + first[l]);
        high[l] = LOAD(w + first[l] + 2);
    }
    sweep_transpose(low, out);
    sweep_transpose(high, tail);
    out[4] = tail[2];
    out[5] = tail[3];
}

// w += YT d of the lanes' bodies. Bodies of one colour are different ones, but for nobody, whose Y is 0.
static inline void sweep_add_bodies(double (*Y)[LANES], const lanes d[3], const int *first,
                                    double *w)
{
    typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
    lanes sum[8], low[LANES], high[LANES];
    for (int e = 0; e < WIDTH; ++e) {
        sum[e] = LOAD(Y[e]) * d[0] + LOAD(Y[WIDTH + e]) * d[1] + LOAD(Y[2 * WIDTH + e]) * d[2];
    }
    sum[6] = sum[4];
    sum[7] = sum[5];
    sweep_transpose(sum, low);
    sweep_transpose(sum + 4, high);
    EACH_LANE(l)
    {
        double *x = w + first[l];
        STORE(x) += low[l];
        *(pair *)(void *)(x + 4) += __builtin_shufflevector(high[l], high[l], 0, 1);
    }
}

// v = Y w + v_f + R lambda
static inline void sweep_group_velocity(const sweep_group *g, const double *w, lanes v[3])
{
    lanes a[WIDTH], b[WIDTH];
    sweep_read_bodies(g->a, w, a);
    sweep_read_bodies(g->b, w, b);
    for (int r = 0; r < 3; ++r) {
        v[r] = LOAD(g->v_f[r]) + LOAD(g->R[r]) * LOAD(g->lambda[r]);
        for (int e = 0; e < WIDTH; ++e) {
            v[r] += LOAD(g->Ya[WIDTH * r + e]) * a[e] + LOAD(g->Yb[WIDTH * r + e]) * b[e];
        }
    }
}

// A slip lambda_T = -(S + kappa 1)^-1 c with its normal impulse n and its size |lambda_T|.
typedef struct sweep_slip {
    lanes t0, t1, n, size;
} sweep_slip;

// What a contact is solved with: the velocity u2 of its normal and c of its tangents without its own impulse, and
// with the normal eliminated.
typedef struct sweep_local {
    lanes u2, c0, c1;
} sweep_local;

// The slip for kappa, and the next kappa of Newton's method for f = |lambda_T| - mu n = 0.
static inline void sweep_slip_at(const sweep_group *g, const sweep_local *at, const lanes *kappa,
                                 sweep_slip *out, lanes *f, lanes *next)
{
    const lanes zero = {0}, one = zero + 1.0;
    lanes b = LOAD(g->S[1]), p = LOAD(g->S[0]) + *kappa, q = LOAD(g->S[2]) + *kappa;
    lanes dxn = LOAD(g->D[3]), dyn = LOAD(g->D[4]), inverse = LOAD(g->inverse), mu = LOAD(g->mu);
    lanes det = one / (p * q - b * b);
    lanes t0 = (b * at->c1 - q * at->c0) * det, t1 = (b * at->c0 - p * at->c1) * det;
    lanes square = t0 * t0 + t1 * t1, size;
    EACH_LANE(l)
    {
        size[l] = sqrt(square[l]);
    }
    out->t0 = t0;
    out->t1 = t1;
    out->size = size;
    out->n = -(at->u2 + dxn * t0 + dyn * t1) * inverse;
    *f = size - mu * out->n;
    lanes e0 = (b * t1 - q * t0) * det, e1 = (b * t0 - p * t1) * det;
    lanes slope = t0 * e0 + t1 * e1 + mu * (dxn * e0 + dyn * e1) * inverse * size; // times the size
    *next = *kappa - *f * size / SELECT(slope < zero, slope, -one);
}

// New impulses that obey both laws, for velocities v with the old ones; d gets the changes. Open: u2 >= 0, the contact
// separates without its impulse. Stick: kappa = 0 is inside the cone. Slip: kappa by Newton's method from that of the
// sweep before, then the tangent is scaled onto the cone, because the root is not exact after so few steps. All lanes
// compute all of it and masks choose; a case that no lane is in is left out, which changes no lane's bits.
static inline void sweep_group_laws(sweep_group *g, const lanes v[3], lanes d[3])
{
    const lanes zero = {0}, one = zero + 1.0;
    lanes x0 = LOAD(g->lambda[0]), x1 = LOAD(g->lambda[1]), x2 = LOAD(g->lambda[2]);
    lanes dxn = LOAD(g->D[3]), dyn = LOAD(g->D[4]), inverse = LOAD(g->inverse), mu = LOAD(g->mu);
    lanes u0 = v[0] - (LOAD(g->D[0]) * x0 + LOAD(g->D[1]) * x1 + dxn * x2);
    lanes u1 = v[1] - (LOAD(g->D[1]) * x0 + LOAD(g->D[2]) * x1 + dyn * x2);
    sweep_local at = {.u2 = v[2] - (dxn * x0 + dyn * x1 + LOAD(g->D[5]) * x2)};
    at.c0 = u0 - dxn * at.u2 * inverse;
    at.c1 = u1 - dyn * at.u2 * inverse;
    mask closed = at.u2 < zero;
    lanes kappa = zero, before = LOAD(g->kappa), f, next;
    sweep_slip now;
    sweep_slip_at(g, &at, &kappa, &now, &f, &next);
    mask slips = closed & (f > zero);
    if (ANY(slips)) {
        next = SELECT(before > next, before, next);
        for (int k = 0; k < SWEEP_NEWTON; ++k) {
            kappa = SELECT(slips & (next > zero), next, zero);
            sweep_slip_at(g, &at, &kappa, &now, &f, &next);
        }
        kappa = SELECT(slips & (next > zero), next, zero);
    }
    lanes n = SELECT(closed & (now.n > zero), now.n, zero), most = mu * n;
    lanes scale = SELECT(now.size > most, most / SELECT(now.size > zero, now.size, one), one);
    lanes t0 = SELECT(closed, scale * now.t0, zero), t1 = SELECT(closed, scale * now.t1, zero);
    d[0] = t0 - x0;
    d[1] = t1 - x1;
    d[2] = n - x2;
    STORE(g->lambda[0]) = t0;
    STORE(g->lambda[1]) = t1;
    STORE(g->lambda[2]) = n;
    STORE(g->kappa) = kappa;
}

static inline void sweep_group_solve(sweep_group *g, double *w)
{
    lanes v[3], d[3];
    sweep_group_velocity(g, w, v);
    sweep_group_laws(g, v, d);
    sweep_add_bodies(g->Ya, d, g->a, w);
    sweep_add_bodies(g->Yb, d, g->b, w);
}

// Where the processor has wider vectors the same code is compiled for them, too, and chosen when the program starts.
// No option here lets a compiler fuse or reorder operations, so that every choice gives the same bits.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SWEEP_WIDE __attribute__((target_clones("avx2", "default"), flatten))
#else
#define SWEEP_WIDE
#endif

SWEEP_WIDE static void sweep_groups(sweep_group *groups, int count, double *w)
{
    for (int g = 0; g < count; ++g) {
        sweep_group_solve(&groups[g], w);
    }
}

// ---- other rows, and dense spaces --------------------------------------------------------------------

// Rows that are no contacts, one by one.
static void sweep_rows(const space_problem *q, double *lambda, double *w)
{
    const pawl_problem *p = q->p;
    for (int k = 0; k < p->block_count - p->contact_count; ++k) {
        problem_block b = p->blocks[k];
        for (int r = 0; r < b.dim; ++r) {
            int i = b.first_row + r;
            if (!(q->weight[i] > 0.0)) {
                continue;
            }
            double v[64], change[64] = {0};
            pawl_space_block_velocity(q->space, p, k, w, v);
            double x = lambda[i] - (v[r] + p->v_f[i] + p->compliance[i] * lambda[i]) / q->weight[i];
            x = i < p->free_row_count ? x : clamp_to(x, p->lower[i], p->upper[i]);
            change[r] = x - lambda[i];
            lambda[i] = x;
            pawl_space_block_add(q->space, p, k, change, w);
        }
    }
}

// Contacts one by one, where all share one node.
static void sweep_contacts(const space_problem *q, double *lambda, double *w)
{
    const pawl_problem *p = q->p;
    for (int k = 0; k < p->contact_count; ++k) {
        int block = p->block_count - p->contact_count + k, i = p->blocks[block].first_row;
        double D[9], v[3], x[3], *old = lambda + i;
        p->delassus->ops->block(p->delassus, block, D);
        pawl_space_block_velocity(q->space, p, block, w, v);
        for (int r = 0; r < 3; ++r) {
            D[4 * r] += p->compliance[i + r];
            v[r] += p->v_f[i + r] + p->compliance[i + r] * old[r];
        }
        for (int r = 0; r < 3; ++r) {
            v[r] -= D[3 * r] * old[0] + D[3 * r + 1] * old[1] + D[3 * r + 2] * old[2];
        }
        pawl_contact_exact(D, v, p->friction[k], x);
        double change[3] = {x[0] - old[0], x[1] - old[1], x[2] - old[2]};
        memcpy(old, x, sizeof x);
        pawl_space_block_add(q->space, p, block, change, w);
    }
}

// `sweeps` rounds over all rows, then over all contacts, from x, which gets the result with its velocities and
// natural map. Where every row depends on one dense node there are no colours and contacts are swept one by one.
void pawl_space_sweep(space_sweeper *s, const space_problem *q, int sweeps, space_iterate *x)
{
    const pawl_problem *p = q->p;
    bool grouped = q->space->sparse != NULL;
    double *w = pawl_space_vector(q->space, SWEEP_VECTOR);
    pawl_space_gather(q->space, p, x->lambda, w);
    memset(pawl_space_vector(q->space, SWEEP_VECTOR + 1), 0, WIDTH * sizeof *w); // nobody
    if (grouped) {
        sweep_gather_groups(s, q, sweep_sort(s, q), x->lambda);
    }
    for (int k = 0; k < sweeps; ++k) {
        sweep_rows(q, x->lambda, w);
        if (grouped) {
            sweep_groups(s->groups, s->group_count, w);
        } else {
            sweep_contacts(q, x->lambda, w);
        }
    }
    for (int g = 0; grouped && g < s->group_count; ++g) {
        EACH_LANE(l)
        {
            int k = s->groups[g].contact[l];
            for (int r = 0; r < 3 && k >= 0; ++r) {
                x->lambda[pawl_problem_contact_row(p, k) + r] = s->groups[g].lambda[r][l];
            }
        }
    }
    pawl_space_evaluate(q, x);
}
