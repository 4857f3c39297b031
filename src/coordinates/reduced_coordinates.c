// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reduced coordinates: the coordinates satisfy the joints of a spanning tree, the other joints are rows. The effect
// of an impulse along a row is computed by articulated bodies (docs/reduced.md section 6).
#include "coordinates/reduced_coordinates.h"
#include "coordinates/reduced_delassus.h"
#include <stdio.h>

typedef struct reduced_coordinates {
    coordinates base; // first
    row_metric metric;
    pawl_env env;
    reduced_tree *tree;
    reduced_form *form;
} reduced_coordinates;

// The metric is a member, so the whole is found by its offset.
static reduced_coordinates *reduced_of_metric(const row_metric *metric)
{
    return (reduced_coordinates *)((char *)metric - offsetof(reduced_coordinates, metric));
}

reduced_form *pawl_reduced_form_of(const coordinates *c)
{
    return ((const reduced_coordinates *)c)->form;
}

// ---- the metric of the rows ----------------------------------------------------------------------

static void reduced_place(row_metric *metric, const body_state *bodies, const double *reference,
                          double t, double damping_time)
{
    pawl_reduced_form_place(reduced_of_metric(metric)->form, bodies, reference, t, damping_time);
}

static void reduced_scale_block(row_metric *metric, pawl_assembly *a, const row_block *b)
{
    pawl_reduced_form_row_block(reduced_of_metric(metric)->form, a, b);
}

static double reduced_diagonal(const row_metric *metric, const pawl_assembly *a, const row_block *b,
                               int r)
{
    return pawl_reduced_form_diagonal(reduced_of_metric(metric)->form, a, (int)(b - a->blocks),
                                      b->rows.first_row + r);
}

static void reduced_complete(const row_metric *metric, pawl_assembly *a, int first_row)
{
    pawl_reduced_form_add_compliance(reduced_of_metric(metric)->form, first_row, a);
}

static void reduced_add_impulses(row_metric *metric, const pawl_assembly *a, const double *lambda,
                                 double *u)
{
    pawl_reduced_form_add_impulses(reduced_of_metric(metric)->form, a, lambda, u);
}

static void reduced_turn_pair(row_metric *metric, pawl_assembly *a, int row, double c, double s)
{
    (void)a;
    pawl_reduced_form_turn_pair(reduced_of_metric(metric)->form, row, c, s);
}

static const row_metric_ops reduced_metric_ops = {
    .place = reduced_place,
    .scale_block = reduced_scale_block,
    .diagonal = reduced_diagonal,
    .complete = reduced_complete,
    .add_impulses = reduced_add_impulses,
    .turn_pair = reduced_turn_pair,
};

// ---- creation ------------------------------------------------------------------------------------

static void reduced_destroy(coordinates *base)
{
    reduced_coordinates *c = (reduced_coordinates *)base;
    pawl_env env = c->env;
    pawl_reduced_delassus_destroy(base->delassus);
    pawl_reduced_form_destroy(c->form);
    pawl_assembly_destroy(base->rows);
    pawl_reduced_tree_destroy(c->tree);
    pawl_free(&env, c, sizeof *c);
}

// Rows of all joints but those of the tree.
pawl_status pawl_reduced_rows_create(const pawl_env *env, const reduced_tree *tree,
                                     int max_contacts, pawl_assembly **out)
{
    const pawl_model *m = tree->model;
    size_t bytes = (size_t)(m->joint_count + 1) * sizeof(bool);
    bool *tree_joint = pawl_alloc(env, bytes);
    if (tree_joint == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the coordinates of '%s'", m->name);
    }
    for (int i = 0; i < m->joint_count; ++i) {
        tree_joint[i] = pawl_reduced_tree_has_joint(tree, i);
    }
    pawl_status status = pawl_assembly_create_tree(env, m, max_contacts, tree_joint, out);
    pawl_free(env, tree_joint, bytes);
    return status;
}

static pawl_status reduced_create_parts(reduced_coordinates *c, const pawl_model *m,
                                        const pawl_settings *set, int max_contacts)
{
    const pawl_env *env = &c->env;
    reduced_base base =
        set->reduced.base == PAWL_REDUCED_BASE_EULER ? REDUCED_BASE_EULER : REDUCED_BASE_NO_LOCK;
    PAWL_TRY(pawl_reduced_tree_create(env, m, base, &c->tree));
    PAWL_TRY(pawl_reduced_rows_create(env, c->tree, max_contacts, &c->base.rows));
    pawl_assembly *a = c->base.rows;
    PAWL_TRY(pawl_reduced_form_create(env, a, c->tree, &c->form));
    c->metric.ops = &reduced_metric_ops;
    a->metric = &c->metric;
    PAWL_TRY(pawl_reduced_delassus_create(env, a, c->form, set->delassus, &c->base.delassus));
    a->problem.delassus = c->base.delassus;
    return PAWL_OK;
}

// A soft joint opens under load, which a coordinate of the tree cannot.
static pawl_status reduced_create(const pawl_env *env, const pawl_model *model,
                                  const pawl_settings *settings, int max_contacts,
                                  coordinates **out)
{
    *out = NULL;
    if (settings->soft.joint > 0.0) {
        return PAWL_FAIL(
            env, PAWL_UNSUPPORTED,
            "formulation=reduced needs hard joints for '%s': got soft.joint=%g, expected 0",
            model->name, settings->soft.joint);
    }
    reduced_coordinates *c = pawl_alloc(env, sizeof *c);
    if (c == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the coordinates of '%s'", model->name);
    }
    *c = (reduced_coordinates){.base = {.ops = &pawl_reduced_coordinates}, .env = *env};
    pawl_status status = reduced_create_parts(c, model, settings, max_contacts);
    if (status != PAWL_OK) {
        reduced_destroy(&c->base);
        return status;
    }
    *out = &c->base;
    return PAWL_OK;
}

// ---- motion --------------------------------------------------------------------------------------

static void reduced_constrain(coordinates *c, double *u)
{
    pawl_reduced_form_constrain(pawl_reduced_form_of(c), u);
}

static double reduced_reactions(coordinates *c, const double *lambda, const double *from,
                                const double *to, const double *before, const double *after,
                                double *scratch, double *reaction)
{
    return pawl_reduced_form_reactions(pawl_reduced_form_of(c), c->rows, lambda, from, to, before,
                                       after, scratch, reaction);
}

static void reduced_settle_reactions(coordinates *c, double *reaction)
{
    pawl_reduced_form_settle_reactions(pawl_reduced_form_of(c), reaction);
}

static void reduced_forget_reactions(coordinates *c, bool defers)
{
    pawl_reduced_form_of(c)->deferred_count = 0;
    pawl_reduced_form_of(c)->defers = defers;
}

static void reduced_close(coordinates *c, const double *values, double t, body_state *bodies)
{
    pawl_reduced_form_close(pawl_reduced_form_of(c), values, t, bodies);
}

static void reduced_close_placed(coordinates *c, body_state *bodies)
{
    pawl_reduced_form_settle(pawl_reduced_form_of(c), bodies);
}

static void reduced_move(coordinates *c, const double *values, const double *d, double fraction,
                         double t, body_state *bodies)
{
    pawl_reduced_form_move(pawl_reduced_form_of(c), values, d, fraction, t, bodies);
}

static void reduced_expect(coordinates *c, int redundant)
{
    pawl_reduced_delassus_expect(c->delassus, redundant);
}

// Number of joints in the loop that the block closes: from both bodies up to where the paths meet,
// and the closing joint itself.
static int reduced_loop_joints(const coordinates *c, int block)
{
    const reduced_tree *tree = ((const reduced_coordinates *)c)->tree;
    const row_block *b = &c->rows->blocks[block];
    int at[2] = {-1, -1}, joints = 1;
    for (int i = 0; i < b->body_count && i < 2; ++i) {
        at[i] = tree->link_of_body[b->body[i]];
    }
    for (; at[0] != at[1]; ++joints) { // parents come before children
        int deep = at[0] > at[1] ? 0 : 1;
        at[deep] = tree->links[at[deep]].parent;
    }
    return joints;
}

// The reason why a model does not use these coordinates unless they are requested; NULL: it may be.
static const char *reduced_cannot(const pawl_model *model, const pawl_settings *set)
{
    if (set->soft.joint > 0.0) {
        return "soft.joint needs rows for all joints";
    }
    if (!set->project) {
        return "with project=off joints open, which joints of a tree cannot";
    }
    if (set->sleep.time > 0.0) {
        return "with sleep.time single groups of bodies sleep only in maximal ones";
    }
    if (set->delassus != PAWL_DELASSUS_AUTO) {
        return "delassus requires a matrix over rows";
    }
    return model->joint_count == 0 || model->velocity_count == 0 ? "no body that moves has a joint"
                                                                 : NULL;
}

// Columns cost the same each; rows of loops, contacts and their pairs are dense over the columns on their paths.
static pawl_status reduced_estimate(const pawl_env *env, const pawl_model *model,
                                    const pawl_settings *set, coordinates_estimate *out)
{
    const double column = 1.9e4, row = 2e4, entry = 40.0, product = 2.0, contact = 2e4;
    out->cannot = reduced_cannot(model, set);
    if (out->cannot != NULL) {
        return PAWL_OK;
    }
    reduced_tree *tree = NULL;
    PAWL_TRY(pawl_reduced_tree_create(env, model, REDUCED_BASE_NO_LOCK, &tree));
    double columns = tree->column_count, rows = 0.0, depth = 0.0;
    for (int i = 0; i < tree->loop_joint_count; ++i) {
        rows += model->joints[tree->loop_joints[i]].row_count;
    }
    for (int k = 0; k < tree->column_count; ++k) {
        depth = max_of(depth, tree->columns[k].depth + 1.0);
    }
    pawl_reduced_tree_destroy(tree);
    double contacts = pawl_coordinates_contacts(model), dense = rows + 3.0 * contacts;
    out->instructions = column * columns + row * rows + contact * contacts + entry * dense * depth +
                        product * dense * dense * columns;
    (void)snprintf(out->counts, sizeof out->counts, "%.0f columns, depth %.0f, %.0f rows of loops",
                   columns, depth, rows);
    return PAWL_OK;
}

const coordinates_ops pawl_reduced_coordinates = {
    .name = "reduced",
    .summary = "joint coordinates on a spanning tree, loops as constraints: steppers "
               "euler, moreau, lit",
    .has_tree_joints = true,
    // The few rows of a loop contain all of its redundancy, so their misfit is larger.
    .newton_steps = 6,
    .estimate = reduced_estimate,
    .create = reduced_create,
    .destroy = reduced_destroy,
    .constrain = reduced_constrain,
    .reactions = reduced_reactions,
    .settle_reactions = reduced_settle_reactions,
    .forget_reactions = reduced_forget_reactions,
    .close = reduced_close,
    .close_placed = reduced_close_placed,
    .move = reduced_move,
    .expect = reduced_expect,
    .loop_joints = reduced_loop_joints,
};
