// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Merges reports of parts of a step (impacts, sub-steps between events, stages): counts and work are summed, for
// residuals and depths the worst value is kept, so that no part hides the error of another.
#include "step/common/report_merge.h"
#include "math/vec.h"

void pawl_residual_worsen(pawl_residual *whole, const pawl_residual *part)
{
    whole->primal = worst_of(whole->primal, part->primal);
    whole->dual = worst_of(whole->dual, part->dual);
    whole->complementarity = worst_of(whole->complementarity, part->complementarity);
    whole->natural = worst_of(whole->natural, part->natural);
    whole->natural_scaled = worst_of(whole->natural_scaled, part->natural_scaled);
}

// Sums of counts, the worst of judged figures, the largest of sizes: a step in several parts is as good as its worst
// part.
void pawl_report_merge(pawl_step_report *whole, const pawl_step_report *part)
{
    whole->outcome = part->outcome > whole->outcome ? part->outcome : whole->outcome;
    whole->measured |= part->measured;
    whole->method = part->method > whole->method ? part->method : whole->method;
    whole->iterations += part->iterations;
    whole->factorizations += part->factorizations;
    whole->projections += part->projections;
    whole->impact_work += part->impact_work;
    whole->limit_correction_energy += part->limit_correction_energy;
    whole->contact_correction_energy += part->contact_correction_energy;
    whole->islands = part->islands > whole->islands ? part->islands : whole->islands;
    whole->rows = part->rows > whole->rows ? part->rows : whole->rows;
    if (part->bounded_rows > whole->bounded_rows) {
        whole->bounded_rows = part->bounded_rows;
    }
    whole->contacts = part->contacts > whole->contacts ? part->contacts : whole->contacts;
    if (!(part->depth_ratio <= whole->depth_ratio)) {
        whole->depth_ratio = worst_of(whole->depth_ratio, part->depth_ratio);
        whole->ratio_shape_a = part->ratio_shape_a;
        whole->ratio_shape_b = part->ratio_shape_b;
    }
    whole->start_depth = max_of(whole->start_depth, part->start_depth);
    if (part->penetration > whole->penetration) {
        whole->penetration = part->penetration;
        whole->worst_shape_a = part->worst_shape_a;
        whole->worst_shape_b = part->worst_shape_b;
    }
    pawl_residual_worsen(&whole->residual, &part->residual);
    whole->own_residual = worst_of(whole->own_residual, part->own_residual);
}
