// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Limits of joint coordinates: lambda >= 0, one row for each side that is limited. The row is part of a step's
// problem only if the limit can be reached in the step (loops eq. 28-32, 90).
#include "pawl/report.h"
#include "rows/families.h"
#include "rows/row_build.h"

// The sign makes both sides the same constraint: s q' >= 0 at the gap 0, with s = 1 for a lower limit and -1 for an
// upper one, and so lambda >= 0 for both.
static void limit_plan(row_plan *p)
{
    const pawl_model *m = p->model;
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        for (int q = 0; q < j->coordinate_count; ++q) {
            int flat = j->first_coordinate + q;
            if (isfinite(j->coordinate[q].lower)) {
                pawl_row_plan_candidate(p, (row_info){&pawl_limit_rows_family, i, q, flat,
                                                      p->slots.lowers + flat, 1.0});
            }
            if (isfinite(j->coordinate[q].upper)) {
                pawl_row_plan_candidate(p, (row_info){&pawl_limit_rows_family, i, q, flat,
                                                      p->slots.uppers + flat, -1.0});
            }
        }
    }
}

// Distance to the limit [m or rad], negative beyond it.
double pawl_limit_gap_at(const pawl_model *m, const row_info *info, double value)
{
    const pawl_coordinate_def *d = &m->joints[info->owner].coordinate[info->part];
    return info->sign > 0.0 ? value - d->lower : d->upper - value;
}

static double limit_gap(const pawl_assembly *a, const row_info *info)
{
    return pawl_limit_gap_at(a->model, info, a->coordinates[info->coordinate].value);
}

// The coordinate's own, or that of the settings.
static const pawl_softness *limit_softness(const pawl_assembly *a, const row_info *info)
{
    const pawl_coordinate_def *d = &a->model->joints[info->owner].coordinate[info->part];
    return pawl_softness_choose(&d->limit_soft, &a->limit_soft);
}

static bool limit_is_soft(const pawl_assembly *a, const row_info *info)
{
    return pawl_is_soft(limit_softness(a, info));
}

static bool limit_is_one(const row_info *info)
{
    return info->family == &pawl_limit_rows_family;
}

// How far away a limit may be and still get a row in a step of length h. Wide on purpose: a row too many costs
// little, one too few costs another solve (pawl_assembly_add_missed()). The 1 is a rate [m/s or rad/s] for coordinates
// at rest.
static double limit_reach(double rate, double h)
{
    return h * (2.0 * fabs(rate) + 1.0);
}

// A soft limit acts only beyond the limit and does not stop a coordinate before it.
static bool limit_is_near(const pawl_assembly *a, int k, double rate, double ahead, double h)
{
    const row_info *info = &a->candidates[k];
    if (a->persistent[k]) {
        return true;
    }
    double gap = limit_gap(a, info);
    return limit_is_soft(a, info) ? gap < 0.0
                                  : gap <= limit_reach(max_of(fabs(rate), fabs(ahead)), h);
}

// The bias of docs/math.md section 8: an open gap may close within `reach`; of a violation a fraction erp is
// corrected, at most at limit_correction_speed. A joint whose bodies rotate fast moves on beyond a limit that stopped
// it, because its axis turns by h w in a step, which adds h w^2 of other rates to its own. A coordinate that returns
// at the rate `before` is corrected at least at that rate; otherwise the limit would slow its return. A soft limit
// has MuJoCo's bias instead, and takes no part in the correction of positions.
static void limit_fill(pawl_assembly *a, const row_block *b, int r, const step_weights *w,
                       row_rates rate, bool persistent)
{
    const row_info *info = &a->rows[r];
    double gap = limit_gap(a, info);
    double own = a->model->joints[info->owner].coordinate[info->part].limit_erp;
    a->bias[r] = pawl_row_gap_bias(a, r, gap, pawl_row_erp(own, w->erp_limit),
                                   w->limit_correction_speed, pawl_slow_correction, w);
    if (gap < 0.0 && rate.before < 0.0) {
        a->want[r] = max_of(a->want[r], fmin(-gap / w->reach, -rate.before));
    }
    // A limit that lasts is a joint for the time being: u+ + start_weight u- = 0 instead of a gap to close.
    if (persistent) {
        pawl_row_keep_closed(a, r, pawl_slow_correction);
        a->bias[r] = w->start_weight * rate.before;
    }
    a->lower[r] = 0.0;
    const pawl_softness *soft = limit_softness(a, info);
    if (pawl_is_soft(soft)) {
        pawl_row_soften(a, b, 0, soft, pawl_softness_impedance(soft, gap), w, gap, rate.before);
        a->want[r] = -INFINITY;
    }
}

// After a solve: limits that had no row and that the answer u crosses within `reach`. The rate towards a limit is
// -sign q'. Each round adds rows and none is taken away, so it ends after as many rounds as there are limits; one is
// usual.
int pawl_assembly_add_missed(pawl_assembly *a, const double *u, const step_weights *w)
{
    int missed = 0;
    for (int k = 0; k < a->candidate_count; ++k) {
        const row_info *info = &a->candidates[k];
        if (a->included[k] || !limit_is_one(info) || limit_is_soft(a, info)) {
            continue;
        }
        const coordinate_row *g = &a->coordinates[info->coordinate];
        double rate = pawl_assembly_coordinate_rate(a, info->owner, g, u);
        if (w->reach * -info->sign * rate > limit_gap(a, info)) {
            a->included[k] = true;
            ++missed;
        }
    }
    return missed;
}

// Whether any limit, hard or soft, could matter in the next h: rattle leaves such steps to moreau.
bool pawl_assembly_limit_is_near(const pawl_assembly *a, const double *u, double h)
{
    for (int k = 0; k < a->candidate_count; ++k) {
        const row_info *info = &a->candidates[k];
        if (limit_is_one(info)) {
            const coordinate_row *g = &a->coordinates[info->coordinate];
            double rate = pawl_assembly_coordinate_rate(a, info->owner, g, u);
            if (limit_gap(a, info) <= limit_reach(rate, h)) {
                return true;
            }
        }
    }
    return false;
}

double pawl_assembly_limit_gap(const pawl_assembly *a, int candidate)
{
    return limit_gap(a, &a->candidates[candidate]);
}

bool pawl_assembly_is_limit(const pawl_assembly *a, int candidate)
{
    return limit_is_one(&a->candidates[candidate]);
}

bool pawl_assembly_limit_is_hard(const pawl_assembly *a, int candidate)
{
    const row_info *info = &a->candidates[candidate];
    return limit_is_one(info) && !limit_is_soft(a, info);
}

const row_family pawl_limit_rows_family = {
    .name = "limit",
    .traits = ROW_ONE_SIDED | ROW_IS_LIMIT,
    .work_kind = WORK_LIMITS,
    .measured = PAWL_MEASURED_LIMITS,
    .plan_bounded = limit_plan,
    .fill = limit_fill,
    .is_near = limit_is_near,
};
