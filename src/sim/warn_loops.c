// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Loops whose rows are nearly redundant, but not within loop.tolerance: a misalignment of 2 mm in 1 m may be an
// inaccuracy of a machine that should move, or it may be intended to lock it. The numbers do not decide. Files of
// four digits have singular values of up to 4e-5, mechanisms that move as intended 0.1 and more
// (docs/derivations/weak-space.md).
#include "problem/weak_space.h"
#include "sim/warnings.h"

static const double loops_near = 30.0; // times the tolerance

// weak->strong is the smallest singular value that was not taken for redundant, strong_row the rows that have most
// of it. One warning, for the nearest case alone.
pawl_status pawl_warn_redundant(pawl_sim *sim, warning_list *list)
{
    const weak_space *weak = sim->weak;
    double tolerance = sim->settings.loop.tolerance;
    if (weak == NULL || weak->strong_row[0] < 0 || !(weak->strong < loops_near * tolerance)) {
        return PAWL_OK;
    }
    int joint[2];
    for (int i = 0; i < 2; ++i) {
        int row = weak->strong_row[weak->strong_row[1] < 0 ? 0 : i];
        joint[i] = pawl_row_joint(sim->model, &sim->assembly->rows[row]);
    }
    warning_where where = joint[0] == joint[1]
                              ? pawl_warning_joint(sim->model, joint[0])
                              : pawl_warning_joints(sim->model, joint[0], joint[1]);
    return pawl_warning_add(
        list, PAWL_WARNING_NEARLY_REDUNDANT, where.text,
        "align them if the loop is to move, or raise loop.tolerance; skew them by more if it is "
        "not",
        "cannot tell whether the rows of their loop are redundant: singular value %.2g, where up "
        "to "
        "%.2g (loop.tolerance) counts as a misalignment and 0.1 is usual; the largest that counts "
        "so is %.2g",
        weak->strong, tolerance, pawl_weak_space_largest(weak));
}
