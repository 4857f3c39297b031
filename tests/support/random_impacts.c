// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "support/random_impacts.h"

#include "base/env.h"
#include "support/random.h"
#include <math.h>

const char *random_impact_name(random_impact_kind kind)
{
    static const char *const names[RANDOM_IMPACT_KINDS] = {"body", "flat", "heap", "tree", "loop"};
    return names[kind];
}

typedef struct impact_material {
    double friction, restitution;
} impact_material;

// Ends of the ranges come often: that is where laws break.
static impact_material impact_draw(uint64_t *seed)
{
    static const double ends[4] = {0.0, 1.0, 0.5, 1.0};
    int pick = random_index(seed, 8);
    double restitution = random_in(seed, 0.0, 1.0), friction = random_in(seed, 0.0, 2.0);
    return (impact_material){.friction = random_index(seed, 8) == 0 ? 0.0 : friction,
                             .restitution = pick < 4 ? ends[pick] : restitution};
}

static pawl_status impact_shape(pawl_builder *b, pawl_body_id body, pawl_shape_kind kind,
                                pawl_vec3 size, pawl_vec3 at, impact_material material)
{
    pawl_shape_def def = pawl_shape_def_default();
    def.kind = kind;
    def.size = size;
    def.frame.position = at;
    def.friction = material.friction;
    def.restitution = material.restitution;
    return pawl_builder_add_shape(b, body, &def, NULL);
}

static pawl_status impact_floor(pawl_builder *b, impact_material material)
{
    return impact_shape(b, PAWL_WORLD, PAWL_SHAPE_PLANE, v3(0, 0, 0), v3(0, 0, 0), material);
}

// How far below its centre a shape reaches.
static double impact_depth(pawl_shape_kind kind, pawl_vec3 s, pawl_quat q)
{
    pawl_mat3 r = quat_matrix(q);
    double x = r.m[2][0], y = r.m[2][1], z = r.m[2][2], across = sqrt(x * x + y * y);
    switch (kind) {
    case PAWL_SHAPE_BOX:
        return fabs(x) * s.x + fabs(y) * s.y + fabs(z) * s.z;
    case PAWL_SHAPE_CYLINDER:
        return s.x * across + s.z * fabs(z);
    case PAWL_SHAPE_CAPSULE:
        return s.x + s.z * fabs(z);
    case PAWL_SHAPE_ELLIPSOID:
        return sqrt(s.x * s.x * x * x + s.y * s.y * y * y + s.z * s.z * z * z);
    default:
        return s.x;
    }
}

// Just above the plane, falling.
static pawl_body_def impact_body(uint64_t *seed, double size, double depth, pawl_quat q)
{
    pawl_body_def def = pawl_body_def_default();
    def.mass = random_in(seed, 0.2, 5.0);
    random_inertia(seed, def.mass, size * random_in(seed, 0.3, 1.0), def.inertia);
    def.pose.orientation = q;
    def.pose.position = v3(0, 0, depth + random_in(seed, 1e-4, 2e-3));
    pawl_vec3 v = random_vec(seed, 3.0);
    def.twist = (pawl_twist){v3(v.x, v.y, -0.5 - fabs(v.z)), random_vec(seed, 8.0)};
    return def;
}

static pawl_status impact_single(pawl_builder *b, uint64_t *seed, bool flat)
{
    static const pawl_shape_kind kinds[] = {PAWL_SHAPE_SPHERE, PAWL_SHAPE_BOX, PAWL_SHAPE_CYLINDER,
                                            PAWL_SHAPE_CAPSULE, PAWL_SHAPE_ELLIPSOID};
    impact_material material = impact_draw(seed);
    pawl_shape_kind kind = flat ? PAWL_SHAPE_BOX : kinds[random_index(seed, 5)];
    pawl_vec3 size = random_between(seed, v3(0.02, 0.02, 0.02), v3(0.3, 0.3, 0.5));
    pawl_quat q = random_quat(seed);
    if (flat) { // on a face, or on an edge
        q = pawl_quat_from_rpy(random_index(seed, 2) == 0 ? 0.0 : random_in(seed, 0.1, 1.4), 0.0,
                               0.0);
    }
    pawl_body_def def = impact_body(seed, 0.5 * (size.x + size.z), impact_depth(kind, size, q), q);
    if (flat && random_index(seed, 2) == 0) {
        def.twist.angular = v3(0, 0, def.twist.angular.z);
    }
    pawl_body_id body;
    PAWL_TRY(impact_floor(b, material));
    PAWL_TRY(pawl_builder_add_body(b, &def, &body));
    return impact_shape(b, body, kind, size, v3(0, 0, 0), material);
}

static pawl_status impact_heap(pawl_builder *b, uint64_t *seed)
{
    const double r = 0.1;
    impact_material material = impact_draw(seed);
    int count = 2 + random_index(seed, 3);
    PAWL_TRY(impact_floor(b, material));
    for (int k = 0; k < count; ++k) {
        pawl_vec3 at = k < 2 ? v3(2.0 * r * k, 0, r) : v3(r + 2.0 * r * (k - 2), sqrt(3.0) * r, r);
        pawl_body_def def = pawl_body_def_default();
        def.mass = random_in(seed, 0.2, 5.0);
        def.pose.position = at;
        def.twist = (pawl_twist){random_vec(seed, 3.0), random_vec(seed, 5.0)};
        random_inertia(seed, def.mass, 0.5 * r, def.inertia);
        pawl_body_id body;
        PAWL_TRY(pawl_builder_add_body(b, &def, &body));
        PAWL_TRY(impact_shape(b, body, PAWL_SHAPE_SPHERE, v3(r, 0, 0), v3(0, 0, 0), material));
    }
    return PAWL_OK;
}

// Links between points; a ball at each end of each. All move as one body, so that joints agree.
static pawl_status impact_links(pawl_builder *b, uint64_t *seed, const pawl_vec3 *point, int links,
                                bool planar, pawl_vec3 normal)
{
    const double r = 0.03;
    impact_material material = impact_draw(seed);
    pawl_vec3 v = random_vec(seed, 3.0), w = random_vec(seed, 6.0);
    double lowest = INFINITY;
    for (int k = 0; k <= links; ++k) {
        lowest = fmin(lowest, point[k].z);
    }
    pawl_vec3 up = v3(0, 0, r + random_in(seed, 1e-4, 2e-3) - lowest);
    PAWL_TRY(impact_floor(b, material));
    pawl_body_id last = PAWL_WORLD;
    pawl_body_id first = PAWL_WORLD;
    for (int k = 0; k < links; ++k) {
        pawl_vec3 p = v3_add(point[k], up), q = v3_add(point[k + 1], up);
        pawl_body_def def = pawl_body_def_default();
        def.mass = pow(10.0, random_in(seed, -1.5, 1.5));
        random_inertia(seed, def.mass, 0.15, def.inertia);
        def.pose.position = v3_scale(0.5, v3_add(p, q));
        def.twist.linear =
            v3_add(v3(v.x, v.y, -0.5 - fabs(v.z)), v3_cross(w, v3_sub(def.pose.position, up)));
        def.twist.angular = w;
        pawl_body_id body;
        PAWL_TRY(pawl_builder_add_body(b, &def, &body));
        PAWL_TRY(impact_shape(b, body, PAWL_SHAPE_SPHERE, v3(r, 0, 0), v3_sub(p, def.pose.position),
                              material));
        if (!planar && k == links - 1) {
            PAWL_TRY(impact_shape(b, body, PAWL_SHAPE_SPHERE, v3(r, 0, 0),
                                  v3_sub(q, def.pose.position), material));
        }
        if (k > 0) {
            static const pawl_joint_kind kinds[] = {PAWL_JOINT_REVOLUTE, PAWL_JOINT_SPHERICAL,
                                                    PAWL_JOINT_FIXED};
            pawl_joint_def joint = pawl_joint_def_default();
            joint.kind = planar ? PAWL_JOINT_REVOLUTE : kinds[random_index(seed, 3)];
            joint.base = last;
            joint.follower = body;
            pawl_builder_place_joint(b, &joint, p, planar ? normal : random_vec(seed, 1.0),
                                     v3(0, 0, 0));
            PAWL_TRY(pawl_builder_add_joint(b, &joint, NULL));
            PAWL_TRY(pawl_builder_exclude(b, last, body));
        }
        first = k == 0 ? body : first;
        last = body;
    }
    if (planar) {
        pawl_joint_def joint = pawl_joint_def_default();
        joint.kind = PAWL_JOINT_REVOLUTE;
        joint.base = last;
        joint.follower = first;
        pawl_builder_place_joint(b, &joint, v3_add(point[0], up), normal, v3(0, 0, 0));
        PAWL_TRY(pawl_builder_add_joint(b, &joint, NULL));
        PAWL_TRY(pawl_builder_exclude(b, last, first));
    }
    return PAWL_OK;
}

static pawl_status impact_tree(pawl_builder *b, uint64_t *seed)
{
    pawl_vec3 point[6] = {{0, 0, 0}};
    int links = 2 + random_index(seed, 4);
    for (int k = 0; k < links; ++k) {
        pawl_vec3 d = random_vec(seed, 1.0);
        point[k + 1] = v3_axpy(point[k], 0.3 / fmax(v3_norm(d), 0.1), d);
    }
    return impact_links(b, seed, point, links, false, v3(0, 0, 0));
}

static pawl_status impact_loop(pawl_builder *b, uint64_t *seed)
{
    const double corner[5][2] = {{0, 0}, {0.4, 0.05}, {0.5, 0.4}, {-0.05, 0.3}, {0, 0}};
    pawl_mat3 r = quat_matrix(random_quat(seed));
    pawl_vec3 point[5];
    for (int k = 0; k < 5; ++k) {
        point[k] = m3_mul(&r, v3(corner[k][0], corner[k][1], 0.0));
    }
    return impact_links(b, seed, point, 4, true, m3_mul(&r, v3(0, 0, 1)));
}

pawl_status random_impact_model(const pawl_env *env, random_impact_kind kind, uint64_t index,
                                pawl_model **out)
{
    uint64_t seed = 1000003u * index + (uint64_t)kind;
    pawl_builder *b;
    PAWL_TRY(pawl_builder_create(env, random_impact_name(kind), &b));
    pawl_builder_set_gravity(b, v3(0, 0, 0));
    pawl_status status = PAWL_OK;
    switch (kind) {
    case RANDOM_IMPACT_BODY:
    case RANDOM_IMPACT_FLAT:
        status = impact_single(b, &seed, kind == RANDOM_IMPACT_FLAT);
        break;
    case RANDOM_IMPACT_HEAP:
        status = impact_heap(b, &seed);
        break;
    case RANDOM_IMPACT_TREE:
        status = impact_tree(b, &seed);
        break;
    default:
        status = impact_loop(b, &seed);
        break;
    }
    if (status == PAWL_OK) {
        status = pawl_builder_compile(b, out);
    }
    pawl_builder_destroy(b);
    return status;
}

pawl_status random_impact_run(const pawl_env *env, const pawl_model *model,
                              const pawl_settings *settings, random_impact_figures *out)
{
    enum { STEPS = 40, AFTER = 4 };
    pawl_sim *sim;
    *out = (random_impact_figures){.gain = -INFINITY, .work = -INFINITY};
    PAWL_TRY(pawl_sim_create(env, model, settings, &sim));
    pawl_energy before = pawl_state_energy(pawl_sim_state(sim)), start = before;
    pawl_status status = PAWL_OK;
    for (int k = 0, after = 0; k < STEPS && after < AFTER && status == PAWL_OK; ++k) {
        pawl_step_report report;
        status = pawl_sim_step(sim, &report);
        if (status != PAWL_OK) {
            break;
        }
        const pawl_energy *now = &report.energy;
        double work =
            now->work_contacts - before.work_contacts + now->work_limits - before.work_limits;
        if (report.impact_work != 0.0) {
            out->gain = fmax(out->gain, report.impact_work / before.kinetic);
            ++out->impacts;
        }
        out->work = fmax(out->work, work / start.kinetic);
        after += work != 0.0;
        out->capped += report.events[PAWL_EVENT_IMPACT_CAPPED];
        out->fallen += report.events[PAWL_EVENT_IMPACT_FALLBACK];
        out->open += report.outcome != PAWL_CONVERGED;
        out->penetration = fmax(out->penetration, report.penetration);
        before = *now;
    }
    pawl_sim_destroy(sim);
    return status;
}
