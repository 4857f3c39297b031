// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The plan: all rows that a model can have, their blocks and their bodies. It is made once and determines the size of
// memory. The plan runs twice with the same code: once to count (`p->a` is NULL), then to write into memory of that
// size. Counts and contents therefore always agree, and a step allocates nothing. Free rows come first, one block per
// joint and one per spring; bounded rows are only candidates, which a step may or may not assemble.
#include "base/carver.h"
#include "rows/families.h"
#include "rows/hinge_lanes.h"
#include "rows/row_build.h"
#include <string.h>

void pawl_row_plan_row(row_plan *p, row_info info)
{
    if (p->a != NULL) {
        p->a->rows[p->rows] = info;
    }
    ++p->rows;
}

// A block has one Jacobian (dim x 6) for each of its bodies, one behind the other. Without rows there is no block:
// joint_block stays -1.
void pawl_row_plan_block(row_plan *p, const row_family *family, int first_row, int joint,
                         const int *body, int body_count)
{
    int dim = p->rows - first_row;
    if (dim == 0) {
        return;
    }
    row_block block = {
        .rows = {first_row, dim}, .family = family, .joint = joint, .body_count = body_count};
    for (int k = 0; k < body_count; ++k) {
        block.body[k] = body[k];
        block.jacobian[k] = p->jacobian;
        p->jacobian += 6 * dim;
    }
    if (p->a != NULL) {
        p->a->blocks[p->blocks] = block;
        if (joint >= 0) {
            p->a->joint_block[joint] = p->blocks;
        }
    }
    ++p->blocks;
}

// Candidates get no block here, because their place in the problem differs from step to step (pawl_row_append()).
// Only room for their Jacobians is counted.
void pawl_row_plan_candidate(row_plan *p, row_info info)
{
    if (p->a != NULL) {
        p->a->candidates[p->candidates] = info;
    }
    ++p->candidates;
    p->jacobian += 2 * 6; // one row, at most two bodies
}

// All free rows of a joint, those of its springs, motions and actuators included, are one block: they touch the
// same bodies, and one dense block costs the factor less than several small ones.
static void plan_free_rows(row_plan *p)
{
    const pawl_model *m = p->model;
    p->joint_slot = p->slots.joints;
    for (int i = 0; i < m->joint_count; ++i) {
        int first = p->rows, body[BLOCK_MAX_BODIES];
        for (int f = 0; f < pawl_row_family_count; ++f) {
            if (pawl_row_families[f]->plan_joint != NULL) {
                pawl_row_families[f]->plan_joint(p, i);
            }
        }
        int count = pawl_joint_bodies(m, i, body);
        pawl_row_plan_block(p, &pawl_joint_rows_family, first, i, body, count);
    }
    for (int f = 0; f < pawl_row_family_count; ++f) {
        if (pawl_row_families[f]->plan_blocks != NULL) {
            pawl_row_families[f]->plan_blocks(p);
        }
    }
}

// In the order of the table, which is that of the rows in every problem.
static void plan_bounded_rows(row_plan *p)
{
    for (int f = 0; f < pawl_row_family_count; ++f) {
        if (pawl_row_families[f]->plan_bounded != NULL) {
            pawl_row_families[f]->plan_bounded(p);
        }
    }
}

// Union-find with path halving: the representative of the set that node k is in.
static int plan_root(int *parent, int k)
{
    while (parent[k] != k) {
        parent[k] = parent[parent[k]];
        k = parent[k];
    }
    return k;
}

// Whether gears may make rows depend on each other that are independent without them. Coordinates of hinges and
// sliders in a forest are independent; gears that form a forest over those have rows with an entry for a
// coordinate each that no other has, from the leaves on: of full rank, whatever masses and ratios are. Node 0 is
// all that motions drive.
static bool plan_gears_loop(const pawl_model *m, int *parent)
{
    for (int i = 0; i <= m->coordinate_count; ++i) {
        parent[i] = i;
    }
    for (int k = 0; k < m->motion_count; ++k) {
        const model_joint *j = &m->joints[pawl_joint_index(m->motions[k].joint)];
        // Coordinate c is node c + 1.
        parent[plan_root(parent, 1 + j->first_coordinate + m->motions[k].coordinate)] = 0;
    }
    for (int i = 0; i < m->joint_count; ++i) {
        const pawl_gear_def *gear = &m->joints[i].gear;
        if (m->joints[i].kind != PAWL_JOINT_GEAR) {
            continue;
        }
        const model_joint *ends[2] = {&m->joints[pawl_joint_index(gear->joint)],
                                      &m->joints[pawl_joint_index(gear->source_joint)]};
        int root[2];
        for (int k = 0; k < 2; ++k) {
            if (ends[k]->kind != PAWL_JOINT_REVOLUTE && ends[k]->kind != PAWL_JOINT_PRISMATIC) {
                return true;
            }
            root[k] = plan_root(parent, 1 + ends[k]->first_coordinate);
        }
        if (root[0] == root[1] || gear->ratio == 0.0) {
            return true;
        }
        // The larger root goes below the smaller one, so that node 0 stays the root of all that is driven.
        bool first = root[0] > root[1];
        parent[root[first ? 0 : 1]] = root[first ? 1 : 0];
    }
    return false;
}

// Joints that form a forest over the bodies have independent rows. A joint that closes a loop, a
// gear, or an actuator that holds a velocity exactly may not. Node 0 is all that cannot move.
// A joint between two bodies that cannot move, or two joints between the same two, makes rows that may depend on
// each other: in both cases the two ends are in one set already.
static bool plan_has_loops(const pawl_assembly *a, const bool *tree_joints, int *parent)
{
    const pawl_model *m = a->model;
    for (int i = 0; i <= m->body_count; ++i) {
        parent[i] = i;
    }
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        if (j->kind == PAWL_JOINT_GEAR) {
            continue;
        }
        // A joint without rows and without a place in the tree of reduced coordinates constrains nothing.
        bool tree_joint = tree_joints != NULL && tree_joints[i];
        if (a->joint_block[i] < 0 && !tree_joint) {
            continue;
        }
        bool hard = j->row_count > 0;
        for (int k = 0; k < m->motion_count; ++k) {
            hard = hard || pawl_joint_index(m->motions[k].joint) == i;
        }
        if (!hard) {
            continue;
        }
        bool base_moves = j->base >= 0 && m->bodies[j->base].inverse_mass > 0.0;
        bool follower_moves = m->bodies[j->follower].inverse_mass > 0.0;
        int x = plan_root(parent, base_moves ? j->base + 1 : 0);
        int y = plan_root(parent, follower_moves ? j->follower + 1 : 0);
        if (x == y) {
            return true;
        }
        parent[x] = y;
    }
    for (int k = 0; k < m->actuator_count; ++k) {
        if (isinf(m->actuators[k].damping) && isinf(m->actuators[k].effort)) {
            return true;
        }
    }
    return plan_gears_loop(m, parent);
}

// Coordinates whose value and gradient a step needs: those with a row, a candidate, an actuator (force actuators
// have no row, but act along the gradient), or a gear. Values of the others are computed only where turns are
// counted.
static void plan_mark_used(pawl_assembly *a)
{
    const pawl_model *m = a->model;
    for (int r = 0; r < a->free_rows; ++r) {
        if (a->rows[r].coordinate >= 0) {
            a->coordinate_used[a->rows[r].coordinate] = true;
        }
    }
    for (int k = 0; k < a->candidate_count; ++k) {
        a->coordinate_used[a->candidates[k].coordinate] = true;
    }
    for (int k = 0; k < m->actuator_count; ++k) {
        const pawl_actuator_def *d = &m->actuators[k];
        a->coordinate_used[m->joints[pawl_joint_index(d->joint)].first_coordinate + d->coordinate] =
            true;
    }
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        if (j->kind == PAWL_JOINT_GEAR) {
            const pawl_gear_def *g = &j->gear;
            a->coordinate_used[m->joints[pawl_joint_index(g->joint)].first_coordinate +
                               g->coordinate] = true;
            a->coordinate_used[m->joints[pawl_joint_index(g->source_joint)].first_coordinate +
                               g->source_coordinate] = true;
        }
        a->has_rows_by_value = a->has_rows_by_value || j->kind == PAWL_JOINT_GEAR ||
                               j->kind == PAWL_JOINT_SCREW || m->motion_count > 0;
    }
}

// Carves all arrays out of one block of memory. Called twice: with an empty carver, which only counts bytes, and
// with the memory. Each contact can have three rows of its own and, in models with spin friction, three more.
static pawl_assembly *plan_layout(const pawl_model *m, const row_plan *count, int free_rows,
                                  int free_blocks, int contacts, pawl_carver *mem)
{
    int spins = m->spin_friction ? 3 * contacts : 0; // one row for torsion, two for rolling
    int rows = free_rows + count->candidates + spins + 3 * contacts;
    int blocks = free_blocks + count->candidates + spins + contacts;
    int jacobian = count->jacobian + 2 * 6 * (spins + 3 * contacts);
    pawl_assembly *a = PAWL_CARVE(mem, pawl_assembly, 1);
    pawl_assembly p = {.model = m, .free_blocks = free_blocks, .free_rows = free_rows};
    p.max_rows = rows;
    p.max_contacts = contacts;
    p.friction = PAWL_CARVE(mem, double, contacts);
    p.spin_row = PAWL_CARVE(mem, int, m->spin_friction ? contacts + 1 : 0);
    p.max_blocks = blocks;
    p.candidate_count = count->candidates;
    p.blocks = PAWL_CARVE(mem, row_block, blocks);
    p.rows = PAWL_CARVE(mem, row_info, rows);
    p.problem_blocks = PAWL_CARVE(mem, problem_block, blocks);
    p.candidates = PAWL_CARVE(mem, row_info, count->candidates);
    p.hard = PAWL_CARVE(mem, bool, free_rows);
    p.hardness = PAWL_CARVE(mem, double, free_rows);
    p.soft = PAWL_CARVE(mem, int, free_rows);
    p.closes = PAWL_CARVE(mem, int, free_rows);
    p.closes_turn = PAWL_CARVE(mem, bool, free_rows);
    p.closing_move = PAWL_CARVE(mem, double, free_rows);
    p.closing_turn = PAWL_CARVE(mem, double, free_rows);
    p.closing_size = PAWL_CARVE(mem, double, free_rows);
    p.included = PAWL_CARVE(mem, bool, count->candidates);
    p.persistent = PAWL_CARVE(mem, bool, count->candidates);
    p.joint_rows = PAWL_CARVE(mem, int, m->joint_count);
    p.joint_block = PAWL_CARVE(mem, int, m->joint_count);
    p.joint_grouped = PAWL_CARVE(mem, bool, m->joint_count);
    p.hinges = PAWL_CARVE(mem, hinge_group, (m->joint_count + 3) / 4);
    p.hinge_rows = PAWL_CARVE(mem, hinge_rows, (m->joint_count + 3) / 4);
    p.loose = PAWL_CARVE(mem, int, free_blocks);
    p.joint_soft = PAWL_CARVE(mem, pawl_softness, m->joint_count);
    p.coordinate_used = PAWL_CARVE(mem, bool, m->coordinate_count);
    p.body_has_rows = PAWL_CARVE(mem, bool, m->body_count);
    p.body_is_joined = PAWL_CARVE(mem, bool, m->body_count);
    p.rotation = PAWL_CARVE(mem, pawl_mat3, m->body_count);
    p.inverse_mass = PAWL_CARVE(mem, double, m->body_count);
    p.inverse_inertia = PAWL_CARVE(mem, pawl_mat3, m->body_count);
    p.coordinates = PAWL_CARVE(mem, coordinate_row, m->coordinate_count);
    p.J = PAWL_CARVE(mem, double, jacobian);
    p.MJ = PAWL_CARVE(mem, double, jacobian);
    p.grams = PAWL_CARVE(mem, double, HINGE_GRAM *free_blocks);
    double **by_row[] = {&p.residual,   &p.v_f,  &p.lower, &p.upper,
                         &p.compliance, &p.bias, &p.want,  &p.bend};
    for (size_t i = 0; i < sizeof by_row / sizeof by_row[0]; ++i) {
        *by_row[i] = PAWL_CARVE(mem, double, rows);
    }
    if (a != NULL) {
        *a = p;
    }
    return a;
}

pawl_status pawl_assembly_create(const pawl_env *env, const pawl_model *m, int max_contacts,
                                 pawl_assembly **out)
{
    return pawl_assembly_create_tree(env, m, max_contacts, NULL, out);
}

// Order: count, allocate, carve, fill, then the flags that follow from the rows. `parent` is scratch of
// plan_has_loops(), over bodies and then over coordinates, plus one node for what cannot move.
pawl_status pawl_assembly_create_tree(const pawl_env *env, const pawl_model *m, int max_contacts,
                                      const bool *tree_joint, pawl_assembly **out)
{
    *out = NULL;
    row_plan count = {.model = m, .slots = pawl_impulse_slots(m), .tree_joint = tree_joint},
             fill = count;
    plan_free_rows(&count);
    int free_rows = count.rows, free_blocks = count.blocks;
    plan_bounded_rows(&count);
    pawl_carver need = {0};
    plan_layout(m, &count, free_rows, free_blocks, max_contacts, &need);
    // Union-find runs over bodies first and over coordinates after that, in the same memory.
    int nodes = m->body_count > m->coordinate_count ? m->body_count : m->coordinate_count;
    size_t scratch = (size_t)(nodes + 1) * sizeof(int);
    char *block = pawl_alloc(env, need.used);
    int *parent = pawl_alloc(env, scratch);
    if (block == NULL || parent == NULL) {
        pawl_free(env, block, need.used);
        pawl_free(env, parent, scratch);
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "assembling '%s' needs %zu bytes", m->name,
                         need.used + scratch);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    pawl_assembly *a = plan_layout(m, &count, free_rows, free_blocks, max_contacts, &mem);
    a->env = *env;
    a->bytes = need.used;
    a->inertia_scale = 1.0;
    a->body_theta = 1.0;
    for (int i = 0; i < m->joint_count; ++i) {
        a->joint_block[i] = -1;
    }
    a->metric = &pawl_body_metric;
    fill.a = a;
    plan_free_rows(&fill);
    plan_bounded_rows(&fill);
    plan_mark_used(a);
    for (int r = 0; r < free_rows; ++r) {
        const row_info *info = &a->rows[r];
        bool closes = (info->family->traits & ROW_IS_HARD) != 0;
        a->closes[r] = closes ? info->family->joint(m, info) : -1;
        a->closes_turn[r] = closes && info->family->is_angle(m, info);
        bool moves = a->closes[r] >= 0 && !a->closes_turn[r];
        a->closing_move[r] = moves ? 1.0 : 0.0;
        a->closing_turn[r] = a->closes[r] >= 0 && !moves ? 1.0 : 0.0;
        a->closing_size[r] = moves ? m->joints[a->closes[r]].size : INFINITY;
    }
    a->hinge_group_count = pawl_hinge_groups(a, a->hinges, a->joint_grouped);
    for (int k = 0; k < free_blocks; ++k) {
        bool grouped = a->blocks[k].joint >= 0 && a->joint_grouped[a->blocks[k].joint];
        if (!grouped) {
            a->loose[a->loose_count++] = k;
        }
        for (int s = 0; s < a->blocks[k].body_count; ++s) {
            a->body_has_rows[a->blocks[k].body[s]] = true;
        }
    }
    for (int k = 0; k < a->candidate_count; ++k) {
        const model_joint *j = &m->joints[pawl_row_joint(m, &a->candidates[k])];
        a->body_has_rows[j->follower] = true;
        if (j->base >= 0) {
            a->body_has_rows[j->base] = true;
        }
    }
    for (int i = 0; i < m->joint_count; ++i) {
        const int pair[2] = {m->joints[i].base, m->joints[i].follower};
        for (int side = 0; side < 2; ++side) {
            if (pair[side] >= 0) {
                a->body_is_joined[pair[side]] = true;
            }
        }
    }
    for (int i = 0; i < m->body_count && tree_joint != NULL; ++i) {
        a->body_has_rows[i] = true; // joints that are held do what rows would
    }
    a->has_loops = plan_has_loops(a, tree_joint, parent);
    a->has_working_rows = a->candidate_count > 0;
    for (int i = 0; i < m->body_count; ++i) {
        // Point masses have no orientation to turn, kinematic bodies do not react: a zero inverse inertia, which no
        // placement changes, takes their rotation out of D without a test anywhere else.
        a->inverse_inertia[i] = (pawl_mat3){0};
        a->has_drives = a->has_drives || m->bodies[i].kind == PAWL_BODY_KINEMATIC;
        a->has_damping = a->has_damping || m->bodies[i].linear_damping > 0.0 ||
                         m->bodies[i].angular_damping > 0.0;
    }
    for (int r = 0; r < a->free_rows; ++r) {
        a->has_drives = a->has_drives || a->rows[r].family->rate != NULL;
    }
    a->has_working_rows = a->has_working_rows || a->has_drives;
    for (int b = 0; b < free_blocks; ++b) {
        a->problem_blocks[b] = a->blocks[b].rows;
    }
    pawl_free(env, parent, scratch);
    pawl_softness hard = pawl_softness_default();
    pawl_assembly_set_softness(a, &hard, &hard);
    *out = a;
    return PAWL_OK;
}

// May be called again after creation: which rows are hard, and what follows from it, is computed from scratch.
// Only a joint's own rows become soft; prescribed motions in the same block stay hard.
void pawl_assembly_set_softness(pawl_assembly *a, const pawl_softness *joints,
                                const pawl_softness *limits)
{
    const pawl_model *m = a->model;
    a->limit_soft = *limits;
    for (int i = 0; i < m->joint_count; ++i) {
        a->joint_soft[i] = *pawl_softness_choose(&m->joints[i].soft, joints);
        if (m->joints[i].kind == PAWL_JOINT_GEAR) {
            a->joint_soft[i].time_constant = -1.0; // gears are hard
        }
    }
    a->has_soft_rows = a->has_armatures = false;
    a->soft_count = 0;
    a->has_joints_alone = a->free_rows > 0 && a->free_rows == m->row_count;
    for (int k = 0; k < a->free_blocks; ++k) {
        const row_block *b = &a->blocks[k];
        bool soft = b->joint >= 0 && pawl_is_soft(&a->joint_soft[b->joint]);
        for (int r = b->rows.first_row; r < b->rows.first_row + b->rows.dim; ++r) {
            const row_info *info = &a->rows[r];
            bool own = info->coordinate < 0; // of the joint, not of what drives it
            a->hard[r] = (info->family->traits & ROW_IS_HARD) != 0 && !(own && soft);
            a->hardness[r] = a->hard[r] ? 1.0 : 0.0;
            if (!a->hard[r]) {
                a->has_soft_rows = true;
                a->soft[a->soft_count++] = r;
            }
            a->has_joints_alone = a->has_joints_alone && a->hard[r] && info->slot == r;
            a->has_armatures = a->has_armatures || pawl_assembly_armature(a, r) > 0.0;
            a->has_rows_by_value = a->has_rows_by_value || a->has_armatures;
            a->has_working_rows = a->has_working_rows || !a->hard[r];
        }
    }
}

void pawl_assembly_destroy(pawl_assembly *a)
{
    if (a != NULL) {
        pawl_env env = a->env;
        pawl_free(&env, a, a->bytes);
    }
}
