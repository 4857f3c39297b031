// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// From body poses to contacts: shapes are placed, boxes around them searched for pairs (broad_phase.c), and the pairs
// collided shape by shape (pair_*.c). Planes and heightfields are not in the tree, because their boxes would contain
// everything: each is compared with every box in turn. Several threads collide many pairs, block by block. Lists grow
// to the size that a step needs and do not shrink, so that a steady step allocates nothing.
#include "collide/collider.h"
#include "base/sort.h"
#include <string.h>

// Below COLLIDER_MANY pairs the caller alone is done before others wake: a pair of boxes takes about a microsecond.
enum { COLLIDER_BLOCK = 32, COLLIDER_MANY = 256, COLLIDER_FEW_ITEMS = 64 };

collider_def pawl_collider_def_default(void)
{
    return (collider_def){.adjacent = false};
}

// Pairs of bodies as sorted keys; the world (-1) becomes 0.
static uint64_t collider_body_key(int a, int b)
{
    uint64_t low = (uint64_t)((a < b ? a : b) + 1), high = (uint64_t)((a < b ? b : a) + 1);
    return low << 32 | high;
}

// Bodies that a joint connects overlap at the joint by design and do not collide, unless asked to. A free joint
// connects nothing, and neither does a gear or a span. Joints to the world do not count, unless asked to: a machine that is
// fixed to the world still stands on its ground.
static bool collider_joint_filters(const collider_def *def, const model_joint *j)
{
    return !def->adjacent && j->kind != PAWL_JOINT_FREE && j->kind != PAWL_JOINT_GEAR &&
           j->kind != PAWL_JOINT_SPAN && (j->base != PAWL_WORLD_INDEX || def->world_joints);
}

// An item is a shape that collides; arrays of items are in the order of the model's shapes. `filtered` has twice
// the room because sorting needs a spare copy.
static collider *collider_layout(const pawl_model *model, const collider_def *def, int items,
                                 pawl_carver *mem)
{
    collider *c = PAWL_CARVE(mem, collider, 1);
    int *shape = PAWL_CARVE(mem, int, items);
    uint32_t *group = PAWL_CARVE(mem, uint32_t, items);
    uint32_t *mask = PAWL_CARVE(mem, uint32_t, items);
    placed_shape *placed = PAWL_CARVE(mem, placed_shape, items);
    item_motion *motion = PAWL_CARVE(mem, item_motion, items);
    double *speed = PAWL_CARVE(mem, double, items);
    double *inner = PAWL_CARVE(mem, double, items);
    double *outer = PAWL_CARVE(mem, double, items);
    pawl_vec3 *centre = PAWL_CARVE(mem, pawl_vec3, items);
    double *moved = PAWL_CARVE(mem, double, items);
    bool *resting = PAWL_CARVE(mem, bool, items);
    bool *settled = PAWL_CARVE(mem, bool, items);
    bool *leaves = PAWL_CARVE(mem, bool, items);
    int *boxed = PAWL_CARVE(mem, int, items);
    int *endless = PAWL_CARVE(mem, int, items);
    broad_box *boxes = PAWL_CARVE(mem, broad_box, items);
    broad_box *swept = PAWL_CARVE(mem, broad_box, items);
    int filters = model->joint_count + def->excluded_count;
    uint64_t *filtered = PAWL_CARVE(mem, uint64_t, 2 * filters);
    broad_phase tree = {0};
    pawl_broad_phase_layout(&tree, items, mem);
    if (c != NULL) {
        *c = (collider){.model = model,
                        .shape = shape,
                        .group = group,
                        .mask = mask,
                        .placed = placed,
                        .motion = motion,
                        .speed = speed,
                        .inner = inner,
                        .outer = outer,
                        .centre = centre,
                        .moved = moved,
                        .resting = resting,
                        .settled = settled,
                        .leaf_rests = leaves,
                        .boxed = boxed,
                        .endless = endless,
                        .boxes = boxes,
                        .swept = swept,
                        .tree = tree,
                        .filtered = filtered,
                        .bytes = mem->capacity};
    }
    return c;
}

static void collider_fill_filters(collider *c, const collider_def *def)
{
    int count = 0;
    for (int j = 0; j < c->model->joint_count; ++j) {
        const model_joint *joint = &c->model->joints[j];
        if (collider_joint_filters(def, joint)) {
            c->filtered[count++] = collider_body_key(joint->base, joint->follower);
        }
    }
    for (int i = 0; i < def->excluded_count; ++i) {
        c->filtered[count++] = collider_body_key(pawl_body_index(def->excluded[i].a),
                                                 pawl_body_index(def->excluded[i].b));
    }
    c->filtered_count = count;
    pawl_sort_keys(c->filtered, c->filtered + c->model->joint_count + def->excluded_count, count);
}

static pawl_status collider_fill_items(collider *c, const collider_def *def)
{
    for (int s = 0; s < c->model->shape_count; ++s) {
        const pawl_shape_def *shape = &c->model->shapes[s].def;
        if (shape->visual_only) {
            continue;
        }
        int item = c->item_count++;
        c->shape[item] = s;
        c->group[item] = def->group != NULL ? def->group[s] : 1u;
        c->mask[item] = def->mask != NULL ? def->mask[s] : ~0u;
        // Hulls, meshes and grids are made once, in the axes of the shape; a step moves the frame alone.
        PAWL_TRY(pawl_shape_build(&c->env, shape, shape->frame, s, &c->placed[item]));
        if (shape->kind == PAWL_SHAPE_HEIGHTFIELD) {
            height_grid *grid;
            PAWL_TRY(pawl_height_grid_create(&c->env, &c->model->heightfields[shape->heightfield],
                                             &grid));
            c->placed[item].grid = grid;
        }
        c->inner[item] = pawl_shape_inner_radius(&c->placed[item]);
        c->outer[item] = pawl_shape_bounding_radius(&c->placed[item]);
        if (shape_is_endless(&c->placed[item])) {
            c->endless[c->endless_count++] = item;
        } else {
            c->boxed[c->boxed_count++] = item;
        }
    }
    c->tree.count = c->boxed_count;
    return PAWL_OK;
}

pawl_status pawl_collider_create(const pawl_env *env, const pawl_model *model,
                                 const collider_def *def, collider **out)
{
    *out = NULL;
    int items = 0;
    for (int s = 0; s < model->shape_count; ++s) {
        items += !model->shapes[s].def.visual_only;
    }
    pawl_carver need = {0};
    collider_layout(model, def, items, &need);
    pawl_carver mem = {.base = pawl_alloc(env, need.used), .capacity = need.used};
    if (mem.base == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "collision detection needs %zu bytes", need.used);
    }
    collider *c = collider_layout(model, def, items, &mem);
    c->env = *env;
    collider_fill_filters(c, def);
    pawl_status status = collider_fill_items(c, def);
    c->team = items >= COLLIDER_FEW_ITEMS ? def->team : NULL;
    if (status != PAWL_OK) {
        pawl_collider_destroy(c);
        return status;
    }
    *out = c;
    return PAWL_OK;
}

void pawl_collider_destroy(collider *c)
{
    if (c == NULL) {
        return;
    }
    pawl_env env = c->env;
    for (int i = 0; i < c->item_count; ++i) {
        // both were made here
        pawl_shape_unbuild(&env, &c->placed[i]);
        pawl_height_grid_destroy(&env, (height_grid *)(uintptr_t)c->placed[i].grid);
    }
    pawl_free(&env, c->found, (size_t)c->found_capacity * sizeof *c->found);
    pawl_free(&env, c->pairs, (size_t)c->pair_capacity * 2 * sizeof *c->pairs);
    pawl_free(&env, c->contacts, (size_t)c->contact_capacity * sizeof *c->contacts);
    pawl_free(&env, c, c->bytes);
}

// Binary search. The list has an entry for each joint and each exclusion, most models have few.
static bool collider_is_filtered(const collider *c, int body_a, int body_b)
{
    const model_body *bodies = c->model->bodies;
    if (body_a >= 0 && body_b >= 0 && bodies[body_a].family != 0 &&
        bodies[body_a].family == bodies[body_b].family) {
        return true;
    }
    uint64_t key = collider_body_key(body_a, body_b);
    int low = 0, high = c->filtered_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (c->filtered[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < c->filtered_count && c->filtered[low] == key;
}

static bool collider_is_fixed(const collider *c, int body)
{
    return body == PAWL_WORLD_INDEX || c->model->bodies[body].kind == PAWL_BODY_KINEMATIC;
}

// Groups and masks have to agree in both directions, and one of the two bodies has to be able to move.
bool pawl_collider_may_touch(const collider *c, int i, int j)
{
    int a = pawl_body_index(c->model->shapes[c->shape[i]].body),
        b = pawl_body_index(c->model->shapes[c->shape[j]].body);
    return a != b && (c->group[i] & c->mask[j]) != 0 && (c->group[j] & c->mask[i]) != 0 &&
           !(collider_is_fixed(c, a) && collider_is_fixed(c, b)) && !collider_is_filtered(c, a, b);
}

// Shapes are given in the link frame of a body, body states at its centre of mass; hence from_com.
pawl_pose pawl_collider_frame(const collider *c, const body_state *bodies, int item)
{
    const pawl_shape_info *info = &c->model->shapes[c->shape[item]];
    pawl_pose frame = info->def.frame;
    if (pawl_body_index(info->body) != PAWL_WORLD_INDEX) {
        const body_state *b = &bodies[pawl_body_index(info->body)];
        pawl_vec3 from_com =
            v3_sub(frame.position, c->model->bodies[pawl_body_index(info->body)].com);
        frame.position = v3_add(b->r, pawl_quat_rotate(b->q, from_com));
        frame.orientation = quat_mul(b->q, frame.orientation);
    }
    return frame;
}

// Velocity of the frame's origin and angular velocity, in world axes.
static item_motion collider_motion(const collider *c, const body_state *bodies, int item,
                                   pawl_vec3 position)
{
    int body = pawl_body_index(c->model->shapes[c->shape[item]].body);
    if (body == PAWL_WORLD_INDEX) {
        return (item_motion){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    }
    const body_state *b = &bodies[body];
    return (item_motion){v3_add(b->v, v3_cross(b->w, v3_sub(position, b->r))), b->w};
}

static void collider_place(collider *c, const body_state *bodies, int item)
{
    placed_shape *s = &c->placed[item];
    pawl_pose frame = pawl_collider_frame(c, bodies, item);
    s->position = frame.position;
    s->axes = quat_matrix(frame.orientation);
    c->motion[item] = collider_motion(c, bodies, item, frame.position);
    // A plane has no fastest point: it counts in the sweeps of others, never itself.
    const item_motion *m = &c->motion[item];
    c->speed[item] = v3_norm(m->v) + v3_norm(m->w) * c->outer[item];
}

// The fastest point of a shape of this radius about `a`, seen from a frame that moves like m, with its
// origin at `b`: there the two differ by a velocity and by `spin`.
static inline double collider_fastest(pawl_vec3 a, const item_motion *own, double radius,
                                      pawl_vec3 b, const item_motion *m, double spin)
{
    pawl_vec3 at_point = v3_add(m->v, v3_cross(m->w, v3_sub(a, b)));
    return v3_norm(v3_sub(own->v, at_point)) + spin * radius;
}

// Of the two shapes either may be the one that moves. A point of a plane may be anywhere, so that it is
// the other.
static inline double collider_approach(pawl_vec3 a, const item_motion *ma, double radius_a,
                                       pawl_vec3 b, const item_motion *mb, double radius_b)
{
    double spin = v3_norm(v3_sub(ma->w, mb->w)), of_a = INFINITY, of_b = INFINITY;
    if (radius_a < INFINITY) {
        of_a = collider_fastest(a, ma, radius_a, b, mb, spin);
    }
    if (radius_b < INFINITY) {
        of_b = collider_fastest(b, mb, radius_b, a, ma, spin);
    }
    return of_a < of_b ? of_a : of_b;
}

// Upper bound [m/s] of the speed at which two items come closer.
double pawl_collider_approach(const collider *c, const body_state *bodies, int i, int j)
{
    pawl_vec3 a = pawl_collider_frame(c, bodies, i).position;
    pawl_vec3 b = pawl_collider_frame(c, bodies, j).position;
    item_motion ma = collider_motion(c, bodies, i, a), mb = collider_motion(c, bodies, j, b);
    return collider_approach(a, &ma, c->outer[i], b, &mb, c->outer[j]);
}

// A bound of how much of the gap between two items their motion can close within the step. Contacts are looked for up to that
// distance beyond the margin, so that a row exists before shapes overlap, however fast they are.
static double collider_reach(const collider *c, int i, int j)
{
    return c->dt * collider_approach(c->placed[i].position, &c->motion[i], c->outer[i],
                                     c->placed[j].position, &c->motion[j], c->outer[j]);
}

static bool collider_is_of_world(const collider *c, int item)
{
    return pawl_body_index(c->model->shapes[c->shape[item]].body) == PAWL_WORLD_INDEX;
}

// Boxes as they are, with the reach of the pair added.
static bool collider_boxes_overlap(const broad_box *a, const broad_box *b, double reach)
{
    for (int k = 0; k < 3; ++k) {
        if (v3_get(a->low, k) > v3_get(b->high, k) + reach ||
            v3_get(b->low, k) > v3_get(a->high, k) + reach) {
            return false;
        }
    }
    return true;
}

// A box in world axes against a heightfield: the box around it in the field's axes.
static bool collider_box_overlaps_field(const broad_box *box, const placed_shape *field,
                                        double reach)
{
    pawl_vec3 half = v3_scale(0.5, v3_sub(box->high, box->low));
    pawl_vec3 middle = v3_sub(v3_axpy(box->low, 1.0, half), field->position), low, high;
    for (int k = 0; k < 3; ++k) {
        pawl_vec3 axis = m3_column(&field->axes, k);
        double at = v3_dot(axis, middle);
        double wide = fabs(axis.x) * half.x + fabs(axis.y) * half.y + fabs(axis.z) * half.z;
        v3_set(&low, k, at - wide);
        v3_set(&high, k, at + wide);
    }
    return pawl_height_grid_reaches(field->grid, low, high, reach);
}

// A plane is the half space below its z axis. Of a box the corner that is farthest down that axis decides.
static bool collider_box_overlaps(const broad_box *box, const placed_shape *plane, double reach)
{
    if (plane->kind == PAWL_SHAPE_HEIGHTFIELD) {
        return collider_box_overlaps_field(box, plane, reach);
    }
    pawl_vec3 up = m3_column(&plane->axes, 2);
    pawl_vec3 lowest =
        v3(up.x > 0.0 ? box->low.x : box->high.x, up.y > 0.0 ? box->low.y : box->high.y,
           up.z > 0.0 ? box->low.z : box->high.z);
    return v3_dot(up, v3_sub(lowest, plane->position)) <= reach;
}

// Makes room for at least `count`, by doubling; the first `kept` stay.
static pawl_status collider_grow(collider *c, void **block, int *capacity, int count, size_t size,
                                 int kept)
{
    int wanted = *capacity > 0 ? *capacity : 64;
    while (wanted < count) {
        wanted *= 2;
    }
    void *fresh = pawl_alloc(&c->env, (size_t)wanted * size);
    if (fresh == NULL) {
        return PAWL_FAIL(&c->env, PAWL_NO_MEMORY, "no memory for %d colliding pairs of shapes",
                         wanted);
    }
    if (kept > 0) {
        memcpy(fresh, *block, (size_t)kept * size);
    }
    pawl_free(&c->env, *block, (size_t)*capacity * size);
    *block = fresh;
    *capacity = wanted;
    ++c->grown;
    return PAWL_OK;
}

static pawl_status collider_grow_contacts(collider *c, int count)
{
    void *block = c->contacts;
    PAWL_TRY(collider_grow(c, &block, &c->contact_capacity, count, sizeof *c->contacts,
                           c->contact_count));
    c->contacts = block;
    return PAWL_OK;
}

// Turns pairs of the tree's boxes into pairs of items that may touch, in place. The tree was searched with boxes that were swept
// by each item's own motion; here the relative motion of the pair counts, which is less for bodies that move together.
static int collider_keep(collider *c, int found, double margin)
{
    int kept = 0;
    for (int k = 0; k < found; ++k) {
        int p = (int)(c->pairs[k] >> 32), q = (int)(c->pairs[k] & 0xffffffffu);
        int i = c->boxed[p], j = c->boxed[q];
        if (pawl_collider_may_touch(c, i, j) &&
            collider_boxes_overlap(&c->boxes[p], &c->boxes[q], margin + collider_reach(c, i, j))) {
            c->pairs[kept++] = (uint64_t)i << 32 | (uint64_t)j; // boxed is ascending: i < j
        }
    }
    return kept;
}

// Continues to count beyond the capacity, so that the caller knows the required size.
static int collider_add_endless(collider *c, int count, double margin)
{
    for (int p = 0; p < c->endless_count; ++p) {
        int plane = c->endless[p];
        bool fixed = collider_is_of_world(c, plane);
        for (int k = 0; k < c->boxed_count; ++k) {
            int item = c->boxed[k];
            if (c->any_resting && c->resting[item] && c->resting[plane]) {
                continue;
            }
            // For the world's planes the speed of an item is its own.
            double reach =
                margin + (fixed ? c->dt * c->speed[item] : collider_reach(c, item, plane));
            if (!collider_box_overlaps(&c->boxes[k], &c->placed[plane], reach) ||
                !pawl_collider_may_touch(c, item, plane)) {
                continue;
            }
            if (count < c->pair_capacity) {
                uint64_t i = (uint64_t)(item < plane ? item : plane);
                uint64_t j = (uint64_t)(item < plane ? plane : item);
                c->pairs[count] = i << 32 | j;
            }
            ++count;
        }
    }
    return count;
}

// The velocity of the frame in which boxes are swept: the mean of all items, or 0 if they move less relative to the
// world. Bodies that fly, drive or fall together then have short sweeps, and few pairs that never touch.
static pawl_vec3 collider_common(const collider *c)
{
    pawl_vec3 mean = v3(0.0, 0.0, 0.0);
    for (int k = 0; k < c->boxed_count; ++k) {
        mean = v3_axpy(mean, 1.0 / c->boxed_count, c->motion[c->boxed[k]].v);
    }
    double here = 0.0, there = 0.0;
    for (int k = 0; k < c->boxed_count; ++k) {
        pawl_vec3 v = c->motion[c->boxed[k]].v;
        here += v3_norm(v);
        there += v3_norm(v3_sub(v, mean));
    }
    return there < here ? mean : v3(0.0, 0.0, 0.0);
}

// Half of the margin on each side of a pair makes the whole. Rotation is bounded by the circle of the shape's
// farthest point.
// boxes: around the shapes as they are. swept: larger by half the margin and by what the fastest point of the
// shape travels within the step, relative to the common velocity of all. Two shapes that can touch have swept
// boxes that overlap.
static void collider_sweep(collider *c, double margin)
{
    // Boxes that are kept from run to run belong to the frame of the world.
    bool swept = c->dt > 0.0 && c->still == NULL;
    pawl_vec3 common = swept ? collider_common(c) : v3(0.0, 0.0, 0.0);
    for (int k = 0; k < c->boxed_count; ++k) {
        const placed_shape *s = &c->placed[c->boxed[k]];
        // Boxes of fixed shapes do not depend on the step.
        if (c->settled[c->boxed[k]] && c->box_margin == margin) {
            continue;
        }
        const item_motion *m = &c->motion[c->boxed[k]];
        pawl_shape_bounds(s, &c->boxes[k].low, &c->boxes[k].high);
        double speed = v3_norm(v3_sub(m->v, common)) + v3_norm(m->w) * c->outer[c->boxed[k]];
        double more = 0.5 * margin + c->dt * speed;
        c->swept[k].low = v3_sub(c->boxes[k].low, v3(more, more, more));
        c->swept[k].high = v3_add(c->boxes[k].high, v3(more, more, more));
    }
    c->box_margin = margin;
}

void pawl_collider_rest(collider *c, const bool *still)
{
    c->still = still;
    memset(c->settled, 0, (size_t)c->item_count * sizeof *c->settled);
}

// Which items are at rest. One that was so in the last run is where it was placed then.
static void collider_find_rest(collider *c, const body_state *bodies)
{
    c->any_resting = false;
    for (int i = 0; i < c->item_count; ++i) {
        int body = pawl_body_index(c->model->shapes[c->shape[i]].body);
        bool rests = body == PAWL_WORLD_INDEX || c->still[body];
        c->settled[i] = rests && c->resting[i] && c->settled[i];
        c->resting[i] = rests;
        c->any_resting = c->any_resting || (rests && body != PAWL_WORLD_INDEX);
        if (!c->settled[i]) {
            collider_place(c, bodies, i);
        }
    }
    for (int k = 0; k < c->boxed_count; ++k) {
        c->leaf_rests[k] = c->resting[c->boxed[k]];
    }
}

// All places and boxes of this run are known to the next.
static void collider_settle(collider *c)
{
    for (int i = 0; i < c->item_count && c->still != NULL; ++i) {
        c->settled[i] = c->resting[i];
    }
}

// Pairs are sorted at the end: their order, and with it that of contacts and rows, must not depend on the shape of
// the tree.
static pawl_status collider_find_pairs(collider *c, double margin)
{
    for (;;) {
        int found = pawl_broad_phase_search(
            &c->tree, c->swept, c->any_resting ? c->leaf_rests : NULL, c->pairs, c->pair_capacity);
        int wanted = found;
        if (found <= c->pair_capacity) {
            wanted = collider_add_endless(c, collider_keep(c, found, margin), margin);
            if (wanted <= c->pair_capacity) {
                c->pair_count = wanted;
                break;
            }
        }
        void *block = c->pairs;
        PAWL_TRY(collider_grow(c, &block, &c->pair_capacity, wanted, 2 * sizeof *c->pairs, 0));
        c->pairs = block;
        c->pair_scratch = c->pairs + c->pair_capacity;
    }
    if (c->pair_count > 0) {
        pawl_sort_keys(c->pairs, c->pair_scratch, c->pair_count);
    }
    return PAWL_OK;
}

static int collider_manifolds(const collider *c, int pair, double margin, contact_manifold *found,
                              int most)
{
    int i = (int)(c->pairs[pair] >> 32), j = (int)(c->pairs[pair] & 0xffffffffu);
    return pawl_collide_shapes(&c->placed[i], &c->placed[j], margin + collider_reach(c, i, j),
                               found, most);
}

// As many contacts as a pair has manifolds.
static pawl_status collider_add(collider *c, int pair, const contact_manifold *found, int count)
{
    int i = (int)(c->pairs[pair] >> 32), j = (int)(c->pairs[pair] & 0xffffffffu);
    if (c->contact_count + count > c->contact_capacity) {
        PAWL_TRY(collider_grow_contacts(c, c->contact_count + count));
    }
    for (int k = 0; k < count; ++k) {
        c->contacts[c->contact_count++] =
            (shape_contact){.shape_a = c->shape[i], .shape_b = c->shape[j], .manifold = found[k]};
        c->point_count += found[k].count;
    }
    return PAWL_OK;
}

// The narrow phase of one pair.
static pawl_status collider_collide(collider *c, int pair, double margin)
{
    contact_manifold found[MANIFOLDS_A_PAIR];
    return collider_add(c, pair, found,
                        collider_manifolds(c, pair, margin, found, MANIFOLDS_A_PAIR));
}

// Surfaces, which may have many manifolds with one other shape.
static bool collider_is_surface(const collider *c, int item)
{
    pawl_shape_kind kind = c->model->shapes[c->shape[item]].def.kind;
    return kind == PAWL_SHAPE_HEIGHTFIELD || kind == PAWL_SHAPE_MESH;
}

// A block of pairs, by any thread: it writes only the results of these pairs.
static void collider_task(void *user, int worker, int item)
{
    collider *c = user;
    (void)worker;
    int end =
        (item + 1) * COLLIDER_BLOCK < c->pair_count ? (item + 1) * COLLIDER_BLOCK : c->pair_count;
    for (int k = item * COLLIDER_BLOCK; k < end; ++k) {
        int i = (int)(c->pairs[k] >> 32), j = (int)(c->pairs[k] & 0xffffffffu);
        bool convex = !collider_is_surface(c, i) && !collider_is_surface(c, j);
        c->found[k].count =
            convex ? collider_manifolds(c, k, c->margin, &c->found[k].manifold, 1) : -1;
    }
}

// The narrow phase of all pairs by several threads. Contacts are put together in the order of their pairs, so that
// they are the same for any number of them.
static pawl_status collider_share(collider *c, double margin)
{
    if (c->pair_count > c->found_capacity) {
        void *block = c->found;
        PAWL_TRY(
            collider_grow(c, &block, &c->found_capacity, c->pair_capacity, sizeof *c->found, 0));
        c->found = block;
    }
    c->margin = margin;
    pawl_thread_pool_run(c->team, (c->pair_count + COLLIDER_BLOCK - 1) / COLLIDER_BLOCK,
                         collider_task, c);
    for (int k = 0; k < c->pair_count; ++k) {
        const pair_found *found = &c->found[k];
        PAWL_TRY(found->count < 0 ? collider_collide(c, k, margin)
                                  : collider_add(c, k, &found->manifold, found->count));
    }
    return PAWL_OK;
}

// Boxes of rays, which have no margin and no motion.
void pawl_collider_place(collider *c, const body_state *bodies)
{
    c->dt = 0.0;
    pawl_collider_rest(c, c->still);
    for (int i = 0; i < c->item_count; ++i) {
        collider_place(c, bodies, i);
    }
    collider_sweep(c, 0.0);
}

// Finds contacts at the poses of `bodies`, with gaps up to margin [m] plus what relative motion can close within
// dt [s]. Pairs are sorted before the narrow phase: the order of contacts does not depend on the tree.
pawl_status pawl_collider_run(collider *c, const body_state *bodies, double margin, double dt)
{
    c->pair_count = c->contact_count = c->point_count = 0;
    c->dt = dt;
    if (c->still != NULL) {
        collider_find_rest(c, bodies);
    } else {
        for (int i = 0; i < c->item_count; ++i) {
            collider_place(c, bodies, i);
        }
    }
    collider_sweep(c, margin);
    collider_settle(c);
    PAWL_TRY(collider_find_pairs(c, margin));
    if (c->pair_count > c->contact_capacity) {
        PAWL_TRY(collider_grow_contacts(c, c->pair_count));
    }
    if (c->team != NULL && c->pair_count >= COLLIDER_MANY) {
        return collider_share(c, margin);
    }
    for (int k = 0; k < c->pair_count; ++k) {
        PAWL_TRY(collider_collide(c, k, margin));
    }
    return PAWL_OK;
}
