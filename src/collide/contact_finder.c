// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// From the collider's manifolds to a flat list of contacts with bodies, materials and ids.
#include "base/hash.h"
#include "collide/collider.h"
#include "collide/contact.h"
#include "collide/patch_reduce.h"
#include "model/softness.h"

struct contact_finder {
    pawl_env env;
    const pawl_model *model;
    contact_rules rules;
    collider *collider;
    uint32_t *group, *mask; // (shape_count) of the model's shapes
    patch_reducer *reducer; // NULL: all contacts stay
    pawl_contact *contacts;
    int capacity, found;
    double thinnest; // half thickness of a shape [m]
};

// A shape thinner than this share of its radius counts as that thick: disks may have no thickness at all.
static const double finder_thin = 0.02;

enum { FINDER_FIRST_CAPACITY = 64, FINDER_FIRST_A_SHAPE = 3, FINDER_FEATURE_BITS = 12 };

// A model in which nothing can touch has no finder at all, and its steps skip collision detection.
static bool finder_can_touch(const pawl_model *m)
{
    int count = 0, moving = 0;
    for (int i = 0; i < m->shape_count; ++i) {
        const pawl_shape_info *info = &m->shapes[i];
        if (!info->def.visual_only && info->def.group != 0 && info->def.mask != 0) {
            ++count;
            moving += pawl_body_index(info->body) >= 0 &&
                      m->bodies[pawl_body_index(info->body)].inverse_mass > 0.0;
        }
    }
    return count > 1 && moving > 0;
}

pawl_status pawl_contact_finder_create(const pawl_env *env, const pawl_model *m,
                                       contact_rules rules, contact_finder **out)
{
    *out = NULL;
    if (!finder_can_touch(m)) {
        return PAWL_OK;
    }
    contact_finder *f = pawl_alloc(env, sizeof *f);
    if (f == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for collision detection");
    }
    size_t n = (size_t)m->shape_count;
    f->env = *env;
    f->model = m;
    f->rules = rules;
    f->group = pawl_alloc(env, n * sizeof *f->group);
    f->mask = pawl_alloc(env, n * sizeof *f->mask);
    // A heap has about three contacts per body; growing during a run costs as much as many steps.
    int first = 0;
    for (int i = 0; i < m->shape_count; ++i) {
        first += m->shapes[i].def.visual_only ? 0 : FINDER_FIRST_A_SHAPE;
    }
    first = first > FINDER_FIRST_CAPACITY ? first : FINDER_FIRST_CAPACITY;
    pawl_status status = f->group != NULL && f->mask != NULL
                             ? pawl_contact_finder_grow(f, first)
                             : PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for collision detection");
    if (status == PAWL_OK) {
        for (int i = 0; i < m->shape_count; ++i) {
            f->group[i] = m->shapes[i].def.group;
            f->mask[i] = m->shapes[i].def.mask;
        }
        collider_def def = pawl_collider_def_default();
        def.group = f->group;
        def.mask = f->mask;
        def.excluded = m->exclusions;
        def.excluded_count = m->exclusion_count;
        def.team = rules.team;
        status = pawl_collider_create(env, m, &def, &f->collider);
    }
    if (status != PAWL_OK) {
        pawl_contact_finder_destroy(f);
        return status;
    }
    // The thinnest shape bounds how deep a contact may be before shapes pass through each other.
    f->thinnest = INFINITY;
    for (int i = 0; i < m->shape_count; ++i) {
        f->thinnest = fmin(f->thinnest, pawl_contact_finder_half_thickness(f, i));
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
    size_t n = (size_t)f->model->shape_count;
    pawl_collider_destroy(f->collider);
    pawl_patch_reducer_destroy(f->reducer);
    pawl_free(&env, f->group, n * sizeof *f->group);
    pawl_free(&env, f->mask, n * sizeof *f->mask);
    pawl_free(&env, f->contacts, (size_t)f->capacity * sizeof *f->contacts);
    pawl_free(&env, f, sizeof *f);
}

// The old lists are freed only after the new ones are there, so that a failure leaves the finder as it was.
pawl_status pawl_contact_finder_grow(contact_finder *f, int capacity)
{
    patch_reducer *reducer = NULL;
    if (f->rules.reduce != PAWL_REDUCE_OFF) {
        PAWL_TRY(pawl_patch_reducer_create(&f->env, capacity, &reducer));
    }
    pawl_contact *fresh = pawl_alloc(&f->env, (size_t)capacity * sizeof *fresh);
    if (fresh == NULL) {
        pawl_patch_reducer_destroy(reducer);
        return PAWL_FAIL(&f->env, PAWL_NO_MEMORY, "no memory for %d contacts", capacity);
    }
    pawl_patch_reducer_destroy(f->reducer);
    f->reducer = reducer;
    pawl_free(&f->env, f->contacts, (size_t)f->capacity * sizeof *f->contacts);
    f->contacts = fresh;
    f->capacity = capacity;
    return PAWL_OK;
}

void pawl_contact_finder_rest(contact_finder *f, const bool *still)
{
    if (f != NULL) {
        pawl_collider_rest(f->collider, still);
    }
}

// Pair and feature in 52 bits (20, 20 and 12), which a double holds exactly: ids are stored in states as doubles. Features of one
// pair that have the same 12 bits are separated by finder_part().
static double finder_id(int a, int b, uint32_t feature)
{
    uint64_t small = pawl_hash_bytes(PAWL_HASH_SEED, &feature, sizeof feature) %
                     (UINT64_C(1) << FINDER_FEATURE_BITS);
    uint64_t pair = (uint64_t)(a & 0xfffff) << 20 | (uint64_t)(b & 0xfffff);
    return (double)((pair << FINDER_FEATURE_BITS) + small);
}

double pawl_contact_pair(double id)
{
    return floor(id / (double)(1 << FINDER_FEATURE_BITS));
}

void pawl_contact_shapes(double id, int *shape_a, int *shape_b)
{
    uint64_t pair = (uint64_t)pawl_contact_pair(id);
    *shape_a = (int)(pair >> 20 & 0xfffff);
    *shape_b = (int)(pair & 0xfffff);
}

// Engines disagree on how two coefficients make one, so the rule is a setting. The geometric mean keeps ice on
// anything slippery and is the default.
double pawl_pair_combine(pawl_pair_rule rule, double a, double b)
{
    switch (rule) {
    case PAWL_PAIR_MIN:
        return fmin(a, b);
    case PAWL_PAIR_MAX:
        return fmax(a, b);
    case PAWL_PAIR_MEAN:
        return 0.5 * (a + b);
    case PAWL_PAIR_PRODUCT:
        return a * b;
    case PAWL_PAIR_GEOMETRIC:
        return sqrt(a * b);
    case PAWL_PAIR_RULE_COUNT:
        break;
    }
    return (double)NAN;
}

// The mean of what is given; see pawl_shape_def.
static double finder_erp(double a, double b)
{
    if (a == 0.0 || b == 0.0) {
        return a + b;
    }
    double mean = 0.5 * (fmax(a, 0.0) + fmax(b, 0.0));
    return mean > 0.0 ? mean : -1.0;
}

// Of a shape, in impacts.
static double finder_impact_friction(const contact_rules *rules, const pawl_shape_def *def)
{
    return def->impact_friction >= 0.0 ? def->impact_friction
                                       : rules->impact_friction * def->friction;
}

// The common properties of the points of one pair.
static pawl_contact finder_of_pair(const contact_finder *f, const shape_contact *pair)
{
    const pawl_shape_info *a = &f->model->shapes[pair->shape_a];
    const pawl_shape_info *b = &f->model->shapes[pair->shape_b];
    const contact_rules *rules = &f->rules;
    return (pawl_contact){
        .shape_a = pair->shape_a,
        .shape_b = pair->shape_b,
        .body_a = pawl_body_index(a->body),
        .body_b = pawl_body_index(b->body),
        .normal = pair->manifold.normal,
        .friction = pawl_pair_combine(rules->friction, a->def.friction, b->def.friction),
        .restitution =
            pawl_pair_combine(rules->restitution, a->def.restitution, b->def.restitution),
        .impact_friction =
            pawl_pair_combine(rules->friction, finder_impact_friction(rules, &a->def),
                              finder_impact_friction(rules, &b->def)),
        // Lengths, which most shapes do not give: the larger, whatever the rule.
        .torsional = fmax(a->def.torsional_friction, b->def.torsional_friction),
        .rolling = fmax(a->def.rolling_friction, b->def.rolling_friction),
        .erp = finder_erp(a->def.erp, b->def.erp),
        .soft = pawl_softness_mix(pawl_softness_choose(&a->def.soft, &rules->soft),
                                  pawl_softness_choose(&b->def.soft, &rules->soft))};
}

// Puts one manifold's points into `out`, which has `count` contacts, those of the same pair from `first`
// on, sorted by id. Those beyond `capacity` are only counted. Returns the new count.
static int finder_add(const contact_finder *f, pawl_contact *out, int capacity, int first,
                      int count, const shape_contact *pair)
{
    pawl_contact c = finder_of_pair(f, pair);
    for (int k = 0; k < pair->manifold.count; ++k) {
        const contact_point *point = &pair->manifold.point[k];
        if (pawl_is_soft(&c.soft) && !(point->gap < 0.0)) {
            continue; // soft rows slow down what has come through; they stop nothing before
        }
        if (count >= capacity) {
            ++count;
            continue;
        }
        c.position = point->position;
        c.gap = point->gap;
        c.id = finder_id(pair->shape_a, pair->shape_b, point->feature);
        int at = count;
        // Insertion: a pair has few points, and they come nearly sorted. The order of contacts must not depend on how
        // a manifold was found.
        for (; at > first && out[at - 1].id > c.id; --at) {
            out[at] = out[at - 1];
        }
        out[at] = c;
        ++count;
    }
    return count;
}

// [m]; infinite for shapes that do not collide. The judge compares penetration with it.
double pawl_contact_finder_half_thickness(const contact_finder *f, int shape)
{
    const collider *c = f->collider;
    int low = 0, high = c->item_count - 1; // items are in the order of their shapes
    while (low < high) {
        int middle = (low + high) / 2;
        if (c->shape[middle] < shape) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (c->item_count == 0 || c->shape[low] != shape) {
        return INFINITY;
    }
    return fmax(c->inner[low], finder_thin * pawl_shape_bounding_radius(&c->placed[low]));
}

double pawl_contact_finder_thinnest(const contact_finder *f)
{
    return f->thinnest;
}

// Contacts of one pair, sorted by id, get ids of their own: two that shared one would share a warm start, and
// lit would take one for the other. The next numbers are free nearly always.
static void finder_part(pawl_contact *contacts, int first, int count)
{
    for (int k = first + 1; k < count; ++k) {
        double next = contacts[k - 1].id + 1.0;
        if (contacts[k].id < next && pawl_contact_pair(next) == pawl_contact_pair(contacts[k].id)) {
            contacts[k].id = next;
        }
    }
}

// Returns the number of contacts, or -1 without memory. A number above the capacity means that the list is
// incomplete: the caller makes room and asks again. Manifolds of one pair follow each other, so that ids need to
// be distinct only within such a run. Contacts are reduced only when all are there.
int pawl_contact_finder_find(contact_finder *f, const body_state *bodies, double margin, double h)
{
    if (pawl_collider_run(f->collider, bodies, margin, h) != PAWL_OK) {
        return -1;
    }
    int count = 0, first = 0;
    for (int k = 0; k < f->collider->contact_count; ++k) {
        const shape_contact *contact = &f->collider->contacts[k];
        bool same = k > 0 && contact->shape_a == contact[-1].shape_a &&
                    contact->shape_b == contact[-1].shape_b;
        if (!same) {
            finder_part(f->contacts, first, count < f->capacity ? count : f->capacity);
            first = count;
        }
        count = finder_add(f, f->contacts, f->capacity, first, count, contact);
    }
    finder_part(f->contacts, first, count < f->capacity ? count : f->capacity);
    if (f->reducer != NULL && count <= f->capacity) {
        count = pawl_patch_reduce(f->reducer, f->contacts, count, f->rules.reduce_max);
    }
    f->found = count < f->capacity ? count : f->capacity;
    return count;
}

int pawl_contact_finder_found(const contact_finder *f)
{
    return f->found;
}

const pawl_contact *pawl_contact_finder_contacts(const contact_finder *f)
{
    return f->contacts;
}

int pawl_contact_finder_capacity(const contact_finder *f)
{
    return f->capacity;
}

shape_crossing pawl_contact_finder_crossings(const contact_finder *f, const body_state *before,
                                             const body_state *after, state_overlaps began,
                                             double margin, double deepest)
{
    return pawl_collider_crossings(f->collider, before, after, began, margin, deepest);
}

int pawl_contact_finder_pair_count(const contact_finder *f)
{
    return f->collider->pair_count;
}

finder_pair pawl_contact_finder_pair(const contact_finder *f, int k)
{
    const collider *c = f->collider;
    return (finder_pair){(int)(c->pairs[k] >> 32), (int)(c->pairs[k] & 0xffffffffu)};
}

double pawl_contact_finder_thickness(const contact_finder *f, finder_pair pair)
{
    return fmin(f->collider->inner[pair.item_a], f->collider->inner[pair.item_b]);
}

int pawl_contact_finder_shape(const contact_finder *f, int item)
{
    return f->collider->shape[item];
}

int pawl_contact_finder_body(const contact_finder *f, int item)
{
    return pawl_body_index(f->model->shapes[f->collider->shape[item]].body);
}

double pawl_contact_finder_approach(const contact_finder *f, finder_pair pair,
                                    const body_state *bodies)
{
    return pawl_collider_approach(f->collider, bodies, pair.item_a, pair.item_b);
}

static placed_shape finder_placed(const collider *c, int item, const body_state *bodies)
{
    placed_shape s = c->placed[item];
    pawl_pose frame = pawl_collider_frame(c, bodies, item);
    s.position = frame.position;
    s.axes = quat_matrix(frame.orientation);
    return s;
}

// The contacts of one pair at other poses than those of the last search, for the time of impact. The collider's
// own state is not changed.
int pawl_contact_finder_points(const contact_finder *f, finder_pair pair, const body_state *bodies,
                               double margin, pawl_contact out[FINDER_POINTS])
{
    const collider *c = f->collider;
    placed_shape a = finder_placed(c, pair.item_a, bodies);
    placed_shape b = finder_placed(c, pair.item_b, bodies);
    shape_contact contact = {.shape_a = c->shape[pair.item_a], .shape_b = c->shape[pair.item_b]};
    contact_manifold found[MANIFOLDS_A_PAIR];
    int manifolds = pawl_collide_shapes(&a, &b, margin, found, MANIFOLDS_A_PAIR), count = 0;
    for (int k = 0; k < manifolds; ++k) {
        contact.manifold = found[k];
        count = finder_add(f, out, FINDER_POINTS, 0, count, &contact);
    }
    count = count < FINDER_POINTS ? count : FINDER_POINTS;
    finder_part(out, 0, count);
    return count;
}
