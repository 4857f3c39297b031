// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Random overconstrained mechanisms. Each family builds on a `ground`, which may be a body of another
// mechanism; what comes out near a singular position is drawn again.
#include "support/linkage_random.h"
#include "support/linkage_zoo.h"
#include "support/random.h"

#include <stdio.h>

static const double random_strong = 0.03; // smallest singular value of rows that are not redundant
static const double random_pi = 3.14159265358979323846;

typedef struct linkage_maker {
    linkage *l;
    uint64_t *seed;
    int ground; // PAWL_WORLD_INDEX or a body
} linkage_maker;

static void maker_joint(linkage_maker *m, pawl_joint_kind kind, int a, int b, pawl_vec3 point,
                        pawl_vec3 axis)
{
    if (b == PAWL_WORLD_INDEX) {
        linkage_add_joint(m->l, kind, b, a, point, axis);
    } else {
        linkage_add_joint(m->l, kind, a, b, point, axis);
    }
}

static double maker_in(linkage_maker *m, double low, double high)
{
    return random_in(m->seed, low, high);
}

static pawl_vec3 maker_unit(linkage_maker *m)
{
    return pawl_quat_rotate(random_quat(m->seed), v3(1.0, 0.0, 0.0));
}

static pawl_vec3 maker_across(pawl_vec3 a, pawl_vec3 b)
{
    pawl_vec3 n = v3_cross(a, b);
    return v3_scale(1.0 / v3_norm(n), n);
}

// ---- planar and spherical: cranks and Assur's dyads ----------------------------------------------

// A hinge: in the plane z = 0 with its axis along z, or with its axis from the origin to the point.
static pawl_vec3 dyad_axis(bool spherical, pawl_vec3 at)
{
    return spherical ? at : v3(0.0, 0.0, 1.0);
}

static pawl_vec3 dyad_hinge(linkage_maker *m, bool spherical, pawl_vec3 at)
{
    // anywhere along its axis
    return spherical ? v3_scale(maker_in(m, 0.6, 1.3), at)
                     : v3_add(at, v3(0.0, 0.0, maker_in(m, -0.2, 0.2)));
}

static pawl_vec3 dyad_somewhere(linkage_maker *m, bool spherical)
{
    return spherical ? maker_unit(m) : v3(maker_in(m, -1.0, 1.0), maker_in(m, -1.0, 1.0), 0.0);
}

// Bars of sensible lengths that meet at a sensible angle.
static bool dyad_good(bool spherical, pawl_vec3 a, pawl_vec3 middle, pawl_vec3 b)
{
    pawl_vec3 p = v3_sub(a, middle), q = v3_sub(b, middle);
    double lp = v3_norm(p), lq = v3_norm(q);
    double sine = fabs(v3_dot(dyad_axis(spherical, middle), v3_cross(p, q))) / (lp * lq);
    return lp > 0.35 && lq > 0.35 && lp < 1.3 && lq < 1.3 && sine > 0.5;
}

static void dyad_add(linkage_maker *m, bool spherical, int base_a, int base_b)
{
    pawl_vec3 a, middle, b;
    do {
        a = dyad_somewhere(m, spherical);
        b = dyad_somewhere(m, spherical);
        middle = dyad_somewhere(m, spherical);
    } while (!dyad_good(spherical, a, middle, b));
    int first = linkage_add_body(m->l), second = linkage_add_body(m->l);
    pawl_vec3 up = {0.0, 0.0, 1.0};
    pawl_vec3 at_a = dyad_hinge(m, spherical, a), at_b = dyad_hinge(m, spherical, b),
              at_m = dyad_hinge(m, spherical, middle);
    int kind = spherical ? 0 : random_index(m->seed, 4);
    maker_joint(m, PAWL_JOINT_REVOLUTE, base_a, first, at_a, dyad_axis(spherical, a));
    if (kind <= 1) { // RRR
        maker_joint(m, PAWL_JOINT_REVOLUTE, first, second, at_m, dyad_axis(spherical, middle));
        maker_joint(m, PAWL_JOINT_REVOLUTE, second, base_b, at_b, dyad_axis(spherical, b));
    } else if (kind == 2) { // RRP: a slide on base_b that is not square to the bar
        pawl_vec3 bar = v3_sub(middle, a);
        pawl_vec3 slide =
            pawl_quat_rotate(pawl_quat_from_axis_angle(up, maker_in(m, -0.8, 0.8)), bar);
        maker_joint(m, PAWL_JOINT_REVOLUTE, first, second, at_m, up);
        maker_joint(m, PAWL_JOINT_PRISMATIC, second, base_b, at_b, slide);
    } else { // RPR: a telescope
        pawl_vec3 slide =
            pawl_quat_rotate(pawl_quat_from_axis_angle(up, maker_in(m, -0.8, 0.8)), v3_sub(b, a));
        maker_joint(m, PAWL_JOINT_PRISMATIC, first, second, at_m, slide);
        maker_joint(m, PAWL_JOINT_REVOLUTE, second, base_b, at_b, up);
    }
    m->l->redundant += 3;
}

static void make_dyads(linkage_maker *m, bool spherical)
{
    int bodies[LINKAGE_MAX_BODIES], count = 0, cranks = 1 + (random_index(m->seed, 3) == 0);
    for (int k = 0; k < cranks; ++k) {
        pawl_vec3 at = dyad_somewhere(m, spherical);
        int on = k == 0 || random_index(m->seed, 2) == 0 ? m->ground : bodies[0];
        bodies[count++] = linkage_add_body(m->l);
        maker_joint(m, PAWL_JOINT_REVOLUTE, on, bodies[count - 1], dyad_hinge(m, spherical, at),
                    dyad_axis(spherical, at));
    }
    m->l->mobility += cranks;
    // The first dyad closes a loop over every crank; others go from anywhere to anywhere.
    int dyads = 1 + random_index(m->seed, 3);
    for (int k = 0; k < dyads; ++k) {
        int a = bodies[count - 1], b = m->ground;
        if (k == 0 && cranks == 2) {
            b = bodies[0];
            if (m->l->joints[m->l->joint_count - 1].base == bodies[0]) {
                b = m->ground;
            }
        } else if (k > 0) {
            a = bodies[random_index(m->seed, count)];
            int other = random_index(m->seed, count + 1);
            b = other == count || bodies[other] == a ? m->ground : bodies[other];
        }
        dyad_add(m, spherical, a, b);
        bodies[count++] = m->l->body_count - 2;
        bodies[count++] = m->l->body_count - 1;
    }
}

static void make_planar(linkage_maker *m)
{
    make_dyads(m, false);
}

static void make_spherical(linkage_maker *m)
{
    make_dyads(m, true);
}

// ---- single loops --------------------------------------------------------------------------------

// Bodies in a ring between the joints, the ground between the last and the first.
static void make_ring(linkage_maker *m, int count, const pawl_joint_kind *kind,
                      const pawl_vec3 *point, const pawl_vec3 *axis)
{
    int before = m->ground;
    for (int k = 0; k < count; ++k) {
        int after = k + 1 < count ? linkage_add_body(m->l) : m->ground;
        maker_joint(m, kind[k], before, after, point[k], axis[k]);
        before = after;
    }
}

static const pawl_joint_kind random_hinges[6] = {PAWL_JOINT_REVOLUTE, PAWL_JOINT_REVOLUTE,
                                                 PAWL_JOINT_REVOLUTE, PAWL_JOINT_REVOLUTE,
                                                 PAWL_JOINT_REVOLUTE, PAWL_JOINT_REVOLUTE};

static void make_bennett(linkage_maker *m)
{
    double alpha, beta;
    do {
        alpha = maker_in(m, 0.4, 2.7), beta = maker_in(m, 0.4, 2.7);
    } while (fabs(alpha - beta) < 0.3);
    pawl_vec3 point[4], axis[4];
    zoo_bennett_axes(maker_in(m, 0.4, 0.9), alpha, beta, maker_in(m, 0.6, 2.2), point, axis);
    for (int k = 0; k < 4; ++k) { // anywhere along its axis
        point[k] = v3_add(point[k], v3_scale(maker_in(m, -0.2, 0.2), axis[k]));
    }
    make_ring(m, 4, random_hinges, point, axis);
    m->l->mobility += 1;
    m->l->redundant += 3;
}

// Half of the loop turned by half a turn about a line (here z): Bricard's line-symmetric case.
static void make_line_symmetric(linkage_maker *m)
{
    pawl_vec3 point[6], axis[6];
    for (int k = 0; k < 3; ++k) {
        point[k] = v3_add(random_vec(m->seed, 0.4), v3(0.5, 0.4 * (k - 1), 0.0));
        axis[k] = maker_unit(m);
        point[k + 3] = v3(-point[k].x, -point[k].y, point[k].z);
        axis[k + 3] = v3(-axis[k].x, -axis[k].y, axis[k].z);
    }
    make_ring(m, 6, random_hinges, point, axis);
    m->l->mobility += 1;
    m->l->redundant += 1;
}

// Two hinges in a plane (here x = 0), the other four mirrored by it: Bricard's plane-symmetric case.
static void make_plane_symmetric(linkage_maker *m)
{
    pawl_vec3 point[6], axis[6];
    for (int k = 0; k < 4; ++k) {
        point[k] = v3_add(random_vec(m->seed, 0.3), v3(0.5, 0.4 * k - 0.6, 0.0));
        axis[k] = maker_unit(m);
        if (k % 3 == 0) {
            point[k].x = 0.0;
            axis[k] = v3(0.0, axis[k].y, axis[k].z);
        } else {
            point[6 - k] = v3(-point[k].x, point[k].y, point[k].z);
            axis[6 - k] = v3(-axis[k].x, axis[k].y, axis[k].z);
        }
    }
    make_ring(m, 6, random_hinges, point, axis);
    m->l->mobility += 1;
    m->l->redundant += 1;
}

// A chain of three hinges along u lets the platform move across u; all chains together leave it the one
// direction (here z) that is across all their axes.
static void make_sarrus(linkage_maker *m)
{
    int chains = 2 + (random_index(m->seed, 3) == 0), platform = linkage_add_body(m->l);
    double turn = maker_in(m, 0.0, 2.0 * random_pi);
    for (int k = 0; k < chains; ++k) {
        double at = turn + random_pi / chains * k + maker_in(m, -0.2, 0.2);
        pawl_vec3 u = {cos(at), sin(at), 0.0}, side = {-u.y, u.x, 0.0}, up = {0.0, 0.0, 1.0};
        // elbow well away from the line between its neighbours
        double low = maker_in(m, -0.7, -0.4), out = maker_in(m, 0.3, 0.8),
               high = maker_in(m, 0.3, 0.6);
        pawl_vec3 middle = v3_add(v3_scale(low + maker_in(m, 0.3, 0.7), up), v3_scale(out, side));
        int first = linkage_add_body(m->l), second = linkage_add_body(m->l);
        pawl_vec3 shift = v3_scale(maker_in(m, -0.2, 0.2), u);
        maker_joint(m, PAWL_JOINT_REVOLUTE, m->ground, first, v3_add(shift, v3_scale(low, up)), u);
        maker_joint(m, PAWL_JOINT_REVOLUTE, first, second, middle, u);
        maker_joint(m, PAWL_JOINT_REVOLUTE, second, platform,
                    v3_add(v3_scale(high, up), v3_scale(maker_in(m, -0.1, 0.1), side)), u);
    }
    m->l->mobility += 1;
    m->l->redundant += 1 + 3 * (chains - 2);
}

// Three hinges along z and two sliders in any order: all joints lie in the group of Schoenflies.
static void make_schoenflies(linkage_maker *m)
{
    pawl_joint_kind kind[5];
    pawl_vec3 point[5], axis[5];
    int first = random_index(m->seed, 5), second = (first + 1 + random_index(m->seed, 4)) % 5;
    for (int k = 0; k < 5; ++k) {
        double at = 2.0 * random_pi * k / 5.0 + maker_in(m, -0.4, 0.4);
        point[k] = v3(0.6 * cos(at), 0.6 * sin(at), maker_in(m, -0.3, 0.3));
        bool slides = k == first || k == second;
        kind[k] = slides ? PAWL_JOINT_PRISMATIC : PAWL_JOINT_REVOLUTE;
        do {
            axis[k] = slides ? maker_unit(m) : v3(0.0, 0.0, 1.0);
        } while (slides && (fabs(axis[k].z) < 0.3 || fabs(axis[k].z) > 0.9));
    }
    make_ring(m, 5, kind, point, axis);
    m->l->mobility += 1;
    m->l->redundant += 2;
}

static void make_sliders(linkage_maker *m)
{
    pawl_joint_kind kind[4];
    pawl_vec3 point[4], axis[4];
    for (int k = 0; k < 4; ++k) {
        kind[k] = PAWL_JOINT_PRISMATIC;
        point[k] = random_vec(m->seed, 0.7);
        axis[k] = maker_unit(m);
    }
    make_ring(m, 4, kind, point, axis);
    m->l->mobility += 1;
    m->l->redundant += 3;
}

// ---- parallel ------------------------------------------------------------------------------------

// Equal cranks from feet that do not lie in one line: never flat, the platform only translates. Rods
// with ball ends also spin about themselves.
static void make_parallel_cranks(linkage_maker *m)
{
    int hinged = 2 + random_index(m->seed, 2), balls = 1 + random_index(m->seed, 2);
    int count = hinged + balls, platform = linkage_add_body(m->l);
    double turn = maker_in(m, 0.0, 2.0 * random_pi);
    pawl_vec3 crank = v3(maker_in(m, 0.3, 0.7), maker_in(m, 0.3, 0.7), 0.0), up = {0.0, 0.0, 1.0};
    for (int k = 0; k < count; ++k) {
        double at = turn + 2.0 * random_pi * k / count + maker_in(m, -0.3, 0.3);
        pawl_vec3 foot = v3(0.5 * cos(at), 0.5 * sin(at), maker_in(m, -0.3, 0.3));
        int rod = linkage_add_body(m->l);
        pawl_joint_kind kind = k < hinged ? PAWL_JOINT_REVOLUTE : PAWL_JOINT_SPHERICAL;
        maker_joint(m, kind, m->ground, rod, foot, up);
        maker_joint(m, kind, rod, platform, v3_add(foot, crank), up);
    }
    m->l->mobility += 1 + balls;
    m->l->redundant += 4 * hinged - 5 + balls; // 10 rows a crank, 6 a rod that spins
}

static void make_doubled(linkage_maker *m)
{
    int links = 1 + random_index(m->seed, 2), before = m->ground;
    pawl_vec3 at = {0.0, 0.0, 0.0};
    for (int k = 0; k < links; ++k) {
        int link = linkage_add_body(m->l), copies = 1 + random_index(m->seed, 2);
        pawl_vec3 axis = maker_unit(m);
        bool slides = random_index(m->seed, 4) == 0;
        pawl_joint_kind kind = slides ? PAWL_JOINT_PRISMATIC : PAWL_JOINT_REVOLUTE;
        maker_joint(m, kind, before, link, at, axis);
        for (int c = 0; c < copies; ++c) {
            // on the axis of a hinge; anywhere beside a slider
            pawl_vec3 next = v3_add(at, v3_scale(0.35 * (c + 1) + maker_in(m, 0.0, 0.2), axis));
            pawl_joint_kind other = kind;
            int choice = random_index(m->seed, 3);
            if (choice == 1) {
                other = PAWL_JOINT_CYLINDRICAL;
            } else if (choice == 2 && !slides) {
                other = PAWL_JOINT_SPHERICAL;
            }
            if (slides) {
                next = v3_add(next, random_vec(m->seed, 0.4));
            }
            maker_joint(m, other, before, link, next, axis);
            m->l->redundant += pawl_joint_kind_rows(other);
        }
        at = v3_add(at, v3_scale(maker_in(m, 0.5, 0.9), maker_across(axis, maker_unit(m))));
        before = link;
    }
    // the last link reaches somewhere: a body of its own at its tip
    int tip = linkage_add_body(m->l);
    maker_joint(m, PAWL_JOINT_FIXED, before, tip, at, v3(1.0, 0.0, 0.0));
    m->l->mobility += links;
}

static void make_delta(linkage_maker *m)
{
    int platform = linkage_add_body(m->l);
    double base = maker_in(m, 0.25, 0.4), small = maker_in(m, 0.08, 0.15),
           arm = maker_in(m, 0.3, 0.45), half = maker_in(m, 0.06, 0.12),
           drop = maker_in(m, 0.5, 0.7);
    for (int k = 0; k < 3; ++k) {
        double at = 2.0 * random_pi * k / 3.0 + maker_in(m, -0.2, 0.2);
        pawl_vec3 out = {cos(at), sin(at), 0.0}, u = {-out.y, out.x, 0.0}, up = {0.0, 0.0, 1.0};
        double angle = maker_in(m, -0.3, 0.3);
        pawl_vec3 shoulder = v3_scale(base, out);
        pawl_vec3 elbow = v3_add(
            shoulder, v3_add(v3_scale(arm * cos(angle), out), v3_scale(-arm * sin(angle), up)));
        pawl_vec3 wrist = v3_add(v3_scale(small, out), v3_scale(-drop, up));
        // the parallelogram's own plane holds u and the rods
        pawl_vec3 normal = maker_across(u, v3_sub(wrist, elbow)), side = v3_scale(half, u);
        int upper_arm = linkage_add_body(m->l), top = linkage_add_body(m->l),
            left = linkage_add_body(m->l), right = linkage_add_body(m->l),
            bottom = linkage_add_body(m->l);
        maker_joint(m, PAWL_JOINT_REVOLUTE, m->ground, upper_arm, shoulder, u);
        maker_joint(m, PAWL_JOINT_REVOLUTE, upper_arm, top, elbow, u);
        maker_joint(m, PAWL_JOINT_REVOLUTE, top, left, v3_add(elbow, side), normal);
        maker_joint(m, PAWL_JOINT_REVOLUTE, top, right, v3_sub(elbow, side), normal);
        maker_joint(m, PAWL_JOINT_REVOLUTE, left, bottom, v3_add(wrist, side), normal);
        maker_joint(m, PAWL_JOINT_REVOLUTE, right, bottom, v3_sub(wrist, side), normal);
        maker_joint(m, PAWL_JOINT_REVOLUTE, bottom, platform, wrist, u);
    }
    m->l->mobility += 3;
    m->l->redundant += 12;
}

// ---- all -----------------------------------------------------------------------------------------

typedef struct family_row {
    const char *name;
    void (*make)(linkage_maker *m);
    int weight; // how often it is drawn
} family_row;

static const family_row families[] = {
    [LINKAGE_PLANAR] = {"planar", make_planar, 8},
    [LINKAGE_SPHERICAL] = {"spherical", make_spherical, 3},
    [LINKAGE_BENNETT] = {"bennett", make_bennett, 3},
    [LINKAGE_LINE_SYMMETRIC] = {"bricard-line", make_line_symmetric, 2},
    [LINKAGE_PLANE_SYMMETRIC] = {"bricard-plane", make_plane_symmetric, 2},
    [LINKAGE_SARRUS] = {"sarrus", make_sarrus, 2},
    [LINKAGE_SCHOENFLIES] = {"schoenflies", make_schoenflies, 2},
    [LINKAGE_SLIDERS] = {"sliders", make_sliders, 1},
    [LINKAGE_PARALLEL_CRANKS] = {"parallel-cranks", make_parallel_cranks, 3},
    [LINKAGE_DOUBLED] = {"doubled", make_doubled, 3},
    [LINKAGE_DELTA] = {"delta", make_delta, 1},
};
_Static_assert(sizeof families / sizeof families[0] == LINKAGE_FAMILY_COUNT, "missing row");

const char *linkage_family_name(linkage_family family)
{
    return families[family].name;
}

static linkage_family random_family(uint64_t *seed)
{
    int total = 0;
    for (int k = 0; k < LINKAGE_FAMILY_COUNT; ++k) {
        total += families[k].weight;
    }
    int at = random_index(seed, total), family = 0;
    while (at >= families[family].weight) {
        at -= families[family++].weight;
    }
    return (linkage_family)family;
}

static bool random_accepted(const linkage *l)
{
    double sigma[2];
    int rank = linkage_rank(l, 1e-9, sigma);
    return rank == linkage_rows(l) - l->redundant && rank == 6 * l->body_count - l->mobility &&
           sigma[0] > random_strong;
}

void linkage_random_family(linkage *l, linkage_family family, uint64_t seed)
{
    seed = seed * UINT64_C(2654435761) + (uint64_t)family;
    do {
        linkage_begin(l, families[family].name);
        linkage_maker m = {.l = l, .seed = &seed, .ground = PAWL_WORLD_INDEX};
        families[family].make(&m);
        linkage_finish(l, &seed);
        linkage_place(l, random_pose(&seed, 0.5));
        l->both_sides = random_index(&seed, 3) == 0;
    } while (!random_accepted(l));
}

// On a pendulum, or afloat and spinning, or the ground alone.
void linkage_random(linkage *l, uint64_t seed)
{
    seed *= UINT64_C(2654435761);
    do {
        linkage_family family = random_family(&seed);
        linkage_begin(l, families[family].name);
        linkage_maker m = {.l = l, .seed = &seed, .ground = PAWL_WORLD_INDEX};
        int footing = random_index(&seed, 10);
        if (footing == 0 || footing == 1) {
            m.ground = linkage_add_body(l);
        }
        families[family].make(&m);
        if (footing == 0) {
            pawl_vec3 axis = maker_unit(&m);
            linkage_add_joint(l, PAWL_JOINT_REVOLUTE, PAWL_WORLD_INDEX, m.ground,
                              random_vec(&seed, 0.5), axis);
            l->mobility += 1;
        } else if (footing == 1) {
            l->mobility += 6;
        }
        linkage_finish(l, &seed);
        linkage_place(l, random_pose(&seed, 0.5));
        if (footing == 1) {
            pawl_vec3 angular = random_vec(&seed, 4.0);
            linkage_spin(l, random_vec(&seed, 1.0), angular);
        }
        l->both_sides = random_index(&seed, 3) == 0;
        snprintf(l->name, sizeof l->name, "%s%s%s", families[family].name,
                 footing == 0   ? "-on-pendulum"
                 : footing == 1 ? "-afloat"
                                : "",
                 l->both_sides ? "-halves" : "");
    } while (!random_accepted(l));
}
