// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Each kind of coordinates estimates the instructions of a step by counts of rows, columns and contacts; instead, it
// reports what it does not support or would do differently from maximal coordinates. The estimates are rounded
// figures of tools/step_table with errors of about a third: they are for ranking, not for prediction.
#include "coordinates/coordinates_choice.h"
#include <math.h>
#include <stdio.h>

// Others than the first are worth it only where the estimate, which is that rough, is clear.
static const double coordinates_worth = 0.9;

// Rows of springs, dampers, armatures and of drives that have rows.
int pawl_coordinates_soft_rows(const pawl_model *m)
{
    int rows = 0;
    for (int i = 0; i < m->joint_count; ++i) {
        for (int q = 0; q < m->joints[i].coordinate_count; ++q) {
            const pawl_coordinate_def *d = &m->joints[i].coordinate[q];
            rows += d->stiffness > 0.0 || d->damping > 0.0 || d->armature > 0.0;
        }
    }
    return rows + m->actuator_count + m->spring_count;
}

// Each shape of a moving body may have a contact point; most of a robot's never do.
double pawl_coordinates_contacts(const pawl_model *m)
{
    int shapes = 0;
    for (int i = 0; i < m->body_count; ++i) {
        const model_body *b = &m->bodies[i];
        for (int k = 0; k < b->shape_count && b->kind != PAWL_BODY_KINEMATIC; ++k) {
            shapes += !m->shapes[b->first_shape + k].def.visual_only;
        }
    }
    return 0.5 * shapes;
}

// Whether joints and gravity alone act: no springs, drives, forces, limits, friction or contacts.
bool pawl_coordinates_move_freely(const pawl_model *m)
{
    bool limited = false;
    for (int i = 0; i < m->joint_count; ++i) {
        for (int q = 0; q < m->joints[i].coordinate_count; ++q) {
            const pawl_coordinate_def *d = &m->joints[i].coordinate[q];
            limited = limited || isfinite(d->lower) || isfinite(d->upper) || d->friction > 0.0;
        }
    }
    return !limited && m->force_count == 0 && pawl_coordinates_soft_rows(m) == 0 &&
           pawl_coordinates_contacts(m) == 0.0;
}

pawl_status pawl_coordinates_choose(const pawl_env *env, const pawl_model *model,
                                    const pawl_settings *settings, bool alike, int *kind,
                                    char reason[COORDINATES_REASON])
{
    coordinates_estimate best = {0}, other = {0};
    const char *cannot = alike ? NULL : "the stepper has the same motion only in maximal ones";
    *kind = 0;
    for (int k = 0; k < PAWL_FORMULATION_COUNT; ++k) {
        const coordinates_ops *ops = pawl_coordinates_find(k);
        if (ops == NULL || ops->estimate == NULL || (k > 0 && !alike)) {
            continue;
        }
        coordinates_estimate own = {.of = ops->name};
        PAWL_TRY(ops->estimate(env, model, settings, &own));
        if (own.cannot != NULL) {
            cannot = own.cannot;
        } else if (best.of == NULL || own.instructions < coordinates_worth * best.instructions) {
            other = best;
            best = own;
            *kind = k;
        } else {
            other = own;
        }
    }
    best.of = best.of == NULL ? pawl_coordinates_find(*kind)->name : best.of;
    if (other.of != NULL) {
        (void)snprintf(reason, COORDINATES_REASON,
                       "%s, estimated at %.0f k instructions a step (%s); %s %.0f k (%s)", best.of,
                       1e-3 * best.instructions, best.counts, other.of, 1e-3 * other.instructions,
                       other.counts);
    } else {
        (void)snprintf(reason, COORDINATES_REASON, "%s: %s", best.of,
                       cannot != NULL ? cannot : "no others are at hand");
    }
    return PAWL_OK;
}
