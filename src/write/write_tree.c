// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A spanning tree over the joints, grown from the world and the kinematic bodies (Prim's algorithm): of the joints to
// a new body the one of the lowest cost is added next. Bodies that no joint reaches are separate roots.
#include "write/model_writer.h"
#include <limits.h>

typedef struct tree_growth {
    bool *reached; // (bodies)
    int count;     // of bodies in the order so far
    write_cost *cost;
    bool may_reverse;
} tree_growth;

static void tree_add(model_writer *w, tree_growth *g, int body, int joint, int parent,
                     bool reversed)
{
    write_tree *t = &w->tree;
    t->joint[body] = joint;
    t->parent[body] = parent;
    t->reversed[body] = reversed;
    t->order[g->count++] = body;
    g->reached[body] = true;
    if (joint >= 0) {
        t->inside[joint] = true;
    }
}

static bool tree_has(const tree_growth *g, int body)
{
    return body < 0 || g->reached[body];
}

// The cheapest joint between what is reached and what is not; false where there is none.
static bool tree_grow(model_writer *w, tree_growth *g)
{
    int best = INT_MAX, joint = -1, body = -1, parent = -1;
    bool reversed = false;
    for (int j = 0; j < w->joint_count; ++j) {
        pawl_joint_info info = write_joint(w, j);
        if (info.kind == PAWL_JOINT_GEAR) {
            continue;
        }
        int base = pawl_body_index(info.base), follower = pawl_body_index(info.follower);
        bool forward = tree_has(g, base) && !tree_has(g, follower);
        bool back = g->may_reverse && tree_has(g, follower) && !tree_has(g, base);
        int cost = forward || back ? g->cost(w, &info, j) : -1;
        if (back && info.kind != PAWL_JOINT_REVOLUTE && info.kind != PAWL_JOINT_PRISMATIC) {
            continue;
        }
        cost = 2 * cost + (back ? 1 : 0);
        if (cost >= 0 && cost < best) {
            best = cost;
            joint = j;
            body = forward ? follower : base;
            parent = forward ? base : follower;
            reversed = back;
        }
    }
    if (joint >= 0) {
        tree_add(w, g, body, joint, parent, reversed);
    }
    return joint >= 0;
}

// A body to begin a new tree with: one that no joint leads to from a body that is not reached yet.
static int tree_next_root(model_writer *w, const tree_growth *g)
{
    int first = -1;
    for (int b = 0; b < w->body_count; ++b) {
        if (g->reached[b]) {
            continue;
        }
        first = first < 0 ? b : first;
        bool led = false;
        for (int j = 0; j < w->joint_count && !led; ++j) {
            pawl_joint_info info = write_joint(w, j);
            led = info.kind != PAWL_JOINT_GEAR && pawl_body_index(info.follower) == b &&
                  g->cost(w, &info, j) >= 0;
        }
        if (!led) {
            return b;
        }
    }
    return first;
}

pawl_status write_tree_make(model_writer *w, write_cost *cost, bool may_reverse)
{
    size_t bytes = (size_t)w->body_count * sizeof(bool) + 1;
    tree_growth g = {
        .reached = pawl_alloc(w->env, bytes), .cost = cost, .may_reverse = may_reverse};
    if (g.reached == NULL) {
        return PAWL_FAIL(w->env, PAWL_NO_MEMORY, "no memory for the tree of %d bodies",
                         w->body_count);
    }
    for (int b = 0; b < w->body_count; ++b) {
        if (write_body(w, b).kind == PAWL_BODY_KINEMATIC) {
            tree_add(w, &g, b, -1, -1, false);
        }
    }
    while (g.count < w->body_count) {
        if (!tree_grow(w, &g)) {
            tree_add(w, &g, tree_next_root(w, &g), -1, -1, false);
        }
    }
    pawl_free(w->env, g.reached, bytes);
    return PAWL_OK;
}
