// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Setting the coordinates of a joint (pawl_state_set_joint, starts of a model).
//
// The joint graph has a spanning tree with the most rows, which is also that of reduced coordinates (Kruskal): joints
// with many rows first, then by index, outwards from the ground (the world and all kinematic bodies). A joint of the
// tree splits the bodies in two; those farther from the ground move as one rigid part T = X_new X_old^-1, and their
// velocities relative to the first of them rotate with it. All other coordinates and rates of the tree therefore keep
// their values.
//
// With frames B on the base and F on the follower, X_F = X_B J(q). The kinds are those of pawl_joint_kind.
#include "model/joint_move.h"
#include "base/carver.h"
#include "base/guard.h"

typedef struct move_graph {
    const pawl_model *m;
    int *set;      // (bodies + 1) union and find; the last is the ground
    bool *in_tree; // (joints)
    bool *moves;   // (bodies) hangs on the joint
} move_graph;

static void move_layout(move_graph *g, pawl_carver *mem)
{
    g->set = PAWL_CARVE(mem, int, g->m->body_count + 1);
    g->in_tree = PAWL_CARVE(mem, bool, g->m->joint_count);
    g->moves = PAWL_CARVE(mem, bool, g->m->body_count);
}

// The world and kinematic bodies cannot be moved to fit a joint.
static bool move_is_ground(const pawl_model *m, int body)
{
    return body < 0 || m->bodies[body].kind == PAWL_BODY_KINEMATIC;
}

static int move_node(const pawl_model *m, int body)
{
    return move_is_ground(m, body) ? m->body_count : body;
}

// Union and find with path halving.
static int move_root(int *set, int node)
{
    while (set[node] != node) {
        set[node] = set[set[node]];
        node = set[node];
    }
    return node;
}

// Kinds whose coordinates determine the relative pose.
static bool move_may_take(const pawl_model *m, const model_joint *j)
{
    bool pointwise = j->kind == PAWL_JOINT_DISTANCE || j->kind == PAWL_JOINT_POINT_ON_LINE ||
                     j->kind == PAWL_JOINT_POINT_ON_PLANE || j->kind == PAWL_JOINT_GEAR ||
                     j->kind == PAWL_JOINT_SPAN;
    bool point_mass = (j->base >= 0 && m->bodies[j->base].kind == PAWL_BODY_POINT) ||
                      m->bodies[j->follower].kind == PAWL_BODY_POINT;
    return !pointwise && !point_mass;
}

// A joint with six rows fixes all, one with none nothing: joints that constrain most are in the
// tree first, and loops are closed by those with the fewest rows.
static void move_choose_tree(move_graph *g)
{
    const pawl_model *m = g->m;
    for (int i = 0; i <= m->body_count; ++i) {
        g->set[i] = i;
    }
    for (int rows = 6; rows >= 0; --rows) {
        for (int k = 0; k < m->joint_count; ++k) {
            const model_joint *j = &m->joints[k];
            if (j->row_count != rows || !move_may_take(m, j)) {
                continue;
            }
            int a = move_root(g->set, move_node(m, j->base));
            int b = move_root(g->set, move_node(m, j->follower));
            g->in_tree[k] = a != b;
            g->set[a] = b;
        }
    }
}

// All bodies that joints of the tree tie to `body` without `joint`; false where the ground is among them.
//
// Run without the joint itself, so that the tree falls into the two sides of it.
static bool move_collect(move_graph *g, int joint, int body)
{
    const pawl_model *m = g->m;
    for (int i = 0; i <= m->body_count; ++i) {
        g->set[i] = i;
    }
    for (int k = 0; k < m->joint_count; ++k) {
        if (g->in_tree[k] && k != joint) {
            const model_joint *j = &m->joints[k];
            g->set[move_root(g->set, move_node(m, j->base))] =
                move_root(g->set, move_node(m, j->follower));
        }
    }
    int root = move_root(g->set, move_node(m, body));
    for (int i = 0; i < m->body_count; ++i) {
        g->moves[i] = !move_is_ground(m, i) && move_root(g->set, i) == root;
    }
    return root != move_root(g->set, m->body_count);
}

// The follower's joint frame seen from the base's, and its twist in the base's axes, of the frame's origin.
//
// J(q) and its rate for each kind; coordinates in the order of joint_kind.c. Kinds without
// coordinates give the identity.
static pawl_pose move_relative(const model_joint *j, const double *q, const double *rate,
                               pawl_twist *twist)
{
    const pawl_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    pawl_pose p = pawl_pose_identity();
    *twist = (pawl_twist){{0, 0, 0}, {0, 0, 0}};
    switch (j->kind) {
    case PAWL_JOINT_REVOLUTE:
    case PAWL_JOINT_SCREW:
        p.orientation = pawl_quat_from_axis_angle(x, q[0]);
        p.position.x = j->kind == PAWL_JOINT_SCREW ? j->pitch * q[0] : 0.0;
        twist->angular.x = rate[0];
        twist->linear.x = j->kind == PAWL_JOINT_SCREW ? j->pitch * rate[0] : 0.0;
        break;
    case PAWL_JOINT_PRISMATIC:
        p.position.x = q[0];
        twist->linear.x = rate[0];
        break;
    case PAWL_JOINT_CYLINDRICAL:
        p = (pawl_pose){v3(q[0], 0, 0), pawl_quat_from_axis_angle(x, q[1])};
        *twist = (pawl_twist){v3(rate[0], 0, 0), v3(rate[1], 0, 0)};
        break;
    case PAWL_JOINT_PLANAR:
        p = (pawl_pose){v3(0, q[0], q[1]), pawl_quat_from_axis_angle(x, q[2])};
        *twist = (pawl_twist){v3(0, rate[0], rate[1]), v3(rate[2], 0, 0)};
        break;
    case PAWL_JOINT_CARTESIAN:
        p.position = v3(q[0], q[1], q[2]);
        twist->linear = v3(rate[0], rate[1], rate[2]);
        break;
    case PAWL_JOINT_UNIVERSAL:
    case PAWL_JOINT_GIMBAL: { // R = R_x(q0) R_y(q1) R_z(q2), angles of a gimbal alone have the third
        pawl_quat first = pawl_quat_from_axis_angle(x, q[0]);
        pawl_quat second = quat_mul(first, pawl_quat_from_axis_angle(y, q[1]));
        twist->angular = v3_axpy(v3(rate[0], 0, 0), rate[1], pawl_quat_rotate(first, y));
        p.orientation = second;
        if (j->kind == PAWL_JOINT_GIMBAL) {
            p.orientation = quat_mul(second, pawl_quat_from_axis_angle(z, q[2]));
            twist->angular = v3_axpy(twist->angular, rate[2], pawl_quat_rotate(second, z));
        }
        break;
    }
    case PAWL_JOINT_SPHERICAL:
    case PAWL_JOINT_FREE: {
        const double *turn = j->kind == PAWL_JOINT_FREE ? q + 3 : q;
        const double *turning = j->kind == PAWL_JOINT_FREE ? rate + 3 : rate;
        pawl_vec3 rho = v3(turn[0], turn[1], turn[2]);
        pawl_mat3 to_rate = rotation_vector_rate(rho), from_rate = m3_inverse(&to_rate);
        p.orientation = quat_exp(rho);
        twist->angular = m3_mul(&from_rate, v3(turning[0], turning[1], turning[2]));
        if (j->kind == PAWL_JOINT_FREE) {
            p.position = v3(q[0], q[1], q[2]);
            twist->linear = v3(rate[0], rate[1], rate[2]);
        }
        break;
    }
    default:
        break;
    }
    return p;
}

// A joint frame in the world from the pose of the body's centre of mass, with the twist of its origin.
typedef struct move_frame {
    pawl_pose pose;
    pawl_twist twist;
} move_frame;

//
// anchor [m] is from the centre of mass in body axes.
static move_frame move_frame_on(const body_state *bodies, int body, pawl_vec3 anchor,
                                pawl_quat turn)
{
    if (body < 0) { // the world's anchors are points of the world
        return (move_frame){{anchor, turn}, {{0, 0, 0}, {0, 0, 0}}};
    }
    const body_state *b = &bodies[body];
    pawl_vec3 arm = pawl_quat_rotate(b->q, anchor);
    return (move_frame){{v3_add(b->r, arm), quat_mul(b->q, turn)},
                        {v3_add(b->v, v3_cross(b->w, arm)), b->w}};
}

// The other side of the joint: where `child` must be for the joint to have the relative pose and twist.
//
// All twists here are of the origin of the frame, so that the arm to the next frame adds w x arm.
static move_frame move_across(move_frame parent, pawl_pose relative, pawl_twist twist,
                              bool reversed)
{
    if (reversed) { // the parent is the follower: X_B = X_F J^-1
        pawl_pose back = pawl_pose_inverse(relative);
        pawl_vec3 w = pawl_quat_rotate(back.orientation, v3_scale(-1.0, twist.angular));
        // d/dt of -R^T t: R^T (w x t - t')
        pawl_vec3 v = pawl_quat_rotate(
            back.orientation, v3_sub(v3_cross(twist.angular, relative.position), twist.linear));
        relative = back;
        twist = (pawl_twist){v, w};
    }
    pawl_vec3 arm = pawl_quat_rotate(parent.pose.orientation, relative.position);
    move_frame out = {pawl_pose_compose(parent.pose, relative), parent.twist};
    out.twist.linear = v3_add(v3_add(parent.twist.linear, v3_cross(parent.twist.angular, arm)),
                              pawl_quat_rotate(parent.pose.orientation, twist.linear));
    out.twist.angular =
        v3_add(parent.twist.angular, pawl_quat_rotate(parent.pose.orientation, twist.angular));
    return out;
}

// Moves all bodies that hang on the joint with the frame `from` that goes to `to`.
// Velocities relative to the old frame turn with the part; the velocity of the new frame is then
// added.
static void move_bodies(const move_graph *g, move_frame from, move_frame to, body_state *bodies)
{
    pawl_quat turn =
        pawl_quat_normalize(quat_mul(to.pose.orientation, quat_conj(from.pose.orientation)));
    for (int i = 0; i < g->m->body_count; ++i) {
        if (!g->moves[i]) {
            continue;
        }
        body_state *b = &bodies[i];
        pawl_vec3 arm = v3_sub(b->r, from.pose.position);
        pawl_vec3 v = v3_sub(v3_sub(b->v, from.twist.linear), v3_cross(from.twist.angular, arm));
        pawl_vec3 w = v3_sub(b->w, from.twist.angular);
        arm = pawl_quat_rotate(turn, arm);
        b->r = v3_add(to.pose.position, arm);
        b->q = pawl_quat_normalize(quat_mul(turn, b->q));
        b->w = v3_add(to.twist.angular, pawl_quat_rotate(turn, w));
        b->v = v3_add(v3_add(to.twist.linear, v3_cross(to.twist.angular, arm)),
                      pawl_quat_rotate(turn, v));
    }
}

// With bodies NULL it only answers whether the joint can be set.
static pawl_status move_with(const pawl_env *env, move_graph *g, body_state *bodies, int joint,
                             const double *position, const double *rate)
{
    const pawl_model *m = g->m;
    const model_joint *j = &m->joints[joint];
    move_choose_tree(g);
    if (!g->in_tree[joint]) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "joint '%s' (%s) of '%s' cannot be set: %s; set joints of the spanning "
                         "tree and close the loops with pawl_sim_assemble()",
                         j->name, pawl_joint_kind_name(j->kind), m->name,
                         move_may_take(m, j) ? "it closes a loop"
                                             : "its coordinates do not give the whole pose");
    }
    bool reversed = !move_collect(g, joint, j->follower); // then the base hangs on the follower
    if (reversed && !move_collect(g, joint, j->base)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "joint '%s' of '%s' joins two kinematic bodies",
                         j->name, m->name);
    }
    if (bodies == NULL) {
        return PAWL_OK; // only asked whether
    }
    pawl_twist twist;
    pawl_pose relative = move_relative(j, position, rate, &twist);
    move_frame base = move_frame_on(bodies, j->base, j->base_anchor, j->base_turn);
    move_frame follower = move_frame_on(bodies, j->follower, j->follower_anchor, j->follower_turn);
    move_frame parent = reversed ? follower : base, child = reversed ? base : follower;
    move_bodies(g, child, move_across(parent, relative, twist, reversed), bodies);
    return PAWL_OK;
}

// Writes poses and twists of the bodies that hang on the joint. `rate` may be NULL: at rest. Refuses joints that
// close a loop, have no coordinates for every direction that they leave free, or would move a kinematic body.
static pawl_status joint_move_bodies(const pawl_env *env, const pawl_model *m, body_state *bodies,
                                     int joint, const double *position, const double *rate)
{
    const double rest[6] = {0};
    move_graph graph = {.m = m};
    pawl_carver need = {0};
    move_layout(&graph, &need);
    char *block = pawl_alloc(env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "the joint graph of '%s' needs %zu bytes", m->name,
                         need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    move_layout(&graph, &mem);
    pawl_status status =
        move_with(env, &graph, bodies, joint, position, rate != NULL ? rate : rest);
    pawl_free(env, block, need.used);
    return status;
}

pawl_status pawl_joint_can_move(const pawl_env *env, const pawl_model *m, int joint)
{
    return joint_move_bodies(env, m, NULL, joint, NULL, NULL);
}

pawl_status pawl_state_set_joint(pawl_state *s, pawl_joint_id id, const double *position,
                                 const double *rate)
{
    PAWL_NEED(NULL, s);
    PAWL_NEED(&s->env, position);
    int joint = PAWL_INDEX(&s->env, &s->model->ids[ID_JOINT], id);
    if (joint < 0) {
        return PAWL_BAD_ARGUMENT;
    }
    const model_joint *j = &s->model->joints[joint];
    for (int c = 0; c < j->coordinate_count; ++c) {
        if (!isfinite(position[c]) || (rate != NULL && !isfinite(rate[c]))) {
            return PAWL_FAIL(&s->env, PAWL_BAD_ARGUMENT,
                             "joint '%s', coordinate %d: got position %g and rate %g, expected "
                             "finite numbers",
                             j->name, c, position[c], rate != NULL ? rate[c] : 0.0);
        }
    }
    PAWL_TRY(joint_move_bodies(&s->env, s->model, s->bodies, joint, position, rate));
    for (int c = 0; c < j->coordinate_count; ++c) { // full turns count from here
        s->coordinates[j->first_coordinate + c] = position[c];
    }
    pawl_state_forget(s);
    s->moved = s->edited = true;
    return PAWL_OK;
}
