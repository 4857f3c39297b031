// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Broad phase, narrow phase and materials, for all pairs of a model's shapes that may touch.
#include "collide/contact.h"
#include "base/hash.h"
#include "collide/manifold.h"

struct contact_finder {
    pawl_env env;
    const pawl_model *model;
    int shape_count;
    int *shapes;          // (shape_count) of the model, those that can touch
    placed_shape *placed; // (shape_count)
    unsigned char *apart; // (shape_count x shape_count) pairs that never touch
    pawl_contact *contacts;
    int capacity;
};

enum { FINDER_FIRST_CAPACITY = 64 };

static bool finder_moves(const pawl_model *m, int body)
{
    return body >= 0 && m->bodies[body].inverse_mass > 0.0;
}

static bool finder_joined(const pawl_model *m, int a, int b)
{
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        if (j->kind != PAWL_JOINT_GEAR && j->row_count > 0 &&
            ((j->base == a && j->follower == b) || (j->base == b && j->follower == a))) {
            return true;
        }
    }
    return false;
}

pawl_status pawl_contact_finder_create(const pawl_env *env, const pawl_model *m,
                                       contact_finder **out)
{
    *out = NULL;
    int count = 0;
    bool moving = false;
    for (int i = 0; i < m->shape_count; ++i) {
        if (!m->shapes[i].def.visual_only) {
            ++count;
            moving = moving || finder_moves(m, m->shapes[i].body);
        }
    }
    if (count < 2 || !moving) {
        return PAWL_OK;
    }
    contact_finder *f = pawl_alloc(env, sizeof *f);
    if (f == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for collision detection");
    }
    size_t n = (size_t)count;
    f->env = *env;
    f->model = m;
    f->shape_count = count;
    f->shapes = pawl_alloc(env, n * sizeof *f->shapes);
    f->placed = pawl_alloc(env, n * sizeof *f->placed);
    f->apart = pawl_alloc(env, n * n);
    if (f->shapes == NULL || f->placed == NULL || f->apart == NULL ||
        pawl_contact_finder_grow(f, FINDER_FIRST_CAPACITY) != PAWL_OK) {
        pawl_contact_finder_destroy(f);
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for collision detection");
    }
    for (int i = 0, k = 0; i < m->shape_count; ++i) {
        if (!m->shapes[i].def.visual_only) {
            f->shapes[k++] = i;
        }
    }
    bool any = false;
    for (int x = 0; x < count; ++x) {
        for (int y = 0; y < count; ++y) {
            int a = m->shapes[f->shapes[x]].body, b = m->shapes[f->shapes[y]].body;
            bool apart = a == b || (!finder_moves(m, a) && !finder_moves(m, b)) ||
                         finder_joined(m, a, b);
            f->apart[x * count + y] = apart;
            any = any || !apart;
        }
    }
    if (!any) {
        pawl_contact_finder_destroy(f);
        return PAWL_OK;
    }
    *out = f;
    return PAWL_OK;
}

void pawl_contact_finder_destroy(contact_finder *f)
{
    if (f == NULL) {
        return;
    }
    pawl_env env = f->env;
    size_t n = (size_t)f->shape_count;
    pawl_free(&env, f->shapes, n * sizeof *f->shapes);
    pawl_free(&env, f->placed, n * sizeof *f->placed);
    pawl_free(&env, f->apart, n * n);
    pawl_free(&env, f->contacts, (size_t)f->capacity * sizeof *f->contacts);
    pawl_free(&env, f, sizeof *f);
}

pawl_status pawl_contact_finder_grow(contact_finder *f, int capacity)
{
    pawl_contact *fresh = pawl_alloc(&f->env, (size_t)capacity * sizeof *fresh);
    if (fresh == NULL) {
        return PAWL_FAIL(&f->env, PAWL_NO_MEMORY, "no memory for %d contacts", capacity);
    }
    pawl_free(&f->env, f->contacts, (size_t)f->capacity * sizeof *f->contacts);
    f->contacts = fresh;
    f->capacity = capacity;
    return PAWL_OK;
}

static double finder_reach(const contact_finder *f, int x, const body_state *bodies, double h)
{
    int body = f->model->shapes[f->shapes[x]].body;
    if (body < 0) {
        return 0.0;
    }
    double arm = pawl_shape_bounding_radius(&f->placed[x]) +
                 v3_norm(v3_sub(f->placed[x].position, bodies[body].r));
    return h * (v3_norm(bodies[body].v) + v3_norm(bodies[body].w) * arm);
}

// Pair and feature in 52 bits: 20, 20 and 12.
static double finder_id(int a, int b, uint32_t feature)
{
    uint64_t small = pawl_hash_bytes(PAWL_HASH_SEED, &feature, sizeof feature) & 0xfff;
    return (double)(((uint64_t)a << 32 | (uint64_t)b << 12) + small);
}

static int finder_add(contact_finder *f, int count, int x, int y, const contact_manifold *m)
{
    const pawl_shape_info *a = &f->model->shapes[f->shapes[x]];
    const pawl_shape_info *b = &f->model->shapes[f->shapes[y]];
    int first = count;
    for (int k = 0; k < m->count; ++k, ++count) {
        if (count >= f->capacity) {
            continue;
        }
        pawl_contact c = {.shape_a = f->shapes[x],
                          .shape_b = f->shapes[y],
                          .body_a = a->body,
                          .body_b = b->body,
                          .position = m->point[k].position,
                          .normal = m->normal,
                          .gap = m->point[k].gap,
                          .friction = sqrt(a->def.friction * b->def.friction),
                          .restitution = fmax(a->def.restitution, b->def.restitution),
                          .id = finder_id(x, y, m->point[k].feature)};
        int at = count; // by id within the pair
        for (; at > first && f->contacts[at - 1].id > c.id; --at) {
            f->contacts[at] = f->contacts[at - 1];
        }
        f->contacts[at] = c;
    }
    return count;
}

int pawl_contact_finder_find(contact_finder *f, const body_state *bodies, double margin, double h)
{
    const pawl_model *m = f->model;
    for (int x = 0; x < f->shape_count; ++x) {
        const pawl_shape_info *info = &m->shapes[f->shapes[x]];
        pawl_pose frame = info->def.frame;
        if (info->body >= 0) {
            const body_state *b = &bodies[info->body];
            pawl_vec3 arm = pawl_quat_rotate(b->q, m->bodies[info->body].com);
            frame = pawl_pose_compose((pawl_pose){v3_sub(b->r, arm), b->q}, frame);
        }
        f->placed[x] = pawl_shape_place(&info->def, NULL, frame, x);
    }
    int count = 0;
    for (int x = 0; x < f->shape_count; ++x) {
        for (int y = x + 1; y < f->shape_count; ++y) {
            if (f->apart[x * f->shape_count + y]) {
                continue;
            }
            double reach =
                margin + finder_reach(f, x, bodies, h) + finder_reach(f, y, bodies, h);
            contact_manifold manifold;
            pawl_collide_pair(&f->placed[x], &f->placed[y], reach, &manifold);
            count = finder_add(f, count, x, y, &manifold);
        }
    }
    return count;
}

const pawl_contact *pawl_contact_finder_contacts(const contact_finder *f)
{
    return f->contacts;
}

int pawl_contact_finder_capacity(const contact_finder *f)
{
    return f->capacity;
}
