// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The table of solvers, by pawl_solver_kind. It is written out instead of filled at start-up: it
// survives static linking, its order is visible, and the compiler checks its length.
#include "solve/solver_ops.h"

static const pawl_solver_ops *const solver_table[] = {
    [PAWL_SOLVER_DIRECT] = &pawl_direct_ops,
    [PAWL_SOLVER_PGS_NCP] = &pawl_pgs_ncp_ops,
    [PAWL_SOLVER_ADMM_NCP] = &pawl_admm_ncp_ops,
    [PAWL_SOLVER_NSGS] = &pawl_nsgs_ops,
    [PAWL_SOLVER_NEWTON] = &pawl_newton_ops,
    [PAWL_SOLVER_ADMM_CCP] = &pawl_admm_ccp_ops,
    [PAWL_SOLVER_ADMM_NCP_FP] = &pawl_admm_ncp_fp_ops,
    [PAWL_SOLVER_ADMM_NCP_LA] = &pawl_admm_ncp_la_ops,
    [PAWL_SOLVER_ADMM_NCP_SA] = &pawl_admm_ncp_sa_ops,
    [PAWL_SOLVER_PGS_CCP] = &pawl_pgs_ccp_ops,
    [PAWL_SOLVER_NBGS] = &pawl_nbgs_ops,
    [PAWL_SOLVER_RAISIM] = &pawl_raisim_ops,
    [PAWL_SOLVER_RAISIM_DS] = &pawl_raisim_ds_ops,
    [PAWL_SOLVER_RAISIM_DS_ES] = &pawl_raisim_ds_es_ops,
    [PAWL_SOLVER_PROX] = &pawl_prox_ops,
    [PAWL_SOLVER_AUTO] = &pawl_auto_ops,
    [PAWL_SOLVER_LEMKE] = &pawl_lemke_ops,
};
_Static_assert(sizeof solver_table / sizeof solver_table[0] == PAWL_SOLVER_COUNT, "missing row");

const pawl_solver_ops *pawl_solver_find(int kind)
{
    return kind >= 0 && kind < PAWL_SOLVER_COUNT ? solver_table[kind] : NULL;
}

const char *pawl_solver_name(int kind)
{
    return pawl_solver_find(kind) != NULL ? pawl_solver_find(kind)->name : NULL;
}

const char *pawl_solver_other_law(int kind)
{
    const pawl_solver_ops *ops = pawl_solver_find(kind);
    return ops == NULL ? NULL : ops->relaxed ? "the convex relaxation of friction" : ops->own_law;
}

const char *pawl_solver_summary(int kind)
{
    return pawl_solver_find(kind) != NULL ? pawl_solver_find(kind)->summary : NULL;
}
