// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Bodies without any support: gravity acts on them, no joint, spring or applied force supports them, and their shapes
// cannot touch any supported body. They fall for ever, like a robot with a floating base that was loaded without a
// ground.
//
// Bodies connected by joints are one group. Support propagates: the world and kinematic bodies are supported, and so
// is every group that is joined to or may touch a supported one. The positions of shapes do not matter, only whether
// groups, masks and exclusions allow contact.
#include "model/builder.h"
#include "sim/warnings.h"
#include <string.h>

typedef struct falls_work {
    const pawl_model *model;
    int *group;      // (bodies + 1) leads to the first of the group; 0 is what stands, i + 1 body i
    bool *supported; // (bodies + 1) of the first of each group
    int *size;       // (bodies + 1) bodies in the group of each first
    int *pulled;     // (bodies + 1) those that gravity acts on
    int *standing;   // (shapes) of what is held
    char *block;
    size_t bytes;
} falls_work;

// Union-find with path halving; the smallest index leads, so that the group of the world is 0.
static int falls_group(const falls_work *w, int body)
{
    int i = body + 1;
    while (w->group[i] != i) {
        w->group[i] = w->group[w->group[i]];
        i = w->group[i];
    }
    return i;
}

static void falls_unite(falls_work *w, int body_a, int body_b)
{
    int a = falls_group(w, body_a), b = falls_group(w, body_b);
    w->group[a > b ? a : b] = a > b ? b : a;
}

// A constant of 0 does not act; any other signal may.
static bool falls_signal_acts(const pawl_signal *s)
{
    return s->kind != PAWL_SIGNAL_CONSTANT || s->value != 0.0;
}

// Whether something acts between the two bodies of a joint: rows, springs, actuators, motions.
static bool falls_joint_holds(const pawl_model *m, int joint)
{
    const model_joint *j = &m->joints[joint];
    bool supports = j->row_count > 0;
    for (int c = 0; c < j->coordinate_count; ++c) {
        const pawl_coordinate_def *d = &j->coordinate[c];
        supports = supports || d->stiffness > 0.0 || isfinite(d->lower) || isfinite(d->upper);
    }
    for (int i = 0; !supports && i < m->actuator_count; ++i) {
        supports = pawl_joint_index(m->actuators[i].joint) == joint;
    }
    for (int i = 0; !supports && i < m->motion_count; ++i) {
        supports = pawl_joint_index(m->motions[i].joint) == joint;
    }
    return supports;
}

static void falls_find_groups(falls_work *w)
{
    const pawl_model *m = w->model;
    for (int i = 0; i <= m->body_count; ++i) {
        // A kinematic body stands wherever its motion takes it.
        w->group[i] = i > 0 && m->bodies[i - 1].kind == PAWL_BODY_KINEMATIC ? 0 : i;
    }
    for (int i = 0; i < m->joint_count; ++i) {
        if (falls_joint_holds(m, i)) {
            falls_unite(w, m->joints[i].base, m->joints[i].follower);
        }
    }
    for (int i = 0; i < m->spring_count; ++i) {
        if (m->springs[i].stiffness > 0.0) {
            falls_unite(w, pawl_body_index(m->springs[i].body_a),
                        pawl_body_index(m->springs[i].body_b));
        }
    }
    for (int i = 0; i < m->force_count; ++i) {
        const pawl_force_def *f = &m->forces[i];
        bool acts = false;
        for (int k = 0; k < 3; ++k) {
            acts = acts || falls_signal_acts(&f->force[k]);
        }
        if (acts) {
            falls_unite(w, pawl_body_index(f->body),
                        PAWL_WORLD_INDEX); // it may carry the body, as a rotor does
        }
    }
    w->supported[0] = true;
}

// Exclusions of a model are sorted by this key.
static bool falls_excluded(const pawl_model *m, int a, int b)
{
    uint64_t key = pawl_exclusion_key(a, b);
    int low = 0, high = m->exclusion_count;
    while (low < high) {
        int middle = (low + high) / 2;
        uint64_t at = pawl_exclusion_key(pawl_body_index(m->exclusions[middle].a),
                                         pawl_body_index(m->exclusions[middle].b));
        if (at == key) {
            return true;
        }
        low = at < key ? middle + 1 : low;
        high = at < key ? high : middle;
    }
    return false;
}

static bool falls_may_touch(const pawl_model *m, const pawl_shape_info *a, const pawl_shape_info *b)
{
    return !a->def.visual_only && !b->def.visual_only && (a->def.group & b->def.mask) != 0 &&
           (b->def.group & a->def.mask) != 0 &&
           !falls_excluded(m, pawl_body_index(a->body), pawl_body_index(b->body));
}

// Contact points of mdp and nmdp touch planes and heightfields of the world.
static bool falls_has_ground(const pawl_model *m)
{
    bool ground = m->heightfield_count > 0;
    for (int i = 0; !ground && i < m->shape_count; ++i) {
        ground = m->shapes[i].def.kind == PAWL_SHAPE_PLANE;
    }
    return ground;
}

// Lists the shapes of all groups that are held; returns how many.
static int falls_list_standing(falls_work *w)
{
    const pawl_model *m = w->model;
    int count = 0;
    for (int s = 0; s < m->shape_count; ++s) {
        if (w->supported[falls_group(w, pawl_body_index(m->shapes[s].body))]) {
            w->standing[count++] = s;
        }
    }
    return count;
}

static bool falls_touches_standing(const falls_work *w, const pawl_shape_info *shape, int count)
{
    for (int k = 0; k < count; ++k) {
        if (falls_may_touch(w->model, shape, &w->model->shapes[w->standing[k]])) {
            return true;
        }
    }
    return false;
}

// Rounds until no group is added. At most one round for each group, since every round but the last adds one.
static void falls_spread(falls_work *w)
{
    const pawl_model *m = w->model;
    bool ground = falls_has_ground(m);
    for (int i = 0; ground && i < m->contact_point_count; ++i) {
        w->supported[falls_group(w, pawl_body_index(m->contact_points[i].body))] = true;
    }
    // Heightfields of contact points are no shapes, so masks do not apply to them.
    for (int s = 0; m->heightfield_count > 0 && s < m->shape_count; ++s) {
        if (!m->shapes[s].def.visual_only) {
            w->supported[falls_group(w, pawl_body_index(m->shapes[s].body))] = true;
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        int count = falls_list_standing(w);
        for (int s = 0; s < m->shape_count; ++s) {
            int group = falls_group(w, pawl_body_index(m->shapes[s].body));
            if (!w->supported[group] && falls_touches_standing(w, &m->shapes[s], count)) {
                w->supported[group] = changed = true;
            }
        }
    }
}

static void falls_count(falls_work *w)
{
    for (int i = 0; i < w->model->body_count; ++i) {
        int group = falls_group(w, i);
        w->size[group] += 1;
        w->pulled[group] += w->model->bodies[i].gravity_scale != 0.0;
    }
}

// One warning for each group, at its first body. A group without weight does not fall.
static pawl_status falls_list(const falls_work *w, warning_list *list)
{
    const pawl_model *m = w->model;
    for (int i = 0; i < m->body_count; ++i) {
        int group = falls_group(w, i), size = w->size[group];
        if (group != i + 1 || w->supported[group] || w->pulled[group] == 0) {
            continue;
        }
        const char *advice =
            "add a ground that its shapes can touch (shapes need a <collision>), fix "
            "it to the world, or set gravity to 0";
        warning_where where = pawl_warning_body(m, i);
        if (size > 1) {
            PAWL_TRY(
                pawl_warning_add(list, PAWL_WARNING_FALLS, where.text, advice,
                                 "nothing supports it and the %d bodies connected to it: no joint "
                                 "leads to the world, and no shape can touch a fixed shape",
                                 size - 1));
        } else {
            PAWL_TRY(pawl_warning_add(list, PAWL_WARNING_FALLS, where.text, advice,
                                      "nothing supports it: no joint leads to the world, and no "
                                      "shape can touch a fixed shape"));
        }
    }
    return PAWL_OK;
}

// Nothing falls without gravity. Arrays are zero when allocated, which `supported` and the counts rely on.
pawl_status pawl_warn_falls(pawl_sim *sim, warning_list *list)
{
    const pawl_model *m = sim->model;
    if (v3_norm(m->gravity) == 0.0) {
        return PAWL_OK;
    }
    falls_work w = {.model = m};
    for (int pass = 0; pass < 2; ++pass) {
        pawl_carver mem = {.base = w.block, .capacity = w.bytes};
        w.group = PAWL_CARVE(&mem, int, m->body_count + 1);
        w.supported = PAWL_CARVE(&mem, bool, m->body_count + 1);
        w.size = PAWL_CARVE(&mem, int, m->body_count + 1);
        w.pulled = PAWL_CARVE(&mem, int, m->body_count + 1);
        w.standing = PAWL_CARVE(&mem, int, m->shape_count);
        if (pass == 0) {
            w.bytes = mem.used;
            w.block = pawl_alloc(list->env, w.bytes);
            if (w.block == NULL) {
                return PAWL_FAIL(list->env, PAWL_NO_MEMORY,
                                 "no memory for the search for supports of bodies");
            }
        }
    }
    falls_find_groups(&w);
    falls_spread(&w);
    falls_count(&w);
    pawl_status status = falls_list(&w, list);
    pawl_free(list->env, w.block, w.bytes);
    return status;
}
