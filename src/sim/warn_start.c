// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Starts that contradict the model: shapes inside each other, and joints beyond their limits. Both are
// corrected while the model runs, at position level and at a bounded rate (position_correction.c), so that a run
// starts with a motion that no force explains. One warning of each kind, with the number and the worst case.
#include "rows/measure.h"
#include "sim/warnings.h"
#include <stdio.h>

static const double start_shallow = 1e-5; // of the thinner shape: digits of files, not overlaps
static const double start_digits = 1e-6;  // of a limit, likewise [m or rad]

// How deep a pair of hard shapes is in each other; 0 where it is not.
static double start_depth(const contact_finder *finder, finder_pair pair, const body_state *bodies)
{
    pawl_contact points[FINDER_POINTS];
    int count = pawl_contact_finder_points(finder, pair, bodies, 0.0, points);
    double depth = 0.0;
    for (int i = 0; i < count; ++i) {
        // Soft contacts may overlap by design.
        depth = pawl_is_soft(&points[i].soft) ? 0.0 : max_of(depth, -points[i].gap);
    }
    return depth > start_shallow * pawl_contact_finder_thickness(finder, pair) ? depth : 0.0;
}

static warning_where start_shapes(const pawl_sim *sim, finder_pair pair)
{
    const int item[2] = {pair.item_a, pair.item_b};
    warning_where side[2], where;
    for (int i = 0; i < 2; ++i) {
        const pawl_shape_info *shape =
            &sim->model->shapes[pawl_contact_finder_shape(sim->finder, item[i])];
        side[i] = pawl_warning_body(sim->model, pawl_body_index(shape->body));
        if (shape->def.name != NULL && shape->def.name[0] != '\0') {
            snprintf(where.text, sizeof where.text, "%.100s shape '%.100s'", side[i].text,
                     shape->def.name);
            side[i] = where;
        }
    }
    snprintf(where.text, sizeof where.text, "%.120s and %.120s", side[0].text, side[1].text);
    return where;
}

// The search here has no margin: a pair counts only where shapes really overlap.
pawl_status pawl_warn_overlaps(pawl_sim *sim, warning_list *list)
{
    contact_finder *finder = sim->finder;
    const body_state *bodies = sim->state->bodies;
    if (finder == NULL) {
        return PAWL_OK;
    }
    if (pawl_contact_finder_find(finder, bodies, 0.0, 0.0) < 0) {
        return PAWL_FAIL(&sim->env, PAWL_NO_MEMORY, "no memory for collision detection");
    }
    int count = 0, worst = -1;
    double deepest = 0.0;
    for (int k = 0; k < pawl_contact_finder_pair_count(finder); ++k) {
        double depth = start_depth(finder, pawl_contact_finder_pair(finder, k), bodies);
        count += depth > 0.0;
        if (depth > deepest) {
            deepest = depth;
            worst = k;
        }
    }
    if (count == 0) {
        return PAWL_OK;
    }
    warning_where where = start_shapes(sim, pawl_contact_finder_pair(finder, worst));
    const char *advice = "move the bodies apart, exclude pairs that never touch (pawl:exclude), or "
                         "let the run separate them, at no more than contact.max_push";
    return pawl_warning_add(
        list, PAWL_WARNING_OVERLAP, where.text, advice,
        "%d pair%s of shapes overlap%s at the start, this one deepest, by %.3g m", count,
        count == 1 ? "" : "s", count == 1 ? "s" : "", deepest);
}

// Only the coordinate that is farthest beyond is named.
pawl_status pawl_warn_beyond_limits(pawl_sim *sim, warning_list *list)
{
    const pawl_model *m = sim->model;
    int count = 0, worst = -1;
    double farthest = 0.0, at = 0.0, limit = 0.0;
    bool angle = false;
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        if (j->kind == PAWL_JOINT_GEAR) {
            continue;
        }
        double q[6];
        pawl_state_joint(sim->state, model_joint_id(sim->state->model, i), q, NULL);
        for (int c = 0; c < j->coordinate_count; ++c) {
            const pawl_coordinate_def *d = &j->coordinate[c];
            double beyond = max_of(d->lower - q[c], q[c] - d->upper);
            count += beyond > start_digits;
            if (beyond > start_digits && beyond > farthest) {
                farthest = beyond;
                worst = i;
                at = q[c];
                limit = q[c] < d->lower ? d->lower : d->upper;
                angle = pawl_joint_kind_is_angle(j->kind, c);
            }
        }
    }
    if (count == 0) {
        return PAWL_OK;
    }
    warning_where where = pawl_warning_joint(m, worst);
    const char *unit = angle ? "rad" : "m";
    const char *advice = "start it within its limits, widen them, or let the run correct it, at no "
                         "more than limit.max_push";
    return pawl_warning_add(
        list, PAWL_WARNING_BEYOND_LIMIT, where.text, advice,
        "%d coordinate%s start%s beyond a limit, this one farthest: at %.4g %s, "
        "%.3g %s beyond %.4g %s",
        count, count == 1 ? "" : "s", count == 1 ? "s" : "", at, unit, farthest, unit, limit, unit);
}
