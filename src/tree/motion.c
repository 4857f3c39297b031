// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Kinematics over columns; docs/reduced.md sections 3 and 4. For links below column j
//   dV/dtheta_j = S_j x V + p_j,   p_j = (sum over its ball of G_jk theta_k') - S_j x V_j,
// with V_j the velocity behind the column (the ball) and G_jk = dS_k/dtheta_j; outside of balls G is the
// bracket S_j x S_k for j before k and 0 else, and p_j = -S_j x V_j with the velocity right behind it.
#include "tree/motion.h"
#include "math/trig.h"
#include <string.h>

// Runs twice, to count bytes and to hand out pointers.
static reduced_motion *motion_layout(const reduced_tree *t, pawl_carver *mem)
{
    int links = t->link_count, n = t->column_count;
    reduced_motion *out = PAWL_CARVE(mem, reduced_motion, 1);
    reduced_motion m = {.tree = t};
    m.origin = PAWL_CARVE(mem, pawl_vec3, links);
    m.position = PAWL_CARVE(mem, pawl_vec3, links);
    m.orientation = PAWL_CARVE(mem, pawl_quat, links);
    m.rotation = PAWL_CARVE(mem, pawl_mat3, links);
    m.turning = PAWL_CARVE(mem, pawl_mat3, links);
    m.about_centre = PAWL_CARVE(mem, pawl_mat3, links);
    m.inertia = PAWL_CARVE(mem, spatial_inertia, links);
    m.composite = PAWL_CARVE(mem, spatial_inertia, links);
    m.balls = PAWL_CARVE(mem, reduced_ball, t->ball_count);
    spatial **by_link[] = {&m.driven_velocity, &m.driven_acceleration, &m.V, &m.A, &m.force,
                           &m.momentum};
    for (size_t i = 0; i < sizeof by_link / sizeof by_link[0]; ++i) {
        *by_link[i] = PAWL_CARVE(mem, spatial, links);
    }
    spatial **by_column[] = {&m.S, &m.column_V, &m.S_rate, &m.p, &m.p_rate};
    for (size_t i = 0; i < sizeof by_column / sizeof by_column[0]; ++i) {
        *by_column[i] = PAWL_CARVE(mem, spatial, n);
    }
    m.stage = PAWL_CARVE(mem, spatial, 3 * n);
    m.articulated = pawl_carve(mem, sizeof *m.articulated, (size_t)links);
    m.matrix = pawl_carve(mem, sizeof *m.matrix, (size_t)(2 * links));
    m.rate = PAWL_CARVE(mem, double, n);
    if (out != NULL) {
        *out = m;
    }
    return out;
}

pawl_status pawl_reduced_motion_create(const pawl_env *env, const reduced_tree *tree,
                                       reduced_motion **out)
{
    *out = NULL;
    pawl_carver need = {0};
    motion_layout(tree, &need);
    char *block = pawl_alloc(env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "the motion of a tree needs %zu bytes", need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    *out = motion_layout(tree, &mem);
    (*out)->env = *env;
    (*out)->bytes = need.used;
    return PAWL_OK;
}

void pawl_reduced_motion_destroy(reduced_motion *motion)
{
    if (motion != NULL) {
        pawl_env env = motion->env;
        pawl_free(&env, motion, motion->bytes);
    }
}

// ---- place -------------------------------------------------------------------------------------

// The frame that runs along the columns of a joint.
typedef struct motion_frame {
    pawl_vec3 point;
    pawl_quat turn;
} motion_frame;

// Turn by `angle` [rad] about axis 0, 1 or 2 of the frame.
static pawl_quat motion_axis_turn(int axis, double angle)
{
    pawl_quat q = {0};
    double s;
    pawl_sincos(0.5 * angle, &s, &q.w);
    q.x = axis == 0 ? s : 0.0;
    q.y = axis == 1 ? s : 0.0;
    q.z = axis == 2 ? s : 0.0;
    return q;
}

// Axis 0, 1 or 2 of a frame: that column of quat_matrix().
static pawl_vec3 motion_axis(pawl_quat q, int axis)
{
    if (axis == 0) {
        return v3(1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y + q.w * q.z),
                  2.0 * (q.x * q.z - q.w * q.y));
    }
    if (axis == 1) {
        return v3(2.0 * (q.x * q.y - q.w * q.z), 1.0 - 2.0 * (q.x * q.x + q.z * q.z),
                  2.0 * (q.y * q.z + q.w * q.x));
    }
    return v3(2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x),
              1.0 - 2.0 * (q.x * q.x + q.y * q.y));
}

// Columns hold axes first (w the axis in the world, v the point it goes through) because the origin of a
// link is known only when its frame has been followed to the end.
//
// A screw has both `slide` and `turn`; the slide goes along the axis that the turn leaves in place,
// so the order of the two does not matter.
static void motion_pass_column(reduced_motion *m, int k, double theta, motion_frame *f)
{
    const reduced_column *c = &m->tree->columns[k];
    pawl_vec3 e = motion_axis(f->turn, c->axis);
    m->S[k] = (spatial){f->point, e};
    f->point = v3_axpy(f->point, c->slide * theta, e);
    if (c->turn != 0.0) {
        f->turn = quat_mul(f->turn, motion_axis_turn(c->axis, c->turn * theta));
    }
}

// arm is the centre in the world until motion_finish_ball() makes it relative to the origin.
static void motion_pass_ball(reduced_motion *m, int ball, pawl_quat reference, const double *xi,
                             motion_frame *f)
{
    reduced_ball *b = &m->balls[ball];
    b->chart = pawl_rotation_chart(v3(xi[0], xi[1], xi[2]));
    f->turn = quat_mul(f->turn, reference);
    b->axes = quat_matrix(f->turn);
    b->arm = f->point;
    f->turn = quat_mul(f->turn, quat_exp(b->chart.xi));
}

// The column as a motion about the origin: v = slide e + arm x (turn e), w = turn e.
static void motion_finish_column(reduced_motion *m, int k, pawl_vec3 origin)
{
    const reduced_column *c = &m->tree->columns[k];
    pawl_vec3 arm = v3_sub(m->S[k].v, origin), e = m->S[k].w;
    m->S[k] = sp_motion_from(arm, v3_scale(c->slide, e), v3_scale(c->turn, e));
}

// Column k of a ball is the angular velocity L(xi) e_k in the axes of its reference. Its derivative
// by xi_j is needed for S' and p.
static void motion_finish_ball(reduced_motion *m, int ball, pawl_vec3 origin)
{
    reduced_ball *b = &m->balls[ball];
    pawl_vec3 zero = v3(0.0, 0.0, 0.0);
    pawl_vec3 unit[3] = {v3(1.0, 0.0, 0.0), v3(0.0, 1.0, 0.0), v3(0.0, 0.0, 1.0)};
    b->arm = v3_sub(b->arm, origin);
    if (v3_max_abs(b->chart.xi) == 0.0) { // L = 1, dL/dxi_j d = e_j x d / 2
        for (int k = 0; k < 3; ++k) {
            m->S[m->tree->ball_column[ball] + k] =
                sp_motion_from(b->arm, zero, m3_column(&b->axes, k));
            for (int j = 0; j < 3; ++j) {
                pawl_vec3 d = m3_mul(&b->axes, v3_scale(0.5, v3_cross(unit[j], unit[k])));
                b->derivative[j][k] = sp_motion_from(b->arm, zero, d);
            }
        }
        return;
    }
    for (int k = 0; k < 3; ++k) {
        pawl_vec3 w = m3_mul(&b->axes, pawl_chart_left(&b->chart, unit[k]));
        m->S[m->tree->ball_column[ball] + k] = sp_motion_from(b->arm, zero, w);
        for (int j = 0; j < 3; ++j) {
            pawl_vec3 d = m3_mul(&b->axes, pawl_chart_left_derivative(&b->chart, j, unit[k]));
            b->derivative[j][k] = sp_motion_from(b->arm, zero, d);
        }
    }
}

// A hinge, slider or screw without following its frame: what is constant was multiplied out once (tree.c). Returns the
// point of the child's joint frame.
static pawl_vec3 motion_pass_hinge(reduced_motion *m, const reduced_link *l, double theta,
                                   pawl_quat *turn)
{
    const reduced_column *c = &m->tree->columns[l->first_column];
    pawl_vec3 point = l->parent_anchor, e = l->axis;
    pawl_quat q = l->still;
    if (c->turn != 0.0) {
        double sine, cosine;
        pawl_sincos(0.5 * c->turn * theta, &sine, &cosine);
        q = (pawl_quat){cosine * q.w + sine * l->turned.w, cosine * q.x + sine * l->turned.x,
                        cosine * q.y + sine * l->turned.y, cosine * q.z + sine * l->turned.z};
    }
    if (l->parent >= 0) {
        const pawl_mat3 *axes = &m->rotation[l->parent];
        point = v3_add(m->position[l->parent], m3_mul(axes, point));
        e = m3_mul(axes, e);
        q = quat_mul(m->orientation[l->parent], q);
    }
    m->S[l->first_column] = (spatial){point, e};
    *turn = q;
    return v3_axpy(point, c->slide * theta, e);
}

// From the parent's frame through the columns of the joint to the frame of the child.
static pawl_vec3 motion_pass_joint(reduced_motion *m, const reduced_link *l,
                                   const reduced_config *config, pawl_quat *turn)
{
    const reduced_tree *t = m->tree;
    pawl_pose parent = l->parent < 0
                           ? pawl_pose_identity()
                           : (pawl_pose){m->position[l->parent], m->orientation[l->parent]};
    motion_frame f = {pawl_pose_apply(parent, l->parent_anchor),
                      quat_mul(parent.orientation, l->parent_turn)};
    for (int k = l->first_column; k < l->first_column + l->column_count; ++k) {
        int ball = t->columns[k].ball;
        if (ball < 0) {
            motion_pass_column(m, k, config->theta[k], &f);
        } else if (k == t->ball_column[ball]) {
            motion_pass_ball(m, ball, config->reference[ball], config->theta + k, &f);
        }
    }
    *turn = quat_mul(f.turn, quat_conj(l->child_turn));
    return f.point;
}

// Through the joint to the frame of the child, and from there to the child's centre of mass. The orientation is normalized at each link, so that rounding
// does not add up along a chain.
static void motion_pose_link(reduced_motion *m, int i, const reduced_config *config, double time)
{
    const reduced_tree *t = m->tree;
    const reduced_link *l = &t->links[i];
    if (l->driven) {
        pawl_pose pose = pawl_kinematic_pose(&t->model->bodies[l->body], time);
        m->position[i] = m->origin[i] = pose.position;
        m->orientation[i] = pose.orientation;
        m->rotation[i] = quat_matrix(pose.orientation);
        return;
    }
    pawl_quat turn;
    pawl_vec3 point = l->hinged ? motion_pass_hinge(m, l, config->theta[l->first_column], &turn)
                                : motion_pass_joint(m, l, config, &turn);
    m->orientation[i] = pawl_quat_normalize(turn);
    m->rotation[i] = quat_matrix(m->orientation[i]);
    m->position[i] = v3_sub(point, m3_mul(&m->rotation[i], l->child_anchor));
    // A link without moving ancestors begins a tree with an origin of its own.
    m->origin[i] = pawl_reduced_sum_parent(t, i) < 0 ? m->position[i] : m->origin[l->parent];
}

// Columns about the origin, and the inertia, of a link whose pose is known.
static void motion_finish_link(reduced_motion *m, int i, double time)
{
    const reduced_tree *t = m->tree;
    const reduced_link *l = &t->links[i];
    const model_body *body = &t->model->bodies[l->body];
    if (l->driven) {
        m->inertia[i] = (spatial_inertia){0};
        m->about_centre[i] = (pawl_mat3){0};
        pawl_twist still = {0};
        pawl_reduced_drive(m, i, pawl_kinematic_twist(body, time), still);
        return;
    }
    for (int k = l->first_column; k < l->first_column + l->column_count; ++k) {
        int ball = t->columns[k].ball;
        if (ball < 0) {
            motion_finish_column(m, k, m->origin[i]);
        } else if (k == t->ball_column[ball]) {
            motion_finish_ball(m, ball, m->origin[i]);
        }
    }
    m->about_centre[i] = m3_congruence(&m->rotation[i], &body->inertia);
    m->inertia[i] = si_from(body->mass, v3_sub(m->position[i], m->origin[i]), &m->about_centre[i]);
}

void pawl_reduced_place_poses(reduced_motion *motion, const reduced_config *config, double time)
{
    for (int i = 0; i < motion->tree->link_count; ++i) {
        motion_pose_link(motion, i, config, time);
    }
}

void pawl_reduced_place(reduced_motion *motion, const reduced_config *config, double time)
{
    for (int i = 0; i < motion->tree->link_count; ++i) {
        motion_pose_link(motion, i, config, time);
        motion_finish_link(motion, i, time);
    }
}

// The frame behind a ball is the child's joint frame, in which its new reference has its axes.
void pawl_reduced_place_rest(reduced_motion *m, reduced_config *config, double time)
{
    const reduced_tree *t = m->tree;
    pawl_reduced_recentre(t, config, NULL);
    for (int b = 0; b < t->ball_count; ++b) {
        int link = t->columns[t->ball_column[b]].link;
        m->balls[b].chart = pawl_rotation_chart(v3(0.0, 0.0, 0.0));
        m->balls[b].axes = quat_matrix(quat_mul(m->orientation[link], t->links[link].child_turn));
    }
    for (int i = 0; i < t->link_count; ++i) {
        motion_finish_link(m, i, time);
    }
}

// A linear acceleration is that of the centre of mass; the spatial one is of the point at the origin, which
// for a driven link is the centre of mass, too: v' + w x v stands against the moving of the point.
void pawl_reduced_drive(reduced_motion *motion, int link, pawl_twist twist, pawl_twist acceleration)
{
    PAWL_ASSERT(motion->tree->links[link].driven);
    motion->driven_velocity[link] = (spatial){twist.linear, twist.angular};
    motion->driven_acceleration[link] = (spatial){
        v3_sub(acceleration.linear, v3_cross(twist.angular, twist.linear)), acceleration.angular};
}

// ---- move --------------------------------------------------------------------------------------

// A motion is moved to another origin by the velocity of the body's point there; w stays.
spatial pawl_reduced_from_parent(const reduced_motion *m, int link, const spatial *of_links)
{
    int parent = m->tree->links[link].parent;
    if (parent < 0) {
        return sp_zero();
    }
    spatial s = of_links[parent];
    s.v = sp_at(s, v3_sub(m->origin[link], m->origin[parent]));
    return s;
}

// V is the velocity before the ball; returns that behind it. S' = V x S + sum of dS/dxi_l xi_l'.
// The reference's axes turn with V, not with the velocity behind the ball.
static spatial motion_move_ball(reduced_motion *m, int ball, spatial V)
{
    const reduced_ball *b = &m->balls[ball];
    int first = m->tree->ball_column[ball];
    const double *d = m->rate + first;
    spatial after = V;
    for (int k = 0; k < 3; ++k) {
        spatial rate = sp_cross(V, m->S[first + k]);
        for (int l = 0; l < 3; ++l) {
            rate = sp_axpy(rate, d[l], b->derivative[l][k]);
        }
        m->S_rate[first + k] = rate;
        after = sp_axpy(after, d[k], m->S[first + k]);
    }
    for (int j = 0; j < 3; ++j) {
        spatial p = sp_cross(after, m->S[first + j]);
        for (int k = 0; k < 3; ++k) {
            p = sp_axpy(p, d[k], b->derivative[j][k]);
        }
        m->p[first + j] = p;
        m->column_V[first + j] = after;
    }
    return after;
}

// theta' (nv) to velocities from the root outwards: V_child = V_parent + sum of S_k theta_k'.
void pawl_reduced_move(reduced_motion *m, const double *rate)
{
    const reduced_tree *t = m->tree;
    memcpy(m->rate, rate, (size_t)t->column_count * sizeof *rate);
    for (int i = 0; i < t->link_count; ++i) {
        const reduced_link *l = &t->links[i];
        spatial V = l->driven ? m->driven_velocity[i] : pawl_reduced_from_parent(m, i, m->V);
        for (int k = l->first_column; k < l->first_column + l->column_count; ++k) {
            int ball = t->columns[k].ball;
            if (ball >= 0) {
                V = motion_move_ball(m, ball, V);
                break; // a ball comes last
            }
            m->S_rate[k] = sp_cross(V, m->S[k]);
            V = sp_axpy(V, rate[k], m->S[k]);
            m->column_V[k] = V;
            m->p[k] = sp_cross(V, m->S[k]);
        }
        m->V[i] = V;
    }
}

// ---- accelerate --------------------------------------------------------------------------------

// p_j' = g_j' - S_j' x V - S_j x A with g_j = sum_k G_jk d_k; in g_j' the ball's base turns with V_before
// and the chart moves.
static void motion_ball_p_rate(reduced_motion *m, int ball, const double *acceleration,
                               spatial before, spatial A)
{
    const reduced_ball *b = &m->balls[ball];
    int first = m->tree->ball_column[ball];
    const double *d = m->rate + first, *dd = acceleration + first;
    pawl_vec3 zero = v3(0.0, 0.0, 0.0), along = v3(d[0], d[1], d[2]);
    for (int j = 0; j < 3; ++j) {
        spatial g = sp_zero(), g_rate = sp_zero();
        for (int k = 0; k < 3; ++k) {
            g = sp_axpy(g, d[k], b->derivative[j][k]);
            g_rate = sp_axpy(g_rate, dd[k], b->derivative[j][k]);
        }
        pawl_vec3 second = m3_mul(&b->axes, pawl_chart_left_second(&b->chart, j, along));
        g_rate = sp_add(g_rate, sp_cross(before, g));
        g_rate = sp_add(g_rate, sp_motion_from(b->arm, zero, second));
        g_rate = sp_add(g_rate, sp_cross(m->column_V[first + j], m->S_rate[first + j]));
        m->p_rate[first + j] = sp_add(g_rate, sp_cross(A, m->S[first + j]));
    }
}

// A_child = A_parent + sum of (S_k theta_k'' + S_k' theta_k'). S_k' was left by
// pawl_reduced_move().
void pawl_reduced_accelerate(reduced_motion *m, const double *acceleration)
{
    const reduced_tree *t = m->tree;
    for (int i = 0; i < t->link_count; ++i) {
        const reduced_link *l = &t->links[i];
        spatial A = l->driven ? m->driven_acceleration[i] : pawl_reduced_from_parent(m, i, m->A);
        for (int k = l->first_column; k < l->first_column + l->column_count; ++k) {
            A = sp_axpy(sp_axpy(A, acceleration[k], m->S[k]), m->rate[k], m->S_rate[k]);
            if (t->columns[k].ball < 0) {
                m->p_rate[k] = sp_add(sp_cross(m->column_V[k], m->S_rate[k]), sp_cross(A, m->S[k]));
            }
        }
        int last = l->first_column + l->column_count - 1;
        if (l->column_count > 0 && t->columns[last].ball >= 0) {
            int before = t->ball_column[t->columns[last].ball] - 1;
            spatial V = before >= l->first_column ? m->column_V[before]
                                                  : pawl_reduced_from_parent(m, i, m->V);
            motion_ball_p_rate(m, t->columns[last].ball, acceleration, V, A);
        }
        m->A[i] = A;
    }
}

// ---- bodies and points -------------------------------------------------------------------------

// Twist of a link's centre of mass.
static pawl_twist motion_twist(const reduced_motion *m, int link)
{
    pawl_vec3 arm = v3_sub(m->position[link], m->origin[link]);
    return (pawl_twist){sp_at(m->V[link], arm), m->V[link].w};
}

void pawl_reduced_write_bodies(const reduced_motion *m, bool twists, body_state *bodies)
{
    for (int i = 0; i < m->tree->link_count; ++i) {
        body_state *b = &bodies[m->tree->links[i].body];
        b->r = m->position[i];
        b->q = m->orientation[i];
        if (twists) {
            pawl_twist u = motion_twist(m, i);
            b->v = u.linear;
            b->w = u.angular;
        }
    }
}

// The rates of turns about axes e[0 .. turns - 1] that together are the angular velocity w, by the dual axes;
// two more are made up where a joint has fewer than three.
static void motion_turn_rates(pawl_vec3 e[3], int turns, pawl_vec3 w, double rate[3])
{
    if (turns == 1) {
        pawl_vec3 pick = fabs(e[0].x) < 0.6 ? v3(1.0, 0.0, 0.0) : v3(0.0, 1.0, 0.0);
        e[1] = v3_cross(e[0], pick);
    }
    if (turns < 3) {
        e[2] = v3_cross(e[0], e[1]);
    }
    for (int n = 0; n < turns; ++n) {
        pawl_vec3 normal = v3_cross(e[(n + 1) % 3], e[(n + 2) % 3]);
        double det = v3_dot(e[n], normal);
        // In gimbal lock angles have no rates; a bounded stand-in keeps them finite.
        double safe = fabs(det) > 1e-6 ? det : (det < 0.0 ? -1e-6 : 1e-6);
        rate[n] = v3_dot(normal, w) / safe;
    }
}

// Turns are found from the angular velocity between parent and child, slides from what is left of the
// velocity at the child's centre.
static void motion_read_rates(const reduced_motion *m, int link, pawl_twist between, double *rate)
{
    const reduced_link *l = &m->tree->links[link];
    const reduced_column *c = m->tree->columns;
    int turn[3], turns = 0, end = l->first_column + l->column_count;
    pawl_vec3 axes[3] = {{0}}, left = between.linear;
    for (int k = l->first_column; k < end; ++k) {
        if (c[k].turn != 0.0) {
            PAWL_ASSERT(turns < 3);
            axes[turns] = m->S[k].w;
            turn[turns++] = k;
        }
    }
    double found[3] = {0};
    if (turns > 0) {
        motion_turn_rates(axes, turns, between.angular, found);
    }
    for (int n = 0; n < turns; ++n) {
        rate[turn[n]] = found[n];
        left =
            v3_axpy(left, -found[n], pawl_reduced_column_at(m, turn[n], m->position[link]).linear);
    }
    for (int k = l->first_column; k < end; ++k) {
        if (c[k].turn == 0.0) {
            rate[k] = v3_dot(left, m->S[k].v); // slides are along axes at right angles
        }
    }
}

// For each link the twist relative to the parent's point at the child's centre.
void pawl_reduced_rate_from(const reduced_motion *m, const body_state *bodies, double *rate)
{
    const reduced_tree *t = m->tree;
    for (int i = 0; i < t->link_count; ++i) {
        const reduced_link *l = &t->links[i];
        if (l->column_count == 0) {
            continue;
        }
        pawl_twist between = {bodies[l->body].v, bodies[l->body].w};
        if (l->parent >= 0) {
            const body_state *p = &bodies[t->links[l->parent].body];
            pawl_vec3 arm = v3_sub(m->position[i], m->position[l->parent]);
            between.linear = v3_sub(between.linear, v3_add(p->v, v3_cross(p->w, arm)));
            between.angular = v3_sub(between.angular, p->w);
        }
        motion_read_rates(m, i, between, rate);
    }
}

// Only columns on the path from the link to the root move it.
void pawl_reduced_jacobian(const reduced_motion *m, int link, pawl_vec3 point, double *J)
{
    int n = m->tree->column_count;
    memset(J, 0, (size_t)(6 * n) * sizeof *J);
    for (int k = m->tree->links[link].last_column; k >= 0; k = m->tree->columns[k].parent) {
        pawl_twist u = pawl_reduced_column_at(m, k, point);
        double *column = J + k;
        column[0] = u.linear.x, column[n] = u.linear.y, column[2 * n] = u.linear.z;
        column[3 * n] = u.angular.x, column[4 * n] = u.angular.y, column[5 * n] = u.angular.z;
    }
}

void pawl_reduced_add_wrench(const reduced_motion *m, int link, pawl_vec3 point, pawl_vec3 force,
                             pawl_vec3 moment, double *tau)
{
    spatial w = sp_force_from(v3_sub(point, m->origin[link]), force, moment);
    for (int k = m->tree->links[link].last_column; k >= 0; k = m->tree->columns[k].parent) {
        tau[k] += sp_dot(m->S[k], w);
    }
}
