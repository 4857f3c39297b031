// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The spanning tree has the most rows (Kruskal), because its constraints need not be solved for. The ground is the
// world together with all kinematic bodies; parts that no chain of joints connects to it have a floating base, their
// first body.
//
// A link is a body in the tree, numbered from the ground outwards; a column is one generalized
// coordinate. Joints outside the tree close loops and remain constraints. Reversed joints are
// passed from the follower to the base. Ties go to the joint with the smaller index, so that the
// tree is reproducible.
#include "tree/tree.h"
#include "base/carver.h"
#include "model/softness.h"

typedef struct tree_part {
    int axis;
    double turn, slide;
} tree_part;

typedef struct tree_kind {
    int count;
    bool ball; // the last three are a ball
    tree_part parts[6];
} tree_kind;

// The columns of each kind, in the order of its coordinates. Kinds without a row here stay constraints.
static const tree_kind tree_kinds[PAWL_JOINT_KIND_COUNT] = {
    [PAWL_JOINT_REVOLUTE] = {1, false, {{0, 1, 0}}},
    [PAWL_JOINT_PRISMATIC] = {1, false, {{0, 0, 1}}},
    [PAWL_JOINT_CYLINDRICAL] = {2, false, {{0, 0, 1}, {0, 1, 0}}},
    [PAWL_JOINT_UNIVERSAL] = {2, false, {{0, 1, 0}, {1, 1, 0}}},
    [PAWL_JOINT_SPHERICAL] = {3, true, {{0, 1, 0}, {1, 1, 0}, {2, 1, 0}}},
    [PAWL_JOINT_PLANAR] = {3, false, {{1, 0, 1}, {2, 0, 1}, {0, 1, 0}}},
    [PAWL_JOINT_CARTESIAN] = {3, false, {{0, 0, 1}, {1, 0, 1}, {2, 0, 1}}},
    [PAWL_JOINT_GIMBAL] = {3, false, {{0, 1, 0}, {1, 1, 0}, {2, 1, 0}}},
    [PAWL_JOINT_SCREW] = {1, false, {{0, 1, 1}}}, // its slide is the pitch
};
static const tree_kind tree_floating = {
    6, true, {{0, 0, 1}, {1, 0, 1}, {2, 0, 1}, {0, 1, 0}, {1, 1, 0}, {2, 1, 0}}};
static const tree_kind tree_floating_euler = {
    6, false, {{0, 0, 1}, {1, 0, 1}, {2, 0, 1}, {2, 1, 0}, {1, 1, 0}, {0, 1, 0}}};
static const tree_kind tree_floating_point = {3, false, {{0, 0, 1}, {1, 0, 1}, {2, 0, 1}}};

// Scratch of the search, with one more body for the ground.
typedef struct tree_search {
    const pawl_model *model;
    const bool *wanted; // (joints) NULL: none is preferred
    int *set;           // (bodies + 1) union and find
    bool *in_tree;      // (joints)
    int *order;         // (bodies) body of each link
    int *via;           // (bodies) joint by which a body hangs on its parent, -1: none
    int *parent;        // (bodies) body; -1: the world
    bool *placed;       // (bodies)
    int count;          // of placed bodies
} tree_search;

static bool tree_is_ground(const pawl_model *m, int body)
{
    return body < 0 || m->bodies[body].kind == PAWL_BODY_KINEMATIC;
}

static bool tree_is_point(const pawl_model *m, int body)
{
    return body >= 0 && m->bodies[body].kind == PAWL_BODY_POINT;
}

// Soft joints may open, and point masses have no orientation: both stay constraints.
static bool tree_may_take(const pawl_model *m, const model_joint *j)
{
    bool kind = j->kind == PAWL_JOINT_FIXED || tree_kinds[j->kind].count > 0;
    return kind && !pawl_is_soft(&j->soft) && !tree_is_point(m, j->base) &&
           !tree_is_point(m, j->follower);
}

static int tree_first(int *set, int body)
{
    while (set[body] != body) {
        set[body] = set[set[body]];
        body = set[body];
    }
    return body;
}

// Takes a joint unless its bodies are tied together already.
static void tree_join(tree_search *s, int joint)
{
    const model_joint *j = &s->model->joints[joint];
    int a = tree_first(s->set, j->base < 0 ? s->model->body_count : j->base);
    int b = tree_first(s->set, j->follower);
    s->in_tree[joint] = a != b;
    s->set[a] = b;
}

// All kinematic bodies are one node with the world: a joint between two of them is never in the
// tree. Joints without rows are left out; a free body gets its six columns anyway.
static void tree_choose_joints(tree_search *s)
{
    const pawl_model *m = s->model;
    for (int i = 0; i <= m->body_count; ++i) {
        s->set[i] = i < m->body_count && tree_is_ground(m, i) ? m->body_count : i;
    }
    for (int pass = s->wanted == NULL ? 1 : 0; pass < 2; ++pass) { // those that are wanted first
        for (int rows = 6; rows > 0; --rows) {
            for (int k = 0; k < m->joint_count; ++k) {
                const model_joint *j = &m->joints[k];
                bool turn = s->wanted == NULL || s->wanted[k] == (pass == 0);
                if (turn && j->row_count == rows && tree_may_take(m, j)) {
                    tree_join(s, k);
                }
            }
        }
    }
}

static void tree_place(tree_search *s, int body, int parent, int via)
{
    s->order[s->count++] = body;
    s->placed[body] = true;
    s->parent[body] = parent;
    s->via[body] = via;
}

// Places all that hangs on the body (or, -1, on the world), one joint away.
static void tree_place_children(tree_search *s, int body)
{
    const pawl_model *m = s->model;
    for (int k = 0; k < m->joint_count; ++k) {
        const model_joint *j = &m->joints[k];
        if (!s->in_tree[k]) {
            continue;
        }
        if (j->base == body && !s->placed[j->follower]) {
            tree_place(s, j->follower, body, k);
        } else if (j->follower == body && j->base >= 0 && !s->placed[j->base]) {
            tree_place(s, j->base, body, k);
        }
    }
}

// Breadth first: kinematic bodies, what hangs on the world, then their children. When nothing is
// left to follow, the first body not yet placed becomes the root of a floating part.
static void tree_order_bodies(tree_search *s)
{
    const pawl_model *m = s->model;
    int done = 0;
    for (int i = 0; i < m->body_count; ++i) {
        if (tree_is_ground(m, i)) {
            tree_place(s, i, -1, -1);
        }
    }
    tree_place_children(s, -1);
    for (int i = 0; i <= m->body_count; ++i) {
        while (done < s->count) {
            tree_place_children(s, s->order[done++]);
        }
        if (i < m->body_count && !s->placed[i]) {
            tree_place(s, i, -1, -1);
        }
    }
}

// The connection of a body to its parent: its columns, and whether the joint is reversed.
//
// REDUCED_BASE_NO_LOCK replaces gimbals by balls, whose chart has no lock.
static const tree_kind *tree_kind_of(const tree_search *s, reduced_base base, int body)
{
    static const tree_kind rigid = {0, false, {{0, 0, 0}}};
    if (tree_is_ground(s->model, body)) {
        return &rigid;
    }
    if (s->via[body] >= 0) {
        pawl_joint_kind kind = s->model->joints[s->via[body]].kind;
        bool ball = kind == PAWL_JOINT_GIMBAL && base == REDUCED_BASE_NO_LOCK;
        return &tree_kinds[ball ? PAWL_JOINT_SPHERICAL : kind];
    }
    if (tree_is_point(s->model, body)) {
        return &tree_floating_point;
    }
    return base == REDUCED_BASE_EULER ? &tree_floating_euler : &tree_floating;
}

static void tree_set_frames(reduced_tree *t, reduced_link *l)
{
    pawl_quat one = {.w = 1.0};
    l->parent_anchor = l->child_anchor = v3(0.0, 0.0, 0.0);
    l->parent_turn = l->child_turn = one;
    if (l->joint < 0) {
        if (tree_is_point(t->model, l->body)) { // a point mass keeps the orientation of its start
            l->child_turn = quat_conj(t->model->bodies[l->body].start_pose.orientation);
        }
        return;
    }
    const model_joint *j = &t->model->joints[l->joint];
    l->parent_anchor = l->reversed ? j->follower_anchor : j->base_anchor;
    l->parent_turn = l->reversed ? j->follower_turn : j->base_turn;
    l->child_anchor = l->reversed ? j->base_anchor : j->follower_anchor;
    l->child_turn = l->reversed ? j->base_turn : j->follower_turn;
}

// The inverse of a chain is the chain of the inverses from its end. A ball keeps its order: its chart is
// that of the child seen from the parent, whichever way the joint runs.
//
// factor_row: row k of H has depth + 1 entries, those on its path to the root.
static void tree_add_columns(reduced_tree *t, reduced_link *l, const tree_kind *kind)
{
    const model_joint *j = l->joint < 0 ? NULL : &t->model->joints[l->joint];
    bool turn_round = l->reversed && !kind->ball;
    l->first_column = t->column_count;
    l->column_count = kind->count;
    for (int k = 0; k < kind->count; ++k) {
        int own = turn_round ? kind->count - 1 - k : k;
        tree_part part = kind->parts[own];
        double sign = turn_round ? -1.0 : 1.0;
        double slide = j != NULL && j->kind == PAWL_JOINT_SCREW ? j->pitch : part.slide;
        bool in_ball = kind->ball && k >= kind->count - 3;
        if (in_ball && k == kind->count - 3) {
            t->ball_column[t->ball_count++] = t->column_count;
        }
        reduced_column *c = &t->columns[t->column_count];
        *c = (reduced_column){.parent = l->last_column,
                              .link = (int)(l - t->links),
                              .ball = in_ball ? t->ball_count - 1 : -1,
                              .axis = part.axis,
                              .turn = sign * part.turn,
                              .slide = sign * slide,
                              .coordinate = -1};
        if (j != NULL && !in_ball) {
            c->coordinate = j->first_coordinate + own;
        }
        c->depth = c->parent < 0 ? 0 : t->columns[c->parent].depth + 1;
        t->factor_row[t->column_count] = t->factor_size;
        t->factor_size += c->depth + 1;
        l->last_column = t->column_count++;
    }
}

// parent_turn (cos + sin e) child_turn^-1 with e the axis of the column, multiplied out.
static void tree_set_hinge(const reduced_tree *t, reduced_link *l)
{
    const reduced_column *c = &t->columns[l->first_column];
    l->hinged = l->column_count == 1 && c->ball < 0;
    if (l->hinged) {
        pawl_quat e = {.x = c->axis == 0, .y = c->axis == 1, .z = c->axis == 2};
        l->axis = pawl_quat_rotate(l->parent_turn, v3(e.x, e.y, e.z));
        l->still = quat_mul(l->parent_turn, quat_conj(l->child_turn));
        l->turned = quat_mul(quat_mul(l->parent_turn, e), quat_conj(l->child_turn));
    }
}

static void tree_fill(reduced_tree *t, const tree_search *s)
{
    const pawl_model *m = t->model;
    t->link_count = m->body_count;
    t->column_count = t->ball_count = t->loop_joint_count = t->factor_size = 0;
    for (int i = 0; i < t->link_count; ++i) {
        int body = s->order[i], parent = s->parent[body], via = s->via[body];
        reduced_link *l = &t->links[i];
        t->link_of_body[body] = i;
        *l = (reduced_link){.body = body,
                            .parent = parent < 0 ? -1 : t->link_of_body[parent],
                            .joint = via,
                            .driven = tree_is_ground(m, body),
                            .reversed = via >= 0 && m->joints[via].base == body};
        l->last_column = l->parent < 0 ? -1 : t->links[l->parent].last_column;
        tree_set_frames(t, l);
        tree_add_columns(t, l, tree_kind_of(s, t->base, body));
        tree_set_hinge(t, l);
    }
    for (int k = 0; k < m->joint_count; ++k) {
        if (!s->in_tree[k]) {
            t->loop_joints[t->loop_joint_count++] = k;
        }
    }
}

static reduced_tree *tree_layout(const pawl_model *m, pawl_carver *mem)
{
    reduced_tree *t = PAWL_CARVE(mem, reduced_tree, 1);
    reduced_tree made = {.model = m};
    int bodies = m->body_count;
    made.links = PAWL_CARVE(mem, reduced_link, bodies);
    made.columns = PAWL_CARVE(mem, reduced_column, 6 * bodies);
    made.link_of_body = PAWL_CARVE(mem, int, bodies);
    made.ball_column = PAWL_CARVE(mem, int, bodies);
    made.factor_row = PAWL_CARVE(mem, int, 6 * bodies);
    made.loop_joints = PAWL_CARVE(mem, int, m->joint_count);
    if (t != NULL) {
        *t = made;
    }
    return t;
}

static void tree_search_layout(tree_search *s, pawl_carver *mem)
{
    int bodies = s->model->body_count;
    s->set = PAWL_CARVE(mem, int, bodies + 1);
    s->in_tree = PAWL_CARVE(mem, bool, s->model->joint_count);
    s->order = PAWL_CARVE(mem, int, bodies);
    s->via = PAWL_CARVE(mem, int, bodies);
    s->parent = PAWL_CARVE(mem, int, bodies);
    s->placed = PAWL_CARVE(mem, bool, bodies);
}

pawl_status pawl_reduced_tree_create(const pawl_env *env, const pawl_model *model,
                                     reduced_base base, reduced_tree **out)
{
    return pawl_reduced_tree_create_with(env, model, base, NULL, out);
}

pawl_status pawl_reduced_tree_create_with(const pawl_env *env, const pawl_model *model,
                                          reduced_base base, const bool *wanted, reduced_tree **out)
{
    PAWL_ASSERT(env != NULL && model != NULL && out != NULL);
    *out = NULL;
    if (model->velocity_count == 0) {
        return PAWL_FAIL(env, PAWL_UNSUPPORTED,
                         "%s: no body can move, so there are no generalized coordinates",
                         model->name);
    }
    pawl_carver need = {0}, scratch = {0};
    tree_search search = {.model = model, .wanted = wanted};
    tree_layout(model, &need);
    tree_search_layout(&search, &scratch);
    char *block = pawl_alloc(env, need.used);
    char *extra = block == NULL ? NULL : pawl_alloc(env, scratch.used);
    if (extra == NULL) {
        pawl_free(env, block, need.used);
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "the spanning tree needs %zu bytes",
                         need.used + scratch.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    pawl_carver spare = {.base = extra, .capacity = scratch.used};
    reduced_tree *t = tree_layout(model, &mem);
    tree_search_layout(&search, &spare);
    t->env = *env;
    t->bytes = need.used;
    t->base = base;
    tree_choose_joints(&search);
    tree_order_bodies(&search);
    tree_fill(t, &search);
    pawl_free(env, extra, scratch.used);
    *out = t;
    return PAWL_OK;
}

void pawl_reduced_tree_destroy(reduced_tree *tree)
{
    if (tree != NULL) {
        pawl_env env = tree->env;
        pawl_free(&env, tree, tree->bytes);
    }
}

bool pawl_reduced_tree_has_joint(const reduced_tree *tree, int joint)
{
    for (int i = 0; i < tree->link_count; ++i) {
        if (tree->links[i].joint == joint) {
            return true;
        }
    }
    return false;
}
