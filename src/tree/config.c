// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Generalized coordinates from poses, and changes of chart.
//
// Poses determine angles only up to full turns. Hinges are unwrapped to the value nearest to the last one; the
// reference of a ball is set to the pose itself, with xi = 0, where the chart is best conditioned.
#include "math/trig.h"
#include "tree/motion.h"
#include <string.h>

reduced_config pawl_reduced_config_carve(const reduced_tree *tree, pawl_carver *mem)
{
    reduced_config c;
    c.reference = PAWL_CARVE(mem, pawl_quat, tree->ball_count);
    c.theta = PAWL_CARVE(mem, double, tree->column_count);
    return c;
}

void pawl_reduced_config_copy(const reduced_tree *tree, const reduced_config *from,
                              reduced_config *to)
{
    memcpy(to->reference, from->reference, (size_t)tree->ball_count * sizeof *to->reference);
    memcpy(to->theta, from->theta, (size_t)tree->column_count * sizeof *to->theta);
}

static pawl_vec3 config_xi(const reduced_tree *tree, const double *theta, int ball)
{
    const double *xi = theta + tree->ball_column[ball];
    return v3(xi[0], xi[1], xi[2]);
}

static void config_set_xi(const reduced_tree *tree, double *theta, int ball, pawl_vec3 xi)
{
    double *x = theta + tree->ball_column[ball];
    x[0] = xi.x, x[1] = xi.y, x[2] = xi.z;
}

// A joint frame in the world.
static pawl_pose config_frame(pawl_pose body, pawl_vec3 anchor, pawl_quat turn)
{
    return (pawl_pose){pawl_pose_apply(body, anchor), quat_mul(body.orientation, turn)};
}

static pawl_pose config_body_pose(const body_state *bodies, int body)
{
    return body < 0 ? pawl_pose_identity() : (pawl_pose){bodies[body].r, bodies[body].q};
}

// Slides are components of the displacement in the base's axes; the angles of the chains that the tree
// knows follow from the relative rotation R: about x alone, x y, x y z, or z y x (a base by Euler angles).
//
// `rel` is the follower's frame seen from the base's. `reversed`: the tree passes the joint from
// the follower to the base, so its columns are in the opposite order. The middle angle of three
// comes from atan2 with a root that is never negative: it lies between -pi/2 and pi/2.
static void config_chain_values(const reduced_tree *tree, const reduced_link *l, pawl_pose rel,
                                double *values)
{
    const reduced_column *c = &tree->columns[l->first_column];
    if (l->column_count == 1) { // a hinge, a slider, a screw
        pawl_quat q = rel.orientation;
        values[0] = c->turn != 0.0 ? pawl_atan2(2.0 * (q.y * q.z + q.w * q.x),
                                                1.0 - 2.0 * (q.x * q.x + q.z * q.z))
                                   : rel.position.x;
        return;
    }
    pawl_mat3 r = quat_matrix(rel.orientation);
    double t[3] = {rel.position.x, rel.position.y, rel.position.z};
    int turns = 0, first = -1;
    for (int k = 0; k < l->column_count; ++k) {
        int own = l->reversed ? l->column_count - 1 - k : k;
        if (c[own].turn != 0.0) {
            first = first < 0 ? c[own].axis : first;
            ++turns;
        }
    }
    double angle[3] = {pawl_atan2(r.m[2][1], r.m[1][1]), pawl_atan2(r.m[0][2], r.m[0][0]), 0.0};
    if (turns == 3) {
        double flat = sqrt(r.m[0][0] * r.m[0][0] +
                           (first == 0 ? r.m[0][1] * r.m[0][1] : r.m[1][0] * r.m[1][0]));
        angle[0] =
            first == 0 ? pawl_atan2(-r.m[1][2], r.m[2][2]) : pawl_atan2(r.m[1][0], r.m[0][0]);
        angle[1] = pawl_atan2(first == 0 ? r.m[0][2] : -r.m[2][0], flat);
        angle[2] =
            first == 0 ? pawl_atan2(-r.m[0][1], r.m[0][0]) : pawl_atan2(r.m[2][1], r.m[2][2]);
    }
    for (int k = 0, n = 0; k < l->column_count; ++k) {
        int own = l->reversed ? l->column_count - 1 - k : k;
        values[own] = c[own].turn != 0.0 ? angle[n++] : t[c[own].axis];
    }
}

// The base's frame and the follower's in the order of the joint's own definition.
static void config_read_chain(const reduced_tree *tree, const reduced_link *l, pawl_pose parent,
                              pawl_pose child, const double *coordinates, double *theta)
{
    pawl_pose base = l->reversed ? child : parent, follower = l->reversed ? parent : child;
    double value[6] = {0};
    config_chain_values(tree, l, pawl_pose_compose(pawl_pose_inverse(base), follower), value);
    for (int k = 0; k < l->column_count; ++k) {
        const reduced_column *c = &tree->columns[l->first_column + k];
        double *x = &theta[l->first_column + k];
        if (c->ball >= 0) {
            continue;
        }
        bool known = coordinates != NULL && c->coordinate >= 0;
        *x = c->turn == 0.0 ? value[k]
                            : pawl_unwrap(value[k], known ? coordinates[c->coordinate] : *x);
    }
}

void pawl_reduced_config_from(const reduced_tree *tree, const body_state *bodies,
                              const double *coordinates, reduced_config *config)
{
    for (int i = 0; i < tree->link_count; ++i) {
        const reduced_link *l = &tree->links[i];
        if (l->column_count == 0) {
            continue;
        }
        int above = l->parent < 0 ? -1 : tree->links[l->parent].body;
        pawl_pose parent =
            config_frame(config_body_pose(bodies, above), l->parent_anchor, l->parent_turn);
        pawl_pose child =
            config_frame(config_body_pose(bodies, l->body), l->child_anchor, l->child_turn);
        config_read_chain(tree, l, parent, child, coordinates, config->theta);
        int ball = tree->columns[l->first_column + l->column_count - 1].ball;
        if (ball >= 0) {
            config->reference[ball] =
                pawl_quat_normalize(quat_mul(quat_conj(parent.orientation), child.orientation));
            config_set_xi(tree, config->theta, ball, v3(0.0, 0.0, 0.0));
        }
    }
}

void pawl_reduced_ball_velocity(const reduced_tree *tree, const double *theta, const double *rate,
                                double *velocity)
{
    if (velocity != rate) {
        memcpy(velocity, rate, (size_t)tree->column_count * sizeof *velocity);
    }
    for (int b = 0; b < tree->ball_count; ++b) {
        rotation_chart chart = pawl_rotation_chart(config_xi(tree, theta, b));
        pawl_mat3 left = pawl_chart_left_matrix(&chart);
        config_set_xi(tree, velocity, b, m3_tmul(&left, config_xi(tree, rate, b)));
    }
}

void pawl_reduced_ball_rate(const reduced_tree *tree, const double *theta, const double *velocity,
                            double *rate)
{
    if (velocity != rate) {
        memcpy(rate, velocity, (size_t)tree->column_count * sizeof *rate);
    }
    for (int b = 0; b < tree->ball_count; ++b) {
        // LT(xi) = L(-xi), whose inverse is the rate of the rotation vector -xi
        pawl_mat3 inverse = rotation_vector_rate(v3_scale(-1.0, config_xi(tree, theta, b)));
        config_set_xi(tree, rate, b, m3_mul(&inverse, config_xi(tree, velocity, b)));
    }
}

// At xi = 0 the rate of xi is the angular velocity in the child's axes, hence the conversion before
// the reference moves.
void pawl_reduced_recentre(const reduced_tree *tree, reduced_config *config, double *rate)
{
    if (rate != NULL) {
        pawl_reduced_ball_velocity(tree, config->theta, rate, rate);
    }
    for (int b = 0; b < tree->ball_count; ++b) {
        pawl_quat turn = quat_exp(config_xi(tree, config->theta, b));
        config->reference[b] = pawl_quat_normalize(quat_mul(config->reference[b], turn));
        config_set_xi(tree, config->theta, b, v3(0.0, 0.0, 0.0));
    }
}
