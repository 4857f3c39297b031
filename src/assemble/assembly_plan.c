// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The plan: which rows a model can ever pose, in which blocks, touching which bodies.
#include "assemble/assembly.h"
#include "base/carver.h"
#include "reduced/tree.h"
#include <string.h>

static bool plan_is_soft(const pawl_coordinate_def *d)
{
    return d->stiffness > 0.0 || d->damping > 0.0 || d->armature > 0.0;
}

// Whether an actuator acts through a row (force actuators are applied forces).
static bool plan_has_row(const pawl_actuator_def *a)
{
    return (a->kind == PAWL_ACTUATOR_POSITION && (a->stiffness > 0.0 || a->damping > 0.0)) ||
           (a->kind == PAWL_ACTUATOR_VELOCITY && a->damping > 0.0);
}

// The bodies of a joint, the world left out; `count` of them so far in `body`.
static int plan_add_bodies(const model_joint *j, int *body, int count)
{
    const int pair[2] = {j->base, j->follower};
    for (int i = 0; i < 2; ++i) {
        bool known = pair[i] < 0;
        for (int k = 0; k < count; ++k) {
            known = known || body[k] == pair[i];
        }
        if (!known) {
            body[count++] = pair[i];
        }
    }
    return count;
}

typedef struct plan_cursor {
    pawl_assembly *a;         // NULL in the counting pass
    const reduced_tree *tree; // whose joints have no rows of their own; NULL: none
    int rows, blocks, jacobian, candidates;
} plan_cursor;

static void plan_row(plan_cursor *c, row_info info)
{
    if (c->a != NULL) {
        c->a->rows[c->rows] = info;
    }
    ++c->rows;
}

// Closes a block over the rows since first_row.
static void plan_block(plan_cursor *c, int first_row, int joint, const int *body, int body_count)
{
    int dim = c->rows - first_row;
    if (dim == 0) {
        return;
    }
    row_block block = {.rows = {first_row, dim}, .joint = joint, .body_count = body_count};
    for (int k = 0; k < body_count; ++k) {
        block.body[k] = body[k];
        block.jacobian[k] = c->jacobian;
        c->jacobian += 6 * dim;
    }
    if (c->a != NULL) {
        c->a->blocks[c->blocks] = block;
        if (joint >= 0) {
            c->a->joint_block[joint] = c->blocks;
        }
    }
    ++c->blocks;
}

static void plan_free_rows(const pawl_model *m, const impulse_slots *slots, plan_cursor *c)
{
    int joint_slot = slots->joints;
    int motion_slot = slots->joints + m->row_count - m->motion_count;
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        int first = c->rows;
        bool held = c->tree != NULL && pawl_reduced_tree_has_joint(c->tree, i);
        for (int r = 0; r < j->row_count && !held; ++r) {
            plan_row(c, (row_info){ROW_JOINT, i, r, -1, joint_slot + r});
        }
        joint_slot += j->row_count;
        if (c->a != NULL) {
            c->a->joint_rows[i] = c->rows - first;
        }
        for (int k = 0; k < m->motion_count; ++k) {
            const pawl_motion_def *d = &m->motions[k];
            if (d->joint == i) {
                plan_row(c, (row_info){ROW_MOTION, k, d->coordinate,
                                       j->first_coordinate + d->coordinate, motion_slot + k});
            }
        }
        for (int q = 0; q < j->coordinate_count; ++q) {
            if (plan_is_soft(&j->coordinate[q])) {
                int flat = j->first_coordinate + q;
                plan_row(c, (row_info){ROW_SOFT, i, q, flat, slots->softs + flat});
            }
        }
        for (int k = 0; k < m->actuator_count; ++k) {
            const pawl_actuator_def *d = &m->actuators[k];
            if (d->joint == i && isinf(d->effort) && plan_has_row(d)) {
                plan_row(c, (row_info){ROW_ACTUATOR, k, d->coordinate,
                                       j->first_coordinate + d->coordinate, slots->actuators + k});
            }
        }
        int body[BLOCK_MAX_BODIES], count = 0;
        if (j->kind == PAWL_JOINT_GEAR) {
            count = plan_add_bodies(&m->joints[j->gear.joint], body, count);
            count = plan_add_bodies(&m->joints[j->gear.source_joint], body, count);
        } else {
            count = plan_add_bodies(j, body, count);
        }
        plan_block(c, first, i, body, count);
    }
    for (int i = 0; i < m->spring_count; ++i) {
        const pawl_spring_def *s = &m->springs[i];
        int first = c->rows, body[2], count = 0;
        if (s->stiffness == 0.0 && s->damping == 0.0) {
            continue;
        }
        for (int k = 0; k < (s->rest_length > 0.0 ? 1 : 3); ++k) {
            plan_row(c, (row_info){ROW_SPRING, i, k, -1, slots->springs + 3 * i + k});
        }
        const int pair[2] = {s->body_a, s->body_b};
        for (int k = 0; k < 2; ++k) {
            if (pair[k] >= 0) {
                body[count++] = pair[k];
            }
        }
        plan_block(c, first, -1, body, count);
    }
}

static void plan_candidate(plan_cursor *c, row_info info)
{
    if (c->a != NULL) {
        c->a->candidates[c->candidates] = info;
    }
    ++c->candidates;
    c->jacobian += 2 * 6; // one row, at most two bodies
}

static void plan_bounded_rows(const pawl_model *m, const impulse_slots *slots, plan_cursor *c)
{
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        for (int q = 0; q < j->coordinate_count; ++q) {
            int flat = j->first_coordinate + q;
            if (j->coordinate[q].friction > 0.0) {
                plan_candidate(c, (row_info){ROW_FRICTION, i, q, flat, slots->frictions + flat});
            }
        }
    }
    for (int k = 0; k < m->actuator_count; ++k) {
        const pawl_actuator_def *d = &m->actuators[k];
        if (isfinite(d->effort) && plan_has_row(d)) {
            int flat = m->joints[d->joint].first_coordinate + d->coordinate;
            plan_candidate(c,
                           (row_info){ROW_ACTUATOR, k, d->coordinate, flat, slots->actuators + k});
        }
    }
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        for (int q = 0; q < j->coordinate_count; ++q) {
            int flat = j->first_coordinate + q;
            if (isfinite(j->coordinate[q].lower)) {
                plan_candidate(c, (row_info){ROW_LOWER, i, q, flat, slots->lowers + flat});
            }
            if (isfinite(j->coordinate[q].upper)) {
                plan_candidate(c, (row_info){ROW_UPPER, i, q, flat, slots->uppers + flat});
            }
        }
    }
}

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
        const model_joint *j = &m->joints[m->motions[k].joint];
        parent[plan_root(parent, 1 + j->first_coordinate + m->motions[k].coordinate)] = 0;
    }
    for (int i = 0; i < m->joint_count; ++i) {
        const pawl_gear_def *gear = &m->joints[i].gear;
        if (m->joints[i].kind != PAWL_JOINT_GEAR) {
            continue;
        }
        const model_joint *ends[2] = {&m->joints[gear->joint], &m->joints[gear->source_joint]};
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
        bool first = root[0] > root[1];
        parent[root[first ? 0 : 1]] = root[first ? 1 : 0];
    }
    return false;
}

// Joints that form a forest over the bodies have independent rows. A joint that closes a loop, a
// gear, or an actuator that holds a velocity exactly may not. Node 0 is all that cannot move.
static bool plan_has_loops(const pawl_assembly *a, const reduced_tree *tree, int *parent)
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
        bool held = tree != NULL && pawl_reduced_tree_has_joint(tree, i);
        if (a->joint_block[i] < 0 && !held) {
            continue;
        }
        bool hard = j->row_count > 0;
        for (int k = 0; k < m->motion_count; ++k) {
            hard = hard || m->motions[k].joint == i;
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
        a->coordinate_used[m->joints[d->joint].first_coordinate + d->coordinate] = true;
    }
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        if (j->kind == PAWL_JOINT_GEAR) {
            const pawl_gear_def *g = &j->gear;
            a->coordinate_used[m->joints[g->joint].first_coordinate + g->coordinate] = true;
            a->coordinate_used[m->joints[g->source_joint].first_coordinate + g->source_coordinate] =
                true;
        }
    }
}

static pawl_assembly *plan_layout(const pawl_model *m, const plan_cursor *count, int free_rows,
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
    p.included = PAWL_CARVE(mem, bool, count->candidates);
    p.held = PAWL_CARVE(mem, bool, count->candidates);
    p.joint_rows = PAWL_CARVE(mem, int, m->joint_count);
    p.joint_block = PAWL_CARVE(mem, int, m->joint_count);
    p.joint_soft = PAWL_CARVE(mem, pawl_softness, m->joint_count);
    p.coordinate_used = PAWL_CARVE(mem, bool, m->coordinate_count);
    p.body_has_rows = PAWL_CARVE(mem, bool, m->body_count);
    p.rotation = PAWL_CARVE(mem, pawl_mat3, m->body_count);
    p.inverse_mass = PAWL_CARVE(mem, double, m->body_count);
    p.inverse_inertia = PAWL_CARVE(mem, pawl_mat3, m->body_count);
    p.coordinates = PAWL_CARVE(mem, coordinate_row, m->coordinate_count);
    p.J = PAWL_CARVE(mem, double, jacobian);
    p.MJ = PAWL_CARVE(mem, double, jacobian);
    double **by_row[] = {&p.residual, &p.v_f, &p.lower, &p.upper, &p.compliance, &p.bias, &p.want};
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
    return pawl_assembly_create_reduced(env, m, max_contacts, NULL, out);
}

pawl_status pawl_assembly_create_reduced(const pawl_env *env, const pawl_model *m, int max_contacts,
                                         const reduced_tree *tree, pawl_assembly **out)
{
    *out = NULL;
    impulse_slots slots = pawl_impulse_slots(m);
    plan_cursor count = {.tree = tree};
    plan_free_rows(m, &slots, &count);
    int free_rows = count.rows, free_blocks = count.blocks;
    plan_bounded_rows(m, &slots, &count);
    pawl_carver need = {0};
    plan_layout(m, &count, free_rows, free_blocks, max_contacts, &need);
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
    a->turn_ease = 1.0;
    a->body_theta = 1.0;
    for (int i = 0; i < m->joint_count; ++i) {
        a->joint_block[i] = -1;
    }
    plan_cursor fill = {.a = a, .tree = tree};
    plan_free_rows(m, &slots, &fill);
    plan_bounded_rows(m, &slots, &fill);
    plan_mark_used(a);
    for (int k = 0; k < free_blocks; ++k) {
        for (int s = 0; s < a->blocks[k].body_count; ++s) {
            a->body_has_rows[a->blocks[k].body[s]] = true;
        }
    }
    for (int k = 0; k < a->candidate_count; ++k) {
        const row_info *info = &a->candidates[k];
        const model_joint *j =
            &m->joints[info->kind == ROW_ACTUATOR ? m->actuators[info->owner].joint : info->owner];
        a->body_has_rows[j->follower] = true;
        if (j->base >= 0) {
            a->body_has_rows[j->base] = true;
        }
    }
    for (int i = 0; i < m->body_count && tree != NULL; ++i) {
        a->body_has_rows[i] = true; // the tree's joints do what rows would
    }
    a->has_loops = plan_has_loops(a, tree, parent);
    a->has_working_rows = a->candidate_count > 0;
    for (int i = 0; i < m->body_count; ++i) {
        a->has_working_rows = a->has_working_rows || m->bodies[i].kind == PAWL_BODY_KINEMATIC;
        a->has_damping = a->has_damping || m->bodies[i].linear_damping > 0.0 ||
                         m->bodies[i].angular_damping > 0.0;
    }
    for (int b = 0; b < free_blocks; ++b) {
        a->problem_blocks[b] = a->blocks[b].rows;
    }
    pawl_free(env, parent, scratch);
    pawl_softness hard = pawl_softness_default();
    pawl_assembly_set_softness(a, &hard, &hard);
    *out = a;
    return PAWL_OK;
}

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
    a->has_soft_rows = false;
    for (int r = 0; r < a->free_rows; ++r) {
        bool hard = pawl_assembly_is_hard(a, r);
        a->has_soft_rows = a->has_soft_rows || !hard;
        a->has_working_rows = a->has_working_rows || !hard || a->rows[r].kind != ROW_JOINT;
    }
}

void pawl_assembly_destroy(pawl_assembly *a)
{
    if (a != NULL) {
        pawl_env env = a->env;
        pawl_free(&env, a, a->bytes);
    }
}
