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
        g->D[0][l] = g->D[2][l] = g->D[5][l] = g->S[0][l] = g->S[2][l] = 1.0;
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

// v = Y w + v_f + R lambda
static void sweep_group_velocity(const sweep_group *g, const double *w, double v[3][LANES])
{
    double wa[WIDTH][LANES], wb[WIDTH][LANES];
    for (int e = 0; e < WIDTH; ++e) {
        EACH_LANE(l)
        {
            wa[e][l] = w[g->a[l] + e];
            wb[e][l] = w[g->b[l] + e];
        }
    }
    for (int r = 0; r < 3; ++r) {
        EACH_LANE(l)
        {
            v[r][l] = g->v_f[r][l] + g->R[r][l] * g->lambda[r][l];
        }
        for (int e = 0; e < WIDTH; ++e) {
            EACH_LANE(l)
            {
                v[r][l] += g->Ya[WIDTH * r + e][l] * wa[e][l] + g->Yb[WIDTH * r + e][l] * wb[e][l];
            }
        }
    }
}

// w += YT d. Bodies of one colour are different ones, but for nobody, whose Y is 0.
static void sweep_group_add(const sweep_group *g, const double d[3][LANES], double *w)
{
    double da[WIDTH][LANES], db[WIDTH][LANES];
    for (int e = 0; e < WIDTH; ++e) {
        EACH_LANE(l)
        {
            da[e][l] = g->Ya[e][l] * d[0][l] + g->Ya[WIDTH + e][l] * d[1][l] +
                       g->Ya[2 * WIDTH + e][l] * d[2][l];
            db[e][l] = g->Yb[e][l] * d[0][l] + g->Yb[WIDTH + e][l] * d[1][l] +
                       g->Yb[2 * WIDTH + e][l] * d[2][l];
        }
    }
    EACH_LANE(l)
    {
        for (int e = 0; e < WIDTH; ++e) {
            w[g->a[l] + e] += da[e][l];
            w[g->b[l] + e] += db[e][l];
        }
    }
}

// Two lanes as one machine vector, by the vector extension of GCC and Clang, which is plain code with the same bits
// where there are no vectors. `SELECT(m, x, y)`: x where the mask m is set.
enum { HALF = 2 };
typedef double pair __attribute__((vector_size(8 * HALF), aligned(8), may_alias));
typedef int64_t mask __attribute__((vector_size(8 * HALF), aligned(8), may_alias));
#define LOAD(array) (*(const pair *)(const void *)((array) + l))
#define STORE(array) (*(pair *)(void *)((array) + l))
#define SELECT(m, x, y) ((pair)(((m) & (mask)(x)) | (~(m) & (mask)(y))))

// New impulses of lanes l and l + 1 that obey both laws, for velocities v with the old ones; d gets the changes.
// Branches would cost more than they save with several lanes, so all cases are computed and chosen by masks. Open:
// u2 >= 0, the contact separates without its impulse. Stick: kappa = 0 is inside the cone. Slip: kappa by Newton's
// method, then the tangent is scaled onto the cone, because the root is not exact after so few steps.
static void sweep_pair_laws(sweep_group *g, int l, const double v[3][LANES], double d[3][LANES])
{
    const pair zero = {0}, one = zero + 1.0;
    pair x0 = LOAD(g->lambda[0]), x1 = LOAD(g->lambda[1]), x2 = LOAD(g->lambda[2]);
    pair dxn = LOAD(g->D[3]), dyn = LOAD(g->D[4]), inverse = one / LOAD(g->D[5]);
    pair mu = LOAD(g->mu), b = LOAD(g->S[1]);
    // without this contact's impulse, and with the normal eliminated
    pair u0 = LOAD(v[0]) - (LOAD(g->D[0]) * x0 + LOAD(g->D[1]) * x1 + dxn * x2);
    pair u1 = LOAD(v[1]) - (LOAD(g->D[1]) * x0 + LOAD(g->D[2]) * x1 + dyn * x2);
    pair u2 = LOAD(v[2]) - (dxn * x0 + dyn * x1 + LOAD(g->D[5]) * x2);
    pair c0 = u0 - dxn * u2 * inverse, c1 = u1 - dyn * u2 * inverse;
    pair kappa = zero, before = LOAD(g->kappa), t0 = zero, t1 = zero, n = zero, size = zero;
    mask slips = {0};
    for (int k = 0; k <= SWEEP_NEWTON; ++k) { // the first is at 0: does it stick?
        pair p = LOAD(g->S[0]) + kappa, q = LOAD(g->S[2]) + kappa, det = one / (p * q - b * b);
        t0 = (b * c1 - q * c0) * det;
        t1 = (b * c0 - p * c1) * det;
        n = -(u2 + dxn * t0 + dyn * t1) * inverse;
        pair square = t0 * t0 + t1 * t1;
        size = (pair){sqrt(square[0]), sqrt(square[1])};
        pair f = size - mu * n;
        pair e0 = (b * t1 - q * t0) * det, e1 = (b * t0 - p * t1) * det;
        pair slope = (t0 * e0 + t1 * e1) / SELECT(size > zero, size, one) +
                     mu * (dxn * e0 + dyn * e1) * inverse;
        pair next = kappa - f / SELECT(slope < zero, slope, -one);
        if (k == 0) {
            slips = f > zero;
            next = SELECT(before > next, before, next);
        }
        kappa = SELECT(slips & (next > zero), next, zero);
    }
    n = SELECT(n > zero, n, zero);
    pair most = mu * n, scale = SELECT(size > most, most / SELECT(size > zero, size, one), one);
    mask closed = u2 < zero;
    t0 = SELECT(closed, scale * t0, zero);
    t1 = SELECT(closed, scale * t1, zero);
    n = SELECT(closed, n, zero);
    STORE(d[0]) = t0 - x0;
    STORE(d[1]) = t1 - x1;
    STORE(d[2]) = n - x2;
    STORE(g->lambda[0]) = t0;
    STORE(g->lambda[1]) = t1;
    STORE(g->lambda[2]) = n;
    STORE(g->kappa) = SELECT(closed, kappa, zero);
}

static void sweep_group_solve(sweep_group *g, double *w)
{
    double v[3][LANES], d[3][LANES];
    sweep_group_velocity(g, w, v);
    for (int l = 0; l < LANES; l += HALF) {
        sweep_pair_laws(g, l, (const double(*)[LANES])v, d);
    }
    sweep_group_add(g, (const double(*)[LANES])d, w);
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
    bool lanes = q->space->sparse != NULL;
    double *w = pawl_space_vector(q->space, SWEEP_VECTOR);
    pawl_space_gather(q->space, p, x->lambda, w);
    memset(pawl_space_vector(q->space, SWEEP_VECTOR + 1), 0, WIDTH * sizeof *w); // nobody
    if (lanes) {
        sweep_gather_groups(s, q, sweep_sort(s, q), x->lambda);
    }
    for (int k = 0; k < sweeps; ++k) {
        sweep_rows(q, x->lambda, w);
        if (lanes) {
            sweep_groups(s->groups, s->group_count, w);
        } else {
            sweep_contacts(q, x->lambda, w);
        }
    }
    for (int g = 0; lanes && g < s->group_count; ++g) {
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
